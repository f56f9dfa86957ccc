"""Backgammon: race fifteen men home by the dice, past an opponent who comes the other way.

Rules.  Each player has fifteen men and moves them along its own way from point 1 to point 24 and off the board; the
enemy's men run against it.  Two dice are two steps, with one man or with two; doubles are four.  A point where the
enemy has two or more men is closed.  A single man, a blot, is hit by whoever lands on it and goes to the bar; a player
with men on the bar must bring them in before anything else.  When all of a player's men are in its home, the last six
points, they may be borne off, with the exact number, or with a larger one from the rearmost point.  Both dice must be
played if that is possible, the larger if only one of them can be.  Whoever has borne off all men first wins: a single
game; two points, a gammon, if the loser has borne off none; three, a backgammon, if besides a man of the loser's is
still on the bar or in the winner's home.  In the beginning each player rolls one die, equal ones again, and the higher
plays both.

Whole plays.  A move of a player is its whole turn, and there is one for each position that the turn can lead to.

Parameters.  `payoff="points"` pays 1, 2 or 3 points (times the cube), `"wins"` 1 for any victory.  `cube=1` brings the
doubling cube, up to 64.  `match=7` plays to seven points: the payoff is 1 for the match, and in the Crawford game,
the first one after a player has come within a point of the end, nobody may double.  `variant="hypergammon"` has three
men a side, on the first three points; `"nackgammon"` has four men back.  After `turn_limit` turns a game is a draw: it
exists so that no game lasts for ever, and no sensible one comes near it.

Why it is here.  The game of TD-Gammon and of GP-Gammon: skill under dice, twenty plays a roll, no deep search.

Locations.  0 is the bar, 1 to 24 the points along the player's own way, 25 is off; the enemy's men on its point n stand
on this player's point 25 - n.  People count from the other end (`notation.py`).

References.  B. Robertie, "501 Essential Backgammon Problems" (2000), for the rules; Y. Azaria and M. Sipper,
"GP-Gammon: genetically programming backgammon players", Genetic Programming and Evolvable Machines 6 (2005), 283-300,
for the locations.  That no position has more than 3060 plays is counted below.
"""

from math import comb

from ludwin.games.backgammon.features import escape, hit_rolls
from ludwin.primitives import CHANCE, clear_lsb, lsb, mix

VARIANT = "backgammon"
PAYOFF = "points"
MATCH = 0
CUBE = 0
TURN_LIMIT = 2000

if VARIANT not in ("backgammon", "nackgammon", "hypergammon"):
    raise ValueError(f"variant must be backgammon, nackgammon or hypergammon, got {VARIANT}")
if PAYOFF not in ("points", "wins"):
    raise ValueError(f"payoff must be points or wins, got {PAYOFF}")
if not 0 <= MATCH <= 25:
    raise ValueError(f"match must be 0 (a single game) or a match to 1 to 25 points, got {MATCH}")
if CUBE not in (0, 1):
    raise ValueError(f"cube must be 0 or 1, got {CUBE}")
if not 10 <= TURN_LIMIT <= 5000:
    raise ValueError(f"turn_limit must be 10 to 5000, got {TURN_LIMIT}")

_BAR, _OFF = 0, 25
_HOME = 19  # the first point of a player's own home
_PLACES = 26
_LAYOUTS = {
    "backgammon": {1: 2, 12: 5, 17: 3, 19: 5},
    "nackgammon": {1: 2, 2: 2, 12: 4, 17: 3, 19: 4},
    "hypergammon": {1: 1, 2: 1, 3: 1},
}
START = tuple(_LAYOUTS[VARIANT].get(n, 0) for n in range(_PLACES))
MEN = sum(START)
_MOST_CUBE = 64
WINS = PAYOFF == "wins"
GAMES = max(2 * MATCH - 1, 1)  # of a match, if every one is won by a point

