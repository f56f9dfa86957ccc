"""Tuning: the parameters of an agent, found by matches and confirmed by others.

Why it is here.  An exploration constant that is right for one game is wrong by two orders of magnitude for another, and
single games say little.  So candidates from the whole range meet each other; a quadratic is fitted to how strong they
are; and the range closes in on its top, stage by stage.  What comes out then plays the agent as it was given, in games
that nobody has seen, until a sequential test has decided: a tuned value is a claim until then.

The method is a regression of strength after the idea of R. Coulom, "CLOP: confident local optimization for noisy
black-box parameter tuning" (ACG 13, 2012): a quadratic is a good model of strength only near the optimum, so it is
fitted again and again to what lies nearer.  It is not CLOP: candidates meet each other and not a fixed opponent, so
that the fit is a Bradley-Terry model whose strengths are a quadratic of the parameters, and the region is a box that
shrinks by a fixed factor.  Ranges that are positive and span a factor of ten or more are searched on a logarithmic
scale.
"""

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path, PurePath
from random import Random
from typing import Any

import numpy as np

import ludwin
from ludwin import library
from ludwin.arena.results import MatchResult
from ludwin.arena.standing import Standing
from ludwin.arena.terms import Terms, parse_sprt
from ludwin.arena.tournament import play_event
from ludwin.errors import BadParameter, LudwinError, brief
from ludwin.files import BESIDE, write_whole
from ludwin.formats import Format, List, Table, Text, Whole
from ludwin.game import Game, written
from ludwin.progress import SILENT, Progress
from ludwin.search.choice import Agent
from ludwin.settings import Setting, declared, known_only, within
from ludwin.words import html_table

TUNING = Format(
    "ludwin-tune",
    1,
    Table(
        {
            "game": Text(),
            "agent": Text(),
            "over": List(Text()),
            "plan": Table(
                dict.fromkeys(("seed", "candidates", "stages", "games", "confirm"), Whole()) | {"sprt": Text()}
            ),
            "ludwin": Text(),
        }
    ),
    "tuning of an agent",
)  # settings.json; compared as a whole to go on

SHRINK = 0.6  # of a stage's width, the next one's: 4 decades become 0.5 in five stages
PRIOR = 0.05  # of the ridge that keeps a fit finite where one side has won all its games
ELO = 400 / math.log(10)  # of one unit of strength
TRIALS = 4096  # points at which the top of a fit is looked for
FLAT = 10.0  # Elo below the top that still count as the same


@dataclass(frozen=True)
class Span:
    """A parameter and where to look for it: a range, or a few values."""

    key: str
    low: float = 0.0
    high: float = 1.0
    whole: bool = False
    values: tuple[str, ...] = ()  # of a parameter that is chosen, not measured

    @property
    def logarithmic(self) -> bool:
        """Whether factors are what matters."""
        return not self.values and self.low > 0 and self.high >= 10 * self.low

    def at(self, place: float) -> str:
        """Return the value at a place from 0 to 1, as an agent's text has it: four figures are enough for anybody."""
        if self.values:
            return self.values[min(int(place * len(self.values)), len(self.values) - 1)]
        if self.logarithmic:
            value = self.low * (self.high / self.low) ** place
        else:
            value = self.low + (self.high - self.low) * place
        value = min(max(value, self.low), self.high)
        return str(round(value)) if self.whole else f"{value:.4g}"

    def place(self, text: str) -> float:
        """Return where a value lies, from 0 to 1."""
        if self.values:
            return (self.values.index(text) + 0.5) / len(self.values)
        value = float(text)
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def __str__(self) -> str:
        ends = "|".join(self.values) or f"{self.low:g}..{self.high:g}"
        return f"{self.key}={ends}"


