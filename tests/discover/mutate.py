"""Mutation testing of the checker: `python tests/discover/mutate.py --count 3000 --seed 0`.

Honest derivations are changed at random: a variable, a sign, a bound, a predicate exchanged; goals, clauses, steps and
declarations dropped, doubled or moved; values of other types put in.  Most changes are made wherever the text stands,
so that a mutant is consistent with itself and only its meaning can give it away.  The checker refuses a mutant, or it
accepts it; then a judge that shares no code with the checker runs the plain and the derived program of the mutant in
random worlds that satisfy the mutant's axioms, and compares every predicate with what the theorem says of it.  A
difference is a falsehood accepted; anything but a refusal in one line is a crash.
"""

import argparse
import copy
import json
import math
import re
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from ludwin.discover.checker import RefusedProof, verify
from ludwin.discover.derivation import from_file
from ludwin.discover.interpret import Interpreter, compare, value_of
from ludwin.discover.syntax import parse, parse_clause, parse_goals
from ludwin.discover.term import Var

FIXTURES = Path(__file__).parent / "fixtures" / "version2"
SHARE = {  # of the mutants; the dear ones get fewer
    "alpha-beta": 16,
    "beta-cut": 14,
    "fail-soft": 16,
    "scout": 10,
    "table": 10,
    "nega-alpha-beta": 13,
    "win-loss": 7,
    "alternating": 5,
    "star1": 3,
    "branch-and-bound": 4,
    "maxn": 2,
}
SIGNS = (">=", "<=", ">", "<", "=")
JUNK = (None, 3, -1, 1.5, True, "", "x", [], {}, [1], {"a": 1}, ["value(P,42)."], "value(P,42).")
POOL = (-math.inf, -7, -3, -2, -1, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 2, 3, 7, math.inf)


def base(name):
    """Return an honest file without its own statement, so that a change of meaning is not refused for the words
    alone.
    """
    data = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf8"))
    return {**{k: v for k, v in data.items() if k not in ("axioms", "theorem")}, "version": 1}


# mutations


def texts(data):
    """Yield (holder, key) for every clause or declaration of a file."""
    for part in ("seed", "result"):
        for i in range(len(data[part])):
            yield data[part], i
    for step in data["steps"]:
        for part in ("removed", "added"):
            for i in range(len(step[part])):
                yield step[part], i
        if "declare" in step["data"]:
            yield step["data"], "declare"
        for i in range(len(step["data"].get("specification", {}).get("relation", []))):
            yield step["data"]["specification"]["relation"], i


def change_text(rng, text):
    """Return a text with one small change."""
    for _ in range(20):
        new = _change(rng, text)
        if new != text:
            return new
    return text


def _change(rng, text):
    kind = rng.randrange(7)
    if kind == 0:  # one variable for another
        names = re.findall(r"\b[A-Z]\w*\b", text)
        spots = list(re.finditer(r"\b[A-Z]\w*\b", text))
        if len(set(names)) > 1:
            spot = rng.choice(spots)
            return text[: spot.start()] + rng.choice(sorted(set(names) - {spot[0]})) + text[spot.end() :]
    if kind == 1:
        spots = list(re.finditer(r"(?<![:\w])(>=|<=|>|<|=)(?!\w)", text))
        if spots:
            spot = rng.choice(spots)
            return text[: spot.start()] + rng.choice([s for s in SIGNS if s != spot[0]]) + text[spot.end() :]
    if kind == 2:
        spots = list(re.finditer(r"-?\b(inf|\d+)\b", text))
        if spots:
            spot = rng.choice(spots)
            return text[: spot.start()] + rng.choice(["0", "1", "-1", "2", "42", "inf", "-inf"]) + text[spot.end() :]
    if kind == 3:
        pairs = [
            ("max", "min"),
            ("white", "black"),
            ("leaf", "inner"),
            ("best", "least"),
            ("_lo", "_hi"),
            ("+", "-"),
            ("total", "cost"),
            ("number", "list"),
        ]
        rng.shuffle(pairs)
        for one, two in pairs:
            for a, b in ((one, two), (two, one)):
                spots = [m.start() for m in re.finditer(re.escape(a), text)]
                if spots:
                    at = rng.choice(spots)
                    return text[:at] + b + text[at + len(a) :]
    if kind == 4 and ":- " in text and not text.startswith(":-"):  # drop, double or exchange goals
        head, _, body = text.rstrip(".").partition(" :- ")
        goals = re.split(r", (?![^(\[]*[)\]])", body)
        at = rng.randrange(len(goals))
        how = rng.randrange(3)
        if how == 0:
            goals.pop(at)
        elif how == 1:
            goals.insert(at, goals[at])
        else:
            goals[0], goals[at] = goals[at], goals[0]
        return f"{head} :- {', '.join(goals)}." if goals else f"{head}."
    if kind == 5:  # two arguments exchanged
        spots = list(re.finditer(r"\(([^()\[\]]+),([^()\[\],]+)\)", text))
        if spots:
            spot = rng.choice(spots)
            return text[: spot.start()] + f"({spot[2]},{spot[1]})" + text[spot.end() :]
    if kind == 6 and len(text) > 3:  # a character
        at = rng.randrange(len(text))
        return (
            text[:at]
            + rng.choice(["", text[at] * 2, rng.choice("ABCPVYZ_[]|(),.<>=-+*/0129 \u0430\n")])
            + text[at + 1 :]
        )
    return text


