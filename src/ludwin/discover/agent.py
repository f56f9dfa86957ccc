"""The agent that plays with a derived program: `derived:FILE,depth=9`.

Why it is here.  A derivation is only finished when it plays.  The file is read as text and checked again,
its program is written as kernel text and specialised to the game like any search written by hand.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Self

from ludwin.discover.derivation import BadDerivation, Derivation, load
from ludwin.discover.kernels import is_nega, kernel
from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.search.choice import Agent, Choice, demand_two_players, must_move, parse_with_file, setting
from ludwin.search.values import worth


@lru_cache(maxsize=32)
def _read(path: str, mark: str) -> tuple[Derivation, Kernel]:
    derivation = load(path)
    return derivation, kernel(derivation)


def read(path: str) -> tuple[Derivation, Kernel]:
    """Return a checked derivation and its kernel; a file is checked once as long as it does not change."""
    try:
        mark = sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        raise BadDerivation(f"there is no file {path!r}; `ludwin discover alpha-beta --out FILE` writes one") from None
    return _read(path, mark)


@dataclass(frozen=True)
class Derived(Agent):
    """Plays with a search that was derived from a plain program: `derived:FILE,depth=9`.

    The file is a derivation that `ludwin discover` wrote; it is checked again before it is used.
    """

    name: ClassVar[str] = "derived"
    file: str = field(default="", metadata={"help": "a derivation file, written first: derived:FILE,depth=9", "least": None})
    depth: int = setting(6, "plies to look ahead", least=1)

    def __str__(self) -> str:
        return f"{self.name}:{self.file}" + (f",depth={self.depth}" if self.depth != 6 else "")

    @classmethod
    def parse_text(cls, rest: str) -> Self:
        """Make the agent from `FILE` or `FILE,key=value,…` (or `file=FILE,…`); raises BadParameter."""
        return cls.parse(parse_with_file(rest, "derived:FILE,depth=9", "`ludwin discover alpha-beta --out FILE` writes one"))

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has at most two players, a constant sum and no chance."""
        demand_two_players(self, game)

    def kernel(self, game: Game) -> Kernel:
        """Return the kernel that the derivation has led to."""
        if not self.file:
            raise CannotPlay(f"{self.name} needs a file: {self.name}:FILE,depth=9")
        return read(self.file)[1]

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the first move of the best value; the seed plays no part."""
        if not self.file:
            raise CannotPlay(f"{self.name} needs a file: {self.name}:FILE,depth=9")
        self.suits(game)
        must_move(game, state)
        derivation, text = read(self.file)
        search = specialise(game, text, mode)
        plies = self.depth + 2
        states, sure, nodes, counts, value = search.states(plies), search.ints(plies), search.ints(2), search.ints(plies), search.floats(1)
        search.put(states, 0, state)
        move = search(states, search.moves(plies), sure, nodes, counts, value, self.depth)
        if nodes[1] and is_nega(derivation):
            raise CannotPlay(
                f"{Path(self.file).name} is a nega form and supposes that the players alternate, in {game.name} they do not; derive alpha-beta instead"
            )
        decided = bool(sure[0])
        return Choice(int(move), worth(float(value[0]), decided, game.payoff_sum), int(nodes[0]), decided, depth=self.depth, line=(int(move),))
