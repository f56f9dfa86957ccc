"""Many deals, one solver: what tables are made of.  A line a deal goes to an append-only file, so that runs go on.

Every plan was played by the rules before it counts (`Solving.solve` does that in checked mode).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import NamedTuple

from ludwin.errors import LudwinError
from ludwin.files import open_log
from ludwin.formats import BadFile, Format, List, Mismatch, Table, Text, Truth, Whole, decode, read_lines
from ludwin.games.freecell.cards import TO_HOME
from ludwin.lab.experiment import TableRun, file_name
from ludwin.library import load
from ludwin.search.puzzles.solver import Solver, Solving
from ludwin.search.watching import SearchWatch, begin_watch
from ludwin.workers import Threads

DEALS = 32_000
FORMAT = Format(
    "ludwin-deals", 1, Table({"game": Text(line=True), "solver": Text(line=True), "deals": List(Whole(1))}), "deals"
)
LINE = Table(
    {
        "deal": Whole(1),
        "solved": Truth(),
        "why": Text(line=True),
        "nodes": Whole(0),
        "length": Whole(0),
        "all": Whole(0),
    }
)


class Dealt(NamedTuple):
    """What became of a deal: moves of the plan, and moves with those that were made by themselves."""

    deal: int
    solved: bool
    why: str
    nodes: int
    length: int
    all: int


@dataclass(frozen=True)
class DealResults:
    """What a solver has done with many deals."""

    rows: tuple[Dealt, ...]
    seconds: float  # of the processor, for the deals that were solved now and not read from a file

    @property
    def solved(self) -> list[Dealt]:
        """The deals that were solved."""
        return [row for row in self.rows if row.solved]

    @property
    def unsolved(self) -> list[int]:
        """The numbers of the others."""
        return [row.deal for row in self.rows if not row.solved]


def spread(count: int) -> list[int]:
    """Return so many of the 32,000 deals, evenly spread from the first on; more are all of them.

    >>> spread(4)
    [1, 8001, 16001, 24001]
    """
    count = min(count, DEALS)
    return [1 + k * DEALS // count for k in range(count)]


def solve_deals(run: TableRun, label: str, game_text: str, solver: Solver, deals: Sequence[int]) -> DealResults:
    """Solve deals, or go on where a run of this table was interrupted. Raises LudwinError for another run's file."""
    game = load(game_text)
    head = {**FORMAT.head, "game": game.text, "solver": f"{label}: {solver}", "deals": list(deals)}
    path = run.folder / f"{file_name(label)}.jsonl" if run.folder else None
    rows = _kept(path, head) if path else []
    log = None
    if path:
        log = open_log(path)
        if not rows and path.stat().st_size == 0:
            log.write(json.dumps(head).encode() + b"\n")
    automatic = bool(game.values.get("auto"))
    began = process_time()
    run.progress.total(len(deals), label, unit="deals", done=len(rows))

    def begin() -> tuple[Solving, SearchWatch]:
        return solver.solving(game), begin_watch()

    def one(tool: tuple[Solving, SearchWatch], deal: int) -> Dealt:
        found = tool[0].solve(game.position(f"#{deal}"))
        homes = sum(move % 16 == TO_HOME for move in found.plan)
        more = 52 - homes if automatic and found.solved else 0
        why = "" if found.solved else found.why or found.status
        return Dealt(deal, found.solved, why, found.nodes, len(found.plan), len(found.plan) + more)

    try:
        crew = Threads(one, run.workers, begin, lambda tool: tool[1].stop())
        for row in crew.map(list(deals[len(rows) :])):
            rows.append(row)
            if log:
                log.write(json.dumps(row._asdict()).encode() + b"\n")
            run.progress.done(len(rows), f"{sum(one.solved for one in rows)} solved" if len(rows) % 100 == 0 else "")
    finally:
        if log:
            log.close()
    return DealResults(tuple(rows), process_time() - began)


def _kept(path: Path, head: dict[str, object]) -> list[Dealt]:
    """Return the rows of an interrupted run; a torn last line is dropped. Raises LudwinError."""
    rows: list[Dealt] = []
    if not path.exists():
        return rows
    raw = path.read_bytes()
    if not raw.endswith(b"\n"):
        path.write_bytes(raw[: raw.rfind(b"\n") + 1])

    def refusal(number: int, reason: str) -> LudwinError:
        return BadFile(f"{path}:{number}: {reason}")

    for number, line in read_lines(path, refusal):
        try:
            data = decode(line)
            if number == 1:
                if FORMAT.accept(data) != {key: value for key, value in head.items() if key in data}:
                    raise Mismatch("it was begun with another solver or other deals")
                continue
            LINE.examine(data, "")
        except Mismatch as error:
            raise BadFile(f"{path}:{number}: {error}") from None
        rows.append(Dealt(**data))
    return rows
