"""Lexicase selection: parents by one case after the other, in random order.

The idea.  A sum over cases hides who is the only one to solve a hard one.  Lexicase draws the cases in random order;
whoever is not best on the first leaves, then whoever of the rest is not best on the second, until one is left or the
cases are used up, when a lot decides.  So specialists become parents, and the population stays diverse.

Where cases are real numbers hardly anybody is exactly as good as the best, and lexicase looks at one case only;
epsilon-lexicase lets everybody pass who is within epsilon of the best of those that are left, epsilon being the median
absolute deviation of the case over the whole population (the semi-dynamic kind).

References.  L. Spector, "Assessment of problem modality by differential performance of lexicase selection in genetic
programming", GECCO 2012.  W. La Cava, L. Spector, K. Danai, "Epsilon-lexicase selection for regression", GECCO 2016.
"""

from typing import Any

from ludwin.evolve.selection import Candidates, Choose
from ludwin.program.stream import Stream


def lexicase(pool: Candidates[Any]) -> Choose:
    """Return lexicase among these."""
    return _by_cases(pool.cases, None)


def epsilon_lexicase(pool: Candidates[Any]) -> Choose:
    """Return epsilon-lexicase among these."""
    import numpy as np

    cases = pool.cases
    return _by_cases(cases, np.median(np.abs(cases - np.median(cases, axis=0)), axis=0))


def _by_cases(cases: Any, epsilon: Any) -> Choose:
    """Return what draws; individuals that are alike in all cases go through together."""
    import numpy as np

    different, groups = np.unique(cases, axis=0, return_inverse=True)
    members = [np.flatnonzero(groups.reshape(-1) == k).tolist() for k in range(len(different))]
    width = cases.shape[1]

    def choose(stream: Stream) -> int:
        left = np.arange(len(different))
        for case in stream.shuffled(range(width)):
            column = different[left, case]
            least = column.max() if epsilon is None else column.max() - epsilon[case]
            left = left[column >= least]
            if len(left) == 1:
                break
        alike = [place for k in left.tolist() for place in members[k]]
        return int(alike[0] if len(alike) == 1 else stream.pick(alike))

    return choose
