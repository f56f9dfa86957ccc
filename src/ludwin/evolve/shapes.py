"""Shapes that compete: several structures alive at once, each with numbers that are adapted for themselves.

The idea.  A better structure with untuned numbers loses against a worse one with tuned numbers, so selection among
all takes whatever was tuned first.  Here individuals compete within their shape (programs that differ in constants
only), and shapes compete for children: the best `shapes` of them, by their best member, are kept alive, each with the
same share of places; the number of children of a shape falls linearly with its rank, from twice the mean to few, and
every living shape has one at least.  Children of a shape are drawn around the mean of its members with their spread
(`gather`), or by moving all numbers a little while it has only one member.  A share `mutation` of all children comes
by crossover and mutation as usual, and may found a new shape.

Why.  In the runs on record that drew every child from the commonest shape of the parents, 26 shapes became one in one
generation (docs/results/evolution.md).
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ludwin.errors import BadParameter
from ludwin.evolve.population import Child, Generation
from ludwin.evolve.selection import leaders, worths

if TYPE_CHECKING:
    from ludwin.evolve.engine import Running

NEW, WITHIN = range(2)  # purposes of streams
SHAPES = "shapes"  # the number of living ones, in the state of a generation


def compete(run: "Running[Any]", generation: Generation[Any]) -> Generation[Any]:
    """Breed within the living shapes and beside them; keep the best of the best shapes."""
    plan, kind = run.plan, run.kind
    shape, gather = getattr(kind, "shape", None), getattr(kind, "gather", None)
    if shape is None or gather is None:
        raise BadParameter(f"breeding=shapes needs genomes that have a shape and a mean, {kind.name} has not")
    people, stream = generation.individuals, run.chance(generation)
    # Step 1. The living shapes, best first.
    worth = worths(people, plan.parsimony)
    families: dict[Any, list[int]] = {}
    for place in leaders(worth, len(worth)):
        families.setdefault(shape(people[place].genome), []).append(place)
    living = list(families.values())[: plan.shapes]
    # Step 2. Children that may have a new shape, then those of each shape by its rank.
    new = round(plan.mutation * plan.population)
    children = run.born_of(people, new, stream.split(NEW))
    for rank, count in enumerate(shares(len(living), plan.population - new)):
        members = [people[place].genome for place in living[rank]]
        draw = gather(members)
        for k in range(count):
            chance = stream.split(WITHIN, rank, k)
            genome = draw(chance, 1.0) if len(set(members)) > 1 else moved(run, members[0], chance)
            children.append(Child(genome, "shape", tuple(living[rank])))
    newcomers, cost = run.judged(children, generation)
    # Step 3. Of all, old and new, the best shapes stay, each with its share of the places.
    everybody = [*people, *newcomers] if not run.relative else newcomers
    worth = worths(everybody, plan.parsimony)
    places: dict[Any, list[int]] = {}
    for place in leaders(worth, len(worth)):
        places.setdefault(shape(everybody[place].genome), []).append(place)
    kept = list(places.values())[: plan.shapes]
    stay = share_out([len(family) for family in kept], plan.population)
    survivors = [everybody[place] for family, count in zip(kept, stay, strict=True) for place in family[:count]]
    return run.followed(replace(generation, state={**generation.state, SHAPES: len(kept)}), survivors, cost)


def moved(run: "Running[Any]", genome: Any, stream: Any) -> Any:
    """Return a genome with all its numbers moved a little; its kind says how, else it mutates as usual."""
    tuned = getattr(run.kind, "tuned", None)
    return tuned(genome, stream) if tuned else run.kind.mutate(genome, stream)


def shares(count: int, children: int) -> list[int]:
    """Return how many children each of so many shapes has, best first: linear in the rank, one at least if possible.

    >>> shares(4, 20), shares(3, 2)
    ([8, 6, 4, 2], [1, 1, 0])
    """
    weights = [2 * (count - rank) / (count * (count + 1)) for rank in range(count)]
    found = [max(1, int(children * weight)) for weight in weights]
    while sum(found) > max(children, 0):
        found[max(rank for rank in range(count) if found[rank])] -= 1
    for k in range(children - sum(found)):
        found[k % count] += 1
    return found


def share_out(sizes: list[int], places: int) -> list[int]:
    """Return how many of each family stay: as equal as the sizes allow, the first families first.

    >>> share_out([1, 9, 9], 7), share_out([2, 2], 9)
    ([1, 3, 3], [2, 2])
    """
    stay = [0] * len(sizes)
    while sum(stay) < min(places, sum(sizes)):
        for k, size in enumerate(sizes):
            if stay[k] < size and sum(stay) < places:
                stay[k] += 1
    return stay
