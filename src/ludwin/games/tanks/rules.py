"""Tanks: robots with a gun and a radar fight in a closed field.

Rules.  Every turn each robot has orders in force: how far to drive, how far to turn body, gun and radar, whether to
fire and how hard.  Who fires pays with energy, who hits gains three times as much, who is hit loses; rams and walls
cost energy, too.  At energy 0 a robot is disabled, and the next hit ends it.  A round ends when at most one is left, a
battle after `rounds` rounds.  The rules are those of Robocode 1.9.3.9, and with the same seed a battle is the same
battle there and here, turn by turn (docs/results/tanks.md).

Why it is here.  Chapter 8 of *Evolved to Win* evolves robots of four lines that won a league against 27 written by
people.  It is a world in which programs must see, aim and move at once.

References.  M. Nelson and F. N. Larsen, Robocode (2001); M. Sipper, *Evolved to Win* (2011), chapter 8.
"""

import math

from ludwin.games.tanks.book import DEAD, ROBOT_DEATH, WIN, note
from ludwin.games.tanks.bullets import fire, move_bullets, sweep
from ludwin.games.tanks.chance import draw_unit, pass_shuffle, shuffle, start_generator
from ludwin.games.tanks.motion import (
    TURN_RATE,
    begin_move,
    meet_wall,
    ram,
    set_box,
    touch,
    zap,
)
from ludwin.games.tanks.places import (  # noqa: F401 (parameter: positions)
    PLACE_HEADING,
    PLACE_X,
    PLACE_Y,
    PLACES,
    POSITIONS,
)
from ludwin.games.tanks.radar import scan

ROBOTS = 2
ROUNDS = 1
WIDTH = 800
HEIGHT = 600
COOLING = 0.1  # of the gun, in a turn
INACTIVITY = 450  # turns without losses after which all lose energy
PLAYERS = ROBOTS + 0
PAYOFF_SUM = None
if not 2 <= ROBOTS <= 32:
    raise ValueError(f"robots must be 2 to 32, got {ROBOTS}")
if not 1 <= ROUNDS <= 1000:
    raise ValueError(f"rounds must be 1 to 1000, got {ROUNDS}")
if not 400 <= WIDTH <= 5000 or not 400 <= HEIGHT <= 5000:
    raise ValueError(f"width and height must be 400 to 5000, got {WIDTH} and {HEIGHT}")
if ROBOTS * 6000 > (WIDTH - 72) * (HEIGHT - 72):
    raise ValueError(f"{ROBOTS} robots find no room in a field of {WIDTH} by {HEIGHT}: take fewer")
if not 0.1 <= COOLING <= 0.7:
    raise ValueError(f"cooling must be 0.1 to 0.7, got {COOLING}")
if not 0 <= INACTIVITY <= 10000:
    raise ValueError(f"inactivity must be 0 to 10000 turns, got {INACTIVITY}")
if PLACES > ROBOTS:
    raise ValueError(f"positions has {PLACES} places for {ROBOTS} robots")
if PLACES > 0 and not all(
    18 <= x <= WIDTH - 18 and 18 <= y <= HEIGHT - 18 for x, y in zip(PLACE_X, PLACE_Y, strict=True)
):
    raise ValueError(f"positions must lie 18 pixels inside a field of {WIDTH} by {HEIGHT}")
# Every ten units of energy that are lost bring so many turns, and all energy there can be is lost once.
LONGEST = 152 + (INACTIVITY + 1) * (20 * ROBOTS + 1) + 1000 * ROBOTS
MAX_TICKS = ROUNDS * (LONGEST + 1)
ROOM = 12 + 4 * ROBOTS  # events of a robot in a turn
AFTER = 150 + 0  # turns that a round goes on when it is decided
HALT = 121 + 0  # of these turns, the one from which robots give no more orders
# A gun of power 0.1 cools in this many turns; the slowest bullet crosses the field; a few turns more it explodes.
MOST_BULLETS = ROBOTS * (4 + int((math.sqrt(WIDTH * WIDTH + HEIGHT * HEIGHT) / 11 + 18) / (1.02 / COOLING)))
_NUMBERS = (
    "x", "y", "body", "gun", "radar", "v", "energy", "heat", "box_x", "box_y", "before_gun", "before_radar",
    "survival", "last_survivor", "bullet_damage", "bullet_bonus", "ram_damage", "ram_bonus",
    "total_survival", "total_last_survivor", "total_bullet_damage", "total_bullet_bonus", "total_ram_damage",
    "total_ram_bonus")  # fmt: skip
