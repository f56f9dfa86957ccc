"""The languages of mate programs: Tables 4.1, 6.2, 6.3 and 6.4 of *Evolved to Win*; ours adds searches that prove.

Why it is here.  `table` is the book's: single programs that look at a board after each first move and say how likely
it leads to mate, from -1000 to 1000.  `searches` is a flavour of ours, of programs that get the problem's own board
and search it: `Prove` is AND/OR search whose moves a program chooses and sorts.  A program has one search or two, the
second for what the first has not proved: with any number of them, and one that refuses, most of a program was
searches behind the one that had proved all there is (docs/results/chess.md).
"""

from functools import lru_cache

from ludwin.games.chess.opponents.mates.asks import READS
from ludwin.program.language import Language, Primitive
from ludwin.program.text import read
from ludwin.program.tree import Tree

F, B, QUERY = "Float", "Bool", "Query"
LOGIC = (
    Primitive("If3", F, (B, F, F), "b if a else c", help="b if a holds, else c"),
    Primitive("Or2", B, (B, B), "a or b"),
    Primitive("Or3", B, (B, B, B), "a or b or c"),
    Primitive("And2", B, (B, B), "a and b"),
    Primitive("And3", B, (B, B, B), "a and b and c"),
    Primitive("Not", B, (B,), "not a"),
    Primitive("Smaller", B, (F, F), "a < b"),
    Primitive("Equal", B, (F, F), "a == b"),
)
DEEDS = (
    Primitive("IfMyMoveExistsSuchThat", F, (B, F, F), acts="if my move", branches="abc"),
    Primitive("IfForAllOpponentMoves", F, (B, F, F), acts="if all replies", branches="abc"),
    Primitive("MakeBestMove", F, (F,), acts="best move", branches="a"),
    Primitive("MakeAllMovesSuchThat", F, (B, F, F), acts="all moves such that", branches="abc"),
    Primitive("IfExistsCheckingMove", F, (F, F), acts="if checking move", branches="ab"),
    Primitive("MyMoveIter", F, (B, B, F, F), acts="my move iter", branches="abcd"),
    Primitive("IfKingMustMove", F, (F, F), acts="if king must move", branches="ab"),
    Primitive("IfCaptureCloseToKingMove", F, (F, F), acts="if capture close", branches="ab"),
    Primitive("IfPinCloseToKingMove", F, (F, F), acts="if pin close", branches="ab"),
    Primitive("IfAttackingKingMove", F, (F, F), acts="if attacking move", branches="ab"),
    Primitive("IfClearingWayMove", F, (F, F), acts="if clearing move", branches="ab"),
    Primitive("IfSuicideCheck", F, (B, F, F), acts="if suicide check", branches="abc"),
)
BOOK_READS, OWN_READS = READS[:21], READS[21:]
ROOT, ONCE, PASS = "Search", "Once", "Pass"  # a whole program of ours, one of its two searches, and what may be both


@lru_cache(maxsize=1)
def table() -> Language:
    """Return the book's language."""
    reads = tuple(Primitive(name, QUERY, reads=name) for name in BOOK_READS)
    constants = (
        Primitive("Number", F, rule="v", choices=(-1000.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1000.0), help="a constant"),
    )
    return Language("Tables 6.2 to 6.4", (F, B), (*LOGIC, *DEEDS, *reads, *constants), sets={QUERY: (F, B)})


@lru_cache(maxsize=1)
def searches() -> Language:
    """Return ours: searches that prove, with the book's terminals and a few more."""
    quick = tuple(Primitive(name, QUERY, reads=name) for name in (*BOOK_READS, *OWN_READS) if name not in _LOOKING)
    arithmetic = (
        Primitive("Plus", F, (F, F), "a + b"),
        Primitive("Times", F, (F,), "a * v", draws=(-8.0, 8.0)),
    )
    own = (
        Primitive(
            "Prove", PASS, (B, F, F, B), acts="prove", branches="abcd", help="looked at, how soon, tried how soon, last"
        ),
        Primitive("OrElse", ROOT, (ONCE, ONCE), acts="or else", branches="ab", help="the first proof"),
        Primitive("Yes", B, rule="1.0"),
        Primitive("Skip", F, rule="-1000.0", help="as a hint: the player does not even make the move"),
        Primitive("Number", F, rule="v", draws=(-8.0, 8.0)),
    )
    sets = {QUERY: (F, B), PASS: (ROOT, ONCE)}
    return Language("mate searches", (F, B, ROOT, ONCE), (*own, *LOGIC, *arithmetic, *quick), root=ROOT, sets=sets)


_LOOKING = ("IsMateInOneOrLess", "CanMateNow", "IsMate")  # which make moves, or are known already


def algorithm_6_2() -> Tree:
    """Return the book's worked solver of mates in two, for boards after the first move."""
    return read(table(), "If3(IsMate, 1000.0, IfForAllOpponentMoves(CanMateNow, 1000.0, -1000.0))")


def algorithm_6_3(n: int) -> Tree:
    """Return the book's recursive solver written out for n moves; conditions are compared with 1000."""
    score = "If3(IsMate, 1000.0, -1000.0)"
    for _ in range(n - 1):
        check = f"Equal(IfMyMoveExistsSuchThat(Equal({score}, 1000.0), 1000.0, -1000.0), 1000.0)"
        score = f"If3(IsMate, 1000.0, IfForAllOpponentMoves({check}, 1000.0, -1000.0))"
    return read(table(), score)
