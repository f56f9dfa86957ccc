"""MAP-Elites: the best of every niche, not the best of all.

The idea.  Every individual has a place on a map, here its size and what its fitness says of its behaviour; each place
keeps the best that was ever found there.  Parents are drawn from the map alike, so every niche is a stepping stone for
others, and the result is a picture of what is possible where.

The map.  Sizes fall into niches 1, 2, 3-4, 5-8, 9-16, …  A fitness that has `niche(individual)` says the rest, a tuple
of whole numbers; else the individual's detail `behaviour` is rounded down, if it has one.  A generation is the whole
map, so its number of individuals grows.

References.  J.-B. Mouret, J. Clune, "Illuminating search spaces by mapping elites", arXiv:1504.04909 (2015).
"""

import math
from typing import TYPE_CHECKING, Any

from ludwin.errors import BadParameter
from ludwin.evolve.asking import called, is_ours
from ludwin.evolve.population import Generation, Individual

if TYPE_CHECKING:
    from ludwin.evolve.engine import Running

BEHAVIOUR = "behaviour"
Niche = tuple[int, ...]


def niche_of(run: "Running[Any]", individual: Individual[Any]) -> Niche:
    """Return the place of an individual on the map. Raises BadParameter."""
    size = max(0, math.ceil(math.log2(max(1, individual.size))))
    own = getattr(run.fitness, "niche", None)
    if own is None:
        return (size, math.floor(individual.detail.get(BEHAVIOUR, 0.0)))
    found = own(individual) if is_ours(run.fitness) else called(f"{type(run.fitness).__name__}.niche", own, individual)
    if not isinstance(found, tuple) or not all(isinstance(x, int) and not isinstance(x, bool) for x in found):
        raise BadParameter(f"a niche is a tuple of whole numbers, got {found!r:.80}")
    return (size, *found)


def illuminate(run: "Running[Any]", generation: Generation[Any]) -> Generation[Any]:
    """Let a population's worth of children be born of the map; the better one of each place stays, the older of equals.

    Parents are drawn by `selection=uniform` in MAP-Elites proper; other selections are the plan's wish.
    """
    children = run.born_of(generation.individuals, run.plan.population, run.chance(generation))
    newcomers, cost = run.judged(children, generation)
    best: dict[Niche, Individual[Any]] = {}
    for one in (*generation.individuals, *newcomers):
        niche = niche_of(run, one)
        if niche not in best or one.fitness > best[niche].fitness:
            best[niche] = one
    return run.followed(generation, [best[niche] for niche in sorted(best)], cost)
