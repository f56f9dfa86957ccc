"""Tactical facts that programs may ask of any game: who could move how often, and how noisily.

Why it is here.  A search stops in the middle of an exchange, and an evaluation that cannot see one judges by what is
about to change.  Games of ours declare tactical queries of their own; these here need nothing but the rules.  The
mobility of the side that is not to move is counted after the turn is given away: by the game's `null(s)`, or, where
`mover` answers with one field of a game of two, by the other player's number in that field.  Such positions may be none
of the game's, so they are tried on random games first, and where the rules fail on one the facts are not offered.

| fact | offered |
|---|---|
| my mobility, their mobility | to games of two whose turn can be given away |
| my noisy moves, their noisy moves | to such games that define `noisy(s, m)` |
| distance | to puzzles that define `distance(s)` |

Facts are told apart from queries by their prefix, so no game can have a query by the same name.  Where nature is to
move all of them are 0 but the distance.
"""

import ast
import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ludwin.game import Game
from ludwin.kernel.text import kernel_from_text
from ludwin.primitives import CHANCE

PREFIX = "tactical: "
MY_MOBILITY, THEIR_MOBILITY = PREFIX + "my mobility", PREFIX + "their mobility"
MY_NOISY, THEIR_NOISY = PREFIX + "my noisy moves", PREFIX + "their noisy moves"
DISTANCE = PREFIX + "distance"
FACTS = (MY_MOBILITY, THEIR_MOBILITY, MY_NOISY, THEIR_NOISY, DISTANCE)  # fact k has the number -2 - k among inputs
TRIALS, LONG = 10, 80  # random games on which giving the turn away is tried, and how many plies of each


def number_of(fact: str) -> int:
    """Return the number of a fact among the inputs of programs; queries are 0, 1, …, and mobility is -1."""
    return -2 - FACTS.index(fact)


@lru_cache(maxsize=64)
def offered(game: Game) -> tuple[str, ...]:
    """Return the facts that a game offers: the possible ones, unless its rules fail where the turn was given away."""
    found = possible(game)
    if MY_MOBILITY in found and not _is_safe(game):
        return tuple(fact for fact in found if fact == DISTANCE)
    return found


@lru_cache(maxsize=64)
def possible(game: Game) -> tuple[str, ...]:
    """Return the facts that a game could offer, by what it defines; nothing is tried."""
    found: list[str] = []
    if game.is_world:
        return ()
    if game.players == 2 and giver(game) is not None:
        found += [MY_MOBILITY, THEIR_MOBILITY]
        if "noisy" in game.offers:
            found += [MY_NOISY, THEIR_NOISY]
    if "distance" in game.offers:
        found.append(DISTANCE)
    return tuple(found)


@lru_cache(maxsize=64)
def giver(game: Game) -> "str | Callable[..., Any] | None":
    """Return what gives the turn away: the name of a function of the game's, or kernel text; None if nothing does."""
    if "null" in game.offers:
        return "null"
    field = _turn(game.source.tree)
    if field is None or field not in game.fields.names or next(one.size for one in game.fields if one.name == field):
        return None
    text = f"def give_turn(s):\n    s.{field} = 1 - s.{field}\n    return True\n"
    return kernel_from_text("turn", "give_turn", text).entry


def _turn(tree: ast.Module) -> str | None:
    """Return the field that `mover` answers with, nature aside; None if it is not as simple as that."""
    found: set[str] = set()
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "mover"):
        for answer in (node.value for node in ast.walk(function) if isinstance(node, ast.Return)):
            parts = [answer.body, answer.orelse] if isinstance(answer, ast.IfExp) else [answer]
            for part in parts:
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "s":
                    found.add(part.attr)
                elif not (isinstance(part, ast.Name) and part.id == "CHANCE"):
                    return None
    return found.pop() if len(found) == 1 else None


def _is_safe(game: Game) -> bool:
    """Return whether the rules list moves in positions of random games whose turn was given away."""
    chance = random.Random(1)
    for _ in range(TRIALS):
        state = game.start()
        for _ in range(min(game.max_plies, LONG)):
            known = state.moves()
            if not known:
                break
            if state.mover != CHANCE:
                try:
                    plain_facts(state, state.mover)
                except Exception:
                    return False
            state = state.play(chance.choice(known))
    return True


def plain_facts(state: Any, p: int) -> dict[str, float]:
    """Return the facts of a position as player p sees them: the readable twin of what searches compute."""
    game: Game = state.game
    found = dict.fromkeys(FACTS, 0.0)
    if "distance" in game.offers:
        found[DISTANCE] = float(game.function("distance")(state.thaw()))
    if state.mover == CHANCE or game.players != 2:
        return found
    for k, side in enumerate((state.mover, 1 - state.mover)):
        s, out = state.thaw(), [0] * game.max_moves
        count = 0
        if k == 0 or _given(game, s):
            count = int(game.function("moves")(s, out))
        noisy = game.function("noisy") if "noisy" in game.offers else None
        found[MY_MOBILITY if side == p else THEIR_MOBILITY] = float(count)
        if noisy is not None:
            loud = sum(bool(noisy(s, move)) for move in out[:count])
            found[MY_NOISY if side == p else THEIR_NOISY] = float(loud)
    return found


def _given(game: Game, s: Any) -> bool:
    how = giver(game)
    if how is None:
        return False
    return bool(game.function("null")(s) if isinstance(how, str) else how(s))
