"""The order of the site's pages, for `mkdocs build` (a hook of mkdocs.yml).

Why it is here.  Every page of docs/ belongs into the site, and nobody should have to say so twice: a section is a
folder, its first page is its README, and a new page is found by listing.
"""

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
SECTIONS = {  # folders in the order in which people need them
    "tutorial": "Begin",
    "notebooks": "Notebooks",
    "games": "Games",
    "how-to": "How to",
    "reference": "Reference",
    "ideas": "Ideas",
    "results": "Measured",
}
ALONE = ["architecture.md", "glossary.md", "style.md"]  # pages beside the folders, under The house


def title(page: Path) -> str:
    """Return the heading of a page."""
    found = re.search(r"^# (.+)$", page.read_text(encoding="utf8"), re.M)
    assert found, f"{page} has no heading"
    return found[1].replace("`", "")


def nav() -> list[Any]:
    """Return every page in its section; a README stands first."""
    found: list[Any] = [{"Ludwin": "index.md"}]
    for folder, name in SECTIONS.items():
        pages = sorted((DOCS / folder).glob("*.md"), key=lambda page: (page.name != "README.md", page.name))
        rows: list[Any] = [
            f"{folder}/{page.name}" if page.name == "README.md" else {title(page): f"{folder}/{page.name}"}
            for page in pages
        ]
        found.append({name: rows})
    found.append({"The house": [{title(DOCS / page): page} for page in ALONE]})
    return found


def on_config(config: Any) -> Any:
    """Give mkdocs its order of pages."""
    config["nav"] = nav()
    return config
