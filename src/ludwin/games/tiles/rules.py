"""Tiles: slide numbered tiles into the gap until they stand in order.

Rules.  On a board of ROWS by COLUMNS cells lie tiles numbered from 1, and one cell is empty.  A tile beside the gap may
slide into it.  Solved is the board on which the numbers stand in order, row by row, with the gap at the end.

Why it is here.  The fifteen puzzle is the yardstick of search for one player: positions of any difficulty, an optimum
that is hard to prove, pattern databases that were invented for it, and half of all arrangements unsolvable.

References.  W. W. Johnson and W. E. Story, "Notes on the 15 puzzle", Amer. J. Math. 2 (1879), 397-404; R. E. Korf,
"Depth-first iterative-deepening", Artificial Intelligence 27 (1985); R. E. Korf and A. Felner, "Disjoint pattern
database heuristics", Artificial Intelligence 134 (2002).
"""

from ludwin.primitives import draw, mix, shl, shr, stream

PLAYERS = 1
ROWS = 3
COLUMNS = 3
SEED = 1  # which random position is the start

if not (2 <= ROWS <= 5 and 2 <= COLUMNS <= 5):
    raise ValueError(f"rows and columns go from 2 to 5, got {ROWS} and {COLUMNS}")

_CELLS = ROWS * COLUMNS
_BITS = 4 if _CELLS <= 16 else 5  # of one tile; tiles are packed into words
_PER = 16 if _CELLS <= 16 else 12
_WORDS = (_CELLS + _PER - 1) // _PER
_MASK = (1 << _BITS) - 1

FIELDS = {
    "board": _WORDS,  # the tile of each cell, 0 for the gap
    "where": _WORDS,  # the cell of each tile
    "played": int,  # moves so far
}
MAX_MOVES = 4
MAX_PLIES = 500

