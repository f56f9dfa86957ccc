"""Expectimax and the Star family: looking ahead where nature moves too.

The idea.  Where nature moves, the value is the mean over its moves by weight.  Expectimax looks at
everything.  Star1 cuts at chance nodes: values lie in [low, high], so what is still unseen can change the
mean only so far.  Star2 first probes one answer to every outcome (more: Star2.5), which tightens
those bounds; what a probe has found is kept and not searched again.  All of them return
expectimax's value.

Values are payoffs to the player who chooses, `evaluate` is taken as an estimate of them and clipped
to [low, high].  Depth counts decisions; nature's moves are free.

References.  D. Michie 1966; B. Ballard, "The *-minimax search procedure for trees containing chance
nodes", Artificial Intelligence 21 (1983), 327-350.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.names import (
    REDRAWS,
    FloatRows,
    Floats,
    Ints,
    Moves,
    States,
    chance,
    copy,
    evaluate,
    key,
    mover,
    moves,
    payoff,
    play,
    unbits,
)
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE, draw, mix
from ludwin.search.choice import Agent, Choice, must_move, setting
from ludwin.search.seat import Doubt, Seat, Sitting
from ludwin.search.table import ROW, answers, bound_of, knows, store

INNER, LEAVES, OUTSIDE, GENERATION = 0, 1, 2, 3  # in stats; OUTSIDE: a payoff lay outside [low, high]
PROBES = 14  # the memory of probes has 2**PROBES rows
SLACK = 1e-9  # values that differ by less than rounding does are not cut off
CHANCE_PLIES = 40  # plies of nature's that may lie between decisions, per decision


def estimate(s, me, low, high):
    """Return the evaluation as an estimate of the payoff to `me` (nan is the worst)."""
    value = 1.0 * evaluate(s, me)
    if not value > low:
        return low
    return min(value, high)


def weight_sum(s, out, n):
    """Return the sum of the weights of nature's moves."""
    total = 0.0
    for i in range(n):
        total += chance(s, out[i])
    return total


def settled(s, child, out, n):
    """Keep nature's moves after which it has done; return how many they are.

    In a game with REDRAWS the others draw something that leaves the game, and nature draws again: what it
    draws in the end is drawn from the rest by the same weights.  What it leaves for later draws is not looked at.
    """
    kept = 0
    if REDRAWS == 1:
        for i in range(n):
            copy(child, s)
            play(child, out[i])
            if mover(child) != CHANCE:
                out[kept] = out[i]
                kept += 1
    return kept if kept > 0 else n


def leaf(s, n, me, stats, low, high):
    """Return the value of a finished game, or the estimate at the horizon."""
    stats[LEAVES] += 1
    if n > 0:
        return estimate(s, me, low, high)
    value = 1.0 * payoff(s, me)
    if value < low or value > high:
        stats[OUTSIDE] += 1
    return value


def expected(states, bufs, stats, ply: int, depth: int, me: int, low: float, high: float):
    """Return the expectimax value of state number `ply` to player `me`."""
    s = states[ply]
    out = bufs[ply]
    n = moves(s, out)
    if n == 0 or depth == 0:
        return leaf(s, n, me, stats, low, high)
    stats[INNER] += 1
    child = states[ply + 1]
    player = mover(s)
    if player == CHANCE:
        n = settled(s, child, out, n)
        total = weight_sum(s, out, n)
        mean = 0.0
        for i in range(n):
            copy(child, s)
            play(child, out[i])
            p = chance(s, out[i]) / total
            mean += p * expected(states, bufs, stats, ply + 1, depth, me, low, high)
        return mean
    best = -math.inf if player == me else math.inf
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        value = expected(states, bufs, stats, ply + 1, depth - 1, me, low, high)
        best = max(best, value) if player == me else min(best, value)
    return best


