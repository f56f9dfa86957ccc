"""Alpha-beta with its refinements, each of which can be switched on or off.

The idea.  One recursion asks a row of questions at every node: is the answer in the table, does the
game allow a null move, in which order shall the moves be tried, is a null window enough for this
move.  None of them changes the value at the root (null move and late-move reductions do, and say so);
all of them are there to cut earlier.  The driver deepens iteration by iteration, with aspiration
windows or MTD(f) if wanted, until depth, nodes or time are used up.

The workspace.  `mem` holds settings, counts, killer lists and principal variations in one array, because
a recursion that carries a dozen arrays is slower than one that carries six.

References.  T. Marsland, "A review of game-tree pruning", ICCA Journal 9 (1986); J. Pearl, "SCOUT",
1980; A. Plaat et al., "Best-first fixed-depth minimax algorithms" (MTD(f)), 1996.
"""

from ludwin.kernel.names import Floats, Ints, Moves, States, above, copy, key, mover, moves, play, unbits
from ludwin.primitives import draw
from ludwin.search.ordering import (
    BY_GAME,
    BY_NOISE,
    BY_VALUE,
    HISTORY,
    MOST_HISTORY,
    MOST_ORDER,
    OF_KILLER,
    OF_ORDER,
    OF_TABLE,
    by_value,
    history_cell,
    is_killer,
    no_order,
    remember_killer,
    sort_moves,
)
from ludwin.search.quiet import TAIL, TWIST, USUAL, never_noisy, no_noise
from ludwin.search.table import ROW, answers, bound_of, knows, store
from ludwin.search.values import INFINITE, fact, opinion

# settings, in mem
MASK, DEEPER, KILLERS, KILLER_SIZE, USE_HISTORY, SCOUT, FORM, EXTRA, REDUCE, NULL, ORDER = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
)
BUDGET, DRIVER, PLIES, LISTS, LINES, ROOTS, TIES = 11, 12, 13, 14, 15, 16, 17
CLOCK = 18  # set from outside when the time is up
NODES = 19  # all that were begun; the budget counts these
# counts and findings, in mem
INNER, TERMINAL, STATIC, CUTS, HITS, STOP, SURE, BEST, REACHED, AFTER_NULL = 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
GENERATION = 30  # each choice has its own, so that a table never answers with another choice's values
START = 32  # the lists begin here

ONE_LIST, LIST_PER_PLY = 1, 2
WINDOW, MTDF = 1, 2  # drivers; 0 is the full window
LATE, REDUCED_FROM = 3, 3  # late-move reductions: from the 4th move on, at 3 plies or more
NULL_DEPTH = 2  # how much shallower the null move is searched

count_noisy = no_noise  # these four are bound to the game's functions where it has them
is_loud = never_noisy
order_score = no_order


def no_null(s):
    """Stand in for the game's `null`."""
    return False


give_turn = no_null


def killer_list(mem, ply):
    """Return where the killer list of a ply begins in mem."""
    return mem[LISTS] + (ply * (mem[KILLER_SIZE] + 2) if mem[KILLERS] == LIST_PER_PLY else 0)


def arrange(s, child, out, rank, mem, history, ply, n, hint, hinted):
    """Rank the moves and sort them; `hint` is the table's move if `hinted`."""
    me = mover(s)
    killers = killer_list(mem, ply)
    for i in range(n):
        m = out[i]
        r = 0
        if ply == 0:
            r = mem[mem[ROOTS] + i]
        if mem[ORDER] == BY_GAME:
            r += max(0, min(order_score(s, m), MOST_ORDER)) * OF_ORDER
        elif mem[ORDER] == BY_NOISE:
            r += OF_ORDER if is_loud(s, m) else 0
        elif mem[ORDER] == BY_VALUE:
            r += by_value(s, child, m) * OF_ORDER
        if mem[USE_HISTORY] != 0:
            r += history[history_cell(me, m)]
        if mem[KILLERS] != 0 and is_killer(mem, killers, m):
            r += OF_KILLER
        if hinted and m == hint:
            r += OF_TABLE
        rank[i] = r
    sort_moves(out, rank, n)
    return 0


def praise(mem, history, ply, me, depth, move):
    """Remember that a move has cut here."""
    mem[CUTS] += 1
    if mem[KILLERS] != 0:
        remember_killer(mem, killer_list(mem, ply), mem[KILLER_SIZE], move)
    if mem[USE_HISTORY] != 0:
        cell = history_cell(me, move)
        history[cell] = min(history[cell] + depth * depth, MOST_HISTORY)
    return 0


