"""Which way of learning makes the best backgammon player of as many games: `ludwin study backgammon-learners`.

The question.  Evolution spends games on telling players apart, temporal differences learn from every play.  Each way
gets the same number of games, all that it plays counted, also those by which it chooses among what it has made; the
player that it hands over then meets Pubeval in fresh games, the same for all.

The ways are a register: an entry of `WAYS` is a name, what it is, and a function of (games, seed, workers) that
returns a player; more can be added.  All players look one ply ahead and read the book's terminals.

Results are kept as they are found, one file for each player in the folder of the run, so that a run that was stopped
goes on with the next one.

References.  Y. Azaria and M. Sipper (2005) for the trees; G. Tesauro (1995) for temporal differences; N. Hansen
and A. Ostermeier, "Completely derandomized self-adaptation in evolution strategies", Evolutionary Computation 9 (2001).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from ludwin.arena.stats import Estimate
from ludwin.evolve.engine import evolve
from ludwin.evolve.experiment import plan, settle
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Generation, Score
from ludwin.evolve.trees import Genome
from ludwin.evolve.vectors import Reals, Vector
from ludwin.formats import Format, List, Number, Table, Text, Whole, read_json, write_json
from ludwin.games.backgammon.evolve.matches import Matches, PairedGames
from ludwin.games.backgammon.evolve.two_trees import TWO_TREES, fitness, kind, player, seeds_of
from ludwin.games.backgammon.language import CONTACT, GENERAL, LOCATIONS, PLACED, RACE
from ludwin.games.backgammon.opponents.network import ROW, WIDE, Network, NetworkBrain
from ludwin.games.backgammon.opponents.oneply import Pubeval
from ludwin.games.backgammon.opponents.td import Learner
from ludwin.lab.experiment import LabTable, Row, TableRun, file_name
from ludwin.measure import Measure
from ludwin.program.stream import Stream
from ludwin.program.text import read
from ludwin.search.afterstate import AfterState
from ludwin.stats import mean_of

G = TypeVar("G")

RATES = (0.03, 0.001)  # learning rates of temporal differences, first and last
LESSONS = {"quick": 10_000, "standard": 50_000, "paper": 1_000_000}  # games of learning
FRESH = 90_103  # what the seeds of the fresh games are for
LAST = 8  # generations whose best are compared at the end
RACE_INPUTS = 54  # of the network: own men, the enemy's, and both pip counts
CONTACT_INPUTS = 135

FOUND = Format(
    "ludwin-learner",
    1,
    Table({"way": Text(), "seed": Whole(), "lessons": Whole(1), "games": Whole(2), "payoffs": List(Number(-3, 3))}),
    "player of a way of learning",
)


# ---- Temporal differences -------------------------------------------------------------------------------------------


def by_differences(hidden: int) -> Callable[[int, int, int], AfterState]:
    """Return the way of temporal differences with so many gated sums beside the plain one."""

    def learn(games: int, seed: int, workers: int) -> AfterState:
        return AfterState(brain=NetworkBrain(_taught(hidden, games, seed)))

    return learn


def _taught(hidden: int, games: int, seed: int) -> Network:
    learner = Learner.begin(hidden, seed)
    for _ in learner.train(games, RATES):
        pass
    return learner.network


# ---- An evolution strategy ------------------------------------------------------------------------------------------


def sums(vector: Sequence[float]) -> Network:
    """Return the player of two weighted sums, one for contact and one for races."""
    skip = [0.0] * (2 * WIDE)
    skip[:CONTACT_INPUTS] = vector[:CONTACT_INPUTS]
    skip[WIDE : WIDE + RACE_INPUTS] = vector[CONTACT_INPUTS:]
    nothing = (0.0,) * (2 * ROW)
    return Network(0, (), nothing, nothing, tuple(skip))


@dataclass(frozen=True)
class WinsOfSums:
    """Scores vectors of weights by the share of games that they win against Pubeval, all on the same dice."""

    matches: Matches
    games: int
    relative = False

    def score(self, genomes: Sequence[Vector], generation: int, stream: Stream) -> list[Score]:
        """Return the share of games won."""
        seeds = [stream.split(k).seed() for k in range(self.games // 2)]
        players = [AfterState(brain=NetworkBrain(sums(genome))) for genome in genomes]
        return [(one.score, {"games": one.games}) for one in self.matches.against(players, Pubeval(), seeds)]


def by_strategy(games: int, seed: int, workers: int) -> AfterState:
    """Return the best sums of CMA-ES, 24 children a generation.

    Of 40,000 games (seed 1, 2,000 fresh games) it made players of 0.21, with 60 children and 20 games each of 0.19;
    (10, 40) with fixed steps 0.06, (20, 100) with 20 games each 0.14.
    """
    children, each = 24, 50
    matches = Matches(workers)
    rounds = max((games - games // 10) // (children * each), 1)
    breeding = Plan(population=children, generations=rounds - 1, breeding="cma", step_size=0.15)
    genes = Reals(CONTACT_INPUTS + RACE_INPUTS, low=-1.0, high=1.0)
    history = evolve(genes, WinsOfSums(matches, each), breeding, seed)
    made = [AfterState(brain=NetworkBrain(sums(genome))) for genome in _last_best(history)]
    return _best_of(made, games // 10, seed, matches)


# ---- Programs -------------------------------------------------------------------------------------------------------


def by_programs(judge: str, seeded: bool) -> Callable[[int, int, int], AfterState]:
    """Return the way of genetic programming; `seeded` spends half of the games on sums that it begins with."""

    def learn(games: int, seed: int, workers: int) -> AfterState:
        first = (as_programs(_taught(0, games // 2, seed)),) if seeded else ()
        left = games - games // 2 if seeded else games
        return _bred(judge, left, seed, workers, first)

    return learn


def _bred(judge: str, games: int, seed: int, workers: int, first: tuple[Genome, ...]) -> AfterState:
    people, each = 64, 20
    rounds = max((games - games // 10) // (people * each), 1)
    settings = settle(
        TWO_TREES,
        "quick",
        {
            **{"population": people, "games": each, "generations": max(rounds - 1, 1), "fitness": judge},
            **{"max_depth": 12, "max_size": 900},
        },
    )
    trees = kind(settings)
    if first:  # an eighth of the population, half of them shaken: numbers vary as well as programs
        weights = (("subtree", 0.5), ("point", 0.0), ("constant", 0.0), ("local", 0.0), ("shake", 0.5))
        trees = replace(trees, seeds=first * (people // 8), mutations=weights)
    history = evolve(trees, fitness(settings, workers), plan(settings), seed)
    made = [player(genome) for genome in _last_best(history)]
    return _best_of(made, games // 10, seed, Matches(workers))


def as_programs(network: Network) -> Genome:
    """Return weighted sums as the two trees of the book's languages.

    In a race a play changes nothing but the player's own men, and pips are a sum of these, so the race tree, which has
    no other terminals, likes the same plays best.
    """
    words = [*(f"{word}[{place}]" for word in PLACED for place in range(LOCATIONS)), *GENERAL]
    contact = [f"Mul({float(weight)!r}, {word})" for word, weight in zip(words, network.skip, strict=False) if weight]
    race = []
    for place in range(LOCATIONS):
        weight = 0.5 * network.skip[WIDE + place] + (25 - place) / 30.0 * network.skip[WIDE + 52]
        race.append(f"Mul({weight!r}, Player_Position[{place}])")
    constant = repr(float(network.top[ROW - 1]))
    return read(CONTACT, _added([constant, *contact])), read(RACE, _added(race))


def _added(terms: Sequence[str]) -> str:
    """Return the sum of terms as a program, balanced so that it is not deep."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return f"Add({_added(terms[:half])}, {_added(terms[half:])})"


