"""Nobody waits for what a command does not need, and Ctrl-C before it begins is no accident."""

import sys

import pytest

from ludwin.cli.doors import DOORS

HEAVY = "llvmlite,matplotlib,numba,numpy,rich,scipy,z3"

# Run a line, then tell which of some modules it has imported.
RUN = """
import sys
from ludwin.__main__ import main
sys.argv, modules = ["ludwin", *sys.argv[2:]], sys.argv[1]
assert main() == 0
print([name for name in modules.split(",") if name in sys.modules])
"""


@pytest.mark.parametrize(
    "line",
    [
        "choose draughts alphabeta:depth=2 --json",
        "choose draughts alphabeta:depth=2,table=8",
        "choose nim uct:playouts=10",
        "choose nim mcts:playouts=10",
        "choose nim ea-mcts:playouts=10,generations=1,samples=1",
        "choose pig expectimax:depth=2",
        "perft draughts 2 --divide",
        "match nim alphabeta:depth=2 random --games 2",
        "play nim random random",
        "analyse nim alphabeta:depth=3",
    ],
)
def test_plain_commands_import_nothing_heavy(line, python):
    assert python(RUN, HEAVY, *line.split(), "--mode", "plain").splitlines()[-1] == "[]"


@pytest.mark.parametrize("line", ["moves draughts", "games", "agents", "agents uct", "cache"])
def test_looking_round_imports_nothing_heavy(line, python):
    assert python(RUN, HEAVY, *line.split()).splitlines()[-1] == "[]"


def test_choosing_a_move_imports_only_what_chooses_it(python):
    others = "concurrent.futures,difflib,logging,multiprocessing,threading,"
    others += "ludwin.arena,ludwin.search.montecarlo.mcts,ludwin.search.uct,ludwin.rules.guard"
    assert python(RUN, others, "choose", "draughts", "alphabeta:depth=2", "--mode", "plain").splitlines()[-1] == "[]"


# What of ours a help may import beside the module of its command: nothing that plays, searches or reads files.
LIGHT = {"ludwin", "ludwin.cli", "ludwin.errors", "ludwin.words", "ludwin.__main__"} | {
    f"ludwin.cli.{name}" for name in ("doors", "interrupts", "parsing", "options")
}
SHARED = {
    "match": {"ludwin.cli.events"},
    "tournament": {"ludwin.cli.events"},
    "study": {"ludwin.cli.reproduce"},
    "show": {"ludwin.cli.derivation", "ludwin.cli.runs", "ludwin.cli.strengths"},
}
HELP = """
import sys
from ludwin.__main__ import main
sys.argv = ["ludwin", *sys.argv[1:]]
try:
    main()
except SystemExit as stop:
    assert not stop.code
print(*(name for name in sys.modules if name.split(".")[0] in ("ludwin", "numpy", "rich", "llvmlite", "threading")))
"""


@pytest.mark.parametrize("name", DOORS)
def test_the_help_of_a_command_imports_its_module_and_no_other(name, python):
    said = python(HELP, name, "--help").splitlines()
    imported = set(said[-1].split())
    assert DOORS[name].module in imported
    assert imported <= LIGHT | SHARED.get(name, set()) | {DOORS[name].module}


@pytest.mark.parametrize("words", [["--help"], ["-h"], []])
def test_the_overview_imports_no_command(words, python):
    said = python(HELP, *words).splitlines()
    assert set(said[-1].split()) <= {"ludwin", "ludwin.cli", "ludwin.errors", "ludwin.__main__"} | {
        "ludwin.cli.doors",
        "ludwin.cli.interrupts",
        *(
            "ludwin.games",
            "ludwin.paths",
            "ludwin.rules",
            "ludwin.rules.folder",
        ),  # folders of games may bring commands
    }


THREADS = """
import os, sys
from ludwin.__main__ import ONE_THREAD, main
os.environ.update(dict.fromkeys(ONE_THREAD[1:], "3"))
os.environ.pop(ONE_THREAD[0], None)
sys.argv = ["ludwin", "cache"]
assert main() == 0 and "numpy" not in sys.modules
print(*(os.environ[name] for name in ONE_THREAD))
"""


def test_linear_algebra_takes_one_thread_unless_the_environment_says_otherwise(python):
    assert python(THREADS).splitlines()[-1] == "1 3 3 3"


# Interrupt the process when a module is about to be imported, as a person may at any moment.
INTERRUPT = """
import builtins, os, runpy, signal, sys
if "--ignored" not in sys.argv:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the suite may run where it is ignored
else:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.argv.remove("--ignored")
module = sys.argv[1]
sys.argv = ["ludwin", *sys.argv[2:]]
real = builtins.__import__

def interrupt(name, *rest, **more):
    if name == module:
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *rest, **more)

builtins.__import__ = interrupt
runpy.run_module("ludwin", run_name="__main__", alter_sys=True)
"""
LINE = ["choose", "nim", "alphabeta:depth=2", "--mode", "plain", "--json"]


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
@pytest.mark.parametrize(
    "module",
    [
        "argparse",
        "pathlib",
        "ludwin.cli",
        "ludwin.cli.parsing",
        "ludwin.cli.common",
        "ludwin.library",
        "ludwin.game",
        "ludwin.kernel.specialise",
        "json",
    ],
)
def test_ctrl_c_while_loading_is_no_traceback(module, python):
    process = python(INTERRUPT, module, *LINE, wait=False)
    out, err = process.communicate(timeout=100)
    assert (process.returncode, out) == (130, "")
    assert err in ("", "ludwin: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
def test_an_interrupt_that_is_ignored_stays_ignored(python):
    assert '"move"' in python(INTERRUPT, "ludwin.cli", *LINE, "--ignored")  # as behind `nohup`


def test_a_command_hears_interrupts_as_exceptions(python):
    script = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # the suite may run where they are ignored
import ludwin.cli
from ludwin.__main__ import main

def run():
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        print("heard")
    return 0

ludwin.cli.main = run
sys.exit(main())
"""
    assert python(script) == "heard"
