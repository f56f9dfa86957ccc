"""What is won by force, by captures and checks: hand-made boards, and another way to reckon on drawn ones."""

from dataclasses import replace

import pytest

from ludwin.games.chess.evolve.endings import Endings
from ludwin.games.chess.language import NAMES, TACTICAL, laboratory, language, sums
from ludwin.games.chess.opponents.advised import Advised, board_values
from ludwin.games.chess.opponents.tactics import BEYOND, MATED, PLIES, THREAT_PLIES
from ludwin.library import load
from ludwin.program.text import read
from ludwin.search.programs import Programs

LOST, MATED_BY_THEM, WON, MATED_BY_ME, THREAT, MATE_THREAT = TACTICAL
# Moves, and what is not 0 on the boards behind them; those of Black come from lost games of an evolved player.
BOARDS = {
    # Rc8+ Rf8 Rxf8 is mate; Black's rook on h7 attacks one that nobody protects.
    ("7k/4R3/8/2R5/5r2/7r/6K1/8 b - - 3 2", "Rh7"): {MATED_BY_THEM: 1, THREAT: 5},
    ("7k/4R2r/8/2R5/5r2/8/6K1/8 w - - 4 3", "Rc8+"): {MATED_BY_ME: 1},
    # Rc2+ drives the king away from the rook that it guards.
    ("7R/8/8/r7/5K2/1r6/7k/2R5 b - - 5 3", "Rh3"): {LOST: 5, THREAT: 5},
    # A check, a rook put between, another check that forks king and rook: five plies.
    ("1r1r4/8/2K5/8/8/3k3R/R7/8 b - - 21 11", "Kc4"): {LOST: 5},
    # Two checks, the second of which attacks the rook on h2; White threatens mate meanwhile.
    ("8/8/7k/K7/7r/3q4/R7/6Q1 w - - 0 1", "Rh2"): {LOST: 5, MATE_THREAT: 1},
    # A skewer: the king must go, and the queen behind it falls.
    ("8/8/8/q3k3/8/8/5K2/7R w - - 0 1", "Rh5+"): {WON: 9},
    # White threatens Rb8 mate; Black has time.
    ("6k1/8/8/8/8/8/R7/1R2K3 w - - 0 1", "Ra7"): {MATE_THREAT: 1},
    # The rook is taken at once, though it attacks the queen.
    ("8/8/8/4k3/q7/8/4K2R/8 w - - 0 1", "Rh4"): {LOST: 5, THREAT: 9},
    # Quiet moves win here, too, but they are not looked at.
    ("8/8/8/4k3/8/8/4K2R/q7 w - - 0 1", "Ke3"): {},
}


def tactical(fen, move, mode="fast"):
    state = load("chess").position(fen)
    found = board_values(state, state.parse(move), mode=mode)
    return {name: found[name] for name in TACTICAL if found[name]}


@pytest.mark.parametrize("mode", ["fast", "checked", "plain"])
def test_known_boards(mode):
    for (fen, move), wanted in BOARDS.items():
        assert tactical(fen, move, mode) == wanted, (fen, move)


def test_what_is_ours_is_in_a_flavour_of_its_own():
    def readable(words):
        return {one.name for one in words.primitives if one.reads}

    assert len(TACTICAL) == 6 and set(TACTICAL) <= readable(laboratory())
    assert readable(sums()) == readable(language()) == set(NAMES) and readable(sums("tactical")) == {*NAMES, *TACTICAL}
    assert sums().name != sums("tactical").name


def test_who_looks_at_more_forced_play_sees_a_longer_chase():
    game = load("chess")
    state = game.position("1r1r4/8/2K5/8/8/3k3R/R7/8 b - - 21 11")
    kept = Advised().with_brain(Programs((read(sums("tactical"), "Times(ValueOppWinsByForce, -1.0)"),)))
    lost = {}
    for plies in (1, 3, 5, 9):
        advised = replace(kept, forced=plies)
        found = advised.choose(game, state, seed=1)
        assert found.values == advised.choose(game, state, seed=1, mode="plain").values
        lost[plies] = -found.values[state.parse("Kc4")]
    assert lost == {1: 0.0, 3: 0.0, 5: 5.0, 9: 5.0}


# ---- Another way: python-chess, no cuts ------------------------------------------------------------------------------


def worth(chess, board, square):
    return {None: 0, chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}[
        board.piece_type_at(square)
    ]


def by_one_capture(chess, board):
    """Return what one capture wins, counted by attacks; a king does not take what is protected."""
    best = 0
    for square in chess.SquareSet(board.occupied_co[not board.turn]):
        takers = [
            board.piece_type_at(one) for one in board.attackers(board.turn, square) if board.king(board.turn) != one
        ]
        by_king = board.king(board.turn) in board.attackers(board.turn, square)
        if not board.is_attacked_by(not board.turn, square):
            best = max(best, worth(chess, board, square) * bool(takers or by_king))
        elif takers:
            least = min(takers)  # pawn, knight, bishop, rook, queen
            cost = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}[least]
            best = max(best, worth(chess, board, square) - cost)
    return best


def exhaustive(chess, board, depth, level=0):
    """Return what the mover wins by force, all lines looked at."""
    pressed = board.is_check()
    if depth == 0 and not pressed:
        return by_one_capture(chess, board)
    if level == PLIES + BEYOND:
        return 0
    moves = [] if board.is_insufficient_material() else list(board.legal_moves)
    if not moves:
        return -MATED if board.is_checkmate() else 0
    values = [] if pressed else [0]
    for move in moves:
        won, checks = worth(chess, board, move.to_square), board.gives_check(move)
        if not (won or pressed or checks):
            continue
        board.push(move)
        if won or pressed or depth > 1:
            values.append(won - exhaustive(chess, board, max(depth - 1, 0), level + 1))
        else:
            values.append(MATED if board.is_checkmate() else 0)
        board.pop()
    return max(values)


def told(value):
    """Return a value as a number of men and a truth about mate."""
    return (float(value) if 0 < value < MATED // 2 else 0.0, float(value >= MATED // 2))


@pytest.mark.parametrize(("name", "starts"), [("KRKR", 6), ("KQKR", 2), ("KRRKRR", 6), ("KQKQ", 1)])
def test_a_search_without_cuts_finds_the_same(name, starts):
    chess = pytest.importorskip("chess")
    endings, found = Endings((name,)), []
    for seed in range(starts):
        state = endings.start(0, seed)
        for move in state.moves()[::5]:
            board = chess.Board(state.play(move).write())
            pressed = board.is_check()
            forced = exhaustive(chess, board, PLIES + pressed)
            threat = 0
            if not pressed:
                board.push(chess.Move.null())
                threat = exhaustive(chess, board, THREAT_PLIES)
            values = board_values(state, move)
            wanted = (*told(forced), *told(-forced), *told(threat))
            assert tuple(values[one] for one in TACTICAL) == wanted, (state.write(), state.name(move))
            found.append(wanted)
    assert len(set(found)) > 1
