"""Minimax: look at everything, trust nothing.  The oracle of the whole family.

The idea.  The value of a position is the best that the mover can reach if the opponent answers
best; at the horizon the evaluation speaks.  No cuts, no tables, no order: slow, and so short that one
can see that it is right.

References.  C. Shannon, "Programming a computer for playing chess", Phil. Mag. 41 (1950).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import Floats, Ints, Moves, States, copy, mover, moves, play
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.search.choice import Agent, Choice, demand_two_players, must_move, setting
from ludwin.search.quiet import FORMS, TAIL, TWIST, USUAL, is_noisy, never_noisy, no_noise, noisy_moves, plies_behind
from ludwin.search.values import INFINITE, fact, opinion, worth

INNER, TERMINAL, STATIC = 0, 1, 2
count_noisy = no_noise  # bound to noisy_moves, and is_loud to is_noisy, where the game defines `noisy`
is_loud = never_noisy


def minimax(states, bufs, sure, stats, ply: int, depth: int, tail: int, form: int, extra: int):
    """Return the value of state number `ply`; `tail` counts the plies beyond the horizon."""
    # Step 1. Leaves: a fact if the game is over; at the horizon an opinion, unless it is noisy there.
    s = states[ply]
    out = bufs[ply]
    n = moves(s, out)
    best = -INFINITE
    only_noisy = False
    sure[ply] = 0
    if n == 0:
        stats[TERMINAL] += 1
        sure[ply] = 1
        return fact(s)
    if depth == 0:
        loud = count_noisy(s, out, n) if form != 0 else 0
        if form == TWIST and tail == 0 and loud > 0 and extra > 0:
            depth = extra
            tail = 1
        elif form == USUAL and tail < TAIL and loud > 0:
            only_noisy = True
            tail += 1
            depth = 1
            if loud < n:  # the mover may decline
                stats[STATIC] += 1
                best = opinion(s)
        else:
            stats[STATIC] += 1
            return opinion(s)
    # Step 2. The best child, seen from the mover's side.
    stats[INNER] += 1
    child = states[ply + 1]
    for i in range(n):
        if only_noisy and not is_loud(s, out[i]):
            continue
        copy(child, s)
        play(child, out[i])
        value = minimax(states, bufs, sure, stats, ply + 1, depth - 1, tail, form, extra)
        if mover(child) != mover(s):
            value = -value
        if value > best:
            best = value
            sure[ply] = sure[ply + 1]
    return best


def best_child(states: States, bufs: Moves, sure: Ints, stats: Ints, value: Floats, depth: int, form: int, extra: int):
    """Return the first best move of state 0 and put its value into value[0]."""
    s = states[0]
    n = moves(s, bufs[0])
    stats[INNER] += 1
    best = -INFINITE
    move = bufs[0][0]
    for i in range(n):
        copy(states[1], s)
        play(states[1], bufs[0][i])
        v = minimax(states, bufs, sure, stats, 1, depth - 1, 0, form, extra)
        if mover(states[1]) != mover(s):
            v = -v
        if v > best:
            best = v
            move = bufs[0][i]
            sure[0] = sure[1]
    value[0] = best
    return move


def bindings(game: Game, evaluation: str) -> dict[str, Any]:
    """Return how the free names of a search bind to the functions that a game offers."""
    bind: dict[str, Any] = {}
    if evaluation != "game":
        bind["evaluate"] = f"evaluate_{evaluation}"
    if "noisy" in game.offers:
        bind |= {"count_noisy": noisy_moves, "is_loud": is_noisy}
    return bind


@dataclass(frozen=True)
class Minimax(Agent):
    """Looks at every line of `depth` plies; the oracle that faster searches are tested against."""

    name: ClassVar[str] = "minimax"
    depth: int = setting(4, "plies to look ahead", least=1)
    eval: str = setting("game", "which evaluation: game, or NAME for the game's evaluate_NAME")
    quiescence: str = setting(
        "none", "none, twist (extra plies when noisy) or usual (noisy moves until quiet)", choices=tuple(FORMS)
    )
    extra: int = setting(2, "extra plies of Twist's quiescence", least=0)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has at most two players, a constant sum and no chance."""
        demand_two_players(self, game)

    def kernel(self, game: Game) -> Kernel:
        """Return the kernel that searches."""
        return Kernel("minimax", best_child, bind=bindings(game, self.eval))

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the first move of the best value; the seed plays no part."""
        self.suits(game)
        must_move(game, state)
        kernel = specialise(game, self.kernel(game), mode)
        plies = self.depth + plies_behind(self.quiescence, self.extra) + 2
        states, sure, stats, value = kernel.states(plies), kernel.ints(plies), kernel.ints(3), kernel.floats(1)
        kernel.put(states, 0, state)
        move = kernel(states, kernel.moves(plies), sure, stats, value, self.depth, FORMS[self.quiescence], self.extra)
        decided = bool(sure[0])
        kinds = {"inner": int(stats[INNER]), "terminal": int(stats[TERMINAL]), "static": int(stats[STATIC])}
        return Choice(
            int(move),
            worth(float(value[0]), decided, game.payoff_sum),
            sum(kinds.values()),
            decided,
            kinds=kinds,
            depth=self.depth,
        )
