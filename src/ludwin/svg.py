"""Pictures in one quiet style: colours that have a name, for light and for dark, and places that a page can find.

Why it is here.  Every game draws itself, and all of them should look as if one hand had drawn them.  A `Sheet` is a
picture in the making; colours are asked for by name (COLOURS), so that a page, a notebook or a file can show the same
drawing on white and on black.  A drawing itself has classes and presentation attributes and no style, no script and no
font of its own, so it may stand in any page; `dressed` adds what a file needs to follow the reader's light or dark.

Places.  What is drawn with `at="e4"` bears `data-at="e4"`: that is where a click on the page means e4.  What is drawn
with `move="pass"` is a whole move.

>>> sheet = Sheet(40, 20, "a dot")
>>> sheet.circle(10, 10, 6, "black", at="a1")
>>> print(sheet)
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" width="40" height="20" role="img" ...>
<title>a dot</title>
<rect width="40" height="20" class="lw-fill-ground" fill="#faf9f6"/>
<circle cx="10" cy="10" r="6" class="lw-fill-black" fill="#2c2f33" data-at="a1"/>
</svg>

References.  Colours of players are near those of M. Okabe, K. Ito, "Color universal design" (2008), told apart by
everybody; text on the ground has a contrast of at least 4.5 to 1 (WCAG 2.2) in light and in dark.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape, unescape

# Name: (on white paper, on a dark page).
COLOURS = {
    "ground": ("#faf9f6", "#1b1d20"),  # the paper
    "panel": ("#efece4", "#26292d"),  # a card, a box, a tile without a face
    "ink": ("#26292d", "#e6e4de"),  # texts and outlines
    "quiet": ("#62676e", "#a3a7ad"),  # coordinates and remarks
    "line": ("#cdc9bf", "#474b51"),  # thin lines between squares
    "square": ("#f1e9d8", "#4c4f54"),  # a board's light squares
    "square-dark": ("#c8b393", "#35383d"),  # and its dark ones
    "felt": ("#a9c3a4", "#33473b"),  # a board of one colour
    "wood": ("#d9c29c", "#4b4032"),
    "black": ("#2c2f33", "#131416"),  # pieces, whoever owns them
    "white": ("#fdfcf8", "#e9e6de"),
    "first": ("#2f6f9f", "#5fa4d6"),  # players, where pieces have no colour of their own
    "second": ("#c05a22", "#e58d57"),
    "third": ("#38805b", "#63bd92"),
    "fourth": ("#86569b", "#bb8fd0"),
    "mark": ("#e6c95c", "#8d7822"),  # the last move
    "free": ("#6fa07a", "#6aa87a"),  # where one may go
    "good": ("#38805b", "#63bd92"),
    "bad": ("#b3432f", "#e27a62"),
}
PLAYERS = ("first", "second", "third", "fourth")
SANS, MONO = "system-ui, sans-serif", "ui-monospace, monospace"
THEMES = ("auto", "light", "dark")
CELL = 48  # the side of a board's square
LONGEST, MOST_LINES = 100, 60  # of a picture of letters
MARGIN = 24  # beside a board, for coordinates
_WORDS = {"at": "data-at", "move": "data-move", "round": "rx", "thick": "stroke-width", "dash": "stroke-dasharray"}


def player(number: int) -> str:
    """Return the name of a player's colour."""
    return PLAYERS[number % len(PLAYERS)]


def mixed(part: float, low: str = "#f3efe6", high: str = "#b3432f") -> str:
    """Return a colour between two, for heat maps; `part` runs from 0 to 1.

    >>> mixed(0.0), mixed(1.0), mixed(0.5, "#000000", "#ffffff")
    ('#f3efe6', '#b3432f', '#808080')
    """
    part = min(max(part, 0.0), 1.0) if math.isfinite(part) else 0.0
    pairs = ((int(low[k : k + 2], 16), int(high[k : k + 2], 16)) for k in (1, 3, 5))
    return "#" + "".join(f"{round(a + part * (b - a)):02x}" for a, b in pairs)


