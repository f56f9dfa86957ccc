"""Progress on stderr: a live line in a terminal, lines of news elsewhere."""

import io

import pytest

from ludwin import agent, load, tournament
from ludwin.cli import terminal
from ludwin.cli.terminal import Terminal, tell
from ludwin.discover.problems import discover
from ludwin.progress import Silent


class Screen(io.StringIO):
    """A terminal that only remembers."""

    def isatty(self):
        return True

    def lines(self):
        """Return what a person sees in the end, line by line."""
        shown = []
        for row in self.getvalue().split("\n"):
            cells = []
            for part in row.split("\r"):
                cells[: len(part)] = part
            shown.append("".join(cells).rstrip())
        return shown


class Clock:
    """Time as the test wants it."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


def test_without_a_terminal_there_is_a_line_every_ten_seconds(clock):
    log = io.StringIO()
    with Terminal(log, clock) as progress:
        progress.total(20, unit="games")
        for games in range(1, 21):
            clock.seconds += 3
            progress.done(games, f"+{games} =0 -0")
    assert log.getvalue().splitlines() == [
        "ludwin: 4/20 games  +4 =0 -0  0:48 left",
        "ludwin: 8/20 games  +8 =0 -0  0:36 left",
        "ludwin: 12/20 games  +12 =0 -0  0:24 left",
        "ludwin: 16/20 games  +16 =0 -0  0:12 left",
        "ludwin: 20/20 games  +20 =0 -0",
    ]


def test_work_that_has_a_name_says_its_last_word_at_once(clock):
    log = io.StringIO()
    with Terminal(log, clock) as progress:
        progress.total(2, "onemax, seed 0")
        progress.done(1, "best 3", step="generation 0 of 1")
        progress.done(2, "best 4", step="generation 1 of 1")
        progress.total(None, "the report")
    assert log.getvalue() == "ludwin: onemax, seed 0: generation 1 of 1: best 4\n"


def test_a_terminal_shows_one_line_that_goes_in_the_end(clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    screen = Screen()
    with Terminal(screen, clock) as progress:
        progress.total(4, unit="games")
        for games in (1, 2):
            clock.seconds += 5
            progress.done(games, "+1 =0 -0")
        assert screen.lines() == ["##########..........  2/4 games  +1 =0 -0  0:10 left"]
        progress.note("something else")
        assert screen.lines() == ["ludwin: something else", "##########..........  2/4 games  +1 =0 -0  0:10 left"]
    assert screen.lines() == ["ludwin: something else", ""]


def test_news_of_others_do_not_run_into_the_live_line(clock, capsys):
    screen = Screen()
    with Terminal(screen, clock) as progress:
        progress.total(4, "work")
        tell("compiling …")
        terminal.clear()
        assert screen.lines() == ["ludwin: compiling …", ""]
    tell("afterwards")
    assert capsys.readouterr().err == "ludwin: afterwards\n"


@pytest.mark.parametrize("columns", [20, 40, 80, 110, 200])
def test_the_live_line_never_wraps_and_keeps_the_time_left(columns, clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    screen = Screen()
    with Terminal(screen, clock) as progress:
        progress.total(50, "lose-checkers, seed 12")
        clock.seconds += 60
        progress.done(10, "best 0.93  mean 0.51  size 77 (mean 61)  different 97/100  yardstick 0.61 [0.55, 0.67]")
        (line,) = screen.lines()
        assert len(line) <= columns - 4
        assert columns < 80 or ("10/50" in line and line.endswith("4:00 left"))


def test_what_strangers_files_say_does_not_steer_the_terminal(capsys):
    from ludwin.cli.terminal import tell

    tell("a\x1b[2J\x07b\nc")
    assert capsys.readouterr().err == "ludwin: a?[2J?b\nc\n"


def test_what_is_told_after_the_end_is_not_heard(clock):
    screen, log = Screen(), io.StringIO()
    for stream in (screen, log):
        with Terminal(stream, clock) as progress:
            progress.total(3, "work")
        clock.seconds += 100
        progress.done(3)
        progress.total(None, "more")
    assert screen.lines() == [""] and log.getvalue() == ""


def test_work_of_unknown_length_tells_what_it_has_done(clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    screen, log = Screen(), io.StringIO()
    for stream in (screen, log):
        progress = Terminal(stream, clock)
        progress.total(None, "alpha-beta", unit="states")
        clock.seconds += 11
        progress.done(7, "20 generated, depth 3")
    assert screen.lines() == ["alpha-beta  7 states  20 generated, depth 3"]
    assert log.getvalue() == "ludwin: alpha-beta: 7 states  20 generated, depth 3\n"


class Listener(Silent):
    """Keeps what it is told."""

    def __init__(self):
        self.heard = []

    def total(self, number, what="", *, unit="", done=0):
        self.heard.append(("total", number, what, unit))

    def done(self, number, about="", *, step=""):
        self.heard.append(("done", number, about))


def test_an_event_tells_its_games_and_how_they_stand():
    heard = Listener()
    tournament(load("nim"), (agent("greedy"), agent("random")), games=4, mode="plain", progress=heard)
    assert heard.heard[0] == ("total", 4, "", "games")
    kind, number, about = heard.heard[-1]
    assert (kind, number) == ("done", 4) and sum(int(part[1:]) for part in about.split()) == 4


def test_discovery_tells_the_states_that_it_has_seen():
    heard = Listener()
    found = discover("beta-cut", progress=heard)
    assert heard.heard[0] == ("total", None, "beta-cut", "states")
    assert heard.heard[-1][0] == "done" and 0 < heard.heard[-1][1] <= found.states
