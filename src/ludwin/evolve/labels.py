"""Leaf labels: positions as a search sees them, and how they ended; a cheap first fitness for evaluations.

The idea.  Positions of real games teach an evaluation little about what a search asks it: there exchanges are over, at
a leaf they are in the middle.  So from a decision of the present player a few random plies are played, as many as the
player looks ahead; that gives a leaf.  From there the game is played to its end by the same two players, once: its
outcome is the leaf's label.  Several leaves hang on one decision and are marked as one *group*, because what an
evaluation is for is to tell them apart, not to know who is winning anyway.

All inputs of the language are read at each leaf in compiled code, so that any term is then a column of numbers
(`program/rows.py`), without a position being looked at again.

References.  M. Buro, "From simple features to sophisticated evaluation functions" (1998), the generalized linear
evaluation model: weights of features fitted to outcomes by logistic regression.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.play.referee import REPETITIONS
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.program.values import inputs
from ludwin.search.choice import Agent
from ludwin.search.seat import Seat

Columns = NDArray[np.float64]
Input = tuple[str, int]  # what a terminal reads, and its place

TEXT = """
from ludwin.kernel.names import HALF_SUM, Bundle, copy, key, mover, moves, payoff, play, query
from ludwin.primitives import draw, mix


def finish(w, plies, keep):
    # Play w.states[0] to its end; with `keep` the decisions of agent 0 are kept. Returns whether it ended by the rules.
    s = w.states[0]
    out = w.bufs[0]
    kept = 0
    decisions = 0
    n = moves(s, out)
    while n > 0:
        if plies >= w.game.limit:
            return -1
        k = key(s)
        seen = 0
        for i in range(kept):
            if w.keys[i] == k:
                seen += 1
        if seen + 1 >= {repetitions}:
            return -1
        w.keys[kept] = k
        kept += 1
        player = mover(s)
        start = mix(mix(mix(0, w.game.seed), player), plies)
        if (player + w.game.rotation) % 2 == 0:
            if keep > 0:
                copy(w.decisions[decisions], s)
                decisions += 1
            copy(w.seat0.states[0], s)
            w.seat0.rng[0] = start
            move = seat0(w.seat0)
        else:
            copy(w.seat1.states[0], s)
            w.seat1.rng[0] = start
            move = seat1(w.seat1)
        play(s, move)
        plies += 1
        n = moves(s, out)
    return decisions


def harvest(w: Bundle):
    # One game from the start; then groups of leaves below its decisions. Returns the number of leaves.
    game = w.game
    s = w.states[0]
    out = w.bufs[0]
    w.nature[0] = mix(mix(0, game.seed), -7)
    for _ in range(game.opening):
        n = moves(s, out)
        if n > 0:
            play(s, out[draw(w.nature, n)])
    decisions = finish(w, 0, 1)
    made = 0
    if decisions <= 0:
        return 0
    for group in range(game.groups):
        at = draw(w.nature, decisions)
        for _ in range(game.siblings):
            copy(s, w.decisions[at])
            n = moves(s, out)
            for _ply in range(game.plies):
                if n > 0:
                    play(s, out[draw(w.nature, n)])
                    n = moves(s, out)
            if n > 0:
                me = mover(s)
                base = made * game.inputs
                for j in range(game.inputs):
                    k = w.numbers[j]
                    w.rows[base + j] = 1.0 * n if k < 0 else 1.0 * query(s, me, k, w.places[j])
                game.seed = mix(game.seed, made + 1)
                if finish(w, 0, 0) >= 0:
                    w.labels[made] = payoff(s, me) - HALF_SUM
                else:
                    w.labels[made] = 0.0
                w.groups[made] = group
                made += 1
    return made
