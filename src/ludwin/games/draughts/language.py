"""The languages of draughts and lose checkers: chapter 3's of *Evolved to Win*, and ours with tactical terminals.

Squares and counts are those of the player to move; functions and basic terminals are those of all board games.
"""

from ludwin.program.board import B, F, language
from ludwin.program.language import Language, Primitive

SQUARES = {"IsEmptySquare": "is empty", "IsFriendlyPiece": "is mine", "IsKingPiece": "is king", "IsManPiece": "is man"}
BOARD = {
    "EnemyKingCount": "enemy kings",
    "EnemyManCount": "enemy men",
    "EnemyPieceCount": "enemy pieces",
    "FriendlyKingCount": "my kings",
    "FriendlyManCount": "my men",
    "FriendlyPieceCount": "my pieces",
    "KingCount": "kings",
    "ManCount": "men",
    "PieceCount": "pieces",
}
# What the book's programs could not see: captures that are pending, and who can move. A program of these terminals is
# not comparable with the book's, so the language has another name.
COUNTS = {
    "FriendlyJumpers": "my jumpers",
    "EnemyJumpers": "enemy jumpers",
    "FriendlyVictims": "my victims",
    "EnemyVictims": "enemy victims",
    "FriendlySteps": "my steps",
    "EnemySteps": "enemy steps",
    "FriendlyMovable": "my movable",
    "EnemyMovable": "enemy movable",
    "FriendlyBlocked": "my blocked",
    "EnemyBlocked": "enemy blocked",
    "FriendlyEngaged": "my engaged",
}
TRUTHS = {
    "CanCapture": "can capture",
    "EnemyCanCapture": "enemy can capture",
    "BothCanCapture": "both can capture",
    "LastPiece": "last piece",
    "EnemyLastPiece": "enemy last piece",
}
TACTICS = (
    *(Primitive(word, F, reads=query, help=query) for word, query in COUNTS.items()),
    *(Primitive(word, B, reads=query, help=query) for word, query in TRUTHS.items()),
)


def checkers_language(squares: int, *, mobility: bool, king_factor: bool, tactics: bool) -> Language:
    """Return the language of a board of so many squares: the book's flavour, or ours with tactical terminals."""
    name = "checkers, tactical" if tactics else "checkers"
    more = TACTICS if tactics else ()
    return language(squares, BOARD, SQUARES, name, mobility=mobility, king_factor=king_factor, tactics=more)


LANGUAGE = checkers_language(32, mobility=True, king_factor=False, tactics=False)
TACTICAL = checkers_language(32, mobility=True, king_factor=False, tactics=True)
