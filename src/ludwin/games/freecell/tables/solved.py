"""Tables 11.2 and 11.3 of *Evolved to Win*, GP-FreeCell, and what the text of chapter 11 says: deals that are solved.

Rows.  *Ours* are the evolved solvers on every deal of the run (all 32,000 at standard size): staged deepening with
automatic moves, 2 million nodes a deal.  *Beside* them stand hand-made heuristics in the same search, on every 32nd
deal: HSDH, the weights that the book prints, the best single heuristic.  *Literal* rows are as near to the book as its
text allows: k = 6, a table of 200,000 states, no automatic moves, Heineman's runs, on every 1600th deal, for such a
search takes millions of nodes; the book gave each deal two minutes, here it is a number of nodes, which a note says.

Length.  The book counts moves; whether its programs counted cards that go home by themselves it does not say.  `length`
counts every move that is made, those by themselves included; `own moves` those of the plan.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 11.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ludwin.games.freecell.evolve import weighed
from ludwin.games.freecell.tables.runner import DealResults, solve_deals, spread
from ludwin.lab.experiment import LabTable, TableRun, row_of
from ludwin.lab.published import data_of, figure, rows
from ludwin.library import agent, load
from ludwin.measure import Measure
from ludwin.search.policies import PolicyBrain
from ludwin.search.puzzles.solver import Solver

DATA = data_of(__file__)
TABLE_11_2 = rows(DATA / "freecell_11_2.csv")
TABLE_11_3 = rows(DATA / "freecell_11_3.csv")
PRINTED = tuple(figure(row["weight"]) for row in rows(DATA / "freecell_11_weights.csv"))
ALL = 32_000
BESIDE, LITERAL = 32, 320  # every so manieth deal
MEAN = 30  # deals that a verdict on a mean needs
CAP = 2_000_000
LITERAL_CAP = {"quick": 200_000, "standard": 2_000_000, "paper": 50_000_000}
OURS = "freecell:empty=first,auto=true,limit=60000"
BOOKISH = "freecell:empty=first,runs=linear,limit=60000"
PENALTY = 1_000_000_000  # nodes of an unsolved deal in the penalised half of Table 11.2


class Entry(NamedTuple):
    """A solver of the tables: its label, the rules, how it is made, every which deal it tries."""

    label: str
    game: str
    solver: Callable[[int], Solver]
    every: int = 1


def by_name(text: str) -> Callable[[int], Solver]:
    """Return what makes a solver of a text."""

    def make(nodes: int) -> Solver:
        mark = "," if ":" in text else ":"
        found: Any = agent(f"{text}{mark}nodes={nodes}", load(OURS))
        return found  # type: ignore[no-any-return]

    return make


def printed(depth: int, oriented: bool) -> Callable[[int], Solver]:
    """Return what makes a search by the weights that the book prints."""

    def make(nodes: int) -> Solver:
        settings = {"extra": False, "oriented": oriented}
        search: Any = agent(f"staged:depth={depth},nodes={nodes}")
        found: Solver = search.with_brain(PolicyBrain((), (weighed(settings, PRINTED),)))
        return found

    return make


WEIGHTS = Entry("evolved weights", OURS, by_name("ga-freecell"))
POLICY = Entry("evolved policy", OURS, by_name("gp-freecell"))
HSDH = Entry("HSDH, k = 3", OURS, by_name("staged:depth=3,eval=hsdh"), BESIDE)
BOOKS = Entry("the book's weights, k = 3", OURS, printed(3, True), BESIDE)
SINGLE = Entry("DifferenceFromTop alone, k = 3", OURS, by_name("staged:depth=3,eval=difference_from_top"), BESIDE)
LITERALS = (
    Entry("literal HSDH, k = 6", BOOKISH, by_name("staged:depth=6,eval=hsdh"), LITERAL),
    Entry("literal weights, k = 6", BOOKISH, printed(6, False), LITERAL),
    Entry("oriented weights, k = 6", BOOKISH, printed(6, True), LITERAL),
    Entry("literal HSDH, k = 3", BOOKISH, by_name("staged:depth=3,eval=hsdh"), LITERAL),
    Entry("literal weights, k = 3", BOOKISH, printed(3, False), LITERAL),
)


def results(run: TableRun, entry: Entry) -> tuple[DealResults, int]:
    """Return what a solver does on its deals of this run, and its limit of nodes."""
    cap = LITERAL_CAP[run.preset] if entry.every == LITERAL else CAP
    deals = spread(max(2, run.games // entry.every))
    run.news(f"{entry.label}: {len(deals)} deals, {cap:,} nodes each at most")
    return solve_deals(run, entry.label, entry.game, entry.solver(cap), deals), cap


def add_rows(run: TableRun, entry: Entry, published: dict[str, float], *, samples: bool = True) -> DealResults:
    """Enter the rows of a solver: how many deals it solves, and what those take."""
    found, cap = results(run, entry)
    solved, count = found.solved, len(found.rows)
    label = entry.label if entry.every == 1 else f"{entry.label} (one deal in {ALL // count})"
    note = f"{len(solved)} of {count} solved within {cap:,} nodes"
    if 0 < len(found.unsolved) <= 12:
        note += f"; not {', '.join(map(str, found.unsolved))}"
    share = row_of(label, Measure.of_rate("deals solved", len(solved), count), published.get("solved"), note=note)
    run.add(share)
    if not solved or not samples:
        return found
    # Who leaves more deals unsolved leaves out the hard ones, so its means say nothing beside the published ones.
    told = published if share.verdict != "below" else {}
    why = "" if told or not published else "fewer deals are solved than published: not compared"
    nodes = Measure.of_samples("nodes of solved deals", [float(row.nodes) for row in solved], direction="less")
    run.add(row_of(label, nodes, told.get("nodes"), note=why, least=MEAN))
    if "penalised" in published:
        paid = [float(row.nodes if row.solved else PENALTY) for row in found.rows]
        penalised = Measure.of_samples("nodes, unsolved penalised", paid, direction="less")
        note = "an unsolved deal counts 1000 million"
        run.add(row_of(label, penalised, published["penalised"], note=note, least=MEAN))
    length = Measure.of_samples("length", [float(row.all) for row in solved], direction="less")
    note = "all moves, those made by themselves included"
    run.add(row_of(label, length, told.get("length"), note=f"{note}; {why}" if why else note, least=MEAN))
    own = Measure.of_samples("own moves", [float(row.length) for row in solved], direction="less")
    run.add(row_of(label, own))
    return found


def published(name: str) -> dict[str, float]:
    """Return what Table 11.2 prints of a heuristic."""
    half = {row["unsolved"]: row for row in TABLE_11_2 if row["heuristic"] == name}
    kept = half["excluded"]
    return {
        "solved": figure(kept["solved"]) / ALL,
        "nodes": figure(kept["nodes"]),
        "length": figure(kept["length"]),
        "penalised": figure(half["penalised"]["nodes"]),
    }


def fill_11_2(run: TableRun) -> None:
    """Solve the deals with everybody."""
    add_rows(run, WEIGHTS, published("GA-FreeCell"))
    add_rows(run, POLICY, published("GA-FreeCell"))
    add_rows(run, HSDH, published("HSDH"))
    add_rows(run, BOOKS, published("GA-FreeCell"))
    add_rows(run, SINGLE, {})
    for entry in LITERALS:
        add_rows(run, entry, published("HSDH" if "HSDH" in entry.label else "GA-FreeCell"))


def fill_11_3(run: TableRun) -> None:
    """Compare the evolved weights with people."""
    found, _ = results(run, WEIGHTS)
    solved = Measure.of_rate("deals solved", len(found.solved), len(found.rows))
    for row in TABLE_11_3:
        label = f"evolved weights beside {row['name']}"
        run.add(row_of(label, solved, figure(row["solved"]), note=f"{row['deals']} deals, {row['seconds']} s each"))


def fill_11_gp(run: TableRun) -> None:
    """Solve the deals with evolved rules, beside GP-FreeCell's 99.65 %."""
    add_rows(run, POLICY, {"solved": 0.9965})
    add_rows(run, WEIGHTS, {"solved": 0.9965})


