"""Drawings of a Carcassonne table: letters for a terminal, SVG for a page.

Why it is here.  A position of seventy tiles is readable only as a picture.  Both drawings are made from the tile
list alone, so they cannot show a tile that the rules do not have.

In a terminal a tile is five letters wide and three high: `#` city, `$` its shield, `-` `|` `+` road, `*` where
roads end at a crossing, `M` cloister, `.` field, and the number of a player where its man stands.
"""

from ludwin.games.carcassonne.rules import (
    _DEAL,
    _OVER,
    _PLACE,
    FIXED,
    MAX_MOVES,
    MEEPLES,
    PLAYERS,
    STACK,
    _where,
    laid,
    look,
    moves,
    score,
    standing,
    virtual,
)
from ludwin.games.carcassonne.tiles import CLOISTER, FARM, KINDS, LETTERS, ROAD, TURNS, turned
from ludwin.svg import Sheet

# Where the ports of a tile lie in a terminal: edges, then half edges clockwise (column, row).
_PORTS = ((2, 0), (4, 1), (2, 2), (0, 1), (1, 0), (3, 0), (4, 0), (4, 2), (3, 2), (1, 2), (0, 2), (0, 0))
_CORNERS = ((4, 0), (4, 2), (0, 2), (0, 0))  # clockwise of N, E, S, W


def sketch(tiles, men, axes=True):
    """Draw tiles (kind, turns, _, x, y) and men (number of the tile, segment, player) as text."""
    where = {(x, y): t for t, (_, _, _, x, y) in enumerate(tiles)}
    standing = {(t, segment): player for t, segment, player in men}
    left, right = min(x for x, _ in where), max(x for x, _ in where)
    lines = ["     " + "".join(f"{x:^6}" for x in range(left, right + 1)).rstrip()] if axes else []
    for y in range(max(y for _, y in where), min(y for _, y in where) - 1, -1):
        rows = [f"{y:>4} " if axes and k == 1 else "     " if axes else "" for k in range(3)]
        for x in range(left, right + 1):
            t = where.get((x, y))
            drawn = (
                _letters(*tiles[t][:2], {j: p for (n, j), p in standing.items() if n == t})
                if t is not None
                else [" " * 5] * 3
            )
            rows = [row + part + " " for row, part in zip(rows, drawn, strict=True)]
        lines += [row.rstrip() for row in rows]
    return "\n".join(lines)


def _letters(kind, turns, men):
    """Return the three rows of one tile; `men` are the players by segment."""
    grid = [["."] * 5 for _ in range(3)]
    segments = [(code, [turned(port, turns) for port in ports]) for code, ports in KINDS[kind].segments()]
    for code, ports in segments:
        if code < ROAD:
            _city(grid, ports, KINDS[kind].shield)
        elif code < FARM:
            _road(grid, ports)
        elif code == CLOISTER:
            grid[1][2] = "M"
    for j, player in men.items():
        code, ports = segments[j]
        column, row = (2, 1) if code == CLOISTER else _PORTS[min(ports)]
        grid[row][column] = str(player)
    return ["".join(row) for row in grid]


def _city(grid, sides, shield):
    for side in sides:
        column, row = _PORTS[side]
        grid[row][column] = "#"
        for beside in (column - 1, column + 1) if row != 1 else ():
            grid[row][beside] = "#"
        if (side + 1) % 4 in sides:
            column, row = _CORNERS[side]
            grid[row][column] = "#"
    if len(sides) > 2 or (len(sides) == 2 and (sides[1] - sides[0]) % 2 == 0):
        grid[1] = [*grid[1][:1], "#", "#", "#", *grid[1][4:]]
    if shield:
        column, row = _PORTS[max(sides)] if len(sides) == 2 and (sides[1] - sides[0]) % 2 else (2, 1)
        grid[row][column] = "$"


def _road(grid, sides):
    for side in sides:
        column, row = _PORTS[side]
        grid[row][column] = "|" if side % 2 == 0 else "-"
        if side % 2:
            grid[1][1 if side == 3 else 3] = "-"
    straight = len(sides) == 2 and (sides[1] - sides[0]) % 2 == 0
    if grid[1][2] == ".":
        grid[1][2] = "*" if len(sides) == 1 else "+" if not straight else "-" if sides[0] % 2 else "|"


# SVG: a tile is a square of SIZE, drawn from its middle.

SIZE = 60
_GROUND, _CITY, _WALL, _ROAD, _VERGE = "#8fb65a", "#c98a4b", "#6b4423", "#f4efe2", "#57554d"
_MEN = ("#c8202c", "#1f4fa8")
_HALF = SIZE / 2
_SIDE_POINTS = ((0, -_HALF), (_HALF, 0), (0, _HALF), (-_HALF, 0))
_CORNER_POINTS = ((-_HALF, -_HALF), (_HALF, -_HALF), (_HALF, _HALF), (-_HALF, _HALF))  # the corner before each side


