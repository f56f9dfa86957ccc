"""Slide: push your stone along its row or column until it stops; whoever cannot move loses. Only `show` and `name`."""

SIZE = 4
FIELDS = {"board": SIZE * SIZE, "turn": int, "left": int}
MAX_MOVES = 32
MAX_PLIES = 60


def setup(s):
    for k in range(SIZE):
        s.board[k] = 1 if k % 2 == 0 else 2
        s.board[SIZE * (SIZE - 1) + k] = 2 if k % 2 == 0 else 1
    s.turn = 0
    s.left = 40


def mover(s):
    return s.turn


def target(s, at, dx, dy):
    x = at % SIZE
    y = at // SIZE
    while x + dx >= 0 and x + dx < SIZE and y + dy >= 0 and y + dy < SIZE and s.board[(y + dy) * SIZE + x + dx] == 0:
        x += dx
        y += dy
    return y * SIZE + x


def moves(s, out):
    n = 0
    if s.left > 0:
        for at in range(SIZE * SIZE):
            if s.board[at] == s.turn + 1:
                for d in range(4):
                    dx = 1 if d == 0 else -1 if d == 1 else 0
                    dy = 1 if d == 2 else -1 if d == 3 else 0
                    to = target(s, at, dx, dy)
                    if to != at:
                        out[n] = at * 100 + to
                        n += 1
    return n


def play(s, m):
    s.board[m // 100] = 0
    s.board[m % 100] = s.turn + 1
    s.turn = 1 - s.turn
    s.left -= 1


def payoff(s, p):
    if s.left == 0:
        return 0
    return -1 if s.turn == p else 1


def show(s):
    return "\n".join("|" + "|".join(".ab"[s.board[r * SIZE + c]] for c in range(SIZE)) + "|" for r in range(SIZE))


def name(s, m):
    return f"{'wxyz'[m // 100 % SIZE]}{m // 100 // SIZE + 1}>{'wxyz'[m % 100 % SIZE]}{m % 100 // SIZE + 1}"
