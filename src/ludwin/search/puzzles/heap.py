"""A heap of nodes, the most promising on top, from which a node can be moved when it becomes more promising.

Kernel text.  `w.heap` holds numbers of nodes; a node knows its `place` there (from 1, 0 if it is not in it), its `rank`
(less is earlier) and `far`, which decides between equal ranks; then the newer node is earlier.
"""

RANKED = {"rank": float, "far": float, "place": int}


def earlier(w, a: int, b: int):
    """Tell whether node a comes before node b."""
    one = w.nodes[a]
    two = w.nodes[b]
    if one.rank != two.rank:
        return one.rank < two.rank
    if one.far != two.far:
        return one.far < two.far
    return a > b


def lift(w, at: int):
    """Bring the node at a place of the heap up to where it belongs."""
    node = w.heap[at]
    while at > 1 and earlier(w, node, w.heap[at // 2]):
        w.heap[at] = w.heap[at // 2]
        w.nodes[w.heap[at]].place = at
        at = at // 2
    w.heap[at] = node
    w.nodes[node].place = at
    return 0


def push(w, node: int):
    """Put a node into the heap, or move one that is in it and has become earlier."""
    if w.nodes[node].place == 0:
        w.run.waiting += 1
        w.heap[w.run.waiting] = node
        return lift(w, w.run.waiting)
    return lift(w, w.nodes[node].place)


def pop(w):
    """Take the first node out of the heap."""
    top = w.heap[1]
    w.nodes[top].place = 0
    node = w.heap[w.run.waiting]
    w.run.waiting -= 1
    last = w.run.waiting
    if last == 0:
        return top
    at = 1
    while 2 * at <= last:
        below = 2 * at
        if below < last and earlier(w, w.heap[below + 1], w.heap[below]):
            below += 1
        if not earlier(w, w.heap[below], node):
            break
        w.heap[at] = w.heap[below]
        w.nodes[w.heap[at]].place = at
        at = below
    w.heap[at] = node
    w.nodes[node].place = at
    return top
