"""Breeding: how the genomes of the next generation come from this one.

Why it is here.  Two traditions, told apart by what is drawn first.  GA style selects a whole generation
of parents, pairs some of them, and then mutates each one independently, so a child can be both crossed
and mutated.  GP style draws one operator for each child, and then as many parents as it needs.  Both
work on any kind, and each step draws from a stream of its own.

One-way crossover gives a part of the fitter individual to the other; the fitter one stays as it is.
When two are drawn in random order and it happens only if the first is the fitter one, it is about half
of all crossovers.

References.  M. Sipper, Evolved to Win (2011), algorithms 3.1 and 3.3.  J. R. Koza, Genetic Programming
(1992), the flow chart of a run.
"""

from collections.abc import Hashable, Sequence
from typing import TypeVar

from ludwin.evolve.kind import Representation
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Child, Compare, Generation, Individual
from ludwin.evolve.selection import Beats, Candidates, Choose, by_comparison, by_worth, chooser, leaders, worths
from ludwin.program.stream import Stream

G = TypeVar("G", bound=Hashable)

SELECT, PAIR, CROSS, MUTATE, OPERATE, MAKE = range(6)  # purposes of streams


def breed(
    kind: Representation[G], plan: Plan, generation: Generation[G], compare: Compare[G] | None, stream: Stream
) -> list[Child[G]]:
    """Return the children of a generation for the breedings that replace all of it: ga, gp and random."""
    if plan.breeding == "random":
        return [Child(kind.make(stream.split(MAKE, k)), "random") for k in range(plan.population)]
    individuals = generation.individuals
    worth = worths(individuals, plan.parsimony)
    beats = by_worth(worth) if compare is None else by_comparison(individuals, compare)
    choose = chooser(Candidates(plan, individuals, worth, beats))
    elite = [Child(individuals[i].genome, "elite", (i,)) for i in leaders(worth, plan.elite)]
    make = procreate if plan.breeding == "ga" else operate
    return elite + make(kind, plan, individuals, beats, choose, plan.population - len(elite), stream)


def procreate(
    kind: Representation[G],
    plan: Plan,
    individuals: Sequence[Individual[G]],
    beats: Beats,
    choose: Choose,
    count: int,
    stream: Stream,
) -> list[Child[G]]:
    """GA style: select, cross pairs, then mutate each one independently."""
    # Step 1. Parents are copied into the new generation.
    draws = stream.split(SELECT)
    picks = [choose(draws) for _ in range(count)]
    children = [Child(individuals[i].genome, "copy", (i,)) for i in picks]
    # Step 2. Each is to be crossed with the probability of crossover; those are paired at random.
    for k, (a, b) in enumerate(pairs(count, plan.crossover, stream.split(PAIR))):
        children[a], children[b] = mate(kind, plan, individuals, picks[a], picks[b], beats, stream.split(CROSS, k))
    # Step 3. Mutation strikes whatever is there.
    for k, child in enumerate(children):
        chance = stream.split(MUTATE, k)
        if chance.chance(plan.mutation):
            children[k] = Child(kind.mutate(child.genome, chance), _mutated(child.origin), child.parents)
    return children


def pairs(count: int, probability: float, stream: Stream) -> list[tuple[int, int]]:
    """Return pairs of the numbers below count, nobody in two; of an odd number one stays alone."""
    ready = [k for k in stream.shuffled(range(count)) if stream.chance(probability)]
    return list(zip(ready[::2], ready[1::2], strict=False))


def mate(
    kind: Representation[G],
    plan: Plan,
    individuals: Sequence[Individual[G]],
    first: int,
    second: int,
    beats: Beats,
    stream: Stream,
) -> tuple[Child[G], Child[G]]:
    """Cross two individuals, one way or two ways (algorithm 3.1)."""
    a, b = individuals[first].genome, individuals[second].genome
    if plan.one_way == "always" or (plan.one_way == "fitter" and beats(first, second)):
        return Child(a, "copy", (first,)), Child(kind.donate(a, b, stream), "one-way", (second, first))
    left, right = kind.cross(a, b, stream)
    return Child(left, "crossover", (first, second)), Child(right, "crossover", (second, first))


def operate(
    kind: Representation[G],
    plan: Plan,
    individuals: Sequence[Individual[G]],
    beats: Beats,
    choose: Choose,
    count: int,
    stream: Stream,
) -> list[Child[G]]:
    """GP style: draw each child's operator, then its parents; what is left of 1 is copied.

    A crossover's second child waits until crossover is drawn again, so the operators' shares are
    those of the plan.  One-way crossover has one child: the donor's copy would be a reproduction.
    """
    children: list[Child[G]] = []
    twin: Child[G] | None = None
    for k in range(count):
        chance = stream.split(OPERATE, k)
        mark = chance.uniform()
        if mark < plan.crossover:
            if twin is None:
                child, twin = mate(kind, plan, individuals, choose(chance), choose(chance), beats, chance)
                if twin.origin == "one-way":
                    child, twin = twin, None
            else:
                child, twin = twin, None
        else:
            i = choose(chance)
            parent = individuals[i].genome
            changed = mark < plan.crossover + plan.mutation
            child = Child(kind.mutate(parent, chance), "mutation", (i,)) if changed else Child(parent, "copy", (i,))
        children.append(child)
    return children


def loser(worth: Sequence[float], beats: Beats, size: int, protected: Sequence[int], stream: Stream) -> int:
    """Return who leaves in steady state: a tournament's worst, but none of the protected."""
    free = [i for i in range(len(worth)) if i not in protected]
    worst = stream.pick(free)
    for _ in range(size - 1):
        other = stream.pick(free)
        if beats(worst, other):
            worst = other
    return worst


def _mutated(origin: str) -> str:
    return "mutation" if origin == "copy" else f"{origin}+mutation"
