"""Robots that evolve: chapter 8 of *Evolved to Win*, and the remedies that it names and did not try.

Why it is here.  `tanks` breeds three programs over Table 8.1 in the skeleton of four lines, as the book does: 256
individuals, tournaments of 5, the two best kept, 95 % crossover, 5 % mutation, depth 10.  The fitness is the mean F~
over battles of three rounds against three fixed adversaries; the champion is who does best in 100 rounds against each
of twelve others.  The book stopped its runs by hand when they no longer got better: `stagnation` does that here.

Three rounds flatter: the best of 256 robots in three rounds are lucky ones.  With `race` the better quarter of a
generation fights again, twice as many rounds on other seeds, and the better quarter of these once more; who is out of
the race is never above who stayed.  `growth` adds mutations that let programs grow term by term, and tune their
numbers; `language=aim` lets robots know where their gun points; `search=remembered` adds a robot's points up as long as
it lives (`remembered.py`).  None of these is in the book.  `tanks-duel` and `tanks-trio` are experiments that use them
all: the first is bred against many robots of four lines, the second against the trio.

What the book tells of without figures are settings: adversaries drawn anew for every generation or every individual,
a second phase in which robots meet each other (pure coevolution made them idle, since who moves and fires first loses),
and more trees.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ludwin.errors import BadParameter
from ludwin.evolve.engine import Running, demand_fitting
from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value, plan
from ludwin.evolve.plan import MANY
from ludwin.evolve.population import Generation
from ludwin.evolve.selection import comparison
from ludwin.evolve.store import EVOLUTION
from ludwin.evolve.trees import Genome, Trees
from ludwin.games.tanks.evolve.battles import Battles, mean, robot
from ludwin.games.tanks.evolve.remembered import MUTATIONS, Remembering, demand_remembering, remembered, small_limits
from ludwin.games.tanks.language import LANGUAGES, MORE_ROLES, ROLES, roles
from ludwin.games.tanks.opponents.haiku import Haiku
from ludwin.primitives import stream as mixed
from ludwin.program.stream import Stream
from ludwin.program.vary import Limits
from ludwin.search.choice import Agent

TRIO = "haiku-coward;haiku-linear-aimer;walls"  # top of the league of those who were here first, and unlike each other
TWELVE = (
    "haiku-swinger;haiku-half-leader;haiku-gambler;haiku-rammer;haiku-finisher;haiku-miser;"
    "track-fire;spin-bot;tracker;my-first-robot;ram-fire;corners"
)
SCHOOL = (  # no judges; a robot that stands scores half its points against them if it aims
    "haiku-fleer;haiku-circler;haiku-dancer;haiku-sniper;haiku-escape;haiku-random-mover;haiku-keeper;haiku-bouncer;"
    "haiku-head-on"
)
JUDGES, ADVERSARIES = "the judges", "the adversaries"  # opponents that stand for several
QUARTER = 4  # of those who race one stays
REMEMBERED = "remembered"  # a search
GROWN = (
    ("subtree", 0.25), ("insert", 0.15), ("term", 0.15), ("shrink", 0.1), ("point", 0.1), ("constant", 0.1),
    ("local", 0.15))  # fmt: skip
LONG = 10  # rounds of a battle that measures
OPTIONS = (
    Setting("adversaries", TRIO, "who is fought: names or files of robots, with ; between",
            is_agent=True, between=";"),
    Setting("judges", TWELVE, "who decides about the champion: names or files of robots, with ; between",
            is_agent=True, between=";"),
    Setting("rounds", 3, "rounds of a battle", least=1, most=100),
    Setting(
        "reselect",
        "never",
        "whether three of the adversaries are drawn anew; individual: for each robot others",
        choices=("never", "generation", "individual"),
    ),
    Setting("drawn", 3, "adversaries that are drawn, if they are drawn anew", least=1, most=100),
    Setting("phase_two", 0, "generation from which robots meet each other instead (0: never)", least=0),
    Setting("peers", 3, "robots of the generation that all of it meet in the second phase", least=1, most=100),
    Setting("trees", 3, "programs of a robot; the fourth is the power of a shot, the fifth turns the radar", least=3,
            most=3 + len(MORE_ROLES)),
    Setting("language", "table", "table: the book's Table 8.1; aim: also the enemy as the gun sees it, and the clock; "
            "duel: also how fast the enemy crosses, and where its flank is",
            choices=tuple(LANGUAGES)),
    Setting("growth", False, "whether mutations also add terms, put functions above nodes and tune numbers"),
    Setting("first_depth", 6, "depth of the first programs", least=2, most=17),
    Setting("race", 0, "how often the better quarter of a generation fights again, each time twice as many rounds",
            least=0, most=4),
    Setting("max_depth", 10, "depth of a program", least=2, most=17),
    Setting("search", "generations", "generations: the book's; remembered: points are added up over generations, "
            "survivors fight on beside `offspring` small children (0: as many as there are survivors)",
            choices=("generations", "remembered")),
    Setting("first", 1000, "search=remembered: random robots of generation 0, of which the population stays", least=2,
            most=MANY),
    Setting("same_shape", 4, "search=remembered: survivors that differ in their numbers alone", least=1),
    Setting("still", 0, "search=remembered: generations in which robots stand, and only their guns vary", least=0),
    Setting("school", SCHOOL, "search=remembered: whom robots fight that stand: names or files, with ; between",
            is_agent=True, between=";"),
    Setting("max_size", 400, "nodes of a program", least=3, most=400),
    Setting(
        "stagnation",
        20,
        "generations in which neither best nor mean is better than ever before, after which the run stops (0: never)",
        least=0,
    ),
)  # fmt: skip


def robots(settings: Settings, key: str) -> list[str]:
    """Return the robots that a setting names. Raises BadParameter for an empty list."""
    found = [word.strip() for word in settings[key].split(";") if word.strip()]
    if not found:
        raise BadParameter(f"{key} must name at least one robot, or several with ; between")
    if len(set(found)) < len(found):
        raise BadParameter(f"{key} names a robot twice: {next(word for word in found if found.count(word) > 1)}")
    return found


class Duels:
    """Scores a generation: the mean F~ over its battles, on seeds that are the same for all of it.

    In a race the better quarter fights on, and its fitness is the mean over all its battles; the fitness of who is out
    is at most that of the last who stayed.
    """

    def __init__(self, settings: Settings, workers: int):
        self.settings = settings
        self.relative = settings["phase_two"] > 0  # then a score says something beside those of the same time only
        self.battles = Battles(settings["rounds"], workers)
        self.names = robots(settings, "adversaries")

    def score(self, genomes: Sequence[Genome], generation: int, stream: Stream) -> list[tuple[float, dict[str, float]]]:
        """Return the fitness of each genome, and the mean of its own scores."""
        players = [Haiku(genome) for genome in genomes]
        if self.settings["reselect"] == "individual" and not self.is_second(generation):
            return [self.told(self.alone(player, k, stream)) for k, player in enumerate(players)]
        results: list[list[Any]] = [[] for _ in players]
        adversaries = self.met(players, generation, stream)
        going, gone = list(range(len(players))), list[list[int]]()
        for stage in range(self.settings["race"] + 1):
            for number, adversary in enumerate(adversaries):
                chance = stream.split(number) if stage == 0 else stream.split(number, stage)
                seeds = [chance.below(2**31) for _ in range(2**stage)]
                fights = self.battles.fight_all([players[k] for k in going], adversary, seeds)
                for k, fought in zip(going, fights, strict=True):
                    results[k] += fought
            order = sorted(going, key=lambda k: -self.told(results[k])[0])
            stay = order[: max(1, len(order) // QUARTER)] if stage < self.settings["race"] else []
            gone.append([k for k in going if k not in stay])
            going = [k for k in going if k in stay]
        return self.ordered([self.told(found) for found in results], gone)

    def ordered(
        self, told: list[tuple[float, dict[str, float]]], gone: Sequence[Sequence[int]]
    ) -> list[tuple[float, dict[str, float]]]:
        """Return the scores of a race: whoever left it earlier is not above those who stayed."""
        least = math.inf
        for group in reversed(gone):
            for k in group:
                told[k] = min(told[k][0], least), told[k][1]
            least = min([least, *(told[k][0] for k in group)])
        return told

    def is_second(self, generation: int) -> bool:
        """Tell whether robots meet each other."""
        return bool(0 < self.settings["phase_two"] <= generation)

    def met(self, players: Sequence[Haiku], generation: int, stream: Stream) -> list[Agent]:
        """Return whom all of a generation meet."""
        if self.is_second(generation):
            chosen = stream.split(-1).sample(len(players), min(self.settings["peers"], len(players)))
            return [players[k] for k in chosen]
        if self.settings["reselect"] == "generation":
            chosen = stream.split(-1).sample(len(self.names), min(self.settings["drawn"], len(self.names)))
            return [robot(self.names[k]) for k in chosen]
        return [robot(name) for name in self.names]

    def alone(self, player: Haiku, k: int, stream: Stream) -> list[Any]:
        """Return the battles of a robot that has its own adversaries."""
        chosen = stream.split(-2, k).sample(len(self.names), min(self.settings["drawn"], len(self.names)))
        seeds = [stream.split(number).below(2**31) for number in range(len(chosen))]
        return [
            self.battles.fight(player, robot(self.names[place]), [seed])[0]
            for place, seed in zip(chosen, seeds, strict=True)
        ]

    def told(self, fought: Sequence[Any]) -> tuple[float, dict[str, float]]:
        return mean([one.fitness for one in fought]), {"score": mean([one.mine for one in fought])}


def measure_share(settings: Settings, player: Agent, opponent: str, rounds: int, seed: int, workers: int) -> Measure:
    """Return the share of all points over fresh rounds against each robot that an opponent stands for.

    A sample is a battle of ten rounds against each of them.
    """
    stood = {JUDGES: "judges", ADVERSARIES: "adversaries"}
    names = robots(settings, stood[opponent]) if opponent in stood else [opponent]
    battles = Battles(min(LONG, rounds), workers)
    count = max(1, round(rounds / LONG))
    shares = [
        [
            fought.share
            for fought in battles.fight(player, robot(name), [mixed(mixed(seed, i), k) for k in range(count)])
        ]
        for i, name in enumerate(names)
    ]
    samples = [mean([column[k] for column in shares]) for k in range(count)]
    return Measure.of_samples("share of points", samples, opponent=opponent)


def kind(settings: Settings) -> Trees:
    """Return how robots breed: one tree is chosen, the same in both parents; a node inside with probability 0.9."""
    by_points = settings.get("search") == REMEMBERED
    limits = (
        small_limits(settings) if by_points else Limits(depth=settings["max_depth"], size=settings.get("max_size", 400))
    )
    words = LANGUAGES[settings.get("language", "table")]()
    high = min(settings.get("first_depth", 6), settings["max_depth"])
    mutations = MUTATIONS if by_points else GROWN if settings.get("growth") else Trees.mutations
    return Trees(tuple((role, words) for role in roles(settings["trees"])), limits, high=high, mutations=mutations)


def history(
    settings: Settings, branch: str, seed: int, workers: int, start: Generation[Any] | None
) -> Iterator[Generation[Any]] | None:
    """Yield the generations of a run that adds up points, or that stops when it no longer gets better; else None.

    What is remembered of earlier generations is in the generation, so that a resumed run stops where it would have.
    """
    if settings.get("search") == REMEMBERED:
        adversaries, school = ([robot(name) for name in robots(settings, key)] for key in ("adversaries", "school"))
        battles, chance = Battles(settings["rounds"], workers), branch != EVOLUTION
        run = Remembering(kind(settings), battles, adversaries, school, settings, plan(settings), seed, chance)
        return remembered(run, start)
    if branch != EVOLUTION or settings["stagnation"] == 0:
        return None
    return _until_stagnant(settings, seed, workers, start)


def _until_stagnant(
    settings: Settings, seed: int, workers: int, start: Generation[Any] | None
) -> Iterator[Generation[Any]]:
    fitness, breeding = Duels(settings, workers), plan(settings)
    demand_fitting(fitness, breeding)
    run: Running[Any] = Running(kind(settings), fitness, breeding, seed, comparison(fitness, breeding))
    now = start
    while now is None or (now.number < breeding.generations and now.best.fitness < breeding.stop_at):
        if now is not None and now.number - now.state["record at"] >= settings["stagnation"]:
            return
        following = run.first() if now is None else run.after(now)
        best, average, place = following.best.fitness, following.mean, following.number
        begins = place == settings["phase_two"] > 0  # another measure from here on
        if now is not None and not begins:
            best, average = max(best, now.state["record"]), max(average, now.state["record mean"])
            if (best, average) == (now.state["record"], now.state["record mean"]):
                place = now.state["record at"]
        noted = {"record": best, "record mean": average, "record at": place}
        now = replace(following, state={**following.state, **noted})
        yield now


def _opponents(settings: Settings) -> list[str]:
    school = robots(settings, "school") if settings.get("still") else []
    alone = [*robots(settings, "adversaries"), *robots(settings, "judges"), *school]
    return [JUDGES, ADVERSARIES, *dict.fromkeys(alone)]


def _examine(settings: Settings) -> None:
    if settings.get("search") == REMEMBERED:
        demand_remembering(settings)
    for name in _opponents(settings)[2:]:
        robot(name)


def _identity(settings: Settings) -> dict[str, Any]:
    """Return the robots with a mark of their text: against an edited one it is another run."""
    found = {name: robot(name) for name in _opponents(settings)[2:]}
    return {name: one.text().mark[:8] if hasattr(one, "text") else one.label for name, one in found.items()}


def _facts(settings: Settings, genome: Genome) -> dict[str, Any]:
    from ludwin.games.tanks.evolve.export import formula, semicolons

    return {"formula": formula(genome), "semicolons": semicolons(genome)}


def export_python(settings: Settings, genome: Genome) -> str:
    """Return a robot's file, which fights at once."""
    from ludwin.games.tanks.evolve.export import robot_file

    return robot_file(genome)


