"""Derived programs as Prolog: to read elsewhere, and to have somebody else run them.

Why it is here.  SWI-Prolog is a second opinion on what our clauses mean.  The text keeps the schedule: tests
become if-then-else, so that a program makes the same calls as our generated Python.
"""

import math
import subprocess
from pathlib import Path

from ludwin.discover.schedule import If, Let, Return, Tree, reachable, schedule
from ludwin.discover.term import COMPARE, Const, Program, Struct, Term, Var, modes
from ludwin.discover.trees import Node


def _term(term: Term) -> str:
    if isinstance(term, Var):
        return f"V_{term.name}"
    if isinstance(term, Const):
        if isinstance(term.value, float) and math.isinf(term.value):
            return "inf" if term.value > 0 else "-inf"
        return str(term.value)
    args = [_term(arg) for arg in term.args]
    if term.functor == ".":
        return f"[{args[0]}|{args[1]}]"
    if term.functor in ("max", "min"):
        return f"{term.functor}({args[0]}, {args[1]})"
    return f"-({args[0]})" if len(args) == 1 else f"({args[0]} {term.functor} {args[1]})"


def _needs_is(term: Term) -> bool:
    return (isinstance(term, Struct) and term.functor != ".") or (
        isinstance(term, Const) and isinstance(term.value, float)
    )


def export(program: Program, entry: str) -> str:
    """Return the text of a Prolog program for a predicate and all that it needs."""
    parts = ["% Written by ludwin; the primitives are to be supplied."]
    for name in reachable(program, (entry,)):
        procedure = schedule(program, name)
        outs = [f"Out{i}" for i in range(program.preds[name].modes.count("out"))]
        head = f"{name}({', '.join([*(f'V_{x}' for x in procedure.inputs), *outs])})"
        parts.append(f"{head} :-\n{_body(program, procedure.tree, outs, 1)}.")
    return "\n\n".join(parts) + "\n"


def _body(program: Program, tree: Tree, outs: list[str], depth: int) -> str:
    pad = "    " * depth
    match tree:
        case Return(results):
            return ",\n".join(
                f"{pad}{out} {'is' if _needs_is(r) else '='} {_term(r)}" for out, r in zip(outs, results, strict=True)
            )
        case Let(goal, then):
            into, out = modes(program, goal)
            if goal.name == "is":
                return f"{pad}{_term(out[0])} is {_term(goal.args[1])},\n{_body(program, then, outs, depth)}"
            lines, args = [], []
            for i, arg in enumerate(into):
                if _needs_is(arg):
                    name = f"T{depth}_{i}_{_term(out[0])}"
                    lines.append(f"{pad}{name} is {_term(arg)},\n")
                    args.append(name)
                else:
                    args.append(_term(arg))
            call = f"{goal.name}({', '.join([*args, *map(_term, out)])})"
            return f"{''.join(lines)}{pad}{call},\n{_body(program, then, outs, depth)}"
        case If(test, then, other):
            if test.name == "cons":
                xs, first, rest = map(_term, test.args)
                question = f"{xs} = [{first}|{rest}]"
            elif test.name in COMPARE:
                sign = {"<=": "=<", "=": "=:="}.get(test.name, test.name)
                question = f"{_term(test.args[0])} {sign} {_term(test.args[1])}"
            else:
                question = f"{test.name}({', '.join(map(_term, test.args))})"
            yes, no = (_body(program, branch, outs, depth + 1) for branch in (then, other))
            return f"{pad}(   {question}\n{pad}->\n{yes}\n{pad};\n{no}\n{pad})"
    raise AssertionError(tree)


def tree_facts(node: Node, costly: str = "eval") -> str:
    """Return a tree as facts, with primitives that count the leaves."""
    lines: list[str] = []
    number: dict[int, int] = {}

    def visit(at: Node) -> int:
        mine = number[id(at)] = len(number)
        kids = [visit(child) for child in at.children]
        side = "white" if at.white else "black"
        lines.append(f"{side}({mine}).")
        if at.is_leaf:
            lines.append(f"leaf({mine}). val({mine}, {at.value}).")
        else:
            lines.append(f"inner({mine}). children({mine}, [{', '.join(map(str, kids))}]).")
        return mine

    visit(node)
    flat = sorted(
        (part.rstrip(".") + "." for line in lines for part in line.split(". ")), key=lambda fact: fact.partition("(")[0]
    )
    value = "V = X" if costly == "eval" else "(white(P) -> V = X ; V is -X)"
    first = ":- dynamic leaf/1, inner/1, white/1, black/1, val/2, children/2.\n"
    return first + "\n".join(flat) + f"\n{costly}(P, V) :- val(P, X), {value}, flag(leaves, N, N + 1).\n"


def run_swi(
    program: Program, entry: str, node: Node, folder: Path, *, costly: str = "eval", swipl: str = "swipl"
) -> tuple[float, int]:
    """Return the value of a tree and the leaves looked at, as SWI-Prolog finds them."""
    path = folder / "derived.pl"
    path.write_text(export(program, entry) + "\n" + tree_facts(node, costly), encoding="utf8")
    goal = f"{entry}(0, V), flag(leaves, N, N), X is float(V), format('~w ~w~n', [X, N])"
    run = subprocess.run(
        [swipl, "-q", "-g", goal, "-t", "halt", str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0 and run.stdout.split(), run.stderr
    value, leaves = run.stdout.split()
    return float(value), int(leaves)
