"""Haiku finisher: fires just hard enough to end the enemy, and harder the nearer it is."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing + 75)
    tank.set_ahead(100)
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(max(0.1, min(seen.energy / 4, 500 / seen.distance)))
