import json
import random
import re
import subprocess

import pytest

from ludwin import load
from ludwin.errors import BadPosition, IllegalMove, Unfinished
from ludwin.games.backgammon.opponents.gnubg import find_gnubg
from ludwin.svg import places

from .results import GAME

OPENING = GAME.start().play("3-1")


@pytest.mark.parametrize(
    "text",
    ["8/5 6/5", "6/5 8/5", "8/5, 6/5", "8/5,6/5", "8-5 6-5", "8>5 6>5", " 8/5   6/5 ", "8/5;6/5"],
)
def test_a_play_may_be_written_in_many_ways(text):
    assert OPENING.name(OPENING.parse(text)) == "8/5 6/5"


def test_one_man_may_be_written_point_by_point():
    assert OPENING.name(OPENING.parse("13/12/9")) == OPENING.name(OPENING.parse("13/9")) == "13/9"
    assert OPENING.parse("13/12 12/9") == OPENING.parse("13/10 10/9") == OPENING.parse("13/9")


def test_several_men_bar_and_off_have_short_words():
    doubles = GAME.state(men=OPENING.men, turn=0, stage=2, high=6, low=6, cube=1)
    assert doubles.name(doubles.parse("24/18(2) 13/7(2)")) == "24/18(2) 13/7(2)"
    assert doubles.parse("24/18x2 13/7 13/7") == doubles.parse("24/18(2) 13/7(2)")
    home = GAME.position("XGID=-AAA-------------------a--:0:0:1:21:0:0:0:0:6")
    assert home.parse("2/off 1/off") == home.parse("2/o 1/0")


def test_hits_are_marked_and_may_be_left_out():
    state = GAME.position("XGID=-b--a-E-C---dE---c-e----B-:0:0:1:42:0:0:0:0:6")
    assert state.name(state.parse("8/4 6/4")) == "8/4* 6/4*"
    with pytest.raises(IllegalMove, match="is not a play"):
        state.parse("24/20* 13/11")


def test_a_way_is_told_by_the_points_where_it_hits():
    state = GAME.position("XGID=---------a-aA-------------:0:0:1:31:0:0:0:0:6")
    assert {"12/11*/8", "12/9*/8"} == {state.name(move) for move in state.moves()}
    assert state.name(state.parse("12/9/8")) == "12/9*/8"
    with pytest.raises(IllegalMove, match=r"may mean .* or .*: name the points where it hits"):
        state.parse("12/8")


def test_a_play_that_is_only_begun_is_answered_with_what_may_follow():
    with pytest.raises(Unfinished) as begun:
        OPENING.parse("8/5")
    assert begun.value.typed == "8/5" and "6/5" in begun.value.follow
    assert "it goes on with" in str(begun.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello", "a play is steps such as"),
        ("8/99", "1 to 24"),
        ("5/8 5/6", "from higher points to lower"),
        ("8/2 6/5", "is not a play of 3-1"),
        ("pass", "there is a play"),
        ("8/5(9)", "a play is steps"),
        ("8/5 6/5 6/5", "is not a play"),
    ],
)
def test_what_is_no_play_is_refused_with_a_reason(text, reason):
    with pytest.raises(IllegalMove, match=reason):
        OPENING.parse(text)


def test_dice_and_cube_are_typed_as_people_say_them():
    after = load("backgammon", cube=1).start().play("3-1").play("8/5 6/5")
    assert after.parse("redouble") == after.parse("double") and after.parse("r") == after.parse("roll")
    assert after.play("double").parse("accept") == after.play("double").parse("take")
    rolling = after.play("roll")
    assert rolling.parse("36") == rolling.parse("6-3") == rolling.parse("3 6")
    with pytest.raises(IllegalMove, match="two dice"):
        rolling.parse("7-1")


def wandering(game, count, seed):
    """Yield positions of random games, at every stage."""
    rng, state = random.Random(seed), game.start()
    for _ in range(count):
        yield state
        state = game.start() if state.over else state.play(rng.choice(state.moves()))


