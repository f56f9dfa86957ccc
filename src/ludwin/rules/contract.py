"""The names that a game file may define: the whole contract in one table.

Why it is here.  Loader, checker, specialiser and docs all need the same list, in the same words.
Everything in `REQUIRED` must be there; everything in `OPTIONAL` unlocks something; `PEOPLE` is for
reading and writing and is never compiled, so any Python is allowed in it.
"""

REQUIRED = {
    "setup": ("s",),  # fill the start position
    "mover": ("s",),  # whose turn it is: 0 … PLAYERS-1, or CHANCE
    "moves": ("s", "out"),  # write the legal moves into out, return how many; 0 means over
    "play": ("s", "m"),  # change s by move m
    "payoff": ("s", "p"),  # the worth of a finished game to player p
}

# One row is enough for a new function: it is linted, compiled, fingerprinted, and probed by its arguments' names. What
# it means where a game has none is said in `ludwin.kernel.defaults`, what else it must keep in `ludwin.laws.court`.
OPTIONAL = {
    "evaluate": ("s", "p"),  # an opinion on an unfinished game, from player p's side
    "key": ("s",),  # an integer that stands for the position in tables
    "noisy": ("s", "m"),  # whether move m makes the position turbulent
    "query": ("s", "p", "k", "a"),  # GP terminal number k with argument a, from player p's side
    "chance": ("s", "m"),  # the weight of nature's move m
    "observe": ("s", "p", "rng"),  # resample in place what player p cannot see
    "solved": ("s",),  # puzzles: is this a goal?
    "distance": ("s",),  # puzzles: a lower bound on the cost to a goal
    "cost": ("s", "m"),  # puzzles: the price of move m (1 if not defined)
    "goal_state": ("s",),  # puzzles whose moves can all be taken back: change s into its only goal, to go on from there
    "pattern_number": ("s", "k"),  # puzzles: what number k of PATTERNS sees of s, as a number from 0 to its size - 1
    "pattern_project": ("s", "k"),  # puzzles: change s so that nothing is left but what pattern k sees
    "pattern_share": ("s", "m", "k"),  # puzzles: what of the price of move m counts for pattern k; then patterns add up
    "null": ("s",),  # give the turn away, for null-move searches; false where that would be unwise
    "pressed": ("s",),  # whether the mover must answer a threat (check), so that standing still is no choice
    "tick": ("s", "a", "rng"),  # real time: one step with the actions a[0 … PLAYERS-1]; true when done
}

# A world that ticks: all players act at once in small steps. A file is one if it declares CONTROLS.
WORLD_REQUIRED = {
    "setup": ("s",),  # fill the start
    "sense": ("s", "p", "view"),  # write into view what player p may see now
    "tick": ("s",),  # one step of the world, with the controls that the seats have set (s.NAME[p])
    "over": ("s",),  # whether it has ended
    "payoff": ("s", "p"),  # the worth of a finished run to player p
}

WORLD_OPTIONAL = {
    "seed": ("s", "n"),  # put the seed n into the state: all chance of a world comes from there
    "retire": ("s", "p"),  # player p has lost its control for good; its controls are at rest
    "observe": ("s", "p", "rng"),  # resample in place what player p cannot see, for players that plan
    "evaluate": ("s", "p"),
}

WORLD_VARIANTS = {"control_": ("view",)}  # the world's own drivers: agents `own:driver=NAME`

VARIANTS = {  # a file may define several of these, evaluate_NAME, order_NAME, stage_NAME; agents choose by name
    "evaluate_": ("s", "p"),  # another opinion, as `evaluate`
    "order_": ("s", "m"),  # an integer: how early a search should try move m (higher is earlier)
    "stage_": ("s", "p"),  # an integer: which of several programs speaks here, the first is number 0
    "distance_": ("s",),  # puzzles: another estimate of the cost to a goal, which need not be a lower bound
}

