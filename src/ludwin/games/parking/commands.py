"""The command `boards`: the hard boards that runs of `ludwin evolve parking-boards` have found, with pictures."""

import argparse
from typing import Any

COMMANDS = {"boards": "list the hard parking boards that runs have found"}
EXAMPLES = {
    "boards": (
        ("ludwin evolve parking-boards --seed 1", "first let boards evolve"),
        ("ludwin boards runs/parking-boards-seed1 --svg boards.svg", "the hardest that it found, drawn"),
    )
}


def add_boards(parser: argparse.ArgumentParser) -> None:
    """Take folders of runs, and which boards are wanted."""
    parser.add_argument(
        "runs", metavar="DIR", nargs="+", help="folders that `ludwin evolve parking-boards` has written"
    )
    parser.add_argument(
        "--least", type=float, default=0.0, metavar="N", help="only boards worth so much (default: all)"
    )
    parser.add_argument("--most", type=int, default=20, metavar="N", help="how many, the hardest first (default: 20)")
    parser.add_argument("--apart", type=int, default=0, metavar="N", help="vehicles in which any two boards differ")
    parser.add_argument("--out", metavar="FILE", help="write them to a file: steps, slides and the board in each line")
    parser.add_argument("--html", metavar="FILE", help="a page with their pictures")
    parser.add_argument("--svg", metavar="FILE", help="one picture of all of them, of one size")


def run_boards(options: argparse.Namespace) -> int:
    """List boards, the hardest first."""
    from ludwin.cli.common import print_json, print_table
    from ludwin.cli.saving import demand_places, save
    from ludwin.cli.terminal import Terminal
    from ludwin.errors import BadParameter
    from ludwin.games.parking.evolve.gallery import found_in, gallery_page, gallery_sheet

    if options.most < 1 or options.apart < 0:
        raise BadParameter(f"--most is at least 1 and --apart at least 0, got {options.most} and {options.apart}")
    demand_places(options, "out", "html", "svg")
    with Terminal() as progress:
        boards = found_in(options.runs, options.least, options.most, options.apart, progress)
    if not boards:
        raise BadParameter(f"there is no board worth {options.least:g} or more in {', '.join(options.runs)}")
    if options.svg and len({len(one.board) for one in boards}) > 1:
        raise BadParameter("--svg draws boards of one size, and these runs have 6x6 and 8x8; draw them apart")
    if options.out:
        lines = [f"{one.steps} {one.slides} {one.board}" for one in boards]
        note = "# Hard boards of the parking puzzle, bred by `ludwin evolve parking-boards`: steps, slides, board."
        save(options.out, "\n".join([note, *lines]) + "\n")
    if options.svg:
        save(options.svg, gallery_sheet(boards))
    if options.html:
        save(options.html, gallery_page(boards))
    rows: list[dict[str, Any]] = [one._asdict() for one in boards]
    if options.json:
        print_json({"boards": rows})
        return 0
    columns = ["worth", "slides", "steps", "nodes", "component", "vehicles", "board"]
    cells = [[f"{one.worth:,.6g}", *(f"{getattr(one, word):,}" for word in columns[1:6]), one.board] for one in boards]
    print_table(f"{len(boards)} boards", columns, cells, right=(0, 1, 2, 3, 4, 5))
    return 0
