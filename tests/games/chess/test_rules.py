"""The laws of chess: published counts, python-chess as a twin, and what FEN is refused for."""

import random
import shutil

import pytest

from ludwin import check, load, perft
from ludwin.errors import BadParameter, BadPosition, IllegalMove
from ludwin.games.chess import attacks
from ludwin.games.chess.exchange import keeps_material
from ludwin.games.chess.fen import as_state, write_fen
from ludwin.games.chess.starts import first_cells

CHESS = load("chess")
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"
ROOKS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -"
PERFT = {  # the collection of the Chess Programming Wiki
    "startpos": (20, 400, 8902, 197281, 4865609, 119060324),
    KIWIPETE: (48, 2039, 97862, 4085603, 193690690),
    ROOKS: (14, 191, 2812, 43238, 674624, 11030083),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (44, 1486, 62379, 2103487),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": (46, 2079, 89890, 3894594),
}


@pytest.mark.parametrize("fen", PERFT)
def test_counts_the_published_positions(fen):
    state = CHESS.position(fen)
    for depth, count in enumerate(PERFT[fen][:4], 1):
        assert perft(CHESS, depth, state) == count
    assert perft(CHESS, 3, state, each=True) == PERFT[fen][2]


@pytest.mark.slow
@pytest.mark.parametrize("fen", PERFT)
def test_counts_the_published_positions_at_all_depths(fen):
    state = CHESS.position(fen)
    for depth, count in enumerate(PERFT[fen][4:], 5):
        assert perft(CHESS, depth, state) == count


@pytest.mark.parametrize("mode", ["plain", "checked"])
def test_counts_the_same_in_all_modes(mode):
    for fen in (KIWIPETE, ROOKS):
        assert perft(CHESS, 2, CHESS.position(fen), mode) == PERFT[fen][1]


def test_keeps_the_laws_of_games_where_all_kinds_of_moves_are_near():
    check(load("chess", start="4k2r/1P4p1/8/2pP4/8/8/7p/R3K1N1 w Qk c6 0 1"), playouts=1, seed=3, searches=False)


def test_sliders_see_what_a_finger_on_the_board_sees():
    rng = random.Random(1)
    for _ in range(300):
        square, occupied = rng.randrange(64), rng.getrandbits(64) & rng.getrandbits(64)
        for function, steps in (
            (attacks.rook_attacks, ((1, 0), (-1, 0), (0, 1), (0, -1))),
            (attacks.bishop_attacks, ((1, 1), (1, -1), (-1, 1), (-1, -1))),
        ):
            seen = 0
            for x, y in steps:
                file, rank = square % 8 + x, square // 8 + y
                while 0 <= file < 8 and 0 <= rank < 8:
                    seen |= 1 << (8 * rank + file)
                    if occupied >> (8 * rank + file) & 1:
                        break
                    file, rank = file + x, rank + y
            signed = occupied - (1 << 64) if occupied >> 63 else occupied
            assert function(square, signed) & (2**64 - 1) == seen


def python_chess():
    return pytest.importorskip("chess", reason="python-chess is the twin of these rules")


def random_boards(chess, number, seed):
    """Yield boards of random games, every ply of them."""
    rng = random.Random(seed)
    found = 0
    while found < number:
        board = chess.Board()
        while not (board.is_game_over() or board.is_fifty_moves()) and found < number:
            yield board
            found += 1
            board.push(rng.choice(list(board.legal_moves)))
        if found < number:
            yield board
            found += 1


def must_agree(chess, board):
    """Compare FEN, legal moves, SAN and the state of the game with python-chess."""
    state = CHESS.position(board.fen())
    assert state.write() == board.fen()
    ends = board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material() or board.is_fifty_moves()
    assert bool(state.over) == ends
    if ends:
        lost = board.is_checkmate()
        assert tuple(state.payoffs()) == ((0, 0) if not lost else (-1, 1) if board.turn else (1, -1))
        return
    names = {state.name(code): code for code in state.moves()}
    assert set(names) == {board.san(move) for move in board.legal_moves}
    coordinates = {CHESS.part("notation").uci(code): code for code in names.values()}
    assert set(coordinates) == {move.uci() for move in board.legal_moves}
    for text, code in [*names.items(), *coordinates.items()][::7]:
        assert state.parse(text) == code


def test_agrees_with_python_chess():
    chess = python_chess()
    for board in random_boards(chess, 250, "default"):
        must_agree(chess, board)


@pytest.mark.slow
def test_agrees_with_python_chess_on_ten_thousand_positions():
    chess = python_chess()
    for board in random_boards(chess, 10_000, "ten thousand"):
        must_agree(chess, board)


