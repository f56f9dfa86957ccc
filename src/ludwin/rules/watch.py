"""A watchdog for rules in plain Python: a call that does not come back is stopped on the author's line.

Why it is here.  `while True` in a rule hangs every command without a word, and compiled code cannot
be stopped at all.  So rules run in plain Python first, and a second thread looks from time to time
at what the first one does.  It sees the outermost call of a rule on the stack; when the very same
call is still there after so many seconds of computing, an exception is raised inside it, and its
traceback names file, function, line and, in the arguments, the position.

Seconds are those of the watched thread's own work, not of the clock on the wall: a busy machine
makes no rule guilty.  Whoever neither works nor waits for a processor is idle, as in time.sleep(10**6);
that is stopped as well, after IDLE times as long, where the system tells the two kinds of waiting apart
(Linux) and in the main thread, which a signal can wake.  What it cannot stop is one call of Python's own
machinery that computes and does not come back, such as sum(range(10**15)).
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from ludwin.errors import RuleError

PATIENCE = 5.0  # seconds of computing for one call of a rule; the slowest call of our games takes 0.05
LOADING = 60.0  # and for the top of a file, which may compute tables
GLANCE = 0.2  # seconds between two looks
WAITING = "of waiting"  # stands in the reason where a call was idle
IDLE = 6  # times its patience that a call may wait for something that is no processor


class Stuck(BaseException):
    """Raised inside a call that does not come back; no `except Exception` of a rule catches it."""


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Let another thread raise an exception at its next step in Python; None takes it back."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error) if error else None)


def _clock_of(thread: int) -> Callable[[], float]:
    """Return a clock of the work that a thread does; of the whole process where threads have none."""
    try:
        clock = time.pthread_getcpuclockid(thread)
        time.clock_gettime(clock)
    except (AttributeError, OSError):
        return time.process_time
    return lambda: time.clock_gettime(clock)


def _idle_of(native: int) -> Callable[[], float]:
    """Return a clock of the time that a thread has neither worked nor waited for a processor; it stands still where
    the system does not tell.
    """
    begin = time.monotonic()

    def clock() -> float:
        try:
            with open(f"/proc/self/task/{native}/schedstat") as file:
                worked, waited = (int(word) / 1e9 for word in file.read().split()[:2])
        except (OSError, ValueError):
            return 0.0
        return time.monotonic() - begin - worked - waited

    return clock


class _Watch:
    """Looks at one thread until it is told to stop."""

    def __init__(self, files: set[str], patience: float):
        self.files = files
        self.patience = patience
        import threading  # only where rules are watched

        self.thread = threading.get_ident()
        self.clock, self.idle = _clock_of(self.thread), _idle_of(threading.get_native_id())
        self.wakes = threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGURG")
        self.done = threading.Event()
        self.lock = threading.Lock()
        self.fired = self.asleep = False
        self.looker = threading.Thread(target=self.look, name="ludwin-watch", daemon=True)

    def call(self) -> FrameType | None:
        """Return the outermost call of a rule that the watched thread is in."""
        frame = sys._current_frames().get(self.thread)
        found = None
        while frame is not None:
            if frame.f_code.co_filename in self.files:
                found = frame
            frame = frame.f_back
        return found

    def look(self) -> None:
        known: FrameType | None = None
        since = rested = 0.0
        while not self.done.wait(min(GLANCE, self.patience / 4)):
            now, idle, frame = self.clock(), self.idle() if self.wakes else 0.0, self.call()
            if frame is None or frame is not known:
                known, since, rested = frame, now, idle
            elif now - since > self.patience or idle - rested > IDLE * self.patience:
                with self.lock:
                    if not self.done.is_set():
                        self.fired, self.asleep = True, now - since <= self.patience
                        _raise_in(self.thread, Stuck)
                        if self.wakes:  # out of a sleep; the exception is raised as soon as Python runs again
                            signal.pthread_kill(self.thread, signal.SIGURG)
                return
            frame = None

    def stop(self) -> None:
        with self.lock:
            self.done.set()
            if self.fired:
                _raise_in(self.thread, None)
        self.looker.join(timeout=1)


@contextmanager
def one_process() -> Iterator[None]:
    """Run code that is not ours; a copy of this process that it makes by `fork` and lets come back ends here.

    Otherwise two processes would go on with our work, and write to the same pipes and files.
    """
    here = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != here:
            os._exit(1)


@contextmanager
def watched(files: Iterable[object], where: Callable[[Any], str], patience: float | None = None) -> Iterator[None]:
    """Run plain rules of these files; raises RuleError if one call takes more than `patience` seconds of computing.

    `where(s)` is asked for the text of the position: s is the first argument of the call, possibly half changed.
    """
    limit = PATIENCE if patience is None else patience
    watch = _Watch({str(file) for file in files}, limit)
    before = signal.signal(signal.SIGURG, lambda number, frame: None) if watch.wakes else None
    watch.looker.start()
    try:
        yield
    except Stuck as error:
        took = f"{IDLE * limit:g} s {WAITING}" if watch.asleep else f"{limit:g} s"
        raise _explain(error, watch.files, where, took) from None
    finally:
        watch.stop()
        if watch.wakes:
            signal.signal(signal.SIGURG, before or signal.SIG_DFL)


def _explain(error: Stuck, files: set[str], where: Callable[[Any], str], took: str) -> RuleError:
    """Say which call did not come back, where it was, and at which position."""
    calls = []
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename in files:
            calls.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    if not calls:  # it had just come back after all
        return RuleError(f"a call of the rules took more than {took}")
    (outer, _), (inner, line) = calls[0], calls[-1]
    name, place = outer.f_code.co_name, inner.f_code.co_name
    if name == "<module>":
        return RuleError(
            f"the top of the file has computed for {took} and does not end", inner.f_code.co_filename, line
        )
    inside = "" if place == name else f" (it is in {place})"
    return RuleError(f"{name} does not return: {took}{inside}{_position(outer, where)}", inner.f_code.co_filename, line)


def _position(frame: FrameType, where: Callable[[Any], str]) -> str:
    first = frame.f_code.co_varnames[:1]
    try:
        text = where(frame.f_locals[first[0]])
    except Exception:  # not a state
        return ""
    return f", position {text if len(text) <= 150 else text[:149] + '…'!r}"
