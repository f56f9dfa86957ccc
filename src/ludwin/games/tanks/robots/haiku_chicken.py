"""Haiku chicken: drives away from the enemy and fires back, the less the farther it is."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing + 150 + 40 * math.sin(tank.time / 9))
    tank.set_ahead(100)
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(min(2, 250 / seen.distance))
