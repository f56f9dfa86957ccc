"""An agent that thinks while others watch: `agent.think(game, state, seed)`.

The idea.  `choose` answers when it is done; a person who analyses wants to see the answer grow, and to end it at once.
So a handle has three verbs: `peek` for what is known by now, `stop`, and `result`.

Why it is right.  The search is the one of `choose`, with the same seed: if nobody stops it, `result` is the same
choice, bit for bit (for counted budgets).  A search with a cell that ends it runs in a thread of this process, and is
read and stopped there (`ludwin.search.watching`).  All others are carried out at growing budgets in a process of their
own, which is killed; the last budget is the agent's own.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from ludwin.errors import BadParameter, CannotPlay, LudwinError
from ludwin.game import Game, State
from ludwin.search.choice import Agent, Choice
from ludwin.search.watching import SearchWatch, watch

FIRST_PLAYOUTS = 100
STACK = 2**24  # bytes: threads have little on some systems, and compiling is deep
PATIENCE = 0.25  # seconds in which a search that was stopped should end


class NothingFound(LudwinError, RuntimeError):
    """A search was stopped before it had found anything."""


def stages(player: Agent, *, endless: bool = False) -> Iterator[Agent]:
    """Yield the agent at growing budgets, depth by depth or at doubling playouts; the last is the agent itself.

    `endless` goes on beyond it for ever. Raises BadParameter if the agent has neither depth nor playouts.
    """
    timed = bool(budget(player, "nodes") or budget(player, "seconds"))
    depth, playouts = budget(player, "depth"), budget(player, "playouts")
    if depth and not timed:
        number = 1
        while endless or number < depth:
            yield with_settings(player, depth=number)
            number += 1
    elif playouts and not timed:
        number = FIRST_PLAYOUTS
        while endless or number < playouts:
            yield with_settings(player, playouts=number)
            number *= 2
    elif endless:
        raise BadParameter(f"{player} has neither depth nor playouts that could grow; analyse it without --endless")
    yield player


def budget(player: Agent, name: str) -> float:
    """Return a setting of an agent that is a number; 0 if it has none of that name."""
    found: Any = getattr(player, name, 0) if any(item.name == name for item in fields(player)) else 0
    return float(found or 0)


def with_settings(player: Agent, **settings: int) -> Agent:
    """Return the agent with other settings."""
    changes: dict[str, Any] = dict(settings)
    return replace(player, **changes)


class ThinkingHandle:
    """A search that goes on in the background, in a thread of this process or in a process that can be killed."""

    def __init__(self, agent: Agent, game: Game, state: State, seed: int, mode: str):
        self.agent, self.game, self.state, self.seed, self.mode = agent, game, state, seed, mode
        self.watch = SearchWatch()
        self._found: Choice | None = None
        self._last: Choice | None = None
        self._failed: BaseException | None = None
        usual = threading.stack_size(STACK)
        self._thread = threading.Thread(target=self._live, name="ludwin-think", daemon=True)
        self._thread.start()
        threading.stack_size(usual)

    @property
    def done(self) -> bool:
        """Whether it has ended, by itself or because it was stopped."""
        return not self._thread.is_alive()

    def peek(self) -> Choice | None:
        """Return what the search thinks now, None if it has no opinion yet. For display: numbers may be torn."""
        return self._found or self.watch.look() or self._last

    def stop(self, patience: float = PATIENCE) -> bool:
        """End the search, and tell whether it has ended within so many seconds. Stopping twice is fine.

        One that still compiles ends when it begins to search.
        """
        self.watch.stop()
        self._thread.join(max(patience, 0.0))
        return self.done

    def result(self) -> Choice:
        """Wait for the end and return the choice; of a search that was stopped, what it had found by then.

        Raises what the search has raised, and NothingFound if it had found nothing.
        """
        while self._thread.is_alive():
            self._thread.join(0.1)  # a join without an end cannot be interrupted on Windows
        if self._failed is not None:
            raise self._failed
        found = self._found or self._last
        if found is None:
            raise NothingFound(f"{self.agent} was stopped before it had found a move")
        return found

    def _live(self) -> None:
        watch.set(self.watch)
        try:
            found = self._work()
            if found is not None:
                self._found = found
        except BaseException as error:  # told to whoever asks for the result
            if not self.watch.stopped or not isinstance(error, NothingFound):
                self._failed = error

    def _work(self) -> Choice | None:
        """Search here; a search that is stopped answers with what it has."""
        if self.watch.stopped:
            return None
        return self.agent.choose(self.game, self.state, seed=self.seed, mode=self.mode)


class ThinkingApart(ThinkingHandle):
    """A search without a cell that ends it: at growing budgets, in a process that is killed."""

    def _work(self) -> Choice | None:
        from ludwin.workers import Processes, Task

        game, state, seed, mode = self.game, self.state, self.seed, self.mode
        self.agent.warm(game, mode)  # here, so that every stage has it

        class OneBudget(Task[Agent, Choice]):
            """One search, of one budget."""

            def do(self, tool: Any, part: Agent) -> Choice:
                """Return the choice of the agent with this budget."""
                return part.choose(game, state, seed=seed, mode=mode)

        crew: Processes[Agent, Choice] = Processes(OneBudget(), 1)
        self.watch.began = True
        try:
            waiting = list(stages(self.agent))
            while waiting and not self.watch.stopped:
                crew.fill(iter(waiting[:1]))
                worker = crew.workers[0]
                while worker.parts and not self.watch.stopped:
                    worker.pipe.poll(0.02)
                    for choice in worker.collect():
                        self._last = choice
                        waiting.pop(0)
                    if worker.parts and not worker.process.is_alive() and not worker.collect():
                        raise _died(worker)
            return self._last if not waiting else None
        finally:
            crew.close()


def _died(worker: Any) -> LudwinError:
    from ludwin.workers import cause_of

    worker.process.join()
    return CannotPlay(f"the search died ({cause_of(worker.process.exitcode)})")


def begin(agent: Agent, game: Game, state: State, seed: int = 0, mode: str = "fast") -> ThinkingHandle:
    """Let an agent think about a position. Raises CannotPlay if it does not play the game."""
    from ludwin.search.choice import must_move
    from ludwin.workers import FORK, is_worker

    agent.suits(game)
    must_move(game, state)
    apart = not agent.heeds(game, mode) and FORK and not is_worker()
    return (ThinkingApart if apart else ThinkingHandle)(agent, game, state, seed, mode)


def until_done(thinking: ThinkingHandle, seconds: float) -> bool:
    """Wait at most so long for the end, and tell whether it has come."""
    until = time.monotonic() + seconds
    while not thinking.done and (left := until - time.monotonic()) > 0:
        thinking._thread.join(left)
    return thinking.done
