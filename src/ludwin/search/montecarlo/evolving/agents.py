"""EA-MCTS and SIEA-MCTS: breed the selection formula while thinking about one move.

The idea.  The search begins as plain MCTS.  When every move of the root has been tried, a tiny evolution strategy
starts from UCB1: each generation makes four mutations, and each is worth the mean reward of thirty ordinary
playouts that use it; the best formula so far then plays on with the rest of the budget.  SIEA-MCTS breaks
ties between equally fit formulas by how far their rewards lie from the parent's.

Why the options.  Reward alone breeds greed: formulas that no longer explore win early and stay.  The options try what
may help against that: a filter for sane formulas, a fitness that counts new nodes, measuring the parent again, other
ways to share playouts, more terminals, evolution to the end, only the constant, a regret term that stays, offspring
that must behave otherwise, and a guard that mixes in UCB1 or the seed.  With a tree that is kept, the formula may be
kept too.

References.  See `evolution`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ludwin.errors import BadParameter
from ludwin.game import Game, State
from ludwin.kernel.names import Bundle, mover, moves
from ludwin.kernel.specialise import Specialised
from ludwin.search import choice
from ludwin.search.choice import Choice, setting
from ludwin.search.montecarlo.evolving import evolution as ea
from ludwin.search.montecarlo.evolving.evolution import (
    ARCHIVE,
    DECISIONS,
    ONCE,
    archive,
    begin_evolution,
    breed,
    choose_parent,
    copy_formula,
    final_slot,
    forget,
    install,
    measure_distances,
    next_to_measure,
    note,
    remeasure,
    try_once,
)
from ludwin.search.montecarlo.evolving.vary import FILTERS
from ludwin.search.montecarlo.family import Family
from ludwin.search.montecarlo.formula import CONSTANTS, REGRETS, SEEDS, UCB1, Formula
from ludwin.search.montecarlo.session import SearchSession
from ludwin.search.montecarlo.walk import begin_search, begin_tree, gather_root, has_budget, iterate, recommend
from ludwin.search.seat import Seat


def measure_seed(w, first: int):
    """Put the first formula into the parent's slot and measure it; it is the best so far."""
    copy_formula(w, first, 0)
    forget(w.formulas[0])
    measure_parent(w)
    copy_formula(w, 0, w.options.offspring + 1)
    return 0


def measure_parent(w):
    """Measure the parent by as many playouts as an offspring gets."""
    for _ in range(w.options.samples):
        if has_budget(w):
            try_once(w, 0)
    return 0


def measure_offspring(w):
    """Measure a generation; return False if the budget ended on the way."""
    for k in range(w.options.offspring * w.options.samples):
        if not has_budget(w):
            return False
        try_once(w, next_to_measure(w, k))
    return True


def evolving(w: Bundle):
    """Return the recommended move of state 0: plain search, evolution once the root is full, then the evolved
    formula.
    """
    # Step 1. Begin as plain MCTS until every move of the root has been tried.
    seed = w.rng[0]
    run = w.run
    options = w.options
    evolution = w.evolution
    evolution.me = mover(w.states[0])
    n = moves(w.states[0], w.bufs[0])
    begin_search(w, n)
    begin_tree(w, seed, 0)
    first = begin_evolution(w)
    while has_budget(w) and w.tree[0].children < w.tree[0].width:
        iterate(w)
    # Step 2. Evolve: the seed, then generations of offspring, each measured on the living tree.
    evolution.began = run.played
    evolves = has_budget(w)
    going = evolves
    if evolves:
        measure_seed(w, first)
        note(w, 0)
        archive(w, 0)
        going = has_budget(w)
    while going and (evolution.generation < options.generations or options.continued > 0):
        evolution.generation += 1
        epoch = w.epochs[min(evolution.generation, options.rows) - 1]
        epoch.started = run.played
        if options.measure != ONCE and evolution.generation > 1:
            remeasure(w)
            measure_parent(w)
        breed(w)
        going = measure_offspring(w)
        measure_distances(w)
        for i in range(1, options.offspring + 1):
            note(w, i)
        if going:  # else the budget ended: the tree decides, no formula is needed any more
            choose_parent(w, epoch)
            going = has_budget(w)
    evolution.ended = run.played
    # Step 3. Play on with the best formula.
    best = final_slot(w) if evolves else first
    evolution.installed = best
    while has_budget(w):
        install(w, best)
        iterate(w)
    gather_root(w)
    place = recommend(w, seed, n)
    moves(w.states[0], w.bufs[0])
    return w.bufs[0][place]


