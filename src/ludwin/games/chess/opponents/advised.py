"""Endgame players of *Evolved to Win*: every move is judged by a program, which the material chooses.

The idea.  The player looks at the board behind each of its moves and asks one of three programs what it is worth: one
for positions in which it is ahead in material, one for even ones, one for those in which it is behind.  The best move
is played, equals are drawn.  Nothing is searched beyond what terminals look at (`depth` above 1 does, `ahead.py`); a
move that ends the game is known for what it is, as in the book.

`before` and `after`: the book does not say whether the material before the move chooses the program, or after it.
Before is the default, so that all moves of a position are judged by one program.

Draws.  Opinions have no zero, and a draw that counts 0 lies below those of most players: behind by a rook that their
king could take, they walk away from the draw.  `draws=standing` puts a draw above all opinions for who is behind and
below them for who is ahead, as searches of more plies do (`ahead.py`).

References.  M. Sipper, *Evolved to Win* (2011), chapter 4.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game, State
from ludwin.games.chess.language import ALL, COUNT, program
from ludwin.games.chess.opponents.advice import PAGE, judging, pages
from ludwin.games.chess.opponents.ahead import DEEPEST, DRAWN, USED, foresee, worth_of_draw
from ludwin.games.chess.opponents.tactics import MOST_PLIES, PLIES
from ludwin.games.chess.opponents.terminals import SEEN, SIZES, before, forget, terminal
from ludwin.games.chess.opponents.verdict import assay, judge
from ludwin.kernel.names import Bundle, copy, moves, play
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel
from ludwin.program.tree import Tree
from ludwin.search.brain import Brain, Thinker, mind
from ludwin.search.choice import Choice, must_move, setting
from ludwin.search.expectimax import tie
from ludwin.search.programs import ADVANTAGE, Programs
from ludwin.search.seat import Seat, Sitting

PROGRAMS = 3
STANDING = "standing"
DRAWS = ("zero", STANDING)
RUN = {
    "after": int,
    "standing": int,
    "base": int,
    "depth": int,
    "forced": int,
    "width": int,
    "boards": int,
    "draw": float,
}
MEMBERS = {"states": "States", "bufs": "Moves", "rng": "Ints", "values": [float], "code": [int], "registers": [float]}
RECORDS = {**MEMBERS, "run": RUN, **SEEN}
ROOM = {"states": USED, "bufs": USED, **SIZES}


def advised_move(w, s, base):
    """Return a best move of a position, drawn among equals; the values of all moves go to `w.values`."""
    before(w, s)
    p = s.turn
    n = moves(s, w.bufs[0])
    child = w.states[1]
    draw = worth_of_draw(s) if w.run.standing != 0 else 0.0
    for i in range(n):
        copy(child, s)
        play(child, w.bufs[0][i])
        w.values[i] = assay(w, child, p, base, draw)
    return w.bufs[0][tie(w.values, n, w.rng)]


def chosen_move(w, s, base):
    """Return a best move of a position by as many plies as `w.run.depth` says."""
    if w.run.depth < 2:
        return advised_move(w, s, base)
    n = foresee(w, s, base)
    return w.bufs[0][tie(w.values, n, w.rng)]


def advise(w: Bundle):
    """Return a best move of state 0."""
    return chosen_move(w, w.states[0], 0)


def inspect(w: Bundle):
    """Answer all terminals of the board behind move `w.run.base` of state 0, and let the first program judge it."""
    s = w.states[0]
    child = w.states[1]
    before(w, s)
    copy(child, s)
    play(child, w.run.base)
    forget(w)
    for k in range(COUNT):
        terminal(w, child, s.turn, k)
    w.values[0] = judge(w, child, s.turn, 0)
    return 0


@lru_cache(maxsize=1)
def advising() -> Kernel:
    """Return the kernel of a player."""
    return Kernel("endgame players", advise, bind={"judge": judging()}, records=RECORDS)


def board_values(state: State, move: int, tree: Tree | None = None, mode: str = "fast") -> dict[str, float]:
    """Return all terminals of the board behind a move, by name, and under "" what a program thinks of it.

    Mates are judged like any other board; whoever plays knows them without asking.
    """
    kernel = Kernel("endgame terminals", inspect, bind={"judge": judging()}, records=RECORDS)
    run = specialise(state.game, kernel, mode)
    w = run.bundle(**ROOM, code=PROGRAMS * PAGE, registers=PROGRAMS * PAGE, values=state.game.max_moves)
    fill_pages(w.code, w.registers, (tree or program("0.0"),), 0, run.compiled)
    run.put(w.states, 0, state)
    w.run.base, w.run.forced = move, PLIES
    run(w)
    return {"": float(w.values[0]), **{name: float(w.seen[k]) for k, name in enumerate(ALL)}}


def in_threes(trees: tuple[Tree, ...]) -> tuple[Tree, Tree, Tree]:
    """Return three programs: two are for who is ahead and who is not; one is for all."""
    if len(trees) == PROGRAMS:
        return trees[0], trees[1], trees[2]
    return trees[0], trees[-1], trees[-1]


def fill_pages(code: Any, registers: Any, trees: tuple[Tree, ...], base: int, compiled: bool = True) -> None:
    """Write an individual's programs, from a place on."""
    for number, tree in enumerate(in_threes(trees)):
        words, numbers = pages(tree)
        at = base + number * PAGE
        code[at : at + len(words)] = words if compiled else words.tolist()
        registers[at : at + len(numbers)] = numbers if compiled else numbers.tolist()


