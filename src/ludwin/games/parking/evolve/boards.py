"""Hard boards that evolve: vehicles are added, taken away, shifted and exchanged, and the hardest boards stay.

Why it is here.  Section 10.5 of *Evolved to Win* breeds boards of 8x8 on which iterative deepening needs as many nodes
as possible.  A genome is a board.  What is judged is the hardest start among all boards that its vehicles can reach
(`component.py`), so a genome stands for its whole component.  A board that cannot be solved, or not within the limit,
is worth nothing, and neither is one whose component is too large to be searched as a whole (`reach`).

`aim` says what is hard: `nodes` of iterative deepening, `moves` of the shortest plan, or `density`, moves a vehicle.
The book began with boards of 6x6 in a frame of free cells; these are trivial (docs/results/puzzles.md), so evolution
begins with random boards that are nearly full.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.errors import BadParameter, BadPosition
from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value
from ludwin.evolve.population import Score
from ludwin.game import Game
from ludwin.games.parking.evolve.component import component
from ludwin.library import agent, load
from ludwin.program.stream import Stream

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwxyz"
WAYS = ("add", "delete", "replace", "shift", "exchange")
TRIES = 30
Lorry = tuple[int, int, bool, int]  # row, column, across, length
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
    Setting("fill", 0.85, "share of the cells that a first board covers", least=0.1, most=0.95),
)


@lru_cache(maxsize=8)
def car_park(size: int, cost: str) -> Game:
    """Return the puzzle."""
    return load(f"parking:size={size},cost={cost}")


def cells_of(lorry: Lorry) -> list[tuple[int, int]]:
    """Return what a vehicle covers."""
    row, column, across, length = lorry
    return [(row, column + k) if across else (row + k, column) for k in range(length)]


@dataclass(frozen=True)
class Boards:
    """Boards as genomes: texts, with vehicles lettered in the order in which they are met, row by row.

    >>> kind = Boards(6)
    >>> board = kind.make(Stream(1))
    >>> len(board), board.count("X"), kind.read(kind.write(board)) == board
    (36, 2, True)
    """

    side: int
    fill: float = 0.85

    name: ClassVar[str] = "boards"

    @property
    def red_row(self) -> int:
        """The row of the exit."""
        return self.side // 2 - 1

    def vehicles(self, board: str) -> list[Lorry]:
        """Return the vehicles of a board, the red car first."""
        found = []
        for letter in sorted(set(board) - {"."}, key=lambda letter: (letter != "X", board.index(letter))):
            places = [divmod(k, self.side) for k, one in enumerate(board) if one == letter]
            (row, column), across = places[0], places[0][0] == places[1][0]
            found.append((row, column, across, len(places)))
        return found

    def board(self, vehicles: Sequence[Lorry]) -> str:
        """Return the text of vehicles, the red car first."""
        grid = ["."] * (self.side * self.side)
        rest = iter(LETTERS)
        for number, lorry in enumerate([vehicles[0], *sorted(vehicles[1:])]):
            letter = "X" if number == 0 else next(rest)
            for row, column in cells_of(lorry):
                grid[row * self.side + column] = letter
        return "".join(grid)

    def fits(self, lorry: Lorry, others: Sequence[Lorry]) -> bool:
        """Tell whether a vehicle has a place among others; nothing else stands in the red car's row across."""
        row, column, across, length = lorry
        inside = row >= 0 and column >= 0 and row + (1 if across else length) <= self.side
        if not inside or column + (length if across else 1) > self.side or (across and row == self.red_row):
            return False
        taken = {cell for other in others for cell in cells_of(other)}
        return not taken & set(cells_of(lorry))

    def drawn(self, others: Sequence[Lorry], stream: Stream) -> Lorry | None:
        """Return a random vehicle that has a place, or nothing after some tries."""
        for _ in range(TRIES):
            lorry = (stream.below(self.side), stream.below(self.side), stream.chance(0.5), 2 + stream.below(2))
            if self.fits(lorry, others):
                return lorry
        return None

    def make(self, stream: Stream) -> str:
        """Return a random board that is nearly full."""
        vehicles: list[Lorry] = [(self.red_row, stream.below(self.side // 2), True, 2)]
        while sum(one[3] for one in vehicles) < self.fill * self.side * self.side:
            lorry = self.drawn(vehicles, stream)
            if lorry is None:
                break
            vehicles.append(lorry)
        return self.board(vehicles)

    def begin(self, n: int, stream: Stream) -> list[str]:
        """Return n random boards."""
        return [self.make(stream.split(k)) for k in range(n)]

    def cross(self, a: str, b: str, stream: Stream) -> tuple[str, str]:
        """Return both as they are: halves of two boards make no board, and the book only mutates."""
        return a, b

    def donate(self, donor: str, receiver: str, stream: Stream) -> str:
        """Return the receiver as it is."""
        return receiver

    def mutate(self, g: str, stream: Stream) -> str:
        """Add, delete, replace, shift or exchange vehicles, once or a few times."""
        board = g
        while board == g:
            for _ in range(1 + stream.below(3)):
                board = self.changed(board, stream)
        return board

    def changed(self, board: str, stream: Stream) -> str:
        """Return the board after one change, or as it is if the change has no room."""
        vehicles = self.vehicles(board)
        way = stream.pick(WAYS)
        if way == "add":
            new = self.drawn(vehicles, stream) if len(vehicles) <= len(LETTERS) else None
            return self.board([*vehicles, new]) if new else board
        if len(vehicles) < 2:
            return board
        at = 1 + stream.below(len(vehicles) - 1)
        others = [*vehicles[:at], *vehicles[at + 1 :]]
        if way == "delete":
            return self.board(others) if len(others) > 2 else board
        if way == "replace":
            new = self.drawn(others, stream)
            return self.board([*others, new]) if new else board
        row, column, across, length = vehicles[at]
        if way == "shift":
            step = stream.pick((-1, 1))
            moved = (row, column + step, across, length) if across else (row + step, column, across, length)
            return self.board([*others, moved]) if self.fits(moved, others) else board
        return self.exchanged(vehicles, at, stream)

    def exchanged(self, vehicles: list[Lorry], at: int, stream: Stream) -> str:
        """Return the board in which a vehicle and another one have changed places, if they fit there."""
        other = 1 + stream.below(len(vehicles) - 1)
        one, two = vehicles[at], vehicles[other]
        rest = [lorry for k, lorry in enumerate(vehicles) if k not in (at, other)]
        first, second = (*two[:2], *one[2:]), (*one[:2], *two[2:])
        if at == other or not self.fits(first, rest) or not self.fits(second, [*rest, first]):
            return self.board(vehicles)
        return self.board([*rest, first, second])

    def write(self, g: str) -> Any:
        """Return the text."""
        return g

    def read(self, data: Any) -> str:
        """Return the board of a text. Raises BadParameter."""
        if not isinstance(data, str) or len(data) != self.side * self.side:
            raise BadParameter(f"boards: wanted a text of {self.side * self.side} characters, got {data!r:.80}")
        try:
            car_park(self.side, "slides").position(data)
        except BadPosition as error:
            raise BadParameter(f"boards: {error}") from None
        return data

    def text(self, g: str) -> str:
        """Return the board row by row."""
        return "\n".join(g[k : k + self.side] for k in range(0, len(g), self.side))

    def size(self, g: str) -> int:
        """Return the number of vehicles."""
        return len(set(g) - {"."})


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
    return Boards(settings["size"], settings["fill"])


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
