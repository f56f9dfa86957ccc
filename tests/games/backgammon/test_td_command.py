"""The command `td`: a network that learns is kept often, and an interrupted run says how to go on."""

import json

from ludwin.cli import main
from ludwin.games.backgammon.opponents.td import Learner

WORDS = ["--games", "2000", "--hidden", "2", "--test", "0", "--json"]


def interrupted_after(blocks, monkeypatch):
    """Let Ctrl-C come after so many blocks of a thousand games."""
    whole = Learner.train

    def train(self, *rest):
        for k, now in enumerate(whole(self, *rest), 1):
            if k > blocks:
                raise KeyboardInterrupt
            yield now

    monkeypatch.setattr(Learner, "train", train)


def test_an_interrupted_run_is_kept_and_goes_on_to_the_same_network(tmp_path, monkeypatch, capsys):
    once, twice = tmp_path / "once.json", tmp_path / "twice.json"
    assert main(["td", *WORDS, "--out", str(once), "--rate", "0.02"]) == 0
    with monkeypatch.context() as patch:
        interrupted_after(1, patch)
        assert main(["td", *WORDS, "--out", str(twice), "--rate", "0.02"]) == 130
    line = f"ludwin td --resume {twice} --games 2000 --rate 0.02 --last-rate 0.001"
    assert f"interrupted; go on with: {line}" in capsys.readouterr().err
    assert Learner.read(twice).games == 1000
    assert main([*line.split()[1:], "--test", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2000
    assert twice.read_bytes() == once.read_bytes()


def test_a_run_that_kept_nothing_says_so(tmp_path, monkeypatch, capsys):
    interrupted_after(0, monkeypatch)
    assert main(["td", *WORDS, "--out", str(tmp_path / "td.json")]) == 130
    assert capsys.readouterr().err.endswith("interrupted; nothing is kept yet\n")
