"""Haiku mirror: keeps to the other side of the middle of the field, as a mirror image of the enemy."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right_radians(
        tank.relative_radians(
            math.atan2(
                tank.width - 2 * tank.x - seen.distance * math.sin(tank.heading_radians + seen.bearing_radians),
                tank.height - 2 * tank.y - seen.distance * math.cos(tank.heading_radians + seen.bearing_radians),
            )
            - tank.heading_radians
        )
    )
    tank.set_ahead(60)
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(2)
