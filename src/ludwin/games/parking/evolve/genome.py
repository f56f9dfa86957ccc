"""Boards as genomes: how they begin and vary, and which of them are one problem."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.errors import BadParameter, BadPosition
from ludwin.game import Game
from ludwin.library import load
from ludwin.program.stream import Stream

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwxyz"
WAYS = ("add", "delete", "replace", "resize", "exchange")
TRIES = 30
Lorry = tuple[int, int, bool, int]  # row, column, across, length


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
    known: tuple[str, ...] = ()  # boards to begin with

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
        """Return the boards that are known, then random ones."""
        return [*self.known, *(self.make(stream.split(k)) for k in range(n))][:n]

    def cross(self, a: str, b: str, stream: Stream) -> tuple[str, str]:
        """Return both as they are: halves of two boards make no board, and the book only mutates."""
        return a, b

    def donate(self, donor: str, receiver: str, stream: Stream) -> str:
        """Return the receiver as it is."""
        return receiver

    def mutate(self, g: str, stream: Stream) -> str:
        """Add, delete, replace, resize or exchange vehicles, once or a few times."""
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
        if way == "resize":
            resized = (row, column, across, 5 - length)
            return self.board([*others, resized]) if self.fits(resized, others) else board
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

    def niche(self, g: str) -> tuple[tuple[bool, int, tuple[int, ...]], ...]:
        """Return what slides never change: the lengths of the vehicles in each line, in their order.

        Boards that slides lead to one another are one problem, since the hardest start among them is what counts.
        """
        lines: dict[tuple[bool, int], list[tuple[int, int]]] = {}
        for row, column, across, length in self.vehicles(g):
            place, line = (column, row) if across else (row, column)
            lines.setdefault((across, line), []).append((place, length))
        return tuple((*line, tuple(length for _, length in sorted(ones))) for line, ones in sorted(lines.items()))

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
