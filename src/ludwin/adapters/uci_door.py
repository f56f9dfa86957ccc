"""Any agent of ours as a UCI engine, for programs that play chess with engines.

Why it is here.  Boards, match runners and other people's laboratories speak UCI.  The game is read from `position`, the
limits of `go` become settings of the agent (depth, nodes, seconds), and its choice becomes `info` and `bestmove`.
Searches run in a thread of their own, so that `stop`, `isready` and `quit` are heard at any time; alpha-beta tells
every depth that it finishes.  What cannot be understood is passed over, as the protocol asks, or told in an
`info string`; no line of input ends the program but `quit` and the end of input.

References.  R. Huber and S. Meyer-Kahlen, "Description of the universal chess interface" (2006).
"""

import contextlib
import itertools
import math
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import fields, replace
from typing import Any

from ludwin import __version__
from ludwin.adapters.engines import protocol_of
from ludwin.errors import BadPosition, LudwinError, clipped
from ludwin.game import Game, State
from ludwin.search.alphabeta import DEEPEST, AlphaBeta
from ludwin.search.choice import Agent, Choice
from ludwin.search.minimax import Minimax

OVERHEAD = 0.005  # seconds kept back of every move
MOVES_TO_GO = 30  # over which a clock is divided
FOR_EVER = 86_400.0  # seconds of a search without limit; it is stopped
TICK = 0.02  # seconds between two looks at a search that goes on
MOST_LINES = 256
NO_POSITION = "the last position was refused: send another one"
NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime")
WORDS = (*NUMBERS, "infinite", "ponder", "searchmoves")
COUNTS = ("depth", "nodes", "mate")  # of which nothing is left where they are not positive: they say nothing then


class Go:
    """What a `go` asks for."""

    def __init__(self, words: Sequence[str]):
        self.numbers: dict[str, int] = {}
        self.only: list[str] = []
        self.ponders = False  # until ponderhit, or stop
        self.endless = False  # until stop
        k = 0
        while k < len(words):
            word = words[k]
            if word in NUMBERS and k + 1 < len(words):
                k += 1
                with contextlib.suppress(ValueError):
                    self.numbers[word] = max(-(10**12), min(int(words[k]), 10**12))
            self.ponders |= word == "ponder"
            self.endless |= word == "infinite"
            if word == "searchmoves":  # up to the next word that is none
                moves = list(itertools.takewhile(lambda one: one not in WORDS, words[k + 1 :]))
                self.only, k = moves, k + len(moves)
            k += 1
        for word in COUNTS:
            if self.numbers.get(word, 1) <= 0:
                del self.numbers[word]

    @property
    def waits(self) -> bool:
        """Whether it may not answer before it is told."""
        return self.ponders or self.endless

    def seconds(self, mover: int) -> float:
        """Return how long the search may take; 0 is no limit."""
        numbers = self.numbers
        if "movetime" in numbers:
            return max(numbers["movetime"] / 1000 - OVERHEAD, 0.001)
        side = "wb"[mover]
        if f"{side}time" not in numbers:
            return 0.0
        left, more = max(numbers[f"{side}time"], 1) / 1000, max(numbers.get(f"{side}inc", 0), 0) / 1000
        share = left / (max(numbers.get("movestogo", MOVES_TO_GO), 1) + 1) + 0.75 * more
        return max(min(share, 0.8 * left) - OVERHEAD, 0.001)


