"""The command `solve`: a plan for a puzzle, for many positions of one, or the rules' word on somebody else's plan."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ludwin.cli import options as take

if TYPE_CHECKING:
    from ludwin.game import Game, State
    from ludwin.search.choice import Agent
    from ludwin.search.puzzles.solver import Solution, Solver

CLOSES = True
EXAMPLES = (
    ("ludwin solve parking bfs --from '#40'", "the shortest plan for the last classic card"),
    ("ludwin solve tiles:rows=4,columns=4 ida:patterns=five1+five2+five3", "with pattern databases, built when needed"),
    ("ludwin solve parking astar --from '#1..40' --out cards.jsonl", "many positions; the same line goes on"),
    ("ludwin solve parking astar --html plan.html", "a page that plays the plan"),
    ("ludwin solve chess mate:n=3 --from FEN", "a mate with every reply and its answer, proved"),
    ("ludwin solve parking --check plan.txt --from '#1'", "is this a plan? exit code 1 if not"),
    ("ludwin solve --check plan.json", "a plan of ours says of which game and position it is"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a puzzle, a solver, positions and what to do with the plan."""
    take.game(parser, position=False, optional=True)
    parser.add_argument("agent", metavar="AGENT", nargs="?", help="e.g. bfs, astar:weight=2, ida or staged:depth=2")
    parser.add_argument(
        "--from",
        dest="position",
        metavar="POSITION",
        help="a position, a FILE with one in each line, or #1..40 for those so numbered (default: the start)",
    )
    parser.add_argument("--plan", metavar="FILE", help="keep the plan in a file, which --check reads")
    parser.add_argument("--check", metavar="FILE", help="play the plan of a file by the rules instead of searching")
    parser.add_argument("--svg", metavar="FILE", help="a moving picture of the plan")
    parser.add_argument("--html", metavar="FILE", help="a page on which the plan can be stepped through")
    parser.add_argument("--out", metavar="FILE", help="keep what is found line by line; an interrupted run goes on")
    take.threads(parser)
    take.seed(parser)
    take.mode(parser)
    take.cluster(parser)


def run(options: argparse.Namespace) -> int:
    """Solve, or check a plan."""
    from ludwin.arena.plans import compile_apart, positions_of
    from ludwin.cli.common import load, say
    from ludwin.cli.saving import demand_places
    from ludwin.errors import BadParameter
    from ludwin.library import agent
    from ludwin.search.puzzles import patterns
    from ludwin.search.puzzles.solver import Solver

    patterns.announce = say
    if (options.agent is None) == (options.check is None):
        raise BadParameter("give an AGENT to solve the GAME, or --check FILE to play a plan by the rules")
    game = load(options.game) if options.game else _game_of(options.check)
    demand_places(options, "plan", "svg", "html", reads=("check",))
    if options.check:
        for name in ("plan", "out"):
            if getattr(options, name):
                raise BadParameter(f"--{name} has no effect with --check; leave it out")
        return _check(game, options)
    demand_places(options, "out")
    solver = _planner(agent(options.agent, game))  # a champion may be a solver with a brain
    if hasattr(solver, "tree"):
        return _proof(solver, game, options)
    if not isinstance(solver, Solver):
        raise BadParameter(f"{solver} makes no plans; solvers are those that `ludwin agents` lists for one player")
    solver.suits(game)
    states = positions_of(game, options.position) if options.position is not None else [game.start()]
    compile_apart(solver, game, options.mode)
    if len(states) > 1 or options.out:
        for name in ("plan", "svg", "html"):
            if getattr(options, name):
                many = f"these are {len(states)}" if len(states) > 1 else "--out is for many: leave one of them out"
                raise BadParameter(f"--{name} is for one position, and {many}")
        return _many(solver, states, options)
    if options.cluster is not None:
        raise BadParameter("--cluster is for many positions: --from FILE or --from '#1..40', or --out FILE")
    return _one(solver, states[0], options)


def _proof(prover: Any, game: "Game", options: argparse.Namespace) -> int:
    """Print a forced win with every reply and its answer; `prover` says what was found, and the tree."""
    from time import monotonic

    from ludwin.cli.common import drawn, print_json
    from ludwin.errors import BadParameter

    for name in ("plan", "out", "svg", "html", "cluster"):
        if getattr(options, name):
            raise BadParameter(f"--{name} is for plans of one player; {prover} finds a tree of replies, see --json")
    state = game.position(options.position) if options.position is not None else game.start()
    begun = monotonic()
    found, tree = prover.tree(state, options.mode)
    seconds = round(monotonic() - begun, 6)
    if options.json:
        about = {"game": game.text, "agent": str(prover), "position": state.write(), "solved": found.solved}
        counts = {"gave_up": found.cut, "moves": found.moves if found.solved else None, "nodes": found.boards}
        print_json({**about, **counts, "seconds": seconds, "tree": tree and tree.as_json()})
        return 0
    print(drawn(state))
    if tree is None:
        why = "gave up: its boards are used up" if found.cut else f"proved: no mate within {prover.n} moves"
        print(f"{prover}: {why}; {found.boards:,} nodes, {seconds:.2f} s")
        return 0
    print(f"{prover}: mate in {found.moves}, proved; {found.boards:,} nodes, {tree.size:,} moves in the tree")
    print(f"1. {tree.move}")
    for line in tree.lines():
        print(line)
    return 0


