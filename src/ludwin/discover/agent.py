"""The agent that plays with a derived program: `derived:FILE,depth=9`.

Why it is here.  A derivation is only finished when it plays.  The file is verified from its bytes, the program that the
checker read is written as kernel text and specialised to the game like any search written by hand.

The theorem speaks of primitives; a game is a particular choice of them.  So before it plays, the agent compares: what
the file supposes of `leaf`, `inner`, `white`, `black`, `children`, `eval` and `mine` must be what the kernel offers;
the predicates that value a child must be proved to do so; the players must alternate if the program supposes it, and
values must lie where it supposes them; and on random trees and on a few shallow positions of the game itself the value
must be that of minimax, since a program that is proved equal to some other plain program is no search for a game.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import ClassVar, Self

from ludwin.discover.checker import Verified, holds_of
from ludwin.discover.checker.formula import Formula, Value, both, either
from ludwin.discover.checker.terms import show_goal
from ludwin.discover.derivation import Derivation, read_bytes, verified_bytes
from ludwin.discover.emit import load_python
from ludwin.discover.interpret import compare, value_of
from ludwin.discover.kernels import Roots, child_of, is_unit, kernel, sizes, view_of
from ludwin.discover.term import BadProgram, Var
from ludwin.discover.trees import minimax, rough, world
from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.search.choice import Agent, Choice, demand_two_players, must_move, parse_with_file, setting
from ludwin.search.minimax import Minimax
from ludwin.search.values import DECIDED, worth

SIGNATURES = {  # what a kernel offers: modes, kinds, and the tests that must hold where it answers
    "leaf": (("in",), ("position",), None),
    "inner": (("in",), ("position",), None),
    "white": (("in",), ("position",), None),
    "black": (("in",), ("position",), None),
    "children": (("in", "out"), ("position", "list"), {("inner",)}),
    "eval": (("in", "out"), ("position", "number"), {("leaf",), ()}),
    "mine": (("in", "out"), ("position", "number"), {("leaf",), ()}),
}
CHOICES = ({"leaf", "inner"}, {"white", "black"})
TRIALS, TRIAL_PLIES, TRIAL_DEPTH, TRIAL_MOVES, TRIAL_NODES = (
    12,
    16,
    3,
    150,
    1000,
)  # positions, how far from the start, and what they may cost
TREES = 200


@dataclass(frozen=True)
class VerifiedPlayer:
    """A verified derivation, ready to play; `mark` is the hash of its file."""

    mark: str
    derivation: Derivation
    verified: Verified
    roots: Roots
    kernel: Kernel


def suppositions(verified: Verified) -> None:
    """Raise CannotPlay unless a file supposes no more of primitives than a kernel offers."""
    theory = verified.theory
    for name in sorted(theory.primitives):
        pred, kinds = theory.program.preds[name], tuple(theory.kind.of(name))
        if name not in SIGNATURES:
            raise CannotPlay(f"games offer no primitive {name}; they offer {', '.join(SIGNATURES)}")
        modes, want, total = SIGNATURES[name]
        if pred.modes != modes or kinds != want or (total is not None and pred.total not in total):
            raise CannotPlay(
                f"the file declares {name} otherwise than games offer it: it must take {want[0]} and answer where it "
                f"should"
            )
        if pred.smaller and name != "children":
            raise CannotPlay(f"the file supposes that {name} gives something smaller, which it does not")
    for group in theory.program.either:
        if set(group) not in CHOICES:
            raise CannotPlay(
                f"the file supposes that exactly one of {', '.join(group)} holds, which is not so in games"
            )
    if theory.program.lemmas:
        raise CannotPlay("the file supposes a lemma, which games do not offer")


def proved_roots(derivation: Derivation, verified: Verified) -> Roots:
    """Return the predicates that value a child, as far as the checker proves that they do. Raises CannotPlay."""
    program, entry = derivation.result, derivation.entry
    view, unit = view_of(derivation.seed), is_unit(derivation.seed)
    try:
        child = child_of(program, entry) if view == "root" else entry
    except BadProgram as error:
        raise CannotPlay(str(error)) from None
    contract = verified.theory.contracts.get(child)
    plain = child if contract is None else contract.of.name
    places = len(verified.theory.program.preds[plain].places("in"))

    def proved(name: str, count: int, wanted: Callable[[tuple[Value, ...], Value, Value], Formula]) -> bool:
        pred = verified.theory.program.preds.get(name)
        if (
            pred is None
            or pred.modes != (*["in"] * count, "out")
            or places != 1
            or verified.theory.kind.of(name)[0] != "position"
        ):
            return False
        if name in verified.theory.contracts and verified.theory.contracts[name].of.name != plain:
            return False
        return holds_of(verified, name, lambda given, outs: wanted(given, outs[0], ("out", plain, 0, given[:1])))

    def above(given: tuple[Value, ...], out: Value, value: Value) -> Formula:
        return either(
            [both([(">=", given[1], out), (">=", given[1], value)]), both([(">", out, given[1]), ("=", out, value)])]
        )

    def below(given: tuple[Value, ...], out: Value, value: Value) -> Formula:
        return either(
            [both([(">=", out, given[1]), (">=", value, given[1])]), both([(">", given[1], out), ("=", out, value)])]
        )

    def between(given: tuple[Value, ...], out: Value, value: Value) -> Formula:
        low, high = given[1:]
        inside = both([(">", out, low), (">", high, out), ("=", out, value)])
        return either(
            [both([(">=", low, out), (">=", low, value)]), both([(">=", out, high), (">=", value, high)]), inside]
        )

    if proved(child, 3, between):
        return Roots(child, child, child, True, view, unit)
    if not proved(child, 1, lambda given, out, value: ("=", out, value)):
        raise CannotPlay(f"{child} is not proved to give the value of a position")
    low = f"{child}_lo" if proved(f"{child}_lo", 2, above) else None
    high = f"{child}_hi" if proved(f"{child}_hi", 2, below) else None
    stops = (
        low is not None
        and holds_of(verified, low, lambda given, _: (">=", given[1], ("out", plain, 0, given[:1])), beyond=True),
        high is not None
        and holds_of(verified, high, lambda given, _: (">=", ("out", plain, 0, given[:1]), given[1]), beyond=True),
    )
    return Roots(child, low, high, False, view, unit, *stops)


def minimax_on_trees(derivation: Derivation, verified: Verified, roots: Roots) -> None:
    """Raise CannotPlay unless the plain program gives the minimax value of random trees, ties and decided games among
    them.
    """
    contract = verified.theory.contracts.get(roots.child)
    plain = roots.child if contract is None else contract.of.name
    tests = [test for name in ("eval", "mine") for test in derivation.seed.facts.get(name, ())]
    heads = {
        arg.name
        for name in ("eval", "mine")
        if name in derivation.seed.heads
        for arg in derivation.seed.heads[name].args[1:]
        if isinstance(arg, Var)
    }
    large = (1.0, 0.5, 0.0, 2.0**-100) if roots.unit else (DECIDED, 3.0, 1000.0, 0.0, 1.0)
    pool = [
        v
        for x in (*large, *range(7))
        for v in (x, -x)
        if all(compare(t.name, *(value_of(arg, dict.fromkeys(heads, v)) for arg in t.args)) for t in tests)
    ]
    if not pool:
        raise CannotPlay("no value of a game is such as the file supposes")
    run, rng = load_python(derivation.seed, plain, world()), Random(0)
    for _ in range(TREES):
        side = False if roots.view == "root" else rng.random() < 0.5
        tree = rough(rng, rng.randrange(5), 3, alternate=roots.view != "white", white=side)
        for leaf in tree.leaves():
            leaf.value = rng.choice(pool)
        wanted = minimax(tree) if roots.view != "mover" or tree.white else -minimax(tree)
        if run(tree) != wanted:
            raise CannotPlay(
                f"its plain program is no minimax: on a tree that is worth {wanted:g} it finds {run(tree):g}"
            )


@lru_cache(maxsize=32)
def _read(raw: bytes, where: str) -> VerifiedPlayer:
    derivation, verified = verified_bytes(raw, where)
    try:
        suppositions(verified)
        roots = proved_roots(derivation, verified)
        minimax_on_trees(derivation, verified, roots)
        return VerifiedPlayer(sha256(raw).hexdigest(), derivation, verified, roots, kernel(derivation, roots))
    except (CannotPlay, BadProgram) as error:
        raise CannotPlay(f"{where} cannot play games: {error}") from None


def read(path: str) -> VerifiedPlayer:
    """Return a verified derivation and its kernel; a file is verified once as long as its bytes do not change."""
    return _read(read_bytes(path), Path(path).name)


@dataclass(frozen=True)
class Derived(Agent):
    """Plays with a search that was derived from a plain program: `derived:FILE,depth=9`.

    The file is a derivation that `ludwin discover` wrote; it is checked again before it is used.
    """

    name: ClassVar[str] = "derived"
    file: str = field(
        default="", metadata={"help": "a derivation file, written first: derived:FILE,depth=9", "least": None}
    )
    depth: int = setting(6, "plies to look ahead", least=1)

    def __str__(self) -> str:
        return f"{self.name}:{self.file}" + (f",depth={self.depth}" if self.depth != 6 else "")

    @classmethod
    def parse_text(cls, rest: str) -> Self:
        """Make the agent from `FILE` or `FILE,key=value,…` (or `file=FILE,…`); raises BadParameter."""
        return cls.parse(
            parse_with_file(rest, "derived:FILE,depth=9", "`ludwin discover alpha-beta --out FILE` writes one")
        )

    def suits(self, game: Game) -> None:
        """Raise LudwinError unless the game has at most two players, a constant sum, no chance, and the file holds."""
        demand_two_players(self, game)
        self._player()

    def kernel(self, game: Game) -> Kernel:
        """Return the kernel that the derivation has led to."""
        return self._player().kernel

    def _player(self) -> VerifiedPlayer:
        """Return what the file holds, verified. Raises LudwinError."""
        if not self.file:
            raise CannotPlay(f"{self.name} needs a file: {self.name}:FILE,depth=9")
        return read(self.file)

    def warm(self, game: Game, mode: str = "fast") -> None:
        """Verify the file, compare it with the game, and compile its search."""
        super().warm(game, mode)
        self._compare(self._player(), game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the first move of the best value; the seed plays no part."""
        self.suits(game)
        must_move(game, state)
        player = self._player()
        self._compare(player, game)
        return self._search(player, game, state, self.depth, mode)

    def _search(self, player: VerifiedPlayer, game: Game, state: State, depth: int, mode: str) -> Choice:
        search = specialise(game, player.kernel, mode)
        w = search.bundle(**sizes(depth))
        w.run.depth = depth
        search.put(w.states, 0, state)
        move = int(search(w))
        name = Path(self.file).name
        if w.run.repeated:
            raise CannotPlay(
                f"{name} supposes that the players alternate, in {game.name} they do not; derive alpha-beta instead"
            )
        if w.run.beyond:
            raise CannotPlay(
                f"{name} supposes {self._supposed(player)}, in {game.name} a position is worth more or less than "
                f"that; derive alpha-beta instead"
            )
        decided = bool(w.sure[0])
        value = worth(w.run.value, decided, game.payoff_sum)
        return Choice(move, value, w.run.nodes, decided, depth=depth, line=(move,))

    @staticmethod
    def _supposed(player: VerifiedPlayer) -> str:
        told = player.verified.theory.program
        return "; ".join(
            f"{show_goal(told.facts[name].head)}: {', '.join(map(show_goal, told.facts[name].tests))}"
            for name in ("eval", "mine")
            if name in told.facts
        )

    def _compare(self, player: VerifiedPlayer, game: Game) -> None:
        """Raise CannotPlay unless the file's program is minimax of this game on a few positions near the start."""
        key = (player.mark, game.text, game.fingerprint)
        if key in _compared:
            return
        rng, spent = Random(0), 0
        for _ in range(TRIALS):
            state = game.start()
            for _ in range(rng.randrange(TRIAL_PLIES)):
                after = state.play(rng.choice(state.moves()))
                if after.over:
                    break
                state = after
            depth = TRIAL_DEPTH
            while depth > 1 and len(state.moves()) ** depth > TRIAL_MOVES:
                depth -= 1
            ours, plain = (
                self._search(player, game, state, depth, "plain"),
                Minimax(depth=depth).choose(game, state, mode="plain"),
            )
            if (ours.value, ours.decided) != (plain.value, plain.decided):
                told = [f"{c.value:g}{'' if c.decided else ' (an opinion)'}" for c in (plain, ours)]
                raise CannotPlay(
                    f"{Path(self.file).name} is no search for {game.name}: where minimax of depth {depth} finds "
                    f"{told[0]}, it finds {told[1]}"
                )
            spent += plain.nodes
            if spent > TRIAL_NODES:
                break
        _compared.add(key)


_compared: set[tuple[str, str, str]] = set()  # files and games that were found to fit