def limited(agent: Agent, go: Go, mover: int, lines: int = 1) -> Agent:
    """Return the agent with the limits that are asked for, as far as it has such settings; lines share the time."""
    has = {item.name for item in fields(agent)}
    seconds = go.seconds(mover) / lines
    depth = go.numbers.get("depth") or 2 * go.numbers.get("mate", 0)
    nodes = go.numbers.get("nodes", 0)
    given: dict[str, Any] = {}
    endless = go.endless and isinstance(agent, AlphaBeta)  # others cannot be stopped: they think as long as they do
    if not (seconds or depth or nodes or endless):
        return agent
    if "seconds" in has:
        given["seconds"] = seconds or (FOR_EVER if endless and not (depth or nodes) else 0.0)
    if "nodes" in has:
        given["nodes"] = max(nodes, 0)
    if "depth" in has:
        deepest = DEEPEST if isinstance(agent, AlphaBeta) else getattr(agent, "depth", 1)
        given["depth"] = max(1, min(depth, DEEPEST)) if depth > 0 else deepest
    if "playouts" in has and (given.get("seconds") or given.get("nodes")):
        given["playouts"] = 0
    if isinstance(agent, AlphaBeta):
        given["deepen"] = 1
    return replace(agent, **given)


class UciDoor:
    """An agent that reads commands and writes answers."""

    def __init__(self, game: Game, agent: Agent, write: Callable[[str], None], seed: int = 0):
        self.game, self.agent, self.seed = game, agent, seed
        self.protocol = protocol_of(game, "uci")
        self.lock = threading.Lock()
        self.out = write
        self.states: list[State] = [game.start()]
        self.played: list[int] = []
        self.told = ["startpos"]  # the position and the moves that these states come from
        self.lines = 1
        self.thread: threading.Thread | None = None
        self.player: Any = None
        self.players: dict[Agent, Any] = {}
        self.hurry = threading.Event()  # stop, or ponderhit
        self.ponders = False  # whether the last go did
        self.is_warm = False

    def write(self, line: str) -> None:
        """Send a line."""
        with self.lock:
            self.out(line)

    def serve(self, lines: Iterable[str]) -> None:
        """Answer line by line until quit or the end."""
        for line in lines:
            words = line.split()
            if words[:1] == ["quit"]:
                break
            if words:
                self.command(words)
        self.stop()

    def command(self, words: Sequence[str]) -> None:
        """Do what one line says; unknown words before a known one are passed over."""
        known: dict[str, Callable[[Sequence[str]], None]] = {
            "uci": self._uci, "isready": self._isready, "setoption": self._setoption, "ucinewgame": self._new,
            "position": self._position, "go": self._go, "stop": lambda _: self.stop(),
            "ponderhit": self._ponderhit, "d": self._show,
        }  # fmt: skip
        for k, word in enumerate(words):
            if word in known:
                try:
                    known[word](words[k + 1 :])
                except LudwinError as error:
                    self.write(f"info string {str(error).splitlines()[0]}")
                return

    def _uci(self, _: Sequence[str]) -> None:
        self.write(f"id name Ludwin {__version__} {self.agent}")
        self.write("id author the Ludwin developers")
        if isinstance(self.agent, AlphaBeta):
            self.write(f"option name Hash type spin default {self._megabytes()} min 1 max 4096")
            if not self.agent.is_plain:  # others see one line
                self.write(f"option name MultiPV type spin default 1 min 1 max {MOST_LINES}")
        self.write("uciok")

    def _megabytes(self) -> int:
        return max(1, (32 << int(getattr(self.agent, "table", 0))) >> 20)

    def _ponderhit(self, _: Sequence[str]) -> None:
        """Let the search answer that began as pondering; to any other it says nothing."""
        if self.ponders:
            self.hurry.set()

    def _isready(self, _: Sequence[str]) -> None:
        self._warm()
        self.write("readyok")

    def _warm(self) -> None:
        if not self.is_warm:
            self.is_warm = True
            self.agent.warm(self.game)

    def _setoption(self, words: Sequence[str]) -> None:
        if "value" not in words or words[:1] != ["name"]:
            return
        at = list(words).index("value")
        name, value = " ".join(words[1:at]).lower(), " ".join(words[at + 1 :])
        if not value.isdecimal() or len(value) > 9:
            return
        self.stop()
        if name == "multipv":
            self.lines = max(1, min(int(value), MOST_LINES))
        elif name == "hash" and isinstance(self.agent, AlphaBeta):
            rows = max(1, min(int(value), 4096)) << 15
            self.agent = replace(self.agent, table=max(1, rows.bit_length() - 1))
            self.players.clear()

    def _new(self, _: Sequence[str]) -> None:
        self.stop()
        self.players.clear()

    def _position(self, words: Sequence[str]) -> None:
        self.stop()
        cut = list(words).index("moves") if "moves" in words else len(words)
        text = "startpos" if words[:1] == ["startpos"] else " ".join(words[1:cut])
        told = [text, *words[cut + 1 :]]
        goes_on = bool(self.states) and self.told == told[: len(self.told)]
        states, played = (self.states, self.played) if goes_on else ([], [])
        self.states, self.played = [], []  # what is refused must not be answered for another position
        states = states or [self._unclaimed(text)]
        for word in told[len(states) :]:
            code = self._move(states[-1], word)
            state = states[-1].play(code)
            states = [*states, self._unclaimed(state.write()) if state.over else state]
            played = [*played, code]
        self.states, self.played, self.told = states, played, told

    def _move(self, state: State, word: str) -> int:
        """Return the move that a word means: in coordinates, or in whatever else the game reads."""
        legal = {self.protocol.move(code): code for code in state.moves()}
        return legal[word] if word in legal else state.parse(word)

    def _unclaimed(self, text: str) -> State:
        """Return a position; the game goes on where the rules end it by a draw that a player has to claim."""
        return self.game.position(self.protocol.unclaimed(text))

    def _show(self, _: Sequence[str]) -> None:
        if not self.states:
            raise BadPosition(NO_POSITION)
        for line in f"{self.states[-1].show()}\n{self.states[-1].write()}".splitlines():
            self.write(f"info string {line}")

    def stop(self) -> None:
        """End the search that goes on, if there is one; its answer has been written then."""
        thread = self.thread
        self.hurry.set()
        while thread is not None and thread.is_alive():
            halt = getattr(self.player, "stop", None)
            if halt is not None:
                halt()
            thread.join(TICK)
        self.thread = None

    def _go(self, words: Sequence[str]) -> None:
        self.stop()
        self._warm()
        go = Go(words)
        if not self.states or self.states[-1].over:
            self.write(f"info string {'the game is over' if self.states else NO_POSITION}")
            self.write("bestmove 0000")
            return
        state = self.states[-1]
        legal = {self.protocol.move(code): code for code in state.moves()}
        only = [legal[word] for word in go.only if word in legal] or list(legal.values())
        self.hurry, self.ponders = threading.Event(), go.ponders and not go.endless
        self.thread = threading.Thread(target=self._think, args=(go, state, only), daemon=True)
        self.thread.start()

    def _think(self, go: Go, state: State, only: Sequence[int]) -> None:
        """Search and answer; whatever happens, there is a bestmove."""
        best = only[0]
        try:
            agent = limited(self.agent, go, state.mover, min(self.lines, len(only)))
            best = self._search(agent, state, only)
        except LudwinError as error:
            self.write(f"info string {str(error).splitlines()[0]}")
        except Exception as error:  # a program that waits for a bestmove must get one
            self.write(f"info string {type(error).__name__}: {clipped(' '.join(str(error).split()))}")
        if go.waits:
            self.hurry.wait()
        self.write(f"bestmove {self.protocol.move(best)}")

    def _search(self, agent: Agent, state: State, only: Sequence[int]) -> int:
        """Return the best of the moves that may be played, having told the best lines."""
        player = self._player(agent)
        self.player = player
        hear = getattr(player, "hear", None)
        if hear is not None:
            hear(state.mover, self.states)
        began, barred = time.monotonic(), [code for code in state.moves() if code not in only]
        found: list[Choice] = []
        for number in range(1, min(self.lines, len(only)) + 1):
            if isinstance(agent, AlphaBeta) and not agent.is_plain:
                with Watch(self, player, state, number, began) if number == 1 else nullcontext():
                    choice = player(state, self.seed, self.played, barred)
            else:
                choice = player(state, self.seed, self.played)
            found.append(choice)
            if not isinstance(agent, AlphaBeta) or agent.is_plain or self.hurry.is_set():
                break
            barred.append(choice.move)
        found.sort(key=lambda choice: -choice.value)
        for number, choice in enumerate(found, 1):
            self._info(choice, state, agent, number, began)
        return found[0].move if found[0].move in only else only[0]

    def _player(self, agent: Agent) -> Any:
        """Return who plays with these limits; one of alpha-beta keeps its table from move to move."""
        kept = replace(agent, depth=1, nodes=0, seconds=0.0) if isinstance(agent, AlphaBeta) else agent
        if kept not in self.players:
            self.players.clear()
            roomy = replace(agent, depth=DEEPEST) if isinstance(agent, AlphaBeta) and not agent.is_plain else agent
            self.players[kept] = roomy.sit(self.game)
        player = self.players[kept]
        if isinstance(agent, AlphaBeta) and not agent.is_plain:
            player.limit(agent)
        return player

    def _info(self, choice: Choice, state: State, agent: Agent, number: int, began: float) -> None:
        """Tell what a search has found."""
        spent = max(int(1000 * (time.monotonic() - began)), 1)
        words = ["info", "depth", str(max(choice.depth, 1))]
        words += ["multipv", str(number)] if self.lines > 1 else []
        words += ["score", score(choice.value, choice.decided, choice.depth, agent, self.protocol.pawn)]
        words += ["nodes", str(choice.nodes), "nps", str(1000 * choice.nodes // spent), "time", str(spent)]
        words += ["pv", *map(self.protocol.move, choice.line or (choice.move,))]
        self.write(" ".join(words))


def score(value: float, decided: bool, depth: int, agent: Agent, pawn: float) -> str:
    """Return a value as UCI has it: moves to mate where the line is decided, else hundredths of a pawn."""
    if decided and value:
        moves = (depth + 1) // 2 or 1
        return f"mate {moves if value > 0 else -moves}"
    if isinstance(agent, AlphaBeta | Minimax):
        return f"cp {round(100 * value / pawn) if abs(value) < 1e6 else 0}"
    chance = min(max((value + 1) / 2, 0.001), 0.999)  # a payoff: the advantage in rating that brings it
    return f"cp {round(400 * math.log10(chance / (1 - chance)))}"


class Watch:
    """Tells every depth that an alpha-beta search finishes, while it goes on in another thread."""

    def __init__(self, door: UciDoor, player: Any, state: State, number: int, began: float):
        self.door, self.player, self.state, self.number, self.began = door, player, state, number, began
        self.done = threading.Event()
        self.told = 0
        self.thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> None:
        """Begin to watch."""
        self.player.sitting.w.run.reached = 0
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        """End watching."""
        self.done.set()
        self.thread.join()

    def _look(self) -> None:
        while not self.done.wait(TICK):
            w, run = self.player.sitting.w, self.player.sitting.w.run
            depth, value, kept, nodes = run.reached, run.value, run.kept, run.nodes
            line = tuple(int(move) for move in w.kept[:kept])
            legal = line and line[0] in self.state.moves()
            if depth > self.told and run.reached == depth and legal and abs(value) < 1e6:
                self.told = depth
                choice = Choice(
                    line[0], float(value), max(int(nodes), 1), depth=int(depth), line=_legal(self.state, line)
                )
                self.door._info(choice, self.state, self.player.agent, self.number, self.began)


def _legal(state: State, line: Sequence[int]) -> tuple[int, ...]:
    """Return a line as far as it is legal: it may have been read while it was written."""
    kept = []
    for move in line:
        if state.over or move not in state.moves():
            break
        kept.append(move)
        state = state.play(move)
    return tuple(kept)
