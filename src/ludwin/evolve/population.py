"""Individuals and generations: what evolution yields, and all that a resume needs.

Why it is here.  A generation is a value.  It holds what breeding, fitness and step sizes depend on, so
the next one is a function of it, of the plan and of the seed: `write_generation` and
`read_generation` are a complete snapshot.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import as_number, is_list, number_list
from ludwin.evolve.kind import Representation
from ludwin.measure import DIRECTIONS
from ludwin.program.stream import Stream
from ludwin.settings import one_of

G = TypeVar("G", bound=Hashable)
G_in = TypeVar("G_in", bound=Hashable, contravariant=True)

FAILED = "failed"  # in the details of those whose fitness raised or was no number
CASES, OBJECTIVES = "cases", "objectives"  # what an individual's stored details call them


@dataclass(frozen=True)
class Scored:
    """What a fitness found out about one genome; more is better, of everything.

    `value` is one number for curves, elites and selections that ask for one.  `cases` are the results of single
    cases, in an order that is the same for all genomes: lexicase selection wants them.  `objectives` are what is to be
    traded off: NSGA-II wants them.  Where only cases or objectives are given, the value is their mean or the first.

    >>> Scored.of(cases=[1.0, 0.0]).value, Scored.of(objectives=[3.0, 2.0], directions=("less", "more")).objectives
    (0.5, (-3.0, 2.0))
    """

    value: float
    detail: dict[str, float] = field(default_factory=dict)
    cases: tuple[float, ...] = ()
    objectives: tuple[float, ...] = ()

    @classmethod
    def of(
        cls,
        value: float | None = None,
        *,
        cases: Sequence[float] = (),
        objectives: Sequence[float] = (),
        directions: Sequence[str] = (),
        detail: dict[str, float] | None = None,
    ) -> "Scored":
        """Return a score of what is known; `directions` say of each objective whether `more` or `less` is better.

        Raises BadParameter.
        """
        if directions and len(directions) != len(objectives):
            raise BadParameter(f"{len(directions)} directions cannot be those of {len(objectives)} objectives")
        for word in directions:
            one_of("the direction of an objective", word, DIRECTIONS)
        found = tuple(map(float, cases))
        aims = tuple(-float(x) if word == "less" else float(x) for x, word in _directed(objectives, directions))
        if value is None and not found and not aims:
            raise BadParameter("a score is a value, some cases or some objectives; this one has none of them")
        if value is None:
            value = math.fsum(found) / len(found) if found else aims[0]
        return cls(float(value), dict(detail or {}), found, aims)

    @property
    def failed(self) -> bool:
        """Whether it stands for a fitness that raised or was no number."""
        return FAILED in self.detail

    def as_long_as(self, other: "Scored") -> "Scored":
        """Return a score of one that failed with as many cases and objectives as another has, all as bad as its value:
        whoever fails alone cannot know how many there are.
        """
        cases, aims = len(other.cases), len(other.objectives)
        if (len(self.cases), len(self.objectives)) == (cases, aims):
            return self
        return replace(self, cases=(self.value,) * cases, objectives=(self.value,) * aims)


Score = tuple[float, dict[str, float]] | Scored


def _directed(objectives: Sequence[float], directions: Sequence[str]) -> list[tuple[float, str]]:
    return list(zip(objectives, directions or ("more",) * len(objectives), strict=True))


def scored(answer: Score) -> Scored:
    """Return a score in its full form. Raises BadParameter for what is none."""
    if isinstance(answer, Scored):
        return answer
    if isinstance(answer, tuple | list) and len(answer) == 2 and isinstance(answer[1], Mapping):
        return Scored(answer[0], dict(answer[1]))
    raise BadParameter(f"a score is a number with a dict of details, or a Scored, got {brief(answer)}")


def demand_numbers(score: Scored, what: str = "a score") -> Scored:
    """Return a score of a user's making with plain numbers. Raises BadParameter if something in it is no number, and
    Failed if one is not finite.
    """
    if not isinstance(score.detail, Mapping):
        raise BadParameter(f"{what}: the details of a score are a dict of numbers, got {brief(score.detail)}")
    detail = {}
    for name, value in score.detail.items():
        if not isinstance(name, str) or name in (CASES, OBJECTIVES, FAILED):
            raise BadParameter(
                f"{what}: a detail of a score has a name, other than cases, objectives and failed, got {name!r:.60}"
            )
        detail[name] = as_number(value, f"{what}, in its detail {name},")
    rows = []
    for name in (CASES, OBJECTIVES):
        row = getattr(score, name)
        if not is_list(row):
            raise BadParameter(f"{what}: {name} of a score are a list of numbers, got {brief(row)}")
        rows.append(tuple(number_list(row, f"{what}, in its {name},")))
    return Scored(as_number(score.value, what), detail, *rows)


class Child(NamedTuple, Generic[G]):
    """A genome that has no fitness yet: where it comes from, and its parents' places in their generation."""

    genome: G
    origin: str
    parents: tuple[int, ...] = ()


@dataclass(frozen=True)
class Individual(Generic[G]):
    """A genome with its fitness (more is better) and what was counted on the way (points, games, …).

    `origin` is random, copy, elite, crossover, one-way or mutation, or two of them with a + between.
    """

    genome: G
    fitness: float
    detail: dict[str, float] = field(default_factory=dict)
    origin: str = "random"
    parents: tuple[int, ...] = ()
    size: int = 1
    cases: tuple[float, ...] = ()
    objectives: tuple[float, ...] = ()

    @property
    def score(self) -> Scored:
        """What its fitness found out about it."""
        return Scored(self.fitness, self.detail, self.cases, self.objectives)


