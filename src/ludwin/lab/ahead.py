"""Compiling ahead: the kernel of the next agent, while another one plays.

Why it is here.  A table meets many agents, each with a kernel of its own, and the second core is idle while one of them
is compiled.
"""

import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from ludwin.game import Game
from ludwin.library import agent, load
from ludwin.search.mcts import Family


@contextmanager
def compiling(game: Game, text: str, workers: int) -> Iterator[None]:
    """Compile an agent's kernel in a process of its own while the body works with another: the second core is idle
    then.

    Only the cache is filled; whoever needs the kernel next waits for it there.  Alone (one worker) nothing is done.
    """
    if workers < 2:
        yield
        return
    beside = multiprocessing.get_context("spawn").Process(target=_compile, args=(game.text, text), daemon=True)
    beside.start()
    try:
        yield
    except BaseException:
        beside.terminate()
        raise
    beside.join()


def _compile(game: str, text: str) -> None:
    """Fill the cache: the life of the process beside."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's
    made = agent(text)
    assert isinstance(made, Family)
    made.session(load(game))
