"""Programs that act: what an action is, and the readable way to run a program in a world.

The idea.  Some primitives do something: make a move and look at what follows, turn, fire, draw a random number.  The
domain says how, the program says when.  An action gets its arguments as values, and its branches as functions without
arguments, which it may run never, once, or once for each of a hundred moves:

    def if_a_move(world, test, then, other):        # IfMove(test, then, other), all three branches
        for move in world.moves():
            world.make(move)                        # opens an effect …
            if test():
                return then()                       # … that is taken back when the action ends, however it ends
            world.take_back()
        return other()

What is promised, here and in compiled searches (`act_kernel.py`), to the last bit and in the same order:

- Nothing that acts is skipped, shared, moved or done twice. Arguments come before their action, from left to right.
- A *step* is the beginning of an action or the run of a branch. Computing and reading cost no step, so a simplified
  program takes the steps of the original.
- When the steps are used up, the program is cut: no action begins and no branch runs any more, each is worth 0,
  and actions that have begun come to their ends with that. Effects that were opened are taken back.
- An action says how many effects it can hold open at once. If that is more than the depth leaves, it does not begin,
  and the program is cut, too. A domain may cut a program for reasons of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ludwin.errors import BadParameter, did_you_mean
from ludwin.program.language import LETTERS, Primitive
from ludwin.program.tree import Argument, Tree, Visit

STEPS = 100_000  # of a program, unless somebody says otherwise
DEPTH = 16  # effects open at once
DEEPEST = 4096  # that a depth may be: each effect needs a position
MOST_NESTED = 60  # branches within branches: more than Python's stack is made for
WHOLE, OUT_OF_STEPS, TOO_DEEP = 0, 1, 2  # how a program ended; a domain may cut it for reasons of its own, 3 and up


@dataclass(frozen=True)
class Action:
    """What a domain promises about an action: how many arguments, which are branches, effects open at once."""

    arguments: int = 0
    branches: str = ""
    opens: int = 0

    def __post_init__(self) -> None:
        known = LETTERS[: self.arguments] if 0 <= self.arguments <= len(LETTERS) else ""
        if len(known) != self.arguments or self.opens < 0:
            raise BadParameter(
                f"an action has 0 to {len(LETTERS)} arguments and opens 0 effects or more, not {self.arguments} and "
                f"{self.opens}"
            )
        if list(self.branches) != sorted(set(self.branches) & set(known)):
            raise BadParameter(f"an action's branches are letters of its arguments in order, not {self.branches!r:.40}")


# Actions that every domain has: do all in order, the last value counts; do b while a holds, its last value counts.
THEN, WHILE = "then", "while"
DO_THEN, DO_WHILE = -1, -2  # their numbers in compiled code; a domain's own count from 0
EVERYWHERE = {THEN: DO_THEN, WHILE: DO_WHILE}


class World(Protocol):
    """What the readable evaluator needs of a domain: inputs, actions, and effects that can be taken back."""

    actions: Mapping[str, Action]
    open: int  # effects that wait to be taken back; a world in which all stays as it is has 0
    cut: int  # 0, or why the world itself wants the program cut: a number from 3, which stays

    def read(self, name: str, place: int) -> float:
        """Return the value of an input now."""

    def act(self, name: str, number: float, arguments: Sequence[Argument]) -> float:
        """Do something, and return its value; branches among the arguments are run by calling them."""

    def take_back(self) -> None:
        """Take back the last effect that is open."""


@dataclass(frozen=True)
class Ended:
    """What became of a program: its value, the steps it took, and whether it was cut."""

    value: float
    steps: int
    cut: int = WHOLE


def run(tree: Tree, world: World, steps: int = STEPS, depth: int = DEPTH, visit: Visit | None = None) -> Ended:
    """Run a program in a world; the readable evaluator, which compiled ones must equal."""
    examine(tree, world.actions)
    deeds = Deeds(world, steps, depth)
    value = tree.evaluate(world.read, 0, visit, deeds.act)
    return Ended(value, deeds.steps, deeds.cut)


class Deeds:
    """Keeps the limits of one run. `act` is what evaluators and exported programs call."""

    def __init__(self, world: World, limit: int = STEPS, depth: int = DEPTH):
        self.world = world
        self.limit = whole(limit, "steps")
        self.depth = whole(depth, "depth", DEEPEST)
        self.steps = 0
        self.over = WHOLE

    @property
    def cut(self) -> int:
        """Whether the program is cut, and why."""
        return self.over or self.world.cut

    def may(self, opens: int = 0) -> bool:
        """Count a step, if it is allowed."""
        if self.cut == WHOLE and self.steps >= self.limit:
            self.over = OUT_OF_STEPS
        if self.cut == WHOLE and opens and self.world.open + opens > self.depth:
            self.over = TOO_DEEP
        self.steps += self.cut == WHOLE
        return self.cut == WHOLE

    def act(self, name: str, number: float, arguments: Sequence[Argument]) -> float:
        """Do what an acting node says, within the limits; take back what it leaves open."""
        if name not in EVERYWHERE and name not in self.world.actions:  # an exported program in another world
            raise BadParameter(f"{name!r:.60} is not done here (there is {', '.join(self.world.actions)})")
        if not self.may(0 if name in EVERYWHERE else self.world.actions[name].opens):
            return 0.0
        counted = [self.counted(argument) if callable(argument) else argument for argument in arguments]
        before = self.world.open
        try:
            if name == THEN:
                return counted[-1]  # type: ignore[return-value]
            if name == WHILE:
                return _while(*counted)  # type: ignore[arg-type]
            return float(self.world.act(name, number, counted))
        finally:
            assert self.world.open >= before, f"{name} took back more than it had done"
            while self.world.open > before:
                self.world.take_back()

    def counted(self, branch: Callable[[], float]) -> Callable[[], float]:
        """Return a branch that counts its runs."""
        return lambda: branch() if self.may() else 0.0


def _while(test: Callable[[], float], body: Callable[[], float]) -> float:
    value = 0.0
    while test() != 0.0:
        value = body()
    return value


def whole(number: int, what: str, most: int = 2**62) -> int:
    """Return a limit. Raises BadParameter unless it is a whole number from 0 to the most that is possible."""
    if type(number) is not int or not 0 <= number <= most:
        raise BadParameter(f"{what} must be a whole number from 0 to {most}, got {number!r:.40}")
    return number


def examine(tree: Tree, actions: Mapping[str, Action]) -> None:
    """Raise BadParameter if the program says something that the domain does not do, or not in this way."""
    refuse_reserved(actions)
    nested = [0] * len(tree)
    for at in sorted(tree.live):
        primitive = tree.primitive(at)
        if primitive.acts:
            examine_action(primitive, actions)
        for number, child in enumerate(tree.children(at)):
            nested[child] = nested[at] + primitive.is_branch(number)
    if max(nested) > MOST_NESTED:
        raise BadParameter(f"the program runs branches within branches {max(nested)} deep; {MOST_NESTED} are possible")


def refuse_reserved(actions: Mapping[str, Action]) -> None:
    """Raise BadParameter if a domain has an action of a name that is every domain's."""
    for name in EVERYWHERE:
        if name in actions:
            raise BadParameter(f"a domain cannot have an action {name!r}: that is one of every domain's")


