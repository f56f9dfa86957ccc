"""Table 5.10 of the thesis behind EA-MCTS: ten agents alone with 24 tiles of Carcassonne.

Four variants: one meeple or three, tiles drawn or in a known order (s, d).  All agents see the same tiles in the same
order.  What needs no playouts is played at full size, or more, in every preset.  Of the searches some games are looked
at move by move (figure 5.14, `carcassonne_visits`).

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), section 5.7.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from ludwin.arena.records import Record
from ludwin.arena.stats import Estimate, holm, welch_t
from ludwin.formats import Format, List, Table, write_json
from ludwin.games.carcassonne.tables.cells import (
    SORTS,
    Cell,
    Contestant,
    Published,
    Review,
    availability,
    budget,
    compare,
    compile_ahead,
    constant,
    difference,
    efficiency,
    evolving,
    review,
    vanilla,
)
from ludwin.games.carcassonne.tables.pictures import plot_points, plot_turns
from ludwin.games.carcassonne.tables.thoughts import Seen, on_file, watch_again
from ludwin.games.carcassonne.tables.visits import by_turn, fall_row, visit_row
from ludwin.lab.ahead import compiling
from ludwin.lab.experiment import LabTable, Row, TableRun, judged, measured
from ludwin.lab.published import data_of, figure, rows
from ludwin.lab.sources.matches import event
from ludwin.lab.verdicts import SAME_ANSWER, Finding
from ludwin.library import agent, load
from ludwin.search.montecarlo.family import Family

DATA = data_of(__file__)

GAMES = 30  # published, for each agent and variant
BOOTSTRAPS = 1000
DETAILS = Format("ludwin-carcassonne-solo", 1, Table({"rows": List(Table())}), "page of details")

VARIANTS = {
    "Carc_1,d": "carcassonne:players=1,tiles=24,meeples=1,order=fixed",
    "Carc_3,d": "carcassonne:players=1,tiles=24,meeples=3,order=fixed",
    "Carc_1,s": "carcassonne:players=1,tiles=24,meeples=1",
    "Carc_3,s": "carcassonne:players=1,tiles=24,meeples=3",
}
MAXIMUM = {"Carc_1,d": 105, "Carc_3,d": 135, "Carc_1,s": 105, "Carc_3,s": 135}

PLAYERS = (
    Contestant("MCTS C=0.5", vanilla(0.5)),
    Contestant("MCTS C=√2", vanilla(math.sqrt(2))),
    Contestant("MCTS C=3", vanilla(3)),
    Contestant("EA-MCTS", evolving("ea-mcts", math.sqrt(2))),
    Contestant("SIEA-MCTS", evolving("siea-mcts", math.sqrt(2))),
    Contestant("Expectimax-1-s", constant("expectimax:depth=1,eval=score"), searches=False),
    Contestant("Expectimax-1-vs", constant("expectimax:depth=1"), searches=False),
    Contestant("Expectimax-2-s", constant("expectimax:depth=2,eval=score"), searches=False),
    Contestant("Expectimax-2-vs", constant("expectimax:depth=2"), searches=False),
    Contestant("Random", constant("random"), searches=False),
)

# agent -> for each variant, in the order above: mean score, deviation, points per meeple, availability of meeples
TABLE_5_10: dict[str, dict[str, tuple[float, float, float, float]]] = {player.name: {} for player in PLAYERS}
for _row in rows(DATA / "carcassonne_5_10.csv"):
    _mean, _sd, _each, _free = (figure(_row[key]) for key in ("score", "score_sd", "points_per_meeple", "availability"))
    TABLE_5_10[_row["agent"]][_row["variant"]] = (_mean, _sd, _each, _free)


@dataclass(frozen=True)
class SoloSize:
    """The size of a preset."""

    playouts: int
    cheap: int  # games of an agent without playouts, if a row does not have more
    variants: tuple[str, ...] = tuple(VARIANTS)
    looked: int = 0  # games of each search that are looked at move by move
    looked_in: tuple[str, ...] = tuple(VARIANTS)  # each variant compiles two searches for that, a minute of CPU time


SIZES = {
    "quick": SoloSize(1000, 60, ("Carc_3,d", "Carc_1,s"), 1, ("Carc_3,d",)),
    "standard": SoloSize(2000, 300, looked=2),
    "paper": SoloSize(10_000, 300, looked=5),
}

Games = dict[tuple[str, str], list[Review]]
Views = dict[tuple[str, str], list[Seen]]


def fill_5_10(run: TableRun) -> None:
    """Play the table of this preset's size."""
    fill(run, SIZES[run.preset])


