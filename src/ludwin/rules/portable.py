"""What a domain says about files that it shares with other programs: games, and books of openings.

Why it is here.  PDN for draughts and PGN for chess are one family: tag pairs, numbered moves, a result.  What differs
is said by the `notation.py` of a game's folder, as two values, `PORTABLE` and `OPENINGS`; who reads and writes such
files (`ludwin.arena.portable`, `ludwin.arena.openings`) finds them there and knows no game.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


def numbered(names: Sequence[str], mover: int, from_position: bool) -> list[str]:
    """Put numbers before the moves of the first player: 1. e4 e5 2. Nf3; a game may begin with the second player's.

    >>> numbered(["e4", "e5", "Nf3"], 0, False), numbered(["e5", "Nf3"], 1, True)
    (['1.', 'e4', 'e5', '2.', 'Nf3'], ['1...', 'e5', '2.', 'Nf3'])
    """
    words: list[str] = []
    for k, name in enumerate(names, mover):
        words += [f"{k // 2 + 1}."] if k % 2 == 0 else [f"{k // 2 + 1}..."] * (not words)
        words.append(name)
    return words


class Portable(NamedTuple):
    """Files of games that other programs read."""

    suffix: str  # of their names, such as .pdn
    called: str  # what people call them: PDN
    games: tuple[str, ...]  # the registered games that they hold; the first where a file does not say which
    seats: tuple[str, str]  # the tags of players 0 and 1, such as Black and White
    first: int  # the player whose points stand first in a result such as 1-0
    tags: Callable[[Mapping[str, object]], dict[str, str]] = (
        lambda values: {}
    )  # what else to say of a game's parameters
    numbered: Callable[[Sequence[str], int, bool], list[str]] = numbered  # moves, who begins, from a position?


class Book(NamedTuple):
    """A file of openings that a domain brings."""

    file: Path
    of: str  # what it is for, such as: draughts on 8x8
