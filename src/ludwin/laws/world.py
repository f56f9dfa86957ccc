"""The laws of worlds that tick: `check` for files with CONTROLS.

Why it is here.  A world has no moves to be legal, but it makes promises all the same: whatever finite numbers its
players answer, no cell of its state becomes nan; `sense` fills the whole view and changes nothing; the same state and
the same controls lead to the same state; players may lose their control at any tick; payoffs are finite and add up.
Each is tried on the suspicious copy of the rules, then the same runs are made in all modes and compared tick by tick.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ludwin.arena.simulate import records, referee_text, sizes
from ludwin.errors import CheckFailed, LudwinError, RuleError, brief
from ludwin.game import Game, State
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.laws.bench import Bench
from ludwin.laws.court import PAYOFF
from ludwin.primitives import draw, stream, uniform
from ludwin.rules.layout import Layout, Number, cell_bits, fill
from ludwin.rules.plain import describe, guarded_class, number
from ludwin.rules.reach import roots
from ludwin.rules.world import Control
from ludwin.words import MODES

ENOUGH = 40_000  # ticks examined one by one, after which no further run is begun
FINE = 300  # ticks of a run at which every law is examined; behind them every SELDOM-th
SELDOM = 16
FREE = (0.0, 1.0, 1e3, 1e9, 1e300, 1e-300)  # how large the answers are that a control without range is tried with
POISON: tuple[tuple[float, int], ...] = ((math.nan, -77), (0.5, 1234))  # what a view holds before `sense` fills it

TRACE = """

def trace(w: Bundle, number: int, ticks: int):
    s = w.states[0]
    begin(w, number)
    for t in range(ticks):
        if over(s):
            return t
        look(w, s)
        h = 0
        for p in range(PLAYERS):
            seat = w.seats[p]
            if seat.gone == 0:
                view = w.views[p]
                at = p * {count}
{views}
{answers}
                if draw(seat.chance, 200) == 0:
                    seat.lost = t
        settle(w, s, t)
        copy(w.states[1], s)
        tick(w.states[1])
        tick(s)
        h = mix(h, hashed(s))
        w.trail[2 * t] = h
        w.trail[2 * t + 1] = mix(hashed(w.states[1]), 0)
        if mix(hashed(s), 0) != w.trail[2 * t + 1]:
            return -1 - t
    return ticks
