"""Finished code: whole, examined, never writable while it runs; and where it is kept, nobody else writes."""

import copy
import ctypes
import hashlib
import json
import math
import os
import random
import shutil
import struct
import tempfile
import threading
from pathlib import Path

import pytest

from ludwin.kernel import cache, image
from ludwin.kernel.image import (
    BadImage,
    Fault,
    Image,
    LoadedCode,
    NoExecution,
    data_offset,
    load,
    supported,
    target,
    unpack,
)
from ludwin.kernel.memory import Rows, floats, ints

FIXED = bytes(range(200))
DATA = bytes(24)
SLOTS = data_offset(len(FIXED))
INDEX = {
    "target": target(),
    "entry": 16,
    "bases": [[SLOTS, 64], [SLOTS + 8, SLOTS + 24]],
    "imports": [[SLOTS + 16, "log"]],
    "signature": "pqdp",
    "rows": [3, 0, 0, 1],
    "result": "q",
    "checked": True,
    "about": {"game": "chomp", "kernel": "größe"},
    "name": "ludwin_fast_chomp_0123456789abcdef",
    "faults": [["index", 0, 12], ["division", 1, 7, "x"]],
}
EXAMPLE = Image(INDEX, FIXED, DATA)


def changed(**values) -> dict:
    return {**copy.deepcopy(INDEX), **values}


def forged(index, fixed: bytes = FIXED, data: bytes = DATA, magic: bytes = image.MAGIC, **more) -> bytes:
    """Return a file with a right hash, whatever its index says."""
    if isinstance(index, dict):
        whole = {"format": "ludwin-image", "version": 1, "sizes": [len(fixed), len(data)], **index, **more}
        index = {key: value for key, value in whole.items() if value is not ...}
    head = json.dumps(index, sort_keys=True, separators=(",", ":")).encode()
    return hashed(magic + struct.pack("<q", len(head)) + head + fixed + data)


def hashed(body: bytes) -> bytes:
    return body + hashlib.sha256(body).digest()


# The file.


def test_what_is_packed_is_what_is_unpacked():
    assert unpack(EXAMPLE.pack()) == EXAMPLE
    assert forged(INDEX) == EXAMPLE.pack()  # the format, written down a second time


def test_packing_is_the_same_whatever_the_order_of_keys():
    backwards = Image(dict(reversed(INDEX.items())), FIXED, DATA)
    assert backwards.pack() == EXAMPLE.pack()


def test_no_byte_can_be_changed():
    blob = EXAMPLE.pack()
    for place in range(len(blob)):
        spoilt = bytearray(blob)
        spoilt[place] ^= 1 << place % 8
        with pytest.raises(BadImage):
            unpack(bytes(spoilt))


def test_no_part_can_be_missing_or_added():
    blob = EXAMPLE.pack()
    for size in range(len(blob)):
        with pytest.raises(BadImage):
            unpack(blob[:size])
    with pytest.raises(BadImage):
        unpack(blob + b"\0")


