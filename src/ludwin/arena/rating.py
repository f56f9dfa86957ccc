"""Ratings and league points for many players, from who beat whom how often.

Why it is here.  In a tournament not everybody has met everybody equally often, so a table of scores
does not tell who is stronger.  Bradley and Terry give every player one number, such that differences
explain all results at once; Davidson lets games be drawn.  A league counts points instead, by a
rule that is handed in.

The model.  Players of strength a, b win, lose and draw in the proportion a : b : v √(a b).  Its
likelihood is concave in the logarithms, so Newton finds its only maximum, and the curvature there
(Fisher's information) gives the intervals.  Ratings sum to zero over the players that games connect
(the largest such group, if there are several).

The scale.  A rating is an Elo difference: between near equals it predicts the same score as Elo
does.  The logarithm itself answers only for decided games, and is therefore shortened by the share
of decided games between equals, as BayesElo does.

Ignorance.  Who has played no game, or is connected by games to nobody of the largest group, has no rating:
the interval is everything.

The prior.  Every player is given one more game (`prior`), shared among its opponents as its games
are, half won, half lost: a sweep of 10-0 counts as 10.5 to 0.5.  And log-strengths are normal with
2,000 Elo (`spread`) around the average, so weak that it is felt only where games say nothing: by
players who have met nobody, and between groups that have not met.

Games count as independent.  Pairs with sides swapped vary less, so intervals err on the wide side.  Where games were
repeated, only the share of them counts that the different ones are worth.

Coverage.  The curvature alone covers 0.83 in matches of a few games.  Intervals are therefore wider by 1.5 / √n
standard errors: for two players without draws, 1 to 100 games and up to 400 Elo between them that covers never less
than 0.95 (enumerated in `tests/arena/test_coverage.py`); at 800 Elo, where nearly every match is a sweep and the prior
is felt, 0.82 at worst.

References.  R. A. Bradley, M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39
(1952), 324-345.  R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired
comparison experiments", J. Amer. Statist. Assoc. 65 (1970), 317-328.  R. Coulom, BayesElo (2005),
which shares out its prior in the same way.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ludwin.arena.stats import Estimate, score, trinomial
from ludwin.errors import BadParameter, did_you_mean

Array = NDArray[np.float64]

ELO = 400 / math.log(10)  # Elo points of one unit of log-strength
NORMAL = NormalDist()
FEW_GAMES = 1.5  # standard errors by which the interval of one game is wider, and that of n games by 1/√n of it


@dataclass(frozen=True)
class Meeting:
    """A match of two players, told from the first one's side.

    `margin` is the mean difference of points per game, where the game has points; leagues break ties by it.
    `share` is the part of the games that counts where games were repeated (`stats.Repeats`).
    """

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    margin: float = 0.0
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise BadParameter(f"the share of games that count lies above 0 and at most at 1, got {self.share}")
        if self.first == self.second:
            raise BadParameter(f"{self.first!r} cannot meet itself")
        if min(self.wins, self.draws, self.losses) < 0:
            raise BadParameter(
                f"counts of games are at least 0, got {self.wins}/{self.draws}/{self.losses} for {self.first!r} and "
                f"{self.second!r}"
            )

    @property
    def games(self) -> int:
        """All games of the match."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class Rating:
    """One player's line: Elo points above the average player, games, points per game."""

    name: str
    elo: Estimate
    games: int
    score: float  # 1/2 without games
    superiority: float | None  # probability of being stronger than the next in the table; None for the last


@dataclass(frozen=True)
class Ratings:
    """The players, strongest first, and how they draw."""

    players: tuple[Rating, ...]
    draws: float  # share of drawn games between equals
    likelihoods: tuple[tuple[float, ...], ...] = field(repr=False)  # [i][j]: that player i is stronger than player j

    def elo(self) -> dict[str, Estimate]:
        """Return each player's rating, strongest first."""
        return {player.name: player.elo for player in self.players}

    def superiority(self, first: str, second: str) -> float:
        """Return the probability that `first` is stronger than `second`."""
        return self.likelihoods[self._place(first)][self._place(second)]

    def _place(self, name: str) -> int:
        names = [player.name for player in self.players]
        if name not in names:
            raise BadParameter(f"no player called {name!r}{did_you_mean(name, names)}")
        return names.index(name)


