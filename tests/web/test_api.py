"""Every route of the API, and every status that it answers with."""

import json
import re
import secrets

import pytest

from ludwin.cli import main
from ludwin.web.client import ApiFailure


def refused(status, kind="", work=None):
    """Return what is raised by a request that the server refuses."""
    with pytest.raises(ApiFailure) as caught:
        work()
    assert caught.value.status == status, caught.value.error
    assert not kind or caught.value.type == kind
    return caught.value


@pytest.fixture
def table(client):
    """A table of tic-tac-toe for two people."""
    made = client.post("/tables", {"game": "tic-tac-toe", "seats": ["human", "human"], "seed": 1})
    yield made
    client.delete(f"/tables/{made['table']}")


def test_about_tells_no_path_of_the_machine(client, folder):
    about = client.get("/about")
    assert about["api"] == 1
    assert [one["name"] for one in about["folders"]] == [folder.name]
    assert str(folder.parent) not in json.dumps(about)


def test_games_and_agents_are_those_of_the_command_line(client, capsys):
    for word, key in (("games", "game"), ("agents", "agent")):
        assert main([word, "--json"]) == 0
        ours = json.loads(capsys.readouterr().out, parse_constant=lambda word: None)[word]  # JSON has no infinities
        found = [one for one in client.get(f"/{word}")[word] if "source" not in one]
        for one, other in zip(ours, found, strict=True):
            assert {name: other[name] for name in one} == one
        assert all(one[key] for one in found)


def test_openapi_lists_every_route(client):
    paths = client.get("/openapi.json")["paths"]
    for path in ("/api/v1/tables/{number}/moves", "/api/v1/jobs", "/api/v1/events/{number}/games/{game}"):
        assert path in paths


def test_a_game_is_played_to_its_end(client, table):
    for move in ("a1", "b1", "a2", "b2", "a3"):
        table = client.play(table, move)
    assert table["over"]
    assert table["payoffs"] == [1.0, -1.0]
    assert [one["move"] for one in table["history"]] == ["a1", "b1", "a2", "b2", "a3"]
    assert client.get(f"/tables/{table['table']}", ply=2)["ply"] == 2
    refused(422, "GameOver", lambda: client.play(table, "c3"))


def test_a_view_has_what_the_specification_names(table):
    names = "table game ply mover over payoffs position text board moves last history seats thinking hidden"
    assert set(names.split()) <= set(table)
    assert {"code", "move", "path"} <= set(table["moves"][0])
    assert table["board"]["svg"].startswith("<svg")


def test_wrong_moves_are_told_in_one_line(client, table):
    path = f"/tables/{table['table']}/moves"
    assert "z9" in str(refused(422, work=lambda: client.post(path, {"ply": 0, "move": "z9"})))
    refused(422, work=lambda: client.post(path, {"ply": 0, "code": 99}))
    refused(409, "TableMoved", lambda: client.post(path, {"ply": 5, "code": 0}))
    refused(400, work=lambda: client.post(path, {"ply": -1, "code": 0}))
    refused(400, work=lambda: client.post(path, {"ply": 0, "code": 0, "more": 1}))
    refused(422, work=lambda: client.post(path, {"ply": 0, "code": 0, "seat": 1}))


def test_moves_are_taken_back_and_seats_change(client, table):
    path = f"/tables/{table['table']}"
    table = client.play(client.play(table, "a1"), "b2")
    assert client.post(f"{path}/undo", {"to": 1})["ply"] == 1
    assert client.post(f"{path}/undo", {})["ply"] == 0
    refused(422, work=lambda: client.post(f"{path}/undo", {"to": 9}))
    client.post(f"{path}/seats", {"seats": ["human", "alphabeta:depth=9"]})
    view = client.play(client.get(path), "b2")
    assert view["ply"] == 2
    assert view["seats"] == ["human", "alphabeta:depth=9"]
    assert client.post(f"{path}/resign", {"player": 0})["end"] == "resignation"


def test_previews_pictures_and_files(client, table):
    path = f"/tables/{table['table']}"
    preview = client.get(f"{path}/moves/4/preview")
    assert preview["move"] == "b2"
    assert "X" in preview["text"]
    assert client.get(f"{path}/picture.svg").startswith("<svg")
    kept = client.get(f"{path}/save")
    assert kept["format"] == "ludwin-play"
    refused(422, work=lambda: client.get(f"{path}/moves/77/preview"))


