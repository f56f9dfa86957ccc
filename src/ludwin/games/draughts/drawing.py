"""Drawings of a draughts board, with the numbers of its squares at the sides."""

from ludwin.games.draughts.rules import SHORT, SIZE, _bit


def _piece(s, bit):
    p = 0 if s.pieces[0] >> bit & 1 else 1 if s.pieces[1] >> bit & 1 else None
    return "." if p is None else ("BW" if s.kings >> bit & 1 else "bw")[p]


def show(s):
    lines = []
    for row in range(SIZE):
        first = row * SHORT + 1
        cells = " " + "   ".join(_piece(s, _bit(first + k)) for k in range(SHORT)) + " "
        cells = f"  {cells}" if row % 2 == 0 else f"{cells}  "
        lines.append(f"{first:3} |{cells}| {first + SHORT - 1}")
    return "\n".join([*lines, f"{('Black', 'White')[s.turn]} to move"])
