"""How a run tells what it is doing: a live line in a terminal, lines of news elsewhere.

Why it is here.  Evolution takes minutes or days, and whoever waits wants to see whether it gets better
(best, mean, yardstick), whether it goes wrong (sizes that swell, diversity that dies), and when it
will end.  All of it goes to stderr; results alone go to stdout.
"""

import sys
import time
from typing import Any

from ludwin.evolve.experiment import Measure
from ludwin.evolve.run import Run
from ludwin.evolve.store import EVOLUTION, Point

NEWS_SECONDS = 10.0  # between lines where there is no terminal
RECENT = 10  # generations whose pace foretells the time left


def duration(seconds: float) -> str:
    """Return hours, minutes and seconds as a person writes them.

    >>> duration(3725), duration(65)
    ('1:02:05', '1:05')
    """
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Progress:
    """A watcher that tells a person; use it as a context, so that the live line is removed at the end."""

    def __init__(self) -> None:
        self.live = sys.stderr.isatty()
        self.bar: Any = None
        self.task: Any = None
        self.last = time.monotonic()
        self.label = ""
        self.total = self.done = 0
        self.yardstick: Measure | None = None
        self.times: list[float] = []
        if self.live:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            words = "{task.completed}/{task.total}  {task.fields[words]}"
            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=20),
                TextColumn(words, markup=False),
            )
            self.bar = Bar(*columns, console=Console(stderr=True), transient=True)

    def __enter__(self) -> "Progress":
        if self.bar is not None:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def begin(self, run: Run, branch: str, done: list[Point], generations: int) -> None:
        """A branch begins, or goes on."""
        what = "" if branch == EVOLUTION else " (random search)"
        self.label = f"{run.experiment.name}, seed {run.seed}{what}"
        self.total, self.done, self.yardstick = generations + 1, len(done), None
        self.times = [time.monotonic()]
        if self.bar is not None:
            if self.task is not None:
                self.bar.remove_task(self.task)
            self.task = self.bar.add_task(self.label, total=self.total, completed=self.done, words="begins")

    def generation(self, point: Point, yardstick: Measure | None) -> None:
        """A generation is stored."""
        self.times = [*self.times[-RECENT:], time.monotonic()]
        self.done = point.number + 1
        self.yardstick = yardstick or self.yardstick
        words = self.words(point)
        if self.bar is not None:
            self.bar.update(self.task, completed=self.done, words=words)
        elif self.done == self.total or time.monotonic() - self.last >= NEWS_SECONDS:
            self.tell(f"generation {point.number} of {self.total - 1}: {words}")

    def words(self, point: Point) -> str:
        """Return a generation in one line."""
        parts = [
            f"best {point.best_fitness:.4g}",
            f"mean {point.mean_fitness:.4g}",
            f"size {point.best_size} (mean {point.mean_size:.0f})",
        ]
        parts.append(f"different {point.distinct}/{point.individuals}")
        if self.yardstick:
            parts.append(f"yardstick {self.yardstick}")
        if self.done < self.total:
            pace = (self.times[-1] - self.times[0]) / (len(self.times) - 1)
            parts.append(f"{duration(pace * (self.total - self.done))} left")
        return "  ".join(parts)

    def phase(self, words: str) -> None:
        """Something else begins."""
        if self.bar is not None and self.task is not None:
            self.bar.update(self.task, words=words)
        elif self.bar is None and time.monotonic() - self.last >= NEWS_SECONDS:
            self.tell(words)

    def tell(self, words: str) -> None:
        """Print a line of news."""
        self.last = time.monotonic()
        print(f"ludwin: {self.label}: {words}", file=sys.stderr, flush=True)
