"""The command `reproduce`: a table, row by row, beside what was published; and studies, which have no such table."""

import argparse
import math
from typing import TYPE_CHECKING

from ludwin.cli import options as take

if TYPE_CHECKING:
    from ludwin.lab.experiment import LabTable, Row
    from ludwin.lab.register import Listing

CLOSES = True
PLAIN = ("score", "points")  # metrics that rows need not name
EXAMPLES = (
    ("ludwin reproduce --list", "name all tables and studies"),
    ("ludwin reproduce lose-checkers-3.5 --preset quick", "a first look at a table"),
    ("ludwin reproduce fop-5.4 --preset paper --out fop --workers 2", "all of it, recorded; --resume fop goes on"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take an experiment, its size, and where to write."""
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="which; --list names all; a file of your own: ./my_study.toml or .py"
    )
    parser.add_argument("--list", action="store_true", help="list what there is")
    parser.add_argument("--preset", choices=take.PRESETS, help="how much work (default: quick)")
    parser.add_argument("--games", type=take.positive, metavar="N", help="games a row instead of the preset's")
    parser.add_argument("--runs", type=take.positive, metavar="N", help="runs instead of the preset's")
    take.seed(parser)
    parser.set_defaults(seed=None)
    parser.add_argument(
        "--workers", type=take.positive, default=1, metavar="W", help="processes to play with (default: 1)"
    )
    parser.add_argument("--out", metavar="DIR", help="write records and table here")
    parser.add_argument("--resume", metavar="DIR", help="go on with a run that was stopped; its folder knows the rest")
    take.trust(parser)
    take.part(parser)
    take.cluster(parser)


def offers() -> dict[str, list[str]]:
    """Return the words that a shell may complete."""
    from ludwin.lab.register import STUDY, TABLES

    return {"name": [*TABLES, *STUDY]}


def run(options: argparse.Namespace) -> int:
    """Re-run a published table, or run a study."""
    from ludwin.lab.register import STUDY, TABLES

    return carry_out(options, TABLES, STUDY)


def carry_out(options: argparse.Namespace, *lists: "Listing") -> int:
    """Fill the table of an experiment of these lists row by row, or name them all."""
    from pathlib import Path

    from ludwin.cli.common import load, print_json, print_words, say
    from ludwin.cli.crew import crew
    from ludwin.cli.permission import permit
    from ludwin.cli.terminal import Terminal
    from ludwin.lab.experiment import begin, finish
    from ludwin.lab.own_study import is_study, read_study
    from ludwin.lab.register import CHOICE, find
    from ludwin.library import is_path, split, without
    from ludwin.paths import typed

    if options.list or not (options.name or options.resume):
        return _list(lists, options.json)
    _recall(options, lists)
    own = is_study(options.name)
    if own:
        experiment = read_study(typed(options.name), load, permit(options))
    else:
        if is_path(split(options.name)[0]):
            load(without(options.name, CHOICE))
        experiment = find(options.name, *lists)
    if options.part:
        return _part(options, experiment)
    run = begin(
        experiment,
        preset=options.preset,
        games=options.games,
        runs=options.runs,
        seed=options.seed,
        workers=options.workers or 1,
        out=Path(options.out) if options.out else None,
        resume=Path(options.resume) if options.resume else None,
    )
    if not options.json:
        size = f"{run.games} {run.unit} a {run.each}"
        print_words(f"{experiment.name} ({run.preset}, {size}, seed {run.seed}): {experiment.about}")
        print(f"{'row':<{_room()}} {'published':>9} {'ours':>8}  {'95 % interval':<19} verdict")
        run.row = _print_row
    try:
        with crew(options, options.name, *(options.trust or [])) as run.workers, Terminal() as run.progress:
            experiment.fill(run)
    except KeyboardInterrupt:
        size = f"--preset {run.preset} --games {run.games} --runs {run.runs} --seed {run.seed}"
        name = options.name if own else experiment.name
        way = f"`ludwin {options.command} {name} {size} --resume {run.folder}`"
        say(f"stopped; {way} goes on" if run.folder else "stopped; with --out DIR a run can be resumed")
        return 130
    data = finish(run)
    if options.json:
        print_json(data)
    elif run.folder:
        print(f"written to {run.folder}: table.md, table.json, figure.svg, report.html")
    return 0


def _recall(options: argparse.Namespace, lists: "tuple[Listing, ...]") -> None:
    """Settle what was left out: what the folder says that is gone on with, or else the defaults.

    A folder names experiments of ours only; whoever has one of their own names its file.
    """
    from pathlib import Path

    from ludwin.errors import BadParameter
    from ludwin.formats import read_json
    from ludwin.lab.experiment import EXPERIMENT

    stored = {}
    if options.resume:
        path = Path(options.resume) / "settings.json"
        if path.is_file():
            stored = read_json(path, EXPERIMENT)
        elif not options.name:
            raise BadParameter(
                f"{options.resume} holds no experiment to resume; `ludwin {options.command} NAME` begins"
            )
        if not options.name:
            name = stored["name"]
            if not any(name in those for those in lists):
                raise BadParameter(
                    f"{options.resume} is a run of {name}, which is none of ours; "
                    f"`ludwin {options.command} FILE --resume {options.resume}` goes on, FILE being its file"
                )
            options.name = name
    for key, usual in (("preset", "quick"), ("games", None), ("runs", None), ("seed", 0)):
        if getattr(options, key) is None:
            setattr(options, key, stored.get(key, usual))


def _part(options: argparse.Namespace, experiment: "LabTable") -> int:
    """Fill the cells of one part, in a folder of its own; rows come when all parts are gathered."""
    from ludwin.cli.parting import demand_out, holding, tell
    from ludwin.cli.terminal import Terminal
    from ludwin.errors import BadParameter
    from ludwin.lab.experiment import Elsewhere, begin

    if not experiment.parted:
        raise BadParameter(f"{experiment.name} is not cut into cells that need no other; run it whole, or on --cluster")
    with holding(options, demand_out(options), options.command) as (part, own):
        run = begin(
            experiment,
            preset=options.preset,
            games=options.games,
            runs=options.runs,
            seed=options.seed,
            workers=options.workers or 1,
            out=own,
            resume=own if (own / "settings.json").is_file() else None,
        )
        run.part = part
        try:
            with Terminal() as run.progress:
                experiment.fill(run)
        except Elsewhere:
            pass
    return tell(options, part, own, f"cells {part.number}, {part.number + part.of}, …")


def _print_row(row: "Row") -> None:
    from ludwin.cli.terminal import clear

    clear()
    published = "" if row.published is None else _number(row.published)
    interval = f"[{_number(row.low)}, {_number(row.high)}]"
    room = _room()
    label = row.label if row.metric in PLAIN else f"{row.label}: {row.metric}"
    label = label if len(label) <= room else f"{label}\n{'':{room}}"  # no label is cut
    print(
        f"{label:<{room}} {published:>9} {_number(row.ours):>8}  {interval:<19} "
        f"{row.verdict}{f'  ({row.note})' if row.note else ''}",
        flush=True,
    )


def _number(value: float) -> str:
    """Return a figure with four decimals, or with none where it is in the thousands."""
    return f"{value:,.0f}" if 1000 <= abs(value) < math.inf else f"{value:.4f}"


def _room() -> int:
    """Return the columns that labels have; a longer one stands on a line of its own."""
    import sys

    from ludwin.cli.common import screen_width

    return min(44, max(screen_width() - 52, 3)) if sys.stdout.isatty() else 44


def _list(lists: "tuple[Listing, ...]", as_json: bool) -> int:
    """Name the experiments: the published tables, then the studies."""
    if as_json:
        from ludwin.cli.common import print_json

        rows = [
            {
                "experiment": e.name,
                "about": e.about,
                "unit": e.unit,
                "each": e.each,
                "presets": {k: {"games": g, "runs": r} for k, (g, r) in e.sizes.items()},
            }
            for those in lists
            for e in those.values()
        ]
        print_json({"experiments": rows})
        return 0
    for number, those in enumerate(lists):
        if number:
            print("\nstudies, with no published table beside them:")
        for e in those.values():
            sizes = ", ".join(f"{preset} {games}" for preset, (games, _) in e.sizes.items())
            print(f"{e.name:<20} {e.about} ({e.unit} a {e.each}: {sizes})")
    return 0
