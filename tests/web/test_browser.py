"""People walk through the page, in the Chromium of Debian: each walk is a function of web/tests/walks.mjs."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.web.conftest import Served

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = (
    "node is missing"
    if not shutil.which("node")
    else "playwright-core is missing: run `npm ci --ignore-scripts` in web/"
    if not (ROOT / "web" / "node_modules" / "playwright-core").is_dir()
    else ""
    if CHROMIUM
    else "chromium is missing"
)
pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


def walk(served, name: str, **given):
    """Let somebody walk, and return what they have seen; an error of the page is a failure."""
    shots = os.environ.get("LUDWIN_SHOTS")
    facts = {"walk": name, "url": served.url, "chromium": CHROMIUM, **({"shots": shots} if shots else {}), **given}
    done = subprocess.run(
        ["node", "tests/walks.mjs", json.dumps(facts)], cwd=ROOT / "web", capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["problems"] == [], found
    return found["facts"]


def test_tic_tac_toe_is_played_to_its_end_by_clicks(served):
    facts = walk(served, "clicks", patience=60000)
    assert facts["result"]
    assert facts["hint"].startswith("hint: ")
    assert facts["dots"] >= 1  # where one may go is shown at every turn of a person's


@pytest.mark.thorough
def test_a_whole_game_needs_no_mouse(served):
    facts = walk(served, "keyboard", patience=60000)
    assert "won" in facts["result"] or "draw" in facts["result"]


@pytest.mark.thorough
def test_a_cell_with_several_moves_opens_a_menu_with_previews(served):
    assert walk(served, "menu", patience=60000)["choices"] >= 2


@pytest.mark.thorough
def test_an_analysis_is_watched_stopped_and_begun_anew_and_its_tree_explored(served):
    facts = walk(served, "analysis", patience=60000)
    assert facts["lines"] == 3
    assert facts["arrows"] >= 1
    assert facts["nodes"] == 60


@pytest.mark.thorough
def test_a_player_loses_to_hard_by_clicks_and_sees_where(served):
    facts = walk(served, "player", patience=60000)
    assert facts["dragged"]
    assert "player" in facts["result"] or "draw" in facts["result"]
    assert "first player above" in facts["curve"]


@pytest.mark.thorough
def test_an_experimenter_watches_a_tournament_replays_a_game_and_analyses_it(served):
    facts = walk(served, "experimenter", event="event.jsonl", patience=60000)
    assert facts["rows"] == 6
    assert facts["replayed"].startswith("ply ")
    assert facts["line"]
    watched = walk(served, "tournament", patience=60000)
    assert "uct:playouts=200" in watched["standing"]
    assert watched["first"] == 30


@pytest.mark.thorough
def test_an_evolver_watches_a_run_live_and_plays_its_champion(folder, tmp_path):
    from ludwin.cli import main

    small = ["--set", "generations=2", "--set", "population=10", "--preset", "quick"]
    assert main(["evolve", "tic-tac-toe", *small, "--out", str(folder / "runs" / "board"), "--seed", "3"]) == 0
    own = Served(folder, tmp_path)
    try:
        runs = own.client().get("/runs")["runs"]
        (champion,) = [one["id"] for one in runs if one["name"] == "runs/board"]
        facts = walk(own, "evolver", champion=champion, patience=90000)
    finally:
        own.end()
    assert facts["plots"] >= 3
    assert facts["played"]


@pytest.mark.thorough
def test_a_reader_steps_to_the_end_of_a_derivation(served):
    facts = walk(served, "reader", derivation="derivation.json", patience=60000)
    assert facts["end"] == f"step {facts['steps']} of {facts['steps']}"
    assert facts["tree"] == 1


@pytest.mark.thorough
def test_a_student_is_shown_the_line_of_a_mistake_mends_it_and_plays(served, folder):
    import secrets

    text = (folder / "breakthrough.py").read_text()
    (folder / "student.py").write_text(f"# {secrets.token_hex(8)}\n{text}")
    served.client().get("/files", fresh=True)
    facts = walk(served, "student", file="student.py", patience=60000)
    assert "student.py:" in facts["marked"]
    assert "nothing" in facts["marked"]
    assert facts["arrow"]
    assert facts["kind"] == "learnt"


@pytest.mark.thorough
def test_a_language_is_edited_and_its_mistake_is_told_at_once(served):
    facts = walk(served, "language", patience=60000)
    assert facts["programs"] == 20
    assert facts["told"].startswith("line ")


@pytest.mark.thorough
def test_two_browsers_play_each_other_and_the_guest_sees_one_seat(served):
    facts = walk(served, "two", patience=60000)
    assert facts == {"places": 0, "other": 403, "refused": 422, "ply": 2}


@pytest.mark.thorough
def test_alpha_beta_is_seen_depth_by_depth_and_a_move_opens_into_its_answers(served):
    facts = walk(served, "levels", patience=60000)
    assert facts["moves"] == 7  # the first moves of draughts
    assert facts["answers"] == 7
    assert "player 1 to move" in facts["who"]


@pytest.mark.thorough
def test_a_game_for_three_has_a_bar_for_each_player(served):
    facts = walk(served, "three", patience=60000)
    assert facts["bars"] == 3
    assert facts["words"].startswith("evaluation: player 0 ")


@pytest.mark.thorough
def test_no_screen_has_a_serious_fault_for_those_who_read_it_otherwise(served):
    client = served.client()
    event = client.get("/events")["events"][0]["id"]
    run = client.get("/runs")["runs"][0]["id"]
    derivation = client.get("/derivations")["derivations"][0]["id"]
    game = next(one["game"] for one in client.get("/games")["games"] if one.get("source"))
    paths = [f"/e/{event}", f"/e/{event}/0", f"/r/{run}", f"/r/{run}/g/1/0", f"/d/{derivation}?step=2"]
    paths += ["/l/of?game=reversi", f"/g/{game}", f"/new?game={game}", "/t/TABLE/levels?ply=3"]
    facts = walk(served, "screens", paths=paths, patience=60000, all=bool(os.environ.get("LUDWIN_SHOTS")))
    assert not any(facts.values()), facts


@pytest.mark.thorough
def test_an_address_outlives_a_reload_and_the_server(folder, tmp_path):
    first = Served(folder, tmp_path)
    table = walk(first, "address", patience=60000)["table"]
    first.end()
    second = Served(folder, tmp_path)
    try:
        assert walk(second, "address", table=table, patience=60000)["where"].startswith("ply 1/")
    finally:
        second.end()
