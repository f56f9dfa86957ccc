"""Genomes of several parts and of a user's own class."""

from dataclasses import dataclass

import pytest

from ludwin.errors import BadParameter
from ludwin.evolve.engine import Plan, evolve, read_generation, write_generation
from ludwin.evolve.objects import Objects, own
from ludwin.evolve.parts import Parts, decoded
from ludwin.evolve.policy import Policies
from ludwin.evolve.problem import Problem
from ludwin.evolve.toys import ARITHMETIC
from ludwin.evolve.trees import single
from ludwin.evolve.vectors import Bits, Reals
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream

LOGIC = Language(
    "logic",
    ("Bool",),
    (Primitive("Not", "Bool", ("Bool",), "not a"), Primitive("Yes", "Bool", rule="1.0 == 1.0")),
    root="Bool",
)


class Total:
    """Scores what `of` says."""

    def __init__(self, kind, of):
        self.kind, self.of = kind, of

    def score(self, genomes, generation, stream):
        return [(float(self.of(decoded(self.kind, genome))), {}) for genome in genomes]


@dataclass
class Sack:
    """A knapsack whose list changes in place, and which cannot be copied, compared or hashed."""

    items: list

    __hash__ = None
    __copy__ = __deepcopy__ = None

    @classmethod
    def random(cls, stream):
        return cls([stream.below(2) for _ in range(6)])

    def mutated(self, stream):
        self.items[stream.below(6)] ^= 1
        return self

    def crossed(self, other, stream):
        self.items[3:] = other.items[3:]
        return self


def test_trees_of_two_languages_a_vector_a_policy_and_a_class_evolve_as_one_genome():
    kind = Parts(
        (
            ("value", single(ARITHMETIC)),
            ("logic", single(LOGIC)),
            ("weights", Reals(2)),
            ("rules", Policies((("if", Bits(2)), ("then", Bits(3))), ("then",), least=1, most=3)),
            ("sack", Objects.of_class(Sack)),
        )
    )
    plan = Plan(population=16, generations=5, breeding="gp", crossover=0.6, mutation=0.4)
    fitness = Total(kind, lambda g: sum(g["sack"].items) + g["weights"][0] - len(g["value"]) / 100)
    history = list(evolve(kind, fitness, plan, seed=1))
    assert history[-1].best.fitness > history[0].best.fitness
    for generation in history:
        assert read_generation(kind, write_generation(kind, generation)) == generation
    varied = {role: {str(kind.write(one.genome)[role]) for one in history[-1].individuals} for role, _ in kind.parts}
    assert all(len(texts) > 1 for texts in varied.values()), varied
    assert "sack:" in kind.text(history[-1].best.genome)


def test_only_parts_of_one_role_meet():
    kind = Parts((("a", Bits(40)), ("b", Bits(40))), exchange=0.0)
    zeros, ones = ((0,) * 40, (0,) * 40), ((1,) * 40, (1,) * 40)
    for seed in range(20):
        left, right = kind.cross(zeros, ones, Stream(seed))
        changed = [k for k in range(2) if left[k] != zeros[k]]
        assert len(changed) == 1 and [sum(left[k]) + sum(right[k]) for k in range(2)] == [40, 40]


def test_an_object_that_changes_in_place_never_changes_a_parent():
    kind = Objects.of_class(Sack)
    mother, father = kind.make(Stream(1)), kind.make(Stream(2))
    texts = mother.text, father.text
    for k in range(20):
        kind.mutate(mother, Stream(k))
        kind.cross(mother, father, Stream(k))
        kind.decode(mother).items.clear()
    assert (mother.text, father.text) == texts


def test_a_fitness_that_changes_its_genome_changes_nothing():
    kind = own(lambda stream: [stream.below(9) for _ in range(4)], lambda g, stream: [*g[1:], stream.below(9)])

    def greedy(g):
        total = sum(g)
        g.clear()
        return total

    plain = [one.best for one in evolve(kind, Total(kind, sum), Plan(population=6, generations=4), 3)]
    assert [one.best for one in evolve(kind, Total(kind, greedy), Plan(population=6, generations=4), 3)] == plain


