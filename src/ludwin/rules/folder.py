"""A game as a folder: which file plays which part, and where its files lie.

Why it is here.  A game is a file; when it grows it becomes a folder, as a Python module becomes a package.  The names
of the files in it are fixed, so that a question about a game (how is a move written? who plays it well? which
published table is it in?) has one place, and so that nothing has to be registered: what lies there is there.
`rules.py` is the game; every other part is optional, and is read and run when it is needed and not before.
"""

from pathlib import Path

from ludwin.paths import is_file

RULES = "rules.py"  # the contract: compiled, and all that most programs ever read

# The parts beside the rules: what each is for, in the order in which a stranger would open them.
PARTS = {
    "notation": "name, parse, write and read: moves and positions as texts; files of games",
    "drawing": "show, show_colours, picture, squares and places: positions as people see them",
    "language": "terminals and functions of evolved programs",
    "opponents": "reference players: AGENTS, by name",
    "evolve": "experiments: EXPERIMENTS, a tuple of them",
    "tables": "published tables and studies: TABLES and STUDIES, tuples of them",
    "commands": "commands of its own",
}

# The functions for people, and the part in which they are looked for when the rules do not define them.
PEOPLE_LIVE_IN = {
    "name": "notation",
    "parse": "notation",
    "write": "notation",
    "read": "notation",
    "show": "drawing",
    "show_colours": "drawing",
    "picture": "drawing",
    "squares": "drawing",
    "places": "drawing",
}

OURS = Path(__file__).parents[1] / "games"  # what comes with the package


def is_folder(path: Path) -> bool:
    """Tell whether a path is a game as a folder."""
    return is_file(path / RULES)


def part_file(home: Path, role: str) -> Path | None:
    """Return the file that plays a part in a folder, if it is there; a part that grows becomes a folder in its turn."""
    for found in (home / f"{role}.py", home / role / "__init__.py"):
        if is_file(found):
            return found
    return None


def listing(folder: Path) -> dict[str, Path]:
    """Return the games that lie in a folder, by name: files, and folders with rules in them.

    >>> "nim" in listing(OURS), "draughts" in listing(OURS), "__init__" in listing(OURS)
    (True, True, False)
    """
    found = {}
    for path in sorted(folder.iterdir()):
        stem = path.name.removesuffix(".py")
        if stem.isidentifier() and not stem.startswith("_") and (path.suffix == ".py" or is_folder(path)):
            found[stem.replace("_", "-")] = path
    return found
