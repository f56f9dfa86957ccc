"""Endgame tables: built once per machine, kept in the cache with a checksum, asked by position.

Why it is here.  What is exact needs no opinion: searches get facts (`brain.py`), experiments grade moves, people look
up.  A table is a byte for each position of an ending (`retrograde.py` says which), packed into a file that begins with
a line of JSON.  What is wrong with a file, whatever it is, means only that the table is built again.
"""

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter, CannotPlay
from ludwin.formats import BadFile, Format, Mismatch, Table, Text, Whole, decode, read_bytes
from ludwin.game import Game, State
from ludwin.games.chess.opponents.material import MOST, Ending, all_endings, ending, exits, of_men
from ludwin.games.chess.opponents.retrograde import RETROGRADE, exit_number, king_place, mirror
from ludwin.kernel import cache
from ludwin.kernel.specialise import specialise
from ludwin.primitives import clear_lsb, lsb, popcount, shl

ILLEGAL = 255
LARGEST = 2**25  # bytes of a file; the largest of ours has 4 million
FORMAT = Format(
    "ludwin-endgame",
    1,
    Table({"format": Text(), "version": Whole(), "ending": Text(), "bytes": Whole(), "sha256": Text()}),
    "an endgame table",
)


@dataclass(frozen=True)
class EndingVerdict:
    """What a table says of a position, for the side to move: result, and plies to mate (None: a draw)."""

    result: str  # win, draw or loss
    dtm: int | None = None

    @property
    def value(self) -> int:
        """1, 0 or -1."""
        return {"win": 1, "draw": 0, "loss": -1}[self.result]

    @property
    def rank(self) -> tuple[int, int]:
        """What to compare by: the mover likes higher ones, quick wins and slow losses."""
        return self.value, 0 if self.dtm is None else -self.dtm if self.value > 0 else self.dtm

    def turned(self) -> "EndingVerdict":
        """Return the verdict one ply earlier, if this is what a move leads to."""
        if self.dtm is None:
            return self
        return EndingVerdict("loss" if self.result == "win" else "win", self.dtm + 1)


def verdict_of(code: int) -> EndingVerdict:
    """Return what a byte of a table means."""
    if code == ILLEGAL:
        raise ValueError("an illegal position has no verdict")
    return EndingVerdict("draw") if code == 0 else EndingVerdict("win" if code % 2 == 0 else "loss", code - 1)


