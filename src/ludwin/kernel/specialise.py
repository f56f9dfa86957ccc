"""One search, one game, one mode: the text of the search, run with the game's own functions.

Why it is here.  This is what makes a game file fast.  `specialise(game, kernel, mode)` executes the
kernel's text in a fresh module whose free names are the game's functions, and returns its entry:

- `plain`: everything is ordinary Python on lists; the author's functions are the very ones.
- `guarded`: the same on the suspicious copy of the rules (`ludwin.rules.guard`), for `check`.
- `checked`: compiled, every index examined.
- `fast`: compiled, raw pointers.

The module bears a fingerprint of all it depends on, because numba's disk cache looks only at the
entry's own file: with any other name an edited rule, or another game, would find old code.
"""

import ast
import copy
import math
import re
import struct
import sys
import types
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import ludwin.primitives
from ludwin.errors import CannotPlay, LudwinError, RuleError
from ludwin.game import Game, State
from ludwin.kernel import cache
from ludwin.kernel.defaults import DEFAULTS
from ludwin.kernel.rewrite import LINES, Rewrite, annotations
from ludwin.kernel.text import Kernel, Text
from ludwin.rules.contract import OPTIONAL
from ludwin.rules.layout import cell_bits, fill, flatten
from ludwin.rules.reach import Where, recursive, roots
from ludwin.rules.source import PRIMITIVES, Source, digest

MODES = ("plain", "checked", "fast")

# Only the entry is called from Python: without doors of their own the inner functions compile a fifth to a third faster.
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

# How the reason is found in numba's pages: our own TypingErrors first, then the usual complaints.
OUR_WORDS = r"((?:a \S+ is stored in an integer cell|a \S+ is used where .* needed|\w+ takes .*, got a .*|float \*\* rounds .*))$"
THEIR_WORDS = r"(Cannot unify .*|Cannot infer.*|No implementation of function .*\n *\n? *>?>?>?.*|NameError: .*|Unknown attribute .*|.*not supported.*)"


def prepare() -> None:
    """Run before numba is imported; the command line puts something here to start more quickly."""


def announce(line: str) -> None:
    """Tell that something compiles; the command line puts its own voice here."""