class Sheet:
    """A picture in the making: shapes are added from the back to the front, `str` is the text of the SVG file.

    Colours are names of COLOURS, or `#rrggbb` where a drawing needs one that stays the same in the dark. Every shape
    takes `at=` and `move=` (see above), `line=` the colour of its outline, `thick=`, `round=`, `dash=`, `opacity=`.
    """

    def __init__(self, wide: float, high: float, label: str = "", *, flips: bool = False, ground: str = "ground"):
        self.wide, self.high, self.label, self.flips, self.ground = wide, high, label, flips, ground
        self.parts: list[str] = []

    def rect(self, x: float, y: float, wide: float, high: float, fill: str = "none", **more: object) -> None:
        """Draw a rectangle from its upper left corner."""
        self._add("rect", {"x": x, "y": y, "width": wide, "height": high}, fill, more)

    def circle(self, x: float, y: float, radius: float, fill: str = "none", **more: object) -> None:
        """Draw a circle around its middle."""
        self._add("circle", {"cx": x, "cy": y, "r": radius}, fill, more)

    def stroke(self, x: float, y: float, to_x: float, to_y: float, line: str = "ink", **more: object) -> None:
        """Draw a straight line."""
        self._add("line", {"x1": x, "y1": y, "x2": to_x, "y2": to_y}, "", {"line": line, **more})

    def path(self, d: str, fill: str = "none", **more: object) -> None:
        """Draw a path, written as SVG writes it."""
        self._add("path", {"d": d}, fill, more)

    def text(self, x: float, y: float, words: str, fill: str = "ink", size: float = 14, **more: object) -> None:
        """Write words, with their middle at (x, y); `anchor="start"` begins there, `mono=True` is for columns."""
        mono, bold, anchor = more.pop("mono", False), more.pop("bold", False), more.pop("anchor", "middle")
        own: dict[str, object] = {"x": x, "y": y, "dy": "0.35em", "font-size": size, "text-anchor": anchor}
        own |= {"font-family": MONO, "xml:space": "preserve"} if mono else {}
        own |= {"font-weight": "bold"} if bold else {}
        self._add("text", own, fill, more, escape(str(words), quote=False))

    @contextmanager
    def group(self, x: float = 0, y: float = 0, turn: float = 0, **more: object) -> Iterator[None]:
        """Draw what follows moved to (x, y) and turned by degrees, as one thing with `at=` or `move=` of its own."""
        turned = f" rotate({turn:g})" if turn else ""
        moved = f"translate({x:g} {y:g})" if x or y else ""
        own = {"transform": f"{moved}{turned}".strip()} if moved or turned else {}
        self.parts.append(f"<g{_attributes(own, '', more)}>")
        yield
        self.parts.append("</g>")

    def _add(self, tag: str, own: Mapping[str, object], fill: str, more: dict[str, object], inside: str = "") -> None:
        title = more.pop("title", "")
        inside = (f"<title>{escape(str(title), quote=False)}</title>" if title else "") + inside
        attributes = _attributes(own, fill, more)
        self.parts.append(f"<{tag}{attributes}>{inside}</{tag}>" if inside else f"<{tag}{attributes}/>")

    # What many games draw

    def man(self, x: float, y: float, colour: str, **more: object) -> None:
        """Draw a round piece; `crown=True` makes it a king, `radius=` its size."""
        crown, radius = more.pop("crown", False), float(str(more.pop("radius", 0.38 * CELL)))
        self.circle(x, y, radius, colour, line="ink", thick=1.2, **more)
        ring = "black" if colour == "white" else "white"
        self.circle(x, y, 0.72 * radius, line=ring, thick=0.8, opacity=0.35)
        if crown:
            k = radius / 20
            points = ((-9, 6), (-10, -5), (-4, 0), (0, -8), (4, 0), (10, -5), (9, 6))
            self.path("M" + "L".join(f"{x + k * a:g} {y + k * b:g}" for a, b in points) + "Z", ring, opacity=0.9)

    def die(self, x: float, y: float, pips: int, size: float = 40, fill: str = "white", **more: object) -> None:
        """Draw a die of one to six pips around (x, y); 0 is a die that has not been thrown."""
        self.rect(x - size / 2, y - size / 2, size, size, fill, line="ink", round=size / 6, **more)
        third = size / 3.6
        ink = "white" if fill == "black" else "black"
        spots = {1: "5", 2: "19", 3: "159", 4: "1379", 5: "13579", 6: "134679"}.get(pips, "")
        for spot in map(int, spots):
            column, row = (spot - 1) % 3 - 1, (spot - 1) // 3 - 1
            self.circle(x + column * third, y + row * third, size / 11, ink)
        if pips and not spots:
            self.text(x, y, str(pips), ink, size / 2, bold=True)

    def card(self, x: float, y: float, words: str, high: float = 72, **more: object) -> None:
        """Draw a playing card around (x, y); without words it lies face down."""
        wide, colour = high / 1.4, str(more.pop("colour", "black"))
        face = "white" if words else "panel"
        self.rect(x - wide / 2, y - high / 2, wide, high, face, line="ink", round=high / 14, **more)
        if words:
            self.text(x, y, words, colour, 0.42 * high, bold=True)
        else:
            self.rect(x - wide / 2 + 5, y - high / 2 + 5, wide - 10, high - 10, line="quiet", round=3, dash="3 3")

    def __str__(self) -> str:
        size = f'viewBox="0 0 {self.wide:g} {self.high:g}" width="{self.wide:g}" height="{self.high:g}"'
        flips = ' data-flip="1"' if self.flips else ""
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{SANS}"{flips}>'
        title = [f"<title>{escape(self.label, quote=False)}</title>"] if self.label else []
        paper = f'<rect width="{self.wide:g}" height="{self.high:g}"{_attributes({}, self.ground, {})}/>'
        return "\n".join([head, *title, paper, *self.parts, "</svg>"]) + "\n"