def test_every_play_is_drawn_from_place_to_place_and_every_word_is_a_button():
    doubles = GAME.state(men=OPENING.men, turn=0, stage=2, high=6, low=6, cube=1)
    play = doubles.parse("24/18(2) 13/7(2)")
    assert doubles.places(play) == ["24", "18", "24", "18", "13", "7", "13", "7"]
    words = set()
    for state in wandering(load("backgammon", cube=1), 400, 5):
        svg = state.picture()
        buttons, known = re.findall(r'data-move="([^"]*)"', svg), set(places(svg))
        for move in state.moves() if state.mover >= 0 else ():
            touched = state.places(move)
            assert set(touched) <= known and bool(touched) != (state.name(move) in buttons)
        words |= set(buttons)
    assert words == {"roll", "double", "take", "drop", "pass"}


@pytest.mark.parametrize(
    "text", ["backgammon", "backgammon:cube=1", "backgammon:match=3,cube=1", "backgammon:variant=hypergammon"]
)
def test_positions_are_read_back_as_they_were(text):
    game = load(text)
    for state in wandering(game, 400, 1):
        again = game.position(state.write())
        assert (again.men, again.mover, again.stage, again.moves()) == (
            state.men,
            state.mover,
            state.stage,
            state.moves(),
        )


def test_xgid_is_read_back_as_it_was():
    game = load("backgammon:match=7,cube=1")
    state = game.position("XGID=-b----E-C---eE---c-e----B-:1:-1:1:63:2:3:0:7:6")
    assert (state.cube, state.owner, tuple(state.score), state.turn) == (2, 2, (2, 3), 0)
    game.part("notation")
    xgid = next(part for path, part in game._beside.items() if path.name == "ids.py").xgid
    for state in wandering(game, 300, 2):
        if state.mover >= 0 and not state.over:
            again = game.position(xgid(state.thaw()))
            assert (again.men, again.mover, again.moves(), again.cube) == (
                state.men,
                state.mover,
                state.moves(),
                state.cube,
            )


def test_the_start_has_the_published_ids():
    # Source: GNU Backgammon manual, the starting position.
    state = GAME.start().play("3-1")
    assert state.write().startswith("4HPwATDgc/ABMA:")
    shown = GAME.position(
        "4HPwATDgc/ABMA:cIkFAAAAAAAA"
    )  # what gnubg 1.07 prints for a first roll of 3-1 by its player 1
    assert (shown.turn, shown.high, shown.low) == (1, 3, 1) and shown.men == state.men


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "a position is a GNU Backgammon ID"),
        ("4HPwATDgc/ABMA:short", "a match ID has 12 letters"),
        ("4HPwATDgc/ABM!:cAkAAAAAAAAA", "a position ID has 14 letters"),
        ("//////////////:cAkAAAAAAAAA", "men"),
        ("4HPwATDgc/ABMA:cAngAAAAAAAA", "give match=7"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAAA:9999", "after 2000 turns"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:77:0:0:0:0:6", "an XGID looks like"),
        ("XGID=-o---oE-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6", "15 men"),
        ("XGID=-b----E-C---eE---c-e----B-:9:0:1:31:0:0:0:0:6", "up to 64"),
    ],
)
def test_what_is_no_position_is_refused_with_a_reason(text, reason):
    with pytest.raises(BadPosition, match=reason):
        GAME.position(text)


INSIDE = """
import json, gnubg
for command in ("set automatic game off", "set automatic roll off", "set player 0 human", "set player 1 human"):
    gnubg.command(command)
gnubg.command("set display off")
gnubg.command("new match 7")
found = []
for identity, xgid in json.load(open(%(asked)r)):
    gnubg.command("set gnubgid " + identity)
    row = [gnubg.positionid(), gnubg.matchid(), gnubg.board(), gnubg.posinfo()["dice"]]
    gnubg.command("set xgid " + xgid)
    found.append(row + [gnubg.positionid()])
json.dump(found, open(%(answered)r, "w"))
"""


