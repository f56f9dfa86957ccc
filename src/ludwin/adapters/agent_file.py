"""An agent from a user's file: `./my_agent.py` or `./my_agent.py:level=3`.

Why it is here.  Whoever has an idea should try it without touching this package.  The file holds either one class, a
subclass of `Agent` whose fields are its settings, or a function `choose(state)`, which returns a move by its code or
its name; keyword arguments with defaults are its settings, and `seed`, if it has one, is filled in.

Hidden information.  Of a game with secrets it is shown a position that looks right to the mover, as `observe` draws it.

It is code, and runs with the rights of whoever named it (`ludwin.trust`): when the agent is made, after it has been
announced.  Files that it imports and that lie beside it belong to it; a hash of all these texts goes into records.
"""

import copy
import inspect
import json
import math
import operator
import re
from contextlib import ExitStack
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, make_dataclass
from pathlib import Path
from typing import Any

from ludwin.errors import (
    BadParameter,
    CannotPlay,
    IllegalMove,
    LudwinError,
    Misbehaved,
    RuleError,
    UnknownAgent,
    brief,
    told,
)
from ludwin.game import Game, State
from ludwin.library import file_kinds, split
from ludwin.paths import is_file, typed
from ludwin.play.view import worlds
from ludwin.primitives import stream
from ludwin.rules.source import Source, execute, fault, read
from ludwin.rules.watch import LOADING, one_process, watched
from ludwin.search import choice as voices
from ludwin.search.choice import Agent, Choice, Player
from ludwin.search.drive import Driver

BARE = re.compile(r"[^\s,\"]+")  # values that need no quotation marks


def choice_of(state: State, answer: Any, who: str) -> Choice:
    """Return what a user's code answered as a choice of a legal move. Raises Misbehaved or IllegalMove.

    A move is a whole number or a text, alone or in a Choice; NumPy's whole numbers are numbers, too. What comes out
    holds plain numbers and texts only, none of the user's own classes.
    """
    found = answer if isinstance(answer, Choice) else Choice(answer, 0.0, 1)
    move: Any = found.move
    if isinstance(move, str):
        move = state.parse(str.__str__(move))
    elif isinstance(move, bool) or not hasattr(move, "__index__"):
        raise Misbehaved(f"{who} returned {brief(answer)}, which is no move: return its code or its name")
    code = int(operator.index(move))
    if code not in state.moves():
        raise IllegalMove(f"{who} played {brief(code)}, which is not legal")
    try:
        value, nodes, depth = float(found.value), operator.index(found.nodes), operator.index(found.depth)
        line = tuple(map(operator.index, found.line))
        kinds = {str(name): operator.index(count) for name, count in found.kinds.items()}
        visits = {operator.index(move): operator.index(count) for move, count in found.visits.items()}
        values = {operator.index(move): float(worth) for move, worth in found.values.items()}
    except (TypeError, ValueError, OverflowError, AttributeError):
        raise Misbehaved(f"{who} returned {brief(answer)}, in which something is not what a Choice holds") from None
    if not all(map(math.isfinite, (value, *values.values()))) or min(nodes, depth) < 0:
        raise Misbehaved(f"{who} returned {brief(answer)}: value must be a finite number, nodes and depth not below 0")
    return Choice(code, value, nodes, bool(found.decided), kinds, depth, line, visits, values)


class FunctionAgent(Agent):
    """What the classes that are made of a function `choose` share."""

    function: Any
    seeded: bool

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return what the function chooses."""
        given = {item.name: getattr(self, item.name) for item in fields(self)}
        if self.seeded:
            given["seed"] = seed
        answer: Any = type(self).function(state, **given)
        return answer  # type: ignore[no-any-return]  # the caller examines it


def _from_function(function: Any, name: str) -> type[Agent]:
    """Return an agent class whose `choose` is a function and whose settings are the function's keywords."""
    parameters = list(inspect.signature(function).parameters.values())
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if not parameters or parameters[0].kind not in positional or parameters[0].default is not inspect.Parameter.empty:
        raise BadParameter("choose must take the position as its first argument: def choose(state)")
    settings: list[Any] = []
    for item in parameters[1:]:
        if item.name == "seed":
            continue
        if item.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise BadParameter(f"choose cannot take *{item.name}: its settings are keywords with defaults")
        if hasattr(FunctionAgent, item.name) or item.name.startswith("_") or item.name in FunctionAgent.__annotations__:
            raise BadParameter(f"choose: a setting cannot be called {item.name}, which means something to every agent")
        if item.kind is inspect.Parameter.POSITIONAL_ONLY or item.default is inspect.Parameter.empty:
            raise BadParameter(f"choose has a parameter {item.name} without a default; settings need one")
        if not isinstance(item.default, int | float | str):
            raise BadParameter(f"choose: {item.name} must have a number, a text or a truth value as its default")
        settings.append((item.name, type(item.default), field(default=item.default, metadata={"help": "a setting"})))
    seeded = any(item.name == "seed" for item in parameters[1:])
    space = {"name": name, "function": staticmethod(function), "seeded": seeded, "__doc__": function.__doc__ or ""}
    return make_dataclass("FunctionAgent", settings, bases=(FunctionAgent,), namespace=space, frozen=True)


