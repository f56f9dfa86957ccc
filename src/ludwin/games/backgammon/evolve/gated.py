"""Gated sums as genomes: programs that are a plain sum and some sums that speak only where they are above 0.

The idea.  One weighted sum of the book's terminals wins half of its games against Pubeval and no more.  A term
`If(Greater(S, 0), Mul(c, S), 0)`, where S is a weighted sum of terminals, adds what a plain sum cannot say; a genome is
a sum of such terms and of one plain sum, for contact and for races.  It is kept as weights, since written out it would
have thousands of nodes; `contact_program` writes small ones out.

Structure varies here: two parents make a program in which both speak, half as loud each, or one that takes half of the
terms of each; a mutation drops terms or puts new ones in.  Numbers are learnt (`learning.py`).

In a race these programs also read the men of the enemy and the pips, which the race tree of the book does not.
"""

import base64
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludwin.errors import BadParameter
from ludwin.games.backgammon.language import GENERAL, LOCATIONS, PLACED
from ludwin.games.backgammon.opponents.network import COMES_WITH_LUDWIN, MOST_UNITS, ROW, WIDE, Network, read_network
from ludwin.games.backgammon.opponents.td import Learner
from ludwin.program.stream import Stream

Array = NDArray[np.float64]
DIGITS = 4  # of a weight, in memory as in files, so that a resumed run goes on with the same numbers
LARGEST = 2**31 - 1  # a weight times 10**DIGITS, at most


@dataclass(frozen=True)
class SumWeights:
    """A network as arrays, by stage (contact, race): inputs and units."""

    first: Array  # stage, input, unit
    bias: Array  # stage, unit
    top: Array  # stage, unit
    constant: Array  # stage
    skip: Array  # stage, input

    @classmethod
    def of(cls, network: Network) -> "SumWeights":
        """Take a network apart."""
        units = network.hidden
        tops: Array = np.array(network.top).reshape(2, ROW)
        return cls(
            np.array(network.first).reshape(2, WIDE, units),
            np.array(network.bias).reshape(2, ROW)[:, :units],
            tops[:, :units],
            tops[:, MOST_UNITS],
            np.array(network.skip).reshape(2, WIDE),
        )

    def network(self) -> Network:
        """Return the network, weights rounded as files keep them."""
        units = self.bias.shape[1]
        bias, top = np.zeros((2, ROW)), np.zeros((2, ROW))
        bias[:, :units], top[:, :units], top[:, MOST_UNITS] = self.bias, self.top, self.constant
        most = LARGEST / 10**DIGITS
        parts = (np.round(np.clip(part, -most, most), DIGITS) + 0.0 for part in (self.first, bias, top, self.skip))
        return Network(units, *(tuple(map(float, part.ravel())) for part in parts))

    def loudness(self) -> Array:
        """Return how much each term can say: its factor times the size of its sum, in both stages."""
        return np.asarray((np.abs(self.top) * np.sqrt((self.first**2).sum(axis=1))).sum(axis=0))

    def only(self, units: Sequence[int], factor: float = 1.0) -> "SumWeights":
        """Return the program with these terms alone, all it says times a factor."""
        some = list(units)
        return SumWeights(
            self.first[:, :, some],
            self.bias[:, some],
            self.top[:, some] * factor,
            self.constant * factor,
            self.skip * factor,
        )

    def beside(self, other: "SumWeights") -> "SumWeights":
        """Return the sum of two programs."""
        return SumWeights(
            np.concatenate((self.first, other.first), axis=2),
            np.concatenate((self.bias, other.bias), axis=1),
            np.concatenate((self.top, other.top), axis=1),
            self.constant + other.constant,
            self.skip + other.skip,
        )

    def loudest(self, most: int) -> "SumWeights":
        """Return the program with at most so many terms: those that say little go, in their old order."""
        units = self.bias.shape[1]
        if units <= most:
            return self
        kept = sorted(int(k) for k in np.argsort(-self.loudness(), kind="stable")[:most])
        return self.only(kept)


def rounded(network: Network) -> Network:
    """Return a network as files keep it."""
    return SumWeights.of(network).network()


