"""Corners: goes to a corner and sweeps its gun from there; a corner in which it died badly it leaves for the next."""

MEMORY = {"enemies": 0, "stops": 0}
STATIC = {"corner": 0}


def main(tank):
    tank.enemies = tank.others
    tank.stops = 0
    yield tank.turn_right(tank.relative_angle(tank.corner - tank.heading))
    tank.stops = 1
    yield tank.ahead(5000)
    yield tank.turn_left(90)
    yield tank.ahead(5000)
    yield tank.turn_gun_left(90)
    step = 3
    while True:
        for _ in range(30):
            yield tank.turn_gun_left(step)
        step = -step


def shoot(tank, distance):
    if distance > 200 or tank.energy < 15:
        yield tank.fire(1)
    elif distance > 50:
        yield tank.fire(2)
    else:
        yield tank.fire(3)


def on_scanned(tank, seen):
    if tank.stops:
        yield tank.stop()
        yield from shoot(tank, seen.distance)
        yield tank.scan()
        yield tank.resume()
    else:
        yield from shoot(tank, seen.distance)


def on_death(tank, event):
    if tank.enemies == 0:
        return
    if (tank.enemies - tank.others) / tank.enemies < 0.75:
        tank.corner += 90
        if tank.corner == 270:
            tank.corner = -90
