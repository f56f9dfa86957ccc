"""Evolution of selection formulas inside a search: fitness on the living tree, selection, succession.

Why it is here.  EA-MCTS breeds its formula while it thinks, so all of evolution runs in compiled code.
A formula lies in a slot of `cells`, and what is known about it in `formulas`: slot 0 holds the parent, the offspring
follow, then the best ever, room to build in, the archive of the multi-objective form, and the seed.  Kernel text.

Fitness is the mean reward of some playouts that use the formula; they are ordinary playouts, and the tree keeps them.

References.  F. Valdez Ameneyro, E. Galván, "Evolving the MCTS upper confidence bounds for trees using a
semantic-inspired evolutionary algorithm in the game of Carcassonne", IEEE Trans. Games (2022); the thesis of the first
author (2024), sections 5.2-5.4.
"""

import math
from typing import Any

from ludwin.kernel.names import copy
from ludwin.primitives import draw, uniform
from ludwin.search.montecarlo.evolving.differ import aim, behaves_otherwise, watch
from ludwin.search.montecarlo.evolving.vary import copy_cells, mutate, mutate_constant
from ludwin.search.montecarlo.formula import CELL
from ludwin.search.montecarlo.walk import iterate

ALLOCATIONS = ("equal", "interleaved", "bandit")
EQUAL = ALLOCATIONS.index("equal")
INTERLEAVED = ALLOCATIONS.index("interleaved")
FITNESSES = ("reward", "explore", "pareto")
BY_REWARD = FITNESSES.index("reward")
PARETO = FITNESSES.index("pareto")
NOVELTIES = ("nodes", "branches")
BY_BRANCHES = NOVELTIES.index("branches")
MEASURES = ("once", "latest", "pooled")
ONCE = MEASURES.index("once")
LATEST = MEASURES.index("latest")
INSTALLS = ("best", "last")
LAST_PARENT = INSTALLS.index("last")
GUARDS = ("ucb", "seed")
GUARD_BY_SEED = GUARDS.index("seed")
EVOLVES = ("formula", "constant")
ONLY_CONSTANT = EVOLVES.index("constant")
WINDOWS = ("absolute", "relative")
RELATIVE = WINDOWS.index("relative")
BEHAVIOURS = ("rewards", "branches")
OF_BRANCHES = BEHAVIOURS.index("branches")
DECISIONS = ("clear", "parent kept", "semantics", "chance")  # how a generation was decided
CLEAR = DECISIONS.index("clear")
KEPT = DECISIONS.index("parent kept")
BY_SEMANTICS = DECISIONS.index("semantics")
BY_CHANCE = DECISIONS.index("chance")

BRANCH = 3  # a branch is the node that a playout passes at this depth
ARCHIVE = 16  # the most formulas in the archive
TRIES_TO_DIFFER = 100  # then an offspring may behave as its parent does

FORMULA = {
    "size": int,  # cells
    "measured": int,  # playouts
    "new_nodes": int,
    "same_branch": int,  # pairs of playouts that took the same branch
    "fitness": float,
    "reward": float,  # the mean
    "novelty": float,
    "distance": float,  # from the parent's behaviour
    "reward_sum": float,
}
EVOLUTION = {
    "me": int,  # who chooses
    "individuals": int,  # in the log
    "cells": int,  # of their formulas
    "generation": int,
    "began": int,  # after so many playouts
    "ended": int,
    "archived": int,
    "installed": int,  # the slot that plays on
    "redone": int,  # mutations that would have picked the parent's children
}
MEMBERS: dict[str, Any] = {  # the workspaces of evolution
    "formulas": [FORMULA],
    "constants": [float],  # that a new leaf may have
    "trials": [{"reward": float, "branch": float}],  # the playouts of each formula, `stride` of them
    "room": [float],  # to sort in
    "evolution": EVOLUTION,
    "log": [{"generation": int, "begin": int}],  # measured formulas, and where their cells lie in `history`
    "figures": [FORMULA],  # what is known about each of them
    "epochs": [{"tied": int, "how": int, "winner": int, "started": int}],  # generations
    "history": [CELL],
    "watched": [int],
}


