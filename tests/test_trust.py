"""No data file causes code to run: a file of rules runs when a person names it, or says yes to it, and not
otherwise.
"""

import json
import os
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ludwin import load
from ludwin.arena.replay import open_event
from ludwin.cli import main
from ludwin.errors import LudwinError
from ludwin.library import AGENT_NAMES, AGENTS, games
from ludwin.trust import INERT, Asking, Named, Untrusted, agent, marks, named, settle, without_folder

from fuzz_files import (  # isort: skip
    CHAMPIONS,
    EVIL,
    GAME,
    KINDS,
    NAMES,
    PLAYERS,
    RECORDS,
    RUNS,
    TRACE,
    attempt,
    build,
    places,
    replaced,
)

PLAIN = ["--mode", "plain", "--games", "4"]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    build(folder)
    return folder


@pytest.fixture
def sandbox(good, tmp_path, monkeypatch):
    folder = tmp_path / "sandbox"
    shutil.copytree(good, folder)
    monkeypatch.chdir(folder)
    return folder


# ---- A planted file, wherever a name can stand

KNOWN = {kind.name: kind for kind in KINDS}
SPELT = (
    *NAMES,
    "evil.jsonl",
    "EVIL.PY",
    "{here}/evil.py",
    "file:./evil.py",
    "./stones.py/../evil.py",
    "nim:heap=./evil.py",
    "evil:experiment",
    "import evil",
)
NAME_KEYS = ("game", "experiment", "agents", "seats", "against")  # what is looked up by name


def planted(data, here):
    """Yield the data with the planted file's name at every place in turn: all spellings where names stand, one
    elsewhere.
    """
    for number, place in enumerate(places(data)):
        is_name = any(key in NAME_KEYS for key in place)
        for spelling in SPELT if is_name else (SPELT[number % len(SPELT)],):
            text = spelling.format(here=here)
            yield place, replaced(data, place, lambda value, text=text: text)


@pytest.mark.parametrize(
    ("name", "most"), [("records of a match", 9), ("records of a tournament", 2), ("records of a user's game", 2)]
)
def test_records_run_nothing_wherever_the_planted_name_stands(sandbox, name, most):
    kind = KNOWN[name]
    header, *lines = Path(kind.place).read_text().splitlines()
    commands = [RECORDS[0], RECORDS[5], RECORDS[3], RECORDS[7]][:most]
    tried = 0
    for place, data in planted(json.loads(header), sandbox):
        Path(kind.place).write_text("\n".join([json.dumps(data), *lines]) + "\n")
        tried += open_by(kind, commands, sandbox, place)
    for place, data in planted(json.loads(lines[0]), sandbox):
        Path(kind.place).write_text("\n".join([header, json.dumps(data), *lines[1:]]) + "\n")
        tried += open_by(kind, commands[:1], sandbox, place)
    assert tried > 100


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("a saved game", None),
        ("a champion", CHAMPIONS[:1]),
        ("a champion that plays", (CHAMPIONS[0], PLAYERS[0])),
        ("a run's settings", [RUNS[0], RUNS[3], RUNS[5]]),
        ("a series' settings", [RUNS[3], RUNS[5]]),
        ("a series' summary", [RUNS[3], RUNS[-1]]),
    ],
)
def test_other_files_run_nothing_wherever_the_planted_name_stands(sandbox, name, commands):
    kind, tried = KNOWN[name], 0
    for place, data in planted(json.loads(Path(kind.place).read_text()), sandbox):
        Path(kind.place).write_text(json.dumps(data))
        tried += open_by(kind, commands or kind.commands, sandbox, place)
    assert tried > 30


def open_by(kind, commands, folder, place):
    """Open a file by some commands; return how many."""
    faults = attempt(type(kind)(kind.name, kind.place, tuple(commands), kind.spoil), folder)
    assert not faults, f"{place}: {faults[0]}"
    return len(commands)


@pytest.mark.parametrize("text", ["./evil.py", "evil.py", "draughts.py", "../evil.py:size=8", "evil"])
def test_pdn_runs_nothing(sandbox, text, capsys):
    body = Path("games.pdn").read_text().replace('[LudwinGame "draughts"]', f'[LudwinGame "{text}"]')
    Path("games.pdn").write_text(body)
    for words in (["replay", "games.pdn"], ["rate", "games.pdn"]):
        assert main(words) == 2
        assert "PDN is for draughts and lose-checkers, not for" in capsys.readouterr().err
    assert not Path(TRACE).exists()


