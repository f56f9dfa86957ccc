"""Random programs as trees: small nodes that can be written as rule text, written as the twin's text, and shrunk.

Why it is here. A program is needed in three forms: the text that Ludwin loads, the same text with every operation
examined (`tests/fuzz/twin.py` says what the words of that text mean), and a tree from which parts can be taken away
while a difference stays. Both texts come from one tree and have the same lines, so that a fault can be compared by
its line.

Kinds of expressions: "i" whole number, "f" float, "b" truth, ("t", kind, …) a tuple, ("r", "i" or "f", sizes…) an
array, "n" a number whose kind depends on the call (in functions that are called with several kinds). Where a value
of one kind goes to a place of another (`a if c else x`, a float field, one of several results), compiled code makes
a float of it; the twin's text says so by `real(…)`. With `x = 1` where x is a float elsewhere it depends on who may
read it: `maybe(…)`. Kinds are known by construction; `sound` refuses a tree in which they could be inferred
otherwise (a float variable that only ever gets whole numbers).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Kind = Any  # "i", "f", "b", "n", or a tuple as above

FITTED = {"+", "-", "*", "//", "%"}  # what can leave 64 bits and is harmless to compute first


@dataclass(slots=True)
class Node:
    """An expression or a statement; `text` is its operator, name or literal, `blocks` are indented bodies."""

    op: str
    kind: Kind = None
    text: str = ""
    parts: list[Node] = field(default_factory=list)
    blocks: list[list[Node]] = field(default_factory=list)

    def copy(self) -> Node:
        """Return a tree that may be changed without changing this one."""
        parts = [part.copy() for part in self.parts]
        return Node(self.op, self.kind, self.text, parts, [[n.copy() for n in block] for block in self.blocks])

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it."""
        yield self
        for part in self.parts:
            yield from part.walk()
        for block in self.blocks:
            for node in block:
                yield from node.walk()


@dataclass(slots=True)
class Function:
    """One function: its arguments, what it returns, and its statements."""

    name: str
    arguments: list[tuple[str, Kind]]
    returns: Kind  # None for a procedure
    body: list[Node]
    helper: bool = False  # it lives in the helper file
    annotated: bool = False  # it takes part in a recursion, so its number arguments bear types

    def copy(self) -> Function:
        """Return a function whose body may be changed."""
        body = [node.copy() for node in self.body]
        return Function(self.name, list(self.arguments), self.returns, body, self.helper, self.annotated)

    def walk(self) -> Iterator[Node]:
        """Yield every node of the body."""
        for node in self.body:
            yield from node.walk()

    def lines(self, twin: bool) -> list[str]:
        """Return the text, a line a statement; the first line of the body is a docstring, or the twin's counter."""
        words = {"i": "int", "f": "float", "b": "bool"}
        typed = [
            f"{name}: {words[kind]}" if self.annotated and kind in words else name for name, kind in self.arguments
        ]
        out = [f"def {self.name}({', '.join(typed)}):", "    tick()" if twin else '    """Count."""']
        for node in self.body:
            _statement(node, 1, twin, self.returns, out)
        return out


def join(*kinds: Kind) -> Kind:
    """Return the kind of a place that gets values of these kinds."""
    if len(set(kinds)) == 1:
        return kinds[0]
    return "i" if set(kinds) <= {"b", "i"} else "n" if "n" in kinds else "f"


def _into(node: Node, kind: Kind, twin: bool, word: str = "real") -> str:
    """Return the text of an expression that goes to a place of some kind."""
    return into(write(node, twin), node.kind, kind, twin, word)


def into(text: str, given: Kind, wanted: Kind, twin: bool, word: str = "real") -> str:
    """Return a text whose value goes to a place of some kind: the twin makes a float of it where compiled code does."""
    return f"{word}({text})" if twin and wanted == "f" and given not in ("f", "n") else text


def _word(target: Node) -> str:
    """Return how the twin makes a float of what is assigned here: a variable is one if a reader may see both."""
    return "maybe" if target.op == "var" else "real"


def write(node: Node, twin: bool) -> str:
    """Return the text of an expression."""
    parts = node.parts
    match node.op:
        case "const" | "var":
            return node.text
        case "field":
            return f"s.{node.text}"
        case "bin":
            return _binary(write(parts[0], twin), node.text, write(parts[1], twin), twin)
        case "neg":
            text = f"(-{write(parts[0], twin)})"
            return f"fit{text}" if twin else text
        case "un":
            return f"({node.text}{write(parts[0], twin)})"
        case "if":
            yes, test, no = parts
            return f"({_into(yes, node.kind, twin)} if {write(test, twin)} else {_into(no, node.kind, twin)})"
        case "bool":
            text = "(" + f" {node.text} ".join(write(part, twin) for part in parts) + ")"  # only the chosen one is kept
            return f"real({text})" if twin and node.kind == "f" and any(part.kind != "f" for part in parts) else text
        case "cmp":
            words = node.text.split()
            text = write(parts[0], twin)
            for word, part in zip(words, parts[1:], strict=True):
                text += f" {word} {write(part, twin)}"
            return f"({text})"
        case "best":
            text = f"{node.text}({', '.join(write(part, twin) for part in parts)})"
            if node.kind == "n":
                return f"joined({text}, {', '.join(write(part, twin) for part in parts)})" if twin else text
            return f"real({text})" if twin and node.kind == "f" and any(part.kind != "f" for part in parts) else text
        case "abs" | "gcd":
            name = "math.gcd" if node.op == "gcd" else "abs"
            text = f"{name}({', '.join(write(part, twin) for part in parts)})"
            return f"fit({text})" if twin else text
        case "whole":  # int(x), math.floor(x) and the like: beyond 64 bits nothing is promised in fast mode
            text = f"{node.text}({write(parts[0], twin)})"
            return f"must_fit({text})" if twin else text
        case "call":
            return f"{node.text}({', '.join(write(part, twin) for part in parts)})"
        case "index":
            return f"{write(parts[0], twin)}[{write(parts[1], twin)}]"
        case "item":
            return f"{write(parts[0], twin)}[{node.text}]"
        case "tuple":
            wanted = node.kind[1:]
            return "(" + ", ".join(_into(part, kind, twin) for part, kind in zip(parts, wanted, strict=True)) + ")"
    raise AssertionError(node.op)


