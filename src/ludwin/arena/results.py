"""What an event says: for programs, for machines and, of a match, for people.

Why it is here.  `ludwin.match` and `ludwin match` return and print the same figures because both take them from here:
score, Elo and ratings, every one with its 95 % interval.  Another figure of matches is an entry of `FIGURES`, and if it
needs more of the games than is kept, a line in `Standing.note` (`docs/how-to/add-a-statistic.md`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ludwin.arena.standing import Standing, Tally
from ludwin.arena.stats import Estimate
from ludwin.arena.terms import Terms
from ludwin.formats import printable
from ludwin.words import aligned, html_table

if TYPE_CHECKING:
    from ludwin.arena.rating import Rating


@dataclass(frozen=True, repr=False)
class Outcome:
    """An event and its results; its text is what `ludwin tournament` prints."""

    game: str
    agents: tuple[str, ...]
    terms: Terms
    standing: Standing
    total: int  # games of the whole event
    timed: bool  # whether results depend on the machine's speed
    verdict: str | None = None  # of a sequential test: accept, reject or continue

    def to_dict(self) -> dict[str, Any]:
        """Return what `ludwin tournament --json` prints."""
        about = {
            "game": self.game,
            "agents": list(self.agents),
            "seed": self.terms.seed,
            "format": self.terms.event,
            "timed": self.timed,
        }
        return {**about, **standing_json(self.standing, self)}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each agent, strongest first, for a data frame."""
        data = standing_json(self.standing, self)
        return [flat(row) for row in data.get("ratings", data.get("payoffs", []))]

    def crosstable(self) -> list[dict[str, Any]]:
        """Return a row for each pair of agents that met, for a data frame."""
        return [flat(row) for row in standing_json(self.standing, self).get("crosstable", [])]

    def _repr_html_(self) -> str:
        title, columns, rows, right = standing_table(self.standing)
        return html_table(f"{self.game}: {title}", columns, rows, right)

    def __repr__(self) -> str:
        size = f"{self.terms.event} of {len(self.agents)} agents, {self.standing.games} games, seed {self.terms.seed}"
        return f"{self.game}: {size}\n{standing_text(self.standing, self)}"