def test_the_planted_file_would_have_told(sandbox):
    load("./evil.py")
    assert Path(TRACE).exists()


# ---- Rules of a user's


def record(*words):
    return main(["match", "./stones.py", "random", "greedy", "--out", "r.jsonl", *PLAIN, *words])


def test_records_name_the_file_alone_with_its_fingerprints(sandbox):
    here, there = load("./stones.py:heap=5"), load(f"{sandbox}/stones.py", heap=5)
    assert named(here) == named(there) == "stones.py:heap=5"
    assert marks(here) == marks(there) == {"rules": here.fingerprint[:16], "texts": here.source.texts_hash}
    assert (named(load("nim:heap=5")), list(marks(load("nim")))) == ("nim:heap=5", ["rules"])
    header = json.loads(Path("users.jsonl").read_text().splitlines()[0])
    assert header["game"] == "stones.py" and header["texts"] == load("./stones.py").source.texts_hash


@pytest.mark.parametrize("command", [["replay"], ["match", "--resume"]])
def test_without_a_terminal_nothing_is_asked_and_nothing_runs(sandbox, capsys, command):
    Path("stones.py").write_text(EVIL)
    assert record() == 0
    Path(TRACE).unlink()
    capsys.readouterr()
    assert main([*command, "r.jsonl"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err == (
        "ludwin: r.jsonl is of the rules of stones.py, which are code and were not run; if you trust stones.py, "
        "add --trust stones.py\n"
    )
    assert not Path(TRACE).exists()


def test_rating_needs_no_rules_and_runs_none(sandbox, capsys):
    Path("stones.py").write_text(EVIL)
    assert record() == 0
    Path(TRACE).unlink()
    assert main(["rate", "r.jsonl"]) == 0 and not Path(TRACE).exists()


@pytest.mark.parametrize("command", [["replay"], ["match", "--mode", "plain", "--resume"]])
def test_trusted_rules_are_announced_and_run(sandbox, capsys, command):
    assert record() == 0
    capsys.readouterr()
    assert main([*command, "r.jsonl", "--trust", "./stones.py"]) == 0
    assert (
        capsys.readouterr().err.splitlines()[0] == "ludwin: running stones.py, which is Python code and has your rights"
    )


def test_a_named_game_goes_on_without_a_question(sandbox, capsys):
    assert record() == 0
    assert main(["match", "./stones.py", "--resume", "r.jsonl", "--mode", "plain"]) == 0
    shutil.copytree(".", "../elsewhere")
    os.chdir("../elsewhere")
    assert main(["match", f"{sandbox}/stones.py", "--resume", "r.jsonl", "--mode", "plain"]) == 0


def test_rules_of_another_text_are_not_run(sandbox, capsys):
    assert record() == 0
    Path("stones.py").write_text(EVIL)
    for trusted in ([], ["--trust", "stones.py"]):
        capsys.readouterr()
        assert main(["replay", "r.jsonl", *trusted]) == 2
        assert (
            "stones.py is not the text that r.jsonl was made with: these are other rules, and were not run"
            in capsys.readouterr().err
        )
    assert not Path(TRACE).exists()


def test_a_helper_of_another_text_is_not_run(sandbox, capsys):
    Path("helper.py").write_text("MOST = 2\n")
    Path("stones.py").write_text("from helper import MOST\n" + GAME.replace("min(2, s.heap)", "min(MOST, s.heap)"))
    assert record() == 0
    Path("helper.py").write_text(f"from pathlib import Path\nPath('{TRACE}').touch()\nMOST = 2\n")
    assert main(["replay", "r.jsonl", "--trust", "stones.py"]) == 2
    assert "is not the text" in capsys.readouterr().err and not Path(TRACE).exists()


def test_rules_that_compute_something_else_have_another_fingerprint(sandbox, capsys):
    Path("stones.py").write_text(
        "import os\n" + GAME.replace("HEAP = 7", "HEAP = 7\nEXTRA = int(os.environ.get('EXTRA', '1'))")
    )
    assert record() == 0
    header, *lines = Path("r.jsonl").read_text().splitlines()
    data = json.loads(header)
    Path("r.jsonl").write_text("\n".join([json.dumps({**data, "rules": "0" * 16}), *lines]) + "\n")
    capsys.readouterr()
    assert main(["replay", "r.jsonl", "--trust", "stones.py"]) == 2
    assert "stones.py has changed since r.jsonl was written: these are not the same rules" in capsys.readouterr().err


def test_a_file_elsewhere_is_run_only_by_its_path(sandbox, capsys):
    assert record() == 0
    Path("away").mkdir()
    Path("stones.py").rename("away/stones.py")
    capsys.readouterr()
    assert main(["replay", "r.jsonl"]) == 2
    assert (
        "do not lie beside it or in a folder above; to run them, name them: --trust PATH/stones.py"
        in capsys.readouterr().err
    )
    assert main(["replay", "r.jsonl", "--trust", "away/stones.py"]) == 0
    assert main(["replay", "r.jsonl", "--trust", "nowhere/stones.py"]) == 2
    assert "there is no file 'nowhere/stones.py' to trust" in capsys.readouterr().err


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_rules_above_the_data_are_found_and_asked_about(sandbox, depth, monkeypatch):
    folder = sandbox.joinpath(*"abc"[:depth])
    folder.mkdir(parents=True)
    Path("users.jsonl").rename(folder / "users.jsonl")
    (folder / "stones.py").write_text("raise SystemExit('another file of that name')")
    monkeypatch.chdir("/")
    asked = []
    permit = Asking((), lambda question: asked.append(question) or True)
    assert Path(open_event(folder / "users.jsonl", load, permit).game.name).name == "stones.py"
    (question,) = asked
    found = re.search(r"Run (\S+), which is Python code", question)[1]
    assert Path("/", found).resolve() == (sandbox / "stones.py").resolve()  # the one whose text is the recorded one


def test_rules_too_far_above_are_not_looked_for(sandbox, monkeypatch):
    folder = sandbox / "a/b/c/d"
    folder.mkdir(parents=True)
    Path("users.jsonl").rename(folder / "users.jsonl")
    monkeypatch.chdir("/")
    with pytest.raises(Untrusted, match="do not lie beside it or in a folder above"):
        open_event(folder / "users.jsonl", load, Asking((), lambda question: True))


def test_rules_where_the_person_works_are_found(sandbox, tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    shutil.copy("users.jsonl", away)
    assert open_event(away / "users.jsonl", load, Asking((), lambda question: True)).game.text == "stones.py"


def test_rating_and_showing_need_no_rules(sandbox, tmp_path, capsys, monkeypatch):
    assert record() == 0
    assert main(["play", "./stones.py", "random", "random", "--seed", "1", "--mode", "plain", "--save", "g.json"]) == 0
    assert main(["evolve", "./stones.py", "--set", "generations=1", "population=4", "--out", "own"]) == 0
    away = tmp_path / "away"
    away.mkdir()
    for name in ("r.jsonl", "g.json", "own"):
        Path(name).rename(away / name)
    monkeypatch.chdir(away)  # far from the rules
    capsys.readouterr()
    assert main(["rate", "r.jsonl", "g.json", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 5
    assert main(["show", "own", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["experiment"] == "stones.py" and "as its file tells it: " in said.err
    assert main(["show", "own", "--svg", "x.svg"]) == 2 and not Path("x.svg").exists()
    assert main(["show", "--list", "."]) == 0 and main(["export", "r.jsonl", "--csv"]) == 0
    assert str(sandbox) not in capsys.readouterr().out


def test_a_kept_game_that_lies_about_its_payoffs_is_found_out_when_it_is_played_again(sandbox, capsys):
    assert main(["play", "./stones.py", "random", "random", "--seed", "1", "--mode", "plain", "--save", "g.json"]) == 0
    data = json.loads(Path("g.json").read_text())
    Path("g.json").write_text(json.dumps({**data, "payoffs": [-one for one in data["payoffs"]]}))
    assert main(["replay", "g.json", "--trust", "stones.py"]) == 2
    assert "payoffs should be" in capsys.readouterr().err
    Path("g.json").write_text(json.dumps({**data, "payoffs": [1, 0, -1]}))
    assert main(["rate", "g.json"]) == 2 and "3 payoffs for 2 players" in capsys.readouterr().err


def test_older_records_have_paths_and_no_hash_and_run_only_what_is_named(sandbox, capsys):
    assert record() == 0
    header, *lines = Path("r.jsonl").read_text().splitlines()
    data = {key: value for key, value in json.loads(header).items() if key != "texts"}
    Path("r.jsonl").write_text("\n".join([json.dumps({**data, "game": "/somewhere/else/stones.py"}), *lines]) + "\n")
    capsys.readouterr()
    assert main(["replay", "r.jsonl"]) == 2
    assert (
        "does not say which text of stones.py it means, so stones.py was not run; if you trust it, add --trust "
        "stones.py" in capsys.readouterr().err
    )
    assert main(["replay", "r.jsonl", "--trust", "stones.py"]) == 0
    assert main(["match", "./stones.py", "--resume", "r.jsonl", "--mode", "plain"]) == 0


@pytest.mark.parametrize("name", ["./evil.jsonl", "./stones", "./stones.txt", "./stones.PY", "./nim"])
def test_rules_end_with_py(sandbox, name, capsys):
    shutil.copy("stones.py", name)
    assert main(["moves", name]) == 2
    assert capsys.readouterr().err == f"ludwin: the rules of a game are a file that ends with .py, got {name!r}\n"


def test_new_rules_are_announced_before_they_run(sandbox, python):
    Path("loud.py").write_text('import sys\nprint("RUNS NOW", file=sys.stderr)\n' + GAME)
    shutil.copy("loud.py", "../loud.py")
    script = "import sys\nfrom ludwin.cli import main\nmain(sys.argv[1:])"
    process = python(script, "moves", "./loud.py", wait=False)
    _, err = process.communicate(timeout=100)
    assert err.startswith(
        "ludwin: ./loud.py is new: it is Python code, so it runs with your rights; checking it …\nRUNS NOW\n"
    )


def test_the_library_opens_no_file_of_a_users_rules_by_itself(sandbox):
    with pytest.raises(
        Untrusted, match=r"users.jsonl is of a user's rules, 'stones.py', which are code; name their file to run them"
    ):
        open_event("users.jsonl", load)
    with pytest.raises(LudwinError):
        settle(Named(Path("x"), "./evil.py"))
    assert open_event("match.jsonl", load).game.text == "nim"


# ---- The question


@pytest.mark.parametrize(("answer", "runs"), [(True, True), (False, False)])
def test_the_file_beside_runs_after_a_yes(sandbox, answer, runs):
    asked = []
    permit = Asking((), lambda question: asked.append(question) or answer)
    if runs:
        assert open_event("users.jsonl", load, permit).game.name == "stones.py"
    else:
        with pytest.raises(Untrusted, match=r"stones.py was not run"):
            open_event("users.jsonl", load, permit)
    assert asked == [
        "users.jsonl is of the rules of stones.py. Run stones.py, which is Python code and has your rights?"
    ]


def test_nothing_is_asked_about_other_texts_or_older_files(sandbox):
    def ask(question):
        raise AssertionError(question)

    for rules in (
        Named(Path("r"), "evil.py", "0" * 16, "0" * 64),
        Named(Path("r"), "evil.py", "0" * 16),
        Named(Path("r"), "evil.jsonl", "", "0" * 64),
    ):
        with pytest.raises(Untrusted, match=r"not run|was run"):
            Asking((), ask)(rules)


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("\n", 2), ("no\n", 2), ("\x04", 2)])
def test_a_person_at_a_terminal_is_asked(sandbox, start, typed, code):
    import pty

    ours, theirs = pty.openpty()
    process = start(
        [sys.executable, "-m", "ludwin", "replay", "users.jsonl"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    seen = b""
    while b"[y/N]" not in seen and select.select([ours], [], [], 60)[0]:
        seen += os.read(ours, 4096)
    assert b"Run stones.py, which is Python code and has your rights? [y/N]" in seen
    os.write(ours, typed.encode())
    while select.select([ours], [], [], 60)[0]:
        try:
            seen += os.read(ours, 4096)
        except OSError:  # Linux says so when the other end is closed
            break
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == code, seen
    assert ("all replay to their payoffs" in out) == (b"running stones.py" in seen) == (code == 0)


# ---- Agents


def test_every_agent_of_ours_is_known_to_run_no_code_of_others():
    assert set(AGENT_NAMES) - INERT == {"process", "uci", "xboard"}, (
        "an agent that runs a program or a user's file must be named on the command line: it lives in adapters/"
    )
    for name in INERT - {"derived", "evolved"}:
        assert not AGENTS[name]().foreign


OTHER_PEOPLES = {"gnubg", "bgsage"}  # programs and packages that are not ours: a person names them
SOLVERS = {"mate", "ga-freecell", "gp-freecell", "gp-parking", "gp-parking-order"}  # no record names them


def test_every_reference_player_of_ours_may_be_named_by_a_record():
    players = {name: kind for game in games() for name, kind in opponents_of(game).items()}
    assert {name for name, kind in players.items() if not getattr(kind, "is_inert", False)} == OTHER_PEOPLES | SOLVERS
    for name in OTHER_PEOPLES:
        with pytest.raises(Untrusted, match="which runs code; name it on the command line"):
            agent(name, Path("r.jsonl"))


def opponents_of(game):
    rules = load(game)
    return getattr(rules.part("opponents"), "AGENTS", {}) if rules.source.home else {}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("process:rm -rf x", "which runs code; name it on the command line"),
        ("./evil.py", "which runs code; name it on the command line"),
        ("evil.py:a=1", "which runs code; name it on the command line"),
        ("", "no agent called ''"),
        ("evolved:/dev/zero", "which is no ordinary file"),
        ("derived:/dev/stdin", "which is no ordinary file"),
    ],
)
def test_agents_that_files_name_run_no_code(text, reason):
    with pytest.raises(LudwinError, match=re.escape(reason)):
        agent(text, Path("r.jsonl"))


# ---- Agents that the settings of a run name


def test_every_setting_that_names_agents_says_so():
    from ludwin.evolve.experiment import schema
    from ludwin.evolve.register import find, names

    known = {*AGENT_NAMES, *(name for game in games() for name in opponents_of(game))}
    for name in names():
        for one in schema(find(name)).values():
            words = [word.partition(":")[0].strip() for word in str(one.default).split(";")]
            assert one.is_agent or one.choices or not known & set(words), (name, one.key)


@pytest.fixture(scope="module")
def robots(tmp_path_factory):
    """A finished run of tanks, as small as can be, and the file that nobody named."""
    folder = tmp_path_factory.mktemp("robots")
    sizes = ["population=2", "generations=0", "rounds=1", "judges=fire", "adversaries=fire", "stagnation=0"]
    sizes += ["finalists=1", "last=1", "finalist_games=10", "champion_games=20", "record_games=2"]
    words = ["evolve", "tanks", "--preset", "quick", "--no-baseline", "--out", str(folder / "run"), "--set", *sizes]
    assert main(words) == 0
    return folder


@pytest.mark.parametrize("key", ["adversaries", "judges", "school"])
@pytest.mark.parametrize("command", [["show", "--games", "2"], ["export", "--java", "Foo"], ["evolve", "--resume"]])
def test_robots_that_the_settings_of_a_run_name_are_not_run(robots, tmp_path, monkeypatch, capsys, key, command):
    shutil.copytree(robots / "run", tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text("open('trace', 'w').close()\n")
    for file in (Path("run/champion.json"), Path("run/settings.json")):
        data = json.loads(file.read_text())
        data["settings"] |= {key: "fire;./evil.py", "still": 1}
        file.write_text(json.dumps(data))
    Path("run/report.html").unlink()
    path = "run" if command[0] == "evolve" else "run/champion.json"
    assert main([*command, path]) == 2
    said = capsys.readouterr().err
    assert "evil.py" in said and "--trust" in said and said.count("\n") == 1
    assert not Path("trace").exists()


def test_a_robot_that_a_run_was_bred_against_is_run_by_who_trusts_it(robots, tmp_path, monkeypatch, capsys):
    shutil.copytree(robots / "run", tmp_path / "run")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    for place in (Path("mine.py"), Path("elsewhere/mine.py")):
        place.write_text("def on_scanned(tank, seen):\n    yield tank.fire(1)\n")
    file = Path("run/champion.json")
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "settings": {**data["settings"], "adversaries": "./mine.py"}}))
    assert main(["show", str(file), "--games", "2", "--trust", "mine.py"]) == 0
    assert main(["show", str(file), "--games", "2", "--trust", "elsewhere/mine.py"]) == 2
    shown = capsys.readouterr()
    assert "is another file" in shown.err and re.search(r"part +share of points", shown.out)


def test_a_champion_is_shown_by_its_genome_and_moves_no_cursor(robots, tmp_path, capsys):
    file = tmp_path / "champion.json"
    data = json.loads((robots / "run" / "champion.json").read_text())
    file.write_text(json.dumps({**data, "text": "\x1b[2Jsomething else"}))
    assert main(["show", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "something else" not in shown and data["text"].splitlines()[0] in shown


def test_names_are_read_without_their_folders():
    assert without_folder("/a/b/c.py:x=1") == without_folder("c.py:x=1") == without_folder(r"..\c.py:x=1") == "c.py:x=1"
    assert without_folder("draughts:size=10") == "draughts:size=10"
