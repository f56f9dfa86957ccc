"""How a search that runs in a thread is seen and stopped from another one.

Why it is here.  Compiled code runs without Python's lock, so a second thread may read the cells in which a search
counts, and set the cell that ends it.  Every search that has such a cell says so in one place, where it sets its clock
(`ludwin.search.seat.alarm`); whoever wants to watch has put a `SearchWatch` there before (`ludwin.search.thinking`).
Nobody else notices.
"""

from _thread import allocate_lock  # `threading` takes milliseconds to import
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from ludwin.search.choice import Choice

Look = Callable[[], Choice | None]


class SearchWatch:
    """What a thread that searches has put in sight: the cell that ends it, and how to read what it has found so far."""

    def __init__(self) -> None:
        self.lock = allocate_lock()
        self.stopped = False
        self.began = False  # whether a search has begun, so that nothing is read or compiled any more
        self._cell: tuple[Any, str] | None = None
        self._look: Look | None = None

    def hold(self, record: Any, flag: str, look: Look | None) -> None:
        """Begin to watch a search; one that is not wanted any more is stopped before it begins."""
        with self.lock:
            self._cell, self._look, self.began = (record, flag), look, True
            if self.stopped:
                setattr(record, flag, 1)

    def release(self) -> None:
        """The search is over: its cells may serve another one."""
        with self.lock:
            if self._cell is not None:
                setattr(*self._cell, 0)
            self._cell = self._look = None

    def stop(self) -> None:
        """End the search, and all that would follow it."""
        with self.lock:
            self.stopped = True
            if self._cell is not None:
                setattr(*self._cell, 1)

    def look(self) -> Choice | None:
        """Return what the search has found so far; numbers may be torn."""
        with self.lock:
            if self._look is None:
                return None
            try:
                return self._look()
            except (KeyError, IndexError, ValueError, ZeroDivisionError, OverflowError):
                return None  # a row was half written; next time


watch: ContextVar[SearchWatch | None] = ContextVar("watch", default=None)  # of this thread


def begin_watch() -> SearchWatch:
    """Return a watch of all searches that this thread will make."""
    seen = SearchWatch()
    watch.set(seen)
    return seen


def is_unwanted() -> bool:
    """Tell a search of several rounds whether whoever asked for it has stopped it."""
    here = watch.get()
    return here is not None and here.stopped
