"""Bearing off, exactly: how many rolls a player alone needs for up to fifteen men on its six home points.

The idea.  From the empty board upwards, every position is settled by positions with fewer pips: for each of 21 rolls
the play is taken that leaves the fewest expected rolls, and the distribution of the number of rolls is the mean of
those behind the plays.  54,264 positions, a second of work.  When both players bear off without contact, who wins is a
matter of two such distributions; what is not in the table, a race from further away, is judged by pips.

Exact is the number of rolls under play that minimises its mean; against an opponent who is nearly done another play may
win more often, by a hair.

References.  GNU Backgammon's one-sided database, with which it agrees; W. Trice, "Backgammon Boot Camp" (2004), for
effective pip counts.
"""

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.game import Game
from ludwin.games.backgammon.opponents.oneply import OnePly, PubevalBrain, before_the_move, pubeval_score
from ludwin.kernel.bundle import Members
from ludwin.kernel.names import Bundle, copy, moves, play
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel
from ludwin.search.afterstate import AfterState

POINTS, MEN = 6, 15
SPAN = 32  # numbers of rolls that are told apart; fifteen men on the sixth point need fewer, but for 1 in 10**12
POSITIONS = math.comb(MEN + POINTS, POINTS)
PIPS_A_ROLL = 49 / 6
WASTE = 7.5  # pips that bearing off wastes, about, when both sides are still far
SPREAD = 0.277  # variance of the rolls that a race takes, per roll: 18.8 pips squared, over PIPS_A_ROLL squared

# C(n, k) in one row: entry 7 * n + k.
CHOOSE = tuple(math.comb(n, k) for n in range(MEN + POINTS + 1) for k in range(POINTS + 1))


# ---- Numbers of positions (kernel text) -----------------------------------------------------------------------------


def rank(w, s, base):
    """Return the number of the position of the men that begin at `base`: every play leads to a lower one.

    Men on the points 6, 5, … 1 and the bars between them are a word of two letters; words are numbered in order.
    """
    men = 0
    number = 0
    for k in range(POINTS):
        men += s.men[base + 19 + k]
        number += w.brain_choose[7 * (men + k) + k + 1]
    return number


def all_home(s, base):
    """Tell whether no man that begins at `base` is outside its home."""
    for n in range(19):
        if s.men[base + n] > 0:
            return False
    return True


def build(w: Bundle):
    """Fill the table from the empty board upwards."""
    s = w.states[0]
    child = w.states[1]
    for k in range(52):
        s.men[k] = 0
    s.men[51] = MEN
    w.brain_rolls[0] = 1.0
    for number in range(1, POSITIONS):
        set_men(w, s, number)
        for high in range(1, 7):
            for low in range(1, high + 1):
                s.stage = 2
                s.turn = 0
                s.high = high
                s.low = low
                s.cube = 1
                best = number
                for i in range(moves(s, w.bufs[0])):
                    copy(child, s)
                    play(child, w.bufs[0][i])
                    after = rank(w, child, 0)
                    if best == number or w.brain_mean[after] < w.brain_mean[best]:
                        best = after
                p = 1.0 / 36.0 if high == low else 2.0 / 36.0
                w.brain_mean[number] += p * (1.0 + w.brain_mean[best])
                for k in range(SPAN - 1):
                    w.brain_rolls[SPAN * number + k + 1] += p * w.brain_rolls[SPAN * best + k]
    return POSITIONS


def set_men(w, s, number):
    """Put the men of a position's number on the board."""
    men = MEN
    ahead = MEN + POINTS - 1
    rest = number
    for k in range(POINTS, 0, -1):
        while w.brain_choose[7 * ahead + k] > rest:
            ahead -= 1
        rest -= w.brain_choose[7 * ahead + k]
        total = ahead - k + 1
        if k < POINTS:
            s.men[19 + k] = men - total
        else:
            s.men[25] = MEN - total
        men = total
    s.men[19] = men
    return number


BUILD = Kernel(
    "bearoff",
    build,
    records={"states": "States", "bufs": "Moves", "brain_choose": [int], "brain_mean": [float], "brain_rolls": [float]},
)