def build(one: Ending, game: Game, mode: str = "fast") -> bytes:
    """Return the bytes of a table; those that it leads to are found or built first."""
    children = sorted({child for child, _, _ in exits(one).values() if child}, key=lambda child: child.name)
    places, data = {}, b""
    for child in children:
        places[child] = len(data)
        data += table(child.name, game).data
    data += b"\0" * (-len(data) % 8 or 8)
    run = specialise(game, RETROGRADE, mode)
    w = run.bundle(slots=len(one.men), exits=exit_number(4, 4, 4) + 1, cells=2 * one.half, below=len(data) // 8)
    w.run.men, w.run.pawns, w.run.half, w.run.highest = len(one.men), int(one.pawns), one.half, 0
    for k, (side, piece) in enumerate(one.men):
        w.slots[k].side, w.slots[k].piece = side, piece
    for (taken, promoted, piece), (child, flipped, slots) in exits(one).items():
        way = w.exits[exit_number(taken, promoted, piece)]
        way.place = places[child] if child else -1
        if child:
            way.men, way.pawns, way.flip, way.half = len(child.men), int(child.pawns), int(flipped), child.half
            way.slot2, way.slot3 = slots[0], slots[-1]
    if not run.compiled:
        words = memoryview(data).cast("q")
        for k in range(len(words)):
            w.below[k] = words[k]
        run(w)
        return bytes(cell & 255 for cell in w.cells)
    w.below.cast("B")[: len(data)] = data
    run(w)
    return bytes(w.cells.cast("B")[::8])


class EndgameTable:
    """A table: what becomes of every position of an ending."""

    def __init__(self, one: Ending, data: bytes):
        self.ending, self.data = one, data

    def code(self, mover: int, squares: list[int]) -> int:
        """Return the byte of a position: squares of the men in the order of the ending's slots."""
        pawns = int(self.ending.pawns)
        turn = mirror(squares[0], pawns)
        number = king_place(squares[0] ^ turn, pawns)
        for square in squares[1:]:
            number = number << 6 | (square ^ turn)
        return self.data[mover * self.ending.half + number]

    def squares(self, number: int) -> tuple[int, list[int]]:
        """Return mover and squares of the position of a number."""
        mover, rest = divmod(number, self.ending.half)
        found = []
        for _ in range(len(self.ending.men) - 1):
            found.append(rest & 63)
            rest >>= 6
        return mover, [rest & 3 | rest >> 2 << 3, *reversed(found)]

    def counts(self, mover: int) -> Counter[int]:
        """Return how often each code stands in the table for a mover; mirrored positions are counted once each."""
        half = self.ending.half
        return Counter(self.data[mover * half : (mover + 1) * half])

    def longest(self, mover: int) -> tuple[int, int] | None:
        """Return the plies of the longest win of a mover and the number of a position of it; None if it never wins."""
        codes = [code for code in self.counts(mover) if code not in (0, ILLEGAL) and code % 2 == 0]
        if not codes:
            return None
        return max(codes) - 1, self.data.index(bytes([max(codes)]), mover * self.ending.half)

    def state(self, game: Game, number: int) -> State:
        """Return the position of a number."""
        mover, squares = self.squares(number)
        men, sides = [0] * 6, [0, 0]
        for (side, piece), square in zip(self.ending.men, squares, strict=True):
            men[piece] |= shl(1, square)
            sides[side] |= shl(1, square)
        return game.state(men=men, sides=sides, turn=mover, castling=0, passing=0, quiet=0, number=1)


def place() -> Path:
    """Return the folder of the tables."""
    found = cache.folder() / "ludwin_endgames"
    found.mkdir(mode=0o700, exist_ok=True)
    return found


def file_of(one: Ending) -> Path:
    """Return where a table is kept."""
    return place() / f"{one.name}.table"


def read_table(one: Ending) -> bytes | None:
    """Return the bytes of a table that is kept; None if there is none, or it is damaged."""
    with suppress(BadFile, Mismatch, zlib.error, ValueError):
        head, _, packed = read_bytes(file_of(one), LARGEST).partition(b"\n")
        about = FORMAT.accept(decode(head))
        if about["ending"] != one.name or about["bytes"] != 2 * one.half:
            return None
        data = zlib.decompressobj().decompress(packed, 2 * one.half + 1)
        if len(data) == 2 * one.half and hashlib.sha256(data).hexdigest() == about["sha256"]:
            return data
    return None


def write_table(one: Ending, data: bytes) -> None:
    """Keep a table, whole or not at all."""
    import os
    import tempfile

    about = {**FORMAT.head, "ending": one.name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    handle, beside = tempfile.mkstemp(dir=place(), prefix=".ludwin-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(about).encode() + b"\n" + zlib.compress(data, 6))
        os.replace(beside, file_of(one))
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


_known: dict[str, EndgameTable] = {}  # the tables that were asked for; the rules of chess are always the same


def table(name: str, game: Game) -> EndgameTable:
    """Return the table of an ending, from the cache or built now (and then all that it leads to)."""
    if name not in _known:
        _known[name] = _table(ending(name), game)
    return _known[name]


def _table(one: Ending, game: Game) -> EndgameTable:
    data = read_table(one)
    if data is None:
        with cache.lock(f"ludwin_endgames_{one.name}"):
            data = read_table(one)
            if data is None:
                cache.announce(f"building the endgame table {one.name} (once)")
                data = build(one, game)
                with suppress(OSError):  # a full disk, a folder in the way: it is built again next time
                    write_table(one, data)
    return EndgameTable(one, data)


def men_of(s: Any) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the men of a position, kings first, and their squares."""
    men, squares = [], []
    for side in (0, 1):
        men.append((side, 5))
        squares.append(lsb(s.men[5] & s.sides[side]))
    for side in (0, 1):
        for piece in range(5):
            bits = s.men[piece] & s.sides[side]
            while bits:
                men.append((side, piece))
                squares.append(lsb(bits))
                bits = clear_lsb(bits)
    return men, squares


def covers(s: Any) -> bool:
    """Tell whether a position is one that tables know: at most four men, and nobody may castle."""
    return popcount(s.sides[0] | s.sides[1]) <= MOST and s.castling == 0


def probe(state: State, find: Callable[[str, Game], EndgameTable] = table) -> EndingVerdict:
    """Return what becomes of a position, counters aside. Raises CannotPlay if no table knows it."""
    if not covers(state):
        raise CannotPlay(f"tables know positions of at most {MOST} men without castling, not {state.write()}")
    men, squares = men_of(state)
    found, flipped, slots = of_men(men)
    if found is None:
        return EndingVerdict("draw")
    turn = 56 if flipped else 0
    kings = [squares[1], squares[0]] if flipped else squares[:2]
    mover = 1 - state.turn if flipped else state.turn
    code = find(found.name, state.game).code(
        mover, [square ^ turn for square in (*kings, *(squares[k] for k in slots))]
    )
    if code == ILLEGAL:
        raise BadParameter(f"{state.write()} is no legal position")
    verdict = verdict_of(code)
    if state.passing:
        moves = state.moves()
        verdicts = [probe(state._play(m), find).turned() for m in moves if m >> 21 == 2]
        verdicts += [verdict] if len(verdicts) < len(moves) else []
        verdict = max(verdicts, key=lambda one: one.rank)
    return verdict


def graded(state: State) -> dict[int, EndingVerdict]:
    """Return what each legal move leads to, seen by its mover. Raises CannotPlay if no table knows the position."""
    return {move: probe(state._play(move)).turned() for move in state.moves()}


def counters_aside(state: State) -> State:
    """Return a position whose fifty moves begin now, as tables see it."""
    return state.game.position(" ".join(state.write().split()[:4]))


def best_line(state: State) -> Iterator[int]:
    """Yield the moves of best play to the mate, counters aside; nothing in a drawn position."""
    state = counters_aside(state)
    while (probe(state).dtm or 0) > 0:
        moves = graded(state)
        move = max(moves, key=lambda m: moves[m].rank)
        yield move
        state = state._play(move)


def build_all(game: Game, note: Callable[[str], None] = lambda _: None) -> None:
    """Build every table that is missing."""
    for one in all_endings():
        note(one.name)
        table(one.name, game)
