"""What a run should say about itself when something went wrong in silence: saturation, clones, a champion by luck.

Why it is here.  A run always ends with a champion and a score.  Whether evolution had anything to do with it can be
seen from its generations, and nobody looks: so it is said, at the end of the run and in its report.
"""

import math
from collections.abc import Sequence
from typing import Any

from ludwin.evolve.population import FAILED, Individual
from ludwin.evolve.store import Point
from ludwin.measure import Measure

FEW = 3  # generations in a row that make a remark
NEARLY = 0.95  # of the greatest possible fitness, from which on there is little to see
FAILING = 0.5  # of a generation, above which it is said that the fitness failed
ITSELF = "the fitness itself"  # what a problem without a test is measured by
CLONES = 0.1  # different genomes, as a share of the individuals, below which a population is said to have collapsed


def remarks(
    points: Sequence[Point], champion: int, most: float | None, against: str = "", *, narrows: bool = False
) -> list[str]:
    """Return what is odd about a run: its generations, the champion's generation, the greatest possible fitness.

    `narrows`: the breeding itself comes down to one individual in the end, which is nothing odd.
    """
    found = []
    if most is not None:
        full = _since([point.best_fitness >= most for point in points])
        if full is not None and len(points) - full >= FEW:
            found.append(
                f"fitness is {most:g} of {most:g} since generation {points[full].number}: the opponent is too weak for "
                f"selection to see anything; try a stronger one in fitness={against and ', and in against='}…"
            )
        near = _since([point.best_fitness >= NEARLY * most for point in points])
        if near is not None and len(points) - near >= FEW and not found:
            found.append(
                f"the best of a generation has {NEARLY:.0%} of all {most:g} points or more since generation "
                f"{points[near].number}: selection sees little of what it still could gain; try a stronger opponent in "
                f"fitness={against and ', and in against='}…"
            )
    cloned = _since(
        [point.individuals > 3 and point.distinct <= max(1, CLONES * point.individuals) for point in points]
    )
    if cloned is not None and len(points) - cloned >= FEW:
        point = points[cloned]
        found.append(
            f"the population has {point.distinct} different genomes of {point.individuals} since generation "
            f"{point.number}: it has collapsed; more mutation, a larger population or less pressure keep it alive"
        )
    lonely = _since([point.individuals == 1 for point in points])
    if not narrows and lonely is not None and len(points) - lonely >= FEW and points[0].individuals > 1:
        found.append(
            f"one individual is left since generation {points[lonely].number}: nothing competes (in map-elites there "
            "is one niche; give scores a detail 'behaviour', or the fitness a niche(individual))"
        )
    flat = _since([point.best_fitness == points[-1].best_fitness and point.mean_fitness == point.best_fitness
                   for point in points])  # fmt: skip
    if flat is not None and len(points) - flat >= FEW and not found:
        found.append(f"all individuals have had the same fitness since generation {points[flat].number}")
    if champion == 0 and len(points) > 1:
        found.append("the champion is of generation 0: evolution has found nothing better than the random beginning")
    return found


def failing(individuals: Sequence[Individual[Any]]) -> list[str]:
    """Return that the fitness of most of a generation, the last one, failed."""
    failed = sum(FAILED in one.detail for one in individuals)
    if failed <= FAILING * len(individuals):
        return []
    return [
        f"the fitness of {failed} of {len(individuals)} individuals of the last generation raised, or was no number, "
        f"so that they have the score of failed genomes"
    ]


def wavering(champion: Individual[Any], found: Measure) -> list[str]:
    """Return that a fitness which is asked about each genome once says something else when it is asked again."""
    before, again = abs(champion.fitness), abs(found.value)
    if found.opponent != ITSELF or found.n or math.isclose(before, again, rel_tol=1e-6, abs_tol=1e-12):
        return []
    return [
        f"the fitness of the champion was {before:.6g}, and {again:.6g} when it was asked again: it depends on chance, "
        f"or on what was asked before; with a second parameter it gets a stream of chance"
    ]


def _since(truths: Sequence[bool]) -> int | None:
    """Return from which place on everything is true."""
    at = len(truths)
    while at and truths[at - 1]:
        at -= 1
    return at if at < len(truths) else None
