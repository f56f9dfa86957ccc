"""The game file that `ludwin new` writes: a whole small game, explained line by line."""

import os
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


def write_template(name: str) -> Path:
    """Write NAME.py into the current folder; raises BadParameter if it exists or is no name."""
    name = name.removesuffix(".py")
    if not name.isidentifier():
        raise BadParameter(f"{name!r} cannot be a game's name: use letters, digits and _, as in my_game")
    path = Path(f"{name}.py")
    if path.exists():
        raise BadParameter(f"{path} exists already; choose another name or remove it")
    text = TEMPLATE.format(title=name.replace("_", " ").capitalize(), name=name, take=3)
    handle, temporary = tempfile.mkstemp(dir=".", prefix=f".{name}-")
    with os.fdopen(handle, "w", encoding="utf8") as file:
        file.write(text)
    os.chmod(temporary, 0o644)
    os.replace(temporary, path)
    return path
