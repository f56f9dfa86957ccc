"""Agents for worlds that tick: who sets the controls, and how.

Why it is here.  Where all players act at once nobody chooses a move: before every step each seat sees its own view
and answers with numbers, its controls.  A `Drive` says how an agent does that, twice: as kernel text, so that a
whole run is one compiled call, and as a Python function, for everything that cannot be compiled.  Both give the
same numbers to the last bit.

Agents: `random`, `hold` (always the same), `own` (a driver that the world brings), a user's file with
`control(view)`, and programs, one for each control.
"""

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

from ludwin.errors import BadParameter, CannotPlay, LudwinError, RuleError, UnknownAgent, brief, did_you_mean
from ludwin.game import Game
from ludwin.kernel.memory import write as put
from ludwin.kernel.text import Bound, Guest
from ludwin.paths import is_file, typed
from ludwin.primitives import stream, uniform
from ludwin.program.assemble import assemble
from ludwin.program.text import write as written
from ludwin.program.tree import Tree
from ludwin.program.values import LONGEST, fill, inputs, interpreter
from ludwin.rules.layout import Layout, layout
from ludwin.rules.lint import lint_functions
from ludwin.rules.plain import guarded_class
from ludwin.rules.reach import calls, reach
from ludwin.rules.source import Scalar, Source, digest, execute, read, settle
from ludwin.rules.world import Control
from ludwin.search.choice import Agent

Pilot = Callable[[Any], Any]  # a view -> a number, or one for each control
STEPS = 100_000  # of the loops of a driver, all together, that compiled code may take: it cannot be stopped


@dataclass(frozen=True)
class Drive:
    """How one seat sets its controls.

    `lines` are kernel text with {k} for the number of the agent, which writes w.answers[at] and the cells behind it for
    player p; `members` are the workspaces that it needs, with their sizes, `fill` puts into them what stays the same,
    and `bind` hands in what it calls; `why` reads from its workspaces why it answered nan; empty lines say that it
    cannot be compiled. `pilot(player, seed)` is the same in
    Python, new for every run. `repeats` says that a replay can ask it again; `careful` that its text is a user's, and
    must not be trusted with raw memory. `files` are those whose calls may hang.
    """

    lines: tuple[str, ...]
    pilot: Callable[[int, int], Pilot]
    members: Mapping[str, tuple[Any, int]] = field(default_factory=dict)
    bind: Bound = field(default_factory=dict)
    fill: Callable[[Any, str, str], None] = lambda bundle, k, mode: None
    repeats: bool = False
    careful: bool = False
    files: tuple[Path, ...] = ()
    why: Callable[[Any, str], str] | None = None


def drive_of(agent: Agent, game: Game) -> Drive:
    """Return how an agent drives in a world. Raises CannotPlay for one that only chooses moves."""
    found: Drive | None = agent.drive(game)
    if found is None:
        raise CannotPlay(
            f"{agent.name} chooses moves, and {game.name} is a world that ticks; its seats take random, hold, own or a "
            f"file with control(view)"
        )
    return found


def reach_of(control: Control) -> tuple[float, float]:
    """Return between which numbers a random driver sets a control: its range, or ±1 where it has none."""
    return (control.low, control.high) if math.isfinite(control.low) else (-1.0, 1.0)


def random_drive(game: Game) -> Drive:
    """Return the drive that sets every control at random, anew at every tick."""
    lines = []
    spans = [(low, high - low) for low, high in map(reach_of, game.controls)]
    for c, (low, width) in enumerate(spans):
        lines.append(f"w.answers[at + {c}] = {low!r} + {width!r} * uniform(w.seats[p].chance)")

    def pilot(player: int, seed: int) -> Pilot:
        rng = [stream(seed, player)]
        return lambda view: tuple(low + width * uniform(rng) for low, width in spans)

    return Drive(tuple(lines), pilot, repeats=True)


def _called(game: Game, call: str) -> tuple[str, ...]:
    """Return the lines that call a function and write down what it answers."""
    if len(game.controls) == 1:
        return (f"w.answers[at] = 1.0 * {call}",)
    names = [f"a{c}" for c in range(len(game.controls))]
    return (f"{', '.join(names)} = {call}", *(f"w.answers[at + {c}] = 1.0 * {name}" for c, name in enumerate(names)))


