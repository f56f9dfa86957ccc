"""An object file becomes an image whose code computes what it says, on both kinds of machine."""

import math
import random
import shutil
import struct
import subprocess

import llvmlite.binding as llvm
import pytest

from ludwin.kernel.image import Fault, Image, data_offset, load, supported, target
from ludwin.kernel.link import CannotLink, link, load_object

TRIPLES = {"x86_64-linux": "x86_64-unknown-linux-gnu", "aarch64-linux": "aarch64-unknown-linux-gnu"}


def emit(text: str, machine: str = target(), reloc: str = "pic", codemodel: str = "small", triple: str = "") -> bytes:
    """Return the object of a module in LLVM's language."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple = triple or TRIPLES[machine]
    cpu = "x86-64-v2" if machine.startswith("x86") else "generic"
    made = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, opt=3, reloc=reloc, codemodel=codemodel)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = triple, str(made.target_data)
    module.verify()
    return made.emit_object(module)


def index_of(signature: str, result: str, machine: str = target(), **more) -> dict:
    return {
        "target": machine,
        "signature": signature,
        "rows": [1 if letter == "p" else 0 for letter in signature],
        "result": result,
        "checked": False,
        "about": {"kernel": "test"},
        "name": "ludwin_fast_test_0123456789abcdef",
        "faults": [],
        **more,
    }


def built(text: str, signature: str, result: str, machine: str = target()) -> Image:
    index, fixed, data = link(emit(text, machine), "entry")
    return Image(index_of(signature, result, machine, **index), fixed, data)


def numbers(kind: str, values: list) -> str:
    return ", ".join(f"{kind} {value}" for value in values)


SQUARES = [(k * k * 7919) % 65537 for k in range(1000)]

# Each module has `int64 entry(back, int a, int b, double x, double y)`; the oracle is the same in Python.
CASES = {
    "integers": (
        """
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %m = mul i64 %a, %b
  %r = add i64 %m, %a
  store i64 %r, ptr %back
  ret i64 0
}""",
        "q",
        lambda a, b, x, y: a * b + a,
    ),
    "doubles and their constants": (
        """
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %m = fmul double %x, 3.25
  %n = fmul double %y, 0x3FB999999999999A
  %r = fadd double %m, %n
  store double %r, ptr %back
  ret i64 0
}""",
        "d",
        lambda a, b, x, y: x * 3.25 + y * 0.1,
    ),
    "a table of 8 kB at a multiple of 64": (
        f"""
@small = internal constant [3 x i8] c"abc"
@table = internal constant [1000 x i64] [{numbers("i64", SQUARES)}], align 64
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {{
  %p = getelementptr i64, ptr @table, i64 %a
  %v = load i64, ptr %p
  %q = getelementptr i8, ptr @small, i64 %b
  %c = load i8, ptr %q
  %w = zext i8 %c to i64
  %low = ptrtoint ptr @table to i64
  %rest = and i64 %low, 63
  %s = add i64 %v, %w
  %t = mul i64 %rest, 1000000
  %r = add i64 %s, %t
  store i64 %r, ptr %back
  ret i64 0
}}""",
        "q",
        lambda a, b, x, y: SQUARES[a] + b"abc"[b],
    ),
    "tables several pages apart": (
        f"""
@first = internal constant [1000 x i64] [{numbers("i64", SQUARES)}], align 64
@second = internal constant [1000 x i64] [{numbers("i64", SQUARES[::-1])}], align 64
@third = internal constant [1000 x i64] [{numbers("i64", [n + 1 for n in SQUARES])}], align 64
@fourth = internal constant [1000 x i64] [{numbers("i64", [n + 2 for n in SQUARES])}], align 64
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {{
  %p = getelementptr i64, ptr @first, i64 %a
  %q = getelementptr i64, ptr @second, i64 %a
  %r = getelementptr i64, ptr @third, i64 %a
  %s = getelementptr i64, ptr @fourth, i64 %a
  %v = load i64, ptr %p
  %w = load i64, ptr %q
  %u = load i64, ptr %r
  %z = load i64, ptr %s
  %n2 = mul i64 %w, 3
  %n3 = mul i64 %u, 5
  %n4 = mul i64 %z, 7
  %n5 = add i64 %v, %n2
  %n6 = add i64 %n5, %n3
  %n7 = add i64 %n6, %n4
  store i64 %n7, ptr %back
  ret i64 0
}}""",
        "q",
        lambda a, b, x, y: SQUARES[a] + 3 * SQUARES[999 - a] + 5 * (SQUARES[a] + 1) + 7 * (SQUARES[a] + 2),
    ),
    "single cells of every width": (
        """
