"""The study of learners: the same games for all, what was found is kept, and seeds of programs are the sums."""

import json

import pytest

from ludwin import load
from ludwin.cli import main
from ludwin.games.backgammon.evolve.two_trees import player
from ludwin.games.backgammon.opponents.network import NetworkBrain
from ludwin.games.backgammon.opponents.td import Learner
from ludwin.games.backgammon.tables import learners
from ludwin.games.backgammon.tables.learners import WAYS, Way, as_programs, by_differences
from ludwin.search.afterstate import AfterState


@pytest.fixture
def small(monkeypatch):
    """Leave two quick ways, and a thousand games of learning."""
    monkeypatch.setattr(learners, "LESSONS", {"quick": 1000, "standard": 1000, "paper": 1000})
    few = {"TD sums": WAYS["TD sums"], "another": Way("a way that was added", by_differences(1))}
    monkeypatch.setattr(learners, "WAYS", few)


def study(capsys, *words):
    assert main(["study", "backgammon-learners", "--games", "40", "--seed", "3", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_rows_come_from_the_register_and_are_kept(small, capsys, tmp_path, monkeypatch):
    out = tmp_path / "run"
    first = study(capsys, "--out", str(out))
    assert [row["label"] for row in first["rows"]] == ["TD sums", "TD sums", "another", "another"]
    assert all(row["games"] == 40 and row["verdict"] == "measured" for row in first["rows"])
    table = (out / "table.json").read_bytes()
    (out / "table.json").unlink()
    (out / "another-0.json").unlink()  # as if it had been killed before
    monkeypatch.setattr(
        learners, "WAYS", {**learners.WAYS, "TD sums": Way("a weighted sum for contact and one for races", None)}
    )
    again = study(capsys, "--resume", str(out))  # what is kept is not learnt again
    assert again == first and (out / "table.json").read_bytes() == table


def test_a_forged_result_is_refused_in_one_line(small, capsys, tmp_path):
    out = tmp_path / "run"
    study(capsys, "--out", str(out))
    path = out / "TD-sums-0.json"
    path.write_text(path.read_text().replace('"payoffs"', '"pay"'))
    assert main(["study", "backgammon-learners", "--games", "40", "--seed", "3", "--resume", str(out)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_seeds_of_programs_play_as_the_sums_do():
    network = Learner.begin(0, 1)
    for _ in network.train(1000, (0.03, 0.01)):
        pass
    game = load("backgammon")
    sums, programs = AfterState(brain=NetworkBrain(network.network)), player(as_programs(network.network))
    contact = game.start()
    race = game.position("XGID=-CCCCC-------------ccccc--:0:0:1:00:0:0:0:0:6")
    for state in (contact, race):
        for roll in state.moves()[:12]:
            here = state.play(roll)
            one, other = sums.choose(game, here, seed=1), programs.choose(game, here, seed=1)
            best = [move for move, value in one.values.items() if value > one.value - 1e-9]
            assert other.move in best
