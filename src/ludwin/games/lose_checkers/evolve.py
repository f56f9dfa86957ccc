"""Lose checkers as experiments: chapter 3 of *Evolved to Win*.

The defaults are the book's, and the paper preset runs them: ten thousand games of co-play a generation, duels for
parents, one-way crossover from the fitter, local mutation, the book's terminals.  The quick and standard presets are
ours: bags of terms (`ludwin.evolve.recipe`), whose structure is found by evolution from random beginnings, in the
language with tactical terminals, of at most 100 nodes.  `lose-checkers-book` takes the book's terminals, and only then
the comparison with the book is fair.  In both the size of champions is `max_size`; before they are cut down to it they
have hundreds of nodes, and that ancestor is measured, too (`--set max_size=760`: it is the champion).

`lose-checkers-sum` is what the presets were before, called by what it does: it tunes the numbers of one fixed sum.
"""

from ludwin.evolve.boards import BOOK, EXPANDED, OPENED, OURS, Board, experiment
from ludwin.evolve.experiment import Settings, Value
from ludwin.games.draughts.evolve import BOOK_TERMINALS, DRAWS, LANGUAGE, TACTICAL, checkers

SUM: dict[str, Value] = {
    "sum_of": "Mobility FriendlyManCount FriendlyKingCount EnemyManCount EnemyKingCount IsFriendlyPiece IsEmptySquare"
}
BAGS: dict[str, Value] = {
    "breeding": "terms",
    "language": TACTICAL,
    "fitness": "20guide3",
    "children": 40,
    "population": 16,
    "offspring": 24,
    "max_size": 100,
    "max_depth": 30,
}


def _record(settings: Settings) -> list[str]:
    """Whom the book's players met: guides of both flavours, and one as deep as an expanded player; and openings."""
    found = ["guide:depth=3", f"guide:depth=3{OPENED}6"]
    found += [f"guide:depth={depth}{flavour}" for depth in (4, 6, 8) for flavour in (",floor=0", "")]
    return [*found, f"guide:depth=5{EXPANDED}5"]


def _met(settings: Settings) -> list[str]:
    """Bags meet the yardstick from random openings, and an equal guide at depth 5; the book's way of breeding all."""
    if settings["breeding"] == "terms":
        return [f"guide:depth=3{OPENED}6", f"guide:depth=5{EXPANDED}5"]
    return _record(settings)


def _limit(settings: Settings) -> str:
    return "" if settings["quiet_limit"] == 80 else f":quiet_limit={settings['quiet_limit']}"


BOARD = Board(lambda settings: "lose-checkers" + _limit(settings), checkers(32), record=_met)

QUICK: dict[str, Value] = {
    **BAGS, "budget": 90_000, "generations": 18, "shape_generations": 6, "label_games": 1200, "tuned": 2, "tries": 0,
    "yardstick_every": 6, "yardstick_games": 400, "finalists": 2, "last": 1, "finalist_games": 600,
    "champion_games": 2000, "record_games": 600,
}  # fmt: skip
STANDARD: dict[str, Value] = {
    **BAGS, "budget": 392_000, "generations": 40, "shape_generations": 5, "label_games": 1000, "wide": 760, "tuned": 2,
    "tries": 0, "yardstick_every": 9, "yardstick_games": 400, "finalists": 1, "last": 1, "finalist_games": 1000,
    "champion_games": 2000, "record_games": 2000, "deep_games": 600,
}  # fmt: skip
LOSE_CHECKERS = experiment(
    "lose-checkers",
    "evaluations for lose checkers, by typed genetic programming",
    BOARD,
    settings=(*LANGUAGE, DRAWS),
    defaults=BOOK,
    presets={
        "quick": QUICK,
        "standard": STANDARD,
        "paper": {"fitness": "50co", "generations": 100, "population": 100, "yardstick_every": 1,
                  "yardstick_games": 1000, "baseline": False},
    },
)  # fmt: skip

READS_AS_THE_BOOK: dict[str, Value] = {"language": BOOK_TERMINALS, "widths": "telling"}
LOSE_CHECKERS_BOOK = experiment(
    "lose-checkers-book",
    "programs for lose checkers that read what the book's read, by bags of terms",
    BOARD,
    settings=(*LANGUAGE, DRAWS),
    defaults={**BOOK, **BAGS, **READS_AS_THE_BOOK},
    presets={
        "quick": {**QUICK, **READS_AS_THE_BOOK},
        "standard": {**STANDARD, **READS_AS_THE_BOOK, "budget": 399_000, "deep_games": 2000},
    },
)

LOSE_CHECKERS_SUM = experiment(
    "lose-checkers-sum",
    "the weights of one fixed sum for lose checkers (no structure evolves), by an evolution strategy",
    BOARD,
    settings=(*LANGUAGE, DRAWS),
    defaults={**BOOK, **OURS, **SUM},
    presets={
        "quick": {"fitness": "40guide3", "population": 12, "offspring": 48, "generations": 16,
                  "yardstick_every": 4, "yardstick_games": 400,
                  "finalists": 3, "last": 2, "finalist_games": 400, "champion_games": 1000, "record_games": 400},
        "standard": {"fitness": "100guide3", "rounds": 2, "cutoff": 0.15, "population": 25,
                     "offspring": 100, "generations": 40, "baseline": True},
    },
)  # fmt: skip

EXPERIMENTS = (LOSE_CHECKERS, LOSE_CHECKERS_BOOK, LOSE_CHECKERS_SUM)
