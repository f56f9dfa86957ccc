"""The process of one table: rules, referee, agents and analyses.

Why it is here.  A user's rules may loop, exit or crash, and a search may take hours; none of it may touch the server.
So each table is a process that can be killed: all it knows can be made again from the moves, which the server keeps.

How it works.  One thread reads what the server asks, the main thread does it, agents and analyses think in threads of
their own and hand in what they have found.  If the server is gone, the reader ends the process, whatever the rules are
doing.
"""

import os
import queue
import threading
import time
from pathlib import Path
from typing import Any

from ludwin import library
from ludwin.errors import BadParameter, IllegalMove, LudwinError
from ludwin.game import Game
from ludwin.kernel import specialise
from ludwin.laws import first_look
from ludwin.play.clock import Clock, Stopwatch
from ludwin.play.referee import Referee
from ludwin.play.saved import SAVED, names
from ludwin.play.seats import Seat, seat_texts, seats
from ludwin.play.session import PlaySession
from ludwin.primitives import CHANCE
from ludwin.rules.source import read
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.choice import Agent, Choice
from ludwin.search.watching import SearchWatch, watch
from ludwin.trust import Untrusted, marks, named
from ludwin.web.analysis import TableAnalysis, default_agent, limited
from ludwin.web.sight import TableSight
from ludwin.web.talk import TalkLine, error_of

PACE = 0.35  # seconds that two agents leave between their moves, so that people can follow
HINT_SECONDS, HINT_PLAYOUTS = 1.0, 20_000


class TableMoved(LudwinError, RuntimeError):
    """The table has moved on: what was asked belongs to another ply."""


class Turn:
    """An agent's turn: it thinks in a thread, and hands in its move."""

    def __init__(self, owner: "TableProcess", agent: Agent, pace: float):
        self.epoch, self.watch = owner.epoch, SearchWatch()
        referee, inbox, mode = owner.session.referee, owner.inbox, owner.session.mode
        self.player, self.agent = owner.session.state.mover, agent

        def live() -> None:
            watch.set(self.watch)
            began = time.monotonic()
            message: dict[str, Any] = {"do": "_chosen", "epoch": self.epoch}
            try:
                choice = referee.ask(agent, mode)
                message["choice"] = choice
            except Exception as error:
                message["trouble"] = error
            while time.monotonic() - began < pace and not self.watch.stopped:
                time.sleep(0.02)
            inbox.put(message)

        usual = threading.stack_size(2**24)
        self.thread = threading.Thread(target=live, name="ludwin-turn", daemon=True)
        self.thread.start()
        threading.stack_size(usual)

    def stop(self, patience: float = 0.25) -> bool:
        """End the thinking; tell whether it has ended in time."""
        self.watch.stop()
        self.thread.join(patience)
        return not self.thread.is_alive()


