"""Who plays whom, and in which order: the formats of an event.

Why it is here.  A game is known by its number, its agents, its pair and its rotation; all its random
numbers follow from these and the event's seed.  Round-robin and gauntlet are known in advance;
Swiss and knockout rounds are functions of the results so far and the seed, so that an event that is
resumed or has more workers plays the same games.

A pairing lists the agents of one table, lower numbers first.  `games` games are played by each
pairing: pair k holds the games k * n … k * n + n - 1, the same chance with the n seats rotated.
"""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from ludwin.arena.standing import Standing
from ludwin.arena.terms import Terms
from ludwin.primitives import draw, stream

LOTS = 0x6C6F7473  # sets the stream of drawn lots apart from those of games


class Job(NamedTuple):
    """One game to play. Player p is agent agents[(p + rotation) % n]."""

    number: int
    agents: tuple[int, ...]
    pair: int
    rotation: int
    tries: int = 0  # how many workers have died in it
    lost: tuple[tuple[int, int, str], ...] = ()  # of a run: players who lose control, the tick, the reason

    @property
    def seats(self) -> tuple[int, ...]:
        """The agents' numbers, by player."""
        return self.agents[self.rotation :] + self.agents[: self.rotation]

    def seed(self, event_seed: int, alone: bool) -> int:
        """Return the seed of the game; `alone` if the event has no other table."""
        return stream(event_seed, self.pair) if alone else stream(event_seed, *self.agents, self.pair)


Pairing = tuple[int, ...]


def total_games(terms: Terms, agents: int, players: int) -> int:
    """Return how many games an event has, if nothing stops it early."""
    pairings = {
        "round-robin": math.comb(agents, players),
        "gauntlet": agents - 1,
        "swiss": swiss_rounds(terms, agents) * (agents // 2),
        "knockout": agents - 1,
    }
    return pairings[terms.event] * terms.games


def rounds(terms: Terms, players: int, standing: Standing) -> Iterator[list[Pairing]]:
    """Yield the pairings of each round; `standing` must hold all results of the rounds before."""
    agents = len(standing.agents)
    if terms.event == "round-robin":
        yield list(combinations(range(agents), players))
    elif terms.event == "gauntlet":
        yield [(0, other) for other in range(1, agents)]
    elif terms.event == "swiss":
        yield from _swiss(terms, standing)
    else:
        yield from _knockout(terms, standing)


def jobs(terms: Terms, players: int, standing: Standing) -> Iterator[Iterator[Job]]:
    """Yield the games of each round, in order."""
    number, met = 0, dict[Pairing, int]()

    def of_round(pairings: list[Pairing], first: int) -> Iterator[Job]:
        for pairing in pairings:
            before = met.get(pairing, 0)  # pairs these agents have played already
            met[pairing] = before + terms.games // players
            for k in range(terms.games):
                yield Job(first + k, pairing, before + k // players, k % players)
            first += terms.games

    for pairings in rounds(terms, players, standing):
        yield of_round(pairings, number)
        number += len(pairings) * terms.games


def swiss_rounds(terms: Terms, agents: int) -> int:
    """Return how many rounds a Swiss event has: enough to find the best of all, unless told otherwise."""
    return terms.rounds or max(1, math.ceil(math.log2(agents)))


def lots(count: int, *numbers: int) -> list[int]:
    """Return a random order of 0 … count-1 that belongs to these numbers."""
    order, rng = list(range(count)), [stream(*numbers, LOTS)]
    for i in range(count - 1, 0, -1):
        j = draw(rng, i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def _swiss(terms: Terms, standing: Standing) -> Iterator[list[Pairing]]:
    """Pair neighbours in the table who have not met; who is left over gets a bye, worth a won pairing."""
    agents = len(standing.agents)
    met: set[Pairing] = set()
    byes: list[int] = []
    for number in range(swiss_rounds(terms, agents)):
        lot = lots(agents, terms.seed, number)
        points = [standing.points(k) + terms.games * byes.count(k) for k in range(agents)]
        table = sorted(range(agents), key=lambda k: (-points[k], lot[k]))
        if agents % 2:
            idle = min(reversed(table), key=lambda k: byes.count(k))
            byes.append(idle)
            table.remove(idle)
        paired = _neighbours(table, met) or [(table[i], table[i + 1]) for i in range(0, len(table), 2)]
        pairings = [(min(a, b), max(a, b)) for a, b in paired]
        met.update(pairings)
        yield list(pairings)


def _neighbours(table: list[int], met: set[Pairing]) -> list[tuple[int, int]] | None:
    """Pair the first with the nearest it has not met, and so on; None if that cannot be done.

    Gives up after a while where almost everybody has met: then neighbours meet again.
    """
    steps = 10_000

    def pair_up(rest: list[int]) -> list[tuple[int, int]] | None:
        nonlocal steps
        if not rest:
            return []
        first = rest[0]
        for other in rest[1:]:
            steps -= 1
            if steps < 0:
                return None
            if (min(first, other), max(first, other)) not in met:
                more = pair_up([k for k in rest if k not in (first, other)])
                if more is not None:
                    return [(first, other), *more]
        return None

    return pair_up(table)


def _knockout(terms: Terms, standing: Standing) -> Iterator[list[Pairing]]:
    """Draw a bracket, and let winners go on; equal scores are decided by lot."""
    left = lots(len(standing.agents), terms.seed)
    size = 2 ** math.ceil(math.log2(len(left)))
    free = size - len(left)  # the first in the draw need not play in the first round
    idle, playing = left[:free], left[free:]
    while len(idle) + len(playing) > 1:
        pairings = [(min(a, b), max(a, b)) for a, b in zip(playing[::2], playing[1::2], strict=True)]
        yield list(pairings)
        winners = []
        for a, b in pairings:
            first, second = standing.between(a, b)
            winners.append(a if first > second or (first == second and lots(2, terms.seed, a, b)[0] == 0) else b)
        idle, playing = [], idle + winners
