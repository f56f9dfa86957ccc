"""Clusters for tests: schedulers, keepers and coordinators as processes that can be killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path


def free_port():
    """Return a port of this machine that nobody uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ludwin(*words, **more):
    """Run a command of ours to its end, and return it with what it printed."""
    return subprocess.run(
        [sys.executable, "-m", "ludwin", *map(str, words)], capture_output=True, text=True, timeout=600, **more
    )


def start(*words, log=None, **more):
    """Start a command of ours."""
    return begun([sys.executable, "-m", "ludwin", *map(str, words)], log, **more)


def begun(command, log=None, **more):
    """Start a program that writes to a log."""
    with open(log or os.devnull, "ab") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, **more)


SCHEDULER = """
import sys, asyncio, logging
from ludwin.cluster.keeper import settle_dask
settle_dask()
from distributed import Scheduler
async def main():
    scheduler = await Scheduler(host="127.0.0.1", port=int(sys.argv[1]), dashboard=False)
    await scheduler.finished()
asyncio.run(main())
"""


def scheduler(port, log=None):
    """Start a scheduler of Dask's on a port, as `dask scheduler` does, and wait until it listens."""
    process = begun([sys.executable, "-c", SCHEDULER, str(port)], log)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return process
        if process.poll() is not None:
            raise RuntimeError("the scheduler has ended")
        time.sleep(0.1)
    raise RuntimeError("the scheduler does not listen")


def children(pid):
    """Return the processes that a process has started."""
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    except OSError:
        pass
    return found


def end(*processes):
    """Kill processes and wait for them."""
    for process in processes:
        if process is not None and process.poll() is None:
            process.send_signal(signal.SIGKILL)
    for process in processes:
        if process is not None:
            process.wait()


def same_runs(one, other, leave=()):
    """Tell whether two folders hold the same bytes, logs and parts excepted; the first difference is raised."""
    kept = []
    for folder in (one, other):
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and path.name != "log.jsonl" and not path.name.endswith(".log")
        }
        kept.append({name: data for name, data in files.items() if not name.startswith(("part-", *leave))})
    assert sorted(kept[0]) == sorted(kept[1]), set(kept[0]) ^ set(kept[1])
    for name in kept[0]:
        assert kept[0][name] == kept[1][name], f"{name} differs"
    return True
