"""Agents that misbehave, for the arbiter to deal with."""

import os
import signal
import time
from dataclasses import dataclass, field
from typing import ClassVar

from ludwin import Agent, Choice


@dataclass(frozen=True)
class First(Agent):
    """Plays the first legal move, or what `act` does instead from its own second move on."""

    name: ClassVar[str] = "first"
    act: str = "play"

    def choose(self, game, state, *, seed=0, mode="fast"):
        if state.heap < 20:
            getattr(self, self.act)()
        return Choice(move=99 if self.act == "cheat" and state.heap < 20 else state.moves()[0], value=0.0, nodes=1)

    def __str__(self):
        return f"first:{self.act}"

    def play(self):
        pass

    cheat = play

    def crash(self):
        raise RuntimeError("I am lost\nvery much so")

    def leave(self):
        raise SystemExit(3)

    def exit(self):
        os._exit(3)

    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def loop(self):
        while True:
            pass

    def dream(self):
        time.sleep(60)

    def dawdle(self):
        time.sleep(0.15)


@dataclass(frozen=True)
class Remembers(Agent):
    """Plays by how often it was asked before, which it must not carry into another game or seat."""

    name: ClassVar[str] = "remembers"
    asked: list = field(default_factory=list)

    def choose(self, game, state, *, seed=0, mode="fast"):
        self.asked.append(1)
        legal = state.moves()
        return Choice(move=legal[len(self.asked) % len(legal)], value=0.0, nodes=1)

    def __str__(self):
        return "remembers"
