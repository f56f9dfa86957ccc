"""What a game file, a search or a signal can do to the server: nothing. And what is left behind: nothing."""

import os
import secrets
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

from ludwin.web.client import ApiFailure
from tests.web.conftest import GAMES, Served, children_of, is_alive, until

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked at in /proc")

TEXT = (GAMES / "slide.py").read_text()


def trusted(client, folder: Path, name: str, text: str) -> str:
    """Put a game file into the folder, agree to it, and return its id."""
    (folder / name).write_text(f"# {secrets.token_hex(8)}\n" + text)
    client.get("/files", fresh=True)
    (file,) = [one for one in client.get("/games")["games"] if one.get("name") == name]
    source = client.get(f"/games/{file['game']}/source")
    client.post("/games/trust", {"game": file["game"], "fingerprint": source["hash"]})
    return file["game"]


def evil(what: str, sign: Path) -> str:
    """Return a game that is harmless until a sign is there, and then does something when it is drawn."""
    body = f"import os, time, ctypes\n    if os.path.exists({str(sign)!r}):\n        {what}"
    return TEXT.replace("def show(s):\n", f"def show(s):\n    {body}\n")


FORGED = """for handle in range(3, 20):
            if os.path.exists(f"/proc/self/fd/{handle}") and "socket" in os.readlink(f"/proc/self/fd/{handle}"):
                os.write(handle, b"".join(b'{"id": %d, "ok": 5}\\n' % number for number in range(100)))"""


@pytest.fixture(scope="module")
def hasty(folder, tmp_path_factory):
    """A server that waits two seconds for an answer, and gives a process 300 MB."""
    os.environ["LUDWIN_WEB_PATIENCE"] = "2"
    made = Served(folder, tmp_path_factory.mktemp("hasty"), "--memory", "300M")
    del os.environ["LUDWIN_WEB_PATIENCE"]
    yield made
    made.end()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "what", "told"),
    [
        ("exits", "os._exit(3)", "exit status 3"),
        ("crashes", "ctypes.string_at(0)", "SIGSEGV"),
        ("loops", "while True: pass", "no answer within 2 s"),
        ("sleeps", "time.sleep(1e6)", "no answer within 2 s"),
        ("swells", "x = []\n        while True: x.append(bytearray(10**7))", "memory"),
        ("forks", "os.fork()", ""),
        ("bombs", "while True: os.fork()", ""),  # too many processes, or too much memory of all of them
        ("forges", FORGED, "cannot be read"),
    ],
)
def test_a_game_that_harms_itself_harms_one_table(hasty, folder, tmp_path, name, what, told):
    client, sign = hasty.client(), tmp_path / "now"
    game = trusted(client, folder, f"{name}.py", evil(what, sign))
    table = client.post("/tables", {"game": game, "seats": ["human", "human"], "seed": 1})
    before = hasty.children()
    table = client.play(table, table["moves"][0]["code"])
    sign.touch()
    with pytest.raises(ApiFailure) as caught:
        client.get(f"/tables/{table['table']}")
        if name == "forks":  # two processes answer, one of them to nobody
            raise ApiFailure(503, {"type": "Died", "message": ""})
    assert caught.value.status == 503
    assert told in str(caught.value)
    assert client.get("/about")["api"] == 1
    sign.unlink()  # the table comes back with its moves
    again = client.get(f"/tables/{table['table']}")
    assert [one["code"] for one in again["history"]] == [one["code"] for one in table["history"]]
    client.delete(f"/tables/{table['table']}")
    assert until(lambda: len(hasty.children()) < len(before)), hasty.children()


@pytest.mark.thorough
@pytest.mark.parametrize("end", ["table", "server"])
def test_what_a_game_has_set_free_is_ended_all_the_same(folder, tmp_path, end):
    served = Served(folder, tmp_path / "state")
    client, note = served.client(), tmp_path / "note"
    now, taken = str(tmp_path / "now"), str(tmp_path / "taken")  # whoever takes the sign away forks, so one does
    free = f"""if os.path.exists({now!r}) and not os.rename({now!r}, {taken!r}) and not os.fork():
            os.setsid()
            if not os.fork():
                open({str(note)!r}, "w").write(str(os.getpid()))
                time.sleep(600)
            {"time.sleep(600)" if end == "server" else "os._exit(0)"}"""
    game = trusted(client, folder, f"frees_{end}.py", evil(free, tmp_path))
    table = client.post("/tables", {"game": game, "seats": ["human", "human"], "seed": 1})
    (tmp_path / "now").touch()
    client.get(f"/tables/{table['table']}")
    assert until(lambda: note.exists() and note.read_text())
    freed = int(note.read_text())
    if end == "server":
        served.end(signal.SIGKILL)
    else:
        client.delete(f"/tables/{table['table']}")
    assert until(lambda: not is_alive(freed))
    if end == "table":
        assert served.end() == 130


