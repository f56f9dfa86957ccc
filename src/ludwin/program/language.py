"""A language of typed programs: what there is to say, and what fits where.

Why it is here.  Every experiment of genetic programming begins with a table of functions and terminals.
Here that table is the whole declaration: types, names and one rule per primitive, a small Python
expression.  From it come generation, variation, text, the readable evaluator, the interpreter inside
compiled searches and native code, so they cannot disagree about what a primitive means.

Three sorts.  A primitive computes (`rule`), asks the world (`reads`) or does something in it (`acts`).  Rules and reads
may be shared, folded and skipped as long as the value stays; what acts happens in the order of the text, every time.

Types.  A base type is a word (`"Float"`, `"Bool"`); a set type stands for several (`Query = Float or
Bool`).  A node fits a place if their base types meet.  Values are floats throughout; a truth is 1.0 or
0.0, and where a truth is wanted any number but 0 is true.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ludwin.errors import BadParameter, brief, did_you_mean
from ludwin.program.rule import CALLS, SEVERAL, meaning

LETTERS = "abcdefgh"  # the arguments in a rule; `v` is the node's own constant
NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
MOST_TYPES = 200  # of a language, its sets among them: which ones meet is found for all pairs
DEEPEST = 100  # levels of a rule: it is read by functions that call themselves
LARGEST = 1e300  # below which constants lie: those that evolution makes of them are finite, too
RESERVED = ("inf", "nan")  # numbers in the text of a program
_PARTS = (
    ast.Expression, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.UnaryOp, ast.USub, ast.Not,
    ast.Compare, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq,
    ast.BoolOp, ast.And, ast.Or, ast.IfExp, ast.Call, ast.Name, ast.Load, ast.Constant,
)  # fmt: skip


@dataclass(frozen=True)
class Primitive:
    """A function or a terminal.

    A function has argument types and a `rule` over a, b, c …; arguments that the rule does not name are
    introns: they are part of the genome and never run. The rule `b if a else c` is lazy: only the chosen
    branch runs. A terminal has a rule without arguments, or `reads` an input of the world (a query of
    the game, `mobility`, a variable). `draws` makes a constant `v` at the creation of the node: from a
    range (two numbers) or from given values (`choices`). `places` makes an argument of the input, a
    whole number below it, at creation: a square, say.

    What `acts` names is done by the domain (`act.py`), at this very place of the program, and its value is
    what the domain answers. Its arguments are evaluated before, in order, but for its `branches`, letters such as
    `"bc"`: those run only when, and as often as, the action asks for them. An action's node may carry one number
    of its own, a constant (`draws`, `choices`) or a place (`places`).

    What `calls` names is a function that a genome defines beside its program (`evolve/adf.py`); before such a program
    runs, its calls are written out.
    """

    name: str
    returns: str
    takes: tuple[str, ...] = ()
    rule: str = ""
    reads: str = ""
    draws: tuple[float, float] | None = None
    choices: tuple[float, ...] = ()
    places: int = 0
    help: str = ""
    acts: str = ""
    branches: str = ""
    calls: str = ""

    @property
    def is_constant(self) -> bool:
        """Whether this is a bare number drawn at creation (an ephemeral random constant)."""
        return not self.takes and self.rule == "v"

    @property
    def has_value(self) -> bool:
        """Whether nodes carry a number drawn at creation."""
        return self.draws is not None or bool(self.choices)

    @cached_property
    def tree(self) -> ast.expr:
        """The rule as a syntax tree."""
        return ast.parse(self.rule, mode="eval").body

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The arguments that the rule names, or all that an action or a call has; the others are introns."""
        if self.acts or self.calls:
            return tuple(range(len(self.takes)))
        names = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)} if self.rule else set()
        return tuple(i for i in range(len(self.takes)) if LETTERS[i] in names)

    @cached_property
    def is_lazy(self) -> bool:
        """Whether only one of two branches runs."""
        node = self.tree if self.rule and self.takes else None
        return isinstance(node, ast.IfExp) and all(
            isinstance(part, ast.Name) for part in (node.test, node.body, node.orelse)
        )

    @property
    def is_alias(self) -> bool:
        """Whether the value is that of one argument, as it is."""
        return bool(self.takes and self.rule) and isinstance(self.tree, ast.Name) and self.rule != "v"

    def is_branch(self, argument: int) -> bool:
        """Return whether an argument of an action is run by the action rather than evaluated before."""
        return LETTERS[argument] in self.branches


