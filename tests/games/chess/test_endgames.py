"""Endgame tables: known numbers, a twin by plain search, damaged files, and what players make of them."""

import random

import pytest

from ludwin import agent, load
from ludwin.cli import main
from ludwin.errors import BadParameter, BadPosition, CannotPlay
from ludwin.games.chess.opponents import endgames
from ludwin.games.chess.opponents.brain import Endgames
from ludwin.games.chess.opponents.endgames import (
    best_line,
    build,
    file_of,
    graded,
    probe,
    read_table,
    table,
    write_table,
)
from ludwin.games.chess.opponents.material import all_endings, ending
from ludwin.kernel import cache
from ludwin.play.referee import play_game

CHESS = load("chess")
# Positions with White's king in one of the ten squares of the triangle a1-d1-d4, Black to move, by moves to mate: the
# UCI data set "Chess (King-Rook vs. King)" of M. Bain and A. van Hoff (1994).
KRK = {
    "draw": 2796, 0: 27, 1: 78, 2: 246, 3: 81, 4: 198, 5: 471, 6: 592, 7: 683, 8: 1433, 9: 1712, 10: 1985, 11: 2854,
    12: 3597, 13: 4194, 14: 4553, 15: 2166, 16: 390,
}  # fmt: skip


@pytest.mark.parametrize(("name", "moves"), [("KQK", 10), ("KRK", 16), ("KPK", 28)])
def test_the_longest_win_is_the_known_one(name, moves):
    assert table(name, CHESS).longest(0)[0] == 2 * moves - 1
    assert table(name, CHESS).longest(1) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "moves"),
    [("KQKR", 35), ("KBNK", 33), ("KBBK", 19), ("KRKN", 40), ("KRKB", 29), ("KQKN", 21), ("KQKB", 17), ("KQKP", 28)],
)
def test_the_longest_win_of_four_men_is_the_known_one(name, moves):
    assert table(name, CHESS).longest(0)[0] == 2 * moves - 1


