"""What searches thought: games looked at move by move are the games that were played, and their figures are those of
the trees.
"""

import json
from statistics import fmean, median, quantiles

import pytest

from ludwin.arena.contest import table
from ludwin.arena.records import Record, read_records
from ludwin.arena.tournament import tournament
from ludwin.errors import LudwinError
from ludwin.games.carcassonne.tables import league as leagues
from ludwin.games.carcassonne.tables import sizes, solo, thoughts, visits
from ludwin.games.carcassonne.tables.thoughts import Seen, Thought, WatchedGame, on_file, watch, watch_again, watch_game
from ludwin.lab.experiment import LabTable, TableRun, begin, finish
from ludwin.library import agent, load
from ludwin.play.referee import play_game
from ludwin.primitives import CHANCE, stream
from ludwin.search.montecarlo.formula import Formula

ALONE = solo.VARIANTS["Carc_3,s"]
EVOLVING = "ea-mcts:playouts=30,generations=2,samples=2"


def run_of(folder=None, workers=1, news=lambda line: None):
    run = TableRun("tiny", "quick", 2, 1, 1, workers, folder)
    run.news = news
    return run


def decisions(game, moves, seat):
    """Yield (ply, state) of a player's decisions."""
    state = game.start()
    for ply, move in enumerate(moves):
        if state.mover == seat:
            yield ply, state
        state = state.play(move)


# ---- Games looked at ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["mcts:playouts=20,c=0.5", EVOLVING])
def test_a_game_alone_is_the_referee_s(text):
    game, made = load(ALONE), agent(text)
    seen = watch_game(made.session(game, "plain"), WatchedGame(stream(1, 4)))
    assert seen.moves == play_game(game, [made], stream(1, 4), mode="plain").moves
    turns = list(decisions(game, seen.moves, 0))
    assert len(turns) == len(seen.thoughts) == 23
    for (ply, state), thought in list(zip(turns, seen.thoughts, strict=True))[::6]:
        choice = made.choose(game, state, seed=stream(stream(1, 4), 0, ply), mode="plain")
        assert (thought.visits, thought.playouts) == (
            max(choice.visits.values()),
            made.playouts,
        ) and thought.visits == choice.visits[choice.move]


@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_for_two_is_the_referee_s_in_either_seat(seat):
    game, made = load("pig:goal=20"), agent("mcts:playouts=30")
    seats = [made, agent("random")] if seat == 0 else [agent("random"), made]
    seen = watch_game(made.session(game, "plain"), WatchedGame(9, seat))
    assert seen.moves == play_game(game, seats, 9, mode="plain").moves
    assert len(seen.thoughts) == len(list(decisions(game, seen.moves, seat))) > 0
    assert game.has_chance and game.start().mover != CHANCE


def test_final_formulas_are_those_that_evolution_installed():
    game, made = load(ALONE), agent(EVOLVING)
    seen = watch_game(made.session(game, "plain"), WatchedGame(3))
    found = []
    for ply, state in decisions(game, seen.moves, 0):
        evolution = made.evolution(game, state, seed=stream(3, 0, ply), mode="plain")
        found.append(str(evolution.formula) if evolution.individuals else "")
    assert [thought.formula for thought in seen.thoughts] == found
    assert len(set(found)) > 2 and "" in found  # where a root has more than 30 moves nothing evolves


# ---- Files ----------------------------------------------------------------------------------------------


def watched(folder=None, workers=1, games=3, news=lambda line: None):
    return watch(
        run_of(folder, workers, news),
        "EA, tiny",
        load("pig:goal=12"),
        agent(EVOLVING),
        [WatchedGame(stream(1, k), k % 2) for k in range(games)],
        "plain",
    )


