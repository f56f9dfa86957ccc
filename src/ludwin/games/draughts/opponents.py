"""Who plays draughts how well: the levels of `ludwin play draughts easy`, weakest first (docs/results/levels.md)."""

LEVELS = {
    "easy": "uct:playouts=50",
    "medium": "alphabeta:depth=4",
    "hard": "alphabeta:depth=9,table=18,deepen=1",
}
