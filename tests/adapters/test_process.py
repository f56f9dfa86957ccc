"""Other programs as agents: what they are told, what becomes of those that misbehave, and that none is left behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludwin import agent, load, match
from ludwin.adapters import foreign
from ludwin.adapters import process as protocol
from ludwin.adapters.process import ProcessAgent
from ludwin.arena.records import AGENT, read_header, read_records
from ludwin.arena.tournament import tournament
from ludwin.cli import main
from ludwin.errors import BadParameter, LudwinError, Misbehaved
from ludwin.formats import examine
from ludwin.play.referee import play_game

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes that can be waited for")
NIM = load("nim")
BOTS = Path(__file__).parent / "bots.py"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test has a folder of its own, and leaves no program running."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(BOTS, tmp_path / "bots.py")
    yield tmp_path
    protocol.end_all()
    assert running() == []


def bot(act, more=""):
    return f'process:"{sys.executable} bots.py {act}"{more}'


def pids(name="pids"):
    return [int(line) for line in Path(name).read_text().split()] if Path(name).exists() else []


def is_running(pid):
    """Tell whether a process runs; a corpse that nobody has buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def running(seconds=3.0):
    """Return which programs of this test still run, once there was time for them to end."""
    until = time.monotonic() + seconds
    while (found := [pid for name in ("pids", "children") for pid in pids(name) if is_running(pid)]) and (
        time.monotonic() < until
    ):
        time.sleep(0.02)
    return found


def told():
    """Return all messages by program."""
    return [[json.loads(line) for line in path.read_text().splitlines()] for path in sorted(Path().glob("log-*"))]


# Texts


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("process:./bot", "process:./bot"),
        ("process: ./bot , seconds = 2", "process:./bot,seconds=2"),
        ("process:python3 bot.py", 'process:"python3 bot.py"'),
        ('process:"python3 bot.py --level 3",seconds=2.5', 'process:"python3 bot.py --level 3",seconds=2.5'),
        ("process:bot --a=b", 'process:"bot --a=b"'),
        ("process:command=./bot", "process:./bot"),
        (r'process:"sh -c \"a, b\"",seconds=1', r'process:"sh -c \"a, b\"",seconds=1'),
        ("process:./bot,stderr=1", "process:./bot"),
        ("Process:./Bot", "process:./Bot"),
        ('process:"C:\\\\x y"', 'process:"C:\\\\x y"'),
    ],
)
def test_commands_are_quoted_where_they_must_be(text, canonical):
    assert str(agent(text)) == canonical and agent(canonical) == agent(text)


@given(command=st.text(min_size=1), seconds=st.floats(0, 1e6))
@settings(deadline=None, max_examples=200)
def test_text_leads_back_to_the_agent(command, seconds):
    try:
        made = ProcessAgent(command, seconds)
    except BadParameter:
        return
    assert agent(str(made)) == made
    if len(str(made)) <= 4000:
        examine(str(made), AGENT)  # and is read back from a record


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("process", "process needs a command"),
        ("process:", "process needs a command"),
        ('process:" "', "process needs a command"),
        ("process:a, b", "a command with a comma is quoted"),
        ("process:'a", "cannot be split into words: no closing quotation"),
        ('process:"a', "begins with a quotation mark"),
        ("process:a,seconds=x", "seconds must be a number, got 'x'"),
        ("process:a,seconds=-1", "seconds must be at least 0"),
        ("process:a,seconds=inf", "seconds must be"),
        ("process:a,second=1", "no parameter 'second'; did you mean 'seconds'"),
        ("process:a,command=b", "command is given twice"),
        ("process:a,stderr=2", "stderr must be at most 1"),
    ],
)
def test_wrong_texts_are_refused_in_one_line(text, reason):
    with pytest.raises(LudwinError) as caught:
        agent(text)
    assert reason in str(caught.value) and "\n" not in str(caught.value)


# What a program is told


def test_a_program_is_told_all_that_a_decision_needs():
    play_game(NIM, [agent(bot("play")), agent("random")], seed=3)
    protocol.end_all()
    (messages,) = told()
    hello, game, first, second, *_, last = messages
    assert hello == {"type": "hello", "protocol": "ludwin-process", "version": 1, "ludwin": hello["ludwin"]}
    assert game["game"] == "nim" and game["parameters"] == {"heap": 21, "take": 3} and game["players"] == 2
    assert (game["player"], game["hidden"]) == (0, False)
    assert first["position"] == NIM.start().write() and first["fields"] == {"heap": 21, "turn": 0}
    assert first["moves"] == [] and first["legal"] == [{"move": str(k), "code": k} for k in (1, 2, 3)]
    assert (first["player"], first["seconds"], first["clock"]) == (0, None, None) and 0 <= first["seed"] < 2**53
    assert [move["player"] for move in second["moves"]] == [0, 1] and second["id"] == first["id"] + 1
    assert second["fields"]["heap"] == 21 - sum(move["code"] for move in second["moves"])
    assert last == {"type": "quit"}