class TableProcess:
    """One table, and what the server may ask of it."""

    def __init__(self, line: TalkLine):
        self.line = line
        self.inbox: queue.Queue[dict[str, Any]] = queue.Queue()
        self.epoch = 0
        self.session: PlaySession = None  # type: ignore[assignment]  # until `open`
        self.sight: TableSight = None  # type: ignore[assignment]
        self.turn: Turn | None = None
        self.jobs: dict[str, TableAnalysis] = {}
        self.nature = "drawn"
        self.pace = PACE
        self.trouble: dict[str, Any] | None = None
        self.is_lame = False  # something goes on that cannot be stopped: the server should start anew
        self.version = time.time_ns() // 1000  # grows with every change, also after a new start

    def serve(self) -> None:
        """Do what is asked until the server is gone."""
        threading.Thread(target=self._listen, name="ludwin-listen", daemon=True).start()
        specialise.announce = lambda line: self._announce(line)
        while True:
            try:
                message = self.inbox.get(timeout=0.25 if self._clock_runs else None)
            except queue.Empty:
                if self.session.check_clock() is not None:
                    self._changed()
                continue
            word = str(message.pop("do", ""))
            number = message.pop("id", None)
            work = getattr(self, f"do_{word}", None)
            if word == "_chosen":
                self._chosen(**message)
            elif work is None:
                self.line.answer(number, lambda word=word: _unknown(word))
            else:
                self.line.answer(number, lambda work=work, message=message: work(**message))

    def _listen(self) -> None:
        while True:
            message = self.line.read()
            if message is None:
                os._exit(0)
            self.inbox.put(message)

    def _announce(self, words: str) -> None:
        """Tell that something compiles: a state of every job, shown at once."""
        self.line.write({"event": "compiling", "words": words})

    @property
    def _clock_runs(self) -> bool:
        return self.session is not None and self.session.watch is not None and self.session.end is None

    # Opening

    def do_open(
        self,
        game: str,
        seats: list[str],
        seed: int = 0,
        position: str | None = None,
        moves: list[Any] | None = None,
        stopped: list[Any] | None = None,
        more: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Sit down: load the rules, play the moves that there are, and let agents begin."""
        more = more or {}
        if more.get("texts"):
            _demand_text(game, str(more["texts"]))
        found = library.load(game)
        if found.is_world:
            raise found.has_no_moves()
        first_look(found)
        start = found.position(position) if position else found.start()
        referee = Referee(found, seed, start)
        for ply, move in enumerate(moves or []):
            if referee.end:
                raise IllegalMove(f"{found.name}: the game is over ({referee.end}) before move {ply + 1}")
            referee.play(_code(referee, move))
        clock = Clock.parse(str(more["clock"])) if more.get("clock") else None
        watch_ = Stopwatch(clock) if clock else None
        self.session = PlaySession(referee, self._seated(found, seats), watch=watch_, one_screen=False)
        if stopped:
            self.session.stopped, self.session.loser = stopped[0], stopped[1]
        self.sight = TableSight(self.session)
        self.nature = "hand" if more.get("nature") == "hand" else "drawn"
        if not more.get("still"):
            self._advance()
        return {"view": self.do_view(seat=more.get("seat")), "kept": self._kept(), "facts": self._facts(found)}

    def _facts(self, game: Game) -> dict[str, Any]:
        about = (game.module.__doc__ or game.name).strip().splitlines()
        return {
            "game": named(game),
            "about": about[0] if about else game.name,
            "secrets": game.has_secrets,
            "chance": game.has_chance,
            "players": game.players,
            "levels": library.levels(game),
            "fingerprint": game.fingerprint[:16],
            "analyst": str(default_agent(game, 60.0)),
            "kind": self.sight.kind,
        }

    def _seated(self, game: Game, texts: list[str]) -> tuple[Seat, ...]:
        found: list[Seat] = [None if text == "human" else library.agent(text, game) for text in texts]
        return seats(game, found or [None] * game.players, one_screen=False)

    def _kept(self) -> dict[str, Any]:
        """Return all that makes this table again: what the server keeps, in the shape of a saved game."""
        session, referee = self.session, self.session.referee
        return {
            **SAVED.head,
            "game": named(referee.game),
            "start": referee.states[0].fields_text(),
            "seats": seat_texts(session.taken),
            "seed": referee.seed,
            "moves": names(referee),
            "codes": list(referee.played),
            **session.told.keys(seat_texts(session.taken)),
            **({} if referee.game.is_ours else marks(referee.game)),
        }

    # Looking

    def do_view(self, ply: int | None = None, seat: int | None = None) -> dict[str, Any]:
        """Return what an onlooker sees."""
        view = self.sight.view(ply, seat)
        turn = self.turn
        version = self.version
        thinking = {"seat": turn.player, "agent": str(turn.agent)} if turn is not None else None
        watch_ = self.session.watch
        clocks = [round(watch_.left(p), 1) for p in range(self.session.game.players)] if watch_ else None
        return {
            **view,
            "version": version,
            "thinking": thinking,
            "clocks": clocks,
            "trouble": self.trouble,
            "nature": self.nature,
        }

    def do_preview(self, code: int, ply: int | None = None, seat: int | None = None) -> dict[str, Any]:
        """Return the board after a move, for menus; nothing where it could tell what is hidden."""
        if self.session.hides_from(self.sight.onlooker(seat)):
            raise BadParameter("what a move would show is hidden")
        state = self.session.referee.states[self.session.ply if ply is None else ply]
        if code not in state.moves():
            raise IllegalMove(f"{self.session.game.name}: {code} is not a legal move here")
        after = state._play(code)
        board, text = self.sight._board(after, 0, None)
        return {"move": state.name(code), "code": code, "board": {"svg": board}, "text": text}

    def do_kept(self) -> dict[str, Any]:
        """Return the game as a file keeps it."""
        return self._kept()

    def do_picture(self, ply: int | None = None, seat: int | None = None) -> str:
        """Return the drawing of a ply."""
        return str(self.sight.view(ply, seat)["board"]["svg"])

    # Doing

    def do_move(
        self, ply: int, code: int | None = None, move: str | None = None, seat: int | None = None
    ) -> dict[str, Any]:
        """Make a person's move."""
        session = self.session
        self._same_ply(ply)
        mover = session.state.mover
        if session.awaits is None and not (mover == CHANCE and self.nature == "hand"):
            session._demand_unfinished()
            raise IllegalMove(f"{session.game.name}: it is not for a person to move")
        if seat is not None and mover != CHANCE and seat != mover:
            raise IllegalMove(f"{session.game.name}: it is player {mover}'s move, not player {seat}'s")
        if code is None:
            face = self.sight.onlooker(seat)
            code = session.understand(str(move), face)
        if mover == CHANCE:
            if code not in session.state.moves():
                raise IllegalMove(f"{session.game.name}: nature cannot do {code} here")
            session.referee.play(code)
        else:
            session.move(code, repr(move) if move else "")
        return self._changed(seat)

    def do_undo(self, to: int | None = None, seat: int | None = None) -> dict[str, Any]:
        """Take moves back: the last one of a person, or all behind a ply."""
        session = self.session
        turns = session.turns()
        if to is None:
            if not turns:
                raise BadParameter("there is no move of a person to take back")
            to = turns[-1]
        if not 0 <= to <= session.ply:
            raise BadParameter(f"there is no ply {to}: the game has {session.ply}")
        self._interrupt()
        session.stopped = session.loser = None
        if session.watch:
            session.watch.stop()
        session.referee.cut(to)
        return self._changed(seat)

    def do_seats(self, seats: list[str], seat: int | None = None) -> dict[str, Any]:
        """Let others sit down."""
        taken = self._seated(self.session.game, seats)
        self._interrupt()
        self.session.taken = taken
        return self._changed(seat)

    def do_resign(self, player: int | None = None, seat: int | None = None) -> dict[str, Any]:
        """Give up for a player."""
        if player is not None and not 0 <= player < self.session.game.players:
            raise BadParameter(f"there is no player {player}")
        self._interrupt()
        self.session.resign(player)
        return self._changed(seat)

    def _same_ply(self, ply: int) -> None:
        if ply != self.session.ply:
            raise TableMoved(f"the table stands at ply {self.session.ply}, not at {ply}; look at it again")

    def _changed(self, seat: int | None = None) -> dict[str, Any]:
        """Go on, tell everybody, and return what whoever asked sees."""
        self.trouble = None
        self.version += 1
        self._advance()
        view = self.do_view(seat=seat)
        kept = self._kept()
        secret = self.session.game.has_secrets and not self.session.end
        shown = view if not secret else {"hidden": True, "ply": view["ply"]}
        self.line.write({"event": "changed", "view": shown, "kept": kept, "lame": self.is_lame})
        return {"view": view, "kept": kept, "lame": self.is_lame}

    def _advance(self) -> None:
        """Let nature and agents move until a person must."""
        session = self.session
        while session.end is None:
            mover = session.state.mover
            if mover == CHANCE:
                if self.nature == "hand":
                    return
                drawn = session.step()
                told = None if session.game.has_secrets else drawn.move
                self.line.write({"event": "nature", "ply": drawn.ply, "move": told})
                continue
            one = session.taken[mover]
            if one is None:
                if session.watch:
                    session.watch.start(mover)
                return
            if self.turn is None:
                self.epoch += 1
                self.turn = Turn(self, one, 0.0 if session.people else self.pace)
                self.line.write({"event": "thinking", "seat": mover, "agent": str(one), "ply": session.ply})
            return

    def _chosen(self, epoch: int, choice: Choice | None = None, trouble: Exception | None = None) -> None:
        """Make the move that an agent has found, unless the table has moved on."""
        if self.turn is None or self.turn.epoch != epoch:
            return
        self.turn = None
        if trouble is not None or choice is None:
            error = trouble if isinstance(trouble, LudwinError) else self.session.game.fault(trouble or ValueError())
            self.trouble = error_of(error)
            self.line.write({"event": "trouble", "error": self.trouble})
            return
        self.session.referee.play(choice.move)
        try:
            self._changed()
        except Exception as error:  # the rules of a user's game, once more
            self.trouble = error_of(error if isinstance(error, LudwinError) else self.session.game.fault(error))
            self.line.write({"event": "trouble", "error": self.trouble})

    def _interrupt(self) -> None:
        """Stop the agent that thinks; one that cannot be stopped goes on with nobody listening."""
        if self.turn is not None:
            self.is_lame = not self.turn.stop() or self.is_lame
            self.turn = None
        self.epoch += 1

    # Thinking aloud

    def do_analyse(
        self,
        job: str,
        kind: str = "analyse",
        agent: str | None = None,
        ply: int | None = None,
        seat: int | None = None,
        more: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Begin to analyse a position, to advise, to grow a tree or to judge the game."""
        session, more = self.session, more or {}
        game = session.game
        seconds = float(more.get("seconds") or 60.0)
        player = self.sight.onlooker(seat)
        if session.hides_from(player) and kind not in ("hint", "analyse"):
            raise BadParameter(f"{game.name} hides something: a {kind} of a game that goes on would tell it")
        ply = session.ply if ply is None else ply
        if not 0 <= ply <= session.ply:
            raise BadParameter(f"there is no ply {ply}: the game has {session.ply}")
        state = session.referee.states[ply]
        if session.hides_from(player):
            if ply != session.ply or state.mover != player:
                raise BadParameter("only the mover of the position that the table stands at is advised here")
            state = session.face(player)
        path = [int(code) for code in more.get("path") or []]
        for code in path:
            if code not in state.moves():
                raise IllegalMove(f"{game.name}: {code} is not a legal move there")
            state = state.play(code)
        found = library.agent(agent, game) if agent else self._analyst(kind, seconds)
        found.suits(game)
        if kind == "levels" and (not isinstance(found, AlphaBeta) or found.is_plain):
            raise BadParameter(f"levels are shown of alphabeta with deepen=1, not of {found}; others grow trees")
        if kind != "game":
            if state.over:
                raise BadParameter("the game is over here: there is nothing to think about")
            if state.mover == CHANCE:
                raise BadParameter("nature moves here: look at a position behind its draw")

        def tell(word: str, **facts: Any) -> None:
            self.line.write({"event": "job", "job": job, "kind": word, **facts})

        analysis = TableAnalysis(self.sight, state, ply, found, tell)
        analysis.seconds, analysis.lines = seconds, min(max(int(more.get("lines") or 1), 1), 8)
        analysis.seed, analysis.path = int(more.get("seed") or 0), tuple(path)
        if kind == "levels":
            analysis.whole, analysis.lines = True, len(state.moves())
        self.jobs[job] = analysis
        if kind == "tree":
            analysis.start(analysis.grow)
        elif kind == "game":
            states, codes = list(session.referee.states), list(session.referee.played)
            who = seat_texts(session.taken)
            analysis.start(lambda: analysis.judge(states, codes, who, float(more.get("mistake") or 0.2)))
        else:
            analysis.start(analysis.deepen)
        return {"agent": str(found), "ply": ply}

    def _analyst(self, kind: str, seconds: float) -> Agent:
        game = self.session.game
        if kind == "tree":
            return library.agent("mcts:playouts=2000", game) if not game.has_secrets else library.agent("uct", game)
        if kind == "levels":
            return library.agent("alphabeta:depth=64,deepen=1,table=18", game)
        if kind == "game":
            one = default_agent(game, 0.1)
            return library.agent("alphabeta:depth=6", game) if one.name == "alphabeta" else library.agent("uct", game)
        if kind == "hint":
            return limited(default_agent(game, HINT_SECONDS), HINT_SECONDS, HINT_PLAYOUTS)
        return default_agent(game, seconds)

    def do_stop(self, job: str) -> dict[str, Any]:
        """Stop an analysis; one that cannot be stopped makes the table lame, and the server starts it anew."""
        analysis = self.jobs.pop(job, None)
        ended = analysis.stop() if analysis is not None else True
        return {"ended": ended}

    def do_tree(self, job: str, node: int = 0, limit: int = 60) -> dict[str, Any]:
        """Return nodes of a tree that has grown."""
        if job not in self.jobs:
            raise BadParameter("that tree is not at this table any more; grow it again")
        return self.jobs[job].nodes(node, limit)


def _code(referee: Referee, move: Any) -> int:
    """Return the code of a move that was handed in as code or as text. Raises IllegalMove."""
    if isinstance(move, bool) or not isinstance(move, int | str):
        raise IllegalMove(f"a move is a text or a code, got {move!r}")
    code = referee.state.parse(move) if isinstance(move, str) else move
    if code not in referee.state.moves():
        raise IllegalMove(f"{referee.game.name}: {move!r} is not a legal move at ply {len(referee.played)}")
    return code


def _demand_text(game: str, texts: str) -> None:
    """Raise Untrusted if a user's file is not the one that a person has seen. Nothing of it is run."""
    path, _ = library.whereabouts(library.split(game)[0])
    if read(path).texts_hash != texts:
        raise Untrusted(f"{path.name} has changed since its text was shown; look at it again")


def _unknown(word: str) -> None:
    raise BadParameter(f"a table cannot {word!r}")


def check(path: Path) -> dict[str, Any]:
    """Check a user's game file and return the report, with the line of what is wrong."""
    from ludwin.errors import RuleError
    from ludwin.laws import check as check_laws

    try:
        game = library.load(path)
        report = check_laws(game, playouts=60, searches=False)
    except RuleError as error:
        place = Path(error.path).name if error.path else None
        return {"ok": False, "error": error.reason, "file": place, "line": error.line}
    except LudwinError as error:
        return {"ok": False, "error": str(error), "file": None, "line": None}
    return {"ok": True, "positions": report.positions, "playouts": report.playouts, "longest": report.longest}
