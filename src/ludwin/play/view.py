"""What a player may see of a game.

Why it is here.  A game's `show` draws everything, so a player is never shown the true state before the
game is over.  What they see is computed from states that `observe` has drawn for them, and looks
alike in all of these; the rest is a `?`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ludwin.game import State
from ludwin.rules.layout import flatten

WORLDS = 1024  # guesses at what is hidden; a possibility of 1 in 200 is overlooked in 6 of 1000 views
FEW = 32  # guesses where every move of each is tried


@dataclass(frozen=True)
class View:
    """A game in progress as one player sees it; what they may not know is None or `?`."""

    game: str
    ply: int
    mover: int
    end: str | None
    payoffs: tuple[float, ...] | None
    position: str | None  # as text; None where it would tell what is hidden
    text: str  # the drawing
    moves: tuple[tuple[str, int], ...]  # text and code of what can be played now
    history: tuple[str | None, ...]
    seats: tuple[str, ...]
    hidden: bool  # whether anything is


def worlds(state: State, player: int, seed: int, number: int = WORLDS) -> list[State]:
    """Return states that look like this one to `player`, as the game's `observe` draws them."""
    game, rng = state.game, [seed]
    found: dict[State, None] = {}  # in the order drawn
    for _ in range(number):
        s = state.thaw()
        try:
            game.function("observe")(s, player, rng)
        except Exception as error:
            raise game.fault(error) from error
        found[State(game, flatten(game.fields, s))] = None
    return list(found)


def common(texts: Sequence[str]) -> str | None:
    """Return what all texts show, `?` where they differ; None if they differ in their lines.

    Numbers count as a whole; a line of varying length is shown up to the first difference.

    >>> print(common(["me: K  you: J\\nthe pot has 9", "me: K  you: Q\\nthe pot has 10"]))
    me: K  you: ?
    the pot has ?
    """
    pages = [text.splitlines() for text in texts]
    if len({len(page) for page in pages}) > 1:
        return None
    merged = []
    for lines in zip(*pages, strict=True):
        rows = [re.findall(r"\d+|\D", line) for line in lines]
        parts = [same[0] if len(set(same)) == 1 else "?" for same in zip(*rows, strict=False)]
        if len({len(row) for row in rows}) > 1:
            parts = [*parts[: parts.index("?")], "?"] if "?" in parts else [*parts, "?"]
        merged.append("".join(parts))
    return "\n".join(merged)


def drawing(state: State, player: int, seed: int) -> str:
    """Return a drawing of the state as `player` sees it."""
    possible = worlds(state, player, seed)
    text = common([world.show() for world in possible])
    return text if text is not None else common([world.fields_text() for world in possible]) or ""


def can_tell(before: State, move: int, after: State, player: int, seed: int) -> bool:
    """Tell whether `player` can tell this move of somebody else's from all others.

    They cannot if, from some state that looked the same to them, a move of another name leads to
    a state that fits all that they see now.
    """
    possible = worlds(after, player, seed)
    cells = list(zip(*(world.cells for world in possible), strict=True))
    seen = [(i, values[0]) for i, values in enumerate(cells) if len(set(values)) == 1]
    text = before.name(move)
    for world in [before, *worlds(before, player, seed, FEW)]:
        for other in world.moves():
            cells_then = world._play(other).cells
            if all(cells_then[i] == value for i, value in seen) and world.name(other) != text:
                return False
    return True
