"""Nanoseconds of a call in compiled code: functions of math, and ours."""

import math
import time

from ludwin.kernel.names import Bundle
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.library import load
from ludwin.primitives import cos, exp, log, power, sin


def loop(w: Bundle, which: int, n: int):
    total = 0.0
    x = 0.37
    for _ in range(n):
        x = x * 1.0000001 + 0.00001
        if which == 0:
            total += x
        if which == 1:
            total += math.exp(x)
        if which == 2:
            total += exp(x)
        if which == 3:
            total += math.log(x)
        if which == 4:
            total += log(x)
        if which == 5:
            total += math.sin(x)
        if which == 6:
            total += sin(x)
        if which == 7:
            total += math.cos(x)
        if which == 8:
            total += cos(x)
        if which == 9:
            total += power(x, 5.0)
        if which == 10:
            total += power(x, 1.7)
    return total


def main():
    k = specialise(load("nim"), Kernel("speed", loop, records={"states": "States"}), "fast")
    w = k.bundle(states=1)
    count = 200000
    best = {}
    for _ in range(3):
        for which in range(11):
            t = time.process_time()
            k(w, which, count)
            d = 1e9 * (time.process_time() - t) / count
            best[which] = min(best.get(which, 1e9), d)
    b = best[0]
    names = ["empty", "math.exp", "exp", "math.log", "log", "math.sin", "sin", "math.cos", "cos", "power5", "power1.7"]
    print({n: round(best[i] - b, 1) for i, n in enumerate(names)})


if __name__ == "__main__":
    main()
