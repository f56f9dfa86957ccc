"""A game at the prompt: a person and agents, or agents to watch.

Why it is here.  Nothing shows a rule mistake or a blunder of an agent as fast as playing.  This is a thin shell over
`ludwin.play`: it draws the board, reads lines, and puts into words what the session tells.  What a person may see is
settled there; here it is only asked for.
"""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from ludwin.cli.board_view import BoardView, turned_for
from ludwin.cli.keeping import keep
from ludwin.cli.screen import Screen
from ludwin.errors import IllegalMove, LudwinError, Unfinished, did_you_mean
from ludwin.library import agent
from ludwin.paths import typed
from ludwin.play.events import GameEnded, Happening, MoveMade, NatureDrew, Thinking
from ludwin.play.referee import REPETITIONS
from ludwin.play.seats import count, seat_texts
from ludwin.play.session import NotUnderstood, PlaySession
from ludwin.primitives import CHANCE, stream
from ludwin.progress import duration
from ludwin.search.choice import Agent, Choice

COMMANDS = {
    "moves": "list the legal moves",
    "board": "draw the position again",
    "position": "print the position as text, for --from",
    "hint": "ask for advice; `hint AGENT` asks another agent",
    "undo": "take back your last move and all that followed it",
    "flip": "turn the board round",
    "save": "`save FILE` keeps the game; game.pdn and game.pgn are for other programs",
    "load": "`load FILE` goes on with a saved game",
    "resign": "give up",
    "quit": "leave (also Ctrl-D)",
    "help": "this list",
}
TAKES_MORE = ("hint", "save", "load")  # words may follow these


def play(
    session: PlaySession,
    *,
    as_json: bool = False,
    other_seats: bool = False,
    keep_to: Path | None = None,
    streams: tuple[TextIO, TextIO, TextIO] | None = None,
) -> int:
    """Play a game with its people, or let agents play it, and return the exit code.

    `other_seats`: they are not those of the file that the game was loaded from. `keep_to` is where the game is kept
    when it is over or left. `streams` are stdin, stdout and stderr.
    """
    stdin, stdout, stderr = streams or (sys.stdin, sys.stdout, sys.stderr)
    screen = Screen(stdin, stderr if as_json else stdout)
    prompt = Prompt(session, screen, other_seats=other_seats)
    prompt.keeps_to = keep_to
    try:
        prompt.run()
        while not as_json and screen.is_terminal and prompt.after():
            prompt.run()
    except KeyboardInterrupt:
        screen.say()
        prompt.keep_at_the_end()
        prompt.say_how_to_go_on()
        return 130
    prompt.keep_at_the_end()
    if as_json:
        print(json.dumps(prompt.session.record(), ensure_ascii=False), file=stdout)
    return 0


