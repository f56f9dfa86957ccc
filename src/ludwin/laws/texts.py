"""The laws of what people read and type: names of moves, texts of positions, drawings."""

from typing import Any

from ludwin.errors import LudwinError, RuleError, brief
from ludwin.game import Game, State
from ludwin.rules.layout import flatten
from ludwin.rules.pictures import squares_of
from ludwin.rules.plain import describe

MANY = 24  # so many moves are parsed; of more, a share


class TextCourt:
    """Move texts name one legal move each and can be typed; position texts lead back to the position."""

    def __init__(self, game: Game):
        self.game = game
        self.positions = 0

    def __call__(self, state: State, legal: list[int]) -> None:
        """Hold the laws at one position."""
        self.positions += 1
        names = self.names(state, legal)
        seen: set[str] = set()
        for text in names:
            if text in seen:
                raise self.fail("name", f"name gives two legal moves the text {brief(text)}")
            seen.add(text)
        if "parse" in self.game.offers:
            step = -(-len(legal) // MANY) or 1
            for k in range(self.positions % step, len(legal), step):
                self.parse(state, legal[k], names[k])
        self.round_trip(state, legal)
        for what in ("show", "picture"):
            if what in self.game.offers:
                self.text(what, state.thaw())
        if "picture" in self.game.offers and not state.picture().lstrip().startswith(("<svg", "<?xml")):
            raise self.fail("picture", "picture must return the text of an SVG file, which begins with <svg")
        if "squares" in self.game.offers:
            squares_of(state)
        if "places" in self.game.offers:
            self.places(state, legal)

    def places(self, state: State, legal: list[int]) -> None:
        """Every place that a move touches is a text."""
        for m in legal[:MANY]:
            found = state._ask("places", m)
            if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
                raise self.fail("places", f"places must return a list of names, got {brief(found)}")

    def fail(self, function: str, reason: str) -> RuleError:
        place = self.game.place(function)
        return (
            RuleError(reason, *place)
            if self.game.source.find(function)
            else RuleError(reason, place[0], self.game._line(function))
        )

    def text(self, function: str, s: Any, *args: Any) -> str:
        """Ask a function for people, which must answer with a text."""
        try:
            answer = self.game.function(function)(s, *args)
        except LudwinError:
            raise
        except (Exception, SystemExit) as error:
            raise self.game.fault(error) from None
        if not isinstance(answer, str):
            raise self.fail(function, f"{function} must return a text, got {describe(answer)}")
        return answer

    def names(self, state: State, legal: list[int]) -> list[str]:
        """Return the names of the legal moves, each of which can be typed."""
        if "name" not in self.game.offers:
            return [str(m) for m in legal]
        s = state.thaw()
        names = []
        for m in legal:
            text = self.text("name", s, m)
            why = untypable(text)
            if why:
                raise self.fail("name", f"name gives move {m} the text {brief(text)}, which nobody can type: {why}")
            names.append(text)
        if flatten(self.game.fields, s) != state.cells:
            raise self.fail("name", "name must not change the state")
        return names

    def parse(self, state: State, move: int, text: str) -> None:
        try:
            code = self.game.function("parse")(state.thaw(), text)
        except (Exception, SystemExit) as error:
            fault = self.game.fault(error)
            raise RuleError(
                f"parse refuses {text!r}, which name has written: {fault.reason}", fault.path, fault.line
            ) from None
        if code != move:
            raise self.fail("parse", f"parse does not lead {text!r} back to move {move}")

    def round_trip(self, state: State, legal: list[int]) -> None:
        text = self.text("write", state.thaw()) if "write" in self.game.offers else state.fields_text()
        if not text.strip() or len(text.splitlines()) > 1:
            raise self.fail(
                "write", f"write must return one line, got {brief(text)}: positions stand in files line by line"
            )
        if "write" in self.game.offers and "read" not in self.game.offers and "=" not in text:
            raise self.fail(
                "write", "the game has write(s) and no read(s, text), which leads its texts back to positions"
            )
        try:
            again = self.game.position(text)
        except RuleError:
            raise
        except LudwinError as error:
            raise self.fail("read", f"read refuses what write has written: {error}") from None
        if again.cells == state.cells:
            return
        if again.write() != text or again.mover != state.mover or again.moves() != legal:
            raise self.fail("read", f"read does not lead {text!r} back to the position that write has written")


def untypable(text: str) -> str:
    """Say why a name cannot be typed at a board or stand in a file of openings; empty if it can.

    >>> untypable("e2-e4"), untypable("take 3")  # one with blanks is written in quotation marks
    ('', '')
    """
    if not text:
        return "it is empty"
    if text != text.strip():
        return "it begins or ends with a blank"
    if not text.isprintable():
        return "it holds a character that is not printed"
    if text.startswith('"') or ('"' in text and " " in text):
        return "quotation marks are for names with blanks in them"
    return ""
