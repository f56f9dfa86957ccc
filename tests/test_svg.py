"""Pictures in one style: colours, places, light and dark, and a picture for every game."""

import random
import re
from xml.etree import ElementTree

import pytest

from ludwin import load
from ludwin.games import homes
from ludwin.svg import COLOURS, Sheet, dressed, grid, letters, marked, named_places, places, styles

ALLOWED = {"svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "title", "desc"}
PLAYED = [name for name in homes() if not load(name).is_world]


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("text", ["ink", "quiet"])
def test_texts_can_be_read_on_the_ground(text, theme):  # oracle: WCAG 2.2, success criterion 1.4.3
    for ground in ("ground", "panel"):
        assert contrast(COLOURS[text][theme], COLOURS[ground][theme]) >= 4.5


def test_a_sheet_escapes_what_it_is_given():
    sheet = Sheet(10, 10, "a < b & c")
    sheet.text(1, 1, "<script>", title='"x"')
    sheet.rect(0, 0, 1, 1, at='e"4', move="<&>")
    found = ElementTree.fromstring(str(sheet))
    assert next(text.text for text in found.iter() if text.tag.endswith("title")) == "a < b & c"
    assert places(str(sheet)) == ['e"4']


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_a_dressed_picture_is_the_same_drawing(theme):
    svg = str(grid([[("a1", "0"), None], [("b1", ""), ("b2", "1K")]], "x"))
    found = dressed(svg, theme)
    assert ElementTree.fromstring(found).tag.endswith("svg")
    assert ("<style>" in found) == (theme != "light") and found.replace(f"\n<style>{styles(theme)}</style>", "") == svg


def test_marks_paint_the_square_and_not_what_stands_on_it():
    svg = load("reversi").start().picture()
    again = marked(svg, {"d3": "mark"})
    assert again.count("lw-fill-mark") == 1 and svg.count("<circle") == again.count("<circle")
    assert marked(svg, {"z9": "mark"}) == svg


def test_the_longest_place_is_meant():
    assert named_places(["1", "11", "5", "15"], "11-15") == ["11", "15"]
    assert named_places(["1", "5"], "11-15") == []  # parts of numbers are no places


def test_letters_are_drawn_as_they_stand():
    found = ElementTree.fromstring(str(letters("a  b\n\n<c>")))
    assert [text.text for text in found if text.tag.endswith("text")] == ["a  b", "<c>"]


def positions(game, seed, plies=25):
    rng, state = random.Random(seed), game.start()
    yield state
    for _ in range(plies):
        if not (legal := state.moves()):
            return
        state = state._play(rng.choice(legal))
        yield state


@pytest.mark.parametrize("name", PLAYED)
def test_every_game_draws_itself_and_nothing_that_a_page_refuses(name):
    game = load(name)
    assert {"picture", "squares"} & set(game.offers), f"{name} has no picture of its own"
    for state in list(positions(game, 1))[::4]:
        svg = state.picture()
        found = ElementTree.fromstring(svg)
        for element in found.iter():
            assert element.tag.rpartition("}")[2] in ALLOWED
            assert not any(key == "style" or key.startswith("on") for key in element.attrib)
        assert re.search("lw-fill-(ground|felt)", svg) and svg == state.picture()


@pytest.mark.parametrize("name", PLAYED)
def test_every_move_of_a_player_has_a_place_in_the_picture(name):
    game = load(name)
    for state in list(positions(game, 2))[::3]:
        svg = state.picture()
        known, whole = set(places(svg)), set(re.findall(r'data-move="([^"]*)"', svg))
        for move in state.moves() if state.mover >= 0 else ():
            touched = state.places(move)
            assert state.name(move) in whole or (touched and set(touched) <= known), state.name(move)


@pytest.mark.parametrize(
    "name", ["draughts", "draughts:size=10", "lose-checkers", "reversi", "tic-tac-toe", "connect-four"]
)
def test_on_a_board_a_path_means_few_moves(name):
    game = load(name)
    for state in list(positions(game, 3, 40))[::5]:
        paths = [tuple(state.places(move)) for move in state.moves()]
        assert all(paths) and len(set(paths)) == len(paths)