def everywhere(data, old, new):
    """Exchange a text wherever it stands in the file, or in steps and result only."""
    for holder, key in list(texts(data)):
        if holder[key] == old:
            holder[key] = new


def mutate(rng, data):
    """Return a changed copy of a file, and what was done."""
    data = copy.deepcopy(data)
    kind = rng.randrange(100)
    places = list(texts(data))
    holder, key = rng.choice(places)
    if kind < 45:  # a text, wherever it stands
        old = holder[key]
        everywhere(data, old, change_text(rng, old))
        return data, "a text everywhere"
    if kind < 52:
        holder[key] = change_text(rng, holder[key])
        return data, "a text once"
    if kind < 62:  # the result and the last step that gave a clause
        clause = rng.choice([line for line in data["result"] if not line.startswith(":-")])
        new = change_text(rng, clause)
        data["result"] = [new if line == clause else line for line in data["result"]]
        for step in data["steps"]:
            step["added"] = [new if line == clause else line for line in step["added"]]
        return data, "a clause of the result"
    if kind < 69:  # a last step of one's own
        clause = rng.choice([line for line in data["result"] if not line.startswith(":-")])
        new = change_text(rng, clause)
        drop = rng.random() < 0.3
        rule = "subsume" if drop else rng.choice(["replace", "entailed", "determinise", "rename"])
        data["steps"].append(
            {"rule": rule, "removed": [clause], "added": [] if drop else [new], "because": "", "by": "", "data": {}}
        )
        data["result"] = [line for line in data["result"] if line != clause] + ([] if drop else [new])
        return data, "a step more"
    if kind < 74:  # a clause or declaration dropped everywhere
        old = holder[key]
        for part in ("seed", "result"):
            data[part] = [line for line in data[part] if line != old]
        for step in data["steps"]:
            for part in ("removed", "added"):
                step[part] = [line for line in step[part] if line != old]
        return data, "a text dropped"
    if kind < 78 and data["steps"]:
        data["steps"].pop(rng.randrange(len(data["steps"])))
        return data, "a step dropped"
    if kind < 81 and data["steps"]:
        a, b = (rng.randrange(len(data["steps"])) for _ in range(2))
        data["steps"][a], data["steps"][b] = data["steps"][b], data["steps"][a]
        return data, "steps exchanged"
    if kind < 84 and data["steps"]:
        rng.choice(data["steps"])["rule"] = rng.choice(
            ["define", "unfold", "fold", "split", "join", "unsat", "replace", "refine", "subsume"]
        )
        return data, "another rule"
    if kind < 86:
        names = sorted({m[0] for line in data["seed"] for m in re.finditer(r"\b[a-z]\w*(?=\()", line)})
        data["entry"] = rng.choice(names)
        return data, "another entry"
    if kind < 93:  # a name, consistently
        names = sorted({m[0] for line in data["result"] for m in re.finditer(r"\b[A-Za-z]\w*\b", line)})
        old, new = rng.choice(names), rng.choice([*names, "Fresh", "fresh"])
        whole = json.dumps(data)
        if old in KEYS or new in KEYS:
            return data, "nothing"
        return {
            **json.loads(re.sub(rf"(?<![\w\\]){old}(?!\w)", new, whole)),
            "renamed": [old, new],
        }, "a name everywhere"
    where = data
    while True:  # a value of another type, somewhere
        keys = list(where) if isinstance(where, dict) else list(range(len(where)))
        if not keys:
            return data, "nothing"
        at = rng.choice(keys)
        if isinstance(where[at], dict | list) and where[at] and rng.random() < 0.7:
            where = where[at]
            continue
        if rng.random() < 0.3 and isinstance(where, dict):
            del where[at]
        else:
            where[at] = rng.choice(JUNK)
        return data, "another type"


