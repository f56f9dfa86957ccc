"""The words of a robot: what it can order, read and hear of, under names like the original's.

Why it is here.  The compiler of robots, their run in Python and the documentation all use one table.
"""

import math
from typing import NamedTuple

from ludwin.games.tanks.opponents import machine as it
from ludwin.games.tanks.opponents.calculate import DEGREE, RADIAN


class Wording(NamedTuple):
    """An order: its number, what its argument is multiplied by, what it blocks for, whether it takes an argument."""

    number: int
    factor: float = 1.0
    block: int = 0
    argument: bool = True
    advanced: bool = False


def _orders() -> dict[str, Wording]:
    found: dict[str, Wording] = {}
    moves = {
        "ahead": (it.AHEAD, 1.0, it.FOR_AHEAD),
        "back": (it.AHEAD, -1.0, it.FOR_AHEAD),
        "turn_right": (it.TURN, RADIAN, it.FOR_TURN),
        "turn_left": (it.TURN, -RADIAN, it.FOR_TURN),
        "turn_gun_right": (it.GUN, RADIAN, it.FOR_GUN),
        "turn_gun_left": (it.GUN, -RADIAN, it.FOR_GUN),
        "turn_radar_right": (it.RADAR, RADIAN, it.FOR_RADAR),
        "turn_radar_left": (it.RADAR, -RADIAN, it.FOR_RADAR),
    }
    for word, (number, factor, block) in moves.items():
        found[word] = Wording(number, factor, block)
        found[f"set_{word}"] = Wording(number, factor, advanced=True)
        if "turn" in word:
            sign = 1.0 if factor > 0 else -1.0
            found[f"{word}_radians"] = Wording(number, sign, block, advanced=True)
            found[f"set_{word}_radians"] = Wording(number, sign, advanced=True)
    found["fire"] = Wording(it.FIRE, 1.0, it.A_TURN)
    found["set_fire"] = Wording(it.FIRE, advanced=True)
    for word, number in {"stop": it.STOP, "resume": it.RESUME}.items():
        found[word] = Wording(number, 1.0, it.A_TURN, argument=False)
        found[f"set_{word}"] = Wording(number, argument=False, advanced=True)
    found["scan"] = Wording(it.SCAN, 1.0, it.FOR_SCAN, argument=False)
    found["do_nothing"] = Wording(it.NOTHING, 1.0, it.A_TURN, argument=False)
    found["execute"] = Wording(it.NOTHING, 1.0, it.A_TURN, argument=False, advanced=True)
    for word, block in {
        "wait_for_move": it.FOR_AHEAD,
        "wait_for_turn": it.FOR_TURN,
        "wait_for_gun_turn": it.FOR_GUN,
        "wait_for_radar_turn": it.FOR_RADAR,
    }.items():
        found[word] = Wording(it.WAIT, float(block), it.WAITING + block, argument=False, advanced=True)
    found["set_max_velocity"] = Wording(it.MAX_VELOCITY, advanced=True)
    found["set_max_turn_rate"] = Wording(it.MAX_TURN, RADIAN, advanced=True)
    found["set_interruptible"] = Wording(it.INTERRUPTIBLE, advanced=True)
    found["set_adjust_gun_for_robot_turn"] = Wording(it.GUN_FOR_BODY)
    found["set_adjust_radar_for_gun_turn"] = Wording(it.RADAR_FOR_GUN)
    found["set_adjust_radar_for_robot_turn"] = Wording(it.RADAR_FOR_BODY)
    return found


ORDERS = _orders()
# Radians become degrees in two ways that differ in the last bit, and the original uses both.
TIMES, DIVIDED = "x * (180 / pi)", "x * 180 / pi"
Degrees = str  # one of the two, or nothing


def in_degrees(x: float, way: Degrees) -> float:
    """Return what a robot reads."""
    return x * DEGREE if way == TIMES else x * 180.0 / math.pi if way == DIVIDED else x


READS: dict[str, tuple[int, Degrees]] = {name: (number, "") for number, name in enumerate(it.READS)}
READS |= {
    name.removesuffix("_radians"): (number, TIMES if "remaining" in name else DIVIDED)
    for number, name in enumerate(it.READS)
    if name.endswith("_radians")
}

# Events: the handler's name, and which of the five numbers, the other robot (5) or the time (6) its fields are.
_BEARING = {"bearing": (0, DIVIDED), "bearing_radians": (0, "")}
_HEADING = {"heading": (2, DIVIDED), "heading_radians": (2, "")}
_ROBOT = {"robot": (5, "")}
EVENTS: dict[str, tuple[int, dict[str, tuple[int, Degrees]]]] = {
    "on_scanned": (1, {**_BEARING, "distance": (1, ""), **_HEADING, "velocity": (3, ""), "energy": (4, ""), **_ROBOT}),
    "on_hit_by_bullet": (
        2,
        {**_BEARING, "power": (1, ""), "heading": (2, TIMES), "heading_radians": (2, ""), **_ROBOT},
    ),
    "on_hit_wall": (3, _BEARING),
    "on_hit_robot": (4, {**_BEARING, "energy": (1, ""), "my_fault": (2, ""), **_ROBOT}),
    "on_bullet_hit": (5, {"energy": (0, ""), "power": (1, ""), "x": (2, ""), "y": (3, ""), **_ROBOT}),
    "on_bullet_hit_bullet": (6, {"power": (0, ""), "other_power": (1, ""), "x": (2, ""), "y": (3, ""), **_ROBOT}),
    "on_bullet_missed": (7, {"power": (0, ""), "x": (1, ""), "y": (2, "")}),
    "on_robot_death": (8, _ROBOT),
    "on_win": (9, {}),
    "on_death": (10, {}),
}
TIME = {"time": (6, "")}
FUNCTIONS = {  # what a robot may call beside math and Python's own
    "relative_angle": "relative_degrees",
    "absolute_angle": "absolute_degrees",
    "relative_radians": "relative",
    "absolute_radians": "absolute",
}
WHOLE = {"time", "round", "rounds", "others", "robot", "my_fault"}  # in Python these are whole numbers
