"""Saved games: a JSON file that is read with suspicion.

Why it is here.  A game that was left should go on later exactly as it would have: game, start, seats,
seed and moves are enough for that.  A file may come from anywhere, so every move is checked against
the rules, and nothing in it is executed.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ludwin.errors import BadParameter, BadPosition, LudwinError, brief
from ludwin.files import write_whole
from ludwin.formats import Format, List, Table, Text, Whole, read_json, shown
from ludwin.game import Game
from ludwin.play.referee import Referee
from ludwin.play.seats import Seat, count, seat_texts, seats
from ludwin.trust import NAME, SEED, agent, named, without_folder

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
        }
    ),
    "saved game",
    largest=2**24,
)


def write_game(path: Path, referee: Referee, taken: Sequence[Seat]) -> None:
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
    except LudwinError as error:
        raise BadPosition(f"{path}: {error}") from None
    return referee, taken


def _seat(text: str, path: Path) -> Seat:
    return None if text == "human" else agent(text, path)


def names(referee: Referee) -> list[str]:
    """Return the texts of the moves that were played."""
    return [state.name(move) for state, move in zip(referee.states, referee.played, strict=False)]
