"""GP-Gammon: two trees, one for contact and one for races, bred as the book did.

Why it is here.  Chapter 7 of *Evolved to Win*: 128 individuals, 500 generations, and two ways to tell who is good.
`fitness=pubeval` plays 100 games against Pubeval and counts the share of points; `fitness=knockout` is a tournament of
the population itself, matches of 50 games, in which losers of the first round get 1/n and the champion 1.  With
`islands` above 1 many such populations exchange members by the book's schedule (`islands.py`).

What the book leaves open: operators are drawn 35 % copy, 50 % crossover, 15 % mutation as in its sibling papers,
tournaments have four members, programs a depth of 10, and the best one is kept.

References.  Y. Azaria and M. Sipper, "GP-Gammon: genetically programming backgammon players", Genetic Programming and
Evolvable Machines 6 (2005), 283-300; M. Sipper, *Evolved to Win* (2011), chapter 7.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ludwin.errors import BadParameter
from ludwin.evolve.coevolve import Pair, Points, demand_power_of_two, single_elimination
from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value, plan
from ludwin.evolve.minds import written
from ludwin.evolve.population import Generation, Score
from ludwin.evolve.selection import comparison
from ludwin.evolve.store import EVOLUTION
from ludwin.evolve.trees import Genome, Trees
from ludwin.games.backgammon.evolve.islands import TakingTurns, by_turns
from ludwin.games.backgammon.evolve.matches import Matches, PairedGames
from ludwin.games.backgammon.language import CHOOSER, CONTACT, RACE, ROLES, in_play
from ludwin.games.backgammon.opponents.oneply import Pubeval
from ludwin.library import agent
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree
from ludwin.program.vary import Limits
from ludwin.search.afterstate import AfterState
from ludwin.search.choice import Agent
from ludwin.search.programs import Programs

EXTERNAL, KNOCKOUT = "pubeval", "knockout"
YARDSTICK, POINTS = "pubeval", "pubeval, points a game"
RECORD = (POINTS, "hit-and-run", "td")
SEED, LOTS = range(2)  # purposes of streams


def two_trees(genome: Sequence[Tree]) -> Programs:
    """Return the brain of a contact and a race tree: contact on the board that is judged decides which one speaks."""
    return Programs(tuple(in_play(tree) for tree in genome), chooser=CHOOSER)


@lru_cache(maxsize=8192)
def player(genome: Genome) -> AfterState:
    """Return the player of two trees: it takes the play whose position its tree likes best."""
    return AfterState(brain=two_trees(genome))


class AgainstPubeval:
    """Scores by games against Pubeval: the share of points, as the book does. All meet the same dice."""

    relative = False

    def __init__(self, settings: Settings, workers: int):
        self.matches, self.games = Matches(workers), settings["games"]

    def score(self, genomes: Sequence[Any], generation: int, stream: Stream) -> list[Score]:
        """Return what each is worth, by games on the same dice."""
        seeds = [stream.split(SEED, k).seed() for k in range(max(self.games // 2, 1))]
        found = self.matches.against([self.player(genome) for genome in genomes], Pubeval(), seeds)
        return [self.worth(one) for one in found]

    def player(self, genome: Any) -> AfterState:
        """Return who plays for a genome."""
        return player(genome)

    def worth(self, played: PairedGames) -> Score:
        """Return the share of points, and how many games were won."""
        return played.share, {"wins": played.score * played.games, "games": played.games}


class KnockedOut:
    """Scores by a single-elimination tournament of the generation."""

    relative = True

    def __init__(self, settings: Settings, workers: int):
        self.matches, self.games = Matches(workers), settings["games"]

    def score(self, genomes: Sequence[Genome], generation: int, stream: Stream) -> list[Score]:
        """Return how far each came: 1 for the champion, 1/n for the losers of the first round."""

        def play(pairs: Sequence[Pair], chance: Stream) -> Points:
            seeds = [chance.split(SEED, k // 2).seed() for k in range(len(pairs))]  # two games on the same dice
            games = [(player(genomes[i]), player(genomes[j])) for i, j in pairs]
            return [(x, -x) for x in self.matches.pairs(games, seeds)]

        bracket = single_elimination(len(genomes), self.games, play, stream.split(LOTS))
        return [(worth, {}) for worth in bracket.fitness]


def fitness(settings: Settings, workers: int) -> AgainstPubeval | KnockedOut:
    """Return how individuals are told apart."""
    return AgainstPubeval(settings, workers) if settings["fitness"] == EXTERNAL else KnockedOut(settings, workers)


def kind(settings: Settings) -> Trees:
    """Return two trees, which cross and mutate role by role."""
    limits = Limits(depth=settings["max_depth"], size=settings["max_size"])
    return Trees(tuple(zip(ROLES, (CONTACT, RACE), strict=True)), limits, high=min(6, settings["max_depth"]))


def seeds_of(seed: int, games: int) -> list[int]:
    """Return the seeds of so many games, each of which is played from both seats."""
    chance = Stream(seed)
    return [chance.split(k).seed() for k in range(max((games + 1) // 2, 1))]


@lru_cache(maxsize=4)
def _played(one: Agent, opponent: str, games: int, seed: int, workers: int) -> PairedGames:
    """Play, once for wins and points."""
    return Matches(workers).against([one], agent(opponent), seeds_of(seed, games))[0]


def measure_player(one: Agent, opponent: str, games: int, seed: int, workers: int) -> Measure:
    """Return the win rate, or the points a game, over fresh games."""
    found = _played(one, YARDSTICK if opponent == POINTS else opponent, games, seed, workers)
    return found.measure_points(opponent) if opponent == POINTS else found.measure(opponent)


def history(
    settings: Settings, branch: str, seed: int, workers: int, start: Generation[Any] | None
) -> Iterator[Generation[Any]] | None:
    """Yield the generations of islands that take turns; None where there is one population."""
    if branch != EVOLUTION or settings["islands"] == 1:
        return None
    judge, breeding = fitness(settings, workers), plan(settings)
    more = {"first_migration": settings["first_migration"], "neighbours": settings["neighbours"]}
    run = TakingTurns(kind(settings), judge, breeding, seed, comparison(judge, breeding), **more)
    return by_turns(run, judge, start)


def examine(settings: Settings) -> None:
    """Raise BadParameter for what would fail in the middle of a run."""
    if settings["games"] % 2:
        raise BadParameter(f"games must be even, so that each side begins as often, got {settings['games']}")
    if settings["fitness"] == KNOCKOUT:
        demand_power_of_two(settings["population"] // settings["islands"])


OPTIONS = (
    Setting(
        "fitness",
        KNOCKOUT,
        "pubeval: the share of points against Pubeval; knockout: how far one comes in a tournament of its own island",
        choices=(EXTERNAL, KNOCKOUT),
    ),
    Setting("games", 50, "games against Pubeval, or of a match of the tournament", least=2, most=10_000),
    Setting("max_depth", 10, "depth of a program", least=2, most=17),
    Setting("max_size", 400, "nodes of a program", least=10, most=900),
    Setting("neighbours", 3, "islands that an island sends to", least=1, most=100),
    Setting("first_migration", 10, "generation from which islands send, each every migrate_every generations", least=1),
)
BOOK: dict[str, Value] = {
    "population": 128,
    "generations": 500,
    "breeding": "gp",
    "tournament": 4,
    "elite": 1,
    "crossover": 0.5,
    "mutation": 0.15,
    "migrate_every": 10,
    "migrants": 4,
    "yardstick_every": 5,
    "yardstick_games": 1000,
    "finalists": 8,
    "last": 4,
    "finalist_games": 2000,
    "champion_games": 10_000,
    "record_games": 2000,
}
QUICK: dict[str, Value] = {
    "population": 32,
    "generations": 10,
    "games": 20,
    "yardstick_games": 200,
    "finalists": 3,
    "last": 2,
    "finalist_games": 400,
    "champion_games": 2000,
    "record_games": 400,
}
STANDARD: dict[str, Value] = {"generations": 60}


def champion(settings: Settings, genome: Genome) -> dict[str, Any]:
    """Return what a champion's file needs to play anywhere."""
    return {"game": "backgammon", "player": written(player(genome))}


