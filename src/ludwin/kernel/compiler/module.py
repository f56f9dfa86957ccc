"""A whole kernel as one module of LLVM's language: the search, the rules that it calls, and the door into it.

Why it is here.  Everything that one entry needs is written into one text, each function once per row of argument
kinds, and optimised together: LLVM then sees the only caller of each function.  The door is a C function
`int64 entry(void *result, …)` that returns 0, or the number of a fault.
"""

import ast
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludwin import elementary
from ludwin.errors import RuleError
from ludwin.kernel.compiler.emit import Emitter
from ludwin.kernel.compiler.faults import Faults, NotCompilable
from ludwin.kernel.compiler.infer import Inference, Typed
from ludwin.kernel.compiler.kinds import (
    BOOL,
    FLOAT,
    INT,
    NOTHING,
    SIZED,
    ArrayKind,
    BundleKind,
    RecordKind,
    StackKind,
    ValueKind,
)
from ludwin.kernel.compiler.lines import constant, returned
from ludwin.kernel.compiler.scope import Constant, LiteralTable, Meaning, Module, Routine, Scope, Word, meaning
from ludwin.kernel.compiler.words import WORDS
from ludwin.kernel.text import Kernel, KernelText
from ludwin.rules.layout import layout
from ludwin.rules.reach import calls, roots
from ludwin.rules.source import PRIMITIVES, Source

# Functions of the contract up to this size are copied into their callers, which LLVM would not always do by itself: UCT
# on draughts gains 4 % (docs/results/compiler.md). Carcassonne's, which are larger, lose 8 % and a quarter of the
# compile time.
SMALL = 1500
STACK = 1 << 19  # bytes that calls of calls may take before they are called too deep
DEEPEST = 20_000  # calls of the compiler itself, below one another
HEAD = """!0 = !{!"branch_weights", i32 100000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 100000}
!2 = !{}
"""
BUILTINS = {"abs", "bool", "float", "int", "len", "max", "min"}


@dataclass(frozen=True)
class Compiled:
    """The text of a module, and what a caller must know of its entry."""

    text: str
    signature: str  # p, q or d per argument
    rows: tuple[int, ...]  # cells per row of a pointer, 0 for numbers
    result: str  # q, d or n
    faults: tuple[tuple[str, int, int], ...]


class ModuleWriter:
    """Gathers the functions, tables and declarations of a module."""

    def __init__(self, inference: Inference, checked: bool):
        self.inference = inference
        self.checked = checked
        self.faults = Faults()
        self.declared: dict[str, None] = {}
        self.tables: dict[LiteralTable, str] = {}
        self.definitions: list[str] = []
        self.state: dict[Typed, bool | None] = {}  # None while it is being written, then whether it can fail
        self.circles: set[Typed] = set()
        self.deep: set[Typed] = set()

    def declare(self, text: str) -> None:
        """Bring a declaration or a definition into the module, once."""
        self.declared[text] = None

    def table(self, table: LiteralTable) -> str:
        """Return the name of a table, laid into the module once."""
        if table not in self.tables:
            name = self.tables[table] = f"@table.{len(self.tables)}"
            item = "double" if table.kind.real else "i64"
            cells = ", ".join(f"{item} {constant(value).text}" for value in table.flat)
            self.definitions.append(f"{name} = internal constant [{len(table.flat)} x {item}] [{cells}], align 64")
        return self.tables[table]

    def need(self, typed: Typed) -> bool:
        """See to it that a function is written, and tell whether it can fail."""
        if typed not in self.state:
            self.state[typed] = None
            Emitter(self, typed).write()
        fails = self.state[typed]
        return True if fails is None else fails  # one that is being written calls itself, and can be too deep

    def finish(self, typed: Typed, text: str, fails: bool) -> None:
        """Take in a written function."""
        self.state[typed] = fails
        self.definitions.append(text)

    def exact(self, name: str, kinds: tuple[ValueKind, ...]) -> Typed:
        """Return one of the compiler's own functions."""
        routine = exact_scope().find(name)
        assert isinstance(routine, Routine)
        return self.inference.function(routine, kinds)

    def is_recursive(self, typed: Typed) -> bool:
        """Tell whether a function can come to call itself."""
        return typed in self.circles

    def needs_stack(self, typed: Typed) -> bool:
        """Tell whether a function can come to call one that calls itself: it is told how deep the stack may be."""
        return typed in self.deep

    def find_circles(self) -> None:
        """Find the functions that can come to call themselves, and those that can come to call such."""
        above: dict[Typed, set[Typed]] = {}
        for typed in self.inference.found.values():
            for callee in typed.callees.values():
                above.setdefault(callee, set()).add(typed)

        def callers(typed: Typed) -> set[Typed]:
            seen: set[Typed] = set()
            stack = list(above.get(typed, ()))
            while stack:
                one = stack.pop()
                if one not in seen:
                    seen.add(one)
                    stack.extend(above.get(one, ()))
            return seen

        for typed in self.inference.found.values():
            over = callers(typed)
            if typed in over:
                self.circles.add(typed)
                self.deep |= over


