"""How long work tells that it goes on: one small protocol for matches, evolution, discovery and the laboratory.

Why it is here.  Whoever waits for hours wants to see that something happens, how far it is, and when it will end.  The
library knows the first two and says so to whoever listens; it never prints.  The command line listens with a line on
stderr (`ludwin.cli.terminal`), a page or a notebook may do otherwise, and a test with a list.
"""

from typing import Protocol


class Progress(Protocol):
    """Who is told how a long piece of work goes on."""

    def total(self, number: int | None, what: str = "", *, unit: str = "", done: int = 0) -> None:
        """A piece of work called `what` begins: so many steps (None: nobody knows), of which some are done already."""

    def done(self, number: int, about: str = "", *, step: str = "") -> None:
        """So many steps are done in all; `about` tells how it stands, `step` names the last one where a count of steps
        would not.
        """

    def note(self, words: str) -> None:
        """Something that a person should read, whatever else is shown."""

    def finish(self) -> None:
        """Nothing more will be told."""


class Silent:
    """Nobody listens."""

    def total(self, number: int | None, what: str = "", *, unit: str = "", done: int = 0) -> None:
        """Look away."""

    def done(self, number: int, about: str = "", *, step: str = "") -> None:
        """Look away."""

    def note(self, words: str) -> None:
        """Look away."""

    def finish(self) -> None:
        """Look away."""


SILENT = Silent()


def duration(seconds: float) -> str:
    """Return hours, minutes and seconds as a person writes them.

    >>> duration(3725), duration(65)
    ('1:02:05', '1:05')
    """
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