"""

RECORDS = {
    "states": "States",
    "bufs": "Moves",
    "nature": "Ints",
    "keys": "Ints",
    "decisions": "States",
    "numbers": "Ints",
    "places": "Ints",
    "groups": "Ints",
    "rows": "Floats",
    "labels": "Floats",
    "game": {
        **dict.fromkeys(("seed", "rotation", "limit", "opening", "groups", "siblings", "plies", "inputs"), int),
    },
}


def _kernel(seats: Sequence[Seat]) -> Kernel:
    players = {f"seat{k}": seat.kernel for k, seat in enumerate(seats)}
    text = TEXT.format(repetitions=REPETITIONS)
    return kernel_from_text("leaf labels", "harvest", text, bind={**players}, records={**RECORDS, **players})


@dataclass(frozen=True)
class Labels:
    """Leaves as rows of inputs, each with its label (above 0: the mover won) and the group that it belongs to."""

    inputs: tuple[Input, ...]
    rows: Columns
    labels: Columns
    groups: NDArray[np.int64]
    games: int  # that were played for them

    def __len__(self) -> int:
        return len(self.labels)

    def column(self, name: str, place: int) -> Columns:
        """Return one input at all leaves."""
        found: Columns = self.rows[:, self.inputs.index((name, place))]
        return found


@dataclass(frozen=True)
class Harvest:
    """How leaves are taken: openings of random plies, groups a game, leaves a group, random plies below a decision."""

    opening: int = 0
    groups: int = 3
    siblings: int = 4
    plies: int = 3


HARVEST = Harvest()


def all_inputs(language: Language) -> tuple[Input, ...]:
    """Return everything that programs of a language can read, place by place."""
    reads = dict.fromkeys((p.reads, place) for p in language.primitives if p.reads for place in range(max(p.places, 1)))
    return tuple((str(name), place) for name, place in reads)


def harvest(
    game: Game, language: Language, player: Agent, opponent: Agent, games: int, stream: Stream, how: Harvest = HARVEST
) -> Labels:
    """Return the leaves of so many games between two players, sides swapped; random openings in every other game.

    Raises CannotPlay if one of them has no kernel, or if there are no leaves.
    """
    seats = [agent.seat(game) for agent in (player, opponent)]
    if game.players != 2 or any(seat is None for seat in seats):
        raise CannotPlay(f"leaf labels need a game of two and players with kernels, not {player.name} in {game.name}")
    known, wanted = inputs(game), all_inputs(language)
    if any(known.get(name, 0) < -1 for name, _ in wanted):
        raise CannotPlay("leaf labels read queries, fields and mobility, no tactical facts; leave flavour=tactical out")
    taken = [seat for seat in seats if seat is not None]
    run = specialise(game, _kernel(taken), "fast")
    most, width, each = game.max_plies + 1, len(wanted), how.groups * how.siblings
    sizes: dict[str, Any] = {f"seat{k}": seat.sizes for k, seat in enumerate(taken)}
    arrays = {"numbers": width, "places": width, "groups": each, "rows": each * width, "labels": each}
    w = run.bundle(keys=most, decisions=most, **arrays, **sizes)
    for k, seat in enumerate(taken):
        seat.prepare(run, getattr(w, f"seat{k}"))
    for j, (name, place) in enumerate(wanted):
        w.numbers[j], w.places[j] = known[name], place
    w.game.limit, w.game.inputs = game.max_plies, width
    w.game.groups, w.game.siblings, w.game.plies = how.groups, how.siblings, how.plies
    begin, played = game.start(), 0
    rows, labels, groups = [], [], []
    for number in range(games):
        run.put(w.states, 0, begin)
        w.game.seed, w.game.rotation = stream.split(number // 2).seed(), number % 2
        w.game.opening = how.opening if number // 2 % 2 else 0
        made = int(run(w))
        rows.append(np.array(w.rows[: made * width], dtype=float).reshape(made, width))
        labels.append(np.array(w.labels[:made], dtype=float))
        groups.append(np.array(w.groups[:made], dtype=np.int64) + number * how.groups)
        played += 1 + made
    if not any(map(len, labels)):
        raise CannotPlay(
            f"{game.name}: {games} games had no decision below which anything is left after {how.plies} random plies, "
            f"so there are no leaves to label; choose another breeding than terms"
        )
    return Labels(wanted, np.concatenate(rows), np.concatenate(labels), np.concatenate(groups), played)
