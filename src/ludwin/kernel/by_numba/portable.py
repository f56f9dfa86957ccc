"""The functions of `ludwin.elementary` for the second compiler: the same text, compiled by numba."""

import ast
import types
from pathlib import Path
from typing import Any

from numba import njit

from ludwin import elementary

WORDS = ("exp", "log", "sin", "cos")  # `power` is the C library's in all modes


def compiled() -> dict[str, Any]:
    """Return the functions by the names that rules use."""
    module = types.ModuleType("ludwin_numba_elementary")
    space = vars(module)
    space.update({name: value for name, value in vars(elementary).items() if not callable(value)})
    tree = ast.parse(Path(elementary.__file__).read_text(encoding="utf8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            exec(compile(ast.Module([node], []), elementary.__file__, "exec"), space)
            space[node.name] = njit(space[node.name])
    calls = {name: space[f"portable_{name}"] for name in WORDS}
    space.update({f"_{name}": call for name, call in calls.items()})
    made = {}
    for name in WORDS:
        exec(f"def {name}(x):\n    return _{name}(float(x))", space)
        made[name] = njit(space[name])
    return made
