"""Carcassonne against counts from the literature, a second engine, and its own laws.

The figures called published are those of F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), chapter 4, or
counted by an independent throw-away engine when the thesis was studied.
"""

import random
import statistics
import xml.etree.ElementTree as ElementTree
from collections import Counter
from itertools import pairwise

import pytest

from ludwin import CHANCE, agent, check, load
from ludwin.arena.contest import table
from ludwin.errors import BadParameter, BadPosition, IllegalMove
from ludwin.games.carcassonne.tiles import (
    BASE_COPIES,
    KINDS,
    LETTERS,
    SINGLE_COPIES,
    TURNS,
    as_printed,
    maximum,
    totals,
    turned,
)
from ludwin.kernel.specialise import specialise
from ludwin.primitives import stream
from ludwin.search.playout import PLAYOUTS

BASE = load("carcassonne")
SOLO = {
    f"{m},{kind[0]}": load("carcassonne", players=1, tiles=24, meeples=m, order=order)
    for m in (1, 3)
    for kind, order in (("d", "fixed"), ("s", "random"))
}
TEXTS = [
    game.text
    for game in (
        BASE,
        *SOLO.values(),
        load("carcassonne", reward="win"),
        load("carcassonne", tiles=24, meeples=2, order="fixed"),
    )
]


def scores(state):
    """Return what every player would have if the game ended now."""
    return [state.game.module.virtual(state.thaw(), p) for p in range(state.game.players)]


def counts(state):
    """Return the number of moves for every kind that nature may draw and that fits."""
    after = {state.name(draw): state.play(draw) for draw in state.moves()}
    return {kind: len(drawn.moves()) for kind, drawn in after.items() if drawn.mover != CHANCE}


def walk(game, seed):
    """Yield the states of a random game, the last one included; nature draws by weight."""
    rng = random.Random(seed)
    state = game.start()
    while True:
        yield state
        if state.over:
            return
        legal = state.moves()
        move = (
            rng.choices(legal, [state.weights()[m] for m in legal])[0] if state.mover == CHANCE else rng.choice(legal)
        )
        state = state.play(move)


def final_states(game, number, seed, start=None):
    """Return the ends of random games, played by compiled code."""
    run = specialise(game, PLAYOUTS, "fast")
    w = run.bundle(states=2)
    run.put(w.states, 0, start or game.start())
    w.rng[0] = stream(seed)
    ends = []
    for _ in range(number):
        run(w, 1)
        ends.append(run.get(w.states, 1))
    return ends


# Tiles.


def test_tile_set_has_the_published_totals():
    assert sum(BASE_COPIES) == 72 and len(KINDS) == sum(SINGLE_COPIES) == 24
    cities, roads, _, cloisters = totals(BASE_COPIES)
    assert (cities, roads, cloisters) == (49, 62, 6)
    assert sum(kind.copies for kind in KINDS if kind.shield) == 10
    stack = {kind: kind.copies - (kind.letter == "D") for kind in KINDS}
    assert sum(stack.values()) == 71 and sum(n for kind, n in stack.items() if kind.farms) == 70
    assert sum(n for kind, n in stack.items() if 1 in map(len, kind.cities)) == 22  # these can close the start city


