"""Carcassonne: lay tiles so that cities, roads and farms grow, and claim them with your men.

Rules.  The base game: 72 tiles, one of which lies on the table; farms count.  In its turn a player draws a tile,
lays it beside others so that all edges match (city, road, field), and may put one of its men, the meeples,
on a city, road, farm or cloister of that tile, if nobody stands on any part of it yet.  What is complete is
scored at once, to whoever has most men there (all who have, if several), and the men go home.  A tile
that fits nowhere leaves the game.  When no tile is left, what is incomplete and the farms are scored.

Points.  A road has 1 for each tile.  A city has 1 for each tile and shield, twice that when complete, two tiles
included.  A cloister has 1 for itself and each of the eight tiles around it.  A farm has 3 for each
complete city beside it.

Why it is here.  Draws are open, plans are long, and a man spent is missed later: greedy play is poor, and so
is judging a position by random games.  One player with 24 tiles is the same trouble in small.

Payoffs.  The lead over the opponent, or the score of a player alone, over the most that could be scored.
`reward="win"` pays 1, 0 or -1 instead.

Chance.  Drawing is nature's move, by the copies left; a draw that fits nowhere discards the tile, and nature draws
again.  With `order="fixed"` nature deals the whole stack before the first decision, and everybody knows it.

State.  Nothing is searched for: features know their tiles, men and open edges (a forest of segments, `parent`),
empty cells beside tiles (`frontier`) know the segments around them.  Cells are numbered x + WIDE * y modulo
CELLS, which is never ambiguous: cells that share a number are more than TILES + 1 steps apart, a
perfect code in the Lee metric, and no game spreads so far.

References.  K.-J. Wrede, "Carcassonne" (2000), rules of the first edition.  C. Heyden, "Implementing a computer
player for Carcassonne" (2009).  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024): variants and payoffs.
S. Golomb and L. Welch, "Perfect codes in the Lee metric and the packing of polyominoes" (1970).
"""

from ludwin.games.carcassonne.tiles import (
    BASE_COPIES,
    BEHIND,
    BORDERS,
    CODES,
    COUNTS,
    EDGES,
    FITTING,
    KINDS,
    LETTERS,
    OPENINGS,
    SEGMENTS,
    SHIELDS,
    SINGLE_COPIES,
    TOUCHED,
    as_printed,
    maximum,
    most_moves,
    totals,
)
from ludwin.primitives import CHANCE, add, lsb, mix, popcount, shl, shr

PLAYERS = 2
TILES = 72
MEEPLES = 7
ORDER = "random"
REWARD = "points"

if PLAYERS not in (1, 2):
    raise ValueError(f"players must be 1 or 2, got {PLAYERS}")
if TILES not in (24, 72):
    raise ValueError(f"tiles must be 72, the base game, or 24, one of each kind, got {TILES}")
if not 1 <= MEEPLES <= 20:
    raise ValueError(f"meeples must be 1 to 20, got {MEEPLES}")
if ORDER not in ("random", "fixed"):
    raise ValueError(f"order must be random or fixed, got {ORDER}")
if REWARD not in ("points", "win"):
    raise ValueError(f"reward must be points or win, got {REWARD}")
if REWARD == "win" and PLAYERS == 1:
    raise ValueError("reward=win needs two players: alone there is nobody to beat")

COPIES = BASE_COPIES if TILES == 72 else SINGLE_COPIES
STACK = TILES - 1  # the tiles that are drawn
START = LETTERS.index("D")
SORTS = totals(COPIES)  # cities, roads, farms, cloisters
MAXIMUM = maximum(as_printed(COPIES), MEEPLES, True)  # 593 for the base game, as printed; 135 and 105 for 24 tiles
FIXED = ORDER == "fixed"
WINS = REWARD == "win"

