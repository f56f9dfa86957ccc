"""Finished machine code: how it is stored, and how it is called without a compiler.

Why it is here.  A compiled search is a few kilobytes that call nothing but the C library.  Importing a compiler to run
them again would cost a third of a second; this file needs only the standard library, and a few hundred microseconds.

An image is one file: magic, length of the index, the index as JSON, code and constants (`fixed`), address slots
(`data`), SHA-256 of all that.  In memory `data` begins `data_offset(len(fixed))` bytes behind the first byte of
`fixed`, and code finds everything relative to itself.  What must be known as an address is in slots: `bases` are slots
for places inside the image, `imports` for functions of the C library.  They are filled once; then nothing of it can be
written.

The hash finds damage, not malice: `ludwin.kernel.cache` sees to it that nobody else wrote the file.  Still, everything
in the index is examined before it is used, so that a wrong file is refused instead of writing somewhere.

The entry's machine signature is `int64 entry(void *back, …)`: it returns 0 and leaves its result at `back`, or it
returns the number of a fault.  Each letter of `signature` is one argument: `p` a pointer, `q` an int64, `d` a double;
in checked code the number of rows behind a pointer follows it as an int64.
"""

import ctypes
import json
import mmap
import os
import re
import struct
import sys
from ctypes import byref, c_double, c_int64
from dataclasses import dataclass
from functools import lru_cache
from operator import index as whole
from typing import Any

from ludwin.formats import decode
from ludwin.rules.source import hashed

MAGIC = b"LUDWIN\x02\n"
FORMAT, VERSION = "ludwin-image", 1
SEGMENT = 65536  # a multiple of every page size of x86-64 and aarch64, so that code and data can be protected apart
LOWEST, HIGHEST = -(2**63), 2**63 - 1
MOST_ARGUMENTS = 255  # ctypes passes at most 1024

# What compiled code may call: the C library's mathematics, and copying. Nothing here can reach a file or a process.
MATHEMATICS = """acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh erf erfc exp expm1 fabs floor fmod hypot log
exp2 log10 log1p log2 pow sin sinh sqrt tan tanh trunc"""
ALLOWED = frozenset([*MATHEMATICS.split(), "memcpy", "memmove", "memset"])

# Buffers whose items are 64-bit cells, or plain bytes. Objects and 32-bit numbers would be read as something else.
CELLS = {"q", "Q", "d", "<q", "<Q", "<d", "B", "b", "c"}
if struct.calcsize("l") == 8:
    CELLS |= {"l", "L", "<l", "<L"}

KEYS = {"target", "entry", "bases", "imports", "signature", "rows", "result", "checked", "about", "name", "faults"}


class BadImage(ValueError):
    """Not an image, damaged, or for another machine; the way out is to compile again."""


class NoExecution(OSError):
    """This system does not run code that was made on it; the way out is plain mode."""


class Fault(Exception):
    """Compiled code stopped; `number - 1` is the place in the index's list of faults."""

    def __init__(self, number: int):
        super().__init__(f"fault {number} in compiled code")
        self.number = number


# The machine.


@lru_cache(maxsize=None)
def target() -> str:
    """Return what this machine runs, as `x86_64-linux` or `aarch64-linux`."""
    if hasattr(os, "uname"):
        machine = os.uname().machine  # `platform` says the same, and takes milliseconds to import
    else:
        import platform

        machine = platform.machine()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine.lower(), machine.lower())
    if sys.maxsize < 2**32:
        machine += "_32"  # a 32-bit Python on a 64-bit kernel
    return f"{machine}-{'windows' if sys.platform == 'win32' else sys.platform}"


def supported() -> bool:
    """Tell whether `load` knows this kind of machine; elsewhere `ludwin.kernel.link.load_object` does the same."""
    return target() in ("x86_64-linux", "aarch64-linux")


@lru_cache(maxsize=None)
def _missing() -> frozenset[str]:
    """Return what images need (x86-64-v2) and this processor lacks; nothing if it cannot be known."""
    if not target().startswith("x86_64"):
        return frozenset()
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("flags"):
                    return frozenset({"popcnt", "sse4_2"} - set(line.split()))
    except OSError:
        pass
    return frozenset()


@lru_cache(maxsize=None)
def address_of(name: str) -> int:
    """Return where a function of the C library is; NoExecution if it has none of this name."""
    assert name in ALLOWED, name
    for library in ("ucrtbase",) if sys.platform == "win32" else (None, "libm.so.6"):
        try:
            found = ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value
        except (OSError, AttributeError):
            continue
        if found:
            return found
    raise NoExecution(f"the C library of this system has no {name}")


def _protect(address: int, size: int, protection: int) -> None:
    """Set what may be done with pages of memory."""
    function = ctypes.CDLL(None, use_errno=True).mprotect
    function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int], ctypes.c_int
    if function(address, size, protection):
        number = ctypes.get_errno()
        raise NoExecution(number, f"this system does not allow compiled code in memory ({os.strerror(number)})")