def export_java(settings: Settings, genome: Genome, name: str, where: str) -> str:
    """Return a robot for the original."""
    from ludwin.games.tanks.evolve.export import robot_java

    return robot_java(genome, name)


BOOK: dict[str, Value] = {
    "population": 256,
    "generations": 300,
    "breeding": "gp",
    "selection": "tournament",
    "tournament": 5,
    "elite": 2,
    "crossover": 0.95,
    "mutation": 0.05,
    "yardstick_games": 10,
    "finalists": 1,
    "last": 256,
    "finalist_games": 100,
    "champion_games": 1000,
    "record_games": 100,
}
QUICK: dict[str, Value] = {
    "population": 64,
    "generations": 10,
    "yardstick_games": 10,
    "finalists": 2,
    "last": 8,
    "finalist_games": 10,
    "champion_games": 50,
    "record_games": 10,
}
TANKS = Experiment(
    name="tanks",
    summary="robots of four lines, three programs in a skeleton, against robots that people wrote",
    kind=kind,
    fitness=Duels,
    opponents=_opponents,
    measure=lambda settings, genome, opponent, rounds, seed, workers: measure_share(
        settings, Haiku(genome), opponent, rounds, seed, workers
    ),
    settings=OPTIONS,
    defaults=BOOK,
    presets={
        "quick": QUICK,
        "standard": {"generations": 100, "last": 40, "baseline": True},
        "paper": {"baseline": True},
    },
    champion=lambda settings, genome: {
        "language": genome[0].language.name,
        "roles": list((*ROLES, *MORE_ROLES)[: len(genome)]),
    },
    facts=_facts,
    most=lambda settings: 1.0,
    export=export_python,
    exports={"java": export_java},
    identity=_identity,
    examine=_examine,
    history=history,
)
NINE = (  # the trio, and the next best four-line robots that are no judges
    f"{TRIO};haiku-wall-smoother;haiku-cutoff-rammer;haiku-centre;haiku-spiral;haiku-mirror;haiku-stop-and-go"
)
POINTS: dict[str, Value] = {  # pilots on seeds 901 to 909 (docs/results/tanks.md)
    **BOOK,
    "breeding": "ga",
    "search": REMEMBERED,
    "language": "duel",
    "first_depth": 3,
    "max_depth": 8,
    "max_size": 20,
    "parsimony": 0.0005,
    "race": 2,
    "population": 100,
    "offspring": 200,
    "first": 1500,
    "still": 12,
    "tournament": 4,
    "elite": 0,
    "stagnation": 0,
    "crossover": 0.3,
    "mutation": 0.8,
    "generations": 50,
    "yardstick_every": 10,
    "finalists": 4,
    "last": 10,
    "finalist_games": 60,
    "champion_games": 500,
}
SMALL: dict[str, Value] = {**QUICK, "population": 20, "offspring": 40, "first": 100, "generations": 5, "still": 2}
DUEL = replace(
    TANKS,
    name="tanks-duel",
    summary="robots of four lines that know gun, clock and flank, bred for a league of their length; points remembered",
    defaults={**POINTS, "adversaries": NINE, "rounds": 1},
    presets={"quick": SMALL, "standard": {"baseline": True}, "paper": {"baseline": True, "generations": 300}},
)
AGAINST_TRIO = replace(
    TANKS,
    name="tanks-trio",
    summary="the same, bred against the trio of adversaries, who also decide about the champion",
    defaults={**POINTS, "judges": TRIO, "generations": 80},  # the pilot of seed 901 still got better after 50
    presets={"quick": SMALL, "standard": {"baseline": True}, "paper": {"baseline": True, "generations": 300}},
)
EXPERIMENTS = (TANKS, DUEL, AGAINST_TRIO)
