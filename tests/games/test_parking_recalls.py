"""Parking: what states know of the way here, beside a list of the moves that were made."""

import random

import pytest

from ludwin import load
from ludwin.errors import BadPosition
from ludwin.games.parking.language import CONDITIONS, conditions, formulas
from ludwin.program.text import read
from ludwin.words import MODES

LARGE = "AABBDDK.HH..GCK.IIJJGCK..FXXGC.LEF.MMNNLEO.....LPOQQQRRRPOSSTTUU"
STARTS = (("parking", "#5"), ("parking", "#33"), ("parking:cost=steps", "#12"), ("parking:size=8", LARGE))


def told(state, word):
    names = list(state.game.queries)
    return state.game.function("query")(state.thaw(), 0, names.index(word), 0)


def walk(text, start, steps, rng):
    """Yield the states of a random game, each with whether its last move has brought its vehicle where an earlier one
    has brought it: read off the list of moves.
    """
    state, before = load(text).position(start), []
    for _ in range(steps):
        if state.over:
            return
        move = rng.choice(list(state.moves()))
        state, target = state.play(move), (move // 64, move % 8)
        yield state, target in before
        before.append(target)


@pytest.mark.parametrize(("text", "start"), STARTS)
def test_coming_again_is_what_the_list_of_moves_says(text, start):
    rng, seen = random.Random(3), set()
    for _ in range(4):
        for state, again in walk(text, start, 40, rng):
            assert told(state, "comes again") == told(state, "coming again") == float(again), state.write()
            seen.add(again)
    assert seen == {False, True}


def test_where_a_vehicle_stood_at_the_start_does_not_count():
    state = load("parking").position("#5")
    there = next(iter(state.moves()))
    away = state.play(there)
    back = next(m for m in away.moves() if m // 64 == there // 64 and m % 8 == there // 8 % 8)
    returned = away.play(back)
    assert told(returned, "comes again") == 0.0
    assert told(returned.play(there), "comes again") == 1.0


@pytest.mark.parametrize(("text", "start"), STARTS)
def test_positions_in_writing_know_the_way_and_play_on_alike(text, start):
    for state, _ in walk(text, start, 30, random.Random(9)):
        again = state.game.position(state.write())
        assert again == state and again.write() == state.write()
        if not state.over:
            move = list(state.moves())[-1]
            assert told(again.play(move), "comes again") == told(state.play(move), "comes again")


def test_positions_of_former_versions_are_read():
    board = ".AAO.BP..OQBPXXOQGPRRRQGD...EED...FF"
    for text in (f"{board} 1:66:0:14144220025:0", f"{board} 1:66:0:14144220025:0:11102444001:0"):
        state = load("parking").position(text)
        assert list(state.brought) == [0, 0, 0] and told(state, "comes again") == 0.0


@pytest.mark.parametrize(
    "more",
    [
        "2:290:0:14144220025:0:11102444001:0:200:0",  # a number is missing
        "2:290:0:14144220025:0:11102444001:0:200:0:0:0",  # one too many
        "2:290:0:14144220025:0:11102444001:0:2000:0:0",  # a truck or car beyond the wall
        "2:290:0:14144220025:0:11102444001:0:200:0:ff00000000000000",  # a vehicle that is not there
        "2:290:0:14144220025:0:11102444001:0:200:0:x",
    ],
)
def test_a_way_that_cannot_be_is_refused_in_one_line(more):
    board = ".AAO.BP..OQBPXXOQGPRRRQGDEE...D...FF"
    assert load("parking").position(f"{board} 2:290:0:14144220025:0:11102444001:0:200:0:0")
    with pytest.raises(BadPosition) as refused:
        load("parking").position(f"{board} {more}")
    assert "\n" not in str(refused.value)


def test_the_way_here_does_not_make_another_state_for_searches():
    game = load("parking")
    keys = {game.function("key")(state.thaw()) for state, _ in walk("parking", "#5", 60, random.Random(1))}
    boards = {state.write().split()[0] for state, _ in walk("parking", "#5", 60, random.Random(1))}
    assert len(keys) == len(boards) < 60


def test_only_languages_that_recall_have_the_words():
    ours = {one.name for one in conditions(True, True, True).primitives}
    assert conditions() is CONDITIONS
    assert ours - {one.name for one in conditions(True, True).primitives} == {"IsComingAgain", "ComesAgain"}
    assert str(read(formulas(True, False, True), "ComesAgain{2.0}"))


def test_an_order_that_recalls_means_the_same_in_every_mode():
    from ludwin.games.parking.evolve.policies import brain, hand_made
    from ludwin.search.puzzles.deepen import IterativeDeepening

    game = load("parking")
    policy = brain(hand_made(True, "Plus(Layers, ComesAgain{3.0})", False, True))
    solver = IterativeDeepening(nodes=400, increment=60, order="estimate").with_brain(policy)
    for card in (2, 26):
        found = [solver.solve(game, game.position(f"#{card}"), mode=how) for how in MODES]
        assert len({(one.nodes, one.plan, one.status) for one in found}) == 1
