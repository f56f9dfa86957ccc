"""One playout of a Monte Carlo tree search, and what is done with the tree: the loop that all the family shares.

Why it is here.  Selection, expansion, simulation, backup, recommendation: five steps, each a function that
an option or a rule may replace (`rules`, `mcts`).  Vanilla search and the evolving ones call the
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
from typing import Any

from ludwin.kernel.names import MAX_PLIES, PLAYERS, chance, copy, key, mover, moves, payoff, play
from ludwin.primitives import CHANCE, draw, mix, power
from ludwin.search.montecarlo.formula import CELL
from ludwin.search.montecarlo.rules import begin_memory, clipped, learn, pick_child, unfold, untried_at_random
from ludwin.search.montecarlo.tree import (
    DECISION,
    END,
    LOTTERY,
    NATURE,
    RUN,
    UNSEEN,
    add_node,
    best_mean,
    child_by,
    plant,
    recognise,
    replant,
    weighted_mean,
)
from ludwin.search.playout import pick as pick_move
from ludwin.search.playout import playout, sample
from ludwin.search.values import assess

TERMINALS = ("resample", "frozen")
FROZEN = TERMINALS.index("frozen")
OUTCOMES = ("below", "stop")
BELOW = OUTCOMES.index("below")
STOP = OUTCOMES.index("stop")
REWARDS = ("payoff", "wins")
WINS = REWARDS.index("wins")
BACKUPS = ("mean", "max")
MAX_BACKUP = BACKUPS.index("max")
RECOMMENDATIONS = ("robust", "max", "robust-max", "secure")
ROBUST = RECOMMENDATIONS.index("robust")
BEST = RECOMMENDATIONS.index("max")
ROBUST_BEST = RECOMMENDATIONS.index("robust-max")
SECURE = RECOMMENDATIONS.index("secure")

ROOT = {"visits": int, "proved": int, "total": float, "mean": float}  # a move of the root, over all trees
MEMBERS: dict[str, Any] = {  # the workspaces of every search of the family, beside tree and options
    "states": "States",
    "bufs": "Moves",
    "rng": "Ints",
    "run": RUN,
    "path": [int],  # the nodes of a playout
    "noted": [{"player": int, "move": int}],  # its moves behind the tree, where a rule wants to know them
    "roots": [ROOT],
    "payoffs": [float],
    "sums": [float],  # of payoffs, where several simulations are averaged
    "cells": [CELL],  # formulas
    "known": [float],  # what a formula can ask of a child
    "stack": [float],
}


def stay_alone(w, node):
    """Stand in for `join` where transpositions are not looked for."""
    return 0


def join(w, node):
    """Give the node of state 1 the record that all nodes of this position share (a table of keys with open
    addressing).
    """
    mark = mix(key(w.states[1]), node.owner) | 1
    last = w.options.table_rows - 1
    slot = mark % last + 1
    tries = 0
    while w.table[slot].mark != 0 and w.table[slot].mark != mark and tries < 64:
        slot = slot % last + 1
        tries += 1
    if w.table[slot].mark == 0 or w.table[slot].mark == mark:
        w.table[slot].mark = mark
        node.record = slot
    return 0


record_of = stay_alone  # bound to join with transpositions


def keep(w, node, reward: float):
    """Stand in for `share` where transpositions are not looked for."""
    return 0


def share(w, node, reward: float):
    """Let all nodes of the same position know of a reward."""
    if node.record > 0:
        w.table[node.record].visits += 1.0
        w.table[node.record].total += reward
    return 0


spread_reward = keep  # bound to share with transpositions


def expandable(w, node):
    """Tell whether a decision node may have another child now."""
    n = node.children
    if n >= node.width:
        return False
    if w.options.widen <= 0.0 or n == 0:
        return True
    if n < w.options.widen * power(1.0 * node.visits, w.options.power):
        return True
    child = node.first
    while child > 0:
        if w.tree[child].proved == 0:
            return False
        child = w.tree[child].next
    return True


choose_untried = untried_at_random  # bound to another one with an order


def next_child(w, node: int):
    """Return a new child of a decision node while there are untried moves, else the one that the rule picks; 0 if
    neither.
    """
    here = w.tree[node]
    if expandable(w, here) and w.run.size < w.options.room:
        n = moves(w.states[1], w.bufs[0])
        i = choose_untried(w, here, n)
        return add_node(w, node, w.bufs[0][i], i, here.mover, 1.0)
    if here.children == 0:
        return 0
    return pick_child(w, here)


def next_of_all(w, node: int):
    """Return the child that the rule picks among all moves, tried or not."""
    here = w.tree[node]
    if here.children == 0:
        if w.run.size + here.width > w.options.room:
            return 0
        unfold(w, node)
    return pick_child(w, here)


advance = next_child  # bound to next_of_all by rules with priors


def draw_outcome(w, node: int):
    """Return the child of nature's node that chance chooses, a new one if it is the first time; 0 if there is no
    room.
    """
    s = w.states[1]
    out = w.bufs[0]
    here = w.tree[node]
    n = moves(s, out)
    i = sample(s, out, n, w.rng)
    child = child_by(w, here, out[i])
    if child == 0 and w.run.size < w.options.room:
        child = add_node(w, node, out[i], i, here.owner, 1.0 * chance(s, out[i]))
    return child


def walk(w):
    """Walk from the root to the node where the simulation begins; return the number of plies."""
    copy(w.states[1], w.states[0])
    run = w.run
    node = 0
    plies = 0
    w.path[0] = 0
    run.fresh = 0
    going = True
    while going and plies < MAX_PLIES:
        here = w.tree[node]
        if here.kind == NATURE and here.proved == 0:
            child = draw_outcome(w, node)
        elif here.kind == DECISION and here.proved == 0:
            child = advance(w, node)
        else:
            break
        if child == 0:
            break
        below = w.tree[child]
        play(w.states[1], below.move)
        plies += 1
        w.path[plies] = child
        if below.kind == UNSEEN:
            recognise(w, below)
            record_of(w, below)
            if here.kind == DECISION:
                run.expanded += 1
                run.fresh = 1
                going = w.options.outcomes == STOP and below.kind == NATURE
            else:
                going = w.options.outcomes == BELOW
        node = child
    return plies


def pay(w, s):
    """Note what the finished game `s` is worth to each player: its payoff, or win, draw, loss; in units of `scale`."""
    if w.options.reward == WINS:
        return award(s, w.payoffs, 1.0 / w.options.scale)
    for p in range(PLAYERS):
        w.payoffs[p] = 1.0 * payoff(s, p) / w.options.scale
    return 0


def award(s, payoffs, win: float):
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


def finish(w):
    """Play state 1 to the end at random and pay; return how many moves were noted (none)."""
    w.run.looked += playout(w.states[1], w.bufs[0], w.rng)
    pay(w, w.states[1])
    return 0


def finish_early(w):
    """Play at most `cut` plies at random; then the evaluation stands for the payoffs, clipped to their range."""
    s = w.states[1]
    out = w.bufs[0]
    options = w.options
    plies = 0
    n = moves(s, out)
    while n > 0 and plies < options.cut:
        play(s, pick_move(s, out, n, w.rng))
        plies += 1
        n = moves(s, out)
    while n > 0 and plies < MAX_PLIES and mover(s) == CHANCE:  # an opinion needs a mover
        play(s, out[sample(s, out, n, w.rng)])
        plies += 1
        n = moves(s, out)
    w.run.looked += plies
    if n == 0:
        pay(w, s)
        return 0
    for p in range(PLAYERS):
        w.payoffs[p] = clipped(w, assess(w, s, p, n)) / options.scale
    if PLAYERS == 2 and options.constant_sum > 0:  # a constant sum: one opinion, the mover's, counts for both
        me = mover(s)
        w.payoffs[1 - me] = options.payoff_sum - w.payoffs[me]
    return 0


def finish_noting(w):
    """Play to the end at random, noting the players' moves; return how many."""
    s = w.states[1]
    out = w.bufs[0]
    noted = 0
    plies = 0
    n = moves(s, out)
    while n > 0 and plies < MAX_PLIES:
        player = mover(s)
        move = pick_move(s, out, n, w.rng)
        if player != CHANCE:
            w.noted[noted].player = player
            w.noted[noted].move = move
            noted += 1
        play(s, move)
        plies += 1
        n = moves(s, out)
    w.run.looked += plies
    pay(w, s)
    return noted


