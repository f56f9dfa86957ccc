"""Games that other packages bring, through the entry point group `ludwin.games`.

Why it is here.  Whoever has written a game may want others to play it by name.  A package says so in its
`pyproject.toml`, and installing it is all that its users do:

    [project.entry-points."ludwin.games"]
    hex = "mypackage.hex"            a module, or a folder with rules.py

Reading what is installed takes longer than most of our commands, so nobody looks here while a name is one of ours.
Nothing of a package is imported to find its files; its game is read like any other.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ludwin.errors import UnknownGame, brief
from ludwin.rules.folder import is_folder

GROUP = "ludwin.games"


@dataclass(frozen=True)
class Brought:
    """A game as a package announces it."""

    name: str
    value: str  # mypackage.games.hex, or mypackage/games/hex
    package: str

    def place(self) -> Path:
        """Return the file or the folder of the game. Raises UnknownGame, in one line, if there is none."""
        names = self.value.replace("/", ".").removesuffix(".py").strip(". ").split(".")
        if not all(name.isidentifier() for name in names):
            raise self._broken("that is no module, such as mypackage.mygame")
        for root in self._roots(names[0]):
            found = root.joinpath(*names[1:])
            if is_folder(found):
                return found
            if len(names) > 1 and (file := found.with_name(f"{found.name}.py")).is_file():
                return file
            if root.suffix == ".py" and len(names) == 1:
                return root
        raise self._broken("there is neither such a file nor such a folder with rules.py")

    def _roots(self, name: str) -> list[Path]:
        """Return where a top-level module lies, without importing it."""
        from importlib.util import find_spec

        try:
            spec = find_spec(name)
        except (ImportError, ValueError, AttributeError) as error:
            raise self._broken(f"{type(error).__name__}: {brief(str(error))}") from None
        if spec is None:
            raise self._broken(f"there is no module {name!r}")
        if spec.submodule_search_locations is not None:
            return [Path(place) for place in spec.submodule_search_locations]
        return [Path(spec.origin)] if spec.origin else []

    def _broken(self, reason: str) -> UnknownGame:
        return UnknownGame(
            f"the package {self.package} brings a game {self.name!r} as {brief(self.value)}, but {reason}"
        )


@lru_cache(maxsize=None)
def brought() -> dict[str, Brought]:
    """Return the games of other packages by name; of two with one name the first package's, in alphabetical order."""
    from importlib.metadata import entry_points

    try:
        found = [(entry, entry.dist.name if entry.dist else "?") for entry in entry_points(group=GROUP)]
    except Exception:  # what is installed cannot be read: somebody else's trouble, and no game is missed but theirs
        return {}
    known: dict[str, Brought] = {}
    for entry, package in sorted(found, key=lambda pair: (str(pair[1]), pair[0].name)):
        name = entry.name.lower().replace("_", "-")
        known.setdefault(name, Brought(name, entry.value, str(package)))
    return known
