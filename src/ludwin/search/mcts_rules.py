"""Which child to try next: the selection rules of the Monte Carlo family, one function each.

Why it is here.  A node is a bandit, and there are many ways to play bandits.  Each rule is handed to the
search under the names that it uses: `score` (what a child promises; the highest is taken, ties are drawn),
`log_visits` (the logarithm behind the exploration), `pick_child` (the whole choice) and `learn` (what a
rule remembers after a playout).  Kernel text.

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

from ludwin.kernel.names import MAX_PLIES, copy, evaluate, moves, payoff, play
from ludwin.primitives import draw, mix, uniform
from ludwin.search.formula import BEST_CHILD, BRANCHES, CHILD_VISITS, DEPTH, PARENT_VISITS, VARIANCE, Q, formula_value
from ludwin.search.mcts_tree import (
    ALL_TOTAL,
    BEGIN,
    CHILDREN,
    DECISION,
    EDGE,
    EXTRA,
    EXTRA_TOTAL,
    FINISH,
    FIRST,
    HEAD,
    KIND,
    LEVEL,
    LIVE,
    MEAN,
    MOVER,
    NEXT,
    NODE,
    OWNER,
    PLAYED,
    PROVED,
    RECORD,
    SPARE,
    SQUARES,
    TAIL,
    TOTAL,
    VISITS,
    WEIGHT,
    WIDTH,
    WORTH,
    add_node,
    best_mean,
    mark_tried,
    untried,
)

RANDOM_ORDER, GAME_ORDER = 0, 1  # options[EXPAND]

# Settings of a search: whole numbers in `options`, others in `reals`.
OPTIONS = 24
(
    PLAYOUTS,
    NODES,
    ROOM,
    TREES,
    FIRST_TREE,
    EXPAND,
    TERMINAL,
    OUTCOMES,
    RECOMMEND,
    SOLVER,
    BACKUP,
    ROLLOUTS,
    REWARD,
    RICH,
    CUT,
    REUSE,
    TABLE,
    WINDOW,
    LAST_TREE,
    MEMORY,
    STORE,
    CONSTANT_SUM,
) = range(22)
REALS = 16
C, FACTOR, SCALE, SUM, CAUTION, WIDEN, WIDEN_POWER, EPSILON, GAMMA, LOW, HIGH, RAVE, PRIOR, TOP, BIAS = range(15)
UNPLAYED = 1e12  # above every reward


def mean_of(tree, worth, store, node):
    """Return a node's mean reward."""
    return worth[WORTH * node + MEAN]


def shared_mean(tree, worth, store, node):
    """Return the mean over all nodes of the same position (transpositions)."""
    record = tree[NODE * node + RECORD]
    return (
        store[2 * record + 1] / store[2 * record]
        if record > 0 and store[2 * record] > 0.0
        else worth[WORTH * node + MEAN]
    )


def score(child, node, log_n, tree, worth, store, program, number, known, stack, options, reals, stats, rng):
    """Return Q + c * sqrt(factor * ln N / n), or what the formula says where one is set."""
    at = NODE * child
    if stats[BEGIN] == stats[FINISH]:
        return mean_of(tree, worth, store, child) + reals[C] * math.sqrt(reals[FACTOR] * log_n / tree[at + VISITS])
    known[Q] = mean_of(tree, worth, store, child)
    known[CHILD_VISITS] = 1.0 * tree[at + VISITS]
    known[PARENT_VISITS] = 1.0 * tree[NODE * node + VISITS]
    if options[RICH] > 0:
        mean = worth[WORTH * child + TOTAL] / tree[at + VISITS]
        known[VARIANCE] = max(worth[WORTH * child + SQUARES] / tree[at + VISITS] - mean * mean, 0.0)
        known[BEST_CHILD] = best_mean(tree, worth, child, reals[SUM])
        known[DEPTH] = 1.0 * tree[at + LEVEL]
        known[BRANCHES] = 1.0 * tree[NODE * node + WIDTH]
    return formula_value(program, number, stats[BEGIN], stats[FINISH], known, stack)


def log_visits(node, tree, worth, options):
    """Return ln N; 0 at a node that is still unvisited."""
    return math.log(max(tree[NODE * node + VISITS], 1))


