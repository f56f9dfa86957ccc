"""The simulating referee: a run of a world that ticks, whoever sits in its seats.

Why it is here.  In such a world all players act at once.  At every tick each seat sees its view of the world, all
answer, the answers become controls together, and the world steps.  A run whose seats are all compiled text is one
compiled call; others are refereed in Python, where a seat may be anything.  Both do the same to the last bit, for
seeing, settling and stepping are one text.

A seat that raises an exception, does not come back, or answers something else than finite numbers loses its control
for the rest of the run: its controls go to rest, the world's `retire(s, p)` says what becomes of it, the reason is
written down, and the world goes on.  All chance is the seed that `seed(s, n)` put into the state, and each seat's own.
"""

import base64
import binascii
import zlib
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ludwin import library
from ludwin.arena.records import Course, Loss
from ludwin.arena.terms import Terms
from ludwin.errors import BadParameter, CannotPlay, LudwinError, RuleError, brief, told
from ludwin.game import Game, State
from ludwin.kernel.image import Fault
from ludwin.kernel.specialise import Specialised, compiler, specialise
from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.primitives import stream
from ludwin.rules.plain import state_class
from ludwin.rules.watch import IDLE, WAITING, Stuck, one_process, watched
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive, Lost, Pilot, answered, drive_of
from ludwin.settings import one_of
from ludwin.words import MODES
from ludwin.workers import is_worker

Board = Callable[[int, int], None]  # who is asked, at which tick
Frame = Callable[[int, State], None]  # a tick, and the state before it

PATIENCE = 5.0  # seconds of computing for one answer, unless told otherwise
SEAT = {"lost": int, "gone": int, "which": int, "value": float, "chance": 1}
RUN = {"hash": int, "seeded": int}

TEXT = """
from ludwin.kernel.names import CELLS, MAX_PLIES, PLAYERS, Bundle, cell, over, payoff, retire, seed, sense, tick
from ludwin.primitives import mix, uniform


def let_go(s, p):
{rests}
    retire(s, p)


def look(w, s):
    for p in range(PLAYERS):
        if w.seats[p].gone == 0:
            sense(s, p, w.views[p])


def settle(w, s, t):
    for p in range(PLAYERS):
        seat = w.seats[p]
        if seat.gone == 0:
            at = p * {count}
            for c in range({count}):
                a = w.answers[at + c]
                if seat.lost < 0 and a - a != 0.0:
                    seat.lost = t
                    seat.which = c
                    seat.value = a
            if seat.lost < 0:
{settings}
            else:
                seat.gone = 1
                for c in range({count}):
                    w.answers[at + c] = 0.0
                let_go(s, p)


def hashed(s):
    h = 0
    for i in range(CELLS):
        h = mix(h, cell(s, i))
    return h


def begin(w, number):
    if w.run.seeded == 0:
        seed(w.states[0], mix(mix(0, number), -1))
    for p in range(PLAYERS):
        seat = w.seats[p]
        seat.lost = -1
        seat.gone = 0
        seat.which = -1
        seat.value = 0.0
        seat.chance[0] = mix(mix(0, number), p)
    return 0


def glance(w, t):
    s = w.states[0]
    if t >= MAX_PLIES or over(s):
        return 0
    look(w, s)
    return 1


def advance(w, t):
    s = w.states[0]
    settle(w, s, t)
    tick(s)
    return 0


def finish(w):
    s = w.states[0]
    for p in range(PLAYERS):
        w.payoffs[p] = 1.0 * payoff(s, p)
    w.run.hash = hashed(s)
    return 1 if over(s) else 0


def step(w: Bundle, what: int, number: int):
    if what == 0:
        return begin(w, number)
    if what == 1:
        return glance(w, number)
    if what == 2:
        return advance(w, number)
    return finish(w)
"""
BEGIN, GLANCE, ADVANCE, FINISH = range(4)  # what a step does

SIMULATE = """

def simulate(w: Bundle, number: int, rotation: int, keep: int):
    s = w.states[0]
    begin(w, number)
    t = 0
    while t < MAX_PLIES and not over(s):
        look(w, s)
        for p in range(PLAYERS):
            if w.seats[p].gone == 0:
                who = (p + rotation) % PLAYERS
                at = p * {count}
{calls}
        settle(w, s, t)
        if keep > 0:
            for i in range({each}):
                w.log[t * {each} + i] = w.answers[i]
        tick(s)
        t += 1
    finish(w)
    return t
"""


