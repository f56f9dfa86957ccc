"""README and docs are executed: files are written, commands run, outputs compared.

A fence ```python nim.py (or ```sh bot.sh, ```csv data.csv) writes that file, ```console runs each `$ ludwin …` line in
the page's own folder and compares what it prints (… stands for anything), ```pycon is a doctest. A page's fences
run in order, so a tutorial is one experiment.
"""

import doctest
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)?([^\n]*)\n(.*?)^```$", re.M | re.S)


def fences(page):
    text = page.read_text(encoding="utf8")
    for found in FENCE.finditer(text):
        yield text[: found.start()].count("\n") + 1, found[1] or "", found[2].strip(), found[3]


def matches(expected, got):
    pattern = ".*?".join(re.escape(part) for part in expected.strip().split("…"))
    return re.fullmatch(pattern, got.strip(), re.S)


def run_console(body, folder, place):
    for block in re.split(r"^\$ ", body, flags=re.M)[1:]:
        command, _, expected = block.partition("\n")
        words = shlex.split(command, comments=True)
        assert words[0] == "ludwin", f"{place}: only ludwin commands are run, got {command}"
        run = subprocess.run(
            [sys.executable, "-m", "ludwin", *words[1:]], cwd=folder, capture_output=True, text=True, timeout=120
        )
        got = run.stdout if run.stdout.strip() else run.stderr
        if expected.strip():
            assert matches(expected, got), f"{place}: `{command}` printed\n{got}\n{run.stderr}\ninstead of\n{expected}"
        else:
            assert run.returncode == 0, f"{place}: `{command}` failed\n{run.stderr}"


def run_doctest(body, names, place):
    test = doctest.DocTestParser().get_doctest(body, names, str(place), str(place), 0)
    out = io.StringIO()
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(
        test, out=out.write, clear_globs=False
    )
    names.update(test.globs)
    assert result.failed == 0, out.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_does_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # as in a session of Python that was begun there
    names = {}
    for line, kind, rest, body in fences(page):
        place = f"{page.name}:{line}"
        if (kind, Path(rest).suffix) in (("python", ".py"), ("sh", ".sh"), ("csv", ".csv")):
            (tmp_path / rest).parent.mkdir(exist_ok=True)
            (tmp_path / rest).write_text(body, encoding="utf8")
        elif kind == "console":
            run_console(body, tmp_path, place)
        elif kind == "pycon":
            run_doctest(body, names, place)


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        prose = FENCE.sub("", page.read_text(encoding="utf8"))  # programs have brackets, too
        for target in re.findall(r"\]\((?!http|#)([^)#\s]+)", prose):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}, which does not exist"


def test_fences_of_console_name_existing_commands():
    assert shutil.which("ludwin") or (Path(sys.executable).parent / "ludwin").exists()
