"""The tiles of Carcassonne, and what the rules look up about them.

Why it is here.  A tile is data: which edges are city, road or field, and which of them hang together.
The list below is the only place where a tile is described; all tables are computed from it, so a
mistyped edge shows in every count that the tests know.

Encoding.  Sides are N E S W = 0 … 3.  Each side has two half edges, numbered clockwise from the west half of
N: side i has 2i and 2i + 1, and lies against 2j + 1 and 2j of the neighbour's side j = (i + 2) % 4.
Edges (0 … 3) and half edges (4 … 11) together are the twelve *ports* of a tile; a city or a road
leaves by an edge, a farm by half edges.  Turning by a quarter clockwise adds 1 to a side, 2 to a half edge.

Segments of a tile are its cities, then roads, then farms, then the cloister.  A segment's *code* tells its
sort, code // 64 (0 city, 1 road, 2 farm, 3 cloister), and its number within the sort, code % 64.

Source.  Kinds are lettered as in the first edition's rule book; edges, farms and copies are those of
the tile set basic:1 of JCloisterZone (github.com/farin/JCloisterZone, tile-definitions/basic.xml, MIT
licence, (c) 2004-2020 Roman Krejcik), data only.
"""

from typing import NamedTuple

# kind, copies, edges, cities (* shield), roads, cloister, farms (half edges, then > and the numbers of the cities
# beside)
_LIST = """
A  2  FFRF  -     S        cloister  01234567
B  4  FFFF  -     -        cloister  01234567
C  1  CCCC  NESW* -        -         -
D  4  CRFR  N     EW       -         27>0 3456
E  5  CFFF  N     -        -         234567>0
F  2  FCFC  EW*   -        -         01>0 45>0
G  1  CFCF  NS    -        -         23>0 67>0
H  3  FCFC  E,W   -        -         0145>01
I  2  FFCC  S,W   -        -         0123>01
J  3  CRRF  N     ES       -         2567>0 34
K  3  CFRR  N     SW       -         2347>0 56
L  3  CRRR  N     E,S,W    -         27>0 34 56
M  2  CFFC  NW*   -        -         2345>0
N  3  CFFC  NW    -        -         2345>0
O  2  CRRC  NW*   ES       -         25>0 34
P  3  CRRC  NW    ES       -         25>0 34
Q  1  CCFC  NEW*  -        -         45>0
R  3  CCFC  NEW   -        -         45>0
S  2  CCRC  NEW*  S        -         4>0 5>0
T  1  CCRC  NEW   S        -         4>0 5>0
U  8  RFRF  -     NS       -         1234 0567
V  9  FFRR  -     SW       -         012347 56
W  4  FRRR  -     E,S,W    -         0127 34 56
X  1  RRRR  -     N,E,S,W  -         12 34 56 07
"""

CITY, ROAD, FARM, CLOISTER, NOTHING = 0, 64, 128, 192, 255  # codes of segments; NOTHING leads nowhere
_SIDES = "NESW"
_SORTS = {"C": 1, "R": 2, "F": 3}  # of edges; 0 is an open side