FIELDS = {
    "men": 2 * _PLACES,  # s.men[26 * p + n]: men of player p on its location n
    "turn": int,
    "stage": int,
    "high": int,  # the dice, the larger first; 0 when they are not thrown
    "low": int,
    "turns": int,  # of this game
    "cube": int,  # what the game is worth
    "owner": int,  # who may double next: 0 anybody, else 1 + the player
    "score": 2,  # points in the match
    "crawford": int,  # 0 before the Crawford game, 1 in it, 2 after it
    "points": int,  # won by player `turn`, when it is over
}

_OPENING, _ROLL, _MOVE, _DOUBLE, _ANSWER, _OVER = 0, 1, 2, 3, 4, 5  # stages

# A play says for each man how many of the four steps it makes: 15 men, 4 steps, so no position has more plays.
MAX_MOVES = max(comb(MEN + 3, 4), 36)
MAX_PLIES = GAMES * (1 + TURN_LIMIT * (4 if CUBE else 2))
PAYOFF_SUM = 0

# What programs may ask: the book's terminals (features.py says what they mean).
QUERIES = {
    "player exposed": ("float", _PLACES),
    "player blocked": ("float", _PLACES),
    "player tower": ("float", _PLACES),
    "enemy exposed": ("float", _PLACES),
    "enemy blocked": ("float", _PLACES),
    "player pip": "float",
    "enemy pip": "float",
    "total hit prob": "float",
    "player escape": "float",
    "enemy escape": "float",
    "player position": ("float", _PLACES),
}

# A play: 3 bits for the number of steps, 1 if the lower die comes first, 5 bits for each place where a step begins.
_SWAPPED = 8
_STEPS = 4
_WIDTH = 5
_THROW, _REDOUBLE, _TAKE, _DROP = 1, 2, 3, 4  # what players say about the cube

_POINTS = (1 << 25) - 2  # bits 1 to 24
_OUTSIDE = (1 << _HOME) - 1
_FIFTHS = tuple(5**n for n in range(_PLACES))  # a change of at most two men on each location is a number to base 5


# The board.


def setup(s):
    lay_out(s)
    s.score[0] = 0
    s.score[1] = 0
    s.crawford = 0
    s.points = 0
    s.turn = 0


def lay_out(s):
    """Begin a game."""
    for n in range(_PLACES):
        s.men[n] = START[n]
        s.men[_PLACES + n] = START[n]
    s.stage = _OPENING
    s.high = 0
    s.low = 0
    s.turns = 0
    s.cube = 1
    s.owner = 0


def mover(s):
    if s.stage == _OPENING or s.stage == _ROLL:
        return CHANCE
    return 1 - s.turn if s.stage == _ANSWER else s.turn


def moves(s, out):
    if s.stage == _MOVE:
        return plays(s, out)
    n = 0
    if s.stage == _ROLL:
        for high in range(1, 7):
            for low in range(1, high + 1):
                out[n] = 8 * high + low
                n += 1
    elif s.stage == _OPENING:
        for first in range(1, 7):
            for second in range(1, 7):
                if first != second:
                    out[n] = 8 * first + second
                    n += 1
    elif s.stage == _DOUBLE or s.stage == _ANSWER:
        out[0] = _THROW if s.stage == _DOUBLE else _TAKE
        out[1] = _REDOUBLE if s.stage == _DOUBLE else _DROP
        n = 2
    return n


def chance(s, m):
    return 1 if s.stage == _OPENING or m >> 3 == m & 7 else 2


# Plays: one for each position that the roll can lead to.


def plays(s, out):
    """Write the plays of the roll, each once; a play of no steps if there is none."""
    me = _PLACES * s.turn
    foe = _PLACES - me
    own = 0
    free = 0
    for n in range(25):
        if s.men[me + n] > 0:
            own |= 1 << n
    for n in range(1, 25):
        if s.men[foe + 25 - n] < 2:
            free |= 1 << n
    n = 0
    if s.high == s.low:
        n = fourfold(s, out, free, own)
    else:
        outside = own & _OUTSIDE
        if outside == 0 or (clear_lsb(outside) == 0 and s.men[me + lsb(outside)] == 1):
            n = late(s, out, free, own)
        else:
            n = pairs(s, out, free, own)
        if n == 0:  # only one die can be played: the larger, if it can
            n = singles(out, sources(own, free, s.high), 1)
        if n == 0:
            n = singles(out, sources(own, free, s.low), 1 + _SWAPPED)
    if n == 0:
        out[0] = 0
        n = 1
    return n