@pytest.mark.skipif(find_gnubg() is None, reason="gnubg is not installed: apt install gnubg")
def test_gnubg_reads_a_thousand_of_our_ids_as_the_same_positions(tmp_path):
    game = load("backgammon:match=7,cube=1")
    game.part("notation")
    xgid = next(part for path, part in game._beside.items() if path.name == "ids.py").xgid
    states = [state for state in wandering(game, 4000, 5) if state.stage in (2, 3)][:1000]
    asked, answered, script = tmp_path / "asked.json", tmp_path / "answered.json", tmp_path / "inside.py"
    asked.write_text(json.dumps([(":".join(s.write().split(":")[:2]), xgid(s.thaw())) for s in states]))
    script.write_text(INSIDE % {"asked": str(asked), "answered": str(answered)})
    subprocess.run(
        [find_gnubg(), "-t", "-q", "-r", "-p", str(script)], stdin=subprocess.DEVNULL, capture_output=True, timeout=200
    )
    rows = json.loads(answered.read_text())
    assert len(rows) == len(states) == 1000
    for state, (position, match, board, dice, by_xgid) in zip(states, rows, strict=True):
        assert [position, match] == state.write().split(":")[:2] and by_xgid == position
        sides = [[state.men[26 * p + 25 - k] for k in range(1, 26)] for p in (1 - state.turn, state.turn)]
        assert [list(side) for side in board] == sides
        assert sorted(dice, reverse=True) == [state.high, state.low]


def test_match_files_are_read_back_as_they_were_written(tmp_path):
    from ludwin import match
    from ludwin.arena.portable import write_portable
    from ludwin.arena.replay import examine, open_event

    for text in ("backgammon", "backgammon:match=3,cube=1"):
        game = load(text)
        records = tmp_path / f"{len(text)}.jsonl"
        match(game, "random", "random", games=4, seed=7, out=records)
        event = open_event(records, load)
        played = [record for _, record in event.games]
        path = tmp_path / f"{len(text)}.mat"
        assert write_portable(path, game, event.agents, played) == 4
        again = open_event(path, load)
        for (line, one), record in zip(again.games, played, strict=True):
            examine(again, line, one)
            straight = record.seats == (0, 1)
            assert one.payoffs == (record.payoffs if straight else record.payoffs[::-1])


JELLYFISH = """; [Player 1 "Ann"]
 1 point match

 Game 1
 Ann : 0                          Bob : 0
  1)                              31: 8/5 6/5
  2) 52: 13/8 24/22               66: 24/18 24/18 13/7 13/7
  3) 41: 6/2 24/23
      Wins 1 point and the match
"""


def test_match_files_of_others_are_read(tmp_path):
    from ludwin.arena.replay import open_event

    path = tmp_path / "other.mat"
    path.write_text(JELLYFISH)
    event = open_event(path, load)
    [(_, record)] = list(event.games)
    assert event.game.text == "backgammon:match=1" and event.agents == ("Ann", "Bob")
    assert record.end == "adjudication" and record.payoffs == (1.0, -1.0) and len(record.moves) == 8


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda text: text.replace("8/5 6/5", "8/5 6/1"), "is not a play"),
        (lambda text: text.replace("31:", "71:"), "neither dice nor cube"),
        (lambda text: "", "no game"),
        (lambda text: text.replace(" Game 1", "what is this"), "no line of a match file"),
        (lambda text: text.replace("      Wins 1 point and the match\n", ""), "does not end"),
        (lambda text: text.replace("52: 13/8 24/22 ", "               ").replace("  2)", "  2)"), "player 1's to say"),
    ],
)
def test_broken_match_files_are_refused_in_one_line(tmp_path, spoil, reason):
    from ludwin.arena.records import BadRecords
    from ludwin.arena.replay import open_event

    path = tmp_path / "broken.mat"
    path.write_text(spoil(JELLYFISH))
    with pytest.raises(BadRecords, match=reason) as refused:
        list(open_event(path, load).games)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "backgammon:payoff=wins,cube=1",
        "backgammon:variant=hypergammon,match=3,cube=1",
        "backgammon:variant=nackgammon,turn_limit=60",
        pytest.param("backgammon:match=7,cube=1", marks=pytest.mark.thorough),
        pytest.param("backgammon:match=5", marks=pytest.mark.thorough),
    ],
)
def test_match_files_keep_variant_payoff_and_limit(tmp_path, text):
    from ludwin import match
    from ludwin.arena.portable import write_portable
    from ludwin.arena.replay import examine, open_event

    game, records, path = load(text), tmp_path / "r.jsonl", tmp_path / "games.mat"
    match(game, "random", "random", games=10, seed=3, out=records)
    event = open_event(records, load)
    played = [record for _, record in event.games]
    assert write_portable(path, game, event.agents, played) == 10
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))  # as Windows ends lines
    again = open_event(path, load)
    assert again.game.values == game.values
    for (line, one), record in zip(again.games, played, strict=True):
        examine(again, line, one)
        straight = tuple(record.seats) == (0, 1)
        assert one.payoffs == (record.payoffs if straight else record.payoffs[::-1]) and one.end == "rules"
        assert not straight or one.moves == record.moves


