"""What `ludwin discover` and `ludwin derivation` do."""

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from ludwin.discover.checker import RefusedProof, Verified, smt, verify
from ludwin.discover.checker.reader import quote
from ludwin.discover.derivation import from_json, read_data
from ludwin.discover.problems import Discovery, find
from ludwin.discover.problems import discover as solve
from ludwin.discover.syntax import write_clause
from ludwin.errors import BadParameter
from ludwin.files import write_whole


class _News:
    """One live line on a terminal, a line every few seconds elsewhere."""

    def __init__(self) -> None:
        self.began = self.last = time.monotonic()
        self.live = sys.stderr.isatty()

    def __call__(self, found: Any) -> None:
        now = time.monotonic()
        if now - self.last < (0.1 if self.live else 5.0):
            return
        self.last = now
        cost = f", best cost {found.cost} of {found.seed_cost}" if hasattr(found, "seed_cost") else ""
        line = (
            f"{found.states} states, {found.generated} generated, depth {found.depth}{cost}, {now - self.began:.0f} s"
        )
        print(
            f"\r{line:<90}" if self.live else f"ludwin: {line}",
            end="" if self.live else "\n",
            file=sys.stderr,
            flush=True,
        )

    def done(self) -> None:
        """Take the live line away."""
        if self.live:
            print("\r" + " " * 90 + "\r", end="", file=sys.stderr, flush=True)


def discover(options: argparse.Namespace) -> int:
    """Find an algorithm; exit code 1 if it was not found."""
    find(options.problem)
    news = _News()
    outcome = solve(
        options.problem,
        moves=options.moves,
        max_states=options.max_states,
        seed=options.seed,
        strategy=options.strategy,
        progress=news,
    )
    news.done()
    if outcome.derivation is not None:
        try:
            verified = outcome.derivation.verify()
        except RefusedProof as error:
            raise RefusedProof(f"a derivation was found, but the checker does not accept it: {error}") from None
        if options.out:
            outcome.derivation.save(options.out, verified)
        if options.picture:
            from ludwin.discover.picture import draw

            write_whole(Path(options.picture), draw(outcome.derivation, svg=options.picture.endswith(".svg")))
        if options.prolog:
            from ludwin.discover.prolog import export

            write_whole(Path(options.prolog), export(outcome.derivation.result, outcome.derivation.entry))
    if options.json:
        print(json.dumps(outcome.to_json(), ensure_ascii=False))
    else:
        _tell(outcome, options.out)
    return 0 if outcome.derivation is not None else 1


def _tell(outcome: Discovery, out: str | None) -> None:
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


def derivation(options: argparse.Namespace) -> int:
    """Print a derivation or check it again; exit code 1 if something does not hold."""
    data = read_data(options.file)
    found = from_json(data, Path(options.file).name)
    verified = None
    if options.replay or options.smt or options.solvers or options.coq:
        try:
            verified = verify(data, Path(options.file).name)
        except RefusedProof as error:
            if options.json:
                print(json.dumps({"file": options.file, "holds": False, "error": str(error)}, ensure_ascii=False))
            else:
                print(f"ludwin: {error}", file=sys.stderr)
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
        print(json.dumps(told, ensure_ascii=False))
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
    return problem if problem.isascii() and problem.isprintable() and len(problem) < 100 else quote(problem)


def _by(verified: Verified) -> dict[str, int]:
    """Return how many obligations were met by whom."""
    words = {"order": "cases over orders"}
    return {words.get(who, who): n for who, n in sorted(Counter(o.by for o in verified.obligations).items())}


def _solve(verified: Verified) -> dict[str, int]:
    """Return how many obligations each installed solver confirms, each from its exported text."""
    names = smt.solvers()
    if not names:
        raise BadParameter("no solver is installed: pip install 'ludwin[discover]' brings z3 and cvc5")
    return {name: sum(smt.ask(o.script(), name) == "unsat" for o in verified.obligations) for name in names}


def _export(verified: Verified, folder: Path) -> None:
    """Write every obligation as a closed SMT-LIB file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for i, obligation in enumerate(verified.obligations):
            write_whole(folder / f"{i + 1:04}.smt2", obligation.script())
    except OSError as error:
        raise BadParameter(f"cannot write to {str(folder)!r}: {error.strerror}") from None
