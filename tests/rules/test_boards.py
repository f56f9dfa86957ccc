"""Boards that are learnt from `show`: what is a square, whose is a piece, where a move goes."""

import random

import pytest

from ludwin import load
from ludwin.errors import RuleError
from ludwin.rules.boards import Sight, learn
from ludwin.svg import places

BREAKTHROUGH = '''"""Breakthrough on 5x5: men go forward, and take slantwise; who arrives first wins."""
FIELDS = {"board": 25, "turn": int}
MAX_MOVES = 64


def setup(s):
    for k in range(10):
        s.board[k] = 1
        s.board[24 - k] = 2


def mover(s):
    return s.turn


def moves(s, out):
    n = 0
    for c in range(5):
        if s.board[c] == 2 or s.board[20 + c] == 1:
            return 0
    step = 5 if s.turn == 0 else -5
    for k in range(25):
        if s.board[k] == s.turn + 1:
            for side in range(-1, 2):
                to = k + step + side
                if 0 <= to < 25 and 0 <= k % 5 + side < 5:
                    if s.board[to] == 0 or (side != 0 and s.board[to] == 2 - s.turn):
                        out[n] = 25 * k + to
                        n += 1
    return n


def play(s, m):
    s.board[m % 25] = s.turn + 1
    s.board[m // 25] = 0
    s.turn = 1 - s.turn


def payoff(s, p):
    return -1 if s.turn == p else 1


def show(s):
    rows = [" ".join(".xo"[s.board[5 * r + c]] for c in range(5)) for r in range(5)]
    return "\\\\n".join([f"{5 - r} {row}" for r, row in enumerate(rows)] + ["  a b c d e", f"player {s.turn} to move"])
'''


@pytest.fixture(scope="module")
def breakthrough(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "breakthrough.py"
    path.write_text(BREAKTHROUGH.replace("\\\\n", "\\n"))
    return load(str(path))


def test_a_users_game_with_nothing_but_show_has_a_board(breakthrough):
    lattice = breakthrough.lattice
    assert len(lattice.squares) == 25 and lattice.empty == "." and lattice.owners == {"x": 0, "o": 1}
    svg = breakthrough.start().picture()
    assert set(places(svg)) == {f"{c}{r}" for c in "abcde" for r in range(1, 6)}
    assert svg.count("lw-fill-first") == svg.count("lw-fill-second") == 10 and "player 0 to move" in svg


def test_every_move_of_it_is_two_clicks_that_nothing_else_is(breakthrough):
    rng, state = random.Random(5), breakthrough.start()
    while legal := state.moves():
        paths = [tuple(state.places(move)) for move in legal]
        assert all(len(path) == 2 for path in paths) and len(set(paths)) == len(paths)
        state = state._play(rng.choice(legal))


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "reversi", "draughts"])
def test_what_is_learnt_of_our_boards_is_the_board(name):
    game = load(name)
    lattice = game.lattice
    sizes = {"tic-tac-toe": 9, "connect-four": 42, "reversi": 64, "draughts": 32}
    assert len(lattice.squares) == sizes[name] and lattice.empty == "."
    assert lattice.owners["b" if name == "draughts" else "X"] == 0
    if name == "reversi":
        assert lattice.squares[1, 2] == "a1"


@pytest.mark.parametrize("name", ["nim", "pig", "kuhn-poker", "li-nim"])
def test_a_drawing_without_a_board_has_none(name):
    assert load(name).lattice is None


def test_nothing_is_learnt_from_one_picture():
    assert learn([[Sight("a b\nc d", -1)]]) is None and learn([]) is None


def test_what_squares_may_say_is_examined(tmp_path):
    text = (
        '"""Heap."""\nFIELDS = {"heap": int}\nMAX_MOVES = 1\n\n\ndef setup(s):\n    s.heap = 3\n\n\n'
        "def mover(s):\n    return s.heap % 2\n\n\ndef moves(s, out):\n    out[0] = 1\n    return min(s.heap, 1)\n\n\n"
        "def play(s, m):\n    s.heap -= m\n\n\ndef payoff(s, p):\n    return 1 if p else -1\n\n\n"
        "def squares(s):\n    return {}\n"
    )
    (tmp_path / "heap.py").write_text(text)
    with pytest.raises(RuleError, match=r"heap.py:27: squares must return rows of \(name, piece\) or None"):
        load(str(tmp_path / "heap.py")).start().picture()
    (tmp_path / "bare.py").write_text(text.partition("def squares")[0])
    assert "heap=3" in load(str(tmp_path / "bare.py")).start().picture()  # from FIELDS
