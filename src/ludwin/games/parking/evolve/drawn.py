"""Random boards: what a policy meets that was bred on hard boards alone, and should not be lost on.

Hard boards are bred, and so alike; policies that know nothing else need many times the nodes of a blind search on some
easy boards (docs/results/puzzles.md).  These are drawn: a share of the cells is covered, and boards stay that take 8 to
25 slides.  No two of them, and none of them and a card, have the same vehicles in the same lines.
"""

from ludwin.games.parking.boards import cards
from ludwin.games.parking.evolve.genome import Boards, car_park
from ludwin.library import agent
from ludwin.program.stream import Stream

LEAST, MOST = 8, 25  # slides of a shortest plan
EMPTIEST, FULLEST = 0.5, 0.8  # shares of the cells that are covered


def drawn(count: int, seed: int) -> list[tuple[int, int, str]]:
    """Return random boards with the steps and slides of their shortest plans, the same for a seed."""
    game, unit = car_park(6, "slides"), car_park(6, "steps")
    slides, steps = (agent("bfs").solving(one) for one in (game, unit))  # type: ignore[attr-defined]
    met = {Boards(6).niche(board) for board in cards()}
    found: list[tuple[int, int, str]] = []
    tries = 0
    while len(found) < count:
        stream = Stream(seed, tries)
        tries += 1
        board = Boards(6, fill=stream.uniform(EMPTIEST, FULLEST)).make(stream)
        niche = Boards(6).niche(board)
        if niche in met:
            continue
        solved = slides.solve(game.position(board))
        if solved.solved and LEAST <= len(solved.plan) <= MOST:
            met.add(niche)
            found.append((len(steps.solve(unit.position(board)).plan), len(solved.plan), board))
    return found