@dataclass(frozen=True)
class Simulated:
    """One finished run: how long it was, what it was worth to each player, how it ended, and who lost control.

    `controls` holds, for each player whose driver cannot be asked again, its controls of every tick, packed.
    """

    ticks: int
    payoffs: tuple[float, ...]
    end: str  # "rules", or "length": MAX_TICKS
    final: State
    mark: int  # a hash of the final state
    lost: tuple[Loss, ...] = ()
    controls: tuple[str | None, ...] = ()

    @property
    def course(self) -> Course:
        """What a record says of it."""
        return Course(self.ticks, self.mark, self.lost, self.controls)


def pack(numbers: Sequence[float]) -> str:
    """Return floats as text: their 64 bits each, compressed.

    >>> unpack(pack([0.5, -1.0]), 2)
    [0.5, -1.0]
    """
    cells = array("d", numbers)
    if array("H", [1]).tobytes() != b"\x01\x00":
        cells.byteswap()
    return base64.b64encode(zlib.compress(cells.tobytes(), 6)).decode("ascii")


def unpack(text: str, count: int) -> list[float]:
    """Return what `pack` wrote, which must be so many floats. Raises LudwinError."""
    try:
        packed = base64.b64decode(text.encode("ascii"), validate=True)
        data = zlib.decompressobj().decompress(packed, 8 * count + 1)
    except (ValueError, binascii.Error, zlib.error):
        raise LudwinError("the recorded controls cannot be read") from None
    if len(data) != 8 * count:
        raise LudwinError(f"the record should have {count} numbers of controls and has not")
    cells = array("d", data)
    if array("H", [1]).tobytes() != b"\x01\x00":
        cells.byteswap()
    return list(cells)


def referee_text(game: Game) -> str:
    """Write the parts of the referee that all runs of a world share."""
    rests = "\n".join(f"    s.{c.name}[p] = {c.rest!r}" for c in game.controls)
    settings = []
    for number, control in enumerate(game.controls):
        answer = f"w.answers[at + {number}]"
        ranged = control.high < float("inf")
        value = f"min(max({answer}, {control.low!r}), {control.high!r})" if ranged else answer
        settings.append(f"                s.{control.name}[p] = {value}")
    return TEXT.format(rests=rests, settings="\n".join(settings), count=len(game.controls))


def records(game: Game) -> dict[str, Any]:
    """Return the workspaces that every run of a world needs."""
    assert game.senses is not None
    view = {
        f.name: (float if f.real else int) if f.size is None else (float if f.real else int, f.size)
        for f in game.senses
    }
    return {
        "states": "States",
        "views": [view],
        "seats": [SEAT],
        "answers": [float],
        "payoffs": [float],
        "log": [float],
        "run": RUN,
    }


def sizes(game: Game, log: int = 1) -> dict[str, int]:
    """Return how large those workspaces are."""
    each = game.players * len(game.controls)
    return {
        "states": 1,
        "views": game.players,
        "seats": game.players,
        "answers": each,
        "payoffs": game.players,
        "log": log,
    }


@lru_cache(maxsize=64)
def step_kernel(game: Game) -> Kernel:
    """Return the steps of the referee as a kernel of their own, for runs that are refereed in Python."""
    made = kernel_from_text("world", "step", referee_text(game))
    return Kernel(made.name, made.entry, records=_shared_records(game))


@lru_cache(maxsize=64)
def _shared_records(game: Game) -> dict[str, Any]:
    return records(game)


