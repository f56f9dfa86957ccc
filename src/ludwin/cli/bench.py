"""The command `bench`: how fast it is, beside C++, OpenSpiel, or another version of itself."""

import argparse

from ludwin.cli import options as take

EXAMPLES = (
    ("ludwin bench list", "name the benchmarks"),
    ("ludwin bench perft uct --rounds 3", "run two of them"),
    ("ludwin bench --beside ../old/bin/python", "the same searches in two versions: same answers, and how fast"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take names of benchmarks, or another Python."""
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="only these (default: all; `ludwin bench list` names them)"
    )
    parser.add_argument(
        "--rounds", type=take.positive, default=5, metavar="N", help="interleaved repetitions, best counts (default: 5)"
    )
    parser.add_argument(
        "--beside", metavar="PYTHON", help="compare with the ludwin of another Python: same answers, and how fast"
    )


def offers() -> dict[str, list[str]]:
    """Return the words that a shell may complete."""
    from ludwin.bench import BENCHES

    return {"names": ["list", *BENCHES]}


def run(options: argparse.Namespace) -> int:
    """Measure speed."""
    from ludwin.bench import bench
    from ludwin.cli.terminal import Terminal
    from ludwin.errors import BadParameter

    if options.beside is not None and options.names:
        raise BadParameter("--beside has its own workloads: name no benchmark")
    with Terminal() as progress:
        if options.beside is not None:
            from ludwin.bench.beside import compare

            return compare(options.beside, options.rounds, options.json, progress)
        return bench(options.names, rounds=options.rounds, as_json=options.json, progress=progress)
