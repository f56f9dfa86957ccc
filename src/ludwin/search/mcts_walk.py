"""One playout of a Monte Carlo tree search, and what is done with the tree: the loop that all the family shares.

Why it is here.  Selection, expansion, simulation, backup, recommendation: five steps, each a function that
an option or a rule may replace (`mcts_rules`).  Vanilla search and the evolving ones call the
same `iterate`.  Kernel text.

Nature.  A chance node draws an outcome by weight; a new outcome gets a node, and the walk goes on below it.  The
mean of a chance node is that of the outcomes seen so far, by their weights.  Where every outcome ends the
game, nature's draw is part of the reward (a lottery): drawn anew at every visit, or kept ("frozen").

References.  L. Kocsis, C. Szepesvári, "Bandit based Monte-Carlo planning" (2006); G. Chaslot et al., "Progressive
strategies for Monte-Carlo tree search" (2008): widening, robust and secure child; M. Winands, Y. Björnsson, J.-T.
Saito, "Monte-Carlo tree search solver" (2008); T. Keller, M. Helmert, "Trial-based heuristic tree search for finite
horizon MDPs" (2013): MaxUCT; B. Childs, J. Brodeur, L. Kocsis, "Transpositions and move groups in Monte Carlo tree
search" (2008).
"""

import math

from ludwin.kernel.names import MAX_PLIES, PLAYERS, chance, copy, evaluate, key, mover, moves, payoff, play
from ludwin.primitives import CHANCE, draw, mix, power
from ludwin.search.mcts_rules import (
    BACKUP,
    CAUTION,
    CONSTANT_SUM,
    CUT,
    HIGH,
    LOW,
    OUTCOMES,
    RECOMMEND,
    REWARD,
    ROLLOUTS,
    ROOM,
    SCALE,
    SOLVER,
    SUM,
    TABLE,
    TERMINAL,
    TOP,
    WIDEN,
    WIDEN_POWER,
    learn,
    pick_child,
    unfold,
    untried_at_random,
)
from ludwin.search.mcts_tree import (
    CHILDREN,
    DECISION,
    EDGE,
    END,
    EXPANDED,
    FIRST,
    FRESH,
    FROZEN,
    INDEX,
    KIND,
    LIMIT,
    LOOKED,
    LOTTERY,
    MEAN,
    MOVER,
    NATURE,
    NEXT,
    NODE,
    NODE_LIMIT,
    OUTSIDE,
    OWNER,
    PLAYED,
    PROOF,
    PROVED,
    RECORD,
    SIZE,
    SQUARES,
    STOP,
    TOTAL,
    UNSEEN,
    VISITS,
    WEIGHT,
    WIDTH,
    WORTH,
    add_node,
    best_mean,
    child_by,
    recognise,
    weighted_mean,
)
from ludwin.search.playout import pick as pick_move
from ludwin.search.playout import playout, sample

RESAMPLE, FREEZE = 0, 1  # options[TERMINAL]
BELOW, STOP_THERE = 0, 1  # options[OUTCOMES]: after a new outcome
ROBUST, BEST, ROBUST_BEST, SECURE = 0, 1, 2, 3  # options[RECOMMEND]
MEAN_BACKUP, MAX_BACKUP = 0, 1  # options[BACKUP]
PAYOFF, WINS = 0, 1  # options[REWARD]


def stay_alone(states, tree, memory, stats, options, node):
    """Stand in for `join` where transpositions are not looked for."""
    return 0


def join(states, tree, memory, stats, options, node):
    """Give the node of state 1 the record that all nodes of this position share (a table of keys with open
    addressing).
    """
    mark = mix(key(states[1]), tree[NODE * node + OWNER]) | 1
    size = options[TABLE]
    slot = mark % (size - 1) + 1
    tries = 0
    while memory[slot] != 0 and memory[slot] != mark and tries < 64:
        slot = slot % (size - 1) + 1
        tries += 1
    if memory[slot] == 0 or memory[slot] == mark:
        memory[slot] = mark
        tree[NODE * node + RECORD] = slot
    return 0


record_of = stay_alone  # bound to join with transpositions


