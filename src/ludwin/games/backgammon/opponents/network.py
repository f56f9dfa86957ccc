"""A small network that judges positions: what temporal differences learn, and the player that comes with Ludwin.

Inputs are the book's terminals and nothing else: in contact those of the contact tree (135, most of them
0), in a race the men of both sides by location and the pips.  One layer of units of the form `If(x > 0, x, 0)` and a
weighted sum beside it: a network that the book's language can write down, since it has Add, Mul, If and Greater.  The
answer is the chance to win of the player who has just moved.

References.  G. Tesauro, "Temporal difference learning and TD-Gammon", Communications of the ACM 38 (1995), 58-68.
"""

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.formats import Format, List, Number, Table, Whole, read_json
from ludwin.game import Game, State
from ludwin.games.backgammon.opponents.oneply import OnePly, before_the_move, demand_backgammon, last_man
from ludwin.kernel.bundle import Members
from ludwin.kernel.names import query
from ludwin.kernel.specialise import Specialised
from ludwin.paths import typed
from ludwin.search.afterstate import AfterState
from ludwin.search.brain import Brain
from ludwin.search.choice import Choice, setting
from ludwin.search.expectimax import Star2
from ludwin.search.seat import Seat

WIDE = 136  # inputs of a stage, at most
MOST_UNITS = 200
ROW = MOST_UNITS + 1  # the weights of the units of a stage, and the constant behind them
FAR = 30.0  # beyond it a chance is 0 or 1
COMES_WITH_LUDWIN = Path(__file__).parents[1] / "data" / "td.json"

WEIGHT = Number(-1e6, 1e6)
NETWORK = Format(
    "ludwin-backgammon-network",
    1,
    Table(
        {
            "hidden": Whole(0, MOST_UNITS),
            "games": Whole(0, 10**12),
            "seed": Whole(),
            "stream": Whole(),
            "first": List(WEIGHT),
            "bias": List(WEIGHT),
            "top": List(WEIGHT),
            "skip": List(WEIGHT),
        }
    ),
    "network for backgammon",
)

MEMBERS: Members = {
    "brain": {"stage": int, "hidden": int},
    "brain_at": [int],
    "brain_x": [float],
    "brain_hidden": [float],
    "brain_first": [float],
    "brain_bias": [float],
    "brain_top": [float],
    "brain_skip": [float],
}


# ---- The network (kernel text) --------------------------------------------------------------------------------------


def note(w, k, at, x):
    """Write down that input `at` is x; return how many are written."""
    w.brain_at[k] = at
    w.brain_x[k] = x
    return k + 1


def encode(w, s, p, stage):
    """Write the inputs that are not 0, as player p sees a position; return how many they are."""
    me = 26 * p
    foe = 26 - me
    k = 0
    mine = 0
    theirs = 0
    for n in range(26):
        own = s.men[me + n]
        other = s.men[foe + n]
        mine += (25 - n) * own
        theirs += (25 - n) * other
        if stage == 1:
            if own > 0:
                k = note(w, k, n, 0.5 * own)
            if other > 0:
                k = note(w, k, 26 + n, 0.5 * other)
        else:
            if own == 1:
                k = note(w, k, n, 1.0)
            elif own > 1:
                k = note(w, k, 26 + n, 1.0)
                if own > 2:
                    k = note(w, k, 52 + n, 1.0 * (own - 2))
            at = n if n % 25 == 0 else 25 - n
            if other == 1:
                k = note(w, k, 78 + at, 1.0)
            elif other > 1:
                k = note(w, k, 104 + at, 1.0)
    if stage == 1:
        k = note(w, k, 52, mine / 30.0)
        return note(w, k, 53, theirs / 30.0)
    k = note(w, k, 130, mine / 167.0)
    k = note(w, k, 131, theirs / 167.0)
    k = note(w, k, 132, query(s, p, 7, 0))
    k = note(w, k, 133, query(s, p, 8, 0))
    return note(w, k, 134, query(s, p, 9, 0))


def answer(w, stage, k):
    """Return what the network says about k inputs: above 0 if it expects to win. The units' sums stay in the bundle."""
    units = w.brain.hidden
    row = ROW * stage
    for h in range(units):
        w.brain_hidden[h] = w.brain_bias[row + h]
    total = w.brain_top[row + MOST_UNITS]
    for j in range(k):
        i = WIDE * stage + w.brain_at[j]
        x = w.brain_x[j]
        total += x * w.brain_skip[i]
        place = i * units
        for h in range(units):
            w.brain_hidden[h] += x * w.brain_first[place + h]
    for h in range(units):
        if w.brain_hidden[h] > 0.0:
            total += w.brain_hidden[h] * w.brain_top[row + h]
    return total


def chance_of(x):
    """Return the chance that an answer means."""
    if x > FAR:
        return 1.0
    if x < -FAR:
        return 0.0
    return 1.0 / (1.0 + math.exp(-x))


def network_opinion(w, s, p, n):
    """Return what player p, who has just moved, may expect: 1 a sure victory, -1 a sure defeat."""
    stage = w.brain.stage
    return 2.0 * chance_of(answer(w, stage, encode(w, s, p, stage))) - 1.0


