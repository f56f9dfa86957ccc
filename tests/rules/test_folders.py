"""A game as a folder: on a user's disk, in the package, and brought by another package."""

import json
import sys
from pathlib import Path

import pytest

import ludwin
from ludwin import load, perft
from ludwin.cli import main
from ludwin.errors import BadParameter, LudwinError, RuleError, UnknownAgent, UnknownGame
from ludwin.game import Game
from ludwin.games import domains, homes
from ludwin.library import agent
from ludwin.rules import brought as others
from ludwin.rules.folder import PARTS
from ludwin.rules.source import read
from ludwin.trust import Asking, Named, Untrusted, marks, named

EVOLVE = """
from dataclasses import replace

from ludwin.evolve.sanity import ONEMAX
from rules import HEAP

EXPERIMENTS = (replace(ONEMAX, name="ones", summary=f"ones, beside a heap of {HEAP}"),)
"""


@pytest.fixture
def mine(tmp_path, monkeypatch, capsys):
    """Return the folder that `ludwin new mine --folder` writes, in the current folder."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine", "--folder"]) == 0
    capsys.readouterr()
    return tmp_path / "mine"


# ---- A user's folder ------------------------------------------------------------------------------------


def test_what_new_writes_keeps_the_laws(mine, capsys):
    assert {path.name for path in mine.iterdir()} == {"rules.py", "notation.py", "drawing.py", "opponents.py"}
    assert main(["check", "./mine/", "--playouts", "20"]) == 0
    assert "./mine/ keeps the laws of games" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["./mine/", "./mine", "mine/", "./mine/:heap=9", "./mine:heap=9,take=2"])
def test_a_folder_is_named_with_or_without_its_slash(mine, text):
    game = load(text)
    assert game.text == (
        "mine/" if text == "mine/" else text.replace("mine:", "mine/:").rstrip("/") + "/" * (":" not in text)
    )
    assert game.start().show().split() == [str(game.values.get("heap", 21)), "|" * game.values.get("heap", 21)]
    assert load(game.text) == game


def test_a_folder_may_be_where_one_stands(mine, monkeypatch):
    monkeypatch.chdir(mine)
    assert load(".").start().heap == 21 and named(load(".")) == "mine/"


@pytest.mark.parametrize(
    "line",
    [
        ["moves", "./mine/:heap=5"],
        ["perft", "./mine", "3"],
        ["choose", "./mine/", "alphabeta:depth=2", "--from", "7a"],
        ["tree", "./mine/", "mcts:playouts=20"],
        ["match", "./mine/", "perfect", "random", "--games", "2", "--out", "a.jsonl"],
        ["tournament", "./mine/", "perfect", "random", "greedy", "--games", "2"],
        ["analyse", "./mine/", "alphabeta:depth=3"],
    ],
)
def test_every_command_takes_a_folder(mine, line, capsys, monkeypatch):
    code = main(line)
    assert code == 0, capsys.readouterr().err


def test_a_folder_without_rules_is_refused_in_one_line(mine, capsys):
    (mine / "rules.py").rename(mine / "other.py")
    assert main(["moves", "./mine/"]) == 2
    assert capsys.readouterr().err == (
        "ludwin: the folder './mine/' has no rules.py; `ludwin new NAME --folder` writes a game to begin with\n"
    )
    with pytest.raises(UnknownGame, match="no game called 'nowhere'"):
        load("nowhere")


def test_whoever_forgets_the_path_is_told(mine):
    with pytest.raises(UnknownGame, match=r"did you mean \./mine/\?"):
        load("mine")


def test_an_existing_folder_is_not_overwritten(mine, capsys):
    before = (mine / "rules.py").read_text()
    assert main(["new", "mine", "--folder"]) == 2
    assert "exists already" in capsys.readouterr().err and (mine / "rules.py").read_text() == before


def test_parts_see_the_parameters_of_the_rules(mine):
    assert load("./mine/:heap=9").position("9b").turn == 1
    with pytest.raises(LudwinError, match="at most 9"):
        load("./mine/:heap=9").position("10a")
    assert load("./mine/").position("10a").heap == 10


def test_parts_have_no_parameters_of_their_own(mine):
    drawing = mine / "drawing.py"
    drawing.write_text(
        drawing.read_text().replace("def show", "HEAP = 60\n\n\ndef show").replace("{s.heap:3}", "{HEAP}")
    )
    assert load("./mine/:heap=9").start().show().startswith("60 "), "HEAP of the drawing is not the rules'"


@pytest.mark.parametrize(
    "line", ["from rules import TAKE", "from .rules import TAKE", "import rules\nTAKE = rules.TAKE"]
)
def test_a_part_imports_what_lies_beside_it(mine, line):
    (mine / "notation.py").write_text(f"{line}\n\n\ndef name(s, m):\n    return f'{{m}}of{{TAKE}}'\n")
    assert load("./mine/:take=2").start().name(1) == "1of2"


def test_a_part_may_grow_into_a_folder(mine):
    (mine / "notation").mkdir()
    (mine / "notation.py").rename(mine / "notation" / "__init__.py")
    (mine / "notation" / "__init__.py").write_text(
        "from .words import WORD\n\n\ndef name(s, m):\n    return f'{WORD}{m}'\n"
    )
    (mine / "notation" / "words.py").write_text("WORD = 'eat'\n")
    assert load("./mine/").start().name(2) == "eat2"


def test_rules_that_import_their_notation_go_in_a_circle(mine):
    rules = mine / "rules.py"
    rules.write_text(rules.read_text().replace("HEAP, TAKE", "from notation import name\nHEAP, TAKE", 1))
    with pytest.raises(RuleError, match="in a circle"):
        load("./mine/")


# ---- What runs, and when ----------------------------------------------------------------------------------


def test_nothing_but_the_rules_runs_before_it_is_needed(mine):
    for role in ("notation", "drawing", *(set(PARTS) - {"notation", "drawing"})):
        (mine / f"{role}.py").write_text(f"raise RuntimeError('{role} has run')\n")
    game = load("./mine/")
    assert perft(game, 3, mode="plain") == 27 and "evaluate" in game.offers
    with pytest.raises(RuleError, match=r"notation.py:1: RuntimeError: notation has run"):
        game.start().name(1)
    with pytest.raises(RuleError, match=r"drawing.py:1: RuntimeError: drawing has run"):
        game.start().show()
    with pytest.raises(RuleError, match=r"opponents.py:1: RuntimeError: opponents has run"):
        agent("perfect", game)


def test_a_part_that_does_not_end_is_stopped(mine, monkeypatch):
    monkeypatch.setattr("ludwin.rules.watch.LOADING", 0.3)
    (mine / "drawing.py").write_text("while True:\n    pass\n")
    with pytest.raises(RuleError, match="does not end"):
        load("./mine/").start().show()


@pytest.mark.parametrize("role", PARTS)
def test_every_part_is_in_hash_and_fingerprint(mine, role):
    before = load("./mine/")
    file = mine / f"{role}.py"
    file.write_text((file.read_text() if file.exists() else "") + "\n# another text\n")
    after = load("./mine/")
    assert after.source.texts_hash != before.source.texts_hash and after.fingerprint != before.fingerprint
    assert after.compiled_fingerprint == before.compiled_fingerprint, "nothing is compiled anew for that"


def test_what_a_part_imports_in_a_function_is_in_the_hash_too(mine):
    (mine / "secret.py").write_text("WORD = 'eat'\n")
    (mine / "notation.py").write_text("def name(s, m):\n    from secret import WORD\n\n    return f'{WORD}{m}'\n")
    before = read(mine).texts_hash
    assert load("./mine/").start().name(1) == "eat1"
    (mine / "secret.py").write_text("WORD = 'swallow'\n")
    assert read(mine).texts_hash != before and load("./mine/").start().name(1) == "swallow1"


def test_all_files_that_may_run_are_announced(mine, capsys, tmp_path, monkeypatch):
    (mine / "evolve.py").write_text(EVOLVE)
    (mine / "rules.py").write_text((mine / "rules.py").read_text() + f"\n# {tmp_path}\n")  # new to this machine
    assert main(["moves", "./mine/"]) == 0
    said = capsys.readouterr().err.splitlines()[0]
    assert said == (
        "ludwin: ./mine/ is new: it is Python code (rules.py, notation.py, drawing.py, opponents.py, evolve.py), so it "
        "runs with your rights; checking it …"
    )


def test_functions_for_people_of_the_wrong_shape_are_refused(mine):
    (mine / "notation.py").write_text("def name(s):\n    return ''\n")
    with pytest.raises(RuleError, match=r"notation.py:1: name must take \(s, m\)"):
        load("./mine/").start().name(1)
    (mine / "notation.py").write_text("name = 3\n")
    with pytest.raises(RuleError, match=r"notation.py:1: name must be defined by def name"):
        load("./mine/").start().name(1)


# ---- Data files -----------------------------------------------------------------------------------------------


def test_a_record_of_a_folder_runs_it_only_when_it_is_named(mine, capsys):
    assert main(["match", "./mine/", "greedy", "random", "--games", "2", "--out", "a.jsonl"]) == 0
    assert json.loads(Path("a.jsonl").read_text().splitlines()[0])["game"] == "mine/"
    capsys.readouterr()
    assert main(["replay", "a.jsonl"]) == 2
    assert "mine/, which are code and were not run" in capsys.readouterr().err
    for text in ("mine", "./mine/"):
        assert main(["replay", "a.jsonl", "--trust", text]) == 0
    (mine / "opponents.py").write_text("# another\n")
    capsys.readouterr()
    assert main(["replay", "a.jsonl", "--trust", "mine"]) == 2
    assert "these are other rules, and were not run" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["/", "./", "../", "mine/../", "..", ".", "\\", "mine/rules", "/etc/"])
def test_no_data_file_walks_through_folders(mine, text, tmp_path):
    asking = Asking(ask=lambda question: pytest.fail("nothing that could be run lies there"))
    with pytest.raises(Untrusted):
        asking(Named(tmp_path / "a.jsonl", text, "0" * 16, "0" * 16))


def test_a_folder_beside_the_data_is_asked_for(mine, tmp_path):
    asked = []
    game = load("./mine/:heap=9")
    rules = Named(tmp_path / "a.jsonl", named(game), marks(game)["rules"], marks(game)["texts"])
    permitted = Asking(ask=lambda question: asked.append(question) or True)(rules)
    assert permitted == f"{tmp_path / 'mine'}/:heap=9" and len(asked) == 1
    assert load(permitted).fingerprint == game.fingerprint


# ---- Opponents, experiments, tables ------------------------------------------------------------------------


def test_reference_players_are_known_where_their_game_is_played(mine):
    game = load("./mine/")
    assert agent("perfect", game).choose(game, game.position("7a")).move == 3
    with pytest.raises(UnknownAgent, match="no agent called 'perfect'"):
        agent("perfect")


def test_a_mistake_of_a_reference_player_is_one_line(mine, capsys):
    file = mine / "opponents.py"
    file.write_text(file.read_text().replace("takes = ", "takes = 1 // 0 + "))
    assert main(["choose", "./mine/", "perfect"]) == 2
    assert (
        capsys.readouterr()
        .err.splitlines()[-1]
        .endswith("opponents.py:17: ZeroDivisionError: integer division or modulo by zero")
    )


def test_a_list_of_players_that_is_none_is_refused(mine):
    for text in ("AGENTS = 3\n", "AGENTS = {'perfect': 3}\n"):
        (mine / "opponents.py").write_text(text)
        with pytest.raises(UnknownAgent, match="must be a table"):
            agent("perfect", load("./mine/"))


def test_experiments_of_a_folder_are_run_stored_and_resumed(mine, capsys):
    (mine / "evolve.py").write_text(EVOLVE)
    assert main(["evolve", "./mine/:heap=9", "--set", "generations=2", "population=6", "--out", "run"]) == 0
    stored = json.loads(Path("run/settings.json").read_text())
    assert stored["experiment"] == "mine/:heap=9" and stored["identity"]["texts"] == read(mine).texts_hash
    capsys.readouterr()
    assert main(["show", "run"]) == 0, "what the file tells needs no rules"
    assert "the rules of mine/, which are code and were not run" in capsys.readouterr().err, "a run is data"
    assert main(["show", "run", "--trust", "mine"]) == 0


def test_of_several_experiments_one_is_named(mine, capsys):
    (mine / "evolve.py").write_text(EVOLVE + "EXPERIMENTS += (replace(ONEMAX, name='others'),)\n")
    assert main(["evolve", "./mine/"]) == 2
    assert "./mine/ has 2 experiments; name one of ones, others: ./mine/:experiment=NAME" in capsys.readouterr().err
    line = ["evolve", "./mine/:experiment=others", "--set", "generations=2", "population=6", "--out", "run"]
    assert main(line) == 0
    assert json.loads(Path("run/settings.json").read_text())["experiment"] == "mine/:experiment=others"


def test_tables_of_a_folder_are_filled(mine, capsys):
    (mine / "tables.py").write_text(
        "from ludwin.lab.experiment import LabTable\n\n"
        "SIZES = {'quick': (2, 1), 'standard': (2, 1), 'paper': (2, 1)}\n"
        "TABLES = (LabTable('mine-1', 'a table', SIZES, lambda run: None),)\n"
    )
    assert main(["reproduce", "./mine/"]) == 0
    assert "mine-1 (quick" in capsys.readouterr().out
    assert main(["study", "./mine/"]) == 2
    assert "./mine/ has 0 experiments" in capsys.readouterr().err


# ---- Ours ---------------------------------------------------------------------------------------------------


def test_the_listing_is_the_register():
    folder = Path(ludwin.__file__).parent / "games"
    lying = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "rules.py").is_file()}
    assert {name.replace("-", "_") for name in homes()} == lying - {"__init__"}
    assert list(homes()) == sorted(homes())
    assert {"draughts", "lose-checkers", "reversi"} <= set(domains("evolve"))


@pytest.mark.parametrize("name", domains("notation"))
def test_our_folders_compute_without_reading_what_is_for_people(name):
    game = Game(read(homes()[name]), {}, name)  # a fresh one: others may have shown a state before
    perft(game, 1, mode="plain")
    assert game.fingerprint and "tick" not in game.offers
    assert set(game._beside) == {source.path for source in game.source.family()} and not game.source._read_parts
    game.start().name(game.start().moves()[0])
    assert list(game.source._read_parts) == ["notation"], "and only what was asked for"


def test_a_variant_may_import_from_a_folder_as_from_a_file(tmp_path):
    path = tmp_path / "small.py"
    path.write_text(
        "from ludwin.games.draughts import (\n    FIELDS, MAX_MOVES, MAX_PLIES, SIZE, drawn, key, mover, moves,\n"
        "    name, parse, payoff, play, read, setup, show, write)\n"
    )
    game, ours = load(str(path)), load("draughts")
    assert game.start().show() == ours.start().show() and game.start().name(906) == ours.start().name(906)
    assert load(f"{path}:size=10").start().show() == load("draughts:size=10").start().show()
    space = {}
    exec(path.read_text(), space)
    assert space["SIZE"] == 8 and callable(space["name"]) and callable(space["moves"])


def test_names_that_a_folder_has_not_are_missed():
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from ludwin.games.draughts import nothing  # noqa: F401


def test_data_of_our_folders_say_where_they_come_from():
    folder = Path(ludwin.__file__).parent / "games"
    homes_of_data = [path for path in folder.glob("*/data") if path.is_dir()]
    found = [
        (data, path)
        for data in homes_of_data
        for path in data.rglob("*")
        if path.is_file() and path.name != "SOURCE.md"
    ]
    assert {data for data, _ in found} == set(homes_of_data)
    for data, file in found:
        beside = data / "SOURCE.md"
        said = beside.read_text(encoding="utf8") if beside.is_file() else ""
        first = file.read_text(encoding="utf8").partition("\n")[0]
        told = f"`{file.relative_to(data).as_posix()}`" in said or (first.startswith("# ") and len(first) > 20)
        assert told, f"{file}: its first line, or SOURCE.md beside it, says where it comes from"


# ---- Other packages ---------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs a package with these entry points, and a game in two forms."""
    others.brought.cache_clear()
    site = tmp_path / "site"
    package = site / "guest"
    (package / "heaps").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('nobody needs to import the package')\n")
    nim = Path(ludwin.__file__).parent / "games" / "nim.py"
    text = nim.read_text().replace("HEAP = 21", "HEAP = 12", 1).replace("MAX_MOVES", f"# {tmp_path}\nMAX_MOVES", 1)
    (package / "single.py").write_text(text)
    head, people = text.split("def show(s):")
    (package / "heaps" / "rules.py").write_text(head)
    (package / "heaps" / "drawing.py").write_text(
        f"from guest.heaps.rules import HEAP, TAKE\n\n\ndef show(s):{people.split('def name(')[0]}"
    )
    monkeypatch.syspath_prepend(str(site))

    def install(**entries):
        about = site / "guest-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n")
        lines = "\n".join(f"{name} = {value}" for name, value in entries.items())
        (about / "entry_points.txt").write_text(f"[ludwin.games]\n{lines}\n")

    yield install
    others.brought.cache_clear()


