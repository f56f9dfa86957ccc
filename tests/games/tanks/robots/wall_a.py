"""A script of the recordings: drives into walls."""

import math

ADVANCED = True
SEED = 1
MEMORY = {"s": 0}
A2 = (0, 0.5, 7.77, 20, 45, 90, 123.4)


def draw(tank, n):
    tank.s = (1664525 * tank.s + 1013904223) % 4294967296
    return tank.s // 65536 % n


def signed(tank, value):
    return -value if draw(tank, 2) == 1 else value


def main(tank):
    tank.s = 1000 * SEED + tank.round
    while True:
        if draw(tank, 40) == 0:
            angle = signed(tank, A2[draw(tank, 7)])
            if angle != 0:
                tank.set_turn_right(angle)
        if tank.distance_remaining == 0:
            tank.set_ahead(math.inf)
        yield tank.execute()


def on_hit_wall(tank, hit):
    tank.set_ahead(-200 if abs(hit.bearing_radians) < 1.5 else 200)
