"""The agent that plays with an evolved program: `evolved:PATH,depth=3`.

Why it is here.  A champion is worth what it plays, on every command and against everyone.  Its file says
language, program and depth in plain text; nothing of it is executed but the examined arithmetic of
the language's rules.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Self

from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.store import BadRun, find_champion, read_champion
from ludwin.formats import BadFile, read_bytes
from ludwin.game import Game, State
from ludwin.program.text import read
from ludwin.program.toml import from_toml
from ludwin.program.tree import Tree
from ludwin.search.choice import Agent, Choice, parse_with_file, setting
from ludwin.search.judged import Judged
from ludwin.search.seat import Seat, Sitting


@lru_cache(maxsize=32)
def _load(path: str, mark: str) -> tuple[Tree, int, str]:
    data = read_champion(path)
    player = data.get("player")
    if not isinstance(player, dict):
        raise BadRun(f"{path}: a champion of {data['experiment']} plays no game")
    try:
        program = read(from_toml(player["language"]), player["program"])
    except BadParameter as error:
        raise BadRun(f"{path}: {error}") from None
    return program, player["depth"], player["game"]


def load_player(path: str | Path) -> tuple[Tree, int, str]:
    """Return program, depth and game of a champion, from its file or the folder of its run. Raises BadRun."""
    found = find_champion(Path(path).expanduser())
    if not found.exists():
        raise BadRun(f"there is no champion {str(path)!r}; `ludwin evolve lose-checkers` makes one")
    try:
        mark = sha256(read_bytes(found)).hexdigest()
    except BadFile as error:
        raise BadRun(str(error)) from None
    return _load(str(found), mark)


@dataclass(frozen=True)
class Evolved(Agent):
    """Plays with an evolved program: `evolved:PATH,depth=3`.

    PATH is a champion's file or the folder of its run, or of a series of runs, whose best one plays.
    """

    name: ClassVar[str] = "evolved"
    file: str = field(
        default="",
        metadata={"help": "a champion's file or a run's folder, written first: evolved:PATH,depth=3", "least": None},
    )
    depth: int = setting(0, "plies to look ahead; 0: as it evolved", least=0)
    native: int = setting(0, "1: run the program as native code (fast mode)", least=0)

    def __str__(self) -> str:
        more = "".join(f",{key}={value}" for key, value in (("depth", self.depth), ("native", self.native)) if value)
        return f"{self.name}:{self.file}{more}"

    @classmethod
    def parse_text(cls, rest: str) -> Self:
        """Make the agent from `PATH` or `PATH,key=value,…` (or `file=PATH,…`); raises BadParameter."""
        return cls.parse(parse_with_file(rest, "evolved:PATH,depth=3", "`ludwin evolve lose-checkers` makes one"))

    def player(self) -> Judged:
        """Return the player that the file describes. Raises BadRun."""
        if not self.file:
            raise CannotPlay(f"{self.name} needs a champion: {self.name}:PATH,depth=3")
        program, depth, _ = load_player(self.file)
        return Judged(program, self.depth or depth, self.native)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is one for alpha-beta and answers what the program reads."""
        self.player().suits(game)

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        return self.player().seat(game)

    def warm(self, game: Game, mode: str = "fast") -> None:
        """Compile the search, and the program if it runs as native code."""
        Sitting(self.seat(game), game, mode)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the best move; the seed breaks ties."""
        return self.player().choose(game, state, seed=seed, mode=mode)


def details(path: str) -> dict[str, Any]:
    """Return what a champion plays, for people."""
    program, depth, game = load_player(path)
    return {"game": game, "depth": depth, "nodes": len(program)}
