"""The notebooks of docs, executed, and their pages: `python -m tests.docs.notebooks` writes the pages anew.

Why it is here.  A notebook that nobody runs shows what once worked.  Each is executed in a folder of its own, from the
cells alone; what it says and draws becomes a page of the site, with its pictures as files.
"""

import html
import json
import re
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
PICTURES = FOLDER.parent / "pictures"
PRE = re.compile(r"<pre>(.*?)</pre>", re.S)
NOTEBOOKS = ("own-game", "mcts-experiment", "evolution")


def executed(name: str) -> Any:
    """Run every cell of a notebook in a new kernel and an empty folder; raises what a cell raises."""
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    return book


def rendered(name: str, book: Any) -> tuple[str, dict[str, str]]:
    """Return the page of an executed notebook, and its pictures by the names of their files."""
    parts: list[str] = []
    pictures: dict[str, str] = {}
    for cell in book.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [text for output in cell.outputs if (text := _output(output, name, pictures))]
    title, *rest = parts[0].split("\n", 1)
    run = f"*Run it yourself: [{name}.ipynb]({name}.ipynb). This page is made by the tests from the executed notebook.*"
    return "\n\n".join([title, run, *(one.strip() for one in rest), *parts[1:]]) + "\n", pictures


def _output(output: Any, name: str, pictures: dict[str, str]) -> str:
    """Return what a cell has put out, for a page; a picture becomes a file."""
    if output.output_type == "stream":
        return f"```text\n{_told(output.text)}\n```" if output.name == "stdout" else ""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        return _picture(data["image/svg+xml"], name, pictures)
    if "text/html" in data:
        found = "".join(
            f"\n\n{_picture(part, name, pictures)}\n\n" if part.startswith("<svg") else part
            for part in _cut(data["text/html"])
        )
        return PRE.sub(lambda one: f"\n\n```text\n{html.unescape(one[1])}\n```\n\n", found).strip()
    return f"```text\n{_told(data.get('text/plain', ''))}\n```"


def _cut(text: str) -> list[str]:
    """Return a text in pieces, each picture whole: one may hold others.

    >>> _cut("a<svg><svg/>x</svg>b")
    ['a', '<svg><svg/>x</svg>', 'b']
    """
    pieces, depth, begin = [], 0, 0
    for tag in re.finditer(r"<svg\b[^>]*?(/?)>|</svg>", text):
        if tag[0].startswith("</"):
            depth -= 1
            if depth == 0:
                pieces.append(text[begin : tag.end()])
                begin = tag.end()
        elif not tag[1]:
            if depth == 0:
                pieces.append(text[begin : tag.start()])
                begin = tag.start()
            depth += 1
    return [piece for piece in (*pieces, text[begin:]) if piece]


def _told(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def _picture(svg: str, name: str, pictures: dict[str, str]) -> str:
    file = f"{name}-{len(pictures) + 1}.svg"
    pictures[file] = svg.strip() + "\n"
    return f"![what the cell draws](../pictures/{file})"


def clean(name: str) -> bool:
    """Tell whether a notebook is kept without outputs: what it shows is on its page."""
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf8"))["cells"]
    return all(not cell.get("outputs") and not cell.get("execution_count") for cell in cells)


if __name__ == "__main__":
    for notebook in NOTEBOOKS:
        page, drawn = rendered(notebook, executed(notebook))
        (FOLDER / f"{notebook}.md").write_text(page, encoding="utf8")
        for old in PICTURES.glob(f"{notebook}-*.svg"):
            old.unlink()
        for picture, text in drawn.items():
            (PICTURES / picture).write_text(text, encoding="utf8")