@lru_cache(maxsize=None)
def exact_scope() -> Scope:
    """Return the scope of the compiler's own functions."""
    path = Path(__file__).parent / "exact.py"
    trees = [ast.parse(one.read_text(encoding="utf8")) for one in (path, Path(elementary.__file__))]
    functions = {node.name: node for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)}

    def look(name: str) -> Meaning | None:
        if name in functions and name not in WORDS:
            return Routine(scope, name, functions[name])
        if name == "math":
            return Module(None)
        if name in WORDS:
            return Word(name)
        return meaning(vars(elementary)[name]) if name in vars(elementary) else None

    scope = Scope(0, path, look, trusted=True)
    return scope


class Scopes:
    """The names of a kernel's text and of the files of rules below it."""

    def __init__(self, game: Any, text: KernelText, numbers: Mapping[str, Any], files: Sequence[Path]):
        self.game, self.text, self.numbers = game, text, {**numbers, **text.constants}
        self.files = list(files)
        self.rules: dict[tuple[int, Path], Scope] = {}  # a file may be there twice, with other parameters
        self.routines: dict[tuple[int, Path, str], Routine] = {}
        self.kernel: dict[str, Routine] = {}
        self.contract = {*roots(game.source), *text.aliases.values()}

    def routine(self, home: Mapping[Path, Any], source: Source, tree: ast.FunctionDef) -> Routine:
        """Return a function of the rules, or of a guest; those of the contract are copied into their callers.

        `home` are the executed files that it belongs to.
        """
        key = (id(home), source.path, tree.name)
        if key not in self.routines:
            named = self.game.source.find(tree.name)
            contract = tree.name in self.contract and named is not None and named[1] is tree
            inline = contract and self.size(source, tree, ()) <= SMALL
            self.routines[key] = Routine(self.file(home, source), tree.name, tree, inline=inline, contract=contract)
        return self.routines[key]

    def size(self, source: Source, tree: ast.FunctionDef, above: tuple[ast.FunctionDef, ...]) -> int:
        """Return how large a function is with all that it calls, each call counted: its nodes of syntax.

        More than SMALL is not counted to the end, for calls of calls can double at every step.
        """
        total = len(list(ast.walk(tree)))
        for _, home, callee, _ in calls(source, tree):
            if total > SMALL or callee is tree or callee in above:
                break
            total += self.size(home, callee, (*above, tree))
        return total

    def file(self, home: Mapping[Path, Any], source: Source) -> Scope:
        """Return the scope of a file of rules, or of a guest."""
        key = (id(home), source.path)
        if key not in self.rules:
            number = self.files.index(source.path)
            self.rules[key] = Scope(number, source.path, lambda name: self.look_in_rules(home, source, name))
        return self.rules[key]

    def look_in_rules(self, home: Mapping[Path, Any], source: Source, name: str) -> Meaning | None:
        found = source.find(name)
        if found:
            return self.routine(home, *found)
        module, original = source.imported.get(name, ("", ""))
        if module == PRIMITIVES and original in WORDS:
            return Word(original)
        if module == "math":
            value = vars(home[source.path]).get(name)
            return meaning(value) if isinstance(value, int | float) else Word(f"math.{original}")
        if name in source.modules:
            helper = source.helpers.get(source.modules[name])
            if helper:
                return Module(self.file(home, helper))
            return Module(None) if source.modules[name] == "math" else None
        space = vars(home[source.path])
        if name in space:
            return meaning(space[name])
        return Word(name) if name in BUILTINS else None

    def look_in_kernel(self, name: str) -> Meaning | None:
        if name in self.kernel:
            return self.kernel[name]
        guest = self.text.guests.get(name)
        if guest is not None:
            own = guest.source.find(guest.name)
            return self.routine(guest.modules, *own) if own else None
        word = self.text.aliases.get(name, name)
        if word in self.numbers:
            return meaning(self.numbers[word])
        found = self.game.source.find(word) if word in self.contract else None
        if found:
            return self.routine(self.game.modules, *found)
        if name == "CHANCE":
            return Constant(-1)
        if name == "math":
            return Module(None)
        return Word(name) if name in WORDS else None

    def entry(self, name: str) -> Routine:
        """Return the kernel's functions as routines; the entry is the one to begin with."""
        for function, (file, tree) in self.text.functions.items():
            number = self.files.index(Path(file))
            self.kernel[function] = Routine(
                Scope(number, Path(file), self.look_in_kernel, trusted=True), function, tree
            )
        return self.kernel[name]