class Specialised:
    """A kernel bound to a game in one mode, with makers for the workspaces that it takes."""

    def __init__(self, game: Game, mode: str, entry: Callable[..., Any], places: list[Path]):
        self.game = game
        self.mode = mode
        self.entry = entry
        self.places = places
        self.compiled = mode in ("checked", "fast")

    def __call__(self, *args: Any) -> Any:
        try:
            return self.entry(*args)
        except RuleError as error:
            raise error if error.path else self.game.fault(error) from None
        except LudwinError:
            raise
        except IndexError as error:
            if self.mode == "checked" and error.args and isinstance(error.args[0], int):
                raise self._out_of_bounds(error.args[0]) from None
            raise self.game.fault(error) from error
        except (ArithmeticError, AssertionError, AttributeError, NameError, TypeError, ValueError) as error:
            fault = self.game.fault(error)
            if self.compiled and fault.line is None:
                raise RuleError(f"{fault.reason} in compiled code (--mode plain shows the line)", fault.path) from None
            raise fault from error

    def _out_of_bounds(self, code: int) -> RuleError:
        place, line = self.places[code // LINES], code % LINES
        text = place.read_text(encoding="utf8").splitlines()[line - 1].strip() if place.is_file() else "generated text"
        return RuleError(f"an index is out of bounds in: {text}", place, line)

    def states(self, n: int) -> Any:
        """Return a stack of `n` states."""
        if self.compiled:
            import numpy as np

            return np.zeros((n, self.game.fields.cells), dtype=np.int64)
        make = self.game.guarded_class if self.mode == "guarded" else self.game.state_class
        return [make() for _ in range(n)]

    def moves(self, n: int) -> Any:
        """Return a stack of `n` move lists."""
        if self.compiled:
            import numpy as np

            return np.zeros((n, self.game.max_moves), dtype=np.int64)
        if self.mode == "guarded":
            from ludwin.rules.plain import Cells

            return [Cells([0] * self.game.max_moves, "a move") for _ in range(n)]
        return [[0] * self.game.max_moves for _ in range(n)]

    def ints(self, n: int) -> Any:
        """Return `n` integer cells."""
        if self.compiled:
            import numpy as np

            return np.zeros(n, dtype=np.int64)
        return [0] * n

    def floats(self, n: int) -> Any:
        """Return `n` float cells."""
        if self.compiled:
            import numpy as np

            return np.zeros(n, dtype=np.float64)
        return [0.0] * n

    def float_rows(self, n: int) -> Any:
        """Return a stack of `n` rows of MAX_MOVES floats."""
        if self.compiled:
            import numpy as np

            return np.zeros((n, self.game.max_moves), dtype=np.float64)
        return [[0.0] * self.game.max_moves for _ in range(n)]

    def put(self, states: Any, index: int, state: State) -> None:
        """Write a state into a stack."""
        if not self.compiled:
            fill(self.game.fields, states[index], state.cells)
            return
        reals = self.game.fields.real_cells()
        row = list(state.cells)
        for i in reals:
            row[i] = cell_bits(row[i], True)
        states[index] = row

    def get(self, states: Any, index: int) -> State:
        """Read a state from a stack."""
        if not self.compiled:
            return State(self.game, flatten(self.game.fields, states[index]))
        row = states[index].tolist()
        for i, value in zip(self.game.fields.real_cells(), states[index].view("float64")[list(self.game.fields.real_cells())].tolist(), strict=True):
            row[i] = value
        return State(self.game, tuple(row))


_known: dict[tuple[Game, Kernel, str], Specialised] = {}


def specialise(game: Game, kernel: Kernel, mode: str = "fast") -> Specialised:
    """Return the kernel's entry for this game and mode, compiled or loaded from the cache.

    Raises CannotPlay if the game lacks a function that the kernel needs, RuleError if the rules
    cannot be compiled.
    """
    known = _known.get((game, kernel, mode))
    if known is None:
        known = _known[game, kernel, mode] = _specialise(game, kernel, mode)
    return known


def _specialise(game: Game, kernel: Kernel, mode: str) -> Specialised:
    for name in (*kernel.needs, *(alias for alias in kernel.bind.values() if isinstance(alias, str))):
        if not game.source.find(name):
            arguments = {**OPTIONAL, **roots(game.source)}.get(name, ("s", "…"))
            raise CannotPlay(f"{kernel.name} needs {name}({', '.join(arguments)}), which {game.name} does not define")
    text = kernel.text({name: f for name, f in DEFAULTS.items() if name not in game.offers})
    if mode in ("plain", "guarded"):
        return _interpreted(game, kernel, text, mode)
    if mode in ("checked", "fast"):
        return _compiled(game, kernel, text, mode, (game.fingerprint, digest(text.source(), kernel.entry.__name__), mode))
    raise ValueError(f"mode must be one of {', '.join(MODES)}, got {mode!r}")


def _numbers(game: Game) -> dict[str, Any]:
    return {
        "PLAYERS": game.players,
        "MAX_MOVES": game.max_moves,
        "MAX_PLIES": game.max_plies,
        "CELLS": game.fields.cells,
        "HALF_SUM": (game.payoff_sum or 0) / 2,
        "REDRAWS": int(game.redraws),
    }


def _interpreted(game: Game, kernel: Kernel, text: Text, mode: str) -> Specialised:
    if mode == "guarded":
        functions: dict[str, Any] = dict(game.guarded_functions)
    else:
        functions = {name: game.function(name) for name in roots(game.source) if game.source.find(name)}
    functions |= {word: functions[name] for word, name in text.aliases.items()}
    space: dict[str, Any] = {name: getattr(ludwin.primitives, name) for name in vars(ludwin.primitives) if not name.startswith("_")}
    space |= {"copy": game.copy, "cell": _cell(game), "bits": _bits, "unbits": _unbits, "above": _above, "math": math}
    space |= {**functions, **_numbers(game), **text.constants}
    for file, tree in text.functions.values():
        tree = copy.deepcopy(tree)
        for arg in tree.args.args:
            arg.annotation = None
        tree.returns = None
        exec(compile(ast.Module([tree], []), file, "exec"), space)
    return Specialised(game, mode, space[kernel.entry.__name__], [])


def _cell(game: Game) -> Callable[[Any, int], int]:
    where = [(f.name, None if f.size is None else i, f.real) for f in game.fields for i in range(f.cells)]

    def cell(s: Any, i: int) -> int:
        name, index, real = where[i]
        value = getattr(s, name)
        return cell_bits(value if index is None else value[index], real)

    return cell


def _bits(x: float) -> int:
    return cell_bits(x, True)


def _unbits(x: int) -> float:
    return float(struct.unpack("<d", struct.pack("<q", x))[0])


def _above(x: float) -> float:
    return math.nextafter(x, math.inf)


@lru_cache(maxsize=None)
def _foundation() -> str:
    """Return a hash of our own machinery and of the versions below it."""
    import llvmlite
    import numba
    import numpy

    folder = Path(__file__).parent
    files = [*sorted(folder.glob("*.py")), Path(ludwin.primitives.__file__), folder.parent / "rules" / "layout.py"]
    versions = (sys.version, numba.__version__, llvmlite.__version__, numpy.__version__)
    return digest([file.read_bytes() for file in files], versions)


def _compiled(game: Game, kernel: Kernel, text: Text, mode: str, mark: tuple[str, ...]) -> Specialised:
    if "numba" not in sys.modules:
        prepare()
    from numba import njit

    space, places = _compiled_rules(game, mode)
    stem = re.sub(r"\W", "_", f"{game.name.rpartition('/')[2].removesuffix('.py')}_{kernel.name}")
    name = f"ludwin_{mode}_{stem}_{digest(mark, _foundation())[:20]}"
    module = types.ModuleType(name)
    sys.modules[name] = module
    ns = vars(module)
    ns |= {**space, **_numbers(game), **text.constants, **{word: space[name] for word, name in text.aliases.items()}}
    entry_folder = cache.folder() / name
    entry_folder.mkdir(mode=0o700, exist_ok=True)
    file = entry_folder / "kernel.py"
    body = _kernel_text(game, kernel, text, mode, len(places))
    cache.write_once(file, body)
    exec(compile(body, str(file), "exec"), ns)
    for function in text.functions:
        ns[function] = njit(**INNER, **_options(mode))(ns[function])
    entry = njit(cache=True, nogil=True, **_options(mode))(ns["entry"])
    with cache.lock(entry_folder):
        if not any(entry_folder.glob("__pycache__/*.nbi")):
            announce(f"compiling {kernel.name} for {game.text} ({mode}, once) …")
        _compile(game, entry, kernel)
    return Specialised(game, mode, entry, [*places, *(Path(f) for f, _ in text.functions.values())])


def _options(mode: str) -> dict[str, Any]:
    return {"boundscheck": False}  # checked code has its own bounds, with lines


def _compile(game: Game, entry: Any, kernel: Kernel) -> None:
    from numba import types as nb
    from numba.core.errors import NumbaError

    kinds = {
        "States": nb.int64[:, ::1],
        "Moves": nb.int64[:, ::1],
        "Ints": nb.int64[::1],
        "Floats": nb.float64[::1],
        "FloatRows": nb.float64[:, ::1],
        "int": nb.int64,
        "float": nb.float64,
    }
    try:
        entry.compile(tuple(kinds[kind] for kind in kernel.arguments().values()))
    except NumbaError as error:
        raise _explain(game, error) from None


def _explain(game: Game, error: Any) -> RuleError:
    """Cut numba's pages down to the reason and the author's line."""
    message = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    paths = {str(source.path): source.path for source in game.source.family()}
    line = None
    place: Path = game.source.path
    for found in re.finditer(r'File "(.+?)", line (\d+)', message):
        for path in paths.values():
            if Path(found[1]).resolve() == path:
                place, line = path, int(found[2])
    reasons = re.findall(OUR_WORDS, message, re.M) or re.findall(THEIR_WORDS, message)
    reason = " ".join(reasons[-1].replace(">>>", "").split()) if reasons else message.strip().splitlines()[0]
    return RuleError(f"cannot be compiled: {reason}", place, line)


def _kernel_text(game: Game, kernel: Kernel, text: Text, mode: str, first: int) -> str:
    """Return the kernel's functions and its entry as the text of the module to compile."""
    casts = {name: annotations(tree) for name, (_, tree) in text.functions.items() if _calls_itself(name, tree)}
    parts = []
    for number, (name, (_, tree)) in enumerate(text.functions.items()):
        tree = Rewrite(game.fields, casts, mode == "checked", first + number).visit(copy.deepcopy(tree))
        tree.name = name
        parts.append(ast.unparse(ast.fix_missing_locations(tree)))
    arguments = kernel.arguments()
    passed = ", ".join(f"{kind}({name})" if kind[0].isupper() else name for name, kind in arguments.items())
    parts.append(f"def entry({', '.join(arguments)}):\n    return {kernel.entry.__name__}({passed})\n")
    return "\n\n".join(parts)


def _calls_itself(name: str, tree: ast.FunctionDef) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for statement in tree.body for n in ast.walk(statement))


