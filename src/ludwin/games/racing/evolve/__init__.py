"""Drivers that evolve: chapter 9 of *Evolved to Win*, and the numbers that a person would tune instead.

Why it is here.  `racing` breeds two programs over Table 9.1 as the book does: tournaments of 3, 40 % reproduction, 50 %
crossover, 5 % structural and 5 % constant mutation, depth 8, and one of two measures.  *Distance* is the way covered
in 250 seconds; *time* is the book's comparison of two drivers: who finishes beats who does not, then the clock decides,
or the way.  As numbers: the clock negative, or less than -1000 by what was missing of the way.

`racing-tuned` tunes the constants of one hand-written driver by an evolution strategy.  Both take several tracks at
once, so that held-out tracks tell whether a road was learnt by heart.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.errors import BadParameter
from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value
from ludwin.evolve.trees import Genome, Trees
from ludwin.evolve.vectors import Reals, Vector
from ludwin.games.racing.evolve.races import Raced, Races, world
from ludwin.games.racing.language import SPEED_NAME, STEER_NAME, table
from ludwin.games.racing.opponents.constants import GENES
from ludwin.games.racing.opponents.drivers import Programmed, Tuned
from ludwin.primitives import stream as mixed
from ludwin.program.stream import Stream
from ludwin.program.vary import Limits
from ludwin.search.choice import Agent

WIDER = 1.33  # a guess, not tuned
UNFINISHED = 1000.0  # seconds at which the book draws who did not finish
OPTIONS = (
    Setting("tracks", "peninsula", "where fitness is measured: names or paths, with ; between"),
    Setting("held_out", "", "where the champion is measured, too, and nothing else: names or paths, with ; between"),
    Setting("fitness", "time", "time: the clock after one lap; distance: feet in 250 s", choices=("time", "distance")),
    Setting("races", 1, "races on every track, all drivers of a generation on the same seeds", least=1, most=1000),
    Setting("random", True, "random traction"),
    Setting("recover", True, "whether the recovery helper drives where a driver would be stuck"),
    Setting("seconds", 250.0, "when a race is cut off", least=1.0, most=10000.0),
)


def tracks(settings: Settings, key: str = "tracks") -> list[str]:
    """Return the tracks that a setting names. Raises BadParameter for an empty list."""
    found = [word.strip() for word in settings[key].split(";") if word.strip()]
    if not found and key == "tracks":
        raise BadParameter("tracks must name at least one track, or several with ; between")
    return found


def course(settings: Settings, track: str, measure: str) -> str:
    """Return the text of the world in which a driver races."""
    laps = 10000 if measure == "distance" else 1
    text = f'racing:track="{track}",laps={laps},seconds={settings["seconds"]:g}'
    return f"{text},random={str(settings['random']).lower()},recover={str(settings['recover']).lower()}"


@lru_cache(maxsize=32)
def _races(text: str, workers: int) -> Races:
    return Races(text, workers)


def worth(raced: Raced, length: float, measure: str) -> float:
    """Return the fitness of one race: more is better."""
    if measure == "distance":
        return raced.feet
    return -raced.seconds if raced.finished else -UNFINISHED - max(length - raced.feet, 0.0) / 1000.0


class Laps:
    """Scores a generation: the mean worth over all tracks and seeds, the same for all of it."""

    def __init__(self, settings: Settings, workers: int, driver: Any):
        self.settings, self.workers, self.driver = settings, workers, driver
        self.lasting = not settings["random"]  # without chance a driver's lap is always the same

    def score(self, genomes: Sequence[Any], generation: int, stream: Stream) -> list[tuple[float, dict[str, float]]]:
        """Return the fitness of each genome, and how many races it finished."""
        measure = self.settings["fitness"]
        seeds = [stream.split(number).below(2**31) for number in range(self.settings["races"])]
        drivers: list[Agent] = [self.driver(genome) for genome in genomes]
        totals = [0.0] * len(genomes)
        finished = [0] * len(genomes)
        places = tracks(self.settings)
        for track in places:
            races = _races(course(self.settings, track, measure), self.workers)
            for k, runs in enumerate(races.race_all(drivers, seeds)):
                totals[k] += math.fsum(worth(raced, races.length, measure) for raced in runs)
                finished[k] += sum(raced.finished for raced in runs)
        count = len(places) * len(seeds)
        return [(total / count, {"finished": done / count}) for total, done in zip(totals, finished, strict=True)]


def measure_laps(settings: Settings, driver: Agent, track: str, games: int, seed: int, workers: int) -> Measure:
    """Return the race clock over fresh races on a track; who does not finish has 1000 s."""
    races = _races(course(settings, track, "time"), workers)
    runs = races.race_all([driver], [mixed(seed, k) for k in range(games)])[0]
    times = [raced.seconds if raced.finished else UNFINISHED for raced in runs]
    return Measure.of_samples("race clock", times, opponent=track, unit="s", direction="less")


def _examine(settings: Settings) -> None:
    for track in (*tracks(settings), *tracks(settings, "held_out")):
        world(course(settings, track, "time"))


def _places(settings: Settings) -> list[str]:
    return [*tracks(settings), *tracks(settings, "held_out")]


def _identity(settings: Settings) -> dict[str, Any]:
    return {track: world(course(settings, track, "time")).fingerprint for track in _places(settings)}


def kind(settings: Settings) -> Trees:
    """Return how pairs of programs breed."""
    limits = Limits(depth=settings["max_depth"])
    return Trees(
        ((STEER_NAME, table()), (SPEED_NAME, table())),
        limits,
        high=min(6, settings["max_depth"]),
        mutations=(("subtree", 0.5), ("point", 0.0), ("constant", 0.5), ("local", 0.0)),
    )


@dataclass(frozen=True)
class Gathered(Reals):
    """Real vectors whose children are drawn around the mean of all parents, with the parents' own covariance.

    After P. Larrañaga and J. A. Lozano, Estimation of Distribution Algorithms (2002): a normal distribution is
    estimated and drawn from. A child is the mean plus a random mixture of the parents' deviations, which has just that
    covariance, made wider by a third, since selection narrows it.
    """

    name: ClassVar[str] = "gathered reals"

    def gather(self, genomes: Sequence[Vector]) -> Callable[[Stream, float], Vector]:
        """Return what draws children around these genomes."""
        count = len(genomes)
        mean = [math.fsum(g[k] for g in genomes) / count for k in range(self.length)]
        scale = WIDER / math.sqrt(max(count - 1, 1))

        def draw(stream: Stream, width: float) -> Vector:
            shares = [scale * width * stream.normal() for _ in genomes]
            moved = [
                m + math.fsum(z * (g[k] - m) for z, g in zip(shares, genomes, strict=True)) for k, m in enumerate(mean)
            ]
            return self.bounded(moved)

        return draw


def numbers(settings: Settings) -> Gathered:
    """Return how vectors of constants breed."""
    low, high = tuple(g[1] for g in GENES), tuple(g[2] for g in GENES)
    return Gathered(len(GENES), low=low, high=high, step=settings["step"])


def tuned_driver(genome: Vector) -> Tuned:
    """Return the driver of a vector."""
    return Tuned(" ".join(f"{x:.17g}" for x in genome))


def export_programs(settings: Settings, genome: Genome) -> str:
    """Return a driver's file: plain Python with `control(view)`, which races at once."""
    from ludwin.games.racing.evolve.export import driver_file

    return driver_file(genome, settings["recover"])


