"""The command `show`: what was made, whatever it is: a champion, the runs of a folder, a derivation.

Why it is here.  One word for looking at a result.  A file says by its format what it is, a folder by what lies in it;
options that do not belong to it are refused, not ignored.
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludwin.cli import derivation, runs, strengths
from ludwin.cli import options as take

HEAD = 65536  # bytes in which a file of ours says its format
OF_CHAMPIONS = ("svg", "python", "games", "seed", "workers", "trust", "strengths", "runs")
OF_DERIVATIONS = ("replay", "steps", "smt", "solvers", "coq")
EXAMPLES = (
    ("ludwin show runs/reversi-seed0", "the champion of a run, taken apart"),
    ("ludwin show runs/reversi-seed0 --games 200", "what each part of it is worth"),
    ("ludwin show runs/reversi-seed0 --strengths", "what each terminal is worth, alone and disabled"),
    ("ludwin show", "list the runs in ./runs; `ludwin show DIR` those of another folder"),
    ("ludwin show --compare runs/a runs/b", "whether their champions differ"),
    ("ludwin show ab.json --steps", "a derivation, step by step; --replay verifies it"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take what to look at, and how."""
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="a champion.json or the folder of a run, folders with runs below them, or a derivation (default: runs)",
    )
    parser.add_argument("--list", action="store_true", help="list the runs in the folders, even if one is a run itself")
    runs.add_comparison(parser)
    champion = parser.add_argument_group("a champion")
    champion.add_argument("--svg", metavar="FILE", help="draw it there")
    champion.add_argument("--python", metavar="FILE", help="write it there as plain Python")
    champion.add_argument(
        "--games", type=take.positive, metavar="N", help="also measure what each part is worth, in N games each"
    )
    champion.add_argument("--seed", type=int, metavar="S", help="same seed, same result (default: 0)")
    champion.add_argument(
        "--workers",
        type=take.positive,
        metavar="W",
        help="threads that play; the result does not depend on it (default: 1)",
    )
    strengths.add_strengths(champion)
    take.trust(champion)
    derivation.add_options(parser.add_argument_group("a derivation"))


def run(options: argparse.Namespace) -> int:
    """Find out what is to be shown, and show it."""
    from ludwin.errors import BadParameter

    if options.compare:
        if options.paths or options.list:
            raise BadParameter("--compare takes its two folders; leave the others away")
        _refuse(options, "a comparison of runs", OF_CHAMPIONS, OF_DERIVATIONS)
        return runs.compare_runs(options)
    if options.list or len(options.paths) != 1 or _holds_runs(Path(options.paths[0])):
        _refuse(options, "a list of runs", OF_CHAMPIONS, OF_DERIVATIONS)
        return runs.list_runs(options, options.paths)
    (path,) = options.paths
    if _is_derivation(options, Path(path)):
        from ludwin.discover.derivation import read_data

        _refuse(options, "a derivation", OF_CHAMPIONS)
        return derivation.tell(options, path, read_data(path))
    _refuse(options, "a champion", OF_DERIVATIONS)
    return show_champion(options, path)


def _refuse(options: argparse.Namespace, what: str, *groups: Sequence[str]) -> None:
    """Raise BadParameter if the line has options that say nothing about what is shown."""
    from ludwin.errors import BadParameter

    strange = [name for names in groups for name in names if getattr(options, name) not in (None, False)]
    if strange:
        raise BadParameter(f"{', '.join(f'--{name}' for name in strange)}: not for {what}")


def _holds_runs(path: Path) -> bool:
    """Tell whether a folder is none of a run or of a series, but has some below it."""
    if not path.is_dir() or any((path / name).exists() for name in ("champion.json", "summary.json", "settings.json")):
        return False
    from ludwin.evolve.compare import entries

    return bool(entries([path]))


def _is_derivation(options: argparse.Namespace, path: Path) -> bool:
    """Tell whether a file says that it is a derivation, or is asked what only a derivation can answer and is nothing
    else that we know.
    """
    if path.is_dir():
        return False
    asked = any(getattr(options, name) for name in OF_DERIVATIONS)
    found = None
    if path.is_file():
        with path.open("rb") as file:
            found = re.search(rb'"format"\s*:\s*"([^"]*)"', file.read(HEAD))
    return found[1] == b"ludwin-derivation" if found else asked


