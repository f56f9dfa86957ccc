"""RamFire: drives into its enemy, and fires at it from there, never harder than it needs to."""

MEMORY = {"side": 1}


def main(tank):
    while True:
        yield tank.turn_right(5 * tank.side)


def face(tank, bearing):
    tank.side = 1 if bearing >= 0 else -1
    yield tank.turn_right(bearing)


def on_scanned(tank, seen):
    yield from face(tank, seen.bearing)
    yield tank.ahead(seen.distance + 5)
    yield tank.scan()


def on_hit_robot(tank, hit):
    yield from face(tank, hit.bearing)
    if hit.energy > 16:
        yield tank.fire(3)
    elif hit.energy > 10:
        yield tank.fire(2)
    elif hit.energy > 4:
        yield tank.fire(1)
    elif hit.energy > 2:
        yield tank.fire(0.5)
    elif hit.energy > 0.4:
        yield tank.fire(0.1)
    yield tank.ahead(40)