KEYS = {
    "format",
    "version",
    "problem",
    "entry",
    "seed",
    "steps",
    "result",
    "notes",
    "rule",
    "removed",
    "added",
    "because",
    "by",
    "data",
    "pred",
    "is",
    "in",
    "out",
}


# the judge


class Unjudged(Exception):
    """The judge has no world for a mutant."""


class Thing:
    """A position of a random world."""

    def __init__(self, side):
        self.kids, self.value, self.side, self.extra, self.steps = (), None, side, {}, ()


class World:
    """A random tree with every primitive that our plain programs use, under a mutant's axioms."""

    def __init__(self, rng, derivation, renamed):
        self.rng, self.seed, self.renamed = rng, derivation.seed, renamed
        self.binary = self.has("l") and not self.has("coin")
        self.full = self.has("first")
        outs = {name: self._facts(name) for name in self.seed.preds}
        self.pools = {}
        for name, tests in outs.items():
            if name in self.seed.defined or self.seed.preds[name].modes.count("out") == 0:
                continue
            numbers = [
                i
                for i, (m, k) in enumerate(zip(self.seed.preds[name].modes, self.seed.preds[name].kinds, strict=True))
                if m == "out" and k == "number"
            ]
            if len(numbers) == 1:
                head = self.seed.heads.get(name)
                var = head.args[numbers[0]].name if head else "V"
                self.pools[name] = [v for v in POOL if all(_true(t, {var: v}) for t in tests)]
                if not self.pools[name]:
                    raise Unjudged(f"no value for {name}")
        self.things = []
        self.root = self.grow(rng.randint(0, 3), rng.random() < 0.5)
        self.plain = Interpreter(derivation.seed, self.primitives())
        self.lemmas()

    def name(self, primitive):
        """Return what a primitive is called in a mutant."""
        return self.renamed[1] if self.renamed and primitive == self.renamed[0] else primitive

    def has(self, primitive):
        return self.name(primitive) in self.seed.preds

    def _facts(self, name):
        return self.seed.facts.get(name, ())

    def value(self, name):
        return self.rng.choice(self.pools[self.name(name)]) if self.name(name) in self.pools else 0

    def grow(self, depth, white):
        thing = Thing("white" if white else "black")
        self.things.append(thing)
        if depth == 0 or (self.rng.random() < 0.15):
            thing.value = self.value("mine" if self.has("mine") else "eval")
            if self.full:
                a, b = sorted((self.rng.randint(0, 8), self.rng.randint(0, 8)))
                thing.value = (a / 8, (b - a) / 8, (8 - b) / 8)
            return thing
        if self.has("coin") and self.rng.random() < 0.4:
            thing.side = "coin"
        wide = 2 if self.binary or thing.side == "coin" else self.rng.randint(1 if self.full else 0, 3)
        thing.kids = tuple(self.grow(depth - 1, not white) for _ in range(wide))
        thing.steps = tuple((self.value("step"), kid) for kid in thing.kids)
        return thing

    def primitives(self):
        def leaf(t):
            return t.value is not None

        found = {
            "leaf": leaf, "inner": lambda t: not leaf(t), "solved": leaf, "open": lambda t: not leaf(t),
            "white": lambda t: t.side == "white", "black": lambda t: t.side == "black",
            "coin": lambda t: t.side == "coin",
            "children": lambda t: t.kids, "l": lambda t: t.kids[0], "r": lambda t: t.kids[1],
            "eval": lambda t: t.value, "mine": lambda t: t.value,
            "edges": lambda t: t.steps, "step": lambda e: e,
            "last": lambda r: len(r) == 1, "more": lambda r: len(r) > 1, "first": lambda r: r[0],
            "next": lambda r: r[1:],
            "probe": lambda t: t.extra["probe"], "bound": lambda t: t.extra["bound"][0],
        }  # fmt: skip
        return {self.name(name): run for name, run in found.items()}

    def lemmas(self):
        """Choose the outputs of primitives that lemmas speak of."""
        for first, second, tests in self.seed.lemmas:
            goals = [g for g in (first, second) if g.name not in self.seed.defined]
            plains = [g for g in (first, second) if g.name in self.seed.defined]
            if len(goals) != 1 or len(plains) != 1 or goals[0].name not in (self.name("probe"), self.name("bound")):
                raise Unjudged("a lemma about something else")
            for thing in self.things:
                real = self.plain.call(plains[0].name, thing)
                for _ in range(60):
                    found = tuple(self.rng.choice((*POOL, real, real)) for _ in goals[0].args[1:])
                    env = {
                        v.name: x
                        for v, x in zip((*plains[0].args[1:], *goals[0].args[1:]), (real, *found), strict=True)
                    }
                    if all(_true(t, env) for t in tests):
                        thing.extra["probe" if goals[0].name == self.name("probe") else "bound"] = found
                        break
                else:
                    raise Unjudged("no value for a lemma")


