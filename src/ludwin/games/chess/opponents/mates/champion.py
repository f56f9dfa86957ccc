"""The mate searches that were bred here: `data/mates-champion.txt`, `mates-practical.txt` and, from random programs
alone, `mates-unaided.txt`; each tells its run.
"""

from functools import lru_cache
from pathlib import Path

from ludwin.games.chess.opponents.mates.language import searches
from ludwin.program.text import read
from ludwin.program.tree import Tree

DATA = Path(__file__).parent.parent.parent / "data"
FILES = {"practical": "mates-practical.txt"}  # by pool; all others have the first


def champion(pool: str = "composed") -> Tree:
    """Return the program for a pool; solvers by hand were among its forebears."""
    return _bred(FILES.get(pool, "mates-champion.txt"))


def unaided() -> Tree:
    """Return the program whose forebears were all drawn at random."""
    return _bred("mates-unaided.txt")


@lru_cache(maxsize=4)
def _bred(name: str) -> Tree:
    lines = (DATA / name).read_text(encoding="utf8").splitlines()
    return read(searches(), " ".join(line for line in lines if not line.startswith("#")))
