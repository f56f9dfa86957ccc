"""Errands that measure a cluster: naps of a given length, and sums that take a given time."""

import time

from ludwin.spread import JSON, Errand


def _sleep(common: JSON, parts: list[JSON]) -> list[JSON]:
    """Sleep so many seconds for each part."""
    for seconds in parts:
        time.sleep(float(seconds))
    return list(parts)


def _sum(common: JSON, parts: list[JSON]) -> list[JSON]:
    """Count up to so many for each part: work that is the same everywhere, and nothing but work."""
    found = []
    for count in parts:
        total = 0
        for k in range(int(count)):
            total = (total * 31 + k) & 0xFFFFFFFF
        found.append(total)
    return found


NAP = Errand("ludwin.cluster.errands:NAP", lambda common: common, _sleep)
SUM = Errand("ludwin.cluster.errands:SUM", lambda common: common, _sum)
