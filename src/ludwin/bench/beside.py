"""Two installations side by side: is this tree as fast as that one?

Why it is here.  Timings on shared machines wander by more than the differences that matter.  So each installation runs
in a process of its own, the two take turns at every workload, and the ratio of their best CPU times counts.  The other
installation only needs `load`, `agent` and `perft`, which all versions have: `ludwin bench --beside PYTHON`.
"""

import json
import subprocess
import sys
from collections.abc import Callable

from ludwin.errors import BadParameter

# (game, agent or perft:depth): the rows of `ludwin bench` that are searches, and the larger agents.
WORKLOADS = (
    ("draughts", "perft:9"),
    ("connect-four", "perft:8"),
    ("draughts", "alphabeta:depth=13"),
    ("connect-four", "alphabeta:depth=10"),
    ("draughts", "alphabeta:depth=15,table=16,killers=ply,history=1,pvs=1,deepen=1"),
    ("reversi", "alphabeta:depth=7"),
    ("draughts", "uct:playouts=30000"),
    ("connect-four", "uct:playouts=30000"),
    ("reversi", "uct:playouts=3000"),
    ("connect-four", "mcts:playouts=20000"),
    ("draughts", "mcts:playouts=5000"),
    ("carcassonne", "mcts:playouts=2000"),
    ("carcassonne", "ea-mcts:playouts=1000"),
    ("fop", "mcts:playouts=5000"),
    ("pig", "expectimax:depth=5"),
    ("li-nim", "maxn:depth=6"),
)

# What both processes run: a workload per line comes in, its CPU time and its answer go out.
SERVER = """
import json, sys, time
from ludwin import agent, load, perft
known = {}
for line in sys.stdin:
    game, who = json.loads(line)
    if (game, who) not in known:
        rules = load(game)
        state = rules.start()
        while state.mover < 0:
            state = state.play(state.moves()[0])
        if who.startswith("perft:"):
            known[game, who] = lambda rules=rules, depth=int(who[6:]): perft(rules, depth)
        else:
            known[game, who] = lambda a=agent(who), rules=rules, state=state: a.choose(rules, state, seed=1)
        known[game, who]()
    began = time.process_time()
    found = known[game, who]()
    used = time.process_time() - began
    answer = found if isinstance(found, int) else [found.move, found.value, found.nodes]
    print(json.dumps([used, answer]), flush=True)
"""


class Side:
    """One installation, waiting for work."""

    def __init__(self, python: str):
        try:
            self.process = subprocess.Popen(
                [python, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        except OSError as error:
            raise BadParameter(f"{python} cannot be started: {error.strerror}") from None

    def run(self, game: str, who: str) -> tuple[float, object]:
        """Run a workload; return its CPU time and its answer."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps([game, who]) + "\n")
            self.process.stdin.flush()
            used, answer = json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            raise BadParameter(f"the other installation cannot run {game} {who}") from None
        return float(used), answer

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


def beside(python: str, rounds: int, news: Callable[[str], None]) -> list[tuple[str, float, float, bool]]:
    """Return per workload: what, our best CPU time, our time over theirs, and whether the answers are the same."""
    sides = [Side(sys.executable), Side(python)]
    rows = []
    try:
        for game, who in WORKLOADS:
            news(f"{game} {who} …")
            best = [float("inf"), float("inf")]
            answers: list[object] = [None, None]
            for _ in range(rounds):
                for k, side in enumerate(sides):
                    used, answers[k] = side.run(game, who)
                    best[k] = min(best[k], used)
            rows.append((f"{game} {who}", best[0], best[0] / best[1], answers[0] == answers[1]))
    finally:
        for side in sides:
            side.close()
    return rows
