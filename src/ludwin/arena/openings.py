"""Openings: where the games of a pair begin.

Why it is here.  Two deterministic agents play the same game again and again, and a hundred copies of
one game are one game.  So the pairs of a match begin at different positions, each played twice with
sides swapped: after N random plies, at the positions of a file, or at those of a book that the game's folder
brings (`OPENINGS` of its notation), such as the three-move ballots of draughts.  Which opening a pair gets depends
on the seed and on the pair alone.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ludwin.errors import BadParameter, LudwinError
from ludwin.formats import BadFile, read_text
from ludwin.game import Game, State
from ludwin.games import domains, open_part
from ludwin.play.referee import draw_nature
from ludwin.primitives import CHANCE, draw, stream
from ludwin.rules.portable import Book

OPENING = 0x6F70656E  # sets the stream of openings apart from those of games
ATTEMPTS = 100
_WORD = re.compile(r'"[^"]*"|\S+')  # a move; in quotation marks if its name has blanks
LARGEST = 2**24  # bytes of a file of openings


@dataclass(frozen=True)
class Opening:
    """How a game begins: moves from the start, or a position."""

    state: State
    moves: tuple[int, ...] = ()
    position: str | None = None


def read_openings(path: Path | str) -> tuple[str, ...]:
    """Return the openings of a file, one per line; # begins a comment. Raises LudwinError."""
    try:
        lines = read_text(Path(path), LARGEST).splitlines()
    except BadFile as error:
        reason = str(error).removeprefix(f"cannot read {path}: ").removeprefix(f"{path} ")
        raise LudwinError(f"cannot read openings from {path}: {reason}") from None
    found = tuple(text for line in lines if (text := _without_comment(line).strip()))
    if not found:
        raise BadParameter(
            f"there is no opening in {path}; write one per line: a position, or moves separated by blanks"
        )
    return found


def _without_comment(line: str) -> str:
    """Return a line up to its comment: a # at its beginning or after a blank, but not inside a word (Qh7#) or quotation
    marks.
    """
    for match in _WORD.finditer(line):
        if match[0].startswith("#"):
            return line[: match.start()]
    return line


def parse_opening(game: Game, text: str) -> Opening:
    """Return the opening that a text describes: moves from the start, or a position. Raises BadParameter.

    Moves are separated by blanks; a move whose name has blanks is put into quotation marks.
    """
    state, moves = game.start(), []
    try:
        for word in _WORD.findall(text):
            moves.append(state.parse(word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word))
            state = state.play(moves[-1])
        opening = Opening(state, tuple(moves))
    except LudwinError as no_moves:
        try:
            state = game.position(text)
        except LudwinError as no_position:
            why = str(no_moves if moves else no_position).splitlines()[0]
            raise BadParameter(f"{text!r} is no opening of {game.name}: {why}") from None
        opening = Opening(state, position=state.write())
    if opening.state.over:
        raise BadParameter(f"{text!r} is no opening of {game.name}: the game is over there")
    return opening


def random_opening(game: Game, plies: int, seed: int) -> Opening:
    """Return `plies` random legal moves from the start that do not end the game; nature's are drawn by weight.

    Raises BadParameter if no such game is found.
    """
    for attempt in range(ATTEMPTS):
        rng, state = [stream(seed, OPENING, attempt)], game.start()
        moves: list[int] = []
        while len(moves) < plies and not state.over:
            legal = state.moves()
            move = draw_nature(state, rng) if state.mover == CHANCE else legal[draw(rng, len(legal))]
            state = state._play(move)
            moves.append(move)
        if len(moves) == plies and not state.over:
            return Opening(state, tuple(moves))
    raise BadParameter(f"{game.name}: {ATTEMPTS} random games were over before ply {plies}; take fewer random plies")


def is_book(text: str) -> bool:
    """Tell whether a text is the name of a book of openings that one of our folders brings, rather than of a file.

    >>> is_book("ballots"), is_book("openings.txt"), is_book("12")
    (True, False, False)
    """
    return text.isalpha() and any(_books(name, text) for name in domains("notation"))


def _books(domain: str, name: str) -> Mapping[str, Book]:
    """Return the books that a folder of ours brings, if it has one of this name."""
    found: Mapping[str, Book] = getattr(open_part(domain, "notation", mentions=f'"{name}"'), "OPENINGS", {})
    return found if name in found else {}


def find_book(game: Game, name: str) -> Book:
    """Return a book of openings that the game's folder brings. Raises BadParameter."""
    book = getattr(game.part("notation"), "OPENINGS", {}).get(name)
    if isinstance(book, Book):
        return book
    for domain in domains("notation"):
        if name in _books(domain, name):
            raise BadParameter(f"{name} are the openings of {_books(domain, name)[name].of}, not of {game.text}")
    raise BadParameter(f"openings are a number of plies, a list of texts or 'ballots', got {name!r}")


class Openings:
    """The openings of an event; `of` says which one a pair gets."""

    def __init__(self, game: Game, wanted: int | str | tuple[str, ...] | None, seed: int):
        self.game = game
        self.plies = wanted if isinstance(wanted, int) else 0
        self.last: tuple[int, Opening] | None = None  # both games of a pair ask for the same
        self.book: list[Opening] = []
        if self.plies < 0:
            raise BadParameter(f"openings: a number of random plies is at least 0, got {wanted}")
        self.drawn = self._drawn(wanted)
        if self.drawn:
            self.of(0, seed)
        elif isinstance(wanted, str):
            texts = read_openings(find_book(game, wanted).file)
            self.book = shuffled([parse_opening(game, text) for text in texts], stream(seed, OPENING))
        elif isinstance(wanted, tuple):
            self.book = [parse_opening(game, text) for text in wanted]
        elif self.plies:
            random_opening(game, self.plies, stream(seed))

    def of(self, pair: int, seed: int) -> Opening | None:
        """Return the opening of a pair, whose games have this seed; None: they begin at the start."""
        if self.book:
            return self.book[pair % len(self.book)]
        if not self.plies and not self.drawn:
            return None
        if self.last is None or self.last[0] != seed:
            drawn = self.drawn and parse_opening(self.game, self.drawn(stream(seed, OPENING)))
            self.last = seed, drawn or random_opening(self.game, self.plies, seed)
        return self.last[1]

    def _drawn(self, wanted: int | str | tuple[str, ...] | None) -> Callable[[int], str] | None:
        """Return how the game's folder draws openings, if it does and nothing else is wanted."""
        for name, book in getattr(self.game.part("notation"), "OPENINGS", {}).items() if self.game.is_ours else ():
            if book.draw is not None and wanted in (None, name):
                draw_one: Callable[[int], str] = book.draw
                return draw_one
        return None


def shuffled(items: list[Opening], seed: int) -> list[Opening]:
    """Return the items in a random order (Fisher and Yates)."""
    items, rng = list(items), [seed]
    for i in range(len(items) - 1, 0, -1):
        j = draw(rng, i + 1)
        items[i], items[j] = items[j], items[i]
    return items