def star(
    states,
    bufs,
    stats,
    memory,
    bounds,
    ply: int,
    depth: int,
    me: int,
    alpha: float,
    beta: float,
    low: float,
    high: float,
    probes: int,
    only: int,
):
    """Return the value to `me`, exact inside (alpha, beta); `only` > 0 looks at so many moves (a probe)."""
    s = states[ply]
    out = bufs[ply]
    n = moves(s, out)
    if n == 0 or depth == 0:
        return leaf(s, n, me, stats, low, high)
    stats[INNER] += 1
    child = states[ply + 1]
    player = mover(s)
    if player != CHANCE:
        # Step 1. A decision: ordinary alpha-beta, mine upwards, theirs downwards.
        mine = player == me
        best = -math.inf if mine else math.inf
        for i in range(n if only == 0 else min(n, only)):
            copy(child, s)
            play(child, out[i])
            a = max(alpha, best) if mine else alpha
            b = beta if mine else min(beta, best)
            k = mix(key(child), depth) if probes > 0 else 0
            at = (k & (2**PROBES - 1)) * ROW
            if probes > 0 and knows(memory, at, k, stats[GENERATION]) and answers(memory, at, depth, False, a, b):
                value = unbits(memory[at + 3])
            else:
                value = star(states, bufs, stats, memory, bounds, ply + 1, depth - 1, me, a, b, low, high, probes, 0)
                if probes > 0:
                    store(memory, at, k, stats[GENERATION], depth, bound_of(value, a, b), 0, 0, value)
            best = max(best, value) if mine else min(best, value)
            if (mine and best >= beta) or (not mine and best <= alpha):
                break
        return best
    # Step 2. Nature moves. Each outcome lies in [lows, highs]; probes tighten one of the two.
    n = settled(s, child, out, n)
    total = weight_sum(s, out, n)
    lows = 2 * ply
    highs = lows + 1
    for i in range(n):
        bounds[lows][i] = low
        bounds[highs][i] = high
    rest_low = low
    rest_high = high
    for i in range(n if probes > 0 else 0):
        copy(child, s)
        play(child, out[i])
        if mover(child) == CHANCE:
            continue
        p = chance(s, out[i]) / total
        if moves(child, bufs[ply + 1]) == 0:  # the end of the game: both bounds are the payoff
            value = leaf(child, 0, me, stats, low, high)
            bounds[lows][i] = value
            bounds[highs][i] = value
            rest_low += p * (value - low)
            rest_high += p * (value - high)
        elif mover(child) == me:  # one good answer is a lower bound: enough, if it lifts the mean to beta
            enough = (beta - rest_low) / p + low
            value = star(
                states,
                bufs,
                stats,
                memory,
                bounds,
                ply + 1,
                depth,
                me,
                low,
                min(enough, high),
                low,
                high,
                probes,
                probes,
            )
            bounds[lows][i] = max(low, value)
            rest_low += p * (bounds[lows][i] - low)
        else:
            enough = (alpha - rest_high) / p + high
            value = star(
                states,
                bufs,
                stats,
                memory,
                bounds,
                ply + 1,
                depth,
                me,
                max(enough, low),
                high,
                low,
                high,
                probes,
                probes,
            )
            bounds[highs][i] = min(high, value)
            rest_high += p * (bounds[highs][i] - high)
        if rest_low >= beta:
            return rest_low
        if rest_high <= alpha:
            return rest_high
    # Step 3. Search the outcomes with the window that the others leave open.
    mean = 0.0
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        p = chance(s, out[i]) / total
        rest_low -= p * bounds[lows][i]
        rest_high -= p * bounds[highs][i]
        a = (alpha - mean - rest_high) / p
        b = (beta - mean - rest_low) / p
        value = bounds[lows][i]
        if value != bounds[highs][i]:
            value = star(
                states, bufs, stats, memory, bounds, ply + 1, depth, me, max(a, low), min(b, high), low, high, probes, 0
            )
        if value >= b and b <= high:
            return mean + p * value + rest_low
        if value <= a and a >= low:
            return mean + p * value + rest_high
        mean += p * value
    return mean


def tie(values, n, rng):
    """Return one of the numbers of the highest value, drawn uniformly."""
    best = values[0]
    for i in range(1, n):
        best = max(best, values[i])
    equal = 0
    for i in range(n):
        if values[i] == best:
            equal += 1
    wanted = draw(rng, equal)
    for i in range(n):
        if values[i] == best:
            if wanted == 0:
                return i
            wanted -= 1
    return 0


def expectimax(
    states: States, bufs: Moves, rng: Ints, stats: Ints, values: Floats, depth: int, low: float, high: float
):
    """Return a best move of state 0, drawn among equals; the values of all moves go to `values`."""
    s = states[0]
    n = moves(s, bufs[0])
    me = mover(s)
    stats[INNER] = 1
    stats[LEAVES] = 0
    for i in range(n):
        copy(states[1], s)
        play(states[1], bufs[0][i])
        values[i] = expected(states, bufs, stats, 1, depth - 1, me, low, high)
    return bufs[0][tie(values, n, rng)]