# Each has a right hash: (what to change, what is said). `...` means that the key is missing.
FORGERIES = {
    "a slot before data": (changed(bases=[[SLOTS - 8, 0]]), "outside of its data"),
    "a slot in code": (changed(bases=[[0, 0]]), "outside of its data"),
    "a slot behind data": (changed(bases=[[SLOTS + 24, 0]]), "outside of its data"),
    "a slot half behind data": (changed(bases=[[SLOTS + 20, 0]]), "outside of its data"),
    "a slot far behind data": (changed(imports=[[2**62, "log"]]), "outside of its data"),
    "a slot beyond 64 bits": (changed(imports=[[10**30, "log"]]), "outside of its data"),
    "a negative slot": (changed(bases=[[-8, 0]]), "outside of its data"),
    "a slot between slots": (changed(imports=[[SLOTS + 4, "log"]]), "not aligned"),
    "a slot that is a bool": (changed(bases=[[True, 0]]), "outside of its data"),
    "a slot that is a float": (changed(bases=[[float(SLOTS), 0]]), "outside of its data"),
    "a slot that is a text": (changed(bases=[[str(SLOTS), 0]]), "outside of its data"),
    "a slot of two": (changed(bases=[[SLOTS, 0], [SLOTS, 8]]), "named twice"),
    "a slot of a base and an import": (changed(bases=[[SLOTS + 16, 0]]), "named twice"),
    "a base of one number": (changed(bases=[[SLOTS]]), "not pairs"),
    "a base that is no list": (changed(bases=[SLOTS]), "not pairs"),
    "bases that are no list": (changed(bases={"0": 0}), "not pairs"),
    "no bases": (changed(bases=None), "not pairs"),
    "a base in the gap": (changed(bases=[[SLOTS, len(FIXED) + 1]]), "points out"),
    "a base behind the end": (changed(bases=[[SLOTS, SLOTS + 25]]), "points out"),
    "a negative base": (changed(bases=[[SLOTS, -1]]), "points out"),
    "a huge base": (changed(bases=[[SLOTS, 2**64]]), "points out"),
    "a base that is a bool": (changed(bases=[[SLOTS, False]]), "points out"),
    "an import of system": (changed(imports=[[SLOTS, "system"]], bases=[]), "calls 'system'"),
    "an import of nothing": (changed(imports=[[SLOTS, ""]], bases=[]), "calls ''"),
    "an import that is a list": (changed(imports=[[SLOTS, ["log"]]], bases=[]), "which an image may not"),
    "an import that is a number": (changed(imports=[[SLOTS, 5]], bases=[]), "calls 5"),
    "an import with an addend": (changed(imports=[[SLOTS, "log", 8]], bases=[]), "not pairs"),
    "an entry behind code": (changed(entry=len(FIXED)), "entry is outside"),
    "an entry in data": (changed(entry=SLOTS), "entry is outside"),
    "a negative entry": (changed(entry=-1), "entry is outside"),
    "a huge entry": (changed(entry=2**63), "entry is outside"),
    "an entry that is a bool": (changed(entry=True), "entry is outside"),
    "an entry that is a float": (changed(entry=16.0), "entry is outside"),
    "an entry that is nothing": (changed(entry=None), "entry is outside"),
    "a crooked entry for aarch64": (changed(target="aarch64-linux", entry=18), "between two instructions"),
    "an unknown letter": (changed(signature="pqdz"), "unknown letters"),
    "a letter with a line": (changed(signature="pqd\n"), "unknown letters"),
    "a signature that is a list": (changed(signature=["p", "q", "d", "p"]), "unknown letters"),
    "too long a signature": (changed(signature="q" * 256, rows=[0] * 256), "unknown letters"),
    "too few rows": (changed(rows=[3, 0, 0]), "not those of its signature"),
    "rows that are no list": (changed(rows="3001"), "not those of its signature"),
    "a pointer without a row": (changed(rows=[0, 0, 0, 1]), "impossible width"),
    "a negative row": (changed(rows=[-3, 0, 0, 1]), "impossible width"),
    "a huge row": (changed(rows=[2**31, 0, 0, 1]), "impossible width"),
    "a number with a row": (changed(rows=[3, 1, 0, 1]), "impossible width"),
    "a row that is a bool": (changed(rows=[True, 0, 0, 1]), "impossible width"),
    "a row of zero that is a bool": (changed(rows=[3, False, 0, 1]), "impossible width"),
    "an unknown result": (changed(result="p"), "no known kind"),
    "two results": (changed(result="qd"), "no known kind"),
    "a result that is nothing": (changed(result=None), "no known kind"),
    "checked by a number": (changed(checked=1), "neither true nor false"),
    "about a list": (changed(about=["chomp"]), "not texts"),
    "about a number": (changed(about={"game": 5}), "not texts"),
    "a name with a folder": (changed(name="../../x"), "not a name"),
    "an empty name": (changed(name=""), "not a name"),
    "a name that is a number": (changed(name=5), "not a name"),
    "faults that are no list": (changed(faults={}), "not lists"),
    "a fault that is no list": (changed(faults=["index"]), "not lists"),
    "a target that is no text": (changed(target=None), "not a machine"),
    "a target with a folder": (changed(target="../x86_64-linux"), "not a machine"),
    "another key": (changed(more=1), "not the keys"),
    **{f"no {key}": (changed(**{key: ...}), "not the keys") for key in INDEX},
    "another format": (changed(format="ludwin-tree"), "another format"),
    "no format": (changed(format=...), "another format"),
    "another version": (changed(version=2), "version 2"),
    "a version that is a bool": (changed(version=True), "version True"),
    "no version": (changed(version=...), "version None"),
    "no sizes": (changed(sizes=...), "no sizes"),
    "sizes that are too large": (changed(sizes=[201, 24]), "do not add up"),
    "sizes that are huge": (changed(sizes=[2**63, 24]), "do not add up"),
    "sizes that are negative": (changed(sizes=[232, -8]), "not sizes"),
    "sizes that are floats": (changed(sizes=[200.0, 24]), "not sizes"),
    "one size": (changed(sizes=[224]), "no sizes"),
    "a list as index": ([INDEX], "not written as we write it"),
    "a number as index": (5, "not written as we write it"),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_index_is_refused_though_its_hash_is_right(what):
    index, words = FORGERIES[what]
    with pytest.raises(BadImage, match=words):
        unpack(forged(index))


OUTSIDE = {"format", "version", "sizes"}  # what only the file has


@pytest.mark.parametrize("what", [w for w, (i, _) in FORGERIES.items() if isinstance(i, dict) and not OUTSIDE & {*i}])
def test_what_would_be_refused_is_neither_packed_nor_loaded(what):
    index = {key: value for key, value in FORGERIES[what][0].items() if value is not ...}
    for use in (Image.pack, load):
        with pytest.raises(BadImage):
            use(Image(index, FIXED, DATA))


def raw(head: bytes) -> bytes:
    return hashed(image.MAGIC + struct.pack("<q", len(head)) + head + FIXED + DATA)


WRITTEN = forged(INDEX)[16 : -32 - len(FIXED) - len(DATA)]


@pytest.mark.parametrize(
    ("blob", "words"),
    [
        (b"", "0 bytes are too few"),
        (b"\0" * 1000, "does not begin"),
        (forged(INDEX, magic=b"LUDWIN\x01\n"), "does not begin"),
        (forged(INDEX, magic=b"\x7fELF\x02\x01\x01\0"), "does not begin"),
        (raw(b""), "cannot be read"),
        (raw(b"{" * 100_000), "cannot be read"),
        (raw(b"[" * 100_000), "cannot be read"),
        (raw(b'{"a":' * 100_000 + b"1" + b"}" * 100_000), "cannot be read"),
        (raw(b"1" * 5000), "cannot be read"),
        (raw(b"\xff\xfe"), "cannot be read"),
        (raw(WRITTEN.replace(b'"entry":16', b'"entry":NaN')), "cannot be read"),
        (raw(WRITTEN.replace(b'"entry":16', b'"entry":1e999')), "cannot be read"),
        (raw(WRITTEN.replace(b'"entry":16', b'"entry":9999,"entry":16')), "cannot be read"),
        (raw(WRITTEN.replace(b'"entry":16', b'"entry": 16')), "not written as we write it"),
        (hashed(image.MAGIC + struct.pack("<q", -1) + WRITTEN + FIXED + DATA), "longer than the file"),
        (hashed(image.MAGIC + struct.pack("<q", 2**62) + WRITTEN + FIXED + DATA), "longer than the file"),
        (hashed(image.MAGIC + struct.pack("<q", len(WRITTEN) + 1) + WRITTEN + FIXED + DATA), "cannot be read"),
        (forged(changed(bases=[], imports=[], sizes=[0, 0]), b"", b""), "entry is outside"),
    ],
)
def test_what_is_not_an_image_is_refused(blob, words):
    with pytest.raises(BadImage, match=words):
        unpack(blob)


def test_random_bytes_with_a_right_hash_are_refused():
    rng = random.Random(4)
    for _ in range(300):
        with pytest.raises(BadImage):
            unpack(hashed(image.MAGIC + rng.randbytes(rng.randrange(200))))
        with pytest.raises(BadImage):
            unpack(raw(bytes(rng.choice(b'{}[]":,0123truefalsnpqd') for _ in range(rng.randrange(60)))))


def test_an_index_that_cannot_be_written_is_refused():
    for faults in ([[math.nan]], [[{1, 2}]], [[b"x"]]):
        with pytest.raises(BadImage, match="cannot be written"):
            Image(changed(faults=faults), FIXED, DATA).pack()


# The machine. Code is compiled here from LLVM's language, as the compiler does.

here = pytest.mark.skipif(not supported(), reason="this machine has no loader of ours")

EMPTY = "define i64 @entry(ptr %back{more}) {{\n{body}\n  ret i64 0\n}}"


def compiled(text: str, signature: str = "", result: str = "n", **more) -> Image:
    import llvmlite.binding as llvm

    from ludwin.kernel.link import link

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=3, reloc="pic", codemodel="small")
    index, fixed, data = link(machine.emit_object(llvm.parse_assembly(text)), "entry")
    rows = [1 if letter == "p" else 0 for letter in signature]
    about = {"signature": signature, "rows": rows, "result": result, "checked": False, "bases": [], "imports": []}
    return Image(changed(**{**about, **index, **more}), fixed, data)


