"""The command line of the fuzzers: `python -m tests.fuzz TARGET …`, or all of them for some minutes."""

import argparse
import sys
from pathlib import Path

from tests.fuzz import choices, commands, files, programs

# name -> module with add_arguments(parser) and run(options) -> exit code
TARGETS = {"programs": programs, "choices": choices, "files": files, "commands": commands}


def main(arguments: list[str]) -> int:
    """Run one target, or all of them in turn for equal shares of `--minutes`."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Compare Ludwin with itself on random input."
    )
    parser.add_argument("--minutes", type=float, help="without a target: run all for so many minutes together")
    parser.add_argument("--seed", type=int, default=0, dest="all_seed", help="without a target: the seed of all")
    commands = parser.add_subparsers(dest="target")
    for name, module in TARGETS.items():
        module.add_arguments(commands.add_parser(name, help=(module.__doc__ or "").splitlines()[0]))
    again = commands.add_parser("replay", help="run a reproducer of programs again")
    again.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    if options.target == "replay":
        return programs.replay(options.folder)
    if options.target:
        return int(TARGETS[options.target].run(options))
    if not options.minutes:
        parser.error("name a target, or give --minutes to run all of them")
    share = options.minutes / len(TARGETS)
    codes = [main([name, "--minutes", str(share), "--seed", str(options.all_seed)]) for name in TARGETS]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