@dataclass(frozen=True)
class Advised(Thinker):
    """Plays the move whose board its programs like best; a champion's file gives them: evolved:PATH."""

    name: ClassVar[str] = "advised"
    is_inert: ClassVar[bool] = True
    material: str = setting(
        "before", "whose material chooses the program: before the move, or after it", choices=("before", "after")
    )
    draws: str = setting(
        "zero",
        "what a draw is worth by one ply: 0; or, as by more, all to who is behind in material, nothing to who is ahead",
        choices=DRAWS,
    )
    depth: int = setting(
        1, "plies to look ahead; 1: the boards behind its own moves, as the book's players do", least=1, most=DEEPEST
    )
    forced: int = setting(
        PLIES,
        "plies of captures and checks that tactical terminals look at, if programs ask them",
        least=1,
        most=MOST_PLIES,
    )
    eval: ClassVar[str] = "game"
    brain: Brain | None = mind()

    def programs(self) -> Programs:
        """Return the programs. Raises CannotPlay if there are none."""
        if not isinstance(self.brain, Programs):
            raise CannotPlay(f"{self.name} is asked by programs of a champion's file: evolved:PATH,agent={self.name}")
        return self.brain

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is chess, and the programs are of the endgame language."""
        if not game.is_ours or game.name != "chess":
            raise CannotPlay(f"{self.name} plays endings of chess, not {game.name}")
        held = self.programs()
        if len(held.trees) > PROGRAMS or held.chooser not in ("", ADVANTAGE):
            raise CannotPlay(f"{self.name} asks one, two or three programs, chosen by {ADVANTAGE}")
        try:
            for tree in held.trees:
                pages(tree)
        except BadParameter as error:
            raise CannotPlay(f"{self.name}: {error}") from None

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        trees, after, standing = self.programs().trees, int(self.material == "after"), int(self.draws == STANDING)

        def prepare(run: Specialised, w: Any) -> None:
            w.run.after, w.run.standing, w.run.depth, w.run.width = after, standing, self.depth, game.max_moves
            w.run.forced = self.forced
            fill_pages(w.code, w.registers, trees, 0, run.compiled)

        room = {"code": PROGRAMS * PAGE, "registers": PROGRAMS * PAGE, "values": self.depth * game.max_moves}
        room |= {"states": USED + self.depth, "bufs": USED + self.depth}
        return Seat(advising(), {**ROOM, **room}, prepare)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the move that the programs like best; the seed breaks ties."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        found = {m: float(sitting.w.values[i]) for i, m in enumerate(state.moves())}
        over = {m: abs(value) > DRAWN for m, value in found.items()}
        opinions = {m: 0.0 if abs(value) == DRAWN else value + 0.0 for m, value in found.items()}
        values = {m: math.copysign(1.0, value) if over[m] else value for m, value in opinions.items()}
        decided = over[move] or (values[move] == 0.0 and state.play(move).over)
        boards = int(sitting.w.run.boards) if self.depth > 1 else len(found)
        kinds = {"inner": 1, "leaves": boards}
        return Choice(move, values[move], 1 + boards, decided, kinds, depth=self.depth, line=(move,), values=values)
