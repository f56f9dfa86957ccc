"""Deals: Microsoft's by number, and those of texts; not compiled.

A text has a line (or a part between `/`) for each column, the deepest card first, in the form that FreeCell solvers
share: `JD KD 2S 10C`, with T or 10, letters in any case or signs (`J♦`), an optional number and colon before a column.
`Foundations: H-3 C-A D-0 S-2` and `Freecells: 5D - JS` may stand before the columns.  The layout that books print, rows
of eight with the deepest cards above, is read, too: eight cards or fewer in a line, rows instead of columns, after the
word `rows`.
"""

import re

from ludwin.games.freecell.cards import COLUMNS, column_hash, run_at
from ludwin.primitives import add, shl

RANKS = "0A23456789TJQK"
SUITS = "CDHS"
SIGNS = str.maketrans("♣♦♥♠♧♢♡♤", SUITS + SUITS, "\ufe0e\ufe0f")  # and what says how a sign is to be drawn
MOST = 19  # cards in a column: six upon which a king lies, and all below him


def microsoft(number):
    """Return the eight columns of a deal, the deepest cards first.

    Numbers above 32,000 are dealt in the same way, as later versions of the program do.

    >>> " ".join(map(card_name, microsoft(617)[0]))
    '7D TD TH KD 4C 4S JD'
    """
    deck = list(range(4, 56))
    columns = [[] for _ in range(COLUMNS)]
    seed = number
    for i in range(52):
        seed = (seed * 214013 + 2531011) % 2**31
        j = (seed >> 16) % (52 - i)
        columns[i % COLUMNS].append(deck[j])
        deck[j] = deck[51 - i]
    return columns


def card_name(card):
    """Return a card in two letters.

    >>> card_name(4), card_name(55), card_name(41)
    ('AC', 'KS', 'TD')
    """
    return RANKS[card // 4] + SUITS[card % 4]


def read_card(word):
    """Return the card of a text. Raises ValueError."""
    text = word.upper().translate(SIGNS).replace("10", "T").replace("1", "A")
    if len(text) == 2 and text[0] in RANKS[1:] and text[1] in SUITS:
        return 4 * RANKS.index(text[0]) + SUITS.index(text[1])
    raise ValueError(f"a card is a rank from A, 2 to 9, T or 10, J, Q, K and a suit C, D, H or S, got {word[:20]!r}")


def read_deal(text):
    """Return columns, cells and homes of a text. Raises ValueError with what is wrong."""
    cells, homes, columns = [0] * 4, [0] * 4, []
    rows = None
    for line in re.split(r"[\n/]", text.strip()):
        word, colon, rest = line.partition(":")
        head = word.strip().lower().replace(" ", "")
        if colon and head in ("foundations", "foundation", "founds", "decks", "home"):
            homes = _homes(rest)
        elif colon and head in ("freecells", "freecell", "fc", "cells"):
            cells = _cells(rest)
        elif head == "rows" and not columns:
            rows = []
            if rest.strip():
                rows.append(_cards(rest))
        elif rows is not None:
            rows.append(_cards(line))
        else:
            columns.append(_cards(rest if colon and re.fullmatch(r"[#a-z ]*[0-9]?", head) else line))
    if rows is not None:
        columns = _turned(rows)
    while len(columns) > COLUMNS and not columns[-1]:
        columns.pop()
    if len(columns) > COLUMNS:
        raise ValueError(f"there are eight columns, got {len(columns)}")
    columns += [[] for _ in range(COLUMNS - len(columns))]
    return demand_pack(columns, cells, homes)


def demand_pack(columns, cells, homes):
    """Return a deal as it is if it has each card once. Raises ValueError."""
    lying = [card for column in columns for card in column] + [card for card in cells if card]
    lying += [4 * rank + suit for suit, top in enumerate(homes) for rank in range(1, top + 1)]
    seen = set()
    for card in lying:
        if card in seen:
            raise ValueError(f"{card_name(card)} is there twice")
        seen.add(card)
    if len(lying) < 52:
        missing = [card_name(card) for card in range(4, 56) if card not in seen]
        more = f", and {len(missing) - 3} more" if len(missing) > 4 else ""
        shown = missing if len(missing) <= 4 else missing[:3]
        raise ValueError(f"a pack has 52 cards, got {len(lying)}: {' '.join(shown)}{more} missing")
    for k, column in enumerate(columns, 1):
        if len(column) > MOST:
            raise ValueError(f"column {k} has {len(column)} cards; no more than {MOST} ever lie in one")
    return columns, cells, homes


def _cards(text):
    return [read_card(word) for word in re.sub(r"[,;]", " ", text).split() if word not in ("-", "--")]


def _cells(text):
    found = [0 if word in ("-", "--") else read_card(word) for word in text.split()]
    if len(found) > 4:
        raise ValueError(f"there are four cells, got {len(found)}")
    return found + [0] * (4 - len(found))


def _homes(text):
    homes: dict[int, int] = {}
    for word in text.replace(",", " ").split():
        found = re.fullmatch(r"([CDHS])-?(10|[0-9ATJQK])", word.upper().translate(SIGNS))
        if not found:
            raise ValueError(f"what is at home is a suit and a rank, such as H-3 or S-0, got {word[:20]!r}")
        suit = SUITS.index(found[1])
        if suit in homes:
            raise ValueError(f"what is at home of {found[1]} is told twice")
        homes[suit] = RANKS.index(found[2].replace("10", "T").replace("1", "A"))
    return [homes.get(suit, 0) for suit in range(4)]


def _turned(rows):
    """Return the columns of rows, the deepest cards above; only the last row may be shorter than eight."""
    rows = [row for row in rows if row]
    for k, row in enumerate(rows):
        if len(row) > COLUMNS or (len(row) < COLUMNS and k + 1 < len(rows)):
            raise ValueError(f"a row has eight cards, the last one perhaps fewer, got {len(row)}")
    return [[row[c] for row in rows if c < len(row)] for c in range(COLUMNS)]


class _Board:
    """What `column_hash` and `run_at` read of a state."""


def fields_of(columns, cells=(0, 0, 0, 0), homes=(0, 0, 0, 0)):
    """Return the fields of a state; columns are brought into the order of their deepest cards."""
    order = sorted(range(COLUMNS), key=lambda c: columns[c][0] if columns[c] else 64 + c)
    board = _Board()
    board.low = [sum(card << 6 * i for i, card in enumerate(columns[c][:10])) for c in order]
    board.high = [sum(card << 6 * i for i, card in enumerate(columns[c][10:])) for c in order]
    lengths = runs = where = opened = total = 0
    for k, c in enumerate(order):
        lengths |= shl(len(columns[c]), 8 * k)
        runs |= shl(run_at(board, k, len(columns[c])), 8 * k)
        where |= shl(c, 8 * k)
        opened |= 1 << columns[c][-1] if columns[c] else 0
        total = add(total, column_hash(board, k))
    return {
        **{"low": board.low, "high": board.high, "lengths": lengths, "runs": runs, "where": where},
        "cells": sum(1 << card for card in cells if card),
        "held": sum(card << 8 * k for k, card in enumerate(cells)),
        "home": sum(rank << 8 * suit for suit, rank in enumerate(homes)),
        "wanted": sum(1 << 4 * (rank + 1) + suit for suit, rank in enumerate(homes)),
        **{"open": opened, "hash": total},
    }
