"""The games: one file, one rule book; a game that has grown is a folder (`ludwin.rules.folder`).

The listing is the register: a file or a folder that lies here is a game, called like it with hyphens.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ludwin.rules.folder import OURS, PEOPLE_LIVE_IN, listing, part_file


@lru_cache(maxsize=None)
def homes() -> dict[str, Path]:
    """Return the file or the folder of every game that comes with the package, by name."""
    return listing(OURS)


@lru_cache(maxsize=None)
def domains(role: str) -> tuple[str, ...]:
    """Return the names of our folders in which a part is played: `domains("evolve")`. Nothing is imported."""
    return tuple(name for name, home in homes().items() if part_file(home, role))


def open_part(name: str, role: str, mentions: str = "") -> ModuleType | None:
    """Import a part of one of our folders, by the game's name; None if there is none.

    Whoever looks for something in all folders says what it `mentions`: a file without that text is not imported.
    """
    file = part_file(homes()[name], role)
    if file is None or (mentions and mentions not in file.read_text(encoding="utf8")):
        return None
    return import_module(f"ludwin.games.{name.replace('-', '_')}.{role}")


@lru_cache(maxsize=None)
def commands() -> dict[str, tuple[str, str]]:
    """Return the commands that our folders bring: name, then the game and what the command is for.

    `commands.py` says so in a table, COMMANDS = {"endgame": "look up an endgame"}, which is read without running
    anything, and defines `add_endgame(parser)` and `run_endgame(options)`.
    """
    import ast

    found: dict[str, tuple[str, str]] = {}
    for game in domains("commands"):
        file = part_file(homes()[game], "commands")
        for node in ast.parse(file.read_text(encoding="utf8")).body if file else ():
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COMMANDS":
                found.update({name: (game, line) for name, line in ast.literal_eval(node.value).items()})
    return found


def look_in(package: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a game's folder: a name of its rules, or of its functions for people.

    So `from ludwin.games.draughts import moves, name` means what it meant when draughts was a file.
    """

    def find(name: str) -> Any:
        if not name.startswith("_"):
            for role in dict.fromkeys(("rules", PEOPLE_LIVE_IN.get(name, "rules"))):
                try:
                    return getattr(import_module(f"{package}.{role}"), name)
                except (AttributeError, ModuleNotFoundError):
                    continue
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find


def __getattr__(name: str) -> Any:
    if name == "GAMES":
        return tuple(homes())
    raise AttributeError(f"module 'ludwin.games' has no attribute {name!r}")
