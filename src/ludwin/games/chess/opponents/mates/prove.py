"""Mate in n as AND/OR search: kernel text that solvers by hand and evolved programs share.

The idea.  The player needs one move, the opponent must have no good reply: `attack` asks for a move after which
`defend` finds an answer to everything.  Which moves of the player's are looked at, in which order, and in which order
replies are tried, is handed in (`admits`, `worth`, `hint`), and so is which of the last moves are made (`finishes`); so
whatever those say, a mate that is found is proved.

Boards.  A *board* is a position that a move was made to.  Every one is counted, those that were looked at to put moves
in order, too; a board that was looked at for its place in the order is not counted again when it is searched.  To the
solvers by hand a check is known only when it has been made; `may_check` sees it before.

The table.  A row keeps within how many moves a position was proved, and for how many it failed.  Failures hold for
one choice of moves only, so rows belong to the `stage` that wrote them; and where the hundredth quiet ply could come
before the mate, to one count of quiet plies.

References.  M. Sipper, *Evolved to Win* (2011), algorithm 6.1; its stalemates are no mates here.
"""

from ludwin.games.chess.attacks import KING, PAWN, PAWN_ATTACKS, attackers, in_check, king_of, piece_attacks
from ludwin.games.chess.generate import BECOMES, CASTLING, IN_PASSING, KIND, PIECE, TO, can_move
from ludwin.games.chess.rules import QUIET_LIMIT
from ludwin.kernel.names import key, moves
from ludwin.primitives import mix, shl
from ludwin.program.act_kernel import RECORDS as ACTING
from ludwin.program.act_kernel import make, stop, take_back

OUT_OF_BOARDS = 3  # why a program is cut
REJECTED = -1e300  # the worth of moves that are not looked at
SKIP = -1000.0  # the hint of moves that are not even made
NEVER = 1000
LAST_ONLY, WHOLE = 1, 2  # what is left out: last moves alone, nothing
MATE = {
    **{"me": int, "boards": int, "limit": int, "generation": int, "mask": int, "n": int, "pending": int},
    **{
        "found": int,
        "order": int,
        "passes": int,
        "deepen": int,
        "answer": int,
        "weighed": int,
        "looks": int,
        "whole": int,
    },
}
ENTRY = {"key": int, "generation": int, "proved": int, "failed": int, "move": int}
RECORDS = {
    **ACTING,
    "mate": MATE,
    "values": "FloatRows",
    "entries": [ENTRY],
    "lasts": [int],  # the move that led to each position of the stack
    "history": [int],  # how often a move has refuted or mated, by square and square, for each side
    "keys": [int],
    "peeks": "Moves",  # for terminals that make moves
}
SQUARES = 4096


# What is handed in.


def admits(w, stage):
    """Stand-in: tell whether a move of the player's that was just made is looked at."""
    return True


def worth(w, stage):
    """Stand-in: return how soon it is looked at; higher ones come first."""
    return 0.0


def hint(w, stage):
    """Stand-in: return how soon the move `w.mate.pending` is tried, before it is made."""
    return 0.0


def finishes(w, stage):
    """Stand-in: tell whether `w.mate.pending`, a last move of the player's, is made at all."""
    return True


# The search.


def push(w, m):
    """Make a move, and count the board."""
    make(w, m)
    w.lasts[w.acts.open] = m
    w.mate.boards += 1
    if w.mate.boards >= w.mate.limit:
        stop(w, OUT_OF_BOARDS)
    return 0


def again(w, m):
    """Make a move to a board that has been counted."""
    make(w, m)
    w.lasts[w.acts.open] = m
    return 0


def is_mated(s):
    """Tell whether the mover is checkmated."""
    return in_check(s, s.turn) and not can_move(s)


def may_check(s, m):
    """Tell, before it is made, whether a move can give check: False is certain, castling and en passant are guessed."""
    me = s.turn
    king = king_of(s, 1 - me)
    square = m & 63
    to = m >> TO & 63
    occupied = ((s.sides[0] | s.sides[1]) & ~shl(1, square)) | shl(1, to)
    if m >> KIND == IN_PASSING or m >> KIND == CASTLING:
        return True
    if attackers(s, king, me, occupied) & ~(shl(1, square) | shl(1, to)) != 0:
        return True
    piece = m >> BECOMES & 7 if m >> BECOMES & 7 != 0 else m >> PIECE & 7
    if piece == PAWN:
        return PAWN_ATTACKS[me][to] & shl(1, king) != 0
    return piece != KING and piece_attacks(piece, to, occupied) & shl(1, king) != 0


def note(w, m, weight):
    """Remember that a move did what it was for."""
    w.history[(1 - w.positions[w.acts.open].turn) * SQUARES + (m & 63) * 64 + (m >> TO & 63)] += weight
    return 0


