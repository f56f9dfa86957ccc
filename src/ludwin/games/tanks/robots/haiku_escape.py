"""Haiku escape: goes round the enemy and away from it in random bursts, and saves its energy."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing + 100)
    tank.set_ahead(250 * tank.random() - 80)
    tank.set_turn_gun_right_radians(
        tank.relative_radians(tank.heading_radians + seen.bearing_radians - tank.gun_heading_radians)
        + 0.5 * seen.velocity / 14 * math.sin(seen.heading_radians - tank.heading_radians - seen.bearing_radians)
    )
    tank.set_fire(min(1, tank.energy / 40))
