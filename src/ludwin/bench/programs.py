"""How fast evolved programs run: inside alpha-beta, as native code, beside DEAP.

Why it is here.  Evolution spends its time judging positions.  Three questions: how much of a search's speed
is left if a program judges in the place of a hand-written evaluation, what native code brings and
when it pays, and how the interpreter compares with what Python people use.  The programs are random
ones of the size that evolution reaches, the same for everyone.
"""

import random
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

from ludwin.bench import News, Timing, best_times
from ludwin.game import Game, State
from ludwin.games.draughts.language import LANGUAGE
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.library import load
from ludwin.program.generate import generate
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree
from ludwin.program.values import LONGEST, fill, inputs, judging, reader
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.programs import program_player
from ludwin.search.seat import Sitting

DEPTH = 9
PROGRAMS = 12


def sample(language: Language, low: int, high: int, number: int, seed: int) -> list[Tree]:
    """Return random programs of low to high nodes."""
    found: list[Tree] = []
    attempt = 0
    while len(found) < number:
        stream = Stream(seed, attempt)
        tree = generate(language, 5 + stream.below(5), stream, grow=0.8)
        if low <= len(tree) <= high:
            found.append(tree)
        attempt += 1
    return found


def positions(game: Game, number: int, plies: int, seed: int) -> list[State]:
    """Return unfinished positions after up to so many random plies."""
    rng = random.Random(seed)
    found: list[State] = []
    while len(found) < number:
        state = game.start()
        for _ in range(rng.randint(plies // 2, plies)):
            state = state.play(rng.choice(state.moves())) if state.moves() else state
        if state.moves():
            found.append(state)
    return found


def _work(run: Specialised, program: Tree | None, native: bool) -> tuple[Any, Any]:
    code, registers = run.ints(LONGEST), run.floats(LONGEST)
    if program is not None:
        fill(code, registers, run.game, program, native)
    return code, registers


def _searching(game: Game, player: AlphaBeta, states: list[State]) -> tuple[Callable[[], None], list[int]]:
    """Return what searches all positions, and where it says how many nodes it visited."""
    sitting, nodes = Sitting(player.seat(game), game, "fast"), [0]
    run = sitting.w.run

    def search() -> None:
        nodes[0] = 0
        for state in states:
            sitting.choose(state, 1)
            nodes[0] += run.inner + run.terminal + run.static

    return search, nodes


def searches(rounds: int, news: News) -> list[Timing]:
    """Compare alpha-beta with programs of 75 to 85 nodes with the same search and the native material evaluation."""
    game = load("draughts")
    states = positions(game, 5, 16, 3)
    programs = sample(LANGUAGE, 75, 85, PROGRAMS, 4)
    live = sorted(len(tree.live) for tree in programs)
    news(
        f"{PROGRAMS} programs of 75 to 85 nodes, live: {', '.join(map(str, live))}; depth {DEPTH}, {len(states)} "
        f"positions"
    )
    runs = [_searching(game, AlphaBeta(depth=DEPTH, ties="shuffle"), states)]
    runs += [
        _searching(game, program_player(program, DEPTH, native), states) for native in (0, 1) for program in programs
    ]
    times = best_times([run for run, _ in runs], rounds)
    rates = [nodes[0] / time for (_, nodes), time in zip(runs, times, strict=True)]
    rows = [Timing("evolution", "material", rates[0], "nodes")]
    for name, first in (("programs", 1), ("native programs", 1 + PROGRAMS)):
        span = range(first, first + PROGRAMS)
        together = sum(runs[i][1][0] for i in span) / sum(times[i] for i in span)
        slowest = min(rates[i] for i in span)
        rows.append(
            Timing("evolution", f"{name} of 80, together", together, "nodes", together / rates[0], "of material")
        )
        rows.append(
            Timing("evolution", f"{name} of 80, the slowest", slowest, "nodes", slowest / rates[0], "of material")
        )
    return rows


def _judging(game: Game, programs: list[Tree], states: list[State], native: bool = False) -> Callable[[], None]:
    """Return what judges all positions by all programs."""
    run = specialise(game, judging(programs[0].language, True, native), "fast")
    stack, mobility, out = run.states(len(states)), run.ints(len(states)), run.floats(len(states))
    work = [_work(run, program, native) for program in programs]
    for number, state in enumerate(states):
        run.put(stack, number, state)
        mobility[number] = len(state.moves())

    def judge() -> None:
        for code, registers in work:
            run(stack, mobility, code, registers, out, len(states))

    return judge


def native(rounds: int, news: News) -> list[Timing]:
    """Measure what native code costs for each program and what it brings for each evaluation."""
    import time

    from ludwin.program.native import compile_program, compile_programs

    game = load("draughts")
    states = positions(game, 2000, 40, 5)
    programs = sample(LANGUAGE, 75, 85, 2 * PROGRAMS, 6)
    compile_program(sample(LANGUAGE, 75, 85, 1, 7)[0], inputs(game))  # the first one starts LLVM, too
    marks = [time.process_time()]
    for program in programs[:PROGRAMS]:
        compile_program(program, inputs(game))
    marks.append(time.process_time())
    compile_programs(programs[PROGRAMS:], inputs(game))
    marks.append(time.process_time())
    runs = [_judging(game, programs, states), _judging(game, programs, states, native=True)]
    slow, fast = (t / (len(programs) * len(states)) for t in best_times([*runs], rounds))
    alone, together = ((after - before) / PROGRAMS for before, after in pairwise(marks))
    news(
        f"compiling: {1e3 * alone:.1f} ms a program alone, {1e3 * together:.1f} in a batch of {PROGRAMS}; pays after "
        f"{alone / (slow - fast):,.0f} evaluations"
    )
    return [
        Timing("evolution", f"interpreter, {1e9 * slow:.0f} ns", 1 / slow, "positions"),
        Timing(
            "evolution",
            f"native code, {1e9 * fast:.0f} ns",
            1 / fast,
            "positions",
            slow / fast,
            "times the interpreter",
        ),
    ]


def against_deap(rounds: int, news: News) -> list[Timing]:
    """Compare with DEAP's compiled individuals: the same 51-node programs, no introns, on the same single positions.

    DEAP gets its inputs as ready arguments; ours reads them from the position, inside the measured time.
    """
    try:
        from deap import gp  # noqa: F401
    except ImportError:
        news("no DEAP: `pip install ludwin[bench]` brings it")
        return []
    game = load("draughts")
    language = LANGUAGE.without("NullJ", "NOTG")
    programs = sample(language, 51, 51, PROGRAMS, 8)
    states = positions(game, 200, 40, 9)
    asked = sorted({(p.reads, place) for p in language.primitives if p.reads for place in range(max(1, p.places))})
    arguments = []
    for state in states:
        read = reader(state)
        arguments.append([read(name, place) for name, place in asked])
    theirs = [_deap(tree, asked) for tree in programs]
    for tree, function in zip(programs, theirs, strict=True):
        mine = [tree.evaluate(reader(state)) for state in states[:20]]
        assert mine == [float(function(*given)) for given in arguments[:20]], "DEAP's program means something else"

    def deap() -> None:
        for function in theirs:
            for given in arguments:
                function(*given)

    ours, single = _judging(game, programs, states), _one_by_one(game, programs, states)
    repeat = 50  # ours is too short to time
    times = best_times([deap, partial(_repeat, ours, repeat), single], rounds)
    work = 51 * len(programs) * len(states)
    rates = [work / times[0], work * repeat / times[1], work / times[2]]
    return [
        Timing("evolution", "DEAP, 51 nodes", rates[0], "GP nodes"),
        Timing(
            "evolution", "interpreter, 51 nodes, in a search", rates[1], "GP nodes", rates[1] / rates[0], "times DEAP"
        ),
        Timing("evolution", "the same, called from Python", rates[2], "GP nodes", rates[2] / rates[0], "times DEAP"),
    ]


def _repeat(run: Callable[[], None], times: int) -> None:
    for _ in range(times):
        run()


def _one_by_one(game: Game, programs: list[Tree], states: list[State]) -> Callable[[], None]:
    """Return what judges the positions by one call from Python each."""
    run = specialise(game, judging(programs[0].language, True), "fast")
    work = [_work(run, program, False) for program in programs]
    stacks, mobility, out = [], [], run.floats(1)
    for state in states:
        stacks.append(run.states(1))
        run.put(stacks[-1], 0, state)
        mobility.append(run.ints(1))
        mobility[-1][0] = len(state.moves())
    entry = run.entry

    def judge() -> None:
        for code, registers in work:
            for stack, number in zip(stacks, mobility, strict=True):
                entry(stack, number, code, registers, out, 1)

    return judge


def _deap(tree: Tree, asked: list[tuple[str, int]]) -> Callable[..., float]:
    """Return the program as DEAP compiles it: a Python function of all inputs."""
    from deap import gp

    pset = gp.PrimitiveSet("main", len(asked), prefix="x")
    pset.addPrimitive(_choose, 3, name="IFT")
    for primitive in tree.language.primitives:
        if primitive.takes and not primitive.is_lazy:
            names = ", ".join("abcdefgh"[: len(primitive.takes)])
            rule = compile(f"lambda {names}{', v' if primitive.has_value else ''}: {primitive.rule}", "<deap>", "eval")
            pset.addPrimitive(eval(rule, {}), len(primitive.takes) + primitive.has_value, name=primitive.name)
    nodes: list[Any] = []
    inputs_of = {key: pset.mapping[f"x{number}"] for number, key in enumerate(asked)}

    def walk(at: int) -> None:
        primitive = tree.primitive(at)
        if primitive.reads:
            nodes.append(inputs_of[primitive.reads, tree.places[at]])
        elif not primitive.takes:
            nodes.append(gp.Terminal(tree.evaluate(_nothing, at), False, object))
        else:
            nodes.append(pset.mapping[primitive.name])
            for child in tree.children(at):
                walk(child)
            if primitive.has_value:
                nodes.append(gp.Terminal(tree.values[at], False, object))

    walk(0)
    return gp.compile(gp.PrimitiveTree(nodes), pset)  # type: ignore[no-any-return]


def _choose(condition: float, then: float, other: float) -> float:
    return then if condition else other


def _nothing(name: str, place: int) -> float:
    raise AssertionError("a constant reads nothing")


def evolution(rounds: int, news: News) -> list[Timing]:
    """Run all three."""
    return [*searches(rounds, news), *native(rounds, news), *against_deap(rounds, news)]
