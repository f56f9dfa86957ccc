"""Writing a file that the user named on the command line: whole, or refused in one line."""

import argparse
from pathlib import Path

from ludwin.errors import BadParameter
from ludwin.files import write_whole


def save(name: str | Path, text: str) -> None:
    """Write a text to a file; raises BadParameter if that cannot be."""
    path = demand_place(name)
    try:
        write_whole(path, text)
    except OSError as error:
        raise BadParameter(f"cannot write {str(path)!r}: {(error.strerror or str(error)).lower()}") from None


def demand_place(name: str | Path) -> Path:
    """Return the path of a file to write, before the work that fills it; raises BadParameter for none that can be."""
    path = Path(name)
    if path.is_dir():
        raise BadParameter(f"{str(name)!r} is a folder: give the name of a file")
    if not path.parent.is_dir():
        raise BadParameter(f"there is no folder {str(path.parent)!r} to write {path.name!r} to")
    return path


def demand_places(options: argparse.Namespace, *names: str, reads: tuple[str, ...] = ()) -> None:
    """Raise BadParameter, before the work, if what options name cannot be written, or two of them are one file; those
    of `reads` are read.
    """
    taken = {Path(getattr(options, name)).resolve(): name for name in reads if getattr(options, name)}
    for name in names:
        if getattr(options, name):
            path = demand_place(getattr(options, name)).resolve()
            if path in taken:
                raise BadParameter(f"--{taken[path]} and --{name} are one file, {str(getattr(options, name))!r}")
            taken[path] = name


def demand_file(name: str, suffix: str) -> Path:
    """Return the path of a file to write; raises BadParameter for a name that cannot be, or ends otherwise."""
    path = Path(name)
    if path.suffix.lower() != suffix:
        raise BadParameter(f"the name of such a file ends with {suffix}, got {name!r}")
    if path.is_dir() or not path.parent.is_dir():
        raise BadParameter(f"{name!r} cannot be the name of a file: it is a folder, or lies in none")
    return path
