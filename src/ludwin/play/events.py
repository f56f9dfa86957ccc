"""What happens in a game in progress, as plain values.

Why it is here.  Whoever shows a game (a prompt, a page, a test) is told what has happened and decides itself how to
say it.  Every act of a session returns such a value; nobody subscribes to anything.  `code` is the integer of a move,
`move` its text, as everywhere; both are None in what a player is told of a move that they cannot see
(`PlaySession.seen`).
"""

from dataclasses import dataclass

from ludwin.search.choice import Agent, Choice


@dataclass(frozen=True)
class Thinking:
    """An agent begins to think about its move."""

    ply: int
    player: int
    agent: Agent


@dataclass(frozen=True)
class MoveMade:
    """A player has moved; an agent's choice comes with its reasons."""

    ply: int  # of the move: the first is 0
    player: int
    code: int | None
    move: str | None
    choice: Choice | None = None


@dataclass(frozen=True)
class NatureDrew:
    """Nature has made a chance move."""

    ply: int
    code: int | None
    move: str | None


@dataclass(frozen=True)
class HintGiven:
    """An agent has given advice to a player; for nobody else."""

    ply: int
    player: int
    agent: Agent
    code: int
    move: str
    choice: Choice


@dataclass(frozen=True)
class TakenBack:
    """The last moves are undone; the game stands at this ply again."""

    ply: int
    moves: int


@dataclass(frozen=True)
class GameEnded:
    """The game is over: by "rules", "repetition" or "length" with payoffs; by "resignation" or "time" of a loser, or
    "unfinished", without.
    """

    end: str
    payoffs: tuple[float, ...] | None
    loser: int | None = None


Happening = Thinking | MoveMade | NatureDrew | HintGiven | TakenBack | GameEnded
