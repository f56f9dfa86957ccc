"""Replay of worlds that tick: a recorded run made again, from its seed and the controls on record.

Why it is here.  A run has no moves to be examined, but it has a stronger proof: the same seed and the same controls
lead to the same final state, bit for bit.  Drivers of ours are asked again; what a user's file answered is on
record, so that no record ever runs a driver.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ludwin import trust
from ludwin.arena.records import Record
from ludwin.arena.schedule import Job
from ludwin.arena.simulate import Frame, Simulated, Stage, unpack
from ludwin.errors import LudwinError
from ludwin.game import Game
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive, Lost, Pilot


@dataclass(frozen=True)
class OnRecord(Agent):
    """Stands in for a driver whose controls are on record."""

    name: ClassVar[str] = "on-record"

    def drive(self, game: Game) -> Drive:
        """Return a drive that nobody asks: what it would answer is handed in."""

        def pilot(player: int, seed: int) -> Pilot:
            def answer(view: Any) -> None:
                raise Lost("its controls are not on record")

            return answer

        return Drive((), pilot)


def run_again(
    game: Game, agents: Sequence[str], seed: int, record: Record, origin: Path, frame: Frame | None = None
) -> Simulated:
    """Make a recorded run again; `frame` gets every state. Raises LudwinError if that cannot be done."""
    course = record.course
    if course is None:
        raise LudwinError(f"{game.name} is a world that ticks, and the record has no ticks")
    if record.moves or record.opening or record.position is not None or record.by is not None:
        raise LudwinError("nobody moves or forfeits in a world that ticks")
    if course.ticks > game.max_plies:
        raise LudwinError(f"the run has {course.ticks} ticks, and MAX_TICKS is {game.max_plies}")
    order = tuple(sorted(record.seats))
    job = Job(record.game, order, record.pair, order.index(record.seats[0]))
    if job.seats != record.seats:
        raise LudwinError(f"seats are rotated in turn, got {list(record.seats)}")
    controls = course.controls or (None,) * len(record.seats)
    recorded = [None if text is None else unpack(text, course.ticks * len(game.controls)) for text in controls]
    by_agent = dict(zip(record.seats, recorded, strict=True))
    seated = [OnRecord() if by_agent[k] is not None else trust.agent(agents[k], origin) for k in order]
    stage = Stage(game, seated, "fast")
    lost = {loss.player: loss for loss in course.lost if recorded[loss.player] is not None}  # others show by themselves
    taken = recorded if any(numbers is not None for numbers in recorded) else ()
    return stage.play(job.seed(seed, len(agents) == game.players), job.rotation, lost=lost, recorded=taken, frame=frame)


def examine_run(game: Game, agents: Sequence[str], seed: int, record: Record, origin: Path) -> None:
    """Raise LudwinError unless a run, made again, is what its record says."""
    done = run_again(game, agents, seed, record, origin)
    assert record.course is not None
    found = (done.ticks, done.end, done.payoffs, done.mark)
    said = (record.course.ticks, record.end, record.payoffs, record.course.final)
    for what, one, two in zip(("ticks", "end", "payoffs", "final state"), found, said, strict=True):
        if one != two:
            raise LudwinError(f"the {what} should be {one}, the record says {two}")
    if done.lost != record.course.lost:
        raise LudwinError("players do not lose their controls as the record says")