class SquareBoard(Sheet):
    """A board of squares with coordinates, and lines of text below it.

    `left` and `below` are the coordinates at the sides, from the top and from the left; `remarks` lines of text.
    """

    def __init__(
        self,
        rows: int,
        columns: int,
        label: str = "",
        *,
        left: Sequence[object] = (),
        below: Sequence[object] = (),
        remarks: Sequence[str] = (),
        cell: float = CELL,
    ):
        self.rows, self.columns, self.cell = rows, columns, cell
        self.x = MARGIN if left else MARGIN / 2
        self.y = MARGIN / 2
        lines = [line for remark in remarks for line in remark.splitlines()]
        bottom = self.y + rows * cell + (MARGIN if below else MARGIN / 2)
        wide = max(self.x + columns * cell + MARGIN / 2, max((7.3 * len(line) + 24 for line in lines), default=0))
        super().__init__(wide, bottom + 20 * len(lines) + (6 if lines else 0), label, flips=not lines and not left)
        for row, words in enumerate(left):
            self.text(self.x / 2, self.middle(row, 0)[1], str(words), "quiet", 12)
        for column, words in enumerate(below):
            self.text(self.middle(0, column)[0], self.y + rows * cell + MARGIN / 2, str(words), "quiet", 12)
        for number, line in enumerate(lines):
            self.text(12, bottom + 8 + 20 * number, line, "ink", 13, anchor="start")

    def middle(self, row: int, column: int) -> tuple[float, float]:
        """Return the middle of a square; rows count from the top."""
        return self.x + (column + 0.5) * self.cell, self.y + (row + 0.5) * self.cell

    def square(self, row: int, column: int, fill: str = "square", **more: object) -> None:
        """Draw a square; `at=` names it."""
        x, y = self.middle(row, column)
        half = self.cell / 2
        more.setdefault("line", "line")
        more.setdefault("thick", 0.6)
        self.rect(x - half, y - half, self.cell, self.cell, fill, **more)

    def glyph(self, row: int, column: int, words: str, fill: str = "ink", **more: object) -> None:
        """Write letters into a square."""
        size = min(0.55, 1.3 / max(len(words), 1)) * self.cell
        more.setdefault("bold", True)
        x, y = self.middle(row, column)
        self.text(x, y, words, fill, size, **more)


