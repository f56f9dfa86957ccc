"""Compiled code is kept between processes, is never stale, and never in the way."""

import os
import signal
from pathlib import Path

import pytest

# Count positions of a game in a new process, and tell whether anything was compiled.
COUNT = """
import sys
from ludwin import load, perft
from ludwin.kernel import specialise

lines = []
specialise.announce = lines.append
game = load(sys.argv[1])
print(perft(game, 5), "compiled" if lines else "loaded")
"""

STONES_5 = 1 + 5 + 15 + 30 + 45  # oracle: see test_modes


def compiled_files(cache):
    """Return everything that compiling has left in a cache, with its time: what is written again shows."""
    found = [path for path in Path(cache).glob("ludwin_fast_*/*") if path.name != "lock"]
    return sorted((str(path.relative_to(cache)), path.stat().st_mtime_ns, path.stat().st_ino) for path in found)


def test_the_second_process_loads_what_the_first_has_compiled(workshop, python, tmp_path):
    path = workshop.write(workshop.text)
    assert python(COUNT, path) == f"{STONES_5} compiled"
    files = compiled_files(tmp_path / "cache")
    assert [Path(name).name for name, _, _ in files] == ["image"]  # one file: nothing piles up
    assert python(COUNT, path) == f"{STONES_5} loaded"
    assert compiled_files(tmp_path / "cache") == files
    for folder in (tmp_path / "cache", *(p for p in (tmp_path / "cache").iterdir() if p.is_dir())):
        assert folder.stat().st_mode & 0o077 == 0, "compiled code that others can write would be run"


def test_an_edited_rule_or_helper_or_parameter_is_never_stale(workshop, python):
    text = "from helper import step\n" + workshop.text.replace("out[n] = TAKE[k]", "out[n] = step(k)")
    helper = "def step(k):\n    return k\n"
    path = workshop.write(text, helper=helper)
    assert python(COUNT, path) == f"{STONES_5} compiled"
    # Fewer stones, by a parameter: five moves of 1 to 3 take 5 or 6 in 1 + 5 ways.
    assert python(COUNT, path + ":heap=6") == "6 compiled"
    # Moves of 2, 4 and 6 by an edited helper, while a stone is left: only five twos last so long.
    workshop.write(text, helper=helper.replace("return k", "return 2 * k"))
    assert python(COUNT, path) == "1 compiled"
    # Moves of 1 and 2 by an edited rule: all but five twos.
    workshop.write(text.replace("range(1, 4)", "range(1, 3)"), helper=helper)
    assert python(COUNT, path) == "31 compiled"
    # What was is found again.
    workshop.write(text, helper=helper)
    assert python(COUNT, path) == f"{STONES_5} loaded"


def test_a_file_that_has_moved_finds_its_code(workshop, python, tmp_path):
    text, helper = (
        "from helper import step\n" + workshop.text.replace("out[n] = TAKE[k]", "out[n] = step(k)"),
        "def step(k):\n    return k\n",
    )
    path = workshop.write(text, helper=helper)
    assert python(COUNT, path) == f"{STONES_5} compiled"
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("stones.py", "helper.py"):
        (tmp_path / name).rename(moved / name)
    assert python(COUNT, str(moved / "stones.py")) == f"{STONES_5} loaded"


def test_two_processes_at_once_both_get_it_right(workshop, python, tmp_path):
    path = workshop.write(workshop.text)
    racing = [python(COUNT, path, wait=False) for _ in range(2)]
    said = sorted(process.communicate(timeout=100)[0].strip() for process in racing)
    assert [process.returncode for process in racing] == [0, 0]
    assert said == [f"{STONES_5} compiled", f"{STONES_5} loaded"]  # one compiles, the other waits for it
    assert len(compiled_files(tmp_path / "cache")) == 1
    assert python(COUNT, path) == f"{STONES_5} loaded"


@pytest.mark.slow
def test_a_killed_compilation_leaves_nothing_behind_that_hurts(workshop, python, tmp_path):
    path = workshop.write(workshop.text)
    first = python(
        COUNT.replace("lines.append", "lambda line: __import__('os').kill(__import__('os').getpid(), 9)"),
        path,
        wait=False,
    )
    first.communicate(timeout=100)
    assert first.returncode == -signal.SIGKILL
    assert python(COUNT, path) == f"{STONES_5} compiled"
    assert python(COUNT, path) == f"{STONES_5} loaded"
    assert len(compiled_files(tmp_path / "cache")) == 1


@pytest.mark.parametrize("place", ["below a file", "in /proc"])
def test_a_cache_that_cannot_be_written_is_replaced_for_the_process(place, workshop, python, tmp_path):
    (tmp_path / "file").write_text("not a folder", encoding="utf8")
    cache = "/proc/ludwin" if place == "in /proc" else str(tmp_path / "file" / "cache")
    if place == "in /proc" and not Path("/proc").is_dir():
        pytest.skip("no /proc here")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    script = COUNT + "from ludwin.kernel import cache\nassert cache.is_temporary()\n"
    assert (
        python(script, workshop.write(workshop.text), cache=cache, environ={"TMPDIR": str(temporary)})
        == f"{STONES_5} compiled"
    )
    assert list(temporary.iterdir()) == []  # the temporary folder goes with the process


