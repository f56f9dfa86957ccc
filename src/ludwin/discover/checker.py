"""The independent checker: believes nothing but its own eyes.

Why it is here.  A derivation file may come from anywhere, and the search may be wrong.  This module goes
through the steps by other means than the search found them: its own reader (`logic`), its own notion
of what a clause means (`meaning`), all order types instead of a closure, z3 for sums.  It accepts

- *local* steps (split, join, entailed, unsat, unlinked, subsume, determinise, merge, replace, rename) if the
  clauses before and after give the same answers for all truth values and all values of their calls;
- unfold and fold if the resolvents, computed anew, are the clauses of the step;
- define if the name is new; refine if every clause keeps the specification, by induction;

and in the end a program whose recursion descends, whose clauses cover every case and never disagree,
and whose calls keep what they are required to keep.
"""

from collections.abc import Callable
from typing import Any

from ludwin.discover.induct import keeps_specification, read_specification
from ludwin.discover.logic import Refused, Rule, Theory, Tree, put, read_goal, read_rule, read_theory, solve, variables
from ludwin.discover.meaning import Meaning, applies, grid, holds, truths

LOCAL = ("split", "join", "entailed", "unsat", "unlinked", "subsume", "determinise", "merge", "replace", "rename")


def recheck(data: dict[str, Any], where: str = "derivation") -> int:
    """Check a derivation's data again and return the number of steps. Raises Refused with the step that fails."""
    theory = read_theory("\n".join(data["seed"]))
    sound(theory, f"{where}: seed", sorted({rule.head[0] for rule in theory.rules}))
    definitions = {name: theory.of(name) for name in theory.preds}
    specifications: dict[str, Any] = {}
    for i, step in enumerate(data["steps"]):
        try:
            _step(theory, definitions, specifications, step)
        except Refused as error:
            raise Refused(f"{where}: step {i + 1} ({step['rule']}) is not sound: {error}") from None
    result = read_theory("\n".join(data["result"]))
    if sorted(fingerprint(theory, r) for r in theory.rules) != sorted(fingerprint(result, r) for r in result.rules):
        raise Refused(f"{where}: the steps do not lead to the result")
    if (
        {n: vars(p) for n, p in theory.preds.items()} != {n: vars(p) for n, p in result.preds.items()}
        or theory.pre != result.pre
        or theory.facts != result.facts
    ):
        raise Refused(f"{where}: the result declares other things than the steps do")
    sound(theory, f"{where}: result", [data["entry"]], specifications, seed=False)
    return len(data["steps"])


def fingerprint(theory: Theory, rule: Rule) -> str:
    """Return a text that two clauses share if and only if they differ in names and order only."""
    meaning = Meaning(theory, rule)
    goals = sorted({*meaning.calls, *(meaning.spell(["is", g[2]]) for g in rule.body if g[0] == "is")})
    tests = sorted({_mirror(meaning, test) for test in meaning.tests})
    shape = [meaning.spell(h) for h in meaning.heads]
    return f"{rule.head[0]}({shape}) = {[meaning.spell(o) for o in meaning.outs]} if {goals} and {tests} and {sorted(meaning.conditions)}"


def _mirror(meaning: Meaning, test: Tree) -> str:
    sign, x, y = test[0], meaning.spell(test[1]), meaning.spell(test[2])
    return f"{x}{sign}{y}" if sign in (">=", ">") else f"{y}{ {'<=': '>=', '<': '>', '=': '='}[sign] }{x}"


