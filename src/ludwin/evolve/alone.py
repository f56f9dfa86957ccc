"""Evolution for games of one player: puzzles, whose solvers ask the program, and games that are played for points.

Why it is here.  A game for one has no opponent; it has instances.  Where the game says when it is `solved`, the program
is the estimate of a solver: the instances are positions that random moves from the start lead to, and what counts is
how many nodes the solver needs, how long its plans are, or how many it solves within its budget.  Where it does not,
the program judges positions for expectimax (or in guessed worlds, if something is hidden), and the payoff counts.

Evolution sees some instances, always the same; the champion is chosen and measured on fresh ones.

>>> from ludwin.library import load
>>> instance(load("tiles"), Stream(1), 30).game.name
'tiles'
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.experiment import Experiment
from ludwin.evolve.minds import demand_search, thinking, written
from ludwin.evolve.plan import Plan
from ludwin.evolve.players import EXPECTIMAX, FAR, SEES, WORLDS, drawn, searcher
from ludwin.evolve.population import Score, Scored
from ludwin.evolve.problem import Problem
from ludwin.evolve.trees import Trees
from ludwin.game import Game, State
from ludwin.measure import LESS, MORE, Measure
from ludwin.primitives import CHANCE
from ludwin.program.generate import generate
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree
from ludwin.program.vary import Limits
from ludwin.search.choice import Agent
from ludwin.search.expectimax import Expectimax
from ludwin.search.pimc import PIMC
from ludwin.search.programs import Programs
from ludwin.search.puzzles.solver import Solver
from ludwin.settings import Setting
from ludwin.trust import named

TRIES = 200  # walks that may end in a solved or finished position before a game is refused
UNSEEN = 1 << 20  # streams of instances that evolution never sees begin here
NODES, LENGTH, SOLVED = "nodes", "length", "solved"
METRICS = {NODES: ("nodes", LESS), LENGTH: ("length of plans", LESS), SOLVED: ("instances solved", MORE)}


def instance(game: Game, stream: Stream, walk: int) -> State:
    """Return a position to begin with: the start after 0 to `walk` random moves, where there is something left to do.

    Raises CannotPlay if random moves find none.
    """
    for attempt in range(TRIES):
        chance = stream.split(attempt)
        state = game.start()
        for _ in range(chance.below(walk + 1) if attempt else walk):
            found = state.moves()
            if not found:
                break
            weights = [state.chance(move) for move in found] if state.mover == CHANCE else None
            state = state.play(found[drawn(weights, chance) if weights else chance.below(len(found))])
        while state.mover == CHANCE and state.moves():
            found = state.moves()
            state = state.play(found[drawn([state.chance(move) for move in found], chance)])
        if state.moves() and not is_solved(state):
            return state
    raise CannotPlay(
        f"{game.name}: {TRIES} random walks from its start end where nothing is left to do; begin it further away, or "
        f"evolve a file with PROBLEM = Problem(…) that has instances of its own (docs/reference/evolve-python.md)"
    )


def is_puzzle(game: Game) -> bool:
    """Return whether a game says when it is solved, so that solvers can look for plans."""
    return "solved" in game.offers and not game.has_chance and not game.has_secrets


def is_solved(state: State) -> bool:
    """Return whether a position of a puzzle is a goal."""
    return bool("solved" in state.game.offers and state.game.function("solved")(state.thaw()))


# ---- Puzzles --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Puzzling:
    """How well programs guide a solver."""

    game: Game
    solver: str
    budget: int
    goal: str
    walk: int

    def player(self, tree: Tree) -> Solver:
        """Return the solver that asks a program. Raises BadParameter unless the text names one that asks."""
        demand_search(self.solver)
        made = thinking(self.solver, Programs((tree,)))
        if not isinstance(made, Solver):
            raise BadParameter(f"solver={self.solver} does not solve puzzles; try best-first, astar:weight=2 or beam")
        memory = made.memory if "memory" in self.solver else f"{self._megabytes}M"
        return replace(made, nodes=self.budget, memory=memory)

    @property
    def _megabytes(self) -> int:
        """What the tables of the solver need for its budget: larger ones are cleared for nothing."""
        return max(4, 32 * self.budget * (self.game.fields.cells + 32) // 10**6)

    def results(self, tree: Tree, states: Sequence[State]) -> list[float]:
        """Return what each instance costs, or whether it is solved; one that is not costs the whole budget."""
        solving = self.player(tree).solving(self.game)
        found = []
        for state in states:
            answer = solving.solve(state)
            worth = {NODES: answer.nodes, LENGTH: len(answer.plan), SOLVED: 1}[self.goal]
            lost = 0 if self.goal == SOLVED else self.budget
            found.append(float(worth if answer.solved else lost))
        return found


# ---- For points -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pointing:
    """How many points programs make in a game for one."""

    game: Game
    depth: int
    worlds: int

    def player(self, tree: Tree) -> Agent:
        """Return the player that asks a program."""
        brain = Programs((tree,))
        if searcher(self.game) == EXPECTIMAX:
            return Expectimax(depth=self.depth, low=-FAR, high=FAR, brain=brain)
        return PIMC(depth=self.depth, low=-FAR, high=FAR, worlds=self.worlds, brain=brain)

    def results(self, tree: Tree, seeds: Sequence[int]) -> list[float]:
        """Return the payoff of a game for each seed."""
        from ludwin.arena.contest import table

        board = table(self.game, [self.player(tree)], "fast")
        return [float(board.play(seed, 0).payoffs[0]) for seed in seeds]


# ---- The experiment -------------------------------------------------------------------------------------------


class _Instances:
    """The fitness: the mean result on instances that stay the same; those are the cases for lexicase."""

    lasting: ClassVar[bool] = True

    def __init__(self, results: Callable[[Tree, Any], list[float]], given: Any, sign: float, cases: bool):
        self.results, self.given, self.sign, self.cases = results, given, sign, cases

    def score(self, genomes: Sequence[Any], generation: int, stream: Stream) -> list[Score]:
        """Ask about all of them."""
        found: list[Score] = []
        for (tree,) in genomes:
            cases = tuple(self.sign * one for one in self.results(tree, self.given))
            found.append(Scored(sum(cases) / len(cases), {}, cases if self.cases else ()))
        return found


def settings_of(game: Game, spoken: Sequence[Setting]) -> tuple[Setting, ...]:
    """Return the settings of an experiment on a game for one; `spoken` are those that choose a language."""
    common = (
        *spoken,
        Setting("instances", 20, "instances that evolution sees", least=1, most=10_000),
        Setting("max_depth", 10, "depth of the deepest program", least=1, most=60),
        Setting("max_size", 100, "nodes of the largest program", least=1, most=1000),
    )
    if not is_puzzle(game):
        return (
            *common,
            Setting("depth", 1, "decisions that players look ahead", least=1, most=12),
            Setting("worlds", WORLDS, "guesses at what is hidden, for each move", least=1),
        )
    told = "what counts: nodes, fewer are better; length of plans, shorter is better; solved, how many"
    return (
        *common,
        Setting("solver", "best-first", "the search that asks the program how far it is"),
        Setting("budget", 2000, "nodes after which the solver gives up, on each instance", least=1, most=10**9),
        Setting("goal", NODES, told, choices=tuple(METRICS)),
        Setting("walk", 40, "random moves from the start to an instance, at most", least=1, most=10_000),
    )


PLAN = Plan(population=40, generations=10, breeding="gp", tournament=4, crossover=0.6, mutation=0.4, elite=1)


def alone(game: Game, about: Sequence[Setting], spoken: Callable[[Mapping[str, Any]], Language]) -> Experiment:
    """Return the experiment that evolves programs for a game of one player. Raises CannotPlay."""
    options = settings_of(game, about)

    def settled(settings: Mapping[str, Any]) -> Problem:
        return _problem(game, settings, spoken(settings), options, settled)

    first = settled({**{one.key: one.default for one in options}, "selection": PLAN.selection})
    identity = {"game": game.fingerprint, **({} if game.is_ours else {"texts": game.source.texts_hash})}
    made = first.experiment(named(game), identity)

    def measure(settings: Mapping[str, Any], genome: Any, opponent: str, *more: Any) -> Measure:
        found = made.measure(settings, genome, opponent, *more)
        if settings.get("goal") != SOLVED:
            return found
        return Measure.of_rate(found.metric, round(found.value * found.n), found.n, opponent=opponent)

    return replace(made, measure=measure)


def _problem(
    game: Game,
    settings: Mapping[str, Any],
    language: Language,
    options: tuple[Setting, ...],
    settled: Callable[[Mapping[str, Any]], Problem],
) -> Problem:
    count = int(settings["instances"])
    metric, direction = "payoff", MORE
    work: Puzzling | Pointing
    if is_puzzle(game):
        walk = int(settings["walk"])
        work = Puzzling(game, str(settings["solver"]), int(settings["budget"]), str(settings["goal"]), walk)
        metric, direction = METRICS[work.goal]
        seen: Any = [instance(game, Stream(k), walk) for k in range(count)]
        how = "estimates of a solver"
    else:
        work = Pointing(game, int(settings["depth"]), int(settings["worlds"]))
        seen = [Stream(k).seed() for k in range(count)]
        how = f"evaluations for {SEES[searcher(game)]}"

    work.player(generate(language, language.least[language.root], Stream(0))).suits(game)  # or it says why not

    def unseen(tree: Tree, stream: Stream) -> float:
        fresh = stream.split(UNSEEN)
        if isinstance(work, Puzzling):
            return work.results(tree, [instance(game, fresh, work.walk)])[0]
        return work.results(tree, [fresh.seed()])[0]

    sign = -1.0 if direction == LESS else 1.0
    return Problem(
        game.name,
        Trees((("program", language),), Limits(int(settings["max_depth"]), int(settings["max_size"]))),
        fitness=_Instances(work.results, seen, sign, "lexicase" in str(settings["selection"])),
        plan=PLAN,
        direction=direction,
        test=unseen,
        metric=metric,
        tested_on="instances that evolution never saw",
        presets={"standard": {"population": 100, "generations": 30, "baseline": True}},
        summary=f"{how} of {game.name}, from {len(language.primitives)} primitives",
        player=lambda tree: {"game": named(game), "player": written(work.player(tree))},
        options=options,
        settled=settled,
    )
