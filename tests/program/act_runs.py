"""Acting programs run in every way, and all that can be seen of a run: what the tests of them share."""

from functools import lru_cache

from act_worlds import LONG, MAZE, MAZE_EFFECTS, MAZE_RULES, NIM, NIM_EFFECTS, Maze, NimWorld
from program_worlds import bits

from ludwin import load
from ludwin.program import vary
from ludwin.program.act import run
from ludwin.program.actor import Actor
from ludwin.program.generate import generate
from ludwin.program.stream import Stream
from ludwin.program.tree import join, leaf

MODES = ("plain", "checked", "fast")
STEPS = (0, 1, 2, 3, 4, 7, 15, 40, 150, 2000)
DEPTHS = (0, 1, 2, 3, 12)
NIM_RULES = load("nim:heap=9")


def grown(language, number, seed, depths=(1, 7)):
    """Return random programs, some changed by every operator of variation."""
    found = []
    for i in range(number):
        stream = Stream(seed, i)
        tree = generate(language, depths[0] + i % (depths[1] - depths[0] + 1), stream, grow=0.75, full=i % 7 == 6)
        if i % 3 == 1:
            tree = vary.mutate_local(vary.mutate_constant(vary.mutate_point(tree, stream), stream), stream)
        if i % 3 == 2:
            tree = vary.crossover(tree, generate(language, 4, stream), stream)[0]
        if i % 4 == 3 and language is MAZE:
            tree = join(MAZE, "While", leaf(MAZE, "Yes" if i % 8 == 3 else "Moved"), tree)
        if i % 4 == 3 and language is NIM:
            tree = join(NIM, "Best", join(NIM, "Best", tree))
        found.append(tree)
    return found


def limits(i):
    """Return steps and depth; every pair comes in 200 numbers."""
    return STEPS[i // 4 % 10], DEPTHS[i // 40 % 5]


@lru_cache(maxsize=None)
def maze_actor(mode, depth):
    return Actor(
        MAZE_RULES, MAZE, MAZE_EFFECTS, mode=mode, depth=depth, diary=LONG, heard=LONG, before=depth + 1, luck=1
    )


@lru_cache(maxsize=None)
def nim_actor(mode, depth):
    return Actor(NIM_RULES, NIM, NIM_EFFECTS, mode=mode, depth=depth, diary=LONG, heard=LONG)


def diary(pairs):
    return [(int(what), *bits([heard])) for what, heard in pairs]


def maze_told(tree, seed, steps, depth, start=(2, 1, 0)):
    """Return all that can be seen of a program in the maze: the readable evaluator in the Python world."""
    world = Maze(MAZE_RULES.state(x=start[0], y=start[1], heading=start[2], walked=0), seed)
    outcome = run(tree, world, steps=steps, depth=depth)
    assert world.open == 0
    return seen(outcome, world.diary, world.here, (world.luck[0], world.total))


def seen(outcome, deeds, here, more):
    return bits([outcome.value]), outcome.steps, outcome.cut, diary(deeds), tuple(here), more


def maze_done(mode, tree, seed, steps, depth, start=(2, 1, 0)):
    """Return the same of the compiled interpreter."""
    actor = maze_actor(mode, depth).load(tree)
    actor.steps, w = steps, actor.w
    w.log.count, w.log.total, w.luck[0] = 0, 0.0, seed
    outcome = actor.run(MAZE_RULES.state(x=start[0], y=start[1], heading=start[2], walked=0))
    deeds = zip(w.diary[: w.log.count], w.heard[: w.log.count], strict=True)
    assert w.acts.open == 0
    return seen(outcome, deeds, actor.state.cells, (w.luck[0], w.log.total))


def nim_told(tree, heap, steps, depth):
    world = NimWorld(heap)
    outcome = run(tree, world, steps=steps, depth=depth)
    return seen(outcome, world.diary, world.stack[0], len(world.stack))


def nim_done(mode, tree, heap, steps, depth):
    actor = nim_actor(mode, depth).load(tree)
    actor.steps, w = steps, actor.w
    w.log.count = 0
    outcome = actor.run(NIM_RULES.state(heap=heap, turn=0))
    deeds = zip(w.diary[: w.log.count], w.heard[: w.log.count], strict=True)
    return seen(outcome, deeds, actor.state.cells, w.acts.open + 1)
