"""Analyses at a table: a search that is watched while it deepens, several best lines, a tree, a judged game.

Why it is here.  The process of a table holds the rules and the search; a thread of it thinks and this module looks at
the thinking a few times a second, and tells what has changed.  Values are the mover's; `bar` is the same as the part
of a bar that belongs to the first player.
"""

import math
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ludwin.arena.analysis import Searching, analyse_game, unit_of
from ludwin.errors import BadParameter, LudwinError
from ludwin.game import Game, State
from ludwin.play.session import adviser_for
from ludwin.primitives import CHANCE, draw, stream
from ludwin.progress import Silent
from ludwin.search.alphabeta import AlphaBeta, AlphaBetaPlayer
from ludwin.search.choice import Agent, Choice
from ludwin.search.montecarlo.family import Family
from ludwin.search.montecarlo.view import SearchTree, arrange
from ludwin.search.thinking import NothingFound, ThinkingHandle, begin, budget
from ludwin.search.uct import UCT
from ludwin.web.sight import TableSight
from ludwin.web.talk import error_of

LOOKS = 0.12  # seconds between two looks at a search
STILL = 0.5  # seconds after which a search that has found nothing new tells its counts
GAMES, PLIES = 6, 60  # random games from which the scale of a game's values is learnt
MOST_NODES = 400  # of a tree on the screen
Tell = Callable[..., None]


class SeveralLines(ThinkingHandle):
    """Alpha-beta with several best lines: at every depth the best move, then the best of the others, and so on."""

    number = 1

    def __init__(self, agent: AlphaBeta, game: Game, state: State, seed: int, number: int):
        self.number = number
        self.lines: list[Choice] = []
        super().__init__(agent, game, state, seed, "fast")

    def peek(self) -> Choice | None:
        """Return the best line of the last depth that is whole."""
        return self.lines[0] if self.lines else None

    def _work(self) -> Choice | None:
        assert isinstance(self.agent, AlphaBeta)
        number = min(self.number, len(self.state.moves()))
        whole = replace(self.agent, deepen=0, keep=1, table=self.agent.table or 18)
        player = AlphaBetaPlayer(whole, self.game, self.mode)
        for depth in range(1, self.agent.depth + 1):
            player.limit(replace(whole, depth=depth))
            found: list[Choice] = []
            for _ in range(number):
                found.append(player(self.state, self.seed, (), barred=[one.move for one in found]))
                if self.watch.stopped:
                    return self.peek()
            self.lines = found
            if all(one.decided for one in found):
                break
        return self.peek()


class Scale:
    """How values of a game are spread, learnt from random games: for the bar alone."""

    def __init__(self, game: Game):
        payoffs, opinions = [], []
        for number in range(GAMES):
            rng, state = [stream(number, 11)], game.start()
            for ply in range(PLIES):
                legal = state.moves()
                if not legal:
                    break
                if state.mover != CHANCE and "evaluate" in game.offers and ply % 5 == 4:
                    opinions.append(abs(float(state.evaluate())))
                state = state._play(legal[draw(rng, len(legal))])
            if state.over:
                payoffs += [float(value) for value in state.payoffs()]
        self.low, self.high = (min(payoffs), max(payoffs)) if payoffs else (-1.0, 1.0)
        if self.low == self.high:
            self.low, self.high = min(self.low, -1.0), max(self.high, 1.0)
        self.middle = statistics.median([one for one in opinions if one] or [1.0])

    def part(self, value: float, unit: str) -> float:
        """Return a value of the first player's as a part of a bar, from 0 to 1."""
        if not math.isfinite(value):
            return 0.5
        if unit == "points":
            return 0.5 + 0.5 * math.tanh(value / (2 * self.middle))
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def default_agent(game: Game, seconds: float) -> Agent:
    """Return who analyses a game where nobody is named: what it can be played by, without an end of its own."""
    if game.players <= 2 and game.payoff_sum is not None and not game.has_chance and not game.has_secrets:
        if game.players == 2:
            return AlphaBeta(depth=64, deepen=1, table=20)
        return adviser_for(game)
    if game.players == 1 and not game.has_chance and not game.has_secrets:
        return adviser_for(game)
    return UCT(playouts=0, seconds=seconds)


