"""Experiments on games that alpha-beta does not play: chance, secrets, more players, payoffs without a constant sum.

Why it is here.  The genomes, the breeding and the reports are those of board games (`boards.py`); what differs is who
plays (`players.py`), whom they meet (random players and `uct`, which play everything), and how a game of three is
counted: every seed is played once from each seat, the others in all other seats, and its mean is one sample.
"""

from dataclasses import replace
from typing import Any

from ludwin.arena.stats import Repeats
from ludwin.errors import BadParameter
from ludwin.evolve import boards
from ludwin.evolve.behaviour import Behaviour
from ludwin.evolve.bouts import Bouts
from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value
from ludwin.evolve.meetings import by_play, terms
from ludwin.evolve.minds import written
from ludwin.evolve.plan import TERMS
from ludwin.evolve.players import WORLDS, open_player, payoff_range
from ludwin.evolve.trees import Genome
from ludwin.game import Game
from ludwin.library import agent
from ludwin.program.export import python
from ludwin.program.stream import Stream
from ludwin.trust import named

DEFAULTS: dict[str, Value] = {
    "alike": 64,
    "breeding": "gp",  # shapes, with few of a shape and none kept, found less (docs/results/evolution-library.md)
    "tournament": 4,
    "elite": 2,
    "mutation": 0.4,
    "crossover": 0.5,
    "linear": 0.5,
    "subtree": 0.4,
    "point": 0.2,
    "constant": 0.4,
    "max_depth": 14,
    "max_size": 300,
    "depth": 1,
    "against": "uct:playouts=50",
    "fitness": "40uct50",
    "rounds": 2,
}
PRESETS: dict[str, dict[str, Value]] = {
    "quick": {
        "population": 60,
        "generations": 20,
        "finalists": 4,
        "last": 2,
        "yardstick_games": 100,
        "finalist_games": 200,
        "champion_games": 400,
        "record_games": 100,
    },
    "standard": {"population": 100, "generations": 40, "fitness": "80uct50", "baseline": True},
    "paper": {"population": 150, "generations": 80, "fitness": "100uct100+10rand", "baseline": True},
}
RECORD = ("random", "uct:playouts=200")
ASKED = "the player who is asked about, whoever moves"


def settings_of(game: Game) -> tuple[Setting, ...]:
    """Return the settings that these games have beside those of boards."""
    low, high = payoff_range(game)
    return (
        Setting("low", low, "the least payoff: opinions lie above it (found by random games)"),
        Setting("high", high, "the greatest payoff: opinions lie below it"),
        *([Setting("worlds", WORLDS, "guesses at what is hidden, for each move", least=1)] if game.has_secrets else []),
    )


def opened(experiment: Experiment, game: Game) -> Experiment:
    """Return an experiment of `boards` with players for a game that alpha-beta does not play."""

    def factory(given: Settings, depth: int) -> Any:
        worlds = given.get("worlds", WORLDS)
        return lambda genome: open_player(boards.compose(genome), game, depth, given["low"], given["high"], worlds)

    def fitness(given: Settings, workers: int) -> Any:
        bouts = Bouts(game, factory(given, given["train_depth"] or given["depth"]), workers)
        return by_play(
            bouts,
            given["fitness"],
            lambda term: agent(boards.guide_text(term)),
            rounds=given["rounds"],
            cutoff=given["cutoff"],
            behaviour=Behaviour(game, given["alike"], boards.compose, everyone=True) if given["alike"] else None,
        )

    def measure(given: Settings, genome: Genome, opponent: str, games: int, seed: int, workers: int) -> Measure:
        text, _, expanded = opponent.partition(boards.EXPANDED)
        players = factory(given, int(expanded) if expanded else given["depth"])
        stream, seats = Stream(seed), game.players
        seeds = [stream.split(k).seed() for k in range(max(-(-games // seats), 2))]
        found, repeats = Bouts(game, players, workers).against(genome, agent(text), seeds), Repeats()
        if seats > 2:
            rounds = [found[k : k + seats] for k in range(0, len(found), seats)]
            means = [sum(bout.points for bout in one) / seats for one in rounds]
            for one in rounds:
                repeats.note(hash(tuple(bout.mark for bout in one)))
            return Measure.of_samples("points", means, opponent=opponent, repeats=repeats)
        counts = [0] * 5
        for first, second in zip(found[::2], found[1::2], strict=True):
            counts[int(2 * (first.points + second.points))] += 1
        for bout in found:
            repeats.note(bout.mark)
        return Measure.of(opponent, counts, repeats)

    def most(given: Settings) -> float | None:
        """Return the points of a perfect player: seeds are played once from each seat, so games may be a few less."""
        if boards.most_fitness(given) is None:
            return None
        return sum(max(term.games // game.players, 1) * game.players * term.weight for term in terms(given["fitness"]))

    def champion(given: Settings, genome: Genome) -> dict[str, Any]:
        return {"game": named(game), "player": written(factory(given, given["depth"])(genome))}

    def export(given: Settings, genome: Genome) -> str:
        return python(boards.compose(genome), named(game), whose=ASKED)

    def examine(given: Settings) -> None:
        if not given["low"] < given["high"]:
            raise BadParameter(f"low must be below high, got {given['low']:g} and {given['high']:g}")
        if given["breeding"] == TERMS:
            raise BadParameter(f"breeding=terms is for games of alpha-beta, and {game.name} is none; try gp or shapes")
        for term in terms(given["fitness"]):
            if term.kind in ("guide", "floor"):
                raise BadParameter(
                    f"fitness: guides are for games of alpha-beta, and {game.name} is none; try {term.games}uct50"
                )
            if game.players > 2 and term.kind not in ("rand", "uct"):
                raise BadParameter(f"fitness: {term.kind} is for two players; {game.name} takes rand and uct")
        experiment.examine(given)

    return replace(
        experiment,
        settings=(*experiment.settings, *settings_of(game)),
        fitness=fitness,
        measure=measure,
        champion=champion,
        examine=examine,
        most=most,
        export=export,
    )
