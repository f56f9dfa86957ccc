"""Three questions that the Twist report raises and leaves open.

How many nodes do killer moves save, with one list or one list per ply?  Is quiescence search worth its
extra plies?  Which c should UCT have for which budget?  Twist announces such measurements and prints
none; here they are, on its own terms (its evaluation and its move order, budgets in nodes).

References.  T. Tesan, "Twist: a trivially simple draughts engine", 2017.
"""

from importlib.util import find_spec
from random import Random
from statistics import mean

from ludwin.arena.plot import plot_strength
from ludwin.arena.stats import Estimate
from ludwin.game import Game, State
from ludwin.lab.experiment import Experiment, Row, Run
from ludwin.library import agent, load

BOOTSTRAPS = 2000
TWIST = "eval=twist,order=twist"


def positions(game: Game, number: int, seed: int) -> list[State]:
    """Return so many positions from the middle of random games, the same for the same seed."""
    rng = Random(seed)
    found: list[State] = []
    while len(found) < number:
        state = game.start()
        for _ in range(rng.randint(4, 40)):
            if state.over:
                break
            state = state.play(rng.choice(state.moves()))
        if len(state.moves()) > 1:
            found.append(state)
    return found


def ratio(ours: list[int], base: list[int], seed: int) -> Estimate:
    """Return the ratio of two sums over the same positions, with a bootstrap interval."""
    rng = Random(seed)
    n = len(ours)
    draws = []
    for _ in range(BOOTSTRAPS):
        chosen = [rng.randrange(n) for _ in range(n)]
        draws.append(sum(ours[i] for i in chosen) / sum(base[i] for i in chosen))
    draws.sort()
    return Estimate(sum(ours) / sum(base), draws[int(0.025 * BOOTSTRAPS)], draws[int(0.975 * BOOTSTRAPS)])


def fill_killers(run: Run) -> None:
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


def fill_quiescence(run: Run) -> None:
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
            run.add(_measured(label, "score", run.score(label, game, first, second), run.games))


def fill_uct_c(run: Run) -> None:
    """Play UCT of many c and budgets, counted in nodes as Twist does, against one alpha-beta."""
    game = load("draughts:ply_limit=100")
    rival = agent(f"alphabeta:depth=3,{TWIST},ties=random")
    strength: dict[str, dict[float, Estimate]] = {}
    for nodes in (2_000, 8_000, 32_000, 128_000):
        for c in (0.1, 0.25, 0.5, 1.0, 2.0):
            label = f"{nodes} nodes, c = {c:g}"
            found = run.score(label, game, agent(f"uct:nodes={nodes},c={c}"), rival)
            run.add(_measured(label, f"score against {rival}", found, run.games))
            strength.setdefault(f"c = {c:g}", {})[nodes] = found
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
    Experiment(
        "twist-killers",
        "draughts: nodes saved by killer moves, one list or one per ply (--games: positions)",
        {"quick": (20, 1), "standard": (200, 1), "paper": (1000, 1)},
        fill_killers,
        "positions",
    ),
    Experiment(
        "twist-quiescence",
        "draughts: is quiescence search worth its plies?",
        {"quick": (100, 1), "standard": (1000, 1), "paper": (10_000, 1)},
        fill_quiescence,
    ),
    Experiment(
        "twist-uct-c",
        "draughts: strength of UCT against c and the node budget",
        {"quick": (20, 1), "standard": (200, 1), "paper": (2000, 1)},
        fill_uct_c,
    ),
)
