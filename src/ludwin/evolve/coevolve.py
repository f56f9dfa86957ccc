"""Coevolution: fitness that comes from meeting each other.

Why it is here.  A fixed opponent teaches itself, not the game; peers grow with the player.  Here are the
pairings, which are plain functions of a stream, the fitness schemes made of them, and the coevolution
of two populations in which one sets problems to the other.

Games are played by whoever knows the game: `play(pairs, stream)` gets (first, second) pairs of genomes
and returns both players' points for each.  All games of a generation come in one call, except those
of a knockout, which come round by round.

References.  M. Sipper, Evolved to Win (2011), algorithm 3.2 (balanced seats) and chapters 4 (random two
ways), 7 (single elimination) and 11 (two populations).  W. D. Hillis, "Co-evolving parasites improve
simulated evolution as an optimization procedure", Physica D 42 (1990), 228-234.  C. D. Rosin,
R. K. Belew, "New methods for competitive coevolution", Evolutionary Computation 5 (1997), 1-29.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import as_number, called, is_list
from ludwin.evolve.breeding import breed
from ludwin.evolve.kind import Representation
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Child, Fitness, Generation, Individual, Score, scored
from ludwin.program.stream import Stream
from ludwin.settings import Setting, within

G = TypeVar("G", bound=Hashable)
S = TypeVar("S", bound=Hashable)
P = TypeVar("P", bound=Hashable)

Pair = tuple[int, int]
Points = Sequence[tuple[float, float]]
Play = Callable[[Sequence[tuple[G, G]], Stream], Points]
Meet = Callable[[Sequence[tuple[S, P]], Stream], Points]

PAIR, PLAY, LOTS, INNER, SOLVERS, PROBLEMS, MEET = range(7)  # purposes of streams
NO_NUMBER = ("comparator", "lexicase", "epsilon-lexicase", "crowded")  # selections that points do not serve
EXTRA_GAMES = 10  # of a drawn match, before a lot is drawn: two programs without chance would draw for ever


def demand_two(n: int) -> None:
    """Raise BadParameter unless there is somebody to play against."""
    if n < 2:
        raise BadParameter(f"nobody can play against itself: a population of at least 2 is needed, got {n}")


def demand_power_of_two(n: int) -> None:
    """Raise BadParameter unless a knockout comes out even."""
    if n < 2 or n & (n - 1):
        raise BadParameter(f"single elimination needs a population that is a power of two, got {n}")


def derangement(n: int, stream: Stream) -> list[int]:
    """Return a random order of 0 … n-1 that leaves nobody in place, all such orders equally likely.

    Orders are drawn until one will do: 2.7 on average, since 1/e of all orders are derangements.
    """
    demand_two(n)
    while True:
        order = stream.shuffled(range(n))
        if all(i != j for i, j in enumerate(order)):
            return order


def balanced_pairs(n: int, rounds: int, stream: Stream) -> list[Pair]:
    """Return games (first, second) in which everybody is first exactly `rounds` times, and second as often."""
    return [
        (first, second) for number in range(rounds) for first, second in enumerate(derangement(n, stream.split(number)))
    ]


def two_ways(n: int, opponents: int, games: int, stream: Stream) -> list[Pair]:
    """Return games in which everybody meets `opponents` random others, `games` games each, seats alternating.

    Both players of a game are credited.  If n and `opponents` are odd, one of them meets one more.
    """
    demand_two(n)
    queue: list[int] = []
    for _ in range(opponents):
        order = stream.shuffled(range(n))
        if len(queue) % 2 and queue[-1] == order[0]:
            order[0], order[1] = order[1], order[0]  # whoever was left over must not meet itself
        queue += order
    if len(queue) % 2:
        other = stream.below(n - 1)
        queue.append(other + (other >= queue[-1]))
    meetings = zip(queue[::2], queue[1::2], strict=True)
    return [(a, b) if k % 2 == 0 else (b, a) for a, b in meetings for k in range(games)]


@dataclass(frozen=True)
class Bracket:
    """How a single-elimination tournament went."""

    fitness: tuple[float, ...]
    matches: int
    games: int
    champion: int


def single_elimination(n: int, games: int, play: Callable[[Sequence[Pair], Stream], Points], stream: Stream) -> Bracket:
    """Play a knockout of n, a power of two: losers of the first round get 1/n, of the next 2/n, … the champion 1.

    A match has so many games with seats alternating; more points win it.  Equal points are followed by
    single games until they differ, and after some of these by a lot.
    """
    demand_power_of_two(n)
    fitness, left = [1.0] * n, stream.split(PAIR).shuffled(range(n))
    matches, played, number = 0, 0, 0
    while len(left) > 1:
        pairs = list(zip(left[::2], left[1::2], strict=True))
        margins, cost = _margins(pairs, games, play, stream.split(PLAY, number))
        lots = stream.split(LOTS, number)
        winners = []
        for (a, b), margin in zip(pairs, margins, strict=True):
            first = margin > 0 if margin else lots.chance(0.5)
            winners.append(a if first else b)
            fitness[b if first else a] = 1 / len(left)
        matches, played, number, left = matches + len(pairs), played + cost, number + 1, winners
    return Bracket(tuple(fitness), matches, played, left[0])


def _margins(
    pairs: Sequence[Pair], games: int, play: Callable[[Sequence[Pair], Stream], Points], stream: Stream
) -> tuple[list[float], int]:
    """Return by how many points the first of each pair won, and how many games that took."""
    margins, played = [0.0] * len(pairs), 0
    for extra in range(1 + EXTRA_GAMES):
        open_ones = [k for k, margin in enumerate(margins) if margin == 0]
        count = 1 if extra else games
        seats = [(k, (extra + game) % 2) for k in open_ones for game in range(count)]
        if not seats:
            break
        points = play([pairs[k] if turn == 0 else pairs[k][::-1] for k, turn in seats], stream.split(extra))
        for (k, turn), (first, second) in zip(seats, points, strict=True):
            margins[k] += (first - second) * (1 - 2 * turn)
        played += len(seats)
    return margins, played


def credit(n: int, pairs: Sequence[Pair], points: Points) -> list[Score]:
    """Return mean points per game of each, with points and games as details; whoever did not play has 0."""
    totals, games = [0.0] * n, [0] * n
    for (a, b), (first, second) in zip(pairs, points, strict=True):
        totals[a] += first
        totals[b] += second
        games[a] += 1
        games[b] += 1
    return [
        (total / max(1, count), {"points": total, "games": float(count)})
        for total, count in zip(totals, games, strict=True)
    ]


def _of(genomes: Sequence[G], pairs: Sequence[Pair]) -> list[tuple[G, G]]:
    return [(genomes[a], genomes[b]) for a, b in pairs]


def _whole(who: object, **least: int) -> None:
    """Raise BadParameter for fields that are no whole numbers, or below their least."""
    for name, low in least.items():
        Setting(f"{type(who).__name__}: {name}", low, "", least=low).examine(getattr(who, name))


def played(who: object, play: Callable[..., Points], games: Sequence[tuple[Any, Any]], stream: Stream) -> Points:
    """Return the points of games, of both sides. Raises BadParameter for what a user's function answers else."""
    if str(getattr(play, "__module__", "")).partition(".")[0] == __name__.partition(".")[0]:
        return play(games, stream)  # what ours raise is no mistake of the user's
    what = f"{type(who).__name__}: {getattr(play, '__name__', 'play')}"
    found = called(what, play, games, stream)
    if not is_list(found) or len(found) != len(games):
        raise BadParameter(f"{what} was asked about {len(games)} games and returned {brief(found)}")
    for one in found:
        if not is_list(one) or len(one) != 2:
            raise BadParameter(f"{what} returned {brief(one)}, the points of both were wanted")
    return [(as_number(a, what), as_number(b, what)) for a, b in found]


