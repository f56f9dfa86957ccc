"""Drawings of the patience: letters in colours for terminals, and pictures of cards."""

from ludwin.games.freecell.cards import CELLS, COLUMNS, TO_HOME, home_of, length_of
from ludwin.games.freecell.deals import RANKS, card_name
from ludwin.games.freecell.seen import columns_of, source_text, target_text
from ludwin.primitives import shr
from ludwin.svg import Sheet

_WIDE, _HIGH, _GAP, _STEP, _TOP = 54, 76, 10, 22, 14
_SUITS = "♣♦♥♠"
_HOMES = (2, 0, 1, 3)  # in the order in which texts name them: hearts, clubs, diamonds, spades
_RED_SHADE = 196


def _held(s):
    return [shr(s.held, 8 * k) & 255 for k in range(CELLS)]


def show(s):
    cells = " ".join(card_name(card) if card else "--" for card in _held(s))
    homes = " ".join(card_name(4 * home_of(s, k) + k) if home_of(s, k) else f"-{'CDHS'[k]}" for k in _HOMES)
    columns = columns_of(s)
    lines = [" a  b  c  d      home", f"{cells}     {homes}", "", " ".join(f" {k}" for k in range(1, COLUMNS + 1))]
    for row in range(max(1, *map(len, columns))):
        cards = [card_name(column[row]) if row < len(column) else "  " for column in columns]
        lines.append(" ".join(cards).rstrip())
    return "\n".join(lines)


def show_colours(s):
    names = {card_name(card): f"\x1b[38;5;{_RED_SHADE}m{card_name(card)}\x1b[0m" for card in range(4, 56) if _red(card)}
    return "\n".join(" ".join(names.get(word, word) for word in line.split(" ")) for line in show(s).splitlines())


def _red(card):
    return card % 4 in (1, 2)


def picture(s):
    columns = columns_of(s)
    wide = COLUMNS * (_WIDE + _GAP) + _GAP
    longest = max(7, *map(len, columns))
    high = _TOP + _HIGH + 34 + (longest - 1) * _STEP + _HIGH + _TOP
    sheet = Sheet(wide, high, "FreeCell", ground="felt")
    for k, card in enumerate(_held(s)):
        _place(sheet, k, _TOP, card, "abcd"[k])
    for k, suit in enumerate(_HOMES):
        rank = home_of(s, suit)
        _place(sheet, CELLS + k, _TOP, 4 * rank + suit if rank else 0, f"h{'CDHS'[suit].lower()}", _SUITS[suit])
    below = _TOP + _HIGH + 34
    for k, column in enumerate(columns):
        x = _GAP + k * (_WIDE + _GAP)
        sheet.text(x + _WIDE / 2, below - 16, str(k + 1), "ink", 13)
        if not column:
            _place(sheet, k, below, 0, str(k + 1))
        for row, card in enumerate(column):
            last = row + 1 == len(column)
            _card(sheet, x, below + row * _STEP, card, str(k + 1) if last else f"{k + 1}.{row + 1}")
    return str(sheet)


def _place(sheet, k, y, card, at, sign=""):
    """Draw a cell, a home or an empty column, with its card."""
    x = _GAP + k * (_WIDE + _GAP)
    if card:
        _card(sheet, x, y, card, at)
        return
    sheet.rect(x, y, _WIDE, _HIGH, "panel", line="line", round=7, opacity=0.55, at=at)
    if sign:
        sheet.text(x + _WIDE / 2, y + _HIGH / 2, sign, "quiet", 26)


def _card(sheet, x, y, card, at):
    """Draw a card: rank and suit in the corner, the suit large in the middle."""
    ink = "#b3261e" if _red(card) else "#1b1d20"
    rank = RANKS[card // 4].replace("T", "10")
    sheet.rect(x, y, _WIDE, _HIGH, "#fdfcf8", line="#4a4d52", round=7, at=at)
    with sheet.group(**{"pointer-events": "none"}):
        sheet.text(x + 6, y + 12, f"{rank}{_SUITS[card % 4]}", ink, 15, bold=True, anchor="start")
        sheet.text(x + _WIDE / 2, y + _HIGH / 2 + 10, _SUITS[card % 4], ink, 26)


def places(s, m):
    """Return the card that a move takes, or the first of several, and where it goes."""
    n, source, target = m // 256, m // 16 % 16, m % 16
    here = source_text(s, m)
    if source < COLUMNS and n > 1:
        here = f"{here}.{length_of(s, source) - n + 1}"
    there = target_text(s, m)
    if target == TO_HOME:
        card = _moved(s, here)
        there = f"h{'CDHS'[card % 4].lower()}"
    return [here, there]


def _moved(s, here):
    """Return the card that lies open at a place."""
    return _held(s)["abcd".index(here)] if here in "abcd" else columns_of(s)[int(here) - 1][-1]