@dataclass(frozen=True)
class LeagueRule:
    """What a match is worth to both sides; decided by games won, bonuses on top.

    The default is the league of Carcassonne agents in the thesis behind EA-MCTS (Table 6.5).  The
    winner's bonus needs won / lost >= `bonus_win_ratio`, the loser's lost / won <= `bonus_loss_ratio`.

    >>> LeagueRule().points(12, 0, 8), LeagueRule().points(15, 0, 5)
    ((4.0, 1.0), (5.0, 0.0))
    """

    win: float = 4
    draw: float = 2
    loss: float = 0
    bonus_win: float = 1
    bonus_win_ratio: float = 3.0
    bonus_loss: float = 1
    bonus_loss_ratio: float = 1.5

    def points(self, wins: int, draws: int, losses: int) -> tuple[float, float]:
        """Return the points of the first and of the second side. A match without games gives none."""
        if wins + draws + losses == 0:
            return 0.0, 0.0
        if wins == losses:
            return float(self.draw), float(self.draw)
        most, least = max(wins, losses), min(wins, losses)
        winner = self.win + self.bonus_win * self.clear(most, least)
        loser = self.loss + self.bonus_loss * self.close(most, least)
        return (float(winner), float(loser)) if wins > losses else (float(loser), float(winner))

    def clear(self, most: int, least: int) -> bool:
        """Return whether the winner of a match earns the bonus: also when nothing was lost."""
        return most >= self.bonus_win_ratio * least

    def close(self, most: int, least: int) -> bool:
        """Return whether the loser of a match earns the bonus: never without a won game."""
        return least > 0 and most <= self.bonus_loss_ratio * least


@dataclass(frozen=True)
class LeagueLine:
    """One player's line in a league: matches won, drawn and lost, bonuses, and the sum of margins."""

    name: str
    points: float
    wins: int
    draws: int
    losses: int
    bonus_wins: int
    bonus_losses: int
    margin: float


def rate(
    meetings: Iterable[Meeting],
    players: Sequence[str] = (),
    *,
    prior: float = 1.0,
    spread: float = 2000.0,
    level: float = 0.95,
) -> Ratings:
    """Return the ratings of all in `meetings`, and of `players` who are in none.

    >>> for player in rate([Meeting("a", "b", 30, 60, 10), Meeting("b", "c", 20, 0, 0)]).players:
    ...     print(player.name, player.elo)
    a 247.30 [124.43, 370.17]
    b 178.18 [59.05, 297.30]
    c -425.48 [-684.89, -166.07]
    """
    if not (prior > 0 and 0 < spread < math.inf and 0 < level < 1):
        raise BadParameter(
            f"prior and spread must be above 0 and level between 0 and 1, got {prior}, {spread} and {level}"
        )
    meetings = list(meetings)
    names = list(dict.fromkeys([*players, *(name for m in meetings for name in (m.first, m.second))]))
    if not names:
        return Ratings((), 0.0, ())
    wins, draws = _tables(meetings, names, counting=True)
    strength, log_draws, covariance = _fit(wins + _virtual(wins + wins.T + draws, prior), draws, spread)
    n = len(names)

    # Step 1. Centre, and shorten to Elo; the share of draws is uncertain too.
    centre = np.eye(n) - _largest_group(wins + draws)
    strength = centre @ strength
    decided = 2 / (2 + math.exp(log_draws))
    elo = ELO * decided * strength
    jacobian = ELO * decided * np.column_stack((centre, -(1 - decided) * strength))
    reach = NORMAL.inv_cdf(0.5 + level / 2) * np.sqrt(np.diag(jacobian @ covariance @ jacobian.T))

    # Step 2. The table, strongest first; equals as they came.
    stronger = _likelihoods(strength, covariance[:n, :n])
    all_wins, all_draws = _tables(meetings, names)
    games, points = (all_wins + all_wins.T + all_draws).sum(1), all_wins.sum(1) + all_draws.sum(1) / 2
    known = (games > 0) & (_largest_group(wins + draws)[0] > 0)
    worth = np.maximum((wins + wins.T + draws).sum(1), 1e-9)
    reach = np.where(known, reach * (1 + FEW_GAMES / NORMAL.inv_cdf(0.5 + level / 2) / np.sqrt(worth)), math.inf)
    order = sorted(range(n), key=lambda i: -elo[i])
    lines = []
    for i, after in zip(order, [*order[1:], None], strict=True):
        estimate = Estimate(float(elo[i]), float(elo[i] - reach[i]), float(elo[i] + reach[i]))
        share = float(points[i] / games[i]) if games[i] else 0.5
        lines.append(Rating(names[i], estimate, int(games[i]), share, None if after is None else stronger[i][after]))
    return Ratings(tuple(lines), 1 - decided, tuple(tuple(stronger[i][j] for j in order) for i in order))


