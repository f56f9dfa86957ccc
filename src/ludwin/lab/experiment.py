"""An experiment: a name, sizes, and a function that fills a table row by row.

Why it is here.  A published number and ours belong side by side, with an interval, a stated tolerance
and a verdict; and a long run must survive being stopped.  Every match of an experiment is recorded
in the output folder and resumed from there; the table itself holds no dates, paths or workers, so
the same seed writes the same bytes.
"""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import ludwin
from ludwin.arena.stats import Estimate
from ludwin.errors import BadParameter, LudwinError
from ludwin.files import BESIDE, write_whole
from ludwin.formats import Format, List, Number, Table, Text, Whole, maybe, write_json
from ludwin.lab.verdicts import Finding, VerdictRule, noted
from ludwin.measure import ENOUGH, Measure
from ludwin.parts import FILE as PART_FILE
from ludwin.parts import Portion
from ludwin.progress import SILENT, Progress
from ludwin.settings import one_of
from ludwin.trust import NAME, SEED
from ludwin.words import PRESETS, VERDICTS

SIZE = {"preset": Text(choices=PRESETS), "games": Whole(1), "runs": Whole(1), "seed": SEED}
EXPERIMENT = Format(
    "ludwin-experiment", 1, Table({"name": NAME}, SIZE), "run of a table"
)  # settings.json; compared as a whole to go on

SETTLED = {"name": NAME, "preset": Text(choices=PRESETS), "games": Whole(1), "runs": Whole(1), "ludwin": NAME}
CELL = Table(
    {
        **dict.fromkeys(("label", "metric", "note"), Text()),
        "ours": Number(),
        **dict.fromkeys(("published", "low", "high", "tolerance"), maybe(Number())),
        "verdict": Text(choices=VERDICTS),
        "games": Whole(0),
    }
)
TABLE = Format("ludwin-table", 1, Table({**SETTLED, "rows": List(CELL)}), "table")


