"""Genomes of programs by name: how a language becomes something that varies.

Why it is here.  The same language can be searched in several ways: as one tree, as a tree that defines functions, as
codons of a grammar.  Which one is a setting of a run (`--set genome=adf`), and a name in a table (`operators.py`),
where a user adds another with a function of a language and limits:

>>> from ludwin.evolve.operators import genome
>>> @genome("small-tree", "one tree of at most 15 nodes")
... def small(language, limits):
...     return as_tree(language, Limits(depth=4, size=15))
"""

from ludwin.evolve.adf import Defining, defining
from ludwin.evolve.grammatical import Grammatical, grammar
from ludwin.evolve.trees import Trees
from ludwin.program.language import Language
from ludwin.program.vary import Limits


def as_tree(language: Language, limits: Limits) -> Trees:
    """Return genomes of one tree."""
    return Trees((("formula", language),), limits)


def with_functions(language: Language, limits: Limits) -> Defining:
    """Return genomes of a tree and two functions, of which the second may call the first."""
    names = ["ADF0", "ADF1"]
    while set(names) & set(language.number):
        names = [f"{name}_" for name in names]
    return defining(language, dict(zip(names, (1, 2), strict=True)), calls={names[1]: names[:1]}, limits=limits)


def by_grammar(language: Language, limits: Limits) -> Grammatical:
    """Return codons, and the grammar of everything that the language can say."""
    return grammar(language, most=min(limits.size, 500))