simulate = finish  # bound to finish_early with a cut, to finish_noting with RAVE


def average(w):
    """Simulate several times from state 1 and pay the mean."""
    copy(w.states[3], w.states[1])
    for p in range(PLAYERS):
        w.sums[p] = 0.0
    noted = 0
    for _ in range(w.options.rollouts):
        copy(w.states[1], w.states[3])
        noted = simulate(w)
        for p in range(PLAYERS):
            w.sums[p] += w.payoffs[p]
    for p in range(PLAYERS):
        w.payoffs[p] = w.sums[p] / w.options.rollouts
    return noted


def draw_lottery(w, node):
    """Let nature end the game: by a new draw, or by the one that was kept."""
    s = w.states[1]
    out = w.bufs[0]
    n = moves(s, out)
    i = node.frozen - 1
    if i < 0:
        i = sample(s, out, n, w.rng)
        if w.options.terminal == FROZEN:
            node.frozen = i + 1
    play(s, out[i])
    w.run.looked += 1
    pay(w, s)
    return 0


def value_leaf(w, node):
    """Pay for the end of the walk: a fact where the game is over or proved, else by simulation; return the moves
    noted.
    """
    if node.proved > 0:
        for p in range(PLAYERS):
            w.payoffs[p] = node.proof if p == node.owner else w.options.payoff_sum - node.proof
        return 0
    noted = 0
    if node.kind == END:
        pay(w, w.states[1])
    elif node.kind == LOTTERY:
        draw_lottery(w, node)
    elif w.options.rollouts > 1:
        noted = average(w)
    else:
        noted = simulate(w)
    if w.options.solver > 0:
        if PLAYERS == 2 and max(w.payoffs[0], w.payoffs[1]) > w.options.top:
            w.run.outside = 1
        if node.kind == END or (node.kind == LOTTERY and w.options.terminal == FROZEN):
            node.proved = 1
            node.proof = w.payoffs[node.owner]
    return noted


