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

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ludwin.errors import BadParameter, did_you_mean
from ludwin.evolve.kind import Kind
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Fitness
from ludwin.measure import Measure as Measure

PRESETS = ("quick", "standard", "paper")
WORDS = {bool: "on or off", int: "a whole number", float: "a number", str: "a text"}
SWITCH = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}

Value = bool | int | float | str
Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Setting:
    """A key of `--set`: its default, what it means, and what it may be. The default's type is the value's."""

    key: str
    default: Value
    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    is_agent: bool = False  # whether the value is the text of an agent

    @property
    def kind(self) -> str:
        """What the value is, in words."""
        if self.choices:
            return " | ".join(self.choices)
        low = "" if self.least is None else f" from {self.least:g}"
        high = "" if self.most is None else f" to {self.most:g}"
        return WORDS[type(self.default)] + low + high

    def read(self, given: Any) -> Value:
        """Return the value that a text or a JSON value means. Raises BadParameter.

        >>> Setting("depth", 3, "plies", least=1).read("5")
        5
        >>> Setting("depth", 3, "plies", least=1).read("0")
        Traceback (most recent call last):
        ludwin.errors.BadParameter: depth must be at least 1, got 0
        """
        value = self._convert(given)
        if self.choices and value not in self.choices:
            raise BadParameter(
                f"{self.key} must be one of {', '.join(self.choices)}, got "
                f"{given!r:.60}{did_you_mean(str(given), self.choices)}"
            )
        if isinstance(value, float) and not math.isfinite(value) and value != self.default:
            raise BadParameter(f"{self.key} must be a finite number, got {given!r:.60}")
        if not isinstance(value, str) and self.least is not None and value < self.least:
            raise BadParameter(f"{self.key} must be at least {self.least:g}, got {value}")
        if not isinstance(value, str) and self.most is not None and value > self.most:
            raise BadParameter(f"{self.key} must be at most {self.most:g}, got {value}")
        return value

    def _convert(self, given: Any) -> Value:
        wanted = type(self.default)
        try:
            if wanted is bool:
                return given if isinstance(given, bool) else SWITCH[str(given).strip().lower()]
            if isinstance(given, bool) or not isinstance(given, int | float | str):
                raise ValueError
            if wanted is int and isinstance(given, float) and given != int(given):
                raise ValueError
            return wanted(given)
        except (KeyError, ValueError, OverflowError):
            raise BadParameter(f"{self.key} must be {WORDS[wanted]}, got {given!r:.60}") from None


def _no_picture(settings: Settings, genome: Any) -> str:
    return ""


def _no_facts(settings: Settings, genome: Any) -> dict[str, Any]:
    return {}


def _no_parts(settings: Settings, genome: Any) -> list[tuple[str, Any]]:
    return []


def _no_examination(settings: Settings) -> None:
    return None


def _no_identity(settings: Settings) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Experiment:
    """Something to evolve.

    `kind` and `fitness` are what evolution needs.  `opponents` names what a champion is measured
    against, the first being the yardstick; `measure(settings, genome, opponent, games, seed,
    workers)` plays that many games (more or fewer if they must be even) and is a pure function of
    all but the workers.  The rest is for people and files: `champion` is what a champion's
    file says beside the genome, so that it can be played; `facts` what `ludwin show` tells
    (simplified form, sizes, terminals used); `parts` the genome without each of its parts, by
    name; `picture` an SVG; `export` plain Python; `identity` what else a run depends on, such
    as a fingerprint of a user's rules.  `examine` raises BadParameter or CannotPlay for settings that
    would fail in the middle of a run.  What goes to files and to `--json` (`champion`, `facts`,
    `identity`) consists of JSON values.
    """

    name: str
    summary: str
    kind: Callable[[Settings], Kind[Any]]
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
    export: Callable[[Settings, Any], str] = _no_picture
    identity: Callable[[Settings], dict[str, Any]] = _no_identity
    examine: Callable[[Settings], None] = _no_examination


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
    found = []
    for item in fields(Plan):
        default: Any = item.default
        found.append(
            Setting(item.name, default, item.metadata["help"], item.metadata["least"], None, item.metadata["choices"])
        )
    return tuple(found)


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
    if preset not in PRESETS:
        raise BadParameter(f"preset must be {', '.join(PRESETS[:-1])} or {PRESETS[-1]}, got {preset!r:.60}")
    known = schema(experiment)
    for key in given:
        if key not in known:
            raise BadParameter(
                f"{experiment.name} has no setting {key!r:.60}{did_you_mean(key, known)}; `ludwin evolve "
                f"{experiment.name} --explain` lists all"
            )
    chosen = {**experiment.presets.get(preset, {}), **given}
    settings = {key: one.read(chosen.get(key, one.default)) for key, one in known.items()}
    plan(settings)
    return settings


def plan(settings: Settings) -> Plan:
    """Return the plan of breeding that settings contain. Raises BadParameter."""
    return Plan(**{item.name: settings[item.name] for item in fields(Plan)})
