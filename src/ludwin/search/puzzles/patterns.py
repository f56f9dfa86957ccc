"""Pattern databases: exact distances of a simpler puzzle, as lower bounds for the real one.

The idea.  A pattern sees a part of the position: the places of six tiles, the cars of one street.  The puzzle in which
only that part counts is small enough to be searched completely, once, backward from its goal; how far it is from there
is a table, and what the table says of the part is never more than what the whole will take.  Where the game says how
much of a move's price counts for which pattern (`pattern_share`), and no move counts for more than it costs, the
bounds of several patterns add up; else the greatest of them holds.

The game offers `PATTERNS = {"corner": 5040}`, `pattern_number(s, k)`, the number of what pattern k sees,
`goal_state(s)`, and perhaps `pattern_project(s, k)`, which leaves only what the pattern sees, where that makes more
moves legal.  The table is one byte for each number; it is built when it is first needed, and kept in the cache.

References.  J. Culberson and J. Schaeffer, "Pattern databases", Computational Intelligence 14 (1998); R. E. Korf and
A. Felner, "Disjoint pattern database heuristics", Artificial Intelligence 134 (2002).
"""

import hashlib
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game
from ludwin.kernel import cache
from ludwin.kernel.bundle import Members
from ludwin.kernel.names import (
    Bundle,
    copy,
    cost,
    goal_state,
    moves,
    pattern_number,
    pattern_project,
    pattern_share,
    play,
)
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel
from ludwin.primitives import draw
from ludwin.search.brain import Brain
from ludwin.search.puzzles.estimate import FAR

UNKNOWN = 255  # of a byte of the table: cannot be reached from the goal
BUILT, TOO_FAR, TOO_MANY, ODD_PRICE, TOO_MUCH, ENDED = 0, 1, 2, 3, 4, 5
PROBLEMS = {
    TOO_FAR: "is more than 254 away from its goal",
    TOO_MANY: "has more open states than there is room for",
    ODD_PRICE: "has a move whose share is no whole number",
    ENDED: "has states behind its goal where the game has ended; goal_state must leave it as long as the way may be",
}
FORMAT = "ludwin-pattern"
VERSION = 1
ROOM = 400_000_000  # bytes that the open states of a construction may take
FEW = 16  # the part of the states that wait at a time, in the first attempt: less than a tenth on 15 tiles


def byte_at(table, n: int):
    """Return one of the bytes that a table of cells holds."""
    return (table[n >> 3] >> (8 * (n & 7))) & 255


def put_byte(table, n: int, old: int, new: int):
    """Put another byte in the place of an old one."""
    flip = (old ^ new) << (8 * (n & 7)) if n & 7 != 7 else shl_last(old ^ new)
    table[n >> 3] = table[n >> 3] ^ flip
    return 0


def shl_last(x: int):
    """Shift a byte to the top of a cell, whose highest bit is its sign."""
    return (x & 127) << 56 if x < 128 else ((x & 127) << 56) - 2**62 - 2**62


def build(w: Bundle):
    """Fill `w.table` with the distances of pattern number `w.run.k`, backward from the goal of the state in row 0.

    Open states wait in a ring: behind a move that costs nothing at its front, behind others at its end.  A state that
    is found nearer than before waits again, so the distances are right for all prices.
    """
    run = w.run
    k = run.k
    s = w.spare[0]
    child = w.spare[1]
    out = w.bufs[0]
    goal_state(w.states[0])
    pattern_project(w.states[0], k)
    put_byte(w.table, pattern_number(w.states[0], k), UNKNOWN, 0)
    front = 0
    waiting = 1
    while waiting > 0:
        copy(s, w.states[front])
        front = (front + 1) % run.room
        waiting -= 1
        run.expanded += 1
        here = byte_at(w.table, pattern_number(s, k))
        n = moves(s, out)
        if n == 0:  # no move can be taken back: what lies behind would be taken for out of reach
            return ENDED
        for i in range(n):
            price = 1.0 * pattern_share(s, out[i], k)
            if price != int(price):
                return ODD_PRICE
            copy(child, s)
            play(child, out[i])
            number = pattern_number(child, k)
            old = byte_at(w.table, number)
            new = here + int(price)
            if new >= old:
                if old == UNKNOWN:
                    return TOO_FAR
                continue
            put_byte(w.table, number, old, new)
            if old == UNKNOWN:
                run.distinct += 1
            if waiting >= run.room:
                return TOO_MANY
            waiting += 1
            if price == 0.0:
                front = (front + run.room - 1) % run.room
                copy(w.states[front], child)
            else:
                copy(w.states[(front + waiting - 1) % run.room], child)
    return BUILT