def prove(w, node):
    """Settle a node whose children settle it: one of them has the greatest payoff for the mover, or all are proved."""
    decides = node.kind == DECISION
    best = -math.inf
    total = 0.0
    mass = 0.0
    proved = 0
    child = node.first
    while child > 0:
        below = w.tree[child]
        if below.proved > 0:
            proved += 1
            best = max(best, below.proof)
            total += below.weight * below.proof
            mass += below.weight
        child = below.next
    complete = proved == node.width
    if decides and (complete or (PLAYERS == 2 and proved > 0 and best >= w.options.top)):
        node.proved = 1
        node.proof = best if node.owner == node.mover else w.options.payoff_sum - best
    elif not decides and complete:
        node.proved = 1
        node.proof = total / mass
    return 0


def settle(w, node):
    """Count one visit with its reward at a node and renew its mean."""
    reward = w.payoffs[node.owner]
    node.visits += 1
    node.total += reward
    node.squares += reward * reward
    if node.kind == NATURE and node.first > 0:
        node.mean = weighted_mean(w, node)
    elif node.kind == DECISION and w.options.backup == MAX_BACKUP and node.first > 0:
        node.mean = best_mean(w, node)
    else:
        node.mean = node.total / node.visits
    spread_reward(w, node, reward)
    return 0


def iterate(w):
    """Do one playout: walk down, add a node, simulate, carry the rewards back; they are left in `payoffs`."""
    plies = walk(w)
    w.run.looked += plies
    noted = value_leaf(w, w.tree[w.path[plies]])
    for i in range(plies, -1, -1):
        node = w.tree[w.path[i]]
        settle(w, node)
        if w.options.solver > 0 and i < plies and node.proved == 0 and w.tree[w.path[i + 1]].proved > 0:
            prove(w, node)
    learn(w, plies, noted)
    w.run.played += 1
    return plies


