"""Robots as agents: a file of a few lines, compiled or in Python, and those that come with the package.

Why it is here.  A robot's file is a main loop and handlers (docs/games/tanks.md).  Its code is data in the robot's
workspace, so all robots share one compiled machine: a league of thirty compiles once.
"""

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

from ludwin.errors import CannotPlay, RuleError, UnknownAgent, brief, did_you_mean
from ludwin.game import Game
from ludwin.games.tanks.opponents import machine as it
from ludwin.games.tanks.opponents.calculate import FAULTS
from ludwin.games.tanks.opponents.compile import Compiler, OnlyPython, RobotCode
from ludwin.games.tanks.opponents.plain import CONTROLS, PlainRobot, Watch
from ludwin.games.tanks.opponents.words import EVENTS, FUNCTIONS, ORDERS, READS, TIME
from ludwin.kernel.memory import write as put
from ludwin.kernel.text import Kernel
from ludwin.paths import is_file, typed
from ludwin.primitives import stream
from ludwin.rules.layout import layout
from ludwin.rules.plain import state_class
from ludwin.rules.source import Scalar, Source, digest, execute, read, settle
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive, Lost, Pilot

HANDLERS = tuple(EVENTS)
DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
EMPTY = ("return", "return None")
MACHINE = Kernel("robot", it.robot_turn)
LINES = ("robot_turn(w.views[p], w.tank{k}, w.code{k}, w.first{k}, w.registers{k}, w.seats[p].chance, w.answers, at)",)
MEMBERS = {
    "tank{k}": (it.MEMORY, 1),
    "code{k}": ([int], it.LONGEST),
    "first{k}": ([float], it.REGISTERS),
    "registers{k}": ([float], it.REGISTERS),
}


def is_robot(source: Source) -> bool:
    """Tell whether a file is a robot: a main loop or handlers of events."""
    main = source.functions.get("main")
    return any(name in source.functions for name in HANDLERS) or (main is not None and len(main.args.args) == 1)