def sources(own, free, d):
    """Return the places from which a step of d leads somewhere, as bits."""
    if own & 1 == 1:
        return free >> d & 1
    found = own & free >> d
    if own & _OUTSIDE == 0 and own != 0:  # all are home: bear off, exactly or from behind
        found |= own & 1 << 25 - d
        if lsb(own) > 25 - d:
            found |= own & -own
    return found


def singles(out, places, form):
    """Write a play of one step from each place."""
    n = 0
    while places != 0:
        out[n] = form | lsb(places) << _STEPS
        places = clear_lsb(places)
        n += 1
    return n


def pairs(s, out, free, own):
    """Write the plays of two different dice where nobody can bear off.

    Steps of two men lead to a position of their own, unless the one lands where the other begins: that is one man's
    way, and ways over different points differ only if a blot is hit on them.
    """
    high = s.high
    low = s.low
    me = _PLACES * s.turn
    a = own & free >> high
    b = own & free >> low
    if own & 1 == 0:
        n = two_men(s, out, 0, a, b)
        ways = own
    elif s.men[me] > 1:
        n = two_men(s, out, 0, a & 1, b & 1)
        ways = 0
    else:
        n = two_men(s, out, 0, a & 1, b)
        n = two_men(s, out, n, a, b & 1)
        ways = 1
    ways &= free >> high + low
    foe = _PLACES - me
    while ways != 0:
        x = lsb(ways)
        ways = clear_lsb(ways)
        quiet = False
        if free >> x + high & 1 == 1:
            out[n] = 2 | x << _STEPS | x + high << _STEPS + _WIDTH
            n += 1
            quiet = s.men[foe + 25 - x - high] == 0
        if free >> x + low & 1 == 1 and not (quiet and s.men[foe + 25 - x - low] == 0):
            out[n] = 2 | _SWAPPED | x << _STEPS | x + low << _STEPS + _WIDTH
            n += 1
    return n


def two_men(s, out, n, a, b):
    """Write from place n the plays of a man from `a` by the larger die and another from `b` by the smaller."""
    me = _PLACES * s.turn
    while a != 0:
        x = lsb(a)
        a = clear_lsb(a)
        rest = b & ~(1 << x + s.high)
        if x >= s.low:
            rest &= ~(1 << x - s.low)
        if s.men[me + x] < 2:
            rest &= ~(1 << x)
        form = 2 | x << _STEPS
        while rest != 0:
            out[n] = form | lsb(rest) << _STEPS + _WIDTH
            rest = clear_lsb(rest)
            n += 1
    return n


def late(s, out, free, own):
    """Write the plays of two different dice where men may be borne off: both orders, what is new."""
    me = _PLACES * s.turn
    n = 0
    for swapped in range(2):
        first = s.low if swapped == 1 else s.high
        second = s.high + s.low - first
        begins = sources(own, free, first)
        while begins != 0:
            x = lsb(begins)
            begins = clear_lsb(begins)
            then = own & ~(1 << x) if s.men[me + x] == 1 else own
            if x + first < _OFF:
                then |= 1 << x + first
            follows = sources(then, free, second)
            while follows != 0:
                whole = 2 | swapped * _SWAPPED | x << _STEPS | lsb(follows) << _STEPS + _WIDTH
                follows = clear_lsb(follows)
                if new(s, out, n, whole):
                    out[n] = whole
                    n += 1
    return n


def new(s, out, n, m):
    """Tell whether a play of two steps leads elsewhere than the first n."""
    change = shift(s, m)
    hits = hit(s, m)
    for i in range(n):
        if shift(s, out[i]) == change and hit(s, out[i]) == hits:
            return False
    return True


def shift(s, m):
    """Return a number that says how a play of two steps moves the player's own men."""
    x = m >> _STEPS & 31
    y = m >> _STEPS + _WIDTH & 31
    first = s.low if m & _SWAPPED != 0 else s.high
    second = s.high + s.low - first
    return _FIFTHS[min(x + first, _OFF)] - _FIFTHS[x] + _FIFTHS[min(y + second, _OFF)] - _FIFTHS[y]


