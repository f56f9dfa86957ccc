"""The games: one file, one rule book. This register says under which name each is called."""

GAMES = (
    "carcassonne",
    "connect-four",
    "draughts",
    "fop",
    "kuhn-poker",
    "li-nim",
    "lose-checkers",
    "nim",
    "pig",
    "reversi",
    "tic-tac-toe",
)
