"""Pages of results have one form: a question, the command that answers it, a table, a reading; long logs follow."""

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "results").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_asks_commands_tables_and_reads(page):
    text = page.read_text(encoding="utf8")
    question, command = (re.search(rf"\*\*{word}\.\*\*", text) for word in ("Question", "Command"))
    reading, table = re.search(r"\*\*Reading\.\*\*", text), re.search(r"^\|(?:-+:?\|)+$", text, re.M)
    assert question and command and reading and table, f"{page.name}: question, command, table and reading are wanted"
    assert question.start() < command.start() < reading.start()
    assert question.start() < text.find("\n## ") or "\n## " not in text, f"{page.name}: the question stands first"
    assert re.search(r"`(ludwin|pytest|python|LUDWIN)", text[command.start() :]), f"{page.name}: no command"
