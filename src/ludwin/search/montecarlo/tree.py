"""The statistical tree of a Monte Carlo search: nodes as records.

Why it is here.  Every idea of the family (selection, expansion, backup, proofs) reads and writes the same nodes, and
people want to look at them afterwards.  Children hang in a chain, newest first, so that a tree takes only what was
visited; node 0 is the root, so 0 also says that there is no such child.  A rule that remembers more of a node adds
fields of its own (`rules`).  States are not kept: a walk from the root plays the moves again.

Values.  A node's rewards are those of its owner, the player who moved into it (the outcomes of a chance node
belong to the owner of the chance node, the root to its mover, unless it was a node of an earlier tree).  So a player
always picks the child of the highest mean, whoever it is: that is the sign change of two-player games, for any number
of players. Kernel text.
"""

from typing import Any

from ludwin.kernel.names import copy, mover, moves, play
from ludwin.primitives import CHANCE

KINDS = ("unseen", "decision", "chance", "end", "lottery")  # a lottery is nature's last word: then the game is over
UNSEEN = KINDS.index("unseen")
DECISION = KINDS.index("decision")
NATURE = KINDS.index("chance")
END = KINDS.index("end")
LOTTERY = KINDS.index("lottery")

# What is read of every child comes first: eight cells are one line of the processor's cache.
NODE: dict[str, Any] = {
    "next": int,  # the sibling that is next older
    "visits": int,
    "proved": int,  # 1: `proof` is its value
    "mean": float,
    "kind": int,
    "first": int,  # its newest child
    "children": int,
    "width": int,  # how many moves there are
    "move": int,  # that leads here
    "owner": int,
    "total": float,
    "squares": float,
    "mover": int,
    "weight": float,  # of an outcome of chance; elsewhere the prior
    "proof": float,
    "parent": int,
    "index": int,  # which of its parent's moves it is
    "level": int,
    "born": int,  # in which playout
    "frozen": int,  # of a lottery: 1 + the number of the move that nature drew
    "record": int,  # in the table of positions (transpositions)
}

RUN = {
    "played": int,  # playouts
    "size": int,  # nodes of the tree
    "looked": int,  # states, those of the playouts included
    "stop": int,  # set by a clock
    "expanded": int,
    "fresh": int,  # whether the last playout added a node
    "begin": int,  # where the formula lies
    "finish": int,
    "limit": int,  # of playouts, for the tree that grows
    "node_limit": int,
    "outside": int,  # 1: a payoff was above `top`
    "kept": int,  # 1 + the node of the earlier tree that is the root now; 0: a new tree
    "first_tree": int,
    "last_tree": int,
    "remembered": int,  # choices in the windows of sw-ucb
}


def add_node(w, parent: int, move: int, index: int, owner: int, weight: float):
    """Hang a new node, unvisited, below its parent and return its number."""
    node = w.run.size
    w.run.size = node + 1
    above = w.tree[parent]
    new = w.tree[node]
    copy(new, w.blank)
    new.parent = parent
    new.move = move
    new.index = index
    new.owner = owner
    new.born = w.run.played + 1
    new.level = above.level + 1
    new.next = above.first
    new.weight = weight
    above.first = node
    above.children += 1
    return node


def plant(w):
    """Begin a tree at state 0."""
    root = w.tree[0]
    copy(root, w.blank)
    w.run.size = 1
    copy(w.states[1], w.states[0])
    recognise(w, root)
    root.owner = mover(w.states[0])
    return 0


def over_at_once(w, n: int):
    """Tell whether every one of nature's `n` moves in state 1 ends the game."""
    for i in range(n):
        copy(w.states[2], w.states[1])
        play(w.states[2], w.bufs[0][i])
        if moves(w.states[2], w.bufs[1]) > 0:
            return False
    return True


def recognise(w, node):
    """Note what kind of node this is; state 1 stands there."""
    n = moves(w.states[1], w.bufs[0])
    node.width = n
    if n == 0:
        node.kind = END
        return 0
    player = mover(w.states[1])
    node.mover = player
    if player != CHANCE:
        node.kind = DECISION
    elif over_at_once(w, n):
        node.kind = LOTTERY
    else:
        node.kind = NATURE
    return 0


def child_by(w, node, move: int):
    """Return the child behind a move, 0 if there is none yet."""
    child = node.first
    while child > 0 and w.tree[child].move != move:
        child = w.tree[child].next
    return child


def mark_tried(w, node, n: int):
    """Mark in list 1 those of `n` moves that have a child."""
    marks = w.bufs[1]
    for i in range(n):
        marks[i] = 0
    child = node.first
    while child > 0:
        marks[w.tree[child].index] = 1
        child = w.tree[child].next
    return 0


def untried(w, node, n: int, k: int):
    """Return the place of the k-th of `n` moves that has no child yet."""
    mark_tried(w, node, n)
    marks = w.bufs[1]
    place = 0
    for i in range(n):
        if marks[i] == 0:
            if k == 0:
                place = i
                break
            k -= 1
    return place


def weighted_mean(w, node):
    """Return the mean of a chance node: the outcomes seen so far, by their weights."""
    total = 0.0
    mass = 0.0
    child = node.first
    while child > 0:
        below = w.tree[child]
        if below.visits > 0:
            total += below.weight * below.mean
            mass += below.weight
        child = below.next
    return total / mass


def best_mean(w, node):
    """Return the best mean among a node's children as the node's owner sees it; its own mean if there are none."""
    best = node.mean
    seen = False
    child = node.first
    while child > 0:
        below = w.tree[child]
        if below.visits > 0 and (not seen or below.mean > best):
            best = below.mean
            seen = True
        child = below.next
    if seen and node.kind == DECISION and node.mover != node.owner:
        return w.options.payoff_sum - best
    return best


def replant(w, root: int):
    """Keep only what lies below `root`, which becomes the root; numbers of nodes grow from parent to child.

    Meanwhile `born` says of a node that stays what its number will be: -1 - number.
    """
    tree = w.tree
    kept = 0
    level = tree[root].level
    for node in range(root, w.run.size):
        here = tree[node]
        if node == root or (here.parent >= root and tree[here.parent].born < 0):
            here.parent = 0 if node == root else -1 - tree[here.parent].born
            here.born = -1 - kept
            kept += 1
    place = 0
    for node in range(root, w.run.size):
        if tree[node].born < 0:
            copy(tree[place], tree[node])
            place += 1
    for node in range(place):
        here = tree[node]
        here.first = 0
        here.next = 0
        here.level -= level
        here.born = 0  # before this search
        here.record = 0  # the table of positions is new
    for node in range(1, place):
        above = tree[tree[node].parent]
        tree[node].next = above.first
        above.first = node
    w.run.size = place
    return place
