"""A derivation as a Coq file: the whole induction, for somebody else's proof assistant.

Why it is here.  The checker's obligations are local; that they add up to a theorem about programs is an argument on
paper (see docs/reference/discover.md).  For programs over game trees that argument can be written out: the plain and
the derived clauses become two families of recursive functions, and one mutual induction proves that each derived
function is what its definition says.  `coqc` believes none of our code: a wrong derivation gives a file that it does
not accept.

What is covered.  Programs whose primitives are `leaf`, `inner`, `white`, `black`, `children` and `eval`, which compare
and copy but do not add, and whose new predicates are defined by one clause.  Numbers are integers between `lo` and
`hi`, which stand for -inf and inf: a program that only compares cannot tell more.
"""

import math
from collections.abc import Mapping

from ludwin.discover.derivation import Derivation
from ludwin.discover.schedule import If, Let, Return, Tree, schedule
from ludwin.discover.term import COMPARE, BadProgram, Clause, Const, Goal, Program, Term, Var, modes

KNOWN = {"leaf", "inner", "white", "black", "children", "eval"}
SHAPES = {"position": ("Leaf v", "White f", "Black f"), "list": ("Empty", "Node t f")}
HOLDS = {
    "leaf": {"Leaf v": True, "White f": False, "Black f": False},
    "inner": {"Leaf v": False, "White f": True, "Black f": True},
    "white": {"White f": True, "Black f": False},
    "black": {"White f": False, "Black f": True},
}

HEAD = """(* Written by ludwin from a derivation. Checked by: coqc FILE *)
(* The plain functions begin with p_, the derived ones with d_. *)
Require Import ZArith Lia.
Local Open Scope Z_scope.

Inductive tree : Type := Leaf (v : Z) | White (f : forest) | Black (f : forest)
with forest : Type := Empty | Node (t : tree) (f : forest).

Scheme tree_mut := Induction for tree Sort Prop
with forest_mut := Induction for forest Sort Prop.
Combined Scheme tree_forest_ind from tree_mut, forest_mut.

Section Derivation.
Variables lo hi : Z. (* the least and the greatest value: -inf and inf *)
Hypothesis wide : lo < hi.
"""

TAIL = """
Ltac work :=
  repeat
    match goal with
    | H : _ /\\ _ |- _ => destruct H
    | H : ?P -> _, G : ?P |- _ => match type of P with Prop => specialize (H G) end
    | |- _ /\\ _ => split
    | |- forall _, _ => intro
    end.

Ltac calls :=
  repeat
    (cbn zeta;
     first
       [ match goal with H : _ = _ |- _ => rewrite H end
       | match goal with H : forall _, _ |- _ => rewrite H by lia end
       | match goal with |- context [if ?x <=? ?y then _ else _] => destruct (Z.leb_spec x y) end
       | match goal with |- context [if ?x <? ?y then _ else _] => destruct (Z.ltb_spec x y) end ]).
"""


def coq_text(derivation: Derivation) -> str:
    """Return a Coq file that proves a derivation's result. Raises BadProgram for programs that are not covered."""
    seed, result = derivation.seed, derivation.result
    primitives = {name for name in seed.preds if name not in seed.defined}
    if not primitives <= KNOWN or seed.lemmas or not {"leaf", "inner", "children", "eval"} <= primitives:
        raise BadProgram(
            f"a Coq file is written for programs over {', '.join(sorted(KNOWN))} only, this one uses "
            f"{', '.join(sorted(primitives - KNOWN)) or 'others'}"
        )
    meant: dict[str, Clause] = {}
    for step in derivation.steps:
        if step.rule == "define":
            (meant[step.added[0].head.name],) = (
                step.added if len(step.added) == 1 else (_no(step.added[0].head.name if step.added else "a contract"),)
            )
    parts = [HEAD, _within(seed), _functions(seed, "p"), _functions(result, "d"), TAIL, _theorem(seed, result, meant)]
    return "\n".join(parts) + "\nEnd Derivation.\n\nPrint Assumptions derived_is_plain.\n"


