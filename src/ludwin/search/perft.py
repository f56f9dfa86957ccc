"""Perft: count the positions at exactly a given depth.

Why it is here.  The counts of many games are published, so this is the sharpest test of a move
generator, and the plainest measure of its speed.  The last ply is counted in bulk, a list of n
moves is n positions, unless each of them shall be played.
"""

from ludwin.game import Game, State
from ludwin.kernel.names import Bundle, copy, moves, play
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.settings import within


def count(w, ply: int, depth: int):
    """Count the positions `depth` plies below state number `ply`; depth is at least 1."""
    s = w.states[ply]
    out = w.bufs[ply]
    n = moves(s, out)
    if depth == 1:
        return n
    child = w.states[ply + 1]
    total = 0
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        total += count(w, ply + 1, depth - 1)
    return total


def count_each(w, ply: int, depth: int):
    """Count as `count` does, and play the last move of every line, too."""
    if depth == 0:
        return 1
    s = w.states[ply]
    out = w.bufs[ply]
    n = moves(s, out)
    child = w.states[ply + 1]
    total = 0
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        total += count_each(w, ply + 1, depth - 1)
    return total


def leaves_each(w: Bundle, depth: int):
    """Count the positions `depth` plies below state 0, each one played."""
    return count_each(w, 0, depth)


def leaves(w: Bundle, depth: int):
    """Count the positions `depth` plies below state 0."""
    return count(w, 0, depth)


PERFT = Kernel("perft", leaves, records={"states": "States", "bufs": "Moves"})
PERFT_EACH = Kernel("perft of each", leaves_each, records={"states": "States", "bufs": "Moves"})


def perft(game: Game, depth: int, state: State | None = None, mode: str = "fast", *, each: bool = False) -> int:
    """Return the number of positions at exactly `depth` plies, each path counted.

    Nature's moves count like a player's. Depth 0 is the position itself. With `each` the moves of the last ply are
    played, too, and not only counted: the same number, and a fairer measure of speed.
    """
    within("depth", depth, least=0)
    if depth == 0:
        return 1
    kernel = specialise(game, PERFT_EACH if each else PERFT, mode)
    w = kernel.bundle(states=depth + 1, bufs=depth + 1)
    kernel.put(w.states, 0, state or game.start())
    return int(kernel(w, depth))


def divide(game: Game, depth: int, state: State | None = None, mode: str = "fast") -> dict[int, int]:
    """Return for each legal move the number of positions at `depth` that begin with it."""
    root = state or game.start()
    return {move: perft(game, depth - 1, root.play(move), mode) for move in root.moves()} if depth else {}