def pick_child(node, tree, worth, store, program, number, known, stack, options, reals, stats, rng):
    """Return the child of the highest score, one of equals at random; proved children only if there are no others."""
    log_n = log_visits(node, tree, worth, options)
    best = 0
    highest = -math.inf
    ties = 0
    child = tree[NODE * node + FIRST]
    while child > 0:
        if tree[NODE * child + PROVED] == 0:
            value = score(
                child, node, log_n, tree, worth, store, program, number, known, stack, options, reals, stats, rng
            )
            if best == 0 or value > highest:
                best = child
                highest = value
                ties = 1
            elif value == highest:
                ties += 1
                if draw(rng, ties) == 0:
                    best = child
        child = tree[NODE * child + NEXT]
    return best if best > 0 else tree[NODE * node + FIRST]


def random_child(node, tree, rng):
    """Return any child."""
    child = tree[NODE * node + FIRST]
    for _ in range(draw(rng, tree[NODE * node + CHILDREN])):
        child = tree[NODE * child + NEXT]
    return child


def highest(node, tree, worth, store, rng):
    """Return the child of the highest mean, one of equals at random."""
    best = 0
    ties = 0
    child = tree[NODE * node + FIRST]
    while child > 0:
        if best == 0 or mean_of(tree, worth, store, child) > mean_of(tree, worth, store, best):
            best = child
            ties = 1
        elif mean_of(tree, worth, store, child) == mean_of(tree, worth, store, best):
            ties += 1
            if draw(rng, ties) == 0:
                best = child
        child = tree[NODE * child + NEXT]
    return best


def pick_greedy(node, tree, worth, store, program, number, known, stack, options, reals, stats, rng):
    """Return any child with probability epsilon, else the best so far."""
    if uniform(rng) < reals[EPSILON]:
        return random_child(node, tree, rng)
    return highest(node, tree, worth, store, rng)


def normal(rng):
    """Draw from the standard normal distribution (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(rng)))
    return radius * math.cos(2.0 * math.pi * uniform(rng))


def score_thompson(child, node, log_n, tree, worth, store, program, number, known, stack, options, reals, stats, rng):
    """Return a draw from what may be the child's true mean: normal, of deviation c / sqrt(n + 1)."""
    return mean_of(tree, worth, store, child) + reals[C] * normal(rng) / math.sqrt(tree[NODE * child + VISITS] + 1.0)


def score_puct(child, node, log_n, tree, worth, store, program, number, known, stack, options, reals, stats, rng):
    """Return Q + c * P * sqrt(N) / (1 + n); an unvisited child is as good as its parent seems to the mover."""
    n = tree[NODE * child + VISITS]
    if n > 0:
        mean = mean_of(tree, worth, store, child)
    else:
        mean = worth[WORTH * node + MEAN]
        if tree[NODE * node + KIND] == DECISION and tree[NODE * node + MOVER] != tree[NODE * node + OWNER]:
            mean = reals[SUM] - mean
    return mean + reals[C] * worth[WORTH * child + WEIGHT] * math.sqrt(max(tree[NODE * node + VISITS], 1)) / (1.0 + n)


def trust_by_visits(n, m, of_node, reals):
    """Return how much "all moves as first" weighs: half where the node has as many visits as `equivalence` says."""
    return math.sqrt(reals[RAVE] / (3.0 * of_node + reals[RAVE])) if reals[RAVE] > 0.0 else 0.0


def trust_by_error(n, m, of_node, reals):
    """Return how much "all moves as first" weighs if the squared error is to be least and its bias is b deviations.

    Gelly and Silver print m / (n + m + 4 n m b^2), for wins of 0 or 1, whose variance is at most 1/4.
    """
    return m / (n + m + 1.0 * n * m * reals[BIAS] * reals[BIAS])


trust = trust_by_visits  # bound to trust_by_error where a bias is set


def score_rave(child, node, log_n, tree, worth, store, program, number, known, stack, options, reals, stats, rng):
    """Return UCB1 whose mean leans on "all moves as first", m playouts, while there are few visits n of its own.

    A child without visits is worth what the move was worth later in the playouts; one that was never played at
    all comes before all others, the higher prior first.  (The bonus has n + 1, so that it is finite.)
    """
    at = NODE * child
    n = tree[at + VISITS]
    m = tree[at + SPARE]
    if m == 0:
        return UNPLAYED + worth[WORTH * child + WEIGHT]
    mean = worth[WORTH * child + ALL_TOTAL] / m
    if n > 0:
        share = trust(n, m, tree[NODE * node + VISITS], reals)
        mean = share * mean + (1.0 - share) * mean_of(tree, worth, store, child)
    return mean + reals[C] * math.sqrt(reals[FACTOR] * log_n / (n + 1.0))


