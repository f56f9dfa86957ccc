import io
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from ludwin import CHANCE, Agent, Choice, agent, load
from ludwin.cli.prompt import play
from ludwin.errors import BadParameter, BadPosition, CannotPlay
from ludwin.play.referee import draw_nature, play_game
from ludwin.play.session import open_session
from ludwin.play.view import can_tell, common
from ludwin.primitives import stream

NIM = load("nim:heap=9")
TIC_TAC_TOE = load("tic-tac-toe")
KUHN = load("kuhn-poker")


def session(game, agents, lines="", **options):
    """Play a session in plain Python; return the exit code, what a person saw, and the record."""
    talk, results = io.StringIO(), io.StringIO()
    game_on = open_session(game, agents, **{"mode": "plain", **options})
    other = bool(agents and options.get("load"))
    code = play(game_on, as_json=True, other_seats=other, streams=(io.StringIO(lines), results, talk))
    return code, talk.getvalue(), json.loads(results.getvalue() or "null")


def answers(game, lines, agents=("random",), **options):
    """Return what a person reads in answer to their last line."""
    _, text, _ = session(game, [agent(a) for a in agents], lines, **options)
    return text.split("> ")[-2].partition("\n")[2].removesuffix("\nyour move").strip()


@dataclass(frozen=True)
class First(Agent):
    """Plays the first move."""

    name: ClassVar[str] = "first"

    def choose(self, game, state, *, seed=0, mode="fast"):
        return Choice(move=state.moves()[0], value=0.25, nodes=2)


@dataclass(frozen=True)
class Peeper(Agent):
    """Bets if the other player's card is the lower one: it looks at what it must not see."""

    name: ClassVar[str] = "peeper"

    def choose(self, game, state, *, seed=0, mode="fast"):
        wins = state.cards[state.mover] > state.cards[1 - state.mover]
        return Choice(move=int(wins), value=1.0 if wins else -1.0, nodes=2, decided=True)


# The game


def codes(record):
    """Return the moves of a record as numbers."""
    return [one["code"] for one in record["moves"]]


def test_a_whole_game_reads_like_this():
    code, text, record = session(load("nim:heap=5"), [First()], "1\nmoves\nundo\n2\n2\n")
    assert code == 0
    assert text == (
        "nim:heap=5: you are player 0, player 1 is first. Type a move, or help.\n"
        "\n"
        "|||||  (5), player 0 to move\n"
        "your move> 1\n"
        "first plays 1 (value 0.25, 2 nodes)\n"
        "\n"
        "|||  (3), player 0 to move\n"
        "your move> moves\n"
        "  1  2  3\n"
        "your move> undo\n"
        "Took back 2 moves.\n"
        "\n"
        "|||||  (5), player 0 to move\n"
        "your move> 2\n"
        "first plays 1 (value 0.25, 2 nodes)\n"
        "\n"
        "||  (2), player 0 to move\n"
        "your move> 2\n"
        "\n"
        "empty  (0), player 1 to move\n"
        "You win (by the rules, after 3 moves). Payoffs: 1, -1.\n"
    )
    assert record == {
        "game": "nim:heap=5",
        "seats": ["human", "first"],
        "moves": [{"move": "2", "code": 2}, {"move": "1", "code": 1}, {"move": "2", "code": 2}],
        "payoffs": [1, -1],
        "end": "rules",
    }


@pytest.mark.parametrize("text", ["nim", "tic-tac-toe", "pig:goal=20", "kuhn-poker", "li-nim", "draughts:size=4"])
def test_watching_is_the_game_that_a_match_plays(text):
    game = load(text)
    seats = [agent("uct:playouts=8"), *[agent("random")] * (game.players - 1)]
    for seed in (0, 7):
        code, _, record = session(game, seats, seed=seed)
        played = play_game(game, seats, seed, mode="plain")
        assert (code, codes(record), record["end"]) == (0, list(played.moves), played.end)
        assert record["payoffs"] == list(played.payoffs)


