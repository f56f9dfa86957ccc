"""SittingDuck: does nothing at all."""

ADVANCED = True


def main(tank):
    pass