_NEXT = tuple(
    tuple(
        cell + step
        for step, inside in (
            (-COLUMNS, cell >= COLUMNS),
            (COLUMNS, cell < _CELLS - COLUMNS),
            (-1, cell % COLUMNS > 0),
            (1, cell % COLUMNS < COLUMNS - 1),
        )
        if inside
    )
    for cell in range(_CELLS)
)
_DEGREE = tuple(len(cells) for cells in _NEXT)
_BESIDE = tuple(cells + (0,) * (4 - len(cells)) for cells in _NEXT)
_HOME = tuple((tile - 1) % _CELLS for tile in range(_CELLS))  # where each tile belongs, the gap last
_AWAY = tuple(  # of each tile at each cell: rows and columns from home; the gap costs nothing
    tuple(
        0 if tile == 0 else abs(cell // COLUMNS - home // COLUMNS) + abs(cell % COLUMNS - home % COLUMNS)
        for cell in range(_CELLS)
    )
    for tile, home in enumerate(_HOME)
)


def _groups():
    """Return which tiles each pattern sees: disjoint sets that cover the board, and larger ones of the 4x4 board."""
    if (ROWS, COLUMNS) == (4, 4):
        fives = {"five1": (1, 2, 3, 5, 6), "five2": (4, 7, 8, 11, 12), "five3": (9, 10, 13, 14, 15)}
        return {**fives, "six1": (1, 5, 6, 9, 10, 13), "six2": (7, 8, 11, 12, 14, 15), "three": (2, 3, 4)}
    count = -(-(_CELLS - 1) // 5)
    size = -(-(_CELLS - 1) // count)
    return {f"part{k + 1}": tuple(range(1 + k * size, min(1 + (k + 1) * size, _CELLS))) for k in range(count)}


_GROUPS = _groups()
_SEEN = tuple((0, *tiles) for tiles in _GROUPS.values())  # the gap is always seen
_SIZES = tuple(len(tiles) for tiles in _SEEN)
_WIDEST = max(_SIZES)
_TILES = tuple(tiles + (0,) * (_WIDEST - len(tiles)) for tiles in _SEEN)
_COUNTS = tuple(sum(1 << tile for tile in tiles) for tiles in _GROUPS.values())  # as a set of bits


def _numbers(size):
    """Return in how many ways so many things can lie on the cells."""
    n = 1
    for k in range(size):
        n *= _CELLS - k
    return n


PATTERNS = {name: _numbers(len(tiles) + 1) for name, tiles in _GROUPS.items()}


def shuffled(number):
    """Return the tiles of a random solvable position, one for each number."""
    rng = [stream(number, ROWS, COLUMNS)]
    tiles = list(range(_CELLS))
    for k in range(_CELLS - 1, 0, -1):
        j = draw(rng, k + 1)
        tiles[k], tiles[j] = tiles[j], tiles[k]
    if not solvable(tiles):
        a, b = [k for k in range(_CELLS) if tiles[k] > 0][:2]
        tiles[a], tiles[b] = tiles[b], tiles[a]
    return tuple(tiles)


def solvable(tiles):
    """Tell whether tiles can be brought into order: each slide is a swap with the gap, which walks one cell."""
    order = [tile if tile > 0 else _CELLS for tile in tiles]
    swaps = sum(order[a] > order[b] for a in range(_CELLS) for b in range(a + 1, _CELLS))
    gap = tiles.index(0)
    walk = ROWS - 1 - gap // COLUMNS + COLUMNS - 1 - gap % COLUMNS
    return (swaps + walk) % 2 == 0


def packed(values):
    """Return small numbers as words of `board` or `where`."""
    words = [0] * _WORDS
    for k, value in enumerate(values):
        words[k // _PER] = words[k // _PER] | shl(value, _BITS * (k % _PER))
    return tuple(words)


def inverse(tiles):
    """Return the cell of each tile."""
    return tuple(tiles.index(tile) for tile in range(_CELLS))


_START_BOARD = packed(shuffled(SEED))
_START_WHERE = packed(inverse(shuffled(SEED)))
_GOAL_TILES = (*range(1, _CELLS), 0)
_GOAL_BOARD = packed(_GOAL_TILES)
_GOAL_WHERE = packed(inverse(_GOAL_TILES))


def setup(s):
    for i in range(_WORDS):
        s.board[i] = _START_BOARD[i]
        s.where[i] = _START_WHERE[i]
    s.played = 0


def tile_at(s, cell):
    return shr(s.board[cell // _PER], _BITS * (cell % _PER)) & _MASK


def cell_of(s, tile):
    return shr(s.where[tile // _PER], _BITS * (tile % _PER)) & _MASK


def mover(s):
    return 0


def solved(s):
    for i in range(_WORDS):
        if s.board[i] != _GOAL_BOARD[i]:
            return False
    return True


def moves(s, out):
    if s.played >= MAX_PLIES or (s.played >= 0 and solved(s)):
        return 0
    gap = cell_of(s, 0)
    for i in range(_DEGREE[gap]):
        out[i] = _BESIDE[gap][i]
    return _DEGREE[gap]


def play(s, m):
    # Numbers are put in by exclusive or: what was there goes, what comes appears.
    gap = cell_of(s, 0)
    tile = tile_at(s, m)
    s.board[gap // _PER] = s.board[gap // _PER] ^ shl(tile, _BITS * (gap % _PER))
    s.board[m // _PER] = s.board[m // _PER] ^ shl(tile, _BITS * (m % _PER))
    s.where[tile // _PER] = s.where[tile // _PER] ^ shl(m ^ gap, _BITS * (tile % _PER))
    s.where[0] = s.where[0] ^ (m ^ gap)
    s.played += 1


def payoff(s, p):
    return 1 if solved(s) else 0


def key(s):
    h = 1 if s.played >= MAX_PLIES else 0
    for i in range(_WORDS):
        h = mix(h, s.board[i])
    return h


def distance(s):
    # Manhattan: each tile must go at least its rows and columns, and a slide brings one tile one cell.
    total = 0
    for tile in range(1, _CELLS):
        total += _AWAY[tile][cell_of(s, tile)]
    return total


def goal_state(s):
    for i in range(_WORDS):
        s.board[i] = _GOAL_BOARD[i]
        s.where[i] = _GOAL_WHERE[i]
    s.played = -MAX_PLIES  # below 0 a solved board is no end: searches go backward from here


def pattern_number(s, k):
    # The places of the gap and of some tiles as one number: each is counted among the cells that are still free.
    number = 0
    for i in range(_SIZES[k]):
        cell = cell_of(s, _TILES[k][i])
        below = 0
        for j in range(i):
            if cell_of(s, _TILES[k][j]) < cell:
                below += 1
        number = number * (_CELLS - i) + cell - below
    return number


def pattern_share(s, m, k):
    return 1 if (_COUNTS[k] >> tile_at(s, m)) & 1 == 1 else 0
