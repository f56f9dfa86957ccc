"""A script of the recordings: shoots in its main loop, right after it may have seen somebody."""


def main(tank):
    while True:
        yield tank.turn_gun_right(7)
        yield tank.fire(1)
