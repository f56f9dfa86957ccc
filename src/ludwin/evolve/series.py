"""A series: the same run for several seeds, and what they say together.

Why it is here.  One run is an anecdote.  A series holds one ordinary run folder per seed and a summary:
the mean of the champions' scores with an interval over seeds, beside random search where that was
run, and the best champion, which is measured once more on fresh seeds, since the best of several is
flattered.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import stdev
from threading import Event
from typing import Any

import ludwin
from ludwin.arena.stats import mean_of
from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.at_once import carry_out_all
from ludwin.evolve.carrying import Stopped, carry_out
from ludwin.evolve.curves import Line, chart
from ludwin.evolve.experiment import Experiment, Measure, Settings
from ludwin.evolve.plan import TERMS
from ludwin.evolve.report import figure, interval, page, table
from ludwin.evolve.run import (
    BEST_OF_SERIES,
    Run,
    claim,
    create,
    demand_seed,
    examine,
    find_stored,
    give_up,
    read_settings,
    reopen,
)
from ludwin.evolve.store import (
    BASELINE,
    EVOLUTION,
    LATE,
    MOST_SEEDS,
    SERIES,
    SUMMARY,
    BadRun,
    Store,
    json_text,
    read_champion,
    read_json,
)
from ludwin.files import write_whole
from ludwin.measure import plain
from ludwin.progress import SILENT, Progress
from ludwin.settings import within
from ludwin.spread import elsewhere
from ludwin.trust import Permit, nobody


@dataclass(frozen=True)
class Series:
    """Runs of one experiment and one list of settings with seeds `seed`, `seed` + 1, …"""

    folder: Path
    experiment: Experiment
    preset: str
    settings: Settings
    seed: int
    seeds: int

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do: there is a summary, and every run that it tells of."""
        return self.is_summarised and all(run.is_finished for run in self.runs)

    @property
    def is_summarised(self) -> bool:
        """Whether the series was finished once; runs may have been taken away since."""
        return (self.folder / "report.html").is_file() and (self.folder / "summary.json").is_file()

    def about(self) -> dict[str, Any]:
        """Return all that the series depends on."""
        names = {
            "experiment": self.experiment.name,
            "preset": self.preset,
            "seed": self.seed,
            "seeds": self.seeds,
            "ludwin": ludwin.__version__,
        }
        return {**names, "identity": self.experiment.identity(self.settings), "settings": dict(self.settings)}

    def run(self, seed: int) -> Run:
        """Return the run of a seed, which may not have begun."""
        return Run(self.folder / f"seed-{seed}", self.experiment, self.preset, self.settings, seed)

    @property
    def runs(self) -> list[Run]:
        """All runs, in the order of their seeds."""
        return [self.run(seed) for seed in range(self.seed, self.seed + self.seeds)]


def create_series(
    folder: Path, experiment: Experiment, preset: str, settings: Settings, seed: int, seeds: int
) -> Series:
    """Begin a series in a new or empty folder. Raises BadRun if something else is there."""
    series = Series(folder, experiment, preset, settings, seed, seeds)
    demand_seed(seed)
    within("seeds", seeds, least=2, most=MOST_SEEDS)
    examine(experiment, settings)
    claim(folder)
    write_whole(folder / "settings.json", json_text({**SERIES.head, **series.about()}))
    return series


def reopen_series(folder: Path, find: Callable[[str], Experiment], permit: Permit = nobody) -> Series:
    """Return the series that a folder holds. Raises BadRun, UnknownExperiment or Untrusted."""
    path = folder / "settings.json"
    data = read_json(path, SERIES)
    experiment = find_stored(path, data, find, permit)
    settings = read_settings(
        path, experiment, data["settings"], permit, is_strict=not (folder / "summary.json").is_file()
    )
    return Series(folder, experiment, data["preset"], settings, data["seed"], data["seeds"])