def test_all_of_nature_is_one_stream():
    game = load("pig:goal=30")
    _, _, record = session(game, [agent("random")], "roll\nroll\nundo\nhold\nroll\n", seed=4)
    state, rng = game.start(), [stream(4, -1)]
    for move in codes(record):
        assert state.mover != CHANCE or move == draw_nature(state, rng)
        state = state.play(move)


def test_an_agent_that_fails_ends_the_session():
    with pytest.raises(CannotPlay, match="cannot choose a move by itself"):
        session(NIM, [Agent()], "1\n")


def test_without_json_everything_is_on_stdout():
    out, err = io.StringIO(), io.StringIO()
    play(open_session(NIM, [First(), First()], mode="plain"), streams=(io.StringIO(), out, err))
    assert out.getvalue().endswith("first (player 0) wins (by the rules, after 9 moves). Payoffs: 1, -1.\n")
    assert err.getvalue() == ""


def test_uct_takes_all_seats_that_nobody_names():
    assert session(NIM, [])[2]["seats"] == ["human", "uct"]
    assert session(load("li-nim"), [])[2]["seats"] == ["human", "uct", "uct"]


def test_people_may_sit_anywhere():
    _, text, record = session(NIM, [First(), None], "3\nquit\n")
    assert record["seats"] == ["first", "human"] and "you are player 1, player 0 is first" in text
    assert "Go on with: ludwin play nim:heap=9 first human --mode plain --from 4:1" in text
    _, text, record = session(NIM, [None, None], "3\n3\nundo\n2\n3\n1\n")
    assert codes(record) == [3, 2, 3, 1] and "player 1> 2" in text
    assert text.endswith("player 1 wins (by the rules, after 4 moves). Payoffs: -1, 1.\n")


@pytest.mark.parametrize("number", [1, 4])
def test_a_wrong_number_of_agents_is_refused(number):
    with pytest.raises(BadParameter, match=rf"li-nim has 3 seats: name 2 agents .* or 3 to watch, got {number}"):
        session(load("li-nim"), [First()] * number)


def test_agents_must_suit_the_game():
    with pytest.raises(CannotPlay, match="games of chance"):
        session(load("pig"), [agent("alphabeta")])


def test_draws_by_repetition_and_length_are_told(tmp_path):
    path = tmp_path / "pendulum.py"
    path.write_text(PENDULUM)
    _, text, record = session(load(path), [First(), First()])
    assert (record["end"], codes(record), record["payoffs"]) == ("repetition", [0] * 8, [0, 0])
    assert text.endswith("Draw (the position has occurred 3 times, after 8 moves). Payoffs: 0, 0.\n")
    path.write_text(PENDULUM + "MAX_PLIES = 5\n")
    _, text, record = session(load(path), [First(), First()])
    assert (record["end"], codes(record)) == ("length", [0] * 5)
    assert text.endswith("Draw (the game may not last longer than 5 moves). Payoffs: 0, 0.\n")


PENDULUM = """
FIELDS = {"at": int, "turn": int}
MAX_MOVES = 2
def setup(s): s.at = 0; s.turn = 0
def mover(s): return s.turn
def moves(s, out):
    out[0] = 0
    out[1] = 1
    return 2
def play(s, m): s.at = 1 - s.at if s.turn == 0 else s.at; s.turn = 1 - s.turn
def payoff(s, p): return 0
def name(s, m): return ("undo", "swing high")[m]
def parse(s, text): return {"swing": 1}[text] if text.isalpha() else text.nonsense
"""


def test_what_was_taken_back_is_no_repetition(tmp_path):
    path = tmp_path / "pendulum.py"
    path.write_text(PENDULUM)
    _, text, record = session(load(path), [First()], "swing high\n/undo\n" * 5)
    assert text.count("Took back 2 moves.") == 5
    assert (record["end"], codes(record)) == ("unfinished", [])