@dataclass(frozen=True)
class Hold(Agent):
    """Sets its controls to the same numbers for ever: `hold:push=0.5,aim=1`; those left out are at rest."""

    name: ClassVar[str] = "hold"
    given: tuple[tuple[str, float], ...] = field(
        default=(), metadata={"help": "control=number, for any control of the world", "kind": tuple}
    )

    def __str__(self) -> str:
        parts = ",".join(f"{name}={value!r}".removesuffix(".0") for name, value in self.given)
        return f"{self.name}:{parts}" if parts else self.name

    @classmethod
    def parse(cls, given: dict[str, str]) -> Self:
        """Make the agent from texts; raises BadParameter for what is no finite number."""
        return cls(tuple(sorted((name, _finite(text, f"hold: {name}")) for name, text in given.items())))

    def numbers(self, game: Game) -> tuple[float, ...]:
        """Return the controls in the order of a world. Raises CannotPlay for one that it has not."""
        known = [control.name.lower() for control in game.controls]
        values = [control.rest for control in game.controls]
        for name, value in self.given:
            if name.lower() not in known:
                has = ", ".join(control.name for control in game.controls) or "none: it does not tick"
                raise CannotPlay(f"hold: {game.name} has no control {name!r}{did_you_mean(name, known)} (it has {has})")
            values[known.index(name.lower())] = value
        return tuple(values)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the world has these controls."""
        if not game.is_world:
            raise CannotPlay(f"{self.name} sets controls, and {game.name} is played in moves")
        self.numbers(game)

    def drive(self, game: Game) -> Drive:
        """Return how it drives: the numbers lie in its workspace, so that all of its kind share their code."""
        numbers = self.numbers(game)
        lines = tuple(f"w.answers[at + {c}] = w.held{{k}}[{c}]" for c in range(len(numbers)))
        return Drive(
            lines,
            lambda player, seed: lambda view: numbers,
            {"held{k}": ([float], len(numbers))},
            fill=lambda bundle, k, mode: put(getattr(bundle, f"held{k}"), numbers),
            repeats=True,
        )


@dataclass(frozen=True)
class Own(Agent):
    """A driver that the world itself brings: `own:driver=NAME` is its function control_NAME(view)."""

    name: ClassVar[str] = "own"
    driver: str = field(
        default="", metadata={"help": "which of the world's own drivers; left out: its first", "kind": str}
    )

    def found(self, game: Game) -> str:
        """Return the name of the function. Raises CannotPlay if the world has no such driver."""
        names = game.variants("control_") if game.is_world else ()
        if not names or (self.driver and self.driver not in names):
            has = f"it has {', '.join(names)}" if names else "it brings none"
            wanted = f" {self.driver!r}{did_you_mean(self.driver, names)}" if self.driver else ""
            raise CannotPlay(f"own: {game.name} has no driver{wanted} ({has})")
        return f"control_{self.driver or names[0]}"

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the world brings the driver."""
        self.found(game)

    def drive(self, game: Game) -> Drive:
        """Return how it drives."""
        name = self.found(game)
        return Drive(
            _called(game, "own{k}(w.views[p])"),
            lambda player, seed: game.function(name),
            bind={"own{k}": name},
            repeats=True,
        )


