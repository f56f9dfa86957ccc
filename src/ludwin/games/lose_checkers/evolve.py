"""Lose checkers as an experiment: chapter 3 of *Evolved to Win*.

The defaults are the book's: ten thousand games of co-play a generation, duels for parents, one-way crossover
from the fitter, local mutation.  The standard presets are ours: fitness against the guide in rounds, and
weighted sums to begin with, because they reach the book's players in minutes.
"""

from ludwin.evolve.boards import BOOK, EXPANDED, OURS, Board, experiment
from ludwin.evolve.experiment import Settings, Value
from ludwin.games.draughts.evolve import DRAWS, LANGUAGE, checkers

SUM: dict[str, Value] = {
    "sum_of": "Mobility FriendlyManCount FriendlyKingCount EnemyManCount EnemyKingCount IsFriendlyPiece IsEmptySquare"
}


def _record(settings: Settings) -> list[str]:
    """Whom the book's players met: guides of both flavours, and one as deep as an expanded player."""
    found = ["guide:depth=3"]
    found += [f"guide:depth={depth}{flavour}" for depth in (4, 6, 8) for flavour in (",floor=0", "")]
    return [*found, f"guide:depth=5{EXPANDED}5"]


LOSE_CHECKERS = experiment(
    "lose-checkers",
    "evaluations for lose checkers, by typed genetic programming",
    Board(lambda settings: "lose-checkers" + _limit(settings), checkers(32), record=_record),
    settings=(*LANGUAGE, DRAWS),
    defaults=BOOK,
    presets={
        "quick": {**OURS, **SUM, "fitness": "40guide3", "population": 12, "offspring": 48, "generations": 16,
                  "yardstick_every": 4, "yardstick_games": 400,
                  "finalists": 3, "last": 2, "finalist_games": 400, "champion_games": 1000, "record_games": 2},
        "standard": {**OURS, **SUM, "fitness": "100guide3", "rounds": 2, "cutoff": 0.15, "population": 25,
                     "offspring": 100, "generations": 40, "baseline": True},
        "paper": {"fitness": "50co", "generations": 100, "population": 100, "yardstick_every": 1,
                  "yardstick_games": 1000, "baseline": False},
    },
)  # fmt: skip


def _limit(settings: Settings) -> str:
    return "" if settings["quiet_limit"] == 80 else f":quiet_limit={settings['quiet_limit']}"


EXPERIMENTS = (LOSE_CHECKERS,)
