"""The house stays in order: what there should be none of is counted, and no count may grow.

How to read a failure.  *It grew*: undo what added to it, the message says where.  *Lower the ratchet*: there is less of
it than the table allows, so write the smaller number into RATCHETS; from then on it cannot come back.

    python -m tests.test_house [TREE]

prints all counts of this tree, or of another one.
"""

import ast
import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import ludwin
from ludwin import words

ROOT = Path(ludwin.__file__).parent
LONGEST_MODULE, LONGEST_LINE = 600, 120
MOST_PARAMETERS, MOST_IN_KERNELS = 8, 10
POOLS = {"ThreadPoolExecutor", "ProcessPoolExecutor", "Pool", "ThreadPool", "Process"}
SEAMS = ("workers.py",)  # where worker processes and threads are made; everybody else asks there
READER = "formats.py"  # decodes JSON for everybody; the proof checker shares no code with what it checks
LIBRARY = ("library.py", "cli/ship.py")  # every agent by name; the searches whose code a release brings
SETTINGS = "settings.py"
CHECKER = "discover/checker/"


class Ratchet(NamedTuple):
    """How many there may be today, how many there shall be, and a function that lists where they are."""

    allowed: int
    target: int
    find: Callable[[], list[str]]


# ---- Counting ---------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def sources() -> dict[str, ast.Module]:
    """Return every module of the package by its path below it."""
    found = sorted(ROOT.rglob("*.py"))
    gc.disable()  # no tree is rubbish, and a collector that looks for some more than doubles the time
    try:
        return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf8")) for path in found}
    finally:
        gc.enable()