def simulate_kernel(game: Game, drives: Sequence[Drive]) -> Kernel:
    """Return the whole referee with these drives in its seats as one kernel."""
    calls: list[str] = []
    bind: dict[str, Any] = {}
    members = dict(_shared_records(game))
    pad = " " * 16
    for k, drive in enumerate(drives):
        calls.append(f"{pad}{'if' if k == 0 else 'elif'} who == {k}:")
        calls += [f"{pad}    {line.replace('{k}', str(k))}" for line in drive.lines]
        bind |= {name.replace("{k}", str(k)): value for name, value in drive.bind.items()}
        members |= {name.replace("{k}", str(k)): kind for name, (kind, _) in drive.members.items()}
    count = len(game.controls)
    loop = SIMULATE.format(count=count, each=game.players * count, calls="\n".join(calls))
    stand_ins = "".join(f"\n{name} = None\n" for name in bind)
    made = kernel_from_text("simulate", "simulate", referee_text(game) + stand_ins + loop, bind=bind)
    return Kernel(made.name, made.entry, bind=bind, records=members)


class Stage:
    """A world and the agents in its seats, ready for any number of runs.

    Raises CannotPlay for an agent that cannot drive there.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], mode: str = "fast", *, patience: float = PATIENCE):
        if not game.is_world:
            raise CannotPlay(f"{game.name} is played in moves: it is no world that ticks")
        if len(agents) != game.players:
            raise BadParameter(f"the world has {game.players} players, got {len(agents)} agents")
        for agent in agents:
            agent.suits(game)
        self.game, self.agents, self.mode, self.patience = game, tuple(agents), mode, patience
        self.drives = [drive_of(agent, game) for agent in agents]
        self.begin = game.start()
        self.each = game.players * len(game.controls)
        self.keep = not all(drive.repeats for drive in self.drives)
        self.compiled: Specialised | None = self._compile()
        self.asked: tuple[int, int] | None = None  # the player who is thinking, and the tick
        self.bundle: Any = None
        self.first: bytes | None = None  # the beginning, as it lies in the workspace
        if self.compiled:
            wanted = sizes(game, game.max_plies * self.each if self.keep else 1)
            for k, drive in enumerate(self.drives):
                wanted |= {name.replace("{k}", str(k)): size for name, (_, size) in drive.members.items()}
            self.bundle = self.compiled.bundle(**wanted)

    def _compile(self) -> Specialised | None:
        """Return the whole referee as compiled code; None if a seat, or this machine, must do with Python."""
        if self.mode == "plain" or not all(drive.lines for drive in self.drives) or compiler() != "ludwin":
            return None
        careful = any(drive.careful for drive in self.drives)
        try:
            run = specialise(self.game, simulate_kernel(self.game, self.drives), "checked" if careful else self.mode)
        except RuleError:
            if not careful:
                raise
            return None  # a user's driver that lint lets pass and the compiler does not
        return run if run.compiled else None

    def play(
        self,
        seed: int,
        rotation: int = 0,
        *,
        lost: Mapping[int, Loss] | None = None,
        recorded: Sequence[Sequence[float] | None] = (),
        board: Board | None = None,
        frame: Frame | None = None,
        in_python: bool = False,
        start: State | None = None,
    ) -> Simulated:
        """Run the world once; seat p is taken by agent number (p + rotation) modulo the players.

        `lost` are players who lose their control at a known tick, whatever they would answer; `recorded` are controls
        that stand in for a driver, from a record. `board` is told who is asked at which tick, -1 when nobody is;
        `frame` gets every state. A run with any of them is refereed in Python. `start` is a state to begin with as it
        is, its chance settled; the seed is then for the seats alone.
        """
        if self.compiled and not (lost or recorded or frame or in_python):
            done = self._in_one_call(seed, rotation, start)
            if done is not None:
                return done
        known = dict(lost or {})
        while True:
            try:
                return self._in_python(seed, rotation, known, recorded, board, frame, start)
            except _Hangs as hang:
                known[hang.loss.player] = hang.loss

    def payoffs(self, seed: int) -> tuple[float, ...]:
        """Return what a run is worth to each player, as `play(seed).payoffs`, and nothing else: for who makes many."""
        run, w = self.compiled, self.bundle
        if run is None or any(drive.careful for drive in self.drives):
            return self.play(seed).payoffs
        for k, drive in enumerate(self.drives):
            drive.fill(w, str(k), run.mode)
        if self.first is None:
            run.put(w.states, 0, self.begin)
            self.first = bytes(w.states[0])
        w.states[0].cast("B")[:] = self.first
        w.run.seeded = 0
        run(w, seed, 0, 0)
        return tuple(float(w.payoffs[p]) for p in range(self.game.players))

    def _in_one_call(self, seed: int, rotation: int, start: State | None) -> Simulated | None:
        """Run the world in one compiled call; None if a user's driver has failed, and Python must say how."""
        run, w = self.compiled, self.bundle
        assert run is not None
        careful = any(drive.careful for drive in self.drives)
        for k, drive in enumerate(self.drives):
            drive.fill(w, str(k), run.mode)
        run.put(w.states, 0, start or self.begin)
        w.run.seeded = int(start is not None)
        try:
            ticks = int(run(w, seed, rotation, int(self.keep)))
        except (RuleError, Fault):
            if not careful:
                raise
            return None
        losses = self._losses(w, {}, rotation)
        drivers = [self.drives[(loss.player + rotation) % self.game.players] for loss in losses]
        if any(drive.careful for drive in drivers):
            return None
        numbers = w.log[: ticks * self.each].tolist() if self.keep else []
        return self._done(run, w, ticks, losses, numbers, rotation)

    def _losses(self, w: Any, reasons: Mapping[int, Loss], rotation: int | None = None) -> tuple[Loss, ...]:
        """Return who has lost control, as the seats have it; with a rotation, compiled drives say why themselves."""
        found = []
        for p in range(self.game.players):
            seat = w.seats[p]
            if seat.lost >= 0:
                if p in reasons:
                    found.append(reasons[p])
                else:
                    name = self.game.controls[int(seat.which)].name
                    k = 0 if rotation is None else (p + rotation) % self.game.players
                    why = None if rotation is None else self.drives[k].why
                    said = why(w, str(k)) if why else ""
                    found.append(Loss(p, int(seat.lost), said or f"{name} is {float(seat.value)}"))
        return tuple(sorted(found, key=lambda loss: (loss.tick, loss.player)))

    def _done(
        self, run: Specialised, w: Any, ticks: int, losses: tuple[Loss, ...], log: Sequence[float], rotation: int
    ) -> Simulated:
        game, count = self.game, len(self.game.controls)
        final = run.get(w.states, 0)
        packed: list[str | None] = []
        for p in range(game.players):
            repeats = self.drives[(p + rotation) % game.players].repeats
            places = range(p * count, ticks * self.each, self.each)
            own = [] if repeats else [value for at in places for value in log[at : at + count]]
            packed.append(None if repeats else pack(own))
        end = "rules" if final.over else "length"
        payoffs = tuple(float(v) for v in w.payoffs)
        return Simulated(ticks, payoffs, end, final, int(w.run.hash), losses, tuple(packed))

    def _in_python(
        self,
        seed: int,
        rotation: int,
        known: Mapping[int, Loss],
        recorded: Sequence[Sequence[float] | None],
        board: Board | None,
        frame: Frame | None,
        start: State | None,
    ) -> Simulated:
        game, players, count = self.game, self.game.players, len(self.game.controls)
        step = specialise(game, step_kernel(game), self.mode)
        w = step.bundle(**sizes(game))
        step.put(w.states, 0, start or self.begin)
        w.run.seeded = int(start is not None)
        step(w, BEGIN, seed)
        drives = [self.drives[(p + rotation) % players] for p in range(players)]
        taken = [recorded[p] if recorded else None for p in range(players)]
        files = {file for drive, numbers in zip(drives, taken, strict=True) if numbers is None for file in drive.files}
        pilots = [
            _from_record(numbers, count) if numbers is not None else drive.pilot(p, seed)
            for p, (drive, numbers) in enumerate(zip(drives, taken, strict=True))
        ]
        reasons: dict[int, Loss] = {}
        log: list[float] = []
        t = 0
        try:
            with watched(files, lambda s: "", self.patience) if files else nullcontext():
                while True:
                    if frame is not None:
                        frame(t, step.get(w.states, 0))
                    if not int(step(w, GLANCE, t)):
                        break
                    for p in range(players):
                        if not w.seats[p].gone:
                            self._ask(w, p, t, pilots[p], known, reasons, board)
                    step(w, ADVANCE, t)
                    if self.keep:
                        log += list(w.answers)
                    t += 1
        except RuleError as error:
            if self.asked is None or "does not return" not in error.reason:
                raise
            player, tick = self.asked
            waited = WAITING in error.reason
            spent = f"{IDLE * self.patience:g} s {WAITING}" if waited else f"{self.patience:g} s of computing"
            raise _Hangs(Loss(player, tick, f"no answer within {spent}")) from None
        step(w, FINISH, t)
        return self._done(step, w, t, self._losses(w, reasons), log, rotation)

    def _ask(
        self,
        w: Any,
        p: int,
        t: int,
        pilot: Pilot,
        known: Mapping[int, Loss],
        reasons: dict[int, Loss],
        board: Board | None,
    ) -> None:
        """Let one player answer; whoever cannot has lost its control."""
        count = len(self.game.controls)
        try:
            if p in known and known[p].tick == t:
                raise Lost(known[p].reason)
            view = self._view(w, p)
            if board is not None:
                board(p, t)
            self.asked = (p, t)
            try:
                with one_process():
                    numbers = answered(pilot(view), self.game.controls)
            except (Lost, Stuck):
                raise
            except BaseException as error:  # also SystemExit and the like: a driver must not end the run
                if isinstance(error, KeyboardInterrupt) and not is_worker():
                    raise  # a person's; a worker hears no Ctrl-C, so there it is the driver's own
                raise Lost(_reason(error)) from None
            finally:
                if board is not None:
                    board(-1, t)
            self.asked = None
        except Lost as why:
            self.asked = None
            reasons[p] = Loss(p, t, str(why))
            w.seats[p].lost = t
            return
        for c in range(count):
            w.answers[p * count + c] = numbers[c]

    def _view(self, w: Any, p: int) -> Any:
        """Return what a player sees as an object of its own, which it may keep or spoil."""
        assert self.game.senses is not None
        view = _view_class(self.game)()
        source = w.views[p]
        for field in self.game.senses:
            value = getattr(source, field.name)
            setattr(view, field.name, value if field.size is None else list(value))
        return view


