"""Saved games: a JSON file that is read with suspicion.

Why it is here.  A game that was left should go on later exactly as it would have: game, start, seats,
seed and moves are enough for that.  A file may come from anywhere, so every move is checked against
the rules, and nothing in it is executed.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter, BadPosition, LudwinError, brief
from ludwin.files import write_whole
from ludwin.formats import Format, List, Number, Table, Text, Whole, read_json, shown
from ludwin.game import Game
from ludwin.play.referee import Referee
from ludwin.play.seats import Seat, count, seat_texts, seats
from ludwin.trust import NAME, RULES, SEED, agent, marks, named, without_folder

SAVED = Format(
    "ludwin-play",
    1,
    Table(
        {
            "game": NAME,
            "start": Text(),
            "seats": List(NAME, least=1),
            "seed": SEED,
            "moves": List(Text()),
            "codes": List(Whole()),
        },
        {
            **RULES,
            "names": List(Text(longest=400, line=True), least=1),  # of the players, where people have told theirs
            "end": Text(choices=("resignation", "time")),  # if the rules did not end it
            "loser": Whole(0, 10**6),
            "payoffs": List(Number()),  # by player; none of a game that is not over. Older files do not say
        },
    ),
    "saved game",
    largest=2**24,
)


@dataclass(frozen=True)
class KeptGame:
    """What a kept game says beside its moves: who played, and who gave up or ran out of time."""

    names: tuple[str, ...] = ()
    end: str | None = None
    loser: int | None = None
    payoffs: tuple[float, ...] | None = None  # () of a game that is not over, None where the file does not say

    def keys(self, seats: Sequence[str]) -> dict[str, Any]:
        """Return the keys that this adds to a file; nothing that is known without them."""
        data: dict[str, Any] = {"names": list(self.names)} if self.names and list(self.names) != list(seats) else {}
        data |= {} if self.payoffs is None else {"payoffs": list(self.payoffs)}
        return {**data, "end": self.end, "loser": self.loser} if self.end in ("resignation", "time") else data


NOTHING = KeptGame()


def write_game(path: Path, referee: Referee, taken: Sequence[Seat], kept: KeptGame = NOTHING) -> None:
    """Write the game so far, beside the file first, so that it appears whole or not at all.

    Raises BadParameter if the file holds something else or cannot be written.
    """
    try:
        is_there = path.exists()
    except (OSError, ValueError):
        raise BadParameter(f"{brief(str(path))} cannot be the name of a file; choose another name") from None
    if is_there and not _is_saved_game(path):
        raise BadParameter(f"{path} exists and is no saved game; choose another name")
    data = {
        **SAVED.head,
        "game": named(referee.game),
        "start": referee.states[0].fields_text(),
        "seats": seat_texts(taken),
        "seed": referee.seed,
        "moves": names(referee),
        "codes": referee.played,
        **kept.keys(seat_texts(taken)),
        **({} if referee.game.is_ours else marks(referee.game)),
    }
    lines = (f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items())
    try:
        write_whole(path, "{\n" + ",\n".join(lines) + "\n}\n")
    except OSError as error:
        raise BadParameter(f"cannot write {path}: {error.strerror or error}") from None


def _is_saved_game(path: Path) -> bool:
    with suppress(LudwinError):
        read_json(path, SAVED)
        return True
    return False


def read_game(
    path: Path, game: Game, given: Sequence[Seat] = (), *, one_screen: bool = True
) -> tuple[Referee, tuple[Seat, ...]]:
    """Return a saved game and its seats (see `seats`), every part of it examined. Raises BadPosition.

    Who sits there may be given: then the file does not say who plays, and may name agents that run code.
    """
    data = read_json(path, SAVED, refusal=BadPosition)
    if without_folder(data["game"]) != named(game):
        raise BadPosition(f"{path} is a game of {shown(data['game'])}, not of {game.text!r}")
    if len(data["seats"]) != game.players:
        raise BadPosition(f"{path}: 'seats' must be {count(game.players, 'text')}, got {shown(data['seats'])}")
    if len(data["moves"]) != len(data["codes"]):
        raise BadPosition(f"{path}: {count(len(data['moves']), 'move')} but {count(len(data['codes']), 'code')}")
    try:
        agents = given or [_seat(text, path) for text in data["seats"]]
        taken = seats(game, agents, one_screen=one_screen)
        referee = Referee(game, data["seed"], game.position(data["start"]))
        for ply, (name, code) in enumerate(zip(data["moves"], data["codes"], strict=True), start=1):
            if referee.end:
                raise BadPosition(f"the game is over ({referee.end}) before move {ply}, {shown(name)}")
            legal = referee.state.moves()
            if code not in legal or referee.state.name(code) != name:
                raise BadPosition(f"move {ply}, {shown(name)} with code {code}, is not a legal move there")
            referee.play(code)
        if data.get("loser", 0) >= game.players or ("end" in data) != ("loser" in data):
            raise BadPosition(f"'loser' must be a player of 0 … {game.players - 1} who ended it")
        if "end" in data and referee.end:
            raise BadPosition(f"it ended by {data['end']}, and was over before ({referee.end})")
        worth = list(referee.payoffs) if referee.end else []
        if "end" not in data and data.get("payoffs", worth) != worth:
            raise BadPosition(f"payoffs should be {worth}, the file says {shown(data['payoffs'])}")
    except LudwinError as error:
        raise BadPosition(f"{path}: {error}") from None
    return referee, taken


def about_game(path: Path) -> tuple[dict[str, Any], KeptGame]:
    """Return a kept game as it was written, examined but not played, and what it says of its players."""
    data = read_json(path, SAVED, refusal=BadPosition)
    if data.get("loser", 0) >= len(data["seats"]) or ("end" in data) != ("loser" in data):
        raise BadPosition(f"{path}: 'loser' must be a player of 0 … {len(data['seats']) - 1} who ended it")
    payoffs = tuple(map(float, data["payoffs"])) if "payoffs" in data else None
    names = tuple(data.get("names", data["seats"]))
    if payoffs and len(payoffs) != len(data["seats"]):
        raise BadPosition(f"{path}: {len(payoffs)} payoffs for {count(len(data['seats']), 'player')}")
    return data, KeptGame(names, data.get("end"), data.get("loser"), payoffs)


def _seat(text: str, path: Path) -> Seat:
    return None if text == "human" else agent(text, path)


def names(referee: Referee) -> list[str]:
    """Return the texts of the moves that were played."""
    return [state.name(move) for state, move in zip(referee.states, referee.played, strict=False)]
