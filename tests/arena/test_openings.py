"""Openings: fair, repeatable, never the end of the game."""

import json
from pathlib import Path

import pytest

from ludwin import load
from ludwin.arena.openings import Openings, find_book, parse_opening, random_opening, read_openings
from ludwin.errors import BadParameter, LudwinError

DRAUGHTS = load("draughts")


def test_ballots_are_legal_and_lead_where_their_source_says():
    pydraughts = pytest.importorskip("draughts")
    data = json.loads((Path(pydraughts.__file__).parent / "ballot_files" / "3move_english.json").read_text())
    texts = read_openings(find_book(DRAUGHTS, "ballots").file)
    assert len(texts) == len(set(texts)) == len(data["standard"]) == 157
    for text, key in zip(texts, data["standard"], strict=True):
        opening = parse_opening(DRAUGHTS, text)
        there = DRAUGHTS.position(data["all"][key])
        assert len(opening.moves) == 3
        assert (opening.state.pieces, opening.state.turn) == (there.pieces, there.turn)


def test_ballots_come_in_an_order_of_the_seed_without_repetition():
    books = [Openings(DRAUGHTS, "ballots", seed) for seed in (0, 0, 1)]
    orders = [[book.of(pair, 7).moves for pair in range(157)] for book in books]
    assert orders[0] == orders[1] != orders[2]
    assert len(set(orders[0])) == 157
    assert books[0].of(157, 7) == books[0].of(0, 7)


def test_ballots_are_for_draughts_on_eight_by_eight():
    for text in ("draughts:size=10", "nim"):
        with pytest.raises(BadParameter, match="ballots are the openings of draughts on 8x8"):
            Openings(load(text), "ballots", 0)


@pytest.mark.parametrize("text", ["nim:heap=9", "tic-tac-toe", "pig:goal=20", "kuhn-poker"])
def test_random_openings_are_legal_repeatable_and_leave_a_game(text):
    game = load(text)
    plies = 3
    for seed in range(30):
        opening = random_opening(game, plies, seed)
        assert opening == random_opening(game, plies, seed)
        assert len(opening.moves) == plies and not opening.state.over
        state = game.start()
        for move in opening.moves:
            state = state.play(move)
        assert state == opening.state


def test_random_openings_differ_between_pairs():
    book = Openings(DRAUGHTS, 4, 0)
    assert len({book.of(pair, seed).moves for pair, seed in enumerate(range(50))}) > 45


def test_too_many_random_plies_are_refused():
    with pytest.raises(BadParameter, match="over before ply 9; take fewer random plies"):
        random_opening(load("tic-tac-toe"), 9, 0)


def test_a_file_holds_moves_and_positions(tmp_path):
    path = tmp_path / "openings.txt"
    path.write_text("# mine\n11-15 23-19   # moves\n\nB:W18,K30:B1,K7\n")
    book = Openings(DRAUGHTS, read_openings(path), 0)
    moves, position = book.of(0, 0), book.of(1, 0)
    assert moves.position is None and len(moves.moves) == 2
    assert position.moves == () and position.position == "B:W18,K30:B1,K7"
    assert book.of(2, 0) == moves


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("11-15 11-15", "'11-15 11-15' is no opening of draughts"),
        ("hello", "'hello' is no opening of draughts"),
        ("B:W1,2:B", "the game is over there|cannot read"),
    ],
)
def test_texts_that_are_no_openings_are_refused(text, reason):
    with pytest.raises(LudwinError, match=reason):
        parse_opening(DRAUGHTS, text)


def test_an_empty_file_is_refused(tmp_path):
    path = tmp_path / "none.txt"
    path.write_text("# nothing\n")
    with pytest.raises(BadParameter, match="there is no opening in"):
        read_openings(path)


def test_a_move_whose_name_has_blanks_stands_in_quotation_marks(tmp_path):
    rules = (Path(load("nim").module.__file__)).read_text(encoding="utf8")
    head, _, tail = rules.partition("def name(s, m):\n    return str(m)\n")
    game_file = tmp_path / "heap.py"
    game_file.write_text(
        head
        + "def name(s, m):\n    return f'take {m} #'\n"
        + tail.partition("def write(")[0].partition("def parse(")[0],
        encoding="utf8",
    )
    game = load(str(game_file))
    book = tmp_path / "openings.txt"
    book.write_text('# a comment\n"take 3 #" "take 1 #"  # another\n"take 2 #"\n', encoding="utf8")
    assert [parse_opening(game, text).moves for text in read_openings(book)] == [(3, 1), (2,)]
    with pytest.raises(BadParameter, match="is no opening of"):
        parse_opening(game, "take 3")


def test_a_hash_inside_a_word_is_no_comment(tmp_path):
    book = tmp_path / "openings.txt"
    book.write_text("Qh5# Kd8 # mate\n", encoding="utf8")
    assert read_openings(book) == ("Qh5# Kd8",)