def _step(theory: Theory, definitions: dict[str, list[Rule]], specifications: dict[str, Any], step: dict[str, Any]) -> None:
    removed, added = ([read_rule(text) for text in step[key]] for key in ("removed", "added"))
    extra = step["data"]
    if step["rule"] == "define":
        _define(theory, definitions, specifications, added, extra)
        return
    places = []
    for rule in removed:
        mark = fingerprint(theory, rule)
        at = next((i for i, r in enumerate(theory.rules) if i not in places and fingerprint(theory, r) == mark), None)
        if at is None:
            raise Refused(f"it removes a clause that is not there: {rule.text}")
        places.append(at)
    rest = [r for i, r in enumerate(theory.rules) if i not in places]
    if step["rule"] in LOCAL:
        others = [read_rule(extra["other"])] if "other" in extra else []
        for other in others:
            if fingerprint(theory, other) not in {fingerprint(theory, r) for r in rest}:
                raise Refused(f"it relies on a clause that is not there: {other.text}")
        same_answers(theory, removed + others, added + others)
    elif step["rule"] == "unfold":
        wanted = [r for rule in removed for r in resolvents(rule, read_goal(extra["goal"]), definitions, theory)]
        _same(theory, wanted, added)
    elif step["rule"] == "fold":
        (folded,) = added
        goal = read_goal(extra["goal"])
        if goal not in folded.body:
            raise Refused("the folded call is not in the clause")
        _same(theory, resolvents(folded, goal, definitions, theory), removed)
    elif step["rule"] == "refine":
        keeps_specification(theory, definitions, specifications, added)
    else:
        raise Refused("no such rule")
    theory.rules[:] = rest + added


def _same(theory: Theory, wanted: list[Rule], given: list[Rule]) -> None:
    if sorted(fingerprint(theory, r) for r in wanted) != sorted(fingerprint(theory, r) for r in given):
        raise Refused(f"the clauses should be {len(wanted)} resolvents, and are not")


def _define(theory: Theory, definitions: dict[str, list[Rule]], specifications: dict[str, Any], added: list[Rule], extra: dict[str, Any]) -> None:
    new = read_theory(extra["declare"])
    (name,) = new.preds
    if name in theory.preds:
        raise Refused(f"{name} is not a new name")
    theory.preds[name] = new.preds[name]
    theory.pre.update(new.pre)
    theory.facts.update(new.facts)
    if "specification" in extra:
        specifications[name] = read_specification(theory, name, extra["specification"])
        return
    for rule in added:
        if rule.head[0] != name or any(goal[0] == name for goal in rule.body):
            raise Refused("a definition speaks of older predicates only")
        Meaning(theory, rule)
    definitions[name] = added
    theory.rules += added


def resolvents(rule: Rule, goal: Tree, definitions: dict[str, list[Rule]], theory: Theory) -> list[Rule]:
    """Return what unfolding a goal gives, with the definitions as they were first written."""
    if goal not in rule.body:
        raise Refused("the goal is not in the clause")
    found = []
    for k, definition in enumerate(definitions[goal[0]]):
        env: dict[str, Tree] = {}
        apart = {v: f"{v}'{k}" for v in set().union(*(variables(g) for g in [definition.head, *definition.body]))}
        if solve(put(definition.head, apart), goal, env):
            at = rule.body.index(goal)
            body = [*rule.body[:at], *(put(g, apart) for g in definition.body), *rule.body[at + 1 :]]
            from ludwin.discover.logic import plain

            found.append(plain(Rule(put(rule.head, env), [put(g, env) for g in body], rule.text)))
    return found


def allowed(theory: Theory, meanings: list[Meaning]) -> Callable[[dict[str, Any]], Any]:
    """Return a filter for values: what callers guarantee, and the facts about calls."""
    tests: list[tuple[Tree, dict[str, str]]] = []
    for meaning in meanings:
        name = meaning.rule.head[0]
        if name in theory.pre:
            head, goals = theory.pre[name]
            where = {v: f"arg{i}" for i, v in enumerate(head[1:]) if isinstance(v, str)}
            tests += [(goal, where) for goal in goals]
        for call, goal in meaning.calls.items():
            if goal[0] in theory.facts:
                head, goals = theory.facts[goal[0]]
                outs = [v for v, mode in zip(head[1:], theory.preds[goal[0]].modes, strict=True) if mode == "out"]
                where = {v: f"{call}#{i}" for i, v in enumerate(outs)}
                tests += [(fact, where) for fact in goals if variables(fact) <= set(where)]
        for first, second, goals in theory.lemmas:
            for call, goal in meaning.calls.items():
                if goal[0] == first[0]:
                    other = f"{second[0]}({call.partition('(')[2]}"
                    if other in meaning.calls:
                        where = {v: f"{name}#{i}" for head, name in ((first, call), (second, other)) for i, v in enumerate(head[2:])}
                        tests += [(g, where) for g in goals]
    unique = {str((test, sorted(where.items()))): (test, where) for test, where in tests}

    def keep(numbers: dict[str, Any]) -> Any:
        found = [
            holds(test, {v: numbers[name] for v, name in where.items() if name in numbers})
            for test, where in unique.values()
            if all(where[v] in numbers for v in variables(test))
        ]
        return found

    return keep


