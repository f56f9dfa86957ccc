"""Tables 6.4 to 6.9 of the thesis behind EA-MCTS: round robins at Carcassonne's base game, with league points.

Every ordered pair of agents plays a match; its winner has 4 points, and bonuses are for clear wins and close losses
(`arena/rating.py`).  Printed league points of table 6.6 do not follow that rule, so ours are compared with
what it makes of table 6.4; those of table 6.9 do.  Whether neighbours in the ranking really differ is tested by
games of their own, one pair after the other until it is decided (or, in small presets, by the league's games).  At last
the winner meets MCTS with a constant in proportion to what it rewards (see `carcassonne_base.py`), which nobody tried.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), sections 6.4 and 6.5.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations, pairwise, permutations
from pathlib import Path
from random import Random
from statistics import fmean, stdev

from ludwin.arena.plot import plot_elo, plot_scores
from ludwin.arena.rating import LeagueLine, Meeting, crosstable, league, rate
from ludwin.arena.stats import Estimate, Sprt, pentanomial, summary
from ludwin.files import write_whole
from ludwin.games.carcassonne.tables.base import BASE, CONSTANTS, SPREAD, counts, lead, result, shown
from ludwin.games.carcassonne.tables.cells import (
    LEAST,
    Cell,
    Contestant,
    Published,
    compare,
    constant,
    evolving,
    vanilla,
)
from ludwin.games.carcassonne.tables.sizes import enter_sizes
from ludwin.lab.experiment import LabTable, Row, TableRun, judged, measured
from ludwin.lab.published import data_of, figure, rows
from ludwin.lab.sources.matches import event
from ludwin.lab.verdicts import AGAINST, INTERVAL, Finding
from ludwin.library import agent, load
from ludwin.primitives import stream

DATA = data_of(__file__)

TEST = Sprt(0, 100)  # normalised Elo, errors of 5 %
SEQUEL = 0x73657175  # sets the games of neighbours apart from those of the league
CHALLENGE = 0x6368616C  # and those against the winner
BOOTSTRAPS = 400
SMALL_C = round(0.5 * SPREAD, 4)  # the best constant of the leagues, in proportion
WORDS = {"accept": "stronger", "reject": "not stronger", "continue": "undecided"}

Leads = Mapping[tuple[str, str], Sequence[float]]  # of the agent in the first seat, game by game
Printed = tuple[int, int, int, float, float]  # games won, drawn, lost; mean lead and its deviation


@dataclass(frozen=True)
class League:
    """A published round robin."""

    players: tuple[Contestant, ...]
    printed: Mapping[tuple[str, str], Printed]
    challenger: Contestant  # not published: whom the winner meets at last
    same_tiles: (
        bool  # every match has the same tiles; else all matches are one event, whose tables have tiles of their own
    )

    def meetings(self) -> list[Meeting]:
        """Return the published matches."""
        return [Meeting(a, b, *cell[:3], cell[3]) for (a, b), cell in self.printed.items()]


@dataclass(frozen=True)
class LeagueSize:
    """Playouts of a move, the games that test neighbours, and those whose formulas are looked at."""

    playouts: int
    sequel: int  # at most so many times the games of a pair; 0: the league's games must do
    formulas: int = 0


def _crosstable(name: str) -> dict[tuple[str, str], Printed]:
    """Return a printed crosstable: by the agents in the first and in the second seat."""
    return {
        (row["first"], row["second"]): (
            int(row["won"]),
            int(row["drawn"]),
            int(row["lost"]),
            figure(row["lead"]),
            figure(row["lead_sd"]),
        )
        for row in rows(DATA / f"{name}.csv")
    }


CHALLENGER = Contestant(f"MCTS C={SMALL_C:g}", vanilla(SMALL_C))
VANILLA = tuple(Contestant(f"C={c}", vanilla(value)) for c, value in CONSTANTS.items())
TABLE_6_4 = League(VANILLA, _crosstable("carcassonne_6_4"), CHALLENGER, same_tiles=True)

FINALISTS = (
    Contestant("MCTS C=0.5", vanilla(0.5)),
    Contestant("MCTS C=1", vanilla(1)),
    Contestant("EA-MCTS", evolving("ea-mcts", 0.5)),
    Contestant("SIEA-MCTS", evolving("siea-mcts", 0.5)),
    Contestant("Expectimax-2-s", constant("expectimax:depth=2,eval=score"), searches=False),
    Contestant("Expectimax-2-vs", constant("expectimax:depth=2"), searches=False),
    Contestant("Random", constant("random"), searches=False),
)
TABLE_6_8 = League(FINALISTS, _crosstable("carcassonne_6_8"), CHALLENGER, same_tiles=False)

SIZES_6_4 = {"quick": LeagueSize(300, 0), "standard": LeagueSize(1000, 3), "paper": LeagueSize(5000, 20)}
SIZES_6_8 = {"quick": LeagueSize(100, 0, 2), "standard": LeagueSize(1000, 2, 10), "paper": LeagueSize(5000, 10, 20)}
THESIS = 5000  # playouts


def fill_6_4(run: TableRun) -> None:
    """Play the league of five constants."""
    fill(run, TABLE_6_4, SIZES_6_4[run.preset])


def fill_6_8(run: TableRun) -> None:
    """Play the league of seven agents."""
    fill(run, TABLE_6_8, SIZES_6_8[run.preset])


def fill(run: TableRun, table: League, size: LeagueSize) -> None:
    """Play the league; compare matches and league points, test neighbours in the ranking, challenge the winner, look at
    formulas.
    """
    leads = play_league(run, table, size.playouts)
    run.demand_all()
    note = f"{size.playouts:,} playouts"
    for row in compare([_cell(pair, table.printed[pair], values, note) for pair, values in leads.items()]):
        run.add(row)
    standings = league(meetings(leads))
    for row in _league_rows(standings, table, leads, run.seed, note):
        run.add(row)
    names = [line.name for line in standings]
    for first, second in pairwise(names):
        run.add(_neighbours(run, table, size, first, second, leads))
    run.add(_challenge(run, table, size, names[0]))
    if size.formulas:
        enter_sizes(run, load(BASE), {player.name: player.text(THESIS) for player in table.players}, size.formulas)
    if run.folder:
        write_whole(run.folder / "league.md", page(run, leads, standings, note))
        if find_spec("matplotlib"):
            _draw(meetings(leads), names, run.folder)


# ---- Games --------------------------------------------------------------------------------------------------


def play_league(run: TableRun, table: League, playouts: int) -> dict[tuple[str, str], list[float]]:
    """Return the leads of every ordered pair, game by game; `games` of a run are those of a pair in both seats."""
    game, names = load(BASE), [player.name for player in table.players]
    texts = {player.name: player.text(playouts) for player in table.players}
    leads: dict[tuple[str, str], list[float]] = {pair: [] for pair in permutations(names, 2)}
    for group in list(combinations(names, 2)) if table.same_tiles else [tuple(names)]:
        label = " – ".join(group) if table.same_tiles else "league"
        with run.cell():
            _, records = event(run, label, game, [agent(texts[name]) for name in group], run.games, seed=run.seed)
            for record in records:
                first, second = record.seats
                leads[group[first], group[second]].append(lead(record, first))
    return leads


def meetings(leads: Leads) -> list[Meeting]:
    """Return the matches that were played."""
    return [Meeting(a, b, *counts(values), fmean(values)) for (a, b), values in leads.items()]


def pair_scores(leads: Leads, first: str, second: str) -> list[float]:
    """Return what `first` scored in each pair of games with seats exchanged."""
    return [
        result(mine) + result(-theirs) for mine, theirs in zip(leads[first, second], leads[second, first], strict=True)
    ]


# ---- Rows ---------------------------------------------------------------------------------------------------


def _cell(pair: tuple[str, str], printed: Printed, leads: Sequence[float], note: str) -> Cell:
    note = f"{shown(counts(leads))} ({shown(printed[:3])}), {note}"
    return Cell(f"{pair[0]} – {pair[1]}", "mean lead", Published(printed[3], printed[4], sum(printed[:3])), leads, note)


def _league_rows(standings: Sequence[LeagueLine], table: League, leads: Leads, seed: int, note: str) -> Iterator[Row]:
    """Yield the league table; intervals are a bootstrap of the games of each match."""
    published = {line.name: line for line in league(table.meetings())}
    rng, draws = Random(seed), {line.name: list[float]() for line in standings}
    for _ in range(BOOTSTRAPS):
        for line in league(meetings({pair: rng.choices(values, k=len(values)) for pair, values in leads.items()})):
            draws[line.name].append(line.points)
    games = sum(map(len, leads.values()))
    for rank, line in enumerate(standings, 1):
        spread, old = sorted(draws[line.name]), published[line.name]
        ours = Estimate(
            line.points,
            min(line.points, spread[int(0.025 * BOOTSTRAPS)]),
            max(line.points, spread[int(0.975 * BOOTSTRAPS)]),
        )
        matches = (
            f"matches {line.wins}/{line.draws}/{line.losses} ({old.wins}/{old.draws}/{old.losses}), leads "
            f"{line.margin:.1f} ({old.margin:.1f})"
        )
        finding = Finding(ours, 2 * min(map(len, leads.values())), old.points, 0.0)
        label, note_here = f"league: {rank}. {line.name}", f"{matches}, {note}"
        yield judged(label, "league points", INTERVAL, finding, games=games, note=note_here)


def _neighbours(run: TableRun, table: League, size: LeagueSize, first: str, second: str, leads: Leads) -> Row:
    """Return whether an agent is stronger than the next in the ranking, by a sequential test."""
    note = f"{size.playouts:,} playouts; SPRT of {TEST.low:g} against {TEST.high:g} normalised Elo"
    if size.sequel:
        agents = [
            agent(player.text(size.playouts))
            for name in (first, second)
            for player in table.players
            if player.name == name
        ]
        seed = stream(run.seed, SEQUEL)
        done, records = event(
            run, f"neighbours {first} – {second}", load(BASE), agents, size.sequel * run.games, seed=seed, sprt=TEST
        )
        found, games, verdict = done.standing.tallies[0, 1].summary().score, len(records), done.verdict or "continue"
        note = f"{note}: {WORDS[verdict]}"
    else:
        scores = pair_scores(leads, first, second)
        decided = TEST.first_decision(scores)
        used = scores if decided is None else scores[: decided // 2]
        found, games = summary(pentanomial(scores)).score, 2 * len(scores)
        note = f"{note}, the league's games: {WORDS[TEST.decide(pentanomial(used))]}"
    return measured(f"{first} above {second}", "score", found, games, note)


def _challenge(run: TableRun, table: League, size: LeagueSize, winner: str) -> Row:
    """Return how the challenger does against the winner of the league."""
    (best,) = [player for player in table.players if player.name == winner]
    agents = [agent(player.text(size.playouts)) for player in (table.challenger, best)]
    done, records = event(
        run,
        f"{table.challenger.name} against the winner",
        load(BASE),
        agents,
        run.games,
        seed=stream(run.seed, CHALLENGE),
    )
    found = done.standing.tallies[0, 1].summary().score
    leads = [lead(record, 0) for record in records]
    note = f"{shown(counts(leads))}, mean lead {fmean(leads):.1f}, {size.playouts:,} playouts"
    label = f"{table.challenger.name} against {winner}"
    return judged(label, "score", AGAINST, Finding(found, len(records)), note=note)


# ---- Files --------------------------------------------------------------------------------------------------


def page(run: TableRun, leads: Leads, standings: Sequence[LeagueLine], note: str) -> str:
    """Return the league table and the crosstable as a page, as the thesis prints them."""
    each = len(next(iter(leads.values())))
    lines = [f"# {run.name}", "", f"{each} games for each ordered pair, {note}, seed {run.seed}", ""]
    lines += [
        "| rank | agent | points | leads | won | drawn | lost | bonus wins | bonus losses |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for rank, line in enumerate(standings, 1):
        numbers = (
            f"{line.points:g} | {line.margin:.2f} | {line.wins} | {line.draws} | {line.losses} | "
            f"{line.bonus_wins} | {line.bonus_losses}"
        )
        lines.append(f"| {rank} | {line.name} | {numbers} |")
    names = [line.name for line in standings]
    lines += ["", f"| first \\ second | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for a in names:
        cells = [
            "–" if a == b else f"{shown(counts(leads[a, b]))} {fmean(leads[a, b]):.1f} ± {stdev(leads[a, b]):.1f}"
            for b in names
        ]
        lines.append(f"| {a} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _draw(matches: Sequence[Meeting], names: Sequence[str], folder: Path) -> None:
    plot_scores(crosstable(matches), folder / "scores.svg", names=names, title="Carcassonne, both seats")
    plot_elo(rate(matches).elo(), folder / "ratings.svg", title="Carcassonne")


CARCASSONNE_6_4 = LabTable(
    "carcassonne-6.4",
    "EA-MCTS, tables 6.4 and 6.6: league of five constants of MCTS at Carcassonne",
    {"quick": (4, 1), "standard": (20, 1), "paper": (20, 1)},
    fill_6_4,
    least=LEAST,
    parted=True,
)
CARCASSONNE_6_8 = LabTable(
    "carcassonne-6.8",
    "EA-MCTS, tables 6.8 and 6.9: league of seven agents at Carcassonne",
    {"quick": (4, 1), "standard": (20, 1), "paper": (40, 1)},
    fill_6_8,
    least=LEAST,
    parted=True,
)
