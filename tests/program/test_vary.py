"""Variation keeps types and limits, reaches every node, and treats nodes as it says."""

from collections import Counter

import pytest
from program_worlds import CHECKERS, guesses, programs
from scipy.stats import binomtest, chisquare

from ludwin.program import vary
from ludwin.program.generate import ramped
from ludwin.program.stream import Stream
from ludwin.program.text import read
from ludwin.program.vary import (
    Limits,
    choose_node,
    crossover,
    donate,
    mutate_constant,
    mutate_insert,
    mutate_local,
    mutate_point,
    mutate_subtree,
    mutate_term,
)

LIMITS = Limits(depth=8, size=120)
SAMPLE = read(
    CHECKERS,
    "IFT(AND(IsManPiece[3], LowerEqual(Mobility, 2.5)), Plus(One, MultERC[0.5](ManCount)), NullJ(Zero, Minus(One, "
    "KingCount)))",
)


@pytest.fixture(scope="module")
def population():
    trees = [tree for tree in ramped(CHECKERS, 1200, Stream(1), high=6) if LIMITS.allow(tree)]
    assert len(trees) > 800
    return trees


def good(tree):
    return not tree.faults() and len(tree) <= LIMITS.size and tree.depth <= LIMITS.depth


def test_ten_thousand_crossovers_keep_types_and_limits(population):
    changed = 0
    for i in range(10_000):
        first, second = population[i % len(population)], population[(7 * i + 3) % len(population)]
        children = crossover(first, second, Stream(2, i), LIMITS)
        assert good(children[0]) and good(children[1])
        changed += children != (first, second)
    assert changed > 9000


