"""What is new on the way: pairs of facts that have not stood together since the start.  Kernel text and its shell.

The idea.  A depth-first search that follows an estimate goes round in circles where the estimate is wrong.  A state is
made of facts (this vehicle stands there); one that brings two of them together for the first time on the way leads
somewhere else, even if each of them was there before.  The order of moves may heed that: `fresh` is added to an
estimate for each new pair, `stale` where there is none.  Orders alone do, for a cut must not depend on the way.

A fact is an answer of a query that has places, such as where each vehicle stands: the place together with what was
answered, 0 to 14 (anything above counts as 15; less than 0: there is no such thing).

References.  N. Lipovetzky, H. Geffner, "Width and serialization of classical planning problems", ECAI 2012 (there a
search is pruned by what no state before has had; here it is ordered by what no state on the way has had).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.kernel.names import query
from ludwin.kernel.specialise import Specialised
from ludwin.search.seat import Seat

SPAN = 16  # different answers
MOST_FACTS = 1024  # places times answers
RECORDS: Mapping[str, Any] = {
    "novelty": {"query": int, "places": int, "fresh": float, "stale": float},
    "facts": [int],  # of each level, then of the state that is looked at
    "pairs": [int],  # how many states on the way have brought each pair, the lesser fact first
}


# ---- Stand-ins: nothing is remembered ------------------------------------------------------------------------------


def set_out(w):
    """Begin a way: the first state's pairs have stood together."""
    return 0


def go_on(w, depth: int):
    """Note what the state of a level has brought."""
    return 0


def go_back(w, depth: int):
    """Forget what the state of a level has brought."""
    return 0


def novelty(w, depth: int, s):
    """Return what is added to the estimate of a state behind one of a level."""
    return 0.0


# ---- What remembers ------------------------------------------------------------------------------------------------


def read_facts(w, row: int, s):
    """Write the facts of a state into a row: place * SPAN + answer, or -1."""
    for place in range(w.novelty.places):
        answer = query(s, 0, w.novelty.query, place)
        fact = -1
        if answer >= 0.0:
            fact = place * SPAN + (int(answer) if answer < SPAN - 1.0 else SPAN - 1)
        w.facts[row * w.novelty.places + place] = fact
    return 0


def pair_of(w, fact: int, other: int):
    """Return the number of a pair of facts."""
    all = w.novelty.places * SPAN
    return min(fact, other) * all + max(fact, other)


def count_pairs(w, before: int, row: int, by: int):
    """Count each pair that a row of facts has and the row `before` has not; return how many were never counted."""
    places = w.novelty.places
    fresh = 0
    for i in range(places):
        fact = w.facts[row * places + i]
        if fact < 0 or fact == w.facts[before * places + i]:
            continue
        for k in range(places):
            other = w.facts[row * places + k]
            if other < 0 or k == i or (k < i and other != w.facts[before * places + k]):
                continue  # two that are both new were a pair already
            pair = pair_of(w, fact, other)
            fresh += 1 if w.pairs[pair] == 0 else 0
            w.pairs[pair] += by
    return fresh


def set_out_anew(w):
    """Begin a way: the first state's pairs have stood together."""
    places = w.novelty.places
    for i in range(places * SPAN * places * SPAN):
        w.pairs[i] = 0
    read_facts(w, 0, w.states[0])
    for i in range(places):
        for k in range(i):
            if w.facts[i] >= 0 and w.facts[k] >= 0:
                w.pairs[pair_of(w, w.facts[i], w.facts[k])] = 1
    return 0


def remember(w, depth: int):
    """Note what the state of a level has brought."""
    read_facts(w, depth, w.states[depth])
    return count_pairs(w, depth - 1, depth, 1)


def forget(w, depth: int):
    """Forget what the state of a level has brought."""
    return count_pairs(w, depth - 1, depth, -1)


def novelty_by_pairs(w, depth: int, s):
    """Return what is added to the estimate of a state behind one of a level."""
    spare = w.run.deepest + 1
    read_facts(w, spare, s)
    fresh = count_pairs(w, depth, spare, 0)
    return w.novelty.fresh * fresh + (w.novelty.stale if fresh == 0 else 0.0)


BIND: Mapping[str, Any] = {"set_out": set_out_anew, "go_on": remember, "go_back": forget, "novelty": novelty_by_pairs}


# ---- The shell -----------------------------------------------------------------------------------------------------


class Heeded(NamedTuple):
    """What an order heeds of the way: the query that tells facts ("": nothing), and what pairs of them weigh."""

    query: str = ""
    fresh: float = 0.0
    stale: float = 0.0


def places_of(game: Game, name: str, owner: str) -> int:
    """Return how many places a query has. Raises CannotPlay if it tells no facts, or too many."""
    known = [one for one, (_, places) in game.queries.items() if places > 1]
    if name not in known:
        raise CannotPlay(
            f"{owner}: novel={name} is none of {game.name}'s queries with places (it has {', '.join(known) or 'none'})"
        )
    places = game.queries[name][1]
    if places * SPAN > MOST_FACTS:
        raise CannotPlay(f"{owner}: novel={name}: {places} places are too many, {MOST_FACTS // SPAN} are the most")
    return places


def room_of(places: int) -> int:
    """Return how many bytes the pairs of so many places take."""
    return 8 * (places * SPAN) ** 2


def heeding(seat: Seat, game: Game, heeded: Heeded, levels: int) -> Seat:
    """Return the seat of a search whose order heeds what is new on the way."""
    places = game.queries[heeded.query][1]

    def prepare(run: Specialised, w: Any) -> None:
        seat.prepare(run, w)
        w.novelty.query, w.novelty.places = list(game.queries).index(heeded.query), places
        w.novelty.fresh, w.novelty.stale = float(heeded.fresh), float(heeded.stale)

    kernel = replace(seat.kernel, bind={**seat.kernel.bind, **BIND}, records={**seat.kernel.records, **RECORDS})
    sizes = {**seat.sizes, "facts": places * levels, "pairs": (places * SPAN) ** 2}
    return replace(seat, kernel=kernel, sizes=sizes, prepare=prepare)