def _facts(settings: Settings, genome: Genome) -> dict[str, Any]:
    from ludwin.program.simplify import simplify
    from ludwin.program.text import lines

    names = (STEER_NAME, SPEED_NAME)
    return {f"{name}, simplified": lines(simplify(tree)) for name, tree in zip(names, genome, strict=True)}


BOOK: dict[str, Value] = {
    "population": 250,
    "generations": 255,
    "breeding": "gp",
    "selection": "tournament",
    "tournament": 3,
    "crossover": 0.5,
    "mutation": 0.1,
    "yardstick_games": 5,
    "finalist_games": 10,
    "champion_games": 100,
    "record_games": 10,
}
QUICK = {
    "population": 60,
    "generations": 15,
    "yardstick_games": 3,
    "finalists": 3,
    "finalist_games": 5,
    "champion_games": 10,
    "record_games": 5,
}
RACING = Experiment(
    name="racing",
    summary="drivers of two programs, wheel and speed, on tracks of your choice",
    kind=kind,
    fitness=lambda settings, workers: Laps(settings, workers, Programmed),
    opponents=_places,
    measure=lambda settings, genome, track, games, seed, workers: measure_laps(
        settings, Programmed(genome), track, games, seed, workers
    ),
    settings=(*OPTIONS, Setting("max_depth", 8, "depth of a program", least=2, most=17)),
    defaults=BOOK,
    presets={"quick": QUICK, "standard": {"generations": 100, "elite": 1, "baseline": True}, "paper": {}},
    champion=lambda settings, genome: {"language": table().name},
    facts=_facts,
    export=export_programs,
    identity=_identity,
    examine=_examine,
)
TUNED = Experiment(
    name="racing-tuned",
    summary="the constants of a hand-written driver, by an evolution strategy",
    kind=numbers,
    fitness=lambda settings, workers: Laps(settings, workers, tuned_driver),
    opponents=_places,
    measure=lambda settings, genome, track, games, seed, workers: measure_laps(
        settings, tuned_driver(genome), track, games, seed, workers
    ),
    settings=(
        *OPTIONS,
        Setting("step", 0.03, "size of a mutation as a share of a gene's range", least=0.0001, most=1.0),
    ),
    defaults={
        **BOOK,
        "breeding": "mu,lambda",
        "population": 30,
        "offspring": 120,
        "generations": 60,
        "elite": 0,
        "recombination": "all",
        "mutation": 0.3,
    },
    presets={
        "quick": {**QUICK, "population": 12, "offspring": 48},
        "standard": {"baseline": True},
        "paper": {"population": 60, "offspring": 240, "generations": 100},
    },
    champion=lambda settings, genome: {"agent": str(tuned_driver(genome))},
    facts=lambda settings, genome: {name: round(x, 4) for (name, *_), x in zip(GENES, genome, strict=True)},
    identity=_identity,
    examine=_examine,
)
EXPERIMENTS = (RACING, TUNED)
