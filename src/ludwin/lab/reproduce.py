"""`ludwin.reproduce("lose-checkers-3.5")`: a table filled row by row, as a value.

Why it is here.  The command prints the rows as they come; a notebook wants them all, as rows of a data frame.
"""

from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from ludwin.errors import BadParameter, brief
from ludwin.lab.experiment import Row, TableRun, as_markdown, begin, finish
from ludwin.lab.register import STUDY, TABLES, find
from ludwin.progress import SILENT, Progress
from ludwin.settings import within
from ludwin.words import html_table


@dataclass(frozen=True, repr=False)
class Reproduced:
    """A table: what was published, what was found, and the verdicts."""

    run: TableRun

    @property
    def name(self) -> str:
        """Which table it is."""
        return self.run.name

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each cell of the table, for a data frame."""
        return [row.as_json() for row in self.run.rows]

    def __iter__(self) -> Any:
        return iter(self.run.rows)

    def __len__(self) -> int:
        return len(self.run.rows)

    def __getitem__(self, index: int) -> Row:
        return self.run.rows[index]

    def to_dict(self) -> dict[str, Any]:
        """Return what `ludwin reproduce --json` prints."""
        return {"experiment": self.name, "rows": self.rows()}

    def _repr_html_(self) -> str:
        columns = ["row", "metric", "published", "ours", "95 % interval", "verdict"]
        rows = [
            [
                *(row.label, row.metric, "" if row.published is None else f"{row.published:.4g}", f"{row.ours:.4g}"),
                *(f"{row.low:.4g} … {row.high:.4g}", row.verdict),
            ]
            for row in self.run.rows
        ]
        return html_table(self.name, columns, rows, (2, 3, 4))

    def __repr__(self) -> str:
        return as_markdown(self.run).rstrip()


def reproduce(
    name: str,
    *,
    preset: str = "quick",
    games: int | None = None,
    runs: int | None = None,
    seed: int = 0,
    workers: int = 1,
    out: str | Path | None = None,
    progress: Progress = SILENT,
) -> Reproduced:
    """Fill the table of an experiment, or of a study, and return it; a folder `out` that holds the same run is gone on
    with. Raises LudwinError.
    """
    if not isinstance(name, str):
        raise BadParameter(f"a table is named by a text such as 'lose-checkers-3.5', got {brief(name)}")
    for word, value in (("games", games), ("runs", runs), ("seed", seed), ("workers", workers)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise BadParameter(f"{word} must be a whole number, got {brief(value)}")
        if value is not None and word != "seed":
            within(word, value, least=1)
    if seed is None or workers is None:
        raise BadParameter("seed and workers must be whole numbers, got None")
    if out is not None and not isinstance(out, str | PurePath):
        raise BadParameter(f"out must be the name of a folder, got {brief(out)}")
    table = find(name, TABLES, STUDY)
    folder = None if out is None else Path(out)
    again = folder if folder and (folder / "settings.json").is_file() else None
    run = begin(table, preset=preset, games=games, runs=runs, seed=seed, workers=workers, out=folder, resume=again)
    run.progress = progress
    table.fill(run)
    finish(run)
    return Reproduced(run)
