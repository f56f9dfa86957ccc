"""UCI engines as agents: `uci:stockfish,nodes=1000`, `uci:"gnuchess --uci",seconds=0.05`, `uci:toga2,depth=6,hash=16`.

References.  R. Huber and S. Meyer-Kahlen, "Description of the universal chess interface" (2006).
"""

import itertools
import re
from collections.abc import Sequence
from typing import ClassVar

from ludwin.adapters.engines import Answer, EngineAgent, EngineLimits, EngineProgram, GameLine, wanted
from ludwin.errors import Misbehaved
from ludwin.formats import printable, shown

_SCORE = re.compile(r"\bscore (cp|mate) (-?[0-9]{1,9})\b(?! (?:upper|lower)bound)")


class UciEngine(EngineProgram):
    """An engine that speaks UCI."""

    def greet(self, options: Sequence[tuple[str, str]], until: float) -> None:
        """Say uci, set the options, and wait until it is ready."""
        known = []
        self.say("uci", until)
        while (line := self.pipes.line(until)) != "uciok":
            if found := re.fullmatch(r"option name (.+?) type \w+.*", line):
                known.append(found[1].strip())
        for key, value in options:
            self.say(f"setoption name {wanted(key, known, 'the engine')} value {value}", until)
        self.ready(until)

    def ready(self, until: float | None) -> None:
        """Wait until it has done all that it was told."""
        self.say("isready", until)
        while self.pipes.line(until) != "readyok":
            pass

    def new_game(self, until: float) -> None:
        """Tell that another game begins."""
        self.say("ucinewgame", until)
        self.ready(until)

    def choose(self, line: GameLine, limits: EngineLimits, until: float | None) -> Answer:
        """Tell the game, ask for a move, and read what it thinks meanwhile."""
        moves = f" moves {' '.join(line.moves)}" if line.moves else ""
        self.say(f"position fen {line.start}{moves}", until)
        self.say(_go(line, limits), until)
        score, mate, nodes, depth = 0.0, None, 1, 0
        while True:
            text = self.pipes.line(until)
            words = text.split()
            if words[0] == "bestmove":
                if len(words) < 2 or words[1] in ("(none)", "0000"):
                    raise Misbehaved("says that it has no move")
                return Answer(words[1], score, mate, nodes, depth)
            if words[0] in ("readyok", "uciok"):
                raise Misbehaved(f"said {shown(printable(text))} when it was asked for a move")
            if words[0] != "info" or "string" in words:
                continue
            numbers = {key: int(n) for key, n in itertools.pairwise(words) if n.isdecimal() and len(n) < 19}
            nodes, depth = numbers.get("nodes", nodes), numbers.get("depth", depth)
            if (found := _SCORE.search(text)) and numbers.get("multipv", 1) == 1:
                score, mate = (float(found[2]), None) if found[1] == "cp" else (0.0, int(found[2]))


def _go(line: GameLine, limits: EngineLimits) -> str:
    """Return the command that starts the search."""
    words = ["go"]
    if limits.clock is not None:
        left, increment = (max(int(1000 * seconds), 1) for seconds in limits.clock)
        words += ["wtime", str(left), "btime", str(left)]
        words += ["winc", str(increment), "binc", str(increment)] if limits.clock[1] else []
    words += ["nodes", str(limits.nodes)] if limits.nodes else []
    words += ["depth", str(limits.depth)] if limits.depth else []
    words += ["movetime", str(max(int(1000 * limits.seconds), 1))] if limits.seconds else []
    return " ".join(words)


class UciAgent(EngineAgent):
    """A UCI engine: `uci:stockfish,nodes=1000`; any other key is an option of the engine's own (skill_level=3)."""

    name: ClassVar[str] = "uci"
    speaks: ClassVar[type[EngineProgram]] = UciEngine
