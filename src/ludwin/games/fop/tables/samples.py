"""Function optimisation, measured: many decisions of one agent, and what their trees look like.

Why it is here.  A table of the thesis is a hundred independent decisions of each agent about [0, 1].  A decision costs
some hundredths of a second in compiled code, which threads run side by side; an agent's decisions are one file in the
folder of the experiment, written whole, so that a stopped run goes on with the next agent.

The result of a decision is f at the middle of the interval at the end of the most visited line.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), section 5.5.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from statistics import stdev
from typing import Any

import numpy as np

from ludwin.files import write_whole
from ludwin.formats import Format, List, Number, Shape, Table, Text, Whole
from ludwin.game import Game
from ludwin.lab.experiment import TableRun
from ludwin.lab.sources import decisions
from ludwin.library import agent, load
from ludwin.search.montecarlo.evolving.agents import EvolvingSession
from ludwin.search.montecarlo.family import Family
from ludwin.search.montecarlo.session import SearchSession
from ludwin.search.montecarlo.view import BINS, STAGES, middle
from ludwin.shipping import pack_game, unpack_game
from ludwin.spread import Errand, elsewhere, in_order
from ludwin.workers import Threads

FUNCTIONS = ("1", "2", "3", "4", "5")
PLAYOUTS = 5000
EVOLUTION = 2430  # of them, which the evolving agents take for evolution
DEEPEST = 64  # leaves are counted by depth up to here
STRIDE = 1_000_000  # decision i of seed s is made with seed s * STRIDE + i: other seeds are other decisions


@dataclass(frozen=True)
class Decision:
    """One decision: what its tree was like, and how its formula came about if one was evolved."""

    result: float
    rate: float  # nodes per playout
    terminals: int
    depth: float  # mean of the leaves
    spread: float  # standard deviation of the leaves' depths
    formula: str = ""
    generations: int = 0
    tied: int = 0  # generations with several best
    semantic: int = 0  # generations that semantics decided


DECISIONS = Format(
    "ludwin-fop",
    1,
    Table(
        {
            **{key: Shape() for key in ("game", "agent", "seed", "runs")},
            "decisions": List(
                Table(
                    {
                        **dict.fromkeys(("result", "rate", "depth", "spread"), Number()),
                        **dict.fromkeys(("terminals", "generations", "tied", "semantic"), Whole(0)),
                        "formula": Text(),
                    }
                )
            ),
            "places": List(List(Whole(0), BINS, BINS), STAGES, STAGES),
            "leaves": List(Whole(0), DEEPEST + 1, DEEPEST + 1),
        }
    ),
    "decisions",
)


@dataclass(frozen=True)
class Sample:
    """All decisions of one agent about one function."""

    game: str
    agent: str
    decisions: tuple[Decision, ...]
    places: tuple[tuple[int, ...], ...]  # nodes of all trees by stage and place, 128 of them
    leaves: tuple[int, ...]  # leaves of all trees by depth

    def column(self, name: str) -> list[float]:
        """Return one figure of every decision."""
        return [float(getattr(decision, name)) for decision in self.decisions]

    @property
    def histogram(self) -> list[list[float]]:
        """Nodes by stage and place, of a mean tree."""
        return [[count / len(self.decisions) for count in stage] for stage in self.places]


def to_the_end(playouts: int) -> str:
    """Return the setting that a budget needs which evolution would use up (tests have such budgets; the tables do not).

    >>> to_the_end(5000), to_the_end(60)
    ('', ',continued=1')
    """
    return "" if playouts > 2 * EVOLUTION else ",continued=1"


def deviation_of(values: Sequence[float]) -> float:
    """Return the standard deviation; of one value it is 0."""
    return stdev(values) if len(values) > 1 else 0.0


def function(f: str, t: float = 1e-5) -> Game:
    """Return the game of one function."""
    return load("fop", f=f, t=t)


def measure(run: TableRun, game: Game, text: str, label: str, mode: str = "fast") -> Sample:
    """Let an agent decide `run.games` times, or read what it decided before."""
    run.demand_mine()
    made = agent(text)
    assert isinstance(made, Family)
    path = decisions.path_of(run, label)
    head = {"game": game.text, "agent": str(made), "seed": run.seed, "runs": run.games}
    if path and path.exists():
        return decisions.read(path, DECISIONS, head, _sample)
    run.news(f"{label}: {run.games} decisions")
    sample = decide(made, game, run.seed, run.games, run.workers, mode)
    if path:
        path.parent.mkdir(exist_ok=True)
        rows = [asdict(decision) for decision in sample.decisions]
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        tail = json.dumps({"places": sample.places, "leaves": sample.leaves})[1:-1]
        beginning = json.dumps({**DECISIONS.head, **head})[1:-1]
        write_whole(path, f'{{{beginning},\n"decisions": [\n{lines}\n],\n{tail}}}\n')
    return sample


def decide(made: Family, game: Game, seed: int, runs: int, workers: int = 1, mode: str = "fast") -> Sample:
    """Make so many decisions about a function, in threads; the result does not depend on how many."""
    seeds, spread = range(seed * STRIDE, seed * STRIDE + runs), elsewhere(workers)
    if spread:
        common = {"game": pack_game(game), "agent": str(made), "mode": mode}
        answers = in_order(spread, DECIDING, common, seeds)
        ordered: list[tuple[Decision, Any, Any]] = [
            (Decision(**told), np.array(places), np.array(leaves)) for told, places, leaves in answers
        ]
    else:
        made.session(game, mode)  # compiled once, before threads ask for it
        crew = Threads(_one, min(workers, runs), lambda: made.session(game, mode))
        ordered = list(crew.map(seeds))
    places = sum(places for _, places, _ in ordered)
    leaves = sum(leaves for _, _, leaves in ordered)
    return Sample(
        game.text,
        str(made),
        tuple(decision for decision, _, _ in ordered),
        tuple(map(tuple, places.tolist())),
        tuple(leaves.tolist()),
    )


def _one(session: SearchSession, seed: int) -> tuple[Decision, Any, Any]:
    """Make one decision and look at its tree."""
    session.choose(session.game.start(), seed)
    metrics = session.metrics()
    value = session.game.module.value(middle(metrics.line, session.game.module.K))
    figures = (value, metrics.expansion_rate, metrics.terminals, metrics.leaf_depth, metrics.leaf_spread)
    if not isinstance(session, EvolvingSession):
        return Decision(*figures), *layout(session)
    evolution = session.evolution()
    tied, semantic = (
        (sum(flags) for flags in zip(*((g.tied, g.how == "semantics") for g in evolution.generations), strict=True))
        if evolution.generations
        else (0, 0)
    )
    return Decision(*figures, str(evolution.formula), len(evolution.generations), tied, semantic), *layout(session)


def _opened(common: Any) -> SearchSession:
    """Return the search of an agent on another machine."""
    made = agent(common["agent"])
    assert isinstance(made, Family)
    return made.session(unpack_game(common["game"]), common["mode"])


def _decide_there(session: SearchSession, seeds: list[Any]) -> list[Any]:
    """Make decisions there: each as JSON, with the places and leaves of its tree."""
    found = (_one(session, int(seed)) for seed in seeds)
    return [[asdict(decision), places.tolist(), leaves.tolist()] for decision, places, leaves in found]


DECIDING = Errand("ludwin.games.fop.tables.samples:DECIDING", _opened, _decide_there)


def layout(session: SearchSession) -> tuple[Any, Any]:
    """Return how many nodes of a tree lie at each place by stage, and how many leaves at each depth.

    The same as `SearchTree.histogram` counts, without making a value of every node.
    """
    size, playouts, parts = int(session.w.run.size), max(int(session.w.run.played), 1), int(session.game.module.K)
    names = ("parent", "move", "level", "born")
    parents, moves, levels, born = (np.asarray(session.w.tree.column(name, size), dtype=np.int64) for name in names)
    index = np.zeros(size, dtype=np.int64)
    for level in range(1, int(levels.max()) + 1):
        here = np.flatnonzero(levels == level)
        index[here] = index[parents[here]] * parts + moves[here]
    places = np.minimum(((index + 0.5) / float(parts) ** levels * BINS).astype(np.int64), BINS - 1)
    stages = np.minimum(STAGES * np.maximum(born - 1, 0) // playouts, STAGES - 1)
    counts = np.bincount(stages * BINS + places, minlength=STAGES * BINS).reshape(STAGES, BINS)
    is_leaf = np.ones(size, dtype=bool)
    is_leaf[parents[1:]] = False
    return counts, np.bincount(np.minimum(levels[is_leaf], DEEPEST), minlength=DEEPEST + 1)


def _sample(data: dict[str, Any]) -> Sample:
    """Return what a file says. Raises ValueError and the like."""
    kinds: dict[str, Any] = {field.name: field.type for field in fields(Decision)}
    rows = [Decision(**{name: kind(row[name]) for name, kind in kinds.items()}) for row in data["decisions"]]
    places = tuple(tuple(int(count) for count in stage) for stage in data["places"])
    leaves = tuple(int(count) for count in data["leaves"])
    if len(rows) != data["runs"]:
        raise ValueError("something is missing")
    return Sample(data["game"], data["agent"], tuple(rows), places, leaves)
