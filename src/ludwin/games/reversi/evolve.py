"""Reversi as experiments: chapter 3 of *Evolved to Win*.

The defaults are the book's, and the paper preset runs them.  The quick and standard presets are ours: bags of terms
(`ludwin.evolve.recipe`) in the language with tactical terminals, trained at depth 2 against guides of depth 3 and
played at depth 4.  `reversi-sum` is what the standard preset was before: the numbers of one fixed sum.
"""

from ludwin.evolve.boards import BOOK, OPENED, OURS, Board, experiment, guide_text
from ludwin.evolve.experiment import Setting, Settings, Value
from ludwin.games.reversi.language import discs

BOOK_TERMINALS, TACTICAL = "book", "tactical"
LANGUAGE = (
    Setting(
        "language",
        BOOK_TERMINALS,
        "what programs read: book, the terminals of Evolved to Win; tactical, also places, frontiers and edges of both "
        "sides (not comparable with the book's players)",
        choices=(BOOK_TERMINALS, TACTICAL),
    ),
    Setting("mobility", True, "whether programs see the number of legal moves"),
)


def _record(settings: Settings) -> list[str]:
    """The book's deeper guide, and two evaluations written by hand, from random openings at the champion's depth."""
    by_hand = [f"alphabeta:depth={settings['depth']}{eval}{OPENED}6" for eval in ("", ",eval=positional")]
    return ["guide:depth=7,eval=discs/corners", *by_hand]


BOARD = Board(
    lambda settings: "reversi",
    lambda settings: discs(settings["mobility"], settings["language"] == TACTICAL),
    lambda term: guide_text(term, "discs/corners"),
    _record,
)
BAGS: dict[str, Value] = {
    "breeding": "terms",
    "language": TACTICAL,
    "max_depth": 30,
    "max_size": 200,
    "train_depth": 2,
    "fitness": "40guide3",
    "population": 16,
    "offspring": 24,
}
AT_DEPTH_4: dict[str, Value] = {"depth": 4, "max_depth": 10, "against": "guide:depth=5,eval=discs/corners"}

REVERSI = experiment(
    "reversi",
    "evaluations for reversi, against guides that count discs and corners",
    BOARD,
    settings=LANGUAGE,
    defaults={**BOOK, **AT_DEPTH_4},
    presets={
        "quick": {
            **BAGS,
            "budget": 20_000,
            "generations": 10,
            "shape_generations": 4,
            "label_games": 150,
            "tuned": 2,
            "tries": 0,
            "depth": 2,
            "yardstick_every": 5,
            "yardstick_games": 40,
            "finalists": 2,
            "last": 1,
            "finalist_games": 100,
            "champion_games": 200,
            "record_games": 40,
        },
        "standard": {
            **BAGS,
            "budget": 36_000,
            "generations": 14,
            "shape_generations": 4,
            "label_games": 400,
            "tuned": 2,
            "tries": 0,
            "yardstick_every": 6,
            "yardstick_games": 40,
            "finalists": 1,
            "last": 1,
            "finalist_games": 200,
            "champion_games": 1000,
            "record_games": 400,
        },
        "paper": {"fitness": "40co", "generations": 100},
    },
)

REVERSI_SUM = experiment(
    "reversi-sum",
    "the weights of one fixed sum for reversi (no structure evolves), by an evolution strategy",
    BOARD,
    settings=LANGUAGE,
    defaults={**BOOK, **AT_DEPTH_4, **OURS, "max_depth": 14, "max_size": 1000},
    presets={
        "standard": {
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
    },
)

EXPERIMENTS = (REVERSI, REVERSI_SUM)
