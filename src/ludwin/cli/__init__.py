"""The command line: the words of the library, typed.

Why it is here.  Results go to stdout, progress and news to stderr, `--json` is for machines.  Misuse
ends with one helpful line and exit code 2, a failed check with 1, Ctrl-C with 130.  This file
only finds the door (`doors`) that a line names; what a command takes and does lives in its own module, which is
imported when it is typed, so that `ludwin --help` answers at once.
"""

import os
import sys
from collections.abc import Sequence

from ludwin.cli import doors, interrupts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        words = list(sys.argv[1:] if arguments is None else arguments)
        doors.as_objects = "--json" in words
        if not words or words[0].startswith("-"):
            return _answer(words)
        module, options = doors.read(words)
        interrupts.expects_orderly_end(getattr(module, "CLOSES", False))
        from ludwin.cli import common

        return common.carry_out(module.run, options)
    except KeyboardInterrupt:
        interrupts.say()
        return interrupts.INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _answer(words: Sequence[str]) -> int:
    """Answer a line that names no command: the overview, or the version."""
    from ludwin import __version__

    asked = words[0] if words else ""
    if not words or (len(asked) > 2 and "--help".startswith(asked)) or asked == "-h":
        print(doors.overview(), end="")
    elif len(asked) > 2 and "--version".startswith(asked):
        if "--json" in words[1:]:
            from ludwin.cli.versions import versions

            print(versions())
        else:
            print(f"ludwin {__version__}")
    else:
        from ludwin.errors import did_you_mean

        near = did_you_mean(asked[:60].strip("-"), ("help", "version")).replace("mean '", "mean '--")
        shown = repr(asked) if len(asked) < 60 else f"{asked[:57]!r}…"
        doors.refuse(f"the line begins with {shown}, not with a command{near}", "`ludwin --help` lists all")
    if words:
        raise SystemExit(0)
    return 0
