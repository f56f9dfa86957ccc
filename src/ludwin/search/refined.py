"""Alpha-beta with its refinements, each of which can be switched on or off.

The idea.  One recursion asks a row of questions at every node: is the answer in the table, does the
game allow a null move, in which order shall the moves be tried, is a null window enough for this
move.  None of them changes the value at the root (null move, late-move reductions, futility, extensions and repeats
do, and say so); all of them are there to cut earlier.  The driver deepens iteration by iteration, with aspiration
windows or MTD(f) if wanted, until depth, nodes or time are used up.

References.  T. Marsland, "A review of game-tree pruning", ICCA Journal 9 (1986); J. Pearl, "SCOUT",
1980; A. Plaat et al., "Best-first fixed-depth minimax algorithms" (MTD(f)), 1996; C. Donninger, "Null move and deep
search", ICCA Journal 16 (1993); J. Schaeffer, "Experiments in search and knowledge", 1986 (futility).
"""

from ludwin.kernel.names import Bundle, above, copy, key, mover, moves, play
from ludwin.primitives import draw
from ludwin.search import repeats, variation
from ludwin.search.ordering import (
    BY_GAME,
    BY_NOISE,
    BY_VALUE,
    HISTORY,
    KILLER_LIST,
    MOST_HISTORY,
    MOST_ORDER,
    OF_KILLER,
    OF_ORDER,
    OF_QUIET,
    OF_TABLE,
    by_value,
    history_cell,
    is_killer,
    no_order,
    remember_killer,
    shuffle,
    sort_moves,
)
from ludwin.search.quiescence import TAIL, TWIST, USUAL, never_noisy, no_noise
from ludwin.search.repeats import came_before
from ludwin.search.table import ENTRY, about, answers, bound_of, is_sure, knows, store
from ludwin.search.values import INFINITE, OPINION, fact, opinion, wake
from ludwin.search.variation import remember_line

COUNTS = {"inner": int, "terminal": int, "static": int, "cuts": int, "hits": int}
# Beside these `w.run` has all settings of the agent that are numbers, by name, and what follows from them
# (`AlphaBeta.options`).
RUN = {
    "clock": int,  # set from outside when the time is up
    "nodes": int,  # all that were begun; the budget counts these
    **COUNTS,
    "generation": int,  # each choice has its own, so that a table never answers with another choice's values
    **{"stop": int, "sure": int, "best": int, "reached": int, "after_null": int, "value": float},
    "kept": int,  # how long the line of the last whole iteration is
    "barred": int,  # how many of the root's moves are left out (`w.barred`)
}
RECORDS = {
    **{"states": "States", "bufs": "Moves", "rng": "Ints", "ranks": "Moves", "run": RUN, "table": [ENTRY]},
    **{
        "history": [int],
        "killer_lists": [KILLER_LIST],
        "killers": [int],
        "roots": [int],
        "kept": [int],
        "barred": [int],
    },
    **variation.MEMBERS,
    **repeats.MEMBERS,
}

ONE_LIST, LIST_PER_PLY, QUIET_LISTS = 1, 2, 3
WINDOW, MTDF = 1, 2  # drivers; 0 is the full window
RANDOM, SHUFFLED = 1, 2  # ties; 0 is the first among equals
LATE, REDUCED_FROM = 3, 3  # late-move reductions: from the 4th move on, at 3 plies or more
LATER, LATEST = 8, 20  # with lmr=2 the reductions grow at these moves
NULL_DEPTH = 2  # how much shallower the null move is searched; with null=2 a quarter of the depth more
FUTILE = 3  # plies: nearer to the horizon than this an opinion far below the window settles quiet moves

count_noisy = no_noise  # these four are bound to the game's functions where it has them
is_loud = never_noisy
order_score = no_order


def no_null(s):
    """Stand in for the game's `null`."""
    return False


give_turn = no_null


def not_pressed(s):
    """Stand in for the game's `pressed`."""
    return False


is_pressed = not_pressed


