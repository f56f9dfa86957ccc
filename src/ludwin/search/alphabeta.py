"""Alpha-beta as an agent: the plain form, or the one with refinements where a setting asks for one.

Why it is here.  One name, one set of settings, two kernels: `plain.py` is what the C++ reference mirrors and what
`refined.py`, which has a table, killers, windows and all the rest, is measured against.  Both know the same facts and
ask the same brain for opinions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.text import Kernel
from ludwin.search import plain, refined, variation
from ludwin.search.brain import Brain, Thinker, furnished, mind
from ludwin.search.choice import Choice, Player, demand_two_players, must_move, setting
from ludwin.search.minimax import bindings
from ludwin.search.ordering import BY_GAME, HISTORY, ORDERS
from ludwin.search.plain import plain_seat
from ludwin.search.quiescence import FORMS, plies_behind
from ludwin.search.repeats import PAST, write_past
from ludwin.search.seat import Seat, Sitting, alarm, settings_of, write_to
from ludwin.search.values import worth
from ludwin.search.variation import line_of

# The kernel knows a text by its place among the choices: refined.WINDOW, ONE_LIST, RANDOM are 1, and so on.
DRIVERS = ("full", "aspiration", "mtdf")
LISTS = ("none", "shared", "ply", "quiet")
KILLERS = "none, shared (one list), ply (one per ply) or quiet (per ply, quiet ones only, tried behind noisy ones)"
TIES = ("first", "random", "shuffle")
DEEPEST = 64
EXTENSIONS = 24  # plies that extensions may add to the depth


@dataclass(frozen=True)
class AlphaBeta(Thinker):
    """Looks `depth` plies ahead and plays the first move of the best value.

    Unfinished positions are judged by the game's `evaluate` (all alike if it has none) or by a brain. With a budget
    of nodes or seconds it deepens as far as the budget allows.
    """

    name: ClassVar[str] = "alphabeta"
    depth: int = setting(6, f"plies to look ahead ({DEEPEST} at the most, and the default with a budget)", least=1)
    eval: str = setting("game", "which evaluation: game, or NAME for the game's evaluate_NAME")
    order: str = setting(
        "rules", "moves in the order of the rules, noisy ones first, by value, or NAME for the game's order_NAME"
    )
    killers: str = setting("none", f"killer moves: {KILLERS}", choices=LISTS)
    killer_size: int = setting(10, "length of a killer list", least=1)
    history: int = setting(0, "1: order by the history of cuts", least=0)
    table: int = setting(0, "transposition table of 2**table rows; 0: none", least=0)
    deeper: int = setting(
        0, "1: the table also answers from deeper searches (other values than plain minimax)", least=0
    )
    pvs: int = setting(0, "1: null windows for all but the first move (PVS, SCOUT)", least=0)
    driver: str = setting("full", "windows at the root: full, aspiration or mtdf", choices=DRIVERS)
    window: float = setting(0.1, "half the width of the aspiration window", least=0)
    deepen: int = setting(0, "1: search depth 1, 2, … (also with any driver or budget)", least=0)
    quiescence: str = setting(
        "none", "none, twist (extra plies when noisy) or usual (noisy moves until quiet)", choices=tuple(FORMS)
    )
    extra: int = setting(2, "extra plies of Twist's quiescence", least=0)
    null: int = setting(
        0, "1: null-move cuts where the game allows them, 2: with more reduction at depth (changes values)", least=0
    )
    lmr: int = setting(0, "1: late-move reductions, 2: growing ones (change values)", least=0)
    futility: float = setting(
        0.0, "opinions so far outside the window, per ply to the horizon, settle it (changes values); 0: never", least=0
    )
    extend: int = setting(0, "1: one ply more where the game says that the mover is pressed (changes values)", least=0)
    repeats: int = setting(0, "1: positions that came before, in line or game, are draws (changes values)", least=0)
    keep: int = setting(0, "1: the table keeps what it learnt at earlier moves of the game", least=0)
    nodes: int = setting(0, "stop after so many nodes; 0: no limit", least=0)
    seconds: float = setting(
        0.0, "stop after so many seconds; 0: no limit (results then depend on the machine)", least=0
    )
    ties: str = setting("first", "equal moves: the first, a random one, or the first of a shuffled list", choices=TIES)
    brain: Brain | None = mind()

    @classmethod
    def parse(cls, given: dict[str, str]) -> Self:
        """Make the agent from texts; a budget without a depth means as deep as it goes."""
        if ("nodes" in given or "seconds" in given) and "depth" not in given:
            given = {"depth": str(DEEPEST), **given}
        return super().parse(given)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.depth > DEEPEST:
            raise BadParameter(f"{self.name}: depth must be at most {DEEPEST}, got {self.depth}")
        if self.table > 28:
            raise BadParameter(f"{self.name}: table must be at most 28 (2**28 rows are 8 GB), got {self.table}")

    @property
    def timed(self) -> bool:
        """Whether results depend on the clock."""
        return self.seconds > 0

    @property
    def is_plain(self) -> bool:
        """Whether the plain form does: no refinement is asked for."""
        bare = AlphaBeta(depth=self.depth, eval=self.eval, ties=self.ties, brain=self.brain)
        return self.ties != "random" and self == bare

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has at most two players, a constant sum and no chance."""
        demand_two_players(self, game)
        self.demand_opinions(game)
        offered = (*ORDERS, *game.variants("order_"))
        if self.order not in offered:
            raise CannotPlay(
                f"{self.name}: {game.name} has no order called {self.order!r} (it has {', '.join(offered)})"
            )
        if self.null and "null" not in game.offers:
            raise CannotPlay(f"{self.name}: {game.name} does not allow null moves (it defines no null(s))")
        if self.quiescence != "none" and "noisy" not in game.offers:
            raise CannotPlay(f"{self.name}: quiescence needs noisy(s, m), which {game.name} does not define")
        if self.extend and "pressed" not in game.offers:
            raise CannotPlay(f"{self.name}: extend needs pressed(s), which {game.name} does not define")

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace: the plain form or the one with refinements."""
        bind = bindings(game, self.eval)
        if self.is_plain:
            more = plain.SHUFFLED if self.ties == "shuffle" else {}
            return furnished(plain_seat(self.depth, {**bind, **more}), self.brain, game)
        if self.order not in ORDERS:
            bind["order_score"] = f"order_{self.order}"
        if self.null:
            bind["give_turn"] = "null"
        if self.extend:
            bind["is_pressed"] = "pressed"
        plies = self._reach + plies_behind(self.quiescence, self.extra) + 2
        lists = 1 if self.killers in ("none", "shared") else plies
        sizes = {
            **{"states": plies, "bufs": plies, "ranks": plies, "table": 2**self.table},
            **{"history": 2 * HISTORY if self.history else 1, "killer_lists": lists},
            **{"killers": lists * self.killer_size, "roots": game.max_moves, "kept": plies},
            **{"barred": game.max_moves, "path": plies if self.repeats else 1, "past": PAST if self.repeats else 1},
            **variation.sizes(plies),
        }
        options = self.options(plies)
        run = {**{name: type(value) for name, value in options.items()}, **refined.RUN}
        kernel = Kernel(
            "alphabeta with refinements", refined.deepen, bind=bind, records={**refined.RECORDS, "run": run}
        )
        return furnished(Seat(kernel, sizes=sizes, prepare=write_to("run", options)), self.brain, game)

    @property
    def _reach(self) -> int:
        """How deep the search may go, quiescence aside."""
        return self.depth + (EXTENSIONS if self.extend else 0)

    def options(self, plies: int) -> dict[str, int | float]:
        """Return what the refined form finds in `w.run` beside its own fields: settings, and what follows from them."""
        stepwise = self.deepen or self.nodes or self.seconds or self.driver != "full"
        follows = {
            "shallowest": 1 if stepwise else self.depth,
            "plies": plies,
            "budget": self.nodes or 2**60,
            "mask": 2**self.table - 1 if self.table else -1,
            "order": ORDERS.get(self.order, BY_GAME),
            "reach": self._reach,
        }
        return {name: value for name, value in {**settings_of(self), **follows}.items() if name not in refined.RUN}

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the move of the best value, with the search's counts and principal variation."""
        self.suits(game)
        must_move(game, state)
        return AlphaBetaPlayer(self, game, mode)(state, seed, ())

    def heeds(self, game: Game, mode: str = "fast") -> bool:
        """Tell whether it can be ended from outside: the form with refinements looks at its clock."""
        return not self.is_plain

    def sit(self, game: Game, mode: str = "fast") -> Player:
        """Return what chooses in one game; its workspace serves all moves."""
        return AlphaBetaPlayer(self, game, mode)

    @property
    def remembers(self) -> bool:
        """Whether a choice depends on the moves before it: repeated positions, or a table that is kept."""
        return bool(self.repeats or self.keep)


