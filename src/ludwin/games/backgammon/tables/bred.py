"""Runs of evolution inside tables, and the two ways to tell how good their best is.

The book's protocol.  Every five generations the four fittest play 1000 games against Pubeval; the best of all these
scores is printed.  It is the best of many noisy figures, so it flatters by some percent.  The honest protocol lets the
player that was so chosen play 10,000 games that nobody has seen.  Both stand in the tables, and verdicts are about the
second; wins are graded, points are printed beside.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin.evolve import run as evolution
from ludwin.evolve.experiment import Experiment, settle
from ludwin.evolve.store import CHAMPION, EVOLUTION, Note, Point, Store, json_text
from ludwin.files import write_whole
from ludwin.games.backgammon.evolve.two_trees import POINTS, YARDSTICK
from ludwin.lab.bred import bred
from ludwin.lab.experiment import TableRun
from ludwin.measure import Measure
from ludwin.primitives import stream

FITTEST = 4  # of a generation, which play
BOOK, FRESH = 7, 8  # purposes of seeds


@dataclass(frozen=True)
class Flavour:
    """A way to evolve players: its name in rows and folders, the experiment, and settings by preset."""

    name: str
    key: str
    experiment: Experiment
    sizes: Mapping[str, Mapping[str, Any]]

    def settings(self, preset: str) -> dict[str, Any]:
        """Return the canonical settings; the champion plays as few games of its own as can be, for tables play them."""
        few = {"yardstick_games": 100, "finalists": 1, "last": 1, "baseline": False}
        games = dict.fromkeys(("finalist_games", "champion_games", "record_games"), 2)
        return settle(self.experiment, preset, {**few, **games, **self.sizes[preset]})

    def extent(self, preset: str) -> str:
        """Say how large its runs are."""
        found = self.settings(preset)
        islands = f", {found['islands']} islands" if found["islands"] > 1 else ""
        lessons = f", lessons of {found['first_games']} and {found['lifetime']} games" if "lessons" in found else ""
        return f"population {found['population']}{islands}, {found['generations']} generations{lessons}"


def made(run: TableRun, folder: Path, flavour: Flavour, seed: int) -> evolution.Run:
    """Return a finished run of a flavour. Raises BadRun if the folder holds another."""
    settings, extent = flavour.settings(run.preset), flavour.extent(run.preset)
    return bred(run, folder, flavour.experiment, run.preset, settings, seed, extent)


@dataclass(frozen=True)
class BestOfRun:
    """The best of a run as the book chooses it, and what it does in fresh games."""

    run: evolution.Run
    generation: int
    genome: Any
    maximum: Measure  # the best of its run's thousand-game scores, which it was chosen by
    fresh: Measure
    points: Measure
    curve: tuple[tuple[int, float], ...]  # generation, mean score of its four fittest
    history: tuple[Point, ...]


def best_of_run(run: TableRun, made_run: evolution.Run, book_games: int, store: Store) -> BestOfRun:
    """Choose the best as the book does, and let it play fresh games; what was played is kept in the store."""
    label, settings, experiment = made_run.folder.name, made_run.settings, made_run.experiment
    kind = experiment.kind(settings)

    def measured(purpose: str, place: tuple[int, int], genome: Any, opponent: str, games: int, seed: int) -> Measure:
        return kept(
            store,
            (label, purpose),
            place,
            opponent,
            lambda: experiment.measure(settings, genome, opponent, games, seed, run.workers),
        )

    with Store(made_run.folder) as inside:
        points = tuple(inside.points(EVOLUTION))
        last = points[-1].number
        at = [
            point.number for point in points if point.number % settings["yardstick_every"] == 0 or point.number == last
        ]
        found: list[tuple[float, int, Any, Measure, tuple[int, int]]] = []
        curve = []
        for number in at:
            people = [inside.individual(EVOLUTION, number, k, kind) for k in range(points[number].individuals)]
            order = sorted(range(len(people)), key=lambda k: (-people[k].fitness, k))[:FITTEST]
            seed = stream(stream(made_run.seed, BOOK), number)
            some = [measured("book", (number, k), people[k].genome, YARDSTICK, book_games, seed) for k in order]
            found += [
                (one.value, number, people[k].genome, one, (number, k)) for one, k in zip(some, order, strict=True)
            ]
            curve.append((number, sum(one.value for one in some) / len(some)))
        founders = {inside.individual(EVOLUTION, 0, k, kind).genome for k in range(points[0].individuals)}
    _, generation, genome, maximum, place = max(found, key=lambda one: (one[0], one[1]))
    generation = 0 if genome in founders else generation
    seed = stream(made_run.seed, FRESH)
    fresh = measured("fresh", place, genome, YARDSTICK, run.games, seed)
    scored = measured("fresh", place, genome, POINTS, run.games, seed)
    best = BestOfRun(made_run, generation, genome, maximum, fresh, scored, tuple(curve), points)
    write_best(made_run.folder.parent, best)
    return best


def write_best(folder: Path, one: BestOfRun) -> None:
    """Write the best of a run as a champion's file beside its run, which plays as `evolved:FILE`."""
    made_run, settings, experiment = one.run, one.run.settings, one.run.experiment
    kind = experiment.kind(settings)
    data = {
        **CHAMPION.head,
        "text": kind.text(one.genome),
        "size": kind.size(one.genome),
        "score": one.fresh.as_json(),
        "record": [one.points.as_json()],
        "generation": one.generation,
        "genome": kind.write(one.genome),
    }
    whole = {**data, **experiment.champion(settings, one.genome), **made_run.about()}
    write_whole(folder / f"{made_run.folder.name}.json", json_text(whole))


def kept(
    store: Store, where: tuple[str, str], place: tuple[int, int], opponent: str, make: Callable[[], Measure]
) -> Measure:
    """Return a measurement from the store, or make it and keep it there."""
    for note in store.measures(*where):
        if (note.generation, note.number, note.measure.opponent) == (*place, opponent):
            return note.measure
    found = make()
    store.add_measure(*where, Note(*place, found))
    return found
