"""Pictures of Carcassonne's tables: where points come from, and when meeples are played.

Why it is here.  A mean hides how it was made.  These are the thesis's figures 5.11 to 5.13, drawn like all other
pictures of results (`arena/plot.py`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ludwin.arena.plot import COLOURS, MARKERS, _need, picture


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


def plot_turns(series: Mapping[str, Sequence[float]], path: Path | str, *, title: str) -> Path:
    """Draw a line for each agent: how many meeples it has played by each of its turns, on average."""
    _need(series, "agents")
    with picture(path, 7.0, 4.4) as axes:
        for number, (name, values) in enumerate(series.items()):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            style = "-" if number < len(COLOURS) else ":"
            axes.plot(range(1, len(values) + 1), values, style, color=colour, marker=marker, markersize=4, linewidth=1.4, label=name)
        axes.grid()
        axes.legend(loc="upper left", fontsize=8)
        axes.set(title=title, xlabel="turn", ylabel="meeples, mean")
    return Path(path)