_rules: dict[tuple[Game, str], tuple[dict[str, Any], list[Path]]] = {}


def _compiled_rules(game: Game, mode: str) -> tuple[dict[str, Any], list[Path]]:
    """Return the names that kernel text sees: the game's functions under numba, and the primitives."""
    if (game, mode) not in _rules:
        _rules[game, mode] = _compile_rules(game, mode)
    return _rules[game, mode]


def _compile_rules(game: Game, mode: str) -> tuple[dict[str, Any], list[Path]]:
    from numba import njit

    from ludwin.kernel import native

    contract = roots(game.source)
    places = [source.path for source in game.source.family()]
    spaces = {source.path: _space(game, source, mode, places.index(source.path), native) for source in game.source.family()}
    casts_of = {where: annotations(function) for where, (source, function) in game.reached.items() if recursive(source, function)}
    for (path, name), (source, function) in game.reached.items():
        space = vars(spaces[path])
        casts = _link(source, spaces, casts_of)
        tree = Rewrite(game.fields, casts, mode == "checked", places.index(path)).visit(copy.deepcopy(function))
        exec(compile(ast.fix_missing_locations(ast.Module([tree], [])), str(path), "exec"), space)
        # LLVM does not inline these by itself; doing so took alpha-beta from 1.2 to 1.1 times C++ (docs/results/foundation.md).
        inline = name in contract and not recursive(source, function)
        space[name] = njit(forceinline=inline, **INNER, **_options(mode))(space[name])
    free: dict[str, Any] = {**native.PRIMITIVES, **native.MORE, **native.TOOLS, "math": math}
    free |= native.doors(game.fields, game.max_moves, checked=mode == "checked")
    for name in contract:
        found = game.source.find(name)
        if found:
            free[name] = vars(spaces[found[0].path])[found[1].name]
    return free, places


