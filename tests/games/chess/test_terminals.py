"""The terminals of endgame players: known values on nine boards, and what they say on random ones."""

import pytest

from ludwin.games.chess.language import NAMES
from ludwin.games.chess.opponents.advised import board_values
from ludwin.games.chess.opponents.printed import gpec190
from ludwin.library import load

START = "8/8/6K1/8/2r1k3/R7/7q/3Q4 w - - 0 1"  # the reconstructed position of Evolved to Win, figure 5.2
BOARDS = (
    (START, "Qd3+"),
    (START, "Qg4+"),
    (START, "Qb1+"),
    (START, "Ra4"),
    ("8/8/6K1/4k3/2r5/R2Q4/7q/8 w - - 0 1", "Qxc4"),
    ("6k1/8/6K1/8/8/8/r7/4R3 w - - 0 1", "Re8#"),
    ("4r2k/8/8/8/8/8/8/R5K1 w - - 0 1", "Ra8"),
    ("1r6/8/8/8/R7/6k1/8/7K w - - 0 1", "Ra2"),
    ("r5k1/8/8/8/8/8/8/3Q2K1 w - - 0 1", "Qd5+"),
)
# Worked out by an independent program when the terminals were defined (definitions: docs/reference/chess-endings.md).
KNOWN = """
NotMyKingInCheck 1 1 1 1 1 1 1 1 1
IsOppKingInCheck 1 1 1 0 0 1 0 0 1
MyKingDistEdges 1 1 1 1 1 1 0 0 0
OppKingProximityToEdges 0 0 0 0 0 3 3 2 3
NumMyPiecesNotAttacked 1 2 2 1 2 1 0 1 1
NumOppPiecesAttacked 1 0 0 1 0 0 1 0 1
ValueMyPiecesAttacking 9 9 9 5 0 5 5 0 9
ValueOppPiecesAttacking 0 0 0 5 0 0 5 0 0
IsMyQueenNotAttacked 0 1 1 1 1 1 1 1 1
AreMyPiecesUnattacked 0 1 1 0 1 1 0 1 1
IsOppQueenAttacked 0 0 0 0 0 0 0 0 0
IsMyFork 1 0 0 0 0 0 0 0 1
IsOppNotFork 1 1 1 1 1 1 1 1 1
NumMovesMyKing 4 4 4 4 3 5 5 1 5
NumNotMovesOppKing 6 6 4 5 7 8 5 3 4
MyKingProxRook 1 1 1 1 1 5 0 0 0
OppKingDistRook 2 2 2 2 7 6 3 5 6
MyPiecesSameLine 1 0 0 0 0 0 0 0 0
OppPiecesNotSameLine 1 1 1 1 1 1 1 1 1
IsOppKingProtectingPiece 0 0 0 0 0 0 0 0 0
IsMyKingProtectingPiece 0 0 0 0 0 0 0 0 0
EvaluateMaterial 0 0 0 0 5 0 0 0 4
IsMaterialIncrease 0 0 0 0 1 0 0 0 0
IsMate 0 0 0 0 0 1 0 0 0
IsMateInOne 0 0 0 0 0 0 0 1 0
OppPieceCanBeCaptured 1 0 0 1 0 0 1 0 1
MyPieceCannotBeCaptured 1 1 1 1 1 1 0 1 1
IsOppKingStuck 1 1 1 1 1 1 0 0 0
IsMyKingNotStuck 1 1 1 1 0 1 1 0 1
IsOppKingBehindPiece 0 0 0 0 0 0 1 0 0
IsMyKingNotBehindPiece 1 1 1 1 1 1 1 1 1
IsOppPiecePinned 0 0 0 1 0 0 1 0 0
IsMyPieceNotPinned 1 1 1 1 1 1 1 1 1
"""
ROWS = {line.split()[0]: [float(cell) for cell in line.split()[1:]] for line in KNOWN.strip().splitlines()}
GPEC = (6, 6, 4, 0, 0, 8, 1, 1, 4)


def seen(fen, move, mode="fast"):
    state = load("chess").position(fen)
    return board_values(state, state.parse(move), gpec190(), mode)


@pytest.mark.parametrize("mode", ["fast", "plain"])
def test_all_33_terminals_have_their_known_values_on_nine_boards(mode):
    found = [seen(fen, move, mode) for fen, move in BOARDS]
    assert list(ROWS) == list(NAMES)
    assert {name: [board[name] for board in found] for name in NAMES} == ROWS
    assert tuple(board[""] for board in found) == GPEC


def test_gpec190_repeats_the_first_column_of_table_5_1_move_by_move():
    state = load("chess").position(START)
    values = {state.name(move): board_values(state, move, gpec190())[""] for move in state.moves()}
    assert len(values) == 39
    listed = {"Qd3+": 6.0, "Qf3+": 6.0, "Qg4+": 6.0, "Qe1+": 5.0, "Qb1+": 4.0}
    assert {name: value for name, value in values.items() if value} == listed


def test_gpec190_is_the_program_that_is_printed():
    assert (len(gpec190()), gpec190().depth) == (136, 6)
    names = [gpec190().primitive(at).name for at in range(136)]
    assert names.count("IsMateInOne") == 8
    used = {name for name in names if not gpec190().language.primitives[gpec190().language.number[name]].takes}
    assert (len(used), len(set(names)) - len(used)) == (15, 7)
