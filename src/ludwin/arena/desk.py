"""The arbiter's desk: one game of an event, whatever the agents do.

Why it is here.  In an event a game always ends with a record.  An agent that raises an exception,
plays an illegal move, or overdraws its clock or the arbiter's patience forfeits, and the reason is
written down.  Games of built-in agents with counted budgets are played in one compiled call; all
others move by move, while a board of shared memory tells the parent process whose turn it is,
since when, and what has been played, so that it can end a game whose worker hangs or has died.
"""

import copy
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ludwin.arena.contest import CompiledTable, compiled_table
from ludwin.arena.openings import Opening, Openings
from ludwin.arena.records import Record
from ludwin.arena.schedule import Job
from ludwin.arena.terms import Adjudication, Terms
from ludwin.errors import BadParameter, CannotPlay, IllegalMove, LudwinError, Misbehaved
from ludwin.game import Game
from ludwin.library import is_ours
from ludwin.play.referee import Allowance, Referee
from ludwin.primitives import CHANCE
from ludwin.rules.watch import one_process
from ludwin.search.choice import Agent

PATIENCE = 300.0  # seconds for a move of an agent that is not ours, unless told otherwise
READY = 60.0  # seconds in which such an agent must be ready to play, before any clock runs
TABLES = 4  # compiled tables kept at a time; games come pairing by pairing
WORTH = 200  # games of a pairing that repay the seconds in which a table is compiled for it, where there are many

# The board of shared memory: the game's number, the player to move plus one (0: nobody), the moves
# played, when the move began and how long it may take (0: for ever), both in nanoseconds, who says so; then the moves.
GAME, MOVER, COUNT, SINCE, ALLOWED, WHY, MOVES = 0, 1, 2, 3, 4, 5, 6
BY_PATIENCE, BY_CLOCK, BY_READINESS = 0, 1, 2


def board_size(game: Game) -> int:
    """Return how many cells the board of a worker needs."""
    return MOVES + game.max_plies + 1


def forfeit_payoffs(game: Game, player: int) -> tuple[float, ...]:
    """Return the payoffs of a game that a player forfeits: 1 less than an even share, which the others divide."""
    share, others = (game.payoff_sum or 0) / game.players, max(game.players - 1, 1)
    return tuple(share - 1 if p == player else share + 1 / others for p in range(game.players))


class Forfeit(Exception):
    """The mover loses the game for a reason that is not in the rules."""


