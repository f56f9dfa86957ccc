"""What `ludwin evolve NAME` runs: a kind of genome, a fitness, a yardstick, and settings that explain themselves.

Why it is here.  Evolution itself (`engine.py`) knows neither games nor files, and a run (`run.py`)
knows neither genomes nor opponents.  An experiment is the value between them: a schema of
settings with presets, and a few functions of those settings.  Everything that a run needs comes
from here, so a new experiment is one such value in the folder of its game.

Three measurements, never mixed.  The *fitness* steers selection.  The *yardstick* measures the best of
every few generations against a fixed opponent, and steers nothing while evolution runs.  After
the run the *finalists* play many more games on fresh seeds; the best of them is the champion, and
since choosing the best of several flatters it, it is measured once more on seeds that nobody has seen.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ludwin.evolve.kind import Representation
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Fitness, Generation
from ludwin.evolve.populations import Ecology
from ludwin.measure import Measure as Measure
from ludwin.settings import Setting as Setting
from ludwin.settings import Value as Value
from ludwin.settings import declared, known_only, one_of
from ludwin.words import PRESETS as PRESETS

Settings = Mapping[str, Any]
Export = Callable[
    [Settings, Any, str, str], str
]  # settings, genome, a name, what it is for ("": as it evolved) -> text


def _no_picture(settings: Settings, genome: Any) -> str:
    return ""


def _no_facts(settings: Settings, genome: Any) -> dict[str, Any]:
    return {}


def _no_parts(settings: Settings, genome: Any) -> list[tuple[str, Any]]:
    return []


def _no_limit(settings: Settings) -> float | None:
    return None


def _no_examination(settings: Settings) -> None:
    return None


def _no_identity(settings: Settings) -> dict[str, Any]:
    return {}


def _by_the_engine(
    settings: Settings, branch: str, seed: int, workers: int, start: Generation[Any] | None
) -> Iterator[Generation[Any]] | None:
    return None


def _record_games(settings: Settings, opponent: str) -> int:
    return int(settings["record_games"])


@dataclass(frozen=True)
class Experiment:
    """Something to evolve.

    `kind` and `fitness` are what evolution needs.  `opponents` names what a champion is measured
    against, the first being the yardstick; `measure(settings, genome, opponent, games, seed,
    workers)` plays that many games (more or fewer if they must be even) and is a pure function of
    all but the workers.  The rest is for people and files: `champion` is what a champion's
    file says beside the genome, so that it can be played; `facts` what `ludwin show` tells
    (simplified form, sizes, terminals used); `parts` the genome without each of its parts, by
    name; `picture` an SVG; `page` a part of the report, in HTML, that lets people read it; `most` the greatest fitness
    that there can be, if that is known; `export` plain Python; `exports` other forms for `ludwin export`, by name;
    `identity` what else a run depends on, such
    as a fingerprint of a user's rules.  `examine` raises BadParameter or CannotPlay for settings that
    would fail in the middle of a run.  `ecology` is for several populations in one run and for who wants a say in every
    generation: it yields them instead of the engine (`populations.py`), and its kind is `kind`.  `history(settings,
    branch, seed, workers, start)` yields the generations of a breeding that has a loop and a random search of its own
    (`stages.py`); None leaves them to the others.  `record_games` is how many games the champion
    plays against one of the other opponents.  What goes to files and to `--json` (`champion`, `facts`, `identity`)
    consists of JSON values.
    """

    name: str
    summary: str
    kind: Callable[[Settings], Representation[Any]]
    fitness: Callable[[Settings, int], Fitness[Any]]
    opponents: Callable[[Settings], Sequence[str]]
    measure: Callable[[Settings, Any, str, int, int, int], Measure]
    settings: tuple[Setting, ...] = ()
    defaults: Mapping[str, Value] = field(default_factory=dict)  # instead of those of Plan and COMMON
    presets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    champion: Callable[[Settings, Any], dict[str, Any]] = _no_facts
    facts: Callable[[Settings, Any], dict[str, Any]] = _no_facts
    parts: Callable[[Settings, Any], Sequence[tuple[str, Any]]] = _no_parts
    picture: Callable[[Settings, Any], str] = _no_picture
    page: Callable[[Settings, Any], str] = _no_picture
    most: Callable[[Settings], float | None] = _no_limit
    export: Callable[[Settings, Any], str] = _no_picture
    exports: Mapping[str, Export] = field(default_factory=dict)
    identity: Callable[[Settings], dict[str, Any]] = _no_identity
    examine: Callable[[Settings], None] = _no_examination
    history: Callable[[Settings, str, int, int, Generation[Any] | None], Iterator[Generation[Any]] | None] = (
        _by_the_engine
    )
    ecology: Callable[[Settings, int], Ecology] | None = None
    record_games: Callable[[Settings, str], int] = _record_games


# What every run has beside its plan of breeding.
COMMON = (
    Setting("yardstick_every", 5, "generations between measurements of the best against the yardstick", least=1),
    Setting("yardstick_games", 200, "games of such a measurement", least=2),
    Setting("finalists", 8, "best of the measured generations that play again after the run", least=1),
    Setting("last", 4, "best of the last generation that join them", least=0),
    Setting("finalist_games", 1000, "games of each finalist, on fresh seeds", least=2),
    Setting("champion_games", 2000, "games of the champion, on yet other seeds: the reported score", least=2),
    Setting("record_games", 1000, "games of the champion against each other opponent", least=2),
    Setting("baseline", False, "also search at random with equal evaluations, and report it beside"),
)


def plan_settings() -> tuple[Setting, ...]:
    """Return the keys of the plan of breeding, as it declares them."""
    return tuple(declared(Plan).values())


def schema(experiment: Experiment) -> dict[str, Setting]:
    """Return all keys of an experiment with its own defaults: its own first, then breeding, then measuring."""
    known: dict[str, Setting] = {}
    for one in (*experiment.settings, *plan_settings(), *COMMON):
        assert one.key not in known, f"{experiment.name}: {one.key} is declared twice"
        default = experiment.defaults.get(one.key, one.default)
        known[one.key] = replace(one, default=default)
    return known


def settle(experiment: Experiment, preset: str, given: Mapping[str, Any]) -> dict[str, Value]:
    """Return the canonical settings: every key, from the defaults, the preset and what was given. Raises
    BadParameter.
    """
    one_of("preset", preset, PRESETS)
    known = schema(experiment)
    way_out = f"; `ludwin evolve {experiment.name} --explain` lists all"
    known_only(given, known, f"{experiment.name} has no setting", way_out)
    known_only(experiment.presets.get(preset, {}), known, f"preset {preset} of {experiment.name}: no setting", way_out)
    chosen = {**experiment.presets.get(preset, {}), **given}
    settings = {key: one.read(chosen.get(key, one.default)) for key, one in known.items()}
    plan(settings)
    return settings


def plan(settings: Settings) -> Plan:
    """Return the plan of breeding that settings contain. Raises BadParameter."""
    return Plan(**{item.name: settings[item.name] for item in fields(Plan)})
