"""The command `derivation`: a derivation printed, or checked again. `ludwin show FILE` does the same."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludwin.discover.checker import Verified

EXAMPLES = (
    ("ludwin derivation ab.json --steps", "every step with its reason"),
    ("ludwin derivation ab.json --replay", "verify it with the independent checker"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a file, and what to do with it."""
    parser.add_argument("file", metavar="FILE", help="a file that `ludwin discover --out` wrote")
    add_options(parser)


def add_options(parser: "argparse.ArgumentParser | argparse._ArgumentGroup") -> None:
    """Add what can be done with a derivation."""
    parser.add_argument(
        "--replay",
        action="store_true",
        help="verify the file with the independent checker and print the theorem with its axioms",
    )
    parser.add_argument("--steps", action="store_true", help="print every step with its reason")
    parser.add_argument("--smt", metavar="DIR", help="verify, and write every obligation as a closed SMT-LIB file")
    parser.add_argument(
        "--solvers",
        action="store_true",
        help="verify, and have every installed solver (z3, cvc5) confirm every obligation",
    )
    parser.add_argument(
        "--coq",
        metavar="FILE",
        help="verify, and write the whole induction as a Coq file (programs over game trees that only compare)",
    )


def run(options: argparse.Namespace) -> int:
    """Print a derivation or check it again; exit code 1 if something does not hold."""
    from ludwin.discover.derivation import read_data

    return tell(options, options.file, read_data(options.file))


def tell(options: argparse.Namespace, file: str, data: dict[str, Any]) -> int:
    """Print the derivation that a file holds, or check it again."""
    from ludwin.cli.common import print_json, say
    from ludwin.discover.checker import RefusedProof, verify
    from ludwin.discover.derivation import from_json
    from ludwin.files import write_whole

    found = from_json(data, Path(file).name)
    verified = None
    if options.replay or options.smt or options.solvers or options.coq:
        try:
            verified = verify(data, Path(file).name)
        except RefusedProof as error:
            if options.json:
                fault = {"kind": type(error).__name__, "message": str(error)}
                print_json({"file": file, "holds": False, "error": fault})
            else:
                say(str(error))
            return 1
    answers = _solve(verified) if verified is not None and options.solvers else {}
    if verified is not None and options.smt:
        _export(verified, Path(options.smt))
    if options.coq:
        from ludwin.discover.coq import coq_text

        write_whole(Path(options.coq), coq_text(found))
    fine = all(n == len(verified.obligations) for n in answers.values()) if verified else True
    if options.json:
        who = {f"{rule} by {by}": n for (rule, by), n in sorted(found.obligations().items())}
        told: dict[str, Any] = {
            "problem": found.problem,
            "entry": found.entry,
            "steps": len(found.steps),
            "obligations": who,
        }
        if verified is not None:
            stated = verified.statement
            told |= {
                "holds": True,
                "axioms": stated.axioms,
                "definitions": stated.definitions,
                "theorem": stated.theorem,
                "unproved": stated.unproved,
            }
            told |= {"proved": _by(verified), **({"solvers": answers} if answers else {})}
        print_json(told)
        return 0 if fine else 1
    if verified is not None:
        print(f"{_name(found.problem)}: {verified.steps} steps hold, and the result covers every case")
        print(
            f"{len(verified.obligations)} obligations: "
            + ", ".join(f"{n} by {who}" for who, n in _by(verified).items())
        )
        print(verified.statement.text(), end="")
        for solver, n in answers.items():
            print(f"{solver} confirms {n} of {len(verified.obligations)} obligations")
        if options.smt:
            print(f"wrote {len(verified.obligations)} files to {options.smt}; every solver should answer unsat")
        if options.coq:
            print(f"wrote {options.coq}; next: `coqc {options.coq}`")
    if verified is None:
        print("As the file tells it; nothing is verified without --replay.")
    if options.steps or verified is None:
        print(found.proof(steps=options.steps), end="")
    return 0 if fine else 1


def _name(problem: str) -> str:
    """Return the name of a problem; one that is not plain text is quoted, so that a file cannot speak in our place."""
    from ludwin.discover.checker.reader import quote

    return problem if problem.isascii() and problem.isprintable() and len(problem) < 100 else quote(problem)


def _by(verified: "Verified") -> dict[str, int]:
    """Return how many obligations were met by whom."""
    from collections import Counter

    words = {"order": "cases over orders"}
    return {words.get(who, who): n for who, n in sorted(Counter(o.by for o in verified.obligations).items())}


def _solve(verified: "Verified") -> dict[str, int]:
    """Return how many obligations each installed solver confirms, each from its exported text."""
    from ludwin.discover.checker import smt
    from ludwin.errors import BadParameter

    names = smt.solvers()
    if not names:
        raise BadParameter("no solver is installed: pip install 'ludwin[discover]' brings z3 and cvc5")
    return {name: sum(smt.ask(o.script(), name) == "unsat" for o in verified.obligations) for name in names}


def _export(verified: "Verified", folder: Path) -> None:
    """Write every obligation as a closed SMT-LIB file."""
    from ludwin.errors import BadParameter
    from ludwin.files import write_whole

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for i, obligation in enumerate(verified.obligations):
            write_whole(folder / f"{i + 1:04}.smt2", obligation.script())
    except OSError as error:
        raise BadParameter(f"cannot write to {str(folder)!r}: {error.strerror}") from None
