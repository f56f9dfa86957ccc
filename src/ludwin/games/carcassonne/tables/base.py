"""Tables 6.2 and 6.3 of the thesis behind EA-MCTS: what to reward in Carcassonne's base game, and which constant.

Table 6.2 lets a search that counts points (R2: the lead over 593) play one that counts wins (R1), with a constant
drawn anew for each pair of games.  One constant means different things to them: in random games wins have a
deviation of about 1, leads over 593 one of about 0.018.  So the pairs are played again with R2's constant in
proportion; and a third time with R1 divided by 593 too, for the thesis's table of parameters names that factor for
both agents.  Read so, a win is worth 0.0017, a tenth of what leads scatter by, and with one constant it is R1 that
spreads its playouts evenly.  Table 6.3 plays five constants against random play, in both seats.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), sections 6.2 and 6.3.
"""

import math
from collections.abc import Sequence
from statistics import fmean, stdev

from ludwin.arena.records import Record
from ludwin.arena.score import points_of
from ludwin.arena.stats import holm, mann_whitney, mean_of
from ludwin.games.carcassonne.tables.cells import LEAST, Cell, Published, Review, compare, difference, review, vanilla
from ludwin.lab.experiment import LabTable, Row, TableRun, judged, measured
from ludwin.lab.published import data_of, figure, rows
from ludwin.lab.sources.matches import event
from ludwin.lab.verdicts import SAME_ANSWER, Finding
from ludwin.library import agent, load
from ludwin.primitives import stream, uniform

DATA = data_of(__file__)

BASE = "carcassonne"
MAXIMUM = 593  # what leads are divided by
SEATS = ("first", "second")
LOTS = 0x636F6E73  # sets the stream of drawn constants apart from those of games


def lead(record: Record, who: int) -> int:
    """Return by how many points an agent led at the end."""
    return round(record.payoffs[record.seats.index(who)] * MAXIMUM)


def result(points: float) -> float:
    """Return the score of a game that ended with this lead."""
    return points_of(points, 0)


def counts(leads: Sequence[float]) -> tuple[int, int, int]:
    """Return games won, drawn and lost."""
    return sum(v > 0 for v in leads), sum(v == 0 for v in leads), sum(v < 0 for v in leads)


def shown(won_drawn_lost: tuple[int, int, int]) -> str:
    """Return counts as tables print them."""
    return "/".join(map(str, won_drawn_lost))


# ---- Table 6.2: what to reward ------------------------------------------------------------------------------

# R2's games won, drawn and lost, by its seat
TABLE_6_2 = {
    row["seat"]: (int(row["won"]), int(row["drawn"]), int(row["lost"])) for row in rows(DATA / "carcassonne_6_2.csv")
}
LEAST_C, MOST_C = 0.5, 3.0
SPREAD = 10.5 / MAXIMUM  # deviation of R2 in random games (R1's is about 1)
REWARD_PLAYOUTS = {"quick": 1000, "standard": 2000, "paper": 5000}


def fill_6_2(run: TableRun) -> None:
    """Play R2 against R1 in pairs of games, each with a constant of its own."""
    fill_rewards(run, REWARD_PLAYOUTS[run.preset])


