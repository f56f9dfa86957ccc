"""Rollouts: what a move is worth if both sides play on sensibly from there.

The idea.  Each candidate is played out many times with dice of its own, both sides choosing by one ply (after-states),
to the end or for some plies, where the evaluation speaks.  Two things cut the noise.  All candidates meet the same
dice.  And luck is taken out: what a roll brought beyond the mean of all rolls, as one ply sees it, is subtracted; its
mean is zero, so nothing is falsified, and what is left varies several times less.

Why it is here.  Where dice fan out, two plies cost hundreds of times what one ply costs, and rollouts are how
backgammon's opening theory was made.  They are a player, and a judge of positions: `ludwin analyse … rollout`.

References.  G. Tesauro and G. Galperin, "On-line policy improvement using Monte-Carlo search", NIPS 9 (1996); D.
Montgomery, "Variance reduction", GammOnLine (2000), for luck.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import HALF_SUM, Bundle, chance, copy, mover, moves, payoff, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE, mix
from ludwin.search.brain import Brain, Thinker, furnished, mind, named_evaluation
from ludwin.search.choice import Choice, demand_constant_sum, demand_open, must_move, setting
from ludwin.search.playout import sample
from ludwin.search.seat import Seat, Sitting
from ludwin.search.values import DECIDED, assess, wake

Z = 1.959964  # 95 % of a normal distribution lie within so many standard deviations

RUN = {
    **{"games": int, "plies": int, "keep": int, "luck": int},  # settings
    **{"me": int, "leaves": int},  # who asks; positions that were judged
}
RECORDS = {
    "states": "States",
    "bufs": "Moves",
    "rng": "Ints",
    "dice": "Ints",
    "run": RUN,
    "values": [float],
    "errors": [float],
    "played": [int],
}


def judged(w, s, n, last):
    """Return what a position is worth to player `last`, who chose to come there: its payoff, or the opinion."""
    w.run.leaves += 1
    if n == 0:
        return 1.0 * payoff(s, last)
    value = assess(w, s, last, n)
    return value if value == value else HALF_SUM  # nan is nothing


def to_asker(w, value, player):
    """Return what a worth to one player means to the player who asks."""
    return value if player == w.run.me else 2.0 * HALF_SUM - value


def by_one_ply(w, ply, last):
    """Return the worth of state `ply` to the player who asks if its mover looks one ply ahead."""
    s = w.states[ply]
    n = moves(s, w.bufs[ply])
    if n == 0 or mover(s) == CHANCE:
        return to_asker(w, judged(w, s, n, last), last)
    return better(w, ply, n, False)


def better(w, ply, n, make):
    """Return the worth of the best of n moves at state `ply` to the player who asks; `make` also plays it there.

    Its mover judges the positions behind its moves, as it does when it plays, and a finished game outweighs opinions.
    """
    s = w.states[ply]
    child = w.states[ply + 1]
    player = mover(s)
    best = 0.0
    rank = 0.0
    chosen = w.bufs[ply][0]
    for i in range(n):
        copy(child, s)
        play(child, w.bufs[ply][i])
        follow = moves(child, w.bufs[ply + 1])
        value = judged(w, child, follow, player)
        weight = value if follow > 0 else (value - HALF_SUM) * DECIDED
        if i == 0 or weight > rank:
            rank = weight
            best = value
            chosen = w.bufs[ply][i]
    if make:
        play(s, chosen)
    return to_asker(w, best, player)


def luck_of(w, n, chosen, last):
    """Return what nature's move number `chosen` of n at state 1 brings beyond the mean, as one ply sees it."""
    s = w.states[1]
    total = 0.0
    mean = 0.0
    got = 0.0
    for i in range(n):
        weight = 1.0 * chance(s, w.bufs[1][i])
        copy(w.states[2], s)
        play(w.states[2], w.bufs[1][i])
        value = by_one_ply(w, 2, last)
        total += weight
        mean += weight * value
        if i == chosen:
            got = value
    return got - mean / total


def play_on(w):
    """Play state 1 to the end, or for so many decisions, and return its worth to the player who asks, without luck."""
    s = w.states[1]
    luck = 0.0
    made = 0
    last = w.run.me  # who has chosen last
    n = moves(s, w.bufs[1])
    while n > 0:
        if mover(s) == CHANCE:
            if w.run.plies > 0 and made >= w.run.plies:
                break
            chosen = sample(s, w.bufs[1], n, w.dice)
            move = w.bufs[1][chosen]
            if w.run.luck > 0:
                luck += luck_of(w, n, chosen, last)
            play(s, move)
        else:
            last = mover(s)
            better(w, 1, n, True)
            made += 1
        n = moves(s, w.bufs[1])
    return to_asker(w, judged(w, s, n, last), last) - luck