def same_answers(theory: Theory, before: list[Rule], after: list[Rule]) -> None:
    """Raise Refused unless two sets of clauses give the same answers for all truths and values."""
    left, right = [Meaning(theory, r) for r in before], [Meaning(theory, r) for r in after]
    everything = left + right
    if len({m.rule.head[0] for m in everything}) != 1:
        raise Refused("the clauses are not about one predicate")
    shapes = {str([m.spell(h) for h in m.heads if isinstance(h, str)]) for m in everything}
    assert shapes
    keep = allowed(theory, everything)
    if any(m.linear() for m in everything):
        _same_linear(theory, left, right, keep)
        return
    for numbers in grid(everything):
        if not all(keep(numbers)):
            continue
        results = [(m, m.result(numbers)) for m in everything]
        for truth in truths(theory, everything):
            a, b = ({r for m, r in part if r is not None and applies(m, truth)} for part in (results[: len(left)], results[len(left) :]))
            if a != b:
                raise Refused(f"before {sorted(map(str, a)) or 'no answer'}, after {sorted(map(str, b)) or 'no answer'}, when {_tell(numbers, truth)}")


def _tell(numbers: dict[str, Any], truth: dict[tuple[str, str], bool]) -> str:
    return ", ".join([*(f"{k}={v:g}" for k, v in numbers.items()), *(f"{'' if v else 'not '}{k[1]}" for k, v in truth.items())]) or "always"


def _same_linear(theory: Theory, left: list[Meaning], right: list[Meaning], keep: Callable[[dict[str, Any]], Any]) -> None:
    z3 = need_z3()
    names = sorted(set().union(*(m.numbers() for m in left + right)))
    numbers, known = reals(names)
    known += keep(numbers)
    for truth in truths(theory, left + right):
        for one, two in ((left, right), (right, left)):
            for m in one:
                if not applies(m, truth):
                    continue
                mine, out = symbolic(m, numbers)
                others = [symbolic(other, numbers) for other in two if applies(other, truth)]
                agree = z3.Or([z3.And(c, *(x == y for x, y in zip(out, o, strict=True))) for c, o in others])
                solver = z3.Solver()
                solver.add(*known, mine, z3.Not(agree))
                if solver.check() != z3.unsat:
                    raise Refused(f"z3 does not prove that the answers agree: {solver.model() if solver.check() == z3.sat else 'unknown'}")


def reals(names: list[str]) -> tuple[dict[str, Any], list[Any]]:
    """Return z3 numbers of these names, none beyond infinity, and that condition."""
    z3 = need_z3()
    top = z3.Real("infinity")
    numbers = {name: z3.Real(name) for name in names}
    return {**numbers, "infinity": top}, [top > 0, *(f for x in numbers.values() for f in (x <= top, x >= -top))]


