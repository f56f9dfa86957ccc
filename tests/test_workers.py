"""The one seam for work done several parts at a time: order, errors, deaths and interruptions."""

import ast
import os
import signal
import threading
import time
from itertools import count
from pathlib import Path

import pytest

import ludwin
from ludwin.errors import LudwinError
from ludwin.workers import Processes, Task, Threads, end_groups, forget_group, note_group

ROOT = Path(ludwin.__file__).parent


def test_nobody_else_makes_pools_or_worker_processes():
    for path in ROOT.rglob("*.py"):
        text = path.read_text(encoding="utf8")
        if path == ROOT / "workers.py" or ("multiprocessing" not in text and "concurrent" not in text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
                assert not {"multiprocessing", "concurrent.futures"} & set(names), f"{path}:{node.lineno}"


# Threads


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_the_order_of_their_parts(workers):
    def nap(tool, k):
        time.sleep(0.001 * (k * 7 % 5))
        return k * k

    assert list(Threads(nap, workers).map(range(40))) == [k * k for k in range(40)]


def test_every_thread_has_a_tool_of_its_own_and_keeps_it():
    tools = count()

    def use(tool, k):
        time.sleep(0.002)
        return tool, threading.get_ident()

    pairs = set(Threads(use, 3, lambda: next(tools)).map(range(30)))
    assert len(pairs) == len({tool for tool, _ in pairs}) == len({thread for _, thread in pairs}) <= 3


def test_what_a_part_raises_is_raised_at_its_turn_and_no_thread_is_left():
    def fail(tool, k):
        if k == 3:
            raise ValueError("three")
        return k

    before, got = threading.active_count(), []
    with pytest.raises(ValueError, match="three"):
        for result in Threads(fail, 4).map(range(100)):
            got.append(result)
    assert got == [0, 1, 2] and threading.active_count() == before


def test_a_crew_that_nobody_waits_for_is_told_to_end_its_parts():
    ended, begun = [threading.Event() for _ in range(3)], []

    def work(tool, k):
        begun.append(k)
        return tool.wait(30) if k else None

    tools = iter(ended)
    results = Threads(work, 3, lambda: next(tools), threading.Event.set).map(range(9))
    next(results)
    before = time.monotonic()
    results.close()
    assert time.monotonic() - before < 10 and len(begun) < 9


def test_a_tool_that_cannot_be_made_is_told():
    def broken():
        raise LudwinError("no tool")

    with pytest.raises(LudwinError, match="no tool"):
        list(Threads(lambda tool, k: k, 2, broken).map(range(3)))


def test_endless_work_is_begun_only_as_far_as_it_is_taken():
    begun = []

    def parts():
        for k in count():
            begun.append(k)
            yield k

    work = Threads(lambda tool, k: k, 2).map(parts(), ahead=3)
    assert [next(work) for _ in range(5)] == [0, 1, 2, 3, 4]
    work.close()
    assert len(begun) <= 5 + 3 * 2 and threading.active_count() >= 1


# Processes


class Square(Task):
    """Squares numbers; some of them kill the worker, the first time or always."""

    def __init__(self, folder, deadly=(), always=False):
        self.folder, self.deadly, self.always = str(folder), set(deadly), always

    def open(self, cells):
        return {"cells": cells, "pid": os.getpid()}

    def do(self, tool, part):
        mark = Path(self.folder, str(part))
        if part in self.deadly and (self.always or not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if part == 13:
            raise LudwinError("thirteen")
        return part, part * part

    def close(self, tool):
        Path(self.folder, f"closed-{os.getpid()}").touch()


def all_of(crew, parts):
    try:
        return dict(result for batch in crew.run(iter(parts)) for result in batch)
    finally:
        crew.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_processes_do_all_parts_whoever_dies(tmp_path, workers):
    crew = Processes(Square(tmp_path, deadly=(5,)), workers)
    parts = [k for k in range(200) if k != 13]
    assert all_of(crew, parts) == {k: k * k for k in parts}


def test_a_part_that_always_kills_its_worker_ends_the_work(tmp_path):
    with pytest.raises(LudwinError, match=r"workers die before they are done \(signal SIGKILL\)"):
        all_of(Processes(Square(tmp_path, deadly=(5,), always=True), 2), range(10))


def test_an_error_of_a_part_is_told_in_its_words(tmp_path):
    with pytest.raises(LudwinError, match=r"^thirteen$"):
        all_of(Processes(Square(tmp_path), 2), range(20))


def test_work_can_be_begun_and_waited_for_later(tmp_path):
    crew = Processes(Square(tmp_path), 1)
    crew.fill(iter([4]))
    assert all_of(crew, ()) == {4: 16}


def test_closing_ends_workers_and_the_groups_that_they_have_noted(tmp_path):
    class Starts(Task):
        def do(self, tool, part):
            import subprocess
            import sys

            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
            note_group(child.pid)
            return child.pid

    crew = Processes(Starts(), 2)
    pids = [pid for batch in crew.run(iter(range(2))) for pid in batch]
    crew.close()
    until = time.monotonic() + 3
    alive = pids
    while alive and time.monotonic() < until:
        alive = [pid for pid in pids if Path(f"/proc/{pid}").exists() and "Z" not in state_of(pid)]
        time.sleep(0.01)
    assert not alive


def state_of(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"


def test_groups_are_noted_and_forgotten():
    note_group(2**22 + 12345)  # beyond every process of a usual system
    end_groups()
    forget_group(2**22 + 12345)
