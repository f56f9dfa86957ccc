"""The robot's side of a turn: what a robot is told, which handler runs, and what it orders.

Why it is here.  A robot of the original is a thread: its main loop blocks in `ahead(100)` for many turns, and events
interrupt it there.  This is the same as a state machine, in text that is compiled.  A robot has a stack of frames, main
at the bottom and handlers above it, each with the place in its code where it blocks and what it waits for.  Every turn
the events of the turn are queued, sorted by time and priority; the first one starts a handler if it is more urgent
than what runs; what runs goes on when what it waits for is done; and the orders that stand at the end of it all are
the robot's answer.  Handlers never run twice at once, so each has its variables at fixed places.

The code is that of `compile.py`: rows of five numbers on registers that hold floats.  Nothing a file says can make it
read or write anywhere else, or run for ever: after BUDGET steps in a turn the robot has failed.
"""

import math

from ludwin.games.tanks.angles import absolute
from ludwin.games.tanks.opponents.calculate import BEYOND, BY_ZERO, DOMAIN, ORDERS_NAN, RADIAN, TOO_LONG, maths, maths2
from ludwin.primitives import uniform

KINDS = 11  # main 0, then the kinds of events
DEPTH = 12
QUEUE = 320
REGISTERS = 2048
LONGEST = 16384  # numbers of code
EVENT = 8  # registers of an event: five numbers, the other robot, its time
BUDGET = 20000  # steps of a robot in one turn
DEATH = 10

# What a blocked frame waits for.
A_TURN, FOR_AHEAD, FOR_TURN, FOR_GUN, FOR_RADAR, FOR_SCAN, FOR_EVER = range(1, 8)
WAITING = 8  # added where the robot waits without having ordered anything

# Orders.
(AHEAD, TURN, GUN, RADAR, FIRE, STOP, RESUME, MAX_VELOCITY, MAX_TURN, GUN_FOR_BODY, RADAR_FOR_GUN, RADAR_FOR_BODY,
 INTERRUPTIBLE, NOTHING, SCAN, WAIT) = range(16)  # fmt: skip

# What may be read of the robot itself.
READS = (
    "time", "round", "x", "y", "heading_radians", "gun_heading_radians", "radar_heading_radians", "velocity", "energy",
    "gun_heat", "others", "width", "height", "gun_cooling", "distance_remaining", "turn_remaining_radians",
    "gun_turn_remaining_radians", "radar_turn_remaining_radians", "rounds")  # fmt: skip

# Instructions: op, a, b, c, d. Register a is where the result goes.
WIDE = 5
(END, MOVE, ADD, SUB, MUL, DIV, FLOOR_DIV, MOD, NEG, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, NOT, LEAST, MOST, ABS, JUMP,
 UNLESS, IF, READ, ORDER, TABLE, RANDOM, MATH, MATH2, WHOLE) = range(27)  # fmt: skip
# Instructions of evolved robots, which never fail.
SAFE_DIV, SAFE_SIN, SAFE_COS, SAFE_ASIN, SAFE_ACOS, FINITE, FIRE_IF, SPREAD = range(27, 35)

MAIN_AT = 0  # where the code of main begins is the first number, those of the handlers follow
HEAD = KINDS

MEMORY = {
    "round": int,
    "done": int,
    "depth": int,
    "top": int,  # how urgent the handler is that runs; -1 main
    "kind": DEPTH,
    "at": DEPTH,
    "block": DEPTH,
    "restore": DEPTH,  # the interruptible flag before scan(), plus 1; 0: none
    "queued": int,
    "queue": QUEUE,
    "who": QUEUE,
    "when": QUEUE,
    **dict.fromkeys("abcde", (float, QUEUE)),
    "interruptible": KINDS,
    "wait": int,
    "stopped": int,
    "saved": (float, 4),
    "fired": float,
    "fired_heat": float,
    **dict.fromkeys(("ahead", "turn", "gun", "radar", "max_velocity", "max_turn", "fire", "aim"), float),
    "adjust": int,
    "radar_set": int,
    "scan": int,
    "last": int,  # the kind of the event that was delivered last, its time and its bearing
    "last_time": int,
    "bearing": float,
    "fault": int,
    "advanced": int,
    "chance": 1,
    "constants": int,  # registers that a round begins with
    "statics": int,  # and those of them, at the end, that a later round does not
}