def hit(s, m):
    """Return the points where a play of two steps hits, as bits."""
    foe = _PLACES * (1 - s.turn)
    first = s.low if m & _SWAPPED != 0 else s.high
    one = (m >> _STEPS & 31) + first
    two = (m >> _STEPS + _WIDTH & 31) + s.high + s.low - first
    bits = 0
    if one < _OFF and s.men[foe + 25 - one] == 1:
        bits |= 1 << one
    if two < _OFF and s.men[foe + 25 - two] == 1:
        bits |= 1 << two
    return bits


def fourfold(s, out, free, own):
    """Write the plays of doubles: up to four steps, those from the rear first, so that each comes once.

    A step never closes the way to another, so every order of play comes to the same number of steps; from the rear
    first always finds them all.
    """
    most = 0
    code = 0
    men = own
    while most < 4:
        begins = sources(men, free, s.high)
        if begins == 0:
            break
        x = lsb(begins)
        men = stepped(s, men, code, x)
        code = code + 1 | x << _STEPS + _WIDTH * most
        most += 1
    if most == 0:
        return 0
    return further(s, out, 0, free, own, 0, most)


def stepped(s, own, code, x):
    """Return the places of the player's men after the steps of `code` and one more from x, as bits."""
    d = s.high
    count = s.men[_PLACES * s.turn + x] - 1
    for i in range(code & 7):
        begin = code >> _STEPS + _WIDTH * i & 31
        if begin == x:
            count -= 1
        if begin + d == x:
            count += 1
    if count == 0:
        own &= ~(1 << x)
    if x + d < _OFF:
        own |= 1 << x + d
    return own


def further(s, out, n, free, own, code, most):
    """Write from place n all ways to go on after the steps of `code`, with steps from its last place or beyond."""
    steps = code & 7
    begins = sources(own, free, s.high)
    if steps > 0:
        begins &= -(1 << (code >> _STEPS + _WIDTH * (steps - 1)))
    form = code + 1
    while begins != 0:
        x = lsb(begins)
        begins = clear_lsb(begins)
        longer = form | x << _STEPS + _WIDTH * steps
        if steps + 1 == most:
            out[n] = longer
            n += 1
        else:
            n = further(s, out, n, free, stepped(s, own, code, x), longer, most)
    return n


# What moves do.


def play(s, m):
    if s.stage == _MOVE:
        go(s, m)
    elif s.stage == _ROLL:
        s.high = m >> 3
        s.low = m & 7
        s.stage = _MOVE
    elif s.stage == _OPENING:
        s.turn = 0 if m >> 3 > m & 7 else 1
        s.high = max(m >> 3, m & 7)
        s.low = min(m >> 3, m & 7)
        s.stage = _MOVE
    elif m == _THROW:
        s.stage = _ROLL
    elif m == _REDOUBLE:
        s.stage = _ANSWER
    elif m == _TAKE:
        s.cube = 2 * s.cube
        s.owner = 2 - s.turn
        s.stage = _ROLL
    else:
        won(s, s.cube)


def go(s, m):
    """Make a play, and give the dice away or end the game."""
    me = _PLACES * s.turn
    for i in range(m & 7):
        x = m >> _STEPS + _WIDTH * i & 31
        step(s, x, s.low if (m & _SWAPPED != 0) == (i == 0) else s.high)
    s.high = 0
    s.low = 0
    if s.men[me + _OFF] == MEN:
        won(s, s.cube * size(s))
        return
    s.turn = 1 - s.turn
    s.turns += 1
    s.stage = _ROLL
    if s.turns >= TURN_LIMIT:
        s.stage = _OVER
        s.points = 0
    elif may_double(s):
        s.stage = _DOUBLE


def step(s, x, d):
    """Move a man of the player's from x by d, and hit what stands there alone."""
    me = _PLACES * s.turn
    foe = _PLACES - me
    end = min(x + d, _OFF)
    s.men[me + x] -= 1
    s.men[me + end] += 1
    if end < _OFF and s.men[foe + 25 - end] == 1:
        s.men[foe + 25 - end] = 0
        s.men[foe] += 1