class TableAnalysis:
    """One search that is watched: it tells its lines until it is done or stopped."""

    def __init__(self, sight: TableSight, state: State, ply: int, agent: Agent, tell: Tell):
        self.sight, self.state, self.ply, self.agent, self.tell = sight, state, ply, agent, tell
        self.handle: ThinkingHandle | None = None
        self.cancelled = False
        self.wake = threading.Event()
        self.seconds, self.lines, self.seed = 60.0, 1, 0
        self.whole = False  # every move of the position is a line
        self.path: tuple[int, ...] = ()  # moves from the table's position to the one that is searched
        self.tree: SearchTree | None = None
        self.thread: threading.Thread | None = None
        self._said: Any = None

    def start(self, work: Callable[[], None]) -> None:
        """Begin to work in a thread of its own."""

        def live() -> None:
            try:
                work()
            except NothingFound:
                self.tell("state", state="cancelled", reason="stopped before anything was found")
            except LudwinError as error:
                self.tell("state", state="failed", reason=error_of(error)["message"])
            except Exception as error:  # a user's rules may raise anything
                self.tell("state", state="failed", reason=error_of(self.sight.session.game.fault(error))["message"])

        usual = threading.stack_size(2**24)
        self.thread = threading.Thread(target=live, name="ludwin-analysis", daemon=True)
        self.thread.start()
        threading.stack_size(usual)

    def stop(self, patience: float = 0.25) -> bool:
        """End the search; tell whether it has ended in time. What cannot be stopped is killed by the server."""
        self.cancelled = True
        self.wake.set()
        ended = self.handle.stop(patience) if self.handle is not None else True
        if self.thread is not None and self.thread is not threading.current_thread():
            self.thread.join(patience)
            ended = ended and not self.thread.is_alive()
        return ended

    # A position

    def deepen(self) -> None:
        """Search the position and tell every change, until the search is done, stopped, or out of time."""
        game, state = self.state.game, self.state
        self.tell("state", state="running", agent=str(self.agent), ply=self.ply)
        several = (self.lines > 1 or self.whole) and isinstance(self.agent, AlphaBeta) and not self.agent.is_plain
        self.handle = (
            SeveralLines(self.agent, game, state, self.seed, self.lines)  # type: ignore[arg-type]
            if several
            else begin(self.agent, game, state, self.seed)
        )
        began, told = time.monotonic(), 0.0
        while not self.handle.done and not self.cancelled:
            self.wake.wait(LOOKS if time.monotonic() - began > LOOKS else 0.01)
            if time.monotonic() - began > self.seconds:
                break
            found = self.handle.peek()
            mark = _mark(found)
            if found is not None and (mark != self._said or time.monotonic() - told > STILL):
                self._said, told = mark, time.monotonic()
                self.tell("line", **self.describe(found, time.monotonic() - began))
        if not self.handle.done:
            self.handle.stop(5.0)
        choice = self.handle.result()
        self.tell("line", **self.describe(choice, time.monotonic() - began), last=True)
        self.tell("state", state="cancelled" if self.cancelled else "done")

    def describe(self, choice: Choice, seconds: float) -> dict[str, Any]:
        """Return what the page is told of a choice."""
        state, game = self.state, self.state.game
        unit = unit_of(self.agent, choice)
        legal = state.moves()
        moves = [
            {"move": state.name(m), "code": m, "visits": choice.visits.get(m), "value": _finite(choice.values.get(m))}
            for m in sorted(choice.visits, key=lambda m: -choice.visits[m])
            if m in legal
        ][: max(self.lines, 12)]
        several = self.handle.lines if isinstance(self.handle, SeveralLines) else []
        lines = [
            {
                "value": _finite(one.value),
                "unit": unit_of(self.agent, one),
                "decided": one.decided,
                "nodes": one.nodes,
                "line": self.sight.line(state, one.line or (one.move,)),
            }
            for one in (several or [choice])
        ]
        return {
            "ply": self.ply,
            "mover": state.mover,
            "agent": str(self.agent),
            "depth": choice.depth or None,
            "playouts": choice.kinds.get("playouts"),
            "value": _finite(choice.value),
            "unit": unit,
            "decided": choice.decided,
            "bar": self.bar(choice.value, unit) if game.players <= 2 else None,
            "bars": [round(scale_of(game).part(one, "payoff"), 4) for one in choice.payoffs],
            "payoffs": [_finite(one) for one in choice.payoffs],
            "nodes": choice.nodes,
            "seconds": round(seconds, 3),
            "move": state.name(choice.move),
            "code": choice.move,
            "line": lines[0]["line"],
            "lines": lines[: self.lines],
            "path": list(self.path),
            "moves": moves,
        }

    def bar(self, value: float, unit: str) -> float:
        """Return the first player's part of the bar."""
        search = Searching(self.state.game, self.agent)
        scale = scale_of(self.state.game)
        return round(scale.part(search.seen_by(0, self.state.mover, value, unit), unit), 4)

    # A tree

    def grow(self) -> None:
        """Search with an agent that grows a tree, and keep it."""
        agent, game = self.agent, self.state.game
        self.tell("state", state="running", agent=str(agent), ply=self.ply)
        if isinstance(agent, UCT):
            self.tree = agent.grown(game, self.state, seed=self.seed)[1]
        elif isinstance(agent, Family):
            self.tree = agent.tree(game, self.state, seed=self.seed)
        else:
            raise BadParameter(f"{agent.name} keeps no tree; uct and mcts do")
        self.tell("state", state="done", nodes=len(self.tree), playouts=self.tree.playouts)

    def nodes(self, node: int, limit: int) -> dict[str, Any]:
        """Return the most visited nodes below one, with their places in a picture."""
        tree = self.tree
        if tree is None:
            raise BadParameter("the tree has not grown yet")
        if not 0 <= node < len(tree):
            raise BadParameter(f"there is no node {node} in a tree of {len(tree)}")
        limit = min(max(limit, 1), MOST_NODES)
        place = arrange(tree, limit)
        if node:
            more = sorted(tree.children(node), key=lambda child: -tree.visits[child])[:limit]
            chain = [node]
            while tree.parents[chain[-1]] >= 0:
                chain.append(tree.parents[chain[-1]])
            place = {one: float(k) for k, one in enumerate([*reversed(chain), *more])}
        names = tree.names(list(place))
        return {
            "size": len(tree),
            "playouts": tree.playouts,
            "agent": str(self.agent),
            "ply": self.ply,
            "nodes": [
                {
                    "id": one,
                    "parent": tree.parents[one],
                    "x": x,
                    "depth": tree.depths[one],
                    "move": names[one],
                    "code": tree.moves[one],
                    "visits": tree.visits[one],
                    "mean": tree.means[one],
                    "kind": tree.kinds[one],
                    "owner": tree.owners[one],
                    "born": tree.born[one],
                    "children": len(tree.children(one)),
                    "steps": tree.steps(one),
                }
                for one, x in place.items()
            ],
        }

    # A game

    def judge(self, states: Sequence[State], codes: Sequence[int], names: Sequence[str], mistake: float) -> None:
        """Judge every move of a game, and tell curve and mistakes."""
        self.tell("state", state="running", agent=str(self.agent))

        search = Searching(self.state.game, self.agent, self.seed)
        found = analyse_game(search, states, codes, names, mistake=mistake, progress=Counted(self, len(states)))
        scale = scale_of(self.state.game)
        bars = [round(scale.part(v, u), 4) for v, u in zip(found.values, found.units, strict=True)]
        self.tell("game", **found.to_dict(), bars=bars)
        self.tell("state", state="done")