LOG = """
declare double @log(double)
@rows = internal constant [2 x ptr] [ptr @a, ptr @b]
@a = internal constant double 0.5
@b = internal constant double 0.25
define i64 @entry(ptr %back, i64 %k, double %x) {
  %p = getelementptr ptr, ptr @rows, i64 %k
  %q = load ptr, ptr %p
  %v = load double, ptr %q
  %l = call double @log(double %x)
  %r = fadd double %v, %l
  store double %r, ptr %back
  ret i64 0
}"""


@here
def test_an_image_survives_its_file():
    made = compiled(LOG, "qd", "d")
    assert made.index["bases"] and made.index["imports"]
    code = load(unpack(made.pack()))
    assert [code(0, 3.0), code(1, 3.0)] == [0.5 + math.log(3.0), 0.25 + math.log(3.0)]


@here
def test_nothing_is_writable_and_executable_and_nothing_stays_writable():
    code = load(compiled(LOG, "qd", "d"))
    start = ctypes.addressof(code.keep)
    found = []
    for line in Path("/proc/self/maps").read_text(encoding="utf8").splitlines():
        low, high = (int(n, 16) for n in line.split()[0].split("-"))
        if low < start + image.SEGMENT + 4096 and high > start:
            found.append((low <= start < high, low <= start + image.SEGMENT < high, line.split()[1]))
    assert [rights for is_code, _, rights in found if is_code] == ["r-xp"]
    assert [rights for _, is_data, rights in found if is_data] == ["r--p"]


@here
def test_memory_goes_with_the_code():
    def maps():
        return len(Path("/proc/self/maps").read_text(encoding="utf8").splitlines())

    made = compiled(LOG, "qd", "d")
    load(made)(0, 1.0)
    before = maps()
    for _ in range(200):
        load(made)(0, 1.0)
    assert maps() < before + 100