def test_a_saved_game_is_loaded_from_a_folder(client, folder, table):
    table = client.play(table, "b2")
    (folder / "kept.json").write_text(json.dumps(client.get(f"/tables/{table['table']}/save")))
    (file,) = client.get("/files", kind="play", fresh=True)["files"]
    loaded = client.post("/tables/load", {"file": file["id"]})
    assert [one["move"] for one in loaded["history"]] == ["b2"]
    client.delete(f"/tables/{loaded['table']}")


def test_a_position_is_an_address(client):
    made = client.post("/tables", {"game": "tic-tac-toe", "position": "X.O/.../..X", "seats": ["human", "human"]})
    again = client.post("/tables", {"game": made["game"], "position": made["position"], "seats": made["seats"]})
    assert again["text"] == made["text"]
    refused(422, work=lambda: client.post("/tables", {"game": "tic-tac-toe", "position": "XXXXX"}))


@pytest.mark.parametrize(
    "game",
    ["./breakthrough.py", "/etc/passwd", "..", "nowhere", "racing:track=/etc/passwd", "nim:heap=../x", "0" * 12, ""],
)
def test_a_request_names_no_files(client, game):
    with pytest.raises(ApiFailure) as caught:
        client.post("/tables", {"game": game})
    assert caught.value.status in (404, 422)
    assert "root:" not in str(caught.value)


@pytest.mark.parametrize(
    "agent",
    [
        "./x.py",
        "process:sh -c id",
        "uci:/bin/sh",
        "xboard:x",
        "evolved:/etc/passwd",
        "derived:x.json",
        "gnubg",
        "no",
        "/x",
    ],
)
def test_a_request_names_no_agent_that_runs_code_or_reads_files(client, agent):
    with pytest.raises(ApiFailure) as caught:
        client.post("/tables", {"game": "tic-tac-toe", "seats": ["human", agent]})
    assert caught.value.status in (404, 422)


def test_a_users_game_runs_only_after_somebody_has_seen_its_text(client, folder):
    text = (folder / "slide.py").read_text().replace("Slide:", f"Slide, {secrets.token_hex(8)}:")
    (folder / "fresh.py").write_text(text)
    client.get("/files", fresh=True)
    (file,) = [one for one in client.get("/games")["games"] if one.get("name") == "fresh.py"]
    assert not file["trusted"]
    told = refused(403, "NotTrusted", lambda: client.post("/tables", {"game": file["game"]}))
    assert "look at its text" in str(told)
    source = client.get(f"/games/{file['game']}/source")
    assert source["texts"][0]["text"] == text
    refused(409, work=lambda: client.post("/games/trust", {"game": file["game"], "fingerprint": "0" * 64}))
    client.post("/games/trust", {"game": file["game"], "fingerprint": source["hash"]})
    view = client.post("/tables", {"game": f"{file['game']}:size=4", "seats": ["human", "random"]})
    assert view["board"]["kind"] == "learnt"
    assert all(move["path"] for move in view["moves"])
    client.delete(f"/tables/{view['table']}")


def test_hidden_things_stay_hidden(client):
    view = client.post("/tables", {"game": "kuhn-poker", "seats": ["human", "human"], "seed": 3})
    number = view["table"]
    cards = []
    for seat in (0, 1):
        seen = client.get(f"/tables/{number}", seat=seat)
        assert seen["hidden"]
        assert seen["position"] is None
        assert "?" in seen["text"]
        cards.append(re.sub(r"\s+", " ", seen["text"]))
        assert bool(seen["moves"]) == (seen["mover"] == seat)
    assert cards[0] != cards[1]
    job = client.post("/jobs", {"kind": "tree", "table": number})
    states = [line.get("state") for line in client.lines(job["job"])]
    assert states[-1] == "failed"
    other = client.post("/tables", {"game": "kuhn-poker", "seats": ["human", "uct:playouts=50"], "seed": 3})
    refused(422, work=lambda: client.get(f"/tables/{other['table']}", seat=1))


def test_a_guest_has_one_seat_of_one_table(client, served, table):
    from ludwin.web.client import Client

    made = client.post(f"/tables/{table['table']}/invite", {"seat": 1})
    guest = Client(f"http://127.0.0.1:{served.port}", made["token"])
    assert guest.get("/about")["guest"] == {"table": table["table"], "seat": 1}
    refused(422, work=lambda: guest.play(table, "a1"))
    table = client.play(table, "a1")
    assert guest.play(table, "b2")["ply"] == 2
    for path in ("/tables", "/jobs", "/games", "/runs", f"/tables/{table['table']}/save"):
        refused(403, "Guest", lambda path=path: guest.get(path))
    refused(403, "Guest", lambda: guest.post(f"/tables/{table['table']}/undo", {}))


