"""Files that are whole or not there, and files that one process writes at a time.

Why it is here.  Results, champions, derivations and records are promised to survive a `kill -9`; that
promise is kept in one place.
"""

import errno
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self

BESIDE = ".ludwin-"  # how the names of unfinished files begin
IN_USE = "in-use"  # the file in a spare folder that its process keeps locked
LOCK_SECONDS = 3.0  # a process that was killed lets go of its files within this time


def write_whole(path: Path, text: str) -> None:
    """Write a file beside its place and rename it: it is there whole or not at all.

    A link's target is written, not the link; a device or pipe is no place for a file (OSError).
    """
    import tempfile

    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not an ordinary file", str(path))
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=BESIDE)
    except OSError as error:  # people know the file, not what is written beside it
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "w", encoding="utf8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def open_log(path: Path) -> BinaryIO:
    """Open a file to append to, which is made if there is none. Raises OSError for a link, a pipe or a device.

    What lies in a folder may come from a stranger: a link there would have us write to another file.
    """
    handle = os.open(
        path,
        os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0),
        0o666,
    )
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not an ordinary file", str(path))
    return os.fdopen(handle, "ab")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def lock(file: BinaryIO, refusal: Exception) -> None:
    """Keep other processes away from an open file; if one has it, close the file and raise the refusal."""
    try:
        import fcntl
    except ImportError:  # Windows keeps no such lock
        return
    give_up = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > give_up:
                file.close()
                raise refusal from None
            time.sleep(0.05)
        except OSError:  # a file system without locks
            return


class SpareFolder:
    """A folder among the system's temporary ones, for as long as this process lives; `remove` takes it away.

    A process that is killed removes nothing.  But the system lets go of its locks, so the next one that wants a folder
    with this beginning finds those that nobody has locked any more, and clears them away.
    """

    def __init__(self, beginning: str):
        import tempfile

        sweep(Path(tempfile.gettempdir()), beginning)
        self.path = Path(tempfile.mkdtemp(prefix=beginning))
        new = self.path / f"{IN_USE}.new"
        self.file = open(new, "wb")  # noqa: SIM115  (until `remove`)
        if _locks(self.file):  # only then it gets its name: nobody ever sees it without its lock
            os.replace(new, self.path / IN_USE)

    def remove(self) -> None:
        """Remove it with all that is in it."""
        import shutil

        shutil.rmtree(self.path, ignore_errors=True)
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.remove()


def sweep(among: Path, beginning: str) -> None:
    """Remove the spare folders of this user's processes that have died."""
    import shutil

    for folder in among.glob(f"{beginning}*"):
        with suppress(OSError):
            about = folder.lstat()
            if not stat.S_ISDIR(about.st_mode) or (hasattr(os, "getuid") and about.st_uid != os.getuid()):
                continue
            handle = os.open(folder / IN_USE, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            with os.fdopen(handle, "r+b") as file:
                if _locks(file):
                    shutil.rmtree(folder, ignore_errors=True)


def _locks(file: BinaryIO) -> bool:
    """Try to lock an open file, and tell whether it is locked now."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # Windows, a file system without locks, or somebody has it
        return False
    return True
