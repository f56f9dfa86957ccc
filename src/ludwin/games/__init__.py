"""The games: one file, one rule book. This register says under which name each is called."""

GAMES = (
    "connect-four",
    "draughts",
    "kuhn-poker",
    "li-nim",
    "lose-checkers",
    "nim",
    "pig",
    "reversi",
    "tic-tac-toe",
)
