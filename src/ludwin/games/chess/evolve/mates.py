"""Mate searches that evolve: chapter 6 of *Evolved to Win*.

Why it is here.  A genome is one program; it is tried on problems of a pool, so many of each n, drawn anew for every
generation and the same for all of it.  Fitness is the book's sum: correctness times 2**n times how many boards the
baseline needed beside the program's.  The last factor is capped and counts only for problems solved with a claim of
mate that the referee proves; else programs that guess would be bred.  A program that looks at 1.5 times the
baseline's boards is cut, and what it says then counts.

Finalists are told apart on problems of the training half that were kept back, if it has that many; what a champion
is worth is its record on the test half.

`flavour=book` are programs of Tables 6.2 to 6.4 that score the board after each first move; `flavour=searches` are
AND/OR searches that a program steers (`language.py`), whose claims are proofs.
"""

from collections.abc import Sequence
from functools import lru_cache

from ludwin.errors import BadParameter
from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value
from ludwin.evolve.trees import Genome, Trees
from ludwin.games.chess.generate import PIECE, TO
from ludwin.games.chess.opponents.mates.asks import apart
from ludwin.games.chess.opponents.mates.language import searches, table
from ludwin.games.chess.opponents.mates.pool import (
    TEST,
    TRAINING,
    MateProblem,
    all_keys,
    baseline,
    boards_by_hand,
    is_key,
    problems,
    shares,
)
from ludwin.games.chess.opponents.mates.programs import ProgramAnswer, ProgramRunner, runner
from ludwin.games.chess.opponents.mates.solver import BOARDS
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.program.text import read
from ludwin.program.vary import Limits

FLAVOURS = {"book": table, "searches": searches}
BY_HAND = {  # the solvers by hand as programs, the last one being foresight
    "straight": "Prove(Yes, IsCheck, 0.0, Yes)",
    "fewest-straight": "Prove(Yes, Times[-1.0](NumReplies), 0.0, Yes)",
    "checks-straight": "OrElse(Prove(IsCheck, 0.0, 0.0, Yes), Prove(Yes, IsCheck, 0.0, Yes))",
    "foresight": "Prove(Yes, Times[-1.0](NumReplies), 0.0, MoveMayCheck)",
}
_CHECKS = "Prove(Yes, Times[-1.0](NumReplies), If3(MoveMayCheck, 0.0, Skip), MoveMayCheck)"
CHECKS_PASS = f"OrElse({_CHECKS}, {BY_HAND['foresight']})"
PATIENCE = 1.5  # times the baseline's boards, after which a program is cut
KEPT_BACK, UNSEEN = "the baseline on problems kept back", "the baseline on unseen problems"
GUESSED, NEAR = 0.1, 0.5  # the right square by the wrong piece; per square beside it by the right one
OPTIONS = (
    Setting("flavour", "searches", "programs that score first moves, or that steer searches", choices=tuple(FLAVOURS)),
    Setting("pool", "own", "whose problems", choices=("own", "composed", "practical")),
    Setting("deepest", 4, "problems of 2 to this many moves (the flavour book: from 1)", least=1, most=5),
    Setting("each", 5, "problems of each n in a generation", least=1, most=100),
    Setting("drawn_from", 60, "problems of each n that they are drawn from", least=1, most=2000),
    Setting("cap", 2.0, "how many times fewer boards than the baseline's are rewarded at the most", least=1.0),
    Setting("boards", 4_000_000, "boards of a solver by hand, at most", least=1000),
    Setting("hand", False, "whether the solvers by hand, written as programs, are among the first (searches only)"),
    Setting("checks_pass", False, "whether checks alone with foresight, and then foresight, is among the first, too"),
    Setting("max_depth", 8, "depth of a program", least=2, most=17),
    Setting("first_depth", 4, "depth of the first programs, at most", least=2, most=17),
)


def language_of(settings: Settings) -> Language:
    """Return the language that a flavour means."""
    return FLAVOURS[settings["flavour"]]()


def depths(settings: Settings) -> range:
    """Return the n of the problems."""
    return range(1 if settings["flavour"] == "book" else min(2, settings["deepest"]), settings["deepest"] + 1)


@lru_cache(maxsize=64)
def reference(some: tuple[MateProblem, ...], limit: int) -> str:
    """Return the baseline of some problems."""
    return baseline(some, limit)


@lru_cache(maxsize=1 << 16)
def keys_of(problem: MateProblem) -> tuple[int, ...]:
    """Return the keys of a problem."""
    return all_keys(problem)


@lru_cache(maxsize=1 << 16)
def proved(problem: MateProblem, move: int | None) -> bool:
    """Tell whether a move is a key, as the referee says."""
    return is_key(problem, move)


def correctness(problem: MateProblem, move: int | None) -> float:
    """Return the book's credit for an answer that is no key: nearly right moves of the right piece, or the square."""
    if move is None:
        return 0.0
    best = 0.0
    for key in keys_of(problem):
        to, right = move >> TO & 63, key >> TO & 63
        if move & 63 == key & 63 and move >> PIECE & 7 == key >> PIECE & 7:
            best = max(best, NEAR ** apart(to, right))
        elif to == right:
            best = max(best, GUESSED)
    return best


