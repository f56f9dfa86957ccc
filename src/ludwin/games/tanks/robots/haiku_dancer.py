"""Haiku dancer: changes its way by its place in the field instead of by the clock."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing + 90)
    tank.set_ahead(seen.distance * math.sin(tank.x / 50 + tank.y / 70))
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(2)
