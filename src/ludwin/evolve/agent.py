"""The agent that plays with an evolved brain: `evolved:PATH,depth=3`, or in another search, `…,agent=greedy`.

Why it is here.  A champion is worth what it plays, on every command and against everyone.  Its file says search and
brain in plain text; nothing of it is executed but the examined arithmetic of the language's rules.  The brain may be
put into another search than the one that it evolved in: `evolved:PATH,agent="alphabeta:depth=5,table=16"`.
"""

import json
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from ludwin.errors import BadParameter, CannotPlay, LudwinError, brief
from ludwin.evolve.minds import deeper, demand_search, read_player, thinking
from ludwin.evolve.store import BadRun, find_champion, read_champion
from ludwin.formats import BadFile, decode, read_bytes
from ludwin.game import Game, State
from ludwin.paths import typed
from ludwin.search.brain import changed
from ludwin.search.choice import Agent, Choice, Player, parse_with_file, setting
from ludwin.search.programs import Programs
from ludwin.search.seat import Seat, Sitting

OTHER = re.compile(r',\s*agent\s*=\s*("(?:[^"\\]|\\.)*"|[^,]*)', re.IGNORECASE)


class Kept(NamedTuple):
    """What a champion's file holds: the player, its brain in it, and the game that it evolved for."""

    agent: Agent
    game: str

    @property
    def brain(self) -> Any:
        """What gives the player its opinions."""
        return getattr(self.agent, "brain", None)


@lru_cache(maxsize=32)
def _load(path: str, mark: str) -> Kept:
    data = read_champion(path)
    player = data.get("player")
    if not isinstance(player, dict):
        name = data["experiment"]
        raise BadRun(f"{path}: a champion of {name} plays no game by moves{_elsewhere(name)}")
    try:
        kept = Kept(read_player(player), str(data.get("game", "")))
    except BadParameter as error:
        raise BadRun(f"{path}: {error}") from None
    _demand_own(path, data, kept)
    return kept


def _elsewhere(experiment: str) -> str:
    """Return how champions of a world of ours are met, that is no game by moves."""
    ways = {
        "tanks": "`ludwin tanks battle DIR walls` lets it fight",
        "racing": "`ludwin race` lets it drive, as champion:path=DIR",
    }
    return next((f"; {way}" for world, way in ways.items() if experiment.startswith(world)), "")


def _demand_own(path: str, data: dict[str, Any], kept: Kept) -> None:
    """Raise BadRun if player or game are not those of the genome, where an experiment of ours says what these are."""
    from ludwin.evolve.register import find, names
    from ludwin.evolve.run import read_settings

    if data["genome"] is None or data["experiment"] not in names():
        return
    experiment = find(data["experiment"])
    try:
        settings = read_settings(Path(path), experiment, data["settings"], None, is_strict=False)
        made = experiment.champion(settings, experiment.kind(settings).read(data["genome"]))
        player = read_player(made["player"]) if "player" in made else kept.agent
    except LudwinError as error:
        said = str(error).removeprefix(f"{path}: ")
        raise BadRun(f"{path}: its genome cannot be read: {said}") from None
    for what, differs in (("player", player != kept.agent), ("game", made.get("game", "") != kept.game)):
        if differs:
            raise BadRun(f"{path}: its {what} is not that of its genome; the folder of its run has it as it was")


def load_player(path: str | Path) -> Kept:
    """Return the player of a champion and its game, from its file or the folder of its run. Raises BadRun."""
    try:
        found = find_champion(typed(path))
        is_there = found.exists()
    except LudwinError:
        raise
    except (OSError, ValueError):  # a name that no file can have
        is_there = False
    if not is_there:
        raise BadRun(f"there is no champion {brief(str(path), 250)}; `ludwin evolve lose-checkers` makes one")
    try:
        mark = sha256(read_bytes(found)).hexdigest()
    except BadFile as error:
        raise BadRun(str(error)) from None
    return _load(str(found), mark)