def table(tiles, men, lines=(), free=(), hand=-1):
    """Return tiles (kind, turns, _, x, y), men (number of the tile, segment, player), lines of text below them, the
    cells where a tile may be laid, and the tile in hand as SVG.
    """
    left, right = min(t[3] for t in tiles) - 1, max(t[3] for t in tiles) + 1
    bottom, top = min(t[4] for t in tiles) - 1, max(t[4] for t in tiles) + 1
    wide = max((right - left + 1) * SIZE, max((8.4 * len(line) + 48 for line in lines), default=0))
    high = (top - bottom + 1) * SIZE + 16
    sheet = Sheet(wide + 24, high + 20 * len(lines) + (SIZE + 30 if hand >= 0 else 0), "Carcassonne")
    for x in range(left, right + 1):
        sheet.text((x - left + 0.5) * SIZE + 20, high - 8, str(x), "quiet", 11)
    for y in range(bottom, top + 1):
        sheet.text(10, (top - y + 0.5) * SIZE, str(y), "quiet", 11)
    for x, y in free:
        place, words = ((x - left) * SIZE + 23, (top - y) * SIZE + 3), f"{x},{y}"
        sheet.rect(*place, SIZE - 6, SIZE - 6, "panel", line="free", thick=1.5, dash="5 4", round=5, at=words)
    for t, (kind, turns, _, x, y) in enumerate(tiles):
        own = [(segment, player) for n, segment, player in men if n == t]
        with sheet.group((x - left + 0.5) * SIZE + 20, (top - y + 0.5) * SIZE):
            sheet.parts += [_tile(kind, turns), _men(kind, turns, own)]
    if len(tiles) > 1:
        place = (tiles[-1][3] - left) * SIZE + 20, (top - tiles[-1][4]) * SIZE
        sheet.rect(*place, SIZE, SIZE, line="mark", thick=2.5)
    for p, line in enumerate(lines):
        sheet.rect(20, high + 5 + 20 * p, 10, 10, _MEN[p], round=2)
        sheet.text(38, high + 10 + 20 * p, line, "ink", 13, anchor="start")
    for turns in range(TURNS[hand] if hand >= 0 else 0):
        x, y = turns * (SIZE + 14) + 54, high + 20 * len(lines) + SIZE / 2 + 6
        with sheet.group(x, y):
            sheet.parts.append(_tile(hand, turns))
        sheet.text(x, y + SIZE / 2 + 8, f"r{90 * turns}", "quiet", 11)
    return str(sheet)


def _tile(kind, turns):
    """Return a tile in its place: ground, cities and roads turned as one, the cloister upright."""
    parts = [
        f'<rect x="{-_HALF:g}" y="{-_HALF:g}" width="{SIZE}" height="{SIZE}" fill="{_GROUND}" stroke="#5d7a37" '
        f'stroke-width="1"/>'
    ]
    parts += [_road_shape(sides) for sides in KINDS[kind].roads]
    parts += [_city_shape(sides) for sides in KINDS[kind].cities]
    parts += [_shield(KINDS[kind].cities[0])] if KINDS[kind].shield else []
    if len(KINDS[kind].roads) > 1:
        parts.append(f'<circle r="7" fill="{_WALL}"/>')
    house = (
        f'<path d="M-10 9V-3L0 -13L10 -3V9Z" fill="#fff7e0" stroke="{_WALL}" stroke-width="1.5"/><path d="M-3 '
        f'9V2H3V9Z" fill="{_WALL}"/>'
    )
    return f'<g transform="rotate({90 * turns})">{"".join(parts)}</g>{house if KINDS[kind].cloister else ""}'


def _city_shape(sides):
    """Return a city: straight along its sides, bent towards the middle of the tile where it faces a field."""
    begin = next((side for side in sides if (side - 1) % 4 not in sides), 0)
    path = "M{:g} {:g}".format(*_CORNER_POINTS[begin])
    for side in [(begin + k) % 4 for k in range(4)]:
        after = (side + 1) % 4
        if side in sides:
            path += "L{:g} {:g}".format(*_CORNER_POINTS[after])
        elif after in sides:
            path += "Q0 0 {:g} {:g}".format(*_CORNER_POINTS[after])
    return f'<path d="{path}Z" fill="{_CITY}" stroke="{_WALL}" stroke-width="2" stroke-linejoin="round"/>'


