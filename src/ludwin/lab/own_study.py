"""Studies of a user's own: `ludwin study ./my_study.toml`, games by agents by parameters by seeds.

Why it is here.  Most experiments are a product: every game, every agent with every value of its parameters, every
opponent, some seeds.  A file says which, and needs no code.  It becomes a table like those of the laboratory, so it
is recorded, resumed, drawn and reported by what does so for them.  A file in Python sets the same names, and may
compute them; it is code, and so may be the games and agents that it names.

    name = "how much exploration"
    games = ["connect-four", "./my_game.py"]
    agents = ["uct:playouts=100,c={c}"]
    opponents = ["uct:playouts=100"]
    play = 40
    seeds = [1, 2]

    [parameters]
    c = [0.5, 1, 2]
"""

import ast
import hashlib
import itertools
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ludwin import library, trust
from ludwin.errors import BadParameter, CannotPlay, LudwinError, brief
from ludwin.formats import List, Mismatch, Shape, Table, Text, Whole, examine, read_text
from ludwin.game import Game
from ludwin.lab.experiment import LabTable, TableRun, file_name, measured
from ludwin.lab.sources.matches import score
from ludwin.paths import is_file, typed
from ludwin.rules.source import Source, execute, read
from ludwin.search import choice
from ludwin.search.choice import Agent
from ludwin.settings import known_only
from ludwin.trust import Named, Permit, nobody
from ludwin.words import PRESETS

SUFFIX = ".toml"
MOST = 10_000  # rows: a study beyond them has a mistake in it
WORDS: dict[str, Shape] = {
    "name": Text(longest=80, line=True),
    "games": List(Text()),
    "agents": List(Text()),
    "opponents": List(Text()),
    "play": Whole(2, 10**6),
    "seeds": List(Whole(0, 10**9)),
    "openings": Whole(0, 1000),
    "parameters": Table({}),
}


@dataclass(frozen=True)
class StudyCell:
    """One row of a study: who plays whom, at what, with which seed."""

    game: str
    agent: str
    opponent: str
    seed: int


def is_study(text: str) -> bool:
    """Tell whether a text names a file of a study: TOML, or Python that sets what a study has."""
    return text.lower().endswith(SUFFIX) or _source(text) is not None


