"""Pictures of results: ratings with bars, a matrix of scores, strength against budget.

Why it is here.  An interval is understood sooner when it is seen.  Each function writes one file,
PNG or SVG by its name, and the same numbers always give the same bytes (for one version of
matplotlib): no date, no random identifiers, no settings of the user.

Needs the extra `plot` (matplotlib), which is imported only when something is drawn.

References.  Colours: M. Okabe, K. Ito, "Color universal design" (2008), told apart by everybody.
"""

import math
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ludwin.arena.stats import Estimate
from ludwin.errors import BadParameter, LudwinError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
MARKERS = "os^Dv<>P"
INK, GREY = "#22272e", "#8b949e"
STYLE = {
    "font.size": 10.0,
    "axes.titlesize": 12.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 12.0,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "text.parse_math": False,  # a name may contain a dollar sign
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": "#e6e8eb",
    "legend.edgecolor": "none",
    "svg.hashsalt": "ludwin",
}


def plot_elo(ratings: Mapping[str, Estimate], path: Path | str, *, title: str = "Ratings") -> Path:
    """Draw one bar per player, in the order given from the top: its Elo and its interval."""
    _need(ratings, "players")
    names, estimates = list(ratings), list(ratings.values())
    low, high = _span(estimates)
    low, high = min(low, 0.0), max(high, 0.0)
    with picture(path, 7.0, 1.5 + 0.36 * len(names)) as axes:
        axes.axvline(0, color=GREY, linewidth=0.8)
        for row, e in enumerate(estimates):
            left, right = max(low, e.low), min(high, e.high)
            axes.plot((left, right), (row, row), color=COLOURS[0], linewidth=7, alpha=0.28, solid_capstyle="butt")
            if low <= e.value <= high:
                axes.plot(e.value, row, "o", color=COLOURS[0], markersize=6)
            for beyond, place, mark in ((e.low < low, 0.01, "<"), (e.high > high, 0.99, ">")):  # the bar goes on
                if beyond:
                    axes.plot(low + place * (high - low), row, mark, color=COLOURS[0], markersize=6)
            axes.annotate(
                _signed(e.value),
                (1.02, row),
                xycoords=("axes fraction", "data"),
                va="center_baseline",
                annotation_clip=False,
            )
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(low, high)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set(title=title, xlabel="Elo, with 95 % interval")
    return Path(path)


def plot_scores(
    scores: Mapping[tuple[str, str], Estimate], path: Path | str, *, names: Sequence[str] = (), title: str = "Scores"
) -> Path:
    """Draw the row's score against the column, in percent; blue is above one half, orange below.

    `names` is the order of rows and columns; without it, that of appearance.
    """
    _need(scores, "scores")
    names = list(names) or list(dict.fromkeys(name for pair in scores for name in pair))
    size = 0.62 * len(names)
    with picture(path, 2.4 + size, 1.5 + size) as axes:
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("score", [COLOURS[1], "#ffffff", COLOURS[0]])
        grid = [[scores[a, b].value if (a, b) in scores else math.nan for b in names] for a in names]
        axes.set_facecolor("#f0f1f3")  # shows where nobody met
        axes.imshow(grid, cmap=colours, vmin=0, vmax=1)
        for i, a in enumerate(names):
            for j, b in enumerate(names):
                if (a, b) in scores:
                    value = scores[a, b].value
                    axes.text(
                        j,
                        i,
                        f"{100 * value:.0f}",
                        ha="center",
                        va="center",
                        color="white" if abs(value - 0.5) > 0.35 else INK,
                    )
        axes.set_xticks(range(len(names)), names, rotation=35, ha="left", rotation_mode="anchor")
        axes.set_yticks(range(len(names)), names)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        for edge in range(1, len(names)):
            axes.axhline(edge - 0.5, color="white", linewidth=2)
            axes.axvline(edge - 0.5, color="white", linewidth=2)
        axes.set(title=title, xlabel="percent of the points, row against column")
    return Path(path)