class Prompt:
    """A session on a screen, from the first line to the last."""

    def __init__(self, session: PlaySession, screen: Screen, *, other_seats: bool = False):
        self.screen, self.say = screen, screen.say
        self.other_seats = other_seats
        self.keeps_to: Path | None = None
        self.take(session)

    def take(self, session: PlaySession) -> None:
        """Begin with a game."""
        self.session = session
        self.begun = ""  # what the person has typed of a move that is made of steps
        session.think = self.wait
        self.draw_board = True
        self.view = BoardView(session.game, turned_for(session))
        self.screen.offers = self.words

    def run(self) -> None:
        """Play the game to its end, or until the person leaves."""
        session = self.session
        self.greet()
        session.ready()
        while session.end is None:
            for event in session.until_person():
                self.tell(event)
            if session.awaits is not None:
                self.turn(session.awaits)
        if session.stopped == "unfinished":
            self.say_how_to_go_on()
        else:
            self.say_result()

    # What is said

    def who(self, player: int) -> str:
        """Return what to call a seat."""
        taken = self.session.taken
        one = taken[player]
        if one is None:
            return "you" if taken.count(None) == 1 else f"player {player}"
        text = str(one)
        return text if [str(other) for other in taken].count(text) == 1 else f"{text} (player {player})"

    def wait(self, agent: Agent, work: Callable[[], Choice]) -> Choice:
        """Let an agent think, and show it; Ctrl-C is heard meanwhile."""
        mover = self.session.state.mover
        return self.screen.wait(self.who(mover) if self.session.taken[mover] is agent else str(agent), work)

    def tell(self, event: Happening) -> None:
        """Say what has happened, as far as the person may know it."""
        seen = self.session.seen(event, self.session.viewer)
        if isinstance(seen, Thinking):
            if self.draw_board and not self.session.people:
                self.board()
        elif isinstance(seen, MoveMade | NatureDrew):
            who = "nature" if isinstance(seen, NatureDrew) else self.who(seen.player)
            why = reasons(seen.choice) if isinstance(seen, MoveMade) and seen.choice else ""
            self.say(f"{who} plays {seen.move or 'something that you cannot see'}{why}", "cyan")
            self.draw_board = True

    def greet(self) -> None:
        """Say who plays what, and what has been played."""
        session = self.session
        people = session.people
        others = [f"player {p} is {one}" for p, one in enumerate(session.taken) if one is not None]
        if len(people) == 1:
            others.insert(0, f"you are player {people[0]}")
        elif people:
            others.insert(0, f"players {' and '.join(map(str, people))} are people")
        advice = ". Type a move, or help." if people and not session.end else "."
        seed = f" (seed {session.referee.seed})" if session.referee.seed else ""
        self.say(f"{session.game.text}{seed}: {', '.join(others)}{advice}")
        self.say_moves_so_far()
        player = session.state.mover
        if not session.end and player != CHANCE and session.taken[player] is not None:
            self.board()

    def say_moves_so_far(self) -> None:
        """List the moves that the person knows of."""
        history = self.session.history(self.session.viewer)
        if history:
            self.say(f"{count(len(history), 'move')} so far:")
            self.screen.say_list([text or "?" for text in history])

    def board(self) -> None:
        """Draw the position, as far as the person sees it; in a terminal with colours and marks."""
        self.say()
        text = self.session.drawing(self.session.viewer)
        if self.screen.is_coloured and self.session.viewer is None and "show_colours" in self.session.game.offers:
            self.screen.show(self.session.state)
        elif self.screen.is_coloured and self.session.viewer is None:
            self.screen.say_styled(*self.view.styled(text, self.session))
        else:
            self.say(self.view.turned(text))
        self.draw_board = False

    def words(self, begin: str) -> list[str]:
        """Return what a line that begins so may go on with: moves and commands."""
        legal = list(self.session.legal(self.session.viewer)) if self.session.awaits is not None else []
        return [word for word in (*legal, *COMMANDS) if word.lower().startswith(begin.lower())]

    def after(self) -> bool:
        """Ask what to do after a game; tell whether another one begins."""
        if self.session.stopped == "unfinished" or not self.session.people:
            return False
        while True:
            line = self.screen.read("rematch, save FILE or quit> ")
            word, _, rest = (line or "quit").strip().partition(" ")
            if word.lower() in ("rematch", "r", "again", "y", "yes"):
                self.take(self.session.rematch(stream(self.session.referee.seed, -3) % 10**6))
                return True
            if word.lower() == "save":
                try:
                    self.do_save(rest.strip())
                except (LudwinError, OSError) as error:
                    self.say(str(error), "yellow")
            elif word.lower() in ("quit", "q", "n", "no", ""):
                return False
            else:
                self.say("Type rematch, save FILE or quit.")

    def keep_at_the_end(self) -> None:
        """Keep the game where the line says, finished or not."""
        if self.keeps_to is not None:
            keep(self.session, self.keeps_to)
            self.session.file, self.session.kept = self.keeps_to, tuple(self.session.referee.played)
            self.say(f"Kept in {self.keeps_to}.")

    def say_how_to_go_on(self) -> None:
        """Say how this game can be continued, without telling what is hidden."""
        session, referee = self.session, self.session.referee
        has_secrets, played, kept, mine = session.game.has_secrets, tuple(referee.played), 0, ""
        if session.file is not None and session.kept == (played[: len(session.kept)] if has_secrets else played):
            kept = len(session.kept)
            command = self.command("--load", str(session.file))
        else:
            begin = referee.states[0] if has_secrets else referee.state
            command = self.command() if begin == session.game.start() else self.command("--from", begin.write())
        if has_secrets:
            # Nature and agents repeat themselves, so the person's own moves lead to the same secrets.
            mine = ", ".join(referee.states[ply].name(played[ply]) for ply in session.turns() if ply >= kept)
        moves = f" and the moves {mine}" if mine else ""
        self.say(f"Left after {count(len(played), 'move')}. Go on with: {command}{moves}")

    def command(self, *more: str) -> str:
        """Return the command line that begins such a game."""
        session = self.session
        words = ["ludwin", "play", session.game.text]
        if "--load" not in more or self.other_seats:
            texts = seat_texts(session.taken)
            words += texts[1:] if texts[0] == "human" and session.game.players > 1 else texts
        if "--load" not in more and session.referee.seed:
            words += ["--seed", str(session.referee.seed)]
        if session.mode != "fast":
            words += ["--mode", session.mode]
        if session.watch:
            words += ["--clock", str(session.watch.clock)]
        return shlex.join([*words, *more])

    def say_result(self) -> None:
        """Draw the last position and say who has won, and why."""
        session = self.session
        if self.draw_board or session.game.has_secrets:
            self.board()
        event = GameEnded(session.end or "rules", session.payoffs, session.loser)
        self.say(self.result(event), "bold")

    def result(self, event: GameEnded) -> str:
        """Return how the game has ended, in one line."""
        session = self.session
        plies = count(session.ply, "move")
        if event.payoffs is None:
            loser = session.state.mover if event.loser is None else event.loser
            rivals = [self.who(p) for p in range(session.game.players) if p != loser]
            victory = f"; {verb(rivals[0], 'win')}" if len(rivals) == 1 else ""
            if event.end == "time":
                whose = "your" if self.who(loser) == "you" else f"{self.who(loser)}'s"
                return f"{whose[0].upper()}{whose[1:]} time is up after {plies}{victory}."
            return f"{capital(verb(self.who(loser), 'resign'))} after {plies}{victory}."
        why = {
            "rules": f"by the rules, after {plies}",
            "repetition": f"the position has occurred {REPETITIONS} times, after {plies}",
            "length": f"the game may not last longer than {plies}",
        }
        worth = ", ".join(f"{value:g}" for value in event.payoffs)
        winners = [self.who(p) for p, value in enumerate(event.payoffs) if value == max(event.payoffs)]
        if len(event.payoffs) == 1:
            outcome = "The game is over"
        elif len(winners) == len(event.payoffs):
            outcome = "Draw"
        else:
            outcome = capital(verb(winners[0], "win") if len(winners) == 1 else f"{' and '.join(winners)} win")
        return f"{outcome} ({why[event.end]}). Payoffs: {worth}."

    # What a person types

    def turn(self, player: int) -> None:
        """Read one line from the person and do what it says."""
        if self.draw_board:
            self.board()
        session = self.session
        whose = "your move" if session.taken.count(None) == 1 else self.who(player)
        left = f" ({duration(max(session.watch.left(player), 0))})" if session.watch else ""
        line = self.screen.read(f"{whose}{left}> ")
        if session.check_clock():
            return
        if line is None:
            session.leave()
            return
        try:
            self.obey(line.strip())
        except BrokenPipeError:
            raise
        except OSError as error:  # a name that no file can have, say: no reason to lose the game
            self.say(error.strerror or str(error), "yellow")
        except (LudwinError, ValueError) as error:
            self.say(str(error), "yellow")

    def obey(self, line: str) -> None:
        """Do what a line says: a move's exact text, else a command, else a move nearly so called."""
        legal = self.session.legal(self.session.viewer)
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
            self.move(line, self.understand(line))

    def understand(self, line: str) -> int:
        """Return the move that a line means, alone or behind the steps so far. Raises IllegalMove, with advice."""
        try:
            try:
                return self.session.understand(f"{self.begun} {line}".strip(), self.session.viewer)
            except Unfinished:
                raise
            except IllegalMove:
                if not self.begun:
                    raise
                return self.session.understand(line, self.session.viewer)
        except Unfinished as error:
            self.begun = error.typed
            raise
        except NotUnderstood as error:
            raise IllegalMove(f"{error}{did_you_mean(line.lower(), COMMANDS) or '; try moves, or help'}") from None

    def move(self, typed: str, move: int) -> None:
        """Play the person's move, and say its full name if something else was typed."""
        mover = self.session.state.mover
        self.begun = ""
        made = self.session.move(move, typed)
        if typed != made.move:
            self.say(f"{self.who(mover)} play{'s' * (self.session.taken.count(None) > 1)} {made.move}")
        self.draw_board = True

    def do_help(self, _: str) -> None:
        """Explain what can be typed."""
        example = next(iter(self.session.legal(self.session.viewer)))
        self.say(f"Type a move such as {example} (its beginning is enough if no other move begins so), or")
        for word, about in COMMANDS.items():
            self.say(f"  {word:<10}{about}")
        self.say("If a move has the name of a command, the name alone is the move and /name the command.")

    def do_moves(self, _: str) -> None:
        """List the moves."""
        self.screen.say_list(list(self.session.legal(self.session.viewer)))

    def do_board(self, _: str) -> None:
        """Draw the position; where something is hidden, the moves are part of what is known."""
        if self.session.viewer is not None:
            self.say_moves_so_far()
        self.board()

    def do_position(self, _: str) -> None:
        """Print the position, if nothing is hidden."""
        if self.session.viewer is None:
            self.say(self.session.state.write())
        else:
            self.say("The position would tell what is hidden from you; `save FILE` keeps the game.", "yellow")

    def do_hint(self, rest: str) -> None:
        """Ask an agent for advice."""
        hint = self.session.hint(self.session.viewer, agent(rest) if rest else None)
        self.say(f"{hint.agent} would play {hint.move}{reasons(hint.choice)}", "cyan")

    def do_undo(self, _: str) -> None:
        """Take back the steps of a move that is begun, or the person's last move."""
        if self.begun:
            self.say(f"Took back {self.begun}.")
            self.begun = ""
            return
        taken = self.session.undo()
        if taken is None:
            self.say("There is no move of yours to take back.", "yellow")
            return
        self.say(f"Took back {count(taken.moves, 'move')}.")
        self.draw_board = True

    def do_save(self, rest: str) -> None:
        """Keep the game in a file."""
        if not rest and self.session.file is None:
            self.say("Name a file: save FILE.", "yellow")
            return
        path = typed(rest) if rest else self.session.file
        assert path is not None
        whole = keep(self.session, path)
        self.other_seats = False
        warning = " (what is hidden from you stands in it too)" if self.session.viewer is not None else ""
        way = f"go on with: {self.command('--load', str(path))}" if whole else f"look at it with: ludwin replay {path}"
        self.say(f"Saved to {path}{warning}; {way}")

    def do_flip(self, _: str) -> None:
        """Turn the board round."""
        self.view.is_turned = not self.view.is_turned
        self.board()

    def do_load(self, rest: str) -> None:
        """Go on with a saved game."""
        if not rest:
            self.say("Name a file: load FILE.", "yellow")
            return
        self.session.load(typed(rest))
        self.other_seats = False
        self.draw_board = True
        self.greet()

    def do_resign(self, _: str) -> None:
        """Give up."""
        self.session.resign()

    def do_quit(self, _: str) -> None:
        """Leave the game."""
        self.session.leave()


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