@here
def test_code_for_another_machine_is_refused():
    made = compiled(LOG, "qd", "d")
    for other in ("x86_64-windows", "aarch64-darwin", "aarch64-linux", "x86_64-linux"):
        if other != target():
            foreign = Image({**made.index, "target": other}, made.fixed, made.data)
            assert unpack(foreign.pack()) == foreign  # a file like any other, to be copied and shipped
            with pytest.raises(BadImage, match=f"it is for {other}"):
                load(foreign)


@here
def test_a_processor_that_lacks_something_is_told_so(monkeypatch, tmp_path):
    made = compiled(LOG, "qd", "d")
    monkeypatch.setattr(image, "_missing", lambda: frozenset({"popcnt", "sse4_2"}))
    with pytest.raises(NoExecution, match="lacks popcnt and sse4_2"):
        load(made)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("processor : 0\nflags\t\t: fpu sse4_2 popcnt avx\n", set()),
        ("processor : 0\nflags\t\t: fpu sse4_1 avx\n", {"sse4_2", "popcnt"}),
        ("processor : 0\nflags\t\t: fpu popcnt\n\nflags\t\t: popcnt sse4_2\n", {"sse4_2"}),
        ("processor : 0\nFeatures : x\n", set()),
        (None, set()),
    ],
)
def test_the_processor_is_read_from_the_kernel_where_it_tells(text, missing, monkeypatch, tmp_path):
    path = tmp_path / "cpuinfo"
    if text is not None:
        path.write_text(text, encoding="utf8")
    monkeypatch.setattr(image, "open", lambda _, **how: path.open(**how), raising=False)
    monkeypatch.setattr(image, "target", lambda: "x86_64-linux")
    assert image._missing.__wrapped__() == missing
    monkeypatch.setattr(image, "target", lambda: "aarch64-linux")
    assert image._missing.__wrapped__() == set()


@here
def test_a_refusal_of_the_kernel_is_no_execution(monkeypatch):
    with pytest.raises(NoExecution, match="does not allow compiled code"):
        image._protect(1, 4096, 5)  # no page begins at 1
    made = compiled(LOG, "qd", "d")

    def refuse(address, size, protection):
        raise NoExecution(13, "refused")

    monkeypatch.setattr(image, "_protect", refuse)
    with pytest.raises(NoExecution, match="refused"):
        load(made)


# Since Linux 6.3 a process can forbid itself to make memory executable, as hardened systems do.
HARDENED = """
import ctypes, sys
from pathlib import Path
from ludwin.kernel.image import NoExecution, load, unpack
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):
    print("no such kernel")
else:
    try:
        load(unpack(Path(sys.argv[1]).read_bytes()))
    except NoExecution as error:
        print(error.errno, error.strerror)
"""


@here
def test_a_hardened_system_is_told_in_words(python, tmp_path):
    (tmp_path / "image").write_bytes(compiled(LOG, "qd", "d").pack())
    said = python(HARDENED, str(tmp_path / "image"))
    if said == "no such kernel":
        pytest.skip(said)
    assert said == "13 this system does not allow compiled code in memory (Permission denied)"


def test_a_machine_without_a_loader_says_so(monkeypatch):
    monkeypatch.setattr(image, "supported", lambda: False)
    with pytest.raises(NoExecution, match="no loader for"):
        load(EXAMPLE)


LIGHT = """
import sys
from pathlib import Path
from ludwin.kernel.image import load, unpack
code = load(unpack(Path(sys.argv[1]).read_bytes()))
print(code(0, 1.0), {"numpy", "numba", "llvmlite", "scipy"} & set(sys.modules))
"""


@here
def test_a_stored_image_runs_without_a_compiler(python, tmp_path):
    (tmp_path / "image").write_bytes(compiled(LOG, "qd", "d").pack())
    assert python(LIGHT, str(tmp_path / "image")) == "0.5 set()"


@here
def test_a_forked_child_runs_the_code(python, tmp_path):
    (tmp_path / "image").write_bytes(compiled(LOG, "qd", "d").pack())
    script = LIGHT + (
        "import os\nchild = os.fork()\nif not child:\n    os._exit(int(4 * code(1, 1.0)))\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), code(1, 1.0))"
    )
    assert python(script, str(tmp_path / "image")).splitlines() == ["0.5 set()", "1 0.25"]


def test_every_function_that_code_may_call_is_in_the_c_library():
    for name in sorted(image.ALLOWED - {"memcpy", "memmove", "memset"}):
        kinds = [ctypes.c_double] * (2 if name in ("atan2", "fmod", "hypot", "pow") else 1)
        given = [1.25, 0.75][: len(kinds)] if name == "acosh" or len(kinds) == 2 else [0.75]
        oracle = getattr(math, name, None) or (math.cbrt if name == "cbrt" else abs)
        found = ctypes.CFUNCTYPE(ctypes.c_double, *kinds)(image.address_of(name))(*given)
        assert found == pytest.approx(oracle(*given), rel=1e-14), name
    for name in ("memcpy", "memmove"):
        to = ctypes.create_string_buffer(4)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)(image.address_of(name))(to, b"abc", 3)
        assert to.value == b"abc"
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)(image.address_of("memset"))(to, 120, 2)
    assert to.value == b"xxc"


