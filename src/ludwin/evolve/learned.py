"""Cheap first knowledge of any game: weights learnt by self-play, by temporal differences or from outcomes.

Why it is here.  A game costs as much as a thousand positions, so numbers that positions can teach should not be left to
games.  Players that know nothing play against themselves, one ply ahead, and now and then at random; what they read of
the positions (all inputs of a language, place by place) and how the games end is all that is needed:

- *temporal differences* (`td_sum`): the chance to win is a logistic sum of the inputs; after each move the opinion on
  a player's last position moves towards the one on its next, and at the end towards the result (Sutton's TD(0));
- *outcomes* (`outcome_sum`): the same sum fitted to how the games ended, by logistic regression (Buro's GLEM);
- *cases* (`outcomes`): a problem whose cases are the positions, for programs of any form and for lexicase selection.

The first two are programs, weighted sums, and seeds of a run: `--set learn=td`, `learn=outcomes`, or `learn=both`.  A
position is seen as searches ask about it: by the player to move in alpha-beta, by the player who has moved elsewhere.

>>> from ludwin.evolve.generic import language
>>> from ludwin.library import load
>>> game = load("tic-tac-toe")
>>> td_sum(game, language(game), games=20, seed=1).primitive(0).name
'Plus'

References.  R. Sutton (1988), see `games/backgammon/opponents/td.py`, which learns a network so.  M. Buro, "From simple
features to sophisticated evaluation functions", Computers and Games 1998, 126-145.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.fitted import regression
from ludwin.evolve.fitting import RIDGE, most_likely
from ludwin.evolve.labels import all_inputs
from ludwin.evolve.plan import Plan
from ludwin.evolve.players import ALPHABETA, payoff_range, searcher
from ludwin.evolve.problem import Problem
from ludwin.evolve.sums import weighted_sum
from ludwin.evolve.trees import Genome, Trees
from ludwin.game import Game
from ludwin.kernel.asked import field_query, has_only_fields
from ludwin.kernel.specialise import specialise
from ludwin.primitives import shl
from ludwin.program.interpret import reads_facts
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree
from ludwin.program.values import inputs
from ludwin.search.self_play import LEARN
from ludwin.settings import Setting, one_of

NONE, TD, OUTCOMES, BOTH = "none", "td", "outcomes", "both"
WAYS = (NONE, TD, OUTCOMES, BOTH)
EXPLORE = 0.1  # the share of random moves
RATE = 0.05  # the step of the first game; it falls to a tenth of that
WARM = 20  # random games that show how large the inputs are
MOST = 60_000  # positions that are kept for outcomes


@dataclass(frozen=True)
class Lesson:
    """What self-play has taught: weights by temporal differences, and positions with the results of their games."""

    weights: Any
    rows: Any
    results: Any


@lru_cache(maxsize=4)
def lesson(game: Game, language: Language, games: int, seed: int) -> Lesson:
    """Let players that know nothing play against themselves. Raises CannotPlay where that teaches nothing.

    Positions after random games say how large the inputs are; then it learns, with a rate that falls.
    """
    demand_teachable(game)
    wanted = _inputs(language)
    known, (low, high) = inputs(game), payoff_range(game)
    own = {"query": field_query(game.fields, game.players)} if has_only_fields(game) else {}
    run = specialise(game, replace(LEARN, bind=own), "fast")
    room, width = min(MOST, games * game.max_plies + 1), len(wanted)
    w = run.bundle(
        states=3, bufs=2, numbers=width, places=width, weights=width, x=width, top=width,
        rows=room * width, labels=room, known=game.players,
    )  # fmt: skip
    for j, (name, place) in enumerate(wanted):
        w.numbers[j], w.places[j], w.top[j], w.weights[j] = known[name], place, 1.0, 0.0
    w.run.inputs, w.run.room, w.run.to_move = width, room, int(searcher(game) == ALPHABETA)
    w.run.low, w.run.high, w.run.players = low, high, game.players
    run.put(w.states, 0, game.start())
    w.rng[0] = shl(Stream(seed, 1).seed(), 0)
    w.run.games, w.run.rate, w.run.explore = min(WARM, games), 0.0, 1.0
    made = int(run(w))
    seen = np.abs(np.array(w.rows[: made * width], dtype=float).reshape(made, width))
    tops = seen.max(axis=0) if made else np.ones(width)
    for j in range(width):
        w.top[j] = float(tops[j]) if tops[j] > 0 else 1.0
    rows, results, left = [], [], games
    w.run.explore = EXPLORE
    while left > 0:
        w.run.games = min(left, max(1, games // 10))
        w.run.rate = RATE * (0.1 + 0.9 * left / games)
        left -= w.run.games
        made = int(run(w))
        rows.append(np.array(w.rows[: made * width], dtype=float).reshape(made, width))
        results.append(np.array(w.labels[:made], dtype=float))
    scale = np.array([w.top[j] for j in range(width)])
    weights = np.array([w.weights[j] for j in range(width)]) / scale
    return Lesson(weights, np.concatenate(rows)[-MOST:] * scale, np.concatenate(results)[-MOST:])


def demand_teachable(game: Game) -> None:
    """Raise CannotPlay unless players of a game can teach themselves."""
    if game.players < 2 or game.is_world or game.has_secrets:
        raise CannotPlay(f"learn: self-play teaches games of two or more that hide nothing, {game.name} is none")


def _inputs(language: Language) -> tuple[tuple[str, int], ...]:
    if reads_facts(language):
        raise BadParameter("learn: weights are learnt for queries, fields and mobility; leave flavour=tactical out")
    return all_inputs(language)


def _as_sum(language: Language, weights: Any) -> Tree:
    """Return the weighted sum of all inputs of a language with these weights."""
    tree = weighted_sum(language, Stream(0))
    at = [k for k in range(len(tree)) if tree.primitive(k).has_value]
    order = [  # as `weighted_sum` reads them
        (one.reads, place) for one in language.primitives if one.reads for place in range(max(one.places, 1))
    ]
    known = dict(zip(_inputs(language), weights, strict=True))
    values = list(tree.values)
    for k, key in zip(at, order, strict=True):
        values[k] = float(known[key])
    return replace(tree, values=tuple(values))


def td_sum(game: Game, language: Language, games: int = 500, seed: int = 0) -> Tree:
    """Return the weighted sum that temporal differences teach in so many games of self-play. Raises CannotPlay."""
    return _as_sum(language, lesson(game, language, games, seed).weights)


def outcome_sum(game: Game, language: Language, games: int = 500, seed: int = 0) -> Tree:
    """Return the weighted sum that explains best how games of self-play ended, by logistic regression."""
    found = lesson(game, language, games, seed)
    width = found.rows.std(axis=0)
    width = np.where(width > 1e-9, width, np.inf)
    z = np.c_[(found.rows - found.rows.mean(axis=0)) / width, np.ones(len(found.rows))]
    ridge = np.array([RIDGE] * (z.shape[1] - 1) + [1e-6])
    return _as_sum(language, most_likely(z, found.results, np.zeros(len(z)), ridge)[:-1] / width)


def outcomes(game: Game, language: Language, games: int = 200, seed: int = 0, **more: Any) -> Problem:
    """Return the problem of foretelling results from positions, case by case; programs of any form take part.

    Every other position is kept for the test.  What is given beside goes to `regression`.
    """
    found = lesson(game, language, games, seed)
    columns: dict[str, Any] = {}
    for j, (name, _) in enumerate(_inputs(language)):
        columns.setdefault(name, []).append(found.rows[:, j])
    places = {one.reads: one.places for one in language.primitives if one.reads}

    def those(part: slice) -> dict[str, Any]:
        return {name: [x[part] for x in one] if places[name] else one[0][part] for name, one in columns.items()}

    first, second = slice(0, None, 2), slice(1, None, 2)
    about: dict[str, Any] = {"plan": PLAN, "error": "squared", "test": (those(second), found.results[second]), **more}
    return regression(f"results of {game.name}", those(first), found.results[first], language, **about)


PLAN = Plan(population=100, generations=20, breeding="gp", selection="epsilon-lexicase", crossover=0.6, mutation=0.4)

# ---- As a stage of a run --------------------------------------------------------------------------------------

SETTINGS = (
    Setting("learn", NONE, "weights learnt by self-play that a run begins with: td, by temporal differences; outcomes, "
            "by logistic regression of results; both", choices=WAYS),
    Setting("learn_games", 500, "games of self-play that teach them", least=1, most=10**7),
)  # fmt: skip


@dataclass(frozen=True)
class Taught(Trees):
    """Trees whose first generation begins with what self-play has taught; learnt when a run begins, and never again."""

    teach: Callable[[int], tuple[Genome, ...]] = field(default=lambda seed: (), compare=False)

    def begin(self, n: int, stream: Stream) -> list[Genome]:
        """Return a population: what was learnt, then the seeds and the others."""
        found = self.teach(stream.split(-2).seed())
        return [*found[:n], *super().begin(n, stream)[: n - len(found[:n])]]


def taught(kind: Trees, game: Game, settings: Any) -> Trees:
    """Return a kind of trees that begins with learnt weights, if the settings say so. Raises BadParameter."""
    way, games = settings["learn"], settings["learn_games"]
    one_of("learn", way, WAYS)
    if way == NONE:
        return kind
    if len(kind.roles) != 1:
        raise BadParameter("learn: weights are taught to individuals of one tree; set trees=1")
    language = kind.roles[0][1]
    _inputs(language)
    ways = [make for name, make in ((TD, td_sum), (OUTCOMES, outcome_sum)) if way in (name, BOTH)]

    def teach(seed: int) -> tuple[Genome, ...]:
        return tuple((make(game, language, games, seed),) for make in ways)

    given = {name: getattr(kind, name) for name in kind.__dataclass_fields__ if name != "name"}
    return Taught(**given, teach=teach)