@lru_cache(maxsize=None)
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Return all nodes of a module; the same are asked for many times."""
    return tuple(ast.walk(tree))


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a module, also those inside others."""
    yield from (node for node in nodes(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    """Return what a caller has to hand over: all parameters but `self` and `cls`."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return every[1:] if every and every[0].arg in ("self", "cls") else every


def is_kernel_text(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function is compiled text: the compiler finds its types, while shells declare every one."""
    return any(one.annotation is None for one in parameters(function))


def whole_numbers(tree: ast.Module) -> Iterator[str]:
    """Yield the capital names of a module that stand for a whole number: `N = 3`, `A, B = 0, 1`, `A, B = range(2)`."""
    for node in tree.body:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        several = isinstance(target, ast.Tuple)
        names = [one.id for one in (target.elts if several else [target]) if isinstance(one, ast.Name)]
        parts = value.elts if several and isinstance(value, ast.Tuple) else [value]
        plain = all(isinstance(one, ast.Constant) and type(one.value) is int for one in parts)
        numbered = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "range"
        if plain or (several and numbered):
            yield from (name for name in names if name.isupper())


def in_indices(tree: ast.Module) -> set[str]:
    """Return the names that an index anywhere in a module is counted from: `tree[at + VISITS]` has `at` and `VISITS`.

    Sums, products and slices count; what a call or a mask makes of a number is no slot: `path[min(DEEP, plies)]`.
    """
    found, waiting = set[str](), [node.slice for node in nodes(tree) if isinstance(node, ast.Subscript)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Tuple | ast.Slice) or (
            isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add | ast.Sub | ast.Mult)
        ):
            waiting += [one for one in ast.iter_child_nodes(part) if isinstance(one, ast.expr)]
    return found


def module_of(path: str) -> str:
    """Return the dotted name of a module."""
    return "ludwin." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def slot_constants() -> list[str]:
    """List the whole numbers of search/ that are used as an index, in their own module or where they are imported."""
    used: set[tuple[str, str]] = set()
    for path, tree in sources().items():
        indices = in_indices(tree)
        used |= {(module_of(path), name) for name in indices}
        for node in nodes(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                used |= {(node.module, one.name) for one in node.names if (one.asname or one.name) in indices}
    return [
        f"{path}: {name}"
        for path, tree in sources().items()
        if path.startswith("search/")
        for name in whole_numbers(tree)
        if (module_of(path), name) in used
    ]


def offset_arithmetic() -> list[str]:
    """List the indices in search/ that multiply a row by its length: `tree[NODE * child + VISITS]`."""
    return [
        f"{path}:{node.lineno}"
        for path, tree in sources().items()
        if path.startswith("search/")
        for node in nodes(tree)
        if isinstance(node, ast.Subscript)
        and any(
            isinstance(part, ast.BinOp)
            and isinstance(part.op, ast.Mult)
            and any(
                (isinstance(side, ast.Name) and side.id.isupper())
                or (isinstance(side, ast.Constant) and type(side.value) is int)
                for side in (part.left, part.right)
            )
            for part in ast.walk(node.slice)
        )
    ]


def long_signatures(*, kernels: bool, most: int) -> list[str]:
    """List the functions that take more than so many parameters."""
    return [
        f"{path}:{function.lineno}: {function.name} takes {len(parameters(function))}"
        for path, tree in sources().items()
        for function in functions(tree)
        if is_kernel_text(function) == kernels and len(parameters(function)) > most
    ]


def repeated_classes() -> list[str]:
    """List the class names that stand more than once in the package."""
    places: dict[str, list[str]] = {}
    for path, tree in sources().items():
        for node in nodes(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(f"{path}:{node.lineno}")
    return [f"{name} ({', '.join(where)})" for name, where in sorted(places.items()) if len(where) > 1]


def long_modules() -> list[str]:
    """List the modules that tell two stories, by their length."""
    lengths = {path: len((ROOT / path).read_text(encoding="utf8").splitlines()) for path in sources()}
    return [f"{path} has {length} lines" for path, length in lengths.items() if length > LONGEST_MODULE]


def worker_pools() -> list[str]:
    """List the places outside the seam where threads or processes are hired."""
    return [
        f"{path}:{node.lineno}"
        for path, tree in sources().items()
        if path not in SEAMS
        for node in nodes(tree)
        if isinstance(node, ast.Call) and called(node) in POOLS - from_ours(tree)
    ]


def from_ours(tree: ast.Module) -> set[str]:
    """Return the names that a module imports from this package: the pool of the seam is one of them."""
    return {
        one.asname or one.name
        for node in nodes(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ludwin.")
        for one in node.names
    }


def called(node: ast.Call) -> str:
    """Return the last word of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def json_readers() -> list[str]:
    """List the modules beside the one reader that decode JSON themselves."""
    found = Counter(
        path
        for path, tree in sources().items()
        for node in nodes(tree)
        if (isinstance(node, ast.Attribute) and node.attr in ("load", "loads", "JSONDecoder") and is_json(node.value))
        or (isinstance(node, ast.ImportFrom) and node.module == "json" and node.names[0].name != "dumps")
    )
    return [path for path in found if path != READER and not path.startswith(CHECKER)]


def is_json(node: ast.expr) -> bool:
    """Tell whether an expression is the module `json`."""
    return isinstance(node, ast.Name) and node.id == "json"


def agent_registers() -> list[str]:
    """List the places beside the library that know (nearly) all agents by name."""
    several = {"alphabeta", "expectimax", "greedy", "maxn", "uct"}
    return [
        f"{path}:{node.lineno}"
        for path, tree in sources().items()
        if path not in LIBRARY
        for node in nodes(tree)
        if isinstance(node, ast.Dict | ast.Set | ast.List | ast.Tuple) and several <= set(texts(node))
    ]


def texts(node: ast.Dict | ast.Set | ast.List | ast.Tuple) -> Iterator[Any]:
    """Yield the constants that a table has as keys, or a row as members."""
    members = node.keys if isinstance(node, ast.Dict) else node.elts
    yield from (one.value for one in members if isinstance(one, ast.Constant))


def handmade_checks() -> list[str]:
    """List the sentences about ranges and choices that are written by hand instead of in `settings`."""
    sentences = ("must be at least", "must be at most", "must be one of")
    return [
        f"{path}:{node.lineno}"
        for path, tree in sources().items()
        if path not in (SETTINGS, READER) and not path.startswith("games/")  # rules know only primitives
        for node in nodes(tree)
        if isinstance(node, ast.JoinedStr)
        and any(
            sentence in str(part.value)
            for part in node.values
            if isinstance(part, ast.Constant)
            for sentence in sentences
        )
    ]


def respelled_words() -> list[str]:
    """List the places that spell a row of words which `words` has."""
    known = {value for value in vars(words).values() if isinstance(value, tuple)}
    return [
        f"{path}:{node.lineno}"
        for path, tree in sources().items()
        if path != "words.py"
        for node in nodes(tree)
        if isinstance(node, ast.Tuple)
        and tuple(one.value if isinstance(one, ast.Constant) else None for one in node.elts) in known
    ]


def long_lines() -> list[str]:
    """List the lines of the package, of tests, examples and scripts that are wider than a page."""
    home = ROOT.parent.parent
    folders = [home / name for name in ("src", "tests", "examples", "docs") if (home / name).is_dir()]
    return [
        f"{path.relative_to(home)}:{number} has {len(line)} columns"
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]


# ---- The ratchets -----------------------------------------------------------------------------------

RATCHETS = {
    "slot constants in search/": Ratchet(0, 0, slot_constants),
    "indices that multiply a row by its length, in search/": Ratchet(0, 0, offset_arithmetic),
    "shells with more than 8 parameters": Ratchet(0, 0, lambda: long_signatures(kernels=False, most=MOST_PARAMETERS)),
    "kernel text with more than 10 parameters": Ratchet(
        0, 0, lambda: long_signatures(kernels=True, most=MOST_IN_KERNELS)
    ),
    "class names that stand twice": Ratchet(0, 0, repeated_classes),
    "modules over 600 lines": Ratchet(4, 0, long_modules),
    "worker pools outside the seam": Ratchet(0, 0, worker_pools),
    "JSON readers beside the one": Ratchet(0, 0, json_readers),
    "registers of agents beside the library": Ratchet(0, 0, agent_registers),
    "sentences about ranges and choices written by hand": Ratchet(17, 8, handmade_checks),
    "rows of words that are spelled again": Ratchet(0, 0, respelled_words),
    "lines over 120 columns": Ratchet(0, 0, long_lines),
}


def verdict(allowed: int, found: list[str]) -> str:
    """Return what is wrong with a count, or nothing."""
    if len(found) > allowed:
        return f"it grew: {len(found)}, at most {allowed} are allowed\n" + "\n".join(found)
    return f"lower the ratchet to {len(found)}, it allows {allowed}" if len(found) < allowed else ""


@pytest.mark.parametrize("name", RATCHETS)
def test_a_count_never_grows_and_the_table_follows_it_down(name):
    ratchet = RATCHETS[name]
    assert not (wrong := verdict(ratchet.allowed, ratchet.find())), f"{name}: {wrong}"
    assert ratchet.allowed >= ratchet.target


def test_a_ratchet_turns_one_way():
    assert "it grew: 3" in verdict(2, ["a", "b", "c"])
    assert "lower the ratchet to 1" in verdict(2, ["a"])
    assert verdict(2, ["a", "b"]) == ""


def test_slots_are_told_from_other_numbers():
    tree = ast.parse(
        "NODE = 6\nFIRST, VISITS = range(2)\nLOST, WON = 0, 1\nDEPTH = 4\nNAME = 'x'\n"
        "def look(tree, at):\n    return tree[NODE * at + VISITS] == WON or tree[FIRST] > tree[min(DEPTH, at)]\n"
    )
    assert set(whole_numbers(tree)) == {"NODE", "FIRST", "VISITS", "LOST", "WON", "DEPTH"}
    assert set(whole_numbers(tree)) & in_indices(tree) == {"NODE", "FIRST", "VISITS"}


# ---- Guards -----------------------------------------------------------------------------------------


def test_the_proof_checker_shares_no_code_with_what_it_checks():
    """Whoever trusts a proof trusts these files, the standard library and the names of our errors: nothing else."""
    for path, tree in sources().items():
        if not path.startswith(CHECKER):
            continue
        for node in nodes(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                ours = name.split(".")[0] == "ludwin" and name != "ludwin.errors"
                assert not ours or name.startswith("ludwin.discover.checker"), f"{path}:{node.lineno} imports {name}"


def test_the_checker_runs_where_there_is_nothing_else_of_ours(python):
    script = (
        "import sys, ludwin.discover.checker.verify\n"
        "print(sorted(m for m in sys.modules if m.startswith('ludwin.') and not m.startswith('ludwin.discover')))"
    )
    assert python(script) == "['ludwin.errors']"


# ---- By hand ----------------------------------------------------------------------------------------


def print_counts(tree: Path) -> None:
    """Print every count of a tree, and where the few are."""
    global ROOT
    ROOT = tree.resolve() / "src" / "ludwin"
    sources.cache_clear()
    print(f"modules: {len(sources())}")
    for name, ratchet in RATCHETS.items():
        found = ratchet.find()
        print(f"{name}: {len(found)}{' (' + ', '.join(found) + ')' if 0 < len(found) < 8 else ''}")


if __name__ == "__main__":
    print_counts(Path(sys.argv[1]) if sys.argv[1:] else ROOT.parent.parent)