_RADIUS = (TILES + 2) // 2  # cells of one number are 2 * _RADIUS + 1 steps apart
WIDE = 2 * _RADIUS + 1
CELLS = 2 * _RADIUS * (_RADIUS + 1) + 1
STEP = (WIDE, 1, CELLS - WIDE, CELLS - 1)  # north, east, south, west
AROUND = (1, WIDE + 1, WIDE, WIDE - 1, CELLS - 1, CELLS - WIDE - 1, CELLS - WIDE, CELLS - WIDE + 1)
SLOTS = 2 * TILES + 2  # a tile takes one empty cell of the edge and gives it three at most
_TILE = 255  # what a cell holds: nothing, 1 + the number of a slot, or this
_MIDDLE = 128  # coordinates are stored with this added
_FARM = 128  # number of the first farm segment; cities begin at 0, roads at 64
_HIGH = 192  # number of the first farm segment in the second word of bits
_CLOISTER = 192  # code of a cloister
_NOTHING = 255  # the byte of a side where no segment lies
NODES = _FARM + SORTS[2]
assert max(SORTS[:2]) <= 64 and NODES <= _TILE and SLOTS < _TILE

_DEAL, _DRAW, _PLACE, _OVER = 0, 1, 2, 3  # stages

FIELDS = {
    "stage": int,
    "turn": int,
    "hand": int,  # 1 + the kind of the tile to be laid, or 0
    "next": int,  # how many tiles of a fixed order are dealt, then used
    "history": int,  # a hash of all tiles laid
    "gone": int,  # a hash of all tiles discarded
    "bag": len(KINDS),  # copies that nature may still draw
    "order": STACK if FIXED else 1,
    "meeples": 2,  # in hand
    "points": 8,  # of player 0, then 1: city, road, farm, cloister
    "placed": int,
    "tiles": TILES,  # kind, turns << 5, meeple << 7, x << 11, y << 19, in the order of play
    "board": (CELLS + 7) // 8,  # a byte for each cell
    "slots": int,  # empty cells beside tiles, in the arrays below
    "frontier": SLOTS,  # cell, sorts of the edges around << 12, x << 20, y << 28
    "edges": SLOTS,  # the numbers of the cities and roads around, a byte for each side
    "halves": SLOTS,  # the numbers of the farms around, a byte for each half edge
    "used": 4,  # how many cities, roads, farms there are; the last is 0
    "parent": NODES,  # segments of one feature form a tree
    "load": NODES,  # of its root: men of player 0, of 1 << 8, open edges << 16
    "members": _FARM,  # of the root of a city or road: its segments, a bit for each
    "low": SORTS[2],  # of the root of a farm: its segments up to number 63,
    "high": SORTS[2],  # the others,
    "beside": SORTS[2],  # and the city segments beside it
    "taken": 4,  # the segments of features with men: cities, roads, farms, farms
    "closed": int,  # the segments of complete cities
    "shields": int,  # city segments with a shield
    "twins": int,  # city segments whose tile has the next one too
    "joint": int,  # road segments whose tile has the one before too
    "monks": int,  # men on cloisters, in the array below
    "cloisters": max(SORTS[3], 1),  # cell, tiles around << 12, player << 16
}
MAX_MOVES = most_moves(COPIES)
MAX_PLIES = 2 * STACK  # every tile is drawn or dealt, and laid
PAYOFF_SUM = 0 if PLAYERS == 2 else None
REDRAWS = not FIXED  # a tile that fits nowhere changes nothing else


# The table: a byte for each cell, and the empty cells beside tiles.


def look(s, cell):
    """Return what a cell holds."""
    return shr(s.board[cell >> 3], (cell & 7) << 3) & 255


def put(s, cell, value):
    """Change what a cell holds."""
    shift = (cell & 7) << 3
    s.board[cell >> 3] = (s.board[cell >> 3] & ~shl(255, shift)) | shl(value, shift)


def beyond(cell, step):
    """Return the cell that is so many numbers further."""
    return cell + step - CELLS if cell + step >= CELLS else cell + step


def leave(s, slot):
    """Take an empty cell out of the frontier; the last slot moves into its place."""
    last = s.slots - 1
    s.slots = last
    if slot != last:
        s.frontier[slot] = s.frontier[last]
        s.edges[slot] = s.edges[last]
        s.halves[slot] = s.halves[last]
        put(s, s.frontier[slot] & 4095, slot + 1)
    s.frontier[last] = 0
    s.edges[last] = 0
    s.halves[last] = 0


def slot_of(s, cell, x, y):
    """Return the slot of an empty cell, a new one if it was in none."""
    found = look(s, cell)
    if found > 0:
        return found - 1
    slot = s.slots
    s.slots = slot + 1
    s.frontier[slot] = cell | x << 20 | y << 28
    s.edges[slot] = -1
    s.halves[slot] = -1
    put(s, cell, slot + 1)
    return slot