def fill_11_text(run: TableRun) -> None:
    """Measure what the text says of searches without evolution."""
    blind = spread(max(2, run.games // LITERAL))
    cap = LITERAL_CAP[run.preset] // 10
    for label, text, told in (
        ("iterative deepening, blind", "id:increment=10", 0.0),
        ("IDA* ordered by HSDH", "id:increment=10,order=estimate,eval=hsdh", 0.01),
    ):
        solver: Any = agent(f"{text},nodes={cap}", load(BOOKISH))
        found = solve_deals(run, label, BOOKISH, solver, blind)
        rate = Measure.of_rate("deals solved", len(found.solved), len(found.rows))
        run.add(row_of(label, rate, told, tolerance=0.01, note=f"{cap:,} nodes a deal; the book: out of memory"))
    add_rows(run, HSDH, {"solved": 0.96}, samples=False)
    for name in ("well_placed", "not_at_foundations", "free_cells", "lowest_home", "highest_home", "difference_home"):
        entry = Entry(f"{name} alone, k = 3", OURS, by_name(f"staged:depth=3,eval={name}"), LITERAL)
        add_rows(run, entry, {}, samples=False)
    game = load(OURS)
    breadth: Any = agent("bfs")
    proof = breadth.solve(game, game.position("#11982"))
    known = Measure.exact("deal 11982", float(proof.status == "unsolvable"), "proved unsolvable")
    run.add(row_of("deal 11982", known, note=f"breadth first, {proof.nodes:,} states, all there are"))


SIZES = {"quick": (200, 1), "standard": (ALL, 1), "paper": (ALL, 1)}
NAMES = (
    ("freecell-11.2", "Evolved to Win, table 11.2: deals solved, nodes and lengths", fill_11_2),
    ("freecell-11.3", "Evolved to Win, table 11.3: beside people", fill_11_3),
    ("freecell-11-gp", "Evolved to Win, section 11.5: policies, beside 99.65 %", fill_11_gp),
    ("freecell-11-text", "Evolved to Win, chapter 11: what its text says of searches without evolution", fill_11_text),
)
TABLES = tuple(LabTable(name, about, SIZES, fill, unit="deals", sides=1) for name, about, fill in NAMES)
