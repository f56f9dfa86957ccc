"""TrackFire: stands still, holds its gun on the enemy, and fires the harder the better it aims."""


def main(tank):
    while True:
        yield tank.turn_gun_right(10)


def on_scanned(tank, seen):
    error = tank.relative_angle(tank.heading + seen.bearing - tank.gun_heading)
    yield tank.turn_gun_right(error)
    if abs(error) <= 3 and tank.gun_heat == 0:
        yield tank.fire(min(3 - abs(error), tank.energy - 0.1))
    if error == 0:
        yield tank.scan()


def on_win(tank, event):
    yield tank.turn_right(36000)
