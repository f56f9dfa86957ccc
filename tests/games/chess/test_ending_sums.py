"""Endgame players whose programs are weighted sums: what they are, how they breed, what they play."""

import pytest

from ludwin.errors import BadParameter
from ludwin.evolve.experiment import settle
from ludwin.evolve.minds import read_player
from ludwin.games.chess.evolve import ENDING_SUMS, ENDINGS, TwoWays, kind, match, pair_points, player, rival
from ludwin.games.chess.evolve.endings import POINTS, Endings
from ludwin.games.chess.evolve.sums import LARGEST, TERM_NODES, EndgameSums, against, sum_of, terms_of
from ludwin.games.chess.language import NAMES, sums
from ludwin.games.chess.opponents.advised import board_values
from ludwin.library import load
from ludwin.program.stream import Stream
from ludwin.program.text import read


def truth(text):
    """Return a program that is true or false: that below a conditional."""
    return read(sums(), f"If3({text}, IsMyFork, IsMyFork)").subtree(1)


SMALL = {"population": 6, "cap": 20, "master_games": 2}
TERMS = {
    read(sums(), "IsOppKingInCheck"): 2.0,
    read(sums(), "NumNotMovesOppKing"): -0.5,
    truth("And2(IsOppKingInCheck, AreMyPiecesUnattacked)"): 3.0,
}


def bred(breeder, rounds=300):
    stream = Stream(3)
    genomes = breeder.begin(20, stream.split(0))
    for k in range(rounds):
        a, b = breeder.cross(genomes[k % 20], genomes[(k + 7) % 20], stream.split(1, k))
        genomes[k % 20], genomes[(k + 7) % 20] = breeder.mutate(a, stream.split(2, k)), b
    return genomes


def test_the_language_of_sums_has_the_books_terminals_and_functions_and_a_sum_and_a_product():
    words = sums()
    assert [one.name for one in words.primitives if one.reads] == list(NAMES)
    assert sum(bool(one.takes) for one in words.primitives) == 8 + 2


def test_a_sum_is_read_as_the_terms_it_was_made_of():
    assert terms_of(sum_of(TERMS)) == TERMS
    assert terms_of(sum_of({})) == {}
    twice = read(sums(), "Plus(Times(IsMyFork, 1.0), Times(IsMyFork, 0.5))")
    assert terms_of(twice) == {read(sums(), "IsMyFork"): 1.5}
    assert list(terms_of(sum_of({read(sums(), "IsMyFork"): 1e300})).values()) == [LARGEST]


def test_a_sum_is_worth_its_weighted_terms_on_a_board():
    state = load("chess").position("8/8/6K1/8/2r1k3/R7/7q/3Q4 w - - 0 1")
    for move in state.moves():
        found = board_values(state, move, sum_of(TERMS))
        safe = found["IsOppKingInCheck"] and found["AreMyPiecesUnattacked"]
        wanted = 2.0 * found["IsOppKingInCheck"] - 0.5 * found["NumNotMovesOppKing"] + 3.0 * bool(safe)
        assert found[""] == pytest.approx(wanted)


def test_first_programs_are_alike_and_then_drift_apart_and_stay_small_sums():
    breeder = kind(settle(ENDING_SUMS, "quick", {}))
    assert isinstance(breeder, EndgameSums)
    assert all(len(set(genome)) == 1 for genome in breeder.begin(20, Stream(3, 0)))
    genomes = bred(breeder)
    assert sum(len(set(genome)) == 3 for genome in genomes) > 10
    terms = [term for genome in genomes for tree in genome for term in terms_of(tree)]
    assert max(len(terms_of(tree)) for genome in genomes for tree in genome) <= breeder.most_terms
    assert 1 < max(map(len, terms)) <= TERM_NODES and min(map(len, terms)) == 1
    assert [breeder.read(breeder.write(genome)) for genome in genomes] == genomes
    assert bred(breeder, 40) == bred(breeder, 40)


def test_a_program_never_has_more_terms_than_it_may():
    breeder = EndgameSums((("even", sums()),), words=kind(settle(ENDING_SUMS, "quick", {})).words, most_terms=3)
    assert max(len(terms_of(tree)) for (tree,) in bred(breeder, 100)) == 3


def test_a_new_terminal_mostly_counts_for_the_player_and_a_threat_of_mate_mostly_against():
    words = sums()
    assert against(read(words, "IsMyFork")) < 0.5 < against(read(words, "IsMateInOne"))
    assert against(truth("Not(IsMyFork)")) == 0.5


def test_terms_that_are_left_out_are_never_read():
    settings = settle(ENDING_SUMS, "quick", {"leave_out": "IsMate IsMyFork"})
    texts = " ".join(kind(settings).text(genome) for genome in bred(kind(settings), 60))
    assert "IsMyFork" not in texts and "IsMate," not in texts and "IsMateInOne" in texts


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"language": "stage1"}, "leave language out"),
        ({"leave_out": "IsMat"}, "did you mean 'IsMate'"),
        ({"master_games": 3}, "must be even"),
    ],
)
def test_settings_that_sums_have_not_are_refused_by_name(given, said):
    with pytest.raises(BadParameter, match=said):
        ENDING_SUMS.examine(settle(ENDING_SUMS, "quick", given))


def test_the_form_is_a_setting_and_the_books_experiment_has_trees():
    assert not isinstance(kind(settle(ENDINGS, "quick", {})), EndgameSums)
    assert isinstance(kind(settle(ENDINGS, "quick", {"form": "sums"})), EndgameSums)


def test_a_generation_of_sums_is_scored_alike_whoever_works():
    settings = settle(ENDING_SUMS, "quick", SMALL)
    genomes = kind(settings).begin(6, Stream(1))
    alone, together = (TwoWays(settings, workers).score(genomes, 0, Stream(2)) for workers in (1, 2))
    assert alone == together and {detail["games"] for _, detail in alone} == {4.0 + 2.0}


def test_a_champion_of_sums_is_kept_in_a_file_and_plays_from_it():
    settings = settle(ENDING_SUMS, "quick", {})
    genome = kind(settings).begin(3, Stream(4))[2]
    kept = read_player(ENDING_SUMS.champion(settings, genome)["player"])
    state = Endings(("KQRKQR",)).start(0, 1)
    assert kept == player(settings, genome)
    assert kept.choose(state.game, state, seed=5) == player(settings, genome).choose(state.game, state, seed=5)
    mixed = (genome[0], *kind(settings).begin(2, Stream(5))[1][1:])
    assert set(ENDING_SUMS.facts(settings, mixed)) >= {"advantage", "even", "disadvantage"}


@pytest.mark.thorough
def test_a_few_generations_of_sums_come_far_above_the_first():
    from ludwin.evolve.engine import evolve
    from ludwin.evolve.experiment import plan

    given = {"endings": "KRRKRR", "population": 30, "generations": 8, "master_games": 30}
    settings = settle(ENDING_SUMS, "quick", given)
    history = list(evolve(kind(settings), TwoWays(settings, 1), plan(settings), 1))
    endings = Endings(("KRRKRR",))
    first, last = (
        sum(pair_points(match(endings, generation.best.genome, rival("master"), 400, 9), POINTS)) / 200
        for generation in (history[0], history[-1])
    )
    assert last > first + 0.05
