"""The arena's commands: what they print, what they refuse, and how they exit."""

import json

import pytest

from ludwin.cli import main

EVENT = ["tic-tac-toe", "greedy", "random", "--mode", "plain"]


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run a command in a folder of its own; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def do(*words):
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        return code, out, err

    return do


def test_match_tells_score_and_intervals(run):
    code, out, _ = run("match", "nim", "alphabeta:depth=21", "random", "--games", 4, "--mode", "plain")
    assert code == 0
    assert out.splitlines()[:2] == [
        "nim: alphabeta:depth=21 against random, 4 games, seed 0",
        "  4 wins, 0 draws, 0 losses: score 1.000 [0.158, 1.000]",
    ]


def test_match_json_has_the_promised_keys(run):
    code, out, _ = run("match", *EVENT, "--games", 6, "--json", "--sprt", "0,100")
    data = json.loads(out)
    assert code == 0 and out.count("\n") == 1
    assert data["games"] == 6 == data["wins"] + data["draws"] + data["losses"]
    assert data["score"] == (data["wins"] + data["draws"] / 2) / 6
    assert data["low"] <= data["score"] <= data["high"]
    assert set(data["elo"]) == {"value", "low", "high"}
    assert data["sprt"]["verdict"] == "continue"
    assert sum(data["pentanomial"]) == 3


@pytest.mark.parametrize(
    "words",
    [
        ["nim", "random", "greedy", "--games", "2", "--sprt", "-5,5"],
        ["--games", "2", "--sprt=-5,5", "nim", "random", "greedy"],
        ["nim", "--games", "2", "random", "--sprt", "-5,5", "greedy"],
    ],
)
def test_options_may_stand_anywhere(run, words):
    code, out, _ = run("match", *words, "--json", "--mode", "plain")
    data = json.loads(out)
    assert (code, data["game"], data["agents"], data["games"], data["sprt"]["low"]) == (
        0,
        "nim",
        ["random", "greedy"],
        2,
        -5,
    )


def test_unknown_options_are_refused(run):
    code, _, err = run("match", "nim", "random", "random", "--gmaes", 4)
    assert code == 2 and "unrecognized arguments: --gmaes" in err
    assert run("perft", "nim", 2, 3)[0] == 2


def test_odd_games_are_refused(run):
    assert run("match", *EVENT, "--games", 3)[0] == 2
    code, out, err = run("tournament", *EVENT, "--games", 3)
    assert (code, out) == (2, "")
    assert err == "ludwin: games must be even and at least 2, so that each side begins as often, got 3\n"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["match"], "name a GAME and the AGENTs"),
        (["match", "nim", "random"], "a match is between two agents"),
        (["match", "nim", "random", "random", "random"], "`ludwin tournament` takes more"),
        (["match", "pig:players=3", "random", "random"], "a match is between two agents"),
        (["tournament", "nim", "random"], "2 players, got 1 agent"),
        (["tournament", "nim", "random", "random", "--out", "x.pdn"], "PDN is for draughts"),
        (["tournament", "nim", "random", "random", "--format", "league"], "invalid choice"),
        (["match", "--resume", "nothing.jsonl"], "cannot read nothing.jsonl"),
        (["replay", "nothing.jsonl"], "cannot read nothing.jsonl"),
        (["rate", "nothing.pdn"], "cannot read nothing.pdn"),
    ],
)
def test_misuse_is_one_line_and_exit_2(run, words, reason):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert reason in err and err.count("\n") == 1


def test_tournament_prints_a_crosstable(run):
    code, out, _ = run("tournament", "tic-tac-toe", "random", "greedy", "random", "--games", 2, "--mode", "plain")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "tic-tac-toe: round-robin of 3 agents, 6 games, seed 0"
    assert lines[1].split() == ["agent", "Elo", "95", "%", "games", "results", "score", "1", "2", "3"]
    assert {line.split()[1] for line in lines[2:]} == {"random", "greedy", "random#2"}


def test_tournament_json_has_ratings_and_results_of_each_pair(run):
    _, out, _ = run(
        "tournament", "tic-tac-toe", "random", "greedy", "random", "--games", 2, "--mode", "plain", "--json"
    )
    data = json.loads(out)
    assert [row["games"] for row in data["ratings"]] == [4, 4, 4]
    assert [(row["first"], row["second"]) for row in data["crosstable"]] == [
        ("random", "greedy"),
        ("random", "random#2"),
        ("greedy", "random#2"),
    ]


