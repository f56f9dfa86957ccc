"""A game at the prompt: a person and agents, or agents to watch.

Why it is here.  Nothing shows a rule mistake or a blunder of an agent as fast as playing.  The
referee of matches (`ludwin.arena.referee`) keeps the record, so watching with a seed is the very game
that a match plays with it, and taking back or loading a game leaves nature and agents as they were:
same seed, same moves, same game.

Hidden information.  A game's `show` draws everything, so a person is never shown the true state of a
game with secrets before it is over.  Whatever they see is computed from states that `observe` has
drawn for them, and looks alike in all of these: the rest is a `?`.  A move of somebody else's is
named only if no other move could have led to what the person sees now, and an agent keeps its
reasons to itself.
"""

import json
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from ludwin.arena.referee import REPETITIONS, Referee
from ludwin.cli.saved import Seat, count, names, read_game, seats, write_game
from ludwin.cli.screen import Screen
from ludwin.cli.sight import can_tell, drawing, worlds
from ludwin.errors import BadParameter, IllegalMove, LudwinError, did_you_mean
from ludwin.game import Game, State
from ludwin.library import agent
from ludwin.primitives import CHANCE, stream
from ludwin.search.choice import Choice
from ludwin.search.playout import Random
from ludwin.search.uct import UCT

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


CLOSES = True
EXAMPLES = ()


def add(parser):
    from ludwin.cli import options as take

    take.game(parser)
    parser.add_argument(
        "agents", metavar="AGENT", nargs="*", help="the other seats; as many agents as seats: watch (default: uct)"
    )
    parser.add_argument("--load", metavar="FILE", help="go on with a saved game")
    take.seed(parser)
    take.mode(parser)


def run(options) -> int:
    from ludwin.cli.common import load

    game = load(options.game)
    agents = [None if text == "human" else agent(text) for text in options.agents]
    start = game.position(options.position) if options.position else None
    saved = Path(options.load) if options.load else None
    return play(game, agents, start=start, seed=options.seed, mode=options.mode, load=saved, as_json=options.json)


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


def verb(who: str, does: str) -> str:
    """Return `you win`, `uct wins`."""
    return f"{who} {does}{'s' * (who != 'you')}"


def capital(text: str) -> str:
    """Return the text with a capital `You`; names of agents stay as they are."""
    return "Y" + text[1:] if text.startswith("you ") else text