class Desk:
    """Plays the games of an event, one after another."""

    goes_on = False  # whether a game goes on without a player who cannot

    def __init__(self, game: Game, agents: Sequence[Agent], terms: Terms, mode: str = "fast", board: Any = None):
        self.game, self.agents, self.terms, self.mode = game, tuple(agents), terms, mode
        self.board = [0] * board_size(game) if board is None else board
        self.openings = Openings(game, terms.openings, terms.seed)
        self.alone = len(agents) == game.players
        self.tables: dict[tuple[int, ...], CompiledTable | None] = {}
        self.limit = terms.adjudicate.plies if terms.adjudicate else 0
        watched = terms.clock or terms.patience or (terms.adjudicate and terms.adjudicate.by_value)
        self.stepwise = mode != "fast" or bool(watched) or (not self.alone and terms.games < WORTH)
        self.is_warm = False
        self.prepared: set[int] = set()  # agents who have done here what comes before their first game
        self.share = ((game.payoff_sum or 0) / game.players,) * game.players

    def play(self, job: Job) -> Record:
        """Play one game to its end."""
        self.board[MOVER] = 0
        self.board[COUNT] = 0
        self.board[GAME] = job.number
        seed = job.seed(self.terms.seed, self.alone)
        opening = self.openings.of(job.pair, seed)
        table = None if self.stepwise or job.tries else self._table(job.agents)
        if table is not None:
            try:
                played = table.play(seed, job.rotation, opening.state if opening else None)
                end = "adjudication" if played.end == "length" and table.limit < self.game.max_plies else played.end
                return self.record(job, opening, played.moves, played.payoffs, end)
            except Exception:  # played again move by move, to see whose fault it is
                self.tables[job.agents] = None
        return self._by_moves(job, seed, opening)

    def record(
        self,
        job: Job,
        opening: Opening | None,
        moves: Sequence[int],
        payoffs: Sequence[float],
        end: str,
        by: int | None = None,
        reason: str | None = None,
    ) -> Record:
        """Return the record of a game."""
        codes, position = (opening.moves, opening.position) if opening else ((), None)
        return Record(job.number, job.pair, job.seats, tuple(moves), tuple(payoffs), end, codes, position, by, reason)

    def forfeit(self, job: Job, moves: Sequence[int], player: int, reason: str) -> Record:
        """Return the record of a game that a player forfeits after these moves."""
        opening = self.openings.of(job.pair, job.seed(self.terms.seed, self.alone))
        return self.record(job, opening, moves, forfeit_payoffs(self.game, player), "forfeit", player, reason)

    def without(self, job: Job, player: int, tick: int, reason: str) -> Job:
        """Return the game to be played again without a player, where one goes on (`WorldDesk`)."""
        raise NotImplementedError(f"{self.game.name} does not go on without player {player}")

    def warm(self, agents: tuple[int, ...]) -> None:
        """Compile what the games of these agents need, so that no clock runs meanwhile.

        The code is kept elsewhere; workspaces belong to those who play.
        """
        if not self.stepwise and self._table(agents) is not None:
            self.tables.clear()
        elif not self.is_warm:
            self.is_warm = True
            for agent in self.agents:
                if is_ours(agent):
                    with suppress(LudwinError):  # said again by the agent itself, who forfeits
                        agent.warm(self.game, self.mode)

    def _table(self, agents: tuple[int, ...]) -> CompiledTable | None:
        if agents not in self.tables:
            while len(self.tables) >= TABLES:
                del self.tables[next(iter(self.tables))]
            seated = [self.agents[k] for k in agents]
            self.tables[agents] = compiled_table(self.game, seated, repetitions=self.terms.repetition, limit=self.limit)
        return self.tables[agents]

    def _by_moves(self, job: Job, seed: int, opening: Opening | None) -> Record:
        """Play move by move: with clocks, adjudication, and an eye on every agent."""
        referee = Referee(self.game, seed, opening.state if opening else None, repetitions=self.terms.repetition)
        seats = [fresh(self.agents[k]) for k in job.seats]
        clocks = [self.terms.clock.seconds if self.terms.clock else math.inf] * len(seats)
        judge = Judge(self.terms.adjudicate) if self.terms.adjudicate else None
        for player, agent in enumerate(seats):
            try:
                self._prepare(referee, player, agent, job.seats[player])
            except Forfeit as why:
                return self.forfeit(job, referee.played, player, str(why))
        while not (end := referee.end):
            player = referee.state.mover
            if player == CHANCE:
                move = referee.draw()
            else:
                try:
                    move, value, clocks[player] = self._ask(referee, seats[player], clocks[player])
                except Forfeit as why:
                    return self.forfeit(job, referee.played, player, str(why))
                if judge:
                    judge.note(player, value)
            self.board[MOVES + len(referee.played)] = move
            self.board[COUNT] = len(referee.played) + 1
            referee.play(move)
            if judge and not referee.end and (verdict := judge.verdict(len(referee.played))) is not None:
                share = self.share[0]
                payoffs = self.share if verdict < 0 else tuple(share + (1 if p == verdict else -1) for p in range(2))
                return self.record(job, opening, referee.played, payoffs, "adjudication")
        return self.record(job, opening, referee.played, referee.payoffs, end)

    def _prepare(self, referee: Referee, player: int, agent: Agent, number: int) -> None:
        """Let an agent sit down before any clock runs: what must be compiled or started is. Raises Forfeit."""
        if referee.end:
            return
        if is_ours(agent):
            if number not in self.prepared:
                self.prepared.add(number)
                with suppress(LudwinError):
                    agent.warm(self.game, self.mode)
            return
        with self._watched(player, max(READY, patience_with(agent, self.terms)), BY_READINESS):
            if number not in self.prepared:
                agent.warm(self.game, self.mode)
                self.prepared.add(number)
            referee.sit(player, agent, self.mode)

    def _ask(self, referee: Referee, agent: Agent, clock: float) -> tuple[int, float, float]:
        """Return the agent's move, its value, and what is left on its clock. Raises Forfeit."""
        patience, increment = patience_with(agent, self.terms), self.terms.clock.increment if self.terms.clock else 0.0
        allowed, why = min(clock, patience), BY_CLOCK if clock <= patience else BY_PATIENCE
        time_left = Allowance(allowed, (clock, increment) if self.terms.clock else None)
        began = time.monotonic_ns()
        try:
            with self._watched(referee.state.mover, 0.0 if allowed == math.inf else allowed, why):
                choice = referee.ask(agent, self.mode, time_left)
                move, value = int(choice.move), float(choice.value)
        except Forfeit:
            if (time.monotonic_ns() - began) / 1e9 > allowed:
                raise Forfeit(late(why, patience)) from None
            raise
        used = (time.monotonic_ns() - began) / 1e9
        if used > allowed:
            raise Forfeit(late(why, patience))
        return move, value, clock - used + increment

    @contextmanager
    def _watched(self, player: int, allowed: float, why: int) -> Iterator[None]:
        """Let a player do something that may take so many seconds (0: any); the board tells. Raises Forfeit."""
        board = self.board
        board[ALLOWED], board[WHY], board[SINCE] = int(allowed * 1e9), why, time.monotonic_ns()
        board[MOVER] = player + 1
        try:
            with one_process():
                yield
        except IllegalMove as error:
            raise Forfeit(f"illegal move: {_one_line(error)}") from None
        except Misbehaved as error:
            raise Forfeit(_one_line(error)) from None
        except BaseException as error:  # also SystemExit and the like: an agent must not end the worker
            raise Forfeit(f"exception: {type(error).__name__}: {_one_line(error)}".removesuffix(": ")) from None
        finally:
            board[MOVER] = 0


