"""Nested Monte Carlo search and nested rollout policy adaptation: chance has its say in puzzles, too.

The idea.  A playout is a sequence of moves to the end, and has a score: solved ones before all others, shorter ones
before longer ones, and of unsolved ones those whose last state seems nearer to a goal.  Nested search of level n tries
every move with a search of level n - 1 behind it and follows the best sequence that it has ever seen; level 0 plays at
random.  NRPA learns a policy instead: a weight for each move, by which playouts draw; a search of level n calls one of
level n - 1 many times, and after each call bends its own policy towards the best sequence so far.

A move is known by its number (`code=move`), or by its number and the position (`code=position`).

References.  T. Cazenave, "Nested Monte-Carlo search", IJCAI 2009; C. Rosin, "Nested rollout policy adaptation for Monte
Carlo tree search", IJCAI 2011.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game
from ludwin.kernel.names import Bundle, copy, key, moves, play, solved
from ludwin.kernel.text import Kernel
from ludwin.primitives import draw, mix, uniform
from ludwin.search.brain import Brain, mind
from ludwin.search.choice import setting
from ludwin.search.puzzles.estimate import far
from ludwin.search.puzzles.pool import (
    EXHAUSTED,
    NODES,
    NOTHING,
    OPEN,
    PLACES,
    RUN,
    SOLVED,
    STOPPED,
    begins_solved,
    fallback,
    first,
)
from ludwin.search.puzzles.solver import Guided
from ludwin.search.seat import Seat
from ludwin.search.values import wake

PLIES = 2048  # moves of a sequence
CODES = 4096  # weights of a policy
DEEPEST_LEVEL = 6
WORST = -(2.0**500)
REACHED = 2.0**400  # what a solved sequence scores, less its length
STEEP = 500.0  # weights whose exponentials no longer add up
LINE = {"length": int, "score": float, "moves": PLIES}
COMMON: dict[str, Any] = {"level": int, "plies": int}
NESTED = {**PLACES, "lines": [LINE], "best": [LINE], "run": {**RUN, **COMMON}}
POLICY = {"weights": (float, CODES)}
ADAPTING = {
    **NESTED,
    **{"policies": [POLICY], "before": [POLICY], "scores": "FloatRows"},
    "run": {**RUN, **COMMON, "iterations": int, "alpha": float, "by_position": int},
}


def ended(w):
    """Tell whether the search must end: a plan is found, or a budget is spent."""
    run = w.run
    if run.stop != 0:
        run.why = STOPPED
    elif run.nodes >= run.most:
        run.why = NODES
    return run.status == SOLVED or run.why != NOTHING


def begins_ended(w):
    """Forget everything; tell whether there is nothing to play: the start is solved, or has no move."""
    if not begins_solved(w) and moves(w.states[0], w.bufs[0]) == 0:
        w.run.status = EXHAUSTED
    return w.run.status != OPEN


def judged(w, s, line):
    """Return the score of a sequence that ends with a state; a solved one becomes the plan."""
    if not solved(s):
        line.score = -far(w, s)
        return line.score
    line.score = REACHED - line.length
    run = w.run
    if run.status == OPEN:
        run.status = SOLVED
        run.length = line.length
        for i in range(line.length):
            w.plan[i] = line.moves[i]
    return line.score


def extend(w, s, line, m: int):
    """Make a move of a sequence."""
    play(s, m)
    line.moves[line.length] = m
    line.length += 1
    w.run.nodes += 1
    w.run.generated += 1
    return 0


def keep(to, line):
    """Remember a sequence."""
    to.length = line.length
    to.score = line.score
    for i in range(line.length):
        to.moves[i] = line.moves[i]
    return 0


def random_sequence(w, s, line):
    """Play at random from a state to the end of its sequence; return the score."""
    n = moves(s, w.bufs[0])
    while n > 0 and line.length < w.run.plies and not ended(w):
        extend(w, s, line, w.bufs[0][draw(w.rng, n)])
        n = 0 if solved(s) else moves(s, w.bufs[0])
    return judged(w, s, line)


def nest(w, level: int):
    """Search from the state of a level, which its sequence has led to; return the score of the best one, in `best`."""
    s = w.states[level + 1]
    line = w.lines[level]
    best = w.best[level]
    out = w.bufs[level]
    n = moves(s, out) if level > 0 else 0
    w.run.expanded += 1 if level > 0 else 0
    if n == 0 or line.length >= w.run.plies:
        random_sequence(w, s, line)  # at level 0, or where nothing is left to search
        keep(best, line)
        return best.score
    best.score = WORST
    while n > 0 and line.length < w.run.plies and not ended(w):
        for i in range(n):
            if ended(w):
                break
            below = w.states[level]
            copy(below, s)
            keep(w.lines[level - 1], line)
            extend(w, below, w.lines[level - 1], out[i])
            if solved(below):
                judged(w, below, w.lines[level - 1])
                keep(best, w.lines[level - 1])
            elif nest(w, level - 1) > best.score:
                keep(best, w.best[level - 1])
        ended(w)  # the last of these moves may have spent a budget
        if best.length <= line.length or w.run.why != NOTHING:
            break
        extend(w, s, line, best.moves[line.length])
        n = 0 if solved(s) else moves(s, out)
        w.run.expanded += 1
    return best.score


def nested(w: Bundle):
    """Search again and again until a plan is found or a budget is spent; return the plan's first move."""
    run = w.run
    wake(w)
    if begins_ended(w):
        return fallback(w)
    while not ended(w):
        copy(w.states[run.level + 1], w.states[0])
        w.lines[run.level].length = 0
        nest(w, run.level)
        run.depth += 1
    run.distinct = 0
    return first(w) if run.status == SOLVED else fallback(w)


