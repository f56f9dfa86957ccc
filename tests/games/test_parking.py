"""Parking: rules, boards in writing, heuristics, the classic cards."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from ludwin import agent, check, load
from ludwin.errors import BadParameter, BadPosition, IllegalMove
from ludwin.games.parking.boards import cards

SLIDES = (8, 8, 14, 9, 9, 9, 13, 12, 12, 17, 25, 17, 16, 17, 23, 21, 24, 25, 22, 10)  # shortest plans of the cards, by
SLIDES += (21, 26, 29, 25, 27, 28, 28, 30, 31, 32, 37, 37, 40, 43, 43, 44, 47, 48, 50, 51)  # two programs of others
STEPS = (16, 14, 33, 22, 18, 18, 21, 22, 17, 32, 56, 33, 32, 34, 32, 41, 47, 60, 44, 18)
STEPS += (49, 46, 49, 50, 52, 49, 57, 51, 54, 55, 69, 62, 77, 71, 75, 63, 65, 77, 82, 81)


# ---- A second implementation, on tuples of places ------------------------------------------------------------------


def vehicles(board, size=6):
    """Return direction, line and length of each vehicle by letter, and their places."""
    found = {}
    for k, letter in enumerate(board):
        if letter != ".":
            found.setdefault(letter, []).append(divmod(k, size))
    still, places = {}, {}
    for letter, cells in found.items():
        across = cells[0][0] == cells[1][0]
        still[letter] = across, cells[0][0] if across else cells[0][1], len(cells)
        places[letter] = cells[0][1] if across else cells[0][0]
    return still, places


def after_one(still, places, size=6):
    """Yield the places after each slide, with the letter and how far it went."""
    taken = set()
    for letter, (across, line, length) in still.items():
        for k in range(length):
            at = places[letter] + k
            taken.add((line, at) if across else (at, line))
    for letter, (across, line, length) in still.items():
        for step in (-1, 1):
            at = places[letter]
            while True:
                at += step
                end = at if step < 0 else at + length - 1
                if not 0 <= end < size or ((line, end) if across else (end, line)) in taken:
                    break
                yield {**places, letter: at}, letter, at - places[letter]


def test_moves_are_those_of_a_second_implementation_along_random_games():
    rng = random.Random(3)
    game = load("parking")
    for card in (1, 13, 40):
        state = game.position(f"#{card}")
        for _ in range(30):
            still, places = vehicles(state.write().split()[0])
            expected = {f"{letter}{far:+d}" for _, letter, far in after_one(still, places)}
            assert {state.name(move) for move in state.moves()} == expected
            state = state.play(rng.choice(state.moves()))


@pytest.mark.parametrize(("cost", "lengths"), [("slides", SLIDES), ("steps", STEPS)])
def test_shortest_plans_of_the_classic_cards_are_as_known(cost, lengths):
    game = load(f"parking:cost={cost}")
    solver = agent("bfs").solving(game)
    assert tuple(len(solver.solve(game.position(f"#{card}")).plan) for card in range(1, 41)) == lengths


ALL_CLAIMING = ("id", "ida", "astar", "id:increment=0", "ida:increment=1", "astar:weight=0")


@pytest.mark.slow
@pytest.mark.parametrize("cost", ["slides", "steps"])
@pytest.mark.parametrize("text", ALL_CLAIMING)
def test_every_search_that_claims_an_optimum_equals_breadth_first_on_all_cards(text, cost):
    game = load(f"parking:cost={cost}")
    solver, lengths = agent(text).solving(game), SLIDES if cost == "slides" else STEPS
    for card in range(1, 41):
        found = solver.solve(game.position(f"#{card}"))
        assert found.optimal and len(found.plan) == lengths[card - 1]


def random_board(rng, size=6):
    """Return a board with a red car and vehicles where there was room."""
    cells = ["."] * (size * size)
    row, column = size // 2 - 1, rng.randrange(size - 2)
    cells[row * size + column] = cells[row * size + column + 1] = "X"
    for letter in "ABCDEFGHIJKL"[: rng.randint(5, 12)]:
        for _ in range(20):
            length, across = rng.choice((2, 2, 3)), rng.random() < 0.5
            line, at = rng.randrange(size), rng.randrange(size - length + 1)
            own = [line * size + at + k if across else (at + k) * size + line for k in range(length)]
            if all(cells[k] == "." for k in own) and not (across and line == row):
                for k in own:
                    cells[k] = letter
                break
    return "".join(cells)


@pytest.mark.parametrize(
    ("cost", "count"),
    [("slides", 30), *(pytest.param(cost, 1000, marks=pytest.mark.slow) for cost in ("slides", "steps"))],
)
def test_searches_agree_with_breadth_first_on_random_boards_solvable_or_not(cost, count):
    rng = random.Random(11)
    game = load(f"parking:cost={cost}")
    texts = ALL_CLAIMING if count > 100 else ("id",)
    bfs, others = agent("bfs").solving(game), [agent(text).solving(game) for text in texts]
    told = set()
    for _ in range(count):
        state = game.position(random_board(rng))
        best = bfs.solve(state)
        told.add(best.status)
        for other in others:
            found = other.solve(state)
            assert (found.status, len(found.plan), found.optimal) == (best.status, len(best.plan), best.optimal)
    assert told == {"solved", "unsolvable"}


def shortest(board, size, cost, left):
    """Return how many moves the second implementation needs by breadth first, or None if it meets no solved board."""
    still, places = vehicles(board, size)
    aim = 0 if left else size - still["X"][2]
    seen, layer, depth = {tuple(places.values())}, [places], 0
    while layer and all(one["X"] != aim for one in layer):
        fresh = {}
        for one in layer:
            for after, _, far in after_one(still, one, size):
                if cost == "slides" or abs(far) == 1:
                    fresh[tuple(after.values())] = after
        layer = [after for mark, after in fresh.items() if mark not in seen]
        seen.update(fresh)
        depth += 1
    return depth if layer else None


CLAIMING = ("bfs", "astar:weight=1", "ida", "id")
CLAIMING_NOTHING = ("astar:weight=3", "best-first")


@pytest.mark.parametrize("count", [8, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("cost", ["slides", "steps"])
def test_claims_are_those_of_a_second_breadth_first_on_random_boards_with_exits_on_both_sides(cost, count):
    rng, told = random.Random(29), set()
    for left in (False, True):
        game = load(f"parking:size=5,cost={cost},exit_side={'left' if left else 'right'}")
        solvers = {text: agent(text).solving(game) for text in CLAIMING + CLAIMING_NOTHING}
        for _ in range(count):
            board = random_board(rng, 5)
            best = shortest(board, 5, cost, left)
            told.add(best is None)
            for text, solver in solvers.items():
                found = solver.solve(game.position(board))
                assert found.status == ("unsolvable" if best is None else "solved"), (text, board)
                if best is not None and text in CLAIMING:
                    assert found.optimal and len(found.plan) == best, (text, board)
                if best:
                    assert text in CLAIMING or (not found.optimal and len(found.plan) >= best), (text, board)
    assert told == {True, False}


@pytest.mark.parametrize("size", [4, 5, 6, 7, 8])
def test_every_size_row_and_side_of_the_exit_has_a_start_that_can_be_solved(size):
    for row in {1, size}:
        for side in ("right", "left"):
            game = load(f"parking:size={size},exit_row={row},exit_side={side}")
            assert agent("bfs").solve(game, game.start(), mode="plain").solved


def test_the_bound_never_says_too_much():
    rng = random.Random(5)
    for text in ("parking", "parking:cost=steps"):
        game = load(text)
        solver = agent("bfs").solving(game)
        for _ in range(60):
            state = game.position(random_board(rng))
            found = solver.solve(state)
            assert not found.solved or game.function("distance")(state.thaw()) <= len(found.plan)


def test_the_hardest_known_board_takes_93_steps_and_49_slides():
    board = "AAABCDEFFBCDE.XXCDGGH....IH.JJ.IKKLL"  # Collette, Raskin and Servais 2006
    for text, length in (("parking:cost=steps", 93), ("parking", 49)):
        game = load(text)
        assert len(agent("bfs").solve(game, game.position(board)).plan) == length


# ---- In writing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AA...O", "a board of 6x6 is 36 characters, got 6"),
        ("X" * 36, "X is not one straight vehicle"),
        (
            "XX..........XX......................",
            "X is not one straight vehicle .*; there is one red car",
        ),
        ("............XX.A....................", "A is not one straight vehicle"),
        ("............XX.AA...A...............", "A is not one straight vehicle"),
        ("XX..................................", "lies in row 3"),
        ("..X.....X...........................", "lies in row 3"),
        ("AA..................................", "there is one red car, X, got none"),
        ("............XX.!!...................", "a letter or a digit"),
        ("0 2 h 2; 3 1 v 3; 3 2 h 2", "vehicles A and B overlap at row 3, column 4"),
        ("0 2 h 2; 5 1 h 3", "A stands beside the board"),
        ("0 2 h 2; 5 1 x 3", "a vehicle is column, row, h or v"),
        ("0 2 h 2; 5 1 v 1", "a length from 2 on"),
        ("#41", "#N is one of the 40 classic cards"),
        ("............XX...................... 9999:0:0:0:0", "behind the board stand moves"),
        ("............XX...................... 3:999:0:0:0", "behind the board stand moves"),
    ],
)
def test_a_board_that_cannot_be_is_refused_in_one_line(text, message):
    with pytest.raises(BadPosition, match=message) as refusal:
        load("parking").position(text)
    assert "\n" not in str(refusal.value)


def test_the_list_of_vehicles_means_the_same_as_the_board():
    game = load("parking")
    listed = game.position("1 2 h 2; 0 0 h 2; 0 4 v 2; 4 4 h 2; 5 0 v 3; 0 1 v 3; 3 1 v 3; 2 5 h 3")
    assert listed.write().translate(str.maketrans("ABCDEFG", "abcdefg")).upper().count("X") == 2
    solver = agent("bfs").solving(game)
    ours, theirs = solver.solve(listed), solver.solve(game.position("#1"))
    assert len(ours.plan) == len(theirs.plan) == 8 and game.position(cards()[0]) == game.position("#1")


def test_the_exit_may_be_on_the_left_and_in_another_row():
    usual, left = load("parking:card=7"), load("parking:card=7,exit_side=left")
    rows = [usual.start().write()[6 * r : 6 * r + 6][::-1] for r in range(6)]
    assert left.start().write() == "".join(rows)
    assert len(agent("bfs").solve(left, left.start(), mode="plain").plan) == SLIDES[6]
    assert left.position("#7") == left.start()
    high = load("parking:exit_row=1,size=5")
    assert agent("bfs").solve(high, high.start(), mode="plain").solved
    with pytest.raises(BadParameter, match="exit_side is right or left"):
        load("parking:exit_side=up")
    with pytest.raises(BadParameter, match="size goes from 4 to 8"):
        load("parking:size=9")
    with pytest.raises(BadParameter, match="cost is slides or steps"):
        load("parking:cost=time")
    for other in ("size=5", "size=8", "exit_row=2"):
        with pytest.raises(BadParameter, match="card=5 is a board of 6x6 with its exit in row 3; leave it out"):
            load(f"parking:card=5,{other}")
        with pytest.raises(BadPosition, match=r"#5.*whose exit is in row 3"):
            load(f"parking:{other}").position("#5")


def test_a_wrong_move_is_told_with_the_reason():
    state = load("parking").position("#3")
    with pytest.raises(IllegalMove, match=r"X cannot go \+1 here"):
        state.parse("X+1")
    assert state.parse(" o -2 ".upper()) == state.parse("O-2")


def test_paint_has_the_letters_of_show():
    import re

    for text in ("parking", "parking:size=8", "parking:exit_side=left"):
        state = load(text).start()
        assert re.sub(r"\x1b\[[0-9;]*m", "", state.paint()) == state.show()


# ---- Heuristics ----------------------------------------------------------------------------------------------------


def ask(board, name, text="parking"):
    game = load(text)
    return game.function(name)(game.position(board).thaw())


def test_blockers_are_counted_with_what_stands_in_their_way():
    free = "............XX......................"
    assert ask(free, "distance_h1") == 1 and ask(free, "distance") == 1
    one = "....A.....A.XX..A..................."  # a truck: it must go three down, and can
    assert ask(one, "distance_h1") == 2
    held = "....A.....A.XX..A...........BB......"  # below it a car is in the way of two of the three cells
    assert ask(held, "distance_h1") == 3 and ask(held, "distance") == 2
    assert ask("................XX..................", "distance_h1") == 0


def test_the_deduced_goal_brings_the_red_car_out_and_the_others_aside():
    board = "....A.....A.XX..A..................."
    assert ask(board, "distance_h2") == 4 + 3  # the red car goes four cells, the truck three
    assert ask(board, "distance_h3") == 4 + 3 + 1  # and the truck stands in the red car's way
    aside = "....A...BBABXX..A..................."
    assert ask(aside[:8] + ".." + aside[10:11] + "." + aside[12:], "distance_h2") == 7


def test_advisors_tell_what_the_last_move_has_done():
    game = load("parking")
    names = list(game.queries)

    def told(state, name):
        return game.function("query")(state.thaw(), 0, names.index(name), 0)

    start = game.position("............XX....A.....A......BB...")  # A in the first column, B in the last row but one
    assert told(start, "secluded") == 0 and told(start, "releasing") == 0
    moved = start.play("A+1")
    # A now covers rows 5 and 6 of its column; B's row is one of them.
    assert told(moved, "secluded") == 0
    corner = game.position("............XX......................").play("X+4")
    assert told(corner, "secluded") == 1
    tight = game.position("AABB..............XX..C.....C.......".replace("X", ".")[:12] + "XX" + "." * 22)
    assert told(tight, "g part") == 0 and told(tight, "phase by blockers") == 0
    later = start.play("A+1").play("B+1")
    assert told(later, "g part") == 2 / 200 and told(later, "phase by blockers") == 2 / 3
    assert told(later, "siblings part") == min(1, len(moved.moves()) / 40)


def test_what_is_asked_beyond_the_book_is_where_vehicles_stood_at_first():
    game = load("parking")
    names = list(game.queries)

    def told(state, *words):
        return [game.function("query")(state.thaw(), 0, names.index(word), 0) for word in words]

    start = game.position("............XX....A.....A......BB...")
    assert told(start, "cells gone", "vehicles gone", "in the way") == [0, 0, 1]
    later = start.play("X+2").play("A+1").play("X-1")
    assert told(later, "cells gone", "vehicles gone", "moves") == [2, 2, len(later.moves())]
    again = game.position(later.write())  # a position in writing knows it, too
    assert again == later and told(again, "cells gone part") == [2 / 40]
    assert told(again.play("X-1").play("A-1"), "cells gone") == [0]
    words = later.write().split(":")
    assert told(game.position(":".join(words[:5])), "cells gone") == [0]  # without first places it begins where it is
    for wrong in ([*words[:-2], "f", "0"], [*words, "0"], words[:-1]):
        with pytest.raises(BadPosition, match="first places"):
            game.position(":".join(wrong))


@pytest.fixture(scope="module")
def orders(tmp_path_factory):
    """What iterative deepening needs by the second implementation, `oracles/orders.cpp`: blind, floor, by the truth."""
    if not shutil.which("g++"):
        pytest.skip("the second implementation needs g++")
    program = tmp_path_factory.mktemp("orders") / "orders"
    source = Path(__file__).parent / "oracles" / "orders.cpp"
    subprocess.run(["g++", "-O1", "-std=c++17", "-o", str(program), str(source)], check=True)

    def told(boards, increment):
        command = [str(program), str(increment)]
        lines = subprocess.run(command, input="\n".join(boards), capture_output=True, text=True, check=True).stdout
        return [tuple(map(int, line.split())) for line in lines.splitlines()]

    return told


@pytest.mark.parametrize("increment", [5, 20, 60])
def test_nodes_of_iterative_deepening_are_those_of_a_second_implementation_and_no_order_goes_below_the_floor(
    orders, increment
):
    game = load("parking")
    boards = cards()[:12]
    known = orders(boards, increment)
    assert [agent(f"id:increment={increment}").solve(game, game.position(b)).nodes for b in boards] == [
        blind for blind, _, _ in known
    ]
    search = agent(f"id:increment={increment},order=estimate,eval=ha").solving(game)
    for board, (_, floor, by_truth) in zip(boards, known, strict=True):
        assert floor <= search.solve(game.position(board)).nodes and floor <= by_truth


def relaxed_cost(board, size, red_line_end):
    """Return the least fixed point of h-max: a place costs one more than the dearest cell on the way to it, a cell the
    cheapest place at which its vehicle does not cover it.
    """
    still, places = vehicles(board, size)
    covers = {
        letter: {
            at: {((line, at + k) if across else (at + k, line)) for k in range(length)}
            for at in range(size - length + 1)
        }
        for letter, (across, line, length) in still.items()
    }
    owner = {cell: letter for letter in still for cell in covers[letter][places[letter]]}
    cost = {letter: {at: 0 if at == places[letter] else 10**6 for at in covers[letter]} for letter in still}
    changed = True
    while changed:
        changed = False
        for letter in still:
            for at in covers[letter]:
                low, high = sorted((at, places[letter]))
                swept = set().union(*(covers[letter][k] for k in range(low, high + 1))) - covers[letter][places[letter]]
                dearest = max(
                    (
                        min((c for q, c in cost[owner[cell]].items() if cell not in covers[owner[cell]][q]), default=1)
                        for cell in swept
                        if cell in owner
                    ),
                    default=0,
                )
                if swept and dearest + 1 < cost[letter][at]:
                    cost[letter][at] = dearest + 1
                    changed = True
    return cost["X"][red_line_end]


def test_layers_are_the_fixed_point_of_the_relaxed_puzzle_and_a_true_lower_bound():
    rng = random.Random(5)
    for text, size, end in (("parking", 6, 4), ("parking:exit_side=left", 6, 0), ("parking:size=8", 8, 6)):
        game = load(text)
        layers, bfs = game.function("distance_hl"), agent("bfs:nodes=200000").solving(game)
        starts = [f"#{card}" for card in (3, 12, 21, 40)] if size == 6 else [None]
        for start in starts:
            state = game.position(start) if start else game.start()
            for _ in range(12):
                if state.over:
                    break
                told = layers(state.thaw())
                assert told == relaxed_cost(state.write().split()[0], size, end)
                found = bfs.solve(state)
                assert not found.solved or told <= len(found.plan)
                state = state.play(rng.choice(list(state.moves())))
    column = load("parking").position(".....A.....AXX...B.....B.....C.....C")  # full: nobody in it can ever move
    assert load("parking").function("distance_hl")(column.thaw()) == 60


def test_releasing_means_that_more_vehicles_can_move_than_before():
    rng, game, seen = random.Random(8), load("parking"), set()
    k = list(game.queries).index("releasing")
    state = game.position("#20")
    for _ in range(60):
        before = {state.name(m)[0] for m in state.moves()}
        state = state.play(rng.choice(state.moves()))
        if not state.moves():
            break
        after = {state.name(m)[0] for m in state.moves()}
        told = game.function("query")(state.thaw(), 0, k, 0)
        assert told == (len(after) > len(before))
        seen.add(told)
    assert seen == {0.0, 1.0}


def test_a_small_board_keeps_the_laws_of_games():
    check(load("parking:size=5"), playouts=10, seed=0, searches=False)


@pytest.mark.slow
def test_other_boards_keep_the_laws_of_games():
    for text in ("parking", "parking:size=8", "parking:cost=steps", "parking:exit_side=left", "parking:size=4"):
        check(load(text), playouts=10, seed=0)


@pytest.mark.parametrize("game", ["parking", "parking:exit_side=left", "parking:size=8"])
def test_a_move_is_a_vehicle_and_the_free_cell_where_its_front_arrives(game):
    state, rng = load(game).start(), random.Random(4)
    for _ in range(12):
        covered = state.show().replace("<", " ").replace(">", " ").split()
        size = int(len(covered) ** 0.5)
        paths = {move: state.places(move) for move in state.moves()}
        assert len({tuple(path) for path in paths.values()}) == len(paths)
        for move, (letter, cell) in paths.items():
            at = size * (int(cell[1]) - 1) + "abcdefgh".index(cell[0])
            after = state.play(move).show().replace("<", " ").replace(">", " ").split()
            assert state.name(move)[0] == letter == after[at] and covered[at] == "."
        if not paths:
            break
        state = state.play(rng.choice(list(paths)))
