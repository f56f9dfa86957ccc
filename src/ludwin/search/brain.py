"""Brains: what gives a search its opinions.

Why it is here.  A search knows facts; what it thinks of an unfinished position it must be told.  Kernel text asks by
one name, `assess(w, s, p, n)` of `values.py`: the worth of state `s` with `n` legal moves, seen by player `p` (`n` is
-1 where nobody has counted).  Without a brain that is the game's `evaluate`.  A brain binds something else to the name,
as `order_NAME` is bound to an order, and adds what it needs (code, weights, a table) to the bundle of the search.  So
every search takes every brain, and no loop is written twice.

How a search takes one.  Its kernel imports `assess` (and `wake`, which it calls once per choice) from `values.py`; its
agent is a `Thinker` with the field `brain = mind()`, and `seat` returns `furnished(seat, self.brain, game)`.  That is
all: cut-offs of Monte Carlo searches call `assess` on the position where they stop, priors call it on the positions
behind the moves.

The scale.  In the alpha-beta family an opinion is any number, and facts outweigh it.  Where values are payoffs
(expectimax, Star, Monte Carlo) the search clips it to the payoffs' range.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game
from ludwin.kernel.bundle import Members
from ludwin.kernel.names import HALF_SUM, key, mover, query
from ludwin.kernel.specialise import Specialised
from ludwin.search.choice import Agent
from ludwin.search.seat import Seat

Anyone = TypeVar("Anyone", bound=Agent)


@dataclass(frozen=True)
class Brain:
    """Something that has opinions on positions. Subclasses say what is bound, and what it needs of the bundle."""

    kind: ClassVar[str] = ""

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if it has no opinions on this game."""

    def bind(self, game: Game) -> dict[str, Any]:
        """Return what names of the search's text mean; usually `assess`."""
        return {}

    def members(self, game: Game) -> Members:
        """Return what is added to the bundle; names begin with `brain`."""
        return {}

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return how many rows these members have."""
        return {}

    def prepare(self, run: Specialised, w: Any) -> None:
        """Write what it knows into a new bundle, or into one in which another brain of its kind was."""

    def beyond_one_ply(self) -> "Brain":
        """Return the brain for searches that look further than the positions behind their moves."""
        return self


def mind() -> Any:
    """Declare the brain of an agent: the last of its fields."""
    told = "what gives the search its opinions: in Python, or from a champion's file by evolved:PATH,agent=…"
    return field(default=None, repr=False, metadata={"help": told, "kind": object, "hidden": True})


def changed(agent: Anyone, **settings: Any) -> Anyone:
    """Return an agent with other settings."""
    return replace(agent, **settings)


class Thinker(Agent):
    """An agent that asks a brain, if it has one; else the game's own evaluation, which `eval` names."""

    brain: Brain | None
    eval: str
    asks_by_name: ClassVar[bool] = False  # whether `eval` may name a brain of the game's folder

    @classmethod
    def parse(cls, given: dict[str, str]) -> Self:
        """Make the agent from texts; a brain is not a text."""
        if "brain" in given:
            raise BadParameter(
                f"{cls.name}: a brain is no text; evolved:PATH,agent={cls.name} takes it from a champion's file"
            )
        return super().parse(given)

    def with_brain(self, brain: Brain) -> Self:
        """Return this agent with a brain."""
        if self.eval != "game":
            raise BadParameter(f"{self.name}: eval={self.eval} has no effect with a brain; leave it out")
        return changed(self, brain=brain)

    def settled(self, game: Game) -> Self:
        """Return this agent with the brain that `eval` names, if it names one (BRAINS of the game's opponents)."""
        made = brains_of(game).get(self.eval) if self.brain is None and self._asks_elsewhere(game) else None
        return self if made is None else changed(self, eval="game", brain=made())

    def _asks_elsewhere(self, game: Game) -> bool:
        return self.asks_by_name and self.eval != "game" and self.eval not in game.variants("evaluate_")

    def demand_opinions(self, game: Game) -> None:
        """Raise CannotPlay unless there is such an evaluation, or the brain knows the game."""
        offered = ("game", *game.variants("evaluate_"), *(brains_of(game) if self.asks_by_name else ()))
        brain = self.settled(game).brain
        if brain is not None:
            brain.suits(game)
        elif self.eval not in offered:
            raise CannotPlay(f"{self.name}: {game.name} has no eval called {self.eval!r} (it has {', '.join(offered)})")


def brains_of(game: Game) -> Mapping[str, Callable[[], Brain]]:
    """Return the brains that the game's folder brings, by name (`opponents`: BRAINS, name: what makes it)."""
    made: Mapping[str, Callable[[], Brain]] = getattr(game.part("opponents"), "BRAINS", {})
    return made


def named_evaluation(name: str) -> dict[str, Any]:
    """Return what lets `evaluate` mean the game's evaluate_NAME; `game` is its own, and needs nothing."""
    return {"evaluate": f"evaluate_{name}"} if name != "game" else {}


