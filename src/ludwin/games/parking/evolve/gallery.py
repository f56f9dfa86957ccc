"""What runs of `parking-boards` have found: every board that was ever in a population, judged again by the rules."""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from ludwin.errors import BadParameter
from ludwin.evolve.register import find
from ludwin.evolve.run import reopen
from ludwin.evolve.store import EVOLUTION, Store
from ludwin.game import Game
from ludwin.games.parking.evolve.boards import BOARDS, Hard, hardness
from ludwin.games.parking.evolve.genome import Boards, car_park
from ludwin.library import agent
from ludwin.progress import SILENT, Progress


class HardBoard(NamedTuple):
    """A hard board."""

    board: str
    worth: float  # by the aim of its run
    slides: int  # of the shortest plan
    steps: int
    nodes: int  # of iterative deepening, increment 20
    component: int  # boards that its vehicles can reach
    vehicles: int


def found_in(
    folders: Sequence[str], least: float, most: int, apart: int = 0, progress: Progress = SILENT
) -> list[HardBoard]:
    """Return the hardest boards of some runs; any two differ in so many vehicles. Raises BadParameter."""
    worth: dict[str, float] = {}
    settings: dict[str, Any] = {}
    for folder in folders:
        if not Path(folder).is_dir():
            raise BadParameter(f"there is no run {folder!r}; `ludwin evolve {BOARDS.name}` makes one")
        run = reopen(Path(folder), find)
        if run.experiment.name != BOARDS.name:
            raise BadParameter(f"{folder} is a run of {run.experiment.name}, not of {BOARDS.name}")
        for board, value in _boards(run, Path(folder)):
            if value >= least and value > 0:
                worth[board] = max(value, worth.get(board, 0.0))
                settings[board] = run.settings
    chosen: list[HardBoard] = []
    kept: list[frozenset[Any]] = []
    ranked = sorted(worth, key=lambda board: (-worth[board], board))
    progress.total(min(most, len(ranked)), unit="boards")
    for board in ranked:
        vehicles = frozenset(_kinds(board))  # slides do not change them, so the hardest start has the same
        if any(len(vehicles ^ other) // 2 < apart or vehicles == other for other in kept):
            continue
        kept.append(vehicles)
        chosen.append(_looked_at(hardness(settings[board], board)[1], worth[board], settings[board]))
        progress.done(len(chosen))
        if len(chosen) >= most:
            break
    return chosen


def _kinds(board: str) -> list[Any]:
    """Return the vehicles without where in their lines they stand, but for twins."""
    vehicles = Boards(round(len(board) ** 0.5)).vehicles(board)
    lines = [(across, row if across else column, length) for row, column, across, length in vehicles]
    return [(line, lines[:k].count(line)) for k, line in enumerate(lines)]


def _boards(run: Any, folder: Path) -> list[tuple[str, float]]:
    """Return the boards of all generations, with their fitness."""
    found = []
    kind = BOARDS.kind(run.settings)
    with Store(folder) as store:
        for point in store.points(EVOLUTION):
            for number in range(int(run.settings["population"])):
                one = store.individual(EVOLUTION, point.number, number, kind)
                found.append((one.genome, one.fitness))
    return list(dict.fromkeys(found))


def _looked_at(known: Hard, worth: float, settings: Any) -> HardBoard:
    """Return what there is to say of a board; what was counted when it was judged is not counted again."""
    size, board = settings["size"], known.board
    lengths = {settings["cost"]: known.moves}
    for cost in {"slides", "steps"} - set(lengths):
        game = car_park(size, cost)
        lengths[cost] = len(_solving("bfs:memory=500M", game).solve(game.position(board)).plan)
    nodes = known.nodes if (settings["cost"], settings["increment"]) == ("slides", 20) else 0
    if not nodes:
        game = car_park(size, "slides")
        nodes = _solving(f"id:increment=20,nodes={settings['nodes']}", game).solve(game.position(board)).nodes
    count = len(set(board) - {"."})
    return HardBoard(board, worth, lengths["slides"], lengths["steps"], nodes, known.boards, count)


@lru_cache(maxsize=4)
def _solving(text: str, game: Game) -> Any:
    """Return a search with its workspace, made once."""
    solver: Any = agent(text)
    return solver.solving(game)


CELL, GAP, ACROSS = 16, 28, 4  # of a sheet: a cell's side, the room below a board, boards in a row
COLOURS = ("#4f81bd", "#9bbb59", "#8064a2", "#f2c14e", "#4bacc6", "#f79646", "#6b8e23", "#b07aa1", "#76b7b2", "#9c755f")


def gallery_sheet(boards: Sequence[HardBoard]) -> str:
    """Return one picture of all boards, each with what it takes."""
    side = round(len(boards[0].board) ** 0.5)
    width = side * CELL + GAP
    rows = -(-len(boards) // ACROSS)
    drawn = [
        _drawn(one, (k % ACROSS) * width + GAP // 2, (k // ACROSS) * width + GAP // 2) for k, one in enumerate(boards)
    ]
    box = f"0 0 {min(len(boards), ACROSS) * width} {rows * width + GAP // 2}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="system-ui" font-size="9">'
    return f"{head}{''.join(drawn)}</svg>\n"


def _drawn(one: HardBoard, x: int, y: int) -> str:
    """Return a board at a place of the sheet: its ground, the exit, the vehicles, and a line below."""
    kind = Boards(round(len(one.board) ** 0.5))
    whole = kind.side * CELL
    parts = [f'<rect width="{whole}" height="{whole}" fill="#efece4" stroke="#62676e"/>']
    parts.append(f'<rect x="{whole}" y="{kind.red_row * CELL}" width="4" height="{CELL}" fill="#d8342b"/>')
    for number, (row, column, across, length) in enumerate(kind.vehicles(one.board)):
        wide, high = (length, 1) if across else (1, length)
        place = f'x="{column * CELL + 1}" y="{row * CELL + 1}" width="{wide * CELL - 2}" height="{high * CELL - 2}"'
        parts.append(f'<rect {place} rx="3" fill="{COLOURS[number % len(COLOURS)] if number else "#d8342b"}"/>')
    parts.append(f'<text y="{whole + 11}">{one.slides} slides, {one.nodes:,} nodes</text>')
    return f'<g transform="translate({x} {y})">{"".join(parts)}</g>'


def gallery_page(boards: Sequence[HardBoard]) -> str:
    """Return a page with the pictures of boards."""
    figures = []
    for number, one in enumerate(boards, 1):
        picture = car_park(round(len(one.board) ** 0.5), "slides").position(one.board).picture()
        words = f"{number}: {one.slides} slides, {one.steps} steps, {one.nodes:,} nodes, {one.component:,} boards"
        figures.append(
            f"<figure>{picture}<figcaption>{escape(words)}<br><code>{escape(one.board)}</code></figcaption></figure>"
        )
    style = "body{font-family:system-ui;display:flex;flex-wrap:wrap;gap:24px}figure{margin:0}code{font-size:11px}"
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Hard boards</title>'
        f"<style>{style}</style>{''.join(figures)}</html>\n"
    )
