"""`python -m ludwin` is the command `ludwin`; both begin here.

Why it is here.  Ctrl-C can come while the program is still being loaded.  There is nothing to lose then, and nothing to
say: the process ends with 130, whatever import it was in.  From then on `ludwin.cli.interrupts` watches.

Our matrices are small, and cores are for workers: linear algebra takes one thread, unless the user's environment says
otherwise.  Its threads wait for each other by spinning, which costs twice the time, and far more on a busy machine.
"""

import os
import signal
import sys
from types import FrameType

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def main() -> int:
    """Run the command line and return its exit code."""
    for name in ONE_THREAD:  # read when NumPy is imported, which is later
        os.environ.setdefault(name, "1")
    awaits = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not if it is ignored, as behind `nohup`
    if awaits:
        signal.signal(signal.SIGINT, _leave)
    from ludwin.cli import interrupts
    from ludwin.cli import main as run

    code: object = interrupts.INTERRUPTED
    try:
        if awaits:
            interrupts.watch()
        code = run()
    except KeyboardInterrupt:  # a second one, or one before the command was read
        pass
    except SystemExit as error:
        code = error.code
        if code != interrupts.INTERRUPTED:
            raise
    if code == interrupts.INTERRUPTED:  # what threads do still, nobody waits for
        interrupts.leave()
    assert isinstance(code, int)
    return code


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
