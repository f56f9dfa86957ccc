"""The language of chapter 3 of *Evolved to Win* for draughts and lose checkers: what programs read of a board.

Squares and counts are those of the player to move; functions and basic terminals are those of all board games.
"""

from ludwin.program.board import language

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

LANGUAGE = language(32, BOARD, SQUARES, "checkers")