def expandable(tree, node, options, reals):
    """Tell whether a decision node may have another child now."""
    n = tree[NODE * node + CHILDREN]
    if n >= tree[NODE * node + WIDTH]:
        return False
    if reals[WIDEN] <= 0.0 or n == 0:
        return True
    if n < reals[WIDEN] * power(1.0 * tree[NODE * node + VISITS], reals[WIDEN_POWER]):
        return True
    child = tree[NODE * node + FIRST]
    while child > 0:
        if tree[NODE * child + PROVED] == 0:
            return False
        child = tree[NODE * child + NEXT]
    return True


choose_untried = untried_at_random  # bound to untried_by_liking with an order


def next_child(
    states, bufs, rng, tree, worth, memory, store, program, number, known, stack, options, reals, stats, node
):
    """Return a new child of a decision node while there are untried moves, else the one that the rule picks; 0 if
    neither.
    """
    if expandable(tree, node, options, reals) and stats[SIZE] < options[ROOM]:
        n = moves(states[1], bufs[0])
        i = choose_untried(states, bufs, rng, tree, memory, store, options, node, n)
        return add_node(tree, worth, stats, node, bufs[0][i], i, tree[NODE * node + MOVER], 1.0)
    if tree[NODE * node + CHILDREN] == 0:
        return 0
    return pick_child(node, tree, worth, store, program, number, known, stack, options, reals, stats, rng)


def next_of_all(
    states, bufs, rng, tree, worth, memory, store, program, number, known, stack, options, reals, stats, node
):
    """Return the child that the rule picks among all moves, tried or not."""
    if tree[NODE * node + CHILDREN] == 0:
        if stats[SIZE] + tree[NODE * node + WIDTH] > options[ROOM]:
            return 0
        unfold(states, bufs, tree, worth, stats, node, reals)
    return pick_child(node, tree, worth, store, program, number, known, stack, options, reals, stats, rng)


advance = next_child  # bound to next_of_all by rules with priors


def draw_outcome(states, bufs, rng, tree, worth, stats, options, node):
    """Return the child of nature's node that chance chooses, a new one if it is the first time; 0 if there is no
    room.
    """
    n = moves(states[1], bufs[0])
    i = sample(states[1], bufs[0], n, rng)
    child = child_by(tree, node, bufs[0][i])
    if child == 0 and stats[SIZE] < options[ROOM]:
        child = add_node(
            tree, worth, stats, node, bufs[0][i], i, tree[NODE * node + OWNER], 1.0 * chance(states[1], bufs[0][i])
        )
    return child


def walk(states, bufs, rng, tree, worth, path, memory, store, program, number, known, stack, options, reals, stats):
    """Walk from the root to the node where the simulation begins; return the number of plies."""
    copy(states[1], states[0])
    node = 0
    plies = 0
    path[0] = 0
    stats[FRESH] = 0
    going = True
    while going and plies < MAX_PLIES:
        kind = tree[NODE * node + KIND]
        if kind == NATURE and tree[NODE * node + PROVED] == 0:
            child = draw_outcome(states, bufs, rng, tree, worth, stats, options, node)
        elif kind == DECISION and tree[NODE * node + PROVED] == 0:
            child = advance(
                states,
                bufs,
                rng,
                tree,
                worth,
                memory,
                store,
                program,
                number,
                known,
                stack,
                options,
                reals,
                stats,
                node,
            )
        else:
            break
        if child == 0:
            break
        play(states[1], tree[NODE * child + EDGE])
        plies += 1
        path[plies] = child
        if tree[NODE * child + KIND] == UNSEEN:
            recognise(states, bufs, tree, child)
            record_of(states, tree, memory, stats, options, child)
            if kind == DECISION:
                stats[EXPANDED] += 1
                stats[FRESH] = 1
                going = options[OUTCOMES] == STOP_THERE and tree[NODE * child + KIND] == NATURE
            else:
                going = options[OUTCOMES] == BELOW
        node = child
    return plies


