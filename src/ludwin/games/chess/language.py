"""The language of evolved endgame players: chapter 4 of *Evolved to Win*, and its two earlier stages (figure 12.1).

Why it is here.  An individual has three programs: `advantage`, `even` and `disadvantage`.  Whose turn it is looks at
the material before the move, so one program judges all boards that the moves lead to.  There is no arithmetic: the book
left it out because strong players reason with logic, and sums drown what is subtle.  Three terminals are scaled as
they are in printed programs: mate counts 1000, a threat of mate in one -1000, a capture 100.

Stages.  `stage1` has terminals that say neither good nor bad, arithmetic, and constants anywhere between -1000 and
1000; `stage2` has terminals of which more is better for the player, and two programs instead of one (`advantage`
chooses); `stage3` is the language of the book's results.

References.  M. Sipper, *Evolved to Win* (2011), tables 4.1 to 4.3 and figure 12.1.  A. Hauptman, M. Sipper,
"GP-EndChess: using genetic programming to evolve chess endgame players", EuroGP 2005, 120-131.
"""

from functools import lru_cache

from ludwin.errors import BadParameter
from ludwin.program.language import Language, Primitive
from ludwin.program.text import read
from ludwin.program.tree import Tree, leaf

# fmt: off
NAMES = (
    "NotMyKingInCheck", "IsOppKingInCheck", "MyKingDistEdges", "OppKingProximityToEdges", "NumMyPiecesNotAttacked",
    "NumOppPiecesAttacked", "ValueMyPiecesAttacking", "ValueOppPiecesAttacking", "IsMyQueenNotAttacked",
    "AreMyPiecesUnattacked", "IsOppQueenAttacked", "IsMyFork", "IsOppNotFork", "NumMovesMyKing", "NumNotMovesOppKing",
    "MyKingProxRook", "OppKingDistRook", "MyPiecesSameLine", "OppPiecesNotSameLine", "IsOppKingProtectingPiece",
    "IsMyKingProtectingPiece", "EvaluateMaterial", "IsMaterialIncrease", "IsMate", "IsMateInOne",
    "OppPieceCanBeCaptured", "MyPieceCannotBeCaptured", "IsOppKingStuck", "IsMyKingNotStuck", "IsOppKingBehindPiece",
    "IsMyKingNotBehindPiece", "IsOppPiecePinned", "IsMyPieceNotPinned",
)
# Of the earlier languages of figure 12.1; numbers follow on.
EARLIER = (
    "IsMyPieceAttacked", "IsOppPieceAttacked", "NumMovesOppKing", "IsMyPieceProtected", "IsOppPieceProtected",
    "IsMyQueenAttacked", "NotMyKingMovesDecrease", "NotOppKingMovesDecrease", "IsMyPieceAttackedUnprotected",
    "IsStalemate", "NumOppPiecesNotAttacked",
)
# Ours, in a flavour of its own: what is won by force, by captures and checks (opponents/tactics.py).
TACTICAL = (
    "ValueOppWinsByForce", "IsOppMateByForce", "ValueIWinByForce", "IsMyMateByForce", "ValueIThreatenToWin",
    "IsMyMateThreatened",
)
# fmt: on
ALL = (*NAMES, *EARLIER, *TACTICAL)
COUNT = len(ALL)
ANYTHING = 63  # a number drawn anew for every board, from 0 to 1
AT_RANDOM = 64  # and more: a terminal that is disabled, a whole number drawn from its range

F, B, Q = "Float", "Bool", "Query"
ROLES = ("advantage", "even", "disadvantage")
TYPES = (F, B)
SETS = {Q: (F, B)}
STAGES = ("stage1", "stage2", "stage3")
FLAVOURS = ("book", "tactical")
SCALES = {"IsMate": 1000.0, "IsMateInOne": -1000.0, "IsMaterialIncrease": 100.0}
MAXIMUM = 1000.0
CONSTANTS = tuple(sign * MAXIMUM / part for sign in (1, -1) for part in (2, 3, 4))
WORSE = ("ValueOppPiecesAttacking", "IsOppKingProtectingPiece")  # of these less is better for the player
CHANCE, RANDOM = "chance", "at random: "  # inputs that are no terminals of the book


def _scaled(name: str) -> str:
    return f"{SCALES[name]:g}*{name}"


# Which terminal an input is, and by what it is multiplied.
INPUTS: dict[str, tuple[int, float]] = {
    **{name: (k, 1.0) for k, name in enumerate(ALL)},
    **{_scaled(name): (NAMES.index(name), factor) for name, factor in SCALES.items()},
    **{RANDOM + name: (AT_RANDOM + k, SCALES.get(name, 1.0)) for k, name in enumerate(ALL)},
    CHANCE: (ANYTHING, 1.0),
}
assert COUNT <= ANYTHING < AT_RANDOM

