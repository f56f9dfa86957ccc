"""The search in the space of programs: which transformations lead to a cheaper program?

Why it is here.  The paper's section 5 sees program transformation as a search problem like those that the
programs themselves solve, and asks for the same remedies: iterative deepening, a transposition table
of equivalent programs, macro-moves, and a test of every candidate on standard problems that is broken
off as soon as it costs more than the original.  All of them are here and can be exchanged and counted.

A state is a set of clauses of one predicate, the focus; the rest of the program stands still.  States that
differ in names, order or redundant tests only are one state.
"""

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ludwin.discover.interpret import Interpreter, NoAnswer, TooCostly, World
from ludwin.discover.moves import Moves
from ludwin.discover.region import basis
from ludwin.discover.rules import Calculus, Step, replace_clauses
from ludwin.discover.syntax import write_clause, write_goal
from ludwin.discover.term import Clause, Program, Var, names
from ludwin.progress import SILENT, Progress


@dataclass(frozen=True)
class Trial:
    """Standard problems: calls of one predicate in a world, and what the seed answers and pays."""

    entry: str
    world: World
    inputs: tuple[tuple[Any, ...], ...]
    costly: str = "eval"


@dataclass
class Found:
    """What a search did; `path` is None if it failed, and then `nearest` says how near it came."""

    path: list[list[Step]] | None = None
    clauses: tuple[Clause, ...] = ()
    states: int = 0
    generated: int = 0
    duplicates: int = 0
    depth: int = 0
    seconds: float = 0.0
    cost: int = 0  # of the best program on the trial
    seed_cost: int = 0
    nearest: str = ""
    tested: int = 0
    plies: list[list[int]] = field(default_factory=list)  # per depth: expanded, generated, new

    def ply(self, depth: int) -> list[int]:
        """Return the counters of a depth."""
        while len(self.plies) <= depth:
            self.plies.append([0, 0, 0])
        return self.plies[depth]

    def branching(self) -> list[float]:
        """Return the average number of moves per program at each depth."""
        return [generated / expanded for expanded, generated, _ in self.plies if expanded]


@dataclass
class _State:
    clauses: tuple[Clause, ...]
    parent: Any
    steps: list[Step]
    depth: int
    fresh: bool = True  # not yet tested
    children: list["_State"] | None = None


def measure(program: Program, trial: Trial, allowance: int | None = None) -> tuple[int, list[Any]]:
    """Return what a program pays and answers on a trial. Raises TooCostly, NoAnswer."""
    total, answers = 0, []
    for inputs in trial.inputs:
        run = Interpreter(program, trial.world, None if allowance is None else allowance - total, trial.costly)
        answers.append(run.call(trial.entry, *inputs))
        total += run.counts[trial.costly]
    return total, answers


