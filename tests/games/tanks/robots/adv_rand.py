"""A script of the recordings: random orders, one a turn, that do not block."""

import math

ADVANCED = True
SEED = 1
MEMORY = {"s": 0}
D = (0, 0.05, 0.5, 1, 1.5, 3, 7.3, 12, 20.5, 55.5, 100, 333.3, 1000, math.inf)
A = (0, 0.001, 0.5, 3, 7.77, 10, 20, 33.3, 45, 90, 123.4, 180, 360, math.inf)
P = (0.05, 0.1, 0.5, 1, 1.1, 1.7, 2, 2.5, 3, 5)
V = (0, 0.5, 1, 2.5, 4, 6.7, 8, 100, -3)
TR = (0, 1, 3.3, 5, 10, 20)


def draw(tank, n):
    tank.s = (1664525 * tank.s + 1013904223) % 4294967296
    return tank.s // 65536 % n


def signed(tank, value):
    return -value if draw(tank, 2) == 1 else value


def main(tank):
    tank.s = 1000 * SEED + tank.round
    while True:
        k = draw(tank, 16)
        if k < 3:
            tank.set_ahead(signed(tank, D[draw(tank, 14)]))
        elif k < 5:
            tank.set_turn_right(signed(tank, A[draw(tank, 14)]))
        elif k < 7:
            tank.set_turn_gun_right(signed(tank, A[draw(tank, 14)]))
        elif k < 9:
            tank.set_turn_radar_right(signed(tank, A[draw(tank, 14)]))
        elif k == 9:
            tank.set_max_velocity(V[draw(tank, 9)])
        elif k == 10:
            tank.set_max_turn_rate(TR[draw(tank, 6)])
        elif k == 11:
            f = draw(tank, 3)
            b = draw(tank, 2)
            if f == 0:
                tank.set_adjust_gun_for_robot_turn(b)
            elif f == 1:
                tank.set_adjust_radar_for_gun_turn(b)
            else:
                tank.set_adjust_radar_for_robot_turn(b)
        elif k < 14:
            tank.set_fire(P[draw(tank, 10)])
        elif k == 14:
            j = draw(tank, 3)
            if j == 0:
                tank.set_stop()
            elif j == 1:
                tank.set_resume()
            else:
                yield tank.scan()
        yield tank.execute()
