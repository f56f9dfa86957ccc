"""What `ludwin new` writes: a whole small game, explained line by line, as a file or as a folder."""

import os
import shutil
import tempfile
from pathlib import Path

from ludwin.errors import BadParameter

TEMPLATE = '''"""{title}: take 1 to {take} counters from the heap; whoever takes the last one wins.

This file is a whole game. Change it into yours, and try it after every change:

    ludwin check ./{name}.py                 the laws of games, in all modes
    ludwin play ./{name}.py                  play against it
    ludwin match ./{name}.py uct random      let agents play
    ludwin perft ./{name}.py 8               count positions

The functions below are compiled, so they are plain: numbers, if, while, for … in range(…), calls of
functions in this file, tables (tuples of numbers) at the top of it. No lists, texts or classes.
"""

# Capital constants are parameters: `./{name}.py:heap=15` plays with another heap.
HEAP, TAKE = 21, {take}

# The fields of a state. int and float are single numbers, 9 is an array of 9 whole numbers,
# (float, 9) an array of 9 floats. Everything that can change in a game is a field.
FIELDS = {{"heap": int, "turn": int}}

# The most moves that any position can have. More promises, each with its default:
# PLAYERS = 2, MAX_PLIES = 512 (no game is longer), PAYOFF_SUM = 0 (None if payoffs do not add up).
MAX_MOVES = TAKE


def setup(s):
    """Fill the start position; all fields are 0 before."""
    s.heap = HEAP
    s.turn = 0


def mover(s):
    """Say whose turn it is: 0 … PLAYERS-1 (or CHANCE, when nature rolls a die)."""
    return s.turn


def moves(s, out):
    """Write the legal moves into out, any whole numbers, and return how many; 0 ends the game."""
    n = min(TAKE, s.heap)
    for k in range(n):
        out[k] = k + 1
    return n


def play(s, m):
    """Change the state by move m."""
    s.heap -= m
    s.turn = 1 - s.turn


def payoff(s, p):
    """Say what the finished game is worth to player p; asked only when there are no moves."""
    return -1 if s.turn == p else 1  # the mover finds no counters: the other took the last one


# Everything from here on is optional.


def evaluate(s, p):
    """Give an opinion on an unfinished game, from player p's side, for searches of limited depth."""
    lost = s.heap % (TAKE + 1) == 0  # Bouton 1901: the mover loses from here
    return -1 if lost == (s.turn == p) else 1


def show(s):
    """Draw the position for people; never compiled, so any Python is allowed."""
    return f"{{s.heap:3}} " + "|" * s.heap


def name(s, m):
    """Name a move for people, without blanks: moves of an opening are separated by them."""
    return f"take{{m}}"
'''


NOTATION = '''"""{title} in writing: moves and positions as texts. Never compiled, so any Python is allowed.

Read when somebody writes or types a move or a position. Parameters are those of the rules: import them.
"""

from rules import HEAP


def name(s, m):
    """Name a move for people, without blanks: moves of an opening are separated by them."""
    return f"take{{m}}"


def write(s):
    """Write a position, so that `read` reads it back."""
    return f"{{s.heap}}{{'ab'[s.turn]}}"


def read(s, text):
    """Fill s from such a text; raise ValueError, with what would have been right, for any other."""
    heap, turn = text[:-1], text[-1:]
    if not heap.isdecimal() or turn not in ("a", "b") or int(heap) > HEAP:
        raise ValueError(f"a position is the heap, at most {{HEAP}}, and a or b, whose turn it is, such as 7a")
    s.heap, s.turn = int(heap), "ab".index(turn)
'''

DRAWING = '''"""Drawings of {title}: letters for a terminal, SVG for a page. Read when somebody looks at a position."""


def show(s):
    """Draw the position with letters."""
    return f"{{s.heap:3}} " + "|" * s.heap


def picture(s):
    """Draw the position as the text of an SVG file."""
    bars = "".join(f'<rect x="{{10 * k + 4}}" y="4" width="4" height="32" fill="#555"/>' for k in range(s.heap))
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{{10 * s.heap + 8}}" height="40">{{bars}}</svg>\\n'
'''

OPPONENTS = '''"""Reference players of {title}, by name: `ludwin match ./{name}/ perfect random`."""

from dataclasses import dataclass

from ludwin.search.choice import Agent, Choice
from rules import TAKE


@dataclass(frozen=True)
class Perfect(Agent):
    """Leaves a multiple of TAKE + 1 whenever it can, after Bouton (1901)."""

    name = "perfect"

    def choose(self, game, state, *, seed=0, mode="fast"):
        """Take what leaves the other side lost; one counter if there is no such move."""
        takes = state.heap % (TAKE + 1)
        return Choice(move=takes or 1, value=1 if takes else -1, nodes=1)


AGENTS = {{"perfect": Perfect}}
'''


def write_template(name: str) -> Path:
    """Write NAME.py into the current folder; raises BadParameter if it exists or is no name."""
    name = name.removesuffix(".py")
    path = _free(name, f"{name}.py")
    text = _filled(TEMPLATE, name)
    handle, temporary = tempfile.mkstemp(dir=".", prefix=f".{name}-")
    with os.fdopen(handle, "w", encoding="utf8") as file:
        file.write(text)
    os.chmod(temporary, 0o644)
    os.replace(temporary, path)
    return path


def write_folder(name: str) -> Path:
    """Write NAME/ into the current folder, whole or not at all; raises BadParameter if it exists or is no name."""
    name = name.rstrip("/")
    path = _free(name, name)
    rules, _, people = TEMPLATE.replace("./{name}.py", "./{name}/").partition("def show(s):")
    assert people, "the template ends with what is for people"
    rules = rules.replace(
        "This file is a whole game.", "This file is the game; notation.py and drawing.py are for people."
    )
    parts = {"rules": rules.rstrip() + "\n", "notation": NOTATION, "drawing": DRAWING, "opponents": OPPONENTS}
    beside = Path(tempfile.mkdtemp(dir=".", prefix=f".{name}-"))
    try:
        for role, text in parts.items():
            (beside / f"{role}.py").write_text(_filled(text, name), encoding="utf8")
        os.chmod(beside, 0o755)
        os.rename(beside, path)
    except OSError:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    return path


def _free(name: str, path: str) -> Path:
    """Return where a game of this name is written. Raises BadParameter."""
    if not name.isidentifier():
        raise BadParameter(f"{name!r} cannot be a game's name: use letters, digits and _, as in my_game")
    if Path(path).exists():
        raise BadParameter(f"{path} exists already; choose another name or remove it")
    return Path(path)


def _filled(text: str, name: str) -> str:
    return text.format(title=name.replace("_", " ").capitalize(), name=name, take=3)
