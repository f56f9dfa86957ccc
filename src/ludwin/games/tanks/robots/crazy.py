"""Crazy: weaves about at full speed and turns back at walls and at robots that it runs into."""

ADVANCED = True
MEMORY = {"forward": 0}


def main(tank):
    while True:
        tank.set_ahead(40000)
        tank.forward = 1
        tank.set_turn_right(90)
        yield tank.wait_for_turn()
        tank.set_turn_left(180)
        yield tank.wait_for_turn()
        tank.set_turn_right(180)
        yield tank.wait_for_turn()


def turn_back(tank):
    if tank.forward:
        tank.set_back(40000)
    else:
        tank.set_ahead(40000)
    tank.forward = 1 - tank.forward


def on_scanned(tank, seen):
    yield tank.fire(1)


def on_hit_wall(tank, hit):
    turn_back(tank)


def on_hit_robot(tank, hit):
    if hit.my_fault:
        turn_back(tank)
