"""Tables 10.2 and 10.3 of *Evolved to Win*, and what the text of chapter 10 says: nodes beside iterative deepening.

The measure is a search's nodes in parts of those that iterative deepening without a heuristic needs on the same board,
with the same increment of the bound.  The mean of these ratios is the book's; easy boards weigh as much as hard ones
there, so the ratio of the totals stands beside it, and breadth first, which needs memory and hardly any nodes, always.
Two modes: `order`, in which a heuristic only orders moves (the book's), and `ida`, in which it cuts, too.  The
increment is 20 unless a row says otherwise; a search that must exhaust every round but the last can hardly save there
by ordering, so ordering is also measured with increments of 60, 80 and 120, with which all 6x6 boards are solved in
the first round.  How low an order could go at all, docs/results/puzzles.md says.  The orders of GP heed what is new on
the way and begin each round with probes; what these are worth without GP, rows say that walk as it does, and what GP is
worth without probes, another one.

Boards: the forty cards, and hard boards that no policy was trained on: the twenty hardest of all groups but the first.
Each board carries its DifficultyLevel, its rank in its group, as in training: the book's policies know that, too.  The
8x8 boards are every fifth of `data/large.txt`, for an ordering search takes a minute on all of them.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 10.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ludwin.games.parking.boards import cards as _cards
from ludwin.games.parking.evolve.policies import (
    GROUP,
    GROUPS,
    group_of,
    hand_made,
    ranked,
    solver,
    split,
    total,
)
from ludwin.games.parking.evolve.shipped import LARGE, listed
from ludwin.games.parking.evolve.tuned import WALK, tuned_sum
from ludwin.lab.experiment import LabTable, TableRun, row_of
from ludwin.lab.published import data_of, figure, rows
from ludwin.library import agent, load
from ludwin.measure import Measure
from ludwin.search.brain import Weights
from ludwin.search.puzzles.deepen import IterativeDeepening
from ludwin.search.puzzles.solver import Solution, Solver

DATA = data_of(__file__)
TABLE_10_2 = {row["boards"]: row for row in rows(DATA / "parking_10_2.csv")}
TABLE_10_3 = rows(DATA / "parking_10_3.csv")
LIMIT = 1_500_000  # nodes a board
LARGE_LIMIT = 10_000_000
HAND = ("h1", "h2", "h3", "hi", "hc")
UNSEEN = (2, 3, 4, 5)  # groups
TESTED = "test boards"  # of the first group
EIGHTS = 5  # every so manieth of the 8x8 boards


def cards() -> tuple[str, ...]:
    """Return the forty classic cards."""
    found: tuple[str, ...] = _cards()  # type: ignore[no-untyped-call]
    return found


def blind(increment: int, limit: int) -> str:
    """Return iterative deepening without a heuristic."""
    return f"id:increment={increment},nodes={limit}"


def searches(mode: str, increment: int, limit: int) -> dict[str, str | Solver]:
    """Return the searches of one mode, by what they are called in the tables."""
    name, words = ("id", (*HAND, "hl", "ha")) if mode == "order" else ("ida", (*HAND, "hl", "hb"))
    made: dict[str, str | Solver] = {
        word.capitalize(): f"{name}:increment={increment},nodes={limit},order=estimate,eval={word}" for word in words
    }
    if mode == "ida":
        made["Hc, weight 3"] = f"{made['Hc']},weight=3"
    evolved = "gp-parking-order" if mode == "order" else "gp-parking"
    bred = f"{evolved}:increment={increment},nodes={limit}"
    made["Tuned sum"] = tuned(mode, increment, limit)
    if mode == "order":
        made["Ha, as GP walks"] = f"{made['Ha']},{','.join(f'{key}={value}' for key, value in WALK.items())}"
        made["Nothing, as GP walks"] = silent(increment, limit)
        made["GP, without probes"] = f"{bred},probes=0"
    return {**made, "GP": bred, "GP, the book's words": f"{bred},words=book"}


def tuned(mode: str, increment: int, limit: int) -> Solver:
    """Return the search that asks the sum that evolution began with."""
    is_order = mode == "order"
    settings = {"mode": mode, "increment": increment, "nodes": limit, "weight": 1.0, "novel": is_order}
    probing = {"probes": WALK["probes"], "noise": WALK["noise"]} if is_order else {"probes": 0, "noise": 0.0}
    weights = tuned_sum(mode, is_order, is_order)
    return solver({**settings, **probing}, hand_made(True, total(weights), True, is_order))


def silent(increment: int, limit: int) -> Solver:
    """Return a search that walks as the tuned one does, but says nothing of states."""
    search = IterativeDeepening(nodes=limit, increment=float(increment), order="estimate", **WALK)
    return search.with_brain(Weights((("moves", 0, 0.0),)))


@lru_cache(maxsize=256)
def solved(search: str | Solver, boards: tuple[str, ...]) -> tuple[Solution, ...]:
    """Return what a search finds on boards of one size."""
    game = load(f"parking:size={round(len(boards[0].split()[0]) ** 0.5)}")
    solves: Any = agent(search, game) if isinstance(search, str) else search
    assert isinstance(solves, Solver)
    places = solves.solving(game)
    return tuple(places.solve(game.position(board)) for board in boards)


@lru_cache(maxsize=1)
def levels() -> dict[str, str]:
    """Return every board of the groups with its difficulty noted in the position."""
    groups = [group_of(number) for number in range(1, GROUPS + 1)]
    return {board: ranked(board, 1000 * k // GROUP) for boards in groups for k, board in enumerate(boards)}


def levelled(boards: Sequence[str]) -> tuple[str, ...]:
    """Return boards with their difficulty."""
    return tuple(levels()[board] for board in boards)


def sets(run: TableRun) -> dict[str, tuple[str, ...]]:
    """Return the sets of boards, each cut to the size of the run."""
    unseen = [board for group in UNSEEN for board in group_of(group)[-20:] if board not in cards()]
    large = tuple(board for board, _ in listed(LARGE))[::EIGHTS]
    six = {"40 cards": levelled(cards()), TESTED: split(6, 1)[1], "unseen hard boards": levelled(unseen)}
    found = {**six, "8x8": large}
    return {name: boards[: run.games] for name, boards in found.items() if boards}


def compare(run: TableRun, name: str, boards: Sequence[str], mode: str, increment: int, told: dict[str, str]) -> None:
    """Enter the rows of all searches of a mode on some boards."""
    limit = LARGE_LIMIT if name == "8x8" else LIMIT
    base = solved(blind(increment, limit), tuple(boards))
    beyond = sum(not one.solved for one in base)
    for word, text in searches(mode, increment, limit).items():
        if name == TESTED and word in ("GP", "Tuned sum"):
            continue  # most of these boards were among those that they were bred or tuned on (group=0)
        found = solved(text, tuple(boards))
        lost = sum(not one.solved for one in found)
        ratios = [one.nodes / other.nodes for one, other in zip(found, base, strict=True)]
        label = f"{name}, {mode}, increment {increment}: {word}"
        note = f"{len(found) - lost} of {len(found)} solved" + (f", blind {len(base) - beyond}" if beyond else "")
        theirs = figure(told[word[:2]]) / 100 if mode == "order" and word[:2] in told else None
        mean = Measure.of_samples("mean of ratios", ratios, direction="less")
        run.add(row_of(label, mean, theirs, note=note))
        total = sum(one.nodes for one in found) / sum(one.nodes for one in base)
        run.add(row_of(label, Measure.exact("", total, "ratio of totals", direction="less")))
    wide = solved(f"bfs:nodes={LARGE_LIMIT}", tuple(boards))
    ratios = [one.nodes / other.nodes for one, other in zip(wide, base, strict=True)]
    label = f"{name}, increment {increment}: breadth first"
    run.add(row_of(label, Measure.of_samples("mean of ratios", ratios, direction="less"), note="optimal, with memory"))
    total = sum(one.nodes for one in wide) / sum(one.nodes for one in base)
    run.add(row_of(label, Measure.exact("", total, "ratio of totals", direction="less")))


def fill_10_2(run: TableRun) -> None:
    """Compare all heuristics in both modes on all sets."""
    for name, boards in sets(run).items():
        told = TABLE_10_2["8x8" if name == "8x8" else "6x6"] if name in (TESTED, "8x8") else {}
        for mode, increment in (
            ("order", 20),
            *(() if name == "8x8" else (("order", 60), ("order", 80), ("order", 120))),
            ("ida", 20),
        ):
            run.news(f"{name}: {mode}, increment {increment}")
            compare(run, name, boards, mode, increment, told)


def fill_10_3(run: TableRun) -> None:
    """Compare the effort on the cards, eight at a time: seconds are proportional to nodes, which do not age."""
    columns: dict[str, str | Solver] = {
        "ID": blind(20, LIMIT),
        "Hi": searches("ida", 20, LIMIT)["Hi"],
        "Hc": searches("ida", 20, LIMIT)["Hc"],
    }
    columns["GP"] = searches("ida", 20, LIMIT)["GP"]
    for row in TABLE_10_3:
        first, last = map(int, row["problems"].split("-"))
        boards = levelled(cards()[first - 1 : last])
        base = solved(columns["ID"], boards)
        for word, text in columns.items():
            found = solved(text, boards)
            share = sum(one.nodes for one in found) / sum(one.nodes for one in base)
            theirs = figure(row[word]) / figure(row["ID"])
            measure = Measure.exact("", share, "effort beside ID", direction="less")
            note = f"theirs in seconds: {row[word]}; people {row['Humans']} s"
            run.add(row_of(f"cards {row['problems']}: {word}", measure, theirs, 0.05, note))


def fill_10_text(run: TableRun) -> None:
    """Measure what the text says of the cards and of hard boards."""
    base = solved(blind(5, LIMIT), cards())
    most = Measure.exact("", float(max(one.nodes for one in base)), "most nodes of a card", direction="less")
    run.add(row_of("cards, increment 5", most, 500_000.0, note=f"{sum(one.solved for one in base)} of 40 solved"))
    wide = solved("bfs", cards())
    lengths = [len(one.plan) for one in wide]
    run.add(row_of("cards, breadth first", Measure.exact("", float(min(lengths)), "shortest plan"), 8.0))
    run.add(row_of("cards, breadth first", Measure.exact("", float(max(lengths)), "longest plan"), 52.0, 1.0))
    states = Measure.exact("", float(sum(one.distinct for one in wide)), "states in all", direction="less")
    run.add(row_of("cards, breadth first", states))
    h1 = solved(searches("order", 20, LIMIT)["H1"], cards())
    plain = solved(blind(20, LIMIT), cards())
    ratios = [one.nodes / other.nodes - 1 for one, other in zip(h1, plain, strict=True)]
    run.add(row_of("H1 orders, best card", Measure.exact("", min(ratios), "change of nodes", direction="less"), -0.7))
    run.add(row_of("H1 orders, worst card", Measure.exact("", max(ratios), "change of nodes", direction="less"), 1.7))
    hard = sets(run)["unseen hard boards"]
    kept = Measure.of_rate("solved blind", sum(one.solved for one in solved(blind(20, LIMIT), hard)), len(hard))
    run.add(row_of("unseen hard boards, 1.5 million nodes", kept, 0.9))
    large = tuple(board for board, _ in listed(LARGE))[: run.games]
    if large:
        nodes = [one.nodes for one in solved(blind(20, LARGE_LIMIT), large)]
        top = Measure.exact("", float(max(nodes)), "nodes of the hardest 8x8 board")
        run.add(
            row_of(
                "8x8, blind, increment 20", top, 26_000_000.0, note=f"{sum(n >= 10**6 for n in nodes)} need a million"
            )
        )


SIZES = {"quick": (3, 1), "standard": (100, 1), "paper": (100, 1)}
NAMES = (
    ("parking-10.2", "Evolved to Win, table 10.2: nodes beside iterative deepening", fill_10_2),
    ("parking-10.3", "Evolved to Win, table 10.3: effort on the forty cards", fill_10_3),
    ("parking-10-text", "Evolved to Win, chapter 10: what its text says of cards and hard boards", fill_10_text),
)
TABLES = tuple(LabTable(name, about, SIZES, fill, unit="boards", sides=1) for name, about, fill in NAMES)
