"""Which child to try next: the selection rules of the Monte Carlo family, one function each.

Why it is here.  A node is a bandit, and there are many ways to play bandits.  Each rule is handed to the
search under the names that it uses: `score` (what a child promises; the highest is taken, ties are drawn),
`log_visits` (the logarithm behind the exploration), `pick_child` (the whole choice) and `learn` (what a
rule remembers after a playout); `RULES` says which, and what else such a rule keeps: fields of nodes, tables of its
own, and how it forgets them (`begin_memory`).  Kernel text.

References.  P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time analysis of the multiarmed bandit problem" (2002); P.
Auer et al., "The nonstochastic multiarmed bandit problem" (2002): EXP3; A. Garivier, E. Moulines, "On upper-confidence
bound policies for switching bandit problems" (2011): discounted and sliding-window UCB; S. Agrawal, N. Goyal, "Further
optimal regret bounds for Thompson sampling" (2013); C. Rosin, "Multi-armed bandits with episode context" (2011) and
D. Silver et al. (2017): PUCT; S. Gelly, D. Silver, "Monte-Carlo tree search and rapid action value estimation in
computer Go" (2011); R. Coulom, "Computing Elo ratings of move patterns in the game of Go" (2007): widening by an order;
J. Nijssen, M. Winands, "Enhancements for multi-player Monte-Carlo tree search" (2011): moves by their mean in all
playouts.
"""

import math

from ludwin.kernel.names import copy, moves, payoff, play
from ludwin.primitives import draw, mix, uniform
from ludwin.search.montecarlo.formula import (
    BEST_CHILD,
    BRANCHES,
    CHILD_VISITS,
    DEPTH,
    PARENT_VISITS,
    VARIANCE,
    Q,
    formula_value,
)
from ludwin.search.montecarlo.tree import DECISION, add_node, best_mean, mark_tried, untried
from ludwin.search.values import assess

UNPLAYED = 1e12  # above every reward


def mean_of(w, node):
    """Return a node's mean reward."""
    return node.mean


def shared_mean(w, node):
    """Return the mean over all nodes of the same position (transpositions)."""
    same = w.table[node.record]
    return same.total / same.visits if node.record > 0 and same.visits > 0.0 else node.mean


def score(w, child, node, log_n: float):
    """Return Q + c * sqrt(factor * ln N / n), or what the formula says where one is set."""
    if w.run.begin == w.run.finish:
        return mean_of(w, child) + w.options.c * math.sqrt(w.options.factor * log_n / child.visits)
    known = w.known
    known[Q] = mean_of(w, child)
    known[CHILD_VISITS] = 1.0 * child.visits
    known[PARENT_VISITS] = 1.0 * node.visits
    if w.options.rich > 0:
        mean = child.total / child.visits
        known[VARIANCE] = max(child.squares / child.visits - mean * mean, 0.0)
        known[BEST_CHILD] = best_mean(w, child)
        known[DEPTH] = 1.0 * child.level
        known[BRANCHES] = 1.0 * node.width
    return formula_value(w, w.run.begin, w.run.finish)


def log_visits(w, node):
    """Return ln N; 0 at a node that is still unvisited."""
    return math.log(max(node.visits, 1))


def pick_child(w, node):
    """Return the child of the highest score, one of equals at random; proved children only if there are no others."""
    log_n = log_visits(w, node)
    best = 0
    highest = -math.inf
    ties = 0
    child = node.first
    while child > 0:
        below = w.tree[child]
        if below.proved == 0:
            value = score(w, below, node, log_n)
            if best == 0 or value > highest:
                best = child
                highest = value
                ties = 1
            elif value == highest:
                ties += 1
                if draw(w.rng, ties) == 0:
                    best = child
        child = below.next
    return best if best > 0 else node.first


def random_child(w, node):
    """Return any child."""
    child = node.first
    for _ in range(draw(w.rng, node.children)):
        child = w.tree[child].next
    return child


def highest(w, node):
    """Return the child of the highest mean, one of equals at random."""
    best = 0
    ties = 0
    child = node.first
    while child > 0:
        mean = mean_of(w, w.tree[child])
        if best == 0 or mean > mean_of(w, w.tree[best]):
            best = child
            ties = 1
        elif mean == mean_of(w, w.tree[best]):
            ties += 1
            if draw(w.rng, ties) == 0:
                best = child
        child = w.tree[child].next
    return best


def pick_greedy(w, node):
    """Return any child with probability epsilon, else the best so far."""
    if uniform(w.rng) < w.options.epsilon:
        return random_child(w, node)
    return highest(w, node)


