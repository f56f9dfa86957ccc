"""Haiku centre: stays near the middle of the field, swinging across it."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(
        tank.relative_angle(math.degrees(math.atan2(tank.width / 2 - tank.x, tank.height / 2 - tank.y)) - tank.heading)
        + 60 * math.sin(tank.time / 14)
    )
    tank.set_ahead(90)
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(400 / seen.distance)
