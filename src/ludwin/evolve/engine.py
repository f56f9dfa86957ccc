"""Evolution: a generation is scored, breeds, and is followed by the next.

Why it is here.  One loop serves all chapters: it knows kinds, fitness and plans by their interfaces
alone.  Generations come out one by one, so that whoever runs the loop can store, show or stop; and a
stored one goes in again as `start`, after which the same generations follow as without the break.

All chance comes from streams that are named by the seed, their purpose, the generation and the child,
so nothing depends on workers or on what ran before.

How children come about is the plan's `breeding`, one of a table (`operators.py`): a function of a `Running` and of a
generation that returns the next one.

Islands.  With `plan.islands` above 1 each island breeds its own stretch of the individuals by streams of its own; in
every generation k * `migrate_every` some of island i, chosen by a stream of (seed, i, k), take the places of the worst
of island i + 1.  What an island becomes depends on its neighbour's generation k * `migrate_every` and on nothing that
came later, so islands could be bred on different machines; here they are one population, which is stored, measured and
resumed as any other.

Equal genomes are scored once, unless the fitness is relative: then each plays its own games.  Where the
fitness lasts, a copy keeps the score of its parent.

References.  M. Sipper, Evolved to Win (2011), algorithm 2.1.
"""

import math
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import called, is_ours
from ludwin.evolve.breeding import breed, loser, operate
from ludwin.evolve.kind import Representation
from ludwin.evolve.operators import BREEDINGS, REPLACEMENTS
from ludwin.evolve.plan import STRATEGIES, TERMS, Plan
from ludwin.evolve.population import (
    Child,
    Compare,
    Fitness,
    Generation,
    Individual,
    Scored,
    demand_numbers,
    read_generation,
    scored,
    write_generation,
)
from ludwin.evolve.selection import (
    Beats,
    Candidates,
    Choose,
    by_comparison,
    by_worth,
    chooser,
    comparison,
    leaders,
    shares_beaten,
    worths,
)
from ludwin.evolve.strategies import apart, next_step, spread, stretch
from ludwin.program.stream import Stream

__all__ = ["Fitness", "Generation", "Individual", "Plan", "Running", "evolve", "read_generation", "write_generation"]

G = TypeVar("G", bound=Hashable)

BEGIN, SCORE, BREED, ADMIT, ISLAND, MIGRATE, SURVIVE = range(7)  # purposes of streams


def evolve(
    kind: Representation[G], fitness: Fitness[G], plan: Plan, seed: int, *, start: Generation[G] | None = None
) -> Iterator[Generation[G]]:
    """Yield generation 0, 1, … of a run, or those after `start`; a pure function of its arguments.

    It ends with generation `plan.generations`, or with the first whose best reaches `plan.stop_at`.
    """
    demand_fitting(fitness, plan, kind)
    if start is not None:
        demand_start(start, plan, kind)
    run = Running(kind, fitness, plan, seed, comparison(fitness, plan))
    if start is None:
        start = run.first()
        yield start
    while start.number < plan.generations and start.best.fitness < plan.stop_at:
        start = run.after(start)
        yield start


def demand_fitting(fitness: Fitness[G], plan: Plan, kind: Representation[Any] | None = None) -> None:
    """Raise BadParameter if a plan cannot breed by this fitness, or not genomes of this kind."""
    comparison(fitness, plan)
    demand_read(plan)
    if kind is not None:
        demand_breedable(kind, plan)
    if plan.breeding == TERMS:
        raise BadParameter("breeding=terms is for experiments on board games that offer it; choose ga, gp or another")
    if not getattr(fitness, "relative", False):
        return
    if plan.breeding in KEEPING or plan.replacement != "generational":
        what = "steady state" if plan.breeding == "steady" else _keeper(plan)
        raise BadParameter(f"{what} keeps old scores beside new ones, so the fitness must not be relative")


