"""What all searches alone share: budgets in nodes, seconds and memory, honest counts, and what an answer proves.

Why it is here.  A solver is an agent, so everything that takes agents takes solvers; but its answer is a whole plan
and what is known about it.  A `Solution` says one of three things: solved (and whether no cheaper plan exists),
unsolvable (the search has seen all there is), or gave up, and for want of what.  Plans are played by the rules before
they are told.

Counts.  *Generated* are the states that moves were played to, whether known or not; *nodes* are those that passed the
search's test for duplicates and were entered (a search that begins again counts them again); *distinct* are different
states, as far as its table knows; *expanded* are those whose moves were listed.

Memory.  `memory=100M` is what the tables of the search may take. A search that needs more says so and ends.
"""

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay, IllegalMove, LudwinError
from ludwin.game import Game, State
from ludwin.kernel.names import Bundle, cost, play, solved
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel
from ludwin.search.brain import Brain, Thinker, furnished, mind
from ludwin.search.choice import Agent, Choice, Player, must_move, setting
from ludwin.search.puzzles.estimate import by_brain
from ludwin.search.puzzles.pool import LONGEST, OPEN, REASONS, SOLVED, can_play
from ludwin.search.seat import Seat, Sitting, alarm

ANY, FEWEST_MOVES, CHEAPEST = "", "moves", "cost"  # what a search claims of its plans: nothing, shortest, cheapest
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
LEAST_MEMORY = 10**6
UNLIMITED = 2**60
LOOK_SECONDS = 0.2  # between two looks at a search that somebody watches

Watch = Callable[[Any], None]  # gets the search's record of counts, now and then


def read_memory(text: str, owner: str) -> int:
    """Return how many bytes a text means, such as 500K, 100M or 2G. Raises BadParameter.

    >>> read_memory("100M", "bfs")
    100000000
    """
    found = re.fullmatch(r"(\d{1,12})([KMG]?)B?", text.strip().upper())
    size = int(found[1]) * UNITS[found[2]] if found else 0
    if size < LEAST_MEMORY:
        raise BadParameter(f"{owner}: memory is a size such as 100M or 2G, from 1M on, got {text!r}")
    return size


