"""One search, one game, one mode: the text of the search, run with the game's own functions.

Why it is here.  This is what makes a game file fast.  `specialise(game, kernel, mode)` binds the free names of the
kernel's text to the game's functions and returns its entry:

- `plain`: everything is ordinary Python on lists; the author's functions are the very ones.
- `guarded`: the same on the suspicious copy of the rules (`ludwin.rules.guard`), for `check`.
- `checked`: compiled, every index and every result examined.
- `fast`: compiled, raw pointers.

Compiled code is an image (`ludwin.kernel.image`) under a fingerprint of all it depends on: rules, helpers, parameters,
computed constants, kernel text, our own machinery.  An image that is there, in the package (`ludwin.kernel.ship`) or in
the cache, is loaded without a compiler; one that is not there is made by `ludwin.kernel.compiler`.
"""

import ast
import copy
import math
import os
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ludwin.primitives
from ludwin.errors import BadParameter, CannotPlay, LudwinError, RuleError
from ludwin.game import Game, State
from ludwin.kernel import cache, memory
from ludwin.kernel.asked import field_query, has_only_fields
from ludwin.kernel.brief import Brief, brief_of, remember, remembered
from ludwin.kernel.bundle import Bundle, Stack, described, plain_bundle
from ludwin.kernel.defaults import DEFAULTS
from ludwin.kernel.image import BadImage, Fault, Image, LoadedCode, NoExecution, load, supported, target, unpack
from ludwin.kernel.text import Kernel, KernelText, kernel_from_text
from ludwin.rules.contract import OPTIONAL, REQUIRED
from ludwin.rules.layout import Layout, cell_bits, fill, flatten
from ludwin.rules.reach import roots
from ludwin.rules.source import digest
from ludwin.settings import one_of
from ludwin.words import MODES

if TYPE_CHECKING:
    from ludwin.kernel.compiler.module import Compiled

COMPILERS = ("ludwin", "numba")
FEW = 10_000  # states that are made at once in plain mode; of more, those that are asked for
SPARE = 1024  # cells behind the last list of moves: rules that write more moves than MAX_MOVES are found afterwards
SHIPPED = os.path.join(os.path.dirname(os.path.dirname(__file__)), "images")  # what came with the package, if anything


def announce(line: str) -> None:
    """Tell that something compiles; the command line puts its own voice here."""


running: list["Specialised"] = []  # what compiled code was called last: for the last word, if it crashes


