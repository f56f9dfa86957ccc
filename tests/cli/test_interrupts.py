"""Ctrl-C ends every command within a second with exit 130, wherever it comes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is another thing there")

# A second of ours, and what a crowded machine adds to the start and the end of a process.
SECONDS = 1.0 + 1.5


def start(folder, *words, ignored=False, **environ):
    """Start a command; the suite may itself run where interrupts are ignored, so what they do is said."""

    def signals():
        signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.SIG_DFL)

    environ = {**os.environ, "PYTHONUNBUFFERED": "1", **environ}
    command = [sys.executable, "-m", "ludwin", *words]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=folder, env=environ, text=True, preexec_fn=signals, **pipes)


def wait_until_busy(process, seconds):
    """Wait until a process, with those that it has started, has used so much CPU time, so that it is in the middle."""
    tick = os.sysconf("SC_CLK_TCK")
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        used = 0
        for pid in [process.pid, *children(process.pid)]:
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            used += int(fields[11]) + int(fields[12])
        if used / tick >= seconds or process.poll() is not None:
            return
        time.sleep(0.02)
    pytest.fail("the process does nothing")


def children(pid):
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in task.read_text().split()]
        except OSError:
            continue
    return found


def interrupt(process):
    """Interrupt a process; return its exit code, how long it took, and what it said."""
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    return process.returncode, time.monotonic() - began, out, err


LONG = {
    "a search": "choose connect-four alphabeta:depth=40",
    "a count": "perft draughts 16",
    "threads": "choose connect-four mcts:playouts=100000000,trees=4",
    "a clock": "choose connect-four uct:playouts=0,seconds=1000",
    "analysis": "analyse connect-four alphabeta:depth=40",
    "checks": "check carcassonne --playouts 1000000",
    "a match": "match connect-four alphabeta:depth=40 random",
    "a tournament": "tournament connect-four alphabeta:depth=40 random uct:playouts=100000000 --workers 2",
    "evolution": "evolve lose-checkers --preset paper",
    "watching": "play connect-four alphabeta:depth=40 random",
    "a study": "study twist-uct-c --games 100000",
    "plain Python": "perft draughts 16 --mode plain",
    "plans": "solve tiles:rows=5,columns=5 nested:nodes=0 --from #1..9 --workers 2",
    "solvers": "evolve freecell --set nodes=1000000000 deals=50 patience=0 depth=5 --workers 2",
}
QUICK = {"a search", "threads", "a match", "evolution", "plans"}  # for every run; the rest is slow


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")
@pytest.mark.parametrize(
    "what", [what if what in QUICK else pytest.param(what, marks=pytest.mark.slow) for what in LONG]
)
def test_a_command_that_is_busy_ends_within_a_second(what, tmp_path):
    process = start(tmp_path, *LONG[what].split())
    wait_until_busy(process, 1.5)
    workers = children(process.pid)
    code, seconds, out, err = interrupt(process)
    assert code == 130, err
    assert seconds < SECONDS
    assert "Traceback" not in err
    last = (out if what == "watching" else err).rstrip().splitlines()[-1]
    assert last.startswith(("ludwin: ", "Left after 0 moves. Go on with: "))
    give_up = time.monotonic() + 5
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < give_up:
        time.sleep(0.02)
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers), "its workers are still there"


def test_a_game_that_waits_for_a_person_ends_at_once(tmp_path):
    process = start(tmp_path, "play", "nim", "random", "--mode", "plain")
    while "> " not in (text := process.stdout.read(1)) and text != ">":
        assert text, process.stderr.read()
    code, seconds, _, err = interrupt(process)
    assert code == 130 and seconds < SECONDS and "Traceback" not in err


def test_ctrl_c_at_any_moment_of_the_start_is_no_traceback(tmp_path):
    for delay in (0.05, 0.1, 0.2, 0.3, 0.5):  # the very first moments belong to Python itself
        process = start(tmp_path, "choose", "connect-four", "alphabeta:depth=40")
        wait_until_busy(process, delay)
        code, seconds, out, err = interrupt(process)
        assert (code, out) == (130, "") and seconds < SECONDS
        assert "Traceback" not in err


def test_a_temporary_cache_goes_with_an_interrupted_command(tmp_path):
    (tmp_path / "file").write_text("not a folder", encoding="utf8")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    process = start(
        tmp_path, "perft", "draughts", "16", LUDWIN_CACHE=str(tmp_path / "file" / "cache"), TMPDIR=str(temporary)
    )
    wait_until_busy(process, 1.5)
    assert len(list(temporary.iterdir())) == 1
    assert interrupt(process)[0] == 130
    assert list(temporary.iterdir()) == []


def test_an_interrupt_that_is_ignored_by_the_parents_wish_stays_ignored(tmp_path):
    process = start(tmp_path, "choose", "connect-four", "uct:playouts=0,seconds=3", ignored=True)
    wait_until_busy(process, 2.0)
    code, _, out, _ = interrupt(process)
    assert code == 0 and "plays" in out


def test_what_was_printed_before_an_interrupt_is_not_lost(tmp_path):
    process = start(tmp_path, "analyse", "connect-four", "alphabeta:depth=40", PYTHONUNBUFFERED="")
    wait_until_busy(process, 1.5)
    code, _, out, _ = interrupt(process)
    assert code == 130 and "depth 1 " in out


# A person who has closed the other end of a pipe, or does not read it, must not keep the process.
def test_a_pipe_that_nobody_reads_does_not_keep_the_command(tmp_path):
    script = """
import sys
from ludwin.cli import interrupts
interrupts._remove_temporary_cache = lambda: sys.stdout.write("x" * 1_000_000) or sys.stdout.flush()
interrupts.leave()
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=tmp_path)
    try:
        assert process.wait(timeout=20) == 130
    finally:
        process.kill()
        process.communicate()


FORK = """
import os, signal, sys, time
from ludwin.cli import interrupts
signal.signal(signal.SIGINT, signal.default_int_handler)
interrupts.watch()
child = os.fork()
if child == 0:
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
time.sleep(1.5)
print("still here")
"""


def test_an_interrupt_of_a_forked_process_is_its_own(python):
    assert python(FORK) == "still here"


def test_the_library_leaves_interrupts_alone(python):
    script = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from ludwin import agent, load
nim = load("nim")
agent("alphabeta:depth=2").choose(nim, nim.start())
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print(signal.set_wakeup_fd(-1))
"""
    assert python(script) == "-1"
