"""Obligations: what has to follow from what, for every clause of a program.

Why it is here.  This is the heart of the checker.  The *plain functions* are those that the plain program and the
definitions define; they exist and are unique because those clauses cover every case, never disagree and descend.  A
derived program is right if every one of its clauses is a true statement about plain functions:

- truth: if the conditions and comparisons of a clause hold, its outputs are the plain function's at these inputs (or
  keep the contract of the predicate), supposing that its calls are answered rightly;
- cover: for all inputs, whatever the values of the calls, some clause applies;
- calls: each call is made only where its predicate is required to answer, as known before the call is made; each sum is
  a number;
- agree: where two clauses apply, they say the same.

With descent (`descent`) these give, by induction on the length of a computation, that the program ends with the right
answer. What is known of plain functions is their defining equations, used wherever the conditions of the clause at hand
decide which of them applies.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from ludwin.discover.checker import smt
from ludwin.discover.checker.formula import (
    Formula,
    Value,
    adds,
    both,
    calls_in,
    deny,
    either,
    implies,
    large,
    put,
    put_all,
    spell,
    spell_formula,
    sums_in,
    values,
)
from ludwin.discover.checker.kinds import Kinds
from ludwin.discover.checker.order import TooHard, impossible
from ludwin.discover.checker.reading import LIST, Condition, Reading, close, read, sources, test_formula, truths
from ludwin.discover.checker.terms import About, HornClause, LogicProgram, Promise, RefusedProof, Variable, show_clause

MOST_INSTANCES = 80
MOST_LEVELS = 8
MOST_SIZE = 300
MOST_SECONDS = 120.0  # of one verification: a file that takes longer is refused


@dataclass(frozen=True)
class Obligation:
    """One thing that was proved: known formulas, the wanted one, and by whom it was decided."""

    title: str
    known: tuple[Formula, ...]
    wanted: Formula
    by: str

    def script(self) -> str:
        """Return it as a closed SMT-LIB file."""
        return smt.script(list(self.known), self.wanted, self.title)


class Theory:
    """Declarations, plain functions and contracts, and what has been proved so far."""

    def __init__(self, program: LogicProgram):
        self.program = program  # declarations; grows with definitions
        self.primitives = frozenset(program.preds) - {c.head.name for c in program.clauses}
        self.plain: dict[str, list[Reading]] = {}
        self.contracts: dict[str, Promise] = {}
        self.kind = Kinds()
        self.kind.declare(program)
        self.obligations: list[Obligation] = []
        self._done: set[tuple[frozenset[Formula], Formula]] = set()
        self._readings: dict[tuple[HornClause, int], Reading] = {}
        self._began = time.monotonic()

    # reading

    def kinds(self) -> dict[str, list[str]]:
        """Return the kinds of all arguments."""
        return {name: self.kind.of(name) for name in self.program.preds}

    def read(self, clause: HornClause) -> Reading:
        """Return the reading of a clause whose kinds fit."""
        key = (clause, len(self.program.preds))
        if key not in self._readings:
            self.kind.clause(clause)
            self._readings[key] = read(self.program, self.kinds(), self.contracts, clause)
        return self._readings[key]

    def required(self, name: str, inputs: tuple[Value, ...]) -> list[Formula]:
        """Return what a predicate requires of its inputs."""
        about = self.program.require.get(name)
        return [] if about is None else self.about(about, inputs, ())

    def about(self, about: About, inputs: tuple[Value, ...], outs: tuple[Value, ...]) -> list[Formula]:
        """Return tests about a predicate's arguments, for given ones."""
        pred = self.program.preds[about.head.name]
        env: dict[str, Value] = {}
        for place, value in (
            *zip(pred.places("in"), inputs, strict=True),
            *zip(pred.places("out"), outs, strict=False),
        ):
            arg = about.head.args[place]
            assert isinstance(arg, Variable)
            env[arg.name] = value
        return [test_formula(test, env, f"what is declared of {pred.name}") for test in about.tests]

    def lines(
        self, name: str, inputs: tuple[Value, ...], outs: tuple[Value, ...]
    ) -> tuple[list[Formula], tuple[str, tuple[Value, ...]]]:
        """Return the contract of a predicate for given arguments, and the plain call that it answers for."""
        contract, pred = self.contracts[name], self.program.preds[name]
        env: dict[str, Value] = {}
        for places, given in ((pred.places("in"), inputs), (pred.places("out"), outs)):
            for place, value in zip(places, given, strict=True):
                arg = contract.head.args[place]
                assert isinstance(arg, Variable)
                env[arg.name] = value
        plain = self.program.preds[contract.of.name]
        into = tuple(env[arg.name] for i in plain.places("in") if isinstance(arg := contract.of.args[i], Variable))
        for k, place in enumerate(plain.places("out")):
            arg = contract.of.args[place]
            assert isinstance(arg, Variable)
            env[arg.name] = ("out", plain.name, k, into)
        where = f"the contract of {name}"
        return [either(test_formula(test, env, where) for test in line) for line in contract.lines], (plain.name, into)

    def outs(self, name: str, inputs: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the outputs of a call as values."""
        tag = "call" if name in self.contracts else "out"
        return tuple((tag, name, k, inputs) for k in range(len(self.program.preds[name].places("out"))))

    # what is known

    def _known_of(self, name: str, inputs: tuple[Value, ...], tag: str) -> list[Formula]:
        """Return the facts about a plain call, or the contract of another one."""
        guard = both(self.required(name, inputs))
        if tag == "call":
            return [implies(guard, line) for line in self.lines(name, inputs, self.outs(name, inputs))[0]]
        if name in self.program.facts:
            return [
                implies(guard, fact) for fact in self.about(self.program.facts[name], inputs, self.outs(name, inputs))
            ]
        return []

    def equation(
        self, name: str, inputs: tuple[Value, ...], known: dict[Condition, bool]
    ) -> tuple[Formula | None, set[Condition]]:
        """Return the defining equation of a plain function at some inputs, if the conditions decide it; else what is
        open.
        """
        ways: list[Formula] = []
        open_: set[Condition] = set()
        for reading in self.plain[name]:
            if reading.impossible:
                continue
            here = {
                (test, tuple(put(v, inputs) for v in about)): holds
                for (test, about), holds in reading.conditions.items()
            }
            verdicts = {key: _holds(known, key, holds) for key, holds in here.items()}
            if False in verdicts.values():
                continue
            open_ |= {key for key, verdict in verdicts.items() if verdict is None}
            results = (
                ("=", mine, put(out, inputs)) for mine, out in zip(self.outs(name, inputs), reading.outs, strict=True)
            )
            ways.append(both([*(put_all(test, inputs) for test in reading.tests), *results]))
        if open_ or not ways:
            return None, open_
        return implies(both(self.required(name, inputs)), either(ways)), open_

    def knowledge(self, first: list[Formula], wanted: Formula, known: dict[Condition, bool]) -> list[Formula]:
        """Return what is known at first, and all that is known about the calls of which that and the wanted formula
        speak.
        """
        found = list(first)
        level: dict[tuple[str, str, tuple[Value, ...]], int] = {}
        instances = 0
        for formula in (*found, wanted):
            self._meet(formula, 0, level)
        asked: set[tuple[str, str, tuple[Value, ...]]] = set()
        while True:
            new = [key for key in level if key not in asked]
            if not new:
                break
            for key in new:
                asked.add(key)
                tag, name, inputs = key
                more = self._known_of(name, inputs, tag)
                if (
                    tag == "out"
                    and name in self.plain
                    and level[key] < MOST_LEVELS
                    and instances < MOST_INSTANCES
                    and not large(inputs, MOST_SIZE)
                ):
                    equation, _ = self.equation(name, inputs, known)
                    if equation is not None:
                        instances += 1
                        more.append(equation)
                for other in list(asked):
                    more += self._lemmas(key, other)
                for formula in more:
                    self._meet(formula, level[key] + 1, level)
                found += more
        return list(dict.fromkeys(found))

    @staticmethod
    def _meet(formula: Formula, depth: int, level: dict[tuple[str, str, tuple[Value, ...]], int]) -> None:
        for value in values(formula):
            for call in calls_in(value):
                level.setdefault((call[0], call[1], call[3]), depth)

    def _lemmas(
        self, one: tuple[str, str, tuple[Value, ...]], two: tuple[str, str, tuple[Value, ...]]
    ) -> list[Formula]:
        found: list[Formula] = []
        for lemma in self.program.lemmas:
            for a, b in {(one, two), (two, one)}:
                if (a[0], a[1], b[0], b[1]) != ("out", lemma.first.name, "out", lemma.second.name):
                    continue
                env: dict[str, Value] = {}
                fits = True
                for goal, inputs in ((lemma.first, a[2]), (lemma.second, b[2])):
                    pred = self.program.preds[goal.name]
                    for place, value in (
                        *zip(pred.places("in"), inputs, strict=True),
                        *zip(pred.places("out"), self.outs(goal.name, inputs), strict=True),
                    ):
                        arg = goal.args[place]
                        assert isinstance(arg, Variable)
                        fits &= env.setdefault(arg.name, value) == value
                if fits:
                    found += [test_formula(test, env, "a lemma") for test in lemma.tests]
        return found

    # proving

    def prove(self, title: str, known: Iterable[Formula], wanted: Formula, conditions: dict[Condition, bool]) -> None:
        """Raise RefusedProof unless the wanted formula follows from what is known."""
        first = list(known)
        self._demand_time()
        if wanted == ("and", ()):
            return
        everything = self.knowledge(first, wanted, conditions)
        self._demand_time()
        key = (frozenset(everything), wanted)
        if key in self._done:
            return
        by = decide(everything, wanted, title)
        self._done.add(key)
        self.obligations.append(Obligation(title, tuple(everything), wanted, by))

    def _demand_time(self) -> None:
        """Raise RefusedProof if the file has taken too long: much that is obvious takes time, too."""
        if time.monotonic() - self._began > MOST_SECONDS:
            raise RefusedProof(f"the checker gives up after {MOST_SECONDS:g} seconds")

    def truth(self, clause: HornClause) -> None:
        """Raise RefusedProof unless a clause is a true statement about the plain functions."""
        reading = self.read(clause)
        known = None if reading.impossible else close(self.program.either, reading.conditions)
        if known is None:
            return  # it never applies
        name = reading.name
        inputs = tuple(("arg", i) for i in range(len(self.program.preds[name].places("in"))))
        first = [*reading.tests, *self.required(name, inputs)]
        if name in self.contracts:
            wanted, (plain, into) = self.lines(name, inputs, tuple(reading.outs))
        else:
            wanted = [("=", out, mine) for out, mine in zip(reading.outs, self.outs(name, inputs), strict=True)]
            plain, into = name, inputs
        _, open_ = self.equation(plain, into, known) if plain in self.plain else (None, set())
        cases = 0
        for way in truths(self.program.either, sorted(open_, key=str)):
            here = (
                close(self.program.either, {**known, **way})
                if all(known.get(k, v) == v for k, v in way.items())
                else None
            )
            if here is None:
                continue
            cases += 1
            self.prove(f"truth of {show_clause(clause)}", first, both(wanted), here)
        if not cases:
            raise RefusedProof(f"there is no case to which this clause could belong: {show_clause(clause)}")

    def cover(self, name: str, clauses: list[HornClause], only: list[HornClause] | None = None) -> None:
        """Raise RefusedProof unless some clause applies in every case (or in those of one of `only`)."""
        if not clauses and only is None:
            raise RefusedProof(f"{name} has no clauses")
        readings = [r for r in map(self.read, clauses) if not r.impossible]
        wanted = [r for r in map(self.read, only or []) if not r.impossible]
        inputs = tuple(("arg", i) for i in range(len(self.program.preds[name].places("in"))))
        keys = sorted({key for r in [*readings, *wanted] for key in r.conditions}, key=str)
        for way in truths(self.program.either, keys):
            self._demand_time()
            known = close(self.program.either, way)
            if known is None:
                continue
            apply = [r for r in readings if all(known.get(k) == v for k, v in r.conditions.items())]
            first = self.required(name, inputs)
            if only is not None:
                before = [both(r.tests) for r in wanted if all(known.get(k) == v for k, v in r.conditions.items())]
                if not before:
                    continue
                first = [*first, either(before)]
            told = ", ".join(f"{'' if v else 'not '}{tell(k)}" for k, v in way.items()) or "any input"
            self.prove(f"{name} covers {told}", first, either(both(r.tests) for r in apply), known)

    def agree(self, name: str, clauses: list[HornClause]) -> None:
        """Raise RefusedProof unless clauses of one predicate say the same wherever two of them apply."""
        readings = [r for r in map(self.read, clauses) if not r.impossible]
        inputs = tuple(("arg", i) for i in range(len(self.program.preds[name].places("in"))))
        for i, one in enumerate(readings):
            for two in readings[:i]:
                if any(two.conditions.get(k, v) != v for k, v in one.conditions.items()):
                    continue
                known = close(self.program.either, {**one.conditions, **two.conditions})
                if known is None:
                    continue
                same = both(("=", x, y) for x, y in zip(one.outs, two.outs, strict=True) if x != y)
                self.prove(
                    f"two clauses of {name} agree", [*self.required(name, inputs), *one.tests, *two.tests], same, known
                )

    def calls(self, clause: HornClause) -> None:
        """Raise RefusedProof unless every call of a clause is answered and every sum is a number, as known before it is
        made.
        """
        reading = self.read(clause)
        if reading.impossible or close(self.program.either, reading.conditions) is None:
            return
        where = show_clause(clause)
        inputs = tuple(("arg", i) for i in range(len(self.program.preds[reading.name].places("in"))))
        for call in reading.calls:
            pred = self.program.preds[call.name]
            first, known = self._before(reading, inputs, call.sources())
            if call.name in self.primitives:
                if pred.total is None:
                    raise RefusedProof(f"{call.name} may fail, and is called: {where}")
                for test in pred.total:
                    if known.get((test, call.inputs[:1])) is not True:
                        raise RefusedProof(
                            f"{call.name} needs {test} of {spell(call.inputs[0])}, which the clause does not ask: "
                            f"{where}"
                        )
            for need in self.required(call.name, call.inputs):
                self.prove(f"what {call.name} requires in {where}", first, need, known)
        for test, about in reading.conditions:
            if test != LIST and test not in self.primitives:
                raise RefusedProof(f"{test} is no primitive test: {where}")
            first, known = self._before(reading, inputs, sources(about))
        for value in dict.fromkeys(reading.computed):
            for need in sums_in(value):
                first, known = self._before(reading, inputs, sources([value]))
                try:
                    self.prove(f"a sum is a number in {where}", first, need, known)
                except RefusedProof:
                    raise RefusedProof(
                        f"the sum {spell(need[1])} + {spell(need[2])} may be an infinity plus its opposite, which is "
                        f"no number; "
                        f"a fact such as `V > -inf, V < inf` about what is added would exclude it: {where}"
                    ) from None

    def _before(
        self, reading: Reading, inputs: tuple[Value, ...], have: frozenset[tuple[str, tuple[Value, ...]]]
    ) -> tuple[list[Formula], dict[Condition, bool]]:
        """Return the comparisons and conditions that are settled once some calls have been answered."""
        tests = [t for t in reading.tests if sources([t[1], t[2]]) <= have]
        conditions = {key: holds for key, holds in reading.conditions.items() if sources(key[1]) <= have}
        known = close(self.program.either, conditions)
        assert known is not None, "part of what does not contradict itself"
        return [*self.required(reading.name, inputs), *tests], known

    def fact(self, clause: HornClause) -> None:
        """Raise RefusedProof unless the declared fact of a predicate follows for a clause from the facts about its
        calls.
        """
        reading = self.read(clause)
        about = self.program.facts.get(reading.name)
        known = None if reading.impossible else close(self.program.either, reading.conditions)
        if about is None or known is None:
            return
        inputs = tuple(("arg", i) for i in range(len(self.program.preds[reading.name].places("in"))))
        wanted = both(self.about(about, inputs, tuple(reading.outs)))
        self.prove(
            f"the fact about {reading.name} for {show_clause(clause)}",
            [*self.required(reading.name, inputs), *reading.tests],
            wanted,
            known,
        )


def _holds(known: dict[Condition, bool], key: Condition, wanted: bool) -> bool | None:
    """Return whether a condition is as wanted, None if that is open; a list that was built is known."""
    test, about = key
    if test == LIST and about[0][0] in ("cons", "nil"):
        return bool((about[0][0] == "cons") == wanted)
    return None if key not in known else known[key] == wanted


def tell(key: Condition) -> str:
    """Return a condition as text for people."""
    test, about = key
    return f"{spell(about[0])} has an item" if test == LIST else f"{test}({','.join(map(spell, about))})"


def decide(known: list[Formula], wanted: Formula, title: str) -> str:
    """Return who proved that the wanted formula follows from the known ones. Raises RefusedProof if nobody did."""
    whole = both([*known, deny(wanted)])
    if not adds(whole):
        try:
            if impossible(whole):
                return "order"
            raise RefusedProof(f"it does not follow that {spell_formula(wanted)[:300]} ({title[:300]})")
        except TooHard:
            pass
    text = smt.script(known, wanted, title)
    answers = []
    for solver in smt.solvers():
        answers.append(smt.ask(text, solver))
        if answers[-1] == "unsat":
            return solver
        if answers[-1] == "sat":
            break
    if not answers:
        raise RefusedProof(f"sums need a solver: pip install 'ludwin[discover]' ({title[:300]})")
    raise RefusedProof(f"it does not follow that {spell_formula(wanted)[:300]} ({title[:300]})")
