"""The laws of games, and the court that tries a game by them: `check`.

Why it is here.  Compiled code is fast because it trusts the rules.  `check` is where that trust is
earned: it plays random games on a suspicious copy of the rules in plain Python, where every index,
store and overflow is examined, asks at each position whether the contract is kept, and then plays
the same games and small searches in all modes and compares them.  Every fault is one line with the
author's file and line.

What it cannot see: a fault in a position that no random game reaches, an evaluation that is legal
but foolish, a bound MAX_MOVES or MAX_PLIES that only rare games break.
"""

import io
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin.errors import CannotPlay, CheckFailed, LudwinError, RuleError
from ludwin.game import Game, State
from ludwin.kernel import cache
from ludwin.kernel.specialise import MODES, specialise
from ludwin.library import is_users
from ludwin.primitives import CHANCE, draw, stream, uniform
from ludwin.rules.layout import flatten
from ludwin.rules.plain import Cells, describe, number, whole
from ludwin.rules.source import Source
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.choice import Agent
from ludwin.search.perft import perft
from ludwin.search.trace import COLUMNS, TICKS, trace_kernel
from ludwin.search.uct import UCT

Progress = Callable[[str], None]
SEARCH_STATES = 3  # positions per game on which small searches are compared
SMALL = 20_000  # leaves: how far a small perft may go in plain Python


@dataclass(frozen=True)
class Report:
    """What a check has tried; it is only returned when nothing was wrong."""

    game: str
    playouts: int
    positions: int
    longest: int
    most_moves: int
    modes: tuple[str, ...]
    searches: int


def check(game: Game, playouts: int = 200, seed: int = 0, *, searches: bool = True, progress: Progress = lambda line: None) -> Report:
    """Try a game by the laws of games; raises RuleError or CheckFailed at the first fault.

    `playouts` random games are played in plain Python with every law examined, a quarter of them
    again in all modes. `searches=False` leaves out the comparison of searches, which takes longest.
    """
    if playouts < 1:
        raise ValueError(f"playouts must be at least 1, got {playouts}")
    with _quietly():
        report = _check(game, playouts, seed, searches, progress)
    _remember(game)
    return report


@contextmanager
def _quietly() -> Iterator[None]:
    """Leave out what the rules print, and their breakpoints, while they are tried."""
    hook = sys.breakpointhook
    sys.breakpointhook = lambda *args, **kws: None
    try:
        with redirect_stdout(io.StringIO()):
            yield
    finally:
        sys.breakpointhook = hook