def pay(s, payoffs, options, reals):
    """Note what the finished game `s` is worth to each player: its payoff, or win, draw, loss; in units of `scale`."""
    if options[REWARD] == WINS:
        return judge(s, payoffs, 1.0 / reals[SCALE])
    for p in range(PLAYERS):
        payoffs[p] = 1.0 * payoff(s, p) / reals[SCALE]
    return 0


def judge(s, payoffs, win):
    """Pay `win` to the best, -win for less than that, 0 where the best share it."""
    best = 0
    for p in range(1, PLAYERS):
        if payoff(s, p) > payoff(s, best):
            best = p
    winners = 0
    for p in range(PLAYERS):
        if payoff(s, p) == payoff(s, best):
            winners += 1
    for p in range(PLAYERS):
        if payoff(s, p) < payoff(s, best):
            payoffs[p] = -win
        elif PLAYERS == 1:
            payoffs[p] = win if payoff(s, p) > 0 else 0.0
        else:
            payoffs[p] = win if winners == 1 else 0.0
    return 0


def finish(states, bufs, rng, path, payoffs, options, reals, stats):
    """Play state 1 to the end at random and pay; return how many moves were noted in the path (none)."""
    stats[LOOKED] += playout(states[1], bufs[0], rng)
    pay(states[1], payoffs, options, reals)
    return 0


def finish_early(states, bufs, rng, path, payoffs, options, reals, stats):
    """Play at most `cut` plies at random; then the evaluation stands for the payoffs, clipped to their range."""
    s = states[1]
    out = bufs[0]
    plies = 0
    n = moves(s, out)
    while n > 0 and plies < options[CUT]:
        play(s, pick_move(s, out, n, rng))
        plies += 1
        n = moves(s, out)
    while n > 0 and plies < MAX_PLIES and mover(s) == CHANCE:  # an opinion needs a mover
        play(s, out[sample(s, out, n, rng)])
        plies += 1
        n = moves(s, out)
    stats[LOOKED] += plies
    if n == 0:
        pay(s, payoffs, options, reals)
        return 0
    for p in range(PLAYERS):
        payoffs[p] = min(max(1.0 * evaluate(s, p), reals[LOW]), reals[HIGH]) / reals[SCALE]
    if PLAYERS == 2 and options[CONSTANT_SUM] > 0:  # a constant sum: one opinion, the mover's, counts for both
        me = mover(s)
        payoffs[1 - me] = reals[SUM] - payoffs[me]
    return 0


def finish_noting(states, bufs, rng, path, payoffs, options, reals, stats):
    """Play to the end at random, noting the players' moves behind the path; return how many."""
    s = states[1]
    out = bufs[0]
    noted = 0
    plies = 0
    n = moves(s, out)
    while n > 0 and plies < MAX_PLIES:
        player = mover(s)
        move = pick_move(s, out, n, rng)
        if player != CHANCE:
            path[MAX_PLIES + 2 + 2 * noted] = player
            path[MAX_PLIES + 2 + 2 * noted + 1] = move
            noted += 1
        play(s, move)
        plies += 1
        n = moves(s, out)
    stats[LOOKED] += plies
    pay(s, payoffs, options, reals)
    return noted


simulate = finish  # bound to finish_early with a cut, to finish_noting with RAVE


def average(states, bufs, rng, path, payoffs, options, reals, stats):
    """Simulate several times from state 1 and pay the mean."""
    copy(states[3], states[1])
    for p in range(PLAYERS):
        payoffs[PLAYERS + p] = 0.0
    noted = 0
    for _ in range(options[ROLLOUTS]):
        copy(states[1], states[3])
        noted = simulate(states, bufs, rng, path, payoffs, options, reals, stats)
        for p in range(PLAYERS):
            payoffs[PLAYERS + p] += payoffs[p]
    for p in range(PLAYERS):
        payoffs[p] = payoffs[PLAYERS + p] / options[ROLLOUTS]
    return noted


def draw_lottery(states, bufs, rng, tree, payoffs, options, reals, stats, node):
    """Let nature end the game: by a new draw, or by the one that was kept."""
    n = moves(states[1], bufs[0])
    i = tree[NODE * node + FROZEN] - 1
    if i < 0:
        i = sample(states[1], bufs[0], n, rng)
        if options[TERMINAL] == FREEZE:
            tree[NODE * node + FROZEN] = i + 1
    play(states[1], bufs[0][i])
    stats[LOOKED] += 1
    pay(states[1], payoffs, options, reals)
    return 0


