"""Evolution of gated sums whose members learn: structure by crossover and selection, numbers by temporal differences.

The idea.  Every newborn plays some thousand games, against Pubeval or against itself, and learns from them; what it has
learnt is inherited (Lamarck).  Then it meets Pubeval, on the same dice as the others, and the share of games that it
wins is its fitness.  Crossover lets two programs speak together, so programs grow where that wins; islands take turns
as in `islands.py`.

What it is, and what it is not.  Terms come and go by evolution, weights are learnt; most of the strength comes from the
lessons.  What was measured of the two stands in docs/results/backgammon.md.  An evolution strategy for the weights was
tried and dropped: 200,000 games of mirrored pairs moved a player of 51.6 % by less than a percent.

References.  G. E. Hinton and S. J. Nowlan, "How learning can guide evolution", Complex Systems 1 (1987), 495-502;
G. Tesauro, "Temporal difference learning and TD-Gammon", Communications of the ACM 38 (1995), 58-68.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ludwin.errors import BadParameter
from ludwin.evolve.experiment import Experiment, Setting, Settings, Value, plan
from ludwin.evolve.minds import written
from ludwin.evolve.population import Child, Generation, Individual, Score
from ludwin.evolve.selection import comparison
from ludwin.evolve.store import EVOLUTION
from ludwin.games.backgammon.evolve.gated import GatedSums, packaged_network, rounded
from ludwin.games.backgammon.evolve.islands import TakingTurns, by_turns
from ludwin.games.backgammon.evolve.lessons import PUBEVAL, SELF, taught
from ludwin.games.backgammon.evolve.matches import PairedGames
from ludwin.games.backgammon.evolve.two_trees import RECORD, YARDSTICK, AgainstPubeval, measure_player
from ludwin.games.backgammon.opponents.network import MOST_UNITS, Network, NetworkBrain
from ludwin.program.stream import Stream
from ludwin.search.afterstate import AfterState
from ludwin.workers import Threads

LEARN = 100  # a purpose of streams, beside those of the engine
KEEPS = "elite"  # who passes unchanged does not learn


@lru_cache(maxsize=512)
def player(network: Network) -> AfterState:
    """Return the player of gated sums, one ply deep."""
    return AfterState(brain=NetworkBrain(network))


class WinsAgainstPubeval(AgainstPubeval):
    """Scores by the share of games won against Pubeval, all on the same dice."""

    def player(self, genome: Any) -> AfterState:
        """Return who plays for a genome."""
        return player(genome)

    def worth(self, played: PairedGames) -> Score:
        """Return the share of games won, and the points a game."""
        return played.score, {"games": played.games, "points": played.points}


@dataclass(frozen=True)
class Schooled(TakingTurns):
    """Islands whose newborns learn before they are judged."""

    lessons: str = PUBEVAL
    first_games: int = 0
    lifetime: int = 0
    rates: tuple[float, float] = (0.0, 0.0)
    workers: int = 1
    length: int = 1  # generations of the run, over which the rate falls

    def judged(
        self, children: Sequence[Child[Any]], before: Generation[Any], birth: int = 0
    ) -> tuple[list[Individual[Any]], int]:
        """Let the newborns learn, and judge them."""
        number = before.number + 1
        jobs = [(k, child) for k, child in enumerate(children) if child.origin != KEEPS]
        seeds = [Stream(self.seed, LEARN, number, k).seed() for k, _ in jobs]

        def teach(_: int, job: tuple[Child[Any], int]) -> Network:
            games = self.first_games if number == 0 else self.lifetime
            if number == 0 and job[0].genome == rounded(packaged_network()):
                games = 0  # it has learnt already
            return rounded(taught(job[0].genome, self.lessons, games, self.at(number), job[1]))

        work = [(child, seed) for (_, child), seed in zip(jobs, seeds, strict=True)]
        if self.workers == 1 or len(work) < 2:
            found = [teach(0, job) for job in work]
        else:
            found = [teach(0, work[0]), *Threads(teach, self.workers).map(work[1:])]  # compiled once
        grown = list(children)
        for (k, child), network in zip(jobs, found, strict=True):
            grown[k] = child._replace(genome=network)
        return super().judged(grown, before, birth)

    def at(self, number: int) -> tuple[float, float]:
        """Return the rates of a generation's learning: founders begin high, later generations go on below."""
        high, low = self.rates
        if number == 0:
            return high, (high * low) ** 0.5
        part = min(number / max(self.length, 1), 1.0)
        now = (high * low) ** 0.5 * (low / high) ** (part / 2)
        return now * 1.5, now


