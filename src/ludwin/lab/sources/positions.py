"""Positions as a source: every agent looks at the same ones, and nodes are compared as ratios.

Why it is here.  At equal depth a refinement of alpha-beta changes nothing but the number of nodes; which positions are
looked at must then not be what differs.
"""

from random import Random

from ludwin.arena.stats import Estimate
from ludwin.game import Game, State

BOOTSTRAPS = 2000


def positions(game: Game, number: int, seed: int) -> list[State]:
    """Return so many positions from the middle of random games, the same for the same seed."""
    rng = Random(seed)
    found: list[State] = []
    while len(found) < number:
        state = game.start()
        for _ in range(rng.randint(4, 40)):
            if state.over:
                break
            state = state.play(rng.choice(state.moves()))
        if len(state.moves()) > 1:
            found.append(state)
    return found


def ratio(ours: list[int], base: list[int], seed: int) -> Estimate:
    """Return the ratio of two sums over the same positions, with a bootstrap interval."""
    rng = Random(seed)
    n = len(ours)
    draws = []
    for _ in range(BOOTSTRAPS):
        chosen = [rng.randrange(n) for _ in range(n)]
        draws.append(sum(ours[i] for i in chosen) / sum(base[i] for i in chosen))
    draws.sort()
    return Estimate(sum(ours) / sum(base), draws[int(0.025 * BOOTSTRAPS)], draws[int(0.975 * BOOTSTRAPS)])