def facts(settings: Settings, genome: Genome) -> dict[str, Any]:
    """Return the terminals and locations that a program uses."""
    from ludwin.games.backgammon.evolve.uses import uses

    return uses(genome)


def experiment(name: str, summary: str, defaults: dict[str, Value], presets: dict[str, dict[str, Value]]) -> Experiment:
    """Return an experiment of two trees."""
    return Experiment(
        name=name,
        summary=summary,
        kind=kind,
        fitness=fitness,
        opponents=lambda settings: (YARDSTICK, *RECORD),
        measure=lambda settings, genome, opponent, games, seed, workers: measure_player(
            player(genome), opponent, games, seed, workers
        ),
        settings=OPTIONS,
        defaults=defaults,
        presets=presets,
        champion=champion,
        facts=facts,
        identity=lambda settings: {},
        examine=examine,
        history=history,
    )


TWO_TREES = experiment(
    "backgammon",
    "GP-Gammon: a contact and a race tree, in a knockout of the population or against Pubeval",
    BOOK,
    {"quick": QUICK, "standard": STANDARD},
)
ISLANDS = experiment(
    "backgammon-islands",
    "GP-Gammon on islands: populations of two trees that send their best to neighbours, by turns",
    {**BOOK, "population": 50 * 128, "islands": 50},
    {
        "quick": {**QUICK, "population": 64, "islands": 4, "migrate_every": 2, "first_migration": 2, "migrants": 2},
        "standard": {**STANDARD, "population": 256, "islands": 4, "migrate_every": 4},
    },
)
