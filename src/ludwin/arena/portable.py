"""Games as other programs read them: tag pairs and numbered moves, as PDN and PGN have them.

Why it is here.  Programs and databases of draughts and chess exchange such files.  What differs between them is said
by the notation of a game's folder (`ludwin.rules.portable`); this module knows no game.  A game that begins
elsewhere has SetUp and FEN.  `LudwinGame` holds the canonical text of the rules, `Termination` why the game ended.
"""

import os
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ludwin.arena.records import ENDS, UNFINISHED, BadRecords, Record
from ludwin.errors import BadParameter, IllegalMove, LudwinError
from ludwin.formats import BadFile, read_bytes, read_text, shown
from ludwin.game import Game, State
from ludwin.games import domains, open_part
from ludwin.primitives import CHANCE
from ludwin.rules.portable import Portable, Story, WholeFile

OUR_SUFFIXES = ("", ".json", ".jsonl")
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
LOOSE_TAG = re.compile(r'\[\s*([\w+#=:-]+)\s+"(.*)"\s*\]')  # others write quotation marks in names as they are
NOISE = re.compile(r"\$\d+|(?<!\w)\d+\.+|(?<!\S)(?:\.\.\.|e\.p\.(?!\S))|[!?]+")
MARKS = re.compile(r"[{};()\n]")


def format_of(path: Path) -> Portable | None:
    """Return the notation of other programs that a file's name asks for; None if it is none that we know."""
    suffix = path.suffix.lower()
    if suffix in OUR_SUFFIXES:
        return None
    for name in domains("notation"):
        portable = getattr(open_part(name, "notation", mentions=suffix), "PORTABLE", None)
        if isinstance(portable, Portable) and portable.suffix == suffix:
            return portable
    return None


def demand_format(path: Path, game: Game) -> Portable:
    """Return the format that a file's name asks for. Raises BadParameter unless it can hold games of these rules."""
    portable = getattr(game.part("notation"), "PORTABLE", None)
    if isinstance(portable, Portable) and portable.suffix == path.suffix.lower():
        return portable
    found = format_of(path)
    if found is None:
        raise BadParameter(f"no game of ours is written to files whose names end in {path.suffix!r}")
    raise BadParameter(
        f"{found.called} is for {' and '.join(found.games)}, not for {game.name}; a name that does not end in "
        f"{found.suffix} gets JSON Lines"
    )


def write_portable(path: Path | str, game: Game, agents: Sequence[str], records: Iterable[Record]) -> int:
    """Write games to a file of the kind that its name asks for, whole or not at all; return how many.

    Raises BadParameter if it cannot hold them.
    """
    path, count = Path(path), 0
    portable = demand_format(path, game)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "w", encoding="utf8") as file:
            if portable.whole:
                stories = [_story(game, agents, record) for record in records]
                file.write(portable.whole.tell(stories) if stories else "")
                count, records = len(stories), ()
            for record in records:
                file.write(game_text(portable, game, agents, record) + "\n")
                count += 1
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    return count


def game_text(portable: Portable, game: Game, agents: Sequence[str], record: Record) -> str:
    """Return one game as tag pairs and moves."""
    tags = {"Event": "?", "Round": f"{record.game}"}
    tags |= {seat: agents[k] for seat, k in zip(portable.seats, record.seats, strict=True)}
    tags |= {"Result": result_of(portable, record), **portable.tags(game.values)}
    tags |= {
        "LudwinGame": game.text,
        "LudwinSeats": " ".join(map(str, record.seats)),
    }
    start = game.start()
    if record.position is not None:
        start = game.position(record.position)
        tags |= {"SetUp": "1", "FEN": start.write()}
    tags["Termination"] = (
        record.end if record.by is None else f"forfeit by {portable.seats[record.by]}: {record.reason}"
    )
    head = "".join(f'[{name} "{_escape(value)}"]\n' for name, value in tags.items())
    names = _names(start, (*record.opening, *record.moves))
    number = portable.begins(start.write())
    numbered = portable.numbered(names, start.mover, record.position is not None, *([number] if number != 1 else []))
    body = " ".join([*numbered, tags["Result"]])
    return f"{head}\n{textwrap.fill(body, 79, break_on_hyphens=False)}\n"


