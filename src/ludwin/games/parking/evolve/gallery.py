"""What runs of `parking-boards` have found: every board that was ever in a population, judged again by the rules."""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from ludwin.errors import BadParameter
from ludwin.evolve.register import find
from ludwin.evolve.run import EVOLUTION, reopen
from ludwin.evolve.store import Store
from ludwin.game import Game
from ludwin.games.parking.evolve.boards import BOARDS, Boards, Hard, car_park, hardness
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
        known = hardness(settings[board], board)[1]
        hardest = known.board
        vehicles = frozenset(_kinds(hardest))
        if any(len(vehicles ^ other) // 2 < apart or vehicles == other for other in kept):
            continue
        kept.append(vehicles)
        chosen.append(_looked_at(known, worth[board], settings[board]))
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