def test_games_do_not_depend_on_workers_or_interruptions(tmp_path, monkeypatch):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir(), two.mkdir()
    whole = watched(one)
    name = "decisions/EA--tiny.json"
    played = []

    def interrupted(session, place):
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(place)
        return watch_game(session, place)

    monkeypatch.setattr(thoughts, "watch_game", interrupted)
    with pytest.raises(KeyboardInterrupt):
        watched(two)
    assert (
        len(json.loads((two / name).read_text("utf8"))["played"]) == 2
        and on_file(run_of(two), "EA, tiny")
        and not on_file(run_of(two), "EA")
    )
    monkeypatch.undo()
    assert watched(two, workers=2) == whole == watched(workers=3)
    assert (one / name).read_bytes() == (two / name).read_bytes()
    told = []
    assert watched(two, news=told.append) == whole and not told  # nothing is played that is on file


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"games": 3', '"games": 4', "other settings"),
        ('"moves": [', '"moves": [0.5, ', "must be a whole number, got 0.5"),
        ('"played": [\n{', '"played": [\n', "does not hold"),
        ('"thoughts": [[', '"thoughts": [[31, 30, ""], [', "31 visits of 30 playouts"),
        ('"thoughts": [[', '"thoughts": [[1, 30, "__import__(\'os\')"], [', "formula"),
        ('"thoughts": [[', '"thoughts": [[0, 0, ""], [', "0 visits of 0 playouts"),
        ("]]}\n]}", ']]},\n{"moves": [], "thoughts": []}]}', "more games"),
    ],
)
def test_a_damaged_file_is_named_in_one_line(tmp_path, old, new, words):
    watched(tmp_path)
    path = tmp_path / "decisions" / "EA--tiny.json"
    text = path.read_text("utf8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf8")
    with pytest.raises(LudwinError, match=words) as caught:
        watched(tmp_path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_a_record_that_goes_another_way_is_refused():
    game, made = load(ALONE), agent("mcts:playouts=5")
    played = play_game(game, [made], stream(1, 7), mode="plain")
    record = Record(0, 7, (0,), played.moves, played.payoffs, "rules")
    (seen,) = watch_again(run_of(), "x", game, made, [record], "plain")
    assert seen.moves == record.moves
    other = Record(0, 7, (0,), (*played.moves[:-1], played.moves[-1] + 1), played.payoffs, "rules")
    with pytest.raises(LudwinError, match="x: game 0 goes another way"):
        watch_again(run_of(), "x", game, made, [other], "plain")


# ---- Figure 5.14 ----------------------------------------------------------------------------------------


def seen(*shares, formula=""):
    return Seen((), tuple(Thought(visits, 100, formula) for visits in shares))


def test_shares_are_judged_by_the_range_of_their_kind():
    games = [seen(80, 90), seen(85, 95, 100)]
    assert visits.by_turn(games) == [0.825, 0.925, 1.0]
    row = visits.visit_row("x", games, evolved=True, note="10 playouts")
    assert row.ours == pytest.approx(0.9) and row.games == 2 and row.verdict == "measured"  # of five decisions
    assert visits.visit_row("x", 4 * games, evolved=True, note="").verdict == "reproduced"
    assert (row.published - row.tolerance, row.published + row.tolerance) == pytest.approx(visits.EVOLVED, abs=1e-4)
    assert "5 decisions, 10 playouts" in row.note
    assert visits.visit_row("x", 4 * games, evolved=False, note="").verdict == "differs"
    assert visits.visit_row("x", 5 * [seen(50, 51, 50, 51)], evolved=True, note="").verdict == "differs"


def test_shares_fall_with_the_constant_or_do_not():
    steep = {"MCTS C=0.5": [seen(30, 31, 32)], "MCTS C=√2": [seen(20, 21)], "MCTS C=3": [seen(10, 11, 12)]}
    row = visits.fall_row("v", steep)
    assert row.ours == pytest.approx(0.2) and row.games == 3 and "MCTS C=√2 0.2050" in row.note
    assert row.verdict == "measured" and "3 are too few for a verdict" in row.note
    often = {name: 7 * games for name, games in steep.items()}
    assert visits.fall_row("v", often).verdict == "reproduced"
    assert visits.fall_row("v", {**often, "MCTS C=√2": 7 * [seen(40, 41)]}).verdict == "differs"
    assert visits.fall_row("v", {**often, "MCTS C=3": 7 * [seen(5, 29, 40)]}).verdict == "differs"
    wild = [seen(0, 45, 20), *6 * [seen(29, 30, 31)], seen(0, 0, 0)][:7]
    unclear = visits.fall_row("v", {**often, "MCTS C=√2": 7 * [seen(29, 31)], "MCTS C=3": wild})
    assert unclear.verdict == "measured" and unclear.low < 0 < unclear.ours


def test_rows_of_a_table_are_of_the_searches_that_were_looked_at():
    views = {
        ("Carc_3,d", player.name): [seen(80 - 20 * k, 80 - 20 * k + 1)] for k, player in enumerate(solo.PLAYERS[:4])
    }
    rows = solo.visit_rows(views, solo.SoloSize(1000, 2), solo.PLAYERS)
    assert [row.label for row in rows] == [
        *(f"Carc_3,d, {player.name}: most visited move" for player in solo.PLAYERS[:4]),
        "Carc_3,d, share falls with C: first less last",
    ]
    assert rows[3].published == pytest.approx(sum(visits.EVOLVED) / 2, abs=1e-4) and rows[0].published == pytest.approx(
        sum(visits.FIXED) / 2, abs=1e-4
    )
    assert solo.look(run_of(), solo.SoloSize(10, 2), solo.PLAYERS, {}) == {}  # nothing asked, nothing compiled


# ---- Figures 6.1 and 6.2 --------------------------------------------------------------------------------


def test_watched_games_are_the_league_s(tmp_path):
    game, names = load("pig:goal=12"), ["mcts:playouts=5", EVOLVING, "mcts:playouts=6", "random"]
    tournament(game, [agent(name) for name in names], games=4, seed=5, out=tmp_path / "league.jsonl", mode="plain")
    records = [record for _, record in read_records(tmp_path / "league.jsonl") if set(record.seats) == {1, 3}]
    places = sizes.places(5, 1, 3, 4)
    assert [place.seat for place in places] == [record.seats.index(1) for record in records] == [0, 1, 0, 1]
    session = agent(EVOLVING).session(game, "plain")
    assert [watch_game(session, place).moves for place in places] == [record.moves for record in records]


def test_sizes_are_entered_for_agents_that_evolve_and_drawn(tmp_path):
    run = run_of(tmp_path)
    texts = {"plain": "mcts:playouts=5", "EA-MCTS": EVOLVING, "Random": "random"}
    sizes.enter_sizes(run, load("pig:goal=20"), texts, 3, "plain")
    assert [row.label for row in run.rows] == [
        "EA-MCTS, formulas: lower quartile",
        "EA-MCTS, formulas: upper quartile",
        "EA-MCTS, formulas: median of the last 3 turns",
    ]
    games = watch(run, "formulas of EA-MCTS", load("pig:goal=20"), agent(EVOLVING), sizes.places(1, 1, 2, 3), "plain")
    every = [Formula.parse(thought.formula).size for game in games for thought in game.thoughts]
    low, _, high = quantiles(every, n=4)
    assert [row.ours for row in run.rows[:2]] == [
        low,
        high,
    ] and f"{len(every)} formulas, mean {fmean(every):.2f}" in run.rows[0].note
    assert all(row.low <= row.ours <= row.high and row.games == 3 for row in run.rows)
    assert (tmp_path / "sizes-EA-MCTS.svg").read_text("utf8").startswith("<?xml") and len(
        list(tmp_path.glob("*.svg"))
    ) == 1


def test_quartiles_and_last_turns_are_judged():
    around, huge = [[9, 13, 22], [11, 13, 19], [8, 15, 20]], [[40, 41], [42, 43], [44, 45]]
    assert [row.verdict for row in sizes.rows("x", [4 * turn for turn in around], 12, 1, "")] == ["reproduced"] * 3
    assert [row.verdict for row in sizes.rows("x", [8 * turn for turn in huge], 16, 1, "")] == ["differs"] * 3
    few = sizes.rows("x", [4 * turn for turn in huge], 8, 1, "")
    assert [row.verdict for row in few] == ["differs", "differs", "measured"]  # 24 are too few for the last turns
    assert [row.verdict for row in sizes.rows("x", huge, 2, 1, "")] == ["measured"] * 3
    assert list(sizes.rows("x", [[], [], []], 1, 1, "")) == []  # nothing evolved
    ours = sizes.bootstrap([1, 2, 3, 4, 100], median, 7)
    assert ours.value == 3 and ours.low < 3 < ours.high and ours == sizes.bootstrap([1, 2, 3, 4, 100], median, 7)


def test_small_presets_look_at_few_games_and_leagues_without_evolution_at_none():
    assert leagues.SIZES_6_8["quick"].formulas == 2 and all(not size.formulas for size in leagues.SIZES_6_4.values())
    assert [solo.SIZES[preset].looked for preset in ("quick", "standard", "paper")] == [1, 2, 5]
    assert agent(leagues.FINALISTS[3].text(leagues.THESIS)) == agent("siea-mcts:c=0.5")


# ---- Slow: compiled games -------------------------------------------------------------------------------


@pytest.mark.slow
def test_compiled_games_are_looked_at_as_they_were_played():
    game, made = load(solo.VARIANTS["Carc_3,d"]), agent("ea-mcts:playouts=1000,generations=10,samples=10")
    session, seats = made.session(game), table(game, [made])
    for pair in range(2):
        assert watch_game(session, WatchedGame(stream(1, pair))).moves == seats.play(stream(1, pair)).moves


@pytest.mark.slow
def test_a_solo_table_is_looked_at(tmp_path):
    def fill(run):
        solo.fill(run, solo.SoloSize(200, 4, ("Carc_3,d",), 2, ("Carc_3,d",)), solo.PLAYERS[:5])

    run = begin(
        LabTable("tiny", "a test", {"quick": (4, 1)}, fill),
        preset="quick",
        games=None,
        runs=None,
        seed=1,
        workers=2,
        out=tmp_path / "a",
        resume=None,
    )
    fill(run)
    data = finish(run)
    shares = {row["label"]: row["ours"] for row in data["rows"] if row["metric"] == "share"}
    assert len(shares) == 5 and data["rows"][-1]["label"].startswith("Carc_3,d, share falls")
    details = json.loads((tmp_path / "a" / "details.json").read_text("utf8"))["rows"]
    assert all(row["looked_at"] == 2 and len(row["most_visited_by_turn"]) == 23 for row in details)
    assert fmean(details[3]["most_visited_by_turn"]) == pytest.approx(
        shares["Carc_3,d, EA-MCTS: most visited move"], abs=1e-4
    )
    assert (tmp_path / "a" / "visits-Carc_3-d.svg").exists()
