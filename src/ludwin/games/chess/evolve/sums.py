"""Endgame players whose programs are weighted sums of small programs, and how these breed.

The idea.  Most changes of a tree of conditionals break it, or do nothing.  Here each of an individual's three programs
is a sum of terms, each with a weight: a term is a terminal of the book's, or a small program of the book's functions
over terminals.  Evolution finds both, what is counted and how much.  Small changes play a little differently, so that
selection has something to climb.

*Beginning.*  Random terms, the same in all three programs.  Weights differ by orders of magnitude, for some things must
outweigh all others, and a terminal's mostly has the sign that the book means: more is better for the player.
*Mutation* moves weights, or adds, drops or exchanges terms, of one program or by the same draws of all.  *Crossover*
takes terms: what both parents have gets one's weight or the mean of both, what one has is taken by lot.  Means of good
individuals lose some of the luck of each.

This is not the book's language: its players have no arithmetic, and no constants but six.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from zlib import crc32

from ludwin.evolve.trees import Genome
from ludwin.games.chess.evolve.breeding import EndgameTrees
from ludwin.games.chess.language import WORSE, sums
from ludwin.program.generate import generate
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.program.text import write
from ludwin.program.tree import Tree, join, leaf

Terms = dict[Tree, float]  # small programs and their weights
PLUS, TIMES, CHOOSE, NUMBER = "Plus", "Times", "If3", "Number"
TERM_NODES = 7  # of the largest term
SIMPLE = 0.6  # the chance that a new term is a bare terminal
DIGITS = 4  # significant digits of a weight
LARGEST = 1e6  # weight
COUNTS = ("Num", "Value", "Evaluate", "MyKingDist", "MyKingProx", "OppKingProx", "OppKingDist")
BAD = (*WORSE, "IsMateInOne", "ValueOppWinsByForce", "IsOppMateByForce")
AGAINST = 0.2  # the chance that the weight of a new terminal is against what the book means by it
SPREAD = 1.2  # of the logarithm of new weights: some things must outweigh all others
ALIKE = 0.5  # the chance that a mutation changes all three programs alike
SMALL = 0.25  # the weight of what counts to seven or so, beside that of a truth


def terms_of(tree: Tree, at: int = 0) -> Terms:
    """Return a sum's terms with their weights; any program is a sum, if only of one term."""
    name, children = tree.primitive(at).name, list(tree.children(at))
    if name == PLUS:
        found = terms_of(tree, children[0])
        for term, weight in terms_of(tree, children[1]).items():
            found[term] = found.get(term, 0.0) + weight
        return found
    if name == TIMES and tree.primitive(children[1]).name == NUMBER:
        return {tree.subtree(children[0]): tree.values[children[1]]}
    numbers = [tree.values[k] for k in children[1:] if tree.primitive(k).name == NUMBER]
    if name == CHOOSE and len(numbers) == 2 and numbers[1] == 0.0:
        return {tree.subtree(children[0]): numbers[0]}
    return {} if name == NUMBER else {tree.subtree(at): 1.0}


def sum_of(terms: Terms, words: Language | None = None) -> Tree:
    """Return the sum as a program, in the language of sums if no flavour of it is given."""
    words = words or sums()
    parts = []
    for term, weight in terms.items():
        kept = max(-LARGEST, min(weight, LARGEST))
        number = leaf(words, NUMBER, value=float(f"{kept:.{DIGITS}g}"))
        if words.atoms(term.returns(0)) == ("Bool",):
            parts.append(join(words, CHOOSE, term, number, leaf(words, NUMBER, value=0.0)))
        else:
            parts.append(join(words, TIMES, term, number))
    while len(parts) > 1:  # in pairs, so that the tree stays flat
        parts = [
            join(words, PLUS, *two) if len(two := parts[k : k + 2]) > 1 else two[0] for k in range(0, len(parts), 2)
        ]
    return parts[0] if parts else leaf(words, NUMBER, value=0.0)


def usual(term: Tree) -> float:
    """Return how large a weight of a term usually is."""
    return SMALL if len(term) == 1 and term.primitive(0).name.startswith(COUNTS) else 1.0


def against(term: Tree) -> float:
    """Return the chance that a new weight is below 0: terminals are such that more is better, but for three."""
    if len(term) > 1:
        return 0.5
    return 1 - AGAINST if term.primitive(0).name in BAD else AGAINST


def hash_of(term: Tree) -> int:
    """Return a number of a term, the same in every run."""
    return crc32(write(term).encode())


