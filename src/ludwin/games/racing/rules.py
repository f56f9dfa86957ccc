"""Racing: cars on a closed road, and the drivers who set wheel and speed eighteen times a second."""

import math

from .car import MOST_DAMAGE, MOST_FUEL, POWER, STEP, SURFACE
from .circuit import LENGTH, TRACK
from .contact import collide
from .move import draw_traction, leave, move
from .road import look, place

CARS = 1
LAPS = 1
FUEL = 150.0
RANDOM = True
SHUFFLE = False
PLAYERS = CARS + 0
MAX_TICKS = 20000
FIELDS = {
    "clock": float, "chance": int, "rest": int, "won": int, "first": int,
    **{name: (float, CARS) for name in (
        "x", "y", "vx", "vy", "before_vx", "before_vy", "before_ax", "before_ay", "v", "heading", "limited_wheel",
        "fuel", "to_left", "to_right", "to_end", "across", "forward", "distance", "left_pull", "pull", "alpha",
        "wheel_speed", "power_asked", "power", "lap_time", "crossing", "finished_at")},
    **{name: CARS for name in ("damage", "segment", "back", "backward", "laps", "armed", "crossed", "out", "done", "close", "retired")},
}  # fmt: skip
CONTROLS = {"wheel": (-2, 2), "speed": (-10000, 10000)}
SENSES = {"v": float}


def setup(s):
    s.first = 1
    for p in range(CARS):
        start(s, p, p)


def start(s, p, slot):
    place(s, p, slot)
    s.fuel[p] = FUEL
    s.laps[p] = -1
    s.armed[p] = 1
    s.wheel_speed[p] = 20.0
    s.power_asked[p] = 0.9
    s.power[p] = 0.9
    look(s, p)


def tick(s):
    for p in range(CARS):
        if s.out[p] == 0:
            move(s, p, CARS, RANDOM)
        else:
            s.limited_wheel[p] = 0.0
    if CARS > 1:
        collide(s, CARS)
    if s.rest < 51:
        s.clock += STEP
    observe_all(s)


def observe_all(s):
    for p in range(CARS):
        if s.out[p] == 0:
            look(s, p)
            if s.crossed[p] == 1 and (s.laps[p] >= LAPS or s.won == 1):
                s.done[p] = 1
                s.won = 1
            if s.back[p] == 1:
                s.backward[p] += 1
                if s.backward[p] == 100:
                    s.damage[p] = MOST_DAMAGE
            else:
                s.backward[p] = 0


def over(s):
    return False


def payoff(s, p):
    return 0.0


def sense(s, p, view):
    view.v = s.v[p]


def seed(s, n):
    s.chance = n % 4294967296
    draw_traction(s)
