"""Carrying a run out: step by step into its folder, so that it can be stopped, killed and gone on with.

Why it is here.  Evolution is cut into steps (a generation, a measurement) that are stored as soon as they are done.
Going on means to skip the steps that the folder already holds; the rest comes out as if nothing had happened.

Order.  Evolution first; then finalists, champion and its record, and `champion.json`; then the tuning for a greater
depth, if one is set; then the random search at equal evaluations, if it is wanted; `report.html` last, so a run that
has one is finished.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any

import ludwin
from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.errands import Away, fitness_of, generations
from ludwin.evolve.experiment import Experiment, Measure, Settings, plan, schema
from ludwin.evolve.kind import Representation
from ludwin.evolve.plan import TERMS, Plan
from ludwin.evolve.population import Generation, Individual, kinds_beside
from ludwin.evolve.populations import ARCHIVE
from ludwin.evolve.problem import ByFunction
from ludwin.evolve.remarks import failing, remarks, wavering
from ludwin.evolve.report import curves, run_report
from ludwin.evolve.run import (
    CHAMPIONS,
    FINALIST,
    LARGER,
    LATE_FILE,
    LATER_CHAMPION,
    LATER_LARGER,
    RECORD,
    YARDSTICK,
    Run,
    demand_same_version,
    give_up,
)
from ludwin.evolve.store import (
    BASELINE,
    CHAMPION,
    EVOLUTION,
    LATE,
    Log,
    Note,
    Point,
    Store,
    json_text,
    read_json,
    tidy,
)
from ludwin.files import write_whole
from ludwin.progress import SILENT, Progress
from ludwin.spread import elsewhere

GOES_ON = "with which the same files go on (--resume); changed ones begin a new run (--out)"


class Stopped(Exception):
    """Somebody asked the run to stop; all that was finished is stored."""


def carry_out(
    run: Run, *, workers: int = 1, progress: Progress = SILENT, stop: Event | None = None, stepwise: bool = False
) -> None:
    """Do what is left of a run. Raises Stopped when `stop` is set, after the step in hand.

    The result is in the folder, and does not depend on the workers nor on how often it was stopped. `stepwise` leaves
    the whole run to one machine of a cluster at a time: for those who have many runs.
    """
    if run.is_finished:
        return
    demand_same_version(run)
    log, abandoned, here = Log(run.folder), False, Path.cwd()
    shown, run = run.folder, replace(run, folder=run.folder.absolute())  # a user's function may go to another folder
    try:
        tidy(run.folder)
        log.write("begin", workers=workers, ludwin=ludwin.__version__)
        with Store(run.folder, write=True) as store:
            store.verify()
            session = _Session(run, store, log, workers, progress, stop or Event())
            session.stepwise = stepwise
            try:
                session.work()
            except (BadParameter, CannotPlay) as error:
                points = store.points(EVOLUTION)
                abandoned = len(points) <= 1  # nothing is lost, and the next try has the folder
                if abandoned:
                    raise
                kept = f"{shown} keeps generations 0 to {points[-1].number}"
                raise BadParameter(f"{error}; {kept}, {GOES_ON}") from None
        spread = elsewhere(workers)
        log.write("finished", **({"cluster": spread.status()} if spread else {}))
    finally:
        log.close()
        os.chdir(here)
        if abandoned:
            give_up(run.folder)


class _Session:
    """One process's work on a run."""

    def __init__(self, run: Run, store: Store, log: Log, workers: int, progress: Progress, stop: Event):
        self.run, self.store, self.log, self.workers = run, store, log, workers
        self.progress, self.stop = progress, stop
        self.settings = run.settings
        self.kind = run.experiment.kind(self.settings)
        self.opponents = tuple(run.experiment.opponents(self.settings))
        spread = elsewhere(workers)
        self.away = Away.of(spread, run.experiment, self.settings) if spread else None
        self.stepwise = False

    def work(self) -> None:
        """Do all steps that are not in the folder yet."""
        breeding = plan(self.settings)
        self.breed(EVOLUTION, breeding)
        champion = self.crown(EVOLUTION)
        self.keep_record(champion)
        larger = self.look_back()
        self.write_champion(champion)
        if self.run.is_tuned_late:
            self.tune_late(larger or (champion.generation, champion.number))
        if self.settings["baseline"]:
            evaluations = self.store.points(EVOLUTION)[-1].evaluations
            self.breed(BASELINE, breeding.baseline, evaluations)
            self.crown(BASELINE)
        self.write_report(champion)

    def go_on(self) -> None:
        """Raise Stopped if somebody asked for it."""
        if self.stop.is_set():
            raise Stopped

    def begin_part(self, words: str) -> None:
        """Tell that something else begins, which has no generations."""
        self.progress.total(None, f"{self.run.experiment.name}, seed {self.run.seed}: {words}")

    def breed(self, branch: str, breeding: Plan, evaluations: int | None = None) -> None:
        """Evolve to the end of the plan, or until so many genomes have been scored."""
        run, every = self.run, self.settings["yardstick_every"]
        points = self.store.points(branch)
        last, found = breeding.generations, None
        what = "" if branch == EVOLUTION else " (random search)"
        self.progress.total(last + 1, f"{run.experiment.name}, seed {run.seed}{what}", done=len(points))
        for point in points:
            if point.number % every == 0:
                self.yardstick(branch, point)  # of the last one only: it may have been killed before
        kind = self.kind if branch == EVOLUTION else _alone(self.kind)
        start = self.store.last_generation(branch, kind)
        if run.experiment.history(self.settings, branch, run.seed, 1, start) is not None:
            evaluations = None  # it knows its own budget
        history = (
            self.away.history(branch, run.seed, start, evaluations, stepwise=self.stepwise)
            if self.away
            else generations(run.experiment, self.settings, branch, run.seed, self.workers, start)
        )
        while evaluations is None or not points or points[-1].evaluations < evaluations:
            if evaluations is not None and _finds_nothing_new(points, last):
                break
            self.go_on()
            began = time.perf_counter()
            generation = next(history, None)
            if generation is None:
                break
            points.append(self.store.add_generation(branch, generation, self.kind))
            self.log.write("generation", phase=branch, number=generation.number, seconds=time.perf_counter() - began)
            if generation.number % every == 0:
                found = self.yardstick(branch, points[-1])
            self.progress.done(
                generation.number + 1,
                in_words(points[-1], found),
                step=f"generation {generation.number}" + (f" of {last}" if generation.number <= last else ""),
            )
        self.yardstick(branch, points[-1])

    def yardstick(self, branch: str, point: Point) -> Measure:
        """Measure the best of a generation, unless that is done."""
        seed = self.run.seed_for(YARDSTICK, point.number)
        return self.measured(
            branch, "yardstick", point.number, point.best, self.opponents[0], self.settings["yardstick_games"], seed
        )

    def measured(
        self, branch: str, purpose: str, generation: int, number: int, opponent: str, games: int, seed: int
    ) -> Measure:
        """Return a measurement from the folder, or make it and keep it there."""
        for note in self.store.measures(branch, purpose):
            if (note.generation, note.number, note.measure.opponent) == (generation, number, opponent):
                return note.measure
        self.go_on()
        began = time.perf_counter()
        genome = self.store.individual(branch, generation, number, self.kind).genome
        measure = (
            self.away.measures([(genome, opponent, games, seed)])[0]
            if self.away
            else self.run.measure(genome, opponent, games, seed, self.workers)
        )
        assert measure.opponent == opponent, (
            f"{self.run.experiment.name} measured against {measure.opponent}, not {opponent}"
        )
        self.store.add_measure(branch, purpose, Note(generation, number, measure))
        seconds = time.perf_counter() - began
        self.log.write(
            purpose,
            phase=BASELINE if branch == BASELINE else purpose,
            generation=generation,
            games=measure.games,
            seconds=seconds,
        )
        return measure

    def finalists(self, branch: str) -> list[tuple[int, int]]:
        """Return generation and number of those who may become champion, all different.

        They are the best by the yardstick, the later of equals first, then the fittest of the last generation.
        """
        notes = sorted(
            self.store.measures(branch, "yardstick"), key=lambda note: (-note.measure.merit, -note.generation)
        )
        last = self.store.last_generation(branch, self.kind if branch == EVOLUTION else _alone(self.kind))
        assert last is not None
        order = sorted(range(len(last.individuals)), key=lambda k: -last.individuals[k].fitness)
        chosen: list[tuple[int, int]] = []
        seen: set[Any] = set()
        for places, most in (
            ([(note.generation, note.number) for note in notes], self.settings["finalists"]),
            ([(last.number, k) for k in order], self.settings["last"]),
        ):
            taken = 0
            for place in places:
                one = self.store.individual(branch, *place, self.kind)
                genome = one.genome
                if taken < most and genome not in seen and self.is_allowed(one.size):
                    seen.add(genome)
                    chosen.append(place)
                    taken += 1
        return chosen

    def is_allowed(self, size: int) -> bool:
        """Return whether a program of this size may be champion: breeding=terms tunes larger ones on the way."""
        return self.settings["breeding"] != TERMS or size <= int(self.settings["max_size"])

    def crown(self, branch: str) -> Note:
        """Let the finalists play on the same fresh seeds, and measure the best of them once more, on others."""
        opponent, settings = self.opponents[0], self.settings
        places, notes = self.finalists(branch), []
        for rank, place in enumerate(places, 1):
            self.begin_part(f"{branch}: finalist {rank} of {len(places)}")
            notes.append(
                Note(
                    *place,
                    self.measured(
                        branch, "finalist", *place, opponent, settings["finalist_games"], self.run.seed_for(FINALIST)
                    ),
                )
            )
        if not notes:
            raise BadParameter(
                f"no program came down to max_size={settings['max_size']} nodes, so there is no champion"
            )
        best = max(notes, key=lambda note: (note.measure.merit, -self.size(branch, note), note.generation))
        self.begin_part(f"{branch}: the champion")
        found = self.measured(
            branch,
            "champion",
            best.generation,
            best.number,
            opponent,
            settings["champion_games"],
            self.run.seed_for(CHAMPIONS),
        )
        return Note(best.generation, best.number, found)

    def size(self, branch: str, note: Note) -> int:
        """Return an individual's size: of equal finalists the smallest is the champion."""
        return self.store.individual(branch, note.generation, note.number, self.kind).size

    def keep_record(self, champion: Note) -> None:
        """Let the champion meet the other opponents."""
        for rank, opponent in enumerate(self.opponents[1:], 1):
            self.begin_part(f"the champion against {opponent}")
            self.measured(
                EVOLUTION,
                "record",
                champion.generation,
                champion.number,
                opponent,
                self.run.experiment.record_games(self.settings, opponent),
                self.run.seed_for(RECORD, rank),
            )

    def look_back(self) -> tuple[int, int] | None:
        """Measure the best of those that were larger than a champion may be, to tell what cutting down has cost; return
        its generation and number.

        Before each of the two cuts there is a last one; the better of them in as many games as finalists have is
        measured, on other seeds.
        """
        points = self.store.points(EVOLUTION)
        large = [
            point
            for point, later in pairwise(points)
            if not self.is_allowed(point.best_size) and later.best_size < point.best_size
        ]
        if not large:
            return None
        self.begin_part("before it was cut down")
        seed, games, merits = self.run.seed_for(FINALIST), self.settings["finalist_games"], []
        for point in large[-2:]:
            place = point.number, point.best
            merits.append(self.measured(EVOLUTION, "ancestor", *place, self.opponents[0], games, seed).merit)
        best = large[-2:][merits.index(max(merits))]
        for rank, opponent in enumerate(self.opponents):
            games = self.run.experiment.record_games(self.settings, opponent)
            seed = self.run.seed_for(LARGER, rank)
            self.measured(EVOLUTION, "larger", best.number, best.best, opponent, games, seed)
        return best.number, best.best

    def tune_late(self, first: tuple[int, int]) -> None:
        """Tune somebody for a greater depth, in a branch of its own, measure the last one that is small enough and the
        last before it was cut down, and write `late.json`: the champion for that depth.
        """
        run, settings = self.run, self.settings
        self.begin_part(f"tuning for depth {settings['late_depth']}")
        start = self.store.last_generation(LATE, self.kind)
        if start is None:
            end = self.store.last_generation(EVOLUTION, self.kind)
            assert end is not None
            one = self.store.individual(EVOLUTION, *first, self.kind)
            start = Generation(0, (one,), end.evaluations, end.memory, dict(end.state))
            self.store.add_generation(LATE, start, self.kind)
        history = (
            self.away.history(LATE, run.seed, start, None, stepwise=self.stepwise)
            if self.away
            else generations(run.experiment, settings, LATE, run.seed, self.workers, start)
        )
        while True:
            self.go_on()
            began = time.perf_counter()
            generation = next(history, None)
            if generation is None:
                break
            point = self.store.add_generation(LATE, generation, self.kind)
            self.log.write("generation", phase=LATE, number=generation.number, seconds=time.perf_counter() - began)
            self.progress.note(f"tuning for depth {settings['late_depth']}: {point.number}, {in_words(point, None)}")
        points = self.store.points(LATE)
        large = [point for point in points if not self.is_allowed(point.best_size)]
        for purpose, chosen, what in (
            ("champion", points[-1:], LATER_CHAMPION),
            ("larger", large[-1:], LATER_LARGER),
        ):
            for point in chosen:
                for rank, opponent in enumerate(self.opponents):
                    games = max(
                        run.experiment.record_games(settings, opponent), 0 if rank else settings["champion_games"]
                    )
                    self.measured(LATE, purpose, point.number, 0, opponent, games, run.seed_for(what, rank))
        self.write_late(points[-1])

    def write_late(self, point: Point) -> None:
        """Write `late.json`, as a champion of the greater depth."""
        notes = {note.measure.opponent: note.measure for note in self.store.measures(LATE, "champion")}
        first, *others = self.opponents
        self._write(
            LATE_FILE,
            self.store.individual(LATE, point.number, 0, self.kind),
            point.number,
            [notes[first], *(notes[opponent] for opponent in others)],
            {**self.settings, "depth": self.settings["late_depth"]},
        )

    def write_champion(self, champion: Note) -> None:
        """Write `champion.json`: all that is needed to play it and to know what it is."""
        found = self.store.individual(EVOLUTION, champion.generation, champion.number, self.kind)
        record = {note.measure.opponent: note.measure for note in self.store.measures(EVOLUTION, "record")}
        measures = [champion.measure, *(record[opponent] for opponent in self.opponents[1:])]
        self._write("champion.json", found, champion.generation, measures, self.settings)

    def _write(
        self, name: str, found: Individual[Any], generation: int, measures: list[Measure], settings: Settings
    ) -> None:
        data = {
            **CHAMPION.head,
            "experiment": self.run.experiment.name,
            "text": self.kind.text(found.genome),
            "size": found.size,
            "score": measures[0].as_json(),
            "record": [measure.as_json() for measure in measures[1:]],
            "generation": generation,
            "fitness": found.fitness,
            "origin": found.origin,
            "genome": self.kind.write(found.genome),
        }
        extra = self.run.experiment.champion(settings, found.genome)
        assert not set(extra) & set(data), f"{self.run.experiment.name} overwrites {set(extra) & set(data)}"
        about = {**self.run.about(), "settings": dict(settings)}
        write_whole(self.run.folder / name, json_text({**data, **extra, **about}))

    def remarks(self, champion: Note) -> list[str]:
        """Return what is odd about the run, and say it."""
        most = self.run.experiment.most(self.settings)
        against, narrows = str(self.settings.get("against", "")), self.settings.get("breeding") == TERMS
        found = remarks(self.store.points(EVOLUTION), champion.generation, most, against, narrows=narrows)
        last = self.store.last_generation(EVOLUTION, self.kind)
        assert last is not None
        one = self.store.individual(EVOLUTION, champion.generation, champion.number, self.kind)
        found += failing(last.individuals)
        if set(kinds_beside(self.kind)) <= {ARCHIVE} and _asks_once(self.run.experiment, self.settings):
            found += wavering(one, champion.measure)
        for words in found:
            self.progress.note(f"{self.run.experiment.name}, seed {self.run.seed}: {words}")
        return found

    def write_report(self, champion: Note) -> None:
        """Write the plots and, last of all, the report."""
        self.begin_part("the report")
        self.store.seal_measures()
        genome = self.store.individual(EVOLUTION, champion.generation, champion.number, self.kind).genome
        picture = self.run.experiment.picture(self.settings, genome)
        write_whole(self.run.folder / "curves.svg", curves(self.store) + "\n")
        page = run_report(
            self.run.about(),
            schema(self.run.experiment),
            self.store,
            read_json(self.run.folder / "champion.json", CHAMPION),
            (picture, self.run.experiment.page(self.settings, genome)),
            self.remarks(champion),
        )
        write_whole(self.run.folder / "report.html", page)


