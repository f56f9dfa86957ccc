"""The commands, pictures, holes and reflection."""

import json
from random import Random

import pytest

from ludwin import load
from ludwin.cli import doors, main
from ludwin.discover.holes import evolve_order, is_free
from ludwin.discover.picture import draw
from ludwin.discover.problems import discover
from ludwin.discover.reflection import reflect


def run(*words):
    module, options = doors.read(words)
    return module.run(options)


def test_discover_prints_the_promised_json(capsys):
    assert run("discover", "beta-cut", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert list(data) == ["found", "states", "generated", "duplicates", "depth", "seconds"] and data["found"] is True


def test_what_is_not_found_exits_with_1(capsys):
    assert run("discover", "alpha-beta", "--moves", "split-join", "--max-states", "20") == 1
    assert "nearest" in capsys.readouterr().out


def test_a_derivation_is_written_printed_and_checked_again(tmp_path, capsys):
    file = str(tmp_path / "ab.json")
    pictures = [str(tmp_path / "ab.html"), str(tmp_path / "ab.svg")]
    assert (
        run("discover", "alpha-beta", "--out", file, "--picture", pictures[0], "--prolog", str(tmp_path / "ab.pl")) == 0
    )
    assert run("derivation", file, "--replay") == 0
    assert "73 steps hold" in capsys.readouterr().out
    assert run("derivation", file, "--steps") == 0
    assert "The steps:" in capsys.readouterr().out
    assert (tmp_path / "ab.html").read_text().startswith("<!doctype html>") and "value_lo_hi" in (
        tmp_path / "ab.pl"
    ).read_text()
    data = json.loads((tmp_path / "ab.json").read_text())
    step = next(s for s in data["steps"] if s["rule"] == "split")
    step["added"][1] = step["added"][0]
    changed = [s for s in data["steps"] if s is not step]
    assert changed
    (tmp_path / "ab.json").write_text(json.dumps(data))
    with pytest.raises(Exception, match="removes a clause that is not there"):
        run("derivation", file, "--replay")


def test_a_picture_shows_what_was_cut():
    svg = draw(discover("alpha-beta").derivation, svg=True)
    assert svg.startswith("<svg") and "of 27 leaves" in svg and "stroke-dasharray" in svg


def test_a_file_of_the_users_is_a_problem(tmp_path, capsys):
    from ludwin.discover.problems import FOLDER

    (tmp_path / "mine.pl").write_text((FOLDER / "negamax.pl").read_text())
    assert run("discover", str(tmp_path / "mine.pl"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["states"] == 8


def test_evolution_fills_the_hole_of_child_order_and_cannot_be_wrong():
    assert is_free("max") and is_free("min")
    game, rng, states = load("draughts"), Random(1), []
    for _ in range(3):
        state = game.start()
        for _ in range(8):
            state = state.play(rng.choice(state.moves()))
        states.append(state)
    filled = evolve_order(game, discover("alpha-beta").derivation, states, 3, generations=2, mode="plain")
    assert filled.nodes <= filled.before
    assert filled == evolve_order(game, discover("alpha-beta").derivation, states, 3, generations=2, mode="plain")


def test_the_engine_improves_its_own_search():
    result = reflect(limit=2)
    assert result.improved < result.plain and result.depth == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["discover", "alpha-beta", "--picture", "x.png"], "ends with .html or .svg"),
        (["discover", "alpha-beta", "--out", "nowhere/x.json"], "there is no folder 'nowhere'"),
        (["discover", "./deep.pl"], "deep.pl:1:115: more than 100 brackets within brackets"),
        (["discover", "./signs.pl"], "signs before signs"),
        (["match", "nim", "derived:none.json", "random"], "there is no file 'none.json'"),
        (["match", "nim", "derived:deep.pl", "random"], "deep.pl: this is no derivation"),
    ],
)
def test_what_cannot_be_is_told_before_anything_begins(words, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep.pl").write_text(f"value(P,V) :- {'(' * 5000}P{')' * 5000}.")
    (tmp_path / "signs.pl").write_text(f"value(P,V) :- V is {'-' * 5000}P.")
    assert main(words) == 2
    said = capsys.readouterr()
    assert told in said.err.splitlines()[-1] and said.out == ""
