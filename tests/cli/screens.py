"""What people see at 80 and at 110 columns: `python -m tests.cli.screens` writes the files anew.

Why it is here.  Whether a screen can be read is seen, not computed: the files are looked at when they change.
"""

import io
import os
import re
import shlex
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(__file__).parent / "screens"
WIDTHS = (80, 110)
LONG = "uct:playouts=40,c=0.5 uct:playouts=40,c=1.5 'mcts:playouts=20,formula=Q+sqrt(sqrt(N)/n)' random"
SCREENS = {  # run in this order in one folder
    "help": "--help",
    "match-help": "match --help",
    "agent": "agents uct",
    "game": "games pig",
    "choose": "choose nim:heap=9 alphabeta:depth=9",
    "moves": "moves tic-tac-toe",
    "match": "match nim:heap=9 alphabeta:depth=3 random --games 8 --seed 1 --out m.jsonl",
    "tournament": f"tournament nim:heap=9 {LONG} --games 4 --seed 1 --out t.jsonl",
    "rate": "rate t.jsonl",
    "analyse": "analyse nim:heap=9 uct:playouts=100 --lines 3 --seed 1",
    "whole-game": "analyse m.jsonl alphabeta:depth=9",
    "replay": "replay m.jsonl --game 0 --plies 2",
    "settings": "evolve onemax --explain",
    "study": "study ./mine.toml",
}
STUDY = """
name = "names that are long"
games = ["nim:heap=9"]
agents = ["uct:playouts=10,c={c}", "random"]
opponents = ["uct:playouts=10,c=0.25,worlds=2"]
play = 4
[parameters]
c = [0.5, 2]
"""


class FakeTerminal(io.StringIO):
    """A terminal that only remembers."""

    encoding = "utf8"

    def isatty(self) -> bool:
        return True


@contextmanager
def columns(width: int):
    """Be a terminal so wide, without colours."""
    wanted = {"COLUMNS": str(width), "TERM": "dumb", "NO_COLOR": "1"}
    kept = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in kept.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


def screen(line: str, width: int) -> str:
    """Return what a command shows in a terminal of this width."""
    from ludwin.cli import main

    real, fake = sys.stdout, FakeTerminal()
    with columns(width):
        sys.stdout = fake
        try:
            main(shlex.split(line))
        except SystemExit:
            pass
        finally:
            sys.stdout = real
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", fake.getvalue())
    return "\n".join(row.rstrip() for row in text.splitlines()) + "\n"


def progress(width: int) -> str:
    """Return live lines of long work, as they stand at this width."""
    from ludwin.cli.terminal import SPARE, Terminal

    lines = []
    for name, about in (
        ("", "+12 =3 -5"),
        (
            "lose-checkers, seed 12",
            "best 0.93  mean 0.51  size 77 (mean 61)  different 97/100  yardstick 0.61 [0.55]",
        ),
        ("racing-9.2: bred:driver=sight on sepang", "149.9 s"),
    ):
        seconds = [0.0]
        with columns(width), Terminal(FakeTerminal(), lambda now=seconds: now[0]) as work:
            work.total(400, name, unit="games")
            seconds[0] = 60.0
            work.done(130, about)
            lines.append(work.line(width - SPARE))
    return "\n".join(lines) + "\n"


def made(width: int) -> dict[str, str]:
    """Return all screens of a width by their names."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("mine.toml").write_text(STUDY, encoding="utf8")
            return {**{name: screen(line, width) for name, line in SCREENS.items()}, "progress": progress(width)}
        finally:
            os.chdir(here)


if __name__ == "__main__":
    for width in WIDTHS:
        for name, text in made(width).items():
            (FOLDER / f"{name}-{width}.txt").write_text(text, encoding="utf8")