def with_byte(word, index, value):
    """Return a word with one of its bytes changed."""
    return (word & ~shl(255, 8 * index)) | shl(value, 8 * index)


def byte(word, index):
    """Return one byte of a word."""
    return shr(word, 8 * index) & 255


# The features: a forest of segments, the root of each tree knows all about it.


def number(s, code):
    """Return the number that the segment of the tile just laid gets."""
    return code + s.used[code >> 6]


def root(s, node):
    """Return the segment that stands for a whole feature."""
    while s.parent[node] != node:
        node = s.parent[node]
    return node


def found(s, kind):
    """Make features of the segments of a new tile, each by itself."""
    for j in range(SEGMENTS[kind]):
        code = CODES[kind][j]
        if code < _CLOISTER:
            node = number(s, code)
            s.parent[node] = node
            s.load[node] = OPENINGS[kind][j] << 16
            bit = shl(1, node)
            if node < _FARM:
                s.members[node] = bit
            else:
                s.low[node - _FARM] = bit if node < _HIGH else 0
                s.high[node - _FARM] = bit if node >= _HIGH else 0
                s.beside[node - _FARM] = shl(BORDERS[kind][j], s.used[0])
    s.shields |= shl(SHIELDS[kind], s.used[0])
    if COUNTS[kind][0] == 2:
        s.twins |= shl(1, s.used[0])
    s.joint |= shl(shl(1, COUNTS[kind][1]) - 1 & ~1, s.used[1])


def join(s, one, other):
    """Make one feature of two that meet; return its root."""
    a = root(s, one)
    b = root(s, other)
    if a != b:
        s.parent[b] = a
        s.load[a] += s.load[b]
        if a < _FARM:
            s.members[a] |= s.members[b]
        else:
            s.low[a - _FARM] |= s.low[b - _FARM]
            s.high[a - _FARM] |= s.high[b - _FARM]
            s.beside[a - _FARM] |= s.beside[b - _FARM]
    return a


def city_size(s, segments):
    """Count the tiles and shields of a city; a tile with two of its segments counts once."""
    twice = segments & shr(segments, 1) & s.twins
    return popcount(segments) - popcount(twice) + popcount(segments & s.shields)


def road_size(s, segments):
    """Count the tiles of a road; a crossing that it passes more than once counts once."""
    near = s.joint
    far = near & shl(near, 1)
    again = shl(segments, 1) & near | shl(segments, 2) & far | shl(segments, 3) & far & shl(near, 2)
    return popcount(segments) - popcount(segments & again)


def complete_cities(s, farm):
    """Count the complete cities beside a farm."""
    rest = s.beside[farm - _FARM] & s.closed
    count = 0
    while rest != 0:
        rest &= ~s.members[root(s, lsb(rest))]
        count += 1
    return count


# The rules.


def setup(s):
    for k in range(len(COPIES)):
        s.bag[k] = COPIES[k]
    s.bag[START] -= 1
    for p in range(2):
        s.meeples[p] = MEEPLES if p < PLAYERS else 0
    s.stage = _DEAL if FIXED else _DRAW
    lay(s, START, 0, 0, slot_of(s, 0, _MIDDLE, _MIDDLE))
    count(s, START)


def mover(s):
    return CHANCE if s.stage < _PLACE else s.turn


def moves(s, out):
    n = 0
    if s.stage == _PLACE:
        for slot in range(s.slots):
            n = ways(s, slot, out, n)
    elif s.stage != _OVER:
        for k in range(len(COPIES)):
            if s.bag[k] > 0:
                out[n] = k
                n += 1
    return n


def ways(s, slot, out, n):
    """Write the moves that lay the tile in hand into one cell, from place n; return the place behind them."""
    cell = s.frontier[slot]
    kind = s.hand - 1
    turns = FITTING[kind][cell >> 12 & 255]
    if turns == 0:
        return n
    segments = 0
    barred = 0
    if s.meeples[s.turn] > 0:
        segments = SEGMENTS[kind]
        barred = occupied(s, slot)
    for turn in range(4):
        if turns >> turn & 1 == 1:
            move = (cell & 4095) << 6 | turn << 4
            out[n] = move
            n += 1
            closed = spread(s, slot, 4 * kind + turn, barred) if barred >> 4 != 0 else barred
            for j in range(segments):
                if closed & TOUCHED[4 * kind + turn][j] == 0:
                    out[n] = move + 1 + j
                    n += 1
    return n


