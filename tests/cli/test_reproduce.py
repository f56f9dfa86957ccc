"""`ludwin reproduce --resume DIR`: the folder says what is gone on with."""

import json

import pytest

from ludwin.cli import main

LINE = ["reproduce", "lose-checkers-3.5", "--games", "2", "--seed", "5", "--out", "table"]


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_a_folder_is_gone_on_with_without_saying_again_what_it_is(run, tmp_path):
    code, whole, _ = run(*LINE)
    assert code == 0
    table = (tmp_path / "table" / "table.json").read_bytes()
    assert run("reproduce", "--resume", "table")[:2] == (0, whole)
    assert run("reproduce", "lose-checkers-3.5", "--resume", "table")[:2] == (0, whole)
    assert run("study", "--resume", "table")[0] == 2  # no study
    code, out, err = run("reproduce", "--resume", "table", "--seed", "6")
    assert (code, out) == (2, "") and "or other settings" in err
    assert (tmp_path / "table" / "table.json").read_bytes() == table


def test_a_folder_without_an_experiment_or_with_a_stranger_is_refused(run, tmp_path):
    code, out, err = run("reproduce", "--resume", "nothing")
    assert (code, out) == (2, "") and "nothing holds no experiment to resume" in err
    code, _, err = run("reproduce", "fop-5.4", "--resume", "nothing")
    assert code == 2 and "begin one with --out nothing" in err
    spy = tmp_path / "spy.py"
    spy.write_text("open('ran', 'w')\n")
    run(*LINE)
    path = tmp_path / "table" / "settings.json"
    kept = json.loads(path.read_text())
    for name in ("./spy.py", str(spy), "mine"):
        path.write_text(json.dumps({**kept, "name": name}))
        code, out, err = run("reproduce", "--resume", "table")
        assert (code, out) == (2, "") and "which is none of ours" in err and not (tmp_path / "ran").exists()
    path.write_text(json.dumps({**kept, "preset": "huge"}))
    assert run("reproduce", "--resume", "table")[0] == 2
