"""What a meeple is worth at random play: landscapes of the first turns, and heat maps of whole games.

Why it is here.  Random games are what a Monte Carlo search sees first.  The thesis asks what they say about the first
move: every position after it is played out at random, and the means are grouped by what the meeple was used for
(figures 4.15, 4.17, 4.19 and 4.21); and how many meeples a player has brought by each of its turns is set beside the
final result (figures 4.18, 4.20 and 4.22).

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), sections 4.5.2 and 4.5.3.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from ludwin.files import write_whole
from ludwin.game import State
from ludwin.games.carcassonne.tiles import CLOISTER, FARM, KINDS, LETTERS
from ludwin.lab.experiment import LabTable, TableRun, file_name, measured
from ludwin.lab.sources.matches import event
from ludwin.library import agent, load
from ludwin.primitives import stream
from ludwin.search.playout import Flat
from ludwin.stats import Estimate, mean_of
from ludwin.svg import Sheet, dressed, mixed

BASE, THREE, ONE = "carcassonne", "carcassonne:players=1,tiles=24,meeples=3", "carcassonne:players=1,tiles=24,meeples=1"
USES = ("cloister", "city", "road", "none", "farm")
B1, B2 = "D E0,1r180", "D C0,1r0"  # a city is closed on the first turn; it is continued
SORTS = {"farms": (True,), "other features": (False,), "all meeples": (True, False)}


def use_of(move: str) -> str:
    """Return what the meeple of a move is used for.

    >>> use_of("1,0r90+road-n"), use_of("0,1r0")
    ('road', 'none')
    """
    return move.partition("+")[2].partition("-")[0] or "none"


def after_draw(state: State) -> Iterable[State]:
    """Yield the positions after nature's draw of each kind; those where no player can move are left out."""
    for kind in state.moves():
        drawn = state._play(kind)
        if drawn.mover >= 0 and drawn.name(drawn.moves()[0])[:1] not in LETTERS:
            yield drawn


def landscape(start: State, playouts: int, seed: int, told: Callable[[int], None]) -> dict[str, list[float]]:
    """Return the mean result, in points to whoever moves, of every position one move further, by use of the meeple."""
    game, found = start.game, {use: list[float]() for use in USES}
    points = float(game.module.MAXIMUM)
    for number, state in enumerate(after_draw(start)):
        legal = state.moves()
        choice = Flat(playouts=playouts * len(legal)).choose(game, state, seed=stream(seed, number))
        for move in legal:
            found[use_of(state.name(move))].append(points * choice.values[move])
        told(number + 1)
    return found


CASES = {  # figure: (title, game, position)
    "4.15": ("base game, after turn 1", BASE, "start"),
    "4.17 B1": ("base game, after turn 2, a city closed", BASE, B1),
    "4.17 B2": ("base game, after turn 2, a city continued", BASE, B2),
    "4.19": ("24 tiles, 3 meeples, after turn 1", THREE, "start"),
    "4.21": ("24 tiles, 1 meeple, after turn 1", ONE, "start"),
}


def fill_landscape(run: TableRun) -> None:
    """Play every position after a first turn out, `games` times each; a row for each use of the meeple."""
    for figure, (title, text, position) in CASES.items():
        game = load(text)
        run.progress.total(len(KINDS), f"figure {figure}", unit="tiles")
        found = landscape(game.position(position), run.games, run.seed, run.progress.done)
        for use in USES:
            if found[use]:
                ours = mean_of(found[use])
                note = f"{len(found[use])} positions, {run.games} random games each"
                run.add(measured(f"{figure}, {use}", "mean points", ours, len(found[use]), note))
        if run.folder:
            write_whole(run.folder / f"figure-{file_name(figure)}.svg", dressed(draw_landscape(found, figure, title)))


