"""Saved games of `ludwin play`: a JSON file that is read with suspicion.

Why it is here.  A game that was left should go on later exactly as it would have: game, start, seats,
seed and moves are enough for that.  A file may come from anywhere, so every move is checked against
the rules, and nothing in it is executed.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ludwin.arena.records import SEED
from ludwin.arena.referee import Referee
from ludwin.errors import BadParameter, BadPosition, CannotPlay, LudwinError
from ludwin.files import write_whole
from ludwin.formats import Format, List, Table, Text, Whole, read_json, shown
from ludwin.game import Game
from ludwin.search.choice import Agent
from ludwin.search.uct import UCT
from ludwin.trust import NAME, agent, named, without_folder

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

Seat = Agent | None  # None is a person


def seats(game: Game, agents: Sequence[Seat]) -> tuple[Seat, ...]:
    """Return who sits where. Raises BadParameter for a wrong number, CannotPlay for a wrong agent."""
    n, k = game.players, len(agents)
    if k not in (0, n - 1, n):
        against = "none to play alone" if n == 1 else f"{count(n - 1, 'agent')} to play against (none means uct)"
        raise BadParameter(f"{game.name} has {count(n, 'seat')}: name {against} or {n} to watch, got {k}")
    if k == 0:
        agents = [UCT()] * (n - 1)
    taken = tuple(agents) if k == n else (None, *agents)
    for one in taken:
        if one is not None:
            one.suits(game)
    if game.has_secrets and taken.count(None) > 1:
        raise CannotPlay(f"{game.name} has secrets, which several people at one screen cannot keep")
    return taken


def write_game(path: Path, referee: Referee, taken: Sequence[Seat]) -> None:
    """Write the game so far, beside the file first, so that it appears whole or not at all.

    Raises BadParameter if the file holds something else or cannot be written.
    """
    if path.exists() and not _is_saved_game(path):
        raise BadParameter(f"{path} exists and is no saved game; choose another name")
    data = {
        **SAVED.head,
        "game": named(referee.game),
        "start": referee.states[0].fields_text(),
        "seats": ["human" if one is None else str(one) for one in taken],
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


def read_game(path: Path, game: Game, given: Sequence[Seat] | None = None) -> tuple[Referee, tuple[Seat, ...]]:
    """Return a saved game and its seats, every part of it examined. Raises BadPosition.

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
        taken = seats(game, given if given else [_seat(text, path) for text in data["seats"]])
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


def count(n: int, thing: str) -> str:
    """Return `1 move`, `2 moves`."""
    return f"{n} {thing}{'s' * (n != 1)}"
