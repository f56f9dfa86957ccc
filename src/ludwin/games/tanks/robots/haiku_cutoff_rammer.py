"""Haiku cutoff rammer: drives to where the enemy will be rather than to where it is, and fires from near."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right_radians(
        seen.bearing_radians
        + seen.velocity / 8 * math.sin(seen.heading_radians - tank.heading_radians - seen.bearing_radians)
    )
    tank.set_ahead(seen.distance + 50)
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(min(3, 350 / seen.distance))
