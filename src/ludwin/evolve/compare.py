"""Runs side by side: what lies in a folder, and whether one is better than another.

Why it is here.  Runs are compared by what their champions scored on seeds that nobody chose by.  Two
series are compared seed by seed: the run is the unit, there are few of them and nothing says that they
are normal, so the test is Mann and Whitney's.  Two single runs say nothing about their settings, only
about their two champions: there the unit is the game (or the pair of games), there are many, and
Welch's t compares the two mean scores.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter
from ludwin.evolve.experiment import Measure
from ludwin.evolve.series import champion_measure, spread_of
from ludwin.evolve.store import BASELINE, EVOLUTION, RUN, SERIES, BadRun, Store, read_json
from ludwin.measure import LESS

DEEPEST = 3  # folders below a named one in which runs are looked for


@dataclass(frozen=True)
class ListedRun:
    """One run in a list."""

    folder: Path
    experiment: str
    preset: str
    seed: int
    generation: int  # the last that is stored, -1 if none is
    generations: int
    is_finished: bool
    score: Measure | None = None
    baseline: Measure | None = None
    trouble: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        about = {"folder": str(self.folder), "experiment": self.experiment, "preset": self.preset, "seed": self.seed}
        state = {
            "generation": self.generation,
            "generations": self.generations,
            "finished": self.is_finished,
            "trouble": self.trouble,
        }
        scores = {
            "score": self.score.as_json() if self.score else None,
            "baseline": self.baseline.as_json() if self.baseline else None,
        }
        return {**about, **state, **scores}


def folders(root: Path, depth: int = DEEPEST) -> Iterator[Path]:
    """Yield the run folders at and below a folder, in the order of their names; a series is the runs in it."""
    path = root / "settings.json"
    if path.is_file():
        try:
            if read_json(path, RUN, SERIES)["format"] == RUN.name:
                yield root
                return
        except BadRun as error:
            if " is no run" not in str(error):  # one of ours that cannot be read; others, such as tables, may hold runs
                yield root
                return
    if depth and root.is_dir():
        for child in sorted(root.iterdir(), key=lambda one: (len(one.name), one.name)):
            if child.is_dir() and not child.is_symlink():
                yield from folders(child, depth - 1)


def entry(folder: Path) -> ListedRun:
    """Return what a run folder holds, without its experiment's code; what cannot be read is said in `trouble`."""
    try:
        path = folder / "settings.json"
        data = read_json(path, RUN)
        points = []
        if (folder / "run.sqlite").is_file():
            with Store(folder) as store:
                store.verify(fully=False)
                points = store.points(EVOLUTION)
        score, baseline = (champion_measure(folder, branch) if points else None for branch in (EVOLUTION, BASELINE))
    except BadRun as error:
        return ListedRun(folder, "?", "?", 0, -1, 0, False, trouble=str(error))
    finished = (folder / "report.html").is_file()
    generations = data["settings"].get("generations")
    last = points[-1].number if points else -1
    total = generations if isinstance(generations, int) else last
    return ListedRun(folder, data["experiment"], data["preset"], data["seed"], last, total, finished, score, baseline)


def entries(roots: Sequence[Path]) -> list[ListedRun]:
    """Return all runs at and below some folders."""
    return [entry(folder) for root in roots for folder in folders(root)]


