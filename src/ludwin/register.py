"""A register: names that a user can type, and where each of them lives.

Why it is here.  Experiments, tables, studies and problems are many, each of them imports half of the house, and a
command needs one.  A register holds texts, `name -> "module:ATTRIBUTE"`, imports what is asked for, and understands
what is typed: underscores, capitals, and the beginning of a name where only one name begins so.

>>> known = Register("number", {"pi": "math:pi", "tau": "math:tau", "e": "math:e"}, way_out="; there are 3")
>>> known.find("TA") == known["tau"]
True
>>> known.find("pie")
Traceback (most recent call last):
ludwin.errors.UnknownExperiment: no number called 'pie'; did you mean 'pi'? there are 3
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from ludwin.errors import LudwinError, UnknownExperiment, brief, did_you_mean


class Register(Mapping[str, Any]):
    """Names and their homes; a home is an attribute of a module, or a mapping there that has the name as a key."""

    def __init__(
        self,
        what: str,
        homes: Mapping[str, str],
        *,
        way_out: str = "",
        refusal: type[LudwinError] = UnknownExperiment,
    ):
        self.what, self.homes, self.way_out, self.refusal = what, dict(homes), way_out, refusal

    def __getitem__(self, name: str) -> Any:
        """Import and return what is registered under exactly this name."""
        module, _, attribute = self.homes[name].partition(":")
        found = getattr(import_module(module), attribute)
        return found[name] if isinstance(found, Mapping) else found

    def __iter__(self) -> Iterator[str]:
        return iter(self.homes)

    def __len__(self) -> int:
        return len(self.homes)

    def __contains__(self, name: object) -> bool:
        return name in self.homes  # without importing anything

    def __or__(self, other: "Register") -> "Register":
        """Return both registers as one, with the errors of the first."""
        return Register(self.what, {**self.homes, **other.homes}, way_out=self.way_out, refusal=self.refusal)

    def meant(self, text: str) -> list[str]:
        """Return the names that a text may mean: that one, or those that begin with it."""
        wanted = text.strip().lower().replace("_", "-")
        if wanted in self.homes:
            return [wanted]
        return [name for name in self.homes if wanted and name.startswith(wanted)]

    def name_of(self, text: str, also: Iterable[str] = ()) -> str:
        """Return the one name that a text means; raises the register's error. `also` are names known elsewhere."""
        found = self.meant(text)
        if len(found) == 1:
            return found[0]
        if found:
            raise self.refusal(f"{brief(text)} may mean {' or '.join(found)}")
        near = did_you_mean(text.lower(), (*self.homes, *also))
        raise self.refusal(
            f"no {self.what} called {brief(text)}{near}{self.way_out.removeprefix(';') if near else self.way_out}"
        )

    def find(self, text: str) -> Any:
        """Return what a text names. Raises the register's error in one line."""
        return self[self.name_of(text)]
