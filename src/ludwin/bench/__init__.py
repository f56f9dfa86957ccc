"""Benchmarks: how fast we are, beside C++, beside plain Python, beside OpenSpiel.

Why it is here.  "At the speed of C++" is a claim, and this is its evidence.  Timings on shared
machines wander, so the contenders take turns in one process and the best of several rounds counts;
ratios are what to trust.  The calibration loop tells how fast the machine itself was.  Work is
counted in CPU time, never in wall time.

`signature` is the node count of a fixed, seeded workload: it changes exactly when a search does.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ludwin.errors import BadParameter, did_you_mean
from ludwin.game import Game, State
from ludwin.library import agent, load
from ludwin.primitives import CHANCE, stream
from ludwin.progress import SILENT, Progress
from ludwin.search.perft import perft
from ludwin.words import MODES

News = Callable[[str], None]
SIGNATURE = (
    ("draughts", "alphabeta:depth=8"),
    ("connect-four", "alphabeta:depth=8"),
    ("reversi", "alphabeta:depth=5"),
    ("lose-checkers", "alphabeta:depth=8"),
    ("tic-tac-toe", "alphabeta:depth=9"),
    ("draughts", "uct:playouts=2000"),
    ("pig", "uct:playouts=500"),
    ("li-nim", "uct:playouts=500"),
    ("kuhn-poker", "uct:playouts=500"),
)
SMALL = (
    ("perft", "draughts", 6, "leaves"),
    ("alphabeta", "draughts", 9, "nodes"),
    ("uct", "draughts", 200, "playouts"),
    ("perft", "connect-four", 6, "leaves"),
    ("uct", "connect-four", 300, "playouts"),
)
CALIBRATION = 1_000_000
WHOLE_GAMES = ("carcassonne", "carcassonne:players=1,tiles=24,meeples=3", "carcassonne:players=1,tiles=24,meeples=1")
PLAYED = 2000  # games of a round


@dataclass(frozen=True)
class Timing:
    """One measured line: what, how fast, and compared with what."""

    bench: str
    what: str
    rate: float  # units per CPU second
    unit: str
    ratio: float | None = None
    against: str = ""


def calibrate() -> float:
    """Return iterations per CPU second of a plain Python loop, the measure of the machine."""
    began = time.process_time()
    s = 0
    for i in range(CALIBRATION):
        s += (i * i) % 7
    return CALIBRATION / (time.process_time() - began)


def best_times(contenders: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """Run the contenders in turns and return the best CPU time of each."""
    best = [float("inf")] * len(contenders)
    for _ in range(rounds):
        for i, contender in enumerate(contenders):
            began = time.process_time()
            contender()
            best[i] = min(best[i], time.process_time() - began)
    return best


def _searches() -> list[tuple[str, str, int, float, str]]:
    """(bench, game, size, work, unit) of the workloads that C++ has too."""
    return [
        ("perft", "draughts", 9, 3963680, "leaves"),
        ("perft", "connect-four", 8, 5673234, "leaves"),
        ("alphabeta", "draughts", 13, 0, "nodes"),
        ("alphabeta", "connect-four", 10, 0, "nodes"),
        ("uct", "draughts", 30_000, 30_000, "playouts"),
        ("uct", "connect-four", 30_000, 30_000, "playouts"),
    ]


def _ours(kind: str, name: str, size: int, mode: str) -> Callable[[], Any]:
    game = load(name)
    start = game.start()
    if kind == "perft":
        return lambda: perft(game, size, mode=mode)
    player = agent(f"alphabeta:depth={size}" if kind == "alphabeta" else f"uct:playouts={size}")
    return lambda: player.choose(game, start, mode=mode)


def _theirs(kind: str, name: str, size: int) -> Callable[[], Any]:
    from ludwin.bench import reference

    if kind == "perft":
        return lambda: reference.perft(name, size)
    if kind == "alphabeta":
        return lambda: reference.alphabeta(name, size)
    return lambda: reference.uct(name, size, 1.0, stream(0, 0))


def against_cpp(kind: str, rounds: int, news: News) -> list[Timing]:
    """Compare fast mode with the C++ reference: same algorithm, same counts."""
    from ludwin.bench import reference

    rows = []
    reason = reference.available()
    if reason:
        news(f"no C++ reference: {reason}")
    for bench_name, name, size, work, unit in _searches():
        if bench_name != kind:
            continue
        ours = _ours(kind, name, size, "fast")
        answer = ours()
        amount = work or answer.nodes
        what = f"{name} {kind} {size}"
        if reason:
            (mine,) = best_times([ours], rounds)
            rows.append(Timing(kind, what, amount / mine, unit))
            continue
        theirs = _theirs(kind, name, size)
        _same(what, answer, theirs())
        mine, cpp = best_times([ours, theirs], rounds)
        rows.append(Timing(kind, f"{what}, C++", amount / cpp, unit))
        rows.append(Timing(kind, f"{what}, fast", amount / mine, unit, mine / cpp, "time of C++"))
    return rows


def _same(what: str, ours: Any, theirs: Any) -> None:
    """Speed means nothing if the two do different work."""
    mine = ours if isinstance(ours, int) else (ours.move, ours.value, ours.nodes)
    if mine != theirs:
        raise BadParameter(f"{what}: ours {mine} and the reference {theirs} differ; the reference must be mended first")


def against_plain(rounds: int, news: News) -> list[Timing]:
    """Compare the three modes on smaller work."""
    rows = []
    for kind, name, size, unit in SMALL:
        modes = MODES
        repeat = {"plain": 1, "checked": 20, "fast": 100}
        runs = [_repeated(_ours(kind, name, size, mode), repeat[mode]) for mode in modes]
        for run in runs[1:]:
            run()
        times = best_times(runs, min(rounds, 3))
        each = {mode: t / repeat[mode] for mode, t in zip(modes, times, strict=True)}
        answer = _ours(kind, name, size, "fast")()
        amount = {"perft": answer, "uct": size}[kind] if kind != "alphabeta" else answer.nodes
        for mode in modes:
            ratio = None if mode == "plain" else each["plain"] / each[mode]
            rows.append(
                Timing(
                    "modes",
                    f"{name} {kind} {size}, {mode}",
                    amount / each[mode],
                    unit,
                    ratio,
                    "times plain" if ratio else "",
                )
            )
    return rows


def _repeated(run: Callable[[], Any], times: int) -> Callable[[], None]:
    def repeated() -> None:
        for _ in range(times):
            run()

    return repeated


def against_openspiel(rounds: int, news: News) -> list[Timing]:
    """Compare UCT with OpenSpiel's C++ MCTS bot: products, not compilers."""
    try:
        import pyspiel
    except ImportError:
        news("no OpenSpiel: `pip install ludwin[bench]` brings it")
        return []
    rows = []
    for theirs, name, number in (("checkers", "draughts", 2000), ("connect_four", "connect-four", 20_000)):
        spiel = pyspiel.load_game(theirs)

        def bot(spiel: Any = spiel, number: int = number) -> None:
            evaluator = pyspiel.RandomRolloutEvaluator(1, 7)
            pyspiel.MCTSBot(spiel, evaluator, 1.0, number, 1000, False, 7, False).step(spiel.new_initial_state())

        ours = _ours("uct", name, 30_000, "fast")
        ours()
        mine, other = best_times([ours, bot], min(rounds, 3))
        rows.append(Timing("openspiel", f"{theirs} MCTSBot", number / other, "playouts"))
        rows.append(
            Timing(
                "openspiel",
                f"{name} uct, fast",
                30_000 / mine,
                "playouts",
                (30_000 / mine) / (number / other),
                "times OpenSpiel",
            )
        )
    return rows