def kinds_of(
    record: RecordKind, max_moves: int, arguments: Mapping[str, str], bundle: ValueKind | None
) -> list[ValueKind]:
    """Return the kinds of an entry's arguments from their annotations."""
    known: dict[str, ValueKind] = {
        "States": StackKind(record),
        "Moves": ArrayKind(False, (None, max_moves)),
        "Ints": ArrayKind(False, (None,)),
        "Floats": ArrayKind(True, (None,)),
        "FloatRows": ArrayKind(True, (None, max_moves)),
        "int": INT,
        "float": FLOAT,
    }
    if bundle is not None:
        known["Bundle"] = bundle
    return [known[kind] for kind in arguments.values()]


def bundle_kind(record: RecordKind, max_moves: int, members: Mapping[str, Any]) -> BundleKind:
    """Return the kind of a bundle: `{"tree": [NODE], "run": RUN, "rng": [int], "states": "States"}`."""
    shared: dict[int, RecordKind] = {}

    def one(name: str, value: Any) -> ValueKind:
        if isinstance(value, str):
            return kinds_of(record, max_moves, {name: value}, None)[0]
        if isinstance(value, Kernel):
            return bundle_kind(record, max_moves, value.records)
        if isinstance(value, list):
            (item,) = value
            return ArrayKind(item is float, (None,)) if item in (int, float) else StackKind(fields(name, item))
        return fields(name, value)

    def fields(name: str, table: Mapping[str, Any]) -> RecordKind:
        if id(table) not in shared:
            shared[id(table)] = RecordKind(name, layout(table))
        return shared[id(table)]

    return BundleKind({name: one(name, value) for name, value in members.items()})


