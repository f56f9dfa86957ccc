"""GNU Backgammon as an opponent, over its socket.

The program (GPL, Debian package `gnubg`) is started and ended by us and spoken to over a socket in a folder of its own;
nothing of it is read or linked.  It is told a position as FIBS writes it and answers with what it would do:
`8/5 6/5`, `roll`, `double`, `take`, `drop`.

References.  "GNU Backgammon manual", the command `external`; FIBS, "The FIBS client protocol", the board line.
"""

import atexit
import os
import socket
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.adapters.pipes import die_with_parent
from ludwin.errors import CannotPlay, Misbehaved, told
from ludwin.files import SpareFolder
from ludwin.game import Game, State
from ludwin.games.backgammon.opponents.oneply import demand_backgammon
from ludwin.games.backgammon.rules import _ANSWER, _DOUBLE, _MOVE, _OFF, _PLACES
from ludwin.paths import find_program
from ludwin.search.choice import Agent, Choice, must_move, setting

START = 30.0  # seconds until it must listen
PATIENCE = 120.0  # seconds for one answer
GREETING = (  # the start with a roll of 3-1
    "board:you:them:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0"
)


def find_gnubg() -> str | None:
    """Return the path of the program, None if it is not installed."""
    return find_program("gnubg")


def fibs_board(state: State) -> str:
    """Return a position as FIBS writes boards, seen by the player who decides: it moves from 24 to 1, positive."""
    p = state.mover
    parameters = {**state.game.source.parameters, **state.game.values}
    length, score = int(parameters["match"]), (state.score[p], state.score[1 - p])
    if not length and parameters["payoff"] == "wins":
        length = 1  # a match to one point: only the victory counts
    mine, theirs = state.men[_PLACES * p : _PLACES * (p + 1)], state.men[_PLACES * (1 - p) :][:_PLACES]
    points = [mine[_OFF - k] - theirs[k] for k in range(1, 25)]
    dice = (state.high, state.low) if state.stage == _MOVE else (0, 0)
    on_roll = 1 if state.turn == p else -1
    doubled = int(state.stage == _ANSWER)
    may = [0, 0] if doubled else [int(state.owner in (0, 1 + q)) for q in (p, 1 - p)]  # it knows a double by these
    fields: list[Any] = ["you", "them", length, *score, -theirs[0], *points, mine[0], on_roll, *dice, 0, 0, state.cube]
    fields += [*may, doubled, 1, -1, 0, 25, mine[_OFF], theirs[_OFF], mine[0], theirs[0], 0, 0]
    return ":".join(map(str, ["board", *fields, int(state.crawford == 2), 0]))