def killer_list(w, ply):
    """Return the number of the killer list that serves a ply."""
    return 0 if w.run.killers == ONE_LIST else ply


def is_barred(w, move):
    """Tell whether a move of the root is left out."""
    for i in range(w.run.barred):
        if w.barred[i] == move:
            return True
    return False


def arrange(w, ply, n, hint, hinted):
    """Rank the moves of a ply and sort them; `hint` is the table's move if `hinted`."""
    run = w.run
    s = w.states[ply]
    out = w.bufs[ply]
    rank = w.ranks[ply]
    me = mover(s)
    number = killer_list(w, ply)
    for i in range(n):
        m = out[i]
        r = 0
        if ply == 0:
            r = w.roots[i]
        if run.order == BY_GAME:
            r += max(0, min(order_score(s, m), MOST_ORDER)) * OF_ORDER
        elif run.order == BY_NOISE:
            r += OF_ORDER if is_loud(s, m) else 0
        elif run.order == BY_VALUE:
            r += by_value(w, s, w.states[ply + 1], m) * OF_ORDER
        if run.history != 0:
            r += w.history[history_cell(me, m)]
        if run.killers != 0 and is_killer(w, number, m):
            r += OF_QUIET if run.killers == QUIET_LISTS else OF_KILLER
        if hinted and m == hint:
            r += OF_TABLE
        rank[i] = r
    sort_moves(out, rank, n)
    return 0


def praise(w, ply, me, depth, move):
    """Remember that a move has cut here."""
    run = w.run
    run.cuts += 1
    if run.killers == QUIET_LISTS and is_loud(w.states[ply], move):
        return 0
    if run.killers != 0:
        remember_killer(w, killer_list(w, ply), move)
    if run.history != 0:
        cell = history_cell(me, move)
        w.history[cell] = min(w.history[cell] + depth * depth, MOST_HISTORY)
    return 0


def reduction(w, i, depth):
    """Return how many plies more than one a late quiet move is searched less deep."""
    if w.run.lmr == 1 or depth < REDUCED_FROM + 1:
        return 1
    more = 1 + (1 if i >= LATER else 0)
    return more + (1 if i >= LATEST and depth >= 2 * REDUCED_FROM else 0)


def has_quiet(s, out, n):
    """Tell whether one of the moves is quiet."""
    for i in range(n):
        if not is_loud(s, out[i]):
            return True
    return False


def keep_noisy(s, out, n):
    """Move the noisy ones to the front, in their order, and return how many they are."""
    kept = 0
    for i in range(n):
        m = out[i]
        if is_loud(s, m):
            out[kept] = m
            kept += 1
    return kept


