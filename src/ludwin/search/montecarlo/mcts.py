"""MCTS: one Monte Carlo tree search, its parts handed in.

The idea.  Like `uct`, but every step may be exchanged: the selection formula is a program or another bandit
rule, and expansion, simulation, backup, the treatment of chance and the final choice have options.
Why it is right: with UCB1 every move is tried for ever, so means approach the values of best play.

What is where.  `walk` holds the loop, `rules` the bandits, `tree` the nodes, `family` the settings
that all searches of the family share, `session` one search with its workspace, `view` what people see of a
finished tree, `formula` the language of selection formulas.

References.  C. Browne et al., "A survey of Monte Carlo tree search methods", IEEE Trans. CIAIG 4 (2012), 1-43.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.names import Bundle, moves
from ludwin.kernel.specialise import Specialised
from ludwin.search.brain import Brain, Thinker, furnished, mind, named_evaluation
from ludwin.search.choice import Choice, setting
from ludwin.search.montecarlo import rules as rules
from ludwin.search.montecarlo import walk as walking
from ludwin.search.montecarlo.family import MOST_NODES, MOST_PLAIN, Family, Part
from ludwin.search.montecarlo.formula import Formula
from ludwin.search.montecarlo.several import choose_with_several_trees
from ludwin.search.montecarlo.walk import (
    BACKUPS,
    begin_search,
    begin_tree,
    gather_root,
    has_budget,
    iterate,
    recommend,
    undecided,
)
from ludwin.search.seat import Seat
from ludwin.search.values import wake

MOST_TREES = 4096  # so that shares of an unlimited budget do not overflow
ASKING = "cut=, prior=evaluation, expand=evaluation or widen="  # the settings with which opinions are asked for
TABLE_ROWS = 2**20  # the most rows of the tables behind transpositions and windows


def mcts(w: Bundle):
    """Return the recommended move of state 0 after the budget, divided among independent trees."""
    seed = w.rng[0]
    n = moves(w.states[0], w.bufs[0])
    begin_search(w, n)
    wake(w)
    for k in range(w.run.first_tree, w.run.last_tree):
        begin_tree(w, seed, k)
        begun = w.run.played
        while has_budget(w):
            iterate(w)
        w.run.limit += w.run.limit - begun  # robust-max may take as much again
        while undecided(w) and has_budget(w):
            iterate(w)
        gather_root(w)
    best = recommend(w, seed, n)
    moves(w.states[0], w.bufs[0])
    return w.bufs[0][best]


RULES: dict[str, Part] = {  # what each rule puts in the place of UCB1's parts
    "ucb": Part(),
    "thompson": Part({"score": rules.score_thompson}),
    "egreedy": Part({"pick_child": rules.pick_greedy}),
    "exp3": Part({"pick_child": rules.pick_exp3, "learn": rules.learn_exp3}, rules.EXPONENTIAL),
    "d-ucb": Part(
        {"score": rules.score_recent, "log_visits": rules.log_discounted, "learn": rules.learn_discounted},
        rules.RECENT,
    ),
    "sw-ucb": Part(
        {
            "score": rules.score_recent,
            "log_visits": rules.log_window,
            "learn": rules.learn_window,
            "begin_memory": rules.begin_window,
        },
        {**rules.RECENT, **rules.QUEUE},
        {"window": [rules.PLACE]},
    ),
    "puct": Part({"score": rules.score_puct, "advance": walking.next_of_all}),
    "rave": Part(
        {
            "score": rules.score_rave,
            "learn": rules.learn_rave,
            "simulate": walking.finish_noting,
            "advance": walking.next_of_all,
            "begin_memory": rules.begin_seen,
        },
        rules.ALL_FIRST,
        {"seen": [rules.SEEN]},
    ),
}
# `c`, where it is left out; those of puct and rave were found by matches at connect four and reversi
# (docs/results/mcts.md)
CONSTANTS = {"ucb": 1.0, "thompson": 1.0, "d-ucb": 1.0, "sw-ucb": 1.0, "puct": 3.0, "rave": 0.5}
WITH_UCB1 = ("ucb", "d-ucb", "sw-ucb", "rave")  # rules whose bonus has UCB1's factor


def _constants() -> str:
    return ", ".join(f"{value:g} ({rule})" for rule, value in CONSTANTS.items())


WHOLE = ("puct", "rave")  # rules that rank all moves of a node from the first visit on
PLAIN_LEARNERS = ("ucb", "thompson", "egreedy")  # rules that remember nothing beyond visits and rewards
TABLE = {"table": [rules.ENTRY]}
TRANSPOSITIONS = Part(
    {
        "record_of": walking.join,
        "spread_reward": walking.share,
        "mean_of": rules.shared_mean,
        "begin_memory": rules.begin_table,
    },
    members=TABLE,
)
BY_LIKING = {"choose_untried": rules.untried_by_liking}
ORDERS: dict[str, Part] = {
    "random": Part(),
    "order": Part({"choose_untried": rules.untried_in_order}),
    "evaluation": Part({**BY_LIKING, "like": rules.like_by_evaluation}),
    "amaf": Part(
        {
            **BY_LIKING,
            "like": rules.like_by_all,
            "learn": rules.learn_all,
            "simulate": walking.finish_noting,
            "begin_memory": rules.begin_table,
        },
        members=TABLE,
    ),
}
MOVES_TABLE = 2**14  # entries for the moves of a search (expand=amaf)


@dataclass(frozen=True)
class MCTS(Thinker, Family):
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
        "mean", "a node's value: the mean of its rewards, or that of its best child (MaxUCT)", choices=BACKUPS
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
    brain: Brain | None = mind()

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
        if self.brain is not None and not (self._asks or self._orders):
            raise BadParameter(f"mcts: a brain has no effect without {ASKING}; give one of them")
        self.refuse_idle(self._matters())

    @property
    def _asks(self) -> bool:
        """Whether cut-offs or priors ask for opinions."""
        return self.cut >= 0 or self.prior == "evaluation"

    @property
    def _orders(self) -> bool:
        """Whether untried moves may be ordered by opinions."""
        return self.expand == "evaluation" or (self.expand == "auto" and self.widen > 0)

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
        asks = self._asks
        with_c = any(map(math.isnan, Formula.parse(self.formula).numbers)) if self.formula else self.rule in CONSTANTS
        return {
            "c": (with_c, "C in the formula" if self.formula else "a rule that has a constant"),
            "factor": (not self.formula and self.rule in WITH_UCB1, f"rule={', '.join(WITH_UCB1)}, and no formula"),
            "secure": (self.recommend == "secure", "recommend=secure"),
            "power": (self.widen > 0, "widen="),
            "eval": (asks or self._orders, ASKING),
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
        asks = self._asks or order == "evaluation"
        if asks and self.eval == "game" and self.brain is None and "evaluate" not in game.offers:
            raise CannotPlay(f"mcts: cut, prior and expand need evaluate(s, p), which {game.name} does not define")
        self.demand_opinions(game)
        offered = (*ORDERS, *game.variants("order_"))
        if order not in offered:
            raise CannotPlay(f"mcts: {game.name} has no expand called {order!r} (it has {', '.join(offered)})")
        if self.backup == "max" and game.players > 1 and (game.players > 2 or game.payoff_sum is None):
            raise CannotPlay("mcts: backup=max is for at most two players with a constant payoff sum")

    def order(self, game: Game) -> str:
        """Return in which order untried moves are tried at this game."""
        if self.expand != "auto":
            return self.expand
        if self.widen <= 0:
            return "random"
        if self.eval != "game" or self.brain is not None or "evaluate" in game.offers:
            return "evaluation"
        return "amaf" if self._may_count_moves else "random"

    def _parts(self, game: Game) -> list[Part]:
        order = self.order(game)
        named = Part({**BY_LIKING, "like": rules.like_by_order, "order_score": f"order_{order}"})
        return [
            RULES[self.rule],
            ORDERS.get(order, named),
            Part({"trust": rules.trust_by_error} if self.bias else {}),
            TRANSPOSITIONS if self.transpositions else Part(),
            Part({"simulate": walking.finish_early} if self.cut >= 0 else {}),
            Part({"prior": rules.prior_evaluation} if self.prior == "evaluation" else {}),
            Part(named_evaluation(self.eval)),
        ]

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        return furnished(self._seat(game, "mcts", mcts), self.brain, game)

    def capacity(self, game: Game, compiled: bool = True) -> int:
        """Return for how many nodes there is room."""
        room = super().capacity(game, compiled)
        if self.rule not in WHOLE:
            return room
        return min(room * game.max_moves, MOST_NODES if compiled else MOST_PLAIN)

    def _tables(self, game: Game, room: int) -> dict[str, int]:
        """Return how many rows the tables of rules and options have."""
        room = min(room, TABLE_ROWS)
        if self.transpositions:
            return {"table": 2 * room + 2}
        if self.rule == "sw-ucb":
            return {"window": min(room * min(game.max_plies, 64), 4 * TABLE_ROWS) + 1}
        if self.rule == "rave":
            return {"seen": int(2 ** (4 * game.max_plies).bit_length())}
        return {"table": MOVES_TABLE} if self.order(game) == "amaf" else {}

    def _sizes(self, game: Game) -> dict[str, int]:
        cells = {"cells": Formula.parse(self.formula).size} if self.formula else {}
        return {**super()._sizes(game), **self._tables(game, self.capacity(game)), **cells}

    def _options(self, game: Game, room: int) -> dict[str, int | float]:
        rows = dict.fromkeys(("table_rows", "window_rows", "seen_rows"), 0)
        rows |= {f"{name}_rows": size for name, size in self._tables(game, room).items()}
        rich = bool(self.formula) and any(Formula.parse(self.formula).uses(letter) for letter in "VBDA")
        return {**super()._options(game, room), **rows, "rich": int(rich)}

    def _prepare(self, run: Specialised, w: Any) -> None:
        super()._prepare(run, w)
        if self.formula:
            formula = Formula.parse(self.formula).at(self.c)
            formula.write(w.cells, 0)
            w.run.finish = formula.size

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the recommended move; several trees grow in threads, with the same result as one after the other."""
        if self.trees == 1 or (mode != "fast" and not self.seconds):
            return super().choose(game, state, seed=seed, mode=mode)
        return choose_with_several_trees(self, game, state, seed, mode)
