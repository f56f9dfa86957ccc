"""Games of programs: compiled, interpreted and refereed in Python they are the same games, on one thread or two."""

import pytest
from evolve_heaps import BLIND, FOOLISH, WISE

from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.bouts import CHUNK, Bouts, points
from ludwin.evolve.generic import language
from ludwin.library import agent, load
from ludwin.play.referee import play_game
from ludwin.program.generate import ramped
from ludwin.program.stream import Stream
from ludwin.program.text import read
from ludwin.search.programs import program_player

SEEDS = list(range(1, 8))
DEPTH = 2


@pytest.fixture(scope="module")
def game(heaps):
    return load(f"{heaps}:draw=1")


@pytest.fixture(scope="module")
def programs(game):
    spoken = language(game)
    return [*(read(spoken, text) for text in (WISE, FOOLISH, BLIND)), *ramped(spoken, 9, Stream(5), low=1, high=5)]


def bouts(game, **more):
    depth = more.pop("depth", DEPTH)
    return Bouts(game, lambda genome: program_player(genome, depth), **more)


def refereed(game, first, second, seed, rotation=0):
    """Return the points of `first` and of `second` when Python referees."""
    seats = (first, second) if rotation == 0 else (second, first)
    payoffs = play_game(game, seats, seed, mode="plain").payoffs
    return points(payoffs, rotation), points(payoffs, 1 - rotation)


def points_of(found):
    return [tuple(bout.points for bout in pair) for pair in found]


def test_equal_games_have_one_mark_and_other_games_others(game, programs):
    wise = programs[0]
    found = bouts(game, depth=1).against(wise, agent("guide:depth=2"), range(40))
    marks = {bout.mark for bout in found}
    assert 2 <= len(marks) < 80  # two programs that hardly vary
    assert len({(bout.mark, bout.points) for bout in found}) == len(marks)  # the same game has the same result


def test_points_are_those_of_the_seat():
    assert [points((1.0, -1.0), seat) for seat in (0, 1)] == [1.0, 0.0]
    assert [points((0.0, 0.0), seat) for seat in (0, 1)] == [0.5, 0.5]
    assert points((0.5, 2.0), 0) == 0.0


def test_compiled_games_are_those_of_the_python_referee(game, programs):
    guide = agent("guide:depth=2")
    found = bouts(game).all_against(programs, guide, SEEDS)
    for program, won in zip(programs, found, strict=True):
        assert [bout.points for bout in won] == [
            refereed(game, program_player(program, DEPTH), guide, seed, rotation)[0]
            for seed in SEEDS
            for rotation in (0, 1)
        ]
    assert {bout.points for won in found for bout in won} == {0.0, 0.5, 1.0}  # wins, draws and losses were compared


def test_plain_mode_plays_the_same_games(game, programs):
    guide = agent("guide:depth=2")
    chosen = programs[:4]
    assert bouts(game, mode="plain").all_against(chosen, guide, SEEDS[:4]) == bouts(game).all_against(
        chosen, guide, SEEDS[:4]
    )
    games = [(a, b) for a in chosen for b in chosen]
    assert bouts(game, mode="plain").pairs(games, range(16)) == bouts(game).pairs(games, range(16))


def test_pairs_are_games_of_two_programs_the_first_moving_first(game, programs):
    games = [(a, b) for a in programs[:5] for b in programs[:5]]
    seeds = range(100, 100 + len(games))
    found = bouts(game).pairs(games, seeds)
    assert points_of(found) == [
        refereed(game, program_player(a, DEPTH), program_player(b, DEPTH), seed)
        for (a, b), seed in zip(games, seeds, strict=True)
    ]
    assert all(first + second == 1.0 for first, second in points_of(found))
    assert bouts(game).pairs([], []) == []


def test_who_knows_the_game_wins_from_both_seats(game, programs):
    wise, foolish = programs[:2]
    at_depth_one = bouts(game, depth=1)
    assert points_of(at_depth_one.pairs([(wise, foolish)], [1])) == [(1.0, 0.0)]  # from 13 the first player can win
    assert points_of(at_depth_one.pairs([(foolish, wise)], [1])) == [(0.0, 1.0)]


def test_workers_change_nothing(game, programs):
    guide, seeds = agent("guide:depth=2"), range(2 * CHUNK + 5)  # not a multiple of what a thread takes at once
    games = [(programs[k % 12], programs[(5 * k + 1) % 12]) for k in range(3 * CHUNK + 1)]
    one, two = bouts(game), bouts(game, workers=2)
    assert one.all_against(programs, guide, seeds) == two.all_against(programs, guide, seeds)
    assert one.pairs(games, range(len(games))) == two.pairs(games, range(len(games)))


def test_a_table_remembers_nothing_of_the_programs_before(game, programs):
    guide = agent("guide:depth=2")
    used = bouts(game)
    in_order = [used.against(program, guide, SEEDS) for program in programs]
    backwards = [used.against(program, guide, SEEDS) for program in reversed(programs)][::-1]
    fresh = [bouts(game).against(program, guide, SEEDS) for program in programs]
    assert in_order == backwards == fresh
    longest, shortest = max(programs, key=len), min(programs, key=len)
    assert used.pairs([(longest, shortest), (shortest, longest), (shortest, shortest)], [1, 2, 3]) == [
        bouts(game).pairs([pair], [seed])[0]
        for pair, seed in (((longest, shortest), 1), ((shortest, longest), 2), ((shortest, shortest), 3))
    ]


def test_a_program_that_is_too_large_is_refused_in_one_line(game):
    parts = [f"MultERC[{k}.5](heap)" for k in range(2**11)]  # all different: equal parts are computed once
    while len(parts) > 1:
        parts = [f"Plus({a}, {b})" for a, b in zip(parts[::2], parts[1::2], strict=True)]
    spoken = language(game)
    large, small = read(spoken, parts[0]), read(spoken, BLIND)
    for games in (
        [(large, small)],
        [(small, large)],
        [(small, small), (large, small)],
    ):  # at a new table, and at one in use
        with pytest.raises((BadParameter, CannotPlay), match=r"a program of 6143 nodes is too large to play"):
            bouts(game).pairs(games, range(len(games)))
