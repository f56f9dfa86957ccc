"""Users' files on other machines: texts with a fingerprint, which is compared before anything is done with them.

Why it is here.  A game, an agent or a problem of a user's own lies on one machine and is to play on many, and so do
champions and derivations.  What travels are the texts of the files: the rules with the helpers beside them, the parts
of a folder, a champion's JSON.  They are written below the cache of the other machine, in a folder that is named by
their hash, and read from there.  The fingerprint of the rules must then be the one that they have here; it covers what
the file computes as well, so rules that read other data than ours are refused and not played.

What is not shipped: data that rules read while they are loaded, files that parameters of a game name, other people's
programs (`process:`, `uci:`), which must lie on every machine.
"""

import dataclasses
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ludwin import library
from ludwin.errors import CannotPlay, LudwinError
from ludwin.files import write_whole
from ludwin.game import Game
from ludwin.kernel import cache
from ludwin.library import is_path, split
from ludwin.paths import is_file, typed
from ludwin.rules.folder import OURS
from ludwin.rules.source import Source, digest, read
from ludwin.search.choice import Agent

LARGEST = 2**24  # bytes of all files of one thing
SHIPPED = "ludwin_shipped"
only_ours = False  # `ludwin worker --only-ours`: code of users is refused here


class NotShipped(LudwinError, ValueError):
    """Something cannot travel, or may not run where it has arrived: what, and the way out."""


# ---- Packing ------------------------------------------------------------------------------------------------------


def pack_source(source: Source) -> dict[str, Any]:
    """Return all texts of a user's rules, agent or problem: names relative to the folder that holds them all."""
    files = [one for one in source.whole() if not one.path.is_relative_to(OURS)]
    root = Path(os.path.commonpath([one.path.parent for one in files]))
    if source.home is not None:
        root = source.home.parent
    texts = {one.path.relative_to(root).as_posix(): one.text for one in files}
    for text in list(texts):  # what makes a package of a folder
        for above in Path(text).parents:
            if (root / above / "__init__.py").is_file() and above != Path("."):
                texts.setdefault((above / "__init__.py").as_posix(), "")
    if sum(map(len, texts.values())) > LARGEST:
        raise NotShipped(f"{source.path} and its helpers are larger than {LARGEST:,} bytes")
    main = (source.home or source.path).relative_to(root).as_posix() + ("/" if source.home else "")
    return {"main": main, "texts": texts, "hash": source.texts_hash}


def pack_text(text: str) -> dict[str, Any]:
    """Return the texts behind a user's path such as `./game.py:size=5`."""
    return pack_source(read(typed(split(text)[0])))


def pack_game(game: Game) -> dict[str, Any]:
    """Return a game as JSON: its name, or the texts of a user's rules with their fingerprint. Raises NotShipped."""
    for key, value in game.values.items():
        if isinstance(value, str) and is_file(typed(value)):
            raise NotShipped(f"{game.name}: {key}={value} names a file of this machine, which a cluster does not have")
    rest = game.text[len(game.name) :]
    if game.is_ours or not is_path(game.name):  # of another package, which must be installed there
        return {"text": game.text, "rules": game.fingerprint}
    return {"pack": pack_source(game.source), "rest": rest, "rules": game.fingerprint}


def pack_agent(agent: Agent, game: Game) -> dict[str, Any]:
    """Return an agent as JSON: its text, and the files that the text names. Raises NotShipped."""
    text = str(agent)
    file = str(getattr(agent, "file", "") or "")
    if agent.foreign and file.endswith(".py"):
        return {"text": text, "name": file, "pack": pack_source(getattr(agent, "source", None) or read(typed(file)))}
    if not dataclasses.is_dataclass(agent):
        return {"text": text}
    for item in dataclasses.fields(agent):
        value = getattr(agent, item.name)
        if isinstance(value, str) and value and value in text and not item.metadata.get("is_agent"):
            path = typed(value)
            if item.name == "file" and path.is_dir():
                path = _champion_in(path)
            if is_file(path):
                body = path.read_text(encoding="utf8")
                if len(body) > LARGEST:
                    raise NotShipped(f"{path} is larger than {LARGEST:,} bytes")
                name = path.name
                pack = {"main": name, "texts": {name: body}, "hash": digest([(name, body)]), "data": True}
                return {"text": text, "name": value, "pack": pack}
    return {"text": text}


def _champion_in(folder: Path) -> Path:
    """Return the champion's file of a run's folder, as `evolved:FOLDER` finds it."""
    from importlib import import_module

    found: Path = import_module("ludwin.evolve.store").find_champion(folder)
    return found


# ---- Unpacking ----------------------------------------------------------------------------------------------------


def unpack(pack: dict[str, Any]) -> str:
    """Write the texts of a pack below the cache, once, and return the path of its main file. Raises NotShipped."""
    if only_ours and not pack.get("data"):
        raise NotShipped(f"this worker was started with --only-ours and does not run {pack['main']}, a user's file")
    wanted = {name: str(text) for name, text in pack["texts"].items()}
    mark = digest(sorted(wanted.items()))[:32]
    home = cache.folder() / SHIPPED / mark
    for name, text in wanted.items():
        path = Path(os.path.normpath(home / name))
        if not path.is_relative_to(home):
            raise NotShipped(f"{name!r} is no name of a file that is shipped")
        if not path.is_file() or path.read_text(encoding="utf8") != text:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(path, text)
    main = str(home / pack["main"].rstrip("/")) + ("/" if pack["main"].endswith("/") else "")
    if not pack.get("data") and read(Path(main)).texts_hash != pack["hash"]:
        raise NotShipped(f"{pack['main']} has arrived with other texts than it left with")
    return main


def unpack_game(data: dict[str, Any]) -> Game:
    """Return the game that was packed. Raises NotShipped if its rules compute something else here."""
    game = library.load(data["text"] if "text" in data else unpack(data["pack"]) + data["rest"])
    if game.fingerprint != data["rules"]:
        raise NotShipped(
            f"{game.name} has another fingerprint here than where it came from: the versions differ, or it reads data "
            f"that lie on one machine only"
        )
    return game


def unpack_agent(data: dict[str, Any], game: Game) -> Agent:
    """Return the agent that was packed. Raises LudwinError, CannotPlay if it cannot be made here."""
    text = str(data["text"])
    if "pack" in data:
        path = unpack(data["pack"])
        if text.count(data["name"]) < 1:
            raise CannotPlay(f"the agent {text!r} does not name its file {data['name']!r}")
        text = text.replace(data["name"], path, 1)
    return library.agent(text, game)


def unpack_agents(data: Iterable[dict[str, Any]], game: Game) -> list[Agent]:
    """Return agents that were packed."""
    return [unpack_agent(one, game) for one in data]