class RobotText:
    """A robot's file, read and executed once. Raises RuleError for what no robot may be."""

    def __init__(self, source: Source, values: Mapping[str, Scalar], mark: str):
        self.source, self.values, self.mark = source, dict(values), mark
        self.space = vars(execute(source, self.values)[source.path])
        self.advanced = bool(self.space.get("ADVANCED", False))
        self.memory = self.numbers("MEMORY")
        self.static = self.numbers("STATIC")
        twice = sorted(set(self.memory) & set(self.static))
        if twice:
            raise RuleError(f"{twice[0]} is in MEMORY and in STATIC: leave one", source.path, 1)
        for name, function in source.functions.items():
            self.examine(name, function)
        self.code = self.compiled()

    def numbers(self, table: str) -> dict[str, float]:
        found = self.space.get(table, {})
        if not isinstance(found, Mapping):
            raise RuleError(f'{table} is a table of first values, {{"count": 0}}', self.source.path, 1)
        for name, value in found.items():
            if not isinstance(name, str) or not name.isidentifier() or name in ORDERS or name in READS:
                raise RuleError(f"{table}: {brief(name)} is no name for memory", self.source.path, 1)
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise RuleError(f"{table}: {name} begins with a number, got {brief(value)}", self.source.path, 1)
        return dict(found)

    def examine(self, name: str, function: ast.FunctionDef) -> None:
        """Say what will not do, before it is found in the middle of a battle."""
        place = self.source.path, function.lineno
        if name.startswith("on_") and name not in EVENTS:
            raise RuleError(
                f"there is no event {name}{did_you_mean(name, EVENTS)} (there are {', '.join(EVENTS)})", *place
            )
        wanted = 1 if name == "main" else 2 if name in EVENTS else len(function.args.args)
        if len(function.args.args) != wanted:
            raise RuleError(f"{name} must take ({', '.join(('tank', 'event')[:wanted])})", *place)
        yielded = {id(node.value) for node in ast.walk(function) if isinstance(node, ast.Yield)}
        tank = function.args.args[0].arg if function.args.args else ""
        for node in ast.walk(function):
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or node.value.id != tank:
                continue
            known = {*ORDERS, *READS, *FUNCTIONS, *self.memory, *self.static, "random"}
            here = self.source.path, node.lineno
            if name in (*EVENTS, "main") and node.attr not in known:
                raise RuleError(f"a tank has no {node.attr!r}{did_you_mean(node.attr, known)}", *here)
            if node.attr in ORDERS and ORDERS[node.attr].advanced and not self.advanced:
                raise RuleError(f"{node.attr} is for advanced robots: write ADVANCED = True", *here)
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                home, word = node.func.value, node.func.attr
                blocks = isinstance(home, ast.Name) and home.id == tank and word in ORDERS and ORDERS[word].block > 0
                if blocks and id(node) not in yielded:
                    said = ast.unparse(node)[:60]
                    raise RuleError(f"{word} takes time: write yield {said}", self.source.path, node.lineno)
        inner = {id(node) for one in ast.walk(function) if one is not function and isinstance(one, DEFINES)
                 for node in ast.walk(one)}  # fmt: skip
        for node in ast.walk(function) if name in (*EVENTS, "main") else ():
            if isinstance(node, ast.Return) and id(node) not in inner and ast.unparse(node) not in EMPTY:
                raise RuleError(
                    f"{name} returns something, and nobody takes it: a robot gives orders with yield",
                    self.source.path,
                    node.lineno,
                )
        event = function.args.args[1].arg if name in EVENTS else ""
        for node in ast.walk(function) if event else ():
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == event:
                fields = {**EVENTS[name][1], **TIME}
                if node.attr not in fields:
                    hint = did_you_mean(node.attr, fields)
                    raise RuleError(f"the event of {name} has no {node.attr!r}{hint}", self.source.path, node.lineno)

    def compiled(self) -> RobotCode | None:
        """Return the robot as numbers; None if it needs Python."""
        try:
            return Compiler(self.source.functions, self.space, self.memory, self.static).write()
        except (OnlyPython, RecursionError):
            return None

    def plain(self, player: int, seed: int, watch: Watch | None = None) -> PlainRobot:
        """Return the robot for one battle as its file says, in Python: the file executed anew."""
        space = vars(execute(self.source, self.values)[self.source.path])
        return PlainRobot(space, self.memory, self.static, self.advanced, stream(seed, player), watch)


@lru_cache(maxsize=256)
def robot_text(path: str, mark: str, values: tuple[tuple[str, Scalar], ...]) -> RobotText:
    """Return a robot's file as it was when it had this mark."""
    return RobotText(read(Path(path)), dict(values), mark)


def load_code(bundle: Any, k: str, code: RobotCode, advanced: bool) -> None:
    """Put a robot into its workspaces, at the beginning of a battle."""
    tank = getattr(bundle, f"tank{k}")
    put(tank.buffer, [0] * len(tank.buffer))
    tank.advanced = int(advanced)
    tank.constants, tank.statics = len(code.first), code.statics
    put(getattr(bundle, f"code{k}"), code.rows)
    put(getattr(bundle, f"first{k}"), code.first)


def fault_of(bundle: Any, k: str) -> str:
    """Return why a compiled robot has failed."""
    return FAULTS[int(getattr(bundle, f"tank{k}").fault)]


def code_pilot(code: RobotCode, advanced: bool, player: int, seed: int) -> Pilot:
    """Return the compiled form of a robot as a pilot: the same machine, in Python."""
    m = state_class(layout(it.MEMORY))()
    m.advanced, m.constants, m.statics = int(advanced), len(code.first), code.statics
    registers, chance = [0.0] * (code.registers + 1), [stream(seed, player)]

    def turn(view: Any) -> tuple[float, ...]:
        out = [0.0] * CONTROLS
        if it.robot_turn(view, m, code.rows, code.first, registers, chance, out, 0):
            raise Lost(FAULTS[m.fault])
        return tuple(out)

    return turn


def is_tanks(game: Game) -> bool:
    """Tell whether a world has the controls and senses of tanks, whatever its parameters."""
    return game.is_world and game.name == "tanks"


