"""Acting programs inside compiled searches: kernel text.

The idea.  Programs are data (`act_code.py`); the loop that runs a block is written from the language (`actor.py`), and
the domain hands in `act`, `ask` and `undo`.  An action is an ordinary function of kernel text, called with the
bundle and its node, which runs its branches by `branch`:

    def act(w, k, node):
        if k == IF_A_MOVE:                                  # the readable twin is in `act.py`
            here = w.acts.open
            n = moves(w.positions[here], w.choices[here])
            for i in range(n):
                make(w, w.choices[here][i])
                if branch(w, node, 0) != 0.0:
                    return branch(w, node, 1)
                take_back(w)
            return branch(w, node, 2)
        ...

`w.positions[w.acts.open]` is the position that the program sees: `begin` and `make` go on with a copy above it,
`take_back` goes one down.  Deeds that stay are done on it directly.  A domain that changes more than positions declares
records for it, and hands in an `undo(w)` that sets right what effect number `w.acts.open` has changed there.

An action that loops without a bound of its own must ask `w.acts.cut`: it is not 0 when the program is cut, and then
every branch is worth 0 at once.  A domain may cut a program itself by `stop`.
"""

from ludwin.kernel.names import Bundle, copy, mover, moves, play, query
from ludwin.program.act import DO_THEN, DO_WHILE, OUT_OF_STEPS, TOO_DEEP
from ludwin.program.act_code import ACTION, ARGUMENTS, COUNT, NUMBER, OPENS

ACTS = {"steps": int, "limit": int, "cut": int, "open": int, "depth": int}
RECORDS = {
    "acts": ACTS,
    "acts_code": [int],
    "acts_registers": [float],
    "positions": "States",  # depth + 1
    "choices": "Moves",  # depth + 2: the last is for `ask`, which must not disturb an action's own list
}


# What a language and a domain bind.


def run_block(w, at):
    """Stand-in for the loop of a language."""
    return 0.0


def act(w, k, node):
    """Stand-in for the domain's actions: do action number k."""
    return 0.0


def ask(w, k, place):
    """Stand-in for the domain's inputs: the value of input number k."""
    return 0.0


def undo(w):
    """Take back the last open effect, where there is more to it than going down the stack of positions."""
    return 0


# What an action may use.


def argument(w, node, i):
    """Return the value of argument i of an action, which was evaluated before it."""
    assert 0 <= i < w.acts_code[node + COUNT], "the action has no such argument"
    register = w.acts_code[node + ARGUMENTS + i]
    assert register >= 0, "this argument of the action is a branch"
    return w.acts_registers[register]


def branch(w, node, i):
    """Run branch i of an action, and return its value: 0 if the program is cut."""
    assert 0 <= i < w.acts_code[node + COUNT], "the action has no such argument"
    address = -1 - w.acts_code[node + ARGUMENTS + i]
    assert address >= 0, "this argument of the action is no branch"
    return run_block(w, address) if may(w, 0) else 0.0


def number(w, node):
    """Return the number that the node carries: its constant or its place."""
    return w.acts_registers[w.acts_code[node + NUMBER]]


def stop(w, reason):
    """Cut the program for a reason of the domain's, a number from 3: nothing begins any more."""
    assert reason >= 3, "reasons to stop are numbers from 3"
    if w.acts.cut == 0:
        w.acts.cut = reason
    return 0


def begin(w):
    """Open an effect: what is done to the position from now on is taken back, by `take_back` or by the action's end."""
    assert w.acts.open < w.acts.depth, "an action opens more effects than it has declared"
    w.acts.open += 1
    copy(w.positions[w.acts.open], w.positions[w.acts.open - 1])
    return 0


def make(w, m):
    """Open an effect with a move."""
    begin(w)
    play(w.positions[w.acts.open], m)
    return 0


def take_back(w):
    """Take back the last effect that is open, number `w.acts.open`."""
    assert w.acts.open > 0, "an action takes back what it has not done"
    undo(w)
    w.acts.open -= 1
    return 0


# The machine.


def may(w, opens):
    """Count a step, if it is allowed."""
    if w.acts.cut == 0 and w.acts.steps >= w.acts.limit:
        w.acts.cut = OUT_OF_STEPS
    if w.acts.cut == 0 and opens > 0 and w.acts.open + opens > w.acts.depth:
        w.acts.cut = TOO_DEEP
    if w.acts.cut == 0:
        w.acts.steps += 1
    return w.acts.cut == 0


def perform(w, at):
    """Do what an acting node says, within the limits; take back what it leaves open."""
    if not may(w, w.acts_code[at + OPENS]):
        return 0.0
    before = w.acts.open
    k = w.acts_code[at + ACTION]
    value = 0.0
    if k == DO_THEN:
        value = argument(w, at, w.acts_code[at + COUNT] - 1)
    elif k == DO_WHILE:
        while branch(w, at, 0) != 0.0:
            value = branch(w, at, 1)
    else:
        value = 1.0 * act(w, k, at)
    assert w.acts.open >= before, "an action took back more than it had done"
    while w.acts.open > before:
        take_back(w)
    return value


def run_program(w: Bundle, program: int):
    """Run a program from the position at the bottom of the stack; `limit` and `depth` of `w.acts` hold for it."""
    w.acts.steps = 0
    w.acts.cut = 0
    w.acts.open = 0
    return run_block(w, w.acts_code[program])


# Inputs of positions.


def ask_position(w, k, place):
    """Return what the game's queries say of the position, from its mover's side; -1 is mobility."""
    if k < 0:
        return ask_mobility(w, k, place)
    s = w.positions[w.acts.open]
    return 1.0 * query(s, mover(s), k, place)


def ask_mobility(w, k, place):
    """Return the number of legal moves."""
    return 1.0 * moves(w.positions[w.acts.open], w.choices[w.acts.depth + 1])