def may_double(s):
    """Tell whether the player whose turn it is may double before the roll."""
    if CUBE == 0 or MATCH == 1 or s.crawford == 1 or s.cube >= _MOST_CUBE:
        return False
    return s.owner == 0 or s.owner == 1 + s.turn


def size(s):
    """Return what the victory of the player is worth: 1, a gammon 2, a backgammon 3."""
    foe = _PLACES * (1 - s.turn)
    if s.men[foe + _OFF] > 0:
        return 1
    for n in range(7):  # the bar, and the winner's home
        if s.men[foe + n] > 0:
            return 3
    return 2


def won(s, points):
    """Give the player so many points, and begin the next game of a match or end it all."""
    s.high = 0
    s.low = 0
    if MATCH == 0:
        s.points = points
        s.stage = _OVER
        return
    s.score[s.turn] = min(s.score[s.turn] + points, MATCH)
    if s.score[s.turn] == MATCH:
        s.points = 1
        s.stage = _OVER
        return
    if s.crawford == 1:
        s.crawford = 2
    elif s.crawford == 0 and max(s.score[0], s.score[1]) == MATCH - 1:
        s.crawford = 1
    lay_out(s)
    s.turn = 0


def payoff(s, p):
    points = min(s.points, 1) if WINS else s.points
    return points if s.turn == p else -points


# Opinions.


def pips(s, p):
    """Return how many pips player p is away from bearing off its last man."""
    total = 0
    for n in range(_OFF):
        total += (_OFF - n) * s.men[_PLACES * p + n]
    return total


def contact(s):
    """Tell whether some man still has to pass an enemy's."""
    first = rearmost(s, 0)
    return first + rearmost(s, 1) < 25


def rearmost(s, p):
    """Return the location of player p's last man."""
    n = 0
    while n < _OFF and s.men[_PLACES * p + n] == 0:
        n += 1
    return n


def stage_contact(s, p):
    """Which program speaks: 0 while the sides are in contact, 1 in a race."""
    return 0 if contact(s) else 1


def evaluate(s, p):
    # The lead in pips as a part of a man's way: a rough guess of the winner.
    lead = (pips(s, 1 - p) - pips(s, p)) / 100.0
    return max(-1.0, min(1.0, lead))


def evaluate_pips(s, p):
    # The lead in pips as a part of all that there could be.
    return (pips(s, 1 - p) - pips(s, p)) / (25.0 * MEN)


def query(s, p, k, a):
    mine = s.men[_PLACES * p + a]
    theirs = s.men[_PLACES * (1 - p) + (a if a % 25 == 0 else 25 - a)]  # bar and off are its own
    if k == 0:
        return 1.0 if mine == 1 else 0.0
    if k == 1:
        return 1.0 if mine > 1 else 0.0
    if k == 2:
        return max(mine - 2, 0) * 1.0
    if k == 3:
        return 1.0 if theirs == 1 else 0.0
    if k == 4:
        return 1.0 if theirs > 1 else 0.0
    if k == 5:
        return pips(s, p) / 167.0
    if k == 6:
        return pips(s, 1 - p) / 167.0
    if k == 7:
        return hit_rolls(s, p) / 36.0
    if k == 8:
        return escape(s, p) / 131.0
    if k == 9:
        return escape(s, 1 - p) / 131.0
    return 1.0 * mine


def key(s):
    h = mix(8 * s.high + s.low, 64 * s.stage + 2 * s.crawford + s.turn + (32 if s.turns >= TURN_LIMIT else 0))
    h = mix(h, 4 * s.cube + s.owner)
    h = mix(h, 32 * s.score[0] + s.score[1])
    if s.stage == _OVER:
        h = mix(h, s.points)
    for p in range(2):
        for half in range(2):
            word = 0
            for n in range(13):
                word |= s.men[_PLACES * p + 13 * half + n] << 4 * n
            h = mix(h, word)
    return h