def normal(rng):
    """Draw from the standard normal distribution (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(rng)))
    return radius * math.cos(2.0 * math.pi * uniform(rng))


def score_thompson(w, child, node, log_n: float):
    """Return a draw from what may be the child's true mean: normal, of deviation c / sqrt(n + 1)."""
    return mean_of(w, child) + w.options.c * normal(w.rng) / math.sqrt(child.visits + 1.0)


def score_puct(w, child, node, log_n: float):
    """Return Q + c * P * sqrt(N) / (1 + n); an unvisited child is as good as its parent seems to the mover."""
    n = child.visits
    if n > 0:
        mean = mean_of(w, child)
    else:
        mean = node.mean
        if node.kind == DECISION and node.mover != node.owner:
            mean = w.options.payoff_sum - mean
    return mean + w.options.c * child.weight * math.sqrt(max(node.visits, 1)) / (1.0 + n)


ALL_FIRST = {"all_visits": int, "all_total": float}  # playouts in which the move was made here or later, their rewards


def trust_by_visits(w, child, node):
    """Return how much "all moves as first" weighs: half where the node has as many visits as `equivalence` says."""
    half = w.options.equivalence
    return math.sqrt(half / (3.0 * node.visits + half)) if half > 0.0 else 0.0


def trust_by_error(w, child, node):
    """Return how much "all moves as first" weighs if the squared error is to be least and its bias is b deviations.

    Gelly and Silver print m / (n + m + 4 n m b^2), for wins of 0 or 1, whose variance is at most 1/4.
    """
    n = child.visits
    m = child.all_visits
    return m / (n + m + 1.0 * n * m * w.options.bias * w.options.bias)


trust = trust_by_visits  # bound to trust_by_error where a bias is set


def score_rave(w, child, node, log_n: float):
    """Return UCB1 whose mean leans on "all moves as first", m playouts, while there are few visits n of its own.

    A child without visits is worth what the move was worth later in the playouts; one that was never played at
    all comes before all others, the higher prior first.  (The bonus has n + 1, so that it is finite.)
    """
    n = child.visits
    m = child.all_visits
    if m == 0:
        return UNPLAYED + child.weight
    mean = child.all_total / m
    if n > 0:
        share = trust(w, child, node)
        mean = share * mean + (1.0 - share) * mean_of(w, child)
    return mean + w.options.c * math.sqrt(w.options.factor * log_n / (n + 1.0))


RECENT = {"recent": float, "recent_total": float}  # visits and rewards as far as they are remembered


def score_recent(w, child, node, log_n: float):
    """Return UCB1 over what is remembered: discounted visits, or those of the window."""
    n = child.recent
    if n < 1e-9:
        return math.inf
    return child.recent_total / n + w.options.c * math.sqrt(w.options.factor * log_n / n)


def log_discounted(w, node):
    """Return the logarithm of the discounted visits of all children."""
    total = 0.0
    child = node.first
    while child > 0:
        total += w.tree[child].recent
        child = w.tree[child].next
    return math.log(max(total, 1.0))


def log_window(w, node):
    """Return ln N, N at most the length of the window."""
    return math.log(max(min(node.visits, w.options.window), 1))


EXPONENTIAL = {"log_weight": float, "probability": float}  # the latter of the child that was drawn, else 0


def pick_exp3(w, node):
    """Draw a child by EXP3: exponential weights mixed with gamma of uniform exploration."""
    gamma = w.options.gamma
    top = -math.inf
    child = node.first
    while child > 0:
        top = max(top, w.tree[child].log_weight)
        child = w.tree[child].next
    total = 0.0
    child = node.first
    while child > 0:
        total += math.exp(w.tree[child].log_weight - top)
        child = w.tree[child].next
    rest = uniform(w.rng)
    picked = 0
    child = node.first
    while child > 0:
        below = w.tree[child]
        probability = (1.0 - gamma) * math.exp(below.log_weight - top) / total + gamma / node.children
        rest -= probability
        if picked == 0 and (rest < 0.0 or below.next == 0):
            picked = child
            below.probability = probability
        child = below.next
    return picked


def begin_memory(w):
    """Forget what was remembered of an earlier tree: nothing beyond its nodes."""
    return 0


def learn(w, plies: int, noted: int):
    """Remember nothing beyond visits and rewards; `plies` edges of the path, `noted` moves behind it."""
    return 0