def urgency(kind):
    """Events are numbered by their priority, but for one's own death, which comes last."""
    return 0 if kind == DEATH else kind


def fresh(m, first, registers):
    """A new round: a new robot, but for what outlives it."""
    m.done = 0
    m.depth = 0
    m.top = -1
    m.kind[0] = 0
    m.at[0] = -1
    m.block[0] = 0
    m.restore[0] = 0
    m.queued = 0
    m.stopped = 1
    m.max_velocity = 8.0
    m.max_turn = 10.0 * RADIAN
    m.adjust = 0
    m.radar_set = 0
    m.last = 0
    for i in range(m.constants if m.round == 0 else m.constants - m.statics):
        registers[i] = first[i]


def arrive(m, view, first, registers):
    """Take in the new turn: what is left of the orders, and what has happened."""
    if m.round == view.round + 1:
        m.fired = 0.0
        m.fired_heat = 0.0
    else:  # a shot that the end of a round prevented is still accounted for in the first turn of the next
        fresh(m, first, registers)
        m.round = view.round + 1
    m.ahead = view.ahead
    m.turn = view.turn
    m.gun = view.turn_gun
    m.radar = view.turn_radar
    m.scan = 0
    m.fire = 0.0
    m.aim = -1.0
    # Events live for one more turn than their own.
    while m.queued > 0 and m.when[0] <= view.time - 2 and m.queue[0] < 9:
        shift(m)
    for i in range(view.events):
        if m.queued < QUEUE:
            enqueue(m, view, i)


def enqueue(m, view, i):
    """Put an event into the queue: behind older ones, and behind those of this turn that are not less urgent."""
    kind = view.event[i]
    at = m.queued
    m.queued += 1
    while at > 0 and m.when[at - 1] == view.time and comes_first(m, view, i, at - 1):
        move(m, at, at - 1)
        at -= 1
    m.queue[at] = kind
    m.who[at] = view.who[i]
    m.when[at] = view.time
    m.a[at] = view.a[i]
    m.b[at] = view.b[i]
    m.c[at] = view.c[i]
    m.d[at] = view.d[i]
    m.e[at] = view.e[i]


def comes_first(m, view, i, at):
    """Whether a new event is before one in the queue: more urgent; or a nearer robot; or one's own fault."""
    kind = view.event[i]
    other = m.queue[at]
    if kind != other:
        return urgency(kind) > urgency(other)
    if kind == 1:
        return view.b[i] - m.b[at] <= -1.0
    return kind == 4 and view.c[i] > m.c[at]


def move(m, to, at):
    m.queue[to] = m.queue[at]
    m.who[to] = m.who[at]
    m.when[to] = m.when[at]
    m.a[to] = m.a[at]
    m.b[to] = m.b[at]
    m.c[to] = m.c[at]
    m.d[to] = m.d[at]
    m.e[to] = m.e[at]


def shift(m):
    for i in range(m.queued - 1):
        move(m, i, i + 1)
    m.queued -= 1


def reading(m, view, n):
    """What a robot may know of itself, by number."""
    if n < 10:
        if n < 4:
            if n < 2:
                return 1.0 * view.time if n == 0 else 1.0 * view.round
            return view.x if n == 2 else view.y
        if n < 7:
            if n == 4:
                return view.body
            return view.gun if n == 5 else view.radar
        if n == 7:
            return view.v
        return view.energy - m.fired if n == 8 else view.heat + m.fired_heat
    if n < 14:
        if n == 10:
            return 1.0 * view.others
        if n == 11:
            return view.width
        return view.height if n == 12 else view.cooling
    if n == 14:
        return m.ahead
    if n == 15:
        return m.turn
    if n == 16:
        return m.gun
    return m.radar if n == 17 else 1.0 * view.rounds


