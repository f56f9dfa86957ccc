"""Derived programs as kernel text: all predicates in one function that calls itself.

Why it is here.  A derived search should run like one written by hand: specialised to a game, compiled, kept
in the cache.  Compiled functions that call one another in a circle crash when they are loaded from disk,
so the predicates become the *modes* of one function; a call at the end of a predicate becomes a jump, so
that going through a list of moves is a loop.

How things look.  A position is a ply of the stack of states; a list of children is an index into the
moves of that ply, and its first item is played when a clause looks at it.  `leaf` means that the game is
over or the depth is used up; `eval` is the package's own worth of a leaf, `mine` the same seen by the mover.

Whose side `eval` takes.  A program that asks `white` and `black` sees values as White (player 0) does.  One that asks
neither has a kind of node for each player: then `eval` is seen by the mover at the root, whose node the entry is, and
the players must alternate.  Where the program supposes that values lie between -1 and 1, they are divided by what a
payoff of 1 weighs; a leaf that breaks what the program supposes of its values is told to the caller (`w.run.beyond`).
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ludwin.discover.derivation import Derivation
from ludwin.discover.emit import expression, question
from ludwin.discover.schedule import If, Let, Procedure, Return, Tree, reachable, schedule
from ludwin.discover.term import COMPARE, BadProgram, Const, Goal, Program, Struct, Term, Var, modes, names
from ludwin.kernel.text import Kernel, kernel_from_text

HEAD = '''"""Generated from a derivation; see ludwin.discover.kernels."""

from ludwin.kernel.names import Bundle, copy, mover, moves, play
from ludwin.search.values import DECIDED, INFINITE, fact, opinion


def worth(w, s, n, ply):
    """Return the worth of a leaf to its mover: a fact if the game is over, else an opinion."""
    if n == 0:
        w.sure[ply] = 1
        return fact(s)
    w.sure[ply] = 0
    return opinion(w, s, n)


def white_worth(w, s, n, ply):
    """Return the worth of a leaf to player 0."""
    v = worth(w, s, n, ply)
    if mover(s) != 0:
        return -v
    return v

'''

TESTS = {
    "leaf": "n == 0 or depth == 0",
    "inner": "n != 0 and depth != 0",
    "white": "mover(s) == 0",
    "black": "mover(s) != 0",
}
WORTH = {"eval": "white_worth(w, s, n, ply)", "mine": "worth(w, s, n, ply)"}
ROOT_WORTH = "(worth(w, s, n, ply) if ply % 2 == 0 else -worth(w, s, n, ply))"

# `repeated`: a player moved twice, which a program without White and Black does not suppose; `beyond`: a leaf breaks
# what the program supposes of its values.
RUN = {"depth": int, "nodes": int, "repeated": int, "beyond": int, "value": float}
RECORDS = {
    **{"states": "States", "bufs": "Moves", "rng": "Ints", "run": RUN},
    **{"sure": [int], "counts": [int], "weights": [float]},  # by ply: whether its value is a fact, how many moves
}


@dataclass(frozen=True)
class Roots:
    """How a move is chosen: the predicates that value a child, with a lower and with an upper bound if there are such.

    `child` values a child of the root; `low` and `high` do so through a bound.  `wide` says that `child` takes a
    window. Which names may be used for what is proved by the checker, not guessed from the names
    (`ludwin.discover.agent`).
    """

    child: str
    low: str | None = None
    high: str | None = None
    wide: bool = False
    view: str = "white"  # whose side values take: white, mover or root
    unit: bool = False  # whether values are supposed to lie between -1 and 1
    low_ends: bool = False  # whether nothing is above a lower bound for which `low` does not answer
    high_ends: bool = False


def view_of(program: Program) -> str:
    """Return whose side a program's values take: the mover's, White's, or that of the mover at the root."""
    used = {goal.name for clause in program.clauses for goal in clause.goals}
    return "mover" if "mine" in used else "white" if used & {"white", "black"} else "root"


def is_unit(program: Program) -> bool:
    """Tell whether a program supposes that its leaves lie between -1 and 1."""
    bounds = {(g.name, g.args[1]) for name in WORTH for g in program.facts.get(name, ()) if isinstance(g.args[0], Var)}
    return {(">=", Const(-1)), ("<=", Const(1))} <= bounds


