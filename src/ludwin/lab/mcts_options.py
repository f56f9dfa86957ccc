"""Which options of `mcts` help: each alone against plain MCTS, at equal playouts and at equal time, on four games.

The question.  An option is a promise; here every one of them has to keep it somewhere.  Pairs of games begin after
random plies, with sides swapped, so that no two pairs are the same; every option meets the same openings.

Equal time.  Clocks make matches that nobody can repeat.  So the time that a choice takes is measured first, the
option's and plain's in turns on the same positions, in seconds of the processor; then the option gets as many
playouts as fit into plain's time.  The ratio is kept in the folder of the run, so a resumed run plays the same match.
Where it is within 5 % of 1, the match at equal playouts is the match at equal time.

Verdicts.  *Beaten*: plain is, the 95 % interval lies above 0.5; *below*: the interval lies below it; else *measured*.
There are more than a hundred matches, so two or three of each verdict are to be expected from chance alone.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from ludwin.arena.openings import random_opening
from ludwin.arena.stats import Estimate
from ludwin.errors import CannotPlay, LudwinError
from ludwin.formats import BadFile, Format, Number, Table, read_json, write_json
from ludwin.game import Game
from ludwin.lab.experiment import LabTable, Row, TableRun, file_name, judged
from ludwin.lab.sources.matches import score
from ludwin.lab.verdicts import AGAINST, Finding
from ludwin.library import agent, load
from ludwin.primitives import CHANCE, stream
from ludwin.search.montecarlo.family import Family
from ludwin.search.montecarlo.mcts import MCTS

OPTIONS: Mapping[str, str] = {  # as the settings are written; each row of the table is one of them
    "rule=thompson": "",
    "rule=egreedy": "",
    "rule=exp3": "",
    "rule=d-ucb": "",
    "rule=sw-ucb": "",
    "rule=puct": "",
    "rule=puct,prior=evaluation": "",
    "rule=rave": "",
    "rule=rave,bias=0.5": "",
    "factor=2": "",
    "formula=Q + sqrt(log(N)/n*(V + sqrt(2*log(N)/n)))": "UCB1-tuned",
    "backup=max": "",
    "recommend=max": "",
    "recommend=robust-max": "may take up to twice the playouts",
    "recommend=secure": "",
    "solver=1": "",
    "transpositions=1": "",
    "expand=order": "",
    "expand=evaluation": "",
    "expand=amaf": "",
    "widen=2": "by evaluation",
    "widen=2,expand=amaf": "",
    "widen=2,expand=random": "",
    "cut=8": "",
    "rollouts=4": "four simulations a playout",
    "trees=4": "",
    "reuse=1": "",
    "outcomes=stop": "games of chance only",
}
# Left out: budgets and c; reward and scale, which do nothing where payoffs are 1, 0 and -1 (table 6.2 is about them);
# terminal, which needs a lottery at the end (the function optimisation problem: fop-5.4 and its neighbours).

PLAYOUTS = {  # game -> playouts by preset
    "connect-four": {"quick": 200, "standard": 1000, "paper": 2000},
    "draughts": {"quick": 50, "standard": 300, "paper": 1000},
    "reversi": {"quick": 50, "standard": 300, "paper": 1000},
    "pig:goal=50": {"quick": 50, "standard": 200, "paper": 1000},
}
PLIES = 4  # random plies before a pair of games
POSITIONS = 6  # on which time is measured
ROUNDS = 5  # how often each of them
NEAR = 0.05  # ratios of time that count as equal
METRICS = ("score at equal playouts", "score at equal time")
TIME = Format("ludwin-time", 1, Table({"ratio": Number(0.001, 1000)}), "ratio of times")


@dataclass(frozen=True)
class MctsStudy:
    """The study; fewer options, games and playouts are for tests."""

    options: tuple[str, ...] = tuple(OPTIONS)
    playouts: Mapping[str, Mapping[str, int]] = field(default_factory=lambda: PLAYOUTS)
    positions: int = POSITIONS


def fill(run: TableRun, study: MctsStudy) -> None:
    """Play all matches, game by game, and say of each option where it helped."""
    found: dict[str, list[tuple[str, Row]]] = {option: [] for option in study.options}
    for text, sizes in study.playouts.items():
        game, playouts = load(text), sizes[run.preset]
        for option in study.options:
            if applies(option, game):
                with run.cell():
                    for row in compare(run, game, option, playouts, study.positions):
                        run.add(row)
                        found[option].append((game.text, row))
    run.demand_all()
    for option, rows in found.items():
        if rows:
            run.add(summary(option, rows, run.games))


def made(settings: str) -> MCTS:
    """Return `mcts` with these settings."""
    found = agent(f"mcts:{settings}")
    assert isinstance(found, MCTS)
    return found


def applies(option: str, game: Game) -> bool:
    """Tell whether an option can change anything at this game."""
    try:
        made(option).suits(game)
    except CannotPlay:
        return False
    return game.has_chance or option != "outcomes=stop"


def compare(run: TableRun, game: Game, option: str, playouts: int, positions: int) -> list[Row]:
    """Return the option's scores against plain MCTS: at equal playouts, and at equal time."""
    plain, with_it = made(f"playouts={playouts}"), made(f"playouts={playouts},{option}")
    label = f"{game.text}, {option}"
    about = f"{OPTIONS[option]}; " if OPTIONS.get(option) else ""
    equal = score(run, f"{label}, equal playouts", game, with_it, plain, openings=PLIES)
    rows = [_row(label, METRICS[0], equal, run.games, f"{about}{playouts} playouts each")]
    ratio = ratio_of_time(run, game, label, with_it, plain, positions)
    fitting = max(round(playouts / ratio), 4)
    note = f"{about}a choice takes {ratio:.2f} times plain's time"
    if abs(ratio - 1) <= NEAR or fitting == playouts:
        rows.append(_row(label, METRICS[1], equal, run.games, f"{note}: the same games"))
    else:
        rival = made(f"playouts={fitting},{option}")
        timed = score(run, f"{label}, equal time", game, rival, plain, openings=PLIES)
        rows.append(_row(label, METRICS[1], timed, run.games, f"{note}: {fitting} playouts against {playouts}"))
    return rows


