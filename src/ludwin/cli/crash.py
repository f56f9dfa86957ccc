"""The last word when compiled code runs wild: which game it was, and how to find the line.

Why it is here.  Fast code examines no index, so a rule that writes far outside its arrays ends in a segmentation
fault, of which a shell says nothing useful.  The command line (never the library) puts a handler there: compiled code
runs without Python's lock, so Python can still speak, once, before the process ends.
"""

import os
import signal
import sys
from typing import Any

_kept: list[Any] = []  # the handler must live as long as the process


def listen() -> None:
    """Say one line, and leave with exit code 2, where compiled code would end in a segmentation fault."""
    if _kept or not sys.platform.startswith("linux"):
        return
    import ctypes

    from ludwin.kernel import specialise

    def heard(number: int) -> None:
        run = specialise.running[0] if specialise.running else None
        signal.signal(number, signal.SIG_DFL)
        if run is None:  # not our doing: let it crash as it would have
            os.kill(os.getpid(), number)
            return
        line = (
            f"ludwin: {run.game.text}: compiled code left its memory, so some rule uses an index that is out of bounds"
        )
        os.write(2, f"{line}; --mode checked names the line\n".encode())
        os._exit(2)

    made = ctypes.CFUNCTYPE(None, ctypes.c_int)(heard)
    library = ctypes.CDLL(None)
    library.signal.argtypes = [ctypes.c_int, ctypes.CFUNCTYPE(None, ctypes.c_int)]
    library.signal.restype = ctypes.c_void_p
    for number in (signal.SIGSEGV, signal.SIGBUS):
        library.signal(number, made)
    _kept.append(made)