@pytest.mark.thorough
def test_memory_is_watched_while_a_table_is_opened(hasty, folder):
    client = hasty.client()
    game = trusted(client, folder, "gorges.py", "x = []\nwhile True: x.append(bytearray(10**7))\n" + TEXT)
    with pytest.raises(ApiFailure) as caught:
        client.post("/tables", {"game": game})
    assert "memory" in str(caught.value)


@pytest.mark.thorough
def test_rules_that_raise_are_told_with_file_and_line(hasty, folder, tmp_path):
    client, sign = hasty.client(), tmp_path / "now"
    game = trusted(client, folder, "raises.py", evil("s.nothing", sign))
    table = client.post("/tables", {"game": game, "seats": ["human", "human"]})
    sign.touch()
    with pytest.raises(ApiFailure) as caught:
        client.get(f"/tables/{table['table']}")
    sign.unlink()
    assert caught.value.status == 422
    assert caught.value.error["file"] == "raises.py"
    assert caught.value.error["line"]
    assert str(folder) not in str(caught.value)


def test_a_table_that_was_killed_comes_back_with_its_moves(client, served):
    table = client.post("/tables", {"game": "connect-four", "seats": ["human", "uct:playouts=50"], "seed": 2})
    table = client.play(table, table["moves"][3]["code"])
    before = served.children()
    nursery = children_of(served.process.pid)[0]
    victims = children_of(nursery)
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    assert until(lambda: not any(is_alive(pid) for pid in victims))
    again = client.get(f"/tables/{table['table']}")
    assert [one["code"] for one in again["history"]] == [one["code"] for one in table["history"]]
    assert again["text"] == table["text"]
    assert len(served.children()) <= len(before) + 1


def test_the_nursery_may_die(client, served):
    nursery = children_of(served.process.pid)[0]
    os.kill(nursery, signal.SIGKILL)
    assert until(lambda: not is_alive(nursery))
    made = client.post("/tables", {"game": "nim", "seats": ["human", "human"]})
    assert made["moves"]


def test_analyses_begin_and_end_and_leave_nothing_behind(client, served):
    cycles = 25  # the slow test makes 200
    run_cycles(client, served, cycles)


@pytest.mark.slow
def test_two_hundred_analyses_leave_nothing_behind(client, served):
    run_cycles(client, served, 200)


def run_cycles(client, served, cycles: int) -> None:
    """Begin and stop analyses, and compare processes and descriptors before and after."""
    table = client.post("/tables", {"game": "draughts", "seats": ["human", "human"], "seed": 1})["table"]
    agents = ("alphabeta:depth=40,deepen=1,table=12", "uct:playouts=100000000", "alphabeta:depth=30")

    def analyse(agent):
        job = client.post("/jobs", {"kind": "analyse", "table": table, "agent": agent})["job"]
        client.delete(f"/jobs/{job}")
        assert client.get(f"/jobs/{job}")["state"] in ("cancelled", "done")

    for agent in agents:
        analyse(agent)
    client.get(f"/tables/{table}")
    handles = len(os.listdir(f"/proc/{served.process.pid}/fd"))
    children = served.children()
    for number in range(cycles):
        analyse(agents[number % len(agents)])
    client.get(f"/tables/{table}")
    assert until(lambda: len(served.children()) <= len(children)), (children, served.children())
    assert until(lambda: len(os.listdir(f"/proc/{served.process.pid}/fd")) <= handles + 2)
    client.delete(f"/tables/{table}")


def test_moving_while_an_agent_thinks_is_taken_back_at_once(client):
    table = client.post("/tables", {"game": "draughts", "seats": ["human", "alphabeta:depth=30"], "seed": 1})
    client.post(f"/tables/{table['table']}/moves", {"ply": 0, "code": table["moves"][0]["code"]})
    began = time.monotonic()
    view = client.post(f"/tables/{table['table']}/undo", {"to": 0})
    assert view["ply"] == 0
    assert time.monotonic() - began < 15  # a search of hours was ended
    again = client.get(f"/tables/{table['table']}")
    assert again["ply"] == 0
    client.delete(f"/tables/{table['table']}")