def league(meetings: Iterable[Meeting], rule: LeagueRule | None = None) -> list[LeagueLine]:
    """Return the league table: by points, equals by the sum of their margins."""
    rule = rule or LeagueRule()
    table: dict[str, LeagueLine] = {}
    for m in meetings:
        first, second = rule.points(m.wins, m.draws, m.losses)
        for line in (
            _line(rule, m.first, first, m.wins, m.losses, m.games, m.margin),
            _line(rule, m.second, second, m.losses, m.wins, m.games, -m.margin),
        ):
            table[line.name] = _sum(table[line.name], line) if line.name in table else line
    return sorted(table.values(), key=lambda line: (-line.points, -line.margin))


def crosstable(meetings: Iterable[Meeting]) -> dict[tuple[str, str], Estimate]:
    """Return every player's score against every other one met, both seats together."""
    totals: dict[tuple[str, str], list[int]] = {}
    for m in meetings:
        for pair, result in (
            ((m.first, m.second), (m.wins, m.draws, m.losses)),
            ((m.second, m.first), (m.losses, m.draws, m.wins)),
        ):
            totals[pair] = [a + b for a, b in zip(totals.get(pair, (0, 0, 0)), result, strict=True)]
    return {pair: score(trinomial(*result)) for pair, result in totals.items() if any(result)}


def _line(rule: LeagueRule, name: str, points: float, won: int, lost: int, games: int, margin: float) -> LeagueLine:
    """Return what one match adds to a player's line."""
    wins, draws, losses = int(won > lost), int(won == lost and games > 0), int(won < lost)
    return LeagueLine(
        name,
        points,
        wins,
        draws,
        losses,
        int(wins and rule.clear(won, lost)),
        int(losses and rule.close(lost, won)),
        margin,
    )


def _sum(a: LeagueLine, b: LeagueLine) -> LeagueLine:
    """Return two lines of one player as one."""
    counts = (
        a.wins + b.wins,
        a.draws + b.draws,
        a.losses + b.losses,
        a.bonus_wins + b.bonus_wins,
        a.bonus_losses + b.bonus_losses,
    )
    return LeagueLine(a.name, a.points + b.points, *counts, a.margin + b.margin)


def _tables(meetings: list[Meeting], names: list[str], *, counting: bool = False) -> tuple[Array, Array]:
    """Return how often i beat j, and how often they drew (symmetric); only the share of the games that counts, if
    `counting`.
    """
    place = {name: i for i, name in enumerate(names)}
    wins, draws = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
    for m in meetings:
        i, j = place[m.first], place[m.second]
        share = m.share if counting else 1.0
        wins[i, j] += m.wins * share
        wins[j, i] += m.losses * share
        draws[i, j] += m.draws * share
        draws[j, i] += m.draws * share
    return wins, draws


