"""Grammatical evolution: genomes are rows of whole numbers, a grammar makes programs of them.

Why it is here.  Whoever knows the form of an answer can write it down as a grammar, and nothing else is tried.  A
genome is a row of codons.  Derivation begins with the first rule and always opens the leftmost name; a codon chooses
among its alternatives (codon modulo their number), where there is a choice.  When codons run out they are read again,
`wraps` times; whatever is open then is closed by the shortest alternatives, so every genome is a program.  So is what
would lead deeper than programs may be, or beyond `most` nodes.

The grammar is text in Backus-Naur form over the programs of a language, as `program/text.py` writes them; names in
angles stand for subprograms.  What draws a constant or a place is drawn by a codon, if it is not given in brackets:

>>> from ludwin.evolve.toys import ARITHMETIC
>>> polynomials = grammar(ARITHMETIC, '''
...     <sum>  ::= Add(<sum>, <term>) | <term>    # comments go on to the end of the line
...     <term> ::= X | Mul(X, <term>)
... ''')
>>> polynomials.text((0, 1, 0, 1, 0))
'Add(X, Mul(X, X))'
>>> grammar(ARITHMETIC, "<sum> ::= Add(<sum>, <sum>)")
Traceback (most recent call last):
ludwin.errors.BadParameter: grammar: nothing ends <sum>; give it an alternative without itself

Types are examined once, for the grammar: every alternative of a name must fit wherever the name stands.  Without text,
`grammar(language)` is all that the language can say.

The first generation is made by derivations of ramped depths, half of them full, which are turned into codons
("sensible initialisation").  Crossover exchanges what is behind two cuts, so genomes have different lengths; mutation
draws codons anew, each with probability `rate` (0: one on average).

References.  M. O'Neill, C. Ryan, Grammatical Evolution (2003).  C. Ryan, R. M. A. Azad, "Sensible initialisation in
grammatical evolution", GECCO 2003 workshops, 142-145.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from ludwin.errors import BadParameter, brief, did_you_mean
from ludwin.program.language import LARGEST, Language
from ludwin.program.stream import Stream
from ludwin.program.text import write
from ludwin.program.tree import Tree
from ludwin.settings import Setting

DEEPEST = 100  # levels of an alternative: programs are read by functions that call themselves
LEVELS = 150  # of a program: what text and evaluators hold
CODONS = 256  # a codon is a whole number below this, where no choice is among more
TOKEN = re.compile(r"\s*(<[^<>\s]+>|[A-Za-z_]\w*|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[()\[\],|])")
NAME = re.compile(r"<[^<>\s]+>")

Codons = tuple[int, ...]


@dataclass(frozen=True)
class Piece:
    """One piece of an alternative: a node of a program, with its number if that is fixed, or a name to open."""

    node: int = -1
    number: float | None = None
    opens: str = ""


Alternative = tuple[Piece, ...]  # pieces in prefix order


@dataclass(frozen=True)
class Grammatical:
    """Rows of codons, and the grammar that makes programs of them: made by `grammar`."""

    language: Language
    start: str
    rules: tuple[tuple[str, tuple[Alternative, ...]], ...]
    wraps: int = 2
    longest: int = 400
    most: int = 500
    rate: float = 0.0
    low: int = 2
    high: int = 8
    name: str = field(default="grammar", init=False)

    def __post_init__(self) -> None:
        for name, least, most in (("wraps", 0, 1000), ("longest", 1, 100_000), ("most", 1, 100_000), ("high", 0, 100)):
            Setting(name, 1, "", least=least, most=most).examine(getattr(self, name), "grammar")
        Setting("low", 1, "", least=0, most=self.high).examine(self.low, "grammar")
        Setting("rate", 0.5, "", least=0, most=1).examine(self.rate, "grammar")

    def __hash__(self) -> int:
        return hash((self.start, self.rules, self.wraps, self.most))

    @cached_property
    def book(self) -> dict[str, tuple[Alternative, ...]]:
        """The alternatives of each name."""
        return dict(self.rules)

    @cached_property
    def heights(self) -> dict[str, int]:
        """How many names must be opened one below the other, at least, until a name is closed."""
        return _heights(self.book)

    @cached_property
    def shortest(self) -> dict[str, int]:
        """The alternative of each name that is closed soonest; of equals the one of fewer pieces, then the first."""
        return {
            name: min(range(len(those)), key=lambda k: (_height(those[k], self.heights), len(those[k]), k))
            for name, those in self.rules
        }

    @cached_property
    def codons(self) -> int:
        """How many codons there are: enough for the choice among most, as a power of two."""
        pieces = [piece for _, those in self.rules for one in those for piece in one if not piece.opens]
        asked = [self.language.primitives[piece.node] for piece in pieces if piece.number is None]
        most = max([CODONS, *(len(those) for _, those in self.rules), *(max(p.places, len(p.choices)) for p in asked)])
        return int(1 << (most - 1).bit_length())

    @cached_property
    def levels(self) -> dict[str, tuple[tuple[int, ...], ...]]:
        """How many levels lie above each piece of each alternative."""
        return {name: tuple(_levels(self.language, one) for one in those) for name, those in self.rules}

    @cached_property
    def depths(self) -> dict[str, tuple[int, ...]]:
        """How deep a program is that begins with each alternative and is closed by the shortest ones."""
        closed: dict[str, int] = {}
        for name in sorted(self.book, key=self.heights.__getitem__):  # the shortest opens only names of less height
            closed[name] = self._depth(name, self.shortest[name], closed)
        return {name: tuple(self._depth(name, k, closed) for k in range(len(those))) for name, those in self.rules}

    def _depth(self, name: str, at: int, closed: dict[str, int]) -> int:
        pieces = zip(self.book[name][at], self.levels[name][at], strict=True)
        return max(level + (closed[piece.opens] if piece.opens else 0) for piece, level in pieces)

    # From codons to a program and back

    def decode(self, g: Codons) -> Tree:
        """Return the program of a genome."""
        return _decoded(self, g)

    def derived(self, g: Codons) -> tuple[Tree, int]:
        """Return the program of a genome, and how many codons it has read; those behind have no meaning now."""
        left, taken = len(g) * (self.wraps + 1), 0

        def codon() -> int | None:
            nonlocal taken
            if taken >= left or not g:
                return None
            taken += 1
            return g[(taken - 1) % len(g)]

        nodes: list[int] = []
        values: list[float] = []
        places: list[int] = []
        open_pieces = [(Piece(opens=self.start), 0)]
        while open_pieces:
            piece, level = open_pieces.pop()
            if piece.opens:
                those = self.book[piece.opens]
                found = None if len(nodes) + len(open_pieces) > self.most else codon() if len(those) > 1 else 0
                at = self.shortest[piece.opens] if found is None else found % len(those)
                if level + self.depths[piece.opens][at] > LEVELS:
                    at = self.shortest[piece.opens]
                below = zip(those[at], self.levels[piece.opens][at], strict=True)
                open_pieces.extend(reversed([(part, level + more) for part, more in below]))
                continue
            primitive = self.language.primitives[piece.node]
            nodes.append(piece.node)
            number = piece.number
            if number is None and (primitive.has_value or primitive.places):
                number = _number(primitive, codon() or 0, self.codons)
            values.append(float(number or 0.0) if primitive.has_value else 0.0)
            places.append(int(number or 0) if primitive.places and not primitive.has_value else 0)
        tree = Tree(self.language, tuple(nodes), tuple(values), tuple(places), (1.0,) * len(nodes))
        return tree, min(taken, len(g))

    def encoded(self, depth: int, stream: Stream, full: bool) -> Codons:
        """Return the codons of a random derivation of at most this depth, or of the least that there is."""
        codons: list[int] = []
        pending = [(Piece(opens=self.start), max(depth, self.heights[self.start]))]
        size = 0
        while pending:
            piece, left = pending.pop()
            if not piece.opens:
                primitive = self.language.primitives[piece.node]
                size += 1
                if piece.number is None and (primitive.has_value or primitive.places):
                    codons.append(stream.below(self.codons))
                continue
            those = self.book[piece.opens]
            fitting = [k for k, one in enumerate(those) if _height(one, self.heights) < left]
            deep = [k for k in fitting if any(part.opens for part in those[k])]
            at = stream.pick(
                deep if full and deep and size < self.most // 2 else fitting or [self.shortest[piece.opens]]
            )
            if len(those) > 1:
                codons.append(at + len(those) * stream.below((self.codons - 1 - at) // len(those) + 1))
            pending.extend((part, left - 1) for part in reversed(those[at]))
            if len(codons) >= self.longest:
                break
        return tuple(codons[: self.longest])

    # The kind

    def begin(self, n: int, stream: Stream) -> list[Codons]:
        """Return a population: derivations of depths from low to high in turn, half of them full, with a tail."""
        return [
            self._tailed(
                self.encoded(self.low + (k // 2) % (self.high - self.low + 1), stream.split(k), k % 2 == 0), k, stream
            )
            for k in range(n)
        ]

    def _tailed(self, g: Codons, k: int, stream: Stream) -> Codons:
        """Return codons with some more behind them, which a mutation may wake up."""
        chance = stream.split(k, 1)
        tail = tuple(chance.below(self.codons) for _ in range(1 + len(g) // 2))
        return (*g, *tail)[: self.longest]

    def make(self, stream: Stream) -> Codons:
        """Return one random genome."""
        depth = self.low + stream.below(self.high - self.low + 1)
        return self._tailed(self.encoded(depth, stream, stream.chance(0.5)), 0, stream)

    def cross(self, a: Codons, b: Codons, stream: Stream) -> tuple[Codons, Codons]:
        """Exchange what is behind a cut in each, where codons are read; a child has one codon at least."""
        i, j = (stream.below(max(1, self.derived(g)[1])) for g in (a, b))
        first, second = (*a[:i], *b[j:]), (*b[:j], *a[i:])
        return first[: self.longest] or a, second[: self.longest] or b

    def donate(self, donor: Codons, receiver: Codons, stream: Stream) -> Codons:
        """Return the receiver up to a cut, and then the donor."""
        return self.cross(receiver, donor, stream)[0]

    def mutate(self, g: Codons, stream: Stream) -> Codons:
        """Draw codons anew, one at least: of those that are read, if the rate is not given."""
        read = max(1, self.derived(g)[1])
        rate = self.rate or 1.0 / read
        places = [k for k in range(len(g)) if stream.chance(rate)] or [stream.below(read)]
        fresh = {k: stream.below(self.codons) for k in places}
        return tuple(fresh.get(k, codon) for k, codon in enumerate(g))

    def write(self, g: Codons) -> Any:
        """Return the codons."""
        return list(g)

    def read(self, data: Any) -> Codons:
        """Return what `write` wrote. Raises BadParameter."""
        fine = isinstance(data, list) and 1 <= len(data) <= self.longest
        if not fine or not all(type(codon) is int and 0 <= codon < self.codons for codon in data):
            raise BadParameter(
                f"a genome of a grammar is a list of 1 to {self.longest} codons from 0 to {self.codons - 1}"
            )
        return tuple(data)

    def text(self, g: Codons) -> str:
        """Return the program."""
        return write(self.decode(g))

    def size(self, g: Codons) -> int:
        """Return the nodes of the program."""
        return len(self.decode(g))


@lru_cache(maxsize=4096)
def _decoded(kind: Grammatical, g: Codons) -> Tree:
    return kind.derived(g)[0]


def _levels(language: Language, one: Alternative) -> tuple[int, ...]:
    """Return how many levels lie above each piece of an alternative."""
    found, wait = [], [0]
    for piece in one:
        level = wait.pop()
        found.append(level)
        wait += [level + 1] * (0 if piece.opens else len(language.takes[piece.node]))
    return tuple(found)


def _number(primitive: Any, codon: int, codons: int) -> float:
    """Return the constant or the place that a codon means; there are so many codons."""
    if primitive.choices:
        return float(primitive.choices[codon % len(primitive.choices)])
    if primitive.draws:
        low, high = primitive.draws
        return float(low + (high - low) * codon / (codons - 1))
    return float(codon % primitive.places)


# ---- Reading grammars -----------------------------------------------------------------------------------------


def grammar(language: Language, text: str = "", **more: Any) -> Grammatical:
    """Return the kind of genomes of a grammar in Backus-Naur form over a language. Raises BadParameter in one line.

    Without text it is the grammar of all programs: a name for each type.
    """
    if not isinstance(language, Language):
        raise BadParameter(f"a grammar is over a Language, got {brief(language)}")
    return _Grammar(language, text or whole_grammar(language)).kind(more)


def whole_grammar(language: Language) -> str:
    """Return the grammar of everything that a language can say.

    >>> from ludwin.evolve.toys import ARITHMETIC
    >>> whole_grammar(ARITHMETIC)[:42]
    '<Float> ::= Add(<Float>, <Float>) | Sub(<F'
    """
    words = [language.root]
    for word in words:
        for k in language.fitting[word]:
            words += [one for one in language.takes[k] if one not in words]
    lines = []
    for word in words:
        heads = [language.primitives[k] for k in language.fitting[word]]
        those = (f"{p.name}({', '.join(f'<{one}>' for one in p.takes)})" if p.takes else p.name for p in heads)
        lines.append(f"<{word}> ::= {' | '.join(those)}")
    return "\n".join(lines)


class _Grammar:
    """Reads the text of a grammar and examines it."""

    def __init__(self, language: Language, text: str):
        self.language = language
        if not isinstance(text, str):
            raise BadParameter(f"a grammar is a text in Backus-Naur form, got {type(text).__name__}")
        self.rules: dict[str, list[Alternative]] = {}
        self.lines: dict[str, int] = {}
        name, parts, begun = "", [], 0  # type: str, list[str], int
        for number, line in enumerate(text.splitlines(), 1):
            plain = line.partition("#")[0].strip()
            if not plain:
                continue
            head, separator, rest = plain.partition("::=")
            if separator:
                self.end(name, parts, begun)
                name, parts, begun = head.strip(), [rest], number
                if not NAME.fullmatch(name):
                    raise BadParameter(f"grammar: line {number} must begin with a name in angles, got {name!r:.40}")
                if name in self.lines:
                    raise BadParameter(f"grammar: {name} is defined twice, in lines {self.lines[name]} and {number}")
                self.lines[name] = number
            elif not name:
                raise BadParameter(f"grammar: line {number} belongs to no name; write <name> ::= …")
            else:
                parts.append(plain)
        self.end(name, parts, begun)
        if not self.rules:
            raise BadParameter("grammar: there is no rule; write <name> ::= one alternative | another")
        self.examine()

    def fault(self, line: int, what: str) -> BadParameter:
        return BadParameter(f"grammar: line {line}: {what}")

    def end(self, name: str, parts: list[str], line: int) -> None:
        """Read the alternatives of a rule that is complete."""
        if not name:
            return
        tokens, at, text = [], 0, " ".join(parts)
        while text[at:].strip():
            found = TOKEN.match(text, at)
            if not found:
                raise self.fault(line, f"cannot read {text[at:].strip()[:20]!r}")
            tokens.append(found[1])
            at = found.end()
        self.tokens, self.line = [*tokens, "|"], line
        made: list[Alternative] = []
        while self.tokens:
            pieces: list[Piece] = []
            if self.tokens[0] == "|":
                raise self.fault(line, f"{name} has an empty alternative")
            self.piece(pieces)
            if self.tokens[0] != "|":
                raise self.fault(line, f"expected | or the end, got {self.tokens[0]!r}")
            self.tokens.pop(0)
            made.append(tuple(pieces))
        self.rules[name] = made

    def take(self, wanted: str) -> None:
        if not self.tokens or self.tokens[0] != wanted:
            raise self.fault(self.line, f"expected {wanted!r}, got {self.tokens[0] if self.tokens else 'the end'!r}")
        self.tokens.pop(0)

    def piece(self, out: list[Piece], depth: int = 0) -> None:
        """Read one subprogram."""
        if depth > DEEPEST:
            raise self.fault(self.line, f"an alternative is deeper than {DEEPEST} levels")
        language, token = self.language, self.tokens.pop(0)
        if token.startswith("<"):
            out.append(Piece(opens=token))
            return
        if token[0].isdigit() or token[0] in "+-.":
            if "number" not in language.constant_of:
                raise self.fault(self.line, f"language {language.name} has no bare numbers, got {token}")
            out.append(Piece(language.constant_of["number"], self.finite(token)))
            return
        if token not in language.number:
            raise self.fault(
                self.line, f"language {language.name} has no {token!r}{did_you_mean(token, language.number)}"
            )
        primitive, number = language.primitives[language.number[token]], None
        if self.tokens and self.tokens[0] == "[" and (primitive.has_value or primitive.places):
            self.take("[")
            number = self.number(primitive)
            self.take("]")
        out.append(Piece(language.number[token], number))
        if primitive.takes:
            self.take("(")
            for k in range(len(primitive.takes)):
                if k:
                    self.take(",")
                if not self.tokens or self.tokens[0] in ("|", ")", ",", "("):
                    raise self.fault(self.line, f"{token} takes {len(primitive.takes)} arguments")
                self.piece(out, depth + 1)
            self.take(")")

    def number(self, primitive: Any) -> float:
        token = self.tokens.pop(0)
        if token[0] not in "+-." and not token[0].isdigit():
            raise self.fault(self.line, f"expected a number in the brackets of {primitive.name}, got {token!r}")
        value = self.finite(token)
        if not primitive.has_value and not (value == int(value) and 0 <= value < primitive.places):
            raise self.fault(self.line, f"{primitive.name} has the places 0 to {primitive.places - 1}, got {token}")
        return value

    def finite(self, token: str) -> float:
        """Return a number. Raises BadParameter for one that is too large for a constant."""
        value = float(token)
        if not abs(value) < LARGEST:
            raise self.fault(self.line, f"numbers are below {LARGEST:g}, got {token}")
        return value

    def examine(self) -> None:
        """Raise BadParameter for names that are not there, that nothing ends or that nothing uses, and wrong types."""
        for name, those in self.rules.items():
            for piece in (piece for one in those for piece in one if piece.opens):
                if piece.opens not in self.rules:
                    raise self.fault(
                        self.lines[name],
                        f"there is no rule for {piece.opens}{did_you_mean(piece.opens, self.rules)}",
                    )
        book: dict[str, tuple[Alternative, ...]] = {name: tuple(those) for name, those in self.rules.items()}
        heights = _heights(book)
        for name in self.rules:
            if name not in heights:
                raise BadParameter(f"grammar: nothing ends {name}; give it an alternative without itself")
            if name not in self.reached():
                raise self.fault(self.lines[name], f"{name} is used by nothing that the first rule leads to")
        self.returned = self.types(book)
        start = next(iter(self.rules))
        self.demand(start, self.language.root, self.lines[start], "a whole program")
        for name, alternatives in book.items():
            for one in alternatives:
                self.fit(one, self.lines[name])

    def reached(self) -> set[str]:
        found, wait = set(), [next(iter(self.rules))]
        while wait:
            name = wait.pop()
            if name not in found:
                found.add(name)
                wait += [piece.opens for one in self.rules[name] for piece in one if piece.opens]
        return found

    def types(self, book: dict[str, tuple[Alternative, ...]]) -> dict[str, set[str]]:
        """Return the types that each name can return."""
        found: dict[str, set[str]] = {name: set() for name in book}
        while True:
            before = {name: set(those) for name, those in found.items()}
            for name, those in book.items():
                for one in those:
                    found[name] |= self.of(one[0], found)
            if found == before:
                return found

    def of(self, piece: Piece, returned: dict[str, set[str]]) -> set[str]:
        return set(returned[piece.opens]) if piece.opens else {self.language.primitives[piece.node].returns}

    def demand(self, opened: str, wanted: str, line: int, where: str) -> None:
        for word in sorted(self.returned[opened]):
            if not self.language.fits(word, wanted):
                raise self.fault(line, f"{opened} may return {word} where {wanted} is wanted, in {where}")

    def fit(self, one: Alternative, line: int) -> None:
        """Raise BadParameter if a subprogram has the wrong type for its place."""
        wanted = [""]
        for piece in one:
            word, _, where = wanted.pop().partition(" ")
            if piece.opens:
                if word:
                    self.demand(piece.opens, word, line, where)
                continue
            primitive = self.language.primitives[piece.node]
            if word and not self.language.fits(primitive.returns, word):
                raise self.fault(
                    line, f"{primitive.name} returns {primitive.returns} where {word} is wanted, in {where}"
                )
            wanted += [f"{argument} {primitive.name}" for argument in reversed(primitive.takes)]

    def kind(self, more: dict[str, Any]) -> Grammatical:
        rules = tuple((name, tuple(made)) for name, made in self.rules.items())
        try:
            kind = Grammatical(self.language, rules[0][0], rules, **more)
        except TypeError:
            known = "wraps, longest, most, rate, low, high"
            raise BadParameter(f"a grammar takes {known}, got {', '.join(more)}") from None
        least = kind.depths[kind.start][kind.shortest[kind.start]]
        if least > LEVELS:
            raise BadParameter(f"grammar: the shortest program is {least} levels deep, {LEVELS} at most are allowed")
        return kind


def _height(one: Alternative, heights: dict[str, int]) -> int:
    return max((heights[piece.opens] for piece in one if piece.opens), default=0)


def _heights(book: dict[str, tuple[Alternative, ...]]) -> dict[str, int]:
    """Return the least height of each name; those that nothing ends are absent."""
    found: dict[str, int] = {}
    while True:
        before = dict(found)
        for name, those in book.items():
            ends = [one for one in those if all(not piece.opens or piece.opens in before for piece in one)]
            if ends:
                found[name] = 1 + min(_height(one, before) for one in ends)
        if found == before:
            return found
