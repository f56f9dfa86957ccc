"""Several objectives: who dominates whom, NSGA-II, and an archive of the undominated.

The idea.  One individual dominates another if it is no worse in any objective and better in one.  Those whom nobody
dominates are the first front, those whom only these dominate the second, and so on.  NSGA-II lets parents and children
compete: earlier fronts stay, and of the front that does not fit as a whole those stay that have the most room around
them; parents are chosen by duels under the same order.  `breeding=ga`, `selection=crowded` and `replacement=nsga2` are
NSGA-II; more of every objective is better here, `Scored.of` turns the others round.

The archive keeps what nobody has dominated so far, whoever is in the population: of a bounded one the most crowded
leaves first.

References.  K. Deb, A. Pratap, S. Agarwal, T. Meyarivan, "A fast and elitist multiobjective genetic algorithm:
NSGA-II", IEEE Trans. Evolutionary Computation 6 (2002), 182-197.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ludwin.errors import BadParameter
from ludwin.evolve.population import Generation, Individual
from ludwin.evolve.selection import Candidates, Choose, duel
from ludwin.program.stream import Stream

if TYPE_CHECKING:
    from ludwin.evolve.engine import Running

Aims = tuple[float, ...]


def dominates(a: Sequence[float], b: Sequence[float]) -> bool:
    """Return whether a is no worse than b in any objective and better in one.

    >>> dominates((1, 2), (1, 1)), dominates((1, 2), (2, 1)), dominates((1, 2), (1, 2))
    (True, False, False)
    """
    return all(x >= y for x, y in zip(a, b, strict=True)) and tuple(a) != tuple(b)


def fronts(points: Sequence[Sequence[float]]) -> list[list[int]]:
    """Return the places of the points front by front, each in the order of the places.

    >>> fronts([(1, 1), (2, 0), (0, 2), (0, 1), (0, 0)])
    [[0, 1, 2], [3], [4]]
    """
    import numpy as np

    if not points:
        return []
    rows = np.array(points, dtype=float)
    no_worse = np.all(rows[:, None, :] >= rows[None, :, :], axis=2)
    over: Any = no_worse & ~no_worse.T  # over[i, j]: i dominates j
    count = over.sum(axis=0)
    left = np.ones(len(rows), dtype=bool)
    found = []
    while left.any():
        front = np.flatnonzero(left & (count == 0))
        found.append(front.tolist())
        left[front] = False
        count = count - over[front].sum(axis=0)
    return found


def crowding_distances(points: Sequence[Sequence[float]]) -> list[float]:
    """Return how much room each point of a front has: the ends of every objective infinitely much.

    >>> crowding_distances([(0, 4), (1, 3), (4, 0), (3, 1)])
    [inf, 1.5, inf, 1.5]
    """
    room = [0.0] * len(points)
    for objective in range(len(points[0]) if points else 0):
        order = sorted(range(len(points)), key=lambda i: (points[i][objective], i))
        low, high = points[order[0]][objective], points[order[-1]][objective]
        room[order[0]] = room[order[-1]] = math.inf
        if high > low:
            for before, here, behind in zip(order, order[1:], order[2:], strict=False):
                room[here] += (points[behind][objective] - points[before][objective]) / (high - low)
    return room


def standing(points: Sequence[Sequence[float]]) -> tuple[list[int], list[float]]:
    """Return of each point the number of its front and its room there."""
    rank, room = [0] * len(points), [0.0] * len(points)
    for number, front in enumerate(fronts(points)):
        for place, distance in zip(front, crowding_distances([points[i] for i in front]), strict=True):
            rank[place], room[place] = number, distance
    return rank, room


def crowded(pool: Candidates[Any]) -> Choose:
    """Return duels that the earlier front wins, then the larger room, then a lot."""
    rank, room = standing([tuple(row) for row in pool.objectives.tolist()])
    beaten = duel(lambda a, b: (-rank[a], room[a]) > (-rank[b], room[b]), pool.size)
    return beaten


def nondominated(
    run: "Running[Any]", parents: Generation[Any], children: Sequence[Individual[Any]], stream: Stream
) -> list[Individual[Any]]:
    """Return the best of parents and children by fronts, then by room. Equal points crowd each other out."""
    everybody = [*parents.individuals, *children]
    points = [_aims(one) for one in everybody]
    chosen: list[int] = []
    for front in fronts(points):
        missing = run.plan.population - len(chosen)
        if len(front) > missing:
            room = crowding_distances([points[i] for i in front])
            front = [front[k] for k in sorted(range(len(front)), key=lambda k: (-room[k], front[k]))[:missing]]
        chosen += front
        if len(chosen) == run.plan.population:
            break
    return [everybody[i] for i in chosen]


def archived(
    kept: Sequence[Individual[Any]], newcomers: Iterable[Individual[Any]], most: int = 0
) -> list[Individual[Any]]:
    """Return those of both whom nobody dominates, one of each point; of more than `most` (0: any number) the most
    crowded leave, one after the other.
    """
    found: dict[Aims, Individual[Any]] = {}
    for one in (*kept, *newcomers):
        found.setdefault(_aims(one), one)
    points = list(found)
    best = [points[i] for i in fronts(points)[0]] if points else []
    while most and len(best) > most:
        room = crowding_distances(best)
        del best[min(range(len(best)), key=lambda i: (room[i], i))]
    return [found[point] for point in best]


def hypervolume(points: Iterable[Sequence[float]], reference: Sequence[float]) -> float:
    """Return the volume that points dominate above a reference point (more is better): of two objectives an area.

    More objectives are cut into slices along the last one, so hundreds of points are for few of them.  Raises
    BadParameter for points of other objectives than the reference has, and for nan.

    >>> hypervolume([(3, 1), (1, 3), (1, 1)], (0, 0)), hypervolume([(2, 2, 1), (1, 1, 3)], (0, 0, 0))
    (5.0, 6.0)
    """
    base = tuple(map(float, reference))
    rows = {tuple(map(float, point)) for point in points}
    for row in (base, *rows):
        if len(row) != len(base) or any(map(math.isnan, row)):
            raise BadParameter(f"a point has {len(base)} numbers here, as the reference has, got {row}")
    if not base:
        raise BadParameter("a volume wants one objective at least")
    return _volume([row for row in rows if all(x > least for x, least in zip(row, base, strict=True))], base)


def _volume(rows: Sequence[Aims], base: Aims) -> float:
    """Return the volume of points that all lie above the base."""
    if not rows:
        return 0.0
    if len(base) == 1:
        return max(x - base[0] for (x,) in rows)
    if len(base) == 2:
        area, ceiling = 0.0, base[1]
        for x, y in sorted(rows, reverse=True):
            if y > ceiling:
                area += (x - base[0]) * (y - ceiling)
                ceiling = y
        return area
    found, high = 0.0, sorted({row[-1] for row in rows}, reverse=True)
    for top, floor in zip(high, [*high[1:], base[-1]], strict=True):
        found += (top - floor) * _volume([row[:-1] for row in rows if row[-1] >= top], base[:-1])
    return found


def _aims(one: Individual[Any]) -> Aims:
    if not one.objectives:
        raise BadParameter("several objectives are wanted here, and the fitness gives a value only")
    return one.objectives
