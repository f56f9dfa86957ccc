"""A script of the recordings: the book's skeleton of four lines, with three other expressions."""

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


def on_scanned(tank, seen):
    d = seen.distance
    b = seen.bearing_radians
    tank.set_ahead(fire(tank, 3) * 100 * math.cos(tank.y / 30))
    tank.set_turn_right_radians(b - 1.4)
    tank.set_turn_gun_right_radians(0.3 * math.sin(b) - fire(tank, d - 500))
