"""Drawings of an interval of [0, 1]."""

from ludwin.games.fop.rules import K, value


def show(s):
    width = K**s.depth
    left, right = int(64 * s.index / width), max(int(64 * (s.index + 1) / width), int(64 * s.index / width) + 1)
    bar = "." * left + "#" * (right - left) + "." * (64 - right)
    middle = (s.index + 0.5) / width
    paid = f", paid {s.reward}" if s.reward >= 0 else ""
    return (
        f"{bar}\n[{s.index / width:g}, {(s.index + 1) / width:g}], middle {middle:.6g}, f there "
        f"{value(middle):.6g}{paid}"
    )
