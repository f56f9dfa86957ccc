"""What mate programs do: the functions of Table 6.2 of *Evolved to Win*, and ours. Kernel text.

Why it is here.  Here a program is a search: it makes moves, looks at what follows and takes them back.  A function that
needs a move of the player's where the opponent is to move, or the other way round, goes to its last branch without a
move.  Where several moves qualify the first one counts, in the order of the rules; so "if one of my moves exists such
that B" stays on the board after the first one with B.

Ours are `Prove` (a and b are asked after each of the player's moves: is it looked at, how soon; c before every move,
theirs too: how soon it is tried; d before each last move: is it made), a whole AND/OR search to the depth of the
problem whose moves the branches choose, and `OrElse`: the first proof that there is.
"""

from ludwin.games.chess.attacks import KING, KING_ATTACKS, in_check, pinned
from ludwin.games.chess.generate import PIECE, TAKEN, TO
from ludwin.games.chess.opponents.mates.asks import apart, can_check, near, only_king, opponent_king, sees
from ludwin.games.chess.opponents.mates.prove import LAST_ONLY, WHOLE, attack, defend, is_mated, push
from ludwin.kernel.names import moves
from ludwin.primitives import shl
from ludwin.program.act import Action
from ludwin.program.act_kernel import branch, take_back

WON = 1000.0
DEPTH = 32  # moves that a program can have made at once
ACTIONS = {
    "if my move": Action(3, "abc", opens=1),
    "if all replies": Action(3, "abc", opens=1),
    "best move": Action(1, "a", opens=1),
    "all moves such that": Action(3, "abc", opens=1),
    "if checking move": Action(2, "ab", opens=1),
    "my move iter": Action(4, "abcd", opens=2),
    "if king must move": Action(2, "ab", opens=1),
    "if capture close": Action(2, "ab", opens=1),
    "if pin close": Action(2, "ab", opens=1),
    "if attacking move": Action(2, "ab", opens=1),
    "if clearing move": Action(2, "ab", opens=1),
    "if suicide check": Action(3, "abc", opens=2),
    "prove": Action(4, "abcd"),
    "or else": Action(2, "ab"),
}
MY_MOVE, ALL_REPLIES, BEST, SUCH_THAT, CHECKING, ITER, KING_MUST, CAPTURE, PIN, ATTACKING, CLEARING, SUICIDE = range(12)
PROVE, OR_ELSE = 12, 13


def listed(w):
    """List the moves of the board into its own row, and return how many."""
    return moves(w.positions[w.acts.open], w.choices[w.acts.open])


def is_mine(w):
    """Tell whether the player is to move."""
    return w.positions[w.acts.open].turn == w.mate.me


def if_my_move(w, node):
    """IfMyMoveExistsSuchThat(B, F1, F2)."""
    if is_mine(w):
        here = w.acts.open
        n = listed(w)
        for i in range(n):
            push(w, w.choices[here][i])
            if branch(w, node, 0) != 0.0:
                return branch(w, node, 1)
            take_back(w)
            if w.acts.cut != 0:
                return 0.0
    return branch(w, node, 2)


def least_reply(w, node, then):
    """Return the least value of a branch over all replies."""
    here = w.acts.open
    n = listed(w)
    least = WON * 1e6
    for i in range(n):
        push(w, w.choices[here][i])
        value = branch(w, node, then)
        take_back(w)
        least = min(least, value)
        if w.acts.cut != 0:
            return least
    return least


def all_replies_hold(w, node, test):
    """Tell whether a branch holds after every reply."""
    here = w.acts.open
    n = listed(w)
    for i in range(n):
        push(w, w.choices[here][i])
        holds = branch(w, node, test) != 0.0
        take_back(w)
        if not holds:
            return False
    return True


def if_all_replies(w, node):
    """IfForAllOpponentMoves(B, F1, F2): the least F1 over the replies; mate counts as all, stalemate does not."""
    if is_mine(w):
        return branch(w, node, 2)
    if listed(w) == 0:
        return branch(w, node, 1) if is_mated(w.positions[w.acts.open]) else branch(w, node, 2)
    if not all_replies_hold(w, node, 0):
        return branch(w, node, 2)
    return least_reply(w, node, 1)


def best_move(w, node):
    """MakeBestMove(F): the greatest F over the player's moves, the least over the opponent's."""
    mine = is_mine(w)
    here = w.acts.open
    n = listed(w)
    if n == 0:
        mated = is_mated(w.positions[here])
        return (-WON if mine else WON) if mated else 0.0
    best = 0.0
    for i in range(n):
        push(w, w.choices[here][i])
        value = branch(w, node, 0)
        take_back(w)
        if i == 0 or (value > best if mine else value < best):
            best = value
        if w.acts.cut != 0:
            return best
    return best


def such_that(w, node):
    """MakeAllMovesSuchThat(B, F1, F2): the best F1 over the moves after which B holds; F2 if there is none."""
    mine = is_mine(w)
    here = w.acts.open
    n = listed(w)
    best = 0.0
    count = 0
    for i in range(n):
        push(w, w.choices[here][i])
        if branch(w, node, 0) != 0.0:
            value = branch(w, node, 1)
            if count == 0 or (value > best if mine else value < best):
                best = value
            count += 1
        take_back(w)
        if w.acts.cut != 0:
            return best
    return best if count > 0 else branch(w, node, 2)