def guess_roots(program: Program, entry: str) -> Roots:
    """Return the roots of a program whose names mean what our own programs mean by them."""
    view, unit = view_of(program), is_unit(program)
    child = entry if view != "root" else child_of(program, entry)
    if program.preds[child].modes.count("in") == 3:
        return Roots(child, child, child, True, view, unit)
    low, high = (name if name in program.defined else None for name in (f"{child}_lo", f"{child}_hi"))
    return Roots(child, low, high, False, view, unit)


def child_of(program: Program, entry: str) -> str:
    """Return the predicate that values the children of the entry's position. Raises BadProgram if there is no such."""
    lists = {
        g.name
        for c in program.defined.get(entry, ())
        if any(g.name == "children" for g in c.goals)
        for g in c.goals
        if g.name in program.defined
    }
    found = {
        g.name
        for name in lists
        for c in program.defined[name]
        for g in c.goals
        if g.name in program.defined and program.preds[g.name].kinds[0] == "position"
    }
    plain = {name for name in found if program.preds[name].modes.count("in") == 1}
    if len(plain) != 1:
        raise BadProgram(f"{entry}: it cannot be seen which predicate values the children of a position")
    return plain.pop()


@dataclass(frozen=True)
class _PredicateModes:
    """The numbering of predicates; positions come before lists."""

    number: Mapping[str, int]
    procedures: tuple[Procedure, ...]
    lists: int  # the first mode that is about a list
    width: int  # the most numbers that a predicate takes


def _modes(program: Program, entries: tuple[str, ...]) -> _PredicateModes:
    found = [schedule(program, name) for name in reachable(program, entries)]
    for procedure in found:
        if (
            not procedure.kinds
            or procedure.kinds[0] not in ("position", "list")
            or set(procedure.kinds[1:]) - {"number"}
        ):
            raise BadProgram(
                f"{procedure.name}: a kernel's predicates take a position or a list, and numbers; write its kinds"
            )
    found.sort(key=lambda p: p.kinds[0] == "list")
    first = sum(p.kinds[0] == "position" for p in found)
    return _PredicateModes(
        {p.name: i for i, p in enumerate(found)}, tuple(found), first, max(len(p.kinds) - 1 for p in found)
    )


def kernel_text(program: Program, entry: str, *, order: bool = False, roots: Roots | None = None) -> str:
    """Return the text of a kernel that chooses a move with a derived program.

    With `order` the order of the children is a hole: `arrange` sorts the moves by a score whose weights
    come as an argument (`ludwin.discover.holes`).
    """
    roots = roots or guess_roots(program, entry)
    modes_ = _modes(program, tuple(dict.fromkeys(name for name in (roots.child, roots.low, roots.high) if name)))
    numbers = "".join(f", x{i}: float" for i in range(modes_.width))
    busiest = sorted(modes_.procedures, key=lambda p: (-len(p.kinds), p.kinds[0] != "list"))
    body, resumes = [], False
    for k, procedure in enumerate(busiest):
        word = "if" if k == 0 else "elif"
        test = f"{word} mode == {modes_.number[procedure.name]}:" if k < len(busiest) - 1 or k == 0 else "else:"
        writer = _KernelWriter(program, modes_, procedure, roots)
        body += [f"        {test}  # {procedure.name}", *writer.tree(procedure.tree, 3)]
        resumes |= writer.resumes
    lines = [
        f"def derived(w, ply: int, depth: int, at: int, mode: int{numbers}):",
        '    """Return what predicate number `mode` says of state `ply`, or of its children from number `at` on."""',
        "    s = w.states[ply]",
        "    out = w.bufs[ply]",
        "    child = w.states[ply + 1]",
    ]
    if resumes:  # some predicate is called in the middle of a list
        lines += [
            f"    if mode < {modes_.lists}:",
            "        w.run.nodes += 1",
            "        n = moves(s, out)",
            "        w.counts[ply] = n",
            "    else:",
            "        n = w.counts[ply]",
        ]
    else:
        lines += ["    w.run.nodes += 1", "    n = moves(s, out)"]
    text = HEAD + "\n" + "\n".join([*lines, "    while True:", *body]) + "\n\n\n" + _root(program, modes_, roots)
    return _with_order(text) if order else text


ARRANGE = '''
def arrange(s, out, n, weights):
    """Sort the moves by their score, highest first; equal ones keep the order of the rules."""
    for i in range(1, n):
        m = out[i]
        score = weights[0] * (1.0 if noisy(s, m) else 0.0) + weights[1] * (m & 63) + weights[2] * ((m >> 6) & 63)
        j = i
        while j > 0:
            o = out[j - 1]
            hasty = weights[0] * (1.0 if noisy(s, o) else 0.0)
            if hasty + weights[1] * (o & 63) + weights[2] * ((o >> 6) & 63) >= score:
                break
            out[j] = o
            j -= 1
        out[j] = m
    return 0

'''


