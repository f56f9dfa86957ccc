"""Puzzles for evolution: many solvers, each on some positions, and what their searches are worth.

Why it is here.  A generation is thousands of small searches.  Solvers of one kind share their compiled code and differ
in data (weights, programs), so a thread keeps one workspace a kind and every solver is put into it.  Results are
functions of solver and position: the number of threads changes nothing, and nothing is searched twice.

Fitness.  A solver is worth the share of nodes that it saves beside a reference search (*Evolved to Win*, chapters 10
and 11).  Positions may be drawn anew for every generation, be the same for the whole run, or evolve against the solvers
as Hillis's parasites do: a parasite is a few positions, worth the nodes that they cost, in parts of what the reference
needs.

References.  M. Sipper, *Evolved to Win* (2011), sections 10.3 and 11.3.  W. D. Hillis, "Co-evolving parasites improve
simulated evolution as an optimization procedure", Physica D 42 (1990), 228-234.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ludwin.errors import BadParameter
from ludwin.evolve.engine import evolve
from ludwin.evolve.experiment import Settings
from ludwin.evolve.kind import Representation
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Generation, Score
from ludwin.evolve.populations import Ecology, Hosts
from ludwin.evolve.vectors import Integers
from ludwin.game import Game, State
from ludwin.program.stream import Stream
from ludwin.search.puzzles.solver import Solver, Solving
from ludwin.search.watching import SearchWatch, begin_watch
from ludwin.workers import Threads

KNOWN = 200_000  # results that are kept


Job = tuple[Solver, str, int]  # who solves, which position, and within how many nodes (0: as the solver says)


class Tried(NamedTuple):
    """What a search has found."""

    solved: bool
    nodes: int
    length: int


class Trials:
    """Solves positions of one game with any solvers, several at a time."""

    def __init__(self, game: Game, workers: int = 1):
        self.game, self.workers = game, max(1, workers)
        self.local = threading.local()
        self.known: dict[tuple[int, str, int], Tried] = {}
        self.numbers: dict[Solver, int] = {}
        self.states: dict[str, State] = {}

    def state(self, text: str) -> State:
        """Return a position, read once."""
        if text not in self.states:
            self.states[text] = self.game.position(text)
        return self.states[text]

    def solve_all(self, jobs: Sequence[Job]) -> list[Tried]:
        """Return what each solver finds at its position, within so many nodes, in the order of the jobs."""
        if len(self.known) > KNOWN:
            self.known.clear()
            self.numbers.clear()
        solvers = {id(solver): solver for solver, _, _ in jobs}  # hashing a brain takes longer than a small search
        number = {mark: self.numbers.setdefault(one, len(self.numbers)) for mark, one in solvers.items()}
        marked = [(number[id(solver)], text, nodes) for solver, text, nodes in jobs]
        asked = dict(zip(marked, jobs, strict=True))
        fresh = [mark for mark in asked if mark not in self.known]
        for _, text, _ in fresh:
            self.state(text)
        work = [asked[mark] for mark in fresh]
        if work and self.workers > 1:
            self._solve(work[0])  # compiled once, before threads ask for it
            crew: Threads[Job, Tried] = Threads(
                lambda _, job: self._solve(job), self.workers, begin_watch, SearchWatch.stop
            )
            found: Iterator[Tried] = crew.map(work)
        else:
            found = map(self._solve, work)
        self.known.update(zip(fresh, found, strict=True))
        return [self.known[mark] for mark in marked]

    def _solve(self, job: Job) -> Tried:
        agent, text, nodes = job
        tables: dict[str, Solving] = self.local.__dict__.setdefault("tables", {})
        name = f"{type(agent).__name__} {getattr(agent, 'brain', None) is None}"
        if name not in tables or not tables[name].reseat(agent):
            tables[name] = agent.solving(self.game)
        found = tables[name].solve(self.states[text], nodes=nodes)
        return Tried(found.solved, found.nodes, len(found.plan))


# ---- Worth ---------------------------------------------------------------------------------------------------------


def nodes_saved(tried: Tried, reference: int) -> float:
    """Return the share of nodes that a search saves beside a reference, 0 if it saves none or finds nothing.

    >>> nodes_saved(Tried(True, 300, 9), 1000), nodes_saved(Tried(True, 1300, 9), 1000)
    (0.7, 0.0)
    """
    return max(0.0, 1.0 - tried.nodes / reference) if tried.solved else 0.0


def partly_saved(tried: Tried, reference: int) -> float:
    """Return the same, but a little for who needs up to twice as many nodes (chapter 11).

    >>> [partly_saved(Tried(True, nodes, 9), 1000) for nodes in (300, 1300, 2200)]
    [0.7, 0.0007, 0.0]
    """
    if not tried.solved:
        return 0.0
    if tried.nodes < reference:
        return 1.0 - tried.nodes / reference
    return max(0.0, 1.0 - (tried.nodes / reference - 1.0)) / 1000.0


def nodes_less(tried: Tried, reference: int) -> float:
    """Return the share of nodes that a search saves, below 0 if it needs more; who finds nothing has needed thrice as
    many. A mean of these is 1 less the mean of ratios, so a board that goes astray is not forgiven.

    >>> [nodes_less(Tried(found, nodes, 9), 1000) for found, nodes in ((True, 300), (True, 1500), (False, 5000))]
    [0.7, -0.5, -2.0]
    """
    return max(-2.0, 1.0 - tried.nodes / reference) if tried.solved else -2.0


@dataclass(frozen=True)
class TrainingCourse:
    """Positions to learn from, and what a search there is worth.

    `solver(genome)` makes the solver, `reference` is what it is compared with, `cap` the nodes of both; a search that
    fails counts twice that, as the book's 1000 million nodes are twice its hardest deal.  With `patience` a solver has
    only so many times the reference's nodes at a position, and counts twice as many if it fails.  With `weighed` half
    of what a solver is worth is a mean in which positions count by the reference's nodes, so that totals matter as much
    as ratios.
    """

    trials: Trials
    positions: tuple[str, ...]
    solver: Callable[[Any], Solver]
    reference: Solver
    cap: int
    worth: Callable[[Tried, int], float] = nodes_saved
    patience: float = 0.0
    weighed: bool = False

    def nodes(self, tried: Tried) -> int:
        """Return the nodes that a search counts."""
        return tried.nodes if tried.solved else 2 * self.cap

    def results(self, genomes: Sequence[Any], places: Sequence[Sequence[int]]) -> list[list[tuple[Tried, int]]]:
        """Return what each genome's solver finds at its positions, each with the reference's nodes."""
        texts = list(dict.fromkeys(self.positions[place] for where in places for place in where))
        known = dict(zip(texts, self.trials.solve_all([(self.reference, text, 0) for text in texts]), strict=True))
        jobs = [
            (solver, text, int(self.patience * self.nodes(known[text])))
            for genome, where in zip(genomes, places, strict=True)
            for solver in [self.solver(genome)]
            for text in [self.positions[place] for place in where]
        ]
        found = iter(zip(self.trials.solve_all(jobs), (self.nodes(known[text]) for _, text, _ in jobs), strict=True))
        return [[next(found) for _ in where] for where in places]

    def judge(self, found: Sequence[tuple[Tried, int]]) -> float:
        """Return the mean of what searches are worth; see `weighed`."""
        lost = 1.0 - 2.0 * self.patience
        worths = [
            lost if self.patience and not tried.solved else self.worth(tried, reference) for tried, reference in found
        ]
        mean = sum(worths) / len(worths)
        if not self.weighed:
            return mean
        whole = sum(reference for _, reference in found)
        by_nodes = sum(worth * reference for worth, (_, reference) in zip(worths, found, strict=True)) / whole
        return (mean + by_nodes) / 2

    def meet(self, pairs: Sequence[tuple[Any, Sequence[int]]], stream: Stream) -> list[tuple[float, float]]:
        """Return the points of solvers and parasites: what is saved, and what it costs beside the reference."""
        met = self.results([solver for solver, _ in pairs], [where for _, where in pairs])
        points = []
        for found in met:
            worth = self.judge(found)
            cost = sum(self.nodes(tried) for tried, _ in found) / sum(reference for _, reference in found)
            points.append((worth, cost))
        return points


@dataclass(frozen=True)
class Sampled:
    """Fitness on positions that are drawn: anew in every generation, or once for the whole run."""

    course: TrainingCourse
    count: int
    lasting: bool = False

    def score(self, genomes: Sequence[Any], generation: int, stream: Stream) -> list[Score]:
        """Return the mean worth on these positions, the same for all."""
        draw = Stream(0, 1) if self.lasting else stream
        places = draw.shuffled(range(len(self.course.positions)))[: self.count]
        met = self.course.results(genomes, [places] * len(genomes))
        return [
            (
                self.course.judge(found),
                {"solved": sum(tried.solved for tried, _ in found) / len(found)},
            )
            for found in met
        ]


# ---- Ecologies -----------------------------------------------------------------------------------------------------

WAYS = {
    "coevolution": "sets of positions that evolve against the solvers",
    "single": "the same with sets of one: the book's first attempt, which failed",
    "sample": "positions drawn anew for every generation",
    "fixed": "positions drawn once",
}


ALONE = ("sample", "fixed")  # ways in which positions do not evolve
EVERY = 5  # generations of solvers between two of positions


def examine_way(owner: str, settings: Settings) -> None:
    """Raise BadParameter if a setting has no effect in the way that solvers and positions live together."""
    if settings["way"] in ALONE and settings["every"] != EVERY:
        raise BadParameter(f"{owner}: every={settings['every']} has no effect with way={settings['way']}")


@dataclass(frozen=True)
class AloneOn:
    """One population on drawn positions, by the engine."""

    kind: Representation[Any]
    fitness: Sampled

    def history(self, plan: Plan, seed: int, start: Generation[Any] | None) -> Iterator[Generation[Any]]:
        """Yield the generations."""
        return evolve(self.kind, self.fitness, plan, seed, start=start)


def ecology(
    kind: Representation[Any], course: TrainingCourse, way: str, count: int, every: int, population: int
) -> Ecology:
    """Return how solvers and positions live together; `count` positions make a set or a sample."""
    if way in ALONE:
        return AloneOn(kind, Sampled(course, count, lasting=way == "fixed"))
    length = 1 if way == "single" else count
    parasites = Integers(length, low=0, high=len(course.positions) - 1, rate=0.1)
    plan = Plan(
        population=population,
        breeding="gp",
        selection="proportionate",
        crossover=0.7,
        mutation=0.1,
        elite=1,
    )
    return Hosts(kind, parasites, course.meet, plan, every, meetings=2)
