"""Languages for board games: the functions and basic terminals of chapter 3 of *Evolved to Win*.

Tables 3.1 to 3.4: lose checkers, 10x10 checkers and reversi share them, and a user's own game has them, too.  What
else a terminal reads is a query of the game, and is said in the `language.py` of its folder.
"""

from collections.abc import Sequence

from ludwin.program.interpret import MOBILITY
from ludwin.program.language import Language, Primitive

F, B = "Float", "Bool"

FUNCTIONS = (
    Primitive("AND", B, (B, B), "a and b", help="both"),
    Primitive("LowerEqual", B, (F, F), "a <= b", help="the first is not greater"),
    Primitive("NAND", B, (B, B), "not (a and b)", help="not both"),
    Primitive("NOR", B, (B, B), "not (a or b)", help="neither"),
    Primitive("NOTG", B, (B, B), "not a", help="not the first; the second is an intron"),
    Primitive("OR", B, (B, B), "a or b", help="one of them"),
    Primitive("IFT", F, (B, F, F), "b if a else c", help="the second if the first is true, else the third"),
    Primitive("Minus", F, (F, F), "a - b", help="the difference"),
    Primitive("MultERC", F, (F,), "a * v", draws=(-5.0, 5.0), help="times a number drawn at creation"),
    Primitive("NullJ", F, (F, F), "a", help="the first; the second is an intron"),
    Primitive("Plus", F, (F, F), "a + b", help="the sum"),
)

BASIC = (
    Primitive("ERC", F, rule="v", draws=(-5.0, 5.0), help="a number drawn at creation"),
    Primitive("False", B, rule="0.0", help="false"),
    Primitive("One", F, rule="1.0", help="1"),
    Primitive("True", B, rule="1.0", help="true"),
    Primitive("Zero", F, rule="0.0", help="0"),
)


def language(
    squares: int,
    board: dict[str, str],
    square_terminals: dict[str, str],
    name: str,
    *,
    mobility: bool = True,
    king_factor: bool = False,
    tactics: Sequence[Primitive] = (),
) -> Language:
    """Return the language of a board game: the book's functions, and terminals that read these queries.

    `tactics` are terminals that the book does not have; a language with them is another flavour, by another name.
    """
    terminals = [Primitive(word, F, reads=query, help=query) for word, query in board.items()]
    terminals += [
        Primitive(word, B, reads=query, places=squares, help=f"the square {query}")
        for word, query in square_terminals.items()
    ]
    if mobility:
        terminals.append(Primitive("Mobility", F, reads=MOBILITY, help="the number of legal moves"))
    if king_factor:
        terminals.append(Primitive("KingFactor", F, rule="1.4", help="what a king is worth in men"))
    return Language(name, (F, B), (*FUNCTIONS, *BASIC, *terminals, *tactics))
