"""Evolution of selection formulas inside a search: fitness on the living tree, selection, succession.

Why it is here.  EA-MCTS breeds its formula while it thinks, so all of evolution runs in compiled code, on arrays.
A formula lies in a slot of `program` and `number`: slot 0 holds the parent, the offspring follow, then the best
ever, room to build in, and the archive of the multi-objective form.  Kernel text.

Fitness is the mean reward of some playouts that use the formula; they are ordinary playouts, and the tree keeps them.

References.  F. Valdez Ameneyro, E. Galván, "Evolving the MCTS upper confidence bounds for trees using a
semantic-inspired evolutionary algorithm in the game of Carcassonne", IEEE Trans. Games (2022); the thesis of the first
author (2024), sections 5.2-5.4.
"""

import math

from ludwin.primitives import draw, uniform
from ludwin.search.evolving_differ import aim, behaves_otherwise, watch
from ludwin.search.formula_vary import (
    ALLOCATION,
    BEHAVIOUR,
    BY_BRANCHES,
    CARRY,
    CELLS_OF_LOG,
    DIFFER,
    FITNESS_KIND,
    GUARD,
    GUARD_BY_SEED,
    INSTALL,
    LAMBDA,
    LENGTH,
    LOWEST,
    MEASURED,
    NEW_NODES,
    NOVELTY_WEIGHT,
    ONLY_CONSTANT,
    REEVALUATE,
    RELATIVE,
    ROWS,
    SAME_BRANCH,
    SAMPLES,
    SEED_SLOT,
    SEMANTIC,
    SIZE_OF,
    SLOT,
    STRIDE,
    UPPERMOST,
    mutate,
    mutate_constant,
)
from ludwin.search.mcts_rules import REUSE
from ludwin.search.mcts_tree import BEGIN, FINISH, FRESH
from ludwin.search.mcts_walk import iterate

SEQUENTIAL, INTERLEAVED, BANDIT = range(3)  # genes[ALLOCATION]
BY_REWARD, BY_BOTH, PARETO = range(3)  # genes[FITNESS_KIND]
ONCE, LATEST, POOLED = range(3)  # genes[REEVALUATE]
BEST_EVER, LAST_PARENT = range(2)  # genes[INSTALL]

MARK = 5  # of `marks`
FITNESS, REWARD_MEAN, NOVELTY, DISTANCE, REWARD_SUM = range(5)
BRANCH = 3  # a branch is the node that a playout passes at this depth
ARCHIVE = 16  # the most formulas in the archive

ROW = 6  # of `log`: an individual
ROW_GENERATION, ROW_PLACE, ROW_BEGIN, ROW_SIZE, ROW_MEASURED, ROW_NEW = range(6)
EPOCH = 4  # of `epochs`: a generation
TIED, HOW, WINNER, STARTED = range(4)
CLEAR, KEPT, BY_SEMANTICS, BY_CHANCE = range(4)  # how a generation was decided
COUNTS = 8
INDIVIDUALS, CELLS_USED, GENERATION, EVOLUTION_BEGAN, EVOLUTION_ENDED, ARCHIVED, INSTALLED, REDONE = range(8)
TRIES_TO_DIFFER = 100  # then an offspring may behave as its parent does


def begin_evolution(slots, stats, counts, epochs, genes, options):
    """Forget the evolution of the move before; return the slot that this one begins with: the seed's, or with its tree
    kept that of the last formula.
    """
    first = genes[SEED_SLOT]
    if genes[CARRY] > 0 and options[REUSE] > 0:
        first = counts[INSTALLED]
    stats[BEGIN] = 0
    stats[FINISH] = 0
    for k in range(COUNTS):
        counts[k] = 0
    for k in range(EPOCH * genes[ROWS]):
        epochs[k] = 0
    counts[INSTALLED] = first
    return first


def copy_formula(program, number, slots, marks, length, source, to):
    """Copy a formula with all that is known about it from one slot to another."""
    for i in range(slots[SLOT * source + SIZE_OF]):
        program[length * to + i] = program[length * source + i]
        number[length * to + i] = number[length * source + i]
    for k in range(SLOT):
        slots[SLOT * to + k] = slots[SLOT * source + k]
    for k in range(MARK):
        marks[MARK * to + k] = marks[MARK * source + k]
    return 0


