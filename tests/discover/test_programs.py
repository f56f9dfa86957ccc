"""Derived programs run: interpreter, Python, kernel and Prolog agree, with each other and with the plain program."""

import shutil
from random import Random

import pytest

from ludwin import AlphaBeta, load
from ludwin.discover.agent import Derived
from ludwin.discover.emit import load_python
from ludwin.discover.interpret import Interpreter
from ludwin.discover.kernels import kernel_text
from ludwin.discover.problems import discover
from ludwin.discover.prolog import export, run_swi
from ludwin.discover.trees import Node, alphabeta, build, chains, minimax, order_types, rough, shapes, uniform, world
from ludwin.errors import BadParameter, CannotPlay

INF = float("inf")
BOUNDS = {"soft": (-INF, INF), "scout": (-INF, INF)}


@pytest.fixture(scope="module")
def derived():
    return {
        name: discover(name).derivation for name in ("alpha-beta", "nega-alpha-beta", "fail-soft", "scout", "beta-cut")
    }


def counting(derivation):
    """Return a function from trees to (value, leaves looked at)."""
    seen = []

    def leaf(node):
        seen.append(node)
        return node.value

    def mine(node):
        return leaf(node) if node.white else -leaf(node)

    run = load_python(derivation.result, derivation.entry, world((("eval", leaf), ("mine", mine))))

    def search(tree):
        seen.clear()
        value = run(tree, *BOUNDS.get(derivation.entry, ()))
        nega = "mine" in derivation.result.preds and not tree.white
        return (-value if nega else value), len(seen)

    return search


def by_hand(tree):
    leaves = []
    return alphabeta(tree, leaves.append), len(leaves)


def test_there_are_258_shapes_of_up_to_six_leaves():
    assert sum(len(shapes(n)) for n in range(1, 7)) == 258  # oracle: OEIS A001003
    assert [len(order_types(n)) for n in range(1, 7)] == [1, 3, 13, 75, 541, 4683]  # oracle: OEIS A000670


def prove_for_shapes(search, most, chain=()):
    tried = 0
    for n in range(1, most + 1):
        for shape in shapes(n):
            for variant in [shape, *(v for length in chain for v in chains(shape, length))]:
                for ranks in order_types(n):
                    tree = build(variant, iter(ranks))
                    assert search(tree)[0] == minimax(tree)
                    tried += 1
    return tried


def test_alpha_beta_is_proved_for_all_shapes_of_five_leaves_and_chains(derived):
    assert (
        prove_for_shapes(counting(derived["alpha-beta"]), 5) == 1 + 3 + 3 * 13 + 11 * 75 + 45 * 541
    )  # shapes times order types
    prove_for_shapes(counting(derived["alpha-beta"]), 4, chain=(1, 2))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alpha-beta", "nega-alpha-beta", "fail-soft", "scout"])
def test_each_algorithm_is_proved_for_all_258_shapes(derived, name):
    assert prove_for_shapes(counting(derived[name]), 6) == 25_213 + 197 * 4_683
    prove_for_shapes(counting(derived[name]), 5, chain=(1, 2))


@pytest.mark.parametrize("name", ["alpha-beta", "nega-alpha-beta", "fail-soft"])
def test_derived_alpha_beta_looks_at_the_same_leaves_as_the_hand_written_one_on_1000_trees(derived, name):
    search, rng = counting(derived[name]), Random(0)
    trees = [uniform(rng, b, d) for b, d in ((2, 6), (3, 4), (5, 3)) for _ in range(200)] + [
        rough(rng, 5, empty=False) for _ in range(400)
    ]
    for tree in trees:
        assert search(tree) == by_hand(tree)
        assert search(tree)[0] == minimax(tree)


def test_players_may_move_twice_and_nodes_may_have_no_children(derived):
    search, rng = counting(derived["alpha-beta"]), Random(1)
    for _ in range(300):
        tree = rough(rng, 5, alternate=False, empty=True)
        assert search(tree)[0] == minimax(tree)


def test_a_leaf_is_a_whole_tree(derived):
    assert counting(derived["alpha-beta"])(Node(7)) == (7, 1)


def test_interpreter_and_python_look_at_the_same_leaves(derived):
    rng = Random(2)
    for name in ("alpha-beta", "scout"):
        search = counting(derived[name])
        for _ in range(20):
            tree = uniform(rng, 3, 4, 20)
            run = Interpreter(derived[name].result, world())
            value = run.call(derived[name].entry, tree, *BOUNDS.get(derived[name].entry, ()))
            assert (value, run.counts["eval"]) == search(tree)


def test_deep_cuts_save_more_than_the_papers_shallow_cut(derived):
    rng = Random(3)
    trees = [uniform(rng, 2, 8) for _ in range(20)]
    deep = sum(counting(derived["alpha-beta"])(tree)[1] for tree in trees)
    shallow = sum(counting(derived["beta-cut"])(tree)[1] for tree in trees)
    assert deep < shallow < sum(len(tree.leaves()) for tree in trees)


