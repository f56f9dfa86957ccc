"""A run: what is evolved and where it is kept; how a run is begun, and opened again.

Why it is here.  Everything a run does is a pure function of its experiment, settings and seed, which its folder holds
in `settings.json` before anything else.  Whoever opens a folder again believes nothing in it: settings are examined,
agents that they name run only by permission, and what was begun by another version does not go on.  Carrying it out,
step by step, stands in `carrying.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ludwin
from ludwin.errors import BadParameter, LudwinError
from ludwin.evolve.engine import demand_fitting
from ludwin.evolve.experiment import Experiment, Measure, Settings, plan, schema
from ludwin.evolve.plan import TERMS
from ludwin.evolve.store import EVOLUTION, RUN, BadRun, is_empty, json_text, read_json
from ludwin.files import write_whole
from ludwin.formats import Mismatch
from ludwin.library import is_path, split
from ludwin.program.stream import Stream
from ludwin.trust import SEED, Named, Permit, Untrusted, demand_inert, nobody, settle

# What a seed of a measurement is for; far from the small numbers by which evolution splits the seed.
YARDSTICK, FINALIST, CHAMPIONS, RECORD, BEST_OF_SERIES, ABLATION, LARGER, LATER_CHAMPION, LATER_LARGER = range(
    90_001, 90_010
)

LATE_FILE = "late.json"  # the champion for a greater depth


@dataclass(frozen=True)
class Run:
    """What is run, and where. Settings are canonical: every key, as `settle` returns them."""

    folder: Path
    experiment: Experiment
    preset: str
    settings: Settings
    seed: int

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do."""
        needed = ("report.html", "champion.json", *([LATE_FILE] if self.is_tuned_late else []))
        return all((self.folder / name).is_file() for name in needed)

    @property
    def is_tuned_late(self) -> bool:
        """Whether the run makes a second champion, for a greater depth."""
        return bool(self.settings.get("late_depth")) and self.settings["breeding"] == TERMS

    def about(self) -> dict[str, Any]:
        """Return all that the run depends on, as it stands at the beginning of its files."""
        names = {
            "experiment": self.experiment.name,
            "preset": self.preset,
            "seed": self.seed,
            "ludwin": ludwin.__version__,
        }
        return {**names, "identity": self.experiment.identity(self.settings), "settings": dict(self.settings)}

    def seed_for(self, purpose: int, *numbers: int) -> int:
        """Return the seed of a measurement; no two purposes share one."""
        return Stream(self.seed, purpose, *numbers).seed()

    def measure(self, genome: Any, opponent: str, games: int, seed: int, workers: int = 1) -> Measure:
        """Return how a genome does against an opponent."""
        return self.experiment.measure(self.settings, genome, opponent, games, seed, workers)


# ---- Beginning and opening ------------------------------------------------------------------------


def create(folder: Path, experiment: Experiment, preset: str, settings: Settings, seed: int) -> Run:
    """Begin a run in a new or empty folder. Raises BadRun if something else is there."""
    run = Run(folder, experiment, preset, settings, seed)
    demand_seed(seed)
    examine(experiment, settings)
    claim(folder)
    write_whole(folder / "settings.json", json_text({**RUN.head, **run.about()}))
    return run


def demand_seed(seed: int) -> None:
    """Raise BadParameter for a seed that no file of ours holds."""
    try:
        SEED.examine(seed, "seed")
    except Mismatch as error:
        raise BadParameter(str(error)) from None


def examine(experiment: Experiment, settings: Settings) -> None:
    """Raise BadParameter or CannotPlay for settings that no run can be made of, before there is a folder that would be
    in the way of the next try.
    """
    experiment.kind(settings)
    if plan(settings).breeding != TERMS or experiment.history(settings, EVOLUTION, 0, 1, None) is None:
        demand_fitting(experiment.fitness(settings, 1), plan(settings), experiment.kind(settings))
    experiment.examine(settings)


def claim(folder: Path) -> None:
    """Make a folder for a run. Raises BadRun if it holds anything."""
    if folder.exists() and not folder.is_dir():
        raise BadRun(f"{folder} is no folder; give another --out")
    if (folder / "settings.json").exists():
        raise BadRun(
            f"{folder} holds a run already; --resume {folder} goes on with it or shows its result, another --out "
            f"begins a new one"
        )
    if folder.is_dir() and not is_empty(folder):
        raise BadRun(f"{folder} is not empty, and no run of ours; give another --out")
    folder.mkdir(parents=True, exist_ok=True)