def test_king_and_rook_have_the_published_classes():
    """28,056 positions: each up to the eight symmetries of the board, kings apart, Black to move."""
    found: dict[object, int] = dict.fromkeys(KRK, 0)
    seen = set()
    krk = table("KRK", CHESS)
    for number in range(krk.ending.half, 2 * krk.ending.half):
        code = krk.data[number]
        if code == 255:
            continue
        _, squares = krk.squares(number)
        images = [tuple(turn(square) for square in squares) for turn in TURNS]
        least = min(images)
        if least in seen:
            continue
        seen.add(least)
        found["draw" if code == 0 else (code - 1) // 2] += 1
    assert sum(found.values()) == 28056
    assert found == KRK


def _diagonal(square):
    return square % 8 * 8 + square // 8


TURNS = [
    lambda square, x=x, y=y, d=d: (_diagonal(square) if d else square) ^ (7 * x) ^ (56 * y)
    for x in (0, 1) for y in (0, 1) for d in (0, 1)
]  # fmt: skip


def test_counts_of_king_and_rook_are_all_the_legal_ones():
    """A position is legal if an independent test says so."""
    krk, rng = table("KRK", CHESS), random.Random(5)
    for _ in range(400):
        number = rng.randrange(2 * krk.ending.half)
        mover, (white, black, rook) = krk.squares(number)
        near = max(abs(white % 8 - black % 8), abs(white // 8 - black // 8)) <= 1
        same_line = rook % 8 == black % 8 or rook // 8 == black // 8
        if len({white, black, rook}) < 3 or near:
            assert krk.data[number] == 255
        elif not same_line or mover == 1:
            assert krk.data[number] != 255


@pytest.mark.parametrize("name", ["KQK", "KRK", "KPK"])
def test_every_verdict_is_the_best_of_what_its_moves_lead_to(name):
    one, rng, looked = table(name, CHESS), random.Random(name), 0
    while looked < 60:
        number = rng.randrange(2 * one.ending.half)
        if one.data[number] != 255:
            must_be_best(one.state(CHESS, number))
            looked += 1


def must_be_best(state):
    verdict = probe(state)
    moves = [one.rank for one in graded(state).values()] if not state.over else []
    if moves:
        assert verdict.rank == max(moves), state.write()
    elif state.payoffs()[state.mover] < 0:
        assert (verdict.result, verdict.dtm) == ("loss", 0)
    else:
        assert verdict.result == "draw"


@pytest.mark.slow
@pytest.mark.parametrize("name", [one.name for one in all_endings()])
def test_every_verdict_of_every_ending_is_the_best_of_what_its_moves_lead_to(name):
    one, rng, looked = table(name, CHESS), random.Random(name), 0
    while looked < 300:
        number = rng.randrange(2 * one.ending.half)
        if one.data[number] != 255:
            must_be_best(one.state(CHESS, number))
            looked += 1


@pytest.mark.slow
def test_a_table_is_the_same_in_all_modes():
    for mode in ("plain", "checked"):
        assert build(ending("KRK"), CHESS, mode) == table("KRK", CHESS).data


def test_colours_may_be_exchanged():
    for fen, mirrored in (
        ("8/8/8/3k4/8/8/8/R3K3 w - -", "r3k3/8/8/8/3K4/8/8/8 b - -"),
        ("8/8/8/3k4/8/4P3/8/4K3 b - -", "4k3/8/4p3/8/3K4/8/8/8 w - -"),
    ):
        assert probe(CHESS.position(fen)) == probe(CHESS.position(mirrored))


def test_the_best_line_ends_with_mate():
    state = CHESS.position("8/8/8/3k4/8/8/8/R3K3 w - - 0 1")
    plies = probe(state).dtm
    line = list(best_line(state))
    assert len(line) == plies
    for move in line:
        state = state.play(move)
    assert state.over and state.payoffs()[0] == 1


def test_endings_are_named_once():
    assert len(all_endings()) == 35
    assert {ending(text).name for text in ("KRKQ", "kqkr", "KQvKR")} == {"KQKR"}
    for text in ("KQ", "KK", "KQRBK", "QKK", "KXK", "", "KQRKQR"):
        with pytest.raises(BadParameter):
            ending(text)


def test_a_damaged_table_is_built_again(tmp_path, monkeypatch):
    monkeypatch.setattr(endgames, "place", lambda: tmp_path)
    one = ending("KRK")
    good = table("KRK", CHESS).data
    write_table(one, good)
    whole = file_of(one).read_bytes()
    assert read_table(one) == good
    middle = len(whole) // 2
    for spoilt in (
        b"",
        whole[:-7],
        whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        b"{}\n" + whole,
        whole.replace(b"KRK", b"KQK"),
        b"\0" * 500,
        whole.replace(b'"version": 1', b'"version": 9'),
    ):
        file_of(one).write_bytes(spoilt)
        assert read_table(one) is None
    monkeypatch.setattr(endgames, "_known", {})
    monkeypatch.setattr(cache, "announce", (said := []).append)
    assert table("KRK", CHESS).data == good
    assert said == ["building the endgame table KRK (once)"] and read_table(one) == good


def test_a_table_that_cannot_be_kept_is_used_all_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(endgames, "place", lambda: tmp_path)
    monkeypatch.setattr(endgames, "_known", {})
    file_of(ending("KNK")).mkdir()
    assert main(["endgame", "KNK", "--build"]) == 0
    assert "51,374 positions, 0 won" in capsys.readouterr().out


def test_the_agent_mates_and_the_brain_agrees():
    game = load("chess", start="8/8/8/3k4/8/8/8/R3K3 w - - 0 1")
    plies = probe(game.start()).dtm
    played = play_game(game, [agent("endgame", game), agent("endgame", game)], 0)
    assert len(played.moves) == plies and played.payoffs == (1.0, -1.0)
    searcher = agent("alphabeta:depth=1").with_brain(Endgames(("KRK",)))
    state = game.start()
    choice = searcher.choose(game, state)
    assert graded(state)[choice.move].dtm == plies
    assert choice == searcher.choose(game, state, mode="plain")
    with pytest.raises(CannotPlay, match="for chess"):
        searcher.choose(load("draughts"), load("draughts").start())


def test_the_agent_is_not_sure_of_a_win_that_fifty_moves_may_end():
    player = agent("endgame", CHESS)
    for quiet, sure in ((73, True), (74, False)):  # mate is 27 plies away
        assert player.choose(CHESS, CHESS.position(f"8/8/8/3k4/8/8/8/R3K3 w - - {quiet} 70")).decided == sure


def test_more_men_are_left_to_another_agent():
    assert agent("endgame:otherwise=random", CHESS).choose(CHESS, CHESS.start(), seed=1).move in CHESS.start().moves()
    for other in ("process:./bot", "uci:stockfish", "./mine.py", "human", "endgame"):
        with pytest.raises(CannotPlay, match="name"):
            agent(f"endgame:otherwise={other}").suits(CHESS)
    with pytest.raises(CannotPlay, match="at most 4 men"):
        probe(CHESS.start())


def test_the_command_tells_what_becomes_of_a_position(capsys):
    assert main(["endgame", "KRK", "--probe", "8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "--json"]) == 0
    assert '"result": "win"' in capsys.readouterr().out
    assert main(["endgame", "KRK", "--stats"]) == 0
    assert "longest win: 16 moves" in capsys.readouterr().out
    for quiet in (99, 100):  # counters are left aside
        assert main(["endgame", "KRK", "--probe", f"8/8/8/3k4/8/8/8/R3K3 w - - {quiet} 70"]) == 0
        assert "mate in 27 plies (14 moves)\nKe2 Kc4 " in capsys.readouterr().out
    for words, reason in (
        (["KQQQK"], "three and four men"),
        (["KQK", "--probe", "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"], "this is KRK"),
        (["KRK", "--probe", "nonsense"], "cannot read"),
        (["KRK", "--probe", "8/8/8/3k4/8/8/8/R3K3 w Q - 0 1"], "and none knows castling"),
        (["all", "--probe", "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"], "for one ending"),
    ):
        assert main(["endgame", *words]) == 2
        assert reason in capsys.readouterr().err


def test_king_and_pawn_in_passing_is_no_draw_by_mistake():
    """A pawn that may be taken in passing: python-chess's own tables agree (slow test below)."""
    state = CHESS.position("8/8/8/8/1pP1k3/8/8/4K3 b - c3 0 1")
    assert probe(state).rank == max(one.rank for one in graded(state).values())


@pytest.mark.slow
@pytest.mark.parametrize("name", [one.name for one in all_endings()])
def test_results_are_those_of_syzygy(name):
    import os

    chess = pytest.importorskip("chess")
    syzygy = pytest.importorskip("chess.syzygy")
    folder = os.environ.get("LUDWIN_SYZYGY", "")
    if not os.path.isdir(folder):
        pytest.skip("LUDWIN_SYZYGY names no folder of Syzygy tables (data/syzygy/regular of the source of `chess`)")
    one, rng, looked = ending(name), random.Random(f"syzygy {name}"), 0
    with syzygy.open_tablebase(folder) as known:
        while looked < 2000:
            board = chess.Board(None)
            flip = rng.random() < 0.5
            for (side, piece), square in zip(one.men, rng.sample(range(64), len(one.men)), strict=True):
                board.set_piece_at(square, chess.Piece(piece + 1, (side == 0) != flip))
            board.turn = rng.random() < 0.5
            if board.is_valid():
                try:
                    state = CHESS.position(board.fen())
                except BadPosition:  # two knights or pawns give check, which no move brings about
                    continue
                looked += 1
                wdl = known.probe_wdl(board)
                assert probe(state).value == (wdl > 0) - (wdl < 0), board.fen()
