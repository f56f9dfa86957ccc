"""Images that come with the package are used if they are what is asked for, and otherwise not noticed."""

import json
import os
import resource
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ludwin import load
from ludwin.cli import ship as shipping
from ludwin.kernel import image, ship, specialise
from ludwin.kernel.image import BadImage, unpack
from ludwin.kernel.specialise import order
from ludwin.library import agent
from ludwin.search.perft import PERFT, perft

pytest.importorskip("llvmlite")
here = pytest.mark.skipif(not image.supported(), reason="images of the package are for Linux")
ROOT = Path(__file__).parents[2]

# The file.

SOME = {"b": b"second", "a": b"first", "empty": b""}


def test_what_is_packed_is_read(tmp_path):
    path = tmp_path / "x.images"
    path.write_bytes(ship.pack(SOME))
    assert {name: ship.read(str(path), name) for name in (*SOME, "c")} == {**SOME, "c": None}
    assert ship.names(str(path)) == sorted(SOME)
    assert ship.pack(dict(reversed(SOME.items()))) == ship.pack(SOME)


def test_a_file_that_is_damaged_has_no_image_that_is_not_its_own(tmp_path):
    blob = ship.pack(SOME)
    for at in range(len(blob)):
        path = tmp_path / f"flipped-{at}"
        path.write_bytes(blob[:at] + bytes([blob[at] ^ 16]) + blob[at + 1 :])
        if at < blob.index(b"first"):  # behind that an image's own hash finds it
            assert ship.read(str(path), "a") is None
        path = tmp_path / f"cut-{at}"
        path.write_bytes(blob[:at])
        assert b"first".startswith(ship.read(str(path), "a") or b"")


@pytest.mark.parametrize(
    "head", [b"[]", b"{", b'{"a": 1}', b'{"a": [0]}', b'{"a": ["x", 1]}', b'{"a": [-99999, 5]}', b"7"]
)
def test_an_index_of_another_shape_is_no_index(head, tmp_path):
    path = tmp_path / "x.images"
    path.write_bytes(ship.MAGIC + len(head).to_bytes(8, "little") + head + ship.hashed(head) + b"first")
    assert ship.read(str(path), "a") is None


def test_where_there_is_no_file_there_are_no_images(tmp_path):
    assert ship.read(str(tmp_path / "nothing"), "a") is None and ship.names(str(tmp_path)) == []


