"""Kernel text: a search as syntax trees, gathered from the functions that make it up.

Why it is here.  The specialiser needs the text of a search, not its compiled form.  A `Kernel` names
an entry function; its text is that function and every function that it calls, in its own module
or in another kernel module, plus those that are handed in (`bind`).  One flat set of names: two
functions of the same name in one kernel are a mistake.
"""

import ast
import copy
import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from ludwin.rules.source import Source, hashed

FREE = "ludwin.kernel.names"
Bound = Mapping[str, "int | float | str | Kernel | Guest | Callable[..., Any]"]


@dataclass(frozen=True)
class Guest:
    """A function of a user's file that is no part of the game: a driver, compiled with the kernel that calls it.

    `mark` is a hash of all that the function depends on; two guests of one mark are the same.
    """

    mark: str
    name: str
    source: Source = field(compare=False, repr=False)
    modules: Mapping[Path, ModuleType] = field(compare=False, repr=False)  # the file and its helpers, executed

    @property
    def function(self) -> Callable[..., Any]:
        """The function as plain Python."""
        found: Callable[..., Any] = vars(self.modules[self.source.path])[self.name]
        return found


@dataclass(frozen=True)
class Kernel:
    """A search that can be specialised to any game.

    `name` is what people read while it compiles. `entry` is the function to call; its arguments are annotated with the
    kinds of `ludwin.kernel.names`. `needs` names optional functions of the game without which it makes no
    sense. `bind` hands in ideas for names of the text: numbers, functions of kernel text, or, as a
    text, the name of another function of the game (`{"evaluate": "evaluate_twist"}`). A whole kernel
    can be handed in, too: its names stay its own. `records` declares the workspaces of an argument of kind `Bundle`
    (`ludwin.kernel.bundle`).
    """

    name: str
    entry: Callable[..., Any]
    needs: tuple[str, ...] = ()
    bind: Bound = field(default_factory=dict, hash=False)
    records: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def arguments(self) -> dict[str, str]:
        """Return the entry's arguments and their kinds, in order."""
        node = _module(self.entry.__module__)[1][self.entry.__name__]
        return {a.arg: ast.unparse(a.annotation) if a.annotation else "?" for a in node.args.args}

    def text(self, defaults: Mapping[str, Callable[..., Any]]) -> "KernelText":
        """Gather the kernel's functions; a free name found in `defaults` brings that function in."""
        text = KernelText({}, {}, set(), {}, {})
        _gather(self.entry, self.entry.__name__, dict(self.bind), defaults, text)
        return text


@dataclass
class KernelText:
    """The functions of a kernel (callees first), its constants, and the names it leaves free."""

    functions: dict[str, tuple[str, ast.FunctionDef]]  # name -> (file, tree)
    constants: dict[str, Any]
    free: set[str]
    aliases: dict[str, str]  # free name -> the game's function that it means
    guests: dict[str, Guest]  # free name -> a function of another file

    def source(self) -> str:
        """Return what a fingerprint is made of: which functions of which texts, and the numbers and names bound in
        them.
        """
        texts = {file: _hash_of(file) for file, _ in self.functions.values()}
        functions = [(name, texts[file], tree.lineno) for name, (file, tree) in self.functions.items()]
        guests = [sorted((word, guest.mark, guest.name) for word, guest in self.guests.items())] if self.guests else []
        return repr((functions, sorted(self.constants.items()), sorted(self.aliases.items()), *guests))


def kernel_from_text(
    name: str, entry: str, text: str, bind: Bound | None = None, records: Mapping[str, Any] | None = None
) -> Kernel:
    """Return a kernel whose functions are in a generated text instead of a file of ours."""
    module_name = f"ludwin_text_{hashed(text.encode()).hex()[:24]}"
    if module_name not in sys.modules:
        module = ModuleType(module_name)
        vars(module).update(__text__=text, __file__=f"<{module_name}>")
        exec(compile(text, f"<{module_name}>", "exec"), vars(module))
        sys.modules[module_name] = module
    return Kernel(name, getattr(sys.modules[module_name], entry), bind=bind or {}, records=records or {})


@lru_cache(maxsize=None)
def _module(name: str) -> tuple[ModuleType, dict[str, ast.FunctionDef], dict[str, tuple[str, str]]]:
    """Return a module with the trees of its functions and its `from … import` names."""
    module = importlib.import_module(name)
    tree = ast.parse(getattr(module, "__text__", None) or Path(str(module.__file__)).read_text(encoding="utf8"))
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    imported = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            imported.update({a.asname or a.name: (node.module, a.name) for a in node.names})
    return module, functions, imported


