"""Evolved robots: three programs in the book's skeleton of four lines, as code of the machine of robots.

Why it is here.  Algorithm 8.1 of *Evolved to Win*: the main loop turns the gun for ever, and whenever an enemy is seen
the three programs say how far to drive, to turn and to turn the gun.  Evolution fights with thousands of them; since
their code is data in the robot's workspace, all share one compiled machine with every other robot.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.games.tanks.language import FIRE, IF_GREATER, RANDOM, SWUNG, TICK
from ludwin.games.tanks.opponents import machine as it
from ludwin.games.tanks.opponents.calculate import MATHS
from ludwin.games.tanks.opponents.compile import RobotCode
from ludwin.games.tanks.opponents.robots import LINES, MACHINE, MEMBERS, code_pilot, fault_of, is_tanks, load_code
from ludwin.program.assemble import fixed
from ludwin.program.text import write
from ludwin.program.tree import Tree
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive

SEEN = it.EVENT  # registers of a sighting: bearing, distance, heading, velocity, energy
OF_EVENT = {"EnemyBearing": 0, "EnemyDistance": 1, "EnemyVelocity": 3, "EnemyEnergy": 4}
OF_ROBOT = {"Heading": "heading_radians", "X": "x", "Y": "y", "MaxX": "width", "MaxY": "height"}
NORMAL = MATHS.index("relative")  # an angle from -pi to pi
COMPUTES = {
    "Add": it.ADD, "Sub": it.SUB, "Mul": it.MUL, "Div": it.SAFE_DIV, "Abs": it.ABS, "Neg": it.NEG,
    "Sin": it.SAFE_SIN, "Cos": it.SAFE_COS, "ArcSin": it.SAFE_ASIN, "ArcCos": it.SAFE_ACOS}  # fmt: skip
ORDERS = {"ahead": it.AHEAD, "turn": it.TURN, "gun": it.GUN, "fire": it.FIRE, "radar": it.RADAR}
ROLES = tuple(ORDERS)


class HaikuWriter:
    """Writes the code of one robot: constants and readings have registers of their own, the rest is a stack."""

    def __init__(self) -> None:
        self.rows: list[int] = [-1] * it.HEAD
        self.first: list[float] = [0.0] * (it.EVENT * it.KINDS)
        self.constants: dict[str, int] = {}
        self.readings: dict[str, int] = {}
        self.temporary: list[int] = []

    def write(self, programs: tuple[Tree, ...]) -> RobotCode:
        """Return the robot."""
        self.rows[0] = len(self.rows)
        endless, nowhere = self.constant(math.inf), self.place()
        self.emit(it.ORDER, nowhere, endless, 0, it.GUN | it.FOR_GUN << 5)
        self.emit(it.JUMP, self.rows[0])
        self.rows[1] = len(self.rows)
        for name, word in OF_ROBOT.items():
            self.readings[name] = self.place()
            self.emit(it.READ, self.readings[name], 0, 0, it.READS.index(word))
        self.readings["EnemyHeading"] = self.place()
        self.emit(it.SUB, self.readings["EnemyHeading"], SEEN + 2, self.readings["Heading"])
        self.readings |= {name: SEEN + place for name, place in OF_EVENT.items()}
        self.more({tree.primitive(at).reads for tree in programs for at in range(len(tree))})
        for role, tree in zip(ROLES, programs, strict=False):
            self.tree, self.fixed = tree, fixed(tree)
            value = self.node(0, 0)
            result = self.slot(0)
            self.emit(it.FINITE, result, value)
            if role == "fire":
                self.emit(it.FIRE_IF, result, result)
            else:
                self.emit(it.ORDER, nowhere, result, 0, ORDERS[role])
        self.emit(it.END)
        return RobotCode(self.rows, self.first, 0, len(self.first))

    def more(self, used: set[str]) -> None:
        """Write the readings that the book's table has not, if a program asks for them."""
        if {"Time", "Swing"} & used:
            self.readings["Time"] = self.place()
            self.emit(it.READ, self.readings["Time"], 0, 0, it.READS.index("time"))
            self.emit(it.MUL, self.readings["Time"], self.readings["Time"], self.constant(TICK))
        if "Swing" in used:
            self.readings["Swing"] = self.place()
            self.emit(it.SAFE_SIN, self.readings["Swing"], self.readings["Time"])
            self.emit(it.MUL, self.readings["Swing"], self.readings["Swing"], self.constant(SWUNG))
        if "GunBearing" in used:
            found = self.readings["GunBearing"] = self.place()
            self.emit(it.READ, found, 0, 0, it.READS.index("gun_heading_radians"))
            self.emit(it.SUB, found, self.readings["Heading"], found)
            self.emit(it.ADD, found, found, SEEN)
            self.emit(it.MATH, found, found, 0, NORMAL)
        if "EnemyAcross" in used:
            found = self.readings["EnemyAcross"] = self.place()
            self.emit(it.SUB, found, self.readings["EnemyHeading"], SEEN)
            self.emit(it.SAFE_SIN, found, found)
            self.emit(it.MUL, found, self.readings["EnemyVelocity"], found)
        if "Flank" in used:
            found = self.readings["Flank"] = self.place()
            self.emit(it.ADD, found, SEEN, self.constant(math.pi / 2.0))
            self.emit(it.MATH, found, found, 0, NORMAL)

    def place(self, value: float = 0.0) -> int:
        self.first.append(value)
        return len(self.first) - 1

    def constant(self, value: float) -> int:
        key = value.hex()
        if key not in self.constants:
            self.constants[key] = self.place(value)
        return self.constants[key]

    def slot(self, height: int) -> int:
        """Return the register of a place of the stack."""
        while len(self.temporary) <= height:
            self.temporary.append(self.place())
        return self.temporary[height]

    def emit(self, op: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> int:
        self.rows += [op, a, b, c, d]
        return len(self.rows) - it.WIDE

    def node(self, at: int, height: int) -> int:
        """Write what computes a node above a height of the stack; return where its value is."""
        tree = self.tree
        if at in self.fixed:
            return self.constant(tree.evaluate(lambda name, place: 0.0, at))
        value = self.plain(at, height)
        if tree.factors[at] == 1.0:
            return value
        self.emit(it.MUL, self.slot(height), value, self.constant(tree.factors[at]))
        return self.slot(height)

    def plain(self, at: int, height: int) -> int:
        tree, primitive = self.tree, self.tree.primitive(at)
        result, children = self.slot(height), list(tree.children(at))
        if primitive.reads == "Energy":  # less after a shot
            self.emit(it.READ, result, 0, 0, it.READS.index("energy"))
            return result
        if primitive.reads:
            return self.readings[primitive.reads]
        if primitive.acts == RANDOM:
            self.emit(it.SPREAD, result)
            return result
        if primitive.branches:
            return self.branch(at, height)
        operands = [self.node(child, height + k) for k, child in enumerate(children)]
        self.emit(it.FIRE_IF if primitive.acts == FIRE else COMPUTES[primitive.name], result, *operands)
        return result

    def branch(self, at: int, height: int) -> int:
        """Write a conditional, which runs one of its branches only."""
        result, children = self.slot(height), list(self.tree.children(at))
        if self.tree.primitive(at).acts == IF_GREATER:
            greater, less = (self.node(child, height + k) for k, child in enumerate(children[:2]))
        else:
            greater, less = self.node(children[0], height), self.constant(0.0)
        self.emit(it.LESS, result, less, greater)
        unless = self.emit(it.UNLESS, 0, result)
        self.emit(it.MOVE, result, self.node(children[-2], height))
        jump = self.emit(it.JUMP)
        self.rows[unless + 1] = len(self.rows)
        self.emit(it.MOVE, result, self.node(children[-1], height))
        self.rows[jump + 1] = len(self.rows)
        return result


@lru_cache(maxsize=1024)
def haiku_code(programs: tuple[Tree, ...]) -> RobotCode:
    """Return the code of a robot of three programs, or of four or five with power and radar."""
    return HaikuWriter().write(programs)


@dataclass(frozen=True)
class Haiku(Agent):
    """A robot of the book's skeleton; its programs, of Table 8.1 or a larger language, are bred or written as text."""

    name: ClassVar[str] = "haiku"
    programs: tuple[Tree, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}:{' | '.join(write(program) for program in self.programs)}"

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is tanks, and the code has room in the machine."""
        if not is_tanks(game):
            raise CannotPlay(f"{self.name} is a robot of tanks, and {game.name} is another game")
        self.code()

    def code(self) -> RobotCode:
        """Return its code. Raises CannotPlay if the machine has no room for it."""
        found = haiku_code(self.programs)
        if len(found.rows) > it.LONGEST or found.registers > it.REGISTERS:
            nodes = max(len(program) for program in self.programs)
            raise CannotPlay(
                f"{self.name}: a program of {nodes} nodes is too long for the machine of robots (first_depth and "
                "max_size say how long programs are)"
            )
        return found

    def drive(self, game: Game) -> Drive:
        """Return how it fights."""
        code = self.code()
        return Drive(
            LINES,
            lambda player, seed: code_pilot(code, True, player, seed),
            MEMBERS,
            {"robot_turn": MACHINE},
            lambda bundle, k, mode: load_code(bundle, k, code, True),
            repeats=True,
            why=fault_of,
        )
