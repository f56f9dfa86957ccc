"""Genomes that are typed trees: one or several per individual, each with its role.

Why it is here.  The engine of evolution knows genomes only through a kind (`kind.py`).  This is the
kind of all genetic programming here: how a population of trees begins, how two individuals
exchange subtrees between trees of the same role, which mutation is tried how often, and the text in which
a genome is stored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ludwin.errors import BadParameter, brief
from ludwin.evolve.operators import MUTATIONS, STARTS
from ludwin.evolve.sums import blend, gathered, same_shape, shake, weighted_sum
from ludwin.program import vary
from ludwin.program.generate import generate, ramped
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.program.text import read, write
from ludwin.program.tree import Tree
from ludwin.program.vary import LIMITS, Limits
from ludwin.settings import Setting, one_of, within

Genome = tuple[Tree, ...]
SMALLER = 1  # what streams are split by that draw a smaller tree


@dataclass(frozen=True)
class Trees:
    """Individuals of one tree per role.

    `mutations` weighs the kinds of mutation: subtree, point, constant, local, shake. `seeds` are programs that
    the first individuals begin with; after them a share `linear` of the population begins as weighted sums
    of all terminals, or of `sum_of` (`sums.py`). With probability `blend` two trees of one shape cross by mixing their
    constants instead of swapping subtrees. `start` and the names of mutations are those of `operators.py`, where there
    is room for others.
    """

    roles: tuple[tuple[str, Language], ...]
    limits: Limits = LIMITS
    low: int = 2
    high: int = 6
    mutations: tuple[tuple[str, float], ...] = (("subtree", 1.0), ("point", 0.0), ("constant", 0.0), ("local", 0.0))
    seeds: tuple[Genome, ...] = ()
    linear: float = 0.0
    blend: float = 0.0
    sum_of: tuple[str, ...] = ()
    start: str = "ramped"
    name: str = field(default="trees", init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.roles, tuple | list) or not isinstance(self.mutations, tuple | list):
            raise BadParameter(f"trees have pairs of a role and a language, got {brief(self.roles)}")
        if not self.roles or len({role for role, _ in self.roles}) < len(self.roles):
            raise BadParameter("an individual has one tree at least, and every tree a role of its own")
        for role, language in self.roles:
            if not isinstance(language, Language):
                raise BadParameter(f"the tree {role} needs a Language, got {brief(language)}")
        if not isinstance(self.limits, Limits):
            raise BadParameter(f"trees have Limits(depth, size), got {brief(self.limits)}")
        for name in ("low", "high"):
            Setting(name, 1, "", least=0).examine(getattr(self, name), "trees")
        one_of("start", self.start, STARTS)
        for way, weight in self.mutations:
            one_of("a mutation of trees", way, MUTATIONS)
            within(f"the weight of mutation {way}", weight, least=0)
        if not any(weight for _, weight in self.mutations):
            raise BadParameter("one of the mutations must have a weight above 0")

    def begin(self, n: int, stream: Stream) -> list[Genome]:
        """Return a population: the seeds, then ramped half-and-half."""
        begin, (low, high) = STARTS[self.start], self.depths
        columns = []
        for number, (_, language) in enumerate(self.roles):
            found = self._fitting(begin(language, n, stream.split(number), low, high), language, n)
            columns.append([self._small(tree, stream.split(number, i, SMALLER)) for i, tree in enumerate(found)])
        made = [tuple(column[i] for column in columns) for i in range(n)]
        for i in range(round(self.linear * n)):
            made[-1 - i] = tuple(
                weighted_sum(language, stream.split(-1 - i, number), self.sum_of)
                for number, (_, language) in enumerate(self.roles)
            )
        return [*self.seeds[:n], *made[len(self.seeds) :]]

    @property
    def depths(self) -> tuple[int, int]:
        """The least and the greatest depth of random programs, within the limits."""
        return min(self.low, self.high, self.limits.depth), min(self.high, self.limits.depth)

    def _small(self, tree: Tree, stream: Stream) -> Tree:
        """Return a random tree, or, in the place of one that is larger than trees may be, a shallower one that is not.

        Raises BadParameter if there is none.
        """
        if self.limits.allow(tree):
            return tree
        language = tree.language
        least = language.least[language.root]
        for depth in range(max(least, min(tree.depth, self.limits.depth)), least - 1, -1):
            for attempt in range(vary.TRIES):
                found = generate(language, depth, stream.split(depth, attempt), inner=depth > least)
                if self.limits.allow(found):
                    return found
        raise BadParameter(
            f"language {language.name}: there is hardly a program of at most {self.limits.size} nodes and depth "
            f"{self.limits.depth}; allow larger ones"
        )

    def _fitting(self, trees: Sequence[Tree], language: Language, n: int) -> Sequence[Tree]:
        """Return what a start made, if it is what was wanted; users write starts, too."""
        if (
            not isinstance(trees, list | tuple)
            or len(trees) != n
            or not all(isinstance(tree, Tree) and tree.language == language for tree in trees)
        ):
            raise BadParameter(f"start={self.start} must return {n} trees of the language {language.name}")
        return trees

    def readable(self) -> list[str]:
        """Return the terminals that programs may read, of all roles' languages."""
        return list(dict.fromkeys(one.name for _, words in self.roles for one in words.primitives if one.reads))

    def reading(self, names: Sequence[str]) -> "Trees":
        """Return the kind whose programs read only these. Raises BadParameter if a language then says nothing."""
        roles = []
        for role, words in self.roles:
            out = [one.name for one in words.primitives if one.reads and one.name not in names]
            roles.append((role, words.without(*out)))
        return replace(self, roles=tuple(roles), seeds=(), linear=0.0, sum_of=())

    def decode(self, g: Genome) -> Any:
        """Return what a user's fitness sees: the tree, or the trees by role."""
        return g[0] if len(self.roles) == 1 else {role: tree for (role, _), tree in zip(self.roles, g, strict=True)}

    def shape(self, g: Genome) -> tuple[Any, ...]:
        """Return what two individuals share that differ in their constants only."""
        return tuple((tree.nodes, tree.places) for tree in g)

    def make(self, stream: Stream) -> Genome:
        """Return one random individual, as one of a first population."""
        if self.linear and stream.chance(self.linear):
            return tuple(
                weighted_sum(language, stream.split(number), self.sum_of)
                for number, (_, language) in enumerate(self.roles)
            )
        trees = []
        for _, language in self.roles:
            least = language.least[language.root]
            low, high = (max(depth, least) for depth in self.depths)
            made = generate(language, low + stream.below(high - low + 1), stream, full=stream.chance(0.5), inner=True)
            trees.append(self._small(made, stream.split(SMALLER)))
        return tuple(trees)

    def cross(self, a: Genome, b: Genome, stream: Stream) -> tuple[Genome, Genome]:
        """Swap subtrees between the two trees of one role, or mix their constants."""
        role = stream.below(len(self.roles))
        if self.blend and same_shape(a[role], b[role]) and stream.chance(self.blend):
            first, second = blend(a[role], b[role], stream)
            return _put(a, role, first), _put(b, role, second)
        first, second = vary.crossover(a[role], b[role], stream, self.limits)
        return _put(a, role, first), _put(b, role, second)

    def gather(self, genomes: Sequence[Genome]) -> Callable[[Stream, float], Genome]:
        """Return what draws children around the mean of those genomes that have the commonest shape."""
        draws = [gathered([g[role] for g in genomes]) for role in range(len(self.roles))]
        return lambda stream, width: tuple(draw(stream, width) for draw in draws)

    def tuned(self, g: Genome, stream: Stream) -> Genome:
        """Return the individual with all its constants moved a little."""
        return tuple(shake(tree, stream, self.limits) for tree in g)

    def donate(self, donor: Genome, receiver: Genome, stream: Stream) -> Genome:
        """Return the receiver with a copy of a subtree of the donor's, in one role."""
        role = stream.below(len(self.roles))
        return _put(receiver, role, vary.donate(donor[role], receiver[role], stream, self.limits))

    def mutate(self, g: Genome, stream: Stream) -> Genome:
        """Mutate the tree of one role, in one of the ways."""
        role = stream.below(len(self.roles))
        tree = g[role]
        way = self.mutations[stream.weighted([weight for _, weight in self.mutations])][0]
        return _put(g, role, _mutate(tree, way, stream, self.limits))

    def write(self, g: Genome) -> Any:
        """Return the programs as text, by role."""
        return {role: write(tree) for (role, _), tree in zip(self.roles, g, strict=True)}

    def read(self, data: Any) -> Genome:
        """Return the genome of a stored text."""
        wanted = [role for role, _ in self.roles]
        if (
            not isinstance(data, dict)
            or list(data) != wanted
            or not all(isinstance(text, str) for text in data.values())
        ):
            raise BadParameter(f"an individual must have a program for each of {', '.join(wanted)}")
        return tuple(read(language, data[role]) for role, language in self.roles)

    def text(self, g: Genome) -> str:
        """Return the programs for people, a line each."""
        if len(g) == 1:
            return write(g[0])
        return "\n".join(f"{role}: {write(tree)}" for (role, _), tree in zip(self.roles, g, strict=True))

    def size(self, g: Genome) -> int:
        """Return the number of nodes."""
        return sum(len(tree) for tree in g)


