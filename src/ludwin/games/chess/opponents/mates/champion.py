"""The mate searches that were bred here: `data/mates-champion.txt` and `mates-practical.txt`; each tells its run."""

from functools import lru_cache
from pathlib import Path

from ludwin.games.chess.opponents.mates.language import searches
from ludwin.program.text import read
from ludwin.program.tree import Tree

DATA = Path(__file__).parent.parent.parent / "data"
FILES = {"practical": "mates-practical.txt"}  # by pool; all others have the first


@lru_cache(maxsize=4)
def champion(pool: str = "composed") -> Tree:
    """Return the program for a pool."""
    lines = (DATA / FILES.get(pool, "mates-champion.txt")).read_text(encoding="utf8").splitlines()
    return read(searches(), " ".join(line for line in lines if not line.startswith("#")))