def signature(rounds: int, news: News) -> list[Timing]:
    """Count the nodes of the fixed workload."""
    nodes = sum(agent(who).choose(load(game), _first_decision(load(game)), seed=1).nodes for game, who in SIGNATURE)
    return [Timing("signature", f"{len(SIGNATURE)} searches", nodes, "nodes")]


def _first_decision(game: Game) -> State:
    """Return the first position in which a player moves, nature having taken its first moves."""
    state = game.start()
    while state.mover == CHANCE:
        state = state.play(state.moves()[0])
    return state


def playouts(rounds: int, news: News) -> list[Timing]:
    """Count complete random games per CPU second, of games that are too large for the other benchmarks."""
    from ludwin.kernel.specialise import specialise
    from ludwin.search.playout import PLAYOUTS

    contenders = []
    for text in WHOLE_GAMES:
        game = load(text)
        run = specialise(game, PLAYOUTS, "fast")
        w = run.bundle(states=2)
        run.put(w.states, 0, game.start())

        def games(run: Any = run, w: Any = w) -> None:
            w.rng[0] = stream(1)
            run(w, PLAYED)

        contenders.append(games)
    return [
        Timing("playouts", text, PLAYED / time, "games")
        for text, time in zip(WHOLE_GAMES, best_times(contenders, rounds), strict=True)
    ]