def test_a_mutation_may_change_in_place_and_return_nothing():
    kind = own(lambda stream: [1, 2], lambda g, stream: g.append(3))
    assert kind.decode(kind.mutate(kind.make(Stream(1)), Stream(1))) == [1, 2, 3]


class Bare:
    """Has no JSON."""

    @classmethod
    def random(cls, stream):
        return cls()

    def mutated(self, stream):
        return self


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda: Objects.of_class(Bare), "Bare needs to_json"),
        (lambda: Objects.of_class(int), "int needs a method random"),
        (lambda: own(lambda s: {1, 2}, lambda g, s: g).make(Stream(1)), "cannot be written as JSON .*; give write"),
        (lambda: own(lambda s: {1: 2}, lambda g, s: g).make(Stream(1)), "does not come back from JSON"),
        (lambda: own(lambda s: float("nan"), lambda g, s: g).make(Stream(1)), "cannot be written as JSON"),
        (lambda: own(lambda s: None, lambda g, s: g).make(Stream(1)), "make returned nothing"),
        (lambda: Objects.of_class(Sack).read({"itmes": [1]}), "sack: read raised TypeError"),
        (lambda: Parts(()), "different roles"),
        (lambda: Parts((("a", Bits(1)), ("a", Bits(1)))), "different roles"),
        (lambda: Parts((("a", Bits(1)),)).read({"b": "1"}), "has the parts a"),
        (lambda: Parts((("a", Bits(1)),), rates=(0.0,)), "as many rates"),
    ],
)
def test_what_cannot_be_a_genome_is_told_in_one_line(act, message):
    with pytest.raises(BadParameter, match=message) as found:
        act()
    assert "\n" not in str(found.value)


def test_objects_that_end_python_or_hold_half_a_character_are_told():
    def leave(data):
        raise SystemExit(0)

    plan = Plan(population=4, generations=1)
    for kind, message in (
        (own(lambda s: 1, lambda one, s: one, write=int, read=leave), "own: read raised SystemExit"),
        (own(lambda s: "a\ud800", lambda one, s: one), "own: what make returned cannot be written as JSON .* half a"),
    ):
        with pytest.raises(BadParameter, match=message):
            Problem("one", kind, fitness=lambda one: 1, plan=plan).solve(seed=1)
    with pytest.raises(BadParameter, match="a class is wanted whose objects evolve, got 3"):
        Objects.of_class(3)


class Boiling:
    """A user's kind that fails."""

    def __init__(self):
        self.bits = Bits(3)

    def __getattr__(self, name):
        return getattr(self.bits, name)

    def mutate(self, g, stream):
        raise ValueError("it boils over")


def test_parts_of_rules_are_shown_as_parts_of_genomes_are_and_watched_alike():
    seen = []

    def fitness(policy):
        seen.append(policy)
        return sum(sum(order) + len(tree) for order, tree, _ in policy.rules) + sum(policy.default[0])

    parts = (
        ("order", own(lambda s: s.shuffled(range(3)), lambda one, s: one.reverse())),
        ("tree", single(ARITHMETIC)),
        ("bits", Bits(2)),
    )
    plan = Plan(population=4, generations=2, mutation=0.9)
    Problem("rules", Policies(parts, ("bits",), least=1, most=2), fitness=fitness, plan=plan).solve(seed=1)
    assert all(sorted(one.rules[0][0]) == [0, 1, 2] and one.rules[0][1].language is ARITHMETIC for one in seen)
    odd = Policies((("odd", Boiling()),), (), least=1, most=1, rule_share=0.0)
    with pytest.raises(BadParameter, match="bits: mutate raised ValueError: 'it boils over'"):
        Problem("odd", odd, fitness=lambda policy: 1, plan=plan).solve(seed=1)
