"""Every row of what a cluster does, by every way: one worker, two, local:1, local:3, parts, and half each.

It takes minutes, so it is slow; what each row is alone is in `test_same_bytes.py`.
"""

import shutil
import warnings

import pytest
from clusters import same_runs
from test_same_bytes import SMALL, Soon, evolved

from ludwin.arena.tournament import tournament
from ludwin.cli import main
from ludwin.cluster.opening import Wish, opened
from ludwin.evolve.carrying import Stopped
from ludwin.lab.experiment import begin, finish
from ludwin.lab.register import TABLES
from ludwin.lab.register import find as find_table
from ludwin.spread import Crew

pytestmark = pytest.mark.slow

UCT = "uct:playouts=20"
EVENTS = {
    "match": ("connect-four", [UCT, "random"], {"games": 40, "openings": 2}),
    "sprt": ("nim", ["uct:playouts=50", "random"], {"games": 400, "sprt": "0,100"}),
    "swiss": ("nim", [UCT, "greedy", "random", "uct:playouts=5"], {"games": 6, "format": "swiss"}),
}
RUNS = {
    "hall of fame": {"fitness": "2rand+2fame+2co"},
    "islands": {"game": "backgammon", "islands": 2, "migrate_every": 2, "fitness": "2uct50", "finalists": 1},
    "series": {"seeds": 2, "fitness": "2rand+2fame", "baseline": True},
}


@pytest.fixture(scope="module")
def ways():
    """The machines, by name; a cluster is opened once for all rows."""
    pytest.importorskip("distributed", reason="Dask distributed is not installed: pip install 'ludwin[cluster]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Dask's own
        with opened(Wish("local:1"), print) as one, opened(Wish("local:3"), print) as three:
            yield {"one": 1, "two": 2, "local:1": Crew(1, one), "local:3": Crew(1, three)}


@pytest.mark.parametrize("row", EVENTS)
def test_an_event_is_the_same_record_by_every_way(row, ways, tmp_path):
    game, agents, terms = EVENTS[row]
    for name, workers in ways.items():
        tournament(game, agents, seed=3, workers=workers, out=tmp_path / f"{name}.jsonl", **terms)
    whole = (tmp_path / "one.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    for name, workers in ways.items():
        assert (tmp_path / f"{name}.jsonl").read_bytes() == whole, name
        torn = tmp_path / f"torn-{name}.jsonl"  # begun elsewhere, broken off in the middle of a line, gone on with here
        torn.write_bytes(b"".join(lines[: len(lines) // 2]) + lines[len(lines) // 2][:9])
        tournament(game, agents, seed=3, resume=torn, workers=workers, **terms)
        assert torn.read_bytes() == whole, f"gone on with by {name}"


@pytest.mark.parametrize("row", RUNS)
def test_evolution_is_the_same_run_by_every_way(row, ways, tmp_path):
    for name, workers in ways.items():
        evolved(tmp_path / name, workers, **RUNS[row])
        assert same_runs(tmp_path / "one", tmp_path / name), name


@pytest.mark.parametrize(("first", "second"), [("one", "local:3"), ("local:3", "two"), ("local:1", "one")])
@pytest.mark.parametrize("row", ["hall of fame", "islands"])
def test_a_run_begins_one_way_and_goes_on_another(row, first, second, ways, tmp_path):
    evolved(tmp_path / "whole", 1, **RUNS[row])
    with pytest.raises(Stopped):
        evolved(tmp_path / "torn", ways[first], **RUNS[row], stop=Soon(2))
    game = {"game": RUNS[row]["game"]} if "game" in RUNS[row] else {}
    evolved(tmp_path / "torn", ways[second], **game)
    assert same_runs(tmp_path / "whole", tmp_path / "torn")


def test_a_series_that_broke_off_after_its_first_seed_is_completed_elsewhere(ways, tmp_path):
    evolved(tmp_path / "whole", 1, **RUNS["series"])
    evolved(tmp_path / "torn", ways["local:3"], **RUNS["series"])
    for path in (tmp_path / "torn").iterdir():
        if path.name not in ("settings.json", "seed-5"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    evolved(tmp_path / "torn", ways["two"], seeds=2)
    assert same_runs(tmp_path / "whole", tmp_path / "torn")


def filled(name, folder, workers):
    table = find_table(name, TABLES)
    run = begin(table, preset="quick", games=2, runs=None, seed=1, workers=workers, out=folder, resume=None)
    table.fill(run)
    finish(run)


@pytest.mark.parametrize("name", ["lose-checkers-3.5", "fop-5.4"])
def test_a_published_table_is_the_same_by_every_way(name, ways, tmp_path):
    for way, workers in ways.items():
        filled(name, tmp_path / way, workers)
        assert same_runs(tmp_path / "one", tmp_path / way), way


def part(line, folder, k, n):
    return main([*line, "--part", f"{k}/{n}", "--out", str(folder)])


SETTINGS = [f"{key}={value}" for key, value in {**SMALL, "fitness": "2rand+2fame", "generations": 2}.items()]
LINES = {
    "tournament": ["tournament", "nim", UCT, "greedy", "random", "--games", "10", "--seed", "4"],
    "series": ["evolve", "connect-four", "--seeds", "3", "--seed", "5", "--set", *SETTINGS],
    "table": ["reproduce", "lose-checkers-3.5", "--games", "2", "--seed", "1", "--preset", "quick"],
}


@pytest.mark.parametrize("row", LINES)
@pytest.mark.parametrize("parts", [1, 3])
def test_gathered_parts_are_one_run(row, parts, tmp_path):
    one = tmp_path / ("one.jsonl" if row == "tournament" else "one")
    assert main([*LINES[row], "--out", str(one)]) == 0
    assert all(part(LINES[row], tmp_path / "parts", k, parts) == 0 for k in range(parts, 0, -1))
    assert main(["gather", str(tmp_path / "parts")]) == 0
    if row == "tournament":
        assert one.read_bytes() == (tmp_path / "parts" / "games.jsonl").read_bytes()
    else:
        assert same_runs(one, tmp_path / "parts")


@pytest.mark.parametrize("more", [["--sprt", "0,100"], ["--format", "swiss"]])
def test_what_is_decided_while_it_is_played_has_no_parts(more, tmp_path, capsys):
    agents = [UCT, "random"] if more[0] == "--sprt" else [UCT, "random", "greedy"]
    assert part(["tournament", "nim", *agents, "--games", "10", *more], tmp_path / "parts", 1, 2) == 2
    assert "part" in capsys.readouterr().err
