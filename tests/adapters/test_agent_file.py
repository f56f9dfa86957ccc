"""Agents of users' files: what they may be, that they run only when they are named, and whatever they do wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ludwin import agent, load, match
from ludwin.arena.records import read_header, read_records
from ludwin.arena.tournament import tournament
from ludwin.cli import main
from ludwin.errors import LudwinError, UnknownAgent

NIM = load("nim")

FUNCTION = '''"""Takes what leaves a multiple of four, else one."""

def choose(state, seed, level=3, style="calm", loud=False, weight=1.5):
    return state.heap % 4 if state.heap % 4 in state.moves() else 1
'''
CLASS = """from dataclasses import dataclass
from ludwin import Agent, Choice
from helping import first

class Base(Agent):
    def choose(self, game, state, *, seed=0, mode="fast"):
        return Choice(first(state), 0.25, 7)

class Mine(Base):
    depth: int = 2
    style: str = "calm"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of the test's own, in which files are written by name."""
    monkeypatch.chdir(tmp_path)

    def write(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(text, encoding="utf8")
        return tmp_path

    return write


# What an agent's file may be


def test_a_function_is_an_agent_and_its_keywords_are_settings(folder):
    folder(mine=FUNCTION)
    made = agent('./mine.py:level=4,style="a, b",loud=true')
    assert str(made) == './mine.py:level=4,style="a, b",loud=true'
    assert agent(str(made)) == made and str(agent("./mine.py:level=3,weight=1.5")) == "./mine.py"
    odd = agent('./mine.py:style="a\\u0007b"')
    assert str(odd) == './mine.py:style="a\\u0007b"' and odd.inner.style == "a\x07b" and agent(str(odd)) == odd
    assert match("nim", made, "random", games=20).wins >= 10  # whoever begins at 21 wins so
    assert match("nim", made, made, games=2).score == 0.5


def test_a_function_gets_its_settings_and_the_seed_of_its_decision(folder):
    folder(
        mine="""def choose(state, *, a=1, seed, b="x"):
    assert (a, b) == (5, "y")
    return state.moves()[seed % len(state.moves())]
"""
    )
    made = agent("./mine.py:a=5,b=y")
    state = NIM.start()
    assert [made.choose(NIM, state, seed=seed).move for seed in (0, 4, 8)] == [1, 2, 3]
    files = []
    for workers in (1, 2):
        tournament("nim", [made, "random"], games=20, workers=workers, out=f"{workers}.jsonl")
        files.append(Path(f"{workers}.jsonl").read_bytes())
    assert files[0] == files[1] and b"forfeit" not in files[0]


def test_a_class_is_an_agent_with_helpers_beside_it_and_need_not_be_decorated(folder):
    folder(mine=CLASS, helping="def first(state):\n    return state.moves()[0]\n")
    made = agent("./mine.py:depth=5")
    assert str(made) == "./mine.py:depth=5" and str(agent("./mine.py:depth=2")) == "./mine.py"
    choice = made.choose(NIM, NIM.start())
    assert (choice.move, choice.value, choice.nodes) == (1, 0.25, 7)
    before = made.texts
    folder(helping="def first(state):\n    return state.moves()[-1]\n")
    assert agent("./mine.py").texts != before and agent("./mine.py").choose(NIM, NIM.start()).move == 3


def test_a_class_that_changes_one_of_ours_is_asked_itself(folder):
    folder(
        mine="""from ludwin import Choice
from ludwin.search.uct import UCT
from dataclasses import dataclass

@dataclass(frozen=True)
class Mine(UCT):
    def choose(self, game, state, *, seed=0, mode="fast"):
        return Choice(state.moves()[-1], 0.0, 1)
"""
    )
    tournament("nim", ["./mine.py:playouts=10", "random"], games=2, out="r.jsonl")
    first = next(record for _, record in read_records("r.jsonl"))
    assert set(first.moves[:-1:2]) == {3}  # the compiled search of its parent does not play for it


def test_moves_may_be_codes_names_choices_and_numbers_of_numpy(folder):
    returns = ("1", "'1'", "Choice(2, 0, 1)", "Choice('2', 0.5, 1)", "np.int64(3)")
    for k, text in enumerate(returns):
        folder(**{f"a{k}": f"import numpy as np\nfrom ludwin import Choice\ndef choose(state):\n    return {text}\n"})
    assert [agent(f"./a{k}.py").choose(NIM, NIM.start()).move for k in range(5)] == [1, 1, 2, 2, 3]


def test_it_plays_on_every_command(folder, capsys):
    folder(mine="def choose(state, level=1):\n    print('talk')\n    return state.moves()[0]\n")
    assert main(["choose", "nim", "./mine.py", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["move"] == "1"
    assert "running ./mine.py, which is Python code and has your rights" in err and "talk" in err
    assert main(["analyse", "nim", "./mine.py", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agent"] == "./mine.py"
    assert main(["play", "nim:heap=3", "./mine.py", "random", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seats"] == ["./mine.py", "random"]
    assert main(["agents", "./mine.py", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agents"][0]["parameters"][0]["name"] == "level"
    assert main(["tournament", "nim", "./mine.py", "./mine.py:level=2", "random", "--games", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agents"] == ["mine.py", "mine.py:level=2", "random"]


def test_it_is_not_shown_what_it_may_not_see(folder):
    folder(
        peeks="""from ludwin import Agent, Choice

class Peeks(Agent):
    def choose(self, game, state, *, seed=0, mode="fast"):
        return Choice(state.moves()[state.cards[1] % 2], state.cards[1], 1)
"""
    )
    game, made = load("kuhn-poker"), agent("./peeks.py")
    seen = [[made.choose(game, game.position(f"K{other}:pb"), seed=s).value for s in range(20)] for other in "JQ"]
    assert seen[0] == seen[1] and len(set(seen[0])) == 2
    seated = made.sit(game)(game.position("KJ:pb"), 3, (3, 1, 0, 1))
    assert seated == made.sit(game)(game.position("KQ:pb"), 3, (3, 2, 0, 1))


# What is refused before anything is played


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def choose(:\n", "mine.py:1: this is not Python"),
        ("1 / 0\n", "mine.py:1: ZeroDivisionError"),
        ("import nowhere_to_be_found\n", "mine.py:1: ModuleNotFoundError"),
        ("import sys\nsys.exit(3)\n", "mine.py:2: the file ends Python itself"),
        ("x = 1\n", "mine.py:1: the file has no agent: write a function choose(state)"),
        ("choose = 3\n", "the file has no agent"),
        ("def choose():\n    return 1\n", "choose must take the position as its first argument"),
        ("def choose(state, level):\n    return 1\n", "a parameter level without a default"),
        ("def choose(state, *more):\n    return 1\n", "choose cannot take *more"),
        ("def choose(state, table=()):\n    return 1\n", "table must have a number, a text or a truth value"),
        ("from ludwin import Agent\nclass A(Agent): pass\nclass B(Agent): pass\n", "2 agents, A and B: one file, one"),
        ("from ludwin import Agent\nclass A(Agent):\n    depth: int\n", "depth has no default"),
        (
            "from dataclasses import dataclass\nfrom ludwin import Agent\n@dataclass\nclass A(Agent): d: int = 1\n",
            "mine.py:3: TypeError: cannot inherit non-frozen",
        ),
    ],
)
def test_a_file_without_an_agent_is_refused_in_one_line(folder, capsys, text, reason):
    folder(mine=text)
    assert main(["match", "nim", "./mine.py", "random"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and reason in err and "Traceback" not in err
    assert len([line for line in err.splitlines() if "running ./mine.py" not in line]) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("./none.py", "there is no file './none.py'"),
        ("./mine", "a file that ends with .py"),
        ("./", "a file that ends with .py"),
        ("./mine.py:level=x", "level must be a whole number, got 'x'"),
        ("./mine.py:loud=2", "loud must be true or false, got '2'"),
        ("./mine.py:levle=2", "no parameter 'levle'; did you mean 'level'"),
        ("./mine.py:level", "parameters are written key=value"),
        ("./mi\x07ne.py", "a file that ends with .py"),
        ("./mine.py:seed=3", "no parameter 'seed'"),
    ],
)
def test_wrong_names_and_settings_are_refused_in_one_line(folder, text, reason):
    folder(mine=FUNCTION)
    with pytest.raises(LudwinError) as caught:
        agent(text)
    assert reason in str(caught.value) and "\n" not in str(caught.value)


# Forfeits


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("    return None\n", "bad.py returned None, which is no move: return its code or its name"),
        ("    pass\n", "bad.py returned None, which is no move: return its code or its name"),
        ("    return [1]\n", "bad.py returned [1], which is no move: return its code or its name"),
        ("    return True\n", "bad.py returned True, which is no move: return its code or its name"),
        ("    return 1.0\n", "bad.py returned 1.0, which is no move: return its code or its name"),
        ("    return 99\n", "illegal move: bad.py played 99, which is not legal"),
        ("    return 10 ** 40\n", f"illegal move: bad.py played {10**40}, which is not legal"),
        ("    return 'pass'\n", "illegal move: nim: a move is a number of counters from 1 to 3, got 'pass'"),
        ("    return 1 / 0\n", "exception: ZeroDivisionError: division by zero (bad.py, line 2)"),
        ("    raise SystemExit(3)\n", "exception: SystemExit: 3 (bad.py, line 2)"),
        ("    return choose(state)\n", "exception: RecursionError: maximum recursion depth exceeded (bad.py, line 2)"),
        ("    state.heap = 0\n    return 1\n", "exception: Unchangeable"),
        ("    from ludwin import Choice\n    return Choice(1, 'much', 1)\n", "bad.py returned Choice"),
        ("    import os\n    os._exit(7)\n", "died: exit status 7"),
        ("    class Odd:\n        def __repr__(self): 1 / 0\n    return Odd()\n", "bad.py returned a Odd, which is"),
    ],
)
def test_whatever_it_does_wrong_is_a_forfeit_with_its_reason(folder, body, reason):
    folder(bad="def choose(state):\n" + body)
    Path("below").mkdir()
    tournament("nim", ["./bad.py", "random"], games=2, out="below/r.jsonl")
    found = [record for _, record in read_records("below/r.jsonl")]
    assert [(record.end, record.by) for record in found] == [("forfeit", 0), ("forfeit", 1)]
    assert all(record.reason.startswith(reason) for record in found), found[0].reason


def test_one_that_never_returns_is_killed(folder):
    folder(bad="def choose(state):\n    while True: pass\n")
    result = match("nim", "./bad.py", "random", games=2, patience=0.3)
    assert result.forfeits == (2, 0) and result.reasons == ("no move within 0.3 s", None)


def test_what_goes_wrong_on_other_commands_is_one_line(folder, capsys):
    folder(bad="def choose(state):\n    return 1 / 0\n")
    for command in (["choose", "nim", "./bad.py"], ["analyse", "nim", "./bad.py"], ["play", "nim", "./bad.py", "uct"]):
        assert main(command) == 2
        err = capsys.readouterr().err
        assert "exception: ZeroDivisionError: division by zero (bad.py, line 2)" in err and "Traceback" not in err


def test_an_agent_remembers_nothing_from_game_to_game(folder):
    folder(
        mine="""from ludwin import Agent, Choice
from dataclasses import dataclass, field

@dataclass(frozen=True)
class Mine(Agent):
    seen: list = field(default_factory=list)
    def choose(self, game, state, *, seed=0, mode="fast"):
        self.seen.append(1)
        return Choice(state.moves()[len(self.seen) % len(state.moves())], 0.0, 1)
"""
    )
    files = []
    for workers in (1, 3):
        tournament("nim", ["./mine.py", "./mine.py"], games=8, workers=workers, out=f"{workers}.jsonl")
        files.append(Path(f"{workers}.jsonl").read_bytes())
    assert files[0] == files[1] and len({record.moves for _, record in read_records("1.jsonl")}) == 1


# Trust

TRACED = """from pathlib import Path
Path("trace").write_text("ran")
def choose(state, level=1):
    return state.moves()[0]
"""


def test_records_name_the_file_alone_with_the_hash_of_its_text(folder):
    folder(mine=FUNCTION)
    tournament("nim", [str(Path("mine.py").absolute()) + ":level=4", "random"], games=2, out="r.jsonl")
    header = read_header("r.jsonl")
    assert header["agents"] == ["mine.py:level=4", "random"]
    assert header["code"] == [agent("./mine.py").texts, None]
    assert str(Path.cwd()) not in Path("r.jsonl").read_text()
    tournament("nim", ["uct:playouts=2", "random"], games=2, out="ours.jsonl")
    assert "code" not in read_header("ours.jsonl")


def test_a_record_runs_no_agent_before_it_is_named_or_trusted(folder, capsys):
    folder(mine=TRACED)
    assert main(["match", "nim", "./mine.py", "random", "--games", "4", "--out", "r.jsonl"]) == 0
    whole = Path("r.jsonl").read_bytes()
    Path("r.jsonl").write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    Path("trace").unlink()
    for command in (["replay", "r.jsonl"], ["rate", "r.jsonl"]):
        assert main(command) == 0  # which need no agent
    capsys.readouterr()
    assert main(["match", "--resume", "r.jsonl"]) == 2
    err = capsys.readouterr().err
    assert err.strip().endswith("if you trust mine.py, add --trust mine.py") and "names the agent mine.py" in err
    assert not Path("trace").exists()
    assert main(["match", "--resume", "r.jsonl", "--trust", "mine.py"]) == 0
    assert Path("trace").exists() and Path("r.jsonl").read_bytes() == whole
    assert "running mine.py" in capsys.readouterr().err


def test_another_text_is_refused_on_resume(folder, capsys):
    folder(mine=TRACED)
    assert main(["match", "nim", "./mine.py", "random", "--games", "4", "--out", "r.jsonl"]) == 0
    folder(mine=TRACED.replace("[0]", "[-1]"))
    Path("trace").unlink()
    capsys.readouterr()
    assert main(["match", "--resume", "r.jsonl", "--trust", "mine.py"]) == 2
    assert "not the text that r.jsonl was made with: this is another agent, and was not run" in capsys.readouterr().err
    assert not Path("trace").exists()
    assert main(["match", "nim", "./mine.py", "random", "--games", "4", "--resume", "r.jsonl"]) == 2
    assert "the file of an agent has changed since it was written" in capsys.readouterr().err


@pytest.mark.parametrize("code", [["x"], [None, None, None], [None], 5, ["../../etc/passwd", None], [None, "a" * 64]])
def test_forged_hashes_run_nothing(folder, capsys, code):
    folder(mine=TRACED)
    header = {"format": "ludwin-games", "version": 1, "game": "nim", "seed": 0, "agents": ["mine.py", "random"]}
    Path("r.jsonl").write_text(json.dumps({**header, "code": code}) + "\n")
    assert main(["match", "--resume", "r.jsonl"]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1 and not Path("trace").exists()


def test_a_saved_game_runs_no_agent_that_the_person_has_not_seated(folder, capsys):
    folder(mine=TRACED)
    game = {"format": "ludwin-play", "version": 1, "game": "nim", "start": NIM.start().fields_text(), "seed": 0}
    game |= {"seats": ["./mine.py", "random"], "moves": [], "codes": []}
    Path("s.json").write_text(json.dumps(game))
    assert main(["play", "nim", "--load", "s.json"]) == 2
    assert "which runs code; name it on the command line" in capsys.readouterr().err and not Path("trace").exists()
    assert main(["play", "nim", "./mine.py", "random", "--load", "s.json", "--json"]) == 0


def test_evolution_does_not_play_against_code_of_others(folder, capsys):
    folder(mine=TRACED)
    words = ["evolve", "lose-checkers", "--out", "run", "--set", "against=./mine.py"]
    assert main(words) == 2
    assert "runs code that is not ours" in capsys.readouterr().err and not Path("run").exists()


# The register


def test_another_package_brings_agents_which_are_read_only_when_needed(tmp_path):
    site = tmp_path / "site"
    info = site / "theirs-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[ludwin.agents]\nlast = theirs:Last\nbroken = theirs:Missing\nuct = theirs:Last\nalpha = theirs:Last\n"
    )
    (site / "theirs.py").write_text(
        "from dataclasses import dataclass\nfrom typing import ClassVar\nfrom ludwin import Agent, Choice\n"
        "@dataclass(frozen=True)\nclass Last(Agent):\n    name: ClassVar[str] = 'last'\n    depth: int = 1\n"
        "    def choose(self, game, state, *, seed=0, mode='fast'):\n        return Choice(state.moves()[-1], 0.0, 1)\n"
    )
    script = f"""
import sys; sys.path.insert(0, {str(site)!r})
from ludwin import agent, load, match
from ludwin.library import AGENTS, is_ours
agent("uct"); print(AGENTS._others is None, type(agent("uct")).__name__)
print(agent("last:depth=3"), type(agent("alpha")).__name__, is_ours(agent("last")), sorted(AGENTS.others))
print(match("nim", "last", "random", games=2).games)
for text in ("broken", "lats"):
    try: agent(text)
    except Exception as error: print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == ["True UCT", "last:depth=3 Last False ['alpha', 'broken', 'last']", "2"]
    assert lines[3].startswith("UnknownAgent broken comes from theirs, which cannot be loaded: AttributeError")
    assert lines[4] == "UnknownAgent no agent called 'lats'; did you mean 'last'? `ludwin agents` lists all 39"


def test_a_person_is_named_like_an_agent_and_sits_only_at_a_board(capsys):
    assert str(agent("human")) == "human"
    assert main(["match", "nim", "human", "random"]) == 2
    assert "a person plays at a board: `ludwin play nim human …`" in capsys.readouterr().err
    assert main(["choose", "nim", "human"]) == 2
    with pytest.raises(UnknownAgent, match="did you mean 'human'"):
        agent("humen")


# What an agent cannot do to the event


HOSTILE = {
    "value": ("choice(value=float('inf'))", "value must be a finite number"),
    "nodes": ("choice(nodes=-5)", "nodes and depth not below 0"),
    "depth": ("choice(depth='deep')", "something is not what a Choice holds"),
    "kinds": ("choice(kinds=7)", "something is not what a Choice holds"),
    "line": ("choice(line='abc')", "something is not what a Choice holds"),
    "visits": ("choice(visits={1: 'x'})", "something is not what a Choice holds"),
    "values": ("choice(values={1: float('nan')})", "value must be a finite number"),
    "index": ("Bad()", "exception: SystemExit: 7 (bad.py, line 4)"),
    "raised": ("fail(Silent())", "exception: Silent (bad.py, line "),
    "refusal": ("fail(CannotPlay('I\\nrefuse \\x1b[31m'))", "I refuse ?[31m"),
    "address": ("object()", "bad.py returned <object object>, which is no move"),
    "cells": ("setattr(state, 'cells', (1, 0))", "a state never changes, so its cells cannot be set"),
    "tried": ("state.play(99)", "exception: IllegalMove: nim: '99' is not a legal move here"),
}
HOSTILE_FILE = """from ludwin import Choice
from ludwin.errors import CannotPlay
class Bad:
    def __index__(self): raise SystemExit(7)
class Silent(Exception):
    def __str__(self): raise SystemExit(5)
def fail(error): raise error
def choice(**given): return Choice(**{"move": 1, "value": 0.0, "nodes": 1, **given})
def choose(state): return ANSWER
"""


@pytest.mark.parametrize("answer", HOSTILE)
def test_whatever_an_answer_is_made_of_the_reason_is_one_line_that_can_be_printed(folder, answer, capsys):
    text, reason = HOSTILE[answer]
    folder(bad=HOSTILE_FILE.replace("ANSWER", text))
    with pytest.raises(LudwinError) as caught:
        agent("./bad.py").choose(NIM, NIM.start())
    assert reason in str(caught.value) and str(caught.value).isprintable()
    assert main(["choose", "nim", "./bad.py"]) == 2
    tournament("nim", ["./bad.py", "random"], games=2, out="games.jsonl")
    found = [record for _, record in read_records("games.jsonl")]
    assert [record.end for record in found] == ["forfeit"] * 2
    assert all(reason in record.reason and record.reason.isprintable() for record in found)


def test_classes_of_the_users_own_do_not_leave_the_agent(folder):
    folder(
        mine="""class Number(int):
    def __eq__(self, other): raise SystemExit(1)
    __hash__ = int.__hash__
class Text(str):
    def strip(self, *_): raise SystemExit(1)
def choose(state, text=False): return Text("2") if text else Number(2)
"""
    )
    for text in ("./mine.py", "./mine.py:text=true"):
        found = agent(text).choose(NIM, NIM.start())
        assert type(found.move) is int and found.move == 2


def test_a_state_that_is_broken_by_force_is_the_agents_own(folder):
    folder(mine="def choose(state):\n    object.__setattr__(state, 'cells', (1, 0))\n    return 1\n")
    state = NIM.start()
    assert agent("./mine.py").choose(NIM, state).move == 1 and state.cells == NIM.start().cells


FORKS = """import os
{top}
def choose(state):
    {inside}
    return state.moves()[0]
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    "text",
    [
        FORKS.format(top="", inside="os.fork()"),
        FORKS.format(top="os.fork()", inside=""),
        FORKS.format(top="", inside="if os.fork() == 0: raise SystemExit(3)"),
    ],
)
def test_a_copy_of_the_process_that_an_agent_makes_does_not_go_on_with_the_event(folder, text):
    folder(mine=text)
    command = [sys.executable, "-W", "ignore", "-m", "ludwin"]
    ran = subprocess.run([*command, "choose", "nim", "./mine.py", "--json"], capture_output=True, text=True)
    assert ran.returncode == 0 and json.loads(ran.stdout)["code"] == 1
    ran = subprocess.run(
        [*command, "match", "nim", "./mine.py", "random", "--games", "4", "--json"], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["games"] == 4 and json.loads(ran.stdout)["forfeits"] == [0, 0]


def test_stdout_holds_results_only_whatever_an_agent_and_its_children_print(folder):
    folder(
        mine="""import os, subprocess, sys
os.write(1, b"loud\\n")
def choose(state):
    print("loud")
    sys.__stdout__.write("loud\\n")
    os.write(1, b"loud\\n")
    subprocess.run(["echo", "loud"])
    return 1
"""
    )
    ran = subprocess.run(
        [sys.executable, "-m", "ludwin", "choose", "nim", "./mine.py", "--json"], capture_output=True, text=True
    )
    assert json.loads(ran.stdout)["code"] == 1 and ran.stderr.count("loud\n") == 5


@pytest.mark.parametrize("name", ["name", "function", "seeded", "timed", "kernel", "sit", "choose", "_hidden"])
def test_a_setting_with_a_name_that_every_agent_has_is_refused(folder, name):
    folder(mine=f"def choose(state, {name}=1): return 1\n")
    with pytest.raises(LudwinError, match=f"a setting cannot be called {name}, which means something"):
        agent("./mine.py")


def test_a_setting_may_have_capitals(folder):
    folder(mine="def choose(state, maxDepth=1): return maxDepth\n")
    assert agent("./mine.py:maxdepth=2").choose(NIM, NIM.start()).move == 2
    assert agent(str(agent("./mine.py:maxDepth=3"))).choose(NIM, NIM.start()).move == 3


@pytest.mark.parametrize("default", ["'soon'", "float('inf')", "-1"])
def test_a_setting_called_seconds_may_be_anything(folder, default):
    folder(mine=f"def choose(state, seconds={default}): return 1\n")
    assert match("nim:heap=5", "./mine.py", "random", games=2).forfeits == (0, 0)
