"""Two toy domains of programs that act, each written twice: as kernel text, and as a world in ordinary Python.

The maze: deeds that stay (turn, go ahead, say a number, throw a die) and one or two that are taken back (try, peek).
Nim: moves that are made and taken back on a stack of positions, as a search for mates does.  Both keep a diary of all
that is done, in order, with the numbers that were heard.
"""

from pathlib import Path

from ludwin import load
from ludwin.kernel.names import mover, moves, payoff, play
from ludwin.primitives import uniform
from ludwin.program.act import Action
from ludwin.program.act_kernel import argument, begin, branch, make, number, stop, take_back
from ludwin.program.actor import Effects
from ludwin.program.language import Language, Primitive

F, B = "Float", "Bool"
LOG = {"count": int, "total": float}
LONG = 30_000

PURE = (
    Primitive("Add", F, (F, F), "a + b"),
    Primitive("Sub", F, (F, F), "a - b"),
    Primitive("Mul", F, (F, F), "a * b"),
    Primitive("Div", F, (F, F), "a / b"),
    Primitive("Least", F, (F, F, F), "min(a, b, c)"),
    Primitive("Times", F, (F,), "a * v", draws=(-2.0, 2.0)),
    Primitive("Less", B, (F, F), "a < b"),
    Primitive("Same", B, (F, F), "a == b"),
    Primitive("Both", B, (B, B), "a and b"),
    Primitive("Not", B, (B, B), "not a"),
    Primitive("If", F, (B, F, F), "b if a else c"),
    Primitive("Late", F, (F, F, B), "a if c else b"),
    Primitive("Either", B, (B, B, B), "b if a else c"),
    Primitive("Strict", F, (B, F, F), "b + 0 if a else c"),
    Primitive("Keep", F, (F, F), "b"),
    Primitive("Value", F, ("Any",), "a"),
    Primitive("Zero", F, rule="0.0"),
    Primitive("Yes", B, rule="1.0"),
    Primitive("Number", F, rule="v", draws=(-3.0, 3.0)),
    Primitive("Then", F, (F, F), acts="then"),
    Primitive("Then3", F, ("Any", F, F), acts="then"),
    Primitive("While", F, (B, F), acts="while", branches="ab"),
)


def note(w, what, heard):
    """Write a deed into the diary."""
    if w.log.count < 30_000:
        w.diary[w.log.count] = what
        w.heard[w.log.count] = heard
    w.log.count += 1
    return 0


# The maze.

MAZE_ACTIONS = {
    "ahead": Action(),
    "turn": Action(),
    "say": Action(1),
    "try": Action(1, "a", opens=1),
    "peek": Action(2, "ab", opens=2),
    "choose": Action(3, "bc"),
    "die": Action(),
    "add up": Action(2, "b", opens=1),
    "stop": Action(1),
}
MAZE_READS = ("wall", "x", "y", "odd", "total")
MAZE = Language(
    "maze",
    (F, B),
    (
        *PURE,
        Primitive("Ahead", F, acts="ahead"),
        Primitive("Moved", B, acts="ahead"),
        Primitive("Turn", F, acts="turn", places=2),
        Primitive("Say", F, (F,), acts="say", draws=(-1.0, 1.0)),
        Primitive("Aim", F, (F,), acts="say", places=4),
        Primitive("SayTruth", B, (B,), acts="say", choices=(7.0,)),
        Primitive("Try", F, (F,), acts="try", branches="a"),
        Primitive("Peek", F, (F, F), acts="peek", branches="ab"),
        Primitive("Choose", F, (F, F, F), acts="choose", branches="bc"),
        Primitive("Die", F, acts="die"),
        Primitive("AddUp", F, (F, F), acts="add up", branches="b"),
        Primitive("Stop", F, (B,), acts="stop"),
        Primitive("Wall", B, reads="wall"),
        Primitive("X", F, reads="x"),
        Primitive("Y", F, reads="y"),
        Primitive("Odd", F, reads="odd", places=5),
        Primitive("Total", F, reads="total"),
    ),
    sets={"Any": (F, B)},
)


