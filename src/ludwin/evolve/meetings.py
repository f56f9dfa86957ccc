"""Fitness by play: guides with rounds and cut-offs, then games among the population.

The idea.  A fitness is written as in the book, terms with a plus: `20rand+30co` is 20 games against the
random player and 30 games in each seat against random members of the population.

- `20rand`, `20guide5`, `20floor5`: games against the random player, a correct guide of depth 5, one of the
  book's flavour; `20uct50`: against `uct` of 50 playouts, which plays every game.  `*2` behind a term doubles its
  points.
- `30co`: everybody plays 30 games as first and 30 as second player, against others drawn at random.
- `5fame`: five games in each seat against members of the hall of fame.
- `10ways`: games against ten random others, from both seats; `4knockout`: a single-elimination tournament
  with matches of four games.

Whoever plays the same game again and again scores for all of them, but `distinct` in its details says how many of its
`games` differ (by moves and seat): a fitness of few distinct games measures little.

Guides' games come in rounds.  Before each but the first, whoever trails the best by more than the cut-off
(a share of the points that there were) plays no more: most of the games go to the good ones.

References.  M. Sipper, *Evolved to Win*, algorithm 3.2.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ludwin.errors import BadParameter, brief
from ludwin.evolve.bouts import Bout, Bouts
from ludwin.evolve.coevolve import (
    balanced_pairs,
    demand_power_of_two,
    demand_two,
    hall,
    single_elimination,
    two_ways,
)
from ludwin.evolve.population import Generation, Score
from ludwin.program.stream import Stream
from ludwin.search.choice import Agent

TERM = re.compile(r"(\d{1,15})(rand|guide|floor|uct|co|fame|ways|knockout)(\d{0,15})(?:\*(\d{1,15}(?:\.\d{1,15})?))?")
MOST_GAMES = 1_000_000
GUIDES = ("rand", "guide", "floor", "uct")
WITH_NUMBER = {  # what a number behind the word is
    "guide": "the depth of the guide, as in {}3",
    "floor": "the depth of the guide, as in {}3",
    "uct": "the number of its playouts, as in {}50",
}
FAME = 20  # members of a hall of fame
ROUND, PAIR, SEED, LOTS = range(4)  # purposes of streams


@dataclass(frozen=True)
class Term:
    """One part of a fitness."""

    games: int
    kind: str
    depth: int = 0
    weight: float = 1.0


def terms(text: str) -> tuple[Term, ...]:
    """Read a fitness. Raises BadParameter.

    >>> terms("20guide5+30co")[0]
    Term(games=20, kind='guide', depth=5, weight=1.0)
    """
    found = []
    for part in text.lower().replace(" ", "").split("+"):
        match = TERM.fullmatch(part)
        if not match:
            raise BadParameter(
                f"fitness: cannot read {brief(part)}; terms are such as 20rand, 20guide5, 20floor5, 20uct50, 30co, "
                f"5fame, 10ways, 4knockout, joined by +"
            )
        games, kind, depth, weight = int(match[1]), match[2], match[3], float(match[4] or 1)
        if kind in WITH_NUMBER and not int(depth or 0):
            raise BadParameter(f"fitness: {part!r} lacks {WITH_NUMBER[kind].format(part.rstrip('0'))}")
        if kind not in WITH_NUMBER and depth:
            raise BadParameter(f"fitness: {part!r} has a depth, but {kind} takes none")
        if games < 1 or (kind in GUIDES and games % 2):
            raise BadParameter(
                f"fitness: {part!r} must have {'an even number of games, for both sides' if games else 'games'}"
            )
        if games > MOST_GAMES:
            raise BadParameter(f"fitness: {part!r} must have at most {MOST_GAMES} games")
        found.append(Term(games, kind, int(depth or 0), weight))
    return tuple(found)


def demand_partners(term: Term, sizes: Iterable[int]) -> None:
    """Raise BadParameter if generations of one of these sizes cannot play a term's games among themselves."""
    for n in sorted(sizes):
        (demand_power_of_two if term.kind == "knockout" else demand_two)(n)