def limited(x):
    """What the world takes for endless."""
    return min(max(x, -1e200), 1e200)


def order(m, view, n, x):
    """Carry out an order; the answer is 1 where something was fired, else 0."""
    if x != x:
        m.fault = ORDERS_NAN
        return 0.0
    if n <= FIRE:
        if n == FIRE:
            return shoot(m, view, x)
        if n == AHEAD:
            if view.energy - m.fired != 0.0:
                m.ahead = limited(x)
        elif n == TURN:
            if view.energy - m.fired != 0.0:
                m.turn = limited(x)
        elif n == GUN:
            m.gun = limited(x)
        else:
            m.radar = limited(x)
    elif n == STOP:
        stop(m)
    elif n == RESUME:
        if m.stopped == 1:
            m.stopped = 0
            m.ahead = m.saved[0]
            m.turn = m.saved[1]
            m.gun = m.saved[2]
            m.radar = m.saved[3]
    elif n == MAX_VELOCITY:
        m.max_velocity = min(abs(x), 8.0)
    elif n == MAX_TURN:
        m.max_turn = min(abs(x), 10.0 * RADIAN)
    elif n <= RADAR_FOR_BODY:
        adjust(m, n - GUN_FOR_BODY, x != 0.0)
    elif n == INTERRUPTIBLE:
        if m.top >= 0:
            m.interruptible[m.top] = 1 if x != 0.0 else 0
    elif n == SCAN:
        m.scan = 1
    elif n == WAIT:
        m.wait = int(x)
    return 0.0


def stop(m):
    if m.stopped == 0:
        m.stopped = 1
        m.saved[0] = m.ahead
        m.saved[1] = m.turn
        m.saved[2] = m.gun
        m.saved[3] = m.radar
    m.ahead = 0.0
    m.turn = 0.0
    m.gun = 0.0
    m.radar = 0.0


def adjust(m, bit, on):
    """Whether gun and radar keep their direction when what carries them turns."""
    put(m, bit, on)
    if bit == 1 and m.radar_set == 0:
        put(m, 2, on)
    if bit == 2:
        m.radar_set = 1


def put(m, bit, on):
    m.adjust = m.adjust | (1 << bit) if on else m.adjust & (7 - (1 << bit))


def shoot(m, view, x):
    """Order a shot, if the gun is cool and energy is left. Plain robots that have just seen somebody aim for them."""
    energy = view.energy - m.fired
    if view.heat + m.fired_heat > 0.0 or energy == 0.0:
        return 0.0
    power = min(energy, min(max(x, 0.1), 3.0))
    seen = m.last == 1 and m.last_time == view.time
    if seen and m.advanced == 0 and view.gun == view.radar:
        m.aim = absolute(view.body + m.bearing)
    m.fire = power
    m.fired += power
    m.fired_heat += 1.0 + power / 5.0
    return 1.0


def is_done(m, what):
    """Whether what a frame waits for has come."""
    block = what & 7
    if block == FOR_AHEAD:
        return m.ahead == 0.0
    if block == FOR_TURN:
        return m.turn == 0.0
    if block == FOR_GUN:
        return m.gun == 0.0
    if block == FOR_RADAR:
        return m.radar == 0.0
    return block != FOR_EVER


def blocks(m, n, block):
    """Note that the frame on top waits. Whoever scans where a robot is seen may be interrupted by the next sight."""
    f = m.depth
    m.block[f] = block
    m.restore[f] = 0
    if block == FOR_SCAN and m.top == 1:
        m.restore[f] = 1 + m.interruptible[1]
        m.interruptible[1] = 1