def _with_order(text: str) -> str:
    """Fill the hole of child order: the text with `arrange` after every list of moves of an inner node."""
    text = text.replace("mover, moves, play\n", "mover, moves, noisy, play\n")
    text = text.replace(
        "    n = moves(s, out)\n", "    n = moves(s, out)\n    if depth > 0:\n        arrange(s, out, n, w.weights)\n"
    )
    text = text.replace(
        "    n = moves(s, w.bufs[0])\n", "    n = moves(s, w.bufs[0])\n    arrange(s, w.bufs[0], n, w.weights)\n"
    )
    return text.replace("\n\ndef derived(", ARRANGE + "\ndef derived(", 1)


class _KernelWriter:
    def __init__(self, program: Program, modes_: _PredicateModes, procedure: Procedure, roots: Roots):
        self.program, self.modes, self.procedure, self.roots = program, modes_, procedure, roots
        self.places = {procedure.inputs[0]: "here"}  # variable -> here, list, child, rest
        self.names = {name: f"x{i}" for i, name in enumerate(procedure.inputs[1:])}
        self.fresh: set[str] = set()  # variables that hold the value of the child
        self.resumes = False  # whether a list predicate is called otherwise than by a jump

    def _text(self, term: Term) -> str:
        """Return a term as text; max and min as choices, which compile to less than numba's (they need not mind
        nan).
        """
        if isinstance(term, Struct) and term.functor in ("max", "min"):
            x, y = (self._text(arg) for arg in term.args)
            return f"({x} if {x} {'>=' if term.functor == 'max' else '<='} {y} else {y})"
        return _finite(expression(term, self.names))

    def tree(self, tree: Tree, depth: int) -> list[str]:
        """Return the lines of a decision tree."""
        pad = "    " * depth
        match tree:
            case Return(outs):
                (out,) = outs
                return [*self._sure([out], pad), f"{pad}return {self._number(out)}"]
            case Let(goal, Return(outs)) if (
                goal.name in self.modes.number and outs == modes(self.program, goal)[1] and self._place(goal) != "child"
            ):
                return self._jump(goal, pad)
            case Let(goal, then):
                return [*self._let(goal, pad), *self.tree(then, depth)]
            case If(test, then, other):
                return [*self._if(test, pad), *self.tree(then, depth + 1), *self.tree(other, depth)]
        raise AssertionError(tree)

    def _number(self, term: Term) -> str:
        text = self._text(term)
        return f"1.0 * {text}" if text.lstrip("-").isdigit() else text

    def _place(self, goal: Goal) -> str:
        thing = goal.args[0]
        if not isinstance(thing, Var) or thing.name not in self.places:
            raise BadProgram(
                f"{self.procedure.name}: a kernel calls {goal.name} for a position or a list that it has been given, "
                f"not for one that is built"
            )
        return self.places[thing.name]

    def _here(self, goal: Goal) -> None:
        """Raise BadProgram unless a goal is about the position where the kernel stands."""
        if (
            not isinstance(goal.args[0], Var)
            or self.places.get(goal.args[0].name) != "here"
            or self.modes.number[self.procedure.name] >= self.modes.lists
        ):
            raise BadProgram(
                f"{self.procedure.name}: a kernel asks {goal.name} of the position of a predicate only, not of its "
                f"children"
            )

    def _sure(self, terms: list[Term], pad: str) -> list[str]:
        """A value that comes from the child brings along whether it is a fact."""
        used = {name for term in terms for name in self.fresh if name in _words(term)}
        return [f"{pad}w.sure[ply] = w.sure[ply + 1]"] if used else []

    def _jump(self, goal: Goal, pad: str) -> list[str]:
        numbers = list(modes(self.program, goal)[0][1:])
        targets = [f"x{i}" for i in range(len(numbers))]
        texts = [self._number(arg) for arg in numbers]
        moved = [(a, b) for a, b in zip(targets, texts, strict=True) if a != b]
        lines: list[str] = []
        for i, arg in enumerate(numbers):  # a bound that the child did not move stays what it was
            if self._sure([arg], pad):
                had = i < len(self.procedure.inputs) - 1
                lines += (
                    [f"{pad}if {texts[i]} != x{i}:", *self._sure([arg], pad + "    ")]
                    if had
                    else self._sure([arg], pad)
                )
        if moved:
            lines.append(f"{pad}{', '.join(a for a, _ in moved)} = {', '.join(b for _, b in moved)}")
        lines.append(f"{pad}at += 1" if self._place(goal) == "rest" else f"{pad}at = 0")
        if self.modes.number[goal.name] != self.modes.number[self.procedure.name]:
            lines.append(f"{pad}mode = {self.modes.number[goal.name]}")
        return [*lines, f"{pad}continue"]

    def _let(self, goal: Goal, pad: str) -> list[str]:
        into, out = modes(self.program, goal)
        (target,) = out
        assert isinstance(target, Var)
        if goal.name == "children" or goal.name in WORTH:
            self._here(goal)
        if goal.name == "children":
            self.places[target.name] = "list"
            return []
        name = self.names[target.name] = f"v_{target.name}"
        if goal.name == "is":
            if any(word in self.fresh for word in _words(goal.args[1])):
                self.fresh.add(target.name)
            return [f"{pad}{name} = {self._number(goal.args[1])}"]
        if goal.name in WORTH:
            worth = ROOT_WORTH if goal.name == "eval" and self.roots.view == "root" else WORTH[goal.name]
            lines = [f"{pad}{name} = {worth}{' / DECIDED' if self.roots.unit else ''}"]
            for test in self._supposed(goal):
                lines += [f"{pad}if not {question(test, self.names)}:", f"{pad}    w.run.beyond = 1"]
            return lines
        if goal.name not in self.modes.number:
            raise BadProgram(f"a kernel knows no primitive {goal.name}")
        numbers = [self._number(arg) for arg in into[1:]]
        numbers += ["0.0"] * (self.modes.width - len(numbers))
        mode = self.modes.number[goal.name]
        place = self._place(goal)
        where = {"child": "ply + 1, depth - 1, 0", "rest": "", "list": "ply, depth, 0", "here": "ply, depth, at"}[place]
        if (
            place == "rest"
        ):  # it would leave another child where this one stood, and lose sight of whose value is a fact
            raise BadProgram(
                f"{self.procedure.name}: a kernel goes through a list item by item, so the call for the rest of a "
                f"list must come last"
            )
        if place == "child":
            self.fresh.add(target.name)
        self.resumes |= place == "list"
        return [f"{pad}{name} = derived({', '.join(['w', where, str(mode), *numbers])})"]

    def _supposed(self, goal: Goal) -> list[Goal]:
        """Return what the program supposes of a leaf's value; infinities are beyond every value."""
        if goal.name not in self.program.facts:
            return []
        env = {
            v.name: arg
            for v, arg in zip(self.program.heads[goal.name].args, goal.args, strict=True)
            if isinstance(v, Var)
        }
        found = [Goal(t.name, tuple(_put(arg, env) for arg in t.args)) for t in self.program.facts[goal.name]]
        return [
            t
            for t in found
            if not any(isinstance(a, Const) and isinstance(a.value, float) and math.isinf(a.value) for a in t.args)
        ]

    def _if(self, test: Goal, pad: str) -> list[str]:
        if test.name == "cons":
            whole, first, rest = test.args
            assert isinstance(whole, Var) and isinstance(first, Var) and isinstance(rest, Var)
            if whole.name != self.procedure.inputs[0] or self.modes.number[self.procedure.name] < self.modes.lists:
                raise BadProgram(
                    f"{self.procedure.name}: a kernel takes a list apart in a predicate of that list only, and one "
                    f"item at a time"
                )
            self.places[first.name], self.places[rest.name] = "child", "rest"
            lines = [f"{pad}if at < n:", f"{pad}    copy(child, s)", f"{pad}    play(child, out[at])"]
            return (
                [*lines, f"{pad}    if mover(child) == mover(s):", f"{pad}        w.run.repeated = 1"]
                if self.roots.view != "white"
                else lines
            )
        if test.name in COMPARE:
            return [f"{pad}if {_finite(question(test, self.names))}:"]
        if test.name not in TESTS:
            raise BadProgram(f"a kernel knows no test {test.name}")
        self._here(test)
        return [f"{pad}if {TESTS[test.name]}:"]


