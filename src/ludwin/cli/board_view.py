"""The board of `ludwin play` in a terminal: turned towards the person, with colours and marks.

Why it is here.  `show` draws a position with letters.  Where those letters form a board (`ludwin.rules.boards`) the
terminal can do more: the pieces of each player in a colour, the squares of the last move marked, and those where one
may go.  What is drawn is the game's own text; nothing is added to it but colour, and it may be turned round.
"""

import re
from typing import TYPE_CHECKING

from ludwin.primitives import CHANCE

if TYPE_CHECKING:
    from ludwin.game import Game, State
    from ludwin.play.session import PlaySession
    from ludwin.rules.boards import Lattice

COLOURS = ("bold bright_blue", "bold bright_red", "bold green", "bold magenta")
LAST, FREE = "reverse", "bold green"
MOST_MOVES = 80  # legal moves whose squares are marked: each is drawn once


def turned_for(session: "PlaySession") -> bool:
    """Tell whether the one person at a board sits on its far side.

    A drawing says with FACES who sits below it; most boards look the same from everywhere and say nothing.
    """
    game = session.game
    faces = getattr(game.part("drawing") if game.source.home else game.module, "FACES", None)
    return faces is not None and len(session.people) == 1 and session.people[0] != faces


class BoardView:
    """How the positions of a game are drawn for one person."""

    def __init__(self, game: "Game", is_turned: bool = False):
        self.game, self.is_turned = game, is_turned

    @property
    def lattice(self) -> "Lattice | None":
        """Where the squares are; None where nothing is known, or where colours could tell what is hidden."""
        return None if self.game.has_secrets else self.game.lattice

    def turned(self, text: str) -> str:
        """Return a drawing as this person sees it: the lines of the board, and the letters in each, the other way."""
        return _turn(text, self.lattice) if self.is_turned and self.lattice else text

    def styled(self, text: str, session: "PlaySession") -> tuple[str, dict[tuple[int, int], str]]:
        """Return a drawing with the styles of its characters, by line and column."""
        lattice = self.lattice
        if lattice is None:
            return text, {}
        lines = text.splitlines()
        styles: dict[tuple[int, int], str] = {}
        for place in lattice.squares:
            glyph = lines[place[0]][place[1] : place[1] + 1] if place[0] < len(lines) else ""
            if glyph in lattice.owners:
                styles[place] = COLOURS[lattice.owners[glyph] % len(COLOURS)]
        for place in _targets(lattice, session):
            styles[place] = FREE
        for place in _changed(lattice, session):
            styles[place] = f"{styles.get(place, '')} {LAST}".strip()
        if not self.is_turned:
            return text, styles
        marked = _Marked(text, styles)
        return _turn(text, lattice), marked.turned(lattice)


def _changed(lattice: "Lattice", session: "PlaySession") -> list[tuple[int, int]]:
    """Return the squares that the last move has changed."""
    states = session.referee.states
    if len(states) < 2:
        return []
    was, now = states[-2].show().splitlines(), states[-1].show().splitlines()
    return [place for place in lattice.squares if _glyph(was, place) != _glyph(now, place)]


def _targets(lattice: "Lattice", session: "PlaySession") -> list[tuple[int, int]]:
    """Return the empty squares where a legal move of the person's ends."""
    state = session.state
    if session.awaits is None or state.mover == CHANCE or len(state.moves()) > MOST_MOVES:
        return []
    where = {name: place for place, name in lattice.squares.items()}
    return [where[path[-1]] for path in (_path(lattice, state, move) for move in state.moves()) if path]


def _path(lattice: "Lattice", state: "State", move: int) -> list[str]:
    return lattice.path(state.show(), state._play(move).show())


def _glyph(lines: list[str], place: tuple[int, int]) -> str:
    return lines[place[0]][place[1] : place[1] + 1] if place[0] < len(lines) else ""


def _board_lines(text: str, lattice: "Lattice") -> list[int]:
    """Return the lines that are turned: those of the squares, and of the coordinates beside them."""
    many = len(text.splitlines())
    return [k for k in sorted({*lattice.lines, *lattice.labels}) if k < many]


def _tokens(line: str) -> list[str]:
    """Split a line into characters; numbers stay whole, for nobody reads them backwards."""
    return re.findall(r"\d+|.", line)


def _turn(text: str, lattice: "Lattice") -> str:
    lines = text.splitlines()
    board = _board_lines(text, lattice)
    wide = max((len(lines[k]) for k in board), default=0)
    turned = ["".join(reversed(_tokens(lines[k].ljust(wide)))).rstrip() for k in board]
    for k, line in zip(board, reversed(turned), strict=True):
        lines[k] = line
    return "\n".join(lines)


class _Marked:
    """Styles of a drawing that follow its characters when it is turned."""

    def __init__(self, text: str, styles: dict[tuple[int, int], str]):
        self.text, self.styles = text, styles

    def turned(self, lattice: "Lattice") -> dict[tuple[int, int], str]:
        lines = self.text.splitlines()
        board = _board_lines(self.text, lattice)
        wide = max((len(lines[k]) for k in board), default=0)
        there = dict(zip(board, reversed(board), strict=True))
        found = {}
        for (line, column), style in self.styles.items():
            if line not in there:
                found[line, column] = style
                continue
            at = wide
            passed = 0
            for token in _tokens(lines[line].ljust(wide)):
                at -= len(token)
                if passed <= column < passed + len(token):
                    found[there[line], at + column - passed] = style
                passed += len(token)
        return found
