"""Parts that do not make a whole are refused in one line, and nothing is written."""

import json
import shutil

import pytest

from ludwin.cli import main

LINE = ["tournament", "nim", "greedy", "random", "--games", "8", "--seed", "4"]
SERIES = ["evolve", "onemax", "--seeds", "2", "--set", "population=4", "generations=1"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Parts of a tournament and of a series, which tests copy and spoil."""
    folder = tmp_path_factory.mktemp("parts")
    for k in (1, 2):
        assert main([*LINE, "--part", f"{k}/2", "--out", str(folder / "event")]) == 0
        assert main([*SERIES, "--part", f"{k}/2", "--out", str(folder / "series")]) == 0
    return folder


def edit(path, **changes):
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def drop_game(folder):
    path = folder / "part-2-of-2" / "games.jsonl.ahead"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))


def double_game(folder):
    taken = (folder / "part-1-of-2" / "games.jsonl.ahead").read_text().splitlines(keepends=True)[0]
    path = folder / "part-2-of-2" / "games.jsonl.ahead"
    path.write_text(path.read_text() + taken)


def other_seed(folder):
    path = folder / "part-2-of-2" / "games.jsonl"
    path.write_text(path.read_text().replace('"seed":4', '"seed":5'))


def forged_payoff(folder):
    path = folder / "part-2-of-2" / "games.jsonl.ahead"
    path.write_text(path.read_text().replace('"end"', '"edn"', 1))


EVENT = {
    "a missing part": (lambda f: shutil.rmtree(f / "part-2-of-2"), "part 2 of 2 is missing"),
    "no part at all": (lambda f: [shutil.rmtree(f / f"part-{k}-of-2") for k in (1, 2)], "holds no parts"),
    "a doubled part": (lambda f: shutil.copytree(f / "part-2-of-2", f / "part-2-again"), "is there twice"),
    "a part of another cut": (lambda f: edit(f / "part-2-of-2" / "part.json", of=3), "cut into 2 and 3"),
    "a part of another command": (lambda f: edit(f / "part-2-of-2" / "part.json", command="study"), "different runs"),
    "another version": (lambda f: edit(f / "part-2-of-2" / "part.json", ludwin="0.0.1"), "by ludwin 0.0.1 and"),
    "unfinished": (lambda f: edit(f / "part-2-of-2" / "part.json", finished=False), "part 2 of 2 is not finished"),
    "other arithmetic": (lambda f: edit(f / "part-2-of-2" / "part.json", arithmetic=["0" * 16]), "round differently"),
    "a forged part.json": (lambda f: (f / "part-2-of-2" / "part.json").write_text("[1, 2"), "part.json"),
    "a game that is missing": (drop_game, "lacks game 4; run this part again"),
    "a game of another part": (double_game, "holds game 0, which belongs to another part"),
    "another event": (other_seed, "is of another event than part-1-of-2: its seed differs"),
    "a line that is no game": (forged_payoff, "'end' is missing"),
}


@pytest.mark.parametrize("what", EVENT)
def test_parts_of_an_event_that_do_not_fit_are_refused(what, made, tmp_path, capsys):
    spoil, told = EVENT[what]
    folder = tmp_path / "event"
    shutil.copytree(made / "event", folder)
    spoil(folder)
    assert main(["gather", str(folder)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert told in said[-1], said
    assert not (folder / "games.jsonl").exists()


SPOILT = {
    "a seed that is missing": (lambda f: shutil.rmtree(f / "part-2-of-2" / "seed-1"), "lacks seed 1"),
    "a seed of another part": (
        lambda f: shutil.copytree(f / "part-1-of-2" / "seed-0", f / "part-2-of-2" / "seed-0"),
        "holds seed-0, which belongs to another part",
    ),
    "other settings": (lambda f: edit(f / "part-2-of-2" / "settings.json", seeds=3), "of another series"),
    "a store that was edited": (
        lambda f: (f / "part-2-of-2" / "seed-1" / "run.sqlite").write_bytes(b"SQLite format 3\0" + b"x" * 5000),
        "run.sqlite",
    ),
}


@pytest.mark.parametrize("what", SPOILT)
def test_parts_of_a_series_that_do_not_fit_are_refused(what, made, tmp_path, capsys):
    spoil, told = SPOILT[what]
    folder = tmp_path / "series"
    shutil.copytree(made / "series", folder)
    spoil(folder)
    assert main(["gather", str(folder)]) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]
    assert not (folder / "summary.json").exists()


def test_other_arithmetic_is_taken_if_it_is_accepted(made, tmp_path):
    shutil.copytree(made / "event", tmp_path / "event")
    edit(tmp_path / "event" / "part-2-of-2" / "part.json", arithmetic=["0" * 16])
    assert main(["gather", str(tmp_path / "event"), "--accept-arithmetic"]) == 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ([*LINE, "--part", "3/2", "--out", "x"], "K from 1 to N, got '3/2'"),
        ([*LINE, "--part", "1/2"], "wants --out DIR"),
        ([*LINE, "--part", "1/2", "--out", "x", "--format", "swiss"], "a swiss event is decided while it is played"),
        ([*LINE, "--part", "1/2", "--out", "x", "--sprt", "0,20"], "an SPRT is decided while it is played"),
        ([*LINE, "--part", "1/2", "--out", "x", "--cluster", "local:1"], "leave --cluster away"),
        (["evolve", "onemax", "--part", "1/2", "--out", "x"], "--seeds N"),
        (["reproduce", "alphabeta-savings", "--part", "1/2", "--out", "x"], "is not cut into cells"),
    ],
)
def test_a_part_that_cannot_be_is_refused_in_one_line(line, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(line) == 2
    assert told in capsys.readouterr().err.splitlines()[-1]


def test_a_part_goes_on_where_it_was_stopped(made, tmp_path):
    shutil.copytree(made / "event", tmp_path / "event")
    drop_game(tmp_path / "event")
    assert main([*LINE, "--part", "2/2", "--out", str(tmp_path / "event")]) == 0
    assert main(["gather", str(tmp_path / "event")]) == 0


def test_a_record_of_parts_that_were_there_before_is_not_shown_for_these(made, tmp_path, capsys):
    shutil.copytree(made / "event", tmp_path / "event")
    assert main([*LINE[:-1], "5", "--out", str(tmp_path / "event" / "games.jsonl")]) == 0
    assert main(["gather", str(tmp_path / "event")]) == 2
    assert "games.jsonl is of another event than the parts" in capsys.readouterr().err


def test_a_series_of_parts_that_were_there_before_is_not_shown_for_these(made, tmp_path, capsys):
    shutil.copytree(made / "series", tmp_path / "series")
    shutil.copy(made / "series" / "part-1-of-2" / "settings.json", tmp_path / "series")
    edit(tmp_path / "series" / "settings.json", seed=7)
    assert main(["gather", str(tmp_path / "series")]) == 2
    assert "settings.json is of another run than the parts" in capsys.readouterr().err


def test_a_record_that_was_gathered_in_part_is_gathered_again(made, tmp_path, capsys):
    shutil.copytree(made / "event", tmp_path / "event")
    whole = tmp_path / "event" / "games.jsonl"
    assert main(["gather", str(tmp_path / "event")]) == 0
    text = whole.read_text()
    whole.write_text("".join(text.splitlines(keepends=True)[:4]))
    assert main(["gather", str(tmp_path / "event")]) == 0
    assert whole.read_text() == text


def test_gathering_runs_no_agent(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first.py").write_text("def choose(state):\n    return state.moves()[0]\n")
    line = ["tournament", "nim:heap=4", "./first.py", "random", "process:false", "--games", "2"]
    for k in (1, 2):
        assert main([*line, "--part", f"{k}/2", "--out", "parts"]) == 0
    assert main([*line, "--out", "one.jsonl"]) == 0
    (tmp_path / "first.py").write_text("raise SystemExit('it ran')\n")
    capsys.readouterr()
    assert main(["gather", "parts"]) == 0
    said = capsys.readouterr()
    assert 'process:"false"' in said.out or "process:false" in said.out
    assert "running" not in said.err
    assert (tmp_path / "parts" / "games.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