def goes_on(m):
    """Note that the frame on top has what it waited for."""
    f = m.depth
    if m.restore[f] > 0:
        m.interruptible[1] = m.restore[f] - 1
        m.restore[f] = 0
    if m.block[f] >= WAITING:
        m.wait = 0
    m.block[f] = 0


def begin(m, kind):
    """Begin the handler of the first event of the queue."""
    m.last = kind
    m.last_time = m.when[0]
    m.bearing = m.a[0]
    m.depth += 1
    m.kind[m.depth] = kind
    m.at[m.depth] = -1
    m.block[m.depth] = 0
    m.restore[m.depth] = 0
    m.top = urgency(kind)


def end(m):
    """Leave the frame on top."""
    m.depth -= 1
    m.top = -1 if m.depth == 0 else urgency(m.kind[m.depth])


def next_frame(m):
    """Choose what runs now: 1 a new handler, 2 the frame on top goes on, 0 nothing: the turn is over."""
    while True:
        if m.queued > 0 and urgency(m.queue[0]) > m.top and m.depth < DEPTH - 1:
            begin(m, m.queue[0])
            return 1
        if m.queued > 0 and m.top >= 0 and urgency(m.queue[0]) == m.top and m.interruptible[m.top] == 1:
            m.interruptible[m.top] = 0
            m.last = 0
            end(m)
        else:
            if m.block[m.depth] != 0 and not is_done(m, m.block[m.depth]):
                return 0
            goes_on(m)
            return 2


def finish(m):
    """A frame has come to its end: of a handler the one below goes on, after main nothing does."""
    if m.depth == 0:
        m.block[0] = FOR_EVER
        m.at[0] = -1
        return 0
    m.interruptible[m.top] = 0
    end(m)
    return 1


def leave(m, view):
    """The end of the turn: a wait that is over asks for a scan; who is dead or halted orders no more after this."""
    if m.wait > 0 and is_done(m, m.wait):
        m.wait = 0
        m.scan = 1
    if view.halted == 1 or view.alive == 0:
        m.done = 1


def keep(m, view):
    """A robot that is stopped: its last orders stay in force."""
    m.ahead = view.ahead
    m.turn = view.turn
    m.gun = view.turn_gun
    m.radar = view.turn_radar


def take_event(m, registers):
    """Put the event whose handler begins where its handler finds it."""
    base = EVENT * m.queue[0]
    registers[base] = m.a[0]
    registers[base + 1] = m.b[0]
    registers[base + 2] = m.c[0]
    registers[base + 3] = m.d[0]
    registers[base + 4] = m.e[0]
    registers[base + 5] = 1.0 * m.who[0]
    registers[base + 6] = 1.0 * m.when[0]
    shift(m)


def run(m, view, code, registers, at):
    """Run code from a place on, until it blocks or ends; returns the place where it blocks, -1 at its end."""
    for _ in range(BUDGET):
        op = code[at]
        a = code[at + 1]
        x = registers[code[at + 2]]
        y = registers[code[at + 3]]
        value = x
        if op <= NOT:
            if op == END:
                return -1
            value = arithmetic(m, op, x, y)
        elif op == JUMP:
            at = a
            continue
        elif op == UNLESS:
            at = at + WIDE if x != 0.0 else a
            continue
        elif op == IF:
            at = a if x != 0.0 else at + WIDE
            continue
        elif op == READ:
            value = reading(m, view, code[at + 4])
        elif op == ORDER:
            value = order(m, view, code[at + 4] & 31, x)
            block = code[at + 4] >> 5
            if block > 0:
                registers[a] = value
                blocks(m, code[at + 4] & 31, block)
                return at + WIDE
        elif op == MATH:
            value = maths(m, code[at + 4], x)
        elif op == MATH2:
            value = maths2(m, code[at + 4], x, y)
        elif op == TABLE:
            if 0.0 <= y < 1.0 * code[at + 4]:
                value = registers[code[at + 2] + int(y)]
            else:
                m.fault = BEYOND
        elif op == RANDOM:
            value = uniform(m.chance)
        elif op == ABS:
            value = abs(x)
        elif op == LEAST:
            value = min(x, y)
        elif op == MOST:
            value = max(x, y)
        elif op > WHOLE:
            value = safe(m, view, op, x, y)
        registers[a] = value
        if m.fault != 0:
            return -1
        at += WIDE
    m.fault = TOO_LONG
    return -1


