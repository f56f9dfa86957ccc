"""Evolution of bags of terms: shapes compete in games, their weights come from labels and are tuned in games.

The idea.  What holds genetic programming back on noisy games is that among viable mutants the true differences are
half of the noise of forty games: selection is a lottery.  So every game is made to count.

1. *Beginning.*  Random bags (`terms.py`), nothing else.  Leaves of games between two guides are labelled (`labels.py`).
2. *Shapes.*  Children differ in structure; their weights are fitted to the labels (`fitting.py`).  Those that say the
   same of the leaves as somebody who is there are duplicates and play no game.  The rest is thinned out by the cheap
   worth, but only half: games must choose.  A race gives everybody a few games, the better half more, and so on; points
   are remembered and added up from generation to generation, and all meet the same seeds.  No lineage, that is the
   descent from one program of generation 0, may hold more than half of the places.  Twice the best player so far labels
   new leaves.
3. *Tuning.*  The best shapes of different lineages are widened, if there is room (`room.py`), and tuned side by side,
   on the same seeds, by a strategy that knows the noise of its games (`mirrored.py`); a shape leaves when the others
   have done better over thousands of games.  At least two lineages are alive until half of the run.  From time to time
   a changed structure may replace its parent, in two thousand paired games.  What is too large is cut down in two
   steps, and tuned on.
4. The player is the running mean of the distribution's means, which averages noise once more.
5. *Late tuning*, if it is wanted.  Tuning gains at the depth at which it plays; so what was largest is tuned on in
   games of a greater depth, of both sides, then cut down and tuned on there.  It is a history of its own (`by_late`),
   which leaves the first one and its champion as they are, and goes on counting games.

A generation holds everything that the next one depends on: games, points, the labeller, and the state of the strategy
among an individual's details.  Labels are played again after a resume: they follow from the labeller and the seed.

References.  M. Buro (1998), see `labels.py`; O. Maron, A. W. Moore, "Hoeffding races",
NIPS 6 (1994).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ludwin.errors import BadParameter
from ludwin.evolve.fitting import Fitter, is_like
from ludwin.evolve.labels import Harvest, harvest
from ludwin.evolve.mirrored import Mirrored, turn_of, widths
from ludwin.evolve.openings import OpenedBouts, beginnings
from ludwin.evolve.population import Generation, Individual
from ludwin.evolve.room import cut_down, joined, widened, within
from ludwin.evolve.terms import Bag, Growth, bag_of, change, random_bag, without_term
from ludwin.evolve.trees import Genome
from ludwin.game import Game
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.search.choice import Agent
from ludwin.search.programs import program_player
from ludwin.search.shaped import shaped_player

LABEL, BEGIN, CHANGE, RACE, TUNE, TRY, BASE, WIDEN, LATE = range(70_001, 70_010)  # purposes of streams
MANY_LABELS, MANY_GAMES = 200, 10_000  # from here on it pays to compile a shape; the games are the same
PRIOR = 120.0  # games that everybody has before the first: at the score that its cheap worth lets expect, which is
# right to about 0.04 (rank correlation 0.70 between worth and score: 40 random bags, 600 games each)
MEMORY = 0.7  # what a shape's points count in the next generation of tuning
RACED = 600  # games that a shape's points from the races count at most
BROAD = 0.35  # how much a child differs from the mean, in spreads of the evaluation
POOL = 12  # children bred for each that plays
STEPS = 3  # of breeding by the cheap worth in one generation: children of children
VARIANTS = 6  # changed structures of one try
ALONE = 0.42  # of the tuning, after which one shape is left
CUTS = (0.7, 0.8)  # of the tuning, after which what is too large is cut down half way, and to its limit
WAYS = 400  # games that choose between two ways to weigh a widened bag
LAST_LABELS = 2.5  # times as many labels are taken before the tuning: they weigh many terms
SPREAD, TELLING = "spread", "telling"  # widths by the spread of terms, or turned (`mirrored.turn_of`)
DOUBT = 0.3  # of a strategy, at least, whose weights were changed by a cut
LATE_GENERATIONS = 10  # of late tuning, after the one that it begins with
LATE_WHOLE = 5  # of these, before what is too large is cut down to its limit
LATE_CHILD_GAMES = 10  # of a child, at most: many short steps
LATE_BROAD = 2.0  # times as far as usual do its children differ: depth 5, seed 903,
# 0.615 became 0.660 in 24,000 games, and as far as usual 0.620 in 32,000 (docs/results/evolution.md)


Nominee = tuple[Bag, str, tuple[int, ...]]  # a structure, what made it, its parents' places


@dataclass(frozen=True)
class Stages:
    """How much of everything."""

    budget: int = 380_000  # games in all: of labels, races and tuning
    generations: int = 40  # after the first
    shapes: int = 14  # of these generations, in which structures compete
    places: int = 16  # survivors of a generation of shapes
    births: int = 24  # children that play
    race: tuple[int, ...] = (40, 60, 100)  # games of the rounds; each but the first for the better half
    label_games: int = 700  # games whose decisions are labelled, at each of three occasions
    tuned: int = 4  # shapes that are tuned side by side at first
    wide: int = 0  # nodes while they are tuned, before they are cut down to their limit; 0: they are not widened
    most: int = 0  # this limit; 0: that of growth
    children: int = 20  # of a step of tuning
    child_games: int = 40
    tries: int = 5  # generations of tuning between structural tries; 0: none
    try_games: int = 2000
    plies: int = 6  # of a random opening
    widths: str = SPREAD  # by what children of a step differ
    opened: float = 0.5  # share of the games that begin after one
    late_games: int = 0  # of late tuning, beyond the budget; 0: there is none
    late_opened: float = 0.0  # share of them that begins after a random opening


@dataclass(frozen=True)
class Arena:
    """Where bags play: the game, the language, the opponent, the depth of their search."""

    game: Game
    language: Language
    opponent: Agent
    depth: int
    workers: int = 1
    late: tuple[Agent, int] | None = None  # opponent and depth of late tuning


@dataclass
class Recipe:
    """A run by the recipe: `first` and `after` return generations."""

    arena: Arena
    stages: Stages
    growth: Growth
    seed: int
    played: int = field(default=0, init=False)  # games of the generation in hand
    fitter: Fitter | None = field(default=None, init=False)
    labelled: tuple[int, Any] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        arena, stages = self.arena, self.stages
        self.begins = beginnings(arena.game, stages.plies, stages.opened)
        self.bouts = self._bouts(program_player)
        self.shaped: dict[Any, OpenedBouts] = {}
        self.late_begins = beginnings(arena.game, stages.plies, stages.late_opened)

    def _bouts(self, make: Callable[..., Agent], late: int = 0) -> OpenedBouts:
        arena, begins = self.arena, self.late_begins if late else self.begins
        return OpenedBouts(arena.game, lambda genome: make(genome[0], late or arena.depth), arena.workers, begins)

    # ---- Labels and games ---------------------------------------------------------------------------------------

    def label(self, number: int, occasion: int, labeller: Genome | None) -> None:
        """Make the labels of an occasion for a generation, unless they are there; without a labeller the opponent plays
        both sides.

        After a resume they are played once more, but their games count in the generation of the occasion only.
        """
        if self.labelled == (occasion, labeller):
            return
        arena = self.arena
        make = shaped_player if self.stages.label_games >= MANY_LABELS else program_player
        player = arena.opponent if labeller is None else make(labeller[0], arena.depth)
        how = Harvest(opening=self.stages.plies, plies=arena.depth)
        stream = Stream(self.seed, LABEL, occasion)
        share = LAST_LABELS if self.stages.wide and occasion >= self.stages.shapes else 1.0
        # guides do not know much: a third of the labels will do
        games = max(int(self.stages.label_games * (share if labeller else 1 / 3)), 4)
        found = harvest(arena.game, arena.language, player, arena.opponent, games, stream, how)
        self.fitter, self.labelled = Fitter(found), (occasion, labeller)
        if number == occasion:
            self.played += found.games

    def points(self, genomes: Sequence[Genome], games: int, *purpose: int) -> list[float]:
        """Return the points of each genome in so many games; all meet the same seeds, sides swapped."""
        stream = Stream(self.seed, *purpose)
        seeds = [stream.split(k).seed() for k in range(max(games // 2, 1))]
        self.played += 2 * len(seeds) * len(genomes)
        found = self.bouts.all_against(genomes, self.arena.opponent, seeds)
        return [math.fsum(bout.points for bout in bouts) for bouts in found]

    def tuned_points(self, genomes: Sequence[Genome], seeds: Sequence[int], *, late: bool = False) -> list[float]:
        """Return the points of genomes of one shape, compiled for it; `late`: at the greater depth."""
        opponent, depth = self.arena.late if late and self.arena.late else (self.arena.opponent, 0)
        key = genomes[0][0].nodes, genomes[0][0].places, depth
        if key not in self.shaped:
            compiles = self.stages.budget >= MANY_GAMES
            self.shaped[key] = self._bouts(shaped_player if compiles else program_player, depth)
        self.played += 2 * len(seeds) * len(genomes)
        found = self.shaped[key].all_against(genomes, opponent, seeds)
        return [math.fsum(bout.points for bout in bouts) for bouts in found]

    # ---- Generations --------------------------------------------------------------------------------------------

    def first(self) -> Generation[Genome]:
        """Return generation 0: random bags, their weights fitted to games between guides."""
        self.played = 0
        self.label(0, 0, None)
        assert self.fitter is not None
        births = self.stages.births * 2
        made = [random_bag(self.arena.language, Stream(self.seed, BEGIN, k), self.growth) for k in range(births)]
        bags = [self.fitter.fit(bag) for bag in made]
        newcomers = [self._newcomer(bag, "random", (), k) for k, bag in enumerate(bags)]
        return self._survivors([], newcomers, Generation(-1, ()), ())

    def after(self, before: Generation[Genome]) -> Generation[Genome]:
        """Return the generation that follows."""
        self.played = 0
        number = before.number + 1
        if number <= self.stages.shapes:
            return self._shapes(before, number)
        return self._tuning(before, number)

    def occasion(self, before: Generation[Genome]) -> tuple[int, Genome | None]:
        """Return the labels that a generation uses: their occasion and who played."""
        number = before.number + 1
        if number in self.occasions:
            return number, before.best.genome
        return int(before.state.get("labels", 0)), (before.memory[0] if before.memory else None)

    @property
    def occasions(self) -> tuple[int, ...]:
        """The generations before which the best player labels anew."""
        shapes = self.stages.shapes
        return tuple(dict.fromkeys((1, max(shapes // 2, 2), shapes)))

    def _shapes(self, before: Generation[Genome], number: int) -> Generation[Genome]:
        """Breed structures and race them."""
        occasion, labeller = self.occasion(before)
        self.label(number, occasion, labeller)
        assert self.fitter is not None
        old = list(before.individuals)
        bags = [bag_of(one.genome[0]) for one in old]
        known = [self.fitter.values(bag) for bag in bags]
        pool: list[Nominee] = []
        if number in self.occasions:  # the new labels may have better weights for whoever is there
            pool += [(bag, "refit", (k,)) for k, bag in enumerate(bags)]
        for step in range(STEPS):
            pool += self._bred(old, bags, pool, Stream(self.seed, CHANGE, number, step))
        chosen = self._nominated(pool, Stream(self.seed, CHANGE, number))
        newcomers = []
        for child, way, parents in chosen:
            fitted = self.fitter.fit(child)
            values = self.fitter.values(fitted)
            if any(is_like(values, other) for other in known):
                continue  # it would play as somebody who is there
            known.append(values)
            newcomers.append(self._newcomer(fitted, way, parents, int(old[parents[0]].detail["lineage"])))
        return self._survivors(old, newcomers, before, () if labeller is None else (labeller,), occasion)

    def _bred(
        self, old: Sequence[Individual[Genome]], bags: Sequence[Bag], pool: Sequence[Nominee], stream: Stream
    ) -> list[Nominee]:
        """Return changed structures: of those who are there, and of the children that are worth most so far."""
        assert self.fitter is not None
        worth = self.fitter.worth
        best = sorted(pool, key=lambda one: -worth(one[0]))[: 2 * self.stages.births] if pool else []
        found = []
        for k in range(POOL * self.stages.births // STEPS):
            chance = stream.split(k)
            father = self._parent(old, chance)
            if best and chance.chance(0.5):
                first, second = chance.below(len(best)), chance.below(len(best))
                base, _, parents = best[min(first, second)]
            else:
                parents = (self._parent(old, chance),)
                base = bags[parents[0]]
            child, way = change(base, bags[father], chance, self.growth)
            if child.shape != bags[parents[0]].shape:
                found.append((child, way, (parents[0], father) if way == "mix" else parents[:1]))
        return found

    def _parent(self, old: Sequence[Individual[Genome]], stream: Stream) -> int:
        """Return the better of two, so that weak lineages have children, too."""
        first, second = stream.below(len(old)), stream.below(len(old))
        return first if old[first].fitness >= old[second].fitness else second

    def _nominated(self, pool: list[Nominee], stream: Stream) -> list[Nominee]:
        """Return who may play: half by the cheap worth, half by lot among the better half."""
        assert self.fitter is not None
        distinct = list({child.shape: (child, way, parents) for child, way, parents in reversed(pool)}.values())[::-1]
        worth = {id(one[0]): self.fitter.worth(one[0]) for one in distinct}
        ranked = sorted(distinct, key=lambda one: -worth[id(one[0])])
        births = self.stages.births
        best, rest = ranked[: births // 2], ranked[births // 2 : max(len(ranked) // 2, births)]
        return [*best, *(rest[k] for k in stream.sample(len(rest), min(births - len(best), len(rest))))]

    def _newcomer(self, bag: Bag, origin: str, parents: tuple[int, ...], lineage: int) -> Individual[Genome]:
        worth = self.fitter.worth(bag) if self.fitter is not None else 0.0
        detail = {"points": 0.0, "games": 0.0, "lineage": float(lineage), "worth": worth}
        return Individual((bag.tree(),), 0.0, detail, origin, parents, bag.size)

    def _survivors(
        self,
        old: list[Individual[Genome]],
        new: list[Individual[Genome]],
        before: Generation[Genome],
        memory: tuple[Genome, ...],
        occasion: int = 0,
    ) -> Generation[Genome]:
        """Race newcomers and those who are there, and keep the best of all lineages."""
        number = before.number + 1
        old = [replace(one, detail=dict(one.detail)) for one in old]  # whose points grow; those of `before` stay
        racers = list(new)
        if self.fitter is not None:  # worth is what the labels of today say
            for one in old:
                one.detail["worth"] = self.fitter.worth(bag_of(one.genome[0]))
        for level, games in enumerate(self.stages.race):
            if level:
                racers = [*racers, *(old if level == 1 else [])]
                expected = _expected([*old, *new])
                racers = sorted(racers, key=lambda one: -_shrunk(one, expected(one)))[: max(len(racers) // 2, 2)]
            found = self.points([one.genome for one in racers], games, RACE, number, level)
            for one, points in zip(racers, found, strict=True):
                one.detail["points"] += points
                one.detail["games"] += 2 * max(games // 2, 1)
        everybody = [*old, *new]
        expected = _expected(everybody)
        scored = [replace(one, fitness=_shrunk(one, expected(one))) for one in everybody]
        scored.sort(key=lambda one: -one.fitness)
        kept: list[Individual[Genome]] = []
        count: dict[float, int] = {}
        for one in scored:
            lineage = one.detail["lineage"]
            if count.get(lineage, 0) < self.stages.places // 2 and len(kept) < self.stages.places:
                kept.append(one)
                count[lineage] = count.get(lineage, 0) + 1
        return self._done(before, kept, len(new), memory, occasion)

    def _done(
        self,
        before: Generation[Genome],
        individuals: Sequence[Individual[Genome]],
        born: int,
        memory: tuple[Genome, ...],
        occasion: int,
    ) -> Generation[Genome]:
        """Return the finished generation with what is counted: games, shapes, lineages."""
        state = {
            "games": before.state.get("games", 0) + self.played,
            "labels": occasion,
            "shapes": len({bag_of(one.genome[0]).shape for one in individuals}),
            "lineages": len({one.detail["lineage"] for one in individuals}),
        }
        return Generation(before.number + 1, tuple(individuals), before.evaluations + born, memory, state)

    # ---- Tuning -------------------------------------------------------------------------------------------------

    def _tuning(self, before: Generation[Genome], number: int) -> Generation[Genome]:
        """Go on tuning every shape that is alive."""
        occasion, labeller = self.occasion(before)
        self.label(number, occasion, labeller)
        stages = self.stages
        left = stages.generations - number + 1
        spent = before.state.get("games", 0) + self.played
        alive = self._alive(before, number)
        is_try = bool(stages.tries) and (number - stages.shapes) % stages.tries == 0 and left > 1
        share = max(stages.budget - spent, 0) / left - (stages.try_games * 2 if is_try else 0)
        steps = max(int(share / len(alive) / (stages.children * stages.child_games)), 1)
        tuned = [self._tune(one, place, number, steps) for place, one in alive]
        if is_try:
            tuned = [self._try(tuned[0], number), *tuned[1:]]
        tuned.sort(key=lambda one: -one.fitness)
        memory = () if labeller is None else (labeller,)
        return self._done(before, tuned, stages.children * steps * len(alive), memory, occasion)

    def _alive(self, before: Generation[Genome], number: int) -> list[tuple[int, Individual[Genome]]]:
        """Return who is tuned on, best first: fewer as time goes by, two lineages at least until half of the run."""
        stages = self.stages
        done = self._done_share(number)
        most = stages.tuned if done < 0.2 else max(2, stages.tuned // 2) if done < ALONE else 1
        ranked = sorted(enumerate(before.individuals), key=lambda pair: -pair[1].fitness)
        chosen = ranked[:1]
        lineages = {ranked[0][1].detail["lineage"]}
        for must_differ in (True, False):
            for pair in ranked[1:]:
                is_new = pair[1].detail["lineage"] not in lineages
                if len(chosen) < most and pair not in chosen and (is_new or not must_differ):
                    chosen.append(pair)
                    lineages.add(pair[1].detail["lineage"])
        return sorted(chosen, key=lambda pair: -pair[1].fitness)

    def _start(self, bag: Bag, doubt: float = 1.0, steps: int = 0) -> Mirrored:
        """Return the first distribution about a bag: every weight in units that move the evaluation by its spread."""
        assert self.fitter is not None
        matrix = self.fitter.matrix(bag)
        weights = np.array(bag.flat)
        scale = widths(matrix.std(axis=0), float((matrix @ weights).std()), BROAD)
        return self._turned(Mirrored(weights, scale, doubt, steps), bag)

    def _turned(self, state: Mirrored, bag: Bag) -> Mirrored:
        """Return a strategy with the directions that its bag's terms make; they follow from the labels, so that they
        need not be stored.
        """
        if self.stages.widths != TELLING:
            return state
        assert self.fitter is not None
        told = within(self.fitter.matrix(bag), self.fitter)
        return replace(state, turn=turn_of(told.T @ told / max(len(told), 1), state.scale))

    def _done_share(self, number: int) -> float:
        """Return how much of the tuning is done before a generation."""
        return (number - self.stages.shapes - 1) / max(self.stages.generations - self.stages.shapes, 1)

    def _room(self, number: int) -> int:
        """Return the nodes that a bag may have in a generation of tuning."""
        stages, most = self.stages, self.stages.most or self.growth.most_nodes
        wide = max(stages.wide, most)
        done = self._done_share(number)
        if number == stages.generations or done >= CUTS[1]:
            return most
        return wide if done < CUTS[0] else int(math.sqrt(wide * most))

    def _prepared(self, one: Individual[Genome], number: int) -> tuple[Bag, Mirrored, bool]:
        """Return a bag and its strategy as they go into a generation, and whether it is tuned already: widened at the
        beginning, cut down when it must be.
        """
        assert self.fitter is not None
        bag, room = bag_of(one.genome[0]), self._room(number)
        state = Mirrored.from_numbers(one.detail, bag.count)
        if state is None:
            if self.stages.wide and bag.size < room:
                bag = self._wide(bag, int(one.detail["lineage"]), room)
            return bag, self._start(bag), False
        if bag.size > room:
            bag = cut_down(bag, self.fitter, room)
            return bag, self._start(bag, max(state.doubt, DOUBT)), True
        return bag, self._turned(state, bag), True

    def _wide(self, bag: Bag, lineage: int, room: int) -> Bag:
        """Return a bag widened, and weighed in the one of two ways that does better in some games: all its terms by the
        labels, or only the new ones.
        """
        assert self.fitter is not None
        made = widened(bag, self.fitter, room)
        ways = [self.fitter.fit(made), self.fitter.fit_new(made, joined(bag))]
        points = self.points([(one.tree(),) for one in ways], WAYS, WIDEN, lineage)
        return ways[0] if points[0] >= points[1] else ways[1]

    def _tune(self, one: Individual[Genome], place: int, number: int, steps: int) -> Individual[Genome]:
        """Take some steps from where an individual stands."""
        bag, state, is_tuned = self._prepared(one, number)
        # What is known of the shape counts on, but less and less.
        kept = MEMORY if is_tuned else min(1.0, RACED / max(one.detail["games"], 1.0))
        games = kept * one.detail["games"]
        return self._stepped(one, place, bag, state, (games, games * one.fitness), (TUNE, number, steps))

    def _stepped(
        self,
        one: Individual[Genome],
        place: int,
        bag: Bag,
        state: Mirrored,
        known: tuple[float, float],
        task: tuple[int, int, int],
    ) -> Individual[Genome]:
        """Return an individual after some steps; `known` are its games and points so far, `task` is the purpose (TUNE
        or LATE), the generation and the number of steps.
        """
        (games, points), (purpose, number, steps) = known, task
        late, lineage = purpose == LATE, one.detail["lineage"]
        middle = np.array(bag.flat)
        for step in range(steps):
            stream = Stream(self.seed, purpose, number, step)
            seeds = [stream.split(0, k).seed() for k in range(max(self._child_games(late) // 2, 1))]
            children = state.ask(stream.split(1, int(lineage)), self.stages.children)
            genomes = [(bag.weighed([float(x) for x in child]).tree(),) for child in children]
            found, each = self.tuned_points(genomes, seeds, late=late), 2 * len(seeds)
            state = state.tell(children, [some / each for some in found], each)
            middle = state.follow(middle)
            points, games = points + math.fsum(found), games + each * len(genomes)
        better = bag.weighed([float(x) for x in middle])
        detail = {"points": points, "games": games, "lineage": lineage, **state.as_numbers()}
        return Individual((better.tree(),), points / games, detail, "tuned", (place,), better.size)

    def _child_games(self, late: bool) -> int:
        return min(self.stages.child_games, LATE_CHILD_GAMES) if late else self.stages.child_games

    # ---- Late tuning --------------------------------------------------------------------------------------------

    def later(self, before: Generation[Genome]) -> Generation[Genome]:
        """Return the next generation of late tuning, of one individual; generation 0 is what it begins with."""
        self.played = 0
        number, one, most = before.number + 1, before.individuals[0], self.stages.most or self.growth.most_nodes
        occasion, labeller = int(before.state["labels"]), (before.memory[0] if before.memory else None)
        self.label(-1, occasion, labeller)  # they were counted when they were played first
        assert self.fitter is not None
        bag = bag_of(one.genome[0])
        state = Mirrored.from_numbers(one.detail, bag.count) if before.number else None
        if number > LATE_WHOLE and bag.size > most:
            bag, state = cut_down(bag, self.fitter, most), None
        if state is None:
            state = self._start(bag)
            state = replace(state, scale=state.scale * LATE_BROAD)
        # `_turned` asks for ratios of widths only
        state = self._turned(state, bag)
        children = 2 * max(self.stages.children // 2, 1)
        share = self.stages.late_games * number // LATE_GENERATIONS - int(before.state.get("late", 0))
        steps = max(share // (children * 2 * max(self._child_games(True) // 2, 1)), 1)
        tuned = self._stepped(one, 0, bag, state, (0.0, 0.0), (LATE, number, steps))
        found = self._done(before, [tuned], children * steps, before.memory, occasion)
        return replace(found, state={**found.state, "late": before.state.get("late", 0) + self.played})

    def _try(self, one: Individual[Genome], number: int) -> Individual[Genome]:
        """Return the individual, or one of another structure that has done better in many paired games."""
        assert self.fitter is not None
        bag = bag_of(one.genome[0])
        state = Mirrored.from_numbers(one.detail, bag.count)
        variants = []
        for k in range(VARIANTS):
            stream = Stream(self.seed, TRY, number, k)
            base = without_term(bag, _least(self.fitter, bag)) if k % 2 and bag.count > 2 else bag
            changed, _ = change(base, base, stream, replace(self.growth, most_nodes=self._room(number)))
            if changed.shape != bag.shape and changed.split == bag.split and changed.count:
                variants.append(self.fitter.fit_new(changed, bag))
        if not variants or state is None:
            return one
        genomes = [one.genome, *((variant.tree(),) for variant in variants)]
        few = self.stages.try_games // (2 * len(genomes)) // 2 * 2
        found = self.points(genomes, few, TRY, number)
        best = max(range(1, len(genomes)), key=lambda k: (found[k], -k))
        more = self.points([genomes[0], genomes[best]], self.stages.try_games // 2, TRY, number, 1)
        if found[best] + more[1] <= found[0] + more[0]:
            return one
        bag = variants[best - 1]
        begun = self._start(bag, max(state.doubt, DOUBT))
        return replace(
            one,
            genome=genomes[best],
            detail={**{key: one.detail[key] for key in ("points", "games", "lineage")}, **begun.as_numbers()},
            origin="tuned+change",
            size=bag.size,
        )


def _least(fitter: Fitter, bag: Bag) -> int:
    """Return the term that moves the evaluation least."""
    return int(np.argmin(fitter.spread(bag) * np.abs(np.array(bag.flat))))


def _expected(everybody: Sequence[Individual[Genome]]) -> Callable[[Individual[Genome]], float]:
    """Return the score that the cheap worth lets expect: a line through all who have played, weighted by games."""
    games = np.array([one.detail["games"] for one in everybody])
    if games.sum() == 0:
        return lambda one: 0.5
    worth = np.array([one.detail["worth"] for one in everybody])
    score = np.array([one.detail["points"] for one in everybody]) / np.maximum(games, 1)
    mean_worth, mean = float(games @ worth / games.sum()), float(games @ score / games.sum())
    spread = float(games @ (worth - mean_worth) ** 2)
    slope = float(games @ ((worth - mean_worth) * (score - mean))) / spread if spread > 0 else 0.0
    return lambda one: mean + max(slope, 0.0) * (one.detail["worth"] - mean_worth)


def _shrunk(one: Individual[Genome], mean: float) -> float:
    return (one.detail["points"] + PRIOR * mean) / (one.detail["games"] + PRIOR)


def not_by_the_engine(run: Any, generation: Any) -> Any:
    """Refuse: this breeding has a loop of its own, `by_recipe`, which experiments on boards offer."""
    raise BadParameter("breeding=terms is for experiments on board games that offer it; choose ga, gp or another")


def by_recipe(recipe: Recipe, start: Generation[Genome] | None = None) -> Iterator[Generation[Genome]]:
    """Yield the generations of a run, or those after `start`."""
    if start is None:
        start = recipe.first()
        yield start
    while start.number < recipe.stages.generations:
        start = recipe.after(start)
        yield start


def by_late(recipe: Recipe, start: Generation[Genome]) -> Iterator[Generation[Genome]]:
    """Yield the generations of late tuning after `start`."""
    while start.number < LATE_GENERATIONS:
        start = recipe.later(start)
        yield start


def by_chance(recipe: Recipe, start: Generation[Genome] | None = None) -> Iterator[Generation[Genome]]:
    """Yield generations of random search with the recipe's budget of games: random bags with random weights, raced."""
    stages = recipe.stages
    generation: Generation[Genome] = start or Generation(-1, ())
    while generation.state.get("games", 0) < stages.budget:
        recipe.played = 0
        number = generation.number + 1
        made = [
            random_bag(recipe.arena.language, Stream(recipe.seed, BASE, number, k), recipe.growth)
            for k in range(4 * stages.births)
        ]
        new = [recipe._newcomer(bag, "random", (), number * len(made) + k) for k, bag in enumerate(made)]
        generation = recipe._survivors(list(generation.individuals), new, generation, ())
        yield generation