def _planner(given: "Agent") -> "Agent":
    """Return the search of an evolved player, which makes plans itself; anybody else as it is."""
    from ludwin.evolve.agent import Evolved

    return given.player() if isinstance(given, Evolved) else given


# ---- One position --------------------------------------------------------------------------------------------------


def _one(solver: "Solver", state: "State", options: argparse.Namespace) -> int:
    from pathlib import Path

    from ludwin.arena.plans import names_of, write_plan
    from ludwin.cli.common import drawn, print_json, say
    from ludwin.cli.terminal import Terminal

    with Terminal() as progress:
        progress.total(None, str(solver), unit="nodes")

        def watch(run: Any) -> None:
            progress.done(int(run.nodes), f"depth {int(run.depth)}")

        found = solver.solve(state.game, state, seed=options.seed, mode=options.mode, watch=watch)
    names = names_of(state, found.plan)
    unwritten = [str(path) for path in (options.plan, options.svg, options.html) if path and not found.solved]
    if unwritten:
        say(f"there is no plan, so nothing is written to {', '.join(unwritten)}")
    if found.solved:
        _pictures(state, found.plan, names, f"{solver}: {told(found).rpartition(', ')[0]}", options)
        if options.plan:
            write_plan(Path(options.plan), state, found.plan, str(solver))
    if options.json:
        print_json({"game": state.game.text, "agent": str(solver), "position": state.write(), **as_json(found, names)})
        return 0
    print(drawn(state))
    print(f"{solver}: {told(found)}")
    if names:
        print_plan(names)
    return 0


def moves_of(names: Sequence[str], codes: Sequence[int]) -> list[dict[str, Any]]:
    """Return a plan for machines, as every command says moves."""
    return [{"move": name, "code": int(code)} for name, code in zip(names, codes, strict=True)]


def as_json(found: "Solution", names: list[str]) -> dict[str, Any]:
    """Return a solution for machines."""
    return {
        "solved": found.solved,
        "optimal": found.optimal,
        "unsolvable": found.status == "unsolvable",
        "gave_up": found.why or None,
        "length": len(names) if found.solved else None,
        "cost": found.cost if found.solved else None,
        **found.counts,
        "seconds": round(found.seconds, 6),
        "plan": moves_of(names, found.plan) if found.solved else None,
    }


def told(found: "Solution") -> str:
    """Return what was found, in one line."""
    counts = (
        f"{found.nodes:,} nodes ({found.generated:,} generated, {found.distinct:,} distinct), {found.seconds:.2f} s"
    )
    if found.status == "unsolvable":
        return f"proved unsolvable; {counts}"
    if not found.solved:
        wants = {
            "nodes": "its nodes are used up",
            "memory": "its memory is used up",
            "seconds": "its time is up",
            "length": "the plan would be too long",
            "prices": "a move costs less than nothing, or more than can be added up",
            "incomplete": "it has dropped states and found nothing among the others",
        }
        return f"gave up: {wants[found.why]}; {counts}"
    length = len(found.plan)
    price = f", cost {found.cost:g}" if found.cost != length else ""
    proof = ", proved optimal" if found.optimal else ""
    return f"solved in {length} move{'s' * (length != 1)}{price}{proof}; {counts}"


def print_plan(names: list[str]) -> None:
    """Print the moves, wrapped between them."""
    import shutil
    import textwrap

    width = min(shutil.get_terminal_size().columns, 100)
    for line in textwrap.wrap("  ".join(names), width - 2, break_on_hyphens=False, break_long_words=False):
        print(f"  {line}")


def _pictures(state: "State", plan: Any, names: list[str], remark: str, options: argparse.Namespace) -> None:
    """Write the pictures that were asked for."""
    if not (options.svg or options.html):
        return
    from ludwin.arena.film import animation, page
    from ludwin.arena.plans import states_of
    from ludwin.cli.saving import save

    states = states_of(state, plan)
    if options.svg:
        save(options.svg, animation(states))
    if options.html:
        save(options.html, page(f"{state.game.text}: {len(plan)} moves", states, names, remark))