def test_it_plays_the_same_games_with_any_number_of_workers_and_is_started_once_a_seat():
    files = []
    for workers in (1, 2):
        Path("pids").unlink(missing_ok=True)
        tournament("nim", [bot("play"), "random"], games=12, workers=workers, out=f"{workers}.jsonl")
        files.append(Path(f"{workers}.jsonl").read_bytes())
        assert len(pids()) <= 2 * workers
    assert files[0] == files[1] and b"forfeit" not in files[0]
    assert sorted(pids("quits")) == sorted(set(pids("quits"))) and len(pids("quits")) >= len(pids())


def test_the_clock_and_the_budget_are_told():
    tournament("nim", [bot("play", ",seconds=2"), bot("play")], games=2, clock="5+1", out="r.jsonl")
    assert read_header("r.jsonl")["timed"] and not any(record.by is not None for _, record in read_records("r.jsonl"))
    asked = [message for log in told() for message in log if message["type"] == "move"]
    assert {message["seconds"] == 2 for message in asked} == {True, False}
    assert all(0 < message["clock"]["left"] <= 30 and message["clock"]["increment"] == 1 for message in asked)


def test_a_seat_is_not_told_what_it_may_not_see():
    game = load("kuhn-poker")
    for seed in range(6):
        play_game(game, [agent(bot("play")), agent(bot("play"))], seed=seed)
    protocol.end_all()
    logs = told()
    assert len(logs) == 2
    seen = 0
    for log in logs:
        for message in log:
            if message["type"] != "move":
                continue
            seen += 1
            me = message["player"]
            assert message["fields"]["cards"][1 - me] is None and message["fields"]["cards"][me] in (1, 2, 3)
            assert message["position"] is None
            dealt, rest = message["moves"][:2], message["moves"][2:]
            assert [move["player"] for move in dealt] == [-1, -1]
            assert dealt[1 - me] == {"player": -1, "move": None, "code": None}
            assert dealt[me]["code"] == message["fields"]["cards"][me]
            assert all(move["move"] in ("check", "bet", "call", "fold") for move in rest)
    assert seen >= 12


def test_two_deals_that_look_alike_are_told_alike():
    game, one = load("kuhn-poker"), agent(bot("play"))
    for hands in ("KJ:pb", "KQ:pb"):
        one.choose(game, game.position(hands), seed=5)
    questions = [[m for m in log if m["type"] == "move"] for log in told()]
    assert len(questions) == 2 and questions[0] == questions[1]


def test_it_plays_games_of_three_and_of_one_and_long_ones_of_chance():
    for game, seats in (("li-nim", 3), ("pig", 2), ("draughts", 2)):
        outcome = tournament(game, [bot("play")] * seats, games=seats, adjudicate="plies=30")
        assert outcome.standing.games == seats and not any(outcome.standing.forfeits)


def test_no_more_programs_run_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(foreign, "MOST", 3)
    monkeypatch.setattr(foreign, "START", 30.0)
    agents = [agent(f'process:"{sys.executable} bots.py play {k}"') for k in range(5)]
    for k in range(4):
        play_game(load("nim:heap=4"), agents[k : k + 2], seed=k)
    assert len([pid for pid in pids() if is_running(pid)]) <= 3 and len(protocol._bots) <= 3


def test_a_text_that_no_record_could_hold_is_refused():
    with pytest.raises(BadParameter, match="the text of an agent may have 4000 letters"):
        match("nim", ProcessAgent("x" * 5000), "random", games=2)


# Misbehaviour

WRONG = {
    "cheat": "illegal move: process played 99, which is not legal",
    "wrong-name": "illegal move: nim: a move is a number of counters from 1 to 3, got 'castle'",
    "no-move": 'answered {"value": 1}, which has no "move"',
    "null": 'answered "move": null, where the name or the code of a move should stand',
    "true": 'answered "move": true, where',
    "float": 'answered "move": 1.0, where',
    "list": "answered [1], which is no JSON object",
    "number": "answered 7, which is no JSON object",
    "garbage": "wrote 'I would rather not', which is no line of the protocol: this is not JSON",
    "nan": "which is no line of the protocol",
    "huge": "which is no line of the protocol",
    "endless-number": "which is no line of the protocol",
    "twice": "which is no line of the protocol",
    "bad-value": 'answered "value": ',
    "bad-nodes": 'answered "nodes": -3, where a whole number should stand',
    "deep": "which is no line of the protocol",
    "wrong-id": "answered question 12345, not 1",
    "long-line": "wrote a line of more than 65,536 bytes",
    "latin": "this is not text in UTF-8",
    "half-exit": "the program ended in the middle of a line with exit status 0",
    "exit": "the program ended with exit status 3; its last words: 'last words'",
    "die": "the program was ended by SIGSEGV",
    "mute": "the program closed its pipes and goes on",
    "flood": "wrote more than 1,048,576 bytes and no answer",
    "flood-no-newline": "wrote a line of more than 65,536 bytes",
    "early-exit": "the program ended with exit status 4; its last words: 'cannot find my book'",
    "rude": "wrote 'READY', which is no line of the protocol",
    "other-version": "speaks version 2 of the protocol; this is 1",
    "true-version": "speaks version true of the protocol; this is 1",
}
SLOW = ("hang", "deaf", "stop", "stubborn", "spin", "half", "children")