def _put(g: Genome, role: int, tree: Tree) -> Genome:
    return (*g[:role], tree, *g[role + 1 :])


def _mutate(tree: Tree, way: str, stream: Stream, limits: Limits) -> Tree:
    """Mutate in one way; where a user's mutation returns what is too large, the parent stays, as with ours."""
    changed = MUTATIONS[way](tree, stream, limits)
    if not isinstance(changed, Tree) or changed.language != tree.language:
        raise BadParameter(f"mutation {way} must return a tree of the same language, got {type(changed).__name__}")
    return changed if way not in MUTATIONS.others or limits.allow(changed) else tree


mutate_subtree, mutate_point, mutate_constant = vary.mutate_subtree, vary.mutate_point, vary.mutate_constant
mutate_insert, mutate_term = vary.mutate_insert, vary.mutate_term


def mutate_factor(tree: Tree, stream: Stream, limits: Limits = LIMITS) -> Tree:
    """Local mutation as in the book: the chosen node must be a number, else its subtree is replaced."""
    at = vary.choose_node(tree, stream, limits.inner)
    if "Bool" in tree.language.atoms(tree.returns(at)):
        return vary.mutate_subtree(tree, stream, limits, at)
    return vary.mutate_local(tree, stream, limits, at)


def begin_ramped(language: Language, count: int, stream: Stream, low: int, high: int) -> list[Tree]:
    """Return programs of depths from low to high in turn, half of them full and half grown."""
    return ramped(language, count, stream, low=low, high=high)