def symbolic(meaning: Meaning, numbers: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """Return a clause's tests and results as formulas."""
    z3 = need_z3()
    from ludwin.discover.meaning import number, value

    env = {v: numbers.get(name, name) for v, name in meaning.name.items()}
    env["infinity"] = numbers["infinity"]
    tests = []
    for goal in meaning.arithmetic:
        if goal[0] == "is":
            env[goal[1]] = number(goal[2], env)
        elif goal[0] == "=":
            tests.append(numbers[goal[1][1:]] == goal[2])
        else:
            raise Refused(f"{goal[0]} and sums in one clause are not understood")
    tests += [holds(test, env) for test in meaning.tests]
    return z3.And(True, *tests), tuple(value(out, env) for out in meaning.outs)


def need_z3() -> Any:
    """Return z3, or say how to get it."""
    try:
        import z3
    except ImportError:
        raise Refused("sums need the z3 solver: pip install 'ludwin[discover]'") from None
    return z3


# whole programs


def sound(theory: Theory, where: str, entries: list[str], specifications: dict[str, Any] | None = None, *, seed: bool = True) -> None:
    """Raise Refused unless a program covers every case, never disagrees with itself, descends and keeps its promises.

    Facts are proved of the seed; a result computes the same functions, so they stay true.
    """
    specifications = specifications or {}
    reached, waiting = set(), list(entries)
    while waiting:
        name = waiting.pop()
        if name in reached or not theory.of(name):
            if name not in theory.preds:
                raise Refused(f"{where}: unknown predicate {name}")
            continue
        reached.add(name)
        waiting += [g[0] for r in theory.of(name) for g in r.body if g[0] in theory.preds]
    try:
        level: dict[str, set[str]] = {}  # calls that do not go to a smaller thing
        for name in sorted(reached):
            _covers(theory, name, exact=name not in specifications)
            for rule in theory.of(name):
                level.setdefault(name, set()).update(_flat_calls(theory, rule, reached))
                if name not in specifications:  # there the induction has seen to it
                    _calls_keep(theory, rule, seed)
        _no_circle(level)
    except Refused as error:
        raise Refused(f"{where}: {error}") from None


def _covers(theory: Theory, name: str, *, exact: bool) -> None:
    meanings = [Meaning(theory, r) for r in theory.of(name)]
    keep = allowed(theory, meanings)
    if any(m.linear() for m in meanings):
        z3 = need_z3()
        numbers, bounds = reals(sorted(set().union(*(m.numbers() for m in meanings))))
        for truth in truths(theory, meanings):
            parts = [symbolic(m, numbers) for m in meanings if applies(m, truth)]
            solver = z3.Solver()
            solver.add(*bounds, *keep(numbers), z3.Not(z3.Or([c for c, _ in parts])))
            if solver.check() != z3.unsat:
                raise Refused(f"{name} has no clause for {_tell({}, truth)}")
            for i, (c, out) in enumerate(parts if exact else []):
                for d, other in parts[:i]:
                    solver = z3.Solver()
                    solver.add(*bounds, *keep(numbers), c, d, z3.Or([x != y for x, y in zip(out, other, strict=True)]))
                    if solver.check() != z3.unsat:
                        raise Refused(f"two clauses of {name} disagree when {_tell({}, truth)}")
        return
    cases = list(truths(theory, meanings))
    for numbers in grid(meanings):
        if not all(keep(numbers)):
            continue
        results = [(m, m.result(numbers)) for m in meanings]
        for truth in cases:
            answers = {r for m, r in results if r is not None and applies(m, truth)}
            if not answers:
                raise Refused(f"{name} has no clause for {_tell(numbers, truth)}")
            if exact and len(answers) > 1:
                raise Refused(f"two clauses of {name} disagree when {_tell(numbers, truth)}: {sorted(map(str, answers))}")


def _flat_calls(theory: Theory, rule: Rule, reached: set[str]) -> set[str]:
    """Return the recursive calls of a clause that are not about a part of what the clause is about."""
    parts: set[str] = set()
    whole = {arg for arg in rule.head[1:] if isinstance(arg, str)}
    for arg in rule.head[1:]:
        if isinstance(arg, list) and arg[0] == "cons":
            parts |= variables(arg)
    positive = {g[1] for g in rule.body if g[0] in (">", ">=") and isinstance(g[1], str) and isinstance(g[2], int) and (g[2] > 0 or g[0] == ">")}
    while True:
        more = set()
        for goal in rule.body:
            if goal[0] in theory.preds and theory.preds[goal[0]].smaller and isinstance(goal[1], str) and goal[1] in parts | whole:
                more |= set().union(*(variables(a) for a, mode in zip(goal[1:], theory.preds[goal[0]].modes, strict=True) if mode == "out"))
            if (
                goal[0] == "is"
                and isinstance(goal[2], list)
                and goal[2][0] == "-"
                and len(goal[2]) == 3
                and isinstance(goal[2][1], str)
                and goal[2][1] in positive
            ):
                more.add(goal[1])
        if more <= parts:
            break
        parts |= more
    recursive = _strongly(theory, rule.head[0])
    found = set()
    for goal in rule.body:
        if goal[0] in reached and goal[0] in recursive:
            into = [a for a, mode in zip(goal[1:], theory.preds[goal[0]].modes, strict=True) if mode == "in"]
            if not any(v in parts for a in into for v in variables(a)):
                found.add(goal[0])
    return found


def _no_circle(level: dict[str, set[str]]) -> None:
    """Raise Refused if some predicate can come back to itself without ever going to a smaller thing."""
    for start in level:
        seen: set[str] = set()
        waiting = list(level[start])
        while waiting:
            name = waiting.pop()
            if name == start:
                raise Refused(f"the recursion of {start} has no argument that gets smaller")
            if name not in seen:
                seen.add(name)
                waiting += level.get(name, ())


def _strongly(theory: Theory, name: str) -> set[str]:
    """Return the predicates that a predicate calls and that can call it back."""

    def below(start: str) -> set[str]:
        found: set[str] = set()
        waiting = [start]
        while waiting:
            for goal in (g for r in theory.of(waiting.pop()) for g in r.body):
                if goal[0] in theory.preds and goal[0] not in found:
                    found.add(goal[0])
                    waiting.append(goal[0])
        return found

    return {other for other in below(name) if name in below(other)}


def _calls_keep(theory: Theory, rule: Rule, seed: bool) -> None:
    """What a called predicate requires holds at the call; what is a fact about the head follows from the calls."""
    meaning = Meaning(theory, rule)
    wanted: list[Tree] = []
    for goal in rule.body:
        if goal[0] in theory.pre:
            head, goals = theory.pre[goal[0]]
            env = dict(zip(head[1:], goal[1:], strict=True))
            wanted += [put(_mark(g), _apart(env)) for g in goals]
    name = rule.head[0]
    if name in theory.facts and seed:
        head, goals = theory.facts[name]
        env = dict(zip(head[1:], rule.head[1:], strict=True))
        wanted += [put(_mark(g), _apart(env)) for g in goals]
    if not wanted:
        return
    keep = allowed(theory, [meaning])
    extra = Meaning(theory, Rule(rule.head, rule.body, rule.text))
    extra.read(extra.tests + wanted)
    names = sorted(extra.numbers())
    if extra.linear():
        z3 = need_z3()
        numbers, bounds = reals(names)
        mine, _ = symbolic(meaning, numbers)
        both, _ = symbolic(extra, numbers)
        solver = z3.Solver()
        solver.add(*bounds, *keep(numbers), mine, z3.Not(both))
        if solver.check() != z3.unsat:
            raise Refused(f"a clause of {name} does not keep what its calls require or what is a fact about it")
        return
    for numbers in grid([extra]):
        if all(keep(numbers)) and meaning.result(numbers) is not None and extra.result(numbers) is None:
            raise Refused(f"a clause of {name} does not keep what its calls require or what is a fact about it, when {_tell(numbers, {})}")


def _mark(tree: Tree) -> Tree:
    return put(tree, {v: f"{v}?" for v in variables(tree)})


def _apart(env: dict[str, Tree]) -> dict[str, Tree]:
    return {f"{k}?": v for k, v in env.items()}