class GnubgProcess:
    """A running GNU Backgammon that answers on a socket."""

    def __init__(self, commands: tuple[str, ...]):
        program = find_gnubg()
        if program is None:
            raise CannotPlay("gnubg is not installed here; Debian has it: apt install gnubg")
        self.spare = SpareFolder("ludwin-gnubg-")
        self.folder = str(self.spare.path)
        path = self.spare.path / "socket"
        self.process = subprocess.Popen(
            [program, "-t", "-q", "-r"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env={**os.environ, "HOME": self.folder},  # it writes no settings of a user's
            preexec_fn=die_with_parent(),
        )
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self._tell([*commands, f"external {path}"])
            self._connect(str(path))
            self.lines = self.socket.makefile("rb")
            answer = self.ask(GREETING)
            if "/" not in answer:
                raise Misbehaved(f"gnubg answers the first position with {answer!r}, which is no play")
        except BaseException:
            self.end()
            raise

    def _tell(self, lines: list[str]) -> None:
        """Type lines to it. Raises Misbehaved if it is gone."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write("\n".join([*lines, ""]).encode())
            self.process.stdin.flush()
        except OSError as error:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
            code = self.process.returncode
            raise Misbehaved(f"gnubg ended with code {code} before it was told anything ({told(error)})") from None

    def _connect(self, path: str) -> None:
        """Wait until it listens, and connect. Raises Misbehaved."""
        until = time.monotonic() + START
        while True:
            try:
                self.socket.connect(path)
                self.socket.settimeout(PATIENCE)
                return
            except OSError as error:
                if self.process.poll() is not None:
                    raise Misbehaved(f"gnubg ended with code {self.process.returncode} before it listened") from None
                if error.errno is None:  # the folder for temporary files has so long a name that no socket fits there
                    raise Misbehaved(f"{path}: {error}; set TMPDIR to a folder with a shorter name") from None
                if time.monotonic() > until:
                    raise Misbehaved(f"gnubg did not listen within {START:g} s ({told(error)})") from None
                time.sleep(0.02)

    def ask(self, line: str) -> str:
        """Return its answer to a line. Raises Misbehaved."""
        try:
            self.socket.sendall(line.encode() + b"\n")
            answer = self.lines.readline()
        except TimeoutError:
            raise Misbehaved(f"gnubg gave no answer within {PATIENCE:g} s") from None
        except OSError as error:
            raise Misbehaved(f"gnubg is gone: {told(error)}") from None
        if not answer.endswith(b"\n"):
            raise Misbehaved("gnubg has closed its socket")
        return answer.decode("utf8", "replace").strip()

    def end(self) -> None:
        """End the program and remove its folder."""
        with suppress(OSError):
            self.socket.close()
        with suppress(OSError):
            self.process.kill()
        with suppress(OSError, subprocess.TimeoutExpired):
            self.process.wait(5)
        if self.process.stdin:
            with suppress(OSError):
                self.process.stdin.close()
        self.spare.remove()


_engines: dict[tuple[int, int, tuple[str, ...]], GnubgProcess] = {}  # by process, thread and commands


def _engine(commands: tuple[str, ...]) -> GnubgProcess:
    key = (os.getpid(), threading.get_ident(), commands)
    if key not in _engines:
        _engines[key] = GnubgProcess(commands)
    return _engines[key]


def end_engines(commands: tuple[str, ...] | None = None) -> None:
    """End the engines of this process, all of them or those with these commands."""
    for key in [key for key in _engines if key[0] == os.getpid() and commands in (None, key[2])]:
        _engines.pop(key).end()


atexit.register(end_engines)


@dataclass(frozen=True)
class Gnubg(Agent):
    """GNU Backgammon, another program, started and ended by us; it knows the cube and the score of a match."""

    name: ClassVar[str] = "gnubg"
    plies: int = setting(0, "plies that it looks ahead: 0 is its neural net alone", least=0, most=4)

    @property
    def foreign(self) -> bool:
        """It is a program that is not ours."""
        return True

    @property
    def commands(self) -> tuple[str, ...]:
        """What it is told before it listens."""
        kinds = ("chequerplay", "cubedecision")
        plies = [f"set evaluation {kind} evaluation plies {self.plies}" for kind in kinds]
        return ("set threads 1", *plies)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless it is backgammon with fifteen men, and the program is there."""
        demand_backgammon(self.name, game)
        if game.values.get("variant", "backgammon") == "hypergammon":
            raise CannotPlay("gnubg plays hypergammon only with databases of its own; leave out variant=hypergammon")
        if find_gnubg() is None:
            raise CannotPlay("gnubg is not installed here; Debian has it: apt install gnubg")

    def told(self, game: Game) -> tuple[str, ...]:
        """Return what it is told for a game: without a cube nobody expects one."""
        cube = game.values.get("cube", game.source.parameters["cube"])
        return (*self.commands, f"set evaluation chequerplay evaluation cubeful {'on' if cube else 'off'}")

    def leave(self) -> None:
        """End the programs of this process."""
        end_engines()

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return its move. Raises Misbehaved or IllegalMove."""
        self.suits(game)
        must_move(game, state)
        legal = state.moves()
        if len(legal) == 1:
            return Choice(legal[0], 0.0, 1)
        commands = self.told(game)
        try:
            answer = _engine(commands).ask(fibs_board(state))
        except Misbehaved:
            end_engines(commands)
            raise
        if answer.startswith("Error") or not answer:
            raise Misbehaved(f"gnubg answered {answer!r} to {state.write()}")
        if state.stage == _DOUBLE:
            answer = "double" if answer.startswith("double") else "roll"
        if state.stage == _ANSWER:
            answer = "take" if answer in ("take", "accept", "beaver") else "drop"
        return Choice(state.parse(answer), 0.0, 1)