def _source(text: str) -> Source | None:
    """Return the parsed file of a study in Python, if a text names one; nothing of it is run."""
    path = typed(text)
    if not text.endswith(".py") or not is_file(path):
        return None
    source = read(path)
    set_there = {
        target.id
        for node in source.tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return source if {"games", "agents", "opponents"} <= set_there else None


def read_study(path: Path, load: Callable[[str], Game] = library.load, permit: Permit = nobody) -> LabTable:
    """Return the study that a file describes; all that it names is tried before anything is played.

    A study in TOML is data: rules of a user's own run only if `permit` allows them (`--trust FILE`), and agents are
    those of the package. One in Python is code that the person has named: it is announced and runs, and so do the
    rules and agents that it names. Raises LudwinError.
    """
    if path.suffix == ".py":
        data, mark = _executed(path)
        return _study(path, data, mark, lambda text: load(_from(path, text)), lambda text, game: _any(path, text, game))
    whole = read_text(path)
    try:
        data = tomllib.loads(whole)
    except tomllib.TOMLDecodeError as error:
        raise BadParameter(f"{path}: {error}") from None
    known_only(data, WORDS, f"{path}: a study has no", f" (it has {', '.join(WORDS)})")
    mark = hashlib.sha256(whole.encode()).hexdigest()[:8]  # a run goes on only with the study that it was begun with

    def game_of(text: str) -> Game:
        return trust.load(Named(path, text), permit, load)

    return _study(path, data, mark, game_of, lambda text, game: _agent(text, game, path))


def _executed(path: Path) -> tuple[dict[str, Any], str]:
    """Run a study in Python and return what it sets, and the mark of its text. Raises LudwinError."""
    source = _source(str(path))
    if source is None:
        raise BadParameter(f"{path} is no study: a file in Python sets games, agents and opponents")
    choice.announce(str(path))
    with choice.aside():
        module = execute(source, {})[source.path]
    found = {word: _lists(getattr(module, word)) for word in WORDS if hasattr(module, word)}
    return found, source.texts_hash[:8]


def _lists(value: Any) -> Any:
    """Return what a file in Python sets, as TOML would have it: lists in the place of tuples and ranges."""
    if isinstance(value, dict):
        return {key: _lists(one) for key, one in value.items()}
    return [_lists(one) for one in value] if isinstance(value, list | tuple | range) else value


def _from(path: Path, text: str) -> str:
    """Return the text of a game or an agent with its path seen from the study's folder."""
    name = text.partition(":")[0]
    return f"{path.parent / name}{text[len(name) :]}" if name.startswith(("./", "../")) else text


def _any(path: Path, text: str, game: Game) -> Agent:
    """Return an agent that a study in Python names, whatever it runs."""
    return library.agent(_from(path, text), game)


def _study(
    path: Path,
    data: dict[str, Any],
    mark: str,
    load: Callable[[str], Game],
    seat: Callable[[str, Game], Agent],
) -> LabTable:
    """Return the table of a study from what its file says. Raises LudwinError."""
    for word in ("games", "agents", "opponents"):
        if not data.get(word):
            raise BadParameter(f"{path}: {word} must be a list of texts, one at least")
    for word, shape in WORDS.items():
        if word in data:
            try:
                examine(data[word], shape)
            except Mismatch as error:
                raise BadParameter(f"{path}: {word}: {error}") from None
    play = data.get("play", 20)
    if play % 2:
        raise BadParameter(f"{path}: play must be even, so that each side begins as often, got {play}")
    cells = list(_cells(data, path))
    if len(cells) > MOST:
        raise BadParameter(f"{path}: {len(cells)} rows, and {MOST} are the most")
    games = {text: load(text) for text in dict.fromkeys(cell.game for cell in cells)}
    players: dict[tuple[str, str], Agent] = {}
    for cell in cells:
        game = games[cell.game]
        if game.players != 2:
            raise CannotPlay(f"{path}: a study plays matches of two; {game.name} has {game.players} players")
        for text in (cell.agent, cell.opponent):
            if (cell.game, text) not in players:
                try:
                    players[cell.game, text] = seat(text, game)
                    players[cell.game, text].suits(game)
                except trust.Untrusted:
                    raise
                except LudwinError as error:
                    raise BadParameter(f"{path}: {error}") from None

    def fill(run: TableRun) -> None:
        for cell in cells:
            with run.cell():
                own = replace(run, seed=cell.seed + run.seed, rows=[])
                own.progress, own.row = run.progress, run.row
                game = games[cell.game]
                first, second = players[cell.game, cell.agent], players[cell.game, cell.opponent]
                label = f"{cell.game}: {first} – {second}, seed {own.seed}"
                record = file_name(f"{cells.index(cell):04} {label}")[:120]
                found = score(own, record, game, first, second, openings=data.get("openings"))
                run.add(measured(label, "score", found, run.games))

    name = f"{data.get('name', path.stem)} ({mark})"
    about, sizes = f"a study of {len(cells)} rows, from {path.name}", dict.fromkeys(PRESETS, (play, 1))
    return LabTable(name, about, sizes, fill, parted=True)


def _agent(text: str, game: Game, path: Path) -> Agent:
    """Return an agent that a study names: one of the package, or a level of the game. Raises LudwinError."""
    level = library.levels(game).get(text.strip().lower())
    return trust.agent(level or text, path)


def _cells(data: dict[str, Any], path: Path) -> Iterator[StudyCell]:
    """Yield the rows in the order of the file: games, agents, parameters, opponents, seeds."""
    parameters = data.get("parameters", {})
    for key, values in parameters.items():
        if not isinstance(values, list) or not values or not all(isinstance(v, int | float | str) for v in values):
            raise BadParameter(f"{path}: parameters: {key} must be a list of numbers or texts, got {brief(values)}")
    used: set[str] = set()
    for game, agent in itertools.product(data["games"], data["agents"]):
        own = list(dict.fromkeys(re.findall(r"\{(\w+)\}", agent)))
        known_only(own, parameters, f"{path}: no parameter", f" (there are {', '.join(parameters) or 'none'})")
        used |= set(own)
        for values in itertools.product(*(parameters[key] for key in own)):
            named = agent
            for key, value in zip(own, values, strict=True):
                shown = (
                    str(value).lower()
                    if isinstance(value, bool)
                    else f"{value:g}"
                    if isinstance(value, float)
                    else value
                )
                named = named.replace(f"{{{key}}}", str(shown))
            for opponent, seed in itertools.product(data["opponents"], data.get("seeds", [0])):
                yield StudyCell(game, named, opponent, seed)
    idle = [key for key in parameters if key not in used]
    if idle:
        raise BadParameter(f"{path}: no agent has {{{idle[0]}}}, so parameters.{idle[0]} has no effect")
