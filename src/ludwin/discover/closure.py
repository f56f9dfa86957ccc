"""Context closure: push what the caller does with a value into the callee, until nothing new appears.

The idea.  If a caller only wants `max(a, v)`, the callee may be told `a` and compute that at once.  A value
seen through max, min and minus is seen through a *clamp*, and clamps are closed under composition; so
starting from the plain program, a handful of new predicates (the same functions, seen through windows)
call only one another.  For each call in turn three things are sought and proved:

- O1, the window: the tightest clamp that may be put on this call without changing the result;
- O2, the cut: the weakest test on what is known under which the result no longer depends on later calls;
- O3, the rest: if not cut, the result as a clamp of the next call, hence again one of the predicates.

O1 is where deep cut-offs come from: a bound passes through any number of levels.  Every find is spelled out
as single steps of the clause calculus (define, unfold, replace, split, unlinked, fold), which the
independent checker goes through like any others.

References.  D. Knuth and R. Moore, "An analysis of alpha-beta pruning" (1975), who prove the result;
R. Bird and J. Hughes, "The alpha-beta algorithm: an exercise in program transformation", IPL 24 (1987).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from ludwin.discover.derivation import Derivation, follow
from ludwin.discover.oracle import Oracle, is_order
from ludwin.discover.region import is_literal
from ludwin.discover.rules import Calculus, Step, opposite_test
from ludwin.discover.syntax import write_goal, write_pred, write_term
from ludwin.discover.term import (
    BadProgram,
    Clause,
    Const,
    Goal,
    Pred,
    Program,
    Struct,
    Term,
    Var,
    apply,
    apply_goal,
    modes,
    names,
    negate,
)
from ludwin.discover.work import Work
from ludwin.progress import SILENT, Progress

LOW, HIGH = Var("A"), Var("B")


@dataclass(frozen=True, order=True)
class Context:
    """How a value is seen: not below `low`, not above `high`, if these are there."""

    low: bool = False
    high: bool = False

    def suffix(self) -> str:
        """Return what the name of a predicate seen so ends with."""
        return "_lo" * self.low + "_hi" * self.high


def clamp(value: Term, low: Term | None, high: Term | None) -> Term:
    """Return a value kept within bounds."""
    if high is not None:
        value = Struct("min", (high, value))
    return value if low is None else Struct("max", (low, value))


def orders(known: Sequence[Term], signed: bool) -> list[Term]:
    """Return the bounds that an order can offer: the known values and, in nega form, their negatives."""
    return [*known, *(negate(term) for term in known)] if signed else list(known)


def sums(known: Sequence[Term], signed: bool) -> list[Term]:
    """Return the bounds that sums can offer: known values, plus or minus another."""
    pairs = [(x, y) for x in known for y in known if x != y and not isinstance(x, Const)]
    return [*known, *(made for x, y in pairs for made in (Struct("+", (x, y)), less(x, y)))]


def less(x: Term, y: Term) -> Term:
    """Return x minus y, written as people do."""
    return (
        Struct("+", (x, negate(y)))
        if isinstance(y, Const) and not isinstance(y.value, str) and y.value < 0
        else Struct("-", (x, y))
    )


def halves(known: Sequence[Term], signed: bool) -> list[Term]:
    """Return the bounds that means of two can offer: known values, or one doubled less another."""
    pairs = [(x, y) for x in known for y in known if x != y and not isinstance(x, Const)]
    return [*known, *(less(Struct("*", (Const(2), x)), y) for x, y in pairs)]


Offers = Callable[[Sequence[Term], bool], list[Term]]


class Closure:
    """Closes a program under contexts; `steps` is the derivation so far."""

    def __init__(self, seed: Program, offers: Offers = orders, progress: Progress = SILENT):
        self.seed = self.program = seed
        self.offers = offers
        self.oracle = Oracle()
        self.tally = Work()
        self.steps: list[Step] = []
        self.progress = progress
        self.calls = {
            name
            for name, clauses in seed.defined.items()
            if any(c.goals or seed.preds[name].costly for c in clauses) and seed.preds[name].costly
        }
        self.signed = any(_minus(arg) for c in seed.clauses for g in (c.head, *c.goals, *c.tests) for arg in g.args)
        self._queue: list[tuple[str, Context, int]] = []
        self._done: set[tuple[str, Context]] = set()
        self._fresh = 0

    def run(self, entry: str) -> None:
        """Close everything that the entry needs."""
        self._want(entry, Context(), 0)
        while self._queue:
            name, context, depth = self._queue.pop(0)
            self.tally.states += 1
            self.tally.depth = max(self.tally.depth, depth)
            self.tally.tell(self.progress)
            self._close(name, context, depth)

    def _want(self, name: str, context: Context, depth: int) -> str:
        """Return the name of a predicate seen in a context, which will be closed if it is new."""
        if (name, context) in self._done:
            self.tally.duplicates += 1
        else:
            self._done.add((name, context))
            self._queue.append((name, context, depth))
            if context != Context():
                self._define(name, context)
        return name + context.suffix()

    def _do(self, step: Step) -> tuple[Clause, ...]:
        self.steps.append(step)
        self.program = follow(self.program, step)
        return step.added

    # what is known

    def _facts(self, clause: Clause) -> list[Goal]:
        """Return the tests, what callers guarantee and what is always true of the calls."""
        found = list(clause.tests)
        for goal in (clause.head, *clause.goals):
            table = self.program.pre if goal is clause.head else self.program.facts
            if goal.name in table:
                names_to = {
                    v.name: arg
                    for v, arg in zip(self.program.heads[goal.name].args, goal.args, strict=True)
                    if isinstance(v, Var)
                }
                found += [apply_goal(test, names_to) for test in table[goal.name]]
        for first, second, tests in self.program.lemmas:
            for one in clause.goals:
                for two in clause.goals:
                    if one.name == first.name and two.name == second.name and one.args[0] == two.args[0]:
                        both = dict(
                            zip(
                                [v.name for v in (*first.args, *second.args) if isinstance(v, Var)],
                                (*one.args, *two.args),
                                strict=True,
                            )
                        )
                        found += [apply_goal(test, both) for test in tests]
        return found

    def _constants(self) -> list[Term]:
        """Return the bounds that facts mention."""
        found: list[Term] = []
        for tests in self.seed.facts.values():
            found += [
                arg
                for test in tests
                for arg in test.args
                if isinstance(arg, Const) and arg not in found and not _infinite(arg)
            ]
        return found

    # definitions

    def _define(self, name: str, context: Context) -> None:
        old = self.seed.preds[name]
        bounds = [LOW] * context.low + [HIGH] * context.high
        thing = Var("Cs" if old.kinds[0] == "list" else "P")
        pred = Pred(
            name + context.suffix(),
            ("in", *("in" for _ in bounds), "out"),
            (old.kinds[0], *("number" for _ in bounds), "number"),
            (),
            costly=True,
        )
        head = Goal(pred.name, (thing, *bounds, Var("V")))
        body = clamp(Var("Y"), LOW if context.low else None, HIGH if context.high else None)
        pre: list[Goal] = []
        if context.low and context.high:
            pre = [Goal("<", (LOW, HIGH))]
        if name in self.seed.facts:
            for test in self.seed.facts[name]:
                if context.high and test.name == ">=" and isinstance(test.args[1], Const):
                    pre.append(Goal(">", (HIGH, test.args[1])))
                if context.low and test.name == "<=" and isinstance(test.args[1], Const):
                    pre.append(Goal("<", (LOW, test.args[1])))
        declare = write_pred(pred) + (
            f"\n:- require {write_goal(head)}: {', '.join(map(write_goal, pre))}." if pre else ""
        )
        clause = Clause(head, (Goal(name, (thing, Var("Y"))), Goal("is", (Var("V"), body))))
        self._do(
            Step("define", (), (clause,), f"{name} as its callers see it", "by construction", (("declare", declare),))
        )

    def _close(self, name: str, context: Context, depth: int) -> None:
        if context == Context():
            work = [clause for clause in self.program.clauses if clause.head.name == name]
        else:
            (definition,) = [clause for clause in self.program.clauses if clause.head.name == name + context.suffix()]
            definition = self._introduce(definition, depth)
            plain = Calculus(self.program.with_clauses(self.seed.clauses))
            call = next(goal for goal in definition.goals if goal.name == name)
            work = list(self._do(plain.unfold(definition, call)))
        for clause in work:
            if context != Context() or any(goal.name in self.calls for goal in clause.goals):
                self._clause(clause, depth)

    def _introduce(self, definition: Clause, depth: int) -> Clause:
        """Ask a lemma's cheap bound before the call that it bounds, if that can save the call."""
        for first, second, _ in self.program.lemmas:
            call = next((g for g in definition.goals if g.name == first.name), None)
            if call is None:
                continue
            probe = Goal(second.name, (call.args[0], Var("H")))
            asked = Clause(definition.head, (probe, *definition.goals), definition.tests)
            out = next(g for g in asked.goals if g.name == "is")
            cut = self._cut(out.args[1], [*self._known(asked, set()), Var("H")], [call.args[1]], self._facts(asked))
            if cut is not None:
                self._do(
                    Step(
                        "replace",
                        (definition,),
                        (asked,),
                        f"{second.name} is total, so it may be asked",
                        "totality proof",
                    )
                )
                half, definition = self._split(asked, cut[0])
                self._result(half, cut[1], depth)
        return definition

    # one clause

    def _known(self, clause: Clause, later: set[str]) -> list[Term]:
        """Return the numbers that are known before any of the calls in `later`."""
        found: list[Term] = []
        for goal in (clause.head, *clause.goals):
            if goal.name == "is":
                continue
            pred = self.program.preds[goal.name]
            way = "in" if goal is clause.head else "out"
            if goal is not clause.head and goal.name.removesuffix("_hi").removesuffix("_lo") in self.calls:
                continue
            found += [
                a
                for a, mode, kind in zip(goal.args, pred.modes, pred.kinds, strict=True)
                if mode == way and kind == "number" and isinstance(a, Var) and a.name not in later
            ]
        return found

    def _clause(self, clause: Clause, depth: int) -> None:
        self._fresh = 0
        out = modes(self.program, clause.head)[1][0]
        sums_of = {g.args[0].name: g.args[1] for g in clause.goals if g.name == "is" and isinstance(g.args[0], Var)}
        result = _inline(out, sums_of)
        goals = tuple(g for g in clause.goals if g.name != "is")
        calls = [g for g in goals if g.name in self.calls]
        known = self._known(clause, set())
        if not calls:
            self._leaf(clause, goals, result, known)
            return
        windows: dict[Goal, tuple[Term, str, list[Term], Context]] = {}
        made: list[Goal] = []
        for i, call in enumerate(calls):
            raw = [g.args[1] for g in calls[i:]]
            while (cut := self._cut(result, known, raw, [*self._facts(clause), *_equations(made)])) is not None:
                clause = self._rewrite(clause, goals, made, result)
                half, clause = self._split(clause, cut[0])
                made = [*made, *(g for g in clause.goals if g.name == "is" and g not in made and g.args[0] != Var("V"))]
                self._fold(self._result(half, cut[1], depth, fold=False), windows, depth)
            given = [*self._facts(clause), *_equations(made)]
            y = call.args[1]
            assert isinstance(y, Var)
            if i == len(calls) - 1:
                rest = self._rest(result, y, known, given)
                if rest is not None:
                    low, high = rest
                    made, windows[call], target = self._window(clause, y, low, high, made, Var("V"))
                    result = target
                    break
            low, high = self._tightest(result, y, known, given)
            made, windows[call], target = self._window(clause, y, low, high, made, None)
            result = _put(result, y, target)
            known = [*known, target]
        self._fold(self._rewrite(clause, goals, made, result), windows, depth)

    def _name(self, clause: Clause) -> str:
        self._fresh += 1
        return f"W{self._fresh}"

    def _leaf(self, clause: Clause, goals: tuple[Goal, ...], result: Term, known: Sequence[Term]) -> None:
        for simple in [*known, *self._bottoms(result)]:
            if is_literal(simple) and result != simple and self.oracle.equal(result, simple, self._facts(clause)):
                result = simple
                break
        self._rewrite(clause, goals, [], result)

    @staticmethod
    def _bottoms(result: Term) -> list[Term]:
        return [t for t in _parts(result) if is_literal(t)]

    def _rewrite(self, clause: Clause, goals: tuple[Goal, ...], made: Sequence[Goal], result: Term) -> Clause:
        """Compute the result of a clause in another way, from the same calls."""
        head_in = clause.head.args[:-1]
        extra = list(made)
        if not is_literal(result):
            extra.append(Goal("is", (Var("V"), result)))
            result = Var("V")
        new = Clause(Goal(clause.head.name, (*head_in, result)), (*goals, *extra), clause.tests)
        if new == clause:
            return clause
        who = self.oracle.who(
            Goal("=", (result, result)),
            [Goal("=", (g.args[1], g.args[1])) for g in (*extra, *(g for g in clause.goals if g.name == "is"))],
        )
        return self._do(Step("replace", (clause,), (new,), "the same result for all values of the calls", who))[0]

    def _split(self, clause: Clause, test: Goal) -> tuple[Clause, Clause]:
        more: list[Goal] = []
        args = []
        for arg in test.args:
            if is_literal(arg):
                args.append(arg)
            else:
                more.append(Goal("is", (Var(self._name(clause)), arg)))
                args.append(more[-1].args[0])
        if more:
            wide = Clause(clause.head, (*clause.goals, *more), clause.tests)
            clause = self._do(Step("replace", (clause,), (wide,), "a number more is computed", "by construction"))[0]
        test = Goal(test.name, (args[0], args[1]))
        self.tally.news.append(f"{clause.head.name}: cut when {write_goal(test)}")
        halves = tuple(Clause(clause.head, clause.goals, (*clause.tests, t)) for t in (test, opposite_test(test)))
        first, second = self._do(
            Step("split", (clause,), halves, "one of a test and its opposite holds", "total order", (("test", test),))
        )
        return first, second

    def _result(self, clause: Clause, result: Term, depth: int, *, fold: bool = True) -> Clause:
        """Give a cut clause its result and drop the calls that it no longer needs."""
        who = self.oracle.who(
            Goal("=", (result, result)), [Goal("=", (g.args[1], g.args[1])) for g in clause.goals if g.name == "is"]
        )
        new = Clause(Goal(clause.head.name, (*clause.head.args[:-1], result)), clause.goals, clause.tests)
        new = self._do(Step("replace", (clause,), (new,), "under the test the later calls do not matter", who))[0]
        log: list[Step] = []
        after = Calculus(self.program)._unlink(new, log)
        for step in log:
            self._do(step)
        return after

    def _offers(self, result: Term, known: Sequence[Term]) -> list[Term]:
        """Return the bounds to try; where nothing is added, an order has all that can help."""
        return (orders if is_order(result) else self.offers)(known, self.signed)

    # the three obligations

    def _cut(
        self, result: Term, known: Sequence[Term], later: Sequence[Term], given: Sequence[Goal]
    ) -> tuple[Goal, Term] | None:
        """O2: return the weakest test on known values that makes the result independent of later calls, and that
        result.
        """
        if not any(term in later for term in _parts(result)):
            return None
        simple = [*known, *self._constants()]
        valid: list[tuple[Goal, Term]] = []
        offers = self._offers(result, simple)
        for x, y in product(known, offers):
            for sign in (">=", "<="):
                if x == y or (isinstance(x, Const) and isinstance(y, Const)):
                    continue
                test = Goal(sign, (x, y))
                self.tally.generated += 1
                if self.oracle.holds(opposite_test(test), given) or self.oracle.holds(test, given):
                    continue
                for answer in orders(simple, self.signed):
                    if self.oracle.equal(result, answer, [*given, test]):
                        valid.append((test, answer))
                        break
        for test, answer in valid:
            if all(self.oracle.holds(test, [*given, other]) for other, same in valid if same == answer):
                return test, answer
        return valid[0] if valid else None

    def _tightest(
        self, result: Term, y: Var, known: Sequence[Term], given: Sequence[Goal]
    ) -> tuple[Term | None, Term | None]:
        """O1: return the tightest bounds that may be put on a call without changing the result."""
        ends: list[Term | None] = []
        for which, sign in (("max", ">="), ("min", "<=")):
            valid = []
            for bound in self._offers(result, [*known, *self._constants()]) if known else []:
                self.tally.generated += 1
                if self.oracle.holds(Goal(sign, (y, bound)), given):
                    continue
                if self.oracle.equal(result, _put(result, y, Struct(which, (bound, y))), given):
                    valid.append(bound)
            tight: list[Term] = [
                b for b in valid if all(self.oracle.holds(Goal(sign, (b, other)), given) for other in valid)
            ]
            ends.append(next(iter([*tight, *valid]), None))
        low, high = ends
        if low is not None and high is not None and not self.oracle.holds(Goal("<", (low, high)), given):
            high = None
        if low is not None and high is not None:
            assert self.oracle.equal(result, _put(result, y, clamp(y, low, high)), given), (
                "bounds that hold alone hold together"
            )
        return low, high

    def _rest(
        self, result: Term, y: Var, known: Sequence[Term], given: Sequence[Goal]
    ) -> tuple[Term | None, Term | None] | None:
        """O3: return bounds such that the result is the next call's value kept within them."""
        if result == y:
            return None, None
        offers: list[Term | None] = [None, *self._offers(result, known)]
        for low, high in product(offers, offers):
            if low is None and high is None:
                continue
            self.tally.generated += 1
            if low is not None and high is not None and not self.oracle.holds(Goal("<", (low, high)), given):
                continue
            if self.oracle.equal(result, clamp(y, low, high), given):
                return low, high
        return None

    # folding

    def _window(
        self, clause: Clause, y: Var, low: Term | None, high: Term | None, made: Sequence[Goal], target: Var | None
    ) -> tuple[list[Goal], tuple[Term, str, list[Term], Context], Var]:
        """Return the arithmetic that puts bounds on a call's value, and how to call it with them."""
        more = list(made)
        args: list[Term] = []
        for bound in (low, high):
            if bound is not None and not is_literal(bound):
                name = Var(self._name(clause))
                more.append(Goal("is", (name, bound)))
                bound = name
            if bound is not None:
                args.append(bound)
        context = Context(low is not None, high is not None)
        if context == Context():
            return more, (y, "", [], context), y
        out = target or Var(self._name(clause))
        bounds = list(args)
        more.append(
            Goal("is", (out, clamp(y, bounds.pop(0) if context.low else None, bounds.pop(0) if context.high else None)))
        )
        return more, (out, write_term(y), args, context), out

    def _fold(self, clause: Clause, windows: dict[Goal, tuple[Term, str, list[Term], Context]], depth: int) -> None:
        """Replace each call and its window by a call of the predicate that is seen through that window."""
        for call, (out, _, args, context) in windows.items():
            if call not in clause.goals:
                continue
            name = self._want(call.name, context, depth + 1)
            if context == Context():
                continue
            window = next(g for g in clause.goals if g.name == "is" and g.args[0] == out)
            seen = Goal(name, (call.args[0], *args, out))
            goals = []
            for goal in clause.goals:
                if goal is window:
                    continue
                goals.append(seen if goal == call else goal)
            first = [g for g in goals if g.name == "is" and g.args[0] in args]
            goals = [g for g in goals if g not in first]
            at = goals.index(seen)
            goals[at:at] = first
            folded = Clause(clause.head, tuple(goals), clause.tests)
            self._do(
                Step(
                    "fold",
                    (clause,),
                    (folded,),
                    f"{call.name} through its window is {name}",
                    "by construction",
                    (("goal", seen),),
                )
            )
            clause = folded