def test_an_analysis_deepens_and_ends_when_it_is_told(client, table):
    job = client.post("/jobs", {"kind": "analyse", "table": table["table"], "lines": 2})
    lines = list(client.lines(job["job"]))
    assert lines[-1]["state"] == "done"
    last = [line for line in lines if line["kind"] == "line"][-1]
    assert last["decided"]
    assert last["bar"] == 0.5
    assert len(last["lines"]) == 2
    endless = client.post("/jobs", {"kind": "analyse", "table": table["table"], "agent": "uct:playouts=1000000000"})
    next(line for line in client.lines(endless["job"]) if line["kind"] == "line")
    client.delete(f"/jobs/{endless['job']}")
    assert client.get(f"/jobs/{endless['job']}")["state"] == "cancelled"
    client.delete(f"/jobs/{endless['job']}")  # twice is fine
    refused(404, work=lambda: client.get("/jobs/nothing"))


def test_hints_trees_and_judged_games(client, table):
    for move in ("a1", "b1", "a2", "b2", "c3"):
        table = client.play(table, move)
    hint = client.post("/jobs", {"kind": "hint", "table": table["table"]})
    found = [line for line in client.lines(hint["job"]) if line["kind"] == "line"]
    assert found[-1]["move"] == "b3"
    tree = client.post("/jobs", {"kind": "tree", "table": table["table"], "agent": "mcts:playouts=100"})
    assert list(client.lines(tree["job"]))[-1]["state"] == "done"
    nodes = client.get(f"/jobs/{tree['job']}/tree", limit=10)
    assert nodes["nodes"][0]["visits"] == 100
    assert len(nodes["nodes"]) >= 10
    below = client.get(f"/jobs/{tree['job']}/tree", node=nodes["nodes"][1]["id"])
    assert below["nodes"][1]["id"] == nodes["nodes"][1]["id"]
    judged = client.post("/jobs", {"kind": "game", "table": table["table"], "agent": "alphabeta:depth=9"})
    (game,) = [line for line in client.lines(judged["job"]) if line["kind"] == "game"]
    assert [one["verdict"] for one in game["moves"]][-1] in ("missed win", "losing move")
    assert len(game["bars"]) == 6


def test_an_event_is_read_filtered_and_replayed(client):
    (event,) = [one for one in client.get("/events")["events"] if one["name"] == "event.jsonl"]
    found = client.get(f"/events/{event['id']}")
    assert found["played"] == 6
    games = client.get(f"/events/{event['id']}/games", agent="random", seat=0)
    assert games["total"] == 3
    assert all(one["agents"][0] == "random" for one in games["games"])
    view = client.get(f"/events/{event['id']}/games/1", ply=2)
    assert view["ply"] == 2
    assert view["facts"]["record"]["agents"] == ["random", "uct:playouts=20"]
    refused(422, work=lambda: client.get(f"/events/{event['id']}/games/99"))
    refused(404, work=lambda: client.get("/events/000000000000"))
    refused(422, work=lambda: client.get(f"/events/{event['id']}/games/0/film"))


def test_a_run_is_read(client, folder):
    (run,) = [one for one in client.get("/runs")["runs"] if one["name"] == "runs/one"]
    assert run["finished"]
    assert str(folder) not in json.dumps(run)
    found = client.get(f"/runs/{run['id']}")
    assert [point["number"] for point in found["branches"]["evolution"]["points"]] == [0, 1, 2, 3, 4]
    assert len(client.get(f"/runs/{run['id']}/points", since=2)["points"]) == 2
    assert client.get(f"/runs/{run['id']}/measures")["measures"]["yardstick"]
    individuals = client.get(f"/runs/{run['id']}/generations/4")["individuals"]
    assert len(individuals) == 12
    assert client.get(f"/runs/{run['id']}/individuals/evolution/4/3")["number"] == 3
    refused(404, work=lambda: client.get(f"/runs/{run['id']}/individuals/evolution/4/99"))
    assert client.get(f"/runs/{run['id']}/champion")["facts"]["experiment"] == "onemax"
    same = client.get("/runs/compare", a=run["id"], b=run["id"])
    assert same["settings"] == {}