def show_champion(options: argparse.Namespace, path: str) -> int:
    """Print a champion, and write or measure its parts where that is asked for."""
    from ludwin.cli.common import print_json, say
    from ludwin.cli.evolving import seeker
    from ludwin.cli.permission import permit
    from ludwin.cli.saving import save
    from ludwin.errors import BadParameter
    from ludwin.evolve.show import ablate, describe, open_champion
    from ludwin.measure import in_one_form
    from ludwin.trust import Untrusted

    try:
        champion = open_champion(path, seeker(), permit(options))
    except Untrusted as error:
        if options.svg or options.python or options.games or options.strengths is not None:
            raise
        return _without_rules(options, path, str(error))
    facts = describe(champion)
    if options.strengths is not None:
        facts["strengths"] = strengths.measure_strengths(options, champion)
    elif options.runs is not None:
        raise BadParameter("--runs is for --strengths")
    measured = facts.get("strengths")
    picture = champion.picture if measured is None else lambda: strengths.strengths_svg(measured)
    for text, file in ((picture, options.svg), (champion.export, options.python)):
        if file:
            save(file, text().rstrip("\n") + "\n")
            say(f"wrote {file}")
    if options.games and measured is None:
        facts["ablation"] = ablate(champion, options.games, options.seed or 0, options.workers or 1, say)
    if options.json:
        print_json(in_one_form({"file": str(champion.path), **facts}))
        return 0
    _print_facts(facts)
    return 0


def _without_rules(options: argparse.Namespace, path: str, why: str) -> int:
    """Print what the file of a champion says by itself: of a user's game, whose rules did not run."""
    from ludwin.cli.common import print_json, say
    from ludwin.evolve.show import told
    from ludwin.evolve.store import find_champion, read_champion
    from ludwin.measure import in_one_form

    found = find_champion(Path(path))
    facts = told(read_champion(found))
    say(f"as its file tells it: {why}")
    if options.json:
        print_json(in_one_form({"file": str(found), **facts}))
        return 0
    _print_facts(facts)
    return 0


def _print_facts(facts: dict[str, Any]) -> None:
    from ludwin.cli.common import print_table
    from ludwin.cli.evolving import score_text
    from ludwin.measure import plain

    print(
        f"{facts.pop('experiment')}, seed {facts.pop('seed')}: champion of generation "
        f"{facts.pop('generation', '?')}, size {facts.pop('size')}"
    )
    print(f"  {score_text(facts.pop('score'))}")
    for measure in facts.pop("record", []):
        print(f"  {score_text(measure)}")
    rows: Sequence[dict[str, Any]] = facts.pop("ablation", [])
    measured = facts.pop("strengths", None)
    for key in ("origin", "fitness", "ludwin"):
        facts.pop(key, None)
    for key, value in facts.items():
        if key == "sums":
            from ludwin.evolve.people import sum_lines

            value = "as a sum\n" + "\n".join(sum_lines(value))
        if value != "":
            _print_fact(key, value)
    if measured is not None:
        strengths.print_strengths(measured)
    if rows:
        print("without each part, in the same games:")
        cells = [
            [
                row["part"],
                plain(row["score"] if "score" in row else row["value"]),
                _interval(row),
                plain(row["change"], sign="+"),
            ]
            for row in rows
        ]
        print_table("ablation", ["part", rows[0].get("metric", "score"), "95 %", "change"], cells, right=(1, 3))


def _interval(row: dict[str, Any]) -> str:
    """Return an interval as tables show it; what was seen once has none."""
    from ludwin.measure import plain

    return "" if None in (row["low"], row["high"]) else f"[{plain(row['low'])}, {plain(row['high'])}]"


def _print_fact(key: str, value: Any) -> None:
    """Print a fact: short ones behind their name, long ones below it."""
    from ludwin.formats import CONTROL

    if isinstance(value, dict):
        value = ", ".join(f"{name} {one}" for name, one in value.items())
    elif isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    text = f"{value:g}" if isinstance(value, float) else str(value)
    lines = [CONTROL.sub("?", line) for line in text.splitlines()]  # a file's text may hold what moves a cursor
    key = CONTROL.sub("?", key)
    if len(lines) > 1 or len(text) > 100:
        print(f"{key}:")
        print("\n".join(f"  {line}" for line in lines))
    else:
        print(f"{key}: {''.join(lines)}")