def score_recent(child, node, log_n, tree, worth, store, program, number, known, stack, options, reals, stats, rng):
    """Return UCB1 over what is remembered: discounted visits, or those of the window."""
    n = worth[WORTH * child + EXTRA]
    if n < 1e-9:
        return math.inf
    return worth[WORTH * child + EXTRA_TOTAL] / n + reals[C] * math.sqrt(reals[FACTOR] * log_n / n)


def log_discounted(node, tree, worth, options):
    """Return the logarithm of the discounted visits of all children."""
    total = 0.0
    child = tree[NODE * node + FIRST]
    while child > 0:
        total += worth[WORTH * child + EXTRA]
        child = tree[NODE * child + NEXT]
    return math.log(max(total, 1.0))


def log_window(node, tree, worth, options):
    """Return ln N, N at most the length of the window."""
    return math.log(max(min(tree[NODE * node + VISITS], options[WINDOW]), 1))


def pick_exp3(node, tree, worth, store, program, number, known, stack, options, reals, stats, rng):
    """Draw a child by EXP3: exponential weights mixed with gamma of uniform exploration."""
    number_of = tree[NODE * node + CHILDREN]
    top = -math.inf
    child = tree[NODE * node + FIRST]
    while child > 0:
        top = max(top, worth[WORTH * child + EXTRA])
        child = tree[NODE * child + NEXT]
    total = 0.0
    child = tree[NODE * node + FIRST]
    while child > 0:
        total += math.exp(worth[WORTH * child + EXTRA] - top)
        child = tree[NODE * child + NEXT]
    rest = uniform(rng)
    picked = 0
    child = tree[NODE * node + FIRST]
    while child > 0:
        probability = (1.0 - reals[GAMMA]) * math.exp(worth[WORTH * child + EXTRA] - top) / total + reals[
            GAMMA
        ] / number_of
        rest -= probability
        if picked == 0 and (rest < 0.0 or tree[NODE * child + NEXT] == 0):
            picked = child
            worth[WORTH * child + EXTRA_TOTAL] = probability
        child = tree[NODE * child + NEXT]
    return picked


def learn(tree, worth, path, memory, store, payoffs, options, reals, stats, plies, end):
    """Remember nothing beyond visits and rewards."""
    return 0


def learn_exp3(tree, worth, path, memory, store, payoffs, options, reals, stats, plies, end):
    """Raise the logarithmic weight of the children that EXP3 drew."""
    for i in range(1, plies + 1):
        child = path[i]
        parent = path[i - 1]
        if tree[NODE * parent + KIND] == DECISION and worth[WORTH * child + EXTRA_TOTAL] > 0.0:
            reward = (payoffs[tree[NODE * parent + MOVER]] * reals[SCALE] - reals[LOW]) / (reals[HIGH] - reals[LOW])
            worth[WORTH * child + EXTRA] += (
                reals[GAMMA] * reward / worth[WORTH * child + EXTRA_TOTAL] / tree[NODE * parent + CHILDREN]
            )
            worth[WORTH * child + EXTRA_TOTAL] = 0.0
    return 0


def learn_discounted(tree, worth, path, memory, store, payoffs, options, reals, stats, plies, end):
    """Let the past of all children fade by gamma, and add the new reward."""
    for i in range(1, plies + 1):
        parent = path[i - 1]
        if tree[NODE * parent + KIND] == DECISION:
            child = tree[NODE * parent + FIRST]
            while child > 0:
                worth[WORTH * child + EXTRA] *= reals[GAMMA]
                worth[WORTH * child + EXTRA_TOTAL] *= reals[GAMMA]
                child = tree[NODE * child + NEXT]
            worth[WORTH * path[i] + EXTRA] += 1.0
            worth[WORTH * path[i] + EXTRA_TOTAL] += payoffs[tree[NODE * parent + MOVER]]
    return 0


