"""Figure 5.14 of the thesis behind EA-MCTS: how many of its playouts a search spends on one move.

Published: the share of the most visited move, on average over turns: 77.68 to 93.34 % for the evolving agents, 7.07 to
40.42 % for fixed constants, less for larger ones.  An evolved formula often does not explore, and then almost all
playouts begin with one move.

A mean is reproduced if its interval meets the published range of its kind.  Turns of a game are taken as a sample,
though some tiles have many places and others few, which makes intervals wide.  So two constants are compared turn by
turn, with the same tile: shares that fall are reproduced if that difference is clear, too, and only measured if it is
not.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), section 5.7.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from ludwin.arena.stats import mean_of
from ludwin.games.carcassonne.tables.thoughts import Seen
from ludwin.lab.experiment import Row, judged
from ludwin.lab.verdicts import INTERVAL, ORDER, Finding

EVOLVED, FIXED = (0.7768, 0.9334), (0.0707, 0.4042)  # least and greatest mean of an agent in a variant


def shares(games: Sequence[Seen]) -> list[float]:
    """Return the share of the most visited move, of every decision."""
    return [thought.share for game in games for thought in game.thoughts]


def by_turn(games: Sequence[Seen]) -> list[float]:
    """Return the mean share of each turn, over the games that have it."""
    turns = range(max(len(game.thoughts) for game in games))
    return [fmean(game.thoughts[turn].share for game in games if turn < len(game.thoughts)) for turn in turns]


def visit_row(label: str, games: Sequence[Seen], *, evolved: bool, note: str) -> Row:
    """Return the mean share of an agent beside the published range, which stands in the row as its middle, give or take
    half of it.
    """
    low, high = EVOLVED if evolved else FIXED
    ours = mean_of(shares(games))
    middle, half = (low + high) / 2, (high - low) / 2
    note = f"published {low:.4f} to {high:.4f}; {len(shares(games))} decisions, {note}"
    finding = Finding(ours, len(shares(games)), middle, half)
    row = judged(f"{label}: most visited move", "share", INTERVAL, finding, games=len(games), note=note)
    return replace(row, published=round(middle, 4), tolerance=round(half, 4))


def fall_row(variant: str, games: Mapping[str, Sequence[Seen]]) -> Row:
    """Return whether shares fall from each constant to the next, which the thesis says; `games` has the constants in
    rising order.
    """
    means = {name: fmean(shares(seen)) for name, seen in games.items()}
    first, *_, last = games.values()
    turns = [
        (a, b)
        for one, other in zip(first, last, strict=True)
        for a, b in zip(one.thoughts, other.thoughts, strict=False)
    ]
    ours = mean_of([a.share - b.share for a, b in turns])
    falls = all(a > b for a, b in pairwise(means.values()))
    note = "published as falling; " + ", ".join(f"{name} {mean:.4f}" for name, mean in means.items())
    label, number = f"{variant}, share falls with C: first less last", sum(map(len, games.values()))
    return judged(label, "difference", ORDER, Finding(ours, len(turns), answer=falls), games=number, note=note)
