"""Weighted sums of words that order the moves of iterative deepening, or cut it short: CMA-ES finds what words weigh.

Which words there are stays as it is, so this tunes numbers; policies that begin with such a sum and change its words
are bred by `policies.py`.  Sums are searched on charts (`chart.py`), where a search takes a sixtieth of the time, so
every sum solves all boards of the training; its champion is measured by the search itself.

Boards.  Four kinds, which count alike: hard ones (all of the groups that no table measures), the same on their way,
random ones, and hard ones that were bred for this, since those of the groups are few and alike.  Of each kind a part is
kept for the test.  Half of what a sum is worth are ratios of nodes, half is the ratio of totals; a search that takes
more than `patience` times the blind nodes ends there.  One step more or less changes which branch a search dives into,
so that the worth of a sum jumps about; the mean over several increments jumps less.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value
from ludwin.evolve.minds import written
from ludwin.evolve.population import Score
from ludwin.evolve.vectors import Reals, Vector
from ludwin.games.parking.evolve.chart import Chart, Walked, WordSum
from ludwin.games.parking.evolve.policies import car_park, split
from ludwin.games.parking.evolve.shipped import BRED, DRAWN, listed
from ludwin.games.parking.evolve.tuned import GUESSED, tuned_sum
from ludwin.games.parking.language import MORE_VALUES, RECALLED_VALUES, RELAXED_VALUES, VALUES
from ludwin.program.stream import Stream
from ludwin.search.brain import Weights
from ludwin.search.policies import PolicyBrain
from ludwin.search.puzzles.deepen import IDAStar, IterativeDeepening
from ludwin.search.puzzles.probes import Probing
from ludwin.search.puzzles.solver import Solver
from ludwin.workers import Threads

WORDS = {**VALUES, **MORE_VALUES, **RELAXED_VALUES}  # word -> query
AGAIN = "ComesAgain"
FRESH, STALE = "NewPair", "NothingNew"  # what orders heed: each new pair of vehicles and places on the way, or none
NOISE = "Noise"  # of probes, how far it moves a sum at most
OF_THE_WAY = {AGAIN: "again", FRESH: "fresh", STALE: "stale", NOISE: "noise"}  # word -> weight of a chart's sum
USUAL = {
    "Moves": 0.3,
    "FreeStretches": 0.3,
    "RoundsOfAll": 0.2,
    AGAIN: 4.0,
    FRESH: 0.3,
    STALE: 4.0,
    NOISE: 4.0,
}  # else 1
FIRST = {  # of both modes: what Ha and Hb say, halved
    "order": {"Layers": 2.0, "InTheWay": 1.0, "CellsGone": -1.0, "Moves": -0.5},
    "ida": {"Layers": 2.5, "H1": 2.0, "CellsGone": -1.0},
}
FARTHEST = 1000.0  # of a weight from 0
APART = 0.3  # how far the first sums stand from the one by hand, in usual weights
KINDS = ("hard", "on their way", "random", "bred")
EVERY = 4  # of random and bred boards one in so many is kept
OPTIONS = (
    Setting("mode", "order", "what sums do; order: order moves; ida: cut, too", choices=("order", "ida")),
    Setting("increment", 80, "by how much the bound is raised", least=1, most=400),
    Setting("other", 120, "another increment, on which sums are tried, too (0: none)", most=400),
    Setting("recalls", True, "whether a sum weighs that a move comes again to where one on the way has come"),
    Setting("novel", False, "whether a sum that orders weighs what pairs of vehicles and places are new on the way"),
    Setting(
        "probes",
        0,
        "short walks before each round of a search that orders, all but the first shaken by noise",
        least=0,
        most=1000,
    ),
    Setting("probe_nodes", 100, "nodes of a probe", least=1),
    Setting("first", "hand", "what tuning begins with: a sum by hand, or one tuned before", choices=("hand", "tuned")),
    Setting("patience", 3.0, "nodes of a search, in parts of the blind one's", least=1, most=100),
    Setting("nodes", 1_500_000, "nodes of the blind search, and of the champion's", least=1000),
    Setting("boards", 0, "boards of each kind (0: all)", least=0),
)


@dataclass(frozen=True)
class WeighedWords(Reals):
    """Weights of words, in their order.

    >>> kind = WeighedWords(2, low=-9.0, high=9.0, words=("H1", "Moves"), first=(2.0, -0.5))
    >>> kind.text(kind.begin(1, Stream(1))[0])
    '2 H1 - 0.5 Moves'
    """

    words: tuple[str, ...] = ()
    first: Vector = ()

    name: ClassVar[str] = "weighed words"

    def spans(self, share: float) -> list[float]:
        """Return a share of each usual weight."""
        return [share * USUAL.get(word, 1.0) for word in self.words]

    def begin(self, n: int, stream: Stream) -> list[Vector]:
        """Return the sum by hand, and others around it."""
        return [self.first, *(self.make(stream.split(k)) for k in range(1, n))][:n]

    def make(self, stream: Stream) -> Vector:
        """Return a random sum near the one by hand."""
        around = zip(self.first, self.spans(APART), strict=True)
        return self.bounded([weight + width * stream.normal() for weight, width in around])

    def text(self, g: Vector) -> str:
        """Return the sum."""
        terms = [
            f"{'-' if weight < 0 else '+'} {abs(weight):.4g} {word}" for weight, word in zip(g, self.words, strict=True)
        ]
        return " ".join(terms).removeprefix("+ ")


def words_of(settings: Settings) -> tuple[str, ...]:
    """Return the words of a sum; what the way says is behind what states say, as on charts."""
    heeds = settings["novel"] and settings["mode"] == "order"
    shakes = settings["probes"] > 1 and settings["mode"] == "order"
    return (
        *WORDS,
        *((AGAIN,) if settings["recalls"] else ()),
        *((FRESH, STALE) if heeds else ()),
        *((NOISE,) if shakes else ()),
    )


def kind(settings: Settings) -> WeighedWords:
    """Return how sums vary."""
    words = words_of(settings)
    first = FIRST[settings["mode"]]
    if settings["first"] == "tuned":
        first = dict(GUESSED if FRESH in words else tuned_sum(settings["mode"], settings["recalls"]))
    return WeighedWords(
        len(words), low=-FARTHEST, high=FARTHEST, words=words, first=tuple(first.get(word, 0.0) for word in words)
    )


def brain(words: Sequence[str], weights: Sequence[float]) -> PolicyBrain:
    """Return a sum as a brain: a policy without rules. What searches weigh themselves is left out."""
    queries = {**WORDS, **RECALLED_VALUES}
    weighed = [(word, weight) for word, weight in zip(words, weights, strict=True) if word in queries]
    return PolicyBrain((), (Weights(tuple((queries[word], 0, float(weight)) for word, weight in weighed)),))


def solver(settings: Settings, weights: Vector, increment: int = 0) -> Solver:
    """Return the search that asks a sum."""
    words, step = words_of(settings), float(increment or settings["increment"])
    if settings["mode"] != "order":
        made: IterativeDeepening | IDAStar = IDAStar(nodes=settings["nodes"], increment=step, order="estimate")
    else:
        made = IterativeDeepening(nodes=settings["nodes"], increment=step, order="estimate")
        said = dict(zip(words, weights, strict=True))
        if FRESH in words:
            made = replace(made, novel="stands", fresh=said[FRESH], stale=said[STALE])
        if settings["probes"]:
            probing = Probing(settings["probes"], settings["probe_nodes"], abs(said.get(NOISE, 0.0)))
            made = replace(made, **probing._asdict())
    return made.with_brain(brain(words, weights))


def on_chart(words: Sequence[str], weights: Sequence[float]) -> WordSum:
    """Return a sum as charts weigh it: words of states, and what the way says apart from them."""
    said = dict(zip(words, weights, strict=True))
    if NOISE in said:
        said[NOISE] = abs(said[NOISE])
    return WordSum(
        [said[word] for word in WORDS], **{OF_THE_WAY[word]: said[word] for word in OF_THE_WAY if word in said}
    )


@lru_cache(maxsize=4)
def boards_of(count: int) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the positions of each kind, up to so many: those to train on, and those that are kept."""
    hard, eased = split(6, 0), split(6, 0, True)
    found = {"hard": hard, "on their way": tuple(every[len(some) :] for every, some in zip(eased, hard, strict=True))}
    for name, path in (("random", DRAWN), ("bred", BRED)):
        boards = [board for board, _ in listed(path)]
        kept = tuple(boards[EVERY - 1 :: EVERY])
        found[name] = (tuple(board for board in boards if board not in set(kept)), kept)
    return {name: (some[: count or None], kept[: count or None]) for name, (some, kept) in found.items()}


