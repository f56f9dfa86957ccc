"""Table 3.5 of *Evolved to Win*: guides against guides at lose checkers.

Published: 10,000 games a row, colours alternating.  The book stresses that odd depths beat higher even
ones; a correct alpha-beta does not show that.  The floored flavour of our guides does (see
`search/guide.py`), so its rows are the reproduction, and the rows of the correct guides stand beside
them.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 3.
"""

from ludwin.lab.experiment import LabTable, TableRun, judged
from ludwin.lab.published import data_of, rows
from ludwin.lab.sources.matches import score
from ludwin.lab.verdicts import SCORE, Finding
from ludwin.library import agent, load

DATA = data_of(__file__)

# first depth, second depth (0: random), published score of the first
TABLE_3_5 = [
    (int(row["first"]), int(row["second"]), float(row["score"])) for row in rows(DATA / "lose_checkers_3_5.csv")
]
TOLERANCE = 0.05  # the spec's independent replication came within this on all nine rows


def _guide(depth: int, floor: str) -> str:
    return f"guide:depth={depth}{floor}" if depth else "random"


def fill_table_3_5(run: TableRun) -> None:
    """Play every row in both flavours."""
    game = load("lose-checkers")
    for first, second, published in TABLE_3_5:
        for flavour, floor in (("floored", ",floor=0"), ("correct", "")):
            label = f"αβ{first} – {f'αβ{second}' if second else 'random'}, {flavour}"
            with run.cell():
                ours = score(run, label, game, agent(_guide(first, floor)), agent(_guide(second, floor)))
                run.add(judged(label, "score", SCORE, Finding(ours, run.games, published, TOLERANCE)))


LOSE_CHECKERS_3_5 = LabTable(
    "lose-checkers-3.5",
    "Evolved to Win, table 3.5: guides against guides at lose checkers, floored and correct",
    {"quick": (200, 1), "standard": (2000, 1), "paper": (10_000, 1)},
    fill_table_3_5,
    parted=True,
)
