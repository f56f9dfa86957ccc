"""A game, and a state of it, as a program outside the rules sees them.

Why it is here.  A `Game` is a rule file with its parameters settled and its promises read.  A `State`
is a value: it can be copied, compared, hashed, printed and read back, so that tables, undo, replay
and parallel matches come for free.  Everything here runs in plain Python; searches specialise the
same rules to machine code (`ludwin.kernel`).
"""

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ludwin.errors import (
    BadPosition,
    CannotPlay,
    GameOver,
    IllegalMove,
    LudwinError,
    RuleError,
    Unchangeable,
    Unfinished,
    UnknownField,
    brief,
    clipped,
    did_you_mean,
)
from ludwin.primitives import CHANCE
from ludwin.rules.contract import (
    DEFAULT_MAX_PLIES,
    DEFAULT_MAX_TICKS,
    DEFAULT_PAYOFF_SUM,
    DEFAULT_PLAYERS,
    LARGEST,
    MOST_ANSWERS,
    MOST_IN_PATTERN,
    MOST_MOVES,
    MOST_PATTERNS,
    MOST_PLAYERS,
    MOST_PLIES,
    MOST_TICKS,
    OPTIONAL,
    PEOPLE,
    SMALLEST,
    WORLD_OPTIONAL,
    WORLD_PEOPLE,
)
from ludwin.rules.folder import OURS, PEOPLE_LIVE_IN
from ludwin.rules.layout import Layout, Number, cell_bits, fill, flatten, layout, whole_number
from ludwin.rules.plain import Cells, copier, guarded_class, state_class
from ludwin.rules.reach import Reached, names_of, reach, roots
from ludwin.rules.seen import Memory, lint_key
from ludwin.rules.source import PRIMITIVES, Scalar, Source, digest, execute, execute_beside, fault
from ludwin.rules.world import Control, read_controls, read_senses, with_controls

if TYPE_CHECKING:
    from ludwin.rules.boards import Lattice


