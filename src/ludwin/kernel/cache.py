"""Where compiled code is kept, and how it is found again.

Why it is here.  Compiling a search for a game takes a second or so; loading it takes milliseconds.
Each entry is a folder named after a fingerprint of everything that the code depends on, so that
nothing stale is ever found: an edited rule has another name.

What is found here is run.  So the folder must be the user's own and closed to others (it is made with
mode 700), and whatever is read must belong to the user or to root and be writable by nobody else.  A
folder that is not so is refused in one line, and a private temporary folder serves for the process.

`LUDWIN_CACHE` names another place. Where the place cannot be written (a read-only home, a folder that an
administrator has filled), what is there is used, and what is new goes to a temporary folder: everything
works, only slower.
"""

import atexit
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

OURS = re.compile(r"ludwin_(seen|endgames|shipped|(fast|checked|reference)_.*[0-9a-f]{16,})")
LARGEST = 1 << 28  # bytes; the largest image we have seen has 160 kB
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def announce(line: str) -> None:
    """Tell that a folder is not used and why; the command line puts its own voice here."""


# Which folder.


def _usual() -> str | None:
    """Return where the cache should be, None if that could be anybody's."""
    wanted = os.environ.get("LUDWIN_CACHE")
    if not wanted and os.name != "nt" and "HOME" not in os.environ:
        return None
    try:
        home = Path.home() if not wanted else Path(wanted).expanduser()
    except RuntimeError:  # `~somebody` who is not here
        return None
    if wanted:
        return str(home)
    if sys.platform == "win32":
        return str(Path(os.environ.get("LOCALAPPDATA", home)) / "ludwin" / "cache")
    if sys.platform == "darwin":
        return str(home / "Library" / "Caches" / "ludwin")
    return str(Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "ludwin")


@lru_cache(maxsize=None)
def _trusted(usual: str | None) -> Path | None:
    """Return the usual folder if it is there and what it holds can be run."""
    if usual is None:
        return None
    try:
        place = _make(usual)
        reason = _distrust(place)
    except OSError:
        return None
    if reason:
        announce(f"cache: {place} is not used, because {reason}; a temporary folder serves instead")
        return None
    return place


def _writable(place: Path) -> bool:
    return os.access(place, os.W_OK | os.X_OK)


def _make(wanted: str) -> Path:
    """Return a folder without links in its path, made if need be; what is made is closed to others."""
    place = Path(os.path.realpath(wanted))
    for folder in reversed((place, *place.parents)):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)  # `parents=True` would leave the parents to the umask
    os.scandir(place).close()  # OSError unless it is a folder that we can look into
    return place


_made: dict[str, Path] = {}
_owner: list[int] = []  # the process that has made it


def _temporary() -> Path:
    """Return a folder of this process's own, which goes with it."""
    if "folder" not in _made:
        import tempfile

        _made["folder"] = Path(os.path.realpath(tempfile.mkdtemp(prefix="ludwin-cache-")))
        _owner.append(os.getpid())
        atexit.register(discard)
    return _made["folder"]


def discard() -> None:
    """Remove the temporary folder, if this process has made one; at the end of the process that happens by itself."""
    place = _made.get("folder")
    if place and os.getpid() in _owner:  # not in a forked worker
        import shutil

        shutil.rmtree(place, ignore_errors=True)


def folder() -> Path:
    """Return the cache folder; it exists and can be written."""
    place = _trusted(_usual())
    return place if place and _writable(place) else _temporary()


def is_temporary() -> bool:
    """Tell whether the cache had to be put into a temporary folder."""
    return folder() == _made.get("folder")


# Whom to trust.


def _distrust(place: Path) -> str | None:
    """Return why others could put code into a folder, None if they could not."""
    if not hasattr(os, "geteuid"):  # Windows: a home is closed to others by its access list
        return None
    found = os.stat(place)
    reason = _distrust_file(found)
    if reason:
        return reason
    # Whoever can write a parent can put another folder in this one's place, unless the sticky bit forbids it.
    for parent in place.parents:
        mode = os.stat(parent).st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            return f"everybody can write {parent}"
    return None