def _reason(error: BaseException) -> str:
    """Return what an exception of a driver says, in one line."""
    return f"{type(error).__name__}: {told(error)[:200]}".removesuffix(": ")


@lru_cache(maxsize=64)
def _view_class(game: Game) -> type:
    assert game.senses is not None
    return state_class(game.senses)


def _from_record(numbers: Sequence[float], count: int) -> Pilot:
    """Return a pilot who answers what is on record, tick by tick."""
    rows = iter(range(0, len(numbers), count))

    def answer(view: Any) -> tuple[float, ...]:
        at = next(rows, None)
        if at is None:
            raise Lost("the record is shorter than the run")
        return tuple(numbers[at : at + count])

    return answer


class _Hangs(Exception):
    """A seat does not come back."""

    def __init__(self, loss: Loss):
        super().__init__(loss.reason)
        self.loss = loss


def simulate(
    game: Game | str,
    agents: Sequence[Agent | str],
    *,
    seed: int = 0,
    rotation: int = 0,
    mode: str = "fast",
    patience: float = PATIENCE,
) -> Simulated:
    """Run a world that ticks once, with these agents in its seats; same seed, same run, in every mode.

    This is run 0 of a match with the same seed. `rotation` moves the agents on by so many seats. World and agents may
    be texts. A driver's file that cannot be compiled runs in a process of its own, which can be killed; in mode plain
    it runs in this one, where a debugger finds it. Raises LudwinError for what cannot be; what a driver does wrong is
    in the result.
    """
    world = game if isinstance(game, Game) else library.load(game)
    seated = library.agents(agents, world)
    Terms(seed=seed, patience=patience).check_kinds()
    if type(rotation) is not int:
        raise BadParameter(f"rotation must be a whole number, got {brief(rotation)}")
    one_of("mode", mode, MODES)
    stage = Stage(world, seated, mode, patience=patience)
    if mode != "plain" and any(drive.careful and not drive.lines for drive in stage.drives):
        from ludwin.arena.apart import play_apart  # needs this module itself

        return play_apart(stage, seed, rotation)
    return stage.play(stream(seed, 0), rotation)