@dataclass(frozen=True)
class GatedSums:
    """The kind of programs of gated sums: `units` terms at the beginning, at most `max_units`.

    With `packaged` the first of a population is the network that comes with Ludwin, which has learnt already.
    """

    units: int = 20
    max_units: int = 80
    packaged: bool = False
    name: str = field(default="gated sums", init=False)

    def begin(self, n: int, stream: Stream) -> list[Network]:
        """Return programs that know nothing: small random weights."""
        made = [rounded(Learner.begin(self.units, stream.split(k).below(2**31)).network) for k in range(n)]
        return [rounded(packaged_network()), *made[1:]] if self.packaged else made

    def make(self, stream: Stream) -> Network:
        """Return one program that knows nothing."""
        return rounded(Learner.begin(self.units, stream.below(2**31)).network)

    def cross(self, a: Network, b: Network, stream: Stream) -> tuple[Network, Network]:
        """Return Mul(0.5, Add(a, b)), and a sum that takes half of the terms of each and as much of the plain sums."""
        one, other = SumWeights.of(a), SumWeights.of(b)
        both = one.only(range(a.hidden), 0.5).beside(other.only(range(b.hidden), 0.5))
        picks = [stream.split(k).shuffled(range(net.hidden))[: (net.hidden + 1) // 2] for k, net in enumerate((a, b))]
        halves = [w.only(sorted(pick), 0.5) for w, pick in zip((one, other), picks, strict=True)]
        mixed = halves[0].beside(halves[1])
        loud = SumWeights(mixed.first, mixed.bias, 2.0 * mixed.top, mixed.constant, mixed.skip)
        return both.loudest(self.max_units).network(), loud.loudest(self.max_units).network()

    def donate(self, donor: Network, receiver: Network, stream: Stream) -> Network:
        """Return the receiver with one term of the donor's beside its own."""
        if not donor.hidden:
            return receiver
        term = SumWeights.of(donor).only([stream.below(donor.hidden)])
        silent = SumWeights(term.first, term.bias, term.top, 0.0 * term.constant, 0.0 * term.skip)
        return SumWeights.of(receiver).beside(silent).loudest(self.max_units).network()

    def mutate(self, g: Network, stream: Stream) -> Network:
        """Drop one to four terms that say little, or put in as many new ones that say nothing yet."""
        count, here = 1 + stream.below(4), SumWeights.of(g)
        if (stream.chance(0.5) or g.hidden + count > self.max_units) and g.hidden > count:
            return here.loudest(g.hidden - count).network()
        if g.hidden + count > self.max_units:
            return g
        fresh = SumWeights.of(Learner.begin(count, stream.below(2**31)).network)
        silent = SumWeights(fresh.first, fresh.bias, 0.1 * fresh.top, fresh.constant, fresh.skip)
        return here.beside(silent).network()

    def write(self, g: Network) -> Any:
        """Return the weights as whole numbers of 32 bits, in base 64: as they are, to the last digit."""
        numbers = (*g.first, *g.bias, *g.top, *g.skip)
        body = np.array([round(x * 10**DIGITS) for x in numbers], dtype="<i4").tobytes()
        return {"terms": g.hidden, "weights": base64.b64encode(body).decode("ascii")}

    def read(self, data: Any) -> Network:
        """Return a stored genome. Raises BadParameter."""
        try:
            units, body = data["terms"], base64.b64decode(data["weights"], validate=True)
        except (TypeError, KeyError, ValueError):
            raise BadParameter("a genome of gated sums has terms and weights in base 64") from None
        if isinstance(units, bool) or not isinstance(units, int) or not 0 <= units <= MOST_UNITS:
            raise BadParameter(f"a genome of gated sums has 0 to {MOST_UNITS} terms, got {units!r:.40}")
        sizes = (2 * WIDE * units, 2 * ROW, 2 * ROW, 2 * WIDE)
        if len(body) != 4 * sum(sizes):
            raise BadParameter(f"a genome of {units} gated sums has {sum(sizes)} weights, got {len(body) / 4:g}")
        numbers = array("d", (np.frombuffer(body, dtype="<i4") / 10**DIGITS).tolist())
        parts, at = [], 0
        for size in sizes:
            parts.append(tuple(numbers[at : at + size]))
            at += size
        return Network(units, *parts)

    def text(self, g: Network) -> str:
        """Return what a genome is, in a line."""
        return f"a plain sum, and {g.hidden} sums of the form If(Greater(S, 0), Mul(c, S), 0)"

    def size(self, g: Network) -> int:
        """Return how many gated sums there are."""
        return g.hidden


def packaged_network() -> Network:
    """Return the network that comes with Ludwin."""
    return read_network(COMES_WITH_LUDWIN)


# ---- In the book's language -----------------------------------------------------------------------------------------

CONTACT_WORDS = tuple(f"{word}[{place}]" for word in PLACED for place in range(LOCATIONS)) + tuple(GENERAL)


def _sum_text(weights: Sequence[float], constant: float) -> str:
    """Return a weighted sum of the contact terminals as a program; terms of weight 0 are left out."""
    text = repr(float(constant))
    for word, weight in zip(CONTACT_WORDS, weights, strict=False):
        if weight:
            text = f"Add({text}, Mul({float(weight)!r}, {word}))"
    return text


def contact_program(network: Network) -> str:
    """Return what a network says in contact, before it becomes a chance, in the language of the contact tree."""
    w = SumWeights.of(network)
    text = _sum_text(w.skip[0], w.constant[0])
    for k in range(network.hidden):
        inner = _sum_text(w.first[0, :, k], w.bias[0, k])
        text = f"Add({text}, If(Greater({inner}, 0.0), Mul({float(w.top[0, k])!r}, {inner}), 0.0))"
    return text
