"""`ludwin.perft("nim", 5)` and its kin: functions of a game that take the text of one, too.

Why it is here.  Searches and rules lie below the library, which knows the names of games; here a name becomes a game.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ludwin import library
from ludwin.errors import BadParameter, brief
from ludwin.game import Game, State
from ludwin.settings import one_of, within
from ludwin.words import MODES

GUARDED = "guarded"  # plain with states that refuse what the contract does not allow, for tests of rules


def game_of(game: Any) -> Game:
    """Return a game, or that which a text names. Raises LudwinError."""
    return game if isinstance(game, Game) else library.load(game)


def perft(
    game: Game | str | Path, depth: int, state: State | None = None, mode: str = "fast", *, each: bool = False
) -> int:
    """Return the number of positions at exactly `depth` plies, each path counted; game may be a text.

    Nature's moves count like a player's. Depth 0 is the position itself. With `each` the last ply is played, too, and
    not only counted. Raises LudwinError.
    """
    from ludwin.search.perft import perft as count

    _whole("depth", depth, 0)
    one_of("mode", mode, MODES if mode != GUARDED else (*MODES, GUARDED))
    rules = game_of(game)
    if rules.is_world:
        raise rules.has_no_moves()
    if state is not None and (not isinstance(state, State) or state.game != rules):
        raise BadParameter(f"{brief(state)} is no state of {rules.text}")
    return count(rules, depth, state, mode, each=each)


def reachable(game: Game | str | Path, limit: int | None = None) -> Iterator[State]:
    """Yield every state that play can reach, each once, nearest to the start first; at most `limit` of them."""
    from ludwin.game import reachable as every

    if limit is not None:
        _whole("limit", limit, 0)
    rules = game_of(game)
    if rules.is_world:
        raise rules.has_no_moves()
    return every(rules, limit)


def check(game: Game | str | Path, playouts: int = 200, seed: int = 0, **more: Any) -> Any:
    """Try a game by the laws of games, see `ludwin.laws.check`; game may be a text. Raises LudwinError."""
    from ludwin.laws import check as judge

    _whole("playouts", playouts, 1)
    _whole("seed", seed, None)
    return judge(game_of(game), playouts, seed, **more)


def _whole(name: str, value: Any, least: int | None) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadParameter(f"{name} must be a whole number, got {brief(value)}")
    within(name, value, least, 2**40 if least is not None else None)
