"""MCTS: one Monte Carlo tree search, its parts handed in.

The idea.  Like `uct`, but every step may be exchanged: the selection formula is a program or another bandit
rule, and expansion, simulation, backup, the treatment of chance and the final choice have options.
Why it is right: with UCB1 every move is tried for ever, so means approach the values of best play.

What is where.  `mcts_walk` holds the loop, `mcts_rules` the bandits, `mcts_tree` the nodes, `mcts_view` what people see
of a finished tree, `formula` the language of selection formulas.

References.  C. Browne et al., "A survey of Monte Carlo tree search methods", IEEE Trans. CIAIG 4 (2012), 1-43.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.names import Floats, Ints, Moves, States, moves
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import mix
from ludwin.search import mcts_rules as rules
from ludwin.search import mcts_walk as walking
from ludwin.search.budget import Budgeted
from ludwin.search.choice import Choice, Player, must_move, setting
from ludwin.search.formula import DEEPEST, KNOWN, Formula
from ludwin.search.mcts_rules import FIRST_TREE, LAST_TREE, MEMORY, NODES, OPTIONS, PLAYOUTS, REALS, REUSE, STORE, TREES
from ludwin.search.mcts_several import choose_with_several_trees
from ludwin.search.mcts_tree import (
    DECISION,
    EDGE,
    EXPANDED,
    FINISH,
    FIRST,
    KIND,
    LIMIT,
    LOOKED,
    MEAN,
    NEXT,
    NODE,
    NODE_LIMIT,
    OUTSIDE,
    PLAYED,
    SIZE,
    STATS,
    STOP,
    VISITS,
    WORTH,
    plant,
    replant,
)
from ludwin.search.mcts_view import Metrics, SearchTree
from ludwin.search.mcts_walk import gather_root, has_budget, iterate, recommend, undecided
from ludwin.search.seat import Doubt, Seat, Sitting, alarm

MOST_NODES = 2**21  # a tree never grows beyond this (470 MB); then playouts start at its leaves
MOST_PLAIN = 2**16
UNLIMITED = 2**50
MOST_TREES = 4096  # so that shares of an unlimited budget do not overflow
SEARCHED = 5000  # states that are looked at to find a position in the tree of the move before
TABLE_ROWS = 2**20  # the most rows of the tables behind transpositions and windows
ARGUMENTS = (
    "tree",
    "worth",
    "path",
    "memory",
    "store",
    "program",
    "number",
    "known",
    "stack",
    "payoffs",
    "means",
    "roots",
    "options",
    "reals",
    "stats",
)


def clear_roots(roots, means, n):
    """Forget what earlier searches gathered about the root's moves."""
    for i in range(n):
        roots[i] = 0
        roots[n + i] = 0
        means[i] = 0.0
    return 0