def remember_line(mem, ply, move):
    """Put a move before the line of the child: the principal variation of this ply."""
    row = mem[LINES] + ply * mem[PLIES]
    below = mem[row + mem[PLIES]]
    mem[row] = below + 1
    mem[row + 1] = move
    for i in range(below):
        mem[row + 2 + i] = mem[row + mem[PLIES] + 1 + i]
    return 0


def search(states, bufs, ranks, mem, table, history, ply: int, depth: int, tail: int, alpha: float, beta: float):
    """Return the value of state number `ply`, exact inside (alpha, beta), a bound outside."""
    # Step 0. Budgets and clocks stop everything; what is returned then is not used.
    mem[NODES] += 1
    if mem[NODES] > mem[BUDGET] or mem[STOP] != 0 or mem[CLOCK] != 0:
        mem[STOP] = 1
        return 0.0
    # Step 1. Leaves. Beyond the horizon (`tail` > 0) only Twist's extra plies or noisy moves count.
    s = states[ply]
    out = bufs[ply]
    n = moves(s, out)
    mem[mem[LINES] + ply * mem[PLIES]] = 0
    best = -INFINITE
    sure = 0
    only_noisy = False
    if n == 0:
        mem[TERMINAL] += 1
        mem[SURE] = 1
        return fact(s)
    if depth <= 0:
        loud = count_noisy(s, out, n) if mem[FORM] != 0 else 0
        if mem[FORM] == TWIST and tail == 0 and loud > 0 and mem[EXTRA] > 0:
            depth = mem[EXTRA]
            tail = 1
        elif mem[FORM] == USUAL and tail < TAIL and loud > 0:
            only_noisy = True
            tail += 1
            depth = 1
            if loud < n:  # the mover may decline
                mem[STATIC] += 1
                best = opinion(s)
                if best >= beta:
                    mem[SURE] = 0
                    return best
        else:
            mem[STATIC] += 1
            mem[SURE] = 0
            return opinion(s)
    mem[INNER] += 1
    # Step 2. The table may know the answer, or at least a good first move.
    hinted = False
    hint = 0
    at = 0
    k = 0
    if mem[MASK] >= 0 and tail == 0:
        k = key(s)
        at = (k & mem[MASK]) * ROW
        if knows(table, at, k, mem[GENERATION]):
            hinted = True
            hint = table[at + 2]
            if ply > 0 and answers(table, at, depth, mem[DEEPER] != 0, alpha, beta):
                mem[HITS] += 1
                mem[SURE] = table[at + 1] & 1
                return unbits(table[at + 3])
    me = mover(s)
    child = states[ply + 1]
    # Step 3. If even giving the turn away is good enough, a real move will be (an assumption).
    if mem[NULL] != 0 and ply > 0 and tail == 0 and depth > NULL_DEPTH and mem[AFTER_NULL] == 0 and beta < INFINITE:
        copy(child, s)
        if give_turn(child):
            mem[AFTER_NULL] = 1
            value = -search(
                states, bufs, ranks, mem, table, history, ply + 1, depth - 1 - NULL_DEPTH, 0, -beta, above(-beta)
            )
            mem[AFTER_NULL] = 0
            if value >= beta and mem[STOP] == 0:
                mem[CUTS] += 1
                mem[SURE] = 0
                return value
    # Step 4. Try the moves, the likely ones first; later ones with a null window if SCOUT is on.
    if mem[ORDER] != 0 or hinted or mem[KILLERS] != 0 or mem[USE_HISTORY] != 0 or (ply == 0 and mem[TIES] != 0):
        arrange(s, child, out, ranks[ply], mem, history, ply, n, hint, hinted)
    first = True
    top = out[0]
    for i in range(n):
        m = out[i]
        if only_noisy and not is_loud(s, m):
            continue
        copy(child, s)
        play(child, m)
        low = max(alpha, best)
        less = 1
        if mem[REDUCE] != 0 and tail == 0 and i >= LATE and depth >= REDUCED_FROM and not is_loud(s, m):
            less = 2
        sign = 1.0 if mover(child) == me else -1.0
        value = 0.0
        again = True
        if not first and (mem[SCOUT] != 0 or less > 1) and low > -INFINITE:
            a = low if sign > 0.0 else -above(low)
            b = above(low) if sign > 0.0 else -low
            value = sign * search(states, bufs, ranks, mem, table, history, ply + 1, depth - less, tail, a, b)
            again = value > low and (value < beta or less > 1)
        if again:
            a = low if sign > 0.0 else -beta
            b = beta if sign > 0.0 else -low
            value = sign * search(states, bufs, ranks, mem, table, history, ply + 1, depth - 1, tail, a, b)
        first = False
        if mem[STOP] != 0:
            return 0.0
        if value > best:
            best = value
            top = m
            sure = mem[SURE]
            if ply == 0:
                mem[BEST] = m
            if best >= beta:
                praise(mem, history, ply, me, depth, m)
                break
            if best > alpha:
                remember_line(mem, ply, m)
    # Step 5. Tell the table.
    mem[SURE] = sure
    if mem[MASK] >= 0 and tail == 0:
        store(table, at, k, mem[GENERATION], depth, bound_of(best, alpha, beta), sure, top, best)
    return best


