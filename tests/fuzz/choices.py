"""Every agent with many settings on every game, in all modes and by both compilers: the choices must be the same.

    python -m tests.fuzz choices --count 10000 --seed 1 [--numba] [--games nim,pig] [--out FILE]

Why it is here.  Programs that nobody would write find faults of the compiler; searches that everybody uses show that
there are none left where it matters.  A choice counts once per compiled mode and is compared with plain mode: move,
value, nodes, decided, visits and values.  Positions are drawn by seeded random play, agents and budgets are small,
because plain mode is slow. With `--numba` the same searches are compiled by numba, too (slow: seconds per pair).
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

from ludwin import agent, load
from ludwin.errors import CannotPlay, LudwinError
from ludwin.game import Game, State

GAMES = (
    *("nim", "nim:heap=12,take=4", "tic-tac-toe", "connect-four", "connect-four:columns=5,rows=4,connect=3"),
    *(
        "draughts",
        "draughts:size=6",
        "draughts:size=10",
        "lose-checkers",
        "reversi",
        "reversi:size=6",
        "pig",
        "pig:goal=20",
    ),
    *("li-nim", "kuhn-poker", "fop", "carcassonne", "carcassonne:players=1,tiles=24,meeples=3"),
)
AGENTS = (
    *(
        "random",
        "greedy",
        "minimax:depth=2",
        "minimax:depth=2,quiescence=usual",
        "alphabeta:depth=3",
        "alphabeta:depth=2,quiescence=usual",
    ),
    *(
        "alphabeta:depth=3,table=10",
        "alphabeta:depth=3,history=1",
        "alphabeta:depth=3,killers=ply",
        "alphabeta:depth=3,killers=shared",
    ),
    *(
        "alphabeta:depth=3,pvs=1",
        "alphabeta:depth=3,deepen=1,window=0.5",
        "alphabeta:depth=4,table=12,history=1,killers=ply,pvs=1,deepen=1",
    ),
    *("alphabeta:depth=4,lmr=1,deepen=1,table=8", "alphabeta:depth=3,null=2", "alphabeta:depth=3,order=noisy"),
    *(
        "guide:depth=2",
        "maxn:depth=2",
        "expectimax:depth=2",
        "star1:depth=2",
        "star2:depth=2",
        "star2:depth=2,probes=1",
    ),
    *("flat:playouts=20", "uct:playouts=40", "uct:playouts=30,c=0.3", "uct:nodes=200,playouts=50", "pns:nodes=60"),
    *(
        "mcts:playouts=40",
        "mcts:playouts=30,rule=ucb1-tuned",
        "mcts:playouts=30,rule=puct",
        "mcts:playouts=30,rule=rave",
        "mcts:playouts=30,rule=sw-ucb",
    ),
    *(
        "mcts:playouts=30,rule=thompson",
        "mcts:playouts=30,transpositions=1",
        "mcts:playouts=30,solver=1",
        "mcts:playouts=30,formula=Q+sqrt(sqrt(N)/n)",
    ),
    *("mcts:playouts=30,recommend=robust", "mcts:playouts=30,widen=1", "ea-mcts:playouts=60", "siea-mcts:playouts=60"),
)


def pairs(games: tuple[str, ...], agents: tuple[str, ...] = AGENTS) -> Iterator[tuple[Game, Any]]:
    """Yield every game with every agent that can play it; settings that this version does not know are left out."""
    for text in games:
        try:
            game = load(text)
        except LudwinError:
            continue
        for name in agents:
            try:
                player = agent(name)
                player.suits(game)
            except LudwinError:
                continue
            yield game, player


def positions(game: Game, rng: random.Random, number: int) -> Iterator[State]:
    """Yield positions of random games in which a player moves."""
    while number:
        state = game.start()
        for _ in range(rng.randint(0, 12)):
            if state.over:
                break
            state = state.play(rng.choice(state.moves()))
        while not state.over and state.mover < 0:
            state = state.play(rng.choice(state.moves()))
        if not state.over:
            number -= 1
            yield state


def said(choice: Any) -> tuple[object, ...]:
    """Return all of a choice that must be the same."""
    return (choice.move, choice.value, choice.nodes, choice.decided, choice.visits, choice.values)


def compare(game: Game, player: Any, states: list[tuple[State, int]], ways: tuple[str, ...]) -> tuple[int, list[str]]:
    """Return how many choices were compared with plain mode, and the differences."""
    count, differences = 0, []
    for state, seed in states:
        wanted = said(player.choose(game, state, seed=seed, mode="plain"))
        for way in ways:
            os.environ["LUDWIN_COMPILER"] = "numba" if way == "numba" else "ludwin"
            try:
                found = said(player.choose(game, state, seed=seed, mode="fast" if way == "numba" else way))
            except RuntimeError as error:
                if way == "numba" and "unresolved symbol" in str(error):
                    continue  # a fault of numba's own, in some functions that call themselves
                raise
            count += 1
            if found != wanted:
                differences.append(f"{game.text} {player} {way} seed {seed} at {state!r}: {found} instead of {wanted}")
    os.environ["LUDWIN_COMPILER"] = "ludwin"
    return count, differences


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--count", type=int, default=10_000, help="choices to compare")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many minutes (0: when all are done)")
    parser.add_argument("--games", default="", help="games to play, separated by semicolons (default: all)")
    parser.add_argument("--numba", action="store_true", help="ask numba, too")


def run(options: argparse.Namespace) -> int:
    """Compare choices until there are enough; exit code 1 if any differ."""
    ways = ("checked", "fast", *(("numba",) if options.numba else ()))
    known = list(pairs(tuple(options.games.split(";")) if options.games else GAMES))
    each = max(1, -(-options.count // (len(ways) * max(len(known), 1))))
    began, total, played, wrong = time.monotonic(), 0, 0, 0
    random.Random(options.seed).shuffle(known)
    for game, player in known:
        if options.minutes and time.monotonic() - began > 60 * options.minutes:
            break
        rng = random.Random(f"{options.seed} {game.text} {player}")
        states = [(state, rng.randrange(2**40)) for state in positions(game, rng, each)]
        try:
            count, differences = compare(game, player, states, ways)
        except CannotPlay:
            continue  # found out at the table: these rules are not for this agent
        total, played, wrong = total + count, played + 1, wrong + len(differences)
        for line in differences:
            print(line)
        if sys.stderr.isatty():
            print(f"\r{played} of {len(known)} pairs, {total} choices, {wrong} differences", end="", file=sys.stderr)
    seconds = time.monotonic() - began
    print(f"choices: {total} compared ({', '.join(ways)} with plain), {played} pairs of game and agent, ", end="")
    print(f"{wrong} differences, seed {options.seed}, {seconds:.0f} s")
    return 1 if wrong else 0
