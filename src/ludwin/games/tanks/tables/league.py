"""Table 8.2: a league of four-line robots, everybody against everybody.

The idea.  The 27 robots of the book's league are lost; what is known of them is their table.  Ours has as many and more
of the same length (`haiku-…`, each another idea) and the evolved one.  Ranks are by rating: the Elo numbers at which
everybody's expected share of the points, 1 / (1 + 10^(-difference / 400)), summed over all duels, is the share that it
had; their mean is 0, as in the book.  Intervals are from resampling the battles of every pair.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

from ludwin.arena.simulate import Stage
from ludwin.files import write_whole
from ludwin.games.tanks.opponents import AGENTS
from ludwin.lab.experiment import LabTable, TableRun, measured, row_of
from ludwin.lab.published import data_of, figure, rows
from ludwin.library import load
from ludwin.measure import Measure
from ludwin.primitives import stream
from ludwin.program.stream import Stream
from ludwin.stats import Estimate

DATA = data_of(__file__)
EVOLVED = "haiku-evolved"
SIZES = {"quick": (2, 1), "standard": (12, 1), "paper": (100, 1)}  # rounds of every pair
PARTS = ("survival", "last_survivor", "bullet_damage", "bullet_bonus", "ram_damage", "ram_bonus")
COUNTS = ("firsts", "seconds", "thirds")
BATTLES = 4  # of a pair at most, the samples of an interval
RESAMPLED = 200
STEPS = 200
EVEN = 0.01


class Duel(NamedTuple):
    """A battle of the league: who, and both totals."""

    a: int
    b: int
    mine: float
    theirs: float

    @property
    def share(self) -> float:
        """The share of the points of the first one; even if nobody has any."""
        total = self.mine + self.theirs
        return self.mine / total if total > 0.0 else 0.5


def entrants() -> list[str]:
    """Return the four-line robots."""
    return [name for name in AGENTS if name.startswith("haiku-")]


def ratings(count: int, duels: Sequence[Duel], start: Sequence[float] = ()) -> list[float]:
    """Return the Elo numbers that expect everybody's shares, with a mean of 0.

    Who had all or nothing would be rated without end, so everybody has a draw against an even opponent, too, which
    counts as a hundredth of a pair.

    >>> [round(x) for x in ratings(2, [Duel(0, 1, 3.0, 1.0)] * 50)]
    [95, -95]
    """
    import numpy as np

    share, weight = np.zeros((count, count)), np.zeros((count, count))
    for duel in duels:
        share[duel.a, duel.b] += duel.share
        share[duel.b, duel.a] += 1.0 - duel.share
        weight[duel.a, duel.b] += 1.0
        weight[duel.b, duel.a] += 1.0
    met = weight > 0.0
    share[met] /= weight[met]
    found = np.array(start) if len(start) else np.zeros(count)
    slope = math.log(10.0) / 400.0
    for _ in range(STEPS):  # Newton's, a hundred points at a time at most
        expected = 1.0 / (1.0 + 10.0 ** ((found[None, :] - found[:, None]) / 400.0))
        alone = 1.0 / (1.0 + 10.0 ** (-found / 400.0))
        wrong = ((share - expected) * met).sum(axis=1) + EVEN * (0.5 - alone)
        bends = slope * expected * (1.0 - expected) * met
        steep = np.diag(bends.sum(axis=1) + EVEN * slope * alone * (1.0 - alone)) - bends
        change = np.clip(np.linalg.solve(steep, wrong), -100.0, 100.0)
        found = found + change
        if np.abs(change).max() < 1e-9:
            break
    return [float(x) for x in found - found.mean()]


def intervals(count: int, duels: Sequence[Duel], seed: int) -> list[tuple[float, float]]:
    """Return a 95 % interval of every rating, from resampled battles."""
    by_pair: dict[tuple[int, int], list[Duel]] = {}
    for duel in duels:
        by_pair.setdefault((duel.a, duel.b), []).append(duel)
    drawn: list[list[float]] = [[] for _ in range(count)]
    start = ratings(count, duels)
    for k in range(RESAMPLED):
        chance = Stream(seed, k)
        again = [chance.pick(found) for found in by_pair.values() for _ in found]
        for place, value in enumerate(ratings(count, again, start)):
            drawn[place].append(value)
    edge = round(0.025 * RESAMPLED)
    return [(sorted(one)[edge], sorted(one)[-1 - edge]) for one in drawn]


def fought(run: TableRun, names: Sequence[str]) -> tuple[list[Duel], list[dict[str, float]]]:
    """Fight all pairs; return the battles, and everybody's columns."""
    battles = min(BATTLES, run.games)
    game = load("tanks", rounds=max(1, run.games // battles))
    columns: list[dict[str, float]] = [dict.fromkeys((*PARTS, *COUNTS), 0.0) for _ in names]
    duels: list[Duel] = []
    robots = [AGENTS[name]() for name in names]
    drives = [robot.drive(game) for robot in robots]
    stage = Stage(game, robots[:2])
    pairs = list(combinations(range(len(names)), 2))
    run.progress.total(len(pairs), run.name, unit="duels")
    for number, (a, b) in enumerate(pairs):
        stage.drives[:] = [drives[a], drives[b]]
        for k in range(battles):
            done = stage.play(stream(stream(run.seed, number), k))
            duels.append(Duel(a, b, *done.payoffs))
            for p, who in enumerate((a, b)):
                for part in PARTS:
                    columns[who][part] += float(getattr(done.final, f"total_{part}")[p])
                for part in COUNTS:
                    columns[who][part] += float(getattr(done.final, part)[p])
        run.progress.done(number + 1)
    return duels, columns


def fill(run: TableRun) -> None:
    """Fight the league, and enter everybody's rating with its columns."""
    names = entrants()
    duels, columns = fought(run, names)
    found, spread = ratings(len(names), duels), intervals(len(names), duels, run.seed)
    order = sorted(range(len(names)), key=lambda p: -found[p])
    published = rows(DATA / "tanks_8_2.csv")
    each = sum(columns[0][part] for part in COUNTS)
    place = float(order.index(names.index(EVOLVED)) + 1)
    rank = Measure("", place, place, place, int(each), metric=f"rank of {len(names)}", direction="less")
    first = published[0]
    note = f"the book: {first['robot']} first of {len(published)}, rated {figure(first['rating']):g}; other robots"
    run.add(row_of(EVOLVED, rank, 1.0, 0.0, note))
    second = found[order[1]]
    for p in order:
        cells = {key: math.floor(value + 0.5) for key, value in columns[p].items()}
        total = math.floor(math.fsum(columns[p][part] for part in PARTS) + 0.5)
        note = f"total {total} = " + " + ".join(str(cells[part]) for part in PARTS)
        note += f"; {cells['firsts']} / {cells['seconds']} / {cells['thirds']} of {each:.0f} rounds"
        if p == order[0]:
            note += f"; {'surely' if spread[p][0] > second else 'not surely'} above the second"
        run.add(measured(names[p], "rating", Estimate(found[p], *spread[p]), int(each), note))
    if run.folder is not None:
        write_whole(run.folder / "league.csv", _csv(names, order, found, spread, columns))


def _csv(
    names: Sequence[str],
    order: Sequence[int],
    found: Sequence[float],
    spread: Sequence[tuple[float, float]],
    columns: Sequence[dict[str, Any]],
) -> str:
    """Return the table with all columns of the book's."""
    head = ["rank", "rating", "low", "high", "robot", "total", *PARTS, *COUNTS]
    lines = [",".join(head)]
    for rank, p in enumerate(order, 1):
        numbers = [math.floor(columns[p][key] + 0.5) for key in (*PARTS, *COUNTS)]
        total = math.floor(math.fsum(columns[p][part] for part in PARTS) + 0.5)
        cells = [rank, f"{found[p]:.2f}", *(f"{x:.2f}" for x in spread[p]), names[p], total, *numbers]
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


TABLE_8_2 = LabTable(
    "tanks-8.2",
    "Evolved to Win, table 8.2: a league of four-line robots, all columns",
    SIZES,
    fill,
    unit="rounds",
    least=1,
    sides=1,
)
