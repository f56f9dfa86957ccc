"""The pictures of README and docs are what the package draws today, and each is shown somewhere."""

import re
from xml.etree import ElementTree

import pytest

from tests.docs import pictures

ROOT = pictures.FOLDER.parents[1]
LOOK = "the drawing has changed: look at it, then python -m tests.docs.pictures"


@pytest.mark.parametrize("name", pictures.GAMES)
def test_a_picture_of_a_game_is_what_it_draws_today(name):
    assert (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf8") == pictures.of_game(name), LOOK


@pytest.mark.parametrize("name", pictures.OTHERS)
def test_a_picture_of_a_result_is_what_is_drawn_today(name):
    assert (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf8") == pictures.OTHERS[name](), LOOK


@pytest.mark.parametrize("name", [*pictures.GAMES, *pictures.OTHERS])
def test_a_picture_can_be_looked_at(name):
    root = ElementTree.parse(pictures.FOLDER / f"{name}.svg").getroot()
    wide, high = (float(root.get(side)) for side in ("width", "height"))
    assert 100 <= wide <= 1400 and 80 <= high <= 1400, f"{name}: {wide} x {high}"


def test_the_readme_shows_four_games_and_the_sheet_all():
    readme = (ROOT / "README.md").read_text(encoding="utf8")
    assert all(f"docs/pictures/{name}.svg" in readme for name in pictures.README)
    assert (ROOT / "docs" / "games" / "pictures.md").read_text(encoding="utf8") == pictures.sheet(), LOOK


def test_every_picture_is_shown_on_a_page():
    pages = "".join(page.read_text(encoding="utf8") for page in (ROOT / "docs").rglob("*.md"))
    kept = {str(path.relative_to(pictures.FOLDER)) for path in pictures.FOLDER.rglob("*.svg")}
    shown = set(re.findall(r"pictures/([\w./-]+\.svg)", pages))
    assert kept == shown, f"not shown: {kept - shown}, not there: {shown - kept}"