class Specialised:
    """A kernel bound to a game in one mode, with makers for the workspaces that it takes."""

    def __init__(self, game: Game, mode: str, entry: Callable[..., Any], places: list[Path], kernel: Kernel):
        self.game = game
        self.mode = mode
        self.entry = entry
        self.places = places
        self.kernel = kernel
        self.compiled = mode in ("checked", "fast")

    def __call__(self, *args: Any) -> Any:
        try:
            running[:] = (self,)
            return self.entry(*args)
        except Fault as fault:
            raise self._explain(fault) from None
        except RuleError as error:
            raise error if error.path else self.game.fault(error) from None
        except LudwinError:
            raise
        except RecursionError as error:
            raise self._too_deep(error) from None
        except (ArithmeticError, AssertionError, AttributeError, IndexError, NameError, TypeError, ValueError) as error:
            raise self.game.fault(error) from error

    def _too_deep(self, error: RecursionError) -> Exception:
        """Return the rules' fault if rules call rules; a search can be too deep for plain Python, too."""
        last = error.__traceback__
        while last and last.tb_next:
            last = last.tb_next
        rules = {str(source.path) for source in self.game.source.family()}
        return self.game.fault(error) if last and last.tb_frame.f_code.co_filename in rules else error

    def _explain(self, fault: Fault) -> RuleError:
        from ludwin.kernel.compiler.faults import explain

        assert isinstance(self.entry, LoadedCode)
        return explain(self.entry.index["faults"][fault.number - 1], self.places)

    def states(self, n: int) -> Any:
        """Return a stack of `n` states."""
        if self.compiled:
            return memory.Rows(n, self.game.fields.cells)
        make = self.game.guarded_class if self.mode == "guarded" else self.game.state_class
        return [make() for _ in range(n)] if n < FEW else Stack(make, n)

    def moves(self, n: int) -> Any:
        """Return a stack of `n` move lists."""
        if self.compiled:
            return memory.Rows(n, self.game.max_moves, spare=max(self.game.max_moves, SPARE))
        if self.mode == "guarded":
            from ludwin.rules.plain import Cells

            return [Cells([0] * self.game.max_moves, "a move") for _ in range(n)]
        return [[0] * self.game.max_moves for _ in range(n)]

    def ints(self, n: int) -> Any:
        """Return `n` integer cells."""
        return memory.ints(n) if self.compiled else [0] * n

    def floats(self, n: int) -> Any:
        """Return `n` float cells."""
        return memory.floats(n) if self.compiled else [0.0] * n

    def float_rows(self, n: int) -> Any:
        """Return a stack of `n` rows of MAX_MOVES floats."""
        if self.compiled:
            return memory.Rows(n, self.game.max_moves, real=True)
        return [[0.0] * self.game.max_moves for _ in range(n)]

    def bundle(self, **sizes: Any) -> Any:
        """Return all workspaces of the kernel as one; `sizes` says how many rows each stack or array has (1 unless
        told), and of a member that is the bundle of another kernel, its sizes.
        """
        if self.compiled:
            return Bundle(self, self.kernel.records, sizes)
        return plain_bundle(self, self.kernel.records, sizes)

    def put(self, states: Any, index: int, state: State) -> None:
        """Write a state into a stack."""
        if not self.compiled:
            fill(self.game.fields, states[index], state.cells)
            return
        row = list(state.cells)
        for i in self.game.fields.real_cells():
            row[i] = cell_bits(row[i], True)
        states[index] = row

    def get(self, states: Any, index: int) -> State:
        """Read a state from a stack."""
        if not self.compiled:
            return State(self.game, flatten(self.game.fields, states[index]))
        row = states[index].tolist()
        for i in self.game.fields.real_cells():
            row[i] = unbits(row[i])
        return State(self.game, tuple(row))


_known: dict[tuple[Game, Kernel, str, str], Specialised] = {}


def compiler() -> str:
    """Return which compiler makes code: ours, or numba if `LUDWIN_COMPILER` says so."""
    wanted = os.environ.get("LUDWIN_COMPILER") or "ludwin"
    if wanted not in COMPILERS:
        raise BadParameter(f"LUDWIN_COMPILER must be {' or '.join(COMPILERS)}, got {wanted!r}")
    return wanted


def specialise(game: Game, kernel: Kernel, mode: str = "fast") -> Specialised:
    """Return the kernel's entry for this game and mode, compiled or loaded from the cache.

    Raises CannotPlay if the game lacks a function that the kernel needs, RuleError if the rules
    cannot be compiled.
    """
    key = (game, kernel, mode, compiler())
    known = _known.get(key)
    if known is None:
        known = _known[key] = _specialise(*key)
    return known


def _specialise(game: Game, kernel: Kernel, mode: str, maker: str) -> Specialised:
    if mode in ("plain", "guarded"):
        return _interpreted(game, kernel, gathered(game, kernel), mode)
    one_of("mode", mode, MODES)
    if maker == "numba":
        try:
            from ludwin.kernel.by_numba.compile import compiled
        except ModuleNotFoundError:
            raise BadParameter("numba is not installed: pip install ludwin[numba], or unset LUDWIN_COMPILER") from None

        announce(f"compiling {kernel.name} for {game.text} with numba ({mode}) …")
        return compiled(game, kernel, gathered(game, kernel), mode, numbers(game))
    return _compiled(game, kernel, mode)


