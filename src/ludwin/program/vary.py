"""Variation: how children differ from their parents.

Every operator is a pure function of its trees, its limits and a stream, keeps the types, and gives the
parent back if no try stays within the limits.

References.  Koza (1992) for subtree crossover and mutation and for the 90/10 choice of nodes; M. Sipper,
*Evolved to Win*, chapter 3, for one-way crossover and local mutation.  U.-M. O'Reilly, F. Oppacher, "Program search
with a hierarchical variable length representation", PPSN 3 (1994), for insertion (HVL mutation).
"""

import math
from dataclasses import dataclass

from ludwin.program.generate import draw_place, draw_value, generate
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree, join
from ludwin.settings import Setting

TRIES = 4


@dataclass(frozen=True)
class Limits:
    """How large a program may become, and how nodes are chosen."""

    depth: int = 14
    size: int = 400
    inner: float = 0.9  # the share of functions among the chosen nodes
    new_depth: int = 5  # how deep a new subtree grows
    step: float = 0.1  # the standard deviation of a change of a factor or a constant

    def __post_init__(self) -> None:
        for name, least in (("depth", 0), ("size", 1), ("new_depth", 0)):
            Setting(name, 1, "", least=least).examine(getattr(self, name), "limits")
        Setting("inner", 0.5, "", least=0, most=1).examine(self.inner, "limits")
        Setting("step", 0.5, "", least=0).examine(self.step, "limits")

    def allow(self, tree: Tree) -> bool:
        """Return whether a tree keeps the limits."""
        return len(tree) <= self.size and tree.depth <= self.depth


LIMITS = Limits()


def choose_node(tree: Tree, stream: Stream, inner: float = 0.9, among: list[int] | None = None) -> int:
    """Return a node: a function with probability `inner`, all functions alike, else a terminal."""
    places = range(len(tree)) if among is None else among
    takes, nodes = tree.language.takes, tree.nodes
    functions = [at for at in places if takes[nodes[at]]]
    terminals = [at for at in places if not takes[nodes[at]]]
    if functions and (not terminals or stream.chance(inner)):
        return stream.pick(functions)
    return stream.pick(terminals)


def _partners(tree: Tree, at: int, other: Tree) -> list[int]:
    """Return the nodes of `other` that fit where node `at` is."""
    fitting = set(tree.language.fitting[tree.wanted[at]])
    return [k for k, kind in enumerate(other.nodes) if kind in fitting]


def crossover(first: Tree, second: Tree, stream: Stream, limits: Limits = LIMITS) -> tuple[Tree, Tree]:
    """Swap two subtrees that fit into each other's places; a child beyond the limits is replaced by its parent."""
    fits = first.language.fits
    for _ in range(TRIES):
        at = choose_node(first, stream, limits.inner)
        among = [k for k in _partners(first, at, second) if fits(first.returns(at), second.wanted[k])]
        if not among:
            continue
        k = choose_node(second, stream, limits.inner, among)
        children = first.graft(at, second.subtree(k)), second.graft(k, first.subtree(at))
        good = [limits.allow(child) for child in children]
        if any(good):
            return (children[0] if good[0] else first), (children[1] if good[1] else second)
    return first, second


def donate(donor: Tree, receiver: Tree, stream: Stream, limits: Limits = LIMITS) -> Tree:
    """Return the receiver with a copy of one of the donor's subtrees; the donor stays as it is."""
    for _ in range(TRIES):
        at = choose_node(receiver, stream, limits.inner)
        among = _partners(receiver, at, donor)
        if not among:
            continue
        child = receiver.graft(at, donor.subtree(choose_node(donor, stream, limits.inner, among)))
        if limits.allow(child):
            return child
    return receiver


def mutate_subtree(tree: Tree, stream: Stream, limits: Limits = LIMITS, at: int | None = None) -> Tree:
    """Replace a subtree by a new one."""
    for _ in range(TRIES):
        place = choose_node(tree, stream, limits.inner) if at is None else at
        word = tree.wanted[place]
        deepest = max(min(limits.new_depth, limits.depth - tree.levels[place]), tree.language.least[word])
        depth = tree.language.least[word] + stream.below(deepest - tree.language.least[word] + 1)
        child = tree.graft(place, generate(tree.language, depth, stream, wanted=word))
        if limits.allow(child):
            return child
    return tree


