"""Reflection: the engine's own search as one of its programs, improved by what it has found.

Why it is here.  The paper ends with a wish: that a system which improves search programs improve its own
search.  Finding the shortest derivation is a puzzle: positions are programs, an edge is a transformation of
cost 1, solved means cheaper than the seed.  Its plain search is the plain program of `branch-and-bound`,
exhaustive to a depth; the engine derives branch and bound from it, and here both run on the engine's own
problem, the beta cut, with the engine's own moves.  What is counted is programs expanded.

The bound.  A program that is not solved needs one move; one in which no two clauses have the same goals
needs two, for nothing can be joined before something is unfolded.  So the bound never exceeds the cost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ludwin.discover.derivation import Derivation
from ludwin.discover.emit import load_python
from ludwin.discover.engine import Engine, Trial, apply_steps, measure, with_focus
from ludwin.discover.interpret import NoAnswer, TooCostly
from ludwin.discover.moves import MOVE_SETS
from ludwin.discover.problems import discover, read_program, trees
from ludwin.discover.term import Clause, Program
from ludwin.discover.trees import world


@dataclass(frozen=True)
class Reflected:
    """Programs expanded by the plain search and by the improved one, and the depth both found."""

    plain: int
    improved: int
    depth: float
    derivation: Derivation


class _Space:
    """The engine's problem as a world of primitives: programs to a depth."""

    def __init__(self, limit: int, moves: str, seed: int):
        self.program = read_program("minimax2.pl")
        self.trial = Trial("max", world(), tuple((tree,) for tree in trees(seed)))
        self.engine = Engine(self.program, "max", self.trial, MOVE_SETS[moves])
        self.limit = limit
        self.expanded = 0
        self._solved: dict[Any, bool] = {}

    def start(self) -> tuple[tuple[Clause, ...], int]:
        return self.engine.calculus.normal(self.program.defined["max"]), 0

    def solved(self, node: tuple[tuple[Clause, ...], int]) -> bool:
        key = self.engine.calculus.key(node[0])
        if key not in self._solved:
            canons = [self.engine.calculus.canon(clause) for clause in node[0]]
            self._solved[key] = any(
                a.costly < b.costly for a in canons for b in canons if a.key[1] == b.key[1]
            ) and self._cheaper(node[0])
        return self._solved[key]

    def _cheaper(self, clauses: tuple[Clause, ...]) -> bool:
        try:
            cost, answers = measure(with_focus(self.program, "max", clauses), self.trial, self.engine.found.seed_cost)
        except (TooCostly, NoAnswer):
            return False
        return cost < self.engine.found.seed_cost and answers == self.engine.answers

    def edges(self, node: tuple[tuple[Clause, ...], int]) -> tuple[Any, ...]:
        clauses, depth = node
        self.expanded += 1
        if depth == self.limit:
            return ()
        found = []
        for steps in self.engine.moves(self.engine.calculus, clauses):
            after = apply_steps(clauses, steps)
            if after is not None:
                found.append((1, (self.engine.calculus.normal(after), depth + 1)))
        return tuple(found)

    def bound(self, node: tuple[tuple[Clause, ...], int]) -> int:
        if self.solved(node):
            return 0
        goals = [self.engine.calculus.canon(clause).goals for clause in node[0]]
        return 1 if len(set(goals)) < len(goals) else 2

    def world(self) -> dict[str, Callable[..., Any]]:
        return {
            "solved": self.solved,
            "open": lambda n: not self.solved(n),
            "edges": self.edges,
            "step": lambda e: e,
            "bound": self.bound,
        }


def _run(program: Program, limit: int, moves: str, seed: int) -> tuple[int, float]:
    space = _Space(limit, moves, seed)
    cost = load_python(program, "cost", space.world())(space.start())
    return space.expanded, cost


def reflect(*, limit: int = 3, moves: str = "split-join", seed: int = 0) -> Reflected:
    """Derive a better search, search with it for the beta cut, and return the counts before and after."""
    derivation = discover("branch-and-bound").derivation
    assert derivation is not None
    plain, depth = _run(derivation.seed, limit, moves, seed)
    improved, same = _run(derivation.result, limit, moves, seed)
    assert depth == same, "both find the shortest derivation"
    return Reflected(plain, improved, depth, derivation)
