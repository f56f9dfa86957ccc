"""Evolution: a generation is scored, breeds, and is followed by the next.

Why it is here.  One loop serves all chapters: it knows kinds, fitness and plans by their interfaces
alone.  Generations come out one by one, so that whoever runs the loop can store, show or stop; and a
stored one goes in again as `start`, after which the same generations follow as without the break.

All chance comes from streams that are named by the seed, their purpose, the generation and the child,
so nothing depends on workers or on what ran before.

Equal genomes are scored once, unless the fitness is relative: then each plays its own games.  Where the
fitness lasts, a copy keeps the score of its parent.

References.  M. Sipper, Evolved to Win (2011), algorithm 2.1.
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from ludwin.errors import BadParameter
from ludwin.evolve.breeding import breed, loser, operate
from ludwin.evolve.kind import Representation
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import (
    Child,
    Compare,
    Fitness,
    Generation,
    Individual,
    Score,
    read_generation,
    write_generation,
)
from ludwin.evolve.selection import Beats, by_comparison, by_worth, chooser, comparison, leaders, shares_beaten, worths
from ludwin.evolve.strategies import next_step, spread, stretch
from ludwin.program.stream import Stream

__all__ = ["Fitness", "Generation", "Individual", "Plan", "evolve", "read_generation", "write_generation"]

G = TypeVar("G", bound=Hashable)

BEGIN, SCORE, BREED, ADMIT = range(4)  # purposes of streams


def evolve(
    kind: Representation[G], fitness: Fitness[G], plan: Plan, seed: int, *, start: Generation[G] | None = None
) -> Iterator[Generation[G]]:
    """Yield generation 0, 1, … of a run, or those after `start`; a pure function of its arguments.

    It ends with generation `plan.generations`, or with the first whose best reaches `plan.stop_at`.
    """
    demand_fitting(fitness, plan)
    run = _Run(kind, fitness, plan, seed, comparison(fitness, plan))
    if start is None:
        start = run.first()
        yield start
    while start.number < plan.generations and start.best.fitness < plan.stop_at:
        start = run.after(start)
        yield start


def demand_fitting(fitness: Fitness[G], plan: Plan) -> None:
    """Raise BadParameter if a plan cannot breed by this fitness."""
    comparison(fitness, plan)
    if plan.breeding == "steady" and getattr(fitness, "relative", False):
        raise BadParameter("steady state keeps old scores beside new ones, so the fitness must not be relative")


@dataclass(frozen=True)
class _Run(Generic[G]):
    """What stays the same from generation to generation."""

    kind: Representation[G]
    fitness: Fitness[G]
    plan: Plan
    seed: int
    compare: Compare[G] | None

    @property
    def relative(self) -> bool:
        return bool(getattr(self.fitness, "relative", False))

    @property
    def lasting(self) -> bool:
        return bool(getattr(self.fitness, "lasting", False)) and not self.relative

    def first(self) -> Generation[G]:
        """Return generation 0."""
        genomes = self.kind.begin(self.plan.population, Stream(self.seed, BEGIN))
        if len(genomes) != self.plan.population:
            raise BadParameter(
                f"{self.kind.name} began with {len(genomes)} genomes, a population of {self.plan.population} was wanted"
            )
        empty: Generation[G] = Generation(-1, ())
        return self.finished(empty, *self.judged([Child(genome, "random") for genome in genomes], empty))

    def after(self, generation: Generation[G]) -> Generation[G]:
        """Return the generation that follows."""
        if self.plan.breeding == "steady":
            return self.steady(generation)
        if self.plan.breeding in ("mu,lambda", "mu+lambda"):
            return self.strategy(generation)
        children = breed(self.kind, self.plan, generation, self.compare, self.chance(generation))
        return self.finished(generation, *self.judged(children, generation))

    def chance(self, generation: Generation[G]) -> Stream:
        """Return the stream that breeds this generation's children."""
        return Stream(self.seed, BREED, generation.number + 1)

    def steady(self, generation: Generation[G]) -> Generation[G]:
        """Let as many be born as there are individuals; a few at a time take the places of losers."""
        individuals, evaluations, born = list(generation.individuals), 0, 0
        stream = self.chance(generation)
        while born < self.plan.population:
            chance = stream.split(born)
            count = min(self.plan.offspring or 1, self.plan.population - born)
            worth, beats = self.order(individuals)
            choose = chooser(self.plan, worth, beats)
            children = operate(self.kind, self.plan, individuals, beats, choose, count, chance)
            scored, cost = self.judged(children, replace(generation, individuals=tuple(individuals)), born)
            for newcomer in scored:
                worth, beats = self.order(individuals)
                individuals[loser(worth, beats, self.plan.tournament, leaders(worth, self.plan.elite), chance)] = (
                    newcomer
                )
            evaluations, born = evaluations + cost, born + count
        return self.finished(generation, individuals, evaluations)

    def strategy(self, generation: Generation[G]) -> Generation[G]:
        """Breed lambda children; the best mu of them, or of them and their parents, go on."""
        step = generation.state.get("step", 1.0)
        kind = stretch(self.kind, step) if self.plan.steps == "fifth" else self.kind
        last = generation.number + 1 == self.plan.generations
        children = spread(kind, self.plan, generation.individuals, self.chance(generation), last=last)
        plus = self.plan.breeding == "mu+lambda"
        parents = (
            [Child(individual.genome, "copy", (i,)) for i, individual in enumerate(generation.individuals)]
            if plus
            else []
        )
        pool, cost = self.judged(parents + children, generation)
        if self.compare is not None:
            pool = self.ranked(pool, self.compare)
        worth = worths(pool, self.plan.parsimony)
        survivors = [pool[i] for i in leaders(worth, self.plan.population)]
        if self.plan.steps == "fifth":
            before = worth[: len(parents)] if plus else worths(generation.individuals, self.plan.parsimony)
            offspring = zip(worth[len(parents) :], (child.parents for child in children), strict=True)
            generation = replace(
                generation, state={**generation.state, "step": next_step(step, before, list(offspring))}
            )
        return self.finished(generation, survivors, cost)

    def order(self, individuals: Sequence[Individual[G]]) -> tuple[list[float], Beats]:
        """Return the individuals' worths, and who beats whom."""
        worth = worths(individuals, self.plan.parsimony)
        return worth, by_worth(worth) if self.compare is None else by_comparison(individuals, self.compare)

    def judged(
        self, children: Sequence[Child[G]], before: Generation[G], birth: int = 0
    ) -> tuple[list[Individual[G]], int]:
        """Return the children as individuals, and how many genomes were scored for that."""
        genomes: Sequence[G] = [child.genome for child in children]
        known: dict[G, Score] = {}
        if not self.relative:
            if self.lasting:
                known = {old.genome: (old.fitness, old.detail) for old in before.individuals}
            genomes = [genome for genome in dict.fromkeys(genomes) if genome not in known]
        scores = self.scores(genomes, before, birth)
        if self.relative:
            found = scores
        else:
            known.update(zip(genomes, scores, strict=True))
            found = [known[child.genome] for child in children]
        size = self.kind.size
        return [
            Individual(child.genome, fitness, detail, child.origin, child.parents, size(child.genome))
            for child, (fitness, detail) in zip(children, found, strict=True)
        ], len(genomes)

    def scores(self, genomes: Sequence[G], before: Generation[G], birth: int) -> list[Score]:
        """Ask the fitness; raises BadParameter for answers that are no finite numbers."""
        if not genomes:
            return []
        number = before.number + 1
        stream = Stream(self.seed, SCORE, number, birth)
        knowing = getattr(self.fitness, "score_knowing", None)
        if knowing is None:
            scores = self.fitness.score(genomes, number, stream)
        else:
            scores = knowing(genomes, before.memory, number, stream)
        if len(scores) != len(genomes):
            raise BadParameter(f"the fitness was asked for {len(genomes)} scores and gave {len(scores)}")
        for genome, (value, _) in zip(genomes, scores, strict=True):
            if not math.isfinite(value):
                raise BadParameter(f"a fitness is a finite number, got {value} for {self.kind.text(genome)}")
        return scores

    def finished(self, before: Generation[G], individuals: Sequence[Individual[G]], cost: int) -> Generation[G]:
        """Return the generation that follows `before`, with its counts and its memory."""
        if self.compare is not None:
            individuals = self.ranked(individuals, self.compare)
        made = Generation(before.number + 1, tuple(individuals), before.evaluations + cost, before.memory, before.state)
        admit = getattr(self.fitness, "admit", None)
        return (
            made
            if admit is None
            else replace(made, memory=tuple(admit(made.memory, made, Stream(self.seed, ADMIT, made.number))))
        )

    def ranked(self, individuals: Sequence[Individual[G]], compare: Compare[G]) -> list[Individual[G]]:
        """Return the individuals with the share of the others that they beat as fitness."""
        shares = shares_beaten(individuals, compare)
        return [replace(individual, fitness=share) for individual, share in zip(individuals, shares, strict=True)]