def breed(desk, program, number, slots, marks, known, stack, genes, rates, options, rng, tree, stats, counts, watched):
    """Fill the slots of the offspring by mutations of the parent, all before any is measured."""
    n = watch(tree, stats, watched, genes[DIFFER]) if genes[DIFFER] > 0 else 0
    for i in range(1, genes[LAMBDA] + 1):
        vary_once(program, number, slots, marks, known, stack, genes, rates, options, i, rng)
        tries = 1
        while n > 0 and tries < TRIES_TO_DIFFER and not behaves_otherwise(desk, tree, slots, genes, watched, n, 0, i):
            vary_once(program, number, slots, marks, known, stack, genes, rates, options, i, rng)
            tries += 1
        counts[REDONE] += tries - 1
        forget(slots, marks, i)
    return 0


def vary_once(program, number, slots, marks, known, stack, genes, rates, options, slot, rng):
    """Put one mutation of the parent into a slot; a copy of the parent if none is to be found."""
    if genes[ONLY_CONSTANT] > 0:
        return mutate_constant(program, number, slots, genes, rates, 0, slot, rng)
    if mutate(program, number, slots, known, stack, genes, rates, options, 0, slot, genes[LAMBDA] + 2, rng) > 0:
        copy_formula(program, number, slots, marks, genes[LENGTH], 0, slot)
    return 0


def forget(slots, marks, slot):
    """Reset what was measured of a formula."""
    slots[SLOT * slot + MEASURED] = 0
    slots[SLOT * slot + NEW_NODES] = 0
    slots[SLOT * slot + SAME_BRANCH] = 0
    for k in range(MARK):
        marks[MARK * slot + k] = 0.0
    return 0


def install(slots, stats, genes, rates, slot, rng):
    """Let the next playout use a formula; with the guard, now and then UCB1 or the seed instead."""
    aim(slots, stats, genes, slot)
    if rates[GUARD] > 0.0 and uniform(rng) < rates[GUARD]:
        if genes[GUARD_BY_SEED] > 0:
            aim(slots, stats, genes, genes[SEED_SLOT])
        else:
            stats[FINISH] = stats[BEGIN]
    return 0


def judge_formula(slots, marks, genes, rates, slot):
    """Renew the fitness of a formula from what was measured."""
    count = slots[SLOT * slot + MEASURED]
    if genes[BY_BRANCHES] > 0:  # the probability that two playouts took different branches
        marks[MARK * slot + NOVELTY] = 1.0 - (count + 2.0 * slots[SLOT * slot + SAME_BRANCH]) / (1.0 * count * count)
    else:
        marks[MARK * slot + NOVELTY] = slots[SLOT * slot + NEW_NODES] / count
    marks[MARK * slot + FITNESS] = marks[MARK * slot + REWARD_MEAN]
    if genes[FITNESS_KIND] != BY_REWARD:
        marks[MARK * slot + FITNESS] += rates[NOVELTY_WEIGHT] * marks[MARK * slot + NOVELTY]
    return 0


def try_once(desk, rng, path, payoffs, stats, slots, marks, rewards, branches, genes, rates, slot, me):
    """Measure a formula by one playout more; `desk` holds the arguments of `iterate`."""
    install(slots, stats, genes, rates, slot, rng)
    plies = iterate(*desk)
    count = slots[SLOT * slot + MEASURED]
    rewards[genes[STRIDE] * slot + count] = payoffs[me]
    branch = 1.0 * path[min(BRANCH, plies)]
    for i in range(count):
        if branches[genes[STRIDE] * slot + i] == branch:
            slots[SLOT * slot + SAME_BRANCH] += 1
    branches[genes[STRIDE] * slot + count] = branch
    slots[SLOT * slot + NEW_NODES] += stats[FRESH]
    marks[MARK * slot + REWARD_SUM] += payoffs[me]  # wins and losses add up exactly, so that equal ones are a tie
    marks[MARK * slot + REWARD_MEAN] = marks[MARK * slot + REWARD_SUM] / (count + 1)
    slots[SLOT * slot + MEASURED] = count + 1
    judge_formula(slots, marks, genes, rates, slot)
    return 0


