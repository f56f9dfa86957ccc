"""An event in parts: each plays its stretch of the games, and all together are the record of one event.

Why it is here.  The games of a round-robin or a gauntlet are known before the first is played, so a job array can share
them out.  A part holds the head of the record and, beside it, its games, as an event keeps games that came too early;
putting parts together is then nothing but going on with an event of which every game has come early.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ludwin.arena.desk import demand_suitable
from ludwin.arena.records import Writer, create, read_header, read_kept, read_records
from ludwin.arena.schedule import jobs, total_games
from ludwin.arena.standing import Standing
from ludwin.arena.terms import Terms
from ludwin.arena.tournament import header_of, same_event
from ludwin.arena.workers import Pool
from ludwin.arena.world_desk import desk_of
from ludwin.errors import BadParameter
from ludwin.files import write_whole
from ludwin.game import Game, State
from ludwin.parts import BadParts, Portion
from ludwin.progress import SILENT, Progress
from ludwin.search.choice import Agent, Choice

RECORD = "games.jsonl"


def demand_known(terms: Terms) -> None:
    """Raise BadParameter if what is played depends on results: no part could know it."""
    if terms.event not in ("round-robin", "gauntlet") or terms.sprt:
        what = "an SPRT" if terms.sprt else f"a {terms.event} event"
        raise BadParameter(f"{what} is decided while it is played, so it cannot be cut into parts; use --cluster")


def owned(part: Portion, terms: Terms, agents: int, players: int) -> range:
    """Return the numbers of a part's games: whole pairs, neighbours together, so that few agents are compiled."""
    pairs = part.span(total_games(terms, agents, players) // players)
    return range(pairs.start * players, pairs.stop * players)


def play_part(
    game: Game,
    agents: Sequence[Agent],
    terms: Terms,
    part: Portion,
    folder: Path,
    *,
    workers: int = 1,
    mode: str = "fast",
    progress: Progress = SILENT,
) -> int:
    """Play the games of a part that are missing in its folder; return how many it has in all."""
    terms.check(game.players, len(agents))
    demand_known(terms)
    demand_suitable(game, agents, terms)
    path, header = folder / RECORD, header_of(game, agents, terms)
    if path.exists():
        same_event(path, header, game)
    else:
        create(path, header)
    own = owned(part, terms, len(agents), game.players)
    writer = Writer(path)
    desk = desk_of(game, agents, terms, mode)
    pool = Pool(desk, workers, writer.handles)
    try:
        kept = read_kept(path)
        standing = Standing([one.label for one in agents])
        missing = [job for job in next(jobs(terms, game.players, standing)) if job.number in own]
        missing = [job for job in missing if job.number not in kept]
        progress.total(len(own), str(part), unit="games", done=len(own) - len(missing))
        done = len(own) - len(missing)
        for pairing in dict.fromkeys(job.agents for job in missing):
            pool.warm(pairing)
            for batch in pool.run(job for job in missing if job.agents == pairing):
                if batch:
                    writer.keep(record.line() for record in batch)
                    done += len(batch)
                    progress.done(done)
        pool.close(orderly=True)
    finally:
        pool.close()
        writer.close()
    return len(own)


def gather_records(folders: Sequence[Path], path: Path, players: int) -> None:
    """Put the games of all parts beside a new record, as if they had come too early, unless that is done already.

    Raises BadParts for games that are missing, doubled or foreign, BadRecords for lines that are no games.
    """
    heads = [head_of(folder) for folder in folders]
    header = read_header(folders[0] / RECORD)
    for folder, head in zip(folders, heads, strict=True):
        if head != heads[0]:
            found = read_header(folder / RECORD)
            key = next((key for key in (*header, *found) if header.get(key) != found.get(key)), "first line")
            raise BadParts(f"{folder.name} is of another event than {folders[0].name}: its {key} differs")
    if path.exists() and head_of(path.parent) != heads[0]:
        raise BadParts(f"{path} is of another event than the parts: it was there before; remove it and gather again")
    terms = Terms.from_json(header)
    total = total_games(terms, len(header["agents"]), players)
    if path.exists() and {record.game for _, record in read_records(path)} == set(range(total)):
        return
    for number, folder in enumerate(folders, 1):
        own, kept = (
            owned(Portion(number, len(folders)), terms, len(header["agents"]), players),
            read_kept(folder / RECORD),
        )
        foreign = [game for game in kept if game not in own]
        if foreign:
            raise BadParts(f"{folder.name} holds game {foreign[0]}, which belongs to another part")
        lacking = [game for game in own if game not in kept]
        if lacking:
            raise BadParts(f"{folder.name} lacks game {lacking[0]}; run this part again")
    early = path.with_name(path.name + ".ahead")
    with open(early, "wb") as together:
        for folder in folders:
            if (folder / early.name).is_file():
                with open(folder / early.name, "rb") as games:
                    shutil.copyfileobj(games, together)
    write_whole(path, heads[0])


@dataclass(frozen=True)
class Absent(Agent):
    """Stands for a player of an event whose games are all played: nobody is asked, so no program need be there."""

    name: ClassVar[str] = "absent"
    text: str = ""
    texts: str | None = None  # the hash of a user's file
    hurried: bool = False

    def __post_init__(self) -> None:
        """Take what the record says; there are no settings to examine."""

    @property
    def label(self) -> str:
        """What the record calls the player."""
        return self.text

    @property
    def timed(self) -> bool:
        """Whether the record says that results depend on the clock."""
        return self.hurried

    @property
    def foreign(self) -> bool:
        """Whether the record has a hash of the player's file."""
        return self.texts is not None

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Raise AssertionError: whoever gathers has seen that no game is missing."""
        raise AssertionError(f"{self.text} is not here")


def absent_players(header: Mapping[str, Any], path: Path) -> list[Agent]:
    """Return who stands for the agents of a record. Raises BadParts."""
    names: list[str] = list(header["agents"])
    texts = header.get("code") or [None] * len(names)
    if len(texts) != len(names):
        raise BadParts(f"{path}: {len(names)} agents, but {len(texts)} hashes of their files")
    return [Absent(name, mark, bool(header["timed"])) for name, mark in zip(names, texts, strict=True)]


def head_of(folder: Path) -> str:
    """Return the first line of a part's record. Raises BadParts if there is none."""
    try:
        with open(folder / RECORD, encoding="utf8") as file:
            line = file.readline()
    except (OSError, UnicodeDecodeError):
        line = ""
    if not line.endswith("\n"):
        raise BadParts(f"{folder} holds no {RECORD}; run this part again")
    return line