def occupied(s, slot):
    """Return the ports of an empty cell behind which men stand, as bits."""
    edges = s.edges[slot]
    halves = s.halves[slot]
    bits = 0
    for side in range(4):
        node = edges >> 8 * side & 255
        bits |= (shr(s.taken[node >> 6], node) & 1) << side
    for half in range(8):
        node = shr(halves, 8 * half) & 255
        bits |= (shr(s.taken[node >> 6], node) & 1) << 4 + half
    return bits


def spread(s, slot, tile, barred):
    """Bar also what a turned tile would itself join with a farm that is taken.

    One farm of the tile may touch a free farm outside that another one of the tile connects with a taken one.
    Cities and roads need no such care: where a tile has several, each has one edge.
    """
    before = 0
    while before != barred:
        before = barred
        for j in range(SEGMENTS[tile >> 2]):
            if barred & TOUCHED[tile][j] >> 4 << 4 != 0:
                for half in range(8):
                    if TOUCHED[tile][j] & ~barred & 16 << half != 0:
                        barred |= alike(s, s.halves[slot], half)
    return barred


def alike(s, halves, half):
    """Return the half edges behind which the same farm lies as behind this one, as ports."""
    ports = 16 << half
    if byte(halves, half) != _NOTHING:
        farm = root(s, byte(halves, half))
        for other in range(8):
            if byte(halves, other) != _NOTHING and root(s, byte(halves, other)) == farm:
                ports |= 16 << other
    return ports


def chance(s, m):
    return s.bag[m]


def play(s, m):
    if s.stage == _PLACE:
        place(s, m)
        s.turn = (s.turn + 1) % PLAYERS
        s.hand = 0
        go_on(s)
    elif s.stage == _DRAW:
        s.bag[m] -= 1
        if fits(s, m):
            s.hand = m + 1
            s.stage = _PLACE
        else:
            s.gone = add(s.gone, mix(0, m))
            go_on(s)
    else:
        s.bag[m] -= 1
        s.order[s.next] = m
        s.history = mix(s.history, m)
        s.next += 1
        if s.next == STACK:
            s.next = 0
            go_on(s)


def fits(s, kind):
    """Tell whether a tile can be laid anywhere."""
    for slot in range(s.slots):
        if FITTING[kind][s.frontier[slot] >> 12 & 255] != 0:
            return True
    return False


def go_on(s):
    """Find out what happens after a move: the next tile of a fixed order, a draw, or the end."""
    s.stage = _OVER
    if FIXED:
        while s.next < STACK and s.stage == _OVER:
            if fits(s, s.order[s.next]):
                s.hand = s.order[s.next] + 1
                s.stage = _PLACE
            s.next += 1
    else:
        for k in range(len(COPIES)):
            if s.bag[k] > 0 and fits(s, k):
                s.stage = _DRAW
                break


def place(s, m):
    """Lay the tile in hand, put a man on it, score what is complete."""
    kind = s.hand - 1
    option = m & 15
    cell = m >> 6
    s.history = mix(s.history, m << 5 | kind)
    lay(s, kind, m >> 4 & 3, option, look(s, cell) - 1)
    if option > 0:
        s.meeples[s.turn] -= 1
        if CODES[kind][option - 1] == _CLOISTER:
            s.cloisters[s.monks] = cell | s.turn << 16
            s.monks += 1
        else:
            feature = root(s, number(s, CODES[kind][option - 1]))
            s.load[feature] += 1 << 8 * s.turn
    for j in range(SEGMENTS[kind]):
        if CODES[kind][j] < _FARM:
            settle(s, root(s, number(s, CODES[kind][j])))
        elif CODES[kind][j] < _CLOISTER:
            guard(s, root(s, number(s, CODES[kind][j])))
    visit_monks(s, cell, option > 0 and CODES[kind][option - 1] == _CLOISTER)
    count(s, kind)