def _no(name: str) -> Clause:
    raise BadProgram(f"a Coq file is written for predicates that one clause defines; {name} is none")


def _within(program: Program) -> str:
    """Return what is supposed of the leaves: they lie between lo and hi, and where the facts put them."""
    bounds = ["lo <= v <= hi"]
    if "eval" in program.facts:
        names = {
            v.name: text for v, text in zip(program.heads["eval"].args, ("?", "v"), strict=True) if isinstance(v, Var)
        }
        bounds += [_test(test, names) for test in program.facts["eval"]]
    values = {
        arg.value for tests in (*program.facts.values(),) for t in tests for arg in t.args if isinstance(arg, Const)
    }
    inside = "".join(
        f"Hypothesis inside{i} : lo < {_term(Const(v), {})} < hi.\n"
        for i, v in enumerate(sorted(values, key=str))
        if not _infinite(Const(v))
    )
    leaf = r" /\ ".join(bounds)
    return (
        inside
        + "\nFixpoint within (t : tree) : Prop :=\n"
        + f"  match t with Leaf v => {leaf} | White f => within_all f | Black f => within_all f end\n"
        + "with within_all (f : forest) : Prop :=\n"
        + "  match f with Empty => True | Node t f => within t /\\ within_all f end.\n"
    )


# functions


def _functions(program: Program, prefix: str) -> str:
    """Return the clauses of a program as recursive functions on trees and forests."""
    parts = []
    for name in program.defined:
        procedure = schedule(program, name)
        if procedure.kinds[0] not in SHAPES or set(procedure.kinds[1:]) - {"number"}:
            raise BadProgram(f"{name}: a Coq function takes a position or a list, and numbers")
        kind = "tree" if procedure.kinds[0] == "position" else "forest"
        numbers = "".join(f" ({x} : Z)" for x in procedure.inputs[1:])
        cases = []
        for shape in SHAPES[procedure.kinds[0]]:
            body = _body(program, procedure.tree, shape, {procedure.inputs[0]: "x"}, prefix)
            cases.append(f"  | {shape} => {body}")
        parts.append(
            f"{prefix}_{name} (x : {kind}){numbers} {{struct x}} : Z :=\n  match x with\n"
            + "\n".join(cases)
            + "\n  end"
        )
    return "\nFixpoint " + "\nwith ".join(parts) + ".\n"


def _body(program: Program, tree: Tree, shape: str, names: Mapping[str, str], prefix: str) -> str:
    match tree:
        case Return((out,)):
            return _term(out, names)
        case If(test, then, other) if test.name == "cons":
            if shape == "Empty":
                return _body(program, other, shape, names, prefix)
            first, rest = (arg.name for arg in test.args[1:] if isinstance(arg, Var))
            return _body(program, then, shape, {**names, first: "t", rest: "f"}, prefix)
        case If(test, then, other) if test.name in COMPARE:
            yes, no = (_body(program, part, shape, names, prefix) for part in (then, other))
            return f"if {_question(test, names)} then {yes} else {no}"
        case If(test, then, other):
            return _body(program, then if HOLDS[test.name].get(shape, True) else other, shape, names, prefix)
        case Let(goal, then):
            into, (out,) = modes(program, goal)
            assert isinstance(out, Var)
            if goal.name == "children":
                return _body(program, then, shape, {**names, out.name: "f"}, prefix)
            if goal.name == "eval":
                return _body(program, then, shape, {**names, out.name: "v"}, prefix)
            value = (
                _term(goal.args[1], names)
                if goal.name == "is"
                else f"{prefix}_{goal.name} {' '.join(_term(arg, names) for arg in into)}"
            )
            new = f"n{out.name}"
            return f"let {new} := {value} in {_body(program, then, shape, {**names, out.name: new}, prefix)}"
    raise BadProgram("a Coq function gives one number")


def _infinite(term: Term) -> bool:
    return isinstance(term, Const) and isinstance(term.value, float) and math.isinf(term.value)


