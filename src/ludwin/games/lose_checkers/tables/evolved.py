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
from ludwin.lab.evolved import reproduction
from ludwin.lab.published import data_of
from ludwin.lab.sources.champions import Column, EvolvedSize, EvolvedTable, published_runs

DATA = data_of(__file__)
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

RUNS_3_6 = published_runs(DATA / "lose_checkers_3_6.csv")
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

RUNS_3_7 = published_runs(DATA / "lose_checkers_3_7.csv")
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
    guides(3),
    SIZES_3_7,
    shares=SHARED,
)

TABLE_3_8 = EvolvedTable(
    "lose-checkers-3.8",
    "Evolved to Win, table 3.8: the best players of table 3.7 against guides of other depths",
    "lose-checkers",
    DEPTH_3,
    published_runs(DATA / "lose_checkers_3_8.csv"),
    guides(3, 4, 6, 8),
    SIZES_3_7,
    made_by=RUNS_3_7,
    shares=SHARED,
)

TABLE_3_9 = EvolvedTable(
    "lose-checkers-3.9",
    "Evolved to Win, table 3.9: the best players of table 3.7, expanded to depth 5",
    "lose-checkers",
    DEPTH_3,
    published_runs(DATA / "lose_checkers_3_9.csv"),
    guides(5, 6, 8, itself=5),
    SIZES_3_7,
    made_by=RUNS_3_7,
    shares=SHARED,
)

TABLE_3_10 = EvolvedTable(
    "lose-checkers-3.10",
    "Evolved to Win, table 3.10: players evolved with depth 4",
    "lose-checkers",
    DEPTH_4,
    published_runs(DATA / "lose_checkers_3_10.csv"),
    guides(5, 6, 8),
    {
        "quick": EvolvedSize(100, 2, 16, 5),
        "standard": EvolvedSize(1000, 3, 50, 40),
        "paper": EvolvedSize(1000, 8, 50, 70),
    },
)

EVOLVED = (TABLE_3_6, TABLE_3_7, TABLE_3_8, TABLE_3_9, TABLE_3_10)
REPRODUCTIONS = tuple(reproduction(table) for table in EVOLVED)
