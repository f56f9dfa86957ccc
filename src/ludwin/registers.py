"""Registers: what a name means, imported when it is asked for.

Why it is here.  Whoever names one agent should not wait for all the others, so a register is a table of words,
`"uct": "ludwin.search.uct:UCT"`, and a line in it is all that a new entry needs.  Another package brings entries of its
own through an entry point group, which is read only if a name is none of ours, or if all are listed: looking through
all installed packages takes longer than most commands.  A name of ours cannot be taken by another package.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

from ludwin.errors import LudwinError, did_you_mean

Entry = TypeVar("Entry")


class Register(Mapping[str, Entry], Generic[Entry]):
    """Names and what they stand for; nothing is imported before it is looked up."""

    def __init__(self, homes: Mapping[str, str], group: str, unknown: type[LudwinError], listing: str):
        self.homes = dict(homes)  # ours: name -> "module:attribute"
        self.group = group  # of entry points
        self.unknown = unknown  # raised, with `listing`, for a name that nobody has
        self.listing = listing
        self._others: dict[str, Any] | None = None

    @property
    def others(self) -> Mapping[str, Any]:
        """Entry points of other packages by name, as far as the name is none of ours."""
        if self._others is None:
            from importlib.metadata import entry_points

            found = sorted(entry_points(group=self.group), key=lambda point: (point.name, point.value))
            self._others = {point.name: point for point in reversed(found) if point.name not in self.homes}
        return self._others

    def __getitem__(self, name: str) -> Entry:
        if name in self.homes:
            module, _, attribute = self.homes[name].partition(":")
            entry: Entry = getattr(import_module(module), attribute)
            return entry
        point = self.others[name]
        try:
            brought: Entry = point.load()
        except (Exception, SystemExit) as error:
            package = point.dist.name if point.dist else "another package"
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise self.unknown(f"{name} comes from {package}, which cannot be loaded: {reason}") from None
        return brought

    def __contains__(self, name: object) -> bool:  # without this, asking would import
        return isinstance(name, str) and (name in self.homes or name in self.others)

    def __iter__(self) -> Iterator[str]:
        yield from self.homes
        yield from sorted(self.others)

    def __len__(self) -> int:
        return len(self.homes) + len(self.others)

    def is_ours(self, name: str, kind: type) -> bool:
        """Tell whether this class, and no other of the same name, is our entry; nothing is imported."""
        return self.homes.get(name) == f"{kind.__module__}:{kind.__qualname__}"

    def find(self, name: str, what: str) -> str:
        """Return the entry that a typed name means: in any case, with underscores, or its unique beginning."""
        wanted = name.strip().lower().replace("_", "-")
        if wanted in self.homes:
            return wanted
        if wanted in self.others:  # a whole name of another package before a beginning of ours
            return wanted
        found = [entry for entry in self if wanted and entry.startswith(wanted)]
        if len(found) == 1:
            return found[0]
        raise self.unknown(
            f"no {what} called {name!r}{did_you_mean(wanted, self) or ';'} `{self.listing}` lists all {len(self)}"
        )
