"""The statistical tree of a Monte Carlo search: nodes as rows of two arrays.

Why it is here.  Every idea of the family (selection, expansion, backup, proofs) reads and writes the same
nodes, and people want to look at them afterwards.  A node is a row of `NODE` integers and a row of
`WORTH` floats; children hang in a chain, newest first, so that a tree takes only what was visited.
States are not kept: a walk from the root plays the moves again.

Values.  A node's rewards are those of its owner, the player who moved into it (the outcomes of a chance node
belong to the owner of the chance node, the root to its mover, unless it was a node of an earlier tree).  So a player
always picks the child of the highest mean, whoever it is: that is the sign change of two-player games, for any number
of players. Kernel text.
"""

from ludwin.kernel.names import copy, mover, moves, play
from ludwin.primitives import CHANCE

NODE = 20  # integers of a node
(
    PARENT,
    EDGE,
    FIRST,
    NEXT,
    CHILDREN,
    WIDTH,
    VISITS,
    KIND,
    OWNER,
    MOVER,
    BORN,
    LEVEL,
    INDEX,
    PROVED,
    FROZEN,
    RECORD,
    SPARE,
    HEAD,
    TAIL,
    LIVE,
) = range(20)
WORTH = 8  # floats of a node
TOTAL, MEAN, SQUARES, WEIGHT, EXTRA, EXTRA_TOTAL, ALL_TOTAL, PROOF = range(8)
UNSEEN, DECISION, NATURE, END, LOTTERY = range(
    5
)  # kinds; a lottery is nature's last word: whatever it draws, the game is over
KINDS = ("unseen", "decision", "chance", "end", "lottery")

PLAYED, SIZE, LOOKED, STOP, EXPANDED, FRESH, BEGIN, FINISH, LIMIT, NODE_LIMIT, OUTSIDE = range(11)  # in stats
STATS = 11  # BEGIN to FINISH: where the formula lies; OUTSIDE: a payoff was above TOP


def add_node(tree, worth, stats, parent, move, index, owner, weight):
    """Hang a new node, unvisited, below its parent and return its number."""
    node = stats[SIZE]
    stats[SIZE] = node + 1
    at = NODE * node
    for k in range(NODE):
        tree[at + k] = 0
    for k in range(WORTH):
        worth[WORTH * node + k] = 0.0
    tree[at + PARENT] = parent
    tree[at + EDGE] = move
    tree[at + INDEX] = index
    tree[at + OWNER] = owner
    tree[at + BORN] = stats[PLAYED] + 1
    tree[at + LEVEL] = tree[NODE * parent + LEVEL] + 1
    tree[at + NEXT] = tree[NODE * parent + FIRST]
    tree[NODE * parent + FIRST] = node
    tree[NODE * parent + CHILDREN] += 1
    worth[WORTH * node + WEIGHT] = weight
    return node


def plant(states, bufs, tree, worth, stats):
    """Begin a tree at state 0."""
    for k in range(NODE):
        tree[k] = 0
    for k in range(WORTH):
        worth[k] = 0.0
    stats[SIZE] = 1
    copy(states[1], states[0])
    recognise(states, bufs, tree, 0)
    tree[OWNER] = mover(states[0])
    return 0


def over_at_once(states, bufs, n):
    """Tell whether every one of nature's `n` moves in state 1 ends the game."""
    for i in range(n):
        copy(states[2], states[1])
        play(states[2], bufs[0][i])
        if moves(states[2], bufs[1]) > 0:
            return False
    return True


def recognise(states, bufs, tree, node):
    """Note what kind of node this is; state 1 stands there."""
    at = NODE * node
    n = moves(states[1], bufs[0])
    tree[at + WIDTH] = n
    if n == 0:
        tree[at + KIND] = END
        return 0
    player = mover(states[1])
    tree[at + MOVER] = player
    if player != CHANCE:
        tree[at + KIND] = DECISION
    elif over_at_once(states, bufs, n):
        tree[at + KIND] = LOTTERY
    else:
        tree[at + KIND] = NATURE
    return 0


def child_by(tree, node, move):
    """Return the child behind a move, 0 if there is none yet."""
    child = tree[NODE * node + FIRST]
    while child > 0 and tree[NODE * child + EDGE] != move:
        child = tree[NODE * child + NEXT]
    return child


def mark_tried(tree, node, marks, n):
    """Mark those of `n` moves that have a child."""
    for i in range(n):
        marks[i] = 0
    child = tree[NODE * node + FIRST]
    while child > 0:
        marks[tree[NODE * child + INDEX]] = 1
        child = tree[NODE * child + NEXT]
    return 0


def untried(tree, node, marks, n, k):
    """Return the place of the k-th of `n` moves that has no child yet."""
    mark_tried(tree, node, marks, n)
    place = 0
    for i in range(n):
        if marks[i] == 0:
            if k == 0:
                place = i
                break
            k -= 1
    return place


def weighted_mean(tree, worth, node):
    """Return the mean of a chance node: the outcomes seen so far, by their weights."""
    total = 0.0
    mass = 0.0
    child = tree[NODE * node + FIRST]
    while child > 0:
        if tree[NODE * child + VISITS] > 0:
            total += worth[WORTH * child + WEIGHT] * worth[WORTH * child + MEAN]
            mass += worth[WORTH * child + WEIGHT]
        child = tree[NODE * child + NEXT]
    return total / mass


def best_mean(tree, worth, node, total):
    """Return the best mean among a node's children as the node's owner sees it; its own mean if there are none."""
    owner = tree[NODE * node + OWNER]
    best = worth[WORTH * node + MEAN]
    seen = False
    child = tree[NODE * node + FIRST]
    while child > 0:
        if tree[NODE * child + VISITS] > 0:
            mean = worth[WORTH * child + MEAN]
            if not seen or mean > best:
                best = mean
                seen = True
        child = tree[NODE * child + NEXT]
    if seen and tree[NODE * node + KIND] == DECISION and tree[NODE * node + MOVER] != owner:
        return total - best
    return best


def replant(tree, worth, stats, root):
    """Keep only what lies below `root`, which becomes the root; numbers of nodes grow from parent to child."""
    size = stats[SIZE]
    kept = 0
    level = tree[NODE * root + LEVEL]
    for node in range(root, size):
        parent = tree[NODE * node + PARENT]
        if node == root or (parent >= root and tree[NODE * parent + LIVE] < 0):
            above = 0 if node == root else -1 - tree[NODE * parent + LIVE]
            tree[NODE * node + LIVE] = -1 - kept
            tree[NODE * node + PARENT] = above
            kept += 1
    place = 0
    for node in range(root, size):
        if tree[NODE * node + LIVE] < 0:
            for k in range(NODE):
                tree[NODE * place + k] = tree[NODE * node + k]
            for k in range(WORTH):
                worth[WORTH * place + k] = worth[WORTH * node + k]
            place += 1
    for node in range(place):
        tree[NODE * node + FIRST] = 0
        tree[NODE * node + NEXT] = 0
        tree[NODE * node + LIVE] = 0
        tree[NODE * node + LEVEL] -= level
        tree[NODE * node + BORN] = 0  # before this search
        tree[NODE * node + RECORD] = 0  # the table of positions is new
    for node in range(1, place):
        parent = tree[NODE * node + PARENT]
        tree[NODE * node + NEXT] = tree[NODE * parent + FIRST]
        tree[NODE * parent + FIRST] = node
    stats[SIZE] = place
    return place
