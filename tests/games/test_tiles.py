"""Tiles: positions in writing, parity, random positions."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from ludwin import agent, load
from ludwin.errors import BadParameter, BadPosition


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3/4 5 6/7 8 8", "each number from 0 to 8 once"),
        ("1 2 3/4 5 6/7 8", "each number from 0 to 8 once"),
        ("1 2 3/4 5 6/7 8 9999", "each number from 0 to 8 once"),
        ("eight", "a position is 9 numbers"),
        ("1 2 3/4 5 6/7 8 0 +501", "at most 500 moves"),
    ],
)
def test_a_position_that_cannot_be_is_refused(text, message):
    with pytest.raises(BadPosition, match=message):
        load("tiles").position(text)


def test_a_position_is_written_in_many_ways():
    game = load("tiles")
    wanted = game.position("8 6 7/2 5 4/3 0 1")
    for text in ("867254301", "8,6,7,2,5,4,3,0,1", "8 6 7 2 5 4 3 0 1", "8 6 7 / 2 5 4 / 3 0 1"):
        assert game.position(text) == wanted


def test_random_positions_can_be_solved_and_swapping_two_tiles_makes_them_impossible():
    game = load("tiles:rows=2,columns=3")
    bfs = agent("bfs").solving(game, "plain")
    for number in range(5):
        tiles = game.position(f"#{number}").write().replace("/", " ").split()
        assert bfs.solve(game.position(" ".join(tiles))).solved
        a, b = [k for k, tile in enumerate(tiles) if tile != "0"][:2]
        tiles[a], tiles[b] = tiles[b], tiles[a]
        assert bfs.solve(game.position(" ".join(tiles))).status == "unsolvable"


def test_the_ways_of_tiles_are_moves_too():
    game = load("tiles")
    state = game.position("1 2 3/4 0 6/7 5 8")
    assert [state.name(state.parse(way)) for way in ("up", "down", "left", "right")] == ["5", "2", "6", "4"]


def test_boards_of_five_by_five_are_packed_and_read_back():
    game = load("tiles:rows=5,columns=5,seed=4")
    state = game.start()
    for _ in range(5):
        state = state.play(state.moves()[0])
    assert game.position(state.write()) == state
    with pytest.raises(BadParameter, match="rows and columns go from 2 to 5"):
        load("tiles:rows=6")


@pytest.mark.slow
def test_fifteen_puzzles_are_solved_in_as_few_moves_as_from_both_ends():
    game = load("tiles:rows=4,columns=4")
    ida, both = (agent(text).solving(game) for text in ("ida:patterns=five1+five2+five3", "bidirectional"))
    for moves in range(10, 61, 5):
        state = walk(game, moves)
        best = both.solve(state)
        assert best.solved and len(ida.solve(state).plan) == len(best.plan) <= moves + 1


@pytest.fixture(scope="module")
def by_walks(tmp_path_factory):
    """What gives the shortest lengths of positions by the second solver, `oracles/fifteen.cpp`."""
    if not shutil.which("g++"):
        pytest.skip("the second solver needs g++")
    program = tmp_path_factory.mktemp("fifteen") / "fifteen"
    source = Path(__file__).parent / "oracles" / "fifteen.cpp"
    subprocess.run(["g++", "-O2", "-o", str(program), str(source)], check=True)

    def lengths(positions):
        told = subprocess.run([str(program)], input="\n".join(positions), capture_output=True, text=True, check=True)
        assert "24964 walking positions" in told.stderr  # as many as are known (Takahashi)
        return [int(line) for line in told.stdout.split()]

    return lengths


@pytest.mark.slow
def test_a_hundred_random_fifteen_puzzles_are_solved_in_as_few_moves_as_the_second_solver_needs(by_walks):
    game = load("tiles:rows=4,columns=4")
    ida = agent("ida:patterns=five1+five2+five3").solving(game)
    states = [game.position(f"#{number}") for number in range(100)]
    found = [ida.solve(state) for state in states]
    assert all(one.optimal for one in found)
    assert [len(one.plan) for one in found] == by_walks([state.write().replace("/", " ") for state in states])


def walk(game, moves):
    """Return a position that random moves lead to from one beside the goal."""
    rng = random.Random(moves)
    state = game.position("1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15")
    for _ in range(moves):
        after = state.play(rng.choice(state.moves()))
        state = after if after.moves() else state
    return state


def test_a_move_is_the_tile_that_slides_and_the_gap_is_no_place():
    from ludwin.svg import places

    state = load("tiles").start()
    assert [state.places(move) for move in state.moves()] == [[state.name(move)] for move in state.moves()]
    assert sorted(places(state.picture())) == list("12345678")
