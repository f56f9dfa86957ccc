"""Carcassonne's tables: the published figures, what verdicts mean, and tiny tables that resume and do not depend on
workers.
"""

import json
from dataclasses import replace
from statistics import fmean, stdev

import pytest

from ludwin.arena.match import match
from ludwin.arena.rating import league
from ludwin.arena.records import Record, read_records
from ludwin.arena.stats import mean_of, welch_t
from ludwin.errors import BadParameter
from ludwin.games.carcassonne.tables import base, solo
from ludwin.games.carcassonne.tables import league as leagues
from ludwin.games.carcassonne.tables.cells import (
    EVOLUTIONS,
    Cell,
    Published,
    availability,
    budget,
    compare,
    constant,
    difference,
    efficiency,
    evolution,
    review,
    spent,
)
from ludwin.lab.experiment import LabTable, begin, finish
from ludwin.lab.register import TABLES
from ludwin.library import agent, load
from ludwin.play.referee import play_game
from ludwin.primitives import CHANCE

pytestmark = pytest.mark.thorough

CHEAP = ("random", "expectimax:depth=1")


def run_of(fill, folder=None, resume=None, **more):
    sizes = {"quick": (4, 1), "standard": (4, 1), "paper": (4, 1)}
    given = {"preset": "quick", "games": None, "runs": None, "seed": 1, "workers": 1, "out": folder, "resume": resume}
    return begin(LabTable("tiny", "a test", sizes, fill), **{**given, **more})


def filled(fill, folder=None, resume=None, **more):
    run = run_of(fill, folder, resume, **more)
    fill(run)
    return finish(run)


def same_files(one, other):
    """Assert that two folders hold the same files, logs aside."""
    names = [{path.name for path in folder.iterdir() if path.suffix != ".log"} for folder in (one, other)]
    assert names[0] == names[1]
    for name in names[0]:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


# ---- What was published ---------------------------------------------------------------------------------


def test_every_table_is_registered_at_the_thesis_s_size():
    games = {"5.10": 30, "6.2": 100, "6.3": 40, "6.4": 20, "6.8": 40}  # of an agent, or of a pair in both seats
    for table, number in games.items():
        assert TABLES[f"carcassonne-{table}"].sizes["paper"] == (number, 1)
    assert solo.SIZES["paper"].playouts == 10_000 and set(solo.SIZES["paper"].variants) == set(solo.VARIANTS)
    for sizes in (leagues.SIZES_6_4, leagues.SIZES_6_8):
        assert sizes["paper"].playouts == 5000
    assert base.REWARD_PLAYOUTS["paper"] == base.RANDOM_PLAYOUTS["paper"] == 5000


def test_agents_of_the_paper_s_size_are_those_of_the_thesis():
    texts = {player.name: player.text(10_000) for player in solo.PLAYERS}
    assert agent(texts["EA-MCTS"]) == agent("ea-mcts:playouts=10000")  # whose defaults are the thesis's
    assert agent(texts["SIEA-MCTS"]) == agent("siea-mcts:playouts=10000")
    assert agent(texts["MCTS C=0.5"]) == agent("mcts:playouts=10000,c=0.5")
    assert agent(leagues.FINALISTS[2].text(5000)) == agent("ea-mcts:c=0.5")
    assert set(texts) == set(solo.TABLE_5_10)


@pytest.mark.parametrize("playouts", [10, 40, 100, 200, 820, 1000, 2430, 4860, 5000, 10_000])
def test_evolution_takes_no_more_than_half_of_the_playouts(playouts):
    assert 2 * spent(*evolution(playouts)) <= playouts
    assert spent(*EVOLUTIONS[0]) == 2430
    assert (
        budget(solo.PLAYERS[3], 1000) == "1,000 playouts, 410 of them evolution" and budget(solo.PLAYERS[9], 1000) == ""
    )


def test_league_points_of_table_6_8_are_those_of_table_6_9():
    table = league(leagues.TABLE_6_8.meetings())
    assert [line.points for line in table] == [50, 47, 43, 34, 20, 10, 0]
    assert [line.margin for line in table] == pytest.approx(
        [400.0, 338.35, 314.45, 301.55, 43.85, -490.8, -907.4], abs=0.25
    )  # cells are rounded
    assert [line.name for line in table][:4] == ["MCTS C=0.5", "MCTS C=1", "EA-MCTS", "SIEA-MCTS"]


