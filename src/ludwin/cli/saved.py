"""Saved games of `ludwin play`: a JSON file that is read with suspicion.

Why it is here.  A game that was left should go on later exactly as it would have: game, start, seats,
seed and moves are enough for that.  A file may come from anywhere, so every move is checked against
the rules, and nothing in it is executed.
"""

import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludwin.arena.referee import Referee
from ludwin.errors import BadParameter, BadPosition, CannotPlay, LudwinError
from ludwin.game import Game
from ludwin.library import agent, is_users, split
from ludwin.search.choice import Agent
from ludwin.search.uct import UCT

FORMAT, VERSION = "ludwin-play", 1
LARGEST = 2**24  # bytes of a saved game; more is no saved game

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
        "format": FORMAT,
        "version": VERSION,
        "game": referee.game.text,
        "start": referee.states[0].fields_text(),
        "seats": ["human" if one is None else str(one) for one in taken],
        "seed": referee.seed,
        "moves": names(referee),
        "codes": referee.played,
    }
    lines = (f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items())
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".ludwin-")
        try:
            with os.fdopen(handle, "w", encoding="utf8") as file:
                file.write("{\n" + ",\n".join(lines) + "\n}\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        finally:
            Path(beside).unlink(missing_ok=True)
    except OSError as error:
        raise BadParameter(f"cannot write {path}: {error.strerror or error}") from None


def _is_saved_game(path: Path) -> bool:
    with suppress(LudwinError):
        _read_json(path)
        return True
    return False


def _read_json(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise BadPosition(f"cannot read {path}: {error.strerror or error}") from None
    try:
        data = json.loads(raw) if len(raw) <= LARGEST else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadPosition(f"{path} is no saved game: it does not begin with the format {FORMAT!r}")
    return data


def read_game(path: Path, game: Game) -> tuple[Referee, tuple[Seat, ...]]:
    """Return a saved game and its seats, every part of it examined. Raises BadPosition."""
    data = _read_json(path)
    if data.get("version") != VERSION:
        raise BadPosition(f"{path} has version {data.get('version')!r} of saved games, this Ludwin reads {VERSION}")
    kinds = {"game": str, "start": str, "seats": list, "seed": int, "moves": list, "codes": list}
    for key, kind in kinds.items():
        if type(data.get(key)) is not kind:
            raise BadPosition(f"{path}: {key!r} must be a {kind.__name__}, got {data.get(key)!r:.60}")
    if not _same_game(game, data["game"]):
        raise BadPosition(f"{path} is a game of {data['game']!r:.80}, not of {game.text!r}")
    if len(data["seats"]) != game.players or not all(isinstance(text, str) for text in data["seats"]):
        raise BadPosition(f"{path}: 'seats' must be {count(game.players, 'text')}, got {data['seats']!r:.60}")
    if len(data["moves"]) != len(data["codes"]):
        raise BadPosition(f"{path}: {count(len(data['moves']), 'move')} but {count(len(data['codes']), 'code')}")
    try:
        taken = seats(game, [None if text == "human" else agent(text) for text in data["seats"]])
        referee = Referee(game, data["seed"], game.position(data["start"]))
        for ply, (name, code) in enumerate(zip(data["moves"], data["codes"], strict=True), start=1):
            if referee.end:
                raise BadPosition(f"the game is over ({referee.end}) before move {ply}, {name!r:.40}")
            legal = referee.state.moves()
            if type(code) is not int or code not in legal or referee.state.name(code) != name:
                raise BadPosition(f"move {ply}, {name!r:.40} with code {code!r:.40}, is not a legal move there")
            referee.play(code)
    except LudwinError as error:
        raise BadPosition(f"{path}: {error}") from None
    return referee, taken


def _same_game(game: Game, text: str) -> bool:
    """Tell whether a text names the game; a user's file may be called by another path."""
    if text == game.text:
        return True
    try:
        (mine, given), (theirs, saved) = split(game.text), split(text)
    except LudwinError:
        return False
    return is_users(game) and given == saved and Path(mine).name == Path(theirs).name


def names(referee: Referee) -> list[str]:
    """Return the texts of the moves that were played."""
    return [state.name(move) for state, move in zip(referee.states, referee.played, strict=False)]


def count(n: int, thing: str) -> str:
    """Return `1 move`, `2 moves`."""
    return f"{n} {thing}{'s' * (n != 1)}"
