"""The command `solve`: plans, checks of plans, many positions, resume, films."""

import json
import re

import pytest

from ludwin import load
from ludwin.cli import main

GAME = "tiles:rows=2,columns=3"


def run(capsys, *words):
    code = main(["solve", *words])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_one_position_as_json_has_the_promised_keys(capsys):
    code, out, _ = run(capsys, GAME, "bfs", "--mode", "plain", "--json")
    data = json.loads(out)
    assert code == 0
    assert {"solved", "optimal", "length", "nodes", "distinct", "seconds", "plan"} <= set(data)
    assert data["solved"] and data["optimal"] and data["length"] == len(data["plan"]) == data["cost"]


def test_a_plan_is_kept_and_checked_and_a_spoilt_one_is_found(capsys, tmp_path):
    plan = tmp_path / "plan.json"
    assert run(capsys, GAME, "astar", "--mode", "plain", "--plan", str(plan))[0] == 0
    code, out, _ = run(capsys, GAME, "--check", str(plan))
    assert code == 0 and "solves the position" in out
    assert run(capsys, "--check", str(plan)) == (code, out, "")  # the plan names its game
    data = json.loads(plan.read_text())
    rules = tmp_path / "rules.py"
    rules.write_text("raise SystemExit('a stranger ran')\n")
    plan.write_text(json.dumps({**data, "game": str(rules)}))
    code, out, err = run(capsys, "--check", str(plan))
    assert (code, out) == (2, "") and "which are code; name their file" in err
    plan.write_text("1 2 3\n")
    assert "does not say of which game" in run(capsys, "--check", str(plan))[2]
    for spoilt, reason in (
        (data["moves"][:-1], "the position is not solved"),
        ([data["moves"][0], *data["moves"]], "move"),
        (["99", *data["moves"][1:]], "move 1 of"),
    ):
        plan.write_text(json.dumps({**data, "moves": spoilt}))
        code, out, _ = run(capsys, GAME, "--check", str(plan), "--json")
        assert code in (0, 1) and (code == 0) == json.loads(out)["solved"]
        if code:
            assert reason in json.loads(out)["reason"]
    plan.write_text("# somebody else's\n" + " ".join(data["moves"]))
    assert run(capsys, GAME, "--check", str(plan))[0] == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"format": "ludwin-plan"}', "version"),
        ('{"format": "ludwin-plan", "version": 1, "game": "tiles:rows=2", "position": "#1", "moves": [3]}', "moves"),
        ('{"format": "ludwin-plan", "version": 2, "game": "x", "position": "#1", "moves": []}', "newer"),
        ('{"format": "ludwin-plan", "version": 1, "game": "nim", "position": "#1", "moves": []}', "a plan for 'nim'"),
        ("{", "no plan"),
    ],
)
def test_a_forged_plan_is_refused_in_one_line(capsys, tmp_path, text, reason):
    plan = tmp_path / "plan.json"
    plan.write_text(text)
    code, _, err = run(capsys, GAME, "--check", str(plan))
    assert code == 2 and reason in err and err.count("\n") == 1


def test_many_positions_go_on_where_they_were_and_end_the_same(capsys, tmp_path):
    out = tmp_path / "found.jsonl"
    line = (GAME, "astar", "--from", "#1..6", "--mode", "plain", "--json", "--out", str(out))
    whole = json.loads(run(capsys, *line)[1])
    lines = out.read_text().splitlines(keepends=True)
    assert whole["positions"] == 6 and len(lines) == 7
    out.write_text("".join(lines[:4]) + lines[4][:20])  # killed in the middle of a line
    assert json.loads(run(capsys, *line)[1]) == whole
    assert out.read_text() == "".join(lines)
    alone = json.loads(run(capsys, *line[:-2], "--workers", "2")[1])
    assert alone == whole


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda rows: [rows[0].replace('"seed": 0', '"seed": 1'), *rows[1:]], "it was begun with seed 1"),
        (lambda rows: [rows[0], rows[2]], "'number' must be 0"),
        (lambda rows: [rows[0], rows[1].replace('"solved"', '"perhaps"')], "must be one of solved"),
        (lambda rows: [rows[0], "[]\n"], "must be an object"),
        (lambda rows: ["hello\n"], "not JSON"),
    ],
)
def test_a_file_of_other_solutions_is_refused(capsys, tmp_path, change, reason):
    out = tmp_path / "found.jsonl"
    line = (GAME, "astar", "--from", "#1..3", "--mode", "plain", "--out", str(out))
    assert run(capsys, *line)[0] == 0
    rows = out.read_text().splitlines(keepends=True)
    out.write_text("".join(change(rows)))
    code, _, err = run(capsys, *line)
    assert code == 2 and reason in err


