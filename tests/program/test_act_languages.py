"""Random languages of actions: any number of arguments and branches, and one domain that does whatever is asked."""

import random
import re

import pytest
from program_worlds import bits

from ludwin import load
from ludwin.program.act import Action, run
from ludwin.program.act_code import ARGUMENTS, COUNT
from ludwin.program.act_kernel import argument, begin, branch, number
from ludwin.program.actor import Actor, Effects
from ludwin.program.generate import generate
from ludwin.program.language import LETTERS, Language, Primitive
from ludwin.program.simplify import simplify
from ludwin.program.stream import Stream
from ludwin.program.text import read, write
from ludwin.program.toml import from_toml, to_toml

F, B = "Float", "Bool"
NIM = load("nim:heap=4")
READS = ("last", "shifted", "odd")
RULES = (
    "a + b", "a - b", "a * b", "a / b", "a", "b", "a if b else 1.0", "b if a else c", "c if b else a", "a < b", "a * v",
    "a and b or c", "not a", "min(a, b, c)", "a + b + c + d + e + f + g + h", "h if a else b", "(a if b else c) + 0",
    "max(a, h)",
)  # fmt: skip
MEMORY = {"deeds": int, "mark": int, "last": float}


def act(w, k, node):
    """Add up all arguments, every third action some branches twice; remember the sum and leave a mark of each."""
    w.memory.deeds += 1
    w.memory.mark = (31 * w.memory.mark + k + 7) % 1000003
    total = number(w, node)
    if k % 3 == 1:
        begin(w)
    for i in range(w.acts_code[node + COUNT]):
        if w.acts_code[node + ARGUMENTS + i] >= 0:
            value = argument(w, node, i)
        else:
            value = branch(w, node, i)
            if k % 3 == 2 and value > 0.0:
                value = branch(w, node, i)
        total += value
        if total != total or total > 1e6 or total < -1e6:
            total = 1.0
        w.memory.mark = (31 * w.memory.mark + int(total * 8.0)) % 1000003
    w.memory.last = total
    return total


def ask(w, k, place):
    """Answer by what was done last."""
    return w.memory.last + k * place if k < 2 else 1.0 * (w.memory.deeds % 2)


class Anything:
    """The same domain in ordinary Python."""

    def __init__(self, actions):
        self.actions = actions
        self.deeds = self.open = self.cut = 0
        self.mark, self.last = 1, 1.0

    def take_back(self):
        self.open -= 1

    def read(self, name, place):
        return self.deeds % 2 if name == "odd" else self.last + (place if name == "shifted" else 0)

    def act(self, name, own, arguments):
        k = list(self.actions).index(name)
        self.deeds += 1
        self.mark = (31 * self.mark + k + 7) % 1000003
        self.open += k % 3 == 1
        total = own
        for item in arguments:
            value = item() if callable(item) else item
            if callable(item) and k % 3 == 2 and value > 0:
                value = item()
            total += value
            total = total if -1e6 <= total <= 1e6 else 1.0
            self.mark = (31 * self.mark + int(total * 8)) % 1000003
        self.last = total
        return total


def random_language(rng):
    """Return a language and the actions that it needs."""
    primitives = [Primitive("Number", F, rule="v", draws=(-2.0, 2.0)), Primitive("Yes", B, rule="1.0")]
    for i, rule in enumerate(RULES):
        if rng.random() < 0.5:
            needed = max(LETTERS.index(letter) + 1 for letter in re.findall(r"\b[a-h]\b", rule))
            takes = tuple(rng.choice([F, F, B]) for _ in range(min(len(LETTERS), needed + rng.randrange(2))))
            draws = (-1.0, 1.0) if "v" in rule else None
            primitives.append(Primitive(f"Rule{i}", rng.choice([F, B]), takes, rule, draws=draws))
    primitives += [Primitive(f"In{name}", rng.choice([F, B]), reads=name, places=rng.choice([0, 3])) for name in READS]
    actions = {}
    for i in range(rng.randrange(1, 7)):
        takes = tuple(rng.choice([F, B]) for _ in range(rng.choice([0, 0, 1, 2, 3, 8])))
        runs = "".join(letter for letter in LETTERS[: len(takes)] if rng.random() < 0.6)
        own = rng.choice([{}, {"draws": (-1.0, 1.0)}, {"places": 5}])
        actions[f"deed {i}"] = Action(len(takes), runs, opens=int(i % 3 == 1))
        primitives.append(Primitive(f"Deed{i}", rng.choice([F, B]), takes, acts=f"deed {i}", branches=runs, **own))
    if rng.random() < 0.5:
        primitives.append(Primitive("While", F, (B, F), acts="while", branches="ab"))
    if rng.random() < 0.5:
        primitives.append(Primitive("Then", rng.choice([F, B]), (F, B, F), acts="then"))
    return Language("random", (F, B), tuple(primitives), root=rng.choice([F, B])), actions


def told(tree, actions, steps):
    world = Anything(actions)
    outcome = run(tree, world, steps=steps, depth=2)
    memory = world.deeds, world.mark, *bits([world.last])
    return *bits([outcome.value]), outcome.steps, outcome.cut, memory, world.open


def done(actor, tree, steps):
    memory = actor.load(tree).w.memory
    actor.steps, memory.deeds, memory.mark, memory.last = steps, 0, 1, 1.0
    outcome = actor.run(NIM.start())
    after = memory.deeds, memory.mark, *bits([memory.last])
    return *bits([outcome.value]), outcome.steps, outcome.cut, after, actor.w.acts.open


@pytest.mark.parametrize(("seeds", "mode"), [(range(20), "plain"), (range(60, 63), "checked"), (range(60, 66), "fast")])
def test_any_language_does_the_same_interpreted_simplified_and_after_a_round_trip(seeds, mode):
    acted = 0
    for seed in seeds:
        language, actions = random_language(random.Random(seed))
        assert from_toml(to_toml(language)) == language
        actor = Actor(NIM, language, Effects(actions, act, READS, ask, records={"memory": MEMORY}), mode=mode, depth=2)
        for i in range(40):
            stream = Stream(seed, i)
            tree = generate(language, stream.below(5), stream, grow=0.8)
            steps = stream.pick([0, 1, 3, 9, 50, 400])
            expected = told(tree, actions, steps)
            acted += expected[3][0] > 0
            assert read(language, write(tree)) == tree
            assert done(actor, tree, steps) == expected, (seed, steps, write(tree))
            if len(tree) < 120:
                short = simplify(tree)
                assert told(short, actions, steps) == expected, (seed, steps, write(tree), write(short))
    assert acted > 8 * len(seeds)
