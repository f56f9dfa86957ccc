"""Pig: roll a die as often as you dare, and lose it all with a 1.

Rules.  In a turn a player rolls a die again and again.  A 1 ends the turn and its points are lost;
any other number is added to them.  After a roll the player may also hold: the points of the turn
join the score, and the turn ends.  Whoever has `GOAL` points, those of the turn included, has won
and gets 1 from every other player.  After `ROUND_LIMIT` rounds the game is a draw; it exists so
that no game lasts for ever, and no sensible one comes near it.

Why it is here.  The smallest game of chance worth a thought: one die, two choices, and yet the best
play was unknown until it was computed, and differs from every simple rule.

References.  T. W. Neller and C. G. M. Presser, "Optimal play of the dice game Pig", The UMAP
Journal 25 (2004), 25-47; J. Scarne, "Scarne on Dice" (1945).
"""

import re

from ludwin.primitives import CHANCE, mix

PLAYERS = 2
GOAL = 100
ROUND_LIMIT = 250

if PLAYERS < 2:
    raise ValueError(f"players must be at least 2, got {PLAYERS}")
if GOAL < 2:
    raise ValueError(f"goal must be at least 2, got {GOAL}")
if ROUND_LIMIT < 1:
    raise ValueError(f"round_limit must be at least 1, got {ROUND_LIMIT}")

FIELDS = {
    "scores": PLAYERS,
    "total": int,  # the points of this turn
    "turn": int,
    "rolling": int,  # 1 while the die is in the air
    "round": int,
}
MAX_MOVES = 6
MAX_PLIES = ROUND_LIMIT * PLAYERS * (2 * ((GOAL + 1) // 2) + 1)  # 2 points a roll, a roll 2 plies
PAYOFF_SUM = 0

_ROLL = 0  # the moves of players; those of the die are its faces
_HOLD = 1


def setup(s):
    for p in range(PLAYERS):
        s.scores[p] = 0
    s.total = 0
    s.turn = 0
    s.rolling = 0
    s.round = 0


def mover(s):
    return CHANCE if s.rolling == 1 else s.turn


def won(s):
    """Tell whether the player whose turn it is has reached the goal."""
    return s.scores[s.turn] + s.total >= GOAL


def moves(s, out):
    if s.rolling == 1:
        for face in range(6):
            out[face] = face + 1
        return 6
    if won(s) or s.round >= ROUND_LIMIT:
        return 0
    out[0] = _ROLL
    out[1] = _HOLD
    return 2 if s.total > 0 else 1  # nobody may pass the die on untouched


def play(s, m):
    if s.rolling == 1:
        s.rolling = 0
        if m == 1:
            s.total = 0
            pass_on(s)
        else:
            s.total += m
    elif m == _ROLL:
        s.rolling = 1
    else:
        s.scores[s.turn] += s.total
        s.total = 0
        pass_on(s)


def pass_on(s):
    """Give the die to the next player."""
    s.turn += 1
    if s.turn == PLAYERS:
        s.turn = 0
        s.round += 1


def payoff(s, p):
    if not won(s):
        return 0
    return PLAYERS - 1 if s.turn == p else -1


def points(s, p):
    return s.scores[p] + s.total if s.turn == p else s.scores[p]


def evaluate(s, p):
    # The lead over the best of the others, as a part of the way to the goal.
    best = 0
    for other in range(PLAYERS):
        if other != p:
            best = max(best, points(s, other))
    return (points(s, p) - best) / (2.0 * GOAL)


def key(s):
    # Of the rounds only their end matters.
    h = mix(s.total, 4 * s.turn + 2 * s.rolling + (1 if s.round >= ROUND_LIMIT else 0))
    for p in range(PLAYERS):
        h = mix(h, s.scores[p])
    return h


def show(s):
    scores = "  ".join(f"player {p}: {s.scores[p]}" for p in range(PLAYERS))
    doing = "rolls" if s.rolling else "to move"
    return f"{scores}\nplayer {s.turn} {doing}, {s.total} in this turn"


def picture(s):
    from ludwin.svg import Sheet, player

    sheet = Sheet(420, 110 + 34 * PLAYERS, "pig")
    for p in range(PLAYERS):
        y, mine = 30 + 34 * p, s.total if s.turn == p else 0
        sheet.text(16, y, f"player {p}", size=13, anchor="start", bold=s.turn == p)
        sheet.rect(80, y - 9, 280, 18, "panel", line="line", round=3)
        sheet.rect(80, y - 9, 280 * min(s.scores[p] / GOAL, 1), 18, player(p), round=3)
        rest = min(mine / GOAL, 1 - s.scores[p] / GOAL)
        sheet.rect(80 + 280 * s.scores[p] / GOAL, y - 9, 280 * max(rest, 0), 18, player(p), opacity=0.45)
        sheet.text(370, y, f"{s.scores[p]}" + (f"+{mine}" if mine else ""), size=13, anchor="start")
    y = 56 + 34 * PLAYERS
    if s.rolling:
        for face in range(1, 7):
            sheet.die(44 + 56 * (face - 1), y, face, move=str(face))
        sheet.text(380, y, "rolls", "quiet", 13)
    elif won(s) or s.round >= ROUND_LIMIT:
        words = f"player {s.turn} has won" if won(s) else "a draw: it has lasted too long"
        sheet.text(16, y, words, size=15, anchor="start")
    else:
        for k, word in enumerate(("roll", "hold")[: 2 if s.total > 0 else 1]):
            sheet.rect(80 + 110 * k, y - 17, 96, 34, "panel", line=player(s.turn), round=6, move=word, thick=1.5)
            sheet.text(128 + 110 * k, y, word, size=15)
        sheet.die(40, y, 0)
    return str(sheet)


def name(s, m):
    return str(m) if s.rolling else ("roll", "hold")[m]


def parse(s, text):
    out = [0] * MAX_MOVES
    legal = {name(s, m): m for m in out[: moves(s, out)]}
    if text.strip().lower() not in legal:
        raise ValueError(f"a move is one of {' '.join(legal) or '(none)'}, got {text!r}")
    return legal[text.strip().lower()]


def write(s):
    scores = ",".join(str(s.scores[p]) for p in range(PLAYERS))
    rounds = f":R{s.round}" if s.round else ""
    return f"{scores}:{s.turn}+{s.total}{'*' if s.rolling else ''}{rounds}"


def read(s, text):
    match = re.fullmatch(r"(\d+(?:,\d+)*):(\d+)\+(\d+)(\*?)(?::R(\d+))?", text.strip())
    if not match or match[1].count(",") != PLAYERS - 1 or int(match[2]) >= PLAYERS:
        start = ",".join("0" * PLAYERS)
        raise ValueError(
            f"a position is scores:turn+points of the turn, then * while the die rolls and :R with the number of the "
            f"round, such as '{start}:0+12*:R1'"
        )
    for p in range(PLAYERS):
        s.scores[p] = int(match[1].split(",")[p])
    s.turn, s.total = int(match[2]), int(match[3])
    s.rolling, s.round = len(match[4]), int(match[5] or 0)
    if any(score == 1 or score >= GOAL for score in s.scores) or s.total == 1:
        raise ValueError(f"scores are 0 or 2 to {GOAL - 1}, and no turn has 1 point")
    if s.round > ROUND_LIMIT or (s.round == ROUND_LIMIT and (s.turn or s.total or s.rolling)):
        raise ValueError(f"the game ends after {ROUND_LIMIT} rounds")
    if s.scores[s.turn] + s.total >= (GOAL if s.rolling else GOAL + 6):
        raise ValueError(f"player {s.turn} had won before the last roll")
