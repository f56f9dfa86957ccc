"""Max^n, proof numbers, guides, flat Monte Carlo, greedy: each against something known."""

from random import Random

import pytest

from ludwin import agent, load
from ludwin.errors import BadParameter, CannotPlay


def max_n(state):
    """The oracle: the vector of payoffs when everybody takes what is best for itself, first among equals."""
    if state.over:
        return state.payoffs()
    return max((max_n(state.play(m)) for m in state.moves()), key=lambda v: v[state.mover])


def test_maxn_plays_li_nim_as_the_theory_says():
    game = load("li-nim:heaps=2,smallest=1")
    state = game.start()
    while not state.over:
        choice = agent("maxn:depth=12").choose(game, state)
        assert choice.value == max_n(state)[state.mover]
        state = state.play(choice.move)


def test_proof_numbers_decide_nim_as_bouton_says():
    game = load("nim")  # C. Bouton 1901: the mover loses when the heap is a multiple of take + 1
    for heap in range(1, 13):
        choice = agent("pns").choose(game, game.state(heap=heap))
        assert choice.decided and choice.value == (-1 if heap % 4 == 0 else 1)
        if heap % 4:
            assert choice.move == heap % 4


def test_proof_numbers_agree_with_alpha_beta_on_tic_tac_toe():
    game = load("tic-tac-toe")
    rng = Random(1)
    for _ in range(40):
        state = game.start()
        for _ in range(rng.randrange(6)):
            state = state.play(rng.choice(state.moves()))
            if state.over:
                break
        if not state.over:
            proved = agent("pns").choose(game, state)
            assert (proved.value, proved.decided) == (agent("alphabeta:depth=9").choose(game, state).value, True)


def test_a_proof_that_runs_out_of_nodes_says_so():
    game = load("connect-four")
    choice = agent("pns:nodes=500").choose(game, game.start())
    assert not choice.decided and choice.move in game.start().moves() and choice.nodes <= 1000


def test_guides_see_what_their_depth_shows():
    game = load("nim")
    state = game.state(heap=5)  # taking one leaves four, a loss that is three plies long
    assert all(agent("guide:depth=4").choose(game, state, seed=s).move == 1 for s in range(20))
    assert len({agent("guide:depth=1").choose(game, state, seed=s).move for s in range(40)}) == 3


def test_the_floored_guide_prints_and_parses():
    assert str(agent("guide:depth=4,floor=0")) == "guide:depth=4,floor=0"
    assert agent("guide:floor=0").floor == 0 and agent("guide").floor == -float("inf")


def test_flat_monte_carlo_shares_its_playouts():
    game = load("tic-tac-toe")
    choice = agent("flat:playouts=90").choose(game, game.start(), seed=1)
    assert set(choice.visits.values()) == {10}
    winning = game.start().play("b1").play("a1").play("b2").play("a2")
    assert agent("flat:playouts=700").choose(game, winning, seed=1).move == winning.parse("b3")


def test_greedy_draws_among_equals():
    game = load("draughts")  # no first move wins or loses a piece
    assert len({agent("greedy:eval=twist").choose(game, game.start(), seed=s).move for s in range(60)}) == 7


@pytest.mark.parametrize(
    "text, name, message",
    [
        ("alphabeta", "pig", "games of chance"),
        ("alphabeta", "li-nim", "two players"),
        ("minimax", "kuhn-poker", "chance"),
        ("maxn", "kuhn-poker", "hides"),
        ("alphabeta:eval=nice", "draughts", "no eval called 'nice'"),
        ("alphabeta:order=nice", "draughts", "no order called 'nice'"),
        ("alphabeta:null=1", "draughts", "null"),
        ("alphabeta:quiescence=usual", "nim", "noisy"),
    ],
)
def test_agents_say_what_they_cannot_play(text, name, message):
    with pytest.raises(CannotPlay, match=message):
        agent(text).suits(load(name))


@pytest.mark.parametrize(
    "text, message",
    [
        ("alphabeta:depth=0", "depth must be at least 1, got 0"),
        ("alphabeta:depth=99", "at most 64"),
        ("alphabeta:table=40", "at most 28"),
        ("alphabeta:killers=many", "killers must be one of none, shared, ply"),
        ("uct:playouts=0", "give a budget"),
        ("uct:c=-1", "c must be at least 0"),
    ],
)
def test_bad_settings_are_refused_with_the_way_out(text, message):
    with pytest.raises(BadParameter, match=message):
        agent(text)


@pytest.mark.parametrize(
    "text",
    [
        "alphabeta:depth=9,killers=ply,table=16,pvs=1",
        "uct:playouts=50,c=0.5",
        "star2:depth=3,probe=2",
        "random",
        "pns:nodes=99",
    ],
)
def test_canonical_texts_parse_back(text):
    assert agent(str(agent(text))) == agent(text)
    assert str(agent(str(agent(text)))) == str(agent(text))
