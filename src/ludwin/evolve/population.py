"""Individuals and generations: what evolution yields, and all that a resume needs.

Why it is here.  A generation is a value.  It holds what breeding, fitness and step sizes depend on, so
the next one is a function of it, of the plan and of the seed: `write_generation` and
`read_generation` are a complete snapshot.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from ludwin.errors import BadParameter
from ludwin.evolve.kind import Representation
from ludwin.program.stream import Stream

G = TypeVar("G", bound=Hashable)
G_in = TypeVar("G_in", bound=Hashable, contravariant=True)

Score = tuple[float, dict[str, float]]


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


@dataclass(frozen=True)
class Generation(Generic[G]):
    """The individuals of one generation, in a fixed order.

    `evaluations` counts the genomes that were scored since the beginning.  `memory` holds genomes that
    a fitness wants to meet again (a hall of fame), `state` numbers of the breeding (a step size).
    """

    number: int
    individuals: tuple[Individual[G], ...]
    evaluations: int = 0
    memory: tuple[G, ...] = ()
    state: dict[str, float] = field(default_factory=dict)

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

    def score(self, genomes: Sequence[G_in], generation: int, stream: Stream) -> list[Score]:
        """Return fitness and details of each genome."""
        ...


Compare = Callable[[Individual[G], Individual[G]], float]


def write_generation(kind: Representation[G], generation: Generation[G]) -> dict[str, Any]:
    """Return the generation as a JSON value."""
    return {
        "number": generation.number,
        "evaluations": generation.evaluations,
        "state": dict(generation.state),
        "memory": [kind.write(genome) for genome in generation.memory],
        "individuals": [
            {
                "genome": kind.write(individual.genome),
                "fitness": individual.fitness,
                "detail": dict(individual.detail),
                "origin": individual.origin,
                "parents": list(individual.parents),
            }
            for individual in generation.individuals
        ],
    }


def read_generation(kind: Representation[G], data: Any) -> Generation[G]:
    """Return the generation that `write_generation` wrote; raises BadParameter for anything else."""
    try:
        individuals = tuple(_read_individual(kind, item) for item in data["individuals"])
        memory = tuple(kind.read(item) for item in data["memory"])
        state = {str(key): _number(value) for key, value in data["state"].items()}
        generation = Generation(int(data["number"]), individuals, int(data["evaluations"]), memory, state)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, BadParameter):
            raise
        raise BadParameter(f"this is not a stored generation of {kind.name}: {type(error).__name__} {error}") from None
    if not individuals:
        raise BadParameter(f"this is not a stored generation of {kind.name}: it has no individuals")
    return generation


def _read_individual(kind: Representation[G], item: Any) -> Individual[G]:
    genome = kind.read(item["genome"])
    detail = {str(key): _number(value) for key, value in item["detail"].items()}
    parents = tuple(int(parent) for parent in item["parents"])
    return Individual(genome, _number(item["fitness"]), detail, str(item["origin"]), parents, kind.size(genome))


def _number(value: Any) -> float:
    """Return the number as it is: a whole one stays whole, so that it is written again as it was."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadParameter(f"a stored generation holds finite numbers, got {value!r}")
    return value