# What is typed


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("", "Type a move such as a1, or help."),
        ("   ", "Type a move such as a1, or help."),
        ("a", "'a' may mean a1 or a2 or a3"),
        ("d4", "tic-tac-toe: a move is a square such as 'b2', got 'd4'; try moves, or help"),
        ("hlep", "tic-tac-toe: a move is a square such as 'b2', got 'hlep'; did you mean 'help'?"),
        ("moves", "a1  b1  c1  a2  b2  c2  a3  b3  c3"),
        ("MOVES", "a1  b1  c1  a2  b2  c2  a3  b3  c3"),
        ("position", ".../.../..."),
        ("board", "a b c\n1 . . .\n2 . . .\n3 . . .\nX to move"),
        ("undo", "There is no move of yours to take back."),
        ("undo 2", "undo stands alone, without '2'."),
        ("save", "Name a file: save FILE."),
        ("load", "Name a file: load FILE."),
        ("load nowhere.json", "cannot read nowhere.json: No such file or directory"),
        ("hint nobody", "no agent called 'nobody'; …"),
        ("hint uct:playout=3", "uct has no parameter 'playout'; did you mean 'playouts'? …"),
        ("\x00 \udcff", "tic-tac-toe: a move is a square such as 'b2', got '\\x00 \\udcff'; try moves, or help"),
    ],
)
def test_every_line_has_a_helpful_answer(line, answer):
    said = answers(TIC_TAC_TOE, line + "\n")
    assert said.startswith(answer[:-1]) if answer.endswith("…") else said == answer


def test_help_names_every_command():
    said = answers(TIC_TAC_TOE, "help\n")
    for word in ("moves", "board", "position", "hint", "undo", "save FILE", "load FILE", "resign", "quit"):
        assert word in said


def test_the_beginning_of_a_move_is_enough():
    _, text, record = session(load("pig"), [First()], "R\nh\n")
    assert record["moves"][0]["move"] == "roll" and "you play roll" in text
    assert record["moves"][2]["move"] == "hold"


def test_a_move_called_like_a_command_is_the_move(tmp_path):
    path = tmp_path / "pendulum.py"
    path.write_text(PENDULUM)
    _, text, record = session(load(path), [First()], "undo\n/undo\nswing high\nswing\nbroken!\n")
    assert [one["move"] for one in record["moves"]] == ["swing high", "undo", "swing high", "undo"]
    assert "Took back 2 moves." in text
    assert "pendulum.py:13: AttributeError" in text  # a parse that fails is told, not a crash


def test_a_hint_gives_reasons():
    said = answers(NIM, "hint alphabeta:depth=9\n")
    assert re.fullmatch(r"alphabeta:depth=9 would play 1 \(decided, payoff 1, \d+ nodes\)", said)
    assert answers(NIM, "hint\n", ("uct:playouts=30",)).startswith("uct:playouts=30 would play ")
    assert answers(NIM, "hint\n").startswith("uct would play 1 (value ")  # what random thinks helps nobody


def test_undo_takes_back_replies_and_nature_and_all_comes_again_as_it_was():
    game = load("pig:goal=30")
    once = session(game, [agent("random")], "roll\nhold\n", seed=4)[2]
    for twice in ("roll\nundo\nroll\nhold\n", "roll\nhold\nundo\nundo\nroll\nhold\n", "roll\nroll\nundo\nhold\n"):
        assert session(game, [agent("random")], twice, seed=4)[2] == once
    assert len(once["moves"]) > 3


def test_who_resigns_has_lost():
    code, text, record = session(NIM, [First()], "1\nresign\n")
    assert text.endswith("You resign after 2 moves; first wins.\n")
    assert (code, record["payoffs"], record["end"]) == (0, None, "resignation")


def last_command(text):
    """Return the words of the command that the last line tells to go on with."""
    return shlex.split(re.search(r"Go on with: (.*)\n$", text)[1])


@pytest.mark.parametrize("lines", ["2\n", "2\nquit\n"])
def test_whoever_leaves_is_told_how_to_go_on(lines):
    code, text, record = session(NIM, [First()], lines, seed=3)
    assert (code, record["payoffs"], record["end"]) == (0, None, "unfinished")
    assert last_command(text) == [
        "ludwin",
        "play",
        "nim:heap=9",
        "first",
        "--seed",
        "3",
        "--mode",
        "plain",
        "--from",
        "6:0",
    ]
    assert "||||||  (6), player 0 to move" in session(NIM, [First()], start=NIM.position("6:0"))[1]