@lru_cache(maxsize=None)
def _hash_of(file: str) -> str:
    """Return the hash of a text of ours, in a file or generated (then its name is one)."""
    return file if file.startswith("<") else hashed(Path(file).read_bytes()).hex()


def _gather(
    function: Callable[..., Any],
    name: str,
    bind: dict[str, Any],
    defaults: Mapping[str, Callable[..., Any]],
    text: KernelText,
) -> None:
    module, functions, imported = _module(function.__module__)
    tree = functions[function.__name__]
    known = text.functions.get(name)
    if known is not None:
        assert known[1] is tree or ast.dump(known[1]) == ast.dump(_named(tree, name)), (
            f"two kernel functions are called {name}"
        )
        return
    text.functions[name] = (module.__file__ or "?", tree)  # reserves the name; moved behind its callees below
    for word in _words(tree):
        if word == name or any(word in known for known in (text.constants, text.free, text.aliases, text.guests)):
            continue
        if word in bind:
            _take(word, bind[word], bind, defaults, text)
        elif word in functions:
            _gather(getattr(module, word), word, bind, defaults, text)
        elif word in imported:
            home, original = imported[word]
            if home == FREE and word in defaults:
                _gather(defaults[word], word, {k: v for k, v in bind.items() if k != word}, defaults, text)
            elif home in (FREE, "ludwin.primitives"):
                text.free.add(word)
            elif home.startswith("ludwin."):
                _take(word, getattr(importlib.import_module(home), original), bind, defaults, text)
        else:  # a constant of the module, or a stand-in that nothing was bound to
            _take(word, getattr(module, word, None), bind, defaults, text)
    del text.functions[name]
    text.functions[name] = (module.__file__ or "?", _named(tree, name))


def _take(
    word: str, value: Any, bind: dict[str, Any], defaults: Mapping[str, Callable[..., Any]], text: KernelText
) -> None:
    if isinstance(value, Kernel):
        _take_kernel(word, value, defaults, text)
    elif isinstance(value, Guest):
        text.guests[word] = value
    elif isinstance(value, str):
        text.aliases[word] = value
    elif isinstance(value, FunctionType):
        _gather(value, word, bind, defaults, text)
    elif isinstance(value, int | float) or (isinstance(value, tuple) and value):  # a number, or a table of them
        text.constants[word] = value


def _take_kernel(word: str, kernel: Kernel, defaults: Mapping[str, Callable[..., Any]], text: KernelText) -> None:
    """Take in another kernel under the name `word`, all its own names prefixed by it."""
    inner = kernel.text(defaults)
    names = {name: f"{word}_{name}" for name in (*inner.functions, *inner.constants, *inner.aliases, *inner.guests)}
    names[kernel.entry.__name__] = word
    for name, (file, tree) in inner.functions.items():
        text.functions[names[name]] = (file, _Rename(tree, names).visit(copy.deepcopy(tree)))
    text.constants |= {names[name]: value for name, value in inner.constants.items()}
    text.aliases |= {names[name]: value for name, value in inner.aliases.items()}
    text.guests |= {names[name]: value for name, value in inner.guests.items()}
    text.free |= inner.free


class _Rename(ast.NodeTransformer):
    """Renames what is global in a function; its own variables keep their names."""

    def __init__(self, tree: ast.FunctionDef, names: Mapping[str, str]):
        self.names = {old: new for old, new in names.items() if old not in _locals(tree)}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)


def _locals(tree: ast.FunctionDef) -> set[str]:
    return _names(tree)[0]


def _words(tree: ast.FunctionDef) -> list[str]:
    return _names(tree)[1]


@lru_cache(maxsize=None)
def _names(tree: ast.FunctionDef) -> tuple[set[str], list[str]]:
    """Return the names that are local to a function, and the others that it uses, in the order of the text."""
    local = {a.arg for a in tree.args.args}
    used: dict[str, None] = {}
    for statement in tree.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Store):
                    local.add(node.id)
                used.setdefault(node.id, None)
    return local, [name for name in used if name not in local]


def _named(tree: ast.FunctionDef, name: str) -> ast.FunctionDef:
    """Return a function under another name, a copy if it bears another one so far."""
    if tree.name == name:
        return tree
    tree = copy.deepcopy(tree)
    tree.name = name
    return tree