# ---- Policies that adapt -------------------------------------------------------------------------------------------


def code_of(w, k: int, m: int):
    """Return which weight of a policy belongs to a move."""
    return (mix(k, m) if w.run.by_position == 1 else mix(0, m)) & (CODES - 1)


def weigh(w, s, policy, out, n: int):
    """Write what each move weighs in a policy into the row of scores, and return the sum."""
    k = key(s)
    greatest = policy.weights[code_of(w, k, out[0])]
    for i in range(1, n):
        greatest = max(greatest, policy.weights[code_of(w, k, out[i])])
    less = greatest if abs(greatest) > STEEP else 0.0  # only how weights differ counts
    total = 0.0
    for i in range(n):
        w.scores[0][i] = math.exp(policy.weights[code_of(w, k, out[i])] - less)
        total += w.scores[0][i]
    return total


def drawn_sequence(w, level: int):
    """Play from the start to the end by the policy of a level; return the score."""
    s = w.states[1]
    line = w.best[level]
    copy(s, w.states[0])
    line.length = 0
    out = w.bufs[0]
    n = moves(s, out)
    while n > 0 and line.length < w.run.plies and not ended(w):
        rest = uniform(w.rng) * weigh(w, s, w.policies[level], out, n)
        i = 0
        while i < n - 1 and rest >= w.scores[0][i]:
            rest -= w.scores[0][i]
            i += 1
        extend(w, s, line, out[i])
        n = 0 if solved(s) else moves(s, out)
    return judged(w, s, line)


def adapt(w, level: int):
    """Bend the policy of a level towards its best sequence."""
    policy = w.policies[level]
    line = w.best[level]
    s = w.states[1]
    copy(s, w.states[0])
    out = w.bufs[0]
    old = w.before[0]
    copy(old, policy)
    for at in range(line.length):
        n = moves(s, out)
        k = key(s)
        total = weigh(w, s, old, out, n)
        policy.weights[code_of(w, k, line.moves[at])] += w.run.alpha
        for i in range(n):
            policy.weights[code_of(w, k, out[i])] -= w.run.alpha * w.scores[0][i] / total
        play(s, line.moves[at])
    return 0


def rollouts(w, level: int):
    """Search with a policy that adapts; return the score of the best sequence, in `best` of the level."""
    if level == 0:
        return drawn_sequence(w, 0)
    best = w.best[level]
    best.score = WORST
    best.length = 0
    for _ in range(w.run.iterations):
        if ended(w):
            return best.score
        copy(w.policies[level - 1], w.policies[level])
        if rollouts(w, level - 1) >= best.score:
            keep(best, w.best[level - 1])
        adapt(w, level)
    return best.score


def nrpa(w: Bundle):
    """Search again and again with a new policy until a plan is found or a budget is spent."""
    run = w.run
    wake(w)
    if begins_ended(w):
        return fallback(w)
    while not ended(w):
        for i in range(CODES):
            w.policies[run.level].weights[i] = 0.0
        rollouts(w, run.level)
        run.depth += 1
    run.distinct = 0
    return first(w) if run.status == SOLVED else fallback(w)


BUDGET = "moves that may be played before it gives up (0: no limit)"
LENGTH = "moves of a playout at most"


@dataclass(frozen=True)
class Nested(Guided):
    """Follows the best sequence that random play behind every move, nested in levels, has found."""

    name: ClassVar[str] = "nested"
    nodes: int = setting(10_000_000, BUDGET, least=0)
    level: int = setting(2, "how deeply searches are nested; 1 plays at random behind every move", least=1, most=4)
    plies: int = setting(200, LENGTH, least=1, most=PLIES)
    brain: Brain | None = mind()

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel; it needs little memory."""
        kernel = Kernel("nested Monte Carlo", nested, needs=("solved",), records=NESTED)
        rows = self.level + 2
        return Seat(kernel, sizes={"states": rows, "bufs": rows, "lines": rows, "best": rows})

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return what the kernel finds in `w.run`."""
        return {"level": self.level, "plies": self.plies}


@dataclass(frozen=True)
class NRPA(Guided):
    """Plays by a policy of moves, and bends it towards the best sequence so far, nested in levels."""

    name: ClassVar[str] = "nrpa"
    nodes: int = setting(10_000_000, BUDGET, least=0)
    level: int = setting(2, "how deeply searches are nested", least=1, most=DEEPEST_LEVEL)
    iterations: int = setting(100, "searches of the level below for each search", least=1)
    alpha: float = setting(1.0, "how far a policy is bent at once", least=0)
    plies: int = setting(200, LENGTH, least=1, most=PLIES)
    code: str = setting("position", "what a policy knows a move by", choices=("move", "position"))
    brain: Brain | None = mind()

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel; it needs little memory."""
        kernel = Kernel("nested rollout policy adaptation", nrpa, needs=("solved",), records=ADAPTING)
        rows = self.level + 2
        return Seat(kernel, sizes={"states": 2, "bufs": 1, "best": rows, "scores": 1, "policies": rows})

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return what the kernel finds in `w.run`."""
        by_position = int(self.code == "position")
        more = {"iterations": self.iterations, "alpha": float(self.alpha), "by_position": by_position}
        return {"level": self.level, "plies": self.plies, **more}