@dataclass(frozen=True)
class CoPlay(Generic[G]):
    """Everybody plays `rounds` games as first and as many as second, against random peers (algorithm 3.2)."""

    play: Play[G]
    rounds: int = 1
    relative: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _whole(self, rounds=1)

    def score(self, genomes: Sequence[G], generation: int, stream: Stream) -> list[Score]:
        """Return mean points per game."""
        pairs = balanced_pairs(len(genomes), self.rounds, stream.split(PAIR))
        return credit(len(genomes), pairs, played(self, self.play, _of(genomes, pairs), stream.split(PLAY)))


@dataclass(frozen=True)
class RandomTwoWays(Generic[G]):
    """Everybody meets some random peers for some games; both sides of a game are credited."""

    play: Play[G]
    opponents: int = 5
    games: int = 4
    relative: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _whole(self, opponents=1, games=1)

    def score(self, genomes: Sequence[G], generation: int, stream: Stream) -> list[Score]:
        """Return mean points per game."""
        pairs = two_ways(len(genomes), self.opponents, self.games, stream.split(PAIR))
        return credit(len(genomes), pairs, played(self, self.play, _of(genomes, pairs), stream.split(PLAY)))


@dataclass(frozen=True)
class Knockout(Generic[G]):
    """A single-elimination tournament; the champion has fitness 1, the losers of the first round 1/n."""

    play: Play[G]
    games: int = 50
    relative: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _whole(self, games=1)

    def score(self, genomes: Sequence[G], generation: int, stream: Stream) -> list[Score]:
        """Return how far each came."""

        def play(pairs: Sequence[Pair], chance: Stream) -> Points:
            return played(self, self.play, _of(genomes, pairs), chance)

        bracket = single_elimination(len(genomes), self.games, play, stream)
        return [(fitness, {}) for fitness in bracket.fitness]


