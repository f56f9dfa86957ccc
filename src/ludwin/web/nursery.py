"""The nursery: a warm process from which the processes of tables are forked.

Why it is here.  A fresh Python takes the better part of a second to import what a table needs, a fork of one that has
imported it some milliseconds.  The server itself must not fork, for it has threads and an event loop; this process has
one thread and does nothing else.  Its children die with it, and it dies with the server, so nothing is left behind: not
even what a game has started and set free, for whoever loses its parent below this process becomes its child (Linux),
and is killed as a stranger.
"""

import os
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from ludwin.formats import decode
from ludwin.web.talk import TalkLine, encode

MOST_MESSAGE = 65536


def main(handle: int) -> None:
    """Fork a child for every socket that comes, and tell of every child that ends, until the server is gone."""
    with suppress(OSError):
        os.setpgid(0, 0)
    children: set[int] = set()
    signal.signal(signal.SIGTERM, lambda *_: _end(children))
    die_with_parent(signal.SIGTERM)
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # the server's stdout holds one line, and none of ours
    control = socket.socket(fileno=handle)
    warm()
    control.send(encode({"ready": os.getpid()}))
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    os.set_blocking(ours, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    waiting = selectors.DefaultSelector()
    waiting.register(control, selectors.EVENT_READ)
    waiting.register(ours, selectors.EVENT_READ)
    while True:
        for key, _ in waiting.select():
            if key.fileobj == ours:
                with suppress(BlockingIOError):
                    os.read(ours, 4096)
            else:
                try:
                    raw, handles, _, _ = socket.recv_fds(control, MOST_MESSAGE, 4)
                except OSError:
                    raw, handles = b"", []
                if not raw:
                    _end(children)
                pid = _fork(decode(raw), handles, [control.fileno(), ours, theirs])
                children.add(pid)
                with suppress(OSError):
                    control.send(encode({"born": pid}))
        _bury(children, control)
        kill_strangers(children)


def _bury(children: set[int], control: socket.socket) -> None:
    """Tell the server of every child that has ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        if pid not in children:
            continue  # a stranger
        children.discard(pid)
        with suppress(OSError):  # what it has started goes with it
            os.killpg(pid, signal.SIGKILL)
        with suppress(OSError):
            control.send(encode({"dead": pid, "code": os.waitstatus_to_exitcode(status)}))


def _end(children: set[int]) -> None:
    """End everybody, whoever is set free by that included, and then this process."""
    for pid in children:
        with suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not kill_strangers(set()):
            break
        time.sleep(0.005)
    os._exit(0)


def kill_strangers(children: set[int]) -> bool:
    """Kill the children of this process that are not in the set, and tell whether there were any."""
    found = children_of(os.getpid()) - children
    for pid in found:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return bool(found)


def children_of(pid: int) -> set[int]:
    """Return the children of a process, where the system tells them (Linux)."""
    found: set[int] = set()
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found |= {int(word) for word in file.read().split()}
    return found


def _fork(message: Any, handles: list[int], close: list[int]) -> int:
    """Make a child that talks over the socket that came along."""
    pid = os.fork()
    if pid:
        for handle in handles:
            os.close(handle)
        with suppress(OSError):
            os.setpgid(pid, pid)
        return pid
    try:
        with suppress(OSError):
            os.setpgid(0, 0)
        die_with_parent()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        for handle in close:
            os.close(handle)
        sys.stdin = open(os.devnull)  # noqa: SIM115
        line = TalkLine(socket.socket(fileno=handles[0]))
        _work(str(message.get("kind")), line)
    except BaseException as error:
        with suppress(Exception):
            print(f"ludwin: a table has failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def _work(kind: str, line: TalkLine) -> None:
    if kind == "table":
        from ludwin.web.table_worker import TableProcess

        TableProcess(line).serve()
    else:
        from ludwin.web.desk_worker import serve

        serve(line)


def adopt_orphans() -> None:
    """Ask the kernel to make whoever loses its parent below this process a child of this process."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Ask the kernel to end this process when its parent ends; elsewhere the closed socket tells it."""
    if sys.platform != "linux":
        return
    import ctypes

    parent = os.getppid()
    ctypes.CDLL(None).prctl(1, int(number))  # PR_SET_PDEATHSIG
    if os.getppid() != parent or parent == 1:
        os._exit(1)


def warm() -> None:
    """Import what tables need, and search once if that needs no compiler."""
    import ludwin.web.desk_worker
    import ludwin.web.table_worker  # noqa: F401
    from ludwin import library
    from ludwin.kernel.specialise import is_made

    game, player = library.load("tic-tac-toe"), library.agent("alphabeta:depth=2,deepen=1,table=4")
    kernel = player.kernel(game)
    if kernel is not None and is_made(game, kernel, "fast"):
        player.choose(game, game.start())


if __name__ == "__main__":
    main(int(sys.argv[1]))
