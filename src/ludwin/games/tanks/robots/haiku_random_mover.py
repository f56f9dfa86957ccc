"""Haiku random mover: goes anywhere, by chance alone, and fires straight at the enemy."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(180 * tank.random() - 90)
    tank.set_ahead(300 * tank.random() - 100)
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(1.5)
