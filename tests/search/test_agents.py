"""Agents are settings with a name: texts, canonical forms, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludwin import UCT, AlphaBeta, Random, agent, load
from ludwin.errors import BadParameter, LudwinError, UnknownAgent
from ludwin.library import AGENT_NAMES, AGENTS, HOMES


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("random", "random"),
        (" Random ", "random"),
        ("uct", "uct"),
        ("uct:playouts=1000", "uct"),
        ("UCT:c=1,playouts=50", "uct:playouts=50"),
        ("uct:c=0.5", "uct:c=0.5"),
        ("uct: PLAYOUTS = 7 , c = 2.0", "uct:playouts=7,c=2"),
        ("alpha", "alphabeta"),
        ("alphabeta:depth=3", "alphabeta:depth=3"),
    ],
)
def test_canonical_text(text, canonical):
    assert str(agent(text)) == canonical
    assert agent(canonical) == agent(text)


@pytest.mark.parametrize(
    "name", sorted(name for name in HOMES if name not in ("derived", "evolved", "process", "uci", "xboard"))
)
def test_every_agent_answers_to_its_name(name):
    assert str(agent(name)) == name and type(agent(name)) is AGENTS[name] and agent(name.upper()) == agent(name)


def test_the_register_calls_every_agent_by_its_own_name():
    assert {name: AGENTS[name].name for name in HOMES} == {name: name for name in HOMES}
    assert tuple(HOMES) == AGENT_NAMES == tuple(AGENTS) and len(AGENTS) == 36
    assert "nobody" not in AGENTS and AGENTS.get("nobody") is None and AGENTS["uct"] is UCT
    with pytest.raises(KeyError):
        AGENTS["nobody"]


def test_naming_an_agent_imports_that_agent_only(python):
    script = """
