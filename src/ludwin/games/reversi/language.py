"""The language of chapter 3 of *Evolved to Win* for reversi: discs for men, corners for kings."""

from ludwin.program.board import language
from ludwin.program.language import Language

DISCS = {
    "EnemyKingCount": "enemy corners",
    "EnemyManCount": "enemy discs",
    "FriendlyKingCount": "my corners",
    "FriendlyManCount": "my discs",
    "KingCount": "corners",
    "ManCount": "discs",
}
SQUARES = {"IsEmptySquare": "is empty", "IsFriendlyPiece": "is mine"}


def discs(mobility: bool = True) -> Language:
    """Return the language, with or without the number of legal moves."""
    return language(64, DISCS, SQUARES, "reversi", mobility=mobility)
