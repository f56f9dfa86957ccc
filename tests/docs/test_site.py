"""The site: every page is in it, under a heading, and mkdocs builds it without a warning."""

import importlib.util
import os
import re
import subprocess
import sys

import pytest

from tests.docs import site


def listed(rows):
    """Yield the pages of an order of pages."""
    for row in rows:
        if isinstance(row, dict):
            for value in row.values():
                yield from listed(value) if isinstance(value, list) else [value]
        else:
            yield row


def test_every_page_of_the_docs_is_in_the_site_once():
    pages = list(listed(site.nav()))
    there = {str(page.relative_to(site.DOCS)) for page in site.DOCS.rglob("*.md")}
    assert len(pages) == len(set(pages)) and set(pages) == there, f"not in a section: {there - set(pages)}"


@pytest.mark.thorough
def test_the_site_is_built_without_a_warning(tmp_path):
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed (extra docs)")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run(command, cwd=site.DOCS.parent, env=quiet, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    for page in site.DOCS.rglob("*.md"):
        name = page.relative_to(site.DOCS).with_suffix(".html")
        made = tmp_path / "site" / (name.with_name("index.html") if page.name == "README.md" else name)
        text = made.read_text(encoding="utf8")
        for shown in re.findall(r'<img[^>]* src="(?!http|data)([^"]+)"', text):
            assert (made.parent / shown).exists(), f"{page} shows {shown}, which is not in the site"
    front = (tmp_path / "site" / "index.html").read_text(encoding="utf8")
    assert "pictures/chess.svg" in front and "fonts.googleapis" not in front
