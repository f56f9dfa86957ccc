"""Arrows point one way: what a module may import is settled by where it lies."""

import ast
from pathlib import Path

import pytest

import ludwin
from ludwin.rules.folder import PARTS

ROOT = Path(ludwin.__file__).parent

# Each line may import itself and the lines above it; parts that stand on one line do not know each other.
LAYERS = (
    ("elementary",),
    ("errors", "primitives", "files", "paths", "progress", "svg", "words"),
    ("formats", "settings", "stats", "registers", "workers"),
    ("measure", "parts", "spread"),
    ("rules",),
    ("game",),
    ("kernel",),
    ("program",),
    ("search", "games"),
    ("library",),
    ("trust",),
    ("shipping",),
    ("play",),
    ("arena",),
    ("evolve",),
    ("discover",),
    ("laws",),
    ("lab",),
    ("adapters",),
    ("cluster",),
    ("bench",),
    ("web",),
    ("cli",),
)
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
HOMES = {name: home.partition(".")[0] for name, home in ludwin._HOMES.items()}  # public names, and where they live
EXEMPT = {"__init__", "__main__"}  # the public names point everywhere by design, and are imported when used


# A file in a game's folder may import what its role may: rooms up to a layer, or the rooms that are named, and files of
# these roles in its own and in other folders. Other files that lie there help the rules. See ludwin.rules.folder.
ROLES = {
    "rules": ({"primitives", "svg"}, {"rules"}),
    "drawing": ({"primitives", "svg"}, {"rules", "drawing"}),
    "notation": ({"primitives", "errors", "rules"}, {"rules", "notation"}),
    "language": ("program", {"rules", "language"}),
    "opponents": ("library", {"rules", "notation", "language", "opponents"}),
    "evolve": ("evolve", {"rules", "language", "opponents", "evolve"}),
    "tables": ("lab", {"rules", "notation", "language", "opponents", "evolve", "tables"}),
    "commands": ("cli", set(PARTS) | {"rules"}),
}
OUTSIDE = {"opponents": {"adapters"}}  # engines of other people
# Rooms inside rooms that stand alone: what they import beside their own files.
SUB_ROOMS = {
    "discover/checker": {"errors"},  # whoever trusts a proof trusts these files, and no other of ours
    "kernel/compiler": {"elementary", "errors", "primitives", "rules", "kernel.text"},
    "kernel/by_numba": {"elementary", "errors", "primitives", "rules", "game"}
    | {f"kernel.{name}" for name in ("bundle", "specialise", "text")},
}
KNOW_GAMES = {"games", "bench", "cli", "web"}  # all other rooms know the listing of games, and none of them by name


def part_of(path):
    """Return the part of the package that a file belongs to: its folder, or its own name."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def role_of(path):
    """Return the role that a file plays in games/: that of its name, or of the folder inside the game's folder."""
    inside = path.relative_to(ROOT / "games").parts
    name = inside[1].removesuffix(".py") if len(inside) > 1 else "rules"
    return name if name in ROLES else "rules"


def is_front(path):
    """Tell whether a file is the listing of games, or the front of a game's folder, which holds no code."""
    return path.name == "__init__.py" and len(path.relative_to(ROOT / "games").parts) < 3


def role_of_module(module):
    """Return the role of `ludwin.games.draughts.notation`; a game that is one file is its rules."""
    names = module.split(".")[3:]
    return names[0] if names and names[0] in ROLES else "rules"


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


IN_GAMES = [path for path in FILES if part_of(path) == "games" and not is_front(path)]


def ident(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [path for path in FILES if part_of(path) in LEVEL and path not in IN_GAMES], ids=ident)
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


@pytest.mark.parametrize("path", IN_GAMES, ids=ident)
def test_a_file_of_a_game_imports_what_its_role_may(path):
    role = role_of(path)
    rooms, roles = ROLES[role]
    for line, module in imports(path):
        place = f"{path}:{line}: {role} imports {module}"
        if module.startswith("ludwin.games."):
            assert role_of_module(module) in roles, f"{place}, which plays another part"
            continue
        target = module.split(".")[1]
        target = HOMES.get(target, target)
        allowed = target in rooms if isinstance(rooms, set) else LEVEL[target] <= LEVEL[rooms]
        assert allowed or target in OUTSIDE.get(role, ()), f"{place}: a backward arrow"


@pytest.mark.parametrize("path", [path for path in FILES if part_of(path) not in KNOW_GAMES], ids=ident)
def test_rooms_know_no_game_by_name(path):
    for line, module in imports(path):
        assert not module.startswith("ludwin.games."), f"{path}:{line}: imports {module}; look it up in its folder"


@pytest.mark.parametrize("room", SUB_ROOMS)
def test_a_room_inside_a_room_stands_alone(room):
    own = f"ludwin.{room.replace('/', '.')}"
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    for path in files:
        for line, module in imports(path):
            beside = any(f"{module}.".startswith(f"ludwin.{name}.") for name in SUB_ROOMS[room])
            assert beside or f"{module}.".startswith(f"{own}."), f"{path}:{line}: {room} imports {module}"


def test_the_proof_checker_needs_nothing_else_of_ours(python):
    script = (
        "import sys, ludwin.discover.checker.verify\n"
        "print(sorted(m for m in sys.modules if m.startswith('ludwin.') and not m.startswith('ludwin.discover')))"
    )
    assert python(script) == "['ludwin.errors']"


def test_the_roles_of_the_test_are_those_of_the_loader():
    assert set(ROLES) == {"rules", *PARTS}


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
