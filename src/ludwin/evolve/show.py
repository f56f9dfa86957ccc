"""A champion taken apart: its program, its simplified form, and what each part is worth.

Why it is here.  An evolved program is an answer that nobody wrote, and most of it may be idle.  Beside
what its experiment can say about it (sizes, terminals, simplified form), the parts are tried out:
each is replaced by something neutral, and the rest plays the same games again.  A part whose loss
changes nothing was idle, or its work is done by another one, too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin.errors import LudwinError
from ludwin.evolve.experiment import Experiment
from ludwin.evolve.run import ABLATION, Run, find_stored, read_settings
from ludwin.evolve.store import BadRun, find_champion, read_champion
from ludwin.library import is_path
from ludwin.trust import Permit, nobody

KNOWN: tuple[str, ...] = (
    "experiment",
    "seed",
    "ludwin",
    "generation",
    "origin",
    "fitness",
    "size",
    "score",
    "record",
    "text",
)  # of a champion's file


@dataclass(frozen=True)
class Champion:
    """A champion that was read from its file, with all that is needed to look at it."""

    path: Path
    data: dict[str, Any]
    run: Run  # its folder is that of the file, which need not hold the run
    genome: Any

    def picture(self) -> str:
        """Return the champion as SVG. Raises BadRun if its experiment draws none."""
        return self._demand(self.run.experiment.picture(self.run.settings, self.genome), "picture")

    def export(self) -> str:
        """Return the champion as plain Python. Raises BadRun if its experiment exports none."""
        return self._demand(self.run.experiment.export(self.run.settings, self.genome), "Python form")

    def exported(self, form: str, name: str, where: str = "") -> str:
        """Return the champion in another form. Raises BadRun for a form that its experiment has not."""
        experiment, settings = self.run.experiment, self.run.settings
        if form in experiment.exports:
            return experiment.exports[form](settings, self.genome, name, where)
        python = experiment.export(settings, self.genome)
        if form == "python" and python:
            return python
        has = [*(["python"] if python else []), *experiment.exports]
        way_out = f"it has {', '.join(has)}" if has else "it has none"
        raise BadRun(f"champions of {experiment.name} cannot be exported as {form}: {way_out}")

    def _demand(self, text: str, what: str) -> str:
        if not text:
            raise BadRun(f"champions of {self.run.experiment.name} have no {what}")
        return text


def open_champion(path: Path | str, find: Callable[[str], Experiment], permit: Permit = nobody) -> Champion:
    """Return the champion of a file or of a run's folder, examined by its experiment. Raises BadRun or Untrusted."""
    found = find_champion(Path(path))
    data = read_champion(found)
    experiment = find_stored(found, data, find, permit)
    settings = read_settings(found, experiment, data["settings"], permit, is_strict=False)
    stored, now = data.get("identity", {}), experiment.identity(settings)
    changed = [key for key in stored if key in now and stored[key] != now[key]]
    if "game" in changed and is_path(data["experiment"].partition(":")[0]):
        raise BadRun(
            f"{found}: the rules of {experiment.name} have changed since it evolved: it is a champion of another game"
        )
    others = [key for key in changed if key not in ("game", "texts")]
    if others and "texts" in now:  # a problem of a user's, which says itself what it depends on
        raise BadRun(
            f"{found}: the {others[0]} of {experiment.name} has changed since it evolved: what can be said of it now "
            f"is about other data"
        )
    try:
        genome = experiment.kind(settings).read(data["genome"])
    except LudwinError as error:
        raise BadRun(f"{found}: {error}") from None
    return Champion(found, data, Run(found.parent, experiment, str(data.get("preset")), settings, data["seed"]), genome)


def describe(champion: Champion) -> dict[str, Any]:
    """Return what is known of a champion without playing: the file's facts, then those of its experiment."""
    experiment, settings = champion.run.experiment, champion.run.settings
    text = experiment.kind(settings).text(champion.genome)  # not what the file says of it
    return {**told(champion.data), "text": text, **experiment.facts(settings, champion.genome)}


def told(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the file of a champion says by itself, without its experiment."""
    return {key: data[key] for key in KNOWN if key in data}


def ablate(
    champion: Champion, games: int, seed: int = 0, workers: int = 1, news: Callable[[str], None] = lambda words: None
) -> list[dict[str, Any]]:
    """Return the score of the champion, then of the rest without each part, in the same games.

    `change` is what is lost or won; a part matters for certain when the intervals do not meet.
    """
    run = champion.run
    opponent = run.experiment.opponents(run.settings)[0]
    stream = run.seed_for(ABLATION, seed)
    parts = run.experiment.parts(run.settings, champion.genome)
    news(f"the whole against {opponent}, then without each of its {len(parts)} parts")
    whole = run.measure(champion.genome, opponent, games, stream, workers)
    rows = [{"part": "(whole)", **whole.as_json(), "change": 0.0}]
    for name, rest in parts:
        found = run.measure(rest, opponent, games, stream, workers)
        rows.append({"part": name, **found.as_json(), "change": found.score - whole.score})
    return rows