@pytest.mark.skipif(os.name == "nt", reason="homes are found otherwise on Windows")
def test_games_load_and_compile_without_a_home(workshop, python, tmp_path):
    # An empty LUDWIN_CACHE counts as none.
    script = COUNT + "from ludwin.kernel import cache\nprint(cache.folder())\n"
    environ = {"HOME": None, "XDG_CACHE_HOME": None, "LUDWIN_CACHE": None, "TMPDIR": str(tmp_path)}
    said = python(script, workshop.write(workshop.text), environ=environ).splitlines()
    assert said[0] == f"{STONES_5} compiled"
    assert Path(said[1]).is_relative_to(tmp_path)


def test_without_a_home_the_cache_is_not_where_others_can_write(python, tmp_path):
    script = (
        "from ludwin.kernel import cache\nprint(cache.folder().parent == "
        "__import__('pathlib').Path(__import__('sys').argv[1]) / '.cache')"
    )
    environ = {"HOME": None, "XDG_CACHE_HOME": None, "LUDWIN_CACHE": None, "TMPDIR": str(tmp_path)}
    assert python(script, str(tmp_path), environ=environ) == "False"


CLEAR = """
import sys
from ludwin import load, perft
from ludwin.kernel import cache

perft(load(sys.argv[1]), 3)
compiled = [name for name, _ in cache.entries() if name != "ludwin_seen"]  # which keeps what lint has said
assert len(compiled) == 1 and all(size > 0 for _, size in cache.entries())
print(cache.clear() > 500, cache.entries(), perft(load(sys.argv[1]), 3))
"""


def test_clear_removes_all_of_ours_and_nothing_else(python, workshop, tmp_path):
    cache = tmp_path / "cache"
    (cache / "photos").mkdir(parents=True)
    (cache / "photos" / "cat.txt").write_text("miaow", encoding="utf8")
    (cache / "ludwin_notes.txt").write_text("mine", encoding="utf8")
    old = cache / "ludwin_fast_stones_perft_0123456789abcdef0123" / "__pycache__"  # as numba kept our code
    old.mkdir(parents=True)
    (old / "entry.nbi").write_bytes(b"pickled")
    assert python(CLEAR.replace("== 1", "== 2"), workshop.write(workshop.text)) == "True [] 27"
    assert sorted(p.name for p in cache.iterdir()) == ["ludwin_notes.txt", "photos"]


def test_clear_leaves_a_folder_of_the_users(python, tmp_path):
    mine = tmp_path / "cache" / "ludwin_experiments"
    mine.mkdir(parents=True)
    (mine / "results.txt").write_text("three weeks of work", encoding="utf8")
    python("from ludwin.kernel import cache\ncache.clear()")
    assert (mine / "results.txt").exists()


# Recursion entered with arguments of different types: numba's cache, which we had, crashed in the second process
# (numba #6061).
COUNT_DOWN = """
def f(n: int, x: float):
    if n < 1:
        return x
    return f(n - 1, x * 0.5)
"""
RECURSIONS = {
    "in the file": ("out[n] = TAKE[k]", "out[n] = k + int(f(3, 1) * 0.0) + int(f(k, 0.5) * 0.0)", ""),
    "in a helper module": (
        "out[n] = TAKE[k]",
        "out[n] = k + int(helper.f(3, 1) * 0.0) + int(helper.f(k, 0.5) * 0.0)",
        "import helper\n",
    ),
}


@pytest.mark.parametrize(
    "place",
    ["in the file", "in a helper module"],
)
def test_recursion_survives_the_second_process(place, workshop, python):
    old, new, top = RECURSIONS[place]
    text = top + workshop.text.replace(old, new) + ("" if top else "\n" + COUNT_DOWN)
    path = workshop.write(text, helper=COUNT_DOWN)
    assert python(COUNT, path) == f"{STONES_5} compiled"
    assert python(COUNT, path) == f"{STONES_5} loaded"


# What a file reads from outside belongs to its fingerprint, too.
@pytest.mark.parametrize(
    "where",
    [
        pytest.param("a capital constant", marks=pytest.mark.slow),
        "MAX_MOVES",
    ],
)
def test_a_data_file_that_changes_is_never_stale(where, workshop, python, tmp_path):
    data = tmp_path / "data.txt"
    value = f"int(__import__('pathlib').Path({str(data)!r}).read_text(encoding='utf8'))"
    if where == "MAX_MOVES":
        text = workshop.text.replace("MAX_MOVES = 3", f"MAX_MOVES = {value}").replace(
            "range(1, 4)", "range(1, len(out) + 1)"
        )
    else:
        text = workshop.text.replace("TAKE = ", f"MOST = {value}\nTAKE = ").replace("range(1, 4)", "range(1, MOST + 1)")
    path = workshop.write(text)
    data.write_text("3", encoding="utf8")
    assert python(COUNT, path) == f"{STONES_5} compiled"
    data.write_text("1", encoding="utf8")
    assert python(COUNT, path) == "1 compiled"
