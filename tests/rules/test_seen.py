"""Lint is not asked twice about the same rules, and always about others."""

from pathlib import Path

import pytest

from ludwin import load
from ludwin.errors import RuleError
from ludwin.game import Game
from ludwin.games import GAMES
from ludwin.rules import seen
from ludwin.rules.source import execute, read

# Load a game in a new process; tell whether it was linted, and what was said.
LOAD = """
import sys
from ludwin import load
from ludwin.errors import LudwinError
try:
    load(sys.argv[1])
    said = "fine"
except LudwinError as error:
    said = str(error).partition(": ")[2]
print("linted" if "ludwin.rules.lint" in sys.modules else "seen", said)
"""


def marks(cache):
    return sorted((Path(cache) / "ludwin_seen").glob("lint-*"))


def test_the_second_process_does_not_lint(workshop, python, tmp_path):
    path = workshop.write(workshop.text)
    assert [python(LOAD, path) for _ in range(2)] == ["linted fine", "seen fine"]
    assert len(marks(tmp_path / "cache")) == 1 and (tmp_path / "cache" / "ludwin_seen").stat().st_mode & 0o077 == 0
    assert [python(LOAD, f"{path}:heap=5") for _ in range(2)] == ["linted fine", "seen fine"]


@pytest.mark.parametrize("damage", [b"", b"0" * 64 + b"\n", b"\xff\xfe", None])
def test_a_damaged_mark_says_nothing_and_is_mended(damage, workshop, python, tmp_path):
    path = workshop.write(workshop.text)
    python(LOAD, path)
    (mark,) = marks(tmp_path / "cache")
    if damage is None:
        mark.unlink()
        mark.mkdir()
    else:
        mark.write_bytes(damage)
    assert python(LOAD, path) == "linted fine"
    assert python(LOAD, path) == ("linted fine" if damage is None else "seen fine")


def test_rules_that_lint_refuses_are_refused_every_time(workshop, python, tmp_path):
    path = workshop.spoil("n += 1", "n += [1]")
    for _ in range(2):
        assert python(LOAD, path).startswith("linted a list cannot be compiled")
    assert marks(tmp_path / "cache") == []


def test_an_edited_rule_or_helper_is_linted_again(workshop, python):
    text, helper = (
        "from helper import step\n" + workshop.text.replace("out[n] = TAKE[k]", "out[n] = step(k)"),
        "def step(k):\n    return k\n",
    )
    path = workshop.write(text, helper=helper)
    assert [python(LOAD, path) for _ in range(2)] == ["linted fine", "seen fine"]
    workshop.write(text, helper=helper.replace("return k", "return [k]"))
    assert python(LOAD, path).startswith("linted a list cannot be compiled")
    workshop.write(text, helper=helper)
    assert python(LOAD, path) == "seen fine"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("(0, 1, 2, 'x')", "the table TAKE mixes int and str"),
        ("{0: 0, 1: 1, 2: 2, 3: 3}", "TAKE is a dict"),
        ("None", "TAKE is None"),
        ("'0123'", "TAKE is a str"),
        ("(0, 1, 2, 2**64)", "the constant 18446744073709551616 does not fit"),
        ("(0, 1, 2, Odd(3))", "fine"),  # prints as 3 does, but is looked at, and is a number
    ],
)
def test_a_constant_that_the_text_does_not_show_is_looked_at_each_time(value, said, workshop, python):
    odd = "class Odd(int):\n    pass\n"
    path = workshop.spoil(
        "TAKE = (0, 1, 2, 3)", f"import os\n{odd}TAKE = (0, 1, 2, 3) if 'TAKE_OK' in os.environ else {value}"
    )
    assert [python(LOAD, path, environ={"TAKE_OK": "1"}) for _ in range(2)] == ["linted fine", "seen fine"]
    assert python(LOAD, path).startswith(f"linted {said}")