@dataclass(frozen=True)
class FormulaIndividual:
    """A formula that evolution measured."""

    generation: int  # 0: the seed
    formula: Formula
    fitness: float
    reward: float  # the mean reward of its playouts
    novelty: float  # new nodes per playout, or how mixed its branches are
    distance: float  # from the parent's behaviour
    playouts: int


@dataclass(frozen=True)
class FormulaGeneration:
    """How one generation was decided: `clear`, `parent kept`, `semantics` or `chance`; winner 0 is the parent."""

    tied: bool
    how: str
    winner: int
    started: int  # after so many playouts


@dataclass(frozen=True)
class Evolution:
    """What happened while one move was chosen."""

    individuals: tuple[FormulaIndividual, ...] = field(repr=False)
    generations: tuple[FormulaGeneration, ...] = field(repr=False)
    formula: Formula  # the one that played on
    began: int  # playouts before evolution
    ended: int
    redone: int = 0  # mutations that would have picked the parent's children

    @property
    def playouts(self) -> int:
        """How many playouts evolution took."""
        return self.ended - self.began

    def json(self) -> dict[str, Any]:
        """Return everything as one JSON object; a number that is not finite is null."""

        def plain(x: float) -> float | None:
            return x if math.isfinite(x) else None

        return {
            "formula": str(self.formula),
            "size": self.formula.size,
            "depth": self.formula.depth,
            "uses": [letter for letter in "QnNVBDA" if self.formula.uses(letter)],
            "constants": list(self.formula.constants),
            "began": self.began,
            "ended": self.ended,
            "redone": self.redone,
            "generations": [
                {"tied": g.tied, "how": g.how, "winner": g.winner, "started": g.started} for g in self.generations
            ],
            "individuals": [
                {
                    "generation": i.generation,
                    "formula": str(i.formula),
                    "size": i.formula.size,
                    "depth": i.formula.depth,
                    "fitness": plain(i.fitness),
                    "reward": plain(i.reward),
                    "novelty": plain(i.novelty),
                    "distance": plain(i.distance),
                    "playouts": i.playouts,
                }
                for i in self.individuals
            ],
        }


class EvolvingSession(SearchSession):
    """A search with evolution, and the log of the last one."""

    def _choice(self, state: State, best: int) -> Choice:
        """Return the choice; its reasons say how many playouts went into evolution."""
        made, evolution = super()._choice(state, best), self.w.evolution
        return replace(made, kinds={**made.kinds, "evolution": int(evolution.ended) - int(evolution.began)})

    def evolution(self) -> Evolution:
        """Return the log of the last choice."""
        w, about = self.w, self.w.evolution
        individuals = []
        for k in range(int(about.individuals)):
            of, formula = w.figures[k], Formula.read(w.history, int(w.log[k].begin), int(w.figures[k].size))
            figures = (float(of.fitness), float(of.reward), float(of.novelty), float(of.distance))
            individuals.append(FormulaIndividual(int(w.log[k].generation), formula, *figures, int(of.measured)))
        epochs = [w.epochs[k] for k in range(min(int(about.generation), int(w.options.rows)))]
        generations = tuple(
            FormulaGeneration(bool(e.tied), DECISIONS[e.how], int(e.winner), int(e.started)) for e in epochs
        )
        slot = int(about.installed)
        formula = Formula.read(w.cells, slot * int(w.options.length), int(w.formulas[slot].size))
        began, ended, redone = int(about.began), int(about.ended), int(about.redone)
        return Evolution(tuple(individuals), generations, formula, began, ended, redone)