def demand_read(plan: Plan) -> None:
    """Raise BadParameter for settings that this breeding of ours would ignore in silence."""
    if plan.breeding in ("alps", "map-elites") and plan.crossover + plan.mutation > 1 + 1e-12:
        raise BadParameter(
            f"{plan.breeding} draws one operator per child, so crossover and mutation are at most 1 together, got "
            f"{plan.crossover:g} and {plan.mutation:g}"
        )
    if plan.breeding in BREEDINGS.ours and plan.breeding not in REPLACING and plan.replacement != "generational":
        raise BadParameter(
            f"breeding={plan.breeding} says itself who stays; replacement={plan.replacement} is for "
            f"{', '.join(REPLACING[:-1])} and {REPLACING[-1]}"
        )
    if plan.breeding in ("cma", *STRATEGIES) and plan.selection in ("crowded", "lexicase", "epsilon-lexicase"):
        raise BadParameter(
            f"breeding={plan.breeding} goes by one number, so selection={plan.selection} has no say in it; choose "
            "another breeding, such as ga"
        )


def demand_start(start: Generation[Any], plan: Plan, kind: Representation[Any]) -> None:
    """Raise BadParameter for a generation after which a run of this plan and these genomes cannot go on."""
    count = len(start.individuals)
    if not count:
        raise BadParameter("start: there is nobody in this generation")
    if not is_genome(kind, start.individuals[0].genome):
        raise BadParameter(f"start: the genomes of this generation are not {kind.name} as they are here")
    if plan.breeding == "alps" and count != plan.population:
        raise BadParameter(f"start: alps needs a population of {plan.population}, this generation has {count}")
    if count % plan.islands:
        raise BadParameter(f"start: {plan.islands} islands share individuals evenly, this generation has {count}")
    if plan.breeding == "steady" and plan.elite >= count:
        raise BadParameter(
            f"start: in steady state somebody must leave, so elite is below {count}, the individuals of this "
            f"generation, got {plan.elite}"
        )


def is_genome(kind: Representation[Any], one: Any, known: Container[Any] = ()) -> bool:
    """Return whether something is one of the known genomes, or can be stored as one and read again."""
    try:
        if one not in known:
            kind.read(kind.write(one))
    except Exception:  # a user's kind may raise anything about a genome that is none of its own
        return False
    return True


def demand_breedable(kind: Representation[Any], plan: Plan) -> None:
    """Raise BadParameter if a plan asks for something that genomes of this kind do not have."""
    wanted: list[tuple[tuple[str, ...], str]] = []
    if plan.breeding == "cma":
        wanted = [(("vector", "of_vector", "spans"), "breeding=cma needs genomes of real numbers")]
    elif plan.breeding == "shapes":
        wanted = [(("shape", "gather"), "breeding=shapes needs genomes that have a shape and a mean")]
    elif plan.breeding in STRATEGIES:
        if plan.recombination == "all":
            wanted.append((("gather",), "recombination=all needs genomes that have a mean"))
        if plan.steps == "fifth":
            wanted.append((("stretched",), "steps=fifth needs genomes of real numbers, which have a step size"))
    for names, words in wanted:
        if not all(hasattr(kind, name) for name in names):
            raise BadParameter(f"{words}; {kind.name} are none")


KEEPING = ("steady", "alps", "map-elites")  # breedings in which a score is kept while others come


REPLACING = ("ga", "gp", "random")  # breedings after which plan.replacement says who stays

SELECTING = ("ga", "gp", "steady", "alps", "map-elites", "shapes")  # breedings that draw parents by plan.selection


def _keeper(plan: Plan) -> str:
    return plan.breeding if plan.breeding in KEEPING else f"replacement={plan.replacement}"