def forget_oldest(tree, worth, memory, store, node):
    """Drop the oldest remembered choice at a node; return its place in the memory."""
    place = tree[NODE * node + HEAD]
    child = memory[2 * place]
    tree[NODE * node + HEAD] = memory[2 * place + 1]
    tree[NODE * node + LIVE] -= 1
    worth[WORTH * child + EXTRA] -= 1.0
    worth[WORTH * child + EXTRA_TOTAL] -= store[place]
    return place


def learn_window(tree, worth, path, memory, store, payoffs, options, reals, stats, plies, end):
    """Remember the last choices at every node of the path, as many as the window is long.

    memory: cell 0 counts the places in use; place p holds the child in 2p and the next newer place in 2p + 1.
    """
    for i in range(1, plies + 1):
        node = path[i - 1]
        if tree[NODE * node + KIND] != DECISION:
            continue
        if tree[NODE * node + LIVE] >= options[WINDOW] or (
            memory[0] + 1 >= options[TABLE] and tree[NODE * node + LIVE] > 0
        ):
            place = forget_oldest(tree, worth, memory, store, node)
        elif memory[0] + 1 < options[TABLE]:
            memory[0] += 1
            place = memory[0]
        else:
            continue
        reward = payoffs[tree[NODE * node + MOVER]]
        memory[2 * place] = path[i]
        memory[2 * place + 1] = 0
        store[place] = reward
        if tree[NODE * node + LIVE] > 0:
            memory[2 * tree[NODE * node + TAIL] + 1] = place
        else:
            tree[NODE * node + HEAD] = place
        tree[NODE * node + TAIL] = place
        tree[NODE * node + LIVE] += 1
        worth[WORTH * path[i] + EXTRA] += 1.0
        worth[WORTH * path[i] + EXTRA_TOTAL] += reward
    return 0


def slot_of(memory, size, player, move, stamp):
    """Return the slot of a player's move in the table of the moves of this playout (or of a free one).

    The size is a power of 2, and a mask takes the place of a remainder: 7 % less time for RAVE at connect four.
    """
    slot = mix(move, player) & (size - 1)
    while memory[4 * slot] == stamp and (memory[4 * slot + 1] != player or memory[4 * slot + 2] != move):
        slot = (slot + 1) & (size - 1)
    return slot


def learn_rave(tree, worth, path, memory, store, payoffs, options, reals, stats, plies, end):
    """Credit every child on the way whose move its player made at that point or later, in the tree or in the playout.

    path: nodes, then from MAX_PLIES + 2 the moves of the playout in pairs (player, move), `end` of them.
    memory: four cells a slot: stamp of the playout, player, move, -; the stamp is the number of the playout.
    """
    size = options[TABLE]
    stamp = stats[PLAYED] + 1
    begin = MAX_PLIES + 2
    for k in range(end):
        slot = slot_of(memory, size, path[begin + 2 * k], path[begin + 2 * k + 1], stamp)
        memory[4 * slot] = stamp
        memory[4 * slot + 1] = path[begin + 2 * k]
        memory[4 * slot + 2] = path[begin + 2 * k + 1]
    for i in range(plies - 1, -1, -1):
        node = path[i]
        if tree[NODE * node + KIND] != DECISION:
            continue
        player = tree[NODE * node + MOVER]
        slot = slot_of(memory, size, player, tree[NODE * path[i + 1] + EDGE], stamp)
        memory[4 * slot] = stamp
        memory[4 * slot + 1] = player
        memory[4 * slot + 2] = tree[NODE * path[i + 1] + EDGE]
        child = tree[NODE * node + FIRST]
        while child > 0:
            if memory[4 * slot_of(memory, size, player, tree[NODE * child + EDGE], stamp)] == stamp:
                tree[NODE * child + SPARE] += 1
                worth[WORTH * child + ALL_TOTAL] += payoffs[player]
            child = tree[NODE * child + NEXT]
    return 0


def prior_uniform(states, bufs, player, i, reals):
    """Return the same preference for every move."""
    return 1.0


def opinion(states, bufs, player, i):
    """Return what the state behind move number i of state 1 is worth to a player; its payoff if the game is over."""
    copy(states[2], states[1])
    play(states[2], bufs[0][i])
    if moves(states[2], bufs[2]) == 0:
        return 1.0 * payoff(states[2], player)
    return 1.0 * evaluate(states[2], player)