def adds_up(w: Bundle):
    """Walk at random from state 0; return TOO_MUCH if patterns count more for a move together than it costs."""
    run = w.run
    out = w.bufs[0]
    for _ in range(run.steps):
        n = moves(w.states[0], out)
        if n == 0:
            return BUILT
        for i in range(n):
            total = 0.0
            for k in range(run.patterns):
                total += 1.0 * pattern_share(w.states[0], out[i], w.chosen[k])
            if total > cost(w.states[0], out[i]):
                return TOO_MUCH
        play(w.states[0], out[draw(w.rng, n)])
    return BUILT


BUILD = Kernel(
    "pattern database",
    build,
    needs=("solved", "goal_state", "pattern_number"),
    records={
        **{"states": "States", "spare": "States", "bufs": "Moves", "rng": "Ints", "table": [int]},
        "run": {"k": int, "room": int, "expanded": int, "distinct": int},
    },
)
ADD = Kernel(
    "patterns",
    adds_up,
    needs=("solved", "pattern_share"),
    records={
        **{"states": "States", "bufs": "Moves", "rng": "Ints", "chosen": [int]},
        "run": {"steps": int, "patterns": int},
    },
)


def announce(line: str) -> None:
    """Tell that a table is built; the command line puts its own voice here."""


@lru_cache(maxsize=16)
def database(game: Game, name: str, mode: str = "fast") -> "array[int]":
    """Return the table of a pattern as cells of eight bytes: from the cache, or built now and kept there."""
    k, size = list(game.patterns).index(name), game.patterns[name]
    head, file = _place(game, name)
    kept = _read(file, head, size) if mode == "fast" else None
    if kept is None:
        kept = _built(game, name, k, size, mode)
        if mode == "fast":
            _keep(file, head, kept)
    return kept


def _place(game: Game, name: str) -> tuple[bytes, Path]:
    """Return how the file of a table begins, and where it is."""
    head = f"{FORMAT} {VERSION} {game.text} {name} {game.patterns[name]}\n".encode()
    mark = hashlib.sha256(head + game.fingerprint.encode()).hexdigest()[:32]
    return head, cache.folder() / f"{FORMAT}s" / f"{mark}.bin"


