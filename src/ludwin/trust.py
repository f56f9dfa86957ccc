"""What a data file may bring about: nothing that runs.

Why it is here.  A record, a run, a champion or a saved game is data, and may come from a stranger.  A game
file is code.  So a data file never decides what is executed: it names a registered game, or a user's
rules by the name of their file, the fingerprint of the rules and a hash of their texts.  Those rules run only when
the person says so: by naming the file on the command line, or by answering a question about the file that
lies beside the data, in one of the folders above them or where the person works, and whose text is the recorded one.
Everybody who takes the name of a game, of an
experiment or of an agent out of a file asks here.

What is compared.  The hash of the texts is known before anything runs, and is compared before.  The
fingerprint covers what the file computes as well, and is compared after.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin import library
from ludwin.errors import LudwinError, UnknownAgent
from ludwin.formats import Shape, Text, Whole, shown
from ludwin.game import Game
from ludwin.library import is_path, is_users, split
from ludwin.paths import typed
from ludwin.rules.folder import is_folder
from ludwin.rules.source import read
from ludwin.search.choice import Agent

# Agents that a data file may name: they are ours, and what they read is data, too. One that starts a program or runs a
# user's file lives among the adapters: it plays when it is named on the command line.
INERT = frozenset(name for name, home in library.HOMES.items() if not home.startswith(library.OUTSIDE))

ABOVE = 3  # folders above the data in which rules are looked for
NAME = Text(longest=400, line=True)  # of a game, an agent, an experiment
SEED = Whole(-(10**40), 10**40)
FINGERPRINT = Text(like="[0-9a-f]{16,64}", said="a fingerprint, 16 to 64 hexadecimal digits")
RULES: Mapping[str, Shape] = {"rules": FINGERPRINT, "texts": FINGERPRINT}  # what files say of a game, beside its name


class Untrusted(LudwinError, ValueError):
    """A data file names code that nobody has said may run: which, and what to type."""


@dataclass(frozen=True)
class Named:
    """Rules as a data file names them."""

    origin: Path  # the data file
    text: str  # name and parameters
    rules: str = ""  # fingerprint of a user's rules; files of older versions may have none
    texts: str = ""  # hash of their texts
    what: str = "rules"  # or an agent

    @property
    def told(self) -> str:
        """What the data file says, as a clause."""
        named = f"names the agent {self.own_name}" if self.what == "agent" else f"is of the rules of {self.own_name}"
        return f"{self.origin} {named}"

    @property
    def own_name(self) -> str:
        """The name of the file of rules, without any folder: what a data file says about folders is not heard.

        Of rules that are a folder it is the name of that folder, with a slash behind it.
        """
        return _own_name(split(self.text)[0])


Permit = Callable[[Named], str]


def named(game: Game) -> str:
    """Return what data files call a game: its text; of a user's file the name without its folder."""
    if not is_users(game):
        return game.text
    home = game.source.home
    return (f"{home.name}/" if home else Path(game.name).name) + game.text[len(game.name) :]


def _own_name(name: str) -> str:
    """Return the last part of a path, with the slash that a folder has.

    >>> _own_name("games/nim.py"), _own_name("./games/chess/"), _own_name("/")
    ('nim.py', 'chess/', '/')
    """
    name = name.replace("\\", "/")
    return name.rstrip("/").rpartition("/")[2] + "/" * name.endswith("/")


def marks(game: Game) -> dict[str, str]:
    """Return what data files say beside the name of a game: its fingerprint, and of a user's file the hash of its
    texts.
    """
    found = {"rules": game.fingerprint[:16]}
    return found if game.is_ours else {**found, "texts": game.source.texts_hash}


def without_folder(text: str) -> str:
    """Return the name of a game as `named` gives it, from a file of an older version that has the path, too."""
    try:
        name = split(text)[0]
    except LudwinError:
        return text
    return _own_name(name) + text[len(name) :] if is_path(name) else text