def next_to_measure(slots, marks, genes, k):
    """Return which offspring gets playout number k of a generation, by the way of allocation."""
    offspring = genes[LAMBDA]
    if genes[ALLOCATION] == SEQUENTIAL:
        return 1 + k // genes[SAMPLES]
    if genes[ALLOCATION] == INTERLEAVED or k < offspring * max(genes[SAMPLES] // 3, 1):
        return 1 + k % offspring
    best = 1
    highest = -math.inf
    for i in range(1, offspring + 1):
        count = slots[SLOT * i + MEASURED]
        bound = marks[MARK * i + FITNESS] + math.sqrt(0.5 * math.log(k) / count)
        if bound > highest:
            highest = bound
            best = i
    return best


def sort_down(values, begin, n):
    """Sort n cells, the greatest first (insertion: there are few)."""
    for i in range(1, n):
        value = values[begin + i]
        j = i - 1
        while j >= 0 and values[begin + j] < value:
            values[begin + j + 1] = values[begin + j]
            j -= 1
        values[begin + j + 1] = value
    return 0


def sorted_distance(a, a_begin, b, b_begin, n, room):
    """Return the mean difference of two samples of n numbers, both sorted: the distance of their distributions."""
    for i in range(n):
        room[i] = a[a_begin + i]
        room[n + i] = b[b_begin + i]
    sort_down(room, 0, n)
    sort_down(room, n, n)
    total = 0.0
    for i in range(n):
        total += abs(room[i] - room[n + i])
    return total / n


def branch_distance(a, a_begin, b, b_begin, n, room):
    """Return the share of playouts of one formula that went where the other's did not."""
    for i in range(n):
        room[i] = a[a_begin + i]
        room[n + i] = b[b_begin + i]
    sort_down(room, 0, n)
    sort_down(room, n, n)
    i = 0
    j = 0
    common = 0
    while i < n and j < n:
        if room[i] == room[n + j]:
            common += 1
            i += 1
            j += 1
        elif room[i] > room[n + j]:
            i += 1
        else:
            j += 1
    return 1.0 - common / n


def spread(values, begin, n):
    """Return the standard deviation of n cells."""
    mean = 0.0
    for i in range(n):
        mean += values[begin + i] / n
    total = 0.0
    for i in range(n):
        total += (values[begin + i] - mean) * (values[begin + i] - mean)
    return math.sqrt(total / n)


def measure_distances(slots, marks, rewards, branches, room, genes):
    """Note how far the behaviour of every offspring lies from the parent's."""
    for i in range(1, genes[LAMBDA] + 1):
        n = min(slots[SLOT * i + MEASURED], slots[MEASURED])
        marks[MARK * i + DISTANCE] = 0.0
        if n == 0:
            continue
        if genes[BEHAVIOUR] > 0:
            marks[MARK * i + DISTANCE] = branch_distance(branches, genes[STRIDE] * i, branches, 0, n, room)
        else:
            distance = sorted_distance(rewards, genes[STRIDE] * i, rewards, 0, n, room)
            if genes[RELATIVE] > 0:
                wide = spread(rewards, 0, n)
                distance = distance / wide if wide > 0.0 else 0.0
            marks[MARK * i + DISTANCE] = distance
    marks[DISTANCE] = 0.0
    return 0


def select_best(marks, offspring, epochs, at):
    """Return the winner of a generation: the first of the best offspring if it beats the parent, else the parent."""
    winner = 0
    tied = 0
    for i in range(1, offspring + 1):
        if marks[MARK * i + FITNESS] > marks[MARK * winner + FITNESS]:
            winner = i
    for i in range(offspring + 1):
        if marks[MARK * i + FITNESS] == marks[MARK * winner + FITNESS]:
            tied += 1
    epochs[at + TIED] = 1 if tied > 1 else 0
    epochs[at + HOW] = KEPT if winner == 0 else CLEAR
    epochs[at + WINNER] = winner
    return winner


def select_by_semantics(marks, offspring, low, high, epochs, at, rng):
    """Return the winner of a generation; among equally fit ones the nearest to the parent inside the window, else
    any.
    """
    top = marks[FITNESS]
    for i in range(1, offspring + 1):
        top = max(top, marks[MARK * i + FITNESS])
    tied = 0
    winner = 0
    inside = -1
    for i in range(offspring + 1):
        if marks[MARK * i + FITNESS] == top:
            tied += 1
            if tied == 1 or draw(rng, tied) == 0:
                winner = i
            distance = marks[MARK * i + DISTANCE]
            if low < distance and distance < high and (inside < 0 or distance < marks[MARK * inside + DISTANCE]):
                inside = i
    epochs[at + TIED] = 1 if tied > 1 else 0
    epochs[at + HOW] = CLEAR if tied == 1 else (BY_SEMANTICS if inside >= 0 else BY_CHANCE)
    if tied > 1 and inside >= 0:
        winner = inside
    epochs[at + WINNER] = winner
    return winner


def note(program, number, slots, marks, genes, counts, log, figures, history, history_number, slot):
    """Write a measured formula into the log, while there is room."""
    row = counts[INDIVIDUALS]
    size = slots[SLOT * slot + SIZE_OF]
    if row >= genes[ROWS] or counts[CELLS_USED] + size > genes[CELLS_OF_LOG]:
        return 0
    log[ROW * row + ROW_GENERATION] = counts[GENERATION]
    log[ROW * row + ROW_PLACE] = slot
    log[ROW * row + ROW_BEGIN] = counts[CELLS_USED]
    log[ROW * row + ROW_SIZE] = size
    log[ROW * row + ROW_MEASURED] = slots[SLOT * slot + MEASURED]
    log[ROW * row + ROW_NEW] = slots[SLOT * slot + NEW_NODES]
    for k in range(MARK):
        figures[MARK * row + k] = marks[MARK * slot + k]
    for i in range(size):
        history[counts[CELLS_USED] + i] = program[genes[LENGTH] * slot + i]
        history_number[counts[CELLS_USED] + i] = number[genes[LENGTH] * slot + i]
    counts[CELLS_USED] += size
    counts[INDIVIDUALS] = row + 1
    return 0


def dominates(marks, a, b):
    """Tell whether formula a is at least as good as b in reward and in novelty, and better in one."""
    at = MARK * a
    to = MARK * b
    if marks[at + REWARD_MEAN] < marks[to + REWARD_MEAN] or marks[at + NOVELTY] < marks[to + NOVELTY]:
        return False
    return marks[at + REWARD_MEAN] > marks[to + REWARD_MEAN] or marks[at + NOVELTY] > marks[to + NOVELTY]


def archive(program, number, slots, marks, genes, counts, slot):
    """Take a formula into the archive unless a member dominates it; members that it dominates leave."""
    first = genes[LAMBDA] + 3
    for k in range(counts[ARCHIVED]):
        if dominates(marks, first + k, slot):
            return 0
    k = 0
    while k < counts[ARCHIVED]:
        if dominates(marks, slot, first + k):
            counts[ARCHIVED] -= 1
            copy_formula(program, number, slots, marks, genes[LENGTH], first + counts[ARCHIVED], first + k)
        else:
            k += 1
    if counts[ARCHIVED] < ARCHIVE:
        copy_formula(program, number, slots, marks, genes[LENGTH], slot, first + counts[ARCHIVED])
        counts[ARCHIVED] += 1
    return 0


def fittest_of_archive(marks, genes, counts):
    """Return the slot of the archive's member of the highest fitness."""
    first = genes[LAMBDA] + 3
    best = first
    for k in range(1, counts[ARCHIVED]):
        if marks[MARK * (first + k) + FITNESS] > marks[MARK * best + FITNESS]:
            best = first + k
    return best


def succeed(program, number, slots, marks, rewards, branches, genes, winner):
    """Make the winner of a generation the parent of the next."""
    if winner == 0:
        return 0
    copy_formula(program, number, slots, marks, genes[LENGTH], winner, 0)
    for i in range(slots[MEASURED]):
        rewards[i] = rewards[genes[STRIDE] * winner + i]
        branches[i] = branches[genes[STRIDE] * winner + i]
    return 0


def choose_parent(program, number, slots, marks, rewards, branches, genes, rates, counts, epochs, at, rng):
    """Close a generation: find its winner by the rule in force and make it the parent."""
    offspring = genes[LAMBDA]
    best = offspring + 1
    for i in range(1, offspring + 1):
        if marks[MARK * i + FITNESS] > marks[MARK * best + FITNESS]:
            copy_formula(program, number, slots, marks, genes[LENGTH], i, best)
    if genes[FITNESS_KIND] == PARETO:
        for i in range(1, offspring + 1):
            archive(program, number, slots, marks, genes, counts, i)
        member = offspring + 3 + draw(rng, counts[ARCHIVED])
        copy_formula(program, number, slots, marks, genes[LENGTH], member, 0)
        slots[MEASURED] = 0  # its single rewards are not kept, so nothing is compared with them
        epochs[at + HOW] = BY_CHANCE
        return 0
    if genes[SEMANTIC] > 0:
        winner = select_by_semantics(marks, offspring, rates[LOWEST], rates[UPPERMOST], epochs, at, rng)
    else:
        winner = select_best(marks, offspring, epochs, at)
    return succeed(program, number, slots, marks, rewards, branches, genes, winner)


def remeasure(slots, marks, genes):
    """Prepare the parent to be measured again: from nothing, or on top of what is known."""
    if genes[REEVALUATE] == LATEST or slots[MEASURED] + genes[SAMPLES] > genes[STRIDE]:
        forget(slots, marks, 0)
    return 0


def final_slot(marks, genes, counts):
    """Return the formula that plays on after evolution."""
    if genes[FITNESS_KIND] == PARETO and counts[ARCHIVED] > 0:
        return fittest_of_archive(marks, genes, counts)
    if genes[INSTALL] == LAST_PARENT or genes[REEVALUATE] != ONCE:
        return 0
    return genes[LAMBDA] + 1
