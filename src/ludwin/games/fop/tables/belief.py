"""What random play believes about function optimisation before it has learnt anything, and where that misleads.

Why it is here.  The first value of a node is the mean of the function over its interval, its true worth the maximum.
Where the interval of the highest mean does not hold the maximum, a search is misled at that depth: the whole
difficulty of functions 2 to 5 is in this table.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), eq. 4.1 and figures 4.5-4.9, 5.4-5.8.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ludwin.arena.plot import COLOURS, picture
from ludwin.errors import BadParameter
from ludwin.game import Game

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LEAVES = 2**21
STAGES = ("first third", "second third", "last third")
SHADES = (COLOURS[0], COLOURS[4], COLOURS[1])


@dataclass(frozen=True)
class Interval:
    """The interval of the highest belief at one depth."""

    depth: int
    low: float
    high: float
    belief: float  # the mean of f over its leaves
    holds_optimum: bool


def leaf_values(game: Game) -> tuple[float, ...]:
    """Return f at the middle of every narrowest interval, from left to right."""
    if game.name != "fop":
        raise BadParameter(f"beliefs are those of fop, {game.name} is another game")
    if game.module.LEAVES > MOST_LEAVES:
        raise BadParameter(f"{game.text} has {game.module.LEAVES} leaves, more than {MOST_LEAVES}")
    value: Callable[[float], float] = game.module.value
    leaves = game.module.LEAVES
    return tuple(value((k + 0.5) / leaves) for k in range(leaves))


@lru_cache(maxsize=8)
def beliefs(game: Game) -> tuple[tuple[float, ...], ...]:
    """Return the mean of f over the leaves below every node: one row a depth, from the root to the leaves."""
    return _levels(game, lambda part: sum(part) / len(part))


@lru_cache(maxsize=8)
def worths(game: Game) -> tuple[tuple[float, ...], ...]:
    """Return the maximum of f over the leaves below every node: one row a depth."""
    return _levels(game, max)


def _levels(game: Game, join: Callable[[Sequence[float]], float]) -> tuple[tuple[float, ...], ...]:
    rows, parts = [leaf_values(game)], int(game.module.K)
    while len(rows[-1]) > 1:
        below = rows[-1]
        rows.append(tuple(join(below[k : k + parts]) for k in range(0, len(below), parts)))
    return tuple(reversed(rows))


def optimum(game: Game) -> tuple[float, float]:
    """Return the middle of the best narrowest interval (the first among equals), and f there."""
    values = worths(game)[-1]
    best = max(range(len(values)), key=values.__getitem__)
    return (best + 0.5) / len(values), values[best]


def favourite(game: Game, depth: int) -> Interval:
    """Return the interval that random play believes in most at a depth (the first among equals)."""
    rows = beliefs(game)
    if not 0 <= depth < len(rows):
        raise BadParameter(f"{game.text} has depths 0 to {len(rows) - 1}, got {depth}")
    row = rows[depth]
    best = max(range(len(row)), key=row.__getitem__)
    top = worths(game)[depth]
    return Interval(depth, best / len(row), (best + 1) / len(row), row[best], top[best] == max(top))


def misleading(game: Game, depths: int) -> list[int]:
    """Return the depths, from 1 to `depths`, at which the favourite interval does not hold the optimum."""
    return [depth for depth in range(1, depths + 1) if not favourite(game, depth).holds_optimum]


def plot_beliefs(game: Game, path: Path | str, *, depths: int = 7) -> Path:
    """Draw the function, and below it the beliefs of the first depths; the favourite of each depth is marked."""
    with_rows = beliefs(game)
    depths = min(depths, len(with_rows) - 1)

    def draw(axes: "Axes") -> None:
        leaves = with_rows[-1]
        step = max(len(leaves) // 4096, 1)
        axes.plot(
            [(k + 0.5) / len(leaves) for k in range(0, len(leaves), step)],
            leaves[::step],
            color="#c9ced6",
            linewidth=0.8,
            label="f",
        )
        for depth in range(1, depths + 1):
            row, shade = with_rows[depth], 0.25 + 0.7 * depth / depths
            edges = [k / len(row) for k in range(len(row) + 1)]
            axes.stairs(row, edges, color=(0.0, 0.45 * (1.6 - shade), 0.7), alpha=shade, linewidth=1.0, baseline=None)
            best = favourite(game, depth)
            colour = "#009E73" if best.holds_optimum else "#D55E00"
            axes.plot((best.low, best.high), (best.belief, best.belief), color=colour, linewidth=3.0)
            axes.annotate(str(depth), (best.high, best.belief), fontsize=8, color=colour)
        axes.plot(*optimum(game), "k*", markersize=9)
        axes.set(
            title=f"{game.text}: beliefs at depths 1 to {depths} (orange: misleading)",
            xlabel="x",
            ylabel="mean of f",
            xlim=(0, 1),
        )

    with picture(path, 7.5, 4.2) as axes:
        draw(axes)
    return Path(path)


def plot_histogram(
    counts: Sequence[Sequence[float]],
    path: Path | str,
    *,
    title: str = "Nodes of the tree",
    game: Game | None = None,
) -> Path:
    """Draw where the nodes of a tree lie (or of many, averaged), stacked by the third of the search that added them.

    Of a game its function is drawn behind them, on an axis of its own, with the optimum as a dotted line.
    """

    def draw(axes: "Axes") -> None:
        bins = len(counts[0])
        places, floor = [(k + 0.5) / bins for k in range(bins)], [0.0] * bins
        for stage, colour, label in zip(counts, SHADES, STAGES, strict=True):
            axes.bar(places, stage, width=1.0 / bins, bottom=floor, color=colour, label=label)
            floor = [a + b for a, b in zip(floor, stage, strict=True)]
        if game is not None:
            beside = axes.twinx()
            value = game.module.value
            beside.plot(
                [k / 512 for k in range(513)], [value(k / 512) for k in range(513)], color="#55606e", linewidth=0.9
            )
            beside.axvline(optimum(game)[0], color="#D55E00", linewidth=1.2, linestyle=":", label="optimum")
            beside.plot([], [], color="#55606e", linewidth=0.9, label="f")
            beside.set(ylabel="f", ylim=(0, 1.05))
            beside.legend(loc="upper left", bbox_to_anchor=(1.09, 0.72), frameon=False, fontsize=8)
        axes.legend(loc="upper left", bbox_to_anchor=(1.09, 1.0), frameon=False, fontsize=8)
        axes.set(title=title, xlabel="x", ylabel="nodes", xlim=(0, 1))

    with picture(path, 7.5, 4.2) as axes:
        draw(axes)
    return Path(path)


def plot_results(
    results: Mapping[str, Sequence[float]], path: Path | str, *, title: str = "Most visited result"
) -> Path:
    """Draw the distribution of results of several agents side by side."""

    def draw(axes: "Axes") -> None:
        axes.boxplot(list(results.values()), showmeans=True)
        axes.set_xticks(range(1, len(results) + 1), list(results), rotation=20)
        axes.set(title=title)

    with picture(path, 7.5, 4.2) as axes:
        draw(axes)
    return Path(path)