def test_positions_come_from_a_file_with_names_and_remarks(capsys, tmp_path):
    file = tmp_path / "boards.txt"
    file.write_text("# two boards\nfirst 1 2 3/4 0 5\n\n1 2 3/0 4 5\n")
    code, out, _ = run(capsys, GAME, "bfs", "--from", str(file), "--mode", "plain", "--json")
    assert code == 0 and [row["length"] for row in json.loads(out)["rows"]] == [1, 2]
    file.write_text("1 2 3/4 0 5\nnonsense\n")
    code, _, err = run(capsys, GAME, "bfs", "--from", str(file), "--mode", "plain")
    assert code == 2 and "boards.txt:2" in err


def test_a_file_may_hold_one_position_of_several_lines(capsys, tmp_path):
    file = tmp_path / "deal.txt"
    deal = ["JD KD 2S 4C 3S 6D 6S", "2D KC KS 5C 10D 8S 9C", "9H 9S 9D TS 4S 8D 2H", "JC 5S QD QH TH QS 6H"]
    deal += ["5D AD JS 4H 8H 6C", "7H QC AS AC 2C 3D", "7C KH AH 4D JH 8C", "5H 3H 3C 7S 7D TC"]
    file.write_text("\n".join(["# as fc-solve's generator writes it", *deal]) + "\n")
    code, out, _ = run(capsys, "freecell", "bfs:nodes=9", "--from", str(file), "--json")
    assert code == 0 and json.loads(out)["position"].startswith("JD KD 2S 4C 3S 6D 6S / 2D KC")
    file.write_text("\n".join(deal[:-1]))
    code, _, err = run(capsys, "freecell", "bfs", "--from", str(file))
    assert code == 2 and err.startswith(f"ludwin: {file}:1: freecell") and err.count("\n") == 1
    file.write_text("\n".join(deal).replace("6S", ""))
    code, _, err = run(capsys, "freecell", "bfs", "--from", str(file))
    assert code == 2 and "and all lines as one position: " in err and "got 51: 6S missing" in err
    file.write_text("\ufeff" + "\n".join(deal))  # as some editors begin a text
    code, out, _ = run(capsys, "freecell", "bfs:nodes=9", "--from", str(file), "--json")
    assert code == 0 and json.loads(out)["position"].startswith("JD KD 2S 4C 3S 6D 6S / 2D KC")


@pytest.mark.parametrize(
    ("game", "line", "reason"),
    [
        ("tiles:rows=2,columns=3", "1 1 2 3 4 0 5", "each number from 0 to 5"),
        ("freecell", "6S {}", "6S is there twice"),
    ],
)
def test_what_is_there_twice_is_no_name_of_the_position(capsys, tmp_path, game, line, reason):
    file = tmp_path / "positions.txt"
    file.write_text(line.format(load("freecell").start().write()) + "\n")
    code, out, err = run(capsys, game, "bfs:nodes=9", "--from", str(file), "--mode", "plain")
    assert (code, out) == (2, "") and reason in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda row: row.update(plan=["Z+9"] * len(row["plan"])), "solution 1 is no plan: move 1 of"),
        (lambda row: row.update(plan=row["plan"][1:], length=row["length"] - 1), "solution 1 is no plan"),
        (lambda row: row.update(cost=1.0), "solution 1 is no plan: it costs"),
        (lambda row: row.update(plan=row["plan"][1:]), "'length' must be"),
        (lambda row: row.update(status="unsolvable"), "'length' must be"),
        (lambda row: row.update(status="unsolvable", plan=[], length=None), "do not go with 'status'"),
        (lambda row: row.update(why="nodes"), "'why' does not go with"),
    ],
)
def test_solutions_that_somebody_has_changed_are_refused(capsys, tmp_path, change, reason):
    out = tmp_path / "found.jsonl"
    line = ("parking", "bfs", "--from", "#1..2", "--out", str(out), "--json")
    assert run(capsys, *line)[0] == 0
    rows = [json.loads(one) for one in out.read_text().splitlines()]
    change(rows[1])
    out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = run(capsys, *line)
    assert code == 2 and reason in err


