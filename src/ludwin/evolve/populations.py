"""Several populations in one run: hosts and parasites, and the roles of a team.

Why it is here.  Who is bred apart must still be one run: stored in one transaction a generation, resumed together,
measured and reported.  So a generation may have others beside it (`Generation.others`), and what yields such
generations is an *ecology*: it has a `kind`, which knows the kinds of the others, and a `history`.  Islands need none
of this: they are stretches of one population (`engine.py`).

- `ByEngine`: one population; `Observed`: another ecology, with statistics of the user's.
- `Hosts`: solvers, with the problems that are bred against them beside them (`TwoPopulations`, as Hillis did).
- `Archiving`: a population of several objectives, with those beside it whom nobody has dominated so far.
- `Teams`: cooperative coevolution.  Every role has a population; a member is worth what the team is worth in which it
  plays with representatives of the other roles: the best of the last generation, and `partners` - 1 others by lot, of
  which the best team counts.  The main population is the teams that were tried, so the champion is a team.

References.  W. D. Hillis, "Co-evolving parasites improve simulated evolution as an optimization procedure", Physica D
42 (1990), 228-234.  M. A. Potter, K. A. De Jong, "A cooperative coevolutionary approach to function optimization",
PPSN 3 (1994), 249-257.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import as_number, called
from ludwin.evolve.breeding import breed
from ludwin.evolve.coevolve import Arms, TwoPopulations, demand_generational
from ludwin.evolve.engine import BEGIN, BREED, SCORE, Running, evolve
from ludwin.evolve.kind import Representation
from ludwin.evolve.pareto import archived
from ludwin.evolve.parts import Parts
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Child, Fitness, Generation, Individual
from ludwin.program.stream import Stream
from ludwin.settings import within

PARASITES = "parasites"
ARCHIVE = "archive"
STATISTICS = "statistics."  # before the name of a statistic, in the state of a generation
Observer = Callable[[Generation[Any]], Any]


def demand_run(name: str, seed: Any, workers: Any, plan: Any, start: Any, callbacks: Any) -> None:
    """Raise BadParameter for what no generations can be yielded of."""
    for what, value, least in (("seed", seed, None), ("workers", workers, 1)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadParameter(f"{name}: {what} must be a whole number, got {brief(value)}")
        within(f"{name}: {what}", value, least)
    if not isinstance(plan, Plan):
        raise BadParameter(f"{name}: plan must be a Plan(population=…, …), got {brief(plan)}")
    if start is not None and not isinstance(start, Generation):
        raise BadParameter(f"{name}: start must be a generation of an earlier run, got {brief(start)}")
    if not isinstance(callbacks, list | tuple):
        raise BadParameter(f"{name}: callbacks are a list of functions, got {brief(callbacks)}")


class Ecology(Protocol):
    """What yields generations that may have others beside them."""

    @property
    def kind(self) -> Representation[Any]:
        """The kind of the main population; `others` of it are the kinds of those beside."""
        ...

    def history(self, plan: Plan, seed: int, start: Generation[Any] | None) -> Iterator[Generation[Any]]:
        """Yield generations, after `start` if there is one: a pure function of its arguments."""
        ...


@dataclass(frozen=True)
class ByEngine:
    """One population, by the engine."""

    kind: Representation[Any]
    fitness: Fitness[Any]

    def history(self, plan: Plan, seed: int, start: Generation[Any] | None) -> Iterator[Generation[Any]]:
        """Yield the generations of the engine."""
        return evolve(self.kind, self.fitness, plan, seed, start=start)


@dataclass(frozen=True)
class Observed:
    """An ecology whose generations carry the statistics of the user's."""

    inner: Ecology
    statistics: Mapping[str, Observer]

    @property
    def kind(self) -> Representation[Any]:
        """The kind of the other."""
        return self.inner.kind

    def history(self, plan: Plan, seed: int, start: Generation[Any] | None) -> Iterator[Generation[Any]]:
        """Yield the generations of the other, each with the numbers of its statistics, which none of the functions
        sees: after a resume they would see those of the last generation, and in a run without a break none.
        """
        if start is not None:
            own = {key: value for key, value in start.state.items() if not key.startswith(STATISTICS)}
            start = replace(start, state=own)
        for generation in self.inner.history(plan, seed, start):
            found = {}
            for name, function in self.statistics.items():
                what = f"the statistic {name}"
                found[STATISTICS + name] = as_number(called(what, function, generation), what)
            yield replace(generation, state={**generation.state, **found}) if found else generation


