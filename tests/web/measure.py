"""The figures of docs/results/web.md: `python -m tests.web.measure [NAME …]`; prints one JSON object.

What runs on a shared machine is counted in processor time where it can be; wall times are medians, and say so.
"""

import contextlib
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from ludwin import agent, load
from ludwin.play.referee import Referee
from ludwin.play.session import PlaySession
from ludwin.web.children import memory_of, seconds_of
from ludwin.web.sight import TableSight
from tests.web.conftest import GAMES, Served, children_of
from tests.web.test_boards import BOARD_GAMES, OWN, count, walk


def median(values) -> float:
    """Return a median, rounded for people."""
    return round(statistics.median(values), 3)


def nanoseconds(pid: int) -> float:
    """Processor milliseconds of all threads of a process, finer than the ticks of /proc/PID/stat."""
    found = 0
    for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            found += int(path.read_text().split()[0])
    return found / 1e6


def paths() -> dict:
    """How many moves of six random games have a path of their own."""
    names = [*BOARD_GAMES, "chess", "backgammon", *OWN]
    return {Path(name).name: count(name) for name in names}


def views() -> dict:
    """Processor milliseconds for a view, median over the positions of two random games."""
    found = {}
    for name in ("tic-tac-toe", "connect-four", "reversi", "draughts", "chess", "backgammon", "carcassonne", OWN[0]):
        game, times = load(name), []
        for state in walk(game, 2, 80):
            sight = TableSight(PlaySession(Referee(game, 0, state), (None,) * game.players, one_screen=False))
            began = time.process_time()
            sight.view()
            times.append(1000 * (time.process_time() - began))
        found[Path(name).name] = [median(times), round(max(times), 2)]
    return found


def stops() -> dict:
    """Processor milliseconds between the wish to stop and the end of a search, and wall milliseconds; 20 times each."""
    game = load("connect-four")
    found = {}
    for text in ("alphabeta:depth=40,deepen=1,table=16", "uct:playouts=100000000", "mcts:playouts=100000000"):
        one, walls = agent(text), []
        one.think(game, game.start()).stop(30)
        for _ in range(20):
            handle = one.think(game, game.start())
            while handle.peek() is None:
                time.sleep(0.005)
            began = time.monotonic()
            assert handle.stop(30)
            walls.append(1000 * (time.monotonic() - began))
        found[text] = [median(walls), round(max(walls), 2)]
    return found


def server() -> dict:
    """Start, memory, first lines, fifty viewers."""
    from websockets.sync.client import connect

    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        for path in GAMES.glob("*.py"):
            (Path(folder) / path.name).write_text(path.read_text())
        began = time.monotonic()
        served = Served(Path(folder), Path(state))
        ready = time.monotonic() - began
        client = served.client()
        client.get("/games")
        found: dict = {"ready_seconds": round(ready, 2), "ready_cpu": round(seconds_of(served.process.pid), 2)}
        tables = [client.post("/tables", {"game": "draughts", "seats": ["human", "human"]})["table"] for _ in range(4)]
        cold, warm, used = [], [], {0: [], 1: []}
        nursery = children_of(served.process.pid)[0]
        for number, table in enumerate(tables):
            pid = sorted(children_of(nursery))[-len(tables) :][number]
            for round_, times in enumerate((cold, warm)):
                before = nanoseconds(pid)
                job = client.post(
                    "/jobs", {"kind": "analyse", "table": table, "agent": "alphabeta:depth=64,table=20,deepen=1"}
                )
                made = time.monotonic()
                next(line for line in client.lines(job["job"]) if line["kind"] == "line")
                used[round_].append(nanoseconds(pid) - before)
                times.append(1000 * (time.monotonic() - made))
                began = time.monotonic()
                client.delete(f"/jobs/{job['job']}")
                found.setdefault("stop_over_http_ms", []).append(round(1000 * (time.monotonic() - began), 1))
        found["first_line_ms"] = {"new table": median(cold), "same table": median(warm)}
        found["first_line_cpu_ms_at_most"] = {"new table": median(used[0]), "same table": median(used[1])}
        found["stop_over_http_ms"] = median(found["stop_over_http_ms"])
        found["table_mb"] = [round(memory_of(pid) / 1e6, 1) for pid in children_of(nursery)]
        found["server_mb"] = round(memory_of(served.process.pid) / 1e6, 1)
        moves = []
        view = client.get(f"/tables/{tables[0]}")
        for _ in range(30):
            began = time.monotonic()
            view = client.post(f"/tables/{tables[0]}/moves", {"ply": view["ply"], "code": view["moves"][0]["code"]})
            moves.append(1000 * (time.monotonic() - began))
        found["move_over_http_ms"] = median(moves)
        found |= viewers(served, client, tables[1], connect)
        served.end()
    return found


def viewers(served, client, table: str, connect) -> dict:
    """Fifty onlookers of an analysis for ten seconds: processor time of the server."""
    job = client.post("/jobs", {"kind": "analyse", "table": table, "agent": "uct:playouts=1000000000"})["job"]
    head = {"Authorization": f"Bearer {served.token}"}
    address = f"ws://127.0.0.1:{served.port}/api/v1/ws"
    open_links = contextlib.ExitStack()
    links = [open_links.enter_context(connect(address, additional_headers=head)) for _ in range(50)]
    heard = [0] * 50
    stop = threading.Event()

    def listen(k: int) -> None:
        links[k].send(json.dumps({"watch": f"job/{job}"}))
        while not stop.is_set():
            try:
                links[k].recv(0.5)
                heard[k] += 1
            except TimeoutError:
                continue
            except Exception:
                return

    threads = [threading.Thread(target=listen, args=(k,), daemon=True) for k in range(50)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    before, count_before, began = seconds_of(served.process.pid), sum(heard), time.monotonic()
    time.sleep(10)
    used, wall, messages = seconds_of(served.process.pid) - before, time.monotonic() - began, sum(heard) - count_before
    stop.set()
    client.delete(f"/jobs/{job}")
    open_links.close()
    rate = messages / wall / 50
    return {
        "viewers": 50,
        "messages_a_second_each": round(rate, 2),
        "server_cpu_percent": round(100 * used / wall, 1),
        "cpu_microseconds_a_message": round(1e6 * used / max(messages, 1), 1),
    }


def cycles() -> dict:
    """Two hundred analyses begun and stopped: processes and descriptors of the server before and after."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        served = Served(Path(folder), Path(state))
        client = served.client()
        table = client.post("/tables", {"game": "draughts", "seats": ["human", "human"], "seed": 1})["table"]
        agents = ("alphabeta:depth=40,deepen=1,table=12", "uct:playouts=100000000", "alphabeta:depth=30")
        found, began = [], time.monotonic()
        for number in range(203):
            job = client.post("/jobs", {"kind": "analyse", "table": table, "agent": agents[number % 3]})["job"]
            client.delete(f"/jobs/{job}")
            if number in (2, 202):
                client.get(f"/tables/{table}")
                time.sleep(0.5)
                handles = len(os.listdir(f"/proc/{served.process.pid}/fd"))
                found.append({"processes": len(served.children()), "descriptors": handles})
        served.end()
        return {"before": found[0], "after": found[1], "seconds": round(time.monotonic() - began, 1)}


def load_now() -> list:
    """The load of the machine, over one, five and fifteen minutes."""
    return [round(one, 1) for one in os.getloadavg()]


WORKS = {"load": load_now, "cycles": cycles, "paths": paths, "views": views, "stops": stops, "server": server}

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(WORKS)
    print(json.dumps({name: WORKS[name]() for name in wanted}, indent=1))
    os._exit(0)
