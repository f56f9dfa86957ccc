"""A game at the prompt: a person and agents, or agents to watch.

Why it is here.  Nothing shows a rule mistake or a blunder of an agent as fast as playing.  The
referee of matches (`ludwin.arena.match`) keeps the record, so watching with a seed is the very game
that a match plays with it, and taking back or loading a game leaves nature and agents as they were:
same seed, same moves, same game.

Hidden information.  A game's `show` draws everything, so a person is never shown the true state of a
game with secrets before it is over.  Whatever they see is computed from states that `observe` has
drawn for them, and looks alike in all of these: the rest is a `?`.  A move of somebody else's is
named only if no other move could have led to what the person sees now, and an agent keeps its
reasons to itself.
"""

import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from ludwin.arena.referee import REPETITIONS, Referee
from ludwin.errors import BadParameter, BadPosition, CannotPlay, IllegalMove, LudwinError, did_you_mean
from ludwin.game import Game, State
from ludwin.library import agent, is_users, split
from ludwin.primitives import CHANCE, stream
from ludwin.rules.layout import flatten
from ludwin.search.choice import Agent, Choice
from ludwin.search.playout import Random
from ludwin.search.uct import UCT

FORMAT, VERSION = "ludwin-play", 1
LARGEST = 2**24  # bytes of a saved game; more is no saved game
WORLDS = 1024  # guesses at what is hidden; a possibility of 1 in 200 is overlooked in 6 of 1000 views
FEW = 32  # guesses where every move of each is tried
STACK = 2**24  # bytes: threads have little on some systems, and compiling is deep

Seat = Agent | None  # None is a person

COMMANDS = {
    "moves": "list the legal moves",
    "board": "draw the position again",
    "position": "print the position as text, for --from",
    "hint": "ask for advice; `hint AGENT` asks another agent",
    "undo": "take back your last move and all that followed it",
    "save": "`save FILE` keeps the game, to go on later",
    "load": "`load FILE` goes on with a saved game",
    "resign": "give up",
    "quit": "leave (also Ctrl-D)",
    "help": "this list",
}
TAKES_MORE = ("hint", "save", "load")  # words may follow these


def play(
    game: Game,
    agents: Sequence[Seat],
    *,
    start: State | None = None,
    seed: int = 0,
    mode: str = "fast",
    load: Path | None = None,
    as_json: bool = False,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
) -> int:
    """Play one game with a person, or let agents play it, and return the exit code.

    The person sits first and agents take the other seats: none (then all are `uct`), one for each, or
    one for every seat, to watch. `None` among the agents seats a person there. A saved game brings
    its own start and seed, and its seats unless agents are given.
    Raises BadParameter, BadPosition or CannotPlay for what does not fit.
    """
    stdin, stdout, stderr = stdin or sys.stdin, stdout or sys.stdout, stderr or sys.stderr
    screen = Screen(stdin, stderr if as_json else stdout)
    if load is not None and start is not None:
        raise BadParameter("a saved game brings its own start: give --load or --from, not both")
    if load is None:
        session = Session(Referee(game, seed, start), seats(game, agents), mode, screen)
    else:
        referee, saved = read_game(load, game)
        taken = seats(game, agents) if agents else saved
        session = Session(referee, taken, mode, screen, load, other_seats=bool(agents))
    try:
        session.run()
    except KeyboardInterrupt:
        screen.say()
        session.say_how_to_go_on()
        return 130
    if as_json:
        print(json.dumps(session.record(), ensure_ascii=False), file=stdout)
    return 0


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


# Saved games


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


# What a person may see


def worlds(state: State, player: int, seed: int, number: int = WORLDS) -> list[State]:
    """Return states that look like this one to `player`, as the game's `observe` draws them."""
    game, rng = state.game, [seed]
    found: dict[State, None] = {}  # in the order drawn
    for _ in range(number):
        s = state.thaw()
        try:
            game.function("observe")(s, player, rng)
        except Exception as error:
            raise game.fault(error) from error
        found[State(game, flatten(game.fields, s))] = None
    return list(found)


