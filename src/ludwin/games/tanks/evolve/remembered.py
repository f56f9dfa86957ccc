"""Breeding with points that are remembered: survivors go on fighting beside their children.

The idea.  A few rounds flatter, and the best of a generation are the lucky ones.  So a robot's points are added up as
long as it lives: in every generation the survivors fight once more, on the same seeds as the children.  A child that
has had a few battles is judged by them and by what children have in the mean: its fitness is its mean F~ together
with PRIOR measurements of an average child, so nobody stays at the top by luck.  The better quarter of the children
fights on, as in a race.  The best robots of both stay, but only some of one shape (robots that differ in their
numbers alone), so that tuning numbers does not crowd out other programs.

Layers.  A robot that drives in circles wins much, and its gun is carried round with it, so that aiming does not pay:
a trap, out of which no small step leads.  So robots may learn to shoot before they drive: before generation `still`
they stand, meet the robots of `school`, and only the gun's program is bred and counts (a child that is somebody's
copy is mutated wherever chance says); in that generation as many robots as there were at first are born with a gun of
theirs and new random programs for driving, and from then on everything varies and counts.

Random search has the same frame: as many random robots in the place of children, the same races, the same memory and
as many battles in every generation (its robots never stand: while others go to a school that is larger than the list
of adversaries, they fight those so much more often).

References.  T. Bartz-Beielstein et al., "Sequential parameter optimization", CEC 2005 (candidates that stay are
measured on).  O. Maron, A. W. Moore, "Hoeffding races", NIPS 6 (1993) (few measurements for all, many for the best).
P. Stone, M. Veloso, "Layered learning", ECML 2000.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ludwin.errors import BadParameter
from ludwin.evolve.experiment import Settings
from ludwin.evolve.plan import NEVER, Plan
from ludwin.evolve.population import Child, Generation, Individual
from ludwin.evolve.selection import Candidates, Choose, by_worth, chooser, worths
from ludwin.evolve.trees import Genome, Trees
from ludwin.games.tanks.evolve.battles import Battles, mean
from ludwin.games.tanks.language import ROLES
from ludwin.games.tanks.opponents.haiku import Haiku
from ludwin.program.stream import Stream
from ludwin.program.tree import leaf
from ludwin.program.vary import Limits
from ludwin.search.choice import Agent

QUARTER = 4  # of those who race one stays
PRIOR = 3.0  # measurements of an average child that a robot's own are added to
AGAIN = 0.3  # the probability that a child that was mutated is mutated once more
BEGIN, FIGHT, BEAR = range(3)  # purposes of streams
MEASURED, POINTS = "measurements", "score"
MUTATIONS = (
    ("subtree", 0.2), ("insert", 0.15), ("term", 0.15), ("shrink", 0.1), ("hoist", 0.05), ("point", 0.1),
    ("constant", 0.1), ("local", 0.15))  # fmt: skip
REFUSED = {"reselect": "never", "phase_two": 0, "islands": 1}  # settings that need scores of one generation
UNUSED = {  # settings of other searches, as they must stand: none is taken and then ignored
    "breeding": "ga", "elite": 0, "one_way": "never", "replacement": "generational", "growth": False, "stagnation": 0,
    "stop_at": NEVER}  # fmt: skip
NOT_BY_POINTS = ("comparator", "lexicase", "epsilon-lexicase", "crowded")  # need comparisons, cases or objectives


GUN = ROLES.index("gun")


def standing(genome: Genome) -> Genome:
    """Return the robot that stands and shoots as this one does."""
    return (*(leaf(tree.language, "Zero") for tree in genome[:GUN]), *genome[GUN:])


def demand_remembering(settings: Settings) -> None:
    """Raise BadParameter for settings that do not go with remembered points."""
    for key, value in REFUSED.items():
        if settings[key] != value:
            raise BadParameter(f"search=remembered adds up points over generations, so {key} must be {value}")
    wrong = [key for key, value in UNUSED.items() if settings[key] != value]
    if wrong:
        way_out = " ".join(f"{key}={str(UNUSED[key]).lower()}" for key in wrong)
        raise BadParameter(f"search=remembered breeds in its own way, without {', '.join(wrong)}: set {way_out}")
    if settings["selection"] in NOT_BY_POINTS:
        raise BadParameter(
            f"search=remembered knows robots by their points alone, so selection={settings['selection']} does not "
            "go with it"
        )
    first, population = settings["first"], settings["population"]
    if first < population:
        raise BadParameter(
            f"first must be at least the population of {population}, which is chosen from them, got {first}"
        )
    still, generations = settings["still"], settings["generations"]
    if still > generations:
        raise BadParameter(
            f"still must be at most the {generations} generations, or no robot ever learns to drive, got {still}"
        )


def small_limits(settings: Settings) -> Limits:
    """Return how large the programs may become, and how they vary: in small steps."""
    return Limits(depth=settings["max_depth"], size=settings["max_size"], inner=0.7, new_depth=3, step=0.2)


@dataclass
class Contender:
    """A robot with all that is known of it: the sums of F~ and of its own points, and how often it was measured."""

    child: Child[Genome]
    total: float = 0.0
    points: float = 0.0
    measured: float = 0.0
    fitness: float = 0.0

    @classmethod
    def of(cls, place: int, one: Individual[Genome]) -> "Contender":
        """Return a survivor, as its generation tells of it."""
        count = one.detail[MEASURED]
        child = Child(one.genome, "elite", (place,))
        return cls(child, one.detail["total"], one.detail[POINTS] * count, count)

    def individual(self, kind: Trees) -> Individual[Genome]:
        """Return it as one of a generation."""
        detail = {MEASURED: self.measured, "total": self.total, POINTS: self.points / self.measured}
        genome, origin, parents = self.child
        return Individual(genome, self.fitness, detail, origin, parents, kind.size(genome))


@dataclass(frozen=True)
class Remembering:
    """What stays the same from generation to generation; `random` bears random robots only."""

    kind: Trees
    battles: Battles
    adversaries: Sequence[Agent]
    school: Sequence[Agent]
    settings: Settings
    plan: Plan
    seed: int
    random: bool

    def stands(self, number: int) -> bool:
        """Tell whether robots stand in a generation."""
        return not self.random and number < self.settings["still"]

    def after(self, before: Generation[Genome] | None) -> Generation[Genome]:
        """Return the generation that follows, or the first."""
        number = 0 if before is None else before.number + 1
        stream = Stream(self.seed, number)
        old = [] if before is None else [Contender.of(k, one) for k, one in enumerate(before.individuals)]
        children = [Contender(child) for child in self.born(before, stream.split(BEAR))]
        if not self.random and number > 0 and number == self.settings["still"]:  # points of those who stood are gone
            old = [Contender(one.child) for one in old]
        self.race(old, children, stream.split(FIGHT), number)
        people = tuple(
            one.individual(self.kind) for one in self.survivors([*old, *children], GUN if self.stands(number) else 0)
        )
        return Generation(number, people, (0 if before is None else before.evaluations) + len(children))

    def born(self, before: Generation[Genome] | None, stream: Stream) -> list[Child[Genome]]:
        """Return the children: nobody who is there already, as far as chance allows."""
        if before is None:
            begun = self.kind.begin(self.settings["first"], stream.split(BEGIN))
            return [Child(genome, "random") for genome in begun]
        people, number = before.individuals, before.number + 1
        worth = worths(people, self.plan.parsimony)
        choose = chooser(Candidates(self.plan, people, worth, by_worth(worth)))
        known = {one.genome for one in people}
        children: list[Child[Genome]] = []
        count = self.settings["first"] if number == self.settings["still"] else self.plan.offspring or len(people)
        for k in range(count):
            chance = stream.split(k)
            if self.random:
                child = Child(self.kind.make(chance), "random")
            elif number == self.settings["still"]:
                parent = choose(chance)
                child = Child((*self.kind.make(chance)[:GUN], *people[parent].genome[GUN:]), "random drive", (parent,))
            else:
                child = self.child(people, choose, chance, GUN if self.stands(number) else 0)
            while child.genome in known and chance.chance(0.9):
                child = child._replace(genome=self.kind.mutate(child.genome, chance))
            known.add(child.genome)
            children.append(child)
        return children

    def child(self, people: Sequence[Individual[Genome]], choose: Choose, chance: Stream, role: int) -> Child[Genome]:
        """Return one that is crossed, mutated, or both, in its programs from a role on."""
        kind = replace(self.kind, roles=self.kind.roles[role:])
        parents = (choose(chance),)
        genome, origin = people[parents[0]].genome[role:], "copy"
        if chance.chance(self.plan.crossover):
            parents = (*parents, choose(chance))
            genome, origin = kind.cross(genome, people[parents[1]].genome[role:], chance)[0], "crossover"
        more = chance.chance(self.plan.mutation)
        if more:
            origin = "mutation" if origin == "copy" else "crossover+mutation"
        while more:
            genome, more = kind.mutate(genome, chance), chance.chance(AGAIN)
        return Child((*people[parents[0]].genome[:role], *genome), origin, parents)

    def often(self, number: int) -> int:
        """Return how often random search fights where others fight once, so that it has as many battles."""
        if not self.random or number >= self.settings["still"]:
            return 1
        return max(1, round(len(self.school) / len(self.adversaries)))

    def race(self, old: Sequence[Contender], children: Sequence[Contender], stream: Stream, number: int) -> None:
        """Let everybody fight, and the better quarter of the children on."""
        stands, often = self.stands(number), self.often(number)
        self.fight([*old, *children], stream.split(0), often, stands=stands)
        average = mean([one.total / one.measured for one in children])
        going = list(children)
        for stage in range(1, self.settings["race"] + 1):
            self.judge(going, average)
            going = sorted(going, key=lambda one: -one.fitness)[: max(1, len(going) // QUARTER)]
            self.fight(going, stream.split(stage), often * 2**stage, stands=stands)
        self.judge([*old, *children], average)

    def judge(self, contenders: Sequence[Contender], average: float) -> None:
        """Give everybody the F~ that is to be expected after what was seen."""
        for one in contenders:
            one.fitness = (one.total + PRIOR * average) / (one.measured + PRIOR)

    def fight(self, contenders: Sequence[Contender], stream: Stream, times: int, *, stands: bool) -> None:
        """Let robots fight each adversary so many times, all on the same seeds."""
        genomes = [standing(one.child.genome) if stands else one.child.genome for one in contenders]
        adversaries = self.school if stands else self.adversaries
        players, share = [Haiku(genome) for genome in genomes], 1.0 / len(adversaries)
        for number, adversary in enumerate(adversaries):
            chance = stream.split(number)
            seeds = [chance.below(2**31) for _ in range(times)]
            for one, fights in zip(contenders, self.battles.fight_all(players, adversary, seeds), strict=True):
                one.total += share * sum(fought.fitness for fought in fights)
                one.points += share * sum(fought.mine for fought in fights)
        for one in contenders:
            one.measured += times

    def survivors(self, contenders: Sequence[Contender], role: int) -> list[Contender]:
        """Return the best, best first, and not too many of one shape from a role on unless there are too few others."""
        shapes: Counter[Any] = Counter()
        stay, wait = [], []
        for one in sorted(contenders, key=lambda one: -one.fitness):
            shape = self.kind.shape(one.child.genome[role:])
            shapes[shape] += 1
            (stay if shapes[shape] <= self.settings["same_shape"] else wait).append(one)
        return [*stay, *wait][: self.plan.population]


def remembered(run: Remembering, start: Generation[Any] | None) -> Iterator[Generation[Any]]:
    """Yield the generations of a run, or those after `start`."""
    now = start
    while now is None or now.number < run.plan.generations:
        now = run.after(now)
        yield now
