"""200 simulated workers in one process, whose tasks sleep: how long a batch takes, and what the model says.

`python -m tests.cluster.simulate WORKERS NAPS ROUNDS`: naps in seconds and rounds, separated by commas.

The clock is the processor's: time passes while this process computes, and jumps over naps when nothing else is to be
done.  So the load of the machine does not matter.  Scheduler, client and all workers are Dask's own and share the one
processor: a task costs all of them together `c`.  The model says that a batch of R rounds of naps of t seconds on N
workers takes R t + N c, as long as N c < t: the last worker gets its first task after N c, and from then on everybody
comes at another moment, so that nobody waits again.
"""

import asyncio
import json
import sys
import time

from distributed import Client, Scheduler, Worker

from ludwin.cluster.keeper import settle_dask

STRAGGLERS = 0.001  # seconds of real waiting, for threads and sockets, before the clock jumps


class ProcessorLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is what the processor has done, and what was slept without waiting for it."""

    def __init__(self):
        super().__init__()
        self.slept = 0.0
        self.select_really, self._selector.select = self._selector.select, self.select

    def time(self):
        return time.process_time() + self.slept

    def select(self, timeout=None):
        ready = self.select_really(0)
        if ready or timeout == 0:
            return ready
        ready = self.select_really(STRAGGLERS if timeout is not None else 0.05)
        if not ready and timeout is not None and timeout > 0:
            self.slept += timeout
        return ready


async def nap(seconds):
    await asyncio.sleep(seconds)
    return seconds


async def batch(client, workers, seconds, rounds):
    """Carry out a batch, and tell how long it took beside what the model says."""
    loop, tasks = asyncio.get_running_loop(), workers * rounds
    began, used = loop.time(), time.process_time()
    await client.gather(client.map(nap, [seconds] * tasks, pure=False))
    took, cost = loop.time() - began, (time.process_time() - used) / tasks
    model = rounds * seconds + workers * cost
    return {
        **{
            "workers": workers,
            "nap": seconds,
            "rounds": rounds,
            "tasks": tasks,
            "cpu_ms_a_task": round(1000 * cost, 2),
        },
        **{"seconds": round(took, 2), "ideal": rounds * seconds, "efficiency": round(rounds * seconds / took, 3)},
        **{"model_seconds": round(model, 2), "model_efficiency": round(rounds * seconds / model, 3)},
    }


async def main(workers, naps, rounds):
    settle_dask()
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        crew = [Worker(scheduler.address, nthreads=1, dashboard=False, memory_limit=0) for _ in range(workers)]
        for k in range(0, workers, 20):
            await asyncio.gather(*crew[k : k + 20])
        async with Client(scheduler.address, asynchronous=True) as client:
            await client.gather(client.map(nap, [0.1] * workers, pure=False))  # connections are made
            for seconds in naps:
                for count in rounds:
                    print(json.dumps(await batch(client, workers, seconds, count)), flush=True)
        await asyncio.gather(*(worker.close(timeout=1) for worker in crew))


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=ProcessorLoop) as runner:
        runner.run(
            main(int(sys.argv[1]), [float(x) for x in sys.argv[2].split(",")], [int(x) for x in sys.argv[3].split(",")])
        )
