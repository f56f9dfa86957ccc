"""Lessons for gated sums: games against oneself, or against Pubeval, from which the weights learn.

Why it is here.  `opponents/td.py` learns from games against itself.  Who is judged by games against Pubeval can learn
from such games, too: the opinion on the position behind each of its own plays moves towards that behind its next one,
and the last towards the result.  That is learning against a fixed opponent, and what it brings is strength against this
opponent first of all; the record of a champion says how it does against others.

References.  R. Sutton, "Learning to predict by the methods of temporal differences", Machine Learning 3 (1988), 9-44.
"""

from functools import lru_cache
from typing import Any

from ludwin.game import Game
from ludwin.games.backgammon.opponents.network import MEMBERS, Network, answer, chance_of, encode
from ludwin.games.backgammon.opponents.oneply import PubevalBrain, pubeval_score
from ludwin.games.backgammon.opponents.td import OVER, RECORDS, Learner, best_play, learn, stage_of
from ludwin.kernel.names import Bundle, copy, mover, moves, play
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel
from ludwin.library import load
from ludwin.primitives import CHANCE
from ludwin.search.playout import sample

SELF, PUBEVAL = "self", "pubeval"
BLOCK = 1000  # games between two rates
WEIGHTS = ("first", "bias", "top", "skip")


def pubevals_play(w, s, child, n):
    """Return Pubeval's play; the first of equals."""
    player = mover(s)
    w.brain.stage = stage_of(s)
    best = 0.0
    chosen = w.bufs[0][0]
    for i in range(n):
        copy(child, s)
        play(child, w.bufs[0][i])
        if child.stage == OVER:
            return w.bufs[0][i]
        value = pubeval_score(w, child, player, 0)
        if i == 0 or value > best:
            best = value
            chosen = w.bufs[0][i]
    return chosen


def lessons(w: Bundle):
    """Play against Pubeval and learn. States: 0 the start, 1 the game, 2 a play, 3 what the last play left."""
    s = w.states[1]
    for number in range(w.run.games):
        copy(s, w.states[0])
        me = number % 2
        begun = False
        stage = 0
        n = moves(s, w.bufs[0])
        while n > 0:
            if mover(s) == CHANCE:
                play(s, w.bufs[0][sample(s, w.bufs[0], n, w.rng)])
            elif mover(s) != me:
                play(s, pubevals_play(w, s, w.states[2], n))
                if s.stage == OVER and begun:
                    learn(w, w.states[3], me, stage, 0.0)
            else:
                now = stage_of(s)
                play(s, best_play(w, s, w.states[2], n))
                target = 1.0
                if s.stage != OVER:
                    target = chance_of(answer(w, now, encode(w, s, me, now)))
                if begun:
                    learn(w, w.states[3], me, stage, target)
                copy(w.states[3], s)
                stage = now
                begun = True
            n = moves(s, w.bufs[0])
    return w.run.games


BRAIN = {**PubevalBrain().members(load("backgammon")), **MEMBERS}
LESSONS = Kernel("lessons", lessons, records={**RECORDS, **BRAIN})


@lru_cache(maxsize=4)
def _room(mode: str) -> tuple[Game, Specialised]:
    game = load("backgammon")
    return game, specialise(game, LESSONS, mode)


def taught(
    network: Network, against: str, games: int, rates: tuple[float, float], seed: int, mode: str = "fast"
) -> Network:
    """Return a network after so many games, the rate falling from the one to the other."""
    if games == 0:
        return network
    if against == SELF:
        learner = Learner(network, 0, 0, seed)
        for _ in learner.train(games, rates, mode):
            pass
        return learner.network
    game, run = _room(mode)
    w: Any = run.bundle(states=4, bufs=1, back=max(network.hidden, 1), **network.sizes(), **PubevalBrain().sizes(game))
    PubevalBrain().prepare(run, w)
    network.write_to(w, run.compiled)
    run.put(w.states, 0, game.start())
    w.rng[0] = seed
    done = 0
    while done < games:
        w.run.games = min(BLOCK, games - done)
        w.run.rate = rates[0] * (rates[1] / rates[0]) ** (done / games)
        run(w)
        done += w.run.games
    found = [tuple(map(float, getattr(w, f"brain_{name}"))) for name in WEIGHTS]
    lengths = [len(getattr(network, name)) for name in WEIGHTS]
    return Network(network.hidden, *(numbers[:many] for numbers, many in zip(found, lengths, strict=True)))
