"""What evolved solvers of FreeCell are made of: Tables 11.1 and 11.4 of *Evolved to Win*, and two words of ours.

Conditions compare numbers between 0 and 1 and ask about the last move; the book names no constants for them, without
which numbers can only be compared with each other, so one in [0, 1) is added.  Formulas are programs over heuristics:
sums, products, differences and choices.
"""

from ludwin.program.language import Language, Primitive

TRUTH, NUMBER = "Bool", "Number"
HEURISTICS = {  # Table 11.1 in its order, and the query that answers
    "HSDH": "hsdh",
    "NumberWellPlaced": "number well placed",
    "NumCardsNotAtFoundations": "cards not at foundations",
    "FreeCells": "free cells",
    "DifferenceFromTop": "difference from top",
    "LowestHomeCard": "lowest home card",
    "HighestHomeCard": "highest home card",
    "DifferenceHome": "difference home",
    "SumOfBottomCards": "sum of bottom cards",
}
EXTRA = {"Inversions": "inversions", "BrokenSequences": "broken sequences"}  # ours
LARGE_IS_GOOD = ("NumberWellPlaced", "FreeCells", "HighestHomeCard")  # turned round where heuristics are oriented
MOVED = {
    "IsMoveToFreecell": "move to freecell",
    "IsMoveToCascade": "move to cascade",
    "IsMoveToFoundation": "move to foundation",
    "IsMoveToSortedPile": "move to sorted pile",
}
AUXILIARY = {
    "LastCardMoved": "last card moved",
    "NumberOfSiblings": "siblings",
    "NumberOfChildren": "children",
    "DifficultyLevel": "difficulty",
    "g": "g",
    "PhaseByHSDH": "phase by hsdh",
    "PhaseByWellPlaced": "phase by well placed",
    "PhaseByNotAtFoundations": "phase by not at foundations",
    "PhaseByFreeCells": "phase by free cells",
    "PhaseByDifferenceFromTop": "phase by difference from top",
    "PhaseByLowestHome": "phase by lowest home",
    "PhaseByHighestHome": "phase by highest home",
    "PhaseByDifferenceHome": "phase by difference home",
    "PhaseBySumOfBottoms": "phase by sum of bottoms",
}
LOGIC = (
    Primitive("AND", TRUTH, (TRUTH, TRUTH), "a and b", help="both"),
    Primitive("OR", TRUTH, (TRUTH, TRUTH), "a or b", help="one of them"),
    Primitive("LowerEqual", TRUTH, (NUMBER, NUMBER), "a <= b", help="the first is not greater"),
    Primitive("GreaterEqual", TRUTH, (NUMBER, NUMBER), "a >= b", help="the first is not less"),
)
ARITHMETIC = (
    Primitive("Plus", NUMBER, (NUMBER, NUMBER), "a + b", help="the sum"),
    Primitive("Minus", NUMBER, (NUMBER, NUMBER), "a - b", help="the difference"),
    Primitive("Times", NUMBER, (NUMBER, NUMBER), "a * b", help="the product"),
    Primitive("Weigh", NUMBER, (NUMBER,), "a * v", draws=(0.0, 2.0), help="times a number drawn at creation"),
    Primitive("Max", NUMBER, (NUMBER, NUMBER), "max(a, b)", help="the greater"),
    Primitive("Min", NUMBER, (NUMBER, NUMBER), "min(a, b)", help="the lesser"),
    Primitive("IFT", NUMBER, (TRUTH, NUMBER, NUMBER), "b if a else c", help="the second if the first, else the third"),
)
ZERO = Primitive("Zero", NUMBER, rule="0.0", help="0")
CONSTANT = Primitive("ERC", NUMBER, rule="v", draws=(0.0, 1.0), help="a number drawn at creation")


def _words(extra: bool) -> tuple[Primitive, ...]:
    known = {**HEURISTICS, **(EXTRA if extra else {})}
    return tuple(Primitive(word, NUMBER, reads=query, help=query) for word, query in known.items())


def conditions(extra: bool = False) -> Language:
    """Return the language of conditions."""
    moved = tuple(Primitive(word, TRUTH, reads=query, help=query) for word, query in MOVED.items())
    more = tuple(Primitive(word, NUMBER, reads=query, help=query) for word, query in AUXILIARY.items())
    name = "FreeCell conditions" + (", with two words of ours" if extra else "")
    return Language(name, (TRUTH, NUMBER), (*LOGIC, CONSTANT, *_words(extra), *more, *moved), TRUTH)


def formulas(extra: bool = False) -> Language:
    """Return the language of estimates."""
    name = "FreeCell estimates" + (", with two words of ours" if extra else "")
    return Language(name, (NUMBER, TRUTH), (*ARITHMETIC, *LOGIC[2:], ZERO, CONSTANT, *_words(extra)), NUMBER)
