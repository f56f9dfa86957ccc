"""Kill whatever there is, again and again, and see whether the result is the same: `python -m tests.cluster.chaos`.

One coordinator, one scheduler, one keeper with two workers.  At random moments one of them (or one of the keeper's
workers) gets SIGKILL; scheduler and keeper are started again by hand, on the same port, the coordinator with --resume.
"""

import argparse
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path

from tests.cluster.clusters import children, end, free_port, ludwin, same_runs, scheduler, start

EVENT = ("tournament", "nim", "./sleepy.py", "uct:playouts=30", "random", "--seed", "7")  # long, but little work
EVOLVE = ("evolve", "connect-four", "--seed", "3", "--set", "population=24", "fitness=16guide2+8co+6fame", "rounds=1")
EVOLVE += ("yardstick_games=40", "finalist_games=40", "champion_games=40", "record_games=20")
SLEEPY = """
import time

def choose(state):
    time.sleep(0.02)
    moves = state.moves()
    return moves[len(moves) // 2]
"""


class Chaos:
    """A cluster that is killed piece by piece."""

    def __init__(self, spare, seed):
        self.spare, self.random = Path(spare), random.Random(seed)
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = scheduler(self.port, self.spare / "scheduler.log")
        self.keeper = self.new_keeper()
        self.counts = dict.fromkeys(("worker", "keeper", "scheduler", "coordinator"), 0)

    def new_keeper(self):
        return start("worker", self.address, "--processes", 2, "--cache", "usual", log=self.spare / "keeper.log")

    def strike(self, coordinator):
        """Kill one of them; return whether it was the coordinator."""
        who = self.random.choice(("worker", "worker", "worker", "keeper", "scheduler", "coordinator"))
        victims = children(self.keeper.pid) if who == "worker" else []
        if who == "worker" and not victims:
            return False
        self.counts[who] += 1
        if who == "worker":
            try:
                import os

                os.kill(self.random.choice(victims), signal.SIGKILL)
            except ProcessLookupError:
                pass
        elif who == "keeper":
            end(self.keeper)
            self.keeper = self.new_keeper()
        elif who == "scheduler":
            end(self.scheduler)
            self.scheduler = scheduler(self.port, self.spare / "scheduler.log")
        else:
            end(coordinator)
            return True
        return False

    def run(self, first, again, strikes, pause):
        """Carry out a command while `strikes` things die; return how often it was begun."""
        done, begun = 0, 1
        coordinator = start(*first, "--cluster", self.address, log=self.spare / "coordinator.log")
        due = time.monotonic() + self.random.uniform(*pause)
        while coordinator.poll() is None or coordinator.returncode:
            if coordinator.poll() is not None:
                raise RuntimeError((self.spare / "coordinator.log").read_text()[-2000:])
            if done < strikes and time.monotonic() > due:
                due = time.monotonic() + self.random.uniform(*pause)
                before = sum(self.counts.values())
                if self.strike(coordinator):
                    begun += 1
                    coordinator = start(*again(), "--cluster", self.address, log=self.spare / "coordinator.log")
                done += sum(self.counts.values()) - before
            time.sleep(0.05)
        return begun, done

    def close(self):
        end(self.keeper, self.scheduler)


def event(spare, games, strikes, pause, seed):
    """Kill during an event; return the counts. Raises AssertionError if the record differs."""
    spare = Path(spare)
    (spare / "sleepy.py").write_text(SLEEPY)
    known = tuple(spare / "sleepy.py" if word == "./sleepy.py" else word for word in EVENT)
    words = (*known, "--games", games)
    calm, wild = spare / "calm.jsonl", spare / "wild.jsonl"
    assert ludwin(*words, "--workers", 2, "--out", calm).returncode == 0
    chaos = Chaos(spare, seed)
    try:

        def again():
            return (*words, "--resume", wild) if wild.exists() else (*words, "--out", wild)

        begun, done = chaos.run((*words, "--out", wild), again, strikes, pause)
    finally:
        chaos.close()
    assert calm.read_bytes() == wild.read_bytes(), "the record differs"
    assert not wild.with_name("wild.jsonl.ahead").exists()
    return {**chaos.counts, "strikes": done, "begun": begun, "games": calm.read_bytes().count(b"\n") - 1}


def evolution(spare, generations, strikes, pause, seed):
    """Kill during an evolution with a hall of fame; return the counts. Raises AssertionError if a byte differs."""
    spare = Path(spare)
    words = (*EVOLVE, f"generations={generations}")
    calm, wild = spare / "calm", spare / "wild"
    found = ludwin(*words, "--workers", 2, "--out", calm)
    assert found.returncode == 0, found.stderr
    chaos = Chaos(spare, seed)
    try:

        def again():
            return ("evolve", "--resume", wild) if (wild / "settings.json").exists() else (*words, "--out", wild)

        begun, done = chaos.run((*words, "--out", wild), again, strikes, pause)
    finally:
        chaos.close()
    assert same_runs(calm, wild)
    return {**chaos.counts, "strikes": done, "begun": begun, "generations": generations}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--event", type=int, default=0, metavar="GAMES", help="of each pair; 0: no event")
    parser.add_argument("--evolution", type=int, default=0, metavar="GENERATIONS", help="0: no evolution")
    parser.add_argument("--strikes", type=int, default=25)
    parser.add_argument("--pause", type=float, nargs=2, default=(3.0, 9.0))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for kind, size in ((event, options.event), (evolution, options.evolution)):
        if size:
            spare = tempfile.mkdtemp(prefix="ludwin-chaos-")
            print(kind.__name__, kind(spare, size, options.strikes, options.pause, options.seed), flush=True)
            shutil.rmtree(spare)


if __name__ == "__main__":
    main()
