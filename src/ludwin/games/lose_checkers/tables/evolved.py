"""Tables 3.6 to 3.10 of *Evolved to Win*: evolved players of lose checkers.

Settings are the book's where it gives them (`ludwin.evolve.boards`, BOOK).  It names ranges for population and
generations (100 to 200 each); the paper preset takes 100 and 100, and 50 and 70 where the book does.

Guides of even depth were probably handicapped by a slip in the original program, see `search/guide.py`:
the floored flavour is the comparable one there, and the correct one stands beside it.  At odd
depths both are comparable.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 3.
"""

from ludwin.evolve.boards import BOOK, EXPANDED
from ludwin.evolve.experiment import Value
from ludwin.lab.evolved import Column, Size, Table, published_runs, reproduction

CORRECT_EVEN = "a correct guide; the published ones of even depth were probably floored"


def guides(*depths: int, itself: int = 0) -> tuple[Column, ...]:
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
    *published_runs("20rand+30co", {"r00032A": [554.0]}),
    *published_runs("30rand+5co", {"r00033B": [634.0], "r00034A": [660.0], "r00035B": [721.0]}),
    *published_runs("30rand+10co", {"r00036A": [705.5], "r00037B": [666.5]}),
)
TABLE_3_6 = Table(
    "lose-checkers-3.6",
    "Evolved to Win, table 3.6: players without search and without Mobility against random",
    "lose-checkers",
    DEPTH_1,
    RUNS_3_6,
    (Column("random", "random", 0),),
    {"quick": Size(400, 3, 50, 15), "standard": Size(1000, 4, 100, 100), "paper": Size(1000, 6, 100, 100)},
    flavours=(("one tree", {"trees": 1}), ("ten trees", {"trees": 10})),
)

RUNS_3_7 = published_runs(
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
SIZES_3_7 = {"quick": Size(200, 3, 40, 8), "standard": Size(1000, 5, 100, 40), "paper": Size(1000, 10, 100, 100)}
TABLE_3_7 = Table(
    "lose-checkers-3.7",
    "Evolved to Win, table 3.7: players of depth 3 against αβ3",
    "lose-checkers",
    DEPTH_3,
    RUNS_3_7,
    guides(3),
    SIZES_3_7,
    shares=SHARED,
)

TABLE_3_8 = Table(
    "lose-checkers-3.8",
    "Evolved to Win, table 3.8: the best players of table 3.7 against guides of other depths",
    "lose-checkers",
    DEPTH_3,
    published_runs(
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
    guides(3, 4, 6, 8),
    SIZES_3_7,
    made_by=RUNS_3_7,
    shares=SHARED,
)

TABLE_3_9 = Table(
    "lose-checkers-3.9",
    "Evolved to Win, table 3.9: the best players of table 3.7, expanded to depth 5",
    "lose-checkers",
    DEPTH_3,
    published_runs(
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
    guides(5, 6, 8, itself=5),
    SIZES_3_7,
    made_by=RUNS_3_7,
    shares=SHARED,
)

TABLE_3_10 = Table(
    "lose-checkers-3.10",
    "Evolved to Win, table 3.10: players evolved with depth 4",
    "lose-checkers",
    DEPTH_4,
    published_runs(
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
    guides(5, 6, 8),
    {"quick": Size(100, 2, 16, 5), "standard": Size(1000, 3, 50, 40), "paper": Size(1000, 8, 50, 70)},
)

EVOLVED = (TABLE_3_6, TABLE_3_7, TABLE_3_8, TABLE_3_9, TABLE_3_10)
REPRODUCTIONS = tuple(reproduction(table) for table in EVOLVED)
