"""How the server and its processes talk: objects in JSON, one a line, over a socket.

Why it is here.  Both ends read what the other writes with the same suspicion, and neither unpickles anything.
"""

import json
import math
import socket
import threading
from pathlib import Path
from typing import Any

from ludwin.errors import LudwinError, RuleError
from ludwin.formats import decode

MOST_LINE = 64 * 2**20


def encode(message: dict[str, Any]) -> bytes:
    """Return a message as a line."""
    try:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False)
    except ValueError:  # a value of a user's game that JSON cannot say
        text = json.dumps(_finite(message), ensure_ascii=False, separators=(",", ":"), default=str)
    return text.encode("utf8", "replace") + b"\n"


def _finite(data: Any) -> Any:
    """Return JSON values with None instead of what JSON cannot say."""
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, list | tuple) else data


def error_of(error: BaseException) -> dict[str, Any]:
    """Return an error as the API tells it: one line, as the command line would say it, and where it is."""
    told = str(error).splitlines()[0] if str(error) else type(error).__name__
    found: dict[str, Any] = {"type": type(error).__name__, "message": told, "file": None, "line": None}
    if isinstance(error, RuleError):  # folders of the machine are nobody's business
        file = Path(error.path).name if error.path else None
        found |= {"message": error.reason.splitlines()[0], "file": file, "line": error.line}
    return found


class TalkLine:
    """One end of a line, in a process of ours: threads may write, one reads."""

    def __init__(self, end: socket.socket):
        self.end = end
        self.file = end.makefile("rb")
        self.lock = threading.Lock()

    def read(self) -> dict[str, Any] | None:
        """Return the next message; None if the other side is gone."""
        try:
            raw = self.file.readline(MOST_LINE)
        except OSError:
            return None
        if not raw.endswith(b"\n"):
            return None
        found = decode(raw)
        return found if isinstance(found, dict) else {}

    def write(self, message: dict[str, Any]) -> None:
        """Send a message; if nobody is there any more, the process ends."""
        raw = encode(message)
        with self.lock:
            self.end.sendall(raw)

    def answer(self, number: Any, work: Any) -> None:
        """Send what some work returns, or what it raises."""
        try:
            self.write({"id": number, "ok": work()})
        except LudwinError as error:
            self.write({"id": number, "error": {**error_of(error), "known": True}})
        except (ValueError, OverflowError, RecursionError, MemoryError) as error:
            self.write({"id": number, "error": {**error_of(error), "known": True}})
        except OSError as error:
            self.write({"id": number, "error": {**error_of(error), "known": True}})
        except Exception as error:  # a user's rules may raise anything; one of our own mistakes is told as such
            self.write({"id": number, "error": {**error_of(error), "known": False}})
