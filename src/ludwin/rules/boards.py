"""Boards that are learnt from drawings of letters, so that a game with nothing but `show` has a picture.

The idea.  Play a few random games and look at what `show` draws.  A character that stands alone, between blanks or
bars, and that ever changes is a square; so is one on the same lattice that bears the commonest glyph of squares.  The
glyph that most moves replace is the empty one, and a glyph belongs to the player whose moves make it appear.

Why it can be trusted.  Nothing is guessed about a move: where it goes is read off the drawings before and after it,
so that a wrong lattice shows as a missing place, never as another move.  Letters at the top or the bottom of a column
and numbers at the side of a row give squares their names (b2), else they are numbered from the upper left (1,1).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ludwin.svg import Square

GAMES, PLIES = 8, 60  # random games that are looked at, and how far
FEWEST = 4  # squares that make a board
BARS = " |[]()+-"  # what may stand beside a square

Place = tuple[int, int]  # line and column of a character


class Sight(NamedTuple):
    """A drawing, and who has made the move that led to it (-1: nature, or nobody)."""

    text: str
    player: int


@dataclass(frozen=True)
class Lattice:
    """Where the squares of a drawing are, what they are called, and who owns which glyph."""

    squares: dict[Place, str]  # by place: the name
    lines: tuple[int, ...]
    columns: tuple[int, ...]
    empty: str
    owners: dict[str, int]
    plain: frozenset[str]  # the commonest glyph of each owner: a man
    labels: frozenset[int]  # lines that hold nothing but coordinates
    is_labelled: bool = False  # names are those that the drawing has; else they are numbers of ours

    def board(self, text: str) -> list[list[Square]]:
        """Return the board of a drawing as `squares` would."""
        lines = text.splitlines()
        return [[self._square(lines, (line, column)) for column in self.columns] for line in self.lines]

    def remarks(self, text: str) -> list[str]:
        """Return the lines that are no part of the board."""
        lines = enumerate(text.splitlines())
        return [line.strip() for k, line in lines if k not in self.lines and k not in self.labels and line.strip()]

    def path(self, before: str, after: str) -> list[str]:
        """Return the squares that a move touches, from where it came to where it went; none if that is not clear."""
        was, now = before.splitlines(), after.splitlines()
        glyphs = {place: (_at(was, place), _at(now, place)) for place in self.squares}
        filled = [place for place, (a, b) in glyphs.items() if a != b and b != self.empty]
        emptied = {place: a for place, (a, b) in glyphs.items() if a != b and b == self.empty and a != self.empty}
        fresh = [place for place in filled if glyphs[place][0] == self.empty] or filled
        if len(fresh) != 1:
            return []
        to = fresh[0]
        came = [place for place, glyph in emptied.items() if glyph.lower() == glyphs[to][1].lower()]
        if len(came) > 1 or (emptied and not came):
            return []
        return [*(self.squares[place] for place in came), self.squares[to]]

    def _square(self, lines: Sequence[str], place: Place) -> Square:
        if place not in self.squares:
            return None
        glyph = _at(lines, place)
        if glyph in (self.empty, " ", ""):
            return self.squares[place], ""
        if glyph not in self.owners:
            return self.squares[place], glyph
        return self.squares[place], f"{self.owners[glyph]}{'' if glyph in self.plain else glyph}"


def learn(games: Iterable[Sequence[Sight]]) -> Lattice | None:
    """Return the lattice that the drawings of some games have in common; None if there is none."""
    shown = list(games)
    texts = [sight.text for game in shown for sight in game]
    alone = _lone(texts)
    pairs = [(a.text.splitlines(), b.text.splitlines(), b.player) for game in shown for a, b in pairwise(game)]
    by_move = [
        [(place, _at(a, place), _at(b, place), p) for place in alone if _at(a, place) != _at(b, place)]
        for a, b, p in pairs
    ]
    changes = [change for of_move in by_move for change in of_move]
    changed = {place for place, *_ in changes}
    if len(changed) < FEWEST:
        return None
    replaced = Counter(glyph for of_move in by_move for glyph in {before for _, before, _, _ in of_move})
    empty = max(sorted(replaced), key=lambda glyph: replaced[glyph])
    lines, columns = {line for line, _ in changed}, {column for _, column in changed}
    first = texts[0].splitlines()
    squares = {
        place
        for place in alone
        if place in changed or (place[0] in lines and place[1] in columns and _at(first, place) == empty)
    }
    return _named(squares, first, empty, [(b, p) for _, _, b, p in changes if b != empty])


def _named(squares: set[Place], first: Sequence[str], empty: str, made: Sequence[tuple[str, int]]) -> Lattice:
    """Give squares their names and glyphs their owners."""
    lines = tuple(sorted({line for line, _ in squares}))
    columns = tuple(sorted({column for _, column in squares}))
    owners = {}
    for glyph in sorted({glyph for glyph, _ in made}):
        player, times = Counter(p for g, p in made if g == glyph).most_common(1)[0]
        if player >= 0 and times > 0.6 * sum(1 for g, _ in made if g == glyph):
            owners[glyph] = player
    often = Counter(glyph for glyph, _ in made)
    plain = {max((g for g in owners if owners[g] == p), key=lambda g: often[g]) for p in set(owners.values())}
    heads = {
        k
        for k, text in enumerate(first)
        if k not in lines and text.split() and all(len(word) == 1 and word.isalnum() for word in text.split())
    }
    files = {c: next((_at(first, (k, c)) for k in sorted(heads) if _at(first, (k, c)).strip()), "") for c in columns}
    ranks = {k: re.match(r"\s*(\d+)\b", first[k]) for k in lines}
    fits = all(name.isalpha() for name in files.values()) and len(set(files.values())) == len(columns)
    sides = [match[1] for match in ranks.values() if match]
    fits = fits and len(set(sides)) == len(lines) and not any(_inside(match, squares, k) for k, match in ranks.items())
    names = {
        (line, column): f"{files[column]}{sides[lines.index(line)]}"
        if fits
        else f"{lines.index(line) + 1},{columns.index(column) + 1}"
        for line, column in sorted(squares)
    }
    return Lattice(names, lines, columns, empty, owners, frozenset(plain), frozenset(heads), fits)


def _inside(match: "re.Match[str] | None", squares: set[Place], line: int) -> bool:
    """Tell whether the number at the side of a line is itself a square."""
    return match is not None and any((line, column) in squares for column in range(match.start(1), match.end(1)))


def _lone(texts: Sequence[str]) -> set[Place]:
    """Return the places where a character stands alone in every drawing."""
    kept: set[Place] | None = None
    for text in dict.fromkeys(texts):
        found = set()
        for k, line in enumerate(text.splitlines()):
            if re.search(r"[^\W\d_]{3}", line):
                continue  # a sentence
            for column, glyph in enumerate(line):
                beside = line[column - 1 : column] if column else " ", line[column + 1 : column + 2] or " "
                if glyph not in BARS and all(one in BARS for one in beside):
                    found.add((k, column))
        kept = found if kept is None else kept & found
    return kept or set()


def _at(lines: Sequence[str], place: Place) -> str:
    line, column = place
    return lines[line][column : column + 1] or " " if line < len(lines) else " "
