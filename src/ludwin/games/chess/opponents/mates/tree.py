"""The whole mating tree of a position: a move, every reply to it, and the answer to each.

Why it is here.  A proof that people can check: whoever doubts a mate looks up the reply.  Answers are the quickest
ones, so a branch may end before the n-th move.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ludwin.game import State
from ludwin.games.chess.opponents.mates.solver import MateSolver, at_home
from ludwin.games.chess.rules import QUIET_LIMIT


@dataclass(frozen=True)
class MatingTree:
    """A move that mates, and what follows every reply; after a mate nothing does."""

    move: str
    code: int
    moves: int  # within how many moves it mates
    replies: "tuple[tuple[str, int, MatingTree], ...]"

    @property
    def size(self) -> int:
        """How many moves stand in the tree, replies included."""
        return 1 + sum(1 + answer.size for _, _, answer in self.replies)

    def as_json(self) -> dict[str, Any]:
        """Return the tree for machines."""
        replies = [{"move": name, "code": code, "answer": answer.as_json()} for name, code, answer in self.replies]
        return {"move": self.move, "code": self.code, "moves": self.moves, "replies": replies}

    def lines(self, number: int = 1, indent: str = "") -> Iterator[str]:
        """Yield the tree for people; replies with the same answers stand together."""
        together: dict[MatingTree, list[str]] = {}
        for name, _, answer in self.replies:
            together.setdefault(answer, []).append(name)
        for answer, names in together.items():
            yield f"{indent}{number}... {', '.join(names)}  {number + 1}. {answer.move}"
            yield from answer.lines(number + 1, indent + "    ")


class TreeBuilder:
    """Builds mating trees with a solver; positions that come again are searched once."""

    def __init__(self, solver: MateSolver):
        self.solver = solver
        self.known: dict[tuple[str, int], MatingTree] = {}
        self.boards = 0

    def build(self, state: State, n: int) -> MatingTree | None:
        """Return the tree of the quickest mate within n moves; None if none is proved."""
        state = at_home(state)
        late = int(state.quiet) + 2 * n > QUIET_LIMIT  # only then the counter of quiet plies matters
        text = " ".join(state.write().split()[: 5 if late else 4])
        if (text, n) not in self.known:
            found = self.solver.solve(state, n, 1 << 60)
            self.boards += found.boards
            if found.move is None:
                return None
            self.known[text, n] = self.after(state, found.move, found.moves)
        return self.known[text, n]

    def after(self, state: State, move: int, n: int) -> MatingTree:
        """Return the tree of a move that is known to mate within n moves."""
        there = state.play(move)
        replies = []
        for reply in there.moves():
            answer = self.build(there.play(reply), n - 1)
            assert answer is not None, "a proved mate has an answer to every reply"
            replies.append((there.name(reply), reply, answer))
        moves = 1 + max((answer.moves for _, _, answer in replies), default=0)
        return MatingTree(state.name(move), move, moves, tuple(replies))