_COUNTS = (
    "state", "collided", "overdriving", "scanning", "with_gun", "died", "won", "retired", "shots", "events", "order",
    "others", "fallen", "firsts", "seconds", "thirds")  # fmt: skip
FIELDS = {
    "generator": int,
    "round": int,
    "time": int,  # turns of this round; 0 before the first
    "ended": int,  # turns since the round was decided, that one included
    "idle": int,  # turns since enough energy was lost
    "spent": float,  # energy lost since then, in action; kept from round to round
    "bullets": int,
    "listed": int,  # bullets that are still listed while they are moved
    "deaths": int,  # robots that died in this turn
    **dict.fromkeys(_NUMBERS, (float, ROBOTS)),
    **dict.fromkeys(_COUNTS, ROBOTS),
    "dealt": (float, ROBOTS * ROBOTS),  # damage by a robot to another one, in this round
    **dict.fromkeys(("event", "event_who"), ROBOTS * ROOM),
    **dict.fromkeys(("event_a", "event_b", "event_c", "event_d", "event_e"), (float, ROBOTS * ROOM)),
    **dict.fromkeys(("bullet", "owner", "number", "frame", "moved", "turns", "queue"), MOST_BULLETS),
    **dict.fromkeys(("power", "course", "bullet_x", "bullet_y", "from_x", "from_y"), (float, MOST_BULLETS)),
}
CONTROLS = {
    "ahead": float,  # pixels that remain to be driven
    "turn": float,  # radians that remain to be turned, clockwise
    "turn_gun": float,
    "turn_radar": float,
    "max_velocity": (0, 8, 8),
    "max_turn": (0, TURN_RATE, TURN_RATE),
    "adjust": (0, 7),  # bits: gun for body 1, radar for gun 2, radar for body 4
    "scan": (0, 1),
    "fire": (0, 3),  # power; 0: do not
    "aim": (-1, 7, -1),  # the direction of an assisted shot; negative: that of the gun
    "advanced": (0, 1),  # whether it is an advanced robot, which pays for walls and is not assisted
}
SENSES = {
    "time": int,
    "round": int,
    "x": float,
    "y": float,
    "body": float,
    "gun": float,
    "radar": float,
    "v": float,
    "energy": float,
    "heat": float,
    "others": int,  # that are alive
    "alive": int,
    "halted": int,  # the round is over, and orders count no more
    "ahead": float,  # what remains of the orders
    "turn": float,
    "turn_gun": float,
    "turn_radar": float,
    "width": float,
    "height": float,
    "cooling": float,
    "rounds": int,
    "events": int,
    "event": ROOM,
    "who": ROOM,
    **dict.fromkeys(("a", "b", "c", "d", "e"), (float, ROOM)),
}


def setup(s):
    start_generator(s, 0)
    s.round = -1
    begin_round(s)


def seed(s, n):
    start_generator(s, n)
    s.round = -1
    for _ in range(3 * PLACES):
        draw_unit(s)
    begin_round(s)


def begin_round(s):
    first = s.round < 0
    s.round += 1
    s.time = 0
    s.ended = 0
    s.idle = 0
    s.bullets = 0
    s.deaths = 0
    for p in range(ROBOTS):
        place(s, p, first)
        start(s, p)
    pass_shuffle(s, ROBOTS)


