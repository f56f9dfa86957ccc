"""The command `tree`: the statistical tree behind a choice, as figures, JSON or a picture.

Why it is here.  `choose` says what a Monte Carlo search plays; this says why: where its playouts went, how deep it saw,
and, for the evolving searches, by which formula.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ludwin.cli import options as take

if TYPE_CHECKING:
    from ludwin.game import State
    from ludwin.search.montecarlo.view import SearchTree

SHOWN = 200  # nodes of a picture, unless --nodes says otherwise
EXAMPLES = (
    ("ludwin tree tic-tac-toe mcts:playouts=1000", "its figures and the most visited line"),
    ("ludwin tree fop:f=5 ea-mcts --svg tree.svg --nodes 100", "a picture of the 100 most visited nodes"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, a position, an agent, and where to draw."""
    parser.add_argument("game", metavar="GAME", help="a game's name or file, e.g. fop:f=5 or ./nim.py")
    parser.add_argument(
        "agent", metavar="AGENT", help="uct, mcts, ea-mcts or siea-mcts with settings, e.g. mcts:playouts=5000,c=0.5"
    )
    take.begin(parser)
    parser.add_argument(
        "--svg",
        "--picture",
        dest="picture",
        metavar="FILE",
        help="draw the tree there (.svg, or .png with the extra `plot`)",
    )
    parser.add_argument(
        "--nodes", type=int, default=SHOWN, metavar="N", help=f"the most visited nodes to draw (default: {SHOWN})"
    )
    take.seed(parser)
    take.mode(parser)


def run(options: argparse.Namespace) -> int:
    """Grow the tree, print what there is to say, and draw it if wished."""
    from ludwin.cli.common import load, position, print_json
    from ludwin.errors import BadParameter
    from ludwin.library import agent
    from ludwin.search.montecarlo.evolving.agents import EvolvingSession
    from ludwin.search.montecarlo.family import Family
    from ludwin.search.uct import UCT

    game = load(options.game)
    state = position(game, options)
    player = agent(options.agent, game)
    if not isinstance(player, Family | UCT):
        raise BadParameter(f"{player.name} grows no statistical tree; uct, mcts, ea-mcts and siea-mcts do")
    if options.nodes < 1:
        raise BadParameter(f"--nodes must be at least 1, got {options.nodes}")
    path = Path(options.picture) if options.picture else None
    if path and path.suffix.lower() not in (".svg", ".png"):
        raise BadParameter(f"a picture's name ends with .svg or .png, got {options.picture!r}")
    if path and path.is_dir():
        raise BadParameter(f"{str(path)!r} is a folder: give the name of a file to draw the tree to")
    if path and not path.parent.is_dir():
        raise BadParameter(f"there is no folder {str(path.parent)!r} to write {path.name!r} to")
    evolution = None
    if isinstance(player, UCT):
        choice, view = player.grown(game, state, seed=options.seed, mode=options.mode)
    else:
        session = player.session(game, options.mode)
        session.must_be_one_tree()
        choice = session.choose(state, options.seed)
        view = session.tree()
        evolution = session.evolution() if isinstance(session, EvolvingSession) else None
    if path:
        _draw(view, path, options.nodes)
    if options.json:
        head = {
            "agent": str(player),
            "seed": options.seed,
            "move": state.name(choice.move),
            "code": choice.move,
            "value": choice.value,
        }
        print_json({**view.json(), **head, **({"evolution": evolution.json()} if evolution else {})})
        return 0
    print(state.show())
    print(f"{player} plays {state.name(choice.move)}: value {choice.value:g} to player {state.mover}")
    _print_figures(view, state)
    if evolution:
        uses = " ".join(letter for letter in "QnNVBDA" if evolution.formula.uses(letter))
        print(
            f"formula: {evolution.formula} ({evolution.formula.size} nodes; uses {uses or 'nothing'}), evolved in "
            f"{evolution.playouts} playouts"
        )
    if path:
        print(f"drawn to {path}")
    return 0


def _print_figures(view: "SearchTree", state: "State") -> None:
    """Print the metrics and the most visited line."""
    print(
        f"{view.playouts} playouts, {len(view)} nodes, {view.expansion_rate:.3f} added a playout, {view.terminals} "
        f"ends of the game"
    )
    print(
        f"leaves at depth {view.leaf_depth:.2f} on average (standard deviation {view.leaf_spread:.2f}), the deepest "
        f"at {max(view.depths)}"
    )
    names, here = [], state
    for node in view.path()[1:]:
        names.append(f"{here.name(view.moves[node])} ({view.visits[node]})")
        here = here._play(view.moves[node])
    print(f"most visited line: {' '.join(names) or 'none'}")


def _draw(view: "SearchTree", path: Path, nodes: int) -> None:
    """Draw the tree; there is never half a picture."""
    if path.suffix.lower() == ".png":
        _draw_png(view, path, nodes)
    else:
        from ludwin.cli.saving import save
        from ludwin.svg import dressed

        save(path, dressed(view.svg(nodes)))


def _draw_png(view: "SearchTree", path: Path, nodes: int) -> None:
    from ludwin.arena.plot import picture
    from ludwin.search.montecarlo.view import arrange

    place = arrange(view, nodes)
    deepest = max(view.depths[node] for node in place)
    with picture(path, min(3.0 + 0.12 * len(place), 24.0), min(1.5 + 0.5 * deepest, 14.0)) as axes:
        from matplotlib.collections import LineCollection

        edges = [
            [(place[view.parents[node]], view.depths[view.parents[node]]), (place[node], view.depths[node])]
            for node in place
            if node
        ]
        widths = [0.3 + 4.0 * view.visits[node] / max(view.visits[0], 1) for node in place if node]
        axes.add_collection(LineCollection(edges, linewidths=widths, colors="#8b949e", zorder=1))
        marks = axes.scatter(
            [place[n] for n in place],
            [view.depths[n] for n in place],
            c=[view.means[n] for n in place],
            s=14,
            cmap="cividis",
            zorder=2,
        )
        axes.figure.colorbar(marks, label="mean reward of the player who moved there")
        axes.set(title=f"{len(place)} of {len(view)} nodes, {view.playouts} playouts", ylabel="depth")
        axes.set_xticks([])
        axes.set_yticks(range(deepest + 1))
        axes.invert_yaxis()
