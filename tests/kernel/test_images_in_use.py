"""Whatever lies in the cache, and whoever uses it at the same time: the answers are the same."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import pytest

from ludwin import agent, load
from ludwin.kernel import image, specialise
from ludwin.kernel.image import Image, unpack

pytestmark = pytest.mark.thorough

unix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX")
here = pytest.mark.skipif(not image.supported(), reason="the loader does not know this machine")
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else"
)
HOME = Path(image.__file__).resolve()
for_nobody = pytest.mark.skipif(
    not all(folder.stat().st_mode & 0o001 for folder in HOME.parents),
    reason="the package lies in a folder that is closed to others (a clone below /root), so nobody cannot read it",
)

# Let an agent choose twice in a new process; tell its answers, and what was compiled.
CHOOSE = """
import sys
from ludwin import agent, load
from ludwin.kernel import cache, specialise

lines = []
specialise.announce = cache.announce = lines.append
game = load(sys.argv[1])
state = game.start()
for seed in (1, 2):
    choice = agent(sys.argv[2]).choose(game, state, seed=seed)
    print(choice.move, choice.value, choice.nodes, sorted(choice.visits.items()))
    state = state.play(choice.move)
print("compiled" if lines else "loaded")
"""
GAME, AGENT = "tic-tac-toe", "uct:playouts=200"


def entry_of(folder):
    """Return the file of the only image in a cache."""
    (found,) = Path(folder).glob("ludwin_fast_*")
    return found / "image"


def answers(said):
    *found, how = said.splitlines()
    return found, how


def chosen(mode):
    """Return what the agent answers, as `CHOOSE` prints it."""
    rules = load(GAME)
    state, found = rules.start(), []
    for seed in (1, 2):
        choice = agent(AGENT).choose(rules, state, seed=seed, mode=mode)
        found.append(f"{choice.move} {choice.value} {choice.nodes} {sorted(choice.visits.items())}")
        state = state.play(choice.move)
    return found


@lru_cache(maxsize=1)
def plain():
    """Return what plain mode answers: the oracle of everything here."""
    return chosen("plain")


# Files that are not what they should be.


def repacked(blob, **changes):
    """Return an image whose index says something else, with a right hash."""
    found = unpack(blob)
    return Image({**found.index, **changes}, found.fixed, found.data).pack()


def of_another_format(blob):
    """Return what a later version might write: a right hash, and an index that we do not know."""
    body = blob[:-32].replace(b'"version":1', b'"version":2')
    return body + image.hashed(body)


OTHER = "aarch64-linux" if "x86" in image.target() else "x86_64-linux"
SPOILT = {
    "empty": lambda blob: b"",
    "cut off in its index": lambda blob: blob[:40],
    "cut off in its code": lambda blob: blob[: len(blob) // 2],
    "one byte short": lambda blob: blob[:-1],
    "one bit flipped in its code": lambda blob: blob[:-200] + bytes([blob[-200] ^ 4]) + blob[-199:],
    "one bit flipped in its hash": lambda blob: blob[:-1] + bytes([blob[-1] ^ 1]),
    "something behind it": lambda blob: blob + b"x",
    "zeros": lambda blob: bytes(len(blob)),
    "text": lambda blob: b"#!/bin/sh\necho hello\n" * 100,
    "of another name": lambda blob: repacked(blob, name="ludwin_fast_chess_uct_0123456789abcdef0123"),
    "for another machine": lambda blob: repacked(blob, target=OTHER),
    "for another system": lambda blob: repacked(blob, target="x86_64-plan9"),
    "of an older format": lambda blob: b"LUDWIN\x01\n" + blob[8:],
    "of a later format": of_another_format,
}


@here
@pytest.mark.parametrize("what", SPOILT)
def test_a_spoilt_image_is_made_again_byte_by_byte(what, spoilable, monkeypatch):
    folder, blob, truth = spoilable
    file = entry_of(folder)
    file.write_bytes(SPOILT[what](blob))
    assert file.read_bytes() != blob
    monkeypatch.setenv("LUDWIN_CACHE", folder)
    for how in (["compiling uct for tic-tac-toe (fast, once) …"], []):
        lines = []
        monkeypatch.setattr(specialise, "announce", lines.append)
        monkeypatch.setattr(specialise, "_known", {})  # as in a new process
        assert (chosen("fast"), lines) == (truth, how)
    assert file.read_bytes() == blob
    assert [path.name for path in Path(folder).glob("ludwin_fast_*/*") if path.name not in ("image", "lock")] == []


@pytest.fixture(scope="module")
def spoilable(tmp_path_factory):
    """Return a cache with one image, its bytes, and what the agent answers."""
    cache = str(tmp_path_factory.mktemp("spoilt") / "cache")
    run = [sys.executable, "-c", CHOOSE, GAME, AGENT]
    for how in ("compiled", "loaded"):
        environ = {**os.environ, "LUDWIN_CACHE": cache}
        said = subprocess.run(run, env=environ, capture_output=True, text=True, check=True)
        assert answers(said.stdout) == (plain(), how)
    return cache, entry_of(cache).read_bytes(), plain()


@here
@pytest.mark.parametrize("what", ["a folder", "a pipe", "a link to nowhere", "a link to the image"])
def test_something_else_in_the_place_of_an_image_stops_nobody(what, python, tmp_path):
    assert answers(python(CHOOSE, GAME, AGENT)) == (plain(), "compiled")
    file = entry_of(tmp_path / "cache")
    blob = file.read_bytes()
    file.rename(tmp_path / "real")
    if what == "a folder":
        file.mkdir()
    elif what == "a pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(tmp_path / ("real" if what == "a link to the image" else "nowhere"))
    assert answers(python(CHOOSE, GAME, AGENT)) == (plain(), "compiled")
    if what == "a folder":  # it cannot be replaced, so each process has its own
        assert file.is_dir()
    else:
        assert file.read_bytes() == blob and not file.is_symlink()
        assert answers(python(CHOOSE, GAME, AGENT)) == (plain(), "loaded")


@here
def test_compiling_twice_gives_the_same_bytes(python, tmp_path):
    for cache in ("one", "two"):
        python(CHOOSE, "connect-four", "alphabeta:depth=3", cache=str(tmp_path / cache))
    one, two = (entry_of(tmp_path / cache) for cache in ("one", "two"))
    assert one.parent.name == two.parent.name and one.read_bytes() == two.read_bytes()


# Many at once.


@unix
def test_of_eight_processes_on_an_empty_cache_one_compiles_and_all_agree(python):
    racing = [python(CHOOSE, GAME, AGENT, wait=False) for _ in range(8)]
    said = [answers(process.communicate(timeout=200)[0]) for process in racing]
    assert [process.returncode for process in racing] == [0] * 8
    assert [found for found, _ in said] == [plain()] * 8
    assert sorted(how for _, how in said) == ["compiled"] + ["loaded"] * 7


@unix
def test_a_killed_compilation_keeps_nobody_waiting(python, tmp_path):
    kill = "import os\ncache.announce = lambda line: os.kill(os.getpid(), 9)"
    killed = CHOOSE.replace("specialise.announce = cache.announce = lines.append", kill.replace("cache", "specialise"))
    assert "kill" in killed
    first = python(killed, GAME, AGENT, wait=False)
    first.communicate(timeout=100)
    assert first.returncode == -signal.SIGKILL
    assert answers(python(CHOOSE, GAME, AGENT)) == (plain(), "compiled")


FORK = """
import json, os, sys
from ludwin import agent, load
from ludwin.search.seat import Sitting

