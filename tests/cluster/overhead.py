"""CPU of all processes per task of a millisecond, and beside built-in workers at tasks of one second."""

import json
import os
import sys
import time

import psutil

import ludwin.spread as spread
from ludwin.cluster.errands import NAP, SUM
from ludwin.cluster.opening import Wish, opened
from ludwin.spread import AtHome, in_order


def cpu(pids):
    total = 0.0
    for p in pids:
        try:
            t = psutil.Process(p).cpu_times()
            total += t.user + t.system
        except psutil.NoSuchProcess:
            pass
    return total


def tree():
    me = psutil.Process()
    return [me.pid, *(c.pid for c in me.children(recursive=True))]


def main():
    with opened(Wish("local:2"), print) as cluster:
        while len(cluster.workers) < 2:
            time.sleep(0.2)
        # one part a task: Chunks would put many together
        list(in_order(cluster, NAP, {}, [0.0] * 20))

        class One(spread.Chunks):
            def size(self, cores, left=None):
                return 1

        import ludwin.cluster.engine as engine

        engine.Chunks = One
        b0 = {p: cpu([p]) for p in tree()}
        before = cpu(tree())
        n = int(sys.argv[1])
        began = time.time()
        list(in_order(cluster, NAP, {}, [0.0] * n))
        wall = time.time() - began
        after = cpu(tree())
        print(
            "by process",
            {("me" if p == os.getpid() else p): round(1000 * (cpu([p]) - b0.get(p, 0)) / n, 3) for p in tree()},
        )
        time.sleep(wall)
        idle = cpu(tree()) - after
        print(
            json.dumps(
                {
                    "tasks": n,
                    "wall": round(wall, 2),
                    "cpu_ms_a_task": round(1000 * (after - before) / n, 3),
                    "idle_cpu_same_time": round(idle, 3),
                    "net_ms": round(1000 * (after - before - idle) / n, 3),
                }
            )
        )
        # tasks of about one second of CPU
        count = int(sys.argv[2])
        m = int(sys.argv[3])
        ratios = []
        for _ in range(3):
            a = cpu(tree())
            one = list(in_order(cluster, SUM, {}, [count] * m))
            b = cpu(tree())
            r0 = os.times()
            two = list(in_order(AtHome(2), SUM, {}, [count] * m))
            r1 = os.times()
            home = (r1.user + r1.system + r1.children_user + r1.children_system) - (
                r0.user + r0.system + r0.children_user + r0.children_system
            )
            assert one == two
            ratios.append(((b - a), home, (b - a) / home))
            print([round(x, 3) for x in ratios[-1]], flush=True)


if __name__ == "__main__":
    main()
