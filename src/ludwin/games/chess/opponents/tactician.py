"""The tactician: alpha-beta with all that serves it here, under a short name."""

from dataclasses import dataclass, replace
from typing import ClassVar

from ludwin.game import Game
from ludwin.games.chess.opponents.brain import Endgames
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.choice import setting
from ludwin.search.seat import Seat


@dataclass(frozen=True)
class Tactician(AlphaBeta):
    """Alpha-beta with every refinement that makes it stronger at chess; `tactician:seconds=0.1` or `nodes=`, `depth=`.

    Its settings are those of alphabeta; docs/results/chess.md has the match of each of them.
    """

    name: ClassVar[str] = "tactician"
    is_inert: ClassVar[bool] = True
    depth: int = setting(8, "plies to look ahead (64 at the most, and the default with a budget)", least=1)
    order: str = setting("exchange", "as of alphabeta")
    killers: str = setting("quiet", "as of alphabeta", choices=("none", "shared", "ply", "quiet"))
    killer_size: int = setting(2, "length of a killer list", least=1)
    history: int = setting(1, "as of alphabeta", least=0)
    table: int = setting(18, "transposition table of 2**table rows", least=0)
    deeper: int = setting(1, "as of alphabeta", least=0)
    pvs: int = setting(1, "as of alphabeta", least=0)
    deepen: int = setting(1, "as of alphabeta", least=0)
    quiescence: str = setting("usual", "as of alphabeta", choices=("none", "twist", "usual"))
    null: int = setting(2, "as of alphabeta", least=0)
    lmr: int = setting(2, "as of alphabeta", least=0)
    futility: float = setting(0.008, "as of alphabeta", least=0)
    extend: int = setting(1, "as of alphabeta", least=0)
    repeats: int = setting(1, "as of alphabeta", least=0)
    keep: int = setting(1, "as of alphabeta", least=0)
    tables: str = setting("", "endgame tables that it asks: all, or names with + between them, such as KQKR+KPK")

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays; with tables it has them as its brain."""
        if not self.tables or self.brain is not None:
            return super().seat(game)
        names = () if self.tables == "all" else tuple(self.tables.split("+"))
        return replace(self, brain=Endgames(names), tables="").seat(game)
