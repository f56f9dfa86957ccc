"""What a person permits to run: `--trust FILE`, or the answer to a question on a terminal.

Why it is here.  Data files name rules, and rules are code (`ludwin.trust`).  A question is put only where a person
sees it and can answer: in a script nothing is asked, and nothing runs that was not named.
"""

import argparse
import sys

from ludwin.cli.common import announce
from ludwin.library import split
from ludwin.trust import Asking, Named, Permit


def permit(options: argparse.Namespace) -> Permit:
    """Return what the line and the person at the terminal permit; what is going to run is announced."""
    can_ask = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    asking = Asking(tuple(options.trust or ()), _ask if can_ask else None)

    def permitted(rules: Named) -> str:
        text = asking(rules)
        announce(split(text)[0])
        return text

    return permitted


def _ask(question: str) -> bool:
    """Put a question on stderr; only a typed yes is one."""
    print(f"ludwin: {question} [y/N] ", end="", file=sys.stderr, flush=True)
    try:
        answer = sys.stdin.readline()
    except UnicodeDecodeError:
        answer = ""
    if not answer.endswith("\n"):
        print(file=sys.stderr)
    return answer.strip().lower() in ("y", "yes")