# Calls.

SUM = """
define i64 @entry(ptr %back, ptr %cells, i64 %n, ptr %out, double %x) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %s = phi i64 [ 0, %0 ], [ %t, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %p = getelementptr i64, ptr %cells, i64 %i
  %v = load i64, ptr %p
  %t = add i64 %s, %v
  %next = add i64 %i, 1
  br label %loop
end:
  store double %x, ptr %out
  store i64 %s, ptr %back
  ret i64 0
}"""


@here
@pytest.mark.parametrize("kind", ["bytearray", "memoryview", "large", "rows", "numpy", "array", "ctypes"])
def test_a_pointer_is_any_writable_buffer(kind):
    import array

    import numpy as np

    values = [5, -7, 2**62, 11, 0, 1]
    if kind == "bytearray":
        cells = bytearray(struct.pack("<6q", *values))
    elif kind in ("memoryview", "large"):
        cells = ints(6 if kind == "memoryview" else 100_000)
        for k, value in enumerate(values):
            cells[k] = value
    elif kind == "rows":
        cells = Rows(2, 3)
        cells[0], cells[1] = values[:3], values[3:]
    else:
        makers = {"numpy": np.array, "array": lambda v: array.array("q", v), "ctypes": ctypes.c_int64 * 6}
        cells = makers[kind](*values) if kind == "ctypes" else makers[kind](values)
    out = floats(1)
    assert load(compiled(SUM, "pqpd", "q"))(cells, 6, out, 1.5) == sum(values)
    assert out[0] == 1.5


@here
def test_empty_buffers_can_be_passed():
    code = load(compiled(SUM, "pqpd", "q"))
    for empty in (bytearray(), ints(0), Rows(0, 3), Rows(3, 0), memoryview(bytearray(8))[:0]):
        assert code(empty, 0, floats(1), 0) == 0


@here
@pytest.mark.parametrize(
    ("args", "kind", "words"),
    [
        ((), TypeError, r"takes 4 arguments \(pqpd\), got 0"),
        ((bytearray(8), 1, bytearray(8)), TypeError, "takes 4 arguments .* got 3"),
        ((bytearray(8), 1, bytearray(8), 1.0, 1), TypeError, "takes 4 arguments .* got 5"),
        ((b"12345678", 1, bytearray(8), 1.0), TypeError, "argument 1 .*not writable"),
        ((memoryview(bytearray(32))[::2], 1, bytearray(8), 1.0), TypeError, "argument 1 .*contiguous"),
        ((None, 1, bytearray(8), 1.0), TypeError, "argument 1 "),
        ((5, 1, bytearray(8), 1.0), TypeError, "argument 1 "),
        (([1, 2], 1, bytearray(8), 1.0), TypeError, "argument 1 "),
        (("text", 1, bytearray(8), 1.0), TypeError, "argument 1 "),
        ((bytearray(8), 1, memoryview(bytearray(8)).cast("i"), 1.0), TypeError, "argument 3 .*format 'i'"),
        ((bytearray(8), 1.0, bytearray(8), 1.0), TypeError, "argument 2 "),
        ((bytearray(8), "1", bytearray(8), 1.0), TypeError, "argument 2 "),
        ((bytearray(8), None, bytearray(8), 1.0), TypeError, "argument 2 "),
        ((bytearray(8), 2**63, bytearray(8), 1.0), OverflowError, "argument 2 .*9223372036854775808 does not fit"),
        ((bytearray(8), -(2**63) - 1, bytearray(8), 1.0), OverflowError, "argument 2 .*does not fit"),
        ((bytearray(8), 1, bytearray(8), "1"), TypeError, "argument 4 "),
        ((bytearray(8), 1, bytearray(8), 10**400), OverflowError, "argument 4 "),
    ],
)
def test_arguments_that_do_not_fit_are_refused(args, kind, words):
    with pytest.raises(kind, match=words):
        load(compiled(SUM, "pqpd", "q"))(*args)


@here
def test_arrays_of_other_things_than_cells_are_refused():
    import numpy as np

    code = load(compiled(SUM, "pqpd", "q"))
    released = memoryview(bytearray(8))
    released.release()
    wrong = [np.zeros(4, np.int32), np.zeros(4, np.float32), np.zeros(4, object), np.zeros(4, ">i8"), released]
    frozen = np.zeros(4, np.int64)
    frozen.flags.writeable = False
    for bad in [*wrong, frozen, np.zeros((4, 4))[:, 1]]:
        with pytest.raises(TypeError, match="argument 1 of compiled code"):
            code(bad, 1, floats(1), 1.0)


def identity(letter: str, result: str) -> LoadedCode:
    kind = {"q": "i64", "d": "double"}[letter]
    return load(compiled(EMPTY.format(more=f", {kind} %x", body=f"  store {kind} %x, ptr %back"), letter, result))


