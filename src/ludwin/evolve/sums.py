"""Weighted sums as programs, and what turns their constants: real-valued evolution inside trees.

The idea.  Genetic programming finds structure and is slow at finding numbers; evolution strategies are
the other way round.  A program that adds up every terminal of its language, each with a weight of its own,
says nothing about the game; but its weights can be evolved as a vector, by mixing two programs
of one shape, while subtree operators may grow structure on it.

References.  L. J. Eshelman, J. D. Schaffer, "Real-coded genetic algorithms and interval-schemata",
Foundations of Genetic Algorithms 2 (1993), 187-202 (blend crossover).
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence

from ludwin.errors import BadParameter
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree, join, leaf
from ludwin.program.vary import LIMITS, Limits

TRUTH = 0.5  # the scale of a truth's weight; that of a number's is 1
WIDEN = 1.05  # the spread of children, in parts of their parents', lest it shrink where selection sees nothing
WIDTH = 0.4  # how far beyond its parents' constants a child's may lie, in parts of their distance


def _by_rule(language: Language, rule: str) -> str:
    for primitive in language.primitives:
        if primitive.rule == rule and primitive.returns == language.root:
            return primitive.name
    raise BadParameter(
        f"language {language.name} has no primitive of type {language.root} with the rule {rule!r}, which weighted "
        f"sums need"
    )


def demand_inputs(language: Language, names: Sequence[str]) -> None:
    """Raise BadParameter unless these are terminals that read the position."""
    for name in names:
        if not language.primitives[language.find(name)].reads:
            inputs = ", ".join(primitive.name for primitive in language.primitives if primitive.reads)
            raise BadParameter(f"sum_of: {name} does not read the position (what does is {inputs})")


def sum_size(language: Language, names: Sequence[str] = ()) -> int:
    """Return the number of nodes of a weighted sum, without making it."""
    read = [
        primitive for primitive in language.primitives if primitive.reads and (not names or primitive.name in names)
    ]
    each = [
        (5 if language.atoms(primitive.returns) == ("Bool",) else 3) * max(primitive.places, 1) for primitive in read
    ]
    return max(sum(each) - 1, 1)  # the last one has no sum above it


def weighted_sum(language: Language, stream: Stream, names: Sequence[str] = ()) -> Tree:
    """Return the sum of inputs that a language reads, all or the named, each with a random weight; truths count where
    they are true.
    """
    plus, times, choose, number, zero = (
        _by_rule(language, rule) for rule in ("a + b", "a * v", "b if a else c", "v", "0.0")
    )
    demand_inputs(language, names)
    parts = []
    for primitive in language.primitives:
        if not primitive.reads or (names and primitive.name not in names):
            continue
        for place in range(max(primitive.places, 1)):
            what, weight = leaf(language, primitive.name, place=place), stream.normal()
            if language.atoms(primitive.returns) == ("Bool",):
                parts.append(
                    join(language, choose, what, leaf(language, number, value=TRUTH * weight), leaf(language, zero))
                )
            else:
                parts.append(join(language, times, what, value=weight))
    while len(parts) > 1:  # in pairs, so that the tree stays flat
        parts = [
            join(language, plus, *parts[k : k + 2]) if k + 1 < len(parts) else parts[k] for k in range(0, len(parts), 2)
        ]
    return parts[0] if parts else leaf(language, zero)


def same_shape(a: Tree, b: Tree) -> bool:
    """Return whether two trees differ in their constants at most."""
    return a.nodes == b.nodes and a.places == b.places


def _constants(tree: Tree) -> list[int]:
    return [at for at in range(len(tree)) if tree.primitive(at).has_value]


def blend(a: Tree, b: Tree, stream: Stream) -> tuple[Tree, Tree]:
    """Return two children whose constants and factors lie between those of their parents, or a little beyond."""
    turned = set(_constants(a))

    def child() -> Tree:
        values = tuple(
            _between(x, y, stream) if at in turned else x
            for at, (x, y) in enumerate(zip(a.values, b.values, strict=True))
        )
        factors = tuple(x if x == y else _between(x, y, stream) for x, y in zip(a.factors, b.factors, strict=True))
        return Tree(a.language, a.nodes, values, a.places, factors)

    return child(), child()


def _between(x: float, y: float, stream: Stream) -> float:
    low, high = min(x, y), max(x, y)
    margin = WIDTH * (high - low)
    return stream.uniform(low - margin, high + margin)


def gathered(trees: Sequence[Tree]) -> Callable[[Stream, float], Tree]:
    """Return what draws trees of the commonest shape, their constants normal with the mean and spread of these
    trees'.
    """
    shapes = Counter((tree.nodes, tree.places) for tree in trees)
    common = shapes.most_common(1)[0][0]
    family = [tree for tree in trees if (tree.nodes, tree.places) == common]
    first = family[0]
    means, spreads = list(first.values), [0.0] * len(first)
    for at in _constants(first):
        column = [tree.values[at] for tree in family]
        means[at] = math.fsum(column) / len(column)
        spreads[at] = WIDEN * statistics.stdev(column) if len(column) > 1 else 0.0

    def draw(stream: Stream, width: float) -> Tree:
        values = tuple(
            mean + width * spread * stream.normal() if spread else mean
            for mean, spread in zip(means, spreads, strict=True)
        )
        return Tree(first.language, first.nodes, values, first.places, first.factors)

    return draw


def shake(tree: Tree, stream: Stream, limits: Limits = LIMITS) -> Tree:
    """Return the tree with every constant moved a little."""
    turned = set(_constants(tree))
    values = tuple(
        value + limits.step * stream.normal() if at in turned else value for at, value in enumerate(tree.values)
    )
    return Tree(tree.language, tree.nodes, values, tree.places, tree.factors)
