"""PDN: draughts games as other programs read them.

Why it is here.  Portable Draughts Notation is what draughts programs and databases exchange.  Player 0
is Black, who begins; results are White's first (1-0: White won), as PDN took them from chess.  A game that begins
elsewhere has SetUp and FEN.  `LudwinGame` holds the canonical text of the rules, `Termination` why the game ended.

References.  Portable Draughts Notation 3.0 (pdn.fmjd.org); pydraughts, which reads what we write.
"""

import os
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from ludwin.arena.records import ENDS, BadRecords, Record
from ludwin.errors import BadParameter, LudwinError
from ludwin.formats import read_text, shown
from ludwin.game import Game, State

GAMES = ("draughts", "lose-checkers")
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]')
NOISE = re.compile(r"\$\d+|\d+\.(?:\.\.)?(?!\d)|[!?]+")
MARKS = re.compile(r"[{};()\n]")


def demand_draughts(game: Game) -> None:
    """Raise BadParameter unless PDN can hold games of these rules."""
    if game.name not in GAMES:
        raise BadParameter(
            f"PDN is for {' and '.join(GAMES)}, not for {game.name}; a name that does not end in .pdn gets JSON Lines"
        )


def write_pdn(path: Path | str, game: Game, agents: Sequence[str], records: Iterable[Record]) -> int:
    """Write games to a PDN file, whole or not at all; return how many. Raises BadParameter if PDN cannot hold them."""
    demand_draughts(game)
    path, count = Path(path), 0
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "w", encoding="utf8") as file:
            for record in records:
                file.write(pdn_text(game, agents, record) + "\n")
                count += 1
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    return count


def pdn_text(game: Game, agents: Sequence[str], record: Record) -> str:
    """Return one game in PDN."""
    size = game.values.get("size", 8)
    black, white = (agents[k] for k in record.seats)
    tags = {"Event": "?", "Round": f"{record.game}", "Black": black, "White": white, "Result": result_of(record)}
    tags |= {
        "GameType": f"21,B,{size},{size},N1,0",
        "LudwinGame": game.text,
        "LudwinSeats": " ".join(map(str, record.seats)),
    }
    start = game.start()
    if record.position is not None:
        start = game.position(record.position)
        tags |= {"SetUp": "1", "FEN": start.write()}
    tags["Termination"] = (
        record.end if record.by is None else f"forfeit by {('Black', 'White')[record.by]}: {record.reason}"
    )
    head = "".join(f'[{name} "{_escape(value)}"]\n' for name, value in tags.items())
    body = " ".join(
        [*_numbered(start, _names(start, (*record.opening, *record.moves)), record.position), tags["Result"]]
    )
    return f"{head}\n{textwrap.fill(body, 79, break_on_hyphens=False)}\n"


def result_of(record: Record) -> str:
    """Return the result as PDN has it, White's points first."""
    black, white = record.payoffs
    return "1-0" if white > black else "0-1" if black > white else "1/2-1/2"


def _names(state: State, moves: Sequence[int]) -> list[str]:
    names = []
    for move in moves:
        names.append(state.name(move))
        state = state.play(move)
    return names


def _numbered(start: State, names: list[str], position: str | None) -> list[str]:
    """Put numbers before the moves of the first player.

    Behind a FEN with Black to move, pydraughts (and so we) count a move of White's as missing.
    """
    words = []
    if position is not None and start.mover == 0 and names:
        words, names = ["1...", names[0]], names[1:]
    for k, name in enumerate(names):
        words += [f"{k // 2 + (2 if words[:1] == ['1...'] else 1)}."] * (k % 2 == 0) + [name]
    return words


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', "'").replace("\n", " ")


def _games(path: Path) -> Iterator[tuple[int, dict[str, str], str]]:
    """Yield line number, tags and movetext of each game."""
    lines = read_text(path).splitlines()
    tags: dict[str, str] = {}
    body: list[str] = []
    first = 1
    for number, line in enumerate([*lines, "["], 1):
        if line.startswith("["):
            if body:
                yield first, tags, "\n".join(body)
                tags, body = {}, []
            if not tags:
                first = number
            tag = TAG.fullmatch(line.strip())
            if tag:
                tags[tag[1]] = tag[2].replace("\\\\", "\\")
            elif number <= len(lines):
                raise BadRecords(path, number, f'a tag looks like [Black "name"], got {shown(line.strip())}')
        elif line.strip():
            body.append(line)


