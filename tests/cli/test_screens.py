"""Screens at 80 and 110 columns: as they were looked at, no wider than the terminal, and with every name whole."""

import pytest

from ludwin.words import aligned, described, laid_out
from tests.cli import screens


@pytest.fixture(scope="module", params=screens.WIDTHS)
def shown(request):
    """A width, and all screens of it."""
    return request.param, screens.made(request.param)


def test_a_screen_is_what_was_looked_at(shown):
    width, found = shown
    for name, text in found.items():
        kept = (screens.FOLDER / f"{name}-{width}.txt").read_text(encoding="utf8")
        assert text == kept, f"{name} at {width} columns has changed: look at it, then python -m tests.cli.screens"


def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(shown):
    width, found = shown
    for name, text in found.items():
        wide = [line for line in text.splitlines() if len(line) > width]
        assert not wide or name == "match-help", f"{name}: {wide[0]}"  # argparse does not break a name of an option


def test_names_of_agents_stand_whole_in_tables(shown):
    _, found = shown
    for name in ("tournament", "rate"):
        for agent in ("uct:playouts=40,c=0.5", "uct:playouts=40,c=1.5", "mcts:playouts=20,formula=Q + sqrt(sqrt(N)/n)"):
            assert agent in found[name], f"{agent} is broken or cut in {name}"


def test_progress_keeps_name_bar_and_time_left(shown):
    _, found = shown
    _, evolution, race = found["progress"].splitlines()
    assert evolution.startswith("lose-checkers, seed 12  #") and evolution.endswith("2:05 left")
    assert race.startswith("racing-9.2: bred:driver=sight on sepang  #") and race.endswith("2:05 left")


@pytest.mark.parametrize("line", ["agents", "games", "evolve", "evolve lose-checkers --explain", "play", "agents mcts"])
@pytest.mark.parametrize("width", [60, 80, 110])
def test_lists_can_be_read_at_every_width(line, width):
    text = screens.screen(line, width)
    assert all(len(row) <= width for row in text.splitlines()), max(text.splitlines(), key=len)
    assert len(text.splitlines()) > 5


ROWS = [["1", "uct:playouts=1000,c=0.125", "+12.5", "a remark that goes on and on, word by word, for a while"]]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_a_table_is_laid_out_anew_and_loses_no_word(width):
    text = laid_out(["", "agent", "Elo", "remark"], ROWS, (0, 2), width)
    assert width < 40 or all(word in text for cell in ROWS[0] for word in cell.split())
    assert width < 40 or all(len(line) <= width for line in text.splitlines())
    assert width < 200 or text == aligned(["", "agent", "Elo", "remark"], ROWS, (0, 2))


def test_tables_of_nothing_are_laid_out_too():
    assert laid_out(["a", "b"], [], (), 3) and described([], 40) == ""