"""


def _rough(control: Control, number: int, pad: str) -> str:
    """Return the line that answers a control at random: all its range and its ends, or sizes of all sorts."""
    target = f"{pad}w.answers[at + {number}] = "
    if math.isfinite(control.low):
        span = f"{control.low!r} + {control.high - control.low!r} * uniform(seat.chance)"
        return f"{target}{control.high!r} if draw(seat.chance, 8) == 0 else {span}"
    return f"{target}(2.0 * uniform(seat.chance) - 1.0) * FREE[draw(seat.chance, {len(FREE)})]"


@lru_cache(maxsize=16)
def trace_kernel(game: Game) -> Kernel:
    """Return the kernel that runs a world with rough answers and hashes every tick."""
    assert game.senses is not None
    pad = " " * 16
    views = []
    for sense in game.senses:
        if sense.size is None:
            views.append(f"{pad}h = mix(h, bits(1.0 * view.{sense.name}))")
        else:
            views += [f"{pad}for i in range({sense.size}):", f"{pad}    h = mix(h, bits(1.0 * view.{sense.name}[i]))"]
    answers = [_rough(control, c, pad) for c, control in enumerate(game.controls)]
    free = "".join(f"    if k == {k}:\n        return {size!r}\n" for k, size in enumerate(FREE))
    loop = TRACE.format(count=len(game.controls), views="\n".join(views), answers="\n".join(answers))
    loop = loop.replace(f"FREE[draw(seat.chance, {len(FREE)})]", f"free_size(draw(seat.chance, {len(FREE)}))")
    head = "from ludwin.kernel.names import bits, copy\nfrom ludwin.primitives import draw\n"
    text = f"{referee_text(game)}\n{head}\n\ndef free_size(k):\n{free}    return 0.0\n{loop}"
    made = kernel_from_text("trace of a world", "trace", text)
    return Kernel(made.name, made.entry, records={**records(game), "trail": [int]})


class WorldCourt(Bench):
    """Tries one world on the suspicious copy of its rules."""

    def __init__(self, game: Game, seed: int):
        assert game.senses is not None
        super().__init__(game, seed)
        self.senses: Layout = game.senses
        self.ticks = self.longest = 0
        self.kept: list[State] = []
        self.drivers = [name for name in roots(game.source) if name.startswith("control_") and name in self.f]

    def freeze(self, fields: Layout, s: Any) -> tuple[Number, ...]:
        """Return the cells of a guarded object."""
        cells: list[Number] = []
        for field in fields:
            value = getattr(s, field.name)
            cells += [value] if field.size is None else value
        return tuple(cells)

    def start(self, number: int) -> Any:
        """Return the seeded start of a run; setup and seed give the same twice."""
        made = []
        for _ in range(2):
            s = self.game.guarded_class()
            for control in self.game.controls:
                getattr(s, control.name)[:] = [control.rest] * self.game.players
            self.call("setup", s)
            if "seed" in self.f:
                self.call("seed", s, number)
            self.no_nan(s, "seed" if "seed" in self.f else "setup")
            made.append(s)
        one, two = (self.freeze(self.game.fields, s) for s in made)
        if one != two:
            raise self.fail("setup", "setup and seed give another start the second time: a start is its seed's alone")
        return made[0]

    def no_nan(self, s: Any, function: str, why: str = "") -> None:
        """Raise RuleError if a cell of the state is nan, which compares with nothing."""
        for field in self.game.fields:
            if field.real:
                value = getattr(s, field.name)
                for k, cell in enumerate([value] if field.size is None else value):
                    if cell != cell:
                        place = field.name if field.size is None else f"{field.name}[{k}]"
                        raise self.fail(function, f"s.{place} is nan after {function}{why}")

    def over(self, s: Any) -> bool:
        answer = self.call("over", s)
        if not isinstance(answer, bool | int):
            raise self.fail("over", f"over must return true or false, got {describe(answer)}")
        return bool(answer)

    def sense(self, s: Any, player: int) -> None:
        """Hold the laws of a view: all of it is written, none of it is nan, and the state is as before."""
        found = []
        for poison in POISON:
            view = guarded_class(self.senses)()
            fill(self.senses, view, [poison[0] if f.real else poison[1] for f in self.senses for _ in range(f.cells)])
            self.call("sense", s, player, view)
            found.append(self.freeze(self.senses, view))
        for field in self.senses:
            for k in range(field.cells):
                one, two = (cells[field.offset + k] for cells in found)
                place = field.name if field.size is None else f"{field.name}[{k}]"
                if two != two:
                    raise self.fail("sense", f"view.{place} is nan for player {player}")
                if one != two:
                    raise self.fail("sense", f"sense does not write view.{place} for player {player}")
        for name in self.drivers:
            self.drives(name, view)

    def drives(self, name: str, view: Any) -> None:
        """Hold the law of the world's own drivers: they answer a finite number for each control."""
        said = self.call(name, view)
        answer = said if isinstance(said, tuple) else (said,)
        wanted = len(self.game.controls)
        if len(answer) != wanted or not all(isinstance(value, int | float) for value in answer):
            raise self.fail(name, f"{name} must return {wanted} number{'s' * (wanted > 1)}, got {describe(said)}")
        if not all(map(math.isfinite, answer)):
            raise self.fail(name, f"{name} returns {said}, which is not finite")

    def answer(self, control: Control, rng: list[int]) -> float:
        """Return a number that a player might answer, roughly."""
        if math.isfinite(control.low):
            wide = control.low + (control.high - control.low) * uniform(rng)
            return (control.low, control.high, wide, wide)[draw(rng, 4)]
        return (2 * uniform(rng) - 1) * FREE[draw(rng, len(FREE))]

    def try_run(self, index: int) -> None:
        """Run the world once with rough answers, every law examined on the way and at its end."""
        game = self.game
        rng = [stream(self.seed, index, 3)]
        s = self.start(stream(self.seed, index))
        gone: set[int] = set()
        for t in range(game.max_plies):
            fine = t < FINE or t % SELDOM == 0
            before = self.freeze(game.fields, s) if fine else ()
            done = self.over(s)
            if fine:
                for p in range(game.players):
                    self.sense(s, p)
                    self.worth(s, p)
                self.unchanged(s, before)
                if len(self.kept) <= index and t >= 3 * index:
                    self.kept.append(State(game, before))
            if done:
                break
            said = []
            for p in range(game.players):
                if p not in gone and draw(rng, 300) == 0:
                    gone.add(p)
                    for control in game.controls:
                        getattr(s, control.name)[p] = control.rest
                    if "retire" in self.f:
                        self.call("retire", s, p)
                for control in game.controls if p not in gone else ():
                    value = self.answer(control, rng)
                    getattr(s, control.name)[p] = value
                    said.append(f"{control.name}[{p}] = {value:g}")
            self.call("tick", s)
            free = any(math.isinf(control.low) for control in game.controls)
            way = ": clip it, or give the control a range" if free else ""
            self.no_nan(s, "tick", f" {t} with {', '.join(said)[:100]}{way}")
            self.ticks += 1
            self.longest = max(self.longest, t + 1)
        self.ending(s)

    def unchanged(self, s: Any, before: tuple[Number, ...]) -> None:
        """Raise RuleError if looking has changed the state; who did it is found by asking one by one."""
        if self.freeze(self.game.fields, s) == before:
            return
        for name in ("over", "sense", "payoff"):
            again = self.game.guarded_class()
            fill(self.game.fields, again, before)
            for p in range(self.game.players):
                view = guarded_class(self.senses)()
                self.call(name, again, *{"over": (), "sense": (p, view), "payoff": (p,)}[name])
            if self.freeze(self.game.fields, again) != before:
                raise self.fail(name, f"{name} must not change the state")

    def worth(self, s: Any, player: int) -> float:
        answer = self.call("payoff", s, player)
        try:
            value = float(number(answer, "what payoff returns"))
        except RuleError as error:
            raise self.fail("payoff", error.reason) from None
        if not math.isfinite(value) or abs(value) > PAYOFF:
            raise self.fail("payoff", f"payoff is {value}, which is not finite or beyond 2**53")
        return value

    def ending(self, s: Any) -> None:
        payoffs = [self.worth(s, p) for p in range(self.game.players)]
        wanted = self.game.payoff_sum
        if wanted is not None and not math.isclose(sum(payoffs), wanted, abs_tol=1e-9):
            shown = " and ".join(f"{v:g}" for v in payoffs)
            raise self.fail(
                "payoff",
                f"payoffs {shown} sum to {sum(payoffs):g}, PAYOFF_SUM says {wanted:g} (None if the sum varies)",
            )

    def texts(self) -> None:
        """Hold the laws of what people read: drawings are texts, and a position's text leads back to it."""
        for state in self.kept:
            for name in ("show", "picture"):
                if name in self.game.offers and not isinstance(state._ask(name), str):
                    raise self.fail(name, f"{name} must return a text")
            text = state.write()
            if len(text.splitlines()) != 1:
                raise self.fail("write", f"write must return one line, got {brief(text)}")
            try:
                again = self.game.position(text)
            except RuleError:
                raise
            except LudwinError as error:
                raise self.fail("read", f"read refuses what write has written: {error}") from None
            if again != state and again.write() != text:
                raise self.fail("read", f"read does not lead {brief(text)} back to the position")