def odd(place):
    """Return numbers that break careless code."""
    if place == 0:
        return 0.0 * 1e308 * -1.0
    if place == 1:
        return 1e308 * 10.0
    if place == 2:
        return 1e308 * 10.0 - 1e308 * 10.0
    return 1e-310 if place == 3 else 1e300


def ask_maze(w, k, place):
    """Answer what programs ask in the maze."""
    s = w.positions[w.acts.open]
    if k == 0:
        return 1.0 if moves(s, w.choices[w.acts.open]) == 2 else 0.0
    if k == 1:
        return 1.0 * s.x
    if k == 2:
        return 1.0 * s.y
    return odd(place) if k == 3 else w.log.total


def act_maze(w, k, node):
    """Do what programs say in the maze."""
    s = w.positions[w.acts.open]
    if k == 0:
        note(w, 0, 0.0)
        if moves(s, w.choices[w.acts.open]) == 2:
            return 0.0
        play(s, 2)
        return 1.0
    if k == 1:
        turn = int(number(w, node))
        note(w, 1, number(w, node))
        play(s, turn)
        return 1.0 * s.heading
    if k == 2:
        heard = argument(w, node, 0)
        note(w, 2, heard * number(w, node))
        return 1.0 if heard > 0.0 else 0.0
    if k == 3:
        return trying(w, node)
    if k == 4:
        return peeking(w, node)
    if k == 5:
        return branch(w, node, 1) if argument(w, node, 0) > 0.0 else branch(w, node, 2)
    if k == 6:
        note(w, 6, 0.0)
        return uniform(w.luck)
    if k == 7:
        return adding(w, node)
    if argument(w, node, 0) != 0.0:
        stop(w, 5)
    return 2.0


def opened(w):
    """Remember the total as it was when an effect began."""
    w.before[w.acts.open] = w.log.total
    return 0


def undo_maze(w):
    """Set the total right."""
    w.log.total = w.before[w.acts.open]
    return 0


def trying(w, node):
    """Make the first move that is allowed, look, and take it back."""
    note(w, 3, 0.0)
    make(w, 2 if moves(w.positions[w.acts.open], w.choices[w.acts.open]) == 3 else 1)
    opened(w)
    value = branch(w, node, 0)
    take_back(w)
    note(w, 30, value)
    return value


def peeking(w, node):
    """Turn, look, turn again, look again; it is taken back when this ends."""
    make(w, 1)
    opened(w)
    note(w, 4, 0.0)
    first = branch(w, node, 0)
    make(w, 1)
    opened(w)
    note(w, 40, first)
    return first - branch(w, node, 1)


def adding(w, node):
    """Add to the total while the branch runs: an effect beside the stack of positions."""
    begin(w)
    opened(w)
    note(w, 7, argument(w, node, 0))
    w.log.total += argument(w, node, 0)
    return branch(w, node, 1)


MAZE_RECORDS = {"log": LOG, "diary": [int], "heard": [float], "before": [float], "luck": [int]}
MAZE_EFFECTS = Effects(MAZE_ACTIONS, act_maze, MAZE_READS, ask_maze, undo_maze, MAZE_RECORDS)
MAZE_RULES = load(str(Path(__file__).with_name("maze_rules.py")))


