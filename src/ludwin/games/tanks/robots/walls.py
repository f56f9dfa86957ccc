"""Walls: drives along the walls, its gun towards the field, and looks round corners before it turns."""

MEMORY = {"peek": 0}


def main(tank):
    way = max(tank.width, tank.height)
    yield tank.turn_left(tank.heading % 90)
    yield tank.ahead(way)
    tank.peek = 1
    yield tank.turn_gun_right(90)
    yield tank.turn_right(90)
    while True:
        tank.peek = 1
        yield tank.ahead(way)
        tank.peek = 0
        yield tank.turn_right(90)


def on_scanned(tank, seen):
    yield tank.fire(2)
    if tank.peek:
        yield tank.scan()


def on_hit_robot(tank, hit):
    if -90 < hit.bearing < 90:
        yield tank.back(100)
    else:
        yield tank.ahead(100)
