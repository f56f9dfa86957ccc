"""Three questions that the Twist report raises and leaves open.

How many nodes do killer moves save, with one list or one list per ply?  Is quiescence search worth its
extra plies?  Which c should UCT have for which budget?  Twist announces such measurements and prints
none; here they are, on its own terms (its evaluation and its move order, budgets in nodes).

References.  T. Tesan, "Twist: a trivially simple draughts engine", 2017.
"""

from importlib.util import find_spec
from statistics import mean

from ludwin.arena.plot import plot_strength
from ludwin.arena.stats import Estimate
from ludwin.lab.experiment import LabTable, Row, TableRun
from ludwin.lab.sources.matches import score
from ludwin.lab.sources.positions import positions, ratio
from ludwin.library import agent, load

TWIST = "eval=twist,order=twist"


def fill_killers(run: TableRun) -> None:
    """Count nodes at equal depth on a fixed set of positions; `games` is the number of positions."""
    game = load("draughts")
    states = positions(game, run.games, run.seed)
    for depth in (5, 7, 9):
        base = [agent(f"alphabeta:depth={depth},{TWIST}").choose(game, s).nodes for s in states]
        bare = [agent(f"alphabeta:depth={depth},eval=twist").choose(game, s).nodes for s in states]
        plain = ratio(bare, base, run.seed)
        run.add(
            _measured(
                f"depth {depth}, no order",
                "nodes, times ordered",
                plain,
                run.games,
                f"{mean(base):.0f} nodes a position when ordered",
            )
        )
        for form, size in (("shared", 10), ("shared", 2), ("ply", 10), ("ply", 2)):
            who = agent(f"alphabeta:depth={depth},{TWIST},killers={form},killer_size={size}")
            found = ratio([who.choose(game, s).nodes for s in states], base, run.seed)
            run.add(_measured(f"depth {depth}, killers {form}, size {size}", "nodes, times ordered", found, run.games))


def fill_quiescence(run: TableRun) -> None:
    """Play quiescence searches against plain ones of the same depth, of the depth they reach, and at equal nodes."""
    game = load("draughts:ply_limit=100")
    for form, extra in (("twist", 2), ("twist", 4), ("usual", 0)):
        quiet = f"quiescence={form}" + (f",extra={extra}" if form == "twist" else "")
        rivals = [("same depth", "depth=4", "depth=4")] + (
            [("depth + extra", "depth=4", f"depth={4 + extra}")] if extra else []
        )
        rivals.append(("equal nodes", "nodes=3000", "nodes=3000"))
        for what, own, other in rivals:
            first = agent(f"alphabeta:{own},{TWIST},{quiet},ties=random")
            second = agent(f"alphabeta:{other},{TWIST},ties=random")
            label = f"{form}{f' {extra}' if extra else ''} against plain, {what}"
            with run.cell():
                run.add(_measured(label, "score", score(run, label, game, first, second), run.games))


def fill_uct_c(run: TableRun) -> None:
    """Play UCT of many c and budgets, counted in nodes as Twist does, against one alpha-beta."""
    game = load("draughts:ply_limit=100")
    rival = agent(f"alphabeta:depth=3,{TWIST},ties=random")
    strength: dict[str, dict[float, Estimate]] = {}
    for nodes in (2_000, 8_000, 32_000, 128_000):
        for c in (0.1, 0.25, 0.5, 1.0, 2.0):
            label = f"{nodes} nodes, c = {c:g}"
            with run.cell():
                found = score(run, label, game, agent(f"uct:nodes={nodes},c={c}"), rival)
                run.add(_measured(label, f"score against {rival}", found, run.games))
                strength.setdefault(f"c = {c:g}", {})[nodes] = found
    run.demand_all()
    if run.folder and find_spec("matplotlib"):
        plot_strength(
            strength,
            run.folder / "strength.svg",
            budget="nodes",
            strength="score",
            title="UCT at draughts against alpha-beta of depth 3",
        )


def _measured(label: str, metric: str, found: Estimate, games: int, note: str = "") -> Row:
    return Row(label, metric, None, found.value, found.low, found.high, "measured", None, games, note)


TWIST_STUDIES = (
    LabTable(
        "twist-killers",
        "draughts: nodes saved by killer moves, one list or one per ply (--games: positions)",
        {"quick": (20, 1), "standard": (200, 1), "paper": (1000, 1)},
        fill_killers,
        "positions",
    ),
    LabTable(
        "twist-quiescence",
        "draughts: is quiescence search worth its plies?",
        {"quick": (100, 1), "standard": (1000, 1), "paper": (10_000, 1)},
        fill_quiescence,
        parted=True,
    ),
    LabTable(
        "twist-uct-c",
        "draughts: strength of UCT against c and the node budget",
        {"quick": (20, 1), "standard": (200, 1), "paper": (2000, 1)},
        fill_uct_c,
        parted=True,
    ),
)
