"""One game in progress: seats, the referee's record, taking back, advice, clocks, and who may know what.

Why it is here.  Whatever is shown of a game, on a prompt or on a page, is asked here, and whatever is done in it is
done here and answered with an event (`ludwin.play.events`).  There is no terminal in it: who draws the board, and when,
is the door's business.

The referee of matches keeps the record, so watching with a seed is the very game that a match plays with it, and
taking back or loading a game leaves nature and agents as they were: same seed, same moves, same game.

Hidden information.  A game's `show` draws everything, so a player is never shown the true state of a game with secrets
before it is over.  Whatever they see is computed from states that `observe` has drawn for them (`ludwin.play.view`).
A move of somebody else's is named only if no other move could have led to what the player sees now, and an agent keeps
its reasons to itself.  Methods take the player on whose behalf they are asked; None is somebody who may know
everything.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter, GameOver, IllegalMove, LudwinError, Unfinished
from ludwin.game import Game, State
from ludwin.play.clock import Clock, Stopwatch
from ludwin.play.events import GameEnded, Happening, HintGiven, MoveMade, NatureDrew, TakenBack, Thinking
from ludwin.play.referee import Referee
from ludwin.play.saved import KeptGame, about_game, names, read_game, write_game
from ludwin.play.seats import Seat, seat_texts, seats
from ludwin.play.view import View, can_tell, drawing, worlds
from ludwin.primitives import CHANCE, stream
from ludwin.search.choice import Agent, Choice
from ludwin.search.playout import Random
from ludwin.search.uct import UCT

ADVICE_NODES, ADVICE_MEMORY = 500_000, "500M"  # what advice in a puzzle may take
Think = Callable[[Agent, Callable[[], Choice]], Choice]


class NotUnderstood(IllegalMove):
    """A text that means no move here."""


def at_once(agent: Agent, work: Callable[[], Choice]) -> Choice:
    """Let an agent think here and now."""
    return work()


class PlaySession:
    """One game in progress.

    `think` is how an agent's work is done: here and now, or in a thread that a person may interrupt. `one_screen` says
    that all people look at the same one, which then shows only what the one with secrets may see.
    """

    def __init__(
        self,
        referee: Referee,
        taken: Sequence[Seat],
        *,
        mode: str = "fast",
        think: Think = at_once,
        watch: Stopwatch | None = None,
        file: Path | None = None,
        one_screen: bool = True,
    ):
        self.referee, self.taken, self.mode, self.think, self.watch = referee, tuple(taken), mode, think, watch
        self.game, self.one_screen = referee.game, one_screen
        self.stopped: str | None = None  # "resignation", "time" or "unfinished"
        self.loser: int | None = None
        self.person = "human"  # what a kept game calls the people at the board
        self.file = file  # the latest file of this game, and the moves that it holds
        self.kept = tuple(referee.played)
        self._told: dict[tuple[int, State, int], bool] = {}  # may this player know this move of this state?

    # What is known

    @property
    def state(self) -> State:
        """The state now; nothing for a player of a game with secrets."""
        return self.referee.state

    @property
    def ply(self) -> int:
        """How many moves were made."""
        return len(self.referee.played)

    @property
    def end(self) -> str | None:
        """Why the game has ended, None while it goes on."""
        return self.stopped or self.referee.end

    @property
    def payoffs(self) -> tuple[float, ...] | None:
        """The payoffs by seat of a game that was played to its end, else None."""
        return self.referee.payoffs if not self.stopped and self.referee.end else None

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(player for player, one in enumerate(self.taken) if one is None)

    @property
    def awaits(self) -> int | None:
        """The person whose move it is, None if nobody need be asked."""
        mover = self.state.mover
        return mover if not self.end and mover != CHANCE and self.taken[mover] is None else None

    @property
    def viewer(self) -> int | None:
        """Who looks at a screen that all people share: the one person from whom something is hidden, None if nothing
        is.
        """
        return self.people[0] if self.people and self.hides_from(self.people[0]) else None

    def hides_from(self, player: int | None) -> bool:
        """Return whether a player may not see everything now."""
        return player is not None and self.game.has_secrets and not self.end

    def face(self, player: int | None) -> State:
        """Return the state to ask on a player's behalf: a guess where something is hidden."""
        if player is None or not self.hides_from(player):
            return self.state
        return worlds(self.state, player, self._private, 1)[0]

    def drawing(self, player: int | None) -> str:
        """Return the position as a player sees it."""
        if player is None or not self.hides_from(player):
            return self.state.show()
        return drawing(self.state, player, self._private)

    def move_text(self, ply: int, player: int | None) -> str | None:
        """Return the text of a move of the record, None if the player may not know it."""
        state, move = self.referee.states[ply], self.referee.played[ply]
        if player is not None and state.mover != player and self.hides_from(player):
            mark = (player, state, move)
            if mark not in self._told:
                self._told[mark] = can_tell(state, move, self.referee.states[ply + 1], player, self._private)
            if not self._told[mark]:
                return None
        return state.name(move)

    def history(self, player: int | None) -> list[str | None]:
        """Return the texts of all moves so far, None for those that the player may not know."""
        return [self.move_text(ply, player) for ply in range(self.ply)]

    def legal(self, player: int | None) -> dict[str, int]:
        """Return the mover's moves by their texts, as far as the player knows who moves what."""
        face = self.face(player)
        return {face.name(move): move for move in face.moves()}

    def view(self, player: int | None) -> View:
        """Return everything that a player may see now, as a value."""
        hides = self.hides_from(player)
        mover = self.state.mover
        shown = not hides or mover == player  # what somebody else may do can give their secrets away
        moves = tuple(self.legal(player).items()) if shown and not self.end else ()
        return View(
            game=self.game.text,
            ply=self.ply,
            mover=mover,
            end=self.end,
            payoffs=self.payoffs,
            position=None if hides else self.state.write(),
            text=self.drawing(player),
            moves=moves,
            history=tuple(self.history(player)),
            seats=tuple(seat_texts(self.taken)),
            hidden=hides,
        )

    def seen(self, event: Happening, player: int | None) -> Happening | None:
        """Return an event as a player may be told it; None if it is none of their business."""
        if isinstance(event, HintGiven):
            return event if player in (None, event.player) or not self.hides_from(player) else None
        if isinstance(event, MoveMade | NatureDrew) and self.hides_from(player):
            text = self.move_text(event.ply, player)
            event = replace(event, move=text, code=None if text is None else event.code)
            return replace(event, choice=None) if isinstance(event, MoveMade) else event
        return event

    def record(self) -> dict[str, Any]:
        """Return the game for machines; without an outcome there are no payoffs. It tells all secrets."""
        return {
            "game": self.game.text,
            "seats": seat_texts(self.taken),
            "moves": [
                {"move": name, "code": code}
                for name, code in zip(names(self.referee), self.referee.played, strict=True)
            ],
            "payoffs": None if self.stopped else list(self.referee.payoffs),
            "end": self.end,
        }

    def turns(self) -> list[int]:
        """Return at which plies of the record a person has moved."""
        movers = [state.mover for state in self.referee.states[:-1]]
        return [ply for ply, player in enumerate(movers) if player != CHANCE and self.taken[player] is None]

    # What is done

    def ready(self) -> None:
        """Let agents that are not ours sit down now: a program that the main thread starts ends with it."""
        for player, one in enumerate(self.taken):
            if one is not None and one.foreign and self.end is None:
                self.referee.sit(player, one, self.mode)

    def until_person(self) -> Iterator[Happening]:
        """Play on until a person must move or the game is over, and yield what happens."""
        while self.end is None and self.awaits is None:
            mover = self.state.mover
            one = None if mover == CHANCE else self.taken[mover]
            if one is not None:
                yield Thinking(self.ply, mover, one)
            yield self.step()
        if self.awaits is not None and self.watch:
            self.watch.start(self.awaits)
        if (end := self.end) is not None:
            yield GameEnded(end, self.payoffs, self.loser)

    def step(self) -> MoveMade | NatureDrew:
        """Make the move of nature or of an agent, whoever is to move. Raises IllegalMove if a person is."""
        self._demand_unfinished()
        mover, ply = self.state.mover, self.ply
        if mover == CHANCE:
            self.referee.play(self.referee.draw())
            return NatureDrew(ply, *self._last)
        one = self.taken[mover]
        if one is None:
            raise IllegalMove(f"it is for player {mover} to move, a person")
        choice = self.think(one, partial(self.referee.ask, one, self.mode))
        self.referee.play(choice.move)
        return MoveMade(ply, mover, *self._last, choice)

    def move(self, move: int, said: str = "") -> MoveMade:
        """Make a person's move. Raises IllegalMove if it is none, in the words of what was said."""
        self._demand_unfinished()
        state, ply = self.state, self.ply
        if self.awaits is None:
            raise IllegalMove(f"{self.game.name}: it is not for a person to move")
        if move not in state.moves():
            raise IllegalMove(f"{self.game.name}: {said or str(move)!r} is not a legal move here")
        self.referee.play(move)
        if self.watch:
            self.watch.stop()
            self.watch.moved(state.mover)
        return MoveMade(ply, state.mover, *self._last)

    def understand(self, text: str, player: int | None) -> int:
        """Return the move that a text means: its exact name, what the game reads in it, or what alone begins so.

        Raises NotUnderstood, IllegalMove if it may mean several, or Unfinished if it only begins a move.
        """
        face, legal = self.face(player), self.legal(player)
        if text in legal:
            return legal[text]
        try:
            return face.parse(text)
        except Unfinished:
            raise
        except LudwinError as error:
            trouble: LudwinError = error
        except Exception as error:  # a user's parse
            trouble = self.game.fault(error)
        begins = [move for name, move in legal.items() if name.lower().startswith(text.lower())]
        if len(begins) > 1:
            raise IllegalMove(f"{text!r} may mean {' or '.join(face.name(move) for move in begins[:8])}")
        if not begins:
            raise NotUnderstood(str(trouble))
        return begins[0]

    def adviser(self) -> Agent:
        """Return whom a person asks for advice: an agent at the table; what random thinks helps nobody."""
        return next(
            (one for one in self.taken if one is not None and not isinstance(one, Random)), adviser_for(self.game)
        )

    def hint(self, player: int | None, adviser: Agent | None = None) -> HintGiven:
        """Return an agent's advice to the mover; it is shown no more than the player sees. Raises CannotPlay."""
        self._demand_unfinished()
        adviser = adviser or self.adviser()
        adviser.suits(self.game)
        face = self.face(player)
        seed = stream(self.referee.seed, face.mover, self.ply)
        choice = self.think(adviser, partial(adviser.choose, self.game, face, seed=seed, mode=self.mode))
        return HintGiven(self.ply, face.mover, adviser, choice.move, face.name(choice.move), choice)

    def undo(self) -> TakenBack | None:
        """Take back the last move of a person and all that followed it; None if there is none."""
        turns = self.turns()
        if not turns or self.stopped:
            return None
        back = self.ply - turns[-1]
        if self.watch:
            self.watch.stop()
            self.watch.moved(self.referee.states[turns[-1]].mover, -1)
        self.referee.cut(turns[-1])
        return TakenBack(self.ply, back)

    def resign(self, player: int | None = None) -> GameEnded:
        """Give up for a player, the mover if none is named."""
        return self._stop("resignation", self.state.mover if player is None else player)

    def leave(self) -> GameEnded:
        """Leave the game unfinished."""
        return self._stop("unfinished")

    def check_clock(self) -> GameEnded | None:
        """End the game if the time of the person who thinks is up."""
        if self.watch and (player := self.awaits) is not None and self.watch.left(player) < 0:
            return self._stop("time", player)
        return None

    def save(self, path: Path) -> None:
        """Keep the game in a file. What is hidden from players stands in it, too. Raises BadParameter."""
        write_game(path, self.referee, self.taken, self.told)
        self.file, self.kept = path, tuple(self.referee.played)

    @property
    def told(self) -> KeptGame:
        """What a kept game says beside the moves."""
        names = tuple(self.person if one is None else str(one) for one in self.taken)
        return KeptGame(names, self.stopped, self.loser, self.payoffs or ())

    def rematch(self, seed: int) -> "PlaySession":
        """Return the same game anew, everybody one seat further: who began is last now."""
        again = PlaySession(
            Referee(self.game, seed, self.referee.states[0]),
            (*self.taken[1:], self.taken[0]),
            mode=self.mode,
            think=self.think,
            watch=Stopwatch(self.watch.clock, self.watch.now) if self.watch else None,
            one_screen=self.one_screen,
        )
        again.person = self.person
        return again

    def load(self, path: Path) -> None:
        """Go on with a saved game of the same rules instead of this one. Raises BadPosition."""
        self.referee, self.taken = read_game(path, self.game, one_screen=self.one_screen)
        kept = about_game(path)[1]
        self.stopped, self.loser = kept.end, kept.loser
        self.file, self.kept = path, tuple(self.referee.played)
        if self.watch:
            self.watch = Stopwatch(self.watch.clock, self.watch.now)

    @property
    def _private(self) -> int:
        """The seed of what a player sees; it belongs to no move."""
        return stream(self.referee.seed, -2, self.ply)

    @property
    def _last(self) -> tuple[int, str]:
        move = self.referee.played[-1]
        return move, self.referee.states[-2].name(move)

    def _demand_unfinished(self) -> None:
        if self.end:
            raise GameOver(f"{self.game.name}: the game has ended ({self.end})")

    def _stop(self, end: str, loser: int | None = None) -> GameEnded:
        self._demand_unfinished()
        self.stopped, self.loser = end, loser
        if self.watch:
            self.watch.stop()
        return GameEnded(end, None, loser)


