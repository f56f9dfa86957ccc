"""The same bytes whoever did the work: this machine, a cluster, parts that were gathered, or some of each."""

import pytest
from clusters import same_runs

from ludwin.arena.plans import positions_of, solve_many
from ludwin.arena.tournament import tournament
from ludwin.cli import main
from ludwin.evolve.carrying import Stopped, carry_out
from ludwin.evolve.experiment import schema, settle
from ludwin.evolve.register import find
from ludwin.evolve.run import create, reopen
from ludwin.evolve.series import carry_out_series, create_series, reopen_series
from ludwin.lab.experiment import begin, finish
from ludwin.lab.register import TABLES
from ludwin.lab.register import find as find_table
from ludwin.library import agent, load

SMALL = {
    "population": 8,
    "generations": 3,
    "rounds": 1,
    **dict.fromkeys(("yardstick_games", "finalist_games", "champion_games", "record_games"), 4),
    "finalists": 2,
    "last": 1,
}
EVENTS = {
    "a match": (["uct:playouts=20", "random"], {"games": 60}),
    "an SPRT": (["uct:playouts=50", "random"], {"games": 400, "sprt": "0,100"}),
    "a Swiss event": (["uct:playouts=20", "greedy", "random", "uct:playouts=5"], {"games": 6, "format": "swiss"}),
    "openings": (["uct:playouts=20", "random"], {"games": 20, "openings": 2}),
}


@pytest.mark.parametrize("what", EVENTS)
def test_an_event_of_a_cluster_has_the_record_of_this_machine(what, crew, tmp_path):
    agents, terms = EVENTS[what]
    for name, workers in (("here", 1), ("there", crew)):
        tournament("nim", agents, seed=3, workers=workers, out=tmp_path / f"{name}.jsonl", **terms)
    assert (tmp_path / "here.jsonl").read_bytes() == (tmp_path / "there.jsonl").read_bytes()


def test_an_event_begins_here_and_goes_on_there(crew, tmp_path):
    agents, terms = EVENTS["a match"]
    whole, torn = tmp_path / "whole.jsonl", tmp_path / "torn.jsonl"
    tournament("nim", agents, seed=3, out=whole, **terms)
    lines = whole.read_bytes().splitlines(keepends=True)
    torn.write_bytes(b"".join(lines[:20]) + lines[20][:9])
    torn.with_name("torn.jsonl.ahead").write_bytes(b"".join(lines[40:50]) + lines[50][:5])  # which came too early
    tournament("nim", agents, seed=3, resume=torn, workers=crew, **terms)
    assert torn.read_bytes() == whole.read_bytes()


def evolved(folder, workers, seeds=1, game="connect-four", stop=None, **settings):
    """Carry out a run or a series, or go on with it."""
    experiment = find(game)
    small = {key: value for key, value in SMALL.items() if key in schema(experiment)}
    given = settle(experiment, "quick", {**small, **settings})
    if seeds > 1:
        there = (folder / "settings.json").exists()
        work = reopen_series(folder, find) if there else create_series(folder, experiment, "quick", given, 5, seeds)
        return carry_out_series(work, workers=workers)
    there = (folder / "settings.json").exists()
    work = reopen(folder, find) if there else create(folder, experiment, "quick", given, 5)
    return carry_out(work, workers=workers, stop=stop)


def test_an_evolution_with_a_hall_of_fame_is_the_same_run(crew, tmp_path):
    evolved(tmp_path / "here", 1, fitness="2rand+2fame+2co")
    evolved(tmp_path / "there", crew, fitness="2rand+2fame+2co")
    assert same_runs(tmp_path / "here", tmp_path / "there")


class Soon:
    """An event that is set after it was asked a few times."""

    def __init__(self, after):
        self.left = after

    def is_set(self):
        self.left -= 1
        return self.left < 0


def test_a_run_that_began_there_goes_on_here(crew, tmp_path):
    evolved(tmp_path / "whole", 1, fitness="2rand+2fame+2co")
    with pytest.raises(Stopped):
        evolved(tmp_path / "torn", crew, fitness="2rand+2fame+2co", stop=Soon(2))
    evolved(tmp_path / "torn", 1)
    assert same_runs(tmp_path / "whole", tmp_path / "torn")


@pytest.mark.parametrize("fitness", ["2rand", "2rand+2fame"])
def test_islands_bred_elsewhere_are_those_bred_here(fitness, crew, tmp_path):
    islands = {"islands": 2, "migrate_every": 2, "generations": 5, "fitness": fitness}
    evolved(tmp_path / "here", 1, **islands)
    evolved(tmp_path / "there", crew, **islands)
    assert same_runs(tmp_path / "here", tmp_path / "there")