def _built(game: Game, name: str, k: int, size: int, mode: str) -> "array[int]":
    announce(f"building the pattern database {name} of {game.text}, {size:,} bytes, once …")
    run = specialise(game, BUILD, mode)
    most = max(64, min(size + 1, ROOM // (8 * game.fields.cells)))
    room = min(max(64, size // FEW), most)
    while (problem := _try(run, k, size, room)) == TOO_MANY and room < most:
        room = min(2 * room, most)
    if isinstance(problem, int):
        raise CannotPlay(f"{game.name}: the pattern {name} {PROBLEMS[problem]}")
    return problem


def _try(run: Specialised, k: int, size: int, room: int) -> "array[int] | int":
    """Return the table of pattern number k, or what is wrong, perhaps that more than so many states wait at a time."""
    cells = (size + 7) // 8
    w = run.bundle(states=room, spare=2, table=cells, bufs=1)
    for i in range(cells) if not run.compiled else ():
        w.table[i] = -1
    if run.compiled:
        w.table[:] = memoryview(array("q", [-1])) if cells == 1 else memoryview(array("q", [-1]) * cells)
    run.put(w.states, 0, run.game.start())
    w.run.k, w.run.room = k, room
    problem = int(run(w))
    return problem if problem != BUILT else array("q", w.table)


def _read(file: Any, head: bytes, size: int) -> "array[int] | None":
    """Return a kept table, or None if there is none that is whole."""
    try:
        raw = file.read_bytes()
    except OSError:
        return None
    body = raw[len(head) + 32 :]
    whole = raw.startswith(head) and len(body) == 8 * ((size + 7) // 8)
    if not whole or hashlib.sha256(body).digest() != raw[len(head) : len(head) + 32]:
        return None
    table = array("q")
    table.frombytes(body)
    return table


def _keep(file: Any, head: bytes, table: "array[int]") -> None:
    """Keep a table in the cache, if there is a place."""
    body = table.tobytes()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = file.with_suffix(f".{id(table):x}")
        beside.write_bytes(head + hashlib.sha256(body).digest() + body)
        beside.replace(file)
    except OSError:
        return


# ---- What searches ask ---------------------------------------------------------------------------------------------


def by_sum(w, s):
    """Return the sum of what the patterns say."""
    total = 0
    for i in range(w.brain.patterns):
        one = w.brain_patterns[i]
        said = byte_at(w.brain_table, one.begin + pattern_number(s, one.number))
        if said == UNKNOWN:
            return FAR
        total += said
    return 1.0 * total


def by_greatest(w, s):
    """Return the greatest of what the patterns say."""
    most = 0
    for i in range(w.brain.patterns):
        one = w.brain_patterns[i]
        said = byte_at(w.brain_table, one.begin + pattern_number(s, one.number))
        if said == UNKNOWN:
            return FAR
        most = max(most, said)
    return 1.0 * most


@dataclass(frozen=True)
class Patterns(Brain):
    """Tables of patterns as an estimate: their sum where the game says how moves are shared, else the greatest."""

    kind: ClassVar[str] = "patterns"
    names: tuple[str, ...] = ()

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game offers these patterns, and they add up where they are added."""
        known = ", ".join(game.patterns) or "none"
        for name in self.names:
            if name not in game.patterns:
                raise CannotPlay(f"{game.name} has no pattern {name!r} (it has {known})")
        if len(set(self.names)) < len(self.names):
            raise BadParameter(f"{game.name}: a pattern is named twice in {'+'.join(self.names)}")
        if "pattern_share" in game.offers and len(self.names) > 1:
            _must_add_up(game, self.names)

    def bind(self, game: Game) -> dict[str, Any]:
        """Let the tables speak."""
        return {"estimate": by_sum if "pattern_share" in game.offers else by_greatest}

    def members(self, game: Game) -> Members:
        """Return the tables, one after another."""
        one = {"number": int, "begin": int}
        return {"brain": {"patterns": int}, "brain_patterns": [one], "brain_table": [int]}

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return how long the tables are together."""
        return {"brain_patterns": len(self.names), "brain_table": sum((game.patterns[n] + 7) // 8 for n in self.names)}

    def is_kept(self, game: Game) -> bool:
        """Tell whether there is a file of each table; whether it is whole is seen when it is read."""
        return all(_place(game, name)[1].is_file() for name in self.names)

    def build(self, game: Game) -> None:
        """Build what is not kept, and compile what looks at it."""
        self.suits(game)
        for name in self.names:
            database(game, name)

    def held(self, game: Game) -> int:
        """Return how many bytes the tables take: what is kept for the next search, and what this one reads."""
        return 2 * sum(8 * ((game.patterns[name] + 7) // 8) for name in self.names)

    def prepare(self, run: Specialised, w: Any) -> None:
        """Write the tables."""
        game, begin = run.game, 0
        w.brain.patterns = len(self.names)
        for i, name in enumerate(self.names):
            table = database(game, name, "fast" if run.compiled else "plain")
            one = w.brain_patterns[i]
            one.number, one.begin = list(game.patterns).index(name), 8 * begin
            w.brain_table[begin : begin + len(table)] = memoryview(table) if run.compiled else table.tolist()
            begin += len(table)


@lru_cache(maxsize=64)
def _must_add_up(game: Game, names: tuple[str, ...]) -> None:
    """Raise CannotPlay if these patterns count more for a move together than it costs."""
    run = specialise(game, ADD, "plain")  # a tenth of a second; a compiler would stay in the memory of who asks
    w = run.bundle(states=1, bufs=1, chosen=len(names))
    numbers = [list(game.patterns).index(name) for name in names]
    w.run.steps, w.run.patterns = 1000, len(names)
    for i, number in enumerate(numbers):
        w.chosen[i] = number
    run.put(w.states, 0, game.start())
    if int(run(w)) != BUILT:
        raise CannotPlay(f"{game.name}: {'+'.join(names)} count more for a move than it costs, so they cannot be added")