def hinted(w, stage, n):
    """Put the moves in the order of their hints, equal ones as they are, and return how many are left.

    Moves of the player's whose hint is SKIP or less are left out, unless `w.mate.whole` forbids it; of the opponent's
    none is.
    """
    here = w.acts.open
    out = w.choices[here]
    values = w.values[here]
    mine = w.positions[here].turn == w.mate.me
    count = 0
    for i in range(n):
        m = out[i]
        w.mate.pending = m
        value = hint(w, stage)
        if mine and not value > SKIP and w.mate.whole < LAST_ONLY:
            continue
        at = count
        count += 1
        while at > 0 and values[at - 1] < value:
            values[at] = values[at - 1]
            out[at] = out[at - 1]
            at -= 1
        values[at] = value
        out[at] = m
    return count


def last_moves(w, stage):
    """List the moves of the player's that may finish, and return how many."""
    here = w.acts.open
    out = w.choices[here]
    n = moves(w.positions[here], out)
    count = 0
    for i in range(n):
        w.mate.pending = out[i]
        if finishes(w, stage):
            out[count] = out[i]
            count += 1
    return count


def mate_now(w, stage):
    """Tell whether the player mates at once; moves that may finish are made until one does."""
    here = w.acts.open
    n = hinted(w, stage, last_moves(w, stage))
    for i in range(n):
        m = w.choices[here][i]
        push(w, m)
        mates = is_mated(w.positions[w.acts.open])
        if mates:
            note(w, m, 1)
        take_back(w)
        if mates:
            w.mate.found = m
            return True
        if w.acts.cut != 0:
            return False
    return False


def survey(w, stage, n):
    """Make every move once and sort those that are admitted by their worth; return how many, or -1 for a mate."""
    here = w.acts.open
    out = w.choices[here]
    values = w.values[here]
    count = 0
    for i in range(n):
        m = out[i]
        push(w, m)
        s = w.positions[w.acts.open]
        mates = is_mated(s)
        value = REJECTED
        if mates:
            note(w, m, 1)
        elif w.acts.cut == 0 and admits(w, stage):
            value = worth(w, stage)
        take_back(w)
        if mates:
            w.mate.found = m
            return -1
        if w.acts.cut != 0:
            return 0
        if value == value and value > REJECTED:
            at = count
            while at > 0 and values[at - 1] < value:
                values[at] = values[at - 1]
                out[at] = out[at - 1]
                at -= 1
            values[at] = value
            out[at] = m
            count += 1
    return count


def attack(w, stage, depth):
    """Tell whether the player, to move, mates within `depth` moves; the move is then `w.mate.found`."""
    if w.acts.cut != 0 or depth < 1:
        return False
    if depth == 1:
        return mate_now(w, stage)
    # Step 1. What is known already?
    here = w.acts.open
    k = known_as(w.positions[here], stage, 2 * depth - 1)
    entry = w.entries[k & w.mate.mask]
    if entry.key == k and entry.generation == w.mate.generation:
        if entry.proved <= depth:
            w.mate.found = entry.move
            return True
        if entry.failed >= depth:
            return False
    # Step 2. Look at every move, and put them in order.
    n = hinted(w, stage, moves(w.positions[here], w.choices[here]))
    count = survey(w, stage, n)
    if count < 0:
        return remember(w, k, 1, w.mate.found)
    # Step 3. Look for one that leaves no reply.
    for i in range(count):
        m = w.choices[here][i]
        again(w, m)
        proved = defend(w, stage, depth - 1)
        take_back(w)
        if proved:
            w.mate.found = m
            return remember(w, k, depth, m)
        if w.acts.cut != 0:
            return False
    return remember(w, k, -depth, 0)


def known_as(s, part, plies):
    """Return what a position is kept under in a part of the table, if a mate may take so many plies."""
    k = mix(key(s), part)
    return mix(k, s.quiet) if s.quiet + plies > QUIET_LIMIT else k


def remember(w, k, depth, m):
    """Write a row: proved within `depth` moves by m, or, negative, failed; tell whether it was proved."""
    entry = w.entries[k & w.mate.mask]
    if entry.key != k or entry.generation != w.mate.generation:
        entry.key = k
        entry.generation = w.mate.generation
        entry.proved = NEVER
        entry.failed = 0
    if depth < 0:
        entry.failed = max(entry.failed, -depth)
        return False
    if depth < entry.proved:
        entry.proved = depth
        entry.move = m
    return True


def defend(w, stage, depth):
    """Tell whether every reply of the opponent, to move, is answered by a mate within `depth` moves."""
    here = w.acts.open
    n = moves(w.positions[here], w.choices[here])
    if n == 0:
        return is_mated(w.positions[here])
    hinted(w, stage, n)
    for i in range(n):
        m = w.choices[here][i]
        push(w, m)
        answered = attack(w, stage, depth)
        if not answered and w.acts.cut == 0:
            note(w, m, depth * depth)
        take_back(w)
        if not answered:
            return False
    return w.acts.cut == 0


def forget(w):
    """Begin a problem: nothing is known, nothing is counted."""
    w.acts.steps = 0
    w.acts.cut = 0
    w.acts.open = 0
    w.mate.boards = 0
    w.mate.found = 0
    w.mate.answer = 0
    w.mate.whole = 0
    w.mate.generation += 1
    w.mate.me = w.positions[0].turn
    for i in range(2 * SQUARES):
        w.history[i] = 0
    return 0
