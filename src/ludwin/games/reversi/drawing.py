"""Drawings of a reversi board."""

from ludwin.games.reversi.rules import SIZE, _disc
from ludwin.primitives import popcount


def show(s):
    lines = ["  " + " ".join("abcdefgh"[:SIZE])]
    for row in range(SIZE):
        cells = " ".join(_disc(s, row * SIZE + c) for c in range(SIZE)).replace("-", ".")
        lines.append(f"{row + 1} {cells}")
    counts = " : ".join(str(popcount(s.discs[p])) for p in range(2))
    return "\n".join([*lines, f"X {counts} O, {'XO'[s.turn]} to move"])
