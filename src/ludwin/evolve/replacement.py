"""Replacement: who is there after the births.

Why it is here.  Selection says who may breed, replacement who may stay.  The schemes of the literature are functions of
the parents' generation and of the scored children; the tables of `operators.py` take others.  Survivors come in a fixed
order.  Scores of parents that stay are those of their own time, so a relative fitness takes `generational` only.

References.  S. W. Mahfoud, "Crowding and preselection revisited", PPSN 2 (1992) (deterministic crowding).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ludwin.evolve.population import Generation, Individual
from ludwin.evolve.selection import leaders, worths
from ludwin.program.stream import Stream

if TYPE_CHECKING:
    from ludwin.evolve.engine import Running

People = Sequence[Individual[Any]]


def generational(run: "Running[Any]", parents: Generation[Any], children: People, stream: Stream) -> People:
    """Return the children."""
    return children


def plus(run: "Running[Any]", parents: Generation[Any], children: People, stream: Stream) -> People:
    """Return the best of both, as many as a population has; of equals the child, so that there is drift."""
    everybody = [*children, *parents.individuals]
    worth = worths(everybody, run.plan.parsimony)
    return [everybody[i] for i in leaders(worth, run.plan.population)]


def crowding(run: "Running[Any]", parents: Generation[Any], children: People, stream: Stream) -> People:
    """Return the parents, but for those whose child is no worse than they are: it has their place.

    A child resembles the first of its parents most, so unlike individuals do not drive each other out; of several
    children of one parent the best tries.
    """
    people = list(parents.individuals)
    worth = worths(people, run.plan.parsimony)
    own = worths(children, run.plan.parsimony)
    for k in sorted(range(len(children)), key=lambda k: own[k]):
        place = children[k].parents[0] if children[k].parents else stream.below(len(people))
        if own[k] >= worth[place]:
            people[place], worth[place] = children[k], own[k]
    return people
