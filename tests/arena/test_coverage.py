"""Intervals hold the truth as often as they say: by enumeration where that can be done, else by simulation with a fixed
seed.
"""

import json
import math
import random
from functools import cache

import numpy as np
import pytest

from ludwin.arena.rating import ELO, Meeting, rate
from ludwin.arena.stats import (
    MOST_MARKS,
    NORMALISED_ELO,
    Repeats,
    Sprt,
    elo,
    elo_of,
    normalised_elo,
    score,
    summary,
    trinomial,
)
from ludwin.cli import main
from ludwin.errors import BadParameter

pytestmark = pytest.mark.thorough

SHARES = np.linspace(0.01, 0.99, 99)  # true scores that are tried
LEVEL = 0.95


@cache
def results(n):
    """All counts of three outcomes in n observations, and the logarithms of how many orders each has."""
    found = np.array([(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)])
    return found, math.lgamma(n + 1) - np.array([sum(math.lgamma(k + 1) for k in row) for row in found])


def coverage(interval, n, worlds):
    """Return how often the interval of n observations holds the truth, for each world (probabilities of the outcomes,
    truth).
    """
    found, orders = results(n)
    ends = np.array([(e.low, e.high) for e in map(interval, map(tuple, found.tolist()))])
    held = []
    for probabilities, truth in worlds:
        logs = np.log(np.maximum(probabilities, 1e-300))
        chance = np.exp(orders + found @ logs)
        held.append(chance[(ends[:, 0] <= truth + 1e-9) & (ends[:, 1] >= truth - 1e-9)].sum())
    return min(held)


WITHOUT_DRAWS = [((1 - p, 0.0, p), p) for p in SHARES]
WITH_DRAWS = [
    (((1 - d) * (1 - p), d, (1 - d) * p), (1 - d) * p + d / 2)
    for d in (0.02, 0.1, 0.3, 0.5, 0.8, 0.95)
    for p in SHARES[::4]
]
IN_PAIRS = [(((1 - p) ** 2, 2 * p * (1 - p), p * p), p) for p in SHARES]  # of games that are independent


def as_pairs(counts):
    return counts[0], 0, counts[1], 0, counts[2]


def normalised(worlds, games):
    """Return worlds whose truth is the normalised Elo."""
    found = []
    for chances, mean in worlds:
        deviation = math.sqrt(sum(c * (s - mean) ** 2 for c, s in zip(chances, (0, 0.5, 1), strict=True)))
        found.append((chances, (mean - 0.5) / deviation * NORMALISED_ELO / math.sqrt(games)))
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40])
def test_without_draws_a_score_is_covered_19_times_in_20_however_few_games(n):
    assert coverage(score, n, WITHOUT_DRAWS) >= LEVEL
    assert coverage(elo, n, [(chances, elo_of(p)) for chances, p in WITHOUT_DRAWS]) >= LEVEL


@pytest.mark.parametrize("n", [2, 3, 5, 9, 14, 20, 30])
def test_with_draws_a_score_is_covered_19_times_in_20(n):
    assert coverage(score, n, WITH_DRAWS) >= LEVEL


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9, 14, 20])
def test_in_pairs_a_score_is_covered_19_times_in_20(n):
    assert coverage(lambda counts: score(as_pairs(counts)), n, IN_PAIRS) >= LEVEL


@pytest.mark.parametrize("n", [2, 3, 5, 9, 14, 20, 30])
def test_normalised_elo_is_covered_19_times_in_20(n):
    assert coverage(normalised_elo, n, normalised(WITHOUT_DRAWS, 1)) >= LEVEL
    assert coverage(normalised_elo, n, normalised(WITH_DRAWS, 1)) >= LEVEL
    assert coverage(lambda counts: normalised_elo(as_pairs(counts)), n, normalised(IN_PAIRS, 2)) >= LEVEL


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 12, 20, 30])
def test_the_rating_of_two_players_is_covered_19_times_in_20_up_to_400_elo(n):
    ends = [rate([Meeting("a", "b", wins, 0, n - wins)]).elo()["a"] for wins in range(n + 1)]
    for p in np.linspace(1 / 11, 10 / 11, 83):
        truth = ELO * math.log(p / (1 - p)) / 2
        chances = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        assert sum(c for c, e in zip(chances, ends, strict=True) if e.low <= truth <= e.high) >= LEVEL


def test_nothing_is_known_of_players_without_games():
    table = rate([], players=["a", "b"])
    assert {(e.value, e.low, e.high) for e in table.elo().values()} == {(0.0, -math.inf, math.inf)}


# ---- Repeated games


def test_copies_of_a_game_are_one_game():
    repeats = Repeats()
    for _ in range(1000):
        repeats.note(5)
        repeats.note(6)  # the same game with seats exchanged
    assert (repeats.games, repeats.distinct, repeats.effective) == (2000, 2, 2.0)
    whole = score((0, 0, 0, 0, 1000), share=repeats.share)
    assert whole == score((0, 0, 0, 0, 1)) and whole.low < 0.03
    assert score((0, 0, 0, 0, 1000)).low > 0.99


def test_different_games_count_in_full():
    repeats = Repeats()
    for k in range(50):
        repeats.note(k)
    for _ in range(50):
        repeats.note(None)  # nobody knows its moves
    assert (repeats.distinct, repeats.effective, repeats.share) == (100, 100.0, 1.0)


def test_a_match_is_worth_no_more_than_its_different_games():
    rng = random.Random(4)
    for kinds in (1, 2, 5, 40):
        repeats = Repeats()
        for _ in range(500):
            repeats.note(int(kinds * rng.random() ** 2))
            assert 1 <= repeats.effective <= repeats.distinct + 1e-9