def read_pdn(
    path: Path | str, load: Callable[[str], Game]
) -> tuple[Game, tuple[str, ...], Iterator[tuple[int, Record]]]:
    """Return the game, the players' names, and the games with their lines. Raises LudwinError.

    Files of other programs are read too: their game is `draughts`, players are numbered as they appear.
    """
    path = Path(path)
    agents: dict[str | tuple[int, str], int] = {}
    games = list(_games(path))
    if not games:
        raise BadRecords(path, 1, "there is no game in this file")
    text = games[0][1].get("LudwinGame", "draughts")
    if text.partition(":")[0] not in GAMES:  # before it is loaded: a file must not say what is executed
        raise BadRecords(path, games[0][0], f"PDN is for {' and '.join(GAMES)}, not for {shown(text)}")
    game = load(text)
    seats = [_seats(tags, agents) for _, tags, _ in games]
    names = _agent_names(agents)

    def records() -> Iterator[tuple[int, Record]]:
        for number, ((line, tags, body), (black, white)) in enumerate(zip(games, seats, strict=True)):
            if tags.get("LudwinGame", text) != text:
                raise BadRecords(path, line, f"a file holds games of one kind, {text}, not {shown(tags['LudwinGame'])}")
            yield line, _record(game, path, line, number, tags, body, (names.index(black), names.index(white)))

    return game, tuple(name if isinstance(name, str) else name[1] for name in names), records()


def _seats(
    tags: dict[str, str], agents: dict[str | tuple[int, str], int]
) -> tuple[str | tuple[int, str], str | tuple[int, str]]:
    """Return who plays Black and White: by our number of the agent if the file has it, else by name."""
    names = tags.get("Black", "?"), tags.get("White", "?")
    numbers = tags.get("LudwinSeats", "").split()
    who: list[str | tuple[int, str]] = [
        (int(n), name) for n, name in zip(numbers, names, strict=False) if n.isdecimal() and len(n) < 10
    ]
    black, white = who if len(who) == 2 else names
    for one in (black, white):
        agents.setdefault(one, len(agents))
    return black, white


def _agent_names(agents: dict[str | tuple[int, str], int]) -> list[str | tuple[int, str]]:
    """Return the players in the order of their numbers, or of their appearance."""
    numbered = sorted(one for one in agents if not isinstance(one, str))
    return [*numbered, *(one for one in agents if isinstance(one, str))]


def _main_line(body: str) -> str:
    """Return the moves without comments ({…}, and ; to the end of a line) and variations ((…), nested)."""
    kept, begin, depth, ends = [], 0, 0, ""  # `ends` is what a comment waits for
    for mark in MARKS.finditer(body):
        sign, at = mark[0], mark.start()
        if ends:
            if sign != ends:
                continue
            ends, begin = "", at + 1
        elif sign in "{;":
            kept += [body[begin:at]] if not depth else []
            ends = "}" if sign == "{" else "\n"
        elif sign == "(":
            kept += [body[begin:at]] if not depth else []
            depth += 1
        elif sign == ")" and depth:
            depth, begin = depth - 1, at + 1
    return " ".join([*kept, body[begin:] if not depth and not ends else ""])


def _record(
    game: Game, path: Path, line: int, number: int, tags: dict[str, str], body: str, seats: tuple[int, int]
) -> Record:
    words = NOISE.sub(" ", _main_line(body)).split()
    result = words.pop() if words and words[-1] in RESULTS else tags.get("Result", "*")
    moves = []
    try:
        state = game.position(tags["FEN"]) if "FEN" in tags else game.start()
        position = state.write() if "FEN" in tags else None
        for word in words:
            moves.append(state.parse(word))
            state = state.play(moves[-1])
    except LudwinError as error:
        raise BadRecords(path, line, f"game {number}: {str(error).splitlines()[0]}") from None
    end, by, reason = tags.get("Termination", ""), None, None
    if forfeit := re.fullmatch(r"forfeit by (Black|White): (.*)", end):
        end, by, reason = "forfeit", ("Black", "White").index(forfeit[1]), forfeit[2]
    if end not in ENDS:
        end = "rules" if state.over else "adjudication"
    payoffs = {"1-0": (-1.0, 1.0), "0-1": (1.0, -1.0), "1/2-1/2": (0.0, 0.0)}.get(result)
    if payoffs is None:
        raise BadRecords(path, line, f"game {number} has no result ({shown(result)})")
    return Record(number, number // 2, seats, tuple(moves), payoffs, end, (), position, by, reason)
