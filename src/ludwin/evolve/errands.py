"""Errands of evolution: a run's next half minute, an island, a measurement, games of a fitness, on other machines.

Why it is here.  A run is a pure function of experiment, settings and seed, cut into generations; so another machine can
make the next ones from the last one, and send them back as they are stored.  Nobody but the coordinator has the folder.
A step ends after at most half a minute (or with its first generation, if one takes longer), so a machine that dies
costs no more than that, and any other goes on.

Which unit goes out: of a series whole runs, step by step, all seeds at once (`at_once.py`); of one run with islands the
islands, between migrations; of one run whose fitness plays games, or asks a user's function, those; of everything else
the run itself, step by step.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ludwin.evolve.bouts import Bout, Bouts
from ludwin.evolve.engine import Running, demand_fitting, shared_out, together
from ludwin.evolve.experiment import Experiment, Measure, Settings, plan
from ludwin.evolve.kind import Representation
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Generation, Scored, read_generation, write_generation
from ludwin.evolve.problem import ByFunction
from ludwin.evolve.register import find
from ludwin.evolve.selection import comparison
from ludwin.library import agent, is_path, split
from ludwin.search.choice import Agent
from ludwin.shipping import NotShipped, unpack
from ludwin.spread import JSON, Errand, Spread, in_order
from ludwin.trust import without_folder

STEP_SECONDS = 30.0
ENDLESS = 10**9  # generations: whoever asks for random search knows when it is enough
EVOLUTION = "evolution"  # the branch that islands and fitness are of; random search goes step by step


# ---- What all of them need ----------------------------------------------------------------------------------------


def about(spread: Spread, experiment: Experiment, settings: Settings) -> dict[str, Any]:
    """Return an experiment as another machine can find it: by name, or with the texts of a user's file.

    Raises NotShipped if the command line has not named that file.
    """
    told: dict[str, Any] = {"experiment": experiment.name, "settings": dict(settings)}
    name = split(experiment.name)[0]
    if is_path(name):
        own = without_folder(name)
        pack = spread.pack(own)
        if pack is None:
            raise NotShipped(f"{experiment.name} is a user's file; name it on the line, so that it can be sent")
        told |= {"pack": pack, "name": name, "identity": experiment.identity(settings)}
    return told


class Laboratory:
    """An experiment on another machine, made anew from its name and settings."""

    def __init__(self, common: JSON):
        text = common["experiment"]
        if "pack" in common:
            text = unpack(common["pack"]) + text[len(common["name"]) :]
        self.experiment = find(text)
        self.settings: Settings = common["settings"]
        self.common = common
        if "identity" in common and self.experiment.identity(self.settings) != common["identity"]:
            raise NotShipped(f"{common['experiment']} is another experiment here than where it came from")
        self.kind: Representation[Any] = self.experiment.kind(self.settings)
        self.alone: Representation[Any] = getattr(self.kind, "main", self.kind)
        self._fitness: Any = None

    @property
    def fitness(self) -> Any:
        """The fitness, made once."""
        if self._fitness is None:
            self._fitness = fitness_of(self.experiment, self.settings)
        return self._fitness

    # Steps of a run

    def advance(self, parts: list[JSON]) -> list[JSON]:
        """Return the generations that follow, as many as half a minute holds."""
        return [self._advanced(part) for part in parts]

    def _advanced(self, part: JSON) -> JSON:
        branch, seed, limit = part["branch"], part["seed"], part["evaluations"]
        kind = self.kind if branch == EVOLUTION else self.alone
        start = None if part["start"] is None else read_generation(kind, part["start"])
        history = generations(self.experiment, self.settings, branch, seed, 1, start)
        began, last, found, ended = time.monotonic(), 0.0, list[JSON](), False
        while not ended and (not found or time.monotonic() - began + last < STEP_SECONDS):
            moment = time.monotonic()
            generation = next(history, None)
            ended = generation is None or (limit is not None and generation.evaluations >= limit)
            if generation is not None:
                found.append(write_generation(kind, generation))
            last = time.monotonic() - moment
        return {"generations": found, "ended": ended}

    # Islands

    def islands(self, parts: list[JSON]) -> list[JSON]:
        """Return the generations of an island until the next migration."""
        return [self._island(part) for part in parts]

    def _island(self, part: JSON) -> JSON:
        breeding = plan(self.settings)
        run = Running(self.kind, self.fitness, breeding, part["seed"], comparison(self.fitness, breeding))
        own, found = run.island(part["island"]), []
        shore = None if part["shore"] is None else read_generation(self.kind, part["shore"])
        for _ in range(part["count"]):
            shore = own.begun() if shore is None else own.bred(shore)
            found.append(write_generation(self.kind, shore))
        return found

    # Measurements, games, functions

    def measure(self, parts: list[JSON]) -> list[JSON]:
        """Return how genomes do against opponents."""
        found = []
        for part in parts:
            opponent, games, seed = part["terms"]
            settings, genome = {**self.settings, **part["changes"]}, self.kind.read(part["genome"])
            found.append(self.experiment.measure(settings, genome, opponent, games, seed, 1).as_json())
        return found

    def play(self, parts: list[JSON]) -> list[JSON]:
        """Return the games of a fitness: of genomes against an agent, or of pairs of genomes."""
        bouts: Bouts = self.fitness.bouts
        found: list[JSON] = []
        for genomes, opponent, seeds in parts:
            read = [self.kind.read(one) for one in genomes]
            if opponent is None:
                pairs = list(zip(read[::2], read[1::2], strict=True))
                found.append([[list(one) for one in both] for both in bouts.pairs(pairs, seeds)])
            else:
                bout = bouts.against(read[0], self._agent(opponent, bouts), seeds)
                found.append([list(one) for one in bout])
        return found

    def _agent(self, text: str, bouts: Bouts) -> Agent:
        return agent(text, bouts.game)

    def ask(self, parts: list[JSON]) -> list[JSON]:
        """Return what a user's function says of genomes."""
        fitness: ByFunction = self.fitness
        found = []
        for genome, seeds in parts:
            one = fitness.one((self.kind.read(genome), tuple(seeds)))
            found.append([one.value, dict(one.detail), list(one.cases), list(one.objectives)])
        return found


