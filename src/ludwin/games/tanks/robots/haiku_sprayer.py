"""Haiku sprayer: spreads small shots round the enemy."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing + 90)
    tank.set_ahead(60)
    tank.set_turn_gun_right(
        tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading) + 8 * math.sin(tank.time)
    )
    tank.set_fire(1)
