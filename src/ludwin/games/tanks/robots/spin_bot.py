"""SpinBot: drives in a circle for ever and fires hard at whatever it sees."""

ADVANCED = True


def main(tank):
    while True:
        tank.set_turn_right(10000)
        tank.set_max_velocity(5)
        yield tank.ahead(10000)


def on_scanned(tank, seen):
    yield tank.fire(3)


def on_hit_robot(tank, hit):
    if -10 < hit.bearing < 10:
        yield tank.fire(3)
    if hit.my_fault:
        yield tank.turn_right(10)