def gathered(game: Game, kernel: Kernel) -> KernelText:
    """Return a kernel's text for a game. Raises CannotPlay if the game lacks what it needs."""
    text = kernel.text(_defaults(game, kernel))
    if game.is_world and (missing := sorted(text.free & set(REQUIRED) - set(roots(game.source)))):
        raise CannotPlay(f"{kernel.name} needs {missing[0]}: {game.has_no_moves()}")
    return text


def _defaults(game: Game, kernel: Kernel) -> dict[str, Callable[..., Any]]:
    """Return the functions that stand in for what a game leaves out. Raises CannotPlay if a kernel needs more."""
    for name in (*kernel.needs, *(alias for alias in kernel.bind.values() if isinstance(alias, str))):
        if not game.source.find(name):
            arguments = {**OPTIONAL, **roots(game.source)}.get(name, ("s", "…"))
            raise CannotPlay(f"{kernel.name} needs {name}({', '.join(arguments)}), which {game.name} does not define")
    defaults = {name: f for name, f in DEFAULTS.items() if name not in game.offers}
    if game.senses is not None:
        return {**defaults, "query": sensed(game.senses)}
    return {**defaults, "query": field_query(game.fields, game.players)} if has_only_fields(game) else defaults


@lru_cache(maxsize=64)
def sensed(senses: Layout) -> Callable[..., Any]:
    """Return `query(s, p, k, a)` for programs in a world that ticks: s is a view, k the number of a sense."""
    lines = ["def query(s, p, k, a):"]
    for number, sense in enumerate(senses):
        value = f"s.{sense.name}" if sense.size is None else f"s.{sense.name}[a]"
        lines += [f"    if k == {number}:", f"        return 1.0 * {value}"]
    return kernel_from_text("senses", "query", "\n".join([*lines, "    return 0.0", ""])).entry


def numbers(game: Game) -> dict[str, Any]:
    """Return the numbers that kernel text may use."""
    return {
        "PLAYERS": game.players,
        "MAX_MOVES": game.max_moves,
        "MAX_PLIES": game.max_plies,
        "CELLS": game.fields.cells,
        "HALF_SUM": (game.payoff_sum or 0) / 2,
        "REDRAWS": int(game.redraws),
    }


# In Python.


def _interpreted(game: Game, kernel: Kernel, text: KernelText, mode: str) -> Specialised:
    if mode == "guarded":
        functions: dict[str, Any] = dict(game.guarded_functions)
    else:
        functions = {name: game.function(name) for name in roots(game.source) if game.source.find(name)}
    functions |= {word: functions[name] for word, name in text.aliases.items()}
    functions |= {word: guest.function for word, guest in text.guests.items()}
    space: dict[str, Any] = {
        name: getattr(ludwin.primitives, name) for name in vars(ludwin.primitives) if not name.startswith("_")
    }
    space |= {"copy": _copier(game), "cell": _cell(game), "bits": _bits, "unbits": unbits, "above": _above}
    space |= {"math": math, **functions, **numbers(game), **text.constants}
    for file, tree in text.functions.values():
        tree = copy.deepcopy(tree)
        for arg in tree.args.args:
            arg.annotation = None
        tree.returns = None
        exec(compile(ast.Module([tree], []), file, "exec"), space)
    return Specialised(game, mode, space[kernel.entry.__name__], [], kernel)


def _copier(game: Game) -> Callable[[Any, Any], None]:
    states = game.copy

    def copy(to: Any, source: Any) -> None:
        getattr(type(to), "_copier", states)(to, source)  # records of a search bring their own

    return copy


def _cell(game: Game) -> Callable[[Any, int], int]:
    where = [(f.name, None if f.size is None else i, f.real) for f in game.fields for i in range(f.cells)]

    def cell(s: Any, i: int) -> int:
        name, index, real = where[i]
        value = getattr(s, name)
        return cell_bits(value if index is None else value[index], real)

    return cell


def _bits(x: float) -> int:
    return cell_bits(x, True)


