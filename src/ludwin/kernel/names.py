"""The free names of kernel text: what a search may say about a game that it does not know yet.

Why it is here.  A search is written once, as ordinary Python functions that use these names.  The
specialiser executes that text again for each game with the names bound to the game's own
functions, so nothing here ever runs: the definitions serve editors, linters and type checkers.

Kinds of workspace, as annotations of a kernel's entry function: `States` (a stack of states),
`Moves` (a stack of move lists), `Ints` and `Floats` (plain arrays),
`FloatRows` (a stack of MAX_MOVES floats each), `Bundle` (all workspaces that the kernel declares, under their
names). They are lists in plain mode and memory behind raw pointers in the compiled modes.
"""

from typing import Any

States = Any
Moves = Any
Ints = Any
Floats = Any
FloatRows = Any
Bundle = Any

PLAYERS: int = 2
MAX_MOVES: int = 0
MAX_PLIES: int = 0
CELLS: int = 0
HALF_SUM: float = 0.0  # half of PAYOFF_SUM: payoffs of two players lie symmetrically about it
REDRAWS: int = 0  # 1 if a draw after which nature draws again takes only itself out of the game


def _free(*_: Any) -> Any:
    raise AssertionError("this name is bound when a kernel is specialised to a game")


# the game's own functions
setup = mover = moves = play = payoff = evaluate = key = noisy = query = chance = observe = _free
solved = distance = cost = goal_state = pattern_number = pattern_project = pattern_share = tick = _free
sense = over = seed = retire = _free  # of a world that ticks

copy = _free  # copy(to, source): one state over another
cell = _free  # cell(s, i): the 64 bits of cell number i
bits = _free  # bits(x): the 64 bits of a float
unbits = _free  # unbits(b): the float of 64 bits
above = _free  # above(x): the next float above x
