"""Hard boards that evolve: vehicles are added, taken away, resized and exchanged, and the hardest boards stay.

Why it is here.  Section 10.5 of *Evolved to Win* breeds boards of 8x8 on which iterative deepening needs as many nodes
as possible.  A genome is a board.  What is judged is the hardest start among all boards that its vehicles can reach
(`component.py`), so a genome stands for its whole component.  A board that cannot be solved, or not within the limit,
is worth nothing, and neither is one whose component is too large to be searched as a whole (`reach`).

`aim` says what is hard: `nodes` of iterative deepening, `moves` of the shortest plan, or `density`, moves a vehicle.
The book began with boards of 6x6 in a frame of free cells; these are trivial (docs/results/puzzles.md), so evolution
begins with random boards that are nearly full, or goes on from the hard ones that ship.

Boards that slides lead to one another are worth the same, and populations used to fill with them; so they share a niche
(`Boards.niche`), of which only the best survives, and no mutation is a mere slide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value
from ludwin.evolve.population import Score
from ludwin.game import Game
from ludwin.games.parking.evolve.component import component
from ludwin.games.parking.evolve.genome import Boards, car_park
from ludwin.games.parking.evolve.shipped import HARD, LARGE, listed
from ludwin.library import agent
from ludwin.program.stream import Stream

OPTIONS = (
    Setting("size", 8, "rows and columns of the board", choices=(6, 8)),
    Setting(
        "aim",
        "nodes",
        "what is hard; nodes: of iterative deepening; moves: of the shortest plan; density: moves a vehicle",
        choices=("nodes", "moves", "density"),
    ),
    Setting("cost", "slides", "what a move is: a slide, or each cell of it", choices=("slides", "steps")),
    Setting("increment", 20, "by how much the bound of iterative deepening is raised", least=1),
    Setting("nodes", 5_000_000, "nodes of a search, after which a board counts as unsolved", least=1000),
    Setting(
        "reach",
        300_000,
        "boards of a component that is searched as a whole; larger ones count nothing",
        least=100,
        most=5_000_000,
    ),
    Setting(
        "first",
        "random",
        "who is there at first; random: nearly full boards; known: the hard ones that ship, and such",
        choices=("random", "known"),
    ),
    Setting("fill", 0.85, "share of the cells that a first board covers", least=0.1, most=0.95),
)


@dataclass(frozen=True)
class Hard:
    """What is known of a board: the hardest start with its vehicles, its shortest plan, and what searches need."""

    board: str
    moves: int  # of the shortest plan; -1 if there is none, -2 if nobody knows
    nodes: int  # of iterative deepening
    boards: int  # in the component, as far as it was searched
    solved: bool


@lru_cache(maxsize=200_000)
def judge(board: str, size: int, cost: str, increment: int, nodes: int, reach: int) -> Hard:
    """Return how hard a board is, or the hardest one that its vehicles can make."""
    game = car_park(size, cost)
    found = component(game.position(board), reach)
    if found.hardest is None:
        return Hard(board, found.distance, 0, found.boards, False)
    hardest = found.hardest.write().partition(" ")[0]
    search = _search(game, increment, nodes) if nodes else None
    tried = search.solve(game.position(hardest)) if search else None
    done = tried is None or tried.solved
    return Hard(hardest, found.distance, tried.nodes if tried else 0, found.boards, done)


@lru_cache(maxsize=8)
def _search(game: Game, increment: int, nodes: int) -> Any:
    return agent(f"id:increment={increment},nodes={nodes},memory=2G").solving(game)  # type: ignore[attr-defined]


def hardness(settings: Settings, board: str) -> tuple[float, Hard]:
    """Return what a board is worth, and what is known of it."""
    aim = settings["aim"]
    known = judge(
        board,
        settings["size"],
        settings["cost"],
        settings["increment"],
        settings["nodes"] if aim == "nodes" else 0,
        settings["reach"],
    )
    if not known.solved:
        return 0.0, known
    if aim == "nodes":
        return float(known.nodes), known
    return known.moves / (1 if aim == "moves" else len(set(board) - {"."})), known


@dataclass(frozen=True)
class Hardness:
    """Fitness of boards; a board is always worth the same."""

    settings: Settings
    lasting: ClassVar[bool] = True

    def score(self, genomes: Sequence[str], generation: int, stream: Stream) -> list[Score]:
        """Return how hard each board is."""
        found = [hardness(self.settings, board) for board in genomes]
        return [(worth, {"moves": float(known.moves), "boards": float(known.boards)}) for worth, known in found]


def kind(settings: Settings) -> Boards:
    """Return how boards vary."""
    files = {6: HARD, 8: LARGE}
    known = [board for board, _ in listed(files[settings["size"]])] if settings["first"] == "known" else []
    return Boards(settings["size"], settings["fill"], tuple(known))


def _facts(settings: Settings, board: str) -> dict[str, Any]:
    worth, known = hardness(settings, board)
    facts = {"hardest start": known.board, "vehicles": len(set(board) - {"."}), settings["aim"]: worth}
    return {**facts, "moves": known.moves, "boards of the component": known.boards}


def _picture(settings: Settings, board: str) -> str:
    game = car_park(settings["size"], settings["cost"])
    return game.position(hardness(settings, board)[1].board).picture()


def _measure(settings: Settings, board: str, on: str, games: int, seed: int, workers: int) -> Measure:
    return Measure.exact(on, hardness(settings, board)[0], settings["aim"])


BREEDING: dict[str, Value] = {
    "breeding": "mu+lambda",
    "population": 10,
    "offspring": 20,
    "generations": 300,
    "mutation": 1.0,
    "crossover": 0.0,
    "yardstick_every": 10,
    "yardstick_games": 2,
    "finalists": 1,
    "last": 1,
    "finalist_games": 2,
    "champion_games": 2,
    "record_games": 2,
}
BOARDS = Experiment(
    name="parking-boards",
    summary="boards of the parking puzzle that are hard to solve",
    kind=kind,
    fitness=lambda settings, workers: Hardness(settings),
    opponents=lambda settings: (f"id:increment={settings['increment']}",),
    measure=_measure,
    settings=OPTIONS,
    defaults=BREEDING,
    presets={
        "quick": {"size": 6, "generations": 10, "offspring": 10, "population": 5, "nodes": 200_000},
        "standard": {},
        "paper": {"generations": 1000, "nodes": 50_000_000, "reach": 5_000_000},
    },
    facts=_facts,
    picture=_picture,
)
