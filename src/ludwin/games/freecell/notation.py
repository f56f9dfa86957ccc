"""FreeCell in writing: the standard notation of moves, and deals as texts.

A move is where it comes from and where it goes: columns 1 to 8 from the left, cells a to d, h for home.  `26` moves as
many cards as fit; into an empty column, where that is a choice, the number stands behind, as fc-solve writes it:
`26v3`; one card goes there if nothing is said.  Automatic moves are not written, as is usual; `explicit` writes them,
for programs that make none.
"""

import re

from ludwin.games.freecell.cards import CELLS, COLUMNS, TO_CELL, home_of, length_of
from ludwin.games.freecell.deals import RANKS, SUITS, card_name, fields_of, microsoft, read_deal
from ludwin.games.freecell.rules import AUTO, EMPTY, LIMIT, MAX_MOVES, moves, play
from ludwin.games.freecell.seen import columns_of, source_text, target_text
from ludwin.primitives import shr

_MORE = re.compile(r"(.*?)\s*\+([0-9]{1,6}):([0-9]{1,4}):([0-9]{1,4}):([0-9]{1,4})", re.S)


def name(s, m):
    text = source_text(s, m) + target_text(s, m)
    into_empty = m % 16 < COLUMNS and length_of(s, m % 16) == 0
    return f"{text}v{m // 256:x}" if into_empty and m // 256 > 1 else text


def _legal(s):
    out = [0] * MAX_MOVES
    return out[: moves(s, out)]


def parse(s, text):
    word = text.strip().lower().replace(" ", "")
    found = re.fullmatch(r"([1-8a-d])([1-8a-dh])(?:v([0-9a-f]))?", word)
    if not found:
        raise ValueError("a move is from and to: columns 1 to 8, cells a to d, h for home, such as 3a, a5, 26 or 26v3")
    alike = [m for m in _legal(s) if _matches(s, m, found)]
    if not alike:
        raise ValueError(f"{word} is not possible here")
    return min(alike)


def _matches(s, m, found):
    """Tell whether a legal move is what a text means; any free cell and, if all are alike, any empty column will do."""
    here, there, count = found[1], found[2], found[3]
    if source_text(s, m) != here or (count and m // 256 != int(count, 16)):
        return False
    target = m % 16
    if target == TO_CELL and EMPTY == "first":
        return there in "abcd" and shr(s.held, 8 * "abcd".index(there)) & 255 == 0
    return target_text(s, m) == there


def write(s):
    parts = []
    if s.home:
        parts.append("Foundations: " + " ".join(f"{SUITS[k]}-{RANKS[home_of(s, k)]}" for k in (2, 0, 1, 3)))
    if s.held:
        held = [shr(s.held, 8 * k) & 255 for k in range(CELLS)]
        parts.append("Freecells: " + " ".join(card_name(card) if card else "-" for card in held))
    parts += [" ".join(map(card_name, column)) or "-" for column in columns_of(s)]
    more = f" +{s.played}:{s.last}:{s.siblings}:{s.rank}" if s.played or s.last or s.siblings or s.rank else ""
    return " / ".join(parts) + more


def read(s, text):
    text = text.strip()
    more = _MORE.fullmatch(text)
    numbered = re.fullmatch(r"#?([0-9]{1,9})", text)
    if numbered:
        number = int(numbered[1])
        if not 1 <= number <= 1_000_000:
            raise ValueError(f"Microsoft's deals go from #1 to #1000000, got #{number}")
        fields = fields_of(microsoft(number))
    else:
        fields = fields_of(*read_deal(more[1] if more else text))
    for field, value in fields.items():
        if isinstance(value, list):
            getattr(s, field)[:] = value
        else:
            setattr(s, field, value)
    s.played = s.last = s.siblings = s.rank = 0
    if more:
        s.played, s.last, s.siblings, s.rank = (int(more[k]) for k in range(2, 6))
        if s.played > LIMIT or s.rank > 1000 or s.siblings > MAX_MOVES or s.last >= 5 * 64 or s.last % 64 >= 56:
            raise ValueError(f"behind the cards stand moves (up to {LIMIT}), the last move, siblings and rank")


# ---- For programs that make no automatic moves ---------------------------------------------------------------------


def explicit(s, plan):
    """Play a plan from a state, which is changed, and yield a text for every move, those that are automatic, too."""
    for m in plan:
        yield name(s, m)
        columns, held = columns_of(s), [shr(s.held, 8 * k) & 255 for k in range(CELLS)]
        homes = [home_of(s, suit) for suit in range(4)]
        _move(columns, held, homes, source_text(s, m), target_text(s, m), m // 256 if m % 16 < COLUMNS else 1)
        play(s, m)
        if AUTO:
            yield from _brought_home(columns, held, homes, [home_of(s, suit) for suit in range(4)])


def _move(columns, held, homes, here, there, n):
    """Do a move on lists."""
    if here in "abcd":
        cards, held["abcd".index(here)] = [held["abcd".index(here)]], 0
    else:
        column = columns[int(here) - 1]
        cards = column[-n:]
        del column[-n:]
    if there == "h":
        homes[cards[0] % 4] += 1
    elif there in "abcd":
        held["abcd".index(there)] = cards[0]
    else:
        columns[int(there) - 1].extend(cards)


def _brought_home(columns, held, homes, wanted):
    """Yield the moves that bring cards home until so many are there."""
    while homes != wanted:
        ends = {column[-1]: str(k) for k, column in enumerate(columns, 1) if column}
        ends |= {card: "abcd"[k] for k, card in enumerate(held) if card}
        suit = next(k for k in range(4) if homes[k] < wanted[k] and 4 * homes[k] + 4 + k in ends)
        here = ends[4 * homes[suit] + 4 + suit]
        _move(columns, held, homes, here, "h", 1)
        yield f"{here}h"