def keep_best(w, n):
    """Bring the best moves by one ply to the front; return how many are rolled out."""
    kept = n if w.run.keep == 0 else min(n, w.run.keep)
    for i in range(n):
        copy(w.states[1], w.states[0])
        play(w.states[1], w.bufs[0][i])
        w.values[i] = judged(w, w.states[1], moves(w.states[1], w.bufs[1]), w.run.me)
        w.played[i] = 0
        w.errors[i] = 0.0
    for place in range(kept):
        best = place
        for i in range(place + 1, n):
            if w.values[i] > w.values[best]:
                best = i
        value = w.values[best]
        move = w.bufs[0][best]
        while best > place:  # the others keep their order
            w.values[best] = w.values[best - 1]
            w.bufs[0][best] = w.bufs[0][best - 1]
            best -= 1
        w.values[place] = value
        w.bufs[0][place] = move
    return kept


def rollout(w: Bundle):
    """Return the move of state 0 whose games went best; means and their errors go to `w.values` and `w.errors`."""
    run = w.run
    run.me = mover(w.states[0])
    run.leaves = 0
    wake(w)
    n = moves(w.states[0], w.bufs[0])
    kept = keep_best(w, n)
    best = 0
    for i in range(kept if n > 1 else 0):
        mean = 0.0
        squares = 0.0
        for game in range(run.games):
            w.dice[0] = mix(w.rng[0], game)
            copy(w.states[1], w.states[0])
            play(w.states[1], w.bufs[0][i])
            value = play_on(w)
            step = value - mean
            mean += step / (game + 1)
            squares += step * (value - mean)
        w.values[i] = mean
        w.played[i] = run.games
        w.errors[i] = math.sqrt(squares / (run.games - 1.0) / run.games) if run.games > 1 else 0.0
        if mean > w.values[best]:
            best = i
    return w.bufs[0][best]


@dataclass(frozen=True)
class Rollout(Thinker):
    """Plays every candidate out many times, both sides by one ply, with luck taken out; plays what went best."""

    name: ClassVar[str] = "rollout"
    asks_by_name: ClassVar[bool] = True
    games: int = setting(100, "games for each candidate", least=1)
    plies: int = setting(0, "decisions until the evaluation speaks; 0: to the end", least=0)
    keep: int = setting(5, "candidates, the best by one ply; 0: all moves", least=0)
    luck: int = setting(1, "1: take the luck of the dice out (fewer games, more work for each)", least=0, most=1)
    eval: str = setting("game", "which evaluation: game, NAME for the game's evaluate_NAME, or a brain of the game's")
    brain: Brain | None = mind()

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has one player, or two with a constant sum, and hides nothing."""
        demand_constant_sum(self, game, "uct")
        demand_open(self, game)
        self.demand_opinions(game)

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        me = self.settled(game)
        bind = named_evaluation(me.eval)
        kernel = Kernel("rollout", rollout, bind=bind, records=RECORDS)
        most = game.max_moves
        sizes = {"states": 4, "bufs": 4, "dice": 1, "values": most, "errors": most, "played": most}

        def prepare(_: Specialised, w: Any) -> None:
            w.run.games, w.run.plies, w.run.keep, w.run.luck = self.games, self.plies, self.keep, self.luck

        return furnished(Seat(kernel, sizes=sizes, prepare=prepare), me.brain and me.brain.beyond_one_ply(), game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the move whose games went best, with means, intervals and games of all candidates."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        w, count = sitting.w, len(state.moves())
        order = [int(w.bufs[0][i]) for i in range(count)]
        games = {m: int(w.played[i]) for i, m in enumerate(order) if w.played[i]}
        kept = games or {move: 0}
        values = {m: float(w.values[i]) for i, m in enumerate(order) if m in kept}
        margins = {m: Z * float(w.errors[i]) for i, m in enumerate(order) if m in kept}
        kinds = {"leaves": int(w.run.leaves), "games": sum(games.values())}
        return Choice(
            move, values[move], 1 + kinds["leaves"], kinds=kinds, line=(move,), visits=games, values=values,
            margins=margins,
        )  # fmt: skip
