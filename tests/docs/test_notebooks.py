"""The notebooks run from their cells alone, and their pages show what they say and draw."""

import importlib.util

import pytest

from tests.docs import notebooks


@pytest.mark.parametrize("name", notebooks.NOTEBOOKS)
def test_a_notebook_is_kept_clean(name):
    assert notebooks.clean(name), f"{name}.ipynb holds outputs: clear them, its page shows what it puts out"


@pytest.mark.thorough
@pytest.mark.parametrize("name", notebooks.NOTEBOOKS)
@pytest.mark.filterwarnings("ignore")  # of Jupyter's own
def test_a_notebook_runs_and_its_page_shows_what_it_did(name):
    for package in ("nbclient", "nbformat", "ipykernel"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed (extra notebook)")
    page, pictures = notebooks.rendered(name, notebooks.executed(name))
    way = "look at it, then python -m tests.docs.notebooks"
    assert page == (notebooks.FOLDER / f"{name}.md").read_text(encoding="utf8"), f"{name} says something else: {way}"
    kept = {path.name for path in notebooks.PICTURES.glob(f"{name}-[0-9]*.svg")}
    assert pictures and set(pictures) == kept
    for file, text in pictures.items():
        assert (notebooks.PICTURES / file).read_text(encoding="utf8") == text, f"{file} is drawn otherwise: {way}"


def test_every_notebook_of_the_folder_is_run():
    assert {path.stem for path in notebooks.FOLDER.glob("*.ipynb")} == set(notebooks.NOTEBOOKS)
