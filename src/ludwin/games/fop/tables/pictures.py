"""Figures of function optimisation: beliefs, where the nodes lie, results and leaf depths of all agents.

They correspond to figures 4.5-4.9 and 5.4-5.10 of the thesis.  They need the extra `plot`; without it there are tables
only.
"""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

from ludwin.arena.plot import COLOURS, MARKERS, picture
from ludwin.game import Game
from ludwin.games.fop.tables.belief import plot_beliefs, plot_histogram, plot_results
from ludwin.games.fop.tables.samples import Sample
from ludwin.lab.experiment import file_name


def draw(folder: Path, game: Game, samples: Mapping[str, Sample], news: Callable[[str], None]) -> None:
    """Write all figures of one function, or say why there are none."""
    if not find_spec("matplotlib"):
        news("no figures: they need matplotlib (pip install 'ludwin[plot]')")
        return
    plot_beliefs(game, folder / "beliefs.svg")
    for name, sample in samples.items():
        plot_histogram(
            sample.histogram,
            folder / f"nodes-{file_name(name)}.svg",
            title=f"{game.text}, {name}: nodes of a mean tree",
            game=game,
        )
    plot_results(
        {name: sample.column("result") for name, sample in samples.items()},
        folder / "results.svg",
        title=f"{game.text}: most visited result",
    )
    plot_depths(samples, folder / "depths.svg", title=f"{game.text}: depths of leaves")


def plot_depths(samples: Mapping[str, Sample], path: Path, *, title: str) -> None:
    """Draw which share of its leaves every agent has at each depth."""
    with picture(path, 7.5, 4.2) as axes:
        for k, (name, sample) in enumerate(samples.items()):
            deepest = max(depth for depth, count in enumerate(sample.leaves) if count)
            total = sum(sample.leaves)
            shares = [count / total for count in sample.leaves[: deepest + 1]]
            axes.plot(
                range(len(shares)),
                shares,
                color=COLOURS[k % len(COLOURS)],
                marker=MARKERS[k % len(MARKERS)],
                markersize=4,
                linewidth=1.4,
                label=name,
            )
        axes.grid()
        axes.legend(loc="upper left")
        axes.set(title=title, xlabel="depth", ylabel="share of the leaves")