def test_fifteen_thousand_mutations_keep_types_and_limits(population):
    ways = (mutate_subtree, mutate_point, mutate_constant, mutate_local, mutate_insert, mutate_term)
    changed = Counter()
    for i in range(15_000):
        tree = population[i % len(population)]
        way = ways[i // 7 % 6]
        child = way(tree, Stream(3, i), LIMITS)
        assert good(child)
        changed[way.__name__] += child != tree
    assert all(changed[way.__name__] > 1500 for way in ways), changed


def test_ten_thousand_random_trees_have_no_faults():
    for i, tree in enumerate(ramped(CHECKERS, 10_000, Stream(4))):
        assert not tree.faults() and tree.depth <= 6, i


def test_nodes_are_chosen_nine_to_one_and_evenly_within_each_class():
    functions = [at for at in range(len(SAMPLE)) if SAMPLE.primitive(at).takes]
    terminals = [at for at in range(len(SAMPLE)) if not SAMPLE.primitive(at).takes]
    stream = Stream(5)
    counts = Counter(choose_node(SAMPLE, stream) for _ in range(20_000))
    assert set(counts) == set(range(len(SAMPLE)))  # every node is reachable
    inner = sum(counts[at] for at in functions)
    assert binomtest(inner, 20_000, 0.9).pvalue > 1e-4
    assert chisquare([counts[at] for at in functions]).pvalue > 1e-4
    assert chisquare([counts[at] for at in terminals]).pvalue > 1e-4
    assert binomtest(sum(choose_node(SAMPLE, stream, 0.3) in functions for _ in range(5000)), 5000, 0.3).pvalue > 1e-4


def test_a_lone_terminal_is_chosen():
    lone = read(CHECKERS, "Mobility")
    assert choose_node(lone, Stream(1)) == 0
    assert crossover(lone, lone, Stream(1)) == (lone, lone)


def test_every_node_of_both_parents_takes_part_in_crossover():
    other = read(CHECKERS, "Plus(FriendlyManCount, IFT(NOR(IsKingPiece[1], True), 1.5, EnemyManCount))")
    received, given = set(), set()
    for i in range(4000):
        child, _ = crossover(SAMPLE, other, Stream(6, i))
        for at in range(len(SAMPLE)):
            if any(SAMPLE.graft(at, other.subtree(k)) == child for k in range(len(other))):
                received.add(at)
        given |= {
            k for k in range(len(other)) for at in range(len(SAMPLE)) if SAMPLE.graft(at, other.subtree(k)) == child
        }
        if i > 500 and len(received) == len(SAMPLE) and len(given) == len(other):
            break
    assert received == set(range(len(SAMPLE))) and given == set(range(len(other)))


def test_every_node_can_be_replaced_by_mutation():
    changed = set()
    for i in range(3000):
        child = mutate_subtree(SAMPLE, Stream(7, i))
        same = 0
        while same < min(len(child), len(SAMPLE)) and (child.nodes[same], child.values[same], child.places[same]) == (
            SAMPLE.nodes[same],
            SAMPLE.values[same],
            SAMPLE.places[same],
        ):
            same += 1
        changed.add(same)
    assert changed >= set(range(len(SAMPLE)))


def test_one_way_crossover_leaves_the_donor_as_it_is(population):
    from copy import deepcopy

    differing = 0
    for i in range(1000):
        donor, receiver = population[i % 500], population[500 + i % 300]
        before = deepcopy((donor.nodes, donor.values, donor.places, donor.factors))
        child = donate(donor, receiver, Stream(8, i), LIMITS)
        assert (donor.nodes, donor.values, donor.places, donor.factors) == before
        assert good(child)
        pieces = (
            {receiver.graft(at, donor.subtree(k)) for at in range(len(receiver)) for k in range(len(donor))}
            if i < 30
            else {child}
        )
        assert child in pieces or child == receiver
        differing += child != receiver
    assert differing > 900


def test_a_child_beyond_the_limits_is_replaced_by_its_parent():
    tight = Limits(depth=SAMPLE.depth, size=len(SAMPLE))
    for i in range(300):
        for child in (
            *crossover(SAMPLE, SAMPLE, Stream(9, i), tight),
            mutate_subtree(SAMPLE, Stream(9, i), tight),
            donate(SAMPLE, SAMPLE, Stream(9, i), tight),
        ):
            assert len(child) <= len(SAMPLE) and child.depth <= SAMPLE.depth


def test_factors_are_one_at_first_and_the_value_is_linear_in_them():
    for i, tree in enumerate(programs(CHECKERS, 60, 10, factors=False)):
        assert set(tree.factors) == {1.0}
        inputs = guesses(i)
        value = tree.evaluate(inputs)
        for factor in (2.0, -0.5, 0.0, 4.0):  # powers of two: exact
            assert tree.change(0, factor=factor).evaluate(inputs) == value * factor


def test_local_mutation_changes_one_factor_of_a_number_by_a_normal_step():
    steps, where = [], Counter()
    for i in range(3000):
        child = mutate_local(SAMPLE, Stream(11, i), Limits(step=0.1))
        changed = [at for at in range(len(SAMPLE)) if child.factors[at] != 1.0]
        assert len(changed) == 1 and (child.nodes, child.values, child.places) == (
            SAMPLE.nodes,
            SAMPLE.values,
            SAMPLE.places,
        )
        assert SAMPLE.returns(changed[0]) == "Float"
        where[changed[0]] += 1
        steps.append(child.factors[changed[0]] - 1.0)
    assert set(where) == {at for at in range(len(SAMPLE)) if SAMPLE.returns(at) == "Float"}
    assert chisquare(list(where.values())).pvalue > 1e-4
    mean = sum(steps) / len(steps)
    deviation = (sum((step - mean) ** 2 for step in steps) / len(steps)) ** 0.5
    assert abs(mean) < 0.008 and abs(deviation - 0.1) < 0.006


def test_point_mutation_changes_one_node_only():
    seen = Counter()
    for i in range(2000):
        child = mutate_point(SAMPLE, Stream(12, i))
        differ = [
            at
            for at in range(len(SAMPLE))
            if (child.nodes[at], child.values[at], child.places[at])
            != (SAMPLE.nodes[at], SAMPLE.values[at], SAMPLE.places[at])
        ]
        assert len(differ) <= 1 and not child.faults()
        seen.update(differ)
    swappable = {
        at for at in range(len(SAMPLE)) if SAMPLE.primitive(at).name not in ("IFT", "LowerEqual", "MultERC")
    }  # alone with their arguments
    assert set(seen) == swappable


def test_constant_mutation_changes_constants_and_places_only():
    targets = {at for at in range(len(SAMPLE)) if SAMPLE.primitive(at).has_value or SAMPLE.primitive(at).places}
    seen = Counter()
    for i in range(600):
        child = mutate_constant(SAMPLE, Stream(13, i))
        assert child.nodes == SAMPLE.nodes and child.factors == SAMPLE.factors
        seen.update(
            at
            for at in range(len(SAMPLE))
            if (child.values[at], child.places[at]) != (SAMPLE.values[at], SAMPLE.places[at])
        )
    assert set(seen) == targets
    plain = read(CHECKERS, "Plus(One, Mobility)")
    assert mutate_constant(plain, Stream(1)) == plain


def test_insertion_keeps_every_node_and_a_term_is_added_with_a_factor_of_either_sign():
    signs = Counter()
    for i in range(400):
        grown = mutate_insert(SAMPLE, Stream(16, i))
        assert not Counter(SAMPLE.nodes) - Counter(grown.nodes) and len(grown) > len(SAMPLE)
        child = mutate_term(SAMPLE, Stream(17, i))
        assert not Counter(SAMPLE.nodes) - Counter(child.nodes)
        (new,) = [factor for factor in child.factors if factor != 1.0] or [0.0]
        signs[(new > 0) - (new < 0)] += 1
        if new:
            added = [
                name for name, count in (Counter(child.nodes) - Counter(SAMPLE.nodes)).items() for _ in range(count)
            ]
            assert len(added) == 2 and any(CHECKERS.primitives[k].rule == "a + b" for k in added)
    assert min(signs[1], signs[-1]) > 100


def test_operators_are_functions_of_their_stream(population):
    for way in (mutate_subtree, mutate_point, mutate_constant, mutate_local, mutate_insert, mutate_term):
        assert way(SAMPLE, Stream(14)) == way(SAMPLE, Stream(14))
    assert crossover(SAMPLE, population[0], Stream(15)) == crossover(SAMPLE, population[0], Stream(15))
    assert Limits() == vary.LIMITS