def count(s, kind):
    """Count the segments of a new tile as used: the next tile's numbers begin behind them."""
    for sort in range(3):
        s.used[sort] += COUNTS[kind][sort]


def lay(s, kind, turn, option, slot):
    """Put a tile into an empty cell and join it with what lies around; its segments are not counted yet."""
    place = s.frontier[slot]
    edges = s.edges[slot]
    halves = s.halves[slot]
    s.tiles[s.placed] = kind | turn << 5 | option << 7 | place >> 20 << 11
    s.placed += 1
    leave(s, slot)
    put(s, place & 4095, _TILE)
    found(s, kind)
    for side in range(4):
        if place >> 12 + 2 * side & 3 != 0:
            connect(s, 4 * kind + turn, side, edges, halves)
        else:
            offer(s, 4 * kind + turn, side, place)


def connect(s, tile, side, edges, halves):
    """Join the segments of a new tile with those of its neighbour on one side."""
    if EDGES[tile][side] != 3:
        feature = join(s, byte(edges, side), number(s, BEHIND[tile][side]))
        s.load[feature] -= 2 << 16
    if EDGES[tile][side] != 1:
        for half in range(2 * side, 2 * side + 2):
            join(s, byte(halves, half), number(s, BEHIND[tile][4 + half]))


def offer(s, tile, side, place):
    """Tell the empty cell on one side of a new tile what lies beside it now."""
    x = (place >> 20 & 255) + (1 if side == 1 else -1 if side == 3 else 0)
    y = (place >> 28 & 255) + (1 if side == 0 else -1 if side == 2 else 0)
    slot = slot_of(s, beyond(place & 4095, STEP[side]), x, y)
    facing = side ^ 2
    s.frontier[slot] |= EDGES[tile][side] << 12 + 2 * facing
    if EDGES[tile][side] != 3:
        s.edges[slot] = with_byte(s.edges[slot], facing, number(s, BEHIND[tile][side]))
    if EDGES[tile][side] != 1:
        for k in range(2):
            s.halves[slot] = with_byte(s.halves[slot], 2 * facing + 1 - k, number(s, BEHIND[tile][4 + 2 * side + k]))


def settle(s, feature):
    """Score a city or road if it is complete, else note that it is taken."""
    sort = feature >> 6
    load = s.load[feature]
    if load >> 16 == 0:
        if sort == 0:
            s.closed |= s.members[feature]
        if load != 0:
            size = 2 * city_size(s, s.members[feature]) if sort == 0 else road_size(s, s.members[feature])
            award(s, load & 255, load >> 8, size, sort)
            s.load[feature] = 0
            s.taken[sort] &= ~s.members[feature]
    elif load & 65535 != 0:
        s.taken[sort] |= s.members[feature]


def guard(s, farm):
    """Note that a farm is taken, if it is."""
    if s.load[farm] != 0:
        s.taken[2] |= s.low[farm - _FARM]
        s.taken[3] |= s.high[farm - _FARM]


def award(s, first, second, value, sort):
    """Give the points of a feature to whoever has most men there, and send the men home."""
    if first >= second:
        s.points[sort] += value
    if second >= first:
        s.points[4 + sort] += value
    s.meeples[0] += first
    s.meeples[1] += second


def visit_monks(s, cell, new):
    """Count the new tile at the cloisters around it; `new` says that a man stands on its own cloister."""
    k = 0
    while k < s.monks:
        monk = s.cloisters[k]
        home = monk & 4095
        if new and home == cell:
            for step in range(8):
                if look(s, beyond(cell, AROUND[step])) == _TILE:
                    monk += 1 << 12
        else:
            for step in range(8):
                if beyond(home, AROUND[step]) == cell:
                    monk += 1 << 12
        s.cloisters[k] = monk
        if monk >> 12 & 15 == 8:
            award(s, 1 - (monk >> 16), monk >> 16, 9, 3)
            s.monks -= 1
            s.cloisters[k] = s.cloisters[s.monks]
            s.cloisters[s.monks] = 0
        else:
            k += 1


# Scores: what each player has, and would have if the game ended now.


def tally(s, first, second):
    """Return the virtual scores, player 0's times `first` plus player 1's times `second`."""
    total = score(s, first, second) + on_farms(s, first, second) + on_cloisters(s, first, second)
    return total + on_features(s, 0, first, second) + on_features(s, 1, first, second)