LOGIC = (
    Primitive("Or2", B, (B, B), "a or b"),
    Primitive("Or3", B, (B, B, B), "a or b or c"),
    Primitive("And2", B, (B, B), "a and b"),
    Primitive("And3", B, (B, B, B), "a and b and c"),
    Primitive("Not", B, (B,), "not a"),
    Primitive("Smaller", B, (F, F), "a < b"),
    Primitive("Equal", B, (F, F), "a == b"),
)
IF3 = Primitive("If3", F, (B, F, F), "b if a else c")
FUNCTIONS = (IF3, *LOGIC)
FOURS = (
    Primitive("Or4", B, (B, B, B, B), "a or b or c or d"),
    Primitive("And4", B, (B, B, B, B), "a and b and c and d"),
)
ARITHMETIC = (
    Primitive("Times", F, (F, F), "a * b"),
    Primitive("Plus", F, (F, F), "a + b"),
    Primitive("Minus", F, (F, F), "a - b"),
    Primitive("Greater", B, (F, F), "a > b"),
)
NUMBER = "Number"
NEGATE = Primitive("Negate", F, (F,), "-a")
# What each stage reads (figure 12.1 names them; what is oriented later replaces what was not).
FIRST = (
    *("IsMyPieceAttacked", "IsOppPieceAttacked", "EvaluateMaterial", "NumMovesMyKing", "NumMovesOppKing"),
    *("IsMyPieceProtected", "IsOppPieceProtected", "IsMyQueenAttacked", "IsOppQueenAttacked", "IsMate"),
)
SECOND = (
    *("NotMyKingInCheck", "MyKingDistEdges", "IsMaterialIncrease", "NotMyKingMovesDecrease"),
    *("NotOppKingMovesDecrease", "NumMyPiecesNotAttacked", "NumOppPiecesNotAttacked", "IsMyKingProtectingPiece"),
    *("IsMyPieceAttackedUnprotected", "IsOppKingBehindPiece", "IsStalemate"),
)


def _reads(name: str, scaled: bool = True) -> Primitive:
    return Primitive(name, Q, reads=_scaled(name) if scaled and name in SCALES else name)


@lru_cache(maxsize=None)
def language(stage: str = "stage3") -> Language:
    """Return the language of a stage."""
    if stage == "stage1":
        constant = Primitive("ERC", F, rule="v", draws=(-MAXIMUM, MAXIMUM))
        words = (*FUNCTIONS, *FOURS, *ARITHMETIC, *(_reads(name, False) for name in FIRST), constant)
    elif stage == "stage2":
        constant = Primitive("ERC", F, rule="v", draws=(-MAXIMUM, MAXIMUM))
        terminals = (_reads(name, False) for name in (*FIRST, *SECOND))
        words = (*FUNCTIONS, *FOURS, NEGATE, *terminals, constant)
    else:
        constant = Primitive("ERC", F, rule="v", choices=CONSTANTS)
        words = (*FUNCTIONS, *(_reads(name) for name in NAMES), constant)
    return Language(f"chess endings, {stage}", TYPES, words, F, SETS)


@lru_cache(maxsize=None)
def laboratory() -> Language:
    """Return a language for experiments: all inputs under names of their own, sums and products beside the logic."""
    reads = [Primitive(name, Q, reads=name) for name in ALL]
    reads += [Primitive(f"Scaled{name}", Q, reads=_scaled(name)) for name in SCALES]
    reads += [Primitive(f"Random{name}", Q, reads=RANDOM + name) for name in ALL]
    constant = Primitive(NUMBER, F, rule="v", draws=(-MAXIMUM, MAXIMUM))
    words = (*FUNCTIONS, *FOURS, *ARITHMETIC, NEGATE, *reads, Primitive("Chance", F, reads=CHANCE), constant)
    return Language("chess endings, laboratory", TYPES, words, F, SETS)


@lru_cache(maxsize=None)
def sums(flavour: str = "book") -> Language:
    """Return the language of weighted sums: the book's functions and terminals, truths as 1 and 0, and any number.

    The flavour `tactical` has six terminals more, which are ours.
    """
    constant = Primitive(NUMBER, F, rule="v", draws=(-1.0, 1.0))
    names = NAMES if flavour == "book" else (*NAMES, *TACTICAL)
    words = (*FUNCTIONS, *ARITHMETIC[:2], *(_reads(name, False) for name in names), constant)
    return Language("chess endings, sums" + f", {flavour}" * (flavour != "book"), TYPES, words, F, SETS)


def translated(tree: Tree) -> Tree:
    """Return a program of any of these languages in that of the laboratory. Raises BadParameter for others."""
    words = laboratory()
    if tree.language == words:
        return tree
    known = {(one.reads, one.takes, one.rule): k for k, one in enumerate(words.primitives)}
    nodes, values = [], list(tree.values)
    for at in range(len(tree)):
        one = tree.primitive(at)
        meaning = (one.reads, one.takes, one.rule)
        if one.rule and not one.takes and not one.has_value:  # a fixed number
            meaning, values[at] = ("", (), "v"), leaf(tree.language, one.name).evaluate(_nothing)
        if meaning not in known:
            raise BadParameter(f"{one.name} of the language {tree.language.name} is none of endgame players")
        nodes.append(known[meaning])
    return Tree(words, tuple(nodes), tuple(values), tree.places, tree.factors)


def _nothing(name: str, place: int) -> float:
    raise AssertionError("a fixed number reads nothing")


def role_count(stage: str) -> int:
    """Return how many programs an individual of a stage has: one, two (ahead or not), or three."""
    return {"stage1": 1, "stage2": 2}.get(stage, 3)


def program(text: str) -> Tree:
    """Return a program of the laboratory's language."""
    return read(laboratory(), text)