def _space(game: Game, source: Source, mode: str, number: int, native: Any) -> types.ModuleType:
    """Return a module with a file's constants and primitives, ready for its compiled functions.

    Its name must not depend on where the file lies: a cached search looks for it by name.
    """
    module = types.ModuleType(f"ludwin_{mode}_rules_{source.path.stem}_{digest(game.fingerprint, number)[:16]}")
    sys.modules[module.__name__] = module
    vars(module).update({**_tables(vars(game.modules[source.path]), native), **native.TOOLS, "math": math})
    for local, (home, original) in source.imported.items():
        if home == PRIMITIVES and original in native.PRIMITIVES:
            setattr(module, local, native.PRIMITIVES[original])
    return module


def _link(source: Source, spaces: dict[Path, types.ModuleType], casts_of: dict[Where, list[str | None]]) -> dict[str, list[str | None]]:
    """Let a file's imported names mean compiled functions; return the casts for calls as they are written."""
    casts = {}
    space = vars(spaces[source.path])
    for local in {*source.functions, *source.imported}:
        found = source.find(local)
        if found:
            where = (found[0].path, found[1].name)
            if where in casts_of:
                casts[local] = casts_of[where]
            if where[0] != source.path and where[1] in vars(spaces[where[0]]):
                space[local] = vars(spaces[where[0]])[where[1]]
    for local, home in source.modules.items():
        helper = source.helpers.get(home)
        if helper:
            space[local] = spaces[helper.path]
            casts |= {f"{local}.{name}": cast for (path, name), cast in casts_of.items() if path == helper.path}
    return casts


def _tables(space: dict[str, Any], native: Any) -> dict[str, Any]:
    """Return a file's constants as compiled code sees them: numbers, and tables of numbers."""
    found: dict[str, Any] = {}
    for name, value in space.items():
        if name.startswith("__"):
            continue
        if isinstance(value, bool | int | float):
            found[name] = value
        elif isinstance(value, native.np.ndarray) and value.ndim and value.dtype.kind in "biuf":
            found[name] = native.Table(value)
        elif isinstance(value, list | tuple) and value:
            try:
                found[name] = native.Table(value)
            except (ValueError, TypeError, OverflowError):
                continue
    return found