game = load("connect-four")
player = agent("uct:playouts=3000")
sitting = Sitting(player.seat(game), game, "fast")
states = [game.start().play(move) for move in range(4)]
alone = [player.choose(game, state, seed=3).move for state in states]
sitting.choose(states[0], 3)  # the code is loaded, and the workspaces hold a tree
read, write = os.pipe()
child = os.fork()
mine = [sitting.choose(state, 3) for state in (states if child else reversed(states))]
if not child:
    os.write(write, json.dumps(mine[::-1]).encode())
    os._exit(0)
os.close(write)
theirs = json.loads(os.read(read, 1000))
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
again = [sitting.choose(state, 3) for state in states]
print(mine == alone, theirs == alone, again == alone)
"""


@unix
def test_after_a_fork_both_search_on_workspaces_of_their_own(python):
    assert python(FORK) == "True True True"


THREADS = """
import threading
from ludwin import agent, load

game = load("connect-four")
states = [game.start().play(move) for move in range(7)]

def answer(text, state):
    choice = agent(text).choose(game, state, seed=5)
    return choice.move, choice.value, choice.nodes, choice.visits

work = [(text, state) for state in states for text in ("uct:playouts=4000", "alphabeta:depth=7")]
truth = [answer(*one) for one in work]
found = {}