def late(why: int, patience: float) -> str:
    """Return the reason of a forfeit by time."""
    if why == BY_READINESS:
        return f"not ready within {max(READY, patience):g} s"
    return "out of time" if why == BY_CLOCK else f"no move within {patience:g} s"


def patience_with(agent: Agent, terms: Terms) -> float:
    """Return how many seconds a move of this agent may take, clock aside."""
    if terms.patience is not None:
        return terms.patience
    if agent.timed:
        return 10 + 10 * float(getattr(agent, "seconds", PATIENCE))
    return math.inf if is_ours(agent) else PATIENCE


def demand_suitable(game: Game, agents: Sequence[Agent], terms: Terms) -> None:
    """Raise CannotPlay or BadParameter if an agent cannot play the game under these terms."""
    for agent in agents:
        agent.suits(game)
        if terms.clock is None and getattr(agent, "needs_clock", False):
            raise CannotPlay(f"nothing limits the moves of {agent}: give it nodes=, depth= or seconds=, or a clock")
        fresh(agent)


def fresh(agent: Agent) -> Agent:
    """Return the agent for one seat of one game; one of the user's own is copied, as it may remember things."""
    if is_ours(agent):
        return agent
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        raise BadParameter(f"{agent} cannot be copied, as it must be for every game: {_one_line(error)}") from None


def _one_line(error: BaseException) -> str:
    """Return the first line of what an exception says, which may be a stranger's."""
    try:
        text = (str(error).splitlines() or [""])[0][:200]
    except BaseException:
        return ""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


class Judge:
    """Watches the agents' values and says when a game is decided."""

    def __init__(self, terms: Adjudication):
        self.terms = terms
        self.values: tuple[list[float], list[float]] = ([], [])

    def note(self, player: int, value: float) -> None:
        """Enter what the mover thinks of its position."""
        if self.terms.by_value:
            self.values[player].append(value)
            del self.values[player][: -self.terms.moves]

    def verdict(self, plies: int) -> int | None:
        """Return the winner, -1 for a draw, None if the game goes on."""
        terms = self.terms
        if terms.plies and plies >= terms.plies:
            return -1
        last = self.values
        if not terms.by_value or plies < terms.after or min(map(len, last)) < terms.moves:
            return None
        for player in range(2):
            if terms.win is not None and min(last[player]) >= terms.win and max(last[1 - player]) <= -terms.win:
                return player
        return -1 if terms.draw is not None and all(abs(v) <= terms.draw for values in last for v in values) else None