def test_a_name_that_is_there_only_sometimes_is_missed_when_it_is_not(workshop, python):
    path = workshop.spoil("TAKE = (0, 1, 2, 3)", "import os\nif 'TAKE_OK' in os.environ:\n    TAKE = (0, 1, 2, 3)")
    assert [python(LOAD, path, environ={"TAKE_OK": "1"}) for _ in range(2)] == ["linted fine", "seen fine"]
    assert python(LOAD, path).startswith("linted 'TAKE' is not defined")


def test_another_lint_is_asked_anew(monkeypatch, tmp_path):
    game = load("nim")
    parts = (game.source, game.values, game.fields, game.modules)
    key = seen.lint_key(*parts)
    assert key == seen.lint_key(*parts)
    for number, file in enumerate((*seen.LINT, seen.PRIMITIVES)):
        assert file.is_file()
        edited = tmp_path / f"{number}.py"
        edited.write_bytes(file.read_bytes() + b"\n")
        with monkeypatch.context() as patch:
            patch.setattr(seen, "LINT", tuple(edited if f == file else f for f in seen.LINT))
            patch.setattr(seen, "PRIMITIVES", edited if file == seen.PRIMITIVES else seen.PRIMITIVES)
            seen._lint.cache_clear()
            assert seen.lint_key(*parts) != key
        seen._lint.cache_clear()


def test_constants_that_are_no_numbers_are_known_by_their_kind(workshop, python, tmp_path):
    path = workshop.write(
        workshop.text + "\nTHINGS = (object(), [len, 10**5000], {1})\nclass Odd(int):\n    pass\nODD = Odd(3)\n"
    )
    assert [python(LOAD, path) for _ in range(2)] == ["linted fine", "seen fine"]
    assert len(marks(tmp_path / "cache")) == 1


def test_a_constant_that_cannot_be_looked_at_is_no_obstacle(workshop, python):
    path = workshop.write(workshop.text + "\nENDLESS = [1]\nENDLESS.append(ENDLESS)\n")
    assert [python(LOAD, path) for _ in range(2)] == ["linted fine"] * 2


@pytest.mark.parametrize("name", GAMES)
def test_every_registered_game_is_linted_once(name, python):
    assert [python(LOAD, name) for _ in range(2)] == ["linted fine", "seen fine"]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs a folder in which nothing can be written")
def test_a_cache_that_cannot_be_written_costs_only_time(workshop, python):
    assert python(LOAD, workshop.write(workshop.text), cache="/proc/ludwin") == "linted fine"


def test_without_a_memory_rules_are_always_linted(workshop):
    path = workshop.spoil("n += 1", "n += [1]")
    with pytest.raises(RuleError, match="a list cannot be compiled"):
        Game(read(Path(path)), {}, "stones")


# One reading of a file


def test_a_file_that_nothing_changes_runs_from_its_own_tree(workshop, monkeypatch):
    import ast

    source = read(Path(workshop.write(workshop.text)))
    monkeypatch.setattr(ast, "parse", None)  # there is no second reading
    before = ast.dump(source.tree, include_attributes=True)
    for heap in (9, 5):
        values = {} if heap == 9 else {"heap": heap}
        assert heap == execute(source, values)[source.path].HEAP
    assert ast.dump(source.tree, include_attributes=True) == before  # parameters are set in a copy


def test_helpers_are_ours_wherever_they_are_imported(workshop):
    text = workshop.text.replace("HEAP = 9\n", "from helper import HEAP\nimport helper\n") + (
        "\ndef show(s):\n"
        "    if s.heap:\n        from helper import HEAP as top\n"
        "    else:\n"
        "        try:\n            import helper as other\n            top = other.HEAP\n"
        "        finally:\n            pass\n"
        "    return f'{top} {helper.HEAP}'\n"
    )
    path = workshop.write(text, helper="HEAP = 9\nclass Box:\n    pass\n")
    for heap in (9, 5):
        game = load(path, heap=heap)
        assert game.start().show() == f"{heap} {heap}"
        assert game.state(heap=0).show() == f"{heap} {heap}"
