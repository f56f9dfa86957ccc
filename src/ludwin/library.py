"""The library: every name that a user can type: games, agents, experiments, tables, studies.

Why it is here.  `load` and `agent` turn a text into a game or an agent, and so must know all of them;
everything else in the package knows only what lies below it.  An agent of ours is its file and one line of `HOMES`;
what stands on higher floors is named by texts, too, and imported when it is asked for.
"""

from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludwin.errors import (
    BadParameter,
    CannotPlay,
    LudwinError,
    UnknownAgent,
    UnknownGame,
    UnknownProblem,
    brief,
    did_you_mean,
)
from ludwin.game import Game, written
from ludwin.games import domains, homes, open_part
from ludwin.kernel import cache
from ludwin.paths import is_dir, is_file, typed
from ludwin.registers import Register
from ludwin.rules.folder import OURS, RULES, is_folder
from ludwin.rules.source import Source, read, settle
from ludwin.search.choice import Agent, Choice

if TYPE_CHECKING:
    from ludwin.rules.brought import Brought

# Every agent of the package. Those of `adapters` run code that is not ours (see `ludwin.trust`).
HOMES = {
    "alphabeta": "ludwin.search.alphabeta:AlphaBeta",
    "ea-mcts": "ludwin.search.montecarlo.evolving.agents:EAMCTS",
    "expectimax": "ludwin.search.expectimax:Expectimax",
    "flat": "ludwin.search.playout:Flat",
    "greedy": "ludwin.search.greedy:Greedy",
    "guide": "ludwin.search.guide:Guide",
    "hold": "ludwin.search.drive:Hold",
    "human": "ludwin.search.human:Human",
    "mcts": "ludwin.search.montecarlo.mcts:MCTS",
    "maxn": "ludwin.search.maxn:MaxN",
    "minimax": "ludwin.search.minimax:Minimax",
    "own": "ludwin.search.drive:Own",
    "pimc": "ludwin.search.pimc:PIMC",
    "pns": "ludwin.search.proof:ProofNumber",
    "random": "ludwin.search.playout:Random",
    "rollout": "ludwin.search.rollout:Rollout",
    "siea-mcts": "ludwin.search.montecarlo.evolving.agents:SIEAMCTS",
    "star1": "ludwin.search.expectimax:Star1",
    "star2": "ludwin.search.expectimax:Star2",
    "uct": "ludwin.search.uct:UCT",
    "derived": "ludwin.discover.agent:Derived",
    "evolved": "ludwin.evolve.agent:Evolved",
    "process": "ludwin.adapters.process:ProcessAgent",
    "uci": "ludwin.adapters.uci:UciAgent",
    "xboard": "ludwin.adapters.xboard:XBoardAgent",
    # searching alone
    "astar": "ludwin.search.puzzles.best:AStar",
    "beam": "ludwin.search.puzzles.beam:Beam",
    "best-first": "ludwin.search.puzzles.best:BestFirst",
    "bfs": "ludwin.search.puzzles.breadth:BreadthFirst",
    "bidirectional": "ludwin.search.puzzles.breadth:Bidirectional",
    "ehc": "ludwin.search.puzzles.climb:EnforcedHillClimbing",
    "id": "ludwin.search.puzzles.deepen:IterativeDeepening",
    "ida": "ludwin.search.puzzles.deepen:IDAStar",
    "nested": "ludwin.search.puzzles.nested:Nested",
    "nrpa": "ludwin.search.puzzles.nested:NRPA",
    "staged": "ludwin.search.puzzles.staged:Staged",
}
FILE_AGENT = "ludwin.adapters.agent_file:FileAgent"  # whatever is written as the path of a file
OUTSIDE = "ludwin.adapters."
SHOWN = 12  # of a game's own players, if somebody asks for one that it has not