def furnished(seat: Seat, brain: Brain | None, game: Game) -> Seat:
    """Return the seat of a search that asks a brain."""
    if brain is None:
        return seat

    def prepare(run: Specialised, w: Any) -> None:
        seat.prepare(run, w)
        brain.prepare(run, w)

    kernel = replace(
        seat.kernel,
        bind={**seat.kernel.bind, **brain.bind(game)},
        records={**seat.kernel.records, **brain.members(game)},
    )
    return replace(seat, kernel=kernel, sizes={**seat.sizes, **brain.sizes(game)}, prepare=prepare)


@dataclass(frozen=True)
class Evaluation(Brain):
    """One of the game's own evaluations."""

    kind: ClassVar[str] = "evaluation"
    eval: str = "game"

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if the game has no such evaluation."""
        if self.eval != "game" and self.eval not in game.variants("evaluate_"):
            raise CannotPlay(f"{game.name} has no evaluate_{self.eval}, which the brain asks")

    def bind(self, game: Game) -> dict[str, Any]:
        """Let `evaluate` mean the one that is named."""
        return named_evaluation(self.eval)


# ---- A weighted sum of queries --------------------------------------------------------------------------------


def weighted_sum(w, s, p, n):
    """Return the sum of the queries' answers, each times its weight, and the bias."""
    total = w.brain.bias
    for i in range(w.brain.terms):
        term = w.brain_terms[i]
        total += term.weight * query(s, p, term.query, term.place)
    return total


@dataclass(frozen=True)
class Weights(Brain):
    """A linear sum of the game's queries: (name, place, weight), the place 0 where a query takes none."""

    kind: ClassVar[str] = "weights"
    terms: tuple[tuple[str, int, float], ...] = ()
    bias: float = 0.0

    def __post_init__(self) -> None:
        for name, _, weight in (*self.terms, ("the bias", 0, self.bias)):
            if not math.isfinite(weight):
                raise BadParameter(f"the weight of {name} must be a finite number, got {weight}")

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game answers all queries, at all places."""
        for name, place, _ in self.terms:
            if name not in game.queries:
                known = ", ".join(game.queries) or "none"
                raise CannotPlay(f"{game.name} has no query {name!r}, which the brain weighs (it has {known})")
            if not 0 <= place < max(game.queries[name][1], 1):
                raise CannotPlay(f"{game.name}: {name!r} has no place {place}, which the brain weighs")

    def bind(self, game: Game) -> dict[str, Any]:
        """Let the sum speak."""
        return {"assess": weighted_sum}

    def members(self, game: Game) -> Members:
        """Return the terms of the sum."""
        term = {"query": int, "place": int, "weight": float}
        return {"brain": {"terms": int, "bias": float}, "brain_terms": [term]}

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return as many terms as there are."""
        return {"brain_terms": max(len(self.terms), 1)}

    def prepare(self, run: Specialised, w: Any) -> None:
        """Write the terms."""
        names = list(run.game.queries)
        w.brain.terms, w.brain.bias = len(self.terms), self.bias
        for i, (name, place, weight) in enumerate(self.terms):
            term = w.brain_terms[i]
            term.query, term.place, term.weight = names.index(name), place, weight


# ---- A table of values ----------------------------------------------------------------------------------------


def looked_up(w, s, p, n):
    """Return the value that the table has for the position's key, or the default, as player p sees it."""
    k = key(s)
    low = 0
    high = w.brain.rows
    while low < high:
        middle = (low + high) // 2
        if w.brain_table[middle].key < k:
            low = middle + 1
        else:
            high = middle
    value = w.brain.default
    if low < w.brain.rows and w.brain_table[low].key == k:
        value = w.brain_table[low].value
    return value if mover(s) == p else 2.0 * HALF_SUM - value


@dataclass(frozen=True)
class Lookup(Brain):
    """A table, key of a position -> its value to the mover, with a default for all others."""

    kind: ClassVar[str] = "table"
    values: tuple[tuple[int, float], ...] = ()
    default: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(sorted(self.values)))
        keys = [k for k, _ in self.values]
        if len(set(keys)) != len(keys):
            raise BadParameter("a table has one value for each key")
        if not all(-(2**63) <= k < 2**63 for k in keys):
            raise BadParameter("a key of a table is a whole number of 64 bits")
        if not all(math.isfinite(value) for value in (self.default, *(value for _, value in self.values))):
            raise BadParameter("a value of a table must be a finite number")

    def bind(self, game: Game) -> dict[str, Any]:
        """Let the table speak."""
        return {"assess": looked_up}

    def members(self, game: Game) -> Members:
        """Return the rows, sorted by key."""
        return {"brain": {"rows": int, "default": float}, "brain_table": [{"key": int, "value": float}]}

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return as many rows as there are."""
        return {"brain_table": max(len(self.values), 1)}

    def prepare(self, run: Specialised, w: Any) -> None:
        """Write the rows."""
        w.brain.rows, w.brain.default = len(self.values), self.default
        for i, (k, value) in enumerate(self.values):
            row = w.brain_table[i]
            row.key, row.value = k, value
