"""A script of the recordings: as the skeleton, with a shot that costs a turn inside the handler."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    d = seen.distance
    b = seen.bearing_radians
    enemy = seen.heading_radians - tank.heading_radians
    v = seen.velocity
    tank.set_ahead(d - 140)
    tank.set_turn_right_radians(b)
    fired = 0
    if tank.energy / 20 > 0:
        yield tank.fire(tank.energy / 20)
        fired = 1
    tank.set_turn_gun_right_radians(fired * math.sin(enemy) * v / 8 - 0.2)
