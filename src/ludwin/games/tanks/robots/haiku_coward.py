"""Haiku coward: the less energy it has, the less it fires."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing + 90)
    tank.set_ahead(100 * math.cos(tank.time / 18))
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(tank.energy / 30)