def _binary(left: str, symbol: str, right: str, twin: bool) -> str:
    if twin and symbol == "<<":
        return f"shifted({left}, {right})"
    if twin and symbol == "**":
        return f"raised({left}, {right})"
    text = f"({left} {symbol} {right})"
    return f"fit{text}" if twin and symbol in FITTED else text


def _statement(node: Node, depth: int, twin: bool, returns: Kind, out: list[str]) -> None:
    pad = "    " * depth

    def blocks(*heads: str) -> None:
        for head, block in zip(heads, node.blocks, strict=True):
            out.append(pad + head)
            for inner in block:
                _statement(inner, depth + 1, twin, returns, out)
            if not block:
                out.append(pad + "    pass")

    parts = node.parts
    match node.op:
        case "assign":  # parts: targets, then the value
            out.append(pad + _assign(parts[:-1], parts[-1], twin))
        case "unpack":  # a, b = value
            *targets, value = parts
            if value.op == "tuple":  # each part on its way to its own target
                text = ", ".join(
                    _into(part, target.kind, twin, _word(target))
                    for part, target in zip(value.parts, targets, strict=True)
                )
            else:
                text = write(value, twin)
            out.append(pad + ", ".join(write(target, twin) for target in targets) + f" = {text}")
        case "aug":
            target, value = parts
            if twin and target.op != "index":
                text = _binary(write(target, twin), node.text, write(value, twin), twin)
                out.append(pad + f"{write(target, twin)} = {text}")
            else:
                out.append(pad + f"{write(target, twin)} {node.text}= {write(value, twin)}")
        case "note":  # v: int = e
            word = "" if twin else {"i": ": int", "f": ": float", "b": ": bool"}[parts[0].kind]
            out.append(pad + f"{write(parts[0], twin)}{word} = {_into(parts[1], parts[0].kind, twin, 'maybe')}")
        case "branch":
            heads = [f"{'if' if k == 0 else 'elif'} {write(test, twin)}:" for k, test in enumerate(parts)]
            blocks(*heads, *(["else:"] if len(node.blocks) > len(parts) else []))
        case "while":
            test = write(parts[0], twin)
            blocks(f"while tick() and {test}:" if twin else f"while {test}:")
        case "for":
            spread = f"range({', '.join(write(part, twin) for part in parts)})"
            blocks(f"for {node.text} in {f'ticks({spread})' if twin else spread}:")
        case "return":
            out.append(pad + (f"return {_into(parts[0], returns, twin)}" if parts else "return"))
        case "assert":
            out.append(pad + f"assert {write(parts[0], twin)}")
        case "break" | "continue" | "pass":
            out.append(pad + node.op)
        case "do":
            out.append(pad + write(parts[0], twin))
        case _:
            raise AssertionError(node.op)


def _assign(targets: list[Node], value: Node, twin: bool) -> str:
    if len(targets) == 1:
        return f"{write(targets[0], twin)} = {_into(value, targets[0].kind, twin, _word(targets[0]))}"
    if not twin:
        return " = ".join(write(target, twin) for target in targets) + f" = {write(value, twin)}"
    stores = [
        f"{write(target, twin)} = {into('value_', value.kind, target.kind, twin, _word(target))}" for target in targets
    ]
    return "; ".join([f"value_ = {write(value, twin)}", *stores])


def sound(function: Function) -> bool:
    """Tell whether the kinds of a function are those that a compiler must infer.

    A float variable needs one float among its values, a float function one float among its results, each where it is
    certain to be seen; a function with results needs one at its end.
    """
    firsts: dict[str, Kind] = {}
    for node in function.body:  # what stands at the top of the body is reached, or a return stands before it
        if node.op in ("assign", "unpack", "note"):
            *targets, value = node.parts
            for k, target in enumerate(targets):
                given = value.parts[k].kind if node.op == "unpack" and value.op == "tuple" else None
                given = given or (value.kind[1 + k] if node.op == "unpack" else value.kind)
                if target.op == "var":
                    firsts.setdefault(target.text, given)
    known = dict(function.arguments)
    for node in function.walk():
        targets = (
            node.parts[:-1] if node.op in ("assign", "unpack", "note") else node.parts[:1] if node.op == "aug" else []
        )
        for target in targets:
            if (
                target.op == "var"
                and target.kind == "f"
                and known.get(target.text, firsts.get(target.text, "f")) != "f"
            ):
                return False
    if function.returns is not None:
        last = function.body[-1] if function.body else None
        if last is None or last.op != "return" or last.parts[0].kind != function.returns:
            return False
    return True