def test_films_show_every_position(capsys, tmp_path):
    svg, html = tmp_path / "a.svg", tmp_path / "a.html"
    code, out, _ = run(capsys, GAME, "bfs", "--mode", "plain", "--json", "--svg", str(svg), "--html", str(html))
    length = json.loads(out)["length"]
    from xml.etree import ElementTree

    film = ElementTree.fromstring(svg.read_text())
    frames = film.findall("{http://www.w3.org/2000/svg}g")
    assert code == 0 and len(frames) == length + 1
    assert html.read_text().count("<figure") == length + 1
    assert not re.search(r"https?://(?!www\.w3\.org)", html.read_text())


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("nim", "bfs"), "games of one player"),
        ((GAME, "uct"), "makes no plans"),
        ((GAME,), "give an AGENT"),
        ((GAME, "bfs", "--check", "x"), "give an AGENT"),
        ((GAME, "bfs", "--from", "#9..1"), "is no range"),
        ((GAME, "bfs", "--from", "#1..3", "--plan", "x"), "is for one position"),
        ((GAME, "bfs", "--out", "x", "--plan", "x"), "--out is for many: leave one of them out"),
        ((GAME, "--check", "/nowhere/plan"), "cannot read"),
        ((GAME, "bfs:memory=x"), "memory is a size"),
        ((GAME, "bfs", "--svg", "x", "--html", "./x"), "--svg and --html are one file, './x'"),
        ((GAME, "id:increment=1e-9", "--from", "2 1 3/4 5 0", "--plan", "/nowhere/x"), "there is no folder '/nowhere'"),
        ((GAME, "id:increment=1e-9", "--from", "2 1 3/4 5 0", "--html", "/"), "'/' is a folder"),
    ],
)
def test_misuse_is_one_line(capsys, words, reason):
    code, out, err = run(capsys, *words)
    assert code == 2 and out == "" and reason in err and err.count("\n") == 1


def test_a_plan_that_was_not_found_is_told_not_to_be_written(capsys, tmp_path):
    plan, film = tmp_path / "a.json", tmp_path / "a.svg"
    line = (GAME, "bfs", "--mode", "plain", "--from", "2 1 3/4 5 0", "--plan", str(plan), "--svg", str(film))
    code, out, err = run(capsys, *line)
    assert code == 0 and "proved unsolvable" in out and not plan.exists() and not film.exists()
    assert f"there is no plan, so nothing is written to {plan}, {film}" in err


def test_no_picture_takes_the_place_of_the_plan_that_is_checked(capsys, tmp_path):
    plan = tmp_path / "a.json"
    assert run(capsys, GAME, "bfs", "--mode", "plain", "--plan", str(plan))[0] == 0
    code, _, err = run(capsys, "--check", str(plan), "--html", str(plan))
    assert code == 2 and "--check and --html are one file" in err
    assert run(capsys, "--check", str(plan))[0] == 0


def test_a_file_that_cannot_be_written_is_refused_before_the_search(capsys, monkeypatch):
    monkeypatch.setattr("ludwin.search.puzzles.solver.Solver.solve", lambda *_, **__: pytest.fail("it has searched"))
    for option in ("--plan", "--svg", "--html"):
        assert run(capsys, GAME, "bfs", option, "/nowhere/x", "--mode", "plain")[0] == 2


def test_more_memory_than_there_is_is_one_line(capsys, monkeypatch):
    def refuse(size):
        raise OSError

    monkeypatch.setattr("ludwin.kernel.memory._map", refuse)
    code, out, err = run(capsys, GAME, "bfs:memory=900G")
    assert code == 2 and out == "" and "bfs: memory=900G is too much" in err.splitlines()[-1]


def test_a_person_may_ask_for_a_hint_in_a_puzzle():
    from ludwin import load
    from ludwin.play.session import open_session

    session = open_session(load(GAME), start=load(GAME).position("1 2 3/4 0 5"), mode="plain")
    hint = session.hint(None)
    assert hint.move == "5" and hint.choice.decided and "astar" in str(hint.agent)


@pytest.mark.parametrize("position", ["", " ", "#٣", "#١..٣", "0 2 h ٢", "AA...OP..Q.OPXXQ.OP..Q..B...CCB.RRR"])
def test_what_is_no_position_is_one_line_before_anything_is_compiled(capsys, position):
    code, out, err = run(capsys, "parking", "bfs", "--from", position)
    assert (code, out) == (2, "") and err.count("\n") == 1 and err.startswith("ludwin: parking: cannot read")
    code, out, err = run(capsys, "parking", "bfs", "--from", position, "--json")
    assert code == 2 and json.loads(out)["error"]["kind"] == "BadPosition"


def test_one_bad_line_among_many_positions_is_named(capsys, tmp_path):
    many = tmp_path / "many.txt"
    many.write_text("#1\n#2\nAA...OP..Q.OPXXQ.OP..Q..B...CCB.RRR\n#3\n")
    code, out, err = run(capsys, "parking", "bfs", "--from", str(many))
    assert (code, out) == (2, "") and err.count("\n") == 1 and "many.txt:3: parking" in err and "got 35" in err


def test_digits_of_deals_and_tiles_are_those_from_0_to_9(capsys):
    for game, position in (("freecell", "#٦١٧"), ("tiles:rows=2,columns=3", "١ 2 3 4 5 0"), ("tiles", "#٧")):
        code, out, err = run(capsys, game, "bfs", "--from", position)
        assert (code, out) == (2, "") and err.count("\n") == 1 and "cannot read" in err