# ---- Many positions ------------------------------------------------------------------------------------------------


def _many(solver: "Solver", states: "list[State]", options: argparse.Namespace) -> int:
    from pathlib import Path

    from ludwin.arena.plans import codes_of, solve_many
    from ludwin.cli.common import print_json, print_table
    from ludwin.cli.crew import crew
    from ludwin.cli.terminal import Terminal

    out = Path(options.out) if options.out else None
    with crew(options) as workers, Terminal() as progress:
        rows = list(
            solve_many(
                solver,
                states,
                seed=options.seed,
                workers=workers,
                mode=options.mode,
                out=out,
                progress=progress,
            )
        )
    summary = totals(rows)
    if options.json:
        told = [
            {**row, "plan": moves_of(row["plan"], codes_of(state, row)) if row["plan"] else row["plan"]}
            for state, row in zip(states, rows, strict=True)
        ]
        print_json({"game": states[0].game.text, "agent": str(solver), **summary, "rows": told})
        return 0
    if len(rows) <= 100:
        columns = ["position", "outcome", "length", "cost", "nodes", "distinct"]
        cells = [
            [str(k + 1), _outcome(row), *(_cell(row[key]) for key in ("length", "cost", "nodes", "distinct"))]
            for k, row in enumerate(rows)
        ]
        print_table(f"{states[0].game.text}: {solver}", columns, cells, right=(0, 2, 3, 4, 5))
    print(
        f"{solver}: {summary['solved']} of {summary['positions']} solved ({summary['optimal']} proved optimal, "
        f"{summary['unsolvable']} proved unsolvable); {summary['nodes']:,} nodes, {summary['distinct']:,} distinct; "
        f"solved ones: mean {summary['mean_nodes']:,.1f} nodes, {summary['mean_length']:.2f} moves"
    )
    return 0


def totals(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the sums over many positions, and means over the solved ones."""
    solved = [row for row in rows if row["status"] == "solved"]
    count = max(len(solved), 1)
    return {
        "positions": len(rows),
        "solved": len(solved),
        "optimal": sum(row["optimal"] for row in rows),
        "unsolvable": sum(row["status"] == "unsolvable" for row in rows),
        **{name: sum(row[name] for row in rows) for name in ("nodes", "generated", "expanded", "distinct")},
        "mean_nodes": sum(row["nodes"] for row in solved) / count,
        "mean_length": sum(row["length"] for row in solved) / count,
        "mean_cost": sum(row["cost"] for row in solved) / count,
        "most_nodes": max(row["nodes"] for row in rows),
    }


def _outcome(row: dict[str, Any]) -> str:
    if row["status"] == "solved":
        return "optimal" if row["optimal"] else "solved"
    return str(row["status"]) + (f" ({row['why']})" if row["why"] else "")


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:,g}" if isinstance(value, float) else f"{value:,}"


# ---- Somebody else's plan ------------------------------------------------------------------------------------------


def _game_of(path: str) -> "Game":
    """Return the game that a plan names; a user's rules are code, so the person must name them."""
    from pathlib import Path

    from ludwin.arena.plans import read_plan
    from ludwin.cli.common import load
    from ludwin.errors import BadParameter
    from ludwin.trust import Named
    from ludwin.trust import load as load_named

    given = read_plan(Path(path))
    if given.game is None:
        raise BadParameter(f"{path} does not say of which game it is: ludwin solve GAME --check {path}")
    return load_named(Named(Path(path), given.game), loader=load)


def _check(game: "Game", options: argparse.Namespace) -> int:
    from pathlib import Path

    from ludwin.arena.plans import check_plan, read_plan
    from ludwin.cli.common import print_json
    from ludwin.errors import BadParameter
    from ludwin.trust import named, without_folder

    path: Path = Path(options.check)
    given = read_plan(path)
    if given.game is not None and without_folder(given.game) != named(game):
        raise BadParameter(f"{path} is a plan for {given.game!r}, not for {game.text!r}")
    text = given.position if options.position is None else options.position
    state = game.position(text) if text is not None else game.start()
    verdict = check_plan(state, given.moves)
    if verdict.solved:
        _pictures(state, verdict.codes, list(given.moves), str(path), options)
    if options.json:
        print_json(
            {
                **{"game": game.text, "position": state.write(), "solved": verdict.solved, "length": verdict.length},
                **{"cost": verdict.cost, "reason": verdict.reason or None},
            }
        )
    else:
        price = f", cost {verdict.cost:g}" if verdict.cost != verdict.length else ""
        word = f"solves the position in {verdict.length} moves{price}" if verdict.solved else "is no plan"
        print(f"{path} {word}" + (f": {verdict.reason}" if verdict.reason else ""))
    return 0 if verdict.solved else 1
