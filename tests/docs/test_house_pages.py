"""What the docs say of the source is there: modules, paths, words; and every page can be reached."""

import importlib
import re
from pathlib import Path

import pytest

from ludwin.rules.folder import PARTS
from tests.test_arrows import LAYERS, SUB_ROOMS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
LIVING = [page for page in PAGES if DOCS / "results" not in page.parents]  # results tell history, too
MODULE = re.compile(r"(?<![\w./-])ludwin(?:\.[A-Za-z_]\w*)+")
FILE = re.compile(r"(?<![\w/])(?:src/ludwin|tests|docs|examples)/[\w./-]*\w")
ROOMS = "|".join(sorted({path.name for path in (ROOT / "src" / "ludwin").iterdir() if path.is_dir()}))
IN_A_ROOM = re.compile(rf"`((?:{ROOMS})/[\w/]*\.py)`")  # short for src/ludwin/…
IMAGINED = {"chomp"}  # style and how-to write this game as an example
WORD = re.compile(r"^\| (\w[\w -]*) \| (.+) \| `(ludwin[\w.]*)` \|$", re.M)


def ident(page):
    return str(page.relative_to(ROOT))


def there(name):
    """Tell whether a dotted name is a module of ours, or something that one defines."""
    words = name.split(".")
    for end in range(len(words), 0, -1):
        try:
            found = importlib.import_module(".".join(words[:end]))
        except ModuleNotFoundError as error:
            assert error.name and name.startswith(error.name.split(".")[0]), f"{name} needs {error.name}"
            continue
        for word in words[end:]:
            if not hasattr(found, word):
                return False
            found = getattr(found, word)
        return True
    return False


def modules_of(page):
    """Yield every name of ours that a page mentions, what it imports in examples included."""
    text = page.read_text(encoding="utf8")
    yield from MODULE.findall(text)
    for home, names in re.findall(r"from (ludwin[\w.]*) import \(?([\w, ]+)", text):
        yield from (f"{home}.{name.split(' as ')[0].strip()}" for name in names.split(",") if name.strip())


def is_a_name(name):
    """Tell names from placeholders, and from what is imagined."""
    return not any(word in IMAGINED or word == "NAME" for word in name.split("."))


@pytest.mark.parametrize("page", LIVING, ids=ident)
def test_every_module_that_a_page_names_is_there(page):
    gone = sorted({name for name in modules_of(page) if is_a_name(name) and name not in KNOWN and not there(name)})
    assert not gone, f"{ident(page)} names what is gone: {', '.join(gone)}"


KNOWN = {
    "ludwin.agents",  # the group of entry points by which a package brings agents
    "ludwin.search.lazy.Lazy",  # the example of docs/how-to/agents-of-your-own.md
    "ludwin.search.lazy",
    "ludwin.cli.lengths",  # the example of docs/how-to/add-a-command.md
}


def paths_of(page):
    """Yield every path of the repository that a page names; placeholders are written in capitals."""
    text = page.read_text(encoding="utf8")
    for path in (*FILE.findall(text), *(f"src/ludwin/{short}" for short in IN_A_ROOM.findall(text))):
        name = Path(path)
        if not (re.search(r"[A-Z]{4}", path.replace("README", "")) or name.stem.removeprefix("test_") in IMAGINED):
            yield path


@pytest.mark.parametrize("page", LIVING, ids=ident)
def test_every_path_that_a_page_names_is_there(page):
    gone = sorted({path for path in paths_of(page) if not (ROOT / path).exists() and path not in EXAMPLES})
    assert not gone, f"{ident(page)} names files that are gone: {', '.join(gone)}"


EXAMPLES = {
    "src/ludwin/cli/lengths.py",  # written in docs/how-to/add-a-command.md
    "src/ludwin/images",  # made for a release
}


def test_names_that_are_there_are_told_from_names_that_are_not():
    assert there("ludwin.search.choice.Agent") and there("ludwin.formats") and there("ludwin.match")
    assert (
        not there("ludwin.search.judged")
        and not there("ludwin.formats.Nonsense")
        and not there("ludwin.evolve.checkers")
    )


def test_every_page_can_be_reached_from_the_readme():
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached:
            continue
        reached.add(page)
        links = re.findall(r"\]\((?!http|#)([^)#\s]+\.md)", page.read_text(encoding="utf8"))
        ahead += [(page.parent / link).resolve() for link in links]
    assert not sorted(set(PAGES) - reached)


# ---- The house ------------------------------------------------------------------------------------------


def test_the_floor_plan_has_every_room_in_the_order_of_its_layer():
    text = (DOCS / "architecture.md").read_text(encoding="utf8").split("## The floor plan")[1].split("\n## ")[0]
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    told = [set(re.findall(r"`(\w+)(?:/|\.py)?`", row.split("|")[1])) for row in rows]
    assert [set(layer) for layer in LAYERS] == told
    assert all(f"`{room}`" in text for room in SUB_ROOMS) and all(f"`{role}`" in text for role in PARTS)


def test_a_glossary_of_some_dozens_of_words_each_with_its_place():
    rows = WORD.findall((DOCS / "glossary.md").read_text(encoding="utf8"))
    words = [word for word, _, _ in rows]
    assert len(words) >= 40 and words == sorted(set(words))
    for word, meaning, place in rows:
        assert there(place), f"{word} is said to be in {place}, which is not there"
        assert 1 <= len(re.findall(r"[.:](?: |$)", meaning)) <= 4, f"{word}: one or two sentences"


def test_every_change_has_a_page_that_ends_in_an_example():
    index = (DOCS / "how-to" / "README.md").read_text(encoding="utf8")
    rows = index.split("## Ten changes")[1].split("\n## ")[0].splitlines()
    pages = [re.findall(r"\]\(([\w-]+\.md)\)", row) for row in rows if row.startswith("| a")]
    assert len(pages) == 10
    for page in {page for row in pages for page in row}:
        text = (DOCS / "how-to" / page).read_text(encoding="utf8")
        assert re.search(r"^```(pycon|console)$", text, re.M), f"{page} has no example that runs"