def translate(
    game: Any, kernel: Kernel, text: KernelText, numbers: Mapping[str, Any], files: Sequence[Path], checked: bool
) -> Compiled:
    """Return the module of a kernel for a game. Raises RuleError with file and line for what cannot be compiled.

    `files` are the files of rules and of the kernel's text, by whose numbers faults are known.
    """
    record = RecordKind("the state", game.fields)
    bundle = bundle_kind(record, game.max_moves, kernel.records) if kernel.records else None
    kinds = kinds_of(record, game.max_moves, kernel.arguments(), bundle)
    scopes = Scopes(game, text, numbers, files)
    name = kernel.entry.__name__
    inference = Inference()
    writer = ModuleWriter(inference, checked)
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(max(usual, DEEPEST))  # a chain of calls is followed to its end
    try:
        main = inference.function(scopes.entry(name), tuple(kinds))
        inference.settle(main)
        writer.find_circles()
        writer.need(main)
    except NotCompilable as error:
        raise RuleError(f"cannot be compiled: {error.reason}", error.path, error.line) from None
    except RecursionError:
        raise RuleError("cannot be compiled: an expression is nested too deeply", files[0]) from None
    finally:
        sys.setrecursionlimit(usual)
    door, signature, rows = _door(writer, main, kinds)
    body = "\n".join([HEAD, *writer.declared, *writer.definitions, door])
    letter = {INT: "q", FLOAT: "d", NOTHING: "n"}.get(main.result, "q")  # type: ignore[arg-type]
    return Compiled(body, signature, rows, letter, tuple(writer.faults.places))


def _door(writer: ModuleWriter, main: Typed, kinds: Sequence[ValueKind]) -> tuple[str, str, tuple[int, ...]]:
    """Write the C function that calls the kernel's entry."""
    taken, given, lines, signature, rows = [], [], [], "", []
    for k, kind in enumerate(kinds):
        text = kind.llvm(writer.checked)
        if kind in (INT, FLOAT):
            taken.append(f"{text} %a{k}")
            signature += "q" if kind is INT else "d"
            rows.append(0)
            given.append(f"{text} %a{k}")
            continue
        signature += "p"
        cells = kind.record.cells if isinstance(kind, StackKind) else kind.stride if isinstance(kind, ArrayKind) else 1
        rows.append(cells)
        taken.append(f"ptr %a{k}")
        if writer.checked:
            taken.append(f"i64 %n{k}")
        if text == SIZED:
            lines.append(f"  %h{k} = insertvalue {SIZED} poison, ptr %a{k}, 0")
            lines.append(f"  %s{k} = insertvalue {SIZED} %h{k}, i64 %n{k}, 1")
        given.append(f"{text} %s{k}" if text == SIZED else f"ptr %a{k}")
    if writer.needs_stack(main):
        writer.declare("declare ptr @llvm.frameaddress.p0(i32)")
        lines += [
            "  %frame = call ptr @llvm.frameaddress.p0(i32 0)",
            "  %here = ptrtoint ptr %frame to i64",
            f"  %low = sub i64 %here, {STACK}",
        ]
        given.append("i64 %low")
    fails = writer.need(main)
    back = main.result
    assert back is not None
    if back not in (BOOL, INT, FLOAT, NOTHING):
        raise RuleError(f"cannot be compiled: a kernel returns a number, not {back.word}")
    result = returned(back, fails, writer.checked)
    call = f"call {result} {main.symbol}({', '.join(given)})"
    lines.append(f"  {call}" if result == "void" else f"  %r = {call}")
    found, fault = "%r", "0"
    if fails:
        fault = "%r" if back is NOTHING else "%f"
        if back is not NOTHING:
            lines += [f"  %v = extractvalue {result} %r, 0", f"  %f = extractvalue {result} %r, 1"]
            found = "%v"
    if back is BOOL:
        lines += [f"  %z = zext i1 {found} to i64", "  store i64 %z, ptr %back"]
    elif back is not NOTHING:
        lines.append(f"  store {back.llvm(False)} {found}, ptr %back")
    head = f"define i64 @entry({', '.join(['ptr %back', *taken])}) nounwind {{"
    return "\n".join([head, *lines, f"  ret i64 {fault}", "}"]), signature, tuple(rows)
