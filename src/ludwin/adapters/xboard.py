"""XBoard engines as agents: `xboard:phalanx,depth=4`, `xboard:"gnuchess --xboard",seconds=0.1`.

Why it is here.  Older engines speak this protocol alone.  It counts time in whole seconds; a shorter time is kept by
telling the engine to move now.  Between moves the engine is in force mode, so that it never plays by itself.

References.  T. Mann and H. G. Muller, "Chess Engine Communication Protocol" (2009).
"""

import math
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from ludwin.adapters.engines import Answer, EngineAgent, EngineLimits, EngineProgram, GameLine, wanted
from ludwin.errors import BadParameter, Misbehaved
from ludwin.formats import printable, shown

PROMPT = 2.0  # seconds in which an engine of the second version begins to tell its features
_FEATURE = re.compile(r'(\w+)=("[^"]*"|\S+)')
_MOVE = re.compile(r"(?:\d+\. *(?:\.\.\.)? *)?(?:move|my move is ?:?)\s+(\S+)", re.IGNORECASE)
_THOUGHT = re.compile(r"\s*(\d{1,3})[.+&]?\s+(-?\d{1,7})\s+(\d{1,9})\s+(\d{1,18})\b")
_MATE = 100_000  # scores from here on are mates, in the protocol's second version
_PLAIN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class XBoardEngine(EngineProgram):
    """An engine that speaks the XBoard protocol."""

    def greet(self, options: Sequence[tuple[str, str]], until: float) -> None:
        """Say hello, read the features, set the options."""
        self.features: dict[str, str] = {}
        self.known: list[str] = []
        self.line: GameLine | None = None  # what it has been told
        self.pings = 0
        self.say("xboard", until)
        self.say("protover 2", until)
        self._features(until)
        for key, value in options:
            self.say(f"option {wanted(key, self.known, 'the engine')}={value}", until)
        self.say("easy", until)
        self.say("post", until)

    def _features(self, until: float) -> None:
        """Read what it can; an engine of the first version says nothing."""
        patience = min(until, time.monotonic() + PROMPT)
        while True:
            try:
                text = self.pipes.line(patience)
            except TimeoutError:
                if time.monotonic() >= until:
                    raise
                return
            if not text.startswith("feature"):
                continue
            for name, value in _FEATURE.findall(text):
                if name == "option":
                    self.known.append(value.strip('"').partition(" -")[0])
                self.features[name] = value.strip('"')
                taken = name not in ("san", "analyze", "draw", "pause", "colors")
                self.say(f"{'accepted' if taken else 'rejected'} {name}", until)
            if self.features.get("done") == "1":
                return
            if self.features.get("done") == "0":
                patience = until

    def new_game(self, until: float) -> None:
        """Tell that another game begins."""
        self.say("new", until)
        self.say("force", until)
        self.line = None
        self.wait(until)

    def wait(self, until: float | None) -> list[str]:
        """Wait until it has done all that it was told, if it can tell; return what it said meanwhile."""
        said: list[str] = []
        if self.features.get("ping") != "1":
            return said
        self.pings += 1
        self.say(f"ping {self.pings}", until)
        while (text := self.pipes.line(until)) != f"pong {self.pings}":
            said.append(text)
        return said

    def choose(self, line: GameLine, limits: EngineLimits, until: float | None) -> Answer:
        """Tell what happened since the last move, ask for a move, and read what it thinks meanwhile."""
        self._catch_up(line, until)
        self._limit(line, limits, until)
        began = time.monotonic()
        self.say("go", until)
        hurry = began + limits.seconds if limits.seconds and limits.seconds < math.ceil(limits.seconds) else None
        answer = self._answer(hurry, until)
        answer = replace(answer, move=_castled(answer.move, line.mover))
        self.say("force", until)
        self.line = GameLine(line.start, (*line.moves, answer.move.lower()), 1 - line.mover)
        return answer

    def _catch_up(self, line: GameLine, until: float | None) -> None:
        """Bring the engine to the position, by moves if it knows the game, else from its start."""
        known = self.line
        if known is None or known.start != line.start or known.moves != line.moves[: len(known.moves)]:
            if known is not None:
                self.say("new", until)
                self.say("force", until)
            if line.start != _PLAIN:
                if self.features.get("setboard") != "1":
                    raise Misbehaved("cannot be given a position (no feature setboard=1)")
                self.say(f"setboard {line.start}", until)
            known = GameLine(line.start, (), 0)
        prefix = "usermove " if self.features.get("usermove") == "1" else ""
        for move in line.moves[len(known.moves) :]:
            self.say(prefix + move, until)
        for text in self.wait(until):
            if text.lower().startswith("illegal move"):
                raise Misbehaved(f"said {shown(printable(text))} of a legal game")

    def _limit(self, line: GameLine, limits: EngineLimits, until: float | None) -> None:
        if limits.clock is not None:
            left, increment = limits.clock
            minutes, seconds = divmod(max(int(left), 1), 60)
            self.say(f"level 0 {minutes}:{seconds:02} {math.ceil(increment)}", until)
            self.say(f"time {max(int(100 * left), 1)}", until)
            self.say(f"otim {max(int(100 * left), 1)}", until)
        if limits.depth:
            self.say(f"sd {limits.depth}", until)
            if any("sd " in text for text in self.wait(until)):  # it does not know the word; Phalanx says depth
                self.say(f"depth {limits.depth}", until)
        if limits.seconds:
            self.say(f"st {math.ceil(limits.seconds)}", until)

    def _answer(self, hurry: float | None, until: float | None) -> Answer:
        """Return its move; at the time `hurry` it is told to move now."""
        score, mate, nodes, depth = 0.0, None, 1, 0
        while True:
            try:
                text = self.pipes.line(until if hurry is None else min(hurry, until or hurry))
            except TimeoutError:
                if hurry is None or (until is not None and time.monotonic() >= until):
                    raise
                hurry = None
                self.say("?", until)
                continue
            if found := _MOVE.match(text):
                return Answer(found[1], score, mate, nodes, depth)
            if text.lower().startswith("resign"):
                raise Misbehaved("resigns")
            if text.lower().startswith(("illegal move", "1-0", "0-1", "1/2-1/2")):
                raise Misbehaved(f"said {shown(printable(text))} when it was asked for a move")
            if found := _THOUGHT.match(text):
                depth, points, nodes = int(found[1]), int(found[2]), int(found[4])
                mate = points // _MATE if points >= _MATE else -(-points // _MATE) if points <= -_MATE else None
                score = float(points)


def _castled(move: str, mover: int) -> str:
    """Return a move in coordinates; some engines write O-O all the same."""
    side = {"O-O": "g", "O-O-O": "c"}.get(move.upper().replace("0", "O"))
    return f"e{'18'[mover]}{side}{'18'[mover]}" if side else move


class XBoardAgent(EngineAgent):
    """An XBoard engine: `xboard:phalanx,depth=4`; any other key is an option of the engine's own."""

    name: ClassVar[str] = "xboard"
    speaks: ClassVar[type[EngineProgram]] = XBoardEngine

    def __post_init__(self) -> None:
        """Examine the settings. Raises BadParameter."""
        super().__post_init__()
        if self.nodes:
            raise BadParameter("xboard: such engines have no limit of nodes; give depth= or seconds=")
