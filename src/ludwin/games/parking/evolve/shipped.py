"""The hard boards that ship, as files of lines: steps, slides, board."""

from pathlib import Path

HARD = Path(__file__).parent.parent / "data" / "hard.txt"
LARGE = Path(__file__).parent.parent / "data" / "large.txt"
DRAWN = Path(__file__).parent.parent / "data" / "drawn.txt"
BRED = Path(__file__).parent.parent / "data" / "bred.txt"


def listed(path: Path) -> tuple[tuple[str, int], ...]:
    """Return the boards of a file with their steps."""
    lines = [line.split() for line in path.read_text(encoding="utf8").splitlines() if not line.startswith("#")]
    return tuple((words[2], int(words[0])) for words in lines)