# In use.


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Return a folder with perft of nim as the package might bring it, and the lines about compiling."""
    lines = []
    monkeypatch.setenv("LUDWIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(specialise, "SHIPPED", str(tmp_path / "images"))
    monkeypatch.setattr(specialise, "announce", lines.append)
    ship._index.cache_clear()
    shipping.write(tmp_path / "images", ["x86_64-linux", "aarch64-linux"], [order(load("nim"), PERFT, "fast")], str)
    forget(monkeypatch)
    return tmp_path / "images", lines


def forget(monkeypatch):
    """Be as a new process."""
    monkeypatch.setattr(specialise, "_known", {})
    ship._index.cache_clear()


def compiled(cache):
    return [path.name for path in cache.glob("ludwin_fast_*")]


@here
def test_an_image_of_the_package_is_used_and_nothing_is_compiled_or_kept(shipped):
    folder, lines = shipped
    assert perft(load("nim"), 5) == 243 and lines == []
    assert compiled(folder.parent / "cache") == []
    assert specialise.obtained(order(load("nim"), PERFT, "fast"))[2] == "package"


@here
@pytest.mark.parametrize("what", ["another game", "other parameters", "another mode", "another kernel"])
def test_what_is_not_asked_for_is_not_used(what, shipped):
    _, lines = shipped
    game = load("tic-tac-toe" if what == "another game" else "nim:heap=9" if what == "other parameters" else "nim")
    if what == "another kernel":
        agent("random").choose(game, game.start())
    else:
        perft(game, 2, mode="checked" if what == "another mode" else "fast")
    assert len(lines) == 1 and lines[0].startswith("compiling")


@here
def test_another_version_of_our_machinery_finds_nothing(shipped, monkeypatch):
    _, lines = shipped
    monkeypatch.setattr(specialise, "foundation", lambda: "another")
    assert perft(load("nim"), 5) == 243 and len(lines) == 1


@here
def test_another_llvm_compiles_anew_for_the_cache_but_takes_what_is_finished(shipped, monkeypatch):
    _, lines = shipped
    wanted = order(load("nim"), PERFT, "fast")
    name, code = wanted.name(), wanted.code(image.target())
    for version in ("another", ""):  # or none at all
        monkeypatch.setattr(specialise, "_llvm_version", lambda version=version: version)
        forget(monkeypatch)
        assert wanted.name() != name and wanted.code(image.target()) == code
        assert perft(load("nim"), 5) == 243 and lines == []


@here
@pytest.mark.parametrize("what", ["damaged", "cut off", "for another machine", "text"])
def test_a_bad_image_of_the_package_is_compiled_instead(what, shipped, monkeypatch):
    folder, lines = shipped
    file = folder / ship.file_name(image.target())
    (other,) = (path for path in folder.iterdir() if path != file)
    blob = file.read_bytes()
    file.write_bytes(
        {
            "damaged": blob[:-40] + bytes([blob[-40] ^ 1]) + blob[-39:],
            "cut off": blob[:-100],
            "for another machine": other.read_bytes(),
            "text": b"hello",
        }[what]
    )
    assert perft(load("nim"), 5) == 243 and len(lines) == 1
    forget(monkeypatch)
    assert perft(load("nim"), 5) == 243 and len(lines) == 1  # the second time it is found in the cache


@here
def test_images_for_another_machine_are_whole_and_refused_here(shipped):
    folder, _ = shipped
    for machine in shipping.TRIPLES:
        path = str(folder / ship.file_name(machine))
        (name,) = ship.names(path)
        found = unpack(ship.read(path, name))
        assert found.index["target"] == machine and found.index["name"] == name
        if machine == image.target():
            image.load(found)
        else:
            with pytest.raises(BadImage, match=f"it is for {machine}"):
                image.load(found)


# Other rows than this are in test_link: here a whole search runs on the other machine.
DRIVER = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(int count, char **words) {
  long size = atol(words[2]), entry = atol(words[3]), start = atol(words[4]), depth = atol(words[5]);
  char *code = mmap(0, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  FILE *file = fopen(words[1], "rb");
  if (fread(code, 1, size, file) != size) return 3;
  for (int k = 6; k + 1 < count; k += 2) *(long *)(code + atol(words[k])) = (long)code + atol(words[k + 1]);
  __builtin___clear_cache(code, code + size);
  if (mprotect(code, start, PROT_READ | PROT_EXEC)) return 4;
  static long states[1000], moves[10000], back;
  for (int k = 0; scanf("%ld", &states[k]) == 1; k++);
  long fault = ((long (*)(long *, long *, long *, long))(code + entry))(&back, states, moves, depth);
  printf("%ld %ld\n", fault, back);
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("text", "depth"), [("nim", 6), ("connect-four", 6), ("draughts", 6), ("reversi", 4)])
def test_a_search_for_aarch64_counts_what_this_machine_counts(text, depth, tmp_path):
    compiler, emulator = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
    if not compiler or not emulator:
        pytest.skip("needs qemu-user and gcc-aarch64-linux-gnu")
    (tmp_path / "driver.c").write_text(DRIVER, encoding="utf8")
    subprocess.run([compiler, "-O1", "-static", "driver.c", "-lm", "-o", "driver"], cwd=tmp_path, check=True)
    game = load(text)
    (blob,) = shipping.images("aarch64-linux", [order(game, PERFT, "fast")]).values()
    found = unpack(blob)
    assert found.index["imports"] == []
    start = image.data_offset(len(found.fixed))
    (tmp_path / "flat").write_bytes(found.fixed.ljust(start, b"\0") + found.data)
    bases = [str(number) for slot in found.index["bases"] for number in slot]
    numbers = [start + len(found.data), found.index["entry"], start, depth]
    run = subprocess.run(
        [emulator, "./driver", "flat", *map(str, numbers), *bases],
        cwd=tmp_path,
        input=" ".join(map(str, game.start().cells)),
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.stdout.split() == ["0", str(perft(game, depth))], run


# In a wheel.


def cpu(words, environ):
    """Run a command; return its CPU time and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(words, env=environ, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.stdout


FIRST = """
import sys
from ludwin.__main__ import main
sys.argv = ["ludwin", *sys.argv[1:]]
assert main() == 0
print([name for name in ("llvmlite", "numba", "numpy", "scipy") if name in sys.modules])
"""


@here
@pytest.mark.slow
def test_a_wheel_brings_images_and_the_first_use_needs_no_compiler(tmp_path):
    pytest.importorskip("hatchling", reason="builds the wheel")
    tree, site = tmp_path / "tree", tmp_path / "site"
    ignored = shutil.ignore_patterns("__pycache__", "images")
    shutil.copytree(ROOT / "src", tree / "src", ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, tree / name)
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    hatch = {**os.environ}
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
    subprocess.run([*build, str(tmp_path / "bare")], cwd=tree, env=hatch, check=True, capture_output=True)
    compiling = [sys.executable, "-m", "ludwin.cli.ship"]
    within = {**environ, "PYTHONPATH": str(tree / "src")}
    subprocess.run(compiling, cwd=tree, env=within, check=True, capture_output=True)
    subprocess.run([*build, str(tmp_path / "full")], cwd=tree, env=hatch, check=True, capture_output=True)
    (bare,), (full,) = ((tmp_path / name).glob("*.whl") for name in ("bare", "full"))
    assert full.stat().st_size - bare.stat().st_size < 2 * 2_000_000
    with zipfile.ZipFile(full) as wheel:
        for machine in shipping.TRIPLES:
            assert 100_000 < wheel.getinfo(f"ludwin/images/{ship.file_name(machine)}").compress_size < 2_000_000
        data = {path.relative_to(tree / "src").as_posix() for path in (tree / "src").rglob("data/*") if path.is_file()}
        assert data and data <= set(wheel.namelist()), "openings, tables and puzzles of games' folders"
        wheel.extractall(site)
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(site)], check=True)  # as pip does
    environ |= {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    lines = [
        "draughts alphabeta:depth=4",
        "draughts alphabeta:depth=4,table=10",
        "connect-four mcts:playouts=50",
        "reversi uct:playouts=50",
    ]
    for number, line in enumerate(lines):
        words = [sys.executable, "-P", "-c", FIRST, "choose", *line.split(), "--json"]
        times = []
        for k in range(5):
            fresh = {**environ, "LUDWIN_CACHE": str(tmp_path / f"cache-{number}-{k}")}
            seconds, out = cpu(words, fresh)
            times.append(seconds)
            answer, modules = out.splitlines()
            assert modules == "[]"
        assert json.loads(answer)["nodes"] > 0
        assert min(times) <= 0.25, f"{line}: {times}"
