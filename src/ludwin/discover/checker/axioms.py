"""Axioms that nothing could satisfy prove everything; here they are refused.

Why it is here.  A theorem from contradictory axioms says nothing, however carefully it is proved.  So the checker looks
for a world in which all axioms hold: values for every primitive that satisfy the facts about it, a choice of tests
under which no chain of `smaller` parts goes on for ever, and, for a lemma that ties a primitive to a plain function, a
value of the primitive for every value of the function.
"""

from fractions import Fraction
from itertools import product

from ludwin.discover.checker import smt
from ludwin.discover.checker.formula import Formula, Value, adds, both, deny, either, parts, values
from ludwin.discover.checker.order import TooHard, impossible
from ludwin.discover.checker.reading import test_formula
from ludwin.discover.checker.terms import Lemma, RefusedProof, Variable
from ludwin.discover.checker.theory import Theory


def possible(formula: Formula) -> bool:
    """Tell whether some numbers satisfy a formula."""
    try:
        if not adds(formula):
            return not impossible(formula)
    except TooHard:
        pass
    text = smt.script([formula], ("or", ()), "can the axioms hold?")
    for solver in smt.solvers():
        answer = smt.ask(text, solver)
        if answer in ("sat", "unsat"):
            return answer == "sat"
    raise RefusedProof("sums need a solver: pip install 'ludwin[discover]'")


def consistent(theory: Theory) -> None:
    """Raise RefusedProof unless the axioms about primitives can hold together."""
    program = theory.program
    for name, about in program.facts.items():
        inputs: tuple[Value, ...] = tuple(("arg", i) for i in range(len(program.preds[name].places("in"))))
        if any(_only_inputs(theory, name, test) for test in about.tests):
            raise RefusedProof(f"the fact about {name} restricts its inputs, not what it returns")
        if not possible(both(theory.about(about, inputs, theory.outs(name, inputs)))):
            raise RefusedProof(f"no value satisfies the fact about {name}")
        if name in theory.primitives and any(
            theory.kind.of(name)[i] == "number" for i in program.preds[name].places("in")
        ):
            raise RefusedProof(f"a fact about {name}, which takes numbers, is not understood")
    for name in program.require:
        satisfiable(theory, name)
    _no_endless_chain(theory)


def _only_inputs(theory: Theory, name: str, test: object) -> bool:
    from ludwin.discover.checker.terms import Atom, goal_variables

    assert isinstance(test, Atom)
    about, pred = theory.program.facts[name], theory.program.preds[name]
    outs = {arg.name for i in pred.places("out") if isinstance(arg := about.head.args[i], Variable)}
    return not goal_variables(test) & outs


def satisfiable(theory: Theory, name: str) -> None:
    """Raise RefusedProof if nothing satisfies what a predicate requires."""
    inputs: tuple[Value, ...] = tuple(("arg", i) for i in range(len(theory.program.preds[name].places("in"))))
    if not possible(both(theory.required(name, inputs))):
        raise RefusedProof(f"no input satisfies what {name} requires, so that nothing is said about it")


def _no_endless_chain(theory: Theory) -> None:
    """Raise RefusedProof unless for some choice of tests no `smaller` primitive has to answer for ever."""
    program = theory.program
    chains = []
    for name in sorted(theory.primitives):
        pred = program.preds[name]
        if pred.smaller and pred.total is not None:
            kinds = theory.kind.of(name)
            outs = tuple(
                kinds[i] for i in pred.places("out") if kinds[i] != "number"
            )  # a list may be empty, its items need not exist
            chains.append((kinds[0], outs, pred.total))
    tests = sorted({test for _, _, total in chains for test in total})
    groups = [g for g in program.either if set(g) & set(tests)]
    loose = [t for t in tests if not any(t in g for g in groups)]
    for chosen in product(*groups):
        true = set(chosen)  # tests outside a choice may all be false
        onward: dict[str, set[str]] = {}
        for source, outs, total in chains:
            if set(total) <= true and not set(total) & set(loose):
                onward.setdefault(source, set()).update(outs)
        if not _circle(onward):
            return
    raise RefusedProof(
        "the `smaller` primitives always answer, so that their parts get smaller for ever: no world is like that"
    )


def _circle(onward: dict[str, set[str]]) -> bool:
    for start in onward:
        seen: set[str] = set()
        waiting = list(onward[start])
        while waiting:
            name = waiting.pop()
            if name == start:
                return True
            if name not in seen:
                seen.add(name)
                waiting += onward.get(name, ())
    return False


