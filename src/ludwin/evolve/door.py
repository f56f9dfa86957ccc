"""`ludwin.evolve("lose-checkers")`: a run of evolution as a function.

Why it is here.  What the command prints, a program wants as a value: the champion, its measures, the curves, the folder
that holds everything.  The package `ludwin.evolve` is called by this function's name, so the package can be called.
"""

from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from ludwin.errors import BadParameter, brief
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.experiment import settle
from ludwin.evolve.population import Generation
from ludwin.evolve.register import find
from ludwin.evolve.report import curves
from ludwin.evolve.run import Run, create, reopen
from ludwin.evolve.store import (
    BASELINE,
    EVOLUTION,
    LATE,
    BadRun,
    Point,
    Store,
    log_seconds,
    read_champion,
)
from ludwin.formats import finite
from ludwin.library import is_path, split
from ludwin.measure import Measure, in_one_form
from ludwin.progress import SILENT, Progress
from ludwin.search.choice import Agent
from ludwin.settings import within
from ludwin.trust import Asking, nobody


@dataclass(frozen=True, repr=False)
class EvolvedRun:
    """A finished run: what it found, and where."""

    run: Run

    @property
    def folder(self) -> Path:
        """Where everything lies: settings, champion, curves, report.html."""
        return self.run.folder

    @property
    def champion(self) -> dict[str, Any]:
        """The champion: generation, size, fitness, text, score and record."""
        found: dict[str, Any] = self.to_dict()["champion"]
        return found

    @property
    def agent(self) -> Agent:
        """The champion as an agent."""
        from ludwin.library import agent

        return agent(f"evolved:{self.folder}")

    @property
    def last(self) -> Generation[Any]:
        """The last generation as it was stored, with those who live beside it: archive, parasites, roles."""
        with Store(self.folder) as store:
            found = store.last_generation(EVOLUTION, self.run.experiment.kind(self.run.settings))
        if found is None:
            raise BadRun(f"{self.folder} holds no generation; begin a new run")
        return found

    def points(self) -> tuple[Point, ...]:
        """The generations as they were stored."""
        with Store(self.folder) as store:
            return tuple(store.points(EVOLUTION))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each generation, for a data frame."""
        return [
            {
                name: value
                for name, value in vars(point).items()
                if value is None or isinstance(value, int | float | str)
            }
            for point in self.points()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return what `ludwin evolve --json` prints."""
        found: dict[str, Any] = finite(in_one_form(result(self.run)))
        return found

    def _repr_html_(self) -> str:
        from html import escape

        data = self.to_dict()
        champion = data["champion"]
        with Store(self.folder) as store:
            drawn = curves(store)
        head = f"{data['experiment']} ({data['preset']}, seed {data['seed']}): {data['generations']} generations, "
        head += f"{data['evaluations']:,} evaluations; champion of generation {champion['generation']}"
        said = str(Measure.from_json(champion["measure"]))
        return f"<p>{escape(head)}: {escape(said)}</p>{drawn}{self._picture()}<pre>{escape(champion['text'])}</pre>"

    def _picture(self) -> str:
        """Return the champion's drawing, nothing if its experiment has none."""
        run = self.run
        genome = run.experiment.kind(run.settings).read(read_champion(self.folder)["genome"])
        return run.experiment.picture(run.settings, genome)

    def __repr__(self) -> str:
        data = self.to_dict()
        champion = data["champion"]
        return (
            f"{data['experiment']} ({data['preset']}, seed {data['seed']}): {data['generations']} generations, "
            f"{data['evaluations']:,} evaluations\n  champion of generation {champion['generation']}, size "
            f"{champion['size']}: {champion['text']}\n  in {self.folder}"
        )


def evolve(
    experiment: str,
    *,
    preset: str = "quick",
    seed: int = 0,
    out: str | Path | None = None,
    settings: dict[str, Any] | None = None,
    workers: int = 1,
    progress: Progress = SILENT,
) -> EvolvedRun:
    """Evolve, and return what came out; a folder that holds the same run is gone on with, or is its result.

    `settings` are those of `ludwin evolve NAME --explain`. `out` is runs/NAME-seedS where it is left out. Raises
    LudwinError.
    """
    if not isinstance(experiment, str):
        raise BadParameter(f"an experiment is named by a text such as 'lose-checkers', got {brief(experiment)}")
    for name, value in (("seed", seed), ("workers", workers)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadParameter(f"{name} must be a whole number, got {brief(value)}")
    within("workers", workers, least=1)
    if out is not None and not isinstance(out, str | PurePath):
        raise BadParameter(f"out must be the name of a folder, got {brief(out)}")
    if settings is not None and not isinstance(settings, dict):
        raise BadParameter(f"settings are given as a table of values by their keys, got {brief(settings)}")
    found = find(experiment)
    chosen = settle(found, preset, settings or {})
    folder = Path(out) if out is not None else Path("runs") / f"{slug(found.name)}-seed{seed}"
    if (folder / "settings.json").is_file():
        own = split(experiment)[0]
        run = reopen(folder, find, Asking((own,), None) if is_path(own) else nobody)
        if (run.experiment.name, run.preset, dict(run.settings), run.seed) != (found.name, preset, chosen, seed):
            raise BadRun(f"{folder} holds another run; give another folder, or what that run was begun with")
    else:
        run = create(folder, found, preset, chosen, seed)
    carry_out(run, workers=workers, progress=progress)
    return EvolvedRun(run)


def slug(name: str) -> str:
    """Return a name as part of a file name.

    >>> slug("./games/my_game.py:size=5")
    'my_game-size-5'
    """
    base = name.replace("\\", "/").rpartition("/")[2].replace(".py", "")
    return "".join(c if c.isalnum() or c == "_" else "-" for c in base).strip("-")


def result(run: Run) -> dict[str, Any]:
    """Return what a finished run found."""
    champion = read_champion(run.folder)
    with Store(run.folder) as store:
        store.verify()
        points, beside, random = store.points(EVOLUTION), store.measures(BASELINE, "champion"), store.points(BASELINE)
        games = {branch: store.games(branch) for branch in (EVOLUTION, BASELINE)}
        best, late = store.measures(EVOLUTION, "champion"), store.measures(LATE, "champion")
        size = store.points(LATE)[-1].best_size if late else 0
    if not points:
        raise BadRun(f"{run.folder} has a report, but no generation is stored; begin a new run with --out")
    told = champion["generation"], Measure.from_json(champion["score"])
    if best and told != (best[0].generation, best[0].measure):
        raise BadRun(f"{run.folder}/champion.json: its score or generation is not what {run.folder}/run.sqlite says")
    data: dict[str, Any] = {
        "experiment": run.experiment.name,
        "preset": run.preset,
        "seed": run.seed,
        "folder": str(run.folder),
    }
    data |= {"generations": len(points), "evaluations": points[-1].evaluations, "first_fitness": points[0].best_fitness}
    data["champion"] = {key: champion.get(key) for key in ("generation", "size", "fitness", "text", "score", "record")}
    data["baseline"] = {"evaluations": random[-1].evaluations, "score": beside[0].measure.as_json()} if beside else None
    for branch, place in ((EVOLUTION, data), (BASELINE, data["baseline"])):
        if games[branch] and place is not None:
            place["games"] = games[branch][-1]
    if late:
        order = list(run.experiment.opponents(run.settings))
        late.sort(key=lambda note: (*order, note.measure.opponent).index(note.measure.opponent))
        measures = [note.measure.as_json() for note in late]
        data["late"] = {"depth": run.settings["late_depth"], "size": size, "measures": measures}
    data["seconds"] = log_seconds(run.folder)
    return data
