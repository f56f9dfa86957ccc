"""A run of a world in a process of its own, for drivers that nobody can stop.

Why it is here.  A driver that runs in Python may catch whatever a watchdog raises in it, sleep, or end its process;
`simulate` must come back all the same.  So such a run is made by a worker, as in an event: one that hangs is killed,
and the run is made again without the seat that hung.  What the seats answered comes back, and from that the caller
makes the run once more, without a line of the drivers' code.
"""

from ludwin.arena.records import Record
from ludwin.arena.schedule import Job
from ludwin.arena.simulate import Simulated, Stage, unpack
from ludwin.arena.terms import Terms
from ludwin.arena.workers import Pool
from ludwin.arena.world_desk import WorldDesk
from ludwin.workers import FORK, is_worker


def play_apart(stage: Stage, seed: int, rotation: int) -> Simulated:
    """Return run 0 of a match with this seed. A process that may have no workers makes the run itself."""
    players = stage.game.players
    job = Job(0, tuple(range(players)), 0, rotation % players)
    if not FORK or is_worker():
        return stage.play(job.seed(seed, True), job.rotation)
    record = _of_worker(stage, seed, job)
    assert record.course is not None
    cells = record.course.ticks * len(stage.game.controls)
    recorded = [None if text is None else unpack(text, cells) for text in record.course.controls or (None,) * players]
    lost = {loss.player: loss for loss in record.course.lost if recorded[loss.player] is not None}
    return stage.play(job.seed(seed, True), job.rotation, lost=lost, recorded=recorded)


def _of_worker(stage: Stage, seed: int, job: Job) -> Record:
    terms = Terms(games=stage.game.players, seed=seed, patience=stage.patience)
    pool = Pool(WorldDesk(stage.game, stage.agents, terms, stage.mode), 1)
    try:
        for records in pool.run(iter([job])):
            for record in records:
                return record
    finally:
        pool.close()
    raise AssertionError("a crew ends when all is done")
