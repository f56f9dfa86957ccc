"""Arrows point one way: what a module may import is settled by where it lies."""

import ast
from pathlib import Path

import pytest

import ludwin

ROOT = Path(ludwin.__file__).parent

# Each line may import itself and the lines above it; parts that stand on one line do not know each other.
LAYERS = (
    ("errors", "primitives", "files", "progress", "words"),
    ("formats", "settings", "stats", "registers", "workers"),
    ("measure",),
    ("rules",),
    ("game",),
    ("kernel",),
    ("program",),
    ("search", "games"),
    ("library",),
    ("trust",),
    ("play",),
    ("arena",),
    ("evolve",),
    ("discover",),
    ("laws",),
    ("lab",),
    ("adapters",),
    ("bench",),
    ("cli", "web"),
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
HOMES = {name: home.partition(".")[0] for name, home in ludwin._HOMES.items()}  # public names, and where they live
EXEMPT = {"__init__", "__main__"}  # the public names point everywhere by design, and are imported when used


def part_of(path):
    """Return the part of the package that a file belongs to: its folder, or its own name."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path):
    """Yield (line, module) for every import of ours, also those inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.startswith("ludwin."))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ludwin":
            yield node.lineno, f"ludwin.{node.attr}"  # `import ludwin` itself imports nothing yet
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are written in full"
            if node.module and node.module.split(".")[0] == "ludwin":
                names = [f"ludwin.{alias.name}" for alias in node.names] if node.module == "ludwin" else [node.module]
                yield from ((node.lineno, name) for name in names)


FILES = sorted(path for path in ROOT.rglob("*.py") if part_of(path) not in EXEMPT)


def test_every_part_of_the_package_has_its_place():
    assert {part_of(path) for path in FILES} <= set(LEVEL), "say in LAYERS where a new part stands"


@pytest.mark.parametrize(
    "path", [path for path in FILES if part_of(path) in LEVEL], ids=lambda path: str(path.relative_to(ROOT))
)
def test_imports_point_downwards(path):
    part = part_of(path)
    for line, module in imports(path):
        target = module.split(".")[1]
        if target == "__version__":
            continue
        place = f"{path}:{line}: {part} imports {module}"
        target = HOMES.get(target, target)
        assert target in LEVEL, f"{place}, which has no place"
        assert target == part or LEVEL[target] < LEVEL[part], f"{place}: a backward arrow"


@pytest.mark.parametrize("path", [path for path in FILES if part_of(path) == "games"], ids=lambda path: path.stem)
def test_a_rule_book_knows_only_the_primitives_and_other_rule_books(path):
    for line, module in imports(path):
        assert module == "ludwin.primitives" or module.startswith("ludwin.games."), f"{path}:{line}: imports {module}"


@pytest.mark.parametrize("module", ["ludwin", "ludwin.cli", "ludwin.library", "ludwin.game"])
def test_importing_imports_neither_numpy_nor_numba(module, python):
    script = f"import sys, {module}\nprint([m for m in ('numba', 'numpy', 'llvmlite', 'scipy') if m in sys.modules])"
    assert python(script) == "[]"


def test_plain_play_imports_neither_numpy_nor_numba(python):
    script = (
        "import sys\nfrom ludwin import load, perft\nprint(perft(load('nim'), 5, mode='plain'), 'numba' in "
        "sys.modules, 'numpy' in sys.modules)"
    )
    assert python(script) == "243 False False"


def test_public_names_are_sorted_and_there():
    assert ludwin.__all__ == sorted(ludwin.__all__)
    for name in ludwin.__all__:
        assert getattr(ludwin, name) is not None and name in dir(ludwin)
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        ludwin.chekc  # noqa: B018
