"""Ctrl-C ends every command within a second, also in the middle of compiled code.

Why it is here.  Python hears an interrupt between two of its own instructions, and compiled code has none: a search of
forty plies would go on for hours.  So the command line, and nothing else, has a watcher: a thread that sleeps until a
signal comes.  Mostly the main thread hears it, too, and the command ends in its own way (a tournament says how to go
on).  If it does not, the watcher ends the process.  Files are written whole or not at all, so nothing is left half
written; a temporary cache and worker processes go with us.

An interrupt that the parent told us to ignore (`nohup`, a shell's background) stays ignored: then there is no watcher.
"""

import os
import signal
import sys
import time
from _thread import allocate_lock, start_new_thread  # `threading` takes milliseconds to import
from contextlib import suppress
from types import FrameType
from typing import NoReturn

DEAF = 0.6  # seconds after which the main thread has not heard an interrupt
LATE = 0.85  # seconds after an interrupt at which a command must have ended
ORDERLY = 5.0  # the same for a command that has something to close first
TIDY = 0.25  # seconds to tidy up in
INTERRUPTED = 130


class _InterruptWatch:
    """What the handler and the watcher know."""

    heard = False  # whether the main thread has heard of the interrupt
    told = False  # whether a line about it has been written
    limit = LATE


def expects_orderly_end(closes: bool) -> None:
    """Give a command that closes files and processes by itself the time to do so."""
    _InterruptWatch.limit = ORDERLY if closes else LATE


def say() -> None:
    """Tell that the command was interrupted."""
    _InterruptWatch.told = True
    print("ludwin: interrupted", file=sys.stderr, flush=True)


def watch() -> None:
    """Begin to watch for interrupts; call it in the main thread."""
    signal.signal(signal.SIGINT, _hear)
    try:
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    except (OSError, ValueError, AttributeError):  # no such pipes here: then only Python itself hears
        return
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forget)
    start_new_thread(_wait, (ours,))


def _hear(number: int, frame: FrameType | None) -> None:
    _InterruptWatch.heard = True
    raise KeyboardInterrupt


def _forget() -> None:
    """In a forked process: the pipe is the parent's, and nobody watches."""
    with suppress(ValueError):
        signal.set_wakeup_fd(-1)


def _wait(pipe: int) -> None:
    """Sleep until an interrupt comes; end the process if nobody else does."""
    while signal.SIGINT not in os.read(pipe, 64):
        pass
    began = time.monotonic()
    time.sleep(DEAF)
    if _InterruptWatch.heard:
        time.sleep(max(0.0, began + _InterruptWatch.limit - time.monotonic()))
    if not _InterruptWatch.told:
        with suppress(OSError):
            os.write(2, b"ludwin: interrupted\n")  # `sys.stderr` may be locked
    leave()


def leave() -> NoReturn:
    """End the process with 130 at once, whatever its threads do; what is written is written."""
    done = allocate_lock()
    done.acquire()

    def tidy() -> None:
        # In a thread: a pipe that nobody reads, or a lock that is held, must not keep us here.
        for work in (_end_workers, _remove_temporary_cache, _flush):
            with suppress(Exception):
                work()
        done.release()

    with suppress(RuntimeError):  # no more threads
        start_new_thread(tidy, ())
        done.acquire(timeout=TIDY)
    os._exit(INTERRUPTED)


def _end_workers() -> None:
    # Only what has been imported already: another thread may be in the middle of an import.
    workers = sys.modules.get("ludwin.workers")
    if workers:
        workers.end_groups()


def _remove_temporary_cache() -> None:
    cache = sys.modules.get("ludwin.kernel.cache")
    if cache:
        cache.discard()


def _flush() -> None:
    sys.stderr.flush()
    sys.stdout.flush()
