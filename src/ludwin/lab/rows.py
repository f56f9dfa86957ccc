"""What was played, run or tabled, as rows for a spreadsheet or a data frame.

Why it is here.  Whoever has a way with data has it in another program.  Records become a row a game, runs of evolution
a row a generation, tables a row a cell, tunings a row a stage; cells are numbers and texts.  No rules run: moves are
the codes of the records.
"""

import csv
import io
from pathlib import Path
from typing import Any

from ludwin.arena.portable import format_of
from ludwin.arena.reading import results_of
from ludwin.arena.replay import is_kept_game
from ludwin.arena.results import flat
from ludwin.errors import BadParameter
from ludwin.evolve.store import BASELINE, EVOLUTION, Store
from ludwin.formats import read_json
from ludwin.lab.experiment import TABLE

Rows = list[dict[str, Any]]


def rows_of(path: Path) -> Rows:
    """Return the rows of a file or a folder of ours. Raises LudwinError for anything else."""
    if path.is_dir():
        if (path / "run.sqlite").is_file():
            return _generations(path)
        if (path / "table.json").is_file():
            return _cells(path / "table.json")
        raise BadParameter(
            f"{path} holds neither a run of evolution nor a finished table; a file of games will do, too"
        )
    if not path.is_file():
        raise BadParameter(f"there is no file {str(path)!r}")
    if path.suffix.lower() == ".json" and not is_kept_game(path):
        return _cells(path)
    if path.suffix.lower() in (".jsonl", ".json") or format_of(path) is not None:
        return _games(path)
    raise BadParameter(f"{path} is neither a file of games (.jsonl, .pdn, .pgn, a kept game) nor a table.json")


def _games(path: Path) -> Rows:
    found = results_of(path)
    rows = []
    for _, record in found.games:
        row: dict[str, Any] = {"game": found.game, "number": record.game, "pair": record.pair}
        for player, (seat, payoff) in enumerate(zip(record.seats, record.payoffs, strict=True)):
            row |= {f"agent{player}": found.agents[seat], f"payoff{player}": payoff}
        row |= {"end": record.end, "plies": len(record.moves), "position": record.position}
        rows.append({**row, "opening": _codes(record.opening), "moves": _codes(record.moves)})
    return rows


def _codes(moves: Any) -> str:
    return " ".join(map(str, moves))


def _generations(folder: Path) -> Rows:
    with Store(folder) as store:
        return [
            {"branch": branch, **flat(vars(point))}
            for branch in (EVOLUTION, BASELINE)
            for point in store.points(branch)
        ]


def _cells(path: Path) -> Rows:
    data = read_json(path, TABLE)
    about: dict[str, Any] = {key: data[key] for key in ("name", "preset", "seed") if key in data}
    return [{**about, **flat(row)} for row in data["rows"]]


def as_csv(rows: Rows) -> str:
    """Return rows as CSV after RFC 4180, with a line of names; a cell without a value is empty.

    >>> as_csv([{"a": 1, "b": None}, {"a": "x, y", "c": 2.5}]).splitlines()
    ['a,b,c', '1,,', '"x, y",,2.5']
    """
    names = list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
