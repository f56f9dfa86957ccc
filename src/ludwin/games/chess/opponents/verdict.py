"""What a board is worth to the player who has moved there: a fact if the game is over, else what a program says.

Kernel text: `w` is the bundle of a player (`advised.py`), and `judge` the interpreter that is bound to its name.
"""

from ludwin.games.chess.attacks import in_check
from ludwin.games.chess.generate import can_move, is_dead
from ludwin.games.chess.opponents.advice import PAGE
from ludwin.games.chess.opponents.terminals import forget, material
from ludwin.search.values import DECIDED, OPINION

QUIET_LIMIT = 100  # plies, as in rules.py


def judge(w, s, p, base):
    """Stand-in for the interpreter, which is bound to this name."""
    return 0.0


def advisor(balance):
    """Return which program a balance of material asks: 0 ahead, 1 even, 2 behind."""
    return 0 if balance > 0 else 1 if balance == 0 else 2


def ended(s):
    """Return 2 if the mover is checkmated, 1 if the game is drawn, 0 if it goes on; repetition is not looked at."""
    if not can_move(s):
        return 2 if in_check(s, s.turn) else 1
    return 1 if s.quiet >= QUIET_LIMIT or is_dead(s) else 0


def assay(w, s, p, base, draw):
    """Return what a board is worth to player p, who has moved there; `base` is where its programs begin, `draw` what
    a draw is worth.
    """
    over = ended(s)
    if over != 0:
        return DECIDED if over == 2 else draw
    forget(w)
    number = advisor(material(s, p)) if w.run.after != 0 else advisor(w.board.material)
    value = judge(w, s, p, base + number * PAGE)
    if not value > -OPINION:
        return -OPINION
    return min(value, OPINION)
