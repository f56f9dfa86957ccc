"""Haiku linear aimer: the hand-written linear aimer: leads exactly for bullets of power 2 and circles."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    lead = math.asin(seen.velocity / 14 * math.sin(seen.heading_radians - tank.heading_radians - seen.bearing_radians))
    tank.set_turn_gun_right_radians(
        tank.relative_radians(tank.heading_radians + seen.bearing_radians - tank.gun_heading_radians + lead)
    )
    tank.set_turn_right(seen.bearing + 90)
    tank.set_ahead(100 * math.sin(tank.time / 20))
    tank.set_fire(2)
