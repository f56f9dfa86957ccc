"""Which terminals and locations evolved players use: the book's observation, counted.

Why it is here.  The book says that evolved players use general queries far more than those about locations, and that
they ignore some locations.  Both can be counted: how often terminals and locations stand in the trees of players.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ludwin.games.backgammon.language import GENERAL, LOCATIONS, PLACED
from ludwin.program.tree import Tree


def counted(genome: Sequence[Tree]) -> tuple[Counter[str], Counter[int]]:
    """Return how often each terminal stands in two trees, and how often each location."""
    words: Counter[str] = Counter()
    places: Counter[int] = Counter()
    for tree in genome:
        for number, place in zip(tree.nodes, tree.places, strict=True):
            primitive = tree.language.primitives[number]
            if primitive.takes:
                continue
            words[primitive.name] += 1
            if primitive.places:
                places[place] += 1
    return words, places


def uses(genome: Sequence[Tree]) -> dict[str, Any]:
    """Return the counts as JSON: terminals, locations, and the shares of general and located queries."""
    words, places = counted(genome)
    general, located = (sum(words[word] for word in table) for table in (GENERAL, PLACED))
    return {
        "terminals": dict(sorted(words.items())),
        "locations": {str(place): places[place] for place in range(LOCATIONS) if places[place]},
        "general": general,
        "located": located,
    }
