"""A script of the recordings: the book's skeleton of four lines, with three expressions."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def fire(tank, power):
    if power > 0:
        tank.set_fire(power)
        return 1
    return 0


def sign(x):
    return 1 if x > 0 else -1 if x < 0 else 0


def on_scanned(tank, seen):
    d = seen.distance
    b = seen.bearing_radians
    tank.set_ahead(math.sin(tank.x / 50) * d)
    tank.set_turn_right_radians(b + math.pi / 2)
    tank.set_turn_gun_right_radians(fire(tank, 400 / d) * -0.35 * sign(math.sin(0.3 * tank.time)))
