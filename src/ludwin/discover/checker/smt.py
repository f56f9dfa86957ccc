"""Obligations as closed SMT-LIB files, and the solvers that replay them.

Why it is here.  Nobody has to believe our own decision procedure: every obligation can be written as a file in a public
language (`ludwin derivation FILE --smt DIR`), and any solver must answer `unsat`.  Obligations with sums are always
decided by a solver, from the very text that is exported.

How infinity is written.  An extended real is a pair: its kind (-1 below all numbers, 0 a number, 1 above all numbers)
and a real, which is 0 unless the kind is 0.  Pairs are compared kind first.  A sum of opposite infinities is no number,
and an obligation of its own says that none is ever formed.
"""

from fractions import Fraction
from typing import Any

from ludwin.discover.checker.formula import Formula, Value, parts, spell, spell_formula, values

SECONDS = 20


def script(known: list[Formula], wanted: Formula, title: str) -> str:
    """Return a closed SMT-LIB file that is unsatisfiable if and only if the known things imply the wanted one."""
    names: dict[Value, str] = {}
    for formula in [*known, wanted]:
        for value in values(formula):
            for part in parts(value):
                if part[0] not in ("num", "inf", "~", "+", "*", "max", "min"):
                    names.setdefault(part, f"v{len(names)}")
    lines = [f"; {title}", "; expected: unsat", "(set-logic QF_LIRA)"]
    lines += ["(define-fun geq ((i Int) (x Real) (j Int) (y Real)) Bool (or (> i j) (and (= i j) (>= x y))))"]
    lines += ["(define-fun same ((i Int) (x Real) (j Int) (y Real)) Bool (and (= i j) (= x y)))"]
    lines += ["(define-fun kind ((i Int) (j Int)) Int (ite (= i 0) j i))"]
    lines += ["(define-fun real ((i Int) (x Real) (j Int) (y Real)) Real (ite (and (= i 0) (= j 0)) (+ x y) 0.0))"]
    lines += ["(define-fun isnumber ((i Int) (j Int)) Bool (or (= i 0) (= j 0) (= i j)))"]
    for value, name in names.items():
        lines.append(f"; {name} is {spell(value)}")
        lines.append(f"(declare-const {name}k Int) (declare-const {name} Real)")
        lines.append(f"(assert (and (<= (- 1) {name}k) (<= {name}k 1) (=> (not (= {name}k 0)) (= {name} 0.0))))")
    for formula in known:
        lines.append(f"; known: {spell_formula(formula)}"[:400])
        lines.append(f"(assert {_formula(formula, names)})")
    lines.append(f"; wanted: {spell_formula(wanted)}"[:400])
    lines.append(f"(assert (not {_formula(wanted, names)}))")
    return "\n".join([*lines, "(check-sat)"]) + "\n"


def _formula(formula: Formula, names: dict[Value, str]) -> str:
    match formula[0]:
        case "and" | "or":
            if not formula[1]:
                return "true" if formula[0] == "and" else "false"
            return f"({formula[0]} {' '.join(_formula(part, names) for part in formula[1])})"
    (i, x), (j, y) = _pair(formula[1], names), _pair(formula[2], names)
    match formula[0]:
        case "sum":
            return f"(isnumber {i} {j})"
        case "nosum":
            return f"(not (isnumber {i} {j}))"
        case ">=":
            return f"(geq {i} {x} {j} {y})"
        case ">":
            return f"(not (geq {j} {y} {i} {x}))"
        case "=":
            return f"(same {i} {x} {j} {y})"
    return f"(not (same {i} {x} {j} {y}))"


def _real(value: Fraction) -> str:
    text = (
        f"{abs(value.numerator)}.0" if value.denominator == 1 else f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
    )
    return f"(- {text})" if value < 0 else text


def _pair(value: Value, names: dict[Value, str]) -> tuple[str, str]:
    match value[0]:
        case "num":
            return "0", _real(value[1])
        case "inf":
            return ("1" if value[1] > 0 else "(- 1)"), "0.0"
        case "~":
            i, x = _pair(value[1], names)
            return f"(- {i})", f"(- {x})"
        case "+":
            (i, x), (j, y) = _pair(value[1], names), _pair(value[2], names)
            return f"(kind {i} {j})", f"(real {i} {x} {j} {y})"
        case "*":
            i, x = _pair(value[2], names)
            return (i if value[1] > 0 else f"(- {i})"), f"(* {_real(value[1])} {x})"
        case "max" | "min":
            (i, x), (j, y) = _pair(value[1], names), _pair(value[2], names)
            test = f"(geq {i} {x} {j} {y})" if value[0] == "max" else f"(geq {j} {y} {i} {x})"
            return f"(ite {test} {i} {j})", f"(ite {test} {x} {y})"
    return names[value] + "k", names[value]


def solvers() -> list[str]:
    """Return the names of the solvers that are installed."""
    found = []
    for name in ("z3", "cvc5"):
        try:
            __import__(name)
        except ImportError:
            continue
        found.append(name)
    return found


def ask(text: str, solver: str) -> str:
    """Return what a solver says to an SMT-LIB file: sat, unsat or unknown (also if it gives up with an error of its
    own).
    """
    try:
        return _z3(text) if solver == "z3" else _cvc5(text)
    except (RuntimeError, ValueError, TypeError, ArithmeticError) as error:
        return f"unknown: {error}"
    except Exception as error:
        if type(error).__module__.startswith(("z3", "cvc5")):
            return f"unknown: {error}"
        raise


def _z3(text: str) -> str:
    import z3

    solver = z3.Solver()
    solver.set("timeout", SECONDS * 1000)
    solver.from_string(text)
    return str(solver.check())


def _cvc5(text: str) -> str:
    import cvc5

    solver: Any = cvc5.Solver()
    solver.setOption("tlimit-per", str(SECONDS * 1000))
    parser: Any = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    symbols = parser.getSymbolManager()
    answer = ""
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return answer.strip() or "unknown"
        answer = str(command.invoke(solver, symbols)) or answer
