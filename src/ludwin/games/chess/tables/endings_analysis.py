"""Tables 5.1 to 5.3 and figure 5.3: what an evolved endgame player knows, and which terminals it needs.

The idea.  Table 5.1 is exact arithmetic: the printed program judges every move of the reconstructed position.  The
others are strengths of terminals (`ludwin.evolve.strengths`), counted 1, 1/2, 0 against Master; a disabled terminal
says a number drawn from its range.  What matters there is the order of the terminals, so the last row is Kendall's rank
correlation with the published strengths.

References.  M. Sipper, *Evolved to Win* (2011), chapter 5.  M. G. Kendall, "A new measure of rank correlation",
Biometrika 30 (1938), 81-93.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

from ludwin.errors import BadParameter
from ludwin.evolve.experiment import plan, settle
from ludwin.evolve.strengths import alone, evolved, restricted
from ludwin.evolve.trees import Genome
from ludwin.games.chess.evolve import ENDINGS, TwoWays, kind
from ludwin.games.chess.evolve.endings import Endings
from ludwin.games.chess.language import NAMES, WORSE, laboratory, language, program, translated
from ludwin.games.chess.opponents.advised import board_values
from ludwin.games.chess.opponents.printed import gpec190
from ludwin.games.chess.tables.endings_runs import FOUR, breeding, champion_of, made, plain_score
from ludwin.lab.bred import folder_of
from ludwin.lab.experiment import LabTable, Row, TableRun, row_of
from ludwin.lab.published import data_of, figure, rows
from ludwin.library import load
from ludwin.measure import Measure
from ludwin.primitives import stream
from ludwin.program.stream import Stream
from ludwin.stats.ranks import kendall
from ludwin.words import PRESETS

DATA = data_of(__file__)
START = "8/8/6K1/8/2r1k3/R7/7q/3Q4 w - - 0 1"
ALL = 39  # moves of the first position
MISPRINTED = ("3",)  # columns whose moves are not what the signs say
SMALL = {"quick": (16, 4), "standard": (30, 20), "paper": (80, 60)}  # of runs with other languages
CHOICE = 1  # the purpose of games that choose among players of a small run
COUNTS = (1, 6, 11, 16, 21, 26, 31)


# ---- Table 5.1 -------------------------------------------------------------------------------------------------------


def table_5_1(run: TableRun) -> None:
    """Judge the moves of the printed game by the printed program."""
    if run.games != ALL:
        raise BadParameter(f"{run.name} judges all moves of six positions; leave --games away")
    state, tree = load("chess").position(START), gpec190()
    columns: dict[str, list[dict[str, str]]] = {}
    for line in rows(DATA / "chess_5_1.csv"):
        columns.setdefault(line["number"], []).append(line)
    for number, lines in columns.items():
        values = {state.name(move): board_values(state, move, tree)[""] for move in state.moves()}
        bare = {name.rstrip("+#"): value for name, value in values.items()}
        first = lines[0]
        run.add(_exact(f"move {number}: legal moves", "moves", len(values), figure(first["possible"])))
        for line in lines:
            note = "a misprint of the book: the column repeats another" if number in MISPRINTED else ""
            label, ours = f"move {number}: {line['move']}", bare.get(line["move"].rstrip("+#"), 0.0)
            run.add(_exact(label, "Gpec190's score", ours, figure(line["gpec"]), note))
        listed = {line["move"].rstrip("+#") for line in lines}
        rest = [value for name, value in bare.items() if name not in listed]
        run.add(_exact(f"move {number}: other moves that do not score 0", "moves", sum(map(bool, rest)), 0.0))
        state = state.play(state.parse(first["played"]))
        state = state.play(state.parse(first["reply"]))


def _exact(label: str, metric: str, ours: float, published: float, note: str = "") -> Row:
    verdict = "reproduced" if ours == published else "differs"
    return Row(label, metric, published, float(ours), float(ours), float(ours), verdict, 0.0, 0, note)


# ---- Strengths -------------------------------------------------------------------------------------------------------


@dataclass
class EndingLaboratory:
    """Measures players of four endings as chapter 5 does, against Master; small runs with other languages."""

    run: TableRun
    folder: Path

    @cached_property
    def endings(self) -> Endings:
        """The endings that are played."""
        return Endings(tuple(FOUR.split(";")), self.run.workers)

    def points(self, genome: Genome, *purpose: int) -> Measure:
        """Return the points against Master; all players have the same games, other purposes have others."""
        found = plain_score(self.endings, genome, self.run.games, stream(self.run.seed, *purpose))
        return Measure.of_samples("points", found)

    def small(self, names: Sequence[str], number: int, most: int = 0) -> tuple[Genome, Measure]:
        """Return the best of a small run whose programs read only these terminals, and the games it was chosen by."""
        population, generations = SMALL[self.run.preset]
        given: dict[str, Any] = {
            **breeding(self.run),
            "endings": FOUR,
            "population": population,
            "generations": generations,
        }
        given |= {"games": 2, "peers": 5} | ({"max_depth": most, "behind_depth": most} if most else {})
        settings = settle(ENDINGS, "paper", given)
        limited, games = restricted(kind(settings), names), TwoWays(settings, self.run.workers)
        seed = self.run.seed + number
        return evolved(limited, games, plan(settings), seed, lambda genome: self.points(genome, CHOICE))

    def fresh(self, names: Sequence[str], number: int) -> float:
        """Return the points of such a player in games that it was not chosen by."""
        return self.points(self.small(names, number)[0]).value

    def strong(self) -> list[Genome]:
        """Return strong players: champions of runs on four endings, and the printed one."""
        found = []
        for k in range(self.run.runs):
            one = made(self.run, self.folder / f"four-seed-{self.run.seed + k}", self.run.seed + k, {"endings": FOUR})
            found.append(champion_of(one))
        return [*found, (gpec190(),)]


def at_random(genome: Genome, name: str) -> Genome:
    """Return an individual whose terminal says random numbers of its range."""
    words, found = laboratory(), []
    read = {f"Scaled{name}", name} & set(words.number)
    for tree in genome:
        other = translated(tree)
        for at in range(len(other)):
            if other.primitive(at).name in read:
                other = other.change(at, node=words.find(f"Random{name}"), value=0.0, place=0)
        found.append(other)
    return tuple(found)


def table_5_2(run: TableRun) -> None:
    """Measure every terminal in three ways; enter the published twelve, the others, and the rank correlation."""
    published = {line["terminal"]: line for line in rows(DATA / "chess_5_2.csv")}
    with folder_of(run) as folder:
        lab = EndingLaboratory(run, folder)
        strong = lab.strong()
        whole = [lab.points(genome).value for genome in strong]
        chance = lab.points((program("Chance"),))
        note = "against Master alone; the book has 0.16 as the mean of Master and Crafty"
        run.add(row_of("a random evaluator", chance, None, None, note))
        best = fmean(lab.fresh(NAMES, k) for k in range(run.runs))
        ours: dict[str, float] = {}
        for name in [*published, *(name for name in NAMES if name not in published)]:
            run.news(f"{name}: alone, disabled, left out")
            single = lab.points((alone(language(), name, opposite=name in WORSE),))
            losses = [
                value - lab.points(at_random(genome, name)).value for value, genome in zip(whole, strong, strict=True)
            ]
            rest = [one for one in NAMES if one != name]
            lacks = [best - lab.fresh(rest, k) for k in range(run.runs)]
            ours[name] = fmean((single.value, fmean(losses), fmean(lacks)))
            line = published.get(name)
            _strength_rows(run, name, single, losses, lacks, ours[name], line)
    pairs = [(ours[name], figure(line["strength"])) for name, line in published.items()]
    run.add(_correlation("strength", pairs))
    singles = {row.label: row.ours for row in run.rows if row.metric == "single"}
    run.add(_correlation("single", [(singles[name], figure(line["single"])) for name, line in published.items()]))


def _strength_rows(
    run: TableRun,
    name: str,
    single: Measure,
    losses: list[float],
    lacks: list[float],
    strength: float,
    line: dict[str, str] | None,
) -> None:
    def cell(word: str) -> float | None:
        return figure(line[word]) if line else None

    note = "against Master alone; the book: Master and Crafty"
    measured = Measure("Master", single.value, single.low, single.high, single.n, metric="single")
    run.add(beside(row_of(name, measured, cell("single"), None, note)))
    run.add(beside(row_of(name, Measure.of_samples("disabled", losses), cell("disabled"), None, note)))
    run.add(beside(row_of(name, Measure.of_samples("left out", lacks), cell("left out"), None, note)))
    run.add(row_of(name, Measure.exact("Master", strength, metric="strength"), None, None, note))


def beside(row: Row) -> Row:
    """Return a row without a verdict: the book's scores are against Master and Crafty, ours against our Master."""
    return replace(row, verdict="measured")