@dataclass(frozen=True)
class Row:
    """One cell of a table: what was published, what we found, and what that means."""

    label: str
    metric: str
    published: float | None
    ours: float
    low: float
    high: float
    verdict: str  # reproduced | beaten | below | differs, or measured where nothing was published
    tolerance: float | None = None
    games: int = 0
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON values; an interval of one sample has no ends."""
        ends = {key: value if math.isfinite(value) else None for key, value in (("low", self.low), ("high", self.high))}
        return {**asdict(self), **ends}


def judged(label: str, metric: str, rule: VerdictRule, finding: Finding, *, games: int = 0, note: str = "") -> Row:
    """Return a row with the verdict of a rule; `games` are the samples unless it says otherwise."""
    ours = finding.ours
    return Row(
        label,
        metric,
        finding.published,
        ours.value,
        ours.low,
        ours.high,
        rule.judge(finding),
        finding.tolerance,
        games or finding.samples,
        noted(note, rule.lacks(finding)),
    )


def measured(label: str, metric: str, ours: Estimate, games: int, note: str = "") -> Row:
    """Return a row about which nothing was published."""
    return Row(label, metric, None, ours.value, ours.low, ours.high, "measured", None, games, note)


def row_of(
    label: str,
    measure: Measure,
    published: float | None = None,
    tolerance: float | None = None,
    note: str = "",
    least: int = ENOUGH,
) -> Row:
    """Return the cell of a table for any measure: its verdict minds which way is better.

    A single sample, which has none, stands there without: both ends are the value, and the note says so.
    """
    metric = f"{measure.metric} ({measure.unit})" if measure.unit else measure.metric
    low, high = (measure.low, measure.high) if measure.has_interval else (measure.value, measure.value)
    verdict = measure.verdict(published, tolerance or 0.0, least)
    said = note if measure.has_interval else "; ".join(filter(None, (note, "one sample, no interval")))
    return Row(label, metric, published, measure.value, low, high, verdict, tolerance, measure.n, said)


class Elsewhere(Exception):
    """What was about to be done belongs to another part of the run."""


@dataclass
class TableRun:
    """One run of an experiment: its size, its seed, and the folder that holds its records."""

    name: str
    preset: str
    games: int
    runs: int
    seed: int
    workers: int = 1
    folder: Path | None = None
    progress: Progress = SILENT
    row: Callable[[Row], None] = lambda row: None
    unit: str = "games"
    each: str = "row"
    rows: list[Row] = field(default_factory=list)
    part: Portion | None = None  # the share of the cells that this run does
    cells: int = 0  # that have come by
    is_mine: bool = False  # whether the cell in hand belongs to the part

    @contextmanager
    def cell(self) -> Iterator[None]:
        """Hold a piece of the table that needs no other: of a part those that are not its own are left out.

        A table whose pieces are all held like this, and whose rest begins with `demand_all`, can be cut (`parted`).
        """
        if self.part is None:
            yield
            return
        self.is_mine = self.part.owns(self.cells)
        self.cells += 1
        try:
            yield
        except Elsewhere:
            pass
        finally:
            self.is_mine = False

    def demand_mine(self) -> None:
        """Raise Elsewhere if what comes now belongs to another part: said by all who are about to work."""
        if self.part is not None and not self.is_mine:
            raise Elsewhere

    def demand_all(self) -> None:
        """Raise Elsewhere in a part: what comes now needs all cells, and is done when they are gathered."""
        if self.part is not None:
            raise Elsewhere

    def news(self, words: str) -> None:
        """Tell what begins."""
        self.progress.note(words)

    def add(self, row: Row) -> None:
        """Enter a finished row."""
        self.rows.append(row)
        self.row(row)

    def settings(self) -> dict[str, Any]:
        """Return what reproduces the run."""
        return {
            "name": self.name,
            "preset": self.preset,
            "games": self.games,
            "runs": self.runs,
            "seed": self.seed,
            "ludwin": ludwin.__version__,
        }


@dataclass(frozen=True)
class LabTable:
    """A table to fill."""

    name: str
    about: str
    sizes: dict[str, tuple[int, int]]  # preset -> (games, runs)
    fill: Callable[[TableRun], None]
    unit: str = "games"  # what --games counts: games, decisions, positions
    least: int = 2  # of them
    sides: int = 2  # games are a multiple of this, so that each side begins as often (1: nobody is on the other side)
    each: str = "row"  # what is played so often: a row, or each sample of one (a position)
    parted: bool = False  # whether `--part` can cut it: see TableRun.cell


def begin(
    experiment: LabTable,
    *,
    preset: str,
    games: int | None,
    runs: int | None,
    seed: int,
    workers: int,
    out: Path | None,
    resume: Path | None,
) -> TableRun:
    """Settle the size of a run and prepare its folder; raises LudwinError if that folder is another run's."""
    one_of("preset", preset, PRESETS)
    many, times = experiment.sizes[preset]
    fair = experiment.sides == 2 and experiment.unit == "games"
    if games is not None and (games < experiment.least or (fair and games % 2)):
        why = (
            f"even and at least {experiment.least}, so that each side begins as often"
            if fair
            else f"at least {experiment.least}"
        )
        raise BadParameter(f"{experiment.name}: games must be {why}, got {games}")
    if runs is not None and runs > 1 and all(size[1] == 1 for size in experiment.sizes.values()):
        raise BadParameter(f"{experiment.name} has one run only; --runs is for tables of evolved players")
    if out and resume and out != resume:
        raise BadParameter(f"--resume {resume} goes on in its own folder; leave out --out {out}")
    size = (preset, games or many, runs or times, seed, workers, resume or out)
    run = TableRun(experiment.name, *size, unit=experiment.unit, each=experiment.each)
    if run.folder is None:
        return run
    settings = run.folder / "settings.json"
    text = json.dumps({**EXPERIMENT.head, **run.settings()}, indent=1) + "\n"
    if resume and not settings.exists():
        raise LudwinError(f"{resume} holds no experiment to resume; begin one with --out {resume}")
    if settings.exists():
        if not settings.is_file() or settings.read_bytes() != text.encode():
            raise LudwinError(
                f"{run.folder} holds another experiment or other settings; give another --out, or the same settings "
                f"to resume"
            )
        if not resume and (run.folder / "table.json").exists():
            raise LudwinError(
                f"{run.folder} holds a finished run; give another --out, or --resume {run.folder} to see its table "
                f"again"
            )
    try:
        if (
            not settings.exists()
            and run.folder.is_dir()
            and any(not path.name.startswith(BESIDE) and path.name != PART_FILE for path in run.folder.iterdir())
        ):
            raise BadParameter(f"{run.folder} holds other files; give a new or empty folder")
        run.folder.mkdir(parents=True, exist_ok=True)
        write_whole(settings, text)
    except OSError as error:
        raise BadParameter(f"cannot write to {run.folder}: {(error.strerror or str(error)).lower()}") from None
    return run


def finish(run: TableRun) -> dict[str, Any]:
    """Return the table as data, and write it beside the records if there is a folder."""
    data = {"experiment": run.name, "rows": [row.as_json() for row in run.rows]}
    if run.folder:
        write_json(run.folder / "table.json", TABLE, {**run.settings(), "rows": data["rows"]}, indent=1)
        write_whole(run.folder / "table.md", as_markdown(run))
        from ludwin.lab.figure import figure, report  # which draws rows, and knows them from here

        write_whole(run.folder / "figure.svg", figure(run))
        write_whole(run.folder / "report.html", report(run))
    return data


def as_markdown(run: TableRun) -> str:
    """Return the table as a page."""
    lines = [f"# {run.name}", "", f"preset {run.preset}, seed {run.seed}, ludwin {ludwin.__version__}", ""]
    samples = run.unit if run.each == "row" else f"{run.each}s"
    lines += [
        f"| row | metric | published | ours | 95 % interval | {samples} | verdict | note |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in run.rows:
        published = "" if row.published is None else f"{row.published:.4g}"
        interval = f"{row.low:.4g} … {row.high:.4g}"
        lines.append(
            f"| {row.label} | {row.metric} | {published} | {row.ours:.4g} | {interval} | {row.games} | {row.verdict} "
            f"| {row.note} |"
        )
    return "\n".join(lines) + "\n"


def file_name(label: str) -> str:
    """Return a label as the name of a file, without its ending."""
    return "".join(c if c.isalnum() else "-" for c in label).strip("-")
