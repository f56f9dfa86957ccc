"""Whatever agents and bystanders do, every game ends with a record and the event goes on."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from players import First, Remembers

from ludwin import Agent, agent, load
from ludwin.arena.records import read_records
from ludwin.arena.replay import examine, open_event
from ludwin.arena.tournament import tournament
from ludwin.errors import BadParameter, LudwinError
from ludwin.progress import Silent

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="agents of the test's own are handed over by fork")
NIM = load("nim")
RANDOM = agent("random")


def records(path):
    return [record for _, record in read_records(path)]


# Forfeits


@pytest.mark.parametrize(
    ("act", "options", "reason"),
    [
        ("crash", {}, "exception: RuntimeError: I am lost"),
        ("leave", {}, "exception: SystemExit: 3"),
        ("cheat", {}, "illegal move: first:cheat played 99, which is not legal"),
        ("exit", {}, "died: exit status 3"),
        ("die", {}, "died: signal SIGKILL"),
        ("loop", {"patience": 0.2}, "no move within 0.2 s"),
        ("dream", {"clock": "0.3"}, "out of time"),
        ("dawdle", {"clock": "0.1"}, "out of time"),
        ("dawdle", {"patience": 0.1}, "no move within 0.1 s"),
    ],
)
def test_an_agent_that_misbehaves_forfeits_and_the_event_goes_on(tmp_path, act, options, reason):
    path = tmp_path / "games.jsonl"
    outcome = tournament(NIM, (First(act), First()), games=4, workers=2, out=path, **options)
    found = records(path)
    assert [(r.end, r.reason, r.by, r.payoffs) for r in found] == [
        ("forfeit", reason, 0, (-1.0, 1.0)),
        ("forfeit", reason, 1, (1.0, -1.0)),
    ] * 2
    assert [r.moves for r in found[:2]] == [(1, 1), (1, 1, 1)]  # what was played before is on record
    assert outcome.standing.forfeits == [4, 0]
    event = open_event(path, load)
    for line, record in event.games:
        examine(event, line, record)


def test_a_clock_that_is_kept_forfeits_nothing(tmp_path):
    outcome = tournament(NIM, (First("dawdle"), First()), games=2, clock="0.5+0.5", patience=5)
    assert outcome.standing.forfeits == [0, 0]
    assert outcome.timed


def test_three_players_share_what_one_forfeits(tmp_path):
    @dataclass(frozen=True)
    class Quits(Agent):
        name: ClassVar[str] = "quits"

        def choose(self, game, state, *, seed=0, mode="fast"):
            raise ValueError("no")

    path = tmp_path / "games.jsonl"
    tournament(load("pig:players=3,goal=100"), (Quits(), RANDOM, RANDOM), games=3, out=path)
    assert [r.payoffs for r in records(path)] == [(-1, 0.5, 0.5), (0.5, 0.5, -1), (0.5, -1, 0.5)]


def test_a_worker_that_somebody_else_kills_leaves_no_trace(tmp_path):
    @dataclass(frozen=True)
    class Victim(Agent):
        """Is killed by a bystander the first time it is asked."""

        name: ClassVar[str] = "victim"
        mark: str = ""

        def choose(self, game, state, *, seed=0, mode="fast"):
            if not os.path.exists(self.mark):
                Path(self.mark).write_text("killed")
                os.kill(os.getpid(), signal.SIGKILL)
            return First().choose(game, state)

        def __str__(self):
            return "victim"

    quiet, loud = tmp_path / "quiet", tmp_path / "loud"
    mark = tmp_path / "mark"
    tournament(NIM, (Victim(str(mark)), First()), games=4, out=loud)
    tournament(NIM, (Victim(str(mark)), First()), games=4, out=quiet)
    assert loud.read_bytes() == quiet.read_bytes()


def test_agents_share_nothing_between_seats_and_games(tmp_path):
    one = Remembers()
    files = []
    for workers in (1, 3):
        path = tmp_path / str(workers)
        tournament(NIM, (one, one), games=8, workers=workers, out=path)
        files.append(path.read_bytes())
    assert files[0] == files[1]
    assert one.asked == []
    assert len({record.moves for record in records(path)}) == 1


def test_an_agent_may_hold_a_game_and_a_state():
    @dataclass(frozen=True)
    class Holds(First):
        name: ClassVar[str] = "holds"
        thing: object = None

    outcome = tournament(NIM, (Holds(thing=(NIM, NIM.start())), First()), games=2)
    assert outcome.standing.forfeits == [0, 0]


def test_an_agent_that_cannot_be_copied_is_refused():
    @dataclass(frozen=True)
    class Holds(First):
        name: ClassVar[str] = "holds"

        def __deepcopy__(self, memo):
            raise TypeError("not me")

    with pytest.raises(LudwinError, match="cannot be copied, as it must be for every game: not me"):
        tournament(NIM, (Holds(), First()), games=2)


def test_talk_of_agents_does_not_reach_stdout(tmp_path, capfd):
    @dataclass(frozen=True)
    class Talks(First):
        name: ClassVar[str] = "talks"

        def choose(self, game, state, *, seed=0, mode="fast"):
            print("hm", flush=True)
            return super().choose(game, state)

    tournament(NIM, (Talks(), First()), games=2)
    out, err = capfd.readouterr()
    assert out == "" and "hm" in err


def test_faults_of_the_rules_stop_the_event_with_their_line(workshop):
    path = workshop.spoil("    s.heap -= m\n", "    s.heap -= m // (1 if s.heap > 4 else 0)  # here\n")
    with pytest.raises(LudwinError, match=rf"stones.py:{workshop.line(path)}: "):
        tournament(load(path), (First(), First()), games=2)


def test_bad_worker_counts_are_refused():
    with pytest.raises(BadParameter, match="at least 1"):
        tournament(NIM, (RANDOM, RANDOM), workers=0)


# Kill and resume

EVENT = ["nim", "uct:playouts=20", "random", "--games", "400", "--seed", "11"]


@pytest.fixture
def run(start):
    """Run `ludwin match` in a process of its own."""

    def do(*words, wait=True):
        process = start(
            [sys.executable, "-m", "ludwin", "match", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if not wait:
            return process
        out, err = process.communicate(timeout=100)
        assert process.returncode == 0, err
        return out

    return do


def kill_and_resume(run, tmp_path, kills, event, seconds):
    """Kill an event at random moments, again and again; return its final file and the undisturbed one."""
    rng = random.Random(5)
    whole, path = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    run(*event, "--out", str(whole))
    done = 0
    while done < kills:
        if path.exists() and len(path.read_bytes().splitlines()) > len(whole.read_bytes().splitlines()) * 0.9:
            path.unlink()  # nearly finished: begin again, so that every kill hits a running event
        words = ["--resume", str(path)] if path.exists() else [*event, "--out", str(path)]
        process = run(*words, "--workers", "2", wait=False)
        size = path.stat().st_size if path.exists() else 0
        while process.poll() is None and not (path.exists() and path.stat().st_size > size):
            time.sleep(0.002)
        time.sleep(rng.random() * seconds)
        if process.poll() is None:
            process.kill()
            done += 1
        process.communicate()
    run("--resume", str(path), "--workers", "2")
    return path.read_bytes(), whole.read_bytes()


def test_ten_random_kills_leave_the_same_file(tmp_path, run):
    killed, whole = kill_and_resume(run, tmp_path, 10, EVENT, 0.05)
    assert killed == whole


@pytest.mark.slow
def test_fifty_random_kills_leave_the_same_file(tmp_path, run):
    event = [
        "draughts",
        "alphabeta:depth=5",
        "alphabeta:depth=4",
        "--games",
        "400",
        "--seed",
        "3",
        "--openings",
        "ballots",
    ]
    killed, whole = kill_and_resume(run, tmp_path, 50, event, 0.5)
    assert killed == whole


def test_workers_die_with_their_parent(tmp_path, run):
    process = run(
        "nim",
        "uct:playouts=100000",
        "random",
        "--workers",
        "2",
        "--games",
        "100",
        "--out",
        str(tmp_path / "x"),
        wait=False,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        process.communicate()
        pytest.skip("no /proc here")
    while len(found := children.read_text().split() if process.poll() is None else []) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.communicate()
    give_up = time.monotonic() + 5
    while any(Path(f"/proc/{pid}").exists() for pid in found) and time.monotonic() < give_up:
        time.sleep(0.02)
    assert not any(Path(f"/proc/{pid}").exists() for pid in found)


def test_ctrl_c_says_how_to_go_on(tmp_path, run):
    path = tmp_path / "games.jsonl"
    process = run(*EVENT[:3], "--games", "100000", "--workers", "2", "--out", str(path), wait=False)
    while process.poll() is None and not (path.exists() and path.stat().st_size >= 2000):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert out == ""
    assert f"of 100000 games; go on with: ludwin match --resume {path}" in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_ten_thousand_games_do_not_grow_in_memory(tmp_path):
    import resource

    sizes = []

    class Watch(Silent):
        def done(self, number, about="", *, step=""):
            measure(number)

    def measure(games):
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in (os.getpid(), *children)]
        sizes.append((games, sum(pages) * resource.getpagesize()))

    agents = (agent("alphabeta:depth=3"), agent("alphabeta:depth=3,ties=random"))
    tournament(load("draughts"), agents, games=10_000, openings=4, out=tmp_path / "games.jsonl", progress=Watch())
    early = max(size for games, size in sizes if 500 < games <= 2000)
    late = max(size for games, size in sizes if games > 9000)
    print(
        f"{early / 1e6:.1f} MB after 2,000 games, {late / 1e6:.1f} MB after 10,000: {100 * (late / early - 1):+.2f} %"
    )
    assert late < 1.05 * early
