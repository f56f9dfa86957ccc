"""Engines of chess as agents, and our agents as engines: what is said, and what becomes of those that misbehave."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludwin import agent, load, match, paths
from ludwin.adapters import engines, foreign
from ludwin.adapters.uci_door import Go, UciDoor
from ludwin.arena.records import read_records
from ludwin.cli import main
from ludwin.errors import BadParameter, CannotPlay, IllegalMove, Misbehaved

CHESS = load("chess")
PATH = "/usr/games:/usr/local/bin:/usr/bin:/bin"
REAL = {  # Debian's engines, and how they are started
    "stockfish": "uci:stockfish,nodes=200",
    "gnuchess": 'uci:"gnuchess --uci",depth=2',
    "toga2": "uci:toga2,depth=2",
    "ethereal-chess": "uci:ethereal-chess,depth=2",
    "phalanx": "xboard:phalanx,depth=1",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test has a folder of its own, finds Debian's games, and leaves no engine running."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", PATH)
    shutil.copy(Path(__file__).parent / "engines.py", tmp_path / "engines.py")
    yield tmp_path
    engines.end_all()
    assert not engines._engines


def bad(act, more="", protocol="uci"):
    return f'{protocol}:"{sys.executable} engines.py {protocol} {act}"{more}'


def test_the_text_of_an_engine_reads_back():
    for text in (
        "uci:stockfish,nodes=1000",
        'uci:"gnuchess --uci",seconds=0.05',
        "xboard:phalanx,depth=4",
        "uci:stockfish,depth=3,skill level=7",
    ):
        assert str(agent(text)) == text
        assert agent(str(agent(text))) == agent(text)
    assert agent("uci:stockfish,skill_level=7").options == (("skill level", "7"),)
    for text in ("uci:", "uci", 'uci:"", depth=3', "uci:stockfish,depth=-1", "uci:stockfish,depth", "uci:a,b,depth=1"):
        with pytest.raises(BadParameter):
            agent(text)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ("none", "has no move"),
        ("empty", "has no move"),
        ("illegal", "'e2e5'.*not legal"),
        ("odd", "not legal"),
        ("endless", "a line of more than 65,536 bytes"),
        ("die", "exit status 3; its last words: 'out of memory'"),
    ],
)
def test_an_engine_that_misbehaves_is_ended_with_the_reason(act, reason):
    with pytest.raises((Misbehaved, IllegalMove), match=reason):
        agent(bad(act, ",depth=1")).choose(CHESS, CHESS.start())


def test_an_engine_that_hangs_is_ended_in_its_time(monkeypatch):
    monkeypatch.setattr(engines, "LATE", 0.2)
    began = time.monotonic()
    with pytest.raises(Misbehaved, match=r"no move within 0.1 s"):
        agent(bad("hang", ",seconds=0.1")).choose(CHESS, CHESS.start())
    assert time.monotonic() - began < 30
    monkeypatch.setattr(foreign, "START", 0.3)
    with pytest.raises(Misbehaved, match="not ready"):
        agent(bad("mute", ",depth=1")).choose(CHESS, CHESS.start())


@pytest.mark.parametrize("act", ["flood", "blank"])
def test_an_engine_may_talk_as_much_as_it_wants_before_its_answer(act):
    choice = agent(bad(act, ",depth=1")).choose(CHESS, CHESS.start())
    assert CHESS.start().name(choice.move) == "Nf3"


def test_scores_are_read_and_bounds_passed_over():
    choice = agent(bad("score", ",depth=1")).choose(CHESS, CHESS.start())
    assert (choice.value, choice.depth, choice.decided) == (0.0025, 4, False)


def test_options_are_spelled_as_the_engine_does_and_unknown_ones_refused(tmp_path):
    agent(bad("score", ",depth=1,skill_level=3")).choose(CHESS, CHESS.start())
    assert (tmp_path / "options").read_text() == "setoption name Skill Level value 3\n"
    with pytest.raises(Misbehaved, match=r"no option 'hash' \(it has Skill Level\)"):
        agent(bad("score", ",depth=1,hash=3")).choose(CHESS, CHESS.start())


def test_an_engine_needs_a_limit_and_a_game_that_it_can_be_told():
    with pytest.raises(CannotPlay, match="give nodes=, depth= or seconds="):
        agent(bad("score")).choose(CHESS, CHESS.start())
    with pytest.raises(CannotPlay, match="such as chess, not draughts"):
        agent(bad("score", ",depth=1")).choose(load("draughts"), load("draughts").start())


def test_a_match_forfeits_what_an_engine_does_wrong(tmp_path):
    out = tmp_path / "games.jsonl"
    done = match("chess", bad("illegal", ",depth=1"), "random", games=2, seed=1, out=out)
    assert done.losses == 2
    records = [record for _, record in read_records(out)]
    assert {record.end for record in records} == {"forfeit"}
    assert all("not legal" in record.reason for record in records)


def test_xboard_engines_that_misbehave_are_ended_and_hasty_ones_hurried():
    for act, reason in (("resign", "resigns"), ("illegal", "not legal")):
        with pytest.raises((Misbehaved, IllegalMove), match=reason):
            agent(bad(act, ",depth=1", "xboard")).choose(CHESS, CHESS.start())
    choice = agent(bad("good", ",depth=1", "xboard")).choose(CHESS, CHESS.start())
    assert (CHESS.start().name(choice.move), choice.value, choice.nodes) == ("Nf3", 0.0025, 77)
    choice = agent(bad("slow", ",seconds=0.1", "xboard")).choose(CHESS, CHESS.start())
    assert CHESS.start().name(choice.move) == "Nc3"
    with pytest.raises(BadParameter, match="no limit of nodes"):
        agent(bad("good", ",nodes=10", "xboard"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("uci:no-such-engine,nodes=5", "there is no program 'no-such-engine' that can be started"),
        (bad("score"), "nothing limits the moves of uci:"),
        ("xboard:phalanx,nodes=5", "such engines have no limit of nodes"),
    ],
)
def test_an_engine_that_can_play_no_game_is_refused_before_the_games(capsys, text, reason):
    assert main(["match", "chess", text, "random", "--games", "2"]) == 2
    told = capsys.readouterr()
    assert reason in told.err and told.err.count("\n") == 1 and not told.out


def test_an_engine_without_a_limit_plays_by_the_clock():
    done = match("chess", bad("illegal"), "random", games=2, seed=1, clock="5")
    assert done.losses == 2


def test_debians_folder_of_games_is_looked_into_when_the_search_path_has_no_such_engine(tmp_path, monkeypatch):
    games = tmp_path / "games"
    games.mkdir()
    script = games / "an-engine"
    script.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{tmp_path}/engines.py' uci \"$1\"\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(CannotPlay, match="there is no program 'an-engine'"):
        agent('uci:"an-engine score",depth=1').choose(CHESS, CHESS.start())
    monkeypatch.setattr(paths, "DEBIAN_GAMES", str(games))
    assert agent('uci:"an-engine score",depth=1').choose(CHESS, CHESS.start()).depth == 4


@pytest.mark.parametrize("program", REAL)
def test_real_engines_play_ours_without_a_forfeit(program, tmp_path):
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    out = tmp_path / "games.jsonl"
    terms = {"games": 2, "seed": 3, "openings": ["e4 e5 Nf3", "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1"], "out": out}
    match("chess", REAL[program], "tactician:nodes=300", **terms)
    records = [record for _, record in read_records(out)]
    assert len(records) == 2
    assert all(record.end != "forfeit" or record.reason == "resigns" for record in records), records


class Talk:
    """A door that is spoken to line by line."""

    def __init__(self, text="tactician:depth=4"):
        self.said = []
        self.door = UciDoor(CHESS, agent(text, CHESS), self.said.append)

    def __call__(self, *lines):
        self.said.clear()
        for line in lines:
            self.door.command(line.split())
        return self.said

    def best(self, *lines):
        self(*lines)
        until = time.monotonic() + 60
        while not any(line.startswith("bestmove") for line in self.said):
            assert time.monotonic() < until, self.said
            time.sleep(0.005)
        return self.said[-1].split()[1]


def test_the_door_answers_what_the_protocol_asks():
    talk = Talk()
    said = talk("uci", "debug on", "nonsense", "isready")
    assert said[0].startswith("id name Ludwin") and "uciok" in said and said[-1] == "readyok"
    assert talk.best("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "go depth 3") == "a1a8"
    assert "score mate 1" in talk.said[-2]
    assert talk.best("position startpos moves e2e4 e7e5", "go nodes 500") in {
        talk.door.protocol.move(code) for code in talk.door.states[-1].moves()
    }
    info = talk.said[-2].split()
    assert all(word in info for word in ("depth", "score", "nodes", "nps", "time", "pv"))
    assert talk.best("go movetime 30") and talk.best("go wtime 900 btime 900 winc 10 binc 10")
    assert talk.best("go depth 2 searchmoves a2a3 h2h3") in ("a2a3", "h2h3")
    talk.door.stop()


def test_the_door_goes_on_until_it_is_stopped():
    talk = Talk()
    talk("position startpos", "go infinite")
    time.sleep(0.1)
    assert not any(line.startswith("bestmove") for line in talk.said)
    assert talk("stop")[-1].startswith("bestmove")
    talk("go ponder depth 2")
    time.sleep(0.1)
    assert not any(line.startswith("bestmove") for line in talk.said)
    assert talk.best("ponderhit")
    assert talk("stop", "ponderhit", "stop") == []


def test_a_hanging_engine_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(foreign, "PATIENCE", 0.3)
    with pytest.raises(Misbehaved, match=r"^uci:.*,depth=1: no move within 0\.3 s$"):
        agent(bad("hang", ",depth=1")).choose(CHESS, CHESS.start())


@pytest.mark.parametrize("lines", [["go depth -3"], ["go nodes -5"], ["go mate -1"], ["go ponder", "ponderhit"]])
def test_what_limits_nothing_is_no_search_without_end(lines):
    assert Talk("tactician:depth=2").best("position startpos", *lines)  # each once searched until it was stopped


def test_a_hit_ends_pondering_and_nothing_else():
    talk = Talk("random")
    talk("position startpos", "go infinite", "ponderhit")
    time.sleep(0.1)
    assert not any(line.startswith("bestmove") for line in talk.said)
    assert talk("stop")[-1].startswith("bestmove")


def test_limits_behind_searchmoves_are_heard():
    go = Go(["searchmoves", "a2a3", "h2h3", "depth", "3", "infinite"])
    assert go.only == ["a2a3", "h2h3"] and go.numbers == {"depth": 3} and go.endless


@pytest.mark.parametrize(("text", "offers"), [("tactician:depth=2", True), ("uct:playouts=9", False)])
def test_only_who_can_tell_several_lines_offers_to(text, offers):
    assert any("MultiPV" in line for line in Talk(text)("uci")) == offers


def test_an_engine_that_nobody_can_speak_to_ends(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)  # what `ludwin uci <&-` begins with
    assert main(["uci", "random"]) == 0


def test_the_door_tells_several_lines():
    talk = Talk()
    talk.best("setoption name MultiPV value 3", "position startpos", "go depth 3")
    finals = talk.said[-4:-1]
    assert [line.split("multipv ")[1].split()[0] for line in finals] == ["1", "2", "3"]
    assert len({line.split(" pv ")[1].split()[0] for line in finals}) == 3


@pytest.mark.parametrize(
    "line",
    [
        "position", "position fen", "position fen 8/8 w", "position startpos moves e2e5", "position startpos moves",
        "setoption", "setoption name", "setoption name MultiPV value x", "setoption name Hash value 99999999999",
        "go depth x", "go depth", "go depth -3", "go movetime", "go wtime -5 btime -5", "stop", "ponderhit", "\x00",
        "setoption name Nothing value 3", "register later", "go nodes 0", "go mate 1",
    ],
)  # fmt: skip
def test_no_line_confuses_the_door(line):
    talk = Talk("tactician:depth=2")
    talk("position startpos")
    talk(line)
    talk.door.stop()
    assert talk.best("ucinewgame", "position startpos", "go depth 1")


@pytest.mark.parametrize("line", ["position fen " + "8/" * 10**5, "position startpos moves " + "e9" * 10**5])
def test_the_door_does_not_repeat_endless_lines(line):
    talk = Talk("tactician:depth=1")
    talk(line)
    assert all(len(said) < 2500 for said in talk.said) and "chess: " in talk.said[0]


@pytest.mark.parametrize("line", ["position fen 8/8 w", "position startpos moves e2e4 e2e4", "position nonsense"])
def test_a_refused_position_is_never_answered_for_another_one(line):
    talk = Talk("tactician:depth=1")
    talk.best("position startpos", "go depth 1")
    assert talk.best(line, "go depth 1") == "0000"
    assert "refused" in talk.said[-2] and talk.said[0].startswith("info string")
    assert talk.best("go infinite") == "0000" and "refused" in talk("d")[0]
    assert talk.best("position startpos", "go depth 1") != "0000"


def test_a_game_that_goes_on_is_the_game_that_is_told_anew():
    talk, moves = Talk("random"), ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"]
    for told in (moves[:2], moves[:4], moves, moves[:3], [*moves[:3], "d7d6"], [], ["e4", "e5", "Nf3"]):
        talk("position startpos" + (f" moves {' '.join(told)}" if told else ""))
        fresh = Talk("random")
        fresh("position fen " + CHESS.start().write() + (f" moves {' '.join(told)}" if told else ""))
        assert (talk.door.states, talk.door.played) == (fresh.door.states, fresh.door.played)
        assert len(talk.door.played) == len(told)
    talk("position fen 8/8/8/3k4/8/8/4P3/4K3 w - - 0 1 moves e2e4", "position startpos moves e2e4 e7e5")
    assert talk.door.states[-1].write().startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3")


def test_a_game_goes_on_for_whoever_claims_no_draw_after_fifty_moves():
    talk = Talk("tactician:depth=2")
    shuffle = "a1b1 e8d8 b1a1 d8e8 " * 30
    start = "position fen 4k3/8/8/8/8/8/8/R3K3 w - - 0 1 moves"
    assert talk.best(f"{start} {shuffle}", "go depth 2") != "0000"
    assert len(talk.door.played) == 120 and len(talk.door.states) == 121
    assert talk.best(f"{start} {' '.join(shuffle.split()[:100])}", "go depth 2") != "0000"
    assert talk.best("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 130 90", "go depth 2") == "a1a8"
    assert "score mate 1" in talk.said[-2]
    assert talk.best("position fen R5k1/5ppp/8/8/8/8/8/4K3 b - - 130 90", "go depth 2") == "0000"


def test_a_finished_game_has_no_move():
    assert Talk().best("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go depth 2") == "0000"


@pytest.mark.parametrize("text", ["random", "uct:playouts=20", "alphabeta:depth=1", "greedy"])
def test_any_agent_is_an_engine(text):
    talk = Talk(text)
    state = CHESS.start()
    for go in ("go depth 1", "go movetime 10", "go", "go nodes 50"):
        assert state.parse(talk.best("position startpos", go)) in state.moves()
    talk.door.stop()


def test_the_command_refuses_what_is_no_engine(capsys):
    for words, reason in (
        (["human"], "cannot ask a human"),
        (["--game", "nim"], "such as chess"),
        (["nobody"], "no agent"),
    ):
        assert main(["uci", *words]) == 2
        assert reason in capsys.readouterr().err


def test_python_chess_drives_our_engine():
    chess = pytest.importorskip("chess")
    engine_module = pytest.importorskip("chess.engine")
    engine = engine_module.SimpleEngine.popen_uci([sys.executable, "-m", "ludwin", "uci"], timeout=120)
    try:
        board = chess.Board()
        for limit in (engine_module.Limit(depth=3), engine_module.Limit(nodes=500), engine_module.Limit(time=0.02)):
            board.push(engine.play(board, limit).move)
        lines = engine.analyse(board, engine_module.Limit(depth=3), multipv=3)
        assert len(lines) == 3
        for line in lines:
            board.variation_san(line["pv"])  # raises if a move of it is illegal
    finally:
        engine.quit()


def test_the_end_of_input_ends_the_engine():
    done = subprocess.run(
        [sys.executable, "-m", "ludwin", "uci", "random"],
        input="uci\ngo infinite\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and "uciok" in done.stdout and done.stdout.splitlines()[-1].startswith("bestmove")


def test_whatever_an_agent_throws_is_one_line_and_a_move(monkeypatch):
    def throw(*_):
        raise RuntimeError("one\ntwo\n" + "x" * 5000)

    talk = Talk("random")
    monkeypatch.setattr(UciDoor, "_search", throw)
    assert talk.best("position startpos", "go depth 1") in {"a2a3", "b1a3"}
    assert talk.said[0].startswith("info string RuntimeError: one two x") and len(talk.said[0]) < 1100
    assert not any("\n" in line for line in talk.said)
