"""What a request may name: games and agents that run no code which nobody has agreed to.

Why it is here.  On the command line a person names a file and thereby agrees that it runs.  An address that somebody
sent is no such agreement, so requests name registered games, files by id, and agents that are ours and read no files
but champions that were listed.
"""

import re

from ludwin import library
from ludwin.errors import BadParameter, UnknownAgent, UnknownGame
from ludwin.trust import INERT
from ludwin.web.folders import Shelves

FILE = re.compile(r"([0-9a-f]{12})(:.*)?")
MOST_TEXT = 2000
OF_FILES = {"evolved", "derived"}  # agents whose text begins with a file


def game_text(text: str) -> tuple[str, str | None]:
    """Return a registered game's text, or the parameters of a file and its id. Raises UnknownGame or BadParameter.

    >>> game_text("draughts:size=10"), game_text("0123456789ab:heap=5")
    (('draughts:size=10', None), (':heap=5', '0123456789ab'))
    """
    if len(text) > MOST_TEXT or not text.isprintable():
        raise BadParameter("the name of a game is one short line")
    found = FILE.fullmatch(text)
    rest = (found[2] or "") if found else text
    _plain_values(rest if found else rest.partition(":")[1] + rest.partition(":")[2])
    if found:
        return rest, found[1]
    name = text.partition(":")[0]
    if library.is_path(name.strip()) or not name.strip():
        raise UnknownGame("a game is a registered name, or a file of a folder by its id; paths are not taken")
    return text, None


def _plain_values(rest: str) -> None:
    """Raise BadParameter for parameters that could name a file."""
    _, given = library.split(f"game{rest}") if rest else ("", {})
    for key, value in given.items():
        if "/" in value or "\\" in value or ".." in value or value.startswith("~"):
            raise BadParameter(f"{key}={value[:40]!r}: a request names no files")


def agent_text(text: str, shelves: Shelves) -> str:
    """Return the text of an agent that a request may name; champions are named by the id of their run.

    Raises UnknownAgent or BadParameter.
    """
    if len(text) > MOST_TEXT or not text.isprintable():
        raise BadParameter("the name of an agent is one short line")
    name, _, rest = text.strip().partition(":")
    wanted = name.lower().replace("_", "-")
    if wanted == "human" or wanted in library.LEVELS:
        return wanted
    if wanted in OF_FILES:
        number, comma, more = rest.partition(",")
        listed = shelves.open(number.strip(), "run" if wanted == "evolved" else "derivation")
        if "/" in more or "\\" in more or "," in str(listed.path) or "=" in str(listed.path):
            raise BadParameter(f"{wanted}: this champion cannot be named here")
        return f"{wanted}:{listed.path}{comma}{more}"
    if library.is_path(name):
        raise UnknownAgent("agents from files are not taken by requests; name one of ours")
    if wanted not in INERT:
        kind = library.opponent(wanted)
        if kind is None or not getattr(kind, "is_inert", False):
            raise UnknownAgent(f"{name[:40]!r} is no agent that a request may name; GET /api/v1/agents lists all")
    if "/" in rest or "\\" in rest or "file" in library.split(text)[1]:
        raise BadParameter(f"{wanted}: a request names no files")
    return text.strip()
