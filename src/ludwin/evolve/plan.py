"""The settings of breeding, each with its meaning: one schema for Python, files and the command line.

Why it is here.  A run is repeated from its settings, so they are one frozen value that is examined once.
The fields are declared as those of agents are; `--explain` and `--set key=value` read them.
"""

from dataclasses import dataclass, replace
from typing import Self

from ludwin.errors import BadParameter
from ludwin.evolve.operators import BREEDINGS, REPLACEMENTS, SELECTIONS
from ludwin.settings import declared, known_only, setting

STRATEGIES = ("mu,lambda", "mu+lambda")
TERMS = "terms"  # the breeding of `recipe.py`, which experiments on boards offer
SCHWEFEL = 7  # children per parent of an evolution strategy, where nothing else is said
MANY = 10_000_000  # individuals: more would not fit into memory
NEVER = 1e300  # a fitness that nobody reaches


@dataclass(frozen=True)
class Plan:
    """How a population breeds.

    >>> Plan.parse({"population": "20", "breeding": "gp", "crossover": "0.7"}).crossover
    0.7
    """

    population: int = setting(
        100, "individuals of a generation; the parents (mu) of an evolution strategy", least=1, most=MANY
    )
    generations: int = setting(50, "generations that are bred after the first", least=0)
    breeding: str = setting(
        "ga",
        BREEDINGS.told,
        choices=BREEDINGS,
    )
    selection: str = setting(
        "tournament",
        SELECTIONS.told,
        choices=SELECTIONS,
    )
    tournament: int = setting(
        2, "individuals drawn for a tournament (tournament, comparator, and losers in steady state)", least=1
    )
    pressure: float = setting(
        1.5, "rank: how many children the best may expect, from 1 (none preferred) to 2", least=1, most=2
    )
    elite: int = setting(0, "best individuals that pass unchanged", least=0)
    crossover: float = setting(0.8, "probability of crossover", least=0, most=1)
    mutation: float = setting(
        0.1,
        "probability of mutation; evolution strategies mutate every child. In gp and steady the rest of 1 is copied",
        least=0,
        most=1,
    )
    one_way: str = setting(
        "never",
        "crossover in which the donor stays as it is; fitter: from the fitter to the other, when drawn in this order",
        choices=("never", "fitter", "always"),
    )
    parsimony: float = setting(0.0, "fitness that selection takes off for each unit of size", least=0)
    offspring: int = setting(
        0,
        "children scored at once: lambda (0: seven a parent), or births between replacements in steady state (0: one)",
        least=0,
        most=MANY,
    )
    steps: str = setting(
        "fixed",
        "step size of real genes in evolution strategies; fifth: grows while more than 1/5 of the children improve",
        choices=("fixed", "fifth"),
    )
    recombination: str = setting(
        "pair",
        "parents of a child in evolution strategies; pair: one or two; all: numbers are drawn around the mean of all "
        "parents, with their spread",
        choices=("pair", "all"),
    )
    replacement: str = setting(
        "generational",
        lambda: f"who is there after the births of ga, gp and random; {REPLACEMENTS.told()}",
        choices=REPLACEMENTS,
    )
    smaller: float = setting(
        1.4, "double-tournament: two meet, and the smaller wins with half of this probability", least=1, most=2
    )
    islands: int = setting(1, "populations that breed apart; each has its part of the individuals", least=1, most=1000)
    migrate_every: int = setting(5, "generations between migrations to the next island of the ring", least=1)
    migrants: int = setting(1, "individuals that each island sends to the next one", least=0)
    layers: int = setting(5, "alps: layers by age", least=2, most=50)
    age_gap: int = setting(10, "alps: generations after which the youngest layer begins again", least=1)
    shapes: int = setting(20, "shapes: shapes of programs that are kept alive", least=1)
    step_size: float = setting(0.3, "cma: first step, in parts of each gene's range", least=1e-6, most=1e6)
    stop_at: float = setting(NEVER, "fitness that is good enough to stop")

    def __post_init__(self) -> None:
        for key, one in declared(self).items():
            value = one.examine(getattr(self, key))
            if one.wanted is float:
                object.__setattr__(self, key, float(value))  # 1 and 1.0 are one setting
        if self.breeding in ("gp", "steady") and self.crossover + self.mutation > 1 + 1e-12:
            both = f"{self.crossover:g} and {self.mutation:g}"
            raise BadParameter(
                f"{self.breeding} draws one operator per child, so crossover and mutation are at most 1 together, "
                f"got {both}"
            )
        if self.population % self.islands:
            raise BadParameter(
                f"{self.islands} islands share the population evenly; {self.population} is no multiple of it"
            )
        each = self.population // self.islands
        if self.islands > 1 and self.migrants >= each:
            raise BadParameter(f"an island has {each} individuals, so migrants are below that, got {self.migrants}")
        if self.breeding == "alps" and (each % self.layers or each < 2 * self.layers):
            where = "population" if self.islands == 1 else "population of each island"
            raise BadParameter(
                f"alps: {self.layers} layers need a {where} that is a multiple of {self.layers}, two in each at least, "
                f"got {each}"
            )
        if self.breeding == "map-elites" and self.islands > 1:
            raise BadParameter("map-elites keeps as many as there are niches, so it has no islands")
        if self.elite > self.population:
            raise BadParameter(f"elite must be at most the population of {self.population}, got {self.elite}")
        if self.breeding == "steady" and self.elite == self.population:
            raise BadParameter(
                f"in steady state somebody must leave, so elite is below the population of {self.population}, got "
                f"{self.elite}"
            )
        if self.breeding == "mu,lambda" and self.births < self.population:
            raise BadParameter(
                f"mu,lambda chooses {self.population} of the children, so offspring must be at least that, got "
                f"{self.births}"
            )
        if self.selection == "comparator" and (self.parsimony or self.stop_at != NEVER):
            raise BadParameter("a comparator gives no number: parsimony and stop_at need another selection")

    @property
    def births(self) -> int:
        """Children of one generation."""
        many = self.breeding in (*STRATEGIES, TERMS)
        return (self.offspring or SCHWEFEL * self.population) if many else self.population

    @property
    def baseline(self) -> "Plan":
        """Random search with as many births in each generation."""
        alone = {"islands": 1, "replacement": "generational", "selection": "tournament"}
        return replace(self, breeding="random", population=self.births, elite=0, **alone)  # type: ignore[arg-type]

    @classmethod
    def parse(cls, given: dict[str, str]) -> Self:
        """Make the plan from texts; raises BadParameter for what does not fit."""
        known = declared(cls)
        known_only(given, known, "there is no setting", f" (there are {', '.join(known)})")
        return cls(**{key: known[key].read(text) for key, text in given.items()})
