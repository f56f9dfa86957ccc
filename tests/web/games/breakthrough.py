"""Breakthrough on a small board: bring one man to the other side."""

SIZE = 5
FIELDS = {"board": SIZE * SIZE, "turn": int}
MAX_MOVES = 3 * 2 * SIZE
MAX_PLIES = 200


def setup(s):
    for c in range(SIZE):
        for r in range(2):
            s.board[r * SIZE + c] = 2
            s.board[(SIZE - 1 - r) * SIZE + c] = 1
    s.turn = 0


def mover(s):
    return s.turn


def won(s):
    for c in range(SIZE):
        if s.board[c] == 1:
            return 1
        if s.board[(SIZE - 1) * SIZE + c] == 2:
            return 2
    return 0


def moves(s, out):
    n = 0
    if won(s) != 0:
        return 0
    me = s.turn + 1
    step = -1 if s.turn == 0 else 1
    for r in range(SIZE):
        for c in range(SIZE):
            if s.board[r * SIZE + c] == me:
                for d in range(-1, 2):
                    x = c + d
                    y = r + step
                    if x >= 0 and x < SIZE and y >= 0 and y < SIZE:
                        t = s.board[y * SIZE + x]
                        if t == 0 or (d != 0 and t != me):
                            out[n] = (r * SIZE + c) * 100 + y * SIZE + x
                            n += 1
    return n


def play(s, m):
    s.board[m // 100] = 0
    s.board[m % 100] = s.turn + 1
    s.turn = 1 - s.turn


def payoff(s, p):
    w = won(s)
    if w == 0:
        return -1 if s.turn == p else 1
    return 1 if w == p + 1 else -1


def show(s):
    rows = [f"{SIZE - r} " + " ".join(".xo"[s.board[r * SIZE + c]] for c in range(SIZE)) for r in range(SIZE)]
    return "\n".join([*rows, "  " + " ".join("abcde"[:SIZE])])


def name(s, m):
    return "-".join("abcde"[k % SIZE] + str(SIZE - k // SIZE) for k in (m // 100, m % 100))
