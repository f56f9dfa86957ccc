"""Solvers of FreeCell that evolve: weights, formulas and policies over Table 11.1 of *Evolved to Win*, chapter 11.

`freecell` breeds weights of the nine heuristics, `freecell-gp` formulas over them, `freecell-policy` ordered rules
whose conditions are programs and whose values are weights.  All three search by staged deepening.  Fitness is the share
of nodes saved beside HSDH, Heineman's heuristic, in the same search; deals evolve against the solvers
(`way=coevolution`), or are drawn as in the book's first attempts.  Where the book counts minutes nodes are counted
here."""

from functools import lru_cache
from typing import Any

from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value
from ludwin.evolve.kind import Representation
from ludwin.evolve.minds import written
from ludwin.evolve.policy import Policies
from ludwin.evolve.policy import Policy as PolicyGenome
from ludwin.evolve.populations import Ecology
from ludwin.evolve.trees import Trees
from ludwin.evolve.trials import EVERY, WAYS, Sampled, TrainingCourse, Trials, ecology, examine_way, partly_saved
from ludwin.evolve.vectors import Reals, Vector
from ludwin.game import Game
from ludwin.games.freecell.language import EXTRA, HEURISTICS, LARGE_IS_GOOD, conditions, formulas
from ludwin.library import load
from ludwin.program.stream import Stream
from ludwin.program.vary import Limits
from ludwin.search.brain import Weights
from ludwin.search.policies import PolicyBrain
from ludwin.search.puzzles.solver import Solver
from ludwin.search.puzzles.staged import Staged

DEALS = 32_000  # Microsoft's first
RULES = 5
STEPS = "reset: one in ten is drawn anew (the book's); gaussian: one in four moves by a tenth of the range"
OPTIONS = (
    Setting("way", "coevolution", "; ".join(f"{way}: {told}" for way, told in WAYS.items()), choices=tuple(WAYS)),
    Setting("deals", 6, "deals of a set, or of a sample", least=1, most=1000),
    Setting("every", EVERY, "generations of solvers between two of deals", least=1),
    Setting("training", 1000, "deals that sets and samples are drawn from", least=1, most=DEALS - 1000),
    Setting("training_seed", 1, "which deals these are", least=0),
    Setting("depth", 2, "moves between two looks (the book's k)", least=1, most=13),
    Setting(
        "patience", 20_000, "nodes after which a search begins again with longer stages (0: never)", least=0, once=0
    ),
    Setting("nodes", 100_000, "nodes of a search in training", least=100),
    Setting("test_nodes", 2_000_000, "nodes of a search in measurements", least=100),
    Setting("auto", True, "whether cards that are never missed go home by themselves"),
    Setting("oriented", True, "whether heuristics of which more is better are turned round"),
    Setting("extra", False, "whether our two heuristics, inversions and broken sequences, are used, too"),
    Setting("weights", "reset", f"how weights mutate; {STEPS}", choices=("reset", "gaussian")),
)


@lru_cache(maxsize=8)
def puzzle(auto: bool) -> Game:
    """Return the game that solvers play: one empty column is as good as another."""
    return load(f"freecell:empty=first,auto={str(auto).lower()},limit=60000")


@lru_cache(maxsize=8)
def trials(auto: bool, workers: int) -> Trials:
    """Return where solvers are tried."""
    return Trials(puzzle(auto), workers)


def words(settings: Settings) -> dict[str, str]:
    """Return the heuristics that are weighed, and their queries."""
    return {**HEURISTICS, **(EXTRA if settings["extra"] else {})}


def weighed(settings: Settings, weights: Vector) -> Weights:
    """Return an estimate: each heuristic times its weight, those of which more is better turned round."""
    turned = [settings["oriented"] and word in LARGE_IS_GOOD for word in words(settings)]
    terms = tuple(
        (query, 0, -weight if turn else weight)
        for query, weight, turn in zip(words(settings).values(), weights, turned, strict=True)
        if weight
    )
    return Weights(terms, sum(weight for weight, turn in zip(weights, turned, strict=True) if turn))


def by_weights(settings: Settings, genome: Vector) -> PolicyBrain:
    """Return a brain of one weighted sum."""
    return PolicyBrain((), (weighed(settings, genome),))


def by_formula(settings: Settings, genome: Any) -> PolicyBrain:
    """Return a brain of one formula."""
    return PolicyBrain((), (genome[0],))


def by_policy(settings: Settings, genome: PolicyGenome) -> PolicyBrain:
    """Return a brain of ordered rules: conditions are programs, values weighted sums."""
    values = (*(rule[1] for rule in genome.rules), genome.default[0])
    return PolicyBrain(
        tuple(rule[0][0] for rule in genome.rules), tuple(weighed(settings, weights) for weights in values)
    )


def search(settings: Settings, nodes: int) -> Staged:
    """Return the search without its brain."""
    return Staged(depth=settings["depth"], patience=settings["patience"], nodes=nodes)


def reference(settings: Settings) -> Solver:
    """Return what solvers are compared with: the same search by HSDH."""
    return Staged(depth=settings["depth"], nodes=settings["nodes"], eval="hsdh")


@lru_cache(maxsize=16)
def training(count: int, seed: int) -> tuple[int, ...]:
    """Return the deals that may be seen in evolution."""
    return tuple(sorted(1 + place for place in Stream(seed, 11).shuffled(range(DEALS))[:count]))