def test_ctrl_c_leaves_with_130():
    class Interrupted(io.StringIO):
        def readline(self):
            raise KeyboardInterrupt

    out, talk = io.StringIO(), io.StringIO()
    code = play(open_session(NIM, [First()], mode="plain"), as_json=True, streams=(Interrupted(), out, talk))
    assert (code, out.getvalue()) == (130, "")
    assert last_command(talk.getvalue()) == ["ludwin", "play", "nim:heap=9", "first", "--mode", "plain"]


# Saved games


def test_a_saved_game_goes_on_as_if_nothing_had_happened(tmp_path):
    file = tmp_path / "my game.json"
    for text, lines in (("nim:heap=20", "1\n2\n1\n3\n1\n1\n1\n"), ("pig:goal=12", "roll\nhold\n" * 9)):
        game, seats = load(text), [agent("random")]
        whole = session(game, seats, lines, seed=5)[2]
        for number in range(lines.count("\n") + 1):
            typed = lines.splitlines(keepends=True)
            _, said, _ = session(game, seats, "".join(typed[:number]) + f"save {file}\nquit\n", seed=5)
            if "Go on with" not in said:
                break  # the game was over before
            assert last_command(said) == ["ludwin", "play", text, "--mode", "plain", "--load", str(file)]
            assert session(game, [], "".join(typed[number:]), load=file)[2] == whole
        assert number > 2
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("name", ["a\0b", "x" * 400, "~nobody-at-all/game", ".", "/"])
def test_a_name_that_no_file_can_have_does_not_end_the_game(name):
    _, said, record = session(NIM, [First()], f"save {name}\nload {name}\n2\nquit\n")
    assert "Saved" not in said and record["moves"][0] == {"move": "2", "code": 2}


def test_a_saved_game_is_this_file(tmp_path):
    session(NIM, [First()], f"2\nsave {tmp_path}/game\n", seed=8, start=NIM.position("7:1"))
    assert (tmp_path / "game").read_text() == (
        "{\n"
        '  "format": "ludwin-play",\n'
        '  "version": 1,\n'
        '  "game": "nim:heap=9",\n'
        '  "start": "heap=7 turn=1",\n'
        '  "seats": ["human", "first"],\n'
        '  "seed": 8,\n'
        '  "moves": ["1", "2", "1"],\n'
        '  "codes": [1, 2, 1],\n'
        '  "payoffs": []\n'
        "}\n"
    )


def test_loading_within_a_session_replaces_the_game(tmp_path):
    file = tmp_path / "game.json"
    seats = [agent("random")]
    saved = session(NIM, seats, f"3\nsave {file}\n", seed=2)[2]
    _, text, record = session(NIM, [agent("uct:playouts=5")], f"1\nload {file}\nsave\n")
    assert record == {**saved, "seats": ["human", "random"]}
    assert "2 moves so far:\n  3  " in text and f"Saved to {file}" in text
    assert session(NIM, [agent("uct:playouts=5")], load=file)[2]["seats"] == ["human", "uct:playouts=5"]


def test_a_users_game_is_saved_with_the_name_of_its_file(tmp_path, monkeypatch):
    (tmp_path / "pendulum.py").write_text(PENDULUM)
    monkeypatch.chdir(tmp_path)
    session(load("./pendulum.py"), [agent("random")], "undo\nsave game.json\n")
    assert json.loads(Path("game.json").read_text())["game"] == "pendulum.py"
    for name in ("./pendulum.py", "pendulum.py", tmp_path / "pendulum.py"):
        assert len(session(load(name), [], load=Path("game.json"))[2]["moves"]) == 2
    (tmp_path / "other.py").write_text(PENDULUM)
    with pytest.raises(BadPosition, match=r"is a game of 'pendulum.py', not of './other.py'"):
        session(load("./other.py"), [], load=Path("game.json"))


