"""Compiling ahead: the kernel of the next agent, while another one plays.

Why it is here.  A table meets many agents, each with a kernel of its own, and the second core is idle while one of them
is compiled.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ludwin.game import Game
from ludwin.library import agent, load
from ludwin.search.montecarlo.family import Family
from ludwin.workers import Processes, Task


@contextmanager
def compiling(game: Game, text: str, workers: int) -> Iterator[None]:
    """Compile an agent's kernel in a process of its own while the body works with another: the second core is idle
    then.

    Only the cache is filled; whoever needs the kernel next waits for it there.  Alone (one worker) nothing is done.
    """
    if workers < 2:
        yield
        return
    crew = Processes(Compiling(), 1)
    try:
        crew.fill(iter([(game.text, text)]))
        yield
        for _ in crew.run(iter(())):
            pass
    finally:
        crew.close()


class Compiling(Task[tuple[str, str], bool]):
    """Fills the cache: what the process beside does."""

    def do(self, tool: None, part: tuple[str, str]) -> bool:
        """Compile the search of an agent for a game."""
        made = agent(part[1])
        assert isinstance(made, Family)
        made.session(load(part[0]))
        return True
