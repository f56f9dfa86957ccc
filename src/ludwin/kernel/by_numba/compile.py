"""A kernel under numba: the text executed in a module whose free names are the game's compiled functions."""

import ast
import atexit
import copy
import math
import re
import shutil
import sys
import tempfile
import types
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numba import types as nb
from numba.core.errors import NumbaError

from ludwin.errors import RuleError
from ludwin.game import Game
from ludwin.kernel.bundle import described
from ludwin.kernel.by_numba import native
from ludwin.kernel.by_numba.rewrite import LINES, Rewrite, annotations
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel, KernelText
from ludwin.rules.reach import Where, recursive, roots
from ludwin.rules.source import PRIMITIVES, Source, digest

# Only the entry is called from Python: without doors of their own the inner functions compile a fifth to a third
# faster.
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "boundscheck": False}
KINDS = {
    "States": nb.int64[:, ::1],
    "Moves": nb.int64[:, ::1],
    "Ints": nb.int64[::1],
    "Floats": nb.float64[::1],
    "FloatRows": nb.float64[:, ::1],
    "Bundle": nb.int64[::1],
    "int": nb.int64,
    "float": nb.float64,
}


class ByNumba(Specialised):
    """A kernel that numba has compiled; workspaces go in as NumPy arrays over the same memory."""

    def __call__(self, *args: Any) -> Any:
        try:
            return self.entry(*(_array(arg) for arg in args))
        except IndexError as error:
            if error.args and isinstance(error.args[0], int):
                place, line = self.places[error.args[0] // LINES], error.args[0] % LINES
                raise RuleError("an index is out of bounds", place, line) from None
            raise
        except (ArithmeticError, AssertionError, ValueError) as error:
            fault = self.game.fault(error)
            raise RuleError(f"{fault.reason} in compiled code (--mode plain shows the line)", fault.path) from None


@lru_cache(maxsize=None)
def _folder() -> Path:
    place = Path(tempfile.mkdtemp(prefix="ludwin-numba-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def _array(value: Any) -> Any:
    if isinstance(value, int | float):
        return value
    if hasattr(value, "width"):
        return np.asarray(value.buffer).reshape(len(value), value.width)
    return np.asarray(getattr(value, "buffer", value))


def compiled(game: Game, kernel: Kernel, text: KernelText, mode: str, numbers: Mapping[str, Any]) -> Specialised:
    """Return a kernel compiled by numba. Raises RuleError if it cannot be."""
    places = [source.path for source in game.source.family()]
    module = types.ModuleType(
        f"ludwin_numba_{digest(game.compiled_fingerprint, text.source(), described(kernel.records), mode)[:20]}"
    )
    space = vars(module)
    rules = _rules(game, kernel, mode, places)
    space |= {**rules, **numbers, **text.constants, **{word: rules[name] for word, name in text.aliases.items()}}
    # Recursive functions get unresolved symbols unless numba keeps its code in files: in a folder that goes with us.
    sys.modules[module.__name__] = module
    file = _folder() / f"{module.__name__}.py"
    file.write_text(_text(game, kernel, text, mode, len(places)), encoding="utf8")
    exec(compile(file.read_text(encoding="utf8"), str(file), "exec"), space)
    for function in text.functions:
        space[function] = njit(**INNER)(space[function])
    entry = njit(cache=True, nogil=True, boundscheck=False)(space["entry"])
    try:
        entry.compile(tuple(KINDS[kind] for kind in kernel.arguments().values()))
    except NumbaError as error:
        lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip().splitlines()
        raise RuleError(f"cannot be compiled by numba: {lines[0]} … {lines[-1]}", game.source.path) from None
    return ByNumba(game, mode, entry, [*places, *(Path(f) for f, _ in text.functions.values())], kernel)


def _text(game: Game, kernel: Kernel, text: KernelText, mode: str, first: int) -> str:
    """Return the kernel's functions and its entry as the text of the module to compile."""
    casts = {name: annotations(tree) for name, (_, tree) in text.functions.items() if _calls_itself(name, tree)}
    parts = []
    for number, (name, (_, tree)) in enumerate(text.functions.items()):
        tree = Rewrite(casts, mode == "checked", first + number).visit(copy.deepcopy(tree))
        tree.name = name
        parts.append(ast.unparse(ast.fix_missing_locations(tree)))
    arguments = kernel.arguments()
    passed = ", ".join(f"{kind}({name})" if kind[0].isupper() else name for name, kind in arguments.items())
    parts.append(f"def entry({', '.join(arguments)}):\n    return {kernel.entry.__name__}({passed})\n")
    return "\n\n".join(parts)


def _calls_itself(name: str, tree: ast.FunctionDef) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for statement in tree.body for n in ast.walk(statement))


def _rules(game: Game, kernel: Kernel, mode: str, places: list[Path]) -> dict[str, Any]:
    """Return the names that kernel text sees: the game's functions under numba, and the primitives."""
    contract = roots(game.source)
    spaces = {source.path: _space(game, source) for source in game.source.family()}
    casts_of = {
        w: annotations(function) for w, (source, function) in game.reached.items() if recursive(source, function)
    }
    for (path, name), (source, function) in game.reached.items():
        space = vars(spaces[path])
        casts = _link(source, spaces, casts_of)
        tree = Rewrite(casts, mode == "checked", places.index(path)).visit(copy.deepcopy(function))
        exec(compile(ast.fix_missing_locations(ast.Module([tree], [])), str(path), "exec"), space)
        inline = name in contract and not recursive(source, function)
        space[name] = njit(forceinline=inline, **INNER)(space[name])
    free: dict[str, Any] = {**native.PRIMITIVES, **native.MORE, **native.TOOLS, "math": math}
    free |= native.doors(game.fields, game.max_moves, mode == "checked", kernel.records)
    for name in contract:
        found = game.source.find(name)
        if found:
            free[name] = vars(spaces[found[0].path])[found[1].name]
    return free


def _space(game: Game, source: Source) -> types.ModuleType:
    """Return a module with a file's constants and primitives, ready for its compiled functions."""
    module = types.ModuleType(f"ludwin_numba_rules_{source.path.stem}")
    vars(module).update({**_tables(vars(game.modules[source.path])), **native.TOOLS, "math": math})
    for local, (home, original) in source.imported.items():
        if home == PRIMITIVES and original in native.PRIMITIVES:
            setattr(module, local, native.PRIMITIVES[original])
    return module


def _link(
    source: Source, spaces: Mapping[Path, types.ModuleType], casts_of: Mapping[Where, list[str | None]]
) -> dict[str, list[str | None]]:
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


def _tables(space: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's constants as compiled code sees them: numbers, and tables of numbers."""
    found: dict[str, Any] = {}
    for name, value in space.items():
        if name.startswith("__"):
            continue
        if isinstance(value, bool | int | float):
            found[name] = value
        elif isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "biuf":
            found[name] = native.NumbaTable(value)
        elif isinstance(value, list | tuple) and value:
            try:
                found[name] = native.NumbaTable(value)
            except (ValueError, TypeError, OverflowError):
                continue
    return found
