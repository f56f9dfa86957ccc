"""Sums of words that were tuned, for policies to begin with; docs/results/puzzles.md says how and what they are worth.

The two of TUNED were tuned by a program outside of the package.  RECALLING recalls the way here: `ludwin evolve
parking-sums --preset standard --seed 3 --set novel=false probes=0`, the best of three seeds by what they were tuned
for.  HEEDING walks as WALK says: `ludwin evolve parking-sums --preset standard --seed 1 --set first=tuned`.
All are rounded.
"""

from collections.abc import Mapping
from typing import Any

TUNED: dict[str, dict[str, float]] = {
    "order": {
        "Layers": 1.29,
        "InTheWay": 0.42,
        "H1": -0.59,
        "CellsGone": -2.13,
        "VehiclesGone": -0.01,
        "Moves": -0.08,
        "RelaxedSlides": 1.23,
        "RelaxedCells": 0.97,
        "RelaxedWanted": 0.28,
        "RoundsOfAll": 0.08,
        "SlidesBack": -2.88,
        "Crossings": -1.53,
        "FreeStretches": -0.56,
        "RelaxedSlidesBack": -0.35,
        "RelaxedCrossed": 0.06,
        "Ahead": -0.6,
    },
    "ida": {
        "Layers": -0.42,
        "InTheWay": 4.78,
        "H1": 4.05,
        "CellsGone": -2.39,
        "VehiclesGone": 1.48,
        "Moves": -3.68,
        "LooseVehicles": 1.56,
        "RelaxedSlides": 3.33,
        "RelaxedCells": -0.59,
        "RelaxedWanted": -1.28,
        "LooseCells": 6.74,
        "RoundsOfAll": 0.34,
        "SlidesBack": 1.84,
        "Crossings": 1.46,
        "FreeStretches": -0.69,
        "RelaxedSlidesBack": -3.77,
        "RelaxedCrossed": 3.5,
        "Ahead": -5.46,
    },
}
RECALLING: dict[str, float] = {
    "H1": 2.3,
    "H2": -0.159,
    "H3": -0.561,
    "CellsGone": -1.16,
    "VehiclesGone": 2.05,
    "Moves": -0.651,
    "InTheWay": 2.89,
    "Layers": 1.7,
    "RelaxedSlides": 0.508,
    "RelaxedCells": 2.25,
    "RelaxedWanted": 0.866,
    "RelaxedCrossed": 0.346,
    "RelaxedSlidesBack": -2.89,
    "RoundsOfAll": 0.258,
    "SlidesBack": -2.67,
    "Crossings": -3.19,
    "FreeStretches": -1.18,
    "Ahead": -0.424,
    "LooseCells": 0.107,
    "LooseVehicles": -0.773,
    "ComesAgain": 10.2,
}
# What tuning of a sum that heeds pairs begins with: the best of thirty guesses on the boards of the training.
GUESSED = {**RECALLING, "ComesAgain": 4.0, "NewPair": -0.25, "NothingNew": 10.0, "Noise": 12.0}
HEEDING: dict[str, float] = {
    "H1": 3.42,
    "H2": 0.26,
    "H3": -0.897,
    "CellsGone": -2.37,
    "VehiclesGone": 4.42,
    "Moves": -0.337,
    "InTheWay": 3.98,
    "Layers": 2.61,
    "RelaxedSlides": 1.92,
    "RelaxedCells": -0.696,
    "RelaxedWanted": 0.764,
    "RelaxedCrossed": 0.0601,
    "RelaxedSlidesBack": -0.895,
    "RoundsOfAll": 0.45,
    "SlidesBack": -3.24,
    "Crossings": -0.609,
    "FreeStretches": -1.56,
    "Ahead": 0.361,
    "LooseCells": 1.83,
    "LooseVehicles": 0.154,
    "ComesAgain": 3.7,
}
# How a search walks that asks it: what its order heeds, and the probes before a round.
WALK: dict[str, Any] = {"novel": "stands", "fresh": -1.33, "stale": 27.5, "probes": 20, "noise": 11.7}


def tuned_sum(mode: str, recalls: bool = False, novel: bool = False) -> Mapping[str, float]:
    """Return the weights of the sum for a mode; those that recall the way here, or heed pairs, only order."""
    if mode != "order" or not recalls:
        return TUNED[mode]
    return HEEDING if novel else RECALLING
