"""Drivers that evolve: chapter 9 of *Evolved to Win*, and the numbers that a person would tune instead.

Why it is here.  `racing` breeds two programs over Table 9.1 as the book does: tournaments of 3, 40 % reproduction, 50 %
crossover, 5 % structural and 5 % constant mutation, depth 8, and one of two measures.  *Distance* is the way covered
in 250 seconds; *time* is the book's comparison of two drivers: who finishes beats who does not, then the clock decides,
or the way.  As numbers: the clock negative, or less than -1000 by what was missing of the way.

`racing-tuned` tunes the constants of one hand-written driver by an evolution strategy, `racing-vector` the gains of one
that follows a line, by CMA-ES: what a person would do instead.  All take several tracks at once, so that held-out
tracks tell whether a road was learnt by heart.
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
from ludwin.games.racing.language import LANGUAGES, SPEED_NAME, STEER_NAME
from ludwin.games.racing.opponents.constants import GENES
from ludwin.games.racing.opponents.drivers import Programmed, Tuned
from ludwin.games.racing.opponents.planner import GAINS, Planner
from ludwin.primitives import stream as mixed
from ludwin.program.stream import Stream
from ludwin.program.vary import Limits
from ludwin.search.choice import Agent

BOOKISH = (("subtree", 0.5), ("point", 0.0), ("constant", 0.5), ("local", 0.0))  # which mutation how often
TURNED = (("subtree", 0.35), ("point", 0.1), ("constant", 0.2), ("local", 0.35))  # a guess, not tuned
GROWN = (
    ("subtree", 0.1), ("insert", 0.15), ("term", 0.25), ("shrink", 0.1), ("point", 0.1), ("constant", 0.05),
    ("local", 0.25))  # fmt: skip
# Programs that grow term by term, on islands: how runs are no longer caught in programs of four nodes
# (docs/results/racing.md has the trials that chose this).
SIGHTED: dict[str, Value] = {
    "language": "sight",
    "factors": True,
    "growth": True,
    "first_depth": 3,
    "fitness": "pace",
    "staged": True,
    "tracks": "peninsula;oval;clockwise;harbour;kidney",
    "islands": 5,
    "migrate_every": 10,
    "elite": 2,
    "tournament": 4,
    "crossover": 0.4,
    "mutation": 0.5,
}
WIDER = 1.33  # a guess, not tuned
UNFINISHED = 1000.0  # seconds at which the book draws who did not finish
NOT_RACED = Raced(False, 0.0, 0.0, 0.0, 0, 0)
NO_PACE = 100.0  # seconds for 1000 feet of who did not finish: slower than a walk
OPTIONS = (
    Setting("tracks", "peninsula", "where fitness is measured: names or paths, with ; between"),
    Setting("held_out", "", "where the champion is measured, too, and nothing else: names or paths, with ; between"),
    Setting(
        "fitness",
        "time",
        "time: the clock after one lap; distance: feet in 250 s; pace: seconds for 1000 feet, so that short tracks "
        "count as much as long ones",
        choices=("time", "distance", "pace"),
    ),
    Setting("staged", False, "whether only those who have finished a track go on to the next one, which saves time"),
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
    text += f",random={str(settings['random']).lower()},recover={str(settings['recover']).lower()}"
    return f"{text},sight=true" if settings.get("language") == "sight" else text


@lru_cache(maxsize=32)
def _races(text: str, workers: int) -> Races:
    return Races(text, workers)


def worth(raced: Raced, length: float, measure: str) -> float:
    """Return the fitness of one race: more is better."""
    if measure == "distance":
        return raced.feet
    missing = max(length - raced.feet, 0.0)
    if measure == "pace":
        return -1000.0 * raced.seconds / length if raced.finished else -NO_PACE * (1.0 + missing / length)
    return -raced.seconds if raced.finished else -UNFINISHED - missing / 1000.0


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
        going = list(range(len(genomes)))
        for stage, track in enumerate(places, 1):
            races = _races(course(self.settings, track, measure), self.workers)
            for k, runs in zip(going, races.race_all([drivers[k] for k in going], seeds), strict=True):
                totals[k] += math.fsum(worth(raced, races.length, measure) for raced in runs)
                finished[k] += sum(raced.finished for raced in runs)
            if self.settings["staged"]:
                stays = [k for k in going if finished[k] < stage * len(seeds)]
                going = [k for k in going if finished[k] == stage * len(seeds)]
                for later in places[stage:]:
                    length = _races(course(self.settings, later, measure), self.workers).length
                    for k in stays:
                        totals[k] += len(seeds) * worth(NOT_RACED, length, measure)
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
    limits = Limits(depth=settings["max_depth"], step=settings["factor_step"])
    words = LANGUAGES[settings["language"]]()
    return Trees(
        ((STEER_NAME, words), (SPEED_NAME, words)),
        limits,
        low=min(2, settings["first_depth"]),
        high=min(settings["first_depth"], settings["max_depth"]),
        mutations=GROWN if settings["growth"] else TURNED if settings["factors"] else BOOKISH,
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


def gains(settings: Settings) -> Reals:
    """Return how vectors of gains vary."""
    return Reals(len(GAINS), low=tuple(g[1] for g in GAINS), high=tuple(g[2] for g in GAINS))


def follower(settings: Settings, genome: Vector) -> Planner:
    """Return the driver who follows a line with these gains."""
    return Planner(gains=" ".join(f"{x:.17g}" for x in genome), line=settings["line"])


def export_programs(settings: Settings, genome: Genome) -> str:
    """Return a driver's file: plain Python with `control(view)`, which races at once."""
    from ludwin.games.racing.evolve.export import driver_file

    return driver_file(genome, settings["recover"])