def search(w, ply: int, depth: int, tail: int, alpha: float, beta: float):
    """Return the value of state number `ply`, exact inside (alpha, beta), a bound outside."""
    # Step 0. Budgets and clocks stop everything; what is returned then is not used.
    run = w.run
    run.nodes += 1
    if run.nodes > run.budget or run.stop != 0 or run.clock != 0:
        run.stop = 1
        return 0.0
    # Step 1. Leaves. Beyond the horizon (`tail` > 0) only Twist's extra plies or noisy moves count.
    s = w.states[ply]
    out = w.bufs[ply]
    w.lengths[ply] = 0
    if run.repeats != 0:
        w.path[ply] = key(s)
        if ply > 0 and came_before(w, ply, w.path[ply]):
            run.terminal += 1
            run.sure = 0
            return 0.0
    n = moves(s, out)
    best = -INFINITE
    sure = 0
    after_null = run.after_null
    if run.null > 1:
        run.after_null = 0  # only the next ply must not give the turn back
    pressed = run.extend != 0 and tail == 0 and is_pressed(s)
    if pressed and ply > 0 and ply + depth < run.reach:
        depth = max(depth, 0) + 1
    if n == 0:
        run.terminal += 1
        run.sure = 1
        return fact(s)
    if depth <= 0:
        goes_on = False
        if run.quiescence == TWIST and tail == 0 and run.extra > 0:
            goes_on = count_noisy(s, out, n) > 0
            if goes_on:
                depth = run.extra
                tail = 1
        elif run.quiescence == USUAL and tail < TAIL:
            if has_quiet(s, out, n):  # the mover may decline
                run.static += 1
                best = opinion(w, s, n)
                if best >= beta:
                    run.sure = 0
                    return best
            loud = keep_noisy(s, out, n)
            if loud == 0:
                run.sure = 0
                return best
            goes_on = True
            n = loud
            tail += 1
            depth = 1
        if not goes_on:
            run.static += 1
            run.sure = 0
            return opinion(w, s, n)
    run.inner += 1
    # Step 2. The table may know the answer, or at least a good first move.
    hinted = False
    hint = 0
    k = 0
    entry = w.table[0]
    if run.mask >= 0 and tail == 0:
        k = key(s)
        entry = w.table[k & run.mask]
        if knows(entry, k, run.generation):
            hinted = True
            hint = entry.move
            if ply > 0 and answers(entry, depth, run.deeper != 0, alpha, beta):
                run.hits += 1
                run.sure = is_sure(entry)
                return entry.value
    me = mover(s)
    child = w.states[ply + 1]
    # Step 3. Far above the window near the horizon, that is enough; and if even giving the turn away is good enough, a
    # real move will be. Both are assumptions.
    hopeless = False
    if run.futility > 0.0 and ply > 0 and tail == 0 and depth <= FUTILE and not pressed:
        here = opinion(w, s, n)
        if here - run.futility * depth >= beta and beta > -OPINION:
            run.cuts += 1
            run.sure = 0
            return here
        hopeless = here + run.futility * depth <= alpha
    if run.null != 0 and ply > 0 and tail == 0 and depth > NULL_DEPTH and after_null == 0 and beta < INFINITE:
        copy(child, s)
        if give_turn(child):
            run.after_null = 1
            less = 1 + NULL_DEPTH + (depth // 4 if run.null > 1 else 0)
            value = -search(w, ply + 1, depth - less, 0, -beta, above(-beta))
            run.after_null = 0
            if value >= beta and run.stop == 0:
                run.cuts += 1
                run.sure = 0
                return value
    # Step 4. Try the moves, the likely ones first; later ones with a null window if PVS is on.
    if run.order != 0 or hinted or run.killers != 0 or run.history != 0 or (ply == 0 and run.ties != 0):
        arrange(w, ply, n, hint, hinted)
    first = True
    top = out[0]
    for i in range(n):
        m = out[i]
        if ply == 0 and run.barred > 0 and is_barred(w, m):
            continue
        if hopeless and not first and best > -OPINION and not is_loud(s, m):
            continue
        copy(child, s)
        play(child, m)
        low = max(alpha, best)
        less = 1
        if run.lmr != 0 and tail == 0 and i >= LATE and depth >= REDUCED_FROM and not pressed:
            less = 1 if is_loud(s, m) else 1 + reduction(w, i, depth)
        sign = 1.0 if mover(child) == me else -1.0
        value = 0.0
        again = True
        if not first and (run.pvs != 0 or less > 1) and low > -INFINITE:
            a = low if sign > 0.0 else -above(low)
            b = above(low) if sign > 0.0 else -low
            value = sign * search(w, ply + 1, depth - less, tail, a, b)
            again = value > low and (value < beta or less > 1)
        if again:
            a = low if sign > 0.0 else -beta
            b = beta if sign > 0.0 else -low
            value = sign * search(w, ply + 1, depth - 1, tail, a, b)
        first = False
        if run.stop != 0:
            return 0.0
        if value > best:
            best = value
            top = m
            sure = run.sure
            if ply == 0:
                run.best = m
            if best >= beta:
                praise(w, ply, me, depth, m)
                break
            if best > alpha:
                remember_line(w, ply, m)
    # Step 5. Tell the table.
    run.sure = sure
    if run.mask >= 0 and tail == 0:
        store(entry, k, about(run.generation, depth, bound_of(best, alpha, beta), sure), top, best)
    return best


def with_windows(w, depth, guess):
    """Search with a window about the guess; where the value falls outside, open that side."""
    alpha = guess - w.run.window
    beta = guess + w.run.window
    value = search(w, 0, depth, 0, alpha, beta)
    while w.run.stop == 0 and ((value <= alpha and alpha > -INFINITE) or (value >= beta and beta < INFINITE)):
        if value <= alpha:
            alpha = -INFINITE
        if value >= beta:
            beta = INFINITE
        value = search(w, 0, depth, 0, alpha, beta)
    return value


def with_null_windows(w, depth, guess):
    """MTD(f): close in on the value by null windows alone."""
    low = -INFINITE
    high = INFINITE
    value = guess
    while low < high and w.run.stop == 0:
        beta = above(value) if value == low else value
        # the window (just below beta, beta): is the value at least beta?
        value = search(w, 0, depth, 0, -above(-beta), beta)
        if value < beta:
            high = value
        else:
            low = value
    return value


def begin(w):
    """Forget what belongs to the last choice: counts, killers, history, the table's generation."""
    run = w.run
    run.nodes = 0
    run.inner = 0
    run.terminal = 0
    run.static = 0
    run.cuts = 0
    run.hits = 0
    run.stop = 0
    run.sure = 0
    run.reached = 0
    run.after_null = 0
    if run.keep == 0:
        run.generation += 1
    for number in range(1 if run.killers == ONE_LIST or run.killers == 0 else run.plies):
        w.killer_lists[number].length = 0
        w.killer_lists[number].next = 0
    for i in range(2 * HISTORY if run.history != 0 else 0):
        w.history[i] = 0
    n = moves(w.states[0], w.bufs[0])
    run.best = w.bufs[0][0]
    for i in range(n - 1, -1, -1):
        if run.barred > 0 and not is_barred(w, w.bufs[0][i]):
            run.best = w.bufs[0][i]
    return 0


def rank_at_random(w):
    """Draw a random order for the root's moves, so that the first among equals is a random one."""
    n = moves(w.states[0], w.bufs[0])
    for i in range(n):
        j = draw(w.rng, i + 1)
        w.roots[i] = w.roots[j]
        w.roots[j] = i
    return 0


def rank_as_shuffled(w):
    """Draw the order in which the plain form with ties=shuffle tries the root's moves."""
    n = moves(w.states[0], w.bufs[0])
    order = w.ranks[0]
    for i in range(n):
        order[i] = i
    shuffle(w, order, n)
    for i in range(n):
        w.roots[order[i]] = n - i
    return 0


def deepen(w: Bundle):
    """Search depth `shallowest`, the next one, … `depth`; the last whole iteration counts.

    run.value is the value, run.best the move, run.reached the depth, run.sure whether the line is
    decided. A decided win or loss ends the deepening: no further depth can change it.
    """
    run = w.run
    begin(w)
    wake(w)
    run.value = 0.0
    move = run.best
    sure = 0
    if run.ties == RANDOM:
        rank_at_random(w)
    elif run.ties == SHUFFLED:
        rank_as_shuffled(w)
    for d in range(run.shallowest, run.depth + 1):
        guess = run.value
        began_at = run.best
        if run.driver == MTDF and d > run.shallowest:
            value = with_null_windows(w, d, guess)
        elif run.driver == WINDOW and d > run.shallowest:
            value = with_windows(w, d, guess)
        else:
            value = search(w, 0, d, 0, -INFINITE, INFINITE)
        if run.stop != 0 and d > run.shallowest:
            run.best = began_at
            break
        run.value = value
        move = run.best
        sure = run.sure
        run.reached = d
        run.kept = w.lengths[0]
        for i in range(run.kept):
            w.kept[i] = w.lines[i]
        if run.stop != 0 or (sure != 0 and value != 0.0):
            break
    run.sure = sure
    return move
