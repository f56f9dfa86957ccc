"""What a roll leads to, computed by compiled rules: for comparing thousands of positions with other programs."""

import numpy

from ludwin import load
from ludwin.games.backgammon.rules import _MOVE, _PLACES, MAX_MOVES
from ludwin.kernel.names import Bundle, copy, moves, play
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.primitives import stream

GAME = load("backgammon")
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def write_results(w: Bundle):
    """Write the men after each play of state 0, 52 numbers each; return how many plays there are."""
    s = w.states[0]
    n = moves(s, w.bufs[0])
    for i in range(n):
        copy(w.states[1], s)
        play(w.states[1], w.bufs[0][i])
        for k in range(52):
            w.men[52 * i + k] = w.states[1].men[k]
    return n


RESULTS = Kernel("results", write_results, records={"states": "States", "bufs": "Moves", "men": "Ints"})


class Results:
    """The boards after all plays, as bgsage writes boards: the mover's men positive, 24 to 1, the bars at 25 and 0."""

    def __init__(self, mode="fast"):
        self.run = specialise(GAME, RESULTS, mode)
        self.w = self.run.bundle(states=2, bufs=1, men=52 * MAX_MOVES)

    def men(self, state):
        """Return the men after every play, a row of 52 for each."""
        self.run.put(self.w.states, 0, state)
        n = int(self.run(self.w))
        return numpy.array(self.w.men[: 52 * n]).reshape(n, 52)

    def boards(self, state):
        """Return the boards after every play, seen by who has played."""
        men = self.men(state)
        return (
            as_boards(men[:, :_PLACES], men[:, _PLACES:])
            if state.turn == 0
            else as_boards(men[:, _PLACES:], men[:, :_PLACES])
        )


def as_boards(mine, theirs):
    """Return boards of 26 numbers from rows of men on locations."""
    boards = mine[:, ::-1] * 1
    boards[:, 1:25] -= theirs[:, 1:25]
    boards[:, 0] = theirs[:, 0]
    return boards


def with_roll(men, turn, high, low):
    """Return the position with these men, this mover and this roll."""
    return GAME.state(men=men, turn=turn, stage=_MOVE, high=high, low=low, cube=1)


def positions(count, seed):
    """Yield (men, turn) of so many positions of random games, each once."""
    from ludwin.primitives import draw

    rng, seen = [stream(seed, 0)], set()
    while len(seen) < count:
        state = GAME.start()
        while not state.over and len(seen) < count:
            legal = state.moves()
            if state.mover < 0:
                state = state.play(legal[draw(rng, len(legal))])
                continue
            here = (state.men, state.turn)
            if here not in seen:
                seen.add(here)
                yield here
            state = state.play(legal[draw(rng, len(legal))])