def evolution(rounds: int, news: News) -> list[Timing]:
    """Measure evolved programs: inside alpha-beta, as native code, beside DEAP."""
    from ludwin.bench import programs

    return programs.evolution(rounds, news)


def formulas(rounds: int, news: News) -> list[Timing]:
    """Measure programs on rows, beside gplearn, DEAP and pyoperon."""
    from ludwin.bench import on_rows

    return on_rows.formulas(rounds, news)


BENCHES: dict[str, Callable[[int, News], list[Timing]]] = {
    "signature": signature,
    "perft": lambda rounds, news: against_cpp("perft", rounds, news),
    "alphabeta": lambda rounds, news: against_cpp("alphabeta", rounds, news),
    "uct": lambda rounds, news: against_cpp("uct", rounds, news),
    "modes": against_plain,
    "openspiel": against_openspiel,
    "playouts": playouts,
    "evolution": evolution,
    "formulas": formulas,
}


def bench(names: Sequence[str], *, rounds: int, as_json: bool, progress: Progress = SILENT) -> int:
    """Run the benchmarks of these names (all if none), print them, return the exit code."""
    if list(names) == ["list"]:
        found = {n: (function.__doc__ or against_cpp.__doc__ or "").splitlines()[0] for n, function in BENCHES.items()}
        if as_json:
            print(json.dumps({"benches": [{"bench": name, "about": about} for name, about in found.items()]}))
            return 0
        for name, about in found.items():
            print(f"{name:<10} {about}")
        return 0
    for name in names:
        if name not in BENCHES:
            raise BadParameter(
                f"no benchmark called {name!r}{did_you_mean(name, BENCHES)} (there are {', '.join(BENCHES)})"
            )
    rows: list[Timing] = []
    loops = [calibrate()]
    if not as_json:
        print(f"{'bench':<10} {'what':<38} {'rate':>14}  unit/CPU s   ratio")
    for name in names or BENCHES:
        progress.note(f"{name} …")
        fresh = BENCHES[name](rounds, progress.note)
        loops.append(calibrate())
        rows += fresh
        for row in fresh if not as_json else []:
            ratio = f"{row.ratio:8.2f} {row.against}" if row.ratio is not None else ""
            print(f"{row.bench:<10} {row.what:<38} {row.rate:14,.0f}  {row.unit:<10} {ratio}".rstrip(), flush=True)
    if as_json:
        print(json.dumps({"calibration": max(loops), "rounds": rounds, "rows": [vars(row) for row in rows]}))
    else:
        print(
            f"calibration loop: {max(loops) / 1e6:.1f} million iterations per CPU second ({min(loops) / 1e6:.1f} at "
            f"worst)"
        )
    sys.stdout.flush()
    return 0
