"""An endgame player's programs some plies further on: alpha-beta over what they say of boards.

Why it is here.  The book's players look at the boards behind their own moves and no further.  What the same programs
are worth to a player who also looks at replies is another question, and its answer is told apart: `advised:depth=1` is
the book's player, `depth=3` the same opinions in a search.  At the horizon whoever is to move chooses as a player of
depth 1 would; what is good for one side is bad for the other.

Draws.  Opinions have no zero: those of the other side, seen from here, may all lie below 0, and then a player who is
a queen ahead would give her away for a draw that counts 0.  So to who is ahead in material at the root a draw is worse
than every opinion, to who is behind better, and 0 where nobody is.  Measured (champion of four endings, 64 games
against Master, depth 4): decisions with four men that keep the result 469 of 519 without this, 762 of 763 with it;
points 0.574 and 0.676.

Order.  The programs themselves say which moves are looked at first.  Kernel text: `w` is the bundle of a player
(`advised.py`); boards of a level lie behind those that terminals use.
"""

from ludwin.games.chess.opponents.tactics import ROOM
from ludwin.games.chess.opponents.terminals import before, material
from ludwin.games.chess.opponents.verdict import advisor, assay, ended
from ludwin.kernel.names import copy, moves, play
from ludwin.search.values import DECIDED, INFINITE, OPINION

DEEPEST = 6  # plies
USED = ROOM  # states and buffers of terminals and of players who look no further
LATER = 2.0**-7  # of what a mate is worth for each ply that it takes longer
DRAWN = 2.0 * OPINION  # a draw, to who is behind
CLOSE = 2.0**-40  # values that differ by less than this part are searched apart: one of them may be the best


def worth_of_draw(s):
    """Return what a draw is worth to the mover: more than opinions to who is behind, less to who is ahead."""
    return DRAWN * (advisor(material(s, s.turn)) - 1)


def drawn(w, level):
    """Return what a draw is worth to who moves at a level: at even ones that is the player at the root."""
    return w.run.draw if level % 2 == 0 else -w.run.draw


def ordered(w, s, level, base):
    """Put the moves of a position in the order in which its mover's programs like them; return how many."""
    out = w.bufs[USED + level]
    child = w.states[USED + level]
    row = level * w.run.width
    before(w, s)
    p = s.turn
    draw = drawn(w, level)
    n = moves(s, out)
    w.run.boards += n
    for i in range(n):
        m = out[i]
        copy(child, s)
        play(child, m)
        value = assay(w, child, p, base, draw)
        at = i
        while at > 0 and w.values[row + at - 1] < value:
            w.values[row + at] = w.values[row + at - 1]
            out[at] = out[at - 1]
            at -= 1
        w.values[row + at] = value
        out[at] = m
    return n


def look(w, s, depth: int, level: int, low: float, high: float, base: int):
    """Return what a position that goes on is worth to its mover, `depth` plies before the horizon."""
    n = ordered(w, s, level, base)
    best = -INFINITE
    if depth == 1:
        best = w.values[level * w.run.width]
        return best * (1.0 - LATER * level) if best > DRAWN else best
    child = w.states[USED + level]
    for i in range(n):
        copy(child, s)
        play(child, w.bufs[USED + level][i])
        over = ended(child)
        if over != 0:
            value = DECIDED * (1.0 - LATER * level) if over == 2 else drawn(w, level)
        else:
            value = -look(w, child, depth - 1, level + 1, -high, -max(low, best), base)
        best = max(best, value)
        if best >= high:
            return best
    return best


def foresee(w, s, base):
    """Write the values of all moves of a position to `w.values`, in the order of the rules; return how many.

    Those of the best moves are exact; the others are worth what is written at the most.
    """
    w.run.boards = 0
    w.run.draw = worth_of_draw(s)
    n = ordered(w, s, 0, base)
    moves(s, w.bufs[0])
    best = -INFINITE
    child = w.states[USED]
    for i in range(n):
        m = w.bufs[USED][i]
        copy(child, s)
        play(child, m)
        over = ended(child)
        if over != 0:
            value = DECIDED if over == 2 else drawn(w, 0)
        else:
            edge = best - abs(best) * CLOSE - CLOSE if best > -INFINITE else -INFINITE
            value = -look(w, child, w.run.depth - 1, 1, -INFINITE, -edge, base)
        best = max(best, value)
        for k in range(n):
            if w.bufs[0][k] == m:
                w.values[k] = value
    return n
