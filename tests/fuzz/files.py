"""Spoilt files: every format of ours, changed at random, opened by every command that reads it."""

import argparse
import time

from tests import fuzz_files

CHUNK = 34  # files between two looks at the clock: two of each kind


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many minutes (0: when all are done)")


def run(options: argparse.Namespace) -> int:
    """Spoil and open files; exit code 1 if one was opened otherwise than it should."""
    began, tried, wrong = time.monotonic(), 0, 0
    while tried < options.count and not (options.minutes and time.monotonic() - began > 60 * options.minutes):
        size = min(CHUNK, options.count - tried)
        faults = fuzz_files.run(options.seed + tried, size)
        tried, wrong = tried + size, wrong + len(faults)
        for fault in faults:
            print(fault, flush=True)
    print(f"files: {tried} spoilt files, {wrong} faults, seed {options.seed}, {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0