def nobody(rules: Named) -> str:
    """Permit nothing: who reads files without a person at hand runs registered games only. Raises Untrusted."""
    if rules.what == "agent":
        raise Untrusted(f"{rules.origin} names the agent {shown(rules.text)}, which runs code; name it yourself")
    raise Untrusted(
        f"{rules.origin} is of a user's rules, {shown(rules.own_name)}, which are code; name their file to run them"
    )


def settle(rules: Named, permit: Permit = nobody) -> str:
    """Return the text that may be loaded instead of what a data file says: a registered name, or a permitted path.

    Raises Untrusted, and BadParameter for a text that is none of a game.
    """
    return permit(rules) if is_path(split(rules.text)[0]) else rules.text


def load(rules: Named, permit: Permit = nobody, loader: Callable[[str], Game] = library.load) -> Game:
    """Return the game that a data file names, if it may run and is the recorded one. Raises LudwinError."""
    text = settle(rules, permit)
    game = loader(text)
    if not game.is_ours:
        demand_same(game, rules)
    return game


def demand_same(game: Game, rules: Named) -> None:
    """Raise Untrusted unless a user's rules have the recorded fingerprint."""
    if rules.rules and not game.fingerprint.startswith(rules.rules):
        raise Untrusted(f"{game.name} has changed since {rules.origin} was written: these are not the same rules")


@dataclass(frozen=True)
class Asking:
    """Permits what the person trusts: files named by `--trust`, else the file beside or above the data, if asked.

    `ask` puts a question and returns whether the answer was yes; None where nobody can be asked.
    """

    trusted: Sequence[str] = ()
    ask: Callable[[str], bool] | None = None

    def __call__(self, rules: Named) -> str:
        """Return the text of the game with the path of the rules that may run. Raises Untrusted."""
        own, origin = rules.own_name, rules.origin
        rest = rules.text[len(split(rules.text)[0]) :]
        if own in (".py", "/", "./", "../") or not own.endswith((".py", "/")):
            raise Untrusted(
                f"{origin} names {shown(own)} as its {rules.what}, which is no file of code (those end with .py); "
                f"nothing was run"
            )
        for path in map(Path, self.trusted):
            if _of_path(path) == own:
                self._compare(path, rules)
                return f"{path}{'/' * own.endswith('/')}{rest}"
        found = list(_near(origin, own))
        if not found:
            where = "a path that ends so" if self.trusted else f"--trust PATH/{own}"
            nowhere = "lie beside it or in a folder above"
            raise Untrusted(
                f"{rules.told}, which are code and do not {nowhere}; to run them, name them: {where}"
                if rules.what == "rules"
                else f"{rules.told}, which is code and does not {nowhere}; to run it, name it: {where}"
            )
        beside = next((path for path in found if _has(path, rules.texts)), found[0])
        if not rules.texts:
            raise Untrusted(
                f"{origin} does not say which text of {own} it means, so {beside} was not run; if you trust it, add "
                f"--trust {beside}"
            )
        self._compare(beside, rules)
        if self.ask is None:
            nothing = "which are code and were not run" if rules.what == "rules" else "which is code and was not run"
            raise Untrusted(f"{rules.told}, {nothing}; if you trust {beside}, add --trust {beside}")
        if not self.ask(f"{rules.told}. Run {beside}, which is Python code and has your rights?"):
            raise Untrusted(f"{beside} was not run")
        return f"{beside}{'/' * own.endswith('/')}{rest}"

    def _compare(self, path: Path, rules: Named) -> None:
        """Raise Untrusted unless the file has the recorded texts. Nothing is executed."""
        if not path.is_file() and not is_folder(path):
            raise Untrusted(f"there is no file {str(path)!r} to trust")
        if rules.texts and read(path).texts_hash != rules.texts:
            raise Untrusted(
                f"{path} is not the text that {rules.origin} was made with: "
                + ("these are other rules, and were" if rules.what == "rules" else "this is another agent, and was")
                + " not run"
            )


def _near(origin: Path, own: str) -> Iterator[Path]:
    """Yield the files of a name beside the data, in the folders above (a run may lie two below its rules), and where
    the person works. What the data say of folders is not heard; which one is meant, its text decides.
    """
    home = origin.parent.resolve()
    try:
        here = Path.cwd()
    except OSError:  # the folder is gone
        here = home
    seen = set()
    for number, folder in enumerate((home, *list(home.parents)[:ABOVE], here)):
        path = folder / own
        if folder not in seen and (is_folder(path) if own.endswith("/") else path.is_file()):
            yield origin.parent / own if number == 0 else _shortest(path, here)
        seen.add(folder)