@dataclass(frozen=True)
class Generation(Generic[G]):
    """The individuals of one generation, in a fixed order.

    `evaluations` counts the genomes that were scored since the beginning.  `memory` holds genomes that
    a fitness wants to meet again (a hall of fame), `state` numbers of the breeding (a step size; a list of them for
    a covariance).  `others` are populations that live beside this one, by name: parasites, the roles of a team.
    """

    number: int
    individuals: tuple[Individual[G], ...]
    evaluations: int = 0
    memory: tuple[G, ...] = ()
    state: dict[str, Any] = field(default_factory=dict)
    others: "tuple[tuple[str, Generation[Any]], ...]" = ()

    def beside(self, name: str) -> "Generation[Any]":
        """Return a population that lives beside this one. Raises KeyError."""
        return dict(self.others)[name]

    @cached_property
    def best(self) -> Individual[G]:
        """The fittest; the first of equals."""
        return max(self.individuals, key=lambda individual: individual.fitness)

    @cached_property
    def mean(self) -> float:
        """The mean fitness."""
        return math.fsum(individual.fitness for individual in self.individuals) / len(self.individuals)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The individuals' sizes."""
        return tuple(individual.size for individual in self.individuals)

    @cached_property
    def mean_size(self) -> float:
        """The mean size."""
        return sum(self.sizes) / len(self.sizes)

    @cached_property
    def distinct(self) -> int:
        """How many different genomes there are: the plainest measure of diversity."""
        return len({individual.genome for individual in self.individuals})


class Fitness(Protocol[G_in]):
    """Scores a whole generation at once, because coevolution needs all of it.

    What a fitness may say beside `score`, as attributes or methods:

    - `relative = True`: scores depend on who else is there; equal genomes then play games of their own.
    - `lasting = True`: a genome has the same score for ever; copies are not scored again.
    - `compare(a, b)`: positive if individual a is better than b, for `selection="comparator"`.
    - `admit(memory, generation, stream)` and `score_knowing(genomes, memory, generation, stream)`: a
      memory of genomes (a hall of fame); the engine keeps it in the generation, so a resume has it.
    """

    def score(self, genomes: Sequence[G_in], generation: int, stream: Stream) -> Sequence[Score]:
        """Return fitness and details of each genome, as a pair, or a `Scored` where there are cases or objectives."""
        ...


Compare = Callable[[Individual[G], Individual[G]], float]


def write_generation(kind: Representation[G], generation: Generation[G]) -> dict[str, Any]:
    """Return the generation as a JSON value."""
    data = {
        "number": generation.number,
        "evaluations": generation.evaluations,
        "state": dict(generation.state),
        "memory": [kind.write(genome) for genome in generation.memory],
        "individuals": [
            {
                "genome": kind.write(individual.genome),
                "fitness": individual.fitness,
                "detail": detail_of(individual),
                "origin": individual.origin,
                "parents": list(individual.parents),
            }
            for individual in generation.individuals
        ],
    }
    if generation.others:
        kinds = kinds_beside(kind)
        data["others"] = {name: write_generation(kinds[name], other) for name, other in generation.others}
    return data


def detail_of(individual: Individual[Any]) -> dict[str, Any]:
    """Return what is stored of an individual beside its fitness: details, and cases and objectives if there are any."""
    lists = {CASES: list(individual.cases), OBJECTIVES: list(individual.objectives)}
    return {**individual.detail, **{key: values for key, values in lists.items() if values}}


def kinds_beside(kind: Representation[Any]) -> Mapping[str, Representation[Any]]:
    """Return the kinds of the populations that live beside one of this kind, by name; most have none."""
    found: Mapping[str, Representation[Any]] = getattr(kind, "others", {})
    return found


def read_generation(kind: Representation[G], data: Any) -> Generation[G]:
    """Return the generation that `write_generation` wrote; raises BadParameter for anything else."""
    try:
        individuals = tuple(_read_individual(kind, item) for item in data["individuals"])
        memory = tuple(kind.read(item) for item in data["memory"])
        state = {str(key): _numbers(value) for key, value in data["state"].items()}
        kinds = kinds_beside(kind)
        others = tuple((name, read_generation(kinds[name], item)) for name, item in data.get("others", {}).items())
        generation = Generation(int(data["number"]), individuals, int(data["evaluations"]), memory, state, others)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, BadParameter):
            raise
        raise BadParameter(f"this is not a stored generation of {kind.name}: {type(error).__name__} {error}") from None
    if not individuals:
        raise BadParameter(f"this is not a stored generation of {kind.name}: it has no individuals")
    return generation


def _read_individual(kind: Representation[G], item: Any) -> Individual[G]:
    genome = kind.read(item["genome"])
    lists = {key: tuple(map(float, _numbers(item["detail"].get(key, [])))) for key in (CASES, OBJECTIVES)}
    detail = {str(key): _number(value) for key, value in item["detail"].items() if key not in lists}
    parents = tuple(int(parent) for parent in item["parents"])
    fitness, origin = _number(item["fitness"]), str(item["origin"])
    return Individual(genome, fitness, detail, origin, parents, kind.size(genome), lists[CASES], lists[OBJECTIVES])


def _numbers(value: Any) -> Any:
    """Return a number, or a list of numbers, as it is."""
    return [_number(one) for one in value] if isinstance(value, list) else _number(value)


def _number(value: Any) -> float:
    """Return the number as it is: a whole one stays whole, so that it is written again as it was."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadParameter(f"a stored generation holds finite numbers, got {value!r}")
    return value