def vectors(settings: Settings) -> Reals:
    """Return how weights breed."""
    rate = 0.1 if settings["weights"] == "reset" else 0.25
    return Reals(len(words(settings)), rate=rate, mutation=settings["weights"], step=0.1)


def formula_kind(settings: Settings) -> Trees:
    """Return how formulas breed."""
    mutations = (("subtree", 0.4), ("point", 0.2), ("constant", 0.4), ("local", 0.0))
    language = formulas(settings["extra"])
    limits = Limits(depth=settings["max_depth"])
    names = tuple(words(settings))
    return Trees((("estimate", language),), limits, linear=settings["linear"], sum_of=names, mutations=mutations)


def policies(settings: Settings) -> Policies:
    """Return how policies breed."""
    condition = Trees((("condition", conditions(settings["extra"])),), Limits(depth=settings["max_depth"]), high=4)
    parts: tuple[tuple[str, Representation[Any]], ...] = (("condition", condition), ("weights", vectors(settings)))
    return Policies(parts, ("weights",), RULES, RULES)


def experiment(name: str, summary: str, kind: Any, brain: Any, more: Any = (), defaults: Any = None) -> Experiment:
    """Return an experiment whose genomes make brains for staged deepening."""

    def course(settings: Settings, workers: int) -> TrainingCourse:
        places = training(settings["training"], settings["training_seed"])
        return TrainingCourse(
            trials(settings["auto"], workers),
            tuple(f"#{number}" for number in places),
            lambda genome: search(settings, settings["nodes"]).with_brain(brain(settings, genome)),
            reference(settings),
            settings["nodes"],
            partly_saved,
        )

    def living(settings: Settings, workers: int) -> Ecology:
        return ecology(
            kind(settings),
            course(settings, workers),
            settings["way"],
            settings["deals"],
            settings["every"],
            settings["population"],
        )

    def measure(settings: Settings, genome: Any, on: str, count: int, seed: int, workers: int) -> Measure:
        """Return the nodes on deals that evolution never saw; one that is not solved counts twice the limit."""
        seen = set(training(settings["training"], settings["training_seed"]))
        unseen = [number for number in range(1, DEALS + 1) if number not in seen]
        chosen = Stream(seed, 12).shuffled(unseen)[:count]
        solver = search(settings, settings["test_nodes"]).with_brain(brain(settings, genome))
        found = trials(settings["auto"], workers).solve_all([(solver, f"#{number}", 0) for number in chosen])
        nodes = [one.nodes if one.solved else 2 * settings["test_nodes"] for one in found]
        return Measure.of_samples("nodes a deal", nodes, opponent=on, unit="nodes", direction="less")

    def champion(settings: Settings, genome: Any) -> dict[str, Any]:
        player = search(settings, settings["test_nodes"]).with_brain(brain(settings, genome))
        return {"game": puzzle(settings["auto"]).text, "player": written(player)}

    return Experiment(
        name=name,
        summary=summary,
        kind=lambda settings: living(settings, 1).kind,
        fitness=lambda settings, workers: Sampled(course(settings, workers), settings["deals"]),
        opponents=lambda settings: ("unseen deals",),
        measure=measure,
        settings=(*OPTIONS, *more),
        defaults={**BOOK, **(defaults or {})},
        presets={"quick": QUICK, "standard": STANDARD, "paper": {"patience": 0}},
        champion=champion,
        facts=lambda settings, genome: {"brain": kind(settings).text(genome).splitlines()},
        identity=lambda settings: {"game": puzzle(settings["auto"]).fingerprint},
        examine=lambda settings: examine_way(name, settings),
        ecology=living,
    )


BOOK: dict[str, Value] = {
    "population": 50,
    "generations": 350,
    "breeding": "gp",
    "selection": "proportionate",
    "crossover": 0.7,
    "mutation": 0.1,
    "elite": 1,
    "yardstick_every": 10,
    "yardstick_games": 200,
    "finalists": 8,
    "last": 4,
    "finalist_games": 2000,
    "champion_games": 4000,
    "record_games": 200,
}
STANDARD: dict[str, Value] = {"population": 40, "generations": 80}
QUICK: dict[str, Value] = {
    "population": 12,
    "generations": 8,
    "training": 60,
    "nodes": 30_000,
    "test_nodes": 100_000,
    "yardstick_every": 4,
    "yardstick_games": 20,
    "finalists": 2,
    "last": 2,
    "finalist_games": 40,
    "champion_games": 100,
    "record_games": 20,
}
DEPTH = Setting("max_depth", 5, "depth of a program", least=1, most=17)
WEIGHTS = experiment("freecell", "weights of heuristics for staged deepening at FreeCell", vectors, by_weights)
FORMULAS = experiment(
    "freecell-gp",
    "formulas over heuristics for staged deepening at FreeCell",
    formula_kind,
    by_formula,
    (
        Setting("max_depth", 8, "depth of a program", least=1, most=17),
        Setting("linear", 0.2, "share of the first formulas that are weighted sums", least=0, most=1),
    ),
    {"crossover": 0.5, "mutation": 0.4},
)
POLICIES = experiment(
    "freecell-policy",
    "ordered rules, each with weights of heuristics, for staged deepening at FreeCell",
    policies,
    by_policy,
    (DEPTH,),
    {"crossover": 0.4, "mutation": 0.3},
)
EXPERIMENTS = (WEIGHTS, FORMULAS, POLICIES)