def unbits(x: int) -> float:
    """Return the float that 64 bits are."""
    return float(struct.unpack("<d", struct.pack("<q", x))[0])


def _above(x: float) -> float:
    return math.nextafter(x, math.inf)


# As machine code.


@lru_cache(maxsize=None)
def foundation() -> str:
    """Return a hash of our own machinery; nothing of it is imported."""
    folder = Path(__file__).parent
    files = [*sorted(folder.glob("*.py")), *sorted((folder / "compiler").glob("*.py"))]
    files += [Path(ludwin.primitives.__file__), folder.parent / "elementary.py", folder.parent / "rules" / "layout.py"]
    return digest([file.read_bytes() for file in files])


@lru_cache(maxsize=None)
def _llvm_version() -> str:
    from importlib.machinery import PathFinder

    found = PathFinder.find_spec("llvmlite")
    try:
        return (Path(str(found.origin)).parent / "_version.py").read_text(encoding="utf8") if found else ""
    except OSError:
        return ""


@lru_cache(maxsize=None)
def maker() -> str:
    """Return a hash of what compiles here: our machinery and the version of LLVM below it."""
    return digest(foundation(), _llvm_version())[:20]


@dataclass(frozen=True)
class Order:
    """What is to be compiled: a kernel for a game in a mode, with the files by whose numbers faults are known."""

    game: Game
    kernel: Kernel
    mode: str
    brief: Brief
    new: str = ""  # the key to remember the brief by, unless it was remembered

    @cached_property
    def text(self) -> KernelText:
        """The kernel's text, gathered when it is to be compiled."""
        return gathered(self.game, self.kernel)

    @cached_property
    def places(self) -> list[Path]:
        """The files of rules and kernel, by whose numbers faults are known."""
        places = [source.path for source in self.game.source.family()]
        return places + [path for path in map(Path, self.brief.files) if path not in places]

    def code(self, machine: str) -> str:
        """Return the name of the code for a machine, whoever compiles it: a hash of all that it must do.

        Images of the package are kept under this name. Which LLVM made them is not in it, for they are finished:
        they do the same beside another version of llvmlite, or beside none.
        """
        return f"{self._stem}_{digest(self._mark, machine)[:20]}"

    def name(self) -> str:
        """Return the name under which the code is kept in the cache: also a hash of the LLVM that compiles it.

        Whoever installs another version of llvmlite, be it to be rid of one of its bugs, gets its code.
        """
        return f"{self._stem}_{digest(self._mark, target(), _llvm_version())[:20]}"

    @property
    def _stem(self) -> str:
        """The part of a name that people read."""
        words = f"{self.game.name.rpartition('/')[2].removesuffix('.py')}_{self.kernel.name}"
        return f"ludwin_{self.mode}_{re.sub(r'[^a-zA-Z0-9]', '_', words)}"

    @cached_property
    def _mark(self) -> str:
        """A hash of all that the code must do."""
        records, entry = described(self.kernel.records), self.kernel.entry.__name__
        return digest(self.game.compiled_fingerprint, self.brief.source, entry, records, self.mode, foundation())

    def about(self) -> dict[str, str]:
        """Return what an image is for, in people's words, and what made it."""
        return {"game": self.game.text, "kernel": self.kernel.name, "mode": self.mode, "maker": maker()}

    def translate(self) -> "Compiled":
        """Return the module in LLVM's language. Raises RuleError for what cannot be compiled."""
        from ludwin.kernel.compiler.module import translate

        checked = self.mode == "checked"
        return translate(self.game, self.kernel, self.text, numbers(self.game), self.places, checked)


def order(game: Game, kernel: Kernel, mode: str) -> Order:
    """Return what there is to compile. Raises CannotPlay if the game lacks what the kernel needs."""
    if game.is_world:  # its text depends on what its players sense, too
        return Order(game, kernel, mode, brief_of(gathered(game, kernel)))
    defaults = _defaults(game, kernel)
    key, brief = remembered(kernel, defaults)
    if brief is not None:
        return Order(game, kernel, mode, brief)
    return Order(game, kernel, mode, brief_of(kernel.text(defaults)), new=key)