@here
def test_numbers_come_back_as_they_went():
    import numpy as np

    whole, real = identity("q", "q"), identity("d", "d")
    for n in (0, 1, -1, 2**63 - 1, -(2**63), 10**15):
        assert whole(n) == n and type(whole(n)) is int
    for x in (0.0, -1.5, 1e300, 5e-324, math.inf):
        assert real(x) == x and type(real(x)) is float
    assert math.copysign(1, real(-0.0)) == -1 and math.isnan(real(math.nan))
    assert (whole(True), whole(np.int32(-4))) == (1, -4)
    assert (real(7), real(np.float64(0.1)), real(np.float32(0.5))) == (7.0, 0.1, 0.5)


@here
def test_a_result_of_nothing_is_none():
    assert load(compiled(EMPTY.format(more="", body="")))() is None
    assert load(compiled(EMPTY.format(more="", body="  store i64 9, ptr %back")))() is None  # there is room for it


@here
@pytest.mark.parametrize("number", [1, 2, 77, 2**40])
def test_a_fault_is_raised_with_its_number(number):
    text = f"define i64 @entry(ptr %back) {{\n  ret i64 {number}\n}}"
    with pytest.raises(Fault) as found:
        load(compiled(text))()
    assert found.value.number == number


MANY = 40


@here
def test_the_letters_may_stand_in_any_order_and_number():
    rng = random.Random(3)
    for _ in range(10):
        letters = "".join(rng.choice("pqd") for _ in range(rng.randrange(1, MANY)))
        kinds = {"p": "ptr", "q": "i64", "d": "double"}
        more = "".join(f", {kinds[letter]} %a{k}" for k, letter in enumerate(letters))
        body, total = [], 0
        for k, letter in enumerate(letters):
            if letter == "p":
                body.append(f"  %v{k} = load i64, ptr %a{k}")
            elif letter == "q":
                body.append(f"  %v{k} = add i64 %a{k}, 0")
            else:
                body.append(f"  %v{k} = fptosi double %a{k} to i64")
            body.append(f"  %w{k} = mul i64 %v{k}, {k + 1}")
            body.append(f"  %s{k} = add i64 %w{k}, {f'%s{k - 1}' if k else 0}")
        body.append(f"  store i64 %s{len(letters) - 1}, ptr %back")
        values, given = [rng.randrange(-1000, 1000) for _ in letters], []
        for letter, value in zip(letters, values, strict=True):
            given.append({"p": bytearray(struct.pack("<q", value)), "q": value, "d": float(value)}[letter])
        total = sum((k + 1) * value for k, value in enumerate(values))
        assert load(compiled(EMPTY.format(more=more, body="\n".join(body)), letters, "q"))(*given) == total, letters


LENGTHS = EMPTY.format(
    more=", i64 %k, ptr %a, i64 %n, double %x, ptr %b, i64 %m",
    body="""  store i64 %n, ptr %a
  store i64 %m, ptr %b
  %s = mul i64 %n, 1000
  %t = add i64 %s, %m
  %r = add i64 %t, %k
  store i64 %r, ptr %back""",
)


@here
def test_checked_code_is_told_how_many_rows_there_are():
    import numpy as np

    code = load(compiled(LENGTHS, "qpdp", "q", checked=True, rows=[0, 3, 0, 1]))
    a, b = Rows(5, 3), floats(7)
    assert code(500_000, a, 1.5, b) == 505_007
    assert (a[0][0], memoryview(b).cast("B").cast("q")[0]) == (5, 7)
    assert code(0, np.zeros((4, 3), np.int64), 0, bytearray(23)) == 4002  # whole rows only
    assert code(0, ints(5), 0, ints(100_000)) == 101_000
    with pytest.raises(TypeError, match="takes 4 arguments"):
        code(0, a, 5, 1.5, b, 7)


# Each of two calls says that it is there and waits for the other, but not for ever.
MEET = """
define i64 @entry(ptr %back, ptr %mine, ptr %other, i64 %most) {
  store volatile i64 1, ptr %mine
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %there = load volatile i64, ptr %other
  %yes = icmp ne i64 %there, 0
  %next = add i64 %i, 1
  %late = icmp sgt i64 %i, %most
  %stop = or i1 %yes, %late
  br i1 %stop, label %end, label %loop
end:
  store i64 %there, ptr %back
  ret i64 0
}"""


@here
def test_two_threads_are_in_the_code_at_the_same_time():
    code = load(compiled(MEET, "ppq", "q"))
    cells, found = [ints(1), ints(1)], {}

    def run(k):
        found[k] = code(cells[k], cells[1 - k], 3_000_000_000)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: 1, 1: 1}


