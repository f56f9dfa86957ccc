"""Whole games in one compiled call: the referee and all players as one kernel.

Why it is here.  A referee in Python spends 100 microseconds a ply; most games of an evolution or a
tournament are over in that time.  So the text of a referee is written for the agents at the table,
with one call per seat, and specialised like any other kernel.  It plays exactly the games of
`referee.py`: same streams, same draws.  Agents that have no kernel (a person, a program of the
user's, one with a clock, one that remembers) sit at a table that is refereed in Python.
"""

from collections.abc import Sequence
from typing import Any

from ludwin.game import Game, State
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.play.referee import REPETITIONS, Played, Referee, play_game
from ludwin.primitives import shl
from ludwin.search.choice import Agent
from ludwin.search.seat import Doubt, Seat

ENDS = ("rules", "length", "repetition")

RECORDS = {
    "states": "States",
    "bufs": "Moves",
    "nature": "Ints",
    "played": "Ints",
    "keys": "Ints",
    "payoffs": "Floats",
    "game": {"seed": int, "rotation": int, "repeats": int, "limit": int},
}

TEXT = """
from ludwin.kernel.names import PLAYERS, Bundle, copy, key, mover, moves, payoff, play
from ludwin.primitives import CHANCE, mix
from ludwin.search.playout import sample


def seen_before(keys, n, k):
    count = 0
    for i in range(n):
        if keys[i] == k:
            count += 1
    return count


def contest(w: Bundle):
    game = w.game
    s = w.states[0]
    out = w.bufs[0]
    plies = 0
    kept = 0
    end = 0
    w.nature[0] = mix(mix(0, game.seed), -1)
    n = moves(s, out)
    while n > 0:
        if plies >= game.limit:
            end = 1
            break
        player = mover(s)
        if player == CHANCE:
            move = out[sample(s, out, n, w.nature)]
        else:
            if game.repeats > 0:
                k = key(s)
                if seen_before(w.keys, kept, k) + 1 >= game.repeats:
                    end = 2
                    break
                w.keys[kept] = k
                kept += 1
            start = mix(mix(mix(0, game.seed), player), plies)
            who = (player + game.rotation) % PLAYERS
            move = 0
{calls}
        w.played[plies] = move
        play(s, move)
        plies += 1
        n = moves(s, out)
    for p in range(PLAYERS):
        w.payoffs[p] = payoff(s, p) if end == 0 else 0.0
    return plies * 4 + end
"""


def _text(players: int) -> str:
    """Write the referee's text for so many players."""
    calls = []
    for k in range(players):
        calls.append(f"            {'if' if k == 0 else 'elif'} who == {k}:")
        calls.append(f"                copy(w.seat{k}.states[0], s)")
        calls.append(f"                w.seat{k}.rng[0] = start")
        calls.append(f"                move = seat{k}(w.seat{k})")
    return TEXT.format(calls="\n".join(calls))


def _kernel(seats: Sequence[Seat]) -> Kernel:
    players = {f"seat{k}": seat.kernel for k, seat in enumerate(seats)}
    return kernel_from_text("contest", "contest", _text(len(seats)), bind={**players}, records={**RECORDS, **players})


class ContestTable:
    """Agents at a table, refereed in Python."""

    def __init__(self, game: Game, agents: Sequence[Agent], mode: str):
        self.game = game
        self.agents = tuple(agents)
        self.mode = mode

    def play(self, seed: int, rotation: int = 0, start: State | None = None) -> Played:
        """Play one game; seat p is taken by agent number (p + rotation) modulo the players."""
        n = len(self.agents)
        seats = [self.agents[(p + rotation) % n] for p in range(n)]
        return play_game(self.game, seats, seed, mode=self.mode, start=start)


class CompiledTable(ContestTable):
    """Agents at a table, refereed in one compiled call a game."""

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent],
        seats: Sequence[Seat],
        mode: str,
        *,
        repetitions: int = REPETITIONS,
        limit: int = 0,
    ):
        super().__init__(game, agents, mode)
        self.seats = list(seats)
        self.run: Specialised = specialise(game, _kernel(seats), mode)
        run = self.run
        most = game.max_plies + 1
        sizes = {f"seat{k}": seat.sizes for k, seat in enumerate(seats)}
        self.w = run.bundle(played=most, keys=most, payoffs=game.players, **sizes)
        self.doubts: list[tuple[Doubt, Any]] = []
        for k, seat in enumerate(seats):
            workspace = getattr(self.w, f"seat{k}")
            seat.prepare(run, workspace)
            self.doubts += [(seat.doubt, workspace)] if seat.doubt else []
        self.w.game.repeats = 0 if game.has_chance or game.players != 2 else repetitions
        self.limit = self.w.game.limit = min(game.max_plies, limit or game.max_plies)
        self.share = (game.payoff_sum or 0) / game.players
        self.begin = game.start()

    def takes(self, number: int, seat: Seat) -> bool:
        """Tell whether the code for agent `number` is also that of another agent, whose data may take its place."""
        here = self.seats[number]
        return here.kernel == seat.kernel and here.sizes == seat.sizes and here.doubt == seat.doubt

    def reseat(self, number: int, seat: Seat) -> None:
        """Let another agent take the place of agent `number`; the table must take it."""
        if seat is not self.seats[number]:
            seat.prepare(self.run, getattr(self.w, f"seat{number}"))
            self.seats[number] = seat

    def play(self, seed: int, rotation: int = 0, start: State | None = None) -> Played:
        """Play one game; seat p is taken by agent number (p + rotation) modulo the players.

        Raises CannotPlay if an agent finds that the game is not what its settings say.
        """
        run = self.run
        for doubt, workspace in self.doubts:
            doubt.clear(workspace)
        run.put(self.w.states, 0, start or self.begin)
        self.w.game.seed = shl(seed, 0)
        self.w.game.rotation = rotation
        code = int(run(self.w))
        for doubt, workspace in self.doubts:
            doubt.must_not_be(workspace)
        plies, end = divmod(code, 4)
        moves = self.w.played[:plies]
        played = tuple(moves.tolist() if run.compiled else moves)
        payoffs = tuple(float(v) for v in self.w.payoffs) if end == 0 else (self.share,) * self.game.players
        return Played(played, payoffs, ENDS[end])


def compiled_table(
    game: Game, agents: Sequence[Agent], *, repetitions: int = REPETITIONS, limit: int = 0
) -> CompiledTable | None:
    """Seat the agents at a compiled table, or return None if one of them cannot play inside compiled code.

    A game of `limit` plies ends there (0: MAX_PLIES is the only limit).
    """
    seats = [None if agent.timed or agent.remembers else agent.seat(game) for agent in agents]
    if any(seat is None for seat in seats):
        return None
    return CompiledTable(
        game, agents, [seat for seat in seats if seat is not None], "fast", repetitions=repetitions, limit=limit
    )


def table(game: Game, agents: Sequence[Agent], mode: str = "fast") -> ContestTable:
    """Seat the agents at a table: a compiled one if all of them can play inside compiled code."""
    return (compiled_table(game, agents) if mode == "fast" else None) or ContestTable(game, agents, mode)


__all__ = ["CompiledTable", "ContestTable", "Played", "Referee", "compiled_table", "table"]
