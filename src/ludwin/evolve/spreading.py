"""Asking a user's function about many parts, in one process or in several: the answers are the same, in their order.

Why it is here.  A fitness may be any function, also one that takes seconds; worker processes have the parts already
(they are forks), so that nothing of the user's has to be sent to them but a number.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ludwin.errors import BadParameter, LudwinError
from ludwin.workers import FORK, Processes, Task, is_worker


class SpreadOut(Task[Any, Any]):
    """What a worker process does: ask about one part, and say which."""

    def __init__(self, ask: Callable[[Any], Any], parts: Sequence[Any]):
        self.ask, self.parts = ask, parts

    def do(self, tool: Any, part: Any) -> Any:
        return part, self.ask(self.parts[part])


def spread_out(ask: Callable[[Any], Any], parts: Sequence[Any], workers: int) -> Iterator[Any]:
    """Yield the answers in the order of the parts; several workers are processes that have the parts already."""
    if workers < 2 or len(parts) < 2 or not FORK or is_worker():
        yield from map(ask, parts)
        return
    crew: Processes[int, tuple[int, Any]] = Processes(SpreadOut(ask, parts), min(workers, len(parts)))
    waiting: dict[int, Any] = {}
    taken = 0
    try:
        for found in crew.run(iter(range(len(parts)))):
            waiting.update(found)
            while taken in waiting:
                yield waiting.pop(taken)
                taken += 1
    except LudwinError as error:
        if type(error) is not LudwinError:
            raise
        raise BadParameter(f"{error}: a function that is asked must not end its process") from None
    finally:
        crew.close()