class Maze:
    """The maze again, in ordinary Python."""

    actions = MAZE_ACTIONS

    def __init__(self, state, seed):
        self.here = [state.x, state.y, state.heading, state.walked]
        self.total = 0.0
        self.luck = [seed]
        self.diary = []
        self.saved = []
        self.cut = 0

    @property
    def open(self):
        return len(self.saved)

    def begin(self):
        self.saved.append((list(self.here), self.total))

    def take_back(self):
        self.here, self.total = self.saved.pop()

    def free(self):
        x, y, heading, _ = self.here
        step = [(0, 1), (1, 0), (0, -1), (-1, 0)][heading]
        ahead = x + step[0], y + step[1]
        return ahead if all(0 <= c < 4 for c in ahead) and ahead != (1, 1) else None

    def go(self):
        if self.free():
            self.here[:2] = self.free()
            self.here[3] += 1
            return True
        return False

    def turn(self, right):
        self.here[2] = (self.here[2] + (1 if right else -1)) % 4

    def read(self, name, place):
        if name == "odd":
            return odd(place)
        return {"wall": not self.free(), "x": self.here[0], "y": self.here[1], "total": self.total}[name]

    def act(self, name, number, arguments):
        return getattr(self, "do_" + name.replace(" ", "_"))(number, *arguments)

    def do_ahead(self, number):
        self.diary.append((0, 0.0))
        return self.go()

    def do_turn(self, number):
        self.diary.append((1, number))
        self.turn(number == 1)
        return self.here[2]

    def do_say(self, number, heard):
        self.diary.append((2, heard * number))
        return heard > 0

    def do_try(self, number, look):
        self.diary.append((3, 0.0))
        self.begin()
        if not self.go():
            self.turn(True)
        value = look()
        self.take_back()
        self.diary.append((30, value))
        return value

    def do_peek(self, number, one, other):
        self.begin()
        self.turn(True)
        self.diary.append((4, 0.0))
        first = one()
        self.begin()
        self.turn(True)
        self.diary.append((40, first))
        return first - other()

    def do_choose(self, number, test, then, other):
        return then() if test > 0 else other()

    def do_die(self, number):
        self.diary.append((6, 0.0))
        return uniform(self.luck)

    def do_add_up(self, number, more, then):
        self.begin()
        self.diary.append((7, more))
        self.total += more
        return then()

    def do_stop(self, number, now):
        if now:
            self.cut = 5
        return 2.0


# Nim.

NIM_ACTIONS = {
    "if move": Action(3, "abc", opens=1),
    "for all": Action(3, "abc", opens=1),
    "best": Action(1, "a", opens=1),
    "answered": Action(4, "abcd", opens=2),
    "take": Action(1),
}
NIM = Language(
    "nim",
    (F, B),
    (
        *PURE,
        Primitive("IfMove", F, (B, F, F), acts="if move", branches="abc"),
        Primitive("CanMove", B, (B, B, B), acts="if move", branches="abc"),
        Primitive("ForAll", F, (B, F, F), acts="for all", branches="abc"),
        Primitive("Best", F, (F,), acts="best", branches="a"),
        Primitive("Answered", F, (B, B, F, F), acts="answered", branches="abcd"),
        Primitive("Take", F, (F,), acts="take"),
        Primitive("Mobility", F, reads="mobility"),
        Primitive("Stuck", B, (F,), "a == 0"),
    ),
    sets={"Any": (F, B)},
)


def act_nim(w, k, node):
    """Make moves of nim, evaluate branches after them, and take them back."""
    here = w.acts.open
    n = moves(w.positions[here], w.choices[here])
    if k == 0:
        for i in range(n):
            make_noted(w, w.choices[here][i])
            if branch(w, node, 0) != 0.0:
                return branch(w, node, 1)
            take_back(w)
        return branch(w, node, 2)
    if k == 1:
        return for_all(w, node, n)
    if k == 2:
        return best(w, node, n)
    if k == 3:
        return answered(w, node, n)
    heard = argument(w, node, 0)
    if heard >= 1.0 and heard <= n:
        play(w.positions[here], int(heard))
        note(w, 100 + int(heard), heard)
        return 1.0
    return 0.0


def make_noted(w, m):
    """Make a move and write it down."""
    make(w, m)
    note(w, m, 1.0 * w.positions[w.acts.open].heap)
    return 0