def fill_rewards(run: TableRun, playouts: int) -> None:
    """Play the pairs, and compare R2's scores with the published ones, by seat and in all."""
    leads = _reward_leads(run, playouts)
    if run.part:  # the cells of the rows below
        _reward_leads(run, playouts, factor=SPREAD)
        _reward_leads(run, playouts, divisor=MAXIMUM)
    run.demand_all()
    note = f"{playouts:,} playouts, C from {LEAST_C:g} to {MOST_C:g}"
    everything = tuple(map(sum, zip(*TABLE_6_2.values(), strict=True)))
    cells = [_score_cell(f"R2 against R1, {seat} seat", TABLE_6_2[seat], leads[seat], note) for seat in SEATS]
    cells.append(
        _score_cell(
            "R2 against R1", (everything[0], everything[1], everything[2]), leads["first"] + leads["second"], note
        )
    )
    for row in compare(cells):
        run.add(row)
    scaled = [v for of_seat in _reward_leads(run, playouts, factor=SPREAD).values() for v in of_seat]
    ours = mean_of([result(v) for v in scaled])
    about = f"{shown(counts(scaled))}, mean lead {fmean(scaled):.1f}; {note} for R1, {SPREAD:.4f} times that for R2"
    label = "R2 against R1, constants in proportion"
    run.add(measured(label, "score", ours, len(scaled), about))
    both = _reward_leads(run, playouts, divisor=MAXIMUM)
    note = f"{note}; R1 is ±1/{MAXIMUM}, as the table of parameters can be read"
    published = (everything[0], everything[1], everything[2])
    for row in compare([_score_cell("R2 against R1, both divided", published, both["first"] + both["second"], note)]):
        run.add(row)