def _true(test, env):
    return compare(test.name, *(value_of(arg, env) for arg in test.args))


def judge(data, verified, rng, renamed=None, worlds=12):
    """Return what the theorem says and does not hold, or an empty text."""
    derivation = from_file(verified.file, data)
    definitions, specs = [], {}  # plain clauses of new predicates; contracts
    program = derivation.seed
    for item in data["steps"]:
        if item["rule"] == "define":
            extra = parse(item["data"]["declare"])
            (pred,) = extra.preds.values()
            program = program.with_pred(pred, extra.heads.get(pred.name), extra.pre.get(pred.name, ()))
            if "specification" in item["data"]:
                specs[pred.name] = item["data"]["specification"]
            else:
                definitions += map(parse_clause, item["added"])
    plain = program.with_clauses((*derivation.seed.clauses, *definitions))
    for _ in range(worlds):
        world = World(rng, derivation, renamed)
        one, two = Interpreter(plain, world.primitives()), Interpreter(derivation.result, world.primitives())
        for name in derivation.result.defined:
            for _ in range(6):
                given = arguments(rng, world, derivation.result, name)
                if given is None:
                    continue
                out = two.call(name, *given)
                if name in specs:
                    wrong = broken(specs[name], derivation, name, given, out, one)
                else:
                    wanted = one.call(name, *given)
                    wrong = "" if wanted == out else f"{name}: {out} instead of {wanted}"
                if wrong:
                    return wrong
    return ""


def arguments(rng, world, program, name):
    """Return inputs for a predicate that satisfy what it requires."""
    pred = program.preds[name]
    for _ in range(30):
        given = []
        for mode, kind in zip(pred.modes, pred.kinds, strict=True):
            if mode == "out":
                continue
            if kind == "number":
                given.append(rng.choice(POOL))
            elif kind == "list":
                owner = rng.choice(world.things)
                given.append((owner.steps if world.has("edges") else owner.kids)[rng.randrange(2) :])
            else:
                given.append(rng.choice(world.things))
        if world.full and any(x == () for x in given):
            continue
        if name in program.pre:
            head = [arg for arg, mode in zip(program.heads[name].args, pred.modes, strict=True) if mode == "in"]
            env = {v.name: x for v, x in zip(head, given, strict=True) if isinstance(v, Var)}
            try:
                if not all(_true(t, env) for t in program.pre[name]):
                    if name in program.pre and "M0" in env:  # shares of a whole are rarely met by chance
                        share = rng.choice([t.value for t in world.things if t.value is not None])
                        for i, v in enumerate(head):
                            if v.name in ("M0", "M1", "M2"):
                                given[i] = share[int(v.name[1])]
                        env = {v.name: x for v, x in zip(head, given, strict=True)}
                    if not all(_true(t, env) for t in program.pre[name]):
                        continue
            except TypeError:
                continue
        return given
    return None


