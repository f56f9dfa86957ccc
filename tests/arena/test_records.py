"""Record files: what is written is read back, and what is spoilt is refused with its line."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludwin import agent, load
from ludwin.arena.records import (
    BadRecords,
    Record,
    Writer,
    create,
    header_line,
    parse_record,
    read_header,
    read_kept,
    read_records,
)
from ludwin.arena.replay import examine, named, open_event, states
from ludwin.arena.tournament import tournament
from ludwin.errors import LudwinError

HEADER = {"game": "nim", "agents": ["a", "b"], "seed": 0}
RANDOM = agent("random")


def record(number, **changes):
    return Record(
        **{
            "game": number,
            "pair": number // 2,
            "seats": (0, 1),
            "moves": (1, 2),
            "payoffs": (1.0, -1.0),
            "end": "rules",
            **changes,
        }
    )


def write(path, count=3):
    create(path, HEADER)
    writer = Writer(path)
    writer.write(record(n).line() for n in range(count))
    writer.finish()
    return path


numbers = st.integers(-(2**63), 2**63 - 1)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@settings(max_examples=50, deadline=None)
@given(
    moves=st.lists(numbers).map(tuple),
    payoffs=st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)),
    opening=st.lists(numbers).map(tuple),
    position=st.none() | TEXT,
    forfeit=st.none() | st.tuples(st.integers(0, 1), TEXT),
)
def test_a_line_is_read_back(moves, payoffs, opening, position, forfeit):
    by, reason = forfeit or (None, None)
    made = record(
        0,
        moves=moves,
        payoffs=payoffs,
        opening=opening,
        position=position,
        by=by,
        reason=reason,
        end="forfeit" if forfeit else "rules",
    )
    line = made.line()
    assert line.count("\n") == 1 and line.endswith("\n")
    assert parse_record(line, "x", 2) == made


def test_a_file_is_read_back(tmp_path):
    path = write(tmp_path / "games.jsonl")
    assert read_header(path).items() >= HEADER.items()
    assert [(line, r.game) for line, r in read_records(path)] == [(2, 0), (3, 1), (4, 2)]


def test_a_torn_last_line_is_dropped_when_read_and_when_written(tmp_path):
    path = write(tmp_path / "games.jsonl")
    path.write_bytes(path.read_bytes()[:-5])
    assert [r.game for _, r in read_records(path)] == [0, 1]
    writer = Writer(path)
    writer.write([record(2).line()])
    writer.finish()
    assert [r.game for _, r in read_records(path)] == [0, 1, 2]


def test_early_games_wait_beside_the_file(tmp_path):
    path = write(tmp_path / "games.jsonl", 0)
    writer = Writer(path)
    writer.keep([record(1).line(), record(2).line()])
    assert set(read_kept(path)) == {1, 2}
    writer.write([record(0).line(), record(1).line(), record(2).line()])
    writer.caught_up()
    assert read_kept(path) == {}
    writer.finish()
    assert [p.name for p in tmp_path.iterdir()] == ["games.jsonl"]


def test_two_events_do_not_write_one_file(tmp_path, monkeypatch):
    pytest.importorskip("fcntl")
    monkeypatch.setattr("ludwin.files.LOCK_SECONDS", 0.05)
    path = write(tmp_path / "games.jsonl")
    writer = Writer(path)
    with pytest.raises(LudwinError, match="is being written by another event"):
        Writer(path)
    writer.close()


@pytest.mark.parametrize(
    ("line", "old", "new", "reason"),
    [
        (1, '"ludwin-games"', '"other"', 'must say {"format": "ludwin-games"'),
        (
            1,
            '"version":1',
            '"version":9',
            "written by a newer Ludwin (version 9 of ludwin-games, this one reads up to 1)",
        ),
        (1, '"agents":["a","b"],', "", "'agents' is missing"),
        (3, "{", "", "not JSON"),
        (3, '"moves":[1,2],', "", "'moves' is missing"),
        (3, '"moves":[1,2]', '"moves":[1,"2"]', "'moves'[1] must be a whole number"),
        (3, '"game":1', '"game":4', "game 1 should stand here, not 4"),
        (3, '"end":"rules"', '"end":"rule"', "'end' must be one of"),
        (3, '"end":"rules"', '"end":"forfeit"', "by which player"),
        (3, '"payoffs":[1,-1]', '"payoffs":[1]', "2 seats, but 1 payoffs"),
        (3, '"seats":[0,1]', '"seats":[0,2]', "seats are agents 0 to 1"),
    ],
)
def test_a_spoilt_file_is_refused_with_its_line(tmp_path, line, old, new, reason):
    path = write(tmp_path / "games.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    path.write_text("".join(lines))
    with pytest.raises(BadRecords, match=f"games.jsonl:{line}: .*") as found:
        list(read_records(path))
    assert reason in str(found.value)


def test_the_reason_of_a_forfeit_may_be_any_text():
    made = record(0, end="forfeit", by=1, reason="a\0b\ud800c")
    assert parse_record(made.line(), "x", 2).reason == "a?b?c"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\n", b"[1]\n", header_line(HEADER).encode()[:-1]])
def test_files_of_another_kind_are_refused(tmp_path, content):
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadRecords, match=r"games.jsonl:1: "):
        read_header(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(LudwinError, match=r"cannot read .*nothing.jsonl"):
        read_header(tmp_path / "nothing.jsonl")


# Replay


def event(tmp_path, game="tic-tac-toe", **options):
    path = tmp_path / "games.jsonl"
    tournament(load(game), (RANDOM, RANDOM), games=6, out=path, mode="plain", **options)
    return path


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("tic-tac-toe", {}),
        ("pig:goal=20", {"openings": 3}),
        ("kuhn-poker", {}),
        ("draughts", {"adjudicate": "plies=7", "openings": 2}),
        ("connect-four", {"openings": ["d d"]}),
    ],
)
def test_recorded_games_replay(tmp_path, game, options):
    path = event(tmp_path, game, **options)
    found = open_event(path, load)
    for line, one in found.games:
        examine(found, line, one)
        assert len(list(states(found.game, one))) == len(one.moves) + 1
        assert len(named(one, found.game)) == len(one.opening) + len(one.moves)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"moves": lambda m: [*m[:-1], m[0]]}, "is not legal"),
        ({"moves": lambda m: m[:-1]}, "ends by rules in the record, but not when played again"),
        ({"moves": lambda m: [*m, 0]}, "the game was over"),
        ({"payoffs": lambda p: [v + 1 for v in p]}, "payoffs should be"),
        ({"end": lambda e: "repetition"}, "ends by repetition in the record, but by rules"),
    ],
)
def test_tampered_games_do_not_replay(tmp_path, change, reason):
    path = event(tmp_path)
    lines = path.read_text().splitlines()
    data = json.loads(lines[2])
    for name, f in change.items():
        data[name] = f(data[name])
    path.write_text("\n".join([*lines[:2], json.dumps(data), *lines[3:]]) + "\n")
    found = open_event(path, load)
    with pytest.raises(BadRecords, match=f"games.jsonl:3: game 1: .*{reason}"):
        for line, one in found.games:
            examine(found, line, one)