def place(s, p, first):
    """Put a robot where no other stands, nor stood at the end of the last round if it has not been placed yet."""
    if p < PLACES:
        s.x[p] = PLACE_X[p]
        s.y[p] = PLACE_Y[p]
        s.body[p] = PLACE_HEADING[p]
        set_box(s, p)
        if is_free(s, p, first):
            return
    for _ in range(1000):
        s.x[p] = 36.0 + draw_unit(s) * (WIDTH - 72.0)
        s.y[p] = 36.0 + draw_unit(s) * (HEIGHT - 72.0)
        s.body[p] = 2.0 * math.pi * draw_unit(s)
        set_box(s, p)
        if is_free(s, p, first):
            return


def is_free(s, p, first):
    for q in range(ROBOTS):
        if (q < p or (q > p and not first)) and touch(s, p, q):
            return False
    return True


def start(s, p):
    # What a robot rolled on with at the end of a round (`overdriving`) is not forgotten in the original, nor here.
    s.gun[p] = s.body[p]
    s.radar[p] = s.body[p]
    s.before_gun[p] = s.body[p]
    s.before_radar[p] = s.body[p]
    s.v[p] = 0.0
    s.energy[p] = 0.0 if s.retired[p] == 1 else 100.0
    s.heat[p] = 3.0
    s.state[p] = 0
    s.collided[p] = 0
    s.scanning[p] = 0
    s.with_gun[p] = 0
    s.died[p] = -1
    s.won[p] = 0
    s.shots[p] = 0
    s.events[p] = 0
    s.ahead[p] = 0.0
    s.turn[p] = 0.0
    s.turn_gun[p] = 0.0
    s.turn_radar[p] = 0.0
    s.survival[p] = 0.0
    s.last_survivor[p] = 0.0
    s.bullet_damage[p] = 0.0
    s.bullet_bonus[p] = 0.0
    s.ram_damage[p] = 0.0
    s.ram_bonus[p] = 0.0
    for q in range(ROBOTS):
        s.dealt[p * ROBOTS + q] = 0.0


def tick(s):
    if s.ended > AFTER:
        begin_round(s)
        return
    s.time += 1
    for p in range(ROBOTS):
        s.events[p] = 0
    # Step 1. Orders: bullets leave their guns.
    for p in range(ROBOTS):
        if s.state[p] != DEAD:
            fire(s, p)
            s.scanning[p] = 1 if s.scan[p] > 0.0 else 0
    # Step 2. Bullets.
    move_bullets(s, ROBOTS, 1.0 * WIDTH, 1.0 * HEIGHT, ROOM)
    # Step 3. Robots, one after the other.
    move_robots(s)
    # Step 4. Radars, when all have moved.
    scan_robots(s)
    sweep(s)
    # Step 5. The dead.
    bury(s)
    # Step 6. The end of the round.
    judge(s)
    s.idle += 1
    pass_shuffle(s, ROBOTS)  # whose code runs first, which makes no difference


def in_random_order(s, order):
    for p in range(ROBOTS):
        order[p] = p
    shuffle(s, order, ROBOTS)


def move_robots(s):
    zapping = s.idle > INACTIVITY
    in_random_order(s, s.order)
    for i in range(ROBOTS):
        p = s.order[i]
        in_random_order(s, s.others)
        if s.state[p] != DEAD:
            x = s.x[p]
            y = s.y[p]
            body = s.body[p]
            s.before_radar[p] = s.radar[p]
            s.before_gun[p] = s.gun[p]
            begin_move(s, p, COOLING)
            meet_wall(s, p, 1.0 * WIDTH, 1.0 * HEIGHT, ROOM)
            s.collided[p] = 0
            for j in range(ROBOTS):
                ram(s, p, s.others[j], ROBOTS, ROOM)
            turned = body != s.body[p] or s.before_gun[p] != s.gun[p] or s.before_radar[p] != s.radar[p]
            if turned or x != s.x[p] or y != s.y[p]:
                s.scanning[p] = 1
            if zapping and s.state[p] != DEAD:
                zap(s, p, ROOM)