class Game:
    """The rules of a game with settled parameters; made by `ludwin.load`.

    `linted` remembers which rules have passed lint; without it they are linted each time.
    """

    def __init__(self, source: Source, values: Mapping[str, Scalar], name: str, linted: Memory | None = None):
        self.source = source
        self.values = dict(values)
        self.name = name
        self.modules = self._execute()
        self.module = self.modules[source.path]
        self._beside = dict(self.modules)  # and the parts of a folder, when they are asked for
        try:
            self._read_promises()
            self._lint(linted)
        except LudwinError:
            raise
        except RecursionError:
            raise RuleError("an expression of the rules is nested too deeply to be compiled", source.path, 1) from None
        except Exception as error:  # constants may be objects of the author's own
            if (found := self.fault(error)).line is None:
                raise
            raise found from None

    def _execute(self) -> dict[Path, ModuleType]:
        """Run the rules with their helpers."""
        with _watched(self.source):
            return execute(self.source, self.values)

    def part(self, role: str) -> ModuleType | None:
        """Return a part of the game's folder, run with the game's parameters; None if there is none.

        Nothing of it is read before it is asked for. Raises RuleError.
        """
        source = self.source.read_part(role)
        if source is None:
            return None
        if source.path not in self._beside:
            with _watched(source):
                found = execute_beside(source, self._beside)
            for name, arguments in PEOPLE.items():
                self._demand_shape(name, arguments, getattr(found, name, None), source)
        return self._beside[source.path]

    def _read_promises(self) -> None:
        self.is_world = self.source.is_world
        self.controls: tuple[Control, ...] = ()
        self.senses: Layout | None = None
        if self.is_world:
            self._read_world()
            return
        self.fields = self._fields()
        self.max_moves = self._constant("MAX_MOVES", None, MOST_MOVES)
        self.players = self._constant("PLAYERS", DEFAULT_PLAYERS, MOST_PLAYERS)
        self.max_plies = self._constant("MAX_PLIES", DEFAULT_MAX_PLIES, MOST_PLIES)
        self.payoff_sum = self._payoff_sum()
        self.redraws = self._redraws()
        self.queries = self._queries()
        self.patterns = self._patterns()
        self._defined_by_def()

    def _read_world(self) -> None:
        """Read what a world that ticks promises: its queries, for programs, are what its players sense."""
        self.max_moves = 1
        self.players = self._constant("PLAYERS", DEFAULT_PLAYERS, MOST_PLAYERS)
        self.max_plies = self._constant("MAX_TICKS", DEFAULT_MAX_TICKS, MOST_TICKS)
        name = "CONTROLS"
        try:
            self.controls = read_controls(getattr(self.module, name, None))
            name = "FIELDS"
            self.fields = with_controls(getattr(self.module, name, None), self.controls, self.players)
            name = "SENSES"
            self.senses = read_senses(getattr(self.module, name, None))
        except ValueError as error:
            raise self._fail("CONTROLS" if str(error).startswith("CONTROLS") else name, str(error)) from None
        self.payoff_sum = self._payoff_sum()
        self.redraws = False
        if hasattr(self.module, "QUERIES"):
            raise self._fail("QUERIES", "a world that ticks has SENSES, which are its QUERIES: leave QUERIES out")
        self.queries = {sense.name: ("float", sense.size or 0) for sense in self.senses}
        self.patterns = {}
        self._defined_by_def()

    def _defined_by_def(self) -> None:
        """Compiled functions are found in the text, so each must be a def at the top of a file."""
        compiled = self.source.contract
        for name, arguments in {**compiled, **PEOPLE}.items():
            value = getattr(self.module, name, None)
            if value and callable(value) and name in compiled and not self.source.find(name):
                raise self._fail(name, _by_def(name, arguments))
            self._demand_shape(name, arguments, value, self.source)

    def _demand_shape(self, name: str, arguments: Sequence[str], value: Any, source: Source) -> None:
        """Raise RuleError for a function of the contract that is none, or one for people that takes other things."""
        if value is None:
            return
        if not callable(value):
            raise self._fail(name, _by_def(name, arguments), source)
        if name in PEOPLE and not _takes(value, len(arguments)):
            raise self._fail(name, f"{name} must take ({', '.join(arguments)})", source)

    def _lint(self, linted: Memory | None) -> None:
        """Read the compiled functions for static faults, unless exactly these rules have passed before."""
        try:
            kept = linted is not None
            key = lint_key(self.source, self.values, self.fields, self.modules, self.senses) if kept else None
        except Exception:  # a list that holds itself, a package without files: nothing to remember it by
            key = None
        if linted is None or key is None or key not in linted:
            from ludwin.rules.lint import lint

            lint(self.source, self.fields, self.modules, self.senses)
            if linted is not None and key is not None:
                linted.add(key)

    def _line(self, constant: str, source: Source | None = None) -> int:
        """Return the line that first defines a name, 1 if none does."""
        tree = (source or self.source).tree
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == constant:
                return node.lineno
        for node in tree.body:
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, ast.AnnAssign)
                else []
            )
            if any(isinstance(n, ast.Name) and n.id == constant for t in targets for n in ast.walk(t)):
                return node.lineno
        return 1

    def _fail(self, constant: str, reason: str, source: Source | None = None) -> RuleError:
        return RuleError(reason, (source or self.source).path, self._line(constant, source))

    def _fields(self) -> Layout:
        try:
            return layout(getattr(self.module, "FIELDS", None))
        except ValueError as error:
            raise self._fail("FIELDS", str(error)) from None

    def _constant(self, name: str, default: int | None, most: int) -> int:
        value = getattr(self.module, name, default)
        if value is None:
            raise self._fail(
                name, f"the game has no {name}: write {name} = 64, the most moves that any position can have"
            )
        number = whole_number(value)
        if number is None or number < 1:
            raise self._fail(name, f"{name} must be a whole number of at least 1, got {brief(value)}")
        if number > most:
            raise self._fail(
                name, f"{name} must be at most {most:,}, got {brief(number)}: memory is set aside for so many"
            )
        return number

    def _payoff_sum(self) -> float | None:
        value = getattr(self.module, "PAYOFF_SUM", DEFAULT_PAYOFF_SUM if self.players > 1 else None)
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300
        ):
            raise self._fail("PAYOFF_SUM", f"PAYOFF_SUM must be a number or None, got {brief(value)}")
        return value

    def _redraws(self) -> bool:
        value = getattr(self.module, "REDRAWS", False)
        if not isinstance(value, bool):
            raise self._fail("REDRAWS", f"REDRAWS must be True or False, got {brief(value)}")
        if value and not self.has_chance:
            raise self._fail(
                "REDRAWS", "REDRAWS is about nature's draws, and nature never moves here: the file does not use CHANCE"
            )
        return value

    def _queries(self) -> dict[str, tuple[str, int]]:
        """Query name -> (type, number of argument values; 0 for none)."""
        found = {}
        declared = getattr(self.module, "QUERIES", {})
        if not isinstance(declared, Mapping):
            raise self._fail("QUERIES", f'QUERIES must be a table such as {{"my men": "float"}}, got {brief(declared)}')
        for name, kind in declared.items():
            word, size = (
                (kind, 0)
                if isinstance(kind, str)
                else kind
                if isinstance(kind, tuple) and len(kind) == 2
                else (None, 0)
            )
            places = whole_number(size)
            if word not in ("float", "bool") or places is None or places < 0:
                raise self._fail(
                    "QUERIES",
                    f'QUERIES: {name!r} must be "float", "bool" or ("bool", number of values), got {brief(kind)}',
                )
            if places > MOST_ANSWERS:
                raise self._fail(
                    "QUERIES", f"QUERIES: {name!r} may have at most {MOST_ANSWERS:,} values, got {brief(places)}"
                )
            found[str(name)] = (str(word), places)
        if found and "query" not in self.offers:
            raise self._fail("QUERIES", "the game has QUERIES but no function query(s, p, k, a)")
        return found

    def _patterns(self) -> dict[str, int]:
        """Pattern name -> how many numbers it tells positions apart by."""
        declared = getattr(self.module, "PATTERNS", {})
        example = 'PATTERNS must be a table such as {"corner": 5040}'
        if not isinstance(declared, Mapping) or len(declared) > MOST_PATTERNS:
            raise self._fail("PATTERNS", f"{example} of at most {MOST_PATTERNS}, got {brief(declared)}")
        found = {}
        for name, size in declared.items():
            number = whole_number(size)
            if not isinstance(name, str) or not name.isidentifier() or number is None:
                raise self._fail("PATTERNS", f"{example}, got {brief(name)}: {brief(size)}")
            if not 1 <= number <= MOST_IN_PATTERN:
                raise self._fail("PATTERNS", f"PATTERNS: {name} has 1 to {MOST_IN_PATTERN:,} numbers, got {number}")
            found[name] = number
        for function in ("pattern_number", "goal_state") if found else ():
            if function not in self.offers:
                arguments = ", ".join(OPTIONAL[function])
                raise self._fail("PATTERNS", f"the game has PATTERNS but no function {function}({arguments})")
        return found

    @property
    def text(self) -> str:
        """The canonical text: the name, and the parameters that differ from the file's defaults."""
        parts = ",".join(f"{k}={written(v)}" for k, v in self.values.items())
        return f"{self.name}:{parts}" if parts else self.name

    @cached_property
    def offers(self) -> "Offers":
        """The optional functions that the file or the folder defines."""
        return Offers(self)

    def variants(self, prefix: str) -> tuple[str, ...]:
        """Return the names behind `evaluate_`, `order_` or `stage_` that the file offers."""
        return tuple(name.removeprefix(prefix) for name in roots(self.source) if name.startswith(prefix))

    @cached_property
    def has_chance(self) -> bool:
        """Whether nature ever moves: the file weighs its moves, or a rule uses CHANCE; a world has it in its seed."""
        if self.is_world:
            return "seed" in self.offers
        known: dict[int, set[str]] = {}
        return "chance" in self.offers or any(
            _means_chance(source, known) & names_of(function) for source, function in self.reached.values()
        )

    @property
    def has_secrets(self) -> bool:
        """Whether players see different things."""
        return "observe" in self.offers

    @cached_property
    def reached(self) -> Reached:
        """Every function that play can reach, callees first."""
        return reach(self.source, roots(self.source))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that the rules depend on: texts, parameters, computed constants.

        Of a user's folder it covers all parts; of ours the rules: what else lies there is ours as well.
        """
        if not self.source.home or self.is_ours:
            return self.compiled_fingerprint
        return digest(self.compiled_fingerprint, self.source.texts_hash)

    @cached_property
    def is_ours(self) -> bool:
        """Whether the game comes with the package."""
        return self.source.path.is_relative_to(OURS)

    @cached_property
    def compiled_fingerprint(self) -> str:
        """A hash of all that compiled code depends on: `rules.py` of a folder, and what it imports."""
        texts = [(source.path.name, source.text) for source in self.source.family()]
        constants = []
        for source in self.source.family():
            space = vars(self.modules[source.path])
            constants.append(
                [
                    (name, _plain_value(value))
                    for name, value in sorted(space.items())
                    if name[:2] != "__" and _is_data(value)
                ]
            )
        promises = (
            self.fields,
            self.max_moves,
            self.players,
            self.max_plies,
            self.payoff_sum,
            self.redraws,
            self.queries,
            *((self.controls, self.senses) if self.is_world else ()),
            *((self.patterns,) if self.patterns else ()),
        )
        return digest(texts, self.values, constants, promises)

    def _function(self, name: str) -> Callable[..., Any] | None:
        function = getattr(self.module, name, None)
        if function is None and name in PEOPLE_LIVE_IN and self.source.home:
            function = getattr(self.part(PEOPLE_LIVE_IN[name]), name, None)
        return function if callable(function) else None

    def function(self, name: str) -> Callable[..., Any]:
        """Return one of the file's functions, as plain Python. Raises CannotPlay for a move in a world that ticks."""
        found = self._function(name)
        if found is None and self.is_world:
            raise self.has_no_moves()
        assert found is not None, f"{self.name} has no {name}"
        return found

    def has_no_moves(self) -> CannotPlay:
        """Return the reason why nobody can play a move here."""
        names = ", ".join(control.name for control in self.controls)
        return CannotPlay(
            f"{self.name} is a world that ticks: nobody moves there, seats set {names}; `ludwin match` and "
            f"`ludwin tournament` run it"
        )

    @cached_property
    def state_class(self) -> type:
        """The class of plain states: an object with one attribute per field."""
        return state_class(self.fields)

    @cached_property
    def guarded_class(self) -> type:
        """The class of states that examine every store."""
        return guarded_class(self.fields)

    @cached_property
    def copy(self) -> Callable[[Any, Any], None]:
        """copy(to, source) for plain states."""
        return copier(self.fields)

    @cached_property
    def guarded_functions(self) -> dict[str, Callable[..., Any]]:
        """The contract's functions in their suspicious form, by name."""
        from ludwin.rules.guard import guarded  # for `check` and for positions that nobody has played to

        spaces = guarded(self.reached, self.modules)
        found = {}
        for name in roots(self.source):
            place = self.source.find(name)
            if place:
                found[name] = spaces[place[0].path][place[1].name]
        return found

    @cached_property
    def lattice(self) -> "Lattice | None":
        """The board that random games show, for pictures; None if their drawings have none."""
        from ludwin.rules.pictures import lattice_of

        return lattice_of(self)

    def fault(self, error: BaseException) -> RuleError:
        """Turn an exception that left the rules into one line with the author's file and line."""
        return fault(error, list(self.source.whole()))

    def place(self, name: str) -> tuple[Path, int]:
        """Return the file and line where a function is defined."""
        found = self.source.find(name)
        return (found[0].path, found[1].lineno) if found else (self.source.path, 1)

    def start(self) -> "State":
        """Return the start position; the controls of a world are at rest there unless its `setup` sets them."""
        s = self.state_class()
        for control in self.controls:
            getattr(s, control.name)[:] = [control.rest] * self.players
        try:
            self.function("setup")(s)
        except LudwinError:
            raise
        except (Exception, SystemExit) as error:
            raise self.fault(error) from error
        return State(self, flatten(self.fields, s))

    def position(self, text: str) -> "State":
        """Return the position that a text describes.

        Every game understands `field=value …` (`heap=5 turn=1`, arrays with commas); a game with
        `read` also understands its own notation. Raises BadPosition.
        """
        if not isinstance(text, str):
            raise BadPosition(f"{self.name}: a position is read from a text, got {brief(text)}")
        text = text.strip()
        if text.lower() == "start":
            return self.start()
        if "=" in text and all("=" in word for word in text.split()):
            names = [word.partition("=")[0] for word in text.split()]
            ours = "read" not in self.offers or any(name in self.fields.names for name in names)
            if ours or all(not name or (name.isidentifier() and name.islower()) for name in names):
                return self._from_fields(text)  # other texts, such as XGID=…, are the game's own notation
        if "read" not in self.offers:
            raise BadPosition(
                f"{self.name}: cannot read {clipped(repr(text))}; write its fields, as in "
                f"{self.start().fields_text()!r}"
            )
        s = self.state_class()
        try:
            self.function("read")(s, text)
        except LudwinError:
            raise
        except (Exception, SystemExit) as error:
            if not isinstance(error, ValueError | IndexError | KeyError):
                raise self.fault(error) from error
            example = self.start().write()
            reason = f"cannot read {clipped(repr(text))}: {clipped(str(error))}"
            raise BadPosition(f"{self.name}: {reason} (the start is {example!r})") from None
        return State(self, flatten(self.fields, s))

    def _from_fields(self, text: str) -> "State":
        given: dict[str, Any] = {}
        for word in text.split():
            name, _, value = word.partition("=")
            if name in given:
                raise BadPosition(f"{self.name}: {name} is given twice")
            try:
                numbers: list[Number] = [int(v) if v.lstrip("-").isdigit() else float(v) for v in value.split(",")]
            except ValueError:
                raise BadPosition(
                    f"{self.name}: {clipped(repr(word))} is not field=number or field=number,number,…"
                ) from None
            given[name] = numbers if "," in value or self._is_array(name) else numbers[0]
        return self.state(**given)

    def _is_array(self, name: str) -> bool:
        return any(field.name == name and field.size is not None for field in self.fields)

    def state(self, /, **fields: Any) -> "State":
        """Return the state with these fields; those left out are as at the start.

        Raises BadPosition for an unknown field or a value that does not fit it.
        """
        s = self.guarded_class()
        fill(self.fields, s, self.start().cells)
        for name, value in fields.items():
            if name not in self.fields.names:
                raise BadPosition(
                    f"{self.name} has no field {clipped(repr(name))}{did_you_mean(name, self.fields.names)} (it has "
                    f"{', '.join(self.fields.names)})"
                )
            try:
                if self._is_array(name):
                    cells = getattr(s, name)
                    values = list(value) if isinstance(value, Sequence) else [value]
                    if len(values) != len(cells):
                        raise BadPosition(f"{self.name}: {name} has {len(cells)} cells, got {len(values)}")
                    cells[:] = values
                else:
                    setattr(s, name, value)
            except RuleError as error:
                raise BadPosition(f"{self.name}: {error.reason}") from None
        self._sane(s)
        return State(self, flatten(self.fields, s))

    def _sane(self, s: Any) -> None:
        """Ask the suspicious rules about a position that nobody has played to; raises BadPosition.

        Compiled code trusts the fields: a heap of a million counters must not reach it.
        """
        out = Cells([0] * self.max_moves, "a move")
        try:
            if self.is_world:
                self._sane_world(s)
                return
            player = self.guarded_functions["mover"](s)
            n = self.guarded_functions["moves"](s, out)
        except Exception as error:
            reason = error.reason if isinstance(error, RuleError) else f"{type(error).__name__}: {error}"
            raise BadPosition(f"{self.name}: the rules cannot stand these fields: {reason}") from None
        if not CHANCE <= player < self.players or not 0 <= n <= self.max_moves:
            raise BadPosition(f"{self.name}: the rules cannot stand these fields: mover {player}, {n} moves")

    def _sane_world(self, s: Any) -> None:
        """Let a world be looked at and tick once, on a copy."""
        assert self.senses is not None
        after = self.guarded_class()
        self.copy(after, s)
        for p in range(self.players):
            self.guarded_functions["sense"](after, p, guarded_class(self.senses)())
        if not self.guarded_functions["over"](after):
            self.guarded_functions["tick"](after)

    def _repr_svg_(self) -> str:
        return self.start()._repr_svg_()

    def __repr__(self) -> str:
        return f"load({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.fingerprint == other.fingerprint and self.text == other.text

    def __hash__(self) -> int:
        return hash((self.text, self.fingerprint))

    def __deepcopy__(self, memo: object) -> "Game":
        return self  # rules never change


