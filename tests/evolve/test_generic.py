"""A user's own game file is an experiment: its queries are the language, and `ludwin evolve ./mygame.py` works."""

import json
import re

import pytest
from evolve_heaps import TEXT, WISE

from ludwin.cli import main
from ludwin.errors import BadParameter
from ludwin.evolve.experiment import settle
from ludwin.evolve.generic import experiment, language, word
from ludwin.library import agent, load

SMALL = ["population=6", "generations=2", "depth=1", "fitness=8guide2", "finalists=1", "last=1"]
SMALL += ["finalist_games=20", "champion_games=100", "record_games=10", "yardstick_games=20"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with the game in it, and do not wait for the disk."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")
    (tmp_path / "heaps.py").write_text(TEXT, encoding="utf8")
    return tmp_path


def test_queries_and_mobility_are_the_terminals(folder):
    spoken = language(load("./heaps.py"))
    terminals = {one.name: (one.returns, one.reads, one.places) for one in spoken.primitives if one.reads}
    assert terminals["heap"] == ("Float", "heap", 0) and terminals["left_over"] == ("Bool", "left over", 4)
    assert set(terminals) == {"heap", "left_over", "Mobility"}
    assert [word(name) for name in ("my men", "2 in a row", "is-empty?", "ümlaut")] == [
        "my_men",
        "q_2_in_a_row",
        "is_empty",
        "umlaut",
    ]


def test_a_query_with_a_name_of_the_language_is_refused(folder):
    for name, found in (
        ("One", "'One' is called One"),
        ("left  over", "'left over' is called left_over"),
        ("Mobility", "'Mobility' is called Mobility"),
    ):
        (folder / "odd.py").write_text(
            TEXT.replace('{"heap": "float", ', f'{{"heap": "float", "{name}": "float", '), encoding="utf8"
        )
        with pytest.raises(BadParameter, match=re.escape(f"the query {found} in programs, which is taken")):
            language(load("./odd.py"))


@pytest.mark.parametrize("name", ["mobility", ""])
def test_a_query_cannot_be_called_as_the_number_of_moves(folder, name):
    """A terminal that reads `mobility` would get the number of moves, and the user's answer would never be heard."""
    (folder / "odd.py").write_text(TEXT.replace('{"heap": "float", ', f'{{"{name}": "float", '), encoding="utf8")
    with pytest.raises(BadParameter, match=f"a query cannot be called {name!r}"):
        language(load("./odd.py"))


def test_a_query_of_odd_letters_has_a_help_of_one_line(folder):
    text = TEXT.replace('{"heap": "float", ', '{"heap": "float", "a\\x1b[31m\\nb": "float", ')
    (folder / "odd.py").write_text(text, encoding="utf8")
    (found,) = [one for one in language(load("./odd.py")).primitives if one.name == "a_31m_b"]
    assert found.reads == "a\x1b[31m\nb" and found.help == r"'a\x1b[31m\nb'"


def test_a_game_with_very_many_places_begins_without_sums(folder):
    few = settle(experiment("./heaps.py"), "quick", {})
    (folder / "wide.py").write_text(TEXT.replace('("bool", 4)', '("bool", 60_000)'), encoding="utf8")
    wide = experiment("./wide.py")
    assert few["linear"] == 0.5 and settle(wide, "quick", {})["linear"] == 0.0
    with pytest.raises(BadParameter, match="too large to play; name fewer in sum_of, or set linear=0"):
        wide.examine(settle(wide, "quick", {"linear": 0.5}))
    wide.examine(settle(wide, "quick", {"linear": 0.5, "sum_of": "heap"}))


def test_a_user_s_game_is_evolved_shown_and_played(folder, capsys):
    assert (
        main(
            [
                "evolve",
                "./heaps.py",
                "--preset",
                "quick",
                "--seed",
                "3",
                "--out",
                "run",
                "--json",
                "--set",
                *SMALL,
                f"seed_programs={WISE}",
            ]
        )
        == 0
    )
    data = json.loads(capsys.readouterr().out)
    # The wise program wins whenever the other one errs; nobody wins from a multiple of four, so seats matter and not
    # every game is won.
    assert data["experiment"] == "heaps.py" and data["champion"]["measure"]["value"] > 0.8
    assert [row["opponent"] for row in data["champion"]["record"]] == ["random", "guide:depth=3"]
    assert main(["show", "run"]) == 0, "what the file tells needs no rules"
    assert "the rules of heaps.py, which are code and were not run" in capsys.readouterr().err
    assert main(["show", "run", "--trust", "./heaps.py"]) == 0
    out = capsys.readouterr()
    assert "left_over[" in out.out and out.err.startswith("ludwin: running heaps.py, which is Python code")
    player, game = agent("evolved:run"), load("./heaps.py")
    assert player.choose(game, game.start(), mode="plain").move in (1, 2, 3)
    assert main(["match", "./heaps.py", "evolved:run", "random", "--games", "4"]) == 0


def test_a_run_notices_that_the_rules_have_changed(folder, capsys):
    words = ["evolve", "./heaps.py", "--seed", "3", "--out", "run", "--set", *SMALL]
    assert main([*words]) == 0
    (folder / "run" / "report.html").unlink()  # as if it had been killed before the end
    (folder / "heaps.py").write_text(TEXT.replace("HEAP = 13", "HEAP = 14"), encoding="utf8")
    assert main(["evolve", "./heaps.py", "--resume", "run"]) == 2
    assert (
        "heaps.py is not the text that run/settings.json was made with: these are other rules, and were not run"
        in capsys.readouterr().err
    )