def prior_evaluation(states, bufs, player, i, reals):
    """Return the preference for move number i: exp(evaluation / temperature) of the state behind it."""
    value = min(max(opinion(states, bufs, player, i), reals[LOW]), reals[HIGH])
    return math.exp((value - reals[HIGH]) / reals[PRIOR])


prior = prior_uniform  # bound to prior_evaluation where that is wished


def unfold(states, bufs, tree, worth, stats, node, reals):
    """Give a node all its children at once, unvisited, with their priors (which sum to 1)."""
    n = moves(states[1], bufs[0])
    player = tree[NODE * node + MOVER]
    total = 0.0
    for i in range(n):
        weight = prior(states, bufs, player, i, reals)
        total += weight
        add_node(tree, worth, stats, node, bufs[0][i], i, player, weight)
    child = tree[NODE * node + FIRST]
    while child > 0:
        worth[WORTH * child + WEIGHT] = worth[WORTH * child + WEIGHT] / total
        child = tree[NODE * child + NEXT]
    return 0


def no_order(s, m):
    """Stand in for the game's order of moves."""
    return 0


order_score = no_order  # bound to the game's order_NAME


def like_by_evaluation(states, bufs, memory, store, options, player, i):
    """Return what speaks for move number i: the evaluation behind it."""
    return opinion(states, bufs, player, i)


def like_by_order(states, bufs, memory, store, options, player, i):
    """Return what speaks for move number i: what the game's order says."""
    return 1.0 * order_score(states[1], bufs[0][i])


def like_by_all(states, bufs, memory, store, options, player, i):
    """Return what speaks for move number i: its mean reward wherever the player made it in this search.

    A move that was never made comes first.
    """
    slot = slot_of_move(memory, options[TABLE], player, bufs[0][i])
    return store[2 * slot + 1] / store[2 * slot] if slot > 0 and store[2 * slot] > 0.0 else UNPLAYED


like = like_by_evaluation  # bound to what the option `expand` says


def slot_of_move(memory, size, player, move):
    """Return the slot of a player's move in the table of all moves of a search; 0 if there is no room for it."""
    mark = mix(move, player) | 1
    slot = max((mark >> 8) & (size - 1), 1)
    tries = 0
    while memory[slot] != 0 and memory[slot] != mark and tries < 64:
        slot = max((slot + 1) & (size - 1), 1)
        tries += 1
    if memory[slot] != 0 and memory[slot] != mark:
        return 0
    memory[slot] = mark
    return slot


def credit(memory, store, options, payoffs, player, move):
    """Enter a move with the reward of the playout that it belongs to."""
    slot = slot_of_move(memory, options[TABLE], player, move)
    if slot > 0:
        store[2 * slot] += 1.0
        store[2 * slot + 1] += payoffs[player]
    return 0


def learn_all(tree, worth, path, memory, store, payoffs, options, reals, stats, plies, end):
    """Enter all moves of the playout, those in the tree and those behind it (see `learn_rave` for the path)."""
    for i in range(plies):
        if tree[NODE * path[i] + KIND] == DECISION:
            credit(memory, store, options, payoffs, tree[NODE * path[i] + MOVER], tree[NODE * path[i + 1] + EDGE])
    for k in range(end):
        credit(memory, store, options, payoffs, path[MAX_PLIES + 2 + 2 * k], path[MAX_PLIES + 2 + 2 * k + 1])
    return 0


def untried_at_random(states, bufs, rng, tree, memory, store, options, node, n):
    """Return the number of an untried move: any, or the first of the rules."""
    k = draw(rng, n - tree[NODE * node + CHILDREN]) if options[EXPAND] == RANDOM_ORDER else 0
    return untried(tree, node, bufs[1], n, k)


def untried_by_liking(states, bufs, rng, tree, memory, store, options, node, n):
    """Return the number of the untried move that most speaks for, one of equals at random."""
    mark_tried(tree, node, bufs[1], n)
    player = tree[NODE * node + MOVER]
    best = -1
    liked = 0.0
    ties = 0
    for i in range(n):
        if bufs[1][i] == 0:
            value = like(states, bufs, memory, store, options, player, i)
            if best < 0 or value > liked:
                best = i
                liked = value
                ties = 1
            elif value == liked:
                ties += 1
                if draw(rng, ties) == 0:
                    best = i
    return best