@i1 = internal constant i8 11
@i2 = internal constant i16 1313
@i4 = internal constant i32 170017
@i8 = internal constant i64 19000000019
@i16 = internal constant <2 x i64> <i64 23, i64 29>
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %v1 = load volatile i8, ptr @i1
  %v2 = load volatile i16, ptr @i2
  %v4 = load volatile i32, ptr @i4
  %v8 = load volatile i64, ptr @i8
  %v16 = load volatile <2 x i64>, ptr @i16
  %w1 = zext i8 %v1 to i64
  %w2 = zext i16 %v2 to i64
  %w4 = zext i32 %v4 to i64
  %u = extractelement <2 x i64> %v16, i64 0
  %v = extractelement <2 x i64> %v16, i64 1
  %s1 = add i64 %w1, %w2
  %s2 = add i64 %s1, %w4
  %s3 = add i64 %s2, %v8
  %s4 = mul i64 %u, %v
  %r = add i64 %s3, %s4
  store i64 %r, ptr %back
  ret i64 0
}""",
        "q",
        lambda a, b, x, y: 11 + 1313 + 170017 + 19000000019 + 23 * 29,
    ),
    "a jump table": (
        """
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %which = urem i64 %a, 8
  switch i64 %which, label %other [ i64 0, label %c0 i64 1, label %c1 i64 2, label %c2 i64 3, label %c3
    i64 4, label %c4 i64 5, label %c5 i64 6, label %c6 ]
c0:
  %r0 = add i64 %b, 17
  br label %end
c1:
  %r1 = mul i64 %b, %b
  br label %end
c2:
  %r2 = xor i64 %b, 12345
  br label %end
c3:
  %r3 = shl i64 %b, 7
  br label %end
c4:
  %r4 = sub i64 %a, %b
  br label %end
c5:
  %r5 = udiv i64 1000003, %a
  br label %end
c6:
  %r6 = or i64 %b, 1024
  br label %end
other:
  br label %end
end:
  %r = phi i64 [ %r0, %c0 ], [ %r1, %c1 ], [ %r2, %c2 ], [ %r3, %c3 ],
    [ %r4, %c4 ], [ %r5, %c5 ], [ %r6, %c6 ], [ -1, %other ]
  store i64 %r, ptr %back
  ret i64 0
}""",
        "q",
        lambda a, b, x, y: [b + 17, b * b, b ^ 12345, b << 7, a - b, 1000003 // max(a, 1), b | 1024, -1][a % 8],
    ),
    "calls of the C library": (
        """
declare double @sin(double)
declare double @log(double)
declare double @pow(double, double)
declare ptr @memset(ptr, i32, i64)
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %room = alloca [64 x i8]
  %there = call ptr @memset(ptr %room, i32 3, i64 64)
  %p = getelementptr i8, ptr %room, i64 %b
  %c = load i8, ptr %p
  %f = uitofp i8 %c to double
  %s = call double @sin(double %x)
  %l = call double @log(double %y)
  %w = call double @pow(double %y, double %f)
  %t = fadd double %s, %l
  %r = fadd double %t, %w
  store double %r, ptr %back
  ret i64 0
}""",
        "d",
        lambda a, b, x, y: math.sin(x) + math.log(y) + math.pow(y, 3.0),
    ),
    "a call of the C library in the last place": (
        """
declare double @hypot(double, double)
define internal double @last(double %x, double %y) noinline {
  %r = tail call double @hypot(double %y, double %x)
  ret double %r
}
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %r = call double @last(double %x, double %y)
  store double %r, ptr %back
  ret i64 0
}""",
        "d",
        lambda a, b, x, y: math.hypot(y, x),
    ),
    "recursion": (
        """
