"""Fire: stands still and sweeps its gun; when it is hit it turns across the bullet and moves, to and fro."""

MEMORY = {"step": 50}


def main(tank):
    while True:
        yield tank.turn_gun_right(5)


def on_scanned(tank, seen):
    if seen.distance < 50 and tank.energy > 50:
        yield tank.fire(3)
    else:
        yield tank.fire(1)
    yield tank.scan()


def on_hit_by_bullet(tank, hit):
    yield tank.turn_right(tank.relative_angle(90 - (tank.heading - hit.heading)))
    yield tank.ahead(tank.step)
    tank.step = -tank.step
    yield tank.scan()


def on_hit_robot(tank, hit):
    yield tank.turn_gun_right(tank.relative_angle(hit.bearing + tank.heading - tank.gun_heading))
    yield tank.fire(3)
