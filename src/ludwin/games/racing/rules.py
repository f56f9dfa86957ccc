"""Racing: cars on a closed road, and drivers who set wheel and speed eighteen times a second.

Rules.  A driver answers every 0.0549 s with two numbers: the angle between the car's body and the way it goes, in
radians to the left, and the speed of the wheels' surface in ft/s.  Tyres slip, and slip makes force; the engine has
a limit; air resists, more so when the car is damaged, less behind another car.  Beside the road it is slow and costs
damage.  Whoever has more than 30000 of it, or no fuel, is steered off the road and is out.  When one car has finished,
all others finish at the line.  The model is that of the Robot Auto Racing Simulator, proved step by step against
recordings of it (docs/results/racing.md); pit stops are left out.

Why it is here.  Chapter 9 of *Evolved to Win* evolves drivers for it.  A lap time is a measure that people have fought
for, on known tracks, for a decade; and a continuous world tests what board games do not.

References.  M. E. Timin, Robot Auto Racing Simulator (1995); M. Sipper, *Evolved to Win* (2011), chapter 9.
"""

import math

from ludwin.games.racing.ahead import ray
from ludwin.games.racing.car import (  # noqa: F401 (parameters: surface, power)
    MOST_DAMAGE,
    MOST_FUEL,
    POWER,
    STEP,
    SURFACE,
)
from ludwin.games.racing.circuit import (  # noqa: F401 (parameters: track, sight)
    INNER,
    LENGTH,
    LENGTHS,
    LINE_BEND,
    LINE_PLACE,
    LINE_POINTS,
    LINE_SLOPE,
    LINE_SPEED,
    LINE_STEP,
    ROWS,
    SEGMENTS,
    SIGHT,
    TRACK,
    WIDTH,
)
from ludwin.games.racing.contact import collide
from ludwin.games.racing.drivers import (  # noqa: F401
    control_apex,
    control_cautious,
    control_crash,
    control_lane,
    control_lookahead,
)
from ludwin.games.racing.move import draw_traction, move
from ludwin.games.racing.recover import stuck
from ludwin.games.racing.road import centre_radius, look, place

CARS = 1
LAPS = 1
FUEL = 150.0  # pounds in every tank
SECONDS = 0.0  # the race ends then, whoever has finished; 0: when all have
RANDOM = True  # random traction
SHUFFLE = False  # whether the seed draws the grid; otherwise car 0 has the pole
RECOVER = False  # whether the helper takes over where a driver would be stuck
PLAYERS = CARS + 0
PAYOFF_SUM = None
MAX_TICKS = 20000
if not 1 <= CARS <= 64:
    raise ValueError(f"cars must be 1 to 64, got {CARS}")
