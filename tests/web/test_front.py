"""The front end as it is committed: built from these sources, small enough, and in the wheel."""

import gzip
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "ludwin" / "web" / "static"
FRONT = ROOT / "web"
BUDGET = {"play": 25_000, "curves": 55_000}  # bytes of JavaScript, compressed


@pytest.fixture(scope="module")
def manifest():
    return json.loads((STATIC / "manifest.json").read_text())


def test_the_bundle_is_built_from_these_sources(manifest):
    sources = [*sorted((FRONT / "src").iterdir()), *(FRONT / name for name in ("build.mjs", "package.json"))]
    found = {str(path.relative_to(FRONT)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sources}
    stale = [name for name, mark in found.items() if manifest["sources"].get(name) != mark]
    assert not stale, f"{stale} changed: run `node web/build.mjs`"
    assert {name for name in manifest["sources"] if name.startswith("src/")} == {
        n for n in found if n.startswith("src/")
    }


def test_every_file_is_the_one_that_was_built(manifest):
    there = {path.name for path in STATIC.iterdir()} - {"manifest.json"}
    assert there == set(manifest["outputs"])
    for name, about in manifest["outputs"].items():
        assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == about["sha256"], name


def test_the_page_is_small(manifest):
    for name, most in BUDGET.items():
        assert manifest["sizes"][name] <= most
    names = manifest["play"]
    assert sum(len(gzip.compress((STATIC / name).read_bytes(), 9)) for name in names) <= BUDGET["play"]


def test_the_page_asks_nobody_else():
    for path in STATIC.glob("*.js"):
        text = path.read_text()
        assert "eval(" not in text
        for word in ("http://", "https://"):
            for at in range(text.count(word)):
                address = text.split(word)[at + 1][:40]
                assert address.startswith(("www.w3.org/", "lit.dev", "${")), address


def test_colours_are_those_of_our_drawings():
    from ludwin.svg import COLOURS

    text = (FRONT / "src" / "colours.css").read_text()
    for name, (light, dark) in COLOURS.items():
        assert text.count(f"--lw-{name}:{light};") >= 2
        assert text.count(f"--lw-{name}:{dark};") >= 2


@pytest.mark.thorough
def test_a_new_build_has_the_same_bytes(tmp_path):
    if not shutil.which("node") or not (FRONT / "node_modules").is_dir():
        pytest.skip("node, or `npm ci` in web/, is missing")
    copy = tmp_path / "tree"
    shutil.copytree(FRONT, copy / "web", symlinks=True, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "web" / "node_modules").symlink_to(FRONT / "node_modules")
    (copy / "src" / "ludwin" / "web").mkdir(parents=True)
    checked = subprocess.run(
        ["node", "node_modules/typescript/bin/tsc", "--noEmit"], cwd=copy / "web", capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout
    subprocess.run(["node", "build.mjs"], cwd=copy / "web", check=True, capture_output=True)
    made = copy / "src" / "ludwin" / "web" / "static"
    assert {path.name: path.read_bytes() for path in made.iterdir()} == {
        path.name: path.read_bytes() for path in STATIC.iterdir()
    }