ADVANCE = Errand("ludwin.evolve.errands:ADVANCE", Laboratory, Laboratory.advance)
ISLANDS = Errand("ludwin.evolve.errands:ISLANDS", Laboratory, Laboratory.islands)
MEASURE = Errand("ludwin.evolve.errands:MEASURE", Laboratory, Laboratory.measure)
BOUTS = Errand("ludwin.evolve.errands:BOUTS", Laboratory, Laboratory.play)
ASK = Errand("ludwin.evolve.errands:ASK", Laboratory, Laboratory.ask)


def fitness_of(experiment: Experiment, settings: Settings, workers: int = 1) -> Any:
    """Return the fitness by which an experiment breeds; of a problem's ecology the one inside it."""
    if experiment.ecology is not None:
        inner = getattr(experiment.ecology(settings, workers), "inner", None)
        return getattr(inner, "fitness", None)
    return experiment.fitness(settings, workers)


def generations(
    experiment: Experiment, settings: Settings, branch: str, seed: int, workers: int, start: Generation[Any] | None
) -> Iterator[Generation[Any]]:
    """Return what yields a run's generations: the experiment's own loop or ecology, or the engine; random search that
    is not the experiment's own is always the engine's, and goes on for as long as it is asked.
    """
    from ludwin.evolve.engine import evolve

    own = experiment.history(settings, branch, seed, workers, start)
    if own is not None:
        return own
    breeding = plan(settings)
    if branch != EVOLUTION:  # a generation of a team costs more than its births, so their number says nothing
        breeding = replace(breeding.baseline, generations=ENDLESS)
    if experiment.ecology is not None and branch == EVOLUTION:
        return experiment.ecology(settings, workers).history(breeding, seed, start)
    kind = experiment.kind(settings)
    kind = getattr(kind, "main", kind)
    return evolve(kind, experiment.fitness(settings, workers), breeding, seed, start=start)