def mutate_point(tree: Tree, stream: Stream, limits: Limits = LIMITS) -> Tree:
    """Replace one node by another primitive that fits its place and takes the same arguments."""
    at = choose_node(tree, stream, limits.inner)
    primitive, language = tree.primitive(at), tree.language
    kinds = [
        k
        for k in language.fitting[tree.wanted[at]]
        if language.primitives[k].takes == primitive.takes and (k != tree.nodes[at] or primitive.places)
    ]
    if not kinds:
        return tree
    kind = stream.pick(kinds)
    new = language.primitives[kind]
    return tree.change(at, node=kind, value=draw_value(new, stream), place=draw_place(new, stream))


def mutate_constant(tree: Tree, stream: Stream, limits: Limits = LIMITS, redraw: float = 0.25) -> Tree:
    """Change one constant or place: drawn anew with probability `redraw`, a constant shifted a little otherwise."""
    among = [at for at in range(len(tree)) if tree.primitive(at).has_value or tree.primitive(at).places]
    if not among:
        return tree
    at = stream.pick(among)
    primitive = tree.primitive(at)
    if primitive.places:
        return tree.change(at, place=draw_place(primitive, stream))
    if primitive.choices or stream.chance(redraw):
        return tree.change(at, value=draw_value(primitive, stream))
    low, high = primitive.draws or (0.0, 0.0)
    return tree.change(at, value=tree.values[at] + limits.step * (high - low) / 2 * stream.normal())


def mutate_insert(tree: Tree, stream: Stream, limits: Limits = LIMITS) -> Tree:
    """Put a function above one node, which becomes one of its arguments; the others are as small as can be."""
    language = tree.language
    for _ in range(TRIES):
        at = stream.below(len(tree))
        given = tree.returns(at)
        ways = [
            (kind, place)
            for kind in language.fitting[tree.wanted[at]]
            for place, word in enumerate(language.primitives[kind].takes)
            if language.fits(given, word)
        ]
        if not ways:
            continue
        kind, place = stream.pick(ways)
        primitive = language.primitives[kind]
        arguments = [
            tree.subtree(at) if k == place else generate(language, language.least[word], stream, wanted=word)
            for k, word in enumerate(primitive.takes)
        ]
        value, which = draw_value(primitive, stream), draw_place(primitive, stream)
        child = tree.graft(at, join(language, primitive.name, *arguments, value=value, place=which))
        if limits.allow(child):
            return child
    return tree


def mutate_term(tree: Tree, stream: Stream, limits: Limits = LIMITS) -> Tree:
    """Add a term to one node: something as small as can be, times a factor of either sign, 1 in the median.

    For languages that can add (a function of the rule `a + b`); in others a function is inserted.
    """
    language = tree.language
    for _ in range(TRIES):
        at = stream.below(len(tree))
        word = tree.returns(at)
        sums = [k for k in language.fitting[tree.wanted[at]] if language.primitives[k].rule == "a + b"]
        sums = [k for k in sums if all(language.fits(word, taken) for taken in language.primitives[k].takes)]
        if not sums:
            continue
        new = generate(language, language.least[word], stream, wanted=word)
        sign = 1.0 if stream.chance(0.5) else -1.0
        new = new.change(0, factor=sign * math.exp(stream.normal()))
        child = tree.graft(at, join(language, language.primitives[stream.pick(sums)].name, tree.subtree(at), new))
        if limits.allow(child):
            return child
    return mutate_insert(tree, stream, limits)


def mutate_local(tree: Tree, stream: Stream, limits: Limits = LIMITS, at: int | None = None) -> Tree:
    """Change the factor of one number-valued node a little."""
    among = [k for k in range(len(tree)) if "Bool" not in tree.language.atoms(tree.returns(k))]
    if at is None:
        if not among:
            return tree
        at = stream.pick(among)
    return tree.change(at, factor=tree.factors[at] + limits.step * stream.normal())