def _demand_types(primitive: Any) -> None:
    """Raise BadParameter for what is no primitive, and for fields of another type than they have."""
    if not isinstance(primitive, Primitive):
        raise BadParameter(f"a language is made of primitives, got {brief(primitive)}")
    what = f"primitive {brief(primitive.name)}"
    for name in ("name", "returns", "rule", "reads", "help", "acts", "branches", "calls"):
        if not isinstance(getattr(primitive, name), str):
            raise BadParameter(f"{what}: {name} must be a text, got {brief(getattr(primitive, name))}")
    if not isinstance(primitive.takes, tuple) or not all(isinstance(word, str) for word in primitive.takes):
        raise BadParameter(f"{what}: takes must be a tuple of types, got {brief(primitive.takes)}")
    for name, pair in (("draws", primitive.draws), ("choices", primitive.choices)):
        fine = isinstance(pair, tuple) and all(isinstance(x, int | float) for x in pair)
        if pair is not None and (not fine or (name == "draws" and len(pair) != 2)):
            raise BadParameter(
                f"{what}: {name} must be a tuple of {'two ' * (name == 'draws')}numbers, got {brief(pair)}"
            )
    if not isinstance(primitive.places, int):
        raise BadParameter(f"{what}: places must be a whole number, got {brief(primitive.places)}")


def _examine(primitive: Primitive) -> None:
    """Raise BadParameter unless the primitive makes sense; rules may hold arithmetic only."""
    _demand_types(primitive)
    shown = primitive.name if primitive.name.isprintable() else brief(primitive.name)
    what = f"primitive {shown or 'without a name'}"
    if not NAME.fullmatch(primitive.name) or primitive.name in RESERVED:
        raise BadParameter(
            f"{what}: a name is made of letters, digits and _, does not begin with a digit and is none of "
            f"{', '.join(RESERVED)}"
        )
    _demand_line(f"{what}: help", primitive.help)
    if len(primitive.takes) > len(LETTERS):
        raise BadParameter(f"{what}: at most {len(LETTERS)} arguments")
    ways = (primitive.rule, primitive.reads, primitive.acts, primitive.calls)
    if list(map(bool, ways)).count(True) != 1:
        raise BadParameter(f"{what} needs a rule, or something that it reads, or something that it acts: one of them")
    if primitive.calls and (primitive.has_value or primitive.places):
        raise BadParameter(f"{what} calls a function, so it has arguments only")
    if primitive.reads and (primitive.takes or primitive.has_value):
        raise BadParameter(f"{what} reads an input, so it has no arguments and draws no constant")
    if primitive.places < 0 or (primitive.places and primitive.rule):
        raise BadParameter(f"{what}: only what reads or acts can have places, and a positive number of them")
    _examine_branches(primitive, what)
    if primitive.draws and not -LARGEST < primitive.draws[0] <= primitive.draws[1] < LARGEST:
        raise BadParameter(f"{what}: its range must be two finite numbers below {LARGEST:g}, the smaller one first")
    if not all(-LARGEST < choice < LARGEST for choice in primitive.choices):
        raise BadParameter(f"{what}: its choices must be finite numbers below {LARGEST:g}")
    if primitive.rule:
        _examine_rule(primitive, f"{what}: the rule {primitive.rule!r:.80}")


def _demand_line(what: str, text: str) -> None:
    """Raise BadParameter for a text that people could not read in one line: they meet it in lists and in messages."""
    if not isinstance(text, str) or not text.isprintable():
        raise BadParameter(f"{what} must be a text of one line, got {brief(text)}")


def _examine_branches(primitive: Primitive, what: str) -> None:
    if primitive.branches and not primitive.acts:
        raise BadParameter(f"{what}: only what acts can have branches")
    known = LETTERS[: len(primitive.takes)]
    if list(primitive.branches) != sorted(set(primitive.branches) & set(known)):
        raise BadParameter(
            f"{what}: its branches are letters of its arguments in order ({known or 'it has none'}), not "
            f"{primitive.branches!r:.40}"
        )
    if primitive.acts and primitive.has_value and primitive.places:
        raise BadParameter(f"{what} acts with one number of its own: a constant or a place, not both")