def draw_landscape(found: dict[str, list[float]], figure: str, title: str) -> str:
    """Draw every position as a dot, by use of the meeple, and the means."""
    values = [value for of_use in found.values() for value in of_use]
    low, high = min(*values, 0.0), max(*values, 0.0)
    span = high - low or 1.0
    sheet = Sheet(620, 330, f"figure {figure}")
    sheet.text(60, 18, f"{title}: mean final points", "ink", 13, anchor="start", bold=True)
    for value in dict.fromkeys((low, 0.0, high)):
        y = 40 + 240 * (high - value) / span
        sheet.stroke(60, y, 600, y, "line")
        sheet.text(52, y, f"{value:.3g}", "quiet", 11, anchor="end")
    for k, use in enumerate(USES):
        x = 60 + 540 * (k + 0.5) / len(USES)
        sheet.text(x, 306, f"{use} ({len(found[use])})", "ink", 12)
        for number, value in enumerate(sorted(found[use])):
            aside = ((number * 29) % 61 - 30) * 1.1  # apart, so that dots can be counted
            sheet.circle(round(x + aside, 1), round(40 + 240 * (high - value) / span, 1), 2.4, "first", opacity=0.5)
        if found[use]:
            y = 40 + 240 * (high - fmean(found[use])) / span
            sheet.stroke(x - 40, y, x + 40, y, "second", thick=2.5)
    return str(sheet)


# Heat maps


def brought(moves: Sequence[int], players: int) -> list[list[tuple[int, int]]]:
    """Return, for each player, how many meeples it has put on farms and elsewhere by each of its turns.

    Moves of nature are kinds of tiles, below 64; a placement holds its cell above the lowest six bits, and no tile is
    ever laid on cell 0, where the start lies.
    """
    counts = [[(0, 0)] for _ in range(players)]
    kind, turn = 0, 0
    for move in moves:
        if move < 64:
            kind = move
            continue
        farms, others = counts[turn % players][-1]
        if option := move & 15:
            code = KINDS[kind].segments()[option - 1][0]
            is_farm = FARM <= code < CLOISTER
            farms, others = farms + is_farm, others + (not is_farm)
        counts[turn % players].append((farms, others))
        turn += 1
    return [rows[1:] for rows in counts]


Cells = dict[tuple[int, int], list[float]]  # (turn, meeples): sum of results, how many players, sum of squares


def heat(games: Iterable[tuple[Sequence[int], Sequence[float]]], players: int) -> dict[str, Cells]:
    """Return the mean final result by turn and meeples brought, for farms, other features and all of them."""
    found: dict[str, Cells] = {sort: {} for sort in SORTS}
    for moves, results in games:
        for player, rows in enumerate(brought(moves, players)):
            for turn, (farms, others) in enumerate(rows, 1):
                for sort, kinds in SORTS.items():
                    number = farms * (True in kinds) + others * (False in kinds)
                    cell = found[sort].setdefault((turn, number), [0.0, 0.0, 0.0])
                    cell[0] += results[player]
                    cell[1] += 1
                    cell[2] += results[player] ** 2
    return found


HEAT = {"4.18": ("base game", BASE), "4.20": ("24 tiles, 3 meeples", THREE), "4.22": ("24 tiles, 1 meeple", ONE)}