@dataclass(frozen=True)
class Robot(Agent):
    """A user's robot: `./my_robot.py`, `./my_robot.py:power=2` with a capital constant of the file set.

    `python=true` runs the file as it is, where a debugger finds it.
    """

    name: ClassVar[str] = "robot"
    file: str = ""
    values: tuple[tuple[str, Scalar], ...] = ()
    python: bool = False

    def __str__(self) -> str:
        parts = [f"{name}={value}" for name, value in self.values] + (["python=true"] if self.python else [])
        return f"{self.file}:{','.join(parts)}" if parts else self.file

    @property
    def foreign(self) -> bool:
        """It runs a user's code."""
        return True

    @property
    def label(self) -> str:
        """Its name without its folder, and a mark of its text, so that an edited robot is another."""
        return f"{Path(self.file).name}{str(self)[len(self.file) :]}#{self.text().mark[:8]}"

    @classmethod
    def takes(cls, source: Source) -> bool:
        """Tell whether a file is a robot."""
        return is_robot(source)

    @classmethod
    def of(cls, path: str, given: Mapping[str, str]) -> Self:
        """Make the agent of a file. Raises LudwinError if it is no robot."""
        if not is_file(typed(path)):
            raise UnknownAgent(f"there is no file {path!r}; a robot is a file with a function main(tank)")
        more = dict(given)
        python = more.pop("python", "false").lower() in ("true", "on", "1", "yes")
        values = settle(read(typed(path)), more, path)
        made = cls(path, tuple((name, value) for name, value in values.items() if name not in ("ADVANCED",)), python)
        made.text()
        return made

    def text(self) -> RobotText:
        """Return the file as it is now. Raises LudwinError."""
        source = read(typed(self.file))
        return robot_text(str(source.path), digest(source.texts_hash, self.values), self.values)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is tanks."""
        if not is_tanks(game):
            raise CannotPlay(f"{self.file} is a robot of tanks, and {game.name} is another game")

    def drive(self, game: Game) -> Drive:
        """Return how it fights: as code in its workspace if it can be compiled, else in Python."""
        text = self.text()
        files = tuple(source.path for source in text.source.family())
        code = text.code
        if code is None or self.python:
            return Drive((), text.plain, careful=True, files=files)
        return Drive(
            LINES,
            lambda player, seed: code_pilot(code, text.advanced, player, seed),
            MEMBERS,
            {"robot_turn": MACHINE},
            lambda bundle, k, mode: load_code(bundle, k, code, text.advanced),
            why=fault_of,
        )


ROBOTS = Path(__file__).parents[1] / "robots"


@dataclass(frozen=True)
class Resident(Agent):
    """A robot that comes with the package; each has a class of its own, with its name."""

    name: ClassVar[str] = "resident"
    is_inert: ClassVar[bool] = True  # a record that names it runs our code only

    @classmethod
    def text(cls) -> RobotText:
        """Return its file."""
        source = read(ROBOTS / f"{cls.name.replace('-', '_')}.py")
        values = tuple(settle(source, {}, cls.name).items())
        return robot_text(str(source.path), digest(source.texts_hash, values), values)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is tanks."""
        if not is_tanks(game):
            raise CannotPlay(f"{self.name} is a robot of tanks, and {game.name} is another game")

    def drive(self, game: Game) -> Drive:
        """Return how it fights."""
        text = self.text()
        code = text.code
        assert code is not None, f"{self.name} is in the language of robots"
        return Drive(
            LINES,
            lambda player, seed: code_pilot(code, text.advanced, player, seed),
            MEMBERS,
            {"robot_turn": MACHINE},
            lambda bundle, k, mode: load_code(bundle, k, code, text.advanced),
            repeats=True,
            why=fault_of,
        )


def resident(name: str) -> type[Resident]:
    """Return the class of a robot that comes with the package."""
    words = "".join(part.capitalize() for part in name.split("-"))
    tree = ast.parse((ROBOTS / f"{name.replace('-', '_')}.py").read_text(encoding="utf8"))
    made = type(
        f"{words}Robot", (Resident,), {"name": name, "__doc__": ast.get_docstring(tree), "__module__": __name__}
    )
    globals()[made.__name__] = made  # so that a process that was not forked finds it
    return made
