"""Solvers of the parking puzzle by name: iterative deepening with the policies that were bred here.

`gp-parking` cuts and orders by an evolved policy, `gp-parking-order` only orders moves, as the book's do.  Each comes
in two flavours: `words=ours` speaks our words beside those of Table 10.1, `words=book` no others than those.  What bred
them stands in their files, `data/champions/`, and in docs/results/puzzles.md.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from ludwin.game import Game
from ludwin.library import AGENTS as ALL
from ludwin.search.brain import Brain, mind
from ludwin.search.choice import setting
from ludwin.search.puzzles.deepen import NOVEL, ORDER, PROBES, IDAStar, IterativeDeepening
from ludwin.search.puzzles.novelty import Heeded
from ludwin.search.puzzles.probes import Probing

AS_BRED = -1
CHAMPIONS = Path(__file__).parent / "data" / "champions"
FLAVOURS = {"ours": "", "book": "-book"}
WORDS = "what the policy is made of; ours: words of ours beside those of Table 10.1; book: those alone"


@lru_cache(maxsize=8)
def player(name: str) -> Any:
    """Return the search of one of our champions, as its file has it."""
    return ALL["evolved"](str(CHAMPIONS / f"{name}.json")).player()  # type: ignore[call-arg, attr-defined]


def champion(name: str) -> Brain:
    """Return the brain of one of our champions."""
    found: Brain = player(name).brain
    return found


@dataclass(frozen=True)
class CuttingPolicy(IDAStar):
    """IDA* by an evolved policy, which also orders the moves."""

    name: ClassVar[str] = "gp-parking"
    increment: float = setting(
        20.0, "by how much the bound is raised (0: to the least value that exceeded it)", least=0
    )
    order: str = setting("estimate", ORDER)
    words: str = setting("ours", WORDS, choices=tuple(FLAVOURS))
    brain: Brain | None = mind()

    @property
    def advisor(self) -> Brain | None:
        """The champion's brain, unless there is another one."""
        return self.brain or champion(f"ida{FLAVOURS[self.words]}")

    def lower_bound(self, game: Game) -> bool:
        """Tell that the estimate promises nothing."""
        return False

    def options(self, sizes: "dict[str, int]") -> dict[str, int | float]:  # type: ignore[override]
        """Return what the kernel finds in `w.run`: a policy is no lower bound."""
        return {**super().options(sizes), "sound": 0}


@dataclass(frozen=True)
class OrderingPolicy(IterativeDeepening):
    """Iterative deepening that tries moves in the order of an evolved policy, and cuts nothing."""

    name: ClassVar[str] = "gp-parking-order"
    increment: float = setting(
        120.0, "by how much the bound is raised (0: to the least cost that exceeded it)", least=0
    )
    order: str = setting("estimate", ORDER)
    words: str = setting("ours", WORDS, choices=tuple(FLAVOURS))
    novel: str = setting("", f"{NOVEL} (nothing said: as it was bred)")
    probes: int = setting(
        AS_BRED, f"{PROBES}; {AS_BRED}: as it was bred, 0: none, by what was bred for that", least=AS_BRED
    )
    brain: Brain | None = mind()

    @property
    def advisor(self) -> Brain | None:
        """The champion's brain, unless there is another one."""
        return self.brain or champion(self.champion)

    @property
    def champion(self) -> str:
        """The file of the champion: of those that know our words one was bred to walk once, without probes."""
        return f"order{FLAVOURS[self.words]}" + ("-once" if self.words == "ours" and self.probes == 0 else "")

    @property
    def probing(self) -> Probing:
        """What the champion tries before a round, unless something is said or another brain asked."""
        if self.probes != AS_BRED:
            return super().probing
        found: Probing = Probing() if self.brain else player(self.champion).probing
        return found

    @property
    def heeded(self) -> Heeded:
        """What the champion's order heeds of the way, unless something is said or another brain asked."""
        if self.brain or self.novel:
            return super().heeded
        found: Heeded = player(self.champion).heeded
        return found


AGENTS = {"gp-parking": CuttingPolicy, "gp-parking-order": OrderingPolicy}
