"""Players that look at the positions behind their plays: Pubeval, the yardstick of thirty years, and a runner."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.games.backgammon.pubeval import _COLUMNS, _ENEMY_BLOT, BAR, OFF, POINTS
from ludwin.kernel.bundle import Members
from ludwin.kernel.specialise import Specialised
from ludwin.search.afterstate import AfterState
from ludwin.search.brain import Brain
from ludwin.search.choice import Agent, Choice
from ludwin.search.seat import Seat

# ---- Pubeval --------------------------------------------------------------------------------------------------------


def last_man(s, p):
    """Return the location of player p's rearmost man."""
    n = 0
    while n < 25 and s.men[26 * p + n] == 0:
        n += 1
    return n


def before_the_move(w):
    """Settle which weights speak: those of the race if nobody has to pass an enemy any more, else those of contact."""
    s = w.states[0]
    w.brain.stage = 0 if last_man(s, 0) + last_man(s, 1) < 25 else 1
    return 0


def pubeval_score(w, s, p, n):
    """Return Pubeval's score of a position to player p, who has just moved."""
    mine = 26 * p
    theirs = 26 - mine
    stage = w.brain.stage
    row = 24 * _COLUMNS * stage
    total = 0.0
    for k in range(1, 25):
        column = s.men[mine + k]
        if s.men[theirs + 25 - k] == 1:
            column = _ENEMY_BLOT
        total += w.brain_points[row + column]
        row += _COLUMNS
    beside = w.brain_beside[stage]
    return total + beside.bar * s.men[theirs] + beside.off * s.men[mine + 25]


@dataclass(frozen=True)
class PubevalBrain(Brain):
    """Pubeval's opinion: a number without a unit, more is better for who has just moved."""

    kind: ClassVar[str] = "pubeval"

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless it is backgammon."""
        demand_backgammon("pubeval", game)

    def bind(self, game: Game) -> dict[str, Any]:
        """Let Pubeval speak."""
        return {"assess": pubeval_score, "wake": before_the_move}

    def members(self, game: Game) -> Members:
        """Return the weights, and the place where the stage is kept."""
        beside = {"bar": float, "off": float}
        return {"brain": {"stage": int}, "brain_points": [float], "brain_beside": [beside]}

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return as many as there are."""
        return {"brain_points": len(POINTS), "brain_beside": len(BAR)}

    def prepare(self, run: Specialised, w: Any) -> None:
        """Write the weights."""
        w.brain_points[: len(POINTS)] = array("d", POINTS) if run.compiled else list(POINTS)
        for stage in range(len(BAR)):
            w.brain_beside[stage].bar, w.brain_beside[stage].off = BAR[stage], OFF[stage]


def demand_backgammon(who: str, game: Game) -> None:
    """Raise CannotPlay unless states have backgammon's men."""
    if not any(field.name == "men" and field.size == 52 for field in game.fields):
        raise CannotPlay(f"{who} plays backgammon, not {game.name}")


class OnePly(Agent):
    """A player that looks at the positions behind its moves; nothing is known to it about the cube."""

    is_inert: ClassVar[bool] = True  # a record that names it runs our code only

    def searcher(self) -> AfterState:
        """Return the search that plays for it."""
        raise NotImplementedError

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless it is backgammon without a cube."""
        demand_backgammon(self.name, game)
        if game.values.get("cube", game.source.parameters.get("cube")):
            raise CannotPlay(f"{self.name} knows nothing about the doubling cube; leave out cube=1")

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        return self.searcher().seat(game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the play that leads to the best position."""
        self.suits(game)
        return self.searcher().choose(game, state, seed=seed, mode=mode)


@dataclass(frozen=True)
class Pubeval(OnePly):
    """Tesauro's public evaluator of 1993, one ply deep: the yardstick of GP-Gammon and many others."""

    name: ClassVar[str] = "pubeval"

    def searcher(self) -> AfterState:
        """Return the search that plays for it."""
        return AfterState(brain=PubevalBrain())


@dataclass(frozen=True)
class HitAndRun(OnePly):
    """Takes the play after which it is furthest ahead in pips: it runs, and hits whatever stands alone."""

    name: ClassVar[str] = "hit-and-run"

    def searcher(self) -> AfterState:
        """Return the search that plays for it."""
        return AfterState(eval="pips")
