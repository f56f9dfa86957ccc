"""Policies as brains: ordered rules, the first whose condition holds says how far a state is from a goal.

Why it is here.  One formula is rarely right everywhere: near the end of a puzzle other things matter than at the start.
A policy says when to trust which formula (*Evolved to Win*, chapters 10 and 11).  Conditions are programs; what a rule
says is a program, too, or a weighted sum of queries.  A policy without rules is its default: one formula.

Rules, weights and programs are data of the search's bundle, so one compiled search serves all policies of one shape:
as many rules, the same language, programs or sums as values.

References.  A. Hauptman, A. Elyasaf, M. Sipper, A. Karmon, "GP-Rush", GECCO 2009; A. Elyasaf, A. Hauptman, M. Sipper,
"Evolutionary design of FreeCell solvers", IEEE Trans. CIAIG 4 (2012).
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game
from ludwin.kernel.bundle import Members
from ludwin.kernel.names import query
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.program.interpret import MOBILITY
from ludwin.program.language import Language
from ludwin.program.tree import Tree
from ludwin.program.values import LONGEST, answers, interpreter
from ludwin.search.brain import Brain, Weights
from ludwin.search.programs import assembled

MOST = 16  # rules of one policy

TEXT = """
from ludwin.search.policies import weighed
from ludwin.search.programs import judge


def estimate(w, s):
{rules}
    return {default}


def assess(w, s, p, n):
    return -estimate(w, s)
"""
RULE = """    if {condition} != 0.0:
        return {value}"""
ASK = "judge(s, 0, 0, w.brain_code_{0}, w.brain_registers_{0})"


def weighed(w, s, k):
    """Return the sum of the queries that value number k weighs."""
    part = w.brain_sums[k]
    total = part.bias
    for i in range(part.first, part.last):
        term = w.brain_terms[i]
        total += term.weight * query(s, 0, term.query, term.place)
    return total


@lru_cache(maxsize=None)
def _text(rules: int, by_sums: bool) -> Kernel:
    """Return the text that asks so many rules one after another."""

    def value(k: int) -> str:
        return f"weighed(w, s, {k})" if by_sums else ASK.format(rules + k)

    lines = [RULE.format(condition=ASK.format(k), value=value(k)) for k in range(rules)]
    return kernel_from_text("policy", "estimate", TEXT.format(rules="\n".join(lines), default=value(rules)))


@dataclass(frozen=True)
class PolicyBrain(Brain):
    """Conditions, and as many values with one more behind them, the default: all programs, or all sums.

    A value is a distance: less is nearer to a goal.
    """

    kind: ClassVar[str] = "policy"
    conditions: tuple[Tree, ...]
    values: tuple[Tree, ...] | tuple[Weights, ...]

    def __post_init__(self) -> None:
        if len(self.values) != len(self.conditions) + 1 or len(self.conditions) > MOST:
            raise BadParameter(
                f"a policy has at most {MOST} conditions, a value for each and a default, got {len(self.conditions)} "
                f"and {len(self.values)}"
            )
        if len({isinstance(value, Tree) for value in self.values}) > 1:
            raise BadParameter("the values of a policy are all programs or all sums")
        words = {tree.language.primitives for tree in self.trees}
        if len(words) > 1:
            raise BadParameter("all programs of a policy must be of the same primitives")
        if any(tree.primitive(at).reads == MOBILITY for tree in self.trees for at in range(len(tree))):
            raise BadParameter("the programs of a policy do not read mobility; the game may have a query for it")

    def __str__(self) -> str:
        return f"policy of {len(self.conditions)} rules" if self.conditions else "one formula"

    @property
    def by_sums(self) -> bool:
        """Whether values are weighted sums."""
        return isinstance(self.values[0], Weights)

    @property
    def trees(self) -> tuple[Tree, ...]:
        """All programs: conditions, then values that are programs."""
        return (*self.conditions, *(value for value in self.values if isinstance(value, Tree)))

    @property
    def sums(self) -> tuple[Weights, ...]:
        """The values that are weighted sums."""
        return tuple(value for value in self.values if isinstance(value, Weights))

    @property
    def language(self) -> Language | None:
        """What the programs are made of, whatever type they are."""
        return replace(self.trees[0].language, root=self.trees[0].language.types[0]) if self.trees else None

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game answers what is asked."""
        try:
            for tree in self.trees:
                assembled(tree, game)
        except BadParameter as error:
            raise CannotPlay(f"{game.name}: {error}") from None
        for one in self.sums:
            one.suits(game)

    def bind(self, game: Game) -> dict[str, Any]:
        """Let the rules speak, as an estimate for searches alone and as an opinion for all others."""
        module = _text(len(self.conditions), self.by_sums).entry
        speaking = {"estimate": module, "assess": _other(module)}
        if self.language is None:
            return speaking
        return {**speaking, "judge": interpreter(self.language, answers(game))}

    def members(self, game: Game) -> Members:
        """Return code and registers of each program, and the sums."""
        made: dict[str, Any] = {}
        for k in range(len(self.trees)):
            made |= {f"brain_code_{k}": [int], f"brain_registers_{k}": [float]}
        if self.by_sums:
            made["brain_sums"] = [{"first": int, "last": int, "bias": float}]
            made["brain_terms"] = [{"query": int, "place": int, "weight": float}]
        return made

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return room for the longest programs and for all queries, so that another policy can take the place."""
        rooms = {"brain_sums": len(self.values), "brain_terms": max(1, 2 * len(game.queries) * len(self.values))}
        rooms["brain_terms"] = max(rooms["brain_terms"], sum(len(one.terms) for one in self.sums))
        return {name: rooms.get(name, LONGEST) for name in self.members(game)}

    def prepare(self, run: Specialised, w: Any) -> None:
        """Write programs and sums."""
        for k, tree in enumerate(self.trees):
            code, registers = assembled(tree, run.game)
            held, numbers = getattr(w, f"brain_code_{k}"), getattr(w, f"brain_registers_{k}")
            held[: len(code)] = code if run.compiled else code.tolist()
            numbers[: len(registers)] = registers if run.compiled else registers.tolist()
        names, at = list(run.game.queries), 0
        for k, one in enumerate(self.sums):
            part = w.brain_sums[k]
            part.first, part.last, part.bias = at, at + len(one.terms), one.bias
            for name, place, weight in one.terms:
                term = w.brain_terms[at]
                term.query, term.place, term.weight = names.index(name), place, weight
                at += 1


def _other(entry: Any) -> Any:
    """Return the function `assess` of the text in which `estimate` is."""
    return vars(sys.modules[entry.__module__])["assess"]