def test_saving_spares_other_files(tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("milk, bread")
    assert answers(NIM, f"save {notes}\n") == f"{notes} exists and is no saved game; choose another name"
    assert answers(NIM, f"save {tmp_path}\n") == f"{tmp_path} exists and is no saved game; choose another name"
    assert answers(NIM, f"save {tmp_path}/no/x\n") == f"cannot write {tmp_path}/no/x: No such file or directory"
    assert notes.read_text() == "milk, bread" and len(list(tmp_path.iterdir())) == 1


GOOD = {
    "format": "ludwin-play",
    "version": 1,
    "game": "nim:heap=9",
    "start": "heap=9 turn=0",
    "seats": ["human", "random"],
    "seed": 0,
    "moves": ["1", "3", "3"],
    "codes": [1, 3, 3],
}


def test_the_good_file_is_good(tmp_path):
    (tmp_path / "game").write_text(json.dumps(GOOD))
    assert codes(session(NIM, [], load=tmp_path / "game")[2])[:3] == [1, 3, 3]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "ludwin-run"}, "is no saved game: it does not begin with the format 'ludwin-play'"),
        ({"version": 2}, "was written by a newer Ludwin (version 2 of ludwin-play, this one reads up to 1)"),
        ({"game": "nim"}, "is a game of 'nim', not of 'nim:heap=9'"),
        ({"game": 3}, "'game' must be a text of one line, got 3"),
        ({"seed": True}, "'seed' must be a whole number"),
        ({"seed": None}, ", got None"),
        ({"start": "heap=9 turn=5"}, "the rules cannot stand these fields"),
        ({"start": "heap=many"}, "'heap=many' is not field=number"),
        ({"start": "__import__('os')"}, "cannot read"),
        ({"seats": ["human"]}, "'seats' must be 2 texts"),
        ({"seats": ["human", 1]}, "'seats'[1] must be a text of one line, got 1"),
        ({"seats": ["human", "process:rm"]}, "names the agent 'process:rm', which runs code"),
        (
            {"seats": ["human", "./evil.py"]},
            "names the agent './evil.py', which runs code; name it on the command line",
        ),
        ({"seats": ["human", "nobody"]}, "no agent called 'nobody'"),
        ({"moves": ["1", "3"]}, "2 moves but 3 codes"),
        ({"codes": [1, 3, 4]}, "move 3, '3' with code 4, is not a legal move there"),
        ({"codes": [1, 3, 2]}, "move 3, '3' with code 2, is not a legal move there"),
        ({"codes": [True, 3, 3]}, "'codes'[0] must be a whole number, got True"),
        ({"codes": [1, [3], 3]}, "'codes'[1] must be a whole number, got [3]"),
        ({"moves": ["3"] * 4, "codes": [3] * 4}, "the game is over (rules) before move 4, '3'"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path, change, reason):
    file = tmp_path / "game"
    file.write_text(json.dumps({**GOOD, **change}))
    with pytest.raises(BadPosition) as caught:
        session(NIM, [], load=file)
    assert reason in str(caught.value) and "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(file))
    assert reason in answers(NIM, f"load {file}\n")


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"3", b"\xff\xfe", b"{" * 100, b"[" * 200_000, b'{"format": "ludwin-play"', b"null"]
)
def test_what_is_not_even_json_is_refused(tmp_path, raw):
    (tmp_path / "game").write_bytes(raw)
    with pytest.raises(BadPosition, match="is no saved game"):
        session(NIM, [], load=tmp_path / "game")


def test_a_saved_game_has_its_own_start():
    with pytest.raises(BadParameter, match="--load or --from, not both"):
        session(NIM, [], load=Path("game.json"), start=NIM.start())


# Hidden information


def test_the_screen_is_the_same_whatever_is_hidden():
    lines = "help\nmoves\nboard\nposition\nhint\nhint uct:playouts=40\nfold\ncheck\nboard\nundo\nhint\ncheck\n"
    for mine, others in (("J", "QK"), ("Q", "JK"), ("K", "JQ")):
        texts = set()
        for other in others:
            _, text, _ = session(KUHN, [First()], lines, start=KUHN.position(f"{mine}{other}:"))
            texts.add(text.rpartition("your move> ")[0])
        assert len(texts) == 1
        (text,) = texts
        assert f"player 0: {mine}  player 1: ?" in text
        assert f"player 1: {others[0]}" not in text and f"player 1: {others[1]}" not in text


