"""Checkers on 10x10 as an experiment, after chapter 3 of *Evolved to Win*, and what lose checkers shares with it."""

from collections.abc import Callable

from ludwin.evolve.boards import BOOK, Board, experiment, guide_text
from ludwin.evolve.experiment import Setting, Settings
from ludwin.evolve.meetings import Term
from ludwin.games.draughts.language import checkers_language
from ludwin.program.language import Language

BOOK_TERMINALS, TACTICAL = "book", "tactical"
LANGUAGE = (
    Setting(
        "language",
        BOOK_TERMINALS,
        "what programs read: book, the terminals of Evolved to Win; tactical, also pending captures and who can move "
        "(not comparable with the book's players)",
        choices=(BOOK_TERMINALS, TACTICAL),
    ),
    Setting("mobility", True, "whether programs see the number of legal moves"),
    Setting("king_factor", False, "whether programs have the constant 1.4, a king in men"),
)
DRAWS = Setting("quiet_limit", 80, "plies without a capture or a move of a man that make a draw", least=2)


def checkers(squares: int) -> Callable[[Settings], Language]:
    """Return the language of a board of so many squares, as settings want it."""

    def made(settings: Settings) -> Language:
        return checkers_language(
            squares,
            mobility=settings["mobility"],
            king_factor=settings["king_factor"],
            tactics=settings["language"] == TACTICAL,
        )

    return made


def _counting(term: Term) -> str:
    return guide_text(term, "men/kings")


def _ten(settings: Settings) -> str:
    return f"draughts:size=10,quiet_limit={settings['quiet_limit']}"


CHECKERS10 = experiment(
    "checkers10",
    "evaluations for checkers on 10x10, against guides that count material",
    Board(
        _ten,
        checkers(50),
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

EXPERIMENTS = (CHECKERS10,)
