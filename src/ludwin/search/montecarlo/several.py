"""Several independent trees for one decision (root parallelism): grown side by side, then added up.

Every tree has its own stream, so the result does not depend on how many of them grow at a time.  Playouts and nodes are
divided among the trees; so is time, by how many trees a thread grows one after the other.

References.  T. Cazenave and N. Jouandeau, "On the parallelization of UCT" (2007); G. Chaslot, M. Winands, H. J. van den
Herik, "Parallel Monte-Carlo tree search" (2008).
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ludwin.game import Game, State
from ludwin.primitives import mix, shl
from ludwin.search.choice import Choice, must_move
from ludwin.search.montecarlo.walk import RECOMMENDATIONS, ROBUST, ROBUST_BEST, favourite

if TYPE_CHECKING:
    from ludwin.search.montecarlo.mcts import MCTS


@dataclass(frozen=True)
class Share:
    """What some of the trees found about the root's moves."""

    choice: Choice
    visits: list[int]
    proved: list[int]
    means: list[float]


def choose_with_several_trees(agent: "MCTS", game: Game, state: State, seed: int, mode: str) -> Choice:
    """Return the recommended move of all trees together."""
    from ludwin.workers import Threads  # which one tree need not wait for

    must_move(game, state)
    threads = min(agent.trees, os.cpu_count() or 1) if mode == "fast" else 1
    share = replace(agent, seconds=agent.seconds / -(-agent.trees // threads))

    def grow(k: int) -> list[Share]:
        first, last = agent.trees * k // threads, agent.trees * (k + 1) // threads
        return _grow(
            share,
            game,
            state,
            seed,
            mode,
            [(tree, tree + 1) for tree in range(first, last)] if agent.seconds else [(first, last)],
        )

    crew: Threads[int, list[Share]] = Threads(lambda _, k: grow(k), threads)
    parts = [part for found in crew.map(range(threads)) for part in found]
    return _add_up(agent, state, seed, parts)


def _grow(
    agent: "MCTS", game: Game, state: State, seed: int, mode: str, ranges: Sequence[tuple[int, int]]
) -> list[Share]:
    """Grow ranges of trees one after the other, each range with the whole time that the agent has."""
    session, n, found = agent.session(game, mode), len(state.moves()), []
    for begin, end in ranges:
        session.w.run.first_tree, session.w.run.last_tree = begin, end
        choice = session.choose(state, seed)
        roots = [session.w.roots[i] for i in range(n)]
        visits, proved, means = (list(column) for column in zip(*map(_figures, roots), strict=True))
        found.append(Share(choice, visits, proved, means))
    return found


def _figures(root: Any) -> tuple[int, int, float]:
    return int(root.visits), int(root.proved), float(root.mean)


def _add_up(agent: "MCTS", state: State, seed: int, parts: Sequence[Share]) -> Choice:
    """Add up visits and rewards; a move that is proved in one of the trees is worth its proof."""
    legal = state.moves()
    n = len(legal)
    visits = [sum(part.visits[i] for part in parts) for i in range(n)]
    proved = [sum(part.proved[i] for part in parts) for i in range(n)]
    means = [sum(part.means[i] * part.visits[i] for part in parts) / max(visits[i], 1) for i in range(n)]
    for i in range(n):
        means[i] = next((part.means[i] for part in parts if part.proved[i]), means[i])
    roots = [SimpleNamespace(visits=v, proved=p, mean=m) for v, p, m in zip(visits, proved, means, strict=True)]
    rng = [mix(mix(0, shl(seed, 0)), -1)]
    policy = RECOMMENDATIONS.index(agent.recommend)
    desk = SimpleNamespace(roots=roots, rng=rng, options=SimpleNamespace(secure=agent.secure))
    best = favourite(desk, ROBUST if policy == ROBUST_BEST else policy, n)
    kinds = {
        "playouts": sum(visits),
        **{word: sum(part.choice.kinds[word] for part in parts) for word in ("tree", "expanded")},
    }
    values = {move: mean * agent.unit for move, mean in zip(legal, means, strict=True)}
    nodes, move = sum(part.choice.nodes for part in parts), legal[best]
    return Choice(
        move,
        values[move],
        nodes,
        bool(proved[best]),
        kinds,
        line=(move,),
        visits=dict(zip(legal, visits, strict=True)),
        values=values,
    )