@here
def test_two_threads_do_not_disturb_each_other():
    code = load(compiled(SUM, "pqpd", "q"))
    wrong = []

    def run(k):
        cells, out = ints(20_000), floats(1)
        for i in range(20_000):
            cells[i] = i * k
        for n in range(0, 20_000, 50):
            if code(cells, n, out, float(n)) != k * n * (n - 1) // 2 or out[0] != n:
                wrong.append((k, n))

    threads = [threading.Thread(target=run, args=(k,)) for k in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# Where images are kept.

NAME = "ludwin_fast_test_0123456789abcdef"
unix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other owners")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Return the cache's folder, of which nothing is known yet, and the lines that it says."""
    lines, place = [], tmp_path / "cache"
    monkeypatch.setenv("LUDWIN_CACHE", str(place))
    monkeypatch.setattr(cache, "announce", lines.append)
    monkeypatch.setattr(cache, "_made", {})
    cache._trusted.cache_clear()
    yield place, lines
    made = cache._made.get("folder")
    if made:
        shutil.rmtree(made)
    cache._trusted.cache_clear()


def put(folder: Path, blob: bytes = b"blob") -> Path:
    """Make an entry as we make it."""
    (folder / NAME).mkdir(mode=0o700, parents=True)
    folder.chmod(0o700)
    (folder / NAME / "image").write_bytes(blob)
    (folder / NAME / "image").chmod(0o600)
    return folder / NAME / "image"


def test_what_is_written_is_read_and_private(kept):
    place, lines = kept
    assert cache.read(NAME) is None
    with cache.lock(NAME):
        cache.write(NAME, b"first")
        cache.write(NAME, b"second")
    assert cache.read(NAME) == b"second"
    assert sorted(p.name for p in (place / NAME).iterdir()) in (["image", "lock"], ["image"])
    if os.name != "nt":
        modes = [p.stat().st_mode & 0o777 for p in (place, place / NAME, place / NAME / "image", place / NAME / "lock")]
        assert modes == [0o700, 0o700, 0o600, 0o600]
    assert cache.entries() == [(NAME, 6)]
    assert (cache.clear(), cache.entries(), cache.read(NAME)) == (6, [], None)
    assert not cache.is_temporary() and lines == []


@unix
def test_the_umask_does_not_open_what_we_make(kept, monkeypatch):
    place, lines = kept
    monkeypatch.setenv("LUDWIN_CACHE", str(place / "deep" / "down"))
    old = os.umask(0)
    try:
        cache.write(NAME, b"x")
    finally:
        os.umask(old)
    for path in (place, place / "deep", place / "deep" / "down", place / "deep" / "down" / NAME):
        assert path.stat().st_mode & 0o777 == 0o700
    assert cache.read(NAME) == b"x" and not cache.is_temporary() and lines == []


def refused(place: Path, lines: list, words: str) -> None:
    """Check that a folder is refused in one line, and that everything works without it."""
    before = sorted(str(p) for p in place.rglob("*"))
    assert cache.read(NAME) is None
    with cache.lock(NAME):
        cache.write(NAME, b"own")
    assert cache.read(NAME) == b"own" and cache.is_temporary() and cache.entries() == [(NAME, 3)]
    assert cache.folder().stat().st_mode & 0o777 == 0o700
    assert sorted(str(p) for p in place.rglob("*")) == before  # nothing was put there
    (line,) = lines
    assert words in line and line.endswith("; a temporary folder serves instead") and "\n" not in line


@unix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777, 0o720])
def test_a_folder_that_others_can_write_is_refused(kept, mode):
    place, lines = kept
    put(place)
    place.chmod(mode)
    refused(place, lines, f"{place} is not used, because others can write it (`chmod go-w` ends that)")


@as_root
def test_a_folder_of_somebody_else_is_refused(kept):
    place, lines = kept
    put(place)
    os.chown(place, 12345, 12345)
    refused(place, lines, "because it belongs to user 12345, and you are user 0")


@unix
def test_a_link_is_judged_by_where_it_leads(kept, tmp_path):
    place, lines = kept
    real = tmp_path / "real"
    put(real)
    place.symlink_to(real)
    assert cache.read(NAME) == b"blob" and cache.folder() == real and lines == []
    cache._trusted.cache_clear()
    real.chmod(0o777)
    refused(real, lines, f"{real} is not used, because others can write it")


@unix
def test_a_folder_below_one_that_everybody_can_write_is_refused(kept, tmp_path):
    place, lines = kept
    put(place)
    tmp_path.chmod(0o777)
    refused(place, lines, f"because everybody can write {tmp_path}")


@unix
def test_a_folder_below_a_sticky_one_is_not_refused(kept, tmp_path):
    place, lines = kept
    put(place)
    tmp_path.chmod(0o1777)  # as /tmp is
    assert cache.read(NAME) == b"blob" and not cache.is_temporary() and lines == []