def learn_exp3(w, plies: int, noted: int):
    """Raise the logarithmic weight of the children that EXP3 drew."""
    low = w.options.low
    for i in range(1, plies + 1):
        child = w.tree[w.path[i]]
        parent = w.tree[w.path[i - 1]]
        if parent.kind == DECISION and child.probability > 0.0:
            reward = (w.payoffs[parent.mover] * w.options.scale - low) / (w.options.high - low)
            child.log_weight += w.options.gamma * reward / child.probability / parent.children
            child.probability = 0.0
    return 0


def learn_discounted(w, plies: int, noted: int):
    """Let the past of all children fade, and add the new reward."""
    for i in range(1, plies + 1):
        parent = w.tree[w.path[i - 1]]
        if parent.kind == DECISION:
            child = parent.first
            while child > 0:
                below = w.tree[child]
                below.recent *= w.options.discount
                below.recent_total *= w.options.discount
                child = below.next
            taken = w.tree[w.path[i]]
            taken.recent += 1.0
            taken.recent_total += w.payoffs[parent.mover]
    return 0


QUEUE = {"oldest": int, "newest": int, "live": int}  # of a node: the places of its choices in `window`, their number
PLACE = {"child": int, "newer": int, "reward": float}


def begin_window(w):
    """Forget all choices; what lies in their places is written before it is read."""
    w.run.remembered = 0
    return 0


def forget_oldest(w, node):
    """Drop the oldest remembered choice at a node; return its place."""
    place = node.oldest
    old = w.window[place]
    node.oldest = old.newer
    node.live -= 1
    child = w.tree[old.child]
    child.recent -= 1.0
    child.recent_total -= old.reward
    return place


def learn_window(w, plies: int, noted: int):
    """Remember the last choices at every node of the path, as many as the window is long, while there are places."""
    for i in range(1, plies + 1):
        node = w.tree[w.path[i - 1]]
        if node.kind != DECISION:
            continue
        is_full = w.run.remembered + 1 >= w.options.window_rows
        if node.live >= w.options.window or (is_full and node.live > 0):
            place = forget_oldest(w, node)
        elif not is_full:
            w.run.remembered += 1
            place = w.run.remembered
        else:
            continue
        reward = w.payoffs[node.mover]
        w.window[place].child = w.path[i]
        w.window[place].newer = 0
        w.window[place].reward = reward
        if node.live > 0:
            w.window[node.newest].newer = place
        else:
            node.oldest = place
        node.newest = place
        node.live += 1
        taken = w.tree[w.path[i]]
        taken.recent += 1.0
        taken.recent_total += reward
    return 0


SEEN = {"stamp": int, "player": int, "move": int}  # a move of the playout whose number is the stamp


def begin_seen(w):
    """Forget the playouts of an earlier tree: their numbers come again."""
    for i in range(w.options.seen_rows):
        w.seen[i].stamp = 0
    return 0


def slot_of(w, player: int, move: int, stamp: int):
    """Return the slot of a player's move in the table of the moves of this playout (or of a free one).

    The size is a power of 2, and a mask takes the place of a remainder: 7 % less time for RAVE at connect four.
    """
    last = w.options.seen_rows - 1
    slot = mix(move, player) & last
    while w.seen[slot].stamp == stamp and (w.seen[slot].player != player or w.seen[slot].move != move):
        slot = (slot + 1) & last
    return slot


def note_seen(w, player: int, move: int, stamp: int):
    """Enter a player's move into the table of the moves of this playout."""
    seen = w.seen[slot_of(w, player, move, stamp)]
    seen.stamp = stamp
    seen.player = player
    seen.move = move
    return 0


def learn_rave(w, plies: int, noted: int):
    """Credit every child on the way whose move its player made at that point or later, in the tree or in the
    playout.
    """
    stamp = w.run.played + 1
    for k in range(noted):
        note_seen(w, w.noted[k].player, w.noted[k].move, stamp)
    for i in range(plies - 1, -1, -1):
        node = w.tree[w.path[i]]
        if node.kind != DECISION:
            continue
        player = node.mover
        note_seen(w, player, w.tree[w.path[i + 1]].move, stamp)
        child = node.first
        while child > 0:
            below = w.tree[child]
            if w.seen[slot_of(w, player, below.move, stamp)].stamp == stamp:
                below.all_visits += 1
                below.all_total += w.payoffs[player]
            child = below.next
    return 0


def prior_uniform(w, player: int, i: int):
    """Return the same preference for every move."""
    return 1.0


def clipped(w, value: float):
    """Return an opinion inside the range of payoffs (nan is the worst)."""
    value = min(max(value, w.options.low), w.options.high)
    return value if value == value else w.options.low


