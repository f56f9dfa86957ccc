"""Problems from users' files: `ludwin evolve ./problem.py`.

Why it is here.  A file that defines a problem is code, as a game is: it runs when somebody names it, after it has been
announced, and a run of it stores its name and a hash of its texts, never the code.  It defines `PROBLEM`, a `Problem`;
what it registers (`@selection` and the like) is there before its settings are read.
"""

import ast
from pathlib import Path

from ludwin.errors import UnknownExperiment
from ludwin.evolve.experiment import Experiment
from ludwin.evolve.problem import Problem
from ludwin.library import is_path, split
from ludwin.paths import is_file, typed
from ludwin.rules.source import Source, execute, read
from ludwin.search import choice as voices

PROBLEM = "PROBLEM"
FIELDS = "FIELDS"  # what every game has


def problem_source(text: str) -> Source | None:
    """Return the parsed file of a problem, if a text names one; nothing of it is run. Raises RuleError."""
    try:
        name, _ = split(text)
    except ValueError:
        return None
    if not is_path(name) or not name.endswith(".py"):
        return None
    path = typed(name)
    if not is_file(path):
        return None
    source = read(path)
    return source if _defines_problem(source.tree) else None


def _defines_problem(tree: ast.Module) -> bool:
    """Tell whether a file says `PROBLEM = …` anywhere, or makes a problem by another name and is no game."""
    named: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            named.add(node.id)
        elif isinstance(node, ast.alias):
            named.add(node.asname or node.name)
    makes_one = any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == Problem.__name__
        for node in ast.walk(tree)
    )
    return PROBLEM in named or (makes_one and FIELDS not in named)


def open_problem(source: Source) -> Problem:
    """Run a file and return its problem. Raises UnknownExperiment or RuleError."""
    voices.announce(str(source.path) if not source.path.is_relative_to(Path.cwd()) else _short(source.path))
    with voices.aside():
        module = execute(source, {})[source.path]
    if not hasattr(module, PROBLEM):
        raise UnknownExperiment(
            f"{source.path.name} defines no {PROBLEM}: name the problem that is to be run, {PROBLEM} = Problem(…)"
        )
    found = getattr(module, PROBLEM)
    if not isinstance(found, Problem):
        raise UnknownExperiment(
            f"{source.path.name}: {PROBLEM} must be a ludwin.evolve.Problem, got {type(found).__name__}"
        )
    return found


def problem_experiment(source: Source) -> Experiment:
    """Return the experiment of a problem's file, by the name that its runs store. Raises LudwinError."""
    return open_problem(source).experiment(source.path.name, {"texts": source.texts_hash})


def _short(path: Path) -> str:
    return f"./{path.relative_to(Path.cwd())}"