define internal i64 @fib(i64 %n) noinline {
  %small = icmp slt i64 %n, 2
  br i1 %small, label %leaf, label %inner
leaf:
  ret i64 %n
inner:
  %m = sub i64 %n, 1
  %k = sub i64 %n, 2
  %f = call i64 @fib(i64 %m)
  %g = call i64 @fib(i64 %k)
  %r = add i64 %f, %g
  ret i64 %r
}
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %n = add i64 %b, 12
  %r = call i64 @fib(i64 %n)
  store i64 %r, ptr %back
  ret i64 0
}""",
        "q",
        lambda a, b, x, y: [144, 233, 377][b],
    ),
    "a table of functions, ours and the library's": (
        """
declare double @exp(double)
define internal double @twice(double %x) noinline {
  %r = fadd double %x, %x
  ret double %r
}
define internal double @less(double %x) noinline {
  %r = fsub double %x, 0.5
  ret double %r
}
@what = internal constant [3 x ptr] [ptr @twice, ptr @exp, ptr @less]
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %p = getelementptr ptr, ptr @what, i64 %b
  %f = load ptr, ptr %p
  %r = call double %f(double %x)
  store double %r, ptr %back
  ret i64 0
}""",
        "d",
        lambda a, b, x, y: [x + x, math.exp(x), x - 0.5][b],
    ),
    "a table of rows": (
        """
@row0 = internal constant [3 x i64] [i64 5, i64 6, i64 7]
@row1 = internal constant [3 x i64] [i64 50, i64 60, i64 70]
@rows = internal constant [3 x ptr] [ptr @row0, ptr getelementptr (i64, ptr @row1, i64 1), ptr @row1]
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %p = getelementptr ptr, ptr @rows, i64 %b
  %row = load ptr, ptr %p
  %q = getelementptr i64, ptr %row, i64 1
  %r = load i64, ptr %q
  store i64 %r, ptr %back
  ret i64 0
}""",
        "q",
        lambda a, b, x, y: [6, 70, 60][b],
    ),
    "names that could be replaced, so through slots": (
        """
declare double @sin(double)
declare double @cos(double)
@open = constant [3 x i64] [i64 101, i64 103, i64 107]
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %odd = trunc i64 %a to i1
  %f = select i1 %odd, ptr @sin, ptr @cos
  %v = call double %f(double %x)
  %p = getelementptr i64, ptr @open, i64 %b
  %n = load i64, ptr %p
  %m = sitofp i64 %n to double
  %r = fadd double %v, %m
  store double %r, ptr %back
  ret i64 0
}""",
        "d",
        lambda a, b, x, y: (math.sin(x) if a % 2 else math.cos(x)) + [101, 103, 107][b],
    ),
    "a table of distances to functions": (
        """
@base = internal constant [2 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr @left to i64), i64 ptrtoint (ptr @base to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr @right to i64), i64 ptrtoint (ptr @base to i64)) to i32)]
@long = internal constant i64 sub (i64 ptrtoint (ptr @right to i64), i64 ptrtoint (ptr @long to i64))
define internal i64 @left(i64 %n) {
  %r = add i64 %n, 31
  ret i64 %r
}
define internal i64 @right(i64 %n) {
  %r = add i64 %n, 37
  ret i64 %r
}
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %which = and i64 %b, 1
  %p = getelementptr i32, ptr @base, i64 %which
  %near = load volatile i32, ptr %p
  %d = sext i32 %near to i64
  %f = getelementptr i8, ptr @base, i64 %d
  %v = call i64 %f(i64 %a)
  %far = load volatile i64, ptr @long
  %g = getelementptr i8, ptr @long, i64 %far
  %w = call i64 %g(i64 %b)
  %h = mul i64 %w, 100000
  %r = add i64 %h, %v
  store i64 %r, ptr %back
  ret i64 0
}""",
        "q",
        lambda a, b, x, y: (b + 37) * 100000 + a + [31, 37][b & 1],
    ),
    "a call straight through a slot": (
        """