@pytest.mark.parametrize("act", WRONG)
def test_a_program_that_misbehaves_forfeits_and_the_event_goes_on(act):
    tournament("nim", [bot(act), "random"], games=4, workers=2, out="r.jsonl")
    found = [record for _, record in read_records("r.jsonl")]
    assert [(record.end, record.by) for record in found] == [("forfeit", 0), ("forfeit", 1)] * 2
    for record in found:
        assert WRONG[act] in record.reason and "\n" not in record.reason
    assert running() == []


LIMITS = (
    (",seconds=0.2", {}, "no move within 0.2 s"),
    ("", {"patience": 0.3}, "no move within 0.3 s"),
    ("", {"clock": "0.3"}, "out of time"),
)


@pytest.mark.parametrize(
    ("act", "more", "conditions", "reason"),
    [(act, *LIMITS[k % 3]) for k, act in enumerate(SLOW)] + [("hang", *limit) for limit in LIMITS[1:]],
)
def test_a_program_that_does_not_answer_forfeits_in_time(act, more, conditions, reason):
    result = match("nim", bot(act, more), "random", games=2, **conditions)
    assert result.forfeits == (2, 0) and result.reasons == (reason, None)
    assert running() == []


def test_a_program_that_is_slow_and_in_time_forfeits_nothing():
    assert match("nim:heap=5", bot("slow", ",seconds=5"), "random", games=2).forfeits == (0, 0)
    assert match("nim:heap=5", bot("flood-stderr"), "random", games=2).forfeits == (0, 0)


def test_a_second_answer_is_not_taken_for_the_next_one():
    result = match("nim", bot("two-answers"), "random", games=2)
    assert result.forfeits == (2, 0) and result.reasons[0].endswith("when nobody had asked")


def test_a_program_that_crashes_is_started_anew_for_the_next_game():
    tournament("nim", [bot("once"), "random"], games=6, out="r.jsonl")
    found = [record for _, record in read_records("r.jsonl")]
    assert [record.reason for record in found] == ["the program ended with exit status 5"] * 6
    assert len(set(pids())) == 6 and all(len(record.moves) >= 2 for record in found)


def test_a_program_that_does_not_greet_is_given_up(monkeypatch):
    monkeypatch.setattr(foreign, "START", 0.3)
    with pytest.raises(Misbehaved, match=r"no greeting within 0\.3 s"):
        agent(bot("early-hang")).choose(NIM, NIM.start())


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("./nothing-here", "the program './nothing-here' cannot be started: no such file or directory"),
        ("./bots.py", "the program './bots.py' cannot be started: permission denied"),
        (".", "the program '.' cannot be started: permission denied"),
        ("./empty", "the program './empty' cannot be started: exec format error"),
        ("true", "the program ended with exit status 0"),
        ("false", "the program ended with exit status 1"),
        ("cat", "repeats what it is told: it is no player"),
        ("yes", "wrote 'y', which is no line of the protocol"),
    ],
)
def test_what_cannot_be_started_or_is_no_player_forfeits(command, reason):
    Path("empty").touch(mode=0o755)
    os.chmod("bots.py", 0o644)
    result = match("nim", f"process:{command}", "random", games=2)
    assert result.forfeits == (2, 0) and reason in result.reasons[0]


