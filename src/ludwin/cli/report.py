"""What an event says, for people and for machines.

Why it is here.  Match, tournament and rate print the same numbers: score, Elo and ratings, every one
with its 95 % interval.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ludwin.arena.standing import Standing, Tally
from ludwin.arena.stats import Estimate
from ludwin.arena.terms import Terms
from ludwin.arena.tournament import Outcome

if TYPE_CHECKING:
    from ludwin.arena.rating import Rating


def unique(names: Sequence[str]) -> list[str]:
    """Return the names, the second of a kind as `name#2` and so on."""
    return [
        name if name not in names[:k] else f"{name}#{list(names[:k]).count(name) + 1}" for k, name in enumerate(names)
    ]


def _tally_json(tally: Tally) -> dict[str, Any]:
    found = tally.summary()
    repeats = {"distinct": tally.repeats.distinct, "effective": tally.repeats.effective}
    counts = {
        "games": tally.games,
        **repeats,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": tally.score,
    }
    strength = {
        "elo": found.elo.as_json(),
        "normalised_elo": found.normalised_elo.as_json(),
        "superiority": found.superiority,
    }
    return {**counts, "low": found.score.low, "high": found.score.high, **strength, "pentanomial": list(tally.pairs)}


def _sprt_json(outcome: Outcome, tally: Tally) -> dict[str, Any] | None:
    test = outcome.terms.sprt
    if test is None:
        return None
    return {
        "low": test.low,
        "high": test.high,
        "model": test.model,
        "llr": test.llr(tally.pairs, tally.repeats.share),
        "bounds": list(test.bounds),
        "verdict": outcome.verdict,
    }


def match_json(outcome: Outcome) -> dict[str, Any]:
    """Return the result of a match, seen from the first agent."""
    tally = outcome.standing.tallies.get((0, 1), Tally())
    about = {"game": outcome.game, "agents": list(outcome.agents), "seed": outcome.terms.seed, "timed": outcome.timed}
    return {
        **_tally_json(tally),
        **about,
        "forfeits": outcome.standing.forfeits,
        "ends": outcome.standing.ends,
        "sprt": _sprt_json(outcome, tally),
    }


def print_match(outcome: Outcome) -> None:
    """Print the result of a match."""
    tally = outcome.standing.tallies.get((0, 1), Tally())
    found = tally.summary()
    first, second = outcome.agents
    print(f"{outcome.game}: {first} against {second}, {tally.games} games, seed {outcome.terms.seed}")
    print(
        f"  {tally.wins} wins, {tally.draws} draws, {tally.losses} losses: score {tally.score:.3f} "
        f"[{found.score.low:.3f}, {found.score.high:.3f}]"
    )
    print(
        f"  Elo {_signed(found.elo)}, normalised Elo {_signed(found.normalised_elo)}, superiority "
        f"{100 * found.superiority:.1f} %"
    )
    _print_sprt(outcome, tally)
    _print_forfeits(outcome.standing)


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


def _print_sprt(outcome: Outcome, tally: Tally) -> None:
    test = outcome.terms.sprt
    if test:
        words = {"accept": "accepted", "reject": "rejected"}.get(outcome.verdict or "", "undecided")
        low, high = test.bounds
        unit = "Elo" if test.model == "logistic" else "normalised Elo"
        print(
            f"  SPRT [{test.low:g}, {test.high:g}] {unit}: {words}, LLR "
            f"{test.llr(tally.pairs, tally.repeats.share):.2f} in [{low:.2f}, {high:.2f}]"
        )


def _print_forfeits(standing: Standing) -> None:
    for name, count in zip(unique(standing.agents), standing.forfeits, strict=True):
        if count:
            print(f"  {name} forfeited {count} game{'s' if count > 1 else ''}; `ludwin replay` tells the reasons")


def _signed(estimate: Estimate) -> str:
    return f"{_number(estimate.value)} [{_number(estimate.low)}, {_number(estimate.high)}]"


def _number(value: float) -> str:
    return f"{value:+.1f}" if math.isfinite(value) else ("+∞" if value > 0 else "-∞")


def _ratings(standing: Standing) -> "list[Rating]":
    from ludwin.arena.rating import Meeting, rate  # a match of two needs neither ratings nor NumPy

    names = unique(standing.agents)
    meetings = [
        Meeting(names[a], names[b], t.wins, t.draws, t.losses, share=t.repeats.share)
        for (a, b), t in standing.tallies.items()
    ]
    return list(rate(meetings, names).players)


def draw_standing(standing: Standing, elo: str | None, scores: str | None) -> None:
    """Draw ratings and the score of every pair, where file names are given (extra `plot`)."""
    from ludwin.arena.plot import plot_elo, plot_scores

    if elo:
        plot_elo({rating.name: rating.elo for rating in _ratings(standing)}, elo)
    if scores:
        cells = {}
        for (a, b), tally in standing.tallies.items():
            found = tally.summary().score
            cells[standing.agents[a], standing.agents[b]] = found
            cells[standing.agents[b], standing.agents[a]] = Estimate(1 - found.value, 1 - found.high, 1 - found.low)
        plot_scores(cells, scores, names=standing.agents)


def standing_json(standing: Standing, outcome: Outcome | None = None) -> dict[str, Any]:
    """Return ratings and crosstable; of games that have not two players the mean payoffs."""
    names = unique(standing.agents)
    data: dict[str, Any] = {
        "games": standing.games,
        "distinct": standing.repeats.distinct,
        "ends": standing.ends,
        "forfeits": standing.forfeits,
    }
    means = [total / max(played, 1) for total, played in zip(standing.payoffs, standing.played, strict=True)]
    if standing.games and not standing.tallies:
        return {
            **data,
            "payoffs": [
                {"agent": n, "games": g, "mean": m} for n, g, m in zip(names, standing.played, means, strict=True)
            ],
        }
    rows = []
    for player in _ratings(standing):
        k = names.index(player.name)
        wins, draws, losses = standing.results(k)
        counts = {"games": player.games, "wins": wins, "draws": draws, "losses": losses, "score": player.score}
        rows.append(
            {
                "agent": player.name,
                "elo": player.elo.as_json(),
                **counts,
                "payoff": means[k],
                "superiority": player.superiority,
            }
        )
    cross = [
        {"first": names[a], "second": names[b], **_tally_json(tally)}
        for (a, b), tally in sorted(standing.tallies.items())
    ]
    data |= {"ratings": rows, "crosstable": cross}
    if outcome and outcome.terms.sprt:
        data["sprt"] = _sprt_json(outcome, standing.tallies.get((0, 1), Tally()))
    return data


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
        _print_forfeits(standing)
        return
    players = _ratings(standing)
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
                _number(player.elo.value),
                f"[{_number(player.elo.low)}, {_number(player.elo.high)}]",
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
        _print_sprt(outcome, standing.tallies.get((0, 1), Tally()))
    _print_forfeits(standing)


def _cell(standing: Standing, a: int, b: int) -> str:
    if a == b:
        return "·"
    mine, other = standing.between(a, b)
    return f"{mine / (mine + other):.3f}" if mine + other else ""
