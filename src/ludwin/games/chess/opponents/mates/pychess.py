"""Mate problems of Debian's package `pychess`, where it is installed: composed ones and practical ones.

Why it is here.  They were made by people, so a search that does well on them does well on what people call problems.
They are under the GPL and no part of this package: `apt-get install pychess`, or its contents unpacked anywhere and
the folder named by LUDWIN_PYCHESS.  Composed problems are the .olv files (White to move, stipulation #n); practical
ones, the ends of games, are mate_in_2.pgn to mate_in_4.pgn.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ludwin.errors import BadParameter, LudwinError
from ludwin.games.chess.opponents.mates.solver import chess

HOME = Path("/usr/share/pychess/learn/puzzles")
WANTED = "install Debian's package pychess, or unpack it and set LUDWIN_PYCHESS to its folder learn/puzzles"
_BLOCK = re.compile(r"white: \[([^\]]*)\]\s+black: \[([^\]]*)\]\s+stipulation: \"#(\d+)\"")
_MAN = re.compile(r"([KQRBSP])([a-h])([1-8])")
_FEN = re.compile(r'\[FEN "([^"]+)"\]')


def folder() -> Path | None:
    """Return where the problems lie, or None."""
    place = Path(os.environ.get("LUDWIN_PYCHESS") or HOME)
    return place if (place / "mate_in_2.pgn").is_file() else None


def problems(pool: str, n: int) -> tuple[str, ...]:
    """Return the positions of a pool, composed or practical, that are said to be mates in n, sorted and each once.

    Positions that the rules do not allow are left out. Raises BadParameter if the package is not there.
    """
    place = folder()
    if place is None:
        raise BadParameter(f"the problems of pychess are not here; {WANTED}")
    found = _composed(place, n) if pool == "composed" else _practical(place, n)
    game = chess()
    kept = set()
    for text in found:
        try:
            state = game.position(text)
        except LudwinError:
            continue
        if not state.over:
            kept.add(state.write())
    return tuple(sorted(kept))


def _composed(place: Path, n: int) -> Iterator[str]:
    for path in sorted(place.glob("*.olv")):
        for white, black, moves in _BLOCK.findall(path.read_text(encoding="utf8", errors="replace")):
            if int(moves) == n:
                yield f"{_ranks(white, black)} w - - 0 1"


def _ranks(white: str, black: str) -> str:
    """Return the first field of a FEN from two lists of men; what is no man makes it unreadable."""
    cells = [["1"] * 8 for _ in range(8)]
    for side, men in enumerate((white, black)):
        for word in men.split(","):
            found = _MAN.fullmatch(word.strip())
            if not found:
                return "fairy"
            letter = found[1].replace("S", "N")
            cells[8 - int(found[3])]["abcdefgh".index(found[2])] = letter.lower() if side else letter
    return re.sub("1+", lambda empty: str(len(empty[0])), "/".join("".join(row) for row in cells))


def _practical(place: Path, n: int) -> Iterator[str]:
    path = place / f"mate_in_{n}.pgn"
    if path.is_file():
        yield from _FEN.findall(path.read_text(encoding="utf8", errors="replace"))
