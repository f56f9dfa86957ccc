"""Haiku leader: leads its shot as if the enemy drove on straight (linear aim, small angles)."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    lead = seen.velocity / 14 * math.sin(seen.heading_radians - tank.heading_radians - seen.bearing_radians)
    tank.set_turn_gun_right_radians(
        tank.relative_radians(tank.heading_radians + seen.bearing_radians - tank.gun_heading_radians + lead)
    )
    tank.set_fire(2)
