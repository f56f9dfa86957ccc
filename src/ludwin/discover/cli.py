"""What `ludwin discover` and `ludwin derivation` do."""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from ludwin.discover.checker import recheck
from ludwin.discover.derivation import load
from ludwin.discover.logic import Refused
from ludwin.discover.problems import Outcome, find
from ludwin.discover.problems import discover as solve
from ludwin.discover.syntax import write_clause
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
        line = f"{found.states} states, {found.generated} generated, depth {found.depth}{cost}, {now - self.began:.0f} s"
        print(f"\r{line:<90}" if self.live else f"ludwin: {line}", end="" if self.live else "\n", file=sys.stderr, flush=True)

    def done(self) -> None:
        """Take the live line away."""
        if self.live:
            print("\r" + " " * 90 + "\r", end="", file=sys.stderr, flush=True)


def discover(options: argparse.Namespace) -> int:
    """Find an algorithm; exit code 1 if it was not found."""
    find(options.problem)
    news = _News()
    outcome = solve(options.problem, moves=options.moves, max_states=options.max_states, seed=options.seed, strategy=options.strategy, progress=news)
    news.done()
    if outcome.derivation is not None:
        recheck(outcome.derivation.to_json(), outcome.problem)
        if options.out:
            outcome.derivation.save(options.out)
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


def _tell(outcome: Outcome, out: str | None) -> None:
    counts = f"{outcome.states} states, {outcome.generated} generated, {outcome.duplicates} duplicates, depth {outcome.depth}"
    if outcome.derivation is None:
        print(f"{outcome.problem}: not found by {outcome.moves} ({counts})")
        print(f"  {outcome.message}")
        return
    print(f"{outcome.problem}: found by {outcome.moves} ({counts}), {len(outcome.derivation.steps)} steps, checked again")
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
    """Print a derivation or check it again; exit code 1 if a step does not hold."""
    found = load(options.file, check=False)
    checked = None
    if options.replay:
        try:
            checked = recheck(found.to_json(), Path(options.file).name)
        except Refused as error:
            if options.json:
                print(json.dumps({"file": options.file, "holds": False, "error": str(error)}, ensure_ascii=False))
            else:
                print(f"ludwin: {error}", file=sys.stderr)
            return 1
    if options.json:
        who = {f"{rule} by {by}": n for (rule, by), n in sorted(found.obligations().items())}
        data: dict[str, Any] = {"problem": found.problem, "entry": found.entry, "steps": len(found.steps), "obligations": who}
        print(json.dumps({**data, **({"holds": True} if checked is not None else {})}, ensure_ascii=False))
        return 0
    if checked is not None:
        print(f"{found.problem}: {checked} steps hold, and the result covers every case")
    if options.steps or not options.replay:
        print(found.proof(steps=options.steps), end="")
    return 0