@dataclass(frozen=True)
class HallOfFame(Generic[G]):
    """Another fitness, and games against the best of earlier generations, so that old lessons are not forgotten.

    The best of each generation enters; of more than `members` the oldest leaves.  Everybody plays `games` pairs of
    games, one in each seat, against members drawn for it; their mean points have the weight `weight`
    in the fitness.  The hall is the memory of the engine's generations.
    """

    inner: Fitness[G]
    play: Play[G]
    games: int = 5
    members: int = 50
    weight: float = 0.5
    relative: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _whole(self, games=0, members=1)
        within("HallOfFame: weight", self.weight, 0.0, 1.0)

    def score(self, genomes: Sequence[G], generation: int, stream: Stream) -> Sequence[Score]:
        """Score with an empty hall."""
        return self.score_knowing(genomes, (), generation, stream)

    def score_knowing(
        self, genomes: Sequence[G], memory: Sequence[G], generation: int, stream: Stream
    ) -> Sequence[Score]:
        """Return the mixture; while the hall is empty, the other fitness alone."""
        inner = self.inner.score(genomes, generation, stream.split(INNER))
        if not memory or not self.games:
            return inner
        draws, games = stream.split(PAIR), list[tuple[G, G]]()
        for genome in genomes:
            for _ in range(self.games):
                member = draws.pick(memory)
                games += [(genome, member), (member, genome)]
        points = played(self, self.play, games, stream.split(PLAY))
        mixed: list[Score] = []
        for k, (fitness, detail) in enumerate((one.value, one.detail) for one in map(scored, inner)):
            own = [
                pair[number % 2] for number, pair in enumerate(points[2 * self.games * k : 2 * self.games * (k + 1)])
            ]
            share = sum(own) / len(own)
            mixed.append(((1 - self.weight) * fitness + self.weight * share, {**detail, "hall": share}))
        return mixed

    def admit(self, memory: Sequence[G], generation: Generation[G], stream: Stream) -> tuple[G, ...]:
        """Return the hall with the generation's best in it."""
        return hall(memory, generation.best.genome, self.members)


def hall(memory: Sequence[G], best: G, members: int) -> tuple[G, ...]:
    """Return the hall of fame with a new member: the one and only rule for who is in it.

    Whoever wins again becomes the newest; of more than `members` the oldest leaves.

    >>> hall(("a", "b", "c"), "a", 3), hall(("a", "b", "c"), "d", 3)
    (('b', 'c', 'a'), ('b', 'c', 'd'))
    """
    return tuple([*(genome for genome in memory if genome != best), best][-members:])


def demand_generational(who: str, plan: Plan) -> None:
    """Raise BadParameter for a replacement by which old scores would stand beside those of other meetings."""
    if plan.replacement != "generational":
        raise BadParameter(
            f"{who} are scored anew in every generation, with others: replacement=generational, got {plan.replacement}"
        )


@dataclass(frozen=True)
class Arms(Generic[S, P]):
    """Two populations at one time; `number` counts the solvers' generations, problems have their own count."""

    number: int
    solvers: Generation[S]
    problems: Generation[P]