def compare(first: Path, second: Path) -> dict[str, Any]:
    """Return what two runs, or two series, say against each other. Raises BadRun if they cannot be compared."""
    sides = [_side(path) for path in (first, second)]
    opponents = list(dict.fromkeys(one.score.opponent for side in sides for one in side if one.score))
    if len(opponents) > 1:
        raise BadRun(f"{first} and {second} were measured against different opponents: {' and '.join(opponents)}")
    measures = [[one.score for one in side if one.score] for side in sides]
    everyone = [measure for side in measures for measure in side]
    try:
        for measure in everyone[1:]:
            everyone[0].demand_same(measure)
    except BadParameter as error:
        raise BadRun(f"{first} and {second}: {error}") from None
    if min(len(side) for side in measures) >= 2:
        found = _by_seeds(measures)
    elif max(len(side) for side in measures) == 1:
        found = _by_games(measures[0][0], measures[1][0])
    else:
        raise BadRun(f"one of {first} and {second} is a single run, the other a series; compare two runs or two series")
    about = [
        {"folder": str(path), "experiment": side[0].experiment, "runs": len(side), "scores": [m.score for m in own]}
        for path, side, own in zip((first, second), sides, measures, strict=True)
    ]
    metric = (
        {} if everyone[0].is_score else {name: everyone[0].keys()[name] for name in ("metric", "unit", "direction")}
    )
    return {"opponent": opponents.pop(), **metric, "first": about[0], "second": about[1], **found}


def _side(path: Path) -> list[ListedRun]:
    found = entries([path])
    if not found:
        raise BadRun(f"{path} holds no run")
    for one in found:
        if one.trouble:
            raise BadRun(one.trouble)
        if one.score is None:
            raise BadRun(f"{one.folder} has no champion yet; `ludwin evolve --resume {path}` goes on")
    return found


def _by_seeds(sides: Sequence[Sequence[Measure]]) -> dict[str, Any]:
    from ludwin.arena.stats import mann_whitney

    scores = [[m.score for m in side] for side in sides]
    test = mann_whitney(*scores)
    means = [spread_of(side) for side in scores]
    chance = test.statistic / (len(scores[0]) * len(scores[1]))
    if sides[0][0].direction == LESS:
        chance = 1 - chance
    why = "champions' scores seed by seed; few values of unknown distribution, so ranks are compared"
    return {
        "test": "Mann-Whitney U, two-sided",
        "why": why,
        "statistic": test.statistic,
        "p": test.p,
        "means": means,
        "difference": means[0]["value"] - means[1]["value"],
        "superiority": chance,  # the share of pairs of seeds in which the first is better
    }


def _by_games(a: Measure, b: Measure) -> dict[str, Any]:
    from ludwin.arena.stats import welch_t_of

    difference = a.value - b.value
    if not a.is_score:
        return _by_intervals(a, b)
    if not sum(a.counts) or not sum(b.counts):
        return {
            "test": None,
            "why": "these scores are exact, so there is nothing to test",
            "statistic": None,
            "p": None,
            "difference": difference,
        }
    test = welch_t_of(_moments(a), _moments(b))
    unit = "pairs of games" if len(a.counts) == 5 else "games"
    why = (
        f"one champion each: many {unit} against the same opponent, so their means are compared; it says nothing "
        f"about the settings"
    )
    return {
        "test": "Welch's t, two-sided",
        "why": why,
        "statistic": test.statistic,
        "p": test.p,
        "difference": difference,
    }


def _by_intervals(a: Measure, b: Measure) -> dict[str, Any]:
    """Compare two single runs whose samples are not on file: by their intervals, the way they are meant."""
    better = "first" if a.surely_better_than(b) else "second" if b.surely_better_than(a) else None
    why = "one champion each: the interval of one lies beyond the other's, or nothing can be said"
    return {
        "test": "intervals of 95 %" if a.has_interval and b.has_interval else None,
        "why": why if a.has_interval and b.has_interval else "one sample has no interval, so there is nothing to test",
        "statistic": None,
        "p": None,
        "difference": a.value - b.value,
        "better": better,
    }


def _moments(measure: Measure) -> tuple[float, float, float]:
    """Return mean and variance of the scores of single games or pairs, and how many independent ones they are worth."""
    cells, total = len(measure.counts) - 1, sum(measure.counts)
    mean = sum(cell / cells * count for cell, count in enumerate(measure.counts)) / total
    squares = sum((cell / cells - mean) ** 2 * count for cell, count in enumerate(measure.counts))
    worth = total * min(measure.effective / measure.games, 1.0) if measure.games else 0.0
    return mean, squares / max(total - 1, 1), worth
