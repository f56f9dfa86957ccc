"""Proof-number search: is this position won, and how is that proved?

The idea.  Grow the tree where the proof is cheapest.  Every node keeps how many leaves at least must
still be proved (or disproved) to settle it; the search always expands the leaf that counts for both.
The answer is a proof, not an opinion: decided positions come out as won, drawn or lost.

References.  V. Allis, M. van der Meulen, J. van den Herik, "Proof-number search", Artificial
Intelligence 66 (1994), 91-124.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import HALF_SUM, MAX_PLIES, Bundle, copy, mover, moves, payoff, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.search.choice import Agent, Choice, demand_two_players, must_move, setting
from ludwin.search.seat import Seat, Sitting

NEVER = 10**12  # a proof number that stands for "impossible"
UNEXPANDED = -1
WON, DRAWN, LOST, OPEN = 1, 2, 3, 0
PROVED, DISPROVED = 1, 2

# The children of a node lie side by side from `first` on; `proof` leaves at least must be proved to settle it.
NODE = {"first": int, "width": int, "move": int, "proof": int, "disproof": int}
STEP = {"node": int, "mine": int}  # of the way to a leaf: the node, and whether the player who asks moves there
RUN = {"budget": int, "room": int, "size": int, "result": int, "looked": int}
RECORDS = {
    **{"states": "States", "bufs": "Moves", "rng": "Ints"},
    **{"run": RUN, "tree": [NODE], "path": [STEP]},
}


def judge(s, n: int, leaf, me: int, goal: int):
    """Set the numbers of a new leaf: settled if the game is over, else one leaf to go each way."""
    if n > 0:
        leaf.proof = 1
        leaf.disproof = 1
        return 0
    margin = payoff(s, me) - HALF_SUM
    reached = margin > 0 if goal == WON else margin >= 0
    leaf.proof = 0 if reached else NEVER
    leaf.disproof = NEVER if reached else 0
    return 0


def update(w, node: int, mine: bool):
    """Compute a node's numbers from its children: I need one proof, the opponent must be beaten everywhere."""
    here = w.tree[node]
    least = NEVER
    total = 0
    for number in range(here.first, here.first + here.width):
        child = w.tree[number]
        a = child.proof if mine else child.disproof
        b = child.disproof if mine else child.proof
        least = min(least, a)
        total = min(total + b, NEVER)
    here.proof = least if mine else total
    here.disproof = total if mine else least
    return 0


def descend(w, s, me: int):
    """Walk from the root to the most proving leaf, playing the moves; return its ply."""
    ply = 0
    node = 0
    w.path[0].node = 0
    while w.tree[node].width >= 0 and ply < MAX_PLIES:
        here = w.tree[node]
        mine = mover(s) == me
        w.path[ply].mine = 1 if mine else 0
        best = here.first
        for number in range(here.first, here.first + here.width):
            child = w.tree[number]
            if (child.proof < w.tree[best].proof) if mine else (child.disproof < w.tree[best].disproof):
                best = number
        play(s, w.tree[best].move)
        node = best
        ply += 1
        w.path[ply].node = node
    return ply


def prove(w, goal: int, budget: int):
    """Try to prove that the mover of state 0 reaches the goal; return whether that is PROVED, DISPROVED or OPEN."""
    run = w.run
    root = w.tree[0]
    me = mover(w.states[0])
    s = w.states[1]
    child = w.states[2]
    out = w.bufs[0]
    below = w.bufs[1]
    root.width = UNEXPANDED
    run.size = 1
    judge(w.states[0], moves(w.states[0], out), root, me, goal)
    while root.proof != 0 and root.disproof != 0 and run.looked < budget and run.size < run.room:
        # Step 1. Find the leaf that is cheapest for proof and disproof.
        copy(s, w.states[0])
        ply = descend(w, s, me)
        here = w.tree[w.path[ply].node]
        # Step 2. Expand it.
        n = moves(s, out)
        w.path[ply].mine = 1 if mover(s) == me else 0
        here.first = run.size
        here.width = n
        for i in range(n):
            copy(child, s)
            play(child, out[i])
            leaf = w.tree[run.size + i]
            leaf.move = out[i]
            leaf.width = UNEXPANDED
            judge(child, moves(child, below), leaf, me, goal)
        run.size += n
        run.looked += n
        # Step 3. Carry the numbers up.
        for i in range(ply, -1, -1):
            update(w, w.path[i].node, w.path[i].mine == 1)
    return PROVED if root.proof == 0 else DISPROVED if root.disproof == 0 else OPEN


def nearest(w):
    """Return the root's move that is proved, or nearest to a proof."""
    best = w.tree[w.tree[0].first]
    for number in range(w.tree[0].first, w.tree[0].first + w.tree[0].width):
        child = w.tree[number]
        if child.proof < best.proof or (child.proof == best.proof and child.disproof > best.disproof):
            best = child
    return best.move


def proof_number(w: Bundle):
    """Return a winning move if one is proved, else a move that is proved to draw, else the nearest."""
    run = w.run
    run.looked = 0
    run.result = OPEN
    answer = prove(w, WON, run.budget)
    if w.tree[0].width < 0:
        return w.bufs[0][0] if moves(w.states[0], w.bufs[0]) > 0 else 0
    chosen = nearest(w)
    if answer == PROVED:
        run.result = WON
    if answer == DISPROVED:
        answer = prove(w, DRAWN, run.looked + run.budget)
        chosen = nearest(w)
        run.result = DRAWN if answer == PROVED else LOST if answer == DISPROVED else OPEN
    return chosen


PROOF = Kernel("pns", proof_number, records=RECORDS)


@dataclass(frozen=True)
class ProofNumber(Agent):
    """Proves wins, draws and losses by proof-number search; undecided, it plays what is nearest to a proof."""

    name: ClassVar[str] = "pns"
    nodes: int = setting(100_000, "positions to look at for each question (is it won? is it at least drawn?)", least=1)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has at most two players, a constant sum and no chance."""
        demand_two_players(self, game)

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        size = self.nodes + 2 * game.max_moves + 1

        def prepare(_: Specialised, w: Any) -> None:
            w.run.budget, w.run.room = self.nodes, size - game.max_moves

        sizes = {"states": 3, "bufs": 2, "tree": size, "path": game.max_plies + 2}
        return Seat(PROOF, sizes=sizes, prepare=prepare)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return a proved move if there is one; `decided` says so, and `value` is 1, 0 or -1 about half the sum."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        result = sitting.w.run.result
        value = {WON: 1.0, DRAWN: 0.0, LOST: -1.0, OPEN: 0.0}[result] + (game.payoff_sum or 0) / 2
        return Choice(move, value, sitting.w.run.looked, decided=result != OPEN, line=(move,))
