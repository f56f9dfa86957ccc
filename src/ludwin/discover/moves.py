"""Move sets: what the search may do to a program in one step.

Why it is here.  The paper's estimate is sobering: 4 to 20 moves per program, some 30 steps to alpha-beta,
10^30 programs.  Its cure is macro-moves.  Here the move sets are interchangeable, so that the worth of
each idea can be counted: `atomic` does one thing at a time; `unfold-split-join` unfolds comparisons along
with the costly call; `split-join` makes only such splits as let one half join a sibling at once.
(`closure`, the strongest macro, lives in `ludwin.discover.closure`.)
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from ludwin.discover.region import Literal, basis, deny, meet
from ludwin.discover.rules import Calculus, Step, test_of
from ludwin.discover.term import Clause, Goal, names

Moves = Callable[[Calculus, Sequence[Clause]], Iterator[list[Step]]]


def is_cheap(calculus: Calculus, name: str) -> bool:
    """Tell whether a predicate only compares: its clauses have tests and nothing else."""
    clauses = calculus.program.defined.get(name, ())
    return bool(clauses) and not any(clause.goals for clause in clauses)


def _callable(calculus: Calculus, clause: Clause, *, cheap: bool, costly: bool) -> Iterator[Goal]:
    for goal in clause.goals:
        if goal.name in calculus.program.defined and (cheap if is_cheap(calculus, goal.name) else costly):
            yield goal


def _splits(calculus: Calculus, clause: Clause) -> Iterator[Goal]:
    """Yield the tests that would split a clause: values that its tests already speak of, compared both ways."""
    canon = calculus.canon(clause)
    spoken = {lit[0] for fact in canon.region.facts or () for lit in (fact[0], fact[2])}
    values: dict[int, str] = {}
    for goal in clause.goals:
        if goal.name in calculus.program.preds and calculus.program.preds[goal.name].costly:
            pred = calculus.program.preds[goal.name]
            for arg, mode, kind in zip(goal.args, pred.modes, pred.kinds, strict=True):
                if mode == "out" and kind == "number":
                    for name, canonical in canon.vars.items():
                        if getattr(arg, "name", None) == name and canonical in spoken:
                            values.setdefault(canonical, name)
    signed = any(lit[1] < 0 for fact in canon.region.facts or () for lit in (fact[0], fact[2]) if lit[0] != "")
    for a, b in combinations(values, 2):
        pairs: list[tuple[Literal, Literal]] = [((a, 1), (b, 1)), ((b, 1), (a, 1))]
        if signed:
            pairs += [((a, 1), (b, -1)), ((a, -1), (b, 1))]
        for x, y in pairs:
            fact = (x, False, y)
            if not canon.region.entails(fact) and not canon.region.entails(deny(fact)):
                yield test_of(fact, values)


def _joins(calculus: Calculus, clauses: Sequence[Clause]) -> Iterator[Step]:
    for first, second in combinations(clauses, 2):
        step = calculus.join(first, second)
        if step is not None:
            yield step


def atomic(calculus: Calculus, clauses: Sequence[Clause]) -> Iterator[list[Step]]:
    """One rule at a time: every unfolding, every split, every join."""
    for clause in clauses:
        for goal in _callable(calculus, clause, cheap=True, costly=True):
            yield [calculus.unfold(clause, goal)]
    for clause in clauses:
        for test in _splits(calculus, clause):
            yield [calculus.split(clause, test)]
    for step in _joins(calculus, clauses):
        yield [step]


def unfold_through(calculus: Calculus, clause: Clause, goal: Goal | None) -> list[Step]:
    """Unfold a call and then every comparison predicate in the resolvents."""
    steps = [calculus.unfold(clause, goal)] if goal is not None else []
    waiting = list(steps[0].added) if steps else [clause]
    while waiting:
        one = waiting.pop(0)
        if calculus.canon(one).region.empty:
            continue
        inner = next(_callable(calculus, one, cheap=True, costly=False), None)
        if inner is not None:
            steps.append(calculus.unfold(one, inner))
            waiting = [*steps[-1].added, *waiting]
    return steps


def _unfoldings(calculus: Calculus, clauses: Sequence[Clause]) -> Iterator[list[Step]]:
    """Unfold late calls first: what is computed last is what a cut can save."""
    for clause in clauses:
        for goal in reversed(list(_callable(calculus, clause, cheap=False, costly=True))):
            yield unfold_through(calculus, clause, goal)


def _sibling_tests(calculus: Calculus, clause: Clause, clauses: Sequence[Clause]) -> Iterator[Goal]:
    """Yield the tests of siblings with the same goals that would split a clause."""
    mine = calculus.canon(clause)
    back: dict[int, str] = {}
    for name, canonical in mine.vars.items():
        back.setdefault(canonical, name)
    seen = set()
    for sibling in clauses:
        theirs = calculus.canon(sibling)
        if sibling is clause or mine.goals != theirs.goals:
            continue
        for fact in basis(theirs.region):
            known = {lit[0] for lit in (fact[0], fact[2]) if lit[0] != ""}
            if (
                fact not in seen
                and known <= set(back)
                and not mine.region.entails(fact)
                and not meet(mine.region, [fact]).empty
            ):
                seen.add(fact)
                yield test_of(fact, back)


def _early_tests(calculus: Calculus, clauses: Sequence[Clause]) -> list[tuple[Clause, Goal]]:
    """Return the splits by siblings' tests, those first whose values are known first: only what comes later can be
    saved.
    """

    def known(item: tuple[Clause, Goal]) -> int:
        clause, test = item
        wanted = {name for term in test.args for name in names(term)}
        return max(
            (i for i, goal in enumerate(clause.goals) if any(n in wanted for term in goal.args for n in names(term))),
            default=0,
        )

    return sorted(
        ((clause, test) for clause in clauses for test in _sibling_tests(calculus, clause, clauses)), key=known
    )


def unfold_split_join(calculus: Calculus, clauses: Sequence[Clause]) -> Iterator[list[Step]]:
    """Unfold a costly call with all comparisons behind it; split; join."""
    for clause, test in _early_tests(calculus, clauses):
        yield [calculus.split(clause, test)]
    yield from _unfoldings(calculus, clauses)
    for step in _joins(calculus, clauses):
        yield [step]


def split_join(calculus: Calculus, clauses: Sequence[Clause]) -> Iterator[list[Step]]:
    """Unfold a costly call with all comparisons behind it; split a clause so that one half joins a sibling."""
    for clause, test in _early_tests(calculus, clauses):
        split = calculus.split(clause, test)
        for sibling in clauses:
            join = calculus.join(sibling, split.added[0]) if sibling is not clause else None
            if join is not None:
                yield [split, join]
    yield from _unfoldings(calculus, clauses)
    for step in _joins(calculus, clauses):
        yield [step]


MOVE_SETS: dict[str, Moves] = {"atomic": atomic, "unfold-split-join": unfold_split_join, "split-join": split_join}
