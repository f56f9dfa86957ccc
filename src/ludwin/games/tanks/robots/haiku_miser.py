"""Haiku miser: fires only from near, where it hardly misses."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing + 60)
    tank.set_ahead(80)
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(max(0.1, 3 - seen.distance / 100))