def begin_evolution(w):
    """Forget the evolution of the move before; return the slot that this one begins with: the seed's, or with its tree
    kept that of the last formula.
    """
    evolution = w.evolution
    first = evolution.installed if w.options.carry > 0 and w.run.kept > 0 else w.options.seed_slot
    w.run.begin = 0
    w.run.finish = 0
    evolution.individuals = 0
    evolution.cells = 0
    evolution.generation = 0
    evolution.archived = 0
    evolution.redone = 0
    evolution.installed = first
    for k in range(w.options.rows):
        w.epochs[k].tied = 0
        w.epochs[k].how = 0
        w.epochs[k].winner = 0
        w.epochs[k].started = 0
    return first


def copy_formula(w, source: int, to: int):
    """Copy a formula with all that is known about it from one slot to another."""
    length = w.options.length
    copy_cells(w, length * source, length * to, w.formulas[source].size)
    copy(w.formulas[to], w.formulas[source])
    return 0


def breed(w):
    """Fill the slots of the offspring by mutations of the parent, all before any is measured."""
    n = watch(w, w.options.differ) if w.options.differ > 0 else 0
    for i in range(1, w.options.offspring + 1):
        vary_once(w, i)
        tries = 1
        while n > 0 and tries < TRIES_TO_DIFFER and not behaves_otherwise(w, n, 0, i):
            vary_once(w, i)
            tries += 1
        w.evolution.redone += tries - 1
        forget(w.formulas[i])
    return 0


def vary_once(w, slot: int):
    """Put one mutation of the parent into a slot; a copy of the parent if none is to be found."""
    if w.options.evolve == ONLY_CONSTANT:
        return mutate_constant(w, 0, slot)
    if mutate(w, 0, slot, w.options.offspring + 2) > 0:
        copy_formula(w, 0, slot)
    return 0


def forget(formula):
    """Reset what was measured of a formula."""
    formula.measured = 0
    formula.new_nodes = 0
    formula.same_branch = 0
    formula.fitness = 0.0
    formula.reward = 0.0
    formula.novelty = 0.0
    formula.distance = 0.0
    formula.reward_sum = 0.0
    return 0


def install(w, slot: int):
    """Let the next playout use a formula; with the guard, now and then UCB1 or the seed instead."""
    aim(w, slot)
    if w.options.guard > 0.0 and uniform(w.rng) < w.options.guard:
        if w.options.guard_form == GUARD_BY_SEED:
            aim(w, w.options.seed_slot)
        else:
            w.run.finish = w.run.begin
    return 0


def judge_formula(w, formula):
    """Renew the fitness of a formula from what was measured."""
    count = formula.measured
    if w.options.explores == BY_BRANCHES:  # the probability that two playouts took different branches
        formula.novelty = 1.0 - (count + 2.0 * formula.same_branch) / (1.0 * count * count)
    else:
        formula.novelty = formula.new_nodes / count
    formula.fitness = formula.reward
    if w.options.fitness != BY_REWARD:
        formula.fitness += w.options.novelty * formula.novelty
    return 0


def try_once(w, slot: int):
    """Measure a formula by one playout more."""
    install(w, slot)
    plies = iterate(w)
    formula = w.formulas[slot]
    reward = w.payoffs[w.evolution.me]
    count = formula.measured
    first = w.options.stride * slot
    branch = 1.0 * w.path[min(BRANCH, plies)]
    for i in range(count):
        if w.trials[first + i].branch == branch:
            formula.same_branch += 1
    w.trials[first + count].reward = reward
    w.trials[first + count].branch = branch
    formula.new_nodes += w.run.fresh
    formula.reward_sum += reward  # wins and losses add up exactly, so that equal ones are a tie
    formula.reward = formula.reward_sum / (count + 1)
    formula.measured = count + 1
    judge_formula(w, formula)
    return 0