def carry_out_series(
    series: Series, *, workers: int = 1, progress: Progress = SILENT, stop: Event | None = None
) -> None:
    """Do what is left of a series: run after run, then the summary. Raises Stopped when `stop` is set.

    A run whose folder was taken away from a finished series is made again, as it was, by the version that made it.
    Raises BadRun if that is another one.
    """
    if series.is_finished:
        return
    if series.is_summarised:
        _demand_maker(series)
    try:
        if elsewhere(workers):
            carry_out_all([begun(series, one) for one in series.runs], workers=workers, progress=progress, stop=stop)
        else:
            for planned in series.runs:
                carry_out(begun(series, planned), workers=workers, progress=progress, stop=stop)
    except (BadParameter, CannotPlay):
        if not any(run.folder.exists() for run in series.runs):
            give_up(series.folder)  # as its first run was
        raise
    if stop is not None and stop.is_set():
        raise Stopped
    progress.total(None, f"{series.experiment.name}: the best champion of the series")
    summary = summarise(series, workers)
    write_whole(series.folder / "summary.json", json_text(summary))
    write_whole(series.folder / "report.html", series_report(series, summary))


def _demand_maker(series: Series) -> None:
    """Raise BadRun if runs that are gone from a finished series cannot be made again as they were."""
    maker = read_json(series.folder / "settings.json", SERIES)["ludwin"]
    if maker != ludwin.__version__:
        names = ", ".join(run.folder.name for run in series.runs if not run.is_finished)
        raise BadRun(
            f"{names} of the finished series in {series.folder} is missing or not whole; it was made by ludwin "
            f"{maker:.20}, this is {ludwin.__version__}, which cannot make it again: put it back, or begin a new series"
        )


def begun(series: Series, planned: Run) -> Run:
    """Return a run of a series in its folder, which is begun if it is not there. Raises BadRun if another is there."""
    if not (planned.folder / "settings.json").exists():
        return create(planned.folder, planned.experiment, planned.preset, planned.settings, planned.seed)
    run = reopen(planned.folder, lambda text: series.experiment)
    if run != planned:
        raise BadRun(f"{planned.folder} holds another run than the series in {series.folder}")
    return run


def read_summary(series: Series) -> dict[str, Any]:
    """Return the summary of a finished series, examined. Raises BadRun."""
    return read_json(series.folder / "summary.json", SUMMARY)


def champion_measure(folder: Path, branch: str) -> Measure | None:
    """Return the score of a run's champion on its own seeds, None if there is none."""
    with Store(folder) as store:
        found = store.measures(branch, "champion")
    return found[0].measure if found else None


def spread_of(values: Sequence[float]) -> dict[str, float]:
    """Return mean, standard deviation and the 95 % interval of Student's t; of one value there is no interval.

    >>> {key: round(value, 3) for key, value in spread_of([0.7, 0.8, 0.75]).items()}
    {'value': 0.75, 'low': 0.626, 'high': 0.874, 'deviation': 0.05, 'seeds': 3}
    """
    mean = mean_of(values)
    return {
        "value": mean.value,
        "low": mean.low,
        "high": mean.high,
        "deviation": stdev(values) if len(values) > 1 else math.nan,
        "seeds": len(values),
    }


def summarise(series: Series, workers: int) -> dict[str, Any]:
    """Return what the runs say together; the best champion is measured on fresh seeds."""
    from ludwin.arena.stats import mann_whitney

    rows, scores, random = [], [], []
    merits: list[float] = []
    for run in series.runs:
        found, beside = champion_measure(run.folder, EVOLUTION), champion_measure(run.folder, BASELINE)
        assert found is not None
        scores.append(found.value)
        merits.append(found.merit)
        random += [beside.value] if beside else []
        rows.append(
            {
                "folder": run.folder.name,
                "seed": run.seed,
                **found.as_json(),
                "baseline": beside.as_json() if beside else None,
            }
        )
    best = series.runs[merits.index(max(merits))]
    champion = read_champion(best.folder)
    genome = best.experiment.kind(best.settings).read(champion["genome"])
    again = best.measure(
        genome, champion["score"]["opponent"], best.settings["champion_games"], best.seed_for(BEST_OF_SERIES), workers
    )
    data: dict[str, Any] = {**SERIES.head, **series.about(), "runs": rows, "mean": spread_of(scores)}
    data["best"] = {
        "folder": best.folder.name,
        "seed": best.seed,
        **again.as_json(),
        "size": champion["size"],
        "text": champion["text"],
    }
    late = _late(series)
    if late:
        data["late"] = late
    if random:
        test = mann_whitney(scores, random)
        data["baseline"] = {
            "mean": spread_of(random),
            "test": {"name": "Mann-Whitney U, two-sided", "statistic": test.statistic, "p": test.p},
        }
    return data