def test_league_points_of_table_6_4_recomputed():
    points = {line.name: line.points for line in league(leagues.TABLE_6_4.meetings())}
    assert points == {"C=0.5": 36, "C=1": 26, "C=√2": 15, "C=2": 16, "C=3": 1}


def test_matches_have_the_published_number_of_games():
    assert {sum(cell[:3]) for cell in leagues.TABLE_6_4.printed.values()} == {10}
    assert {sum(cell[:3]) for cell in leagues.TABLE_6_8.printed.values()} == {20}
    assert {sum(line) for line in base.TABLE_6_2.values()} == {50}


# ---- What verdicts mean ---------------------------------------------------------------------------------


def test_a_mean_is_reproduced_within_three_errors_of_the_difference():
    values = [10.0, 12.0] * 50  # error 0.1; the published one has 0.1, too
    near, far = (compare([Cell("x", "m", Published(mean, 1.0, 100), values)])[0] for mean in (11.35, 11.6))
    assert (near.verdict, far.verdict) == ("reproduced", "differs")
    assert near.tolerance == pytest.approx(3 * (2 * 0.1**2) ** 0.5, rel=0.01)
    assert near.low < near.ours == 11.0 < near.high and near.games == 100


def test_a_family_of_cells_is_corrected_by_holm():
    values = [10.0, 12.0] * 50
    odd, even = (
        Cell("odd", "m", Published(11.45, 1.0, 100), values),
        Cell("even", "m", Published(11.0, 1.0, 100), values),
    )
    assert compare([odd])[0].verdict == "differs"
    assert [row.verdict for row in compare([odd] + [even] * 39)] == ["reproduced"] * 40


def test_comparing_with_printed_figures_is_welch_s_test():
    first, second = [3.0, 5.0, 8.0, 1.0], [9.0, 4.0, 6.0, 12.0, 10.0]
    cell = Cell("x", "m", Published(fmean(second), stdev(second), 5), first)
    assert cell.p == pytest.approx(welch_t(first, second).p)
    assert (
        Cell("x", "m", Published(2.0, 0.0, 5), [2.0, 2.0]).p == 1
        and Cell("x", "m", Published(2.0, 0.0, 5), [3.0, 3.0]).p == 0
    )


def test_intervals_of_differences_are_welch_s():
    from scipy import stats

    first, second = [3.0, 5.0, 8.0, 1.0], [9.0, 4.0, 6.0, 12.0, 10.0]
    interval = stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    ours = difference(first, second)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high))
    assert difference([1.0, 1.0], [2.0, 2.0]).low == -1
    assert mean_of(first).margin == pytest.approx(
        stats.t.interval(0.95, 3, fmean(first), stats.sem(first))[1] - fmean(first)
    )


def test_order_is_spearman_s_correlation():
    from scipy import stats

    first, second = [1.0, 2.0, 2.0, 5.0, 0.0], [3.0, 3.0, 1.0, 9.0, 2.0]
    assert solo.rank_correlation(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)
    assert solo.rank_correlation([1.0, 1.0], [1.0, 2.0]) == 0


# ---- Games seen afterwards ------------------------------------------------------------------------------


def test_a_review_of_a_game_keeps_its_points_turns_and_meeples():
    game = load("carcassonne")
    played = play_game(game, [agent("random")] * 2, 3, mode="plain")
    first, second = review(game, Record(0, 0, (0, 1), played.moves, played.payoffs, "rules"))
    assert first.score - second.score == round(593 * played.payoffs[0])
    assert len(first.hands) == len(first.used) == 36 and len(second.used) == 35
    for one in (first, second):
        assert one.hands[0] == 7 and one.meeples == one.played(99) >= one.played(99, farms=True)
        spare = [hand - (sort is not None) for hand, sort in zip(one.hands, one.used, strict=True)]
        assert all(after >= left for left, after in zip(spare, one.hands[1:], strict=False))  # meeples only come home


def test_random_games_have_the_meeples_of_the_source():
    run = run_of(lambda run: None, games=400)
    games = solo.solo(run, "Carc_3,s", solo.PLAYERS[9], solo.SoloSize(0, 2))
    assert fmean(g.score for g in games) == pytest.approx(8.176, abs=4 * 5.24 / 20)
    assert fmean(g.meeples for g in games) == pytest.approx(3.29, abs=0.15)
    assert fmean(g.played(99, farms=True) for g in games) == pytest.approx(1.59, abs=0.25)
    assert availability(games) == pytest.approx(0.197, abs=0.02) and efficiency(games) == pytest.approx(
        8.176 / 3.29, abs=0.4
    )