def spans(text: str, base: Agent) -> tuple[Span, ...]:
    """Read `c=0.001..10,worlds=4..64,order=on|off` for an agent. Raises BadParameter."""
    if not isinstance(text, str):
        raise BadParameter(f"what to tune over is a text such as 'c=0.1..2', got {brief(text)}")
    known = declared(type(base), endless=True, plain=True)
    found: dict[str, Span] = {}
    for part in library.split_commas(text):
        key, equals, rest = (word.strip() for word in part.partition("="))
        if not equals or not rest or (".." not in rest and "|" not in rest):
            raise BadParameter(f"--over wants ranges key=LOW..HIGH or choices key=A|B, got {brief(part)}")
        known_only([key], known, f"{base.name} has no parameter", f" (it has {', '.join(known) or 'none'})")
        if key in found:
            raise BadParameter(f"--over: {key} is given twice")
        found[key] = _span(known[key], rest, base.name)
    return tuple(found.values())


def _span(one: Setting, text: str, owner: str) -> Span:
    if "|" in text:
        values = tuple(word.strip() for word in text.split("|"))
        for word in values:
            one.read(word, owner)
        if len(set(values)) < len(values):
            raise BadParameter(f"--over: {one.key} has a value twice in {brief(text)}")
        return Span(one.key, values=values)
    if one.wanted not in (int, float):
        raise BadParameter(f"--over: {one.key} is no number; give its values as {one.key}=A|B")
    low, _, high = text.partition("..")
    least, most = (float(one.read(word.strip(), owner)) for word in (low, high))
    if not (math.isfinite(least) and math.isfinite(most) and least < most):
        raise BadParameter(f"--over: {one.key} must go from a smaller to a greater number, got {brief(text)}")
    return Span(one.key, least, most, one.wanted is int)


@dataclass(frozen=True)
class TuningPlan:
    """How much is played: stages of a round robin of candidates, then a confirmation."""

    seed: int = 0
    candidates: int = 12
    stages: int = 5
    games: int = 4  # of every two candidates of a stage
    confirm: int = 2000  # games at most
    sprt: str = "0,30"

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name != "sprt" and (isinstance(value, bool) or not isinstance(value, int)):
                raise BadParameter(f"{item.name} must be a whole number, got {brief(value)}")
        within("candidates", self.candidates, least=3, most=200)
        within("stages", self.stages, least=1, most=99)
        within("confirm", self.confirm, least=0)
        for name in ("games", "confirm"):
            if getattr(self, name) % 2 or (name == "games" and self.games < 2):
                raise BadParameter(f"{name} must be even, so that each side begins as often, got {getattr(self, name)}")
        parse_sprt(self.sprt)

    def event(self, stage: int) -> Terms:
        """Return the terms of a stage; each has a seed of its own, and the confirmation (stage 0) another."""
        if stage:
            return Terms(games=self.games, seed=1000 * self.seed + stage)
        return Terms(games=self.confirm, seed=1000 * self.seed, sprt=parse_sprt(self.sprt))


@dataclass(frozen=True)
class TuningStage:
    """What one stage has found: the box it looked at, its top, and how far the fit rises within it."""

    box: dict[str, str]
    best: dict[str, str]
    rise: float  # Elo from the lowest place of the box to its top, by the fit
    games: int