def common(texts: Sequence[str]) -> str | None:
    """Return what all texts show, `?` where they differ; None if they differ in their lines.

    Numbers count as a whole; a line of varying length is shown up to the first difference.

    >>> print(common(["me: K  you: J\\nthe pot has 9", "me: K  you: Q\\nthe pot has 10"]))
    me: K  you: ?
    the pot has ?
    """
    pages = [text.splitlines() for text in texts]
    if len({len(page) for page in pages}) > 1:
        return None
    merged = []
    for lines in zip(*pages, strict=True):
        rows = [re.findall(r"\d+|\D", line) for line in lines]
        parts = [same[0] if len(set(same)) == 1 else "?" for same in zip(*rows, strict=False)]
        if len({len(row) for row in rows}) > 1:
            parts = [*parts[: parts.index("?")], "?"] if "?" in parts else [*parts, "?"]
        merged.append("".join(parts))
    return "\n".join(merged)


def drawing(state: State, player: int, seed: int) -> str:
    """Return a drawing of the state as `player` sees it."""
    possible = worlds(state, player, seed)
    text = common([world.show() for world in possible])
    return text if text is not None else common([world.fields_text() for world in possible]) or ""


def can_tell(before: State, move: int, after: State, player: int, seed: int) -> bool:
    """Tell whether `player` can tell this move of somebody else's from all others.

    They cannot if, from some state that looked the same to them, a move of another name leads to
    a state that fits all that they see now.
    """
    possible = worlds(after, player, seed)
    cells = list(zip(*(world.cells for world in possible), strict=True))
    seen = [(i, values[0]) for i, values in enumerate(cells) if len(set(values)) == 1]
    text = before.name(move)
    for world in [before, *worlds(before, player, seed, FEW)]:
        for other in world.moves():
            cells_then = world._play(other).cells
            if all(cells_then[i] == value for i, value in seen) and world.name(other) != text:
                return False
    return True


# The screen


class Screen:
    """Where a person reads and types; colours and a line editor only in a terminal."""

    def __init__(self, stdin: TextIO, talk: TextIO):
        self.stdin, self.talk = stdin, talk
        self.rich: Any = None
        if talk.isatty():
            from rich.console import Console

            self.rich = Console(file=talk, highlight=False, soft_wrap=True)

    def say(self, text: str = "", style: str = "") -> None:
        """Print a text; styles are for terminals."""
        encoding = getattr(self.talk, "encoding", None) or "utf8"
        text = text.encode(encoding, "backslashreplace").decode(encoding)
        if self.rich is None:
            print(text, file=self.talk, flush=True)
        else:
            self.rich.print(text, style=style or None, markup=False, emoji=False)

    def say_list(self, texts: Sequence[str]) -> None:
        """Print a list of words, wrapped between them."""
        width = min(shutil.get_terminal_size().columns if self.rich else 80, 100)
        whole = "  ".join(text.replace(" ", "\0") for text in texts)
        lines = textwrap.wrap(whole, width - 2, break_on_hyphens=False, break_long_words=False)
        self.say("\n".join("  " + line.replace("\0", " ") for line in lines))

    def wait(self, who: str, work: Callable[[], Choice]) -> Choice:
        """Let somebody think, and show it; Ctrl-C is heard meanwhile."""
        if self.rich is None:
            return beside(work)
        from rich.text import Text

        with self.rich.status(Text(f"{who} thinks …")):
            return beside(work)

    def read(self, prompt: str) -> str | None:
        """Return a typed line, None at the end of the input."""
        if self.rich is not None and self.talk is sys.stdout and self.stdin is sys.stdin and self.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  (gives input() its line editor)
            try:
                return input(prompt)
            except EOFError:
                self.say()
                return None
            except UnicodeDecodeError:
                return "\ufffd"
        print(prompt, end="", file=self.talk, flush=True)
        try:
            line = self.stdin.readline()
        except UnicodeDecodeError:
            line = "\ufffd\n"
        if not self.stdin.isatty() or not line:
            self.say(line.rstrip("\n"))  # so that a transcript reads as in a terminal
        return line.rstrip("\n") if line else None


def beside(work: Callable[[], Choice]) -> Choice:
    """Do some work in a thread: compiled code does not hear Ctrl-C, but a waiting main thread does.

    The thread of an interrupted work ends with the process.
    """
    found: list[Choice] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)

    usual = threading.stack_size(STACK)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    threading.stack_size(usual)
    while thread.is_alive():
        thread.join(0.1)  # a join without an end cannot be interrupted on Windows
    if failed:
        raise failed[0]
    return found[0]


# The session