declare double @cos(double) nonlazybind
define i64 @entry(ptr %back, i64 %a, i64 %b, double %x, double %y) {
  %r = call double @cos(double %x) nonlazybind
  store double %r, ptr %back
  ret i64 0
}""",
        "d",
        lambda a, b, x, y: math.cos(x),
    ),
}
ARGUMENTS = [(1, 0, 0.75, 2.5), (2, 1, -3.0, 0.125), (997, 2, 100.0, 9.0)]
ARGUMENTS += [(k, k % 3, 0.5 + k, 1.0 + k) for k in range(8, 16)]


@pytest.mark.parametrize("case", CASES)
def test_linked_code_computes_what_it_says(case):
    if not supported():
        pytest.skip("this machine has no loader of ours")
    text, result, oracle = CASES[case]
    code = load(built(text, "qqdd", result))
    for given in ARGUMENTS:
        assert code(*given) == pytest.approx(oracle(*given), rel=1e-15), given


@pytest.mark.parametrize("case", CASES)
def test_llvms_own_loader_gives_the_same(case):
    text, result, oracle = CASES[case]
    code = load_object(emit(text), "entry", index_of("qqdd", result))
    for given in ARGUMENTS:
        assert code(*given) == pytest.approx(oracle(*given), rel=1e-15), given


def test_llvms_own_loader_shares_the_way_of_calling():
    text = """
define i64 @entry(ptr %back, ptr %cells, i64 %rows, i64 %k) {
  %p = getelementptr i64, ptr %cells, i64 %k
  store i64 %rows, ptr %p
  %bad = icmp sge i64 %k, %rows
  %r = select i1 %bad, i64 7, i64 0
  ret i64 %r
}"""
    code = load_object(emit(text), "entry", index_of("pq", "n", checked=True))
    room = bytearray(24)
    assert code(room, 2) is None
    assert struct.unpack("<3q", room) == (0, 0, 3)
    with pytest.raises(Fault) as found:
        code(memoryview(room)[:16], 2)
    assert found.value.number == 7
    with pytest.raises(TypeError, match="takes 2 arguments"):
        code(room)
    with pytest.raises(CannotLink, match="no function other"):
        load_object(emit(text), "other", index_of("pq", "n"))
    with pytest.raises(CannotLink, match="calls system"):
        load_object(emit(CALLS.format(name="system")), "entry", index_of("", "n"))


@pytest.mark.parametrize("machine", TRIPLES)
@pytest.mark.parametrize("case", CASES)
def test_linking_is_repeatable_and_what_it_gives_is_in_order(case, machine):
    text, result, _ = CASES[case]
    image = built(text, "qqdd", result, machine)
    assert image.pack() == built(text, "qqdd", result, machine).pack()
    for place, _ in [*image.index["bases"], *image.index["imports"]]:
        start = place - data_offset(len(image.fixed))
        assert image.data[start : start + 8] == bytes(8)  # no address of this process


def test_each_function_of_the_library_has_one_slot_and_one_stub():
    text, result, _ = CASES["calls of the C library"]
    assert "%t = fadd double %s, %l" in text
    again = "%again = call double @sin(double %s)\n  %t = fadd double %again, %l"
    image = built(text.replace("%t = fadd double %s, %l", again), "qqdd", result, "x86_64-linux")
    assert sorted(name for _, name in image.index["imports"]) == ["log", "memset", "pow", "sin"]
    assert image.fixed.count(b"\xff\x25") == 4


# aarch64, run by an emulator: a driver that does what the loader does.

DRIVER = r"""
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
struct { const char *name; void *at; } known[] = {
  {"sin", (double (*)(double))sin}, {"cos", (double (*)(double))cos}, {"exp", (double (*)(double))exp},
  {"log", (double (*)(double))log}, {"pow", (double (*)(double, double))pow},
  {"hypot", (double (*)(double, double))hypot}, {"memset", memset}};
