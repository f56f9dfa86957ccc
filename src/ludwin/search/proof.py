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
from ludwin.kernel.names import HALF_SUM, MAX_PLIES, Ints, Moves, States, copy, mover, moves, payoff, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.search.choice import Agent, Choice, demand_two_players, must_move, setting
from ludwin.search.seat import Seat, Sitting

NEVER = 10**12  # a proof number that stands for "impossible"
SIZE, RESULT, LOOKED = 0, 1, 2  # in stats
WON, DRAWN, LOST, OPEN = 1, 2, 3, 0


def judge(s, out, n, node: int, me: int, goal: int, proof, disproof):
    """Set the numbers of a new leaf: settled if the game is over, else one leaf to go each way."""
    if n > 0:
        proof[node] = 1
        disproof[node] = 1
        return 0
    margin = payoff(s, me) - HALF_SUM
    reached = margin > 0 if goal == WON else margin >= 0
    proof[node] = 0 if reached else NEVER
    disproof[node] = NEVER if reached else 0
    return 0


def update(node: int, mine, first, width, proof, disproof):
    """Compute a node's numbers from its children: I need one proof, the opponent must be beaten everywhere."""
    least = NEVER
    total = 0
    for child in range(first[node], first[node] + width[node]):
        a = proof[child] if mine else disproof[child]
        b = disproof[child] if mine else proof[child]
        least = min(least, a)
        total = min(total + b, NEVER)
    proof[node] = least if mine else total
    disproof[node] = total if mine else least
    return 0


def descend(s, out, first, width, move, proof, disproof, path, owner, me):
    """Walk from the root to the most proving leaf, playing the moves; return its ply."""
    ply = 0
    node = 0
    path[0] = 0
    while width[node] >= 0 and ply < MAX_PLIES:
        mine = mover(s) == me
        owner[ply] = 1 if mine else 0
        best = first[node]
        for child in range(first[node], first[node] + width[node]):
            if (proof[child] < proof[best]) if mine else (disproof[child] < disproof[best]):
                best = child
        play(s, move[best])
        node = best
        ply += 1
        path[ply] = node
    return ply


def prove(states, bufs, first, width, move, proof, disproof, path, owner, stats, goal, budget, room):
    """Try to prove that the mover of state 0 reaches the goal; return 1 proved, 2 disproved, 0 open."""
    me = mover(states[0])
    s = states[1]
    child = states[2]
    out = bufs[0]
    width[0] = -1
    stats[SIZE] = 1
    judge(states[0], out, moves(states[0], out), 0, me, goal, proof, disproof)
    while proof[0] != 0 and disproof[0] != 0 and stats[LOOKED] < budget and stats[SIZE] < room:
        # Step 1. Find the leaf that is cheapest for proof and disproof.
        copy(s, states[0])
        ply = descend(s, out, first, width, move, proof, disproof, path, owner, me)
        node = path[ply]
        # Step 2. Expand it.
        n = moves(s, out)
        owner[ply] = 1 if mover(s) == me else 0
        first[node] = stats[SIZE]
        width[node] = n
        for i in range(n):
            copy(child, s)
            play(child, out[i])
            at = stats[SIZE] + i
            move[at] = out[i]
            width[at] = -1
            judge(child, bufs[1], moves(child, bufs[1]), at, me, goal, proof, disproof)
        stats[SIZE] += n
        stats[LOOKED] += n
        # Step 3. Carry the numbers up.
        for i in range(ply, -1, -1):
            update(path[i], owner[i] == 1, first, width, proof, disproof)
    return 1 if proof[0] == 0 else 2 if disproof[0] == 0 else 0


def best_child(first, width, move, proof, disproof):
    """Return the root's move that is proved, or nearest to a proof."""
    best = first[0]
    for child in range(first[0], first[0] + width[0]):
        if proof[child] < proof[best] or (proof[child] == proof[best] and disproof[child] > disproof[best]):
            best = child
    return move[best]


def proof_number(
    states: States,
    bufs: Moves,
    rng: Ints,
    first: Ints,
    width: Ints,
    move: Ints,
    proof: Ints,
    disproof: Ints,
    path: Ints,
    owner: Ints,
    stats: Ints,
    budget: int,
    room: int,
):
    """Return a winning move if one is proved, else a move that is proved to draw, else the nearest."""
    stats[LOOKED] = 0
    stats[RESULT] = OPEN
    answer = prove(states, bufs, first, width, move, proof, disproof, path, owner, stats, WON, budget, room)
    if width[0] < 0:
        return bufs[0][0] if moves(states[0], bufs[0]) > 0 else 0
    chosen = best_child(first, width, move, proof, disproof)
    if answer == 1:
        stats[RESULT] = WON
    if answer == 2:
        answer = prove(
            states, bufs, first, width, move, proof, disproof, path, owner, stats, DRAWN, stats[LOOKED] + budget, room
        )
        chosen = best_child(first, width, move, proof, disproof)
        stats[RESULT] = DRAWN if answer == 1 else LOST if answer == 2 else OPEN
    return chosen


PROOF = Kernel("pns", proof_number)


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
        return Seat(PROOF, 3, self._workspace)

    def _workspace(self, run: Specialised) -> list[Any]:
        size = self.nodes + 2 * run.game.max_moves + 1
        long = run.game.max_plies + 2
        return [
            *(run.ints(size) for _ in range(5)),
            run.ints(long),
            run.ints(long),
            run.ints(3),
            self.nodes,
            size - run.game.max_moves,
        ]

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return a proved move if there is one; `decided` says so, and `value` is 1, 0 or -1 about half the sum."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        stats = sitting.arguments[7]
        result = int(stats[RESULT])
        value = {WON: 1.0, DRAWN: 0.0, LOST: -1.0, OPEN: 0.0}[result] + (game.payoff_sum or 0) / 2
        return Choice(move, value, int(stats[LOOKED]), decided=result != OPEN, line=(move,))
