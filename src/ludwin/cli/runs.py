"""The command `runs`: runs of evolution listed, or two of them compared. `ludwin show` does the same."""

import argparse
from collections.abc import Sequence
from pathlib import Path

EXAMPLES = (
    ("ludwin runs", "the runs in ./runs"),
    ("ludwin runs --compare runs/a runs/b", "whether their champions differ"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take folders, or two to compare."""
    parser.add_argument(
        "folders", metavar="DIR", nargs="*", help="folders of runs, searched with what is below them (default: runs)"
    )
    add_comparison(parser)


def add_comparison(parser: "argparse.ArgumentParser | argparse._ArgumentGroup") -> None:
    """Add --compare."""
    parser.add_argument(
        "--compare",
        metavar=("A", "B"),
        nargs=2,
        help="test whether the champions of two runs, or of two series, differ",
    )


def run(options: argparse.Namespace) -> int:
    """List runs, or compare two of them."""
    from ludwin.errors import BadParameter

    if options.compare:
        if options.folders:
            raise BadParameter("--compare takes its two folders; leave the others away")
        return compare_runs(options)
    return list_runs(options, options.folders)


def list_runs(options: argparse.Namespace, folders: Sequence[str]) -> int:
    """List the runs in some folders and below them, of `runs` if none is named."""
    from ludwin.cli.common import print_json, print_table
    from ludwin.evolve.compare import entries
    from ludwin.evolve.store import BadRun
    from ludwin.measure import in_one_form

    roots = [Path(folder) for folder in folders or ["runs"]]
    for root in roots:
        if folders and not root.is_dir():
            raise BadRun(f"there is no folder {root}")
    found = entries(roots)
    if options.json:
        print_json(in_one_form({"runs": [one.as_json() for one in found]}))
        return 0
    if not found:
        print(f"no runs in {', '.join(map(str, roots))}; `ludwin evolve` makes some")
        return 0
    rows = []
    for one in found:
        begun = f"generation {one.generation} of {one.generations}" if one.generation >= 0 else "no generation yet"
        state = one.trouble or ("finished" if one.is_finished else begun)
        scores = [str(measure) if measure else "" for measure in (one.score, one.baseline)]
        rows.append(
            [
                str(one.folder),
                one.experiment,
                one.preset,
                str(one.seed),
                state,
                *scores,
                one.score.opponent if one.score else "",
            ]
        )
    print_table(
        "runs",
        ["run", "experiment", "preset", "seed", "state", "champion", "random search", "against"],
        rows,
        right=(3,),
    )
    return 0


def compare_runs(options: argparse.Namespace) -> int:
    """Test whether the champions of two runs, or of two series, differ."""
    from ludwin.cli.common import print_json
    from ludwin.evolve.compare import compare
    from ludwin.measure import plain

    found = compare(*map(Path, options.compare))
    if options.json:
        print_json(found)
        return 0
    unit = f" in {found['unit']}" if found.get("unit") else ""
    what = f"{found['metric']}{unit} ({found['direction']} is better) on" if "metric" in found else "scores against"
    print(f"champions' {what} {found['opponent']}")
    for side in (found["first"], found["second"]):
        scores = side["scores"]
        listed = f"mean {plain(sum(scores) / len(scores))} of {len(scores)} runs: " if len(scores) > 1 else ""
        print(f"  {side['folder']} ({side['experiment']}): {listed}{', '.join(plain(score) for score in scores)}")
    print(
        f"difference {plain(found['difference'], sign='+')}"
        + (f"; {found['test']}: p = {found['p']:.3g}" if found["test"] and found["p"] is not None else "")
        + (f"; the {found['better']} is better" if found.get("better") else "")
    )
    print(f"({found['why']})")
    return 0
