"""Function optimisation in writing: left and right, and intervals as depth:number."""

import re

from ludwin.games.fop.rules import DEPTH, MAX_MOVES, K, hope, moves


def name(s, m):
    if s.depth == DEPTH:
        return ("nothing", "paid")[m]
    return ("left", "right")[m] if K == 2 else str(m + 1)


def parse(s, text):
    out = [0] * MAX_MOVES
    legal = {name(s, m): m for m in out[: moves(s, out)]}
    if text.strip().lower() not in legal:
        raise ValueError(f"a move is one of {' '.join(legal) or '(none)'}, got {text!r}")
    return legal[text.strip().lower()]


def write(s):
    return f"{s.depth}:{s.index}" + (f":{s.reward}" if s.reward >= 0 else "")


def read(s, text):
    match = re.fullmatch(r"(\d+):(\d+)(?::([01]))?", text.strip())
    if not match:
        raise ValueError("a position is depth:number of the interval, then :0 or :1 when nature has paid, such as 3:5")
    s.depth, s.index, s.reward = int(match[1]), int(match[2]), int(match[3] or -1)
    if s.depth > DEPTH or s.index >= K**s.depth:
        raise ValueError(f"depth is at most {DEPTH}, and depth d has {K}**d intervals")
    if s.reward >= 0 and (s.depth < DEPTH or (s.reward == 1) > (hope(s) > 0) or (s.reward == 0) > (hope(s) < 1)):
        raise ValueError("nature pays only where the interval is narrow, and what f allows")
