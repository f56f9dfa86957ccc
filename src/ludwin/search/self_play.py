"""Self-play that learns: players one ply ahead whose opinion is a weighted sum of what they read.

The idea.  After each move the opinion on a player's last position moves towards the one on its next, and at the end of
the game towards its result (temporal differences); positions and results are kept as well.  Any number of players, and
nature; a position is seen by the player to move (`to_move` 1) or by the one who has moved.

References.  R. Sutton, "Learning to predict by the methods of temporal differences", Machine Learning 3 (1988), 9-44.
"""

from ludwin.kernel.names import MAX_PLIES, Bundle, copy, mover, moves, payoff, play, query
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE, draw, uniform
from ludwin.search.playout import sample

RUN = {
    **dict.fromkeys(("games", "inputs", "players", "to_move", "room", "made", "begun"), int),
    **dict.fromkeys(("rate", "explore", "low", "high"), float),
}
RECORDS = {
    **{"states": "States", "bufs": "Moves", "rng": "Ints", "run": RUN, "numbers": "Ints", "places": "Ints"},
    **{"weights": "Floats", "x": "Floats", "top": "Floats", "rows": "Floats", "labels": "Floats", "known": "Ints"},
}


def look(w, s, p, n):
    """Read all inputs of a position as player p sees it, in parts of the largest; return their weighted sum."""
    total = 0.0
    for j in range(w.run.inputs):
        k = w.numbers[j]
        value = 1.0 * n if k < 0 else 1.0 * query(s, p, k, w.places[j])
        if not abs(value) < 1e30:
            value = 0.0
        w.x[j] = value / w.top[j]
        total += w.weights[j] * w.x[j]
    return total


def chance_to_win(total):
    """Return the chance that a sum means: x / (1 + |x|), which rises from 0 to 1 as the logistic does."""
    return 0.5 + 0.5 * total / (1.0 + abs(total))


def teach(w, q, target):
    """Move the opinion on player q's last position towards a target."""
    base = w.known[q] * w.run.inputs
    total = 0.0
    for j in range(w.run.inputs):
        total += w.weights[j] * w.rows[base + j]
    step = w.run.rate * (target - chance_to_win(total))
    for j in range(w.run.inputs):
        w.weights[j] += step * w.rows[base + j]
    return 0


def seen_by(w, child, player):
    """Return who looks at the position behind a move: its own mover, or the player who has moved."""
    if w.run.to_move == 1 and mover(child) != CHANCE:
        return mover(child)
    return player


def decide(w, s, n):
    """Return the best of the n moves of a position, or now and then any."""
    if uniform(w.rng) < w.run.explore:
        return w.bufs[0][draw(w.rng, n)]
    player = mover(s)
    best = 0.0
    chosen = w.bufs[0][0]
    for i in range(n):
        copy(w.states[2], s)
        play(w.states[2], w.bufs[0][i])
        m = moves(w.states[2], w.bufs[1])
        if m == 0:
            value = 1e9 * (2.0 * payoff(w.states[2], player) - w.run.low - w.run.high)
        else:
            q = seen_by(w, w.states[2], player)
            value = look(w, w.states[2], q, m)
            if q != player:
                value = -value
        if i == 0 or value > best:
            best = value
            chosen = w.bufs[0][i]
    return chosen


def self_play(w: Bundle):
    """Play games against oneself; learn from each move, keep the positions, and label them at the end.

    States: 0 the start, 1 the game, 2 what is tried.
    """
    run = w.run
    s = w.states[1]
    run.made = 0
    for _ in range(run.games):
        copy(s, w.states[0])
        run.begun = run.made
        for q in range(run.players):
            w.known[q] = -1
        plies = 0
        n = moves(s, w.bufs[0])
        while n > 0 and plies < MAX_PLIES and run.made < run.room:
            player = mover(s)
            if player == CHANCE:
                play(s, w.bufs[0][sample(s, w.bufs[0], n, w.rng)])
                n = moves(s, w.bufs[0])
            else:
                play(s, decide(w, s, n))
                n = moves(s, w.bufs[0])
                if n > 0:
                    q = seen_by(w, s, player)
                    now = look(w, s, q, n)
                    if w.known[q] >= 0:
                        teach(w, q, chance_to_win(now))
                    w.known[q] = run.made
                    w.labels[run.made] = 1.0 * q
                    for j in range(run.inputs):
                        w.rows[run.made * run.inputs + j] = w.x[j]
                    run.made += 1
            plies += 1
        ended = n == 0
        for q in range(run.players):
            if ended and w.known[q] >= 0:
                teach(w, q, (payoff(s, q) - run.low) / (run.high - run.low))
        for i in range(run.begun, run.made):
            q = int(w.labels[i])
            w.labels[i] = (payoff(s, q) - run.low) / (run.high - run.low) if ended else 0.5
    return run.made


LEARN = Kernel("self-play that learns", self_play, records=RECORDS)