def _flush(address: int, size: int) -> None:
    """Let the processor see new code where its caches do not notice by themselves (aarch64)."""
    try:
        clear = getattr(ctypes.CDLL("libgcc_s.so.1"), "__clear_cache")
    except (OSError, AttributeError):
        return  # then it is left to the kernel, which does it when a page becomes executable
    clear(ctypes.c_void_p(address), ctypes.c_void_p(address + size))


# The file.


def data_offset(fixed: int) -> int:
    """Return where data begins in memory behind so many bytes of code and constants."""
    return -(-fixed // SEGMENT) * SEGMENT


@dataclass(frozen=True)
class Image:
    """Code and constants, address slots, and an index that says what they are."""

    index: dict[str, Any]
    fixed: bytes
    data: bytes

    def pack(self) -> bytes:
        """Return the file: the same image gives the same bytes. BadImage if the index is not in order."""
        examine(self)
        try:
            sizes = [len(self.fixed), len(self.data)]
            head = _text({**self.index, "format": FORMAT, "version": VERSION, "sizes": sizes})
        except (TypeError, ValueError, RecursionError) as error:
            raise BadImage(f"the index cannot be written: {error}") from None
        body = MAGIC + struct.pack("<q", len(head)) + head + self.fixed + self.data
        return body + hashed(body)


def _text(index: dict[str, Any]) -> bytes:
    return json.dumps(index, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def unpack(blob: bytes) -> Image:
    """Return the image in a file's bytes; BadImage says what is wrong with them."""
    _demand(len(blob) >= len(MAGIC) + 8 + 32, f"{len(blob)} bytes are too few")
    _demand(blob[: len(MAGIC)] == MAGIC, "it does not begin like an image of this version")
    _demand(hashed(blob[:-32]) == blob[-32:], "it is damaged (its hash differs)")
    (size,) = struct.unpack_from("<q", blob, len(MAGIC))
    start = len(MAGIC) + 8
    _demand(0 <= size <= len(blob) - 32 - start, "its index is longer than the file")
    head = blob[start : start + size]
    try:
        index = decode(head.decode("ascii"))
        canonical = _text(index) == head if isinstance(index, dict) else False
    except (ValueError, RecursionError):
        raise BadImage("an image cannot be used: its index cannot be read") from None
    _demand(canonical, "its index is not written as we write it")  # so no key is there twice
    _demand(index.pop("format", None) == FORMAT, "its index is of another format")
    version = index.pop("version", None)
    _demand(_is_int(version) and version == VERSION, f"its index is of version {version!r:.20}")
    sizes = index.pop("sizes", None)
    _demand(isinstance(sizes, list) and len(sizes) == 2, "it has no sizes")
    _demand(all(_is_int(n) and n >= 0 for n in sizes), "its sizes are not sizes")
    start += size
    _demand(start + sum(sizes) + 32 == len(blob), "its sizes do not add up")
    image = Image(index, blob[start : start + sizes[0]], blob[start + sizes[0] : -32])
    examine(image)
    return image


def examine(image: Image) -> None:
    """Raise BadImage unless everything in the index has the right type and points into the image."""
    index = image.index
    _demand(isinstance(index, dict) and set(index) == KEYS, "its index has not the keys that it should have")
    _demand(_is_text(index["target"], r"[a-z0-9_]+-[a-z0-9_]+"), "its target is not a machine")
    _demand(_is_text(index["name"], r"[^/\\\x00]{1,255}"), "its name is not a name")
    _demand(type(index["checked"]) is bool, "`checked` is neither true nor false")
    _demand(_is_text(index["result"], "[qdn]"), "its result is of no known kind")
    _demand(_is_text(index["signature"], rf"[pqd]{{0,{MOST_ARGUMENTS}}}"), "its signature has unknown letters")
    rows = index["rows"]
    _demand(isinstance(rows, list) and len(rows) == len(index["signature"]), "its rows are not those of its signature")
    for letter, row in zip(index["signature"], rows, strict=True):
        _demand(_is_int(row) and (0 < row < 2**31 if letter == "p" else row == 0), "a row has an impossible width")
    about, faults = index["about"], index["faults"]
    texts = isinstance(about, dict) and all(isinstance(text, str) for pair in about.items() for text in pair)
    _demand(texts, "`about` is not texts")
    _demand(isinstance(faults, list) and all(isinstance(fault, list) for fault in faults), "its faults are not lists")
    entry = index["entry"]
    _demand(_is_int(entry) and 0 <= entry < len(image.fixed), "its entry is outside of its code")
    _demand(entry % 4 == 0 or not index["target"].startswith("aarch64"), "its entry is between two instructions")
    _examine_slots(image)


def _examine_slots(image: Image) -> None:
    index, fixed, data = image.index, len(image.fixed), len(image.data)
    start = data_offset(fixed)
    places = []
    for key in ("bases", "imports"):
        slots = index[key]
        pairs = isinstance(slots, list) and all(isinstance(s, list) and len(s) == 2 for s in slots)
        _demand(pairs, f"`{key}` are not pairs")
        places += [slot[0] for slot in slots]
    for place in places:
        _demand(_is_int(place) and start <= place <= start + data - 8, "a slot is outside of its data")
        _demand(place % 8 == 0, "a slot is not aligned")
    _demand(len(set(places)) == len(places), "a slot is named twice")
    for _, to in index["bases"]:
        _demand(_is_int(to) and (0 <= to <= fixed or start <= to <= start + data), "a slot points out of the image")
    for _, name in index["imports"]:
        _demand(isinstance(name, str) and name in ALLOWED, f"it calls {name!r:.40}, which an image may not")


def _demand(condition: bool, reason: str) -> None:
    if not condition:
        raise BadImage(f"an image cannot be used: {reason}")


def _is_int(value: object) -> bool:
    return type(value) is int  # True is no number here


def _is_text(value: object, pattern: str) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


# In memory.


def load(image: Image) -> "LoadedCode":
    """Put an image into memory, ready to be called.

    Raises BadImage if it is not in order or for another machine, NoExecution if this system will not run it.
    """
    examine(image)
    if not supported():
        raise NoExecution(f"there is no loader for {target()}")
    _demand(image.index["target"] == target(), f"it is for {image.index['target']}, this is {target()}")
    if _missing():
        raise NoExecution(f"this processor lacks {' and '.join(sorted(_missing()))}")
    start = data_offset(len(image.fixed))
    try:  # private: a forked child never sees what is written here, nor writes what we see
        memory = mmap.mmap(-1, start + len(image.data), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise NoExecution(error.errno, f"there is no memory for compiled code ({error.strerror})") from None
    memory[: len(image.fixed)] = image.fixed
    memory[start : start + len(image.data)] = image.data
    pin = ctypes.c_char.from_buffer(memory)  # while this lives the map cannot be closed
    base = ctypes.addressof(pin)
    for place, to in image.index["bases"]:
        struct.pack_into("<Q", memory, place, base + to)
    for place, name in image.index["imports"]:
        struct.pack_into("<Q", memory, place, address_of(name))
    if target().startswith("aarch64"):
        _flush(base, start)
    _protect(base, start, mmap.PROT_READ | mmap.PROT_EXEC)
    if image.data:
        _protect(base + start, len(image.data), mmap.PROT_READ)
    return LoadedCode(image.index, base + image.index["entry"], pin)


_nothing = (ctypes.c_char * 0).from_buffer  # a pointer to any writable, contiguous buffer, which it keeps alive


class LoadedCode:
    """Compiled code in memory: call it with what the signature says."""

    def __init__(self, index: dict[str, Any], address: int, keep: object):
        """Take the address of the entry; `keep` is what must live as long as the code."""
        self.index = index
        self.keep = keep
        signature = index["signature"]
        where = {kind: [k for k, letter in enumerate(signature, 1) if letter == kind] for kind in "pqd"}
        self._pointers, self._integers, self._doubles = where["p"], where["q"], where["d"]
        self._rows = [8 * index["rows"][k - 1] for k in self._pointers]  # in bytes
        self._checked = index["checked"]
        self._count = len(signature)
        self._back = c_double if index["result"] == "d" else c_int64
        self._silent = index["result"] == "n"
        self._function = ctypes.CFUNCTYPE(c_int64)(address)  # releases the interpreter's lock while it runs

    def __call__(self, *args: Any) -> Any:
        """Run the entry and return its result.

        A pointer is anything with a writable, contiguous buffer of 64-bit cells or bytes, or an object whose
        `buffer` is that. Raises Fault if the code stops, TypeError or OverflowError if an argument does not fit.
        """
        # Every argument becomes an object of ctypes, and no type is declared. Twelve arguments take 3.7 µs so; one loop
        # over the letters takes 0.5 µs more, declared types 1 µs more.
        if len(args) != self._count:
            raise TypeError(f"compiled code takes {self._count} arguments ({self.index['signature']}), got {len(args)}")
        back = self._back()
        given: list[Any] = [byref(back), *args]
        k, sizes, checked = 0, [], self._checked
        try:
            for k in self._pointers:
                value = given[k]
                if type(value) is not memoryview:
                    value = memoryview(getattr(value, "buffer", value))
                if checked:
                    sizes.append(value.nbytes)
                if value.format not in CELLS:
                    raise TypeError(f"its items are of format {value.format!r}, not 64-bit cells")
                given[k] = _nothing(value)
            for k in self._integers:
                value = whole(given[k])
                if not LOWEST <= value <= HIGHEST:
                    raise OverflowError(f"{value} does not fit into 64 bits")
                given[k] = c_int64(value)
            for k in self._doubles:
                given[k] = c_double(given[k])
        except (TypeError, ValueError, OverflowError, BufferError) as error:
            kind = OverflowError if isinstance(error, OverflowError) else TypeError
            raise kind(f"argument {k} of compiled code: {error}") from None
        if checked:
            for k, size, row in reversed(list(zip(self._pointers, sizes, self._rows, strict=True))):
                given.insert(k + 1, c_int64(size // row))  # how many whole rows there are
        status = self._function(*given)
        if status:
            raise Fault(status)
        return None if self._silent else back.value
