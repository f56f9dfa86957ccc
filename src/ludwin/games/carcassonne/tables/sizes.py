"""Figures 6.1 and 6.2 of the thesis behind EA-MCTS: how large evolved formulas are, turn by turn of the base game.

Published, as pictures: a box for each of 36 turns; the central half lies between about 10 and 20 nodes around the
seed's 13, and shrinks to 13 or slightly less near the end.

The games are the league's against random play (`carcassonne_league`), at the thesis's 5,000 playouts in every preset: a
formula is final when evolution ends, so fewer playouts would mean other agents.

Verdicts.  Quartiles of all formulas are reproduced if their interval (a bootstrap of decisions) meets 10 and 20 give or
take 2, since the thesis says "about"; the median of the last three turns if its interval begins at 13 or below (of
fewer than 25 formulas, those of ten games, it would too easily: then it is only measured).

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), section 6.5.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from random import Random
from statistics import fmean, median, quantiles, stdev

from ludwin.arena.schedule import Job
from ludwin.arena.stats import Estimate
from ludwin.game import Game
from ludwin.games.carcassonne.tables.pictures import plot_boxes
from ludwin.games.carcassonne.tables.thoughts import Seen, WatchedGame, watch
from ludwin.lab.experiment import Row, TableRun, file_name, judged
from ludwin.lab.verdicts import AT_MOST, INTERVAL, Finding
from ludwin.library import agent
from ludwin.search.montecarlo.evolving.agents import EAMCTS
from ludwin.search.montecarlo.formula import Formula

QUARTILES = (10.0, 20.0)
ABOUT = 2.0  # nodes
SEED_SIZE = 13.0
LAST = 3  # turns
BOOTSTRAPS = 1000

Sizes = list[list[int]]  # by turn


def enter_sizes(run: TableRun, game: Game, texts: Mapping[str, str], games: int, mode: str = "fast") -> None:
    """Look at games of every agent of a league that evolves against the one that plays at random; enter rows, draw
    boxes.
    """
    agents = {name: agent(text) for name, text in texts.items()}
    chance = next(k for k, made in enumerate(agents.values()) if made.name == "random")
    for number, (name, made) in enumerate(agents.items()):
        if not isinstance(made, EAMCTS):
            continue
        seen = watch(run, f"formulas of {name}", game, made, places(run.seed, number, chance, games), mode)
        sizes = by_turn(seen)
        for row in rows(name, sizes, len(seen), run.seed, f"{made.playouts:,} playouts, against random play"):
            run.add(row)
        if run.folder and find_spec("matplotlib"):
            title = f"{name}: size of final formulas, {len(seen)} games"
            plot_boxes(sizes, run.folder / f"sizes-{file_name(name)}.svg", title=title, ylabel="nodes", line=SEED_SIZE)


def places(seed: int, number: int, other: int, games: int) -> list[WatchedGame]:
    """Return the first games of two agents in a league of more, the first in both seats in turn."""
    pairing = (min(number, other), max(number, other))
    jobs = [Job(k, pairing, k // 2, k % 2) for k in range(games)]
    return [WatchedGame(job.seed(seed, alone=False), job.seats.index(number)) for job in jobs]


def by_turn(games: Sequence[Seen]) -> Sizes:
    """Return the sizes of final formulas, by own turn; a decision without evolution has none."""
    turns = range(max(len(game.thoughts) for game in games))
    formulas = [[game.thoughts[turn].formula for game in games if turn < len(game.thoughts)] for turn in turns]
    return [[Formula.parse(text).size for text in row if text] for row in formulas]


def rows(name: str, sizes: Sizes, games: int, seed: int, how: str) -> Iterator[Row]:
    """Yield the quartiles of all formulas, and the median of the last turns."""
    every, last = [size for turn in sizes for size in turn], [size for turn in sizes[-LAST:] for size in turn]
    if len(every) < 2 or not last:
        return
    note = f"{len(every)} formulas, mean {fmean(every):.2f}, SD {stdev(every):.2f}; {how}"
    for k, (word, published) in enumerate(zip(("lower", "upper"), QUARTILES, strict=True)):
        ours = bootstrap(every, lambda values, k=k: quantiles(values, n=4)[2 * k], seed)  # type: ignore[misc]
        label, finding = f"{name}, formulas: {word} quartile", Finding(ours, len(every), published, ABOUT)
        yield judged(label, "nodes", INTERVAL, finding, games=games, note=note)
    ours = bootstrap(last, median, seed)
    note = f"published as {SEED_SIZE:g} or slightly less; {len(last)} formulas; {how}"
    label, finding = f"{name}, formulas: median of the last {LAST} turns", Finding(ours, len(last), SEED_SIZE)
    yield judged(label, "nodes", AT_MOST, finding, games=games, note=note)


def bootstrap(values: Sequence[int], figure: Callable[[Sequence[int]], float], seed: int) -> Estimate:
    """Return a figure of a sample with the interval of drawing it again."""
    rng, ours = Random(seed), figure(values)
    draws = sorted(figure(rng.choices(values, k=len(values))) for _ in range(BOOTSTRAPS))
    return Estimate(ours, min(ours, draws[int(0.025 * BOOTSTRAPS)]), max(ours, draws[int(0.975 * BOOTSTRAPS)]))