def reopen(folder: Path, find: Callable[[str], Experiment], permit: Permit = nobody) -> Run:
    """Return the run that a folder holds. Raises BadRun, UnknownExperiment or Untrusted.

    `find` is asked for registered experiments and games, and for a user's rules that `permit` lets run.
    """
    path = folder / "settings.json"
    data = read_json(path, RUN)
    experiment = find_stored(path, data, find, permit)
    is_finished = (folder / "report.html").is_file()
    settings = read_settings(path, experiment, data["settings"], permit, is_strict=not is_finished)
    return Run(folder, experiment, data["preset"], settings, data["seed"])


# Settings that runs begun by earlier versions lack; what was done before there was a choice each says itself (`once`).
LATER = frozenset(
    (
        "budget",
        "shape_generations",
        "race",
        "label_games",
        "tuned",
        "wide",
        "deep_games",
        "children",
        "tries",
        "try_games",
        "opening",
        "opened",
        "widths",
        "late_depth",
        "late_games",
        "late_opened",
        "families",
        "first_terms",
        "language",
        "replacement",
        "smaller",
        "islands",
        "migrate_every",
        "migrants",
        "layers",
        "age_gap",
        "shapes",
        "step_size",
        "alike",
        "flavour",
        "learn",
        "learn_games",
        "ahead_games",
        "ahead_plies",
        "draws",
    )
)


def find_stored(path: Path, data: dict[str, Any], find: Callable[[str], Experiment], permit: Permit) -> Experiment:
    """Return the experiment that a file names. Raises UnknownExperiment, or Untrusted if it is a user's game that may
    not run.
    """
    identity = data.get("identity", {})
    return find(settle(Named(path, data["experiment"], identity.get("game", ""), identity.get("texts", "")), permit))


def read_settings(
    path: Path, experiment: Experiment, stored: dict[str, Any], permit: Permit | None, *, is_strict: bool
) -> dict[str, Any]:
    """Return stored settings, examined. Raises BadRun for values that do not fit, Untrusted for agents of the user's
    that `permit` does not let run; without a `permit` nobody may ask for these agents afterwards.

    To go on with a run its keys must be exactly ours (`is_strict`), but for those that came later. What is finished
    can be looked at when an experiment has changed: keys that it has lost are left out, new ones mean what was done
    without them.
    """
    known = schema(experiment)
    for key in (*known, *stored):
        if is_strict and ((key not in stored and key not in LATER) or key not in known):
            word = "has no setting" if key not in stored else "has an unknown setting"
            raise BadRun(
                f"{path} {word} {key!r:.60}: it was written by another version of {experiment.name}, which can go on "
                f"with it"
            )
    try:
        settings = {key: one.read(one.of_old(stored)) for key, one in known.items()}
        plan(settings)
        if permit is not None:
            for text in [text for one in known.values() for text in one.agents(settings[one.key])]:
                demand_inert(text, path, permit)
    except Untrusted:
        raise
    except LudwinError as error:
        raise BadRun(f"{path}: {error}") from None
    return settings


def demand_same_version(run: Run) -> None:
    """Raise BadRun if the run was begun by another version, or depends on something that has changed since."""
    path = run.folder / "settings.json"
    data = read_json(path, RUN)
    if data["ludwin"] != ludwin.__version__:
        begun, this = data["ludwin"], ludwin.__version__
        raise BadRun(
            f"{run.folder} was begun by ludwin {begun:.20}, this is {this}: it would not be the same run (`ludwin "
            f"runs` and `ludwin show` read it)"
        )
    now = run.experiment.identity(run.settings)
    for key in (*data["identity"], *now):
        if key in ("texts", "rows") and key not in data["identity"]:
            continue  # a run that was begun before texts were hashed (the fingerprint covers them), or rows of data
        if key == "game" and "texts" not in now and not is_path(split(data["experiment"])[0]):
            continue  # a game of ours, which is known by its name and the version
        if data["identity"].get(key) != now.get(key):
            raise BadRun(
                f"{run.folder}: the {key} of {run.experiment.name} has changed since the run began, so it cannot go "
                f"on; begin a new one with --out"
            )


def give_up(folder: Path) -> None:
    """Remove the files of a run that came to nothing, and its folder, if nothing else is in it.

    Somebody's function failed at once.  A run keeps to the text that it began with, so this one could never go on, and
    its folder would only be in the way of the mended one.
    """
    for pattern in ("settings.json", "log.jsonl", "run.sqlite*"):
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)
    if is_empty(folder):
        folder.rmdir()