def _compiled(game: Game, kernel: Kernel, mode: str) -> Specialised:
    wanted = order(game, kernel, mode)
    try:
        code, _, _ = obtained(wanted)
    except NoExecution as error:
        announce(f"{error.strerror or error}; {kernel.name} runs as plain Python, which is slower")
        return _interpreted(game, kernel, gathered(game, kernel), "plain")
    remember(wanted.new, wanted.brief)
    return Specialised(game, mode, code, wanted.places, kernel)


def obtained(wanted: Order) -> tuple[LoadedCode, Image, str]:
    """Return code that is ready to run, its image, and where it is from: package, cache, or compiled just now."""
    found = _found(wanted)
    if found:
        return found
    name = wanted.name()
    with cache.lock(name):
        found = _found(wanted)  # another process may have compiled it meanwhile
        if found:
            return found
        announce(f"compiling {wanted.kernel.name} for {wanted.game.text} ({wanted.mode}, once) …")
        image = build(wanted)
        code = _start(image)
        cache.write(name, image.pack())
        return code, image, "compiled"


def is_made(game: Game, kernel: Kernel, mode: str) -> bool:
    """Tell whether nothing must be compiled for a kernel: it runs as plain Python, or its image is there."""
    return mode not in ("checked", "fast") or _found(order(game, kernel, mode)) is not None


def _found(wanted: Order) -> tuple[LoadedCode, Image, str] | None:
    """Return the code of an image that is there and in order."""
    for place, name, read in (("package", wanted.code(target()), _shipped), ("cache", wanted.name(), cache.read)):
        try:
            blob = read(name)
            if blob is not None:
                image = unpack(blob)
                if image.index["name"] == name:
                    return _start(image), image, place
        except BadImage:
            continue  # damaged, foreign or old: made anew
    return None


def _shipped(name: str) -> bytes | None:
    """Return an image that came with the package, if there is one."""
    if not os.path.exists(SHIPPED):
        return None
    from ludwin.kernel import ship

    return ship.read(os.path.join(SHIPPED, ship.file_name(target())), name)


def _start(image: Image) -> LoadedCode:
    if supported():
        return load(image)
    from ludwin.kernel.link import load_object

    return load_object(image.fixed, "entry", image.index)


def build(wanted: Order, made: "Compiled | None" = None) -> Image:
    """Return an image, compiled now for this machine; `made` is the module if it is there already."""
    from ludwin.kernel.compiler import machine

    made = made or wanted.translate()
    try:
        obj = machine.object_code(made.text)
    except RuntimeError as error:  # LLVM does not take what we wrote: our fault, not the author's
        reason = " ".join(str(error).split())[:200]
        what = f"{wanted.kernel.name} for {wanted.game.text}"
        raise RuleError(f"{what}: a fault of the compiler, please report it; --mode plain works ({reason})") from None
    if supported():
        return linked(wanted, made, obj, target(), wanted.name())
    # LLVM's own loader takes the object as it is.
    return _image(wanted, made, {"entry": 0, "bases": [], "imports": []}, obj, b"", target(), wanted.name())


def linked(wanted: Order, made: "Compiled", obj: bytes, machine: str, name: str) -> Image:
    """Return an image for Linux on a machine, be it this one or another, from an object file for it."""
    from ludwin.kernel.link import link

    return _image(wanted, made, *link(obj, "entry"), machine, name)


def _image(
    wanted: Order, made: "Compiled", index: dict[str, Any], fixed: bytes, data: bytes, machine: str, name: str
) -> Image:
    more = {
        "target": machine,
        "signature": made.signature,
        "rows": list(made.rows),
        "result": made.result,
        "checked": wanted.mode == "checked",
        "about": wanted.about(),
        "name": name,
        "faults": [list(fault) for fault in made.faults],
    }
    return Image({**index, **more}, fixed, data)