@dataclass(frozen=True)
class EAMCTS(Family):
    """MCTS that evolves its selection formula while it thinks; the defaults are those of the thesis."""

    name: ClassVar[str] = "ea-mcts"
    semantic: ClassVar[bool] = False
    fixed: ClassVar[Mapping[str, int | float]] = {
        **Family.fixed,
        "behaviour": 0,
        "high": 0.0,
        "low": 0.0,
        "window": 0,
    }
    playouts: int = setting(5000, "random games per move; 0: no limit (with nodes or seconds)", least=0)
    c: float = setting(math.sqrt(2), "the constant of the seed formula", least=0)
    offspring: int = setting(4, "lambda: mutations a generation", least=1)
    generations: int = setting(20, "generations of evolution", least=0)
    samples: int = setting(30, "playouts that measure a formula", least=1)
    seed_form: str = setting(
        "13", "what evolution begins with: UCB1 of 13 nodes or 11, or Q + sqrt(sqrt(N)/n)", choices=tuple(SEEDS)
    )
    deepest: int = setting(8, "the greatest depth of a formula, in edges (at most 10)", least=1)
    inner: float = setting(0.9, "probability that a mutation changes an inner node rather than a leaf", least=0)
    filter: str = setting(
        "none", "offspring must prefer better and less visited children: on two trees, or on a grid", choices=FILTERS
    )
    fitness: str = setting("reward", "mean reward; with novelty; or both as two objectives", choices=ea.FITNESSES)
    novelty: float = setting(0.1, "what novelty is worth (fitness=explore, pareto)", least=0)
    explores: str = setting(
        "nodes",
        "what novelty is: new nodes per playout, or how mixed the branches at depth 3 are",
        choices=ea.NOVELTIES,
    )
    measure: str = setting(
        "once", "the parent's fitness: never measured again, only the latest measure, or all", choices=ea.MEASURES
    )
    allocate: str = setting(
        "equal", "playouts of a generation: one after the other, in turns, or by a bandit", choices=ea.ALLOCATIONS
    )
    continued: int = setting(0, "1: evolve until the budget ends", least=0, most=1)
    install: str = setting("best", "what plays on: the best ever, or the last parent", choices=ea.INSTALLS)
    evolve: str = setting("formula", "what evolves: the formula, or only UCB1's constant", choices=ea.EVOLVES)
    sigma: float = setting(0.5, "how far the constant jumps (evolve=constant)", least=0)
    rich: int = setting(0, "1: more terminals: variance, best child, depth, branching", least=0, most=1)
    guard: float = setting(
        0.0, "probability that a playout uses UCB1 with c, or the seed, instead of the formula", least=0
    )
    guard_form: str = setting("ucb", "what the guard uses: UCB1 with c, or the seed formula", choices=ea.GUARDS)
    regret: str = setting(
        "free",
        "the regret term: evolves too, or stays: E + C*sqrt(log(N)/n), E + sqrt(sqrt(N)/n); E begins as Q",
        choices=("free", *REGRETS),
    )
    differ: int = setting(
        0,
        "offspring must pick another child than the parent at one of so many nodes, the most visited; 0: they need not",
        least=0,
    )
    carry: int = setting(
        0, "1: where the tree is kept (reuse=1), evolution begins with the formula of the move before", least=0, most=1
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for word in ("inner", "guard"):
            if getattr(self, word) > 1:
                raise BadParameter(f"{self.name}: {word} must be at most 1, got {getattr(self, word):g}")
        if not self._seed().depth <= self.deepest <= 10:
            raise BadParameter(f"{self.name}: deepest must be {self._seed().depth} to 10, got {self.deepest}")
        if self.offspring > 1000 or self.samples > 100_000 or self.differ > 1000:
            raise BadParameter(f"{self.name}: at most 1000 offspring, 100000 samples and differ=1000")
        if self.recommend == "robust-max":
            raise BadParameter(f"{self.name}: recommend=robust-max is mcts's")
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        """Raise BadParameter for settings of which one would be ignored."""
        if self.evolve == "constant" and self.regret != "free":
            raise BadParameter(
                f"{self.name}: evolve=constant changes the constant of the regret term, regret={self.regret} keeps "
                f"it; choose one"
            )
        for word in ("evolve", "regret"):
            if self.seed_form != "13" and getattr(self, word) not in ("formula", "free"):
                raise BadParameter(
                    f"{self.name}: {word}={getattr(self, word)} has its own first formula; leave "
                    f"seed_form={self.seed_form} out"
                )
        if self.guard_form != "ucb" and not self.guard:
            raise BadParameter(f"{self.name}: guard_form={self.guard_form} needs a guard, for example guard=0.5")
        if self.carry and not self.reuse:
            raise BadParameter(f"{self.name}: carry=1 needs reuse=1; without its tree a formula is not carried on")
        novel = (self.fitness != "reward", "fitness=explore or fitness=pareto")
        self.refuse_idle(
            {
                "secure": (self.recommend == "secure", "recommend=secure"),
                "novelty": novel,
                "explores": novel,
                "sigma": (self.evolve == "constant", "evolve=constant"),
            }
        )
        self._advise()

    def spent(self, generations: int) -> int:
        """Return how many playouts so many generations take: seed, offspring, and parents that are measured again."""
        again = max(generations - 1, 0) if self.measure != "once" else 0
        return self.samples * (1 + generations * self.offspring + again)

    def _advise(self) -> None:
        """Say so if evolution takes all playouts: no formula would ever play on."""
        took = self.spent(self.generations)
        if not self.playouts or not self.generations or self.continued or took < self.playouts:
            return
        each = self.spent(2) - self.spent(1)  # spent is a line from one generation on
        fewer = 1 + (self.playouts // 2 - self.spent(1)) // each
        less = f"generations={fewer}" if fewer > 0 else "fewer generations and samples"
        choice.advise(
            f"{self.name}: evolution takes {took} playouts, and playouts={self.playouts} leaves none for the formula "
            f"it finds; "
            f"give playouts={2 * took}, or {less}, or continued=1 to evolve to the end"
        )

    def _seed(self) -> Formula:
        form = UCB1 if self.evolve == "constant" else REGRETS.get(self.regret, SEEDS[self.seed_form])
        return form.at(self.c)

    @property
    def _length(self) -> int:
        return int(2 ** (self.deepest + 1))

    @property
    def _slots(self) -> int:
        return self.offspring + 4 + ARCHIVE

    def _rows(self) -> int:
        """Return how many individuals the log holds: all, but for evolution without end at most 4096."""
        if self.continued:
            return min((self.playouts or 2**20) // self.samples + self.offspring + 2, 4096)
        return min(self.generations * self.offspring + 2, 65536)

    def _stride(self) -> int:
        """Return how many playouts of one formula are remembered: all of a generation's, or of the pooled parent's."""
        return self.samples * max(self.offspring, self.generations + 1 if self.measure == "pooled" else 1)

    def _options(self, game: Game, room: int) -> dict[str, int | float]:
        rows = self._rows()
        return {
            **super()._options(game, room),
            "semantic": int(self.semantic),
            "length": self._length,
            "stride": self._stride(),
            "rows": rows,
            "history_cells": min(rows * self._length, 2**22),
            "seed_slot": self._slots - 1,
            "protected": 0 if self.regret == "free" else self._seed().size - 1,  # all but the Q in front
        }

    def _members(self) -> dict[str, Any]:
        return ea.MEMBERS

    def _sizes(self, game: Game) -> dict[str, int]:
        rows, stride = self._rows(), self._stride()
        return {
            **super()._sizes(game),
            "cells": self._slots * self._length,
            "formulas": self._slots,
            "constants": len(CONSTANTS),
            "trials": stride * self._slots,
            "room": 2 * stride,
            "log": rows,
            "figures": rows,
            "epochs": rows,
            "history": min(rows * self._length, 2**22),
            "watched": self.differ + 1,
        }

    def _prepare(self, run: Specialised, w: Any) -> None:
        super()._prepare(run, w)
        for k, value in enumerate(CONSTANTS):
            w.constants[k] = value
        seed, slot = self._seed(), self._slots - 1
        seed.write(w.cells, slot * self._length)
        w.formulas[slot].size = seed.size
        w.evolution.installed = slot

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        return self._seat(game, "evolving", evolving)

    def session(self, game: Game, mode: str = "fast") -> EvolvingSession:
        """Return a search whose tree and evolution can be looked at."""
        return EvolvingSession(self, game, mode)

    def evolution(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Evolution:
        """Return what evolution did while it chose a move."""
        session = self.session(game, mode)
        session.choose(state, seed)
        return session.evolution()


@dataclass(frozen=True)
class SIEAMCTS(EAMCTS):
    """EA-MCTS that breaks ties between equally fit formulas by the distance of their behaviour from the parent's."""

    name: ClassVar[str] = "siea-mcts"
    semantic: ClassVar[bool] = True
    low: float = setting(0.1, "the least distance of the semantic window", least=0)
    high: float = setting(0.5, "the greatest distance of the semantic window", least=0)
    window: str = setting(
        "absolute",
        "distances as they are, or in standard deviations of the parent's rewards",
        choices=ea.WINDOWS,
    )
    behaviour: str = setting(
        "rewards",
        "what is compared: sorted rewards, or the branches that playouts took",
        choices=ea.BEHAVIOURS,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low > self.high:
            raise BadParameter(f"{self.name}: low must be at most high, got {self.low:g} and {self.high:g}")
