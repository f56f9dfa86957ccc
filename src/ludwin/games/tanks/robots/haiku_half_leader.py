"""Haiku half leader: leads by half, as a compromise between a still enemy and a steady one."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    lead = seen.velocity / 28 * math.sin(seen.heading_radians - tank.heading_radians - seen.bearing_radians)
    tank.set_turn_gun_right_radians(
        tank.relative_radians(tank.heading_radians + seen.bearing_radians - tank.gun_heading_radians + lead)
    )
    tank.set_turn_right(seen.bearing + 90)
    tank.set_ahead(150 * math.sin(tank.time / 12))
    tank.set_fire(400 / seen.distance)
