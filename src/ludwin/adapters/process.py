"""Any program in any language as an agent: `process:./bot` or `process:"python3 bot.py --level 3",seconds=2`.

Why it is here.  A laboratory that only plays against itself learns little.  The program reads lines of JSON on its
stdin and answers on its stdout (`docs/reference/process-protocol.md`): a greeting, a game, and for each decision the
position, the moves so far, the legal moves, its time and a seed; it answers a move.  It is started once for each seat
of a worker and plays game after game; after whatever goes wrong it is ended, and started anew for the next game.

Hidden information.  A seat is sent what it may see and no more: cells, texts and moves that look alike in all states
that the game's `observe` draws for it (`ludwin.play.view`), null instead of the rest.
"""

import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn, Self

from ludwin import __version__
from ludwin.adapters import foreign
from ludwin.adapters.foreign import ForeignAgent, ForeignPrograms, ForeignSeat, examine, quoted
from ludwin.adapters.pipes import Pipes, words_of
from ludwin.errors import BadParameter, IllegalMove, Misbehaved
from ludwin.formats import shown
from ludwin.game import Game, State
from ludwin.library import split, split_commas, unquoted
from ludwin.play.view import WORLDS, can_tell, worlds
from ludwin.primitives import stream
from ludwin.search.choice import Choice, setting

PROTOCOL, VERSION = "ludwin-process", 1
LATE = 0.25  # seconds beyond its own that a program has, for pipes and busy machines
SEEDS = 2**53  # seeds are whole numbers below this: they fit into a double


