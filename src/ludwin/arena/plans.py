"""Plans for puzzles: kept in files, checked by the rules, made for many positions at once.

Why it is here.  A plan is worth what the rules say of it, whoever made it.  `read_plan` takes our own files and bare
lists of moves, `check_plan` plays them.  `solve_many` solves position after position, several at a time; each outcome
is a line of an append-only file, so that a run that was interrupted goes on where it was.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ludwin.arena.errands import solved_elsewhere
from ludwin.errors import BadParameter, BadPosition, IllegalMove, LudwinError
from ludwin.files import lock, open_log
from ludwin.formats import (
    BadFile,
    Format,
    List,
    Mismatch,
    Number,
    Table,
    Text,
    Truth,
    Whole,
    decode,
    maybe,
    read_bytes,
    read_lines,
    read_text,
    shown,
    write_json,
)
from ludwin.game import Game, State
from ludwin.kernel.specialise import is_made, specialise
from ludwin.progress import SILENT, Progress
from ludwin.search.puzzles.pool import REASONS
from ludwin.search.puzzles.solver import REPLAYING, Guided, Solution, Solver, Solving, replay_mode
from ludwin.search.watching import SearchWatch, begin_watch
from ludwin.spread import elsewhere
from ludwin.trust import NAME, SEED, named
from ludwin.workers import FORK, Processes, Task, Threads

if TYPE_CHECKING:
    from ludwin.search.puzzles.patterns import Patterns

PLAN = Format(
    "ludwin-plan",
    1,
    Table({"game": NAME, "position": Text(line=True), "moves": List(Text(line=True))}, {"agent": Text(line=True)}),
    "plan",
    largest=2**24,
)
SOLUTIONS = Format(
    "ludwin-solutions",
    1,
    Table({"game": NAME, "agent": Text(line=True), "seed": SEED, "positions": Whole(least=1), "mark": Text(line=True)}),
    "file of solutions",
)
ROW = Table(
    {
        "number": Whole(least=0),
        "status": Text(choices=("solved", "unsolvable", "gave up")),
        "optimal": Truth(),
        "length": maybe(Whole(least=0)),
        "cost": maybe(Number()),
        "nodes": Whole(least=0),
        "generated": Whole(least=0),
        "expanded": Whole(least=0),
        "distinct": Whole(least=0),
        "why": Text(line=True),
        "plan": List(Text(line=True)),
    }
)
LONGEST_FILE = 2**26
LONGEST_POSITION = 10_000  # letters of one that fills a file
MOST_POSITIONS = 10_000_000


# ---- One plan ------------------------------------------------------------------------------------------------------


def names_of(state: State, plan: Sequence[int]) -> list[str]:
    """Return the moves of a plan as texts; each is played by the rules. Raises IllegalMove."""
    texts = []
    for move in plan:
        texts.append(state.name(move))
        state = state.play(move)
    return texts


def states_of(state: State, plan: Sequence[int]) -> list[State]:
    """Return all positions of a plan, the first and the last included."""
    states = [state]
    for move in plan:
        states.append(states[-1].play(move))
    return states


def write_plan(path: Path, state: State, plan: Sequence[int], agent: str) -> None:
    """Keep a plan in a file. Raises BadParameter if it cannot be written."""
    body = {"game": named(state.game), "position": state.write(), "moves": names_of(state, plan), "agent": agent}
    try:
        write_json(path, PLAN, body)
    except OSError as error:
        raise BadParameter(f"cannot write {str(path)!r}: {(error.strerror or str(error)).lower()}") from None


@dataclass(frozen=True)
class GivenPlan:
    """A plan as a file says it: moves, and the position where they begin if it tells."""

    moves: tuple[str, ...]
    position: str | None = None
    game: str | None = None


FC_SOLVE = re.compile(r"^(?:-=)+-?$(.*?)^This game is solveable", re.MULTILINE | re.DOTALL)


def read_plan(path: Path) -> GivenPlan:
    """Return the plan of a file: ours, or a text in which moves are separated by blanks; lines that begin with `# `
    are remarks. What fc-solve prints (`fc-solve -snx -m`) is such a text between a rule and a verdict. Raises BadFile.
    """
    raw = read_bytes(path, PLAN.largest)
    if raw.lstrip()[:1] == b"{":
        try:
            data = PLAN.accept(decode(raw))
        except Mismatch as error:
            raise BadFile(f"{path} is no plan: {error}") from None
        return GivenPlan(tuple(data["moves"]), data["position"], data["game"])
    text = read_text(path, PLAN.largest)
    printed = FC_SOLVE.search(text)
    lines = [line for line in (printed[1] if printed else text).splitlines() if not line.startswith("# ")]
    moves = tuple(" ".join(lines).split())
    if len(moves) > 2**20:
        raise BadFile(f"{path} is no plan: it has {len(moves)} moves")
    return GivenPlan(moves)


@dataclass(frozen=True)
class PlanVerdict:
    """What the rules say of a plan."""

    solved: bool
    length: int
    cost: float
    reason: str = ""
    codes: tuple[int, ...] = ()


def check_plan(state: State, moves: Sequence[str]) -> PlanVerdict:
    """Play a plan move by move, in plain Python, and say whether it solves the position."""
    game, cost = state.game, 0.0
    codes: list[int] = []
    if "solved" not in game.offers:
        raise BadParameter(f"{game.name} is no puzzle: it does not define solved(s)")
    price = game.function("cost") if "cost" in game.offers else None
    for number, text in enumerate(moves, 1):
        try:
            move = state.parse(text)
        except IllegalMove as error:
            reason = str(error).removeprefix(f"{game.name}: ").splitlines()[0]
            return PlanVerdict(False, number - 1, cost, f"move {number} of {len(moves)}: {reason}", tuple(codes))
        cost += float(price(state.thaw(), move)) if price else 1.0
        state = state.play(move)
        codes.append(move)
    if not game.function("solved")(state.thaw()):
        return PlanVerdict(
            False, len(moves), cost, f"after {len(moves)} moves the position is not solved", tuple(codes)
        )
    return PlanVerdict(True, len(moves), cost, "", tuple(codes))


# ---- Compiling apart ----------------------------------------------------------------------------------------------


class SolverCompiling(Task[int, bool]):
    """What the process beside does: it fills the cache with the code of a solver."""

    def __init__(self, agent: Solver, game: Game, mode: str):
        self.agent, self.game, self.mode = agent, game, mode

    def do(self, tool: None, part: int) -> bool:
        """Compile the search and the replay of plans, and build the tables that the search reads."""
        self.agent.warm(self.game, self.mode)
        advisor = _patterns_of(self.agent)
        if advisor is not None and self.mode == "fast":
            advisor.build(self.game)
        specialise(self.game, REPLAYING, replay_mode(self.mode))
        return True


def _patterns_of(agent: Solver) -> "Patterns | None":
    """Return the tables of patterns that a search reads, if it does."""
    if not getattr(agent, "patterns", ""):
        return None
    from ludwin.search.puzzles.patterns import Patterns

    advisor = agent.advisor if isinstance(agent, Guided) else None
    return advisor if isinstance(advisor, Patterns) else None


def compile_apart(agent: Solver, game: Game, mode: str) -> None:
    """Compile what is not compiled yet, and build tables that are not kept, in a process of its own: compilers take
    memory that they never give back.
    """
    kernel, advisor = agent.kernel(game), _patterns_of(agent)
    is_kept = advisor is None or mode != "fast" or advisor.is_kept(game)
    if not FORK or (is_kept and is_made(game, kernel, mode) and is_made(game, REPLAYING, replay_mode(mode))):
        return
    crew = Processes(SolverCompiling(agent, game, mode), 1)
    try:
        for _ in crew.run(iter([0])):
            pass
    finally:
        crew.close()


# ---- Many positions ------------------------------------------------------------------------------------------------


def positions_of(game: Game, text: str) -> list[State]:
    """Return the positions that a text means: the lines of a file, `#1..40` for those so numbered, or one position.

    In a file lines that begin with `# ` are remarks, and the first word of a line may be a name unless it comes again
    behind; a file may also hold one position of several lines, as other programs write deals. Raises BadPosition.
    """
    span = re.fullmatch(r"#([0-9]{1,9})\.\.#?([0-9]{1,9})", text.strip())
    if span:
        low, high = int(span[1]), int(span[2])
        if not low <= high < low + MOST_POSITIONS:
            raise BadPosition(f"{game.name}: #{low}..{high} is no range of at most {MOST_POSITIONS:,} positions")
        return [game.position(f"#{number}") for number in range(low, high + 1)]
    path = Path(text)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):
        is_file = False
    if not is_file:
        return [game.position(text)]
    lines = [
        (number, line)
        for number, line in enumerate(read_text(path, LONGEST_FILE).removeprefix("\ufeff").splitlines(), 1)
        if line.strip() and not line.startswith("# ")
    ]
    if not lines:
        raise BadPosition(f"{path} holds no position")
    found: list[State] = []
    try:
        for number, line in lines:
            found.append(_position_in(game, line.strip(), f"{path}:{number}"))
    except BadPosition as error:
        whole = "\n".join(line for _, line in lines)
        if len(lines) == 1 or len(whole) > LONGEST_POSITION:
            raise
        try:
            return [game.position(whole)]
        except BadPosition as together:
            if found or any(_is_position(game, line) for _, line in lines):
                raise error from None  # a list of positions, with a mistake
            line = str(error).partition(" (the start is ")[0]
            raise BadPosition(f"{line}; and all lines as one position: {together}") from None
    return found


def _is_position(game: Game, line: str) -> bool:
    """Tell whether a line of a file is a position."""
    with suppress(BadPosition):
        _position_in(game, line.strip(), "")
        return True
    return False


def _position_in(game: Game, line: str, place: str) -> State:
    try:
        return game.position(line)
    except BadPosition as error:
        name, _, rest = line.partition(" ")
        if rest.strip() and name.lower() not in rest.lower().split():  # a word that comes again is no name
            try:
                return game.position(rest.strip())
            except BadPosition:
                pass
        raise BadPosition(f"{place}: {error}") from None


@dataclass(frozen=True)
class PlanRow:
    """What became of one of many positions."""

    number: int
    solution: Solution

    def row(self, state: State) -> dict[str, Any]:
        """Return it as a line of a file."""
        found = self.solution
        return {
            "number": self.number,
            "status": found.status,
            "optimal": found.optimal,
            "length": len(found.plan) if found.solved else None,
            "cost": found.cost if found.solved else None,
            **found.counts,
            "why": found.why,
            "plan": names_of(state, found.plan),
        }


def solve_many(
    agent: Solver,
    states: Sequence[State],
    *,
    seed: int = 0,
    workers: int = 1,
    mode: str = "fast",
    out: Path | None = None,
    progress: Progress = SILENT,
) -> Iterator[dict[str, Any]]:
    """Solve positions and yield a row for each, in their order; rows that a file holds already are taken from there."""
    game = states[0].game
    agent.suits(game)
    known: list[dict[str, Any]] = []
    log: BinaryIO | None = None
    if out is not None:
        head = _head(agent, states, seed)
        known = _resume(out, head)
        log = _open(out, head)
    progress.total(len(states), str(agent), unit="positions", done=len(known))
    done = solved = nodes = 0

    def begin() -> tuple[Solving, SearchWatch]:
        return agent.solving(game, mode), begin_watch()

    def do(tool: tuple[Solving, SearchWatch], number: int) -> PlanRow:
        return PlanRow(number, tool[0].solve(states[number], seed=seed))

    try:
        spread = elsewhere(workers)
        if spread is not None:
            rows: Iterator[dict[str, Any]] = solved_elsewhere(spread, agent, states, len(known), seed, mode)
        else:
            crew = Threads(do, workers, begin, lambda tool: tool[1].stop())
            rows = (one.row(states[one.number]) for one in crew.map(range(len(known), len(states))))
        for row in chain(known, rows):
            if log is not None and row["number"] >= len(known):
                log.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
                log.flush()
            done, solved, nodes = done + 1, solved + (row["status"] == "solved"), nodes + row["nodes"]
            progress.done(done, f"{solved} solved, {nodes / done:,.0f} nodes each")
            yield row
    finally:
        if log is not None:
            log.close()


def _head(agent: Solver, states: Sequence[State], seed: int) -> dict[str, Any]:
    from hashlib import sha256

    mark = sha256("\n".join(state.write() for state in states).encode()).hexdigest()[:32]
    body = {"game": named(states[0].game), "agent": str(agent), "seed": seed, "positions": len(states), "mark": mark}
    return {**SOLUTIONS.head, **body}


def _resume(path: Path, head: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a file that was begun with these positions, this agent and this seed. Raises BadFile."""
    if not path.exists():
        return []
    rows: list[dict[str, Any]] = []

    def refusal(number: int, reason: str) -> LudwinError:
        return BadFile(f"{path}:{number}: {reason}")

    for number, line in read_lines(path, refusal):
        try:
            data = decode(line)
            if number == 1:
                told = SOLUTIONS.accept(data)
                for key, value in head.items():
                    if told.get(key) != value:
                        raise Mismatch(f"it was begun with {key} {shown(told.get(key))}, not {shown(value)}")
                continue
            ROW.examine(data, "")
            if data["number"] != len(rows) or len(rows) >= head["positions"]:
                raise Mismatch(f"'number' must be {len(rows)}, got {data['number']}")
            _must_agree(data)
        except Mismatch as error:
            raise BadFile(f"{path}:{number}: {error}") from None
        rows.append(data)
    return rows


