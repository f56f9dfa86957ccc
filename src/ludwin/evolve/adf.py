"""Automatically defined functions: programs that define functions of their own and call them.

Why it is here.  What is needed twice should be found once.  A genome has a tree for each function beside the main
program; the main program calls them like any primitive, a function may call those before it, and its own language knows
its arguments, ARG0, ARG1, …  Every tree evolves in its own role: subtrees cross between equal roles only, so types and
numbers of arguments always fit.

What a genome means is the main program with all its calls *written out*, arguments in their places: a program of the
language that was given.  So everything that runs programs runs these (searches, rows, native code, exported
Python), and says the same; what is computed twice in it is computed once by those that share (`assemble.py`, LLVM).  In
a language of actions an argument acts as often as the function names it: there they are macros (Spector 1996).  A
factor at a call, or at an argument, multiplies that of the root that takes its place.

>>> from ludwin.evolve.toys import ARITHMETIC
>>> kind = defining(ARITHMETIC, {"Twice": 1, "Both": 2}, calls={"Both": ["Twice"]})
>>> g = kind.read({"program": "Both(X, Twice(X))", "Twice": "Add(ARG0, ARG0)", "Both": "Mul(Twice(ARG0), ARG1)"})
>>> print(kind.text(g))
Twice(ARG0) = Add(ARG0, ARG0)
Both(ARG0, ARG1) = Mul(Twice(ARG0), ARG1)
program = Both(X, Twice(X))
>>> from ludwin.program.text import write
>>> write(kind.decode(g))
'Mul(Add(X, X), Add(X, X))'

References.  J. R. Koza, Genetic Programming II (1994).  L. Spector, "Simultaneous evolution of programs and their
control structures", Advances in Genetic Programming 2 (1996), 137-154.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

from ludwin.errors import BadParameter, brief
from ludwin.evolve.trees import Genome, Trees
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream
from ludwin.program.text import write
from ludwin.program.tree import Tree
from ludwin.program.vary import LIMITS, Limits
from ludwin.settings import Setting

MAIN = "program"  # the role of the tree that is run
ARGUMENT = "ARG"
DEEPEST = 150  # levels of a program that is written out: what text and evaluators hold
TRIES = 20


@dataclass(frozen=True)
class Definition:
    """A function that genomes define: its name, its types, which functions before it it may call, what it may use.

    `uses` names primitives of the language; without it these are all that compute, and none that reads or acts: what a
    function knows of the world comes in by its arguments.
    """

    name: str
    returns: str
    takes: tuple[str, ...]
    calls: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.takes:
            raise BadParameter(f"the function {self.name} needs an argument at least; a constant needs no function")

    @property
    def primitive(self) -> Primitive:
        """How programs call it."""
        return Primitive(self.name, self.returns, self.takes, calls=self.name, help="a function of the genome's own")

    @property
    def arguments(self) -> tuple[Primitive, ...]:
        """How its own tree reads its arguments."""
        return tuple(
            Primitive(f"{ARGUMENT}{k}", word, reads=f"argument {k} of {self.name}") for k, word in enumerate(self.takes)
        )


class _Extent(NamedTuple):
    """How large a tree is when it is written out: nodes and depth of its own, and, of each argument, how often it is
    named and how deep it lies at most (-1: nowhere).
    """

    nodes: int
    depth: int
    named: tuple[int, ...]
    below: tuple[int, ...]


@dataclass(frozen=True)
class Defining:
    """Individuals of a main program and functions, one tree each.

    `limits` hold for every tree; a program that is written out has at most `most` nodes and is at most 150 deep.
    What `trees` takes beside (mutations, depths of the first generation) is handed on in `more`.
    """

    language: Language
    definitions: tuple[Definition, ...]
    limits: Limits = LIMITS
    most: int = 2000
    more: Mapping[str, Any] = field(default_factory=dict, hash=False)
    name: str = field(default="functions", init=False)

    def __post_init__(self) -> None:
        Setting("most", 1, "", least=0).examine(self.most, "functions")
        seen: list[str] = []
        for one in self.definitions:
            for name in one.calls:
                if name not in seen:
                    raise BadParameter(
                        f"{one.name} cannot call {name}: a function calls only those that are defined before it"
                    )
            if one.name in self.language.number or one.name in (MAIN, *seen):
                raise BadParameter(f"the name {one.name} is taken; give the function another one")
            seen.append(one.name)
        if not self.definitions:
            raise BadParameter("there is no function to define; a program alone is single(language)")
        if not self.allows(self._least()):
            raise BadParameter(
                f"no program of {self.most} nodes can be written out in the language {self.language.name}"
            )

    @cached_property
    def trees(self) -> Trees:
        """The trees by role, the main program first, and their operators."""
        main = self._language(MAIN, self.language.primitives, self.definitions, self.language.root)
        return Trees(
            ((MAIN, main), *((one.name, self._body(one)) for one in self.definitions)), self.limits, **self.more
        )

    def _language(
        self, name: str, primitives: Sequence[Primitive], called: Sequence[Definition], root: str
    ) -> Language:
        given = (*primitives, *(one.primitive for one in called))
        return Language(f"{self.language.name}: {name}", self.language.types, given, root, dict(self.language.sets))

    def _body(self, one: Definition) -> Language:
        """Return the language of a function: what it may use, its arguments, and the functions before it."""
        for name in one.uses:
            self.language.find(name)
        for word in (one.returns, *one.takes):
            self.language.atoms(word)
        used = [p for p in self.language.primitives if (p.name in one.uses if one.uses else bool(p.rule))]
        called = [other for other in self.definitions if other.name in one.calls]
        given = [*used, *one.arguments]
        while True:  # what needs a type that nothing ends is left out
            whole = [*given, *(other.primitive for other in called)]
            ready = {word for word in (*self.language.types, *self.language.sets) if self._ends(whole, word)}
            short = [p for p in whole if not all(word in ready for word in p.takes)]
            if not short:
                break
            given = [p for p in given if p not in short]
            called = [other for other in called if other.primitive not in short]
        if one.returns not in ready:
            raise BadParameter(
                f"the function {one.name} has nothing that returns {one.returns}; give it such an argument"
            )
        return self._language(one.name, given, called, one.returns)

    def _ends(self, primitives: Sequence[Primitive], wanted: str) -> bool:
        """Return whether a finite program of a type can be made of primitives."""
        fits, ready = self.language.fits, set()
        while True:
            fresh = {
                p.name
                for p in primitives
                if p.name not in ready
                and all(any(q.name in ready and fits(q.returns, word) for q in primitives) for word in p.takes)
            }
            if not fresh:
                return any(p.name in ready and fits(p.returns, wanted) for p in primitives)
            ready |= fresh

    # What a genome means

    def decode(self, g: Genome) -> Tree:
        """Return the main program with all its calls written out, in the language that was given."""
        bodies = {one.name: g[1 + k] for k, one in enumerate(self.definitions)}
        return _CallWriter(self.language, bodies).node(g[0], 0, {})

    def extent(self, g: Genome) -> tuple[int, int]:
        """Return the nodes and the depth of a genome's program as it is written out, without doing so."""
        known: dict[str, _Extent] = {}
        for one, tree in zip(self.definitions, g[1:], strict=True):
            known[one.name] = _extent(tree, known, [p.reads for p in one.arguments])
        found = _extent(g[0], known, ())
        return found.nodes, found.depth

    def allows(self, g: Genome) -> bool:
        """Return whether a genome can be written out within the limits."""
        nodes, depth = self.extent(g)
        return nodes <= self.most and depth <= DEEPEST

    # The kind

    def begin(self, n: int, stream: Stream) -> list[Genome]:
        """Return a population; what would be too large is made again."""
        found = self.trees.begin(n, stream)
        return [g if self.allows(g) else self.make(stream.split(-1, k)) for k, g in enumerate(found)]

    def make(self, stream: Stream) -> Genome:
        """Return one random individual, smaller ones if large ones do not fit."""
        trees = self.trees
        for attempt in range(TRIES):
            high = max(trees.low, trees.high - attempt // 4)
            found = replace(trees, high=high).make(stream.split(attempt))
            if self.allows(found):
                return found
        return self._least()

    def _least(self) -> Genome:
        from ludwin.program.generate import generate

        return tuple(generate(one, one.least[one.root], Stream(0)) for _, one in self.trees.roles)

    def cross(self, a: Genome, b: Genome, stream: Stream) -> tuple[Genome, Genome]:
        """Swap subtrees between two trees of one role."""
        first, second = self.trees.cross(a, b, stream)
        return (first if self.allows(first) else a), (second if self.allows(second) else b)

    def donate(self, donor: Genome, receiver: Genome, stream: Stream) -> Genome:
        """Return the receiver with a copy of a subtree of the donor's, in one role."""
        found = self.trees.donate(donor, receiver, stream)
        return found if self.allows(found) else receiver

    def mutate(self, g: Genome, stream: Stream) -> Genome:
        """Mutate the tree of one role."""
        found = self.trees.mutate(g, stream)
        return found if self.allows(found) else g

    def gather(self, genomes: Sequence[Genome]) -> Callable[[Stream, float], Genome]:
        """Return what draws children around the mean of genomes of the commonest shape."""
        draw = self.trees.gather(genomes)

        def child(stream: Stream, width: float) -> Genome:
            found = draw(stream, width)
            return found if self.allows(found) else genomes[0]

        return child

    def tuned(self, g: Genome, stream: Stream) -> Genome:
        """Return the individual with all its constants moved a little."""
        return self.trees.tuned(g, stream)

    def shape(self, g: Genome) -> tuple[Any, ...]:
        """Return what two individuals share that differ in their constants only."""
        return self.trees.shape(g)

    def write(self, g: Genome) -> Any:
        """Return program and functions as text, by role."""
        return self.trees.write(g)

    def read(self, data: Any) -> Genome:
        """Return the genome of a stored text. Raises BadParameter, also for what is too large when written out."""
        found = self.trees.read(data)
        if not self.allows(found):
            nodes, depth = self.extent(found)
            raise BadParameter(
                f"with its functions written out the program has {nodes} nodes and is {depth} deep; at most "
                f"{self.most} and {DEEPEST} are allowed"
            )
        return found

    def text(self, g: Genome) -> str:
        """Return the functions and then the program, a line each."""
        heads = [f"{one.name}({', '.join(p.name for p in one.arguments)})" for one in self.definitions]
        lines = [f"{head} = {write(tree)}" for head, tree in zip(heads, g[1:], strict=True)]
        return "\n".join((*lines, f"{MAIN} = {write(g[0])}"))

    def size(self, g: Genome) -> int:
        """Return the number of nodes of all trees, which a call makes fewer."""
        return self.trees.size(g)


def defining(
    language: Language,
    functions: Mapping[str, Any],
    *,
    calls: Mapping[str, Sequence[str]] | None = None,
    limits: Limits = LIMITS,
    most: int = 2000,
    **more: Any,
) -> Defining:
    """Return the kind of genomes that define functions. Raises BadParameter.

    `functions` says of each name how many arguments of the language's root type it takes, or (types, type of its
    value); `calls` which of those before it a function may call.
    """
    if not isinstance(language, Language):
        raise BadParameter(f"functions are defined in a Language, got {brief(language)}")
    if not isinstance(functions, Mapping) or not isinstance(calls or {}, Mapping):
        raise BadParameter("functions, and calls, are dicts by the names of functions")
    for name in calls or {}:
        if name not in functions:
            raise BadParameter(f"calls names {name}, which is none of the functions {', '.join(functions)}")
    known = {one.name for one in fields(Trees) if one.init} - {"roles", "limits"}
    for name in more:
        if name not in known:
            raise BadParameter(f"genomes that define functions take no {name} (there are {', '.join(sorted(known))})")
    found = []
    for name, about in functions.items():
        if isinstance(about, int) and not isinstance(about, bool) and 1 <= about <= 8:
            takes, returns = (language.root,) * about, language.root
        elif isinstance(about, tuple) and len(about) == 2 and not isinstance(about[0], str):
            takes, returns = tuple(about[0]), about[1]
        else:
            raise BadParameter(
                f"the function {name} is declared by its number of arguments, from 1 to 8, or by (types, type of its "
                f"value), got {about!r:.60}"
            )
        found.append(Definition(name, returns, takes, tuple((calls or {}).get(name, ()))))
    return Defining(language, tuple(found), limits, most, more)


# ---- Writing out ----------------------------------------------------------------------------------------------


def _extent(tree: Tree, known: Mapping[str, _Extent], arguments: Sequence[str]) -> _Extent:
    """Return the extent of a tree; `known` are those of the functions that it may call, `arguments` what it reads of
    its own.
    """
    found: list[_Extent] = [_Extent(0, 0, (), ())] * len(tree)
    for at in range(len(tree) - 1, -1, -1):
        primitive = tree.primitive(at)
        if primitive.reads in arguments:
            places = [int(name == primitive.reads) for name in arguments]
            found[at] = _Extent(0, -1, tuple(places), tuple(k - 1 for k in places))
            continue
        children = [found[child] for child in tree.children(at)]
        body = known[primitive.calls] if primitive.calls else _Extent(1, 0, (1,) * len(children), (1,) * len(children))
        nodes, depth, named, below = body.nodes, body.depth, [0] * len(arguments), [-1] * len(arguments)
        for child, many, level in zip(children, body.named, body.below, strict=True):
            if not many:
                continue
            nodes += many * child.nodes
            depth = max(depth, level + child.depth) if child.depth >= 0 else depth
            for k in range(len(arguments)):
                named[k] += many * child.named[k]
                below[k] = max(below[k], level + child.below[k]) if child.below[k] >= 0 else below[k]
        found[at] = _Extent(nodes, depth, tuple(named), tuple(below))
    return found[0]


Later = Callable[[], Tree]  # an argument, which is written out when it is named


class _CallWriter:
    """Writes programs out: what no function names is left out with all that it calls."""

    def __init__(self, language: Language, bodies: Mapping[str, Tree]):
        self.language, self.bodies = language, bodies

    def node(self, tree: Tree, at: int, arguments: Mapping[str, Later]) -> Tree:
        primitive, factor = tree.primitive(at), tree.factors[at]
        if primitive.reads in arguments:
            return _times(arguments[primitive.reads](), factor)
        if primitive.calls:
            given = {
                f"argument {k} of {primitive.calls}": cache(partial(self.node, tree, child, arguments))
                for k, child in enumerate(tree.children(at))
            }
            return _times(self.node(self.bodies[primitive.calls], 0, given), factor)
        children = [self.node(tree, child, arguments) for child in tree.children(at)]
        return Tree(
            self.language,
            (self.language.number[primitive.name], *(x for child in children for x in child.nodes)),
            (tree.values[at], *(x for child in children for x in child.values)),
            (tree.places[at], *(x for child in children for x in child.places)),
            (factor, *(x for child in children for x in child.factors)),
        )


def _times(tree: Tree, factor: float) -> Tree:
    return tree if factor == 1.0 else tree.change(0, factor=tree.factors[0] * factor)
