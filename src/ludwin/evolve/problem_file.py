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
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(one, ast.Name) and one.id == PROBLEM for one in targets):
            return True
    return False


def open_problem(source: Source) -> Problem:
    """Run a file and return its problem. Raises UnknownExperiment or RuleError."""
    voices.announce(str(source.path) if not source.path.is_relative_to(Path.cwd()) else _short(source.path))
    with voices.aside():
        module = execute(source, {})[source.path]
    found = getattr(module, PROBLEM, None)
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
