"""A script of the recordings: turns its radar out and back, by which it is no longer exactly with the gun."""


def main(tank):
    while True:
        yield tank.turn_gun_right(20)
        yield tank.turn_radar_right(45)
        yield tank.turn_radar_right(-45)


def on_scanned(tank, seen):
    yield tank.fire(0.5)