class AlphaBetaPlayer:
    """An alpha-beta search in one game, with its workspace."""

    def __init__(self, agent: AlphaBeta, game: Game, mode: str):
        self.agent, self.game = agent, game
        self.mode = mode
        self.keys: dict[State, int] = {}  # of the game so far
        self.states: Sequence[State] = ()

    @cached_property
    def sitting(self) -> Sitting:
        """The workspace, made when it is needed first."""
        return Sitting(self.agent.seat(self.game), self.game, self.mode)

    def hear(self, player: int, states: Sequence[State] = (), allowed: float = 0.0, clock: object = None) -> None:
        """Listen to the referee: the states so far."""
        self.states = states

    def limit(self, agent: AlphaBeta) -> None:
        """Give the next choices the depth, nodes and seconds of another agent, which differs in nothing else; it must
        not look deeper than the one that sat down.
        """
        run = self.sitting.w.run
        self.agent = agent
        for name, value in agent.options(run.plies).items():
            setattr(run, name, value)

    def stop(self) -> None:
        """End a search that another thread is in; what it has found so far is its answer."""
        self.sitting.w.run.clock = 1

    def __call__(self, state: State, seed: int, played: Sequence[int], barred: Sequence[int] = ()) -> Choice:
        """Return the move of the best value, with the search's counts and principal variation.

        `barred` are moves that are left out.
        """
        agent, sitting = self.agent, self.sitting
        agent.suits(self.game)
        must_move(self.game, state)
        w, run = sitting.w, sitting.w.run
        if agent.is_plain:
            move = sitting.choose(state, seed)
            depth, line, counts = agent.depth, line_of(w), plain.COUNTS
        else:
            if agent.repeats:
                write_past(w, [self._key(one) for one in self.states[:-1]])
            run.clock = 0  # it may have been stopped before
            run.barred = len(barred)
            for i, one in enumerate(barred):
                w.barred[i] = one
            with alarm(agent.seconds, run, "clock", self._glance):
                move = sitting.choose(state, seed)
            depth, line, counts = run.reached, tuple(int(m) for m in w.kept[: run.kept]), refined.COUNTS
        kinds = {name: getattr(run, name) for name in counts}
        nodes = kinds["inner"] + kinds["terminal"] + kinds["static"]
        sure = bool(run.sure)
        pv = line if line[:1] == (move,) else (move,)
        return Choice(move, worth(run.value, sure, self.game.payoff_sum), nodes, sure, kinds, depth, pv)

    def _glance(self) -> Choice | None:
        """Return the last whole iteration of a search that another thread is in, and its count of nodes by now."""
        w, run = self.sitting.w, self.sitting.w.run
        depth, line, nodes = int(run.reached), tuple(int(m) for m in w.kept[: run.kept]), int(run.nodes)
        if not depth or not line:
            return None
        # While a depth is searched, whether the last one was decided is known by its having ended the search.
        kinds = {name: int(getattr(run, name)) for name in refined.COUNTS}
        return Choice(line[0], worth(float(run.value), False, self.game.payoff_sum), nodes, False, kinds, depth, line)

    def _key(self, state: State) -> int:
        if state not in self.keys:
            self.keys[state] = state.key()
        return self.keys[state]