def _from_class(kind: type[Agent]) -> type[Agent]:
    """Return a user's class, made a frozen dataclass if its author has not done so."""
    if "__dataclass_params__" not in vars(kind):
        kind = dataclass(frozen=True)(kind)
    assert is_dataclass(kind)
    for item in fields(kind):
        if item.default is MISSING and item.default_factory is MISSING:
            raise BadParameter(f"{kind.__name__}: {item.name} has no default; settings need one")
    return kind


def agent_class(source: Source) -> type[Agent]:
    """Run a file and return the agent that it describes. Raises RuleError with its file and line."""
    family = list(source.family())
    with voices.aside(), watched([file.path for file in family], str, LOADING):
        module = execute(source, {})[source.path]
    here = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Agent) and value.__module__ == module.__name__
    ]
    classes = list(dict.fromkeys(kind for kind in here if not any(kind in one.__mro__[1:] for one in here)))
    function = getattr(module, "choose", None)
    if len(classes) > 1:
        names = " and ".join(kind.__name__ for kind in classes)
        raise RuleError(f"the file has {len(classes)} agents, {names}: one file, one agent", source.path, 1)
    if not classes and not callable(function):
        raise RuleError(
            "the file has no agent: write a function choose(state), or a class that inherits from ludwin.Agent; for a "
            "world that ticks a driver has a function control(view)",
            source.path,
            1,
        )
    try:
        return _from_class(classes[0]) if classes else _from_function(function, source.path.name)
    except BadParameter as error:
        raise RuleError(str(error), source.path, 1) from None
    except Exception as error:
        raise fault(error, family) from None


def _defined_above(kind: type, name: str, other: str) -> bool:
    """Tell whether a class has a method from further up than another one."""
    order = {one: k for k, one in enumerate(kind.__mro__)}

    def place(method: str) -> int:
        return next(order[one] for one in kind.__mro__ if method in vars(one))

    return place(name) > place(other)