def test_edges_ports_and_farms_of_every_tile_agree():
    for kind in KINDS:
        ports = [port for _, leads in kind.segments() for port in leads]
        assert len(ports) == len(set(ports))
        for side, sort in enumerate(kind.edges):
            behind = {port: code // 64 for code, leads in kind.segments() for port in leads}
            assert behind.get(side) == {"C": 0, "R": 1, "F": None}[sort]
            assert (behind.get(4 + 2 * side), behind.get(5 + 2 * side)) == ((None, None) if sort == "C" else (2, 2))


def test_tiles_that_look_alike_after_a_turn_have_fewer_turns():
    few = {letter: turns for letter, turns in zip(LETTERS, TURNS, strict=True) if turns < 4}
    assert few == {"B": 1, "C": 1, "X": 1, "F": 2, "G": 2, "H": 2, "U": 2}
    assert turned(3, 1) == 0 and turned(4 + 7, 1) == 4 + 1 and all(turned(port, 4) == port for port in range(12))


def test_greatest_scores_are_the_published_ones():
    assert maximum(BASE_COPIES, 7, False) == 570  # corners only, as the formula says
    assert maximum(BASE_COPIES, 7, True) == 591  # straight cities counted as corners
    assert maximum(as_printed(BASE_COPIES), 7, True) == 593  # and O and P exchanged: as printed
    assert [maximum(SINGLE_COPIES, m, through) for m in (3, 1) for through in (True, False)] == [135, 135, 105, 105]
    assert [game.module.MAXIMUM for game in (BASE, SOLO["3,s"], SOLO["1,d"])] == [593, 135, 105]


# Where tiles may go: published counts of positions.


def test_positions_after_the_first_turn_are_as_many_as_published():
    found = counts(BASE.start())
    text = "A20 B3 C2 D30 E12 F8 G8 H8 I16 J30 K30 L56 M12 N12 O30 P30 Q12 R12 S25 T25 U12 V24 W49 X18"
    assert " ".join(f"{kind}{n}" for kind, n in found.items()) == text
    assert sum(found.values()) == 484
    others = [n for kind, n in found.items() if kind != "C"]
    assert (sum(others), round(statistics.mean(others), 3), round(statistics.stdev(others), 3)) == (482, 20.957, 13.155)
    alone = counts(SOLO["3,s"].start())
    assert "D" not in alone and sum(n for kind, n in alone.items() if kind != "C") == 452


@pytest.mark.parametrize(
    ("first", "number", "mean", "deviation"), [("E0,1r180+city-s", 644, 28, 16.492), ("C0,1r0", 734, 31.913, 17.231)]
)
def test_positions_after_the_second_turn_are_as_many_as_published(first, number, mean, deviation):
    found = counts(BASE.position(f"D {first}"))
    assert "C" not in found and len(found) == 23
    assert (
        sum(found.values()),
        round(statistics.mean(found.values()), 3),
        round(statistics.stdev(found.values()), 3),
    ) == (number, mean, deviation)


# A second engine, written for its simplicity: the table as a dictionary, features found by walking, nothing remembered.


class Plain:
    """A table of tiles and men that recomputes everything."""

    def __init__(self, players, meeples):
        self.tiles = {(0, 0): (LETTERS.index("D"), 0)}
        self.men = {}
        self.score = [0] * players
        self.hand = [meeples] * players

    def segments(self, place):
        kind, turns = self.tiles[place]
        return [(code // 64, {turned(port, turns) for port in ports}) for code, ports in KINDS[kind].segments()]

    def beside(self, place, port):
        """Return the cell and the port on the other side of a port."""
        side = port if port < 4 else (port - 4) // 2
        x, y = place
        dx, dy = ((0, 1), (1, 0), (0, -1), (-1, 0))[side]
        facing = (side + 2) % 4
        return (x + dx, y + dy), facing if port < 4 else 4 + 2 * facing + 1 - port % 2

    def feature(self, place, segment):
        """Return all (cell, segment) of a feature, and the number of its open ends."""
        seen, todo, ends = {(place, segment)}, [(place, segment)], 0
        while todo:
            here, j = todo.pop()
            for port in self.segments(here)[j][1]:
                there, facing = self.beside(here, port)
                if there not in self.tiles:
                    ends += 1
                    continue
                k = next(k for k, (_, ports) in enumerate(self.segments(there)) if facing in ports)
                if (there, k) not in seen:
                    seen.add((there, k))
                    todo.append((there, k))
        return frozenset(seen), ends

    def around(self, place):
        x, y = place
        return sum((x + dx, y + dy) in self.tiles for dx in (-1, 0, 1) for dy in (-1, 0, 1)) - 1

    def points(self, place, segment, ending):
        """Return the points that a feature has now: complete, or at the end of the game; None if it has none yet."""
        sort = self.segments(place)[segment][0]
        parts, ends = self.feature(place, segment)
        tiles = {cell for cell, _ in parts}
        if sort == 3:
            return 1 + self.around(place) if ending or self.around(place) == 8 else None
        if sort == 2:
            return 3 * len(self.cities_beside(parts)) if ending else None
        if ends and not ending:
            return None
        shields = sum(KINDS[self.tiles[cell][0]].shield for cell, _ in parts) if sort == 0 else 0
        return (len(tiles) + shields) * (2 if sort == 0 and not ends else 1)

    def cities_beside(self, parts):
        found = set()
        for cell, j in parts:
            kind = KINDS[self.tiles[cell][0]]
            for city in kind.borders[j - len(kind.cities) - len(kind.roads)]:
                whole, ends = self.feature(cell, city)
                if not ends:
                    found.add(whole)
        return found

    def lay(self, place, kind, turns, segment, player):
        self.tiles[place] = (kind, turns)
        if segment is not None:
            self.men[place, segment] = player
            self.hand[player] -= 1
        self.award(False)

    def award(self, ending):
        """Score what can be scored, and send its men home."""
        while True:
            ready = [spot for spot in self.men if self.points(*spot, ending) is not None]
            if not ready:
                return
            parts, _ = self.feature(*ready[0])
            here = [spot for spot in self.men if spot in parts]
            owners = Counter(self.men[spot] for spot in here)
            for player, number in owners.items():
                if number == max(owners.values()):
                    self.score[player] += self.points(*ready[0], ending)
            for spot in here:
                self.hand[self.men.pop(spot)] += 1

    def virtual(self):
        """Return the scores if the game ended now."""
        other = Plain(len(self.score), 0)
        other.tiles, other.men, other.score = dict(self.tiles), dict(self.men), list(self.score)
        other.award(True)
        return other.score

    def fits(self, place, kind, turns):
        edges = {(side + turns) % 4: KINDS[kind].edges[side] for side in range(4)}
        sides = [(side, self.beside(place, side)[0]) for side in range(4)]
        beside = [(side, self.tiles[cell]) for side, cell in sides if cell in self.tiles]
        return all(KINDS[k].edges[(side + 2 - t) % 4] == edges[side] for side, (k, t) in beside)

    def legal(self, kind, player):
        """Return every (cell, turns, segment or None), one for each picture that a turned tile makes."""
        cells = {self.beside(place, side)[0] for place in self.tiles for side in range(4)} - set(self.tiles)
        found = set()
        for cell in cells:
            pictures = set()
            for turns in range(4):
                picture = frozenset(
                    (code // 64, frozenset(turned(port, turns) for port in ports))
                    for code, ports in KINDS[kind].segments()
                )
                if picture in pictures or not self.fits(cell, kind, turns):
                    continue
                pictures.add(picture)
                found.add((cell, turns, None))
                self.tiles[cell] = (kind, turns)
                for j in range(len(KINDS[kind].segments()) if self.hand[player] else 0):
                    if not self.feature(cell, j)[0] & set(self.men):
                        found.add((cell, turns, j))
                del self.tiles[cell]
        return found


def compare(game, seed, legal=True):
    """Play a random game on both engines and compare moves, scores and men after every turn."""
    plain = Plain(game.players, game.module.MEEPLES)
    states = list(walk(game, seed))
    for before, after in pairwise(states):
        if before.mover == CHANCE:
            continue
        s = before.thaw()
        kind = s.hand - 1
        if legal:
            named = {before.name(move): move for move in before.moves()}
            theirs = {f"{x},{y}r{90 * turns}": j for (x, y), turns, j in plain.legal(kind, s.turn) if j is None}
            assert {name for name in named if "+" not in name} == set(theirs)
            spots = Counter(name.partition("+")[0] for name in named)
            assert spots == Counter(f"{x},{y}r{90 * turns}" for (x, y), turns, _ in plain.legal(kind, s.turn))
        k, turns, option, x, y = game.module.laid(after.thaw())[-1]
        assert k == kind
        plain.lay((x, y), kind, turns, option - 1 if option else None, s.turn)
        assert scores(after) == plain.virtual()
        assert [game.module.score(after.thaw(), 1 - p, p) for p in range(game.players)] == plain.score
        assert list(after.meeples[: game.players]) == plain.hand
        placed = {(game.module.laid(after.thaw())[t][3:], j): p for t, j, p in game.module.standing(after.thaw())}
        assert placed == plain.men
    return states[-1], plain


@pytest.mark.parametrize("text", ["carcassonne", *(SOLO[name].text for name in ("3,s", "1,d"))])
def test_a_second_engine_agrees_on_moves_scores_and_men(text):
    for seed in range(2):
        state, plain = compare(load(text), seed)
        plain.award(True)
        assert scores(state) == plain.score


@pytest.mark.slow
def test_a_second_engine_agrees_on_many_games():
    for seed in range(110, 131):
        compare(BASE, seed, legal=seed % 10 == 0)
        compare(load("carcassonne", players=2, tiles=24, meeples=2, order="fixed"), seed, legal=seed % 10 == 0)


@pytest.mark.slow
def test_virtual_scores_are_final_scores_at_the_end_of_a_thousand_games():
    for game, number in ((SOLO["3,s"], 900), (BASE, 100)):
        for end in final_states(game, number, 12):
            plain, rules = Plain(game.players, game.module.MEEPLES), game.module
            for t, (kind, turns, option, x, y) in enumerate(rules.laid(end.thaw())[1:]):
                plain.lay((x, y), kind, turns, option - 1 if option else None, t % game.players)
            plain.award(True)
            assert scores(end) == plain.score
            lead = plain.score[0] - sum(plain.score[1:])
            assert end.payoff(0) == pytest.approx(lead / rules.MAXIMUM, abs=1e-12)


# Scoring, on small tables.


def played(*words, game=BASE):
    return game.position(" ".join(["D", *words]))


def test_two_caps_make_a_city_of_four_points_and_the_man_comes_home():
    state = played("E0,1r180+city-s")
    assert scores(state) == [4, 0] and state.points[0] == 4 and state.meeples == (7, 7)


def test_a_shield_counts_like_a_tile():
    # a cap, a straight city with a shield, a cap
    state = played("F0,1r90+city-n")
    assert scores(state) == [3, 0] and state.points[0] == 0  # two tiles and a shield, open
    state = played("F0,1r90+city-n", "E0,2r180")
    assert scores(state) == [8, 0] and state.points[0] == 8 and state.meeples == (7, 7)


def test_a_cloister_counts_the_tiles_around_it():
    ring = ["B0,-1r0+cloister", "E1,-1r90", "E-1,-1r270", "B0,-2r0", "E1,-2r90", "E-1,-2r270", "U1,0r90", "U-1,0r90"]
    assert [scores(played(*ring[:n]))[0] for n in (1, 3, 6, 7)] == [2, 4, 7, 8]
    full = played(*ring)
    assert scores(full) == [9, 0] and full.points[3] == 9 and full.meeples == (7, 7)


def test_a_cloister_laid_into_a_hole_scores_at_once():
    ring = ["U1,0r90", "U-1,0r90", "E1,-1r90", "E-1,-1r270", "E1,-2r90", "E-1,-2r270", "B0,-2r0"]
    state = played(*ring, "B0,-1r0+cloister")
    assert scores(state) == [0, 9] and state.points[7] == 9 and state.meeples == (7, 7)


def test_a_road_counts_its_tiles():
    assert scores(played("U1,0r90+road-e")) == [2, 0]
    assert scores(played("U1,0r90+road-e", "A2,0r90", "A-1,0r270")) == [4, 0]
    assert played("U1,0r90+road-e", "A2,0r90", "A-1,0r270").points[1] == 4
    assert scores(played("A1,0r90+road-w", "A-1,0r270")) == [3, 0]


def test_a_crossing_that_a_road_leaves_and_enters_counts_once():
    # from the crossing at 1,0 east round a block and back to its south: five tiles, the crossing twice
    loop = ["W1,0r0+road-e", "V2,0r0", "V2,-1r90", "V1,-1r180"]
    state = played(*loop)
    assert scores(state) == [4, 0] and state.points[1] == 4
    assert state.meeples == (7, 7)


def test_a_tile_with_two_edges_in_one_city_counts_once():
    # four tiles round a corner; both city edges of I, which do not meet on the tile, lie in it
    ring = ["I0,-1r0+city-s", "N0,-2r0", "N-1,-2r90", "N-1,-1r180"]
    assert scores(played(*ring[:3])) == [3, 0]
    assert played(*ring).points[0] == 8 and scores(played(*ring)) == [8, 0]


def test_a_farm_has_three_points_for_each_complete_city():
    words = ["E0,1r180", "U1,0r90+farm-nnw", "E1,1r0", "E1,2r180"]
    assert [scores(played(*words[:n]))[1] for n in (2, 3, 4)] == [3, 3, 6]
    assert played(*words).meeples == (7, 6) and sum(played(*words).points) == 0


def test_equal_men_all_get_the_points():
    state = played("U1,0r90", "E1,1r270+city-w", "U-1,0r90", "U2,0r90", "E-1,1r90+city-e", "R0,1r180")
    assert scores(state) == [8, 8] and state.meeples == (7, 7)


def test_most_men_get_the_points_alone():
    words = ["U1,0r90", "E1,1r270+city-w", "U-1,0r90", "B1,2r0", "E-1,1r90+city-e", "U2,0r90", "E0,2r180+city-s"]
    assert played(*words).meeples == (5, 6)
    state = played(*words, "C0,1r0")  # five tiles and a shield
    assert scores(state) == [12, 0] and state.meeples == (7, 7)


def test_nobody_claims_what_is_claimed():
    state = BASE.position("D U1,0r90+road-e !U")
    names = [state.name(move) for move in state.moves()]
    assert "2,0r90" in names and "2,0r90+road-e" not in names and "-1,0r90+road-e" not in names
    assert "2,0r90+farm-nnw" in names


def test_a_farm_that_the_tile_itself_joins_with_a_taken_one_is_taken():
    # the farm in the bend of O touches that of the cloister above, which the other farm of O joins with the claimed one
    # below the start tile
    state = BASE.position("D Q0,-1r180+farm-nnw E0,1r180 A-1,1r0+cloister W-1,2r180 !O")
    names = [state.name(move) for move in state.moves()]
    assert [name for name in names if name.startswith("-1,0r270")] == ["-1,0r270", "-1,0r270+city-s", "-1,0r270+road-n"]


# Chance.


def test_nature_draws_by_the_copies_left():
    assert BASE.start().weights() == {k: float(n - (LETTERS[k] == "D")) for k, n in enumerate(BASE_COPIES)}
    assert BASE.position("D V1,0r90").weights()[LETTERS.index("V")] == 8


def test_a_tile_that_fits_nowhere_leaves_the_game():
    state = BASE.position("D E0,1r180")  # no open city, so the tile with four city edges cannot be laid
    after = state.play("C")
    assert after.mover == CHANCE and "C" not in after.weights() and sum(after.bag) == 69
    assert after.write() == "D E0,1r180 -C" and "C" in state.show().splitlines()[-1]
    assert LETTERS.index("C") not in after.moves()


def test_a_fixed_order_is_dealt_first_and_tiles_that_fit_nowhere_are_passed_over():
    game = SOLO["1,d"]
    state = game.start()
    for letter in "ECABFGHIJKLMNOPQRSTUVWX":
        assert state.mover == CHANCE
        state = state.play(letter)
    assert state.mover == 0 and state.hand == 1 + LETTERS.index("E")
    assert state.play("0,1r180").hand == 1 + LETTERS.index("A")  # C is passed over
    assert state.play("0,-1r90").hand == 1 + LETTERS.index("C")  # here the start city is open


def test_rewards_are_shares_of_the_greatest_score():
    (end,) = [state for state in walk(BASE, 3) if state.over]
    first, second = scores(end)
    assert end.payoffs() == ((first - second) / 593, (second - first) / 593)
    won = load("carcassonne", reward="win").position(end.write())
    assert won.payoffs() == ((1, -1) if first > second else (-1, 1) if first < second else (0, 0))
    (alone,) = [state for state in walk(SOLO["3,s"], 3) if state.over]
    assert alone.payoffs() == (scores(alone)[0] / 135,)
    assert SOLO["3,s"].payoff_sum is None and BASE.payoff_sum == 0


# Laws.


def test_nothing_is_lost():
    """Tiles and meeples are conserved in every position, and the frontier is what lies beside tiles."""
    for game, seed in ((BASE, 5), (SOLO["3,s"], 6), (SOLO["1,d"], 7)):
        for state in walk(game, seed):
            conserve(state)


def conserve(state):
    rules, s = state.game.module, state.thaw()
    tiles = rules.laid(s)
    where = {(x, y) for *_, x, y in tiles}
    assert len(where) == s.placed
    assert s.slots == len({(x + dx, y + dy) for x, y in where for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))} - where)
    men = Counter(player for _, _, player in rules.standing(s))
    assert all(s.meeples[p] + men[p] == rules.MEEPLES for p in range(rules.PLAYERS))
    if not rules.FIXED:
        assert s.placed + sum(s.bag) + len(state.game.part("notation")._discarded(s)) + (s.hand > 0) == rules.TILES
    laid = Counter(kind for kind, *_ in tiles)
    assert all(laid[k] <= n for k, n in enumerate(rules.COPIES))


def test_bounds_of_moves_and_slots_are_never_near():
    ends = final_states(BASE, 200, 8)
    assert max(end.slots for end in ends) <= BASE.module.SLOTS == 146
    assert max(len(state.moves()) for state in walk(BASE, 9)) < BASE.max_moves == 2672


def test_a_line_of_tiles_does_not_meet_itself():
    """Cells are numbered modulo CELLS: nature and player build as long a line eastwards as the tiles allow."""
    state, length = BASE.start(), 1
    while extended := longer(state, length):
        state, length = extended, length + 1
    assert length > BASE.module.WIDE - 10
    assert [tile[3:] for tile in BASE.module.laid(state.thaw())] == [(x, 0) for x in range(length)]
    conserve(state)


def longer(state, x):
    """Return the state with a tile at x, 0, of the kind with most copies left that fits there; None if none fits."""
    for draw in sorted(state.moves(), key=lambda k: -state.bag[k]):
        drawn = state.play(draw)
        for move in drawn.moves() if drawn.mover != CHANCE else []:
            if move >> 6 == x:
                return drawn.play(move)
    return None


def test_keys_tell_histories_apart_and_positions_back_together():
    state = BASE.position("D E0,1r180 !V")
    assert state.key() == BASE.position(state.write()).key()
    after = [
        drawn.play(move)
        for drawn in (BASE.start().play(draw) for draw in BASE.start().moves())
        for move in drawn.moves()
    ]
    assert len({child.key() for child in after}) == len(after) == 484
    assert BASE.position("D E0,1r180 -C").key() != BASE.position("D E0,1r180").key()


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_keeps_the_laws_of_games(text):
    check(load(text), playouts=4, seed=1, searches=text in (BASE.text, SOLO["1,d"].text))


# Random play: published means of 10,000 solo games and 2,000 for two, and what the same number of ours may differ.


@pytest.mark.parametrize(
    ("game", "number", "mean", "tolerance"),
    [("1,s", 10_000, 2.926, 0.15), ("3,s", 10_000, 8.176, 0.2), ("base", 2000, 18.62, 0.7)],
)
def test_random_players_score_what_random_players_score(game, number, mean, tolerance):
    ends = final_states(SOLO.get(game, BASE), number, 1)
    assert statistics.mean(scores(end)[0] for end in ends) == pytest.approx(
        mean, abs=tolerance
    )  # at least 4 standard errors


def test_some_random_games_discard_a_tile():
    """Published: 22.96 of 23 tiles are laid on average."""
    placed = [end.placed - 1 for end in final_states(SOLO["3,s"], 10_000, 2)]
    assert statistics.mean(placed) == pytest.approx(22.96, abs=0.012)
    assert sum(n < 23 for n in placed) / len(placed) == pytest.approx(0.04, abs=0.012)


def uses(state, p):
    """Return how many meeples a player has laid down, and how many of them on farms."""
    mine = state.game.module.laid(state.thaw())[1 + p :: state.game.players]
    sorts = [KINDS[kind].segments()[option - 1][0] // 64 for kind, _, option, *_ in mine if option]
    return len(sorts), sorts.count(2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "number", "used", "farms", "points"),
    [
        ("1,s", 10_000, 1.10, 0.54, (1.81, 0.50, 0.38, 0.24)),
        ("3,s", 10_000, 3.29, 1.59, (4.99, 1.44, 1.02, 0.73)),
        ("base", 4000, 7.71, 3.60, (7.5, 5.0, 3.9, 2.2)),
    ],
)
def test_random_players_use_their_meeples_as_random_players_do(game, number, used, farms, points):
    ends = final_states(SOLO.get(game, BASE), number, 3)
    assert statistics.mean(uses(end, 0)[0] for end in ends) == pytest.approx(used, abs=0.05)
    assert statistics.mean(uses(end, 0)[1] for end in ends) == pytest.approx(farms, abs=0.08)
    found = [
        statistics.mean(column)
        for column in zip(*(end.game.module.breakdown(end.thaw(), 0) for end in ends), strict=True)
    ]
    assert found == pytest.approx(points, abs=0.5 if game == "base" else 0.2)
    assert all(sum(end.game.module.breakdown(end.thaw(), 0)) == scores(end)[0] for end in ends[:200])


@pytest.mark.slow
def test_nothing_is_lost_after_any_move_of_a_thousand_games():
    for game, number in ((SOLO["3,s"], 960), (BASE, 40)):
        for seed in range(number):
            for state in walk(game, 1000 + seed):
                conserve(state)


@pytest.mark.slow
def test_nothing_is_lost_in_ten_thousand_games():
    for game, number in ((BASE, 4000), (SOLO["3,s"], 6000)):
        for end in final_states(game, number, 4):
            conserve(end)


def test_first_meeples_are_worth_most_on_cloisters_then_cities_roads_hands_farms():
    """The landscape after the first turn with three meeples: 20 random games from every position."""
    means = landscape(SOLO["3,s"], 20)
    assert list(means) == sorted(means, key=means.get, reverse=True) == ["cloister", "city", "road", "none", "farm"]
    # published, 20 games from every position, standard errors up to 0.4
    assert means == pytest.approx({"cloister": 11.4, "city": 10.2, "road": 8.3, "none": 7.9, "farm": 6.5}, abs=1.8)


def landscape(game, number):
    """Return the mean score after the first turn, by what the first meeple was used for; best first."""
    totals_ = {use: [] for use in ("cloister", "city", "road", "none", "farm")}
    for draw in game.start().moves():
        state = game.start().play(draw)
        for move in state.moves():
            use = state.name(move).partition("+")[2].partition("-")[0] or "none"
            totals_[use] += [
                game.module.MAXIMUM * end.payoff(0)
                for end in final_states(game, number, stream(draw, move), state.play(move))
            ]
    return {use: statistics.mean(values) for use, values in totals_.items()}


@pytest.mark.slow
def test_first_meeples_on_farms_lose_the_base_game():
    """Published: cloister +7.5 (standard error 2.2), city +1.7, road +1.1, none -0.1, farm -1.2 points of
    difference.
    """
    means = landscape(BASE, 60)
    assert list(means) == sorted(means, key=means.get, reverse=True)
    assert means["farm"] < -0.5 and means["cloister"] > 3


# Searches.


def test_expectimax_of_depth_one_looks_at_every_move_once():
    for state in (BASE.position("D E0,1r180 !W"), SOLO["3,s"].start().play("L")):
        choice = agent("expectimax:depth=1").choose(state.game, state, mode="plain")
        assert choice.kinds == {"inner": 1, "leaves": len(state.moves())}
        best = max(
            scores(state.play(move))[state.turn] - sum(scores(state.play(move))[: state.turn]) for move in state.moves()
        )
        assert state.game.module.MAXIMUM * choice.value == pytest.approx(best, abs=1e-9)


def test_evaluations_are_scores_and_virtual_scores():
    state = played("U1,0r90+road-e", "E0,1r180+city-s")  # an open road for player 0, a city of 4 points for player 1
    s, rules = state.thaw(), BASE.module
    assert [593 * rules.evaluate(s, p) for p in range(2)] == pytest.approx([-2, 2])
    assert [593 * rules.evaluate_score(s, p) for p in range(2)] == pytest.approx([-4, 4])
    assert [593 * rules.evaluate_own(s, p) for p in range(2)] == pytest.approx([2, 4])
    assert [593 * rules.evaluate_own_score(s, p) for p in range(2)] == pytest.approx([0, 4])


def results(game, who, games):
    """Return the scores of an agent in solo games."""
    alone = table(game, [agent(who)])
    return [game.module.MAXIMUM * alone.play(seed).payoffs[0] for seed in range(games)]


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SOLO))
def test_virtual_scores_guide_expectimax_better_than_scores(name):
    """Published gap over 30 games: 14 to 25 points."""
    greedy, wise = (
        statistics.mean(results(SOLO[name], f"expectimax:depth=1{more}", 30)) for more in (",eval=score", "")
    )
    assert wise - greedy >= 8


