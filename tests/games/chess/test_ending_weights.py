"""Endgame players that are weighted sums of all terminals: their numbers, how CMA-ES breeds them, what is refused."""

import pytest

from ludwin.errors import BadParameter
from ludwin.evolve.engine import evolve
from ludwin.evolve.experiment import plan, settle
from ludwin.evolve.run import Run
from ludwin.evolve.strengths import Study, restricted
from ludwin.games.chess.evolve import ENDING_SUMS, TwoWays, kind, match, pair_points, rival
from ludwin.games.chess.evolve.endings import POINTS, Endings
from ludwin.games.chess.evolve.sums import terms_of
from ludwin.games.chess.evolve.weights import ALWAYS, EndgameWeights
from ludwin.games.chess.language import NAMES, TACTICAL
from ludwin.program.stream import Stream

FEW = {"population": 8, "generations": 2, "master_games": 4, "cap": 30}


def breeder(**given):
    return kind(settle(ENDING_SUMS, "standard", given))


def test_every_terminal_that_differs_has_a_weight_with_the_sign_that_the_book_means():
    weights = breeder()
    names = [term.primitive(0).name for term in weights.terminals]
    assert names == [name for name in NAMES if name not in ALWAYS] and len(names) == 31
    below = {name for name, weight in zip(names, weights.first(), strict=True) if weight < 0}
    assert below == {"IsMateInOne", "ValueOppPiecesAttacking", "IsOppKingProtectingPiece"}


@pytest.mark.parametrize("apart", [0, 1])
def test_weights_are_numbers_and_programs_and_numbers_again(apart):
    weights = breeder(apart=apart)
    assert isinstance(weights, EndgameWeights) and len(weights.first()) == len(weights.spans(1.0)) == 31 * (
        1 + 2 * apart
    )
    for genome in weights.begin(4, Stream(2)):
        again = weights.of_vector(weights.vector(genome))
        assert again == genome == weights.read(weights.write(genome))
        assert len(set(genome)) == (3 if apart and genome != weights.of_vector(weights.first()) else 1)
    assert weights.vector(weights.begin(1, Stream(2))[0]) == weights.first()


def test_the_tactical_flavour_has_six_weights_more():
    weights = breeder(flavour="tactical")
    names = [term.primitive(0).name for term in weights.terminals]
    assert names == [name for name in (*NAMES, *TACTICAL) if name not in ALWAYS] and len(names) == 37
    below = {name for name, weight in zip(names, weights.first(), strict=True) if weight < 0}
    assert below & set(TACTICAL) == {"ValueOppWinsByForce", "IsOppMateByForce"}
    genome = weights.begin(2, Stream(2))[1]
    assert weights.read(weights.write(genome)) == genome == weights.of_vector(weights.vector(genome))
    sums = breeder(flavour="tactical", form="sums", breeding="gp")
    grown = [sums.mutate(one, Stream(4, k)) for k, one in enumerate(sums.begin(40, Stream(3)))]
    assert all(tree.language.name == "chess endings, sums, tactical" for genome in grown for tree in genome)
    assert any("ByForce" in sums.text(genome) for genome in grown)


def test_one_program_is_taken_apart_once():
    settings = settle(ENDING_SUMS, "standard", {})
    facts = ENDING_SUMS.facts(settings, kind(settings).begin(1, Stream(1))[0])
    assert [key for key in facts if ":" not in key] == ["all programs"]
    assert facts["all programs: used"]["IsMyFork"] == 1


def test_a_terminal_that_is_left_out_has_no_weight():
    left = breeder(leave_out="IsMyFork IsMateInOne")
    with pytest.raises(BadParameter, match="leave_out leaves none"):
        breeder(leave_out=" ".join(name for name in NAMES if name not in ALWAYS))
    assert len(left.terminals) == 29 and "IsMyFork" not in left.text(left.begin(1, Stream(1))[0])


@pytest.mark.parametrize("form", ["sums", "weights"])
def test_strengths_are_measured_without_what_is_left_out(form):
    only = ["IsMyFork", "EvaluateMaterial", "IsMate"]
    kept = restricted(breeder(form=form, breeding="gp"), only)
    assert kept.readable() == [name for name in NAMES if name in only and (form == "sums" or name not in ALWAYS)]
    genomes = kept.begin(8, Stream(3))
    genomes += [kept.mutate(one, Stream(4, k)) for k, one in enumerate(genomes)]
    read = {one.name for g in genomes for tree in g for one in map(tree.primitive, range(len(tree))) if one.reads}
    assert read and read <= set(only)


def test_a_small_run_with_one_terminal_has_one_weight(tmp_path):
    settings = settle(ENDING_SUMS, "standard", FEW | {"generations": 1})
    study = Study(Run(tmp_path, ENDING_SUMS, "standard", settings, 1), kind(settings).begin(1, Stream(1))[0], 4, runs=1)
    assert study.names() == breeder().readable() and 0.0 <= study.trial(["EvaluateMaterial"]) <= 1.0


def test_cma_moves_weights_and_nothing_else_and_workers_change_nothing():
    settings = settle(ENDING_SUMS, "standard", FEW)
    weights = kind(settings)
    one, two = (list(evolve(weights, TwoWays(settings, workers), plan(settings), 3)) for workers in (1, 2))
    assert [g.individuals for g in one] == [g.individuals for g in two] and len(one) == 3
    for individual in one[-1].individuals:
        assert list(terms_of(individual.genome[0])) == list(weights.terminals)
        assert individual.detail == {"games": 4.0}
    assert one[-1].best.genome != one[0].best.genome


def test_somebody_must_be_met():
    with pytest.raises(BadParameter, match="cannot both be 0"):
        ENDING_SUMS.examine(settle(ENDING_SUMS, "standard", {"master_games": 0}))
    with pytest.raises(BadParameter, match="form=weights is of the language stage3"):
        kind(settle(ENDING_SUMS, "standard", {"language": "stage2"}))


@pytest.mark.thorough
def test_a_few_generations_of_weights_beat_the_first_by_far():
    settings = settle(ENDING_SUMS, "standard", {"population": 20, "generations": 8, "master_games": 40})
    history = list(evolve(kind(settings), TwoWays(settings, 1), plan(settings), 1))
    endings = Endings(("KQRKQR",))
    first, last = (
        sum(pair_points(match(endings, one.individuals[0].genome, rival("master"), 400, 9), POINTS)) / 200
        for one in (history[0], history[-1])
    )
    assert last > first + 0.05
