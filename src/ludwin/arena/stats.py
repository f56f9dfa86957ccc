"""What the results of games say: the statistics of `ludwin.stats`, under the name that matches know them by.

Why it is here.  Intervals and tests serve everything that is measured, so they lie below the arena
(`ludwin.measure` stands on them); whoever thinks of matches finds them here.
"""

import sys

import ludwin.stats
from ludwin.stats import MOST_MARKS as MOST_MARKS
from ludwin.stats import NORMAL as NORMAL
from ludwin.stats import NORMALISED_ELO as NORMALISED_ELO
from ludwin.stats import TOO_FEW as TOO_FEW
from ludwin.stats import Counts as Counts
from ludwin.stats import Estimate as Estimate
from ludwin.stats import Evidence as Evidence
from ludwin.stats import Model as Model
from ludwin.stats import Repeats as Repeats
from ludwin.stats import Sprt as Sprt
from ludwin.stats import Summary as Summary
from ludwin.stats import Verdict as Verdict
from ludwin.stats import beta_quantile as beta_quantile
from ludwin.stats import beta_share as beta_share
from ludwin.stats import edges as edges
from ludwin.stats import elo as elo
from ludwin.stats import elo_of as elo_of
from ludwin.stats import games_each as games_each
from ludwin.stats import holm as holm
from ludwin.stats import is_repetitive as is_repetitive
from ludwin.stats import likelihood_of_superiority as likelihood_of_superiority
from ludwin.stats import llr as llr
from ludwin.stats import mann_whitney as mann_whitney
from ludwin.stats import mean_of as mean_of
from ludwin.stats import normalised_elo as normalised_elo
from ludwin.stats import normality as normality
from ludwin.stats import pentanomial as pentanomial
from ludwin.stats import score as score
from ludwin.stats import score_of as score_of
from ludwin.stats import summary as summary
from ludwin.stats import trinomial as trinomial
from ludwin.stats import welch_t as welch_t
from ludwin.stats import welch_t_of as welch_t_of

sys.modules[__name__] = ludwin.stats  # one module under two names: whoever changes one changes the other
