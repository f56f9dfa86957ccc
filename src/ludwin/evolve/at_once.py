"""Many runs at once: the seeds of a series, the runs of a table, on machines of a cluster.

Why it is here.  One run does not keep a hundred cores busy, but a hundred runs do.  Each has a thread here, which
mostly waits: it asks for the run's next half minute, stores what comes back in the run's folder, and asks again.
"""

import threading
from collections.abc import Sequence
from contextlib import suppress

from ludwin.evolve.carrying import carry_out
from ludwin.evolve.run import Run
from ludwin.progress import SILENT, Progress
from ludwin.spread import elsewhere

MOST_THREADS = 512
STACK = 2**24  # bytes: compiling is deep


def carry_out_all(
    runs: Sequence[Run], *, workers: int = 1, progress: Progress = SILENT, stop: threading.Event | None = None
) -> None:
    """Do what is left of many runs: all at once on a cluster, one after another on this machine.

    Raises Stopped when `stop` is set, and what any of them raises, after the steps in hand of the others.
    """
    if elsewhere(workers) is None or len(runs) < 2:
        for run in runs:
            carry_out(run, workers=workers, progress=progress, stop=stop)
        return
    _AtOnce(runs, workers, progress, stop or threading.Event()).work()


class _AtOnce:
    """Threads that each carry out one run after another."""

    def __init__(self, runs: Sequence[Run], workers: int, progress: Progress, stop: threading.Event):
        self.runs, self.workers, self.progress, self.stop = list(runs), workers, progress, stop
        self.left = [run for run in reversed(self.runs) if not run.is_finished]
        self.lock = threading.Lock()
        self.failed: list[BaseException] = []
        self.halt = threading.Event()  # set when one has failed: the others end after the step in hand

    def work(self) -> None:
        """Carry out all runs."""
        name = self.runs[0].experiment.name
        self.progress.total(len(self.runs), name, unit="runs", done=len(self.runs) - len(self.left))
        usual = threading.stack_size(STACK)
        try:
            crew = [threading.Thread(target=self._one, daemon=True) for _ in self.left[:MOST_THREADS]]
        finally:
            threading.stack_size(usual)
        for thread in crew:
            thread.start()
        for thread in crew:
            while thread.is_alive():
                thread.join(0.2)
                if self.stop.is_set():
                    self.halt.set()
                self._tell()
        if self.failed:
            raise self.failed[0]

    def _tell(self) -> None:
        with suppress(IndexError), self.lock:
            self.progress.done(len(self.runs) - len(self.left) - self._busy())

    def _busy(self) -> int:
        return sum(not run.is_finished for run in self.runs) - len(self.left)

    def _one(self) -> None:
        while True:
            with self.lock:
                if not self.left or self.failed:
                    return
                run = self.left.pop()
            try:
                carry_out(run, workers=self.workers, stop=self.halt, stepwise=True)
            except BaseException as error:
                with self.lock:
                    self.failed.append(error)
                self.halt.set()
                return
