"""Policies that evolve: ordered rules over the heuristics and advisors of Table 10.1 of *Evolved to Win*, chapter 10.

Five rules and a default; conditions and values are programs of depth 5.  A policy orders the moves of iterative
deepening (`mode=order`, all that the book's heuristics do), or cuts it short as well (`mode=ida`).  Fitness is the
share of nodes saved beside iterative deepening without a heuristic, on boards drawn from a training set, or on sets of
boards that evolve against the policies.

Boards.  The forty cards and 200 hard boards of 6x6 that were bred here (`data/hard.txt`, in place of a published list
that cannot be had) are sorted by their difficulty and dealt to five groups of 48.  One group is trained on; of its
twenty hardest every second one is kept for the test.  With `group=0` more is trained on: of all groups what is no card
and, the first group apart, not among the twenty hardest, which stay unseen; every fifth is kept for the test.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from zlib import crc32

from ludwin.errors import BadParameter
from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value
from ludwin.evolve.kind import Representation
from ludwin.evolve.minds import written
from ludwin.evolve.policy import Policies, Policy
from ludwin.evolve.populations import Ecology
from ludwin.evolve.trees import Trees
from ludwin.evolve.trials import WAYS, Sampled, TrainingCourse, Trials, ecology, examine_way, nodes_less, nodes_saved
from ludwin.game import Game
from ludwin.games.parking.boards import cards
from ludwin.games.parking.evolve.shipped import HARD, LARGE, listed
from ludwin.games.parking.evolve.tuned import WALK, tuned_sum
from ludwin.games.parking.language import conditions, formulas
from ludwin.library import load
from ludwin.program.stream import Stream
from ludwin.program.text import read
from ludwin.program.vary import Limits
from ludwin.search.policies import PolicyBrain
from ludwin.search.puzzles.deepen import IDAStar, IterativeDeepening
from ludwin.search.puzzles.solver import Solver

GROUPS, GROUP = 5, 48
RULES = 5
PAIRS = ("novel", "fresh", "stale")  # what orders that heed them take from a tuned sum
EASIEST, EASY = 8, 25  # slides to the end of eased boards
OPTIONS = (
    Setting("mode", "ida", "what policies do; order: order moves; ida: cut, too", choices=("order", "ida")),
    Setting("increment", 20, "by how much the bound is raised", least=1, most=500),
    Setting("nodes", 1_500_000, "nodes of a search", least=1000),
    Setting(
        "training_nodes", 1_500_000, "nodes of a policy's search in training; the blind one has `nodes`", least=100
    ),
    Setting(
        "excess",
        "forgiven",
        "what more nodes than the blind search's count; forgiven: as none saved (the book's); counted: against it; "
        "weighed: against it, and half of the fitness is by totals",
        choices=("forgiven", "counted", "weighed"),
    ),
    Setting(
        "patience",
        0.0,
        "nodes of a policy's search in training, in parts of the blind one's (0: no such limit)",
        least=0,
        most=10,
    ),
    Setting("weight", 1.0, "how much an estimate weighs beside the cost so far, with mode=ida", least=0.1, most=20),
    Setting("extra", False, "whether policies know more than Table 10.1, such as how far vehicles are from the start"),
    Setting("relaxed", False, "whether policies know relaxed plans, too, and all that extra=true lets them know"),
    Setting(
        "recalls",
        False,
        "whether policies know where vehicles have been brought on the way here, too, and all that extra=true lets "
        "them know",
    ),
    Setting(
        "novel",
        False,
        "whether orders heed what pairs of vehicles and places are new on the way, as much as a tuned sum does",
    ),
    Setting(
        "probes", 0, "short walks before each round of orders, all but the first shaken by noise", least=0, most=1000
    ),
    Setting("noise", 0.0, "with probes: how far noise moves an order at most", least=0, most=1e6),
    Setting(
        "hand",
        False,
        "whether policies made by hand are among the first: Hc, with extra=true Ha and Hb, with relaxed=true a sum "
        "whose weights were tuned before",
    ),
    Setting("eased", False, "whether every second board is there once more, on its way: 8 to 25 slides are left"),
    Setting("size", 6, "boards of 6x6 in groups, or the hard ones of 8x8", choices=(6, 8)),
    Setting("group", 1, "which of the five groups is trained on; 0: what tables do not measure of all", most=GROUPS),
    Setting("way", "sample", "; ".join(f"{way}: {told}" for way, told in WAYS.items()), choices=tuple(WAYS)),
    Setting("boards", 10, "boards of a sample, or of a set that evolves", least=1, most=200),
    Setting("every", 5, "generations of policies between two of sets", least=1),
    Setting("max_depth", 5, "depth of a program", least=1, most=17),
)


@lru_cache(maxsize=2)
def problems() -> tuple[str, ...]:
    """Return the cards and the hard boards of 6x6, the easiest first."""
    steps = {board: _steps(board) for board in cards()} | dict(listed(HARD))
    return tuple(sorted(steps, key=lambda board: (steps[board], board)))


@lru_cache(maxsize=64)
def _steps(board: str) -> int:
    from ludwin.library import agent

    game = load("parking:cost=steps")
    return len(agent("bfs").solve(game, game.position(board)).plan)  # type: ignore[attr-defined]


def group_of(number: int) -> tuple[str, ...]:
    """Return one of the groups of 6x6 boards, the easiest first."""
    return problems()[number - 1 :: GROUPS][:GROUP]


def unmeasured() -> tuple[str, ...]:
    """Return the boards of all groups that no table measures policies of these on, the easiest first.

    The test boards of the first group are among them: tables measure only such policies there as the first group bred.
    """
    measured = {*cards(), *(board for number in range(2, GROUPS + 1) for board in group_of(number)[-20:])}
    return tuple(board for board in problems() if board not in measured)


@lru_cache(maxsize=16)
def split(size: int, group: int, is_eased: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the boards to train on and those to test with, both with their difficulty noted in the position.

    Boards of the groups are hard ones; `is_eased` adds easy ones that are made of them.
    """
    if size == 8:
        boards = tuple(board for board, _ in listed(LARGE))
        kept = set(boards[1::3])
    else:
        boards = group_of(group) if group else unmeasured()
        kept = set(boards[-20::2] if group else boards[4::5])
    noted = [(board, ranked(board, 1000 * k // len(boards))) for k, board in enumerate(boards)]
    found = tuple([(b, text) for b, text in noted if (b in kept) == is_kept] for is_kept in (False, True))
    easy = [tuple(ranked(eased(b), 0) for b, _ in some[::2]) if is_eased else () for some in found]
    training, test = (tuple(text for _, text in some) for some in found)
    return training + easy[0], test + easy[1]


def eased(board: str) -> str:
    """Return a board on its way along a shortest plan, some 8 to 25 slides before the end."""
    from ludwin.library import agent

    game = car_park(8 if len(board) == 64 else 6)
    state = game.position(board)
    plan = agent("bfs").solve(game, state).plan  # type: ignore[attr-defined]
    left = EASIEST + Stream(crc32(board.encode())).below(EASY - EASIEST + 1)
    for move in plan[: max(0, len(plan) - left)]:
        state = state.play(move)
    return str(state.write()).split()[0]


def ranked(board: str, rank: int) -> str:
    """Return the text of a board whose difficulty, in thousandths, is known."""
    game = car_park(8 if len(board) == 64 else 6)
    state = game.position(board)
    plain = state.thaw()
    plain.rank = rank
    return str(game.part("notation").write(plain))


@lru_cache(maxsize=4)
def car_park(size: int) -> Game:
    """Return the puzzle, a slide being a move."""
    return load(f"parking:size={size}")


@lru_cache(maxsize=8)
def trials(size: int, workers: int) -> Trials:
    """Return where policies are tried."""
    return Trials(car_park(size), workers)


def brain(genome: Policy) -> PolicyBrain:
    """Return a policy as a brain."""
    conditions = tuple(rule[0][0] for rule in genome.rules)
    return PolicyBrain(conditions, (*(rule[1][0] for rule in genome.rules), genome.default[0][0]))


def search(settings: Settings, nodes: int) -> IterativeDeepening | IDAStar:
    """Return the search without its brain."""
    increment = float(settings["increment"])
    if settings["mode"] == "order":
        made = IterativeDeepening(nodes=nodes, increment=increment, order="estimate")
        if settings["probes"]:
            made = replace(made, probes=settings["probes"], noise=float(settings["noise"]))
        return replace(made, **{key: WALK[key] for key in PAIRS}) if settings["novel"] else made
    return IDAStar(nodes=nodes, increment=increment, order="estimate", weight=float(settings["weight"]))


def solver(settings: Settings, genome: Policy, nodes: str = "nodes") -> Solver:
    """Return the search that asks a policy."""
    return search(settings, settings[nodes]).with_brain(brain(genome))


def reference(settings: Settings) -> Solver:
    """Return what policies are compared with: the same search without a heuristic."""
    return IterativeDeepening(nodes=settings["nodes"], increment=float(settings["increment"]))


def kind(settings: Settings) -> Policies:
    """Return how policies breed."""
    limits = Limits(depth=settings["max_depth"])
    spoken = words(settings)
    ways = MUTATIONS_OF_WEIGHTS if settings["relaxed"] else MUTATIONS
    condition = Trees((("condition", conditions(*spoken)),), limits, high=4, mutations=ways)
    value = Trees((("value", formulas(*spoken)),), limits, high=4, mutations=ways)
    parts: tuple[tuple[str, Representation[Any]], ...] = (("condition", condition), ("value", value))
    return KnowingPolicies(parts, ("value",), RULES, RULES, knows=known(settings) if settings["hand"] else ())


def words(settings: Settings) -> tuple[bool, bool, bool]:
    """Return which words of ours policies know: those of extra=true, of relaxed plans, of the way here."""
    relaxed, recalls = bool(settings["relaxed"]), bool(settings["recalls"])
    return bool(settings["extra"]) or relaxed or recalls, relaxed, recalls


@dataclass(frozen=True)
class KnowingPolicies(Policies):
    """Policies whose first generation has some that are known."""

    knows: tuple[Policy, ...] = ()

    def begin(self, n: int, stream: Stream) -> list[Policy]:
        """Return those that are known, then random ones."""
        return [*self.knows, *super().begin(n, stream)][:n]


@lru_cache(maxsize=16)
def hand_made(extra: bool = False, always: str = "", relaxed: bool = False, recalls: bool = False) -> Policy:
    """Return Hc as a genome, in the book's language or in ours; `always` is what every rule says instead."""
    ask, tell = conditions(extra, relaxed, recalls), formulas(extra, relaxed, recalls)
    rules = tuple(((read(ask, condition),), (read(tell, always or value),)) for condition, value in BY_HAND)
    return Policy(rules, ((read(tell, always or BY_HAND_ELSE),),))


def known(settings: Settings) -> tuple[Policy, ...]:
    """Return the policies that are known: Hc, with our words two formulas made by hand that take off how far vehicles
    are from the start, and with relaxed plans the sum that was tuned for this mode, first.
    """
    extra, relaxed, recalls = words(settings)
    tuned = (total(tuned_sum(settings["mode"], recalls, settings["novel"])),) if relaxed else ()
    always = (*tuned, "", *(AWAY if extra else ()))
    return tuple(hand_made(extra, formula, relaxed, recalls) for formula in always)


def total(weights: Mapping[str, float]) -> str:
    """Return a weighted sum as the text of a value, as flat as can be.

    >>> total({"Layers": 1.5, "Moves": -2.0, "H1": 3.0})
    'Plus(Layers{1.5}, Plus(Moves{-2.0}, H1{3.0}))'
    """
    terms = [f"{word}{{{weight}}}" for word, weight in weights.items()]

    def joined(some: list[str]) -> str:
        half = len(some) // 2
        return some[0] if not half else f"Plus({joined(some[:half])}, {joined(some[half:])})"

    return joined(terms)


def course(settings: Settings, workers: int) -> TrainingCourse:
    """Return the boards to learn from."""
    return TrainingCourse(
        trials(settings["size"], workers),
        split(settings["size"], settings["group"], settings["eased"])[0],
        lambda genome: solver(settings, genome, "training_nodes"),
        reference(settings),
        settings["nodes"],
        nodes_saved if settings["excess"] == "forgiven" else nodes_less,
        settings["patience"],
        settings["excess"] == "weighed",
    )


def living(settings: Settings, workers: int) -> Ecology:
    """Return how policies and boards live together."""
    return ecology(
        kind(settings),
        course(settings, workers),
        settings["way"],
        settings["boards"],
        settings["every"],
        settings["population"],
    )


def measure(settings: Settings, genome: Policy, on: str, games: int, seed: int, workers: int) -> Measure:
    """Return the mean share of iterative deepening's nodes on the boards of the test; an unsolved one counts whole."""
    texts = split(settings["size"], settings["group"], settings["eased"])[1]
    places = trials(settings["size"], workers)
    bred = solver(settings, genome)
    found = places.solve_all([(bred, text, 0) for text in texts])
    blind = places.solve_all([(reference(settings), text, 0) for text in texts])
    limit = 2 * settings["nodes"]
    shares = [
        (one.nodes if one.solved else limit) / (other.nodes if other.solved else limit)
        for one, other in zip(found, blind, strict=True)
    ]
    return Measure.of_samples("share of nodes", shares, opponent=on, direction="less")


def examine(settings: Settings) -> None:
    """Raise BadParameter for settings that would be ignored."""
    if settings["novel"] and settings["mode"] != "order":
        raise BadParameter("parking: novel=true has no effect with mode=ida, for a cut must not depend on the way")
    if settings["probes"] and settings["mode"] != "order":
        raise BadParameter(f"parking: probes={settings['probes']} has no effect with mode=ida, orders alone are probed")
    if settings["noise"] and not settings["probes"]:
        raise BadParameter(f"parking: noise={settings['noise']:g} has no effect without probes")
    if settings["weight"] != 1 and settings["mode"] != "ida":
        raise BadParameter(f"parking: weight={settings['weight']:g} has no effect with mode=order, which cuts nothing")
    if settings["group"] != 1 and settings["size"] != 6:
        raise BadParameter(f"parking: group={settings['group']} has no effect with size=8, which has no groups")
    examine_way("parking", settings)


BY_HAND = (  # Hc, rule by rule
    ("GreaterEqual(PhaseByBlockers, ERC[0.8])", "H1"),
    ("AND(IsReleasingMove, GreaterEqual(ERC[0.5], BlockersLowerBound))", "Plus(H1, H2)"),
    ("IsMoveToSecluded", "Plus(H3, H1)"),
    ("GreaterEqual(NumberOfSiblings, ERC[0.5])", "Plus(Plus(H1, H1), H2)"),
    ("GreaterEqual(g, ERC[0.5])", "H3"),
)
BY_HAND_ELSE = "Plus(Plus(H1, H1), H3)"
AWAY = (  # Ha, for orders, and Hb, for cuts: the better ones of some formulas that were tried on boards of the training
    "Minus(Plus(Times(Digit[4.0], Layers), Plus(InTheWay, InTheWay)), Plus(Plus(CellsGone, CellsGone), Moves))",
    "Minus(Plus(Times(Digit[5.0], Layers), Times(Digit[4.0], H1)), Plus(CellsGone, CellsGone))",
)
MUTATIONS = (("subtree", 0.5), ("point", 0.2), ("constant", 0.3), ("local", 0.0))
MUTATIONS_OF_WEIGHTS = (("subtree", 0.3), ("point", 0.1), ("constant", 0.2), ("local", 0.4))
BOOK: dict[str, Value] = {
    "population": 75,
    "generations": 250,
    "breeding": "gp",
    "selection": "proportionate",
    "crossover": 0.4,
    "mutation": 0.1,
    "elite": 1,
    "yardstick_every": 10,
    "yardstick_games": 2,
    "finalists": 5,
    "last": 3,
    "finalist_games": 2,
    "champion_games": 2,
    "record_games": 2,
}
POLICIES = Experiment(
    name="parking",
    summary="ordered rules that guide iterative deepening through the parking puzzle",
    kind=lambda settings: living(settings, 1).kind,
    fitness=lambda settings, workers: Sampled(course(settings, workers), settings["boards"]),
    opponents=lambda settings: ("boards of the test",),
    measure=measure,
    settings=OPTIONS,
    defaults=BOOK,
    presets={
        "quick": {
            "population": 12,
            "generations": 6,
            "boards": 4,
            "nodes": 100_000,
            "training_nodes": 20_000,
            "yardstick_every": 3,
        },
        "standard": {
            **{"population": 24, "generations": 12, "boards": 6, "selection": "tournament", "tournament": 3},
            **{"mutation": 0.4, "yardstick_every": 4, "training_nodes": 60_000, "hand": True},
        },
        "paper": {},
    },
    champion=lambda settings, genome: {
        "game": car_park(settings["size"]).text,
        "player": written(solver(settings, genome)),  # type: ignore[arg-type]
    },
    facts=lambda settings, genome: {"brain": kind(settings).text(genome).splitlines()},
    identity=lambda settings: {"game": car_park(settings["size"]).fingerprint},
    examine=examine,
    ecology=living,
)
