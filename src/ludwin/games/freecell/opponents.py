"""Solvers of FreeCell by name: searches by staged deepening with the brains of champions that were bred here.

`ga-freecell` has evolved weights of the book's nine heuristics, `gp-freecell` an evolved policy; what bred them stands
in their files, `data/champions/`, and in docs/results/puzzles.md.  Both are made for `freecell:auto=true,empty=first`.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from ludwin.game import Game
from ludwin.library import AGENTS as ALL
from ludwin.search.brain import Brain, mind
from ludwin.search.choice import setting
from ludwin.search.puzzles.staged import Staged

CHAMPIONS = Path(__file__).parent / "data" / "champions"


@lru_cache(maxsize=8)
def champion(name: str) -> Brain:
    """Return the brain of one of our champions."""
    bred = ALL["evolved"](str(CHAMPIONS / f"{name}.json"))  # type: ignore[call-arg]
    found: Brain = bred.player().brain  # type: ignore[attr-defined]
    return found


@dataclass(frozen=True)
class EvolvedWeights(Staged):
    """Staged deepening by evolved weights of the nine heuristics of Table 11.1."""

    name: ClassVar[str] = "ga-freecell"
    file: ClassVar[str] = "weights"
    depth: int = setting(2, "moves between two looks (the book's k)", least=1, most=13)
    patience: int = setting(20_000, "nodes after which it begins again, with longer stages (0: never)", least=0)
    brain: Brain | None = mind()

    @property
    def advisor(self) -> Brain | None:
        """The champion's brain, unless there is another one."""
        return self.brain or champion(self.file)

    def lower_bound(self, game: Game) -> bool:
        """Tell that the estimate promises nothing."""
        return False


@dataclass(frozen=True)
class EvolvedPolicy(EvolvedWeights):
    """Staged deepening by an evolved policy: ordered rules, each with weights of its own."""

    name: ClassVar[str] = "gp-freecell"
    file: ClassVar[str] = "policy"
    brain: Brain | None = mind()


AGENTS = {"ga-freecell": EvolvedWeights, "gp-freecell": EvolvedPolicy}
