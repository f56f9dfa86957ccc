"""Endgames between an evolved player and any other agent: engines over a pipe, alpha-beta, people.

Why it is here.  The games of evolution are compiled for programs.  Engines are asked move by move, so these games have
a referee in Python, with the same starts, the same ends and the same points as `endings.py`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ludwin.game import State
from ludwin.games.chess.evolve.endings import AHEAD, BEHIND, EVEN, MATED, MATES, Endings
from ludwin.games.chess.generate import can_move
from ludwin.games.chess.opponents.endgames import covers, graded
from ludwin.games.chess.opponents.terminals import material
from ludwin.primitives import mix
from ludwin.search.choice import Agent
from ludwin.search.seat import Sitting

Mover = Callable[[State, int, Sequence[int]], int]


@dataclass
class Grades:
    """How many decisions in positions that a table knows kept the theoretical result.

    Where all moves keep it there is nothing to decide: decisions in which some move loses it are counted apart.
    """

    kept: int = 0
    asked: int = 0
    held: int = 0  # of those in which some move loses the result
    risky: int = 0

    def note(self, state: State, move: int) -> None:
        """Grade one decision."""
        if covers(state):
            moves = graded(state)
            values = [one.value for one in moves.values()]
            keeps, is_risky = moves[move].value == max(values), min(values) < max(values)
            self.asked += 1
            self.kept += keeps
            self.risky += is_risky
            self.held += keeps and is_risky


def mover_of(agent: Agent, endings: Endings) -> Mover:
    """Return what chooses for an agent; players of ours keep their compiled seat."""
    agent.suits(endings.game)
    seat = None if agent.foreign or agent.timed or agent.remembers else agent.seat(endings.game)
    if seat is not None:
        sitting = Sitting(seat, endings.game, endings.mode)
        return lambda state, seed, played: sitting.choose(state, seed)
    player = agent.sit(endings.game, endings.mode)
    return lambda state, seed, played: int(player(state, seed, played).move)


def finished(state: State, seen: Counter[int], plies: int, cap: int) -> int | None:
    """Return how a game ended for White, None if it goes on."""
    if not state.moves():
        payoff = state.payoffs()[0]
        if payoff:
            return MATES if payoff > 0 else MATED
        return _standing(state) if can_move(state) else EVEN
    if seen[state.key()] > 2 or plies >= cap:
        return _standing(state)
    return None


def _standing(state: State) -> int:
    balance = material(state, 0)
    return AHEAD if balance > 0 else EVEN if balance == 0 else BEHIND


def meet(
    endings: Endings, movers: tuple[Mover, Mover], ending: int, seed: int, grades: Grades | None = None, mine: int = 0
) -> int:
    """Return how a game ends for White; the moves of player `mine` are graded."""
    state, plies, played, seen = endings.start(ending, seed), 0, list[int](), Counter[int]()
    seen[state.key()] += 1
    while (found := finished(state, seen, plies, endings.cap)) is None:
        who = state.mover
        move = movers[who](state, mix(mix(0, seed), plies), played)
        if grades is not None and who == mine:
            grades.note(state, move)
        state, plies = state.play(move), plies + 1
        played.append(move)
        seen[state.key()] += 1
    return found


def against(
    endings: Endings, player: Agent, rival: Agent, seeds: Sequence[int], grades: Grades | None = None
) -> list[int]:
    """Return how a player's games end: for each seed all endings, each with both colours."""
    mine, theirs = mover_of(player, endings), mover_of(rival, endings)
    found = []
    for seed in seeds:
        for ending in range(len(endings.names)):
            found.append(meet(endings, (mine, theirs), ending, seed, grades, 0))
            found.append(-meet(endings, (theirs, mine), ending, seed, grades, 1))
    return found