int main(int n, char **v) { /* file size entry fixed | place target | place name | arguments */
  long size = atol(v[2]), entry = atol(v[3]), fixed = atol(v[4]);
  char *m = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  FILE *f = fopen(v[1], "rb");
  if (m == MAP_FAILED || !f || fread(m, 1, size, f) != size) return 2;
  char line[100], name[50];
  long place, to, a, b;
  double x, y;
  while (fgets(line, 100, stdin)) {
    if (sscanf(line, "base %ld %ld", &place, &to) == 2) *(char **)(m + place) = m + to;
    else if (sscanf(line, "import %ld %49s", &place, name) == 2) {
      for (int i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) *(void **)(m + place) = known[i].at;
    } else if (!strncmp(line, "go", 2)) {
      __builtin___clear_cache(m, m + size);
      if (mprotect(m, fixed, PROT_READ | PROT_EXEC)) return 3;
      if (size > fixed && mprotect(m + fixed, size - fixed, PROT_READ)) return 4;
    } else if (sscanf(line, "call %ld %ld %lf %lf", &a, &b, &x, &y) == 4) {
      int64_t back = 0;
      int64_t (*code)(void *, int64_t, int64_t, double, double) = (void *)(m + entry);
      long status = code(&back, a, b, x, y);
      printf("%ld %ld\n", status, back);
    }
  }
  return 0;
}
"""


@pytest.fixture(scope="module")
def emulated(tmp_path_factory):
    """Return a function that runs an image for aarch64 with several rows of arguments."""
    compiler, emulator = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
    if not compiler or not emulator:
        pytest.skip("needs qemu-user and gcc-aarch64-linux-gnu")
    room = tmp_path_factory.mktemp("arm")
    (room / "driver.c").write_text(DRIVER, encoding="utf8")
    subprocess.run([compiler, "-O1", "-static", "driver.c", "-lm", "-o", "driver"], cwd=room, check=True)

    def run(image, rows):
        start = data_offset(len(image.fixed))
        flat = image.fixed.ljust(start, b"\0") + image.data
        (room / "flat").write_bytes(flat)
        lines = [f"base {place} {to}" for place, to in image.index["bases"]]
        lines += [f"import {place} {name}" for place, name in image.index["imports"]]
        lines += ["go", *(f"call {a} {b} {x!r} {y!r}" for a, b, x, y in rows)]
        command = [emulator, "./driver", "flat", str(len(flat)), str(image.index["entry"]), str(start)]
        done = subprocess.run(command, cwd=room, input="\n".join(lines), capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done
        return [tuple(map(int, line.split())) for line in done.stdout.splitlines()]

    return run


@pytest.mark.parametrize("case", CASES)
def test_linked_code_for_aarch64_computes_what_it_says(case, emulated):
    text, result, oracle = CASES[case]
    found = emulated(built(text, "qqdd", result, "aarch64-linux"), ARGUMENTS)
    assert len(found) == len(ARGUMENTS)
    for (status, back), given in zip(found, ARGUMENTS, strict=True):
        value = struct.unpack("<d", struct.pack("<q", back))[0] if result == "d" else back
        assert (status, value) == (0, pytest.approx(oracle(*given), rel=1e-14)), given


def decode_page(word: int) -> int:
    pages = (word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3
    return pages - (1 << 21) if pages >> 20 else pages


def test_an_aarch64_stub_finds_its_slot():
    text, result, _ = CASES["a call of the C library in the last place"]
    image = built(text, "qqdd", result, "aarch64-linux")
    ((slot, name),) = image.index["imports"]
    stub = len(image.fixed) - 16
    page, load_it, jump, _ = struct.unpack_from("<4I", image.fixed, stub)
    assert name == "hypot" and jump == 0xD61F0200
    assert (stub & ~0xFFF) + 4096 * decode_page(page) + 8 * (load_it >> 10 & 0xFFF) == slot


# What is refused.

CALLS = """
declare void @{name}()
define i64 @entry(ptr %back) {{
  call void @{name}()
  ret i64 0
}}"""
VARIABLE = """
{what}
define i64 @entry(ptr %back) {{
  store volatile i64 5, ptr @v
  ret i64 0
}}"""
REFUSED = {
    "a function outside of the list": (CALLS.format(name="system"), "calls system, which an image may not"),
    "a function of Python": (CALLS.format(name="PyErr_SetString"), "calls PyErr_SetString"),
    "a variable": (VARIABLE.format(what="@v = internal global i64 7"), r"section \.data is for variables"),
    "an empty variable": (VARIABLE.format(what="@v = internal global i64 0"), r"section \.bss is for variables"),
    "a common variable": (VARIABLE.format(what="@v = common global i64 0"), "v is in no section that is kept"),
    "a variable of the thread": (VARIABLE.format(what="@v = internal thread_local global i64 7"), "flags 0x403"),
    "a variable of somebody else": (VARIABLE.format(what="@v = external global i64"), "calls v, which"),
    "no entry": ("define i64 @other(ptr %back) {\n  ret i64 0\n}", "no function entry"),
    "an entry that is no code": ("@entry = constant i64 5", "entry is no function"),
    "a constructor": (
        "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]\n"
        "  [{ i32, ptr, ptr } { i32 1, ptr @entry, ptr null }]\n"
        "define void @entry() {\n  ret void\n}",
        r"section \.(init_array|ctors)\S* is for variables",
    ),
    "an alignment beyond a page": (
        "@t = internal constant [2 x i64] [i64 1, i64 2], align 8192\n"
        "define i64 @entry(ptr %back, i64 %a) {\n"
        "  %p = getelementptr i64, ptr @t, i64 %a\n  %r = load i64, ptr %p\n  ret i64 %r\n}",
        "multiple of 8192",
    ),
}


@pytest.mark.parametrize("machine", TRIPLES)
@pytest.mark.parametrize("what", REFUSED)
def test_what_an_image_cannot_hold_is_refused(what, machine):
    text, words = REFUSED[what]
    with pytest.raises(CannotLink, match=words):
        link(emit(text, machine), "entry")


TABLE = CASES["a table of rows"][0]


def test_code_that_is_not_position_independent_is_refused():
    with pytest.raises(CannotLink, match="x86-64 relocation 11 is unknown"):  # R_X86_64_32S
        link(emit(TABLE, "x86_64-linux", reloc="static"), "entry")
    with pytest.raises(CannotLink, match="an address in the middle of code or constants"):
        link(emit(TABLE, "aarch64-linux", reloc="static"), "entry")
    with pytest.raises(CannotLink, match=r"section \.ltext has flags"):
        link(emit(TABLE, "x86_64-linux", reloc="static", codemodel="large"), "entry")
    with pytest.raises(CannotLink, match=r"aarch64 relocation 26\d is unknown"):  # R_AARCH64_MOVW_UABS_…
        link(emit(TABLE, "aarch64-linux", reloc="static", codemodel="large"), "entry")


@pytest.mark.parametrize(
    ("triple", "words"),
    [
        ("x86_64-pc-windows-msvc", "not a 64-bit little-endian ELF"),
        ("x86_64-apple-darwin", "not a 64-bit little-endian ELF"),
        ("i386-unknown-linux-gnu", "not a 64-bit little-endian ELF"),
        ("aarch64_be-unknown-linux-gnu", "not a 64-bit little-endian ELF"),
        ("riscv64-unknown-linux-gnu", "machine 243"),
    ],
)
def test_objects_of_other_kinds_are_refused(triple, words):
    try:
        obj = emit("define i64 @entry(ptr %back) {\n  ret i64 0\n}", "other", triple=triple)
    except RuntimeError:
        pytest.skip("this LLVM does not know that machine")
    with pytest.raises(CannotLink, match=words):
        link(obj, "entry")


@pytest.mark.parametrize("machine", TRIPLES)
def test_a_damaged_object_is_refused_or_linked_but_never_breaks_the_linker(machine):
    obj = emit(CASES["a table of functions, ours and the library's"][0], machine)
    for size in range(0, len(obj), 5):
        with pytest.raises(CannotLink):
            link(obj[:size], "entry")
    rng, refused = random.Random(1), 0
    for _ in range(3000):
        spoilt = bytearray(obj)
        spoilt[rng.randrange(len(obj))] ^= 1 << rng.randrange(8)
        try:
            index, fixed, data = link(bytes(spoilt), "entry")
        except CannotLink:
            refused += 1
        else:
            Image(index_of("", "n", machine, **index), fixed, data).pack()
    assert 0 < refused < 3000
