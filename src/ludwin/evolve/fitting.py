"""Weights of terms from labels: logistic ridge regression, and a still cheaper worth of a bag.

The idea.  A bag (`terms.py`) is a linear model of the chance to win, so its weights follow from labelled leaves
(`labels.py`) in milliseconds: Newton's method on the likelihood of the outcomes, a draw being half a win, with a ridge
on weights in units of their terms' spread.  Before that, thousands of bags can be compared by plain least squares on
some leaves, judged on the others.

What this cannot do.  The likelihood rewards terms that say who is winning, not those that tell moves apart: bags are
nominated here, and chosen by games.

References.  M. Buro (1998), see `labels.py`; A. E. Hoerl, R. W. Kennard, "Ridge regression", Technometrics 12 (1970).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludwin.evolve.labels import Columns, Labels
from ludwin.evolve.terms import Bag
from ludwin.program.rows import Columns as RowColumns
from ludwin.program.tree import Tree

RIDGE = 10.0
NEWTON = 8  # steps; the last ones change nothing that is kept
KEPT_OUT = 4  # every fourth group judges, the others teach
LARGEST = 1e6  # values beyond this make a term useless
SOME = 6000  # leaves that teach, and that judge, when bags are only compared
PROBE = 2000  # leaves by which behaviour is recognised


class Fitter:
    """Labels, and the columns of all terms that were asked for."""

    def __init__(self, labels: Labels, ridge: float = RIDGE):
        self.labels, self.ridge = labels, ridge
        self.wins = (np.sign(labels.labels) + 1) / 2
        self.columns: dict[Tree, Columns] = {}
        self.worths: dict[object, float] = {}
        self.inputs = RowColumns(self._by_name(), reuse=True)
        self.teach = labels.groups % KEPT_OUT != 0
        self.some = np.flatnonzero(self.teach)[:SOME], np.flatnonzero(~self.teach)[:SOME]

    def _by_name(self) -> dict[str, list[Columns]]:
        """Return what was read at the leaves, by name and place."""
        found: dict[str, list[Columns]] = {}
        for j, (name, _) in enumerate(self.labels.inputs):  # place by place
            found.setdefault(name, []).append(self.labels.rows[:, j])
        return found

    def column(self, term: Tree) -> Columns:
        """Return a term at all leaves; what is not finite, or huge, is 0."""
        found = self.columns.get(term)
        if found is None:
            raw = self.inputs.values([term])[0]
            found = np.where(np.isfinite(raw) & (np.abs(raw) < LARGEST), raw, 0.0)
            self.columns[term] = found
        return found

    def matrix(self, bag: Bag) -> Columns:
        """Return the terms at all leaves, phase after phase; a term is 0 outside its phase."""
        if bag.split is None:
            return self._side_by_side(bag.terms[0], None)
        first = self.column(bag.split) <= bag.mark
        return np.hstack([self._side_by_side(bag.terms[0], first), self._side_by_side(bag.terms[1], ~first)])

    def _side_by_side(self, terms: Sequence[Tree], where: NDArray[np.bool_] | None) -> Columns:
        if not terms:
            return np.zeros((len(self.wins), 0))
        found = np.stack([self.column(term) for term in terms], axis=1)
        return found if where is None else found * where[:, None]

    def spread(self, bag: Bag) -> Columns:
        """Return the standard deviation of each term at the leaves."""
        return np.asarray(self.matrix(bag).std(axis=0))

    def values(self, bag: Bag) -> Columns:
        """Return what the bag says of the first leaves, on a scale of its own: how behaviour is recognised."""
        found = self.matrix(bag)[:PROBE] @ np.array(bag.flat)
        width = found.std()
        return np.asarray((found - found.mean()) / width if width > 0 else found * 0.0)

    def worth(self, bag: Bag) -> float:
        """Return how well least squares with these terms explains unseen outcomes (1: all, 0: nothing)."""
        known = self.worths.get(bag.shape)
        if known is not None:
            return known
        x, y, (teach, judge) = self.matrix(bag), self.wins, self.some
        rest = y[judge] - y[teach].mean() if len(teach) else y[:0]
        if not rest.any():  # all games end alike, or too few leaves were labelled: there is nothing to explain
            return 0.0
        kept = x[teach]
        middle, target = kept.mean(axis=0), y[teach].mean()
        width = kept.std(axis=0)
        width = np.where(width > 1e-9, width, np.inf)
        z, out = (kept - middle) / width, (x[judge] - middle) / width
        w = np.linalg.solve(z.T @ z + self.ridge * np.eye(z.shape[1]), z.T @ (y[teach] - target))
        found = float(1.0 - np.sum((rest - out @ w) ** 2) / np.sum(rest**2))
        self.worths[bag.shape] = found
        return found

    def fit(self, bag: Bag) -> Bag:
        """Return the bag with the weights of the logistic ridge."""
        x = self.matrix(bag)
        middle, width = x.mean(axis=0), x.std(axis=0)
        width = np.where(width > 1e-9, width, np.inf)
        z = np.c_[(x - middle) / width, np.ones(len(x))]
        ridge = np.array([self.ridge] * (z.shape[1] - 1) + [1e-6])
        w = self._newton(z, np.zeros(len(x)), ridge)
        return bag.weighed([float(one) for one in w[:-1] / width])

    def fit_new(self, bag: Bag, before: Bag) -> Bag:
        """Return a bag whose terms weigh as in another one of the same phases; only new ones are fitted to the labels.

        What was tuned in games is left alone: it is an offset, on a scale that is fitted first.
        """
        old = [
            dict(zip(terms, weights, strict=True)) for terms, weights in zip(before.terms, before.weights, strict=True)
        ]
        kept = [old[phase].get(term) for phase, terms in enumerate(bag.terms) for term in terms]
        fresh = [k for k, weight in enumerate(kept) if weight is None]
        weights = np.array([0.0 if weight is None else weight for weight in kept])
        if not fresh:
            return bag.weighed([float(w) for w in weights])
        x = self.matrix(bag)
        offset = x @ weights
        z = np.c_[offset / (offset.std() or 1.0), np.ones(len(x))]
        first = self._newton(z, np.zeros(len(x)), np.array([1e-6, 1e-6]))
        scale = first[0] / (offset.std() or 1.0)
        new = x[:, fresh]
        width = np.where(new.std(axis=0) > 1e-9, new.std(axis=0), np.inf)
        more = np.c_[(new - new.mean(axis=0)) / width, np.ones(len(x))]
        found = self._newton(more, z @ first, np.array([self.ridge] * len(fresh) + [1e-6]))
        weights[fresh] = found[:-1] / width / (scale if abs(scale) > 1e-9 else 1.0)
        return bag.weighed([float(w) for w in weights])

    def _newton(self, z: Columns, offset: Columns, ridge: Columns) -> Columns:
        """Return the weights of the most likely logistic model of the outcomes, beside an offset."""
        return most_likely(z, self.wins, offset, ridge)


def most_likely(z: Columns, wins: Columns, offset: Columns, ridge: Columns) -> Columns:
    """Return the weights of the most likely logistic model of results from 0 to 1, beside an offset."""
    w = np.zeros(z.shape[1])
    for _ in range(NEWTON):
        chance = 1.0 / (1.0 + np.exp(-np.clip(offset + z @ w, -30, 30)))
        slope = np.maximum(chance * (1 - chance), 1e-6)
        step = np.linalg.solve((z * slope[:, None]).T @ z + np.diag(ridge), z.T @ (wins - chance) - ridge * w)
        w = w + step
        if float(np.max(np.abs(step))) < 1e-7:
            break
    return w


def is_like(a: Columns, b: Columns) -> bool:
    """Tell whether two bags say the same of the leaves, but for scale: they will play alike."""
    return bool(np.mean(a * b) > 0.99999)