def test_shares_of_further_games_are_those_that_follow():
    rng, marks = random.Random(8), []
    repeats, ahead = Repeats(), Repeats()
    for _ in range(30):
        repeats.note(rng.randrange(6))
        ahead.note(None)
    ahead.seen, ahead.games, ahead.squares = dict(repeats.seen), repeats.games, repeats.squares
    marks = [rng.choice([None, *range(12)]) for _ in range(40)]
    promised = repeats.shares_after(marks)
    found = []
    for mark in marks:
        ahead.note(mark)
        found.append(ahead.share)
    assert promised == pytest.approx(found)
    assert repeats.games == 30


def test_marks_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr("ludwin.arena.stats.MOST_MARKS", 10)
    repeats = Repeats()
    for k in range(100):
        repeats.note(k)
    assert len(repeats.seen) == 10 and repeats.distinct == 100 and MOST_MARKS > 10**5


def test_a_share_is_a_share():
    for share in (0.0, -1.0, 1.5, math.nan):
        with pytest.raises(BadParameter, match="share of games that count"):
            score((0, 0, 1), share=share)


def simulated(rng, truth, kinds, games, concentration):
    """Play a match of players who know `kinds` games, of which a share `truth` is won, some far oftener than others."""
    won = [rng.random() < truth for _ in range(kinds)]
    weights = [rng.gammavariate(concentration, 1) + 1e-12 for _ in range(kinds)]
    repeats, wins = Repeats(), 0
    for kind in rng.choices(range(kinds), weights, k=games):
        repeats.note(kind)
        wins += won[kind]
    return trinomial(wins, 0, games - wins), repeats


@pytest.mark.parametrize("truth", [0.5, 0.75, 0.938])
@pytest.mark.parametrize(("kinds", "concentration"), [(1, 1.0), (3, 0.3), (3, 1.0), (12, 0.3), (40, 1.0), (400, 1.0)])
def test_players_who_repeat_themselves_do_not_narrow_the_interval(truth, kinds, concentration):
    """The truth is the share of games that is won among all that might be played; the match sees `kinds` of them."""
    rng, trials = random.Random(f"{truth} {kinds} {concentration}"), 400
    held = naive = 0
    for _ in range(trials):
        counts, repeats = simulated(rng, truth, kinds, 300, concentration)
        ours, theirs = score(counts, share=repeats.share), score(counts)
        held += ours.low <= truth <= ours.high
        naive += theirs.low <= truth <= theirs.high
    assert held / trials >= LEVEL - 0.022  # two standard errors of 400 trials
    if kinds <= 3:
        assert naive / trials < 0.7  # what was printed before


def test_a_sequential_test_is_not_decided_by_copies():
    test = Sprt(0, 100)
    assert test.first_decision([1.5] * 500) is not None
    repeats = Repeats()
    shares = repeats.shares_after([k % 2 for k in range(1000)])[1::2]
    assert test.first_decision([1.5] * 500, shares=shares) is None
    assert test.decide((0, 0, 0, 500, 0), shares[-1]) == "continue"


def test_a_match_of_nearly_deterministic_players_says_how_little_it_is_worth(capsys):
    words = ["match", "connect-four", "alphabeta:depth=3", "alphabeta:depth=1", "--games", "200"]
    assert main([*words, "--json"]) == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert data["distinct"] <= data["games"] / 2 and data["effective"] <= data["distinct"]
    assert data["high"] - data["low"] > 0.1
    assert f"only {data['distinct']} of the 200 games differ" in err and "--openings N" in err
    assert main([*words, "--openings", "4", "--json"]) == 0
    out, err = capsys.readouterr()
    varied = json.loads(out)
    assert varied["distinct"] > 150 and "differ" not in err
    assert data["low"] <= varied["score"] <= data["high"]


def test_random_players_repeat_nothing_and_are_not_warned(capsys):
    assert main(["match", "connect-four", "random", "random", "--games", "40", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["distinct"] == 40 and "differ" not in err


def test_rate_counts_distinct_games_of_all_files_together(tmp_path, capsys):
    words = ["match", "nim", "alphabeta:depth=21", "alphabeta:depth=20", "--games", "10"]
    for name in ("a", "b"):
        assert main([*words, "--seed", "1", "--out", str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert main(["rate", str(tmp_path / "a"), str(tmp_path / "b"), "--json"]) == 0
    out, err = capsys.readouterr()
    (cross,) = json.loads(out)["crosstable"]
    assert cross["games"] == 20 and cross["distinct"] <= 10 and cross["effective"] < 18
    assert "games differ" in err or "games of" in err


def test_rate_of_no_games_says_that_nothing_is_known(tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    assert main(["match", "nim", "random", "greedy", "--games", "2", "--out", str(path)]) == 0
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    capsys.readouterr()
    assert main(["rate", str(path)]) == 0
    out = capsys.readouterr().out
    assert "2771" not in out and out.count("[-∞, +∞]") == 2
    assert main(["rate", str(path), "--json"]) == 0
    assert [row["elo"] for row in json.loads(capsys.readouterr().out)["ratings"]] == [
        {"value": 0.0, "low": None, "high": None}
    ] * 2


def test_a_summary_of_copies_is_the_summary_of_one():
    assert summary((0, 500, 0), 1 / 500).score == summary((0, 1, 0)).score
    assert summary((3, 2, 5), 1.0) == summary((3, 2, 5))