@dataclass(frozen=True)
class EndgameSums(EndgameTrees):
    """Three sums of terms; `words` is the language that terms are made of."""

    words: Language = field(default_factory=sums)
    first_terms: int = 12  # of a first program, at most
    most_terms: int = 30
    step: float = 0.3  # how far a mutation moves weights, in usual ones

    @property
    def speech(self) -> Language:
        """The language that sums are written in."""
        return self.roles[0][1]

    def readable(self) -> list[str]:
        """Return the terminals that terms may read."""
        return [one.name for one in self.words.primitives if one.reads]

    def reading(self, names: Sequence[str]) -> "EndgameSums":
        """Return the kind whose terms read only these; the language that sums are written in stays as it is."""
        out = [one.name for one in self.words.primitives if one.reads and one.name not in names]
        return replace(self, words=self.words.without(*out))

    def begin(self, n: int, stream: Stream) -> list[Genome]:
        """Return random sums."""
        return [self.make(stream.split(k)) for k in range(n)]

    def make(self, stream: Stream) -> Genome:
        """Return one random individual."""
        terms: Terms = {}
        for _ in range(2 + stream.below(self.first_terms - 1)):
            self._add(terms, stream)
        return (sum_of(terms, self.speech),) * len(self.roles)

    def cross(self, a: Genome, b: Genome, stream: Stream) -> tuple[Genome, Genome]:
        """Return two children that have terms of both, in all programs."""
        return self._child(a, b, stream.split(0)), self._child(b, a, stream.split(1))

    def donate(self, donor: Genome, receiver: Genome, stream: Stream) -> Genome:
        """Return the receiver with terms of the donor's."""
        return self._child(receiver, donor, stream)

    def mutate(self, g: Genome, stream: Stream) -> Genome:
        """Change weights or terms of one program, or by the same draws of all."""
        role = stream.below(len(self.roles))
        alike = stream.chance(ALIKE)
        return tuple(
            sum_of(self._changed(terms_of(tree), stream.split(0)), self.speech) if alike or k == role else tree
            for k, tree in enumerate(g)
        )

    def _changed(self, terms: Terms, stream: Stream) -> Terms:
        if stream.chance(0.5):
            self._exchange(terms, stream)
            return terms
        share = stream.pick((0.15, 0.4, 1.0))
        step = self.step * math.exp(stream.normal())
        for term in list(terms):
            chance = stream.split(hash_of(term))
            if chance.chance(share):
                terms[term] += step * (usual(term) + abs(terms[term])) * chance.normal()
        return terms

    def _child(self, a: Genome, b: Genome, stream: Stream) -> Genome:
        found = []
        for one, other in zip(a, b, strict=True):
            mine, theirs = terms_of(one), terms_of(other)
            terms: Terms = {}
            for term in dict.fromkeys((*mine, *theirs)):
                if term in mine and term in theirs:
                    terms[term] = mine[term] + (theirs[term] - mine[term]) * stream.pick((0.0, 0.5, 0.5, 1.0))
                elif stream.chance(0.6 if term in mine else 0.4):
                    terms[term] = mine.get(term, theirs.get(term, 0.0))
            found.append(sum_of(self._few(terms, stream), self.speech))
        return tuple(found)

    def _exchange(self, terms: Terms, stream: Stream) -> None:
        """Add terms, drop one, or put a new one in its place."""
        way = stream.pick(("add", "add", "drop", "swap"))
        if way != "add" and len(terms) > 1:
            del terms[stream.pick(list(terms))]
        if way != "drop":
            self._add(terms, stream)
            kept = self._few(terms, stream)
            for term in [one for one in terms if one not in kept]:
                del terms[term]

    def _few(self, terms: Terms, stream: Stream) -> Terms:
        """Return as many terms as a program may have, those that are left out by lot."""
        kept = list(terms)
        while len(kept) > self.most_terms:
            del kept[stream.below(len(kept))]
        return {term: terms[term] for term in kept}

    def _add(self, terms: Terms, stream: Stream) -> None:
        term = self._term(stream)
        weight = usual(term) * math.exp(SPREAD * stream.normal())
        terms[term] = terms.get(term, 0.0) + (-weight if stream.chance(against(term)) else weight)

    def _term(self, stream: Stream) -> Tree:
        """Return a terminal, or a small program of the book's functions that reads something."""
        words = self.words
        while not stream.chance(SIMPLE):
            wanted = "Bool" if stream.chance(0.8) else "Float"
            made = generate(words, 1 + stream.below(2), stream, full=stream.chance(0.3), inner=True, wanted=wanted)
            if 1 < len(made) <= TERM_NODES and any(made.primitive(at).reads for at in made.live):
                return _spoken(made, self.speech)
        return leaf(self.speech, stream.pick(self.readable()))


def _spoken(made: Tree, words: Language) -> Tree:
    """Return a program of fewer words in the language of sums."""
    nodes = tuple(words.number[made.primitive(at).name] for at in range(len(made)))
    return Tree(words, nodes, made.values, made.places, made.factors)