def test_many_players_have_payoffs(run):
    _, out, _ = run(
        "tournament", "pig:players=3,goal=10", "random", "random", "random", "--games", 3, "--mode", "plain", "--json"
    )
    data = json.loads(out)
    assert sum(row["mean"] for row in data["payoffs"]) == pytest.approx(0)


def test_records_are_resumed_replayed_and_rated(run):
    _, first, _ = run("match", *EVENT, "--games", 6, "--out", "a.jsonl", "--json")
    assert run("match", "--resume", "a.jsonl", "--json", "--mode", "plain")[1] == first
    code, out, _ = run("replay", "a.jsonl")
    assert (code, out) == (0, "6 games of tic-tac-toe: all replay to their payoffs\n")
    _, out, _ = run("rate", "a.jsonl", "--json")
    rated, played = json.loads(out), json.loads(first)
    assert {key: rated["crosstable"][0][key] for key in ("games", "wins", "draws", "losses", "elo")} == {
        key: played[key] for key in ("games", "wins", "draws", "losses", "elo")
    }
    run("match", *EVENT, "--games", 4, "--seed", 1, "--out", "b.jsonl")
    assert "10 games of 2 agents" in run("rate", "a.jsonl", "b.jsonl")[1]


def test_resume_with_another_setting_is_refused(run):
    run("match", *EVENT, "--games", 6, "--out", "a.jsonl")
    code, _, err = run("match", "--resume", "a.jsonl", "--seed", 4)
    assert (code, err) == (2, "ludwin: a.jsonl is another event: its seed is 0, not 4\n")
    code, _, err = run("match", "nim", "greedy", "random", "--resume", "a.jsonl")
    assert (code, err) == (2, "ludwin: a.jsonl is another event: its game is tic-tac-toe, not nim\n")


def test_replay_shows_a_game_board_by_board(run):
    run("match", *EVENT, "--games", 2, "--out", "a.jsonl", "--openings", 2)
    code, out, _ = run("replay", "a.jsonl", "--game", 1, "--plies", 1)
    assert code == 0
    assert out.startswith("game 1 of tic-tac-toe: player 0 is random, player 1 is greedy\nopening: ")
    assert out.count("to move") == 2
    _, out, _ = run("replay", "a.jsonl", "--game", 1)
    assert "\nthe game ended by rules; payoffs 0: " in out
    data = json.loads(run("replay", "a.jsonl", "--game", 1, "--json")[1])
    assert data["opening"] == 2 and len(data["moves"]) > 4 and set(data["moves"][0]) == {"move", "code"}
    assert run("replay", "a.jsonl", "--game", 2)[2] == "ludwin: a.jsonl has no game 2; the first is game 0\n"


def test_replay_of_a_tampered_file_fails(run, tmp_path):
    run("match", *EVENT, "--games", 4, "--out", "a.jsonl")
    path = tmp_path / "a.jsonl"
    lines = path.read_text().splitlines()
    data = json.loads(lines[3])
    data["payoffs"] = [5, -5]
    path.write_text("\n".join([*lines[:3], json.dumps(data), *lines[4:]]) + "\n")
    code, out, _ = run("replay", "a.jsonl")
    assert code == 1
    assert out.splitlines()[0].startswith("a.jsonl:4: game 2: payoffs should be [")
    code, out, _ = run("replay", "a.jsonl", "--json")
    assert code == 1 and json.loads(out)["faults"][0]["line"] == 4


def test_draughts_are_written_as_pdn_too(run, tmp_path):
    words = [
        "draughts",
        "random",
        "random",
        "--games",
        2,
        "--openings",
        "ballots",
        "--mode",
        "plain",
        "--adjudicate",
        "plies=20",
    ]
    code, _, err = run("match", *words, "--out", "a.pdn")
    assert (code, err) == (0, "ludwin: a.pdn holds the games in PDN, a.jsonl the records\n")
    assert run("replay", "a.pdn")[1] == "2 games of draughts: all replay to their payoffs\n"
    assert "2 games of 2 agents" in run("rate", "a.pdn")[1]
    assert run("match", "--resume", "a.pdn", "--mode", "plain")[0] == 0


def test_different_games_are_not_rated_together(run):
    run("match", *EVENT, "--games", 2, "--out", "a.jsonl")
    run("match", "nim", "random", "random", "--games", 2, "--out", "b.jsonl", "--mode", "plain")
    assert "cannot be compared: tic-tac-toe, nim" in run("rate", "a.jsonl", "b.jsonl")[2]
