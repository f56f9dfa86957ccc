"""Probes: short dives before a round, each in an order of its own.  Kernel text and its shell.

The idea.  Depth first hits or it misses.  A walk that takes no wrong turn early is at a goal after little more than a
plan's length; one that does is lost below that turn until all that can be reached from there has been searched, and a
round takes thousands of nodes instead of a hundred.  So before a round a few walks are tried that end after `nodes`
nodes, whatever they have left out: the first in the order itself, the others in one that noise has shaken.  Then comes
the whole round, in the order itself, so what a round that finds nothing proves does not change.

The noise is added to the estimate of a state, at most `noise` up or down.  In one probe a state's is always the same,
in the next it is another; it depends on nothing but the state and the number of the probe, so searches repeat.

References.  P. Langley, "Systematic and nonsystematic search strategies", AIPS 1992 (iterative sampling); C. P. Gomes,
B. Selman, H. Kautz, "Boosting combinatorial search through randomization", AAAI 1998 (why to begin again).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ludwin.primitives import mix, shr

UNIT = 2.0**-52  # 53 bits in these are a number from 0 to 2
SALT = 5  # keeps noise apart from other uses of a state's key
RUN: Mapping[str, Any] = {
    "probe": int,  # which it is, from 1 on; 0: the whole round
    "probes": int,  # before each round
    "probe_nodes": int,  # of a probe
    "ends": int,  # the node with which the probe ends
    "noise": float,
}


def shaken(w, k: int):
    """Return what the noise of this probe adds to the estimate of the state of key `k`."""
    run = w.run
    if run.probe < 2:
        return 0.0
    return run.noise * (shr(mix(mix(SALT, run.probe), k), 10) * UNIT - 1.0)


def begin_dive(w, number: int):
    """Begin dive number 1, 2, …: a probe, or the whole round."""
    run = w.run
    run.probe = number if number <= run.probes else 0
    run.ends = run.nodes + run.probe_nodes
    return 0


def is_over(w):
    """Tell whether a probe has had its nodes."""
    return w.run.probe > 0 and w.run.nodes >= w.run.ends


class Probing(NamedTuple):
    """How many probes there are before a round, how many nodes each has, and how far noise moves an estimate."""

    probes: int = 0
    probe_nodes: int = 0
    noise: float = 0.0
