"""Engines as agents: what the protocols of chess programs have in common.

Why it is here.  UCI and XBoard engines differ in their words and agree in their nature: a program that is started once
for each seat of a worker, plays game after game, is told the game from its start so that it knows repetitions, and may
hang, crash, lie or answer nonsense.  Whatever goes wrong is a forfeit with its reason, and the engine is ended and
started anew for the next game.
"""

import json
import re
import shlex
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NoReturn, Self

from ludwin.adapters import foreign
from ludwin.adapters.foreign import BARE, ForeignAgent, ForeignPrograms, ForeignSeat, examine, quoted
from ludwin.adapters.pipes import Pipes, words_of
from ludwin.errors import BadParameter, CannotPlay, IllegalMove, Misbehaved
from ludwin.formats import printable, shown
from ludwin.game import Game, State
from ludwin.library import split, split_commas, unquoted
from ludwin.paths import find_program
from ludwin.rules.portable import Protocol
from ludwin.search.choice import Choice, setting

LATE = 2.0  # seconds beyond its own that an engine has: pipes, busy machines, clocks that are looked at rarely
OPTION = re.compile(r"[^,=\"\n]*")


@dataclass(frozen=True)
class EngineLimits:
    """What an engine may spend on a move; 0 is no limit."""

    nodes: int = 0
    depth: int = 0
    seconds: float = 0.0
    clock: tuple[float, float] | None = None  # left, and added by every move


@dataclass(frozen=True)
class GameLine:
    """A game as engines are told it: where it began, in FEN, and the moves since, in coordinates."""

    start: str
    moves: tuple[str, ...]
    mover: int


@dataclass(frozen=True)
class Answer:
    """What an engine says: a move in coordinates, and what it thinks of the position, in hundredths of a pawn or as
    the number of moves to mate.
    """

    move: str
    score: float = 0.0
    mate: int | None = None
    nodes: int = 1
    depth: int = 0


def located(command: str) -> str:
    """Return the command with the place of its program, where only the folder of Debian's games has it."""
    words = words_of(command)
    found = find_program(words[0])
    return shlex.join([found, *words[1:]]) if found and shutil.which(words[0]) is None else command


class EngineProgram:
    """A running engine. Subclasses speak the protocol."""

    def __init__(self, command: str, options: Sequence[tuple[str, str]], show: bool):
        self.pipes = Pipes(located(command), show)
        self.told: object = None  # whose game it was last told of
        try:
            self.greet(options, time.monotonic() + foreign.START)
        except TimeoutError:
            self.pipes.end()
            raise Misbehaved(f"not ready within {foreign.START:g} s") from None
        except BaseException:
            self.pipes.end()
            raise

    def greet(self, options: Sequence[tuple[str, str]], until: float) -> None:
        """Say hello and set the options. Raises Misbehaved and TimeoutError."""
        raise NotImplementedError

    def new_game(self, until: float) -> None:
        """Tell that another game begins."""
        raise NotImplementedError

    def choose(self, line: GameLine, limits: EngineLimits, until: float | None) -> Answer:
        """Return what it plays. Raises Misbehaved and TimeoutError."""
        raise NotImplementedError

    def say(self, text: str, until: float | None) -> None:
        """Send a line."""
        self.pipes.ask(text, until)

    def end(self, *, polite: bool) -> None:
        """End it."""
        self.pipes.end("quit" if polite else "")


def wanted(given: str, known: Sequence[str], command: str) -> str:
    """Return an option's name as the engine spells it; blanks may be written as underscores. Raises Misbehaved."""
    plain = {name.lower().replace(" ", "_"): name for name in known}
    found = plain.get(given.lower().replace(" ", "_"))
    if found is None:
        raise Misbehaved(f"{command} has no option {shown(given)} (it has {', '.join(known) or 'none'})")
    return found


_engines: ForeignPrograms[EngineProgram] = ForeignPrograms()  # by process, thread, agent and seat
end_all = _engines.end_all


def protocol_of(game: Game, who: str) -> Protocol:
    """Return how a game speaks with engines. Raises CannotPlay if it does not."""
    found = getattr(game.part("notation"), "PROTOCOL", None)
    if not isinstance(found, Protocol):
        raise CannotPlay(
            f"{who} plays games whose notation says how engines write moves, such as chess, not {game.name}"
        )
    return found