def compare_modes(game: Game, seed: int, runs: int, ticks: int) -> None:
    """Run the world with rough answers in all modes and compare every tick. Raises CheckFailed or RuleError."""
    kernel = trace_kernel(game)
    found: dict[str, list[tuple[int, list[int], tuple[int, ...]]]] = {}
    for mode in ("guarded", *MODES):
        run = specialise(game, kernel, mode)
        found[mode] = [_traced(run, game, stream(seed, index, 4), ticks) for index in range(runs)]
        for index, (steps, trail, cells) in enumerate(found[mode]):
            if steps < 0:
                reason = f"a copy of the state goes another way in {mode}, at tick {-1 - steps} of run {index}"
                raise CheckFailed(f"{reason}: tick must depend on the state alone", *game.place("tick"))
            plain = found.get("plain", found["guarded"])[index]
            if (steps, trail, cells) != plain:
                at = next((k for k, (a, b) in enumerate(zip(trail, plain[1], strict=False)) if a != b), 0)
                raise CheckFailed(f"tick is not the same in plain and {mode} at tick {at // 2}", *game.place("tick"))


def _traced(run: Specialised, game: Game, number: int, ticks: int) -> tuple[int, list[int], tuple[int, ...]]:
    w = run.bundle(**{**sizes(game), "states": 2, "trail": 2 * ticks})
    run.put(w.states, 0, game.start())
    steps = int(run(w, number, ticks))
    final = run.get(w.states, 0)
    reals = set(game.fields.real_cells())
    cells: Sequence[int] = [cell_bits(value, i in reals) for i, value in enumerate(final.cells)]
    return steps, [int(v) for v in w.trail[: 2 * max(steps, 0)]], tuple(cells)
