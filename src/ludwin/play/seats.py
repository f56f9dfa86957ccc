"""Who sits where: agents and people."""

from collections.abc import Sequence

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game
from ludwin.search.choice import Agent
from ludwin.search.uct import UCT

Seat = Agent | None  # None is a person


def seats(game: Game, agents: Sequence[Seat], *, one_screen: bool = True) -> tuple[Seat, ...]:
    """Return who sits where: nobody named means a person against `uct`, one agent fewer than seats a person first.

    Raises BadParameter for a wrong number, CannotPlay for an agent that does not play the game, and for several people
    who would see each other's secrets on one screen.
    """
    n, k = game.players, len(agents)
    if k not in (0, n - 1, n):
        against = "none to play alone" if n == 1 else f"{count(n - 1, 'agent')} to play against (none means uct)"
        raise BadParameter(f"{game.name} has {count(n, 'seat')}: name {against} or {n} to watch, got {k}")
    if k == 0:
        agents = [UCT()] * (n - 1)
    taken = tuple(agents) if k == n else (None, *agents)
    for one in taken:
        if one is not None:
            one.suits(game)
    if one_screen and game.has_secrets and taken.count(None) > 1:
        raise CannotPlay(f"{game.name} has secrets, which several people at one screen cannot keep")
    return taken


def seat_texts(taken: Sequence[Seat]) -> list[str]:
    """Return what files and results call the seats."""
    return ["human" if one is None else str(one) for one in taken]


def count(n: int, thing: str) -> str:
    """Return `1 move`, `2 moves`."""
    return f"{n} {thing}{'s' * (n != 1)}"