def _finite(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadParameter(f"{what} must be a finite number, got {text!r}")
    return value


@dataclass(frozen=True)
class Driver(Agent):
    """A user's file with one function: `./my_driver.py`, `control(view)` or `control(view, memory)`.

    It answers with a number, or with one for each control. What it must remember from tick to tick are fields that
    MEMORY declares as FIELDS does, zero at the beginning of every run. Its capital constants are parameters:
    `./my_driver.py:gain=2`. It is compiled where it lies in the language of rules and its loops are short for certain.
    """

    name: ClassVar[str] = "driver"
    file: str = ""
    values: tuple[tuple[str, Scalar], ...] = ()

    def __str__(self) -> str:
        parts = ",".join(f"{name}={value}" for name, value in self.values)
        return f"{self.file}:{parts}" if parts else self.file

    @property
    def foreign(self) -> bool:
        """It runs a user's code."""
        return True

    @property
    def label(self) -> str:
        """Its name without its folder, and a mark of its text, so that an edited driver is another."""
        return f"{Path(self.file).name}{str(self)[len(self.file) :]}#{self.text().mark[:8]}"

    @classmethod
    def of(cls, path: str, given: Mapping[str, str]) -> Self:
        """Make the agent of a file. Raises LudwinError if it is no driver."""
        if not is_file(typed(path)):
            raise UnknownAgent(f"there is no file {path!r}; a driver is a file with a function control(view)")
        source = read(typed(path))
        made = cls(path, tuple(settle(source, dict(given), path).items()))
        made.text()
        return made

    def text(self) -> "DriverText":
        """Return the file as it is now, read and executed. Raises LudwinError."""
        source = read(typed(self.file))
        mark = digest(source.texts_hash, self.values)
        return _driver_text(str(source.path), mark, self)

    @property
    def memory(self) -> Layout | None:
        """What it remembers."""
        return self.text().memory

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is a world that ticks."""
        if not game.is_world:
            raise CannotPlay(f"{self.file} sets controls, and {game.name} is played in moves")

    def drive(self, game: Game) -> Drive:
        """Return how it drives: compiled if it can be, else in Python."""
        text = self.text()
        lines: tuple[str, ...] = ()
        members: dict[str, tuple[Any, int]] = {}
        if text.compiles(game):
            views = "w.views[p]"
            if text.memory is not None:
                members["memory{k}"] = (text.declared, 1)
                views += ", w.memory{k}"
            lines = _called(game, f"driver{{k}}({views})")
        return Drive(
            lines,
            lambda player, seed: text.pilot(),
            members,
            {"driver{k}": Guest(text.mark, "control", text.source, text.modules)},
            fill=lambda bundle, k, mode: text.forget(getattr(bundle, f"memory{k}", None)),
            careful=True,
            files=tuple(source.path for source in text.source.family()),
        )


class DriverText:
    """A driver's file, read and executed once to see what it is."""

    def __init__(self, source: Source, values: Mapping[str, Scalar], mark: str):
        self.source, self.values, self.mark = source, dict(values), mark
        self.modules = execute(source, self.values)
        space = vars(self.modules[source.path])
        function = space.get("control")
        if not callable(function):
            near = did_you_mean("control", list(source.functions))
            raise RuleError(f"a driver has a function control(view){near}", source.path, 1)
        self.declared = space.get("MEMORY")
        try:
            self.memory = None if self.declared is None else layout(self.declared)
        except ValueError as error:
            raise RuleError(str(error).replace("FIELDS", "MEMORY"), source.path, 1) from None
        self.arguments = ("view",) if self.memory is None else ("view", "memory")
        code = getattr(function, "__code__", None)
        if code is not None and code.co_argcount != len(self.arguments):
            way = "declare MEMORY to have one" if self.memory is None else "MEMORY is declared"
            raise RuleError(f"control must take ({', '.join(self.arguments)}): {way}", source.path, code.co_firstlineno)
        self.verdicts: dict[Layout, bool] = {}

    def compiles(self, game: Game) -> bool:
        """Tell whether the driver is in the language of rules, and certain to come to an end soon."""
        assert game.senses is not None
        if game.senses not in self.verdicts:
            try:
                wanted = {"control": self.arguments}
                lint_functions(self.source, wanted, game.senses, self.modules, self.memory or game.senses)
                self.verdicts[game.senses] = self.is_short()
            except (LudwinError, RecursionError):
                self.verdicts[game.senses] = False
        return self.verdicts[game.senses]

    def is_short(self) -> bool:
        """Tell whether all loops together take so few steps that nobody need ever stop them.

        Loops are counted by constants alone, and no function calls itself.
        """
        found = reach(self.source, ["control"])
        seen: dict[str, float] = {}  # callees first
        for owner, function in found.values():
            if any(f"{home.path}{callee.name}" not in seen for _, home, callee, _ in calls(owner, function)):
                return False  # a circle
            seen[f"{owner.path}{function.name}"] = self.steps(owner, function.body, seen)
        return all(steps <= STEPS for steps in seen.values())

    def steps(self, owner: Source, body: Sequence[ast.stmt], seen: Mapping[str, float]) -> float:
        """Return how many steps the loops below these statements can take at most."""
        total = 1.0
        for node in body:
            inside = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            if isinstance(node, ast.While):
                return math.inf
            times = self.rounds(owner, node) if isinstance(node, ast.For) else 1.0
            total += times * self.steps(owner, inside, seen)
            for child in ast.walk(node):
                name = child.func.id if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) else ""
                callee = owner.find(name) if name else None
                if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
                    helper = owner.helpers.get(owner.modules.get(getattr(child.func.value, "id", ""), ""))
                    callee = helper.find(child.func.attr) if helper else None
                if callee:
                    total += times * seen.get(f"{callee[0].path}{callee[1].name}", math.inf)
        return total

    def rounds(self, owner: Source, node: ast.For) -> float:
        """Return how often a loop over a range of constants goes round; inf for any other."""
        space = vars(self.modules[owner.path])
        numbers = []
        for part in node.iter.args if isinstance(node.iter, ast.Call) else ():
            value: Any = None
            if isinstance(part, ast.Constant):
                value = part.value
            elif isinstance(part, ast.Name) and part.id.isupper():
                value = space.get(part.id)
            elif isinstance(part, ast.Call) and getattr(part.func, "id", "") == "len" and len(part.args) == 1:
                table = part.args[0]
                value = len(space[table.id]) if isinstance(table, ast.Name) and table.id.isupper() else None
            if type(value) is not int:
                return math.inf
            numbers.append(value)
        try:
            return float(len(range(*numbers)))
        except (TypeError, ValueError, OverflowError):
            return math.inf

    def pilot(self) -> Pilot:
        """Return the driver for one run in Python: the file executed anew, its memory empty."""
        control = vars(execute(self.source, self.values)[self.source.path])["control"]
        if self.memory is None:
            return control  # type: ignore[no-any-return]
        memory = guarded_class(self.memory)()
        return lambda view: control(view, memory)

    def forget(self, record: Any) -> None:
        """Empty the memory of a compiled driver."""
        if record is None:
            return
        put(record.buffer, [0] * len(record.buffer))


