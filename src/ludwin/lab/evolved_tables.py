"""Tables 3.6 to 3.12 of *Evolved to Win*: evolved players of lose checkers, 10x10 checkers and reversi.

Settings are the book's where it gives them (`evolve/lose_checkers.py`, BOOK).  It names ranges for population and
generations (100 to 200 each); the paper preset takes 100 and 100, and 50 and 70 where the book does.

Guides of even depth were probably handicapped by a slip in the original program, see `search/guide.py`:
the floored flavour is the comparable one there, and the correct one stands beside it.  At odd
depths both are comparable.  Those of 10x10 checkers could not be reproduced: their strength hangs on the
rule for draws, which is not given, so champions evolved with a limit of 40 quiet plies play with several.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 3.
"""

from collections.abc import Sequence

from ludwin.evolve.boards import EXPANDED
from ludwin.evolve.experiment import Value
from ludwin.evolve.lose_checkers import BOOK
from ludwin.lab.evolved import Column, EvolvedSize, EvolvedTable, PublishedRun, reproduction

CORRECT_EVEN = "a correct guide; the published ones of even depth were probably floored"
LIMITS = (20, 40, 100)  # quiet plies that make a draw


def _runs(fitness: str, scores: dict[str, Sequence[float]]) -> tuple[PublishedRun, ...]:
    """Return published runs of one fitness; the book counts points in 1000 games."""
    return tuple(
        PublishedRun(name, fitness, tuple(value / 1000 for value in values)) for name, values in scores.items()
    )


def _guides(*depths: int, itself: int = 0) -> tuple[Column, ...]:
    """Return the columns of guides in both flavours; champions look `itself` plies ahead, if that is given."""
    found = []
    for number, depth in enumerate(depths):
        for flavour, floor in (("floored", ",floor=0"), ("correct", "")):
            is_comparable = bool(floor) or depth % 2 == 1
            opponent = f"guide:depth={depth}{floor}" + (f"{EXPANDED}{itself}" if itself else "")
            found.append(
                Column(
                    f"αβ{depth} {flavour}", opponent, number, is_comparable, note="" if is_comparable else CORRECT_EVEN
                )
            )
    return tuple(found)


DEPTH_1: dict[str, Value] = {**BOOK, "depth": 1, "max_depth": 15, "mobility": False, "against": "random"}
DEPTH_3: dict[str, Value] = {**BOOK, "depth": 3, "against": "guide:depth=3"}
DEPTH_4: dict[str, Value] = {**BOOK, "depth": 4, "max_depth": 10, "against": "guide:depth=5"}

RUNS_3_6 = (
    *_runs("20rand+30co", {"r00032A": [554.0]}),
    *_runs("30rand+5co", {"r00033B": [634.0], "r00034A": [660.0], "r00035B": [721.0]}),
    *_runs("30rand+10co", {"r00036A": [705.5], "r00037B": [666.5]}),
)
TABLE_3_6 = EvolvedTable(
    "lose-checkers-3.6",
    "Evolved to Win, table 3.6: players without search and without Mobility against random",
    "lose-checkers",
    DEPTH_1,
    RUNS_3_6,
    (Column("random", "random", 0),),
    {
        "quick": EvolvedSize(400, 3, 50, 15),
        "standard": EvolvedSize(1000, 4, 100, 100),
        "paper": EvolvedSize(1000, 6, 100, 100),
    },
    flavours=(("one tree", {"trees": 1}), ("ten trees", {"trees": 10})),
)

RUNS_3_7 = _runs(
    "50co",
    {
        "r00044A": [744.0],
        "r00046A": [698.5],
        "r00047A": [765.5],
        "r00048A": [696.5],
        "r00049A": [781.5],
        "r00056A": [721.0],
        "r00057A": [786.5],
        "r00058A": [697.0],
        "r00060A": [737.0],
        "r00061A": [737.0],
    },
)
SHARED = ("lose-checkers-3.7", "lose-checkers-3.8", "lose-checkers-3.9")
SIZES_3_7 = {
    "quick": EvolvedSize(200, 3, 40, 8),
    "standard": EvolvedSize(1000, 5, 100, 40),
    "paper": EvolvedSize(1000, 10, 100, 100),
}
TABLE_3_7 = EvolvedTable(
    "lose-checkers-3.7",
    "Evolved to Win, table 3.7: players of depth 3 against αβ3",
    "lose-checkers",
    DEPTH_3,
    RUNS_3_7,
    _guides(3),
    SIZES_3_7,
    shares=SHARED,
)

