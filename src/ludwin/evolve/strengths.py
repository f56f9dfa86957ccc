"""How strong the terminals of a language are: alone, disabled, left out of evolution, in pairs, and by their number.

Why it is here.  An evolved player says which of its senses it uses, not which of them it needs.  Chapter 5 of *Evolved
to Win* asks in three ways.  *Alone*: the whole program is that terminal.  *Disabled*: the champion plays on, the
terminal says nothing any more; what is lost is what it was worth to this champion.  *Left out*: players evolve without
it; what they lack is what the others could not replace.  Their mean is the terminal's strength.  Nothing of this
knows the game: whatever has programs and a measure can be asked.

How.  What a language cannot say (a number that is nought, the opposite of a terminal, a truth as a number) is
added to it for the players that are measured here, and takes no part in evolution.

References.  M. Sipper, *Evolved to Win* (2011), section 5.3.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import Any

from ludwin.errors import BadParameter
from ludwin.evolve.engine import evolve
from ludwin.evolve.experiment import Measure, plan
from ludwin.evolve.plan import TERMS, Plan
from ludwin.evolve.run import ABLATION, Run
from ludwin.evolve.trees import Genome, Trees
from ludwin.measure import MORE
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree, join, leaf

WAYS = ("alone", "disabled", "left-out", "pairs", "counts")
EVOLVED = WAYS[2:]  # those for which players evolve
BESTS = 3  # of a last generation that are measured, and the best of them counts
SMALL = {"population": 30, "generations": 20}  # of the runs that are made here, at most
PAIRED = 5  # strongest terminals that are tried in pairs
STEP = 5  # terminals between two sizes
Scorer = Callable[[Genome], Measure]


@lru_cache(maxsize=64)
def widened(language: Language) -> Language:
    """Return a language with what measuring needs: nought of each type, the opposite of a value, truths as numbers."""
    more = [Primitive(_free(language, f"Nought{word}"), word, rule="0.0") for word in language.types]
    more.append(Primitive(_free(language, "Opposite"), language.root, (language.root,), "-a"))
    others = [word for word in language.types if not language.fits(word, language.root)]
    rule = {word: "1.0 if a else 0.0" if language.is_truth(word) else "a + 0.0" for word in others}
    more += [Primitive(_free(language, f"From{word}"), language.root, (word,), rule[word]) for word in others]
    return Language(language.name, language.types, (*language.primitives, *more), language.root, language.sets)


def _free(language: Language, name: str) -> str:
    while name in language.number:
        name += "_"
    return name


def terminals(language: Language) -> list[str]:
    """Return the names of all that programs of a language read."""
    return [one.name for one in language.primitives if one.reads]


def spoken(tree: Tree, language: Language) -> Tree:
    """Return a program in a language that has all its words, by name."""
    nodes = tuple(language.find(tree.primitive(at).name) for at in range(len(tree)))
    return Tree(language, nodes, tree.values, tree.places, tree.factors)


def alone(language: Language, name: str, opposite: bool = False) -> Tree:
    """Return the program that is one terminal, or its opposite."""
    wide = widened(language)
    made, word = leaf(wide, name), wide.primitives[wide.find(name)].returns
    if not wide.fits(word, wide.root):
        made = join(wide, _free(language, f"From{wide.atoms(word)[0]}"), made)
    return join(wide, _free(language, "Opposite"), made) if opposite else made


def disabled(genome: Genome, name: str) -> Genome:
    """Return an individual whose terminal says nought, wherever it stands."""
    found = []
    for tree in genome:
        wide = widened(tree.language)
        rest = spoken(tree, wide)
        for at in range(len(rest)):
            if rest.primitive(at).name == name:
                nought = _free(tree.language, f"Nought{wide.atoms(rest.wanted[at])[0]}")
                rest = rest.change(at, node=wide.find(nought), value=0.0, place=0)
        found.append(rest)
    return tuple(found)


def uses(genome: Genome, name: str) -> int:
    """Return how often the live part of an individual reads a terminal."""
    return sum(tree.primitive(at).name == name for tree in genome for at in tree.live)


def restricted(kind: Trees, names: Sequence[str]) -> Trees:
    """Return the kind whose programs read only these terminals. Raises BadParameter if a language then says nothing."""
    return kind.reading(names)


def evolved(kind: Trees, fitness: Any, breeding: Plan, seed: int, score: Scorer) -> tuple[Genome, Measure]:
    """Return the best of a small run: who scores best among the fittest of its last generation."""
    for generation in evolve(kind, fitness, breeding, seed):
        last = generation
    fittest = sorted(last.individuals, key=lambda one: -one.fitness)[:BESTS]
    genomes = list(dict.fromkeys(one.genome for one in fittest))
    measures = [score(genome) for genome in genomes]
    best = max(range(len(genomes)), key=lambda k: measures[k].merit)
    return genomes[best], measures[best]


def small(breeding: Plan) -> Plan:
    """Return a plan cut down to the size of a trial."""
    each, least = 1, 1 if breeding.islands == 1 else breeding.migrants + 1  # of an island
    if breeding.breeding == "alps":
        each, least = breeding.layers, max(least, 2 * breeding.layers)
    unit = each * breeding.islands
    many = max(SMALL["population"] // unit * unit, -(-least // each) * unit)
    population = min(breeding.population, many)
    way = "gp" if breeding.breeding == TERMS else breeding.breeding
    return replace(
        breeding,
        population=population,
        generations=min(breeding.generations, SMALL["generations"]),
        breeding=way,
        elite=min(breeding.elite, population - 1),
    )


@dataclass(frozen=True)
class Strength:
    """What is known of a terminal; losses are what the score falls by."""

    terminal: str
    uses: int
    alone: Measure | None = None
    opposite: Measure | None = None
    disabled: float | None = None
    left_out: float | None = None

    @property
    def strength(self) -> float | None:
        """The mean of what was measured, None if nothing was; of a terminal and its opposite the better one."""
        single = [one.value for one in (self.alone, self.opposite) if one is not None and one.direction == "more"]
        parts = [*([max(single)] if single else []), *(x for x in (self.disabled, self.left_out) if x is not None)]
        return fmean(parts) if parts else None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "terminal": self.terminal,
            "uses": self.uses,
            "alone": self.alone.told() if self.alone else None,
            "opposite": self.opposite.told() if self.opposite else None,
            "disabled": self.disabled,
            "left_out": self.left_out,
            "strength": self.strength,
        }


@dataclass(frozen=True)
class Study:
    """A champion whose terminals are measured, in the same games for all."""

    run: Run
    genome: Genome
    games: int
    seed: int = 0
    runs: int = 2
    workers: int = 1
    news: Callable[[str], None] = lambda words: None

    @property
    def kind(self) -> Trees:
        """The kind of its genomes. Raises BadParameter if they are no programs."""
        kind = self.run.experiment.kind(self.run.settings)
        if not isinstance(kind, Trees):
            raise BadParameter(
                f"--strengths measures terminals of programs; champions of {self.run.experiment.name} are none"
            )
        return kind

    def score(self, genome: Genome) -> Measure:
        """Return how an individual does against the yardstick, always in the same games."""
        opponent = self.run.experiment.opponents(self.run.settings)[0]
        return self.run.measure(genome, opponent, self.games, self.run.seed_for(ABLATION, self.seed), self.workers)

    def names(self) -> list[str]:
        """Return the terminals that programs of this kind may read."""
        return self.kind.readable()

    def trial(self, names: Sequence[str]) -> float:
        """Return the mean score of the best of small runs with these terminals only."""
        settings = self.run.settings
        kind, breeding = restricted(self.kind, names), small(plan(settings))
        fitness = self.run.experiment.fitness(settings, self.workers)
        seeds = [self.run.seed_for(ABLATION, self.seed, k) for k in range(self.runs)]
        return fmean(evolved(kind, fitness, breeding, seed, self.score)[1].merit for seed in seeds)

    def strength(self, name: str, whole: Measure, ways: Sequence[str], reference: float) -> Strength:
        """Measure one terminal."""
        self.news(f"{name}: {', '.join(way for way in ways if way in WAYS[:3])}")
        single, other, loss, lack = None, None, None, None
        if "alone" in ways and not any(_has_places(language, name) for _, language in self.kind.roles):
            single, other = (
                self.score(tuple(alone(language, name, opposite) for _, language in self.kind.roles))
                for opposite in (False, True)
            )
        if "disabled" in ways:
            used = uses(self.genome, name)
            loss = whole.merit - self.score(disabled(self.genome, name)).merit if used else 0.0
        if "left-out" in ways:
            lack = reference - self.trial([one for one in self.names() if one != name])
        return Strength(name, uses(self.genome, name), single, other, loss, lack)

    def measured(self, ways: Sequence[str]) -> dict[str, Any]:
        """Measure what is asked for. Raises BadParameter for what is not there to be asked."""
        unknown = [way for way in ways if way not in WAYS]
        if unknown:
            raise BadParameter(f"--strengths measures {', '.join(WAYS)}, not {unknown[0]!r}")
        whole, names = self.score(self.genome), self.names()
        if not names:
            raise BadParameter(f"programs of {self.run.experiment.name} read nothing, so nothing can be measured")
        reference = self.trial(names) if "left-out" in ways else 0.0
        rows = [self.strength(name, whole, ways, reference) for name in names]
        rows.sort(key=lambda one: -(one.strength if one.strength is not None else 0.0))
        data: dict[str, Any] = {"whole": whole.told(), "terminals": [one.as_json() for one in rows]}
        if "pairs" in ways:
            top = [one.terminal for one in rows[:PAIRED]]
            data["pairs"] = [
                {"first": a, "second": b, "score": self._told(f"{a} and {b}", (a, b), whole.direction)}
                for a, b in combinations(top, 2)
            ]
        if "counts" in ways:
            order = Stream(self.run.seed_for(ABLATION, self.seed, -1)).shuffled(names)
            sizes = sorted({*range(1, len(order), STEP), len(order)})
            data["counts"] = [
                {"terminals": n, "score": self._told(f"{n} terminals, drawn by lot", order[:n], whole.direction)}
                for n in sizes
            ]
        return data

    def _told(self, label: str, names: Sequence[str], direction: str) -> float:
        """Return the mean of small runs as their measure tells it."""
        self.news(f"{label}: {self.runs} small run{'s' * (self.runs > 1)}")
        found = self.trial(names)
        return found if direction == MORE else -found


def _has_places(language: Language, name: str) -> bool:
    return name in language.number and bool(language.primitives[language.number[name]].places)