PEOPLE = {
    "show": ("s",),  # a drawing of the position
    "show_colours": ("s",),  # the same for terminals, with their codes for colours
    "picture": ("s",),  # the same as the text of an SVG file
    "squares": ("s",),  # a board as rows of (name, piece), None where there is no square: it is drawn for you
    "places": ("s", "m"),  # the names of the places that a move touches, in the order of clicks
    "name": ("s", "m"),  # a text for a move, unique among the legal ones
    "parse": ("s", "text"),  # the move that a text names
    "write": ("s",),  # a text for the position
    "read": ("s", "text"),  # fill s from such a text
}

COMPILED = {**REQUIRED, **OPTIONAL}
WORLD = {**WORLD_REQUIRED, **WORLD_OPTIONAL}
WORLD_PEOPLE = ("show", "show_colours", "picture", "squares", "write", "read")
RETURNS = set(COMPILED) - {"setup", "play", "observe", "goal_state", "pattern_project"}  # these change a state instead

WORLD_RETURNS = {"over", "payoff", "evaluate"}

CONSTANTS = {"FIELDS", "MAX_MOVES", "PLAYERS", "MAX_PLIES", "PAYOFF_SUM", "REDRAWS", "QUERIES", "PATTERNS"}
NOT_PARAMETERS = CONSTANTS - {"PLAYERS"}  # the contract's own constants are not for callers to set

DEFAULT_PLAYERS = 2
DEFAULT_MAX_PLIES = 512
DEFAULT_PAYOFF_SUM = 0
DEFAULT_MAX_TICKS = 10_000

# What a game may be at most: beyond these it is a slip of the pen, and memory would end before the game does.
MOST_CELLS = 2**16  # of a state: half a megabyte, and a search copies one at every node
MOST_MOVES = 2**16
MOST_PLIES = 2**20
MOST_PLAYERS = 2**8
MOST_TICKS = 2**24
MOST_CONTROLS = 64  # of one player
MOST_ANSWERS = 2**16  # places of one query
MOST_PATTERNS = 64
MOST_IN_PATTERN = 2**31  # what one pattern may tell apart
SMALLEST, LARGEST = (
    1e-290,
    1e290,
)  # what weights of nature's moves may add up to: so that a share of it is still a number

# The names of `math` that mean the same in every mode, with the number of their arguments.
MATH_CONSTANTS = ("e", "inf", "nan", "pi", "tau")
MATH = {
    **dict.fromkeys(
        ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "sin", "sinh", "tan", "tanh"), 1
    ),
    **dict.fromkeys(
        ("ceil", "fabs", "floor", "trunc", "degrees", "radians", "sqrt", "isqrt", "erf", "erfc", "cbrt", "exp2"), 1
    ),
    **dict.fromkeys(("exp", "expm1", "log", "log10", "log1p", "log2", "isfinite", "isinf", "isnan"), 1),
    **dict.fromkeys(("atan2", "copysign", "fmod", "gcd"), 2),
}
MATH_INSTEAD = {  # what else there is in `math`, and the way out; measured: tests/kernel/test_arithmetic.py
    "pow": "rounds differently when compiled: use power(x, y) from ludwin.primitives",
    "hypot": "rounds differently when compiled: use math.sqrt(x * x + y * y)",
    "dist": "rounds differently when compiled: use math.sqrt",
    "gamma": "rounds differently when compiled: use a table",
    "lgamma": "rounds differently when compiled: use a table",
    **dict.fromkeys(("factorial", "comb", "perm"), "cannot be compiled: use a table, a tuple at the top of the file"),
    **dict.fromkeys(("prod", "fsum", "sumprod"), "cannot be compiled: use a loop"),
    **dict.fromkeys(("modf", "frexp"), "cannot be compiled: it gives two numbers; use math.trunc or math.floor"),
    "lcm": "cannot be compiled: use x // math.gcd(x, y) * y",
    "ldexp": "cannot be compiled: use x * power(2.0, n) with power from ludwin.primitives",
    "fma": "cannot be compiled: use x * y + z",
    "remainder": "cannot be compiled: use math.fmod or %",
    "isclose": "cannot be compiled: use abs(x - y) < 1e-9",
}