Square = tuple[str, str] | None


def grid(squares: Sequence[Sequence[Square]], label: str = "", remarks: Sequence[str] = ()) -> SquareBoard:
    """Return the picture of a board that is given as rows of (name, piece), None where there is no square.

    A piece is a text: nothing for an empty square, a digit for a man of that player's, a digit and letters for
    another piece of theirs (`1K`), anything else for something that nobody owns.
    """
    columns = max(map(len, squares), default=0)
    left, below = _coordinates(squares, columns)
    board = SquareBoard(len(squares), columns, label, left=left, below=below, remarks=remarks)
    for row, line in enumerate(squares):
        for column, square in enumerate(line):
            if square is not None:
                name, piece = square
                board.square(row, column, "square", at=name, title=f"{name} {piece}".strip())
                _piece(board, row, column, str(piece))
    return board


def _coordinates(squares: Sequence[Sequence[Square]], columns: int) -> tuple[list[str], list[str]]:
    """Return what to write beside rows and below columns: the letters and numbers that their names share (b2)."""
    parts = [[re.fullmatch(r"([A-Za-z]+)(\d+)", square[0]) if square else None for square in line] for line in squares]
    rows = [{part[2] for part in line if part} for line in parts]
    ranks = [{line[k][1] for line in parts if k < len(line) and line[k]} for k in range(columns)]  # type: ignore[index]
    everywhere = all(
        part or not square
        for line, own in zip(squares, parts, strict=True)
        for square, part in zip(line, own, strict=True)
    )
    if not everywhere or any(len(found) != 1 for found in (*rows, *ranks)):
        return [], []
    return [min(found) for found in rows], [min(found) for found in ranks]


def _piece(board: SquareBoard, row: int, column: int, piece: str) -> None:
    owner, letters = (int(piece[0]), piece[1:]) if piece[:1].isdecimal() and piece[:1].isascii() else (-1, piece)
    if owner >= 0:
        board.man(*board.middle(row, column), player(owner), radius=0.38 * board.cell)
        board.glyph(row, column, letters, "white" if letters else "ink")
    elif letters.strip():
        board.glyph(row, column, letters)


def _folded(lines: Sequence[str]) -> list[str]:
    """Return lines that a picture can hold: long ones go on below, and what is too much is left out with a word.

    >>> _folded(["word " * 30])[1]
    '  word word word word word word word word word word'
    """
    import textwrap

    found: list[str] = []
    for line in lines:
        found += [line] if len(line) <= LONGEST else textwrap.wrap(line, LONGEST, subsequent_indent="  ") or [""]
    return (
        found if len(found) <= MOST_LINES else [*found[: MOST_LINES - 1], f"… {len(found) - MOST_LINES + 1} more lines"]
    )


def letters(text: str, label: str = "", size: float = 14) -> Sheet:
    """Return a picture of a text as it is written, letter by letter: what is drawn where nothing better is known."""
    lines = _folded(text.expandtabs().splitlines()) or [""]
    wide = max(0.61 * size * max(map(len, lines)) + 2 * MARGIN, 4 * MARGIN)
    sheet = Sheet(wide, 1.35 * size * len(lines) + 2 * MARGIN / 1.5, label)
    for number, line in enumerate(lines):
        if line.strip():
            sheet.text(
                MARGIN, MARGIN / 1.5 + 1.35 * size * (number + 0.5), line, "ink", size, mono=True, anchor="start"
            )
    return sheet


