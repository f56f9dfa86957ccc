"""The command `study`: an experiment that has no published table. `ludwin reproduce NAME` does the same."""

import argparse

from ludwin.cli.reproduce import add as add
from ludwin.cli.reproduce import carry_out

CLOSES = True
EXAMPLES = (
    ("ludwin study --list", "name the studies"),
    ("ludwin study twist-uct-c --preset quick", "run one"),
    ("ludwin study ./my_study.toml --out mine", "one of your own: games, agents, parameters, seeds"),
)


def offers() -> dict[str, list[str]]:
    """Return the words that a shell may complete."""
    from ludwin.lab.register import STUDY

    return {"name": list(STUDY)}


def run(options: argparse.Namespace) -> int:
    """Run a study."""
    from ludwin.lab.register import STUDY

    return carry_out(options, STUDY)
