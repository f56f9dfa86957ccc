"""Bags of terms: programs that are weighted sums of small programs, with one or two phases.

The idea.  Genetic programming finds out *what* to look at, regression and evolution strategies *how much* it counts.
Here a program is read as a bag: terms of a few nodes, numbers or truths, each with a weight; and perhaps a question
that splits the game into two phases, each with terms of its own.  Structural operators add, drop, change and exchange
terms; weights are left to `fitting.py` and `mirrored.py`.  A bag is written as an ordinary program of its language, so
champions, pictures, exports and files know nothing of bags:

    Plus(MultERC[2.5](Mobility), IFT(IsKingPiece[3], ERC[1.5], Zero))
    IFT(LowerEqual(FriendlyManCount, ERC[4]), SUM, SUM)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ludwin.errors import BadParameter
from ludwin.program.generate import generate
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree, join, leaf

TERM_NODES = 9  # of the largest term
DIGITS = 6  # significant digits of a weight


@dataclass(frozen=True)
class Words:
    """The names that a language has for what bags are made of."""

    plus: str
    times: str
    choose: str
    number: str
    zero: str
    at_most: str


def words(language: Language) -> Words:
    """Return these names. Raises BadParameter if the language lacks one."""
    number = language.root

    def name(rule: str, returns: str) -> str:
        for primitive in language.primitives:
            if primitive.rule == rule and primitive.returns == returns:
                return primitive.name
        raise BadParameter(
            f"language {language.name} has no {returns} primitive with the rule {rule!r}, which bags need"
        )

    return Words(
        name("a + b", number),
        name("a * v", number),
        name("b if a else c", number),
        name("v", number),
        name("0.0", number),
        name("a <= b", "Bool"),
    )


@dataclass(frozen=True)
class Bag:
    """Terms of each phase with their weights. `split`: the first phase is where this number is at most `mark`."""

    language: Language
    terms: tuple[tuple[Tree, ...], ...]
    weights: tuple[tuple[float, ...], ...]
    split: Tree | None = None
    mark: float = 0.0

    @property
    def count(self) -> int:
        """The number of terms."""
        return sum(map(len, self.terms))

    @cached_property
    def size(self) -> int:
        """The nodes of the program."""
        each = [sum(cost(term) + 1 for term in phase) - 1 if phase else 1 for phase in self.terms]
        return sum(each) + (0 if self.split is None else 3 + len(self.split))

    @cached_property
    def shape(self) -> tuple[object, ...]:
        """What it is without its weights, whatever the order of its terms."""
        phases = tuple(tuple(sorted(_key(term) for term in phase)) for phase in self.terms)
        return (phases, None if self.split is None else (_key(self.split), self.mark))

    def weighed(self, weights: Sequence[float]) -> "Bag":
        """Return this bag with other weights, phase after phase."""
        found, k = [], 0
        for phase in self.terms:
            found.append(tuple(_short(weight) for weight in weights[k : k + len(phase)]))
            k += len(phase)
        assert k == len(weights)
        return replace(self, weights=tuple(found))

    @property
    def flat(self) -> tuple[float, ...]:
        """All weights, phase after phase."""
        return tuple(weight for phase in self.weights for weight in phase)

    def tree(self) -> Tree:
        """Return the bag as a program."""
        spoken = words(self.language)
        sums = [_sum(self.language, spoken, *phase) for phase in zip(self.terms, self.weights, strict=True)]
        if self.split is None:
            return sums[0]
        mark = leaf(self.language, spoken.number, value=self.mark)
        test = join(self.language, spoken.at_most, self.split, mark)
        return join(self.language, spoken.choose, test, *sums)


def cost(term: Tree) -> int:
    """Return the nodes of a term with its weight."""
    return len(term) + (3 if _is_truth(term) else 1)


def _is_truth(term: Tree) -> bool:
    return term.language.is_truth(term.returns(0))


def _key(tree: Tree) -> tuple[object, ...]:
    return (tree.nodes, tree.values, tree.places, tree.factors)


def _short(weight: float) -> float:
    return float(f"{weight:.{DIGITS}g}") if math.isfinite(weight) else 0.0


def _sum(language: Language, spoken: Words, terms: Sequence[Tree], weights: Sequence[float]) -> Tree:
    parts = []
    for term, weight in zip(terms, weights, strict=True):
        if _is_truth(term):
            number = leaf(language, spoken.number, value=weight)
            parts.append(join(language, spoken.choose, term, number, leaf(language, spoken.zero)))
        else:
            parts.append(join(language, spoken.times, term, value=weight))
    while len(parts) > 1:  # in pairs, so that the tree stays flat
        parts = [
            join(language, spoken.plus, *parts[k : k + 2]) if k + 1 < len(parts) else parts[k]
            for k in range(0, len(parts), 2)
        ]
    return parts[0] if parts else leaf(language, spoken.zero)


# ---- Reading a program as a bag ---------------------------------------------------------------------------------


def bag_of(tree: Tree) -> Bag:
    """Return a program as a bag: any program is one, if only of a single term."""
    spoken = words(tree.language)
    if tree.primitive(0).name == spoken.choose and tree.factors[0] == 1.0:
        test, then, other = tree.children(0)
        if tree.primitive(test).name == spoken.at_most and other - then > 1:
            left, right = tree.children(test)
            if tree.primitive(right).name == spoken.number and tree.factors[right] == tree.factors[test] == 1.0:
                sums = [_parts(tree, spoken, at) for at in (then, other)]
                terms = tuple(tuple(term for term, _ in pairs) for pairs in sums)
                weights = tuple(tuple(weight for _, weight in pairs) for pairs in sums)
                return Bag(tree.language, terms, weights, tree.subtree(left), tree.values[right])
    pairs = _parts(tree, spoken, 0)
    return Bag(tree.language, (tuple(t for t, _ in pairs),), (tuple(w for _, w in pairs),))


def _parts(tree: Tree, spoken: Words, at: int) -> list[tuple[Tree, float]]:
    """Return the terms of the sum at a node, each with its weight."""
    name, factor = tree.primitive(at).name, tree.factors[at]
    children = list(tree.children(at))
    if name == spoken.zero:
        return []
    if factor == 1.0 and name == spoken.plus:
        return [pair for child in children for pair in _parts(tree, spoken, child)]
    if factor == 1.0 and name == spoken.times:
        return [(tree.subtree(children[0]), tree.values[at])]
    if factor == 1.0 and name == spoken.choose:
        test, then, other = children
        plain = tree.factors[then] == tree.factors[other] == 1.0
        if plain and (tree.primitive(then).name, tree.primitive(other).name) == (spoken.number, spoken.zero):
            return [(tree.subtree(test), tree.values[then])]
    return [(tree.subtree(at), 1.0)]


# ---- Random bags and what changes them --------------------------------------------------------------------------


@dataclass(frozen=True)
class Growth:
    """How bags begin and change: the nodes of the largest, and how many terms the first have."""

    most_nodes: int = 100
    least_terms: int = 3
    most_terms: int = 20
    families: float = 0.0  # the chance that a new term is a whole family: a terminal at all its places
    simple: float = 0.7  # the chance that a new term is a bare terminal


def random_terms(language: Language, stream: Stream, growth: Growth) -> tuple[Tree, ...]:
    """Return a new term that reads something, or a family of them."""
    reading = [p for p in language.primitives if p.reads]
    if stream.chance(growth.families):
        placed = [p for p in reading if p.places]
        if placed:
            chosen = stream.pick(placed)
            return tuple(leaf(language, chosen.name, place=k) for k in range(chosen.places))
    for _ in range(20):
        if stream.chance(growth.simple):
            primitive = stream.pick(reading)
            return (leaf(language, primitive.name, place=stream.below(max(primitive.places, 1))),)
        wanted = language.root if stream.chance(0.6) else "Bool"
        depth = max(1 + stream.below(2), language.least[wanted])
        made = generate(language, depth, stream, full=stream.chance(0.3), inner=True, wanted=wanted)
        if 1 < len(made) <= TERM_NODES and any(made.primitive(at).reads for at in made.live):
            return (made,)
    return (leaf(language, reading[0].name),)


def random_bag(language: Language, stream: Stream, growth: Growth) -> Bag:
    """Return a bag of random terms with random weights."""
    wanted = growth.least_terms + stream.below(growth.most_terms - growth.least_terms + 1)
    terms: tuple[Tree, ...] = ()
    for _ in range(wanted):
        terms = _without_repeats((*terms, *random_terms(language, stream, growth)))
    bag = Bag(language, (terms,), (tuple(_short(stream.normal()) for _ in terms),))
    while bag.size > growth.most_nodes and bag.count > 1:
        bag = _dropped(bag, 0, bag.count - 1)
    return bag


def change(bag: Bag, other: Bag, stream: Stream, growth: Growth) -> tuple[Bag, str]:
    """Return a changed bag and what was done: add, drop, swap, alter, split, join or mix (with the other's terms).

    New terms have weight 0, so that until it is fitted the child plays as its parent.
    """
    ways = [
        "add",
        "add",
        "add",
        "drop",
        "swap",
        "swap",
        "alter",
        "mix",
        "mix",
        "split" if bag.split is None else "join",
    ]
    way = stream.pick(ways)
    phase = stream.below(len(bag.terms))
    changed = bag
    if way == "add":
        for _ in range(1 + stream.below(4)):
            changed = _added(changed, phase, random_terms(bag.language, stream, growth))
    elif way == "drop" and len(bag.terms[phase]) > 1:
        changed = _dropped(bag, phase, stream.below(len(bag.terms[phase])))
    elif way == "swap" and bag.terms[phase]:
        changed = _dropped(bag, phase, stream.below(len(bag.terms[phase])))
        changed = _added(changed, phase, random_terms(bag.language, stream, growth))
    elif way == "alter" and bag.terms[phase]:
        changed = _altered(bag, phase, stream)
    elif way == "mix":
        theirs = stream.pick(other.terms)
        taken = tuple(theirs[k] for k in stream.sample(len(theirs), 1 + stream.below(max(len(theirs) // 2, 1))))
        changed = _added(bag, phase, taken)
    elif way == "split":
        changed = _split(bag, stream)
    elif way == "join":
        keep = stream.below(2)
        changed = Bag(bag.language, (bag.terms[keep],), (bag.weights[keep],))
    return (_fitted_in(changed, growth, stream), way)


def _added(bag: Bag, phase: int, new: Sequence[Tree]) -> Bag:
    fresh = [term for term in dict.fromkeys(new) if term not in bag.terms[phase]]
    terms = list(bag.terms)
    weights = list(bag.weights)
    terms[phase] = (*terms[phase], *fresh)
    weights[phase] = (*weights[phase], *(0.0 for _ in fresh))
    return replace(bag, terms=tuple(terms), weights=tuple(weights))


def _dropped(bag: Bag, phase: int, number: int) -> Bag:
    terms, weights = list(bag.terms), list(bag.weights)
    terms[phase] = (*terms[phase][:number], *terms[phase][number + 1 :])
    weights[phase] = (*weights[phase][:number], *weights[phase][number + 1 :])
    return replace(bag, terms=tuple(terms), weights=tuple(weights))


def _altered(bag: Bag, phase: int, stream: Stream) -> Bag:
    """Change one term by a mutation of genetic programming."""
    from ludwin.program.vary import Limits, mutate_constant, mutate_point, mutate_subtree

    number = stream.below(len(bag.terms[phase]))
    term = bag.terms[phase][number]
    limits = Limits(depth=3, size=TERM_NODES, new_depth=2)
    way = stream.pick((mutate_point, mutate_constant, mutate_subtree))
    if way is mutate_subtree:
        # the wanted type of a root is the language's, so a truth is put below a function first
        new = random_terms(bag.language, stream, Growth(simple=0.3))[0]
    else:
        new = way(term, stream, limits)
    if not any(new.primitive(at).reads for at in new.live) or new in bag.terms[phase]:
        return bag
    return _added(_dropped(bag, phase, number), phase, (new,))


def _split(bag: Bag, stream: Stream) -> Bag:
    """Give the game two phases, each with the terms of the whole: told apart by a number that the bag could read."""
    reading = [p for p in bag.language.primitives if p.reads and not bag.language.is_truth(p.returns) and not p.places]
    split = leaf(bag.language, stream.pick(reading).name)
    mark = float(stream.below(12))
    return Bag(bag.language, bag.terms * 2, bag.weights * 2, split, mark)


def _fitted_in(bag: Bag, growth: Growth, stream: Stream) -> Bag:
    """Drop random terms until the bag is small enough."""
    while bag.size > growth.most_nodes and bag.count > len(bag.terms):
        phase = max(range(len(bag.terms)), key=lambda k: (len(bag.terms[k]), k))
        bag = _dropped(bag, phase, stream.below(len(bag.terms[phase])))
    return bag


def without_term(bag: Bag, number: int) -> Bag:
    """Return the bag without a term, counted phase after phase."""
    for phase, terms in enumerate(bag.terms):
        if number < len(terms):
            return _dropped(bag, phase, number)
        number -= len(terms)
    raise IndexError(number)


def _without_repeats(terms: Sequence[Tree]) -> tuple[Tree, ...]:
    return tuple(dict.fromkeys(terms))