def next_to_measure(w, k: int):
    """Return which offspring gets playout number k of a generation, by the way of allocation."""
    offspring = w.options.offspring
    samples = w.options.samples
    if w.options.allocate == EQUAL:
        return 1 + k // samples
    if w.options.allocate == INTERLEAVED or k < offspring * max(samples // 3, 1):
        return 1 + k % offspring
    best = 1
    highest = -math.inf
    for i in range(1, offspring + 1):
        bound = w.formulas[i].fitness + math.sqrt(0.5 * math.log(k) / w.formulas[i].measured)
        if bound > highest:
            highest = bound
            best = i
    return best


def sort_down(values, begin: int, n: int):
    """Sort n cells, the greatest first (insertion: there are few)."""
    for i in range(1, n):
        value = values[begin + i]
        j = i - 1
        while j >= 0 and values[begin + j] < value:
            values[begin + j + 1] = values[begin + j]
            j -= 1
        values[begin + j + 1] = value
    return 0


def sorted_distance(room, n: int):
    """Return the mean difference of two samples of n numbers, one after the other, both sorted here: the distance of
    their distributions.
    """
    sort_down(room, 0, n)
    sort_down(room, n, n)
    total = 0.0
    for i in range(n):
        total += abs(room[i] - room[n + i])
    return total / n


def branch_distance(room, n: int):
    """Return the share of n playouts of one formula that went where the n of the other did not."""
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


def spread(w, n: int):
    """Return the standard deviation of the parent's first n rewards."""
    mean = 0.0
    for i in range(n):
        mean += w.trials[i].reward / n
    total = 0.0
    for i in range(n):
        total += (w.trials[i].reward - mean) * (w.trials[i].reward - mean)
    return math.sqrt(total / n)


def distance_from_parent(w, slot: int, n: int):
    """Return how far the behaviour of an offspring lies from the parent's, by n playouts of each."""
    first = w.options.stride * slot
    if w.options.behaviour == OF_BRANCHES:
        for i in range(n):
            w.room[i] = w.trials[first + i].branch
            w.room[n + i] = w.trials[i].branch
        return branch_distance(w.room, n)
    for i in range(n):
        w.room[i] = w.trials[first + i].reward
        w.room[n + i] = w.trials[i].reward
    distance = sorted_distance(w.room, n)
    if w.options.window == RELATIVE:
        wide = spread(w, n)
        distance = distance / wide if wide > 0.0 else 0.0
    return distance


def measure_distances(w):
    """Note how far the behaviour of every offspring lies from the parent's."""
    for i in range(1, w.options.offspring + 1):
        n = min(w.formulas[i].measured, w.formulas[0].measured)
        w.formulas[i].distance = distance_from_parent(w, i, n) if n > 0 else 0.0
    w.formulas[0].distance = 0.0
    return 0


def select_best(w, epoch):
    """Return the winner of a generation: the first of the best offspring if it beats the parent, else the parent."""
    winner = 0
    tied = 0
    for i in range(1, w.options.offspring + 1):
        if w.formulas[i].fitness > w.formulas[winner].fitness:
            winner = i
    for i in range(w.options.offspring + 1):
        if w.formulas[i].fitness == w.formulas[winner].fitness:
            tied += 1
    epoch.tied = 1 if tied > 1 else 0
    epoch.how = KEPT if winner == 0 else CLEAR
    epoch.winner = winner
    return winner


def select_by_semantics(w, epoch):
    """Return the winner of a generation; among equally fit ones the nearest to the parent inside the window, else
    any.
    """
    top = w.formulas[0].fitness
    for i in range(1, w.options.offspring + 1):
        top = max(top, w.formulas[i].fitness)
    tied = 0
    winner = 0
    inside = -1
    for i in range(w.options.offspring + 1):
        if w.formulas[i].fitness == top:
            tied += 1
            if tied == 1 or draw(w.rng, tied) == 0:
                winner = i
            far = w.formulas[i].distance
            if w.options.low < far and far < w.options.high and (inside < 0 or far < w.formulas[inside].distance):
                inside = i
    epoch.tied = 1 if tied > 1 else 0
    epoch.how = CLEAR if tied == 1 else (BY_SEMANTICS if inside >= 0 else BY_CHANCE)
    if tied > 1 and inside >= 0:
        winner = inside
    epoch.winner = winner
    return winner


def note(w, slot: int):
    """Write a measured formula into the log, while there is room."""
    evolution = w.evolution
    row = evolution.individuals
    size = w.formulas[slot].size
    if row >= w.options.rows or evolution.cells + size > w.options.history_cells:
        return 0
    w.log[row].generation = evolution.generation
    w.log[row].begin = evolution.cells
    copy(w.figures[row], w.formulas[slot])
    for i in range(size):
        copy(w.history[evolution.cells + i], w.cells[w.options.length * slot + i])
    evolution.cells += size
    evolution.individuals = row + 1
    return 0


def dominates(one, other):
    """Tell whether a formula is at least as good as another in reward and in novelty, and better in one."""
    if one.reward < other.reward or one.novelty < other.novelty:
        return False
    return one.reward > other.reward or one.novelty > other.novelty


def archive(w, slot: int):
    """Take a formula into the archive unless a member dominates it; members that it dominates leave."""
    evolution = w.evolution
    first = w.options.offspring + 3
    for k in range(evolution.archived):
        if dominates(w.formulas[first + k], w.formulas[slot]):
            return 0
    k = 0
    while k < evolution.archived:
        if dominates(w.formulas[slot], w.formulas[first + k]):
            evolution.archived -= 1
            copy_formula(w, first + evolution.archived, first + k)
        else:
            k += 1
    if evolution.archived < ARCHIVE:
        copy_formula(w, slot, first + evolution.archived)
        evolution.archived += 1
    return 0


def fittest_of_archive(w):
    """Return the slot of the archive's member of the highest fitness."""
    first = w.options.offspring + 3
    best = first
    for k in range(1, w.evolution.archived):
        if w.formulas[first + k].fitness > w.formulas[best].fitness:
            best = first + k
    return best


def succeed(w, winner: int):
    """Make the winner of a generation the parent of the next."""
    if winner == 0:
        return 0
    copy_formula(w, winner, 0)
    for i in range(w.formulas[0].measured):
        copy(w.trials[i], w.trials[w.options.stride * winner + i])
    return 0


def choose_parent(w, epoch):
    """Close a generation: find its winner by the rule in force and make it the parent."""
    offspring = w.options.offspring
    best = offspring + 1
    for i in range(1, offspring + 1):
        if w.formulas[i].fitness > w.formulas[best].fitness:
            copy_formula(w, i, best)
    if w.options.fitness == PARETO:
        for i in range(1, offspring + 1):
            archive(w, i)
        copy_formula(w, offspring + 3 + draw(w.rng, w.evolution.archived), 0)
        w.formulas[0].measured = 0  # its single rewards are not kept, so nothing is compared with them
        epoch.how = BY_CHANCE
        return 0
    return succeed(w, select_by_semantics(w, epoch) if w.options.semantic > 0 else select_best(w, epoch))


def remeasure(w):
    """Prepare the parent to be measured again: from nothing, or on top of what is known."""
    parent = w.formulas[0]
    if w.options.measure == LATEST or parent.measured + w.options.samples > w.options.stride:
        forget(parent)
    return 0


def final_slot(w):
    """Return the formula that plays on after evolution."""
    if w.options.fitness == PARETO and w.evolution.archived > 0:
        return fittest_of_archive(w)
    if w.options.install == LAST_PARENT or w.options.measure != ONCE:
        return 0
    return w.options.offspring + 1