AGENTS: Register[type[Agent]] = Register(
    "agent", HOMES, unknown=UnknownAgent, way_out="; `ludwin agents` lists all {}", group="ludwin.agents"
)
AGENT_NAMES = tuple(HOMES)
# How strong an opponent is, where a game does not say it better (`LEVELS` in its opponents.py, or in its file).
LEVELS = {"easy": "uct:playouts=20", "medium": "uct:playouts=200", "hard": "uct:playouts=2000"}

_games: dict[tuple[str, str], Game] = {}


def load(text: str | Path, /, **parameters: object) -> Game:
    """Return the game that a text names: registered (`draughts:size=10`), a file (`./nim.py:heap=5`) or a folder
    (`./chess/:pieces=KQK`).

    Parameters may stand in the text or be given by name. A game is code and is executed; a file or a folder
    of a user's is checked by `check` when it is seen for the first time (`ludwin.laws.first_look`).

    >>> load("nim", heap=5).text
    'nim:heap=5'
    >>> load("nim:heap=5") == load("nim", heap=5)
    True
    >>> load("nmi")
    Traceback (most recent call last):
    ludwin.errors.UnknownGame: no game called 'nmi'; did you mean 'nim'? `ludwin games` lists all ...
    """
    name, given = split(str(text))
    if isinstance(text, Path):
        name, given = str(text), {}
    for key in set(given) & set(parameters):
        raise BadParameter(f"{name}: {key} is given twice")
    path, label = whereabouts(name)
    source = _read(path)
    values = settle(source, {**given, **parameters}, label)
    files = source.family() if source.path.is_relative_to(OURS) else source.whole()
    mark = (f"{label} {source.path} {values} {_stamps(values)}", "".join(file.text for file in files))
    if mark not in _games:
        _games[mark] = Game(source, values, label, _Linted())
    return _games[mark]


def _stamps(values: Mapping[str, object]) -> list[tuple[int, int]]:
    """Return when the files that parameters name (a track) were written: a game of an older text is another game."""
    found = []
    for value in values.values():
        try:
            stat = typed(value).stat() if isinstance(value, str) else None
        except (OSError, ValueError, RuntimeError):
            continue
        if stat:
            found.append((stat.st_mtime_ns, stat.st_size))
    return found


class _Linted:
    """The rules that have passed lint: a small file for each in the cache, named by its key and holding it.

    A file that is empty, cut off or not to be read says nothing, and the rules are linted again.
    """

    def __contains__(self, key: str) -> bool:
        try:
            return self._file(key).read_bytes() == f"{key}\n".encode()
        except OSError:
            return False

    def add(self, key: str) -> None:
        """Remember a key, if there is a place to remember it."""
        try:
            file = self._file(key)
            file.parent.mkdir(mode=0o700, exist_ok=True)
            file.unlink(missing_ok=True)  # it was damaged
            cache.write_once(file, f"{key}\n")
        except OSError:
            return

    def _file(self, key: str) -> Path:
        return cache.folder() / "ludwin_seen" / f"lint-{key}"


def is_users(game: Game) -> bool:
    """Tell whether a game comes from a file or a folder of the user's rather than from a register."""
    return is_path(game.name)


def is_path(name: str) -> bool:
    """Tell whether a name, without its parameters, means a file or a folder rather than a registered game."""
    return name.endswith(".py") or "/" in name or "\\" in name or name in (".", "..")


def games() -> tuple[str, ...]:
    """Return the names of all registered games: ours, then those that other packages bring."""
    return (*homes(), *(name for name in _brought() if name not in homes()))


def _brought() -> "dict[str, Brought]":
    """Return the games of other packages; a module that is not needed while names are ours."""
    from ludwin.rules.brought import brought

    return brought()


