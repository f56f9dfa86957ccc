"""What an event says, for people and for machines.

Why it is here.  Match, tournament and rate print the same numbers: score, Elo and ratings, every one
with its 95 % interval.  What they are is said in `ludwin.arena.results`; here they are laid out.
"""

import sys
from collections.abc import Callable

from ludwin.arena.results import Outcome, match_text, ratings_of, standing_notes, standing_table, unique
from ludwin.arena.standing import Standing
from ludwin.arena.stats import Estimate
from ludwin.arena.terms import Terms


def print_match(outcome: Outcome) -> None:
    """Print the result of a match."""
    print(match_text(outcome))


def warn_of_repeats(standing: Standing, terms: Terms | None, say: Callable[[str], None]) -> None:
    """Say on stderr that games were repeated, so that intervals are those of fewer, and what helps."""
    worst = min((t for t in standing.tallies.values() if t.is_repetitive), key=lambda t: t.repeats.share, default=None)
    if worst is None:
        return
    repeats, names = worst.repeats, unique(standing.agents)
    (a, b) = next(pair for pair, tally in standing.tallies.items() if tally is worst)
    who = f" of {names[a]} and {names[b]}" if len(standing.tallies) > 1 else ""
    more = sum(t.is_repetitive for t in standing.tallies.values()) - 1
    others = f" (and {more} more pairing{'s' if more > 1 else ''})" if more else ""
    way = (
        "more or other openings help"
        if terms is not None and terms.openings
        else "--openings N begins every pair with N random plies"
    )
    say(
        f"only {repeats.distinct} of the {repeats.games} games{who} differ{others}, so intervals are those of "
        f"{repeats.effective:.0f}; {way}"
    )


def _print(lines: list[str]) -> None:
    for line in lines:
        print(line)


def draw_standing(standing: Standing, elo: str | None, scores: str | None) -> None:
    """Draw ratings and the score of every pair, where file names are given (extra `plot`)."""
    from ludwin.arena.plot import plot_elo, plot_scores

    if elo:
        plot_elo({rating.name: rating.elo for rating in ratings_of(standing)}, elo)
    if scores:
        cells = {}
        for (a, b), tally in standing.tallies.items():
            found = tally.summary().score
            cells[standing.agents[a], standing.agents[b]] = found
            cells[standing.agents[b], standing.agents[a]] = Estimate(1 - found.value, 1 - found.high, 1 - found.low)
        plot_scores(cells, scores, names=standing.agents)


def print_standing(standing: Standing, outcome: Outcome | None = None) -> None:
    """Print ratings and crosstable; of games that have not two players the mean payoffs."""
    from ludwin.cli.common import print_table, screen_width

    title, columns, rows, right = standing_table(standing)
    figures = 7  # the rest is the crosstable
    frame = sum(max(len(row[i]) for row in [columns, *rows]) + 3 for i in range(len(columns))) + 1
    if sys.stdout.isatty() and len(columns) > figures and frame > screen_width():
        print_table(title, columns[:figures], [row[:figures] for row in rows], tuple(k for k in right if k < figures))
        print("each against each, by their ranks:")
        cross = [[row[0], *row[figures:]] for row in rows]
        print_table("crosstable", ["", *columns[figures:]], cross, tuple(range(len(cross[0]))))
    else:
        print_table(title, columns, rows, right)
    _print(standing_notes(standing, outcome))