@pytest.mark.parametrize("value", ["guest.heaps", "guest.single", "guest/heaps", "guest/single.py"])
def test_a_package_brings_a_game(installed, value, capsys):
    installed(guest_game=value)
    game = load("guest-game:take=2")
    assert game.text == "guest-game:take=2" and game.start().heap == 12 and not game.is_ours
    assert load("guest-g").name == load("GUEST_GAME").name == "guest-game"
    assert named(game) == game.text and "texts" in marks(game)
    assert "guest" not in sys.modules
    assert game.start().show()
    assert main(["moves", "guest-game"]) == 0
    assert "ludwin: guest-game is new: it is Python code" in capsys.readouterr().err
    assert main(["games"]) == 0
    assert "guest-game" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("guest.nothing", "neither such a file nor such a folder"),
        ("nobody.games", "there is no module 'nobody'"),
        ("/etc/passwd", "neither such a file|no module"),
        ("a b", "that is no module"),
        ("..", "that is no module"),
    ],
)
def test_a_broken_entry_is_one_line_and_the_others_play(installed, value, words, capsys):
    installed(broken=value, whole="guest.heaps")
    with pytest.raises(UnknownGame, match=words) as caught:
        load("broken")
    assert "the package guest brings a game 'broken'" in str(caught.value) and "\n" not in str(caught.value)
    assert main(["games"]) == 0
    said = capsys.readouterr()
    assert "ludwin: broken, which the package guest brings, cannot be played" in said.err
    assert "whole" in said.out and "draughts" in said.out


def test_our_name_wins_and_that_is_said(installed, capsys):
    installed(nim="guest.heaps")
    assert load("nim").is_ours and load("nim").start().heap == 21
    assert main(["games"]) == 0
    said = capsys.readouterr()
    assert "ludwin: the package guest brings a game called nim, which is one of ours: ours is played" in said.err
    assert sum(line.startswith("nim ") for line in said.out.splitlines()) == 1


def test_a_whole_name_of_a_package_goes_before_a_beginning_of_ours(installed):
    installed(drau="guest.heaps")
    assert load("drau").start().heap == 12 and load("draug").name == "draughts"


def test_packages_are_not_looked_at_while_a_name_is_ours(python):
    script = (
        "import sys\nfrom ludwin import load\nload('draughts').start().name(906)\n"
        "print([m for m in sys.modules if m.startswith(('importlib.metadata', 'ludwin.games.'))])"
    )
    assert python(script) == "[]"


@pytest.mark.parametrize("text", ["draughts:size=7", "carcassonne:tiles=5", "racing:track=nowhere"])
def test_a_refused_parameter_is_told_in_the_name_of_the_game(text):
    with pytest.raises(BadParameter, match=f"^{text.partition(':')[0]}: "):
        load(text)
