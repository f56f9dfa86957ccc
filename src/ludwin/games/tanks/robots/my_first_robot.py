"""MyFirstRobot: drives to and fro and looks round in between."""


def main(tank):
    while True:
        yield tank.ahead(100)
        yield tank.turn_gun_right(360)
        yield tank.back(100)
        yield tank.turn_gun_right(360)


def on_scanned(tank, seen):
    yield tank.fire(1)


def on_hit_by_bullet(tank, hit):
    yield tank.turn_left(90 - hit.bearing)