@pytest.mark.slow
def test_agents_rank_as_published_on_the_solo_game():
    order = ("uct:playouts=1000", "expectimax:depth=1", "expectimax:depth=1,eval=score", "random")
    means = [statistics.mean(results(SOLO["3,d"], who, 10)) for who in order]
    assert means == sorted(means, reverse=True)


def every_draw(state, depth):
    """The oracle: expectimax that follows every draw, tiles that leave the game included."""
    if state.over or depth == 0:
        return state.payoff(0) if state.over else state.evaluate(0)
    if state.mover == CHANCE:
        return sum(state.chance(m) * every_draw(state.play(m), depth) for m in state.moves())
    return max(every_draw(state.play(m), depth - 1) for m in state.moves())


def test_expectimax_draws_again_for_a_tile_that_fits_nowhere():
    start = "D C0,1r0+city-n P1,0r180 R0,2r90 K1,2r270 F-1,2r90 V0,-1r0 U0,-2r0 H1,-1r90 S2,0r270 T0,3r270"
    game = SOLO["1,s"]
    state = game.position(f"{start} L0,-3r180 W1,-3r90 A-2,2r180 N-1,3r180 M-1,1r90 B-1,-2r0 Q2,1r180 O3,0r180 !I")
    lost = {m for move in state.moves() for m in state.play(move).moves() if state.play(move).play(m).mover == CHANCE}
    assert lost  # else this shows nothing
    for who in ("expectimax:depth=2", "star1:depth=2", "star2:depth=2"):
        assert agent(who).choose(game, state, mode="plain").value == pytest.approx(every_draw(state, 2), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["carcassonne", SOLO["3,s"].text, SOLO["3,d"].text])
