"""A game file as a value: its text, its parameters, and the helper files that it imports.

Why it is here.  The same text is executed three ways (plain, checked, fast), so it is read once and
kept as a syntax tree.  Parameters are the file's capital constants: `chomp:rows=2` replaces the
number behind `ROWS` in the tree, before anything derived from it is computed.  Helper modules that
lie beside the file are read the same way and belong to its fingerprint, so that an edited helper
is never stale.
"""

import ast
import copy
import sys
import types
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter, RuleError, did_you_mean, told
from ludwin.rules.contract import COMPILED, NOT_PARAMETERS, WORLD
from ludwin.rules.folder import OURS, PARTS, PEOPLE_LIVE_IN, RULES, is_folder, part_file
from ludwin.rules.watch import one_process

try:  # as `random` does: `hashlib` would load OpenSSL, 3 ms and 3.5 MB for the same figures
    from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    try:
        from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore] # its name since Python 3.12
    except ImportError:
        from hashlib import sha256

Scalar = int | float | bool | str
PRIMITIVES = "ludwin.primitives"
OUR_GAMES = "ludwin.games."


@dataclass(frozen=True)
class Source:
    """One file of rules, parsed; nothing of it has run yet."""

    path: Path
    text: str
    tree: ast.Module
    helpers: Mapping[str, "Source"]  # by the name under which the file imports them
    home: Path | None = None  # the folder, if the game is one and this file its rules

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """The functions defined at the top of the file, by name."""
        return {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}

    @cached_property
    def imported(self) -> dict[str, tuple[str, str]]:
        """Local name -> (module, name there) for every `from module import name`."""
        found = {}
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    found[alias.asname or alias.name] = (_module(node), alias.name)
        return found

    @cached_property
    def is_world(self) -> bool:
        """Whether the file is a world that ticks: it declares CONTROLS, or imports them from a helper."""
        return "CONTROLS" in self.imported or any(target.id == "CONTROLS" for target, _ in _constants(self.tree))

    @property
    def contract(self) -> dict[str, tuple[str, ...]]:
        """The compiled functions that the contract knows, required and optional, with their arguments."""
        return WORLD if self.is_world else COMPILED

    @cached_property
    def modules(self) -> dict[str, str]:
        """Local name -> module for every `import module`."""
        found = {}
        for node in self.tree.body:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found[alias.asname or alias.name.partition(".")[0]] = alias.name
        return found

    @cached_property
    def parameters(self) -> dict[str, Scalar]:
        """Lower-case name -> default, in the order of the file; those of helpers by import."""
        found: dict[str, Scalar] = {}
        for name, value in _literals(self.tree):
            found[name.lower()] = value
        for local, (module, name) in self.imported.items():
            helper = self.helpers.get(module)
            if helper and local == name and name.lower() in helper.parameters:
                found.setdefault(name.lower(), helper.parameters[name.lower()])
        return found

    def place(self, node: ast.AST) -> tuple[Path, int]:
        """Return the file and line of a node, for error messages."""
        return self.path, getattr(node, "lineno", 1)

    def family(self) -> Iterator["Source"]:
        """Yield this file and every helper below it, each once."""
        seen = set()
        stack = [self]
        while stack:
            source = stack.pop()
            if source.path not in seen:
                seen.add(source.path)
                yield source
                stack.extend(reversed(list(source.helpers.values())))

    def read_part(self, role: str) -> "Source | None":
        """Read a part of a game's folder, once; None if there was none then. Raises RuleError."""
        if role not in self._read_parts:
            path = part_file(self.home, role) if self.home else None
            known = {source.path: source for source in self.family()}
            self._read_parts[role] = read(path, known=known) if path else None
        return self._read_parts[role]

    @cached_property
    def _read_parts(self) -> dict[str, "Source | None"]:
        return {}

    def whole(self) -> Iterator["Source"]:
        """Yield the family and, of a folder, every part with its helpers: all that may ever be executed."""
        seen = set()
        for owner in (self, *(self.read_part(role) for role in PARTS if self.home)):
            for source in owner.family() if owner else ():
                if source.path not in seen:
                    seen.add(source.path)
                    yield source

    @cached_property
    def texts_hash(self) -> str:
        """A hash of this file, of every helper below it and of the parts of its folder, as they are written: known
        before anything of it has run.
        """
        return digest([(source.path.name, source.text) for source in self.whole()])

    def find(self, name: str) -> tuple["Source", ast.FunctionDef] | None:
        """Return the function that `name` means in this file, and the file that defines it."""
        if name in self.functions:
            return self, self.functions[name]
        module, original = self.imported.get(name, ("", ""))
        helper = self.helpers.get(module)
        return helper.find(original) if helper else None


