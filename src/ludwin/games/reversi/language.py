"""The languages of reversi: chapter 3's of *Evolved to Win* (discs for men, corners for kings), and a tactical one."""

from ludwin.program.board import B, F, language
from ludwin.program.language import Language, Primitive

DISCS = {
    "EnemyKingCount": "enemy corners",
    "EnemyManCount": "enemy discs",
    "FriendlyKingCount": "my corners",
    "FriendlyManCount": "my discs",
    "KingCount": "corners",
    "ManCount": "discs",
}
SQUARES = {"IsEmptySquare": "is empty", "IsFriendlyPiece": "is mine"}
COUNTS = {
    "FriendlyPlaces": "my places",
    "EnemyPlaces": "enemy places",
    "FriendlyFrontier": "my frontier",
    "EnemyFrontier": "enemy frontier",
    "FriendlyCornerPlaces": "my corner places",
    "EnemyCornerPlaces": "enemy corner places",
    "FriendlyRisks": "my risks",
    "EnemyRisks": "enemy risks",
    "FriendlyEdges": "my edges",
    "EnemyEdges": "enemy edges",
    "EmptySquares": "empty squares",
}
TACTICS = (
    *(Primitive(word, F, reads=query, help=query) for word, query in COUNTS.items()),
    Primitive("Odd", B, reads="odd", help="whether the number of empty squares is odd"),
)


def discs(mobility: bool = True, tactics: bool = False) -> Language:
    """Return the language, with or without the number of legal moves; the book's, or ours with tactical terminals."""
    name = "reversi, tactical" if tactics else "reversi"
    return language(64, DISCS, SQUARES, name, mobility=mobility, tactics=TACTICS if tactics else ())