def styles(theme: str = "auto") -> str:
    """Return CSS that gives our classes their colours: `light`, `dark`, or `auto`, which follows the reader's choice.

    >>> ".lw-fill-ink{fill:#e6e4de}" in styles("dark"), "prefers-color-scheme" in styles()
    (True, True)
    """
    which = 1 if theme != "light" else 0
    rules = "".join(
        f".lw-fill-{name}{{fill:{pair[which]}}}.lw-line-{name}{{stroke:{pair[which]}}}"
        for name, pair in COLOURS.items()
    )
    return f"@media (prefers-color-scheme: dark){{{rules}}}" if theme == "auto" else rules


def dressed(svg: str, theme: str = "auto") -> str:
    """Return a picture for a file of its own: with the colours of a theme in it (see `styles`)."""
    end = svg.find(">", svg.find("<svg")) + 1
    if end <= 0 or "lw-" not in svg or theme == "light":
        return svg
    return f"{svg[:end]}\n<style>{styles(theme)}</style>{svg[end:]}"


def places(svg: str) -> list[str]:
    """Return the names of the places of a picture, each once, in the order in which they are drawn."""
    return list(dict.fromkeys(unescape(name) for name in re.findall(r'data-at="([^"]*)"', svg)))


def named_places(names: Sequence[str], text: str) -> list[str]:
    """Return the places that a move's name mentions, from left to right; of several that fit, the longest.

    >>> named_places(["1", "11", "8", "18"], "11x18"), named_places(["e2", "e4"], "e2e4q")
    (['11', '18'], ['e2', 'e4'])
    """
    known, found, at = sorted(names, key=len, reverse=True), [], 0
    while at < len(text):
        here = next((name for name in known if name and _stands(text, name, at)), "")
        found += [here] if here else []
        at += len(here) or 1
    return found


def _stands(text: str, name: str, at: int) -> bool:
    """Tell whether a name stands at a place of a text, and is not the part of a longer number there."""
    if not text.startswith(name, at):
        return False
    before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
    return not (name[0].isdigit() and before.isdigit()) and not (name[-1].isdigit() and after.isdigit())


def marked(svg: str, marks: Mapping[str, str]) -> str:
    """Return a picture in which squares have another colour: `marked(svg, {"e4": "mark"})`, `free` where one may go."""

    def painted(match: "re.Match[str]") -> str:
        tag = match[0]
        name = unescape(match[1])
        if name not in marks:
            return tag
        colour = marks[name]
        tag = re.sub(r' class="lw-fill-[a-z-]+', f' class="lw-fill-{colour}', tag)
        return re.sub(r' fill="[^"]*"', f' fill="{COLOURS[colour][0]}"', tag)

    return re.sub(r'<rect\b[^>]*data-at="([^"]*)"[^>]*>', painted, svg)


def _attributes(own: Mapping[str, object], fill: str, more: dict[str, object]) -> str:
    """Return attributes as SVG writes them; colours by name become a class and the light colour."""
    classes, found = [], dict(own)
    for word, colour in (("fill", fill), ("stroke", str(more.get("line", "")))):
        if colour in COLOURS:
            classes.append(f"lw-{'fill' if word == 'fill' else 'line'}-{colour}")
            found[word] = COLOURS[colour][0]
        elif colour:
            found[word] = colour
    if classes:
        found = {**own, "class": " ".join(classes)} | {k: v for k, v in found.items() if k not in own}
    for word, value in more.items():
        if word != "line" and value not in ("", None):
            found[_WORDS.get(word, word)] = value
    return "".join(
        f' {word}="{escape(f"{value:g}" if isinstance(value, float) else str(value))}"' for word, value in found.items()
    )
