"""Temporal-difference learning: a network that plays against itself, and moves each opinion towards the next one.

The idea.  After its play a player thinks that it wins with chance V; after the answer the enemy thinks V'.  Then
1 - V' is a better estimate of V, and at the end of the game 0 or 1 is the truth: the weights move a little towards it
(TD(0), with the gradient of the logarithmic loss).  Dice make exploration needless.

A run is a pure function of its settings and the seed: going on from a saved file makes the same network as never having
stopped, for the file holds weights, games and the state of the random stream to the last bit.

References.  R. Sutton, "Learning to predict by the methods of temporal differences", Machine Learning 3 (1988), 9-44;
G. Tesauro, "TD-Gammon, a self-teaching backgammon program", Neural Computation 6 (1994), 215-219.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter
from ludwin.formats import read_json, write_json
from ludwin.games.backgammon.opponents.network import (
    MEMBERS,
    MOST_UNITS,
    NETWORK,
    ROW,
    WIDE,
    Network,
    answer,
    chance_of,
    encode,
)
from ludwin.games.backgammon.opponents.oneply import last_man
from ludwin.kernel.names import Bundle, copy, mover, moves, play
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE, shl
from ludwin.search.playout import sample

OVER = 5  # the stage of a finished game
BLOCK = 1000  # games between two rates, and at least between two files

RECORDS = {
    **MEMBERS,
    "states": "States",
    "bufs": "Moves",
    "rng": "Ints",
    "run": {"games": int, "rate": float},
    "back": [float],
}


def stage_of(s):
    """Return 0 while there is contact, 1 in a race."""
    return 0 if last_man(s, 0) + last_man(s, 1) < 25 else 1


def best_play(w, s, child, n):
    """Return the play that the network likes best; the first of equals."""
    player = mover(s)
    stage = stage_of(s)
    best = 0.0
    chosen = w.bufs[0][0]
    for i in range(n):
        copy(child, s)
        play(child, w.bufs[0][i])
        if child.stage == OVER:
            return w.bufs[0][i]
        value = answer(w, stage, encode(w, child, player, stage))
        if i == 0 or value > best:
            best = value
            chosen = w.bufs[0][i]
    return chosen


def learn(w, s, player, stage, target):
    """Move the opinion on a position towards a target."""
    k = encode(w, s, player, stage)
    step = w.run.rate * (target - chance_of(answer(w, stage, k)))
    units = w.brain.hidden
    row = ROW * stage
    w.brain_top[row + MOST_UNITS] += step
    for h in range(units):
        w.back[h] = 0.0
        if w.brain_hidden[h] > 0.0:
            w.back[h] = step * w.brain_top[row + h]
            w.brain_top[row + h] += step * w.brain_hidden[h]
            w.brain_bias[row + h] += w.back[h]
    for j in range(k):
        i = WIDE * stage + w.brain_at[j]
        x = w.brain_x[j]
        w.brain_skip[i] += step * x
        place = i * units
        for h in range(units):
            w.brain_first[place + h] += x * w.back[h]
    return 0


def self_play(w: Bundle):
    """Play against oneself and learn from each play. States: 0 the start, 1 the game, 2 a play, 3 the last play."""
    s = w.states[1]
    for _ in range(w.run.games):
        copy(s, w.states[0])
        last = -1  # who played last
        stage = 0
        n = moves(s, w.bufs[0])
        while n > 0:
            if mover(s) == CHANCE:
                play(s, w.bufs[0][sample(s, w.bufs[0], n, w.rng)])
            else:
                player = mover(s)
                now = stage_of(s)
                play(s, best_play(w, s, w.states[2], n))
                target = 0.0
                if s.stage != OVER:
                    target = 1.0 - chance_of(answer(w, now, encode(w, s, player, now)))
                if last >= 0:
                    learn(w, w.states[3], last, stage, target)
                copy(w.states[3], s)
                last = player
                stage = now
            n = moves(s, w.bufs[0])
    return w.run.games


TRAIN = Kernel("td", self_play, records=RECORDS)


@dataclass
class Learner:
    """A network in training, as it is saved: weights, games so far, and the state of the random stream."""

    network: Network
    games: int
    seed: int
    stream: int

    @classmethod
    def begin(cls, hidden: int, seed: int) -> "Learner":
        """Return a network that knows nothing: small random weights."""
        if not 0 <= hidden <= MOST_UNITS:
            raise BadParameter(f"hidden must be 0 to {MOST_UNITS}, got {hidden}")
        rng = random.Random(f"td {seed}")
        first = tuple(rng.gauss(0.0, 0.15) for _ in range(2 * WIDE * hidden))
        top = tuple(rng.gauss(0.0, 0.3) if k % ROW < hidden else 0.0 for k in range(2 * ROW))
        network = Network(hidden, first, (0.0,) * (2 * ROW), top, (0.0,) * (2 * WIDE))
        return cls(network, 0, seed, shl(7919 * seed + 1, 0))

    @classmethod
    def read(cls, path: Path) -> "Learner":
        """Return a saved one. Raises BadFile or BadParameter."""
        data = read_json(path, NETWORK)
        weights = [tuple(map(float, data[name])) for name in ("first", "bias", "top", "skip")]
        return cls(Network(data["hidden"], *weights), data["games"], data["seed"], data["stream"])

    def save(self, path: Path) -> None:
        """Write it to a file, whole."""
        net = self.network
        weights = {name: list(getattr(net, name)) for name in ("first", "bias", "top", "skip")}
        about = {"hidden": net.hidden, "games": self.games, "seed": self.seed, "stream": self.stream}
        write_json(path, NETWORK, {**about, **weights})

    def train(self, games: int, rates: tuple[float, float], mode: str = "fast") -> Iterator["Learner"]:
        """Play up to `games` games in all, the rate falling from the one to the other; yield after each block."""
        from ludwin.library import load

        game = load("backgammon")
        run = specialise(game, TRAIN, mode)
        most = max(self.network.hidden, 1)
        w: Any = run.bundle(states=4, bufs=1, back=most, **self.network.sizes())
        self.network.write_to(w, run.compiled)
        run.put(w.states, 0, game.start())
        w.rng[0] = self.stream
        while self.games < games:
            w.run.games = min(BLOCK, games - self.games)
            w.run.rate = rates[0] * (rates[1] / rates[0]) ** (self.games / games)
            run(w)
            self.games += w.run.games
            self.stream = int(w.rng[0])
            weights = (tuple(map(float, getattr(w, f"brain_{name}"))) for name in ("first", "bias", "top", "skip"))
            first, *rest = weights
            self.network = Network(self.network.hidden, first[: 2 * WIDE * self.network.hidden], *rest)
            yield self