def test_a_cell_that_is_too_long_does_not_run_into_the_next():
    from ludwin.games.backgammon.mat import _line_events, _rows

    left, right = "22: 24/22* 24/22* 16/14* 16/14*", "65: 25/20 24/18"
    [row] = _rows([(0, left), (1, right)])
    assert _line_events(row.partition(")")[2], 1) == [
        (0, "2-2"), (0, "24/22* 24/22* 16/14* 16/14*"), (1, "6-5"), (1, "25/20 24/18"),
    ]  # fmt: skip


GIVEN_UP = """; [Site "a server"]
 3 point match

 Game 1
 Ann : 0                          Bob : 0
  1)                              31: 8/5 6/5
  2) 52: 13/8 24/22               66: 24/18 24/18 13/7 13/7
  3) 41: 6/2 24/23
                                   Wins 2 points

 Game 2
 Ann : 0                          Bob : 2
  1) 31: 8/5 6/5                  52: 13/8 24/22
  2) 64: 24/14
      Wins 1 point

 Game 3
 Ann : 1                          Bob : 2
  1) 31: 8/5 6/5                  52: 13/8 24/22
  2)  Doubles => 2                 Drops
      Wins 1 point
"""


def heard(path, text):
    from ludwin.arena.replay import examine, open_event

    path.write_text(text)
    event, found = open_event(path, load), []
    for line, record in event.games:
        examine(event, line, record)
        found.append(record)
    return event.game, found


def test_games_of_a_match_may_be_given_up_and_the_rest_goes_on_from_the_score(tmp_path):
    game, (first, second, third) = heard(tmp_path / "up.mat", GIVEN_UP)
    assert [one.end for one in (first, second, third)] == ["adjudication", "adjudication", "unfinished"]
    assert [one.payoffs[0] for one in (first, second)] == [-1, 1] and first.position is None
    crawford, after = (game.position(one.position) for one in (second, third))
    assert (tuple(crawford.score), crawford.crawford) == ((0, 2), 1)
    assert (tuple(after.score), after.crawford) == ((1, 2), 2)


@pytest.mark.parametrize(
    ("was", "becomes", "reason"),
    [
        ("Wins 2 points", "Wins 99999 points", "cannot win 99999 points"),
        ("Wins 2 points", "Wins 0 points", "cannot win 0 points"),
        ("Doubles => 2", "Doubles => 8", "where the cube goes to 2"),
        ("Drops\n      Wins 1 point", "Drops\n      Wins 2 points", "the score has changed by"),
        ("  2) 64: 24/14\n", "  2) 64: 24/14                     Doubles => 2\n", "two dice"),  # the Crawford game
        ("; [Site", '; [Variation "chess"]\n; [Site', "is not played here"),
        ("Ann : 1 ", "Ann : 0 ", "says that it stands 0:2, after the games before it stands 1:2"),
        (GIVEN_UP[GIVEN_UP.index(" Game 2") : GIVEN_UP.index(" Game 3")], "", "stands 1:2, after the games before it"),
    ],
)
def test_forged_points_cubes_and_variants_are_refused_in_one_line(tmp_path, was, becomes, reason):
    from ludwin.arena.records import BadRecords

    assert was in GIVEN_UP
    with pytest.raises(BadRecords, match=reason) as refused:
        heard(tmp_path / "forged.mat", GIVEN_UP.replace(was, becomes))
    assert len(str(refused.value).splitlines()) == 1


def test_dice_may_be_named_before_a_play_and_blanks_before_the_number_of_men():
    for text in ("31: 8/5 6/5", "1-3: 8/5 6/5", "(31): 8/5 6/5"):
        assert OPENING.name(OPENING.parse(text)) == "8/5 6/5"
    doubles = GAME.state(men=OPENING.men, turn=0, stage=2, high=6, low=6, cube=1)
    assert doubles.parse("24/18 (2) 13/7 x2") == doubles.parse("24/18(2) 13/7(2)")
    with pytest.raises(IllegalMove, match="say a play of 3-1"):
        OPENING.parse("  ")