def _term(term: Term, names: Mapping[str, str]) -> str:
    if isinstance(term, Var):
        return names.get(term.name, term.name)
    if isinstance(term, Const):
        if _infinite(term):
            return "hi" if float(term.value) > 0 else "lo"
        if not isinstance(term.value, int):
            raise BadProgram(f"a Coq file has whole numbers only, not {term.value}")
        return f"({term.value})" if term.value < 0 else str(term.value)
    if term.functor in ("max", "min"):
        return f"(Z.{term.functor} {_term(term.args[0], names)} {_term(term.args[1], names)})"
    raise BadProgram(f"a Coq file is written for programs that compare and copy; this one has {term.functor!r}")


def _question(test: Goal, names: Mapping[str, str]) -> str:
    x, y = (_term(arg, names) for arg in test.args)
    return {">=": f"{y} <=? {x}", "<=": f"{x} <=? {y}", ">": f"{y} <? {x}", "<": f"{x} <? {y}", "=": f"{x} =? {y}"}[
        test.name
    ]


def _test(test: Goal, names: Mapping[str, str]) -> str:
    x, y = (_term(arg, names) for arg in test.args)
    return f"{x} {test.name} {y}"


# the theorem


def _theorem(seed: Program, result: Program, meant: Mapping[str, Clause]) -> str:
    """Return the statement about all functions at once, and its proof by mutual induction."""
    claims: dict[str, list[str]] = {"position": [], "list": []}
    for name in seed.defined:
        kind, thing = _kind(seed, name)
        claims[kind].append(f"lo <= p_{name} {thing} <= hi")
        if name in seed.facts:
            names = {
                v.name: text
                for v, text in zip(seed.heads[name].args, (thing, f"(p_{name} {thing})"), strict=True)
                if isinstance(v, Var)
            }
            claims[kind] += [_test(test, names) for test in seed.facts[name]]
    for name in result.defined:
        kind, thing = _kind(result, name)
        if name in seed.defined:
            claims[kind].append(f"d_{name} {thing} = p_{name} {thing}")
        else:
            claims[kind].append(_claim(result, name, meant[name], thing))
    both = [" /\\\n    ".join(claims[kind]) for kind in ("position", "list")]
    return f"""
Theorem derived_is_plain :
  (forall t, within t ->
    {both[0]}) /\\
  (forall f, within_all f ->
    {both[1]}).
Proof.
  apply tree_forest_ind; intros; cbn [within within_all] in *; work; cbn; work; calls; try lia.
Qed.
"""


def _kind(program: Program, name: str) -> tuple[str, str]:
    kind = program.preds[name].kinds[0]
    return kind, "t" if kind == "position" else "f"


def _claim(program: Program, name: str, clause: Clause, thing: str) -> str:
    """Return what a new function is, where it answers."""
    call = next(
        (g for g in clause.goals if g.name in program.defined or (g.name in program.preds and g.name != "is")), None
    )
    made = next((g for g in clause.goals if g.name == "is"), None)
    if (
        call is None
        or made is None
        or len(clause.goals) != 2
        or clause.tests
        or not all(isinstance(a, Var) for a in clause.head.args)
    ):
        raise BadProgram(f"a Coq file is written for definitions such as {name}(P,A,V) :- value(P,Y), V is max(A,Y)")
    numbers = [a.name for a in clause.head.args[1:-1] if isinstance(a, Var)]
    out = call.args[-1]
    assert isinstance(out, Var)
    bounds = [f"lo <= {x} <= hi" for x in numbers]
    if name in program.pre:
        names = {v.name: x for v, x in zip(program.heads[name].args[1:-1], numbers, strict=True) if isinstance(v, Var)}
        bounds += [_test(test, names) for test in program.pre[name]]
    value = _term(made.args[1], {out.name: f"(p_{call.name} {thing})"})
    given = "".join(f"{bound} -> " for bound in bounds)
    return f"(forall {' '.join(numbers)}, {given}d_{name} {thing} {' '.join(numbers)} = {value})"