class State:
    """A position as a value: equal cells, equal states. Changing one makes another.

    The fields of the game are attributes, arrays as tuples: `state.heap`, `state.board[4]`.
    """

    __slots__ = ("_legal", "cells", "game")
    game: Game
    cells: tuple[Number, ...]
    _legal: tuple[int, ...] | None

    def __init__(self, game: Game, cells: tuple[Number, ...]):
        _put_game(self, game)
        _put_cells(self, cells)
        _put_legal(self, None)  # computed once: a state never changes

    def __setattr__(self, name: str, value: object) -> None:
        raise Unchangeable(f"a state never changes, so its {name} cannot be set: play(move) returns another state")

    def __delattr__(self, name: str) -> None:
        raise Unchangeable(f"a state never changes, so its {name} stays")

    def __getattr__(self, name: str) -> Any:
        if name in State.__slots__:
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a state of {self.game.name} has no {name!r}") from None

    def __getitem__(self, name: str) -> Any:
        """Return a field by name, also one that is called like a method: `state["moves"]`."""
        for field in self.game.fields:
            if field.name == name:
                part = self.cells[field.offset : field.offset + field.cells]
                return part[0] if field.size is None else part
        known = ", ".join(self.game.fields.names)
        raise UnknownField(f"{self.game.name}: a state has no field {name!r} (it has {known})")

    def __copy__(self) -> "State":
        return self  # a state never changes

    def thaw(self) -> Any:
        """Return a plain state object that the rules may change."""
        s = self.game.state_class()
        fill(self.game.fields, s, self.cells)
        return s

    def _ask(self, name: str, *args: object) -> Any:
        try:
            return self.game.function(name)(self.thaw(), *args)
        except LudwinError:
            raise
        except (Exception, SystemExit) as error:
            raise self.game.fault(error) from error

    @property
    def mover(self) -> int:
        """Whose turn it is: a player's number, or CHANCE."""
        return int(self._ask("mover"))

    def moves(self) -> list[int]:
        """Return the legal moves, in the order of the rules; none means that the game is over."""
        if self._legal is None:
            out = [0] * self.game.max_moves
            n = self._ask("moves", out)
            _put_legal(self, tuple(int(m) for m in out[:n]))
        return list(self._legal or ())

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._ask("over")) if self.game.is_world else not self.moves()

    def play(self, move: int | str) -> "State":
        """Return the state after a move, given as its number or its text. Raises IllegalMove."""
        code = self.parse(move) if isinstance(move, str) else move
        if code not in self.moves():
            board = "" if self.game.has_secrets else f"\n{self.show()}"
            raise IllegalMove(f"{self.game.name}: {self._try_name(code)} is not a legal move here{board}")
        return self._play(code)

    def _play(self, code: int) -> "State":
        s = self.thaw()
        try:
            self.game.function("play")(s, code)
        except (Exception, SystemExit) as error:
            raise self.game.fault(error) from error
        return State(self.game, flatten(self.game.fields, s))

    def _try_name(self, code: int) -> str:
        try:
            return repr(self.name(code))
        except Exception:
            return f"move {code}"

    def payoff(self, player: int | None = None) -> Number:
        """Return the worth of a finished game, to the mover if no player is named.

        Raises GameOver if the game goes on.
        """
        if not self.over and not self.game.is_world:  # a world may end by MAX_TICKS, which the state need not show
            raise GameOver(f"{self.game.name}: the game is not over, so there is no payoff yet")
        p = self.mover if player is None else player
        if not 0 <= p < self.game.players:
            raise GameOver(f"{self.game.name}: player must be one of 0 … {self.game.players - 1}, got {p}")
        value: Number = self._ask("payoff", p)
        return value

    def payoffs(self) -> tuple[Number, ...]:
        """Return the worth of a finished game to every player."""
        return tuple(self.payoff(p) for p in range(self.game.players))

    def evaluate(self, player: int | None = None) -> Number:
        """Return the game's own opinion of an unfinished position, to the mover if nobody is named."""
        if "evaluate" not in self.game.offers:
            return 0
        value: Number = self._ask("evaluate", self.mover if player is None else player)
        return value

    def seed(self, number: int) -> "State":
        """Return the state of a world with a seed in it; the same state if the world has no chance."""
        if "seed" not in self.game.offers:
            return self
        s = self.thaw()
        self._run(s, "seed", number)
        return State(self.game, flatten(self.game.fields, s))

    def sense(self, player: int) -> dict[str, Any]:
        """Return what a player of a world sees here, by name."""
        fields = self.game.senses
        if fields is None:
            raise CannotPlay(f"{self.game.name} has no SENSES: it is played in moves, and is no world that ticks")
        view = state_class(fields)()
        self._ask("sense", player, view)
        return {field.name: getattr(view, field.name) for field in fields}

    def tick(self, /, **controls: Sequence[float]) -> "State":
        """Return the state of a world one step later; `push=(1.0, -1.0)` sets a control of all players first.

        Raises BadPosition for a control that the world has not, or that has not a finite number for each player.
        """
        known = {control.name: control for control in self.game.controls}
        s = self.thaw()
        for name, values in controls.items():
            if name not in known:
                has = ", ".join(known) or "none"
                raise BadPosition(f"{self.game.name} has no control {name!r}{did_you_mean(name, known)} (it has {has})")
            if len(values) != self.game.players or not all(-LARGEST < value < LARGEST for value in values):
                raise BadPosition(f"{self.game.name}: {name} is a number for each of {self.game.players} players")
            getattr(s, name)[:] = [known[name].clip(float(value)) for value in values]
        self._run(s, "tick")
        return State(self.game, flatten(self.game.fields, s))

    def _run(self, s: Any, name: str, *args: object) -> None:
        """Let a rule change a thawed state; its faults are the author's."""
        try:
            self.game.function(name)(s, *args)
        except LudwinError:
            raise
        except (Exception, SystemExit) as error:
            raise self.game.fault(error) from error

    def chance(self, move: int) -> float:
        """Return the probability of a move of nature's."""
        weights = self.weights()
        if move not in weights:
            raise IllegalMove(f"{self.game.name}: {self._try_name(move)} is not a legal move here")
        return weights[move] / sum(weights.values())

    def weights(self) -> dict[int, float]:
        """Return the weight of each of nature's moves, in the order of the rules."""
        if self.mover != CHANCE:
            raise GameOver(f"{self.game.name}: it is player {self.mover}'s turn, not nature's")
        weights = {m: float(self._ask("chance", m)) if "chance" in self.game.offers else 1.0 for m in self.moves()}
        total = sum(weights.values())
        if weights and (not SMALLEST < total < LARGEST or min(weights.values()) < 0):
            raise RuleError(
                f"nature cannot draw: its weights add up to {total:g}, and each must be positive",
                *self.game.place("chance"),
            )
        return weights

    def key(self) -> int:
        """Return an integer that stands for the position in tables."""
        if "key" in self.game.offers:
            return int(self._ask("key"))
        from ludwin.primitives import mix

        h = 0
        reals = set(self.game.fields.real_cells())
        for i, value in enumerate(self.cells):
            h = mix(h, cell_bits(value, i in reals))
        return h

    def name(self, move: int) -> str:
        """Return the text of a move."""
        return str(self._ask("name", move)) if "name" in self.game.offers else str(move)

    def parse(self, text: str) -> int:
        """Return the legal move that a text names. Raises IllegalMove."""
        if not isinstance(text, str):
            raise IllegalMove(f"{self.game.name}: a move is read from a text, got {brief(text)}")
        text = text.strip()
        legal = self.moves()
        names = {self.name(move): move for move in legal}
        if text in names:
            return names[text]
        if not legal:
            raise IllegalMove(f"{self.game.name}: {clipped(repr(text))} cannot be played, the game is over")
        if "parse" in self.game.offers:
            try:
                code = self.game.function("parse")(self.thaw(), text)
            except Unfinished:
                raise
            except (ValueError, IndexError, KeyError) as error:
                raise IllegalMove(f"{self.game.name}: {clipped(str(error), 2000)}") from None
            except (Exception, SystemExit) as error:
                raise self.game.fault(error) from error
            if code in legal:
                return int(code)
        some = ", ".join(list(names)[:8]) + (", …" if len(names) > 8 else "")
        near = did_you_mean(text, names)
        raise IllegalMove(f"{self.game.name}: {clipped(repr(text))} is not a legal move here{near} ({some})")

    def write(self) -> str:
        """Return a text for the position that `Game.position` reads back."""
        return str(self._ask("write")) if "write" in self.game.offers else self.fields_text()

    def fields_text(self) -> str:
        """Return the position as `field=value …`, which every game understands."""
        words = []
        for field in self.game.fields:
            part = self.cells[field.offset : field.offset + field.cells]
            words.append(f"{field.name}={','.join(map(repr, part))}")
        return " ".join(words)

    def show(self) -> str:
        """Return a drawing of the position for people."""
        return str(self._ask("show")) if "show" in self.game.offers else self.fields_text()

    def paint(self) -> str:
        """Return the drawing for a terminal, with codes for colours if the game has them."""
        return str(self._ask("show_colours")) if "show_colours" in self.game.offers else self.show()

    def picture(self) -> str:
        """Return the text of an SVG file with a drawing of the position.

        It is the game's own `picture`, else made of its `squares`, else of a board that is learnt from `show`
        (`ludwin.rules.boards`), else of the letters of `show`. Which of them is settled for the game as a whole.
        """
        from ludwin.rules.pictures import picture_of

        return picture_of(self)

    def places(self, move: int) -> list[str]:
        """Return the names of the places in the picture that a move touches, in the order of clicks; none if the move
        has none, or if telling them could tell what is hidden.
        """
        from ludwin.rules.pictures import places_of

        return places_of(self, move)

    def _repr_svg_(self) -> str:
        from ludwin.svg import dressed

        return dressed(self.picture())

    def __str__(self) -> str:
        return self.show()

    def __repr__(self) -> str:
        fields = ", ".join(f"{field.name}={self[field.name]!r}" for field in self.game.fields)
        return f"{self.game!r}.state({fields})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.cells == other.cells and self.game == other.game

    def __hash__(self) -> int:
        return hash(self.cells)

    def __deepcopy__(self, memo: object) -> "State":
        return self  # nor does a state

    def __reduce__(self) -> Any:
        raise TypeError("states are not pickled: send game.text and state.fields_text()")