def shares(memory: int, row: int) -> tuple[int, int]:
    """Return how many rows of so many bytes fit into memory with a table that finds them, and its slots.

    >>> shares(100_000_000, 120)
    (699050, 1048576)
    """
    best = (1, 1024)
    for power in range(10, 32):
        slots = 1 << power
        room = min(2 * slots // 3, (memory - 8 * slots) // row - 2)
        if room > best[0]:
            best = (room, slots)
    return best


@dataclass(frozen=True)
class Solution:
    """What a search alone has found."""

    status: str  # solved, unsolvable, gave up
    why: str = ""  # for want of what it gave up: nodes, memory, seconds, length, incomplete
    plan: tuple[int, ...] = ()
    cost: float = 0.0
    optimal: bool = False  # proved: no plan costs less
    nodes: int = 0
    generated: int = 0
    expanded: int = 0
    distinct: int = 0
    depth: int = 0
    seconds: float = field(default=0.0, compare=False)

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.status == "solved"

    @property
    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return {name: getattr(self, name) for name in ("nodes", "generated", "expanded", "distinct")}


# ---- By the rules --------------------------------------------------------------------------------------------------

REPLAY = {"states": "States", "bufs": "Moves", "plan": [int], "run": {"length": int, "cost": float, "ends": int}}


def replay_plan(w: Bundle):
    """Play the plan from state 0; return at which move it is illegal, its length if it leads to a goal, -1 if not.

    The moves are looked for among the legal ones, whatever the search has thought of them.
    """
    s = w.states[0]
    w.run.cost = 0.0
    for i in range(w.run.length):
        if not can_play(w, s, w.plan[i]):
            return i
        w.run.cost += 1.0 * cost(s, w.plan[i])
        play(s, w.plan[i])
    w.run.ends = 1 if solved(s) else 0
    return w.run.length if w.run.ends == 1 else -1


REPLAYING = Kernel("replay of plans", replay_plan, needs=("solved",), records=REPLAY)


def replay_mode(mode: str) -> str:
    """Return in which mode plans are played that a search has found in another: every index is examined."""
    return "plain" if mode == "plain" else "checked"


class Referees:
    """Plays plans by the rules, one after another; in `checked` mode every index and result is examined."""

    def __init__(self, game: Game, mode: str = "checked"):
        self.run = specialise(game, REPLAYING, mode)
        self.w = self.run.bundle(states=1, plan=LONGEST, bufs=1)

    def cost(self, state: State, plan: Sequence[int]) -> float:
        """Return what a plan costs. Raises IllegalMove unless it is legal and leads to a goal."""
        self.run.put(self.w.states, 0, state)
        for i, move in enumerate(plan):
            self.w.plan[i] = move
        self.w.run.length = len(plan)
        told = int(self.run(self.w))
        if told == len(plan) and self.w.run.ends:
            return float(self.w.run.cost)
        if told < 0:
            raise IllegalMove(f"{state.game.name}: after {len(plan)} moves the position is not solved")
        raise IllegalMove(f"{state.game.name}: move {told + 1} of the plan, {plan[told]}, is not legal there")


def has_past(state: State) -> bool:
    """Tell whether a position differs from the start in something that its key leaves out, such as moves made before.

    Fields that only repeat others are left out, too, and count as a past: that costs a proof, never the truth.

    >>> from ludwin import load
    >>> start = load("tiles").start()
    >>> has_past(start), has_past(start.play(start.moves()[0]))
    (False, True)
    """
    game = state.game
    key = game.function("key")
    here = key(state.thaw())
    for at, (one, other) in enumerate(zip(state.cells, game.start().cells, strict=True)):
        if one != other:
            with suppress(Exception):  # rules need not stand a state that is half another
                if key(State(game, (*state.cells[:at], other, *state.cells[at + 1 :])).thaw()) == here:
                    return True
    return False


# ---- The agents ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Solver(Agent):
    """A search for one player; subclasses say which kernel, with how much room."""

    name: ClassVar[str] = ""
    nodes: int = setting(0, "nodes after which it gives up (0: no limit)", least=0)
    seconds: float = setting(0.0, "seconds after which it gives up (0: no limit)", least=0)
    memory: str = setting("1G", "what its tables may take, such as 100M or 2G")

    def __post_init__(self) -> None:
        super().__post_init__()
        read_memory(self.memory, self.name)

    @property
    def timed(self) -> bool:
        """Whether results depend on the clock."""
        return self.seconds > 0

    @property
    def remembers(self) -> bool:
        """A solver follows the plan that it has made."""
        return True

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is a puzzle: one player, a goal, no chance, nothing hidden."""
        if game.is_world or game.players != 1 or "solved" not in game.offers:
            raise CannotPlay(
                f"{self.name} solves games of one player that define solved(s), {game.name} is none; "
                f"`ludwin games` names those"
            )
        if game.has_chance or game.has_secrets:
            raise CannotPlay(f"{self.name} makes plans, and {game.name} has chance or secrets; try uct")

    def claims(self, game: Game) -> str:
        """Return what a plan of this search is: nothing in particular, one of fewest moves, a cheapest one."""
        return ANY

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel, with workspaces that fit into the memory."""
        raise NotImplementedError

    def aside(self, game: Game) -> int:
        """Return how much of the memory is taken before a search begins."""
        return 0

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return more that the kernel finds in `w.run`."""
        return {}

    def early(self, state: State) -> int:
        """Return after how many moves from a position a state may have none only because the game is as long as it
        may be, where another way to that state was shorter.

        Nobody but the key tells states apart; one that leaves nothing out leaves no doubt.  At the start half the
        longest game is trusted; a position that has a past may be near its end.
        """
        if "key" not in state.game.offers:
            return UNLIMITED
        return 0 if has_past(state) else state.game.max_plies // 2

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        self.suits(game)
        seat = self.furniture(game, read_memory(self.memory, self.name) - self.aside(game))
        room = seat.sizes.get("nodes", 1 << 40) - 1

        def prepare(run: Specialised, w: Any) -> None:
            seat.prepare(run, w)
            w.run.most, w.run.room, w.run.stop = self.nodes or UNLIMITED, room, 0
            w.run.slots = seat.sizes.get("slots", 0)
            for name, value in self.options(seat.sizes).items():
                setattr(w.run, name, value)

        return replace(seat, prepare=prepare, sizes={"plan": LONGEST, **seat.sizes})

    def heeds(self, game: Game, mode: str = "fast") -> bool:
        """Tell whether it can be ended from outside."""
        return True

    def solving(self, game: Game, mode: str = "fast") -> "Solving":
        """Return what solves one position after another in one workspace."""
        return Solving(self, game, mode)

    def solve(
        self, game: Game, state: State, *, seed: int = 0, mode: str = "fast", watch: Watch | None = None
    ) -> Solution:
        """Return what the search finds for a position; a plan has been played by the rules."""
        return self.solving(game, mode).solve(state, seed=seed, watch=watch)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the first move of a plan if one is found, else the first legal move."""
        must_move(game, state)
        return chosen(state, self.solve(game, state, seed=seed, mode=mode))

    def sit(self, game: Game, mode: str = "fast") -> Player:
        """Return what chooses in one game: it follows its plan as long as it is on it."""
        known: dict[State, int] = {}

        def follow(state: State, seed: int, played: Sequence[int]) -> Choice:
            if state in known:
                return Choice(known[state], _worth(game, 1), 1, decided=True, line=(known[state],))
            found = self.solve(game, state, seed=seed, mode=mode)
            known.clear()
            at = state
            for move in found.plan:
                known[at] = move
                at = at.play(move)
            return chosen(state, found)

        return follow


def chosen(state: State, found: Solution) -> Choice:
    """Return a choice that begins a plan."""
    move = found.plan[0] if found.plan else state.moves()[0]
    decided = found.status != "gave up"
    value = _worth(state.game, int(found.solved)) if decided else 0.0
    kinds = {name: count for name, count in found.counts.items() if name != "nodes"}
    return Choice(move, value, found.nodes, decided, kinds, len(found.plan), found.plan or (move,))


def _worth(game: Game, reached: int) -> float:
    """Return what a choice says of a puzzle: 1 where the goal will be reached, 0 where it cannot be."""
    return float(reached)


class Solving:
    """A solver with its workspace, for as many positions of one game as there are."""

    def __init__(self, agent: Solver, game: Game, mode: str = "fast"):
        self.agent, self.game, self.mode = agent, game, mode
        self.seat = agent.seat(game)
        try:
            self.sitting = Sitting(self.seat, game, mode)
        except MemoryError as error:
            raise BadParameter(f"{agent.name}: memory={agent.memory} is too much: {error}") from None
        self.referees = Referees(game, replay_mode(mode))

    def reseat(self, agent: Solver) -> bool:
        """Let another solver work here, if it differs in its data only; tell whether it does."""
        if agent is self.agent:
            return True
        seat = agent.seat(self.game)
        if seat.kernel != self.seat.kernel or seat.sizes != self.seat.sizes:
            return False
        self.agent, self.seat = agent, seat
        seat.prepare(self.sitting.run, self.sitting.w)
        return True

    def solve(self, state: State, *, seed: int = 0, watch: Watch | None = None, nodes: int = 0) -> Solution:
        """Return what the search finds for a position, within so many nodes if they are given (else the agent's)."""
        w, run = self.sitting.w, self.sitting.w.run
        run.most = nodes or self.agent.nodes or UNLIMITED
        run.early = self.agent.early(state)
        began = monotonic()
        with alarm(self.agent.seconds, run, "stop", lambda: self._glance(state)):
            if watch is None:
                self.sitting.choose(state, seed)
            else:
                self._watched(state, seed, watch)
        seconds = monotonic() - began
        plan = tuple(int(move) for move in w.plan[: run.length]) if run.status == SOLVED else ()
        status = "solved" if run.status == SOLVED else "gave up" if run.status == OPEN else "unsolvable"
        price = 0.0
        if run.status == SOLVED:
            try:
                price = self.referees.cost(state, plan)
            except IllegalMove as error:
                raise LudwinError(f"{self.agent}: the rules do not allow its plan ({error})") from None
        claim = self.agent.claims(self.game)
        best = claim == CHEAPEST or (claim == FEWEST_MOVES and "cost" not in self.game.offers)
        counts = {name: int(getattr(run, name)) for name in ("nodes", "generated", "expanded", "distinct", "depth")}
        doubt = run.doubt and "cost" in self.game.offers  # a cheaper way may have been dropped, and have been shorter
        proved = status == "solved" and ((best and not doubt) or not plan)
        return Solution(
            status, REASONS[run.why] if status == "gave up" else "", plan, price, proved, **counts, seconds=seconds
        )

    def _glance(self, state: State) -> Choice | None:
        """Return how far a search that another thread is in has come; a plan is known at its end only."""
        run, first = self.sitting.w.run, state.moves()[0]
        counts = {name: int(getattr(run, name)) for name in ("generated", "expanded", "distinct")}
        return Choice(first, 0.0, int(run.nodes), False, counts, int(run.depth))

    def _watched(self, state: State, seed: int, watch: Watch) -> None:
        """Search in a thread, and let somebody look at the counts meanwhile; an interrupt ends the search."""
        trouble: list[BaseException] = []

        def work() -> None:
            try:
                self.sitting.choose(state, seed)
            except BaseException as error:  # told to whoever asked
                trouble.append(error)

        thread = threading.Thread(target=work, name="ludwin-solve", daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(LOOK_SECONDS)
                watch(self.sitting.w.run)
        finally:
            self.sitting.w.run.stop = 1
            thread.join()
            self.sitting.w.run.stop = 0
        if trouble:
            raise trouble[0]


@dataclass(frozen=True)
class Guided(Solver, Thinker):
    """A solver that asks how far a state seems to be from a goal: the game's own estimate, or a brain."""

    eval: str = setting("game", "which estimate: game for the game's distance, NAME for its distance_NAME")
    patterns: str = setting("", "estimate by tables of these patterns of the game, such as five1+five2+five3")
    brain: Brain | None = mind()

    demands: ClassVar[bool] = True  # whether it makes no sense without an estimate

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.patterns and self.eval != "game":
            raise BadParameter(f"{self.name}: eval={self.eval} has no effect with patterns; leave one of them out")
        if self.patterns and self.brain is not None:
            raise BadParameter(f"{self.name}: patterns have no effect with a brain; leave them out")

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is a puzzle, and there is such an estimate."""
        super().suits(game)
        known = self._estimates(game)
        if self.advisor is not None:
            self.advisor.suits(game)
        elif self.eval != "game" and self.eval not in known:
            raise CannotPlay(
                f"{self.name}: {game.name} has no estimate called {self.eval!r} (it has {', '.join(known) or 'none'})"
            )
        elif self.demands:
            self.demand_estimate(game)

    def _estimates(self, game: Game) -> tuple[str, ...]:
        return (*(("game",) if "distance" in game.offers else ()), *game.variants("distance_"))

    def demand_estimate(self, game: Game) -> None:
        """Raise CannotPlay if nobody can say how far a state is from a goal."""
        if self.advisor is None and self.eval == "game" and "distance" not in game.offers:
            known = self._estimates(game)
            more = f"eval={known[0]}, or " if known else ""
            raise CannotPlay(f"{self.name} needs an estimate, and {game.name} has no distance(s); give {more}a brain")

    @property
    def advisor(self) -> Brain | None:
        """What is asked instead of the game: a brain, or tables of patterns."""
        if not self.patterns:
            return self.brain
        from ludwin.search.puzzles.patterns import Patterns

        return Patterns(tuple(self.patterns.split("+")))

    def aside(self, game: Game) -> int:
        """Return what the tables of patterns take. Raises BadParameter if they leave nothing for the search."""
        from ludwin.search.puzzles.patterns import Patterns

        taken = self.advisor.held(game) if isinstance(self.advisor, Patterns) else 0
        if taken + LEAST_MEMORY > read_memory(self.memory, self.name):
            raise BadParameter(
                f"{self.name}: the tables of {self.patterns} take {-(-taken // 10**6)}M, and memory is {self.memory}"
            )
        return taken

    def lower_bound(self, game: Game) -> bool:
        """Tell whether the estimate promises never to say too much: the game's own distance does, and patterns do."""
        return self.brain is None and self.eval == "game"

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace and what it asks."""
        seat = super().seat(game)
        bind: dict[str, Any] = {}
        advisor = self.advisor
        if advisor is not None:
            bind = {} if "estimate" in advisor.bind(game) else {"estimate": by_brain}
        elif self.eval != "game":
            bind = {"distance": f"distance_{self.eval}"}
        kernel = replace(seat.kernel, bind={**seat.kernel.bind, **bind})
        return furnished(replace(seat, kernel=kernel), advisor, game)
