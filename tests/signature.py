"""What every agent chooses on every game it plays, as a table: the proof that a change of structure changes nothing.

    python -m tests.signature --out choices.csv
    python -m tests.signature --against tests/choices.csv [--games "nim;pig"]

Why it is here.  Searches are rewritten for readers; their nodes, moves, values and visits must not notice.  A row is
one choice in fast mode at a position drawn by seeded random play; `tests/choices.csv` was written by the tree before
the house was rebuilt (its commit: 'style: lines of at most 120 columns'), and the default tests compare a part of it.
"""

import argparse
import csv
import hashlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.choices import AGENTS, GAMES, pairs, positions

POSITIONS = 3
MORE = (  # what the fuzzer does not ask for
    *("alphabeta:depth=3,ties=random", "alphabeta:nodes=300,table=10", "alphabeta:depth=3,driver=mtdf,table=10"),
    *("alphabeta:depth=3,driver=aspiration", "alphabeta:depth=2,quiescence=twist", "guide:depth=3", "maxn:depth=3"),
    *("mcts:playouts=40,rule=egreedy", "mcts:playouts=40,rule=exp3", "mcts:playouts=40,rule=d-ucb"),
    *(
        "mcts:playouts=40,trees=2",
        "mcts:playouts=40,cut=3",
        "mcts:playouts=40,backup=max",
        "mcts:playouts=40,rollouts=2",
    ),
    *("mcts:playouts=40,terminal=frozen", "mcts:playouts=40,outcomes=stop", "mcts:playouts=40,reward=wins"),
    *(
        "mcts:playouts=40,recommend=secure",
        "mcts:playouts=40,recommend=robust-max",
        "mcts:playouts=40,widen=1,power=0.4",
    ),
    *(
        "mcts:playouts=40,rule=puct,prior=evaluation",
        "mcts:playouts=40,rule=rave,bias=0.5",
        "mcts:nodes=400,playouts=0",
    ),
    *("ea-mcts:playouts=200,generations=3,samples=8", "siea-mcts:playouts=200,generations=3,samples=8"),
    *("ea-mcts:playouts=200,generations=3,samples=8,evolve=constant", "ea-mcts:playouts=300,samples=5,continued=1"),
    *("ea-mcts:playouts=200,generations=3,samples=8,filter=grid,differ=4,rich=1",),
    *("ea-mcts:playouts=200,generations=3,samples=8,fitness=explore,allocate=bandit,measure=pooled,guard=0.5",),
)
COLUMNS = ("game", "agent", "position", "move", "value", "nodes", "decided", "kinds", "visits")
TABLE = Path(__file__).with_name("choices.csv")


def rows(games: tuple[str, ...], mode: str = "fast") -> Iterator[tuple[str, ...]]:
    """Yield the choices of every agent that plays these games."""
    for game, player in pairs(games, (*AGENTS, *MORE)):
        rng = random.Random(f"signature {game.text} {player}")
        for number, state in enumerate(positions(game, rng, POSITIONS)):
            choice = player.choose(game, state, seed=rng.randrange(2**40), mode=mode)
            seen = repr((sorted(choice.visits.items()), sorted(choice.values.items()), choice.line, choice.depth))
            kinds = " ".join(f"{name}={count}" for name, count in sorted(choice.kinds.items()))
            yield (
                *(game.text, str(player), str(number), str(choice.move), repr(choice.value), str(choice.nodes)),
                *(str(choice.decided), kinds, hashlib.sha256(seen.encode()).hexdigest()[:16]),
            )


def known(path: Path = TABLE) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the rows of a table by game, agent and position."""
    with path.open(encoding="utf8", newline="") as file:
        return {tuple(row[:3]): tuple(row) for row in csv.reader(file)}


def differences(found: list[tuple[str, ...]], wanted: dict[tuple[str, ...], tuple[str, ...]]) -> list[str]:
    """Return a line for every row that is not the same, or not there."""
    return [
        f"{' '.join(row[:3])}: {row[3:]} instead of {wanted.get(row[:3], ('nothing',) * 4)[3:]}"
        for row in found
        if wanted.get(row[:3]) != row
    ]


def main(arguments: list[str]) -> int:
    """Write a table, or compare with one; exit code 1 if any row differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.signature", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="write the table here")
    parser.add_argument("--against", type=Path, default=TABLE, help="the table to compare with")
    parser.add_argument("--games", default="", help="games, separated by semicolons (default: all)")
    parser.add_argument("--mode", default="fast")
    options = parser.parse_args(arguments)
    found = list(rows(tuple(options.games.split(";")) if options.games else GAMES, options.mode))
    if options.out:
        with options.out.open("w", encoding="utf8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows((COLUMNS, *found))
        print(f"{len(found)} choices written to {options.out}")
        return 0
    wrong = differences(found, known(options.against))
    print(*wrong, f"{len(found)} choices, {len(wrong)} differences", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
