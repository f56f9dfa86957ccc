"""Two installations side by side: is this tree as fast as that one, and does it answer the same?

Why it is here.  Timings on shared machines wander by more than the differences that matter.  So each installation runs
in a process of its own, the two take turns at every workload, and the ratio of their best CPU times counts.  The other
installation only needs `load`, `agent` and `perft`, which all versions have: `ludwin bench --beside PYTHON`.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ludwin.errors import BadParameter
from ludwin.formats import decode
from ludwin.progress import SILENT, Progress

# (game, agent or perft:depth): the rows of `ludwin bench` that are searches, and the larger agents. Each takes some 30
# to 150 ms of compiled code, so that what Python does around it (0.1 to 1 ms) does not count.
WORKLOADS = (
    ("draughts", "perft:9"),
    ("connect-four", "perft:9"),
    ("draughts", "alphabeta:depth=13"),
    ("connect-four", "alphabeta:depth=10"),
    ("draughts", "alphabeta:depth=15,table=16,killers=ply,history=1,pvs=1,deepen=1"),
    ("reversi", "alphabeta:depth=11"),
    ("draughts", "uct:playouts=30000"),
    ("connect-four", "uct:playouts=60000"),
    ("reversi", "uct:playouts=15000"),
    ("connect-four", "mcts:playouts=60000"),
    ("draughts", "mcts:playouts=20000"),
    ("carcassonne", "mcts:playouts=1500"),
    ("carcassonne", "ea-mcts:playouts=1000"),
    ("fop", "mcts:playouts=80000"),
    ("pig", "expectimax:depth=9"),
    ("li-nim:heaps=4", "maxn:depth=6"),
)

# What both processes run: they say who they are; then a workload per line comes in, CPU time and answer go out.
SERVER = """
import json, sys, time
import ludwin
from ludwin import agent, load, perft
print(json.dumps([ludwin.__version__, ludwin.__file__]), flush=True)
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


@dataclass(frozen=True)
class Compared:
    """One workload: our best CPU time and theirs, and the answers (moves, values, nodes; or a count)."""

    game: str
    who: str
    seconds: float
    other_seconds: float
    answers: tuple[object, object]

    @property
    def ratio(self) -> float:
        """Our time over theirs: below 1, we are faster."""
        return self.seconds / self.other_seconds

    @property
    def same(self) -> bool:
        """Whether both answered the same."""
        return self.answers[0] == self.answers[1]


class Side:
    """One installation, waiting for work."""

    def __init__(self, python: str, package: Path | None = None):
        """Start a Python; `package` is the folder of the package if it need not be the one that is installed there."""
        self.python = python
        # A path that is meant for us must not lead the other one to our package, nor the folder that we are in.
        environ = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
        if package:
            environ["PYTHONPATH"] = str(package.parent)
        self.said = tempfile.TemporaryFile()  # noqa: SIM115  (until `close`)
        try:
            self.process = subprocess.Popen(
                [python, "-P", "-c", SERVER],
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.said,
                text=True,
            )
        except OSError as error:
            self.said.close()
            raise BadParameter(f"{python} cannot be started: {error.strerror}") from None
        try:
            hello = self._answer("has no ludwin that can be used")
            self.version, self.place = (str(word) for word in hello)
        except BaseException:
            self.close()
            raise

    def _answer(self, failure: str) -> list[object]:
        assert self.process.stdout is not None
        try:
            found = decode(self.process.stdout.readline())
            if not isinstance(found, list) or len(found) != 2:
                raise ValueError
        except ValueError:
            self.process.kill()
            self.process.wait()
            self.said.seek(0)
            lines = self.said.read().decode("utf8", "replace").strip().splitlines()
            raise BadParameter(f"{self.python} {failure}" + (f": {lines[-1]}" if lines else "")) from None
        return found

    def run(self, game: str, who: str) -> tuple[float, object]:
        """Run a workload; return its CPU time and its answer."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps([game, who]) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it has died, and its answer says so
        used, answer = self._answer(f"cannot run {game} {who}")
        assert isinstance(used, float | int)
        return float(used), answer

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.said):
            if pipe:
                try:
                    pipe.close()
                except OSError:  # what was to be sent is not wanted any more
                    continue


def beside(python: str, rounds: int, progress: Progress = SILENT) -> Iterator[Compared]:
    """Yield how each workload went here and there."""
    sides: list[Side] = []
    try:
        sides.append(Side(sys.executable, Path(__file__).parents[1]))
        sides.append(Side(python))
        for word, side in zip(("this", "other"), sides, strict=True):
            progress.note(f"{word}: ludwin {side.version} in {Path(side.place).parent}")
        for game, who in WORKLOADS:
            progress.note(f"{game} {who} …")
            best = [float("inf"), float("inf")]
            answers: list[object] = [None, None]
            for _ in range(rounds):
                for k, side in enumerate(sides):
                    used, answers[k] = side.run(game, who)
                    best[k] = min(best[k], used)
            yield Compared(game, who, best[0], max(best[1], 1e-9), (answers[0], answers[1]))
    finally:
        for side in sides:
            side.close()


def compare(python: str, rounds: int, as_json: bool, progress: Progress = SILENT) -> int:
    """Run all workloads beside another installation and print them; return 1 if an answer differs."""
    rows = []
    if not as_json:
        print(f"{'workload':<72} {'ms here':>9} {'ms there':>9} {'ratio':>6}  answers")
    for row in beside(python, rounds, progress):
        rows.append(row)
        if not as_json:
            times = f"{1000 * row.seconds:9.1f} {1000 * row.other_seconds:9.1f} {row.ratio:6.2f}"
            answers = "same" if row.same else f"DIFFER: {row.answers[0]} here, {row.answers[1]} there"
            print(f"{row.game + ' ' + row.who:<72} {times}  {answers}", flush=True)
    if as_json:
        data = [{**vars(row), "ratio": row.ratio, "same": row.same} for row in rows]
        print(json.dumps({"beside": python, "rounds": rounds, "rows": data}))
    different = sum(not row.same for row in rows)
    if different:
        progress.note(f"{different} of {len(rows)} answers differ, so their times cannot be compared")
    return 1 if different else 0
