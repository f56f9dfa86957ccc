"""The command `export`: a champion as text for other programs, and records, runs and tables as CSV.

Why it is here.  What evolved here should run where it was meant to: in Python without this package, as Java or C++ in
the simulator that a domain re-implements.  Which forms there are, a champion's experiment says (`Experiment.exports`);
one that it has not is refused with those that it has.
"""

import argparse

from ludwin.cli import options as take

FORMS = {
    "python": "plain Python, which needs nothing of this package",
    "cpp": "C++ in the form of the original simulator, as a driver or player of this name",
    "java": "Java in the form of the original simulator, as a class of this name",
}
EXAMPLES = (
    ("ludwin export runs/racing-seed1 --cpp Ours --out ours.cpp", "a driver for the original simulator"),
    ("ludwin export runs/racing-seed1 --cpp Ours --on ./sepang.trk", "the same, with the line of another track"),
    ("ludwin export runs/reversi-seed0 --python best", "a player in plain Python, on the screen"),
    ("ludwin export games.jsonl --csv --out games.csv", "a row for each game; of a run, a row for each generation"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a champion, a form with a name, and where to write."""
    parser.add_argument(
        "champion",
        metavar="CHAMPION",
        help="a champion.json or the folder of a run; with --csv also records, PDN, a table",
    )
    forms = parser.add_mutually_exclusive_group(required=True)
    for form, about in FORMS.items():
        forms.add_argument(f"--{form}", metavar="NAME", help=about)
    forms.add_argument("--csv", action="store_true", help="rows for a spreadsheet or a data frame")
    parser.add_argument("--on", metavar="WHERE", default="", help="what it is for, where a form asks: a track")
    parser.add_argument("--out", metavar="FILE", help="write it there (default: print it)")
    take.trust(parser)


def run(options: argparse.Namespace) -> int:
    """Write a champion in another form."""
    if options.csv:
        return _csv(options)
    from ludwin.cli.common import print_json, say
    from ludwin.cli.evolving import seeker
    from ludwin.cli.permission import permit
    from ludwin.cli.saving import save
    from ludwin.errors import BadParameter
    from ludwin.evolve.show import open_champion

    form = next(form for form in FORMS if getattr(options, form) is not None)
    name = getattr(options, form)
    if not (name.isidentifier() and name.isascii()):
        raise BadParameter(f"--{form}: a name is letters, digits and _, and does not begin with a digit, got {name!r}")
    champion = open_champion(options.champion, seeker(), permit(options))
    text = champion.exported(form, name, options.on).rstrip("\n") + "\n"
    if options.out:
        save(options.out, text)
        say(f"wrote {options.out}")
    if options.json:
        print_json({"form": form, "name": name, "file": options.out, "text": None if options.out else text})
    elif not options.out:
        print(text, end="")
    return 0


def _csv(options: argparse.Namespace) -> int:
    """Write records, a run or a table as rows."""
    from ludwin.arena.reading import path_of
    from ludwin.cli.common import print_json, say
    from ludwin.cli.saving import save
    from ludwin.lab.rows import as_csv, rows_of

    rows = rows_of(path_of(options.champion))
    if options.out:
        save(options.out, as_csv(rows))
        say(f"wrote {options.out}, {len(rows)} rows")
    if options.json:
        print_json({"file": options.out, "rows": None if options.out else rows})
    elif not options.out:
        print(as_csv(rows).replace("\r\n", "\n"), end="")
    return 0
