"""Pictures of Carcassonne's tables: where points come from, when meeples are played, what searches thought.

Why it is here.  A mean hides how it was made.  These are the thesis's figures 5.11 to 5.14, 6.1 and 6.2, drawn like all
other pictures of results (`arena/plot.py`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ludwin.arena.plot import COLOURS, GREY, MARKERS, _need, picture


def plot_points(points: Mapping[str, Mapping[str, float]], path: Path | str, *, title: str) -> Path:
    """Draw a bar for each agent, in the order given from the top: its mean score, by sort of feature."""
    _need(points, "agents")
    names = list(points)
    with picture(path, 7.0, 1.5 + 0.36 * len(names)) as axes:
        ends = [0.0] * len(names)
        for colour, sort in zip(COLOURS, next(iter(points.values())), strict=False):
            parts = [points[name][sort] for name in names]
            axes.barh(range(len(names)), parts, left=ends, color=colour, label=sort)
            ends = [end + part for end, part in zip(ends, parts, strict=True)]
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.legend(loc="lower right")
        axes.set(title=title, xlabel="mean points")
    return Path(path)


def plot_turns(
    series: Mapping[str, Sequence[float]],
    path: Path | str,
    *,
    title: str,
    ylabel: str = "meeples, mean",
    top: float | None = None,
) -> Path:
    """Draw a line for each agent: a mean at each of its turns, such as how many meeples it has played; `top` ends the
    axis.
    """
    _need(series, "agents")
    with picture(path, 7.0, 4.4) as axes:
        for number, (name, values) in enumerate(series.items()):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            style = "-" if number < len(COLOURS) else ":"
            axes.plot(
                range(1, len(values) + 1),
                values,
                style,
                color=colour,
                marker=marker,
                markersize=4,
                linewidth=1.4,
                label=name,
            )
        axes.grid()
        if top is None:
            axes.legend(loc="upper left", fontsize=8)
        else:  # lines may be anywhere, so names stand beside them
            axes.set_ylim(0, top)
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
        axes.set(title=title, xlabel="turn", ylabel=ylabel)
    return Path(path)


def plot_boxes(values: Sequence[Sequence[float]], path: Path | str, *, title: str, ylabel: str, line: float) -> Path:
    """Draw a box for each turn: median, central half, whiskers to the furthest value within 1.5 boxes, points beyond;
    and a level line.
    """
    _need(values, "turns")
    turns = [turn for turn, found in enumerate(values, 1) if found]
    with picture(path, 9.0, 4.4) as axes:
        axes.axhline(line, color=GREY, linewidth=0.8, linestyle="--")
        axes.boxplot(
            [list(values[turn - 1]) for turn in turns],
            positions=turns,
            widths=0.62,
            patch_artist=True,
            boxprops={"facecolor": COLOURS[5], "edgecolor": COLOURS[0], "alpha": 0.8},
            medianprops={"color": COLOURS[1], "linewidth": 1.6},
            whiskerprops={"color": COLOURS[0]},
            capprops={"color": COLOURS[0]},
            flierprops={"marker": ".", "markersize": 4, "markeredgecolor": GREY},
        )
        marks = [1, *range(5, len(values) + 1, 5)]
        axes.set_xticks(marks, [str(mark) for mark in marks])
        axes.set_xlim(0, len(values) + 1)
        axes.set_ylim(bottom=0)
        axes.grid(axis="y")
        axes.set(title=title, xlabel="own turn", ylabel=ylabel)
    return Path(path)
