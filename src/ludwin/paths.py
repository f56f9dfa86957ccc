"""Names of files as people type them: `~` is their home, and a name that no file can have is that of no file.

Why it is here.  `~nobody`, a name of 400 letters or one with a NUL in it make Python raise errors of three kinds where
the question was only whether there is a file.
"""

import shutil
from pathlib import Path

DEBIAN_GAMES = "/usr/games"  # where Debian puts games and engines, which not every search path has


def typed(name: str | Path) -> Path:
    """Return the path that a name means; `~somebody` who is not here stays as it is.

    >>> str(typed("~nobody-at-all/x.py"))
    '~nobody-at-all/x.py'
    """
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def is_file(path: Path) -> bool:
    """Tell whether there is such a file.

    >>> is_file(Path("x" * 400)), is_file(Path(__file__))
    (False, True)
    """
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_dir(path: Path) -> bool:
    """Tell whether there is such a folder.

    >>> is_dir(Path("x" * 400)), is_dir(Path(__file__).parent)
    (False, True)
    """
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def find_program(name: str) -> str | None:
    """Return where a program is: on the search path or, if it is not there, among Debian's games. None if nowhere.

    >>> find_program("no-such-program")
    """
    return shutil.which(name) or shutil.which(name, path=DEBIAN_GAMES)
