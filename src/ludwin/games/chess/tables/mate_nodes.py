"""Tables 6.1 and 6.5 of *Evolved to Win*: how many boards it takes to find mates, by hand and evolved.

The book's problems are not printed, and its engine is not to be had.  So ours are those of three pools, told apart, and
in the place of the engine stands the best of our solvers by hand on each pool.  Table 6.1 puts their boards beside the
engine's nodes; Table 6.5 puts the evolved programs' share of the baseline's boards beside the printed share.  An
answer counts if the referee proves it; where it does not, or its boards run out, the boards count all the same.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 6.
"""

from collections.abc import Iterator
from statistics import median

from ludwin.games.chess.opponents.mates import pychess
from ludwin.games.chess.opponents.mates.champion import champion, unaided
from ludwin.games.chess.opponents.mates.pool import (
    POOLS,
    TEST,
    MateProblem,
    boards_by_hand,
    is_key,
    means,
    problems,
    shares,
)
from ludwin.games.chess.opponents.mates.programs import runner
from ludwin.games.chess.opponents.mates.solver import BOARDS, FORESIGHT, SOLVERS, solver
from ludwin.lab.experiment import LabTable, TableRun, row_of
from ludwin.lab.published import data_of, figure, rows
from ludwin.measure import Measure

TOLD = {int(row["n"]): row for row in rows(data_of(__file__) / "mate_6.csv")}
COUNT = "boards"
UNAIDED = ", bred from random programs"


def sets(run: TableRun) -> Iterator[tuple[str, int, tuple[MateProblem, ...]]]:
    """Yield the test problems of every pool that is here, by n; of the deepest a quarter as many."""
    for pool in POOLS:
        if pool != "own" and pychess.folder() is None:
            run.news(f"{pool}: left out; {pychess.WANTED}")
            continue
        for n in TOLD:
            some = problems(pool, n, TEST, run.games if n < 5 else max(1, run.games // 4))
            if some:
                run.news(f"{pool}, mate in {n}: {len(some)} problems")
                yield pool, n, some


def fill_6_1(run: TableRun) -> None:
    """Count the boards of every solver by hand."""
    for pool, n, some in sets(run):
        for name in (*SOLVERS, FORESIGHT):
            found = [boards_by_hand(name, one) for one in some]
            solved = sum(solver(name).solve(one.state, n).solved for one in some)
            theirs = figure(TOLD[n]["crafty"]) if pool != "own" else None
            note = f"median {median(found):,.0f}; {solved} of {len(some)} solved within {BOARDS:,}"
            measure = Measure.of_samples(f"mean {COUNT}", [float(one) for one in found], direction="less")
            run.add(row_of(f"{pool}, mate in {n}: {name}", measure, theirs, note=note))


def fill_6_5(run: TableRun) -> None:
    """Count the boards of evolved programs beside the best solver by hand of each pool and n."""
    for pool, n, some in sets(run):
        by_hand = means(some)
        best = min(by_hand, key=lambda name: by_hand[name])
        base = [boards_by_hand(best, one) for one in some]
        ahead = sum(boards_by_hand(FORESIGHT, one) for one in some) / len(some)
        theirs = figure(TOLD[n]["evolved"]) / figure(TOLD[n]["crafty"])
        for program, who in ((champion(pool), ""), (unaided(), UNAIDED)):
            work = runner(program.language).load(program)
            answers = [work.solve(one.state, n) for one in some]
            right = [answer.claims and is_key(one, answer.move) for one, answer in zip(some, answers, strict=True)]
            label = f"{pool}, mate in {n}{who}"
            boards = [answer.boards for answer in answers]
            note = f"{sum(boards) / len(some):,.0f} boards beside {by_hand[best]:,.0f} of {best}"
            note += f" ({ahead:,.0f} of {FORESIGHT}); medians {median(boards):,.0f} and {median(base):,.0f}"
            parts = shares(boards, base)
            run.add(row_of(label, Measure.of_samples("ratio of totals", parts, direction="less"), theirs, note=note))
            ratios = [mine / own for mine, own in zip(boards, base, strict=True)]
            run.add(row_of(label, Measure.of_samples("mean of ratios", ratios, direction="less"), theirs))
            run.add(row_of(label, Measure.of_rate("solved", sum(right), len(some))))


SIZES = {"quick": (4, 1), "standard": (60, 1), "paper": (200, 1)}
ABOUT = "Evolved to Win, table {}: {}"
TABLE_6_1 = LabTable(
    "mate-6.1",
    ABOUT.format("6.1", "boards of solvers by hand"),
    SIZES,
    fill_6_1,
    unit="problems",
    least=1,
    sides=1,
)
TABLE_6_5 = LabTable(
    "mate-6.5",
    ABOUT.format("6.5", "the evolved search beside them"),
    SIZES,
    fill_6_5,
    unit="problems",
    least=1,
    sides=1,
)