def run(number, order):
    for k in order:
        found[number, k] = answer(*work[k])

orders = (range(len(work)), range(len(work))[::-1])
both = [threading.Thread(target=run, args=one) for one in enumerate(orders)]
for thread in both:
    thread.start()
for thread in both:
    thread.join()
print(all(found[number, k] == truth[k] for number in (0, 1) for k in range(len(work))), len(found))
"""


def test_two_threads_with_the_same_image_do_not_disturb_each_other(python):
    assert python(THREADS) == "True 28"


FIRST_USE = """
import threading
from ludwin import load, perft

game, found = load("tic-tac-toe"), []
both = [threading.Thread(target=lambda: found.append(perft(game, 5))) for _ in range(4)]
for thread in both:
    thread.start()
for thread in both:
    thread.join()
print(found)
"""


def test_threads_that_ask_for_the_same_code_at_once_all_get_it(python):
    assert python(FIRST_USE) == str([9 * 8 * 7 * 6 * 5] * 4)  # no line of three can end a game before


# Folders that are not ours, and systems that refuse.

AS_NOBODY = """
import os, sys, warnings
os.environ["LUDWIN_CACHE"] = sys.argv[3]
from ludwin import agent, load
nim = load("nim")
agent(sys.argv[2]).choose(nim, nim.start())  # imports all that will be needed, while we may still read it
import shutil, tempfile
load(sys.argv[1])
os.environ["LUDWIN_CACHE"] = sys.argv[4]
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
"""


def opened(folder, mode, owner=None):
    """Set modes and owner of a cache and of all that is in it; files never become executable."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(mode if path.is_dir() else mode & 0o666)
        if owner is not None:
            os.chown(path, owner, owner)


@here
@as_root
@for_nobody
def test_a_cache_that_cannot_be_written_is_read_and_what_is_new_goes_elsewhere(python):
    with tempfile.TemporaryDirectory() as room:  # pytest's own folders are closed to others
        Path(room).chmod(0o755)
        folder, temporary = (Path(room) / name for name in ("cache", "temporary"))
        temporary.mkdir()
        temporary.chmod(0o777)
        python(CHOOSE, GAME, AGENT, cache=str(folder))
        file = entry_of(folder)
        before = file.read_bytes()

        def as_nobody():
            opened(folder, 0o555)
            script, environ = AS_NOBODY + CHOOSE, {"TMPDIR": str(temporary)}
            empty = tempfile.mkdtemp(dir=room)
            return answers(python(script, GAME, AGENT, empty, str(folder), environ=environ))

        assert as_nobody() == (plain(), "loaded")
        assert file.read_bytes() == before and not list(temporary.iterdir())
        # A damaged image there cannot be mended: another serves for the process.
        file.write_bytes(before[:-1])
        assert as_nobody() == (plain(), "compiled")
        assert file.read_bytes() == before[:-1] and not list(temporary.iterdir())


def command(tmp_path, *words, cache=None, **environ):
    values = {**os.environ, "LUDWIN_CACHE": str(cache or tmp_path / "cache"), **environ}
    run = [sys.executable, "-W", "error", "-m", "ludwin", *words]
    return subprocess.run(run, env=values, cwd=tmp_path, capture_output=True, text=True, timeout=200)


LINE = ("choose", GAME, AGENT, "--json")