def whereabouts(name: str) -> tuple[Path, str]:
    """Return the file or the folder that a name means, and the name to call it by."""
    if is_path(name):
        return _on_disk(name)
    wanted, ours = name.lower().replace("_", "-"), homes()
    if wanted in ours:
        return ours[wanted], wanted
    if wanted in _brought():
        return _brought()[wanted].place(), wanted
    found = [game for game in games() if game.startswith(wanted) and wanted]
    if len(found) == 1:
        return whereabouts(found[0])
    if len(found) > 1:
        raise UnknownGame(f"{name!r} may mean {' or '.join(found)}")
    if is_file(Path(f"{name}.py")):
        beside = f"; did you mean ./{name}.py?"
    elif name and is_folder(Path(name)):
        beside = f"; did you mean ./{name}/?"
    else:
        beside = did_you_mean(wanted, games()) or ";"
    raise UnknownGame(f"no game called {brief(name, 250)}{beside} `ludwin games` lists all {len(games())}")


def _on_disk(name: str) -> tuple[Path, str]:
    """Return the file or the folder of a user's, and the name to call it by; a folder's ends with a slash."""
    path = typed(name)
    if is_folder(path):
        return path, name if name.endswith(("/", "\\")) else f"{name}/"
    if is_dir(path):
        raise UnknownGame(f"the folder {name!r} has no {RULES}; `ludwin new NAME --folder` writes a game to begin with")
    if not is_file(path):
        raise UnknownGame(f"there is no file {brief(name, 250)}; `ludwin new NAME` writes a game to begin with")
    if not name.endswith(".py"):
        raise UnknownGame(f"the rules of a game are a file that ends with .py, got {name!r}")
    return path, name


def _read(path: Path) -> Source:
    """Read a source; helpers are read anew each time, for they may have changed."""
    return read(path)


def split(text: str) -> tuple[str, dict[str, str]]:
    """Split `name:key=value,key=value` into its parts.

    >>> split("uct:playouts=100,c=0.5")
    ('uct', {'playouts': '100', 'c': '0.5'})
    >>> split("./nim.py:heap=5")
    ('./nim.py', {'heap': '5'})
    >>> split('fop:f="min(x, 1)",depth=3')  # a text with commas is quoted
    ('fop', {'f': 'min(x, 1)', 'depth': '3'})
    """
    name, colon, rest = text.partition(":")
    if len(name) == 1 and rest[:1] in ("\\", "/"):  # a drive letter
        more, colon, rest = rest.partition(":")
        name = f"{name}:{more}"
    given: dict[str, str] = {}
    for part in split_commas(rest) if colon else []:
        key, equals, value = part.partition("=")
        key = key.strip().lower()
        if not equals or not key:
            raise BadParameter(f"{name}: parameters are written key=value,key=value, got {rest!r}")
        if key in given:
            raise BadParameter(f"{name}: {key} is given twice")
        given[key] = unquoted(value, f"{name}: {key}")
    return name.strip(), given


def split_commas(text: str) -> list[str]:
    r"""Split at the commas that stand outside quotation marks, which are those of JSON.

    >>> split_commas('"python3 bot.py --say \\"a, b\\"",seconds=2')
    ['"python3 bot.py --say \\"a, b\\""', 'seconds=2']
    """
    parts, begin, inside, k = [], 0, False, 0
    while k < len(text):
        if inside and text[k] == "\\":
            k += 1  # whatever follows is part of the quotation
        elif text[k] == '"':
            inside = not inside
        elif text[k] == "," and not inside:
            parts.append(text[begin:k])
            begin = k + 1
        k += 1
    return [*parts, text[begin:]]


def unquoted(text: str, what: str) -> str:
    """Return a value as it is meant: what stands in quotation marks is read as JSON reads it. Raises BadParameter."""
    text = text.strip()
    if not text.startswith('"'):
        return text
    from ludwin.formats import decode

    try:
        return str(decode(text))
    except ValueError:
        raise BadParameter(f"{what} begins with a quotation mark and must end with one, got {text!r}") from None


def without(text: str, key: str) -> str:
    """Return a text without one of its parameters.

    >>> without('./mine/:heap=5,table=a,f="min(x, 1)"', "table")
    './mine/:heap=5,f="min(x, 1)"'
    """
    name, given = split(text)
    if given.pop(key, None) is None:
        return text
    return name + "".join(f"{',' if k else ':'}{one}={written(value)}" for k, (one, value) in enumerate(given.items()))


