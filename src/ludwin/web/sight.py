"""What the page is told of a game: the View of the API, as plain data.

Why it is here.  One value says everything that a board, a list of moves and a history need, for one onlooker at one
ply; what that onlooker may not know is not in it (`ludwin.play.view`).  It is made in the process of the table, next to
the rules.
"""

import re
from collections.abc import Sequence
from typing import Any

from ludwin.errors import BadParameter, LudwinError
from ludwin.game import State
from ludwin.play.session import PlaySession
from ludwin.play.view import drawing
from ludwin.primitives import CHANCE, stream
from ludwin.rules.pictures import paths_of
from ludwin.svg import letters, places
from ludwin.web.cleaning import BadPicture, clean

SQUARE = re.compile(r"[a-z]\d{1,2}|\d{1,2}")  # b2, 17: a place of a board that may be turned
ARROWS = 3  # moves of a line that are shown on the board


class TableSight:
    """How one table is seen: by whom, at which ply."""

    def __init__(self, session: PlaySession):
        self.session = session

    def view(self, ply: int | None = None, seat: int | None = None) -> dict[str, Any]:
        """Return the view of an onlooker. Raises BadParameter for a ply or a seat that there is not."""
        session, referee = self.session, self.session.referee
        last = session.ply
        ply = last if ply is None else ply
        if not 0 <= ply <= last:
            raise BadParameter(f"there is no ply {ply}: the game has {last}")
        seat = self.onlooker(seat)
        hides = session.hides_from(seat)
        state, is_now = referee.states[ply], ply == last
        end = session.end if is_now else None
        board, text = self._board(state, ply, seat if hides else None)
        legal = self._legal(state, seat, hides, board if not hides else None) if not (is_now and session.end) else []
        history = self._history(seat)
        return {
            "game": session.game.text,
            "players": session.game.players,
            "ply": ply,
            "plies": last,
            "mover": state.mover,
            "over": end is not None,
            "end": end,
            "loser": session.loser if is_now else None,
            "payoffs": list(session.payoffs) if is_now and session.payoffs is not None else None,
            "position": None if hides else state.write(),
            "text": text,
            "board": {"svg": board, "flips": _flips(board), "kind": self.kind},
            "moves": legal,
            "last": self._last(ply, seat, hides),
            "history": history,
            "seats": ["human" if one is None else str(one) for one in session.taken],
            "seat": seat,
            "hidden": hides,
        }

    @property
    def kind(self) -> str:
        """Where the drawing comes from; settled for the game, never for a position."""
        game = self.session.game
        if game.has_secrets:
            return "text"
        for name in ("picture", "squares"):
            if name in game.offers:
                return name
        return "learnt" if game.lattice is not None else "text"

    def onlooker(self, seat: int | None) -> int | None:
        """Return on whose behalf the table is looked at: a person's seat where something is hidden."""
        session = self.session
        if seat is not None and not 0 <= seat < session.game.players:
            raise BadParameter(f"{session.game.name} has no seat {seat} (it has 0 to {session.game.players - 1})")
        if not session.game.has_secrets or session.end or not session.people:
            return seat if not session.game.has_secrets else None
        if seat is None:
            return session.people[0]
        if seat not in session.people:
            raise BadParameter(f"seat {seat} is an agent's, and what it sees stays hidden")
        return seat

    def _board(self, state: State, ply: int, hidden_from: int | None) -> tuple[str, str]:
        """Return the drawing and the text of a position."""
        game = self.session.game
        if hidden_from is not None:
            text = drawing(state, hidden_from, stream(self.session.referee.seed, -2, ply))
            return str(letters(text, game.text)), text
        text = state.show()
        if game.has_secrets and "picture" not in game.offers:
            return str(letters(text, game.text)), text
        try:
            svg = state.picture()
            return (svg if game.is_ours else clean(svg)), text
        except BadPicture as error:
            return str(letters(f"{text}\n\n({error})", game.text)), text

    def _legal(self, state: State, seat: int | None, hides: bool, svg: str | None) -> list[dict[str, Any]]:
        """Return the mover's moves, as far as the onlooker may know them."""
        if hides:
            if state.mover != seat:
                return []
            return [{"code": code, "move": name, "path": None} for name, code in self.session.legal(seat).items()]
        codes = state.moves()
        paths = self.paths(state, codes, svg)
        found: list[dict[str, Any]] = [
            {"code": code, "move": state.name(code), "path": paths[code] or None} for code in codes
        ]
        if state.mover == CHANCE and codes:
            weights = state.weights()
            total = sum(weights.values()) or 1.0
            for one in found:
                one["chance"] = weights[one["code"]] / total
        return found

    def paths(self, state: State, codes: Sequence[int], svg: str | None = None) -> dict[int, list[str]]:
        """Return the places of moves; none where they fail, because a list of moves is always there."""
        try:
            return paths_of(state, codes, svg)
        except LudwinError:
            return {code: [] for code in codes}

    def _last(self, ply: int, seat: int | None, hides: bool) -> dict[str, Any] | None:
        if not ply:
            return None
        state, code = self.session.referee.states[ply - 1], self.session.referee.played[ply - 1]
        text = self.session.move_text(ply - 1, seat)
        if text is None:
            return {"code": None, "move": None, "path": None, "mover": state.mover}
        path = [] if hides else self.paths(state, [code])[code]
        return {"code": code, "move": text, "path": path or None, "mover": state.mover}

    def _history(self, seat: int | None) -> list[dict[str, Any]]:
        session = self.session
        texts = session.history(seat)
        states = session.referee.states
        return [
            {"mover": state.mover, "code": code if text is not None else None, "move": text}
            for state, code, text in zip(states, session.referee.played, texts, strict=False)
        ]

    def line(self, state: State, codes: Sequence[int]) -> list[dict[str, Any]]:
        """Return a line of play: every move with its text, the first ones with their places."""
        found = []
        for number, code in enumerate(codes):
            if code not in state.moves():
                break  # numbers that are read while they are written may be torn
            path = self.paths(state, [code])[code] if number < ARROWS else []
            found.append({"move": state.name(code), "code": code, "path": path or None})
            state = state._play(code)
            if state.mover == CHANCE:
                break
        return found


def _flips(svg: str) -> bool:
    """Tell whether a board may be turned round: it says so, or all its places are squares of a board."""
    if 'data-flip="1"' in svg:
        return True
    names = places(svg)
    return len(names) >= 9 and all(SQUARE.fullmatch(name) for name in names)