class Counted(Silent):
    """Tells how many positions of a game are searched, and ends the work where nobody wants it any more."""

    def __init__(self, analysis: TableAnalysis, positions: int):
        self.analysis, self.positions = analysis, positions

    def done(self, number: int, about: str = "", *, step: str = "") -> None:
        """Tell the number. Raises NothingFound after a stop."""
        if self.analysis.cancelled:
            raise NothingFound("the analysis was stopped")
        self.analysis.tell("progress", done=number, of=self.positions)


_scales: dict[str, Scale] = {}


def scale_of(game: Game) -> Scale:
    """Return the scale of a game, learnt once."""
    if game.fingerprint not in _scales:
        _scales[game.fingerprint] = Scale(game)
    return _scales[game.fingerprint]


def limited(agent: Agent, seconds: float, playouts: int) -> Agent:
    """Return an agent with at most so much of a budget: for advice that comes at once."""
    if budget(agent, "seconds"):
        return replace(agent, seconds=min(budget(agent, "seconds"), seconds))  # type: ignore[call-arg]
    if budget(agent, "playouts") > playouts:
        return replace(agent, playouts=playouts)  # type: ignore[call-arg]
    return agent


def _mark(choice: Choice | None) -> Any:
    return None if choice is None else (choice.depth, choice.line[:4], choice.kinds.get("playouts", 0) // 500)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