def _check(game: Game, playouts: int, seed: int, searches: bool, progress: Progress) -> Report:
    court = _Court(game, seed)
    progress("laws in plain Python")
    for number_ in range(playouts):
        court.try_playout(number_, texts=number_ < max(3, playouts // 10))
    compared = max(3, playouts // 4)
    for mode in MODES[1:]:
        progress(f"plain = {mode}")
        court.compare_traces(mode, compared)
    done = 0
    if searches:
        progress("small searches in all modes")
        done = court.compare_searches()
    return Report(game.text, playouts, court.positions, court.longest, court.most, MODES, done)


def first_look(game: Game, progress: Progress = lambda line: None) -> bool:
    """Check a user's file when its fingerprint is seen for the first time; tell whether it was.

    The searches are left out: they would compile every agent before any is used.
    """
    if not is_users(game) or _mark(game).exists():
        return False
    check(game, playouts=60, searches=False, progress=progress)
    return True


def _mark(game: Game) -> Path:
    """Return the file whose existence says that this fingerprint has passed a check."""
    return cache.folder() / "ludwin_seen" / game.fingerprint


def is_known(source: Source) -> bool:
    """Tell whether a file with these texts has passed a check here, with whatever parameters; nothing of it runs."""
    return (cache.folder() / "ludwin_seen" / source.texts_hash).exists()


def _remember(game: Game) -> None:
    _mark(game).parent.mkdir(mode=0o700, exist_ok=True)
    cache.write_once(_mark(game), game.text + "\n")
    cache.write_once(_mark(game).with_name(game.source.texts_hash), game.text + "\n")


class _Court:
    """Tries one game; keeps the count and the book of keys."""

    def __init__(self, game: Game, seed: int):
        self.game = game
        self.seed = seed
        self.f = game.guarded_functions
        self.positions = self.longest = self.most = self.examined = 0
        self.keys: dict[int, tuple[Any, ...]] = {}
        self.spots: list[State] = []

    def fail(self, function: str, reason: str) -> RuleError:
        return RuleError(reason, *self.game.place(function))

    def ask(self, name: str, s: Any, *args: Any) -> Any:
        """Call a function of the rules; only setup, play, observe and tick may change the state."""
        if name in ("setup", "play", "observe", "tick"):
            return self.call(name, s, *args)
        before = flatten(self.game.fields, s)
        answer = self.call(name, s, *args)
        if flatten(self.game.fields, s) != before:
            raise self.fail(name, f"{name} must not change the state")
        return answer

    def call(self, name: str, s: Any, *args: Any) -> Any:
        """Call a function of the rules; what it does wrong is the author's fault."""
        try:
            return self.f[name](s, *args)
        except RuleError as error:
            raise self.game.fault(error) from None
        except LudwinError:
            raise
        except Exception as error:
            raise self.game.fault(error) from None

    def integer(self, name: str, s: Any, *args: Any) -> int:
        answer = self.ask(name, s, *args)
        if isinstance(answer, bool) or not isinstance(answer, int):
            raise self.fail(name, f"{name} must return a whole number, got {describe(answer)}")
        return self._fit(name, answer)

    def _fit(self, name: str, answer: int) -> int:
        try:
            return whole(answer, f"what {name} returns")
        except RuleError as error:
            raise self.fail(name, error.reason) from None

    def real(self, name: str, s: Any, *args: Any) -> float:
        return self._real(name, self.ask(name, s, *args))

    def _real(self, name: str, answer: Any) -> float:
        try:
            value = number(answer, f"what {name} returns")
        except RuleError as error:
            raise self.fail(name, error.reason) from None
        if math.isnan(value):
            raise self.fail(name, f"{name} returns nan, which compares with nothing")
        return float(value)

    def try_playout(self, index: int, texts: bool) -> None:
        game = self.game
        rng = [stream(self.seed, index)]
        s = game.guarded_class()
        self.ask("setup", s)
        for ply in range(game.max_plies + 1):
            out = Cells([0] * game.max_moves, "a move")
            player, legal = self.position(s, out)
            if len(self.spots) == index < SEARCH_STATES and ply >= 2 * index and player != CHANCE and legal:
                self.spots.append(State(game, flatten(game.fields, s)))
            if texts:
                self.texts(s, legal)
            if not legal:
                self.ending(s)
                self.longest = max(self.longest, ply)
                return
            if ply == game.max_plies:
                raise self.fail("moves", f"a random game is not over after MAX_PLIES = {game.max_plies} plies")
            if player == CHANCE:
                move = self.nature(s, legal, rng)
            else:
                self.secrets(s, player, legal, rng)
                move = legal[draw(rng, len(legal))]
            self.ask("play", s, move)

    def position(self, s: Any, out: Cells) -> tuple[int, list[int]]:
        """Hold the laws that every position must keep; return the mover and the legal moves."""
        game = self.game
        player = self.integer("mover", s)
        if not CHANCE <= player < game.players:
            raise self.fail("mover", f"mover returns {player}, must be 0 … {game.players - 1} or CHANCE")
        n = self.integer("moves", s, out)
        if not 0 <= n <= game.max_moves:
            raise self.fail("moves", f"moves returns {n}, must be 0 … MAX_MOVES = {game.max_moves}")
        legal = list(out[:n])
        if len(set(legal)) < n:
            twice = next(m for i, m in enumerate(legal) if m in legal[:i])
            raise self.fail("moves", f"moves lists move {twice} twice")
        self.positions += 1
        self.most = max(self.most, n)
        views = tuple(self.real("evaluate", s, p) for p in range(game.players)) if "evaluate" in self.f else ()
        if "key" in self.f:
            self.law_of_keys(self.integer("key", s), (player, tuple(legal), views))
        if "noisy" in self.f and player != CHANCE:
            for m in legal:
                if not isinstance(self.ask("noisy", s, m), bool | int):
                    raise self.fail("noisy", "noisy must return true or false")
        for k, (name, (_, size)) in enumerate(game.queries.items()):
            for a in range(max(size, 1)):
                self.real("query", s, max(player, 0), k, a)
            del name
        if "solved" in self.f:
            self.puzzle(s, legal)
        return player, legal

    def law_of_keys(self, key: int, said: tuple[Any, ...]) -> None:
        known = self.keys.setdefault(key, said)
        for what, old, new in zip(("mover", "moves", "evaluations"), known, said, strict=True):
            if old != new:
                raise self.fail("key", f"two positions share the key {key} but not their {what}: equal keys must mean equal positions")

    def puzzle(self, s: Any, legal: list[int]) -> None:
        goal = self.ask("solved", s)
        if "distance" in self.f:
            far = self.real("distance", s)
            if far < 0 or (goal and far != 0):
                raise self.fail("distance", f"distance is {far:g} {'at a goal' if goal else ''}: it must be 0 at a goal and never negative")
        if "cost" in self.f and any(self.real("cost", s, m) < 0 for m in legal):
            raise self.fail("cost", "cost is negative")

    def nature(self, s: Any, legal: list[int], rng: list[int]) -> int:
        before = flatten(self.game.fields, s)  # once for all moves: nature may have many, and states may be large
        weights = [self._real("chance", self.call("chance", s, m)) if "chance" in self.f else 1.0 for m in legal]
        if flatten(self.game.fields, s) != before:
            raise self.fail("chance", "chance must not change the state")
        for m, weight in zip(legal, weights, strict=True):
            if not 0 < weight < math.inf:
                raise self.fail("chance", f"chance gives move {m} the weight {weight:g}: weights are positive")
        self.redraws(s, legal, weights)
        rest = uniform(rng) * sum(weights)
        for m, weight in zip(legal, weights, strict=True):
            rest -= weight
            if rest < 0:
                return m
        return legal[-1]

    def redraws(self, s: Any, legal: list[int], weights: list[float]) -> None:
        """With REDRAWS, a draw after which nature moves again leaves the shares of those after which it has done as they were."""
        if not self.game.redraws:
            return
        shares, again = self._settled(s, dict(zip(legal, weights, strict=True)))
        self.examined += 1
        for m, after in list(again.items())[self.examined % max(len(again), 1) :][:1] if shares else ():  # one at a time: there may be many
            out = Cells([0] * self.game.max_moves, "a move")
            follow = [int(move) for move in out[: self.integer("moves", after, out)]]
            weighed = {move: self._real("chance", self.call("chance", after, move)) if "chance" in self.f else 1.0 for move in follow}
            then, _ = self._settled(after, weighed)
            if then.keys() != shares.keys() or any(not math.isclose(then[move], shares[move], rel_tol=1e-9) for move in shares):
                raise self.fail("play", f"after nature's move {m} it moves again, and other draws are not as likely as before: REDRAWS must be False")

    def _settled(self, s: Any, weights: Mapping[int, float]) -> tuple[dict[int, float], dict[int, Any]]:
        """Return the shares of nature's moves after which it has done, and the states after the others."""
        done, again = {}, {}
        for m, weight in weights.items():
            after = self.game.guarded_class()
            self.game.copy(after, s)
            self.ask("play", after, m)
            if self.integer("mover", after) == CHANCE:
                again[m] = after
            else:
                done[m] = weight
        return {m: weight / sum(done.values()) for m, weight in done.items()}, again

    def secrets(self, s: Any, player: int, legal: list[int], rng: list[int]) -> None:
        """What `observe` resamples must leave the mover's own view as it was."""
        if "observe" not in self.f:
            return
        other = self.game.guarded_class()
        self.game.copy(other, s)
        self.ask("observe", other, player, rng)
        out = Cells([0] * self.game.max_moves, "a move")
        n = self.integer("moves", other, out)
        if self.integer("mover", other) != player or list(out[:n]) != legal:
            raise self.fail("observe", f"after observe player {player} is not to move, or has other moves: observe may change only what the player cannot see")

    def ending(self, s: Any) -> None:
        game = self.game
        payoffs = [self.real("payoff", s, p) for p in range(game.players)]
        if not all(map(math.isfinite, payoffs)):
            raise self.fail("payoff", f"payoffs {payoffs} are not finite")
        if game.payoff_sum is not None and not math.isclose(sum(payoffs), game.payoff_sum, abs_tol=1e-9):
            raise self.fail("payoff", f"payoffs {_short(payoffs)} sum to {sum(payoffs):g}, PAYOFF_SUM says {game.payoff_sum:g} (None if the sum varies)")

    def texts(self, s: Any, legal: list[int]) -> None:
        """Move texts name one legal move each; position texts lead back to the position."""
        state = State(self.game, flatten(self.game.fields, s))
        names = [state.name(m) for m in legal]
        for text in names:
            if names.count(text) > 1:
                raise self.fail("name", f"name gives two legal moves the text {text!r}")
        for m, text in zip(legal, names, strict=True) if "parse" in self.game.offers else ():
            try:
                code = self.game.function("parse")(state.thaw(), text)
            except Exception as error:
                fault = self.game.fault(error)
                raise RuleError(f"parse refuses {text!r}, which name has written: {fault.reason}", fault.path, fault.line) from None
            if code != m:
                raise self.fail("parse", f"parse does not lead {text!r} back to move {m}")
        text = state.write()
        try:
            again = self.game.position(text)
        except RuleError:
            raise
        except LudwinError as error:
            raise self.fail("read", f"read refuses what write has written: {error}") from None
        if again.write() != text or again.mover != state.mover or again.moves() != legal:
            raise self.fail("read", f"read does not lead {text!r} back to the position that write has written")
        if not isinstance(state.show(), str):
            raise self.fail("show", "show must return a text")
        if "picture" in self.game.offers and not state.picture().lstrip().startswith(("<svg", "<?xml")):
            raise self.fail("picture", "picture must return the text of an SVG file, which begins with <svg")

    def compare_traces(self, mode: str, playouts: int) -> None:
        """Play the same random games in plain and in another mode, and compare every answer."""
        game = self.game
        kernel = trace_kernel(game.offers, len(game.queries))
        start = game.start()
        width = len(COLUMNS)
        plies = game.max_plies + 1
        runs = [specialise(game, kernel, m) for m in ("plain", mode)]
        for index in range(playouts):
            results = []
            for run in runs:
                states, rng, trail, played = run.states(1), run.ints(1), run.ints(plies * width), run.ints(plies)
                run.put(states, 0, start)
                rng[0] = stream(self.seed, index, 1)
                length = int(run(states, run.moves(1), rng, trail, played, plies))
                results.append((length, [int(v) for v in trail[: (length + 1) * width]], [int(m) for m in played[:length]]))
            if results[0] != results[1]:
                raise self.difference(mode, results, width)
        if "tick" in game.offers:
            self.compare_ticks(mode)

    def difference(self, mode: str, results: list[tuple[int, list[int], list[int]]], width: int) -> CheckFailed:
        (_, one, played), (_, two, _) = results
        at = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)) - 1)
        ply, column = divmod(at, width)
        state = self.game.start()
        for move in played[:ply]:
            state = state._play(move)
        names = {"the state": "play"}
        function = names.get(COLUMNS[column], COLUMNS[column].partition(",")[0])
        place, line = self.game.place(function)
        what = f"after play({played[ply - 1]})" if column == 0 and ply else "here"
        return CheckFailed(f"{COLUMNS[column]} is not the same in plain and {mode} {what}, ply {ply} of a random game, position {state.write()!r}", place, line)

    def compare_ticks(self, mode: str) -> None:
        game = self.game
        trails = []
        for m in ("plain", mode):
            run = specialise(game, TICKS, m)
            states, rng, trail = run.states(1), run.ints(1), run.ints(game.max_plies)
            run.put(states, 0, game.start())
            rng[0] = stream(self.seed, 2)
            steps = int(run(states, run.moves(1), rng, run.ints(game.players), trail, game.max_plies))
            trails.append([int(v) for v in trail[:steps]])
        if trails[0] != trails[1]:
            step = next((i for i, (a, b) in enumerate(zip(*trails, strict=False)) if a != b), min(map(len, trails)))
            raise CheckFailed(f"tick is not the same in plain and {mode} at step {step}", *game.place("tick"))

    def compare_searches(self) -> int:
        """Compare small searches in all modes on a few positions."""
        done = 0
        depth = 1
        while depth < 4 and perft(self.game, depth + 1, mode="fast") <= SMALL:
            depth += 1
        for state in self.spots:
            counts = [perft(self.game, depth, state, mode) for mode in MODES]
            self.same("perft", counts, state)
            done += 1
            agents: list[Agent] = [AlphaBeta(depth=2), UCT(playouts=40)]
            for agent in agents:
                try:
                    agent.suits(self.game)
                except CannotPlay:
                    continue
                self.same(str(agent), [agent.choose(self.game, state, seed=self.seed, mode=mode) for mode in MODES], state)
                done += 1
        return done

    def same(self, what: str, answers: list[Any], state: State) -> None:
        for mode, answer in zip(MODES, answers, strict=True):
            if answer != answers[0]:
                raise CheckFailed(f"{what} is not the same in plain ({answers[0]}) and {mode} ({answer}), position {state.write()!r}", self.game.source.path, 1)


def _short(payoffs: list[float]) -> str:
    return " and ".join(f"{v:g}" for v in payoffs)
