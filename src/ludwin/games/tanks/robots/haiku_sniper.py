"""Haiku sniper: stands still and fires hard at who stands still, too, softly at who drives."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_gun_right_radians(
        tank.relative_radians(tank.heading_radians + seen.bearing_radians - tank.gun_heading_radians)
        + seen.velocity / 14 * math.sin(seen.heading_radians - tank.heading_radians - seen.bearing_radians)
    )
    tank.set_fire(3 if seen.velocity == 0 else 0.8)