def _literals(tree: ast.Module) -> Iterator[tuple[str, Scalar]]:
    """Yield (NAME, value) for each capital constant that is given as a literal number or text."""
    for target, value in _constants(tree):
        try:
            literal = ast.literal_eval(value)
        except ValueError:
            continue
        if isinstance(literal, int | float | bool | str):
            yield target.id, literal


def _constants(tree: ast.Module) -> Iterator[tuple[ast.Name, ast.expr]]:
    """Yield every top-level `NAME = expression` whose name may be a parameter, tuples unpacked."""
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            pairs: list[tuple[ast.expr, ast.expr]] = [(node.target, node.value)]
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if (
                isinstance(target, ast.Tuple)
                and isinstance(node.value, ast.Tuple)
                and len(target.elts) == len(node.value.elts)
            ):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            else:
                pairs = [(target, node.value)]
        else:
            continue
        for target, value in pairs:
            if (
                isinstance(target, ast.Name)
                and target.id.isupper()
                and not target.id.startswith("_")
                and target.id not in NOT_PARAMETERS
            ):
                yield target, value


def read(path: Path, _above: tuple[Path, ...] = (), known: dict[Path, Source] | None = None) -> Source:
    """Read and parse a game, a file or a folder, with the helpers beside it; what is `known` is not read again, and
    what was read is known.

    Raises RuleError with file and line for a syntax error or a circle of imports.
    """
    path = path.resolve()
    known = {} if known is None else known
    home = path if path.is_dir() else None
    if home is not None:
        path = home / RULES
    if path in _above:
        raise RuleError("helper files import each other in a circle", path, 1)
    try:
        text = path.read_text(encoding="utf-8-sig")
        tree = ast.parse(text, filename=str(path))
    except SyntaxError as error:
        raise RuleError(f"this is not Python: {error.msg}", path, error.lineno) from None
    except UnicodeDecodeError:
        raise RuleError("this file is not UTF-8 text", path) from None
    except (RecursionError, MemoryError):
        raise RuleError("this is not Python that can be read: something is nested too deeply", path, 1) from None
    except ValueError as error:
        raise RuleError(f"this is not Python: {error}", path, 1) from None
    except OSError as error:
        raise RuleError(f"cannot be read: {error.strerror}", path) from None
    _name_parts(tree)
    helpers: dict[str, Source] = {}
    for module in _imports(tree):
        beside = _beside(path, module)
        if beside:
            helpers[module] = known.get(beside) or read(beside, (*_above, path), known)
    known[path] = Source(path, text, tree, helpers, home)
    return known[path]