@here
@pytest.mark.parametrize(
    ("mode", "owner"),
    [
        pytest.param(0o777, None, marks=unix),
        pytest.param(0o770, None, marks=unix),
        pytest.param(0o700, 12345, marks=as_root),
    ],
    ids=["world-writable", "group-writable", "foreign"],
)
def test_a_planted_image_is_not_run_and_one_line_says_why(mode, owner, tmp_path):
    cache, temporary = tmp_path / "cache", tmp_path / "temporary"
    temporary.mkdir()
    truth = command(tmp_path, *LINE)
    assert truth.returncode == 0
    # A right image under the right name, of instructions that no processor has: running it is a crash.
    found = unpack(entry_of(cache).read_bytes())
    crashing = (b"\x0f\x0b" if "x86" in image.target() else bytes(2)) * len(found.fixed)
    entry_of(cache).write_bytes(Image(found.index, crashing[: len(found.fixed)], found.data).pack())
    crash = command(tmp_path, *LINE)
    assert crash.returncode == -signal.SIGILL  # so it is dangerous
    opened(cache, mode, owner)
    planted = {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
    run = command(tmp_path, *LINE, TMPDIR=str(temporary))
    assert (run.returncode, run.stdout) == (0, truth.stdout)
    lines = [line for line in run.stderr.splitlines() if "compiling" not in line]
    assert len(lines) == 1 and "is not used, because" in lines[0]
    assert lines[0].endswith("a temporary folder serves instead")
    assert {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()} == planted
    assert not list(temporary.iterdir())


REFUSED = """
import sys
from ludwin.__main__ import main
if sys.argv.pop(1) == "prctl":
    import ctypes
    assert ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) == 0  # PR_SET_MDWE: as hardened systems do
else:
    from ludwin.kernel import image
    def refuse(address, size, protection):
        raise image.NoExecution(13, "this system does not allow compiled code in memory (Permission denied)")
    image._protect = refuse
sys.exit(main())
"""


def can_be_hardened():
    if sys.platform != "linux":
        return False
    child = os.fork()
    if not child:
        os._exit(1 if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) else 0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@here
@pytest.mark.parametrize("how", ["a stand-in", "prctl"])
@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
def test_where_executable_memory_is_refused_one_line_says_so_and_plain_python_answers(how, warm, python, tmp_path):
    if how == "prctl" and not can_be_hardened():
        pytest.skip("this kernel cannot forbid it")
    if warm:
        command(tmp_path, *LINE)
    truth = command(tmp_path, *LINE, "--mode", "plain").stdout
    process = python(REFUSED, how, *LINE, wait=False)
    out, err = process.communicate(timeout=100)
    assert (process.returncode, out) == (0, truth)
    lines = [line for line in err.splitlines() if "compiling" not in line]
    reason = "this system does not allow compiled code in memory (Permission denied)"
    assert lines == [f"ludwin: {reason}; uct runs as plain Python, which is slower"]


# The warm path.

MODULES = """
import sys
from ludwin.__main__ import main
sys.argv = ["ludwin", *sys.argv[1:]]
assert main() == 0
heavy = ("llvmlite", "numba", "numpy", "rich", "scipy", "tempfile", "hashlib", "threading")
print([name for name in heavy if name in sys.modules])
"""
WARM = [
    ("nim", "random"),
    ("draughts", "alphabeta:depth=2"),
    ("connect-four", "alphabeta:depth=3,table=8,killers=ply,pvs=1"),
    ("reversi", "uct:playouts=10"),
    ("tic-tac-toe", "mcts:playouts=10"),
    ("lose-checkers", "greedy"),
    ("pig", "flat:playouts=10"),
    ("kuhn-poker", "uct:playouts=10"),
    ("li-nim", "maxn:depth=2"),
    ("fop", "mcts:playouts=10"),
]


@here
@pytest.mark.parametrize(("game", "text"), WARM, ids=[f"{game} {text}" for game, text in WARM])
def test_after_the_first_run_nothing_heavy_is_imported(game, text, python, tmp_path):
    from ludwin.primitives import CHANCE

    state = load(game).start()
    while state.mover == CHANCE:
        state = state.play(state.moves()[0])
    words = ("choose", game, text, "--from", state.write(), "--json")
    first = command(tmp_path, *words)
    assert first.returncode == 0, first.stderr
    out = python(MODULES, *words).splitlines()
    assert json.loads(out[0]) == json.loads(first.stdout) and out[1] == "[]"