def _late(series: Series) -> dict[str, Any] | None:
    """Return what the champions for the greater depth score against each opponent, None if there are none."""
    if not series.runs[0].is_tuned_late:
        return None
    found: dict[str, list[float]] = {one: [] for one in series.experiment.opponents(series.settings)}
    for run in series.runs:
        with Store(run.folder) as store:
            for note in store.measures(LATE, "champion"):
                found[note.measure.opponent].append(note.measure.value)
    means = [{"opponent": opponent, **spread_of(values)} for opponent, values in found.items()]
    return {"depth": series.settings["late_depth"], "means": means}


def late_lines(summary: dict[str, Any]) -> list[str]:
    """Return what is to be said of the champions for the greater depth: a line for each opponent."""
    late = summary.get("late")
    if late is None:
        return []
    return [
        f"tuned for depth {late['depth']}: mean over seeds {one['value']:.4f} [{one['low']:.4f}, {one['high']:.4f}] "
        f"against {one['opponent']}"
        for one in late["means"]
    ]


def series_report(series: Series, summary: dict[str, Any]) -> str:
    """Return the page of a finished series."""
    mean, best = summary["mean"], summary["best"]
    champion = Measure.from_json(best)
    between = f" [{plain(mean['low'])}, {plain(mean['high'])}]" if mean["seeds"] > 1 else ""
    rows = []
    for row in summary["runs"]:
        found, beside = Measure.from_json(row), row["baseline"]
        random = figure(Measure.from_json(beside)) if beside else ""
        rows.append([str(row["seed"]), figure(found), interval(found), random])
    links = ", ".join(f'<a href="{run.folder.name}/report.html">seed {run.seed}</a>' for run in series.runs)
    parts = [
        f"<p>Champions of {series.seeds} seeds score <b>{plain(mean['value'])}{between}</b> on average. The best, of "
        f"seed {best['seed']}, scores "
        f"<b>{_full(champion)}</b> on seeds of its own. "
        f"{_against_random(summary)}</p>",
        table(["seed", f"champion's {champion.metric}", "95 % interval", "random search"], rows, numbers=(0, 1, 3)),
        *(f"<p>{escape(line)}</p>" for line in late_lines(summary)),
        f"<p>Reports: {links}</p>",
        f'<div class="curves">{_curves(series)}</div>',
    ]
    subtitle = (
        f"preset {series.preset}, seeds {series.seed} to {series.seed + series.seeds - 1}, ludwin {ludwin.__version__}"
    )
    return page(f"{series.experiment.name}: {series.seeds} runs", subtitle, parts)


def _full(measure: Measure) -> str:
    if measure.is_score:
        return f"{measure.value:.4f} [{measure.low:.4f}, {measure.high:.4f}]"
    return str(measure)


def _against_random(summary: dict[str, Any]) -> str:
    beside = summary.get("baseline")
    if not beside:
        return ""
    budget = "games" if summary["settings"].get("breeding") == TERMS else "evaluations"
    return (
        f"Random search with as many {budget}: {plain(beside['mean']['value'])} (Mann–Whitney, two-sided: p = "
        f"{beside['test']['p']:.3g})."
    )


def _curves(series: Series) -> str:
    lines = []
    for run in series.runs:
        with Store(run.folder) as store:
            notes = store.measures(EVOLUTION, "yardstick")
        lines.append(Line(f"seed {run.seed}", [(note.generation, note.measure.score) for note in notes]))
    return chart("Yardstick of the best, by seed", lines)
