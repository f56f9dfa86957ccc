"""Every game has a page, all pages look alike, and what they say of a game's file is what the file says."""

import re
from pathlib import Path

import pytest

from ludwin import check, load
from ludwin.games import GAMES
from ludwin.rules.contract import OPTIONAL, VARIANTS

DOCS = Path(__file__).parents[2] / "docs"
HEADINGS = ["Rules", "Parameters", "Notation", "For searches", "Known facts", "References"]
FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.M | re.S)
BROKEN = {"wrong.py", "stop.py"}  # examples of what is refused


def prose(name):
    """Return the page of a game without its examples."""
    return FENCE.sub("", (DOCS / "games" / f"{name}.md").read_text(encoding="utf8"))


def section(name, heading):
    """Return the text below one heading."""
    return prose(name).split(f"\n## {heading}\n")[1].split("\n## ")[0].strip()


def rows(text):
    """Return the cells of a table's rows, without its head; none if there is no table."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_game_has_a_page_and_the_index_names_no_other():
    linked = re.findall(
        r"^\| \[([a-z-]+)\]\(([a-z-]+)\.md\)", (DOCS / "games" / "README.md").read_text(encoding="utf8"), re.M
    )
    assert linked and {(name, page) for name, page in linked} <= {(name, name) for name in GAMES}
    assert {page.stem for page in (DOCS / "games").glob("*.md")} == {*GAMES, "README", "pictures"}


@pytest.mark.parametrize("name", GAMES)
def test_all_pages_have_the_same_headings_in_the_same_order(name):
    first, *rest = re.findall(r"^(#+) (.+)$", prose(name), re.M)
    assert first[0] == "#"
    assert rest == [("##", heading) for heading in HEADINGS]


@pytest.mark.parametrize("name", GAMES)
def test_parameters_are_those_of_the_file(name):
    said = {parameter: default for parameter, default, _ in rows(section(name, "Parameters"))}
    assert said == {parameter: str(default) for parameter, default in load(name).source.parameters.items()}
    assert said or section(name, "Parameters") == "None."


@pytest.mark.parametrize("name", GAMES)
def test_functions_for_searches_are_those_of_the_file(name):
    game = load(name)
    offered = [function for function in OPTIONAL if function in game.offers]
    offered += [prefix + variant for prefix in VARIANTS for variant in game.variants(prefix)]
    said = [function for function, _ in rows(section(name, "For searches"))]
    assert sorted(said) == sorted(offered)


@pytest.mark.parametrize("name", GAMES)
def test_notation_is_shown_by_an_example_that_runs(name):
    page = (DOCS / "games" / f"{name}.md").read_text(encoding="utf8")
    notation = page.split("\n## Notation\n")[1].split("\n## For searches\n")[0]
    assert f"```console\n$ ludwin moves {name}" in notation


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted((DOCS / "how-to").glob("*.md")), ids=lambda page: page.stem)
def test_examples_of_game_files_keep_the_laws_of_games(page, tmp_path):
    files = {
        rest.strip(): body
        for kind, rest, body in FENCE.findall(page.read_text(encoding="utf8"))
        if kind == "python" and rest.endswith(".py")
    }
    for name, body in files.items():
        (tmp_path / name).write_text(body, encoding="utf8")
    for name, body in files.items():
        if name not in BROKEN and "setup" in body:
            check(load(tmp_path / name), playouts=50)