@dataclass(frozen=True)
class TwoPopulations(Generic[S, P]):
    """Solvers against problems, as Hillis did: each population is the other's environment.

    `meet(pairs, stream)` gets (solver, problem) pairs and returns the points of both.  A solver's
    fitness is its mean over `meetings` problems of this generation; those come next that were met least,
    so all are met before one is met twice.  A problem's fitness is its mean over all solvers that
    met it since it was bred; unmet, it has that of its parent.  Problems breed every `every` generations of solvers.
    """

    solvers: Representation[S]
    problems: Representation[P]
    meet: Meet[S, P]
    solver_plan: Plan
    problem_plan: Plan
    every: int = 5
    meetings: int = 2

    def __post_init__(self) -> None:
        for plan in (self.solver_plan, self.problem_plan):
            if plan.breeding not in ("ga", "gp", "random") or plan.selection in NO_NUMBER:
                raise BadParameter(
                    f"two populations breed by ga, gp or random and select by number, got {plan.breeding} and "
                    f"{plan.selection}"
                )
            demand_generational("two populations", plan)
            if plan.islands > 1:
                raise BadParameter(f"two populations have no islands, got islands={plan.islands}")
        for name in ("every", "meetings"):
            within(name, getattr(self, name), least=1)
        if self.meetings > self.problem_plan.population:
            raise BadParameter(
                f"meetings must be at most the {self.problem_plan.population} problems there are, got {self.meetings}"
            )

    def run(self, seed: int, *, start: Arms[S, P] | None = None) -> Iterator[Arms[S, P]]:
        """Yield the populations, once per generation of solvers, up to the solvers' plan's last generation.

        With `start` it goes on after it; a pure function of settings, seed and start.
        """
        if start is None:
            solvers = [
                Child(genome, "random")
                for genome in self.solvers.begin(self.solver_plan.population, Stream(seed, SOLVERS))
            ]
            problems = [
                Individual(genome, 0.0)
                for genome in self.problems.begin(self.problem_plan.population, Stream(seed, PROBLEMS))
            ]
            start = self._met(-1, solvers, 0, Generation(0, tuple(problems)), seed)
            yield start
        while start.number < self.solver_plan.generations and start.solvers.best.fitness < self.solver_plan.stop_at:
            start = self._after(start, seed)
            yield start

    def _after(self, arms: Arms[S, P], seed: int) -> Arms[S, P]:
        number = arms.number + 1
        children = breed(self.solvers, self.solver_plan, arms.solvers, None, Stream(seed, SOLVERS, number))
        problems = arms.problems
        if number % self.every == 0:
            bred = breed(self.problems, self.problem_plan, problems, None, Stream(seed, PROBLEMS, number))
            heirs = [
                Individual(
                    child.genome,
                    problems.individuals[child.parents[0]].fitness if child.parents else 0.0,
                    {},
                    child.origin,
                    child.parents,
                )
                for child in bred
            ]
            problems = replace(problems, number=problems.number + 1, individuals=tuple(heirs))
        return self._met(arms.number, children, arms.solvers.evaluations, problems, seed)

    def _met(
        self, before: int, children: Sequence[Child[S]], evaluations: int, problems: Generation[P], seed: int
    ) -> Arms[S, P]:
        """Let everybody meet, and return both populations with their new fitness."""
        number, n = before + 1, len(children)
        stream = Stream(seed, MEET, number)
        pairs = _dealt(
            n, self.meetings, [problem.detail.get("met", 0.0) for problem in problems.individuals], stream.split(PAIR)
        )
        who = [(children[s].genome, problems.individuals[p].genome) for s, p in pairs]
        points = played(self, self.meet, who, stream.split(PLAY))
        won, met, total = [0.0] * n, [0] * len(problems.individuals), [0.0] * len(problems.individuals)
        for (s, p), (solver, problem) in zip(pairs, points, strict=True):
            won[s] += solver
            met[p] += 1
            total[p] += problem
        solvers = [
            Individual(
                child.genome,
                won[s] / self.meetings,
                {"meetings": float(self.meetings)},
                child.origin,
                child.parents,
                self.solvers.size(child.genome),
            )
            for s, child in enumerate(children)
        ]
        updated = [self._updated(problem, met[p], total[p]) for p, problem in enumerate(problems.individuals)]
        return Arms(
            number,
            Generation(number, tuple(solvers), evaluations + n),
            replace(problems, individuals=tuple(updated), evaluations=problems.evaluations + len(pairs)),
        )

    def _updated(self, problem: Individual[P], met: int, points: float) -> Individual[P]:
        count = problem.detail.get("met", 0.0) + met
        total = problem.detail.get("points", 0.0) + points
        fitness = total / count if count else problem.fitness
        return replace(
            problem, fitness=fitness, detail={"met": count, "points": total}, size=self.problems.size(problem.genome)
        )


def _dealt(solvers: int, meetings: int, met: Sequence[float], stream: Stream) -> list[Pair]:
    """Return (solver, problem) pairs: whoever was met least comes next, by lot among equals, no solver getting one
    twice.
    """
    order = stream.shuffled(range(len(met)))
    counts = list(met)
    pairs: list[Pair] = []
    for solver in range(solvers):
        order.sort(key=counts.__getitem__)  # equals keep their random order
        for problem in order[:meetings]:
            counts[problem] += 1
            pairs.append((solver, problem))
    return pairs
