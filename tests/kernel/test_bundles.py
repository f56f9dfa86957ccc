"""Workspaces with names: records, arrays and stacks in one bundle, the same in plain, checked and fast."""

import pytest

from ludwin import load
from ludwin.errors import RuleError
from ludwin.kernel.names import Bundle, copy, moves, play
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel

NODE = {"visits": int, "gained": float, "row": 3, "weights": (float, 2)}
RUN = {"played": int, "best": float}
RECORDS = {"tree": [NODE], "run": RUN, "path": [int], "worth": [float], "states": "States", "bufs": "Moves"}
MODES = ("plain", "checked", "fast")


def visit(w, node: int):
    here = w.tree[node]
    here.visits += 1
    here.gained += 0.5 * node
    here.row[node % 3] = node
    here.weights[1] = here.gained / here.visits
    return here.visits


def walk(w: Bundle, rounds: int):
    run = w.run
    for k in range(rounds):
        node = (k * k) % 5
        visit(w, node)
        w.path[k] = node
        if w.tree[node].gained > run.best:
            run.best = w.tree[node].gained
        run.played += 1
    w.worth[0] = run.best
    n = moves(w.states[0], w.bufs[0])
    play(w.states[0], w.bufs[0][n - 1])
    return run.played


WALK = Kernel("walk", walk, records=RECORDS)


def result(mode, rounds=7):
    game = load("nim")
    run = specialise(game, WALK, mode)
    w = run.bundle(tree=5, path=7, worth=1, states=1, bufs=1)
    run.put(w.states, 0, game.start())
    played = run(w, rounds)
    nodes = [(node.visits, node.gained, list(node.row), list(node.weights)) for node in w.tree]
    return played, nodes, list(w.path), w.worth[0], w.run.best, run.get(w.states, 0)


def test_bundles_mean_the_same_in_all_modes():
    plain = result("plain")
    assert plain[0] == 7 and plain[1][4][0] == 2  # oracle: the squares modulo 5 of 0 … 6 are 0 1 4 4 1 0 1
    assert [result(mode) for mode in MODES[1:]] == [plain, plain]


def test_checked_code_examines_the_rows_of_a_bundle():
    with pytest.raises(RuleError, match=r"test_bundles\.py:\d+: an index is out of bounds in: w\.path\[k\] = node"):
        result("checked", rounds=8)


def store_float(w: Bundle):
    w.run.played = 0.5
    return 0


def test_a_float_in_an_integer_field_of_a_record_is_refused_by_its_type_not_its_name():
    with pytest.raises(RuleError, match="a float is used where a whole number is needed"):
        specialise(load("nim"), Kernel("store", store_float, records=RECORDS), "fast")


def stored_by_type(w: Bundle):
    w.run.total += 0.5
    play(w.states[0], 0)
    w.run.total += w.states[0].total
    return w.run.total


@pytest.mark.parametrize("maker", ["ludwin", "numba"])
def test_a_float_field_of_a_record_may_be_called_like_an_integer_of_the_game(maker, monkeypatch):
    monkeypatch.setenv("LUDWIN_COMPILER", maker)
    game = load("pig")
    assert {field.name: field.real for field in game.fields}["total"] is False
    kernel = Kernel("stored", stored_by_type, records={"states": "States", "run": {"total": float}})
    for mode in MODES if maker == "ludwin" else MODES[1:]:
        run = specialise(game, kernel, mode)
        w = run.bundle()
        run.put(w.states, 0, game.start())
        assert run(w) == w.run.total == 0.5 + game.start().play(0).total


def test_numba_understands_bundles(monkeypatch):
    plain = result("plain")
    monkeypatch.setenv("LUDWIN_COMPILER", "numba")
    assert [result(mode) for mode in MODES[1:]] == [plain, plain]
    with pytest.raises(RuleError, match="an index is out of bounds"):
        result("checked", rounds=8)
    with pytest.raises(RuleError, match="cannot be compiled by numba"):
        specialise(load("nim"), Kernel("store", store_float, records=RECORDS), "fast")