class Engine:
    """Searches for a cheaper program from the clauses of one predicate."""

    def __init__(
        self,
        program: Program,
        focus: str,
        trial: Trial,
        moves: Moves,
        *,
        target: int | None = None,
        progress: Progress = SILENT,
    ):
        self.program, self.focus, self.trial, self.moves = program, focus, trial, moves
        self.target = target  # the cost to reach; None: anything below the seed's
        self.calculus = Calculus(program)
        self.progress = progress
        self.found = Found()
        self.found.seed_cost, self.answers = measure(program, trial)
        self.found.cost = self.found.seed_cost
        self._nearest: tuple[float, str] = (float("inf"), "")

    def search(
        self,
        max_states: int,
        *,
        strategy: str = "iterative",
        max_depth: int = 12,
        bound: Callable[["Engine", Sequence[Clause], int], bool] | None = None,
    ) -> Found:
        """Search until a cheaper program is found or `max_states` distinct programs have been seen.

        `strategy` is `iterative` (depth by depth) or `best-first` (fewest links to a saving first);
        `bound` may refuse a program at a depth, which is how reflection improves this very search.
        """
        began = time.perf_counter()
        start = self.calculus.normal(self.program.defined[self.focus])
        table: dict[Any, _State] = {self.calculus.key(start): _State(start, None, [], 0)}
        self.found.states = 1
        walk = self._iterative if strategy == "iterative" else self._best_first
        goal = None
        for state in walk(table, max_states, max_depth, bound):
            if self._is_goal(state):
                goal = state
                break
        self.found.seconds = time.perf_counter() - began
        self.found.nearest = self._nearest[1]
        if goal is not None:
            self.found.path, at = [], goal
            while at.parent is not None:
                self.found.path.insert(0, at.steps)
                at = at.parent
            self.found.clauses, self.found.depth = goal.clauses, goal.depth
        return self.found

    def _iterative(self, table: dict[Any, _State], max_states: int, max_depth: int, bound: Any) -> Iterator[_State]:
        """Deepen iteratively: depth-first to depth 1, then 2, …; the table keeps what an earlier round has found.

        A program is looked at again within a round only if it is reached with more depth left.
        """
        root = next(iter(table.values()))
        for limit in range(1, max_depth + 1):
            seen: dict[int, int] = {}  # id of a state -> the depth that was left
            before = self.found.states
            self.found.depth = limit
            yield from self._deepen(root, limit, table, max_states, bound, seen)
            if self.found.states >= max_states or (self.found.states == before and limit > 1):
                return

    def _deepen(
        self, state: _State, left: int, table: dict[Any, _State], max_states: int, bound: Any, seen: dict[int, int]
    ) -> Iterator[_State]:
        if seen.get(id(state), 0) >= left:
            return
        seen[id(state)] = left
        if state.children is None:
            state.children = []
            for child in self._expand(state, table, bound):
                state.children.append(child)
                if child.fresh:
                    child.fresh = False
                    yield child
                    if self.found.states >= max_states:
                        return
                if left > 1 and child.depth == state.depth + 1:
                    yield from self._deepen(child, left - 1, table, max_states, bound, seen)
                    if self.found.states >= max_states:
                        return
            self._tell()
            return
        for child in state.children:
            if left > 1:
                yield from self._deepen(child, left - 1, table, max_states, bound, seen)
                if self.found.states >= max_states:
                    return

    def _best_first(self, table: dict[Any, _State], max_states: int, max_depth: int, bound: Any) -> Iterator[_State]:
        """Expand the program that is nearest to a saving."""
        queue = [(self.distance(s.clauses), s.depth, i, s) for i, s in enumerate(table.values())]
        tick = len(queue)
        while queue:
            _, depth, _, state = heapq.heappop(queue)
            self.found.depth = max(self.found.depth, depth)
            self._tell()
            for child in self._expand(state, table, bound):
                if child.fresh:
                    child.fresh = False
                    yield child
                    if self.found.states >= max_states:
                        return
                    if child.depth < max_depth:
                        tick += 1
                        heapq.heappush(queue, (self.distance(child.clauses), child.depth, tick, child))

    def _expand(self, state: _State, table: dict[Any, _State], bound: Any) -> Iterator[_State]:
        """Yield the programs one move away, each the one that the table knows."""
        row = self.found.ply(state.depth)
        row[0] += 1
        for steps in self.moves(self.calculus, state.clauses):
            clauses = apply_steps(state.clauses, steps)
            if clauses is None:
                continue
            after = self.calculus.normal(clauses)
            self.found.generated += 1
            row[1] += 1
            if bound is not None and bound(self, after, state.depth + 1):
                continue
            key = self.calculus.key(after)
            child = table.get(key)
            if child is None:
                child = table[key] = _State(after, state, steps, state.depth + 1)
                self.found.states += 1
                row[2] += 1
            else:
                self.found.duplicates += 1
                if state.depth + 1 < child.depth:
                    child.parent, child.steps, child.depth = state, steps, state.depth + 1
            yield child

    def _tell(self) -> None:
        found = self.found
        about = f"{found.generated} generated, depth {found.depth}, best cost {found.cost} of {found.seed_cost}"
        self.progress.done(found.states, about)

    def distance(self, clauses: Sequence[Clause]) -> float:
        """Return how many tests still link the most nearly free costly call to the rest of its clause."""
        best = float("inf")
        for clause in clauses:
            canon = self.calculus.canon(clause)
            facts = basis(canon.region)
            for goal in clause.goals:
                label = canon.labels[goal]
                if label not in canon.costly or not facts:
                    continue
                out = [canon.vars[a.name] for a in goal.args if isinstance(a, Var)][-1:]
                if any(isinstance(o, tuple) and o[0] in out for o in canon.outs):
                    continue
                links = sum(any(lit[0] in out for lit in (f[0], f[2])) for f in facts)
                others = any(
                    canon.vars[name] in out for g in clause.goals if g is not goal for a in g.args for name in names(a)
                )
                links += 3 * others
                if links < best:
                    best = links
                    if links < self._nearest[0]:
                        tie = "1 test still ties" if links == 1 else f"{links} tests still tie"
                        self._nearest = (links, f"{tie} {write_goal(goal)} in: {write_clause(clause)}")
        return best

    def _is_goal(self, state: _State) -> bool:
        """Tell whether a program is cheaper than the seed and answers alike; only those that dropped a costly call are
        run.
        """
        canons = [self.calculus.canon(clause) for clause in state.clauses]
        if not any(a.costly < b.costly for a in canons for b in canons if a.key[1] == b.key[1]):
            if self.found.states % 64 == 0 or state.depth < 4:
                self.distance(state.clauses)
            return False
        self.found.tested += 1
        program = with_focus(self.program, self.focus, state.clauses)
        try:
            cost, answers = measure(program, self.trial, self.found.seed_cost)
        except (TooCostly, NoAnswer):
            return False
        if answers != self.answers or cost >= self.found.seed_cost:
            return False
        if cost < self.found.cost:
            self.found.cost = cost
            self._nearest = (
                -1.0,
                f"cost {cost} of {self.found.seed_cost} on the trial"
                + (f", {self.target} wanted" if self.target is not None else ""),
            )
        return self.target is None or cost <= self.target


def apply_steps(clauses: Sequence[Clause], steps: Sequence[Step]) -> tuple[Clause, ...] | None:
    """Return the clauses after some steps, or None if they do not fit."""
    found = list(clauses)
    for step in steps:
        for clause in step.removed:
            if clause not in found:
                return None
            found.remove(clause)
        found.extend(step.added)
    return tuple(found)


def with_focus(program: Program, focus: str, clauses: Sequence[Clause]) -> Program:
    """Return the program with other clauses for one predicate."""
    return program.with_clauses((*(c for c in program.clauses if c.head.name != focus), *clauses))


def expand_path(program: Program, focus: str, path: Sequence[Sequence[Step]]) -> tuple[list[Step], Program]:
    """Return every single step of a found path, eager rules included, and the program that it leads to."""
    calculus = Calculus(program)
    log: list[Step] = []
    clauses: tuple[Clause, ...] = calculus.normal(program.defined[focus], log)
    for steps in path:
        log += steps
        after = apply_steps(clauses, steps)
        assert after is not None
        clauses = calculus.normal(after, log)
    calculus.determinise(clauses, log)
    for step in log:
        program = replace_clauses(program, step)
    return log, program