def _distrust_file(found: os.stat_result) -> str | None:
    """Return why a file or folder may hold what others wrote, None if it may not."""
    if not hasattr(os, "geteuid"):
        return None
    if found.st_uid not in (os.geteuid(), 0):
        return f"it belongs to user {found.st_uid}, and you are user {os.geteuid()}"
    if found.st_mode & OTHERS_WRITE:
        return "others can write it (`chmod go-w` ends that)"
    return None


# Images.


def read(name: str) -> bytes | None:
    """Return the image of an entry, None if there is none that can be trusted."""
    # What this process itself has written comes first: it did so because the other was missing or bad.
    for place in (_made.get("folder"), _trusted(_usual())):
        found = _read(place / _proper(name)) if place else None
        if found is not None:
            return found
    return None


def _read(entry: Path) -> bytes | None:
    """Return the image in an entry's folder if folder and file are real and ours."""
    nofollow = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not hasattr(os, "O_DIRECTORY"):  # Windows
            return (entry / "image").read_bytes()
        inside = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | nofollow)
        try:
            if _distrust_file(os.fstat(inside)):
                return None
            # Not to wait: a pipe in its place would keep us for ever.
            handle = os.open("image", os.O_RDONLY | os.O_NONBLOCK | nofollow, dir_fd=inside)
        finally:
            os.close(inside)
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or _distrust_file(found) or found.st_size > LARGEST:
                return None
            return file.read()
    except OSError:
        return None


def write(name: str, blob: bytes) -> None:
    """Keep an image, whole or not at all; where that is impossible, go on without.

    The caller holds the entry's lock.
    """
    for place in (folder(), None):
        try:
            _write((place or _temporary()) / _proper(name), blob)
            return
        except OSError:  # the disk is full, or the entry's folder is not what we would have made
            continue


def _write(entry: Path, blob: bytes) -> None:
    import tempfile

    _enter(entry)
    handle, beside = tempfile.mkstemp(dir=entry, prefix="image-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(blob)
        os.replace(beside, entry / "image")
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _enter(entry: Path) -> None:
    """Make an entry's folder, or see that it is as we make it (OSError)."""
    entry.mkdir(mode=0o700, exist_ok=True)
    found = os.lstat(entry)
    if not stat.S_ISDIR(found.st_mode) or _distrust_file(found):
        raise PermissionError(f"{entry} is not closed to others")


def _proper(name: str) -> str:
    assert name and name not in (".", "..") and not re.search(r"[/\\\0]", name), f"{name!r} is no name of an entry"
    return name


def write_once(path: Path, text: str) -> None:
    """Write a file so that it appears whole or not at all; the first writer wins."""
    if path.exists():
        return
    import tempfile

    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf8") as file:
            file.write(text)
        try:
            os.link(name, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links
            os.replace(name, path)
            return
    finally:
        Path(name).unlink(missing_ok=True)


@contextmanager
def lock(entry: str | Path) -> Iterator[None]:
    """Let one process at a time compile an entry, given by name or folder; the others load what it has written."""
    try:
        import fcntl
    except ImportError:  # Windows: both compile, both write the same
        yield
        return
    handle = _lock_file(entry)
    try:
        if handle is not None:
            with suppress(OSError):  # a file system without locks: as on Windows
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock_file(entry: str | Path) -> int | None:
    """Open an entry's lock, or that of its stand-in in the temporary folder; None if neither can be."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    if isinstance(entry, Path):
        return os.open(entry / "lock", flags, 0o600)
    for place in (folder(), None):
        try:
            home = (place or _temporary()) / _proper(entry)
            _enter(home)
            return os.open(home / "lock", flags, 0o600)
        except OSError:
            continue
    return None


# For people.


def entries() -> list[tuple[str, int]]:
    """Return the cached entries and their sizes in bytes, sorted by name."""
    found = []
    for entry in sorted(folder().iterdir()):
        if entry.is_dir() and OURS.fullmatch(entry.name):  # the folder may be shared with other things
            found.append((entry.name, sum(_size(file) for file in entry.rglob("*"))))
    return found


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:  # another process has just removed it
        return 0


def clear() -> int:
    """Remove all entries and return how many bytes that freed."""
    import shutil

    freed = 0
    for name, size in entries():
        shutil.rmtree(folder() / name, ignore_errors=True)
        freed += size
    return freed