def outer(w: Bundle, rounds: int):
    w.count.calls += 1
    return walk(w.inner, rounds) + w.count.calls


@pytest.mark.parametrize("maker", ["ludwin", "numba"])
def test_a_bundle_may_hold_the_bundle_of_another_kernel(maker, monkeypatch):
    monkeypatch.setenv("LUDWIN_COMPILER", maker)
    game = load("nim")
    kernel = Kernel("outer", outer, records={"count": {"calls": int}, "inner": WALK})
    for mode in MODES if maker == "ludwin" else MODES[1:]:
        run = specialise(game, kernel, mode)
        w = run.bundle(inner={"tree": 5, "path": 7})
        run.put(w.inner.states, 0, game.start())
        assert run(w, 7) == 8
        assert list(w.inner.path) == [0, 1, 4, 4, 1, 0, 1]


def test_a_size_for_a_workspace_that_nobody_declared_is_refused():
    for mode in MODES:
        with pytest.raises(TypeError, match="the kernel declares no 'trees'"):
            specialise(load("nim"), WALK, mode).bundle(trees=5)


def test_move_lists_of_a_bundle_have_room_behind_them_for_rules_that_write_too_far():
    w = specialise(load("nim"), WALK, "fast").bundle()
    assert w.bufs.buffer.obj is not None and len(memoryview(w.bufs.buffer.obj)) >= 8 * 1024


def unknown_field(w: Bundle):
    return w.tree[0].vists


def test_a_misspelt_field_is_named():
    with pytest.raises(RuleError, match=r"tree has no field 'vists' \(it has visits, gained, row, weights\)"):
        specialise(load("nim"), Kernel("misspelt", unknown_field, records=RECORDS), "fast")


def test_a_column_of_a_stack_is_read_at_once():
    game = load("nim")
    run = specialise(game, WALK, "fast")
    w = run.bundle(tree=5, path=7, worth=1, states=1, bufs=1)
    run.put(w.states, 0, game.start())
    run(w, 7)
    assert w.tree.column("visits", 5) == [node.visits for node in w.tree]
    assert w.tree.column("gained", 5) == [node.gained for node in w.tree]
    assert w.tree.cells("gained", 5).tolist() == w.tree.column("gained", 5)


def copy_rows(w: Bundle, to: int, source: int):
    copy(w.tree[to], w.tree[source])
    w.tree[source].gained = 0.25
    w.tree[source].row[0] = 1
    copy(w.states[1], w.states[0])
    return w.tree[to].visits


@pytest.mark.parametrize("mode", MODES)
def test_a_record_is_copied_whole_and_then_lives_for_itself(mode):
    game = load("nim")
    run = specialise(game, Kernel("copy_rows", copy_rows, records=RECORDS), mode)
    w = run.bundle(tree=4, states=2)
    run.put(w.states, 0, game.start())
    w.tree[2].visits, w.tree[2].gained = 7, 1.5
    for i in range(3):
        w.tree[2].row[i] = 5 + i
    assert run(w, 3, 2) == 7
    assert (w.tree[3].gained, list(w.tree[3].row), w.tree[2].gained, w.tree[2].row[0]) == (1.5, [5, 6, 7], 0.25, 1)
    assert run.get(w.states, 1) == game.start()


@pytest.mark.parametrize("mode", MODES)
def test_rows_beyond_the_last_are_refused_from_outside_and_a_huge_stack_costs_nothing(mode):
    run = specialise(load("nim"), WALK, mode)
    w = run.bundle(tree=2**20)
    assert len(w.tree) == 2**20 and w.tree[2**20 - 1].visits == 0
    for i in (2**20, -1):
        with pytest.raises(IndexError, match=f"there is no row {i} among"):
            w.tree[i]
