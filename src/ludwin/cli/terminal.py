"""Progress as the command line shows it: a live line in a terminal, lines of news elsewhere; always on stderr.

Why it is here.  A person at a terminal wants one line that changes, a log wants a line now and then, and results alone
belong to stdout.  All long commands tell their progress here, so they look alike.  A line of news that comes meanwhile
(`say`) takes the live line away first, so that the two do not run into each other.
"""

import shutil
import sys
import time
from _thread import RLock  # `threading` takes milliseconds to import
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from ludwin.progress import duration

NEWS_SECONDS = 10.0  # between lines where there is no terminal
LIVE_SECONDS = 0.1  # between two pictures of a live line
PACE_SECONDS, PACE_STEPS = 60.0, 10  # what foretells the time left: the last minute, but at least so many messages
BAR = 20  # characters
ABOUT = 12  # of them what is told about the work should keep, if that costs no more than a part of the bar
SPARE = 4  # columns that a live line leaves free, so that the ^C of a person stays on it and goes with it

_shown: list["Terminal"] = []  # whose line stands on the screen
_beside: list[Callable[[], str]] = []  # what else a line should tell: how a cluster does


@contextmanager
def telling(words: Callable[[], str]) -> Iterator[None]:
    """Let every line of progress tell something else, too, which does not depend on the work."""
    _beside.append(words)
    try:
        yield
    finally:
        _beside.remove(words)


def plain(line: str) -> str:
    """Return a message without control characters: what strangers' files hold must not steer a terminal.

    >>> plain("a\\x1b[31mb\\u202ec")
    'a?[31mb?c'
    """
    if line.isprintable():
        return line
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "?" for letter in line)


def tell(line: str) -> None:
    """Print a line of news on stderr, where it does not run into a live line."""
    if _shown:
        _shown[-1].note(line)
    else:
        print(f"ludwin: {plain(line)}", file=sys.stderr, flush=True)


def clear() -> None:
    """Take a live line away, because something else is about to be printed; the next message draws it again."""
    for one in _shown:
        one.erase()


class Terminal:
    """Tells a person how work goes on (see `ludwin.progress`). Use it as a context: the live line goes at the end."""

    def __init__(self, stream: TextIO | None = None, now: Callable[[], float] = time.monotonic):
        self.stream, self.now = stream or sys.stderr, now
        self.live = self.stream.isatty()
        self.what = self.unit = self.about = self.step = ""
        self.whole: int | None = None  # steps of the piece of work in hand
        self.count = 0  # of them done
        self.marks: list[tuple[float, int]] = []
        self.last = now()
        self.is_drawn = self.is_finished = False
        self.drawn = 0  # characters of the line on the screen
        self.lock = RLock()  # evolution tells from a thread of its own

    def __enter__(self) -> "Terminal":
        _shown.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def total(self, number: int | None, what: str = "", *, unit: str = "", done: int = 0) -> None:
        """Begin a piece of work."""
        with self.lock:
            self.whole, self.what, self.unit, self.count = number, what, unit, done
            self.about = self.step = ""
            self.marks = [(self.now(), done)]
            if self.live:
                self._draw()
            elif what and not number:
                self._news(what)

    def done(self, number: int, about: str = "", *, step: str = "") -> None:
        """Tell how far it is: at once in a terminal, else every few seconds, and at the end of work that has a name."""
        with self.lock:
            now = self.now()
            self.count, self.about, self.step = number, _join(about, *(words() for words in _beside)), step
            self.marks.append((now, number))
            while len(self.marks) > PACE_STEPS and self.marks[0][0] < now - PACE_SECONDS:
                del self.marks[0]
            is_last = self.whole is not None and number >= self.whole
            if not self.live:
                self._news(self.line(), at_once=bool(self.what) and is_last)
            elif is_last or now - self.last >= LIVE_SECONDS:
                self._draw()

    def note(self, words: str) -> None:
        """Print a line of news, above the live line."""
        with self.lock:
            was_drawn = self.is_drawn
            self.erase()
            print(f"ludwin: {plain(words)}", file=self.stream, flush=True)
            if was_drawn:
                self._draw()

    def finish(self) -> None:
        """Remove the live line for good; what a thread tells later is not heard."""
        with self.lock:
            self.erase()
            self.is_finished = True
            if self in _shown:
                _shown.remove(self)

    def erase(self) -> None:
        """Remove the live line."""
        with self.lock:
            if self.is_drawn:
                print("\r" + " " * (_width() - 1) + "\r", end="", file=self.stream, flush=True)
                self.is_drawn, self.drawn = False, 0

    @property
    def left(self) -> str:
        """How long it will take still, in words; nothing if nobody knows."""
        (began, first), (ended, last) = self.marks[0], self.marks[-1]
        if self.whole is None or last <= first or last >= self.whole:
            return ""
        return f"{duration((ended - began) / (last - first) * (self.whole - last))} left"

    def line(self, width: int = 0) -> str:
        """Return all that is known in one line; if it is too wide, what is told about the work is cut first, then
        the bar becomes shorter, then the name.
        """
        counted = str(self.count) if self.whole is None else f"{self.count}/{self.whole}"
        counted += f" {self.unit}" if self.unit else ""
        if not width:
            head = f"{self.step}: {self.about}" if self.step else _join(counted, self.about)
            return _join(f"{self.what}: {head}" if self.what else head, self.left)
        if not self.whole:
            return _cut(_join(self.what, counted if self.count else "", self.about), width)
        for bar in (BAR, BAR // 2, BAR // 4):
            filled = bar * min(self.count, self.whole) // self.whole
            drawn = "#" * filled + "." * (bar - filled)
            room = width - len(_join(self.what, drawn, counted, self.left)) - 2
            if room >= min(len(self.about), ABOUT) - 2 * (not self.about):
                return _join(self.what, drawn, counted, _cut(self.about, room), self.left)
        room = width - len(_join(drawn, counted, self.left)) - 2  # narrower still: the name gives way, not the time
        if room > 0:
            return _join(_cut(self.what, room), drawn, counted, self.left)
        return _cut(_join(counted, self.left), width)

    def _draw(self) -> None:
        if not self.is_finished:
            line = plain(self.line(_width() - SPARE))
            print(f"\r{line:<{self.drawn}}", end="", file=self.stream, flush=True)
            self.drawn, self.is_drawn, self.last = len(line), True, self.now()

    def _news(self, words: str, at_once: bool = False) -> None:
        if not self.is_finished and (at_once or self.now() - self.last >= NEWS_SECONDS):
            self.last = self.now()
            print(f"ludwin: {plain(words)}", file=self.stream, flush=True)


def _width() -> int:
    return max(shutil.get_terminal_size().columns, 20)


def _join(*parts: str) -> str:
    return "  ".join(part for part in parts if part)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…" if width > 1 else ""
