"""Who plays Carcassonne how well: the levels of `ludwin play carcassonne easy`, weakest first.

Payoffs are leads in parts of the greatest one, so exploration is small (docs/results/levels.md).
"""

LEVELS = {
    "easy": "uct:playouts=20,c=0.01",
    "medium": "uct:playouts=200,c=0.01",
    "hard": "uct:playouts=2000,c=0.01",
}