def scan_robots(s):
    in_random_order(s, s.order)
    for i in range(ROBOTS):
        p = s.order[i]
        in_random_order(s, s.others)
        if s.state[p] != DEAD:
            s.with_gun[p] = 0
            if s.scanning[p] == 1:
                for j in range(ROBOTS):
                    scan(s, p, s.others[j], ROOM)
                with_gun = s.before_gun[p] == s.before_radar[p] and s.gun[p] == s.radar[p]
                s.with_gun[p] = 1 if with_gun else 0


def alive(s):
    n = 0
    for p in range(ROBOTS):
        if s.state[p] != DEAD:
            n += 1
    return n


def bury(s):
    """The living hear of the dead and score for having survived them; robots that die together do not."""
    if s.deaths == 0:
        return
    left = alive(s)
    shuffle(s, s.fallen, s.deaths)
    for i in range(s.deaths):
        dead = s.fallen[i]
        if s.ended == 0:
            if left == 0:
                s.firsts[dead] += 1
            elif left == 1:
                s.seconds[dead] += 1
            elif left == 2:
                s.thirds[dead] += 1
        in_random_order(s, s.others)
        for j in range(ROBOTS):
            p = s.others[j]
            if s.state[p] != DEAD:
                note(s, p, ROBOT_DEATH, dead, ROOM)
                s.survival[p] += 50.0
    s.deaths = 0


def judge(s):
    """When at most one is left, totals are taken, and the round goes on for a while that counts no more."""
    if s.ended > 0:
        s.ended += 1
    elif alive(s) <= 1:
        in_random_order(s, s.others)
        for p in range(ROBOTS):
            if s.state[p] != DEAD:
                s.last_survivor[p] += 10.0 * (ROBOTS - 1)
                s.won[p] = 1
                s.firsts[p] += 1
                note(s, p, WIN, p, ROOM)
            s.total_survival[p] += s.survival[p]
            s.total_last_survivor[p] += s.last_survivor[p]
            s.total_bullet_damage[p] += s.bullet_damage[p]
            s.total_bullet_bonus[p] += s.bullet_bonus[p]
            s.total_ram_damage[p] += s.ram_damage[p]
            s.total_ram_bonus[p] += s.ram_bonus[p]
        s.ended = 1


def over(s):
    return s.ended > AFTER and s.round + 1 >= ROUNDS


def payoff(s, p):
    # The total score; of a battle that was broken off, that of the rounds that were decided.
    bonuses = s.total_last_survivor[p] + s.total_bullet_bonus[p] + s.total_ram_bonus[p]
    return s.total_survival[p] + s.total_bullet_damage[p] + s.total_ram_damage[p] + bonuses


def retire(s, p):
    # Whose program has failed is drained, now and in all rounds to come.
    s.retired[p] = 1
    s.energy[p] = 0.0


def sense(s, p, view):
    view.time = s.time
    view.round = s.round
    view.x = s.x[p]
    view.y = s.y[p]
    view.body = s.body[p]
    view.gun = s.gun[p]
    view.radar = s.radar[p]
    view.v = s.v[p]
    view.energy = s.energy[p]
    view.heat = s.heat[p]
    view.others = alive(s) - (0 if s.state[p] == DEAD else 1)
    view.alive = 0 if s.state[p] == DEAD else 1
    view.halted = 1 if s.ended > HALT else 0
    view.ahead = s.ahead[p]
    view.turn = s.turn[p]
    view.turn_gun = s.turn_gun[p]
    view.turn_radar = s.turn_radar[p]
    view.width = 1.0 * WIDTH
    view.height = 1.0 * HEIGHT
    view.cooling = COOLING
    view.rounds = ROUNDS
    n = s.events[p]
    view.events = n
    for i in range(ROOM):
        row = p * ROOM + i
        there = i < n
        view.event[i] = s.event[row] if there else 0
        view.who[i] = s.event_who[row] if there else 0
        view.a[i] = s.event_a[row] if there else 0.0
        view.b[i] = s.event_b[row] if there else 0.0
        view.c[i] = s.event_c[row] if there else 0.0
        view.d[i] = s.event_d[row] if there else 0.0
        view.e[i] = s.event_e[row] if there else 0.0