def begin_search(w, n: int):
    """Forget what earlier searches gathered about the root's n moves, and reset the counters; the budget's alarm is
    not touched.
    """
    for i in range(n):
        w.roots[i].visits = 0
        w.roots[i].proved = 0
        w.roots[i].total = 0.0
        w.roots[i].mean = 0.0
    w.run.looked = 0
    w.run.expanded = 0
    return 0


def begin_tree(w, seed: int, k: int):
    """Prepare tree number k: its stream, its share of the budget, its root."""
    run = w.run
    options = w.options
    w.rng[0] = mix(mix(0, seed), k)
    begin_memory(w)
    if run.kept > 0:
        replant(w, run.kept - 1)
    else:
        plant(w)
    run.played = options.playouts * k // options.trees
    run.limit = options.playouts * (k + 1) // options.trees
    run.node_limit = run.looked + max(options.nodes // options.trees, 1)
    return 0


def has_budget(w):
    """Tell whether another playout may begin."""
    run = w.run
    return run.played < run.limit and run.looked < run.node_limit and run.stop == 0 and w.tree[0].proved == 0


def preference(policy: int, root, caution: float):
    """Return what a recommendation policy likes in a move that was visited; a secure child has the highest lower
    bound.
    """
    if policy == BEST:
        return root.mean
    if policy == SECURE:
        return root.mean - caution / math.sqrt(root.visits)
    return 1.0 * root.visits


def favourite(w, policy: int, n: int):
    """Return the number of the root's move that a policy recommends, one of equals at random; any if none was
    visited.
    """
    best = -1
    ties = 0
    liked = -math.inf
    for i in range(n):
        root = w.roots[i]
        if root.visits > 0 and root.proved == 0:
            value = preference(policy, root, w.options.secure)
            if best < 0 or value > liked:
                best = i
                liked = value
                ties = 1
            elif value == liked:
                ties += 1
                if draw(w.rng, ties) == 0:
                    best = i
    proof = -1
    for i in range(n):
        if w.roots[i].proved > 0 and (proof < 0 or w.roots[i].mean > w.roots[proof].mean):
            proof = i
    if proof >= 0 and (best < 0 or w.roots[proof].mean >= w.roots[best].mean):
        return proof
    return best if best >= 0 else draw(w.rng, n)


def gather_root(w):
    """Add what the tree says about the root's moves: visits, sums of rewards, proofs.

    A move that is proved in one of several trees is worth its proof.
    """
    child = w.tree[0].first
    while child > 0:
        below = w.tree[child]
        root = w.roots[below.index]
        if root.proved > 0:
            root.total += below.visits * (root.total / root.visits)
            root.visits += below.visits
        elif below.proved > 0:
            root.visits += below.visits
            root.proved = 1
            root.total = root.visits * below.proof
        else:
            root.visits += below.visits
            root.total += below.visits * below.mean
        child = below.next
    return 0


def undecided(w):
    """Tell whether robust-max still waits for a child that is both the most visited and the best."""
    if w.options.recommend != ROBUST_BEST or w.tree[0].proved > 0:
        return False
    visits = 0
    best = -math.inf
    child = w.tree[0].first
    while child > 0:
        below = w.tree[child]
        if below.visits > 0:
            visits = max(visits, below.visits)
            best = max(best, below.mean)
        child = below.next
    child = w.tree[0].first
    while child > 0:
        below = w.tree[child]
        if below.visits == visits and below.mean == best:
            return False
        child = below.next
    return True


def recommend(w, seed: int, n: int):
    """Turn the gathered sums into means and return the number of the move to play."""
    for i in range(n):
        if w.roots[i].visits > 0:
            w.roots[i].mean = w.roots[i].total / w.roots[i].visits
    w.rng[0] = mix(mix(0, seed), -1)
    policy = w.options.recommend
    return favourite(w, ROBUST if policy == ROBUST_BEST else policy, n)