def _module(node: ast.ImportFrom) -> str:
    """Return the module that a statement imports from, with the dots before it."""
    return "." * node.level + (node.module or "")


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that are imported at the top of a file or inside its functions."""
    stack: list[ast.stmt] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield _module(node)
        else:
            stack.extend(_inside(node))


def _name_parts(tree: ast.Module) -> None:
    """Let an import from one of our games that is a folder name the part that has each name.

    `from ludwin.games.draughts import moves, name` means the same whether draughts is a file or a folder.
    """
    for place, node in reversed(list(enumerate(tree.body))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(OUR_GAMES) or node.level:
            continue
        module = node.module or ""
        home = OURS / module.removeprefix(OUR_GAMES)
        if "." in module.removeprefix(OUR_GAMES) or not is_folder(home):
            continue
        own = read(home / RULES)
        sorted_out: dict[str, list[ast.alias]] = {}
        for alias in node.names:
            role = PEOPLE_LIVE_IN.get(alias.name, "rules")
            if alias.name in own.functions or alias.name in own.imported or not part_file(home, role):
                role = "rules"
            sorted_out.setdefault(role, []).append(alias)
        tree.body[place : place + 1] = [
            ast.copy_location(ast.ImportFrom(f"{module}.{role}", names, 0), node) for role, names in sorted_out.items()
        ]


def _beside(path: Path, module: str) -> Path | None:
    """Return the helper file that `module` means: in the game's folder or package, or one of our own games."""
    names = module.split(".")
    if module.startswith(OUR_GAMES):
        found = OURS.joinpath(*names[2:])
        found = found / RULES if is_folder(found) else found.with_name(f"{names[-1]}.py")
    elif module.startswith(".") and module.count(".") == 1:
        found = path.parent / f"{names[-1]}.py"
    elif names[0] in sys.stdlib_module_names or not names[0]:
        return None
    elif len(names) == 1:
        found = path.parent / f"{module}.py"
    else:  # written in full, from the package that the game lies in
        roots = [above.parent for above in path.parents if above.name == names[0] and (above / "__init__.py").is_file()]
        if not roots or names[0] == "ludwin":
            return None
        found = roots[-1].joinpath(*names[:-1], f"{names[-1]}.py")
    return found.resolve() if found.is_file() and found.resolve() != path else None


def settle(source: Source, given: Mapping[str, object], name: str) -> dict[str, Scalar]:
    """Return the parameters that differ from the file's defaults, checked and converted.

    Values may be texts, as they come from a command line, or Python values.
    """
    settled = {}
    for key, value in given.items():
        if key not in source.parameters:
            known = ", ".join(f"{k}={v}" for k, v in source.parameters.items())
            hint = did_you_mean(key, source.parameters)
            raise BadParameter(
                f"{name} has no parameter {key!r}{hint} (it has {known})"
                if known
                else f"{name} has no parameters, got {key!r}"
            )
        settled[key] = _convert(name, key, value, source.parameters[key])
    return {
        key: settled[key] for key, default in source.parameters.items() if key in settled and settled[key] != default
    }


def _convert(name: str, key: str, value: object, default: Scalar) -> Scalar:
    kind = type(default)
    text = str(value).strip()
    try:
        if kind is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        if kind is int:
            return int(text)
        return kind(text)
    except (ValueError, KeyError):
        word = {bool: "true or false", int: "a whole number", float: "a number"}[kind]
        raise BadParameter(f"{name}: {key} must be {word}, got {text!r}") from None