# ---- Tiny tables ----------------------------------------------------------------------------------------

# The names of the table, but agents that are quick to compile and to play.
QUICK = tuple(
    replace(player, text=constant(CHEAP[k % 2])) for k, player in enumerate(solo.PLAYERS) if k in (0, 3, 4, 9)
)


def tiny_solo(run):
    solo.fill(run, solo.SoloSize(10, 6, ("Carc_3,s",)), QUICK)


def test_solo_tables_do_not_depend_on_workers_or_interruptions(tmp_path):
    whole = filled(tiny_solo, tmp_path / "one")
    assert filled(tiny_solo, tmp_path / "two", workers=2) == whole
    same_files(tmp_path / "one", tmp_path / "two")
    (tmp_path / "two" / "table.json").unlink()
    record = tmp_path / "two" / "Carc-3-s--EA-MCTS.jsonl"
    record.write_bytes(record.read_bytes()[:-50])
    assert filled(tiny_solo, resume=tmp_path / "two") == whole
    same_files(tmp_path / "one", tmp_path / "two")
    rows = whole["rows"]
    assert [row["games"] for row in rows] == [4, 4, 4, 6, 18, 8]  # what needs no playouts plays more
    assert "10 playouts" in rows[0]["note"] and rows[4]["metric"] == "rank correlation"
    details = json.loads((tmp_path / "one" / "details.json").read_text("utf8"))["rows"]
    assert [sum(row["points"].values()) for row in details] == pytest.approx(
        [row["ours"] for row in rows[:4]], abs=1e-3
    )


def test_all_agents_alone_get_the_same_tiles(tmp_path):
    filled(tiny_solo, tmp_path / "a")
    game = load(solo.VARIANTS["Carc_3,s"])

    def tiles(record):
        state, drawn = game.start(), []
        for move in record.moves:
            if state.mover == CHANCE:
                drawn.append(move)
            state = state.play(move)
        return drawn

    first, second = (read_records(tmp_path / "a" / f"Carc-3-s--{name}.jsonl") for name in ("MCTS-C-0-5", "EA-MCTS"))
    orders = [(tiles(one), tiles(other)) for (_, one), (_, other) in zip(first, second, strict=True)]
    assert all(one == other for one, other in orders) and len({tuple(one) for one, _ in orders}) == 4


def tiny_league(*numbers, same_tiles, sequel):
    players = tuple(
        replace(leagues.FINALISTS[k], text=constant("random" if same_tiles else CHEAP[k % 2])) for k in numbers
    )
    table = replace(
        leagues.TABLE_6_8,
        players=players,
        same_tiles=same_tiles,
        challenger=replace(leagues.CHALLENGER, text=constant("random")),
    )
    names = {player.name for player in players}
    table = replace(table, printed={pair: cell for pair, cell in table.printed.items() if set(pair) <= names})
    return lambda run: leagues.fill(run, table, leagues.LeagueSize(10, sequel))


def test_a_league_of_one_event_is_the_same_for_two_workers(tmp_path):
    fill = tiny_league(0, 1, 6, same_tiles=False, sequel=0)
    whole = filled(fill, tmp_path / "one")
    assert filled(fill, tmp_path / "two", workers=2) == whole
    same_files(tmp_path / "one", tmp_path / "two")
    rows = whole["rows"]
    assert [row["metric"] for row in rows] == ["mean lead"] * 6 + ["league points"] * 3 + ["score"] * 3
    assert [row["games"] for row in rows] == [2] * 6 + [12] * 3 + [4] * 3
    assert (
        rows[6]["label"] == "league: 1. MCTS C=1" and rows[6]["ours"] > rows[7]["ours"]
    )  # who looks ahead beats who does not
    assert all("10 playouts" in row["note"] for row in rows) and "the league's games" in rows[-2]["note"]
    assert rows[-1]["label"] == "MCTS C=0.0089 against MCTS C=1" and rows[-1]["verdict"] in ("beaten", "measured")
    assert (tmp_path / "one" / "league.md").read_text("utf8").count("| MCTS C=1 ") == 3