def _virtual(games: Array, prior: float) -> Array:
    """Return the prior's wins: `prior` games of every player, shared among its opponents, won by each half the time."""
    shares = games / np.maximum(games.sum(1, keepdims=True), 1)
    table: Array = prior * (shares + shares.T) / 4
    return table


def _largest_group(met: Array) -> Array:
    """Return a matrix whose every row averages over the largest group that games connect; over all if nobody met."""
    reached = np.eye(len(met)) + met + met.T > 0
    for _ in range(len(met).bit_length()):
        reached = reached @ reached
    group = reached[np.argmax(reached.sum(1))] if met.any() else np.ones(len(met))
    return np.tile(group / group.sum(), (len(met), 1))


def _likelihoods(strength: Array, covariance: Array) -> list[list[float]]:
    """Return the probability that i is stronger than j; 1/2 for oneself."""
    variance = np.diag(covariance)
    error = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 1e-300))
    return [[NORMAL.cdf(d) for d in row] for row in (strength[:, None] - strength[None, :]) / error]


def _fit(wins: Array, draws: Array, spread: float) -> tuple[Array, float, Array]:
    """Return log-strengths, the logarithm of v, and the covariance of all of them together.

    Newton with halved steps on a concave function.  Without draws v is 0, and certain.
    """
    n = len(wins)
    free = n + 1 if draws.any() else n
    x = np.zeros(n + 1)
    x[free:] = -math.inf
    value, slope, curvature = _likelihood(x, wins, draws, spread)
    for _ in range(200):
        step = np.zeros(n + 1)
        step[:free] = np.linalg.solve(curvature[:free, :free], slope[:free])
        if slope[:free] @ step[:free] < 1e-20 * (1 + abs(value)):
            break
        while (trial := _likelihood(x + step, wins, draws, spread))[0] < value and np.abs(step).max() > 1e-9:
            step /= 2
        x = x + step
        value, slope, curvature = trial
    covariance = np.zeros((n + 1, n + 1))
    covariance[:free, :free] = np.linalg.inv(curvature[:free, :free])
    return x[:n], float(x[n]), covariance


def _likelihood(x: Array, wins: Array, draws: Array, spread: float) -> tuple[float, Array, Array]:
    """Return the log-likelihood with its prior, its gradient, and its curvature (minus the second derivatives).

    Every table is over ordered pairs (i, j), so a drawn game, which stands in it twice, counts half.
    """
    n = len(wins)
    a, log_draws = x[:n], x[n]
    games = wins + wins.T + draws
    # Step 1. Probabilities of each pair, from i's side.
    logits = np.stack(np.broadcast_arrays(a[:, None], a[None, :], log_draws + (a[:, None] + a[None, :]) / 2))
    log_p = logits - np.logaddexp.reduce(logits, axis=0)
    win, draw = np.exp(log_p[0]), np.exp(log_p[2])
    value = float((wins * log_p[0]).sum() + (draws * np.where(draws > 0, log_p[2], 0)).sum() / 2)
    # Step 2. Gradient: points made less points expected; draws made less draws expected.
    expected = win + draw / 2
    slope = np.append((wins + draws / 2 - games * expected).sum(1), (draws - games * draw).sum() / 2)
    # Step 3. Curvature: the covariance of points and draws.
    points = games * (win + draw / 4 - expected**2)
    curvature = np.zeros((n + 1, n + 1))
    curvature[:n, :n] = np.diag(points.sum(1)) - points
    curvature[:n, n] = curvature[n, :n] = (games * draw * (0.5 - expected)).sum(1)
    curvature[n, n] = (games * draw * (1 - draw)).sum() / 2
    # Step 4. The prior on log-strengths.
    weight = (ELO / spread) ** 2
    slope[:n] -= weight * a
    curvature[range(n), range(n)] += weight
    return value - weight / 2 * float(a @ a), slope, curvature
