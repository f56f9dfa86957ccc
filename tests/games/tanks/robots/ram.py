"""A script of the recordings: turns its radar, turns to whom it sees, and runs into it."""

ADVANCED = True


def main(tank):
    while True:
        tank.set_turn_radar_right(360)
        yield tank.execute()


def on_scanned(tank, seen):
    tank.set_turn_right(seen.bearing)
    tank.set_ahead(seen.distance + 20)


def on_hit_robot(tank, hit):
    tank.set_fire(0.5)
