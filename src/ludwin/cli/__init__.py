"""The command line: the words of the library, typed.

Why it is here.  Results go to stdout, progress and news to stderr, `--json` is for machines.  Misuse
ends with one helpful line and exit code 2, a failed check with 1, Ctrl-C with 130.  This file
only reads the line; what a command does lives in `commands`, which is imported when it is needed,
so that `ludwin --help` answers at once.  Nor does a command wait until the options of all others are described.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ludwin import __version__
from ludwin.cli import interrupts
from ludwin.cli.tree import add_parser as add_tree
from ludwin.discover.parsers import add_parsers
from ludwin.words import EVENTS, MODES, PRESETS


def _parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the whole command line, or of one command alone; of the whole if there is no such
    command.
    """
    parser = argparse.ArgumentParser(
        prog="ludwin",
        description=(
            "A laboratory for game-playing programs: write a game as one Python file, search it at the speed of C++."
        ),
        epilog=(
            "A GAME is a name with parameters (draughts:size=10) or a file (./nim.py:heap=5). An AGENT is "
            "uct:playouts=1000, …"
        ),
    )
    parser.add_argument("--version", action="version", version=f"ludwin {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def command(name: str, help: str) -> argparse.ArgumentParser:
        if only not in (None, name):
            return _UNREAD
        made = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
        made.add_argument("--json", action="store_true", help="print one JSON object")
        return made

    _add_looking(command)
    _add_events(command)
    _add_playing(command)
    _add_evolution(command)
    _add_laboratory(command)
    return parser if commands.choices else _parser()


Command = Callable[[str, str], argparse.ArgumentParser]


def _game(made: argparse.ArgumentParser, position: bool = True) -> None:
    made.add_argument("game", metavar="GAME", help="a game's name or file, e.g. draughts:size=10 or ./nim.py")
    if position:
        made.add_argument(
            "--from", dest="position", metavar="POSITION", help="begin at this position instead of the start"
        )


def _mode(made: argparse.ArgumentParser) -> None:
    made.add_argument("--mode", choices=MODES, default="fast", help="how the rules run (default: fast)")


def _seed(made: argparse.ArgumentParser) -> None:
    made.add_argument("--seed", type=int, default=0, metavar="S", help="same seed, same result (default: 0)")


def _trust(made: argparse.ArgumentParser) -> None:
    made.add_argument(
        "--trust",
        metavar="FILE",
        action="append",
        help="run this file of rules if the data name it: it is Python code and has your rights",
    )


def _add_looking(command: Command) -> None:
    """Add what looks at games, agents and positions."""
    command("games", "list the games")
    made = command("agents", "list the agents, or explain one")
    made.add_argument("agent", metavar="NAME", nargs="?", help="explain this agent's parameters")

    made = command("new", "write a commented game file to begin with")
    made.add_argument("name", metavar="NAME", help="the game's name; writes NAME.py into this folder")

    made = command("check", "try a game by the laws of games, in all modes")
    _game(made, position=False)
    made.add_argument(
        "--playouts", type=_positive, default=200, metavar="N", help="random games to play (default: 200)"
    )
    _seed(made)

    made = command("moves", "list the legal moves of a position")
    made.add_argument("--svg", metavar="FILE", help="draw the position there, if the game has a picture")
    _game(made)

    made = command("perft", "count the positions at exactly a depth")
    _game(made)
    made.add_argument("depth", type=_count, metavar="DEPTH", help="how many plies deep")
    made.add_argument("--divide", action="store_true", help="list the count behind each move")
    _mode(made)

    made = command("choose", "let an agent choose a move and give its reasons")
    _game(made)
    made.add_argument("agent", metavar="AGENT", help="e.g. alphabeta:depth=9 or uct:playouts=10000")
    _seed(made)
    _mode(made)

    made = add_tree(command)
    _seed(made)
    _mode(made)


def _add_events(command: Command) -> None:
    """Add matches and tournaments, and what is done with their records."""
    made = command("match", "play two agents against each other, sides swapped")
    _event(made, "the two agents; the result is seen from the first", "an even number of games (default: 20)")
    made.set_defaults(format=None, rounds=None)
    _mode(made)

    made = command("tournament", "play agents against each other: crosstable and ratings")
    _event(made, "the agents", "games of each pair of agents, an even number (default: 20)")
    made.add_argument(
        "--format", choices=EVENTS, help="who meets whom (default: round-robin; gauntlet: the first meets all others)"
    )
    made.add_argument(
        "--rounds",
        type=_positive,
        metavar="R",
        help="rounds of a Swiss event (default: log2 of the agents, rounded up)",
    )
    _mode(made)

    made = command("replay", "show recorded games, or play them again and examine them")
    made.add_argument("file", metavar="FILE", help="records of a match or tournament: JSON Lines, or PDN for draughts")
    made.add_argument("--game", type=_count, metavar="N", help="show game N board by board (the first is 0)")
    made.add_argument("--plies", type=_count, metavar="K", help="only the first K plies of it")
    _trust(made)

    made = command("rate", "rate the agents of record files")
    made.add_argument("files", metavar="FILE", nargs="+", help="records of matches and tournaments of one game")
    made.add_argument(
        "--plot", metavar="FILE", help="draw the ratings with their intervals (.png or .svg; extra `plot`)"
    )
    made.add_argument("--matrix", metavar="FILE", help="draw the score of every pair (.png or .svg; extra `plot`)")
    _trust(made)


def _add_playing(command: Command) -> None:
    """Add what a person does at a board."""
    made = command("play", "play against agents, or watch them")
    _game(made)
    made.add_argument(
        "agents", metavar="AGENT", nargs="*", help="the other seats; as many agents as seats: watch (default: uct)"
    )
    made.add_argument("--load", metavar="FILE", help="go on with a saved game")
    _seed(made)
    _mode(made)

    made = command("analyse", "watch a search think: values, nodes and lines, deepening")
    _game(made)
    made.add_argument("agent", metavar="AGENT", help="e.g. alphabeta:depth=9 or uct:playouts=10000")
    _seed(made)
    _mode(made)


def _add_evolution(command: Command) -> None:
    """Add evolution and what is done with its runs. A resumed run has its own settings, so nothing has a default
    here.
    """
    made = command("evolve", "evolve programs into a folder that can be resumed and compared")
    made.add_argument(
        "experiment",
        metavar="EXPERIMENT",
        nargs="?",
        help="which, or a game with queries: ./mygame.py (without: list the experiments)",
    )
    made.add_argument("--preset", choices=PRESETS, help="how much work (default: quick)")
    made.add_argument("--seed", type=int, metavar="S", help="same seed, same run (default: 0)")
    made.add_argument(
        "--seeds", type=_positive, metavar="N", help="runs with seeds S, S+1, …, and a summary (default: 1)"
    )
    made.add_argument(
        "--workers",
        type=_positive,
        default=1,
        metavar="W",
        help="threads that play; the result does not depend on it (default: 1)",
    )
    made.add_argument("--out", metavar="DIR", help="a new or empty folder for the run (default: runs/EXPERIMENT-seedS)")
    made.add_argument(
        "--resume", metavar="DIR", help="go on with a run that was stopped, or show the result of a finished one"
    )
    made.add_argument(
        "--set",
        metavar="KEY=VALUE",
        nargs="+",
        action="append",
        help="settings instead of the preset's; --explain lists them",
    )
    made.add_argument(
        "--baseline",
        action=argparse.BooleanOptionalAction,
        help="also search at random with equal evaluations (default: the preset's)",
    )
    made.add_argument(
        "--explain", action="store_true", help="list the experiment's settings with their presets and meanings"
    )
    _trust(made)

    made = command("runs", "list runs of evolution, or compare two")
    made.add_argument(
        "folders", metavar="DIR", nargs="*", help="folders of runs, searched with what is below them (default: runs)"
    )
    made.add_argument(
        "--compare",
        metavar=("A", "B"),
        nargs=2,
        help="test whether the champions of two runs, or of two series, differ",
    )

    made = command("show", "print an evolved champion and take it apart")
    made.add_argument("path", metavar="PATH", help="a champion.json, or the folder of a run")
    made.add_argument("--svg", metavar="FILE", help="draw it there")
    made.add_argument("--python", metavar="FILE", help="write it there as plain Python")
    made.add_argument(
        "--games", type=_positive, metavar="N", help="also measure what each part is worth, in N games each"
    )
    _trust(made)
    _seed(made)
    made.add_argument(
        "--workers",
        type=_positive,
        default=1,
        metavar="W",
        help="threads that play; the result does not depend on it (default: 1)",
    )


def _add_laboratory(command: Command) -> None:
    """Add experiments, discovery, benchmarks and the cache."""
    for name, help in (
        ("reproduce", "re-run a published table and compare"),
        ("study", "run an experiment that has no published table"),
    ):
        made = command(name, help)
        made.add_argument("name", metavar="NAME", nargs="?", help="which; --list names all")
        made.add_argument("--list", action="store_true", help="list what there is")
        made.add_argument("--preset", choices=PRESETS, default="quick", help="how much work (default: quick)")
        made.add_argument("--games", type=_positive, metavar="N", help="games a row instead of the preset's")
        made.add_argument("--runs", type=_positive, metavar="N", help="runs instead of the preset's")
        _seed(made)
        made.add_argument(
            "--workers", type=_positive, default=1, metavar="W", help="processes to play with (default: 1)"
        )
        made.add_argument("--out", metavar="DIR", help="write records and table here")
        made.add_argument("--resume", metavar="DIR", help="go on with a run that was stopped")

    add_parsers(command)

    made = command("bench", "measure speed: modes, C++ reference, OpenSpiel")
    made.add_argument(
        "names", metavar="NAME", nargs="*", help="only these (default: all; `ludwin bench list` names them)"
    )
    made.add_argument(
        "--rounds", type=_positive, default=5, metavar="N", help="interleaved repetitions, best counts (default: 5)"
    )

    made.add_argument(
        "--beside", metavar="PYTHON", help="compare with the ludwin of another Python: same answers, and how fast"
    )

    made = command("compile", "compile an agent for a game, and look at the code")
    _game(made, position=False)
    made.add_argument("agent", metavar="AGENT", help="e.g. alphabeta or uct; also: perft")
    made.add_argument("--mode", choices=MODES[1:], default="fast", help="which code (default: fast)")
    made.add_argument("--ir", action="store_true", help="print the module in LLVM's language, as we write it")
    made.add_argument("--optimised", action="store_true", help="with --ir: as LLVM has made it")
    made.add_argument("--asm", action="store_true", help="print the machine code")

    made = command("cache", "show or clear the compiled code kept on disk")
    made.add_argument("--list", action="store_true", help="list every image: game, kernel, mode, size")
    made.add_argument("--old", action="store_true", help="remove what this version cannot use")
    made.add_argument("--clear", action="store_true", help="remove everything that is kept")


def _event(made: argparse.ArgumentParser, agents: str, games: str) -> None:
    """Add what match and tournament share. Nothing has a default here: a resumed event has its own."""
    made.add_argument(
        "game",
        metavar="GAME",
        nargs="?",
        help="a game's name or file, e.g. draughts:size=10 or ./nim.py (with --resume: as in the file)",
    )
    made.add_argument("agents", metavar="AGENT", nargs="*", help=agents)
    made.add_argument("--games", type=_positive, metavar="N", help=games)
    made.add_argument("--seed", type=int, metavar="S", help="same seed, same result (default: 0)")
    made.add_argument(
        "--workers",
        type=_positive,
        default=1,
        metavar="W",
        help="processes that play; the result does not depend on it (default: 1)",
    )
    made.add_argument(
        "--openings",
        metavar="FILE|N|ballots",
        help="begin pairs at the openings of a file, after N random plies, or at the ballots of draughts",
    )
    made.add_argument(
        "--sprt",
        metavar="LO,HI",
        help="stop when it is decided whether the first agent is LO or HI normalised Elo stronger",
    )
    made.add_argument(
        "--clock",
        metavar="SECONDS[+INC]",
        help="each agent's time for a game, and what a move adds; who overdraws it forfeits",
    )
    made.add_argument(
        "--patience",
        type=float,
        metavar="SECONDS",
        help="a move that takes longer forfeits (default: 300 for agents that are not built in)",
    )
    made.add_argument(
        "--adjudicate",
        metavar="KEY=VALUE,…",
        help="end games early: plies=200, or win=0.5,draw=0.01,moves=4,after=40 by both agents' values",
    )
    made.add_argument(
        "--repetition", type=_count, metavar="K", help="a position that occurs K times is a draw; 0: never (default: 3)"
    )
    made.add_argument(
        "--out", metavar="FILE", help="record all games there (JSON Lines; FILE.pdn: PDN too, for draughts)"
    )
    made.add_argument("--resume", metavar="FILE", help="go on with an event that was interrupted")
    _trust(made)


def _positive(text: str) -> int:
    return _whole(text, 1)


def _count(text: str) -> int:
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None
    if value < least:
        raise argparse.ArgumentTypeError(f"must be at least {least}, got {value}")
    return value


class _OneLine(argparse.ArgumentParser):
    """Says misuse in one line, without the usage screen."""

    def error(self, message: str) -> None:  # type: ignore[override]
        print(f"ludwin: {message}; `{self.prog} --help` explains", file=sys.stderr)
        raise SystemExit(2)


class _Unread(argparse.ArgumentParser):
    """Stands for a command that the line does not name: nothing is noted down."""

    def add_argument(self, *names: Any, **about: Any) -> argparse.Action:
        """Add nothing."""
        return argparse.Action([], "")

    def set_defaults(self, **values: Any) -> None:
        """Set nothing."""


_UNREAD = _Unread.__new__(_Unread)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        words = list(sys.argv[1:] if arguments is None else arguments)
        parser = _parser(words[0] if words else None)
        _be_brief(parser)
        if not words:
            parser.print_help()
            return 0
        options = _parse(parser, words)
        interrupts.expects_orderly_end(options.command)
        from ludwin.cli import commands

        return commands.run(options)
    except KeyboardInterrupt:
        interrupts.say()
        return interrupts.INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parse(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """Parse the line. Options may stand between GAME and AGENTs, and a bound of --sprt may be negative."""
    for k in range(len(words) - 1, 0, -1):
        if words[k - 1] == "--sprt" and words[k][:1] == "-" and words[k][1:2].isdigit():
            words[k - 1 : k + 1] = [f"--sprt={words[k]}"]
    options, left = parser.parse_known_args(words)
    unknown = (
        left if options.command not in ("match", "tournament") else [word for word in left if word.startswith("-")]
    )
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if left:
        named = [*filter(None, [options.game]), *options.agents, *left]
        options.game, options.agents = named[0], named[1:]
    return options


def _be_brief(parser: argparse.ArgumentParser) -> None:
    parser.__class__ = _OneLine
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for child in action.choices.values():
                child.__class__ = _OneLine
