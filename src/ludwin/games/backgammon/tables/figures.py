"""Figures 7.2 to 7.4: what an external opponent teaches, what coevolution does, and what players use.

The book's claim.  Against Pubeval alone, in tournaments of 100 games, fitness climbs above 60 %, but the same
individuals win well below half of 1000 games: they have learnt short tournaments.  Coevolution, which never meets
Pubeval, does clearly better.  Figures 7.2 and 7.3 are the external runs, by their fitness and by their benchmark;
figure 7.4 sets both side by side *at equal games*, and also counts the terminals that the players of both use.
"""

from collections import Counter
from collections.abc import Sequence

from ludwin.arena.stats import Estimate
from ludwin.evolve.curves import Line, chart
from ludwin.evolve.store import Store
from ludwin.files import write_whole
from ludwin.games.backgammon.evolve.two_trees import TWO_TREES
from ludwin.games.backgammon.evolve.uses import counted
from ludwin.games.backgammon.language import GENERAL, LOCATIONS, PLACED
from ludwin.games.backgammon.tables.bred import BestOfRun, Flavour, best_of_run, made
from ludwin.games.backgammon.tables.pictures import board_of_uses
from ludwin.lab.bred import folder_of
from ludwin.lab.experiment import LabTable, TableRun, judged, measured, row_of
from ludwin.lab.verdicts import GAIN, Finding
from ludwin.measure import Measure
from ludwin.program.tree import Tree

BOOK_GAMES = {"quick": 100, "standard": 1000, "paper": 1000}
SMALL = {"population": 16, "generations": 3, "games": 20}
EXTERNAL = Flavour(
    "100 games against Pubeval",
    "external",
    TWO_TREES,
    {
        "quick": {**SMALL, "fitness": "pubeval"},
        "standard": {"fitness": "pubeval", "games": 100, "population": 64, "generations": 20},
        "paper": {"fitness": "pubeval", "games": 100},
    },
)
# Equal games: 50 for each of n individuals, or n - 1 matches of 50 games.
AT_EQUAL_GAMES = Flavour(
    "50 games against Pubeval",
    "external-50",
    TWO_TREES,
    {
        "quick": {**SMALL, "fitness": "pubeval"},
        "standard": {"fitness": "pubeval", "population": 64, "generations": 20},
        "paper": {"fitness": "pubeval"},
    },
)
COEVOLVED = Flavour(
    "knockout of the population",
    "knockout",
    TWO_TREES,
    {"quick": SMALL, "standard": {"population": 64, "generations": 20}, "paper": {}},
)
PARTS = (0, 0.5, 1)  # of a run, where curves are read


def results(run: TableRun, flavour: Flavour) -> list[BestOfRun]:
    """Make the runs of a flavour, in the table's folder."""
    with folder_of(run) as folder:
        (folder / "fresh").mkdir(exist_ok=True)
        with Store(folder / "fresh", write=True) as store:
            return [
                best_of_run(
                    run,
                    made(run, folder / f"{flavour.key}-seed-{run.seed + k}", flavour, run.seed + k),
                    BOOK_GAMES[run.preset],
                    store,
                )
                for k in range(run.runs)
            ]


def fill_72(run: TableRun) -> None:
    """Enter the best fitness along the runs, and at the end beside the published one."""
    found = results(run, EXTERNAL)
    extent = f"{run.runs} runs, {EXTERNAL.extent(run.preset)}"
    for part in PARTS:
        values = [one.history[round(part * (len(one.history) - 1))].best_fitness for one in found]
        note = f"{extent}; the book: over 60 %" if part == 1 else extent
        measure = Measure.of_samples("share of points, best of a generation", values)
        label = f"{100 * part:.0f} % of the generations"
        run.add(row_of(label, measure, 0.6 if part == 1 else None, 0.0, note, least=3))
    if run.folder is not None:
        lines = [
            Line(f"seed {one.run.seed}", [(point.number, point.best_fitness) for point in one.history]) for one in found
        ]
        write_whole(run.folder / "curves.svg", chart("share of points of the best, own fitness", lines))


def fill_73(run: TableRun) -> None:
    """Enter what the fittest win in long matches, along the runs."""
    found = results(run, EXTERNAL)
    _enter_curves(run, EXTERNAL, found, "the book: well below the 50 % mark")
    own = [one.history[-1].best_fitness for one in found]
    gap = [mine - one.curve[-1][1] for mine, one in zip(own, found, strict=True)]
    note = "fitness of the last best less the benchmark of the last four fittest: what short tournaments flatter"
    run.add(row_of("fitness above benchmark", Measure.of_samples("difference", gap), None, None, note))
    _draw(run, found, "win rate of the four fittest")


