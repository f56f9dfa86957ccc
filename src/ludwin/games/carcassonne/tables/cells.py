"""What the tables of Carcassonne share: the agents, the games on file, and how means are compared.

Why it is here.  The thesis behind EA-MCTS prints means and deviations of few games.  Whether ours are the same is
a question about two samples: they are reproduced if they differ by no more than three standard errors of the
difference, after Holm's correction for the number of cells in the table.

Budgets.  Every table states its playouts.  A search that evolves its formula spends no more than half of them on
that, so smaller budgets have shorter evolutions.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), chapters 5 and 6.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from ludwin.arena.contest import compiled_table
from ludwin.arena.records import Record
from ludwin.arena.stats import Estimate, holm, mean_of
from ludwin.game import Game
from ludwin.games.carcassonne.tiles import CODES
from ludwin.lab.experiment import Row, TableRun, file_name, judged
from ludwin.lab.published import Published as Published
from ludwin.lab.verdicts import ERRORS, SAME_MEAN, Finding, noted
from ludwin.library import agent, load
from ludwin.primitives import CHANCE
from ludwin.workers import Processes, Task

LEAST = 4  # games of a pair, two in each seat: one game has no deviation
SORTS = ("city", "road", "farm", "cloister")
FARM = SORTS.index("farm")
EVOLUTIONS = (
    (20, 30),
    (20, 15),
    (10, 10),
    (8, 6),
    (5, 4),
    (3, 3),
    (2, 2),
    (1, 1),
)  # generations, samples; the first is the thesis's
OFFSPRING = 4


# ---- Agents -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contestant:
    """An agent of a table: its name there, and its text for a budget of playouts."""

    name: str
    text: Callable[[int], str]
    searches: bool = True  # whether playouts matter to it; what they do not matter to is cheap


def vanilla(c: float, more: str = "") -> Callable[[int], str]:
    """Return MCTS with UCB1."""
    return lambda playouts: f"mcts:playouts={playouts},c={c!r}{more}"


def evolving(name: str, c: float) -> Callable[[int], str]:
    """Return EA-MCTS or SIEA-MCTS, with an evolution that leaves half of the budget."""

    def text(playouts: int) -> str:
        generations, samples = evolution(playouts)
        return f"{name}:playouts={playouts},c={c!r},generations={generations},samples={samples},offspring={OFFSPRING}"

    return text


def evolution(playouts: int) -> tuple[int, int]:
    """Return generations and samples of an evolution that takes no more than half of the playouts.

    >>> evolution(10_000), evolution(5000), evolution(1000)
    ((20, 30), (20, 30), (10, 10))
    """
    return next((pair for pair in EVOLUTIONS if 2 * spent(*pair) <= playouts), EVOLUTIONS[-1])


def spent(generations: int, samples: int) -> int:
    """Return how many playouts an evolution takes: the seed, and the offspring of every generation.

    >>> spent(20, 30), spent(10, 10)
    (2430, 410)
    """
    return OFFSPRING * generations * samples + samples


def constant(text: str) -> Callable[[int], str]:
    """Return an agent that has no playouts."""
    return lambda playouts: text


def budget(player: Contestant, playouts: int) -> str:
    """Return a note on what the player may spend on a move."""
    if not player.searches:
        return ""
    text = player.text(playouts)
    return f"{playouts:,} playouts" + (
        f", {spent(*evolution(playouts)):,} of them evolution" if "generations" in text else ""
    )


# ---- Games --------------------------------------------------------------------------------------------------


def compile_ahead(run: TableRun, tables: Iterable[tuple[str, str, Sequence[str]]]) -> None:
    """Compile (label, game, agents) of events that are not on file yet, with all workers at once.

    An event compiles its own table, but by itself; a search costs half a minute.  What is compiled is kept in the
    cache.
    """
    wanted = {
        (game, _kinds(game, agents)): (game, tuple(agents))
        for label, game, agents in tables
        if not _on_file(run, label)
    }
    if run.workers < 2 or len(wanted) < 2:
        return
    run.news(f"compiling {len(wanted)} tables")
    crew = Processes(CompilingTables(), min(run.workers, len(wanted)))
    try:
        for _ in crew.run(iter(wanted.values())):
            pass
    finally:
        crew.close()


def _kinds(game: str, agents: Sequence[str]) -> tuple[str, ...]:
    """Return the kernels of the agents, as far as a name tells them."""
    seats = [agent(text).seat(load(game)) for text in agents]
    return tuple(
        "python" if seat is None else f"{seat.kernel.name} {sorted(seat.kernel.bind.items(), key=str)}"
        for seat in seats
    )


class CompilingTables(Task[tuple[str, tuple[str, ...]], bool]):
    """Fills the cache: what each process does."""

    def do(self, tool: None, part: tuple[str, tuple[str, ...]]) -> bool:
        """Compile a table of agents for a game."""
        game, agents = part
        return compiled_table(load(game), [agent(text) for text in agents]) is not None


def _on_file(run: TableRun, label: str) -> bool:
    return bool(run.folder and (run.folder / f"{file_name(label)}.jsonl").exists())


@dataclass(frozen=True)
class Review:
    """What one player did in a game, seen afterwards."""

    points: tuple[int, ...]  # by sort
    hands: tuple[int, ...]  # meeples in hand at the beginning of each of its turns
    used: tuple[int | None, ...]  # the sort that each turn's meeple was put on

    @property
    def score(self) -> int:
        """The final score."""
        return sum(self.points)

    @property
    def meeples(self) -> int:
        """How many meeples were played."""
        return sum(sort is not None for sort in self.used)

    def played(self, turn: int, *, farms: bool = False) -> int:
        """Return how many meeples were played up to a turn, on farms or at all."""
        return sum(sort is not None and (sort == FARM or not farms) for sort in self.used[: turn + 1])


def review(game: Game, record: Record) -> list[Review]:
    """Return what each player did, by playing the game again."""
    s, advance, mover = game.start().thaw(), game.function("play"), game.function("mover")
    hands: list[list[int]] = [[] for _ in range(game.players)]
    for move in record.moves:
        if (player := mover(s)) != CHANCE:
            hands[player].append(int(s.meeples[player]))
        advance(s, move)
    sorts = [CODES[kind][option - 1] >> 6 if option else None for kind, _, option, _, _ in game.function("laid")(s)[1:]]
    found = []
    for p in range(game.players):
        points = tuple(int(v) for v in game.function("breakdown")(s, p))
        found.append(Review(points, tuple(hands[p]), tuple(sorts[p :: game.players])))
    return found


def efficiency(games: Sequence[Review]) -> float:
    """Return points per meeple played."""
    return sum(g.score for g in games) / max(1, sum(g.meeples for g in games))


def availability(games: Sequence[Review]) -> float:
    """Return the share of turns that begin with a meeple in hand."""
    return sum(hand > 0 for g in games for hand in g.hands) / max(1, sum(len(g.hands) for g in games))


# ---- Comparison ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """A mean to compare: what was printed, and our games."""

    label: str
    metric: str
    published: Published
    values: Sequence[float]
    note: str = ""

    @property
    def error(self) -> float:
        """The standard error of the difference between our mean and the printed one."""
        return math.hypot(self.published.error, _deviation(self.values) / math.sqrt(len(self.values)))

    @property
    def p(self) -> float:
        """The probability of a difference as large by chance, by Welch's test."""
        from scipy import stats

        mean, deviation, n = fmean(self.values), _deviation(self.values), len(self.values)
        if deviation == self.published.deviation == 0:
            return 1.0 if mean == self.published.mean else 0.0
        given = self.published
        return float(
            stats.ttest_ind_from_stats(
                mean, deviation, n, given.mean, given.deviation, given.games, equal_var=False
            ).pvalue
        )


def compare(cells: Sequence[Cell]) -> list[Row]:
    """Return the rows of a family of cells: reproduced, or different by more than chance and Holm allow."""
    rows = []
    for cell, p in zip(cells, holm([cell.p for cell in cells]), strict=True):
        finding = Finding(mean_of(cell.values), len(cell.values), cell.published.mean, ERRORS * cell.error, p=p)
        rows.append(judged(cell.label, cell.metric, SAME_MEAN, finding, note=noted(cell.note, f"p = {p:.2g}")))
    return rows


def difference(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Return the difference of two means with Welch's interval."""
    from scipy import stats

    value = fmean(first) - fmean(second)
    parts = [(_deviation(v) ** 2 / len(v), len(v) - 1) for v in (first, second)]
    total = sum(part for part, _ in parts)
    if not total:
        return Estimate(value, value, value)
    freedom = total**2 / sum(part**2 / n for part, n in parts)
    half = float(stats.t.ppf(0.975, freedom)) * math.sqrt(total)
    return Estimate(value, value - half, value + half)


def _deviation(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0