@dataclass(frozen=True)
class Evolved(Agent):
    """Plays with an evolved brain: `evolved:PATH,depth=3`, or in another search, `…,agent=greedy`.

    PATH is a champion's file or the folder of its run, or of a series of runs, whose best one plays.
    """

    name: ClassVar[str] = "evolved"
    file: str = field(
        default="",
        metadata={"help": "a champion's file or a run's folder, written first: evolved:PATH,depth=3", "least": None},
    )
    depth: int = setting(0, "plies to look ahead; 0: as it evolved", least=0)
    native: int = setting(0, "1: run the program as native code (fast mode)", least=0)
    agent: str = setting("", 'the search to put the brain into, such as "alphabeta:depth=5,table=16"; empty: its own')

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.agent and self.depth:
            raise BadParameter(f"{self.name}: depth={self.depth} has no effect with agent=; write it into that text")
        if self.agent:  # whoever names it, a data file perhaps: nothing that runs code, and nothing with its own brain
            demand_search(self.agent)

    def __str__(self) -> str:
        more = "".join(f",{key}={value}" for key, value in (("depth", self.depth), ("native", self.native)) if value)
        if self.agent:
            plain = re.fullmatch(r'[^,"\s][^,"]*[^,"\s]', self.agent)
            more += f",agent={self.agent if plain else json.dumps(self.agent, ensure_ascii=False)}"
        return f"{self.name}:{self.file}{more}"

    @classmethod
    def parse_text(cls, rest: str) -> Self:
        """Make the agent from `PATH` or `PATH,key=value,…` (or `file=PATH,…`); raises BadParameter.

        The text of another agent stands in quotation marks if it has commas.
        """
        found = OTHER.search(rest)
        bare = rest[: found.start()] + rest[found.end() :] if found else rest
        given = parse_with_file(bare, "evolved:PATH,depth=3", "`ludwin evolve lose-checkers` makes one")
        if found:
            if "agent" in given:
                raise BadParameter(f"{cls.name}: agent is given twice")
            given["agent"] = _unquoted(found[1].strip())
        return cls.parse(given)

    def player(self) -> Agent:
        """Return the player that the file describes, or its brain in another search. Raises BadRun."""
        if not self.file:
            raise CannotPlay(f"{self.name} needs a champion: {self.name}:PATH,depth=3")
        kept = load_player(self.file)
        found = thinking(self.agent, kept.brain) if self.agent else kept.agent
        found = deeper(found, self.depth) if self.depth else found
        brain = getattr(found, "brain", None)
        if self.native and isinstance(brain, Programs):
            found = changed(found, brain=replace(brain, native=self.native))
        return found

    @property
    def timed(self) -> bool:
        """Whether results depend on the clock."""
        return self._says("timed")

    @property
    def remembers(self) -> bool:
        """Whether a choice depends on the moves before it in the same game."""
        return self._says("remembers")

    def _says(self, what: str) -> bool:
        try:
            return bool(getattr(self.player(), what))
        except LudwinError:  # there is no such player, which `suits` tells
            return False

    def heeds(self, game: Game, mode: str = "fast") -> bool:
        """Tell whether the search that the brain sits in can be ended from outside."""
        return self.player().heeds(game, mode)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is one for the search and answers what the brain asks."""
        self.player().suits(game)

    def seat(self, game: Game) -> Seat | None:
        """Return the kernel that plays, with its workspace."""
        found: Seat | None = self.player().seat(game)
        return found

    def warm(self, game: Game, mode: str = "fast") -> None:
        """Compile the search, and the program if it runs as native code."""
        seat = self.seat(game)
        if seat is not None:
            Sitting(seat, game, mode)

    def sit(self, game: Game, mode: str = "fast") -> Player:
        """Return what chooses for this agent in one game."""
        return self.player().sit(game, mode)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the best move; the seed breaks ties."""
        return self.player().choose(game, state, seed=seed, mode=mode)


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(decode(text))
    except ValueError:
        raise BadParameter(f"agent={text} begins with a quotation mark and must end with one") from None


def details(path: str) -> dict[str, Any]:
    """Return what a champion plays, for people."""
    kept = load_player(path)
    trees = kept.brain.trees if isinstance(kept.brain, Programs) else ()
    return {"game": kept.game, "agent": str(changed(kept.agent, brain=None)), "nodes": sum(map(len, trees))}