def arithmetic(m, op, x, y):
    if op <= MUL:
        if op == MOVE:
            return x
        if op == ADD:
            return x + y
        return x - y if op == SUB else x * y
    if op <= MOD:
        if y == 0.0:
            m.fault = BY_ZERO
            return 0.0
        if op == DIV:
            return x / y
        if not math.isfinite(x):
            m.fault = DOMAIN
            return 0.0
        return x // y if op == FLOOR_DIV else x % y
    if op == NEG:
        return -x
    if op == LESS:
        return 1.0 if x < y else 0.0
    if op == LESS_EQUAL:
        return 1.0 if x <= y else 0.0
    if op == EQUAL:
        return 1.0 if x == y else 0.0
    if op == NOT_EQUAL:
        return 1.0 if x != y else 0.0
    return 1.0 if x == 0.0 else 0.0


def safe(m, view, op, x, y):
    """An instruction of an evolved robot: what has no value is 0 or nan, as its language says."""
    if op == SAFE_DIV:
        return x / y if y != 0.0 else 0.0
    if op == FINITE:
        return x if x - x == 0.0 else 0.0
    if op == FIRE_IF:
        if x > 0.0:
            shoot(m, view, x)
            return 1.0
        return 0.0
    if op == SPREAD:
        return 2.0 * uniform(m.chance) - 1.0
    if op <= SAFE_COS:
        if x - x != 0.0:
            return math.nan
        return math.sin(x) if op == SAFE_SIN else math.cos(x)
    if x != x:
        return math.nan
    part = max(min(x, 1.0), -1.0)
    return math.asin(part) if op == SAFE_ASIN else math.acos(part)


def act(m, view, code, registers):
    """Let handlers and main run until the turn is over."""
    while True:
        what = next_frame(m)
        if what == 0:
            return 0
        at = m.at[m.depth]
        if what == 1:
            take_event(m, registers)
            at = -1
        if at < 0:
            at = code[m.kind[m.depth]]
        if at >= 0:
            at = run(m, view, code, registers, at)
        if m.fault != 0:
            return 0
        m.at[m.depth] = at
        if at >= 0 or finish(m) == 0:
            return 0


def last_words(m, view, code, registers):
    """A robot that died while something else ran hears of it all the same."""
    for i in range(m.queued):
        if m.queue[i] == DEATH and code[DEATH] >= 0 and m.fault == 0:
            m.depth = 0
            m.top = -1
            m.at[0] = run(m, view, code, registers, code[DEATH])
            return 0
    return 0


def robot_turn(view, m, code, first, registers, chance, out, at):
    """One turn of a robot; its orders are written to `out`, from a place on."""
    if m.round == 0:
        m.chance[0] = chance[0]
    if m.done == 1 and m.round == view.round + 1:
        keep(m, view)
    else:
        arrive(m, view, first, registers)
        act(m, view, code, registers)
        if view.alive == 0:
            last_words(m, view, code, registers)
        leave(m, view)
    answer(m, out, at)
    return m.fault


def answer(m, out, at):
    """Write the orders in force, as the world takes them."""
    out[at] = m.ahead if m.fault == 0 else math.nan
    out[at + 1] = m.turn
    out[at + 2] = m.gun
    out[at + 3] = m.radar
    out[at + 4] = m.max_velocity
    out[at + 5] = m.max_turn
    out[at + 6] = 1.0 * m.adjust
    out[at + 7] = 1.0 * m.scan
    out[at + 8] = m.fire
    out[at + 9] = m.aim
    out[at + 10] = 1.0 * m.advanced
    return 0
