"""Pubeval's numbers: what Tesauro's public evaluator gives for the men on each point.

The score is a weighted sum of 122 inputs.  For each point along the player's way, five: a blot of the enemy's, one of
its own, two or more of its own, exactly three, and (n - 3) / 2 for n of at least four; then half the enemy's men on the
bar, and a fifteenth of its own men off.  Whether contact or race weights are used is settled by the position before the
move; what is scored is the position after it.

References.  G. Tesauro, "pubeval", posted to rec.games.backgammon (1993); the numbers: data/SOURCE.md.
"""

from pathlib import Path

_DATA = Path(__file__).parent / "data"
_WEIGHTS = tuple(
    tuple(float(line) for line in (_DATA / file).read_text(encoding="utf8").split()) for file in ("WT.cntc", "WT.race")
)
_ENEMY_BLOT = 16  # the column of a single man of the enemy's; 0 to 15 are counts of own men
_COLUMNS = 17


def _row(five):
    """Return what a point is worth by its column."""
    enemy, one, two, three, more = five
    own = [0.0, one] + [
        two + (three if n == 3 else 0.0) + ((n - 3) / 2 * more if n >= 4 else 0.0) for n in range(2, 16)
    ]
    return [*own, enemy]


# By stage (contact, race), location and column; and of each stage the weights of bar and off.
POINTS = tuple(number for weights in _WEIGHTS for n in range(24) for number in _row(weights[5 * n : 5 * n + 5]))
BAR = tuple(weights[120] / 2 for weights in _WEIGHTS)
OFF = tuple(weights[121] / 15 for weights in _WEIGHTS)