def begin_full(language: Language, count: int, stream: Stream, low: int, high: int) -> list[Tree]:
    """Return programs whose branches are all as deep as the depth in turn allows."""
    return _begun(language, count, stream, low, high, full=True)


def begin_grow(language: Language, count: int, stream: Stream, low: int, high: int) -> list[Tree]:
    """Return programs that begin with a function and end where chance says so."""
    return _begun(language, count, stream, low, high, full=False)


def _begun(language: Language, count: int, stream: Stream, low: int, high: int, *, full: bool) -> list[Tree]:
    least = language.least[language.root]
    low, high = max(low, least), max(high, least)
    depths = [low + k % (high - low + 1) for k in range(count)]
    return [generate(language, d, stream.split(k), full=full, inner=True) for k, d in enumerate(depths)]


def begin_sums(language: Language, count: int, stream: Stream, low: int, high: int) -> list[Tree]:
    """Return weighted sums of all that the language reads."""
    return [weighted_sum(language, stream.split(k)) for k in range(count)]


def single(language: Language, limits: Limits = LIMITS, *, seeds: Sequence[str] = (), **more: Any) -> Trees:
    """Return the kind of individuals of one tree."""
    return Trees((("program", language),), limits, seeds=tuple((read(language, text),) for text in seeds), **more)