@lru_cache(maxsize=32)
def blind(texts: tuple[str, ...], increment: int, nodes: int) -> tuple[int, ...]:
    """Return the nodes that iterative deepening needs without a heuristic."""
    search = IterativeDeepening(nodes=nodes, increment=float(increment)).solving(car_park(6))
    return tuple(search.solve(car_park(6).position(text)).nodes for text in texts)


@lru_cache(maxsize=4)
def charts(texts: tuple[str, ...]) -> tuple[Chart, ...]:
    """Return the charts of positions."""
    return tuple(Chart.of(car_park(6).position(text), tuple(WORDS.values())) for text in texts)


def increments(settings: Settings) -> tuple[int, ...]:
    """Return the increments that sums are tried with."""
    return (settings["increment"], *((settings["other"],) if settings["other"] else ()))


@dataclass(frozen=True)
class OnCharts:
    """Fitness: the share of nodes that a sum saves; the same sum is always worth the same."""

    settings: Settings
    workers: int = 1

    lasting: ClassVar[bool] = True

    @cached_property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """The positions of each kind."""
        return tuple(boards_of(self.settings["boards"])[name][0] for name in KINDS)

    def score(self, genomes: Sequence[Vector], generation: int, stream: Stream) -> list[Score]:
        """Return the mean over kinds of boards, increments, ratios and totals."""
        found: list[dict[str, float]] = [{} for _ in genomes]
        for name, texts in zip(KINDS, self.texts, strict=True):
            for increment in increments(self.settings):
                base = blind(texts, increment, self.settings["nodes"])
                for facts, nodes in zip(found, self.walked(genomes, texts, base, increment), strict=True):
                    shares = [one / other for one, other in zip(nodes, base, strict=True)]
                    facts[f"{name}, {increment}, ratios"] = sum(shares) / len(shares)
                    facts[f"{name}, {increment}, totals"] = sum(nodes) / sum(base)
        return [(1.0 - sum(facts.values()) / len(facts), facts) for facts in found]

    def walked(
        self, genomes: Sequence[Vector], texts: tuple[str, ...], base: tuple[int, ...], increment: int
    ) -> list[list[int]]:
        """Return the nodes of each sum on each board; who finds nothing has needed what it was given."""
        cuts = self.settings["mode"] == "ida"
        probing = Probing(0 if cuts else self.settings["probes"], self.settings["probe_nodes"])
        sums = [on_chart(words_of(self.settings), g) for g in genomes]

        def try_all(_: object, job: tuple[Chart, int]) -> list[Walked]:
            chart, nodes = job
            return [chart.search(one, increment, nodes, cuts, probing) for one in sums]

        jobs = [
            (chart, max(2, int(self.settings["patience"] * nodes)))
            for chart, nodes in zip(charts(texts), base, strict=True)
        ]
        crew: Threads[tuple[Chart, int], list[Walked]] = Threads(try_all, self.workers)
        rows = list(crew.map(jobs)) if self.workers > 1 else [try_all(None, job) for job in jobs]
        return [[row[k].nodes for row in rows] for k in range(len(genomes))]