def agent(text: str, game: Game | None = None) -> Agent:
    """Return the agent that a text names; the reference players of the game's folder are known by name, too.

    >>> agent("uct:c=1,playouts=50")
    UCT(playouts=50, c=1.0, nodes=0, seconds=0.0, worlds=16)
    >>> str(agent("uct:c=1,playouts=50"))
    'uct:playouts=50'
    """
    if not isinstance(text, str):
        raise BadParameter(f"the name of an agent is a text such as 'uct:playouts=100', got {brief(text)}")
    if is_path(_path_of(text)):
        brought: Agent = _outside(FILE_AGENT).parse_text(text)
        return brought
    name, colon, rest = text.partition(":")
    wanted = name.strip().lower().replace("_", "-")
    if wanted in LEVELS:
        if game is None or colon:
            raise UnknownAgent(f"{wanted} is a level of a game, and has no parameters: ludwin play GAME {wanted}")
        return agent(levels(game)[wanted], game)
    reference = opponent(wanted, game) if wanted not in HOMES else None
    kind: Any = reference or AGENTS[_registered(name, game)]
    if hasattr(kind, "parse_text"):  # its text begins with a file, or with a command
        made: Agent = kind.parse_text(rest)
        return made
    parsed: Agent = kind.parse(split(text)[1] if colon else {})
    return parsed


def _registered(name: str, game: Game | None) -> str:
    """Return the name of the register that a text means; if there is none, say whom the game brings along, too."""
    try:
        return AGENTS.name_of(name)
    except UnknownAgent as error:
        own, of = (opponents(game), game.name) if game else ((), "")
        near = did_you_mean(name.strip().lower().replace("_", "-"), own)
        if not own or (not near and "did you mean" in str(error)):
            raise
        shown = ", ".join(own[:SHOWN]) + (f" and {len(own) - SHOWN} more" if len(own) > SHOWN else "")
        words = f"no agent called {brief(name)}{near or ';'}"
        raise UnknownAgent(f"{words} {of} brings {shown}; `ludwin agents` lists {len(AGENTS)} more") from None


def kind_of(game: Game) -> str:
    """Return what a game has beside moves that everybody sees, in words.

    >>> kind_of(load("pig")), kind_of(load("nim"))
    ('chance', 'perfect information')
    """
    has = {"ticks": game.is_world, "chance": game.has_chance, "hidden information": game.has_secrets}
    return ", ".join(word for word, holds in has.items() if holds) or "perfect information"


def levels(game: Game) -> dict[str, str]:
    """Return the agents behind `easy`, `medium` and `hard` in a game: as it says itself, else a search that plays all.

    Raises UnknownAgent if what the game says is no such table.
    """
    said = getattr(game.module, "LEVELS", None)
    if said is None and game.source.home:
        said = getattr(game.part("opponents"), "LEVELS", None)
    if said is None:
        return dict(LEVELS)
    if not isinstance(said, Mapping) or set(said) != set(LEVELS) or not all(isinstance(v, str) for v in said.values()):
        raise UnknownAgent(f"{game.name}: LEVELS must be a table of texts for {', '.join(LEVELS)}, got {brief(said)}")
    for level, text in said.items():
        if text.strip().lower() in LEVELS:
            raise UnknownAgent(f"{game.name}: LEVELS says that {level} is {text}, which is a level itself")
    return {level: said[level] for level in LEVELS}


def agents(given: Any, game: Game | None = None) -> list[Agent]:
    """Return the agents of a sequence, in which each is a text (see `agent`) or an agent. Raises BadParameter for
    anything else.
    """
    if isinstance(given, str | bytes | Mapping | Set) or not isinstance(given, Iterable):
        raise BadParameter(f"agents are given as a list, got {brief(given)}")
    found = []
    for one in given:
        if isinstance(one, type) or not isinstance(one, str | Agent):
            raise BadParameter(f"an agent is a text such as 'uct:playouts=100', or made of one, got {brief(one)}")
        found.append(agent(one, game) if isinstance(one, str) else one)
    return found