@dataclass(frozen=True)
class Beside:
    """A kind that knows which kinds live beside it; in all else it is the kind."""

    main: Any
    others: Mapping[str, Representation[Any]] = field(hash=False)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("main", "others"):
            raise AttributeError(name)
        return getattr(self.main, name)


@dataclass(frozen=True)
class Archiving:
    """Another ecology with an archive beside it: those whom nobody has dominated so far, at most so many."""

    inner: Ecology
    most: int

    @property
    def kind(self) -> Representation[Any]:
        """The kind of the population, which knows that of its archive."""
        found: Any = Beside(self.inner.kind, {ARCHIVE: self.inner.kind})
        return found  # type: ignore[no-any-return]

    def history(self, plan: Plan, seed: int, start: Generation[Any] | None) -> Iterator[Generation[Any]]:
        """Yield the generations of the other, each with the archive as it is then."""
        kept: Sequence[Individual[Any]] = ()
        if start is not None:  # of a problem that kept no archive it begins with those who are there
            kept = dict(start.others)[ARCHIVE].individuals if ARCHIVE in dict(start.others) else start.individuals
        for generation in self.inner.history(plan, seed, start):
            kept = archived(kept, generation.individuals, self.most)
            beside = Generation(generation.number, tuple(kept), generation.evaluations)
            yield replace(generation, others=(*generation.others, (ARCHIVE, beside)))


def _demand_beside(start: Generation[Any], *names: str) -> None:
    """Raise BadParameter unless these populations live beside a generation that a run is to go on after."""
    for name in names:
        if name not in dict(start.others):
            raise BadParameter(f"start: there are no {name} beside this generation, so it is of another problem")


