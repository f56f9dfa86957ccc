"""Registers: what a name means, imported when it is asked for.

Why it is here.  Whoever names one agent, table or problem should not wait for all the others, so a register is a table
of words, `"uct": "ludwin.search.uct:UCT"`, and a line in it is all that a new entry needs.  It understands what is
typed: underscores, capitals, and the beginning of a name where only one name begins so.  Another package brings entries
of its own through an entry point group, which is read only if a name is none of ours, or if all are listed: looking
through all installed packages takes longer than most commands.  A name of ours cannot be taken by another package.

>>> known = Register("number", {"pi": "math:pi", "tau": "math:tau", "e": "math:e"}, way_out="; there are {}")
>>> known.find("TA") == known["tau"]
True
>>> known.find("pie")
Traceback (most recent call last):
ludwin.errors.UnknownExperiment: no number called 'pie'; did you mean 'pi'? there are 3
"""

from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

from ludwin.errors import LudwinError, UnknownExperiment, brief, did_you_mean

Entry = TypeVar("Entry")


def pick(text: str, names: Collection[str], what: str, unknown: type[LudwinError], way_out: str = "") -> str:
    """Return the one of these names that a text means: in any case, with underscores, or its unique beginning.

    Raises `unknown` in one line: what was perhaps meant, and the way out, in which {} is how many there are.
    """
    wanted = text.strip().lower().replace("_", "-")
    if wanted in names:
        return wanted
    found = [name for name in names if wanted and name.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise unknown(f"{brief(text)} may mean {' or '.join(found)}")
    near, way_out = did_you_mean(wanted, names), way_out.replace("{}", str(len(names)))
    raise unknown(f"no {what} called {brief(text)}{near}{way_out.removeprefix(';') if near else way_out}")


class Register(Mapping[str, Entry], Generic[Entry]):
    """Names and what they stand for; nothing is imported before it is looked up.

    A home is an attribute of a module, or a mapping there that has the name as a key.
    """

    def __init__(
        self,
        what: str,
        homes: Mapping[str, str],
        *,
        unknown: type[LudwinError] = UnknownExperiment,
        way_out: str = "",
        group: str = "",
    ):
        self.what = what  # is called so: agent, problem
        self.homes = dict(homes)  # ours: name -> "module:attribute"
        self.unknown = unknown  # raised, with the way out, for a name that nobody has
        self.way_out = way_out  # {} in it is how many there are
        self.group = group  # of entry points, if other packages may bring some
        self._others: dict[str, Any] | None = None

    @property
    def others(self) -> Mapping[str, Any]:
        """Entry points of other packages by name, as far as the name is none of ours."""
        if not self.group:
            return {}
        if self._others is None:
            from importlib.metadata import entry_points

            found = sorted(entry_points(group=self.group), key=lambda point: (point.name, point.value))
            self._others = {point.name: point for point in reversed(found) if point.name not in self.homes}
        return self._others

    def __getitem__(self, name: str) -> Entry:
        if name in self.homes:
            module, _, attribute = self.homes[name].partition(":")
            found = getattr(import_module(module), attribute)
            entry: Entry = found[name] if isinstance(found, Mapping) else found
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

    def name_of(self, text: str) -> str:
        """Return the name that a text means; raises the register's error."""
        wanted = text.strip().lower().replace("_", "-")
        if wanted in self.homes:  # the others need not be looked for
            return wanted
        return pick(text, self, self.what, self.unknown, self.way_out)

    def find(self, text: str) -> Entry:
        """Return what a text names. Raises the register's error in one line."""
        return self[self.name_of(text)]
