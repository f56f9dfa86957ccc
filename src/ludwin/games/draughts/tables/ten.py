"""Table 3.11 of *Evolved to Win*: evolved players of checkers on 10x10.

Its guides could not be reproduced: their strength hangs on the rule for draws, which is not given, so champions evolved
with a limit of 40 quiet plies play with several.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 3.
"""

from ludwin.evolve.boards import BOOK
from ludwin.lab.evolved import reproduction
from ludwin.lab.published import data_of
from ludwin.lab.sources.champions import Column, EvolvedSize, EvolvedTable, published_runs

LIMITS = (20, 40, 100)  # quiet plies that make a draw


TABLE_3_11 = EvolvedTable(
    "checkers10-3.11",
    "Evolved to Win, table 3.11: players of 10x10 checkers against αβ3 that counts material",
    "checkers10",
    {**BOOK, "quiet_limit": 40, "against": "guide:depth=3,eval=men/kings"},
    published_runs(data_of(__file__) / "checkers10_3_11.csv"),
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
    {
        "quick": EvolvedSize(100, 1, 20, 6),
        "standard": EvolvedSize(1000, 2, 60, 30),
        "paper": EvolvedSize(1000, 4, 100, 100),
    },
)

CHECKERS10_3_11 = reproduction(TABLE_3_11)