@lru_cache(maxsize=64)
def _driver_text(path: str, mark: str, agent: Driver) -> DriverText:
    return DriverText(read(Path(path)), dict(agent.values), mark)


@dataclass(frozen=True)
class ProgramDriver(Agent):
    """Drives by programs, one for each control in the world's order; what they read are the world's SENSES."""

    name: ClassVar[str] = "programs"
    programs: tuple[Tree, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}:{' | '.join(written(program) for program in self.programs)}"

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless there is a program for every control, and the world shows what it reads."""
        if not game.is_world or len(self.programs) != len(game.controls):
            raise CannotPlay(
                f"{len(self.programs)} programs do not drive in {game.name}, which has {len(game.controls)} controls"
            )
        for program in self.programs:
            try:
                assemble(program, inputs(game))
            except BadParameter as error:
                raise CannotPlay(f"{self.name}: {game.name}: {error}") from None

    def drive(self, game: Game) -> Drive:
        """Return how they drive: the programs lie in the workspace, so that all of a language share their code."""
        self.suits(game)
        lines: list[str] = []
        members: dict[str, tuple[Any, int]] = {}
        bind: dict[str, Any] = {}
        for c, program in enumerate(self.programs):
            bind[f"judge{{k}}_{c}"] = interpreter(program.language, True)
            members[f"code{{k}}_{c}"] = ([int], LONGEST)
            members[f"registers{{k}}_{c}"] = ([float], LONGEST)
            arguments = f"w.views[p], p, 0, w.code{{k}}_{c}, w.registers{{k}}_{c}"
            lines.append(f"w.answers[at + {c}] = judge{{k}}_{c}({arguments})")

        def load(bundle: Any, k: str, mode: str) -> None:
            for c, program in enumerate(self.programs):
                fill(getattr(bundle, f"code{k}_{c}"), getattr(bundle, f"registers{k}_{c}"), game, program)

        def pilot(player: int, seed: int) -> Pilot:
            def answer(view: Any) -> tuple[float, ...]:
                def seen(name: str, place: int) -> float:
                    value = getattr(view, name, 0.0)
                    return float(value[place] if isinstance(value, list) else value)

                return tuple(float(program.evaluate(seen)) for program in self.programs)

            return answer

        return Drive(tuple(lines), pilot, members, bind, load)


class Lost(Exception):
    """A seat has lost its control: why."""


def answered(value: Any, controls: Sequence[Control]) -> tuple[float, ...]:
    """Return what a pilot answered as one number for each control. Raises Lost for anything else.

    Whether the numbers are finite is the world's own question: it asks all seats alike.
    """
    if hasattr(value, "tolist"):  # numbers and arrays of NumPy's
        value = value.tolist()
    if isinstance(value, Mapping):
        if set(value) != {control.name for control in controls}:
            raise Lost(
                f"control must answer {', '.join(c.name for c in controls)}, got {brief(sorted(map(str, value)))}"
            )
        value = tuple(value[control.name] for control in controls)
    if isinstance(value, int | float):
        value = (value,)
    if not isinstance(value, tuple | list):
        raise Lost(f"control must answer {len(controls)} numbers, got {brief(value)}")
    if len(value) != len(controls):
        raise Lost(f"control must answer {len(controls)} numbers, got {len(value)}")
    value = [number.tolist() if hasattr(number, "tolist") else number for number in value]
    for number in value:
        if not isinstance(number, int | float):
            raise Lost(f"control must answer numbers, got {brief(number)}")
    try:
        return tuple(float(number) for number in value)
    except OverflowError:
        raise Lost("control answered a whole number that is too large for a float") from None
