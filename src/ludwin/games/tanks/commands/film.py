"""A battle in the terminal: one frame drawn over the other.

Why it is here.  Whoever works over a line without pictures wants to see who is where.  Where output goes to a file
there is a frame for every hundred turns.
"""

import sys
import time
from collections.abc import Callable, Sequence

from ludwin.game import State

FRAMES = 12  # a second
QUIET = 100  # turns between frames that nobody watches


def show_live(
    states: Sequence[State], names: Sequence[str], speed: int, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Draw a battle, so many turns a second."""
    out = sys.stdout
    who = ", ".join(f"{chr(ord('A') + p)} {name}" for p, name in enumerate(names))
    if not out.isatty():
        for state in [*states[::QUIET], states[-1]]:
            print(state.show(), end="\n\n")
        print(who)
        return
    out.write("\x1b[2J")
    for state in [*states[:: max(1, round(speed / FRAMES))], states[-1]]:
        out.write("\x1b[H" + f"{state.show()}\n{who}".replace("\n", "\x1b[K\n") + "\x1b[K\n\x1b[J")
        out.flush()
        sleep(1 / FRAMES)