def value_leaf(states, bufs, rng, tree, worth, path, payoffs, options, reals, stats, node):
    """Pay for the end of the walk: a fact where the game is over or proved, else by simulation; return the moves
    noted.
    """
    kind = tree[NODE * node + KIND]
    if tree[NODE * node + PROVED] > 0:
        for p in range(PLAYERS):
            payoffs[p] = (
                worth[WORTH * node + PROOF]
                if p == tree[NODE * node + OWNER]
                else reals[SUM] - worth[WORTH * node + PROOF]
            )
        return 0
    noted = 0
    if kind == END:
        pay(states[1], payoffs, options, reals)
    elif kind == LOTTERY:
        draw_lottery(states, bufs, rng, tree, payoffs, options, reals, stats, node)
    elif options[ROLLOUTS] > 1:
        noted = average(states, bufs, rng, path, payoffs, options, reals, stats)
    else:
        noted = simulate(states, bufs, rng, path, payoffs, options, reals, stats)
    if options[SOLVER] > 0 and PLAYERS == 2 and max(payoffs[0], payoffs[1]) > reals[TOP]:
        stats[OUTSIDE] = 1
    if options[SOLVER] > 0 and (kind == END or (kind == LOTTERY and options[TERMINAL] == FREEZE)):
        tree[NODE * node + PROVED] = 1
        worth[WORTH * node + PROOF] = payoffs[tree[NODE * node + OWNER]]
    return noted


def prove(tree, worth, node, reals):
    """Settle a node whose children settle it: one of them has the greatest payoff for the mover, or all are proved."""
    at = NODE * node
    decides = tree[at + KIND] == DECISION
    best = -math.inf
    total = 0.0
    mass = 0.0
    proved = 0
    child = tree[at + FIRST]
    while child > 0:
        if tree[NODE * child + PROVED] > 0:
            proved += 1
            best = max(best, worth[WORTH * child + PROOF])
            total += worth[WORTH * child + WEIGHT] * worth[WORTH * child + PROOF]
            mass += worth[WORTH * child + WEIGHT]
        child = tree[NODE * child + NEXT]
    complete = proved == tree[at + WIDTH]
    if decides and (complete or (PLAYERS == 2 and proved > 0 and best >= reals[TOP])):
        tree[at + PROVED] = 1
        worth[WORTH * node + PROOF] = best if tree[at + OWNER] == tree[at + MOVER] else reals[SUM] - best
    elif not decides and complete:
        tree[at + PROVED] = 1
        worth[WORTH * node + PROOF] = total / mass
    return 0


def settle(tree, worth, store, payoffs, options, reals, node):
    """Count one visit with its reward at a node and renew its mean."""
    at = WORTH * node
    reward = payoffs[tree[NODE * node + OWNER]]
    tree[NODE * node + VISITS] += 1
    worth[at + TOTAL] += reward
    worth[at + SQUARES] += reward * reward
    kind = tree[NODE * node + KIND]
    if kind == NATURE and tree[NODE * node + FIRST] > 0:
        worth[at + MEAN] = weighted_mean(tree, worth, node)
    elif kind == DECISION and options[BACKUP] == MAX_BACKUP and tree[NODE * node + FIRST] > 0:
        worth[at + MEAN] = best_mean(tree, worth, node, reals[SUM])
    else:
        worth[at + MEAN] = worth[at + TOTAL] / tree[NODE * node + VISITS]
    record = tree[NODE * node + RECORD]
    if record > 0:
        store[2 * record] += 1.0
        store[2 * record + 1] += reward
    return 0


