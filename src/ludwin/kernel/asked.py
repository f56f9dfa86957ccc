"""What programs can ask of a game: its queries, or, where it declares none, its fields.

Why it is here.  Whoever writes `QUERIES` says what matters, and to whom.  A game without them still shows its state:
every number of it can be read, a field as it is, an array place by place.  An array with one place for each player is
read from the player who asks on (place 0 is the own one, 1 the next player's), and a whole number can be compared with
the player's own ("turn is mine"), because a program that cannot tell its own points from another's learns nothing.
This is less than a query says, and it is told as such.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ludwin.game import Game
from ludwin.kernel.text import kernel_from_text
from ludwin.rules.layout import Layout

SEAT = "seat"  # the number of the player who asks
MINE = " is mine"
MOBILITY = "mobility"  # every search knows it: no field is asked by this name


def asked(game: Game) -> dict[str, tuple[str, int]]:
    """Return what can be asked, in order: name -> (float or bool, number of places; 0 for none)."""
    if not has_only_fields(game):
        return dict(game.queries)
    return {name: (kind, places) for name, kind, places, _ in _fields(game.fields, game.players)}


def has_only_fields(game: Game) -> bool:
    """Tell whether programs read the fields of a game, because it declares no queries and answers none."""
    return not game.queries and not game.is_world and "query" not in game.offers


@lru_cache(maxsize=64)
def _fields(fields: Layout, players: int) -> tuple[tuple[str, str, int, str], ...]:
    """Return name, kind, places and text of all that the fields answer."""
    found = []
    for one in fields:
        if one.name == MOBILITY:
            continue
        if one.size is None:
            found.append((one.name, "float", 0, f"1.0 * s.{one.name}"))
            if not one.real:
                found.append((one.name + MINE, "bool", 0, f"1.0 if s.{one.name} == p else 0.0"))
        else:
            place = f"(p + a + {players}) % {players}" if one.size == players > 1 else "a"
            found.append((one.name, "float", one.size, f"1.0 * s.{one.name}[{place}]"))
    if SEAT not in fields.names:
        found.append((SEAT, "float", 0, "1.0 * p"))
    return tuple(found)


@lru_cache(maxsize=64)
def field_query(fields: Layout, players: int) -> Callable[..., Any]:
    """Return `query(s, p, k, a)` for a game that defines none, as kernel text."""
    lines = ["def query(s, p, k, a):"]
    for number, (_, _, _, value) in enumerate(_fields(fields, players)):
        lines += [f"    if k == {number}:", f"        return {value}"]
    return kernel_from_text("fields", "query", "\n".join([*lines, "    return 0.0", ""])).entry