def test_two_tabs_on_one_game_see_the_same_and_only_one_of_them_moves(client):
    made = client.post("/tables", {"game": "tic-tac-toe", "seats": ["human", "human"]})
    path = f"/tables/{made['table']}"
    client.post(f"{path}/moves", {"ply": 0, "move": "a1"})
    with pytest.raises(ApiFailure) as caught:
        client.post(f"{path}/moves", {"ply": 0, "move": "b2"})
    assert caught.value.status == 409
    assert client.get(path)["ply"] == 1


def test_a_socket_tells_what_happens_and_goes_on_where_it_was(client, served):
    from websockets.sync.client import connect

    made = client.post("/tables", {"game": "tic-tac-toe", "seats": ["human", "human"]})
    topic, path = f"table/{made['table']}", f"/tables/{made['table']}"
    address, head = f"ws://127.0.0.1:{served.port}/api/v1/ws", {"Authorization": f"Bearer {served.token}"}
    import json

    with connect(address, additional_headers=head) as link:
        link.send(json.dumps({"watch": topic, "since": 0}))
        client.post(f"{path}/moves", {"ply": 0, "move": "a1"})
        first = json.loads(link.recv(10))
        assert (first["topic"], first["kind"], first["view"]["ply"]) == (topic, "view", 1)
    client.post(f"{path}/moves", {"ply": 1, "move": "b2"})
    with connect(address, additional_headers=head) as link:
        link.send(json.dumps({"watch": topic, "since": first["seq"]}))
        second = json.loads(link.recv(10))
        assert (second["seq"], second["view"]["ply"]) == (first["seq"] + 1, 2)
        link.send("{")
        with pytest.raises(Exception, match=r"4400|received"):
            link.recv(10)


def test_ctrl_c_ends_everything_with_130(folder, tmp_path):
    served = Served(folder, tmp_path)
    client = served.client()
    table = client.post("/tables", {"game": "draughts", "seats": ["human", "human"]})["table"]
    client.post("/jobs", {"kind": "analyse", "table": table, "agent": "alphabeta:depth=40"})
    job = client.post("/jobs", {"kind": "match", "game": "chess", "agents": ["uct", "uct"], "games": 100})["job"]
    assert until(lambda: client.get(f"/jobs/{job}")["state"] == "running")
    children = served.children()
    assert len(children) >= 3
    assert served.end(signal.SIGINT) == 130
    assert until(lambda: not any(is_alive(pid) for pid in children), 5), [pid for pid in children if is_alive(pid)]


@pytest.mark.thorough
def test_a_server_that_is_killed_leaves_no_orphan_and_tables_outlive_it(folder, tmp_path):
    served = Served(folder, tmp_path)
    client = served.client()
    made = client.post("/tables", {"game": "connect-four", "seats": ["human", "human"], "seed": 7})
    made = client.play(made, made["moves"][2]["code"])
    client.post("/jobs", {"kind": "analyse", "table": made["table"], "agent": "uct:playouts=1000000000"})
    client.post("/jobs", {"kind": "match", "game": "chess", "agents": ["uct", "uct"], "games": 100})
    assert until(lambda: len(served.children()) >= 3)
    children = served.children()
    kept = next(tmp_path.rglob(f"{made['table']}.json"))
    assert until(lambda: '"codes": [' + str(made["history"][0]["code"]) in kept.read_text())
    served.end(signal.SIGKILL)
    assert until(lambda: not any(is_alive(pid) for pid in children), 5), [pid for pid in children if is_alive(pid)]
    again = Served(folder, tmp_path)
    try:
        view = again.client().get(f"/tables/{made['table']}")
        assert view["text"] == made["text"]
        assert made["table"] in [one["table"] for one in again.client().get("/tables")["tables"]]
    finally:
        again.end()


def test_hundreds_of_connections_and_slow_clients_do_not_stop_the_page(client, served):
    links = []
    try:
        for k in range(300):
            link = socket.create_connection(("127.0.0.1", served.port), timeout=10)
            head = (
                f"POST /api/v1/tables HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}"
            )
            link.sendall(head[: 20 + k % 60].encode() if k % 2 else b"")
            links.append(link)
        slow = f"{head}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{".encode()
        links[0].sendall(slow)
        began = time.process_time()
        for _ in range(10):
            assert client.get("/about")["api"] == 1
        assert time.process_time() - began < 5
    finally:
        for link in links:
            link.close()


@pytest.mark.thorough
def test_the_port_is_the_next_free_one_and_the_line_is_one(folder, tmp_path):
    import json
    import subprocess

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        env = {**os.environ, "LUDWIN_STATE": str(tmp_path)}
        command = [sys.executable, "-m", "ludwin", "web", str(folder), "--no-open", "--json", "--port", str(port)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        about = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate(timeout=20)
    assert about["port"] > port
    assert rest == ""
    assert f"port {port} is taken" in said
