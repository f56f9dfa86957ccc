"""The problems: plain programs, what is to be found, and by which moves.

Why it is here.  `ludwin discover NAME` looks a name up here.  A problem is a plain program (a text in
`problems/`), the predicate that is asked, and a way to solve it: the search over clauses, context
closure, or a sketch to fill.  A file of the user's is a problem, too.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from ludwin import library
from ludwin.discover import sketches
from ludwin.discover.closure import Offers, close, halves, orders, sums
from ludwin.discover.derivation import Derivation
from ludwin.discover.engine import Engine, Trial, expand_path
from ludwin.discover.moves import MOVE_SETS
from ludwin.discover.relation import Sketch, complete
from ludwin.discover.syntax import parse
from ludwin.discover.term import BadProgram, Const, Program, Struct, Term
from ludwin.discover.trees import Node, alphabeta, binary, world
from ludwin.errors import BadParameter, brief
from ludwin.errors import UnknownProblem as UnknownProblem
from ludwin.progress import SILENT, Progress
from ludwin.settings import one_of, within
from ludwin.words import html_table

MOVES = (*MOVE_SETS, "closure")
FOLDER = Path(__file__).parent / "problems"


@dataclass(frozen=True)
class Challenge:
    """A plain program and what to look for."""

    name: str
    about: str
    program: str  # a file of the folder
    entry: str
    moves: str = "closure"  # by default
    offers: Offers = orders
    sketch: Sketch | None = None
    clauses: tuple[str, str] | None = None  # (program, focus) for the search over clauses
    deep: bool = False  # whether only deep cuts count as found

    def seed(self) -> Program:
        """Return the plain program."""
        return read_program(self.program)


@dataclass
class Discovery:
    """What a discovery brought: a derivation, or how near it came."""

    problem: str
    moves: str
    derivation: Derivation | None
    states: int
    generated: int
    duplicates: int
    depth: int
    seconds: float
    message: str = ""
    cost: tuple[int, int] | None = None  # of the found and of the plain program, on the trial
    plies: tuple[tuple[int, int, int], ...] = ()
    judges: tuple[tuple[str, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return self.to_json()

    def _repr_html_(self) -> str:
        found = self.to_dict()
        said = [[key, str(found[key])] for key in ("found", "states", "generated", "duplicates", "depth")]
        head = html_table(self.problem, ["", ""], said)
        return head + (self.derivation._repr_html_() if self.derivation else "")

    def to_json(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return {
            "found": self.derivation is not None,
            "states": self.states,
            "generated": self.generated,
            "duplicates": self.duplicates,
            "depth": self.depth,
            "seconds": round(self.seconds, 3),
        }


PROBLEMS = {
    p.name: p
    for p in (
        Challenge(
            "beta-cut",
            "the paper's section 3: one cut, clause by clause",
            "minimax2.pl",
            "max",
            "split-join",
            clauses=("minimax2.pl", "max"),
        ),
        Challenge(
            "nega-alpha-beta",
            "alpha-beta in nega form, from negamax",
            "negamax.pl",
            "value",
            clauses=("negamax2.pl", "neg"),
            deep=True,
        ),
        Challenge(
            "alpha-beta",
            "alpha-beta with deep cut-offs, from plain minimax",
            "minimax.pl",
            "value",
            clauses=("minimax2.pl", "max"),
            deep=True,
        ),
        Challenge("alternating", "the same where the players alternate: 16 predicates", "alternating.pl", "max"),
        Challenge("win-loss", "stop as soon as a win is found", "win-loss.pl", "value"),
        Challenge(
            "fail-soft",
            "alpha-beta that returns bounds outside its window",
            "minimax.pl",
            "soft",
            sketch=sketches.FAIL_SOFT,
        ),
        Challenge(
            "scout",
            "a null-window test before every search but the first",
            "minimax.pl",
            "scout",
            sketch=sketches.SCOUT,
        ),
        Challenge(
            "table", "fail-soft alpha-beta with a transposition table", "table.pl", "tabled", sketch=sketches.TABLE
        ),
        Challenge("star1", "cut-offs at chance nodes", "star1.pl", "value", offers=halves),
        Challenge(
            "branch-and-bound",
            "the cheapest solution of a puzzle, with an admissible bound",
            "branch-and-bound.pl",
            "cost",
            offers=sums,
        ),
        Challenge("maxn", "shallow pruning for three players", "maxn", "t0", sketch=sketches.maxn_sketch()),
        Challenge(
            "maxn-deep",
            "deep pruning for three players, which must not be found",
            "maxn",
            "t0",
            sketch=sketches.maxn_sketch(deep=True),
        ),
    )
}


def read_program(name: str) -> Program:
    """Return one of our plain programs."""
    if name == "maxn":
        return parse(sketches.maxn_seed(), "maxn")
    return parse((FOLDER / name).read_text(encoding="utf8"), name)


def find(name: str) -> Challenge:
    """Return the problem of a name, or of a user's file. Raises UnknownProblem."""
    path = Path(name)
    if path.suffix == ".pl" or "/" in name:
        try:
            program = parse(path.read_text(encoding="utf8"), path.name)
        except FileNotFoundError:
            raise UnknownProblem(f"there is no file {name!r}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise BadProgram(f"{path.name}: cannot be read: {error}") from None
        if not program.clauses:
            raise BadProgram(f"{path.name}: the program has no clauses")
        entry = program.clauses[0].head.name
        arithmetic = any(goal.name == "is" for clause in program.clauses for goal in clause.goals)
        return Challenge(
            name,
            "a file",
            str(path.resolve()),
            entry,
            "closure" if arithmetic else "split-join",
            offers_for(program),
            clauses=(str(path.resolve()), entry),
        )
    found: Challenge = library.PROBLEMS.find(name)
    return found


def offers_for(program: Program) -> Offers:
    """Return the shapes of bounds that a program's arithmetic can use: orders, sums, or doubled values where means are
    taken.

    >>> offers_for(read_program("star1.pl")) is halves, offers_for(read_program("minimax.pl")) is orders
    (True, True)
    """
    parts = [
        part for c in program.clauses for g in (*c.goals, *c.tests, c.head) for arg in g.args for part in _parts(arg)
    ]
    two = {Const(2), Const(2.0), Const(0.5)}
    if any(isinstance(p, Struct) and p.functor in "*/" and two & set(p.args) for p in parts):
        return halves
    return (
        sums
        if any(isinstance(p, Struct) and p.functor in ("+", "-", "*", "/") and len(p.args) == 2 for p in parts)
        else orders
    )


def _parts(term: Term) -> Iterator[Term]:
    yield term
    if isinstance(term, Struct):
        for arg in term.args:
            yield from _parts(arg)


def trees(seed: int, count: int = 12, depth: int = 4) -> list[Node]:
    """Return the standard test set: random binary trees."""
    rng = Random(seed)
    return [binary(rng, depth) for _ in range(count)]


def discover(
    name: str,
    *,
    moves: str | None = None,
    max_states: int = 60_000,
    seed: int = 0,
    strategy: str = "iterative",
    progress: Progress = SILENT,
) -> Discovery:
    """Solve a problem and return what was found; the same seed finds the same."""
    if not isinstance(name, str):
        raise BadParameter(f"a problem is named by a text such as 'beta-cut', got {brief(name)}")
    for word, value in (("max-states", max_states), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadParameter(f"{word} must be a whole number, got {brief(value)}")
    problem = find(name)
    moves = moves or problem.moves
    one_of("moves", moves, MOVES)
    within("max-states", max_states, 1)
    if problem.about == "a file":  # mistakes in the plain program are told before the search, in the checker's words
        plain = problem.seed()
        Derivation(problem.name, problem.entry, plain, (), plain).verify()
    began = time.perf_counter()
    progress.total(None, problem.name, unit="states")
    if moves != "closure":
        if problem.clauses is None:
            raise BadParameter(
                f"{name} is found by closure; the search over clauses solves "
                f"{', '.join(p.name for p in PROBLEMS.values() if p.clauses)}"
            )
        return _by_clauses(problem, moves, max_states, seed, strategy, progress)
    if problem.sketch is not None:
        derivation, tally, prover, message = complete(
            problem.seed(), problem.entry, problem.name, problem.sketch, progress
        )
        judges = prover.oracle.by
    else:
        program = problem.seed()
        if not any(goal.name == "is" for clause in program.clauses for goal in clause.goals):
            raise BadParameter(f"closure needs results computed by `is`; {name} has none, use --moves split-join")
        derivation, tally, oracle = close(
            program, problem.entry, problem.name, offers=problem.offers, progress=progress
        )
        message, judges = "", oracle.by
    seconds = time.perf_counter() - began
    notes = {
        "moves": moves,
        "states": tally.states,
        "generated": tally.generated,
        "duplicates": tally.duplicates,
        "judges": dict(sorted(judges.items())),
    }
    if derivation is not None and problem.sketch is None and not any(step.rule == "split" for step in derivation.steps):
        same = set(derivation.result.clauses) == set(derivation.seed.clauses)
        message = "nothing can be cut here: " + (
            "seen through windows, the program is as it was"
            if same
            else "windows can be passed on, but no test on them saves a call"
        )
        derivation = None
    if derivation is not None:
        derivation = Derivation(
            derivation.problem, derivation.entry, derivation.seed, derivation.steps, derivation.result, notes
        )
    return Discovery(
        problem.name,
        moves,
        derivation,
        tally.states,
        tally.generated,
        tally.duplicates,
        tally.depth,
        seconds,
        message,
        judges=tuple(sorted(judges.items())),
    )


def _by_clauses(
    problem: Challenge, moves: str, max_states: int, seed: int, strategy: str, progress: Progress
) -> Discovery:
    assert problem.clauses is not None
    file, focus = problem.clauses
    program = read_program(file) if not Path(file).is_absolute() else problem.seed()
    offered = world()
    missing = sorted(name for name in program.preds if name not in program.defined and name not in offered)
    if missing or program.preds[focus].modes != ("in", "out") or program.preds[focus].kinds[0] == "number":
        wrong = f"no {', '.join(missing)}" if missing else f"nothing for {focus} with these arguments"
        raise BadProgram(
            f"the search over clauses tries programs on trees, which offer {', '.join(offered)} of one position, and "
            f"{wrong}"
        )
    nodes = trees(seed)
    costly = "mine" if "mine" in program.preds else "eval"
    trial = Trial(focus, world(), tuple((node,) for node in nodes), costly)
    target = None
    if problem.deep:
        leaves: list[Node] = []
        for node in nodes:
            alphabeta(node, leaves.append)
        target = len(leaves)
    engine = Engine(program, focus, trial, MOVE_SETS[moves], target=target, progress=progress)
    found = engine.search(max_states, strategy=strategy)
    derivation = None
    message = ""
    if found.path is not None:
        steps, result = expand_path(program, focus, found.path)
        notes = {
            "moves": moves,
            "seed": seed,
            "states": found.states,
            "generated": found.generated,
            "duplicates": found.duplicates,
            "cost": [found.cost, found.seed_cost],
        }
        derivation = Derivation(problem.name, focus, program, tuple(steps), result, notes)
    else:
        message = (
            f"not found among {found.states} programs down to depth {found.depth}; nearest: "
            f"{found.nearest or 'nothing was saved'}"
        )
    plies = tuple((a, b, c) for a, b, c in found.plies)
    return Discovery(
        problem.name,
        moves,
        derivation,
        found.states,
        found.generated,
        found.duplicates,
        found.depth,
        found.seconds,
        message,
        (found.cost, found.seed_cost),
        plies,
    )
