"""A program as linear arrays: its nodes in prefix order.

Why it is here.  Operators cut and join, so a tree is four tuples of equal length (primitive, constant,
place, factor) in which a subtree is a slice.  Trees never change, equal ones are equal, and they go
to a file as text.

The factor is that of local mutation: the value of a node is multiplied by it (1 at creation).
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import cast

from ludwin.errors import BadParameter
from ludwin.program.language import LETTERS, Language, Primitive
from ludwin.program.rule import SPACE

Read = Callable[[str, int], float]  # the value of an input, by its name and place
Argument = float | Callable[[], float]  # a value, or a branch to run
Act = Callable[[str, float, Sequence[Argument]], float]  # what an action answers, by its name, number and arguments
Visit = Callable[[int], None]


@dataclass(frozen=True)
class Tree:
    """A typed program."""

    language: Language
    nodes: tuple[int, ...]
    values: tuple[float, ...]
    places: tuple[int, ...]
    factors: tuple[float, ...]

    def __hash__(self) -> int:
        return hash((self.nodes, self.values, self.places, self.factors))

    def __len__(self) -> int:
        return len(self.nodes)

    def _repr_svg_(self) -> str:
        from ludwin.program.draw import svg

        return svg(self)

    def primitive(self, at: int) -> Primitive:
        """Return the primitive of a node."""
        return self.language.primitives[self.nodes[at]]

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Where the subtree of each node ends (the first position behind it)."""
        ends = [0] * len(self.nodes)
        takes = self.language.takes
        for at in range(len(self.nodes) - 1, -1, -1):
            end = at + 1
            for _ in takes[self.nodes[at]]:
                end = ends[end]
            ends[at] = end
        return tuple(ends)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """How deep each node lies; the root at 0."""
        levels = [0] * len(self.nodes)
        takes, ends = self.language.takes, self.ends
        for at, kind in enumerate(self.nodes):
            child = at + 1
            for _ in takes[kind]:
                levels[child] = levels[at] + 1
                child = ends[child]
        return tuple(levels)

    @cached_property
    def depth(self) -> int:
        """The depth of the whole tree; that of a terminal is 0."""
        return max(self.levels)

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """The type that the place of each node wants."""
        wanted = [self.language.root] * len(self.nodes)
        takes, ends = self.language.takes, self.ends
        for at, kind in enumerate(self.nodes):
            child = at + 1
            for word in takes[kind]:
                wanted[child] = word
                child = ends[child]
        return tuple(wanted)

    def returns(self, at: int) -> str:
        """Return the type of a node."""
        return self.primitive(at).returns

    def children(self, at: int) -> Iterator[int]:
        """Yield the positions of a node's children."""
        child, ends = at + 1, self.ends
        for _ in self.language.takes[self.nodes[at]]:
            yield child
            child = ends[child]

    def subtree(self, at: int) -> "Tree":
        """Return the tree under a node."""
        cut = slice(at, self.ends[at])
        return Tree(self.language, self.nodes[cut], self.values[cut], self.places[cut], self.factors[cut])

    def graft(self, at: int, other: "Tree") -> "Tree":
        """Return this tree with another one in the place of the subtree at a node."""
        end = self.ends[at]
        return Tree(
            self.language,
            self.nodes[:at] + other.nodes + self.nodes[end:],
            self.values[:at] + other.values + self.values[end:],
            self.places[:at] + other.places + self.places[end:],
            self.factors[:at] + other.factors + self.factors[end:],
        )

    def change(
        self,
        at: int,
        *,
        node: int | None = None,
        value: float | None = None,
        place: int | None = None,
        factor: float | None = None,
    ) -> "Tree":
        """Return this tree with one node changed."""

        def put(items: tuple, item: float | int | None) -> tuple:  # type: ignore[type-arg]
            return items if item is None else (*items[:at], item, *items[at + 1 :])

        return Tree(
            self.language,
            put(self.nodes, node),
            put(self.values, value),
            put(self.places, place),
            put(self.factors, factor),
        )

    @cached_property
    def live(self) -> frozenset[int]:
        """The nodes that can run: all but those below an unused argument (explicitly defined introns)."""
        alive = [False] * len(self.nodes)
        alive[0] = True
        for at in range(len(self.nodes)):
            used = self.primitive(at).used
            for number, child in enumerate(self.children(at)):
                alive[child] = alive[at] and number in used
        return frozenset(at for at, yes in enumerate(alive) if yes)

    def faults(self) -> list[str]:
        """Return what breaks the types of the language (nothing, if all is well)."""
        found = []
        for at in range(len(self.nodes)):
            if not self.language.fits(self.returns(at), self.wanted[at]):
                found.append(
                    f"node {at}, {self.primitive(at).name}, returns {self.returns(at)} where {self.wanted[at]} is "
                    f"wanted"
                )
        if not self.nodes or self.ends[0] != len(self.nodes):
            found.append("the nodes do not make one tree")
        return found

    @cached_property
    def acting(self) -> frozenset[int]:
        """The nodes in whose subtrees something acts when they run; introns do not count."""
        found = set()
        for at in range(len(self.nodes) - 1, -1, -1):
            primitive = self.primitive(at)
            if primitive.acts or any(
                child in found for number, child in enumerate(self.children(at)) if number in primitive.used
            ):
                found.add(at)
        return frozenset(found)

    def number(self, at: int) -> float:
        """Return the number that an acting node carries: its constant or its place, 0 if it has none."""
        primitive = self.primitive(at)
        return self.values[at] if primitive.has_value else float(self.places[at])

    def evaluate(self, read: Read, at: int = 0, visit: Visit | None = None, act: Act | None = None) -> float:
        """Return the value of the program: the readable evaluator, which all others must equal.

        `visit` hears of every node that runs. `act` does what acting nodes say (`act.py` has one with limits).
        """
        if visit:
            visit(at)
        primitive = self.primitive(at)
        children = list(self.children(at))
        if primitive.reads:
            value = float(read(primitive.reads, self.places[at]))
        elif primitive.is_lazy:
            choice = cast(ast.IfExp, primitive.tree)
            test, then, other = (
                LETTERS.index(cast(ast.Name, part).id) for part in (choice.test, choice.body, choice.orelse)
            )
            chosen = then if self.evaluate(read, children[test], visit, act) != 0.0 else other
            value = self.evaluate(read, children[chosen], visit, act)
        elif primitive.acts:
            if act is None:
                raise BadParameter(f"the program acts ({primitive.acts!r:.60}); run it in a world (ludwin.program.act)")
            arguments: list[Argument] = []
            for number, child in enumerate(children):
                if primitive.is_branch(number):
                    arguments.append(partial(self.evaluate, read, child, visit, act))
                else:
                    arguments.append(self.evaluate(read, child, visit, act))
            value = act(primitive.acts, self.number(at), arguments)
        elif primitive.is_alias:
            value = self.evaluate(read, children[primitive.used[0]], visit, act)
        elif primitive.calls:
            raise BadParameter(f"the program calls {primitive.calls}; its genome's decode writes such calls out")
        else:
            known = {LETTERS[number]: self.evaluate(read, children[number], visit, act) for number in primitive.used}
            value = eval(
                self.language.codes[self.nodes[at]], SPACE, {**known, "v": self.values[at]}
            )  # a rule that was examined
        factor = self.factors[at]
        return value if factor == 1.0 else value * factor


def leaf(language: Language, name: str, value: float = 0.0, place: int = 0) -> Tree:
    """Return the program of a single terminal."""
    return Tree(language, (language.find(name),), (value,), (place,), (1.0,))


def join(language: Language, name: str, *children: Tree, value: float = 0.0, place: int = 0) -> Tree:
    """Return the program of a function and its arguments."""
    return Tree(
        language,
        (language.find(name), *(node for child in children for node in child.nodes)),
        (value, *(item for child in children for item in child.values)),
        (place, *(item for child in children for item in child.places)),
        (1.0, *(item for child in children for item in child.factors)),
    )
