"""What can go wrong, in words for a person: what was wrong, the value, the way out.

Why it is here.  Every mistake that a caller can make raises one of these, so that the command line
turns any of them into one line and exit code 2, and a program can catch `LudwinError` alone.  Our
own broken promises are `assert`s.
"""

from collections.abc import Iterable
from pathlib import Path


class LudwinError(Exception):
    """A caller's mistake, told in one line."""


class UnknownGame(LudwinError, LookupError):
    """No registered game and no file has this name."""


class UnknownAgent(LudwinError, LookupError):
    """No agent has this name."""


class UnknownExperiment(LudwinError, LookupError):
    """No experiment has this name."""


class UnknownProblem(LudwinError, LookupError):
    """No problem of discovery and no file has this name."""


class UnknownField(LudwinError, KeyError):
    """A state has no field of this name."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class Unchangeable(LudwinError, AttributeError):
    """What never changes was to be set."""


class BadParameter(LudwinError, ValueError):
    """A parameter is unknown, or its value does not fit."""


class BadPosition(LudwinError, ValueError):
    """A text does not describe a position of this game."""


class IllegalMove(LudwinError, ValueError):
    """A move that the rules do not allow here."""


class Unfinished(IllegalMove):
    """A text that begins a move and leaves something open: what was understood, and what may follow.

    A game's `parse` raises it where a move is made of steps; who talks with a person keeps the beginning.
    """

    def __init__(self, reason: str, typed: str, follow: tuple[str, ...]):
        super().__init__(reason)
        self.typed = typed
        self.follow = follow


class GameOver(LudwinError, ValueError):
    """Something needs a move, but the game is over; or an outcome, but it is not."""


class CannotPlay(LudwinError, ValueError):
    """An agent needs something that this game does not offer."""


class Misbehaved(LudwinError):
    """Code that is not ours, playing as an agent, did not do what it should; in an event this is why it forfeits."""


class RuleError(LudwinError):
    """A game file breaks the contract: which file, which line, and why."""

    def __init__(self, reason: str, path: Path | str | None = None, line: int | None = None):
        self.reason = reason
        self.path = None if path is None else str(path)
        self.line = line
        place = "" if path is None else f"{_short(Path(path))}:{line}: " if line else f"{_short(Path(path))}: "
        super().__init__(place + reason)


class CheckFailed(RuleError):
    """The modes of one game disagree: a fault of the rules, or of ours."""


def _short(path: Path) -> str:
    """Return the path as a person would type it: relative if it lies below the current folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` when a known word is near, else an empty text.

    >>> did_you_mean("chmop", ["chomp", "nim"])
    "; did you mean 'chomp'?"
    """
    from difflib import get_close_matches  # only mistakes wait for it

    near = get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def told(error: BaseException) -> str:
    """Return what an exception says, in one line that can be printed; its text may be a stranger's, and fail too.

    >>> told(ValueError("no\\n  such \\x1b[31mthing")), told(KeyError())
    ('no such ?[31mthing', '')
    """
    try:
        text = " ".join(str(error).split())
    except BaseException:
        return ""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def brief(value: object, longest: int = 60) -> str:
    """Return the text of a value in one line, cut where it would be endless: 10**5000 has no text in Python.

    Addresses in memory are left out: the same mistake has the same text in every run.

    >>> brief(7), brief(10**5000), brief("x" * 99)[-4:], brief(object())
    ('7', 'a number of about 5000 digits', 'xxx…', '<object object>')
    """
    if isinstance(value, int) and value.bit_length() > 256:
        return f"a number of about {int(value.bit_length() * 0.30103)} digits"
    try:
        text = " ".join(repr(value).split())
        if " at 0x" in text:
            import re  # only mistakes wait for it

            text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    except (Exception, SystemExit):  # a repr of the author's own, or a huge number inside a tuple
        return f"a {type(value).__name__}"
    return text if len(text) <= longest else text[: longest - 1] + "…"


def clipped(text: str, longest: int = 1000) -> str:
    """Return a text of a message as it is, cut where it would be endless: what was refused may be a whole file.

    >>> clipped("e9"), len(clipped("8/" * 10**6))
    ('e9', 1000)
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"
