"""Derived programs as Python: one readable function per predicate.

Why it is here.  The interpreter is the definition, generated Python the first thing that runs at a useful
speed and that a person can step through.  The primitives (`leaf`, `children`, `eval` …) are free names,
bound when the text is loaded, so that the same text searches trees and games.
"""

import math
from collections.abc import Callable, Mapping
from keyword import iskeyword
from math import inf
from typing import Any

from ludwin.discover.interpret import watched
from ludwin.discover.schedule import If, Let, Return, Tree, reachable, schedule
from ludwin.discover.term import COMPARE, NIL, BadProgram, Const, Goal, Program, Struct, Term, Var, modes

IMPORT = "from math import inf\n\n\n"


def expression(term: Term, rename: Mapping[str, str] | None = None) -> str:
    """Return a term as a Python expression.

    >>> from ludwin.discover.syntax import parse_goals
    >>> expression(parse_goals("X is max(A,-B)")[0].args[1])
    'max(A, -B)'
    """
    if isinstance(term, Var):
        return rename.get(term.name, term.name) if rename else term.name
    if isinstance(term, Const):
        if term == NIL:
            return "()"
        return (
            ("inf" if float(term.value) > 0 else "-inf")
            if isinstance(term.value, float) and math.isinf(term.value)
            else repr(term.value)
        )
    args = [expression(arg, rename) for arg in term.args]
    if term.functor in ("max", "min"):
        return f"{term.functor}({', '.join(args)})"
    if term.functor == "." and len(args) == 2:
        return f"({args[0]}, *{args[1]})"
    if len(args) == 1:
        inner = term.args[0]
        return f"-{args[0]}" if not isinstance(inner, Struct) or inner.functor in ("max", "min") else f"-({args[0]})"
    parts = [
        f"({text})" if isinstance(arg, Struct) and arg.functor in "+-*/" else text
        for arg, text in zip(term.args, args, strict=True)
    ]
    return f" {term.functor} ".join(parts)


def python(program: Program, entry: str) -> str:
    """Return the text of Python functions for a predicate and all that it needs."""
    parts = []
    for name in reachable(program, (entry,)):
        procedure = schedule(program, name)
        lines = [f"def {function(name)}({', '.join(procedure.inputs)}):", *_body(program, procedure.tree, 1)]
        parts.append("\n".join(lines))
    return IMPORT + "\n\n\n".join(parts) + "\n"


def question(test: Goal, rename: Mapping[str, str] | None = None) -> str:
    """Return a test as a Python condition."""
    if test.name in COMPARE:
        sign = "==" if test.name == "=" else test.name
        return f"{expression(test.args[0], rename)} {sign} {expression(test.args[1], rename)}"
    return f"{function(test.name)}({', '.join(expression(arg, rename) for arg in test.args)})"


def function(name: str) -> str:
    """Return the name of a predicate's function; Python's own words get a stroke.

    >>> function("best"), function("max")
    ('best', 'max_')
    """
    return f"{name}_" if name in ("max", "min", "inf") or iskeyword(name) else name


def _body(program: Program, tree: Tree, depth: int) -> list[str]:
    pad = "    " * depth
    match tree:
        case Return(outs):
            return [f"{pad}return {', '.join(expression(out) for out in outs)}"]
        case Let(goal, then):
            into, out = modes(program, goal)
            value = (
                expression(goal.args[1])
                if goal.name == "is"
                else f"{function(goal.name)}({', '.join(expression(arg) for arg in into)})"
            )
            return [f"{pad}{', '.join(expression(o) for o in out)} = {value}", *_body(program, then, depth)]
        case If(test, then, other):
            if test.name == "cons":
                xs, first, rest = (expression(arg) for arg in test.args)
                yes = [f"{pad}if {xs}:", f"{pad}    {first}, {rest} = {xs}[0], {xs}[1:]"]
            else:
                yes = [f"{pad}if {question(test)}:"]
            return [*yes, *_body(program, then, depth + 1), *_body(program, other, depth)]
    raise AssertionError(tree)


def load_python(program: Program, entry: str, world: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Return a predicate as a Python function in a world of primitives, which are held to the facts that are declared
    of them.

    The text is ours, written from a program that was read as text: no file's content is executed, and the text reaches
    nothing but the world (`max`, `min` and infinity aside). Raises BadProgram if the world lacks a primitive.
    """
    names_ = {
        goal.name
        for name in reachable(program, (entry,))
        for clause in program.defined[name]
        for goal in clause.goals
        if goal.name != "is"
    }
    missing = sorted(name for name in names_ if name not in program.defined and name not in world)
    if missing:
        raise BadProgram(f"{entry}: the world has no {', '.join(missing)}")
    unfit = sorted({v for c in program.clauses for v in c.variables() if iskeyword(v)})
    if unfit:
        raise BadProgram(f"{', '.join(unfit)}: a variable cannot have such a name in Python")
    space: dict[str, Any] = {function(name): run for name, run in watched(program, world).items()}
    space |= {"inf": inf, "__builtins__": {"max": max, "min": min}}
    exec(compile(python(program, entry).removeprefix(IMPORT), f"<derived {entry}>", "exec"), space)
    found: Callable[..., Any] = space[function(entry)]
    return found
