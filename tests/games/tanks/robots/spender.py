"""A script of the recordings: fires until nothing is left."""

ADVANCED = True


def main(tank):
    while True:
        tank.set_fire(3)
        tank.set_ahead(30)
        tank.set_turn_right(10)
        tank.set_turn_gun_right(7)
        yield tank.execute()
