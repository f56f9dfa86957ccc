"""Makes our own pool of mate problems: from the ends of random games, and backwards from mates.

    python -m ludwin.games.chess.opponents.mates.compose FILE [--seed 1] [--scale 1.0] [--keep POOL]

Random play: two players who move at random, who also mate when they can, end many games by mate; the positions some
moves before that end are candidates.  Retro-construction: a few men are put on the board so that a king is mated; then
moves are taken back, first the mating one, then one of each side, and every position on the way is a candidate.  A
candidate becomes a problem if the quickest mate takes n moves, n from 1 to 5, and exactly one move leads to it; both
are proved.  Each position stands once, up to colours and, where nobody may castle, up to the mirror that exchanges left
and right.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from ludwin.errors import LudwinError
from ludwin.files import write_whole
from ludwin.game import State
from ludwin.games.chess.attacks import piece_attacks
from ludwin.games.chess.opponents.mates.solver import QUICKEST, chess, finder, solver
from ludwin.primitives import shl

WANTED = {
    "random": {1: 400, 2: 120, 3: 80, 4: 20},  # of the ends of 200 games two are problems in 5, and dear to prove
    "retro": {1: 500, 2: 1200, 3: 1000, 4: 500, 5: 150},
}
BOARDS = {1: 10_000, 2: 100_000, 3: 400_000, 4: 2_000_000, 5: 8_000_000}  # for the proof that a key is the only one
MEN = ("QRB", "QNN", "RRB", "RBN", "QR", "QN", "RRN", "QBP", "RNP", "RBB", "QPP", "RRP", "BBN")
THEIRS = ("", "P", "PP", "R", "BP", "NP", "PPP", "RP", "QPP", "BN")
FILES = str.maketrans("abcdefgh", "hgfedcba")
HEADER = "# Mate problems made by `python -m ludwin.games.chess.opponents.mates.compose`; SOURCE.md says how."


ProblemRow = tuple[str, int, str, str]  # origin, n, key, position


class Composition:
    """Problems that were found, each once."""

    def __init__(self, scale: float, kept: Sequence[ProblemRow] = ()):
        self.rows = list(kept)
        self.seen = {identity(chess().position(text)) for _, _, _, text in kept}
        self.room = {(way, n): max(1, round(scale * many)) for way, row in WANTED.items() for n, many in row.items()}
        for way, n, _, _ in kept:
            self.room[way, n] = self.room.get((way, n), 0) - 1

    def lacks(self, way: str, n: int) -> bool:
        """Tell whether more mates in n of this origin are wanted."""
        return self.room.get((way, n), 0) > 0

    def offer(self, way: str, state: State, deepest: int) -> int:
        """Keep a position if it is a problem; return in how many moves it mates, 0 if it does not or was seen."""
        text = identity(state)
        if text in self.seen or state.over:
            return 0
        self.seen.add(text)
        found = solver(QUICKEST).solve(state, deepest, BOARDS[deepest] // 4)
        n = found.moves
        if found.move is None or not self.lacks(way, n):
            return n if found.solved else 0
        keys = finder().keys(state, n, BOARDS[n])
        if keys is not None and len(keys) == 1:
            self.room[way, n] -= 1
            self.rows.append((way, n, state.name(keys[0]), " ".join(state.write().split()[:4])))
        return n


def identity(state: State) -> str:
    """Return a text that a position shares with its mirror image and with the one in which colours are exchanged."""
    men, turn, castling, passing = state.write().split()[:4]
    if turn == "b":  # the mover is White
        men, castling = "/".join(reversed(men.swapcase().split("/"))), castling.swapcase()
    file = passing[0]  # its rank follows from the mover
    if castling != "-":
        return f"{men} {''.join(sorted(castling))} {file}"
    turned = "/".join(row[::-1] for row in men.split("/"))
    return min(f"{men} - {file}", f"{turned} - {file.translate(FILES)}")


def from_play(pool: Composition, rng: Random, games: int) -> None:
    """Offer positions before the ends of random games."""
    game = chess()
    for _ in range(games):
        if not any(pool.lacks("random", n) for n in WANTED["random"]):
            return
        states = [game.start()]
        while not states[-1].over and len(states) < 160:
            here = states[-1]
            mate = solver("straight").solve(here, 1)
            moves = here.moves()
            states.append(here.play(mate.move if mate.move is not None else moves[rng.randrange(len(moves))]))
        if states[-1].over and states[-1].payoff(0) != 0:
            for n in WANTED["random"]:
                if 2 * n <= len(states) and pool.lacks("random", n):
                    pool.offer("random", states[-2 * n], n)


def backwards(pool: Composition, rng: Random, starts: int) -> None:
    """Offer positions on the way back from mates that were put on the board."""
    for number in range(starts):
        if not any(pool.lacks("retro", n) for n in WANTED["retro"]):
            return
        if number % 100 == 0:
            print(f"{number} mates, {len(pool.rows)} problems; still wanted: {pool.room}", file=sys.stderr)
        board = mated_board(rng)
        if board is None:
            continue
        depth = tries = 0
        while depth < 5 and tries < 6 + 3 * depth:
            step = both_back(board, rng) if depth else taken_back(board, "w", rng)
            tries += 1
            state = readable(step) if step else None
            if step is None or state is None:
                continue
            n = pool.offer("retro", state, depth + 1)
            if n > depth:
                board, depth, tries = step, n, 0


Board = dict[int, str]  # square -> letter of a man, White's in capitals


def mated_board(rng: Random) -> Board | None:
    """Return a board on which Black, to move, is mated; None if this draw has none."""
    men = ["K", *rng.choice(MEN), "k", *rng.choice(THEIRS).lower()]
    king = rng.choice([square for square in range(64) if square % 8 in (0, 7) or square // 8 in (0, 7)])
    for _ in range(60):
        board: Board = {king: "k"}
        for letter in men:
            if letter == "k":
                continue
            near = rng.random() < 0.6
            square = rng.choice(around(king, 2)) if near else rng.randrange(64)
            if square in board or (letter in "Pp" and square // 8 in (0, 7)):
                break
            board[square] = letter
        else:
            state = readable(board, "b")
            if state is not None and state.over and state.payoff(0) == 1:
                return board
    return None


def around(square: int, steps: int) -> list[int]:
    """Return the squares at most so many steps of a king away."""
    return [
        8 * y + x
        for y in range(max(0, square // 8 - steps), min(8, square // 8 + steps + 1))
        for x in range(max(0, square % 8 - steps), min(8, square % 8 + steps + 1))
    ]


def both_back(board: Board, rng: Random) -> Board | None:
    """Take back a move of Black's and then one of White's."""
    first = taken_back(board, "b", rng)
    return taken_back(first, "w", rng) if first else None


def taken_back(board: Board, side: str, rng: Random) -> Board | None:
    """Return the board before a move of one side that captured nothing, drawn at random."""
    choices = [(square, origin) for square, letter in sorted(board.items()) if letter.isupper() == (side == "w")
               for origin in origins(board, square, letter)]  # fmt: skip
    rng.shuffle(choices)
    for square, origin in choices[:8]:
        before = {(origin if at == square else at): letter for at, letter in board.items()}
        if readable(before, side) is not None:
            return before
    return None


def origins(board: Board, square: int, letter: str) -> Iterator[int]:
    """Yield where a man can have come from without a capture."""
    occupied = sum(1 << at for at in board)
    if letter in "Pp":
        down = -8 if letter == "P" else 8
        if 1 <= (square + down) // 8 <= 6 and square + down not in board:
            yield square + down
        return
    seen = piece_attacks("PNBRQK".index(letter.upper()), square, shl(occupied, 0))
    yield from (at for at in range(64) if seen >> at & 1 and at not in board)


def readable(board: Board, turn: str = "w") -> State | None:
    """Return the position of a board if the rules allow it."""
    rows = []
    for rank in range(7, -1, -1):
        row, empty = "", 0
        for file in range(8):
            letter = board.get(8 * rank + file)
            if letter:
                row, empty = row + (str(empty) if empty else "") + letter, 0
            else:
                empty += 1
        rows.append(row + (str(empty) if empty else ""))
    try:
        return chess().position(f"{'/'.join(rows)} {turn} - - 0 1")
    except LudwinError:
        return None


def kept_rows(file: Path) -> list[ProblemRow]:
    """Return the problems of a pool that was written before."""
    lines = [line.split() for line in file.read_text(encoding="utf8").splitlines() if not line.startswith("#")]
    return [(way, int(n), key, " ".join(text)) for n, way, key, *text in lines]


def main(arguments: list[str]) -> int:
    """Write a pool."""
    parser = argparse.ArgumentParser(description="makes a pool of mate problems")
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="how many problems, beside the usual number")
    parser.add_argument("--games", type=int, default=700, help="random games at the most")
    parser.add_argument("--starts", type=int, default=3000, help="mates to go back from at the most")
    parser.add_argument("--keep", type=Path, help="a pool whose problems are kept and counted")
    options = parser.parse_args(arguments)
    pool = Composition(options.scale, kept_rows(options.keep) if options.keep else ())
    backwards(pool, Random(options.seed), options.starts)
    from_play(pool, Random(options.seed + 1), options.games)
    rows = [f"{n} {way} {key} {text}" for way, n, key, text in sorted(pool.rows, key=lambda row: (row[1], row[3]))]
    write_whole(options.file, "\n".join([HEADER, *rows]) + "\n")
    counts = {n: sum(row[1] == n for row in pool.rows) for n in range(1, 6)}
    print(f"{len(rows)} problems: {counts}; still wanted: {pool.room}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
