"""Haiku wall smoother: circles, and turns towards the middle of the field where a wall comes near."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(
        seen.bearing + 90
        if min(tank.x, tank.width - tank.x, tank.y, tank.height - tank.y) > 90
        else tank.relative_angle(
            math.degrees(math.atan2(tank.width / 2 - tank.x, tank.height / 2 - tank.y)) - tank.heading
        )
    )
    tank.set_ahead(100)
    tank.set_turn_gun_right_radians(
        tank.relative_radians(tank.heading_radians + seen.bearing_radians - tank.gun_heading_radians)
        + 0.5 * seen.velocity / 14 * math.sin(seen.heading_radians - tank.heading_radians - seen.bearing_radians)
    )
    tank.set_fire(2)