def _reward_leads(run: TableRun, playouts: int, factor: float = 1.0, divisor: float = 1.0) -> dict[str, list[int]]:
    """Return R2's leads by its seat, in pairs of games; its constant is R1's times a factor, a win 1 over a divisor."""
    game = load(BASE)
    leads: dict[str, list[int]] = {seat: [] for seat in SEATS}
    wins = ",reward=wins" + ("" if divisor == 1 else f",scale={divisor:g}")
    apart = (" in proportion" if factor != 1 else "") + (" both divided" if divisor != 1 else "")
    for k in range(run.games // 2):
        c = constant_of(run.seed, k)
        agents = [agent(vanilla(round(factor * c, 6))(playouts)), agent(vanilla(c, wins)(playouts))]
        with run.cell():
            _, records = event(run, f"pair {k + 1:03}, C={c:g}{apart}", game, agents, 2, seed=stream(run.seed, k))
            for record in records:
                leads[SEATS[record.seats.index(0)]].append(lead(record, 0))
    return leads


def constant_of(seed: int, pair: int) -> float:
    """Return the constant of a pair of games, drawn uniformly."""
    return round(LEAST_C + (MOST_C - LEAST_C) * uniform([stream(seed, LOTS, pair)]), 4)


def _score_cell(label: str, published: tuple[int, int, int], leads: Sequence[int], note: str) -> Cell:
    scores = [1.0] * published[0] + [0.5] * published[1] + [0.0] * published[2]
    note = f"{shown(counts(leads))} ({shown(published)}), mean lead {fmean(leads):.1f}; {note}"
    return Cell(label, "score", Published(fmean(scores), stdev(scores), len(scores)), [result(v) for v in leads], note)


# ---- Table 6.3: constants against random play ---------------------------------------------------------------

# constant -> for each seat: lead, ratio of scores, score, meeples played, each a mean and its ±
PRINTED = ("lead", "ratio", "score", "meeples")
TABLE_6_3: dict[str, dict[str, list[tuple[float, float]]]] = {
    row["c"]: {} for row in rows(DATA / "carcassonne_6_3.csv")
}
for _row in rows(DATA / "carcassonne_6_3.csv"):
    TABLE_6_3[_row["c"]][_row["seat"]] = [(figure(_row[key]), figure(_row[f"{key}_pm"])) for key in PRINTED]
METRICS = ("lead", "ratio of scores", "score", "meeples played")
GAMES_6_3 = 20  # published, in each seat
CONSTANTS = {"0.5": 0.5, "1": 1.0, "√2": math.sqrt(2), "2": 2.0, "3": 3.0}
RANDOM_PLAYOUTS = {"quick": 300, "standard": 2000, "paper": 5000}


def fill_6_3(run: TableRun) -> None:
    """Play every constant against random play; half of a row's games are in each seat."""
    fill_constants(run, RANDOM_PLAYOUTS[run.preset])


def fill_constants(run: TableRun, playouts: int) -> None:
    """Play the matches; compare leads, ratios, scores and meeples, then the seats."""
    game = load(BASE)
    cells, seats = [], {}
    for c, value in CONSTANTS.items():
        with run.cell():
            _, records = event(
                run,
                f"MCTS C={c} against random",
                game,
                [agent(vanilla(value)(playouts)), agent("random")],
                run.games,
                seed=run.seed,
            )
            for seat, name in enumerate(SEATS):
                seen = [review(game, record) for record in records if record.seats.index(0) == seat]
                mine = [(both[seat], both[1 - seat]) for both in seen]
                seats[c, name] = [float(own.score) for own, _ in mine]
                cells += _random_cells(c, seat, mine, f"{playouts:,} playouts")
    run.demand_all()
    for row in compare(cells):
        run.add(row)
    for row in _seat_rows(seats, playouts):
        run.add(row)


def _random_cells(c: str, seat: int, games: Sequence[tuple[Review, Review]], note: str) -> list[Cell]:
    """Return the four means of one constant in one seat.

    The ± of leads is too small to be the deviation of a game (table 6.8 gives 18.2 for the first): it is taken as the
    standard error.
    """
    ratios = [own.score / other.score for own, other in games if other.score > 0]
    ours = (
        [float(own.score - other.score) for own, other in games],
        ratios,
        [float(own.score) for own, _ in games],
        [float(own.meeples) for own, _ in games],
    )
    notes = [
        note,
        note
        if len(ratios) == len(games)
        else f"{note}, {len(games) - len(ratios)} games left out where random had nothing",
        note,
        note,
    ]
    cells = []
    for k, metric in enumerate(METRICS):
        mean, spread = TABLE_6_3[c][SEATS[seat]][k]
        published = Published(mean, spread * math.sqrt(GAMES_6_3) if metric == "lead" else spread, GAMES_6_3)
        if len(ours[k]) > 1:
            cells.append(Cell(f"MCTS C={c}, {SEATS[seat]} seat", metric, published, ours[k], notes[k]))
    return cells


def _seat_rows(scores: dict[tuple[str, str], list[float]], playouts: int) -> list[Row]:
    """Return whether the first seat scores more: published, by Mann and Whitney's test, for every constant but 2."""
    evidence = holm([mann_whitney(scores[c, "first"], scores[c, "second"]).p for c in CONSTANTS])
    rows = []
    for c, p in zip(CONSTANTS, evidence, strict=True):
        first, second = scores[c, "first"], scores[c, "second"]
        ours = difference(first, second)
        published = TABLE_6_3[c]["first"][2][0] - TABLE_6_3[c]["second"][2][0]
        note = (
            f"Mann-Whitney: p = {p:.2g} after Holm, published as "
            f"{'not significant' if c == '2' else 'significant'}; {playouts:,} playouts"
        )
        finding = Finding(ours, min(len(first), len(second)), round(published, 2), p=p, answer=c != "2")
        label, games = f"MCTS C={c}, first seat less second", len(first) + len(second)
        rows.append(judged(label, "score", SAME_ANSWER, finding, games=games, note=note))
    return rows


CARCASSONNE_6_2 = LabTable(
    "carcassonne-6.2",
    "EA-MCTS, table 6.2: rewarding points against rewarding wins at Carcassonne",
    {"quick": (20, 1), "standard": (100, 1), "paper": (100, 1)},
    fill_6_2,
    least=LEAST,
    parted=True,
)
CARCASSONNE_6_3 = LabTable(
    "carcassonne-6.3",
    "EA-MCTS, table 6.3: MCTS with five constants against random play at Carcassonne",
    {"quick": (20, 1), "standard": (40, 1), "paper": (2 * GAMES_6_3, 1)},
    fill_6_3,
    least=LEAST,
    parted=True,
)