def with_windows(states, bufs, ranks, mem, table, history, depth, guess, width):
    """Search with a window about the guess; where the value falls outside, open that side."""
    alpha = guess - width
    beta = guess + width
    value = search(states, bufs, ranks, mem, table, history, 0, depth, 0, alpha, beta)
    while mem[STOP] == 0 and ((value <= alpha and alpha > -INFINITE) or (value >= beta and beta < INFINITE)):
        if value <= alpha:
            alpha = -INFINITE
        if value >= beta:
            beta = INFINITE
        value = search(states, bufs, ranks, mem, table, history, 0, depth, 0, alpha, beta)
    return value


def with_null_windows(states, bufs, ranks, mem, table, history, depth, guess):
    """MTD(f): close in on the value by null windows alone."""
    low = -INFINITE
    high = INFINITE
    value = guess
    while low < high and mem[STOP] == 0:
        beta = above(value) if value == low else value
        # the window (just below beta, beta): is the value at least beta?
        value = search(states, bufs, ranks, mem, table, history, 0, depth, 0, -above(-beta), beta)
        if value < beta:
            high = value
        else:
            low = value
    return value


def begin(states, bufs, mem, history):
    """Forget what belongs to the last choice: counts, killers, history, the table's generation."""
    for i in range(NODES, GENERATION):
        mem[i] = 0
    mem[GENERATION] += 1
    for i in range(mem[LISTS], mem[ROOTS]):
        mem[i] = 0
    for i in range(2 * HISTORY if mem[USE_HISTORY] != 0 else 0):
        history[i] = 0
    moves(states[0], bufs[0])
    mem[BEST] = bufs[0][0]
    return 0


def shuffle_roots(states, bufs, rng, mem):
    """Draw a random order for the root's moves, so that the first among equals is a random one."""
    n = moves(states[0], bufs[0])
    at = mem[ROOTS]
    for i in range(n):
        j = draw(rng, i + 1)
        mem[at + i] = mem[at + j]
        mem[at + j] = i
    return 0


def deepen(
    states: States,
    bufs: Moves,
    rng: Ints,
    ranks: Moves,
    mem: Ints,
    table: Ints,
    history: Ints,
    values: Floats,
    first: int,
    depth: int,
    width: float,
):
    """Search depth `first`, first + 1, … `depth`; the last whole iteration counts.

    values[0] is the value, mem[BEST] the move, mem[REACHED] the depth, mem[SURE] whether the line is
    decided. A decided win or loss ends the deepening: no further depth can change it.
    """
    begin(states, bufs, mem, history)
    values[0] = 0.0
    move = mem[BEST]
    sure = 0
    if mem[TIES] != 0:
        shuffle_roots(states, bufs, rng, mem)
    for d in range(first, depth + 1):
        guess = values[0]
        began_at = mem[BEST]
        if mem[DRIVER] == MTDF and d > first:
            value = with_null_windows(states, bufs, ranks, mem, table, history, d, guess)
        elif mem[DRIVER] == WINDOW and d > first:
            value = with_windows(states, bufs, ranks, mem, table, history, d, guess, width)
        else:
            value = search(states, bufs, ranks, mem, table, history, 0, d, 0, -INFINITE, INFINITE)
        if mem[STOP] != 0 and d > first:
            mem[BEST] = began_at
            break
        values[0] = value
        move = mem[BEST]
        sure = mem[SURE]
        mem[REACHED] = d
        row = mem[LINES]
        for i in range(mem[row] + 1):
            mem[row - mem[PLIES] + i] = mem[row + i]
        if mem[STOP] != 0 or (sure != 0 and value != 0.0):
            break
    mem[SURE] = sure
    return move