def _shield(sides):
    x = sum(_SIDE_POINTS[side][0] for side in sides) * (0.33 if len(sides) == 2 else 0.1)
    y = sum(_SIDE_POINTS[side][1] for side in sides) * (0.33 if len(sides) == 2 else 0.1)
    return (
        f'<path transform="translate({x:g} {y:g})" d="M-6 -7H6V0Q6 5 0 8Q-6 5 -6 0Z" fill="#2f5fb3" stroke="#fff" '
        f'stroke-width="1.5"/>'
    )


def _road_shape(sides):
    points = [_SIDE_POINTS[side] for side in sides]
    end = points[1] if len(points) == 2 else (0, 0)
    path = f"M{points[0][0]:g} {points[0][1]:g}Q0 0 {end[0]:g} {end[1]:g}"
    return "".join(
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
        for colour, width in ((_VERGE, 8), (_ROAD, 5))
    )


def _spot(kind, turns, segment):
    """Return where a man stands on a segment."""
    code, ports = KINDS[kind].segments()[segment]
    places = [turned(port, turns) for port in ports]
    if code == CLOISTER:
        return 0.0, 0.0
    if code >= FARM:
        x, y = _half_point(min(places) - 4)
        return 0.72 * x, 0.72 * y
    if code >= ROAD or len(places) == 1:
        x, y = _SIDE_POINTS[places[0]]
        return 0.7 * x, 0.7 * y
    return 0.35 * sum(_SIDE_POINTS[side][0] for side in places), 0.35 * sum(_SIDE_POINTS[side][1] for side in places)


def _half_point(half):
    (ax, ay), (bx, by) = _CORNER_POINTS[half // 2], _CORNER_POINTS[(half // 2 + 1) % 4]
    part = 0.22 if half % 2 == 0 else 0.78
    return ax + part * (bx - ax), ay + part * (by - ay)


def _men(kind, turns, men):
    """Return the men of a tile; those on farms lie down."""
    parts = []
    for segment, player in men:
        x, y = _spot(kind, turns, segment)
        lying = FARM <= KINDS[kind].segments()[segment][0] < CLOISTER
        turn = " rotate(90)" if lying else ""
        parts.append(
            f'<path transform="translate({x:g} {y:g}){turn}" d="M-6 8L-2 1H-7V-3H-3A4 4 0 1 1 3 -3H7V1H2L6 8H2L0 '
            f'4L-2 8Z"'
            f' fill="{_MEN[player]}" stroke="#fff" stroke-width="1"/>'
        )
    return "".join(parts)


def show(s):
    lines = [sketch(laid(s), standing(s))]
    for p in range(PLAYERS):
        lines.append(
            f"player {p}: {score(s, 1 - p, p)} points, {virtual(s, p)} if the game ended now, {s.meeples[p]} of "
            f"{MEEPLES} meeples in hand"
        )
    ahead = (
        "".join(LETTERS[k] for k in s.order[s.next : STACK])
        if FIXED
        else "".join(LETTERS[k] * s.bag[k] for k in range(len(KINDS)))
    )
    if s.stage == _DEAL:
        lines.append(f"nature deals tile {s.next + 1} of {STACK}")
    elif s.stage == _OVER:
        lines.append("the game is over")
    else:
        lines.append(
            f"player {s.turn} lays {LETTERS[s.hand - 1]}:\n{_in_hand(s.hand - 1)}" if s.hand else "nature draws a tile"
        )
        lines.append(f"{len(ahead)} tiles follow{': ' + ahead if ahead else ''}")
    return "\n".join(lines)


def _in_hand(kind):
    """Return a tile in all the ways in which it can be turned, side by side."""
    ways = range(TURNS[kind])
    above = "".join(f"r{90 * turns:<5}" for turns in ways).rstrip()
    return f"{above}\n{sketch([(kind, turns, 0, turns, 0) for turns in ways], [], False)}"


def places(s, m):
    """Return the cell of a move."""
    return [f"{x},{y}" for x, y in _cells(s, [m])]


def _cells(s, played):
    """Return the cells of moves that lay the tile in hand, each once."""
    if s.stage != _PLACE or not s.hand:
        return []
    return sorted({_where(s.frontier[look(s, m >> 6) - 1] >> 20) for m in played})


def picture(s):
    out = [0] * MAX_MOVES
    free = _cells(s, out[: moves(s, out)])
    lines = []
    for p in range(PLAYERS):
        lines.append(
            f"player {p}: {score(s, 1 - p, p)} points, {virtual(s, p)} if the game ended now, {s.meeples[p]} meeples "
            f"in hand"
        )
    if s.hand:
        lines[s.turn] += f", lays {LETTERS[s.hand - 1]}"
    return table(laid(s), standing(s), lines, free, s.hand - 1 if s.stage == _PLACE else -1)
