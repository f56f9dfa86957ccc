"""Policies as brains: the first rule that holds speaks, in all modes, and what cannot speak is refused."""

import pytest

from ludwin import agent, load
from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.minds import read_player, written
from ludwin.games.freecell.evolve import weighed
from ludwin.games.freecell.language import conditions
from ludwin.games.parking.evolve.policies import brain, hand_made
from ludwin.games.parking.language import CONDITIONS, FORMULAS
from ludwin.program.text import read
from ludwin.search.brain import Weights
from ludwin.search.policies import PolicyBrain

TRUE, FALSE = (read(CONDITIONS, f"LowerEqual(ERC[{a}], ERC[0.5])") for a in (0.25, 0.75))


def value(text):
    return read(FORMULAS, text)


@pytest.mark.parametrize(("mode", "cards"), [("plain", (1,)), ("checked", (1, 5)), ("fast", range(1, 41, 4))])
def test_the_policy_made_by_hand_searches_as_the_function_that_is_written_by_hand(mode, cards):
    game = load("parking")
    texts = ("ida:increment=20,order=estimate", "ida:increment=20,order=estimate,eval=hc")
    by_rules = agent(texts[0]).with_brain(brain(hand_made())).solving(game, mode)
    by_code = agent(texts[1]).solving(game, mode)
    for card in cards:
        state = game.position(f"#{card}")
        found = by_rules.solve(state)
        assert found.solved and found == by_code.solve(state)


@pytest.mark.parametrize(
    ("rules", "speaks"),
    [
        ((TRUE, TRUE), "H1"),
        ((FALSE, TRUE), "H2"),
        ((FALSE, FALSE), "H3"),
    ],
)
def test_the_first_rule_that_holds_speaks_and_the_default_where_none_does(rules, speaks):
    game = load("parking")
    state = game.position("#1")
    values = tuple(value(word) for word in ("H1", "H2", "H3"))
    found = agent("best-first:nodes=300").with_brain(PolicyBrain(rules, values)).solve(game, state, mode="plain")
    alone = PolicyBrain((), (value(speaks),))
    assert found == agent("best-first:nodes=300").with_brain(alone).solve(game, state, mode="plain")
    assert found == agent(f"best-first:nodes=300,eval={speaks.lower()}").solve(game, state, mode="plain")


def test_weighted_sums_are_the_queries_times_their_weights():
    game = load("freecell:empty=first,auto=true")
    settings = {"extra": False, "oriented": True}
    weights = (0.5, 0.25, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.75)
    sums = weighed(settings, weights)
    state = game.start()
    asked = [game.function("query")(state.thaw(), 0, list(game.queries).index(name), 0) for name, _, _ in sums.terms]
    wanted = 0.5 * asked[0] + 0.25 * (1 - asked[1]) + asked[2] + 0.75 * asked[3]
    told = sum(weight * said for (_, _, weight), said in zip(sums.terms, asked, strict=True)) + sums.bias
    assert told == pytest.approx(wanted, abs=1e-12) and len(sums.terms) == 4


@pytest.mark.parametrize(("game_text", "name"), [("parking", "gp-parking"), ("parking", "gp-parking-order")])
def test_evolved_policies_solve_all_cards_and_claim_nothing_about_length(game_text, name):
    game = load(game_text)
    solver = agent(f"{name}:nodes=1500000").solving(game)
    for card in range(1, 41, 3):
        found = solver.solve(game.position(f"#{card}"))
        assert found.solved and not found.optimal


def test_the_evolved_policy_of_freecell_is_the_same_in_all_modes():
    game = load("freecell:empty=first,auto=true")
    state = game.position("#7")
    found = [agent("gp-freecell:nodes=60").solve(game, state, mode=mode) for mode in ("plain", "checked", "fast")]
    assert found[0] == found[1] == found[2] and found[0].nodes == 60


def test_a_policy_is_written_and_read_back():
    player = agent("ida:increment=20,order=estimate").with_brain(brain(hand_made()))
    assert read_player(written(player)) == player


def test_policies_that_cannot_be_are_refused():
    with pytest.raises(BadParameter, match="a value for each and a default, got 1 and 1"):
        PolicyBrain((TRUE,), (value("H1"),))
    with pytest.raises(BadParameter, match="all programs or all sums"):
        PolicyBrain((TRUE,), (value("H1"), Weights((("blockers", 0, 1.0),))))
    with pytest.raises(BadParameter, match="of the same primitives"):
        PolicyBrain((read(conditions(), "IsMoveToCascade"),), (value("H1"), value("H2")))
    with pytest.raises(CannotPlay, match="tiles"):
        agent("best-first").with_brain(brain(hand_made())).suits(load("tiles"))
