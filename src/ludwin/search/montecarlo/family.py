"""What all Monte Carlo searches of the family share: settings, budgets, chance, rewards, the final choice.

Why it is here.  A setting of an agent is declared once, as a field of its class, and used once, in kernel text, as
`w.options.NAME`: all settings that are numbers are written there by name, those that are one of several texts as their
place among them.  What an option exchanges in the search (functions, fields of nodes, tables) is a `Part`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.search.budget import Budgeted
from ludwin.search.choice import Choice, Player, demand_open, setting
from ludwin.search.montecarlo import rules as rules
from ludwin.search.montecarlo.formula import DEEPEST
from ludwin.search.montecarlo.formula import TERMINALS as TERMINALS_OF_FORMULAS
from ludwin.search.montecarlo.tree import NODE
from ludwin.search.montecarlo.view import SearchTree
from ludwin.search.montecarlo.walk import MEMBERS, OUTCOMES, RECOMMENDATIONS, REWARDS, TERMINALS
from ludwin.search.seat import Doubt, Seat, settings_of, write_to

if TYPE_CHECKING:
    from ludwin.search.montecarlo.session import SearchSession

MOST_NODES = 2**21  # a tree never grows beyond this (350 MB); then playouts start at its leaves
MOST_PLAIN = 2**16
UNLIMITED = 2**50


@dataclass(frozen=True)
class Part:
    """What a rule or an option puts in the place of the search's usual parts, and what these keep."""

    bind: Mapping[str, Any] = field(default_factory=dict)  # functions of kernel text by the names that they take
    node: Mapping[str, Any] = field(default_factory=dict)  # more fields of a node
    members: Mapping[str, Any] = field(default_factory=dict)  # more workspaces


