"""What an event says, for people and for machines.

Why it is here.  Match, tournament and rate print the same numbers: score, Elo and ratings, every one
with its 95 % interval.  What they are is said in `ludwin.arena.results`; here they are laid out.
"""

from collections.abc import Callable

from ludwin.arena.results import (
    Outcome,
    forfeit_lines,
    match_text,
    number_text,
    ratings_of,
    sprt_lines,
    unique,
)
from ludwin.arena.standing import Standing, Tally
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
    from ludwin.cli.common import print_table

    names = unique(standing.agents)
    if standing.games and not standing.tallies:
        means = [total / max(played, 1) for total, played in zip(standing.payoffs, standing.played, strict=True)]
        order = sorted(range(len(names)), key=lambda k: -means[k])
        print_table(
            "payoffs",
            ["agent", "games", "mean payoff"],
            [[names[k], str(standing.played[k]), f"{means[k]:+.3f}"] for k in order],
            right=(1, 2),
        )
        _print(forfeit_lines(standing))
        return
    players = ratings_of(standing)
    order = [names.index(player.name) for player in players]
    rows = []
    for rank, (player, k) in enumerate(zip(players, order, strict=True), 1):
        wins, draws, losses = standing.results(k)
        cells = [_cell(standing, k, other) for other in order]
        counts = [str(player.games), f"+{wins} ={draws} -{losses}", f"{player.score:.3f}"]
        rows.append(
            [
                str(rank),
                player.name,
                number_text(player.elo.value),
                f"[{number_text(player.elo.low)}, {number_text(player.elo.high)}]",
                *counts,
                *cells,
            ]
        )
    columns = [
        "",
        "agent",
        "Elo",
        "95 %",
        "games",
        "results",
        "score",
        *(str(rank) for rank in range(1, len(rows) + 1)),
    ]
    print_table("standing", columns, rows, right=(0, 2, 4, 6, *range(7, len(columns))))
    if outcome:
        _print(sprt_lines(outcome, standing.tallies.get((0, 1), Tally())))
    _print(forfeit_lines(standing))


def _cell(standing: Standing, a: int, b: int) -> str:
    if a == b:
        return "·"
    mine, other = standing.between(a, b)
    return f"{mine / (mine + other):.3f}" if mine + other else ""
