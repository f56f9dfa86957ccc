"""Parsimony: selections and mutations that keep programs small.

Why it is here.  Programs grow where growth costs nothing.  A price on size (`parsimony`) must be tuned to the scale of
fitness; these need no scale.  Lexicographic parsimony asks for size only between equals.  A double tournament lets
winners of fitness tournaments meet, and the smaller one wins with probability `smaller` / 2, from 1/2 (size plays no
part) to 1.  Hoist and shrink mutations cut.

References.  S. Luke, L. Panait, "Lexicographic parsimony pressure", GECCO 2002, and "Fighting bloat with nonparametric
parsimony pressure", PPSN 7 (2002) (double tournament, fitness first).  K. E. Kinnear, "Evolving a sort", ICNN 1993
(hoist).  P. J. Angeline, "An investigation into the sensitivity of genetic programming to the frequency of leaf
selection during subtree crossover", GP 1996 (shrink).
"""

from typing import Any

from ludwin.evolve.selection import Candidates, Choose, tournament
from ludwin.program.generate import generate
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree
from ludwin.program.vary import LIMITS, Limits, choose_node


def lexicographic(pool: Candidates[Any]) -> Choose:
    """Return a tournament in which the smaller of two equals wins."""
    sizes = [individual.size for individual in pool.individuals]

    def beats(a: int, b: int) -> bool:
        return pool.beats(a, b) or (not pool.beats(b, a) and sizes[a] < sizes[b])

    return tournament(beats, pool.size, pool.plan.tournament)


def double_tournament(pool: Candidates[Any]) -> Choose:
    """Return a tournament of two by size among winners of tournaments by fitness."""
    fittest = tournament(pool.beats, pool.size, pool.plan.tournament)
    sizes = [individual.size for individual in pool.individuals]

    def choose(stream: Stream) -> int:
        first, second = fittest(stream), fittest(stream)
        if sizes[first] == sizes[second]:
            return first
        small, large = (first, second) if sizes[first] < sizes[second] else (second, first)
        return small if stream.chance(pool.plan.smaller / 2) else large

    return choose


def hoist(tree: Tree, stream: Stream, limits: Limits = LIMITS) -> Tree:
    """Return a subtree that can be a whole program; the tree itself if there is no other."""
    language = tree.language
    among = [at for at in range(1, len(tree)) if language.fits(tree.returns(at), language.root)]
    return tree.subtree(stream.pick(among)) if among else tree


def shrink(tree: Tree, stream: Stream, limits: Limits = LIMITS) -> Tree:
    """Return the tree with a terminal in the place of one of its subtrees, where the type has a terminal."""
    language = tree.language
    among = [at for at in range(len(tree)) if language.takes[tree.nodes[at]] and language.least[tree.wanted[at]] == 0]
    if not among:
        return tree
    at = choose_node(tree, stream, 1.0, among)
    return tree.graft(at, generate(language, 0, stream, wanted=tree.wanted[at]))