@dataclass(frozen=True)
class Family(Budgeted):
    """What all searches of the family share: budgets, chance, rewards, the final choice."""

    playouts: int = setting(1000, "random games per move; 0: no limit (with nodes or seconds)", least=0)
    c: float = setting(1.0, "exploration constant, Q in units of the reward", least=0)
    nodes: int = setting(0, "stop after so many nodes, playouts included; 0: no limit", least=0)
    seconds: float = setting(
        0.0, "stop after so many seconds; 0: no limit (results then depend on the machine)", least=0
    )
    recommend: str = setting(
        "robust",
        "the final move: most visited, highest mean, both (longer if need be), or safest; with mcts no gain "
        "measured: max, robust-max, secure",
        choices=RECOMMENDATIONS,
    )
    secure: float = setting(1.0, "A of the secure child: the highest Q - A/sqrt(n)", least=0)
    terminal: str = setting(
        "resample", "a lottery at the end of the game: drawn at every visit, or once", choices=TERMINALS
    )
    outcomes: str = setting(
        "below",
        "after a new outcome of nature's: add a move below it, or stop there (with mcts no gain measured)",
        choices=OUTCOMES,
    )
    expand: str = setting(
        "random", "untried moves in random order, or in that of the rules", choices=("random", "order")
    )
    rollouts: int = setting(1, "simulations per playout, averaged", least=1)
    reward: str = setting("payoff", "what is maximised: payoffs, or 1, 0, -1 for win, draw, loss", choices=REWARDS)
    scale: float = setting(1.0, "rewards are divided by this, payoffs and wins alike", least=1e-9)
    reuse: int = setting(
        0,
        "1: keep the part of the tree below the new position from move to move; the budget comes on top",
        least=0,
        most=1,
    )
    solver: int = setting(
        0,
        "1: prove values, wins and losses above all (MCTS-Solver; at most two players, constant sum; with mcts no "
        "gain measured)",
        least=0,
        most=1,
    )

    @property
    def values_in(self) -> str:
        """Values are expected payoffs."""
        return "payoff"

    @property
    def remembers(self) -> bool:
        """Whether the tree of the move before is kept."""
        return bool(self.reuse)

    fixed: ClassVar[Mapping[str, int | float]] = {  # what the walk asks for, where no setting says it
        "backup": 0,
        "factor": 1.0,
        "power": 0.5,
        "rich": 0,
        "trees": 1,
        "widen": 0.0,
    }
    greater: ClassVar[str] = "count wins with reward=wins, or leave out solver"  # what to do where payoffs are

    @property
    def greatest(self) -> float:
        """The greatest payoff; one that is proved ends the search below a position."""
        return 1.0

    @property
    def unit(self) -> float:
        """What a reward of 1 means in payoffs, or in wins."""
        return self.scale

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if this agent cannot play the game."""
        demand_open(self, game)
        if self.solver and (game.players > 2 or (game.players == 2 and game.payoff_sum is None)):
            raise CannotPlay(
                f"{self.name}: solver=1 proves games of at most two players with a constant payoff sum, {game.name} "
                f"is none"
            )

    def capacity(self, game: Game, compiled: bool = True) -> int:
        """Return for how many nodes there is room."""
        budget = self.playouts or self.nodes or 2**20
        budget *= (2 if self.recommend == "robust-max" else 1) * (2 if self.reuse else 1)
        return min((3 if game.has_chance else 1) * budget + 2, MOST_NODES if compiled else MOST_PLAIN)

    def _options(self, game: Game, room: int) -> dict[str, int | float]:
        """Return what the kernel finds in `w.options`, by name: the settings, and what follows from them."""
        wins = self.reward == "wins"
        return {
            **self.fixed,
            **settings_of(self),
            "playouts": self.playouts or UNLIMITED,
            "nodes": self.nodes or UNLIMITED,
            "room": room,
            "constant_sum": int(game.payoff_sum is not None),
            "payoff_sum": 0.0 if wins else (game.payoff_sum or 0.0) / self.scale,
            "top": (1.0 if wins else self.greatest) / self.scale,
        }

    def _parts(self, game: Game) -> list[Part]:
        """Return what the settings put in the place of the search's usual parts."""
        return [Part({"choose_untried": rules.untried_in_order})] if self.expand == "order" else []

    def _members(self) -> dict[str, Any]:
        """Return the workspaces beside those that all have, as a kernel declares them."""
        return {}

    def _sizes(self, game: Game) -> dict[str, int]:
        """Return how many rows the workspaces have."""
        return {
            "states": 4,
            "bufs": 4,
            "tree": self.capacity(game) + game.max_moves + 2,  # a node that is unfolded takes a child per move
            "path": game.max_plies + 2,
            "noted": game.max_plies + 2,
            "roots": game.max_moves,
            "payoffs": game.players,
            "sums": game.players,
            "known": len(TERMINALS_OF_FORMULAS),
            "stack": DEEPEST + 4,
        }

    def _prepare(self, run: Specialised, w: Any) -> None:
        """Write settings into a new workspace."""
        write_to("options", self._options(run.game, self.capacity(run.game, run.compiled)))(run, w)
        w.run.last_tree = int(w.options.trees)

    def _seat(self, game: Game, name: str, entry: Callable[..., Any]) -> Seat:
        """Return a kernel with these settings and its workspace."""
        parts = self._parts(game)
        node, bind = dict(NODE), dict[str, Any]()
        members: dict[str, Any] = {**MEMBERS, **self._members()}
        for part in parts:
            node |= part.node
            bind |= part.bind
            members |= part.members
        options = {name: type(value) for name, value in sorted(self._options(game, 0).items())}
        records = {**members, "tree": [node], "blank": node, "options": options}
        kernel = Kernel(name, entry, bind=bind, records=records)
        return Seat(kernel, sizes=self._sizes(game), prepare=self._prepare, doubt=self._doubt(game))

    def _doubt(self, game: Game) -> Doubt:
        """Return what a search must not meet: a payoff that its proofs hold for impossible."""
        reason = (
            f"{self.name}: solver=1 takes {self.greatest:g} for the greatest payoff, and {game.name} has a "
            f"greater one; {self.greater}"
        )
        return Doubt("run", "outside", reason)

    def heeds(self, game: Game, mode: str = "fast") -> bool:
        """Tell whether it can be ended from outside: one tree at a time can."""
        return int(getattr(self, "trees", 1)) == 1

    def session(self, game: Game, mode: str = "fast") -> "SearchSession":
        """Return a search that keeps its workspace, and with `reuse` its tree, from move to move."""
        from ludwin.search.montecarlo.session import SearchSession

        return SearchSession(self, game, mode)

    def sit(self, game: Game, mode: str = "fast") -> Player:
        """Return what chooses in one game."""
        return self.session(game, mode).go_on if self.reuse else super().sit(game, mode)

    def tree(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> SearchTree:
        """Return the statistical tree behind a choice."""
        session = self.session(game, mode)
        session.must_be_one_tree()
        session.choose(state, seed)
        return session.tree()

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the recommended move, with visits and mean rewards of all."""
        return self.session(game, mode).choose(state, seed)
