"""One way to declare a setting, to read it, and to say what is wrong with it.

Why it is here.  Agents, plans of breeding, experiments, tables of the lab and problems of discovery all have keys with
a default, a meaning and a range.  Whoever mistypes one should get the same sentence everywhere: what it must be,
what was given, and what was perhaps meant.  So a setting is a value, and everybody who takes settings reads them here.

>>> depth = Setting("depth", 3, "plies to look ahead", least=1)
>>> depth.read("5"), depth.kind
(5, 'a whole number from 1')
>>> depth.read("0", "alphabeta")
Traceback (most recent call last):
ludwin.errors.BadParameter: alphabeta: depth must be at least 1, got 0
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from ludwin.errors import BadParameter, brief, did_you_mean

WORDS: Mapping[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
SWITCH = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}
MOST = 2**40  # budgets above this are typing mistakes

Value = bool | int | float | str


@dataclass(frozen=True)
class Setting:
    """A key: its default, what it means, and what it may be. The default's type is the value's, unless `of` says so.

    A number is finite, or its default; `endless` ones may also be infinite.
    """

    key: str
    default: Any
    help: str
    least: float | None = None
    most: float | None = None
    choices: Collection[Any] = ()
    is_agent: bool = False  # whether the value is the text of an agent
    between: str = ""  # what stands between several agents, if there may be several
    of: type | None = None
    endless: bool = False
    once: Any = None  # what was done before there was this setting, where its default is something else

    @property
    def wanted(self) -> Any:
        """The type of the values."""
        return self.of or type(self.default)

    @property
    def kind(self) -> str:
        """What the value is, in words."""
        if self.choices:
            return " | ".join(map(str, self.choices))
        low = "" if self.least is None else f" from {self.least:g}"
        high = "" if self.most in (None, MOST) else f" to {_short(self.most)}"
        return WORDS[self.wanted] + low + high

    def of_old(self, stored: Mapping[str, Any]) -> Any:
        """Return the value in stored settings; where these are older than the setting, what was done then.

        >>> Setting("patience", 20_000, "nodes", once=0).of_old({"depth": 2})
        0
        """
        return stored.get(self.key, self.default if self.once is None else self.once)

    def agents(self, value: Any) -> list[str]:
        """Return the texts of the agents that a value names.

        >>> Setting("against", "a; b", "whom", is_agent=True, between=";").agents("./x.py;y")
        ['./x.py', 'y']
        """
        if not self.is_agent:
            return []
        words = str(value).split(self.between) if self.between else [str(value)]
        return [word.strip() for word in words if word.strip()]

    def read(self, given: Any, owner: str = "") -> Any:
        """Return the value that a text or a JSON value means. Raises BadParameter; `owner` says whose setting it is."""
        wanted = self.wanted
        try:
            if wanted is bool:
                return given if isinstance(given, bool) else SWITCH[str(given).strip().lower()]
            if isinstance(given, bool) or not isinstance(given, int | float | str):
                raise ValueError
            if wanted is int and isinstance(given, float) and given != int(given):
                raise ValueError
            value = wanted(given)
        except (KeyError, ValueError, OverflowError):
            raise BadParameter(f"{self._called(owner)} must be {WORDS[wanted]}, got {brief(given)}") from None
        return self.examine(value, owner)

    def examine(self, value: Any, owner: str = "") -> Any:
        """Return a value of Python if it may stand here. Raises BadParameter."""
        what, wanted = self._called(owner), self.wanted
        if wanted is not bool and isinstance(value, bool):
            raise BadParameter(f"{what} must be {WORDS[wanted]}, got {brief(value)}")
        if not isinstance(value, int | float if wanted is float else wanted):
            raise BadParameter(f"{what} must be {WORDS[wanted]}, got {brief(value)}")
        if self.choices:
            one_of(what, value, self.choices)
        if isinstance(value, float) and math.isnan(value):
            raise BadParameter(f"{what} must be a {'' if self.endless else 'finite '}number, got nan")
        if isinstance(value, float) and math.isinf(value) and not self.endless and value != self.default:
            raise BadParameter(f"{what} must be a finite number, got {value}")
        if not isinstance(value, str):
            within(what, value, self.least, self.most)
        return value

    def _called(self, owner: str) -> str:
        return f"{owner}: {self.key}" if owner else self.key


def within(what: str, value: float, least: float | None = None, most: float | None = None) -> None:
    """Raise BadParameter unless a number lies in its range.

    >>> within("workers", 0, least=1)
    Traceback (most recent call last):
    ludwin.errors.BadParameter: workers must be at least 1, got 0
    """
    if least is not None and not value >= least:
        raise BadParameter(f"{what} must be at least {_short(least)}, got {brief(value)}")
    if most is not None and not value <= most:
        raise BadParameter(f"{what} must be at most {_short(most)}, got {brief(value)}")


def one_of(what: str, value: Any, choices: Collection[Any]) -> None:
    """Raise BadParameter unless a value is one of several.

    >>> one_of("preset", "quik", ("quick", "standard", "paper"))
    Traceback (most recent call last):
    ludwin.errors.BadParameter: preset must be one of quick, standard, paper, got 'quik'; did you mean 'quick'?
    """
    if value not in choices:
        words = [str(choice) for choice in choices]
        raise BadParameter(
            f"{what} must be one of {', '.join(words)}, got {brief(value)}{did_you_mean(str(value), words)}"
        )


def known_only(given: Iterable[str], known: Collection[str], what: str, way_out: str) -> None:
    """Raise BadParameter for the first key that nobody declared.

    >>> known_only(["deptj"], ["depth"], "uct has no parameter", " (it has depth)")
    Traceback (most recent call last):
    ludwin.errors.BadParameter: uct has no parameter 'deptj'; did you mean 'depth'? (it has depth)
    """
    for key in given:
        if key not in known:
            raise BadParameter(f"{what} {brief(key)}{did_you_mean(key, known)}{way_out}")


# ---- Settings as the fields of a dataclass ------------------------------------------------------------------


def setting(
    default: Any,
    help: str | Callable[[], str],
    least: float | None = None,
    choices: Collection[Any] = (),
    most: float = MOST,
    kind: type | None = None,
) -> Any:
    """Declare a field of a dataclass: its default, what it means, its least and greatest value or its choices.

    Help may be a function, and the choices a table that grows: they are asked when somebody wants to know.
    A default of None stands for one that depends on other settings: the agent puts it in before anything is checked
    and says in `usual` what it is; `kind` is then the type of its values.
    """
    told = {"help": help, "least": least, "most": most, "choices": choices, "kind": kind or type(default)}
    return field(default=default, metadata=told)


def declared(of: Any, *, endless: bool = False, plain: bool = False) -> dict[str, Setting]:
    """Return the settings that a dataclass declares with `setting`, by name.

    A greatest value is meant where there is a least one: numbers without either are free.  `plain` fields, which
    a user's own class may have, are settings by their default alone.
    """
    found = {}
    for item in fields(of):
        told = item.metadata
        if "help" not in told and not plain:
            continue
        least = told.get("least")
        most = None if least is None else told.get("most")
        default = "" if item.default is MISSING else item.default
        if "kind" not in told and type(default) not in WORDS:
            default = ""  # it is read as a text
        found[item.name] = Setting(
            item.name,
            default,
            _told(told.get("help", "")),
            least,
            most,
            told.get("choices") or (),
            of=told.get("kind"),
            endless=endless,
        )
    return found


def _told(help: Any) -> str:
    """Return a help that may be a function."""
    return str(help() if callable(help) else help)


def _short(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:g}"
