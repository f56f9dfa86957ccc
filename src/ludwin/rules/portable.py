"""What a domain says about files that it shares with other programs: games, and books of openings.

Why it is here.  PDN for draughts and PGN for chess are one family: tag pairs, numbered moves, a result.  What differs
is said by the `notation.py` of a game's folder, as two values, `PORTABLE` and `OPENINGS`; who reads and writes such
files (`ludwin.arena.portable`, `ludwin.arena.openings`) finds them there and knows no game.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


def numbered(names: Sequence[str], mover: int, from_position: bool, number: int = 1) -> list[str]:
    """Put numbers before the moves of the first player: 1. e4 e5 2. Nf3; a game may begin with the second player's.

    >>> numbered(["e4", "e5", "Nf3"], 0, False), numbered(["e5", "Nf3"], 1, True)
    (['1.', 'e4', 'e5', '2.', 'Nf3'], ['1...', 'e5', '2.', 'Nf3'])
    """
    words: list[str] = []
    for k, name in enumerate(names, mover):
        words += [f"{k // 2 + number}."] if k % 2 == 0 else [f"{k // 2 + number}..."] * (not words)
        words.append(name)
    return words


class Story(NamedTuple):
    """A game as it is told to a notation that writes whole files of its own form."""

    parameters: Mapping[str, object]
    players: tuple[str, ...]  # their names, by seat
    seats: tuple[int, ...]  # their numbers among the agents of the file, by seat
    states: Sequence[Any]  # all positions, with `mover`, `name(move)`, `over` and the game's fields
    moves: Sequence[int]


class WholeFile(NamedTuple):
    """A form of files that is not tag pairs and numbered moves, such as backgammon's .mat.

    `hear` returns (parameters, names of the players, events) for each game; an event is (player, text), and `wins N`
    says how a game ended.  `follow` returns the moves that an event means at a position.  `given_up` is asked about
    `wins N` with the position where that game began and the last one: None if the moves have ended it so, else the
    position that giving up leads to.
    """

    tell: Callable[[Sequence[Story]], str]
    hear: Callable[[str], list[tuple[dict[str, Any], tuple[str, str], list[tuple[int, str]]]]]
    follow: Callable[[Any, int, str], list[str]]
    given_up: Callable[[Any, Any, int, str], Any]


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
    numbered: Callable[..., list[str]] = numbered  # moves, who begins, from a position?, and the first number if not 1
    whole: WholeFile | None = None  # if it is no file of tag pairs and numbered moves
    begins: Callable[[str], int] = lambda text: 1  # the number of the move that is next in a position


class Book(NamedTuple):
    """Openings that a domain brings: a file of them, or, where there are too many to list, how to draw one.

    Drawn openings are what every game of an event begins with unless it is told otherwise.
    """

    file: Path
    of: str  # what it is for, such as: draughts on 8x8
    draw: Callable[[int], str] | None = None  # the position that belongs to a seed


class Protocol(NamedTuple):
    """How a domain speaks with engines (UCI, XBoard): positions are what `write` and `read` have, FEN."""

    move: Callable[[int], str]  # a move in coordinates; `parse` reads it
    pawn: float  # what a pawn is worth on the scale of `evaluate`, for scores in hundredths of it
    player: str  # the agent that plays if none is named
    unclaimed: Callable[[str], str] = str  # a position in which nobody has claimed the draw that the rules give at once
