"""Haiku stop and go: orbits in bursts, more going than standing, and leads by a random part of the enemy's speed."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing + 90)
    tank.set_ahead(120 if tank.time % 30 < 21 else 0)
    tank.set_turn_gun_right_radians(
        tank.relative_radians(tank.heading_radians + seen.bearing_radians - tank.gun_heading_radians)
        + tank.random()
        * seen.velocity
        / 14
        * math.sin(seen.heading_radians - tank.heading_radians - seen.bearing_radians)
    )
    tank.set_fire(2)