if 10 + 30 * (CARS - 1 + (CARS - 1) // ROWS) >= LENGTH:
    raise ValueError(f"{CARS} cars do not stand on a grid of a track that is {LENGTH:.0f} feet long: take fewer")
if not 1 <= LAPS <= 10000:
    raise ValueError(f"laps must be 1 to 10000, got {LAPS}")
if not 1.0 <= FUEL <= 150.0:
    raise ValueError(f"fuel must be 1 to 150 pounds, got {FUEL}")
if not 0.0 <= SECONDS <= 100000.0:
    raise ValueError(f"seconds must be 0 to 100000, got {SECONDS}")
_NUMBERS = (
    "x", "y", "vx", "vy", "before_vx", "before_vy", "before_ax", "before_ay", "v", "heading", "limited_wheel",
    "fuel", "to_left", "to_right", "to_end", "across", "forward", "distance", "left_pull", "pull", "alpha",
    "wheel_speed", "power_asked", "power", "lap_time", "best_lap", "crossing", "finished_at", "mileage", "new_mileage",
    "tank_1", "tank_2", "tank_3")  # fmt: skip
_COUNTS = (
    "damage", "segment", "back", "backward", "laps", "armed", "crossed", "out", "done", "led", "slot", "dead_ahead",
    "position", "settled")  # fmt: skip
FIELDS = {
    "clock": float,
    "traction": int,
    "rest": int,  # steps since the last car was done or out
    "won": int,
    "order": CARS,  # which car is in which position
    **dict.fromkeys(_NUMBERS, (float, CARS)),
    **dict.fromkeys(_COUNTS, CARS),
}
CONTROLS = {"wheel": (-2, 2), "speed": (-10000, 10000)}
NEAR = 3 + 0  # other cars that a driver sees, the nearest first
SENSES = {
    "v": float,  # ft/s
    "across": float,  # ft/s to the left
    "forward": float,  # ft/s along the road
    "to_left": float,  # feet to the left wall
    "to_right": float,
    "width": float,
    "to_end": float,  # feet left of this segment, along the centre line
    "radius": (float, 4),  # inner-wall radius of this segment and the next three: left positive, 0 straight
    "length": (float, 4),  # feet along the centre line
    "distance": float,  # feet from the finish line
    "lap_length": float,
    "alpha": float,  # what was effective in the last step
    "wheel_speed": float,
    "power_asked": float,
    "power": float,
    "left_pull": float,  # ft/s^2 in the last step
    "pull": float,
    "fuel": float,
    "damage": float,
    "clock": float,
    "laps_to_go": int,
    "backward": int,
    "dead_ahead": int,  # whether a car is close before this one
    "position": int,  # 0 for the leader
    "mileage": float,  # miles for a pound of fuel, over the last three laps at most; 0 before the first is done
    "near": int,  # how many of the cars below are there
    "near_ahead": (float, NEAR),  # feet ahead along the road; behind negative
    "near_left": (float, NEAR),
    "near_closing": (float, NEAR),  # by how much this car is faster, ft/s
    **dict.fromkeys(("CR", "NR", "TE", "NL", "V", "NV", "TL", "TR", "TW", "AH", "AA"), float),  # Table 9.1
    **dict.fromkeys(("LO", "LA", "LG", "LV", "AV"), float),  # the line that can be seen, with sight=true
}
AHEAD = 0.3 + 0.0  # seconds: how far ahead AV looks
TYRES = 1.05 * 32.2  # ft/s^2: all that the tyres can pull
POINTS = (20.0, 16.0, 14.0, 12.0, 10.0, 8.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0)


def setup(s):
    for p in range(CARS):
        start(s, p, p)


def start(s, p, slot):
    place(s, p, slot)
    s.slot[p] = slot
    s.position[p] = slot
    s.order[slot] = p
    s.fuel[p] = FUEL
    s.tank_1[p] = MOST_FUEL
    s.tank_2[p] = MOST_FUEL
    s.tank_3[p] = MOST_FUEL
    s.laps[p] = -1
    s.armed[p] = 1
    s.wheel_speed[p] = 20.0
    s.power_asked[p] = 0.9
    s.power[p] = 0.9
    look(s, p)


def seed(s, n):
    s.traction = n & 0xFFFFFFFF
    draw_traction(s)  # the first draw is not for the cars
    if SHUFFLE and CARS > 1:
        for p in range(CARS):
            s.slot[p] = -1
        for slot in range(CARS - 1, 0, -1):
            nth = draw_traction(s) // 128 % (slot + 1)
            for p in range(CARS):
                if s.slot[p] < 0:
                    if nth == 0:
                        start(s, p, slot)
                    nth -= 1
        for p in range(CARS):
            if s.slot[p] < 0:
                start(s, p, 0)


def tick(s):
    for p in range(CARS):
        if s.out[p] == 0:
            if RECOVER:
                rescue(s, p)
            move(s, p, CARS, RANDOM)
        else:
            s.limited_wheel[p] = 0.0
    if CARS > 1:
        collide(s, CARS)
        rank(s)
    s.clock += STEP
    going = 0
    for p in range(CARS):
        if s.out[p] == 0:
            s.settled[p] = s.done[p]
            s.mileage[p] = s.new_mileage[p]
            look(s, p)
            judge(s, p)
            if s.done[p] == 0:
                going += 1
    s.rest = 0 if going > 0 else s.rest + 1


def rescue(s, p):
    taken, wheel, speed = stuck(s.back[p], s.v[p], s.across[p], s.to_left[p], s.to_right[p])
    if taken > 0:
        s.wheel[p] = wheel
        s.speed[p] = speed


def rank(s):
    """Let cars pass one another, as they were last seen; whoever had finished before that is passed no more."""
    at = 0
    while at < CARS - 1:
        if s.settled[s.order[at]] == 0:
            while farther(s, s.order[at + 1], s.order[at]):
                passed = s.order[at]
                s.order[at] = s.order[at + 1]
                s.order[at + 1] = passed
                s.position[s.order[at]] = at
                s.position[passed] = at + 1
                if at > 0:
                    at -= 1
        at += 1


def farther(s, p, q):
    """Whether car p has gone farther than car q."""
    return s.laps[p] > s.laps[q] or (s.laps[p] == s.laps[q] and s.distance[p] > s.distance[q])


def refuel(s, p):
    """At the line: how far a pound of fuel has led, over as many laps as are done, three at most."""
    if s.laps[p] >= 1 and s.done[p] == 0 and s.tank_3[p] > s.fuel[p]:
        if s.laps[p] == 1:
            s.new_mileage[p] = LENGTH / ((s.tank_1[p] - s.fuel[p]) * 5280.0)
        elif s.laps[p] == 2:
            s.new_mileage[p] = 2.0 * LENGTH / ((s.tank_2[p] - s.fuel[p]) * 5280.0)
        else:
            s.new_mileage[p] = 3.0 * LENGTH / ((s.tank_3[p] - s.fuel[p]) * 5280.0)
    s.tank_3[p] = s.tank_2[p]
    s.tank_2[p] = s.tank_1[p]
    s.tank_1[p] = s.fuel[p]


def judge(s, p):
    """After a look: laps led and done, and the price of going backwards for a hundred steps."""
    if s.crossed[p] == 1:
        if s.laps[p] >= 1 and (s.best_lap[p] == 0.0 or s.lap_time[p] < s.best_lap[p]):
            s.best_lap[p] = s.lap_time[p]
        if s.laps[p] >= 1 and s.done[p] == 0 and s.position[p] == 0:
            s.led[p] += 1
        refuel(s, p)
        if s.done[p] == 0 and (s.laps[p] >= LAPS or s.won == 1):
            s.done[p] = 1
            s.won = 1
            s.finished_at[p] = s.clock
    if s.back[p] == 1:
        s.backward[p] += 1
        if s.backward[p] == 100:
            s.damage[p] = MOST_DAMAGE
    else:
        s.backward[p] = 0


def over(s):
    return s.rest > 50 or (SECONDS > 0.0 and s.clock >= SECONDS)


def progress(s, p):
    """Feet along the centre line since the finish line was crossed for the first time."""
    return s.laps[p] * LENGTH + s.distance[p]


def payoff(s, p):
    # Alone, less time is better, and any time better than none; among others a place has its points.
    if CARS == 1:
        return -s.finished_at[p] if s.done[p] == 1 else -100000.0 + min(progress(s, p), 90000.0) * 0.001
    led = 0
    for q in range(CARS):
        led = max(led, s.led[q])
    won = POINTS[s.position[p]] if s.position[p] < len(POINTS) else 0.0
    return won + 1.0 if led > 0 and s.led[p] == led else won


def retire(s, p):
    s.vx[p] = 0.0
    s.vy[p] = 0.0
    s.out[p] = 1


def feet(segment, part):
    """A part of a segment, in feet along the centre line."""
    return part * centre_radius(segment) if INNER[segment] != 0.0 else part


def sense(s, p, view):
    view.v = s.v[p]
    view.across = s.across[p]
    view.forward = s.forward[p]
    view.to_left = s.to_left[p]
    view.to_right = s.to_right[p]
    view.width = WIDTH
    k = s.segment[p]
    view.to_end = feet(k, s.to_end[p])
    for n in range(4):
        view.radius[n] = INNER[k]
        view.length[n] = feet(k, LENGTHS[k])
        k = (k + 1) % SEGMENTS
    view.distance = s.distance[p]
    view.lap_length = LENGTH
    view.alpha = s.alpha[p]
    view.wheel_speed = s.wheel_speed[p]
    view.power_asked = s.power_asked[p]
    view.power = s.power[p]
    view.left_pull = s.left_pull[p]
    view.pull = s.pull[p]
    view.fuel = s.fuel[p]
    view.damage = 1.0 * s.damage[p]
    view.clock = s.clock
    view.laps_to_go = max(LAPS - max(s.laps[p], 0), 0)
    view.backward = s.back[p]
    view.dead_ahead = s.dead_ahead[p]
    view.position = s.position[p]
    view.mileage = s.mileage[p]
    sense_cars(s, p, view)
    sense_table(s, p, view)
    sense_line(view)


def sense_table(s, p, view):
    """The indicators of Table 9.1, in the book's scale."""
    view.CR = view.radius[0] / 400.0
    view.NR = view.radius[1] / 400.0
    view.TE = view.to_end / 400.0
    view.NL = view.length[1] / 400.0
    view.V = view.v / 100.0
    view.NV = view.across / 100.0
    view.TL = view.to_left / 400.0
    view.TR = view.to_right / 400.0
    view.TW = WIDTH / 400.0
    way, angle = ray(s, p)
    view.AH = way / 400.0
    view.AA = angle


def sense_line(view):
    """Where the line that can be seen runs from here, in the scale of the table; all 0 without sight."""
    view.LO = 0.0
    view.LA = 0.0
    view.LG = 0.0
    view.LV = 0.0
    view.AV = 0.0
    if SIGHT:
        at = view.distance / LINE_STEP
        i = int(at) % LINE_POINTS
        j = (i + 1) % LINE_POINTS
        part = at - math.floor(at)
        view.LO = (LINE_PLACE[i] + part * (LINE_PLACE[j] - LINE_PLACE[i]) - view.to_right) / 400.0
        slope = LINE_SLOPE[i] + part * (LINE_SLOPE[j] - LINE_SLOPE[i])
        view.LA = slope - view.across / max(view.v, 5.0)
        view.LG = view.v * view.v * (LINE_BEND[i] + part * (LINE_BEND[j] - LINE_BEND[i])) / TYRES
        view.LV = (LINE_SPEED[i] + part * (LINE_SPEED[j] - LINE_SPEED[i])) / 100.0
        at = (view.distance + AHEAD * view.v) / LINE_STEP
        i = int(at) % LINE_POINTS
        j = (i + 1) % LINE_POINTS
        part = at - math.floor(at)
        view.AV = (LINE_SPEED[i] + part * (LINE_SPEED[j] - LINE_SPEED[i])) / 100.0


def sense_cars(s, p, view):
    """The nearest cars that are not out, by their distance along the road."""
    count = 0
    for n in range(NEAR):
        view.near_ahead[n] = 0.0
        view.near_left[n] = 0.0
        view.near_closing[n] = 0.0
    if CARS > 1:
        for q in range(CARS):
            if q != p and s.out[q] == 0:
                gap = s.distance[q] - s.distance[p]
                if gap > LENGTH / 2.0:
                    gap -= LENGTH
                elif gap < -LENGTH / 2.0:
                    gap += LENGTH
                count = insert(view, count, gap, s.to_right[q] - s.to_right[p], s.v[p] - s.v[q])
    view.near = count


def insert(view, count, gap, left, closing):
    """Put a car into the sorted list of the nearest; returns how many are in it."""
    at = count
    while at > 0 and abs(view.near_ahead[at - 1]) > abs(gap):
        at -= 1
    if at >= NEAR:
        return count
    for n in range(min(count, NEAR - 1), at, -1):
        view.near_ahead[n] = view.near_ahead[n - 1]
        view.near_left[n] = view.near_left[n - 1]
        view.near_closing[n] = view.near_closing[n - 1]
    view.near_ahead[at] = gap
    view.near_left[at] = left
    view.near_closing[at] = closing
    return min(count + 1, NEAR)