@dataclass(frozen=True)
class Running(Generic[G]):
    """What stays the same from generation to generation, and what a breeding needs: scores, streams, survivors."""

    kind: Representation[G]
    fitness: Fitness[G]
    plan: Plan
    seed: int
    compare: Compare[G] | None = None

    @property
    def relative(self) -> bool:
        """Whether scores depend on who else is there."""
        return bool(getattr(self.fitness, "relative", False))

    @property
    def lasting(self) -> bool:
        """Whether a genome has the same score for ever."""
        return bool(getattr(self.fitness, "lasting", False)) and not self.relative

    def first(self) -> Generation[G]:
        """Return generation 0."""
        empty: Generation[G] = Generation(-1, ())
        if self.plan.islands > 1:
            made = together(empty, [self.island(i).begun() for i in range(self.plan.islands)])
        else:
            made = self.begun()
        if self.plan.generations:
            self.demand_selectable(made.individuals)
        return self.admitted(made)

    def demand_selectable(self, individuals: Sequence[Individual[G]]) -> None:
        """Raise BadParameter if selection or replacement want something that these scores lack: before a generation is
        stored that nothing can follow.
        """
        if self.plan.breeding in SELECTING:
            self.chosen_from(individuals)
        if self.plan.replacement == "nsga2" and not all(one.objectives for one in individuals):
            raise BadParameter("replacement=nsga2 needs a fitness that gives objectives; this one gives a value only")

    def begun(self) -> Generation[G]:
        """Return generation 0 before anybody is remembered."""
        genomes = self.kind.begin(self.plan.population, Stream(self.seed, BEGIN))
        if len(genomes) != self.plan.population:
            raise BadParameter(
                f"{self.kind.name} began with {len(genomes)} genomes, a population of {self.plan.population} was wanted"
            )
        empty: Generation[G] = Generation(-1, ())
        return self.followed(empty, *self.judged([Child(genome, "random") for genome in genomes], empty))

    def after(self, generation: Generation[G]) -> Generation[G]:
        """Return the generation that follows."""
        if self.plan.islands > 1:
            return self.admitted(self.archipelago(generation))
        return self.admitted(self.bred(generation))

    def bred(self, generation: Generation[G]) -> Generation[G]:
        """Return the generation that follows, before anybody is remembered."""
        found: Generation[G] = BREEDINGS[self.plan.breeding](self, generation)
        what = f"breeding={self.plan.breeding}"
        if not isinstance(found, Generation):
            raise BadParameter(f"{what} must return a generation, got {type(found).__name__}")
        if found.number != generation.number + 1:
            raise BadParameter(
                f"{what} must return generation {generation.number + 1}, got {found.number}; run.followed(generation, "
                "individuals, cost) makes it"
            )
        demand_people(what, found.individuals)
        return found

    def chance(self, generation: Generation[G]) -> Stream:
        """Return the stream that breeds this generation's children."""
        return Stream(self.seed, BREED, generation.number + 1)

    # Islands

    def island(self, number: int) -> "Running[G]":
        """Return how one island is bred."""
        count, plan = self.plan.islands, self.plan
        each = plan.population // count
        few, born = min(plan.elite, each), plan.offspring // count
        plan = replace(plan, population=each, islands=1, migrants=0, elite=few, offspring=born)
        return replace(self, plan=plan, seed=Stream(self.seed, ISLAND, number).seed())

    def archipelago(self, generation: Generation[G]) -> Generation[G]:
        """Return the next generation of all islands, after migration where it is due."""
        shores = shared_out(generation, self.plan.islands)
        grown = [self.island(i).bred(shore) for i, shore in enumerate(shores)]
        number = generation.number + 1
        if number % self.plan.migrate_every == 0 and self.plan.migrants:
            grown = self.migrated(grown, number // self.plan.migrate_every)
        return together(generation, grown)

    def migrated(self, islands: Sequence[Generation[G]], turn: int) -> list[Generation[G]]:
        """Return the islands after everyone's migrants have gone round the ring; those who leave also stay."""
        leaving = []
        for i, island in enumerate(islands):
            choose, stream = self.chosen_from(island.individuals), Stream(self.seed, MIGRATE, i, turn)
            places: list[int] = []
            for _ in range(100 * self.plan.migrants):  # different ones, as far as selection lets them come
                place = choose(stream)
                if place not in places:
                    places.append(place)
                if len(places) == self.plan.migrants:
                    break
            leaving.append([replace(island.individuals[k], origin="migrant", parents=()) for k in places])
        settled = []
        for i, island in enumerate(islands):
            guests, people = leaving[i - 1], list(island.individuals)
            worth = worths(people, self.plan.parsimony)
            worst = sorted(range(len(people)), key=lambda k: (worth[k], -k))[: len(guests)]
            for place, guest in zip(worst, guests, strict=True):
                people[place] = guest
            settled.append(replace(island, individuals=tuple(people)))
        return settled

    # What breedings ask for

    def order(self, individuals: Sequence[Individual[G]]) -> tuple[list[float], Beats]:
        """Return the individuals' worths, and who beats whom."""
        worth = worths(individuals, self.plan.parsimony)
        return worth, by_worth(worth) if self.compare is None else by_comparison(individuals, self.compare)

    def chosen_from(self, individuals: Sequence[Individual[G]]) -> Choose:
        """Return the plan's selection among these individuals."""
        return chooser(Candidates(self.plan, individuals, *self.order(individuals)))

    def born_of(self, individuals: Sequence[Individual[G]], count: int, stream: Stream) -> list[Child[G]]:
        """Return so many children of these, by the plan's selection, crossover and mutation."""
        worth, beats = self.order(individuals)
        choose = chooser(Candidates(self.plan, individuals, worth, beats))
        return operate(self.kind, self.plan, individuals, beats, choose, count, stream)

    def judged(
        self, children: Sequence[Child[G]], before: Generation[G], birth: int = 0
    ) -> tuple[list[Individual[G]], int]:
        """Return the children as individuals, and how many genomes were scored for that."""
        genomes: Sequence[G] = [child.genome for child in children]
        known: dict[G, Scored] = {}
        if not self.relative:
            if self.lasting:
                known = {old.genome: old.score for old in before.individuals}
            genomes = [genome for genome in dict.fromkeys(genomes) if genome not in known]
        scores = self.scores(genomes, before, birth)
        if self.relative:
            found = scores
        else:
            known.update(zip(genomes, scores, strict=True))
            found = [known[child.genome] for child in children]
        size = self.kind.size
        return [
            Individual(
                child.genome,
                score.value,
                score.detail,
                child.origin,
                child.parents,
                size(child.genome),
                score.cases,
                score.objectives,
            )
            for child, score in zip(children, found, strict=True)
        ], len(genomes)

    def scores(self, genomes: Sequence[G], before: Generation[G], birth: int) -> list[Scored]:
        """Ask the fitness; raises BadParameter for answers that are no finite numbers."""
        if not genomes:
            return []
        number = before.number + 1
        stream = Stream(self.seed, SCORE, number, birth)
        knowing = getattr(self.fitness, "score_knowing", None)
        if knowing is None:
            answers = self.asked(self.fitness.score, genomes, number, stream)
        else:
            answers = self.asked(knowing, genomes, before.memory, number, stream)
        if len(answers) != len(genomes):
            raise BadParameter(f"the fitness was asked for {len(genomes)} scores and gave {len(answers)}")
        scores = [scored(answer) for answer in answers]
        if not is_ours(self.fitness):
            scores = [self.examined(score, genome) for score, genome in zip(scores, genomes, strict=True)]
        told = (one.score for one in before.individuals)
        known = next((one for one in (*told, *scores) if not one.failed), scores[0])
        scores = [one.as_long_as(known) if one.failed else one for one in scores]
        for genome, score in zip(genomes, scores, strict=True):
            for value in (score.value, *score.cases, *score.objectives):
                if not math.isfinite(value):
                    raise BadParameter(f"a fitness is a finite number, got {value} for {self.kind.text(genome)}")
            for what, first in (("cases", len(known.cases)), ("objectives", len(known.objectives))):
                if len(getattr(score, what)) != first:
                    raise BadParameter(
                        f"a fitness gives every genome the same {what}: {first} of them, then "
                        f"{len(getattr(score, what))} for {self.kind.text(genome)}"
                    )
        return scores

    def asked(self, score: Callable[..., Any], *given: Any) -> Sequence[Any]:
        """Return the answers of a fitness; of a user's own what it raises, or another answer, is told in one line."""
        if is_ours(self.fitness):
            answers: Sequence[Any] = score(*given)
            return answers
        found = called(f"{type(self.fitness).__name__}.score", score, *given)
        if not isinstance(found, list | tuple):
            raise BadParameter(f"{type(self.fitness).__name__}.score returned {brief(found)}, a list was wanted")
        return found

    def examined(self, score: Scored, genome: G) -> Scored:
        """Return a score of a user's making with plain numbers. Raises BadParameter, which names the genome."""
        try:
            return demand_numbers(score, "the fitness")
        except BadParameter as error:
            raise BadParameter(f"{error}, for {self.kind.text(genome)}") from None

    def followed(self, before: Generation[G], individuals: Sequence[Individual[G]], cost: int) -> Generation[G]:
        """Return the generation that follows `before`, with its counts."""
        if self.compare is not None:
            individuals = self.ranked(individuals, self.compare)
        return Generation(before.number + 1, tuple(individuals), before.evaluations + cost, before.memory, before.state)

    def admitted(self, made: Generation[G]) -> Generation[G]:
        """Return a generation with what its fitness wants to remember of it."""
        admit = getattr(self.fitness, "admit", None)
        if admit is None:
            return made
        given = made.memory, made, Stream(self.seed, ADMIT, made.number)
        if is_ours(self.fitness):
            return replace(made, memory=tuple(admit(*given)))
        what = f"{type(self.fitness).__name__}.admit"
        memory = called(what, admit, *given)
        if isinstance(memory, str) or not hasattr(memory, "__iter__"):
            raise BadParameter(f"{what} returned {brief(memory)}, genomes were wanted")
        memory = tuple(called(what, list, memory))
        known = {*made.memory, *(one.genome for one in made.individuals)}
        for genome in memory:
            if not is_genome(self.kind, genome, known):
                raise BadParameter(f"{what} wants to remember {brief(genome)}, which is no genome of {self.kind.name}")
        return replace(made, memory=memory)

    def ranked(self, individuals: Sequence[Individual[G]], compare: Compare[G]) -> list[Individual[G]]:
        """Return the individuals with the share of the others that they beat as fitness."""
        shares = shares_beaten(individuals, compare)
        return [replace(individual, fitness=share) for individual, share in zip(individuals, shares, strict=True)]


# ---- Breedings ------------------------------------------------------------------------------------------------


def by_generations(run: Running[G], generation: Generation[G]) -> Generation[G]:
    """Breed a whole generation (ga, gp, random); the plan's replacement says who is there after it."""
    children = breed(run.kind, run.plan, generation, run.compare, run.chance(generation))
    scored_ones, cost = run.judged(children, generation)
    stay = REPLACEMENTS[run.plan.replacement]
    survivors = stay(run, generation, scored_ones, Stream(run.seed, SURVIVE, generation.number + 1))
    what = f"replacement={run.plan.replacement}"
    survivors = called(what, list, survivors) if hasattr(survivors, "__iter__") else survivors
    demand_people(what, survivors)
    return run.followed(generation, survivors, cost)


def demand_people(what: str, individuals: Any) -> None:
    """Raise BadParameter unless somebody is there, and all are individuals with finite numbers."""
    if not isinstance(individuals, list | tuple) or not individuals:
        raise BadParameter(f"{what} must return individuals, at least one, got {brief(individuals)}")
    for one in individuals:
        if not isinstance(one, Individual):
            raise BadParameter(f"{what} must return individuals, got {brief(one)} among them")
        if not math.isfinite(one.fitness):
            raise BadParameter(f"{what} returned an individual whose fitness is {one.fitness}")


def steady(run: Running[G], generation: Generation[G]) -> Generation[G]:
    """Let as many be born as there are individuals; a few at a time take the places of losers."""
    plan = run.plan
    individuals, evaluations, born = list(generation.individuals), 0, 0
    stream = run.chance(generation)
    while born < plan.population:
        chance = stream.split(born)
        count = min(plan.offspring or 1, plan.population - born)
        children = run.born_of(individuals, count, chance)
        newcomers, cost = run.judged(children, replace(generation, individuals=tuple(individuals)), born)
        for newcomer in newcomers:
            worth, beats = run.order(individuals)
            individuals[loser(worth, beats, plan.tournament, leaders(worth, plan.elite), chance)] = newcomer
        evaluations, born = evaluations + cost, born + count
    return run.followed(generation, individuals, evaluations)


def strategy(run: Running[G], generation: Generation[G]) -> Generation[G]:
    """Breed lambda children; the best mu of them, or of them and their parents, go on."""
    plan = run.plan
    step = generation.state.get("step", 1.0)
    kind = stretch(run.kind, step) if plan.steps == "fifth" else run.kind
    last = generation.number + 1 == plan.generations
    children = spread(kind, plan, generation.individuals, run.chance(generation), last=last)
    plus = plan.breeding == STRATEGIES[1]
    parents = (
        [Child(individual.genome, "copy", (i,)) for i, individual in enumerate(generation.individuals)] if plus else []
    )
    pool, cost = run.judged(parents + children, generation)
    if run.compare is not None:
        pool = run.ranked(pool, run.compare)
    worth = worths(pool, plan.parsimony)
    survivors = [pool[i] for i in apart(run.kind, [one.genome for one in pool], worth, plan.population)]
    if plan.steps == "fifth":
        before = worth[: len(parents)] if plus else worths(generation.individuals, plan.parsimony)
        offspring = zip(worth[len(parents) :], (child.parents for child in children), strict=True)
        generation = replace(generation, state={**generation.state, "step": next_step(step, before, list(offspring))})
    return run.followed(generation, survivors, cost)


# ---- Islands --------------------------------------------------------------------------------------------------


def shared_out(generation: Generation[G], islands: int) -> list[Generation[G]]:
    """Return the islands of a generation, each with its stretch of the individuals and its own numbers of breeding."""
    each = len(generation.individuals) // islands
    found = []
    for i in range(islands):
        own = f"{i}."
        state = {key[len(own) :]: value for key, value in generation.state.items() if key.startswith(own)}
        people = tuple(  # parents are counted through in the whole, and from 0 on the island: who stays keeps his own
            replace(one, parents=tuple(parent - i * each for parent in one.parents)) if one.parents else one
            for one in generation.individuals[i * each : (i + 1) * each]
        )
        found.append(Generation(generation.number, people, 0, generation.memory, state))
    return found


def together(before: Generation[G], islands: Sequence[Generation[G]]) -> Generation[G]:
    """Return islands as one generation; parents are counted through."""
    each = len(islands[0].individuals)
    if any(len(island.individuals) != each for island in islands):
        raise BadParameter("islands need a breeding that keeps the number of individuals")
    people = [
        replace(one, parents=tuple(i * each + parent for parent in one.parents)) if one.parents else one
        for i, island in enumerate(islands)
        for one in island.individuals
    ]
    state = {f"{i}.{key}": value for i, island in enumerate(islands) for key, value in island.state.items()}
    spent = before.evaluations + sum(island.evaluations for island in islands)
    return Generation(before.number + 1, tuple(people), spent, before.memory, state)