@pytest.mark.skipif(shutil.which("swipl") is None, reason="swipl is not installed (Debian: apt install swi-prolog-nox)")
def test_swi_prolog_finds_the_same_values_and_leaves(derived, tmp_path):
    rng = Random(4)
    for name, costly in (("alpha-beta", "eval"), ("nega-alpha-beta", "mine")):
        for _ in range(3):
            tree = uniform(rng, 3, 4, 50)
            assert run_swi(derived[name].result, "value", tree, tmp_path, costly=costly) == counting(derived[name])(
                tree
            )
    assert "->" in export(derived["alpha-beta"].result, "value")


# as an agent


@pytest.fixture(scope="module")
def files(derived, tmp_path_factory):
    folder = tmp_path_factory.mktemp("derived")
    for name, derivation in derived.items():
        derivation.save(folder / f"{name}.json")
    return folder


@pytest.mark.parametrize("game", ["draughts", "connect-four", "tic-tac-toe"])
@pytest.mark.parametrize("name", ["alpha-beta", "nega-alpha-beta", "fail-soft"])
def test_the_agent_visits_the_same_nodes_as_the_hand_written_one(files, game, name):
    game, rng = load(game), Random(5)
    for _ in range(4):
        state = game.start()
        for _ in range(rng.randrange(6)):
            state = state.play(rng.choice(state.moves()))
        if state.over:
            continue
        hand = AlphaBeta(depth=4).choose(game, state, mode="plain")
        ours = Derived(file=str(files / f"{name}.json"), depth=4).choose(game, state, mode="plain")
        assert (ours.move, ours.value, ours.nodes, ours.decided) == (hand.move, hand.value, hand.nodes, hand.decided)


def test_plain_checked_and_fast_choose_alike(files):
    game = load("tic-tac-toe")
    choices = [
        Derived(file=str(files / "alpha-beta.json"), depth=5).choose(game, game.start(), mode=mode)
        for mode in ("plain", "checked", "fast")
    ]
    assert choices[0] == choices[1] == choices[2]


def test_the_text_of_an_agent_parses_back(files):
    agent = Derived.parse_text(f"{files}/alpha-beta.json,depth=9")
    assert agent.depth == 9 and Derived.parse_text(str(agent).partition(":")[2]) == agent
    with pytest.raises(BadParameter, match="needs a file"):
        Derived.parse_text("depth=3")


def test_a_nega_form_refuses_a_game_whose_players_do_not_alternate(files, tmp_path):
    rules = tmp_path / "twice.py"
    rules.write_text(
        'FIELDS = {"n": int}\nMAX_MOVES = 2\n\n\ndef setup(s):\n    s.n = 0\n\n\ndef mover(s):\n    return 0 if s.n '
        "< 2 else 1\n\n\n"
        "def moves(s, out):\n    if s.n == 4:\n        return 0\n    out[0] = 0\n    out[1] = 1\n    return 2\n\n\n"
        "def play(s, m):\n    s.n += 1\n\n\ndef payoff(s, p):\n    return 0\n"
    )
    game = load(rules)
    with pytest.raises(CannotPlay, match="players alternate"):
        Derived(file=str(files / "nega-alpha-beta.json"), depth=3).choose(game, game.start(), mode="plain")
    assert Derived(file=str(files / "alpha-beta.json"), depth=3).choose(game, game.start(), mode="plain").nodes > 0


def test_kernel_text_is_one_function_that_calls_itself(derived):
    text = kernel_text(derived["alpha-beta"].result, "value")
    assert text.count("def derived(") == 1 and "mode" in text


def test_branch_and_bound_and_ida_star_find_the_cheapest_way_home():
    pytest.importorskip("z3", reason="sums need z3: pip install 'ludwin[discover]'")
    from ludwin.discover.puzzle import ida_star

    derivation, rng, expanded = discover("branch-and-bound").derivation, Random(6), []
    price = {(x, y, d): rng.choice((1, 1, 2, 3)) for x in range(7) for y in range(7) for d in range(2)}

    def edges(p):
        expanded.append(p)
        return tuple((price[(*p, d)], q) for d, q in enumerate(((p[0] - 1, p[1]), (p[0], p[1] - 1))) if min(q) >= 0)

    home = {
        "solved": lambda p: p == (0, 0),
        "open": lambda p: p != (0, 0),
        "edges": edges,
        "step": lambda e: e,
        "bound": sum,
    }

    def spent(run):
        expanded.clear()
        return run(), len(expanded)

    plain = spent(lambda: load_python(derivation.seed, "cost", home)((6, 6)))
    bounded = spent(lambda: load_python(derivation.result, "cost", home)((6, 6)))
    deepening = spent(lambda: ida_star(derivation, home, (6, 6)))
    assert plain[0] == bounded[0] == deepening[0]
    assert max(bounded[1], deepening[1]) < plain[1]
