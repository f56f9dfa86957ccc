"""Fitness by play: what its text means, who meets whom how often, and who sits out."""

import re
from collections import Counter

import pytest

from ludwin.errors import BadParameter
from ludwin.evolve.bouts import Bout
from ludwin.evolve.meetings import FAME, ByPlay, ByPlayWithFame, Term, by_play, terms
from ludwin.evolve.population import Generation, Individual
from ludwin.program.stream import Stream


class Numbers:
    """Bouts between numbers: the greater wins, equal ones draw. It keeps a list of who met whom."""

    seats = 2
    variety = 10**9  # games against a guide that differ

    def __init__(self):
        self.met, self.seeds = [], []

    def pairs(self, games, seeds):
        assert len(games) == len(seeds) == len(set(seeds))
        self.met += games
        found = [
            ((first > second) + (first == second) / 2, (second > first) + (first == second) / 2)
            for first, second in games
        ]
        return [(Bout(a, hash((0, game))), Bout(b, hash((1, game)))) for game, (a, b) in zip(games, found, strict=True)]

    def all_against(self, genomes, opponent, seeds):
        """Score the share `genome` of all games, as exactly as halves allow."""
        self.met += [(genome, opponent) for genome in genomes for _ in range(2 * len(seeds))]
        self.seeds.append(tuple(seeds))
        return [
            [
                Bout(1.0 if (k + 1) * genome // 1 > k * genome // 1 else 0.0, k % self.variety)
                for k in range(2 * len(seeds))
            ]
            for genome in genomes
        ]


def play(text, genomes, rounds=1, cutoff=0.25, memory=None, seed=1):
    """Return points and games of each genome, and the bouts."""
    bouts = Numbers()
    fitness = by_play(bouts, text, lambda term: f"{term.kind}{term.depth}", rounds=rounds, cutoff=cutoff)
    found = (
        fitness.score(genomes, 0, Stream(seed))
        if memory is None
        else fitness.score_knowing(genomes, memory, 0, Stream(seed))
    )
    assert all(points == detail["points"] for points, detail in found)
    return [points for points, _ in found], [detail["games"] for _, detail in found], bouts


def test_details_tell_how_many_games_differ(monkeypatch):
    def details(text, genomes):
        found = by_play(Numbers(), text, lambda term: "guide", rounds=1, cutoff=1.0).score(genomes, 0, Stream(1))
        return [(detail["games"], detail["distinct"]) for _, detail in found]

    assert details("20guide3", [1.0, 0.5]) == [(20, 20)] * 2
    monkeypatch.setattr(Numbers, "variety", 3)
    assert details("20guide3", [1.0, 0.5]) == [(20, 3)] * 2
    assert details("20co", [1.0, 0.5]) == [(40, 2)] * 2  # the same two numbers in both orders, again and again


# ---- The text ------------------------------------------------------------------------------------


def test_terms_are_read_as_the_book_writes_them():
    assert terms("20Rand+30Co") == (Term(20, "rand"), Term(30, "co"))
    assert terms(" 20guide5 + 2 0co") == (Term(20, "guide", 5), Term(20, "co"))
    assert terms("4floor12*2.5+1fame*3+2ways+4knockout") == (
        Term(4, "floor", 12, 2.5),
        Term(1, "fame", 0, 3.0),
        Term(2, "ways"),
        Term(4, "knockout"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot read ''; terms are such as 20rand"),
        ("20guide3+", "cannot read ''"),
        ("guide3", "cannot read 'guide3'"),
        ("20ab5", "cannot read '20ab5'"),
        ("20co*x", "cannot read '20co*x'"),
        ("20co*1.2.3", "cannot read '20co*1.2.3'"),
        ("20guide", "lacks the depth of the guide, as in 20guide3"),
        ("20co3", "'20co3' has a depth, but co takes none"),
        ("21guide3", "must have an even number of games"),
        ("0co", "'0co' must have games"),
        ("-2co", "cannot read '-2co'"),
        ("99999999999998guide3", "must have at most 1000000 games"),
        ("9" * 5000 + "co", "cannot read '999"),
    ],
)
def test_what_is_no_fitness_is_refused_in_one_line(text, message):
    with pytest.raises(BadParameter, match=re.escape(message)) as caught:
        terms(text)
    assert "\n" not in str(caught.value)


# ---- Games among the population ----------------------------------------------------------------------


def test_everybody_plays_as_often_in_each_seat():
    genomes = list(range(9))
    _, games, bouts = play("6co", genomes)
    assert (
        Counter(first for first, _ in bouts.met)
        == Counter(second for _, second in bouts.met)
        == dict.fromkeys(genomes, 6)
    )
    assert all(first != second for first, second in bouts.met)
    assert games == [12] * 9


def test_both_players_of_a_game_are_credited():
    points, games, bouts = play("3co", [5, 1, 9, 1])
    assert sum(points) == len(bouts.met) == sum(games) / 2 == 12
    assert points[2] == 6 and points[0] == 3 + sum((a, b) in ((5, 1), (1, 5)) for a, b in bouts.met) - 3
    doubled = play("3co*2", [5, 1, 9, 1])[0]
    assert doubled == [2 * value for value in points]


def test_the_draw_of_opponents_hangs_on_the_seed_alone():
    assert (
        play("4co", list(range(8)))[2].met
        == play("4co", list(range(8)))[2].met
        != play("4co", list(range(8)), seed=2)[2].met
    )


def test_ways_are_two_games_against_each_drawn_opponent():
    points, games, bouts = play("3ways", list(range(8)))
    assert games == [6] * 8
    assert all(bouts.met[k] == bouts.met[k + 1][::-1] for k in range(0, len(bouts.met), 2))  # both seats
    assert points[7] == 6 and points[0] == 0


def test_knockout_gives_the_champion_one_and_the_first_losers_least():
    points, _, _ = play("4knockout", list(range(8)))
    assert sorted(points) == [1 / 8] * 4 + [1 / 4] * 2 + [1 / 2, 1]
    assert points[7] == 1
    with pytest.raises(BadParameter, match="a power of two, got 6"):
        play("4knockout", list(range(6)))


def test_nobody_plays_alone():
    with pytest.raises(BadParameter, match="a population of at least 2"):
        play("4co", [1])


# ---- Guides -------------------------------------------------------------------------------------------


def test_guides_are_met_as_often_as_written_on_the_same_seeds():
    points, games, bouts = play("8guide3+4rand", [0.0, 0.5, 1.0], cutoff=1.0)
    assert Counter(bouts.met) == {
        (genome, rival): number for genome in (0.0, 0.5, 1.0) for rival, number in (("guide3", 8), ("rand0", 4))
    }
    assert games == [12] * 3 and points == [0, 6, 12]
    assert [len(seeds) for seeds in bouts.seeds] == [4, 2] and not set(bouts.seeds[0]) & set(bouts.seeds[1])


def test_rounds_share_the_games_as_evenly_as_they_can():
    for games, rounds, shares in ((20, 3, [3, 3, 4]), (20, 4, [2, 2, 3, 3]), (4, 9, [1, 1])):
        bouts = play(f"{games}guide3", [1.0, 1.0], rounds=rounds)[2]
        assert [len(seeds) for seeds in bouts.seeds] == shares
        assert len({seed for seeds in bouts.seeds for seed in seeds}) == games // 2


def test_who_trails_by_more_than_the_cutoff_sits_out():
    genomes = [1.0, 0.75, 0.5, 0.25]
    points, games, _ = play("32guide3", genomes, rounds=4, cutoff=0.3)
    assert games == [32, 32, 8, 8]  # after 8 games 8, 6, 4 and 2 points; 0.3 * 8 may be missing
    assert points == [32, 24, 4, 2]
    assert play("32guide3", genomes, rounds=4, cutoff=0.5)[1] == [32, 32, 32, 8]
    assert play("32guide3", genomes, rounds=4, cutoff=0.0)[1] == [32, 8, 8, 8]
    assert play("32guide3", genomes, rounds=4, cutoff=1.0)[1] == [32] * 4
    assert play("32guide3", genomes, rounds=1, cutoff=0.0)[1] == [32] * 4  # everybody plays the first round


def test_the_cutoff_counts_all_points_that_there_were():
    # After 4 games in each seat the best has 8 points of 8 and the worst 0; half of them may be missing, so it sits
    # out.
    assert play("4co+8guide3", [1.0, 0.0], cutoff=0.5)[1] == [16, 8]
    assert play("4co+8guide3", [1.0, 0.0], cutoff=1.0)[1] == [16, 16]
    assert play("8guide3*2+8guide5", [1.0, 0.5, 0.0], cutoff=0.6)[1] == [16, 16, 8]


# ---- The hall of fame ---------------------------------------------------------------------------------


def test_fame_is_met_from_both_seats():
    points, games, bouts = play("5fame", [3, 1], memory=(2,))
    assert games == [10, 10] and points == [10, 0]
    assert Counter(bouts.met) == {(3, 2): 5, (2, 3): 5, (1, 2): 5, (2, 1): 5}
    assert play("5fame", [3, 1], memory=())[1] == [0, 0]  # the first generation has nobody to meet


def test_the_best_of_each_generation_enters_and_the_oldest_leaves():
    fitness = by_play(Numbers(), "5fame", str, rounds=1, cutoff=0.0)
    assert isinstance(fitness, ByPlayWithFame) and not isinstance(
        by_play(Numbers(), "5co", str, rounds=1, cutoff=0.0), ByPlayWithFame
    )
    memory = ()
    for number in range(FAME + 3):
        made = Generation(number, (Individual(-1, 0.0), Individual(number, 1.0)))
        memory = fitness.admit(memory, made, Stream(1))
    assert memory == tuple(range(3, FAME + 3))
    again = Generation(99, (Individual(5, 1.0),))
    assert fitness.admit(memory, again, Stream(1)) == (*(k for k in memory if k != 5), 5)


def test_only_games_against_fixed_opponents_are_scored_once_and_for_all():
    relative = {
        text: by_play(Numbers(), text, str, rounds=1, cutoff=0.0).relative
        for text in ("4guide3", "4rand+2floor3", "4guide3+1co", "1ways", "2knockout")
    }
    assert relative == {"4guide3": False, "4rand+2floor3": False, "4guide3+1co": True, "1ways": True, "2knockout": True}
    assert issubclass(ByPlayWithFame, ByPlay)