def _shortest(path: Path, here: Path) -> Path:
    """Return a path as a person would type it: from here, if that is shorter."""
    try:
        relative = Path(os.path.relpath(path, here))
    except ValueError:  # another drive
        return path
    return min((relative, path), key=lambda one: len(str(one)))


def _has(path: Path, texts: str) -> bool:
    """Tell whether a file has the recorded text; nothing is executed."""
    with suppress(LudwinError, OSError):
        return bool(texts) and read(path).texts_hash == texts
    return False


def is_inert_opponent(name: str) -> bool:
    """Tell whether a name means a reference player of our folders that says that it runs only our code."""
    return bool(name.replace("-", "").isalnum() and getattr(library.opponent(name), "is_inert", False))


def is_inert(agent: Agent) -> bool:
    """Tell whether a data file that names an agent brings it to play, without the person naming it again."""
    return not agent.foreign and (agent.name in INERT or is_inert_opponent(agent.name))


def _of_path(path: Path) -> str:
    """Return the own name of what a person names: `chess/` of ./games/chess, which is a folder."""
    return f"{path.resolve().name}/" if is_folder(path) else path.name


def agent_named(agent: Agent) -> str:
    """Return what data files call an agent: its text; of a user's file the name without its folder."""
    return agent.label


def agent_marks(agents: Sequence[Agent]) -> dict[str, list[str | None]]:
    """Return what data files say beside the names of agents if some are users' files: the hash of each one's texts."""
    texts = [getattr(agent, "texts", None) if agent.foreign else None for agent in agents]
    return {"code": texts} if any(texts) else {}


def agent(text: str, origin: Path, permit: Permit = nobody, texts: str | None = None) -> Agent:
    """Return the agent that a data file names, `texts` being the hash that it has for it.

    Raises Untrusted for one that runs code which is not ours, unless it is a user's file that `permit` allows; else
    LudwinError.
    """
    name = text.partition(":")[0].strip().lower().replace("_", "-")
    if is_path(name) and texts:
        return library.agent(permit(Named(origin, text, texts=texts, what="agent")))
    if name not in INERT and not is_inert_opponent(name):
        if is_path(name) or name in library.AGENTS or library.opponent(name):
            raise Untrusted(f"{origin} names the agent {shown(text)}, which runs code; name it on the command line")
        raise UnknownAgent(f"{origin}: no agent called {shown(name)}; `ludwin agents` lists all")
    made = library.agent(text)
    file = getattr(made, "file", "")
    if isinstance(file, str) and file:
        demand_ordinary(file, origin)
    return made


def demand_inert(text: str, origin: Path, permit: Permit = nobody) -> None:
    """Raise Untrusted unless an agent that the settings of a data file name runs only our code, or is that file of the
    user's which `permit` allows.
    """
    name = split(text)[0]
    if not (is_path(name) or is_path(name.strip().lower())):
        agent(text, origin)
        return
    allowed = split(permit(Named(origin, text, what="agent")))[0]
    if typed(allowed).resolve() != typed(name).resolve():
        raise Untrusted(f"{origin} names the agent {shown(text)}, and {allowed} is another file; nothing was run")


def demand_ordinary(name: str, origin: Path) -> None:
    """Raise Untrusted if a file that a data file names is a device or a pipe, which may never end."""
    try:
        path = typed(name)
        strange = path.exists() and not path.is_file() and not path.is_dir()
    except (OSError, ValueError, RuntimeError):
        strange = True
    if strange:
        raise Untrusted(f"{origin} names {shown(name)}, which is no ordinary file")


def described(data: Mapping[str, Any], origin: Path, key: str = "game") -> Named:
    """Return the rules that an examined object names under a key."""
    return Named(origin, str(data[key]), str(data.get("rules", "")), str(data.get("texts", "")))
