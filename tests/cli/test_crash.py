"""Compiled code that runs wild ends with one line, not with a bare segmentation fault."""

import subprocess
import sys

import pytest

WILD = "s.heap -= m\n    if s.heap == 4:\n        s.log[s.heap * 10**12] = 1  # here"
RUN = """
import sys
from ludwin import laws, load
laws._remember(load(sys.argv[1]))
from ludwin.cli import main
sys.exit(main(["perft", sys.argv[1], "6", "--mode", sys.argv[2]]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the last word is spoken on Linux only")
def test_a_wild_index_in_fast_mode_names_the_game_and_the_way_out(workshop):
    path = workshop.spoil("s.heap -= m", WILD)
    said = subprocess.run([sys.executable, "-c", RUN, path, "fast"], capture_output=True, text=True)
    assert said.returncode == 2 and said.stdout == ""
    assert f"{path}: compiled code left its memory" in said.stderr and "--mode checked" in said.stderr


def test_checked_mode_names_its_line(workshop):
    path = workshop.spoil("s.heap -= m", WILD)
    said = subprocess.run([sys.executable, "-c", RUN, path, "checked"], capture_output=True, text=True)
    assert said.returncode == 2
    assert f"stones.py:{workshop.line(path)}: an index is out of bounds" in said.stderr


@pytest.mark.parametrize("mode", ["fast", "checked"])
def test_more_moves_than_max_moves_are_noticed_in_compiled_code(mode, workshop):
    path = workshop.spoil("MAX_MOVES = 3", "MAX_MOVES = 2")
    said = subprocess.run([sys.executable, "-c", RUN, path, mode], capture_output=True, text=True)
    assert said.returncode == 2
    assert "MAX_MOVES" in said.stderr if mode == "fast" else "out of bounds" in said.stderr
