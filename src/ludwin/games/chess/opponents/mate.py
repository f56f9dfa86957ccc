"""The agent `mate`: finds a mate in n moves and proves it; `ludwin solve` prints its whole tree."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.games.chess.opponents.mates.solver import BOARDS, DEEPEST, SOLVERS, Mate, at_home, solver
from ludwin.search.choice import Agent, Choice, must_move, setting


@dataclass(frozen=True)
class MateFinder(Agent):
    """Proves a mate in at most n moves; where it finds none it plays `otherwise`.

    It is the quickest one unless the solver goes straight to n moves, or begins with checks alone.
    """

    name: ClassVar[str] = "mate"
    n: int = setting(3, "moves of one's own in which it must be mate", least=1, most=DEEPEST)
    boards: int = setting(BOARDS, "positions to look at, at most", least=1)
    solver: str = setting("deepening", "how it searches", choices=tuple(SOLVERS))
    otherwise: str = setting("tactician:nodes=100000", "who plays where no mate was found")

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is chess, and the other agent plays it."""
        if game.name != "chess":
            raise CannotPlay(f"mate looks for mates of chess, not of {game.name}")
        other = self.other(game)
        if other.name == "human":
            raise CannotPlay(f"mate: otherwise={self.otherwise} is nobody who answers a program; name an agent")
        other.suits(game)

    def other(self, game: Game) -> Agent:
        """Return who plays where no mate was found."""
        from ludwin.library import agent

        return agent(self.otherwise, game)

    def prove(self, state: State, mode: str = "fast") -> Mate:
        """Return what the solver finds."""
        self.suits(state.game)
        must_move(state.game, state)
        return solver(self.solver, mode).solve(state, self.n, self.boards)

    def tree(self, state: State, mode: str = "fast") -> Any:
        """Return what is found, and the whole mating tree (None without a mate)."""
        from ludwin.games.chess.opponents.mates.tree import TreeBuilder

        found = self.prove(state, mode)
        if found.move is None:
            return found, None
        tree = TreeBuilder(solver("deepening", mode)).after(at_home(state), found.move, found.moves)
        return replace(found, moves=tree.moves), tree  # who goes straight to n knows no more than that it is within n

    def _length(self, there: State, found: Mate, mode: str) -> tuple[int, int]:
        """Return within how many moves the move mates that led there, and the boards of the search and of this.

        Whoever goes straight to n knows no more than that it is within n; where boards do not suffice, nor do we.
        """
        _, passes, deepens = SOLVERS[self.solver]
        if deepens and not passes:
            return found.moves, found.boards
        longest, boards = 0, found.boards
        for reply in there.moves():
            answer = solver("deepening", mode).solve(there.play(reply), max(found.moves - 1, 1), self.boards)
            boards += answer.boards
            if answer.move is None:
                return found.moves, boards
            longest = max(longest, answer.moves)
        return 1 + longest, boards

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the mating move, else what `otherwise` plays."""
        found = self.prove(state, mode)
        if found.move is not None:
            moves, boards = self._length(at_home(state).play(found.move), found, mode)
            return Choice(found.move, 1.0, boards, decided=True, depth=2 * moves - 1, line=(found.move,))
        return self.other(game).choose(game, state, seed=seed, mode=mode)