def test_an_adviser_sees_no_more_than_the_person():
    # The first card of the other player is unknown, so an adviser that peeps must look at a guess.
    hints = set()
    for other in "JK":
        _, text, _ = session(KUHN, [Peeper()], "hint\n", start=KUHN.position(f"Q{other}:"))
        hints.add(re.search("peeper would play .*", text)[0])
    assert len(hints) == 1


def test_agents_keep_their_reasons_where_they_have_secrets():
    _, text, _ = session(KUHN, [Peeper()], "check\nfold\n", start=KUHN.position("QK:"))
    assert "peeper plays bet\n" in text


def test_all_is_shown_at_the_end():
    _, text, _ = session(KUHN, [First()], "bet\n", start=KUHN.position("QK:"))
    assert text.endswith(
        "\nplayer 0: Q  player 1: K\nbet, fold\nYou win (by the rules, after 2 moves). Payoffs: 1, -1.\n"
    )


def test_a_person_learns_their_own_card_but_not_the_other():
    _, text, record = session(KUHN, [First()], "board\nquit\n", seed=1)
    mine, other = (one["move"] for one in record["moves"])
    assert f"nature plays {mine}\nnature plays something that you cannot see\n" in text
    assert f"2 moves so far:\n  {mine}  ?\n" in text
    assert last_command(text) == ["ludwin", "play", "kuhn-poker", "first", "--seed", "1", "--mode", "plain"]
    _, text, _ = session(KUHN, [First(), None], "quit\n", seed=1)
    assert f"nature plays something that you cannot see\nnature plays {other}\nfirst plays check\n" in text


def test_leaving_tells_the_own_moves_only():
    _, text, record = session(KUHN, [agent("random")], "check\n", seed=next(s for s in range(99) if reaches_a_bet(s)))
    assert record["end"] == "unfinished"
    assert re.search(
        r"Go on with: ludwin play kuhn-poker random( --seed \d+)? --mode plain and the moves check\n$", text
    )


def test_leaving_a_loaded_game_tells_the_own_moves_since(tmp_path):
    file = tmp_path / "game"
    seed = next(s for s in range(99) if reaches_a_bet(s))
    session(KUHN, [agent("random")], f"save {file}\n", seed=seed)
    _, text, _ = session(KUHN, [], "check\n", load=file)
    assert text.endswith(f"Go on with: ludwin play kuhn-poker --mode plain --load {file} and the moves check\n")
    _, text, _ = session(KUHN, [agent("random")], load=file)
    assert text.endswith(f"Go on with: ludwin play kuhn-poker random --mode plain --load {file}\n")


def reaches_a_bet(seed):
    return "check, bet\n" in session(KUHN, [agent("random")], "check\n", seed=seed)[1]


def test_a_secret_move_is_not_named():
    # Dealing J to the other player looks to player 0, who has Q, like dealing K.
    before, card = KUHN.position("Q-:"), KUHN.position("Q-:").parse("J")
    assert not can_tell(before, card, before.play(card), 0, seed=3)
    assert can_tell(before, card, before.play(card), 1, seed=3)
    bet = KUHN.position("QJ:").parse("bet")
    assert can_tell(KUHN.position("QJ:"), bet, KUHN.position("QJ:b"), 1, seed=3)


def test_secrets_need_a_screen_of_their_own():
    with pytest.raises(CannotPlay, match="several people at one screen"):
        session(KUHN, [None, None])


@pytest.mark.parametrize(
    ("texts", "merged"),
    [
        (["a b", "a c"], "a ?"),
        (["hand: 10 7", "hand: 9 7"], "hand: ? 7"),
        (["hand: ace\nend", "hand: queen\nend"], "hand: ?\nend"),
        (["same", "same and more"], "same?"),
        (["one line", "two\nlines"], None),
    ],
)
def test_only_what_all_worlds_share_is_drawn(texts, merged):
    assert common(texts) == merged
