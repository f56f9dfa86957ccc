"""The command `discover`: a search algorithm found by transforming a plain program, with a proof."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludwin.discover.problems import Discovery

MOVES = ("atomic", "unfold-split-join", "split-join", "closure")
EXAMPLES = (
    ("ludwin discover alpha-beta --out ab.json", "find alpha-beta, and keep its derivation"),
    ("ludwin show ab.json --replay", "have the derivation verified by the independent checker"),
    ("ludwin discover my_program.pl --picture cut.svg", "a program of your own, and what was cut"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a problem, how to search, and what to write."""
    parser.add_argument(
        "problem",
        metavar="PROBLEM",
        help=(
            "beta-cut, alpha-beta, nega-alpha-beta, fail-soft, scout, table, star1, branch-and-bound, maxn, … or a "
            "file NAME.pl"
        ),
    )
    parser.add_argument(
        "--moves", choices=MOVES, help="what the search may do in one step (default: the problem's own)"
    )
    parser.add_argument(
        "--max-states", type=int, default=60_000, metavar="N", help="give up after so many programs (default: 60000)"
    )
    parser.add_argument(
        "--strategy",
        choices=("iterative", "best-first"),
        default="iterative",
        help="how the search over clauses goes (default: iterative)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="which random trees try the programs (default: 0)"
    )
    parser.add_argument("--out", metavar="FILE", help="write the derivation to this file")
    parser.add_argument("--picture", metavar="FILE", help="draw the derivation and what is cut (.html or .svg)")
    parser.add_argument("--prolog", metavar="FILE", help="write the derived program as Prolog (.pl)")


def offers() -> dict[str, list[str]]:
    """Return the words that a shell may complete."""
    from ludwin.discover.problems import PROBLEMS

    return {"problem": list(PROBLEMS)}


def run(options: argparse.Namespace) -> int:
    """Find an algorithm; exit code 1 if it was not found."""
    from ludwin.cli.common import print_json
    from ludwin.cli.saving import demand_place, save
    from ludwin.cli.terminal import Terminal
    from ludwin.discover.checker import RefusedProof
    from ludwin.discover.problems import discover, find
    from ludwin.errors import BadParameter

    if options.picture is not None and not options.picture.endswith((".svg", ".html")):
        raise BadParameter(f"a picture is a file that ends with .html or .svg, got {options.picture!r}")
    for name in (options.out, options.picture, options.prolog):
        if name is not None:
            demand_place(name)
    find(options.problem)
    with Terminal() as progress:
        outcome = discover(
            options.problem,
            moves=options.moves,
            max_states=options.max_states,
            seed=options.seed,
            strategy=options.strategy,
            progress=progress,
        )
    if outcome.derivation is not None:
        try:
            verified = outcome.derivation.verify()
        except RefusedProof as error:
            raise RefusedProof(f"a derivation was found, but the checker does not accept it: {error}") from None
        if options.out:
            outcome.derivation.save(options.out, verified)
        if options.picture:
            from ludwin.discover.picture import draw

            save(options.picture, draw(outcome.derivation, svg=options.picture.endswith(".svg")))
        if options.prolog:
            from ludwin.discover.prolog import export

            save(options.prolog, export(outcome.derivation.result, outcome.derivation.entry))
    if options.json:
        print_json(outcome.to_json())
    else:
        _tell(outcome, options.out)
    return 0 if outcome.derivation is not None else 1


def _tell(outcome: "Discovery", out: str | None) -> None:
    from ludwin.discover.syntax import write_clause

    counts = (
        f"{outcome.states} states, {outcome.generated} generated, {outcome.duplicates} duplicates, depth "
        f"{outcome.depth}"
    )
    if outcome.derivation is None:
        print(f"{outcome.problem}: not found by {outcome.moves} ({counts})")
        print(f"  {outcome.message}")
        return
    print(
        f"{outcome.problem}: found by {outcome.moves} ({counts}), {len(outcome.derivation.steps)} steps, checked again"
    )
    if outcome.cost:
        print(f"  costly goals on the trial: {outcome.cost[0]} instead of {outcome.cost[1]}")
    if outcome.judges:
        print("  proved by " + ", ".join(f"{who} ({n})" for who, n in outcome.judges))
    old = set(outcome.derivation.seed.clauses)
    for clause in outcome.derivation.result.clauses:
        if clause not in old:
            print(f"  {write_clause(clause)}")
    if out:
        print(f"wrote {out}; next: `ludwin derivation {out} --steps`")
