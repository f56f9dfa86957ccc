"""The words of `ludwin discover` and `ludwin derivation`, without anything heavy behind them."""

import argparse
from collections.abc import Callable

MOVES = ("atomic", "unfold-split-join", "split-join", "closure")


def add_parsers(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """Add both commands; `command(name, help)` makes a parser that already takes --json."""
    made = command("discover", "find a search algorithm by transforming a plain program, with a proof")
    made.add_argument(
        "problem",
        metavar="PROBLEM",
        help=(
            "beta-cut, alpha-beta, nega-alpha-beta, fail-soft, scout, table, star1, branch-and-bound, maxn, … or a "
            "file NAME.pl"
        ),
    )
    made.add_argument("--moves", choices=MOVES, help="what the search may do in one step (default: the problem's own)")
    made.add_argument(
        "--max-states", type=int, default=60_000, metavar="N", help="give up after so many programs (default: 60000)"
    )
    made.add_argument(
        "--strategy",
        choices=("iterative", "best-first"),
        default="iterative",
        help="how the search over clauses goes (default: iterative)",
    )
    made.add_argument(
        "--seed", type=int, default=0, metavar="S", help="which random trees try the programs (default: 0)"
    )
    made.add_argument("--out", metavar="FILE", help="write the derivation to this file")
    made.add_argument("--picture", metavar="FILE", help="draw the derivation and what is cut (.html or .svg)")
    made.add_argument("--prolog", metavar="FILE", help="write the derived program as Prolog (.pl)")

    made = command("derivation", "print a derivation, or check it again")
    made.add_argument("file", metavar="FILE", help="a file that `ludwin discover --out` wrote")
    made.add_argument(
        "--replay",
        action="store_true",
        help="verify the file with the independent checker and print the theorem with its axioms",
    )
    made.add_argument("--steps", action="store_true", help="print every step with its reason")
    made.add_argument("--smt", metavar="DIR", help="verify, and write every obligation as a closed SMT-LIB file")
    made.add_argument(
        "--solvers",
        action="store_true",
        help="verify, and have every installed solver (z3, cvc5) confirm every obligation",
    )
    made.add_argument(
        "--coq",
        metavar="FILE",
        help="verify, and write the whole induction as a Coq file (programs over game trees that only compare)",
    )
