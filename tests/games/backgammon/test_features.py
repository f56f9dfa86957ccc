import pytest

from ludwin.games.backgammon.features import ESCAPES, shots

from .results import GAME, ROLLS, positions, with_roll

ALL = (1 << 26) - 2


def ask(state, player, name, place=0):
    names = list(GAME.queries)
    return GAME.function("query")(state.thaw(), player, names.index(name), place)


def test_escape_counts_are_the_published_constants():
    # Source: the book's 131, and counts by hand of barriers from the sixth point downwards.
    barriers = [0, 0b100000, 0b110000, 0b111000, 0b111100, 0b111110, 0b111111]
    assert [ESCAPES[closed] for closed in barriers] == [131, 99, 69, 42, 21, 7, 0]


def test_the_start_has_the_known_answers():
    start = GAME.start()
    assert [ask(start, p, "player escape") for p in (0, 1)] == [99 / 131, 99 / 131]
    assert ask(start, 0, "player pip") == ask(start, 0, "enemy pip") == 1.0
    assert ask(start, 0, "total hit prob") == 0.0
    assert ask(start, 1, "player blocked", 1) == 1.0 and ask(start, 1, "player tower", 12) == 3.0
    assert ask(start, 0, "enemy blocked", 24) == 1.0 and ask(start, 0, "player position", 19) == 5.0


def test_shots_at_a_single_blot_are_the_table_of_every_textbook():
    table = {1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3, 13: 0, 14: 0, 15: 1,
             16: 1, 17: 0, 18: 1, 19: 0, 20: 1, 21: 0, 22: 0, 23: 0}  # fmt: skip
    assert {distance: shots(1 << 24 - distance, ALL, 24) for distance in table} == table
    assert shots(1, ALL, 24) == 1  # from the bar, which is 24 away: only 6-6


def test_hit_probabilities_are_those_of_the_plays_but_for_the_duty_to_use_both_dice():
    notation = GAME.part("notation")
    compared, different = 0, 0
    for men, turn in positions(60, 9):
        total = 0
        for high, low in ROLLS:
            state = with_roll(men, turn, high, low)
            s = state.thaw()
            struck = set().union(*(notation.hits(s, move) for move in state.moves()))
            total += len(struck) * (1 if high == low else 2)
        ours = 36 * ask(GAME.state(men=men, turn=turn, stage=1, cube=1), 1 - turn, "total hit prob")
        assert ours >= total - 1e-9  # a shot that the duty forbids is counted, never the other way round
        compared, different = compared + 1, different + (ours != pytest.approx(total))
    assert compared == 60 and different <= 2
