"""The commands `reproduce` and `study`: a table, row by row, beside what was published."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from ludwin.lab.experiment import LabTable, Row, TableRun, begin, finish
from ludwin.library import STUDIES, TABLES
from ludwin.register import Register


def reproduce(options: argparse.Namespace, say: Callable[[str], None]) -> int:
    """Re-run a published table."""
    return _run(options, TABLES, say)


def study(options: argparse.Namespace, say: Callable[[str], None]) -> int:
    """Run an experiment that has no published table."""
    return _run(options, STUDIES, say)


def _run(options: argparse.Namespace, known: Register, say: Callable[[str], None]) -> int:
    if options.list or not options.name:
        return _list(known, options.json)
    experiment: LabTable = known.find(options.name)
    run = begin(
        experiment,
        preset=options.preset,
        games=options.games,
        runs=options.runs,
        seed=options.seed,
        workers=options.workers,
        out=Path(options.out) if options.out else None,
        resume=Path(options.resume) if options.resume else None,
    )
    run.news = say
    if not options.json:
        print(f"{experiment.name} ({run.preset}, {run.games} {run.unit} a row, seed {run.seed}): {experiment.about}")
        print(f"{'row':<44} {'published':>9} {'ours':>8}  {'95 % interval':<19} verdict")
        run.row = _print_row
    try:
        experiment.fill(run)
    except KeyboardInterrupt:
        size = f"--preset {run.preset} --games {run.games} --runs {run.runs} --seed {run.seed}"
        way = f"`ludwin {options.command} {experiment.name} {size} --resume {run.folder}`"
        say(f"stopped; {way} goes on" if run.folder else "stopped; with --out DIR a run can be resumed")
        return 130
    data = finish(run)
    if options.json:
        print(json.dumps(data, ensure_ascii=False))
    elif run.folder:
        print(f"written to {run.folder}/table.md and table.json")
    return 0


def _print_row(row: Row) -> None:
    published = "" if row.published is None else f"{row.published:.4f}"
    interval = f"[{row.low:.4f}, {row.high:.4f}]"
    print(
        f"{row.label:<44} {published:>9} {row.ours:8.4f}  {interval:<19} "
        f"{row.verdict}{f'  ({row.note})' if row.note else ''}"
    )
    sys.stdout.flush()


def _list(known: Register, as_json: bool) -> int:
    if as_json:
        rows = [
            {
                "name": e.name,
                "about": e.about,
                "unit": e.unit,
                "presets": {k: {"games": g, "runs": r} for k, (g, r) in e.sizes.items()},
            }
            for e in known.values()
        ]
        print(json.dumps({"experiments": rows}, ensure_ascii=False))
        return 0
    for e in known.values():
        print(f"{e.name:<20} {e.about} ({e.unit} a row: {', '.join(f'{k} {g}' for k, (g, _) in e.sizes.items())})")
    return 0


__all__ = ["TableRun", "reproduce", "study"]