def begin_tree(states, bufs, rng, tree, worth, memory, store, options, stats, seed, k):
    """Prepare tree number k: its stream, its share of the budget, its root."""
    rng[0] = mix(mix(0, seed), k)
    for i in range(options[MEMORY]):
        memory[i] = 0
    for i in range(options[STORE]):
        store[i] = 0.0
    if options[REUSE] > 0:
        replant(tree, worth, stats, options[REUSE] - 1)
    else:
        plant(states, bufs, tree, worth, stats)
    stats[PLAYED] = options[PLAYOUTS] * k // options[TREES]
    stats[LIMIT] = options[PLAYOUTS] * (k + 1) // options[TREES]
    stats[NODE_LIMIT] = stats[LOOKED] + max(options[NODES] // options[TREES], 1)
    return 0


def begin_search(stats):
    """Reset the counters; the budget's alarm is not touched."""
    stats[LOOKED] = 0
    stats[EXPANDED] = 0
    return 0


def mcts(
    states: States,
    bufs: Moves,
    rng: Ints,
    tree: Ints,
    worth: Floats,
    path: Ints,
    memory: Ints,
    store: Floats,
    program: Ints,
    number: Floats,
    known: Floats,
    stack: Floats,
    payoffs: Floats,
    means: Floats,
    roots: Ints,
    options: Ints,
    reals: Floats,
    stats: Ints,
):
    """Return the recommended move of state 0 after the budget, divided among independent trees."""
    seed = rng[0]
    n = moves(states[0], bufs[0])
    clear_roots(roots, means, n)
    begin_search(stats)
    for k in range(options[FIRST_TREE], options[LAST_TREE]):
        begin_tree(states, bufs, rng, tree, worth, memory, store, options, stats, seed, k)
        while has_budget(tree, stats):
            iterate(
                states,
                bufs,
                rng,
                tree,
                worth,
                path,
                memory,
                store,
                program,
                number,
                known,
                stack,
                payoffs,
                options,
                reals,
                stats,
            )
        stats[LIMIT] += stats[LIMIT] - options[PLAYOUTS] * k // options[TREES]  # robust-max may take as much again
        while undecided(tree, worth, options) and has_budget(tree, stats):
            iterate(
                states,
                bufs,
                rng,
                tree,
                worth,
                path,
                memory,
                store,
                program,
                number,
                known,
                stack,
                payoffs,
                options,
                reals,
                stats,
            )
        gather_root(tree, worth, roots, means, n)
    rng[0] = mix(mix(0, seed), -1)
    best = recommend(roots, means, n, options, reals, rng)
    moves(states[0], bufs[0])
    return bufs[0][best]


RECOMMENDATIONS = ("robust", "max", "robust-max", "secure")


@dataclass(frozen=True)
class Family(Budgeted):
    """What all searches of the family share: budgets, chance, rewards, the final choice."""

    playouts: int = setting(1000, "random games per move; 0: no limit (with nodes or seconds)", least=0)
    c: float = setting(1.0, "exploration constant, Q in units of the reward", least=0)
    nodes: int = setting(0, "stop after so many nodes, playouts included; 0: no limit", least=0)
    seconds: float = setting(
        0.0, "stop after so many seconds; 0: no limit (results then depend on the machine)", least=0
    )
    recommend: str = setting(
        "robust",
        "the final move: most visited, highest mean, both (longer if need be), or safest; with mcts no gain "
        "measured: max, robust-max, secure",
        choices=RECOMMENDATIONS,
    )
    secure: float = setting(1.0, "A of the secure child: the highest Q - A/sqrt(n)", least=0)
    terminal: str = setting(
        "resample", "a lottery at the end of the game: drawn at every visit, or once", choices=("resample", "frozen")
    )
    outcomes: str = setting(
        "below",
        "after a new outcome of nature's: add a move below it, or stop there (with mcts no gain measured)",
        choices=("below", "stop"),
    )
    expand: str = setting(
        "random", "untried moves in random order, or in that of the rules", choices=("random", "order")
    )
    rollouts: int = setting(1, "simulations per playout, averaged", least=1)
    reward: str = setting(
        "payoff", "what is maximised: payoffs, or 1, 0, -1 for win, draw, loss", choices=("payoff", "wins")
    )
    scale: float = setting(1.0, "rewards are divided by this, payoffs and wins alike", least=1e-9)
    reuse: int = setting(
        0,
        "1: keep the part of the tree below the new position from move to move; the budget comes on top",
        least=0,
        most=1,
    )
    solver: int = setting(
        0,
        "1: prove values, wins and losses above all (MCTS-Solver; at most two players, constant sum; with mcts no "
        "gain measured)",
        least=0,
        most=1,
    )

    @property
    def remembers(self) -> bool:
        """Whether the tree of the move before is kept."""
        return bool(self.reuse)

    greater: ClassVar[str] = "count wins with reward=wins, or leave out solver"  # what to do where payoffs are

    @property
    def greatest(self) -> float:
        """The greatest payoff; one that is proved ends the search below a position."""
        return 1.0

    @property
    def policy(self) -> int:
        """The number of the recommendation policy."""
        return RECOMMENDATIONS.index(self.recommend)

    @property
    def unit(self) -> float:
        """What a reward of 1 means in payoffs, or in wins."""
        return self.scale

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if this agent cannot play the game."""
        if game.has_secrets:
            raise CannotPlay(f"{self.name} sees everything, {game.name} hides something; try uct")
        if self.solver and (game.players > 2 or (game.players == 2 and game.payoff_sum is None)):
            raise CannotPlay(
                f"{self.name}: solver=1 proves games of at most two players with a constant payoff sum, {game.name} "
                f"is none"
            )

    def capacity(self, run: Specialised) -> int:
        """Return for how many nodes there is room."""
        budget = self.playouts or self.nodes or 2**20
        budget *= (2 if self.recommend == "robust-max" else 1) * (2 if self.reuse else 1)
        return min((3 if run.game.has_chance else 1) * budget + 2, MOST_NODES if run.compiled else MOST_PLAIN)

    def _options(self, run: Specialised, room: int) -> dict[int, int]:
        game = run.game
        return {
            rules.PLAYOUTS: self.playouts or UNLIMITED,
            rules.NODES: self.nodes or UNLIMITED,
            rules.ROOM: room,
            rules.TREES: 1,
            rules.LAST_TREE: 1,
            rules.EXPAND: int(self.expand == "order"),
            rules.TERMINAL: int(self.terminal == "frozen"),
            rules.OUTCOMES: int(self.outcomes == "stop"),
            rules.RECOMMEND: self.policy,
            rules.SOLVER: self.solver,
            rules.ROLLOUTS: self.rollouts,
            rules.REWARD: int(self.reward == "wins"),
            rules.CONSTANT_SUM: int(game.payoff_sum is not None),
        }

    def _reals(self, game: Game) -> dict[int, float]:
        total = 0.0 if self.reward == "wins" else (game.payoff_sum or 0.0) / self.scale
        top = (1.0 if self.reward == "wins" else self.greatest) / self.scale
        return {
            rules.C: self.c,
            rules.FACTOR: 1.0,
            rules.SCALE: self.scale,
            rules.SUM: total,
            rules.CAUTION: self.secure,
            rules.TOP: top,
        }

    def _tables(self, run: Specialised) -> tuple[int, int]:
        """Return how many cells `memory` and `store` have."""
        return 1, 1

    def _programs(self) -> int:
        """Return how many cells the formulas take."""
        return 1

    def _workspace(self, run: Specialised) -> list[Any]:
        game, room = run.game, self.capacity(run)
        room_all = room + game.max_moves + 2  # a node that is unfolded takes a child per move
        memory, store = self._tables(run)
        arrays = {
            "tree": run.ints(NODE * room_all),
            "worth": run.floats(WORTH * room_all),
            "path": run.ints(3 * (game.max_plies + 2)),
            "memory": run.ints(memory),
            "store": run.floats(store),
            "program": run.ints(self._programs()),
            "number": run.floats(self._programs()),
            "known": run.floats(KNOWN),
            "stack": run.floats(DEEPEST + 4),
            "payoffs": run.floats(2 * game.players),
            "means": run.floats(game.max_moves),
            "roots": run.ints(2 * game.max_moves),
            "options": run.ints(OPTIONS),
            "reals": run.floats(REALS),
            "stats": run.ints(STATS),
        }
        for place, value in {**self._options(run, room), MEMORY: memory, STORE: store}.items():
            arrays["options"][place] = value
        for place, real in self._reals(game).items():
            arrays["reals"][place] = real
        self._prepare(arrays)
        return [arrays[name] for name in ARGUMENTS]

    def _doubt(self, game: Game) -> Doubt:
        """Return what a search must not meet: a payoff that its proofs hold for impossible."""
        reason = (
            f"{self.name}: solver=1 takes {self.greatest:g} for the greatest payoff, and {game.name} has a "
            f"greater one; {self.greater}"
        )
        return Doubt(ARGUMENTS.index("stats"), OUTSIDE, reason)

    def _prepare(self, arrays: Mapping[str, Any]) -> None:
        """Write what else the kernel finds in its workspace."""

    def session(self, game: Game, mode: str = "fast") -> "SearchSession":
        """Return a search that keeps its workspace, and with `reuse` its tree, from move to move."""
        return SearchSession(self, game, mode)

    def sit(self, game: Game, mode: str = "fast") -> Player:
        """Return what chooses in one game."""
        return self.session(game, mode).go_on if self.reuse else super().sit(game, mode)

    def tree(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> SearchTree:
        """Return the statistical tree behind a choice."""
        session = self.session(game, mode)
        session.must_be_one_tree()
        session.choose(state, seed)
        return session.tree()

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the recommended move, with visits and mean rewards of all."""
        return self.session(game, mode).choose(state, seed)


class SearchSession:
    """A search with its workspace: it can be asked again and again, and go on with the tree that it has.

    `choose` forgets the tree of the move before, unless the agent has `reuse=1`: then the part of it below the new
    position is kept (if the position is found there), and the budget comes on top.
    """

    def __init__(self, agent: Family, game: Game, mode: str):
        agent.suits(game)
        self.agent, self.game, self.mode = agent, game, mode
        self.sitting = Sitting(agent.seat(game), game, mode)
        self.state: State | None = None
        self.seed = 0
        self.played: tuple[int, ...] = ()  # the moves of the game before the tree's root, as far as we were told

    def __getitem__(self, name: str) -> Any:
        return self.sitting.arguments[ARGUMENTS.index(name)]

    def choose(self, state: State, seed: int = 0) -> Choice:
        """Return the recommended move of this position."""
        return self._search(state, seed, self._find(state) if self.agent.reuse else None)

    def go_on(self, state: State, seed: int, played: Sequence[int]) -> Choice:
        """Return the recommended move of this position, which is reached by these moves of one game."""
        known = self.agent.reuse and self.state is not None and tuple(played[: len(self.played)]) == self.played
        choice = self._search(state, seed, self._follow(played[len(self.played) :]) if known else None)
        self.played = tuple(played)
        return choice

    def _search(self, state: State, seed: int, root: int | None) -> Choice:
        """Grow a new tree, or the one that we have from this node on."""
        must_move(self.game, state)
        self["options"][REUSE] = 0 if root is None else 1 + root
        with alarm(self.agent.seconds, self["stats"], STOP):
            best = self.sitting.choose(state, seed)
        self["options"][REUSE] = 0
        self.state, self.seed = state, seed
        return self._choice(state, best)

    def _follow(self, since: Sequence[int]) -> int | None:
        """Return the node that these moves lead to; None if the tree does not reach it."""
        tree, node = self["tree"], 0
        for move in since:
            child = int(tree[NODE * node + FIRST])
            while child and tree[NODE * child + EDGE] != move:
                child = int(tree[NODE * child + NEXT])
            if not child:
                return None
            node = child
        return node if tree[NODE * node + KIND] == DECISION and tree[NODE * node + VISITS] > 0 else None

    def _find(self, state: State) -> int | None:
        """Return the node of this position in the tree that there is, the nearest to the root; None if it is not
        there.
        """
        if self.state is None:
            return None
        tree, waiting = self["tree"], deque([(0, self.state)])
        for _ in range(SEARCHED):
            if not waiting:
                break
            node, here = waiting.popleft()
            if here == state and tree[NODE * node + KIND] == DECISION:
                return node
            child = int(tree[NODE * node + FIRST])
            while child:
                if tree[NODE * child + VISITS] > 0:
                    waiting.append((child, here._play(int(tree[NODE * child + EDGE]))))
                child = int(tree[NODE * child + NEXT])
        return None

    def _choice(self, state: State, best: int) -> Choice:
        n, stats = len(state.moves()), self["stats"]
        visits = {move: int(self["roots"][i]) for i, move in enumerate(state.moves())}
        unit = self.agent.unit
        values = {move: float(self["means"][i]) * unit for i, move in enumerate(state.moves())}
        proved = {move: bool(self["roots"][n + i]) for i, move in enumerate(state.moves())}
        playouts = int(stats[PLAYED]) if self["options"][TREES] == 1 else sum(visits.values())
        kinds = {"playouts": playouts, "tree": int(stats[SIZE]), "expanded": int(stats[EXPANDED])}
        line = (
            (best,)
            if self["options"][TREES] > 1
            else tuple(int(self["tree"][NODE * node + EDGE]) for node in self.path()[1:])
        )
        line = line if line[:1] == (best,) else (best,)
        return Choice(
            best,
            values[best],
            int(stats[LOOKED]),
            decided=proved[best],
            kinds=kinds,
            line=line,
            visits=visits,
            values=values,
        )

    def path(self) -> list[int]:
        """Return the most visited line as nodes of the arrays (the higher mean, then the older among equals)."""
        tree, worth = self["tree"], self["worth"]
        nodes = [0]
        while True:
            best, child = 0, int(tree[NODE * nodes[-1] + FIRST])
            while child:
                rank = tree[NODE * child + VISITS], worth[WORTH * child + MEAN]
                if rank[0] > 0 and (not best or rank >= (tree[NODE * best + VISITS], worth[WORTH * best + MEAN])):
                    best = child  # children hang newest first, so the last of equals is the oldest
                child = int(tree[NODE * child + NEXT])
            if not best:
                return nodes
            nodes.append(best)

    def metrics(self) -> Metrics:
        """Return the metrics of the tree as it is now, without making a value of every node."""
        self.must_be_one_tree()
        return Metrics.read(self["tree"], int(self["stats"][SIZE]), int(self["stats"][PLAYED]), self.path())

    def must_be_one_tree(self) -> None:
        """Raise BadParameter if there are several trees to look at."""
        if self["options"][TREES] > 1:
            raise BadParameter(
                f"{self.agent.name}: {self['options'][TREES]} trees have no common picture or metrics; leave out trees="
            )

    def tree(self) -> SearchTree:
        """Return the statistical tree as it is now."""
        self.must_be_one_tree()
        size = int(self["stats"][SIZE])
        return SearchTree.read(self.game, self.state, self["tree"], self["worth"], size, int(self["stats"][PLAYED]))


RULES: dict[str, dict[str, Any]] = {  # what each rule puts in the place of UCB1's parts
    "ucb": {},
    "thompson": {"score": rules.score_thompson},
    "egreedy": {"pick_child": rules.pick_greedy},
    "exp3": {"pick_child": rules.pick_exp3, "learn": rules.learn_exp3},
    "d-ucb": {"score": rules.score_recent, "log_visits": rules.log_discounted, "learn": rules.learn_discounted},
    "sw-ucb": {"score": rules.score_recent, "log_visits": rules.log_window, "learn": rules.learn_window},
    "puct": {"score": rules.score_puct, "advance": walking.next_of_all},
    "rave": {
        "score": rules.score_rave,
        "learn": rules.learn_rave,
        "simulate": walking.finish_noting,
        "advance": walking.next_of_all,
    },
}
# `c`, where it is left out; those of puct and rave were found by matches at connect four and reversi
# (docs/results/mcts.md)
CONSTANTS = {"ucb": 1.0, "thompson": 1.0, "d-ucb": 1.0, "sw-ucb": 1.0, "puct": 3.0, "rave": 0.5}
WITH_UCB1 = ("ucb", "d-ucb", "sw-ucb", "rave")  # rules whose bonus has UCB1's factor


def _constants() -> str:
    return ", ".join(f"{value:g} ({rule})" for rule, value in CONSTANTS.items())


WHOLE = ("puct", "rave")  # rules that rank all moves of a node from the first visit on
PLAIN_LEARNERS = ("ucb", "thompson", "egreedy")  # rules that remember nothing beyond visits and rewards
ORDERS: dict[str, dict[str, Any]] = {
    "random": {},
    "order": {},
    "evaluation": {"like": rules.like_by_evaluation},
    "amaf": {"like": rules.like_by_all, "learn": rules.learn_all, "simulate": walking.finish_noting},
}
MOVES_TABLE = 2**14  # slots for the moves of a search (expand=amaf)


@dataclass(frozen=True)
class MCTS(Family):
    """Monte Carlo tree search with a choice of formulas, bandit rules, proofs, widening, transpositions and more.

    What each option gained against plain search at four games is in docs/results/mcts.md; those that gained nothing say
    so.
    """

    name: ClassVar[str] = "mcts"
    greater: ClassVar[str] = "give high="
    c: float = setting(
        None,
        f"exploration constant, Q in units of the reward; left out, the rule's own: {_constants()}",
        least=0,
        kind=float,
    )
    expand: str = setting(
        "auto",
        "which untried move next: random; order (of the rules); evaluation (the best behind it); "
        "amaf (the best mean in all playouts); NAME for the game's order_NAME; "
        "auto: random, with widen by evaluation or else amaf; no gain measured: order, evaluation, amaf",
    )
    formula: str = setting(
        "",
        "selection formula of Q, n, N, C (also V, B, D, A); none: UCB1, Q + C*sqrt(factor*log(N)/n) (UCB1-tuned: no "
        "gain measured)",
    )
    factor: float = setting(1.0, "the factor in UCB1: 1, or 2 as its authors print it (no gain measured)", least=0)
    rule: str = setting(
        "ucb", "how a child is picked; no gain measured: thompson, egreedy, exp3, d-ucb", choices=tuple(RULES)
    )
    backup: str = setting(
        "mean", "a node's value: the mean of its rewards, or that of its best child (MaxUCT)", choices=("mean", "max")
    )
    widen: float = setting(0.0, "progressive widening: at most widen * N**power children; 0: none", least=0)
    power: float = setting(0.5, "the power of progressive widening", least=0)
    transpositions: int = setting(
        0, "1: positions reached on several ways share their mean (no gain measured)", least=0, most=1
    )
    cut: int = setting(-1, "evaluate after so many plies of a simulation; -1: play to the end", least=-1)
    eval: str = setting("game", "which evaluation for cut and prior: game, or NAME for the game's evaluate_NAME")
    low: float = setting(-1.0, "the least payoff (cut, prior, exp3)")
    high: float = setting(1.0, "the greatest payoff (cut, prior, exp3, solver)")
    epsilon: float = setting(0.1, "probability of a random child (egreedy)", least=0)
    gamma: float = setting(0.1, "share of exploration (exp3)", least=0)
    discount: float = setting(0.99, "how much of the past remains (d-ucb)", least=0)
    window: int = setting(500, "choices that a node remembers (sw-ucb)", least=1)
    equivalence: float = setting(
        300.0,
        "visits of a node at which own and all-moves-as-first means weigh the same (rave)",
        least=0,
    )
    bias: float = setting(
        0.0,
        "of all-moves-as-first, in deviations of the reward: means are weighed by least squared error instead (rave; "
        "no gain measured); 0: by equivalence",
        least=0,
    )
    prior: str = setting(
        "uniform",
        "preferences of puct, and of rave among moves never played: all moves alike, or by the evaluation behind them",
        choices=("uniform", "evaluation"),
    )
    temperature: float = setting(0.2, "of the preferences by evaluation", least=1e-6)
    trees: int = setting(1, "independent trees that share the budget (root parallelism; no gain measured)", least=1)

    def __post_init__(self) -> None:
        if self.c is None:
            object.__setattr__(self, "c", self.usual("c", None))
        super().__post_init__()
        if self.formula:
            object.__setattr__(self, "formula", str(Formula.parse(self.formula)))
        if self.formula and self.rule != "ucb":
            raise BadParameter(f"mcts: a formula goes with rule=ucb, not with rule={self.rule}")
        if not -math.inf < self.low < self.high < math.inf:
            raise BadParameter(f"mcts: low must be below high, and both finite, got {self.low:g} and {self.high:g}")
        for word in ("epsilon", "gamma", "discount"):
            if getattr(self, word) > 1:
                raise BadParameter(f"mcts: {word} must be at most 1, got {getattr(self, word):g}")
        if self.reuse and (self.rule == "sw-ucb" or self.trees > 1):
            raise BadParameter("mcts: a tree is not kept (reuse=1) with rule=sw-ucb or several trees")
        if self.trees > MOST_TREES:
            raise BadParameter(f"mcts: trees must be at most {MOST_TREES}, got {self.trees}")
        if self.trees > 1 and self.playouts and self.trees > self.playouts:
            raise BadParameter(f"mcts: {self.trees} trees need as many playouts, got {self.playouts}")
        if self.transpositions and self.rule in ("sw-ucb", "rave"):
            raise BadParameter(f"mcts: transpositions do not go with rule={self.rule}")
        if self.rule == "rave" and (self.cut >= 0 or self.rollouts > 1):
            raise BadParameter("mcts: rave looks at one whole playout; leave out cut and rollouts")
        if self.rule in WHOLE and (self.widen or self.expand != "auto"):
            why = f"mcts: rule={self.rule} ranks all moves from the first visit on"
            raise BadParameter(f"{why}; leave out widen and expand")
        if self.expand == "amaf" and not self._may_count_moves:
            known = ", ".join(PLAIN_LEARNERS)
            raise BadParameter(
                f"mcts: expand=amaf goes with rule={known}; leave out transpositions, cut, rollouts, reuse"
            )
        self.refuse_idle(self._matters())

    @property
    def _may_count_moves(self) -> bool:
        """Whether the rewards of all moves of a search can be remembered: nothing else uses that memory."""
        spare = not self.transpositions and not self.reuse and self.cut < 0 and self.rollouts == 1
        return spare and self.rule in PLAIN_LEARNERS

    def usual(self, name: str, default: Any) -> Any:
        """Return what a setting is where it is left out; every rule has a constant of its own."""
        return CONSTANTS.get(self.rule, 0.0) if name == "c" else default

    def _matters(self) -> dict[str, tuple[bool, str]]:
        """Return of settings whether the others let them have an effect, and what they need."""
        asks = self.cut >= 0 or self.prior == "evaluation"
        orders = self.expand == "evaluation" or (self.expand == "auto" and self.widen > 0)
        with_c = any(map(math.isnan, Formula.parse(self.formula).numbers)) if self.formula else self.rule in CONSTANTS
        return {
            "c": (with_c, "C in the formula" if self.formula else "a rule that has a constant"),
            "factor": (not self.formula and self.rule in WITH_UCB1, f"rule={', '.join(WITH_UCB1)}, and no formula"),
            "secure": (self.recommend == "secure", "recommend=secure"),
            "power": (self.widen > 0, "widen="),
            "eval": (asks or orders, "cut=, prior=evaluation, expand=evaluation or widen="),
            "low": (asks or self.rule == "exp3" or self.solver > 0, "cut=, prior=evaluation, rule=exp3 or solver=1"),
            "high": (asks or self.rule == "exp3" or self.solver > 0, "cut=, prior=evaluation, rule=exp3 or solver=1"),
            "epsilon": (self.rule == "egreedy", "rule=egreedy"),
            "gamma": (self.rule == "exp3", "rule=exp3"),
            "discount": (self.rule == "d-ucb", "rule=d-ucb"),
            "window": (self.rule == "sw-ucb", "rule=sw-ucb"),
            "bias": (self.rule == "rave", "rule=rave"),
            "equivalence": (self.rule == "rave" and not self.bias, "rule=rave and bias=0"),
            "prior": (self.rule in WHOLE, "rule=puct or rule=rave"),
            "temperature": (self.rule in WHOLE and self.prior == "evaluation", "prior=evaluation"),
        }

    @property
    def greatest(self) -> float:
        """The greatest payoff."""
        return self.high

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if this agent cannot play the game."""
        super().suits(game)
        order = self.order(game)
        asks = self.cut >= 0 or self.prior == "evaluation" or order == "evaluation"
        if asks and self.eval == "game" and "evaluate" not in game.offers:
            raise CannotPlay(f"mcts: cut, prior and expand need evaluate(s, p), which {game.name} does not define")
        for what, value, known in (("eval", self.eval, ("game",)), ("expand", order, tuple(ORDERS))):
            offered = (*known, *game.variants("evaluate_" if what == "eval" else "order_"))
            if value not in offered:
                raise CannotPlay(f"mcts: {game.name} has no {what} called {value!r} (it has {', '.join(offered)})")
        if self.backup == "max" and game.players > 1 and (game.players > 2 or game.payoff_sum is None):
            raise CannotPlay("mcts: backup=max is for at most two players with a constant payoff sum")

    def order(self, game: Game) -> str:
        """Return in which order untried moves are tried at this game."""
        if self.expand != "auto":
            return self.expand
        if self.widen <= 0:
            return "random"
        if self.eval != "game" or "evaluate" in game.offers:
            return "evaluation"
        return "amaf" if self._may_count_moves else "random"

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        bind, order = dict(RULES[self.rule]), self.order(game)
        if order not in ("random", "order"):
            named = {"like": rules.like_by_order, "order_score": f"order_{order}"}
            bind |= {"choose_untried": rules.untried_by_liking, **ORDERS.get(order, named)}
        if self.bias:
            bind |= {"trust": rules.trust_by_error}
        if self.transpositions:
            bind |= {"record_of": walking.join, "mean_of": rules.shared_mean}
        if self.cut >= 0:
            bind |= {"simulate": walking.finish_early}
        if self.prior == "evaluation":
            bind |= {"prior": rules.prior_evaluation}
        if self.eval != "game":
            bind |= {"evaluate": f"evaluate_{self.eval}"}
        return Seat(Kernel("mcts", mcts, bind=bind), 4, self._workspace, self._doubt(game))

    def capacity(self, run: Specialised) -> int:
        """Return for how many nodes there is room."""
        room = super().capacity(run)
        if self.rule not in WHOLE:
            return room
        return min(room * run.game.max_moves, MOST_NODES if run.compiled else MOST_PLAIN)

    def _tables(self, run: Specialised) -> tuple[int, int]:
        room = min(self.capacity(run), TABLE_ROWS)
        if self.transpositions:
            return 2 * room + 2, 4 * room + 6
        if self.rule == "sw-ucb":
            places = min(room * min(run.game.max_plies, 64), 4 * TABLE_ROWS)
            return 2 * places + 2, places + 1
        if self.rule == "rave":
            return 4 * 2 ** (4 * run.game.max_plies).bit_length(), 1
        if self.order(run.game) == "amaf":
            return MOVES_TABLE, 2 * MOVES_TABLE
        return 1, 1

    def _options(self, run: Specialised, room: int) -> dict[int, int]:
        memory = self._tables(run)[0]
        rows = {"sw-ucb": memory // 2, "rave": memory // 4}.get(self.rule, memory)
        more = {
            rules.BACKUP: int(self.backup == "max"),
            rules.CUT: self.cut,
            rules.TABLE: rows,
            rules.WINDOW: self.window,
        }
        rich = int(bool(self.formula) and any(Formula.parse(self.formula).uses(letter) for letter in "VBDA"))
        return {
            **super()._options(run, room),
            **more,
            rules.RICH: rich,
            rules.TREES: self.trees,
            rules.LAST_TREE: self.trees,
        }

    def _reals(self, game: Game) -> dict[int, float]:
        return {
            **super()._reals(game),
            rules.FACTOR: self.factor,
            rules.WIDEN: self.widen,
            rules.WIDEN_POWER: self.power,
            rules.EPSILON: self.epsilon,
            rules.GAMMA: self.discount if self.rule == "d-ucb" else self.gamma,
            rules.LOW: self.low,
            rules.HIGH: self.high,
            rules.RAVE: self.equivalence,
            rules.BIAS: self.bias,
            rules.PRIOR: self.temperature,
        }

    def _programs(self) -> int:
        return Formula.parse(self.formula).size if self.formula else 1

    def _prepare(self, arrays: Mapping[str, Any]) -> None:
        if self.formula:
            formula = Formula.parse(self.formula).at(self.c)
            for i, (code, number) in enumerate(zip(formula.codes, formula.numbers, strict=True)):
                arrays["program"][i] = code
                arrays["number"][i] = number
            arrays["stats"][FINISH] = formula.size

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the recommended move; several trees grow in threads, with the same result as one after the other."""
        if self.trees == 1 or (mode != "fast" and not self.seconds):
            return super().choose(game, state, seed=seed, mode=mode)
        return choose_with_several_trees(self, game, state, seed, mode)
