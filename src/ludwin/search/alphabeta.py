"""Alpha-beta: minimax that leaves out what cannot matter.

The idea.  `alpha` is what the mover is already sure of, `beta` what the opponent will allow; once a
move reaches beta, the opponent avoids this position and its other moves need no look.  The answer
is right because a value outside the window would never travel to the root.

This is the plain form: moves in the order of the rules, nothing remembered.  It is what the C++
reference mirrors and what `deep.py`, which has all the refinements, is measured against.  Values
are those of `values.py`, seen from the side of the mover of their own node; the sign changes only
where the mover does.

References.  D. Knuth and R. Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6
(1975), 293-326 (this is their F2 in fail-soft form).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.names import Floats, Ints, Moves, States, copy, mover, moves, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.search import deep
from ludwin.search.choice import Agent, Choice, demand_two_players, must_move, setting
from ludwin.search.minimax import bindings
from ludwin.search.ordering import BY_GAME, HISTORY, ORDERS
from ludwin.search.quiet import FORMS, plies_behind
from ludwin.search.seat import Seat, Sitting, alarm
from ludwin.search.values import INFINITE, fact, opinion, worth

INNER, TERMINAL, STATIC, CUTS, SURE = 0, 1, 2, 3, 4
LINE = 5  # where the principal variations begin in `mem`: a row per ply, length first


def note(mem, row, width, move):
    """Put a move before the line of the child: the principal variation of this ply."""
    below = mem[row + width]
    mem[row] = below + 1
    mem[row + 1] = move
    for i in range(below):
        mem[row + 2 + i] = mem[row + width + 1 + i]
    return 0


def search(states, bufs, mem, width: int, ply: int, depth: int, alpha: float, beta: float):
    """Return the value of state number `ply`; exact inside (alpha, beta), a bound outside.

    mem[SURE] tells afterwards whether the line behind the value ends the game.
    """
    # Step 1. Leaves: a fact if the game is over, an opinion if the depth is used up.
    s = states[ply]
    out = bufs[ply]
    n = moves(s, out)
    row = LINE + ply * width
    mem[row] = 0
    if n == 0:
        mem[TERMINAL] += 1
        mem[SURE] = 1
        return fact(s)
    if depth == 0:
        mem[STATIC] += 1
        mem[SURE] = 0
        return opinion(s)
    # Step 2. Try the moves in the order of the rules; keep the first best.
    mem[INNER] += 1
    me = mover(s)
    child = states[ply + 1]
    best = -INFINITE
    sure = 0
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        low = max(alpha, best)
        if mover(child) == me:
            value = search(states, bufs, mem, width, ply + 1, depth - 1, low, beta)
        else:
            value = -search(states, bufs, mem, width, ply + 1, depth - 1, -beta, -low)
        if value > best:
            best = value
            sure = mem[SURE]
            # Step 3. The opponent will not let us come here.
            if best >= beta:
                mem[CUTS] += 1
                break
            if best > alpha:
                note(mem, row, width, out[i])
    mem[SURE] = sure
    return best


def alphabeta(states: States, bufs: Moves, rng: Ints, mem: Ints, value: Floats, depth: int):
    """Return the first best move of state 0, value in value[0], counts and line in `mem`."""
    value[0] = search(states, bufs, mem, depth + 2, 0, depth, -INFINITE, INFINITE)
    return mem[LINE + 1]


DRIVERS = {"full": 0, "aspiration": deep.WINDOW, "mtdf": deep.MTDF}
LISTS = {"none": 0, "shared": deep.ONE_LIST, "ply": deep.LIST_PER_PLY}
DEEPEST = 64


@dataclass(frozen=True)
class AlphaBeta(Agent):
    """Looks `depth` plies ahead and plays the first move of the best value.

    Unfinished positions are judged by the game's `evaluate` (all alike if it has none). With a budget
    of nodes or seconds it deepens as far as the budget allows.
    """

    name: ClassVar[str] = "alphabeta"
    depth: int = setting(6, f"plies to look ahead ({DEEPEST} at the most, and the default with a budget)", least=1)
    eval: str = setting("game", "which evaluation: game, or NAME for the game's evaluate_NAME")
    order: str = setting(
        "rules", "moves in the order of the rules, noisy ones first, by value, or NAME for the game's order_NAME"
    )
    killers: str = setting(
        "none", "killer moves: none, shared (one list) or ply (one list per ply)", choices=tuple(LISTS)
    )
    killer_size: int = setting(10, "length of a killer list", least=1)
    history: int = setting(0, "1: order by the history of cuts", least=0)
    table: int = setting(0, "transposition table of 2**table rows; 0: none", least=0)
    deeper: int = setting(
        0, "1: the table also answers from deeper searches (other values than plain minimax)", least=0
    )
    pvs: int = setting(0, "1: null windows for all but the first move (PVS, SCOUT)", least=0)
    driver: str = setting("full", "windows at the root: full, aspiration or mtdf", choices=tuple(DRIVERS))
    window: float = setting(0.1, "half the width of the aspiration window", least=0)
    deepen: int = setting(0, "1: search depth 1, 2, … (also with any driver or budget)", least=0)
    quiescence: str = setting(
        "none", "none, twist (extra plies when noisy) or usual (noisy moves until quiet)", choices=tuple(FORMS)
    )
    extra: int = setting(2, "extra plies of Twist's quiescence", least=0)
    null: int = setting(0, "1: null-move cuts where the game allows them (changes values)", least=0)
    lmr: int = setting(0, "1: late-move reductions (change values)", least=0)
    nodes: int = setting(0, "stop after so many nodes; 0: no limit", least=0)
    seconds: float = setting(
        0.0, "stop after so many seconds; 0: no limit (results then depend on the machine)", least=0
    )
    ties: str = setting("first", "equal moves: the first, or a random one", choices=("first", "random"))

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
        return self == AlphaBeta(depth=self.depth, eval=self.eval)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has at most two players, a constant sum and no chance."""
        demand_two_players(self, game)
        for what, value, known in (("eval", self.eval, ("game",)), ("order", self.order, tuple(ORDERS))):
            offered = (*known, *game.variants("evaluate_" if what == "eval" else "order_"))
            if value not in offered:
                raise CannotPlay(
                    f"{self.name}: {game.name} has no {what} called {value!r} (it has {', '.join(offered)})"
                )
        if self.null and "null" not in game.offers:
            raise CannotPlay(f"{self.name}: {game.name} does not allow null moves (it defines no null(s))")
        if self.quiescence != "none" and "noisy" not in game.offers:
            raise CannotPlay(f"{self.name}: quiescence needs noisy(s, m), which {game.name} does not define")

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace: the plain form or the one with refinements."""
        if self.is_plain:
            kernel = Kernel("alphabeta", alphabeta, bind=bindings(game, self.eval))
            plies = self.depth + 1
            return Seat(kernel, plies, lambda run: [run.ints(LINE + (plies + 1) ** 2), run.floats(1), self.depth])
        bind = bindings(game, self.eval)
        if self.order not in ORDERS:
            bind["order_score"] = f"order_{self.order}"
        if self.null:
            bind["give_turn"] = "null"
        plies = self.depth + plies_behind(self.quiescence, self.extra) + 2
        return Seat(
            Kernel("alphabeta with refinements", deep.deepen, bind=bind), plies, lambda run: self._workspace(run, plies)
        )

    def _workspace(self, run: Specialised, plies: int) -> list[Any]:
        """Return the arrays and numbers behind (states, bufs, rng) of `deep.deepen`."""
        lists = (self.killer_size + 2) * (plies if self.killers == "ply" else 1)
        roots = deep.START + lists
        lines = roots + run.game.max_moves + plies  # the row before the lines keeps the last whole iteration's
        mem = run.ints(lines + (plies + 1) * plies)
        mem[deep.MASK] = 2**self.table - 1 if self.table else -1
        mem[deep.DEEPER], mem[deep.USE_HISTORY], mem[deep.SCOUT] = self.deeper, self.history, self.pvs
        mem[deep.KILLERS], mem[deep.KILLER_SIZE] = LISTS[self.killers], self.killer_size
        mem[deep.FORM], mem[deep.EXTRA] = FORMS[self.quiescence], self.extra
        mem[deep.REDUCE], mem[deep.NULL], mem[deep.TIES] = self.lmr, self.null, int(self.ties == "random")
        mem[deep.ORDER] = ORDERS.get(self.order, BY_GAME)
        mem[deep.BUDGET], mem[deep.DRIVER] = self.nodes or 2**60, DRIVERS[self.driver]
        mem[deep.PLIES], mem[deep.LISTS], mem[deep.ROOTS], mem[deep.LINES] = plies, deep.START, roots, lines
        table = run.ints(4 * 2**self.table if self.table else 4)
        history = run.ints(2 * HISTORY if self.history else 1)
        stepwise = self.deepen or self.nodes or self.seconds or self.driver != "full"
        return [
            run.moves(plies),
            mem,
            table,
            history,
            run.floats(1),
            1 if stepwise else self.depth,
            self.depth,
            self.window,
        ]

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the move of the best value, with the search's counts and principal variation."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        if self.is_plain:
            move = sitting.choose(state, seed)
            mem, value, depth = sitting.arguments
            kinds = {"inner": mem[INNER], "terminal": mem[TERMINAL], "static": mem[STATIC], "cuts": mem[CUTS]}
            line = mem[LINE + 1 : LINE + 1 + int(mem[LINE])]
            return self._choice(game, move, float(value[0]), bool(mem[SURE]), kinds, depth, line)
        _, mem, _, _, value, _, _, _ = sitting.arguments
        with alarm(self.seconds, mem, deep.CLOCK):
            move = sitting.choose(state, seed)
        kinds = {
            "inner": mem[deep.INNER],
            "terminal": mem[deep.TERMINAL],
            "static": mem[deep.STATIC],
            "cuts": mem[deep.CUTS],
            "hits": mem[deep.HITS],
        }
        row = int(mem[deep.LINES] - mem[deep.PLIES])
        line = mem[row + 1 : row + 1 + int(mem[row])]
        return self._choice(game, move, float(value[0]), bool(mem[deep.SURE]), kinds, int(mem[deep.REACHED]), line)

    def _choice(
        self, game: Game, move: int, value: float, sure: bool, kinds: dict[str, Any], depth: int, line: Any
    ) -> Choice:
        kinds = {name: int(count) for name, count in kinds.items()}
        nodes = kinds["inner"] + kinds["terminal"] + kinds["static"]
        pv = tuple(int(m) for m in line)
        return Choice(
            move, worth(value, sure, game.payoff_sum), nodes, sure, kinds, depth, pv if pv[:1] == (move,) else (move,)
        )
