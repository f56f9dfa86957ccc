"""Kinds: numbers, lists and things are not mixed up.

Why it is here.  A comparison of positions, a list pattern on a number or a sum of moves would make an obligation
meaningless. Every argument of every predicate has a kind; what a file leaves open (`in` without a kind) is settled by
how it is used. Lists know the kind of their items.
"""

from ludwin.discover.checker.terms import (
    SIGNS,
    Atom,
    HornClause,
    LogicProgram,
    Num,
    RefusedProof,
    Term,
    Variable,
    show_clause,
    show_goal,
)


class _Kind:
    """A kind, perhaps not yet known; `same` points to the kind that it was found to be."""

    __slots__ = ("item", "same", "word")

    def __init__(self, word: str | None = None):
        self.word, self.same = word, self
        self.item: _Kind | None = None

    def root(self) -> "_Kind":
        found = self
        while found.same is not found:
            found = found.same
        return found


class Kinds:
    """The kinds of all arguments of a program's predicates, learnt clause by clause."""

    def __init__(self) -> None:
        self.places: dict[str, list[_Kind]] = {}

    def declare(self, program: LogicProgram) -> None:
        """Take in the predicates of a program and what is declared about them."""
        for name, pred in program.preds.items():
            self.places[name] = [self._named(kind) for kind in pred.kinds]
        for group in program.either:
            for name in group[1:]:
                self._equal(self._first(group[0]), self._first(name), f"either {', '.join(group)}")
        for pred in program.preds.values():
            for test in pred.total or ():
                self._equal(self.places[pred.name][0], self._first(test), f"total({test}) of {pred.name}")
        for about in (*program.facts.values(), *program.require.values()):
            self.goals([about.head, *about.tests], f"what is declared of {about.head.name}")
        for lemma in program.lemmas:
            self.goals(
                [lemma.first, lemma.second, *lemma.tests], f"the lemma about {lemma.first.name} and {lemma.second.name}"
            )

    def _first(self, name: str) -> _Kind:
        if name not in self.places or not self.places[name]:
            raise RefusedProof(f"there is no test {name}")
        return self.places[name][0]

    @staticmethod
    def _named(word: str) -> _Kind:
        kind = _Kind(None if word == "any" else word)
        if word == "list":
            kind.item = _Kind()
        return kind

    def clause(self, clause: HornClause) -> None:
        """Check the kinds of a clause."""
        self.goals([clause.head, *clause.body], show_clause(clause))

    def goals(self, goals: list[Atom], where: str) -> None:
        """Check the kinds of goals that share their variables."""
        env: dict[str, _Kind] = {}
        for goal in goals:
            if goal.name in SIGNS or goal.name == "is":
                for arg in goal.args:
                    self._equal(self._of(arg, env, where), _Kind("number"), where)
                continue
            if goal.name not in self.places:
                raise RefusedProof(f"no predicate {goal.name} is declared: {where}")
            if len(goal.args) != len(self.places[goal.name]):
                raise RefusedProof(
                    f"{goal.name} takes {len(self.places[goal.name])} arguments, not {len(goal.args)}: {where}"
                )
            for arg, kind in zip(goal.args, self.places[goal.name], strict=True):
                self._equal(self._of(arg, env, where), kind, f"{show_goal(goal)} in {where}")

    def _of(self, term: Term, env: dict[str, _Kind], where: str) -> _Kind:
        if isinstance(term, Variable):
            return env.setdefault(term.name, _Kind())
        if isinstance(term, Num):
            return _Kind("number")
        kinds = [self._of(arg, env, where) for arg in term.args]
        if term.functor == "[]" or term.functor == ".":
            found = _Kind("list")
            found.item = _Kind()
            if kinds:
                self._equal(found.item, kinds[0], where)
                self._equal(found, kinds[1], where)
            return found
        if (term.functor in ("+", "-", "*", "/", "max", "min") and len(kinds) == 2) or term.functor == "~":
            for kind in kinds:
                self._equal(kind, _Kind("number"), where)
            return _Kind("number")
        if not kinds:
            return _Kind("word:" + term.functor)
        raise RefusedProof(f"{term.functor} with {len(kinds)} arguments is no arithmetic: {where}")

    def _equal(self, one: _Kind, two: _Kind, where: str) -> None:
        a, b = one.root(), two.root()
        if a is b:
            return
        words = (a.word or "", b.word or "")
        if a.word is not None and b.word is not None and a.word != b.word:
            loose = [w for w in words if w.startswith("word:")]
            if len(loose) == 2:
                pass
            elif not loose or any(w in ("number", "list") for w in words):
                raise RefusedProof(
                    f"a {' and a '.join(w.removeprefix('word:') for w in words)} are not the same kind: {where}"
                )
        strong = next((w for w in words if w and not w.startswith("word:")), words[0] or words[1])
        items = [k.item for k in (a, b) if k.item is not None]
        b.same = a
        a.word = strong or None
        a.item = items[0] if items else None
        if a.word == "list" and a.item is None:
            a.item = _Kind()
        if len(items) == 2:
            self._equal(items[0], items[1], where)

    def of(self, name: str) -> list[str]:
        """Return the kinds of a predicate's arguments; what nothing settled is a `thing`."""
        return [(kind.root().word or "thing") for kind in self.places[name]]