def plot_strength(
    series: Mapping[str, Mapping[float, Estimate]],
    path: Path | str,
    *,
    budget: str = "playouts",
    strength: str = "Elo",
    title: str = "Strength against budget",
) -> Path:
    """Draw one line per agent: its strength at each budget (a logarithmic axis), with its interval."""
    _need(series, "agents")
    if any(not points for points in series.values()) or any(b <= 0 for points in series.values() for b in points):
        raise BadParameter("every agent needs a budget, and budgets are above 0")
    low, high = _span([e for points in series.values() for e in points.values()])
    budgets = sorted({b for points in series.values() for b in points})
    with picture(path, 7.0, 4.4) as axes:
        axes.set_xscale("log", base=2)
        axes.set_ylim(low, high)
        for number, (name, points) in enumerate(series.items()):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            _draw_series(axes, dict(sorted(points.items())), name, colour, marker)
        axes.set_xticks(budgets if len(budgets) <= 12 else budgets[:: math.ceil(len(budgets) / 12)])
        axes.minorticks_off()
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}" if value < 1e6 else f"{value:.3g}")
        axes.grid()
        if len(series) > 1:
            axes.legend(loc="best")
        axes.set(title=title, xlabel=budget, ylabel=f"{strength}, with 95 % interval")
    return Path(path)


def _draw_series(axes: "Axes", points: Mapping[float, Estimate], name: str, colour: str, marker: str) -> None:
    """Draw one agent's line, band and bars, cut to the axes; a sweep's infinite strength is written at the edge."""
    low, high = axes.get_ylim()
    x = list(points)
    y = [e.value if math.isfinite(e.value) else math.nan for e in points.values()]
    bottom = [min(max(e.low, low), high) for e in points.values()]
    top = [min(max(e.high, low), high) for e in points.values()]
    axes.fill_between(x, bottom, top, color=colour, alpha=0.16, linewidth=0)
    axes.vlines(x, bottom, top, color=colour, linewidth=1.2, alpha=0.6)
    axes.plot(x, y, color=colour, marker=marker, markersize=5, linewidth=1.8, label=name)
    for b, e in points.items():
        if math.isinf(e.value):
            axes.annotate(
                _signed(e.value),
                (b, high if e.value > 0 else low),
                (4, -11 if e.value > 0 else 5),
                textcoords="offset points",
                color=colour,
            )


@contextmanager
def picture(path: Path | str, width: float, height: float) -> Iterator["Axes"]:
    """Give a pair of axes to draw on; write them to the file when all is drawn, beside it first."""
    path = Path(path)
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("png", "svg"):
        raise BadParameter(f"a picture is a .png or .svg file, got {path.name!r}")
    if not path.parent.is_dir():
        raise BadParameter(f"there is no folder {str(path.parent)!r} to write {path.name!r} to")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise LudwinError("plots need matplotlib: pip install 'ludwin[plot]'") from missing
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(width, height), dpi=150)
        yield figure.add_subplot()
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            figure.savefig(
                beside,
                format=kind,
                bbox_inches="tight",
                pad_inches=0.15,
                metadata={"png": {"Software": None}, "svg": {"Date": None}}[kind],
            )
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)


def _need(items: Collection[object], what: str) -> None:
    """Raise BadParameter if there is nothing to draw."""
    if not items:
        raise BadParameter(f"there are no {what} to draw")


def _span(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Return the ends of an axis on which all values show, and the finite ends of infinite ones.

    Bars more than three times as wide as the usual one are cut, so as not to squeeze the others.
    """
    values = [
        v for e in estimates for v in ((e.value,) if math.isfinite(e.value) else (e.low, e.high)) if math.isfinite(v)
    ] or [0.0]
    widths = sorted(end for e in estimates for end in (e.value - e.low, e.high - e.value) if math.isfinite(end))
    usual, widest = (widths[(len(widths) - 1) // 2], widths[-1]) if widths else (100.0, 100.0)
    reach = min(max(3 * usual, 0.15 * (max(values) - min(values))), 1.1 * widest) + 1
    return min(values) - reach, max(values) + reach


def _signed(value: float) -> str:
    """Return a rating as a person writes it.

    >>> _signed(12.4), _signed(-0.2), _signed(math.inf)
    ('+12', '0', '+∞')
    """
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"