def _examine_rule(primitive: Primitive, what: str) -> None:
    try:
        tree = ast.parse(primitive.rule, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadParameter(f"{what} is not an expression") from None
    if _levels(tree) > DEEPEST:
        raise BadParameter(f"{what} is deeper than {DEEPEST} levels")
    known = set(LETTERS[: len(primitive.takes)]) | ({"v"} if primitive.has_value else set())
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if not isinstance(node, _PARTS):
            raise BadParameter(f"{what} may hold arithmetic, comparisons and {', '.join(CALLS)} only")
        if isinstance(node, ast.Constant) and not (isinstance(node.value, int | float) and abs(node.value) < LARGEST):
            raise BadParameter(f"{what}: its constants must be numbers, below {LARGEST:g}")
        if isinstance(node, ast.Call):
            _examine_call(node, what)
        elif isinstance(node, ast.Name) and id(node) not in called and node.id not in known:
            raise BadParameter(
                f"{what} uses {node.id!r}, which is none of {', '.join(sorted(known)) or 'its arguments'}"
            )


def _levels(tree: ast.Expression) -> int:
    """Return how many operations of an expression lie one in the other."""
    count, level = 0, [tree.body]
    while level:
        count += 1
        level = [child for node in level for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return count


def _examine_call(node: ast.Call, what: str) -> None:
    if not isinstance(node.func, ast.Name) or node.func.id not in CALLS or node.keywords:
        raise BadParameter(f"{what} calls something else than {', '.join(CALLS)}")
    if (len(node.args) < 2) if node.func.id in SEVERAL else (len(node.args) != 1):
        raise BadParameter(
            f"{what}: {node.func.id} takes {'two arguments or more' if node.func.id in SEVERAL else 'one argument'}"
        )


@dataclass(frozen=True)
class Language:
    """Types and primitives; `root` is the type of a whole program.

    >>> plus, one = Primitive("Plus", "Float", ("Float", "Float"), "a + b"), Primitive("One", "Float", rule="1.0")
    >>> language = Language("toy", ("Float",), (plus, one))
    >>> language.least["Float"]
    0
    """

    name: str
    types: tuple[str, ...]
    primitives: tuple[Primitive, ...]
    root: str = "Float"
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        _demand_line("the name of a language", self.name)
        words = (*self.types, *self.sets)
        if len(words) > MOST_TYPES:
            raise BadParameter(f"language {self.name} has {len(words)} types and sets of types, {MOST_TYPES} at most")
        for word in words:
            _demand_line(f"language {self.name}: a type", word)
            if not word.strip() or words.count(word) > 1:
                raise BadParameter(
                    f"language {self.name}: types and sets have names, and no two the same, got {word!r}"
                )
        self.atoms(self.root)
        for word in (word for words in self.sets.values() for word in words):
            if word not in self.types:
                raise BadParameter(
                    f"language {self.name}: a set of types has {word!r}, which is none of {', '.join(self.types)}"
                )
        seen = set()
        for primitive in self.primitives:
            _examine(primitive)
            if primitive.name in seen:
                raise BadParameter(f"language {self.name}: two primitives are called {primitive.name}")
            seen.add(primitive.name)
            for word in (primitive.returns, *primitive.takes):
                self.atoms(word)
        wanted = {self.root} | {word for primitive in self.primitives for word in primitive.takes}
        empty = [word for word in (*self.types, *self.sets) if word in wanted and word not in self.least]
        if empty:
            raise BadParameter(f"language {self.name}: no finite program has the type {empty[0]}; give it a terminal")

    def __hash__(self) -> int:
        return hash((self.name, self.types, self.primitives, self.root))

    def atoms(self, word: str) -> tuple[str, ...]:
        """Return the base types that a type stands for."""
        if word in self.types:
            return (word,)
        if word in self.sets:
            return self.sets[word]
        known = (*self.types, *self.sets)
        raise BadParameter(
            f"language {self.name} has no type {word!r}{did_you_mean(word, known)} (it has {', '.join(known)})"
        )

    def fits(self, returned: str, wanted: str) -> bool:
        """Return whether a node of one type fits a place of another."""
        return (returned, wanted) in self._meetings or not set(self.atoms(returned)).isdisjoint(self.atoms(wanted))

    @cached_property
    def _meetings(self) -> frozenset[tuple[str, str]]:
        words = (*self.types, *self.sets)
        return frozenset((a, b) for a in words for b in words if not set(self.atoms(a)).isdisjoint(self.atoms(b)))

    def is_truth(self, word: str) -> bool:
        """Return whether a type holds truths only."""
        return self.atoms(word) == ("Bool",)

    @cached_property
    def acts(self) -> bool:
        """Whether programs can do something, rather than judge only."""
        return any(primitive.acts for primitive in self.primitives)

    @cached_property
    def meanings(self) -> tuple[ast.expr | None, ...]:
        """What the rule of each primitive means (`rule.py`); None for what reads an input, acts or calls."""
        return tuple(
            meaning(p.tree, frozenset(LETTERS[i] for i, word in enumerate(p.takes) if self.is_truth(word)))
            if p.rule
            else None
            for p in self.primitives
        )

    @cached_property
    def codes(self) -> tuple[Any, ...]:
        """The meanings as compiled expressions; None for what reads an input, acts or calls."""
        return tuple(
            None if node is None else compile(ast.fix_missing_locations(ast.Expression(node)), "<rule>", "eval")
            for node in self.meanings
        )

    @cached_property
    def takes(self) -> tuple[tuple[str, ...], ...]:
        """The argument types of each primitive, by its number."""
        return tuple(primitive.takes for primitive in self.primitives)

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each primitive by its name."""
        return {primitive.name: k for k, primitive in enumerate(self.primitives)}

    def find(self, name: str) -> int:
        """Return the number of a primitive; raises BadParameter for an unknown name."""
        if name not in self.number:
            raise BadParameter(
                f"language {self.name} has no {name!r}{did_you_mean(name, self.number)} (it has "
                f"{', '.join(self.number)})"
            )
        return self.number[name]

    @cached_property
    def least(self) -> dict[str, int]:
        """The least depth of a program of each type (a terminal has depth 0); types without programs are absent."""
        least: dict[str, int] = {}
        depth = self._least_of_primitives({})
        while True:
            new = {}
            for word in (*self.types, *self.sets):
                depths = [d for k, d in depth.items() if self.fits(self.primitives[k].returns, word)]
                if depths:
                    new[word] = min(depths)
            if new == least:
                return least
            least = new
            depth = self._least_of_primitives(least)

    def _least_of_primitives(self, least: dict[str, int]) -> dict[int, int]:
        return {
            k: 1 + max(least[word] for word in primitive.takes) if primitive.takes else 0
            for k, primitive in enumerate(self.primitives)
            if all(word in least for word in primitive.takes)
        }

    @cached_property
    def least_of(self) -> tuple[int, ...]:
        """The least depth of a program that begins with each primitive (a huge number if there is none)."""
        depth = self._least_of_primitives(self.least)
        return tuple(depth.get(k, 2**30) for k in range(len(self.primitives)))

    @cached_property
    def fitting(self) -> dict[str, tuple[int, ...]]:
        """The primitives that fit each type."""
        words = (*self.types, *self.sets)
        return {
            word: tuple(
                k for k, p in enumerate(self.primitives) if self.fits(p.returns, word) and self.least_of[k] < 2**30
            )
            for word in words
        }

    def within(self, word: str, depth: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the functions and the terminals that fit a type and can end within a depth."""
        if (word, depth) not in self._within:
            fitting = [k for k in self.fitting[word] if self.least_of[k] <= depth]
            self._within[word, depth] = (
                tuple(k for k in fitting if self.takes[k]),
                tuple(k for k in fitting if not self.takes[k]),
            )
        return self._within[word, depth]

    @cached_property
    def _within(self) -> dict[tuple[str, int], tuple[tuple[int, ...], tuple[int, ...]]]:
        return {}

    @cached_property
    def constant_of(self) -> dict[str, int]:
        """The one primitive whose nodes are written as bare numbers, if there is exactly one."""
        found = [k for k, p in enumerate(self.primitives) if p.is_constant and p.has_value]
        return {"number": found[0]} if len(found) == 1 else {}

    def without(self, *names: str, name: str = "") -> "Language":
        """Return the language without some primitives."""
        for word in names:
            self.find(word)
        return Language(
            name or self.name,
            self.types,
            tuple(p for p in self.primitives if p.name not in names),
            self.root,
            self.sets,
        )
