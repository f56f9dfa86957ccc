"""The code of a search can be looked at, and the cache says what it holds."""

import json
import os

import pytest

from ludwin import load
from ludwin.cli import main
from ludwin.kernel import cache, specialise
from ludwin.library import agent
from ludwin.search.perft import PERFT, perft


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty cache, and no memory of what this process has compiled."""
    monkeypatch.setenv("LUDWIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(specialise, "_known", {})
    return tmp_path / "cache"


def run(capsys, *words, code=0):
    assert main(list(words)) == code
    return capsys.readouterr()


def run_json(capsys, *words):
    return json.loads(run(capsys, *words, "--json").out)


# compile


def test_compile_says_what_the_image_is(place, capsys):
    data = run_json(capsys, "compile", "connect-four", "mcts")
    assert (data["game"], data["kernel"], data["mode"], data["from"]) == ("connect-four", "mcts", "fast", "compiled")
    assert data["imports"] == ["log", "memcpy", "memset", "pow"]
    assert {"moves", "play", "payoff", "mcts"} <= set(data["functions"])
    file = place / data["name"] / "image"
    assert data["bytes"] == file.stat().st_size > data["code"] > 1000
    assert data["faults"] > 0 and data["seconds"] > 0
    again = run_json(capsys, "compile", "connect-four", "mcts")
    assert again["from"] == "cache" and again["name"] == data["name"] and again["bytes"] == data["bytes"]
    text = run(capsys, "compile", "connect-four", "mcts").out
    assert "log, memcpy, memset, pow of the C library" in text
    assert data["name"] in text and "loaded from the cache" in text


PLAYERS = ["alphabeta", "alphabeta:table=8", "minimax", "uct", "flat", "random", "greedy", "pns", "perft"]


@pytest.mark.parametrize("text", PLAYERS)
def test_compile_makes_what_the_agent_then_finds(text, place, capsys, monkeypatch):
    lines = []
    name = run_json(capsys, "compile", "nim", text)["name"]
    monkeypatch.setattr(specialise, "announce", lines.append)
    nim = load("nim")
    if text == "perft":
        assert perft(nim, 3) == 27
    else:
        agent(text).choose(nim, nim.start())
    assert lines == [] and sorted(path.name for path in place.glob("ludwin_fast_*")) == [name]


def test_checked_code_is_other_code(place, capsys):
    fast, checked = (run_json(capsys, "compile", "nim", "perft", "--mode", mode) for mode in ("fast", "checked"))
    assert checked["faults"] > fast["faults"] and checked["name"] != fast["name"] and checked["mode"] == "checked"


def test_the_module_is_shown_as_we_write_it_and_as_llvm_leaves_it(place, capsys):
    llvm = pytest.importorskip("llvmlite.binding")
    ours = run(capsys, "compile", "nim", "perft", "--ir").out
    done = run(capsys, "compile", "nim", "perft", "--ir", "--optimised").out
    assert "define internal i64 @moves" in ours and "alloca" in ours
    assert "i64 @entry(" in done and "@moves" not in done and "alloca" not in done
    for text in (ours, done):
        llvm.parse_assembly(text).verify()
    assert not place.exists() or not any(place.iterdir())  # looking keeps nothing
    assert run_json(capsys, "compile", "nim", "perft", "--ir")["ir"].strip() == ours.strip()


def test_machine_code_is_shown(place, capsys):
    text = run(capsys, "compile", "nim", "perft", "--asm").out
    assert "entry:" in text and {"ret", "retq"} & set(text.split())
    assert run_json(capsys, "compile", "nim", "perft", "--asm")["asm"].strip() == text.strip()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("pig", "alphabeta"), "ludwin: alphabeta does not play games of chance such as pig; try expectimax or uct\n"),
        (("nim", "perft", "--ir", "--asm"), "ludwin: give --ir or --asm, not both\n"),
        (("nim", "perft", "--optimised"), "ludwin: --optimised goes with --ir; --asm shows optimised code anyway\n"),
        (("nim", "purft"), "ludwin: no agent called 'purft'; `ludwin agents` lists all 36\n"),
    ],
)
def test_what_cannot_be_compiled_gets_one_line(words, line, place, capsys):
    assert run(capsys, "compile", *words, code=2).err == line


def test_an_agent_without_a_kernel_gets_one_line(place, capsys, monkeypatch):
    from ludwin.search.playout import Random

    monkeypatch.setattr(Random, "seat", lambda self, game: None)
    line = "ludwin: random is not compiled: it has no kernel, and runs as plain Python\n"
    assert run(capsys, "compile", "nim", "random", code=2).err == line


# cache


def fill(place):
    """Make an image, damage another, and lay down what earlier versions left."""
    perft(load("nim"), 3)
    perft(load("tic-tac-toe"), 3)
    ((good,), (bad,)) = ([*place.glob(f"ludwin_fast_{game}_perft_*")] for game in ("nim", "tic_tac_toe"))
    blob = (bad / "image").read_bytes()
    (bad / "image").write_bytes(blob[:-1] + bytes([blob[-1] ^ 1]))
    old = place / "ludwin_fast_draughts_uct_0123456789abcdef0123"
    (old / "__pycache__").mkdir(parents=True)
    (old / "__pycache__" / "ludwin_fast.entry-1.py311.nbi").write_bytes(b"pickled")
    (old / "text.py").write_text("def f(): pass\n", encoding="utf8")
    older = place / "ludwin_fast_draughts_uct_fedcba9876543210fedc"
    older.mkdir(mode=0o700)
    (older / "image").write_bytes(b"LUDWIN\x01\n" + blob[8:])
    return good, bad, old, older


def test_the_cache_is_listed(place, capsys):
    good, bad, old, older = fill(place)
    data = run_json(capsys, "cache", "--list")
    found = {entry["name"]: entry for entry in data["list"]}
    assert {name: entry["state"] for name, entry in found.items()} == {
        good.name: "ready", bad.name: "damaged", old.name: "old", older.name: "old",
    }  # fmt: skip
    assert found[good.name]["bytes"] == sum(file.stat().st_size for file in good.iterdir())
    assert [found[good.name][key] for key in ("game", "kernel", "mode")] == ["nim", "perft", "fast"]
    assert data["images"] == 4 and data["states"] == {"damaged": 1, "old": 2, "ready": 1}
    assert "list" not in run_json(capsys, "cache")
    text = run(capsys, "cache", "--list").out
    assert "4 images" in text and "1 damaged, 2 old" in text
    row = next(line for line in text.splitlines() if line.startswith("nim "))
    assert row.split()[:3] == ["nim", "perft", "fast"]


def test_only_what_is_of_no_use_is_removed_as_old(place, capsys):
    good, bad, old, older = fill(place)
    mine = place / "ludwin_experiments"
    mine.mkdir()
    data = run_json(capsys, "cache", "--old")
    assert data["freed"] > 0 and data["states"] == {"ready": 1}
    assert good.exists() and mine.exists() and not any(path.exists() for path in (bad, old, older))
    assert "removed 0 entries that this version cannot use" in run(capsys, "cache", "--old").out


def test_an_image_of_another_version_of_ours_is_old(place, capsys, monkeypatch):
    perft(load("nim"), 3)
    from ludwin.kernel import inventory

    monkeypatch.setattr(inventory, "maker", lambda: "another")
    assert run_json(capsys, "cache")["states"] == {"old": 1}


def test_everything_is_cleared(place, capsys):
    fill(place)
    assert run_json(capsys, "cache", "--clear")["entries"] == 0
    assert list(place.iterdir()) == []
    assert (
        run(capsys, "cache", "--clear", "--list", code=2).err == "ludwin: --clear removes everything: give it alone\n"
    )


@pytest.mark.skipif(os.name != "posix", reason="locks are POSIX")
def test_what_is_being_compiled_is_not_removed(place, capsys):
    name = specialise.order(load("nim"), PERFT, "fast").name()
    with cache.lock(name):
        assert run_json(capsys, "cache")["states"] == {"unfinished": 1}
        assert run_json(capsys, "cache", "--old")["freed"] == 0
        assert (place / name).exists()
    run_json(capsys, "cache", "--old")
    assert not (place / name).exists()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_an_image_that_others_can_write_is_listed_as_refused(place, capsys):
    perft(load("nim"), 3)
    (image,) = place.glob("*/image")
    image.chmod(0o666)
    assert run_json(capsys, "cache")["states"] == {"refused": 1}
