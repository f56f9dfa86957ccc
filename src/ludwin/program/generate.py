"""Random programs that fit: full, grow, ramped half-and-half.

The idea.  At each place only those primitives are offered that can still end within the depth that is
left: the language knows the least depth of each.  So generation cannot fail where a program of
the wanted type and depth exists at all, terminals-only types and types without terminals included.

References.  J. Koza, *Genetic Programming* (1992); D. Montana, "Strongly typed genetic programming",
Evolutionary Computation 3 (1995), 199-230.
"""

from collections.abc import Mapping

from ludwin.errors import BadParameter
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree

MOST_NODES = 100_000  # a full tree of depth 40 is a typing mistake
Depths = Mapping[str, int]  # per type: how many levels may still come below a node of the type


def draw_value(primitive: Primitive, stream: Stream) -> float:
    """Return the constant of a new node."""
    if primitive.choices:
        return float(primitive.choices[stream.below(len(primitive.choices))])
    return stream.uniform(*primitive.draws) if primitive.draws else 0.0


def draw_place(primitive: Primitive, stream: Stream) -> int:
    """Return the place of a new node."""
    return stream.below(primitive.places) if primitive.places else 0


def generate(
    language: Language,
    depth: int,
    stream: Stream,
    *,
    wanted: str = "",
    full: bool = False,
    grow: float = 0.5,
    limits: Depths | None = None,
    inner: bool = False,
) -> Tree:
    """Return a random program of at most this depth.

    `full` takes functions as long as one fits; otherwise a function is taken with probability `grow`
    where both kinds fit. `limits` bounds the depth below nodes of a type. `inner` begins with a function
    if one fits, as Koza's first generations do.
    """
    wanted = wanted or language.root
    if language.atoms(wanted) and wanted not in language.least:
        raise BadParameter(f"language {language.name}: no finite program has the type {wanted}; give it a terminal")
    if depth < language.least[wanted]:
        raise BadParameter(
            f"language {language.name}: a program of type {wanted} needs depth {language.least[wanted]} at least, "
            f"not {depth}"
        )
    nodes: list[int] = []
    values: list[float] = []
    places: list[int] = []
    pending = [(wanted, depth)]
    while pending:
        word, left = pending.pop()
        if limits and word in limits:
            left = max(min(left, limits[word]), language.least[word])
        functions, terminals = language.within(word, left)
        first = inner and not nodes
        take_function = functions and (not terminals or full or first or stream.chance(grow))
        kind = stream.pick(functions if take_function else terminals)
        primitive = language.primitives[kind]
        nodes.append(kind)
        values.append(draw_value(primitive, stream))
        places.append(draw_place(primitive, stream))
        pending.extend((argument, left - 1) for argument in reversed(primitive.takes))
        if len(nodes) > MOST_NODES:
            raise BadParameter(
                f"language {language.name}: depth {depth} makes programs of more than {MOST_NODES} nodes; choose a "
                f"smaller one"
            )
    return Tree(language, tuple(nodes), tuple(values), tuple(places), (1.0,) * len(nodes))


def ramped(
    language: Language,
    n: int,
    stream: Stream,
    *,
    low: int = 2,
    high: int = 6,
    wanted: str = "",
    limits: Depths | None = None,
) -> list[Tree]:
    """Return n programs, depths from low to high in turn, half of them full and half grown from a function."""
    language.atoms(wanted or language.root)
    least = language.least.get(wanted or language.root, 0)
    low, high = max(low, least), max(high, least)
    trees = []
    for i in range(n):
        depth = low + (i // 2) % (high - low + 1)
        trees.append(
            generate(language, depth, stream.split(i), wanted=wanted, full=i % 2 == 0, limits=limits, inner=True)
        )
    return trees