# ---- The coordinator's side ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Away:
    """An experiment whose work is done on other machines."""

    spread: Spread
    experiment: Experiment
    settings: Settings
    common: JSON
    kind: Representation[Any]

    @classmethod
    def of(cls, spread: Spread, experiment: Experiment, settings: Settings) -> "Away":
        """Return an experiment that can be sent. Raises NotShipped."""
        return cls(spread, experiment, settings, about(spread, experiment, settings), experiment.kind(settings))

    def history(
        self, branch: str, seed: int, start: Generation[Any] | None, limit: int | None, *, stepwise: bool
    ) -> Iterator[Generation[Any]]:
        """Yield the generations of a branch; `stepwise` leaves the whole run to one machine at a time."""
        breeding = plan(self.settings)
        if (
            branch == EVOLUTION
            and not stepwise
            and self.experiment.history(self.settings, branch, seed, 1, start) is None
        ):
            fitness = fitness_of(self.experiment, self.settings)
            if breeding.islands > 1 and self.experiment.ecology is None:
                return self._archipelago(fitness, breeding, seed, start)
            if isinstance(getattr(fitness, "bouts", None), Bouts) or _asks(fitness):
                return self._bred_here(seed, start)
        return self._advanced(branch, seed, start, limit)

    def _advanced(
        self, branch: str, seed: int, start: Generation[Any] | None, limit: int | None
    ) -> Iterator[Generation[Any]]:
        kind = self.kind if branch == EVOLUTION else getattr(self.kind, "main", self.kind)
        while True:
            told = None if start is None else write_generation(kind, start)
            part = {"branch": branch, "seed": seed, "start": told, "evaluations": limit}
            (answer,) = in_order(self.spread, ADVANCE, self.common, [part])
            for data in answer["generations"]:
                start = read_generation(kind, data)
                yield start
            if answer["ended"]:
                return

    def _bred_here(self, seed: int, start: Generation[Any] | None) -> Iterator[Generation[Any]]:
        """Yield generations that are bred here and scored elsewhere."""
        from ludwin.evolve.engine import evolve

        if self.experiment.ecology is not None:
            ecology: Any = self.experiment.ecology(self.settings, 1)
            ecology.inner.fitness.away = self
            yield from ecology.history(plan(self.settings), seed, start)
            return
        fitness: Any = self.experiment.fitness(self.settings, 1)
        fitness.bouts.away = self
        yield from evolve(self.kind, fitness, plan(self.settings), seed, start=start)

    def _archipelago(
        self, fitness: Any, breeding: Plan, seed: int, start: Generation[Any] | None
    ) -> Iterator[Generation[Any]]:
        """Yield generations whose islands are bred elsewhere, between migrations where nothing is remembered of all."""
        demand_fitting(fitness, breeding)
        run = Running(self.kind, fitness, breeding, seed, comparison(fitness, breeding))
        remembers = getattr(fitness, "admit", None) is not None
        while start is None or (start.number < breeding.generations and start.best.fitness < breeding.stop_at):
            before = Generation[Any](-1, ()) if start is None else start
            number = before.number + 1
            until = min(-(-max(number, 1) // breeding.migrate_every) * breeding.migrate_every, breeding.generations)
            count = 1 if remembers or start is None else max(1, until - before.number)
            shores = [None] * breeding.islands if start is None else shared_out(start, breeding.islands)
            parts = [
                {"seed": seed, "island": i, "count": count, "shore": shore and write_generation(self.kind, shore)}
                for i, shore in enumerate(shores)
            ]
            grown = list(in_order(self.spread, ISLANDS, self.common, parts))
            for k in range(count):
                shore_now = [read_generation(self.kind, island[k]) for island in grown]
                if k:  # an island counts what it has bred since it left
                    shore_now = [
                        _since(now, read_generation(self.kind, island[k - 1]))
                        for now, island in zip(shore_now, grown, strict=True)
                    ]
                number = before.number + 1
                if start is not None and number % breeding.migrate_every == 0 and breeding.migrants:
                    shore_now = run.migrated(shore_now, number // breeding.migrate_every)
                start = before = run.admitted(together(before, shore_now))
                yield start
                if start.best.fitness >= breeding.stop_at:
                    return

    def against(self, genomes: Sequence[Any], opponent: Agent, chunks: Sequence[Sequence[int]]) -> list[list[Bout]]:
        """Return the games of each genome with the seeds of all chunks."""
        parts = [([self.kind.write(genome)], str(opponent), list(seeds)) for genome in genomes for seeds in chunks]
        found = [[Bout(*one) for one in part] for part in in_order(self.spread, BOUTS, self.common, parts)]
        per = len(chunks)
        return [[bout for part in found[i * per : (i + 1) * per] for bout in part] for i in range(len(genomes))]

    def pairs(self, games: Sequence[tuple[Any, Any]], seeds: Sequence[int], chunk: int) -> list[tuple[Bout, Bout]]:
        """Return games between genomes as both players see them."""
        written: dict[Any, JSON] = {}

        def write(genome: Any) -> JSON:
            if genome not in written:
                written[genome] = self.kind.write(genome)
            return written[genome]

        parts = [
            ([write(genome) for both in games[k : k + chunk] for genome in both], None, list(seeds[k : k + chunk]))
            for k in range(0, len(games), chunk)
        ]
        found = in_order(self.spread, BOUTS, self.common, parts)
        return [(Bout(*first), Bout(*second)) for part in found for first, second in part]

    def asked(self, work: Sequence[tuple[Any, tuple[int, ...]]]) -> list[Scored]:
        """Return what a user's function says of genomes."""
        parts = [(self.kind.write(genome), list(seeds)) for genome, seeds in work]
        return [
            Scored(value, detail, tuple(cases), tuple(objectives))
            for value, detail, cases, objectives in in_order(self.spread, ASK, self.common, parts)
        ]

    def measures(self, wanted: Sequence[tuple[Any, str, int, int]], changes: Settings | None = None) -> list[Measure]:
        """Return the measures of (genome, opponent, games, seed)."""
        parts = [
            {"genome": self.kind.write(genome), "terms": [opponent, games, seed], "changes": dict(changes or {})}
            for genome, opponent, games, seed in wanted
        ]
        return [Measure.from_json(data) for data in in_order(self.spread, MEASURE, self.common, parts)]


def _asks(fitness: Any) -> bool:
    return isinstance(fitness, ByFunction) and fitness.problem.batch is None


def _since(now: Generation[Any], before: Generation[Any]) -> Generation[Any]:
    """Return an island's generation that counts its own evaluations alone, as islands of one step do."""
    return replace(now, evaluations=now.evaluations - before.evaluations)
