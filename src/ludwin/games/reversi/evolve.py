"""Reversi as an experiment: chapter 3 of *Evolved to Win*."""

from ludwin.evolve.boards import BOOK, OURS, Board, experiment, guide_text
from ludwin.evolve.experiment import Setting
from ludwin.games.reversi.language import discs

REVERSI = experiment(
    "reversi",
    "evaluations for reversi, against guides that count discs and corners",
    Board(
        lambda settings: "reversi",
        lambda settings: discs(settings["mobility"]),
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

EXPERIMENTS = (REVERSI,)