_put_game, _put_cells, _put_legal = (vars(State)[name].__set__ for name in ("game", "cells", "_legal"))


def reachable(game: Game, limit: int | None = None) -> Iterator[State]:
    """Yield every state that play can reach, each once, nearest to the start first.

    Stops after `limit` states.
    """
    start = game.start()
    seen = {start.cells}
    queue = deque([start])
    count = 0
    while queue and (limit is None or count < limit):
        state = queue.popleft()
        yield state
        count += 1
        for move in state.moves():
            after = state._play(move)
            if after.cells not in seen:
                seen.add(after.cells)
                queue.append(after)


class Offers(Set[str]):
    """Which optional functions a game has. What is for people is looked for when somebody asks for it."""

    def __init__(self, game: Game):
        self._game = game
        self._people = WORLD_PEOPLE if game.is_world else tuple(PEOPLE)
        optional = WORLD_OPTIONAL if game.is_world else OPTIONAL
        self._compiled = tuple(name for name in optional if callable(getattr(game.module, name, None)))

    @classmethod
    def _from_iterable(cls, names: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        return frozenset(names)

    def __contains__(self, name: object) -> bool:
        return name in self._compiled or (name in self._people and self._game._function(str(name)) is not None)

    def __iter__(self) -> Iterator[str]:
        return (name for name in (*self._compiled, *self._people) if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}"


def _watched(source: Source) -> AbstractContextManager[None]:
    """Watch a user's files while they run, for they may never come to an end; ours need no watching."""
    files = [file.path for file in source.family()]
    if all(path.is_relative_to(OURS) for path in files):
        return nullcontext()
    from ludwin.rules.watch import LOADING, watched

    return watched(files, str, LOADING)


def _by_def(name: str, arguments: Sequence[str]) -> str:
    return f"{name} must be defined by def {name}({', '.join(arguments)}) at the top of the file"


def written(value: Scalar) -> str:
    """Return a parameter as it stands in a text; one that would not read back is quoted."""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if not isinstance(value, str) or (text == text.strip() and "," not in text and '"' not in text):
        return text
    import json

    return json.dumps(text)


def _takes(function: Callable[..., Any], number: int) -> bool:
    """Tell whether a function can be called with so many arguments."""
    code = getattr(function, "__code__", None)
    if code is not None and code.co_argcount == number and not code.co_kwonlyargcount:
        return True  # a plain def, as nearly all are
    import inspect

    try:
        inspect.signature(function).bind(*range(number))
    except TypeError:
        return False
    except ValueError:  # a function of Python's own, which does not say
        return True
    return True


def _means_chance(source: Source, known: dict[int, set[str]]) -> set[str]:
    """Return the names that mean CHANCE in a file: as it is imported, and constants made of it (`NATURE = CHANCE`).

    `known` are the files that were asked before, by identity: helpers are imported from many places.
    """
    if id(source) in known:
        return known[id(source)]
    names = known[id(source)] = set()
    for local, (module, original) in source.imported.items():
        helper = source.helpers.get(module)
        if (module, original) == (PRIMITIVES, "CHANCE") or (helper and original in _means_chance(helper, known)):
            names.add(local)
    for node in source.tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(n, ast.Name) and n.id in names for n in ast.walk(node.value)
        ):
            names.update(n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name))
    for local, module in source.modules.items():
        helper = source.helpers.get(module)
        names.update(f"{local}.{name}" for name in (_means_chance(helper, known) if helper else ()))
    return names


def _is_data(value: Any) -> bool:
    """Tell whether compiled code may depend on a constant: numbers, texts, tables."""
    return isinstance(value, int | float | str | tuple | list) or (
        hasattr(value, "tolist") and not isinstance(value, type)
    )


def _plain_value(value: Any) -> Any:
    """Return a constant in a form whose text shows all of it."""
    return value.tolist() if hasattr(value, "tolist") else value
