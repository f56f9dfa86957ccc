"""A robot's file run by Python itself: its functions are generators, and each `yield` is a call that blocks.

Why it is here.  Not every robot lies in what `compile.py` knows, and not everybody wants to debug numbers.  This runs
the file as it is, on the same machine: queue, frames, orders and blocking are `machine.py`'s, only the frames' code is
Python's.  It is the twin that the compiled form is tested against.
"""

from collections.abc import Callable, Generator, Mapping
from types import GeneratorType
from typing import Any, NamedTuple

from ludwin.errors import did_you_mean
from ludwin.games.tanks.opponents import machine as it
from ludwin.games.tanks.opponents.calculate import FAULTS, MATHS, maths
from ludwin.games.tanks.opponents.words import EVENTS, FUNCTIONS, ORDERS, READS, TIME, WHOLE, Wording, in_degrees
from ludwin.primitives import uniform
from ludwin.rules.layout import layout
from ludwin.rules.plain import state_class
from ludwin.search.drive import Lost

Watch = Callable[..., None]  # told of orders, of events that are delivered, and of handlers that end
HANDLERS = {kind: name for name, (kind, _) in EVENTS.items()}
CONTROLS = 11


class Pending(NamedTuple):
    """An order that blocks: nothing happens before it is yielded."""

    word: str
    order: Wording
    value: float


class Tank:
    """What a robot's functions get: its words, its readings and its memory."""

    def __init__(self, robot: "PlainRobot"):
        object.__setattr__(self, "_robot", robot)

    def __getattr__(self, name: str) -> Any:
        robot: PlainRobot = self.__dict__["_robot"]
        if name in robot.memory:
            return robot.memory[name]
        if name in READS:
            number, way = READS[name]
            value = it.reading(robot.m, robot.view, number)
            return int(value) if name in WHOLE else in_degrees(value, way)
        if name == "random":
            return lambda: uniform(robot.m.chance)
        if name in FUNCTIONS:
            return lambda x: robot.examined(maths(robot.m, MATHS.index(FUNCTIONS[name]), float(x)))
        if name in ORDERS:
            return lambda *given: robot.ordered(name, *given)
        known = (*ORDERS, *READS, *FUNCTIONS, *robot.memory, "random")
        raise AttributeError(f"a tank has no {name!r}{did_you_mean(name, known)}")

    def __setattr__(self, name: str, value: Any) -> None:
        robot: PlainRobot = self.__dict__["_robot"]
        if name not in robot.memory:
            way = "is not for setting" if name in READS or name in ORDERS else "is not declared in MEMORY"
            raise AttributeError(f"{name} {way}{did_you_mean(name, robot.memory)}")
        robot.memory[name] = value


class Happened:
    """An event, as its handler gets it."""

    def __init__(self, kind: int, numbers: tuple[float, ...]):
        for name, (place, way) in {**EVENTS[HANDLERS[kind]][1], **TIME}.items():
            setattr(self, name, int(numbers[place]) if name in WHOLE else in_degrees(numbers[place], way))