def _equations(made: Sequence[Goal]) -> list[Goal]:
    return [Goal("=", goal.args) for goal in made]


def _inline(term: Term, sums_of: dict[str, Term]) -> Term:
    """Return a term with every computed variable replaced by what computes it."""
    while any(name in sums_of for name in names(term)):
        term = apply(term, {k: v for k, v in sums_of.items() if k in set(names(term))})
    return term


def _put(term: Term, old: Term, new: Term) -> Term:
    """Replace one variable, without looking into what replaces it."""
    if term == old:
        return new
    if isinstance(term, Struct):
        args = tuple(_put(arg, old, new) for arg in term.args)
        return negate(args[0]) if term.functor == "-" and len(args) == 1 else Struct(term.functor, args)
    return term


def _parts(term: Term) -> Iterator[Term]:
    yield term
    if isinstance(term, Struct):
        for arg in term.args:
            yield from _parts(arg)


def _infinite(term: Const) -> bool:
    return isinstance(term.value, float) and math.isinf(term.value)


def _minus(term: Term) -> bool:
    return any(isinstance(t, Struct) and t.functor == "-" and len(t.args) == 1 for t in _parts(term)) and not (
        isinstance(term, Const) and math.isinf(float(term.value))
    )


def understood(program: Program) -> None:
    """Raise BadProgram unless closure understands a program: one thing in, one number out, results computed by `is`
    from calls.
    """
    calls = {name for name in program.defined if program.preds[name].costly}
    if not calls:
        raise BadProgram("closure needs predicates that are declared to `cost`: those whose calls are to be saved")
    for name in sorted(calls):
        pred = program.preds[name]
        if pred.modes != ("in", "out") or pred.kinds[0] == "number" or pred.kinds[1] not in ("number", "any"):
            raise BadProgram(
                f"{name}: closure understands predicates with one thing in and one number out, such as "
                f"{name}(in:position, out:number)"
            )
    for clause in program.clauses:
        if clause.head.name not in calls:
            continue
        made = {g.args[0] for g in clause.goals if g.name == "is"}
        for goal in clause.goals:
            if goal.name != "is" and any(
                isinstance(a, Var) and a in made for a in program.preds[goal.name].inputs(goal.args)
            ):
                raise BadProgram(
                    f"{clause.head.name}: closure does not understand {write_goal(goal)}, whose input is computed; "
                    f"write the result with `is`, max and min"
                )
        if clause.tests:
            raise BadProgram(
                f"{clause.head.name}: closure does not understand the test {write_goal(clause.tests[0])} in a plain "
                f"clause; write max or min"
            )


def close(
    seed: Program, entry: str, problem: str, *, offers: Offers = orders, progress: Progress = SILENT
) -> tuple[Derivation, Work, Oracle]:
    """Return the derivation from a plain program to its closure, what it took, and the judges' counts."""
    understood(seed)
    closure = Closure(seed, offers, progress)
    closure.run(entry)
    return Derivation(problem, entry, seed, tuple(closure.steps), closure.program), closure.tally, closure.oracle