@pytest.mark.slow
def test_agrees_with_stockfish_perft_on_ten_thousand_positions():
    from ludwin.adapters.pipes import Pipes

    chess = python_chess()
    engine = Pipes(stockfish())
    try:
        for number, board in enumerate(random_boards(chess, 10_000, "stockfish")):
            engine.ask(f"position fen {board.fen()}", None)
            engine.ask("go perft 2", None)
            counts = {}
            while not (line := engine.line(None)).startswith("Nodes searched"):
                move, _, count = line.partition(": ")
                if count.isdecimal():
                    counts[move] = int(count)
            state, move_text = CHESS.position(board.fen()), CHESS.part("notation").uci
            if board.is_insufficient_material() or board.halfmove_clock > 98:
                continue  # the game is over for us, or may be after a move; Stockfish goes on counting
            ours = {}
            for code in state.moves():
                after = state.play(code)
                dead = chess.Board(after.write()).is_insufficient_material()
                ours[move_text(code)] = counts[move_text(code)] if dead else len(after.moves())
            assert ours == counts, f"position {number}: {board.fen()}"
    finally:
        engine.end("quit")


def stockfish():
    found = shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin")
    if not found:
        pytest.skip("stockfish is not installed")
    return found


WRONG = {
    "8/8/8/8/8/8/8/8 w - -": "White has 0 kings",
    "kk6/8/8/8/8/8/8/K7 w - -": "Black has 2 kings",
    "k7/8/8/8/8/8/PPPPPPPP/KP6 w - -": "White has 9 pawns",
    "k7/8/8/8/8/8/PPPPPPPP/KQQ5 w - -": "promoted",
    "k6P/8/8/8/8/8/8/K7 w - -": "pawn on the first or last rank",
    "k7/8/8/8/8/8/8/K6R b - - 0 1 9": "got",
    "k7/8/8/8/8/8/8 w - -": "eight ranks",
    "k8/8/8/8/8/8/8/K7 w - -": "9 squares",
    "k52/8/8/8/8/8/8/K7 w - -": "two numbers in a row",
    "kx6/8/8/8/8/8/8/K7 w - -": "a man is one of",
    "k7/8/8/8/8/8/8/K7 x - -": "the mover is w or b",
    "k7/8/8/8/8/8/8/K6R w Q -": "castling Q needs king and rook at home",
    "k7/8/8/8/8/8/8/K7 w KK -": "some of KQkq",
    "R6k/8/8/8/8/8/8/K7 w - -": "could take the king",
    "k7/8/8/8/8/8/8/K7 w - e4": "third or sixth rank",
    "k7/8/8/8/8/8/8/K7 w - e6": "no pawn that has just passed",
    "k7/8/8/4p3/8/8/8/K7 w - e3": "no pawn has just passed",
    "1r3bnr/p2kp3/8/1pp1pppp/1P2b1P1/P1P1QPRP/3Kq3/RNB5 w - g6": "before a pawn passed g6, White's king could have",
    "k7/8/8/4n3/8/8/8/K7 w - e6": "there is no pawn",
    "k7/4n3/4n3/4p3/8/8/8/K7 w - e6": "came through a man",
    "k7/8/8/3Pp3/8/8/8/K7 w - e6 5 9": "counter of quiet plies is 5",
    "k7/8/8/8/8/8/8/K7 w - - 101 99": "100 quiet plies",
    "k7/8/8/8/8/8/8/K7 w - - -1 1": "whole number",
    "k7/8/8/8/8/8/8/K7 w - - ٣ 1": "whole number",
    "4k3/8/8/8/8/3n1n2/8/4K3 w - -": "two pawns or knights",
    "3r3k/8/8/8/8/8/2b5/q2K4 w - - 0 1": "3 men give check",
    "4r3/8/k7/8/8/8/8/r3K2q w - - 0 1": "give check",
    "4k3/4r3/8/8/4r3/8/8/4K2 w - -": "7 squares",
}


@pytest.mark.parametrize("fen", WRONG)
def test_refuses_a_position_and_says_why(fen):
    with pytest.raises(BadPosition, match=WRONG[fen]):
        CHESS.position(fen)


def test_en_passant_is_remembered_only_where_a_capture_is_legal():
    written = {
        "k7/8/8/3Pp3/8/8/8/K7 w - e6 0 2": "e6",
        "k7/8/8/4p3/8/8/8/K7 w - e6 0 2": "-",  # nobody stands beside it
        "k7/8/8/K2Pp2r/8/8/8/8 w - e6 0 2": "-",  # the rank would be opened
    }
    for fen, passing in written.items():
        assert CHESS.position(fen).write().split()[3] == passing


def test_mate_with_the_hundredth_quiet_ply_is_mate():
    state = CHESS.position("7k/8/6K1/8/8/8/8/R7 w - - 99 80")
    assert tuple(state.play(state.parse("Ra8#")).payoffs()) == (1, -1)
    assert tuple(state.play(state.parse("Ra7")).payoffs()) == (0, 0)


