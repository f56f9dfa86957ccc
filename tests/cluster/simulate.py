"""200 simulated workers in one process, whose tasks sleep: how much of the ideal is reached, by task length."""

import asyncio
import json
import sys
import time

from distributed import Client, Scheduler, Worker

from ludwin.cluster.keeper import settle_dask


async def main(workers, seconds, rounds):
    settle_dask()
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as s:
        ws = [Worker(s.address, nthreads=1, dashboard=False, memory_limit=0) for _ in range(workers)]
        for k in range(0, workers, 20):
            await asyncio.gather(*ws[k : k + 20])
        async with Client(s.address, asynchronous=True) as c:
            for length in seconds:
                n = workers * rounds

                async def nap(t):
                    await asyncio.sleep(t)
                    return t

                c0 = time.process_time()
                t0 = time.time()
                fs = c.map(nap, [length] * n, pure=False)
                await c.gather(fs)
                wall = time.time() - t0
                print(
                    json.dumps(
                        {
                            "workers": workers,
                            "nap": length,
                            "tasks": n,
                            "wall": round(wall, 2),
                            "ideal": length * rounds,
                            "efficiency": round(length * rounds / wall, 3),
                            "cpu_ms_a_task": round(1000 * (time.process_time() - c0) / n, 2),
                        }
                    ),
                    flush=True,
                )
        await asyncio.gather(*(w.close(timeout=1) for w in ws))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), [float(x) for x in sys.argv[2].split(",")], int(sys.argv[3])))