def _finite(text: str) -> str:
    """Return a text in which infinity is the number that nothing exceeds."""
    return re.sub(r"\binf\b", "INFINITE", text)


def _words(term: Term) -> set[str]:
    return set(names(term))


def _put(term: Term, env: Mapping[str, Term]) -> Term:
    if isinstance(term, Var):
        return env.get(term.name, term)
    return Struct(term.functor, tuple(_put(arg, env) for arg in term.args)) if isinstance(term, Struct) else term


def _root(program: Program, modes_: _PredicateModes, roots: Roots) -> str:
    """Return the entry: try the moves of state 0 in order and keep the first best."""

    def call(name: str, *numbers: str) -> str:
        given = [*numbers, *["0.0"] * modes_.width][: modes_.width]
        return f"derived(w, 1, w.run.depth - 1, 0, {modes_.number[name]}{''.join(', ' + x for x in given)})"

    def bounded(name: str | None, bound: str, low: bool, pad: str, sign: str) -> list[str]:
        """The value of a child through a bound, where the predicate answers for that bound; else the whole value."""
        whole = call(roots.child, *(("-INFINITE", "INFINITE") if roots.wide else ()))
        if name is None:
            return [f"{pad}v = {sign}{whole}"]
        numbers = ((bound, "INFINITE") if low else ("-INFINITE", bound)) if roots.wide else (bound,)
        tests = _needs(program, name, numbers)
        if not tests:
            return [f"{pad}v = {sign}{call(name, *numbers)}"]
        ends = roots.low_ends if low else roots.high_ends
        other = "v = best" if ends else f"v = {sign}{whole}"
        return [f"{pad}if {tests}:", f"{pad}    v = {sign}{call(name, *numbers)}", f"{pad}else:", f"{pad}    {other}"]

    pad = " " * 12
    if roots.view == "mover":
        later, sign, better = bounded(roots.high, "-best", False, pad, "-"), "-", "v > best"
    elif roots.view == "root":
        later, sign, better = bounded(roots.low, "best", True, pad, ""), "", "v > best"
    else:
        sign, better = "", "(me == 0 and v > best) or (me != 0 and v < best)"
        later = [
            f"{pad}if me == 0:",
            *bounded(roots.low, "best", True, pad + "    ", ""),
            f"{pad}else:",
            *bounded(roots.high, "best", False, pad + "    ", ""),
        ]
    first = call(roots.child, *(("-INFINITE", "INFINITE") if roots.wide else ()))
    weigh = " * DECIDED" if roots.unit else ""
    lines = [
        "def best_move(w: Bundle):",
        '    """Return the first best move of state 0; its value goes to w.run.value, sureness to w.sure[0]."""',
        "    s = w.states[0]",
        "    n = moves(s, w.bufs[0])",
        "    w.run.nodes = 1",
        "    w.sure[0] = 0",
        "    me = mover(s)",
        "    move = w.bufs[0][0]",
        "    best = 0.0",
        "    for i in range(n):",
        "        copy(w.states[1], s)",
        "        play(w.states[1], w.bufs[0][i])",
        *(["        if mover(w.states[1]) == me:", "            w.run.repeated = 1"] if roots.view != "white" else []),
        "        if i == 0:",
        f"            v = {sign}{first}",
        "        else:",
        *later,
        f"        if i == 0 or {better}:",
        "            best = v",
        "            move = w.bufs[0][i]",
        "            w.sure[0] = w.sure[1]",
        f"    w.run.value = {'(best if me == 0 else -best)' if roots.view == 'white' else 'best'}{weigh}",
        "    return move",
    ]
    return "\n".join(lines) + "\n"


def _needs(program: Program, name: str, numbers: tuple[str, ...]) -> str:
    """Return what a predicate requires of its numbers, as a condition on those of a call at the root."""
    if name not in program.pre:
        return ""
    head = program.heads[name]
    names_ = {
        v.name: f"({text})" for v, text in zip(modes(program, head)[0][1:], numbers, strict=True) if isinstance(v, Var)
    }
    tests = [_finite(question(test, names_)) for test in program.pre[name]]
    return " and ".join(tests)


def kernel(derivation: Derivation, roots: Roots | None = None) -> Kernel:
    """Return a kernel that plays with a derivation's result."""
    return as_kernel("derived", kernel_text(derivation.result, derivation.entry, roots=roots))


def as_kernel(name: str, text: str) -> Kernel:
    """Return the kernel of a generated text."""
    return kernel_from_text(name, "best_move", text, records=RECORDS)


def sizes(depth: int) -> dict[str, int]:
    """Return how many rows the workspaces of a search of so many plies have."""
    return dict.fromkeys(("states", "bufs", "sure", "counts"), depth + 2)
