"""PDN: read by others, and back without loss."""

from pathlib import Path

import pytest

from ludwin import load
from ludwin.arena.openings import random_opening
from ludwin.arena.portable import format_of, game_text, read_portable, write_portable
from ludwin.arena.records import BadRecords, Record
from ludwin.arena.replay import examine, named, open_event
from ludwin.errors import BadParameter
from ludwin.play.referee import Referee
from ludwin.primitives import draw, stream

DRAUGHTS = load("draughts")
PDN = format_of(Path("games.pdn"))
AGENTS = ("alphabeta:depth=3", 'a "quoted" \\ name', "random")


def random_games(count, game=DRAUGHTS):
    """Yield random games: from the start, behind an opening, from a position with either side to move."""
    for number in range(count):
        kind = number % 4
        opening = random_opening(game, 20 + kind, number) if kind else None
        referee = Referee(game, number, opening.state if opening else None)
        rng = [stream(number)]
        while not referee.end:
            legal = referee.state.moves()
            referee.play(legal[draw(rng, len(legal))])
        seats = (number % 3, (number + 1) % 3)
        begins = {"opening": opening.moves} if kind == 1 else {"position": opening.state.write()} if kind else {}
        yield Record(number, number // 2, seats, tuple(referee.played), referee.payoffs, referee.end, **begins)


def through_pydraughts(path, records, boards):
    """Let pydraughts read our file, play some games move by move, and write all anew; return its file."""
    pdn = pytest.importorskip("draughts.PDN")
    games = pdn.PDNReader(filename=str(path)).games
    assert len(games) == len(records)
    again = path.with_name("again.pdn")
    for number, (theirs, ours) in enumerate(zip(games, records, strict=True)):
        assert theirs.variant == "english"
        if theirs.tags.get("FEN", "W").startswith("B"):
            del theirs.moves[
                0
            ]  # pydraughts 0.6.7 reads the first move behind such a FEN twice, also in files of its own
        assert theirs.moves == named(ours, DRAUGHTS)
        if number < boards:
            play_by_their_rules(theirs, ours)
        start = theirs.tags.get("FEN", "W:")  # without a FEN they number moves as if White began
        pdn.PDNWriter(
            str(again),
            moves=theirs.moves,
            variant="english",
            starting_fen=start,
            tags={"FEN": start, **theirs.tags},
            game_ending=theirs.game_ending,
        )
    again.write_text(again.read_text().replace('[FEN "W:"]\n', ""))
    return again


def play_by_their_rules(theirs, ours):
    """Play a game on a board of pydraughts (a second each): it ends in the same position."""
    draughts = pytest.importorskip("draughts")
    board = draughts.Board("english", theirs.tags.get("FEN", "startpos"))
    for move in theirs.moves:
        board.push(draughts.Move(board, pdn_move=move))
    last = DRAUGHTS.position(ours.position) if ours.position else DRAUGHTS.start()
    for move in (*ours.opening, *ours.moves):
        last = last.play(move)
    there = DRAUGHTS.position(board.fen)
    assert (there.pieces, there.kings, there.turn) == (last.pieces, last.kings, last.turn)


def same_games(path, records, *, positions=True):
    _, agents, found = read_portable(path, PDN, load)
    found = [record for _, record in found]
    assert len(found) == len(records)
    for ours, read in zip(records, found, strict=True):
        assert read.moves == (*ours.opening, *ours.moves)
        assert (read.seats, read.payoffs, read.end, read.by, read.reason) == (
            ours.seats,
            ours.payoffs,
            ours.end,
            ours.by,
            ours.reason,
        )
        if positions:
            assert read.position == ours.position
    return agents


def round_trip(tmp_path, count, boards):
    records = list(random_games(count))
    path = tmp_path / "games.pdn"
    assert write_portable(path, DRAUGHTS, AGENTS, records) == count
    agents = same_games(path, records)
    assert agents[0] == AGENTS[0] and agents[2] == AGENTS[2]
    same_games(through_pydraughts(path, records, boards), records, positions=False)


def test_games_pass_through_pydraughts_without_loss(tmp_path):
    round_trip(tmp_path, 24, boards=4)


@pytest.mark.slow
def test_a_thousand_games_pass_through_pydraughts_without_loss(tmp_path):
    round_trip(tmp_path, 1000, boards=100)


def test_a_game_reads_like_this():
    record = Record(
        3,
        1,
        (1, 0),
        (),
        (1.0, -1.0),
        "forfeit",
        opening=tuple(DRAUGHTS.start().moves()[:1]),
        by=1,
        reason="out of time",
    )
    assert game_text(PDN, DRAUGHTS, ("greedy", "random"), record) == (
        '[Event "?"]\n[Round "3"]\n[Black "random"]\n[White "greedy"]\n[Result "0-1"]\n[GameType "21,B,8,8,N1,0"]\n'
        '[LudwinGame "draughts"]\n[LudwinSeats "1 0"]\n[Termination "forfeit by White: out of time"]\n\n1. 9-13 0-1\n'
    )


def test_games_of_others_are_read(tmp_path):
    path = tmp_path / "theirs.pdn"
    path.write_text(
        '[Event "x"]\n[White "Lowder"]\n[Black "Tinsley"]\n[Result "1/2-1/2"]\n\n1. 11-15! {best} 23-19 (24-20 (1. '
        "9-14) 8-11) 2. 8-11 22-17 $4 1/2-1/2\n\n"
        '[White "Tinsley"]\n[Black "Lowder"]\n[Result "0-1"]\n\n1. 11-15 23-19\n0-1\n'
    )
    game, agents, found = read_portable(path, PDN, load)
    records = [record for _, record in found]
    assert (game.text, agents) == ("draughts", ("Tinsley", "Lowder"))
    assert [(r.seats, len(r.moves), r.payoffs, r.end) for r in records] == [
        ((0, 1), 4, (0.0, 0.0), "adjudication"),
        ((1, 0), 2, (1.0, -1.0), "adjudication"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "1: there is no game"),
        ('[Event "x"\n1. 11-15 *', "1: a tag looks like"),
        ('[Event "x"]\n\n1. 11-15 11-15 1-0\n', "1: game 0: .*11-15"),
        ('[Event "x"]\n[Result "?"]\n\n1. 11-15\n', "1: game 0 has no result"),
    ],
)
def test_a_spoilt_file_is_refused_with_its_line(tmp_path, text, reason):
    path = tmp_path / "games.pdn"
    path.write_text(text)
    with pytest.raises(BadRecords, match=f"games.pdn:{reason}"):
        list(read_portable(path, PDN, load)[2])


def test_other_games_have_no_pdn(tmp_path):
    with pytest.raises(BadParameter, match="PDN is for draughts and lose-checkers, not for nim"):
        write_portable(tmp_path / "x.pdn", load("nim"), (), [])


def test_lose_checkers_keeps_its_name_and_payoffs(tmp_path):
    game = load("lose-checkers")
    records = list(random_games(4, game))
    write_portable(tmp_path / "games.pdn", game, AGENTS, records)
    event = open_event(tmp_path / "games.pdn", load)
    assert event.game == game
    for line, record in event.games:
        examine(event, line, record)
