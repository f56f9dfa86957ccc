"""Images that come with the package: many in one file, found by name.

Why it is here.  Whoever installs the package should not wait for code that somebody else can compile for all.  A
release brings one file per kind of machine in `ludwin/images`, made by `python -m ludwin.cli.ship`; a working copy has
none, and nothing depends on it.  An image in it is used only if its name is the fingerprint of what is asked for, so a
file of another version is merely useless.

The file is a magic, the length of the index as 8 bytes, the index as JSON (name -> place and size), and the images as
they are: the wheel compresses them, and each has its own hash.  A zip would do the same; to read one of 91 images out
of it with `zipfile` took 5.7 ms of CPU time, this takes 0.4 ms.
"""

import json
import os
import struct
from collections.abc import Mapping
from functools import lru_cache

from ludwin.formats import decode
from ludwin.rules.source import hashed

MAGIC = b"LUDWIN images 1\n"
MOST = 1 << 24  # bytes of an index; ours has some 20 kB


def file_name(machine: str) -> str:
    """Return how the file of a kind of machine is called.

    >>> file_name("x86_64-linux")
    'x86_64-linux.images'
    """
    return f"{machine}.images"


def pack(images: Mapping[str, bytes]) -> bytes:
    """Return the file of some images; the same images give the same bytes."""
    index, at = {}, 0
    for name in sorted(images):
        index[name] = [at, len(images[name])]
        at += len(images[name])
    head = json.dumps(index, separators=(",", ":")).encode("ascii")
    body = b"".join(images[name] for name in sorted(images))
    return MAGIC + struct.pack("<q", len(head)) + head + hashed(head) + body


def read(path: str, name: str) -> bytes | None:
    """Return the image of a name; None if the file is not there, damaged, or has no such image."""
    index, start = _index(path)
    if name not in index:
        return None
    try:
        at, size = index[name]
        with open(path, "rb") as file:
            file.seek(start + at)
            return file.read(size)
    except (OSError, TypeError, ValueError):
        return None


def names(path: str) -> list[str]:
    """Return the names of the images in a file."""
    return list(_index(path)[0])


@lru_cache(maxsize=4)
def _index(path: str) -> tuple[dict[str, list[int]], int]:
    """Return the index of a file, and where its images begin."""
    try:
        with open(path, "rb") as file:
            top = file.read(len(MAGIC) + 8)
            (size,) = struct.unpack("<q", top[len(MAGIC) :])
            if not top.startswith(MAGIC) or not 0 <= size <= min(MOST, os.fstat(file.fileno()).st_size):
                return {}, 0
            head, mark = file.read(size), file.read(32)
        if hashed(head) != mark:
            return {}, 0
        index = decode(head)
    except (OSError, ValueError, struct.error):
        return {}, 0
    return (index, len(top) + size + 32) if isinstance(index, dict) else ({}, 0)
