"""Endgame players that evolve: chapter 4 of *Evolved to Win*.

Why it is here.  `chess-endings` breeds three programs an individual by meeting peers (random two ways): everybody meets
`peers` others in `games` games, both are credited.  The parameters are the book's where it prints them (80
individuals, 150 to 250 generations, reproduction 0.35, crossover 0.5, mutation 0.15), and ours where it does not:
tournaments of two, one elite, first programs of depth 2 to 5, at most 7, 7 and 5 deep.  No opponent that people wrote
takes part in evolution, unless `master_games` says so; Master is the yardstick.  The paper preset is the book's; quick
and standard breed in another way, which is much faster here.  `chess-sums` leaves the book: programs are weighted sums
(`sums.py`), and fitness counts games against Master above all.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from ludwin.errors import BadParameter
from ludwin.evolve.coevolve import two_ways
from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value
from ludwin.evolve.minds import written
from ludwin.evolve.population import Score
from ludwin.evolve.trees import Genome, Trees
from ludwin.games.chess.evolve.breeding import EndgameTrees
from ludwin.games.chess.evolve.endings import (
    POINTS,
    EndgameMeeting,
    EndgameResult,
    Endings,
    Manner,
    pairs_of,
    results_of,
)
from ludwin.games.chess.evolve.mates import MATES
from ludwin.games.chess.evolve.sums import EndgameSums
from ludwin.games.chess.evolve.weights import EndgameWeights
from ludwin.games.chess.language import ARITHMETIC, FLAVOURS, NUMBER, ROLES, STAGES, language, program, role_count, sums
from ludwin.games.chess.opponents.advised import DRAWS, STANDING, Advised, in_threes
from ludwin.games.chess.opponents.printed import gpec190, master
from ludwin.program.stream import Stream
from ludwin.program.text import lines
from ludwin.program.tree import Tree
from ludwin.program.vary import Limits
from ludwin.search.programs import ADVANTAGE, Programs

MASTER, GPEC, RANDOM = "master", "gpec190", "a random evaluator"
AHEAD = "master looking ahead"  # as many plies as the setting ahead_plies says
Match = tuple[list[EndgameMeeting], list[EndgameResult]]  # games, and how they ended
MUTATIONS = ("subtree", "constant", "point", "insert")
SAME = "all programs"  # what they are called where all three are one
FORMS = ("trees", "sums", "weights")
PAIR, GAMES, MASTERS, FURTHER = range(4)  # purposes of streams
OPTIONS = (
    Setting("endings", "KQRKQR", "what is played: men of both sides, with ; between several"),
    Setting(
        "form",
        "trees",
        "what programs are: the book's trees; weighted sums of small ones; weighted sums of all terminals",
        choices=FORMS,
    ),
    Setting("apart", 0, "form=weights: 1 gives each of the three programs weights of its own", least=0, most=1),
    Setting("language", "stage3", "which stage of the language: stage3 is the book's", choices=STAGES),
    Setting("peers", 5, "others whom everybody meets; 0 with games against Master alone", least=0, most=200),
    Setting("games", 4, "games with each of them; pairs begin alike, colours swapped", least=2, most=100),
    Setting("master_games", 0, "games against Master that fitness counts, too (the book: none)", least=0, most=1000),
    Setting("ahead_games", 0, "games against Master who looks ahead that fitness counts", least=0, most=1000),
    Setting("ahead_plies", 2, "plies that this Master looks ahead", least=2, most=4),
    Setting("draws", "zero", "what a draw is worth to a player: 0, or what the material says", choices=DRAWS),
    Setting("flavour", "book", "terminals of form=sums and form=weights: the book's, or ours, too", choices=FLAVOURS),
    Setting("behind", 0.0, "points of who is behind in material at the end of a game without mate", least=0, most=0.5),
    Setting("cap", 100, "plies of a game", least=2, most=1000),
    Setting("material", "before", "whose material chooses the program", choices=("before", "after")),
    Setting("max_depth", 7, "depth of a program", least=1, most=14),
    Setting("behind_depth", 5, "depth of the program for who is behind", least=1, most=14),
    Setting("max_size", 300, "nodes of a program", least=1, most=400),
    Setting("subtree", 0.8, "weight of mutation: a new subtree", least=0),
    Setting("constant", 0.2, "weight of mutation: one constant", least=0),
    Setting("point", 0.0, "weight of mutation: another primitive at one node", least=0),
    Setting("insert", 0.0, "weight of mutation: a function above one node", least=0),
    Setting("leave_out", "", "terminals that programs have not, with blanks between"),
)


def endings_of(settings: Settings) -> tuple[str, ...]:
    """Return the endings that are played. Raises BadParameter for an empty list, and for one that is there twice."""
    found = tuple(word.strip().upper() for word in settings["endings"].split(";") if word.strip())
    if not found:
        raise BadParameter("endings must name at least one, such as KQRKQR, or several with ; between")
    twice = [name for name in dict.fromkeys(found) if found.count(name) > 1]
    if twice:
        raise BadParameter(f"endings names {twice[0]} more than once")
    return found


def words_of(settings: Settings) -> Any:
    """Return the language, without what is left out. Raises BadParameter for names that it has not."""
    return language(settings["language"]).without(*settings["leave_out"].split())


def kind(settings: Settings) -> Trees:
    """Return how players breed."""
    if settings["form"] != "trees":
        return _sums(settings)
    words = words_of(settings)
    roles = ROLES[: role_count(settings["language"])]
    ways = tuple((way, settings[way]) for way in MUTATIONS)
    limits = Limits(settings["max_depth"], settings["max_size"])
    deepest = min(settings["max_depth"], settings["behind_depth"])
    return EndgameTrees(
        tuple((role, words) for role in roles),
        limits,
        min(2, deepest),
        min(5, deepest),
        ways,
        last_depth=settings["behind_depth"] if len(roles) > 1 else settings["max_depth"],
    )


def _sums(settings: Settings) -> EndgameSums:
    """Return how weighted sums breed; their terms have no arithmetic and no numbers."""
    if settings["language"] != "stage3":
        raise BadParameter(f"form={settings['form']} is of the language stage3; leave language out")
    words = sums(settings["flavour"])
    terms = words.without(*(one.name for one in ARITHMETIC[:2]), NUMBER, *settings["leave_out"].split())
    roles = tuple((role, words) for role in ROLES)
    if settings["form"] == "weights":
        weights = EndgameWeights(roles, words=terms, apart=bool(settings["apart"]))
        if not weights.terminals:
            raise BadParameter("form=weights needs a terminal that differs from board to board; leave_out leaves none")
        return weights
    return EndgameSums(roles, words=terms)


class TwoWays:
    """Scores a generation by its games: random two ways, and Master if that is wanted."""

    relative = True

    def __init__(self, settings: Settings, workers: int):
        self.settings = settings
        self.endings = Endings(endings_of(settings), workers, settings["cap"], after=settings["material"] == "after")
        self.points = {**POINTS, -1: settings["behind"]}

    def jobs(self, count: int, stream: Stream) -> list[EndgameMeeting]:
        """Return a generation's games; player number `count` is Master, the next one Master who looks ahead."""
        kinds, found = len(self.endings.names), list[EndgameMeeting]()
        peers = self.settings["peers"]
        meetings = two_ways(count, peers, 1, stream.split(PAIR)) if peers else []
        pairs = max(self.settings["games"] // 2, 1)
        for number, (a, b) in enumerate(meetings):
            seeds = [stream.split(GAMES, number, k).seed() for k in range(pairs)]
            found += pairs_of(a, b, kinds, seeds)
        for number, games, purpose in ((count, "master_games", MASTERS), (count + 1, "ahead_games", FURTHER)):
            seeds = [stream.split(purpose, k).seed() for k in range(self.settings[games] // 2)]
            found += [job for k in range(count) for job in pairs_of(k, number, kinds, seeds)]
        return found

    def score(self, genomes: Sequence[Genome], generation: int, stream: Stream) -> list[Score]:
        """Return the mean points of each genome's games, and how many there were."""
        jobs = self.jobs(len(genomes), stream)
        manners = [manner(self.settings)] * len(genomes) + [Manner(), Manner(self.settings["ahead_plies"])]
        games = self.endings.play([*genomes, (master(),), (master(),)], jobs, manners)
        won: list[list[float]] = [[] for _ in manners]
        for job, game in zip(jobs, games, strict=True):
            won[job.first].append(self.points[game.result])
            won[job.second].append(self.points[-game.result])
        return [(fmean(one), {"games": float(len(one))}) for one in won[: len(genomes)]]


def rival(name: str) -> tuple[Tree, ...]:
    """Return the programs of a printed player."""
    known = {MASTER: master(), GPEC: gpec190(), RANDOM: program("Chance"), AHEAD: master()}
    if name not in known:
        raise BadParameter(f"endgame players are measured against {', '.join(known)}, not {name!r}")
    return (known[name],)


def manner(settings: Settings) -> Manner:
    """Return how players of an experiment play beside their programs."""
    return Manner(standing=int(settings["draws"] == STANDING))


def match(
    endings: Endings, first: Genome, second: Genome, games: int, seed: int, manners: Sequence[Manner] = ()
) -> Match:
    """Return games between two players, as many of each ending, each start with both colours."""
    stream, kinds = Stream(seed), len(endings.names)
    seeds = [stream.split(k).seed() for k in range(max(1, round(games / 2 / kinds)))]
    jobs = pairs_of(0, 1, kinds, seeds)
    return jobs, endings.play([first, second], jobs, manners)


def pair_points(found: Match, points: dict[int, float]) -> list[float]:
    """Return the first player's points in each pair of games that begin alike: the samples of a measure."""
    won = [points[result] for result in results_of(*found, 0)]
    return [(a + b) / 2 for a, b in zip(won[::2], won[1::2], strict=True)]


def opponents(settings: Settings) -> list[str]:
    """Return whom champions are measured against; the first one chooses among finalists."""
    return [AHEAD] * bool(settings["ahead_games"]) + [MASTER, GPEC, RANDOM]


def measure(settings: Settings, genome: Genome, opponent: str, games: int, seed: int, workers: int) -> Measure:
    """Return the points of fresh games; a sample is a pair that begins alike."""
    endings = Endings(endings_of(settings), workers, settings["cap"], after=settings["material"] == "after")
    other = Manner(settings["ahead_plies"]) if opponent == AHEAD else Manner()
    found = match(endings, genome, rival(opponent), games, seed, [manner(settings), other])
    return Measure.of_samples("points", pair_points(found, POINTS), opponent=opponent)


def player(settings: Settings, genome: Genome) -> Advised:
    """Return the agent that an individual makes."""
    trees = genome if len(genome) == 1 else in_threes(genome)
    brain = Programs(trees, ADVANTAGE if len(trees) > 1 else "")
    return Advised(material=settings["material"], draws=settings["draws"]).with_brain(brain)


def _champion(settings: Settings, genome: Genome) -> dict[str, Any]:
    return {"game": f"chess:pieces={endings_of(settings)[0]}", "player": written(player(settings, genome))}


def _facts(settings: Settings, genome: Genome) -> dict[str, Any]:
    from ludwin.program.simplify import simplify, usage

    facts: dict[str, Any] = {}
    same = len(genome) > 1 and len(set(genome)) == 1
    for role, tree in zip((SAME,) if same else ROLES, genome, strict=False):
        simple = simplify(tree)
        facts[role] = lines(simple)
        facts[f"{role}: nodes, simplified"] = [len(tree), len(simple)]
        facts[f"{role}: used"] = {
            name: use.live for name, use in usage(tree).items() if use.live and not _takes(tree, name)
        }
    return facts


def _takes(tree: Tree, name: str) -> bool:
    return bool(tree.language.primitives[tree.language.number[name]].takes)


def _examine(settings: Settings) -> None:
    if settings["games"] % 2 or settings["master_games"] % 2 or settings["ahead_games"] % 2:
        raise BadParameter("games, master_games and ahead_games must be even: each start is played with both colours")
    if not (settings["peers"] or settings["master_games"] or settings["ahead_games"]):
        raise BadParameter(
            "somebody must be met: peers and master_games cannot both be 0, unless ahead_games are played"
        )
    if settings["flavour"] != "book" and settings["form"] == "trees":
        raise BadParameter(
            "flavour=tactical is of form=sums and form=weights; the book's trees have the book's terminals"
        )
    if settings["peers"] and settings["population"] < 2:
        raise BadParameter(f"peers are met: a population of at least 2 is needed, got {settings['population']}")
    form = settings["form"]
    if settings["apart"] and form != "weights":
        raise BadParameter(f"apart=1 is of form=weights and has no effect with form={form}")
    if settings["breeding"] == "cma" and form != "weights":
        raise BadParameter(f"breeding=cma adapts weights alone; form={form} wants breeding=gp, or give form=weights")
    kind(settings)
    Endings(endings_of(settings))


BOOK: dict[str, Value] = {
    "population": 80,
    "generations": 200,
    "breeding": "gp",
    "selection": "tournament",
    "tournament": 2,
    "elite": 1,
    "crossover": 0.5,
    "mutation": 0.15,
    "yardstick_every": 10,
    "yardstick_games": 150,
    "finalists": 8,
    "last": 4,
    "finalist_games": 1000,
    "champion_games": 1000,
    "record_games": 1000,
}
# Ours: children that differ more, above all by a function put above a node, more games for each, harder selection.
# The book's rates stay where they began (docs/results/chess-endings.md).
OURS: dict[str, Value] = {
    "population": 100,
    "peers": 10,
    "tournament": 4,
    "elite": 2,
    "crossover": 0.3,
    "mutation": 0.6,
    "subtree": 0.4,
    "constant": 0.1,
    "point": 0.2,
    "insert": 0.4,
}
ENDINGS = Experiment(
    name="chess-endings",
    summary="players of chess endings, three programs each, by meeting each other",
    kind=kind,
    fitness=TwoWays,
    opponents=opponents,
    measure=measure,
    settings=OPTIONS,
    defaults=BOOK,
    presets={
        "quick": {**OURS, "population": 60, "generations": 15, "finalists": 2, "last": 2, "finalist_games": 400},
        "standard": {**OURS, "generations": 60},
        "paper": {"generations": 250, "baseline": True},
    },
    champion=_champion,
    facts=_facts,
    most=lambda settings: 1.0,
    examine=_examine,
)
# Weighted sums, and Master among the opponents of fitness: neither is the book's.
SUMS: dict[str, Value] = {
    "form": "sums",
    "population": 60,
    "generations": 40,
    "peers": 2,
    "games": 2,
    "master_games": 60,
    "tournament": 4,
    "elite": 2,
    "crossover": 0.5,
    "mutation": 0.5,
    "yardstick_games": 300,
    "finalists": 4,
    "last": 4,
    "finalist_games": 600,
}
# Sums of all terminals, bred by CMA-ES; the whole last generation, its mean among it, plays for the championship.
WEIGHTS: dict[str, Value] = {
    "form": "weights",
    "breeding": "cma",
    "generations": 100,
    "step_size": 0.6,
    "peers": 0,
    "elite": 0,
    "last": 60,
    "finalist_games": 400,
}
ENDING_SUMS = replace(
    ENDINGS,
    name="chess-sums",
    summary="players of chess endings, three weighted sums each, by meeting Master and each other",
    defaults={**BOOK, **SUMS},
    presets={
        "quick": {"generations": 15, "finalists": 2, "last": 2, "finalist_games": 400},
        "standard": WEIGHTS,
        "paper": {"population": 80, "generations": 150, "baseline": True},
    },
)
EXPERIMENTS = (ENDINGS, ENDING_SUMS, MATES)