def _correlation(word: str, pairs: Sequence[tuple[float, float]]) -> Row:
    found = kendall([a for a, _ in pairs], [b for _, b in pairs])
    label = f"rank correlation with the published column: {word}"
    return Row(label, "Kendall's tau-b", None, found.value, found.low, found.high, "measured", None, len(pairs))


def table_5_3(run: TableRun) -> None:
    """Evolve players with two terminals each."""
    with folder_of(run) as folder:
        lab = EndingLaboratory(run, folder)
        pairs = []
        for line in rows(DATA / "chess_5_3.csv"):
            both = (line["first"], line["second"])
            run.news(f"{' and '.join(both)}: evolution")
            runs = [lab.small(both, k, most=4) for k in range(run.runs)]
            found = lab.points(max(runs, key=lambda one: one[1].value)[0])
            pairs.append((found.value, figure(line["score"])))
            note = "against Master alone; the book: Master and Crafty"
            run.add(beside(row_of(" and ".join(both), found, figure(line["score"]), None, note)))
    run.add(_correlation("score", pairs))


def figure_5_3(run: TableRun) -> None:
    """Evolve players with more and more terminals: nested sets, drawn by lot."""
    with folder_of(run) as folder:
        lab = EndingLaboratory(run, folder)
        means = []
        for count in COUNTS:
            label = f"{count} terminal{'s' * (count > 1)}"
            run.news(f"{label}: evolution")
            values = []
            for k in range(run.runs):
                order = Stream(stream(run.seed + k, 53)).shuffled(NAMES)
                values.append(lab.fresh(order[:count], k))
            means.append((float(count), fmean(values)))
            note = "nested sets by lot; the book: quasi-linear, past Master's level at 21"
            run.add(row_of(label, Measure.of_samples("points", values), None, None, note))
    found = kendall([a for a, _ in means], [b for _, b in means])
    label = "rank correlation of score and number of terminals"
    run.add(Row(label, "Kendall's tau-b", None, found.value, found.low, found.high, "measured", None, len(means)))


BOOK = "Evolved to Win"
TABLE_5_1 = LabTable(
    "chess-5.1",
    f"{BOOK}, table 5.1: how the printed player Gpec190 judges the moves of a game",
    dict.fromkeys(PRESETS, (ALL, 1)),
    table_5_1,
    unit="moves",
    sides=1,
)
TABLE_5_2 = LabTable(
    "chess-5.2",
    f"{BOOK}, table 5.2: strengths of the terminals of endgame players",
    {"quick": (80, 1), "standard": (500, 2), "paper": (500, 10)},
    table_5_2,
)
TABLE_5_3 = LabTable(
    "chess-5.3",
    f"{BOOK}, table 5.3: players that read two terminals",
    {"quick": (80, 1), "standard": (500, 2), "paper": (500, 10)},
    table_5_3,
)
FIGURE_5_3 = LabTable(
    "chess-f5.3",
    f"{BOOK}, figure 5.3: players that read more and more terminals",
    {"quick": (80, 1), "standard": (500, 3), "paper": (500, 10)},
    figure_5_3,
)
