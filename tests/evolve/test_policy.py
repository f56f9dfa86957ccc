"""Policies: operators keep the structure, and only parts of one role meet."""

import json
from collections import Counter

import pytest
from scipy.stats import chisquare

from ludwin.errors import BadParameter
from ludwin.evolve.policy import Policies, Policy
from ludwin.evolve.trees import single
from ludwin.evolve.vectors import Bits, Integers, Reals
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream
from ludwin.program.vary import Limits

CONDITIONS = Language(
    "conditions",
    ("Bool", "Float"),
    (
        Primitive("And", "Bool", ("Bool", "Bool"), "a and b"),
        Primitive("Or", "Bool", ("Bool", "Bool"), "a or b"),
        Primitive("AtMost", "Bool", ("Float", "Float"), "a <= b"),
        Primitive("Blockers", "Float", reads="blockers"),
        Primitive("Number", "Float", rule="v", draws=(0.0, 1.0)),
    ),
    root="Bool",
)
RUSH = Policies((("condition", single(CONDITIONS, Limits(depth=5))), ("value", Reals(9))), ("value",))
MARKED = Policies((("a", Integers(1, high=10**6)), ("b", Bits(4))), ("b",), rule_share=1.0)
VARIED = Policies((("a", Integers(1, high=10**6)), ("b", Bits(4))), ("b",), least=1, most=4, rule_share=1.0)


def sound(kind, policy):
    """Five conditions and six values in their places, each within its own kind."""
    assert kind.least <= len(policy.rules) <= kind.most
    assert all(len(rule) == len(kind.parts) for rule in policy.rules) and len(policy.default) == len(kind.default)
    assert kind.read(json.loads(json.dumps(kind.write(policy)))) == policy
    return True


def test_ten_thousand_exchanges_of_rules_and_swaps_keep_structure_and_types():
    kind = Policies(RUSH.parts, RUSH.default, rule_share=1.0)
    population = kind.begin(20, Stream(1))
    for k in range(10_000):
        i, j = k % 20, (k * 7 + 3) % 20
        population[i], population[j] = kind.cross(population[i], population[j], Stream(2, k))
        population[i] = kind.mutate(population[i], Stream(3, k))
        if k % 500 == 0:
            assert all(sound(kind, policy) for policy in population)
    assert all(sound(kind, policy) for policy in population)


def test_variation_of_parts_keeps_structure_types_and_depth():
    population = RUSH.begin(20, Stream(4))
    before = set(population)
    for k in range(600):
        i, j = k % 20, (k * 7 + 3) % 20
        population[i], population[j] = RUSH.cross(population[i], population[j], Stream(5, k))
        population[i] = RUSH.donate(population[j], population[i], Stream(6, k))
        population[i] = RUSH.mutate(population[i], Stream(7, k))
    for policy in population:
        assert sound(RUSH, policy)
        trees = [rule[0][0] for rule in policy.rules]
        assert all(not tree.faults() and tree.depth <= 5 for tree in trees)
    assert not before & set(population)


def test_exchanged_rules_are_whole_and_none_is_lost():
    a, b = MARKED.make(Stream(8)), MARKED.make(Stream(9))
    for k in range(200):
        left, right = MARKED.cross(a, b, Stream(10, k))
        assert Counter(left.rules + right.rules) == Counter(a.rules + b.rules)
        assert sum(x != y for x, y in zip(left.rules, a.rules, strict=True)) == 1
        assert (left.default, right.default) == (a.default, b.default)
        child = MARKED.donate(a, b, Stream(11, k))
        assert sum(x != y for x, y in zip(child.rules, b.rules, strict=True)) == 1 and set(child.rules) - set(
            b.rules
        ) <= set(a.rules)


def test_a_mutation_of_rules_swaps_two_of_them_all_pairs_alike():
    g, found = MARKED.make(Stream(12)), Counter()
    for k in range(5000):
        child = MARKED.mutate(g, Stream(13, k))
        assert Counter(child.rules) == Counter(g.rules)
        found[tuple(i for i in range(5) if child.rules[i] != g.rules[i])] += 1
    assert len(found) == 10 and all(len(pair) == 2 for pair in found)
    assert chisquare(list(found.values())).pvalue > 1e-4


def test_where_the_number_of_rules_may_vary_they_come_and_go_within_their_bounds():
    assert {len(policy.rules) for policy in VARIED.begin(60, Stream(14))} == {1, 2, 3, 4}
    g, lengths = VARIED.make(Stream(15)), Counter()
    for k in range(3000):
        g = VARIED.mutate(g, Stream(16, k))
        lengths[len(g.rules)] += 1
        assert sound(VARIED, g)
    assert set(lengths) == {1, 2, 3, 4}


def test_every_part_is_reached_by_mutation():
    kind = Policies(MARKED.parts, MARKED.default, rule_share=0.0)
    g, found = kind.make(Stream(17)), Counter()
    for k in range(3000):
        child = kind.mutate(g, Stream(18, k))
        found.update(place for place in kind.places(g) if _part(child, place) != _part(g, place))
    assert set(found) == set(kind.places(g)) and len(found) == 11


def _part(g, place):
    return (g.default if place.rule < 0 else g.rules[place.rule])[place.part]


def test_text_and_size_tell_of_all_parts():
    g = Policy((((3,), (0, 1, 1, 0)),), ((1, 1, 1, 1),))
    kind = Policies(MARKED.parts, MARKED.default, least=1, most=1)
    assert kind.text(g) == "rule 1: a 3, b 0110\ndefault: b 1111"
    assert kind.size(g) == 9


def test_a_single_rule_cannot_swap_so_its_parts_mutate():
    kind = Policies((("b", Bits(4, rate=1.0)),), (), least=1, most=1, rule_share=1.0)
    assert kind.mutate(Policy((((0, 1, 1, 0),),), ()), Stream(1)) == Policy((((1, 0, 0, 1),),), ())


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Policies((), ()), "needs parts of different roles, got none"),
        (lambda: Policies((("a", Bits(1)),), ("c",)), "the default has a part 'c', rules have a"),
        (lambda: Policies((("a", Bits(1)),), (), least=3, most=2), "from at least 1 up to most, got 3 and 2"),
        (lambda: Policies((("a", Bits(1)),), ("a", "a")), "the default has each part once, got a, a"),
        (lambda: Policies((("a", Bits(1)),), "a"), "the default is a tuple of roles, got 'a'"),
        (lambda: Policies(("a", "b"), ()), "parts are pairs of a role and a kind of genome"),
        (lambda: Policies((("a", Bits(1)),), (), least="1"), "from at least 1 up to most, got '1' and 5"),
        (lambda: Policies((("a", Bits(1)),), (), least=1.5, most=2.5), "up to most, got 1.5 and 2.5"),
        (lambda: Policies((("a", Bits(1)),), (), rule_share=2), "policy: rule_share must be at most 1, got 2"),
        (lambda: MARKED.read([]), "has rules and a default"),
        (lambda: MARKED.read({"rules": [], "default": {"b": "0000"}}), "here has 5 rules, got 0"),
        (lambda: VARIED.read({"rules": [], "default": {"b": "0000"}}), "here has 1 to 4 rules, got 0"),
        (lambda: VARIED.read({"rules": [{"a": [1]}], "default": {"b": "0000"}}), "a rule here has a, b"),
        (
            lambda: VARIED.read({"rules": [{"a": [1], "b": "0002"}], "default": {"b": "0000"}}),
            "wanted a text of 4 times 0 or 1",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(BadParameter, match=message):
        make()