def fill(run: TableRun, size: SoloSize, players: Sequence[Contestant] = PLAYERS) -> None:
    """Play every agent in every variant, then compare means, the order of agents, EA with SIEA, and shares of
    visits.
    """
    compile_ahead(run, [(_label(v, p), VARIANTS[v], [p.text(size.playouts)]) for v in size.variants for p in players])
    records = {}
    for v, p in product(size.variants, players):
        with run.cell():
            records[v, p.name] = records_of(run, v, p, size)
    run.demand_all()
    found = {(v, name): reviews(v, games) for (v, name), games in records.items()}
    for row in compare([_cell(v, p, found[v, p.name], size) for v in size.variants for p in players]):
        run.add(row)
    for v in size.variants:
        run.add(order_row(v, {p.name: found[v, p.name] for p in players}, run.seed))
    for row in semantic_rows(size.variants, found):
        run.add(row)
    views = look(run, size, players, records)
    for row in visit_rows(views, size, players):
        run.add(row)
    _write(run, found, views)


def solo(run: TableRun, variant: str, player: Contestant, size: SoloSize) -> list[Review]:
    """Play one agent's games of one variant and review them."""
    return reviews(variant, records_of(run, variant, player, size))


def records_of(run: TableRun, variant: str, player: Contestant, size: SoloSize) -> list[Record]:
    """Play one agent's games of one variant, whole games in compiled code; all agents get the same tiles."""
    number = run.games if player.searches else max(run.games, size.cheap)
    _, records = event(
        run,
        _label(variant, player),
        load(VARIANTS[variant]),
        [agent(player.text(size.playouts))],
        number,
        seed=run.seed,
    )
    return records


def reviews(variant: str, records: Sequence[Record]) -> list[Review]:
    """Return what an agent did in each of its games."""
    game = load(VARIANTS[variant])
    games = [review(game, record)[0] for record in records]
    assert all(
        round(record.payoffs[0] * MAXIMUM[variant]) == one.score for record, one in zip(records, games, strict=True)
    ), "payoffs are scores"
    return games


def _label(variant: str, player: Contestant) -> str:
    return f"{variant}, {player.name}"


def _cell(variant: str, player: Contestant, games: Sequence[Review], size: SoloSize) -> Cell:
    mean, deviation, per_meeple, available = TABLE_5_10[player.name][variant]
    used = (
        f"{efficiency(games):.2f} points a meeple ({per_meeple:g}), availability {availability(games):.3f} "
        f"({available:g})"
    )
    note = ", ".join(filter(None, (budget(player, size.playouts), used)))
    return Cell(
        _label(variant, player), "mean score", Published(mean, deviation, GAMES), [g.score for g in games], note
    )


# ---- The order of agents ------------------------------------------------------------------------------------