def _outside(home: str) -> Any:
    module, _, attribute = home.partition(":")
    return getattr(import_module(module), attribute)


def _path_of(text: str) -> str:
    """Return what stands before the parameters of an agent, as `split` would, if it may be a path at all."""
    name, _, rest = text.strip().partition(":")
    return f"{name}:{rest.partition(':')[0]}" if len(name) == 1 and rest[:1] in ("\\", "/") else name


def is_ours(agent: Agent) -> bool:
    """Tell whether an agent is of our register and runs our code alone: it cannot hang, die or cheat on purpose."""
    return AGENTS.is_ours(agent.name, type(agent)) and not agent.foreign


def opponent(name: str, game: Game | None = None) -> type[Agent] | None:
    """Return a reference player by its name: of the game's folder (`opponents.py`: AGENTS), else of one of ours.

    Raises UnknownAgent if the folder's list holds something else.
    """
    if game is not None and not game.is_ours:
        known = getattr(game.part("opponents"), "AGENTS", {})
        if not isinstance(known, Mapping) or not all(isinstance(one, type) for one in known.values()):
            raise UnknownAgent(f"{game.name}: AGENTS of opponents.py must be a table, name: class")
        if name in known:
            if not issubclass(known[name], Agent):
                raise UnknownAgent(f"{game.name}: {name} of opponents.py is no Agent (ludwin.search.choice)")
            return _in_one_line(known[name], game)
    for domain in domains("opponents"):
        ours: Mapping[str, type[Agent]] = getattr(open_part(domain, "opponents", mentions=f'"{name}"'), "AGENTS", {})
        if name in ours:
            return ours[name]
    return None


def opponents(game: Game) -> tuple[str, ...]:
    """Return the names of the players that a game's folder brings along; none if it has no folder, or lists none.

    >>> opponents(load("parking")), opponents(load("nim"))
    (('gp-parking', 'gp-parking-order'), ())
    """
    known = getattr(game.part("opponents"), "AGENTS", {}) if game.source.home else {}
    return tuple(str(name) for name in known) if isinstance(known, Mapping) else ()


def file_kinds() -> list[Any]:
    """Return what a user's file may be in one of our folders, beside an agent or a driver (`opponents`: FILES)."""
    parts = [open_part(domain, "opponents", mentions="FILES") for domain in domains("opponents")]
    return [kind for part in parts for kind in getattr(part, "FILES", ())]


@lru_cache(maxsize=None)
def _in_one_line(kind: type[Agent], game: Game) -> type[Agent]:
    """Return a user's player whose mistakes are told in one line, with file and line, as those of rules are."""

    def choose(self: Agent, *args: Any, **more: Any) -> Choice:
        try:
            made = kind.choose(self, *args, **more)
        except LudwinError:
            raise
        except Exception as error:
            raise game.fault(error) from error
        if not isinstance(made, Choice):
            raise CannotPlay(f"{kind.name} of {game.name} must return a Choice, got {type(made).__name__}")
        return made

    shell = {"choose": choose, "foreign": True, "__doc__": kind.__doc__, "__module__": kind.__module__}
    return type(kind.__name__, (kind,), shell)


_PROBLEMS: tuple[str, ...] = ("beta-cut", "nega-alpha-beta", "alpha-beta", "alternating", "win-loss", "fail-soft")
_PROBLEMS += ("scout", "table", "star1", "branch-and-bound", "maxn", "maxn-deep")
PROBLEMS: Register[Any] = Register(  # `ludwin discover NAME`; a file of clauses is one, too (`discover/problems.py`)
    "problem",
    dict.fromkeys(_PROBLEMS, "ludwin.discover.problems:PROBLEMS"),
    way_out=f" (there are {', '.join(_PROBLEMS)}, or a file NAME.pl)",
    unknown=UnknownProblem,
)
