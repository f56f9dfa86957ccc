"""The interpreter of a language as kernel text: one loop, one branch per function.

Why it is here.  Evolution judges thousands of programs inside searches; to compile each would take
longer than its games.  The text of this loop is written once per language, from its rules, and compiled
with the search that uses it; programs are then data.
"""

import ast
import copy
from collections.abc import Sequence

from ludwin.kernel.tactics import FACTS
from ludwin.program.assemble import ADDRESS, FIRST, HEAD, JUMP, MOVE, SELECT, STOP, TIMES, UNLESS, stride
from ludwin.program.language import LETTERS, Language
from ludwin.program.rule import imported
from ludwin.program.tree import Tree

LONGEST = 6000  # numbers of code, and registers, that a player holds: programs of a thousand nodes
MOBILITY = "mobility"  # the number of legal moves, which every search knows at its leaves

READ = """
from ludwin.kernel.names import query


def read_inputs(s, p, n, code, registers):
    for i in range(code[0]):
        at = {head} + 3 * i
        k = code[at]
        registers[code[at + 2]] = 1.0 * n if k < 0 else 1.0 * query(s, p, k, code[at + 1])
    return 0
"""

READ_FACTS = """
def read_inputs(s, p, n, code, registers):
    for i in range(code[0]):
        at = {head} + 3 * i
        k = code[at]
        registers[code[at + 2]] = registers[{facts} - 2 - k] if k < -1 else 1.0 * n if k < 0 else {query}
    return 0
"""

READ_MOBILITY = """
def read_inputs(s, p, n, code, registers):
    for i in range(code[0]):
        registers[code[{head} + 3 * i + 2]] = 1.0 * n
    return 0
"""

RUN = """
from ludwin.program.total import {imports}


def run_program(code, registers):
    at = code[1]
    while True:
        operation = code[at]
        a = registers[code[at + 2]]
        b = registers[code[at + 3]]
        value = a
        if operation == {TIMES}:
            value = a * b
{select}{branches}
        elif operation == {JUMP}:
            at = code[at + 1]
            continue
        elif operation == {UNLESS}:
            at = at + {width} if a != 0.0 else code[at + 1]
            continue
        elif operation == {STOP}:
            return registers[code[at + 1]]
        registers[code[at + 1]] = value
        at += {width}


def judge(s, p, n, code, registers):
    read_inputs(s, p, n, code, registers)
    return {result}
"""
CHOOSE = """        elif operation == {SELECT}:
            value = b if a != 0.0 else registers[code[at + 4]]
"""
MOST_ELIFS = 40  # one behind the other
GROUP = 20
INTERPRETED = "run_program(code, registers)"
NATIVE = f"call_native(code[{ADDRESS}], registers) if code[{ADDRESS}] != 0 else {INTERPRETED}"


class _Operands(ast.NodeTransformer):
    """Puts other expressions in the place of a rule's names."""

    def __init__(self, places: dict[str, str]):
        self.places = places

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self.places[node.id], mode="eval").body if node.id in self.places else node


def expression(language: Language, number: int, operands: list[str]) -> str:
    """Return the meaning of a primitive with the operands in it: the used arguments in order, then its constant."""
    primitive, rule = language.primitives[number], language.meanings[number]
    assert rule is not None
    places = {LETTERS[argument]: operand for operand, argument in zip(operands, primitive.used, strict=False)}
    if primitive.has_value:
        places["v"] = operands[len(primitive.used)]
    return ast.unparse(ast.fix_missing_locations(_Operands(places).visit(copy.deepcopy(rule))))


def dispatch(found: Sequence[tuple[int, str]]) -> str:
    """Return the text that finds the expression of an operation, in groups if there are many: compilers follow a chain
    of elif by functions that call themselves.
    """

    def chain(some: Sequence[tuple[int, str]], indent: str, word: str) -> list[str]:
        words = (word, *["elif"] * len(some))
        return [
            f"{indent}{one} operation == {operation}:\n{indent}    value = {expression}"
            for one, (operation, expression) in zip(words, some, strict=False)
        ]

    if len(found) <= MOST_ELIFS:
        return "\n".join(chain(found, " " * 8, "elif"))
    parts = []
    for at in range(0, len(found), GROUP):
        some = found[at : at + GROUP]
        parts.append(f"        elif {some[0][0]} <= operation <= {some[-1][0]}:")
        parts += chain(some, " " * 12, "if")
    return "\n".join(parts)


def text(language: Language, queries: bool, native: bool = False) -> str:
    """Return the kernel text of the interpreter; `queries` says whether the game answers any.

    With `native` it calls native code where the program has an address for it (`native.py`).
    """
    width = stride(language)
    branches = []
    for number, primitive in enumerate(language.primitives):
        if not primitive.takes or primitive.acts or primitive.calls or primitive.is_lazy or primitive.is_alias:
            continue
        operands = ["a", "b", *(f"registers[code[at + {4 + i}]]" for i in range(width - 4))]
        branches.append((FIRST + number, expression(language, number, operands)))
    found = dispatch(branches)
    body = RUN.format(
        STOP=STOP,
        JUMP=JUMP,
        UNLESS=UNLESS,
        TIMES=TIMES,
        width=width,
        branches=found,
        imports=imported(found),
        select=CHOOSE.format(SELECT=SELECT) if any(primitive.is_lazy for primitive in language.primitives) else "",
        result=NATIVE if native else INTERPRETED,
    )
    assert MOVE not in (STOP, JUMP, UNLESS, TIMES, SELECT)  # a move is what is left: value = a
    if reads_facts(language):
        query = "1.0 * query(s, p, k, code[at + 1])" if queries else "0.0"
        head = "from ludwin.kernel.names import query\n\n" if queries else ""
        return head + READ_FACTS.format(head=HEAD, facts=LONGEST, query=query) + body
    return (READ if queries else READ_MOBILITY).format(head=HEAD) + body


def reads_facts(language: Language) -> bool:
    """Tell whether programs of a language read tactical facts, which lie behind the registers (`kernel/tactics.py`)."""
    return any(primitive.reads in FACTS for primitive in language.primitives)


def asked_facts(tree: Tree) -> int:
    """Return which facts a program reads, one bit each."""
    return sum(1 << k for k, fact in enumerate(FACTS) if any(tree.primitive(at).reads == fact for at in tree.live))


def numbers(queries: dict[str, int]) -> dict[str, int]:
    """Return the numbers of all inputs that a game offers: its queries, and mobility as -1."""
    return {**queries, MOBILITY: -1}
