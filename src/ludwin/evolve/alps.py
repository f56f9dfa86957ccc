"""ALPS: layers by age, so that newcomers need not fight those who have had a long time.

The idea.  An individual's age is how many generations ago the oldest of its genes came into being: a child is a
generation older than the older of its parents.  The population is a row of layers of equal size, each with a greatest
age; parents of a layer come from it and from the one below.  Whoever becomes too old for a layer may take the place
of the worst in the next one, if that is worse.  Every `age_gap` generations the youngest layer begins again with random
individuals, so that new beginnings never end.

Greatest ages grow as squares, 1, 2, 4, 9, 16 … times the gap (Hornby's polynomial scheme); the last layer has none.  A
layer's best one stays as it is.  Ages are kept in the individuals' details.

References.  G. S. Hornby, "ALPS: the age-layered population structure for reducing the problem of premature
convergence", GECCO 2006.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ludwin.errors import BadParameter
from ludwin.evolve.population import Child, Generation, Individual
from ludwin.evolve.selection import leaders, worths

if TYPE_CHECKING:
    from ludwin.evolve.engine import Running

AGE = "age"


def greatest_ages(layers: int, gap: int) -> list[float]:
    """Return the greatest age of each layer.

    >>> greatest_ages(5, 10)
    [10.0, 20.0, 40.0, 90.0, inf]
    """
    return [float(gap * max(k + 1, k * k)) for k in range(layers - 1)] + [float("inf")]


def layered(run: "Running[Any]", generation: Generation[Any]) -> Generation[Any]:
    """Breed all layers, then let the aged move up. Raises BadParameter if ages are there already."""
    plan = run.plan
    if not generation.number and any(AGE in one.detail for one in generation.individuals):
        raise BadParameter(
            "breeding=alps keeps the age of individuals in their detail age; call that of the fitness otherwise"
        )
    each = plan.population // plan.layers
    old = [generation.individuals[k * each : (k + 1) * each] for k in range(plan.layers)]
    most = greatest_ages(plan.layers, plan.age_gap)
    # Step 1. Children of each layer: those whose parents are young enough that they are, too.
    children: list[Child[Any]] = []
    ages: list[float] = []
    number, stream = generation.number + 1, run.chance(generation)
    for k in range(plan.layers):
        if k == 0 and number % plan.age_gap == 0:
            children += [Child(run.kind.make(stream.split(k, i)), "random") for i in range(each)]
            ages += [0.0] * each
            continue
        places = [*range(k * each, (k + 1) * each), *(range((k - 1) * each, k * each) if k else ())]
        young = [i for i in places if age_of(generation.individuals[i]) + 1 <= most[k]]
        best = [i for i in _best_first(run, generation, range(k * each, (k + 1) * each)) if i in young][:1]
        made = [Child(generation.individuals[i].genome, "elite", (i,)) for i in best]
        parents = [generation.individuals[i] for i in young]
        if parents:
            born = run.born_of(parents, each - len(made), stream.split(k))
            made += [child._replace(parents=tuple(young[i] for i in child.parents)) for child in born]
        else:
            made += [Child(run.kind.make(stream.split(k, i)), "random") for i in range(each - len(made))]
        children += made
        ages += [1 + max((age_of(generation.individuals[i]) for i in one.parents), default=-1.0) for one in made]
    scored_ones, cost = run.judged(children, generation)
    people = [replace(one, detail={**one.detail, AGE: age}) for one, age in zip(scored_ones, ages, strict=True)]
    layers = [people[k * each : (k + 1) * each] for k in range(plan.layers)]
    # Step 2. Who has become too old for a layer may push the worst of the next one out.
    for k in range(plan.layers - 1):
        for i, one in enumerate(old[k], k * each):
            if age_of(one) + 1 > most[k]:
                elder = replace(one, origin="elite", parents=(i,), detail={**one.detail, AGE: age_of(one) + 1})
                _move_up(run, layers[k + 1], elder)
    return run.followed(generation, [one for layer in layers for one in layer], cost)


def age_of(individual: Individual[Any]) -> float:
    """Return how many generations ago its oldest genes came into being."""
    return individual.detail.get(AGE, 0.0)


def _best_first(run: "Running[Any]", generation: Generation[Any], places: Sequence[int]) -> list[int]:
    worth = worths([generation.individuals[i] for i in places], run.plan.parsimony)
    return [places[i] for i in leaders(worth, len(worth))]


def _move_up(run: "Running[Any]", layer: list[Individual[Any]], elder: Individual[Any]) -> None:
    *worth, own = worths([*layer, elder], run.plan.parsimony)
    worst = min(range(len(worth)), key=lambda i: (worth[i], i))
    if own > worth[worst]:
        layer[worst] = elder
