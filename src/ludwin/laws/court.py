"""The court: every law that a position must keep, examined on the suspicious copy of the rules.

Why it is here.  `check` plays random games; this is what it asks of each position on the way, and of
each ending.  A fault is one line with the author's file and line.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from ludwin.errors import LudwinError, RuleError
from ludwin.game import Game, State
from ludwin.laws.bench import Bench
from ludwin.primitives import CHANCE, draw, stream, uniform
from ludwin.rules.contract import LARGEST, OPTIONAL, SMALLEST
from ludwin.rules.layout import Number, fill
from ludwin.rules.plain import Outbox, describe, number, whole
from ludwin.rules.reach import roots
from ludwin.search.trace import PROBED

SPOTS = 3  # positions per game on which small searches are compared
MANY = 24  # so many moves, names or answers are all examined; of more, a share that changes from position to position
ROOM = 4_000_000  # cells of positions that the book of keys keeps: 32 MB
TWINS = 20_000  # positions of one key that are kept for the law of keys
SELDOM = 4  # variants of evaluate and order are asked at every fourth position
ENOUGH = 16_000_000  # cells (by eights), moves and positions looked at, after which no further game is begun
PAYOFF = 2.0**53  # the largest
LONG = 20_000  # plies of a game that are examined one by one; behind them only its end matters
READ = 300  # plies of a game whose texts are read
KEPT = 64  # last plies of a game that the law of keys looks into; a quarter as many games
TWICE = "equal keys must mean equal positions"

Said = tuple[Any, ...]


class Court(Bench):
    """Tries one game; keeps the count, and the book of what was said under which key."""

    def __init__(self, game: Game, seed: int):
        super().__init__(game, seed)
        self.positions = self.longest = self.most = self.examined = self.work = self.ply = 0
        self.out = Outbox(game.max_moves)
        self.keys: dict[int, tuple[tuple[Number, ...], Said]] = {}  # cells () where there was no room for more
        self.twins: list[
            tuple[int, tuple[Number, ...], tuple[Number, ...]]
        ] = []  # positions that share a key and differ
        self.spots: list[State] = []
        self.games: list[
            list[tuple[tuple[Number, ...], int]]
        ] = []  # some games: positions and moves, for the law of keys
        variants = [name for name in roots(game.source) if name in self.f]
        self.opinions = [name for name in variants if name.startswith("evaluate_")]
        self.orders = [name for name in variants if name.startswith("order_")]
        self.stages = [name for name in variants if name.startswith("stage_")]
        self.estimates = [name for name in variants if name.startswith("distance_")]
        self.arguments = {name: taken[1:] for name, taken in roots(game.source).items()}
        self.others = [name for name in OPTIONAL if name in self.f and name not in PROBED]  # no laws of their own

    # Asking

    def freeze(self, s: Any) -> tuple[Number, ...]:
        """Return the cells of a guarded state, whose stores have been examined, as one tuple."""
        cells: list[Number] = []
        for field in self.game.fields:
            value = getattr(s, field.name)
            if field.size is None:
                cells.append(value)
            else:
                cells += value
        return tuple(cells)

    def thaw(self, cells: Sequence[Number]) -> Any:
        """Return a guarded state with these cells."""
        s = self.game.guarded_class()
        fill(self.game.fields, s, cells)
        return s

    def integer(self, name: str, s: Any, *args: Any) -> int:
        answer = self.call(name, s, *args)
        if isinstance(answer, bool) or not isinstance(answer, int):
            raise self.fail(name, f"{name} must return a whole number, got {describe(answer)}")
        try:
            return whole(answer, f"what {name} returns")
        except RuleError as error:
            raise self.fail(name, error.reason) from None

    def real(self, name: str, s: Any, *args: Any) -> float:
        answer = self.call(name, s, *args)
        if type(answer) is float and answer == answer:
            return answer
        try:
            value = number(answer, f"what {name} returns")
        except RuleError as error:
            raise self.fail(name, error.reason) from None
        if math.isnan(value):
            raise self.fail(name, f"{name} returns nan, which compares with nothing")
        return float(value)

    def mover(self, s: Any) -> int:
        player = self.integer("mover", s)
        if not CHANCE <= player < self.game.players:
            raise self.fail("mover", f"mover returns {player}, must be 0 … {self.game.players - 1} or CHANCE")
        if player == CHANCE and not self.game.has_chance:
            raise self.fail(
                "mover",
                "mover returns -1, which means nature: write CHANCE, imported from ludwin.primitives, so that "
                "searches know",
            )
        return player

    def legal(self, s: Any) -> list[int]:
        """Return the legal moves; what was in the list before is poison."""
        out = self.out
        out.clear()
        n = self.integer("moves", s, out)
        if not 0 <= n <= self.game.max_moves:
            raise self.fail("moves", f"moves returns {n}, must be 0 … MAX_MOVES = {self.game.max_moves}")
        legal = out.first(n)
        if legal is None:
            gap = next(k for k in range(n) if k not in out.written)
            raise self.fail(
                "moves", f"moves returns {n} and has not written out[{gap}]: what is left there may be anything"
            )
        if len(set(legal)) < n:
            seen: set[int] = set()
            twice = next(m for m in legal if m in seen or seen.add(m))  # type: ignore[func-returns-value]
            raise self.fail("moves", f"moves lists move {twice} twice")
        return legal

    # One random game

    def try_playout(self, index: int, texts: Any) -> None:
        game = self.game
        rng = [stream(self.seed, index)]
        s = game.guarded_class()
        self.call("setup", s)
        kept: deque[tuple[tuple[Number, ...], int]] = deque(maxlen=KEPT)
        for ply in range(game.max_plies + 1):
            before, self.ply = self.freeze(s), ply
            player, legal = self.untouched(s, before)
            if len(self.spots) == index < SPOTS and ply >= 2 * index and player != CHANCE and legal:
                self.spots.append(State(game, before))
            if texts and ply < READ:
                texts(State(game, before), legal)
            if not legal:
                self.longest = max(self.longest, ply)
                break
            if ply == game.max_plies:
                raise self.endless()
            if ply == LONG:
                self.longest = max(self.longest, ply + self.hurry(before, rng, game.max_plies - ply))
                break
            if player == CHANCE:
                move = self.nature(s, before, legal, rng)
            else:
                self.secrets(s, player, legal, rng)
                move = legal[draw(rng, len(legal))]
            kept.append((before, move))
            self.call("play", s, move)
            self.work += 8 + len(before) // 8 + len(legal)
        if "key" in self.f:
            self.games.append(list(kept))
            del self.games[: -KEPT // 4]

    def endless(self) -> RuleError:
        return self.fail("moves", f"a random game is not over after MAX_PLIES = {self.game.max_plies} plies")

    def hurry(self, cells: tuple[Number, ...], rng: list[int], plies: int) -> int:
        """Play a very long game on without looking, only to see that it ends; return after how many plies it did."""
        s, out = State(self.game, cells).thaw(), [0] * self.game.max_moves
        mover, moves, play = (self.game.function(name) for name in ("mover", "moves", "play"))
        chance = self.game.function("chance") if "chance" in self.f else None
        try:
            for ply in range(plies + 1):
                n = moves(s, out)
                if n == 0:
                    return ply
                weights = [chance(s, m) for m in out[:n]] if chance and mover(s) == CHANCE else []
                play(s, by_weight(out[:n], weights, rng) if weights else out[draw(rng, n)])
        except LudwinError:
            raise
        except Exception as error:
            raise self.game.fault(error) from None
        raise self.endless()

    def untouched(self, s: Any, before: tuple[Number, ...]) -> tuple[int, list[int]]:
        """Hold the laws of a position; whoever changes the state is named, before what comes of it."""
        try:
            found = self.position(s, before)
        except RuleError:
            if self.freeze(s) != before:
                self.blame(before)
            raise
        if self.freeze(s) != before:
            self.blame(before)
        return found

    def blame(self, before: tuple[Number, ...]) -> None:
        """Ask one function after the other on fresh copies, and name the first that changes the state."""
        legal: list[int] = []
        for name in (
            "mover",
            "moves",
            "payoff",
            *(
                n
                for n in self.f
                if n not in ("setup", "play", "observe", "tick", "null", "goal_state", "pattern_project")
            ),
        ):
            if name not in self.f:
                continue
            s = self.thaw(before)
            for args in self._arguments(name, legal):
                try:
                    answer = self.f[name](s, *args)
                except Exception:  # it may rest on a state that another has changed
                    answer = 0
                if name == "moves":
                    legal = (self.out.first(answer) if isinstance(answer, int) else None) or []
                if self.freeze(s) != before:
                    raise self.fail(name, f"{name} must not change the state")

    def _arguments(self, name: str, legal: list[int]) -> list[tuple[Any, ...]]:
        if name == "moves":
            self.out.clear()
            return [(self.out,)]
        if name == "query":
            return [(0, k, a) for k, (_, size) in enumerate(self.game.queries.values()) for a in range(max(size, 1))]
        values = {"p": range(self.game.players), "m": legal, "k": range(len(self.game.patterns))}
        return list(product(*(values[one] for one in self.arguments[name])))

    # The laws of one position

    def position(self, s: Any, before: tuple[Number, ...]) -> tuple[int, list[int]]:
        """Hold the laws that every position must keep; return the mover and the legal moves."""
        game = self.game
        player = self.mover(s)
        legal = self.legal(s)
        self.positions += 1
        self.most = max(self.most, len(legal))
        views = tuple([self.real("evaluate", s, p) for p in range(game.players)]) if "evaluate" in self.f else ()
        payoffs = () if legal else self.ending(s)
        if "key" in self.f:
            self.law_of_keys(self.integer("key", s), before, (player, tuple(legal), views, payoffs))
        if "noisy" in self.f and player != CHANCE:
            for m in self.some(legal):
                if not isinstance(self.call("noisy", s, m), bool | int):
                    raise self.fail("noisy", "noisy must return true or false")
        self.variants(s, player, legal)
        self.queries(s, max(player, 0))
        if "solved" in self.f:
            self.puzzle(s, legal)
        for name in self.others:
            if player != CHANCE or "m" not in self.arguments[name]:
                for args in self.some(self._arguments(name, legal)):
                    self.real(name, s, *args)
        return player, legal

    def some(self, things: Sequence[Any]) -> Sequence[Any]:
        """Return all of a few things, or of many a share that is another at the next position."""
        step = -(-len(things) // MANY)
        return things if step <= 1 else things[self.positions % step :: step]

    def variants(self, s: Any, player: int, legal: list[int]) -> None:
        if self.positions % SELDOM:
            return
        for name in self.opinions:
            for p in range(self.game.players):
                self.real(name, s, p)
        for name in self.stages if legal else ():
            for p in range(self.game.players):
                if self.integer(name, s, p) < 0:
                    raise self.fail(name, f"{name} must return the number of a program, at least 0")
        for name in self.orders if player != CHANCE else ():
            for m in self.some(legal):
                self.integer(name, s, m)
        if "null" in self.f and player != CHANCE and legal:
            after = self.thaw(self.freeze(s))
            given = self.call("null", after)
            if not isinstance(given, bool | int):
                raise self.fail("null", f"null must return true or false, got {describe(given)}")
            if given and self.mover(after) == player:
                raise self.fail("null", f"null says that the turn is given away, and player {player} is still to move")

    def queries(self, s: Any, player: int) -> None:
        for k, (_, size) in enumerate(self.game.queries.values()):
            for a in self.some(range(max(size, 1))):
                self.real("query", s, player, k, a)

    def law_of_keys(self, key: int, cells: tuple[Number, ...], said: Said) -> None:
        """What is said under one key is the same; positions that differ all the same are looked into later."""
        if key not in self.keys:
            self.keys[key] = (cells if len(self.keys) * len(cells) < ROOM else (), said)
            return
        known, old = self.keys[key]
        if known == cells:
            return
        for what, one, two in zip(("mover", "moves", "evaluations", "payoffs"), old, said, strict=True):
            if one != two:
                raise self.unlike(key, what, known, cells)
        if known and len(self.twins) < min(TWINS, ROOM // len(cells)):
            self.twins.append((key, known, cells))

    def unlike(self, key: int, what: str, one: Sequence[Number], two: Sequence[Number]) -> RuleError:
        """Say that two positions share a key and not something else, and which fields the key does not tell apart."""
        if not one:
            return self.fail("key", f"two positions share the key {key} but not their {what}: {TWICE}")
        fields = [
            f for f in self.game.fields if one[f.offset : f.offset + f.cells] != two[f.offset : f.offset + f.cells]
        ]
        differ = []
        for field in fields[:3]:
            cell = next(i for i in range(field.offset, field.offset + field.cells) if one[i] != two[i])
            index = "" if field.size is None else f"[{cell - field.offset}]"
            differ.append(f"s.{field.name}{index} ({one[cell]:g} and {two[cell]:g})")
        more = ", …" if len(fields) > 3 else ""
        return self.fail(
            "key",
            f"two positions share the key {key} but not their {what}: {TWICE}; "
            f"they differ in {', '.join(differ)}{more}",
        )

    def puzzle(self, s: Any, legal: list[int]) -> None:
        goal = self.call("solved", s)
        if not isinstance(goal, bool | int):
            raise self.fail("solved", f"solved must return true or false, got {describe(goal)}")
        if "distance" in self.f:
            far = self.real("distance", s)
            if far < 0 or (goal and far != 0):
                raise self.fail(
                    "distance",
                    f"distance is {far:g} {'at a goal' if goal else ''}: it must be 0 at a goal and never negative",
                )
        for price in [self.real("cost", s, m) for m in legal] if "cost" in self.f else ():
            if not 0 <= price < math.inf:
                raise self.fail("cost", f"cost is {'negative' if price < 0 else 'infinite'}")
        for name in self.estimates:
            self.real(name, s)
        goal = goal and "goal_state" in self.f and self.ply < self.game.max_plies  # the last position is another one
        if goal and self.said_key(self.changed("goal_state", s)) != self.said_key(s):
            raise self.fail("goal_state", "goal_state is not the only goal: another position is solved, too")
        if self.positions % SELDOM == 0:
            self.patterns(s, legal)

    def changed(self, name: str, s: Any, *args: Any) -> Any:
        """Return a copy of a state that a function of the rules has changed."""
        after = self.game.guarded_class()
        self.game.copy(after, s)
        self.call(name, after, *args)
        return after

    def patterns(self, s: Any, legal: list[int]) -> None:
        """What bounds from patterns and searches from the goal rest on: moves can be taken back, a projection keeps
        what its pattern sees, offers every move of the position, and asks no more for it.
        """
        if "goal_state" in self.f:
            end = self.changed("goal_state", s)
            if not self.call("solved", end) or not self.legal(end):
                raise self.fail(
                    "goal_state", "goal_state must change the position into one that is solved and lists its moves"
                )
            for m in legal[self.positions % max(len(legal), 1) :][:1]:
                after = self.changed("play", s, m)
                back = [self.changed("play", after, one) for one in self.legal(after)]
                if any(map(self.legal, back)) and self.said_key(s) not in map(self.said_key, back):
                    raise self.fail(
                        "goal_state", f"move {m} cannot be taken back: a game with goal_state(s) is searched backward"
                    )
        for m in legal if "pattern_share" in self.f and self.game.patterns else ():
            parts = [self.real("pattern_share", s, m, k) for k in range(len(self.game.patterns))]
            if min(parts) < 0 or max(parts) > (self.real("cost", s, m) if "cost" in self.f else 1):
                raise self.fail("pattern_share", f"move {m} has a share that is negative, or above its price")
        for k, (name, size) in enumerate(self.game.patterns.items()):
            number = self.integer("pattern_number", s, k)
            if not 0 <= number < size:
                raise self.fail("pattern_number", f"pattern {name} gives {number}, must be 0 … {size - 1}")
            if "pattern_project" in self.f:
                simple = self.changed("pattern_project", s, k)
                if self.integer("pattern_number", simple, k) != number:
                    raise self.fail(
                        "pattern_project", f"what pattern_project leaves is no longer what pattern {name} has seen"
                    )
                left = self.legal(simple)
                for m in legal[self.positions % max(len(legal), 1) :][:1]:
                    if m not in left:
                        raise self.fail(
                            "pattern_project", f"move {m} is no longer legal in what pattern_project leaves for {name}"
                        )
                    if "cost" in self.f and self.real("cost", simple, m) > self.real("cost", s, m):
                        raise self.fail(
                            "pattern_project", f"move {m} costs more in what pattern_project leaves for {name}"
                        )

    def said_key(self, s: Any) -> Any:
        """Return what tells a position from others: its key, or all its cells."""
        return self.integer("key", s) if "key" in self.f else self.freeze(s)

    # Nature, secrets, endings

    def weights(self, s: Any, legal: list[int]) -> list[float]:
        """Return the weights of nature's moves, which are positive and have a finite sum."""
        weights = [self.real("chance", s, m) if "chance" in self.f else 1.0 for m in legal]
        for m, weight in zip(legal, weights, strict=True):
            if not 0 < weight < math.inf:
                raise self.fail("chance", f"chance gives move {m} the weight {weight:g}: weights are positive")
        total = sum(weights)
        if weights and not SMALLEST < total < LARGEST:
            way = "smaller" if total > 1 else "larger"
            raise self.fail(
                "chance", f"the weights of {len(legal)} moves add up to {total:g}: nature cannot draw; make them {way}"
            )
        return weights

    def nature(self, s: Any, before: tuple[Number, ...], legal: list[int], rng: list[int]) -> int:
        weights = self.weights(s, legal)
        if self.freeze(s) != before:  # once for all moves: nature may have many, and states may be large
            raise self.fail("chance", "chance must not change the state")
        self.redraws(s, legal, weights)
        return by_weight(legal, weights, rng)

    def redraws(self, s: Any, legal: list[int], weights: list[float]) -> None:
        """With REDRAWS, a draw after which nature moves again leaves the shares of those after which it has done as
        they were.
        """
        if not self.game.redraws:
            return
        shares, again = self._settled(s, dict(zip(legal, weights, strict=True)))
        self.examined += 1
        for m, after in (
            list(again.items())[self.examined % max(len(again), 1) :][:1] if shares else ()
        ):  # one at a time: there may be many
            follow = self.legal(after)
            weighed = dict(zip(follow, self.weights(after, follow), strict=True))
            then, _ = self._settled(after, weighed)
            if then.keys() != shares.keys() or any(
                not math.isclose(then[move], shares[move], rel_tol=1e-9) for move in shares
            ):
                raise self.fail(
                    "play",
                    f"after nature's move {m} it moves again, and other draws are not as likely as before: REDRAWS "
                    f"must be False",
                )

    def _settled(self, s: Any, weights: Mapping[int, float]) -> tuple[dict[int, float], dict[int, Any]]:
        """Return the shares of nature's moves after which it has done, and the states after the others."""
        done, again = {}, {}
        for m, weight in weights.items():
            after = self.game.guarded_class()
            self.game.copy(after, s)
            self.call("play", after, m)
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
        self.call("observe", other, player, rng)
        if self.mover(other) != player or self.legal(other) != legal:
            raise self.fail(
                "observe",
                f"after observe player {player} is not to move, or has other moves: observe may change only what the "
                f"player cannot see",
            )

    def ending(self, s: Any) -> tuple[float, ...]:
        """Return the payoffs of a finished game, which are finite and add up."""
        game = self.game
        payoffs = tuple([self.real("payoff", s, p) for p in range(game.players)])
        if not all(map(math.isfinite, payoffs)):
            raise self.fail("payoff", f"payoffs {list(payoffs)} are not finite")
        if any(abs(v) > PAYOFF for v in payoffs):
            raise self.fail("payoff", f"payoffs {list(payoffs)} are too large: beyond 2**53 a unit more is lost")
        total = sum(payoffs)
        if game.payoff_sum is not None and not math.isclose(total, game.payoff_sum, abs_tol=1e-9):
            shown = " and ".join(f"{v:g}" for v in payoffs)
            raise self.fail(
                "payoff",
                f"payoffs {shown} sum to {total:g}, PAYOFF_SUM says {game.payoff_sum:g} (None if the sum varies)",
            )
        return payoffs


def by_weight(moves: Sequence[int], weights: Sequence[float], rng: list[int]) -> int:
    """Draw one of nature's moves."""
    rest = uniform(rng) * sum(weights)
    for m, weight in zip(moves, weights, strict=True):
        rest -= weight
        if rest < 0:
            return m
    return moves[-1]
