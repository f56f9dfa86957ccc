"""Bags that are tuned with more terms than they may keep: first widened, later cut down to what matters.

The idea.  Which ten of a hundred and thirty squares matter can hardly be found by trying tens of them in games.  Tuned
all together, their weights tell.  So a shape is *widened* before it is tuned: terminals that it lacks come in, whole
families of squares drawn by lot, perhaps a second phase; and different lineages get different ones.  Later it is *cut
down*: that term goes whose loss the others can make good best, and they do, so that the evaluation still tells the
leaves below one decision apart as before; then the next, until there is room.

Measured (lose checkers, the book's terminals): a tuned sum of 334 nodes that scores 0.830 from the start and 0.771
after random plies still scores 0.803 and 0.755 when cut down to 99 nodes in this way, without a game played between;
dropping the terms that move the evaluation least, with tuning all the time, had ended at 0.704 and 0.679.

References.  B. Hassibi, D. G. Stork, "Second order derivatives for network pruning: optimal brain surgeon", NIPS 5
(1993), of which this is the linear case.
"""

from dataclasses import replace

import numpy as np

from ludwin.evolve.fitting import Fitter
from ludwin.evolve.labels import Columns
from ludwin.evolve.terms import Bag, cost, without_term
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree, leaf

FAMILIES = 2  # of squares that come in, if there is room
RARE = 0.2  # of the leaves: a phase must have at least as many


def widened(bag: Bag, fitter: Fitter, stream: Stream, most: int) -> Bag:
    """Return a bag of at most so many nodes with terminals that it lacked; they weigh 0, the old weights stay.

    Room is given to all plain terminals, to two families of placed ones, and in one of two cases to a second phase.
    """
    language = bag.language
    reading = [one for one in language.primitives if one.reads]
    placed = [one for one in reading if one.places]
    drawn = [placed[k] for k in stream.sample(len(placed), min(FAMILIES, len(placed)))]
    groups = [[leaf(language, one.name)] for one in reading if not one.places]
    groups += [[leaf(language, one.name, place=place) for place in range(one.places)] for one in drawn]
    wide = bag
    for group in groups:
        wide = _with(wide, group, most)
    if wide.split is None and stream.chance(0.5):
        twice = _in_phases(wide, fitter, stream)
        wide = twice if twice.size <= most else wide
    return wide


def _with(bag: Bag, group: list[Tree], most: int) -> Bag:
    """Return the bag with a group of terms in every phase, or as it is if there is no room."""
    fresh = [tuple(term for term in group if term not in phase) for phase in bag.terms]
    terms = tuple((*phase, *more) for phase, more in zip(bag.terms, fresh, strict=True))
    weights = tuple((*old, *(0.0 for _ in more)) for old, more in zip(bag.weights, fresh, strict=True))
    wider = replace(bag, terms=terms, weights=weights)
    return wider if wider.size <= most else bag


def _in_phases(bag: Bag, fitter: Fitter, stream: Stream) -> Bag:
    """Return the bag with two phases of the same terms, told apart by a number at its median over the leaves."""
    numbers = [
        leaf(bag.language, one.name)
        for one in bag.language.primitives
        if one.reads and not one.places and not bag.language.is_truth(one.returns)
    ]
    if not numbers:
        return bag
    split = stream.pick(numbers)
    column = fitter.column(split)
    mark = float(np.median(column))
    if not RARE <= float(np.mean(column <= mark)) <= 1 - RARE:
        return bag
    return Bag(bag.language, bag.terms * 2, bag.weights * 2, split, mark)


def cut_down(bag: Bag, fitter: Fitter, most: int) -> Bag:
    """Return a bag of at most so many nodes that tells leaves apart as this one does, as far as it can."""
    terms = within(fitter.matrix(bag), fitter)
    moment = terms.T @ terms / max(len(terms), 1)
    moment += np.diag(1e-6 * np.diag(moment) + 1e-9)
    inverse, weights = np.linalg.inv(moment), np.array(bag.flat)
    while bag.size > most and bag.count > 1:
        nodes = np.array([cost(term) + 1 for phase in bag.terms for term in phase])
        # Step 1. The least loss for each node that is saved, when the others make good what they can.
        away = int(np.argmin(weights**2 / np.diag(inverse) / nodes))
        # Step 2. They do; and the inverse is that of the terms that are left.
        column = inverse[:, away] / inverse[away, away]
        weights = weights - weights[away] * column
        inverse = inverse - np.outer(column, inverse[away, :])
        left = [k for k in range(len(weights)) if k != away]
        weights, inverse = weights[left], inverse[np.ix_(left, left)]
        bag = without_term(bag, away)
    return bag.weighed([float(weight) for weight in weights])


def within(columns: Columns, fitter: Fitter) -> Columns:
    """Return columns as differences from the mean of the leaves below the same decision."""
    groups = fitter.labels.groups
    count = np.maximum(np.bincount(groups), 1)
    means = [np.bincount(groups, weights=columns[:, k]) / count for k in range(columns.shape[1])]
    return np.asarray(columns - np.stack(means, axis=1)[groups]) if means else columns