def iterate(
    states, bufs, rng, tree, worth, path, memory, store, program, number, known, stack, payoffs, options, reals, stats
):
    """Do one playout: walk down, add a node, simulate, carry the rewards back; they are left in `payoffs`."""
    plies = walk(
        states, bufs, rng, tree, worth, path, memory, store, program, number, known, stack, options, reals, stats
    )
    stats[LOOKED] += plies
    node = path[plies]
    noted = value_leaf(states, bufs, rng, tree, worth, path, payoffs, options, reals, stats, node)
    for i in range(plies, -1, -1):
        settle(tree, worth, store, payoffs, options, reals, path[i])
        if (
            options[SOLVER] > 0
            and i < plies
            and tree[NODE * path[i] + PROVED] == 0
            and tree[NODE * path[i + 1] + PROVED] > 0
        ):
            prove(tree, worth, path[i], reals)
    learn(tree, worth, path, memory, store, payoffs, options, reals, stats, plies, noted)
    stats[PLAYED] += 1
    return plies


def has_budget(tree, stats):
    """Tell whether another playout may begin."""
    return stats[PLAYED] < stats[LIMIT] and stats[LOOKED] < stats[NODE_LIMIT] and stats[STOP] == 0 and tree[PROVED] == 0


def secure_worth(mean, visits, caution):
    """Return the lower bound that the secure child has the highest of."""
    return mean - caution / math.sqrt(visits)


def preference(policy, mean, visits, caution):
    """Return what a recommendation policy likes in a child that was visited."""
    if policy == BEST:
        return mean
    if policy == SECURE:
        return secure_worth(mean, visits, caution)
    return 1.0 * visits


def favourite(policy, roots, means, n, caution, rng):
    """Return the number of the root's move that a policy recommends, one of equals at random; any if none was visited.

    roots: visits of move i in cell i, whether it is proved in cell n + i; means: mean reward of move i.
    """
    best = -1
    ties = 0
    liked = -math.inf
    for i in range(n):
        if roots[i] > 0 and roots[n + i] == 0:
            value = preference(policy, means[i], roots[i], caution)
            if best < 0 or value > liked:
                best = i
                liked = value
                ties = 1
            elif value == liked:
                ties += 1
                if draw(rng, ties) == 0:
                    best = i
    proof = -1
    for i in range(n):
        if roots[n + i] > 0 and (proof < 0 or means[i] > means[proof]):
            proof = i
    if proof >= 0 and (best < 0 or means[proof] >= means[best]):
        return proof
    return best if best >= 0 else draw(rng, n)


def gather_root(tree, worth, roots, means, n):
    """Add what the tree says about the root's moves: visits, sums of rewards, proofs (means hold sums until they are
    divided).

    A move that is proved in one of several trees is worth its proof.
    """
    child = tree[FIRST]
    while child > 0:
        i = tree[NODE * child + INDEX]
        visits = tree[NODE * child + VISITS]
        if roots[n + i] > 0:
            means[i] += visits * (means[i] / roots[i])
            roots[i] += visits
        elif tree[NODE * child + PROVED] > 0:
            roots[i] += visits
            roots[n + i] = 1
            means[i] = roots[i] * worth[WORTH * child + PROOF]
        else:
            roots[i] += visits
            means[i] += visits * worth[WORTH * child + MEAN]
        child = tree[NODE * child + NEXT]
    return 0


def undecided(tree, worth, options):
    """Tell whether robust-max still waits for a child that is both the most visited and the best."""
    if options[RECOMMEND] != ROBUST_BEST or tree[PROVED] > 0:
        return False
    visits = 0
    best = -math.inf
    child = tree[FIRST]
    while child > 0:
        if tree[NODE * child + VISITS] > 0:
            visits = max(visits, tree[NODE * child + VISITS])
            best = max(best, worth[WORTH * child + MEAN])
        child = tree[NODE * child + NEXT]
    child = tree[FIRST]
    while child > 0:
        if tree[NODE * child + VISITS] == visits and worth[WORTH * child + MEAN] == best:
            return False
        child = tree[NODE * child + NEXT]
    return True


def recommend(roots, means, n, options, reals, rng):
    """Turn the gathered sums into means and return the number of the move to play."""
    for i in range(n):
        if roots[i] > 0:
            means[i] = means[i] / roots[i]
    policy = options[RECOMMEND]
    return favourite(ROBUST if policy == ROBUST_BEST else policy, roots, means, n, reals[CAUTION], rng)