def _must_agree(row: dict[str, Any]) -> None:
    """Raise Mismatch if a row says one thing here and another there."""
    solved = row["status"] == "solved"
    length = len(row["plan"]) if solved else None
    if row["length"] != length:
        raise Mismatch(f"'length' must be {shown(length)}, got {shown(row['length'])}")
    if (row["cost"] is None) == solved or (row["plan"] and not solved) or (row["optimal"] and not solved):
        raise Mismatch(f"'cost', 'plan' and 'optimal' do not go with 'status' {shown(row['status'])}")
    if (row["why"] != "") != (row["status"] == "gave up") or row["why"] not in ("", *REASONS):
        raise Mismatch(f"'why' does not go with 'status' {shown(row['status'])}, got {shown(row['why'])}")


def codes_of(state: State, row: dict[str, Any]) -> tuple[int, ...]:
    """Return the plan of a row in codes, played by the rules. Raises BadFile if it is none, as a file may have it."""
    verdict = check_plan(state, row["plan"])
    if not verdict.solved or abs(verdict.cost - row["cost"]) > 1e-9 * abs(verdict.cost):
        why = verdict.reason or f"it costs {verdict.cost:g}, not {row['cost']:g}"
        raise BadFile(f"solution {row['number'] + 1} is no plan: {why}")
    return verdict.codes


def _open(path: Path, head: dict[str, Any]) -> BinaryIO:
    """Open the file to go on with, without a torn last line."""
    try:
        log = open_log(path)
    except OSError as error:
        raise BadParameter(f"cannot write {str(path)!r}: {(error.strerror or str(error)).lower()}") from None
    lock(log, BadParameter(f"another process writes {path}"))
    raw = path.read_bytes()
    whole = raw.rfind(b"\n") + 1
    if whole < len(raw):
        os.truncate(path, whole)
    if whole == 0:
        log.write(json.dumps(head, ensure_ascii=False).encode() + b"\n")
        log.flush()
    return log