class Session:
    """One game with its people, from the first line to the last."""

    def __init__(
        self,
        referee: Referee,
        taken: tuple[Seat, ...],
        mode: str,
        screen: Screen,
        file: Path | None = None,
        other_seats: bool = False,
    ):
        self.referee, self.taken, self.mode, self.screen = referee, taken, mode, screen
        self.game = referee.game
        self.say = screen.say
        self.stopped: str | None = None  # "resignation" or "unfinished"
        self.draw_board = True
        self.file = file  # the latest file of this game, the moves that it holds, and if it has other seats
        self.kept = tuple(referee.played)
        self.other_seats = other_seats
        self.told: dict[tuple[int, State, int], bool] = {}  # may this person know this move of this state?

    @property
    def viewer(self) -> int | None:
        """The person from whom something is hidden, None if nothing is."""
        if not self.game.has_secrets or self.end or None not in self.taken:
            return None
        return self.taken.index(None)

    @property
    def end(self) -> str | None:
        """Why the game has ended, None while it goes on."""
        return self.stopped or self.referee.end

    @property
    def private(self) -> int:
        """The seed of what a person sees; it belongs to no move."""
        return stream(self.referee.seed, -2, len(self.referee.played))

    def face(self) -> State:
        """Return the state to ask on the person's behalf: a guess where something is hidden."""
        viewer = self.viewer
        return self.referee.state if viewer is None else worlds(self.referee.state, viewer, self.private, 1)[0]

    def who(self, player: int) -> str:
        """Return what to call a seat."""
        one = self.taken[player]
        if one is None:
            return "you" if self.taken.count(None) == 1 else f"player {player}"
        text = str(one)
        return text if [str(other) for other in self.taken].count(text) == 1 else f"{text} (player {player})"

    def run(self) -> None:
        """Play the game to its end, or until the person leaves."""
        self.greet()
        while self.end is None:
            player = self.referee.state.mover
            if player == CHANCE:
                self.enter(self.referee.draw(), "nature plays")
            elif (one := self.taken[player]) is None:
                self.turn(player)
            else:
                who = self.who(player)
                if self.draw_board and None not in self.taken:
                    self.board()
                choice = self.screen.wait(who, partial(self.referee.ask, one, self.mode))
                self.enter(choice.move, f"{who} plays", "" if self.viewer is not None else reasons(choice))
        if self.stopped == "unfinished":
            self.say_how_to_go_on()
        else:
            self.say_result()

    def enter(self, move: int, who: str, why: str = "") -> None:
        """Play a move that somebody else than the person has made, and tell it."""
        self.referee.play(move)
        self.draw_board = True
        ply = len(self.referee.played) - 1
        text = self.told_move(ply)
        self.say(f"{who} {text or 'something that you cannot see'}{why}", "cyan")

    def told_move(self, ply: int) -> str | None:
        """Return the text of a move of the record, None if the person may not know it."""
        referee, viewer = self.referee, self.viewer
        state, move = referee.states[ply], referee.played[ply]
        if viewer is not None and state.mover != viewer:
            mark = (viewer, state, move)
            if mark not in self.told:
                self.told[mark] = can_tell(state, move, referee.states[ply + 1], viewer, self.private)
            if not self.told[mark]:
                return None
        return state.name(move)

    def greet(self) -> None:
        others = [f"player {p} is {one}" for p, one in enumerate(self.taken) if one is not None]
        people = [p for p, one in enumerate(self.taken) if one is None]
        if len(people) == 1:
            others.insert(0, f"you are player {people[0]}")
        elif people:
            others.insert(0, f"players {' and '.join(map(str, people))} are people")
        advice = ". Type a move, or help." if people and not self.end else "."
        self.say(f"{self.game.text}: {', '.join(others)}{advice}")
        self.say_moves_so_far()
        player = self.referee.state.mover
        if not self.end and player != CHANCE and self.taken[player] is not None:
            self.board()

    def say_moves_so_far(self) -> None:
        plies = len(self.referee.played)
        if plies:
            self.say(f"{count(plies, 'move')} so far:")
            self.screen.say_list([self.told_move(ply) or "?" for ply in range(plies)])

    def board(self) -> None:
        """Draw the position, as far as the person sees it."""
        viewer = self.viewer
        state = self.referee.state
        self.say()
        self.say(state.show() if viewer is None else drawing(state, viewer, self.private))
        self.draw_board = False

    def turn(self, player: int) -> None:
        """Read one line from the person and do what it says."""
        if self.draw_board:
            self.board()
        line = self.screen.read(f"{'your move' if self.taken.count(None) == 1 else self.who(player)}> ")
        if line is None:
            self.stopped = "unfinished"
            return
        try:
            self.obey(line.strip())
        except LudwinError as error:
            self.say(str(error), "yellow")

    def obey(self, line: str) -> None:
        """Do what a line says: a move's exact text, else a command, else a move nearly so called."""
        face = self.face()
        legal = {face.name(move): move for move in face.moves()}
        word, _, rest = line.partition(" ")
        command = word.lower().removeprefix("/")
        if not line:
            self.say(f"Type a move such as {next(iter(legal))}, or help.")
        elif line in legal:
            self.move(line, legal[line])
        elif command in COMMANDS and rest and command not in TAKES_MORE:
            self.say(f"{command} stands alone, without {rest.strip()!r}.", "yellow")
        elif command in COMMANDS:
            getattr(self, f"do_{command}")(rest.strip())
        else:
            self.move(line, self.parse(face, line, legal))

    def parse(self, face: State, line: str, legal: dict[str, int]) -> int:
        """Return the move that a text means to the game, or that alone begins with it."""
        try:
            return face.parse(line)
        except LudwinError as error:
            trouble: LudwinError = error
        except Exception as error:  # a user's parse
            trouble = self.game.fault(error)
        begins = [move for name, move in legal.items() if name.lower().startswith(line.lower())]
        if len(begins) == 1:
            return begins[0]
        if len(begins) > 1:
            raise IllegalMove(f"{line!r} may mean {' or '.join(face.name(move) for move in begins[:8])}")
        near = did_you_mean(line.lower(), COMMANDS)
        raise IllegalMove(f"{trouble}{near if near else '; try moves, or help'}")

    def move(self, typed: str, move: int) -> None:
        """Play the person's move."""
        state = self.referee.state
        if move not in state.moves():
            raise IllegalMove(f"{self.game.name}: {typed!r} is not a legal move here")
        if typed != state.name(move):
            self.say(f"{self.who(state.mover)} play{'s' * (self.taken.count(None) > 1)} {state.name(move)}")
        self.referee.play(move)
        self.draw_board = True

    def do_help(self, _: str) -> None:
        face = self.face()
        example = face.name(face.moves()[0])
        self.say(f"Type a move such as {example} (its beginning is enough if no other move begins so), or")
        for word, about in COMMANDS.items():
            self.say(f"  {word:<10}{about}")
        self.say("If a move has the name of a command, the name alone is the move and /name the command.")

    def do_moves(self, _: str) -> None:
        face = self.face()
        self.screen.say_list([face.name(move) for move in face.moves()])

    def do_board(self, _: str) -> None:
        if self.viewer is not None:
            self.say_moves_so_far()
        self.board()

    def do_position(self, _: str) -> None:
        if self.viewer is None:
            self.say(self.referee.state.write())
        else:
            self.say("The position would tell what is hidden from you; `save FILE` keeps the game.", "yellow")

    def do_hint(self, rest: str) -> None:
        others = [one for one in self.taken if one is not None and not isinstance(one, Random)]
        adviser = agent(rest) if rest else others[0] if others else UCT()
        adviser.suits(self.game)
        face = self.face()  # an adviser that looks at the whole state must not see more than the person
        seed = stream(self.referee.seed, face.mover, len(self.referee.played))
        choice = self.screen.wait(str(adviser), partial(adviser.choose, self.game, face, seed=seed, mode=self.mode))
        self.say(f"{adviser} would play {face.name(choice.move)}{reasons(choice)}", "cyan")

    def do_undo(self, _: str) -> None:
        turns = self.turns()
        if not turns:
            self.say("There is no move of yours to take back.", "yellow")
            return
        back = len(self.referee.played) - turns[-1]
        self.referee.cut(turns[-1])
        self.say(f"Took back {count(back, 'move')}.")
        self.draw_board = True

    def turns(self) -> list[int]:
        """Return at which plies of the record a person has moved."""
        movers = [state.mover for state in self.referee.states[:-1]]
        return [ply for ply, player in enumerate(movers) if player != CHANCE and self.taken[player] is None]

    def do_save(self, rest: str) -> None:
        if not rest and self.file is None:
            self.say("Name a file: save FILE.", "yellow")
            return
        path = Path(rest).expanduser() if rest else self.file
        assert path is not None
        write_game(path, self.referee, self.taken)
        self.file, self.kept, self.other_seats = path, tuple(self.referee.played), False
        warning = " (what is hidden from you stands in it too)" if self.viewer is not None else ""
        self.say(f"Saved to {path}{warning}; go on with: {self.command('--load', str(path))}")

    def do_load(self, rest: str) -> None:
        if not rest:
            self.say("Name a file: load FILE.", "yellow")
            return
        path = Path(rest).expanduser()
        self.referee, self.taken = read_game(path, self.game)
        self.file, self.kept, self.other_seats = path, tuple(self.referee.played), False
        self.draw_board = True
        self.greet()

    def do_resign(self, _: str) -> None:
        self.stopped = "resignation"

    def do_quit(self, _: str) -> None:
        self.stopped = "unfinished"

    def command(self, *more: str) -> str:
        """Return the command line that begins such a game."""
        words = ["ludwin", "play", self.game.text]
        if "--load" not in more or self.other_seats:
            texts = ["human" if one is None else str(one) for one in self.taken]
            words += texts[1:] if texts[0] == "human" and self.game.players > 1 else texts
        if "--load" not in more and self.referee.seed:
            words += ["--seed", str(self.referee.seed)]
        if self.mode != "fast":
            words += ["--mode", self.mode]
        return shlex.join([*words, *more])

    def say_how_to_go_on(self) -> None:
        """Say how this game can be continued, without telling what is hidden."""
        referee, played, kept, mine = self.referee, tuple(self.referee.played), 0, ""
        if self.file is not None and self.kept == (played[: len(self.kept)] if self.game.has_secrets else played):
            kept = len(self.kept)
            command = self.command("--load", str(self.file))
        else:
            begin = referee.states[0] if self.game.has_secrets else referee.state
            command = self.command() if begin == self.game.start() else self.command("--from", begin.write())
        if self.game.has_secrets:
            # Nature and agents repeat themselves, so the person's own moves lead to the same secrets.
            mine = ", ".join(referee.states[ply].name(played[ply]) for ply in self.turns() if ply >= kept)
        moves = f" and the moves {mine}" if mine else ""
        self.say(f"Left after {count(len(played), 'move')}. Go on with: {command}{moves}")

    def say_result(self) -> None:
        """Draw the last position and say who has won, and why."""
        if self.draw_board or self.game.has_secrets:
            self.board()
        plies = count(len(self.referee.played), "move")
        if self.stopped:
            loser = self.referee.state.mover
            rivals = [self.who(p) for p in range(self.game.players) if p != loser]
            victory = f"; {verb(rivals[0], 'win')}" if len(rivals) == 1 else ""
            self.say(f"{capital(verb(self.who(loser), 'resign'))} after {plies}{victory}.", "bold")
            return
        why = {
            "rules": f"by the rules, after {plies}",
            "repetition": f"the position has occurred {REPETITIONS} times, after {plies}",
            "length": f"the game may not last longer than {plies}",
        }
        payoffs = self.referee.payoffs
        worth = ", ".join(f"{value:g}" for value in payoffs)
        winners = [self.who(p) for p, value in enumerate(payoffs) if value == max(payoffs)]
        if len(payoffs) == 1:
            outcome = "The game is over"
        elif len(winners) == len(payoffs):
            outcome = "Draw"
        else:
            outcome = capital(verb(winners[0], "win") if len(winners) == 1 else f"{' and '.join(winners)} win")
        self.say(f"{outcome} ({why[self.end or 'rules']}). Payoffs: {worth}.", "bold")

    def record(self) -> dict[str, Any]:
        """Return the game for machines; without an outcome there are no payoffs."""
        return {
            "game": self.game.text,
            "seats": ["human" if one is None else str(one) for one in self.taken],
            "moves": names(self.referee),
            "codes": self.referee.played,
            "payoffs": None if self.stopped else list(self.referee.payoffs),
            "end": self.end,
        }


def reasons(choice: Choice) -> str:
    """Return an agent's reasons in brackets; who looked at one state only has none."""
    if choice.nodes <= 1:
        return ""
    worth = f"{'decided, payoff' if choice.decided else 'value'} {choice.value:.3g}"
    return f" ({worth}, {choice.nodes:,} nodes)"


def count(n: int, thing: str) -> str:
    """Return `1 move`, `2 moves`."""
    return f"{n} {thing}{'s' * (n != 1)}"


def verb(who: str, does: str) -> str:
    """Return `you win`, `uct wins`."""
    return f"{who} {does}{'s' * (who != 'you')}"


def capital(text: str) -> str:
    """Return the text with a capital `You`; names of agents stay as they are."""
    return "Y" + text[1:] if text.startswith("you ") else text
