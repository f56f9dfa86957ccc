"""Another program, spoken to line by line over its stdin and stdout, whatever it does.

Why it is here.  A program that is not ours may hang, flood us, say half a line, die or refuse to die.  Nothing of this
may hold up whoever asked it: every write and every read has a deadline, what it says is limited, and it is started in
a session of its own, so that it goes with all that it has started itself.  If we die first it is told by the end of its
stdin, and where the system can do it (Linux) it is ended with us.

What it writes to stderr is read along and thrown away but for its last line, which tells why it ended.
"""

import os
import selectors
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from ludwin import formats
from ludwin.errors import BadParameter, CannotPlay, Misbehaved
from ludwin.workers import forget_group, note_group

LONGEST = 2**16  # bytes of a line
FLOOD = 2**20  # bytes between a question and its answer
TAIL = 4096  # bytes of stderr that are kept
PARTING = 0.5  # seconds to leave in
END = 5.0  # seconds until the system has ended what was killed


def words_of(command: str) -> list[str]:
    """Return the words of a command, as a shell would split them; nothing else of a shell is done."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadParameter(f"process: {command!r} cannot be split into words: {str(error).lower()}") from None
    if not words or "\0" in command:
        raise BadParameter('process needs a command: process:./bot or process:"python3 bot.py --level 3",seconds=2')
    return words


def die_with_parent() -> Any:
    """Return what a new process does first: hear Ctrl-C, and on Linux end when the thread that started it ends."""
    prctl: Any = None
    parent = os.getpid()
    if sys.platform == "linux" and threading.current_thread() is threading.main_thread():
        import ctypes

        prctl = ctypes.CDLL(None).prctl

    def first() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if prctl is not None:
            prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG
            if os.getppid() != parent:  # it ended before we asked
                os._exit(1)

    return first


class Pipes:
    """A running program and what it has said so far."""

    def __init__(self, command: str, show: bool = False):
        if os.name != "posix":
            raise CannotPlay("process agents need pipes that can be waited for, which this system does not have")
        words = words_of(command)
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if show else subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                preexec_fn=die_with_parent(),
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise Misbehaved(f"the program {words[0]!r} cannot be started: {reason.lower()}") from None
        note_group(self.process.pid)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.stderr = -1 if self.process.stderr is None else self.process.stderr.fileno()
        for handle in (self.stdin, self.stdout, self.stderr):
            if handle >= 0:
                os.set_blocking(handle, False)
        self.said = b""  # and not yet read
        self.tail = b""  # of stderr
        self.heard = 0  # bytes since the last question
        self.closed = False

    def ask(self, question: str, deadline: float | None) -> None:
        """Send a line. Raises Misbehaved if the program has ended or does not read, TimeoutError at the deadline."""
        blob = memoryview(question.encode("utf8") + b"\n")
        self.heard = 0
        while blob:
            self._wait(deadline, writing=True)
            try:
                blob = blob[os.write(self.stdin, blob) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._ended() from None

    def answer(self, deadline: float | None) -> Any:
        """Return the next line that is not empty, decoded. Raises Misbehaved, and TimeoutError at the deadline."""
        return self._decoded(self._line(deadline))

    def line(self, deadline: float | None) -> str:
        """Return the next line that is not empty, as text; a program may say as many as it wants before its answer.

        Raises Misbehaved, and TimeoutError at the deadline.
        """
        text = ""
        while not text:  # Unicode has more blanks than bytes have
            text = self._line(deadline).decode("utf8", "replace").strip()
        self.heard = len(self.said)
        return text

    def _line(self, deadline: float | None) -> bytes:
        while True:
            line, newline, rest = self.said.partition(b"\n")
            if newline:
                self.said = rest
                if line.strip():
                    return line
                continue
            if len(line) > LONGEST:
                raise Misbehaved(f"wrote a line of more than {LONGEST:,} bytes")
            self._wait(deadline, writing=False)

    def waiting(self) -> bool:
        """Tell whether a whole line has come that nobody has read, without waiting for one."""
        with suppress(Misbehaved):
            self._listen()
        return bool(self.said.rpartition(b"\n")[0].strip())

    def _decoded(self, line: bytes) -> Any:
        if len(line) > LONGEST:
            raise Misbehaved(f"wrote a line of more than {LONGEST:,} bytes")
        try:
            return formats.decode(line)
        except formats.Mismatch as error:
            text = formats.shown(line.decode("utf8", "replace").strip())
            raise Misbehaved(f"wrote {text}, which is no line of the protocol: {error}") from None

    def _wait(self, deadline: float | None, *, writing: bool) -> None:
        """Wait until the program can be written to, or has said something; what it says meanwhile is read along, for
        it may not listen before it is rid of it.
        """
        with selectors.DefaultSelector() as selector:
            if writing:
                selector.register(self.stdin, selectors.EVENT_WRITE)
            selector.register(self.stdout, selectors.EVENT_READ)
            if self.stderr >= 0:
                selector.register(self.stderr, selectors.EVENT_READ)
            while True:
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    raise TimeoutError
                ready = {key.fd for key, _ in selector.select(left)}
                if self.stderr in ready and not self._read_stderr():
                    selector.unregister(self.stderr)
                    self.stderr = -1
                if self.stdout in ready:
                    self._listen()
                if (self.stdin if writing else self.stdout) in ready:
                    return

    def _listen(self) -> None:
        """Read what there is. Raises Misbehaved at the end, or if it is too much."""
        try:
            blob = os.read(self.stdout, 65536)
        except BlockingIOError:
            return
        except OSError:
            blob = b""
        if not blob:
            raise self._ended()
        self.heard += len(blob)
        self.said += blob
        if self.heard > FLOOD:
            raise Misbehaved(f"wrote more than {FLOOD:,} bytes and no answer")

    def _read_stderr(self) -> bool:
        try:
            blob = os.read(self.stderr, 65536)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.tail = (self.tail + blob)[-TAIL:]
        return bool(blob)

    def _ended(self) -> Misbehaved:
        """Return what is to be said of a program that does not go on."""
        give_up = time.monotonic() + PARTING
        while self.process.poll() is None and time.monotonic() < give_up:
            time.sleep(0.005)
        while self.stderr >= 0 and self._read_stderr() and self._more_on_stderr():
            pass
        code = self.process.poll()
        half = " in the middle of a line" if self.said.strip() else ""
        if code is None:
            how = f"closed its pipes{half} and goes on"
        elif code < 0:
            how = f"was ended{half} by {_signal_name(-code)}"
        else:
            how = f"ended{half} with exit status {code}"
        lines = self.tail.decode("utf8", "replace").strip().splitlines()
        last = f"; its last words: {formats.shown(formats.printable(lines[-1].strip()))}" if lines else ""
        return Misbehaved(f"the program {how}{last}")

    def _more_on_stderr(self) -> bool:
        with selectors.DefaultSelector() as selector:
            selector.register(self.stderr, selectors.EVENT_READ)
            return bool(selector.select(0))

    def end(self, parting: str = "") -> None:
        """Say good-bye, if there is something to say, close the pipes and make sure that nothing is left running."""
        if self.closed:
            return
        self.closed = True
        if parting and self.process.poll() is None:
            with suppress(Misbehaved, TimeoutError, OSError):
                self.ask(parting, time.monotonic() + PARTING)
            self._close(self.process.stdin)
            give_up = time.monotonic() + PARTING
            while self.process.poll() is None and time.monotonic() < give_up:
                time.sleep(0.005)
        self.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            self._close(pipe)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(END)
        forget_group(self.process.pid)

    def kill(self) -> None:
        """End the program with all that it has started, also if it has ended itself and left others behind."""
        with suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)

    @staticmethod
    def _close(pipe: Any) -> None:
        with suppress(OSError):
            if pipe is not None:
                pipe.close()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