def if_checking(w, node):
    """IfExistsCheckingMove(F1, F2): no move stays made."""
    found = False
    if is_mine(w):
        here = w.acts.open
        n = listed(w)
        for i in range(n):
            push(w, w.choices[here][i])
            s = w.positions[w.acts.open]
            found = in_check(s, s.turn)
            take_back(w)
            if found or w.acts.cut != 0:
                break
    return branch(w, node, 0) if found else branch(w, node, 1)


def my_move_iter(w, node):
    """MyMoveIter(B1, B2, F1, F2): F1 after the first of my moves with B1 whose replies all have B2."""
    if is_mine(w):
        here = w.acts.open
        n = listed(w)
        for i in range(n):
            push(w, w.choices[here][i])
            if branch(w, node, 0) != 0.0:
                m = listed(w)
                good = is_mated(w.positions[w.acts.open]) if m == 0 else all_replies_hold(w, node, 1)
                if good:
                    return branch(w, node, 2)
            take_back(w)
            if w.acts.cut != 0:
                return 0.0
    return branch(w, node, 3)


def if_king_must(w, node):
    """IfKingMustMove(F1, F2): the least F1 over the replies, if all are the king's."""
    if is_mine(w) or not only_king(w, w.positions[w.acts.open]):
        return branch(w, node, 1)
    return least_reply(w, node, 0)


def does(w, k, m, cleared):
    """Tell whether the move m of the player's, which was just made, is what an action looks for."""
    s = w.positions[w.acts.open]
    before = w.positions[w.acts.open - 1]
    king = opponent_king(w, s)
    to = m >> TO & 63
    if k == CAPTURE:
        return m >> TAKEN & 7 != 0 and apart(to, king) <= 2
    if k == PIN:
        fresh = pinned(s, s.turn, king) & ~pinned(before, s.turn, king)
        return fresh & near(king) != 0
    if k == ATTACKING:
        return m >> PIECE & 7 != KING and sees(s, to, s.sides[0] | s.sides[1]) & KING_ATTACKS[king] != 0
    others = can_check(w, s) & ~shl(1, to) & ~cleared
    return not in_check(s, s.turn) and others != 0


def if_such_a_move(w, k, node):
    """Make the first move of the player's that an action looks for, and return F1; else F2."""
    if is_mine(w):
        here = w.acts.open
        cleared = can_check(w, w.positions[here])
        n = listed(w)
        for i in range(n):
            m = w.choices[here][i]
            push(w, m)
            if does(w, k, m, cleared):
                return branch(w, node, 0)
            take_back(w)
            if w.acts.cut != 0:
                return 0.0
    return branch(w, node, 1)


def is_sacrifice(w, to):
    """Tell whether the mover can capture on a square."""
    n = listed(w)
    for i in range(n):
        if w.choices[w.acts.open][i] >> TO & 63 == to:
            return True
    return False


def if_suicide(w, node):
    """IfSuicideCheck(B, F1, F2): F1 after the first check whose man can be captured and after which B holds."""
    if is_mine(w):
        here = w.acts.open
        n = listed(w)
        for i in range(n):
            m = w.choices[here][i]
            push(w, m)
            s = w.positions[w.acts.open]
            if in_check(s, s.turn) and is_sacrifice(w, m >> TO & 63) and branch(w, node, 0) != 0.0:
                return branch(w, node, 1)
            take_back(w)
            if w.acts.cut != 0:
                return 0.0
    return branch(w, node, 2)


# Ours.


def admits_by_program(w, stage):
    """Ask branch a of a `Prove` whether the move that was just made is looked at."""
    w.mate.pending = w.lasts[w.acts.open]
    w.mate.weighed = 0
    return w.mate.whole >= LAST_ONLY or branch(w, stage, 0) != 0.0


def worth_by_program(w, stage):
    """Ask branch b how soon."""
    w.mate.pending = w.lasts[w.acts.open]
    w.mate.weighed = 0
    return branch(w, stage, 1)


def hint_by_program(w, stage):
    """Ask branch c how soon a move is tried that is not made yet."""
    w.mate.weighed = 1
    return branch(w, stage, 2)


def finishes_by_program(w, stage):
    """Ask branch d whether a last move is made."""
    w.mate.weighed = 1
    return w.mate.whole >= WHOLE or branch(w, stage, 3) != 0.0


def moves_left(w):
    """Return how many moves of its own the player has left on this board; it is to move on the first one."""
    return w.mate.n - (w.acts.open + 1) // 2


def prove(w, node):
    """Prove a mate with the moves that are left; 1000 if there is one, -1000 if these moves have none."""
    root = w.acts.open == 0
    if is_mine(w):
        proved = attack(w, node, moves_left(w))
        if proved and root:
            w.mate.answer = w.mate.found
    else:
        proved = defend(w, node, moves_left(w))
    return WON if proved else -WON


def or_else(w, node):
    """Return the first branch if it proves a mate, else the second."""
    value = branch(w, node, 0)
    return value if value >= WON else branch(w, node, 1)


def act(w, k, node):
    """Do action number k."""
    if k == MY_MOVE:
        return if_my_move(w, node)
    if k == ALL_REPLIES:
        return if_all_replies(w, node)
    if k == BEST:
        return best_move(w, node)
    if k == SUCH_THAT:
        return such_that(w, node)
    if k == CHECKING:
        return if_checking(w, node)
    if k == ITER:
        return my_move_iter(w, node)
    if k == KING_MUST:
        return if_king_must(w, node)
    if k == SUICIDE:
        return if_suicide(w, node)
    if k == PROVE:
        return prove(w, node)
    if k == OR_ELSE:
        return or_else(w, node)
    return if_such_a_move(w, k, node)