@dataclass(frozen=True)
class FileAgent(Agent):
    """An agent of a user's file, called by the file's path."""

    file: str
    settings: tuple[tuple[str, str], ...] = ()  # as they were written
    texts: str = ""  # hash of the file and its helpers
    inner: Agent = field(default_factory=Agent, compare=False, repr=False)
    source: Source | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Nothing is examined here, for `parse_text` makes it; but messages call it by its file."""
        object.__setattr__(self, "name", self.file)

    @classmethod
    def parse_text(cls, text: str) -> Agent:
        """Make the agent from `PATH` or `PATH:key=value,…`; the file is executed. Raises LudwinError.

        A file with `control(view)` and no `choose` drives in worlds that tick (`ludwin.search.drive`); a folder of ours
        may know other forms, as tanks knows robots.
        """
        file, given = split(text.strip())
        path = typed(file)
        if not file.endswith(".py") or not file.isprintable():
            raise UnknownAgent(f"an agent of your own is a file that ends with .py, got {file!r}")
        if not is_file(path):
            raise UnknownAgent(
                f"there is no file {brief(file, 250)}; an agent of your own is a Python file with choose(state)"
            )
        source = read(path)
        voices.announce(file)
        if "control" in source.functions and "choose" not in source.functions:
            with voices.aside(), watched([one.path for one in source.family()], str, LOADING):
                return Driver.of(file, given)
        if "choose" not in source.functions:
            for form in file_kinds():
                if form.takes(source):
                    with voices.aside(), watched([one.path for one in source.family()], str, LOADING):
                        made: Agent = form.of(file, given)
                        return made
        kind = agent_class(source)
        kind.name = file
        try:
            with voices.aside():
                named = {item.name.lower(): item.name for item in fields(kind)}  # a text has keys without capitals
                inner = kind.parse({named.get(key, key): value for key, value in given.items()})
        except LudwinError:
            raise
        except (Exception, SystemExit) as error:
            raise fault(error, list(source.family())) from None
        return cls(file, tuple(_written(inner)), source.texts_hash, inner, source)

    def __str__(self) -> str:
        return self._text(self.file)

    def _text(self, name: str) -> str:
        return f"{name}:{','.join(f'{key}={value}' for key, value in self.settings)}" if self.settings else name

    @property
    def label(self) -> str:
        """What records call it: the name of its file, without the folder, and its settings."""
        return self._text(Path(self.file).name)

    @property
    def foreign(self) -> bool:
        """It runs a user's code."""
        return True

    @property
    def timed(self) -> bool:
        """Whether results depend on the clock, as the agent says."""
        return bool(self.inner.timed)

    @property
    def seconds(self) -> float:
        """Its own budget of time, if it has one."""
        own = getattr(self.inner, "seconds", 0.0)
        return float(own) if isinstance(own, int | float) and math.isfinite(own) else 0.0

    @property
    def remembers(self) -> bool:
        """Whether a choice depends on the moves before it, as the agent says."""
        return bool(self.inner.remembers)

    def __deepcopy__(self, memo: dict[int, Any]) -> "FileAgent":
        return FileAgent(self.file, self.settings, self.texts, copy.deepcopy(self.inner, memo), self.source)

    def __reduce__(self) -> Any:  # to a process that was not forked
        return FileAgent.parse_text, (str(self),)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if the agent says that it cannot play the game."""
        with self._blamed():
            self.inner.suits(game)

    def kernel(self, game: Game) -> Any:
        """Return the kernel that is compiled for this agent, if it has one."""
        return None if _defined_above(type(self.inner), "kernel", "choose") else self.inner.kernel(game)

    def seat(self, game: Game) -> Any:
        """Return None: its games are played move by move, in workers that can be killed."""
        return None

    def warm(self, game: Game, mode: str = "fast") -> None:
        """Do what the agent does before its first game."""
        with self._blamed():
            self.inner.warm(game, mode)

    def leave(self) -> None:
        """Let the agent give back what it has."""
        with self._blamed():
            self.inner.leave()

    def sit(self, game: Game, mode: str = "fast") -> Player:
        """Return what chooses in one game."""
        if _defined_above(type(self.inner), "sit", "choose"):
            return super().sit(game, mode)
        with self._blamed():
            player = self.inner.sit(game, mode)

        def choose(state: State, seed: int, played: Any) -> Choice:
            seen = self._seen(state, seed)
            with self._blamed():
                answer = player(seen, seed, () if game.has_secrets else tuple(played))
                return choice_of(state, answer, Path(self.file).name)

        return choose

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return a legal move. Raises Misbehaved with file and line for whatever goes wrong in the user's code."""
        seen = self._seen(state, seed)
        with self._blamed():
            answer = self.inner.choose(game, seen, seed=seed, mode=mode)
            return choice_of(state, answer, Path(self.file).name)

    def _seen(self, state: State, seed: int) -> State:
        """Return the position to show: of a game with secrets one that looks the same to the mover.

        It is not the referee's own, so that nothing that is done to it changes the game.
        """
        if state.game.has_secrets:
            return worlds(state, state.mover, stream(seed, -2), 1)[0]
        return State(state.game, state.cells)

    def _blamed(self) -> "_Blamed":
        return _Blamed(self)


class _Blamed:
    """Turns what leaves a user's code into one line with its file and line; a refusal to play passes."""

    def __init__(self, agent: FileAgent):
        self.agent = agent
        self.around = ExitStack()

    def __enter__(self) -> None:
        self.around.enter_context(voices.aside())
        self.around.enter_context(one_process())

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        self.around.__exit__(kind, error, trace)
        if error is None or isinstance(error, KeyboardInterrupt):
            return
        text = told(error)[:200]
        family = list(self.agent.source.family()) if self.agent.source else []
        found = fault(error, family) if family else None
        if isinstance(error, CannotPlay | Misbehaved):
            raise (CannotPlay if isinstance(error, CannotPlay) else Misbehaved)(text) from None
        if isinstance(error, IllegalMove) and not (found and found.line):  # the answer, not what the code tried itself
            raise IllegalMove(text) from None
        reason = f"exception: {type(error).__name__}: {text}" if text else f"exception: {type(error).__name__}"
        where = f" ({Path(found.path).name}, line {found.line})" if found and found.line and found.path else ""
        raise Misbehaved(reason + where) from None


def _written(inner: Agent) -> list[tuple[str, str]]:
    """Return the settings that differ from their defaults, as they are typed."""
    found = []
    for item in fields(inner):
        value = getattr(inner, item.name)
        if item.default is MISSING or value == inner.usual(item.name, item.default):
            continue
        if isinstance(value, bool):
            text = "true" if value else "false"
        elif isinstance(value, float):
            text = repr(value).removesuffix(".0")
        else:
            text = str(value)
        plain = text.isprintable()
        found.append((item.name, text if plain and BARE.fullmatch(text) else json.dumps(text, ensure_ascii=not plain)))
    return found
