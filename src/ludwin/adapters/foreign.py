"""Programs that are not ours in the seats of a game: how they are kept, asked, timed and ended, whatever they speak.

Why it is here.  A bot over lines of JSON, a UCI engine and an XBoard engine differ in their words and agree in their
nature: each is started once for each seat of a worker and plays game after game; it is told whose game it plays; no
clock runs while it starts; and after whatever goes wrong it is ended, and started anew for the next game.
"""

import atexit
import json
import math
import os
import re
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from ludwin.adapters.pipes import words_of
from ludwin.errors import BadParameter, Misbehaved
from ludwin.game import Game, State
from ludwin.search.choice import Agent, Choice, must_move

START = 20.0  # seconds until a program must be ready
PATIENCE = 300.0  # seconds for a move where no referee says how many, as the arbiter of matches has it
MOST = 16  # programs of a kind and a process that run at a time; whoever was asked least recently ends for another
BARE = re.compile(r"[^\s,\"=]+")  # texts that need no quotation marks

Key = tuple[int, int, str, int]  # process, thread, agent and seat


class ForeignProgram(Protocol):
    """A running program that is not ours."""

    told: object  # whose game it was last told of

    def end(self, *, polite: bool) -> None:
        """End it; politely it is told before."""


P = TypeVar("P", bound=ForeignProgram)


class ForeignPrograms(dict[Key, P]):
    """The running programs of one kind, the one that was asked last at the end; they end with the process."""

    def __init__(self) -> None:
        super().__init__()
        atexit.register(self.end_all)

    def drop(self, key: Key, *, polite: bool) -> None:
        """End one; those of a parent process are the parent's."""
        program = self.pop(key, None)
        if program is not None and key[0] == os.getpid():
            program.end(polite=polite)

    def end_all(self, *, polite: bool = True) -> None:
        """End all programs of this process."""
        for key in list(self):
            self.drop(key, polite=polite)

    def leave(self, who: str) -> None:
        """End those that one agent has started in this process."""
        for key in [key for key in self if key[2] == who]:
            self.drop(key, polite=True)

    def asked(self, key: Key, start: Callable[[], P]) -> P:
        """Return the program of a seat, started if it does not run. Raises Misbehaved."""
        program = self.pop(key, None)
        if program is None:
            for oldest in [old for old in self if old[0] == key[0]][: 1 - MOST]:
                self.drop(oldest, polite=True)
            program = start()
        self[key] = program
        return program


def quoted(text: str) -> str:
    """Return a command as agents' texts have it: in quotation marks where it needs them."""
    plain = text.isprintable()
    return text if plain and BARE.fullmatch(text) else json.dumps(text, ensure_ascii=not plain)


def examine(name: str, command: str, seconds: float) -> None:
    """Look at what every such agent is given. Raises BadParameter."""
    words_of(command)
    if any("\ud800" <= letter <= "\udfff" for letter in command):
        raise BadParameter(f"{name}: the command has a byte that is no text, got {command!r}")
    if not math.isfinite(seconds):
        raise BadParameter(f"{name}: seconds must be a number, got {seconds}")


class ForeignAgent(Agent):
    """An agent that is another program; subclasses have its `command` and `seconds`."""

    seconds: float

    @property
    def foreign(self) -> bool:
        """It runs a program that is not ours."""
        return True

    @property
    def timed(self) -> bool:
        """Whether it has seconds."""
        return self.seconds > 0

    def warm(self, game: Game, mode: str = "fast") -> None:
        """Nothing is compiled; the program is started by whoever sits down (`ForeignSeat.hear`)."""

    @abstractmethod
    def sit(self, game: Game, mode: str = "fast") -> "ForeignSeat[Any]":
        """Return what asks the program in one game."""

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Start the program, ask it for one move, and end it. Raises Misbehaved or IllegalMove."""
        self.suits(game)
        must_move(game, state)
        player = self.sit(game, mode)
        player.allowed = PATIENCE
        try:
            return player(state, seed, ())
        finally:
            player.end(polite=True)


class ForeignSeat(Generic[P]):
    """A program in one seat of one game; subclasses start it, tell it of the game, and ask it."""

    unready: str  # what is said of one that is not told of a game in time

    def __init__(self, programs: ForeignPrograms[P], who: str, game: Game):
        self.programs, self.who, self.game = programs, who, game
        self.key: Key | None = None
        self.states: Sequence[State] = ()  # of the game so far, if the referee tells
        self.allowed = math.inf
        self.clock: tuple[float, float] | None = None

    def start(self) -> P:
        """Start the program. Raises Misbehaved."""
        raise NotImplementedError

    def tell(self, program: P, player: int, until: float) -> None:
        """Tell the program that it plays another game. Raises Misbehaved and TimeoutError."""
        raise NotImplementedError

    def __call__(self, state: State, seed: int, played: Sequence[int]) -> Choice:
        """Return the program's move. Raises Misbehaved or IllegalMove, and the program is ended."""
        raise NotImplementedError

    def hear(
        self,
        player: int,
        states: Sequence[State] = (),
        allowed: float = math.inf,
        clock: tuple[float, float] | None = None,
    ) -> None:
        """Listen to the referee: the seat, the states so far, the seconds that this move may take, and the clock.

        The program is started now if it does not run, so that no clock runs meanwhile. Raises Misbehaved.
        """
        self.states, self.allowed, self.clock = states, allowed, clock
        self.program(player)

    def program(self, player: int) -> P:
        """Return the program of a seat, which has been told of this game. Raises Misbehaved."""
        thread = threading.get_ident() if self.key is None else self.key[1]
        self.key = (os.getpid(), thread, self.who, player)
        program = self.programs.asked(self.key, self.start)
        if program.told is not self:
            program.told = self
            self.guard(lambda: self.tell(program, player, time.monotonic() + START), START, self.unready)
        return program

    def limits(self, seconds: float, late: float) -> tuple[float, float | None]:
        """Return the seconds of a move as they are told, and until when it is waited for."""
        limit = min(self.allowed, seconds + late if seconds else math.inf)
        told = seconds if seconds and limit == seconds + late else limit
        return told, None if limit == math.inf else time.monotonic() + limit

    def guard(self, work: Callable[[], Any], limit: float, what: str) -> Any:
        """Do something with the program; whatever goes wrong, it is ended."""
        try:
            return work()
        except TimeoutError:
            self.end()
            raise Misbehaved(f"{what} within {limit:g} s") from None
        except BaseException:
            self.end()
            raise

    def end(self, *, polite: bool = False) -> None:
        """End the program of this seat."""
        if self.key is not None:
            self.programs.drop(self.key, polite=polite)