@dataclass(frozen=True)
class EngineAgent(ForeignAgent):
    """An engine, another program: `uci:stockfish,nodes=1000`. Any other key is an option of the engine's own."""

    command: str = field(
        default="",
        metadata={"help": "the command, written first, quoted if it has blanks, commas or =", "least": None},
    )
    nodes: int = setting(0, "nodes for a move; 0: no limit", least=0)
    depth: int = setting(0, "plies for a move; 0: no limit", least=0)
    seconds: float = setting(0.0, "seconds for a move; 0: no limit", least=0)
    options: tuple[tuple[str, str], ...] = field(
        default=(), metadata={"help": "options of the engine: any other key=value", "least": None, "kind": object}
    )
    stderr: int = field(
        default=0,
        compare=False,
        metadata={"help": "1: show what it writes to stderr", "least": 0, "most": 1, "kind": int},
    )
    speaks: ClassVar[type[EngineProgram]]

    def __post_init__(self) -> None:
        """Examine the settings and the words of the command. Raises BadParameter."""
        super().__post_init__()
        examine(self.name, self.command, self.seconds)
        for key, value in self.options:
            if not OPTION.fullmatch(key) or not key.strip() or "\n" in value or "\r" in value:
                raise BadParameter(f"{self.name}: an option is one line name=value, got {key!r}")

    def __str__(self) -> str:
        parts = [quoted(self.command)]
        for key in ("nodes", "depth", "seconds"):
            value = getattr(self, key)
            parts += [f"{key}={repr(value).removesuffix('.0') if isinstance(value, float) else value}"] if value else []
        for key, value in self.options:
            parts.append(f"{key}={value if BARE.fullmatch(value) else json.dumps(value)}")
        return f"{self.name}:{','.join(parts)}"

    @classmethod
    def parse_text(cls, rest: str) -> Self:
        """Make the agent from `COMMAND` or `COMMAND,key=value,…`; nothing is started. Raises BadParameter."""
        first, *more = split_commas(rest)
        command = unquoted(first.strip().removeprefix("command="), f"{cls.name}: the command")
        if not command:
            raise BadParameter(f"{cls.name} needs a command: {cls.name}:stockfish,nodes=1000")
        if any("=" not in part for part in more):
            raise BadParameter(f'{cls.name}: a command with a comma is quoted: {cls.name}:"…",depth=5, got {rest!r}')
        given = split(f"{cls.name}:{','.join(more)}")[1] if more else {}
        if "command" in given or "options" in given:
            raise BadParameter(f"{cls.name}: the command comes first, options each by its own name; got {rest!r}")
        ours: dict[str, str] = {key: given.pop(key) for key in ("nodes", "depth", "seconds", "stderr") if key in given}
        made = cls.parse({"command": command, **ours})
        return cls(
            command, made.nodes, made.depth, made.seconds,
            tuple((key.replace("_", " "), value) for key, value in given.items()), made.stderr,
        )  # fmt: skip

    @property
    def remembers(self) -> bool:
        """It is told the whole game."""
        return True

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game's notation says how engines write moves, and the program is here."""
        protocol_of(game, self.name)
        program = words_of(self.command)[0]
        if find_program(program) is None:
            raise CannotPlay(f"{self.name}: there is no program {shown(program)} that can be started")

    @property
    def needs_clock(self) -> bool:
        """Whether nothing but a clock limits its moves."""
        return not (self.nodes or self.depth or self.seconds)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Start the engine, ask it for one move, and end it. Raises Misbehaved or IllegalMove, with its name."""
        try:
            return super().choose(game, state, seed=seed, mode=mode)
        except (Misbehaved, IllegalMove) as error:  # "says that it has no move": who does?
            raise type(error)(f"{self}: {error}") from None

    def sit(self, game: Game, mode: str = "fast") -> "EnginePlayer":
        """Return what asks the engine in one game."""
        return EnginePlayer(self, game)

    def leave(self) -> None:
        """End the engines of this process that this agent has started."""
        _engines.leave(str(self))


class EnginePlayer(ForeignSeat[EngineProgram]):
    """An engine in one seat of one game."""

    unready = "not ready for a game"

    def __init__(self, agent: EngineAgent, game: Game):
        super().__init__(_engines, str(agent), game)
        self.agent, self.protocol = agent, protocol_of(game, agent.name)

    def start(self) -> EngineProgram:
        """Start the engine. Raises Misbehaved."""
        return self.agent.speaks(self.agent.command, self.agent.options, bool(self.agent.stderr))

    def tell(self, program: EngineProgram, player: int, until: float) -> None:
        """Tell the engine that another game begins."""
        program.new_game(until)

    def __call__(self, state: State, seed: int, played: Sequence[int]) -> Choice:
        """Return the engine's move. Raises Misbehaved or IllegalMove, and the engine is ended."""
        agent = self.agent
        engine = self.program(state.mover)
        if agent.needs_clock and self.clock is None:
            self.end(polite=True)
            raise CannotPlay(f"{agent.name}: give nodes=, depth= or seconds=, or play with a clock")
        limits = EngineLimits(agent.nodes, agent.depth, agent.seconds, self.clock if agent.needs_clock else None)
        told, until = self.limits(agent.seconds, LATE)
        line = self._line(state, played)
        answer: Answer = self.guard(lambda: engine.choose(line, limits, until), told, "no move")
        return self._choice(state, answer)

    def _line(self, state: State, played: Sequence[int]) -> GameLine:
        """Return the game so far; only the position if nobody has told."""
        told = len(self.states) == len(played) + 1 and self.states[-1] == state
        start = self.states[0] if told else state
        moves = tuple(self.protocol.move(code) for code in played) if told else ()
        return GameLine(start.write(), moves, state.mover)

    def _choice(self, state: State, answer: Answer) -> Choice:
        """Return an answer as a choice. Raises IllegalMove, and the engine is ended."""
        codes = {self.protocol.move(code): code for code in state.moves()}
        text = answer.move.lower()
        if text not in codes:
            self.end()
            raise IllegalMove(f"{self.agent.name} played {shown(printable(answer.move))}, which is not legal")
        value = answer.score / 100 * self.protocol.pawn
        if answer.mate is not None:
            value = 1.0 if answer.mate > 0 else -1.0
        return Choice(codes[text], value, max(answer.nodes, 1), answer.mate is not None, depth=answer.depth)


def refuse(text: str) -> NoReturn:
    """Raise Misbehaved with what an engine has said."""
    raise Misbehaved(f"said {shown(printable(text))}")
