"""What tests of evolved players share: a small game with queries, in a file."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from evolve_heaps import TEXT


@pytest.fixture(scope="session")
def heaps(tmp_path_factory):
    """Return the path of the game's file."""
    path = tmp_path_factory.mktemp("evolve") / "heaps.py"
    path.write_text(TEXT, encoding="utf8")
    return str(path)