@unix
def test_the_usual_folder_is_judged_like_a_named_one(kept, monkeypatch, tmp_path):
    _, lines = kept
    monkeypatch.delenv("LUDWIN_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    place = tmp_path / "xdg" / "ludwin"
    put(place)
    assert cache.read(NAME) == b"blob"
    cache._trusted.cache_clear()
    place.chmod(0o777)
    refused(place, lines, "others can write it")


SPOILS = {
    "a file that others can write": lambda file: file.chmod(0o602),
    "a file that the group can write": lambda file: file.chmod(0o660),
    "an entry that others can write": lambda file: file.parent.chmod(0o777),
    "a link to a file": lambda file: file.symlink_to(file.rename(file.with_name("x"))),
    "a link to an entry": lambda file: file.parent.symlink_to(file.parent.rename(file.parent.with_name("x"))),
    "a pipe": lambda file: (file.unlink(), os.mkfifo(file)),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
    "a device": lambda file: (file.unlink(), file.symlink_to("/dev/zero")),
    "a file of somebody else": lambda file: os.chown(file, 12345, -1),
    "an entry of somebody else": lambda file: os.chown(file.parent, 12345, -1),
}


@unix
@pytest.mark.parametrize("what", SPOILS)
def test_an_image_that_others_could_have_written_is_ignored_and_made_again(what, kept):
    if "somebody else" in what and os.geteuid():
        pytest.skip("only root can give files away")
    place, lines = kept
    SPOILS[what](put(place))
    assert cache.read(NAME) is None
    with cache.lock(NAME):
        cache.write(NAME, b"own")
    assert cache.read(NAME) == b"own" and lines == []


@as_root
def test_roots_images_are_used_by_others(python):
    # An administrator has filled the folder; the user cannot write it. What is new goes elsewhere.
    with tempfile.TemporaryDirectory() as room:
        Path(room).chmod(0o755)
        file = put(Path(room) / "cache")
        for path in (file, file.parent, file.parent.parent):
            path.chmod(0o755)
        said = python(AS_NOBODY, NAME, cache=str(file.parent.parent), environ={"TMPDIR": "/tmp"})
        assert said.splitlines() == ["b'blob' None", "True", "b'new'", "[]"]
        # The same if the folder is the user's own, but closed against writing.
        for path in (file, file.parent, file.parent.parent):
            os.chown(path, 65534, 65534)
            path.chmod(0o555)
        said = python(AS_NOBODY, NAME, cache=str(file.parent.parent), environ={"TMPDIR": "/tmp"})
        assert said.splitlines() == ["b'blob' None", "True", "b'new'", "[]"]
        # And if it is a third person's, nothing is used.
        for path in (file, file.parent, file.parent.parent):
            os.chown(path, 12345, 12345)
            path.chmod(0o755)
        said = python(AS_NOBODY, NAME, cache=str(file.parent.parent), environ={"TMPDIR": "/tmp"})
        assert said.splitlines()[0] == "None None"
        assert "it belongs to user 12345, and you are user 65534" in said.splitlines()[3]
        assert sorted(p.name for p in file.parent.iterdir()) == ["image"]


AS_NOBODY = """
import fcntl, os, sys, tempfile
from ludwin.kernel import cache
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
lines = []
cache.announce = lines.append
name = sys.argv[1]
print(cache.read(name), cache.read(name + "1"))
print(cache.is_temporary())
with cache.lock(name + "1"):
    cache.write(name + "1", b"new")
print(cache.read(name + "1"))
print(lines)
"""


@unix
def test_a_damaged_image_in_a_folder_that_cannot_be_written_is_made_once(kept, monkeypatch):
    place, _ = kept
    put(place, b"damaged")
    with monkeypatch.context() as patch:
        patch.setattr(cache, "_writable", lambda _: False)
        assert cache.read(NAME) == b"damaged"
        cache.write(NAME, b"whole")
        assert cache.read(NAME) == b"whole"
    assert (place / NAME / "image").read_bytes() == b"damaged"


def test_a_full_disk_stops_nobody(kept, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(cache.os, "replace", full)
        cache.write(NAME, b"blob")
    assert cache.read(NAME) is None
    assert list((kept[0] / NAME).iterdir()) == []


def test_a_cache_that_was_removed_meanwhile_stops_nobody(kept):
    place, _ = kept
    cache.write(NAME, b"blob")
    shutil.rmtree(place)
    with cache.lock(NAME):
        cache.write(NAME, b"blob")
    assert cache.read(NAME) == b"blob"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x", "a\\b", "a\0b"])
def test_a_name_never_leads_out_of_the_folder(name, kept):
    for use in (cache.read, lambda n: cache.write(n, b"")):
        with pytest.raises(AssertionError, match="no name of an entry"):
            use(name)


def test_a_user_who_is_not_there_has_no_cache(kept, monkeypatch):
    monkeypatch.setenv("LUDWIN_CACHE", "~nobody-of-this-name/cache")
    cache.write(NAME, b"blob")
    assert cache.read(NAME) == b"blob" and (cache.is_temporary() or os.name == "nt")


RACE = """
import sys
from ludwin.kernel import cache
with cache.lock(sys.argv[1]):
    found = cache.read(sys.argv[1])
    if found is None:
        import time
        time.sleep(0.3)
        cache.write(sys.argv[1], b"x" * 1_000_000)
print("made" if found is None else len(found))
"""


@unix
def test_of_several_processes_one_makes_the_image(python):
    racing = [python(RACE, NAME, wait=False) for _ in range(4)]
    said = sorted(process.communicate(timeout=60)[0].strip() for process in racing)
    assert said == ["1000000"] * 3 + ["made"]
