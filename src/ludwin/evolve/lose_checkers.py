"""Lose checkers, 10x10 checkers and reversi as experiments: chapter 3 of Evolved to Win.

The defaults are the book's: ten thousand games of co-play a generation, duels for parents, one-way crossover
from the fitter, local mutation.  The standard presets are ours: fitness against the guide in rounds, and
weighted sums to begin with, because they reach the book's players in minutes.
"""

from ludwin.evolve.boards import EXPANDED, Board, experiment, guide_text
from ludwin.evolve.checkers import BOARD, DISCS, SQUARES, language
from ludwin.evolve.experiment import Setting, Settings, Value
from ludwin.evolve.meetings import Term
from ludwin.program.language import Language

BOOK: dict[str, Value] = {
    "population": 100,
    "generations": 100,
    "breeding": "ga",
    "selection": "duel",
    "one_way": "fitter",
    "crossover": 0.8,
    "mutation": 0.2,
    "subtree": 0.5,
    "local": 0.5,
    "max_depth": 14,
}
OURS: dict[str, Value] = {
    "breeding": "mu,lambda",
    "recombination": "all",
    "mutation": 0.05,
    "linear": 1.0,
    "subtree": 0.4,
    "point": 0.2,
    "constant": 0.4,
    "local": 0.0,
    "max_size": 600,
}
SUM: dict[str, Value] = {
    "sum_of": "Mobility FriendlyManCount FriendlyKingCount EnemyManCount EnemyKingCount IsFriendlyPiece IsEmptySquare"
}

LANGUAGE = (
    Setting("mobility", True, "whether programs see the number of legal moves"),
    Setting("king_factor", False, "whether programs have the constant 1.4, a king in men"),
)
DRAWS = Setting("quiet_limit", 80, "plies without a capture or a move of a man that make a draw", least=2)


def _checkers(settings: Settings) -> Language:
    return language(32, BOARD, SQUARES, "checkers", mobility=settings["mobility"], king_factor=settings["king_factor"])


def _record(settings: Settings) -> list[str]:
    """Whom the book's players met: guides of both flavours, and one as deep as an expanded player."""
    found = ["guide:depth=3"]
    found += [f"guide:depth={depth}{flavour}" for depth in (4, 6, 8) for flavour in (",floor=0", "")]
    return [*found, f"guide:depth=5{EXPANDED}5"]


LOSE_CHECKERS = experiment(
    "lose-checkers",
    "evaluations for lose checkers, by typed genetic programming",
    Board(lambda settings: "lose-checkers" + _limit(settings), _checkers, record=_record),
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


def _counting(term: Term) -> str:
    return guide_text(term, "men/kings")


def _ten(settings: Settings) -> str:
    return f"draughts:size=10,quiet_limit={settings['quiet_limit']}"


CHECKERS10 = experiment(
    "checkers10",
    "evaluations for checkers on 10x10, against guides that count material",
    Board(
        _ten,
        lambda settings: language(
            50, BOARD, SQUARES, "checkers", mobility=settings["mobility"], king_factor=settings["king_factor"]
        ),
        _counting,
    ),
    settings=(*LANGUAGE, DRAWS),
    defaults={**BOOK, "against": "guide:depth=3,eval=men/kings", "quiet_limit": 40},
    presets={
        "quick": {
            "fitness": "10co",
            "population": 40,
            "generations": 10,
            "depth": 2,
            "finalist_games": 100,
            "champion_games": 200,
        },
        "standard": {"fitness": "25co", "generations": 40, "depth": 2},
        "paper": {"fitness": "50co", "generations": 100},
    },
)


def _discs(settings: Settings) -> Language:
    squares = {"IsEmptySquare": "is empty", "IsFriendlyPiece": "is mine"}
    return language(64, DISCS, squares, "reversi", mobility=settings["mobility"])


REVERSI = experiment(
    "reversi",
    "evaluations for reversi, against guides that count discs and corners",
    Board(
        lambda settings: "reversi",
        _discs,
        lambda term: guide_text(term, "discs/corners"),
        lambda settings: ["guide:depth=7,eval=discs/corners"],
    ),
    settings=(Setting("mobility", True, "whether programs see the number of legal moves"),),
    defaults={**BOOK, "depth": 4, "max_depth": 10, "against": "guide:depth=5,eval=discs/corners"},
    presets={
        "quick": {
            "fitness": "10co",
            "population": 40,
            "generations": 8,
            "depth": 2,
            "finalist_games": 100,
            "champion_games": 200,
            "record_games": 20,
        },
        "standard": {
            **OURS,
            "max_depth": 14,
            "max_size": 1000,
            "train_depth": 2,
            "fitness": "60guide3",
            "rounds": 2,
            "cutoff": 0.15,
            "population": 20,
            "offspring": 80,
            "generations": 30,
            "finalist_games": 200,
            "yardstick_games": 40,
            "finalists": 3,
            "record_games": 1000,
            "baseline": True,
        },
        "paper": {"fitness": "40co", "generations": 100},
    },
)
