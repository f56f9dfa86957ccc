"""What an agent is, and what it answers: a move with its reasons.

Why it is here.  An agent is a frozen set of settings with one verb, `choose`.  Its parameters are the
fields of a dataclass, so that the text `uct:playouts=1000,c=0.7`, its canonical form, the help of
the command line and the Python constructor are one thing.
"""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Self

from ludwin.errors import BadParameter, CannotPlay, GameOver, did_you_mean
from ludwin.game import Game, State

MOST = 2**40  # budgets above this are typing mistakes


@dataclass(frozen=True)
class Choice:
    """A move and why: values are seen from the mover's side.

    `decided` says that the line behind the value ends the game, and then `value` is its payoff;
    otherwise `value` is an opinion. `nodes` counts the states that the search looked at.
    """

    move: int
    value: float
    nodes: int
    decided: bool = False
    visits: dict[int, int] = field(default_factory=dict, repr=False, compare=False)


def setting(default: Any, help: str, least: float | None = None) -> Any:
    """Declare a parameter of an agent: its default, what it means, its least value."""
    return field(default=default, metadata={"help": help, "least": least})


@dataclass(frozen=True)
class Agent:
    """Something that chooses moves; subclasses are frozen dataclasses of settings."""

    name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for item in fields(self):
            value, least = getattr(self, item.name), item.metadata.get("least")
            if least is not None and not least <= value <= MOST:
                bound = f"at least {least:g}" if value < least else f"at most {MOST}"
                raise BadParameter(f"{self.name}: {item.name} must be {bound}, got {value}")

    def __str__(self) -> str:
        parts = []
        for item in fields(self):
            value = getattr(self, item.name)
            if value != item.default or item.metadata.get("always"):
                parts.append(f"{item.name}={value:g}" if isinstance(value, float) else f"{item.name}={value}")
        return f"{self.name}:{','.join(parts)}" if parts else self.name

    @classmethod
    def parse(cls, given: dict[str, str]) -> Self:
        """Make the agent from texts; raises BadParameter for what does not fit."""
        known = {item.name: item for item in fields(cls)}
        values = {}
        for key, text in given.items():
            if key not in known:
                has = ", ".join(known) or "none"
                raise BadParameter(f"{cls.name} has no parameter {key!r}{did_you_mean(key, known)} (it has {has})")
            default = known[key].default
            kind = str if default is MISSING else type(default)
            try:
                values[key] = kind(text)
            except ValueError:
                word = {int: "a whole number", float: "a number"}.get(kind, kind.__name__)
                raise BadParameter(f"{cls.name}: {key} must be {word}, got {text!r}") from None
        return cls(**values)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if this agent cannot play the game."""

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return a legal move for the mover, with reasons; same seed, same choice."""
        raise CannotPlay(f"{self.name} cannot choose a move by itself")


def must_move(game: Game, state: State) -> None:
    """Raise GameOver unless a player is to move."""
    if state.mover < 0:
        raise GameOver(f"{game.name}: nature moves here, nobody chooses")
    if state.over:
        raise GameOver(f"{game.name}: the game is over, there is no move to choose")