@dataclass(frozen=True, repr=False)
class MatchResult:
    """A match, seen from the first agent; its text is what `ludwin match` prints."""

    outcome: Outcome

    @property
    def tally(self) -> Tally:
        """Wins, draws, losses and pairs."""
        return self.outcome.standing.tallies.get((0, 1), Tally())

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.tally.games

    @property
    def wins(self) -> int:
        """Games that the first agent won."""
        return self.tally.wins

    @property
    def draws(self) -> int:
        """Games that were drawn."""
        return self.tally.draws

    @property
    def losses(self) -> int:
        """Games that the first agent lost."""
        return self.tally.losses

    @property
    def score(self) -> float:
        """(wins + draws / 2) / games."""
        return self.tally.score

    @property
    def low(self) -> float:
        """The lower end of the score's 95 % interval."""
        return self.tally.summary().score.low

    @property
    def high(self) -> float:
        """The upper end of the score's 95 % interval."""
        return self.tally.summary().score.high

    @property
    def elo(self) -> Estimate:
        """The difference in Elo, with its interval."""
        return self.tally.summary().elo

    @property
    def forfeits(self) -> tuple[int, ...]:
        """How many games each agent has forfeited."""
        return tuple(self.outcome.standing.forfeits)

    @property
    def reasons(self) -> tuple[str | None, ...]:
        """Why each agent forfeited its first game, None if it did not."""
        return tuple(self.outcome.standing.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Return what `ludwin match --json` prints."""
        return match_json(self.outcome)

    def rows(self) -> list[dict[str, Any]]:
        """Return the match as one row, for a data frame of many matches."""
        return [flat(self.to_dict())]

    def _repr_html_(self) -> str:
        found = self.tally.summary()
        ends = [(f"{self.score:.3f}", f"[{self.low:.3f}, {self.high:.3f}]"), _signed(found.elo).split(" ", 1)]
        rows = [["wins, draws, losses", f"{self.wins}, {self.draws}, {self.losses}", ""]]
        rows += [[name, *cells] for name, cells in zip(("score", "Elo"), ends, strict=True)]
        first, second = self.outcome.agents
        title = f"{self.outcome.game}: {first} against {second}, {self.games} games, seed {self.outcome.terms.seed}"
        return html_table(title, ["", "found", "95 %"], rows, (1, 2))

    def __repr__(self) -> str:
        return match_text(self.outcome)


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
    ends = {"low": found.score.low, "high": found.score.high}
    return {**counts, **ends, **strength, "pentanomial": list(tally.pairs), "measure": tally.measure().keys()}


def _sprt_json(outcome: Outcome, tally: Tally) -> dict[str, Any] | None:
    test = outcome.terms.sprt
    if test is None:
        return None
    return {
        "low": test.low,
        "high": test.high,
        "model": test.model,
        "llr": test.llr(tally.pairs, tally.repeats.share),
        "bounds": dict(zip(("low", "high"), test.bounds, strict=True)),
        "verdict": outcome.verdict,
    }


def _lost_json(standing: Standing) -> dict[str, Any]:
    """Return in how many runs each agent lost its control of a world that ticks, if any did."""
    return {"lost_control": standing.lost} if any(standing.lost) else {}


def _forfeits_json(standing: Standing) -> dict[str, Any]:
    """Return the forfeits by agent, and if there are any, each agent's first reason."""
    counts: dict[str, Any] = {"forfeits": list(standing.forfeits)}
    return {**counts, "reasons": list(standing.reasons)} if any(standing.forfeits) else counts


def sprt_lines(outcome: Outcome, tally: Tally) -> list[str]:
    """Return what a sequential test says, nothing if there is none."""
    test = outcome.terms.sprt
    if not test:
        return []
    words = {"accept": "accepted", "reject": "rejected"}.get(outcome.verdict or "", "undecided")
    low, high = test.bounds
    unit = "Elo" if test.model == "logistic" else "normalised Elo"
    return [
        f"  SPRT [{test.low:g}, {test.high:g}] {unit}: {words}, LLR "
        f"{test.llr(tally.pairs, tally.repeats.share):.2f} in [{low:.2f}, {high:.2f}]"
    ]


def forfeit_lines(standing: Standing) -> list[str]:
    """Return who has forfeited how many games, and why the first of them."""
    lines = []
    for name, count, reason in zip(unique(standing.agents), standing.forfeits, standing.reasons, strict=True):
        if count:
            first = f"{count} games; the first: " if count > 1 else "1 game: "
            lines.append(f"  {name} forfeited {first}{printable(reason or 'no reason is on record')}")
    for name, count in zip(unique(standing.agents), standing.lost, strict=True):
        if count:
            runs = f"{count} run{'s' if count > 1 else ''}"
            lines.append(f"  {name} lost its control in {runs}; `ludwin replay` tells the reasons")
    return lines


def _about_json(outcome: Outcome, tally: Tally) -> dict[str, Any]:
    about = {"game": outcome.game, "agents": list(outcome.agents), "seed": outcome.terms.seed, "timed": outcome.timed}
    return {**_tally_json(tally), **about}


def _about_lines(outcome: Outcome, tally: Tally) -> list[str]:
    found = tally.summary()
    first, second = outcome.agents
    return [
        f"{outcome.game}: {first} against {second}, {tally.games} games, seed {outcome.terms.seed}",
        f"  {tally.wins} wins, {tally.draws} draws, {tally.losses} losses: score {tally.score:.3f} "
        f"[{found.score.low:.3f}, {found.score.high:.3f}]",
        f"  Elo {_signed(found.elo)}, normalised Elo {_signed(found.normalised_elo)}, superiority "
        f"{100 * found.superiority:.1f} %",
    ]


def _worth_json(outcome: Outcome, tally: Tally) -> dict[str, Any]:
    """Return the mean payoff a game where victories differ in worth, as in backgammon."""
    return {"payoff": tally.worth.estimate(tally.repeats.share).as_json()} if tally.worth.varies else {}


def _worth_lines(outcome: Outcome, tally: Tally) -> list[str]:
    found = tally.worth.estimate(tally.repeats.share)
    ends = f"[{found.low:+.3f}, {found.high:+.3f}]"
    return [f"  payoff a game {found.value:+.3f} {ends}"] if tally.worth.varies else []


class Figure(NamedTuple):
    """What a match says about one thing: keys for machines, and lines for people (perhaps none)."""

    keys: Callable[[Outcome, Tally], dict[str, Any]]
    lines: Callable[[Outcome, Tally], list[str]] = lambda outcome, tally: []


# All that a match says, in this order; what a figure needs of every game, `Standing.note` collects.
FIGURES = [
    Figure(_about_json, _about_lines),
    Figure(_worth_json, _worth_lines),
    Figure(lambda outcome, tally: _forfeits_json(outcome.standing)),
    Figure(lambda outcome, tally: {"ends": outcome.standing.ends, **_lost_json(outcome.standing)}),
    Figure(lambda outcome, tally: {"sprt": _sprt_json(outcome, tally)}, sprt_lines),
    Figure(lambda outcome, tally: {}, lambda outcome, tally: forfeit_lines(outcome.standing)),
]


def match_json(outcome: Outcome) -> dict[str, Any]:
    """Return the result of a match, seen from the first agent."""
    tally = outcome.standing.tallies.get((0, 1), Tally())
    return {key: value for figure in FIGURES for key, value in figure.keys(outcome, tally).items()}


def match_text(outcome: Outcome) -> str:
    """Return the result of a match for people."""
    tally = outcome.standing.tallies.get((0, 1), Tally())
    return "\n".join(line for figure in FIGURES for line in figure.lines(outcome, tally))


def _signed(estimate: Estimate) -> str:
    return f"{number_text(estimate.value)} [{number_text(estimate.low)}, {number_text(estimate.high)}]"


def number_text(value: float) -> str:
    """Return a number with its sign, as tables show it."""
    return f"{value:+.1f}" if math.isfinite(value) else ("+∞" if value > 0 else "-∞")


def ratings_of(standing: Standing) -> "list[Rating]":
    """Return the agents with their ratings, strongest first."""
    from ludwin.arena.rating import Meeting, rate  # a match of two needs neither ratings nor NumPy

    names = unique(standing.agents)
    meetings = [
        Meeting(names[a], names[b], t.wins, t.draws, t.losses, share=t.repeats.share)
        for (a, b), t in standing.tallies.items()
    ]
    return list(rate(meetings, names).players)


def standing_json(standing: Standing, outcome: Outcome | None = None) -> dict[str, Any]:
    """Return ratings and crosstable; of games that have not two players the mean payoffs."""
    names = unique(standing.agents)
    data: dict[str, Any] = {
        "games": standing.games,
        "distinct": standing.repeats.distinct,
        "ends": standing.ends,
        **_forfeits_json(standing),
        **_lost_json(standing),
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
    for player in ratings_of(standing):
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


def standing_table(standing: Standing) -> tuple[str, list[str], list[list[str]], tuple[int, ...]]:
    """Return ratings and crosstable for people: a title, columns, rows, and which columns are numbers."""
    names = unique(standing.agents)
    if standing.games and not standing.tallies:
        means = [total / max(played, 1) for total, played in zip(standing.payoffs, standing.played, strict=True)]
        order = sorted(range(len(names)), key=lambda k: -means[k])
        cells = [[names[k], str(standing.played[k]), f"{means[k]:+.3f}"] for k in order]
        return "payoffs", ["agent", "games", "mean payoff"], cells, (1, 2)
    players = ratings_of(standing)
    order = [names.index(player.name) for player in players]
    rows = []
    for rank, (player, k) in enumerate(zip(players, order, strict=True), 1):
        wins, draws, losses = standing.results(k)
        interval = f"[{number_text(player.elo.low)}, {number_text(player.elo.high)}]"
        counts = [str(player.games), f"+{wins} ={draws} -{losses}", f"{player.score:.3f}"]
        against = [_cell(standing, k, other) for other in order]
        rows.append([str(rank), player.name, number_text(player.elo.value), interval, *counts, *against])
    ranks = [str(rank) for rank in range(1, len(rows) + 1)]
    columns = ["", "agent", "Elo", "95 %", "games", "results", "score", *ranks]
    return "standing", columns, rows, (0, 2, 4, 6, *range(7, len(columns)))


def _cell(standing: Standing, a: int, b: int) -> str:
    if a == b:
        return "·"
    mine, other = standing.between(a, b)
    return f"{mine / (mine + other):.3f}" if mine + other else ""


def standing_notes(standing: Standing, outcome: Outcome | None = None) -> list[str]:
    """Return what stands below the table: a sequential test, and forfeits."""
    test = sprt_lines(outcome, standing.tallies.get((0, 1), Tally())) if outcome and standing.tallies else []
    return [*test, *forfeit_lines(standing)]


def standing_text(standing: Standing, outcome: Outcome | None = None) -> str:
    """Return ratings and crosstable as text."""
    _, columns, rows, right = standing_table(standing)
    return "\n".join([aligned(columns, rows, right), *standing_notes(standing, outcome)])


def flat(row: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return a row whose cells are numbers and texts: what lies in an object is called `elo.low`.

    >>> flat({"agent": "uct", "elo": {"value": 5.0, "low": 1.0}, "pentanomial": [1, 2]})
    {'agent': 'uct', 'elo': 5.0, 'elo.low': 1.0, 'pentanomial': '1 2'}
    """
    made: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            inner = {f"{before}{key}" if k == "value" else f"{before}{key}.{k}": v for k, v in value.items()}
            made |= flat(inner)
        elif isinstance(value, list | tuple):
            made[f"{before}{key}"] = " ".join(map(str, value))
        else:
            made[f"{before}{key}"] = value
    return made