class ByPlay:
    """Scores a generation by the points of its games."""

    def __init__(
        self,
        bouts: Bouts,
        parts: Sequence[Term],
        guide: Callable[[Term], Agent],
        *,
        rounds: int = 1,
        cutoff: float = 0.25,
        behaviour: Callable[[Any], Any] | None = None,
    ):
        self.bouts = bouts
        self.behaviour = behaviour  # equal for genomes that play alike; None: nobody is compared
        self.parts = tuple(parts)
        self.guide = guide
        self.rounds = rounds
        self.cutoff = cutoff
        self.relative = rounds > 1 or any(
            part.kind not in (*GUIDES, "fame") for part in parts
        )  # a cut-off looks at the best

    def score(self, genomes: Sequence[Any], generation: int, stream: Stream) -> list[Score]:
        """Return points and games of each genome."""
        return self._score(genomes, (), stream)

    def _score(self, genomes: Sequence[Any], memory: Sequence[Any], stream: Stream) -> list[Score]:
        n = len(genomes)
        points, games, available = [0.0] * n, [0] * n, [0.0]
        seen: list[set[int]] = [set() for _ in range(n)]  # which games everybody played

        def credit(i: int, won: float, weight: float, marks: Sequence[int], played: bool = True) -> None:
            points[i] += won * weight
            games[i] += len(marks) if played else 0
            seen[i].update(marks)

        for number, part in enumerate(self.parts):
            chance = stream.split(number)
            if part.kind in GUIDES:
                self._guide(part, genomes, points, available, chance, credit)
                continue
            available[0] += part.weight * (1 if part.kind == "knockout" else 2 * part.games)
            if part.kind == "fame":
                self._fame(part, genomes, memory, chance, credit)
            elif part.kind == "knockout":
                self._knockout(part, genomes, chance, credit)
            else:
                pair = chance.split(PAIR)
                pairs = balanced_pairs(n, part.games, pair) if part.kind == "co" else two_ways(n, part.games, 2, pair)
                found = self._play([(genomes[i], genomes[j]) for i, j in pairs], chance)
                for (i, j), (first, second) in zip(pairs, found, strict=True):
                    credit(i, first.points, part.weight, [first.mark])
                    credit(j, second.points, part.weight, [second.mark])
        return [(points[i], {"points": points[i], "games": games[i], "distinct": len(seen[i])}) for i in range(n)]

    def _play(self, games: Sequence[tuple[Any, Any]], stream: Stream) -> list[tuple[Bout, Bout]]:
        return self.bouts.pairs(games, [stream.split(SEED, k).seed() for k in range(len(games))])

    def _guide(
        self,
        part: Term,
        genomes: Sequence[Any],
        points: list[float],
        available: list[float],
        stream: Stream,
        credit: Callable[..., None],
    ) -> None:
        """Let all who are fit enough play the rounds of one guide; everybody meets the same seeds."""
        agent = self.guide(part)
        seats = self.bouts.seats  # a seed is played once from each
        pairs_left = whole = max(part.games // seats, 1)
        for number in range(min(self.rounds, whole)):
            pairs = pairs_left // (min(self.rounds, whole) - number)
            pairs_left -= pairs
            best = max(points)
            fit = [
                i for i in range(len(genomes)) if best - points[i] <= self.cutoff * available[0] or available[0] == 0.0
            ]
            seeds = [stream.split(ROUND, number, k).seed() for k in range(pairs)]
            speakers = self._speakers(genomes, fit)
            those = list(dict.fromkeys(speakers))
            found = dict(zip(those, self.bouts.all_against([genomes[i] for i in those], agent, seeds), strict=True))
            for i, speaker in zip(fit, speakers, strict=True):
                won = found[speaker]
                marks = [bout.mark for bout in won]
                credit(i, sum(bout.points for bout in won), part.weight, marks, i == speaker)
            available[0] += seats * pairs * part.weight

    def _speakers(self, genomes: Sequence[Any], fit: Sequence[int]) -> list[int]:
        """Return who plays for each: the first of those that are alike."""
        if self.behaviour is None:
            return list(fit)
        first: dict[Any, int] = {}
        return [first.setdefault(self.behaviour(genomes[i]), i) for i in fit]

    def _fame(
        self, part: Term, genomes: Sequence[Any], memory: Sequence[Any], stream: Stream, credit: Callable[..., None]
    ) -> None:
        """Let everybody meet members of the hall of fame, from both seats."""
        if not memory:
            return
        pairs = [
            (i, memory[stream.split(PAIR, i, k).below(len(memory))])
            for i in range(len(genomes))
            for k in range(part.games)
        ]
        games = [pair for i, rival in pairs for pair in ((genomes[i], rival), (rival, genomes[i]))]
        found = self._play(games, stream)
        for number, (i, _) in enumerate(pairs):
            bouts = found[2 * number][0], found[2 * number + 1][1]
            credit(i, sum(bout.points for bout in bouts), part.weight, [bout.mark for bout in bouts])

    def _knockout(self, part: Term, genomes: Sequence[Any], stream: Stream, credit: Callable[..., None]) -> None:
        def play(pairs: Sequence[tuple[int, int]], chance: Stream) -> list[tuple[float, float]]:
            return [(a.points, b.points) for a, b in self._play([(genomes[i], genomes[j]) for i, j in pairs], chance)]

        bracket = single_elimination(len(genomes), part.games, play, stream.split(LOTS))
        for i, won in enumerate(bracket.fitness):
            credit(i, won, part.weight, [])


class ByPlayWithFame(ByPlay):
    """Scores also by games against the best of earlier generations."""

    def score_knowing(
        self, genomes: Sequence[Any], memory: Sequence[Any], generation: int, stream: Stream
    ) -> list[Score]:
        """Return points and games of each genome, those against the hall of fame included."""
        return self._score(genomes, memory, stream)

    def admit(self, memory: Sequence[Any], generation: Generation[Any], stream: Stream) -> tuple[Any, ...]:
        """Return the hall of fame with the best of this generation."""
        return hall(memory, generation.best.genome, FAME)


def by_play(
    bouts: Bouts,
    text: str,
    guide: Callable[[Term], Agent],
    *,
    rounds: int,
    cutoff: float,
    behaviour: Callable[[Any], Any] | None = None,
) -> ByPlay:
    """Return the fitness that a text describes. Raises BadParameter."""
    parts = terms(text)
    kind = ByPlayWithFame if any(part.kind == "fame" for part in parts) else ByPlay
    return kind(bouts, parts, guide, rounds=rounds, cutoff=cutoff, behaviour=behaviour)
