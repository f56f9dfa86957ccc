"""Endgame tables as a brain: a search that reaches a known ending is told what becomes of it.

A win is worth 2 less a thousandth for each ply to the mate, far more than any evaluation of chess, and less than the
mate itself; a drawn ending is worth 0, whatever the men.  Everything else is left to the game's evaluation.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.games.chess.attacks import KING, PAWN
from ludwin.games.chess.opponents.endgames import table
from ludwin.games.chess.opponents.material import Ending, all_endings, ending, exits, of_men
from ludwin.games.chess.opponents.retrograde import king_place, mirror
from ludwin.kernel.bundle import Members
from ludwin.kernel.names import evaluate
from ludwin.kernel.specialise import Specialised
from ludwin.primitives import clear_lsb, lsb, popcount, shr
from ludwin.search.brain import Brain

KINDS = 11  # men but kings, by side and piece, and nobody
MOST = 4
PLY = 0.001
SURE = 2.0
WAY = {"place": int, "men": int, "pawns": int, "flip": int, "swap": int, "half": int}  # place: -1 no table, -2 drawn


def known(w, s, p, n):
    """Return what the tables say of a position, as player p sees it; the evaluation where they say nothing."""
    men = popcount(s.sides[0] | s.sides[1])
    if men > MOST or s.castling != 0 or s.passing != 0:
        return 1.0 * evaluate(s, p)
    first = 0
    second = 0
    one = 0
    other = 0
    for side in range(2):
        for piece in range(PAWN, KING):
            bits = s.men[piece] & s.sides[side]
            while bits != 0:
                if first == 0:
                    first = 1 + 5 * side + piece
                    one = lsb(bits)
                else:
                    second = 1 + 5 * side + piece
                    other = lsb(bits)
                bits = clear_lsb(bits)
    way = w.brain_ways[KINDS * first + second]
    if way.place == -2:
        return 0.0
    if way.place < 0:
        return 1.0 * evaluate(s, p)
    return judged_by(w, s, p, way, one, other)


def judged_by(w, s, p, way, one, other):
    """Return what one table says."""
    turn = 56 if way.flip != 0 else 0
    white = lsb(s.men[KING] & s.sides[way.flip]) ^ turn
    black = lsb(s.men[KING] & s.sides[1 - way.flip]) ^ turn
    side = mirror(white, way.pawns)
    turn ^= side
    number = king_place(white ^ side, way.pawns) << 6 | (black ^ side)
    if way.men < MOST:
        number = number << 6 | (one ^ turn)
    elif way.swap != 0:
        number = (number << 6 | (other ^ turn)) << 6 | (one ^ turn)
    else:
        number = (number << 6 | (one ^ turn)) << 6 | (other ^ turn)
    at = way.place + (s.turn ^ way.flip) * way.half + number
    code = shr(w.brain_bytes[at >> 3], (at & 7) << 3) & 255
    if code == 0:
        return 0.0
    value = SURE - PLY * (code - 1)
    won = code & 1 == 0
    return value if won == (s.turn == p) else -value


def with_all_below(names: Iterable[str]) -> tuple[Ending, ...]:
    """Return some endings and all that they lead to, by name."""
    found: dict[str, Ending] = {}
    waiting = [ending(name) for name in names]
    while waiting:
        one = waiting.pop()
        if one.name not in found:
            found[one.name] = one
            waiting += [child for child, _, _ in exits(one).values() if child]
    return tuple(found[name] for name in sorted(found))


@dataclass(frozen=True)
class Endgames(Brain):
    """The tables of some endings, with all that they lead to; no name: of all."""

    kind: ClassVar[str] = "endgames"
    names: tuple[str, ...] = ()

    @property
    def endings(self) -> tuple[Ending, ...]:
        """The endings that it knows."""
        return with_all_below(self.names or [one.name for one in all_endings()])

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is chess."""
        if not game.is_ours or game.name != "chess":
            raise CannotPlay(f"endgame tables are for chess, not for {game.name}")

    def bind(self, game: Game) -> dict[str, Any]:
        """Let the tables speak."""
        return {"assess": known}

    def members(self, game: Game) -> Members:
        """Return the tables, and which of them serves which men."""
        return {"brain_ways": [WAY], "brain_bytes": [int]}

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return the room that they need."""
        return {"brain_ways": KINDS * KINDS, "brain_bytes": sum(2 * one.half for one in self.endings) // 8 + 1}

    def prepare(self, run: Specialised, w: Any) -> None:
        """Copy the tables."""
        places, at = {}, 0
        for one in self.endings:
            data = table(one.name, run.game).data
            if run.compiled:
                w.brain_bytes.cast("B")[at : at + len(data)] = data
            else:
                w.brain_bytes[at >> 3 : (at + len(data)) >> 3] = memoryview(data).cast("q").tolist()
            places[one.name] = at
            at += len(data)
        for first in range(KINDS):
            for second in range(KINDS):
                self._show(w.brain_ways[KINDS * first + second], first, second, places)

    @staticmethod
    def _show(way: Any, first: int, second: int, places: Mapping[str, int]) -> None:
        """Write which table serves two men, given as `known` counts them."""
        men = [(0, 5), (1, 5), *(divmod(man - 1, 5) for man in (first, second) if man)]
        found, flipped, slots = of_men(men)
        way.place = -2 if found is None else places.get(found.name, -1)
        if found is not None:
            way.men, way.pawns, way.flip, way.half = len(found.men), int(found.pawns), int(flipped), found.half
            way.swap = int(slots == [3, 2])
