"""Haiku keeper: keeps two hundred pixels between itself and the enemy."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing)
    tank.set_ahead(seen.distance - 200)
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(2)