def credit(problem: MateProblem, answer: ProgramAnswer, boards: int, cap: float) -> float:
    """Return what an answer is worth beside a baseline that looked at so many boards."""
    if not proved(problem, answer.move):
        return correctness(problem, answer.move) * 2**problem.n if not answer.claims else 0.0
    speed = min(cap, boards / max(answer.boards, 1)) if answer.claims else 1.0
    return speed * 2**problem.n


class Hunts:
    """Scores a generation on problems that are the same for all of it."""

    relative = True

    def __init__(self, settings: Settings, workers: int):
        self.settings = settings

    def score(self, genomes: Sequence[Genome], generation: int, stream: Stream) -> list[tuple[float, dict[str, float]]]:
        """Return the fitness of each genome, as a share of what solving all as the baseline does is worth."""
        chosen: list[tuple[MateProblem, int]] = []
        for n in depths(self.settings):
            some = problems(self.settings["pool"], n, TRAINING, self.settings["drawn_from"])
            name = reference(some, self.settings["boards"])
            for k in stream.split(n).sample(len(some), min(self.settings["each"], len(some))):
                chosen.append((some[k], boards_by_hand(name, some[k], self.settings["boards"])))
        return [self.told(genome, chosen) for genome in genomes]

    def told(self, genome: Genome, chosen: Sequence[tuple[MateProblem, int]]) -> tuple[float, dict[str, float]]:
        work: ProgramRunner = runner(genome[0].language).load(genome[0])
        total = most = solved = 0.0
        for problem, boards in chosen:
            answer = work.solve(problem.state, problem.n, int(PATIENCE * boards) + 1)
            total += credit(problem, answer, boards, self.settings["cap"])
            solved += answer.move is not None and proved(problem, answer.move)
            most += 2**problem.n
        return total / most, {"solved": solved / len(chosen)}


def kind(settings: Settings) -> Trees:
    """Return how programs breed."""
    mutations = (("subtree", 0.6), ("point", 0.2), ("constant", 0.2))
    words = language_of(settings)
    known = (*BY_HAND.values(), CHECKS_PASS) if settings["checks_pass"] else tuple(BY_HAND.values())
    seeds = tuple((read(words, text),) for text in known) if settings["hand"] else ()
    limits, high = Limits(depth=settings["max_depth"]), min(settings["first_depth"], settings["max_depth"])
    return Trees((("program", words),), limits, high=high, mutations=mutations, seeds=seeds)


def _examine(settings: Settings) -> None:
    if settings["hand"] and settings["flavour"] != "searches":
        raise BadParameter("hand=true is for flavour=searches: solvers by hand are no programs of the book's language")
    if settings["checks_pass"] and not settings["hand"]:
        raise BadParameter("checks_pass=true has no effect without hand=true; give that too, or leave it out")
    for n in depths(settings):
        if not problems(settings["pool"], n, TRAINING, 1):
            raise BadParameter(f"the pool {settings['pool']} has no mates in {n}; give another pool or deepest")


def measured(settings: Settings, n: int, opponent: str, most: int) -> tuple[MateProblem, ...]:
    """Return the problems of a measurement: unseen ones, or those of training that evolution does not draw."""
    if opponent == UNSEEN:
        return problems(settings["pool"], n, TEST, most)
    some = problems(settings["pool"], n, TRAINING, settings["drawn_from"] + most)
    return some[-most:]


def measure(settings: Settings, genome: Genome, opponent: str, games: int, seed: int, workers: int) -> Measure:
    """Return the boards of a program beside the baseline's: the mean over n of the ratio of totals.

    A problem that is not solved counts as all the boards there are.
    """
    parts: list[float] = []
    work = runner(genome[0].language).load(genome[0])  # a wider one where terminals are silenced
    for n in depths(settings):
        some = measured(settings, n, opponent, max(1, games // len(depths(settings))))
        name = reference(some, settings["boards"])
        mine = []
        for one in some:
            answer = work.solve(one.state, n, BOARDS)
            right = answer.move is not None and proved(one, answer.move)
            mine.append(answer.boards if right else BOARDS)
        parts += shares(mine, [boards_by_hand(name, one, settings["boards"]) for one in some])
    return Measure.of_samples("boards beside the baseline", parts, opponent=opponent, direction="less")


BOOK: dict[str, Value] = {
    "population": 70,
    "generations": 100,
    "breeding": "gp",
    "selection": "tournament",
    "tournament": 3,
    "elite": 1,
    "crossover": 0.5,
    "mutation": 0.15,
    "yardstick_games": 12,
    "yardstick_every": 10,
    "finalists": 4,
    "last": 4,
    "finalist_games": 200,
    "champion_games": 120,
    "record_games": 120,
}
MATES = Experiment(
    name="mates",
    examine=_examine,
    summary="programs that make moves to find mates, beside solvers made by hand",
    kind=kind,
    fitness=Hunts,
    opponents=lambda settings: (KEPT_BACK, UNSEEN),
    measure=measure,
    settings=OPTIONS,
    defaults=BOOK,
    presets={
        "quick": {"population": 30, "generations": 8, "deepest": 2, "drawn_from": 20, "each": 5},
        "standard": {"hand": True, "deepest": 3, "cap": 16.0, "each": 6, "population": 100, "generations": 30},
        "paper": {"generations": 150, "deepest": 5},
    },
)