@pytest.mark.slow
def test_an_island_run_of_backgammon_is_the_same(crew, tmp_path):
    islands = {
        "population": 8,
        "islands": 2,
        "migrate_every": 2,
        "migrants": 1,
        "first_migration": 1,
        "games": 2,
        "finalists": 1,
    }
    evolved(tmp_path / "here", 1, game="backgammon", **islands)
    evolved(tmp_path / "there", crew, game="backgammon", **islands)
    assert same_runs(tmp_path / "here", tmp_path / "there")


def test_seeds_of_a_series_at_once_are_those_one_after_another(crew, tmp_path):
    evolved(tmp_path / "here", 1, seeds=2, fitness="2rand+2fame", baseline=True)
    evolved(tmp_path / "there", crew, seeds=2, fitness="2rand+2fame", baseline=True)
    assert same_runs(tmp_path / "here", tmp_path / "there")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lose-checkers-3.5", "fop-5.4"])
def test_a_published_table_is_the_same(name, crew, tmp_path):
    for folder, workers in (("here", 1), ("there", crew)):
        table = find_table(name, TABLES)
        run = begin(
            table, preset="quick", games=2, runs=None, seed=1, workers=workers, out=tmp_path / folder, resume=None
        )
        table.fill(run)
        finish(run)
    assert same_runs(tmp_path / "here", tmp_path / "there")


def test_a_study_is_the_same_table(crew, tmp_path):
    text = 'games = ["nim"]\nagents = ["uct:playouts=10", "greedy"]\nopponents = ["random"]\nplay = 4\nseeds = [1, 2]\n'
    (tmp_path / "my.toml").write_text(text)
    for folder, workers in (("here", 1), ("there", crew)):
        table = find_table(str(tmp_path / "my.toml"))
        run = begin(
            table, preset="quick", games=None, runs=None, seed=1, workers=workers, out=tmp_path / folder, resume=None
        )
        table.fill(run)
        finish(run)
    assert same_runs(tmp_path / "here", tmp_path / "there")


def test_many_positions_are_solved_in_the_same_rows(crew, tmp_path):
    game = load("parking")
    states = positions_of(game, "#1..3")
    here, there = (list(solve_many(agent("astar", game), states, workers=w)) for w in (1, crew))
    assert here == there


# ---- Parts --------------------------------------------------------------------------------------------------------


def part(line, folder, k, n, *more):
    return main([*line, "--part", f"{k}/{n}", "--out", str(folder), *more])


def test_gathered_parts_of_a_tournament_are_the_record_of_one(tmp_path, capsys):
    line = ["tournament", "nim", "uct:playouts=10", "greedy", "random", "--games", "10", "--seed", "4"]
    assert main([*line, "--out", str(tmp_path / "one.jsonl")]) == 0
    assert all(part(line, tmp_path / "parts", k, 3) == 0 for k in (2, 3, 1))
    assert main(["gather", str(tmp_path / "parts")]) == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "parts" / "games.jsonl").read_bytes()
    said = capsys.readouterr().out
    assert said.count("nim: round-robin of 3 agents, 30 games, seed 4") == 2


def test_gathered_parts_of_a_series_are_the_series(tmp_path):
    settings = [f"{key}={value}" for key, value in {**SMALL, "fitness": "2rand+2fame", "generations": 2}.items()]
    line = ["evolve", "connect-four", "--seeds", "3", "--seed", "5", "--set", *settings]
    assert main([*line, "--out", str(tmp_path / "one")]) == 0
    assert all(part(line, tmp_path / "parts", k, 2) == 0 for k in (1, 2))
    assert main(["gather", str(tmp_path / "parts")]) == 0
    assert same_runs(tmp_path / "one", tmp_path / "parts")


def test_gathered_parts_of_a_study_are_the_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = 'name = "c"\ngames = ["nim"]\nagents = ["uct:playouts=10,c={c}"]\nopponents = ["random"]\nplay = 4\n'
    (tmp_path / "my.toml").write_text(f"{text}[parameters]\nc = [0.5, 1, 2]\n")
    line = ["study", "./my.toml"]
    assert main([*line, "--out", "one"]) == 0
    assert all(part(line, "parts", k, 2) == 0 for k in (1, 2))
    assert main(["gather", "parts"]) == 2  # a data file names no file that is to be read
    assert main(["gather", "parts", "./my.toml"]) == 0
    assert same_runs(tmp_path / "one", tmp_path / "parts")
