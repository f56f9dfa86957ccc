"""Haiku rammer: drives into the enemy and fires as hard as it can when it is near."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing)
    tank.set_ahead(seen.distance + 40)
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(300 / seen.distance)
