"""Programs as text: `IFT(LowerEqual(Mobility, 3.5), One, MultERC[0.4](ManCount))`, read and written.

A node is a name or, for an ephemeral constant, its number; then, where it has them, its constant or
place in brackets, its factor in braces, its arguments in parentheses: `Plus{1.05}(One, IsEmptySquare[7])`.
Writing and reading again gives the same program, to the last bit.
"""

import re

from ludwin.errors import BadParameter, brief, did_you_mean
from ludwin.program.language import Language, Primitive
from ludwin.program.tree import Tree

TOKEN = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]*|[-+]?(?:inf|nan|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|[()\[\]{},])")


def write(tree: Tree, at: int = 0) -> str:
    """Return the program as one line of text."""
    primitive = tree.primitive(at)
    if tree.language.constant_of.get("number") == tree.nodes[at]:
        text = repr(tree.values[at])
    else:
        text = primitive.name
        if primitive.has_value:
            text += f"[{tree.values[at]!r}]"
        elif primitive.places:
            text += f"[{tree.places[at]}]"
    if tree.factors[at] != 1.0:
        text += f"{{{tree.factors[at]!r}}}"
    children = [write(tree, child) for child in tree.children(at)]
    return f"{text}({', '.join(children)})" if children else text


def lines(tree: Tree, at: int = 0, indent: str = "") -> str:
    """Return the program as indented lines, short subtrees on one line."""
    whole = write(tree, at)
    if len(indent) + len(whole) <= 96 or not tree.primitive(at).takes:
        return indent + whole
    head = whole[: whole.index("(")]
    inner = ",\n".join(lines(tree, child, indent + "  ") for child in tree.children(at))
    return f"{indent}{head}(\n{inner}\n{indent})"


def read(language: Language, text: str) -> Tree:
    """Return the program of a text; raises BadParameter that says what is wrong and where."""
    reader = _ProgramReader(language, text)
    reader.node(language.root)
    if reader.peek():
        raise reader.fault("expected the end")
    return Tree(language, tuple(reader.nodes), tuple(reader.values), tuple(reader.places), tuple(reader.factors))


class _ProgramReader:
    def __init__(self, language: Language, text: str):
        self.language = language
        self.text = text
        self.at = 0
        self.nodes: list[int] = []
        self.values: list[float] = []
        self.places: list[int] = []
        self.factors: list[float] = []

    def fault(self, what: str) -> BadParameter:
        rest = self.text[self.at :]
        place = self.at + len(rest) - len(rest.lstrip()) + 1
        near = repr(rest.strip()[:24]) if rest.strip() else "the end"
        return BadParameter(f"program: {what} at character {place}, near {near}")

    def peek(self) -> str:
        found = TOKEN.match(self.text, self.at)
        if not found:
            if self.text[self.at :].strip():
                raise self.fault("cannot read this")
            return ""
        return found[1]

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise self.fault(f"expected {wanted!r}" if wanted else "expected more")
        found = TOKEN.match(self.text, self.at)
        assert found
        self.at = found.end()
        return token

    def number(self) -> float:
        token = self.peek()
        try:
            value = float(token)
        except ValueError:
            raise self.fault("expected a number") from None
        self.take()
        return value

    def place(self, primitive: Primitive) -> int:
        token = self.peek()
        if not token.isdecimal() or len(token) > 9 or int(token) >= primitive.places:
            raise self.fault(f"{primitive.name} has the places 0 to {primitive.places - 1}")
        self.take()
        return int(token)

    def named(self, token: str) -> int:
        if token not in self.language.number:
            raise self.fault(
                f"language {self.language.name} has no {brief(token)}{did_you_mean(token[:99], self.language.number)}"
            )
        kind = self.language.number[token]
        if self.language.constant_of.get("number") == kind:
            raise self.fault(f"{token} is written as its number,")
        self.take()
        return kind

    def node(self, wanted: str, depth: int = 0) -> None:
        start = self.at
        if depth > 200:
            raise self.fault("deeper than 200 levels")
        token = self.peek()
        if re.match(r"[A-Za-z_]", token) and token not in ("inf", "nan"):
            kind = self.named(token)
            value = 0.0
        else:
            value = self.number()
            if "number" not in self.language.constant_of:
                self.at = start
                raise self.fault(f"language {self.language.name} has no bare numbers")
            kind = self.language.constant_of["number"]
        primitive = self.language.primitives[kind]
        place = 0
        if primitive.has_value and not (primitive.is_constant and self.language.constant_of.get("number") == kind):
            self.take("[")
            value = self.number()
            self.take("]")
        elif primitive.places:
            self.take("[")
            place = self.place(primitive)
            self.take("]")
        if not self.language.fits(primitive.returns, wanted):
            self.at = start
            raise self.fault(f"{primitive.name} returns {primitive.returns} where {wanted} is wanted,")
        factor = 1.0
        if self.peek() == "{":
            self.take()
            factor = self.number()
            self.take("}")
        self.nodes.append(kind)
        self.values.append(value)
        self.places.append(place)
        self.factors.append(factor)
        if primitive.takes:
            self.take("(")
            for number, word in enumerate(primitive.takes):
                if number:
                    self.take(",")
                self.node(word, depth + 1)
            self.take(")")
