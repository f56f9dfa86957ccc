"""The picture of a position, whatever its game can draw.

Why it is here.  A page, a notebook and a file show any game.  A game that draws itself is asked; one with `squares` is
a grid; of all others `show` is looked at until a board is found in it, and if there is none, its letters are the
picture.  So a user's own game has one with no code.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ludwin.errors import LudwinError, RuleError, brief
from ludwin.primitives import CHANCE, draw, stream
from ludwin.rules.boards import GAMES, PLIES, Lattice, Sight, learn
from ludwin.svg import Square, grid, letters, named_places, places

if TYPE_CHECKING:
    from typing import Protocol

    class Position(Protocol):
        """What is asked of a state, which lives a floor above."""

        game: Any

        def show(self) -> str: ...
        def moves(self) -> list[int]: ...
        def name(self, move: int) -> str: ...
        def picture(self) -> str: ...
        def _ask(self, name: str, *args: object) -> Any: ...
        def _play(self, code: int) -> Any: ...


def picture_of(state: "Position") -> str:
    """Return the position as the text of an SVG file."""
    game = state.game
    if "picture" in game.offers:
        return str(state._ask("picture"))
    if "squares" in game.offers:
        return str(grid(squares_of(state), game.text, _below(state)))
    text = state.show()
    lattice = game.lattice
    if lattice is None:
        return str(letters(text, game.text))
    return str(grid(lattice.board(text), game.text, lattice.remarks(text)))


def _below(state: "Position") -> list[str]:
    """Return what `show` says below a board: its last line, if that is a sentence."""
    lines = state.show().splitlines() if "show" in state.game.offers else []
    return [lines[-1]] if lines and any(len(word) > 2 and word.isalpha() for word in lines[-1].split()) else []


def squares_of(state: "Position") -> list[list[Square]]:
    """Return what the game's `squares` says. Raises RuleError if it says something else than rows of squares."""
    found = state._ask("squares")
    try:
        rows = [[None if one is None else (str(one[0]), str(one[1])) for one in row] for row in found]
        if not rows or any(square is not None and not square[0] for row in rows for square in row):
            raise ValueError
    except (TypeError, ValueError, IndexError, KeyError):
        reason = f"squares must return rows of (name, piece) or None, got {brief(found)}"
        raise RuleError(reason, *state.game.place("squares")) from None
    return rows


def places_of(state: "Position", move: int) -> list[str]:
    """Return the places that a move touches: as `places` says, as its name says, or as the drawings show."""
    return next(iter(paths_of(state, [move]).values()))


def paths_of(state: "Position", moves: Iterable[int], svg: str | None = None) -> dict[int, list[str]]:
    """Return the places that each of some moves touches; the picture is drawn once, or is at hand."""
    game = state.game
    if game.is_world or (game.has_secrets and "places" not in game.offers):
        return {move: [] for move in moves}
    if "places" in game.offers:
        return {move: [str(name) for name in state._ask("places", move)] for move in moves}
    names = places(picture_of(state) if svg is None else svg)
    draws_itself = "picture" in game.offers or "squares" in game.offers
    lattice: Lattice | None = None if draws_itself else game.lattice
    before = state.show() if lattice is not None else ""
    found = {}
    for move in moves:
        # On a board that was learnt the drawings decide: a name such as 1,2 may count otherwise than we do.
        found[move] = lattice.path(before, state._play(move).show()) if lattice is not None else []
        if not found[move] and names and (lattice is None or lattice.is_labelled):
            found[move] = named_places(names, state.name(move))
    return found


def lattice_of(game: Any) -> Lattice | None:
    """Play a few random games and learn the board that their drawings have in common."""
    if game.is_world or "show" not in game.offers:
        return None
    return learn([_random_game(game, stream(number, 7)) for number in range(GAMES)])


def _random_game(game: Any, seed: int) -> list[Sight]:
    rng, state = [seed], game.start()
    sights = [Sight(state.show(), CHANCE)]
    try:
        for _ in range(PLIES):
            legal = state.moves()
            if not legal:
                break
            player = state.mover
            state = state._play(legal[draw(rng, len(legal))])
            sights.append(Sight(state.show(), player))
    except LudwinError:  # a rule that fails is told where it is played, not where it is drawn
        return sights
    return sights