@pytest.mark.parametrize(
    ("fen", "dead"),
    [
        ("8/8/4k3/8/8/4K3/8/8 w - -", True),
        ("8/8/4k3/8/8/4KN2/8/8 w - -", True),
        ("8/8/3k4/8/2B5/4KB2/8/7b w - -", True),  # all on light squares
        ("8/8/4k3/8/8/4KBB1/8/8 w - -", False),
        ("8/8/4k3/8/8/4KNN1/8/8 w - -", False),
        ("8/8/4kn2/8/8/4KN2/8/8 w - -", False),
        ("8/8/4kp2/8/8/4K3/8/8 w - -", False),
    ],
)
def test_material_that_cannot_mate_ends_the_game(fen, dead):
    assert bool(CHESS.position(fen).over) is dead


def test_the_same_position_with_another_right_is_another_one():
    fens = ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "r3k2r/8/8/8/8/8/8/R3K2R w KQk -", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq -")
    assert len({CHESS.position(fen).key() for fen in fens}) == 3


def test_a_sloppy_move_is_understood_and_an_ambiguous_one_refused():
    state = CHESS.position("r3k3/1P6/8/8/8/2N5/8/R3K1N1 w Q - 0 1")
    for text, name in {
        "b8=Q": "b8=Q+",
        "bxa8=N": "bxa8=N",
        "0-0-0": "O-O-O",
        "b7a8q": "bxa8=Q+",
        "Nge2!": "Nge2",
    }.items():
        assert state.name(state.parse(text)) == name
    with pytest.raises(IllegalMove, match="could be several moves: Nge2 Nce2"):
        state.parse("Ne2")
    with pytest.raises(IllegalMove, match="no legal move"):
        state.parse("Nh8")
    with pytest.raises(IllegalMove, match="looks like Nf3"):
        state.parse("horse")


@pytest.mark.parametrize("pieces", ["KQRKQR", "KRKR", "KQKQ", "KRRKRR", "KPPKPP", "KBNK"])
def test_a_drawn_position_has_its_men_and_no_attack(pieces):
    texts = set()
    for deal in range(12):
        state = CHESS.position(write_fen(as_state(first_cells("", pieces, deal))))
        board = state.write().split()[0]
        texts.add(board)
        white, black = pieces[: pieces.index("K", 1)], pieces[pieces.index("K", 1) :].lower()
        assert sorted(c for c in board if c.isalpha()) == sorted(white + black)
        assert state.mover == 0 and not state.over
        occupied = state.sides[0] | state.sides[1]
        for square in range(64):
            for p in (0, 1):
                if state.sides[p] >> square & 1:
                    assert not attacks.is_attacked(state, square, 1 - p, occupied)
    assert len(texts) > 10
    assert load("chess", pieces="KRKR", deal=2).start().write() == write_fen(as_state(first_cells("", "KRKR", 2)))


def test_parameters_are_refused_with_a_reason():
    for given, reason in (
        ({"pieces": "KQ"}, "each beginning with K"),
        ({"pieces": "QKK"}, "each beginning with K"),
        ({"pieces": "KQRKQR", "start": ROOKS}, "not both"),
        ({"deal": 3}, "no effect without pieces"),
        ({"start": "nonsense"}, "FEN"),
        ({"pieces": "KPPPPPPPPPK"}, "9 pawns"),
    ):
        with pytest.raises(BadParameter, match=reason):
            load("chess", **given).start()


def test_an_exchange_is_counted_to_its_end():
    for fen, move, good in (
        ("4k3/8/2p5/3p4/8/8/8/3RK3 w - -", "Rxd5", False),  # the pawn is guarded
        ("4k3/8/8/3p4/8/8/8/3RK3 w - -", "Rxd5", True),
        ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - -", "Rxd5", True),  # two rooks behind each other
        ("3rk3/8/2p5/3p4/8/8/3R4/3RK3 w - -", "Rxd5", False),
        ("4k3/8/2p5/3q4/8/8/8/3RK3 w - -", "Rxd5", True),
    ):
        state = CHESS.position(fen)
        assert bool(keeps_material(state, state.parse(move))) is good, (fen, move)


def test_a_picture_has_a_place_for_every_square():
    text = CHESS.position(KIWIPETE).picture()
    for square in ("a1", "e4", "h8"):
        assert text.count(f'data-at="{square}"') == 1
    assert text.count("data-at=") == 64
    assert text.count("<path") == 32


def test_a_move_is_drawn_from_its_first_square_to_its_last_also_castling():
    state = CHESS.position(KIWIPETE)
    found = {move: state.places(state.parse(move)) for move in ("O-O", "O-O-O", "Nxd7", "a3")}
    assert found == {"O-O": ["e1", "g1"], "O-O-O": ["e1", "c1"], "Nxd7": ["e5", "d7"], "a3": ["a2", "a3"]}
