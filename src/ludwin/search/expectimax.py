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

from ludwin.errors import BadParameter
from ludwin.game import Game, State
from ludwin.kernel.names import REDRAWS, Bundle, chance, copy, key, mover, moves, payoff, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE, draw, mix
from ludwin.search.brain import Brain, Thinker, furnished, mind, named_evaluation
from ludwin.search.choice import Choice, demand_constant_sum, demand_open, must_move, setting
from ludwin.search.seat import Doubt, Seat, Sitting
from ludwin.search.table import ENTRY, about, answers, bound_of, knows, store
from ludwin.search.values import assess, wake

PROBES = 14  # the memory of probes has 2**PROBES rows
SLACK = 1e-9  # values that differ by less than rounding does are not cut off
CHANCE_PLIES = 40  # plies of nature's that may lie between decisions, per decision

RUN = {
    **{"depth": int, "low": float, "high": float, "probes": int},  # settings
    **{"me": int, "inner": int, "leaves": int, "outside": int},  # who asks; counts; payoffs outside [low, high]
    "generation": int,  # each choice has its own, so that the memory never answers with another choice's values
}
RECORDS = {"states": "States", "bufs": "Moves", "rng": "Ints", "run": RUN, "values": [float]}
STAR_RECORDS = {**RECORDS, "memory": [ENTRY], "lows": "FloatRows", "highs": "FloatRows"}


def estimate(w, s, n):
    """Return the assessment as an estimate of the payoff to the player who asks (nan is the worst)."""
    value = assess(w, s, w.run.me, n)
    if not value > w.run.low:
        return w.run.low
    return min(value, w.run.high)


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


def leaf(w, s, n):
    """Return the value of a finished game, or the estimate at the horizon."""
    run = w.run
    run.leaves += 1
    if n > 0:
        return estimate(w, s, n)
    value = 1.0 * payoff(s, run.me)
    if value < run.low or value > run.high:
        run.outside += 1
    return value


def expected(w, ply: int, depth: int):
    """Return the expectimax value of state number `ply` to the player who asks."""
    s = w.states[ply]
    out = w.bufs[ply]
    n = moves(s, out)
    if n == 0 or depth == 0:
        return leaf(w, s, n)
    w.run.inner += 1
    child = w.states[ply + 1]
    player = mover(s)
    if player == CHANCE:
        n = settled(s, child, out, n)
        total = weight_sum(s, out, n)
        mean = 0.0
        for i in range(n):
            copy(child, s)
            play(child, out[i])
            p = chance(s, out[i]) / total
            mean += p * expected(w, ply + 1, depth)
        return mean
    mine = player == w.run.me
    best = -math.inf if mine else math.inf
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        value = expected(w, ply + 1, depth - 1)
        best = max(best, value) if mine else min(best, value)
    return best


def star(w, ply: int, depth: int, alpha: float, beta: float, only: int):
    """Return the value to the player who asks, exact inside (alpha, beta); `only` > 0 looks at so many moves (a probe).

    The bounds of nature's moves are in the ply's rows of `w.lows` and `w.highs`.
    """
    run = w.run
    s = w.states[ply]
    out = w.bufs[ply]
    n = moves(s, out)
    if n == 0 or depth == 0:
        return leaf(w, s, n)
    run.inner += 1
    low = run.low
    high = run.high
    probes = run.probes
    child = w.states[ply + 1]
    player = mover(s)
    if player != CHANCE:
        # Step 1. A decision: ordinary alpha-beta, mine upwards, theirs downwards.
        mine = player == run.me
        best = -math.inf if mine else math.inf
        for i in range(n if only == 0 else min(n, only)):
            copy(child, s)
            play(child, out[i])
            a = max(alpha, best) if mine else alpha
            b = beta if mine else min(beta, best)
            k = mix(key(child), depth) if probes > 0 else 0
            entry = w.memory[k & (2**PROBES - 1)]
            if probes > 0 and knows(entry, k, run.generation) and answers(entry, depth, False, a, b):
                value = entry.value
            else:
                value = star(w, ply + 1, depth - 1, a, b, 0)
                if probes > 0:
                    store(entry, k, about(run.generation, depth, bound_of(value, a, b), 0), 0, value)
            best = max(best, value) if mine else min(best, value)
            if (mine and best >= beta) or (not mine and best <= alpha):
                break
        return best
    # Step 2. Nature moves. Each outcome lies between its bounds; probes tighten one of the two.
    n = settled(s, child, out, n)
    total = weight_sum(s, out, n)
    lows = w.lows[ply]
    highs = w.highs[ply]
    for i in range(n):
        lows[i] = low
        highs[i] = high
    rest_low = low
    rest_high = high
    for i in range(n if probes > 0 else 0):
        copy(child, s)
        play(child, out[i])
        if mover(child) == CHANCE:
            continue
        p = chance(s, out[i]) / total
        if moves(child, w.bufs[ply + 1]) == 0:  # the end of the game: both bounds are the payoff
            value = leaf(w, child, 0)
            lows[i] = value
            highs[i] = value
            rest_low += p * (value - low)
            rest_high += p * (value - high)
        elif mover(child) == run.me:  # one good answer is a lower bound: enough, if it lifts the mean to beta
            enough = (beta - rest_low) / p + low
            value = star(w, ply + 1, depth, low, min(enough, high), probes)
            lows[i] = max(low, value)
            rest_low += p * (lows[i] - low)
        else:
            enough = (alpha - rest_high) / p + high
            value = star(w, ply + 1, depth, max(enough, low), high, probes)
            highs[i] = min(high, value)
            rest_high += p * (highs[i] - high)
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
        rest_low -= p * lows[i]
        rest_high -= p * highs[i]
        a = (alpha - mean - rest_high) / p
        b = (beta - mean - rest_low) / p
        value = lows[i]
        if value != highs[i]:
            value = star(w, ply + 1, depth, max(a, low), min(b, high), 0)
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