TABLE_3_8 = EvolvedTable(
    "lose-checkers-3.8",
    "Evolved to Win, table 3.8: the best players of table 3.7 against guides of other depths",
    "lose-checkers",
    DEPTH_3,
    _runs(
        "50co",
        {
            "r00044A": [744.0, 944.5, 816.0, 758.0],
            "r00047A": [765.5, 899.0, 722.5, 476.0],
            "r00049A": [781.5, 915.0, 809.0, 735.5],
            "r00057A": [786.5, 909.0, 745.5, 399.5],
            "r00060A": [737.0, 897.0, 627.0, 408.5],
            "r00061A": [737.0, 947.0, 781.5, 715.5],
        },
    ),
    _guides(3, 4, 6, 8),
    SIZES_3_7,
    made_by=RUNS_3_7,
    shares=SHARED,
)

TABLE_3_9 = EvolvedTable(
    "lose-checkers-3.9",
    "Evolved to Win, table 3.9: the best players of table 3.7, expanded to depth 5",
    "lose-checkers",
    DEPTH_3,
    _runs(
        "50co",
        {
            "r00044A": [438.5, 774.0, 507.5],
            "r00047A": [437.5, 807.0, 482.5],
            "r00049A": [420.5, 856.0, 449.0],
            "r00057A": [494.5, 874.5, 463.5],
            "r00060A": [459.0, 834.0, 583.5],
            "r00061A": [483.5, 967.0, 886.0],
        },
    ),
    _guides(5, 6, 8, itself=5),
    SIZES_3_7,
    made_by=RUNS_3_7,
    shares=SHARED,
)

TABLE_3_10 = EvolvedTable(
    "lose-checkers-3.10",
    "Evolved to Win, table 3.10: players evolved with depth 4",
    "lose-checkers",
    DEPTH_4,
    _runs(
        "20guide5+20co",
        {
            "r00064A": [582.0, 603.5, 395.0],
            "r00065A": [537.0, 782.5, 561.5],
            "r00066A": [567.0, 757.5, 483.5],
            "r00067A": [598.5, 723.0, 385.5],
            "r00068A": [548.0, 787.0, 524.0],
            "r00069A": [573.5, 715.5, 523.0],
            "r00070A": [577.0, 691.5, 476.0],
            "r00071A": [551.5, 582.5, 401.5],
        },
    ),
    _guides(5, 6, 8),
    {
        "quick": EvolvedSize(100, 2, 16, 5),
        "standard": EvolvedSize(1000, 3, 50, 40),
        "paper": EvolvedSize(1000, 8, 50, 70),
    },
)


def _ten(depth: int, fitness: str, scores: dict[str, float]) -> tuple[PublishedRun, ...]:
    """Return runs on 10x10; the two depths are two groups."""
    return tuple(
        PublishedRun(name, fitness, (value / 1000,), {"depth": depth}, f"depth {depth}")
        for name, value in scores.items()
    )


TABLE_3_11 = EvolvedTable(
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
    {
        "quick": EvolvedSize(100, 1, 20, 6),
        "standard": EvolvedSize(1000, 2, 60, 30),
        "paper": EvolvedSize(1000, 4, 100, 100),
    },
)

TABLE_3_12 = EvolvedTable(
    "reversi-3.12",
    "Evolved to Win, table 3.12: players of reversi with depth 4 against αβ5 and αβ7 that count discs",
    "reversi",
    {**BOOK, "depth": 4, "max_depth": 10, "against": "guide:depth=5,eval=discs/corners"},
    (
        *_runs("25co", {"r00100": [875.0, 758.5], "r00101": [957.5, 803.0]}),
        *_runs(
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
    {
        "quick": EvolvedSize(40, 2, 12, 4),
        "standard": EvolvedSize(400, 4, 50, 30),
        "paper": EvolvedSize(1000, 8, 100, 100),
    },
)

TABLES = (TABLE_3_6, TABLE_3_7, TABLE_3_8, TABLE_3_9, TABLE_3_10, TABLE_3_11, TABLE_3_12)
REPRODUCTIONS = {table.name: reproduction(table) for table in TABLES}
