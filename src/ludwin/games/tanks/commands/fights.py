"""Robots as words on the command line, and battles of them here.

Why it is here.  The same robot is a resident of ours, a sample of the original, a file in Python or Java, or the
champion of a run.  A `Fighter` knows what it is here and there.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin.arena.simulate import Stage
from ludwin.errors import BadParameter, LudwinError
from ludwin.evolve.experiment import Experiment
from ludwin.evolve.show import open_champion
from ludwin.game import Game, State
from ludwin.games.tanks.commands.recordings import FoughtAgain, RecordedBattle
from ludwin.games.tanks.commands.robocode import JavaRobot, OriginalResult, java_robot
from ludwin.games.tanks.evolve import EXPERIMENTS
from ludwin.games.tanks.evolve.export import robot_java
from ludwin.games.tanks.opponents import AGENTS
from ludwin.games.tanks.opponents.haiku import Haiku
from ludwin.games.tanks.opponents.kept import HaikuEvolved
from ludwin.library import agent, load
from ludwin.search.choice import Agent

SAMPLES = {
    "sitting-duck": "SittingDuck", "fire": "Fire", "spin-bot": "SpinBot", "crazy": "Crazy", "walls": "Walls",
    "corners": "Corners", "ram-fire": "RamFire", "tracker": "Tracker", "track-fire": "TrackFire",
    "my-first-robot": "MyFirstRobot"}  # fmt: skip
RESIDENTS = {f"sample.{name}": word for word, name in SAMPLES.items()}


@dataclass(frozen=True)
class Fighter:
    """A robot as it was typed: what it is here (None if it is Java), and its programs if it evolved."""

    word: str
    agent: Agent | None
    number: int = 0

    @classmethod
    def of(cls, word: str, number: int = 0) -> "Fighter":
        """Return the robot that a word means. Raises LudwinError."""
        if not word.strip():
            raise BadParameter("a robot has a name or a file: one of those given is empty")
        if word in RESIDENTS:
            return cls(word, AGENTS[RESIDENTS[word]](), number)
        if word.startswith("sample.") or word.endswith(".java"):
            return cls(word, None, number)
        path = Path(word)
        if path.is_dir() or path.suffix == ".json":
            return cls(word, champion(word), number)
        found = agent(word, load("tanks"))
        return cls(word, found.haiku() if isinstance(found, HaikuEvolved) else found, number)

    def java(self) -> JavaRobot:
        """Return the robot for the original. Raises BadParameter if it has no form there."""
        name = getattr(self.agent, "name", "")
        if isinstance(self.agent, Haiku):
            short = f"Evolved{self.number}"
            return JavaRobot(f"ludwin.{short}", robot_java(self.agent.programs, short))
        if name in SAMPLES and self.agent is not None and not self.agent.foreign:
            return JavaRobot(f"sample.{SAMPLES[name]}")
        if self.word.startswith("sample."):
            return JavaRobot(self.word)
        if self.word.endswith(".java"):
            try:
                return java_robot(Path(self.word).read_text(encoding="utf8"), self.word)
            except (OSError, UnicodeDecodeError) as error:
                raise BadParameter(f"{self.word} cannot be read: {error}") from None
        raise BadParameter(
            f"{self.word} has no form in Java: the original's samples, files of Java and champions have "
            f"({', '.join(SAMPLES)})"
        )


def champion(path: str) -> Haiku:
    """Return the champion of a run, examined as `ludwin export` does. Raises LudwinError for a file of another kind."""
    known = {one.name: one for one in EXPERIMENTS}

    def find(name: str) -> Experiment:
        if name not in known:
            raise LudwinError(f"{path} holds a champion of {name[:40]!r}, not of tanks")
        return known[name]

    return Haiku(open_champion(path, find).genome)


def field_given(pairs: Sequence[str]) -> dict[str, str]:
    """Return the parameters that were given. Raises BadParameter."""
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadParameter(f"--set takes KEY=VALUE, got {pair!r}")
        if key.strip().lower() not in ("width", "height", "cooling", "inactivity"):
            raise BadParameter(f"--set takes width, height, cooling or inactivity, got {key!r}")
        found[key.strip().lower()] = value.strip()
    return found


@dataclass(frozen=True)
class BattleHere:
    """A battle that was fought here: a row for each robot."""

    rows: list[dict[str, Any]]


def stage_of(fighters: Sequence[Fighter], rounds: int, field: dict[str, str]) -> tuple[Game, Stage]:
    """Return the world and its robots."""
    game = load("tanks", robots=len(fighters), rounds=rounds, **field)
    agents = [fighter.agent for fighter in fighters]
    assert all(agents)
    return game, Stage(game, agents)  # type: ignore[arg-type]


def fought_here(fighters: Sequence[Fighter], rounds: int, seed: int, field: dict[str, str]) -> BattleHere:
    """Fight a battle with the seed that the original would have."""
    game, stage = stage_of(fighters, rounds, field)
    run = stage.play(seed, start=game.start().seed(seed))
    lost = {loss.player: f"{loss.reason} (turn {loss.tick})" for loss in run.lost}
    return BattleHere([result_row(run.final, p, fighter.word, lost.get(p, "")) for p, fighter in enumerate(fighters)])


def result_row(s: State, p: int, name: str, lost: str = "") -> dict[str, Any]:
    """Return what a robot scored in a battle, rounded as the original rounds."""
    parts = [
        float(part[p])
        for part in (
            s.total_survival, s.total_last_survivor, s.total_bullet_damage, s.total_bullet_bonus, s.total_ram_damage,
            s.total_ram_bonus)
    ]  # fmt: skip
    numbers = [math.floor(x + 0.5) for x in (sum(parts), *parts)]
    keys = OriginalResult._fields[1:]
    values = [*numbers, int(s.firsts[p]), int(s.seconds[p]), int(s.thirds[p])]
    return {"robot": name, **dict(zip(keys, values, strict=True)), "lost": lost or None}


def row_of(result: OriginalResult) -> dict[str, Any]:
    """Return a line of the original's table in the same form."""
    return {**result._asdict(), "lost": None}


def compared(recording: RecordedBattle, fighters: Sequence[Fighter]) -> FoughtAgain:
    """Fight a recorded battle again with robots of ours, and compare every turn."""
    game, stage = stage_of(fighters, recording.rounds, {})
    found = FoughtAgain(recording)
    run = stage.play(recording.seed, frame=found.look, start=game.start().seed(recording.seed))
    found.end(run.final)
    return found


def filmed(fighters: Sequence[Fighter], rounds: int, seed: int, field: dict[str, str]) -> tuple[Game, list[State]]:
    """Return the world, and all states of a battle."""
    game, stage = stage_of(fighters, rounds, field)
    states: list[State] = []
    run = stage.play(seed, frame=lambda tick, state: states.append(state), start=game.start().seed(seed))
    return game, [*states, run.final] if not states or states[-1] != run.final else states