def begin(w):
    """Forget the last choice; return how many moves state 0 has."""
    run = w.run
    run.me = mover(w.states[0])
    run.inner = 1
    run.leaves = 0
    run.generation += 1
    wake(w)
    return moves(w.states[0], w.bufs[0])


def expectimax(w: Bundle):
    """Return a best move of state 0, drawn among equals; the values of all moves go to `w.values`."""
    n = begin(w)
    for i in range(n):
        copy(w.states[1], w.states[0])
        play(w.states[1], w.bufs[0][i])
        w.values[i] = expected(w, 1, w.run.depth - 1)
    return w.bufs[0][tie(w.values, n, w.rng)]


def star_move(w: Bundle):
    """Return a best move of state 0 as expectimax would; values of worse moves are upper bounds."""
    n = begin(w)
    best = w.run.low
    for i in range(n):
        copy(w.states[1], w.states[0])
        play(w.states[1], w.bufs[0][i])
        window = (
            best - SLACK * max(1.0, abs(best)) if i > 0 else -math.inf
        )  # a bit below the best: equals are searched in full
        w.values[i] = star(w, 1, w.run.depth - 1, window, math.inf, 0)
        best = max(best, w.values[i]) if i > 0 else w.values[i]
    return w.bufs[0][tie(w.values, n, w.rng)]


@dataclass(frozen=True)
class Expectimax(Thinker):
    """Looks `depth` decisions ahead and averages over nature's moves; equal moves are drawn by the seed."""

    name: ClassVar[str] = "expectimax"
    asks_by_name: ClassVar[bool] = True
    depth: int = setting(2, "decisions to look ahead; nature's moves are free", least=1)
    eval: str = setting("game", "which evaluation: game, NAME for the game's evaluate_NAME, or a brain of the game's")
    low: float = setting(-1.0, "the least payoff")
    high: float = setting(1.0, "the greatest payoff")
    brain: Brain | None = mind()

    @property
    def values_in(self) -> str:
        """Values are expected payoffs."""
        return "payoff"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low < self.high:
            raise BadParameter(f"{self.name}: low must be below high, got {self.low:g} and {self.high:g}")

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has one player, or two with a constant sum, and hides nothing."""
        demand_constant_sum(self, game)
        demand_open(self, game)
        self.demand_opinions(game)

    @property
    def probes(self) -> int:
        """Successors that Star2 probes; expectimax itself has no use for it."""
        return -1

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        me = self.settled(game)
        bind = named_evaluation(me.eval)
        plies = (self.depth + 1) * (1 + (CHANCE_PLIES if game.has_chance else 0)) + 1
        sizes = {"states": plies, "bufs": plies, "values": game.max_moves}
        kernel = Kernel("expectimax", expectimax, bind=bind, records=RECORDS)
        if self.probes >= 0:
            kernel = Kernel("star", star_move, bind=bind, records=STAR_RECORDS)
            sizes |= {"memory": 2**PROBES if self.probes else 1, "lows": plies, "highs": plies}

        def prepare(_: Specialised, w: Any) -> None:
            w.run.depth, w.run.low, w.run.high, w.run.probes = self.depth, self.low, self.high, self.probes

        reason = f"{self.name}: {game.name} has payoffs outside [{self.low:g}, {self.high:g}]; give low= and high="
        seat = Seat(kernel, sizes=sizes, prepare=prepare, doubt=Doubt("run", "outside", reason))
        return furnished(seat, me.brain and me.brain.beyond_one_ply(), game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return a move of the best expected value."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        values = {m: float(sitting.w.values[i]) for i, m in enumerate(state.moves())}
        kinds = {name: getattr(sitting.w.run, name) for name in ("inner", "leaves")}
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
