"""`python -m ludwin` is the command `ludwin`; both begin here.

Why it is here.  Ctrl-C can come while the program is still being loaded.  There is nothing to lose then, and nothing to
say: the process ends with 130, whatever import it was in.  From then on interrupts are the command's own business.
"""

import os
import signal
import sys
from types import FrameType


def main() -> int:
    """Run the command line and return its exit code."""
    awaits = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not if it is ignored, as behind `nohup`
    if awaits:
        signal.signal(signal.SIGINT, _leave)
    from ludwin.cli import main as run

    try:
        if awaits:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return run()
    except KeyboardInterrupt:  # a second one, or one before the command was read
        return 130


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