def line_of(message: dict[str, Any]) -> str:
    """Return a message as one line."""
    return json.dumps(message, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def said(value: Any) -> str:
    """Return what a program said, as it said it, cut where it would be endless."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 60 else text[:59] + "…"


def _is_number(value: object, number: int) -> bool:
    """Tell whether a value is this whole number; true is not 1."""
    return type(value) is int and value == number


class Bot:
    """A program that has greeted us, and the game that it was last told of."""

    def __init__(self, command: str, show: bool):
        self.pipes = Pipes(command, show)
        self.told: object = None  # whose game it was last told of
        self.number = 0  # of the last question
        try:
            until = time.monotonic() + foreign.START
            hello = {"type": "hello", "protocol": PROTOCOL, "version": VERSION, "ludwin": __version__}
            self.pipes.ask(line_of(hello), until)
            answer = self._object(self._next(until))
            if answer == hello:
                raise Misbehaved("repeats what it is told: it is no player")
            if answer.get("type") != "hello":
                raise Misbehaved(f'answered hello with {said(answer)}, not with {{"type": "hello", "version": 1}}')
            if not _is_number(answer.get("version"), VERSION):
                raise Misbehaved(f"speaks version {said(answer.get('version'))} of the protocol; this is {VERSION}")
        except TimeoutError:
            self.pipes.end()
            raise Misbehaved(f"no greeting within {foreign.START:g} s") from None
        except BaseException:
            self.pipes.end()
            raise

    def _object(self, answer: Any) -> dict[str, Any]:
        if not isinstance(answer, dict):
            raise Misbehaved(f"answered {said(answer)}, which is no JSON object")
        return answer

    def _next(self, until: float | None) -> Any:
        """Return the next answer; lines that only inform are passed over."""
        while True:
            answer = self.pipes.answer(until)
            if not (isinstance(answer, dict) and "info" in answer and "move" not in answer and "type" not in answer):
                return answer

    def tell(self, message: dict[str, Any], until: float | None) -> None:
        """Send what needs no answer."""
        self.pipes.ask(line_of(message), until)

    def move(self, question: dict[str, Any], until: float | None) -> dict[str, Any]:
        """Return the answer to a question about a move. Raises Misbehaved, and TimeoutError at the deadline."""
        while self.pipes.waiting():
            stray = self.pipes.answer(time.monotonic() + LATE)
            if not (isinstance(stray, dict) and "info" in stray and "move" not in stray):
                raise Misbehaved(f"wrote {said(stray)} when nobody had asked")
        self.number += 1
        self.pipes.ask(line_of({"type": "move", "id": self.number, **question}), until)
        answer = self._object(self._next(until))
        if "move" not in answer:
            raise Misbehaved(f'answered {said(answer)}, which has no "move"')
        if not _is_number(answer.get("id", self.number), self.number):
            raise Misbehaved(f"answered question {said(answer['id'])}, not {self.number}")
        return answer

    def end(self, *, polite: bool) -> None:
        """End it; politely it is told before."""
        self.pipes.end(line_of({"type": "quit"}) if polite else "")


_bots: ForeignPrograms[Bot] = ForeignPrograms()  # by process, thread, command and seat
end_all = _bots.end_all


@dataclass(frozen=True)
class ProcessAgent(ForeignAgent):
    """Another program, in any language, over lines of JSON: `process:"python3 bot.py --level 3",seconds=2`.

    It runs with your rights. docs/reference/process-protocol.md says what it reads and answers.
    """

    name: ClassVar[str] = "process"
    command: str = field(
        default="",
        metadata={
            "help": "the command, written first, quoted if it has blanks, commas or =",
            "least": None,
        },
    )
    seconds: float = setting(0.0, "its time for a move, which it is told; who takes longer forfeits (0: any)", least=0)
    stderr: int = field(
        default=0,
        compare=False,
        metadata={"help": "1: show what it writes to stderr", "least": 0, "most": 1, "kind": int},
    )

    def __post_init__(self) -> None:
        """Examine the settings and the words of the command. Raises BadParameter."""
        super().__post_init__()
        if self.command:
            examine(self.name, self.command, self.seconds)

    def __str__(self) -> str:
        more = f",seconds={repr(float(self.seconds)).removesuffix('.0')}" if self.seconds else ""
        return f"{self.name}:{quoted(self.command)}{more}"

    @classmethod
    def parse_text(cls, rest: str) -> Self:
        """Make the agent from `COMMAND` or `COMMAND,key=value,…`; nothing is started. Raises BadParameter."""
        first, *more = split_commas(rest)
        command = unquoted(first.strip().removeprefix("command="), "process: the command")
        if any("=" not in part for part in more):
            raise BadParameter(f'process: a command with a comma is quoted: process:"…",seconds=2, got {rest!r}')
        words_of(command)
        given = split(f"process:{','.join(more)}")[1] if more else {}
        if "command" in given:
            raise BadParameter("process: command is given twice")
        return cls.parse({"command": command, **given})

    def sit(self, game: Game, mode: str = "fast") -> "ProcessPlayer":
        """Return what asks the program in one game."""
        return ProcessPlayer(self, game)

    def leave(self) -> None:
        """End the programs of this process that this agent has started."""
        _bots.leave(self.command)


class ProcessPlayer(ForeignSeat[Bot]):
    """A program in one seat of one game."""

    unready = "it does not read"

    def __init__(self, agent: ProcessAgent, game: Game):
        super().__init__(_bots, agent.command, game)
        self.agent = agent
        self.named: dict[tuple[State, int], str | None] = {}

    def start(self) -> Bot:
        """Start the program. Raises Misbehaved."""
        return Bot(self.agent.command, bool(self.agent.stderr))

    def tell(self, program: Bot, player: int, until: float) -> None:
        """Tell the program of the game."""
        program.tell(self._game(player), until)

    def __call__(self, state: State, seed: int, played: Sequence[int]) -> Choice:
        """Return the program's move. Raises Misbehaved or IllegalMove, and the program is ended."""
        bot = self.program(state.mover)
        seen = SeatView(state, state.mover, stream(seed, -2))
        question = {
            "player": state.mover,
            **seen.position(),
            "moves": self._history(played, state.mover, seed),
            "legal": [{"move": seen.name(code), "code": code} for code in state.moves()],
            "seconds": self.agent.seconds or (None if self.allowed == math.inf else self.allowed),
            "clock": None if self.clock is None else {"left": self.clock[0], "increment": self.clock[1]},
            "seed": seed % SEEDS,
        }
        told, until = self.limits(self.agent.seconds, LATE)
        found: Choice = self.guard(lambda: _choice(state, seen, bot.move(question, until)), told, "no move")
        return found

    def _game(self, player: int) -> dict[str, Any]:
        game = self.game
        parameters = {**game.source.parameters, **game.values}
        about = {"type": "game", "game": game.name, "parameters": parameters, "players": game.players}
        return {**about, "player": player, "max_plies": game.max_plies, "hidden": game.has_secrets}

    def _history(self, played: Sequence[int], viewer: int, seed: int) -> list[dict[str, Any]]:
        """Return the moves so far, null where the seat cannot tell which it was."""
        if len(self.states) < len(played) + 1:
            return []
        found = []
        for ply, code in enumerate(played):
            state, after = self.states[ply], self.states[ply + 1]
            if (state, code) not in self.named:
                hidden = (
                    self.game.has_secrets
                    and state.mover != viewer
                    and not can_tell(state, code, after, viewer, stream(seed, -3))
                )
                name = None if hidden else SeatView(state, viewer, stream(seed, -4)).name(code)
                self.named[state, code] = name
            name = self.named[state, code]
            found.append({"player": state.mover, "move": name, "code": None if name is None else code})
        return found


class SeatView:
    """A position as one seat sees it."""

    def __init__(self, state: State, player: int, seed: int):
        self.state = state
        self.game = state.game
        self.worlds = worlds(state, player, seed, WORLDS) if self.game.has_secrets else [state]

    def position(self) -> dict[str, Any]:
        """Return text and cells; null stands for what the seat cannot know."""
        texts = {world.write() for world in self.worlds}
        fields: dict[str, Any] = {}
        for item in self.game.fields:
            columns = zip(*(world.cells[item.offset : item.offset + item.cells] for world in self.worlds), strict=True)
            cells = [_plain(column[0]) if len(set(column)) == 1 else None for column in columns]
            fields[item.name] = cells[0] if item.size is None else cells
        return {"position": texts.pop() if len(texts) == 1 else None, "fields": fields}

    def name(self, code: int) -> str:
        """Return the name of a move, its code if the name would tell what the seat cannot know."""
        if not self.game.has_secrets:
            return self.state.name(code)
        names = {world.name(code) for world in self.worlds if code in world.moves()}
        return names.pop() if len(names) == 1 else str(code)


def _plain(value: float) -> float | str:
    """Return a cell as JSON can hold it: infinities and nan as texts."""
    return value if math.isfinite(value) else str(value)


def _choice(state: State, seen: SeatView, answer: dict[str, Any]) -> Choice:
    """Return an answer as a choice. Raises Misbehaved or IllegalMove."""
    move, legal = answer["move"], state.moves()
    if isinstance(move, str):
        named = {seen.name(code): code for code in reversed(legal)}
        if move not in named and not state.game.has_secrets:
            named[move] = state.parse(move)  # a game may understand more than it writes
        if move not in named:
            raise IllegalMove(f"process played {shown(move)}, which is not legal")
        code = named[move]
    elif isinstance(move, int) and not isinstance(move, bool):
        if move not in legal:
            raise IllegalMove(f"process played {shown(move)}, which is not legal")
        code = move
    else:
        _wrong("move", "the name or the code of a move", move)
    value, nodes, depth = answer.get("value", 0.0), answer.get("nodes", 1), answer.get("depth", 0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        _wrong("value", "a number", value)
    for key, count in (("nodes", nodes), ("depth", depth)):
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 2**63:
            _wrong(key, "a whole number", count)
    return Choice(code, float(value), nodes, depth=depth)


def _wrong(key: str, wanted: str, got: object) -> NoReturn:
    raise Misbehaved(f'answered "{key}": {said(got)}, where {wanted} should stand')