@dataclass(frozen=True, repr=False)
class TunedAgent:
    """A tuned agent, how it was found, and what the confirmation says of it."""

    game: str
    given: str
    agent: str
    stages: tuple[TuningStage, ...]
    flat: dict[str, str]  # where the last fit lies within ten Elo of its top
    confirmation: MatchResult | None

    @property
    def confirmed(self) -> bool | None:
        """Whether the tuned agent beat the given one by the sequential test; None if that is not decided."""
        verdict = self.confirmation.outcome.verdict if self.confirmation else None
        return {"accept": True, "reject": False}.get(verdict or "")

    def to_dict(self) -> dict[str, Any]:
        """Return what `ludwin tune --json` prints: ranges are `low` and `high`, choices lists, values numbers."""
        stages = [
            {**vars(stage), "box": _ranges(stage.box), "best": {key: _plain(one) for key, one in stage.best.items()}}
            for stage in self.stages
        ]
        return {
            "game": self.game,
            "agent": self.given,
            "tuned": self.agent,
            "flat": _ranges(self.flat),
            "stages": stages,
            "confirmed": self.confirmed,
            "confirmation": self.confirmation.to_dict() if self.confirmation else None,
        }

    def _repr_html_(self) -> str:
        rows = [
            [str(number), _words(stage.box), _words(stage.best), f"{stage.rise:.0f}", str(stage.games)]
            for number, stage in enumerate(self.stages, 1)
        ]
        title = f"{self.game}: {self.given} becomes {self.agent}"
        table = html_table(title, ["stage", "looked at", "best", "rise, Elo", "games"], rows, (0, 3, 4))
        return table + (self.confirmation._repr_html_() if self.confirmation else "")

    def __repr__(self) -> str:
        lines = [f"{self.game}: {self.given} becomes {self.agent}"]
        for number, stage in enumerate(self.stages, 1):
            box, best = _words(stage.box), _words(stage.best)
            lines.append(
                f"  stage {number}: {box}, {stage.games} games: best {best}, {stage.rise:.0f} Elo above the worst"
            )
        lines.append(f"  within {FLAT:g} Elo of the best, by the last fit: {_words(self.flat)}")
        if self.confirmation is None:
            return "\n".join([*lines, "  not confirmed: no games were played for it"])
        said = {True: "confirmed", False: "not confirmed: it is no stronger", None: "undecided"}[self.confirmed]
        if self.given == self.agent:
            said = "nothing to confirm: it is the agent that was given"
        return "\n".join([*lines, f"  {said}, on fresh games:", str(self.confirmation)])


def _ranges(texts: Mapping[str, str]) -> dict[str, Any]:
    """Return ranges for machines.

    >>> _ranges({"c": "0.5..2", "order": "on|off"})
    {'c': {'low': 0.5, 'high': 2}, 'order': ['on', 'off']}
    """
    found: dict[str, Any] = {}
    for key, text in texts.items():
        ends = [_plain(word) for word in text.split("..")]
        found[key] = {"low": ends[0], "high": ends[1]} if len(ends) == 2 else [_plain(word) for word in text.split("|")]
    return found