def fill_heat(run: TableRun) -> None:
    """Play `games` random games of each variant and draw what meeples brought early are worth."""
    for figure, (title, text) in HEAT.items():
        game = load(text)
        agents = [agent("random")] * game.players
        _, records = event(run, f"figure {figure}", game, agents, run.games, seed=run.seed)
        points = float(game.module.MAXIMUM)
        found = heat(((record.moves, [points * value for value in record.payoffs]) for record in records), game.players)
        last = max(turn for turn, _ in found["all meeples"])
        for sort, cells in found.items():
            ends = [(number, cell) for (turn, number), cell in cells.items() if turn == last]
            most = max(number for number, _ in ends)
            few, many = ([cell for number, cell in ends if (number > most // 2) == above] for above in (False, True))
            note = f"those who brought more than {most // 2} less the others; at most {most} brought"
            ours = _difference(many, few, game.players)
            run.add(measured(f"{figure}, {sort}", "final points", ours, run.games, note))
        if run.folder:
            write_whole(run.folder / f"figure-{file_name(figure)}.svg", dressed(draw_heat(found, figure, title)))


def _difference(many: Sequence[Sequence[float]], few: Sequence[Sequence[float]], players: int) -> Estimate:
    """Return the difference of two means with its interval; players of one game count as one sample between them."""
    means, error = [], 0.0
    for cells in (many, few):
        total, count, squares = (sum(column) for column in zip(*cells, strict=True)) if cells else (0.0, 0.0, 0.0)
        mean = total / max(count, 1.0)
        means.append(mean)
        error += (squares / max(count, 1.0) - mean**2) / max(count / players, 1.0)
    gain = means[0] - means[1]
    return Estimate(gain, gain - 1.96 * math.sqrt(error), gain + 1.96 * math.sqrt(error))


def draw_heat(found: dict[str, Cells], figure: str, title: str) -> str:
    """Draw one map beside another: meeples to the right, turns downwards, the mean final result as a colour."""
    turns = max(turn for turn, _ in found["all meeples"])
    most = {sort: max(number for _, number in cells) for sort, cells in found.items()}
    means = [total / count for cells in found.values() for total, count, _ in cells.values() if count >= 5]
    low, high = (min(means), max(means)) if means else (0.0, 1.0)
    cell, top = 14, 74
    sheet = Sheet(40 + sum(cell * (m + 1) + 50 for m in most.values()), top + cell * turns + 40, f"figure {figure}")
    sheet.text(20, 18, f"{title}: mean final points by meeples brought so far", "ink", 13, anchor="start", bold=True)
    for k in range(80):
        sheet.rect(20 + 2 * k, 32, 2, 8, _warm(k / 79))
    sheet.text(190, 36, f"{low:.3g} to {high:.3g}; cells of 5 players and more", "quiet", 11, anchor="start")
    left = 40
    for sort, cells in found.items():
        sheet.text(left, 58, sort, "ink", 12, anchor="start")
        for (turn, number), (total, count, _) in sorted(cells.items()):
            if count >= 5:
                part = (total / count - low) / (high - low) if high > low else 0.5
                words = f"turn {turn}, {number} brought: {total / count:.3g}, {count:g} players"
                place = left + cell * number, top + cell * (turn - 1)
                sheet.rect(*place, cell, cell, _warm(part), title=words)
        for number in range(0, most[sort] + 1, 2):
            sheet.text(left + cell * (number + 0.5), top + cell * turns + 10, str(number), "quiet", 10)
        for turn in range(1, turns + 1, 5):
            sheet.text(left - 6, top + cell * (turn - 0.5), str(turn), "quiet", 10, anchor="end")
        left += cell * (most[sort] + 1) + 50
    sheet.text(40, top + cell * turns + 28, "meeples brought; turns downwards", "quiet", 11, anchor="start")
    return str(sheet)


def _warm(part: float) -> str:
    """Return a colour from cold over pale to warm."""
    return mixed(2 * part, "#2f6f9f", "#f1ecdf") if part < 0.5 else mixed(2 * part - 1, "#f1ecdf", "#b3432f")


LANDSCAPE = LabTable(
    "carcassonne-landscape",
    "Carcassonne: what the first meeple is worth at random play, figures 4.15, 4.17, 4.19, 4.21",
    {"quick": (20, 1), "standard": (200, 1), "paper": (1000, 1)},
    fill_landscape,
    least=1,
    sides=1,
    each="position",
)
MEEPLES = LabTable(
    "carcassonne-meeples",
    "Carcassonne: heat maps of meeples brought and final points at random play, figures 4.18, 4.20, 4.22",
    {"quick": (400, 1), "standard": (5000, 1), "paper": (100000, 1)},
    fill_heat,
    least=2,
)
