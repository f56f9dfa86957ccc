"""Haiku disoriented: turns its gun by the enemy's direction as if body and gun were one."""

import math

ADVANCED = True


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing)
    tank.set_ahead(80)
    tank.set_turn_gun_right(seen.bearing)
    tank.set_fire(2)
