"""Tracker: keeps its gun on one enemy, comes near, and fires; too near, it backs away."""

MEMORY = {"lost": 0, "sweep": 10, "enemy": -1}


def main(tank):
    tank.set_adjust_gun_for_robot_turn(True)
    while True:
        yield tank.turn_gun_right(tank.sweep)
        tank.lost += 1
        if tank.lost > 2:
            tank.sweep = -10
        if tank.lost > 5:
            tank.sweep = 10
        if tank.lost > 11:
            tank.enemy = -1


def aim(tank, bearing):
    tank.sweep = tank.relative_angle(bearing + (tank.heading - tank.radar_heading))
    yield tank.turn_gun_right(tank.sweep)


def on_scanned(tank, seen):
    if tank.enemy != -1 and seen.robot != tank.enemy:
        return
    tank.enemy = seen.robot
    tank.lost = 0
    yield from aim(tank, seen.bearing)
    if seen.distance > 150:
        yield tank.turn_right(seen.bearing)
        yield tank.ahead(seen.distance - 140)
        return
    yield tank.fire(3)
    if seen.distance < 100:
        if -90 < seen.bearing <= 90:
            yield tank.back(40)
        else:
            yield tank.ahead(40)
    yield tank.scan()


def on_hit_robot(tank, hit):
    tank.enemy = hit.robot
    yield from aim(tank, hit.bearing)
    yield tank.fire(3)
    yield tank.back(50)


def on_win(tank, event):
    for _ in range(50):
        yield tank.turn_right(30)
        yield tank.turn_left(30)