def test_a_league_of_the_same_tiles_tests_neighbours_by_games_of_their_own(tmp_path):
    whole = filled(tiny_league(0, 6, same_tiles=True, sequel=2), tmp_path / "a")
    rows = whole["rows"]
    assert rows[-2]["games"] == 8 and rows[-2]["note"].endswith("SPRT of 0 against 100 normalised Elo: undecided")
    (league_games,) = (tmp_path / "a").glob("MCTS*Random.jsonl")
    (sequel,) = (tmp_path / "a").glob("neighbours*.jsonl")
    assert league_games.read_text("utf8").splitlines()[1] != sequel.read_text("utf8").splitlines()[1]


def test_pairs_of_games_are_scored_with_seats_exchanged():
    leads = {("a", "b"): [5, 0, -1], ("b", "a"): [-2, 0, 3]}
    assert leagues.pair_scores(leads, "a", "b") == [2, 1, 0] and leagues.pair_scores(leads, "b", "a") == [0, 1, 2]


@pytest.mark.parametrize("name", ["carcassonne-6.2", "carcassonne-6.3", "carcassonne-6.4", "carcassonne-6.8"])
def test_one_game_in_each_seat_is_refused_before_there_is_a_folder(name, tmp_path):
    with pytest.raises(BadParameter, match=f"{name}: games must be even and at least 4"):
        begin(TABLES[name], preset="quick", games=2, runs=None, seed=0, workers=1, out=tmp_path / "new", resume=None)
    assert not (tmp_path / "new").exists()


def test_constants_of_pairs_are_drawn_from_their_range():
    drawn = [base.constant_of(1, pair) for pair in range(400)]
    assert min(drawn) >= 0.5 and max(drawn) <= 3 and fmean(drawn) == pytest.approx(1.75, abs=0.15)
    assert (
        drawn[:3]
        == [base.constant_of(1, pair) for pair in range(3)]
        != [base.constant_of(2, pair) for pair in range(3)]
    )


# ---- Slow: the checklist --------------------------------------------------------------------------------


@pytest.mark.slow
def test_order_of_agents_alone():
    run = run_of(lambda run: None, games=10, workers=2)
    size = solo.SoloSize(1000, 10)
    means = [fmean(g.score for g in solo.solo(run, "Carc_3,d", solo.PLAYERS[k], size)) for k in (0, 6, 5, 9)]
    assert (
        means == sorted(means, reverse=True) and len(set(means)) == 4
    )  # MCTS > Expectimax-1-vs > Expectimax-1-s > Random
    assert means[1] - means[2] >= 8  # the virtual score is worth 14 to 25 points in print


@pytest.mark.slow
def test_rewards_are_compared_in_both_seats_and_in_all():
    run = run_of(base.fill_6_2, games=4, workers=2)
    base.fill_rewards(run, 50)
    first, second, both, scaled, divided = run.rows
    assert [row.games for row in run.rows] == [2, 2, 4, 4, 4] and "50 playouts" in both.note
    assert (
        divided.published == pytest.approx(0.935)
        and "R1 is ±1/593" in divided.note
        and divided.label.endswith("both divided")
    )
    assert scaled.published is None and scaled.verdict == "measured" and "0.0177 times that for R2" in scaled.note
    assert (first.ours + second.ours) / 2 == pytest.approx(both.ours)
    assert (first.published, second.published, both.published) == pytest.approx((0.91, 0.96, 0.935))


@pytest.mark.slow
def test_rewarding_points_beats_rewarding_wins_if_constants_fit_the_rewards():
    """The checklist asks for 14 wins of 20.  With one constant for both, 0.5 and more, wins are the better reward:
    docs/results/mcts.md.
    """
    points, wins = agent(f"mcts:playouts=200,c={0.5 * base.SPREAD:.6f}"), agent("mcts:playouts=200,c=0.5,reward=wins")
    assert match(load("carcassonne"), points, wins, games=20, seed=1).wins >= 14


@pytest.mark.slow
def test_constants_against_random_play():
    run = run_of(base.fill_6_3, games=4, workers=2)
    base.fill_constants(run, 50)
    assert [row.metric for row in run.rows] == [*base.METRICS * 10, *["score"] * 5]
    leads = {row.label: row for row in run.rows if row.metric == "lead"}
    assert all(row.games == 2 and row.ours > 0 for row in leads.values())
    scores = {row.label: row.ours for row in run.rows[:40] if row.metric == "score"}
    for row in run.rows[40:]:
        name = row.label.removesuffix(", first seat less second")
        assert row.ours == pytest.approx(scores[f"{name}, first seat"] - scores[f"{name}, second seat"])