@dataclass(frozen=True)
class Hosts:
    """Hosts and parasites as one run; the plan of the hosts is the run's.

    `meet`, `every` and `meetings` are those of `TwoPopulations`; `parasite_plan` breeds the parasites.
    """

    hosts: Representation[Any]
    parasites: Representation[Any]
    meet: Any
    parasite_plan: Plan
    every: int = 5
    meetings: int = 2

    @property
    def kind(self) -> Representation[Any]:
        """The hosts, with the parasites beside them."""
        found: Any = Beside(self.hosts, {PARASITES: self.parasites})
        return found  # type: ignore[no-any-return]

    def arms(self, plan: Plan) -> TwoPopulations[Any, Any]:
        """Return the two populations. Raises BadParameter for plans that do not fit."""
        return TwoPopulations(
            self.hosts, self.parasites, self.meet, plan, self.parasite_plan, self.every, self.meetings
        )

    def history(self, plan: Plan, seed: int, start: Generation[Any] | None) -> Iterator[Generation[Any]]:
        """Yield the hosts with the parasites beside them, which have the hosts' number."""
        before = None
        if start is not None:
            _demand_beside(start, PARASITES)
            parasites = replace(start.beside(PARASITES), number=start.number // self.every)
            before = Arms(start.number, replace(start, others=()), parasites)
        for arms in self.arms(plan).run(seed, start=before):
            beside = replace(arms.problems, number=arms.number)
            yield replace(arms.solvers, others=((PARASITES, beside),))


@dataclass(frozen=True)
class Teams:
    """Roles that are bred apart and scored together; `fitness` scores a whole team, a genome of `Parts`."""

    roles: Parts
    fitness: Fitness[Any]
    partners: int = 2

    def __post_init__(self) -> None:
        within("partners", self.partners, least=1)
        if len(self.roles.parts) < 2:
            raise BadParameter("a team has two roles at least")

    @property
    def kind(self) -> Representation[Any]:
        """Teams, with the populations of their roles beside them."""
        found: Any = Beside(self.roles, dict(self.roles.parts))
        return found  # type: ignore[no-any-return]

    def history(self, plan: Plan, seed: int, start: Generation[Any] | None) -> Iterator[Generation[Any]]:
        """Yield the teams of each generation, with the roles beside them."""
        self.demand_breeding(plan)
        if start is not None:
            _demand_beside(start, *(role for role, _ in self.roles.parts))
        else:
            start = self._tried(plan, seed, Generation(-1, ()), self._first(plan, seed), [])
            yield start
        while start.number < plan.generations and start.best.fitness < plan.stop_at:
            children = [
                breed(kind, plan, start.beside(role), None, Stream(seed, BREED, start.number + 1, number))
                for number, (role, kind) in enumerate(self.roles.parts)
            ]
            start = self._tried(plan, seed, start, children, [start.beside(role) for role, _ in self.roles.parts])
            yield start

    def demand_breeding(self, plan: Plan) -> None:
        """Raise BadParameter for plans by which roles are not bred."""
        if plan.breeding not in ("ga", "gp") or plan.selection == "comparator" or plan.islands > 1:
            raise BadParameter("the roles of a team breed by ga or gp, select by number and have no islands")
        demand_generational("roles", plan)

    def _first(self, plan: Plan, seed: int) -> list[list[Child[Any]]]:
        return [
            [Child(genome, "random") for genome in kind.begin(plan.population, Stream(seed, BEGIN, number))]
            for number, (_, kind) in enumerate(self.roles.parts)
        ]

    def _tried(
        self,
        plan: Plan,
        seed: int,
        before: Generation[Any],
        children: Sequence[Sequence[Child[Any]]],
        last: Sequence[Generation[Any]],
    ) -> Generation[Any]:
        """Let everybody play in teams, and return the teams with the roles beside them."""
        number = before.number + 1
        # Step 1. Representatives of each role: the best of the last generation, then some by lot.
        chance = Stream(seed, SCORE, number, 1)
        known = [[one.genome for one in past.individuals] for past in last] or [[c.genome for c in g] for g in children]
        first = [[past.best.genome] for past in last] or [[chance.split(r).pick(k)] for r, k in enumerate(known)]
        lots = [[chance.split(r, t).pick(k) for t in range(self.partners - 1)] for r, k in enumerate(known)]
        mates = [[*one, *more] for one, more in zip(first, lots, strict=True)]
        # Step 2. Teams: a child in its role, representatives in the others.
        teams = [
            tuple(child.genome if r == role else mates[r][turn] for r in range(len(children)))
            for role, born in enumerate(children)
            for child in born
            for turn in range(self.partners)
        ]
        run = Running(self.roles, self.fitness, replace(plan, population=len(teams)), seed)
        tried, cost = run.judged([Child(team, "team") for team in teams], replace(before, others=(), individuals=()))
        # Step 3. A member is worth what its best team is worth.
        found, others = iter(tried), []
        for (role, kind), born in zip(self.roles.parts, children, strict=True):
            people = []
            for child in born:
                best = max((next(found) for _ in range(self.partners)), key=lambda team: team.fitness)
                people.append(
                    Individual(
                        child.genome,
                        best.fitness,
                        dict(best.detail),
                        child.origin,
                        child.parents,
                        kind.size(child.genome),
                        best.cases,
                        best.objectives,
                    )
                )
            others.append((role, Generation(number, tuple(people))))
        distinct = list({one.genome: one for one in tried}.values())
        made = Generation(number, tuple(distinct), before.evaluations + cost, before.memory, {}, tuple(others))
        return run.admitted(made)
