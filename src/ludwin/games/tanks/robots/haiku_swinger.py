"""Haiku swinger: swings to and fro across the line of fire, by the clock."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing + 90)
    tank.set_ahead(200 * math.sin(tank.time / 15))
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(2)