class Kind(NamedTuple):
    """One kind of tile, unturned."""

    letter: str
    copies: int
    edges: str
    cities: tuple[tuple[int, ...], ...]  # the sides of each
    shield: bool
    roads: tuple[tuple[int, ...], ...]
    cloister: bool
    farms: tuple[tuple[int, ...], ...]  # the half edges of each
    borders: tuple[tuple[int, ...], ...]  # the cities beside each farm

    def segments(self):
        """Return (code, ports) of every segment."""
        cities = [(CITY + j, sides) for j, sides in enumerate(self.cities)]
        roads = [(ROAD + j, sides) for j, sides in enumerate(self.roads)]
        farms = [(FARM + j, tuple(4 + half for half in halves)) for j, halves in enumerate(self.farms)]
        return [*cities, *roads, *farms, *([(CLOISTER, ())] if self.cloister else [])]

    def looks(self, turns):
        """Return what can be told apart on the table after so many quarter turns clockwise."""
        return {(code // 64, frozenset(turned(port, turns) for port in ports)) for code, ports in self.segments()}


def turned(port, turns):
    """Return the port that lies where this one was, after quarter turns clockwise."""
    return (port + turns) % 4 if port < 4 else 4 + (port - 4 + 2 * turns) % 8


def _sides(text):
    return (
        () if text == "-" else tuple(tuple(_SIDES.index(side) for side in part.strip("*")) for part in text.split(","))
    )


def _kind(line):
    letter, copies, edges, cities, roads, cloister, *farms = line.split()
    parts = [farm.partition(">") for farm in farms if farm != "-"]
    halves = tuple(tuple(map(int, part[0])) for part in parts)
    borders = tuple(tuple(map(int, part[2])) for part in parts)
    return Kind(
        letter, int(copies), edges, _sides(cities), "*" in cities, _sides(roads), cloister != "-", halves, borders
    )


KINDS = tuple(_kind(line) for line in _LIST.split("\n") if line)
LETTERS = tuple(kind.letter for kind in KINDS)
BASE_COPIES = tuple(kind.copies for kind in KINDS)  # the 72 tiles of the base game
SINGLE_COPIES = (1,) * len(KINDS)  # the 24 tiles of the solo variants
PORTS = tuple(range(12))

# By kind: how many turns differ, how many segments there are, and of each its code, its open edges, its bordering
# cities.
TURNS = tuple(next((n for n in (1, 2) if kind.looks(n) == kind.looks(0)), 4) for kind in KINDS)
SEGMENTS = tuple(len(kind.segments()) for kind in KINDS)
_MOST = max(SEGMENTS)


def _filled(rows, filler):
    """Return rows of one length."""
    return tuple((*row, *[filler] * (_MOST - len(row))) for row in rows)


CODES = _filled([[code for code, _ in kind.segments()] for kind in KINDS], NOTHING)
OPENINGS = _filled([[len(ports) if code < FARM else 0 for code, ports in kind.segments()] for kind in KINDS], 0)
BORDERS = _filled(
    [
        [0] * (len(kind.cities) + len(kind.roads)) + [sum(1 << c for c in border) for border in kind.borders]
        for kind in KINDS
    ],
    0,
)
COUNTS = tuple((len(kind.cities), len(kind.roads), len(kind.farms), 0) for kind in KINDS)
SHIELDS = tuple(int(kind.shield) for kind in KINDS)  # the shield is always in the first city


def _oriented(kind, turns):
    """Return, for a turned tile: the sorts of its edges, the code behind each port, the ports of each segment as
    bits.
    """
    edges = [0] * 4
    behind = [NOTHING] * 12
    touched = [0] * _MOST
    for side in range(4):
        edges[turned(side, turns)] = _SORTS[kind.edges[side]]
    for j, (code, ports) in enumerate(kind.segments()):
        for port in ports:
            behind[turned(port, turns)] = code
            touched[j] |= 1 << turned(port, turns)
    return tuple(edges), tuple(behind), tuple(touched)


# By kind and turn, number 4 * kind + turn.
_ORIENTED = tuple(_oriented(kind, turns) for kind in KINDS for turns in range(4))
EDGES = tuple(edges for edges, _, _ in _ORIENTED)
BEHIND = tuple(behind for _, behind, _ in _ORIENTED)
TOUCHED = tuple(touched for _, _, touched in _ORIENTED)


def _surroundings(edges):
    """Yield what may lie around a turned tile, two bits a side: at each side nothing or its own sort, not nothing at
    all.
    """
    for chosen in range(1, 16):
        yield sum(edges[side] << 2 * side for side in range(4) if chosen >> side & 1)


def _fitting(k):
    """Return, for all that may lie around a cell, a bit for each turn in which this kind fits."""
    found = [0] * 256
    for turns in range(TURNS[k]):
        for sides in _surroundings(EDGES[4 * k + turns]):
            found[sides] |= 1 << turns
    return tuple(found)


# By kind and surroundings: a bit for each turn that fits.
FITTING = tuple(_fitting(k) for k in range(len(KINDS)))


def totals(copies):
    """Return how many city, road and farm segments and cloisters a set of tiles has."""
    sums = [sum(copies[k] * COUNTS[k][sort] for k in range(len(KINDS))) for sort in range(3)]
    return (*sums, sum(n for n, kind in zip(copies, KINDS, strict=True) if kind.cloister))


def most_moves(copies):
    """Return a bound on the moves of any position.

    Every cell where a tile may go has an edge beside it.  If that edge is of a given sort, the tile fits in
    at most so many ways; edges of a sort are as many as the tiles have, and cells at most two a tile and two more.
    """
    supply = [sum(n * kind.edges.count(sort) for n, kind in zip(copies, KINDS, strict=True)) for sort in "CRF"]
    having = [[sides for sides in range(256) if _has(sides, sort)] for sort in (1, 2, 3)]
    best = 0
    for k in range(len(KINDS)):
        ways = [max(FITTING[k][sides].bit_count() for sides in beside) for beside in having]
        moves, cells = 0, 2 * sum(copies) + 2
        for way, edges in sorted(zip(ways, supply, strict=True), reverse=True):
            moves += way * min(edges, cells) * (1 + SEGMENTS[k])
            cells -= min(edges, cells)
        best = max(best, moves)
    return best


def _has(sides, sort):
    return any(sides >> 2 * side & 3 == sort for side in range(4))


def maximum(copies, meeples, through):
    """Return the greatest score that a set of tiles might give to a player who takes everything.

    Cities close with caps (one edge) and corners (two); `through` counts straight cities as corners.
    """
    cities, roads, _, cloisters = totals(copies)
    points = cities + sum(n for n, kind in zip(copies, KINDS, strict=True) if kind.shield)
    caps = sum(n for n, kind in zip(copies, KINDS, strict=True) for sides in kind.cities if len(sides) == 1)
    pairs = [(n, sides) for n, kind in zip(copies, KINDS, strict=True) for sides in kind.cities if len(sides) == 2]
    corners = sum(n for n, sides in pairs if through or (sides[1] - sides[0]) % 2)
    closed = caps // 2 + corners // 4 + (1 if caps % 2 == 1 and corners % 4 == 3 else 0)
    return 2 * points + roads + 9 * cloisters + 3 * closed * meeples


def as_printed(copies):
    """Return the copies with O and P exchanged, as in the study whose rewards are divided by 593."""
    swapped = list(copies)
    o, p = LETTERS.index("O"), LETTERS.index("P")
    swapped[o], swapped[p] = copies[p], copies[o]
    return tuple(swapped)