class _Override(ast.NodeTransformer):
    """Replaces the literals behind parameters, and points imports at our copies of the helpers."""

    def __init__(self, values: Mapping[int, Scalar], renamed: Mapping[str, str]):
        self.values = values  # by the identity of the node
        self.renamed = renamed

    def visit_Import(self, node: ast.Import) -> ast.Import:
        names = [
            ast.alias(self.renamed.get(a.name, a.name), a.asname or (a.name if a.name in self.renamed else None))
            for a in node.names
        ]
        return ast.copy_location(ast.Import(names), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        found = self.renamed.get(_module(node))
        return ast.copy_location(ast.ImportFrom(found or node.module, node.names, 0 if found else node.level), node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if id(node) in self.values:
            return ast.copy_location(ast.Constant(self.values[id(node)]), node)
        return super().generic_visit(node)


def execute(source: Source, values: Mapping[str, Scalar]) -> dict[Path, types.ModuleType]:
    """Run a file and its helpers as ordinary Python with these parameters; return them as modules.

    This is plain mode: what runs is the text of the file, line for line, so that a debugger stops
    where the author wrote a breakpoint. The modules are new: two sets of parameters never meet.
    """
    done: dict[Path, types.ModuleType] = {}
    reached: dict[Path, set[str]] = {}
    _reach_helpers(source, set(values), reached)
    _execute(source, values, done, reached)
    return done


def _reach_helpers(source: Source, keys: set[str], reached: dict[Path, set[str]]) -> None:
    """Note which parameters reach which file: along every way of imports, for whoever is run first runs it for all."""
    known = reached.get(source.path)
    new = keys if known is None else keys - known
    if known is not None and not new:
        return
    reached[source.path] = (known or set()) | new
    for helper in source.helpers.values():
        _reach_helpers(helper, {key for key in new if key in helper.parameters}, reached)


def execute_beside(source: Source, done: dict[Path, types.ModuleType]) -> types.ModuleType:
    """Run a part of a game's folder beside files that have been run; return it as a module.

    Parameters are the rules': a part sees them by importing from there.
    """
    if source.path not in done:
        _execute(source, {}, done, {})
    return done[source.path]


def _execute(
    source: Source,
    given: Mapping[str, Scalar],
    done: dict[Path, types.ModuleType],
    reached: Mapping[Path, set[str]],
) -> None:
    values = {key: value for key, value in given.items() if key in reached.get(source.path, ())}
    renamed = {}
    for name, helper in source.helpers.items():
        if helper.path not in done:
            _execute(helper, given, done, reached)
        renamed[name] = done[helper.path].__name__
    module = types.ModuleType(f"_ludwin_{source.path.stem}_{digest(source.text, str(source.path), values)[:12]}")
    module.__file__ = str(source.path)
    sys.modules[module.__name__] = done[source.path] = module
    try:
        with no_answers(), one_process():
            exec(compile(_override(source, values, renamed), str(source.path), "exec"), vars(module))
    except RuleError:
        raise
    except RecursionError as error:
        raise _deep(error, source) from None
    except (Exception, SystemExit) as error:
        if values and isinstance(error, ValueError):
            raise BadParameter(f"{_called(source.path)}: {error}") from None
        raise fault(error, [source]) from None
    for name, value in vars(module).items():
        if not name.startswith("__"):
            vars(module)[name] = _pythons(value)


def _called(path: Path) -> str:
    """Return the name of the game that a file belongs to: its own, or that of the folder that a game is."""
    return path.parent.name.replace("_", "-") if is_folder(path.parent) else path.stem


@contextmanager
def no_answers() -> Iterator[None]:
    """Let nobody wait for an answer: a file that asks for input gets none, and that is told."""
    before = sys.stdin
    import io

    sys.stdin = io.StringIO()
    try:
        yield
    finally:
        sys.stdin = before


def _deep(error: RecursionError, source: Source) -> RuleError:
    found = fault(error, [source])
    return found if found.line else RuleError("something is nested too deeply to be read", source.path, 1)


def _pythons(value: Any, depth: int = 0) -> Any:
    """Return NumPy's numbers as Python's, alone and in tables: they wrap round, Python's and compiled ones are
    examined.
    """
    if is_numpys(value) and getattr(value, "shape", None) == ():
        number = value.item()
        return number if isinstance(number, int | float) else value
    if is_numpys(value) and type(value).__name__ == "ndarray" and value.dtype.kind in "biuf":
        return value.view(_plain_array())
    if type(value) in (list, tuple) and depth < 6 and any(_holds_numpy(item, depth) for item in value):
        return type(value)(_pythons(item, depth + 1) for item in value)
    return value


def _holds_numpy(value: Any, depth: int) -> bool:
    if type(value) in (list, tuple):
        return depth < 6 and any(_holds_numpy(item, depth + 1) for item in value)
    return is_numpys(value) and getattr(value, "shape", None) == ()


def is_numpys(value: Any) -> bool:
    """Tell whether something is a number or a table of NumPy's, without importing it."""
    return type(value).__module__ == "numpy" or (hasattr(value, "dtype") and hasattr(value, "tolist"))


@lru_cache(maxsize=None)
def _plain_array() -> type:
    """Return NumPy's arrays, but that their cells are Python's numbers, which is what compiled code takes them for."""
    from numpy import ndarray

    class PlainArray(ndarray):  # type: ignore[type-arg, misc, unused-ignore]
        def __getitem__(self, index: Any) -> Any:
            found = super().__getitem__(index)
            return found.item() if getattr(found, "shape", None) == () else found

        def __iter__(self) -> Iterator[Any]:
            return (self[i] for i in range(len(self)))

    return PlainArray


def _override(source: Source, values: Mapping[str, Scalar], renamed: Mapping[str, str]) -> ast.Module:
    """Return the tree to run. Only statements that must change are copied; all others are the source's own.

    Reading the text a second time took a third of loading a game, mostly for files in which nothing changes.
    """
    if not values and not renamed:
        return source.tree
    given = {
        id(node): values[target.id.lower()] for target, node in _constants(source.tree) if target.id.lower() in values
    }
    body = []
    for statement in source.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):  # a new node is made, nothing has to be copied
            statement = ast.fix_missing_locations(_Override({}, renamed).visit(statement)) if renamed else statement
        elif _holds(statement, given) or (renamed and _imports_one_of(statement, renamed)):
            twins: dict[int, Any] = {}  # deepcopy notes here what each node became
            fresh = copy.deepcopy(statement, twins)
            replaced = {id(twins[old]): value for old, value in given.items() if old in twins}
            statement = ast.fix_missing_locations(_Override(replaced, renamed).visit(fresh))
        body.append(statement)
    return ast.Module(body, source.tree.type_ignores)


def _holds(statement: ast.stmt, nodes: Mapping[int, object]) -> bool:
    """Tell whether an assignment gives a parameter its default (`_constants` looks no deeper)."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    parts = statement.value.elts if isinstance(statement.value, ast.Tuple) else []
    return any(id(node) in nodes for node in (statement.value, *parts))


def _imports_one_of(statement: ast.stmt, names: Mapping[str, str]) -> bool:
    """Tell whether a statement, or one inside it, imports one of these modules; expressions hold no imports."""
    if isinstance(statement, ast.Import):
        return any(alias.name in names for alias in statement.names)
    if isinstance(statement, ast.ImportFrom):
        return _module(statement) in names
    return any(_imports_one_of(inner, names) for inner in _inside(statement))


def _inside(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements directly inside a statement, those of its handlers and cases too."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, name, ()):
            if isinstance(inner, ast.stmt):
                yield inner
            else:
                yield from _inside(inner)


def fault(error: BaseException, family: list[Source]) -> RuleError:
    """Turn an exception that left a game file into one line with the author's file and line."""
    paths = {str(source.path) for source in family}
    place, line = None, None
    if isinstance(error, SyntaxError) and error.filename in paths:
        return RuleError(f"this is not Python: {error.msg}", error.filename, error.lineno)
    trace = error.__traceback__
    while trace:
        name = trace.tb_frame.f_code.co_filename
        if name in paths:
            place, line = name, trace.tb_lineno
        trace = trace.tb_next
    kind = type(error).__name__
    text = told(error)[:300] or kind
    reason = text if isinstance(error, RuleError) else f"{kind}: {text}" if text != kind else kind
    if isinstance(error, SystemExit):
        reason = "the file ends Python itself (sys.exit): raise ValueError to refuse a parameter"
    return RuleError(reason, place or family[0].path, line)


def hashed(blob: bytes) -> bytes:
    """Return the SHA-256 of some bytes."""
    found: bytes = sha256(blob).digest()
    return found


def digest(*parts: object) -> str:
    """Return a hash of the texts of all parts; equal parts in the same order, equal hash."""
    h = sha256()
    for part in parts:
        blob = part if isinstance(part, bytes) else repr(part).encode()
        h.update(len(blob).to_bytes(8, "little") + blob)
    return str(h.hexdigest())