def test_what_goes_wrong_on_other_commands_is_one_line(capfd):
    for command in ("choose", "analyse"):
        assert main([command, "nim", bot("exit")]) == 2
        err = capfd.readouterr().err
        assert err == "ludwin: the program ended with exit status 3; its last words: 'last words'\n"
    assert main(["choose", "nim", bot("play"), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["value"] == 0.5
    assert main(["play", "nim", bot("play"), "random", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["end"] == "rules"


def test_stderr_is_shown_on_request(capfd):
    with pytest.raises(Misbehaved, match=r"exit status 3$"):
        agent(bot("exit", ",stderr=1")).choose(NIM, NIM.start())
    assert "first words\nlast words" in capfd.readouterr().err


# Nothing is left behind


def begin(start, *words, games="1000"):
    return start(
        [sys.executable, "-m", "ludwin", "match", "nim", *words, "--games", games, "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(count, name="pids"):
    until = time.monotonic() + 20
    while len(pids(name)) < count:
        assert time.monotonic() < until, "the programs were not started"
        time.sleep(0.01)


@pytest.mark.parametrize("act", ["hang", "stubborn", "children"])
def test_ctrl_c_ends_all_programs_within_a_second(start, act):
    process = begin(start, bot(act), "random", "--out", "r.jsonl")
    wait_for(2, "children" if act == "children" else "pids")
    time.sleep(0.2)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130 and time.monotonic() - began < 2  # a second, and a busy machine
    assert "go on with: ludwin match nim 'process:" in err and "--resume r.jsonl" in err and "Traceback" not in err
    assert running(1.0) == []


@pytest.mark.parametrize("act", ["hang", "stubborn"])
def test_kill_9_of_everything_leaves_no_program(start, act):
    process = begin(start, bot(act), "random")
    wait_for(2)
    time.sleep(0.2)
    process.kill()
    process.communicate()
    assert running() == []


def test_kill_9_of_a_worker_leaves_no_program_and_no_trace(start):
    tournament("nim", [bot("play"), "random"], games=150, out="whole.jsonl", workers=2)
    process = begin(start, bot("play"), "random", "--out", "r.jsonl", games="150")
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    kills = 0
    while process.poll() is None and kills < 3:
        found = workers.read_text().split() if workers.exists() else []
        if found and Path("r.jsonl").exists() and Path("r.jsonl").stat().st_size > 2000 * (kills + 1):
            os.kill(int(found[0]), signal.SIGKILL)
            kills += 1
        time.sleep(0.01)
    _, err = process.communicate(timeout=100)
    assert process.returncode == 0 and kills, err
    assert Path("r.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert running() == []


@pytest.mark.parametrize("command", ["choose", "analyse", "play"])
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_other_commands_leave_no_program_behind(start, command, how):
    more = ["random"] if command == "play" else []
    words = [sys.executable, "-m", "ludwin", command, "nim", bot("hang"), *more]
    process = start(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(1)
    while not any("move" in path.read_text() for path in Path().glob("log-*")):
        time.sleep(0.01)
    began = time.monotonic()
    process.send_signal(getattr(signal, how))
    _, err = process.communicate(timeout=20)
    if how == "SIGINT":
        assert process.returncode == 130 and "Traceback" not in err
        assert time.monotonic() - began < 2
    assert running() == []


def test_kill_9_of_a_worker_ends_what_its_programs_have_started(start):
    process = begin(start, bot("children"), "random")
    wait_for(2, "children")
    (first, *_) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    old = pids("children")[:2]
    os.kill(int(first), signal.SIGKILL)
    until = time.monotonic() + 5
    while all(is_running(pid) for pid in old) and time.monotonic() < until:
        time.sleep(0.02)
    assert not all(is_running(pid) for pid in old)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert running() == []


def test_a_program_that_does_not_leave_is_made_to():
    began = time.monotonic()
    assert match("nim", bot("stays"), "random", games=2).forfeits == (0, 0)
    assert time.monotonic() - began < 10 and len(pids("quits")) == 2 and running() == []


# Trust


def test_a_record_starts_no_program(capsys):
    mark = Path("mark")
    assert main(["match", "nim", bot("play"), "random", "--games", "2", "--out", "r.jsonl"]) == 0
    text = Path("r.jsonl").read_text().replace("bots.py play", f"-c open('{mark}','w')")
    Path("r.jsonl").write_text(text.splitlines()[0] + "\n")
    capsys.readouterr()
    for more in ([], ["--trust", "bots.py"], ["--trust", sys.executable]):
        assert main(["match", "--resume", "r.jsonl", *more]) == 2
        assert "which runs code; name it on the command line" in capsys.readouterr().err
    assert main(["replay", "r.jsonl"]) == 0 and not mark.exists()


@pytest.mark.parametrize("code", [["a" * 64, None], [None, None], None])
def test_a_forged_hash_does_not_make_a_program_trusted(capsys, code):
    header = {"format": "ludwin-games", "version": 1, "game": "nim", "seed": 0}
    header["agents"] = ["process:touch mark", "process:./mark.py"]
    Path("mark.py").write_text("open('mark', 'w')\n")
    Path("r.jsonl").write_text(json.dumps({**header, **({"code": code} if code else {})}) + "\n")
    assert main(["match", "--resume", "r.jsonl", "--trust", "mark.py"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1 and not Path("mark").exists()