def worth_behind(w, player: int, i: int):
    """Return what the state behind move number i of state 1 is worth to a player; its payoff if the game is over."""
    copy(w.states[2], w.states[1])
    play(w.states[2], w.bufs[0][i])
    n = moves(w.states[2], w.bufs[2])
    if n == 0:
        return 1.0 * payoff(w.states[2], player)
    value = assess(w, w.states[2], player, n)
    return value if value == value else -math.inf  # nan is the worst


def prior_evaluation(w, player: int, i: int):
    """Return the preference for move number i: exp(evaluation / temperature) of the state behind it."""
    return math.exp((clipped(w, worth_behind(w, player, i)) - w.options.high) / w.options.temperature)


prior = prior_uniform  # bound to prior_evaluation where that is wished


def unfold(w, node: int):
    """Give a node all its children at once, unvisited, with their priors (which sum to 1)."""
    n = moves(w.states[1], w.bufs[0])
    here = w.tree[node]
    total = 0.0
    for i in range(n):
        weight = prior(w, here.mover, i)
        total += weight
        add_node(w, node, w.bufs[0][i], i, here.mover, weight)
    child = here.first
    while child > 0:
        w.tree[child].weight = w.tree[child].weight / total
        child = w.tree[child].next
    return 0


def no_order(s, m):
    """Stand in for the game's order of moves."""
    return 0


order_score = no_order  # bound to the game's order_NAME


def like_by_evaluation(w, player: int, i: int):
    """Return what speaks for move number i: the evaluation behind it."""
    return worth_behind(w, player, i)


def like_by_order(w, player: int, i: int):
    """Return what speaks for move number i: what the game's order says."""
    return 1.0 * order_score(w.states[1], w.bufs[0][i])


def like_by_all(w, player: int, i: int):
    """Return what speaks for move number i: its mean reward wherever the player made it in this search.

    A move that was never made comes first.
    """
    entry = w.table[entry_of_move(w, player, w.bufs[0][i])]
    return entry.total / entry.visits if entry.visits > 0.0 else UNPLAYED


like = like_by_evaluation  # bound to what the option `expand` says

ENTRY = {"mark": int, "visits": float, "total": float}  # of a position, or of a player's move; entry 0 stays empty


def begin_table(w):
    """Forget all positions and moves."""
    for i in range(w.options.table_rows):
        w.table[i].mark = 0
        w.table[i].visits = 0.0
        w.table[i].total = 0.0
    return 0


def entry_of_move(w, player: int, move: int):
    """Return the number of a player's move in the table of all moves of a search; 0 if there is no room for it."""
    mark = mix(move, player) | 1
    last = w.options.table_rows - 1
    slot = max((mark >> 8) & last, 1)
    tries = 0
    while w.table[slot].mark != 0 and w.table[slot].mark != mark and tries < 64:
        slot = max((slot + 1) & last, 1)
        tries += 1
    if w.table[slot].mark != 0 and w.table[slot].mark != mark:
        return 0
    w.table[slot].mark = mark
    return slot


def credit(w, player: int, move: int):
    """Enter a move with the reward of the playout that it belongs to."""
    slot = entry_of_move(w, player, move)
    if slot > 0:
        w.table[slot].visits += 1.0
        w.table[slot].total += w.payoffs[player]
    return 0


def learn_all(w, plies: int, noted: int):
    """Enter all moves of the playout, those in the tree and those behind it."""
    for i in range(plies):
        node = w.tree[w.path[i]]
        if node.kind == DECISION:
            credit(w, node.mover, w.tree[w.path[i + 1]].move)
    for k in range(noted):
        credit(w, w.noted[k].player, w.noted[k].move)
    return 0


def untried_at_random(w, node, n: int):
    """Return the number of an untried move, any."""
    return untried(w, node, n, draw(w.rng, n - node.children))


def untried_in_order(w, node, n: int):
    """Return the number of the untried move that the rules name first."""
    return untried(w, node, n, 0)


def untried_by_liking(w, node, n: int):
    """Return the number of the untried move that most speaks for, one of equals at random."""
    mark_tried(w, node, n)
    best = -1
    liked = 0.0
    ties = 0
    for i in range(n):
        if w.bufs[1][i] == 0:
            value = like(w, node.mover, i)
            if best < 0 or value > liked:
                best = i
                liked = value
                ties = 1
            elif value == liked:
                ties += 1
                if draw(w.rng, ties) == 0:
                    best = i
    return best
