"""Table 3.11 of *Evolved to Win*: evolved players of checkers on 10x10.

Its guides could not be reproduced: their strength hangs on the rule for draws, which is not given, so champions evolved
with a limit of 40 quiet plies play with several.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 3.
"""

from ludwin.evolve.boards import BOOK
from ludwin.lab.evolved import Column, PublishedRun, Size, Table, reproduction

LIMITS = (20, 40, 100)  # quiet plies that make a draw


def _ten(depth: int, fitness: str, scores: dict[str, float]) -> tuple[PublishedRun, ...]:
    """Return runs on 10x10; the two depths are two groups."""
    return tuple(
        PublishedRun(name, fitness, (value / 1000,), {"depth": depth}, f"depth {depth}")
        for name, value in scores.items()
    )


TABLE_3_11 = Table(
    "checkers10-3.11",
    "Evolved to Win, table 3.11: players of 10x10 checkers against αβ3 that counts material",
    "checkers10",
    {**BOOK, "quiet_limit": 40, "against": "guide:depth=3,eval=men/kings"},
    (
        *_ten(3, "50co", {"r00084": 889.0, "r00085": 927.0}),
        *_ten(2, "25co", {"r00092": 732.0, "r00093": 615.5, "r00094": 554.0, "r00095": 631.0}),
    ),
    tuple(
        Column(
            f"draw after {limit}",
            "guide:depth=3,eval=men/kings",
            0,
            changes={} if limit == 40 else {"quiet_limit": limit},
            note="evolved with a limit of 40; the published guides are not reproducible",
        )
        for limit in LIMITS
    ),
    {"quick": Size(100, 1, 20, 6), "standard": Size(1000, 2, 60, 30), "paper": Size(1000, 4, 100, 100)},
)

CHECKERS10_3_11 = reproduction(TABLE_3_11)
