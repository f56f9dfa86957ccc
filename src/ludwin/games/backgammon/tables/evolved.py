"""Tables 7.4 and 7.5: what evolved players win against Pubeval, from one population and from islands.

Flavours, rows apart.  *The book's trees* are genetic programming with the book's words and nothing else, at a size that
the preset names.  *Gated sums that learn* have their structure by evolution and their numbers by temporal differences;
*begun with td* has besides the network that comes with Ludwin among its founders.

Verdicts, fixed before any run: nobody's third run is comparable with our third run, so each row is compared with all
published ones (rule `range`).
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from ludwin.evolve.series import spread_of
from ludwin.evolve.store import Store
from ludwin.games.backgammon.evolve.learning import GATED, GATED_ISLANDS
from ludwin.games.backgammon.evolve.two_trees import ISLANDS, TWO_TREES
from ludwin.games.backgammon.tables.bred import BestOfRun, Flavour, best_of_run, made
from ludwin.lab.bred import folder_of
from ludwin.lab.experiment import LabTable, TableRun, judged, measured
from ludwin.lab.published import data_of, rows
from ludwin.lab.verdicts import RANGE, Finding, noted
from ludwin.stats import Estimate

DATA = data_of(__file__)
BOOK_GAMES = {"quick": 100, "standard": 1000, "paper": 1000}
TREES = Flavour(
    "the book's trees",
    "trees",
    TWO_TREES,
    {
        "quick": {"population": 16, "generations": 3},
        "standard": {"population": 64, "generations": 20},
        "paper": {},
    },
)
LEARNING = Flavour(
    "gated sums that learn",
    "gated",
    GATED,
    {"quick": {"first_games": 2000, "lifetime": 1000, "generations": 1}, "standard": {}, "paper": {}},
)
TREES_APART = Flavour(
    "the book's trees",
    "trees",
    ISLANDS,
    {"quick": {"population": 32, "generations": 3}, "standard": {"population": 128, "generations": 20}, "paper": {}},
)
LEARNING_APART = Flavour(
    "gated sums that learn",
    "gated",
    GATED_ISLANDS,
    {"quick": {"first_games": 2000, "lifetime": 1000, "generations": 1}, "standard": {}, "paper": {}},
)
WITH_TD = {
    "packaged": True,
    "population": 4,
    "islands": 2,
    "terms": 40,
    "max_terms": 120,
    "first_games": 16_000,
    "lifetime": 20_000,
    "generations": 3,
    "games": 1000,
}
BEGUN_WITH_TD = Flavour(
    "gated sums that learn, begun with td",
    "begun-with-td",
    GATED_ISLANDS,
    {
        "quick": {"packaged": True, "first_games": 2000, "lifetime": 1000, "generations": 1, "max_terms": 100},
        "standard": WITH_TD,
        "paper": {**WITH_TD, "population": 16, "islands": 8, "generations": 20, "max_terms": 200},
    },
)


def published(table: str, ours: str) -> list[float]:
    """Return the printed win rates of the book's own players."""
    return [float(row["wins"]) / 100 for row in rows(DATA / table) if row["player"].startswith(ours)]


def fill_74(run: TableRun) -> None:
    """Make the runs of one population."""
    fill(run, (TREES, LEARNING), published("backgammon_7_4.csv", "GP-Gammon"))


def fill_75(run: TableRun) -> None:
    """Make the runs on islands."""
    fill(run, (TREES_APART, LEARNING_APART, BEGUN_WITH_TD), published("backgammon_7_5.csv", "I-GP-Gammon"))


def fill(run: TableRun, flavours: Sequence[Flavour], scores: Sequence[float]) -> None:
    """Make the runs of each flavour; enter the best of each, their mean, the best of all, and what the book prints."""
    with folder_of(run) as folder:
        (folder / "fresh").mkdir(exist_ok=True)
        with Store(folder / "fresh", write=True) as store:
            for flavour in flavours:
                found = []
                for k in range(run.runs):
                    seed = run.seed + k
                    one = made(run, folder / f"{flavour.key}-seed-{seed}", flavour, seed)
                    found.append(best_of_run(run, one, BOOK_GAMES[run.preset], store))
                enter(run, flavour, found, scores)


def enter(run: TableRun, flavour: Flavour, found: Sequence[BestOfRun], scores: Sequence[float]) -> None:
    """Enter the rows of a flavour."""
    extent = flavour.extent(run.preset)
    told = f"published range {min(scores):.3f} to {max(scores):.3f}, mean {fmean(scores):.3f}"
    for one in found:
        begun = "; a founder, which no generation has changed" if one.generation == 0 else ""
        note = noted(f"of generation {one.generation}{begun}", extent, told)
        finding = Finding(_estimate(one), one.fresh.n, None, scores=scores)
        run.add(judged(f"seed {one.run.seed}, {flavour.name}", "win rate, fresh games", RANGE, finding, note=note))
    best = max(found, key=lambda one: one.fresh.value)
    games = sum(one.fresh.n for one in found)
    mean = _mean([_estimate(one) for one in found])
    is_wide = mean.high - mean.low > max(scores) - min(scores)
    told = noted(extent, told, "our interval is wider than that, so it says little" if is_wide else "")
    finding = Finding(mean, games, fmean(scores), scores=scores)
    run.add(judged(f"mean, {flavour.name}", "win rate, fresh games", RANGE, finding, note=told))
    finding = Finding(_estimate(best), best.fresh.n, max(scores), scores=scores)
    note = f"the best of {len(found)} by the games that it is told by, as the published one is"
    run.add(judged(f"best, {flavour.name}", "win rate, fresh games", RANGE, finding, note=note))
    maxima = _mean([Estimate(one.maximum.value, one.maximum.low, one.maximum.high) for one in found])
    note = "the book's protocol: the best of all scores of the four fittest; flattering, hence without a verdict"
    row = measured(f"mean of maxima, {flavour.name}", "win rate, as chosen", maxima, found[0].maximum.n, note)
    run.add(replace(row, published=fmean(scores)))
    points = _mean([Estimate(one.points.value, one.points.low, one.points.high) for one in found], bounded=False)
    run.add(measured(f"mean, {flavour.name}", "points a game, fresh games", points, games))


def _estimate(one: BestOfRun) -> Estimate:
    return Estimate(one.fresh.value, one.fresh.low, one.fresh.high)


def _mean(found: Sequence[Estimate], *, bounded: bool = True) -> Estimate:
    """Return the mean over runs: Student's interval over the runs, but no narrower than that of the games."""
    if len(found) < 2:
        return found[0]
    mean = spread_of([one.value for one in found])
    half = max(mean["high"] - mean["value"], fmean((one.high - one.low) / 2 for one in found) / len(found) ** 0.5)
    low, high = mean["value"] - half, mean["value"] + half
    return Estimate(mean["value"], max(low, 0.0) if bounded else low, min(high, 1.0) if bounded else high)


TABLE_7_4 = LabTable(
    "backgammon-7.4",
    "Evolved to Win, table 7.4: evolved players against Pubeval, one population",
    {"quick": (200, 2), "standard": (10_000, 5), "paper": (10_000, 20)},
    fill_74,
)
TABLE_7_5 = LabTable(
    "backgammon-7.5",
    "Evolved to Win, table 7.5: evolved players against Pubeval, islands",
    {"quick": (200, 1), "standard": (10_000, 1), "paper": (10_000, 7)},
    fill_75,
)