def star_move(
    states: States,
    bufs: Moves,
    rng: Ints,
    stats: Ints,
    values: Floats,
    memory: Ints,
    bounds: FloatRows,
    depth: int,
    low: float,
    high: float,
    probes: int,
):
    """Return a best move of state 0 as expectimax would; values of worse moves are upper bounds."""
    s = states[0]
    n = moves(s, bufs[0])
    me = mover(s)
    stats[INNER] = 1
    stats[LEAVES] = 0
    stats[GENERATION] += 1
    best = low
    for i in range(n):
        copy(states[1], s)
        play(states[1], bufs[0][i])
        window = (
            best - SLACK * max(1.0, abs(best)) if i > 0 else -math.inf
        )  # a bit below the best: equals are searched in full
        values[i] = star(states, bufs, stats, memory, bounds, 1, depth - 1, me, window, math.inf, low, high, probes, 0)
        best = max(best, values[i]) if i > 0 else values[i]
    return bufs[0][tie(values, n, rng)]


EXPECTIMAX = Kernel("expectimax", expectimax)
STAR = Kernel("star", star_move)


@dataclass(frozen=True)
class Expectimax(Agent):
    """Looks `depth` decisions ahead and averages over nature's moves; equal moves are drawn by the seed."""

    name: ClassVar[str] = "expectimax"
    depth: int = setting(2, "decisions to look ahead; nature's moves are free", least=1)
    eval: str = setting("game", "which evaluation: game, or NAME for the game's evaluate_NAME")
    low: float = setting(-1.0, "the least payoff")
    high: float = setting(1.0, "the greatest payoff")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low < self.high:
            raise BadParameter(f"{self.name}: low must be below high, got {self.low:g} and {self.high:g}")

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has one player, or two with a constant sum, and hides nothing."""
        if game.players > 2 or (game.players == 2 and game.payoff_sum is None):
            raise CannotPlay(
                f"{self.name} plays games of two players with a constant payoff sum, {game.name} is none; try maxn "
                f"or uct"
            )
        if game.has_secrets:
            raise CannotPlay(f"{self.name} sees everything, {game.name} hides something; try uct")
        if self.eval != "game" and self.eval not in game.variants("evaluate_"):
            raise CannotPlay(
                f"{self.name}: {game.name} has no eval called {self.eval!r} (it has "
                f"{', '.join(('game', *game.variants('evaluate_')))})"
            )

    @property
    def probes(self) -> int:
        """Successors that Star2 probes; expectimax itself has no use for it."""
        return -1

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        bind = {"evaluate": f"evaluate_{self.eval}"} if self.eval != "game" else {}
        plies = (self.depth + 1) * (1 + (CHANCE_PLIES if game.has_chance else 0)) + 1
        most = game.max_moves

        def workspace(run: Specialised) -> list[Any]:
            if self.probes < 0:
                return [run.ints(4), run.floats(most), self.depth, self.low, self.high]
            memory = run.ints(ROW * 2**PROBES if self.probes else ROW)
            return [
                run.ints(4),
                run.floats(most),
                memory,
                run.float_rows(2 * plies),
                self.depth,
                self.low,
                self.high,
                self.probes,
            ]

        kernel = (
            Kernel("expectimax", expectimax, bind=bind) if self.probes < 0 else Kernel("star", star_move, bind=bind)
        )
        reason = f"{self.name}: {game.name} has payoffs outside [{self.low:g}, {self.high:g}]; give low= and high="
        return Seat(kernel, plies, workspace, Doubt(0, OUTSIDE, reason))

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return a move of the best expected value."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        stats, found = sitting.arguments[:2]
        values = {m: float(found[i]) for i, m in enumerate(state.moves())}
        kinds = {"inner": int(stats[INNER]), "leaves": int(stats[LEAVES])}
        return Choice(
            move, values[move], sum(kinds.values()), kinds=kinds, depth=self.depth, line=(move,), values=values
        )


@dataclass(frozen=True)
class Star1(Expectimax):
    """Expectimax that cuts at chance nodes by the bounds of the payoffs (Star1)."""

    name: ClassVar[str] = "star1"

    @property
    def probes(self) -> int:
        """No probes."""
        return 0


@dataclass(frozen=True)
class Star2(Expectimax):
    """Star1 that first probes answers to every outcome, and remembers them (Star2; probe > 1: Star2.5)."""

    name: ClassVar[str] = "star2"
    probe: int = setting(1, "answers to probe per outcome", least=1)

    @property
    def probes(self) -> int:
        """So many answers are probed."""
        return self.probe