def _row(label: str, metric: str, ours: Estimate, games: int, note: str) -> Row:
    return judged(label, metric, AGAINST, Finding(ours, games), note=note)


def summary(option: str, rows: list[tuple[str, Row]], games: int) -> Row:
    """Return where an option helped, and where it hurt: its mean score at equal time over the games."""
    timed = [row for _, row in rows if row.metric == METRICS[1]]
    value = sum(row.ours for row in timed) / len(timed)
    error = math.sqrt(sum((row.high - row.low) ** 2 for row in timed)) / (2 * len(timed))
    parts = []
    for word, verdict in (("helps", "beaten"), ("hurts", "below")):
        those = [(game, row.metric.removeprefix("score at equal ")) for game, row in rows if row.verdict == verdict]
        places = [f"{game} ({what})" for game, what in those]
        parts.append(f"{word} at {', '.join(places)}" if places else f"{word} nowhere")
    ours = Estimate(value, value - error, value + error)
    return _row(f"all games, {option}", "mean score at equal time", ours, games * len(timed), "; ".join(parts))


# ---- Time ---------------------------------------------------------------------------------------------------


def ratio_of_time(run: TableRun, game: Game, label: str, first: Family, second: Family, positions: int) -> float:
    """Return how many times as long the first agent takes for a choice; a ratio that is on file is taken from there."""
    path = run.folder / f"{file_name(label)}-time.json" if run.folder else None
    if path and path.exists():
        return read_ratio(path)
    run.news(f"{label}: time")
    ratio = float(f"{measure(game, first, second, positions, run.seed):.3g}")
    if path:
        write_json(path, TIME, {"ratio": ratio})
    return ratio


def read_ratio(path: Path) -> float:
    """Return the ratio of a file. Raises LudwinError."""
    try:
        return float(read_json(path, TIME)["ratio"])
    except BadFile as error:
        raise LudwinError(f"{path} holds no ratio of times; remove it, and it is measured again ({error})") from None


def measure(game: Game, first: Family, second: Family, positions: int, seed: int) -> float:
    """Return the median over positions of how many times as long the first agent takes, in seconds of the processor."""
    ratios, kernels = [], [who.session(game).sitting for who in (first, second)]  # as a compiled match calls them
    for k in range(positions):
        state = random_opening(game, PLIES + k, stream(seed, k)).state
        while state.mover == CHANCE:
            state = state.play(state.moves()[0])
        if state.over:
            continue
        best = [math.inf, math.inf]
        for _ in range(1 + ROUNDS):
            for i, kernel in enumerate(kernels):
                began = time.process_time()
                kernel.choose(state, k)
                best[i] = min(best[i], time.process_time() - began)  # the first choice compiles, and is never the least
        ratios.append(best[0] / max(best[1], 1e-9))
    return min(max(median(ratios), 0.01), 100.0) if ratios else 1.0


def experiment(study: MctsStudy) -> LabTable:
    """Return the experiment."""
    about = f"each option of mcts against plain MCTS on {len(study.playouts)} games, at equal playouts and equal time"
    sizes = {"quick": (60, 1), "standard": (200, 1), "paper": (1000, 1)}
    return LabTable("mcts-options", about, sizes, lambda run: fill(run, study), parted=True)


MCTS_OPTIONS = experiment(MctsStudy())