def network_anywhere(w, s, p, n):
    """Return what player p may expect of any position, whoever has just moved; contact is looked for on its board."""
    last = 1 - s.turn  # who has just moved: the network knows only such positions
    stage = 0 if last_man(s, 0) + last_man(s, 1) < 25 else 1
    value = 2.0 * chance_of(answer(w, stage, encode(w, s, last, stage))) - 1.0
    return value if p == last else -value


# ---- Files and players ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Network:
    """The weights: of each input to each unit, of the units' constants, of the units, and of the inputs alone."""

    hidden: int
    first: tuple[float, ...]
    bias: tuple[float, ...]
    top: tuple[float, ...]
    skip: tuple[float, ...]

    def __post_init__(self) -> None:
        """Raise BadParameter unless there are as many weights as units and inputs ask for."""
        wanted = {"first": 2 * WIDE * self.hidden, "bias": 2 * ROW, "top": 2 * ROW, "skip": 2 * WIDE}
        for name, count in wanted.items():
            if len(getattr(self, name)) != count:
                raise BadParameter(
                    f"a network of {self.hidden} units has {count} weights {name!r}, not {len(getattr(self, name))}"
                )

    def sizes(self) -> dict[str, int]:
        """Return how many rows the members of a bundle have."""
        most = max(self.hidden, 1)
        return {
            "brain_at": WIDE, "brain_x": WIDE, "brain_hidden": most, "brain_first": 2 * WIDE * most,
            "brain_bias": 2 * ROW, "brain_top": 2 * ROW, "brain_skip": 2 * WIDE,
        }  # fmt: skip

    def write_to(self, w: Any, compiled: bool) -> None:
        """Write the weights into a bundle."""
        w.brain.hidden = self.hidden
        for name in ("first", "bias", "top", "skip"):
            weights = getattr(self, name)
            getattr(w, f"brain_{name}")[: len(weights)] = array("d", weights) if compiled else list(weights)


@lru_cache(maxsize=8)
def read_network(path: Path) -> Network:
    """Return the network of a file. Raises BadFile or BadParameter."""
    data = read_json(path, NETWORK)
    return Network(data["hidden"], *(tuple(map(float, data[name])) for name in ("first", "bias", "top", "skip")))


@dataclass(frozen=True)
class NetworkBrain(Brain):
    """A network's opinion: what a player may expect, from -1 to 1.

    One ply asks it about the player who has just moved, and all candidates by the weights of the position before the
    move; searches that look further ask it `anywhere`.
    """

    kind: ClassVar[str] = "backgammon-network"
    network: Network = field(repr=False, default=Network(0, (), (0.0,) * 2 * ROW, (0.0,) * 2 * ROW, (0.0,) * 2 * WIDE))
    anywhere: bool = False

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless it is backgammon."""
        demand_backgammon("a network", game)
        if game.values.get("cube", game.source.parameters.get("cube")):
            raise CannotPlay("a network knows nothing about the doubling cube; leave out cube=1")

    def bind(self, game: Game) -> dict[str, Any]:
        """Let the network speak; the stage is settled by the position before the move."""
        if self.anywhere:
            return {"assess": network_anywhere}
        return {"assess": network_opinion, "wake": before_the_move}

    def beyond_one_ply(self) -> "NetworkBrain":
        """Return the brain that settles the stage by the position that is judged."""
        return replace(self, anywhere=True)

    def members(self, game: Game) -> Members:
        """Return the weights, and where inputs and units are written."""
        return MEMBERS

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return as many as there are."""
        return self.network.sizes()

    def prepare(self, run: Specialised, w: Any) -> None:
        """Write the weights."""
        self.network.write_to(w, run.compiled)


@dataclass(frozen=True)
class LearntByDifferences(OnePly):
    """A network that temporal differences have taught by playing against itself; `ludwin td` makes others."""

    name: ClassVar[str] = "td"
    file: str = setting("", "a file that `ludwin td` has written; without one, the network that comes with Ludwin")
    plies: int = setting(1, "plies that it looks ahead: 1 its own plays, 2 the answers to all rolls", least=1, most=3)

    def network(self) -> Network:
        """Return the weights. Raises BadFile or BadParameter."""
        return read_network(typed(self.file) if self.file else COMES_WITH_LUDWIN)

    def searcher(self) -> AfterState:
        """Return the search that plays for it, one ply deep."""
        return AfterState(brain=NetworkBrain(self.network()))

    def player(self, game: Game) -> AfterState | Star2:
        """Return the search that plays for it; beyond one ply it is Star2, which returns expectimax's value."""
        if self.plies == 1:
            return self.searcher()
        parameters = {**game.source.parameters, **game.values}
        most = 1.0 if parameters["match"] or parameters["payoff"] == "wins" else 3.0
        return Star2(depth=self.plies, low=-most, high=most, brain=NetworkBrain(self.network()))

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        return self.player(game).seat(game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the play that leads to the best position, or from which the best can be expected."""
        self.suits(game)
        return self.player(game).choose(game, state, seed=seed, mode=mode)
