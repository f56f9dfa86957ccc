"""Connect Four: drop discs into columns until four of them stand in a line.

Rules.  The players drop a disc into a column that is not full, X (player 0) first; it falls to the
lowest free place.  Whoever has `CONNECT` discs in a row, column or diagonal wins; a full board
without them is a draw.

Why it is here.  Solved (the first player wins), small enough for a search to see the end and large
enough for that to be work: the usual second game of every laboratory.  On a bitboard a move is one
addition, so it also shows how fast a game can be.

Board.  Each column has `ROWS` places and one that stays empty, from the bottom up, so that a line
of discs is a pattern with a constant step and never wraps round into the next column.

References.  V. Allis, "A knowledge-based approach of Connect-Four", Vrije Universiteit Amsterdam
(1988); J. Tromp, "Solving Connect-4 on medium board sizes", ICGA Journal 31 (2008), 110-112.
"""

import re

from ludwin.primitives import mix, popcount

COLUMNS = 7
ROWS = 6
CONNECT = 4

if COLUMNS < 2 or COLUMNS > 26 or ROWS < 1 or COLUMNS * (ROWS + 1) > 63:
    raise ValueError(
        f"columns must be 2 to 26, rows at least 1 and columns * (rows + 1) at most 63, got {COLUMNS} columns and "
        f"{ROWS} rows"
    )
if CONNECT < 2:
    raise ValueError(f"connect must be at least 2, got {CONNECT}")

FIELDS = {"discs": 2, "turn": int}  # s.discs[p]: a bit for each disc of player p
MAX_MOVES = COLUMNS
MAX_PLIES = COLUMNS * ROWS

STEP = ROWS + 1  # from a place to its right neighbour; 1 leads up
BOTTOM = sum(1 << c * STEP for c in range(COLUMNS))
BOARD = sum(1 << c * STEP + r for c in range(COLUMNS) for r in range(ROWS))


def setup(s):
    s.discs[0] = 0
    s.discs[1] = 0
    s.turn = 0


def mover(s):
    return s.turn


def lines(places, step):
    """Mark the first place of every line of `places` that are `step` bits apart."""
    found = places
    for _ in range(CONNECT - 1):
        found = places & (found >> step)
    return found


def has_line(discs):
    return (lines(discs, 1) | lines(discs, STEP) | lines(discs, STEP + 1) | lines(discs, STEP - 1)) != 0


def moves(s, out):
    # Only the player who has just moved can have completed a line.
    if has_line(s.discs[1 - s.turn]):
        return 0
    filled = s.discs[0] | s.discs[1]
    n = 0
    for column in range(COLUMNS):
        out[n] = column  # the next column writes over it if this one is full
        n += 1 - ((filled >> (column * STEP + ROWS - 1)) & 1)
    return n


def play(s, m):
    # Adding the lowest place of a column carries into its lowest free one.
    filled = s.discs[0] | s.discs[1]
    s.discs[s.turn] |= (filled + (1 << (m * STEP))) & ~filled
    s.turn = 1 - s.turn


def payoff(s, p):
    if has_line(s.discs[p]):
        return 1
    return -1 if has_line(s.discs[1 - p]) else 0


def prospects(places):
    """Count the lines that fit into `places`."""
    return (
        popcount(lines(places, 1))
        + popcount(lines(places, STEP))
        + popcount(lines(places, STEP + 1))
        + popcount(lines(places, STEP - 1))
    )


def evaluate(s, p):
    # The lines that p can still complete, less the opponent's: between -1 and 1.
    mine = prospects(BOARD & ~s.discs[1 - p])
    theirs = prospects(BOARD & ~s.discs[p])
    return (mine - theirs) / (4.0 * COLUMNS * ROWS)


def key(s):
    return mix(s.discs[0], s.discs[1])  # the number of discs tells whose turn it is


def _disc(s, column, row):
    bit = 1 << column * STEP + row
    return "X" if s.discs[0] & bit else "O" if s.discs[1] & bit else "."


def show(s):
    rows = [" ".join(_disc(s, c, r) for c in range(COLUMNS)) for r in reversed(range(ROWS))]
    return "\n".join([*rows, " ".join(name(s, c) for c in range(COLUMNS)), f"{'XO'[s.turn]} to move"])


def picture(s):
    from ludwin.svg import SquareBoard

    words = f"{('Blue', 'Orange')[s.turn]} ({'XO'[s.turn]}) to move"
    board = SquareBoard(ROWS, COLUMNS, "connect four", below=[name(s, c) for c in range(COLUMNS)], remarks=[words])
    for row in range(ROWS):
        for c in range(COLUMNS):
            disc = "XO.".index(_disc(s, c, ROWS - 1 - row))
            board.square(row, c, "wood", at=name(s, c), line="none")
            board.circle(*board.middle(row, c), 18, ("first", "second", "ground")[disc], line="line", at=name(s, c))
    return str(board)


def name(s, m):
    return chr(ord("a") + m)


def parse(s, text):
    column = text.strip().lower()
    out = [0] * MAX_MOVES
    legal = [name(s, m) for m in out[: moves(s, out)]]
    if column not in legal:
        raise ValueError(f"a move is one of the columns {' '.join(legal) or '(none)'}, got {text!r}")
    return ord(column) - ord("a")


def write(s):
    rows = ["".join(_disc(s, c, r) for c in range(COLUMNS)) for r in reversed(range(ROWS))]
    return re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(rows))


def read(s, text):
    rows = re.sub("[0-9]+", lambda run: "." * min(int(run[0]), 64), text.strip().upper()).split("/")
    if len(rows) != ROWS or any(not re.fullmatch(f"[XO.]{{{COLUMNS}}}", row) for row in rows):
        empty = "/".join([str(COLUMNS)] * ROWS)
        raise ValueError(
            f"a position is {ROWS} rows of {COLUMNS} places from the top, X, O or a number of empty places; the "
            f"empty board is '{empty}'"
        )
    for p in range(2):
        s.discs[p] = sum(
            1 << c * STEP + r for c in range(COLUMNS) for r in range(ROWS) if rows[ROWS - 1 - r][c] == "XO"[p]
        )
    filled = s.discs[0] | s.discs[1]
    if (filled + BOTTOM) & filled:
        raise ValueError("a disc hangs in the air")
    s.turn = popcount(s.discs[0]) - popcount(s.discs[1])
    if s.turn not in (0, 1):
        raise ValueError(f"X has as many discs as O or one more, not {s.turn:+d}")
    if has_line(s.discs[s.turn]):
        raise ValueError(f"{'XO'[s.turn]} has a line but it is also its turn")
    last = s.discs[1 - s.turn]
    tops = [((filled + (1 << c * STEP)) & ~filled) >> 1 for c in range(COLUMNS)]
    if has_line(last) and all(has_line(last & ~top) for top in tops if top & last):
        raise ValueError(f"{'XO'[1 - s.turn]} won before its last move")
