"""Endgames between programs, a whole generation of them in one compiled call.

Why it is here.  A generation of the book's plays 1,600 games of up to a hundred plies, some thirty boards a ply: by
single calls that would take minutes.  Here all individuals' programs lie side by side, a list says who meets whom from
which start, and compiled code plays them all.  A game is a function of its line of that list: threads change nothing.

Rules.  Men stand on random squares on which nobody is attacked, White to move.  A game ends by mate, stalemate, dead
material, the third occurrence of a position, fifty moves, or after `cap` plies.  Who is ahead in material at the end of
a game that is not mate or stalemate has an *advantage*.  Points: 1 for a mate, 3/4 for an advantage, 1/2 for a draw,
nothing for the other side of these.

References.  M. Sipper, *Evolved to Win* (2011), section 4.4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from ludwin.game import Game, State
from ludwin.games.chess.attacks import KING, PAWN, is_attacked
from ludwin.games.chess.generate import can_move, is_dead
from ludwin.games.chess.opponents.advice import PAGE, judging
from ludwin.games.chess.opponents.advised import PROGRAMS, RECORDS, ROOM, chosen_move, fill_pages
from ludwin.games.chess.opponents.ahead import DEEPEST, USED
from ludwin.games.chess.opponents.tactics import PLIES
from ludwin.games.chess.opponents.terminals import material
from ludwin.games.chess.opponents.verdict import ended
from ludwin.games.chess.starts import split_pieces
from ludwin.kernel.names import Bundle, key, play, setup
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel
from ludwin.library import load
from ludwin.primitives import draw, shl
from ludwin.program.tree import Tree
from ludwin.workers import Threads

CAP = 100  # plies of a game
MOST_MEN = 32
BORDERS = 0xFF | -(1 << 56)  # ranks 1 and 8, on which no pawn stands
LETTERS = "PNBRQK"
MATED, BEHIND, EVEN, AHEAD, MATES = -2, -1, 0, 1, 2  # how a game ended, for its first player
POINTS = {MATED: 0.0, BEHIND: 0.0, EVEN: 0.5, AHEAD: 0.75, MATES: 1.0}  # chapter 4
PLAIN_POINTS = {MATED: 0.0, BEHIND: 0.5, EVEN: 0.5, AHEAD: 0.5, MATES: 1.0}  # chapter 5

MEETING = {
    **dict.fromkeys(("first", "second", "ending", "start", "ties"), int),
    **dict.fromkeys(("result", "plies"), int),
}
BATCH = {"begin": int, "end": int, "cap": int}
SETUP = {
    "batch": BATCH,
    "meetings": [MEETING],
    "manners": [{"plies": int, "standing": int}],
    "men": [int],
    "keys": [int],
}


def put_men(w, s, ending):
    """Put the men of an ending on random squares; return whether no two stand on one, and no pawn where none can."""
    occupied = 0
    for piece in range(6):
        s.men[piece] = 0
    s.sides[0] = 0
    s.sides[1] = 0
    place = ending * (MOST_MEN + 1)
    for i in range(w.men[place]):
        man = w.men[place + 1 + i]
        bit = shl(1, draw(w.rng, 64))
        if occupied & bit != 0:
            return False
        occupied |= bit
        s.men[man % 6] |= bit
        s.sides[man // 6] |= bit
    return s.men[PAWN] & BORDERS == 0


def is_peaceful(s):
    """Tell whether nobody attacks anybody and the game goes on."""
    occupied = s.sides[0] | s.sides[1]
    for square in range(64):
        bit = shl(1, square)
        if occupied & bit != 0 and is_attacked(s, square, 1 if s.sides[0] & bit != 0 else 0, occupied):
            return False
    return can_move(s) and not is_dead(s)


def draw_start(w, s, ending):
    """Put a random position of an ending into a state, all peaceful ones alike; an ending that has one is assumed."""
    setup(s)
    s.castling = 0
    s.passing = 0
    s.quiet = 0
    s.turn = 0
    while not put_men(w, s, ending) or not is_peaceful(s):
        s.turn = 0
    return 0


def standing(s, p):
    """Return who is ahead in material, for player p."""
    balance = material(s, p)
    return AHEAD if balance > 0 else EVEN if balance == 0 else BEHIND


def has_repeated(w, s, ply):
    """Note a position; tell whether it is there for the third time."""
    mark = key(s)
    w.keys[ply] = mark
    times = 1
    back = ply - 2
    while back >= 0 and ply - back <= s.quiet:
        if w.keys[back] == mark:
            times += 1
        back -= 2
    return times > 2


def play_out(w, s, first, second):
    """Play a game from a state; return how it ends for White, who is `first`."""
    w.keys[0] = key(s)
    for ply in range(w.batch.cap):
        number = first if s.turn == 0 else second
        w.run.depth = w.manners[number].plies
        w.run.standing = w.manners[number].standing
        play(s, chosen_move(w, s, number * PROGRAMS * PAGE))
        w.meetings[w.run.base].plies = ply + 1
        over = ended(s)
        if over == 2:
            return MATED if s.turn == 0 else MATES
        if over == 1 and not can_move(s):
            return EVEN
        if over == 1 or has_repeated(w, s, ply + 1):
            return standing(s, 0)
    return standing(s, 0)


def play_all(w: Bundle):
    """Play the games of a part of the list."""
    for number in range(w.batch.begin, w.batch.end):
        one = w.meetings[number]
        w.run.base = number
        w.rng[0] = one.start
        draw_start(w, w.states[0], one.ending)
        w.rng[0] = one.ties
        one.result = play_out(w, w.states[0], one.first, one.second)
    return 0


def begin_game(w: Bundle):
    """Put the start of an ending into state 0."""
    return draw_start(w, w.states[0], w.batch.begin)


@lru_cache(maxsize=1)
def playing() -> Kernel:
    """Return the kernel that plays lists of games."""
    return Kernel("endgames", play_all, bind={"judge": judging()}, records={**RECORDS, **SETUP})


class EndgameMeeting(NamedTuple):
    """A game: numbers of the players and of the ending, a seed for the start and one for equal moves."""

    first: int
    second: int
    ending: int
    start: int
    ties: int


class Manner(NamedTuple):
    """How a player plays beside its programs: plies that it looks ahead, and whether draws count as `advised` says."""

    plies: int = 1
    standing: int = 0


class EndgameResult(NamedTuple):
    """How a game ended for its first player, White, and after how many plies."""

    result: int
    plies: int


@dataclass
class Endings:
    """Plays games of some endings, such as KQRKQR."""

    names: tuple[str, ...]
    workers: int = 1
    cap: int = CAP
    mode: str = "fast"
    after: bool = False  # whether the material after a move chooses the program

    def __post_init__(self) -> None:
        self.game: Game = load("chess")
        self.men = [self._men(name) for name in self.names]
        self.held: list[Any] = []  # a bundle for each thread
        self.rows = self.room = 0

    def _men(self, name: str) -> list[int]:
        load("chess", pieces=name)  # which refuses what has no peaceful position, with the reason
        white, black = split_pieces(name)
        return [LETTERS.index(letter) for letter in white] + [6 + LETTERS.index(letter) for letter in black]

    def play(
        self, players: Sequence[tuple[Tree, ...]], jobs: Sequence[EndgameMeeting], manners: Sequence[Manner] = ()
    ) -> list[EndgameResult]:
        """Return how games between these players end; whose manner is not given plays as the book's do."""
        if not jobs:
            return []
        run = specialise(self.game, playing(), self.mode)
        parts = self._parts(len(jobs))
        bundles = [self._bundle(run, k, len(players), len(jobs)) for k in range(len(parts))]
        for w in bundles:
            for number, trees in enumerate(players):
                fill_pages(w.code, w.registers, trees, number * PROGRAMS * PAGE, run.compiled)
                manner = manners[number] if number < len(manners) else Manner()
                w.manners[number].plies, w.manners[number].standing = manner
        work = list(zip(bundles, parts, strict=True))
        if len(work) == 1:
            return self._played(run, *work[0], jobs)
        crew: Threads[Any, Any] = Threads(lambda _, one: self._played(run, *one, jobs), len(work))
        return [ended for part in crew.map(work) for ended in part]

    def start(self, ending: int, seed: int) -> State:
        """Return the position from which games of this seed begin."""
        beginning = Kernel("starts of endgames", begin_game, records={**RECORDS, **SETUP})
        run = specialise(self.game, beginning, self.mode)
        w = run.bundle(**ROOM, men=len(self.men) * (MOST_MEN + 1))
        self._write_men(w)
        w.batch.begin = ending
        w.rng[0] = seed
        run(w)
        return run.get(w.states, 0)

    def _write_men(self, w: Any) -> None:
        for k, men in enumerate(self.men):
            for i, man in enumerate([len(men), *men]):
                w.men[k * (MOST_MEN + 1) + i] = man

    def _parts(self, count: int) -> list[range]:
        workers = min(self.workers, count)
        ends = [count * k // workers for k in range(workers + 1)]
        return [range(a, b) for a, b in pairwise(ends)]

    def _bundle(self, run: Specialised, number: int, players: int, jobs: int) -> Any:
        if players > self.rows or jobs > self.room:
            self.rows, self.room = max(players, self.rows), max(jobs, self.room)
            self.held.clear()
        while len(self.held) <= number:
            pages = self.rows * PROGRAMS * PAGE
            w = run.bundle(
                **{**ROOM, "states": USED + DEEPEST, "bufs": USED + DEEPEST},
                code=pages,
                registers=pages,
                values=self.game.max_moves * DEEPEST,
                manners=self.rows,
                meetings=self.room,
                men=len(self.men) * (MOST_MEN + 1),
                keys=self.cap + 1,
            )
            self._write_men(w)
            w.batch.cap, w.run.width, w.run.forced = self.cap, self.game.max_moves, PLIES
            w.run.after = int(self.after)
            self.held.append(w)
        return self.held[number]

    def _played(self, run: Specialised, w: Any, part: range, jobs: Sequence[EndgameMeeting]) -> list[EndgameResult]:
        for number in part:
            row, job = w.meetings[number], jobs[number]
            row.first, row.second, row.ending, row.start, row.ties = job
        w.batch.begin, w.batch.end = part.start, part.stop
        run(w)
        return [EndgameResult(int(w.meetings[k].result), int(w.meetings[k].plies)) for k in part]


def pairs_of(first: int, second: int, endings: int, seeds: Sequence[int]) -> list[EndgameMeeting]:
    """Return two games for each seed and ending, from one start with colours swapped."""
    return [
        EndgameMeeting(*(both if k == 0 else both[::-1]), ending, seed, 2 * seed + k + 1)
        for seed in seeds
        for ending in range(endings)
        for both in [(first, second)]
        for k in range(2)
    ]


def results_of(jobs: Sequence[EndgameMeeting], games: Sequence[EndgameResult], player: int) -> list[int]:
    """Return how games ended for a player who was first or second in them."""
    return [
        game.result if job.first == player else -game.result
        for job, game in zip(jobs, games, strict=True)
        if player in (job.first, job.second)
    ]


assert len(LETTERS) == KING + 1