def test_star_searches_find_expectimax_values(text):
    game = load(text)
    decisions = [state for state in walk(game, 11) if state.mover != CHANCE and not state.over]
    for state in decisions[:: len(decisions) // 5]:
        exact = agent("expectimax:depth=2").choose(game, state)
        for who in ("star1:depth=2", "star2:depth=2", "star2:depth=2,probe=3"):
            choice = agent(who).choose(game, state)
            assert choice.value == pytest.approx(exact.value, abs=1e-12)
            assert choice.move == exact.move
            if who == "star1:depth=2":
                assert choice.kinds["leaves"] <= exact.kinds["leaves"]


# Texts and drawings.


@pytest.mark.parametrize("text", TEXTS)
def test_moves_and_positions_read_back(text):
    game = load(text)
    for number, state in enumerate(walk(game, 12)):
        if number % 7 == 0 or state.over:
            names = [state.name(move) for move in state.moves()]
            assert len(set(names)) == len(names)
            assert [game.function("parse")(state.thaw(), f" {name.upper()} ") for name in names] == state.moves()
            assert game.position(state.write()) == state


def test_a_tile_that_has_left_the_game_may_fit_later():
    state = BASE.position("D E0,1r180").play("C").play("E").play("0,2r0")
    assert BASE.position(state.write()) == state and state.write() == "D E0,1r180 E0,2r0 -C"


def test_a_meeple_is_named_by_any_edge_of_its_feature():
    state = BASE.start().play("U")
    assert state.parse("1,0r90+road-e") == state.parse("U1,0r270+road-w") == state.parse("1,0r90+road-w")
    assert state.parse("1,0r90+farm-nnw") == state.parse("1,0r90+farm-ene")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("D E0,1r0", "cannot be laid so"),
        ("D E5,5r0", "not an empty cell beside a tile"),
        ("D C0,1r0 C0,2r0", "no C left"),
        ("D Z0,1r0", "no tile 'Z'"),
        ("D E0,1r180 -E", "E has not left the game"),
        ("D E0,1r180 -C -C", "no C left"),
        ("D E0,1r180 !C", "cannot be laid here"),
        ("D E0,1r180+road-n", "nothing at road-n"),
        ("D E0,1r45", "a move is x,y"),
        ("E0,1r180", "a position is D"),
    ],
)
def test_refuses_positions_that_cannot_be(text, reason):
    with pytest.raises(BadPosition, match=reason):
        BASE.position(text)