def history(
    settings: Settings, branch: str, seed: int, workers: int, start: Generation[Any] | None
) -> Iterator[Generation[Any]] | None:
    """Yield the generations of learning islands, or of one such population."""
    if branch != EVOLUTION:
        return None
    judge, breeding = WinsAgainstPubeval(settings, workers), plan(settings)
    run = Schooled(
        kind(settings),
        judge,
        breeding,
        seed,
        comparison(judge, breeding),
        first_migration=settings["first_migration"],
        neighbours=settings["neighbours"],
        lessons=settings["lessons"],
        first_games=settings["first_games"],
        lifetime=settings["lifetime"],
        rates=(settings["rate"], settings["last_rate"]),
        workers=workers,
        length=breeding.generations,
    )
    return by_turns(run, judge, start)


def kind(settings: Settings) -> GatedSums:
    """Return how gated sums vary."""
    return GatedSums(settings["terms"], settings["max_terms"], settings["packaged"])


def examine(settings: Settings) -> None:
    """Raise BadParameter for what would fail in the middle of a run."""
    if settings["games"] % 2:
        raise BadParameter(f"games must be even, so that each side begins as often, got {settings['games']}")
    if settings["terms"] > settings["max_terms"]:
        raise BadParameter(f"terms must be at most max_terms, got {settings['terms']} and {settings['max_terms']}")
    if settings["last_rate"] > settings["rate"]:
        raise BadParameter(f"last_rate must be at most rate, got {settings['last_rate']} and {settings['rate']}")
    if settings["baseline"]:
        raise BadParameter("random search does not learn, so it says nothing here; leave baseline off")


OPTIONS = (
    Setting("terms", 20, "gated sums of a program at the beginning", least=1, most=MOST_UNITS),
    Setting("max_terms", 40, "gated sums of a program at most", least=1, most=MOST_UNITS),
    Setting("packaged", False, "begin each island with the network that comes with Ludwin beside the others"),
    Setting("lessons", PUBEVAL, "whom newborns play, to learn: Pubeval or themselves", choices=(PUBEVAL, SELF)),
    Setting("first_games", 16_000, "games from which a founder learns", least=0, most=10**8),
    Setting("lifetime", 8000, "games from which every later newborn learns", least=0, most=10**8),
    Setting("rate", 0.03, "learning rate of the first games", least=1e-6, most=1.0),
    Setting("last_rate", 0.001, "learning rate of the last", least=1e-6, most=1.0),
    Setting("games", 400, "games against Pubeval that are an individual's fitness", least=2, most=100_000),
    Setting("neighbours", 1, "islands that an island sends to", least=1, most=100),
    Setting("first_migration", 1, "generation from which islands send, each every migrate_every generations", least=1),
)
DEFAULTS: dict[str, Value] = {
    "population": 3,
    "generations": 2,
    "breeding": "gp",
    "tournament": 2,
    "elite": 1,
    "crossover": 0.75,
    "mutation": 0.125,
    "migrate_every": 2,
    "migrants": 1,
    "yardstick_every": 2,
    "yardstick_games": 1000,
    "finalists": 3,
    "last": 2,
    "finalist_games": 2000,
    "champion_games": 10_000,
    "record_games": 2000,
}
QUICK: dict[str, Value] = {
    "population": 2,
    "generations": 2,
    "terms": 10,
    "max_terms": 20,
    "first_games": 4000,
    "lifetime": 2000,
    "games": 200,
    "yardstick_games": 200,
    "finalist_games": 400,
    "champion_games": 2000,
    "record_games": 400,
}


def experiment(name: str, summary: str, defaults: dict[str, Value], presets: dict[str, dict[str, Value]]) -> Experiment:
    """Return an experiment of learning gated sums."""
    return Experiment(
        name=name,
        summary=summary,
        kind=kind,
        fitness=WinsAgainstPubeval,
        opponents=lambda settings: (YARDSTICK, *RECORD),
        measure=lambda settings, genome, opponent, games, seed, workers: measure_player(
            player(genome), opponent, games, seed, workers
        ),
        settings=OPTIONS,
        defaults=defaults,
        presets=presets,
        champion=lambda settings, genome: {"game": "backgammon", "player": written(player(genome))},
        facts=lambda settings, genome: {"gated sums": genome.hidden, "numbers": sum(map(bool, genome.first))},
        examine=examine,
        history=history,
    )


GATED = experiment(
    "backgammon-gated",
    "gated sums that learn: terms by evolution, numbers by temporal differences in games with Pubeval",
    DEFAULTS,
    {"quick": QUICK, "paper": {"population": 16, "generations": 20, "first_games": 200_000, "lifetime": 50_000}},
)
GATED_ISLANDS = experiment(
    "backgammon-gated-islands",
    "islands of gated sums that learn, and send their best to neighbours",
    {
        **DEFAULTS,
        "population": 8,
        "islands": 4,
        "generations": 4,
        "max_terms": 80,
        "first_games": 24_000,
        "lifetime": 16_000,
    },
    {
        "quick": {**QUICK, "population": 4, "islands": 2},
        "paper": {
            "population": 200,
            "islands": 50,
            "migrate_every": 10,
            "first_migration": 10,
            "neighbours": 3,
            "migrants": 3,
            "generations": 40,
            "max_terms": 200,
        },
    },
)