def _plain(text: str) -> int | float | str:
    """Return a number where a text is one."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _words(values: Mapping[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in values.items())


def tune(
    game: Game | str | Path,
    agent: Agent | str,
    over: str,
    *,
    plan: TuningPlan | None = None,
    workers: int = 1,
    out: Path | str | None = None,
    mode: str = "fast",
    progress: Progress = SILENT,
) -> TunedAgent:
    """Find values of an agent's parameters by matches, and confirm them against the agent as it was given.

    `over` is a text such as "c=0.001..10". The games are recorded in the folder `out`, and a tuning that was
    interrupted goes on there. Raises LudwinError for what cannot be tuned.
    """
    rules = game if isinstance(game, Game) else library.load(game)
    (base,) = library.agents([agent], rules)
    if rules.players != 2:
        raise BadParameter(f"tune compares agents by matches of two; {rules.name} has {rules.players} players")
    if plan is not None and not isinstance(plan, TuningPlan):
        raise BadParameter(f"plan is a TuningPlan, such as TuningPlan(games=2), got {brief(plan)}")
    if out is not None and not isinstance(out, str | PurePath):
        raise BadParameter(f"out must be the name of a folder, got {brief(out)}")
    work = _Tuning(rules, base, spans(over, base), plan or TuningPlan())
    work.play = {"workers": workers, "mode": mode, "progress": progress}
    if out is not None:
        work.open(Path(out))
    return work.run()


class _Tuning:
    """A tuning as it goes on."""

    def __init__(self, game: Game, base: Agent, over: Sequence[Span], plan: TuningPlan):
        self.game, self.base, self.over, self.plan = game, base, tuple(over), plan
        self.folder: Path | None = None
        self.play: dict[str, Any] = {}
        self.low = np.zeros(len(over))
        self.high = np.ones(len(over))
        self.seen: list[tuple[np.ndarray, np.ndarray, float, int]] = []  # two places, the points of the first, games
        self.rng = Random(f"tune {plan.seed}")

    def open(self, folder: Path) -> None:
        """Begin a folder, or go on with one. Raises LudwinError if it is another's."""
        body = {
            "game": self.game.text,
            "agent": str(self.base),
            "over": [str(span) for span in self.over],
            "plan": dict(vars(self.plan)),
            "ludwin": ludwin.__version__,
        }
        text = json.dumps({**TUNING.head, **body}, indent=1, ensure_ascii=False) + "\n"
        settings = folder / "settings.json"
        try:
            if settings.exists():
                if settings.read_bytes() != text.encode():
                    raise LudwinError(f"{folder} holds another experiment or other settings; give another folder")
            elif folder.is_dir() and any(not path.name.startswith(BESIDE) for path in folder.iterdir()):
                raise LudwinError(f"{folder} holds other files; give a new or empty folder")
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(settings, text)
        except OSError as error:
            raise BadParameter(f"cannot write to {folder}: {(error.strerror or str(error)).lower()}") from None
        self.folder = folder

    def run(self) -> TunedAgent:
        """Play the stages and the confirmation."""
        stages = [self.stage(number) for number in range(1, self.plan.stages + 1)]
        best = self.agent_at(self.best)
        confirmation = None
        if self.plan.confirm and str(best) != str(self.base):
            self.play["progress"].note(f"confirming {best} against {self.base}")
            confirmation = MatchResult(self.event("confirmation", [best, self.base], 0))
        found = TunedAgent(self.game.text, str(self.base), str(best), tuple(stages), self.flat(), confirmation)
        if self.folder:
            head = {"format": "ludwin-tuned", "version": 1, "ludwin": ludwin.__version__}
            text = json.dumps({**head, **found.to_dict()}, indent=1, ensure_ascii=False) + "\n"
            write_whole(self.folder / "tuned.json", text)
        return found

    def agent_at(self, place: np.ndarray) -> Agent:
        """Return the agent with the parameters of a place."""
        name, given = library.split(str(self.base))
        given |= {span.key: span.at(float(x)) for span, x in zip(self.over, place, strict=True)}
        parts = ",".join(f"{key}={written(value)}" for key, value in given.items())
        return library.agent(f"{name}:{parts}", self.game)

    def event(self, name: str, agents: Sequence[Agent], stage: int) -> Any:
        """Play an event; with a folder, what is on file there is not played again."""
        files: dict[str, Any] = {}
        if self.folder:
            path = self.folder / f"{name}.jsonl"
            files = {"resume" if path.exists() else "out": path}
        return play_event(self.game, agents, self.plan.event(stage), **self.play, **files)

    def stage(self, number: int) -> TuningStage:
        """Play a round robin of candidates, fit their strength, and close in on its top."""
        # Step 1. A Latin square of candidates: every part of every parameter's range has one.
        places: list[np.ndarray] = []
        agents: list[Agent] = []
        for place in self.candidates():
            made = self.agent_at(place)
            if str(made) not in map(str, agents):  # whole numbers and choices may coincide
                agents.append(made)
                places.append(self.snapped(place))
        box = self.box()
        if len(agents) < 2:
            raise BadParameter(f"--over {','.join(map(str, self.over))} has only one value to try: {agents[0]}")
        # Step 2. They meet.
        self.play["progress"].note(f"stage {number} of {self.plan.stages}: {_words(box)}")
        standing: Standing = self.event(f"stage-{number}", agents, number).standing
        for (a, b), tally in sorted(standing.tallies.items()):
            self.seen.append((places[a], places[b], tally.score * tally.games, tally.games))
        # Step 3. Strength, where it is greatest, and the next box around that place.
        self.fit()
        trials = self.trials()
        heights = self.strength(trials)
        self.best = self.snapped(trials[int(np.argmax(heights))])
        rise = float(heights.max() - heights.min()) * ELO
        found = TuningStage(box, self.values(self.best), round(rise, 1), standing.games)
        if number < self.plan.stages:
            self.close_in()
        return found

    def candidates(self) -> list[np.ndarray]:
        count = self.plan.candidates
        columns = []
        for _ in self.over:
            order = [(k + 0.5) / count for k in range(count)]
            self.rng.shuffle(order)
            columns.append(order)
        square = np.array(columns).T
        return list(self.low + square * (self.high - self.low))

    def snapped(self, place: np.ndarray) -> np.ndarray:
        """Return the place of the values that a place stands for: agents have four figures, or whole numbers."""
        return np.array([span.place(span.at(float(x))) for span, x in zip(self.over, place, strict=True)])

    def values(self, place: np.ndarray) -> dict[str, str]:
        return {span.key: span.at(float(x)) for span, x in zip(self.over, place, strict=True)}

    def box(self) -> dict[str, str]:
        """Return the ranges that are looked at now."""
        ends = zip(self.over, self.low, self.high, strict=True)
        return {
            span.key: "|".join(span.values) if span.values else f"{span.at(float(a))}..{span.at(float(b))}"
            for span, a, b in ends
        }

    def features(self, places: np.ndarray) -> np.ndarray:
        """Return what strength is a linear function of: squares and products of ranges, one column for each choice."""
        centre, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        x = (places - centre) / half
        measured = [k for k, span in enumerate(self.over) if not span.values]
        columns = [x[:, k] for k in measured]
        columns += [x[:, i] * x[:, j] for n, i in enumerate(measured) for j in measured[n:]]
        for k, span in enumerate(self.over):
            chosen = np.minimum((places[:, k] * len(span.values)).astype(int), len(span.values) - 1)
            columns += [(chosen == value).astype(float) for value in range(len(span.values))]
        return np.stack(columns, axis=1)

    def fit(self) -> None:
        """Fit the strengths of a Bradley-Terry model, by Newton's method, to the games within or near the box."""
        margin = (self.high - self.low) * 0.1
        low, high = self.low - margin, self.high + margin

        def near(place: np.ndarray) -> bool:
            return bool(np.all((place >= low) & (place <= high)))

        rows = [row for row in self.seen if near(row[0]) and near(row[1])]
        first, second = (np.array([row[k] for row in rows]) for k in (0, 1))
        difference = self.features(first) - self.features(second)
        points, games = (np.array([row[k] for row in rows], float) for k in (2, 3))
        weights = np.zeros(difference.shape[1])
        for _ in range(50):
            p = 1 / (1 + np.exp(-np.clip(difference @ weights, -30, 30)))
            slope = difference.T @ (points - games * p) - PRIOR * weights
            curve = (difference.T * (games * p * (1 - p))) @ difference + PRIOR * np.eye(len(weights))
            step = np.linalg.solve(curve, slope)
            weights += step / max(1.0, float(np.abs(step).max()))
            if np.abs(step).max() < 1e-9:
                break
        self.weights = weights

    def strength(self, places: np.ndarray) -> np.ndarray:
        heights: np.ndarray = self.features(places) @ self.weights
        return heights

    def trials(self) -> np.ndarray:
        """Return places all over the box, the same for the same seed."""
        rng = np.random.default_rng([self.plan.seed & 0xFFFFFFFF, len(self.seen)])
        made = self.low + rng.random((TRIALS, len(self.over))) * (self.high - self.low)
        return np.array(sorted(map(tuple, made)))

    def close_in(self) -> None:
        """Shrink the box around the best place, within the whole range; what is chosen stays as it is."""
        for k, span in enumerate(self.over):
            if span.values:
                continue
            width = (self.high[k] - self.low[k]) * SHRINK
            self.low[k] = min(max(self.best[k] - width / 2, 0.0), 1.0 - width)
            self.high[k] = self.low[k] + width

    def flat(self) -> dict[str, str]:
        """Return between which values the last fit is within ten Elo of its top, all else at its best."""
        found = {}
        for k, span in enumerate(self.over):
            places = np.tile(self.best, (401, 1))
            places[:, k] = np.linspace(self.low[k], self.high[k], 401)
            heights = self.strength(places) * ELO
            same = [span.at(float(x)) for x in places[heights >= heights.max() - FLAT, k]]
            found[span.key] = "|".join(dict.fromkeys(same)) if span.values else f"{same[0]}..{same[-1]}"
        return found