def broken(spec, derivation, name, given, out, plain):
    """Return the line of a contract that an answer breaks."""
    (head,), (of,) = parse_goals(spec["head"]), parse_goals(spec["of"])
    pred = derivation.result.preds[name]
    outs = out if isinstance(out, tuple) else (out,)
    env = dict(zip((a.name for a in pred.inputs(head.args)), given, strict=True)) | dict(
        zip((a.name for a in pred.outputs(head.args)), outs, strict=True)
    )
    plain_pred = derivation.seed.preds[of.name]
    real = plain.call(of.name, *(env[a.name] for a in plain_pred.inputs(of.args)))
    env |= dict(
        zip((a.name for a in plain_pred.outputs(of.args)), real if isinstance(real, tuple) else (real,), strict=True)
    )
    for line in spec["relation"]:
        if not any(_true(parse_goals(part)[0], env) for part in line.split(";")):
            return f"{name}({given[1:]}) = {out}, but not {line} (the value is {real})"
    return ""


def run(count, seed, report=None):
    """Return the tallies of a run: refused, harmless, true, false, unjudged, crashed."""
    rng = Random(seed)
    names, weights = list(SHARE), list(SHARE.values())
    bases = {name: base(name) for name in names}
    stated = {}
    for name in names:
        stated[name] = verify(bases[name]).statement
    tally, by, bad = Counter(), Counter(), []
    for i in range(count):
        name = rng.choices(names, weights)[0]
        data, how = mutate(rng, bases[name])
        while {**data, "renamed": 0} == {**bases[name], "renamed": 0}:
            data, how = mutate(rng, bases[name])
        here, renamed = Random(f"{seed}/{i}"), data.pop("renamed", None) if isinstance(data, dict) else None
        try:
            verified = verify(data, "mutant")
        except RefusedProof as error:
            verdict = "refused" if "\n" not in str(error) and len(str(error)) < 2000 else "crashed"
        except Exception as error:
            verdict = "crashed"
            bad.append((i, name, how, f"{type(error).__name__}: {error}"))
        else:
            if verified.statement == stated[name] and data["result"] == bases[name]["result"]:
                verdict = "harmless"
            else:
                try:
                    wrong = judge(data, verified, here, renamed)
                    verdict = "false" if wrong else "true"
                    if wrong:
                        bad.append((i, name, how, wrong))
                except Unjudged as error:
                    verdict = "unjudged"
                    bad.append((i, name, how, str(error)))
                except Exception as error:
                    verdict = "unjudged"
                    bad.append((i, name, how, f"{type(error).__name__}: {error}"))
        tally[verdict] += 1
        by[how, verdict] += 1
        if report and i % 100 == 99:
            report(i + 1, tally)
    return tally, by, bad


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--count", type=int, default=3000)
    words.add_argument("--seed", type=int, default=0)
    options = words.parse_args()
    began = time.monotonic()
    tally, by, bad = run(
        options.count, options.seed, lambda n, t: print(f"{n}: {dict(t)}", file=sys.stderr, flush=True)
    )
    print(
        f"{options.count} mutants, seed {options.seed}: "
        + ", ".join(f"{n} {what}" for what, n in sorted(tally.items()))
    )
    for (how, verdict), n in sorted(by.items()):
        print(f"  {how}: {verdict} {n}")
    for line in bad:
        print(" ", *line)
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return 1 if tally["false"] or tally["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