def test_refuses_a_position_that_contradicts_its_order():
    game = SOLO["1,d"]
    with pytest.raises(BadPosition, match="not the tile that the order of the stack gives"):
        game.position("D #ECABFGHIJKLMNOPQRSTUVWX A0,-1r0")
    with pytest.raises(BadPosition, match="no E left"):
        game.position("D #EE")


def test_refuses_moves_with_a_reason():
    with pytest.raises(IllegalMove, match="one of A B C"):
        BASE.start().parse("Z")
    with pytest.raises(IllegalMove, match="a move is x,y"):
        BASE.start().play("E").parse("north")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"players": 3}, "players must be 1 or 2, got 3"),
        ({"tiles": 10}, "tiles must be 72"),
        ({"meeples": 0}, "meeples must be 1 to 20, got 0"),
        ({"order": "sorted"}, "order must be random or fixed"),
        ({"reward": "money"}, "reward must be points or win"),
        ({"players": 1, "reward": "win"}, "needs two players"),
    ],
)
def test_refuses_parameters_that_make_no_game(given, reason):
    with pytest.raises(BadParameter, match=reason):
        load("carcassonne", **given)


def test_the_table_is_drawn_with_tiles_and_men():
    shown = BASE.position("D E0,1r180+farm-nnw !V").show()
    assert (
        shown
        == """\
       0
     .0...
   1 .....
     .###.
     .###.
   0 -----
     .....
player 0: 0 points, 3 if the game ended now, 6 of 7 meeples in hand
player 1: 0 points, 0 if the game ended now, 7 of 7 meeples in hand
player 1 lays V:
r0    r90   r180  r270
..... ..|.. ..|.. .....
--+.. --+.. ..+-- ..+--
..|.. ..... ..... ..|..
69 tiles follow: AABBBBCDDDEEEEFFGHHHIIJJJKKKLLLMMNNNOOPPPQRRRSSTUUUUUUUUVVVVVVVVWWWWX"""
    )


def test_the_svg_has_every_tile_and_every_man():
    state = BASE.position("D E0,1r180+farm-nnw U1,0r90+road-e B0,-1r0+cloister !V")
    drawing = ElementTree.fromstring(state.picture())
    tiles = [group for group in drawing if group.tag.endswith("}g")]
    assert len(tiles) == 4 + 4 and state.picture() == state.picture()  # and the tile in hand, in its four turns
    men = [
        path.get("fill") for group in tiles for path in group if path.tag.endswith("}path") and path.get("transform")
    ]
    assert sorted(men) == ["#1f4fa8", "#c8202c", "#c8202c"]
    assert any((text.text or "").endswith("lays V") for text in drawing if text.tag.endswith("}text"))
    free = {shape.get("data-at") for shape in drawing if shape.get("data-at")}
    assert free == {place for move in state.moves() for place in state.places(move)} and "0,2" in free