import sys
from ludwin import agent
from ludwin.library import AGENTS
assert "ea-mcts" in AGENTS and len([*AGENTS]) == 36
agent("uct"), agent("rand")
HEAVY = {"ludwin.search.alphabeta", "ludwin.search.montecarlo.mcts", "ludwin.search.uct", "ludwin.discover.agent"}
print(sorted(m for m in sys.modules if m in HEAVY))
from ludwin import EAMCTS
print(EAMCTS is AGENTS["ea-mcts"], *(f"ludwin.search.{m}" in sys.modules for m in ("montecarlo.family", "alphabeta")))
"""
    assert python(script).splitlines() == ["['ludwin.search.uct']", "True True False"]


@given(playouts=st.integers(1, 10**6), thousandths=st.integers(0, 9999), worlds=st.integers(1, 100))
@settings(deadline=None)
def test_text_leads_back_to_the_agent(playouts, thousandths, worlds):
    made = UCT(playouts=playouts, c=thousandths / 1000, worlds=worlds)
    assert agent(str(made)) == made


@given(c=st.floats(0, 1000))
@settings(deadline=None)
def test_text_leads_back_to_the_agent_for_every_float(c):
    assert agent(str(UCT(c=c))) == UCT(c=c)


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("", UnknownAgent, "no agent called ''"),
        ("uzt", UnknownAgent, "did you mean 'uct'"),
        ("alphabeat:depth=3", UnknownAgent, "did you mean 'alphabeta'"),
        ("uct:playout=5", BadParameter, "uct has no parameter 'playout'; did you mean 'playouts'"),
        ("random:seed=5", BadParameter, "random has no parameter 'seed'"),
        ("uct:playouts=many", BadParameter, "playouts must be a whole number, got 'many'"),
        ("uct:playouts=1e3", BadParameter, "playouts must be a whole number, got '1e3'"),
        ("uct:playouts=2.5", BadParameter, "playouts must be a whole number, got '2.5'"),
        ("uct:playouts=", BadParameter, "playouts must be a whole number, got ''"),
        ("uct:playouts=-1", BadParameter, "playouts must be at least"),
        ("uct:playouts=99999999999999", BadParameter, "playouts must be at most"),
        ("uct:c=-0.1", BadParameter, "c must be at least 0, got -0.1"),
        ("uct:c=nan", BadParameter, "c must be"),
        ("uct:c=inf", BadParameter, "c must be"),
        ("mcts:low=nan", BadParameter, "low must be a number, got nan"),
        ("mcts:low=-inf,high=inf", BadParameter, "low must be below high, and both finite"),
        ("mcts:solver=7", BadParameter, "solver must be at most 1, got 7"),
        ("uct:c=x", BadParameter, "c must be a number, got 'x'"),
        ("uct:c=1,c=2", BadParameter, "c is given twice"),
        ('mcts:formula="Q', BadParameter, "formula begins with a quotation mark"),
        ("uct:c", BadParameter, "parameters are written key=value"),
        ("uct:", BadParameter, "parameters are written key=value"),
        ("uct:=1", BadParameter, "parameters are written key=value"),
        ("uct:c=1,", BadParameter, "parameters are written key=value"),
        ("alphabeta:depth=0", BadParameter, "depth must be at least 1, got 0"),
    ],
)
def test_refuses(text, kind, words):
    with pytest.raises(kind) as caught:
        agent(text)
    assert words in str(caught.value) and "\n" not in str(caught.value)
    assert isinstance(caught.value, LudwinError)


def test_settings_given_by_name_are_examined_too():
    with pytest.raises(BadParameter, match="depth must be at least 1"):
        AlphaBeta(depth=0)
    with pytest.raises(BadParameter, match="c must be at least 0"):
        UCT(c=-1)


def test_agents_are_values():
    assert UCT(playouts=5) == UCT(playouts=5) != UCT(playouts=6)
    assert len({UCT(), agent("uct"), UCT(c=1.0), AlphaBeta(), Random()}) == 3
    with pytest.raises(AttributeError):
        UCT().playouts = 3


def test_random_plays_every_move_equally_often_and_by_its_seed():
    game = load("tic-tac-toe")
    state = game.start()
    counts = dict.fromkeys(state.moves(), 0)
    for seed in range(1800):
        counts[Random().choose(game, state, seed=seed).move] += 1
    assert Random().choose(game, state, seed=5) == Random().choose(game, state, seed=5)
    # chi-square with 8 degrees of freedom exceeds 42.70 once in a million experiments
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 42.70


@pytest.mark.parametrize("maker", [Random, lambda: UCT(playouts=5)], ids=["random", "uct"])
@pytest.mark.parametrize("seed", [-1, 0, 2**63 - 1, 2**63, -(2**63)])
def test_any_whole_number_is_a_seed(maker, seed):
    game = load("nim")
    assert maker().choose(game, game.start(), seed=seed).move in (1, 2, 3)


@pytest.mark.parametrize("depth", [2.5, "6"])
def test_settings_of_another_type_are_refused(depth):
    with pytest.raises(BadParameter):
        AlphaBeta(depth=depth)


@pytest.mark.parametrize(
    ("game", "name", "said"),
    [
        ("racing", "plannr", "did you mean 'planner'? racing brings tuned, planner, bred; `ludwin agents` lists"),
        ("freecell", "zzzz", "no agent called 'zzzz'; freecell brings ga-freecell, gp-freecell; `ludwin agents` lists"),
        ("tanks", "wals", "haiku-circler and 27 more; `ludwin agents` lists"),
        ("chess", "minmax", "did you mean 'minimax'? `ludwin agents` lists all"),
        ("nim", "plannr", "no agent called 'plannr'; `ludwin agents` lists all"),
    ],
)
def test_an_unknown_player_is_answered_with_those_that_the_game_brings(game, name, said):
    with pytest.raises(UnknownAgent) as caught:
        agent(name, load(game))
    assert said in str(caught.value)


def test_an_unknown_name_without_a_near_one_is_still_a_sentence():
    with pytest.raises(UnknownAgent, match=r"no agent called 'zzzz'[;:,.]"):
        agent("zzzz")
