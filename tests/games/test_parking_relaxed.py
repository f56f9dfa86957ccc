"""Parking: relaxed plans and ways back to the start, by hand and by a second implementation with sets."""

import random

import pytest

from ludwin import load
from ludwin.errors import BadParameter
from ludwin.games.parking.evolve.policies import brain, hand_made, total
from ludwin.games.parking.evolve.tuned import tuned_sum
from ludwin.games.parking.language import CONDITIONS, conditions, formulas
from ludwin.program.text import read
from ludwin.search.puzzles.deepen import IDAStar, IterativeDeepening
from ludwin.words import MODES

OURS = ("relaxed slides", "relaxed cells", "relaxed wanted", "relaxed crossed", "relaxed slides back")
OTHERS = ("rounds of all", "slides back", "crossings", "free stretches", "ahead", "loose cells", "loose vehicles")


def told(state, *words):
    game, names = state.game, list(state.game.queries)
    return [game.function("query")(state.thaw(), 0, names.index(word), 0) for word in words]


# ---- A second implementation ----------------------------------------------------------------------------------------


class Park:
    """Vehicles as lists of cells, from the left or from above; the red car is called X."""

    def __init__(self, text, begun, size):
        self.size = size
        self.vehicles = {letter: self.cells(text, letter) for letter in sorted(set(text) - {"."})}
        self.first = {letter: self.cells(begun, letter) for letter in self.vehicles}
        self.owner = {cell: letter for letter, cells in self.vehicles.items() for cell in cells}

    def cells(self, text, letter):
        return [divmod(k, self.size) for k, one in enumerate(text) if one == letter]

    def shifted(self, letter, far):
        """Return the cells of a vehicle that has gone so far, or None beside the board."""
        (row, _), (row2, _) = self.vehicles[letter][:2]
        rows, columns = (0, far) if row == row2 else (far, 0)
        found = [(r + rows, c + columns) for r, c in self.vehicles[letter]]
        return found if all(0 <= x < self.size for cell in found for x in cell) else None

    def ways(self, cell):
        """Yield how a vehicle can leave a cell: how far, what it leaves, what it sweeps."""
        letter = self.owner[cell]
        own = self.vehicles[letter]
        for far in (own.index(cell) - len(own), own.index(cell) + 1):
            if self.shifted(letter, far):
                swept = [c for k in range(1, abs(far) + 1) for c in self.shifted(letter, k if far > 0 else -k)]
                yield far, set(own[far:] if far < 0 else own[:far]), set(swept) - set(own)

    def rounds(self):
        """Return the round in which each covered cell can be left first."""
        found = {}
        while True:
            shut = set(self.owner) - set(found)
            free = {cell for cell in shut if any(not swept & shut for _, _, swept in self.ways(cell))}
            if not free:
                return found
            found |= dict.fromkeys(free, 1 + max(found.values(), default=0))

    def plan(self, back):
        """Return how far each vehicle goes each way, and the cells that are wanted."""
        row, _ = self.vehicles["X"][0]
        way = {(row, column) for column in range(self.vehicles["X"][-1][1] + 1, self.size)}
        far, gone = {}, set()
        if back:
            way = set()
            for letter, cells in self.vehicles.items():
                step = sum(self.first[letter][0]) - sum(cells[0])
                if step:
                    far[letter, step > 0] = min(abs(step), len(cells))
                    gone |= set(cells[:step] if step > 0 else cells[step:])
                    path = {c for k in range(1, abs(step) + 1) for c in self.shifted(letter, k if step > 0 else -k)}
                    way |= path - set(cells)
        want, rounds = way & set(self.owner), self.rounds()
        if any(cell not in rounds for cell in want):
            return None
        for number in range(max((rounds[cell] for cell in want), default=0), 0, -1):
            for cell in sorted(self.owner):
                if rounds.get(cell) != number or cell not in want or cell in gone:
                    continue
                shut = {c for c in self.owner if c not in rounds or rounds[c] >= number}
                open_ways = [w for w in self.ways(cell) if not w[2] & shut]
                step, left, swept = min(open_ways, key=lambda w: (len(w[2] & set(self.owner) - want), w[0] > 0))
                far[self.owner[cell], step > 0] = max(abs(step), far.get((self.owner[cell], step > 0), 0))
                gone |= left
                want |= swept & set(self.owner)
        return far, want, set() if back else way

    def relaxed(self):
        """Return what OURS say."""
        out, back = self.plan(False), self.plan(True)
        if out is None or back is None:
            return None
        far, want, way = out
        crossed, once = set(), way
        for letter in self.vehicles:
            path = set()
            for behind in (False, True):
                for k in range(1, far.get((letter, behind), 0) + 1):
                    path |= set(self.shifted(letter, k if behind else -k))
            path -= set(self.vehicles[letter])
            crossed |= once & path
            once = once | path
        return [len(far), sum(far.values()), len(want), len(crossed), len(back[0])]

    def others(self):
        """Return what OTHERS say."""
        elsewhere = {letter for letter in self.vehicles if self.vehicles[letter] != self.first[letter]}
        still, crossings = set(), 0
        for letter in elsewhere:
            ends = sorted(self.vehicles[letter] + self.first[letter])
            (row, column), (row2, column2) = ends[0], ends[-1]
            for cell in [(r, c) for r in range(row, row2 + 1) for c in range(column, column2 + 1)]:
                other = self.owner.get(cell, letter)
                if other != letter:
                    crossings += other in elsewhere
                    still |= {other} - elsewhere
        lines = ["".join(".#"[(r, c) in self.owner] for c in range(self.size)) for r in range(self.size)]
        lines += ["".join(column) for column in zip(*lines, strict=True)]
        runs = [len(run) for line in lines for run in line.split("#")]
        ahead = self.size - 1 - self.vehicles["X"][-1][1]
        stretches = sum(n * (n + 1) // 2 for n in runs)
        loose = {cell for cell, number in self.rounds().items() if number == 1}
        back = len(elsewhere) + 2 * len(still)
        vehicles = {self.owner[cell] for cell in loose}
        return [sum(self.rounds().values()), back, crossings, stretches, ahead, len(loose), len(vehicles)]


def walks(rng, steps=25):
    """Yield positions along random games, and where they began."""
    for text, starts in (("parking", ("#3", "#12", "#26", "#40")), ("parking:size=8", (None, LARGE))):
        game = load(text)
        for start in starts:
            state = first = game.position(start) if start else game.start()
            for _ in range(steps):
                yield state, first
                if state.over:
                    break
                state = state.play(rng.choice(list(state.moves())))


LARGE = "AABBDDK.HH..GCK.IIJJGCK..FXXGC.LEF.MMNNLEO.....LPOQQQRRRPOSSTTUU"


def test_relaxed_plans_are_those_of_a_second_implementation():
    for state, first in walks(random.Random(7)):
        size = int(len(state.write().split()[0]) ** 0.5)
        park = Park(state.write().split()[0], first.write().split()[0], size)
        assert told(state, *OURS) == park.relaxed(), state.write()
        assert told(state, *OTHERS) == park.others(), state.write()


# ---- By hand --------------------------------------------------------------------------------------------------------


def test_a_relaxed_plan_counts_what_must_make_way_for_what_is_in_the_way():
    game = load("parking")
    assert told(game.position("............XX......................"), *OURS) == [0, 0, 0, 0, 0]
    one = game.position("....A.....A.XX..A...................")  # a truck that goes three down: its own three cells
    assert told(one, *OURS) == [1, 3, 1, 0, 0]
    held = game.position("....A.....A.XX..A...........BB......")  # and a car that leaves two cells to the left for it
    assert told(held, *OURS) == [2, 5, 2, 0, 0]
    shut = game.position(".....A.....AXX...B.....B.....C.....C")  # nobody in the last column can ever move
    assert told(shut, *OURS)[:4] == [60, 60, 60, 60]


def test_slides_back_are_a_true_lower_bound_of_the_slides_that_were_made():
    rng, game = random.Random(2), load("parking")
    for card in (5, 17, 33):
        state = game.position(f"#{card}")
        for played in range(20):
            assert told(state, "slides back") <= [played]
            assert told(state, "slides back") >= told(state, "vehicles gone")
            state = state.play(rng.choice(list(state.moves())))


def test_words_of_relaxed_plans_mean_the_same_in_every_mode():
    game = load("parking")
    for mode, search in (("order", IterativeDeepening), ("ida", IDAStar)):
        policy = brain(hand_made(True, total(tuned_sum(mode)), True))
        solver = search(nodes=150, increment=20, order="estimate").with_brain(policy)
        for card in (2, 26):
            found = [solver.solve(game, game.position(f"#{card}"), mode=how) for how in MODES]
            assert len({(one.nodes, one.plan, one.status) for one in found}) == 1


# ---- The language ---------------------------------------------------------------------------------------------------


def test_languages_without_relaxed_plans_are_what_they_were():
    assert conditions() is CONDITIONS
    assert {one.name for one in conditions(True).primitives} < {one.name for one in conditions(True, True).primitives}
    with pytest.raises(BadParameter, match="RelaxedSlides"):
        read(formulas(True), "RelaxedSlides")


@pytest.mark.parametrize(("mode", "recalls"), [("ida", False), ("order", False), ("order", True)])
def test_a_tuned_sum_is_a_policy(mode, recalls):
    policy = hand_made(True, total(tuned_sum(mode, recalls)), True, recalls)
    assert len(policy.rules) == 5 and all(rule[1][0].depth <= 6 for rule in policy.rules)