def for_all(w, node, n):
    """Return the least value of b over all moves, if a holds after each of them, else c."""
    here = w.acts.open
    for i in range(n):
        make_noted(w, w.choices[here][i])
        holds = branch(w, node, 0) != 0.0
        take_back(w)
        if not holds:
            return branch(w, node, 2)
    least = 1000.0
    for i in range(n):
        make_noted(w, w.choices[here][i])
        least = min(least, branch(w, node, 1))
        take_back(w)
    return least


def best(w, node, n):
    """Return the best value of a over all moves for the player who began; an end is worth 1000."""
    here = w.acts.open
    side = 1.0 if mover(w.positions[here]) == 0 else -1.0
    if n == 0:
        return 1000.0 * payoff(w.positions[here], 0)
    found = 0.0
    for i in range(n):
        make_noted(w, w.choices[here][i])
        value = branch(w, node, 0)
        take_back(w)
        if i == 0 or side * value > side * found:
            found = value
    return found


def answered(w, node, n):
    """Return c after the first move with a whose answers all have b, else d: two moves open at once."""
    here = w.acts.open
    for i in range(n):
        make_noted(w, w.choices[here][i])
        if branch(w, node, 0) != 0.0:
            replies = moves(w.positions[here + 1], w.choices[here + 1])
            good = True
            for j in range(replies):
                make_noted(w, w.choices[here + 1][j])
                good = good and branch(w, node, 1) != 0.0
                take_back(w)
            if good:
                return branch(w, node, 2)
        take_back(w)
    return branch(w, node, 3)


NIM_EFFECTS = Effects(NIM_ACTIONS, act_nim, records={"log": LOG, "diary": [int], "heard": [float]})


class NimWorld:
    """Nim again, in ordinary Python."""

    actions = NIM_ACTIONS

    def __init__(self, heap, turn=0, take=3):
        self.stack = [(heap, turn)]
        self.take = take
        self.cut = 0
        self.diary = []

    @property
    def open(self):
        return len(self.stack) - 1

    @property
    def heap(self):
        return self.stack[-1][0]

    def moves(self):
        return range(1, min(self.take, self.heap) + 1)

    def make(self, m):
        heap, turn = self.stack[-1]
        self.stack.append((heap - m, 1 - turn))
        self.diary.append((m, float(heap - m)))

    def take_back(self):
        self.stack.pop()

    def read(self, name, place):
        return {"mobility": len(self.moves())}[name]

    def act(self, name, number, arguments):
        return getattr(self, "do_" + name.replace(" ", "_"))(*arguments)

    def do_if_move(self, test, then, other):
        for m in self.moves():
            self.make(m)
            if test():
                return then()
            self.take_back()
        return other()

    def do_for_all(self, test, then, other):
        for m in self.moves():
            self.make(m)
            holds = test()
            self.take_back()
            if not holds:
                return other()
        values = [1000.0]
        for m in self.moves():
            self.make(m)
            values.append(then())
            self.take_back()
        return min(values)

    def do_best(self, look):
        choose = max if self.stack[-1][1] == 0 else min
        if not self.heap:
            return -1000.0 if self.stack[-1][1] == 0 else 1000.0
        values = []
        for m in self.moves():
            self.make(m)
            values.append(look())
            self.take_back()
        return choose(values)

    def do_answered(self, test, reply, then, other):
        for m in self.moves():
            self.make(m)
            if test():
                good = True
                for answer in self.moves():
                    self.make(answer)
                    good = good and reply() != 0.0
                    self.take_back()
                if good:
                    return then()
            self.take_back()
        return other()

    def do_take(self, heard):
        if not 1.0 <= heard <= len(self.moves()):
            return 0.0
        heap, turn = self.stack[-1]
        self.stack[-1] = (heap - int(heard), 1 - turn)
        self.diary.append((100 + int(heard), heard))
        return 1.0
