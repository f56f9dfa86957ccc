"""Parameters are the capital constants of a file: by name, by text, by path; never by accident."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludwin import load
from ludwin.errors import BadParameter, RuleError, UnknownGame

KINDS = """
ROWS, COLUMNS = 2, 3
FLYING = True
RATE = 0.5
WORD = "abc"
LOW: int = -4
_HIDDEN = 7
TWICE = ROWS * 2
PAIR = (1, 2)
A = B = 3
small = 4
"""


@pytest.fixture
def kinds(workshop):
    return workshop.write(workshop.text.replace("HEAP = 9\n", KINDS + "HEAP = 9\n"))


def test_three_ways_to_say_it_are_one_game():
    assert load("nim", heap=5) == load("nim:heap=5") == load(" NIM : HEAP = 5 ") != load("nim")
    assert load("nim", heap=5) is load("nim:heap=5")
    assert load("nim", heap=5).start().heap == 5


def test_the_text_is_canonical():
    assert (
        load("nim:take=2,heap=5").text == load("nim", heap="5", take=2).text == "nim:heap=5,take=2"
    )  # in the order of the file
    assert load("nim:heap=21").text == "nim"  # defaults are not said
    assert load("tic_tac_toe").text == load("tic").text == "tic-tac-toe"


@given(heap=st.integers(0, 10**6), take=st.integers(1, 50))
@settings(deadline=None, max_examples=20)
def test_the_text_leads_back_to_the_game(heap, take):
    game = load("nim", heap=heap, take=take)
    assert load(game.text) == game and (game.start().heap, game.max_moves) == (heap, take)


def test_a_path_takes_parameters_too(kinds):
    game = load(kinds + ":rows=4,heap=7")
    assert game == load(kinds, rows=4, heap=7) and game.start().heap == 7
    assert game.module.TWICE == 8, "what is computed from a parameter follows it"
    assert load(Path(kinds)).text == kinds


def test_parameters_have_the_type_of_their_default(kinds):
    game = load(kinds + ":flying=false,rate=2,word=xyz,low=-7,columns=1_000")
    module = game.module
    assert (module.FLYING, module.RATE, module.WORD, module.LOW, module.COLUMNS) == (False, 2.0, "xyz", -7, 1000)
    assert isinstance(module.RATE, float) and module.FLYING is False
    assert game.text == kinds + ":columns=1000,flying=false,rate=2.0,word=xyz,low=-7"
    assert load(game.text) == game
    for yes in (True, "true", "TRUE", "1", 1):
        assert load(kinds, flying=yes) == load(kinds)
    for no in (False, "false", "0", 0):
        assert load(kinds, flying=no).module.FLYING is False


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"hepa": 3},
            "has no parameter 'hepa'; did you mean 'heap'? (it has rows=2, columns=3, flying=True, rate=0.5, "
            "word=abc, low=-4, heap=9)",
        ),
        ({"HEAP": 3}, "has no parameter 'HEAP'"),
        ({"_hidden": 3}, "has no parameter '_hidden'"),
        ({"twice": 3}, "has no parameter 'twice'"),
        ({"pair": 3}, "has no parameter 'pair'"),
        ({"a": 3}, "has no parameter 'a'"),
        ({"small": 3}, "has no parameter 'small'"),
        ({"max_moves": 3}, "has no parameter 'max_moves'"),
        ({"fields": 3}, "has no parameter 'fields'"),
        ({"take": 3}, "has no parameter 'take'"),
        ({"rows": 2.0}, "rows must be a whole number, got '2.0'"),
        ({"rows": True}, "rows must be a whole number, got 'True'"),
        ({"rows": None}, "rows must be a whole number, got 'None'"),
        ({"rows": ""}, "rows must be a whole number, got ''"),
        ({"flying": "yes"}, "flying must be true or false, got 'yes'"),
        ({"flying": 2}, "flying must be true or false, got '2'"),
        ({"rate": "fast"}, "rate must be a number, got 'fast'"),
    ],
)
def test_refuses(given, words, kinds):
    with pytest.raises(BadParameter) as caught:
        load(kinds, **given)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_refuses_what_is_given_twice_or_not_at_all():
    for text, more in (("nim:heap=5", {"heap": 5}), ("nim:heap=5,heap=6", {}), ("nim:heap=5,HEAP=5", {})):
        with pytest.raises(BadParameter, match="heap is given twice"):
            load(text, **more)
    for text in ("nim:", "nim:heap", "nim:=5", "nim:heap=5,", "nim:heap=5,,take=2"):
        with pytest.raises(BadParameter, match="parameters are written key=value,key=value"):
            load(text)


def test_a_file_may_refuse_a_value_in_its_own_words():
    with pytest.raises(BadParameter, match="nim: heap must be at least 0, got -1"):
        load("nim:heap=-1")
    with pytest.raises(BadParameter, match="size must be 4, 6, 8 or 10, got 7"):
        load("draughts:size=7")


def test_a_value_that_the_rules_cannot_hold_is_refused(workshop):
    path = workshop.write(workshop.text)
    with pytest.raises(RuleError, match="the constant 18446744073709551616 does not fit 64 bits"):
        load(path, heap=2**64)


def test_two_games_with_different_parameters_never_meet(workshop):
    text = "from helper import SIZE, size\n" + workshop.text.replace("s.heap = HEAP", "s.heap = size()")
    path = workshop.write(text, helper="SIZE = 9\nDOUBLE = SIZE * 2\n\n\ndef size():\n    return DOUBLE\n")
    small, large, default = load(path, size=2), load(path, size=50), load(path)
    assert [game.start().heap for game in (small, large, default)] == [4, 100, 18]
    assert small.text == path + ":size=2" and len({game.fingerprint for game in (small, large, default)}) == 3


def test_an_edited_file_is_read_again(workshop):
    path = workshop.write(workshop.text)
    first = load(path)
    assert load(path) is first
    workshop.write(workshop.text.replace("HEAP = 9", "HEAP = 12"))
    assert load(path).start().heap == 12 and first.start().heap == 9 and load(path) != first


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no game called ''"),
        ("nmi", "no game called 'nmi'; did you mean 'nim'?"),
        ("nmi:heap=5", "no game called 'nmi'; did you mean 'nim'?"),
        ("l", "'l' may mean li-nim or lose-checkers"),
        ("./nim.py", "there is no file './nim.py'"),
        ("no/such/game", "there is no file 'no/such/game'"),
    ],
)
def test_an_unknown_name_is_told_with_a_way_out(text, words):
    with pytest.raises(UnknownGame) as caught:
        load(text)
    assert words in str(caught.value)


def test_a_file_beside_is_offered(workshop, monkeypatch):
    workshop.write(workshop.text, name="pebbles.py")
    monkeypatch.chdir(workshop.folder)
    with pytest.raises(UnknownGame, match=r"did you mean \./pebbles\.py\?"):
        load("pebbles")
    assert load("./pebbles.py").start().heap == 9


def test_text_parameters_lead_back_too(kinds):
    game = load(kinds, word="a,b=c")
    assert load(game.text) == game


def test_a_file_may_begin_with_a_byte_order_mark(workshop):
    assert load(workshop.write("\ufeff" + workshop.text)).start().heap == 9


def test_a_missing_name_of_a_helper_is_found_when_the_file_is_loaded(workshop):
    path = workshop.write(
        "import helper\n" + workshop.text.replace("out[n] = TAKE[k]", "out[n] = helper.setp(k)  # here"),
        helper="def step(k):\n    return k\n",
    )
    with pytest.raises(RuleError, match="helper has no 'setp'; did you mean 'step'") as caught:
        load(path)
    assert caught.value.line == workshop.line(path)