# ---- Who is handed over ---------------------------------------------------------------------------------------------


def _last_best(history: Iterator[Generation[G]]) -> list[G]:
    """Return the best of each of the last generations, each once, the latest first."""
    best: list[G] = []
    for generation in history:
        best.append(generation.best.genome)
        del best[:-LAST]
    return list(dict.fromkeys(reversed(best)))


def _best_of(players: Sequence[AfterState], games: int, seed: int, matches: Matches) -> AfterState:
    """Return the one that wins most of its share of so many games; the first of equals."""
    each = max(games // len(players) // 2, 1)
    chance = Stream(seed, FRESH)
    found = matches.against(list(players), Pubeval(), [chance.split(k).seed() for k in range(each)])
    return players[max(range(len(players)), key=lambda k: (found[k].score, -k))]


# ---- The register and the table -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """A way of learning: what it is, and what makes a player of so many games, a seed and some threads."""

    about: str
    learn: Callable[[int, int, int], AfterState]


WAYS: dict[str, Way] = {
    "GP": Way("two trees, share of points against Pubeval in 20 games", by_programs("pubeval", seeded=False)),
    "GP, knockout": Way("two trees, a knockout of the population", by_programs("knockout", seeded=False)),
    "GP seeded by TD sums": Way(
        "half of the games teach the sums, the others breed from them", by_programs("pubeval", seeded=True)
    ),
    "TD sums": Way("a weighted sum for contact and one for races", by_differences(0)),
    "TD gated sums": Way("three Ifs over four sums", by_differences(3)),
    "TD net": Way("twenty units beside the sum", by_differences(20)),
    "evolution strategy": Way("weights of the two sums by CMA-ES, 50 games against Pubeval", by_strategy),
}


def tested(run: TableRun, name: str, way: Way, number: int) -> PairedGames:
    """Return the fresh games of a player, from the run's folder if they are there."""
    seed, lessons = 1000 * run.seed + number, LESSONS[run.preset]
    about = {"way": name, "seed": seed, "lessons": lessons, "games": run.games}
    path = run.folder / f"{file_name(name)}-{number}.json" if run.folder else None
    kept = _kept(path, about)
    if kept is not None:
        return kept
    run.demand_mine()
    run.news(f"{name}, run {number + 1} of {run.runs}: {lessons:,} games of learning")
    made = way.learn(lessons, seed, run.workers)
    fresh = seeds_of(Stream(run.seed, FRESH, number).seed(), run.games)
    found = Matches(run.workers).against([made], Pubeval(), fresh)[0]
    if path is not None:
        write_json(path, FOUND, {**about, "payoffs": [int(x) for x in found.payoffs]})
    return found


def _kept(path: Path | None, about: dict[str, Any]) -> PairedGames | None:
    """Return the games of a player that was tested before, None if there is none of these settings. Raises BadFile."""
    if path is None or not path.is_file():
        return None
    data = read_json(path, FOUND)
    same = all(data[key] == value for key, value in about.items()) and len(data["payoffs"]) == about["games"]
    return PairedGames(tuple(map(float, data["payoffs"]))) if same else None


def fill(run: TableRun) -> None:
    """Let every way learn, `run.runs` times with seeds of its own, and test what it has learnt."""
    for name, way in WAYS.items():
        with run.cell():
            found = [tested(run, name, way, number) for number in range(run.runs)]
            for row in rows_of(name, way, found):
                run.add(row)


def rows_of(name: str, way: Way, found: Sequence[PairedGames]) -> Iterator[Row]:
    """Yield the win rate and the points a game; the interval is that of runs, of one run that of its games."""
    games = sum(one.games for one in found)
    for metric, values, alone in (
        ("win rate", [one.score for one in found], found[0].measure("pubeval")),
        ("points a game", [one.points for one in found], found[0].measure_points("pubeval")),
    ):
        ours = mean_of(values) if len(found) > 1 else _ends(alone)
        runs = f"; runs: {', '.join(f'{value:.3f}' for value in values)}" if len(found) > 1 else ""
        yield Row(name, metric, None, ours.value, ours.low, ours.high, "measured", None, games, f"{way.about}{runs}")


def _ends(measure: Measure) -> Estimate:
    return Estimate(measure.value, measure.low, measure.high)


BACKGAMMON_LEARNERS = LabTable(
    "backgammon-learners",
    "which way of learning makes the best player of as many games: programs, temporal differences, strategies",
    {"quick": (1000, 1), "standard": (4000, 3), "paper": (10_000, 5)},
    fill,
    parted=True,
)
