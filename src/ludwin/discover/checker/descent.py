"""Descent: every recursion goes to something smaller, in a measure that the checker computes itself.

Why it is here.  Induction needs an order without endless descents.  Two are known: *parts* (the items and the rest of a
list are smaller than the list, the things that a `smaller` primitive returns are smaller than its first input; that
there is no endless chain of parts is an axiom about the primitives) and *counters* (a finite number that falls by a
fixed amount in each call and is known to be above a constant).  For every circle of calls some argument must never grow
and somewhere fall; circles in which it falls are then cut, and what is left must fall in another argument, until no
circle is left.
"""

from dataclasses import dataclass
from itertools import product

from ludwin.discover.checker.formula import Formula, Value, both
from ludwin.discover.checker.reading import Reading, sources
from ludwin.discover.checker.terms import HornClause, LogicProgram, RefusedProof, show_clause
from ludwin.discover.checker.theory import Theory, decide

MOST_CHOICES = 4096


@dataclass(frozen=True)
class _Edge:
    """A call from one predicate to another: how each pair of arguments compares (1 smaller, 0 the same)."""

    caller: str
    callee: str
    compares: tuple[tuple[tuple[int, int], int], ...]  # ((place of the caller, place of the callee), 1 or 0)
    where: str


def descends(theory: Theory, clauses: list[HornClause], what: str) -> None:
    """Raise RefusedProof unless every circle of calls among some clauses goes to something smaller."""
    defined = {clause.head.name for clause in clauses}
    edges = []
    for clause in clauses:
        reading = theory.read(clause)
        if reading.impossible:
            continue
        for call in reading.calls:
            if call.name in defined:
                edges.append(_edge(theory, reading, call.name, call.inputs))
    _cut(theory, edges, what)


def _edge(theory: Theory, reading: Reading, callee: str, inputs: tuple[Value, ...]) -> _Edge:
    found = []
    kinds = theory.kinds()
    pred = theory.program.preds[reading.name]
    for place, i in enumerate(pred.places("in")):
        counter = kinds[reading.name][i] == "number"
        for other, value in enumerate(inputs):
            if value == ("arg", place):
                found.append(((place, other), 0))
            elif falls(theory, reading, place, value) if counter else is_part(theory.program, value, ("arg", place)):
                found.append(((place, other), 1))
    return _Edge(reading.name, callee, tuple(found), show_clause(reading.clause))


def is_part(program: LogicProgram, value: Value, whole: Value) -> bool:
    """Tell whether a value is a part of another, smaller by the axioms."""
    while value != whole:
        match value[0]:
            case "hd" | "tl":
                value = value[1]
            case "out" if value[1] in program.preds and program.preds[value[1]].smaller:
                value = value[3][0]
            case _:
                return False
        if value == whole:
            return True
    return False


def falls(theory: Theory, reading: Reading, place: int, value: Value) -> bool:
    """Tell whether a counter falls by a fixed amount, is finite, and was above a constant when the call was made."""
    if value[0] != "+" or value[1] != ("arg", place) or value[2][0] != "num" or value[2][1] >= 0:
        return False
    inputs = tuple(("arg", i) for i in range(len(theory.program.preds[reading.name].places("in"))))
    known: list[Formula] = [
        *theory.required(reading.name, inputs),
        *(t for t in reading.tests if not sources([t[1], t[2]])),
    ]
    floors = [t[2] for t in known if t[0] in (">", ">=") and t[1] == ("arg", place) and t[2][0] == "num"]
    if not floors:
        return False
    try:
        decide(known, both([(">", ("inf", 1), ("arg", place))]), "a counter is finite")
    except RefusedProof:
        return False
    return True


def _cut(theory: Theory, edges: list[_Edge], what: str) -> None:
    """Cut the circles that descend, circle by circle, until none is left."""
    for circle in _circles(edges):
        inside = [e for e in edges if e.caller in circle and e.callee in circle]
        strict = _measure(theory, sorted(circle), inside)
        if not strict:
            raise RefusedProof(
                f"{what}: the recursion of {', '.join(sorted(circle))} has no argument that always gets smaller "
                f"({inside[0].where})"
            )
        _cut(theory, [e for e in inside if e not in strict], what)


def _measure(theory: Theory, circle: list[str], edges: list[_Edge]) -> list[_Edge]:
    """Return the calls that descend under the first choice of arguments in which no call ascends and some descend."""
    kinds = theory.kinds()
    for counters in (False, True):
        places = []
        for name in circle:
            pred = theory.program.preds[name]
            places.append([at for at, i in enumerate(pred.places("in")) if (kinds[name][i] == "number") == counters])
        count = 1
        for row in places:
            count *= len(row)
        if count > MOST_CHOICES:
            raise RefusedProof(f"more than {MOST_CHOICES} ways in which {', '.join(circle)} could descend")
        for choice in product(*places):
            at = dict(zip(circle, choice, strict=True))
            steps = [dict(e.compares).get((at[e.caller], at[e.callee])) for e in edges]
            if None not in steps and 1 in steps:
                return [e for e, step in zip(edges, steps, strict=True) if step == 1]
    return []


def _circles(edges: list[_Edge]) -> list[set[str]]:
    """Return the sets of predicates that call one another in a circle."""
    onward: dict[str, set[str]] = {}
    for edge in edges:
        onward.setdefault(edge.caller, set()).add(edge.callee)

    def reach(start: str) -> set[str]:
        found: set[str] = set()
        waiting = [start]
        while waiting:
            for name in onward.get(waiting.pop(), ()):
                if name not in found:
                    found.add(name)
                    waiting.append(name)
        return found

    reached = {name: reach(name) for name in onward}
    circles: list[set[str]] = []
    for name in sorted(onward):
        if name in reached[name] and not any(name in circle for circle in circles):
            circles.append({other for other in reached[name] if name in reached.get(other, set())})
    return circles