def fill_74(run: TableRun) -> None:
    """Set coevolution beside an external opponent at equal games, and count what players use."""
    coevolved, external = results(run, COEVOLVED), results(run, AT_EQUAL_GAMES)
    _enter_curves(run, COEVOLVED, coevolved, "the book: clearly better than an external opponent")
    _enter_curves(run, AT_EQUAL_GAMES, external, "the book: well below the 50 % mark")
    for flavour, found in ((COEVOLVED, coevolved), (AT_EQUAL_GAMES, external)):
        measure = Measure.of_samples("win rate, fresh games", [one.fresh.value for one in found])
        run.add(row_of(f"best of run, {flavour.name}", measure, None, None, flavour.extent(run.preset)))
    gains = [a.fresh.value - b.fresh.value for a, b in zip(coevolved, external, strict=True)]
    measure = Measure.of_samples("difference", gains)
    ends = (measure.low, measure.high) if measure.has_interval else (-1.0, 1.0)
    note = f"{len(gains)} pairs of runs at equal games; the book says that coevolution is better"
    finding = Finding(Estimate(measure.value, *ends), sum(one.fresh.n for one in coevolved), None)
    run.add(judged("knockout less external", "difference of win rates, fresh games", GAIN, finding, note=note))
    _enter_uses(run, [one.genome for one in (*coevolved, *external)])
    _draw(run, [*coevolved, *external], "win rate of the four fittest")


def _enter_curves(run: TableRun, flavour: Flavour, found: Sequence[BestOfRun], claim: str) -> None:
    extent = f"{run.runs} runs, {flavour.extent(run.preset)}"
    for part in PARTS:
        values = [one.curve[round(part * (len(one.curve) - 1))][1] for one in found]
        measure = Measure.of_samples("win rate of the four fittest", values)
        note = f"{extent}; {claim}" if part == 1 else extent
        run.add(row_of(f"{flavour.name}, {100 * part:.0f} % of the generations", measure, None, None, note))


def _draw(run: TableRun, found: Sequence[BestOfRun], title: str) -> None:
    if run.folder is not None:
        lines = [Line(one.run.folder.name, list(one.curve)) for one in found]
        write_whole(run.folder / "curves.svg", chart(title, lines))


def _enter_uses(run: TableRun, genomes: Sequence[Sequence[Tree]]) -> None:
    """Enter how often players use general and located terminals, each per word that there is; draw the locations."""
    words: Counter[str] = Counter()
    places: Counter[int] = Counter()
    for genome in genomes:
        some, at = counted(genome)
        words += some
        places += at
    count = len(genomes)
    for name, table in (("general", GENERAL), ("located", PLACED)):
        value = sum(words[word] for word in table) / count / len(table)
        note = "uses in a player for each such terminal; the book: general queries far more than located ones"
        run.add(measured(f"{name} terminals", "uses for each word", Estimate(value, value, value), count, note))
    for word in (*GENERAL, *PLACED, "Player_Position", "Float_ERC"):
        value = words[word] / count
        run.add(measured(word, "uses in a player", Estimate(value, value, value), count))
    unused = [str(place) for place in range(LOCATIONS) if not places[place]]
    note = f"locations that no player asks about: {', '.join(unused) or 'none'}"
    value = float(LOCATIONS - len(unused))
    run.add(measured("locations in use", "of 26", Estimate(value, value, value), count, note))
    if run.folder is not None:
        write_whole(run.folder / "locations.svg", board_of_uses([places[place] / count for place in range(LOCATIONS)]))


SIZES = {"quick": (200, 1), "standard": (10_000, 3), "paper": (10_000, 20)}
FIGURE_7_2 = LabTable("backgammon-f7.2", "Evolved to Win, figure 7.2: fitness against Pubeval", SIZES, fill_72)
FIGURE_7_3 = LabTable(
    "backgammon-f7.3", "Evolved to Win, figure 7.3: the same players in 1000 games against Pubeval", SIZES, fill_73
)
FIGURE_7_4 = LabTable(
    "backgammon-f7.4",
    "Evolved to Win, figure 7.4: coevolution against Pubeval, beside an external opponent at equal games",
    SIZES,
    fill_74,
)