def _finds_nothing_new(points: Sequence[Point], last: int) -> bool:
    """Return whether a search that is as long as planned has scored nobody any more: all that there is may be known."""
    return len(points) > 1 and points[-1].number >= last and points[-1].evaluations == points[-2].evaluations


def _asks_once(experiment: Experiment, settings: Settings) -> bool:
    """Return whether a user's function is asked about each genome by itself, and once."""
    fitness = fitness_of(experiment, settings) if experiment.ecology is not None else None
    return isinstance(fitness, ByFunction) and fitness.lasting and fitness.problem.batch is None


def _alone(kind: Representation[Any]) -> Representation[Any]:
    """Return a kind without the populations that live beside it, which random search has none of."""
    found: Representation[Any] = getattr(kind, "main", kind)
    return found


def in_words(point: Point, yardstick: Measure | None) -> str:
    """Return how a generation stands: whether it gets better, and whether it goes wrong (sizes that swell, diversity
    that dies).
    """
    parts = [
        f"best {point.best_fitness:.4g}",
        f"mean {point.mean_fitness:.4g}",
        f"size {point.best_size} (mean {point.mean_size:.0f})",
        f"different {point.distinct}/{point.individuals}",
    ]
    return "  ".join([*parts, f"yardstick {yardstick}"] if yardstick else parts)