def export_cpp(settings: Settings, genome: Genome, name: str, where: str) -> str:
    """Return a driver for the original simulator; one that reads the line has that of one track in it."""
    from ludwin.games.racing.evolve.cpp import driver_cpp

    try:
        return driver_cpp(genome, name, where or tracks(settings)[0])
    except ValueError as error:
        raise BadParameter(f"--on: {error}") from None


def _facts(settings: Settings, genome: Genome) -> dict[str, Any]:
    from ludwin.games.racing.evolve.export import formula

    return {"formula": formula(genome)}


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
    settings=(
        *OPTIONS,
        Setting(
            "language",
            "book",
            "what programs are made of; book: Table 9.1; sight: that and the line that can be seen",
            choices=tuple(LANGUAGES),
        ),
        Setting("factors", False, "whether mutation also turns the factor of a node, so that numbers are tuned"),
        Setting(
            "growth",
            False,
            "whether mutation also adds terms, puts functions above nodes and cuts, so that programs grow slowly",
        ),
        Setting("factor_step", 0.1, "deviation of the change of a factor or a constant", least=0.001, most=10.0),
        Setting("max_depth", 8, "depth of a program", least=2, most=17),
        Setting("first_depth", 6, "depth of the deepest programs that a run begins with", least=1, most=17),
    ),
    defaults=BOOK,
    presets={
        "quick": {**SIGHTED, **QUICK, "tracks": "peninsula", "islands": 1},
        "standard": {**SIGHTED, "generations": 80, "baseline": True},
        "paper": {},
    },
    champion=lambda settings, genome: {"language": LANGUAGES[settings["language"]]().name},
    facts=_facts,
    export=export_programs,
    exports={"cpp": export_cpp},
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
VECTOR = Experiment(
    name="racing-vector",
    summary="the gains of a driver who follows a line, by CMA-ES",
    kind=gains,
    fitness=lambda settings, workers: Laps(settings, workers, lambda genome: follower(settings, genome)),
    opponents=_places,
    measure=lambda settings, genome, track, games, seed, workers: measure_laps(
        settings, follower(settings, genome), track, games, seed, workers
    ),
    settings=(
        *OPTIONS,
        Setting(
            "line",
            "seen",
            "which line is followed; seen: that of this segment and the next three; whole: that of the whole lap",
            choices=("seen", "whole"),
        ),
    ),
    defaults={**BOOK, "breeding": "cma", "population": 40, "generations": 100, "elite": 0, "fitness": "pace"},
    presets={
        "quick": {**QUICK, "population": 12},
        "standard": {"baseline": True},
        "paper": {"population": 100, "generations": 200},
    },
    champion=lambda settings, genome: {"agent": str(follower(settings, genome))},
    facts=lambda settings, genome: {name: round(x, 4) for (name, *_), x in zip(GAINS, genome, strict=True)},
    identity=_identity,
    examine=_examine,
)
EXPERIMENTS = (RACING, TUNED, VECTOR)
