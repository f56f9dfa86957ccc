"""Haiku bouncer: drives to and fro across the field by its place in it, whatever the enemy does."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_ahead(200 if math.sin((tank.x + tank.y) / 60) > 0 else -200)
    tank.set_turn_right(5 * math.sin(tank.time / 25))
    tank.set_turn_gun_right(tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading))
    tank.set_fire(1.5)