def adviser_for(game: Game) -> Agent:
    """Return who gives advice where nobody sits who could: a solver in a puzzle, else UCT."""
    if game.players > 1 or "solved" not in game.offers or game.has_chance or game.has_secrets:
        return UCT()
    from ludwin.search.puzzles.best import AStar
    from ludwin.search.puzzles.breadth import BreadthFirst

    limits: dict[str, Any] = {"nodes": ADVICE_NODES, "memory": ADVICE_MEMORY}
    return AStar(weight=2.0, **limits) if "distance" in game.offers else BreadthFirst(**limits)


def open_session(
    game: Game,
    agents: Sequence[Seat] = (),
    *,
    start: State | None = None,
    seed: int = 0,
    load: Path | None = None,
    mode: str = "fast",
    clock: Clock | None = None,
) -> PlaySession:
    """Return a game in progress, fresh or from a file, for people at one screen.

    The person sits first and agents take the other seats: none (then all are `uct`), one for each, or one for every
    seat, to watch. `None` among the agents seats a person there. A saved game brings its own start and seed, and its
    seats unless agents are given. Raises BadParameter, BadPosition or CannotPlay for what does not fit.
    """
    if load is not None and start is not None:
        raise BadParameter("a saved game brings its own start: give --load or --from, not both")
    watch = Stopwatch(clock) if clock else None
    if load is None:
        return PlaySession(Referee(game, seed, start), seats(game, agents), mode=mode, watch=watch)
    referee, taken = read_game(load, game, agents)
    session = PlaySession(referee, taken, mode=mode, watch=watch, file=load)
    kept = about_game(load)[1]
    session.stopped, session.loser = kept.end, kept.loser
    return session