def measure(settings: Settings, genome: Vector, on: str, games: int, seed: int, workers: int) -> Measure:
    """Return the mean share of the blind nodes on the boards that are kept, by the search itself."""
    shares: list[float] = []
    for name in KINDS:
        texts = boards_of(settings["boards"])[name][1]
        places = solver(settings, genome).solving(car_park(6))
        found = [places.solve(car_park(6).position(text)) for text in texts]
        base = blind(texts, settings["increment"], settings["nodes"])
        lost = 2 * settings["nodes"]
        shares += [(one.nodes if one.solved else lost) / nodes for one, nodes in zip(found, base, strict=True)]
    return Measure.of_samples("share of nodes", shares, opponent=on, direction="less")


def told(settings: Settings, genome: Vector) -> dict[str, Any]:
    """Return what each word weighs, and the shares of nodes that the training saw."""
    facts = dict(OnCharts(settings).score([genome], 0, Stream(0))[0][1])
    weights = {word: round(weight, 4) for word, weight in zip(words_of(settings), genome, strict=True)}
    return {"weights": weights, "shares in training": {name: round(share, 4) for name, share in facts.items()}}


WALKS: dict[str, Value] = {"novel": True, "probes": 20}
BREEDING: dict[str, Value] = {
    "breeding": "cma",
    "population": 24,
    "generations": 60,
    "step_size": 0.3,
    "yardstick_every": 20,
    "yardstick_games": 2,
    "finalists": 1,
    "last": 1,
    "finalist_games": 2,
    "champion_games": 2,
    "record_games": 2,
}
SUMS = Experiment(
    name="parking-sums",
    summary="weights of a sum of words that guides iterative deepening through the parking puzzle",
    kind=kind,
    fitness=OnCharts,
    opponents=lambda settings: ("boards of the test",),
    measure=measure,
    settings=OPTIONS,
    defaults=BREEDING,
    presets={
        "quick": {**WALKS, "boards": 12, "generations": 10, "population": 12, "other": 0, "yardstick_every": 10},
        "standard": {**WALKS},
        "paper": {**WALKS, "population": 48, "generations": 150},
    },
    champion=lambda settings, genome: {
        "game": car_park(6).text,
        "player": written(solver(settings, genome)),  # type: ignore[arg-type]
    },
    facts=told,
    identity=lambda settings: {"game": car_park(6).fingerprint},
)
