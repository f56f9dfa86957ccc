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

References.  See `evolving`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ludwin.errors import BadParameter
from ludwin.game import Game, State
from ludwin.kernel.names import Floats, Ints, Moves, States, mover, moves
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import mix
from ludwin.search import choice
from ludwin.search import formula_vary as vary
from ludwin.search import mcts_rules as rules
from ludwin.search.choice import Choice, setting
from ludwin.search.evolving import (
    ARCHIVE,
    COUNTS,
    EPOCH,
    EVOLUTION_BEGAN,
    EVOLUTION_ENDED,
    GENERATION,
    INDIVIDUALS,
    INSTALLED,
    MARK,
    ONCE,
    REDONE,
    ROW,
    STARTED,
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
from ludwin.search.formula import CONSTANTS, REGRETS, SEEDS, UCB1, Formula
from ludwin.search.formula_vary import (
    CONTINUED,
    GENERATIONS,
    GENES,
    LAMBDA,
    LENGTH,
    RATES,
    REEVALUATE,
    ROWS,
    SAMPLES,
    SLOT,
)
from ludwin.search.mcts import ARGUMENTS, Family, SearchSession, begin_search, begin_tree, clear_roots
from ludwin.search.mcts_tree import CHILDREN, PLAYED, WIDTH
from ludwin.search.mcts_walk import gather_root, has_budget, iterate, recommend
from ludwin.search.seat import Seat

MORE = (
    "slots",
    "marks",
    "rewards",
    "branches",
    "room",
    "genes",
    "rates",
    "log",
    "figures",
    "epochs",
    "history",
    "history_number",
    "counts",
    "watched",
)
DECISIONS = ("clear", "parent kept", "semantics", "chance")
FILTERS = ("none", "two-tree", "grid")
ALLOCATIONS = ("equal", "interleaved", "bandit")
KINDS_OF_FITNESS = ("reward", "explore", "pareto")
MEASURES = ("once", "latest", "pooled")


def measure_seed(
    desk, rng, tree, path, program, number, payoffs, stats, slots, marks, rewards, branches, genes, rates, me, first
):
    """Put the first formula into the parent's slot and measure it; it is the best so far."""
    copy_formula(program, number, slots, marks, genes[LENGTH], first, 0)
    forget(slots, marks, 0)
    measure_parent(desk, rng, tree, path, payoffs, stats, slots, marks, rewards, branches, genes, rates, me)
    copy_formula(program, number, slots, marks, genes[LENGTH], 0, genes[LAMBDA] + 1)
    return 0


def measure_parent(desk, rng, tree, path, payoffs, stats, slots, marks, rewards, branches, genes, rates, me):
    """Measure the parent by as many playouts as an offspring gets."""
    for _ in range(genes[SAMPLES]):
        if has_budget(tree, stats):
            try_once(desk, rng, path, payoffs, stats, slots, marks, rewards, branches, genes, rates, 0, me)
    return 0


def measure_offspring(desk, rng, tree, path, payoffs, stats, slots, marks, rewards, branches, genes, rates, me):
    """Measure a generation; return False if the budget ended on the way."""
    for k in range(genes[LAMBDA] * genes[SAMPLES]):
        if not has_budget(tree, stats):
            return False
        slot = next_to_measure(slots, marks, genes, k)
        try_once(desk, rng, path, payoffs, stats, slots, marks, rewards, branches, genes, rates, slot, me)
    return True


def evolving(
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
    slots: Ints,
    marks: Floats,
    rewards: Floats,
    branches: Floats,
    room: Floats,
    genes: Ints,
    rates: Floats,
    log: Ints,
    figures: Floats,
    epochs: Ints,
    history: Ints,
    history_number: Floats,
    counts: Ints,
    watched: Ints,
):
    """Return the recommended move of state 0: plain search, evolution once the root is full, then the evolved
    formula.
    """
    # Step 1. Begin as plain MCTS until every move of the root has been tried.
    seed = rng[0]
    me = mover(states[0])
    n = moves(states[0], bufs[0])
    clear_roots(roots, means, n)
    begin_search(stats)
    begin_tree(states, bufs, rng, tree, worth, memory, store, options, stats, seed, 0)
    first = begin_evolution(slots, stats, counts, epochs, genes, options)
    desk = (
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
    while has_budget(tree, stats) and tree[CHILDREN] < tree[WIDTH]:
        iterate(*desk)
    # Step 2. Evolve: the seed, then generations of offspring, each measured on the living tree.
    counts[EVOLUTION_BEGAN] = stats[PLAYED]
    evolves = has_budget(tree, stats)
    going = evolves
    if evolves:
        measure_seed(
            desk,
            rng,
            tree,
            path,
            program,
            number,
            payoffs,
            stats,
            slots,
            marks,
            rewards,
            branches,
            genes,
            rates,
            me,
            first,
        )
        note(program, number, slots, marks, genes, counts, log, figures, history, history_number, 0)
        archive(program, number, slots, marks, genes, counts, 0)
        going = has_budget(tree, stats)
    while going and (counts[GENERATION] < genes[GENERATIONS] or genes[CONTINUED] > 0):
        counts[GENERATION] += 1
        at = EPOCH * min(counts[GENERATION] - 1, genes[ROWS] - 1)
        epochs[at + STARTED] = stats[PLAYED]
        if genes[REEVALUATE] != ONCE and counts[GENERATION] > 1:
            remeasure(slots, marks, genes)
            measure_parent(desk, rng, tree, path, payoffs, stats, slots, marks, rewards, branches, genes, rates, me)
        breed(
            desk, program, number, slots, marks, known, stack, genes, rates, options, rng, tree, stats, counts, watched
        )
        going = measure_offspring(
            desk, rng, tree, path, payoffs, stats, slots, marks, rewards, branches, genes, rates, me
        )
        measure_distances(slots, marks, rewards, branches, room, genes)
        for i in range(1, genes[LAMBDA] + 1):
            note(program, number, slots, marks, genes, counts, log, figures, history, history_number, i)
        if going:  # else the budget ended: the tree decides, no formula is needed any more
            choose_parent(program, number, slots, marks, rewards, branches, genes, rates, counts, epochs, at, rng)
            going = has_budget(tree, stats)
    counts[EVOLUTION_ENDED] = stats[PLAYED]
    # Step 3. Play on with the best formula.
    best = final_slot(marks, genes, counts) if evolves else first
    counts[INSTALLED] = best
    while has_budget(tree, stats):
        install(slots, stats, genes, rates, best, rng)
        iterate(*desk)
    gather_root(tree, worth, roots, means, n)
    rng[0] = mix(mix(0, seed), -1)
    place = recommend(roots, means, n, options, reals, rng)
    moves(states[0], bufs[0])
    return bufs[0][place]


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

    def __getitem__(self, name: str) -> Any:
        return self.sitting.arguments[(*ARGUMENTS, *MORE).index(name)]

    def _choice(self, state: State, best: int) -> Choice:
        """Return the choice; its reasons say how many playouts went into evolution."""
        made, counts = super()._choice(state, best), self["counts"]
        took = int(counts[EVOLUTION_ENDED]) - int(counts[EVOLUTION_BEGAN])
        return replace(made, kinds={**made.kinds, "evolution": took})

    def evolution(self) -> Evolution:
        """Return the log of the last choice."""
        counts, log, figures, epochs = self["counts"], self["log"], self["figures"], self["epochs"]
        individuals = []
        for row in range(int(counts[INDIVIDUALS])):
            generation, _, begin, size, playouts, _ = (int(x) for x in log[ROW * row : ROW * row + ROW])
            fitness, reward, novelty, distance, _ = (float(x) for x in figures[MARK * row : MARK * row + MARK])
            formula = self._formula("history", "history_number", begin, size)
            individuals.append(FormulaIndividual(generation, formula, fitness, reward, novelty, distance, playouts))
        generations = []
        for k in range(min(int(counts[GENERATION]), int(self["genes"][ROWS]))):
            tied, how, winner, started = (int(x) for x in epochs[EPOCH * k : EPOCH * k + EPOCH])
            generations.append(FormulaGeneration(bool(tied), DECISIONS[how], winner, started))
        slot, length = int(counts[INSTALLED]), int(self["genes"][LENGTH])
        formula = self._formula("program", "number", slot * length, int(self["slots"][SLOT * slot]))
        began, ended, redone = (int(counts[cell]) for cell in (EVOLUTION_BEGAN, EVOLUTION_ENDED, REDONE))
        return Evolution(tuple(individuals), tuple(generations), formula, began, ended, redone)

    def _formula(self, codes: str, numbers: str, begin: int, size: int) -> Formula:
        cut = slice(begin, begin + size)
        return Formula(tuple(int(x) for x in self[codes][cut]), tuple(float(x) for x in self[numbers][cut]))


@dataclass(frozen=True)
class EAMCTS(Family):
    """MCTS that evolves its selection formula while it thinks; the defaults are those of the thesis."""

    name: ClassVar[str] = "ea-mcts"
    semantic: ClassVar[bool] = False
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
    fitness: str = setting("reward", "mean reward; with novelty; or both as two objectives", choices=KINDS_OF_FITNESS)
    novelty: float = setting(0.1, "what novelty is worth (fitness=explore, pareto)", least=0)
    explores: str = setting(
        "nodes",
        "what novelty is: new nodes per playout, or how mixed the branches at depth 3 are",
        choices=("nodes", "branches"),
    )
    measure: str = setting(
        "once", "the parent's fitness: never measured again, only the latest measure, or all", choices=MEASURES
    )
    allocate: str = setting(
        "equal", "playouts of a generation: one after the other, in turns, or by a bandit", choices=ALLOCATIONS
    )
    continued: int = setting(0, "1: evolve until the budget ends", least=0, most=1)
    install: str = setting("best", "what plays on: the best ever, or the last parent", choices=("best", "last"))
    evolve: str = setting(
        "formula", "what evolves: the formula, or only UCB1's constant", choices=("formula", "constant")
    )
    sigma: float = setting(0.5, "how far the constant jumps (evolve=constant)", least=0)
    rich: int = setting(0, "1: more terminals: variance, best child, depth, branching", least=0, most=1)
    guard: float = setting(
        0.0, "probability that a playout uses UCB1 with c, or the seed, instead of the formula", least=0
    )
    guard_form: str = setting("ucb", "what the guard uses: UCB1 with c, or the seed formula", choices=("ucb", "seed"))
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

    def _programs(self) -> int:
        return self._slots * self._length

    def _options(self, run: Specialised, room: int) -> dict[int, int]:
        return {**super()._options(run, room), rules.RICH: int(self.rich > 0)}

    def _genes(self) -> dict[int, int]:
        rows = self._rows()
        return {
            vary.LAMBDA: self.offspring,
            vary.GENERATIONS: self.generations,
            vary.SAMPLES: self.samples,
            vary.LENGTH: self._length,
            vary.DEEPEST_FORMULA: self.deepest,
            vary.FILTER: FILTERS.index(self.filter),
            vary.SEMANTIC: int(self.semantic),
            vary.ALLOCATION: ALLOCATIONS.index(self.allocate),
            vary.FITNESS_KIND: KINDS_OF_FITNESS.index(self.fitness),
            vary.REEVALUATE: MEASURES.index(self.measure),
            vary.CONTINUED: self.continued,
            vary.INSTALL: int(self.install == "last"),
            vary.ONLY_CONSTANT: int(self.evolve == "constant"),
            vary.STRIDE: self._stride(),
            vary.ROWS: rows,
            vary.CELLS_OF_LOG: min(rows * self._length, 2**22),
            vary.SEED_SLOT: self._slots - 1,
            vary.BY_BRANCHES: int(self.explores == "branches"),
            vary.PROTECTED: 0 if self.regret == "free" else self._seed().size - 1,  # all but the Q in front
            vary.DIFFER: self.differ,
            vary.GUARD_BY_SEED: int(self.guard_form == "seed"),
            vary.CARRY: int(self.carry > 0),
        }

    def _stride(self) -> int:
        """Return how many playouts of one formula are remembered: all of a generation's, or of the pooled parent's."""
        return self.samples * max(self.offspring, self.generations + 1 if self.measure == "pooled" else 1)

    def _rates(self) -> dict[int, float]:
        rates = {
            vary.GUARD: self.guard,
            vary.NOVELTY_WEIGHT: self.novelty,
            vary.INNER: self.inner,
            vary.SIGMA: self.sigma,
        }
        return {**rates, **{vary.FIRST_CONSTANT + k: value for k, value in enumerate(CONSTANTS)}}

    def _workspace(self, run: Specialised) -> list[Any]:
        shared = super()._workspace(run)
        rows, stride = self._rows(), self._stride()
        cells = self._genes()[vary.CELLS_OF_LOG]
        arrays = {
            "slots": run.ints(SLOT * self._slots),
            "marks": run.floats(MARK * self._slots),
            "rewards": run.floats(stride * self._slots),
            "branches": run.floats(stride * self._slots),
            "room": run.floats(2 * stride),
            "genes": run.ints(GENES),
            "rates": run.floats(RATES),
            "log": run.ints(ROW * rows),
            "figures": run.floats(MARK * rows),
            "epochs": run.ints(EPOCH * rows),
            "history": run.ints(cells),
            "history_number": run.floats(cells),
            "counts": run.ints(COUNTS),
            "watched": run.ints(self.differ + 1),
        }
        for place, value in self._genes().items():
            arrays["genes"][place] = value
        for place, rate in self._rates().items():
            arrays["rates"][place] = rate
        arrays["slots"][SLOT * (self._slots - 1)] = self._seed().size
        arrays["counts"][INSTALLED] = self._slots - 1
        return [*shared, *(arrays[name] for name in MORE)]

    def _prepare(self, arrays: Mapping[str, Any]) -> None:
        seed, base = self._seed(), (self._slots - 1) * self._length
        for i, (code, number) in enumerate(zip(seed.codes, seed.numbers, strict=True)):
            arrays["program"][base + i] = code
            arrays["number"][base + i] = number

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        return Seat(Kernel("evolving", evolving), 4, self._workspace, self._doubt(game))

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
        choices=("absolute", "relative"),
    )
    behaviour: str = setting(
        "rewards",
        "what is compared: sorted rewards, or the branches that playouts took",
        choices=("rewards", "branches"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low > self.high:
            raise BadParameter(f"{self.name}: low must be at most high, got {self.low:g} and {self.high:g}")

    def _genes(self) -> dict[int, int]:
        return {
            **super()._genes(),
            vary.BEHAVIOUR: int(self.behaviour == "branches"),
            vary.RELATIVE: int(self.window == "relative"),
        }

    def _rates(self) -> dict[int, float]:
        return {**super()._rates(), vary.LOWEST: self.low, vary.UPPERMOST: self.high}