def order_row(variant: str, found: dict[str, list[Review]], seed: int) -> Row:
    """Return how well the order of our means agrees with the published one; the interval is a bootstrap of games."""
    names = list(found)
    published = [TABLE_5_10[name][variant][0] for name in names]
    scores = [[g.score for g in found[name]] for name in names]
    ours = rank_correlation(published, [fmean(s) for s in scores])
    rng = Random(seed)
    draws = sorted(
        rank_correlation(published, [fmean(rng.choices(s, k=len(s))) for s in scores]) for _ in range(BOOTSTRAPS)
    )
    low, high = min(ours, draws[int(0.025 * BOOTSTRAPS)]), max(ours, draws[int(0.975 * BOOTSTRAPS)])
    ranking = " > ".join(sorted(names, key=lambda name: -fmean(g.score for g in found[name])))
    games = sum(map(len, scores))
    return measured(f"{variant}, order of agents", "rank correlation", Estimate(ours, low, high), games, ranking)


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Spearman's correlation, equals sharing their ranks.

    >>> rank_correlation([1, 2, 3], [10, 30, 20])
    0.5
    """
    a, b = _ranks(first), _ranks(second)
    middle = (len(a) - 1) / 2
    across = sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True))
    along = math.sqrt(sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b))
    return across / along if along else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    return [sum(other < v for other in values) + (sum(other == v for other in values) - 1) / 2 for v in values]


# ---- Does semantics help? -----------------------------------------------------------------------------------


def semantic_rows(variants: Sequence[str], found: Games) -> list[Row]:
    """Return SIEA-MCTS less EA-MCTS: published as better everywhere, but nowhere significantly (t-test, 0.05)."""
    pairs = [
        ([float(g.score) for g in found[v, "SIEA-MCTS"]], [float(g.score) for g in found[v, "EA-MCTS"]])
        for v in variants
    ]
    evidence = holm([welch_t(siea, ea).p for siea, ea in pairs])
    rows = []
    for v, (siea, ea), p in zip(variants, pairs, evidence, strict=True):
        published = TABLE_5_10["SIEA-MCTS"][v][0] - TABLE_5_10["EA-MCTS"][v][0]
        ours = difference(siea, ea)
        note = f"Welch's t: p = {p:.2g} after Holm; published as not significant"
        finding = Finding(ours, min(len(siea), len(ea)), round(published, 2), p=p, answer=False)
        label, games = f"{v}, SIEA-MCTS less EA-MCTS", len(siea) + len(ea)
        rows.append(judged(label, "difference", SAME_ANSWER, finding, games=games, note=note))
    return rows


# ---- How playouts are shared out ----------------------------------------------------------------------------


def look(
    run: TableRun, size: SoloSize, players: Sequence[Contestant], records: Mapping[tuple[str, str], Sequence[Record]]
) -> Views:
    """Play some games of every search again, and look at its decisions; the kernel that evolves is compiled beside the
    other.
    """
    searches = [(player, made) for player in players if isinstance(made := agent(player.text(size.playouts)), Family)]
    views: Views = {}
    for variant in size.looked_in if size.looked and searches else ():
        game = load(VARIANTS[variant])
        last, evolving_agent = searches[-1]
        with compiling(game, str(evolving_agent), 1 if on_file(run, _label(variant, last)) else run.workers):
            for player, made in searches:
                label = _label(variant, player)
                views[variant, player.name] = watch_again(
                    run, label, game, made, records[variant, player.name][: size.looked]
                )
    return views


def visit_rows(views: Views, size: SoloSize, players: Sequence[Contestant]) -> list[Row]:
    """Return the mean share of the most visited move of every search, and whether it falls with C."""
    by_name = {player.name: player for player in players}
    rows = []
    for variant in dict.fromkeys(variant for variant, _ in views):
        here = {name: games for (v, name), games in views.items() if v == variant}
        for name, games in here.items():
            evolved = not name.startswith("MCTS")
            rows.append(
                visit_row(
                    _label(variant, by_name[name]), games, evolved=evolved, note=budget(by_name[name], size.playouts)
                )
            )
        fixed = {name: games for name, games in here.items() if name.startswith("MCTS")}
        if len(fixed) > 1:
            rows.append(fall_row(variant, fixed))
    return rows


# ---- Files --------------------------------------------------------------------------------------------------


def _write(run: TableRun, found: Games, views: Views) -> None:
    """Write where points came from, where meeples and playouts went: figures 5.11 to 5.14 as data, and as pictures if
    possible.
    """
    if not run.folder:
        return
    rows = [
        {"variant": v, "agent": name, **_details(games), **_view(views.get((v, name)))}
        for (v, name), games in found.items()
    ]
    write_json(run.folder / "details.json", DETAILS, {"rows": rows}, indent=1)
    if find_spec("matplotlib"):
        for variant in dict.fromkeys(variant for variant, _ in found):
            _draw(variant, {str(row["agent"]): row for row in rows if row["variant"] == variant}, run.folder)


def _details(games: Sequence[Review]) -> dict[str, Any]:
    """Return the means of one agent in one variant."""
    turns = range(max(len(g.used) for g in games))
    return {
        "games": len(games),
        "points": {sort: round(fmean(g.points[k] for g in games), 4) for k, sort in enumerate(SORTS)},
        "meeples": round(fmean(g.meeples for g in games), 4),
        "points_per_meeple": round(efficiency(games), 4),
        "availability": round(availability(games), 4),
        "meeples_by_turn": [round(fmean(g.played(turn) for g in games), 4) for turn in turns],
        "farms_by_turn": [round(fmean(g.played(turn, farms=True) for g in games), 4) for turn in turns],
    }


def _view(games: Sequence[Seen] | None) -> dict[str, Any]:
    """Return the mean share of the most visited move, turn by turn, of a search that was looked at."""
    return (
        {"looked_at": len(games), "most_visited_by_turn": [round(share, 4) for share in by_turn(games)]}
        if games
        else {}
    )


def _draw(variant: str, rows: dict[str, dict[str, Any]], folder: Path) -> None:
    end = f"{variant.replace(',', '-')}.svg"
    plot_points(
        {name: row["points"] for name, row in rows.items()},
        folder / f"points-{end}",
        title=f"{variant}: where points come from",
    )
    plot_turns(
        {name: row["meeples_by_turn"] for name, row in rows.items()},
        folder / f"meeples-{end}",
        title=f"{variant}: meeples played",
    )
    plot_turns(
        {name: row["farms_by_turn"] for name, row in rows.items()},
        folder / f"farms-{end}",
        title=f"{variant}: meeples on farms",
    )
    shares = {name: row["most_visited_by_turn"] for name, row in rows.items() if "most_visited_by_turn" in row}
    if shares:
        title = f"{variant}: playouts that begin with the most visited move"
        plot_turns(shares, folder / f"visits-{end}", title=title, ylabel="share of all playouts, mean", top=1.0)


CARCASSONNE_5_10 = LabTable(
    "carcassonne-5.10",
    "EA-MCTS, table 5.10: ten agents alone at Carcassonne with 24 tiles",
    {"quick": (10, 1), "standard": (30, 1), "paper": (GAMES, 1)},
    fill_5_10,
    sides=1,
    parted=True,
)
