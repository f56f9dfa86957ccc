"""What an agent is, and what it answers: a move with its reasons.

Why it is here.  An agent is a frozen set of settings with one verb, `choose`.  Its parameters are the
fields of a dataclass, so that the text `uct:playouts=1000,c=0.7`, its canonical form, the help of
the command line and the Python constructor are one thing.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ludwin.errors import BadParameter, CannotPlay, GameOver, brief
from ludwin.game import Game, State
from ludwin.settings import declared, known_only
from ludwin.settings import setting as setting

if TYPE_CHECKING:
    from ludwin.search.thinking import ThinkingHandle


def advise(line: str) -> None:
    """Tell that settings are allowed and hardly meant; the command line puts its own voice here."""


def announce(path: str) -> None:
    """Tell that a file of a user's is about to run; the command line puts its own voice here."""


def aside() -> AbstractContextManager[Any]:
    """Let code that is not ours talk; the command line, whose stdout holds results only, sends it to stderr."""
    return nullcontext()


@dataclass(frozen=True)
class Choice:
    """A move and why: values are seen from the mover's side.

    `decided` says that the line behind the value ends the game, and then `value` is its payoff;
    otherwise `value` is an opinion. `nodes` counts the states that the search looked at, `kinds`
    says of which kind they were (inner, terminal, static; cuts and table hits beside them), `line`
    is the principal variation, and Monte Carlo agents give the visits and mean values of the root's
    moves; `margins` are half the widths of the values' 95 % intervals, where an agent knows them, and `payoffs`
    what each player gets on average, where an agent knows that and there are three players or more.
    """

    move: int
    value: float
    nodes: int
    decided: bool = False
    kinds: dict[str, int] = field(default_factory=dict, repr=False)
    depth: int = field(default=0, repr=False)
    line: tuple[int, ...] = field(default=(), repr=False)
    visits: dict[int, int] = field(default_factory=dict, repr=False)
    values: dict[int, float] = field(default_factory=dict, repr=False)
    margins: dict[int, float] = field(default_factory=dict, repr=False)
    payoffs: tuple[float, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Agent:
    """Something that chooses moves; subclasses are frozen dataclasses of settings."""

    name: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        """Examine what every agent's `choose` is given, so that a caller's mistake is one line wherever it is made."""
        own: Any = cls.__dict__.get("choose")
        if getattr(getattr(own, "__code__", None), "co_varnames", ())[:3] == ("self", "game", "state"):
            cls.choose = _examined(own)  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        for key, one in declared(self, endless=True).items():
            one.examine(getattr(self, key), self.name)

    def __str__(self) -> str:
        parts = []
        for item in fields(self):
            value = getattr(self, item.name)
            if value != self.usual(item.name, item.default) or item.metadata.get("always"):
                parts.append(f"{item.name}={repr(value).removesuffix('.0') if isinstance(value, float) else value}")
        return f"{self.name}:{','.join(parts)}" if parts else self.name

    @property
    def label(self) -> str:
        """What results and records call it: its text, and of a user's file its name and mark instead of its path."""
        return str(self)

    def usual(self, name: str, default: Any) -> Any:
        """Return what a setting is where it is left out: its default, unless that depends on other settings."""
        return default

    def refuse_idle(self, matters: Mapping[str, tuple[bool, str]]) -> None:
        """Raise BadParameter for the first setting that was given and would be ignored.

        `matters` says of settings whether the others let them have an effect, and what they need for that.
        """
        for item in fields(self):
            matter, need = matters.get(item.name, (True, ""))
            value = getattr(self, item.name)
            if not matter and value != self.usual(item.name, item.default):
                shown = f"{value:g}" if isinstance(value, float) else value
                idle = f"{self.name}: {item.name}={shown} has no effect without {need}"
                raise BadParameter(f"{idle}; give that too, or leave {item.name} out")

    @classmethod
    def parse(cls, given: dict[str, str]) -> Self:
        """Make the agent from texts; raises BadParameter for what does not fit."""
        known = declared(cls, endless=True, plain=True)
        known_only(given, known, f"{cls.name} has no parameter", f" (it has {', '.join(known) or 'none'})")
        values = {key: known[key].read(text, cls.name) for key, text in given.items()}
        return cls(**values)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if this agent cannot play the game."""

    @property
    def timed(self) -> bool:
        """Whether results depend on the clock."""
        return False

    @property
    def values_in(self) -> str:
        """What its values are where nothing is decided: "points" of an evaluation, or the expected "payoff"."""
        return "points"

    @property
    def remembers(self) -> bool:
        """Whether a choice depends on the moves before it in the same game (see `sit`)."""
        return False

    @property
    def foreign(self) -> bool:
        """Whether it runs code that is not ours: a file of a user's, another program."""
        return False

    def warm(self, game: Game, mode: str = "fast") -> None:
        """Do once what takes long and is no thinking (compile, verify), so that no clock runs meanwhile."""
        kernel = self.kernel(game)
        if kernel is not None:
            from ludwin.kernel.specialise import specialise

            specialise(game, kernel, mode)

    def heeds(self, game: Game, mode: str = "fast") -> bool:
        """Tell whether its search looks at a cell by which it can be ended from outside (`ludwin.search.watching`)."""
        return False

    def think(self, game: Game, state: State, seed: int = 0, *, mode: str = "fast") -> "ThinkingHandle":
        """Think about a position in the background: the handle has `peek`, `stop` and `result`."""
        from ludwin.search.thinking import begin

        return begin(self, game, state, seed, mode)

    def leave(self) -> None:
        """Give back what outlives a game, such as a program that was started; nothing by default."""

    def sit(self, game: Game, mode: str = "fast") -> "Player":
        """Return what chooses for this agent in one game; it may remember what it thought at the move before."""
        return lambda state, seed, played: self.choose(game, state, seed=seed, mode=mode)

    def seat(self, game: Game) -> Any:
        """Return the kernel that plays for this agent (a `Seat`), or None if only `choose` can."""
        return None

    def drive(self, game: Game) -> Any:
        """Return how this agent sets its controls in a world that ticks (a `Drive`), or None if it only moves."""
        return None

    def kernel(self, game: Game) -> Any:
        """Return the kernel that is compiled for this agent (a `Kernel`), or None if there is none."""
        seat = self.seat(game)
        return None if seat is None else seat.kernel

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return a legal move for the mover, with reasons; same seed, same choice."""
        raise CannotPlay(f"{self.name} cannot choose a move by itself")


def _examined(choose: Callable[..., Choice]) -> Callable[..., Choice]:
    """Return `choose` behind a door that asks whether game, state and seed are such, and fit each other."""

    @wraps(choose)
    def examined(self: Agent, game: Any, state: Any, *rest: Any, **more: Any) -> Choice:
        if not isinstance(state, State):
            raise BadParameter(f"{self.name} chooses in a state, such as game.start(), got {brief(state)}")
        if isinstance(game, str) and game in (state.game.text, state.game.name):
            game = state.game
        if not isinstance(game, Game):
            raise BadParameter(f"{self.name} chooses in a game, such as ludwin.load('nim'), got {brief(game)}")
        if state.game is not game and state.game != game:
            raise BadParameter(f"this is a state of {state.game.text}, not of {game.text}")
        seed = more.get("seed", 0)
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise BadParameter(f"seed must be a whole number, got {brief(seed)}")
        return choose(self, game, state, *rest, **more)

    return examined


Player = Callable[[State, int, Sequence[int]], Choice]  # a position, a seed and all moves of the game so far


def parse_with_file(text: str, usage: str, way_out: str) -> dict[str, str]:
    """Split `FILE,key=value,…` (or `file=FILE,…`), the text of an agent that begins with a file; raises
    BadParameter.
    """
    parts = text.split(",")
    file = []
    while parts and "=" not in parts[0]:
        file.append(parts.pop(0))
    given: dict[str, str] = {"file": ",".join(file).strip()} if file else {}
    for part in parts:
        key, equals, value = part.partition("=")
        key = key.strip().lower()
        if not equals or not key or key in given:
            raise BadParameter(f"this agent is written {usage}, got {text!r}")
        given[key] = value.strip()
    if not given.get("file"):
        raise BadParameter(f"this agent needs a file: {usage}; {way_out}")
    return given


def must_move(game: Game, state: State) -> None:
    """Raise GameOver unless a player is to move."""
    if state.mover < 0:
        raise GameOver(f"{game.name}: nature moves here, nobody chooses")
    if state.over:
        raise GameOver(f"{game.name}: the game is over, there is no move to choose")


def demand_two_players(agent: Agent, game: Game) -> None:
    """Raise CannotPlay unless the game has at most two players, a constant sum and no chance."""
    if game.has_chance:
        raise CannotPlay(f"{agent.name} does not play games of chance such as {game.name}; try expectimax or uct")
    demand_open(agent, game)
    demand_constant_sum(agent, game)


def demand_open(agent: Agent, game: Game) -> None:
    """Raise CannotPlay if the game hides something."""
    if game.has_secrets:
        raise CannotPlay(f"{agent.name} sees everything, {game.name} hides something; try uct")


def demand_constant_sum(agent: Agent, game: Game, others: str = "maxn or uct") -> None:
    """Raise CannotPlay unless the game has one player, or two whose payoffs have a constant sum."""
    if game.players > 2 or (game.players == 2 and game.payoff_sum is None):
        raise CannotPlay(
            f"{agent.name} plays games of two players with a constant payoff sum, {game.name} is none; try {others}"
        )
