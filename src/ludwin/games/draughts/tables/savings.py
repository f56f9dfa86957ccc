"""What each refinement of alpha-beta saves: nodes at equal depth, plain alpha-beta being 100 %.

Why it is here.  Every refinement keeps the value at the root, so nodes are the whole difference.  The
positions are those of the Twist studies; the evaluation is the game's own.
"""

from ludwin.lab.experiment import LabTable, Row, TableRun
from ludwin.lab.sources.positions import positions, ratio
from ludwin.library import agent, load

DEPTH = 9
ALL = "order=twist,killers=ply,killer_size=2,history=1,table=18,pvs=1,deepen=1"
REFINEMENTS = (
    "order=noisy",
    "order=value",
    "order=twist",
    "killers=shared",
    "killers=ply,killer_size=2",
    "history=1",
    "table=18",
    "table=18,deepen=1",
    "table=18,deepen=1,pvs=1",
    "table=18,driver=aspiration",
    "table=18,driver=mtdf",
    "killers=ply,killer_size=2,history=1,table=18,pvs=1",
    ALL,
    f"{ALL},driver=aspiration",
    f"{ALL.replace(',pvs=1', '')},driver=mtdf",
)


def fill_savings(run: TableRun) -> None:
    """Count nodes of every refinement on the same positions; `games` is the number of positions."""
    game = load("draughts")
    states = positions(game, run.games, run.seed)
    plain = [agent(f"alphabeta:depth={DEPTH}").choose(game, s) for s in states]
    base = [choice.nodes for choice in plain]
    for text in REFINEMENTS:
        run.news(text)
        choices = [agent(f"alphabeta:depth={DEPTH},{text}").choose(game, s) for s in states]
        same = sum(a.value == b.value for a, b in zip(plain, choices, strict=True))
        found = ratio([choice.nodes for choice in choices], base, run.seed)
        note = f"same value on {same} of {len(states)}"
        run.add(
            Row(text, "nodes, times plain", None, found.value, found.low, found.high, "measured", None, run.games, note)
        )


SAVINGS = LabTable(
    "alphabeta-savings",
    f"draughts: nodes of each refinement of alpha-beta at depth {DEPTH}, plain = 1 (--games: positions)",
    {"quick": (20, 1), "standard": (200, 1), "paper": (1000, 1)},
    fill_savings,
    "positions",
)