@dataclass(frozen=True)
class BearoffTable:
    """Expected rolls of each position, and the chance of needing exactly k rolls (SPAN numbers a position)."""

    means: "array[float]"
    rolls: "array[float]"

    @staticmethod
    def number(men: tuple[int, ...]) -> int:
        """Return the number of a position: how many men are on the points 1, 2, … 6."""
        total = count = 0
        for k in range(POINTS):
            total += men[POINTS - 1 - k]
            count += CHOOSE[7 * (total + k) + k + 1]
        return count

    def mean(self, *men: int) -> float:
        """Return the expected rolls for so many men on the points 1, 2, … 6."""
        return self.means[self.number(men + (0,) * (POINTS - len(men)))]

    def chances(self, *men: int) -> list[float]:
        """Return the chances of needing 0, 1, 2, … rolls."""
        at = SPAN * self.number(men + (0,) * (POINTS - len(men)))
        return list(self.rolls[at : at + SPAN])


@lru_cache(maxsize=1)
def bearoff_table(mode: str = "fast") -> BearoffTable:
    """Return the table, computed once in a process."""
    from ludwin.library import load

    run = specialise(load("backgammon"), BUILD, mode)
    w = run.bundle(states=2, bufs=1, brain_choose=len(CHOOSE), brain_mean=POSITIONS, brain_rolls=POSITIONS * SPAN)
    w.brain_choose[: len(CHOOSE)] = array("q", CHOOSE) if run.compiled else list(CHOOSE)
    run(w)
    return BearoffTable(array("d", w.brain_mean), array("d", w.brain_rolls))


# ---- A brain for races ----------------------------------------------------------------------------------------------


def race_or_contact(w, s, p, n):
    """Return Pubeval's score while there is contact, and in a race the chance that player p, who has moved, wins."""
    if w.brain.stage == 0:
        return pubeval_score(w, s, p, n)
    mine = 26 * p
    theirs = 26 - mine
    if all_home(s, mine) and all_home(s, theirs):
        return ahead(w, SPAN * rank(w, s, mine), SPAN * rank(w, s, theirs))
    return by_pips(s, mine, theirs)


def ahead(w, mine, theirs):
    """Return the chance that the one needs fewer rolls than the other, who rolls first."""
    later = 1.0  # the chance that the other needs more than k rolls
    chance = 0.0
    for k in range(SPAN):
        later -= w.brain_rolls[theirs + k]
        chance += w.brain_rolls[mine + k] * later
    return chance


def by_pips(s, mine, theirs):
    """Return about the chance to win a race in which the other rolls first."""
    lead = 0
    total = 0
    for n in range(25):
        lead += (25 - n) * (s.men[theirs + n] - s.men[mine + n])
        total += (25 - n) * (s.men[theirs + n] + s.men[mine + n])
    rolls = (total + 2.0 * WASTE) / PIPS_A_ROLL
    margin = (lead / PIPS_A_ROLL - 0.5) / math.sqrt(SPREAD * rolls)
    return 0.5 + 0.5 * math.erf(margin / math.sqrt(2.0))


@dataclass(frozen=True)
class RaceBrain(PubevalBrain):
    """Pubeval in contact; in a race the chance to win, from the tables where both players are home."""

    kind: ClassVar[str] = "bearoff"

    def bind(self, game: Game) -> dict[str, Any]:
        """Let Pubeval or the table speak."""
        return {"assess": race_or_contact, "wake": before_the_move}

    def members(self, game: Game) -> Members:
        """Return the weights and the table."""
        return {**super().members(game), "brain_choose": [int], "brain_rolls": [float]}

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return as many as there are."""
        return {**super().sizes(game), "brain_choose": len(CHOOSE), "brain_rolls": POSITIONS * SPAN}

    def prepare(self, run: Specialised, w: Any) -> None:
        """Write the weights and the table."""
        super().prepare(run, w)
        rolls = bearoff_table().rolls
        w.brain_choose[: len(CHOOSE)] = array("q", CHOOSE) if run.compiled else list(CHOOSE)
        w.brain_rolls[: len(rolls)] = rolls if run.compiled else list(rolls)


@dataclass(frozen=True)
class Bearoff(OnePly):
    """Pubeval with a head for races: when contact is over it plays by exact bear-off tables."""

    name: ClassVar[str] = "bearoff"

    def searcher(self) -> AfterState:
        """Return the search that plays for it."""
        return AfterState(brain=RaceBrain())
