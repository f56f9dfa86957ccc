"""Boards: every move has a path of its own, the same every time, and nothing hidden shows."""

import re

import pytest

from ludwin import load
from ludwin.play.referee import Referee
from ludwin.play.session import PlaySession
from ludwin.primitives import CHANCE, draw, stream
from ludwin.rules.boards import learn
from ludwin.rules.pictures import lattice_of, paths_of
from ludwin.web.cleaning import BadPicture, clean
from ludwin.web.sight import TableSight
from tests.web.conftest import GAMES

PROMOTION = r"=[QRBN][+#]?$|(?<=[a-h][18])[qrbn]$"
BOARD_GAMES = ("tic-tac-toe", "connect-four", "reversi", "draughts", "lose-checkers", "draughts:size=10")
OWN = tuple(str(GAMES / f"{name}.py") for name in ("breakthrough", "hexagon", "slide"))


def walk(game, games: int, plies: int):
    """Yield positions of random games at which somebody is to move."""
    for number in range(games):
        rng, state = [stream(number, 3)], game.start()
        for _ in range(plies):
            legal = state.moves()
            if not legal:
                break
            if state.mover != CHANCE:
                yield state
            state = state._play(legal[draw(rng, len(legal))])


def count(name: str, games: int = 6, plies: int = 120) -> tuple[int, int]:
    """Return how many moves random games have, and how many of them have a path of their own.

    A move without places counts if it is the only such move of its position (a pass): it has a button of its own. The
    four promotions of a pawn, which are one way on the board, open a menu and count as one.
    """
    total = own = 0
    for state in walk(load(name), games, plies):
        legal = state.moves()
        paths = paths_of(state, legal, state.picture())
        ways = {re.sub(PROMOTION, "", state.name(move)) if name == "chess" else str(move): move for move in legal}
        keys = [tuple(paths[move]) for move in ways.values()]
        total += len(keys)
        own += sum(keys.count(key) == 1 for key in keys)
    return total, own


@pytest.mark.parametrize("name", [*BOARD_GAMES, "chess", "backgammon", *OWN])
def test_every_move_has_a_path_of_its_own(name):
    total, own = count(name, games=1, plies=40)
    assert own == total > 0


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*BOARD_GAMES, "chess", "backgammon", *OWN])
def test_every_move_of_six_games_has_a_path_of_its_own(name):
    total, own = count(name)
    assert own == total > 0


@pytest.mark.parametrize("name", OWN)
def test_a_learnt_path_leads_where_the_move_is_seen(name):
    game = load(name)
    for state in walk(game, 1, 12):
        for move, path in paths_of(state, state.moves()).items():
            before, after = (
                {square[0]: square[1] for row in game.lattice.board(text) for square in row if square}
                for text in (state.show(), state._play(move).show())
            )
            changed = {place for place in before if before[place] != after[place]}
            assert set(path) <= changed
            assert path[-1] in changed


def test_a_board_is_learnt_twice_the_same():
    game = load(OWN[0])
    assert lattice_of(game) == lattice_of(game)
    assert learn([]) is None


@pytest.mark.parametrize("seeds", [1, pytest.param(25, marks=pytest.mark.thorough)])
def test_nothing_that_is_hidden_shows_in_a_view(seeds):
    game = load("kuhn-poker")
    for seed in range(seeds):
        referee = Referee(game, seed)
        while referee.state.mover == CHANCE:
            referee.play(referee.draw())
        sight = TableSight(PlaySession(referee, (None, None), one_screen=False))
        for seat in (0, 1):
            twin = Referee(game, seed)
            # The same cards for this seat, another one for the other: the views must be equal.
            views = [sight.view(seat=seat)]
            for other in twin.states[0].moves():
                again = Referee(game, seed)
                again.play(referee.played[0] if seat == 0 else other)
                for second in again.state.moves():
                    one = Referee(game, seed)
                    one.play(again.played[0])
                    one.play(second)
                    if one.state.mover == CHANCE:
                        continue
                    cards = [one.states[k].name(m) for k, m in enumerate(one.played)]
                    mine = [referee.states[k].name(m) for k, m in enumerate(referee.played)]
                    if cards[seat] == mine[seat]:
                        views.append(TableSight(PlaySession(one, (None, None), one_screen=False)).view(seat=seat))
            texts = {re.sub(r"\s+", " ", view["text"]) for view in views}
            assert len(texts) == 1, texts
            assert views[0]["position"] is None


SVG = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        '<rect onload="alert(1)"/>',
        '<a href="javascript:alert(1)"><rect/></a>',
        '<use href="http://evil.example/x.svg#a"/>',
        '<image href="data:image/png;base64,x"/>',
        '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>',
        '<rect style="background:url(http://evil.example)"/>',
        '<rect fill="url(http://evil.example/#x)"/>',
        "<style>@import 'http://evil.example'</style>",
        '<set attributeName="href" to="javascript:alert(1)"/>',
        '<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>',
    ],
)
def test_what_could_run_or_refer_elsewhere_falls_away(inside):
    made = clean(SVG.format(inside))
    assert not re.search(r"alert|evil|javascript|data:|style", made), made


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + SVG.format("&b;"), "document type"),
        (SVG.format("<g/>" * 20001), "20,000 elements"),
        (SVG.format("<g>" * 100 + "</g>" * 100), "nested"),
        ("x" * (2 * 2**20 + 1), "2 MB"),
        ("<html/>", "must be an <svg>"),
        ("no", "no XML"),
    ],
)
def test_bombs_are_refused(text, told):
    with pytest.raises(BadPicture, match=told):
        clean(text)


def test_our_own_drawings_survive_the_cleaning():
    for name in ("draughts", "chess", "carcassonne", "backgammon"):
        svg = load(name).start().picture()
        assert re.findall(r'data-at="[^"]*"', clean(svg)) == re.findall(r'data-at="[^"]*"', svg)