def examine_action(primitive: Primitive, actions: Mapping[str, Action]) -> None:
    """Raise BadParameter unless the domain does what an acting primitive says."""
    name, given = primitive.acts, len(primitive.takes)
    if name in EVERYWHERE:
        wanted = Action(2, "ab") if name == WHILE else Action(max(given, 1))
    elif name in actions:
        wanted = actions[name]
    else:
        known = (*actions, *EVERYWHERE)
        raise BadParameter(
            f"{primitive.name} acts {name!r:.60}, which is not done here{did_you_mean(name, known)} (there is "
            f"{', '.join(known)})"
        )
    if (given, primitive.branches) != (wanted.arguments, wanted.branches):
        raise BadParameter(
            f"{primitive.name} has {shape(given, primitive.branches)}, but {name!r} takes "
            f"{shape(wanted.arguments, wanted.branches)}"
        )


def shape(arguments: int, branches: str) -> str:
    """Return the arguments of an action in words.

    >>> shape(0, ""), shape(3, "bc")
    ('no arguments', 'the arguments a, b, c with the branches b, c')
    """
    if not arguments:
        return "no arguments"
    said = f"the argument{'s' if arguments > 1 else ''} {', '.join(LETTERS[:arguments])}"
    many = "the branches " if len(branches) > 1 else "the branch "
    return f"{said} with {many}{', '.join(branches)}" if branches else f"{said} and no branch"
