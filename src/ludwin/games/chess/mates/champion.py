"""The mate search that was bred here: its program, from `data/mates-champion.txt`, which says by which run."""

from functools import lru_cache
from pathlib import Path

from ludwin.games.chess.mates.language import searches
from ludwin.program.text import read
from ludwin.program.tree import Tree

FILE = Path(__file__).parent.parent / "data" / "mates-champion.txt"


@lru_cache(maxsize=1)
def champion() -> Tree:
    """Return the program."""
    lines = FILE.read_text(encoding="utf8").splitlines()
    return read(searches(), " ".join(line for line in lines if not line.startswith("#")))
