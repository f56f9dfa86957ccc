"""Table 3.12 of *Evolved to Win*: evolved players of reversi.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 3.
"""

from ludwin.evolve.boards import BOOK
from ludwin.lab.evolved import reproduction
from ludwin.lab.published import data_of
from ludwin.lab.sources.champions import Column, EvolvedSize, EvolvedTable, published_runs

TABLE_3_12 = EvolvedTable(
    "reversi-3.12",
    "Evolved to Win, table 3.12: players of reversi with depth 4 against αβ5 and αβ7 that count discs",
    "reversi",
    {**BOOK, "depth": 4, "max_depth": 10, "against": "guide:depth=5,eval=discs/corners"},
    published_runs(data_of(__file__) / "reversi_3_12.csv"),
    tuple(
        Column(f"αβ{depth}", f"guide:depth={depth},eval=discs/corners", number) for number, depth in enumerate((5, 7))
    ),
    {
        "quick": EvolvedSize(40, 2, 12, 4),
        "standard": EvolvedSize(400, 4, 50, 30),
        "paper": EvolvedSize(1000, 8, 100, 100),
    },
)

TABLES = (reproduction(TABLE_3_12),)