def on_features(s, sort, first, second):
    """Return what incomplete cities (0) or roads (1) would give at the end, weighted so."""
    total = 0
    rest = s.taken[sort]
    while rest != 0:
        feature = root(s, 64 * sort + lsb(rest))
        segments = s.members[feature]
        size = city_size(s, segments) if sort == 0 else road_size(s, segments)
        total += size * share(s.load[feature], first, second)
        rest &= ~segments
    return total


def on_farms(s, first, second):
    """Return what farms would give at the end, weighted so."""
    total = 0
    low = s.taken[2]
    high = s.taken[3]
    while low != 0 or high != 0:
        farm = root(s, _FARM + lsb(low) if low != 0 else _FARM + 64 + lsb(high))
        total += 3 * complete_cities(s, farm) * share(s.load[farm], first, second)
        low &= ~s.low[farm - _FARM]
        high &= ~s.high[farm - _FARM]
    return total


def on_cloisters(s, first, second):
    """Return what incomplete cloisters would give at the end, weighted so."""
    total = 0
    for k in range(s.monks):
        monk = s.cloisters[k]
        total += (1 + (monk >> 12 & 15)) * (second if monk >> 16 == 1 else first)
    return total


def share(load, first, second):
    """Return the weight of those who have most men on a feature."""
    mine = load & 255
    theirs = load >> 8 & 255
    return (first if mine >= theirs else 0) + (second if theirs >= mine else 0)


def score(s, first, second):
    """Return the points already scored, player 0's times `first` plus player 1's times `second`."""
    total = 0
    for sort in range(4):
        total += first * s.points[sort] + second * s.points[4 + sort]
    return total


def virtual(s, p):
    """Return the score of player p if the game ended now; at the end it is the final score."""
    return tally(s, 1 - p, p)


def payoff(s, p):
    lead = tally(s, 1, -1) if p == 0 else tally(s, -1, 1)
    if WINS:
        return 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    return lead / MAXIMUM


def evaluate(s, p):
    # The virtual score: the payoff if the game ended now.
    return (tally(s, 1, -1) if p == 0 else tally(s, -1, 1)) / MAXIMUM


def evaluate_score(s, p):
    # Only what is already scored.
    return (score(s, 1, -1) if p == 0 else score(s, -1, 1)) / MAXIMUM


def evaluate_own(s, p):
    # The virtual score of one side, whatever the other has.
    return virtual(s, p) / MAXIMUM


def evaluate_own_score(s, p):
    return score(s, 1 - p, p) / MAXIMUM


def key(s):
    # The order of moves depends on the order of play, so positions are told apart by their history.
    return mix(mix(s.history, s.gone), s.hand)


# For notation and drawing.


def _cell(x, y):
    return (x + WIDE * y) % CELLS


def _where(place):
    """Return the coordinates in a word whose lowest bits are x and y."""
    return (place & 255) - _MIDDLE, (place >> 8 & 255) - _MIDDLE


def laid(s):
    """Return (kind, turn, option, x, y) of every tile, in the order of play."""
    return [(tile & 31, tile >> 5 & 3, tile >> 7 & 15, *_where(tile >> 11)) for tile in s.tiles[: s.placed]]


def standing(s):
    """Return (number of the tile, segment, player) of every man on the table."""
    men, used = [], [0, 0, 0, 0]
    homes = {monk & 4095 for monk in s.cloisters[: s.monks]}
    for t, (kind, _, option, x, y) in enumerate(laid(s)):
        if option:
            code = CODES[kind][option - 1]
            there = _cell(x, y) in homes if code == _CLOISTER else s.load[root(s, code + used[code >> 6])] & 65535
            if there:
                men.append((t, option - 1, (t - 1) % PLAYERS))
        used = [a + b for a, b in zip(used, COUNTS[kind], strict=True)]
    return men


def breakdown(s, p):
    """Return the virtual score of player p by sort: city, road, farm, cloister."""
    waiting = (
        on_features(s, 0, 1 - p, p),
        on_features(s, 1, 1 - p, p),
        on_farms(s, 1 - p, p),
        on_cloisters(s, 1 - p, p),
    )
    return [s.points[4 * p + sort] + waiting[sort] for sort in range(4)]