def says_something(theory: Theory, name: str) -> None:
    """Raise RefusedProof if a contract does not tie its answer to the value that it answers for."""
    inputs: tuple[Value, ...] = tuple(("arg", i) for i in range(len(theory.program.preds[name].places("in"))))
    outs = theory.outs(name, inputs)
    lines, (plain, into) = theory.lines(name, inputs, outs)
    known = both(theory.required(name, inputs))
    whole = both(lines)
    if not possible(both([known, whole])):
        raise RefusedProof(f"nothing keeps the contract of {name}")
    of = {
        ("out", plain, k, into): ("out", "another?", k, into)
        for k in range(len(theory.program.preds[plain].places("out")))
    }
    other = _renamed(whole, of)
    if not possible(both([known, whole, deny(other)])):
        raise RefusedProof(f"the contract of {name} says nothing about {plain}")


def _renamed(formula: Formula, names: dict[Value, Value]) -> Formula:
    if formula[0] in ("and", "or"):
        return (formula[0], tuple(_renamed(part, names) for part in formula[1]))
    return (formula[0], *(_renamed_value(side, names) for side in formula[1:]))


def _renamed_value(value: Value, names: dict[Value, Value]) -> Value:
    if value in names:
        return names[value]
    if value[0] in ("~", "+", "max", "min"):
        return (value[0], *(_renamed_value(part, names) for part in value[1:]))
    return ("*", value[1], _renamed_value(value[2], names)) if value[0] == "*" else value


# lemmas


def lemmas(theory: Theory) -> None:
    """Raise RefusedProof unless every lemma is about a primitive that the plain program does not use, and can hold."""
    program = theory.program
    ties: dict[str, list[Lemma]] = {}
    for lemma in program.lemmas:
        free = [
            g.name for g in (lemma.first, lemma.second) if g.name in theory.primitives and not _used(theory, g.name)
        ]
        bound = [g.name for g in (lemma.first, lemma.second) if g.name not in free]
        where = f"the lemma about {lemma.first.name} and {lemma.second.name}"
        if len(free) != 1 or len(bound) != 1:
            raise RefusedProof(
                f"{where}: one of the two must be a primitive that the plain program does not use, the other one "
                f"that it does; other lemmas need a proof"
            )
        if theory.program.preds[free[0]].total != ():
            raise RefusedProof(f"{where}: {free[0]} must be total")
        ties.setdefault(free[0], []).append(lemma)
    for name, all_ in ties.items():
        _can_hold(theory, name, all_)


def _used(theory: Theory, name: str) -> bool:
    return any(call.name == name for readings in theory.plain.values() for r in readings for call in r.calls)


def _can_hold(theory: Theory, name: str, ties: list[Lemma]) -> None:
    """Look for a value of the primitive for every value of the functions that it is tied to."""
    inputs: tuple[Value, ...] = tuple(("arg", i) for i in range(len(theory.program.preds[name].places("in"))))
    about = theory.program.facts.get(name)
    wanted = list(theory.about(about, inputs, theory.outs(name, inputs))) if about else []
    given: list[Formula] = []
    for lemma in ties:
        env: dict[str, Value] = {}
        mine, its = (lemma.first, lemma.second) if lemma.first.name == name else (lemma.second, lemma.first)
        for goal in (mine, its):
            pred = theory.program.preds[goal.name]
            if goal is mine:
                for place, value in zip(pred.places("in"), inputs, strict=True):
                    arg = goal.args[place]
                    assert isinstance(arg, Variable)
                    env[arg.name] = value
            into = tuple(env[arg.name] for i in pred.places("in") if isinstance(arg := goal.args[i], Variable))
            for place, value in zip(pred.places("out"), theory.outs(goal.name, into), strict=True):
                arg = goal.args[place]
                assert isinstance(arg, Variable)
                env[arg.name] = value
            if goal.name in theory.program.facts:
                given += (
                    theory.about(theory.program.facts[goal.name], into, theory.outs(goal.name, into))
                    if goal is its
                    else []
                )
        wanted += [test_formula(test, env, "a lemma") for test in lemma.tests]
    free = set(theory.outs(name, inputs))
    if not _for_all_some(both(given), both(wanted), free):
        raise RefusedProof(f"no value of {name} can satisfy what the lemmas say of it")


def _for_all_some(given: Formula, wanted: Formula, free: set[Value]) -> bool:
    """Tell whether for all values there are values of `free` that satisfy the wanted formula.

    The candidates are the numbers that the formula itself mentions: if each value of the others admits one of them,
    the lemmas can hold.  (A stricter test than needed: a bound that lies strictly between others is refused.)
    """
    candidates: list[Value] = [("inf", 1), ("inf", -1), ("num", Fraction(0))]
    for value in values(wanted):
        candidates += [
            part for part in parts(value) if part not in free and part[0] not in ("+", "*", "~", "max", "min")
        ]
    candidates = list(dict.fromkeys(candidates))
    ways = []
    for choice in product(candidates, repeat=len(free)):
        ways.append(_renamed(wanted, dict(zip(sorted(free), choice, strict=True))))
        if len(ways) > 2000:
            break
    return not possible(both([given, deny(either(ways))]))
