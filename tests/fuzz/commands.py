"""Bad command lines: good ones, spoilt word by word; every one ends with an exit code and at most one line of misuse.

    python -m tests.fuzz commands --count 1000 --seed 1

A line is drawn from `GOOD`, then words are dropped, doubled, exchanged, cut, misspelt or replaced by odd values.  It
runs in this process with small budgets.  A traceback, an exit code other than 0, 1, 2, more than one line of misuse, or
more than `SECONDS` is a finding.
"""

import argparse
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.fuzz_files import GAME, TooLong, inside, quiet, within

SECONDS = 60.0
GOOD = [
    line.split()
    for line in """
games
games --json
agents
agents uct
moves nim
moves connect-four --json
moves ./stones.py:heap=5 --json
perft nim 3
perft ./stones.py 3 --mode plain
perft draughts 3 --divide --json
choose nim alphabeta:depth=3
choose tic-tac-toe uct:playouts=20 --seed 3 --json
choose connect-four mcts:playouts=20,c=1.4 --mode checked
choose pig expectimax:depth=2 --mode plain
choose ./stones.py random --json
tree nim mcts:playouts=20 --json
match nim random greedy --games 4 --seed 2
match tic-tac-toe uct:playouts=10 random --games 4 --workers 1 --json
tournament nim random greedy uct:playouts=5 --games 2 --workers 1 --json
check ./stones.py --playouts 3
analyse nim alphabeta:depth=3 --json
replay records.jsonl
rate records.jsonl --json
show champion.json
runs runs --json
reproduce list
study list
derivation proof.json --replay
compile nim alphabeta:depth=2 --json
cache
new fresh
discover list
show --list runs --json
show proof.json --replay
show --compare runs runs
completion bash --json
study --list --json
""".strip().splitlines()
]
ODD = [
    *(
        "",
        " ",
        "-",
        "--",
        "---",
        "-1",
        "0",
        "1e9",
        "nan",
        "inf",
        "99999999999999999999",
        "0x10",
        "½",
        "☃",
        "a" * 3000,
        "\n",
        "a\nb",
        "\t",
    ),
    *(
        "%s",
        "{0}",
        "..",
        "/",
        "/dev/null",
        "/proc/self/mem",
        "./nothing.py",
        "nim:",
        "nim:heap",
        "nim:heap=",
        "nim:heap=-1",
        "nim:heap=x",
    ),
    *(
        "nim:heap=5,heap=6",
        "nim:Heap=5",
        ":heap=5",
        "nim,connect-four",
        "uct:playouts=0",
        "uct:playouts=-5",
        "uct:playouts=1e3",
        "uct:c=nan",
    ),
    *(
        "alphabeta:depth=0",
        "alphabeta:depth=1.5",
        "alphabeta:deth=3",
        "alphabeta:table=99",
        "evolved:",
        "evolved:nothing",
        "derived:nothing",
    ),
    *(
        "mcts:formula=",
        "mcts:formula=Q+",
        'mcts:formula="Q',
        "mcts:rule=ucb9",
        "mcts:formula=__import__('os')",
        "process:",
        "human:x=1",
    ),
    *(
        "--json=1",
        "--seed",
        "--seed=x",
        "--mode",
        "--mode=fastest",
        "--games=3",
        "--games=-2",
        "--workers=0",
        "--openings=-1",
        "--from=nowhere",
    ),
    *(
        "stones.py",
        "./stones.txt",
        "./folder",
        "records.jsonl",
        "champion.json",
        "--help",
        "-h",
        "--version",
        "--out=/proc/x",
        "--resume=nothing",
    ),
]


def spoil(rng: random.Random) -> list[str]:
    """Return a command line with one to three faults."""
    words = list(rng.choice(GOOD))
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(words)) if words else 0
        change = rng.randrange(7)
        if change == 0 and words:
            del words[at]
        elif change == 1 and words:
            words.insert(at, words[at])
        elif change == 2 and words:
            words[at] = rng.choice(ODD)
        elif change == 3:
            words.insert(at, rng.choice(ODD))
        elif change == 4 and words:
            other = rng.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif change == 5 and words and words[at]:
            cut = rng.randrange(len(words[at]))
            words[at] = (
                words[at][:cut] + rng.choice(("", "=", ":", ",", "x", "-", "0")) + words[at][cut + rng.randrange(2) :]
            )
        else:
            words.append(rng.choice(rng.choice(GOOD)))
    return words


def attempt(words: list[str]) -> str | None:
    """Run a command line; return what was wrong with how it ended."""
    from ludwin.cli import main

    with quiet() as (_, err):
        try:
            with within(SECONDS):
                code = main(words)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 3
        except TooLong:
            return f"more than {SECONDS:.0f} seconds"
        except BaseException:
            return traceback.format_exc()
    said = err.getvalue()
    if code not in (0, 1, 2) or "Traceback" in said:
        return f"exit {code}: {said[-1500:]}"
    mistakes = [
        line
        for line in said.splitlines()
        if line.startswith("ludwin: ") and "compiling" not in line and "running" not in line
    ]
    if code == 2 and not mistakes:
        return f"exit 2 without a word: {said[-500:]!r}"
    return None


def build(folder: Path) -> None:
    """Write the files that good lines name."""
    (folder / "stones.py").write_text(GAME, encoding="utf8")
    (folder / "stones.txt").write_text(GAME, encoding="utf8")
    (folder / "folder").mkdir()
    for name in ("records.jsonl", "champion.json", "proof.json"):
        (folder / name).write_text('{"format": "ludwin-records", "version": 1}\n', encoding="utf8")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many minutes (0: when all are done)")


def run(options: argparse.Namespace) -> int:
    """Try bad command lines; exit code 1 if one ended otherwise than it should."""
    began, wrong, tried = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory(prefix="ludwin-fuzz-") as place, inside(Path(place)):
        build(Path(place))
        for number in range(options.count):
            if options.minutes and time.monotonic() - began > 60 * options.minutes:
                break
            words = spoil(random.Random(f"{options.seed} {number}"))
            fault = attempt(words)
            tried += 1
            if fault:
                wrong += 1
                print(f"line {number}: {words!r}\n{fault}", flush=True)
    seconds = time.monotonic() - began
    print(f"commands: {tried} bad command lines, {wrong} ended wrongly, seed {options.seed}, {seconds:.0f} s")
    sys.stdout.flush()
    return 1 if wrong else 0