def _story(game: Game, agents: Sequence[str], record: Record) -> Story:
    """Return a game as a form of its own is told it."""
    states = [game.position(record.position) if record.position is not None else game.start()]
    moves = (*record.opening, *record.moves)
    for move in moves:
        states.append(states[-1].play(move))
    players = tuple(agents[k] for k in record.seats)
    return Story({**game.source.parameters, **game.values}, players, tuple(record.seats), states, moves)


def result_of(portable: Portable, record: Record) -> str:
    """Return the result as these files have it."""
    if record.end == UNFINISHED:
        return "*"
    first, second = record.payoffs[portable.first], record.payoffs[1 - portable.first]
    return "1-0" if first > second else "0-1" if second > first else "1/2-1/2"


def _names(state: State, moves: Sequence[int]) -> list[str]:
    names = []
    for move in moves:
        names.append(state.name(move))
        state = state.play(move)
    return names


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', "'").replace("\n", " ")


def _text(path: Path) -> str:
    """Return what a file says, in UTF-8, or in Latin-1, which the standard of PGN names. Raises BadFile."""
    try:
        return read_text(path)
    except BadFile:
        raw = read_bytes(path)
        if b"\0" in raw:
            raise
        return raw.decode("latin-1")


def _tags(line: str) -> dict[str, str] | None:
    """Return the tags that a line holds; None if it holds something else."""
    found, end = {}, 0
    while tag := TAG.match(line, end):
        found[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
        end = tag.end()
    if found and end == len(line):
        return found
    loose = LOOSE_TAG.fullmatch(line)
    return {loose[1]: loose[2]} if loose else None


def _games(path: Path) -> Iterator[tuple[int, dict[str, str], str]]:
    """Yield line number, tags and movetext of each game; one without a single word behind its tags is one, too."""
    lines = _text(path).removeprefix("\ufeff").splitlines()
    tags: dict[str, str] = {}
    body: list[str] = []
    first = 1
    gap = False  # whether the tags have ended with an empty line
    inside = False  # a comment in braces, which may have brackets at the beginning of a line
    for number, line in enumerate([*lines, "["], 1):
        if line.startswith("%"):  # for other programs, by the standard
            continue
        last = number > len(lines)
        if line.lstrip().startswith("[") and (not inside or last):
            found = {} if last else _tags(line.strip())
            if found is None:
                raise BadRecords(path, number, f'a tag looks like [Black "name"], got {shown(line.strip())}')
            if body or (tags and (last or (gap and not tags.keys().isdisjoint(found)))):
                yield first, tags, "\n".join(body)
                tags, body = {}, []
            if not tags:
                first = number
            tags.update(found)
            gap = False
        elif line.strip():
            body.append(line)
            inside = _ends_inside(line, inside)
        elif not inside:
            gap = True


def _ends_inside(line: str, inside: bool) -> bool:
    """Tell whether a comment in braces goes on behind a line; ; begins one that does not."""
    for sign in line:
        if inside:
            inside = sign != "}"
        elif sign == "{":
            inside = True
        elif sign == ";":
            break
    return inside


def read_portable(
    path: Path | str, portable: Portable, load: Callable[[str], Game]
) -> tuple[Game, tuple[str, ...], Iterator[tuple[int, Record]]]:
    """Return the game, the players' names, and the games with their lines. Raises LudwinError.

    Files of other programs are read too: their game is the first of the format, players are numbered as they appear.
    """
    path = Path(path)
    if portable.whole:
        return _read_whole(path, portable, portable.whole, load)
    agents: dict[str | tuple[int, str], int] = {}
    games = list(_games(path))
    if not games:
        raise BadRecords(path, 1, "there is no game in this file")
    text = games[0][1].get("LudwinGame", portable.games[0])
    if text.partition(":")[0] not in portable.games:  # before it is loaded: a file must not say what is executed
        known = " and ".join(portable.games)
        raise BadRecords(path, games[0][0], f"{portable.called} is for {known}, not for {shown(text)}")
    game = load(text)
    seats = [_seats(portable, tags, agents) for _, tags, _ in games]
    names = _agent_names(agents)

    def records() -> Iterator[tuple[int, Record]]:
        for number, ((line, tags, body), (one, other)) in enumerate(zip(games, seats, strict=True)):
            if tags.get("LudwinGame", text) != text:
                raise BadRecords(path, line, f"a file holds games of one kind, {text}, not {shown(tags['LudwinGame'])}")
            found = _Found(portable, game, path, line, number, tags, (names.index(one), names.index(other)))
            yield line, _record(found, body)

    return game, tuple(name if isinstance(name, str) else name[1] for name in names), records()


def _read_whole(
    path: Path, portable: Portable, whole: WholeFile, load: Callable[[str], Game]
) -> tuple[Game, tuple[str, ...], Iterator[tuple[int, Record]]]:
    """Return the game, the players and the games of a file that has a form of its own. Raises LudwinError."""
    try:
        heard = whole.hear(read_text(path))
    except ValueError as error:
        raise BadRecords(path, 1, str(error)) from None
    parameters = heard[0][0]
    if any(other != parameters for other, _, _ in heard):
        raise BadRecords(path, 1, "a file holds games of one kind; these have other lengths or cubes")
    given = ",".join(f"{name}={value}" for name, value in parameters.items() if value)
    game = load(f"{portable.games[0]}:{given}" if given else portable.games[0])
    names = tuple(dict.fromkeys(name for _, players, _ in heard for name in players))
    if len(names) < 2 or any(one == other for _, (one, other), _ in heard):
        names = ("first", "second")
        heard = [(parameters, (names[0], names[1]), events) for _, _, events in heard]

    def records() -> Iterator[tuple[int, Record]]:
        number = 0
        for _, players, events in heard:
            seats = (names.index(players[0]), names.index(players[1]))
            for record in _heard_records(_Found(portable, game, path, 1, number, {}, seats), whole, events):
                number = record.game + 1
                yield 1, record

    return game, names, records()


def _heard_records(found: "_Found", whole: WholeFile, events: Sequence[tuple[int, str]]) -> Iterator[Record]:
    """Yield a story as our records hold it, one, and another after each game that was given up; every move is played.

    Raises BadRecords.
    """
    state = begun = found.game.start()
    moves: list[int] = []
    number, position, ended = found.number, None, False
    payoffs = None  # of a game that was given up
    try:
        for player, text in events:
            if text.startswith("wins "):
                after = whole.given_up(begun, state, player, text)
                begun, ended = after or state, True
                if after is None:
                    continue
                payoffs = (1.0, -1.0) if player == 0 else (-1.0, 1.0)
                yield _piece(found, number, moves, payoffs, "adjudication", position)
                number, moves, state, position = number + 1, [], after, after.fields_text()
                continue
            if state.over:
                raise IllegalMove(f"{text} after the end")
            words = whole.follow(state, player, text)
            for word in words:
                if state.mover not in (player, CHANCE):
                    raise IllegalMove(f"{word} is not player {player}'s to say")
                moves.append(state.parse(word))
                state = state.play(moves[-1])
            if words:
                ended, payoffs = False, None
    except (LudwinError, ValueError) as error:
        where = f"game {number}, event {len(moves) + 1}"
        raise BadRecords(found.path, found.line, f"{where}: {str(error).splitlines()[0]}") from None
    if payoffs:
        return
    if state.over:
        yield _piece(found, number, moves, state.payoffs(), "rules", position)
    elif ended:  # a match of which only some games are there
        yield _piece(found, number, moves, (0.0, 0.0), UNFINISHED, position)
    else:
        raise BadRecords(found.path, found.line, f"game {number} does not end")


def _piece(
    found: "_Found", number: int, moves: list[int], payoffs: tuple[float, ...], end: str, position: str | None
) -> Record:
    return Record(number, number // 2, found.seats, tuple(moves), payoffs, end, (), position)


@dataclass(frozen=True)
class _Found:
    """A game in a file: where it stands, and what its tags say."""

    portable: Portable
    game: Game
    path: Path
    line: int
    number: int
    tags: dict[str, str]
    seats: tuple[int, int]


def _seats(
    portable: Portable, tags: dict[str, str], agents: dict[str | tuple[int, str], int]
) -> tuple[str | tuple[int, str], str | tuple[int, str]]:
    """Return who sits where: by our number of the agent if the file has it, else by name."""
    names = tags.get(portable.seats[0], "?"), tags.get(portable.seats[1], "?")
    numbers = tags.get("LudwinSeats", "").split()
    who: list[str | tuple[int, str]] = [
        (int(n), name) for n, name in zip(numbers, names, strict=False) if n.isdecimal() and len(n) < 10
    ]
    first, second = who if len(who) == 2 else names
    for one in (first, second):
        agents.setdefault(one, len(agents))
    return first, second


def _agent_names(agents: dict[str | tuple[int, str], int]) -> list[str | tuple[int, str]]:
    """Return the players in the order of their numbers, or of their appearance."""
    numbered = sorted(one for one in agents if not isinstance(one, str))
    return [*numbered, *(one for one in agents if isinstance(one, str))]


def _main_line(body: str) -> str:
    """Return the moves without comments ({…}, and ; to the end of a line) and variations ((…), nested).

    Raises BadParameter if one of them does not end: nobody knows then which moves are of the game.
    """
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
    if ends == "}" or depth:
        raise BadParameter(
            f"a {'comment in braces' if ends else 'variation'} does not end; close it with {ends or ')'}"
        )
    return " ".join([*kept, body[begin:] if not ends else ""])


def _result(words: list[str], told: str) -> str:
    """Return the result of a game, which may stand behind its moves, from where it is taken, or in a tag.

    Raises BadParameter if they contradict each other.
    """
    if not words or words[-1] not in RESULTS:
        return told
    result = words.pop()
    if result == told or told not in RESULTS or told == "*":
        return result
    if result != "*":
        raise BadParameter(f"its tag says {told}, and {result} stands behind its moves")
    return told


def _record(found: _Found, body: str) -> Record:
    """Return a game as our records hold it; every move is played. Raises BadRecords."""
    game, path, line, number, tags = found.game, found.path, found.line, found.number, found.tags
    moves = []
    if tags.get("Variant", "standard").lower() not in ("standard", "from position", game.name):
        raise BadRecords(path, line, f"game {number} has other rules: {shown(tags['Variant'])}")
    try:
        words = NOISE.sub(" ", _main_line(body)).split()
        result = _result(words, tags.get("Result", "*"))
        state = game.position(tags["FEN"]) if "FEN" in tags else game.start()
        position = state.write() if "FEN" in tags else None
        for word in words:
            moves.append(state.parse(word))
            state = state.play(moves[-1])
    except LudwinError as error:
        raise BadRecords(path, line, f"game {number}: {str(error).splitlines()[0]}") from None
    end, by, reason = tags.get("Termination", ""), None, None
    if forfeit := re.fullmatch(rf"forfeit by ({'|'.join(map(re.escape, found.portable.seats))}): (.*)", end):
        end, by, reason = "forfeit", found.portable.seats.index(forfeit[1]), forfeit[2]
    if end not in ENDS:
        end = "rules" if state.over else "adjudication"
    points = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0), "1/2-1/2": (0.0, 0.0)}.get(result)
    if points is None and result == "*":
        points, end, by, reason = (0.0, 0.0), UNFINISHED, None, None
    if points is None:
        raise BadRecords(path, line, f"game {number} has no result ({shown(result)})")
    payoffs = points if found.portable.first == 0 else points[::-1]
    return Record(number, number // 2, found.seats, tuple(moves), payoffs, end, (), position, by, reason)