def test_a_derivation_is_read(client):
    (one,) = client.get("/derivations")["derivations"]
    found = client.get(f"/derivations/{one['id']}")
    assert found["steps"]
    assert found["result"]
    clauses = set(found["seed"])
    for step in found["steps"]:
        assert set(step["removed"]) <= clauses, step["rule"]
        clauses = (clauses - set(step["removed"])) | set(step["added"])


def test_a_language_is_looked_at(client):
    toml = client.get("/languages", game="draughts")["toml"]
    found = client.post("/languages/check", {"toml": toml, "game": "draughts"})
    assert found["ok"]
    assert len(found["programs"]) == 20
    assert all(one["value"] is not None for one in found["programs"])
    spoilt = client.post("/languages/check", {"toml": toml.replace('rule = "', 'rule = "1 +* ', 1), "game": "draughts"})
    assert not spoilt["ok"]
    assert toml.splitlines()[spoilt["line"] - 1]
    assert client.post("/languages/check", {"toml": "x = [", "game": None})["line"] == 1


def test_files_are_written_where_the_server_may_and_checked(client, folder):
    text = (folder / "slide.py").read_text()
    shelf = client.get("/about")["folders"][0]["id"]
    file = client.post("/files", {"folder": shelf, "name": "edited.py", "text": text})
    read = client.get(f"/files/{file['id']}/text")
    bad = client.put(f"/files/{file['id']}", {"text": text.replace("s.left -= 1", "s.lost -= 1"), "hash": read["hash"]})
    assert not bad["check"]["ok"]
    assert bad["check"]["line"] == text[: text.index("s.left -= 1")].count("\n") + 1
    refused(409, work=lambda: client.put(f"/files/{file['id']}", {"text": text, "hash": read["hash"]}))
    good = client.put(f"/files/{file['id']}", {"text": text, "hash": bad["hash"]})
    assert good["check"]["ok"]
    for name in ("../x.py", "/tmp/x.py", ".x.py", "x.sh", "a/b.py", "a b.py"):
        refused(422, work=lambda name=name: client.post("/files", {"folder": shelf, "name": name, "text": "#"}))


def test_links_out_of_a_folder_and_devices_are_not_followed(client, folder, tmp_path):
    (tmp_path / "secret.jsonl").write_text((folder / "event.jsonl").read_text())
    (folder / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (folder / "away").symlink_to(tmp_path)
    client.get("/files", fresh=True)
    names = [one["name"] for one in client.get("/files")["files"]]
    assert not any("link" in name or "away" in name or "secret" in name for name in names)
    # A file that becomes a link after it was listed is not read either.
    (folder / "later.jsonl").write_text((folder / "event.jsonl").read_text())
    client.get("/files", fresh=True)
    (one,) = [one for one in client.get("/events")["events"] if one["name"] == "later.jsonl"]
    (folder / "later.jsonl").unlink()
    (folder / "later.jsonl").symlink_to(tmp_path / "secret.jsonl")
    assert "leads out" in str(refused(422, work=lambda: client.get(f"/events/{one['id']}")))
    (folder / "later.jsonl").unlink()
    refused(404, work=lambda: client.get(f"/events/{one['id']}"))


def test_commands_are_jobs_that_end_when_they_are_told(client):
    job = client.post("/jobs", {"kind": "match", "game": "tic-tac-toe", "agents": ["random", "random"], "games": 2})
    assert list(client.lines(job["job"]))[-1]["state"] == "done"
    long = client.post("/jobs", {"kind": "match", "game": "chess", "agents": ["uct", "uct"], "games": 1000})
    next(line for line in client.lines(long["job"]) if line.get("state") == "running")
    client.delete(f"/jobs/{long['job']}")
    assert client.get(f"/jobs/{long['job']}")["state"] in ("cancelled", "killed")
    refused(422, work=lambda: client.post("/jobs", {"kind": "rm"}))
    refused(400, work=lambda: client.post("/jobs", {"kind": "evolve", "name": "x; rm -rf"}))
    refused(400, work=lambda: client.post("/jobs", {"kind": "evolve", "name": "--out"}))
    refused(422, work=lambda: client.post("/jobs", {"kind": "evolve", "name": "onemax", "set": {"a": "/etc/x"}}))
