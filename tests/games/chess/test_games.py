"""Games of chess in files: PGN that python-chess reads and ours reads back, with all that people put into it."""

import io

import pytest

from ludwin import load, match
from ludwin.arena.portable import format_of, read_portable, write_portable
from ludwin.arena.records import BadRecords, read_header, read_records
from ludwin.cli import main

CHESS = load("chess")
MESSY = """\ufeff[Event "Casual [1]"]
[White "A, B."]
[Black "C"]
[Result "1-0"]
% an escape of another program
1. e4 $1 {the best
[%clk 0:10:00] by test} e5 2.Bc4 (2. Nf3 Nc6 (2... d6 3. d4) 3. Bb5) 2... Nc6?! ; to the end { of the line
3. Qh5 Nf6?? 4. Qxf7# 1-0

[Event "Second"]
[White "C"]
[Black "A, B."]
[Result "1/2-1/2"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]

1... Kd7 2. e4 ... Kc6 1/2-1/2
"""


def read(path):
    game, agents, records = read_portable(path, format_of(path), load)
    return game, agents, [record for _, record in records]


def test_comments_variations_and_notes_are_passed_over(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(MESSY, encoding="utf8")
    game, agents, records = read(path)
    assert game == CHESS and agents == ("A, B.", "C")
    assert len(records[0].moves) == 7 and records[0].payoffs == (1.0, -1.0) and records[0].end == "rules"
    assert records[1].position == "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1" and len(records[1].moves) == 3
    assert main(["replay", str(path)]) == 0


ODD = r"""[Event "no move was made"]
[White "A"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"]
[Result "1-0"]

[Event "two tags"] [White "Günter \"G.\" \\"]
 [Black "An "unescaped" one"]
[EventX-1 "y"]

1.e4! a6?2.Nf3 b6 3.Bc4 c6 4.0-0 c5 5.e5 d5 6.exd6 e.p. *

[Event "c"]
[White "C"]
[Result "0-1"]

*

[Event "the last game has its tags alone"]
[White "D"]
"""


@pytest.mark.parametrize("code", ["utf8", "latin-1"])
def test_what_other_programs_write_otherwise_is_read(tmp_path, code):
    path = tmp_path / "odd.pgn"
    path.write_text(ODD, encoding=code)
    _, agents, records = read(path)
    assert agents == ("A", "?", 'Günter "G." \\', 'An "unescaped" one', "C", "D")
    assert [len(record.moves) for record in records] == [0, 11, 0, 0]
    assert [record.position is not None for record in records] == [True, False, False, False]  # no FEN leaks
    assert [record.payoffs for record in records] == [(1.0, -1.0), (0.0, 0.0), (-1.0, 1.0), (0.0, 0.0)]
    assert main(["replay", str(path)]) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[White "A"]\n\n1. e5 *', "no legal move"),
        ('[White "A"]\n[Result "2-0"]\n\n1. e4 e5', "has no result"),
        ('[Variant "Crazyhouse"]\n\n1. e4 e5 1-0', "has other rules: 'Crazyhouse'"),
        ('[FEN "8/8/8/8/8/8/8/8 w - -"]\n\n1. e4 1-0', "0 kings"),
        ('[White "A"\n\n1. e4 1-0', "a tag looks like"),
        ('[Result "1-0"]\n\n1. e4 e5 0-1', "its tag says 1-0, and 0-1 stands behind its moves"),
        ("", "no game"),
        ("1. e4 {no end e5 2. Nf3 *", "a comment in braces does not end"),
        ("1. e4 (1. d4 (1. c4) e5 *", "a variation does not end"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_the_reason(tmp_path, text, reason):
    path = tmp_path / "games.pgn"
    path.write_text(text, encoding="utf8")
    with pytest.raises(BadRecords, match=reason):
        read(path)


@pytest.mark.parametrize(
    "text", ["chess", "chess:pieces=KQRKQR", "chess:start=4k2r/1P4p1/8/2pP4/8/8/7p/R3K1N1 w Qk c6 0 1"]
)
def test_what_we_write_reads_back_and_python_chess_reads_it(tmp_path, text):
    out = tmp_path / "games.jsonl"
    match(text, "random", "random", games=2, seed=5, out=out)
    records = [record for _, record in read_records(out)]
    game, path = load(text), tmp_path / "games.pgn"
    assert write_portable(path, game, ["one", "two"], records) == 2
    back, _, found = read(path)
    assert back == game
    assert [(r.opening + r.moves, r.payoffs) for r in found] == [(r.opening + r.moves, r.payoffs) for r in records]
    chess, pgn = pytest.importorskip("chess"), pytest.importorskip("chess.pgn")
    stream = io.StringIO(path.read_text(encoding="utf8"))
    for record in records:
        theirs = pgn.read_game(stream)
        assert not theirs.errors
        assert len(list(theirs.mainline_moves())) == len(record.opening + record.moves)
        board = theirs.end().board()
        assert theirs.headers["Result"] in (board.result(claim_draw=True), "1/2-1/2")
    assert chess


def test_moves_of_a_position_begin_with_its_number(tmp_path):
    path = tmp_path / "late.pgn"
    path.write_text('[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30"]\n\n30... Kd7 31. e4 *\n', encoding="utf8")
    game, agents, records = read(path)
    write_portable(tmp_path / "again.pgn", game, agents * 2, records)
    assert "30... Kd7 31. e4 *" in (tmp_path / "again.pgn").read_text()


def test_a_match_of_drawn_pieces_draws_them_anew_for_each_pair(tmp_path):
    out = tmp_path / "games.jsonl"
    match("chess:pieces=KQRKQR", "random", "random", games=6, seed=5, out=out)
    assert read_header(out)
    positions = [record.position for _, record in read_records(out)]
    assert len(set(positions)) == 3 and positions[0] == positions[1]


def test_the_book_of_lines_can_be_played_and_deals_are_for_drawn_pieces(tmp_path, capsys):
    out = tmp_path / "games.jsonl"
    match("chess", "random", "random", games=2, seed=1, openings="lines", out=out)
    assert all(len(record.opening) == 6 for _, record in read_records(out))
    assert main(["match", "chess:pieces=KRKR", "random", "random", "--games", "2", "--openings", "lines"]) == 2
    assert "lines" in capsys.readouterr().err
