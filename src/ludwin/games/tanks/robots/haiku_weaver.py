"""Haiku weaver: weaves while it comes nearer, with a lead by the speed of the enemy."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing + 50 * math.sin(tank.time / 10))
    tank.set_ahead(seen.distance - 120)
    tank.set_turn_gun_right(
        tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading)
        + seen.velocity * math.sin(seen.heading_radians - tank.heading_radians - seen.bearing_radians) * 3
    )
    tank.set_fire(2)
