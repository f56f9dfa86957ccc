"""Minimax: look at everything, trust nothing.  The oracle of the whole family.

The idea.  The value of a position is the best that the mover can reach if the opponent answers
best; at the horizon the evaluation speaks.  No cuts, no tables, no order: slow, and so short that one
can see that it is right.

References.  C. Shannon, "Programming a computer for playing chess", Phil. Mag. 41 (1950).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import Bundle, copy, mover, moves, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.search.brain import Brain, Thinker, furnished, mind
from ludwin.search.choice import Choice, demand_two_players, must_move, setting
from ludwin.search.quiescence import (
    FORMS,
    TAIL,
    TWIST,
    USUAL,
    is_noisy,
    never_noisy,
    no_noise,
    noisy_moves,
    plies_behind,
)
from ludwin.search.seat import Seat, Sitting
from ludwin.search.values import INFINITE, fact, opinion, wake, worth

COUNTS = {"inner": int, "terminal": int, "static": int}  # the nodes that were searched, finished or assessed
RUN = {**COUNTS, "depth": int, "form": int, "extra": int, "value": float}
RECORDS = {"states": "States", "bufs": "Moves", "rng": "Ints", "sure": [int], "run": RUN}
count_noisy = no_noise  # bound to noisy_moves, and is_loud to is_noisy, where the game defines `noisy`
is_loud = never_noisy


def minimax(w, ply: int, depth: int, tail: int):
    """Return the value of state number `ply`; `tail` counts the plies beyond the horizon."""
    # Step 1. Leaves: a fact if the game is over; at the horizon an opinion, unless it is noisy there.
    run = w.run
    s = w.states[ply]
    out = w.bufs[ply]
    n = moves(s, out)
    best = -INFINITE
    only_noisy = False
    w.sure[ply] = 0
    if n == 0:
        run.terminal += 1
        w.sure[ply] = 1
        return fact(s)
    if depth == 0:
        loud = count_noisy(s, out, n) if run.form != 0 else 0
        if run.form == TWIST and tail == 0 and loud > 0 and run.extra > 0:
            depth = run.extra
            tail = 1
        elif run.form == USUAL and tail < TAIL and loud > 0:
            only_noisy = True
            tail += 1
            depth = 1
            if loud < n:  # the mover may decline
                run.static += 1
                best = opinion(w, s, n)
        else:
            run.static += 1
            return opinion(w, s, n)
    # Step 2. The best child, seen from the mover's side.
    run.inner += 1
    child = w.states[ply + 1]
    for i in range(n):
        if only_noisy and not is_loud(s, out[i]):
            continue
        copy(child, s)
        play(child, out[i])
        value = minimax(w, ply + 1, depth - 1, tail)
        if mover(child) != mover(s):
            value = -value
        if value > best:
            best = value
            w.sure[ply] = w.sure[ply + 1]
    return best


def best_child(w: Bundle):
    """Return the first best move of state 0 and put its value into the run's record."""
    run = w.run
    s = w.states[0]
    child = w.states[1]
    out = w.bufs[0]
    wake(w)
    n = moves(s, out)
    run.inner = 1
    run.terminal = 0
    run.static = 0
    w.sure[0] = 0
    best = -INFINITE
    move = out[0]
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        v = minimax(w, 1, run.depth - 1, 0)
        if mover(child) != mover(s):
            v = -v
        if v > best:
            best = v
            move = out[i]
            w.sure[0] = w.sure[1]
    run.value = best
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
class Minimax(Thinker):
    """Looks at every line of `depth` plies; the oracle that faster searches are tested against."""

    name: ClassVar[str] = "minimax"
    depth: int = setting(4, "plies to look ahead", least=1)
    eval: str = setting("game", "which evaluation: game, or NAME for the game's evaluate_NAME")
    quiescence: str = setting(
        "none", "none, twist (extra plies when noisy) or usual (noisy moves until quiet)", choices=tuple(FORMS)
    )
    extra: int = setting(2, "extra plies of Twist's quiescence", least=0)
    brain: Brain | None = mind()

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has at most two players, a constant sum and no chance."""
        demand_two_players(self, game)
        if self.brain is not None:
            self.brain.suits(game)

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        plies = self.depth + plies_behind(self.quiescence, self.extra) + 2

        def prepare(_: Specialised, w: Any) -> None:
            w.run.depth, w.run.form, w.run.extra = self.depth, FORMS[self.quiescence], self.extra

        kernel = Kernel("minimax", best_child, bind=bindings(game, self.eval), records=RECORDS)
        seat = Seat(kernel, sizes={"states": plies, "bufs": plies, "sure": plies}, prepare=prepare)
        return furnished(seat, self.brain, game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the first move of the best value; the seed plays no part."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        run, decided = sitting.w.run, bool(sitting.w.sure[0])
        kinds = {name: getattr(run, name) for name in COUNTS}
        value = worth(run.value, decided, game.payoff_sum)
        return Choice(move, value, sum(kinds.values()), decided, kinds=kinds, depth=self.depth)