class PlainRobot:
    """One robot in one battle, as a pilot: it sees a view and answers with its orders."""

    def __init__(
        self,
        space: Mapping[str, Any],
        memory: Mapping[str, float],
        static: Mapping[str, float],
        advanced: bool,
        chance: int = 0,
        watch: Watch | None = None,
    ):
        self.space, self.watch = space, watch
        self.first, self.static = dict(memory), dict(static)
        self.memory: dict[str, Any] = {**memory, **static}
        self.m = state_class(layout(it.MEMORY))()
        self.m.advanced = int(advanced)
        self.m.chance[0] = chance
        self.view: Any = None
        self.tank = Tank(self)
        self.frames: list[Generator[Pending, float, None] | None] = []
        self.sent: list[float] = []  # what each frame's blocking call is worth to it

    def __call__(self, view: Any) -> tuple[float, ...]:
        """Return the orders of one turn. Whatever the file's own code raises, passes."""
        self.view, m = view, self.m
        if m.done == 1 and m.round == view.round + 1:
            it.keep(m, view)
        else:
            if m.round != view.round + 1:
                self.memory |= self.first
                self.frames, self.sent = [], []
            it.arrive(m, view, (), [])
            self.act()
            if view.alive == 0 and self.queued(it.DEATH):
                self.frames, m.depth, m.top = [None], 0, -1
                self.deliver(it.DEATH, next(i for i in range(m.queued) if m.queue[i] == it.DEATH))
            it.leave(m, view)
        out = [0.0] * CONTROLS
        it.answer(m, out, 0)
        return tuple(out)

    def queued(self, kind: int) -> bool:
        """Tell whether an event of a kind waits."""
        return any(self.m.queue[i] == kind for i in range(self.m.queued))

    def act(self) -> None:
        """Let handlers and main run until the turn is over, as `machine.act` does."""
        m = self.m
        while True:
            what = it.next_frame(m)
            del self.frames[m.depth + 1 - (what == 1) :], self.sent[m.depth + 1 - (what == 1) :]
            if what == 0:
                return
            if what == 1:
                blocked = self.deliver(m.kind[m.depth], 0)
            elif len(self.frames) <= m.depth:  # main begins
                blocked = self.begin("main", self.tank)
            else:
                blocked = self.resume()
            if blocked or it.finish(m) == 0:
                return

    def deliver(self, kind: int, at: int) -> bool:
        """Begin the handler of an event of the queue; tells whether it blocks."""
        m = self.m
        numbers = (m.a[at], m.b[at], m.c[at], m.d[at], m.e[at], m.who[at], m.when[at])
        if at == 0:
            it.shift(m)
        if self.watch:
            self.watch("event", kind, numbers)
        return self.begin(HANDLERS[kind], self.tank, Happened(kind, numbers))

    def begin(self, name: str, *arguments: Any) -> bool:
        function = self.space.get(name)
        made = function(*arguments) if function else None
        self.frames.append(made if isinstance(made, GeneratorType) else None)
        self.sent.append(0.0)
        if made is not None and not isinstance(made, GeneratorType):
            raise TypeError(f"{name} returned something: a robot gives orders with yield")
        return self.resume(first=True)

    def resume(self, first: bool = False) -> bool:
        """Run the frame on top until it blocks or ends; tells whether it blocks."""
        frame = self.frames[-1]
        try:
            pending = None if frame is None else next(frame) if first else frame.send(self.sent[-1])
        except StopIteration:
            pending = None
        if pending is None and frame is not None and frame.gi_frame is not None:
            raise TypeError("a robot yields orders, such as tank.ahead(100), and this was None")
        if pending is None:
            if self.watch and self.m.depth:
                self.watch("end", self.m.kind[self.m.depth])
            return False
        if not isinstance(pending, Pending):
            raise TypeError(f"a robot yields orders, such as tank.ahead(100), and this was {pending!r:.60}")
        self.sent[-1] = self.give(pending.word, pending.order, pending.value)
        it.blocks(self.m, pending.order.number, pending.order.block)
        return True

    def ordered(self, word: str, *given: Any) -> Any:
        """Carry out an order, or return it if it blocks."""
        order = ORDERS[word]
        if len(given) != int(order.argument):
            raise TypeError(f"{word} takes {int(order.argument)} number, got {len(given)}")
        if order.advanced and not self.m.advanced:
            raise AttributeError(f"{word} is for advanced robots: write ADVANCED = True")
        value = float(given[0]) * order.factor if given else order.factor
        return Pending(word, order, value) if order.block else self.give(word, order, value)

    def give(self, word: str, order: Wording, value: float) -> float:
        if self.watch:
            self.watch("order", word, value)
        return self.examined(it.order(self.m, self.view, order.number, value))

    def examined(self, value: float) -> float:
        if self.m.fault:
            raise Lost(FAULTS[self.m.fault])
        return value
