"""What is said of positions and of whole games: values with units, lines, mistakes."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from ludwin import agent, load
from ludwin.arena.analysis import Searching, analyse, analyse_game, best_lines, curve_text, stages, think
from ludwin.arena.pages import analysis_page, curve_svg, pictures
from ludwin.errors import BadParameter, CannotPlay

NIM, TIC = load("nim:heap=9"), load("tic-tac-toe")


def game_of(game, moves):
    """Return the positions and codes of a game that is given as texts."""
    states, codes = [game.start()], []
    for move in moves.split():
        codes.append(states[-1].parse(move))
        states.append(states[-1].play(codes[-1]))
    return states, codes


def searching(game, text):
    return Searching(game, agent(text), 0, "plain")


@pytest.mark.parametrize("text", ["alphabeta:depth=9", "minimax:depth=9"])
def test_every_line_of_nim_says_who_wins(text):  # oracle: the mover loses exactly at multiples of 4
    state = NIM.start()
    search = searching(NIM, text)
    lines = best_lines(search, state, search.choose(state), 3)
    assert {one.move: one.value for one in lines} == {1: 1.0, 2: -1.0, 3: -1.0} and lines[0].move == 1
    assert all(one.unit == "decided" and one.line[0] == one.move for one in lines)


def test_lines_are_played_to_where_their_value_is_true():
    search = searching(TIC, "alphabeta:depth=9")
    state = TIC.position("X.O/.X./..O")  # O threatens nothing that X does not win first
    for one in think(search, state, lines=3).lines:
        end = state
        for move in one.line:
            end = end.play(move)
        assert end.over and end.payoff(0) == one.value


@pytest.mark.parametrize(
    ("text", "unit"), [("uct:playouts=50", "payoff"), ("alphabeta:depth=1", "points"), ("mcts:playouts=50", "payoff")]
)
def test_values_say_their_unit(text, unit):
    found = analyse("connect-four", text, mode="plain")
    assert found.unit == unit and found.to_dict()["unit"] == unit and not found.to_dict()["decided"]


def test_monte_carlo_lines_have_visits_in_their_order():
    found = analyse(TIC, "uct:playouts=200", lines=4, mode="plain")
    visits = [one.visits for one in found.lines]
    assert len(visits) == 4 and visits == sorted(visits, reverse=True)


def test_where_nature_moves_the_value_is_the_mean():
    state = load("pig:goal=10").position("8,8:0+0*")  # the die is in the air: 2 and more win
    found = analyse("pig:goal=10", "expectimax:depth=2", position=state, mode="plain")
    assert [round(one.chance, 6) for one in found.outcomes] == [round(1 / 6, 6)] * 6
    assert found.value == pytest.approx(sum(one.chance * one.value for one in found.outcomes))
    assert all(one.value == 1 and one.unit == "decided" for one in found.outcomes[1:])


def test_a_missed_win_a_losing_move_and_nothing_else_are_told():
    states, codes = game_of(NIM, "2 1 3 3")  # 9: 1 wins, 2 does not; at 7 the other may win by 3, and takes 1; …
    found = analyse_game(searching(NIM, "alphabeta:depth=9"), states, codes, ("a", "b"))
    assert [(one.ply, one.verdict) for one in found.faults] == [(0, "missed win"), (1, "missed win"), (2, "missed win")]
    assert [one.best for one in found.faults] == ["1", "3", "2"]
    assert found.values == (1.0, -1.0, 1.0, -1.0, -1.0)


def test_from_a_draw_into_a_loss_is_a_losing_move():
    states, codes = game_of(TIC, "b2 b1")  # a corner holds the draw, a side does not
    found = analyse_game(searching(TIC, "alphabeta:depth=9"), states, codes, ("a", "b"))
    assert [(one.move, one.verdict) for one in found.faults] == [("b1", "losing move")]


def test_three_players_have_no_common_value():
    game = load("li-nim")
    with pytest.raises(CannotPlay, match="li-nim has 3 players"):
        analyse_game(searching(game, "uct:playouts=10"), [game.start()], [], ("a", "b", "c"))


def test_budgets_grow_and_endless_ones_never_stop():
    assert [str(one) for one in stages(agent("alphabeta:depth=3"))][:2] == ["alphabeta:depth=1", "alphabeta:depth=2"]
    endless = stages(agent("uct:playouts=100"), endless=True)
    assert [next(endless).playouts for _ in range(5)] == [100, 200, 400, 800, 1600]
    with pytest.raises(BadParameter, match="neither depth nor playouts"):
        next(stages(agent("random"), endless=True))


def test_a_curve_is_drawn_with_letters_as_a_picture_and_as_a_page():
    states, codes = game_of(NIM, "2 1 3 3")
    found = analyse_game(searching(NIM, "alphabeta:depth=9"), states, codes, ("Ada", "<b>"))
    lines = curve_text(found).splitlines()
    assert lines[0].startswith("       1 |o") and "ply 0 to 4" in lines[-1]
    svg = ElementTree.fromstring(curve_svg(found))
    assert len([one for one in svg if one.tag.endswith("circle")]) == 3 + 1  # the legend has one, too
    page = analysis_page(found, codes)
    assert page.count('class="step"') == 5 and "&lt;b&gt;" in page and "<b>" not in page and "http://" in page
    assert "src=" not in page and "href=" not in page  # all in one file
    assert json.dumps(found.to_dict()) and found.rows()[0]["verdict"] == "missed win"


def test_what_is_decided_stands_beyond_all_points():
    game = load("connect-four")
    states, codes = game_of(game, "a b a b a b a")
    found = analyse_game(searching(game, "alphabeta:depth=1"), states, codes, ("a", "b"))
    points = [abs(v) for v, unit in zip(found.values, found.units, strict=True) if unit == "points"]
    assert found.units[-1] == "decided" and found.levels[-1] > max(points)


def test_boards_of_a_game_mark_the_last_move():
    states, codes = game_of(TIC, "b2 a1")
    boards = pictures(states, codes)
    assert "lw-fill-mark" not in boards[0] and all(board.count("lw-fill-mark") == 1 for board in boards[1:])
