"""Bags that are tuned with more terms than they may keep: first widened, later cut down to what matters.

The idea.  Which ten of a hundred and thirty squares matter can hardly be found by trying tens of them in games.  Tuned
all together, their weights tell.  So a shape is *widened* before it is tuned: terminals that it lacks come in, and all
families of squares that do not say what others say.  Later it is *cut down*: that term goes whose loss the others can
make good best, and they do, so that the evaluation still tells the leaves below one decision apart as before; then the
next, until there is room.

Measured (lose checkers, the book's terminals): a tuned sum of 334 nodes that scores 0.830 from the start and 0.771
after random plies still scores 0.803 and 0.755 when cut down to 99 nodes in this way, without a game played between;
dropping the terms that move the evaluation least, with tuning all the time, had ended at 0.704 and 0.679.

What failed.  Two families by lot and a second phase by lot: runs whose lot was men and empty squares, or whose two
phases left no room for squares, ended at 0.75 to 0.78 where others reached 0.86.  From one start and in the same 96,000
games a sum of one phase went from 0.755 to 0.806 (two families or three), one of two phases from 0.722 to 0.742: twice
as many weights, each in half of the positions.  The cheap worth cannot choose families: it differs by 0.003.

References.  B. Hassibi, D. G. Stork, "Second order derivatives for network pruning: optimal brain surgeon", NIPS 5
(1993), of which this is the linear case.
"""

from dataclasses import replace
from itertools import accumulate, pairwise

import numpy as np

from ludwin.evolve.fitting import Fitter
from ludwin.evolve.labels import Columns
from ludwin.evolve.terms import Bag, cost, without_term
from ludwin.program.language import Language
from ludwin.program.tree import Tree, leaf

ENOUGH = 0.98  # of the differences that all families of placed terminals show: so much must those that come in say


def widened(bag: Bag, fitter: Fitter, most: int) -> Bag:
    """Return a bag of one phase and at most so many nodes with terminals that it lacked; they weigh 0.

    Room is given to all plain terminals, and to the families of placed ones that do not say what others say.
    """
    language = bag.language
    groups = [[leaf(language, one.name)] for one in language.primitives if one.reads and not one.places]
    wide = joined(bag)
    for group in [*groups, *telling(language, fitter)]:
        wide = _with(wide, group, most)
    return wide


def telling(language: Language, fitter: Fitter) -> list[list[Tree]]:
    """Return families of placed terminals, the most telling first, until they say `ENOUGH` of what all of them say.

    What some say is how much of the differences between leaves of one decision, in all families together, follows from
    them by least squares: empty squares, men and kings are two families, for the third follows from them.
    """
    found = [
        [leaf(language, one.name, place=place) for place in range(one.places)]
        for one in language.primitives
        if one.reads and one.places
    ]
    if not found:
        return []
    columns = [fitter.column(term) for family in found for term in family]
    every = within(np.stack(columns, axis=1), fitter)
    moment = every.T @ every / max(len(every), 1)
    places = [list(range(*pair)) for pair in pairwise([0, *accumulate(map(len, found))])]
    whole = float(np.trace(moment))

    def said(numbers: list[int]) -> float:
        at = [place for number in numbers for place in places[number]]
        inner = moment[np.ix_(at, at)] + 1e-9 * (whole + 1.0) * np.eye(len(at))
        return float(np.trace(np.linalg.solve(inner, moment[at] @ moment[:, at])))

    chosen, left = list[int](), list(range(len(found)))
    while left and (not chosen or said(chosen) < ENOUGH * whole):
        best = max(left, key=lambda number: (said([*chosen, number]), -number))
        chosen.append(best)
        left.remove(best)
    return [found[number] for number in chosen]


def joined(bag: Bag) -> Bag:
    """Return a bag of one phase with the terms of both, each with the mean of its weights."""
    if bag.split is None:
        return bag
    weights: dict[Tree, float] = {}
    for terms, some in zip(bag.terms, bag.weights, strict=True):
        for term, weight in zip(terms, some, strict=True):
            weights[term] = weights.get(term, 0.0) + weight / 2
    return Bag(bag.language, (tuple(weights),), (tuple(weights.values()),))


def _with(bag: Bag, group: list[Tree], most: int) -> Bag:
    """Return the bag with a group of terms in every phase, or as it is if there is no room."""
    fresh = [tuple(term for term in group if term not in phase) for phase in bag.terms]
    terms = tuple((*phase, *more) for phase, more in zip(bag.terms, fresh, strict=True))
    weights = tuple((*old, *(0.0 for _ in more)) for old, more in zip(bag.weights, fresh, strict=True))
    wider = replace(bag, terms=terms, weights=weights)
    return wider if wider.size <= most else bag


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
