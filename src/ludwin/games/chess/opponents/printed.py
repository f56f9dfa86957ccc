"""Endgame programs that are printed: the book's Gpec190, and our Master.

Master.  The book's evolved players met a strategy that people had written in the same language with a strong player's
advice; it is not printed.  Ours is: it takes a mate, avoids being mated, leaves nothing to be taken, takes what it can,
then restricts the enemy's king, by checks that nothing attacks, and drives it to the border.

Gpec190.  The advantage tree of the best player of several endings (figure 5.1).  Only this one of its trees is printed,
so the player `gpec190` asks it whatever the material is.

References.  M. Sipper, *Evolved to Win* (2011), figure 5.1.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from ludwin.games.chess.language import language, program
from ludwin.games.chess.opponents.advised import Advised
from ludwin.program.text import read
from ludwin.program.tree import Tree
from ludwin.search.programs import Programs

MASTER = """
If3(IsMate, 1000.0,
  If3(IsMateInOne, -1000.0,
    If3(Not(MyPieceCannotBeCaptured), -500.0,
      If3(IsMaterialIncrease, 500.0,
        Plus(
          If3(And2(IsOppKingInCheck, AreMyPiecesUnattacked), NumNotMovesOppKing, 0.0),
          Times(OppKingProximityToEdges, 0.1))))))
"""

GPEC190 = """
If3(
  Or2(
    Not(Not(IsOppKingInCheck)),
    And2(
      Or3(
        Or2(IsOppKingInCheck, IsOppKingInCheck),
        Or3(IsMyKingNotStuck, IsMyFork, OppPieceCanBeCaptured),
        Not(IsMyFork)),
      Not(NotMyKingInCheck))),
  If3(
    Or3(
      Not(And3(OppPieceCanBeCaptured, MyPieceCannotBeCaptured, IsOppKingBehindPiece)),
      Or3(
        And3(NotMyKingInCheck, IsOppKingBehindPiece, IsMyFork),
        Or2(IsMateInOne, NotMyKingInCheck),
        And2(IsOppKingInCheck, NotMyKingInCheck)),
      Or3(
        Or3(
          And3(NotMyKingInCheck, IsOppKingBehindPiece, IsMyFork),
          Or2(IsMateInOne, NotMyKingInCheck),
          And2(IsOppKingInCheck, NotMyKingInCheck)),
        Or3(IsMyFork, IsMyKingNotStuck, IsMyKingNotStuck),
        And2(IsOppKingStuck, OppPieceCanBeCaptured))),
    If3(
      Not(And2(IsMyFork, IsMate)),
      If3(
        And2(IsMaterialIncrease, IsOppKingStuck),
        If3(IsMate, NumMyPiecesNotAttacked, NumNotMovesOppKing),
        If3(MyPieceCannotBeCaptured, NumNotMovesOppKing, IsMateInOne)),
      If3(IsOppKingBehindPiece, IsMateInOne, IsMateInOne)),
    If3(IsMyKingNotStuck, IsOppKingBehindPiece, IsMyFork)),
  If3(
    Or2(
      Or3(
        Or2(IsOppKingInCheck, IsOppKingInCheck),
        Or3(IsMyKingNotStuck, IsMyFork, OppPieceCanBeCaptured),
        Not(IsMyFork)),
      And2(IsOppKingInCheck, NotMyKingInCheck)),
    If3(
      And2(IsOppKingInCheck, NotMyKingInCheck),
      If3(IsMate, NumNotMovesOppKing, IsMyFork),
      If3(IsMateInOne, IsMyKingNotBehindPiece, IsOppKingBehindPiece)),
    If3(
      Or3(
        And2(IsMyKingNotStuck, IsMyKingNotStuck),
        Or3(IsOppKingInCheck, OppPieceCanBeCaptured, IsMyFork),
        And3(IsOppKingInCheck, OppPieceCanBeCaptured, IsOppKingStuck)),
      If3(IsMateInOne, IsMyKingNotBehindPiece, IsOppKingBehindPiece),
      If3(
        Smaller(MyKingDistEdges, NumMyPiecesNotAttacked),
        If3(IsMate, NumNotMovesOppKing, IsMyFork),
        If3(IsMateInOne, IsMyKingNotBehindPiece, IsOppKingBehindPiece)))))
"""


@lru_cache(maxsize=1)
def gpec190() -> Tree:
    """Return the printed tree; in its language IsMate counts 1000, IsMateInOne -1000, IsMaterialIncrease 100."""
    return read(language(), GPEC190)


@lru_cache(maxsize=1)
def master() -> Tree:
    """Return Master, who is written in the laboratory's language: raw truths, a sum, a product."""
    return program(MASTER)


@dataclass(frozen=True)
class Master(Advised):
    """The printed strategy that evolved endgame players are measured by; it judges the boards behind its moves."""

    name: ClassVar[str] = "master"

    def programs(self) -> Programs:
        """Return its one program."""
        return Programs((master(),))


@dataclass(frozen=True)
class Gpec190(Advised):
    """The printed tree of the book's best evolved endgame player, asked in all positions."""

    name: ClassVar[str] = "gpec190"

    def programs(self) -> Programs:
        """Return its one program."""
        return Programs((gpec190(),))
