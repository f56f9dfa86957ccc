"""Hex on a small rhombus: connect your two sides. It has only `show` and `name`."""

SIZE = 4
FIELDS = {"board": SIZE * SIZE, "seen": SIZE * SIZE, "stack": SIZE * SIZE, "turn": int, "won": int}
MAX_MOVES = SIZE * SIZE
MAX_PLIES = SIZE * SIZE + 1


def setup(s):
    s.turn = 0
    s.won = 0


def mover(s):
    return s.turn


def moves(s, out):
    n = 0
    if s.won == 0:
        for k in range(SIZE * SIZE):
            if s.board[k] == 0:
                out[n] = k
                n += 1
    return n


def connected(s, me):
    top = 0
    for k in range(SIZE * SIZE):
        s.seen[k] = 0
    for i in range(SIZE):
        k = i if me == 1 else i * SIZE
        if s.board[k] == me:
            s.seen[k] = 1
            s.stack[top] = k
            top += 1
    found = False
    while top > 0:
        top -= 1
        k = s.stack[top]
        row = k // SIZE
        column = k % SIZE
        if (me == 1 and row == SIZE - 1) or (me == 2 and column == SIZE - 1):
            found = True
        for d in range(6):
            y = row + (-1 if d < 2 else 0 if d < 4 else 1)
            x = column + (0 if d == 0 or d == 5 else 1 if d == 1 or d == 3 else -1)
            if y >= 0 and y < SIZE and x >= 0 and x < SIZE:
                t = y * SIZE + x
                if s.board[t] == me and s.seen[t] == 0:
                    s.seen[t] = 1
                    s.stack[top] = t
                    top += 1
    for k in range(SIZE * SIZE):
        s.seen[k] = 0
        s.stack[k] = 0
    return found


def play(s, m):
    s.board[m] = s.turn + 1
    if connected(s, s.turn + 1):
        s.won = s.turn + 1
    s.turn = 1 - s.turn


def payoff(s, p):
    return 1 if s.won == p + 1 else -1


def show(s):
    rows = [" " * r + " ".join(".xo"[s.board[r * SIZE + c]] for c in range(SIZE)) for r in range(SIZE)]
    return "\n".join(rows)


def name(s, m):
    return f"{m // SIZE + 1},{m % SIZE + 1}"
