"""A script of the recordings: random orders that block, of a plain robot."""

SEED = 1
MEMORY = {"s": 0}
P = (0.05, 0.1, 0.5, 1, 1.1, 1.7, 2, 2.5, 3, 5)
D2 = (0, 0.5, 3, 12, 55.5, 100)
A2 = (0, 0.5, 7.77, 20, 45, 90, 123.4)


def draw(tank, n):
    tank.s = (1664525 * tank.s + 1013904223) % 4294967296
    return tank.s // 65536 % n


def signed(tank, value):
    return -value if draw(tank, 2) == 1 else value


def main(tank):
    tank.s = 1000 * SEED + tank.round
    while True:
        k = draw(tank, 8)
        if k == 0:
            yield tank.ahead(signed(tank, D2[draw(tank, 6)]))
        elif k == 1:
            yield tank.turn_right(signed(tank, A2[draw(tank, 7)]))
        elif k == 2:
            yield tank.turn_gun_right(signed(tank, A2[draw(tank, 7)]))
        elif k == 3:
            yield tank.turn_radar_right(signed(tank, A2[draw(tank, 7)]))
        elif k == 4:
            yield tank.fire(P[draw(tank, 10)])
        elif k == 5:
            yield tank.scan()
        elif k == 6:
            yield tank.do_nothing()
        else:
            tank.set_adjust_gun_for_robot_turn(draw(tank, 2))


def on_scanned(tank, seen):
    j = draw(tank, 4)
    if j == 0:
        yield tank.fire(P[draw(tank, 10)])
    elif j == 1:
        yield tank.turn_gun_right(signed(tank, A2[draw(tank, 7)]))
    elif j == 2:
        yield tank.ahead(signed(tank, D2[draw(tank, 6)]))
    else:
        yield tank.scan()


def on_hit_wall(tank, hit):
    yield tank.ahead(-25 if abs(hit.bearing_radians) < 1.5 else 25)


def on_hit_robot(tank, hit):
    if hit.my_fault:
        yield tank.ahead(-10)


def on_hit_by_bullet(tank, hit):
    yield tank.turn_right(-15)
