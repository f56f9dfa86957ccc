"""Islands as in GP-Gammon: each sends some of its own to three neighbours, when its turn comes.

Why it is here.  The islands of the engine send round a ring, all at once.  The book's take turns: from generation 10
on, in generation g every island i with i mod 10 = g mod 10 sends four individuals to each of its three neighbours,
chosen by tournament selection, the same one perhaps twice.  The book's islands do not wait for each other; here they
do, and everything is drawn from streams of (seed, island, generation), so that a run is a function of its seed.

What the book leaves open.  The neighbours of island i are i + 1, i + 2 and i + 3; a guest takes the place of somebody
drawn by lot, but not of the island's best.

References.  M. Sipper, *Evolved to Win* (2011), chapter 7.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ludwin.evolve.engine import MIGRATE, Running, demand_fitting, shared_out, together
from ludwin.evolve.population import Fitness, Generation
from ludwin.program.stream import Stream

CHOICE, PLACE = range(2)  # purposes of streams


def turns_to_send(number: int, islands: int, every: int, first: int) -> list[int]:
    """Return the islands that send in a generation.

    >>> turns_to_send(9, 50, 10, 10), turns_to_send(13, 50, 10, 10), turns_to_send(13, 4, 2, 10)
    ([], [3, 13, 23, 33, 43], [1, 3])
    """
    return [i for i in range(islands) if number >= first and i % every == number % every]


def neighbours_of(island: int, islands: int, neighbours: int) -> list[int]:
    """Return whom an island sends to.

    >>> neighbours_of(49, 50, 3), neighbours_of(1, 2, 3)
    ([0, 1, 2], [0])
    """
    return [(island + 1 + k) % islands for k in range(min(neighbours, islands - 1))]


@dataclass(frozen=True)
class TakingTurns(Running[Any]):
    """Islands that send when their turn comes; `plan.migrants` go to each neighbour, every `plan.migrate_every`."""

    first_migration: int = 10
    neighbours: int = 3

    def archipelago(self, generation: Generation[Any]) -> Generation[Any]:
        """Return the next generation of all islands, after those whose turn it is have sent."""
        shores = shared_out(generation, self.plan.islands)
        grown = [self.island(i).bred(shore) for i, shore in enumerate(shores)]
        return together(generation, self.sent(grown, generation.number + 1))

    def sent(self, islands: Sequence[Generation[Any]], number: int) -> list[Generation[Any]]:
        """Return the islands after the migrants of this generation have arrived; those who leave also stay."""
        plan, people = self.plan, [list(island.individuals) for island in islands]
        for i in turns_to_send(number, plan.islands, plan.migrate_every, self.first_migration):
            choose = self.chosen_from(islands[i].individuals)
            for k, there in enumerate(neighbours_of(i, plan.islands, self.neighbours)):
                stream = Stream(self.seed, MIGRATE, i, number, k)
                draws = stream.split(CHOICE)
                guests = [islands[i].individuals[choose(draws)] for _ in range(plan.migrants)]
                best = max(range(len(people[there])), key=lambda place: islands[there].individuals[place].fitness)
                free = [place for place in range(len(people[there])) if place != best]
                for place, guest in zip(stream.split(PLACE).shuffled(free), guests, strict=False):
                    people[there][place] = replace(guest, origin="migrant", parents=())
        return [replace(island, individuals=tuple(now)) for island, now in zip(islands, people, strict=True)]


def by_turns(run: TakingTurns, fitness: Fitness[Any], start: Generation[Any] | None) -> Iterator[Generation[Any]]:
    """Yield the generations of such islands, after `start` if there is one."""
    demand_fitting(fitness, run.plan)
    if start is None:
        start = run.first()
        yield start
    while start.number < run.plan.generations and start.best.fitness < run.plan.stop_at:
        start = run.after(start)
        yield start
