"""Table 3.12 of *Evolved to Win*: evolved players of reversi.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 3.
"""

from ludwin.evolve.boards import BOOK
from ludwin.lab.evolved import Column, Size, Table, published_runs, reproduction

TABLE_3_12 = Table(
    "reversi-3.12",
    "Evolved to Win, table 3.12: players of reversi with depth 4 against αβ5 and αβ7 that count discs",
    "reversi",
    {**BOOK, "depth": 4, "max_depth": 10, "against": "guide:depth=5,eval=discs/corners"},
    (
        *published_runs("25co", {"r00100": [875.0, 758.5], "r00101": [957.5, 803.0]}),
        *published_runs(
            "40co",
            {
                "r00102": [942.5, 640.5],
                "r00103": [905.5, 711.5],
                "r00108": [956.0, 760.0],
                "r00109": [912.5, 826.0],
                "r00110": [953.5, 730.5],
                "r00111": [961.0, 815.5],
            },
        ),
    ),
    tuple(
        Column(f"αβ{depth}", f"guide:depth={depth},eval=discs/corners", number) for number, depth in enumerate((5, 7))
    ),
    {"quick": Size(40, 2, 12, 4), "standard": Size(400, 4, 50, 30), "paper": Size(1000, 8, 100, 100)},
)

TABLES = (reproduction(TABLE_3_12),)
