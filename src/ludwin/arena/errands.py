"""Errands of the arena: games of an event, and positions of a puzzle, on other machines.

Why it is here.  A machine of a cluster makes game, agents and desk from texts, once, and keeps them.  It plays as at
home: in a process of its own that the arbiter can kill (`arena.workers.Pool`), so that an agent that hangs or dies
there forfeits there, and the worker of the cluster lives on.  What comes back are the lines of the record, which only
the coordinator writes.
"""

import atexit
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ludwin.arena.desk import Desk
from ludwin.arena.records import Record, parse_record
from ludwin.arena.schedule import Job
from ludwin.arena.terms import Terms
from ludwin.arena.workers import Pool
from ludwin.arena.world_desk import desk_of
from ludwin.game import State
from ludwin.search.choice import Agent
from ludwin.shipping import pack_agent, pack_game, unpack_agent, unpack_agents, unpack_game
from ludwin.spread import JSON, Errand, Spread, in_order

# ---- Games --------------------------------------------------------------------------------------------------------


class GuestDesk:
    """A desk on another machine, and the one process that plays at it."""

    def __init__(self, common: JSON):
        game = unpack_game(common["game"])
        agents = unpack_agents(common["agents"], game)
        self.desk = desk_of(game, agents, Terms.from_json(common["terms"]), common["mode"])
        self.pool: Pool | None = None
        self.warmed: set[tuple[int, ...]] = set()
        atexit.register(self.close)

    def close(self) -> None:
        """End the process that plays."""
        if self.pool is not None:
            self.pool.close(orderly=True)

    def play(self, parts: list[JSON]) -> list[JSON]:
        """Return the lines of these games, in their order."""
        jobs = [read_job(part) for part in parts]
        for agents in dict.fromkeys(job.agents for job in jobs):
            if agents not in self.warmed:
                self.warmed.add(agents)
                self.desk.warm(agents)
        pool = self.pool = self.pool or Pool(self.desk, 1)
        try:
            found = {record.game: record.line() for batch in pool.run(iter(jobs)) for record in batch}
        except BaseException:
            pool.close()
            self.pool = None
            raise
        return [found[job.number] for job in jobs]


def write_job(job: Job) -> JSON:
    """Return a game to play as JSON."""
    return [job.number, list(job.agents), job.pair, job.rotation]


def read_job(data: JSON) -> Job:
    """Return the game to play that `write_job` wrote."""
    number, agents, pair, rotation = data
    return Job(int(number), tuple(map(int, agents)), int(pair), int(rotation))


GAMES = Errand("ludwin.arena.errands:GAMES", GuestDesk, GuestDesk.play)


class Guests:
    """Plays the games of an event on other machines; a `Pool` as far as an event asks."""

    def __init__(self, desk: Desk, spread: Spread):
        self.desk, self.spread = desk, spread
        self.chunk = 1  # games that have arrived together
        self.common = {
            "game": pack_game(desk.game),
            "agents": [pack_agent(agent, desk.game) for agent in desk.agents],
            "terms": desk.terms.as_json(),
            "mode": desk.mode,
        }

    def run(self, parts: Iterator[Job], has_room: Callable[[], bool] = lambda: True) -> Iterator[list[Record]]:
        """Yield records, in the order of their arrival, until all games are played."""
        jobs = (write_job(job) for job in parts)
        for found in self.spread.run(GAMES, self.common, jobs, has_room):
            self.chunk = max(self.chunk, len(found))
            yield [parse_record(line, "a line from another machine", number + 1) for number, line in found]

    @property
    def window(self) -> int:
        """How many games four chunks of every core hold: so many may wait for an earlier one."""
        return 4 * self.spread.cores * self.chunk

    def warm(self, agents: tuple[int, ...]) -> None:
        """Leave it to those who play."""

    def close(self, *, orderly: bool = False) -> None:
        """Leave the machines to others."""


# ---- Positions ----------------------------------------------------------------------------------------------------


class GuestSolver:
    """A solver on another machine, with its workspace."""

    def __init__(self, common: JSON):
        self.game = unpack_game(common["game"])
        agent: Any = unpack_agent(common["agent"], self.game)
        self.seed = common["seed"]
        self.tool = agent.solving(self.game, common["mode"])

    def solve(self, parts: list[JSON]) -> list[JSON]:
        """Return a row for each position, [number, text]."""
        from ludwin.arena.plans import PlanRow

        rows = []
        for number, text in parts:
            state = self.game.position(text)
            rows.append(PlanRow(number, self.tool.solve(state, seed=self.seed)).row(state))
        return rows


POSITIONS = Errand("ludwin.arena.errands:POSITIONS", GuestSolver, GuestSolver.solve)


def solved_elsewhere(
    spread: Spread, agent: Agent, states: Sequence[State], first: int, seed: int, mode: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of positions `first` … in their order, solved on other machines."""
    game = states[0].game
    common = {"game": pack_game(game), "agent": pack_agent(agent, game), "seed": seed, "mode": mode}
    parts = ([number, states[number].write()] for number in range(first, len(states)))
    return in_order(spread, POSITIONS, common, parts)
